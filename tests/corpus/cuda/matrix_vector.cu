// arch: sm_75
// Rows of f16 times a vector of f32, templates over the width, restrict and read-only loads; a grid-stride loop.
#include <cuda_fp16.h>

template <int WIDTH> __device__ float row_product(const __half *__restrict__ row, const float *__restrict__ x, int n)
{
	float sum = 0;

	for (int k = threadIdx.x % WIDTH; k < n; k += WIDTH)
		sum += __half2float(row[k]) * x[k];
	for (int d = WIDTH / 2; d; d >>= 1)
		sum += __shfl_xor_sync(~0u, sum, d, WIDTH);
	return sum;
}

extern "C" __global__ void matrix_vector(const __half *__restrict__ in, float *__restrict__ out, int rows, int n)
{
	const float *x = (const float *)(in + rows * n);

	for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 16; r < (rows + 1) / 2 * 2; r += gridDim.x * blockDim.x / 16) {
		float s = row_product<16>(in + min(r, rows - 1) * n, x, n);
		if (threadIdx.x % 16 == 0 && r < rows)
			out[r] = s;
	}
}
