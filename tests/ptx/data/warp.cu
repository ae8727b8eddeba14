// Shuffles, votes, matches and lane masks.
__device__ unsigned lanemask()
{
	unsigned m;

	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
	return m;
}
__global__ void warp(int *p, unsigned *q)
{
	int x = p[threadIdx.x];

	for (int s = 16; s; s >>= 1)
		x += __shfl_xor_sync(~0u, x, s);
	x += __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2, 16) + __shfl_sync(~0u, x, 3);
	q[0] = __ballot_sync(~0u, x > 3) + __all_sync(~0u, x) + __any_sync(~0u, x == 2);
	q[1] = __activemask() & lanemask();
	q[2] = __match_any_sync(~0u, x);
	int all;
	q[3] = __match_all_sync(~0u, x, &all) + all;
	__syncwarp();
	p[threadIdx.x] = x + __popc(q[0]) + __clz(x) + __brev(q[1]) + __ffs(x) + clock() + (int)clock64();
}
