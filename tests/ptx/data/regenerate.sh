#!/bin/sh
# Makes the .ptx files of this folder from its .cu files again: nvcc 13.0, clang 19 and clang 14.
# The hand-written ones (old_*, triton_style, grammar) have no source. Paths are cut out of the output.
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp ./*.cu "$dir"
out=$PWD
cd "$dir"
for f in atoms warp consts floats bounds branches textures video; do
	nvcc -arch=sm_75 -ptx -o $f.ptx $f.cu
done
nvcc -arch=sm_75 -rdc=true -ptx -o calls.ptx calls.cu
nvcc -arch=sm_90 -ptx -o halves.ptx halves.cu
nvcc -arch=sm_90a -ptx -o matrix.ptx matrix.cu
nvcc -arch=sm_100 -ptx -o bounds_100.ptx bounds.cu
nvcc -arch=sm_75 -lineinfo -ptx -o atoms_lines.ptx atoms.cu
bare() {
	"$@" -x cuda --cuda-device-only -nocudainc -nocudalib -fdebug-compilation-dir=. -S bare.cu
}
bare clang-19 --cuda-gpu-arch=sm_75 --cuda-feature=+ptx64 -O2 -o bare_clangO2.ptx
bare clang-19 --cuda-gpu-arch=sm_75 --cuda-feature=+ptx64 -O2 -g -o bare_clangO2g.ptx
bare clang-19 --cuda-gpu-arch=sm_75 --cuda-feature=+ptx64 -O0 -o bare_clangO0.ptx
bare clang-14 --cuda-gpu-arch=sm_70 -O2 -o bare_clang14.ptx
# branches_G.ptx holds the folder as bytes of a string; it is made by hand with nvcc -G.
sed -i 's#"[^"]*/\([^"/]*\)"#"\1"#' ./*.ptx
cp ./*.ptx "$out"
