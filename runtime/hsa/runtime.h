/* runtime.h -- what the files of this room share: agents, memory, signals, faults.
 * One process has one runtime. Locks are taken in this order: runtime, memory, signals; none is held
 * while a callback of the program runs. A handle is the address of what it stands for.
 * Environment: P2A_DEVICES, P2A_CHECK, P2A_TIMEOUT, P2A_THREADS, P2A_ON_FAULT, P2A_LOSE_AFTER (docs/exec.md). */
#ifndef HSA_RUNTIME_H
#define HSA_RUNTIME_H
#include <pthread.h>

#include "emu/emu.h"
#include "hsa/hsa_abi.h"
#include "isa/isa.h"

enum { RT_MAX_DEVICES = 8, RT_MAX_AGENTS = RT_MAX_DEVICES + 1, RT_NAME = 64 };
#define RT_OK HSA_STATUS_SUCCESS
#define RT_BAD HSA_STATUS_ERROR_INVALID_ARGUMENT
/* hsa_system_get_info: rt.fault where soft_faults is on, else 0. Ours alone; libp2a-hip-faults.so asks. */
#define RT_SYSTEM_INFO_FAULT 0x2a00
/* The same, with the first RT_OBJECT_HEAD bytes of an object in value: says why HIP does not take it. libp2a-hip-objects.so asks. */
#define RT_SYSTEM_INFO_OBJECT 0x2a01
enum { RT_OBJECT_HEAD = 64 };
#define RT_FOREVER UINT64_MAX

/* ---- Agents (agent.c) ------------------------------------------------------------------------ */

typedef enum rt_pool_kind { RT_HOST_FINE, RT_HOST_COARSE, RT_VRAM, RT_VRAM_FINE, RT_LDS } rt_pool_kind;

typedef struct rt_pool {
	struct rt_agent *agent;
	rt_pool_kind kind;
	uint32_t segment, flags;     /* HSA_REGION_SEGMENT_*, HSA_REGION_GLOBAL_FLAG_* */
	size_t size;                 /* bytes that there are */
} rt_pool;

/* What is told of a chip beyond what the translator needs: chips.def. */
typedef struct rt_chip {
	const char *name, *product;
	uint32_t pci_id, engines, mhz, mem_mhz, mem_bits, l2_kib;
} rt_chip;

typedef struct rt_agent {
	uint32_t index;              /* 0: the host; node number and bit in access masks */
	const p2a_target *target;    /* NULL: the host */
	rt_chip chip;
	char isa[RT_NAME];           /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
	emu_device *dev;
	bool lost;                   /* a kernel faulted, and the program goes on: rt_lost */
	uint32_t dispatches;         /* so far */
	rt_pool pool[3];
	uint32_t npools;
	struct rt_engine *engine[3]; /* copies to, from and within the device: copy.c */
} rt_agent;

typedef struct rt_runtime {
	pthread_mutex_t lock;        /* guards all of this, and comings and goings of queues, executables */
	uint32_t users;              /* hsa_init less hsa_shut_down */
	rt_agent agent[RT_MAX_AGENTS];
	uint32_t nagents;
	bool soft_faults;            /* P2A_ON_FAULT=error */
	uint32_t lose_after;         /* P2A_LOSE_AFTER: dispatches that a device does before it is lost; 0: any number */
	uint32_t fault;              /* what the first fault was: an hsa_status_t; 0 none */
} rt_runtime;
extern rt_runtime rt;

hsa_status_t rt_open_agents(void);       /* by the environment; runtime lock held */
void rt_close_agents(void);
rt_agent *rt_agent_of(hsa_agent_t);      /* NULL: there is no such agent */
rt_agent *rt_gpu_of(hsa_agent_t);        /* the same, and it is a device */
/* Does the program's libamdhip64 know the chip? Where not, a line is said (client.c). */
bool rt_client_knows(const char *chip);
/* Says a line of the first kernel that the program's libamdhip64 cannot launch. */
void rt_warn_of_kernels(const emu_object *);
void rt_explain_object(const uint8_t *head);     /* why HIP does not take an object, by its first RT_OBJECT_HEAD bytes; where it is plain nothing */
bool rt_ready(void);                     /* between hsa_init and hsa_shut_down */

/* ---- Messages and faults (system.c) ---------------------------------------------------------- */

void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Tells of a kernel's fault; what the queue's callback is to hear. */
/* P2A_ON_FAULT=error: after a fault everything that is asked of the device fails. */
bool rt_lost(const rt_agent *);
/* Does the device end with this dispatch? Told as a fault is. */
bool rt_lose(rt_agent *);
hsa_status_t rt_report_fault(rt_agent *, const emu_result *, emu_status);
uint64_t rt_now(void);                   /* ns */
size_t rt_strlcpy(char *to, const char *from, size_t size);   /* fills the rest with zeros */

/* ---- Memory (memory.c) ----------------------------------------------------------------------- */

/* Memory for the runtime's own use, visible to all devices; NULL: none. keep: not freed by rt_close_memory. */
void *rt_alloc_shared(size_t, bool keep);
void rt_free_shared(void *);
/* Where the host finds size bytes at an address of any agent; NULL: not all of them are memory. */
void *rt_host_address(const void *, size_t size);
/* A dispatch or a copy begins and ends: memory that was freed meanwhile stays until none is left. */
void rt_hold_memory(void);
void rt_release_memory(void);
size_t rt_memory_left(const rt_agent *); /* bytes */
rt_pool *rt_pool_of(uint64_t handle);    /* NULL: neither a pool nor a region */
void rt_close_memory(void);

/* ---- Signals (signal.c) ---------------------------------------------------------------------- */

amd_signal_t *rt_signal_of(hsa_signal_t);    /* NULL: not a signal */
amd_signal_t *rt_new_signal(int64_t kind, int64_t value);
void rt_drop_signal(amd_signal_t *);
int64_t rt_signal_load(const amd_signal_t *);
/* All changes go through these: they wake who waits. The signal may be gone when they return. */
void rt_signal_store(amd_signal_t *, int64_t);
void rt_signal_subtract(amd_signal_t *, int64_t);
/* For a packet or copy that ended: times, then one less; or, where it failed, below zero. */
void rt_signal_complete(hsa_signal_t, uint64_t start, uint64_t end, bool failed);
hsa_amd_profiling_dispatch_time_t rt_signal_times(const amd_signal_t *);
/* Something changed that waits for several things look at. */
void rt_wake_all(void);
/* Waits until test says true, which is asked whenever a signal changed and now and then besides. */
bool rt_wait_until(bool (*test)(void *), void *arg, uint64_t timeout);
/* Until all of n signals (0 handles are none) are 0 or less. *stop, where given, ends the wait.
 * false: one of them is negative (its work failed), or stopped. */
bool rt_wait_dependencies(uint32_t n, const hsa_signal_t *, const bool *stop);
bool rt_compare(uint32_t condition, int64_t a, int64_t b);
void rt_close_signals(void);

/* ---- Queues (queue.c), copies (copy.c), executables (loader.c) ------------------------------- */

void rt_ring(amd_queue_t *);             /* the doorbell was stored to */
void rt_close_queues(void);
void rt_close_engines(rt_agent *);
void rt_close_executables(void);
hsa_status_t rt_loader_table(size_t size, void *table);
/* Calls for every object that is loaded on the device, with the loader's lock held. */
void rt_each_object(const rt_agent *, void (*call)(const emu_object *));
/* Writes to standard output what kernels have printed and nobody has read (printed.c). */
void rt_show_printed(const rt_agent *);
#endif
