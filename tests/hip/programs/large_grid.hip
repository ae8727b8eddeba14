/* More workgroups than fit on a device, in one dimension and in three; every index exactly once. */
#include "check.h"

__global__ void mark(uint32_t *words, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicXor(&words[i / 32], 1u << i % 32);
}

__global__ void box(uint8_t *seen, dim3 size)
{
	uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
	if (x < size.x && y < size.y && z < size.z)
		seen[(z * size.y + y) * size.x + x] += 1 + (gridDim.x != 9 || gridDim.y != 17 || gridDim.z != 33);
}

int main()
{
	const uint32_t n = 70001 * 8;
	uint32_t *words = zeroed<uint32_t>(n / 32 + 1);
	mark<<<70001, 8>>>(words, n);
	FINISH();
	std::vector<uint32_t> got = on_host(words, n / 32);
	for (uint32_t w : got)
		FACT(w == 0xffffffffu);
	dim3 size(33, 33, 33);
	const size_t cells = 33 * 33 * 33;
	uint8_t *seen = zeroed<uint8_t>(cells);
	box<<<dim3(9, 17, 33), dim3(4, 2, 1)>>>(seen, size);
	FINISH();
	for (uint8_t b : on_host(seen, cells))
		FACT(b == 1);
	CALL(hipFree(words));
	CALL(hipFree(seen));
	return done();
}
