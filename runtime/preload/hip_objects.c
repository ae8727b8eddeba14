/* hip_objects.c -- libp2a-hip-objects.so, preloaded by `p2a exec`: where libamdhip64 does not take a code object, our HSA runtime
 * says why on standard error. HIP looks at chip and version itself and asks no runtime, so these functions stand before its own,
 * for programs that are linked to it. What they return is what HIP returns.
 * Without our runtime below nothing is said. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { HIP_NOT_SUPPORTED = 801, P2A_SYSTEM_INFO_OBJECT = 0x2a01, HEAD = 64 };    /* runtime.h */
typedef uintptr_t word;

static void
find(void *where, const char *name, void *function)
{
	void *p = dlsym(where, name);

	memcpy(function, &p, sizeof p);
}

static uint32_t
explain(uint32_t status, uint8_t head[HEAD])
{
	void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
	uint32_t (*ask)(uint32_t, void *);

	find(runtime ? runtime : RTLD_DEFAULT, "hsa_system_get_info", &ask);
	if (status && ask)
		ask(P2A_SYSTEM_INFO_OBJECT, head);
	return status;
}

/* Of an image HIP has read as much itself, if its first bytes are those of a file that it knows. */
static uint32_t
explain_image(uint32_t status, const char *image)
{
	uint8_t head[HEAD] = { 0 };

	if (!status || !image)
		return status;
	memcpy(head, image, memcmp(image, "\177ELF", 4) ? strnlen(image, HEAD) : HEAD);
	return explain(status, head);
}

API uint32_t hipModuleLoad(word *module, const char *path);
API uint32_t
hipModuleLoad(word *module, const char *path)
{
	uint32_t (*load)(word *, const char *), status;
	uint8_t head[HEAD] = { 0 };
	FILE *f;

	find(RTLD_NEXT, "hipModuleLoad", &load);
	status = load ? load(module, path) : HIP_NOT_SUPPORTED;
	f = status && path ? fopen(path, "rb") : NULL;
	if (!f)
		return status;
	if (fread(head, 1, HEAD, f))
		explain(status, head);
	fclose(f);
	return status;
}

API uint32_t hipModuleLoadData(word *module, const void *image);
API uint32_t
hipModuleLoadData(word *module, const void *image)
{
	uint32_t (*load)(word *, const void *);

	find(RTLD_NEXT, "hipModuleLoadData", &load);
	return load ? explain_image(load(module, image), image) : HIP_NOT_SUPPORTED;
}

API uint32_t hipModuleLoadDataEx(word *module, const void *image, unsigned n, word *options, void **values);
API uint32_t
hipModuleLoadDataEx(word *module, const void *image, unsigned n, word *options, void **values)
{
	uint32_t (*load)(word *, const void *, unsigned, word *, void **);

	find(RTLD_NEXT, "hipModuleLoadDataEx", &load);
	return load ? explain_image(load(module, image, n, options, values), image) : HIP_NOT_SUPPORTED;
}
