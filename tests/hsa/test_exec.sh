#!/usr/bin/env bash
# `p2a exec`: exit statuses, and HIP programs on the installed libamdhip64 with our HSA runtime below it: the usual calls on each
# chip and on two devices, faults in both modes, bad objects. /dev/kfd is not needed, and not opened.
. "$(dirname "$0")/../cli/lib.sh"
programs=$here/../hsa/hip
[ -e "$(dirname "$P2A")/p2a-hsa/libhsa-runtime64.so.1" ] || { echo "skip exec: not built on this system"; exit 77; }

expect "the program's exit status" 7 '' "$P2A" exec --target=gfx90a -- sh -c 'exit 7'
expect "and its arguments" 0 '' "$P2A" exec --target=gfx90a -- test "a b" = "a b"
expect "a signal's number" 143 '' "$P2A" exec --target=gfx90a -- sh -c 'kill $$'
expect "no such program" 1 "cannot run './nix': No such file" "$P2A" exec --target=gfx90a -- ./nix
expect "status 127 is explained" 127 'libamdhip64' "$P2A" exec --target=gfx90a -- sh -c 'exit 127'
expect "a fault told by the pipe counts" 3 '' "$P2A" exec --target=gfx90a -- sh -c 'printf f >&$P2A_FAULT_FD'
"$P2A" exec --target=gfx90a,gfx906 --check=all --timeout=2 -- sh -c 'echo $P2A_DEVICES $P2A_CHECK $P2A_TIMEOUT $P2A_ON_FAULT' >out
is "what the library is told" "$(cat out)" 'gfx90a,gfx906 all 2 abort'

lib=$(dirname "$P2A")/p2a-hsa/libhsa-runtime64.so.1
nm -D --defined-only "$lib" | sed 's/.* //; s/@.*//' | sort >ours
is "only HSA's names are exported" "$(grep -vcE '^(hsa_|ROCR_1$|__asan|__ubsan|__odr_asan)' ours)" 0
for hip in /usr/lib/*/libamdhip64.so.[0-9] /opt/rocm/lib/libamdhip64.so.[0-9]; do
	[ -e "$hip" ] || continue
	nm -D --undefined-only "$hip" | grep -oE '\bhsa_[a-z0-9_]+' | sort -u >wanted
	is "all that $(basename "$hip") needs is there" "$(comm -23 wanted ours | tr '\n' ' ')" ''
done

cc=${CC:-cc}
printf '#include <hip/hip_runtime_api.h>\n' >h.c
"$cc" -D__HIP_PLATFORM_AMD__ -fsyntax-only h.c 2>/dev/null || { echo "skip HIP programs: no HIP headers (libamdhip64-dev)"; exit $bad; }
sanitize=
nm -D "$lib" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
# HIP keeps what it allocates to the end. --on-fault=error puts a library before the sanitizer's.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0:verify_asan_link_order=0
for p in usual faulty; do
	# shellcheck disable=SC2086  # no option or one
	"$cc" -std=gnu11 -O1 $sanitize "$programs/$p.c" -o $p -lamdhip64 2>cc.err || { not_ok "build $p" "$(head -n 1 cc.err)"; exit 1; }
done
run() { timeout 120 "$P2A" exec "$@"; }
for chip in gfx900 gfx906 gfx908 gfx90a gfx1010 gfx1030; do
	"$P2A" compile --target=$chip -o $chip.hsaco "$programs/kernels.ptx"
	run --target=$chip -- ./usual $chip.hsaco >out 2>err
	is "usual calls, $chip" "$? $(tail -n 1 out)$(head -n 2 err)" '0 all is well'
done
run --target=gfx90a,gfx906 -- ./usual gfx90a.hsaco 2 >out 2>err
is "usual calls, two devices" "$? $(tail -n 1 out)$(head -n 2 err)" '0 all is well'
run --target=gfx906 --check=all -- ./usual gfx906.hsaco >out 2>err
is "usual calls, all checks" "$? $(tail -n 1 out)$(head -n 2 err)" '0 all is well'
run --target=gfx906 --on-fault=error -- ./usual gfx906.hsaco >out 2>err
is "usual calls, --on-fault=error" "$? $(tail -n 1 out)$(head -n 2 err)" '0 all is well'

expect "a fault ends the program, told by us and by HIP" 3 'kernels.ptx:[0-9]*: kernel wild faulted: .*outside every buffer' \
	run --target=gfx906 -- ./faulty gfx906.hsaco wild
is "HIP has heard the kind" "$(grep -c 'HSA_STATUS_ERROR_MEMORY_FAULT' err)" 1
while read -r kernel want; do
	expect "--on-fault=error, $kernel" 3 "kernel $kernel faulted" run --target=gfx906 --on-fault=error -- ./faulty gfx906.hsaco "$kernel"
	is "calls fail and the program lives, $kernel" "$(tr '\n' ' ' <out)" "load hipSuccess synchronize $want copy $want last $want alive "
done <<'END'
wild hipErrorIllegalAddress
give_up hipErrorLaunchFailure
END
hip=$(ldd ./usual | awk '/libamdhip64/ { print $3 }')
# shellcheck disable=SC2086  # no option or one
"$cc" -std=gnu11 -w -O1 $sanitize "-DHIP_LIBRARY=\"$hip\"" "$programs/faulty.c" -o by_name -ldl &&
	"$cc" -std=gnu11 -w -shared -fPIC "$programs/next.c" -o next.so -ldl || not_ok "build by_name" "the compiler says no"
expect "--on-fault=error, a program that finds HIP by dlsym" 3 'kernel wild faulted' run --target=gfx906 --on-fault=error -- ./by_name gfx906.hsaco wild
is "calls fail and the program lives, by dlsym" "$(tr '\n' ' ' <out)" \
	'load hipSuccess synchronize hipErrorIllegalAddress copy hipErrorIllegalAddress last hipErrorIllegalAddress alive '
LD_PRELOAD=$PWD/next.so expect "beside a library of the program's own" 0 '' run --target=gfx906 --on-fault=error -- ./by_name gfx906.hsaco plus
is "which finds what stands behind it" "$(tail -n 1 out)" alive
"$P2A" compile --target=gfx906 -o prints.hsaco "$here/../hsa/hip/prints.ptx"
expect "a kernel that prints, in a program that does not ask for it" 0 '' run --target=gfx906 -- ./faulty prints.hsaco hello
is "goes its way" "$(tr '\n' ' ' <out)" 'load hipSuccess synchronize hipSuccess copy hipSuccess last hipSuccess alive '
expect "and faults" 3 'kernel hello_wild faulted' run --target=gfx906 --on-fault=error -- ./faulty prints.hsaco hello_wild
is "then its words are shown" "$(grep -c '^hello 64$' out) $(grep -c alive out)" '1 1'
"$P2A" compile --target=gfx906:xnack+ -o xnack.hsaco "$programs/kernels.ptx"
"$P2A" compile --target=gfx906 --code-object=5 -o five.hsaco "$programs/kernels.ptx"
cp "$programs/kernels.ptx" text.hsaco
sed 's/amdhsa.kernels/amdhsa.kernelz/' gfx906.hsaco >note.hsaco
export P2A_LOSE_AFTER=1
expect "a device that goes away" 3 'gfx906: the device is lost' run --target=gfx906 --on-fault=error -- ./usual gfx906.hsaco
is "the program sees an error" "$(grep -c hipErrorLaunchFailure out)" 1
unset P2A_LOSE_AFTER
# What looks over HIP's shoulder is no part of a build with sanitizers: there HIP alone speaks.
while read -r o why; do
	[ -z "$sanitize" ] || why=${why##HIP*}
	expect "$o.hsaco on gfx906: the program lives" 0 "$why" run --target=gfx906 -- ./faulty $o.hsaco plus
	is "and sees an error, $o" "$(sed -n 's/^load hipError.*/error/p; /alive/p' out | tr '\n' ' ')" 'error alive '
done <<'END'
gfx900 HIP does not take a code object: it is for gfx900, and the device is gfx906
xnack HIP does not take a code object: it is for gfx906:xnack.+, and the device is gfx906:sramecc.+:xnack-
five HIP does not take a code object: it has version 5, and HIP before 5.6 takes version 4 only .p2a compile --code-object=4
text HIP takes no PTX text: p2a compile makes a code object of it
note a code object is refused: the metadata note lists no kernels
END
# HIP's own printf and assert. HIP before 5.7 crashes with what LLVM 16 and later write for them; what it would have to be is made of the text.
bitcode=/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode
if command -v clang++-19 >/dev/null && [ -f "$bitcode/oclc_abi_version_400.bc" ]; then
	for chip in gfx906 gfx90a gfx1030; do
		clang++-19 -x hip --cuda-device-only -std=c++17 -O2 --offload-arch=$chip --rocm-path=/usr --rocm-device-lib-path="$bitcode" \
			-mcode-object-version=4 -S -o says.s "$programs/says.hip" 2>cc.err || { not_ok "build says, $chip" "$(head -n 1 cc.err)"; continue; }
		clang-19 -target amdgcn-amd-amdhsa -mcpu=$chip -mcode-object-version=4 says.s -o new.hsaco
		sed -i 's/hidden_default_queue\|hidden_completion_action/hidden_none/' says.s
		clang-19 -target amdgcn-amd-amdhsa -mcpu=$chip -mcode-object-version=4 says.s -o says.hsaco
		expect "HIP's printf, $chip" 0 '' run --target=$chip -- ./faulty says.hsaco greet
		is "64 lines, $chip" "$(for i in $(seq 0 63); do printf 'lane %d of two, %d.%02d\n' $i $((i / 4)) $((i % 4 * 25)); done | cmp - <(grep lane out | sort -n -k 2))$(tail -n 1 out)" alive
	done
	expect "HIP's assert, gfx1030" 3 'kernel insist faulted: trap' run --target=gfx1030 --on-fault=error -- ./faulty says.hsaco insist
	# 31 or 32 lanes of a wave fail; the first that traps may end the other wave before it speaks
	is "said by the lanes that fail" "$(( $(cat out err | grep -c "says.hip:[0-9]*: .*assertion .threadIdx.x < n. failed") >= 31 ))" 1
	if [[ -z $sanitize && $(readlink -f "$hip") == *.so.5.[0-6].* ]]; then
		expect "code that this HIP cannot launch is told" 139 'kernel greet crashes .*libamdhip64.*LLVM 15' run --target=gfx1030 -- ./faulty new.hsaco greet
	fi
else
	echo "skip HIP's printf: no clang++-19 or device library (rocm-device-libs)"
fi
if grep -q gfx1200 "$hip"; then
	echo "skip chips that HIP does not know: $hip knows gfx1200"
else
	unknown='^p2a: gfx1200: /.*libamdhip64.* does not know this chip.* It knows .*gfx90a'
	expect "a chip that this libamdhip64 does not know" 0 "$unknown" run --target=gfx1200 -- ./faulty gfx906.hsaco plus
	is "HIP has no device then, and does not crash" "$(sed -n 's/^load hipError.*Device$/none/p; /alive/p' out | tr '\n' ' ')" 'none alive '
	expect "beside one that it knows" 0 "$unknown" run --target=gfx1200,gfx906 -- ./usual gfx906.hsaco 1
	is "which works" "$(tail -n 1 out)" 'all is well'
fi
if strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=open,openat -o trace "$P2A" exec --target=gfx906 -- ./usual gfx906.hsaco >/dev/null 2>&1
	is "no driver is opened" "$(grep -c 'libhsa-runtime64.so.1.*= [0-9]' trace | sed 's/[1-9].*/ours/') $(grep -cE '/dev/(kfd|dri)' trace)" 'ours 0'
else
	echo "skip which files are opened: strace is not there or not allowed"
fi
exit $bad
