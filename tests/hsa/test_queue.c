/* test_queue.c -- packets are executed in order and once; barriers wait for what they name; the ring wraps; several
 * producers and several queues at once. Expected values are the kernels' definitions, in C. */
#include <pthread.h>

#include "kit.h"

static kit K;
static kit_code code;

static bool is_plus(const uint32_t *out, const uint32_t *in, uint32_t n, uint32_t add)
{
	for (uint32_t i = 0; i < n; i++)
		if (out[i] != in[i] + add)
			return false;
	return true;
}

static void one_kernel(void)
{
	enum { N = 1000 };
	uint32_t *in = kit_shared(&K, N * 4), *out = kit_shared(&K, N * 4 + 4);
	kit_args *a = kit_shared(&K, sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(1);
	hsa_amd_profiling_dispatch_time_t t = { 0, 0 };
	for (uint32_t i = 0; i < N; i++)
		in[i] = i * i;
	out[N] = 77;
	*a = (kit_args){ in, out, N, 5 };
	kit_queue_open(&q, K.gpu[0], 64, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(q.q, kit_kernel(&code, "plus"), 16, a, done);
	check(kit_wait(done) == 0 && is_plus(out, in, N, 5) && out[N] == 77, "a kernel computes", "other results");
	check(!hsa_amd_profiling_get_dispatch_time(K.gpu[0], done, &t) && t.start && t.start <= t.end, "its times are told", "%llu to %llu",
		(unsigned long long)t.start, (unsigned long long)t.end);
	check(hsa_queue_load_read_index_relaxed(q.q) == 1 && hsa_queue_load_write_index_relaxed(q.q) == 1, "indices count packets", "others");
	check(!q.errors, "no error is told", "status 0x%x", (unsigned)q.error);
	check_status(hsa_queue_destroy(q.q), HSA_STATUS_SUCCESS, "a queue goes");
	check_status(hsa_queue_destroy(q.q), HSA_STATUS_ERROR_INVALID_QUEUE, "a queue goes once");
	hsa_signal_destroy(done);
}

/* Each kernel reads what the one before wrote: 500 packets in a ring of 16. */
static void order(void)
{
	enum { N = 500, SIZE = 16 };
	uint32_t *x = kit_shared(&K, 8);
	kit_args *a = kit_shared(&K, 2 * sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(N);
	x[0] = x[1] = 0;
	a[0] = (kit_args){ x, x + 1, 1, 1 };
	a[1] = (kit_args){ x + 1, x, 1, 1 };
	kit_queue_open(&q, K.gpu[0], SIZE, HSA_QUEUE_TYPE_SINGLE);
	uint64_t k = kit_kernel(&code, "plus");
	for (int i = 0; i < N; i++)
		kit_dispatch(q.q, k, 1, &a[i & 1], done);
	check(kit_wait(done) == 0 && x[0] == N && x[1] == N - 1, "500 packets in a ring of 16, in order", "%u, %u", x[0], x[1]);
	hsa_queue_destroy(q.q);
	hsa_signal_destroy(done);
}

enum { PRODUCERS = 4, EACH = 50 };
static kit_queue shared_queue;
static uint32_t *sums;

static void *produce(void *arg)
{
	unsigned me = *(unsigned *)arg;
	kit_args *a = kit_shared(&K, EACH * sizeof *a);
	uint64_t k = kit_kernel(&code, "plus");
	hsa_signal_t done = kit_signal(EACH);
	for (int i = 0; i < EACH; i++) {
		a[i] = (kit_args){ &sums[me], &sums[me], 1, me + 1 };
		kit_dispatch(shared_queue.q, k, 1, &a[i], done);
	}
	kit_wait(done);
	hsa_signal_destroy(done);
	return NULL;
}

static void producers(void)
{
	pthread_t t[PRODUCERS];
	unsigned id[PRODUCERS];
	bool good = true;
	sums = kit_shared(&K, PRODUCERS * 4);
	memset(sums, 0, PRODUCERS * 4);
	kit_queue_open(&shared_queue, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	for (unsigned i = 0; i < PRODUCERS; i++) {
		id[i] = i;
		must(!pthread_create(&t[i], NULL, produce, &id[i]), "a thread");
	}
	for (unsigned i = 0; i < PRODUCERS; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < PRODUCERS; i++)
		good &= sums[i] == EACH * (i + 1);
	check(good, "four producers on one queue", "sums %u %u %u %u", sums[0], sums[1], sums[2], sums[3]);
	hsa_queue_destroy(shared_queue.q);
}

/* The kernel behind the barrier must not have run while a dependency is above 0. */
static void barrier_and(void)
{
	uint32_t *x = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, sizeof *a);
	kit_queue q;
	hsa_signal_t dep[3] = { kit_signal(1), kit_signal(2), kit_signal(0) }, done = kit_signal(1), passed = kit_signal(1);
	*x = 0;
	*a = (kit_args){ NULL, x, 0, 9 };
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_barrier(q.q, HSA_PACKET_TYPE_BARRIER_AND, dep, 3, passed);
	kit_dispatch(q.q, kit_kernel(&code, "tell"), 1, a, done);
	hsa_signal_subtract_screlease(dep[0], 1);
	hsa_signal_subtract_screlease(dep[1], 1);
	int64_t early = hsa_signal_wait_scacquire(passed, HSA_SIGNAL_CONDITION_LT, 1, 30000000, HSA_WAIT_STATE_BLOCKED);
	check(early == 1 && __atomic_load_n(x, __ATOMIC_SEQ_CST) == 0, "barrier-and waits for all", "signal %lld, word %u", (long long)early, *x);
	hsa_signal_store_screlease(dep[1], 0);
	check(kit_wait(done) == 0 && kit_wait(passed) == 0 && *x == 9, "and lets pass then", "word %u", *x);
	hsa_queue_destroy(q.q);
}

static void barrier_or(void)
{
	kit_queue q;
	hsa_signal_t dep[2] = { kit_signal(1), kit_signal(1) }, done = kit_signal(1), none = kit_signal(1);
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_barrier(q.q, HSA_PACKET_TYPE_BARRIER_OR, dep, 0, none);
	check(kit_wait(none) == 0, "barrier-or of nothing passes", "it waits");
	kit_barrier(q.q, HSA_PACKET_TYPE_BARRIER_OR, dep, 2, done);
	int64_t early = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20000000, HSA_WAIT_STATE_ACTIVE);
	hsa_signal_store_relaxed(dep[1], 0);
	check(early == 1 && kit_wait(done) == 0, "barrier-or waits for one", "signal %lld", (long long)early);
	hsa_queue_destroy(q.q);
}

/* Also by a silent store, which wakes nobody. */
static void barrier_value(void)
{
	kit_queue q;
	hsa_signal_t watched = kit_signal(0x10), done = kit_signal(1);
	hsa_amd_barrier_value_packet_t p = { .signal = watched, .value = 3, .mask = 0xf, .cond = HSA_SIGNAL_CONDITION_GTE,
		.completion_signal = done };
	p.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_submit(q.q, &p, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	hsa_signal_store_relaxed(watched, 0x22);
	int64_t early = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20000000, HSA_WAIT_STATE_BLOCKED);
	hsa_signal_silent_store_relaxed(watched, 0x13);
	check(early == 1 && kit_wait(done) == 0, "barrier-value compares under its mask", "signal %lld", (long long)early);
	hsa_queue_destroy(q.q);
}

/* A kernel that waits for the host does not hold up another queue, nor the freeing of other memory. */
static void two_queues(void)
{
	uint32_t *flag = kit_shared(&K, 4), *x = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, 2 * sizeof *a);
	kit_queue one, two;
	hsa_signal_t waiting = kit_signal(1), done = kit_signal(1);
	*flag = *x = 0;
	a[0] = (kit_args){ flag, NULL, 0, 0 };
	a[1] = (kit_args){ NULL, x, 0, 4 };
	kit_queue_open(&one, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_queue_open(&two, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(one.q, kit_kernel(&code, "spin"), 1, &a[0], waiting);
	kit_dispatch(two.q, kit_kernel(&code, "tell"), 1, &a[1], done);
	check(kit_wait(done) == 0 && *x == 4, "a second queue goes on while the first waits", "word %u", *x);
	check_status(hsa_amd_memory_pool_free(kit_shared(&K, 1 << 20)), HSA_STATUS_SUCCESS, "memory is freed while a kernel waits");
	check(hsa_signal_load_relaxed(waiting) == 1, "the first still waits", "it ended");
	__atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
	check(kit_wait(waiting) == 0, "and ends when told", "it goes on");
	hsa_queue_destroy(one.q);
	hsa_queue_destroy(two.q);
}

static void refused(void)
{
	hsa_queue_t *q = NULL;
	check_status(hsa_queue_create(K.gpu[0], 100, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT, "a size that is no power of two");
	check_status(hsa_queue_create(K.gpu[0], 1 << 20, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT, "a size above the most");
	check_status(hsa_queue_create(K.host, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &q), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "a queue of the host");
	check_status(hsa_queue_create((hsa_agent_t){ 12 }, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &q), HSA_STATUS_ERROR_INVALID_AGENT, "a queue of nobody");
}

int main(void)
{
	kit_open(&K, "gfx90a");
	kit_load(&code, &K, 0, kit_ptx);
	one_kernel();
	order();
	producers();
	barrier_and();
	barrier_or();
	barrier_value();
	two_queues();
	refused();
	kit_unload(&code);
	kit_close();
	return failures != 0;
}
