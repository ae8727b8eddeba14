#!/usr/bin/env bash
# Every example, the PTX of both compilers, on four chips in the emulator, byte for byte against its CPU
# reference. P2A: the program. P2A_TEST_QUICK: one wave64 and one wave32 chip, nvcc's PTX only.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
chips='gfx90a gfx1030 gfx1100 gfx1200' compilers='nvcc clang'
[ -n "${P2A_TEST_QUICK:-}" ] && chips='gfx90a gfx1100' compilers=nvcc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
while IFS='|' read -r name folder _; do
	name=${name// /} folder=${folder// /}
	[[ -z $name || $name == \#* ]] && continue
	[ -n "${P2A_TEST_QUICK:-}" ] && [ "$name" = large_kernel ] && chips_now=gfx1100 || chips_now=$chips
	for chip in $chips_now; do
		for by in $compilers; do
			[ "$by" = clang ] && [ ! -f "examples/$folder/$folder.clang.ptx" ] && continue
			if out=$(sh examples/run_example.sh --work="$work" --ptx="$by" --target="$chip" "$name" 2>&1); then
				echo "ok example $name $by $chip"
			else
				echo "not ok example $name $by $chip: $(tail -n 3 <<<"$out" | tr '\n' ' ')"
				bad=1
			fi
		done
	done
done <examples/examples.list
exit $bad
