/* What HIP says of the device, in its three ways, agrees with itself and with what a kernel sees. */
#include "check.h"

__global__ void measure(uint32_t *out)
{
	uint32_t lanes = (uint32_t)__popcll(__ballot(1));
	if (threadIdx.x == 0) {
		out[0] = warpSize;
		out[1] = blockDim.x;
		out[2] = gridDim.x;
		out[3] = lanes;
	}
}

static int attribute(hipDeviceAttribute_t a)
{
	int v = -1;
	CALL(hipDeviceGetAttribute(&v, a, 0));
	return v;
}

int main()
{
	hipDeviceProp_t p;
	hipDevice_t d;
	char name[256] = "";
	size_t free_bytes, total, memory;
	int n = 0, current = -1, runtime = 0, driver = 0;
	CALL(hipGetDeviceCount(&n));
	CALL(hipGetDevice(&current));
	FACT(n >= 1 && current == 0);
	CALL(hipGetDeviceProperties(&p, 0));
	CALL(hipDeviceGet(&d, 0));
	CALL(hipDeviceGetName(name, sizeof name, d));
	FACT(!strcmp(name, p.name));
	FACT(!strncmp(p.gcnArchName, "gfx", 3));
	CALL(hipDeviceTotalMem(&memory, d));
	CALL(hipMemGetInfo(&free_bytes, &total));
	FACT(p.totalGlobalMem == memory && total == memory && free_bytes <= total && free_bytes > 0);
	FACT(p.warpSize == attribute(hipDeviceAttributeWarpSize) && (p.warpSize == 32 || p.warpSize == 64));
	FACT(p.maxThreadsPerBlock == attribute(hipDeviceAttributeMaxThreadsPerBlock) && p.maxThreadsPerBlock == 1024);
	FACT((int)p.sharedMemPerBlock == attribute(hipDeviceAttributeMaxSharedMemoryPerBlock) && p.sharedMemPerBlock >= 65536);
	FACT(p.multiProcessorCount == attribute(hipDeviceAttributeMultiprocessorCount) && p.multiProcessorCount > 0);
	FACT(p.clockRate == attribute(hipDeviceAttributeClockRate) && p.clockRate > 0);
	FACT(p.maxGridSize[0] > 65535 && p.maxThreadsDim[0] == 1024);
	FACT(p.major >= 9);
	CALL(hipRuntimeGetVersion(&runtime));
	CALL(hipDriverGetVersion(&driver));
	FACT(runtime > 0 && driver > 0);
	REFUSED(hipErrorInvalidDevice, hipGetDeviceProperties(&p, n));
	REFUSED(hipErrorInvalidDevice, hipSetDevice(n));
	(void)hipGetLastError();
	CALL(hipGetDeviceProperties(&p, 0));
	uint32_t *out = zeroed<uint32_t>(4);
	measure<<<3, 64>>>(out);
	FINISH();
	std::vector<uint32_t> got = on_host(out, 4);
	FACT((int)got[0] == p.warpSize && got[1] == 64 && got[2] == 3 && (int)got[3] == p.warpSize);
	CALL(hipFree(out));
	return done();
}
