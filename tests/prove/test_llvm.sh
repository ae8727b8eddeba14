#!/usr/bin/env bash
# No bfi of ours costs more than LLVM's: than the counts on file, and than what llc makes now where it is installed.
. "$(dirname "$0")/lib.sh"
bad=0
compare() { # NAME OPTION...
	local name=$1 out
	shift
	if out=$(python3 "$here/compare_llvm.py" "$@"); then
		echo "ok $name: $(grep '^all chips' <<<"$out")"
	elif [ $? = 77 ]; then
		echo "$out"
	else
		echo "$out" | grep -v '^not ok'
		echo "not ok $name: ${out##*$'\n'}"
		bad=1
	fi
}
compare "bfi beside LLVM's counts on file"
[ -n "$short" ] || compare "bfi beside LLVM's code of today" --live
exit $bad
