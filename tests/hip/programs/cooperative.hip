/* A cooperative launch works where the device says that it can, else it is refused. All its blocks wait for each other; more than
 * the device holds at once are refused. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>

/* out[round][b] = out[round - 1][b + 1] + 1 */
__global__ void turns(uint32_t *out, uint32_t rounds)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	uint32_t n = gridDim.x, b = blockIdx.x;
	for (uint32_t r = 0; r < rounds; r++) {
		if (threadIdx.x == 0)
			out[r * n + b] = r ? out[(r - 1) * n + (b + 1) % n] + 1 : b;
		grid.sync();
	}
}

int main()
{
	const uint32_t most = 300;
	uint32_t rounds = 4, *x = zeroed<uint32_t>(most * rounds);
	void *args[] = { &x, &rounds };
	int can = -1, cus = 0, fit = 0;
	CALL(hipDeviceGetAttribute(&can, hipDeviceAttributeCooperativeLaunch, 0));
	FACT(can == 0 || can == 1);
	for (uint32_t blocks : { 4u, 64u, most }) {
		hipError_t e = hipLaunchCooperativeKernel((const void *)turns, dim3(blocks), dim3(128), args, 0, 0);
		FACT(can ? e == hipSuccess : e != hipSuccess);
		(void)hipGetLastError();
		CALL(hipDeviceSynchronize());
		std::vector<uint32_t> got = on_host(x, blocks * rounds);
		for (uint32_t i = 0; i < blocks * rounds && can; i++)
			FACT(got[i] == (i % blocks + i / blocks) % blocks + i / blocks);
	}
	CALL(hipDeviceGetAttribute(&cus, hipDeviceAttributeMultiprocessorCount, 0));
	CALL(hipOccupancyMaxActiveBlocksPerMultiprocessor(&fit, turns, 128, 0));
	FACT(hipLaunchCooperativeKernel((const void *)turns, dim3(cus * fit + 1), dim3(128), args, 0, 0) != hipSuccess);
	(void)hipGetLastError();
	CALL(hipFree(x));
	return done();
}
