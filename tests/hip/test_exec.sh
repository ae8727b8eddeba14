#!/usr/bin/env bash
# The whole hip suite on emulated devices: the real libamdhip64 above libhsa-runtime64 of ours, on three chips (CHIPS
# names others; arguments are passed to suite.sh). In the short form; not with sanitizers, with which HIP programs are
# not built.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A_BUILD=${P2A_BUILD:-$PWD/build} P2A_TEST_QUICK=1
export P2A=${P2A:-$P2A_BUILD/p2a}
chips=${CHIPS:-gfx906 gfx90a gfx1030}
if nm "$P2A_BUILD/libp2a_rt.a" 2>/dev/null | grep -q __asan_init; then
	echo "skip hip suite on emulated devices: this build has sanitizers"
	exit 77
fi
ldconfig -p | grep -q 'libamdhip64[.]so[.][567]' || [ -d /opt/rocm/lib ] ||
	{ echo "skip hip suite on emulated devices: no HIP library (Debian: libamdhip64-5)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
# Once for all chips; where it fails, the suite says why.
bash tests/hip/build.sh host "$work/host" >/dev/null 2>&1 && export HIP_HOST=$work/host
# shellcheck disable=SC2086  # a list
bash tests/hip/build.sh programs "$work/programs" $chips >/dev/null 2>&1 && export HIP_PROGRAMS=$work/programs
# Two chips at a time.
one() { # CHIP OPTION...
	bash tests/hip/suite.sh --report="$work/$1.report" "${@:2}" -- "$P2A" exec --target="$1" -- >"$work/$1.out" 2>&1
}
for chip in $chips; do
	one "$chip" "$@" &
	[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
done
wait
for chip in $chips; do
	grep -v '^report:' "$work/$chip.out"
	if grep -q "^target    $chip" "$work/$chip.report" 2>/dev/null && grep -qE '^counts    [1-9][0-9]* passed, 0 failed' "$work/$chip.report"; then
		echo "ok $chip report: $(sed -n 's/^counts *//p' "$work/$chip.report")"
	else
		echo "not ok $chip report: $(grep '^counts' "$work/$chip.report" 2>/dev/null || echo none)"
		bad=1
	fi
done
# All of them in one process.
if [ -n "${HIP_PROGRAMS:-}" ]; then
	if "$P2A" exec --target="${chips// /,}" -- "$HIP_PROGRAMS" devices threads >"$work/out" 2>&1 && [ "$(grep -c ^right "$work/out")" = 2 ]; then
		echo "ok several devices at once: $chips"
	else
		echo "not ok several devices at once: $(tail -n 3 "$work/out" | tr '\n' ' ')"
		bad=1
	fi
fi
exit $bad
