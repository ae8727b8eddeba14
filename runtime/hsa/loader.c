/* loader.c -- code objects, executables and their symbols.
 * Needs the emulator's loader, which reads the file; leaves kernels as symbols NAME.kd and variables by their names,
 * global ones only. What is refused is said on standard error.
 * HSA Runtime Programmer's Reference Manual 2.10; LLVM's AMDGPU guide, "ELF Code Object"; statuses as ROCr's. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hsa/runtime.h"

enum { STT_OBJECT = 1, STB_LOCAL = 0, EM_AMDGPU = 224, KERNARG_ALIGN = 16 };

typedef struct reader {
	const uint8_t *p;
	size_t size;
	bool owned;
} reader;

typedef struct symbol {
	const emu_symbol *s;
	struct loaded *in;
	bool kernel;
} symbol;

typedef struct loaded {
	struct loaded *next;
	struct executable *exe;
	rt_agent *agent;
	emu_object *object;
	const uint8_t *file;         /* the caller's, who keeps it */
	size_t file_size;
	symbol *symbol;
	size_t nsymbols;
} loaded;

typedef struct executable {
	struct executable *next;
	loaded *first;
	uint32_t profile, rounding;
	bool frozen;
} executable;

static struct {
	pthread_mutex_t lock;
	executable *first;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Readers --------------------------------------------------------------------------------- */

static hsa_status_t new_reader(reader r, hsa_code_object_reader_t *out)
{
	reader *p = malloc(sizeof *p);
	if (!p)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*p = r;
	out->handle = (uint64_t)(uintptr_t)p;
	return RT_OK;
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void *p, size_t size, hsa_code_object_reader_t *out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!p || !size || !out)
		return RT_BAD;
	return new_reader((reader){ p, size, false }, out);
}

static hsa_status_t read_part(int fd, size_t offset, size_t size, hsa_code_object_reader_t *out)
{
	uint8_t *p = malloc(size);
	size_t n = 0;
	if (!p)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	while (n < size) {
		ssize_t k = pread(fd, p + n, size - n, (off_t)(offset + n));
		if (k <= 0)
			break;
		n += (size_t)k;
	}
	hsa_status_t s = n == size ? new_reader((reader){ p, size, true }, out) : HSA_STATUS_ERROR_INVALID_FILE;
	if (s != RT_OK)
		free(p);
	return s;
}

static hsa_status_t reader_from_part(int fd, size_t offset, size_t size, hsa_code_object_reader_t *out)
{
	struct stat st;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!out || !size)
		return RT_BAD;
	if (fstat(fd, &st) || st.st_size < 0 || offset > (size_t)st.st_size || size > (size_t)st.st_size - offset)
		return HSA_STATUS_ERROR_INVALID_FILE;
	return read_part(fd, offset, size, out);
}

hsa_status_t hsa_code_object_reader_create_from_file(int fd, hsa_code_object_reader_t *out)
{
	struct stat st;
	if (fstat(fd, &st) || st.st_size <= 0)
		return rt_ready() ? HSA_STATUS_ERROR_INVALID_FILE : HSA_STATUS_ERROR_NOT_INITIALIZED;
	return reader_from_part(fd, 0, (size_t)st.st_size, out);
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t h)
{
	reader *r = (reader *)(uintptr_t)h.handle;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!r)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	if (r->owned)
		free((uint8_t *)(uintptr_t)r->p);
	free(r);
	return RT_OK;
}

/* ---- Executables ----------------------------------------------------------------------------- */

hsa_status_t hsa_executable_create_alt(uint32_t profile, uint32_t rounding, const char *options, hsa_executable_t *out)
{
	(void)options;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!out || profile > HSA_PROFILE_FULL || rounding > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
		return RT_BAD;
	executable *e = calloc(1, sizeof *e);
	if (!e)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	e->profile = profile;
	e->rounding = rounding;
	pthread_mutex_lock(&all.lock);
	e->next = all.first;
	all.first = e;
	pthread_mutex_unlock(&all.lock);
	out->handle = (uint64_t)(uintptr_t)e;
	return RT_OK;
}

hsa_status_t hsa_executable_create(uint32_t profile, uint32_t state, const char *options, hsa_executable_t *out)
{
	hsa_status_t s = state <= HSA_EXECUTABLE_STATE_FROZEN ? hsa_executable_create_alt(profile, 0, options, out) : RT_BAD;
	if (s == RT_OK && state == HSA_EXECUTABLE_STATE_FROZEN)
		s = hsa_executable_freeze(*out, options);
	return s;
}

/* The lock is held. */
static executable *find(hsa_executable_t h)
{
	executable *e = all.first;
	while (e && (uint64_t)(uintptr_t)e != h.handle)
		e = e->next;
	return e;
}

static void unload(loaded *l)
{
	emu_unload(l->object);
	free(l->symbol);
	free(l);
}

static void destroy(executable *e)
{
	for (loaded *l = e->first, *next; l; l = next) {
		next = l->next;
		unload(l);
	}
	free(e);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t h)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&all.lock);
	executable *e = find(h);
	for (executable **p = &all.first; e && *p; p = &(*p)->next)
		if (*p == e) {
			*p = e->next;
			break;
		}
	pthread_mutex_unlock(&all.lock);
	if (!e)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	destroy(e);
	return RT_OK;
}

void rt_close_executables(void)
{
	pthread_mutex_lock(&all.lock);
	for (executable *e; (e = all.first);) {
		all.first = e->next;
		destroy(e);
	}
	pthread_mutex_unlock(&all.lock);
}

void rt_each_object(const rt_agent *a, void (*call)(const emu_object *))
{
	pthread_mutex_lock(&all.lock);
	for (const executable *e = all.first; e; e = e->next)
		for (const loaded *l = e->first; l; l = l->next)
			if (l->agent == a)
				call(l->object);
	pthread_mutex_unlock(&all.lock);
}

/* Looks at the ELF header only: is this a code object at all, and for this chip? */
static hsa_status_t check_header(const reader *r, const rt_agent *a)
{
	static const uint8_t ident[8] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, 64 };
	uint32_t flags;
	if (r->size < 64 || memcmp(r->p, ident, sizeof ident) || (r->p[18] | r->p[19] << 8) != EM_AMDGPU)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	memcpy(&flags, r->p + 48, sizeof flags);
	uint32_t xnack = flags >> 8 & 3, sramecc = flags >> 10 & 3;
	const char *has = strchr(a->isa, ':');
	if ((flags & 0xff) != a->target->mach) {
		for (size_t i = 0; p2a_target_at(i); i++)
			if (p2a_target_at(i)->mach == (flags & 0xff))
				return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	}
	if (r->p[8] < 2 || r->p[8] > 4)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	if ((xnack >= 2 && (!has || !strstr(has, xnack == 3 ? "xnack+" : "xnack-"))) ||
		(sramecc >= 2 && (!has || !strstr(has, sramecc == 3 ? "sramecc+" : "sramecc-"))))
		return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
	return RT_OK;
}

/* The chip that the ELF header names, with what it demands of it. */
static void chip_of(uint32_t flags, char *text, size_t size)
{
	static const char *const xnack[] = { "", "", ":xnack-", ":xnack+" }, *const sramecc[] = { "", "", ":sramecc-", ":sramecc+" };
	const char *name = "an unknown chip";
	for (size_t i = 0; p2a_target_at(i); i++)
		if (p2a_target_at(i)->mach == (flags & 0xff))
			name = p2a_target_at(i)->name;
	snprintf(text, size, "%s%s%s", name, sramecc[flags >> 10 & 3], xnack[flags >> 8 & 3]);
}

void rt_explain_object(const uint8_t *head)
{
	const reader r = { head, RT_OBJECT_HEAD, false };
	char chip[RT_NAME], devices[RT_MAX_DEVICES * RT_NAME] = "";
	uint32_t flags;
	bool fits = false;
	memcpy(&flags, head + 48, sizeof flags);
	for (uint32_t i = 1; i < rt.nagents; i++) {
		fits |= check_header(&r, &rt.agent[i]) == RT_OK;
		snprintf(devices + strlen(devices), sizeof devices - strlen(devices), "%s%s", i > 1 ? ", " : "", strstr(rt.agent[i].isa, "--") + 2);
	}
	if (memcmp(head, "\177ELF", 4)) {
		if (memmem(head, RT_OBJECT_HEAD, ".version", 8) || !memcmp(head, "//", 2))
			rt_say("HIP takes no PTX text: p2a compile makes a code object of it");
		return;
	}
	if ((head[18] | head[19] << 8) != EM_AMDGPU) {
		rt_say("HIP does not take an object: it is an ELF file, but not for AMD's GPUs");
		return;
	}
	chip_of(flags, chip, sizeof chip);
	if (!fits)
		rt_say("HIP does not take a code object: it is for %s, and the device is %s", chip, devices);
	else if (head[8] > 2)
		rt_say("HIP does not take a code object: it has version %u, and HIP before 5.6 takes version 4 only (p2a compile --code-object=4)",
			head[8] + 2u);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static bool list_symbols(loaded *l)
{
	size_t n = emu_symbol_count(l->object);
	l->symbol = calloc(n + 1, sizeof *l->symbol);
	for (size_t i = 0; l->symbol && i < n; i++) {
		const emu_symbol *s = emu_symbol_at(l->object, i);
		if (s->type == STT_OBJECT && s->binding != STB_LOCAL)
			l->symbol[l->nsymbols++] = (symbol){ s, l, ends_with(s->name, ".kd") && s->size == 64 };
	}
	return l->symbol;
}

static const symbol *find_symbol(const executable *e, const rt_agent *a, const char *name)
{
	for (const loaded *l = e->first; l; l = l->next)
		for (size_t i = 0; l->agent == a && i < l->nsymbols; i++)
			if (!strcmp(l->symbol[i].s->name, name))
				return &l->symbol[i];
	return NULL;
}

/* The lock is held. */
static hsa_status_t add(executable *e, loaded *l)
{
	if (e->frozen)
		return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
	for (size_t i = 0; i < l->nsymbols; i++)
		if (find_symbol(e, l->agent, l->symbol[i].s->name))
			return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
	l->exe = e;
	l->next = e->first;
	e->first = l;
	return RT_OK;
}

static hsa_status_t load(loaded *l, const reader *r)
{
	emu_error err = { "" };
	hsa_status_t s = rt_lost(l->agent) ? HSA_STATUS_ERROR_FATAL : check_header(r, l->agent);
	emu_status es = emu_load(l->agent->dev, r->p, r->size, &l->object, &err);
	if (es != EMU_OK)
		rt_say("a code object is refused: %s", err.text);
	if (s == RT_OK && es != EMU_OK)
		s = es == EMU_ENOMEM ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	if (s == RT_OK && !list_symbols(l))
		s = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (s == RT_OK)
		rt_warn_of_kernels(l->object);
	return s;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t h, hsa_agent_t agent, hsa_code_object_reader_t rh,
	const char *options, hsa_loaded_code_object_t *out)
{
	const reader *r = (const reader *)(uintptr_t)rh.handle;
	(void)options;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	rt_agent *a = rt_gpu_of(agent);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!r)
		return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
	loaded *l = calloc(1, sizeof *l);
	if (!l)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*l = (loaded){ .agent = a, .file = r->p, .file_size = r->size };
	pthread_mutex_lock(&all.lock);
	executable *e = find(h);
	hsa_status_t s = !e ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : e->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : load(l, r);
	if (s == RT_OK)
		s = add(e, l);
	pthread_mutex_unlock(&all.lock);
	if (s != RT_OK)
		unload(l);
	else if (out)
		out->handle = (uint64_t)(uintptr_t)l;
	return s;
}

hsa_status_t hsa_executable_freeze(hsa_executable_t h, const char *options)
{
	(void)options;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&all.lock);
	executable *e = find(h);
	hsa_status_t s = !e ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : e->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : RT_OK;
	if (s == RT_OK)
		e->frozen = true;
	pthread_mutex_unlock(&all.lock);
	return s;
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t h, const char *options, uint32_t *result)
{
	(void)options;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&all.lock);
	bool ok = find(h);
	pthread_mutex_unlock(&all.lock);
	if (!ok)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (!result)
		return RT_BAD;
	*result = 0;
	return RT_OK;
}

hsa_status_t hsa_executable_validate(hsa_executable_t h, uint32_t *result)
{
	return hsa_executable_validate_alt(h, NULL, result);
}

hsa_status_t hsa_executable_get_info(hsa_executable_t h, uint32_t attribute, void *value)
{
	hsa_status_t s = value ? RT_OK : RT_BAD;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&all.lock);
	const executable *e = find(h);
	if (!e)
		s = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	else if (s == RT_OK)
		switch (attribute) {
		case HSA_EXECUTABLE_INFO_PROFILE: *(uint32_t *)value = e->profile; break;
		case HSA_EXECUTABLE_INFO_STATE: *(uint32_t *)value = e->frozen; break;
		case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE: *(uint32_t *)value = e->rounding; break;
		default: s = RT_BAD;
		}
	pthread_mutex_unlock(&all.lock);
	return s;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t h, const char *name, const hsa_agent_t *agent,
	hsa_executable_symbol_t *out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!name || !out)
		return RT_BAD;
	const rt_agent *a = agent ? rt_agent_of(*agent) : NULL;
	if (agent && !a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	pthread_mutex_lock(&all.lock);
	const executable *e = find(h);
	const symbol *s = e ? find_symbol(e, a, name) : NULL;
	pthread_mutex_unlock(&all.lock);
	if (!s)
		return e ? HSA_STATUS_ERROR_INVALID_SYMBOL_NAME : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	out->handle = (uint64_t)(uintptr_t)s;
	return RT_OK;
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t h, const char *module, const char *name, hsa_agent_t agent,
	int32_t convention, hsa_executable_symbol_t *out)
{
	(void)convention;
	if (module && *module)
		return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
	return hsa_executable_get_symbol_by_name(h, name, &agent, out);
}

static const symbol *symbol_of(hsa_executable_symbol_t h)
{
	const symbol *p = (const symbol *)(uintptr_t)h.handle, *found = NULL;
	pthread_mutex_lock(&all.lock);
	for (const executable *e = all.first; e && !found; e = e->next)
		for (const loaded *l = e->first; l && !found; l = l->next)
			if (p >= l->symbol && p < l->symbol + l->nsymbols)
				found = p;
	pthread_mutex_unlock(&all.lock);
	return found;
}

/* A kernel's descriptor: sizes at offset 0, properties at 56. */
static hsa_status_t kernel_info(const symbol *s, uint32_t attribute, void *v)
{
	const uint8_t *kd = (const uint8_t *)(uintptr_t)s->s->addr;
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT: *(uint64_t *)v = s->s->addr; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE: memcpy(v, kd, 4); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE: memcpy(v, kd + 4, 4); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE: memcpy(v, kd + 8, 4); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT: *(uint32_t *)v = KERNARG_ALIGN; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK: *(bool *)v = kd[57] >> 3 & 1; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION: *(uint32_t *)v = 0; return RT_OK;
	default: return RT_BAD;
	}
}

static hsa_status_t variable_info(const symbol *s, uint32_t attribute, void *v)
{
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: *(uint64_t *)v = s->s->addr; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE: *(uint32_t *)v = (uint32_t)s->s->size; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: *(uint32_t *)v = (uint32_t)(s->s->addr & -s->s->addr & 4095); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION: *(uint32_t *)v = 0; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT: *(uint32_t *)v = 0; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: *(bool *)v = false; return RT_OK;
	default: return RT_BAD;
	}
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t h, uint32_t attribute, void *v)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const symbol *s = symbol_of(h);
	if (!s)
		return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
	if (!v)
		return RT_BAD;
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
		*(uint32_t *)v = s->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
		return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH: *(uint32_t *)v = (uint32_t)strlen(s->s->name); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME: memcpy(v, s->s->name, strlen(s->s->name)); return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH: *(uint32_t *)v = 0; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME: return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_AGENT: *(uint64_t *)v = (uint64_t)(uintptr_t)s->in->agent; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: *(uint32_t *)v = HSA_SYMBOL_LINKAGE_PROGRAM; return RT_OK;
	case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: *(bool *)v = true; return RT_OK;
	default: return s->kernel ? kernel_info(s, attribute, v) : variable_info(s, attribute, v);
	}
}

/* Calls back without the lock: who iterates does not destroy the executable meanwhile. */
hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t h, hsa_agent_t agent,
	hsa_status_t (*call)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void *), void *data)
{
	hsa_status_t s = RT_OK;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_agent *a = rt_agent_of(agent);
	pthread_mutex_lock(&all.lock);
	const executable *e = find(h);
	const loaded *l = e ? e->first : NULL;
	pthread_mutex_unlock(&all.lock);
	if (!e || !a)
		return e ? HSA_STATUS_ERROR_INVALID_AGENT : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
	if (!call)
		return RT_BAD;
	for (; l; l = l->next)
		for (size_t i = 0; l->agent == a && i < l->nsymbols && s == RT_OK; i++)
			s = call(h, agent, (hsa_executable_symbol_t){ (uint64_t)(uintptr_t)&l->symbol[i] }, data);
	return s;
}

typedef struct plain_call {
	hsa_status_t (*call)(hsa_executable_t, hsa_executable_symbol_t, void *);
	void *data;
} plain_call;

static hsa_status_t without_agent(hsa_executable_t e, hsa_agent_t a, hsa_executable_symbol_t s, void *data)
{
	const plain_call *p = data;
	(void)a;
	return p->call(e, s, p->data);
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t h,
	hsa_status_t (*call)(hsa_executable_t, hsa_executable_symbol_t, void *), void *data)
{
	plain_call p = { call, data };
	hsa_status_t s = call ? RT_OK : RT_BAD;
	for (uint32_t i = 0; s == RT_OK && (i < rt.nagents || !i); i++) {
		hsa_agent_t a = { (uint64_t)(uintptr_t)&rt.agent[i] };
		s = hsa_executable_iterate_agent_symbols(h, a, without_agent, &p);
	}
	return s;
}

/* Everything is loaded for an agent: there are no program-wide symbols. */
hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t h,
	hsa_status_t (*call)(hsa_executable_t, hsa_executable_symbol_t, void *), void *data)
{
	uint32_t state;
	(void)data;
	return call ? hsa_executable_get_info(h, HSA_EXECUTABLE_INFO_STATE, &state) : RT_BAD;
}

/* ---- The loader extension -------------------------------------------------------------------- */

static hsa_status_t query_host_address(const void *device, const void **host)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!device || !host)
		return RT_BAD;
	*host = rt_host_address(device, 1);
	return *host ? RT_OK : RT_BAD;
}

static const loaded *loaded_at(const void *device)
{
	uint64_t start, vaddr;
	size_t size;
	for (const executable *e = all.first; e; e = e->next)
		for (const loaded *l = e->first; l; l = l->next) {
			emu_image(l->object, &start, &size, &vaddr);
			if ((uint64_t)(uintptr_t)device - start < size)
				return l;
		}
	return NULL;
}

static hsa_status_t query_executable(const void *device, hsa_executable_t *out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!device || !out)
		return RT_BAD;
	pthread_mutex_lock(&all.lock);
	const loaded *l = loaded_at(device);
	out->handle = l ? (uint64_t)(uintptr_t)l->exe : 0;
	pthread_mutex_unlock(&all.lock);
	return l ? RT_OK : RT_BAD;
}

/* One a loaded object: its segments lie together. */
static hsa_status_t query_segments(hsa_ven_amd_loader_segment_descriptor_t *d, size_t *n)
{
	size_t k = 0;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!n || (d && !*n))
		return RT_BAD;
	pthread_mutex_lock(&all.lock);
	for (const executable *e = all.first; e; e = e->next)
		for (const loaded *l = e->first; l; l = l->next, k++) {
			uint64_t start, vaddr;
			size_t size;
			emu_image(l->object, &start, &size, &vaddr);
			if (d && k < *n)
				d[k] = (hsa_ven_amd_loader_segment_descriptor_t){
					.agent = { (uint64_t)(uintptr_t)l->agent }, .executable = { (uint64_t)(uintptr_t)e },
					.code_object_storage_type = 2, .code_object_storage_base = l->file,
					.code_object_storage_size = l->file_size, .segment_base = (void *)(uintptr_t)start,
					.segment_size = size };
		}
	pthread_mutex_unlock(&all.lock);
	bool fits = !d || *n == k;
	*n = k;
	return fits ? RT_OK : HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}

static hsa_status_t iterate_loaded(hsa_executable_t h,
	hsa_status_t (*call)(hsa_executable_t, hsa_loaded_code_object_t, void *), void *data)
{
	hsa_status_t s = RT_OK;
	pthread_mutex_lock(&all.lock);
	const executable *e = find(h);
	const loaded *l = e ? e->first : NULL;
	pthread_mutex_unlock(&all.lock);
	if (!e || !call)
		return call ? HSA_STATUS_ERROR_INVALID_EXECUTABLE : RT_BAD;
	for (; l && s == RT_OK; l = l->next)
		s = call(h, (hsa_loaded_code_object_t){ (uint64_t)(uintptr_t)l }, data);
	return s;
}

static hsa_status_t loaded_get_info(hsa_loaded_code_object_t h, uint32_t attribute, void *v)
{
	const loaded *l = (const loaded *)(uintptr_t)h.handle;
	uint64_t start, vaddr;
	size_t size;
	if (!l || !v)
		return l ? RT_BAD : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	emu_image(l->object, &start, &size, &vaddr);
	switch (attribute) {
	case 1: *(uint64_t *)v = (uint64_t)(uintptr_t)l->exe; return RT_OK;
	case 2: *(uint32_t *)v = 2; return RT_OK;        /* kind: of an agent */
	case 3: *(uint64_t *)v = (uint64_t)(uintptr_t)l->agent; return RT_OK;
	case 4: *(uint32_t *)v = 2; return RT_OK;        /* storage: memory */
	case 5: *(uint64_t *)v = (uint64_t)(uintptr_t)l->file; return RT_OK;
	case 6: *(uint64_t *)v = l->file_size; return RT_OK;
	case 8: *(int64_t *)v = (int64_t)(start - vaddr); return RT_OK;
	case 9: *(uint64_t *)v = start; return RT_OK;
	case 10: *(uint64_t *)v = size; return RT_OK;
	case 11: *(uint32_t *)v = 0; return RT_OK;       /* no URI */
	default: return RT_BAD;
	}
}

static hsa_status_t iterate_executables(hsa_status_t (*call)(hsa_executable_t, void *), void *data)
{
	hsa_status_t s = RT_OK;
	if (!call)
		return RT_BAD;
	pthread_mutex_lock(&all.lock);
	const executable *e = all.first;
	pthread_mutex_unlock(&all.lock);
	for (; e && s == RT_OK; e = e->next)
		s = call((hsa_executable_t){ (uint64_t)(uintptr_t)e }, data);
	return s;
}

hsa_status_t rt_loader_table(size_t size, void *table)
{
	static const hsa_ven_amd_loader_1_03_pfn_t t = { query_host_address, query_segments, query_executable, iterate_loaded,
		loaded_get_info, reader_from_part, iterate_executables };
	memcpy(table, &t, size < sizeof t ? size : sizeof t);
	return RT_OK;
}
