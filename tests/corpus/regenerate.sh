#!/bin/sh
# Makes cuda/NAME.ptx again from cuda/NAME.cu, and has NVIDIA's assembler read it. A source says in its first lines for which
# chip (`// arch: sm_80`) and with which options (`// options: -fmad=false`). Needs nvcc and ptxas of CUDA 13.0.
#
#   tests/corpus/regenerate.sh [NAME]...
set -eu
cd "$(dirname "$0")/cuda"
[ $# -gt 0 ] || set -- $(ls ./*.cu | sed 's|^./||; s|\.cu$||')
for name; do
	arch=$(sed -n 's|^// arch: ||p' "$name.cu")
	options=$(sed -n 's|^// options: ||p' "$name.cu")
	# shellcheck disable=SC2086  # options are words
	nvcc -ptx -arch="$arch" -O3 $options "$name.cu" -o "$name.ptx"
	ptxas -arch="$arch" -o /dev/null "$name.ptx"
	echo "$name"
done
