#!/bin/sh
# test_targets.sh [TEST_TARGET] -- asks an outside assembler about the facts of targets.def.
# TEST_TARGET is the program of test_target.c: for a chip it prints lines to be taken (+) or refused (-),
# and the ELF machine number (=).
facts=${1:-${P2A_BUILD:-build}/tests/isa_test_target}
mc=${LLVM_MC:-llvm-mc-19}
version=$("$mc" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || { echo "skip isa-targets: no llvm-mc of version 19 or newer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for chip in gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201; do
	"$facts" $chip > "$work/facts" || { echo "not ok isa-targets-$chip: unknown chip"; status=1; continue; }
	sed -n 's/^[+-]//p' "$work/facts" > "$work/text"
	"$mc" -triple=amdgcn -mcpu=$chip "$work/text" > /dev/null 2> "$work/err"
	sed -n 's/^[^ ]*text:\([0-9]*\):[0-9]*: error:.*/\1/p' "$work/err" | sort -un > "$work/refused"
	sed -n '/^[+-]/p' "$work/facts" |
		awk 'NR == FNR { refused[$1] = 1; next } ($0 ~ /^-/) != (FNR in refused)' "$work/refused" - > "$work/wrong"
	# e_flags, at byte 48 of the file, begins with the machine number.
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu=$chip -filetype=obj -o "$work/o" /dev/null
	mach=$(od -An -tx1 -j48 -N1 "$work/o" | tr -d ' ')
	[ "=$mach" = "$(grep '^=' "$work/facts")" ] || echo "mach $mach" >> "$work/wrong"
	if [ -s "$work/wrong" ]; then
		sed 's/^/# /' "$work/wrong"
		echo "not ok isa-targets-$chip: the assembler disagrees"
		status=1
	else
		echo "ok isa-targets-$chip"
	fi
done
exit $status
