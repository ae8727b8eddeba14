/* Functions of the host between kernels of a stream: each sees what came before, and the next waits for it. */
#include "check.h"

__global__ void next(uint32_t *x) { *x = *x * 5 + 1; }

struct record { uint32_t *shared; std::atomic<uint32_t> calls; uint32_t seen[16]; };

static void note(hipStream_t, hipError_t status, void *p)
{
	record *r = (record *)p;
	uint32_t n = r->calls++;
	if (n < 16)
		r->seen[n] = status == hipSuccess ? *r->shared : 0xdead;
}

int main()
{
	const int rounds = 8;
	hipStream_t s;
	record r = {};
	CALL(hipStreamCreate(&s));
	CALL(hipHostMalloc((void **)&r.shared, 64, 0));
	*r.shared = 1;
	for (int k = 0; k < rounds; k++) {
		next<<<1, 1, 0, s>>>(r.shared);
		CALL(hipStreamAddCallback(s, note, &r, 0));
	}
	CALL(hipStreamSynchronize(s));
	for (int wait = 0; wait < 5000 && r.calls != (uint32_t)rounds; wait++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	FACT(r.calls == (uint32_t)rounds);
	uint32_t v = 1;
	for (int k = 0; k < rounds; k++) {
		v = v * 5 + 1;
		FACT(r.seen[k] == v);
	}
	CALL(hipStreamDestroy(s));
	CALL(hipHostFree(r.shared));
	return done();
}
