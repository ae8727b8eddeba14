#!/usr/bin/env bash
# --emit=asm, assembled by llvm-mc 19, gives the bytes of --emit=hsaco: code, descriptors and metadata of
# every example on every family; and LLVM's readers take every object without complaint.
# Distances to variables are relocations in the assembler's object: ld.lld-19 links it, and those literals are
# compared as what they point to by linking with the same layout being impossible to promise; so the words
# that llvm-readelf lists as relocated are left out of the comparison and their symbols are compared instead.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
for tool in llvm-mc-19 llvm-readelf-19 llvm-objdump-19 llvm-objcopy-19; do
	command -v $tool >/dev/null || { echo "skip asm: $tool is not installed"; exit 77; }
done
chips='gfx900 gfx906 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1201'
[ -n "${P2A_TEST_QUICK:-}" ] && chips='gfx90a gfx1100'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "not ok asm $1"; bad=1; }
section() { # OBJECT SECTION OUT
	: >"$3"
	llvm-objcopy-19 -O binary --only-section="$2" "$1" "$3" 2>/dev/null
}
one() { # PTX CHIP VERSION
	local what
	what="$(basename "$1") $2 V$3"
	"$P2A" compile --target="$2" --code-object="$3" -o "$work/o.hsaco" "$1" 2>"$work/err" || { fail "$what: $(head -n 1 "$work/err")"; return; }
	"$P2A" compile --target="$2" --code-object="$3" --emit=asm -o "$work/o.s" "$1" || { fail "$what: no asm"; return; }
	llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu="$2" -filetype=obj "$work/o.s" -o "$work/o.o" 2>"$work/err" ||
		{ fail "$what: llvm-mc: $(head -n 2 "$work/err" | tr '\n' ' ')"; return; }
	llvm-readelf-19 -r "$work/o.o" >"$work/relocs"
	section "$work/o.hsaco" .text "$work/a.text"
	section "$work/o.o" .text "$work/b.text"
	section "$work/o.hsaco" .rodata "$work/a.kd"
	section "$work/o.o" .rodata "$work/b.kd"
	python3 tests/e2e/same_code.py "$work" >"$work/why" || { fail "$what: $(head -n 1 "$work/why")"; return; }
	llvm-readelf-19 --notes "$work/o.hsaco" 2>&1 | sed -n '/amdhsa.kernels/,/^\.\.\./p' >"$work/a.md"
	llvm-readelf-19 --notes "$work/o.o" 2>&1 | sed -n '/amdhsa.kernels/,/^\.\.\./p' >"$work/b.md"
	cmp -s "$work/a.md" "$work/b.md" || { fail "$what: metadata differs"; return; }
	grep -q amdhsa.kernels "$work/a.md" || { fail "$what: llvm-readelf reads no metadata"; return; }
	llvm-readelf-19 --all "$work/o.hsaco" >/dev/null 2>"$work/err"
	llvm-objdump-19 -d -l "$work/o.hsaco" >"$work/dis" 2>>"$work/err"
	[ -s "$work/err" ] && { fail "$what: $(head -n 1 "$work/err")"; return; }
	grep -q '<unknown>' "$work/dis" && { fail "$what: llvm-objdump reads an unknown instruction"; return; }
	grep -qE '\.(ptx|cu|cuh):[0-9]' "$work/dis" || { fail "$what: no source lines"; return; }
}
for chip in $chips; do
	for ptx in examples/*/*.ptx; do
		[ -n "${P2A_TEST_QUICK:-}" ] && [[ $ptx == *clang* || $ptx == *large* ]] && continue
		before=$bad bad=0
		one "$ptx" "$chip" 4
		[ "$chip" = gfx1100 ] && one "$ptx" "$chip" 5
		[ $bad = 0 ] && echo "ok asm $(basename "$ptx") $chip"
		bad=$((bad | before))
	done
done
exit $bad
