// arch: sm_89
// Inclusive sums of 64-bit numbers over a block: within warps by shuffles, over warps by one more.
extern "C" __global__ __launch_bounds__(512) void scan_shfl(const unsigned long long *in, unsigned long long *out, int n)
{
	__shared__ unsigned long long total[16];
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	unsigned long long v = i < n ? in[i] : 0;

	for (int d = 1; d < 32; d *= 2) {
		unsigned long long other = __shfl_up_sync(~0u, v, d);
		if (lane >= d)
			v += other;
	}
	if (lane == 31)
		total[warp] = v;
	__syncthreads();
	if (warp == 0) {
		unsigned long long t = lane < blockDim.x / 32 ? total[lane] : 0;

		for (int d = 1; d < 16; d *= 2) {
			unsigned long long other = __shfl_up_sync(~0u, t, d, 16);
			if ((lane & 15) >= d)
				t += other;
		}
		if (lane < 16)
			total[lane] = t;
	}
	__syncthreads();
	if (i < n)
		out[i] = v + (warp ? total[warp - 1] : 0);
}
