// C = A*B, tiles of 16 x 16 in shared memory; sizes are multiples of 16.
#include "shim.h"

extern "C" __global__ void sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
				 unsigned int n)
{
	__shared__ float ta[16][16], tb[16][16];
	unsigned int tx = threadIdx.x, ty = threadIdx.y;
	unsigned int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
	float sum = 0;

	for (unsigned int k = 0; k < n; k += 16) {
		ta[ty][tx] = a[row * n + k + tx];
		tb[ty][tx] = b[(k + ty) * n + col];
		__syncthreads();
#pragma unroll
		for (unsigned int i = 0; i < 16; i++)
			sum = __fmaf_rn(ta[ty][i], tb[i][tx], sum);
		__syncthreads();
	}
	c[row * n + col] = sum;
}
