// A matrix transposed through a tile of shared memory, 32 x 32 by 32 x 8 threads.
#include "shim.h"

extern "C" __global__ void transpose(const float *__restrict__ in, float *__restrict__ out, unsigned int width,
				     unsigned int height)
{
	__shared__ float tile[32][33];
	unsigned int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (unsigned int j = 0; j < 32; j += 8)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (unsigned int j = 0; j < 32; j += 8)
		if (x < height && y + j < width)
			out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
