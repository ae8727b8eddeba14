#!/usr/bin/env bash
# build.sh host OUT, or build.sh programs OUT CHIP...: builds examples/hip_host.c with the C compiler, or
# tests/hip/programs/all.hip for these chips with hipcc, else with clang 19 and Debian's device library.
# Says why and ends with 77 where something is not installed, with 1 where it does not compile. HIP_HOST and HIP_PROGRAMS name what is built already.
set -u
here=$(cd "$(dirname "$0")" && pwd)
what=$1 out=$2
shift 2
header=$(ls /opt/rocm/include/hip/hip_runtime_api.h /usr/include/hip/hip_runtime_api.h 2>/dev/null | head -n 1)
[ -n "$header" ] || { echo "no HIP headers (Debian: libamdhip64-dev; ROCm: hip-dev)"; exit 77; }
root=${header%/include/hip/*}

# A HIP program of the library's own version: Debian's headers with Debian's library.
host() {
	local cc=${CC:-cc}
	command -v "$cc" >/dev/null || { echo "no C compiler"; exit 77; }
	"$cc" -std=c11 -Wall -Wextra -D__HIP_PLATFORM_AMD__ -isystem "$root/include" "$here/../../examples/hip_host.c" -o "$out" -L"$root/lib" -lamdhip64
}

programs() {
	local hipcc bitcode flags=(-std=c++17 -O2 -Wall -Wno-unused-result)
	for chip; do flags+=("--offload-arch=$chip"); done
	hipcc=$(command -v hipcc || ls /opt/rocm/bin/hipcc 2>/dev/null)
	if [ -n "$hipcc" ]; then
		"$hipcc" "${flags[@]}" "$here/programs/all.hip" -o "$out"
		return
	fi
	command -v clang++-19 >/dev/null || { echo "neither hipcc nor clang++-19"; exit 77; }
	[ -x /usr/lib/llvm-19/bin/clang-offload-bundler ] || { echo "no clang-offload-bundler (Debian: clang-tools-19)"; exit 77; }
	bitcode=/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode
	[ -f "$bitcode/oclc_abi_version_400.bc" ] || { echo "no device library (Debian: rocm-device-libs)"; exit 77; }
	clang++-19 -x hip "${flags[@]}" --rocm-path="$root" --rocm-device-lib-path="$bitcode" -mcode-object-version=4 "$here/programs/all.hip" \
		-o "$out" -lamdhip64
}

case $what in
host) [ -n "${HIP_HOST:-}" ] && ln -sf "$HIP_HOST" "$out" || host ;;
programs) [ -n "${HIP_PROGRAMS:-}" ] && ln -sf "$HIP_PROGRAMS" "$out" || programs "$@" ;;
*) echo "build.sh: what is $what?"; exit 2 ;;
esac
