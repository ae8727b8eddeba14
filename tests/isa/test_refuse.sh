#!/bin/sh
# test_refuse.sh -- an outside assembler must refuse every line of refuse.txt, too.
here=$(cd "$(dirname "$0")" && pwd)
mc=${LLVM_MC:-llvm-mc-19}
version=$("$mc" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || { echo "skip isa-refuse-witness: no llvm-mc of version 19 or newer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
grep -v '^#' "$here/refuse.txt" > "$work/lines"
for chip in $(cut -f1 "$work/lines" | sort -u); do
	awk -F'\t' -v chip=$chip '$1 == chip { print $3 }' "$work/lines" > "$work/text"
	"$mc" -triple=amdgcn -mcpu=$chip "$work/text" > /dev/null 2> "$work/err"
	sed -n 's/^[^ ]*text:\([0-9]*\):[0-9]*: error:.*/\1/p' "$work/err" | sort -un > "$work/refused"
	awk 'NR == FNR { refused[$1] = 1; next } !refused[FNR]' "$work/refused" "$work/text" > "$work/taken"
	if [ -s "$work/taken" ]; then
		bad=1
		sed "s/^/# $chip: the assembler takes: /" "$work/taken"
	fi
done
[ $bad -eq 0 ] && echo "ok isa-refuse-witness" || echo "not ok isa-refuse-witness: it takes some of the lines"
exit $bad
