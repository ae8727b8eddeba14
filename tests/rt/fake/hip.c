/* hip.c -- a libamdhip64 for tests: HIP's interface, as far as the runtime uses it, over the emulator.
 * FAKE_HIP_TARGET is the chip (default gfx90a:sramecc+:xnack-); FAKE_HIP_FAIL=hipMalloc:2 makes a call
 * return an error. Built by test_hip.sh; knows nothing that the real library would not. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"

#define API __attribute__((visibility("default")))
enum { OK, INVALID = 1, NO_MEMORY = 2, NO_DEVICE = 100, BAD_DEVICE = 101, BAD_IMAGE = 303, NOT_FOUND = 500, FAULT = 700 };

static emu_device *dev;

static const char *target(void)
{
	const char *t = getenv("FAKE_HIP_TARGET");
	return t ? t : "gfx90a:sramecc+:xnack-";
}

/* The error that the environment wants of this call. */
static int wanted(const char *call)
{
	const char *f = getenv("FAKE_HIP_FAIL");
	size_t n = strlen(call);
	return f && !strncmp(f, call, n) && f[n] == ':' ? atoi(f + n + 1) : OK;
}
#define FAIL_IF_WANTED do { int e_ = wanted(__func__); if (e_) return e_; } while (0)

API int hipInit(unsigned flags)
{
	emu_config c = { .size = sizeof c, .target = target() };
	emu_error e;
	FAIL_IF_WANTED;
	if (flags)
		return INVALID;
	return dev || emu_create(&c, &dev, &e) == EMU_OK ? OK : NO_DEVICE;
}

API int hipGetDeviceCount(int *n)
{
	FAIL_IF_WANTED;
	*n = dev != NULL;
	return OK;
}

API int hipSetDevice(int i)
{
	FAIL_IF_WANTED;
	return dev && i == 0 ? OK : BAD_DEVICE;
}

API int hipDeviceGetName(char *name, int n, int i)
{
	FAIL_IF_WANTED;
	snprintf(name, (size_t)n, "gfx-like name of a fake GPU");
	return i ? BAD_DEVICE : OK;
}

/* The layout of nobody's version: a name, numbers, and the target id somewhere. */
API int hipGetDevicePropertiesR0600(char *props, int i)
{
	FAIL_IF_WANTED;
	memset(props, 0, 1472);
	strcpy(props, "gfx-like name of a fake GPU");
	memset(props + 300, 0x5a, 500);
	props[999] = 0;
	strcpy(props + 1000, target());
	return i ? BAD_DEVICE : OK;
}

API int hipDeviceSynchronize(void)
{
	FAIL_IF_WANTED;
	return OK;
}

API int hipMalloc(void **p, size_t n)
{
	FAIL_IF_WANTED;
	uint64_t a = emu_alloc(dev, n);
	*p = (void *)(uintptr_t)a;
	if (a)
		memset(*p, 0xa5, n);    /* HIP's memory is not zeroed */
	return a ? OK : NO_MEMORY;
}

API int hipFree(void *p)
{
	FAIL_IF_WANTED;
	return emu_free(dev, (uintptr_t)p) == EMU_OK ? OK : INVALID;
}

static int inside(const void *p, size_t n)
{
	uint64_t start;
	size_t size;
	return emu_find_buffer(dev, (uintptr_t)p, &start, &size) && n <= size - ((uintptr_t)p - start);
}

API int hipMemcpy(void *to, const void *from, size_t n, int kind)
{
	FAIL_IF_WANTED;
	if ((kind == 1 && !inside(to, n)) || (kind == 2 && !inside(from, n)) || kind < 1 || kind > 2)
		return INVALID;
	memcpy(to, from, n);
	return OK;
}

API int hipMemset(void *p, int v, size_t n)
{
	FAIL_IF_WANTED;
	if (!inside(p, n))
		return INVALID;
	memset(p, v, n);
	return OK;
}

/* Takes the size from the section headers, as HIP does. */
API int hipModuleLoadData(void **m, const void *image)
{
	const uint8_t *p = image;
	uint64_t shoff;
	uint16_t shnum;
	emu_object *o;
	emu_error e;
	FAIL_IF_WANTED;
	memcpy(&shoff, p + 40, 8);
	memcpy(&shnum, p + 60, 2);
	if (emu_load(dev, image, shoff + (size_t)shnum * 64, &o, &e) != EMU_OK)
		return BAD_IMAGE;
	*m = o;
	return OK;
}

API int hipModuleUnload(void *m)
{
	FAIL_IF_WANTED;
	emu_unload(m);
	return OK;
}

API int hipModuleGetFunction(const void **f, void *m, const char *name)
{
	FAIL_IF_WANTED;
	*f = emu_find_kernel(m, name);
	return *f ? OK : NOT_FOUND;
}

API int hipModuleGetGlobal(void **p, size_t *n, void *m, const char *name)
{
	uint64_t a;
	FAIL_IF_WANTED;
	if (!emu_find_global(m, name, &a, n))
		return NOT_FOUND;
	*p = (void *)(uintptr_t)a;
	return OK;
}

API int hipModuleLaunchKernel(const void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
	emu_result r;
	FAIL_IF_WANTED;
	if (stream || params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3)
		return INVALID;
	emu_launch_config l = { .grid = { gx, gy, gz }, .block = { bx, by, bz }, .dynamic_lds = shared,
		.args = extra[1], .args_size = *(size_t *)extra[3] };
	emu_status s = emu_launch(dev, f, &l, &r);
	return s == EMU_OK ? OK : s == EMU_EFAULT ? FAULT : INVALID;
}

API int hipEventCreate(void **e)
{
	FAIL_IF_WANTED;
	*e = malloc(1);
	return *e ? OK : NO_MEMORY;
}

API int hipEventRecord(void *e, void *stream)
{
	FAIL_IF_WANTED;
	return e && !stream ? OK : INVALID;
}

API int hipEventQuery(void *e)
{
	FAIL_IF_WANTED;
	return e ? OK : INVALID;
}

API int hipEventSynchronize(void *e)
{
	FAIL_IF_WANTED;
	return e ? OK : INVALID;
}

API int hipEventElapsedTime(float *ms, void *a, void *b)
{
	FAIL_IF_WANTED;
	*ms = a != b ? 2.5f : 0;
	return OK;
}

API int hipEventDestroy(void *e)
{
	FAIL_IF_WANTED;
	free(e);
	return OK;
}

API const char *hipGetErrorName(int e)
{
	return e == OK ? "hipSuccess" : e == NO_MEMORY ? "hipErrorOutOfMemory" : e == FAULT ? "hipErrorIllegalAddress"
		: "hipErrorOfTheFake";
}
