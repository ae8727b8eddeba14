# lib.sh -- what the tests of the program share: a work folder, and one line a fact.
# Needs the program in $P2A; leaves `ok NAME` or `not ok NAME: why` lines, and $bad for the exit status.
# Source it first; the tests then stand in an empty folder, with the kernels of this one in $kernels.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
P2A=${P2A:-$here/../../build/p2a}
[ -x "$P2A" ] || { echo "not ok cli: no program at $P2A"; exit 1; }
P2A=$(cd "$(dirname "$P2A")" && pwd)/$(basename "$P2A")
kernels=$here/kernels.ptx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; bad=1; }

# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "'$2' instead of '$3'"; fi
}

# expect NAME STATUS PATTERN COMMAND...: the exit status, and a line of standard error that matches.
# An empty pattern means that standard error is empty. Leaves the files out and err.
expect() {
	local name=$1 status=$2 pattern=$3 got
	shift 3
	"$@" >out 2>err </dev/null
	got=$?
	if [ $got != "$status" ]; then
		not_ok "$name" "status $got instead of $status: $(head -n 1 err)"
	elif [ -z "$pattern" ] && [ -s err ]; then
		not_ok "$name" "unexpected message: $(head -n 1 err)"
	elif [ -n "$pattern" ] && ! grep -qE -- "$pattern" err; then
		not_ok "$name" "no message like '$pattern': $(head -n 1 err)"
	else
		ok "$name"
	fi
}

# json NAME FILE
json() {
	if python3 -m json.tool "$2" >/dev/null 2>json.err; then ok "$1"; else not_ok "$1" "$(head -n 1 json.err)"; fi
}

# words NUMBER...: 32-bit little-endian words to standard output
words() {
	python3 -c 'import struct, sys
sys.stdout.buffer.write(b"".join(struct.pack("<I", int(a, 0) & 0xffffffff) for a in sys.argv[1:]))' "$@"
}

hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }
