// f16, f16x2, bf16 (sm_90 code).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f)
{
	h[0] = __hfma(h[1], h[2], h[3]) + __float2half_rz(f[0]);
	h2[0] = __hmul2(h2[1], h2[2]) + __hmin2(h2[3], h2[4]) + h2exp2(h2[5]);
	h[1] = __hlt(h[4], h[5]) ? hsqrt(h[6]) : __habs(h[7]);
	b[0] = __hadd(b[1], b[2]) * __float2bfloat16(f[1]);
	b2[0] = __hfma2_relu(b2[1], b2[2], b2[3]);
	f[2] = __half2float(h[8]) + __bfloat162float(b[3]) + __low2float(h2[6]);
	f[3] = __hbeq2(h2[7], h2[8]) + __half2int_rn(h[9]);
}
