/* test_signal.c -- signals: every operation, waiting with and without a change, several at once, handlers on a thread of their own.
 * Expected values are the operations' definitions. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "kit.h"

static kit K;

static void operations(void)
{
	hsa_signal_t s = kit_signal(5);
	bool good = hsa_signal_load_relaxed(s) == 5;
#define STEP(call, wanted) call, good &= hsa_signal_load_scacquire(s) == (wanted)
	STEP(hsa_signal_store_screlease(s, -7), -7);
	STEP(hsa_signal_silent_store_relaxed(s, 12), 12);
	STEP(hsa_signal_add_scacq_screl(s, 3), 15);
	STEP(hsa_signal_subtract_acq_rel(s, 20), -5);
	STEP(hsa_signal_and_relaxed(s, 0xff), 0xfb);
	STEP(hsa_signal_or_screlease(s, 0x100), 0x1fb);
	STEP(hsa_signal_xor_acquire(s, 0xff), 0x104);
	check(good, "store, add, subtract, and, or, xor", "value %lld", (long long)hsa_signal_load_relaxed(s));
	check(hsa_signal_exchange_scacq_screl(s, 1) == 0x104 && hsa_signal_load_acquire(s) == 1, "exchange gives the old value", "another");
	check(hsa_signal_cas_scacquire(s, 2, 9) == 1 && hsa_signal_load_relaxed(s) == 1, "cas leaves what is not expected", "it wrote");
	check(hsa_signal_cas_release(s, 1, 9) == 1 && hsa_signal_load_relaxed(s) == 9, "cas writes what is", "it did not");
	check_status(hsa_signal_destroy(s), HSA_STATUS_SUCCESS, "a signal goes");
	check_status(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL, "a signal goes once");
	check_status(hsa_signal_create(1, 1, &(hsa_agent_t){ 3 }, &s), HSA_STATUS_ERROR_INVALID_AGENT, "a consumer that is none");
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *store_later(void *arg)
{
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	hsa_signal_store_screlease(*(hsa_signal_t *)arg, 3);
	return NULL;
}

static void *write_later(void *arg)
{
	volatile hsa_signal_value_t *p;
	must(!hsa_amd_signal_value_pointer(*(hsa_signal_t *)arg, &p), "the value's address");
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	__atomic_store_n(p, 3, __ATOMIC_RELEASE);
	return NULL;
}

static void waiting(void)
{
	static const struct { uint32_t condition; int64_t compare; bool met; } row[] = {
		{ HSA_SIGNAL_CONDITION_EQ, 3, true }, { HSA_SIGNAL_CONDITION_EQ, 4, false }, { HSA_SIGNAL_CONDITION_NE, 4, true },
		{ HSA_SIGNAL_CONDITION_NE, 3, false }, { HSA_SIGNAL_CONDITION_LT, 4, true }, { HSA_SIGNAL_CONDITION_LT, 3, false },
		{ HSA_SIGNAL_CONDITION_GTE, 3, true }, { HSA_SIGNAL_CONDITION_GTE, 4, false } };
	void *(*const later[2])(void *) = { store_later, write_later };
	hsa_signal_t s = kit_signal(3);
	bool good = true;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double start = seconds();
		uint64_t timeout = row[i].met ? 20000000000u : 3000000;
		int64_t x = hsa_signal_wait_relaxed(s, row[i].condition, row[i].compare, timeout, HSA_WAIT_STATE_BLOCKED);
		double passed = seconds() - start;
		good &= x == 3 && (row[i].met ? passed < 10 : passed >= 0.003);
	}
	check(good, "conditions met at once or not until the timeout", "others");
	for (int i = 0; i < 2; i++) {
		pthread_t t;
		hsa_signal_store_relaxed(s, 1);
		must(!pthread_create(&t, NULL, later[i], &s), "a thread");
		int64_t x = hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_GTE, 2, 20000000000u, HSA_WAIT_STATE_BLOCKED);
		check(x == 3, i ? "a plain store to the value ends a wait" : "a store ends a wait", "value %lld", (long long)x);
		pthread_join(t, NULL);
	}
	hsa_signal_destroy(s);
}

static void several(void)
{
	hsa_signal_t s[3] = { kit_signal(1), kit_signal(1), kit_signal(1) }, which;
	uint32_t lt[3] = { HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT };
	int64_t compare[3] = { 1, 3, 1 }, value = 0;
	pthread_t t;
	check(hsa_amd_signal_wait_any(3, s, lt, compare, 2000000, HSA_WAIT_STATE_BLOCKED, &value) == UINT32_MAX, "wait-any times out", "it did not");
	must(!pthread_create(&t, NULL, store_later, &s[1]), "a thread");
	uint32_t i = hsa_amd_signal_wait_any(3, s, lt, compare, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, &value);
	pthread_join(t, NULL);
	check(i == 1 && value == 3, "wait-any says which and what", "%u, %lld", i, (long long)value);
	int64_t all[3] = { -1, -1, -1 }, need[3] = { 2, 3, 2 };
	hsa_signal_t some[3] = { s[0], s[1], { 0 } };
	check(hsa_amd_signal_wait_all(3, s, lt, compare, 2000000, HSA_WAIT_STATE_BLOCKED, NULL) == UINT32_MAX, "wait-all times out", "it did not");
	check(!hsa_amd_signal_wait_all(3, s, lt, need, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, all) && all[0] == 1 && all[1] == 3 && all[2] == 1,
		"wait-all gives the values", "%lld, %lld, %lld", (long long)all[0], (long long)all[1], (long long)all[2]);
	check(!hsa_amd_signal_wait_all(3, some, lt, need, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, all) && all[2] == 0, "no signal is met, and 0", "%lld",
		(long long)all[2]);
	hsa_signal_group_t g;
	must(!hsa_signal_group_create(3, s, 0, NULL, &g), "a group");
	hsa_status_t st = hsa_signal_group_wait_any_scacquire(g, lt, compare, HSA_WAIT_STATE_BLOCKED, &which, &value);
	check(!st && which.handle == s[1].handle && value == 3, "a group does too", "status 0x%x", (unsigned)st);
	hsa_signal_group_destroy(g);
}

static pthread_t main_thread;
static int calls, wrong;
static hsa_signal_t called;

static bool handler(hsa_signal_value_t value, void *arg)
{
	calls++;
	wrong += value != 7 || arg != &calls || pthread_equal(pthread_self(), main_thread);
	hsa_signal_subtract_screlease(called, 1);
	return calls < 3;       /* again until the third time */
}

static void plain(void *arg)
{
	wrong += pthread_equal(pthread_self(), main_thread) != 0;
	hsa_signal_subtract_screlease(*(hsa_signal_t *)arg, 1);
}

static void handlers(void)
{
	hsa_signal_t s = kit_signal(0), once = kit_signal(1), gone = kit_signal(0);
	main_thread = pthread_self();
	called = kit_signal(3);
	check_status(hsa_amd_signal_async_handler(gone, HSA_SIGNAL_CONDITION_EQ, 7, handler, NULL), HSA_STATUS_SUCCESS, "a handler is taken");
	hsa_signal_destroy(gone);       /* never called */
	hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_GTE, 7, handler, &calls);
	hsa_signal_store_screlease(s, 7);
	check(kit_wait(called) == 0, "it is called while it asks for more", "%d times", calls);
	hsa_amd_async_function(plain, &once);
	check(kit_wait(once) == 0 && calls == 3 && !wrong, "from another thread, with value and argument", "%d calls, %d wrong", calls, wrong);
}

int main(void)
{
	hsa_signal_t s;
	check_status(hsa_signal_create(1, 0, NULL, &s), HSA_STATUS_ERROR_NOT_INITIALIZED, "before hsa_init");
	kit_open(&K, "gfx906");
	operations();
	waiting();
	several();
	handlers();
	kit_close();
	check_status(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED, "shutting down once too often");
	return failures != 0;
}
