#!/usr/bin/env bash
# The examples of p2a_bfi.h: code in a foreign buffer is read again as an assembler writes it; inline assembly is what clang takes,
# with registers of its choice.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$here/../.." && pwd)
P2A_BUILD=${P2A_BUILD:-$(dirname "$P2A")}
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skip examples: no compiler"; exit 77; }
sanitize=
nm "$P2A_BUILD/libp2a_rt.a" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
for e in bfi_foreign bfi_inline_asm; do
	# shellcheck disable=SC2086  # no option or one
	"$cc" -std=c11 -Wall -Wextra -Werror $sanitize -I"$root/translator/include" "$root/examples/$e.c" -o $e "$P2A_BUILD/libp2a.a" -lelf 2>cc.err
	is "$e compiles" "$(head -n 1 cc.err)" ''
done
counted='v_(lshl|lshr|ashr)rev_[bi]64 [^,]*, %[0-9]'
for chip in gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1200; do
	expect "$chip: bytes in a foreign buffer" 0 '' ./bfi_foreign $chip
	if command -v llvm-mc-19 >/dev/null; then
		sed -n 's/^  \(.*[^ ]\)   *[0-9a-f]\{8\}.*/\1/p' out >ours.s
		sed -n 's/^  .\{60\} //p' out | tr ' ' '\n' >ours.hex
		llvm-mc-19 -triple=amdgcn -mcpu=$chip -show-encoding ours.s 2>mc.err | sed -n 's/.*encoding: \[\(.*\)\]/\1/p' |
			tr -d '\n' | sed 's/\]\[/,/g; s/0x/,0x/g' | tr ',' '\n' | sed -n 's/^0x//p' |
			awk '{ w = $1 w; if (NR % 4 == 0) { print w; w = "" } }' >llvm.hex
		is "$chip: all of them are printed" "$(wc -c <ours.hex)" "$(sed -n 's/.* \([0-9]*\) bytes;.*/\1/p' out | awk '{ print $1 / 4 * 9 }')"
		is "$chip: they are the assembler's" "$(cmp ours.hex llvm.hex 2>&1; head -n 1 mc.err)" ''
	fi
	for ranges in '' short; do
		# shellcheck disable=SC2086
		expect "$chip: inline assembly $ranges" 0 '' ./bfi_inline_asm $chip $ranges
		# The erratum of gfx90a: a count in %N could be any register. Elsewhere the plan does take one.
		[ $chip = gfx90a ] && is "$chip: no operand counts a 64-bit shift $ranges" "$(grep -cE "$counted" out)" 0
		[ $chip$ranges = gfx900 ] && is "$chip: an operand counts a 64-bit shift" "$(grep -cE "$counted" out)" 1
		command -v clang-19 >/dev/null || continue
		{ echo '#define __device__'; cat out
		  echo 'typedef __attribute__((address_space(1))) unsigned *mem;'
		  echo '__attribute__((amdgpu_kernel)) void k(mem x) { unsigned t = __builtin_amdgcn_workitem_id_x(); x[t] = bfi_b32(x[t], x[t + 64], x[t + 128], x[t + 192]); }'
		} >inline.c
		clang-19 -target amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O2 -c inline.c -o inline.o 2>clang.err
		is "$chip: clang takes it $ranges" "$(grep -m1 error clang.err)" ''
	done
done
exit $bad
