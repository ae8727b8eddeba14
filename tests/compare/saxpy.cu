// y = a*x + y, a grid-stride loop.
#include "shim.h"

extern "C" __global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, float a, unsigned int n)
{
	for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = __fmaf_rn(a, x[i], y[i]);
}
