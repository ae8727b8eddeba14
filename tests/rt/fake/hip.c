/* hip.c -- a libamdhip64 for tests: HIP's interface, as far as the runtime uses it, over the emulator.
 * FAKE_HIP_TARGET is the chip (default gfx90a:sramecc+:xnack-); FAKE_HIP_FAIL=hipMalloc:2 makes a call
 * return an error; FAKE_HIP_GONE=17 all after the 17th, as a device that is taken out; FAKE_HIP_SAYS is another
 * chip that it says it is. -DFAKE_HIP=5: version 5, with other properties under another name. Built by test_hip.sh; knows nothing that the real library would not. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"

#define API __attribute__((visibility("default")))
enum { OK, INVALID = 1, NO_MEMORY = 2, NO_DEVICE = 100, BAD_DEVICE = 101, BAD_IMAGE = 303, NOT_FOUND = 500, FAULT = 700, CONTEXT_DESTROYED = 709 };

static emu_device *dev;
static int modules, buffers;
static int streams;      /* alive; its address is every stream */

static const char *target(void)
{
	const char *t = getenv("FAKE_HIP_TARGET");
	return t ? t : "gfx90a:sramecc+:xnack-";
}

/* The error that the environment wants of this call. */
static int wanted(const char *call)
{
	const char *f = getenv("FAKE_HIP_FAIL"), *gone = getenv("FAKE_HIP_GONE");
	size_t n = strlen(call);
	static int calls;
	if (gone && ++calls > atoi(gone)) {
		fprintf(stderr, "fake: gone\n");
		return CONTEXT_DESTROYED;
	}
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

/* Version 5 has an integer before the target id, 6 and 7 have zeros; both have a name that may begin with
 * "gfx", and pointers and numbers all around. */
#if FAKE_HIP == 5
enum { TARGET_AT = 396 };
API int hipGetDeviceProperties(char *props, int i)
#else
enum { TARGET_AT = 1160 };
API int hipGetDevicePropertiesR0600(char *props, int i)
#endif
{
	FAIL_IF_WANTED;
	memset(props, 0, 1472);
	strcpy(props, "gfx-like name of a fake GPU");
	memset(props + 256, 0x5a, 100);
	strcpy(props + 356 + 1, "gfx nine");
	memcpy(props + TARGET_AT - 4, &(int){ FAKE_HIP == 5 ? 906 : 0 }, 4);
	strcpy(props + TARGET_AT, getenv("FAKE_HIP_SAYS") ? getenv("FAKE_HIP_SAYS") : target());
	memset(props + TARGET_AT + 256, 0x67, 40);
	return i ? BAD_DEVICE : OK;
}

API int hipRuntimeGetVersion(int *v)
{
	FAIL_IF_WANTED;
	*v = FAKE_HIP == 5 ? 50221153 : 70151831;
	return OK;
}

API int hipMalloc(void **p, size_t n)
{
	FAIL_IF_WANTED;
	uint64_t a = emu_alloc(dev, n);
	*p = (void *)(uintptr_t)a;
	buffers += a != 0;
	if (a)
		memset(*p, 0xa5, n);    /* HIP's memory is not zeroed */
	return a ? OK : NO_MEMORY;
}

API int hipFree(void *p)
{
	FAIL_IF_WANTED;
	buffers--;
	return emu_free(dev, (uintptr_t)p) == EMU_OK ? OK : INVALID;
}

static int inside(const void *p, size_t n)
{
	uint64_t start;
	size_t size;
	return emu_find_buffer(dev, (uintptr_t)p, &start, &size) && n <= size - ((uintptr_t)p - start);
}

API int hipMemGetAddressRange(void **start, size_t *n, void *p)
{
	uint64_t a;
	FAIL_IF_WANTED;
	if (!emu_find_buffer(dev, (uintptr_t)p, &a, n))
		return 17;
	*start = (void *)(uintptr_t)a;
	return OK;
}

API int hipMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream)
{
	FAIL_IF_WANTED;
	if ((kind == 1 && !inside(to, n)) || (kind == 2 && !inside(from, n)) || kind < 1 || kind > 2 || stream != &streams)
		return INVALID;
	memcpy(to, from, n);
	return OK;
}

API int hipMemsetAsync(void *p, int v, size_t n, void *stream)
{
	FAIL_IF_WANTED;
	if (!inside(p, n) || stream != &streams)
		return INVALID;
	memset(p, v, n);
	return OK;
}

API int hipStreamCreateWithFlags(void **s, unsigned flags)
{
	FAIL_IF_WANTED;
	*s = &streams;
	streams++;
	return flags == 1 ? OK : INVALID;
}

API int hipStreamQuery(void *s)
{
	FAIL_IF_WANTED;
	return s == &streams ? OK : INVALID;
}

API int hipStreamSynchronize(void *s)
{
	FAIL_IF_WANTED;
	return s == &streams ? OK : INVALID;
}

API int hipStreamDestroy(void *s)
{
	FAIL_IF_WANTED;
	return s == &streams && streams-- > 0 ? OK : INVALID;
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
	modules++;
	return OK;
}

API int hipModuleUnload(void *m)
{
	FAIL_IF_WANTED;
	emu_unload(m);
	modules--;
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
	if (stream != &streams || params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3)
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
	return e && stream == &streams ? OK : INVALID;
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
		: NULL;
}

/* Whoever closes a device frees all that was its own. */
__attribute__((destructor)) static void leaks(void)
{
	if (getenv("FAKE_HIP_LEAKS"))
		fprintf(stderr, "fake: %d streams, %d modules, %d buffers left\n", streams, modules, buffers);
}
