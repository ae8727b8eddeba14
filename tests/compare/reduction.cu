// The sum of an array: each thread a stride, a warp by shuffles, a block through shared memory, one atomic a block.
#include "shim.h"

static __device__ unsigned int warp_sum(unsigned int v)
{
	for (unsigned int by = 16; by; by >>= 1)
		v += __shfl_down_sync(~0u, v, by);
	return v;
}

extern "C" __global__ void reduction(const unsigned int *__restrict__ x, unsigned int *sum, unsigned int n)
{
	__shared__ unsigned int part[32];
	unsigned int v = 0;

	for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		v += x[i];
	v = warp_sum(v);
	if ((threadIdx.x & 31) == 0)
		part[threadIdx.x >> 5] = v;
	__syncthreads();
	if (threadIdx.x >= 32)
		return;
	v = threadIdx.x < blockDim.x >> 5 ? part[threadIdx.x] : 0;
	v = warp_sum(v);
	if (threadIdx.x == 0)
		atomicAdd(sum, v);
}
