#!/bin/sh
# make_vectors.sh GEN_LIST -- remakes vectors/CHIP.txt: text TAB bytes, as llvm-mc 19 or newer assembles them.
# GEN_LIST is the program of gen_list.c, build/tests/isa_gen_list. Texts are in the assembler's own spelling, but for the rows whose numbers it
# writes with names that p2a_parse does not know (messages, dependency counters, hardware registers,
# swizzles), and for v_cmp_*_dpp, whose suffix it drops.
set -eu
list=$1
here=$(cd "$(dirname "$0")" && pwd)
mc=${LLVM_MC:-llvm-mc-19}
# Older versions know fewer chips, and answer for another one with exit status 0.
version=$("$mc" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || { echo "make_vectors.sh: $mc is version ${version:-unknown}, 19 is needed" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$here/vectors"

for chip in gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201; do
	case $chip in
	gfx900|gfx90a|gfx942|gfx1010|gfx1030|gfx1100|gfx1200) repeats=2 ;;
	*) repeats=1 ;;
	esac
	"$list" $chip 20 $repeats > "$work/ours"
	cut -f1 "$work/ours" > "$work/text"
	"$mc" -triple=amdgcn -mcpu=$chip -show-encoding "$work/text" > "$work/out" 2> "$work/err" ||
		{ head -3 "$work/err" >&2; exit 1; }
	if [ -s "$work/err" ]; then head -3 "$work/err" >&2; exit 1; fi
	sed -n 's/^[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*; encoding: \[\(.*\)\]$/\1	\2/p' "$work/out" |
		sed 's/,0x//g; s/	0x/	/' > "$work/llvm"
	[ "$(wc -l < "$work/llvm")" -eq "$(wc -l < "$work/text")" ] || { echo "$chip: lines lost" >&2; exit 1; }
	paste "$work/text" "$work/llvm" |
		awk -F'\t' -v chip=$chip '{ named = (chip ~ /^gfx12/ && $2 ~ /^s_waitcnt /) || $2 ~ /sendmsg\(|depctr_|instid|HW_REG_|swizzle\(/ || ($1 ~ /_dpp / && $2 !~ /_dpp /)
			print (named ? $1 : $2) "\t" $3 }' |
		LC_ALL=C sort -u > "$here/vectors/$chip.txt"
	echo "$chip: $(wc -l < "$here/vectors/$chip.txt") vectors"
done
