// f32 and f64 arithmetic, roundings, approximations, conversions.
__global__ void floats(float *f, double *d, int *i, long long *l)
{
	float x = f[0], y = f[1];
	double a = d[0], b = d[1];

	f[2] = __fadd_rz(x, y) + __fmul_ru(x, y) - __fmaf_rd(x, y, 2.0f) + x / y + __fdividef(x, y);
	f[3] = sqrtf(x) + rsqrtf(y) + __sinf(x) + __cosf(x) + __expf(y) + __logf(x) + exp2f(y) + tanhf(x);
	f[4] = fminf(x, y) + fmaxf(x, y) + fabsf(-x) + copysignf(x, y) + __saturatef(x);
	f[5] = sinf(x) + floorf(y) + rintf(x) + truncf(y) + ceilf(x) + fmodf(x, y);
	d[2] = a * b + a / b + sqrt(a) + fma(a, b, 1.0) + __dadd_rn(a, b) + floor(b) + exp(a);
	i[0] = (int)x + __float2int_rn(y) + (int)a + isnan(x) + isinf(a) + __float_as_int(x);
	l[0] = (long long)y + __double2ll_rz(b) + __double_as_longlong(a);
	f[6] = (float)i[1] + (float)(unsigned char)i[2] + (float)a + __ll2float_rn(l[1]);
	d[3] = (double)x + (double)l[2] + (x < y) + (a >= b) + (x != y);
}
