/* queue.c -- queues of the stand-in: a thread each that takes the packets of AMD's HSA runtime from their ring and says that they are done.
 * It executes no code. What the runtime itself dispatches while it freezes an executable are copies by a kernel of its own, from whose
 * arguments the copy is made here; barriers and orders to the command processor (caches) need nothing done.
 * HSA System Architecture 2.9 for the packets; the arguments as ROCr 5.2 has them: addresses of four phases in order, then both ends. */
#define _GNU_SOURCE
#include <hsakmt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PACKET = 64, VENDOR = 0, INVALID = 1, DISPATCH = 2, SIGNAL_VALUE = 8 };

typedef struct queue {
	char *ring;
	uint64_t packets;
	volatile HSAuint64 *read;
	HSAuint64 doorbell;
} queue;

static uint64_t word(const void *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

/* Phases: source, destination; the last pair of the ten are the ends. */
static void copy(const char *args)
{
	uint64_t from = word(args), to = word(args + 8), size = word(args + 64) - from;
	if (word(args + 72) - to != size)
		abort();
	memcpy((void *)to, (const void *)from, size);
}

static void take(const char *packet, unsigned type)
{
	uint64_t signal = word(packet + 56);
	if (type == DISPATCH)
		copy((const char *)word(packet + 40));
	if (signal)
		__atomic_fetch_sub((int64_t *)(signal + SIGNAL_VALUE), 1, __ATOMIC_SEQ_CST);
}

static void *serve(void *arg)
{
	queue *q = arg;
	for (;;) {
		char *packet = q->ring + *q->read % q->packets * PACKET;
		unsigned type = __atomic_load_n((uint16_t *)(void *)packet, __ATOMIC_ACQUIRE) & 255;
		if (type == INVALID) {
			nanosleep(&(struct timespec){ 0, 100000 }, NULL);
			continue;
		}
		take(packet, type);
		__atomic_store_n((uint16_t *)(void *)packet, INVALID, __ATOMIC_RELEASE);
		__atomic_fetch_add(q->read, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

__attribute__((visibility("default"))) HSAKMT_STATUS
hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percent, HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 size,
	HsaEvent *event, HsaQueueResource *r)
{
	queue *q = calloc(1, sizeof *q);
	pthread_t t;
	if (!q || type != HSA_QUEUE_COMPUTE_AQL)
		return HSAKMT_STATUS_ERROR;
	*q = (queue){ .ring = ring, .packets = size / PACKET, .read = r->Queue_read_ptr_aql };
	r->Queue_DoorBell_aql = &q->doorbell;
	r->QueueId = (uint64_t)(uintptr_t)q;
	return pthread_create(&t, NULL, serve, q) ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}
