#!/bin/sh
# Makes every PTX file again from its CUDA source, and has NVIDIA's assembler read the result.
# Needs nvcc and ptxas of CUDA 13.0 and clang-19 (no CUDA headers); says what it lacks and goes on.
# Leaves FOLDER/FOLDER.ptx and FOLDER/FOLDER.clang.ptx.
set -eu

cd "$(dirname "$0")"
ARCH=${ARCH:-sm_75}
CLANG=${CLANG:-clang-19}

have()
{
	command -v "$1" >/dev/null 2>&1 || { echo "lacking: $1, so $2" >&2; return 1; }
}

# bf16 needs sm_80.
arch_of()
{
	if grep -q cuda_bf16.h "$1.cu"; then echo sm_80; else echo "$ARCH"; fi
}

with_nvcc()
{
	nvcc -ptx -arch="$(arch_of "$1")" -O3 "$1.cu" -o "$1.ptx"
}

# Without CUDA's headers.
with_clang()
{
	! grep -q '<cuda_' "$1.cu" || return 0
	"$CLANG" -x cuda --cuda-device-only --cuda-gpu-arch="$ARCH" -S -O2 -nocudainc -nocudalib \
		-Wno-unknown-cuda-version "$1.cu" -o "$1.clang.ptx"
}

nvcc=no clang=no ptxas=no
have nvcc 'the files NAME.ptx stay as they are' && nvcc=yes
have "$CLANG" 'the files NAME.clang.ptx stay as they are' && clang=yes
have ptxas 'no file is checked' && ptxas=yes

for source in */*.cu; do
	name=${source%.cu}
	[ $nvcc = no ] || with_nvcc "$name"
	[ $clang = no ] || with_clang "$name"
	[ $ptxas = no ] || for ptx in "$name.ptx" "$name.clang.ptx"; do
		[ -f "$ptx" ] || continue
		ptxas -arch="$(arch_of "$name")" -o /dev/null "$ptx"
	done
	echo "$name"
done
[ $nvcc$clang = yesyes ]
