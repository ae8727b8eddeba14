// arch: sm_75
// printf and assert: what a lane says, and one that fails.
#include <stdio.h>
#include <assert.h>

extern "C" __global__ void say(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	out[i] = in[i] % 3 ? printf("lane %d has %d, %s\n", i, in[i], in[i] & 1 ? "odd" : "even") :
		printf("a %c, %5.2f %llx %%\n", 'x' + i % 3, in[i] * 0.25, (unsigned long long)in[i] << 33);
}

extern "C" __global__ void check(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	assert(i < n && in[i] >= 0);
	out[i] = in[i] * 2;
}
