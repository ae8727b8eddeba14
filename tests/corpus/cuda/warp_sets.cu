// arch: sm_80
// Lanes that hold the same key find each other; sums over a warp in one instruction; a lock that lanes take in turn.
__device__ int lock;

extern "C" __global__ void warp_sets(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, all;
	unsigned v = i < n ? in[i] : 0, same = __match_any_sync(~0u, v % 6), *o = out + i * 6;

	o[0] = same;
	o[1] = __match_all_sync(~0u, v >> 31, &all);
	o[1] += (unsigned)all;
	o[2] = __reduce_add_sync(~0u, v) ^ __reduce_max_sync(~0u, v) ^ __reduce_xor_sync(~0u, v);
	o[3] = __reduce_min_sync(same, v);
	o[4] = __fns(same, 0, 2) + __activemask();
	__syncwarp();
	for (int turn = 0; turn < 32; turn++) {
		if (turn == (int)(threadIdx.x & 31)) {
			while (atomicCAS(&lock, 0, 1))
				__nanosleep(50);
			out[gridDim.x * blockDim.x * 6] += v;
			__threadfence();
			atomicExch(&lock, 0);
		}
		__syncwarp();
	}
	o[5] = v;
}
