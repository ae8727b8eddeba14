/* system.c -- the runtime comes and goes; what there is of it; messages, faults, clocks.
 * Needs agent.c for the devices. Leaves no trace after the last hsa_shut_down but the signals' memory.
 * HSA Runtime Programmer's Reference Manual 2.1, 2.2. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hsa/runtime.h"

rt_runtime rt = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	hsa_amd_system_event_callback_t call;
	void *data;
} event = { .lock = PTHREAD_MUTEX_INITIALIZER };

void rt_say(const char *fmt, ...)
{
	char text[2048] = "p2a: ";
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text + 5, sizeof text - 6, fmt, ap);
	va_end(ap);
	size_t n = strlen(text);
	text[n++] = '\n';
	fwrite(text, 1, n, stderr);     /* one write, so that nothing of another thread or process comes between */
}

uint64_t rt_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

size_t rt_strlcpy(char *to, const char *from, size_t size)
{
	size_t n = strlen(from);
	memset(to, 0, size);
	memcpy(to, from, n < size ? n : size - 1);
	return n;
}

bool rt_ready(void)
{
	return __atomic_load_n(&rt.users, __ATOMIC_ACQUIRE) != 0;
}

hsa_status_t hsa_init(void)
{
	hsa_status_t s = RT_OK;
	pthread_mutex_lock(&rt.lock);
	if (rt.users == INT32_MAX)
		s = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
	else if (!rt.users)
		s = rt_open_agents();
	if (s == RT_OK)
		__atomic_store_n(&rt.users, rt.users + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&rt.lock);
	return s;
}

hsa_status_t hsa_shut_down(void)
{
	pthread_mutex_lock(&rt.lock);
	bool last = rt.users == 1, none = !rt.users;
	if (!none)
		__atomic_store_n(&rt.users, rt.users - 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&rt.lock);
	if (none)
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!last)
		return RT_OK;
	rt_close_queues();
	for (uint32_t i = 0; i < rt.nagents; i++)
		rt_close_engines(&rt.agent[i]);
	rt_close_signals();
	rt_close_executables();
	rt_close_memory();
	rt_close_agents();
	return RT_OK;
}

hsa_status_t hsa_status_string(hsa_status_t status, const char **text)
{
	if (!text)
		return RT_BAD;
	*text = NULL;
	switch ((uint32_t)status) {
#define STATUS(name, value, words) \
	case value: *text = #name ": " words; break;
#define CONST(name, value)
#define LATER(name, value)
#define FIELD(type, member, offset, size)
#define SIZE(type, size)
#include "hsa/hsa_abi.def"
	}
	return *text ? RT_OK : RT_BAD;
}

/* ---- Facts of the system --------------------------------------------------------------------- */

hsa_status_t hsa_system_get_info(uint32_t attribute, void *value)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!value)
		return RT_BAD;
	switch (attribute) {
	case HSA_SYSTEM_INFO_VERSION_MAJOR: *(uint16_t *)value = 1; return RT_OK;
	case HSA_SYSTEM_INFO_VERSION_MINOR: *(uint16_t *)value = 1; return RT_OK;
	case HSA_SYSTEM_INFO_TIMESTAMP: *(uint64_t *)value = rt_now(); return RT_OK;
	case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: *(uint64_t *)value = 1000000000; return RT_OK;
	case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: *(uint64_t *)value = RT_FOREVER; return RT_OK;
	case HSA_SYSTEM_INFO_ENDIANNESS: *(uint32_t *)value = 0; return RT_OK;
	case HSA_SYSTEM_INFO_MACHINE_MODEL: *(uint32_t *)value = HSA_MACHINE_MODEL_LARGE; return RT_OK;
	case HSA_SYSTEM_INFO_EXTENSIONS:
		memset(value, 0, 128);
		((uint8_t *)value)[HSA_EXTENSION_AMD_LOADER / 8] |= 1 << HSA_EXTENSION_AMD_LOADER % 8;
		return RT_OK;
	case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: *(const char **)value = "p2a"; return RT_OK;
	case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
	case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
	case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
	case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
	case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
	case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED:
		*(bool *)value = false;
		return RT_OK;
	case RT_SYSTEM_INFO_FAULT:
		*(uint32_t *)value = rt.soft_faults ? __atomic_load_n(&rt.fault, __ATOMIC_ACQUIRE) : 0;
		return RT_OK;
	case RT_SYSTEM_INFO_OBJECT:
		rt_explain_object(value);
		return RT_OK;
	case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR: *(uint16_t *)value = 1; return RT_OK;
	case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR: *(uint16_t *)value = 0; return RT_OK;
	default: return RT_BAD;
	}
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char **name)
{
	if (!name || extension != HSA_EXTENSION_AMD_LOADER)
		return RT_BAD;
	*name = "HSA_EXTENSION_AMD_LOADER";
	return RT_OK;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t major, uint16_t *minor, bool *result)
{
	if (!result || !minor)
		return RT_BAD;
	*result = extension == HSA_EXTENSION_AMD_LOADER && major == 1;
	*minor = *result ? 3 : 0;
	return RT_OK;
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t major, uint16_t minor, bool *result)
{
	uint16_t most;
	hsa_status_t s = hsa_system_major_extension_supported(extension, major, &most, result);
	if (s == RT_OK && minor > most)
		*result = false;
	return s;
}

/* Extensions of an agent are images and such: there are none. */
hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t a, uint16_t major, uint16_t minor, bool *result)
{
	(void)extension, (void)major, (void)minor;
	if (!result)
		return RT_BAD;
	*result = false;
	return rt_agent_of(a) ? RT_OK : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t
hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t a, uint16_t major, uint16_t *minor, bool *result)
{
	if (minor)
		*minor = 0;
	return hsa_agent_extension_supported(extension, a, major, 0, result);
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t major, size_t size, void *table)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!table || !size)
		return RT_BAD;
	if (extension != HSA_EXTENSION_AMD_LOADER || major != 1)
		return HSA_STATUS_ERROR;
	return rt_loader_table(size, table);
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t major, uint16_t minor, void *table)
{
	/* Functions of the table's versions 1.00 to 1.03. */
	static const uint8_t functions[] = { 3, 5, 6, 7 };
	if (minor >= sizeof functions)
		return HSA_STATUS_ERROR;
	return hsa_system_get_major_extension_table(extension, major, functions[minor] * sizeof(void (*)(void)), table);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t call, void *data)
{
	if (!call)
		return RT_BAD;
	pthread_mutex_lock(&event.lock);
	bool taken = event.call;
	if (!taken) {
		event.call = call;
		event.data = data;
	}
	pthread_mutex_unlock(&event.lock);
	return taken ? HSA_STATUS_ERROR : RT_OK;
}

static void tell_handler(const rt_agent *a, const emu_fault *f)
{
	pthread_mutex_lock(&event.lock);
	hsa_amd_system_event_callback_t call = event.call;
	void *data = event.data;
	pthread_mutex_unlock(&event.lock);
	hsa_amd_event_t e = { .agent = { (uint64_t)(uintptr_t)a }, .virtual_address = f->address, .fault_reason_mask = 1 };
	if (call)
		call(&e, data);
}

/* `p2a exec` reads what is written here, and so knows that a kernel faulted however the program ends. */
static void tell_parent(void)
{
	const char *fd = getenv("P2A_FAULT_FD");
	char *end;
	long n = fd ? strtol(fd, &end, 10) : -1;
	if (n > 2 && n < INT32_MAX && !*end && write((int)n, "f", 1) != 1)
		rt_say("the fault could not be told to p2a exec");
}

bool rt_lost(const rt_agent *a)
{
	return __atomic_load_n(&a->lost, __ATOMIC_ACQUIRE);
}

static void print_fault(const rt_agent *a, const emu_fault *f)
{
	char lane[48] = "", place[288] = "";
	bool before = f->pc >> 63;      /* the function lies before the kernel */
	if (f->lane >= 0)
		snprintf(lane, sizeof lane, ", work-item (%u,%u,%u)", f->work_item[0], f->work_item[1], f->work_item[2]);
	if (f->line)
		snprintf(place, sizeof place, "%s:%u: ", f->file, f->line);
	rt_say("%skernel %s faulted: %s\np2a:     on %s, workgroup (%u,%u,%u)%s, at %c0x%llx: %s", place, f->kernel,
		f->message, a->chip.name, f->workgroup[0], f->workgroup[1], f->workgroup[2], lane, before ? '-' : '+',
		(unsigned long long)(before ? 0 - f->pc : f->pc), f->instruction);
}

static hsa_status_t kind_of(const emu_result *r, emu_status s)
{
	static const hsa_status_t kind[] = {
		[EMU_FAULT_OTHER] = HSA_STATUS_ERROR_EXCEPTION,
		[EMU_FAULT_MEMORY] = HSA_STATUS_ERROR_MEMORY_FAULT,
		[EMU_FAULT_SEGMENT] = HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
		[EMU_FAULT_TRAP] = HSA_STATUS_ERROR_EXCEPTION,
		[EMU_FAULT_ILLEGAL] = HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
	};
	switch (s) {
	case EMU_EFAULT: return kind[r->fault.kind];
	case EMU_ETIMEOUT: return HSA_STATUS_ERROR_EXCEPTION;
	case EMU_ENOMEM: return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	default: return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
	}
}

static void record(rt_agent *a, hsa_status_t kind)
{
	uint32_t none = 0;
	__atomic_compare_exchange_n(&rt.fault, &none, (uint32_t)kind, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	if (rt.soft_faults)
		__atomic_store_n(&a->lost, true, __ATOMIC_RELEASE);
	tell_parent();
}

bool rt_lose(rt_agent *a)
{
	if (!rt.lose_after || __atomic_add_fetch(&a->dispatches, 1, __ATOMIC_RELAXED) <= rt.lose_after)
		return false;
	rt_say("%s: the device is lost, after %u dispatches (P2A_LOSE_AFTER)", a->chip.name, rt.lose_after);
	record(a, HSA_STATUS_ERROR_FATAL);
	return true;
}

hsa_status_t rt_report_fault(rt_agent *a, const emu_result *r, emu_status s)
{
	hsa_status_t kind = kind_of(r, s);
	record(a, kind);
	rt_show_printed(a);
	if (s == EMU_EFAULT || s == EMU_ETIMEOUT)
		print_fault(a, &r->fault);
	else
		rt_say("%s: a kernel was not run: %s", a->chip.name, r->error.text);
	if (kind == HSA_STATUS_ERROR_MEMORY_FAULT)
		tell_handler(a, &r->fault);
	return kind;
}
