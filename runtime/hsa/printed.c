/* printed.c -- what kernels had printed when one of them faulted: after a fault nobody can ask for it any more.
 * Needs the records of translator/lower/builtin.c in the objects that are loaded; leaves their buffers empty.
 * A program that faults not reads them itself (p2a_module_printed), or does not, as on a GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa/runtime.h"
#include "print.h"

static bool global(const void *object, const char *name, uint64_t *addr, size_t *size)
{
	return emu_find_global(object, name, addr, size);
}

static void *host(uint64_t at, size_t size)
{
	return rt_host_address((const void *)(uintptr_t)at, size);
}

static p2a_rt_status read_bytes(void *dev, void *to, uint64_t from, size_t size, p2a_error *err)
{
	const void *p = host(from, size);
	(void)dev;
	if (!p)
		return rt_fail(err, P2A_RT_EARG, "no memory");
	memcpy(to, p, size);
	return P2A_RT_OK;
}

static p2a_rt_status fill(void *dev, uint64_t to, unsigned char byte, size_t size, p2a_error *err)
{
	void *p = host(to, size);
	(void)dev;
	if (!p)
		return rt_fail(err, P2A_RT_EARG, "no memory");
	memset(p, byte, size);
	return P2A_RT_OK;
}

static void show(const emu_object *o)
{
	static const backend ops = { .global = global, .read = read_bytes, .fill = fill };
	char *text;
	size_t n;
	if (rt_printed(&ops, NULL, o, &text, &n, NULL) != P2A_RT_OK)
		return;
	fwrite(text, 1, n, stdout);
	fflush(stdout);
	free(text);
}

void rt_show_printed(const rt_agent *a)
{
	rt_each_object(a, show);
}
