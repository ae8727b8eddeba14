/* Shuffles, votes and ballots over waves of 32 or 64 lanes. */
#include "check.h"

enum { OUTS = 8, THREADS = 192 };

__global__ void ops(const uint32_t *in, unsigned long long *out)
{
	uint32_t t = threadIdx.x, v = in[t], sum = v;
	for (int d = warpSize / 2; d; d /= 2)
		sum += __shfl_xor(sum, d);
	unsigned long long *o = out + t * OUTS;
	o[0] = sum;
	o[1] = __shfl(v, 5);
	o[2] = __shfl_up(v, 3);
	o[3] = __shfl_down(v, 2, 16);
	o[4] = __ballot(v & 1);
	o[5] = (unsigned)__any(v % 50 == 0) | (unsigned)__all(v < 1000000) << 1;
	o[6] = t % 3 ? __popcll(__ballot(v & 2)) : 1000;
	o[7] = __lane_id();
}

int main()
{
	hipDeviceProp_t p;
	CALL(hipGetDeviceProperties(&p, 0));
	const uint32_t w = p.warpSize;
	std::vector<uint32_t> v(THREADS);
	for (uint32_t i = 0; i < THREADS; i++)
		v[i] = mix(i) % 1000;
	uint32_t *in = on_device(v.data(), THREADS);
	unsigned long long *out = zeroed<unsigned long long>(THREADS * OUTS);
	ops<<<1, THREADS>>>(in, out);
	FINISH();
	std::vector<unsigned long long> got = on_host(out, THREADS * OUTS);
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t first = t / w * w, lane = t - first, sum = 0, any = 0, some = 0;
		unsigned long long ballot = 0, *o = &got[t * OUTS];
		for (uint32_t k = first; k < first + w; k++) {
			sum += v[k];
			ballot |= (unsigned long long)(v[k] & 1) << (k - first);
			any |= v[k] % 50 == 0;
			some += k % 3 && v[k] & 2;
		}
		FACT(o[0] == sum);
		FACT(o[1] == v[first + 5]);
		FACT(o[2] == v[lane >= 3 ? t - 3 : t]);
		FACT(o[3] == v[lane % 16 < 14 ? t + 2 : t]);
		FACT(o[4] == ballot);
		FACT(o[5] == (any | 2u));
		FACT(o[6] == (t % 3 ? some : 1000));
		FACT(o[7] == lane);
	}
	CALL(hipFree(in));
	CALL(hipFree(out));
	return done();
}
