/* Queries of what fits on the device; a kernel launched with the workgroup that they propose. */
#include "check.h"

__global__ void light(uint32_t *out, uint32_t n)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = i ^ 0x55;
}

__global__ void __launch_bounds__(128) heavy(uint32_t *out)
{
	__shared__ uint32_t room[8000];
	room[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = room[127 - threadIdx.x];
}

int main()
{
	const uint32_t n = 20000;
	int grid = 0, block = 0, few = 0, many = 0;
	hipFuncAttributes a;
	CALL(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
	FACT(grid > 0 && block >= 64 && block <= 1024);
	CALL(hipOccupancyMaxActiveBlocksPerMultiprocessor(&many, light, 64, 0));
	CALL(hipOccupancyMaxActiveBlocksPerMultiprocessor(&few, heavy, 64, 0));
	FACT(many >= few && few >= 1);
	CALL(hipFuncGetAttributes(&a, (const void *)heavy));
	FACT(a.sharedSizeBytes == 32000 && a.maxThreadsPerBlock >= 128 && a.numRegs > 0);
	uint32_t *out = zeroed<uint32_t>(n);
	light<<<grid < 40 ? grid : 40, block>>>(out, n);
	FINISH();
	std::vector<uint32_t> got = on_host(out, n);
	for (uint32_t i = 0; i < n; i++)
		FACT(got[i] == (i ^ 0x55));
	heavy<<<2, 128>>>(out);
	FINISH();
	got = on_host(out, 128);
	for (uint32_t i = 0; i < 128; i++)
		FACT(got[i] == 127 - i);
	CALL(hipFree(out));
	return done();
}
