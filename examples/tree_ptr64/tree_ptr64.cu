/* A binary radix tree over sorted keys; each inner node is one 64-bit word with both children.
 * Needs n sorted keys, n at least 2; leaves n - 1 nodes: left child low, right child high.
 * Shows: bfi.b64 32,32, clz.b64, loops of differing length. (Karras, HPG 2012, section 3.) */
#include "../ptx_ops.cuh"

#define LEAF 0x80000000u

/* How many leading bits keys i and j share, -1 outside the list; equal keys differ by index. */
static __device__ s32 shared_bits(const u32 *__restrict__ keys, s32 n, s32 i, s32 j)
{
	if (j < 0 || j >= n)
		return -1;
	u64 a = bfi64_at<32, 32>(keys[i], (u32)i);
	u64 b = bfi64_at<32, 32>(keys[j], (u32)j);
	return (s32)clz64(a ^ b);
}

extern "C" __global__ void tree_ptr64(const u32 *__restrict__ keys, u64 *__restrict__ nodes, s32 n)
{
	s32 i = (s32)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= n - 1)
		return;
	s32 d = shared_bits(keys, n, i, i + 1) > shared_bits(keys, n, i, i - 1) ? 1 : -1;
	s32 outside = shared_bits(keys, n, i, i - d);
	s32 limit = 2;
	while (shared_bits(keys, n, i, i + limit * d) > outside)
		limit *= 2;
	s32 length = 0;
	for (s32 step = limit / 2; step >= 1; step /= 2)
		if (shared_bits(keys, n, i, i + (length + step) * d) > outside)
			length += step;
	s32 j = i + length * d;
	s32 inside = shared_bits(keys, n, i, j);
	s32 split = 0;
	s32 step = length;
	do {
		step = (step + 1) / 2;
		if (shared_bits(keys, n, i, i + (split + step) * d) > inside)
			split += step;
	} while (step > 1);
	s32 left = i + split * d + (d < 0 ? -1 : 0);
	u32 left_link = (u32)left | ((i < j ? i : j) == left ? LEAF : 0);
	u32 right_link = (u32)(left + 1) | ((i < j ? j : i) == left + 1 ? LEAF : 0);
	nodes[i] = bfi64_at<32, 32>(right_link, left_link);
}
