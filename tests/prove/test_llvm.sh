#!/usr/bin/env bash
# No bfi of ours costs more than LLVM's: than the counts on file, and than what llc makes now where it is installed; nor does a
# prmt with a constant selector, nor, of a sample, a bit field of 32 bits of which something is known.
. "$(dirname "$0")/lib.sh"
bad=0
compare() { # NAME SCRIPT OPTION...
	local name=$1 script=$2 out
	shift 2
	if out=$("${python:-python3}" "$here/$script" "$@"); then
		echo "ok $name: $(grep '^all chips' <<<"$out")"
	elif [ $? = 77 ]; then
		echo "$out"
	else
		echo "$out" | grep -v '^not ok'
		echo "not ok $name: ${out##*$'\n'}"
		bad=1
	fi
}
compare "bfi beside LLVM's counts on file" compare_llvm.py
[ -n "$short" ] || compare "bfi beside LLVM's code of today" compare_llvm.py --live
[ -n "$short" ] || compare "bmsk and szext beside LLVM's code of today" compare_kin.py
[ -n "$short" ] || compare "prmt with a constant beside LLVM's code of today" compare_prmt.py
# Some answers of LLVM's are wrong; a solver finds them out.
if [ -z "$python" ]; then
	echo "skip bit fields of which something is known beside LLVM's code of today: no Python with z3 (package python3-z3)"
elif [ -z "$short" ]; then
	compare "bit fields of which something is known beside LLVM's code of today" compare_known.py --op=b32,u32,s32 --sample=61 --turn
fi
exit $bad
