// arch: sm_75
// Bytes and halves in words: CUDA's SIMD functions, and video instructions by hand.
extern "C" __global__ void simd(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a, b, c, d, *o = out + i * 16;

	if (i >= n)
		return;
	a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
	o[0] = __vadd4(a, b);
	o[1] = __vsub2(a, b);
	o[2] = __vabsdiffs4(a, b);
	o[3] = __vavgu4(a, b);
	o[4] = __vmaxs2(a, b);
	o[5] = __vminu4(a, b);
	o[6] = __vcmpgts4(a, b);
	o[7] = __vsadu4(a, b);
	o[8] = __vaddss2(a, b);
	o[9] = __vsubus4(a, b);
	asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[10] = d;
	asm("vadd.u32.u32.s32.sat %0, %1.b2, %2.h1;" : "=r"(d) : "r"(a), "r"(b));
	o[11] = d;
	asm("vmad.s32.s32.s32.shr7 %0, %1.h0, %2.b3, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[12] = d;
	asm("vset4.u32.u32.lt.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[13] = d;
	asm("vmax2.s32.s32.s32 %0, %1.h01, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	o[14] = d;
	o[15] = __vabsdiffu2(a, b) + __vhaddu4(a, b);
}
