// arch: sm_75
// 256-bit products and sums by carry chains, the way cryptographic code writes them; 128-bit integers of the compiler.
extern "C" __global__ void multiply(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a[8], b[8], r[16];

	if (i >= n)
		return;
	for (int k = 0; k < 8; k++)
		a[k] = in[i * 16 + k], b[k] = in[i * 16 + 8 + k], r[k] = r[k + 8] = 0;
#pragma unroll
	for (int k = 0; k < 8; k++) {
		asm("mad.lo.cc.u32 %0, %9, %10, %0;\n\tmadc.hi.cc.u32 %1, %9, %10, %1;\n\tmadc.lo.cc.u32 %2, %9, %12, %2;\n\t"
		    "madc.hi.cc.u32 %3, %9, %12, %3;\n\tmadc.lo.cc.u32 %4, %9, %14, %4;\n\tmadc.hi.cc.u32 %5, %9, %14, %5;\n\t"
		    "madc.lo.cc.u32 %6, %9, %16, %6;\n\tmadc.hi.cc.u32 %7, %9, %16, %7;\n\taddc.u32 %8, %8, 0;\n\t"
		    "mad.lo.cc.u32 %1, %9, %11, %1;\n\tmadc.hi.cc.u32 %2, %9, %11, %2;\n\tmadc.lo.cc.u32 %3, %9, %13, %3;\n\t"
		    "madc.hi.cc.u32 %4, %9, %13, %4;\n\tmadc.lo.cc.u32 %5, %9, %15, %5;\n\tmadc.hi.cc.u32 %6, %9, %15, %6;\n\t"
		    "madc.lo.cc.u32 %7, %9, %17, %7;\n\tmadc.hi.u32 %8, %9, %17, %8;"
		    : "+r"(r[k]), "+r"(r[k + 1]), "+r"(r[k + 2]), "+r"(r[k + 3]), "+r"(r[k + 4]), "+r"(r[k + 5]), "+r"(r[k + 6]),
		      "+r"(r[k + 7]), "+r"(r[k + 8])
		    : "r"(b[k]), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
	}
	for (int k = 0; k < 16; k++)
		out[i * 16 + k] = r[k];
}

extern "C" __global__ void wide(const unsigned long long *in, unsigned long long *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned __int128 a, b;

	if (i >= n)
		return;
	a = (unsigned __int128)in[i * 4] << 64 | in[i * 4 + 1];
	b = (unsigned __int128)in[i * 4 + 2] << 64 | in[i * 4 + 3];
	unsigned __int128 r = a * b + (a >> (in[i * 4] & 127)) - (b << (in[i * 4 + 1] & 63));
	out[i * 4] = (unsigned long long)(r >> 64);
	out[i * 4 + 1] = (unsigned long long)r;
	r = a / (b >> 40 | 1);
	out[i * 4 + 2] = (unsigned long long)(r >> 64);
	out[i * 4 + 3] = (unsigned long long)r;
}
