// arch: sm_75
// 64-bit atomics in memory and in shared memory: sums, extremes, bits, exchange, and a maximum of doubles by compare-and-swap.
typedef unsigned long long u64;

__device__ void most(double *at, double v)
{
	u64 *p = (u64 *)at, old = *p, seen;

	do {
		seen = old;
		if (__longlong_as_double((long long)seen) >= v)
			return;
		old = atomicCAS(p, seen, (u64)__double_as_longlong(v));
	} while (old != seen);
}

extern "C" __global__ void atomics64(const u64 *in, u64 *out, int n)
{
	__shared__ u64 sum, high, bits;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		sum = high = bits = 0;
	__syncthreads();
	if (i < n) {
		atomicAdd(&sum, in[i]);
		atomicMax(&high, in[i]);
		atomicOr(&bits, 1ull << (in[i] & 63));
		atomicMin((long long *)&out[3], (long long)in[i]);
		atomicXor(&out[4], in[i]);
		most((double *)&out[5], (double)(in[i] >> 20));
		atomicAdd((double *)&out[6], (double)(in[i] & 0xffff));
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(&out[0], sum);
		atomicMax(&out[1], high);
		atomicOr(&out[2], bits);
	}
}
