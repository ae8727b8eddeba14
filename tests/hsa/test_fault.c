/* test_fault.c -- a kernel that faults ends as an error of its queue: the callback hears of the right kind once, the packet
 * and all behind it complete with a negative signal, other queues go on. */
#define _POSIX_C_SOURCE 200809L
#include "kit.h"
#include <sys/socket.h>
#include <unistd.h>

static kit K;
static kit_code code;

static void fault(const char *kernel, hsa_status_t wanted, const char *name)
{
	uint32_t *x = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, 2 * sizeof *a);
	kit_queue bad, good;
	hsa_signal_t faulted = kit_signal(1), behind = kit_signal(1), after = kit_signal(1), other = kit_signal(1);
	*x = 0;
	a[0] = (kit_args){ NULL, x, 0, 1 };
	a[1] = (kit_args){ NULL, x, 0, 6 };
	kit_queue_open(&bad, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_queue_open(&good, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(bad.q, kit_kernel(&code, kernel), 1, &a[0], faulted);
	kit_dispatch(bad.q, kit_kernel(&code, "tell"), 1, &a[1], behind);
	check(kit_wait(faulted) < 0 && kit_wait(behind) < 0, name, "signals %lld, %lld", (long long)hsa_signal_load_relaxed(faulted),
		(long long)hsa_signal_load_relaxed(behind));
	check(bad.errors == 1 && bad.error == wanted, "the callback hears of it once", "%d times, status 0x%x", bad.errors, (unsigned)bad.error);
	check(*x == 0, "nothing behind it is executed", "word %u", *x);
	kit_barrier(good.q, HSA_PACKET_TYPE_BARRIER_AND, &faulted, 1, after);
	check(kit_wait(after) < 0 && !good.errors, "who depends on it fails too", "signal %lld", (long long)hsa_signal_load_relaxed(after));
	kit_dispatch(good.q, kit_kernel(&code, "tell"), 1, &a[1], other);
	check(kit_wait(other) == 0 && *x == 6 && !good.errors, "another queue goes on", "word %u", *x);
	hsa_queue_destroy(bad.q);
	hsa_queue_destroy(good.q);
}

/* Memory of a device that another one was not given access to. */
static void foreign(void)
{
	uint32_t *x = NULL;
	kit_args *a = kit_shared(&K, sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(1), again = kit_signal(1);
	must(!hsa_amd_memory_pool_allocate(K.vram[1], 4096, 0, (void **)&x), "memory of the other device");
	*a = (kit_args){ NULL, x, 0, 1 };
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(q.q, kit_kernel(&code, "tell"), 1, a, done);
	check(kit_wait(done) < 0 && q.error == HSA_STATUS_ERROR_MEMORY_FAULT, "another device's memory is out of bounds", "status 0x%x", (unsigned)q.error);
	hsa_queue_destroy(q.q);
	check_status(hsa_amd_agents_allow_access(1, &K.gpu[0], NULL, x), HSA_STATUS_SUCCESS, "access is given");
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(q.q, kit_kernel(&code, "tell"), 1, a, again);
	check(kit_wait(again) == 0, "then it is not", "status 0x%x", (unsigned)q.error);
	hsa_queue_destroy(q.q);
	hsa_amd_memory_pool_free(x);
}

/* Bytes behind the end of an allocation, and memory that was freed. */
static void edges(void)
{
	uint32_t *x = kit_shared(&K, 6), *gone = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, 2 * sizeof *a);
	hsa_amd_memory_pool_free(gone);
	a[0] = (kit_args){ NULL, x + 1, 0, 1 };
	a[1] = (kit_args){ NULL, gone, 0, 1 };
	for (int i = 0; i < 2; i++) {
		kit_queue q;
		hsa_signal_t done = kit_signal(1);
		kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
		kit_dispatch(q.q, kit_kernel(&code, "tell"), 1, &a[i], done);
		check(kit_wait(done) < 0 && q.error == HSA_STATUS_ERROR_MEMORY_FAULT, i ? "freed memory" : "two bytes behind the end", "status 0x%x",
			(unsigned)q.error);
		hsa_queue_destroy(q.q);
	}
}

static void bad_packets(void)
{
	hsa_kernel_dispatch_packet_t p = { .setup = 1, .workgroup_size_x = 2000, .workgroup_size_y = 1, .workgroup_size_z = 1, .grid_size_x = 64,
		.grid_size_y = 1, .grid_size_z = 1, .kernel_object = kit_kernel(&code, "tell") };
	static const char *const name[] = { "2000 work-items a group", "a kernel object that is none", "a packet of an unknown type" };
	for (int i = 0; i < 3; i++) {
		kit_queue q;
		hsa_signal_t done = kit_signal(1);
		p.completion_signal = done;
		p.workgroup_size_x = i ? 64 : 2000;
		p.kernel_object = i == 1 ? 64 : kit_kernel(&code, "tell");
		kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
		kit_submit(q.q, &p, i == 2 ? 9 : HSA_PACKET_TYPE_KERNEL_DISPATCH);
		check(kit_wait(done) < 0 && q.errors == 1 && q.error == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, name[i], "status 0x%x", (unsigned)q.error);
		hsa_queue_destroy(q.q);
	}
}

static void endless(void)
{
	uint32_t *flag = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(1);
	*flag = 0;
	*a = (kit_args){ flag, NULL, 0, 0 };
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(q.q, kit_kernel(&code, "spin"), 1, a, done);
	check(kit_wait(done) < 0 && q.error == HSA_STATUS_ERROR_EXCEPTION, "P2A_TIMEOUT ends an endless kernel", "status 0x%x", (unsigned)q.error);
	hsa_queue_destroy(q.q);
}

/* A device that goes away: what it did is done, from then on everything fails. */
static void lost(void)
{
	uint32_t *x = kit_shared(&K, 4);
	kit_args *a = kit_shared(&K, sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(2), none = kit_signal(1);
	*x = 0;
	*a = (kit_args){ x, x, 1, 1 };
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	for (int i = 0; i < 3; i++)
		kit_dispatch(q.q, kit_kernel(&code, "plus"), 1, a, i < 2 ? done : none);
	check(kit_wait(done) == 0 && kit_wait(none) < 0 && *x == 2 && q.error == HSA_STATUS_ERROR_FATAL, "a device is lost after two dispatches",
		"word %u, status 0x%x", *x, (unsigned)q.error);
	hsa_queue_destroy(q.q);
}

/* Standard error as a socket that keeps writes apart: the two lines of a fault must be one. */
static void one_write(void)
{
	int pair[2], old = dup(2);
	char text[4096];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || dup2(pair[1], 2) < 0)
		return;
	fault("wild", HSA_STATUS_ERROR_MEMORY_FAULT, "a fault told to a socket");
	dup2(old, 2);
	ssize_t n = recv(pair[0], text, sizeof text - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = 0;
	check(strstr(text, "kernel wild faulted") && strstr(text, "\np2a:     on gfx90a, workgroup") && text[n - 1] == '\n',
		"both lines of a fault are one write", "%s", text);
	close(old);
	close(pair[0]);
	close(pair[1]);
}

/* The environment's values that make no sense are refused, not passed over. */
static void junk(void)
{
	static const char *const set[][2] = { { "P2A_CHECK", "some" }, { "P2A_ON_FAULT", "go" }, { "P2A_TIMEOUT", "1s" }, { "P2A_TIMEOUT", "-1" },
		{ "P2A_TIMEOUT", "nan" }, { "P2A_THREADS", "junk" }, { "P2A_LOSE_AFTER", "2x" }, { "P2A_DEVICES", "gfx1" } };
	setenv("P2A_DEVICES", "gfx90a", 1);
	for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
		setenv(set[i][0], set[i][1], 1);
		hsa_status_t s = hsa_init();
		check(s == HSA_STATUS_ERROR_INVALID_ARGUMENT, set[i][0], "'%s': status 0x%x", set[i][1], (unsigned)s);
		if (s == HSA_STATUS_SUCCESS)
			hsa_shut_down();
		unsetenv(set[i][0]);
	}
}

int main(void)
{
	junk();
	kit_open(&K, "gfx90a,gfx1030");
	kit_load(&code, &K, 0, kit_ptx);
	fault("wild", HSA_STATUS_ERROR_MEMORY_FAULT, "a store outside every buffer");
	one_write();
	fault("give_up", HSA_STATUS_ERROR_EXCEPTION, "a trap");
	foreign();
	edges();
	bad_packets();
	kit_unload(&code);
	kit_close();
	setenv("P2A_TIMEOUT", "0.2", 1);
	kit_open(&K, "gfx906");
	kit_load(&code, &K, 0, kit_ptx);
	endless();
	kit_unload(&code);
	kit_close();
	setenv("P2A_LOSE_AFTER", "2", 1);
	kit_open(&K, "gfx906");
	kit_load(&code, &K, 0, kit_ptx);
	lost();
	kit_unload(&code);
	kit_close();
	return failures != 0;
}
