#!/usr/bin/env bash
# dis: symbols, PTX lines, LLVM's spelling; what it prints assembles to the same instructions.
. "$(dirname "$0")/lib.sh"
cp "$kernels" k.ptx
line=$(grep -n 'mad.lo.u32 %r8' k.ptx | cut -d: -f1)
for chip in gfx90a gfx1030 gfx1100 gfx1200; do
	"$P2A" compile --target=$chip -o k.hsaco k.ptx
	expect "$chip: dis" 0 '' "$P2A" dis k.hsaco
	is "$chip: names the chip" "$(grep -c "amdgcn-amd-amdhsa--$chip" out)" 1
	is "$chip: names the kernels" "$(grep -cE '^(scale|types|by_value|wild|endless|neighbour|nothing):$' out)" 7
	is "$chip: shows PTX lines" "$(grep -cE "^	; .*k.ptx:$line\$" out | sed 's/^[1-9].*/some/')" some
	is "$chip: knows every instruction" "$(grep -c '\.long' out)" 0
	if command -v llvm-mc-19 >/dev/null && command -v llvm-objcopy-19 >/dev/null; then
		llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=$chip -filetype=obj out -o back.o 2>mc.err
		llvm-objcopy-19 -O binary --only-section=.text back.o back.text 2>>mc.err
		llvm-objcopy-19 -O binary --only-section=.text k.hsaco k.text
		is "$chip: assembles to the same bytes" "$(cmp back.text k.text 2>&1 && cat mc.err)" ''
	else
		echo "skip $chip: assembles to the same bytes: no llvm 19"
	fi
done
"$P2A" dis - <k.hsaco | cmp - out
is "dis reads standard input" "${PIPESTATUS[*]}" "0 0"
expect "PTX is no code object" 1 'not a 64-bit' "$P2A" dis k.ptx
expect "nor is the host's program" 1 'another machine' "$P2A" dis "$(command -v env)"
for n in 0 3 63 64 200 1000; do
	head -c $n k.hsaco >cut
	expect "cut after $n bytes" 1 . "$P2A" dis cut
done
if command -v clang-19 >/dev/null && command -v ld.lld-19 >/dev/null; then
	echo 'kernel void add(global int *p, int n) { int i = __builtin_amdgcn_workitem_id_x(); if (i < n) p[i] += n; }' >k.cl
	PATH=$PATH clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O2 -c k.cl -o clang.o 2>err &&
		ld.lld-19 -shared clang.o -o clang.hsaco 2>>err
	if [ -s clang.hsaco ]; then
		expect "another compiler's object" 0 '' "$P2A" dis clang.hsaco
		is "has its kernel" "$(grep -c '^add:$' out)" 1
		words 1 2 3 4 >in.bin
		expect "and runs" 0 '' "$P2A" run --device=emu --block=4 --arg=inout:in.bin:y --arg=s32:10 clang.hsaco add
		is "as it should" "$(hex y)" 0b0000000c0000000d0000000e000000
	else
		echo "skip another compiler's object: $(head -n 1 err)"
	fi
fi
exit $bad
