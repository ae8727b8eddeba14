// arch: sm_75
// f64: polynomials, quotients, roots, all four roundings, conversions, classes of numbers.
extern "C" __global__ void doubles(const double *in, double *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double a, b, *o = out + i * 8;

	if (i >= n)
		return;
	a = in[i * 2], b = in[i * 2 + 1];
	o[0] = fma(fma(fma(a, 0.1, b), a, -3.0), b, 1.0 / 3.0);
	o[1] = a / b;
	o[2] = sqrt(fabs(a)) - floor(b) + rint(a * 0.5) + trunc(b * 4.0) + ceil(a);
	o[3] = __dadd_ru(a, b) - __dmul_rd(a, b) + __ddiv_rz(b, a);
	o[4] = fmin(a, b) + copysign(fmax(a, b), -a);
	o[5] = (double)((long long)a ^ (long long)(int)b) + (double)(unsigned long long)fabs(b);
	o[6] = (double)(float)a + ldexp(b, (int)a & 7) + (isnan(a - a) ? 1.0 : 2.0) + (signbit(b) ? 8.0 : 16.0);
	o[7] = remainder(a, 3.0) + fmod(b, 0.7);
}
