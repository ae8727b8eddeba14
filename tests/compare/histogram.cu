// A histogram of bytes: one of 256 counters a block in shared memory, then added to the global one.
#include "shim.h"

extern "C" __global__ void histogram(const unsigned int *__restrict__ words, unsigned int *bins, unsigned int n)
{
	__shared__ unsigned int part[256];

	part[threadIdx.x] = 0;
	__syncthreads();
	for (unsigned int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
		unsigned int w = words[i];
		atomicAdd(&part[w & 255], 1);
		atomicAdd(&part[w >> 8 & 255], 1);
		atomicAdd(&part[w >> 16 & 255], 1);
		atomicAdd(&part[w >> 24], 1);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
