#!/usr/bin/env bash
# --emit=asm, assembled by llvm-mc 19, gives the bytes of --emit=hsaco: code, descriptors and metadata of
# every example on every family; and LLVM's readers take every object without complaint (emit_asm.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
for tool in llvm-mc-19 llvm-readelf-19 llvm-objdump-19 python3; do
	command -v $tool >/dev/null || { echo "skip asm: $tool is not installed"; exit 77; }
done
chips='gfx900 gfx906 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1201'
[ -n "${P2A_TEST_QUICK:-}" ] && chips='gfx90a gfx1100'
programs=() bad=0
for ptx in examples/*/*.ptx; do
	[ -n "${P2A_TEST_QUICK:-}" ] && [[ $ptx == *clang* || $ptx == *large* ]] || programs+=("$ptx")
done
for chip in $chips; do
	python3 tests/e2e/emit_asm.py "$P2A" "$chip" "${programs[@]}" || bad=1
done
exit $bad
