/* Memory of the host that the device reads and writes in place: allocated for it, or registered later. */
#include "check.h"

__global__ void reverse(const uint32_t *in, uint32_t *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[n - 1 - i] = in[i];
}

static void use(uint32_t *in, uint32_t *out, int n, const uint32_t *device_in, uint32_t *device_out)
{
	for (int i = 0; i < n; i++)
		in[i] = mix(i * 3);
	memset(out, 0, n * 4);
	reverse<<<(n + 63) / 64, 64>>>(device_in, device_out, n);
	FINISH();
	for (int i = 0; i < n; i++)
		FACT(out[i] == mix((n - 1 - i) * 3));
}

int main()
{
	const int n = 1500;
	const unsigned flags[] = { hipHostMallocDefault, hipHostMallocPortable, hipHostMallocMapped, hipHostMallocWriteCombined,
		hipHostMallocCoherent, hipHostMallocNonCoherent };
	for (unsigned f : flags) {
		uint32_t *in, *out;
		void *din, *dout;
		unsigned got = ~0u;
		CALL(hipHostMalloc((void **)&in, n * 4, f));
		CALL(hipHostMalloc((void **)&out, n * 4, f));
		CALL(hipHostGetDevicePointer(&din, in, 0));
		CALL(hipHostGetDevicePointer(&dout, out, 0));
		CALL(hipHostGetFlags(&got, in));
		FACT((got & (hipHostMallocPortable | hipHostMallocMapped)) == (f & (hipHostMallocPortable | hipHostMallocMapped)));
		use(in, out, n, (uint32_t *)din, (uint32_t *)dout);
		hipPointerAttribute_t a;
		CALL(hipPointerGetAttributes(&a, in));
		FACT(a.memoryType == hipMemoryTypeHost && a.device == 0);
		CALL(hipHostFree(in));
		CALL(hipHostFree(out));
	}
	uint32_t *in = (uint32_t *)aligned_alloc(4096, 8192), *out = (uint32_t *)aligned_alloc(4096, 8192);
	void *din, *dout;
	CALL(hipHostRegister(in, 8192, hipHostRegisterDefault));
	CALL(hipHostRegister(out, 8192, hipHostRegisterMapped));
	CALL(hipHostGetDevicePointer(&din, in, 0));
	CALL(hipHostGetDevicePointer(&dout, out, 0));
	use(in, out, n, (uint32_t *)din, (uint32_t *)dout);
	CALL(hipHostUnregister(in));
	CALL(hipHostUnregister(out));
	FACT(hipHostUnregister(out) != hipSuccess);
	free(in);
	free(out);
	(void)hipGetLastError();
	return done();
}
