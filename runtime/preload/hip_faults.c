/* hip_faults.c -- libp2a-hip-faults.so, preloaded by `p2a exec --on-fault=error`: HIP calls return an error after a kernel
 * faulted. libamdhip64 has no way to learn of a fault but the queue's callback, in which it ends the program; so the
 * callback is left out, and these functions stand before HIP's and ask our HSA runtime themselves.
 * Needs to be loaded before libamdhip64; without our runtime below, every call is passed on as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { HIP_NOT_SUPPORTED = 801, HIP_ILLEGAL_ADDRESS = 700, HIP_LAUNCH_FAILURE = 719 };
enum { P2A_SYSTEM_INFO_FAULT = 0x2a00, MEMORY_FAULT = 43, SEGMENT_FAULT = 41 };     /* runtime.h, hsa_abi.def */
typedef uintptr_t word;

/* dlsym's answer as a pointer to a function: of the libraries behind this one, or of all. */
static void
find(void *where, const char *name, void *function)
{
	void *p = dlsym(where, name);

	memcpy(function, &p, sizeof p);
}

/* What a call returns: the fault, once there was one, whatever HIP says. */
static uint32_t
verdict(uint32_t status)
{
	uint32_t (*ask)(uint32_t, void *), fault = 0;

	find(RTLD_DEFAULT, "hsa_system_get_info", &ask);
	if (!ask || ask(P2A_SYSTEM_INFO_FAULT, &fault) || !fault)
		return status;
	return fault == MEMORY_FAULT || fault == SEGMENT_FAULT ? HIP_ILLEGAL_ADDRESS : HIP_LAUNCH_FAILURE;
}

#define PARAMS_0 void
#define PARAMS_1 word a
#define PARAMS_2 PARAMS_1, word b
#define PARAMS_3 PARAMS_2, word c
#define PARAMS_4 PARAMS_3, word d
#define PARAMS_5 PARAMS_4, word e
#define PARAMS_6 PARAMS_5, word f
#define ARGS_0
#define ARGS_1 a
#define ARGS_2 a, b
#define ARGS_3 a, b, c
#define ARGS_4 a, b, c, d
#define ARGS_5 a, b, c, d, e
#define ARGS_6 a, b, c, d, e, f
#define CALL(name, n) \
	API uint32_t name(PARAMS_##n); \
	API uint32_t name(PARAMS_##n) \
	{ \
		uint32_t (*real)(PARAMS_##n); \
		find(RTLD_NEXT, #name, &real); \
		return real ? verdict(real(ARGS_##n)) : HIP_NOT_SUPPORTED; \
	}
#include "hip_faults.def"

typedef struct dim3 { uint32_t x, y, z; } dim3;

API uint32_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
API uint32_t
hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *stream)
{
	uint32_t (*real)(const void *, dim3, dim3, void **, size_t, void *);

	find(RTLD_NEXT, "hipLaunchKernel", &real);
	return real ? verdict(real(kernel, grid, block, args, shared, stream)) : HIP_NOT_SUPPORTED;
}

API uint32_t hipModuleLaunchKernel(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *,
	void **, void **);
API uint32_t
hipModuleLaunchKernel(void *kernel, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
		      uint32_t shared, void *stream, void **args, void **extra)
{
	uint32_t (*real)(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *, void **, void **);

	find(RTLD_NEXT, "hipModuleLaunchKernel", &real);
	return real ? verdict(real(kernel, gx, gy, gz, bx, by, bz, shared, stream, args, extra)) : HIP_NOT_SUPPORTED;
}
