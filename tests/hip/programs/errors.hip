/* Wrong calls are refused one by one, with the right error, and the device works on. */
#include "check.h"

__global__ void set(uint32_t *x) { x[threadIdx.x] = 77; }

int main()
{
	uint32_t *x = zeroed<uint32_t>(64), host[64];
	void *p = NULL;
	hipModule_t m;
	hipFunction_t f;
	int n = 0;
	REFUSED(hipErrorOutOfMemory, hipMalloc(&p, (size_t)1 << 45));
	FACT(hipGetLastError() == hipErrorOutOfMemory);
	FACT(hipGetLastError() == hipSuccess);
	REFUSED(hipErrorInvalidValue, hipMalloc(NULL, 4));
	REFUSED(hipErrorInvalidValue, hipFree(host));
	REFUSED(hipErrorInvalidValue, hipMemcpy(NULL, x, 4, hipMemcpyDeviceToHost));
	REFUSED(hipErrorInvalidValue, hipMemset(NULL, 0, 4));
	REFUSED_AS(hipErrorInvalidHandle, hipErrorContextIsDestroyed, hipStreamSynchronize((hipStream_t)host));
	REFUSED(hipErrorInvalidValue, hipGetDeviceCount(NULL));
	REFUSED(hipErrorFileNotFound, hipModuleLoad(&m, "/there/is/no/such/object"));
	REFUSED(hipErrorInvalidValue, hipModuleLoadData(&m, NULL));
	REFUSED_AS(hipErrorInvalidHandle, hipErrorNotFound, hipModuleGetFunction(&f, NULL, "k"));
	(void)hipGetLastError();
	set<<<1, 2000>>>(x);
	REFUSED_AS(hipErrorInvalidConfiguration, hipErrorInvalidValue, hipGetLastError());
	set<<<dim3(0), 64>>>(x);
	REFUSED_AS(hipErrorInvalidConfiguration, hipErrorInvalidValue, hipGetLastError());
	set<<<1, 64, 1 << 20>>>(x);
	FACT(hipGetLastError() != hipSuccess);
	FACT(!strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory"));
	FACT(*hipGetErrorString(hipErrorInvalidValue));
	CALL(hipGetDeviceCount(&n));
	set<<<1, 64>>>(x);
	FINISH();
	FACT(on_host(x, 64) == std::vector<uint32_t>(64, 77));
	CALL(hipFree(x));
	return done();
}
