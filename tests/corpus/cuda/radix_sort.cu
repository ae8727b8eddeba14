// arch: sm_75
// One block sorts 1024 keys, four bits at a time: ranks by ballots, offsets by a scan of counts.
extern "C" __global__ __launch_bounds__(256) void radix_sort(const unsigned *in, unsigned *out)
{
	__shared__ unsigned keys[2][1024], counts[16][8], base[16];
	unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5, from = 0;

	for (int k = 0; k < 4; k++)
		keys[0][t + k * 256] = in[t + k * 256];
	__syncthreads();
	for (int shift = 0; shift < 32; shift += 4, from ^= 1) {
		unsigned before[16];

		for (int d = 0; d < 16; d++)
			before[d] = 0;
		if (t < 16)
			base[t] = 0;
		__syncthreads();
		for (int k = 0; k < 4; k++)
			atomicAdd(&base[keys[from][t + k * 256] >> shift & 15], 1u);
		__syncthreads();
		if (t == 0)
			for (unsigned d = 0, sum = 0; d < 16; d++) {
				unsigned n = base[d];
				base[d] = sum;
				sum += n;
			}
		for (int k = 0; k < 4; k++) {
			unsigned key = keys[from][t + k * 256], digit = key >> shift & 15, mine = 0;

			for (unsigned d = 0; d < 16; d++) {
				unsigned with = __ballot_sync(~0u, digit == d);
				if (lane == 0)
					counts[d][warp] = __popc(with);
				if (digit == d)
					mine = __popc(with & ((1u << lane) - 1));
			}
			__syncthreads();
			for (unsigned w = 0; w < warp; w++)
				mine += counts[digit][w];
			keys[from ^ 1][base[digit] + before[digit] + mine] = key;
			for (unsigned d = 0; d < 16; d++)
				for (unsigned w = 0; w < 8; w++)
					before[d] += counts[d][w];
			__syncthreads();
		}
	}
	for (int k = 0; k < 4; k++)
		out[t + k * 256] = keys[from][t + k * 256];
}
