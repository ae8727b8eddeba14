/* faulty.c -- a HIP program whose kernel faults, or that loads a bad object, for test_exec.sh: faulty OBJECT KERNEL.
 * Prints the names of the errors that it meets, "alive" at the end. */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

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
