/* faulty.c -- a HIP program whose kernel faults, or that loads a bad object, for test_exec.sh: faulty OBJECT KERNEL.
 * Prints the names of the errors that it meets, "alive" at the end. With HIP_LIBRARY, which names libamdhip64, it finds HIP's
 * functions by dlsym alone. */
#define __HIP_PLATFORM_AMD__
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HIP_LIBRARY
#define CALLS CALL(hipGetErrorName) CALL(hipModuleLoadData) CALL(hipModuleGetFunction) CALL(hipMalloc) CALL(hipModuleLaunchKernel) \
	CALL(hipDeviceSynchronize) CALL(hipMemcpy) CALL(hipGetLastError)
#define CALL(name) static __typeof__(name) *p_##name;
CALLS
#undef CALL
static void find(void)
{
	void *lib = dlopen(HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define CALL(name) if (!lib || !(p_##name = (__typeof__(p_##name))dlsym(lib, #name))) exit(9);
	CALLS
#undef CALL
}
#define hipGetErrorName p_hipGetErrorName
#define hipModuleLoadData p_hipModuleLoadData
#define hipModuleGetFunction p_hipModuleGetFunction
#define hipMalloc p_hipMalloc
#define hipModuleLaunchKernel p_hipModuleLaunchKernel
#define hipDeviceSynchronize p_hipDeviceSynchronize
#define hipMemcpy p_hipMemcpy
#define hipGetLastError p_hipGetLastError
#else
static void find(void) { }
#endif

static char object[1 << 20];

int main(int argc, char **argv)
{
	hipModule_t m;
	hipFunction_t f;
	void *d = NULL;
	unsigned n = 1, add = 1;
	void *args[] = { &d, &d, &n, &add };
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	if (!file || !fread(object, 1, sizeof object, file))
		return 9;
	fclose(file);
	find();
	hipError_t e = hipModuleLoadData(&m, object);
	printf("load %s\n", hipGetErrorName(e));
	if (e == hipSuccess) {
		if (hipModuleGetFunction(&f, m, argv[2]) || hipMalloc(&d, 4096))
			return 9;
		(void)hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
		printf("synchronize %s\n", hipGetErrorName(hipDeviceSynchronize()));
		printf("copy %s\n", hipGetErrorName(hipMemcpy(&n, d, 4, hipMemcpyDeviceToHost)));
		printf("last %s\n", hipGetErrorName(hipGetLastError()));
	}
	puts("alive");
	return 0;
}
