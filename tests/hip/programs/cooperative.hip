/* A cooperative launch works where the device says that it can, else it is refused. */
#include "check.h"

__global__ void each(uint32_t *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

int main()
{
	uint32_t *x = zeroed<uint32_t>(128);
	void *args[] = { &x };
	int can = -1;
	CALL(hipDeviceGetAttribute(&can, hipDeviceAttributeCooperativeLaunch, 0));
	hipError_t e = hipLaunchCooperativeKernel((const void *)each, dim3(2), dim3(64), args, 0, 0);
	FACT(can == 0 || can == 1);
	FACT(can ? e == hipSuccess : e != hipSuccess);
	(void)hipGetLastError();
	CALL(hipDeviceSynchronize());
	std::vector<uint32_t> got = on_host(x, 128);
	for (uint32_t i = 0; i < 128; i++)
		FACT(got[i] == (can ? i / 64 : 0));
	CALL(hipFree(x));
	return done();
}
