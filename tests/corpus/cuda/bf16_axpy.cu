// arch: sm_90
// bf16: a x + y on pairs, sums in f32, minimum and comparison.
#include <cuda_bf16.h>

extern "C" __global__ void bf16_axpy(const __nv_bfloat162 *in, __nv_bfloat162 *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	__nv_bfloat162 x, y;

	if (i >= n)
		return;
	x = in[i * 2], y = in[i * 2 + 1];
	out[i * 3] = __hfma2(__float2bfloat162_rn(1.5f), x, y);
	out[i * 3 + 1] = __hmin2(x, __hmul2(x, y));
	out[i * 3 + 2] = __floats2bfloat162_rn(__low2float(x) / 3.0f, __hlt(x.y, y.y) ? __high2float(y) : 1.0f);
}
