/* Many threads of the host that allocate, copy, launch and free at once. */
#include "check.h"

__global__ void sum_to(const uint32_t *in, uint32_t *total, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(total, in[i]);
}

static void worker(uint32_t id)
{
	hipStream_t s;
	CALL(hipSetDevice(0));
	CALL(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	for (uint32_t round = 0; round < 4; round++) {
		const uint32_t n = 300 + id * 50 + round;
		std::vector<uint32_t> v(n);
		uint32_t want = 0, got = 0, *in, *total;
		for (uint32_t i = 0; i < n; i++)
			want += v[i] = mix(i * 8 + id) & 0xffff;
		CALL(hipMalloc((void **)&in, n * 4));
		CALL(hipMalloc((void **)&total, 4));
		CALL(hipMemsetAsync(total, 0, 4, s));
		CALL(hipMemcpyAsync(in, v.data(), n * 4, hipMemcpyHostToDevice, s));
		sum_to<<<(n + 63) / 64, 64, 0, s>>>(in, total, n);
		CALL(hipMemcpyAsync(&got, total, 4, hipMemcpyDeviceToHost, s));
		CALL(hipStreamSynchronize(s));
		FACT(got == want);
		CALL(hipFree(in));
		CALL(hipFree(total));
	}
	CALL(hipStreamDestroy(s));
}

int main()
{
	std::vector<std::thread> t;
	for (uint32_t k = 0; k < 8; k++)
		t.emplace_back(worker, k);
	for (auto &thread : t)
		thread.join();
	return done();
}
