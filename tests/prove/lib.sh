# lib.sh -- what the tests of proofs share: the Python that has z3, and whether this is the short run.
# Source it first; leaves $python, $here, $short. Without z3 it says so and ends the test as skipped.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
short=${P2A_TEST_QUICK:+--quick}
python=
for p in python3 /usr/bin/python3; do
	"$p" -c 'import z3' 2>/dev/null && python=$p && break
done
z3_or_skip() { # NAME
	[ -n "$python" ] && return 0
	echo "skip $1: no Python with z3 (package python3-z3)"
	exit 77
}
