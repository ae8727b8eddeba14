/* signal.c -- signals: numbers in memory that kernels, the runtime and the program change and wait for.
 * A signal is an amd_signal_t in memory of all devices. Whoever changes one through this file wakes those who
 * wait; kernels and silent stores change the memory only, so waiting also looks every millisecond.
 * HSA Runtime Programmer's Reference Manual 2.4; AMD's asynchronous handlers. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hsa/runtime.h"

enum { SHARDS = 64, SLAB = 1024 };
#define POLL_NS ((uint64_t)1000000)

/* Waiters of one signal sleep in the shard of its address, those of several in `several`. */
typedef struct shard {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned waiters;
} shard;
static shard shards[SHARDS], several;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct {
	pthread_mutex_t lock;
	amd_signal_t *first, *last;  /* free ones, linked by event_mailbox_ptr; reused as late as possible */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Sleeping and waking --------------------------------------------------------------------- */

static void open_shard(shard *s)
{
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, &a);
	pthread_condattr_destroy(&a);
}

static void open_shards(void)
{
	for (int i = 0; i < SHARDS; i++)
		open_shard(&shards[i]);
	open_shard(&several);
}

static shard *shard_of(const amd_signal_t *s)
{
	pthread_once(&once, open_shards);
	return &shards[(uintptr_t)s / sizeof *s % SHARDS];
}

/* The change and the look at waiters are sequentially consistent, as the waiter's count and look are: one
 * of the two sees the other. */
static void wake(shard *s)
{
	if (!__atomic_load_n(&s->waiters, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&s->lock);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void rt_wake_all(void)
{
	pthread_once(&once, open_shards);
	wake(&several);
}

/* The signal may be gone: its address only says where to look. */
static void changed(const amd_signal_t *s)
{
	wake(shard_of(s));
	wake(&several);
}

/* Sleeps in a shard until test is true. Its lock is held while test is asked. */
static bool sleep_until(shard *s, bool (*test)(void *), void *arg, uint64_t timeout, uint64_t poll)
{
	uint64_t start = rt_now(), now = start;
	bool ok;
	pthread_mutex_lock(&s->lock);
	__atomic_fetch_add(&s->waiters, 1, __ATOMIC_SEQ_CST);
	while (!(ok = test(arg)) && now - start < timeout) {
		uint64_t left = timeout - (now - start), until = now + (left < poll ? left : poll);
		struct timespec t = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };
		pthread_cond_timedwait(&s->changed, &s->lock, &t);
		now = rt_now();
	}
	__atomic_fetch_sub(&s->waiters, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool rt_wait_until(bool (*test)(void *), void *arg, uint64_t timeout)
{
	if (test(arg))
		return true;
	pthread_once(&once, open_shards);
	return sleep_until(&several, test, arg, timeout, POLL_NS);
}

/* ---- Signals come and go --------------------------------------------------------------------- */

static bool more_signals(void)
{
	amd_signal_t *s = rt_alloc_shared(SLAB * sizeof *s, true);
	for (size_t i = 0; s && i < SLAB; i++) {
		s[i].event_mailbox_ptr = i + 1 < SLAB ? (uint64_t)(uintptr_t)&s[i + 1] : 0;
		if (i + 1 == SLAB)
			pool.last = &s[i];
	}
	pool.first = s;
	return s;
}

amd_signal_t *rt_new_signal(int64_t kind, int64_t value)
{
	pthread_mutex_lock(&pool.lock);
	amd_signal_t *s = pool.first || more_signals() ? pool.first : NULL;
	if (s) {
		pool.first = (amd_signal_t *)(uintptr_t)s->event_mailbox_ptr;
		if (!pool.first)
			pool.last = NULL;
	}
	pthread_mutex_unlock(&pool.lock);
	if (!s)
		return NULL;
	s->event_mailbox_ptr = s->start_ts = s->end_ts = 0;
	s->queue_ptr = NULL;
	__atomic_store_n(&s->value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&s->kind, kind, __ATOMIC_RELEASE);
	return s;
}

void rt_drop_signal(amd_signal_t *s)
{
	__atomic_store_n(&s->kind, AMD_SIGNAL_KIND_INVALID, __ATOMIC_RELEASE);
	pthread_mutex_lock(&pool.lock);
	s->event_mailbox_ptr = 0;
	if (pool.last)
		pool.last->event_mailbox_ptr = (uint64_t)(uintptr_t)s;
	else
		pool.first = s;
	pool.last = s;
	pthread_mutex_unlock(&pool.lock);
}

amd_signal_t *rt_signal_of(hsa_signal_t h)
{
	amd_signal_t *s = (amd_signal_t *)(uintptr_t)h.handle;
	if (!s || h.handle % sizeof *s)
		return NULL;
	return __atomic_load_n(&s->kind, __ATOMIC_ACQUIRE) == AMD_SIGNAL_KIND_INVALID ? NULL : s;
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t n, const hsa_agent_t *consumers,
	uint64_t attributes, hsa_signal_t *out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!out || (n && !consumers) || attributes & HSA_AMD_SIGNAL_IPC)
		return RT_BAD;
	for (uint32_t i = 0; i < n; i++)
		if (!rt_agent_of(consumers[i]))
			return HSA_STATUS_ERROR_INVALID_AGENT;
	amd_signal_t *s = rt_new_signal(AMD_SIGNAL_KIND_USER, value);
	if (!s)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	out->handle = (uint64_t)(uintptr_t)s;
	return RT_OK;
}

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t n, const hsa_agent_t *consumers, hsa_signal_t *out)
{
	return hsa_amd_signal_create(value, n, consumers, 0, out);
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t h, volatile hsa_signal_value_t **out)
{
	amd_signal_t *s = rt_signal_of(h);
	if (!s)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	if (!out)
		return RT_BAD;
	*out = &s->value;
	return RT_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

hsa_amd_profiling_dispatch_time_t rt_signal_times(const amd_signal_t *s)
{
	return (hsa_amd_profiling_dispatch_time_t){ __atomic_load_n(&s->start_ts, __ATOMIC_RELAXED),
		__atomic_load_n(&s->end_ts, __ATOMIC_RELAXED) };
}

bool rt_compare(uint32_t condition, int64_t a, int64_t b)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ: return a == b;
	case HSA_SIGNAL_CONDITION_NE: return a != b;
	case HSA_SIGNAL_CONDITION_LT: return a < b;
	default: return a >= b;
	}
}

int64_t rt_signal_load(const amd_signal_t *s)
{
	return __atomic_load_n(&s->value, __ATOMIC_SEQ_CST);
}

void rt_signal_store(amd_signal_t *s, int64_t x)
{
	amd_queue_t *q = s->kind == AMD_SIGNAL_KIND_DOORBELL ? s->queue_ptr : NULL;
	__atomic_store_n(&s->value, x, __ATOMIC_SEQ_CST);
	changed(s);
	if (q)
		rt_ring(q);
}

void rt_signal_subtract(amd_signal_t *s, int64_t x)
{
	__atomic_fetch_sub(&s->value, x, __ATOMIC_SEQ_CST);
	changed(s);
}

void rt_signal_complete(hsa_signal_t h, uint64_t start, uint64_t end, bool failed)
{
	amd_signal_t *s = rt_signal_of(h);
	if (!s)
		return;
	/* Several packets may complete one signal. */
	__atomic_store_n(&s->start_ts, start, __ATOMIC_RELAXED);
	__atomic_store_n(&s->end_ts, end, __ATOMIC_RELAXED);
	if (failed)
		rt_signal_store(s, -1);
	else
		rt_signal_subtract(s, 1);
}

static inline amd_signal_t *at(hsa_signal_t h) { return (amd_signal_t *)(uintptr_t)h.handle; }

static int64_t do_load(hsa_signal_t h) { return rt_signal_load(at(h)); }
static void do_store(hsa_signal_t h, int64_t x) { rt_signal_store(at(h), x); }
static void do_silent_store(hsa_signal_t h, int64_t x) { __atomic_store_n(&at(h)->value, x, __ATOMIC_SEQ_CST); }
#define CHANGE(op, how) \
	static int64_t do_##op(hsa_signal_t h, int64_t x) \
	{ \
		amd_signal_t *s = at(h); \
		int64_t old = how(&s->value, x, __ATOMIC_SEQ_CST); \
		changed(s); \
		return old; \
	}
CHANGE(add, __atomic_fetch_add)
CHANGE(subtract, __atomic_fetch_sub)
CHANGE(and, __atomic_fetch_and)
CHANGE(or, __atomic_fetch_or)
CHANGE(xor, __atomic_fetch_xor)
CHANGE(exchange, __atomic_exchange_n)

static int64_t do_cas(hsa_signal_t h, int64_t expected, int64_t x)
{
	amd_signal_t *s = at(h);
	__atomic_compare_exchange_n(&s->value, &expected, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	changed(s);
	return expected;
}

typedef struct wait_one {
	const amd_signal_t *s;
	uint32_t condition;
	int64_t compare, seen;
} wait_one;

static bool one_is_met(void *arg)
{
	wait_one *w = arg;
	w->seen = rt_signal_load(w->s);
	return rt_compare(w->condition, w->seen, w->compare);
}

static int64_t do_wait(hsa_signal_t h, uint32_t condition, int64_t compare, uint64_t timeout, uint32_t state)
{
	wait_one w = { .s = at(h), .condition = condition, .compare = compare };
	(void)state;
	if (!one_is_met(&w))
		sleep_until(shard_of(w.s), one_is_met, &w, timeout, POLL_NS);
	return w.seen;
}

#define SIGNAL_OP(op, order) \
	void hsa_signal_##op##_##order(hsa_signal_t h, hsa_signal_value_t x) { do_##op(h, x); }
#define SIGNAL_GET(op, order) \
	hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t h) { return do_##op(h); }
#define SIGNAL_SWAP(op, order) \
	hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t h, hsa_signal_value_t x) { return do_##op(h, x); }
#define SIGNAL_CAS(op, order) \
	hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t h, hsa_signal_value_t e, hsa_signal_value_t x) \
	{ \
		return do_##op(h, e, x); \
	}
#define SIGNAL_WAIT(op, order) \
	hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t h, uint32_t condition, hsa_signal_value_t x, \
		uint64_t timeout, uint32_t state) \
	{ \
		return do_##op(h, condition, x, timeout, state); \
	}
#define QUEUE_LOAD(which, order)
#define QUEUE_STORE(which, order)
#define QUEUE_CAS(which, order)
#define QUEUE_ADD(which, order)
#include "hsa/order.def"

/* ---- Several signals ------------------------------------------------------------------------- */

typedef struct wait_deps {
	uint32_t n;
	const hsa_signal_t *h;
	const bool *stop;
	bool failed, stopped;
} wait_deps;

static bool deps_are_met(void *arg)
{
	wait_deps *w = arg;
	bool met = true;
	w->stopped = w->stop && __atomic_load_n(w->stop, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < w->n; i++) {
		const amd_signal_t *s = rt_signal_of(w->h[i]);
		int64_t x = s ? rt_signal_load(s) : 0;
		w->failed |= x < 0;
		met &= x <= 0;
	}
	return met || w->stopped;
}

bool rt_wait_dependencies(uint32_t n, const hsa_signal_t *h, const bool *stop)
{
	wait_deps w = { .n = n, .h = h, .stop = stop };
	rt_wait_until(deps_are_met, &w, RT_FOREVER);
	return !w.failed && !w.stopped;
}

typedef struct wait_any {
	uint32_t n, met;
	const hsa_signal_t *h;
	const uint32_t *condition;
	const int64_t *compare;
	int64_t seen;
} wait_any;

static bool any_is_met(void *arg)
{
	wait_any *w = arg;
	for (w->met = 0; w->met < w->n; w->met++) {
		const amd_signal_t *s = rt_signal_of(w->h[w->met]);
		if (s && rt_compare(w->condition[w->met], w->seen = rt_signal_load(s), w->compare[w->met]))
			return true;
	}
	return false;
}

uint32_t hsa_amd_signal_wait_any(uint32_t n, hsa_signal_t *h, uint32_t *condition, hsa_signal_value_t *compare,
	uint64_t timeout, uint32_t state, hsa_signal_value_t *value)
{
	wait_any w = { .n = n, .h = h, .condition = condition, .compare = compare };
	(void)state;
	if (!rt_wait_until(any_is_met, &w, timeout))
		return UINT32_MAX;
	if (value)
		*value = w.seen;
	return w.met;
}

typedef struct wait_all {
	uint32_t n;
	const hsa_signal_t *h;
	const uint32_t *condition;
	const int64_t *compare;
	int64_t *seen;               /* may be NULL */
} wait_all;

/* What is not a signal counts as met, with the value 0. */
static bool all_are_met(void *arg)
{
	const wait_all *w = arg;
	bool met = true;
	for (uint32_t i = 0; i < w->n && met; i++) {
		const amd_signal_t *s = rt_signal_of(w->h[i]);
		int64_t value = s ? rt_signal_load(s) : 0;
		met = !s || rt_compare(w->condition[i], value, w->compare[i]);
		if (w->seen)
			w->seen[i] = value;
	}
	return met;
}

uint32_t hsa_amd_signal_wait_all(uint32_t n, hsa_signal_t *h, uint32_t *condition, hsa_signal_value_t *compare,
	uint64_t timeout, uint32_t state, hsa_signal_value_t *values)
{
	wait_all w = { n, h, condition, compare, values };
	(void)state;
	return rt_wait_until(all_are_met, &w, timeout) ? 0 : UINT32_MAX;
}

typedef struct group {
	uint32_t n;
	hsa_signal_t h[];
} group;

hsa_status_t hsa_signal_group_create(uint32_t n, const hsa_signal_t *h, uint32_t nconsumers, const hsa_agent_t *consumers,
	hsa_signal_group_t *out)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!n || !h || !out || (nconsumers && !consumers))
		return RT_BAD;
	group *g = malloc(sizeof *g + n * sizeof *h);
	if (!g)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	g->n = n;
	memcpy(g->h, h, n * sizeof *h);
	out->handle = (uint64_t)(uintptr_t)g;
	return RT_OK;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t g)
{
	if (!g.handle)
		return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
	free((group *)(uintptr_t)g.handle);
	return RT_OK;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t handle, const uint32_t *condition,
	const hsa_signal_value_t *compare, uint32_t state, hsa_signal_t *signal, hsa_signal_value_t *value)
{
	const group *g = (const group *)(uintptr_t)handle.handle;
	(void)state;
	if (!g)
		return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
	if (!condition || !compare || !signal || !value)
		return RT_BAD;
	wait_any w = { .n = g->n, .h = g->h, .condition = condition, .compare = compare };
	rt_wait_until(any_is_met, &w, RT_FOREVER);
	*signal = g->h[w.met];
	*value = w.seen;
	return RT_OK;
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t g, const uint32_t *condition,
	const hsa_signal_value_t *compare, uint32_t state, hsa_signal_t *signal, hsa_signal_value_t *value)
{
	return hsa_signal_group_wait_any_scacquire(g, condition, compare, state, signal, value);
}

/* ---- Handlers: one thread calls them, one at a time ------------------------------------------- */

typedef struct handler {
	struct handler *next;
	amd_signal_t *s;             /* NULL: to be called at once, without a signal */
	uint32_t condition;
	int64_t compare;
	hsa_amd_signal_handler call;
	void (*plain)(void *);
	void *arg;
} handler;

static struct {
	pthread_mutex_t lock;
	pthread_t thread;
	bool running, stop;
	handler *first;
} handlers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Takes the first handler out whose condition holds; the lock is held. */
static handler *take_ready(int64_t *value)
{
	for (handler **p = &handlers.first, *h; (h = *p); p = &h->next) {
		*value = h->s ? rt_signal_load(h->s) : 0;
		if (!h->s || rt_compare(h->condition, *value, h->compare)) {
			*p = h->next;
			return h;
		}
	}
	return NULL;
}

static void append(handler *h)
{
	handler **p = &handlers.first;
	while (*p)
		p = &(*p)->next;
	h->next = NULL;
	*p = h;
}

typedef struct ready {
	handler *h;
	int64_t value;
	bool stop;
} ready;

static bool some_is_ready(void *arg)
{
	ready *r = arg;
	pthread_mutex_lock(&handlers.lock);
	r->stop = handlers.stop;
	r->h = r->stop ? NULL : take_ready(&r->value);
	pthread_mutex_unlock(&handlers.lock);
	return r->h || r->stop;
}

static void *call_handlers(void *arg)
{
	ready r = { NULL, 0, false };
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&handlers.lock);
		uint64_t poll = handlers.first ? POLL_NS : 200 * POLL_NS;
		pthread_mutex_unlock(&handlers.lock);
		if (!sleep_until(&several, some_is_ready, &r, poll, poll))
			continue;
		if (r.stop)
			return NULL;
		bool again = false;
		if (r.h->plain)
			r.h->plain(r.h->arg);
		else
			again = r.h->call(r.value, r.h->arg);
		pthread_mutex_lock(&handlers.lock);
		if (again)
			append(r.h);
		pthread_mutex_unlock(&handlers.lock);
		if (!again)
			free(r.h);
	}
}

static hsa_status_t add_handler(handler h)
{
	handler *p = malloc(sizeof *p);
	if (!p)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*p = h;
	pthread_once(&once, open_shards);
	pthread_mutex_lock(&handlers.lock);
	if (!handlers.running)
		handlers.running = !pthread_create(&handlers.thread, NULL, call_handlers, NULL);
	bool ok = handlers.running;
	if (ok)
		append(p);
	pthread_mutex_unlock(&handlers.lock);
	if (!ok) {
		free(p);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	rt_wake_all();
	return RT_OK;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t h, uint32_t condition, hsa_signal_value_t compare,
	hsa_amd_signal_handler call, void *arg)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	amd_signal_t *s = rt_signal_of(h);
	if (!s)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	if (!call || condition > HSA_SIGNAL_CONDITION_GTE)
		return RT_BAD;
	return add_handler((handler){ .s = s, .condition = condition, .compare = compare, .call = call, .arg = arg });
}

hsa_status_t hsa_amd_async_function(void (*call)(void *), void *arg)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	return call ? add_handler((handler){ .plain = call, .arg = arg }) : RT_BAD;
}

/* Handlers that wait for a signal that goes away are never called. */
static void forget(const amd_signal_t *s)
{
	pthread_mutex_lock(&handlers.lock);
	for (handler **p = &handlers.first, *h; (h = *p);)
		if (s ? h->s == s : true) {
			*p = h->next;
			free(h);
		} else
			p = &h->next;
	pthread_mutex_unlock(&handlers.lock);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t h)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!h.handle)
		return RT_BAD;
	amd_signal_t *s = rt_signal_of(h);
	if (!s || s->kind == AMD_SIGNAL_KIND_DOORBELL)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	forget(s);
	rt_drop_signal(s);
	return RT_OK;
}

/* The memory stays: programs may look at signals while they end. */
void rt_close_signals(void)
{
	pthread_mutex_lock(&handlers.lock);
	bool running = handlers.running && !pthread_equal(handlers.thread, pthread_self());
	handlers.stop = true;
	pthread_mutex_unlock(&handlers.lock);
	rt_wake_all();
	if (running)
		pthread_join(handlers.thread, NULL);
	forget(NULL);
	pthread_mutex_lock(&handlers.lock);
	handlers.running = handlers.stop = false;
	pthread_mutex_unlock(&handlers.lock);
	pthread_mutex_lock(&pool.lock);
	pool.first = pool.last = NULL;
	pthread_mutex_unlock(&pool.lock);
}
