/* Four byte planes become one word a pixel: the packing chain bfi.b32 8,8 16,8 24,8.
 * Needs n bytes in each plane; leaves n words, the rest of pixels as it was.
 * Shows: bfi with both numbers literal, .u8 loads, a bounds check. */
#include "../ptx_ops.cuh"

extern "C" __global__ void rgba_pack(const u8 *__restrict__ r, const u8 *__restrict__ g,
				     const u8 *__restrict__ b, const u8 *__restrict__ a,
				     u32 *__restrict__ pixels, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 pixel = r[i];
	pixel = bfi32_at<8, 8>(g[i], pixel);
	pixel = bfi32_at<16, 8>(b[i], pixel);
	pixel = bfi32_at<24, 8>(a[i], pixel);
	pixels[i] = pixel;
}
