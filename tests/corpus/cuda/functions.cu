// arch: sm_75
// CUDA's functions of f32 and f64 as the library writes them: exp, log, sin of any size, pow, erf, tgamma ...
extern "C" __global__ void functions(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x, y, *o = out + i * 14;

	if (i >= n)
		return;
	x = in[i * 2], y = in[i * 2 + 1];
	o[0] = expf(x);
	o[1] = logf(fabsf(x) + 0.5f);
	o[2] = sinf(x * 1e6f);
	o[3] = cosf(y);
	o[4] = tanf(x);
	o[5] = powf(fabsf(x) + 0.1f, y);
	o[6] = atan2f(x, y);
	o[7] = erff(x);
	o[8] = tanhf(y);
	o[9] = cbrtf(x);
	o[10] = hypotf(x, y);
	o[11] = log1pf(fabsf(y)) + expm1f(x * 0.1f);
	o[12] = lgammaf(fabsf(x) + 1.0f);
	o[13] = asinf(fminf(fabsf(y), 1.0f)) + fmodf(x, 0.3f) + roundf(y) + rintf(x) + nearbyintf(y);
}

extern "C" __global__ void functions64(const double *in, double *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double x, y, *o = out + i * 6;

	if (i >= n)
		return;
	x = in[i * 2], y = in[i * 2 + 1];
	o[0] = exp(x);
	o[1] = log(fabs(x) + 0.5);
	o[2] = sin(x * 1e9);
	o[3] = pow(fabs(x) + 0.1, y);
	o[4] = atan(y);
	o[5] = erf(x) + tanh(y);
}
