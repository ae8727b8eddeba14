#!/usr/bin/env bash
# What goes wrong on a device, through the real libamdhip64 on an emulated one: a clear error each.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$here/../.." && pwd)
if nm "$(dirname "$P2A")/libp2a_rt.a" 2>/dev/null | grep -q __asan_init; then
	echo "skip faults on HIP: this build has sanitizers"
	exit 77
fi
ldconfig -p | grep -q 'libamdhip64[.]so[.][567]' || { echo "skip faults on HIP: no HIP library (Debian: libamdhip64-5)"; exit 77; }
on() { "$P2A" exec --target=gfx906 "$@"; }
run() { on -- "$P2A" run --device=hip "$@"; }
args=(--grid=2 --block=4 --arg=inout:in.bin:y --arg=u32:3 --arg=u32:8)
words 1 2 3 4 5 6 7 8 >in.bin

expect "a kernel that does what it should" 0 '' run "${args[@]}" "$kernels" scale
rm -f y
expect "out of bounds: where" 3 'kernels.ptx:[0-9]+: kernel wild faulted: .*outside every buffer' run --arg=zero:4 "$kernels" wild
expect "out of bounds, HIP goes on: p2a hears of it" 3 '^p2a run: fault: hip[A-Za-z]*: hipErrorIllegalAddress [(]700[)]: ' \
	on --on-fault=error -- "$P2A" run --device=hip --arg=out:4:y "$kernels" wild
"$P2A" compile --target=gfx90a -o other.hsaco "$kernels"
"$P2A" compile --target=gfx906 -o k.hsaco "$kernels"
expect "an object for another chip" 1 'is for gfx90a, this device is gfx906' run "${args[@]}" other.hsaco scale
head -c 3000 k.hsaco >cut.hsaco
expect "an object that is cut off" 1 cut.hsaco run "${args[@]}" cut.hsaco scale
is "none of these writes an output" "$(ls y 2>/dev/null)" ''
expect "and the object itself" 0 '' run "${args[@]}" k.hsaco scale

# What kernels print: as the emulator has it, in any order of lanes; after a fault too, told once.
printing=$root/tests/corpus/cuda/printing.ptx
words $(seq -20 43) -1 >numbers.bin
shows() { "$@" --block=64 --arg=in:numbers.bin --arg=out:256:y --arg=u32:64 "$printing" say; }
shows "$P2A" run --device=emu --target=gfx906 | sort >want
expect "a kernel that prints" 0 '' shows run
is "as on the emulator" "$(wc -l <want) $(sort out | cmp - want)" '64 '
asserts() { "$@" --block=64 --arg=in:numbers.bin --arg=out:256:y --arg=u32:64 "$printing" check; }
asserts "$P2A" run --device=emu --target=gfx906 >want 2>/dev/null
for how in abort error; do
	expect "an assertion that fails, --on-fault=$how" 3 'kernel check faulted: trap' asserts on --on-fault=$how -- "$P2A" run --device=hip
	is "which is told as on the emulator, $how" "$(wc -l <out) $(cmp out want)" '20 '
done

if [ ! -e /dev/kfd ] && [ ! -e /dev/dxg ]; then
	expect "no device" 3 'no ROCm device: there is no /dev/kfd' "$P2A" run --device=hip "${args[@]}" "$kernels" scale
fi

if why=$(bash "$root/tests/hip/build.sh" host "$work/host" 2>&1); then
	expect "HIP refuses an object for another chip" 1 'hipModuleLoadData.*: hipError(NoBinaryForGpu|SharedObjectInitFailed|InvalidImage)' on -- ./host other.hsaco
	expect "a HIP program without a device says so" 77 'hipErrorNoDevice|hipErrorInvalidDevice' env HIP_VISIBLE_DEVICES=9 ./host other.hsaco
else
	echo "skip hip_host: $why"
fi
exit $bad
