// arch: sm_75
// Sums of blocks in memory; the block that counts last adds them up. Volatile, fences, a counter that wraps.
__device__ unsigned arrived;

extern "C" __global__ void last_block(const unsigned *in, volatile unsigned *out, int n)
{
	__shared__ volatile unsigned part[128];
	__shared__ bool last;
	unsigned t = threadIdx.x, sum = 0;

	for (unsigned i = blockIdx.x * 128 + t; i < (unsigned)n; i += gridDim.x * 128)
		sum += in[i];
	part[t] = sum;
	__syncthreads();
	for (unsigned d = 64; d; d >>= 1) {
		if (t < d)
			part[t] = part[t] + part[t + d];
		__syncthreads();
	}
	if (t == 0) {
		out[1 + blockIdx.x] = part[0];
		__threadfence();
		last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && t == 0) {
		unsigned all = 0;

		for (unsigned b = 0; b < gridDim.x; b++)
			all += out[1 + b];
		out[0] = all;
	}
}
