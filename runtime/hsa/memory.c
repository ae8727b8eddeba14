/* memory.c -- memory that kernels and the host share: blocks of the pools, the program's own memory that
 * it locked, and which agent may access what.
 * A device address is the host's address, but for locked memory: that gets an address of its own, as from AMD's
 * driver (libamdhip64 5.2 relies on the difference). Needs the emulator's tables of buffers; leaves them true.
 * HSA Runtime Programmer's Reference Manual 2.7; AMD's memory pools. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hsa/runtime.h"

enum { PAGE = 4096, QUARANTINE = 256 };
/* Where addresses of locked memory begin: no host pointer of x86-64 or AArch64 lies there. */
#define ALIAS_BASE ((uint64_t)1 << 47)
#define ALIAS_END  ((uint64_t)1 << 48)

typedef struct watcher {
	struct watcher *next;
	hsa_amd_deallocation_callback_t call;
	void *user;
} watcher;

typedef struct block {
	uint64_t lo;                 /* as agents see it */
	size_t size;                 /* as asked for */
	uint8_t *host;               /* as the host sees it */
	size_t span;                 /* bytes mapped for it; 0: locked memory of the program's */
	bool keep;                   /* the host may look at it after hsa_shut_down */
	rt_pool *pool;
	uint32_t access, direct;     /* bits of devices: that see lo; locked: that see host as well */
	void *user;
	watcher *watchers;
	struct block *next;          /* in the graveyard */
} block;

static struct {
	pthread_mutex_t lock;
	block **b;                   /* by address */
	size_t n, cap;
	size_t used[RT_MAX_AGENTS];
	uint64_t next_alias;
	unsigned holds;              /* dispatches and copies under way */
	block *graveyard;            /* freed while there were some */
	struct { void *p; size_t span; } old[QUARANTINE];    /* addresses that are not given out again yet */
	size_t next_old;
} mem = { .lock = PTHREAD_MUTEX_INITIALIZER, .next_alias = ALIAS_BASE };

/* ---- The list of blocks, and its end; the lock is held ---------------------------------------------------- */

/* How many blocks begin at or below addr. */
static size_t below(uint64_t addr)
{
	size_t lo = 0, hi = mem.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (mem.b[mid]->lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static block *find(const void *p)
{
	uint64_t addr = (uint64_t)(uintptr_t)p;
	size_t i = below(addr);
	return i && addr - mem.b[i - 1]->lo < mem.b[i - 1]->size ? mem.b[i - 1] : NULL;
}

/* The newest locked memory that holds a host address. */
static block *find_locked(const void *p)
{
	for (size_t i = mem.n; i-- > 0 && mem.b[i]->lo >= ALIAS_BASE;)
		if ((const uint8_t *)p >= mem.b[i]->host && (const uint8_t *)p < mem.b[i]->host + mem.b[i]->size)
			return mem.b[i];
	return NULL;
}

static bool enlist(block *b)
{
	if (mem.n == mem.cap) {
		size_t cap = mem.cap ? 2 * mem.cap : 64;
		block **p = realloc(mem.b, cap * sizeof(block *));
		if (!p)
			return false;
		mem.b = p;
		mem.cap = cap;
	}
	size_t at = below(b->lo);
	memmove(mem.b + at + 1, mem.b + at, (mem.n - at) * sizeof(block *));
	mem.b[at] = b;
	mem.n++;
	return true;
}

static void delist(const block *b)
{
	size_t at = below(b->lo) - 1;
	mem.n--;
	memmove(mem.b + at, mem.b + at + 1, (mem.n - at) * sizeof(block *));
}

/* Memory goes, its addresses stay unused for a while, so that who still uses them is found out. */
static void give_back(void *p, size_t span)
{
	size_t i = mem.next_old++ % QUARANTINE;
	if (mem.old[i].p)
		munmap(mem.old[i].p, mem.old[i].span);
	mem.old[i].p = mmap(p, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	mem.old[i].span = span;
	if (mem.old[i].p == MAP_FAILED) {
		mem.old[i].p = NULL;
		munmap(p, span);
	}
}

static void bury(block *b)
{
	if (b->span && !b->keep)
		give_back(b->host, b->span);
	for (watcher *w = b->watchers, *next; w; w = next) {
		next = w->next;
		free(w);
	}
	free(b);
}

/* Makes the block visible to exactly the devices of a mask. */
static bool set_access(block *b, uint32_t mask)
{
	bool ok = true;
	for (uint32_t i = 1; i < rt.nagents; i++) {
		uint32_t bit = (uint32_t)1 << i;
		emu_device *d = rt.agent[i].dev;
		if (b->access & ~mask & bit) {
			emu_unmap_soon(d, b->lo);
			b->access &= ~bit;
		} else if (mask & ~b->access & bit) {
			if (emu_map_at(d, b->lo, b->host, b->size, true) == EMU_OK)
				b->access |= bit;
			else
				ok = false;
		}
	}
	return ok;
}

static void take_away(block *b)
{
	set_access(b, 0);
	for (uint32_t i = 1; i < rt.nagents; i++)
		if (b->direct >> i & 1)
			emu_unmap_soon(rt.agent[i].dev, (uint64_t)(uintptr_t)b->host);
	b->direct = 0;
	delist(b);
	mem.used[b->pool->agent->index] -= b->span;
}

/* Kernels and copies under way may still use what was freed. */
static void bury_soon(block *b)
{
	if (mem.holds) {
		b->next = mem.graveyard;
		mem.graveyard = b;
	} else
		bury(b);
}

void rt_hold_memory(void)
{
	pthread_mutex_lock(&mem.lock);
	mem.holds++;
	pthread_mutex_unlock(&mem.lock);
}

void rt_release_memory(void)
{
	block *dead = NULL;
	pthread_mutex_lock(&mem.lock);
	if (!--mem.holds) {
		dead = mem.graveyard;
		mem.graveyard = NULL;
	}
	while (dead) {
		block *next = dead->next;
		bury(dead);
		dead = next;
	}
	pthread_mutex_unlock(&mem.lock);
}

void rt_close_memory(void)
{
	pthread_mutex_lock(&mem.lock);
	while (mem.n) {
		block *b = mem.b[mem.n - 1];
		take_away(b);
		bury(b);
	}
	for (size_t i = 0; i < QUARANTINE; i++)
		if (mem.old[i].p) {
			munmap(mem.old[i].p, mem.old[i].span);
			mem.old[i].p = NULL;
		}
	free(mem.b);
	mem.b = NULL;
	mem.cap = 0;
	pthread_mutex_unlock(&mem.lock);
}

/* ---- Allocation ------------------------------------------------------------------------------ */

/* A page that nothing is mapped to for kernels follows each block. */
static hsa_status_t allocate(rt_pool *pool, size_t size, uint32_t access, bool keep, void **out)
{
	size_t span = ((size + PAGE - 1) & ~(size_t)(PAGE - 1)) + PAGE;
	hsa_status_t s = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (size > pool->size)
		return size > pool->size * 4096 ? HSA_STATUS_ERROR_INVALID_ALLOCATION : s;
	block *b = calloc(1, sizeof *b);
	void *p = b ? mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
	if (p == MAP_FAILED) {
		free(b);
		return s;
	}
	*b = (block){ .lo = (uint64_t)(uintptr_t)p, .size = size, .host = p, .span = span,
		.keep = keep, .pool = pool };
	pthread_mutex_lock(&mem.lock);
	size_t *used = &mem.used[pool->agent->index];
	if (span <= pool->size - *used && enlist(b)) {
		*used += span;
		s = RT_OK;
		if (!set_access(b, access)) {
			take_away(b);
			s = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
		}
	}
	if (s != RT_OK)
		bury(b);
	else
		*out = p;
	pthread_mutex_unlock(&mem.lock);
	return s;
}

void *rt_alloc_shared(size_t size, bool keep)
{
	void *p = NULL;
	return allocate(&rt.agent[0].pool[0], size, UINT32_MAX, keep, &p) == RT_OK ? p : NULL;
}

size_t rt_memory_left(const rt_agent *a)
{
	pthread_mutex_lock(&mem.lock);
	size_t left = a->pool[0].size - mem.used[a->index];
	pthread_mutex_unlock(&mem.lock);
	return left;
}

static bool owned(const rt_pool *pool)
{
	for (uint32_t i = 0; i < rt.nagents; i++)
		for (uint32_t k = 0; k < rt.agent[i].npools; k++)
			if (pool == &rt.agent[i].pool[k])
				return true;
	return false;
}

rt_pool *rt_pool_of(uint64_t handle)
{
	rt_pool *p = (rt_pool *)(uintptr_t)handle;
	return owned(p) ? p : NULL;
}

static hsa_status_t allocate_from(uint64_t handle, size_t size, bool everybodys, hsa_status_t no_pool, void **out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	rt_pool *pool = rt_pool_of(handle);
	if (!out || !size)
		return RT_BAD;
	if (!pool)
		return no_pool;
	if (pool->segment != HSA_REGION_SEGMENT_GLOBAL)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (rt_lost(pool->agent))
		return HSA_STATUS_ERROR_FATAL;
	uint32_t owner = pool->agent->target ? (uint32_t)1 << pool->agent->index : 0;
	return allocate(pool, size, everybodys ? UINT32_MAX : owner, false, out);
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void **out)
{
	(void)flags;
	return allocate_from(pool.handle, size, false, HSA_STATUS_ERROR_INVALID_MEMORY_POOL, out);
}

/* Memory of a region is everybody's from the beginning. */
hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **out)
{
	return allocate_from(region.handle, size, true, HSA_STATUS_ERROR_INVALID_REGION, out);
}

hsa_status_t hsa_amd_memory_pool_free(void *p)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!p)
		return RT_OK;
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	bool ok = b && b->lo == (uint64_t)(uintptr_t)p && b->span;
	if (ok)
		take_away(b);
	pthread_mutex_unlock(&mem.lock);
	if (!ok)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	for (watcher *w = b->watchers; w; w = w->next)
		w->call(p, w->user);
	pthread_mutex_lock(&mem.lock);
	bury_soon(b);
	pthread_mutex_unlock(&mem.lock);
	return RT_OK;
}

hsa_status_t hsa_memory_free(void *p) { return hsa_amd_memory_pool_free(p); }

void rt_free_shared(void *p) { hsa_amd_memory_pool_free(p); }

hsa_status_t hsa_amd_register_deallocation_callback(void *p, hsa_amd_deallocation_callback_t call, void *user)
{
	watcher *w = p && call ? malloc(sizeof *w) : NULL;
	if (!w)
		return p && call ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : RT_BAD;
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	if (b) {
		*w = (watcher){ b->watchers, call, user };
		b->watchers = w;
	}
	pthread_mutex_unlock(&mem.lock);
	if (!b)
		free(w);
	return b ? RT_OK : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void *p, hsa_amd_deallocation_callback_t call)
{
	watcher *gone = NULL;
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	for (watcher **w = b ? &b->watchers : NULL; w && *w && !gone;)
		if ((*w)->call == call) {
			gone = *w;
			*w = gone->next;
		} else
			w = &(*w)->next;
	pthread_mutex_unlock(&mem.lock);
	free(gone);
	return gone ? RT_OK : RT_BAD;
}

/* ---- Access ---------------------------------------------------------------------------------- */

/* Exactly these agents, and the owner, see the memory from now on. */
hsa_status_t hsa_amd_agents_allow_access(uint32_t n, const hsa_agent_t *agents, const uint32_t *flags, const void *p)
{
	uint32_t mask = 0;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!n || !agents || flags || !p)
		return RT_BAD;
	for (uint32_t i = 0; i < n; i++) {
		const rt_agent *a = rt_agent_of(agents[i]);
		if (!a)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		mask |= (uint32_t)1 << a->index;
	}
	hsa_status_t s = HSA_STATUS_ERROR_INVALID_ALLOCATION;
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	if (b && b->span)
		s = set_access(b, mask | (uint32_t)1 << b->pool->agent->index) ? RT_OK : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	pthread_mutex_unlock(&mem.lock);
	return s;
}

/* A free span of device addresses, with the same place in its page as the host's. */
static uint64_t new_alias(const void *host, size_t size)
{
	uint64_t in_page = (uint64_t)(uintptr_t)host % PAGE, span = ((in_page + size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
	for (int turn = 0; turn < 2; turn++) {
		uint64_t at = mem.next_alias;
		for (size_t i = below(at); i < mem.n && mem.b[i]->lo < at + span; i++)
			at = (mem.b[i]->lo + mem.b[i]->size + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1);
		if (span < ALIAS_END - at) {
			mem.next_alias = at + span;
			return at + in_page;
		}
		mem.next_alias = ALIAS_BASE;
	}
	return 0;
}

static hsa_status_t lock(block *b, uint32_t mask, void **out)
{
	b->lo = new_alias(b->host, b->size);
	if (!b->lo || !enlist(b))
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	if (!set_access(b, mask)) {
		take_away(b);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	/* Newer drivers give the host's address, and programs rely on it: that works too, unless other locked
	 * memory overlaps. */
	for (uint32_t i = 1; i < rt.nagents; i++)
		if (mask >> i & 1 && emu_map(rt.agent[i].dev, b->host, b->size, true) == EMU_OK)
			b->direct |= (uint32_t)1 << i;
	*out = (void *)(uintptr_t)b->lo;
	return RT_OK;
}

hsa_status_t hsa_amd_memory_lock_to_pool(void *host, size_t size, hsa_agent_t *agents, int n, hsa_amd_memory_pool_t pool,
	uint32_t flags, void **out)
{
	uint32_t mask = agents ? 0 : UINT32_MAX;
	(void)flags;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!host || !size || !out || (agents && n <= 0) || (!agents && n))
		return RT_BAD;
	rt_pool *to = rt_pool_of(pool.handle);
	if (!to || to->agent->target)
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	for (int i = 0; i < n; i++) {
		const rt_agent *a = rt_agent_of(agents[i]);
		if (!a)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		mask |= (uint32_t)1 << a->index;
	}
	block *b = calloc(1, sizeof *b);
	if (!b)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*b = (block){ .size = size, .host = host, .pool = to };
	pthread_mutex_lock(&mem.lock);
	hsa_status_t s = lock(b, mask, out);
	pthread_mutex_unlock(&mem.lock);
	if (s != RT_OK)
		free(b);
	return s;
}

hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int n, void **out)
{
	hsa_amd_memory_pool_t pool = { (uint64_t)(uintptr_t)&rt.agent[0].pool[1] };
	return hsa_amd_memory_lock_to_pool(host, size, agents, n, pool, 0, out);
}

hsa_status_t hsa_amd_memory_unlock(void *host)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&mem.lock);
	block *b = find_locked(host);
	if (b) {
		take_away(b);
		bury(b);
	}
	pthread_mutex_unlock(&mem.lock);
	return RT_OK;
}

/* ---- What the host does with it -------------------------------------------------------------- */

/* The memory that no block holds: is all of it there? */
static bool mapped(const void *p, size_t size)
{
	uintptr_t lo = (uintptr_t)p & ~(uintptr_t)(PAGE - 1), hi = (uintptr_t)p + size;
	if (hi < lo || hi > ALIAS_BASE)
		return false;
	return !msync((void *)lo, hi - lo, MS_ASYNC);
}

void *rt_host_address(const void *p, size_t size)
{
	void *host = NULL;
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	if (b) {
		size_t at = (size_t)((uint64_t)(uintptr_t)p - b->lo);
		if (size <= b->size - at)
			host = b->host + at;
	}
	pthread_mutex_unlock(&mem.lock);
	if (!b && p && mapped(p, size ? size : 1))
		host = (void *)(uintptr_t)p;
	return host;
}

hsa_status_t hsa_memory_copy(void *to, const void *from, size_t size)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!to || !from)
		return RT_BAD;
	for (uint32_t i = 1; i < rt.nagents; i++)
		if (rt_lost(&rt.agent[i]))
			return HSA_STATUS_ERROR_FATAL;
	void *d = rt_host_address(to, size), *s = rt_host_address(from, size);
	if (!d || !s)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	memmove(d, s, size);
	return RT_OK;
}

hsa_status_t hsa_amd_memory_fill(void *p, uint32_t value, size_t count)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!p || (uintptr_t)p % sizeof value || count > SIZE_MAX / sizeof value)
		return RT_BAD;
	uint32_t *at = rt_host_address(p, count * sizeof value);
	if (!at)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	for (size_t i = 0; i < count; i++)
		at[i] = value;
	return RT_OK;
}

hsa_status_t hsa_memory_assign_agent(void *p, hsa_agent_t a, uint32_t access)
{
	if (!p || access < 1 || access > 3)
		return RT_BAD;
	return rt_agent_of(a) ? RT_OK : HSA_STATUS_ERROR_INVALID_AGENT;
}

/* Of use where all host memory can be accessed by kernels, which is not so here: see hsa_amd_memory_lock. */
hsa_status_t hsa_memory_register(void *p, size_t size) { return p || !size ? RT_OK : RT_BAD; }
hsa_status_t hsa_memory_deregister(void *p, size_t size) { return hsa_memory_register(p, size); }

/* ---- Questions about an address -------------------------------------------------------------- */

static hsa_status_t list_agents(const block *b, void *(*alloc)(size_t), uint32_t *n, hsa_agent_t **out)
{
	uint32_t mask = b->access | 1, count = 0;
	if (b->pool->agent->target)
		mask &= ~(uint32_t)1;
	for (uint32_t i = 0; i < rt.nagents; i++)
		count += mask >> i & 1;
	hsa_agent_t *list = alloc(count * sizeof *list);
	if (!list && count)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	count = 0;
	for (uint32_t i = 0; i < rt.nagents; i++)
		if (mask >> i & 1)
			list[count++] = (hsa_agent_t){ (uint64_t)(uintptr_t)&rt.agent[i] };
	*n = count;
	*out = list;
	return RT_OK;
}

hsa_status_t hsa_amd_pointer_info(const void *p, hsa_amd_pointer_info_t *info, void *(*alloc)(size_t), uint32_t *n,
	hsa_agent_t **accessible)
{
	hsa_amd_pointer_info_t r = { .type = HSA_EXT_POINTER_TYPE_UNKNOWN };
	hsa_status_t s = RT_OK;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!p || !info || !info->size)
		return RT_BAD;
	r.size = info->size < sizeof r ? info->size : sizeof r;
	bool list = alloc && n && accessible;
	if (list)
		*n = 0;
	pthread_mutex_lock(&mem.lock);
	const block *b = find(p);
	b = b ? b : find_locked(p);
	if (b) {
		r.type = b->span ? HSA_EXT_POINTER_TYPE_HSA : HSA_EXT_POINTER_TYPE_LOCKED;
		r.agentBaseAddress = (void *)(uintptr_t)b->lo;
		r.hostBaseAddress = b->host;
		r.sizeInBytes = b->size;
		r.userData = b->user;
		r.agentOwner.handle = (uint64_t)(uintptr_t)b->pool->agent;
		r.global_flags = b->pool->flags;
	}
	if (b && list)
		s = list_agents(b, alloc, n, accessible);
	pthread_mutex_unlock(&mem.lock);
	memcpy(info, &r, r.size);
	return s;
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void *p, void *user)
{
	pthread_mutex_lock(&mem.lock);
	block *b = find(p);
	b = b ? b : find_locked(p);
	if (b)
		b->user = user;
	pthread_mutex_unlock(&mem.lock);
	return b ? RT_OK : RT_BAD;
}
