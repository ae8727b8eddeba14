/* Work on several streams, ordered by events between them; streams of every kind, and the null stream. */
#include "check.h"

__global__ void step(uint32_t *x, uint32_t add)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	x[i] = x[i] * 3 + add;
}

int main()
{
	const int n = 1024, streams = 4, rounds = 6;
	hipStream_t s[streams];
	hipEvent_t e[streams];
	int least, greatest;
	CALL(hipDeviceGetStreamPriorityRange(&least, &greatest));
	FACT(least >= greatest);
	CALL(hipStreamCreate(&s[0]));
	CALL(hipStreamCreateWithFlags(&s[1], hipStreamNonBlocking));
	CALL(hipStreamCreateWithPriority(&s[2], hipStreamNonBlocking, greatest));
	CALL(hipStreamCreateWithPriority(&s[3], hipStreamDefault, least));
	for (auto &event : e)
		CALL(hipEventCreateWithFlags(&event, hipEventDisableTiming));
	std::vector<uint32_t> want(n, 7);
	uint32_t *x = on_device(want.data(), n);

	/* One buffer goes around all streams: each waits for the one before. */
	for (int k = 0; k < rounds * streams; k++) {
		step<<<n / 64, 64, 0, s[k % streams]>>>(x, k);
		CALL(hipGetLastError());
		CALL(hipEventRecord(e[k % streams], s[k % streams]));
		CALL(hipStreamWaitEvent(s[(k + 1) % streams], e[k % streams], 0));
		for (auto &w : want)
			w = w * 3 + k;
	}
	for (auto &stream : s)
		CALL(hipStreamSynchronize(stream));
	FACT(on_host(x, n) == want);

	/* Streams that share nothing. */
	uint32_t *y[streams];
	for (int k = 0; k < streams; k++)
		y[k] = zeroed<uint32_t>(n);
	for (int r = 0; r < rounds; r++)
		for (int k = 0; k < streams; k++)
			step<<<n / 128, 128, 0, s[k]>>>(y[k], k + 1);
	FINISH();
	for (int k = 0; k < streams; k++) {
		uint32_t w = 0;
		for (int r = 0; r < rounds; r++)
			w = w * 3 + k + 1;
		FACT(on_host(y[k], n) == std::vector<uint32_t>(n, w));
		FACT(hipStreamQuery(s[k]) == hipSuccess);
		CALL(hipFree(y[k]));
		CALL(hipStreamDestroy(s[k]));
		CALL(hipEventDestroy(e[k]));
	}
	CALL(hipFree(x));
	return done();
}
