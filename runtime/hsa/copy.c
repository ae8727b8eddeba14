/* copy.c -- asynchronous copies: each device has three engines (to it, from it, the rest), a thread each that copies
 * in the order of submission, when the signals that a copy depends on are 0.
 * libamdhip64 relies on that order: it does not make copies of one engine depend on each other. Leaves completion
 * signals and times; a copy that cannot be done sets its signal to -1.
 * AMD's extensions of HSA: hsa_amd_memory_async_copy. */
#include <stdlib.h>
#include <string.h>

#include "hsa/runtime.h"

typedef struct part {                /* a box of bytes; a plain copy is one row */
	uint8_t *p;
	size_t pitch, slice;
} part;

typedef struct job {
	struct job *next;
	part to, from;
	size_t x;
	uint32_t y, z;
	bool bad;
	hsa_signal_t completion;
	uint32_t ndeps;
	hsa_signal_t deps[];
} job;

typedef struct rt_engine {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	job *first, **last;
	bool stop;
} rt_engine;

enum { TO_DEVICE, FROM_DEVICE, OTHER };

static void copy(const job *j)
{
	for (uint32_t z = 0; z < j->z; z++)
		for (uint32_t y = 0; y < j->y; y++)
			memmove(j->to.p + z * j->to.slice + y * j->to.pitch, j->from.p + z * j->from.slice + y * j->from.pitch, j->x);
}

static void *serve(void *arg)
{
	rt_engine *e = arg;
	for (;;) {
		pthread_mutex_lock(&e->lock);
		while (!e->first && !e->stop)
			pthread_cond_wait(&e->work, &e->lock);
		job *j = e->first;
		if (j && !(e->first = j->next))
			e->last = &e->first;
		bool stop = e->stop;
		pthread_mutex_unlock(&e->lock);
		if (!j)
			return NULL;
		bool ok = !stop && rt_wait_dependencies(j->ndeps, j->deps, &e->stop) && !j->bad;
		uint64_t start = rt_now();
		if (ok)
			copy(j);
		rt_release_memory();
		rt_signal_complete(j->completion, start, rt_now(), !ok);
		free(j);
	}
}

static rt_engine *open_engine(void)
{
	rt_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->last = &e->first;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->work, NULL);
	if (!pthread_create(&e->thread, NULL, serve, e))
		return e;
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->work);
	free(e);
	return NULL;
}

void rt_close_engines(rt_agent *a)
{
	for (int i = 0; i < 3; i++) {
		rt_engine *e = a->engine[i];
		if (!e)
			continue;
		pthread_mutex_lock(&e->lock);
		__atomic_store_n(&e->stop, true, __ATOMIC_SEQ_CST);
		pthread_cond_signal(&e->work);
		pthread_mutex_unlock(&e->lock);
		rt_wake_all();
		pthread_join(e->thread, NULL);
		pthread_mutex_destroy(&e->lock);
		pthread_cond_destroy(&e->work);
		free(e);
		a->engine[i] = NULL;
	}
}

/* The engine is that of the device whose memory is involved. */
static rt_engine *engine_for(rt_agent *to, rt_agent *from)
{
	rt_agent *a = to->target ? to : from;
	int which = !from->target && to->target ? TO_DEVICE : from->target && !to->target ? FROM_DEVICE : OTHER;
	pthread_mutex_lock(&rt.lock);
	if (!a->engine[which])
		a->engine[which] = open_engine();
	rt_engine *e = a->engine[which];
	pthread_mutex_unlock(&rt.lock);
	return e;
}

static hsa_status_t submit(rt_agent *to, rt_agent *from, const job *what, const hsa_signal_t *deps)
{
	rt_engine *e = engine_for(to, from);
	job *j = e ? malloc(sizeof *j + what->ndeps * sizeof *deps) : NULL;
	if (!j)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*j = *what;
	if (what->ndeps)
		memcpy(j->deps, deps, what->ndeps * sizeof *deps);
	j->next = NULL;
	rt_hold_memory();        /* what is freed before the copy was made */
	pthread_mutex_lock(&e->lock);
	*e->last = j;
	e->last = &j->next;
	pthread_cond_signal(&e->work);
	pthread_mutex_unlock(&e->lock);
	return RT_OK;
}

static hsa_status_t check(uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion)
{
	if ((ndeps && !deps) || (!ndeps && deps))
		return RT_BAD;
	for (uint32_t i = 0; i < ndeps; i++)
		if (!rt_signal_of(deps[i]))
			return HSA_STATUS_ERROR_INVALID_SIGNAL;
	return rt_signal_of(completion) ? RT_OK : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

hsa_status_t hsa_amd_memory_async_copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent, size_t size,
	uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	rt_agent *ta = rt_agent_of(to_agent), *fa = rt_agent_of(from_agent);
	if (!to || !from)
		return RT_BAD;
	if (!ta || !fa)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	hsa_status_t s = rt_lost(ta) || rt_lost(fa) ? HSA_STATUS_ERROR_FATAL : check(ndeps, deps, completion);
	if (s != RT_OK)
		return s;
	job j = { .to = { rt_host_address(to, size), 0, 0 }, .from = { rt_host_address(from, size), 0, 0 }, .x = size, .y = 1,
		.z = 1, .completion = completion, .ndeps = ndeps };
	if (!j.to.p || !j.from.p)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	return submit(ta, fa, &j, deps);
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
	size_t size, uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion, uint32_t engine, bool force)
{
	(void)force;
	if (!engine || engine & (engine - 1))
		return RT_BAD;
	return hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, ndeps, deps, completion);
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t to, hsa_agent_t from, uint32_t *mask)
{
	if (!rt_agent_of(to) || !rt_agent_of(from))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!mask)
		return RT_BAD;
	*mask = 3;
	return RT_OK;
}

hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t to, hsa_agent_t from, uint32_t *mask)
{
	hsa_status_t s = hsa_amd_memory_copy_engine_status(to, from, mask);
	if (s == RT_OK)
		*mask = 0;              /* any */
	return s;
}

/* The first byte of a box that lies within memory as a whole. */
static part part_of(const hsa_pitched_ptr_t *p, const hsa_dim3_t *at, const hsa_dim3_t *range)
{
	size_t start = at->x + at->y * p->pitch + at->z * p->slice;
	size_t size = range->x + (range->y - 1) * p->pitch + (range->z - 1) * p->slice;
	return (part){ rt_host_address((const uint8_t *)p->base + start, size), p->pitch, p->slice };
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_at, const hsa_pitched_ptr_t *from,
	const hsa_dim3_t *from_at, const hsa_dim3_t *range, hsa_agent_t agent, uint32_t direction, uint32_t ndeps,
	const hsa_signal_t *deps, hsa_signal_t completion)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	rt_agent *a = rt_gpu_of(agent);
	if (!to || !from || !to_at || !from_at || !range || !to->base || !from->base || direction > 3)
		return RT_BAD;
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	hsa_status_t s = rt_lost(a) ? HSA_STATUS_ERROR_FATAL : check(ndeps, deps, completion);
	if (s != RT_OK)
		return s;
	job j = { .x = range->x, .y = range->y, .z = range->z, .completion = completion, .ndeps = ndeps };
	if (j.x && j.y && j.z) {
		j.to = part_of(to, to_at, range);
		j.from = part_of(from, from_at, range);
		if (!j.to.p || !j.from.p)
			return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	}
	/* Host to device is 1, device to host 2. */
	return submit(direction == 2 ? &rt.agent[0] : a, direction == 1 ? &rt.agent[0] : a, &j, deps);
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool on)
{
	(void)on;
	return rt_ready() ? RT_OK : HSA_STATUS_ERROR_NOT_INITIALIZED;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t h, hsa_amd_profiling_async_copy_time_t *t)
{
	const amd_signal_t *s = rt_signal_of(h);
	if (!s)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	if (!t)
		return RT_BAD;
	*t = rt_signal_times(s);
	return RT_OK;
}
