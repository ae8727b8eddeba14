// arch: sm_80
// A row of halves a warp: exp(x - max) / sum, in f32, two numbers a lane and step.
#include <cuda_fp16.h>

extern "C" __global__ void softmax_half(const __half2 *in, __half2 *out, int pairs)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
	const __half2 *x = in + row * pairs;
	float most = -INFINITY, sum = 0;

	for (int k = lane; k < pairs; k += 32) {
		float2 f = __half22float2(x[k]);
		most = fmaxf(most, fmaxf(f.x, f.y));
	}
	for (int d = 16; d; d >>= 1)
		most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
	for (int k = lane; k < pairs; k += 32) {
		float2 f = __half22float2(x[k]);
		sum += __expf(f.x - most) + __expf(f.y - most);
	}
	for (int d = 16; d; d >>= 1)
		sum += __shfl_xor_sync(~0u, sum, d);
	for (int k = lane; k < pairs; k += 32) {
		float2 f = __half22float2(x[k]);
		out[row * pairs + k] = __floats2half2_rn(__expf(f.x - most) / sum, __expf(f.y - most) / sum);
	}
}

extern "C" __global__ void relu_half(const __half *in, __half *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = __hmul(__hmax(in[i], __float2half(0.0f)), __hadd(in[i], __float2half(2.0f)));
}
