#!/usr/bin/env bash
# Every row of bfi.def is PTX's bfi or bfe, over all inputs; wrong rows are found out; bfi_proof.def says so.
# The short run proves the 32-bit rows.
. "$(dirname "$0")/lib.sh"
z3_or_skip rows
proved=$(mktemp)
trap 'rm -f "$proved"' EXIT
bad=0
"$python" "$here/rows.py" $short --json="$proved" || bad=1
if [ -n "$short" ]; then
	"$python" "$here/make_proof.py" --check || bad=1
else
	"$python" "$here/make_proof.py" --check --proved="$proved" || bad=1
fi
exit $bad
