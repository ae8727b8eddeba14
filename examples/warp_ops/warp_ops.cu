/* What lanes of a warp do for each other: sums, prefix sums, compaction, counting of equal keys, sorting, votes of a block.
 * Needs blocks of whole warps; leaves results for every lane of the grid.
 * Shows: shfl.sync down, up, bfly; vote.sync.ballot; match.any.sync; bar.red; barriers between warps. */
#include "../ptx_ops.cuh"

enum { ALL = 0xffffffff };

static __device__ __forceinline__ u32 lane_of(void)
{
	return threadIdx.x & 31;
}

extern "C" __global__ void block_sum(const u32 *__restrict__ in, u32 *__restrict__ out, u32 n)
{
	__shared__ u32 part[32];
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x >> 5;
	u32 v = i < n ? in[i] : 0;
	for (u32 d = 16; d; d >>= 1)
		v += __shfl_down_sync(ALL, v, d);
	if (lane_of() == 0)
		part[warp] = v;
	__syncthreads();
	if (warp)
		return;
	v = lane_of() < blockDim.x / 32 ? part[lane_of()] : 0;
	for (u32 d = 16; d; d >>= 1)
		v += __shfl_xor_sync(ALL, v, d);
	if (lane_of() == 0)
		out[blockIdx.x] = v;
}

static __device__ __forceinline__ u32 warp_scan(u32 v)
{
	for (u32 d = 1; d < 32; d *= 2) {
		u32 w = __shfl_up_sync(ALL, v, d);
		if (lane_of() >= d)
			v += w;
	}
	return v;
}

/* Each block's inclusive prefix sums. */
extern "C" __global__ void block_scan(const u32 *__restrict__ in, u32 *__restrict__ out, u32 n)
{
	__shared__ u32 total[32];
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x >> 5;
	u32 v = warp_scan(i < n ? in[i] : 0);
	if (lane_of() == 31)
		total[warp] = v;
	__syncthreads();
	if (warp == 0)
		total[lane_of()] = warp_scan(lane_of() < blockDim.x / 32 ? total[lane_of()] : 0);
	__syncthreads();
	out[i] = warp ? v + total[warp - 1] : v;
}

/* Even numbers move to the front of each block's part, in order. */
extern "C" __global__ void compact(const u32 *__restrict__ in, u32 *__restrict__ out, u32 *__restrict__ count, u32 n)
{
	__shared__ u32 kept[32];
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x >> 5, at = blockIdx.x * blockDim.x;
	bool keep = i < n && in[i] % 2 == 0;
	u32 lanes = __ballot_sync(ALL, keep);
	if (lane_of() == 0)
		kept[warp] = __popc(lanes);
	u32 all = __syncthreads_count(keep);
	for (u32 w = 0; w < warp; w++)
		at += kept[w];
	if (keep)
		out[at + __popc(lanes & ((1u << lane_of()) - 1))] = in[i];
	if (threadIdx.x == 0)
		count[blockIdx.x] = all;
}

/* One addition for all lanes of a warp that hold the same key. */
extern "C" __global__ void count_keys(const u32 *__restrict__ in, u32 *__restrict__ counts, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, here = __ballot_sync(ALL, i < n);
	if (i >= n)
		return;
	u32 same = __match_any_sync(here, in[i] % 50);
	if ((same & ((1u << lane_of()) - 1)) == 0)
		atomicAdd(&counts[in[i] % 50], __popc(same));
}

/* Each warp's 32 numbers in ascending order: a bitonic network. */
extern "C" __global__ void sort_warps(const u32 *__restrict__ in, u32 *__restrict__ out, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : ALL;
#pragma unroll
	for (u32 size = 2; size <= 32; size *= 2)
#pragma unroll
		for (u32 step = size / 2; step; step /= 2) {
			u32 w = __shfl_xor_sync(ALL, v, step);
			bool low = ((lane_of() & step) == 0) == ((lane_of() & size) == 0);
			v = low == (w < v) ? w : v;
		}
	out[i] = v;
}

/* Rounds until no lane of the block changes: every number falls to the least in its block, one place a round. */
extern "C" __global__ void spread_least(const u32 *__restrict__ in, u32 *__restrict__ out, u32 *__restrict__ rounds, u32 n)
{
	__shared__ u32 v[256];
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, turns = 0;
	v[t] = i < n ? in[i] : ALL;
	__syncthreads();
	for (;;) {
		u32 left = v[t ? t - 1 : 0], right = v[t + 1 < blockDim.x ? t + 1 : t], mine = v[t];
		u32 least = left < right ? left : right;
		int changes = least < mine;
		if (!__syncthreads_or(changes))
			break;
		if (changes)
			v[t] = least;
		turns++;
		__syncthreads();
	}
	out[i] = v[t];
	if (t == 0)
		rounds[blockIdx.x] = turns;
}
