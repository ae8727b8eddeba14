/* Every device at once, one host thread each; and what one device says of reaching another. */
#include "check.h"

__global__ void fill(uint32_t *x, uint32_t key)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	x[i] = i * 31 + key;
}

static void use(int device, std::vector<uint32_t> *result)
{
	const uint32_t n = 2048;
	hipStream_t s;
	uint32_t *x;
	int current = -1;
	CALL(hipSetDevice(device));
	CALL(hipStreamCreate(&s));
	CALL(hipMalloc((void **)&x, n * 4));
	for (uint32_t k = 0; k < 10; k++)
		fill<<<n / 256, 256, 0, s>>>(x, device * 1000 + k);
	CALL(hipStreamSynchronize(s));
	CALL(hipGetDevice(&current));
	FACT(current == device);
	*result = on_host(x, n);
	CALL(hipFree(x));
	CALL(hipStreamDestroy(s));
}

static void peers(int n)
{
	int reach = -1;
	CALL(hipDeviceCanAccessPeer(&reach, 0, 0));
	FACT(reach == 0);
	REFUSED(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(n, 0));
	(void)hipGetLastError();
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++) {
			std::vector<uint32_t> v(100, a * 7 + b + 1);
			CALL(hipSetDevice(a));
			uint32_t *from = on_device(v.data(), v.size());
			CALL(hipSetDevice(b));
			uint32_t *to = zeroed<uint32_t>(v.size());
			CALL(hipMemcpyPeer(to, b, from, a, v.size() * 4));
			CALL(hipDeviceSynchronize());
			FACT(on_host(to, v.size()) == v);
			CALL(hipFree(to));
			CALL(hipFree(from));
		}
	CALL(hipSetDevice(0));
}

int main()
{
	int n = 0;
	CALL(hipGetDeviceCount(&n));
	std::vector<std::thread> threads;
	std::vector<std::vector<uint32_t>> results(n * 2);
	for (int k = 0; k < n * 2; k++)
		threads.emplace_back(use, k % n, &results[k]);
	for (auto &t : threads)
		t.join();
	for (int k = 0; k < n * 2; k++)
		for (uint32_t i = 0; i < results[k].size(); i++)
			FACT(results[k][i] == i * 31 + (k % n) * 1000 + 9);
	peers(n);
	return done();
}
