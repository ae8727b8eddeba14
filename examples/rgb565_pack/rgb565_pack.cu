/* A picture of 8-8-8 pixels becomes 5-6-5: red in the top five bits, then green, then blue.
 * Needs a picture smaller than the grid in both directions; leaves the padding of each line alone.
 * Shows: bfi.b32 5,6 and 11,5, a two-dimensional grid, a struct passed by value. */
#include "../ptx_ops.cuh"

struct Picture {
	u32 width, height; /* pixels */
	u32 pitch_in;      /* words from one line of the source to the next */
	u32 pitch_out;     /* half-words from one line of the result to the next */
};

extern "C" __global__ void rgb565_pack(const u32 *__restrict__ rgb, u16 *__restrict__ packed,
				       Picture picture)
{
	u32 x = blockIdx.x * blockDim.x + threadIdx.x;
	u32 y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= picture.width || y >= picture.height)
		return;
	u32 pixel = rgb[y * picture.pitch_in + x];
	u32 red = bfe32_at<3, 5>(pixel);
	u32 green = bfe32_at<10, 6>(pixel);
	u32 blue = bfe32_at<19, 5>(pixel);
	u32 p565 = bfi32_at<11, 5>(red, bfi32_at<5, 6>(green, blue));
	packed[y * picture.pitch_out + x] = (u16)p565;
}
