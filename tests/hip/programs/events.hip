/* Times between events are positive, add up, and are refused where there is none; queries tell the truth. */
#include "check.h"

__global__ void spin(uint32_t *out, uint32_t turns)
{
	uint32_t x = threadIdx.x + 1;
	for (uint32_t i = 0; i < turns; i++)
		x = x * 1664525u + 1013904223u;
	out[threadIdx.x] = x;
}

int main()
{
	hipEvent_t e[3], silent;
	hipStream_t s;
	uint32_t *out = zeroed<uint32_t>(64);
	float first, second, both;
	CALL(hipStreamCreate(&s));
	for (auto &event : e)
		CALL(hipEventCreate(&event));
	CALL(hipEventCreateWithFlags(&silent, hipEventDisableTiming));
	CALL(hipEventRecord(e[0], s));
	spin<<<1, 64, 0, s>>>(out, 20000);
	CALL(hipEventRecord(e[1], s));
	spin<<<1, 64, 0, s>>>(out, 10);
	CALL(hipEventRecord(e[2], s));
	CALL(hipEventRecord(silent, s));
	CALL(hipEventSynchronize(e[2]));
	FACT(hipEventQuery(e[0]) == hipSuccess && hipEventQuery(e[2]) == hipSuccess);
	CALL(hipEventElapsedTime(&first, e[0], e[1]));
	CALL(hipEventElapsedTime(&second, e[1], e[2]));
	CALL(hipEventElapsedTime(&both, e[0], e[2]));
	FACT(first > 0 && second >= 0 && both >= first && both < 60000);
	CALL(hipEventSynchronize(silent));
	FACT(hipEventElapsedTime(&first, silent, e[2]) != hipSuccess);
	REFUSED(hipErrorInvalidHandle, hipEventElapsedTime(&first, NULL, e[2]));
	std::vector<uint32_t> got = on_host(out, 64);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t x = t + 1;
		for (int i = 0; i < 10; i++)
			x = x * 1664525u + 1013904223u;
		FACT(got[t] == x);
	}
	for (auto &event : e)
		CALL(hipEventDestroy(event));
	CALL(hipEventDestroy(silent));
	CALL(hipStreamDestroy(s));
	CALL(hipFree(out));
	return done();
}
