/* Floats taken apart and put together again: each mantissa gets the exponent of another number.
 * Needs n mantissas and n exponents; leaves n floats, or n doubles.
 * Shows: exponent insertion bfi.b32 23,8 and bfi.b64 52,11, bfe.u64, .b64 fields across halves. */
#include "../ptx_ops.cuh"

extern "C" __global__ void float_scale(const u32 *__restrict__ mantissa,
				       const u32 *__restrict__ exponent, u32 *__restrict__ scaled,
				       u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		scaled[i] = bfi32_at<23, 8>(bfe32_at<23, 8>(exponent[i]), mantissa[i]);
}

/* The mantissa keeps its top 16 bits from the exponent's owner: a field across the halves. */
extern "C" __global__ void double_scale(const u64 *__restrict__ mantissa,
					const u64 *__restrict__ exponent, u64 *__restrict__ scaled,
					u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u64 owner = exponent[i];
	u64 word = bfi64_at<52, 11>(bfe64_at<52, 11>(owner), mantissa[i]);
	scaled[i] = bfi64_at<24, 16>(bfe64_at<36, 16>(owner), word);
}
