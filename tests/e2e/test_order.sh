#!/usr/bin/env bash
# What orders memory is what LLVM emits for the same access: every operation, order, scope and space, on every memory model.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
for tool in llc-19 python3; do
	command -v $tool >/dev/null || { echo "skip order: no $tool"; exit 77; }
done
chips="gfx90a gfx942 gfx1100 gfx1200"
[ -n "${P2A_TEST_QUICK:-}" ] || chips="$chips gfx900 gfx908 gfx1010 gfx1030 gfx1151 gfx1201"
python3 tests/e2e/memory_order.py "$P2A" llc-19 $chips
