// Inclusive prefix sums of each block of 256: shuffles within a warp, then the warps' sums.
#include "shim.h"

static __device__ unsigned int warp_scan(unsigned int v, unsigned int lane)
{
	for (unsigned int by = 1; by < 32; by <<= 1) {
		unsigned int other = __shfl_up_sync(~0u, v, by);
		if (lane >= by)
			v += other;
	}
	return v;
}

extern "C" __global__ void scan(const unsigned int *__restrict__ x, unsigned int *__restrict__ y)
{
	__shared__ unsigned int total[8];
	unsigned int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	unsigned int v = warp_scan(x[i], lane);

	if (lane == 31)
		total[warp] = v;
	__syncthreads();
	if (warp == 0 && lane < 8)
		total[lane] = warp_scan(total[lane], lane);
	__syncthreads();
	y[i] = warp ? v + total[warp - 1] : v;
}
