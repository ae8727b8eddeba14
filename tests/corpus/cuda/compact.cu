// arch: sm_75
// Numbers that are not zero, kept in order within a warp, warps by an atomic counter.
extern "C" __global__ void compact(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, at = 0;
	int v = i < n ? in[i] : 0;
	unsigned keep = __ballot_sync(~0u, v != 0);

	if (lane == 0 && keep)
		at = atomicAdd(out, __popc(keep));
	at = __shfl_sync(~0u, at, 0);
	if (v)
		out[1 + at + __popc(keep & ((1u << lane) - 1))] = v;
}
