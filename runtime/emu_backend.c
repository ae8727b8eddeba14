/* emu_backend.c -- the emulator as a device of the runtime.
 * Needs emu.h; leaves no state of its own but a struct a device. A device address is a host address.
 * See backend.h for what each function owes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "emu/emu.h"

typedef struct device {
	emu_device *emu;
	const char *target;     /* behind the struct: the whole id, with features */
	char name[96];
} device;

static p2a_rt_status
status_of(emu_status s)
{
	static const p2a_rt_status table[] = {
		[EMU_OK] = P2A_RT_OK, [EMU_EARG] = P2A_RT_EARG, [EMU_ENOMEM] = P2A_RT_ENOMEM,
		[EMU_EOBJECT] = P2A_RT_EOBJECT, [EMU_EFAULT] = P2A_RT_EFAULT,
		[EMU_ETIMEOUT] = P2A_RT_ETIMEOUT,
	};

	return table[s];
}

static p2a_rt_status
fail(p2a_error *err, emu_status s, const char *text)
{
	return s == EMU_OK ? P2A_RT_OK : rt_fail(err, status_of(s), "%s", text);
}

/* ---- Device ---------------------------------------------------------------------------------- */

static bool
present(void)
{
	return true;
}

static unsigned
count(void)
{
	return 1;
}

static emu_check
check_of(p2a_check_level c)
{
	return c == P2A_CHECK_NONE ? EMU_CHECK_NONE : c == P2A_CHECK_ALL ? EMU_CHECK_ALL
	     : c == P2A_CHECK_MEMORY ? EMU_CHECK_MEMORY : EMU_CHECK_DEFAULT;
}

static p2a_rt_status
open_device(const p2a_device_config *c, void **out, p2a_error *err)
{
	const char *target = c->target ? c->target : P2A_DEFAULT_TARGET;
	size_t n = strlen(target) + 1;
	emu_config config = { .size = sizeof config, .target = target, .check = check_of(c->check),
			      .timeout = c->timeout, .threads = c->threads };
	emu_error e = { "" };

	if (c->index)
		return rt_fail(err, P2A_RT_ENODEVICE, "there is one emulated device, number 0");
	device *dev = calloc(1, sizeof *dev + n);
	if (!dev)
		return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	emu_status s = emu_create(&config, &dev->emu, &e);
	if (s != EMU_OK) {
		free(dev);
		return fail(err, s, e.text);
	}
	dev->target = memcpy(dev + 1, target, n);
	snprintf(dev->name, sizeof dev->name, "emulated %s (%s)", emu_target(dev->emu),
		 emu_simd(dev->emu));
	*out = dev;
	return P2A_RT_OK;
}

static void
close_device(void *impl)
{
	device *dev = impl;

	emu_destroy(dev->emu);
	free(dev);
}

static const char *
device_name(const void *impl)
{
	return ((const device *)impl)->name;
}

static const char *
device_target(const void *impl)
{
	return ((const device *)impl)->target;
}

static const char *
device_driver(const void *impl)
{
	(void)impl;
	return "p2a " P2A_VERSION;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static p2a_rt_status
mem_alloc(void *impl, size_t size, uint64_t *addr, p2a_error *err)
{
	emu_device *d = ((device *)impl)->emu;
	uint64_t total, used;

	*addr = emu_alloc(d, size);
	if (*addr)
		return P2A_RT_OK;
	emu_memory(d, &total, &used);
	if (size <= total - used)
		return rt_fail(err, P2A_RT_ENOMEM, "no memory for a buffer of %zu bytes", size);
	return rt_fail(err, P2A_RT_ENOMEM, "no memory for a buffer of %zu bytes: the emulated device has %llu (half of this computer's), "
		"%llu are in use", size, (unsigned long long)total, (unsigned long long)used);
}

static p2a_rt_status
mem_free(void *impl, uint64_t addr, p2a_error *err)
{
	return fail(err, emu_free(((device *)impl)->emu, addr), "no buffer begins at this address");
}

/* The host's view of a range that must lie in one buffer or variable; NULL and an error otherwise. */
static void *
host(void *impl, uint64_t addr, size_t size, p2a_error *err)
{
	if (emu_holds(((device *)impl)->emu, addr, size))
		return (void *)(uintptr_t)addr;
	rt_fail(err, P2A_RT_EARG, "%zu bytes at 0x%llx are not inside one buffer or variable", size,
		(unsigned long long)addr);
	return NULL;
}

static p2a_rt_status
mem_write(void *impl, uint64_t to, const void *from, size_t size, p2a_error *err)
{
	void *p = host(impl, to, size, err);

	if (!p)
		return P2A_RT_EARG;
	memcpy(p, from, size);
	return P2A_RT_OK;
}

static p2a_rt_status
mem_read(void *impl, void *to, uint64_t from, size_t size, p2a_error *err)
{
	const void *p = host(impl, from, size, err);

	if (!p)
		return P2A_RT_EARG;
	memcpy(to, p, size);
	return P2A_RT_OK;
}

static p2a_rt_status
mem_fill(void *impl, uint64_t to, unsigned char byte, size_t size, p2a_error *err)
{
	void *p = host(impl, to, size, err);

	if (!p)
		return P2A_RT_EARG;
	memset(p, byte, size);
	return P2A_RT_OK;
}

/* ---- Modules --------------------------------------------------------------------------------- */

static p2a_rt_status
load(void *impl, const void *elf, size_t size, void **mod, p2a_error *err)
{
	emu_object *object = NULL;
	emu_error e = { "" };
	emu_status s = emu_load(((device *)impl)->emu, elf, size, &object, &e);

	*mod = object;
	return fail(err, s, e.text);
}

static void
unload(void *impl, void *mod)
{
	(void)impl;
	emu_unload(mod);
}

static size_t
kernels(const void *mod)
{
	return emu_kernel_count(mod);
}

/* Not one of the arguments that the launcher fills in. */
static bool
is_explicit(const emu_arg *a)
{
	return a->kind < EMU_ARG_GLOBAL_OFFSET_X;
}

static void
kernel_at(const void *mod, size_t index, backend_kernel *out)
{
	const emu_kernel *k = emu_kernel_at(mod, index);

	out->handle = k;
	out->attr = (p2a_kernel_attr){
		.name = k->name, .lds = k->group_size, .scratch = k->private_size,
		.max_block = k->max_workgroup, .wave = k->wave, .sgprs = k->sgprs, .vgprs = k->vgprs,
	};
	for (size_t i = 0; i < k->nargs; i++)
		out->attr.nparams += is_explicit(&k->args[i]);
}

static void
param_at(const void *kernel, size_t index, p2a_param *out)
{
	const emu_kernel *k = kernel;

	for (size_t i = 0; i < k->nargs; i++) {
		const emu_arg *a = &k->args[i];
		if (!is_explicit(a) || index--)
			continue;
		*out = (p2a_param){ .name = a->name, .offset = a->offset, .size = a->size,
				    .pointer = a->kind == EMU_ARG_GLOBAL_BUFFER };
		return;
	}
}

static bool
global(const void *mod, const char *name, uint64_t *addr, size_t *size)
{
	return emu_find_global(mod, name, addr, size);
}

/* ---- Launches -------------------------------------------------------------------------------- */

static void
copy_stats(p2a_stats *to, const emu_stats *from)
{
	*to = (p2a_stats){
		.valu = from->valu, .salu = from->salu, .vmem = from->vmem, .smem = from->smem,
		.lds = from->lds, .branch = from->branch, .other = from->other, .total = from->total,
		.waves = from->waves, .workgroups = from->workgroups, .lane_ops = from->lane_ops,
		.seconds = from->seconds, .counted = true,
	};
}

static void
copy_fault(p2a_fault *to, const emu_fault *from)
{
	*to = (p2a_fault){ .located = true, .wave = from->wave, .lane = from->lane, .pc = from->pc,
			   .address = from->address, .line = from->line };
	memcpy(to->workgroup, from->workgroup, sizeof to->workgroup);
	memcpy(to->work_item, from->work_item, sizeof to->work_item);
	snprintf(to->kernel, sizeof to->kernel, "%s", from->kernel);
	snprintf(to->instruction, sizeof to->instruction, "%s", from->instruction);
	snprintf(to->file, sizeof to->file, "%s", from->file);
	snprintf(to->message, sizeof to->message, "%s", from->message);
}

static p2a_rt_status
launch(void *impl, const void *kernel, const backend_launch *l, p2a_stats *stats, p2a_fault *fault,
       p2a_error *err)
{
	emu_launch_config c = { .dynamic_lds = l->shared, .args = l->params, .args_size = l->params_size };
	emu_result r;

	memcpy(c.grid, l->grid, sizeof c.grid);
	memcpy(c.block, l->block, sizeof c.block);
	emu_status s = emu_launch(((device *)impl)->emu, kernel, &c, &r);
	if (stats)
		copy_stats(stats, &r.stats);
	if (s != EMU_EFAULT && s != EMU_ETIMEOUT)
		return fail(err, s, r.error.text);
	copy_fault(fault, &r.fault);
	return fail(err, s, r.fault.message);
}

/* A launch is over when emu_launch returns. */
static p2a_rt_status
sync(void *impl, p2a_fault *fault, p2a_error *err)
{
	(void)impl;
	(void)fault;
	(void)err;
	return P2A_RT_OK;
}

const backend backend_emu = {
	.name = "emu", .present = present, .count = count, .open = open_device, .close = close_device,
	.device_name = device_name, .device_target = device_target, .device_driver = device_driver,
	.alloc = mem_alloc, .free = mem_free, .write = mem_write, .read = mem_read, .fill = mem_fill,
	.load = load, .unload = unload, .kernels = kernels, .kernel_at = kernel_at,
	.param_at = param_at, .global = global, .launch = launch, .sync = sync,
};
