/* Morton (Z-order) codes: the bits of two or three coordinates interleaved.
 * Needs coordinates of 16 bits (morton2) or 21 bits (morton3); leaves one code a point.
 * Shows: bfi.b32 P,1 at every position, bfi.b64 at a position that counts up, bfi.b64 1,63. */
#include "../ptx_ops.cuh"

template <u32 bit> struct Interleave {
	static __device__ __forceinline__ u32 of(u32 x, u32 y)
	{
		u32 low = Interleave<bit - 1>::of(x, y);
		low = bfi32_at<2 * bit, 1>(x >> bit, low);
		return bfi32_at<2 * bit + 1, 1>(y >> bit, low);
	}
};

template <> struct Interleave<0> {
	static __device__ __forceinline__ u32 of(u32 x, u32 y)
	{
		return bfi32_at<1, 1>(y, x & 1);
	}
};

extern "C" __global__ void morton2(const u16 *__restrict__ x, const u16 *__restrict__ y,
				   u32 *__restrict__ code, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		code[i] = Interleave<15>::of(x[i], y[i]);
}

/* Bit 0 of the key says whether the point is a leaf; the code stands above it. */
extern "C" __global__ void morton3(const u32 *__restrict__ x, const u32 *__restrict__ y,
				   const u32 *__restrict__ z, const u8 *__restrict__ leaf,
				   u64 *__restrict__ key, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u64 code = 0;
#pragma unroll 1
	for (u32 bit = 0; bit < 21; bit++) {
		code = bfi64_len<1>(x[i] >> bit, code, 3 * bit);
		code = bfi64_len<1>(y[i] >> bit, code, 3 * bit + 1);
		code = bfi64_len<1>(z[i] >> bit, code, 3 * bit + 2);
	}
	key[i] = code << 1 | (leaf[i] & 1);
}
