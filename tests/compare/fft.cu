// A radix-2 Stockham FFT of 512 points a block in shared memory, twiddles from a table.
#include "shim.h"

extern "C" __global__ void fft(float2 *data, const float2 *__restrict__ twiddle)
{
	__shared__ float2 s[2][512];
	unsigned int t = threadIdx.x, from = 0;
	float2 *block = data + blockIdx.x * 512;

	s[0][t] = block[t];
	s[0][t + 256] = block[t + 256];
	for (unsigned int half = 1; half < 512; half <<= 1) {
		__syncthreads();
		unsigned int k = t & (half - 1);
		float2 a = s[from][t], b = s[from][t + 256], w = twiddle[k * (256 / half)];
		float re = __fmaf_rn(b.x, w.x, -(b.y * w.y)), im = __fmaf_rn(b.x, w.y, b.y * w.x);
		unsigned int at = 2 * t - k;
		s[from ^ 1][at] = make_float2(a.x + re, a.y + im);
		s[from ^ 1][at + half] = make_float2(a.x - re, a.y - im);
		from ^= 1;
	}
	__syncthreads();
	block[t] = s[from][t];
	block[t + 256] = s[from][t + 256];
}
