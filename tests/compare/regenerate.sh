#!/bin/sh
# Makes the PTX of every kernel here again. Needs nvcc of CUDA 13.0.
# Without contraction of a*b + c, as compare.py has clang compile: the sources say fma where they mean it.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
	nvcc -ptx -arch="${ARCH:-sm_75}" -O3 -fmad=false "$source" -o "${source%.cu}.ptx"
done
