#!/usr/bin/env bash
# Sets up a Debian 12 machine for p2a's tests, builds everything with warnings as errors, runs all
# tests, and ends with the line `N passed, N failed, N skipped`.
#
#   tests/run.sh            everything
#   tests/run.sh --quick    one build (checks and sanitizers on), shorter random tests
#   tests/run.sh --full     everything, each test of the release build at its full length (docs/testing.md)
#   tests/run.sh NAME...    only test programs and scripts whose path contains a NAME
#   tests/run.sh --hip      on the AMD GPU of this machine: all that can run there (docs/hardware.md); writes
#                           hip-report.txt. With --quick the short form
#
# Each test prints lines `ok NAME`, `not ok NAME: why` or `skip NAME: why`; these are counted. A test
# that prints none of them, dies, or says ok and then exits with a failure counts as failed.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

quick=0 hip=0 only=()
for a in "$@"; do
	case $a in
	--quick) quick=1 ;;
	--full) export P2A_TEST_FULL=1 ;;
	--hip) hip=1 ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	-*) echo "run.sh: unknown option $a (see --help)" >&2; exit 2 ;;
	*) only+=("$a") ;;
	esac
done

# What the build needs, the outside witnesses of the tests (llvm, clang, lld, z3), HIP and what is below it.
packages=(gcc libc6-dev make cmake pkg-config libelf-dev python3 bash coreutils
	llvm-19 clang-19 lld-19 python3-z3 binutils strace)
# Where ROCm is installed, its own HIP is used.
[ -d /opt/rocm ] || packages+=(libamdhip64-5 libamdhip64-dev libhsa-runtime-dev libhsakmt-dev rocm-device-libs clang-tools-19)
missing=()
for p in "${packages[@]}"; do
	dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
	echo "installing: ${missing[*]}"
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
		echo "run.sh: not all packages could be installed; tests that need them say so" >&2
fi

jobs=$(nproc)
build() { # DIR OPTIONS...
	local dir=$1
	shift
	echo "== building $dir"
	cmake -S . -B "$dir" -DP2A_TESTS=ON "$@" >"$dir.log" 2>&1 &&
		cmake --build "$dir" -j "$jobs" >>"$dir.log" 2>&1 || { tail -n 60 "$dir.log"; return 1; }
	rm -f "$dir.log"
}

# The folder of the release build. One that is there may be the user's: it is taken with the options that it has, and left
# alone where those are not for this.
release=build
has() { grep -q "^$1:[A-Z]*=$2\$" build/CMakeCache.txt; }
build_release() {
	if [ ! -f build/CMakeCache.txt ]; then
		build build -DCMAKE_BUILD_TYPE=Release -DP2A_WERROR=ON
	elif has CMAKE_BUILD_TYPE Release && has P2A_TESTS ON && has P2A_SANITIZE OFF && has P2A_CHECK OFF; then
		build build
	else
		release=build-tests
		build build-tests -DCMAKE_BUILD_TYPE=Release -DP2A_WERROR=ON
	fi
}

pass=0 fail=0 skip=0
wanted() {
	[ ${#only[@]} -eq 0 ] && return 0
	local o
	for o in "${only[@]}"; do [[ $1 == *"$o"* ]] && return 0; done
	return 1
}
count() { # NAME EXIT OUTPUT-FILE
	local ok bad skipped
	ok=$(grep -c '^ok ' "$3") bad=$(grep -c '^not ok ' "$3") skipped=$(grep -c '^skip ' "$3")
	grep -E '^(not ok|skip) ' "$3"
	if [ "$2" -ne 0 ] && [ "$2" -ne 77 ] && [ "$bad" -eq 0 ]; then
		echo "not ok $1: exit status $2"
		tail -n 25 "$3"
		bad=1
	elif [ $((ok + bad + skipped)) -eq 0 ]; then
		echo "not ok $1: it reported nothing"
		bad=1
	fi
	pass=$((pass + ok)) fail=$((fail + bad)) skip=$((skip + skipped))
}
# As many tests at once as there are cores; what they say is shown and counted in the order in which they began.
names=() started=0 shown=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show() { # the tests that have ended, up to the first that has not
	while [ "$shown" -lt "$started" ] && [ -f "$work/$shown.end" ]; do
		local status real user system
		read -r status real user system <"$work/$shown.end"
		count "${names[shown]}" "$status" "$work/$shown"
		echo "   ${names[shown]}: $real s, CPU $user + $system s"
		rm -f "$work/$shown" "$work/$shown.end"
		shown=$((shown + 1))
	done
}
run_one() { # NAME COMMAND...
	local name=$1 at=$started
	shift
	wanted "$name" || return 0
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
		show
	done
	names+=("$name")
	started=$((started + 1))
	{
		TIMEFORMAT='%0R %1U %1S'
		{ time "$@" >"$work/$at" 2>&1 </dev/null; } 2>"$work/$at.time"
		echo "$? $(cat "$work/$at.time")" >"$work/$at.tmp"
		mv "$work/$at.tmp" "$work/$at.end"
	} &
}
finish() {
	wait
	show
}
# What takes longest begins first: a long test that begins last leaves cores idle.
longest=(tests/hip/test_exec.sh emu_test_bfi_all e2e_test_fuzz tests/prove/test_rows.sh tests/e2e/test_asm.sh select_test_bfi
	tests/prove/test_docs.sh tests/cli/test_bfi.sh tests/prove/test_printed.sh e2e_test_half e2e_test_barrier e2e_test_divide
	e2e_test_warp e2e_test_video e2e_test_bfi pass_test_waitcnt pass_test_hazard emu_test_sweep emu_test_clang e2e_test_approx
	tests/prove/test_llvm.sh tests/hsa/test_exec.sh)
suite() { # LABEL DIR
	local t todo=()
	echo "== $1"
	export P2A_BUILD=$PWD/$2 P2A=$PWD/$2/p2a P2A_COVER=$PWD/$2/cover.tsv
	rm -f "$P2A_COVER"
	for t in "${longest[@]}"; do
		case $t in *.sh) todo+=("$t") ;; *) todo+=("$2/tests/$t") ;; esac
	done
	for t in "$2"/tests/*_test_* tests/*/test_*.sh; do
		[[ " ${todo[*]} " == *" $t "* ]] || todo+=("$t")
	done
	for t in "${todo[@]}"; do
		case $t in
		*.sh) [ -f "$t" ] && run_one "$1/$t" bash "$t" ;;
		*) [ -x "$t" ] && run_one "$1/${t##*/}" "$t" ;;
		esac
	done
	finish
	run_one "$1/tests/e2e/coverage.py" python3 tests/e2e/coverage.py "$P2A" "$P2A_COVER"
	finish
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
if [ $hip = 1 ]; then
	if build_release; then
		[ $quick = 0 ] && export P2A_TEST_FULL=1 || export P2A_TEST_QUICK=1
		P2A_BUILD=$PWD/$release run_one hip bash tests/hip/suite.sh --report=hip-report.txt
		finish
		[ -f hip-report.txt ] && echo "hip-report.txt tells what was run and how it went"
	else
		echo "not ok build"
		fail=1
	fi
	echo "$pass passed, $fail failed, $skip skipped"
	[ "$fail" -eq 0 ]
	exit
fi
run_one layers bash tests/layers.sh
run_one columns python3 tests/isa/align.py --check
finish
if [ $quick = 0 ]; then
	if build_release; then suite release $release; else echo "not ok build"; fail=$((fail + 1)); fi
fi
# The same suite with address and undefined-behaviour checks, the program form verified after every pass.
if build build-check -DP2A_WERROR=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" -DP2A_SANITIZE=ON -DP2A_CHECK=ON; then
	P2A_TEST_QUICK=1 suite checked build-check
else
	echo "not ok build-check"
	fail=$((fail + 1))
fi

echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ]
