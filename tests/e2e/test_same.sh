#!/usr/bin/env bash
# The same input gives the same bytes in two processes, whatever the folder and the environment.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for ptx in examples/*/*.ptx; do
	[ -n "${P2A_TEST_QUICK:-}" ] && [[ $ptx == *large* ]] && continue
	for chip in gfx90a gfx1100; do
		"$P2A" compile --target=$chip -o "$work/a" "$ptx" &&
			env -i TZ=Asia/Tokyo MALLOC_PERTURB_=85 "$P2A" compile --target=$chip -o "$work/b" "$ptx"
		if cmp -s "$work/a" "$work/b"; then echo "ok same $(basename "$ptx") $chip"; else echo "not ok same $(basename "$ptx") $chip: bytes differ"; bad=1; fi
	done
done
exit $bad
