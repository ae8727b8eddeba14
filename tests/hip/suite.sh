#!/usr/bin/env bash
# Everything that can run on an AMD GPU through HIP, on the GPU that HIP finds:
#
#   suite.sh [--report=FILE] [--repeat=N] [PART]... [-- PREFIX...]
#
#   e2e        the end-to-end tests (P2A_BACKEND=hip): bfi and its kin exhaustively, every instruction, load, limits
#   examples   examples/, byte for byte against their CPU references
#   host       examples/hip_host.c, a HIP program around our code objects
#   programs   HIP programs of the usual kinds (programs/), by the installed HIP compiler; N times each
#
# Without PART all of them. Programs run behind PREFIX:
# `p2a exec --target=gfx90a --` where there is no GPU.
# Needs a build in $P2A_BUILD (default build); P2A_TEST_QUICK shortens. HIP_HOST and HIP_PROGRAMS name programs that are
# built already. Without a device, library or compiler it says so and skips. --report writes what a user may send in.
set -u
cd "$(dirname "$0")/../.." || exit 1
P2A_BUILD=${P2A_BUILD:-$PWD/build}
P2A=${P2A:-$P2A_BUILD/p2a}
report='' repeat=1 parts=() prefix=()
while [ $# -gt 0 ]; do
	case $1 in
	--report=*) report=${1#*=} ;;
	--repeat=*) repeat=${1#*=} ;;
	--) shift; prefix=("$@"); break ;;
	e2e | examples | host | programs) parts+=("$1") ;;
	*) echo "suite.sh: what is $1?" >&2; exit 2 ;;
	esac
	shift
done
[ ${#parts[@]} -gt 0 ] || parts=(e2e examples host programs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
say() { echo "$*" | tee -a "$log"; }
on() { ${prefix[@]+"${prefix[@]}"} "$@"; }

# ---- The device ----

P2A_BACKEND=hip P2A_TEST_QUICK=1 on "$P2A_BUILD/tests/e2e_test_limits" >"$work/first" 2>&1
device=$(sed -n 's/^device: //p' "$work/first")
if [ -z "$device" ]; then
	grep '^skip' "$work/first" | sed 's/^skip e2e on hip/skip hip/' | grep . ||
		{ echo "not ok hip: $(tail -n 1 "$work/first")"; exit 1; }
	exit 77
fi
target=$(sed -E 's/^.*, (gfx[^,]*), HIP.*$/\1/' <<<"$device")
chip=${target%%:*}

# ---- Parts ----

# A program that prints ok, not ok and skip lines.
run() { # NAME COMMAND...
	local name=$1 status
	shift
	"$@" >"$work/out" 2>&1 </dev/null
	status=$?
	sed -n -E "s/^(ok|not ok|skip) /\1 $chip $name: /p" "$work/out" | tee -a "$log"
	if [ $status != 0 ] && [ $status != 77 ] && ! grep -q '^not ok ' "$work/out"; then
		say "not ok $chip $name: status $status: $(grep -v '^ok' "$work/out" | tail -n 3 | tr '\n' ' ')"
	fi
}

# All of them but those that have a reason. A test that names no device has run elsewhere.
e2e() {
	local source name
	export P2A_BACKEND=hip
	for source in tests/e2e/test_*.c; do
		name=${source##*test_} name=${name%.c}
		grep -q "^$name " tests/hip/elsewhere.txt && continue
		run "$name" on "$P2A_BUILD/tests/e2e_test_$name"
		! grep -q '^ok ' "$work/out" || grep -q '^device: ' "$work/out" ||
			say "not ok $chip $name: it ran nothing on the device; if it should not, tests/hip/elsewhere.txt says why"
	done
	unset P2A_BACKEND
}

examples() {
	local line
	P2A=$P2A on sh examples/run_example.sh --device=hip --work="$work" --target="$chip" ${P2A_TEST_QUICK:+--ptx=nvcc} all \
		>"$work/out" 2>"$work/err" </dev/null
	while read -r line; do
		case $line in
		PASS*) say "ok $chip example $(awk '{print $2, $3}' <<<"$line")" ;;
		FAIL*) say "not ok $chip example $(awk '{print $2, $3}' <<<"$line"): $(tail -n 2 "$work/err" | tr '\n' ' ')" ;;
		esac
	done <"$work/out"
	grep -q '^PASS' "$work/out" || say "not ok $chip examples: $(tail -n 2 "$work/err" | tr '\n' ' ')"
}

# What could not be built: because something is not installed, or wrongly.
unbuilt() { # STATUS WHAT WHY
	[ "$1" = 77 ] && say "skip $chip $2: $3" || say "not ok $chip $2 does not compile: $3"
}

host() {
	local why
	why=$(bash tests/hip/build.sh host "$work/host" 2>&1) || { unbuilt $? hip_host "$why"; return; }
	"$P2A" compile --target="$chip" -o "$work/kernels.hsaco" examples/radix_digit/radix_digit.clang.ptx \
		examples/warp_ops/warp_ops.ptx examples/field_histogram/field_histogram.ptx
	if on "$work/host" "$work/kernels.hsaco" >"$work/out" 2>&1; then
		say "ok $chip hip_host"
	else
		say "not ok $chip hip_host: $(tail -n 3 "$work/out" | tr '\n' ' ')"
	fi
}

# Each program is a process of its own, and all of them are one.
programs() {
	local why name names n wrong
	why=$(bash tests/hip/build.sh programs "$work/programs" "$chip" 2>&1) || { unbuilt $? "HIP programs" "$(tail -n 3 <<<"$why" | tr '\n' ' ')"; return; }
	names=$("$work/programs" --list)
	for name in $names all; do
		wrong=''
		for ((n = 0; n < repeat; n++)); do
			[ "$name" = all ] && set -- || set -- "$name"
			on "$work/programs" "$@" >"$work/out" 2>&1 </dev/null || wrong+="run $n: $(grep -v '^right' "$work/out" | tail -n 3 | tr '\n' ' ')"
			[ "$(grep -c '^right ' "$work/out")" = "$([ "$name" = all ] && wc -w <<<"$names" || echo 1)" ] || wrong+="run $n: not all ran "
		done
		[ -z "$wrong" ] && say "ok $chip HIP program $name, $repeat times" || say "not ok $chip HIP program $name: $wrong"
	done
}

for part in "${parts[@]}"; do $part; done

# ---- The report ----

n() { grep -c "^$1 " "$log"; }
if [ -n "$report" ]; then
	{
		echo "p2a on hardware"
		echo "date      $(date -u '+%Y-%m-%d %H:%M UTC')"
		echo "p2a       $("$P2A" --version | head -n 1) $(git rev-parse --short HEAD 2>/dev/null)"
		echo "card      ${device%, gfx*}"
		echo "target    $target"
		echo "runtime   HIP ${device##*, HIP }"
		echo "driver    amdgpu $(cat /sys/module/amdgpu/version 2>/dev/null || echo "of the kernel"), $(uname -sr)"
		echo "command   ${prefix[*]+"${prefix[*]} "}${parts[*]}, $([ -n "${P2A_TEST_QUICK:-}" ] && echo short || echo full), programs $repeat times"
		echo "counts    $(n ok) passed, $(n 'not ok') failed, $(n skip) skipped"
		grep -E '^(not ok|skip) ' "$log"
	} >"$report"
	echo "report: $report"
fi
[ "$(n 'not ok')" = 0 ]
