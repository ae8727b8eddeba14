// Iterations until a point leaves the circle, packed as grey RGBA.
#include "shim.h"

extern "C" __global__ void mandelbrot(unsigned int *__restrict__ image, unsigned int width, float x0, float y0, float step)
{
	unsigned int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
	float cx = __fmaf_rn((float)px, step, x0), cy = __fmaf_rn((float)py, step, y0);
	float x = 0, y = 0;
	unsigned int n = 0;

	for (; n < 255; n++) {
		float xx = x * x, yy = y * y;
		if (xx + yy > 4.0f)
			break;
		y = __fmaf_rn(2.0f * x, y, cy);
		x = xx - yy + cx;
	}
	image[py * width + px] = n | n << 8 | n << 16 | 0xff000000u;
}
