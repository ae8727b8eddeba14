/* memory.c -- a device and its memory: buffers, and the table against which every access is
 * checked.
 * The table is immutable and replaced whole, so that running launches read it without a lock;
 * old ones are kept until no launch can still hold them.
 * HSA runtime specification 2.11 for what allocation promises. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/object.h"

enum { PAGE = 4096, MAX_THREADS = 64 };

const emu_table *emu_table_of(emu_device *d)
{
	return __atomic_load_n(&d->table, __ATOMIC_ACQUIRE);
}

/* The last buffer that begins at or below addr: its index + 1. */
static size_t search(const emu_table *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (t->b[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool emu_table_find(const emu_table *t, uint64_t addr, emu_buffer *b)
{
	size_t i = search(t, addr);
	if (!i || addr >= t->b[i - 1].hi)
		return false;
	*b = t->b[i - 1];
	return true;
}

bool emu_table_below(const emu_table *t, uint64_t addr, emu_buffer *b)
{
	size_t i = search(t, addr);
	if (i)
		*b = t->b[i - 1];
	return i;
}

/* Publishes a new table. The old one stays reachable through `old` until no launch runs. */
static void publish(emu_device *d, emu_table *t)
{
	t->old = d->table;
	__atomic_store_n(&d->table, t, __ATOMIC_RELEASE);
	emu_drop_tables(d);
}

static void free_blocks(emu_block *b)
{
	while (b) {
		emu_block *next = b->next;
		free(b->raw);
		free(b);
		b = next;
	}
}

void emu_drop_tables(emu_device *d)
{
	if (d->running)
		return;
	free_blocks(d->retired);
	d->retired = NULL;
	emu_table *t = d->table->old;
	d->table->old = NULL;
	while (t) {
		emu_table *next = t->old;
		free(t);
		t = next;
	}
}

/* The host gets the pages back at once, the addresses only after EMU_QUARANTINE others: who still
 * uses them shall be found out, not hit what came after. */
void emu_bury(emu_device *d, void *raw, size_t size)
{
	uintptr_t lo = ((uintptr_t)raw + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t hi = ((uintptr_t)raw + size) & ~(uintptr_t)(PAGE - 1);
	if (raw && lo < hi)
		madvise((char *)raw + (lo - (uintptr_t)raw), hi - lo, MADV_DONTNEED);
	void **place = &d->buried[d->next_buried++ % EMU_QUARANTINE];
	free(*place);
	*place = raw;
}

static void drop_buried(emu_device *d)
{
	for (size_t i = 0; i < EMU_QUARANTINE; i++) {
		free(d->buried[i]);
		d->buried[i] = NULL;
	}
}

/* Zeroed memory of the host; the quarantine gives way where it is short. */
static void *get_zeroed(emu_device *d, size_t size)
{
	void *p = calloc(1, size);
	if (p)
		return p;
	pthread_mutex_lock(&d->lock);
	drop_buried(d);
	pthread_mutex_unlock(&d->lock);
	return calloc(1, size);
}

static emu_table *new_table(size_t n)
{
	emu_table *t = malloc(sizeof *t + n * sizeof *t->b);
	if (t) {
		t->n = n;
		t->old = NULL;
	}
	return t;
}

/* The device's lock is held. */
static emu_status add(emu_device *d, emu_buffer b)
{
	const emu_table *o = d->table;
	size_t at = search(o, b.lo);
	if ((at && o->b[at - 1].hi > b.lo) || (at < o->n && o->b[at].lo < b.hi))
		return EMU_EARG;
	emu_table *t = new_table(o->n + 1);
	if (!t)
		return EMU_ENOMEM;
	memcpy(t->b, o->b, at * sizeof *t->b);
	t->b[at] = b;
	memcpy(t->b + at + 1, o->b + at, (o->n - at) * sizeof *t->b);
	publish(d, t);
	return EMU_OK;
}

static emu_status take_out(emu_device *d, uint64_t addr)
{
	const emu_table *o = d->table;
	size_t at = search(o, addr);
	if (!at || o->b[at - 1].lo != addr)
		return EMU_EARG;
	emu_table *t = new_table(o->n - 1);
	if (!t)
		return EMU_ENOMEM;
	memcpy(t->b, o->b, (at - 1) * sizeof *t->b);
	memcpy(t->b + at - 1, o->b + at, (o->n - at) * sizeof *t->b);
	publish(d, t);
	return EMU_OK;
}

emu_status emu_table_add(emu_device *d, emu_buffer b)
{
	pthread_mutex_lock(&d->lock);
	emu_status s = add(d, b);
	pthread_mutex_unlock(&d->lock);
	return s;
}

/* Waits until every launch that began before now has ended. The lock is held. */
static void wait_launches(emu_device *d)
{
	uint64_t now = d->epoch;
	for (;;) {
		emu_running *r = d->running;
		while (r && r->epoch > now)
			r = r->next;
		if (!r)
			return;
		pthread_cond_wait(&d->idle, &d->lock);
	}
}

emu_status emu_table_remove(emu_device *d, uint64_t addr)
{
	pthread_mutex_lock(&d->lock);
	emu_status s = take_out(d, addr);
	if (s == EMU_OK)
		wait_launches(d);
	pthread_mutex_unlock(&d->lock);
	return s;
}

void emu_enter(emu_device *d, emu_running *r)
{
	pthread_mutex_lock(&d->lock);
	r->epoch = ++d->epoch;
	r->next = d->running;
	d->running = r;
	pthread_mutex_unlock(&d->lock);
}

void emu_leave(emu_device *d, emu_running *r)
{
	pthread_mutex_lock(&d->lock);
	emu_running **p = &d->running;
	while (*p != r)
		p = &(*p)->next;
	*p = r->next;
	emu_drop_tables(d);
	pthread_cond_broadcast(&d->idle);
	pthread_mutex_unlock(&d->lock);
}

/* Blocks stand a page apart at least, so that running over one end does not land in the next. One of no bytes has an
 * address that nothing may touch. */
uint64_t emu_alloc(emu_device *d, size_t size)
{
	if (!d || size > d->memory)
		return 0;
	emu_block *b = malloc(sizeof *b);
	/* zero pages that nothing touches cost nothing */
	char *p = b ? get_zeroed(d, size + 2 * PAGE) : NULL;
	if (!p) {
		free(b);
		return 0;
	}
	b->raw = p;
	b->size = size + 2 * PAGE;
	b->addr = (uint64_t)(uintptr_t)(p + (-(uintptr_t)p & (PAGE - 1)));
	pthread_mutex_lock(&d->lock);
	emu_status s = size > d->memory - d->used ? EMU_ENOMEM : add(d, (emu_buffer){ b->addr, b->addr + size, 0, true, false });
	if (s == EMU_OK) {
		d->used += size;
		b->next = d->blocks;
		d->blocks = b;
	}
	pthread_mutex_unlock(&d->lock);
	if (s == EMU_OK)
		return b->addr;
	free(b->raw);
	free(b);
	return 0;
}

/* Takes a block out of the table and of the device's list. The lock is held. */
static emu_block *unlink_block(emu_device *d, uint64_t addr)
{
	emu_block **p = &d->blocks;
	while (*p && (*p)->addr != addr)
		p = &(*p)->next;
	emu_block *b = *p;
	if (!b || take_out(d, addr) != EMU_OK)
		return NULL;
	*p = b->next;
	b->next = NULL;
	d->used -= b->size - 2 * PAGE;
	return b;
}

emu_status emu_free(emu_device *d, uint64_t addr)
{
	if (!d)
		return EMU_EARG;
	pthread_mutex_lock(&d->lock);
	emu_block *b = unlink_block(d, addr);
	if (b) {
		wait_launches(d);
		emu_bury(d, b->raw, b->size);
		free(b);
	}
	pthread_mutex_unlock(&d->lock);
	return b ? EMU_OK : EMU_EARG;
}

void emu_memory(emu_device *d, uint64_t *total, uint64_t *used)
{
	pthread_mutex_lock(&d->lock);
	*total = d->memory;
	*used = d->used;
	pthread_mutex_unlock(&d->lock);
}

/* For a launch's own memory: other launches, which may wait for this one's end, are not waited
 * for. */
void emu_retire(emu_device *d, uint64_t addr)
{
	pthread_mutex_lock(&d->lock);
	emu_block *b = unlink_block(d, addr);
	if (b) {
		b->next = d->retired;
		d->retired = b;
		emu_drop_tables(d);
	}
	pthread_mutex_unlock(&d->lock);
}

emu_status emu_map(emu_device *d, void *host, size_t size, bool writable)
{
	return emu_map_at(d, (uint64_t)(uintptr_t)host, host, size, writable);
}

emu_status emu_map_at(emu_device *d, uint64_t addr, void *host, size_t size, bool writable)
{
	if (!d || !host || !addr || !size || addr + size < addr)
		return EMU_EARG;
	return emu_table_add(d, (emu_buffer){ addr, addr + size, (uint64_t)(uintptr_t)host - addr,
		writable, false });
}

emu_status emu_unmap(emu_device *d, void *host)
{
	return d && host ? emu_table_remove(d, (uint64_t)(uintptr_t)host) : EMU_EARG;
}

emu_status emu_unmap_soon(emu_device *d, uint64_t addr)
{
	if (!d)
		return EMU_EARG;
	pthread_mutex_lock(&d->lock);
	emu_status s = take_out(d, addr);
	pthread_mutex_unlock(&d->lock);
	return s;
}

bool emu_find_buffer(emu_device *d, uint64_t addr, uint64_t *start, size_t *size)
{
	emu_buffer b;
	pthread_mutex_lock(&d->lock);
	bool found = emu_table_find(d->table, addr, &b);
	pthread_mutex_unlock(&d->lock);
	if (found) {
		*start = b.lo;
		*size = b.hi - b.lo;
	}
	return found;
}

static bool encloses(uint64_t start, uint64_t n, uint64_t addr, uint64_t size)
{
	return addr >= start && addr - start <= n && size <= n - (addr - start);
}

bool emu_holds(emu_device *d, uint64_t addr, size_t size)
{
	emu_buffer b;
	pthread_mutex_lock(&d->lock);
	bool held = emu_table_find(d->table, addr, &b) && encloses(b.lo, b.hi - b.lo, addr, size);
	emu_object *o = d->objects;
	while (held && o && !emu_object_holds(o, addr))
		o = o->next;
	pthread_mutex_unlock(&d->lock);
	if (!held || !o)
		return held;
	for (size_t i = 0; i < emu_symbol_count(o); i++) {
		const emu_symbol *s = emu_symbol_at(o, i);
		if (emu_is_variable(s) && encloses(s->addr, s->size, addr, size))
			return true;
	}
	return false;
}

/* The widest vector operations that the host runs, at most `want` (0: any). */
static unsigned pick_simd(unsigned want)
{
	unsigned have = 1;
#if defined(__x86_64__) && defined(__GNUC__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi2"))
		have = 2;
	if (have == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		have = 3;
#endif
	return want && want < have ? want : have;
}

static uint64_t half_of_the_host(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (uint64_t)pages / 2 * (uint64_t)size : UINT64_MAX;
}

static unsigned pick_threads(unsigned want)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned k = want ? want : n > 0 ? (unsigned)n : 1;
	return k > MAX_THREADS ? MAX_THREADS : k;
}

emu_status emu_error_set(emu_error *e, emu_status s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (e)
		vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return s;
}

emu_status emu_create(const emu_config *c, emu_device **out, emu_error *err)
{
	static const emu_vfn *const hot[] = { NULL, emu_hot_base, emu_hot_avx2, emu_hot_avx512 };
	if (!c || !out || !c->target || c->size < sizeof(size_t) + sizeof(char *))
		return emu_error_set(err, EMU_EARG, "no target");
	*out = NULL;
	emu_config full = { 0 };
	memcpy(&full, c, c->size < sizeof full ? c->size : sizeof full);
	const p2a_target *t = p2a_target_find(full.target);
	if (!t)
		return emu_error_set(err, EMU_EARG, "unknown target '%s': p2a_target_at() lists them", full.target);
	emu_device *d = calloc(1, sizeof *d);
	if (!d || !(d->table = new_table(0))) {
		free(d);
		return emu_error_set(err, EMU_ENOMEM, "out of memory");
	}
	d->target = *t;
	d->check = full.check ? full.check : EMU_CHECK_MEMORY;
	d->timeout = full.timeout > 0 ? full.timeout : 0;
	d->unaligned_lds = full.unaligned_lds;
	d->shared = full.shared;
	d->wave_memory = half_of_the_host() / 2;
	d->memory = full.memory ? full.memory : half_of_the_host();
	d->threads = pick_threads(full.threads);
	d->simd = pick_simd(full.simd);
	d->hot = hot[d->simd];
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->idle, NULL);
	*out = d;
	return EMU_OK;
}

void emu_destroy(emu_device *d)
{
	if (!d)
		return;
	while (d->objects)
		emu_unload(d->objects);
	while (d->blocks)
		emu_free(d, d->blocks->addr);
	emu_drop_tables(d);
	drop_buried(d);
	free(d->table);
	pthread_cond_destroy(&d->idle);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

const char *emu_target(const emu_device *d) { return d->target.name; }
unsigned emu_wave_size(const emu_device *d) { return d->target.wave; }
const char *emu_simd(const emu_device *d)
{
	static const char *const name[] = { "", "baseline", "avx2", "avx512" };
	return name[d->simd];
}
