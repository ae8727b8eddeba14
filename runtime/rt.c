/* rt.c -- the runtime's entry points: argument checks, parameter packing, choice of a backend.
 * Needs backend.h's structs; leaves nothing behind but what its objects own.
 * Manuals: p2a_rt.h; HSA runtime specification 2.9 for the limits of a dispatch. */
#define _POSIX_C_SOURCE 200809L
#include "p2a_rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "isa/isa.h"
#include "print.h"

enum { MAX_BLOCK = 1024, MAX_PARAMS = 65536 };

/* In the order in which "auto" tries them. */
static const backend *const backends[] = { &backend_hip, &backend_emu };
enum { NBACKENDS = sizeof backends / sizeof *backends };

struct p2a_device {
	const backend *ops;
	void *impl;
	const p2a_target *target;    /* NULL: a chip that p2a does not know */
	pthread_mutex_t lock;        /* of what follows */
	p2a_fault fault;
	bool faulted;
	p2a_module *modules;
};

struct p2a_kernel {
	p2a_module *module;
	const void *handle;
	p2a_kernel_attr attr;
	p2a_param *params;
};

struct p2a_module {
	p2a_device *dev;
	void *impl;
	p2a_kernel *kernels;
	size_t nkernels;
	p2a_module *next, **link;
};

/* ---- Errors -------------------------------------------------------------------------------- */

const char *
p2a_rt_status_name(p2a_rt_status s)
{
	static const char *const name[] = {
		[P2A_RT_OK] = "done", [P2A_RT_EARG] = "wrong argument", [P2A_RT_ENOMEM] = "out of memory",
		[P2A_RT_ENODEVICE] = "no device", [P2A_RT_EPTX] = "PTX refused",
		[P2A_RT_EOBJECT] = "code object refused", [P2A_RT_EFAULT] = "fault",
		[P2A_RT_ETIMEOUT] = "timeout", [P2A_RT_EDEVICE] = "device failed",
	};
	size_t i = (size_t)s;

	return i < sizeof name / sizeof *name ? name[i] : "unknown status";
}

static p2a_rt_status
no_memory(p2a_error *err)
{
	return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
}

static p2a_rt_status
null_arg(p2a_error *err, const char *what)
{
	return rt_fail(err, P2A_RT_EARG, "%s must not be NULL", what);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static const backend *
find_backend(const char *name)
{
	for (size_t i = 0; i < NBACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

unsigned
p2a_device_count(const char *name)
{
	const backend *b = name ? find_backend(name) : NULL;

	return b ? b->count() : 0;
}

bool
rt_target_agrees(const char *have, const char *want)
{
	const p2a_target *h = p2a_target_find(have), *w = p2a_target_find(want);

	if (!h || !w)
		return !strncmp(have, want, strcspn(want, ":")) &&
		       strcspn(have, ":") == strcspn(want, ":");
	return h->mach == w->mach && (!w->xnack || !h->xnack || h->xnack == w->xnack) &&
	       (!w->sramecc || !h->sramecc || h->sramecc == w->sramecc);
}

/* A struct's size as its caller has set it. */
static p2a_rt_status
check_size(size_t got, size_t ours, const char *what, p2a_error *err)
{
	if (got >= sizeof got && got <= ours)
		return P2A_RT_OK;
	if (!got)
		return rt_fail(err, P2A_RT_EARG, "%s.size is not set", what);
	return rt_fail(err, P2A_RT_EARG, "%s.size is %zu, it must be %zu (sizeof)", what, got, ours);
}

static p2a_rt_status
open_with(const backend *ops, const p2a_device_config *c, p2a_device *dev, p2a_error *err)
{
	p2a_rt_status s = ops->open(c, &dev->impl, err);

	if (s != P2A_RT_OK)
		return s;
	dev->ops = ops;
	const char *have = ops->device_target(dev->impl);
	if (c->target && !rt_target_agrees(have, c->target)) {
		rt_fail(err, P2A_RT_ENODEVICE, "device %u of '%s' is a %s, not a %s", c->index,
			ops->name, have, c->target);
		ops->close(dev->impl);
		return P2A_RT_ENODEVICE;
	}
	dev->target = p2a_target_find(have);
	return P2A_RT_OK;
}

/* The first backend that has a fitting device; what the last one said if none has. */
static p2a_rt_status
open_auto(const p2a_device_config *c, p2a_device *dev, p2a_error *err)
{
	p2a_rt_status s = P2A_RT_ENODEVICE;

	for (size_t i = 0; i < NBACKENDS && s == P2A_RT_ENODEVICE; i++)
		if (backends[i]->present())
			s = open_with(backends[i], c, dev, err);
	return s;
}

static p2a_rt_status
open_named(const p2a_device_config *c, p2a_device *dev, p2a_error *err)
{
	if (!c->backend || !strcmp(c->backend, "auto"))
		return open_auto(c, dev, err);
	const backend *ops = find_backend(c->backend);
	if (!ops)
		return rt_fail(err, P2A_RT_EARG, "unknown kind of device '%s': it is emu, hip or auto",
			       c->backend);
	return open_with(ops, c, dev, err);
}

p2a_rt_status
p2a_device_open(const p2a_device_config *config, p2a_device **out, p2a_error *err)
{
	p2a_device_config c = { .size = sizeof c };

	if (!out)
		return null_arg(err, "device");
	*out = NULL;
	p2a_rt_status s = config ? check_size(config->size, sizeof c, "p2a_device_config", err) : P2A_RT_OK;
	if (s != P2A_RT_OK)
		return s;
	if (config)
		memcpy(&c, config, config->size);
	if (!(c.timeout >= 0))
		return rt_fail(err, P2A_RT_EARG, "the timeout %s", c.timeout < 0 ? "must not be negative" : "is not a number");
	if ((unsigned)c.check > P2A_CHECK_ALL)
		return rt_fail(err, P2A_RT_EARG, "unknown check level %u", (unsigned)c.check);
	p2a_device *dev = calloc(1, sizeof *dev);
	if (!dev)
		return no_memory(err);
	s = open_named(&c, dev, err);
	if (s != P2A_RT_OK) {
		free(dev);
		return s;
	}
	pthread_mutex_init(&dev->lock, NULL);
	*out = dev;
	return P2A_RT_OK;
}

void
p2a_device_close(p2a_device *dev)
{
	if (!dev)
		return;
	while (dev->modules)
		p2a_module_unload(dev->modules);
	dev->ops->close(dev->impl);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

const char *
p2a_device_backend(const p2a_device *dev)
{
	return dev ? dev->ops->name : "";
}

const char *
p2a_device_name(const p2a_device *dev)
{
	return dev ? dev->ops->device_name(dev->impl) : "";
}

const char *
p2a_device_target(const p2a_device *dev)
{
	return dev ? dev->ops->device_target(dev->impl) : "";
}

const char *
p2a_device_driver(const p2a_device *dev)
{
	return dev ? dev->ops->device_driver(dev->impl) : "";
}

/* ---- Memory ---------------------------------------------------------------------------------- */

p2a_rt_status
p2a_mem_alloc(p2a_device *dev, size_t size, uint64_t *addr, p2a_error *err)
{
	if (!dev || !addr)
		return null_arg(err, dev ? "addr" : "device");
	*addr = 0;
	return dev->ops->alloc(dev->impl, size, addr, err);
}

p2a_rt_status
p2a_mem_free(p2a_device *dev, uint64_t addr, p2a_error *err)
{
	if (!dev)
		return null_arg(err, "device");
	return addr ? dev->ops->free(dev->impl, addr, err) : P2A_RT_OK;
}

p2a_rt_status
p2a_mem_write(p2a_device *dev, uint64_t to, const void *from, size_t size, p2a_error *err)
{
	if (!dev || (!from && size))
		return null_arg(err, dev ? "from" : "device");
	return size ? dev->ops->write(dev->impl, to, from, size, err) : P2A_RT_OK;
}

p2a_rt_status
p2a_mem_read(p2a_device *dev, void *to, uint64_t from, size_t size, p2a_error *err)
{
	if (!dev || (!to && size))
		return null_arg(err, dev ? "to" : "device");
	return size ? dev->ops->read(dev->impl, to, from, size, err) : P2A_RT_OK;
}

p2a_rt_status
p2a_mem_fill(p2a_device *dev, uint64_t to, unsigned char byte, size_t size, p2a_error *err)
{
	if (!dev)
		return null_arg(err, "device");
	return size ? dev->ops->fill(dev->impl, to, byte, size, err) : P2A_RT_OK;
}

/* ---- Modules --------------------------------------------------------------------------------- */

static bool
read_kernel(p2a_module *m, size_t index)
{
	const backend *ops = m->dev->ops;
	p2a_kernel *k = &m->kernels[index];
	backend_kernel bk = { 0 };

	ops->kernel_at(m->impl, index, &bk);
	k->module = m;
	k->handle = bk.handle;
	k->attr = bk.attr;
	k->params = calloc(bk.attr.nparams ? bk.attr.nparams : 1, sizeof *k->params);
	if (!k->params)
		return false;
	k->attr.params = k->params;
	k->attr.param_size = 0;
	for (size_t i = 0; i < bk.attr.nparams; i++) {
		p2a_param *p = &k->params[i];
		ops->param_at(bk.handle, i, p);
		uint64_t end = (uint64_t)p->offset + p->size;
		if (end > k->attr.param_size)
			k->attr.param_size = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
	}
	return true;
}

static bool
read_kernels(p2a_module *m)
{
	m->nkernels = m->dev->ops->kernels(m->impl);
	m->kernels = calloc(m->nkernels ? m->nkernels : 1, sizeof *m->kernels);
	if (!m->kernels)
		return false;
	for (size_t i = 0; i < m->nkernels; i++)
		if (!read_kernel(m, i))
			return false;
	return true;
}

static void
link_module(p2a_module *m)
{
	p2a_device *dev = m->dev;

	pthread_mutex_lock(&dev->lock);
	m->next = dev->modules;
	m->link = &dev->modules;
	if (m->next)
		m->next->link = &m->next;
	dev->modules = m;
	pthread_mutex_unlock(&dev->lock);
}

static void
unlink_module(p2a_module *m)
{
	pthread_mutex_lock(&m->dev->lock);
	if (m->link) {
		*m->link = m->next;
		if (m->next)
			m->next->link = m->link;
	}
	pthread_mutex_unlock(&m->dev->lock);
}

void
p2a_module_unload(p2a_module *m)
{
	if (!m)
		return;
	unlink_module(m);
	m->dev->ops->unload(m->dev->impl, m->impl);
	for (size_t i = 0; m->kernels && i < m->nkernels; i++)
		free(m->kernels[i].params);
	free(m->kernels);
	free(m);
}

static p2a_rt_status
load_object(p2a_device *dev, const void *elf, size_t size, p2a_module **out, p2a_error *err)
{
	p2a_module *m = calloc(1, sizeof *m);

	if (!m)
		return no_memory(err);
	m->dev = dev;
	p2a_rt_status s = dev->ops->load(dev->impl, elf, size, &m->impl, err);
	if (s != P2A_RT_OK) {
		free(m);
		return s;
	}
	if (!read_kernels(m)) {
		p2a_module_unload(m);
		return no_memory(err);
	}
	link_module(m);
	*out = m;
	return P2A_RT_OK;
}

static p2a_rt_status
refused(p2a_error *err, const p2a_result *r)
{
	const p2a_diag *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < r->ndiags; i++) {
		if (r->diags[i].severity != P2A_ERROR)
			continue;
		if (first)
			more++;
		else
			first = &r->diags[i];
	}
	if (r->status == P2A_ENOMEM)
		return no_memory(err);
	if (!first)
		return rt_fail(err, P2A_RT_EPTX, "the translator refused its input: %s",
			       p2a_status_name(r->status));
	if (r->status == P2A_EARG)
		return rt_fail(err, P2A_RT_EARG, "%s", first->message);
	return rt_fail(err, P2A_RT_EPTX, "%s:%u:%u: %s [E%04u]%s", first->file ? first->file : "PTX",
		       (unsigned)first->line, (unsigned)first->column, first->message, first->id,
		       more ? " (and more)" : "");
}

p2a_rt_status
p2a_module_load_ptx(p2a_device *dev, const p2a_source *src, size_t n, const p2a_options *options,
		    p2a_module **out, p2a_error *err)
{
	p2a_options o = { .size = sizeof o };

	if (!dev || !src || !out)
		return null_arg(err, !dev ? "device" : !src ? "source" : "module");
	*out = NULL;
	p2a_rt_status s = options ? check_size(options->size, sizeof o, "p2a_options", err) : P2A_RT_OK;
	if (s != P2A_RT_OK)
		return s;
	if (!dev->target)
		return rt_fail(err, P2A_RT_ENODEVICE, "PTX cannot be translated for this device: p2a does not "
			       "know the chip %s ('p2a targets' lists those that it knows)",
			       p2a_device_target(dev));
	if (options)
		memcpy(&o, options, options->size);
	o.size = sizeof o;
	o.target = p2a_device_target(dev);
	o.emit = P2A_EMIT_HSACO;
	p2a_result *r = p2a_translate(src, n, &o);
	if (!r)
		return no_memory(err);
	s = r->status == P2A_OK ? load_object(dev, r->data, r->size, out, err)
					      : refused(err, r);
	p2a_result_free(r);
	return s;
}

static bool
is_elf(const void *data, size_t size)
{
	return size >= 4 && !memcmp(data, "\177ELF", 4);
}

p2a_rt_status
p2a_module_load(p2a_device *dev, const void *data, size_t size, p2a_module **out, p2a_error *err)
{
	static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";

	if (!dev || !data || !out)
		return null_arg(err, !dev ? "device" : !data ? "data" : "module");
	*out = NULL;
	if (is_elf(data, size))
		return load_object(dev, data, size, out, err);
	if (size >= sizeof bundle - 1 && !memcmp(data, bundle, sizeof bundle - 1))
		return rt_fail(err, P2A_RT_EOBJECT, "this is an offload bundle of several code objects: "
			       "take one out with clang-offload-bundler --unbundle");
	p2a_source src = { .name = "PTX", .text = data, .size = size };
	return p2a_module_load_ptx(dev, &src, 1, NULL, out, err);
}

p2a_rt_status
p2a_module_global(const p2a_module *m, const char *name, uint64_t *addr, size_t *size, p2a_error *err)
{
	uint64_t a = 0;
	size_t n = 0;

	if (!m || !name)
		return null_arg(err, m ? "name" : "module");
	if (!m->dev->ops->global(m->impl, name, &a, &n))
		return rt_fail(err, P2A_RT_EARG, "the module has no variable '%s'", name);
	if (addr)
		*addr = a;
	if (size)
		*size = n;
	return P2A_RT_OK;
}

p2a_rt_status
p2a_module_printed(p2a_module *m, char **text, size_t *size, p2a_error *err)
{
	if (!m || !text || !size)
		return null_arg(err, !m ? "module" : !text ? "text" : "size");
	*text = NULL;
	*size = 0;
	return rt_printed(m->dev->ops, m->dev->impl, m->impl, text, size, err);
}

size_t
p2a_module_kernels(const p2a_module *m)
{
	return m ? m->nkernels : 0;
}

const p2a_kernel *
p2a_module_kernel_at(const p2a_module *m, size_t i)
{
	return m && i < m->nkernels ? &m->kernels[i] : NULL;
}

const p2a_kernel *
p2a_module_kernel(const p2a_module *m, const char *name)
{
	for (size_t i = 0; m && name && i < m->nkernels; i++)
		if (!strcmp(m->kernels[i].attr.name, name))
			return &m->kernels[i];
	return NULL;
}

const p2a_kernel_attr *
p2a_kernel_attributes(const p2a_kernel *k)
{
	return k ? &k->attr : NULL;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static p2a_rt_status
check_geometry(const p2a_kernel *k, const backend_launch *l, p2a_error *err)
{
	const p2a_target *t = k->module->dev->target;
	uint64_t items = 1, lds = (uint64_t)k->attr.lds + l->shared, limit = t ? t->lds : 65536;
	uint32_t most = k->attr.max_block && k->attr.max_block < MAX_BLOCK ? k->attr.max_block : MAX_BLOCK;

	for (int i = 0; i < 3; i++) {
		if (l->block[i] > most)
			return rt_fail(err, P2A_RT_EARG, "kernel '%s' takes at most %u work-items a "
				       "workgroup", k->attr.name, (unsigned)most);
		if ((uint64_t)l->grid[i] * l->block[i] > UINT32_MAX)
			return rt_fail(err, P2A_RT_EARG, "the grid's dimension %c has more than 2^32-1 "
				       "work-items", "xyz"[i]);
		items *= l->block[i];
	}
	if (items > most)
		return rt_fail(err, P2A_RT_EARG, "%llu work-items a workgroup: kernel '%s' takes at most %u",
			       (unsigned long long)items, k->attr.name, (unsigned)most);
	if (lds > limit)
		return rt_fail(err, P2A_RT_EARG, "%llu bytes of shared memory (%u static, %u dynamic): "
			       "the device has %llu", (unsigned long long)lds, (unsigned)k->attr.lds,
			       (unsigned)l->shared, (unsigned long long)limit);
	return P2A_RT_OK;
}

/* Gathers the parameters into bytes laid out by their offsets; *out is to be freed. */
static p2a_rt_status
pack(const p2a_kernel *k, const p2a_launch_config *c, void **out, p2a_error *err)
{
	const p2a_kernel_attr *a = &k->attr;

	if (c->nargs != a->nparams)
		return rt_fail(err, P2A_RT_EARG, "kernel '%s' has %zu parameter%s, %zu given", a->name,
			       a->nparams, a->nparams == 1 ? "" : "s", c->nargs);
	uint8_t *p = calloc(1, (size_t)a->param_size + 1);
	if (!p)
		return no_memory(err);
	for (size_t i = 0; i < a->nparams; i++) {
		if (!c->args || !c->args[i]) {
			free(p);
			return rt_fail(err, P2A_RT_EARG, "parameter %zu of kernel '%s' is NULL", i, a->name);
		}
		memcpy(p + a->params[i].offset, c->args[i], a->params[i].size);
	}
	*out = p;
	return P2A_RT_OK;
}

static p2a_rt_status
take_params(const p2a_kernel *k, const p2a_launch_config *c, backend_launch *l, void **owned,
	    p2a_error *err)
{
	if (k->attr.param_size > MAX_PARAMS)
		return rt_fail(err, P2A_RT_EARG, "kernel '%s' has %u bytes of parameters, the limit is %d",
			       k->attr.name, (unsigned)k->attr.param_size, MAX_PARAMS);
	if (!c->packed) {
		p2a_rt_status s = pack(k, c, owned, err);
		l->params = *owned;
		l->params_size = k->attr.param_size;
		return s;
	}
	if (c->packed_size < k->attr.param_size || c->packed_size > MAX_PARAMS)
		return rt_fail(err, P2A_RT_EARG, "kernel '%s' has %u bytes of parameters, %zu given",
			       k->attr.name, (unsigned)k->attr.param_size, c->packed_size);
	l->params = c->packed;
	l->params_size = c->packed_size;
	return P2A_RT_OK;
}

static void
keep_fault(p2a_device *dev, p2a_rt_status s, const p2a_fault *f)
{
	if (s != P2A_RT_EFAULT && s != P2A_RT_ETIMEOUT)
		return;
	pthread_mutex_lock(&dev->lock);
	dev->fault = *f;
	dev->faulted = true;
	pthread_mutex_unlock(&dev->lock);
}

p2a_rt_status
p2a_launch(const p2a_kernel *k, const p2a_launch_config *config, p2a_stats *stats, p2a_error *err)
{
	p2a_launch_config c = { .size = sizeof c };
	backend_launch l = { .shared = 0 };
	p2a_fault fault = { .lane = -1 };
	void *owned = NULL;

	if (stats)
		*stats = (p2a_stats){ 0 };
	if (!k || !config)
		return null_arg(err, k ? "config" : "kernel");
	p2a_rt_status s = check_size(config->size, sizeof c, "p2a_launch_config", err);
	if (s != P2A_RT_OK)
		return s;
	memcpy(&c, config, config->size);
	for (int i = 0; i < 3; i++) {
		l.grid[i] = c.grid[i] ? c.grid[i] : 1;
		l.block[i] = c.block[i] ? c.block[i] : 1;
	}
	l.shared = c.shared;
	p2a_device *dev = k->module->dev;
	s = check_geometry(k, &l, err);
	if (s == P2A_RT_OK)
		s = take_params(k, &c, &l, &owned, err);
	if (s == P2A_RT_OK)
		s = dev->ops->launch(dev->impl, k->handle, &l, stats, &fault, err);
	free(owned);
	keep_fault(dev, s, &fault);
	return s;
}

p2a_rt_status
p2a_synchronise(p2a_device *dev, p2a_error *err)
{
	p2a_fault fault = { .lane = -1 };

	if (!dev)
		return null_arg(err, "device");
	p2a_rt_status s = dev->ops->sync(dev->impl, &fault, err);
	keep_fault(dev, s, &fault);
	return s;
}

bool
p2a_last_fault(p2a_device *dev, p2a_fault *out)
{
	if (!dev || !out)
		return false;
	pthread_mutex_lock(&dev->lock);
	bool any = dev->faulted;
	if (any)
		*out = dev->fault;
	pthread_mutex_unlock(&dev->lock);
	return any;
}

/* ---- Code objects ------------------------------------------------------------------------------ */

/* The ELF header of an AMDGPU code object: what of it is looked at here. */
enum { ELF_HEADER = 64, ELF_ABI = 8, ELF_MACHINE = 18, ELF_FLAGS = 48, EM_AMDGPU = 224, ABI_V4 = 2 };

/* A feature's two bits in e_flags of version 4 and later: unsupported, any, off, on. */
static void
feature(char *id, size_t cap, const char *name, uint32_t bits)
{
	size_t n = strlen(id);

	if (bits >= 2)
		snprintf(id + n, cap - n, ":%s%c", name, bits == 2 ? '-' : '+');
}

p2a_rt_status
p2a_object_target(const void *elf, size_t size, char id[64], p2a_error *err)
{
	const uint8_t *p = elf;
	uint32_t flags;

	if (!elf || !id)
		return null_arg(err, elf ? "id" : "elf");
	if (size < ELF_HEADER || !is_elf(p, size) || p[4] != 2 || p[5] != 1)
		return rt_fail(err, P2A_RT_EOBJECT, "not a 64-bit little-endian ELF file");
	if ((p[ELF_MACHINE] | p[ELF_MACHINE + 1] << 8) != EM_AMDGPU)
		return rt_fail(err, P2A_RT_EOBJECT, "an ELF file for another machine than AMDGPU");
	if (p[ELF_ABI] < ABI_V4)
		return rt_fail(err, P2A_RT_EOBJECT, "code object version %d: version 4 or later is needed",
			       p[ELF_ABI] + 2);
	memcpy(&flags, p + ELF_FLAGS, sizeof flags);
	for (size_t i = 0; p2a_target_at(i); i++) {
		if (p2a_target_at(i)->mach != (flags & 0xff))
			continue;
		snprintf(id, 64, "%s", p2a_target_name(p2a_target_at(i)));
		feature(id, 64, "sramecc", flags >> 10 & 3);
		feature(id, 64, "xnack", flags >> 8 & 3);
		return P2A_RT_OK;
	}
	return rt_fail(err, P2A_RT_EOBJECT, "code for a chip that p2a does not know (machine 0x%02x)",
		       (unsigned)(flags & 0xff));
}
