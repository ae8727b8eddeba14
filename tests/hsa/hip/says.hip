/* Kernels for faulty.c that use HIP's own printf and assert: through a thread of libamdhip64, which serves the device. */
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>

extern "C" __global__ void greet(const void *, void *, unsigned n, unsigned add)
{
	printf("lane %u of %s, %.2f\n", (unsigned)threadIdx.x, n + add == 2 ? "two" : "?", threadIdx.x * 0.25);
}

extern "C" __global__ void insist(const void *, void *, unsigned n, unsigned)
{
	assert(threadIdx.x < n);
}
