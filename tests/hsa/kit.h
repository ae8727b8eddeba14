/* kit.h -- what the tests of libhsa-runtime64 share: results, devices, code objects made of PTX, dispatches.
 * The tests speak to the library as libamdhip64 does, by hsa_* functions and packets in a ring only.
 * Lines of output: "ok NAME", "not ok NAME: why". */
#ifndef TESTS_HSA_KIT_H
#define TESTS_HSA_KIT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa/hsa_abi.h"

extern int failures;
void kit_check(bool good, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What is to be printed is read after `good` was found out, which may have waited for it. */
#define check(good, ...) do { \
	bool good_ = (good); \
	kit_check(good_, __VA_ARGS__); \
} while (0)
void check_status(hsa_status_t got, hsa_status_t wanted, const char *name);
/* For what the rest of a test stands on: ends the program where it fails. */
void must(bool good, const char *what);

enum { KIT_DEVICES = 4 };
typedef struct kit {
	hsa_agent_t host, gpu[KIT_DEVICES];
	unsigned ngpus;
	hsa_amd_memory_pool_t fine, coarse, vram[KIT_DEVICES];
} kit;
/* hsa_init with these devices ("gfx90a,gfx906"), and all there is. */
void kit_open(kit *, const char *devices);
void kit_close(void);                    /* hsa_shut_down */

/* Memory that the host and all devices see. */
void *kit_shared(const kit *, size_t);
hsa_signal_t kit_signal(int64_t);
/* Waits until it is 0 or less, at most 20 s; its value. */
int64_t kit_wait(hsa_signal_t);

/* A code object of PTX for a chip; *size bytes, to be freed. */
void *kit_object(const char *ptx, const char *target, size_t *size);
typedef struct kit_code {
	hsa_executable_t exe;
	hsa_code_object_reader_t reader;
	void *object;
	hsa_agent_t agent;
} kit_code;
void kit_load(kit_code *, const kit *, unsigned gpu, const char *ptx);
void kit_unload(kit_code *);
uint64_t kit_kernel(const kit_code *, const char *name);     /* its kernel object */

/* A queue whose errors are counted. */
typedef struct kit_queue {
	hsa_queue_t *q;
	int errors;
	hsa_status_t error;
} kit_queue;
void kit_queue_open(kit_queue *, hsa_agent_t, uint32_t size, uint32_t type);
/* Writes a packet of 64 bytes, header last, and rings; waits where the ring is full. */
void kit_submit(hsa_queue_t *, const void *packet, uint16_t header);
/* A dispatch of groups of 64 work-items. */
void kit_dispatch(hsa_queue_t *, uint64_t kernel, uint32_t groups, void *args, hsa_signal_t completion);
void kit_barrier(hsa_queue_t *, uint32_t type, const hsa_signal_t *deps, unsigned n, hsa_signal_t completion);

/* out[i] = in[i] + add for i < n; args: { in, out, n, add }. And: wild (stores far outside), give_up (traps), spin
 * (until the word at in is not 0), tell (stores add to the word at out). */
extern const char kit_ptx[];
typedef struct kit_args {
	const void *in;
	void *out;
	uint32_t n, add;
} kit_args;
#endif
