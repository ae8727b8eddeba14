/* Counters, minima, exchanges and compare-and-swap in global and shared memory, contended. */
#include "check.h"

struct counters {
	uint32_t add, sub, lowest, highest, bits, mask, odd;
	int32_t smallest;
	unsigned long long wide, max64;
	float real;
	uint32_t by_cas, tickets;
};

__global__ void count(counters *c, uint32_t *seen, const uint32_t *values)
{
	__shared__ uint32_t local[8];
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, v = values[i];
	if (threadIdx.x < 8)
		local[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&local[v & 7], 1);
	__syncthreads();
	if (threadIdx.x < 8)
		atomicAdd(&c->add, local[threadIdx.x]);
	atomicSub(&c->sub, v & 15);
	atomicMin(&c->lowest, v);
	atomicMax(&c->highest, v);
	atomicMin(&c->smallest, (int)v);
	atomicOr(&c->bits, 1u << (v & 31));
	atomicAnd(&c->mask, ~(1u << (v >> 5 & 31)));
	atomicXor(&c->odd, v);
	atomicAdd(&c->wide, (unsigned long long)v << 8);
	atomicMax(&c->max64, (unsigned long long)v * v);
	atomicAdd(&c->real, 0.5f);
	for (uint32_t old = c->by_cas, was; ; old = was)
		if ((was = atomicCAS(&c->by_cas, old, old + (v & 3))) == old)
			break;
	atomicExch(&seen[atomicAdd(&c->tickets, 1)], i + 1);
}

int main()
{
	const uint32_t n = 2048;
	std::vector<uint32_t> v(n);
	counters w = {};
	w.lowest = w.mask = 0xffffffffu;
	w.smallest = INT32_MAX;
	counters *c = on_device(&w, 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = v[i] = mix(i + 1);
		w.add++;
		w.sub -= x & 15;
		w.lowest = x < w.lowest ? x : w.lowest;
		w.highest = x > w.highest ? x : w.highest;
		w.smallest = (int32_t)x < w.smallest ? (int32_t)x : w.smallest;
		w.bits |= 1u << (x & 31);
		w.mask &= ~(1u << (x >> 5 & 31));
		w.odd ^= x;
		w.wide += (unsigned long long)x << 8;
		w.max64 = (unsigned long long)x * x > w.max64 ? (unsigned long long)x * x : w.max64;
		w.real += 0.5f;
		w.by_cas += x & 3;
		w.tickets++;
	}
	uint32_t *values = on_device(v.data(), n), *seen = zeroed<uint32_t>(n);
	count<<<n / 256, 256>>>(c, seen, values);
	FINISH();
	counters g = on_host(c, 1)[0];
	FACT(g.add == w.add && g.sub == w.sub && g.lowest == w.lowest && g.highest == w.highest && g.smallest == w.smallest);
	FACT(g.bits == w.bits && g.mask == w.mask && g.odd == w.odd && g.wide == w.wide && g.max64 == w.max64);
	FACT(g.real == w.real && g.by_cas == w.by_cas && g.tickets == w.tickets);
	std::vector<uint32_t> s = on_host(seen, n);
	std::vector<bool> once(n + 1);
	for (uint32_t i : s) {
		FACT(i >= 1 && i <= n && !once[i]);
		once[i <= n ? i : 0] = true;
	}
	CALL(hipFree(c));
	CALL(hipFree(values));
	CALL(hipFree(seen));
	return done();
}
