/* The inner loop of a radix sort: take a digit out, pack it, put its bucket number in its place.
 * Needs keys in groups of four; leaves the packed digits of each group and the keys rewritten.
 * Shows: bfi.b32 and bfe.u32 with position and length in registers, once uniform, once per lane. */
#include "../ptx_ops.cuh"

__device__ u32 bucket_of[16] = { 7, 0, 11, 4, 15, 2, 9, 13, 1, 14, 6, 3, 10, 5, 12, 8 };

/* bits: 1 to 4. The last pass takes what is left of the key, so there pos + len is 32. */
extern "C" __global__ void radix_digit(u32 *__restrict__ keys, u32 *__restrict__ digits, u32 bits,
				       u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 packed = 0;
	for (u32 k = 0; k < 4; k++) {
		u32 key = keys[4 * i + k];
		for (u32 begin = 0; begin < 32; begin += bits) {
			u32 len = bits < 32 - begin ? bits : 32 - begin;
			u32 digit = bfe32(key, begin, len);
			packed = bfi32(digit, packed, k * bits + begin, len);
			key = bfi32(bucket_of[digit], key, begin, len);
		}
		keys[4 * i + k] = key;
	}
	digits[i] = packed;
}

/* Each lane brings its own field: any position and any length that a byte can hold. */
extern "C" __global__ void radix_digit_lanes(const u32 *__restrict__ source,
					     u32 *__restrict__ keys, const u8 *__restrict__ pos,
					     const u8 *__restrict__ len, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		keys[i] = bfi32(source[i], keys[i], pos[i], len[i]);
}
