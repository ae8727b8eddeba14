#!/usr/bin/env bash
# The HIP backend, exercised without a GPU: `p2a run --device=hip` on a stand-in libamdhip64 (fake/hip.c)
# that runs kernels on the emulator; and every call of HIP failing in turn.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$here/../.." && pwd)
P2A_BUILD=${P2A_BUILD:-$(dirname "$P2A")}
cc=${CC:-cc}
[ -f "$P2A_BUILD/libp2a_rt.a" ] || { echo "skip hip: no libp2a_rt.a in $P2A_BUILD"; exit 77; }
command -v "$cc" >/dev/null || { echo "skip hip: no compiler"; exit 77; }
sanitize=
nm "$P2A_BUILD/libp2a_rt.a" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
for v in 5 7; do
	mkdir -p hip$v
	# shellcheck disable=SC2086  # no option or one
	"$cc" -std=c11 -shared -fPIC -O1 $sanitize -DFAKE_HIP=$v -I"$root/runtime" "$root/tests/rt/fake/hip.c" -o hip$v/libamdhip64.so.$v \
		-Wl,--exclude-libs,ALL "$P2A_BUILD/libp2a_rt.a" "$P2A_BUILD/libp2a.a" -lelf -lpthread -lm -ldl 2>cc.err ||
		{ not_ok "build the stand-in" "$(head -n 1 cc.err)"; exit 1; }
done
export LD_LIBRARY_PATH=$work/hip5
# The stand-in keeps its device to the end, as HIP does.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
hip() { "$P2A" run --device=hip "$@"; }
args=(--grid=2 --block=4 --arg=inout:in.bin:y --arg=u32:3 --arg=u32:8)
words 1 2 3 4 5 6 7 8 >in.bin
words 3 7 11 15 19 23 27 31 >want.bin

for chip in gfx90a:sramecc+:xnack- gfx1100; do
	[ $chip = gfx1100 ] && export LD_LIBRARY_PATH=$work/hip7
	export FAKE_HIP_TARGET=$chip
	rm -f y
	expect "PTX on hip, $chip" 0 '' hip "${args[@]}" "$kernels" scale
	is "computes" "$(hex y)" "$(hex want.bin)"
	"$P2A" compile --target="$chip" -o k.hsaco "$kernels"
	expect "a code object on hip" 0 '' hip --timeout=10 "${args[@]}" k.hsaco scale
	expect "the right --target" 0 '' hip --target="${chip%%:*}" "${args[@]}" "$kernels" scale
	expect "another --target" 3 "is a ${chip%%:*}.*, not a gfx1030" hip --target=gfx1030 "${args[@]}" "$kernels" scale
done
"$P2A" compile --target=gfx90a -o other.hsaco "$kernels"
expect "a code object for another chip" 1 'is for gfx90a, this device is gfx1100' hip "${args[@]}" other.hsaco scale
hip --stats "${args[@]}" "$kernels" scale 2>stats
json "--stats on hip" stats
is "--stats on hip counts waves and time only" "$(python3 -c 'import json
s = json.load(open("stats"))
print(s["device"], s["target"], s["waves"], s["instructions"]["total"], s["lane_ops"], s["seconds"])' 2>&1)" \
	"hip gfx1100 2 None None 0.0025"
expect "--check says that it does nothing" 0 'no effect on device hip' hip --check=all "${args[@]}" "$kernels" scale
expect "a kernel that faults" 3 'hipErrorIllegalAddress' hip --arg=zero:4 "$kernels" wild
[ -e /dev/kfd ] || expect "without /dev/kfd the default is the emulator" 0 '"device":"emu"' "$P2A" run --stats "$kernels" nothing

"$P2A" compile --target=gfx90a:xnack+ -o xnack.hsaco "$kernels"
FAKE_HIP_TARGET=gfx90a:sramecc+:xnack- expect "a code object for other features" 1 'is for gfx90a:xnack[+], this device is gfx90a:sramecc[+]:xnack-' \
	hip "${args[@]}" xnack.hsaco scale
FAKE_HIP_SAYS=gfx1036 expect "a chip that p2a does not know" 2 "unknown target 'gfx1036'" hip "${args[@]}" "$kernels" scale
FAKE_HIP_LEAKS=1 expect "closing a device frees all of it" 0 '^fake: 0 streams, 0 modules, 0 buffers left' hip "${args[@]}" "$kernels" scale
head -c 3000 k.hsaco >cut.hsaco
expect "a code object that is cut off" 1 'cut.hsaco' hip "${args[@]}" cut.hsaco scale
python3 -c 'import sys; b = bytearray(open("k.hsaco", "rb").read()); b[40:48] = b"\xff" * 8; open("bent.hsaco", "wb").write(b)'
expect "a code object with a damaged header" 1 'bent.hsaco' hip "${args[@]}" bent.hsaco scale

# The end-to-end tests on a device of HIP: P2A_BACKEND=hip.
e2e() { (cd "$root" && P2A_BACKEND=hip P2A_TEST_QUICK=1 "$P2A_BUILD/tests/e2e_test_$1" >"$work/e2e.out" 2>&1); }
e2e copy
is "an end-to-end test runs on the device" "$(grep -c "^ok .* on gfx1100$\|^device: .*, gfx1100, HIP 7.1.51831$" e2e.out)" 2
FAKE_HIP_SAYS=gfx1036 e2e copy
is "PTX for a chip that p2a does not know" "$(grep -c 'translation: PTX cannot be translated for this device: p2a does not know the chip gfx1036' e2e.out)" \
	"$(grep -c '^not ok' e2e.out)"
if [ ! -e /dev/kfd ]; then
	LD_LIBRARY_PATH='' e2e copy
	is "without a device it skips" "$? $(grep -c '^skip e2e on hip: no' e2e.out)" '77 1'
fi
P2A_BACKEND=hop "$P2A_BUILD/tests/e2e_test_copy" >e2e.out
is "P2A_BACKEND is checked" "$?" 1

rm -f y
while read -r call code status words; do
	export FAKE_HIP_FAIL=$call:$code
	expect "$call returns $code" "$status" "$words" hip --timeout=10 "${args[@]}" "$kernels" scale
	is "and no output is written" "$(ls y 2>/dev/null)" ''
done <<'END'
hipInit 100 3 no.ROCm.device
hipInit 101 3 no.ROCm.device
hipInit 3 3 hipInit:.*amdgpu.driver
hipGetDeviceCount 100 3 no.ROCm.device
hipSetDevice 101 3 hipSetDevice:.*101
hipDeviceGetName 999 3 hipDeviceGetName:.*999
hipGetDevicePropertiesR0600 1 3 which.chip
hipStreamCreateWithFlags 999 3 hipStreamCreateWithFlags:.*hipErrorUnknown.*999
hipMalloc 2 3 hipMalloc:.*hipErrorOutOfMemory.*memory.is.short
hipMemsetAsync 999 3 hipMemsetAsync:.*999
hipMemGetAddressRange 17 2 not.inside.one.buffer
hipMemGetAddressRange 999 3 hipMemGetAddressRange:.*999
hipMemcpyAsync 999 3 hipMemcpyAsync:.*999
hipModuleLoadData 303 1 hipModuleLoadData:.*303.*version
hipModuleLoadData 209 1 hipModuleLoadData:.hipErrorNoBinaryForGpu.*another.chip
hipModuleGetFunction 500 2 hipModuleGetFunction:.*500
hipModuleLaunchKernel 701 2 hipModuleLaunchKernel:.*registers
hipModuleLaunchKernel 719 3 hipModuleLaunchKernel:.*emulator.says.where
hipEventCreate 2 3 hipEventCreate:
hipEventRecord 999 3 hipEventRecord:
hipStreamQuery 700 3 hipStreamQuery:.*outside.every.buffer
hipStreamSynchronize 709 3 hipStreamSynchronize:.*open.it.again
hipStreamSynchronize 4711 3 hipStreamSynchronize:.unknown.error..4711
hipEventElapsedTime 999 3 hipEventElapsedTime:
END
unset FAKE_HIP_FAIL
# The device is taken out after any number of calls: a clear error each, no output, no crash.
bent='' n=0
while :; do
	FAKE_HIP_GONE=$n hip --timeout=10 "${args[@]}" "$kernels" scale >out 2>err
	status=$?
	grep -q '^fake: gone' err || break
	[ $status = 0 ] || { [ $status = 3 ] && grep -qE '^p2a run: .*(hipErrorContextIsDestroyed .709.: |which chip)' err && [ ! -e y ]; } ||
		bent+="after $n calls: status $status: $(grep -v '^fake' err | head -n 1); "
	rm -f y
	n=$((n + 1))
done
is "a device that is taken out" "$bent" ''
is "at every call" "$((n > 15))" 1
export FAKE_HIP_FAIL=hipStreamQuery:600
expect "a kernel that does not end" 3 'timeout: the kernel ran longer than 0.3' hip --timeout=0.3 "${args[@]}" "$kernels" scale
exit $bad
