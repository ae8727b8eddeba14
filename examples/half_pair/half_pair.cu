/* Pairs of floats become pairs of IEEE half floats, converted with integers alone.
 * Needs 2n floats as bits; leaves n words, the first of a pair in the low half.
 * Shows: bfi.b32 16,16 and 15,1, bfe at a variable length, branches that split the warp. */
#include "../ptx_ops.cuh"

/* q with the bits below it that were cut off: to nearest, a tie to even. */
static __device__ u32 round_even(u32 q, u32 rest, u32 tie)
{
	return q + (rest > tie || (rest == tie && (q & 1)));
}

static __device__ u32 half_of(u32 bits)
{
	u32 a = bits & 0x7fffffff;
	u32 h;
	if (a > 0x7f800000) {
		h = 0x7e00; /* a NaN */
	} else if (a >= 0x477ff000) {
		h = 0x7c00; /* 65520 and up round to infinity */
	} else if (a >= 0x38800000) {
		h = round_even((a - 0x38000000) >> 13, bfe32(a, 0, 13), 1u << 12);
	} else if (a >= 0x33000000) {
		u32 cut = 126 - (a >> 23); /* 14 to 24: a half has steps of 2^-24 down here */
		u32 m = bfi32_at<23, 9>(1, a);
		h = round_even(m >> cut, bfe32(m, 0, cut), 1u << (cut - 1));
	} else {
		h = 0; /* below half of the smallest step */
	}
	return bfi32_at<15, 1>(bits >> 31, h);
}

extern "C" __global__ void half_pair(const uint2 *__restrict__ pairs, u32 *__restrict__ packed,
				     u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uint2 pair = pairs[i];
	packed[i] = bfi32_at<16, 16>(half_of(pair.y), half_of(pair.x));
}
