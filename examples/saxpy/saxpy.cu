/* y = a x + y: with 16-bit samples two a word (saxpy_mix), and a polynomial in doubles (poly64).
 * Needs n pairs of samples or n doubles; leaves n words of mixed samples, or n fixed-point numbers.
 * Shows: cvt both ways with rounding, fma in f32 and f64, min and max to clamp, bfi.b32 16,16. */
#include "../ptx_ops.cuh"

static __device__ __forceinline__ u32 mix(float gain, float offset, s32 x, s32 y)
{
	float sum = __fmaf_rn(gain, (float)x, (float)y) - offset;
	s32 sample = float_to_s32_nearest(sum);
	sample = sample > 32767 ? 32767 : sample;
	sample = sample < -32768 ? -32768 : sample;
	return (u32)sample;
}

extern "C" __global__ void saxpy_mix(float gain, float offset, const s32 *__restrict__ x,
				     s32 *__restrict__ y, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	s32 xx = x[i], yy = y[i];
	u32 low = mix(gain, offset, bfe32s_at<0, 16>(xx), bfe32s_at<0, 16>(yy));
	u32 high = mix(gain, offset, xx >> 16, yy >> 16);
	y[i] = (s32)bfi32_at<16, 16>(high, low);
}

/* Cubic c0 + .. + c3 x^3 as 32.32 fixed point, rounded down; and what a float would lose of it. */
extern "C" __global__ void poly64(const double *__restrict__ x, double c0, double c1, double c2,
				  double c3, s64 *__restrict__ fixed, float *__restrict__ error,
				  u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double v = x[i];
	double p = __fma_rn(__fma_rn(__fma_rn(c3, v, c2), v, c1), v, c0);
	fixed[i] = double_to_s64_floor(p * 4294967296.0);
	error[i] = (float)(p - (double)(float)p);
}
