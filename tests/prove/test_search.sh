#!/usr/bin/env bash
# A short part of tests/data/bfi_search.tsv again: rows that cost one or two, in the short run one. And the search does
# find what is there; the instructions are right backwards (search_back.def).
. "$(dirname "$0")/lib.sh"
search=${P2A_BUILD:-$here/../../build}/tests/prove_gen_search
data=$here/../data/bfi_search.tsv
dearest=${short:+1}
dearest=${dearest:-2}
bad=0
columns() { cut -f1-5,7,10; }         # the question, none_to, found

"$search" --backwards || bad=1

fresh=$(mktemp)
"$search" --dearest=$dearest --sample >"$fresh" || bad=1
trap 'rm -f "$fresh"' EXIT
n=$(tail -n +2 "$fresh" | wc -l)
missing=$(tail -n +2 "$fresh" | columns | grep -vxFf <(columns <"$data"))
if [ "$n" -lt 10 ] || [ -n "$missing" ]; then
	echo "not ok searches that were done again: $n, not as on file: $missing"
	bad=1
else
	echo "ok $n searches find nothing again"
fi

# `bytes` is not among these: its selector is none of the constants.
none=$("$search" --dearest=$dearest --sample --ours | grep -v '	bytes	' | grep -E '	(none|time)$')
if [ -n "$none" ]; then
	echo "not ok searches up to the row's own cost find nothing: $none"
	bad=1
else
	echo "ok searches up to the row's own cost find a sequence"
fi
exit $bad
