/* queue.c -- user-mode queues: a ring of packets, a doorbell, a thread each that executes them in order.
 * Needs packets as the standard has them; leaves completion signals, times, and, where a kernel faults, a call of
 * the queue's callback. A queue that failed executes nothing more: its packets complete with a negative signal.
 * HSA Runtime Programmer's Reference Manual 2.5, 2.6; HSA System Architecture 2.8, 2.9. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hsa/runtime.h"

enum { MIN_PACKETS = 2, MAX_PACKETS = 131072, DEPS = 5 };

typedef struct queue {
	amd_queue_t q;               /* first: its address is the queue's */
	struct queue *next;
	rt_agent *agent;
	hsa_queue_callback call;
	void *data;
	amd_signal_t *doorbell;
	pthread_t thread;
	pthread_mutex_t lock;        /* guards rung */
	pthread_cond_t work;
	int64_t rung;                /* the greatest index that the doorbell was told of; -1: none */
	bool stop, failed, callbacks;
} queue;

static struct {
	queue *first;
	uint64_t id;
} queues;

/* ---- Packets --------------------------------------------------------------------------------- */

static hsa_status_t run_kernel(queue *q, const hsa_kernel_dispatch_packet_t *p)
{
	emu_result r;
	if (rt_lose(q->agent))
		return HSA_STATUS_ERROR_FATAL;
	rt_hold_memory();
	emu_status s = emu_dispatch(q->agent->dev, p, &r);
	rt_release_memory();
	return s == EMU_OK ? RT_OK : rt_report_fault(q->agent, &r, s);
}

static hsa_status_t wait_for_any(queue *q, const hsa_signal_t *h)
{
	/* One of them reaching 0 is enough; the queue's end is awaited with them. */
	hsa_signal_t some[DEPS];
	uint32_t n = 0;
	for (int i = 0; i < DEPS; i++)
		if (rt_signal_of(h[i]))
			some[n++] = h[i];
	uint32_t lt[DEPS] = { HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT,
		HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT };
	int64_t one[DEPS] = { 1, 1, 1, 1, 1 }, seen = 0;
	while (n && !__atomic_load_n(&q->stop, __ATOMIC_SEQ_CST))
		if (hsa_amd_signal_wait_any(n, some, lt, one, 50000000, HSA_WAIT_STATE_BLOCKED, &seen) != UINT32_MAX)
			break;
	return seen < 0 ? HSA_STATUS_ERROR : RT_OK;
}

typedef struct value_wait {
	const queue *q;
	const amd_signal_t *s;
	const hsa_amd_barrier_value_packet_t *p;
} value_wait;

static bool value_is_met(void *arg)
{
	const value_wait *w = arg;
	return __atomic_load_n(&w->q->stop, __ATOMIC_SEQ_CST) ||
		rt_compare(w->p->cond, rt_signal_load(w->s) & w->p->mask, w->p->value);
}

static hsa_status_t run_vendor(const queue *q, const hsa_amd_barrier_value_packet_t *p)
{
	value_wait w = { q, rt_signal_of(p->signal), p };
	if (p->header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE || !w.s) {
		rt_say("queue: vendor packet %u is not known", p->header.AmdFormat);
		return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
	}
	rt_wait_until(value_is_met, &w, RT_FOREVER);
	return RT_OK;
}

/* A packet whose dependency failed fails too, but not the queue. */
static hsa_status_t execute(queue *q, const void *packet, uint32_t type, bool *failed)
{
	const hsa_barrier_and_packet_t *b = packet;
	switch (type) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH: return run_kernel(q, packet);
	case HSA_PACKET_TYPE_BARRIER_AND: *failed = !rt_wait_dependencies(DEPS, b->dep_signal, &q->stop); return RT_OK;
	case HSA_PACKET_TYPE_BARRIER_OR: *failed = wait_for_any(q, b->dep_signal) != RT_OK; return RT_OK;
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC: return run_vendor(q, packet);
	default:
		rt_say("queue: packets of type %u are not known", type);
		return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
	}
}

/* The completion signal lies at the same place in all packets. */
static void take_packet(queue *q, uint8_t *slot, uint16_t header)
{
	hsa_kernel_dispatch_packet_t p;
	bool failed = q->failed || rt_lost(q->agent);
	uint64_t start = rt_now();
	hsa_status_t s = RT_OK;
	memcpy(&p, slot, sizeof p);
	p.header = header;
	if (!failed)
		s = execute(q, &p, header >> HSA_PACKET_HEADER_TYPE & 255, &failed);
	if (s != RT_OK)
		failed = q->failed = true;
	uint16_t invalid = HSA_PACKET_TYPE_INVALID;
	__atomic_store_n((uint16_t *)(void *)slot, invalid, __ATOMIC_RELEASE);
	__atomic_fetch_add(&q->q.read_dispatch_id, 1, __ATOMIC_RELEASE);
	if (s != RT_OK && q->call && !rt.soft_faults)
		q->call(s, &q->q.hsa_queue, q->data);
	rt_signal_complete(p.completion_signal, start, rt_now(), failed);
}

static uint16_t header_of(const uint8_t *slot)
{
	return __atomic_load_n((const uint16_t *)(const void *)slot, __ATOMIC_ACQUIRE);
}

/* Sleeps until there is a packet to execute; its header, or INVALID at the queue's end. A queue of many producers
 * may be told of a packet before the one in front of it is written: then we look again soon. */
static uint16_t await_packet(queue *q, const uint8_t *slot, int64_t index)
{
	uint16_t h = HSA_PACKET_TYPE_INVALID;
	pthread_mutex_lock(&q->lock);
	while (!q->stop) {
		if (q->rung < index) {
			pthread_cond_wait(&q->work, &q->lock);
			continue;
		}
		h = header_of(slot);
		if ((h >> HSA_PACKET_HEADER_TYPE & 255) != HSA_PACKET_TYPE_INVALID)
			break;
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 200000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&q->work, &q->lock, &t);
	}
	if (q->stop)
		h = HSA_PACKET_TYPE_INVALID;
	pthread_mutex_unlock(&q->lock);
	return h;
}

static void *serve(void *arg)
{
	queue *q = arg;
	uint8_t *ring = q->q.hsa_queue.base_address;
	for (;;) {
		uint64_t at = __atomic_load_n(&q->q.read_dispatch_id, __ATOMIC_RELAXED);
		uint8_t *slot = ring + (at & (q->q.hsa_queue.size - 1)) * sizeof(hsa_kernel_dispatch_packet_t);
		uint16_t h = await_packet(q, slot, (int64_t)at);
		if ((h >> HSA_PACKET_HEADER_TYPE & 255) == HSA_PACKET_TYPE_INVALID)
			return NULL;
		take_packet(q, slot, h);
	}
}

void rt_ring(amd_queue_t *aq)
{
	queue *q = (queue *)aq;
	int64_t index = rt_signal_load(q->doorbell);
	pthread_mutex_lock(&q->lock);
	if (index > q->rung)
		q->rung = index;
	pthread_cond_signal(&q->work);
	pthread_mutex_unlock(&q->lock);
}

/* ---- Queues come and go ---------------------------------------------------------------------- */

static void release(queue *q)
{
	rt_free_shared(q->q.hsa_queue.base_address);
	if (q->doorbell)
		rt_drop_signal(q->doorbell);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->work);
	free(q);
}

static bool fill(queue *q, uint32_t size, uint32_t type)
{
	uint8_t *ring = rt_alloc_shared((size_t)size * sizeof(hsa_kernel_dispatch_packet_t), false);
	q->doorbell = rt_new_signal(AMD_SIGNAL_KIND_DOORBELL, -1);
	q->q.hsa_queue = (hsa_queue_t){ .type = type, .features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH, .base_address = ring,
		.doorbell_signal = { (uint64_t)(uintptr_t)q->doorbell }, .size = size };
	if (!ring || !q->doorbell)
		return false;
	q->doorbell->queue_ptr = &q->q;
	q->rung = -1;
	q->q.queue_properties = 1 << 1;          /* addresses have 64 bits */
	q->q.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
	for (uint32_t i = 0; i < size; i++)
		*(uint16_t *)(void *)(ring + i * sizeof(hsa_kernel_dispatch_packet_t)) = HSA_PACKET_TYPE_INVALID;
	return true;
}

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type, hsa_queue_callback call, void *data,
	uint32_t private_size, uint32_t group_size, hsa_queue_t **out)
{
	(void)private_size, (void)group_size;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	rt_agent *a = rt_agent_of(agent);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!out || size < MIN_PACKETS || size > MAX_PACKETS || size & (size - 1) || type > HSA_QUEUE_TYPE_COOPERATIVE)
		return RT_BAD;
	if (!a->target || (type == HSA_QUEUE_TYPE_COOPERATIVE && a->target->family > ISA_GFX10))
		return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
	if (rt_lost(a))
		return HSA_STATUS_ERROR_FATAL;
	queue *q = aligned_alloc(64, (sizeof *q + 63) & ~(size_t)63);
	if (!q)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	memset(q, 0, sizeof *q);
	q->agent = a;
	q->call = call;
	q->data = data;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->work, NULL);
	if (!fill(q, size, type) || pthread_create(&q->thread, NULL, serve, q)) {
		release(q);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	pthread_mutex_lock(&rt.lock);
	q->q.hsa_queue.id = queues.id++;
	q->next = queues.first;
	queues.first = q;
	pthread_mutex_unlock(&rt.lock);
	*out = &q->q.hsa_queue;
	return RT_OK;
}

/* Packets under way are executed to their end, those behind them are not. */
static void stop(queue *q)
{
	pthread_mutex_lock(&q->lock);
	__atomic_store_n(&q->stop, true, __ATOMIC_SEQ_CST);
	pthread_cond_signal(&q->work);
	pthread_mutex_unlock(&q->lock);
	rt_wake_all();
}

static bool delist(const queue *q)
{
	bool found = false;
	pthread_mutex_lock(&rt.lock);
	for (queue **p = &queues.first; *p && !found; p = found ? p : &(*p)->next)
		if (*p == q) {
			*p = q->next;
			found = true;
			break;
		}
	pthread_mutex_unlock(&rt.lock);
	return found;
}

static bool listed(const hsa_queue_t *hq)
{
	pthread_mutex_lock(&rt.lock);
	const queue *q = queues.first;
	while (q && &q->q.hsa_queue != hq)
		q = q->next;
	pthread_mutex_unlock(&rt.lock);
	return q;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *hq)
{
	queue *q = (queue *)(void *)hq;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!hq)
		return RT_BAD;
	if (!delist(q))
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	stop(q);
	pthread_join(q->thread, NULL);
	release(q);
	return RT_OK;
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t *hq)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!listed(hq))
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	stop((queue *)(void *)hq);
	return RT_OK;
}

void rt_close_queues(void)
{
	for (queue *q; (q = queues.first);) {
		delist(q);
		stop(q);
		pthread_join(q->thread, NULL);
		release(q);
	}
}

/* ---- Indices --------------------------------------------------------------------------------- */

static uint64_t *index_of(const hsa_queue_t *hq, bool write)
{
	amd_queue_t *q = (amd_queue_t *)(uintptr_t)hq;
	return write ? &q->write_dispatch_id : &q->read_dispatch_id;
}
enum { index_read, index_write };

#define SIGNAL_OP(op, order)
#define SIGNAL_GET(op, order)
#define SIGNAL_SWAP(op, order)
#define SIGNAL_CAS(op, order)
#define SIGNAL_WAIT(op, order)
#define QUEUE_LOAD(which, order) \
	uint64_t hsa_queue_load_##which##_index_##order(const hsa_queue_t *q) \
	{ \
		return __atomic_load_n(index_of(q, index_##which), __ATOMIC_SEQ_CST); \
	}
#define QUEUE_STORE(which, order) \
	void hsa_queue_store_##which##_index_##order(const hsa_queue_t *q, uint64_t x) \
	{ \
		__atomic_store_n(index_of(q, index_##which), x, __ATOMIC_SEQ_CST); \
	}
#define QUEUE_CAS(which, order) \
	uint64_t hsa_queue_cas_##which##_index_##order(const hsa_queue_t *q, uint64_t expected, uint64_t x) \
	{ \
		__atomic_compare_exchange_n(index_of(q, index_##which), &expected, x, false, __ATOMIC_SEQ_CST, \
			__ATOMIC_SEQ_CST); \
		return expected; \
	}
#define QUEUE_ADD(which, order) \
	uint64_t hsa_queue_add_##which##_index_##order(const hsa_queue_t *q, uint64_t x) \
	{ \
		return __atomic_fetch_add(index_of(q, index_##which), x, __ATOMIC_SEQ_CST); \
	}
#include "hsa/order.def"

/* ---- What has no effect here, and times ------------------------------------------------------- */

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *q, uint32_t bits, const uint32_t *mask)
{
	if (bits % 32 || (bits && !mask))
		return RT_BAD;
	return listed(q) ? RT_OK : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t *q, uint32_t bits, uint32_t *mask)
{
	if (!bits || bits % 32 || !mask)
		return RT_BAD;
	memset(mask, 0xff, bits / 8);
	return listed(q) ? RT_OK : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *q, uint32_t priority)
{
	if (priority > 2)
		return RT_BAD;
	return listed(q) ? RT_OK : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *q, int on)
{
	(void)on;
	return listed(q) ? RT_OK : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t
hsa_amd_profiling_get_dispatch_time(hsa_agent_t a, hsa_signal_t h, hsa_amd_profiling_dispatch_time_t *t)
{
	const amd_signal_t *s = rt_signal_of(h);
	if (!rt_agent_of(a))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!s)
		return HSA_STATUS_ERROR_INVALID_SIGNAL;
	if (!t)
		return RT_BAD;
	*t = rt_signal_times(s);
	return RT_OK;
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t a, uint64_t tick, uint64_t *out)
{
	if (!rt_agent_of(a))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!out)
		return RT_BAD;
	*out = tick;
	return RT_OK;
}
