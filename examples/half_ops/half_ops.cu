/* Half precision as kernels have it: a x + y on pairs, the sum of a block by pairs and then in f32, and a clamped
 * conversion of floats to bf16.
 * Needs n pairs of halves (half_saxpy, half_sum; n may end within a warp), n floats (to_bf16).
 * Shows: fma.rn.f16x2, add.f16x2, max.f16x2, cvt.f32.f16, cvt.rn.bf16.f32, shfl of pairs. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_saxpy(__half a, const __half2 *__restrict__ x, __half2 *__restrict__ y, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}

/* The sum of what is positive, one float a block. */
extern "C" __global__ void half_sum(const __half2 *__restrict__ x, float *__restrict__ sums, unsigned n)
{
	__shared__ float part[32];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	__half2 zero = __float2half2_rn(0.0f), v = i < n ? __hmax2(x[i], zero) : zero;

	for (int off = 16; off; off >>= 1)
		v = __hadd2(v, __shfl_down_sync(0xffffffff, v, off));
	if (lane == 0)
		part[warp] = __low2float(v) + __high2float(v);
	__syncthreads();
	if (threadIdx.x == 0) {
		float s = 0;
		for (unsigned w = 0; w < blockDim.x >> 5; w++)
			s += part[w];
		sums[blockIdx.x] = s;
	}
}

/* Each float, at most `top`, as bf16. */
extern "C" __global__ void to_bf16(const float *__restrict__ x, __nv_bfloat16 *__restrict__ y, float top, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = __float2bfloat16(fminf(x[i], top));
}
