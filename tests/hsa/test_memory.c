/* test_memory.c -- pools, access, locked memory, pointer queries, copies: on their own threads, in the order of their engine, after what
 * they depend on; two devices. Expected values are memcpy's. */
#include "kit.h"

static kit K;
static kit_code code[2];

static uint8_t pattern(size_t i) { return (uint8_t)(i * 7 + i / 251); }

static void *vram(unsigned gpu, size_t n)
{
	void *p = NULL;
	must(!hsa_amd_memory_pool_allocate(K.vram[gpu], n, 0, &p), "device memory");
	return p;
}

static void pools(void)
{
	uint32_t access[3];
	void *p = NULL;
	hsa_amd_agent_memory_pool_get_info(K.gpu[0], K.vram[0], HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access[0]);
	hsa_amd_agent_memory_pool_get_info(K.host, K.vram[0], HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access[1]);
	hsa_amd_agent_memory_pool_get_info(K.gpu[1], K.vram[0], HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access[2]);
	check(access[0] == HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT && access[1] == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED &&
		access[2] == HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, "who may access a device's memory", "%u %u %u", access[0], access[1], access[2]);
	check_status(hsa_amd_memory_pool_allocate(K.vram[0], (size_t)1 << 40, 0, &p), HSA_STATUS_ERROR_OUT_OF_RESOURCES, "more memory than there is");
	check_status(hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){ 8 }, 8, 0, &p), HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "a pool that is none");
	check_status(hsa_amd_memory_pool_free(&p), HSA_STATUS_ERROR_INVALID_ALLOCATION, "freeing what was not allocated");
	p = vram(0, 100);
	check_status(hsa_amd_memory_pool_free((char *)p + 8), HSA_STATUS_ERROR_INVALID_ALLOCATION, "freeing from the middle");
	check_status(hsa_amd_memory_pool_free(p), HSA_STATUS_SUCCESS, "freeing");
	check_status(hsa_amd_memory_pool_free(p), HSA_STATUS_ERROR_INVALID_ALLOCATION, "freeing twice");
	/* What is freed can be had again, all of it. */
	bool good = true;
	for (int i = 0; i < 40; i++) {
		p = NULL;
		good &= !hsa_amd_memory_pool_allocate(K.vram[0], (size_t)12 << 30, 0, &p) && !hsa_amd_memory_pool_free(p);
	}
	check(good, "12 of 16 GiB, 40 times", "it ran out");
}

static void about(void)
{
	static char host[10000];
	hsa_amd_pointer_info_t i = { .size = sizeof i };
	hsa_agent_t *list = NULL;
	uint32_t n = 0;
	void *alias = NULL;
	char *p = vram(1, 5000);
	must(!hsa_amd_agents_allow_access(2, K.gpu, NULL, p), "access");
	hsa_amd_pointer_info(p + 4999, &i, malloc, &n, &list);
	check(i.type == HSA_EXT_POINTER_TYPE_HSA && i.agentBaseAddress == p && i.sizeInBytes == 5000 && i.agentOwner.handle == K.gpu[1].handle,
		"what an address belongs to", "type %u", i.type);
	check(n == 2 && (list[0].handle == K.gpu[0].handle || list[1].handle == K.gpu[0].handle), "and who may access it", "%u agents", n);
	free(list);
	hsa_amd_pointer_info(p + 5000, &i, NULL, NULL, NULL);
	check(i.type == HSA_EXT_POINTER_TYPE_UNKNOWN, "the byte behind belongs to nothing", "type %u", i.type);
	check_status(hsa_amd_memory_lock(host + 3, 9000, &K.gpu[0], 1, &alias), HSA_STATUS_SUCCESS, "memory is locked");
	hsa_amd_pointer_info(host + 100, &i, NULL, NULL, NULL);
	check(i.type == HSA_EXT_POINTER_TYPE_LOCKED && i.hostBaseAddress == host + 3 && i.agentBaseAddress == alias && alias != host + 3,
		"it has an address for devices", "type %u", i.type);
	check_status(hsa_amd_memory_unlock(host + 3), HSA_STATUS_SUCCESS, "and is unlocked");
	hsa_amd_pointer_info(alias, &i, NULL, NULL, NULL);
	check(i.type == HSA_EXT_POINTER_TYPE_UNKNOWN, "which ends that", "type %u", i.type);
	hsa_amd_memory_pool_free(p);
}

/* A kernel uses locked memory by both addresses; not any more when it is unlocked. */
static void locked(void)
{
	static uint32_t host[64];
	uint32_t *alias = NULL;
	kit_args *a = kit_shared(&K, 3 * sizeof *a);
	kit_queue q;
	hsa_signal_t done = kit_signal(2), bad = kit_signal(1);
	for (uint32_t i = 0; i < 64; i++)
		host[i] = i;
	must(!hsa_amd_memory_lock(host, sizeof host, NULL, 0, (void **)&alias), "locking");
	a[0] = (kit_args){ alias, alias, 64, 10 };
	a[1] = (kit_args){ alias, host, 64, 100 };
	a[2] = (kit_args){ NULL, alias, 0, 0 };
	kit_queue_open(&q, K.gpu[0], 16, HSA_QUEUE_TYPE_MULTI);
	kit_dispatch(q.q, kit_kernel(&code[0], "plus"), 1, &a[0], done);
	kit_dispatch(q.q, kit_kernel(&code[0], "plus"), 1, &a[1], done);
	check(kit_wait(done) == 0 && host[0] == 110 && host[63] == 173, "kernels use it by both", "%u, %u", host[0], host[63]);
	hsa_amd_memory_unlock(host);
	kit_dispatch(q.q, kit_kernel(&code[0], "tell"), 1, &a[2], bad);
	check(kit_wait(bad) < 0 && q.error == HSA_STATUS_ERROR_MEMORY_FAULT, "not when it is unlocked", "status 0x%x", (unsigned)q.error);
	hsa_queue_destroy(q.q);
}

static void copies(void)
{
	enum { N = 100000 };
	uint8_t *from = malloc(N), *back = malloc(N), *a = vram(0, N), *b = vram(1, N);
	hsa_signal_t s[3] = { kit_signal(1), kit_signal(1), kit_signal(1) }, gate = kit_signal(1);
	must(from && back, "memory");
	for (size_t i = 0; i < N; i++)
		from[i] = pattern(i);
	/* A chain over host, device 0, device 1, host, held by a gate. */
	hsa_amd_memory_async_copy(a, K.gpu[0], from, K.host, N, 1, &gate, s[0]);
	hsa_amd_memory_async_copy(b, K.gpu[1], a, K.gpu[0], N, 1, &s[0], s[1]);
	check_status(hsa_amd_memory_async_copy(back, K.host, b, K.gpu[1], N, 1, &s[1], s[2]), HSA_STATUS_SUCCESS, "copies do not hold up the caller");
	check(hsa_signal_wait_scacquire(s[0], HSA_SIGNAL_CONDITION_LT, 1, 10000000, HSA_WAIT_STATE_BLOCKED) == 1, "they wait for their dependencies", "not so");
	hsa_signal_store_screlease(gate, 0);
	check(kit_wait(s[2]) == 0 && !memcmp(from, back, N), "through two devices and back", "other bytes");
	hsa_amd_profiling_async_copy_time_t t = { 0, 0 };
	check(!hsa_amd_profiling_get_async_copy_time(s[2], &t) && t.start && t.end >= t.start, "times are told", "none");
	/* No dependency between them, but the same engine: the last one wins. */
	hsa_signal_t many = kit_signal(50);
	for (int i = 0; i < 50; i++)
		hsa_amd_memory_async_copy(a, K.gpu[0], from + i, K.host, 1000, 0, NULL, many);
	check(kit_wait(many) == 0 && !memcmp(a, from + 49, 1000), "copies of one engine keep their order", "another won");
	/* Memory that is freed before its copy is made: as if it were freed after. */
	hsa_signal_t late = kit_signal(1), made = kit_signal(1);
	uint8_t *gone_soon = vram(0, N);
	memcpy(gone_soon, from, N);
	memset(back, 0, N);
	hsa_amd_memory_async_copy(back, K.host, gone_soon, K.gpu[0], N, 1, &late, made);
	hsa_amd_memory_pool_free(gone_soon);
	hsa_signal_store_screlease(late, 0);
	check(kit_wait(made) == 0 && !memcmp(from, back, N), "memory lives until its copies are made", "other bytes");
	/* Failures. */
	hsa_signal_t bad = kit_signal(-1), after = kit_signal(1);
	hsa_amd_memory_async_copy(a, K.gpu[0], from, K.host, N, 1, &bad, after);
	check(kit_wait(after) < 0, "a copy whose dependency failed fails", "signal %lld", (long long)hsa_signal_load_relaxed(after));
	check_status(hsa_amd_memory_async_copy(a, K.gpu[0], from, K.host, N + 1, 0, NULL, s[0]), HSA_STATUS_ERROR_INVALID_ALLOCATION, "over the end of a buffer");
	check_status(hsa_amd_memory_async_copy(a, K.gpu[0], (void *)64, K.host, 8, 0, NULL, s[0]), HSA_STATUS_ERROR_INVALID_ALLOCATION, "from where nothing is");
	check_status(hsa_amd_memory_async_copy(a, K.gpu[0], from, K.host, N, 0, NULL, (hsa_signal_t){ 0 }), HSA_STATUS_ERROR_INVALID_SIGNAL, "without a signal");
	check_status(hsa_memory_copy(a, from + 5, 100), HSA_STATUS_SUCCESS, "hsa_memory_copy");
	check(!memcmp(a, from + 5, 100), "copies", "other bytes");
	check_status(hsa_amd_memory_fill(a, 0x01020304, 25), HSA_STATUS_SUCCESS, "hsa_amd_memory_fill");
	check(a[0] == 4 && a[99] == 1 && a[100] == pattern(100 + 49), "fills", "other bytes");
	hsa_amd_memory_pool_free(a);
	hsa_amd_memory_pool_free(b);
	free(from);
	free(back);
}

static void boxes(void)
{
	enum { W = 40, H = 9, D = 4 };
	uint8_t *from = kit_shared(&K, W * H * D), *to = vram(0, 2 * W * H * D);
	hsa_signal_t s = kit_signal(1);
	hsa_pitched_ptr_t f = { from, W, W * H }, t = { to, 2 * W, 2 * W * H };
	hsa_dim3_t fa = { 3, 2, 1 }, ta = { 5, 1, 0 }, range = { 17, 6, 3 };
	bool good = true;
	for (size_t i = 0; i < W * H * D; i++)
		from[i] = pattern(i);
	memset(to, 0, 2 * W * H * D);
	check_status(hsa_amd_memory_async_copy_rect(&t, &ta, &f, &fa, &range, K.gpu[0], 1, 0, NULL, s), HSA_STATUS_SUCCESS, "a box is copied");
	kit_wait(s);
	for (size_t z = 0; z < D; z++)
		for (size_t y = 0; y < H; y++)
			for (size_t x = 0; x < 2 * W; x++) {
				bool in = x - 5 < 17 && y - 1 < 6 && z < 3;
				uint8_t want = in ? pattern((x - 5 + 3) + (y - 1 + 2) * W + (z + 1) * W * H) : 0;
				good &= to[x + y * 2 * W + z * 2 * W * H] == want;
			}
	check(good, "its bytes and no others", "others");
	range.x = 300;
	check_status(hsa_amd_memory_async_copy_rect(&t, &ta, &f, &fa, &range, K.gpu[0], 1, 0, NULL, s), HSA_STATUS_ERROR_INVALID_ALLOCATION, "a box over the end");
	hsa_amd_memory_pool_free(to);
}

/* The same kernel on two chips of different wave size, each in its own memory and in the other's. */
static void two_devices(void)
{
	uint32_t *x[2] = { vram(0, 400), vram(1, 400) };
	kit_args *a = kit_shared(&K, 2 * sizeof *a);
	hsa_signal_t done = kit_signal(2);
	kit_queue q[2];
	for (int g = 0; g < 2; g++)
		must(!hsa_amd_agents_allow_access(2, K.gpu, NULL, x[g]), "peer access");
	for (uint32_t i = 0; i < 100; i++)
		x[0][i] = i, x[1][i] = 1000 + i;
	for (int g = 0; g < 2; g++) {
		kit_queue_open(&q[g], K.gpu[g], 16, HSA_QUEUE_TYPE_MULTI);
		a[g] = (kit_args){ x[g], x[g], 100, 7 };
		kit_dispatch(q[g].q, kit_kernel(&code[g], "plus"), 2, &a[g], done);
	}
	check(kit_wait(done) == 0 && x[0][99] == 106 && x[1][99] == 1106, "two devices", "%u, %u", x[0][99], x[1][99]);
	done = kit_signal(1);
	a[0] = (kit_args){ x[1], x[1], 100, 1 };
	kit_dispatch(q[0].q, kit_kernel(&code[0], "plus"), 2, &a[0], done);
	check(kit_wait(done) == 0 && x[1][99] == 1107, "and a device in another's memory", "%u", x[1][99]);
	hsa_queue_destroy(q[0].q);
	hsa_queue_destroy(q[1].q);
}

static int gone;
static void count(void *p, void *user)
{
	(void)p;
	gone += user == &gone;
}

int main(void)
{
	kit_open(&K, "gfx90a,gfx1030");
	check(K.ngpus == 2, "two devices are there", "%u", K.ngpus);
	kit_load(&code[0], &K, 0, kit_ptx);
	kit_load(&code[1], &K, 1, kit_ptx);
	pools();
	about();
	locked();
	copies();
	boxes();
	two_devices();
	void *p = vram(0, 8);
	must(!hsa_amd_register_deallocation_callback(p, count, &gone), "a callback");
	hsa_amd_memory_pool_free(p);
	check(gone == 1, "freeing tells who asked for it", "%d times", gone);
	kit_unload(&code[0]);
	kit_unload(&code[1]);
	kit_close();
	return failures != 0;
}
