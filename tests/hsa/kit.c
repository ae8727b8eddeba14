/* kit.c -- see kit.h. */
#define _POSIX_C_SOURCE 200809L
#include "kit.h"

#include <sched.h>
#include <stdarg.h>

#include "p2a.h"

int failures;

const char kit_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 41;\n"
#define ENTRY(name, body) \
	".visible .entry " name "(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 add)\n{\n" \
	"\t.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;\n" \
	"\tld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [add];\n" \
	"\tmov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5;\n" body "}\n"
	ENTRY("plus", "\tsetp.ge.u32 %p, %r3, %r1;\n\t@%p ret;\n\tmul.wide.u32 %d3, %r3, 4; add.u64 %d1, %d1, %d3;\n"
		"\tadd.u64 %d2, %d2, %d3; ld.global.u32 %r6, [%d1]; add.u32 %r6, %r6, %r2; st.global.u32 [%d2], %r6;\n\tret;\n")
	ENTRY("wild", "\tadd.u64 %d2, %d2, 0x10000000;\n\tst.global.u32 [%d2], %r2;\n\tret;\n")
	ENTRY("give_up", "\ttrap;\n")
	ENTRY("spin", "AGAIN:\n\tld.volatile.global.u32 %r6, [%d1];\n\tsetp.eq.u32 %p, %r6, 0;\n\t@%p bra AGAIN;\n\tret;\n")
	ENTRY("tell", "\tst.global.u32 [%d2], %r2;\n\tret;\n");

void kit_check(bool good, const char *name, const char *fmt, ...)
{
	va_list ap;
	if (good)
		printf("ok %s\n", name);
	else {
		printf("not ok %s: ", name);
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		putchar('\n');
		failures++;
	}
	fflush(stdout);
}

void check_status(hsa_status_t got, hsa_status_t wanted, const char *name)
{
	check(got == wanted, name, "status 0x%x instead of 0x%x", (unsigned)got, (unsigned)wanted);
}

void must(bool good, const char *what)
{
	if (good)
		return;
	printf("not ok %s: it failed, and what follows needs it\n", what);
	exit(1);
}

/* ---- Devices and memory ---------------------------------------------------------------------- */

static hsa_status_t take_agent(hsa_agent_t a, void *data)
{
	kit *k = data;
	uint32_t type = 9;
	hsa_agent_get_info(a, HSA_AGENT_INFO_DEVICE, &type);
	if (type == HSA_DEVICE_TYPE_CPU)
		k->host = a;
	else if (k->ngpus < KIT_DEVICES)
		k->gpu[k->ngpus++] = a;
	return HSA_STATUS_SUCCESS;
}

typedef struct wanted {
	uint32_t flags;
	hsa_amd_memory_pool_t pool;
} wanted;

static hsa_status_t take_pool(hsa_amd_memory_pool_t p, void *data)
{
	wanted *w = data;
	uint32_t segment = 9, flags = 0;
	hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
	hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (segment != HSA_REGION_SEGMENT_GLOBAL || !(flags & w->flags))
		return HSA_STATUS_SUCCESS;
	w->pool = p;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_amd_memory_pool_t pool_of(hsa_agent_t a, uint32_t flags)
{
	wanted w = { flags, { 0 } };
	hsa_amd_agent_iterate_memory_pools(a, take_pool, &w);
	must(w.pool.handle, "a memory pool");
	return w.pool;
}

void kit_open(kit *k, const char *devices)
{
	memset(k, 0, sizeof *k);
	setenv("P2A_DEVICES", devices, 1);
	must(hsa_init() == HSA_STATUS_SUCCESS, "hsa_init");
	must(hsa_iterate_agents(take_agent, k) == HSA_STATUS_SUCCESS && k->host.handle, "agents");
	k->fine = pool_of(k->host, HSA_REGION_GLOBAL_FLAG_KERNARG);
	k->coarse = pool_of(k->host, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
	for (unsigned i = 0; i < k->ngpus; i++)
		k->vram[i] = pool_of(k->gpu[i], HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
}

void kit_close(void) { must(hsa_shut_down() == HSA_STATUS_SUCCESS, "hsa_shut_down"); }

void *kit_shared(const kit *k, size_t size)
{
	void *p = NULL;
	must(hsa_amd_memory_pool_allocate(k->fine, size, 0, &p) == HSA_STATUS_SUCCESS, "host memory");
	must(hsa_amd_agents_allow_access(k->ngpus, k->gpu, NULL, p) == HSA_STATUS_SUCCESS, "access to host memory");
	return p;
}

hsa_signal_t kit_signal(int64_t x)
{
	hsa_signal_t s = { 0 };
	must(hsa_signal_create(x, 0, NULL, &s) == HSA_STATUS_SUCCESS, "a signal");
	return s;
}

int64_t kit_wait(hsa_signal_t s)
{
	return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, 20000000000u, HSA_WAIT_STATE_BLOCKED);
}

/* ---- Code ------------------------------------------------------------------------------------ */

void *kit_object(const char *ptx, const char *target, size_t *size)
{
	p2a_source s = { "kit.ptx", ptx, strlen(ptx) };
	p2a_options o = { .size = sizeof o, .target = target };
	p2a_result *r = p2a_translate(&s, 1, &o);
	must(r && r->status == P2A_OK, "a translation");
	void *p = malloc(r->size);
	must(p, "memory");
	memcpy(p, r->data, r->size);
	*size = r->size;
	p2a_result_free(r);
	return p;
}

void kit_load(kit_code *c, const kit *k, unsigned gpu, const char *ptx)
{
	char name[64];
	size_t size;
	*c = (kit_code){ .agent = k->gpu[gpu] };
	hsa_agent_get_info(c->agent, HSA_AGENT_INFO_NAME, name);
	c->object = kit_object(ptx, name, &size);
	must(!hsa_code_object_reader_create_from_memory(c->object, size, &c->reader), "a reader");
	must(!hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &c->exe), "an executable");
	must(!hsa_executable_load_agent_code_object(c->exe, c->agent, c->reader, NULL, NULL), "a loaded object");
	must(!hsa_executable_freeze(c->exe, NULL), "a frozen executable");
}

void kit_unload(kit_code *c)
{
	must(!hsa_executable_destroy(c->exe), "destroying an executable");
	must(!hsa_code_object_reader_destroy(c->reader), "destroying a reader");
	free(c->object);
}

uint64_t kit_kernel(const kit_code *c, const char *name)
{
	char kd[64];
	hsa_executable_symbol_t s;
	uint64_t object = 0;
	snprintf(kd, sizeof kd, "%s.kd", name);
	must(!hsa_executable_get_symbol_by_name(c->exe, kd, &c->agent, &s), "a kernel's symbol");
	must(!hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object) && object, "a kernel object");
	return object;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static void count_error(hsa_status_t s, hsa_queue_t *q, void *data)
{
	kit_queue *k = data;
	(void)q;
	k->error = s;
	__atomic_fetch_add(&k->errors, 1, __ATOMIC_SEQ_CST);
}

void kit_queue_open(kit_queue *k, hsa_agent_t a, uint32_t size, uint32_t type)
{
	*k = (kit_queue){ .q = NULL };
	must(!hsa_queue_create(a, size, type, count_error, k, UINT32_MAX, UINT32_MAX, &k->q), "a queue");
}

void kit_submit(hsa_queue_t *q, const void *packet, uint16_t header)
{
	uint64_t at = hsa_queue_add_write_index_scacq_screl(q, 1);
	while (at - hsa_queue_load_read_index_scacquire(q) >= q->size)
		sched_yield();
	uint8_t *slot = (uint8_t *)q->base_address + (at & (q->size - 1)) * 64;
	memcpy(slot + 2, (const uint8_t *)packet + 2, 62);
	__atomic_store_n((uint16_t *)(void *)slot, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(q->doorbell_signal, (int64_t)at);
}

void kit_dispatch(hsa_queue_t *q, uint64_t kernel, uint32_t groups, void *args, hsa_signal_t completion)
{
	hsa_kernel_dispatch_packet_t p = { .setup = 1, .workgroup_size_x = 64, .workgroup_size_y = 1, .workgroup_size_z = 1,
		.grid_size_x = groups * 64, .grid_size_y = 1, .grid_size_z = 1, .kernel_object = kernel, .kernarg_address = args,
		.completion_signal = completion };
	kit_submit(q, &p, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

void kit_barrier(hsa_queue_t *q, uint32_t type, const hsa_signal_t *deps, unsigned n, hsa_signal_t completion)
{
	hsa_barrier_and_packet_t p = { .completion_signal = completion };
	for (unsigned i = 0; i < n; i++)
		p.dep_signal[i] = deps[i];
	kit_submit(q, &p, (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER));
}
