// Each block sorts 512 keys in shared memory by a bitonic network, two keys a thread.
#include "shim.h"

extern "C" __global__ void bitonic(unsigned int *keys)
{
	__shared__ unsigned int s[512];
	unsigned int t = threadIdx.x, base = blockIdx.x * 512;

	s[t] = keys[base + t];
	s[t + 256] = keys[base + t + 256];
	for (unsigned int size = 2; size <= 512; size <<= 1)
		for (unsigned int stride = size >> 1; stride; stride >>= 1) {
			unsigned int at = 2 * t - (t & (stride - 1));
			bool up = (t & (size >> 1)) == 0;
			__syncthreads();
			unsigned int a = s[at], b = s[at + stride];
			if ((a > b) == up) {
				s[at] = b;
				s[at + stride] = a;
			}
		}
	__syncthreads();
	keys[base + t] = s[t];
	keys[base + t + 256] = s[t + 256];
}
