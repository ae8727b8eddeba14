/* test_progress.c -- lanes that wait for other lanes of their warp, or of the other warp of their wave, get what they wait for.
 * Locks of every usual kind, taken by every thread of a block, by one lane of each warp, by several places of a program;
 * flags from lane to lane; .sync and barriers behind them; then random programs of such pieces. A lane that starves is an
 * emulator's timeout. All sums are sums of known numbers, taken by plain loads and stores under the lock: who comes in between is
 * seen. Last: what does not wait, or waits for other waves only, keeps its own code.
 * Manual: "Parallel Thread Execution ISA", 3.1, 9.7.9.6, 9.7.13.2. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = { "gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

/* Words of the output: locks and flags, what they protect (sum, count), and a word of each thread. */
enum { LOCK = 0, TICKET = 16, NOW = 32, SUM = 64, COUNT = 96, MINE = 128, BLOCKS = 2, MOST = 256, WORDS = MINE + BLOCKS * MOST, DEPTH = 6 };

/* ---- fixed programs ---- */

#define CRITICAL "ld.global.u32 %r8, [%out+256]; add.u32 %r8, %r8, %w; st.global.u32 [%out+256], %r8;\n" \
	"ld.global.u32 %r9, [%out+384]; add.u32 %r9, %r9, 1; st.global.u32 [%out+384], %r9;\n"
#define CAS_TAKE(L) L ":\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra " L ";\n"
#define CAS_GIVE "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%out], 0;\n"
#define CHAIN "ld.volatile.global.u32 %r1, [%mine+-4];\nFIRST:\nadd.u32 %r1, %r1, %w; st.volatile.global.u32 [%mine], %r1; membar.gl; st.volatile.global.u32 [%flag], 1;\n"
/* A frame of debug builds: %sp is its generic address, which lies in it at 16; the lock's lies at 8. */
#define FRAME ".local .align 8 .b8 d[32]; .reg .b64 %sp, %sq;\nmov.u64 %sp, d; cvta.local.u64 %sp, %sp; st.u64 [%sp+8], %out; st.u64 [%sp+16], %sp;\n"
#define LANE0 "setp.ne.u32 %q, %lane, 0;\n"

typedef struct shape { uint32_t threads; const uint32_t *in; const uint32_t *out; } shape;

static bool
sums_right(const shape *s, uint32_t times)
{
	uint32_t sum = 0, n = s->threads * BLOCKS;

	for (uint32_t i = 0; i < n; i++)
		sum += s->in[i];
	return s->out[SUM] == sum * times && s->out[COUNT] == n * times;
}

static bool
once(const shape *s)
{
	return sums_right(s, 1);
}

static bool
twice(const shape *s)
{
	return sums_right(s, 2);
}

static bool
five_times(const shape *s)
{
	return sums_right(s, 5);
}

/* Five times each, and once more where w is odd. */
static bool
by_ways_in(const shape *s)
{
	uint32_t sum = 0, count = 0;

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++) {
		sum += s->in[i] * (5 + (s->in[i] & 1));
		count += 5 + (s->in[i] & 1);
	}
	return s->out[SUM] == sum && s->out[COUNT] == count;
}

/* Seven locks, one by w mod 7; each protects a sum and a count of its own. */
static bool
by_bucket(const shape *s)
{
	uint32_t sum[7] = { 0 }, count[7] = { 0 };
	bool right = true;

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++) {
		sum[s->in[i] % 7] += s->in[i];
		count[s->in[i] % 7]++;
	}
	for (unsigned k = 0; k < 7; k++)
		right &= s->out[SUM + k] == sum[k] && s->out[COUNT + k] == count[k];
	return right;
}

/* Each thread moves its w from account w mod 5 to (w mod 5 + 1 + w / 8 mod 4) mod 5. */
static bool
transfers(const shape *s)
{
	uint32_t balance[5] = { 0 };
	bool right = true;

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++) {
		uint32_t w = s->in[i], from = w % 5, to = (from + 1 + w / 8 % 4) % 5;

		balance[from] -= w;
		balance[to] += w;
	}
	for (unsigned k = 0; k < 5; k++)
		right &= s->out[SUM + k] == balance[k];
	return right;
}

/* A chain: each thread of a block adds its w to what the one before it had; `down`: the one behind it. */
static bool
chain(const shape *s, bool down)
{
	bool right = true;

	for (uint32_t b = 0; b < BLOCKS; b++)
		for (uint32_t k = 0, sum = 0; k < s->threads; k++) {
			uint32_t i = b * s->threads + (down ? s->threads - 1 - k : k);

			sum += s->in[i];
			right &= s->out[MINE + i] == sum;
		}
	return right;
}

static bool chain_up(const shape *s) { return chain(s, false); }
static bool chain_down(const shape *s) { return chain(s, true); }

/* Lane n has w of lane n ^ 1 plus its own. */
static bool
pairs(const shape *s)
{
	bool right = true;

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++) {
		uint32_t t = i % s->threads, j = t ^ 1, w = s->in[i];

		if (!(t & 1))
			w = j < s->threads ? s->in[i / s->threads * s->threads + j] * 3 : 0;
		right &= s->out[MINE + i] == w;
	}
	return right;
}

/* Each lane has done its five turns. */
static bool
five_turns(const shape *s)
{
	bool right = true;

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++)
		right &= s->out[MINE + i] == 5;
	return right;
}

/* Each warp with the lock adds, by its lanes, the sum of all its w to each lane's word. */
static bool
warp_sums(const shape *s)
{
	bool right = true;

	for (uint32_t b = 0; b < BLOCKS; b++)
		for (uint32_t i = 0; i < s->threads; i++) {
			uint32_t sum = 0;

			for (uint32_t j = i / 32 * 32; j < i / 32 * 32 + 32 && j < s->threads; j++)
				sum += s->in[b * s->threads + j];
			right &= s->out[MINE + b * s->threads + i] == sum;
		}
	return right && s->out[COUNT] == BLOCKS * ((s->threads + 31) / 32);
}

/* All w of the block, and that all of its threads had come. */
static bool
block_sums(const shape *s)
{
	bool right = once(s);

	for (uint32_t i = 0; i < s->threads * BLOCKS; i++)
		right &= s->out[MINE + i] == s->threads;
	return right;
}

typedef struct fixed {
	const char *name, *body;
	bool (*right)(const shape *);
	bool whole;              /* blocks of whole warps only */
	const char *func;        /* functions before the kernel */
} fixed;

static const fixed programs[] = {
	{ "a lock by cas", CAS_TAKE("T") CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock by exch", "T:\natom.global.exch.b32 %r0, [%out], 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\nmembar.gl;\n" CRITICAL "membar.gl; st.volatile.global.u32 [%out], 0;\n", once, false, NULL },
	{ "a lock by cas, with a nap", "T:\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.eq.u32 %p, %r0, 0; @%p bra GOT;\nnanosleep.u32 40; bra T;\nGOT:\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock by exch, what it saw in private memory", FRAME "T:\nld.u64 %a, [%sp+8]; atom.exch.b32 %r0, [%a], 1; ld.u64 %sq, [%sp+16]; st.u32 [%sq], %r0; bra L;\n"
	  "L:\nld.u32 %r1, [%sp]; setp.ne.u32 %p, %r1, 0; @%p bra T;\nmembar.gl;\n" CRITICAL "membar.gl; st.volatile.global.u32 [%out], 0;\n", once, false, NULL },
	{ "a lock by cas, what it expects in private memory", FRAME "st.u32 [%sp], 0;\nT:\nld.local.u32 %r1, [d]; atom.global.cas.b32 %r0, [%out], %r1, 1; setp.eq.u32 %p, %r0, %r1; @%p bra E;\n"
	  "st.u32 [%sp], %r0; st.u32 [%sp], 0; bra T;\nE:\nmembar.gl;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock that is polled by adding nothing, 0 in private memory", FRAME "st.u32 [%sp], 0;\nT:\nld.u32 %r1, [%sp]; atom.global.add.u32 %r0, [%out], %r1; setp.ne.u32 %p, %r0, 0; @%p bra T;\n"
	  "atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock that is polled by a compare-and-swap of the same", "T:\natom.global.cas.b32 %r0, [%out], 7, 7; setp.ne.u32 %p, %r0, 0; @%p bra T;\n"
	  "atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock that is polled by adding nothing", "T:\natom.global.add.u32 %r0, [%out], 0; setp.ne.u32 %p, %r0, 0; @%p bra T;\n"
	  "atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a count that is taken back, its address in private memory", FRAME "T:\natom.global.add.u32 %r0, [%out], 1; setp.eq.u32 %p, %r0, 0; @%p bra E;\n"
	  "ld.u64 %a, [%sp+8]; atom.add.u32 %r0, [%a], -1; bra T;\nE:\nmembar.gl;\n" CRITICAL "membar.gl; atom.global.add.u32 %r0, [%out], -1;\n", once, false, NULL },
	{ "a way that a lane took, in private memory", FRAME "T:\nst.u32 [%sp], 1; atom.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra L;\nst.u32 [%sp], 0;\n"
	  "L:\nld.u32 %r1, [%sp]; setp.ne.u32 %p, %r1, 0; @%p bra T;\nmembar.gl;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock by or", "T:\natom.acquire.gpu.global.or.b32 %r0, [%out], 4; and.b32 %r0, %r0, 4; setp.ne.u32 %p, %r0, 0; @%p bra T;\n" CRITICAL
	  "fence.acq_rel.gpu; atom.global.and.b32 %r0, [%out], -5;\n", once, false, NULL },
	{ "a lock of 64 bits", "mov.b64 %a, 0; mov.b64 %b, 1;\nT:\natom.acquire.gpu.global.cas.b64 %c, [%out], %a, %b; setp.ne.u64 %p, %c, 0; @%p bra T;\n" CRITICAL
	  "fence.acq_rel.gpu; st.relaxed.gpu.global.u64 [%out], %a;\n", once, false, NULL },
	{ "a lock of 16 bits", "mov.b16 %h0, 0; mov.b16 %h1, 1;\nT:\natom.acquire.gpu.global.cas.b16 %h2, [%out], %h0, %h1; setp.ne.u16 %p, %h2, 0; @%p bra T;\n" CRITICAL
	  "fence.acq_rel.gpu; st.relaxed.gpu.global.u16 [%out], %h0;\n", once, false, NULL },
	{ "a bit of a word that is read first", "T:\nld.relaxed.gpu.global.u32 %r1, [%out]; and.b32 %r2, %r1, 1; setp.ne.u32 %p, %r2, 0; @%p bra T;\nor.b32 %r2, %r1, 1;\n"
	  "atom.acquire.gpu.global.cas.b32 %r0, [%out], %r1, %r2; setp.ne.u32 %p, %r0, %r1; @%p bra T;\n" CRITICAL "fence.acq_rel.gpu; atom.global.add.u32 %r0, [%out], 3;\n", once, false, NULL },
	{ "a bit that cas expects to be clear", "ld.relaxed.gpu.global.u32 %r0, [%out];\nT:\nand.b32 %r1, %r0, -2; or.b32 %r2, %r1, 1;\n"
	  "atom.acquire.gpu.global.cas.b32 %r0, [%out], %r1, %r2; setp.ne.u32 %p, %r0, %r1; @%p bra T;\n" CRITICAL "fence.acq_rel.gpu; atom.global.add.u32 %r0, [%out], 3;\n", once, false, NULL },
	{ "a bit that cas sets, or finds set", "ld.relaxed.gpu.global.u32 %r0, [%out];\nT:\nmov.u32 %r1, %r0; or.b32 %r2, %r1, 1;\natom.acquire.gpu.global.cas.b32 %r0, [%out], %r1, %r2; "
	  "setp.ne.u32 %p, %r0, %r1; @%p bra T;\nand.b32 %r3, %r0, 1; setp.ne.u32 %p, %r3, 0; @%p bra T;\n" CRITICAL "fence.acq_rel.gpu; atom.global.add.u32 %r0, [%out], 3;\n", once, false, NULL },
	{ "a ticket", "atom.relaxed.gpu.global.add.u32 %r5, [%out+64], 1;\nT:\nld.acquire.gpu.global.u32 %r6, [%out+128]; setp.ne.u32 %p, %r6, %r5; @%p bra T;\n" CRITICAL
	  "add.u32 %r6, %r5, 1; st.release.gpu.global.u32 [%out+128], %r6;\n", once, false, NULL },
	{ "a ticket, volatile", "atom.global.add.u32 %r5, [%out+64], 1;\nT:\nld.volatile.global.u32 %r6, [%out+128]; setp.eq.u32 %p, %r6, %r5; @%p bra GOT;\nnanosleep.u32 20; bra T;\nGOT:\nmembar.gl;\n" CRITICAL
	  "add.u32 %r6, %r5, 1; membar.gl; st.volatile.global.u32 [%out+128], %r6;\n", once, false, NULL },
	{ "a ticket, weak loads between fences", "atom.global.add.u32 %r5, [%out+64], 1;\nT:\nfence.acq_rel.gpu; ld.global.cv.u32 %r6, [%out+128]; setp.ne.u32 %p, %r6, %r5; @%p bra T;\nmembar.gl;\n" CRITICAL
	  "add.u32 %r6, %r5, 1; membar.gl; st.volatile.global.u32 [%out+128], %r6;\n", once, false, NULL },
	{ "test, test and set", "T:\nld.volatile.global.u32 %r0, [%out]; setp.ne.u32 %p, %r0, 0; @%p bra T;\natom.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\nmembar.gl;\n" CRITICAL
	  "membar.gl; st.volatile.global.u32 [%out], 0;\n", once, false, NULL },
	{ "a semaphore, taken back where it fails", "T:\natom.acquire.gpu.global.add.s32 %r0, [%out], 1; setp.eq.s32 %p, %r0, 0; @%p bra GOT;\natom.global.add.s32 %r0, [%out], -1; bra T;\nGOT:\n" CRITICAL
	  "fence.acq_rel.gpu; atom.global.add.s32 %r0, [%out], -1;\n", once, false, NULL },
	{ "two locks, or none", "T:\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\natom.acquire.gpu.global.cas.b32 %r0, [%out+4], 0, 1; setp.eq.u32 %p, %r0, 0; @%p bra GOT;\n"
	  "atom.global.exch.b32 %r0, [%out], 0; bra T;\nGOT:\natom.global.exch.b32 %r0, [%out], 0;\n" CRITICAL "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%out+4], 0;\n", once, false, NULL },
	{ "a flag that says whether it was done", "mov.u32 %r5, 0;\nT:\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra NOT;\n" CRITICAL CAS_GIVE
	  "mov.u32 %r5, 1;\nNOT:\nsetp.eq.u32 %p, %r5, 0; @%p bra T;\n", once, false, NULL },
	{ "whether it was had, in a register", "T:\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra NOT;\nmov.u32 %r5, 1; bra J;\nNOT:\nmov.u32 %r5, 0;\nJ:\n"
	  "setp.eq.u32 %p, %r5, 0; @%p bra T;\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a critical section with a loop and a branch", CAS_TAKE("T") "mov.u32 %r5, 0; and.b32 %r6, %w, 7; setp.gt.u32 %p, %r6, 4; @%p bra B;\nL:\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, %r6; @%p bra L;\n"
	  "B:\n" CRITICAL CAS_GIVE, once, false, NULL },
	{ "a lock, five times", "mov.u32 %r5, 0;\nN:\n" CAS_TAKE("T") CRITICAL CAS_GIVE "add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 5; @%p bra N;\n", five_times, false, NULL },
	{ "a lock in a loop with two ways in", "mov.u32 %r5, 0; and.b32 %r6, %w, 1; setp.eq.u32 %p, %r6, 0; @%p bra M;\nN:\n" CAS_TAKE("T") CRITICAL CAS_GIVE
	  "M:\nadd.u32 %r5, %r5, 1; setp.le.u32 %p, %r5, 5; @%p bra N;\n", by_ways_in, false, NULL },
	{ "a lock, at two places", CAS_TAKE("T") CRITICAL CAS_GIVE "and.b32 %r5, %w, 4; setp.eq.u32 %p, %r5, 0; @%p bra E;\n" CAS_TAKE("U") CRITICAL CAS_GIVE "bra J;\nE:\n"
	  CAS_TAKE("V") CRITICAL CAS_GIVE "J:\n", twice, false, NULL },
	{ "a lock under a lock", CAS_TAKE("T") "U:\natom.acquire.gpu.global.cas.b32 %r0, [%out+4], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra U;\n" CRITICAL
	  "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%out+4], 0;\n" CAS_GIVE, once, false, NULL },
	{ "a lock for each bucket", "rem.u32 %r5, %w, 7; mul.wide.u32 %a, %r5, 4; add.u64 %a, %a, %out;\nT:\natom.acquire.gpu.global.cas.b32 %r0, [%a], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\n"
	  "ld.global.u32 %r8, [%a+256]; add.u32 %r8, %r8, %w; st.global.u32 [%a+256], %r8; ld.global.u32 %r8, [%a+384]; add.u32 %r8, %r8, 1; st.global.u32 [%a+384], %r8;\n"
	  "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%a], 0;\n", by_bucket, false, NULL },
	{ "accounts, each with a lock", "rem.u32 %r5, %w, 5; shr.u32 %r6, %w, 3; and.b32 %r6, %r6, 3; add.u32 %r6, %r6, 1; add.u32 %r6, %r6, %r5; rem.u32 %r6, %r6, 5;\n"
	  "min.u32 %r7, %r5, %r6; max.u32 %r8, %r5, %r6; mul.wide.u32 %a, %r7, 4; add.u64 %a, %a, %out; mul.wide.u32 %b, %r8, 4; add.u64 %b, %b, %out;\n"
	  "T:\natom.acquire.gpu.global.cas.b32 %r0, [%a], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\nU:\natom.acquire.gpu.global.cas.b32 %r0, [%b], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra U;\n"
	  "mul.wide.u32 %c, %r5, 4; add.u64 %c, %c, %out; ld.global.u32 %r9, [%c+256]; sub.u32 %r9, %r9, %w; st.global.u32 [%c+256], %r9;\n"
	  "mul.wide.u32 %c, %r6, 4; add.u64 %c, %c, %out; ld.global.u32 %r9, [%c+256]; add.u32 %r9, %r9, %w; st.global.u32 [%c+256], %r9;\n"
	  "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%b], 0; atom.global.exch.b32 %r0, [%a], 0;\n", transfers, false, NULL },
	{ "a lock in shared memory", "T:\natom.shared.cas.b32 %r0, [lock], 0, 1; setp.ne.u32 %p, %r0, 0; @%p bra T;\nld.shared.u32 %r8, [lock+4]; add.u32 %r8, %r8, 1; st.shared.u32 [lock+4], %r8;\n"
	  "membar.cta; atom.shared.exch.b32 %r0, [lock], 0;\n" CAS_TAKE("U") CRITICAL CAS_GIVE "bar.sync 0;\nld.shared.u32 %r8, [lock+4]; st.global.u32 [%mine], %r8;\n", block_sums, false, NULL },
	{ "a lock, then the block's barrier", CAS_TAKE("T") CRITICAL CAS_GIVE "atom.shared.add.u32 %r8, [lock+4], 1;\nbar.sync 0;\nld.shared.u32 %r8, [lock+4]; st.global.u32 [%mine], %r8;\n", block_sums, false, NULL },
	{ "a lock between barriers", "bar.sync 0;\n" CAS_TAKE("T") CRITICAL CAS_GIVE "barrier.sync 0;\natom.shared.add.u32 %r8, [lock+4], 1;\nbar.sync 0;\nld.shared.u32 %r8, [lock+4]; bar.sync 0;\nst.global.u32 [%mine], %r8;\n", block_sums, false, NULL },
	{ "a lock, then a reduction over the block", CAS_TAKE("T") CRITICAL CAS_GIVE "setp.eq.u32 %p, %r0, %r0;\nbar.red.popc.u32 %r8, 0, %p;\nst.global.u32 [%mine], %r8;\n", block_sums, false, NULL },
	{ "a lock, then a barrier with a count", CAS_TAKE("T") CRITICAL CAS_GIVE "atom.shared.add.u32 %r8, [lock+4], 1; mov.u32 %r5, %ntid.x;\nbar.sync 1, %r5;\nld.shared.u32 %r8, [lock+4]; st.global.u32 [%mine], %r8;\n", block_sums, true, NULL },
	{ "a function that takes the lock", "call give, (%out, %w); call give, (%out, %w);\n", twice, false,
	  ".func give(.param .u64 o, .param .u32 v)\n{\n.reg .b64 %out; .reg .b32 %r<10>, %w; .reg .pred %p;\nld.param.u64 %out, [o]; ld.param.u32 %w, [v];\n" CAS_TAKE("T") CRITICAL CAS_GIVE "ret;\n}\n" },
	{ "a function that calls itself", "call give, (%out, %w, 4);\n", five_times, false,
	  ".func give(.param .u64 o, .param .u32 v, .param .u32 n)\n{\n.reg .b64 %out; .reg .b32 %r<10>, %w, %n; .reg .pred %p;\nld.param.u64 %out, [o]; ld.param.u32 %w, [v]; ld.param.u32 %n, [n];\n"
	  CAS_TAKE("T") CRITICAL CAS_GIVE "setp.eq.u32 %p, %n, 0; @%p bra E;\nsub.u32 %n, %n, 1; call give, (%out, %w, %n);\nE:\nret;\n}\n" },
	{ "a chain from thread to thread", "mov.u32 %r1, 0; setp.eq.u32 %q, %t, 0; @%q bra FIRST;\nT:\nld.acquire.gpu.global.u32 %r0, [%flag+-4]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nld.global.u32 %r1, [%mine+-4];\n"
	  "FIRST:\nadd.u32 %r1, %r1, %w; st.global.u32 [%mine], %r1; st.release.gpu.global.u32 [%flag], 1;\n", chain_up, false, NULL },
	{ "a chain backwards", "mov.u32 %r1, 0; add.u32 %r2, %t, 1; mov.u32 %r3, %ntid.x; setp.eq.u32 %q, %r2, %r3; @%q bra FIRST;\nT:\nld.volatile.global.u32 %r0, [%flag+4]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nmembar.gl; ld.global.u32 %r1, [%mine+4];\n"
	  "FIRST:\nadd.u32 %r1, %r1, %w; st.global.u32 [%mine], %r1; membar.gl; st.volatile.global.u32 [%flag], 1;\n", chain_down, false, NULL },
	{ "a walk back over what others have told", "mov.u32 %r1, %w; st.global.u32 [%mine], %w; setp.eq.u32 %q, %t, 0; @%q bra TELL;\nmov.b64 %a, %flag; mov.u32 %r2, %t;\n"
	  "T:\nld.acquire.gpu.global.u32 %r0, [%a+-4]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nadd.u64 %a, %a, -4; sub.u64 %b, %a, %flag; add.u64 %b, %b, %mine; ld.volatile.global.u32 %r3, [%b];\n"
	  "add.u32 %r1, %r1, %r3; st.global.u32 [%mine], %r1;\nTELL:\nst.release.gpu.global.u32 [%flag], 1;\n", chain_up, false, NULL },
	{ "pairs of lanes by turns, nothing written behind", "mov.u32 %r5, 0; and.b32 %r1, %t, 1; setp.ne.u32 %q, %r1, 0; @%q bra B;\nadd.u32 %r2, %t, 1; mov.u32 %r3, %ntid.x; setp.lt.u32 %p, %r2, %r3; @%p bra A;\n"
	  "st.global.u32 [%mine], 5; ret;\nA:\nsetp.ge.u32 %p, %r5, 5; @%p bra E;\nA1:\nld.volatile.global.u32 %r0, [%mine+4]; setp.lt.u32 %p, %r0, %r5; @%p bra A1;\n"
	  "add.u32 %r5, %r5, 1; st.volatile.global.u32 [%mine], %r5; bra A;\nB:\nsetp.ge.u32 %p, %r5, 5; @%p bra E;\nB1:\nld.volatile.global.u32 %r0, [%mine+-4]; setp.le.u32 %p, %r0, %r5; @%p bra B1;\n"
	  "add.u32 %r5, %r5, 1; st.volatile.global.u32 [%mine], %r5; bra B;\nE:\n", five_turns, false, NULL },
	{ "halves of warps by turns, by one word each", "mov.u32 %r5, 0; and.b32 %r1, %t, 16; setp.ne.u32 %q, %r1, 0; @%q bra B;\n"
	  "A:\nsetp.ge.u32 %p, %r5, 5; @%p bra E;\nA1:\nld.volatile.shared.u32 %r0, [lock+4]; setp.lt.u32 %p, %r0, %r5; @%p bra A1;\n"
	  "add.u32 %r5, %r5, 1; st.global.u32 [%mine], %r5; st.volatile.shared.u32 [lock], %r5; bra A;\nB:\nsetp.ge.u32 %p, %r5, 5; @%p bra E;\nB1:\nld.volatile.shared.u32 %r0, [lock]; setp.le.u32 %p, %r0, %r5; @%p bra B1;\n"
	  "add.u32 %r5, %r5, 1; st.global.u32 [%mine], %r5; st.volatile.shared.u32 [lock+4], %r5; bra B;\nE:\n", five_turns, false, NULL },
	{ "a walk that shifts by what it reads", "mov.u32 %r1, 0; mul.wide.u32 %a, %t, 4; sub.u64 %b, %flag, %a; mov.u32 %r5, %t; setp.eq.u32 %q, %t, 0; @%q bra FIRST;\nT:\nadd.u32 %r6, %r5, -1; mul.wide.u32 %a, %r6, 4; add.u64 %a, %a, %b;\n"
	  "ld.volatile.global.u32 %r0, [%a]; setp.ne.u32 %p, %r0, 0; selp.u32 %r0, 1, 0, %p; shr.u32 %r5, %r5, %r0; setp.ne.u32 %p, %r5, 0; @%p bra T;\n" CHAIN, chain_up, false, NULL },
	{ "a walk that adds what it reads", "mov.u32 %r1, 0; mul.wide.u32 %a, %t, 4; sub.u64 %b, %flag, %a; mov.u32 %r5, 0; setp.eq.u32 %q, %t, 0; @%q bra FIRST;\nT:\nnot.b32 %r6, %r5; add.u32 %r6, %r6, %t; mul.wide.u32 %a, %r6, 4; add.u64 %a, %a, %b;\n"
	  "ld.volatile.global.u32 %r0, [%a]; add.u32 %r5, %r5, %r0; setp.lt.u32 %p, %r5, %t; @%p bra T;\n" CHAIN, chain_up, false, NULL },
	{ "a walk that clears the bits it reads", "mov.u32 %r1, 0; mul.wide.u32 %a, %t, 4; sub.u64 %b, %flag, %a; min.u32 %r5, %t, 8; mov.u32 %r6, 1; shl.b32 %r5, %r6, %r5; add.u32 %r5, %r5, -1; setp.eq.u32 %q, %t, 0; @%q bra FIRST;\n"
	  "T:\nbrev.b32 %r6, %r5; bfind.shiftamt.u32 %r6, %r6; not.b32 %r7, %r6; add.u32 %r7, %r7, %t; mul.wide.u32 %a, %r7, 4; add.u64 %a, %a, %b;\n"
	  "membar.gl; ld.global.u32 %r0, [%a]; shl.b32 %r0, %r0, %r6; not.b32 %r0, %r0; and.b32 %r5, %r5, %r0; setp.ne.u32 %p, %r5, 0; @%p bra T;\n" CHAIN, chain_up, false, NULL },
	{ "even lanes wait for odd ones, behind them", "and.b32 %r1, %t, 1; setp.ne.u32 %q, %r1, 0; add.u32 %r2, %t, 1; mov.u32 %r3, %ntid.x; setp.ge.u32 %p, %r2, %r3; @%p bra E;\n@%q bra ODD;\n"
	  "T:\nld.acquire.gpu.global.u32 %r0, [%flag+4]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nld.global.u32 %r4, [%mine+4]; mul.lo.u32 %r4, %r4, 3; st.global.u32 [%mine], %r4; ret;\n"
	  "E:\n@!%q bra F;\nODD:\nst.global.u32 [%mine], %w; st.release.gpu.global.u32 [%flag], 1;\nF:\n", pairs, false, NULL },
	{ "even lanes wait for odd ones, before them", "and.b32 %r1, %t, 1; setp.eq.u32 %q, %r1, 0; @%q bra EVEN;\nst.global.u32 [%mine], %w; st.release.gpu.global.u32 [%flag], 1; ret;\nEVEN:\n"
	  "add.u32 %r2, %t, 1; mov.u32 %r3, %ntid.x; setp.ge.u32 %p, %r2, %r3; @%p bra E;\nT:\nld.acquire.gpu.global.u32 %r0, [%flag+4]; setp.eq.u32 %p, %r0, 0; @%p bra T;\n"
	  "ld.global.u32 %r4, [%mine+4]; mul.lo.u32 %r4, %r4, 3; st.global.u32 [%mine], %r4;\nE:\n", pairs, false, NULL },
	{ "a warp's lock, by its first lane", LANE0 "@%q bra J;\n" CAS_TAKE("T") "J:\nbar.warp.sync -1;\nredux.sync.add.u32 %r5, %w, -1;\nld.global.u32 %r8, [%mine]; add.u32 %r8, %r8, %r5; bar.warp.sync -1; st.global.u32 [%mine], %r8;\n"
	  "bar.warp.sync -1;\n@%q bra E;\nld.global.u32 %r9, [%out+384]; add.u32 %r9, %r9, 1; st.global.u32 [%out+384], %r9;\n" CAS_GIVE "E:\n", warp_sums, true, NULL },
	{ "a warp's lock, and shfl under it", LANE0 "@%q bra J;\n" CAS_TAKE("T") "J:\nmov.u32 %r5, %w; mov.u32 %r6, 16;\nL:\nshfl.sync.bfly.b32 %r7, %r5, %r6, 31, -1; add.u32 %r5, %r5, %r7; shr.u32 %r6, %r6, 1; setp.ne.u32 %p, %r6, 0; @%p bra L;\n"
	  "st.global.u32 [%mine], %r5;\nbar.warp.sync -1;\n@%q bra E;\nld.global.u32 %r9, [%out+384]; add.u32 %r9, %r9, 1; st.global.u32 [%out+384], %r9;\n" CAS_GIVE "E:\n", warp_sums, true, NULL },
	{ "every lane's lock, then the warp's sum", CAS_TAKE("T") "membar.gl;\n" CAS_GIVE "redux.sync.add.u32 %r5, %w, -1; st.global.u32 [%mine], %r5; elect.sync %r6|%q, -1; @!%q bra E;\n" CAS_TAKE("U")
	  "ld.global.u32 %r9, [%out+384]; add.u32 %r9, %r9, 1; st.global.u32 [%out+384], %r9;\n" CAS_GIVE "E:\n", warp_sums, false, NULL },
	{ "lanes that end, then the warp's sum of the others", "" CAS_TAKE("T") CRITICAL CAS_GIVE "setp.lt.u32 %p, %w, 3; @%p bra X;\nvote.sync.ballot.b32 %r5, 1, -1; popc.b32 %r5, %r5;\nst.global.u32 [%mine], %r5;\nX:\n", once, false, NULL },
};

static uint32_t
rnd(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

static char *
module(const char *func, const char *body)
{
	text t = { 0 };

	text_add(&t, ".version 8.8\n.target sm_100a\n.address_size 64\n%s.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 8 .b8 lock[16];\n"
	         ".reg .b32 %%r<16>, %%n<%d>, %%w, %%u, %%acc, %%lane, %%t, %%me; .reg .b64 %%a, %%b, %%c, %%in, %%out, %%mine, %%flag; .reg .b16 %%h<3>; .reg .pred %%p, %%q;\n", func ? func : "", DEPTH + 1);
	text_add(&t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%lane, %%laneid; mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x;\n"
	         "mad.lo.u32 %%me, %%r0, %%r1, %%t; mul.wide.u32 %%a, %%me, 4; add.u64 %%in, %%in, %%a; ld.global.u32 %%w, [%%in]; add.u64 %%mine, %%out, %%a;\n"
	         "add.u64 %%mine, %%mine, %d; add.u64 %%flag, %%mine, %d; setp.ne.u32 %%p, %%t, 0; @%%p bra CLEARED;\nst.shared.v2.u32 [lock], {0, 0};\nCLEARED:\nbar.sync 0;\n",
	         MINE * 4, BLOCKS * MOST * 4);
	text_add(&t, "%sret;\n}\n", body);
	return t.s;
}

static bool
launch(const char *name, const char *ptx, const char *chip, const shape *s, uint32_t *out, unsigned opt, bool checked)
{
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "k", .grid = { BLOCKS, 1, 1 }, .block = { s->threads, 1, 1 }, .in = s->in, .in_size = s->threads * BLOCKS * 4,
		.out = out, .out_size = (WORDS + BLOCKS * MOST) * 4, .opt = opt, .timeout = 20, .check = checked ? P2A_CHECK_ALL : P2A_CHECK_NONE };

	return !e2e_launch(name, &r);
}

static int
run_fixed(const fixed *f)
{
	static const uint32_t sizes[] = { 128, 32, 45 };
	uint32_t in[BLOCKS * MOST], *out = malloc((WORDS + BLOCKS * MOST) * 4), n = e2e_quick() ? 1 : 3;
	char *ptx = module(f->func, f->body);
	uint64_t seed = 1;
	int bad = 0;

	if (!out)
		abort();
	for (uint32_t i = 0; i < BLOCKS * MOST; i++)
		in[i] = rnd(&seed, 1000);
	for (uint32_t k = 0; k < n; k++)
		for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c; c++) {
			shape s = { sizes[k], in, out };

			if (f->whole && s.threads % 32)
				continue;
			if (!launch(f->name, ptx, *c, &s, out, k == 1 ? P2A_O0 : 0, false)) {
				bad = 1;
			} else if (!f->right(&s)) {
				printf("not ok %s on %s, %u threads: wrong sums (%u, %u)\n", f->name, *c, s.threads, out[SUM], out[COUNT]);
				bad = 1;
			}
		}
	if (!bad)
		printf("ok %s\n", f->name);
	free(ptx);
	free(out);
	return bad;
}

/* ---- random programs ---- */

/* Who takes a way together: the block, single warps, single threads. Each way is known beforehand: bits of words of the input. */
typedef enum unit { BLOCK, WARP, THREAD } unit;
typedef enum kind { BRANCH, LOOP, LOCKED, WARP_LOCKED, SHUFFLE, SYNC, MEET, STEP, NKINDS } kind;

typedef struct node {
	kind kind;
	unit of;
	uint32_t a, b;           /* BRANCH, LOOP: bit; LOCKED: lock, or CHOSEN by the lane; SHUFFLE: by how far */
	struct node *body, *other, *next;
} node;

enum { LOCKS = 8, CHOSEN = LOCKS, MOST_NODES = 60 };

typedef struct maker {
	node nodes[MOST_NODES];
	uint32_t n;
	uint64_t seed;
	text t;
	int labels;
} maker;

static node *
list(maker *m, unit of, uint32_t lock, int depth);

/* lock: the first that may be taken here; whoever holds one takes only such as come behind it. */
static node *
piece(maker *m, unit of, uint32_t lock, int depth)
{
	node *x = &m->nodes[m->n];
	unit within = of == THREAD ? THREAD : of + rnd(&m->seed, 3 - of);

	if (m->n == MOST_NODES)
		return NULL;
	m->n++;
	x->kind = (kind)rnd(&m->seed, depth ? NKINDS : STEP + 1);
	x->of = within;
	x->a = rnd(&m->seed, 20);
	if ((x->kind == SYNC && of != BLOCK) || ((x->kind == SHUFFLE || x->kind == MEET || x->kind == WARP_LOCKED) && of == THREAD))
		x->kind = LOCKED;
	if ((x->kind == LOCKED || x->kind == WARP_LOCKED) && lock >= LOCKS)
		x->kind = STEP;
	if (!depth && (x->kind == BRANCH || x->kind == LOOP || x->kind == WARP_LOCKED))
		x->kind = STEP;
	switch (x->kind) {
	case BRANCH:
		x->body = list(m, within, lock, depth - 1);
		x->other = rnd(&m->seed, 2) ? list(m, within, lock, depth - 1) : NULL;
		break;
	case LOOP:
		x->body = list(m, within, lock, depth - 1);
		break;
	case LOCKED:
	case WARP_LOCKED:
		x->a = lock + rnd(&m->seed, LOCKS - lock);
		if (x->kind == LOCKED && !rnd(&m->seed, 4))
			x->a = CHOSEN;
		if (depth && rnd(&m->seed, 2))
			x->body = list(m, x->kind == LOCKED ? THREAD : WARP, x->a + 1, depth - 1);
		break;
	default:
		break;
	}
	return x;
}

static node *
list(maker *m, unit of, uint32_t lock, int depth)
{
	node *first = NULL, **at = &first;

	for (uint32_t n = 1 + rnd(&m->seed, 3); n; n--) {
		*at = piece(m, of, lock, depth);
		if (!*at)
			break;
		at = &(*at)->next;
	}
	return first;
}

/* ---- their text ---- */

/* %r1 = `mask` bits of the word that the unit has. */
static void
put_bits(maker *m, const node *x, uint32_t mask)
{
	if (x->of == BLOCK)
		text_add(&m->t, "mov.u32 %%r1, %u;\n", x->a & mask);
	else
		text_add(&m->t, "shr.u32 %%r1, %s, %u; and.b32 %%r1, %%r1, %u;\n", x->of == WARP ? "%u" : "%w", x->a, mask);
}

/* The lock's number decides how it is taken; a chosen one by cas. Address: %a, made anew for giving it back. */
static void
put_address(maker *m, uint32_t lock)
{
	if (lock == CHOSEN)
		text_add(&m->t, "and.b32 %%r1, %%w, 7; add.u32 %%r1, %%r1, %d; mul.wide.u32 %%a, %%r1, 4; add.u64 %%a, %%a, %%out;\n", LOCKS);
	else
		text_add(&m->t, "add.u64 %%a, %%out, %u;\n", lock * 4);
}

static void
put_take(maker *m, uint32_t lock, int depth)
{
	int l = m->labels++;

	put_address(m, lock);
	switch (lock == CHOSEN ? 0 : lock % 4) {
	case 0: text_add(&m->t, "T%d:\natom.acquire.gpu.global.cas.b32 %%r0, [%%a], 0, 1; setp.ne.u32 %%p, %%r0, 0; @%%p bra T%d;\n", l, l); break;
	case 1: text_add(&m->t, "T%d:\natom.global.exch.b32 %%r0, [%%a], 1; setp.eq.u32 %%p, %%r0, 0; @%%p bra G%d;\nnanosleep.u32 9; bra T%d;\nG%d:\nmembar.gl;\n", l, l, l, l); break;
	case 2: text_add(&m->t, "atom.relaxed.gpu.global.add.u32 %%n%d, [%%a+64], 1;\nT%d:\nld.acquire.gpu.global.u32 %%r0, [%%a+128]; setp.ne.u32 %%p, %%r0, %%n%d; @%%p bra T%d;\n", depth, l, depth, l); break;
	default: text_add(&m->t, "T%d:\nld.volatile.global.u32 %%r0, [%%a]; setp.ne.u32 %%p, %%r0, 0; @%%p bra T%d;\natom.global.cas.b32 %%r0, [%%a], 0, 1; setp.ne.u32 %%p, %%r0, 0; @%%p bra T%d;\nmembar.gl;\n", l, l, l);
	}
}

static void
put_give(maker *m, uint32_t lock, int depth)
{
	put_address(m, lock);
	switch (lock == CHOSEN ? 0 : lock % 4) {
	case 2: text_add(&m->t, "add.u32 %%n%d, %%n%d, 1; st.release.gpu.global.u32 [%%a+128], %%n%d;\n", depth, depth, depth); break;
	case 3: text_add(&m->t, "membar.gl; st.volatile.global.u32 [%%a], 0;\n"); break;
	default: text_add(&m->t, "membar.gl; atom.global.exch.b32 %%r0, [%%a], 0;\n");
	}
}

static void
put_sums(maker *m)
{
	text_add(&m->t, "ld.global.u32 %%r0, [%%a+%d]; add.u32 %%r0, %%r0, %%acc; st.global.u32 [%%a+%d], %%r0; ld.global.u32 %%r0, [%%a+%d]; add.u32 %%r0, %%r0, 1; st.global.u32 [%%a+%d], %%r0;\n",
	         SUM * 4, SUM * 4, COUNT * 4, COUNT * 4);
}

static void
put_list(maker *m, const node *x, int depth);

static void
put_loop(maker *m, const node *x, int depth)
{
	int l = m->labels++;

	put_bits(m, x, 3);
	text_add(&m->t, "mov.u32 %%n%d, %%r1;\nL%d:\nsetp.eq.u32 %%p, %%n%d, 0; @%%p bra E%d;\nsub.u32 %%n%d, %%n%d, 1;\n", depth, l, depth, l, depth, depth);
	put_list(m, x->body, depth + 1);
	text_add(&m->t, "bra L%d;\nE%d:\n", l, l);
}

static void
put_branch(maker *m, const node *x, int depth)
{
	int l = m->labels++;

	put_bits(m, x, 1);
	text_add(&m->t, "setp.ne.u32 %%p, %%r1, 0; @%%p bra Y%d;\n", l);
	put_list(m, x->other, depth + 1);
	text_add(&m->t, "bra J%d;\nY%d:\n", l, l);
	put_list(m, x->body, depth + 1);
	text_add(&m->t, "J%d:\n", l);
}

/* The lock is taken when the whole warp has come: else a lane of it may still wait for one that another warp has, whose
 * lanes wait for this one. */
static void
put_warp_locked(maker *m, const node *x, int depth)
{
	int l = m->labels++;

	text_add(&m->t, "bar.warp.sync -1; setp.ne.u32 %%q, %%lane, 0; @%%q bra J%d;\n", l);
	put_take(m, x->a, depth);
	text_add(&m->t, "J%d:\nbar.warp.sync -1;\n", l);
	put_list(m, x->body, depth + 1);
	text_add(&m->t, "bar.warp.sync -1; setp.ne.u32 %%q, %%lane, 0; @%%q bra K%d;\n", l);
	put_address(m, x->a);
	put_sums(m);
	put_give(m, x->a, depth);
	text_add(&m->t, "K%d:\n", l);
}

static void
put_list(maker *m, const node *x, int depth)
{
	for (; x; x = x->next)
		switch (x->kind) {
		case BRANCH: put_branch(m, x, depth); break;
		case LOOP: put_loop(m, x, depth); break;
		case LOCKED:
			put_take(m, x->a, depth);
			put_list(m, x->body, depth + 1);
			put_address(m, x->a);
			put_sums(m);
			put_give(m, x->a, depth);
			break;
		case WARP_LOCKED: put_warp_locked(m, x, depth); break;
		case SHUFFLE: text_add(&m->t, "shfl.sync.bfly.b32 %%r0, %%acc, %u, 31, -1; mad.lo.u32 %%acc, %%acc, 31, %%r0;\n", 1 + x->a % 31); break;
		case SYNC: text_add(&m->t, "bar.sync 0;\n"); break;
		case MEET: text_add(&m->t, "bar.warp.sync -1;\n"); break;
		default: text_add(&m->t, "mad.lo.u32 %%acc, %%acc, 17, %u;\n", x->a);
		}
}

/* ---- what they mean ---- */

typedef struct warp {
	const uint32_t *in;      /* the words of its lanes */
	uint32_t acc[32], *out;
	bool here[32];
} warp;

static uint32_t
bits(const warp *w, const node *x, unsigned lane, uint32_t mask)
{
	if (x->of == BLOCK)
		return x->a & mask;
	return w->in[x->of == WARP ? 0 : lane] >> x->a & mask;
}

static void
walk(warp *w, const node *x);

static void
walk_those(warp *w, const node *body, const bool *which)
{
	bool was[32];

	memcpy(was, w->here, sizeof was);
	for (unsigned k = 0; k < 32; k++)
		w->here[k] = was[k] && which[k];
	walk(w, body);
	memcpy(w->here, was, sizeof was);
}

static void
walk_ways(warp *w, const node *x)
{
	bool which[32];

	for (uint32_t turn = 0; turn < (x->kind == LOOP ? 3u : 1u); turn++) {
		for (unsigned k = 0; k < 32; k++)
			which[k] = bits(w, x, k, x->kind == LOOP ? 3 : 1) > turn;
		walk_those(w, x->body, which);
	}
	for (unsigned k = 0; k < 32; k++)
		which[k] = x->kind == BRANCH && !bits(w, x, k, 1);
	walk_those(w, x->other, which);
}

static void
add_up(warp *w, const node *x)
{
	for (unsigned k = 0; k < 32; k++) {
		uint32_t lock = x->a == CHOSEN ? LOCKS + (w->in[k] & 7) : x->a;

		if (!w->here[k] || (x->kind == WARP_LOCKED && k))
			continue;
		w->out[SUM + lock] += w->acc[k];
		w->out[COUNT + lock]++;
	}
}

static void
walk(warp *w, const node *x)
{
	uint32_t was[32];

	for (; x; x = x->next) {
		memcpy(was, w->acc, sizeof was);
		if (x->kind == BRANCH || x->kind == LOOP) {
			walk_ways(w, x);
		} else if (x->kind == LOCKED || x->kind == WARP_LOCKED) {
			walk(w, x->body);
			add_up(w, x);
		}
		for (unsigned k = 0; k < 32; k++)
			if (w->here[k] && x->kind == SHUFFLE)
				w->acc[k] = was[k] * 31 + was[k ^ (1 + x->a % 31)];
			else if (w->here[k] && x->kind == STEP)
				w->acc[k] = was[k] * 17 + x->a;
	}
}

static void
expect(const node *program, const shape *s, uint32_t *want)
{
	memset(want, 0, WORDS * sizeof *want);
	for (uint32_t i = 0; i < s->threads * BLOCKS; i += 32) {
		warp w = { .in = s->in + i, .out = want };

		for (unsigned k = 0; k < 32; k++) {
			w.here[k] = true;
			w.acc[k] = s->in[i + k];
		}
		walk(&w, program);
		memcpy(want + MINE + i, w.acc, sizeof w.acc);
	}
}

static char *
random_module(maker *m, uint64_t seed, node **program)
{
	char *ptx;

	*m = (maker){ .seed = seed };
	*program = list(m, BLOCK, 0, DEPTH - 2);
	text_add(&m->t, "mov.u32 %%acc, %%w; mov.u32 %%r0, %%lane; cvt.u64.u32 %%a, %%lane; shl.b64 %%a, %%a, 2; sub.u64 %%a, %%in, %%a; ld.global.u32 %%u, [%%a];\n");
	put_list(m, *program, 0);
	text_add(&m->t, "st.global.u32 [%%mine], %%acc;\n");
	ptx = module(NULL, m->t.s);
	free(m->t.s);
	return ptx;
}

static int
run_random(uint32_t number)
{
	static maker m;
	static const uint32_t sizes[] = { 64, 128, 32, 96 };
	uint32_t in[BLOCKS * MOST], *out = malloc((WORDS + BLOCKS * MOST) * 4), *want = malloc(WORDS * 4);
	uint64_t seed = number * 2654435761u;
	shape s = { sizes[number % 4], in, out };
	node *program;
	char *ptx = random_module(&m, seed, &program), name[40];
	int bad = 0;

	if (!out || !want)
		abort();
	for (uint32_t i = 0; i < BLOCKS * MOST; i++)
		in[i] = rnd(&seed, 1 << 24);
	expect(program, &s, want);
	snprintf(name, sizeof name, "random program %u", number);
	for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c; c++) {
		if (!launch(name, ptx, *c, &s, out, number % 7 == 6 ? P2A_O0 : 0, number % 5 == 4)) {
			bad = 1;
			continue;
		}
		for (uint32_t k = SUM; k < MINE + s.threads * BLOCKS && !bad; k++)
			if (out[k] != want[k]) {
				printf("not ok %s on %s: word %u: got %u, should be %u\n", name, *c, k, out[k], want[k]);
				bad = 1;
			}
	}
	if (bad && getenv("SHOW"))
		printf("%s\n", ptx);
	free(ptx);
	free(out);
	free(want);
	return bad;
}

/* ---- code that stays as it is ---- */

static const struct { const char *name, *body, *chip; bool led; } kept[] = {
	{ "a lock by cas", CAS_TAKE("T") CRITICAL CAS_GIVE, "gfx1100", true },
	{ "a lock by cas", CAS_TAKE("T") CRITICAL CAS_GIVE, "gfx90a", true },
	{ "a flag that says whether it was done", "T:\natom.global.cas.b32 %r0, [%out], 0, 1; setp.eq.u32 %p, %r0, 0; setp.ne.u32 %q, %r0, 0; @%q bra NOT;\nmembar.gl;\n" CRITICAL
	  "membar.gl; atom.global.exch.b32 %r1, [%out], 0;\nNOT:\n@!%p bra T;\n", "gfx90a", false },
	{ "a sum by compare-and-swap", "ld.global.u32 %r0, [%out];\nT:\nmov.u32 %r1, %r0; add.u32 %r2, %r0, %w; atom.global.cas.b32 %r0, [%out], %r1, %r2; setp.ne.u32 %p, %r0, %r1; @%p bra T;\n", "gfx90a", false },
	{ "a sum by compare-and-swap, read in each turn", "T:\nld.volatile.global.u32 %r1, [%out]; add.u32 %r2, %r1, %w; atom.global.cas.b32 %r0, [%out], %r1, %r2; setp.ne.u32 %p, %r0, %r1; @%p bra T;\n", "gfx90a", false },
	{ "a maximum by compare-and-swap", "ld.global.u32 %r0, [%out];\nT:\nsetp.ge.u32 %p, %r0, %w; @%p bra E;\nmov.u32 %r1, %r0; atom.global.cas.b32 %r0, [%out], %r1, %w; setp.ne.u32 %p, %r0, %r1; @%p bra T;\nE:\n", "gfx90a", false },
	{ "a sum of doubles by compare-and-swap", "ld.volatile.global.b64 %a, [%out];\nT:\nmov.b64 %b, %a; add.u64 %c, %b, 3; atom.global.cas.b64 %a, [%out], %b, %c; setp.ne.u64 %p, %a, %b; @%p bra T;\n", "gfx90a", false },
	{ "a sum by compare-and-swap, what it expects in private memory", FRAME "ld.global.u32 %r0, [%out]; st.u32 [%sp], %r0;\nT:\nld.u32 %r1, [%sp]; add.u32 %r2, %r1, %w; ld.u64 %a, [%sp+8];\n"
	  "atom.cas.b32 %r0, [%a], %r1, %r2; ld.u64 %sq, [%sp+16]; st.u32 [%sq], %r0; setp.ne.u32 %p, %r0, %r1; @%p bra T;\n", "gfx90a", false },
	{ "turns counted in private memory", FRAME "st.u32 [%sp], 0;\nT:\natom.global.exch.b32 %r0, [%out], %w; st.u32 [%sp+4], %r0; membar.gl; ld.u32 %r1, [%sp]; add.u32 %r1, %r1, 1; st.u32 [%sp], %r1;\n"
	  "setp.lt.u32 %p, %r1, 9; @%p bra T;\nld.u32 %r2, [%sp+4]; st.global.u32 [%mine], %r2;\n", "gfx90a", false },
	{ "a hash table", "rem.u32 %r5, %w, 50;\nT:\nmul.wide.u32 %a, %r5, 4; add.u64 %a, %a, %out; atom.global.cas.b32 %r0, [%a], 0, %w; setp.eq.u32 %p, %r0, 0; @%p bra E;\nsetp.eq.u32 %p, %r0, %w; @%p bra E;\n"
	  "add.u32 %r5, %r5, 1; rem.u32 %r5, %r5, 50; bra T;\nE:\n", "gfx90a", false },
	{ "a queue of work", "T:\natom.global.add.u32 %r0, [%out], 1; setp.ge.u32 %p, %r0, 900; @%p bra E;\nmul.wide.u32 %a, %r0, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %w; bra T;\nE:\n", "gfx90a", false },
	{ "a list", "mov.b64 %a, %out;\nT:\nld.volatile.global.u64 %a, [%a]; setp.ne.u64 %p, %a, 0; @%p bra T;\nst.global.u32 [%mine], %w;\n", "gfx90a", false },
	{ "a loop that barriers end", "T:\nbar.sync 0;\nld.volatile.global.u32 %r0, [%out]; bar.sync 0;\nsetp.eq.u32 %p, %r0, %t; @%p st.global.u32 [%out], 0;\nsetp.ne.u32 %p, %r0, 0; @%p bra T;\n", "gfx1100", false },
	{ "all lanes wait for one flag", "T:\nld.acquire.gpu.global.u32 %r0, [%out]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nst.global.u32 [%mine], %w;\n", "gfx90a", false },
	{ "each lane waits for a flag of its own", "T:\nld.acquire.gpu.global.u32 %r0, [%mine]; setp.eq.u32 %p, %r0, 0; @%p bra T;\nst.global.u32 [%mine], %w;\n", "gfx1100", true },
	{ "one thread waits for other blocks, then a barrier", "setp.ne.u32 %q, %t, 0; @%q bra J;\natom.global.add.u32 %r1, [%out], 1;\nT:\nld.acquire.gpu.global.u32 %r0, [%out]; setp.lt.u32 %p, %r0, 2; @%p bra T;\nJ:\nbar.sync 0;\nst.global.u32 [%mine], %w;\n", "gfx90a", false },
	{ "one thread waits, others go on", "setp.ne.u32 %q, %t, 0; @%q bra J;\nT:\nld.acquire.gpu.global.u32 %r0, [%out]; setp.lt.u32 %p, %r0, 2; @%p bra T;\nJ:\nst.global.u32 [%mine], %w;\n", "gfx1100", true },
	{ "a warp's lock, waves of one warp", LANE0 "@%q bra J;\n" CAS_TAKE("T") "J:\nbar.warp.sync -1;\nst.global.u32 [%mine], %w;\nbar.warp.sync -1;\n@%q bra E;\n" CAS_GIVE "E:\n", "gfx1100", false },
	{ "a warp's lock, waves of two warps", LANE0 "@%q bra J;\n" CAS_TAKE("T") "J:\nbar.warp.sync -1;\nst.global.u32 [%mine], %w;\nbar.warp.sync -1;\n@%q bra E;\n" CAS_GIVE "E:\n", "gfx90a", true },
	{ "one lane's critical section, waves of one warp", LANE0 "@%q bra J;\n" CAS_TAKE("T") CRITICAL CAS_GIVE "J:\nbar.warp.sync -1;\nst.global.u32 [%mine], %w;\n", "gfx1100", false },
	{ "a wait that a vote ends, waves of one warp", "T:\nld.acquire.gpu.global.u32 %r0, [%mine]; setp.eq.u32 %p, %r0, 0; vote.sync.any.pred %p, %p, -1; @%p bra T;\nst.global.u32 [%mine], %w;\n", "gfx1100", false },
};

static int
run_kept(size_t k)
{
	char *ptx = module(NULL, kept[k].body);
	p2a_source src = { "k.ptx", ptx, strlen(ptx) };
	p2a_options o = { .size = sizeof o, .target = kept[k].chip, .dump = "barrier" };
	p2a_result *r = p2a_translate(&src, 1, &o);
	bool led = r && r->status == P2A_OK && strstr(r->dump, "wave_any"), bad = !r || r->status != P2A_OK || led != kept[k].led;

	if (bad)
		printf("not ok %s on %s: its turns %s\n", kept[k].name, kept[k].chip, !r || r->status != P2A_OK ? "do not translate" : led ? "wait for other lanes" : "wait for no other lane");
	else
		printf("ok %s on %s: %s\n", kept[k].name, kept[k].chip, led ? "lanes wait for each other" : "its own code");
	p2a_result_free(r);
	free(ptx);
	return bad;
}

/* Kernels of tests/corpus/cuda/locks_debug.cu, of which the last two do not wait. */
static int
run_debug(const char *chip)
{
	static const struct { const char *kernel; bool led; } rows[] = { { "lock_cas", true }, { "lock_exch", true }, { "lock_taken_back", true },
		{ "lock_atomic", true }, { "flag_chain", true }, { "sum_atomic", false }, { "counted", false } };
	char *ptx = e2e_corpus("locks_debug");
	p2a_source src = { "locks_debug.ptx", ptx, ptx ? strlen(ptx) : 0 };
	p2a_options o = { .size = sizeof o, .target = chip, .dump = "barrier" };
	p2a_result *r = ptx ? p2a_translate(&src, 1, &o) : NULL;
	int bad = !r || r->status != P2A_OK;

	for (size_t k = 0; k < sizeof rows / sizeof *rows && !bad; k++) {
		char head[64];
		const char *at, *next, *any;

		snprintf(head, sizeof head, "; %s after barrier", rows[k].kernel);
		at = strstr(r->dump, head);
		next = at ? strstr(at + 1, "\n; ") : NULL;
		any = at ? strstr(at, "wave_any") : NULL;
		if (!at || (any && (!next || any < next)) != rows[k].led) {
			printf("not ok debug build, %s on %s: its turns should %swait for other lanes\n", rows[k].kernel, chip, rows[k].led ? "" : "not ");
			bad = 1;
		}
	}
	if (!bad)
		printf("ok debug builds on %s: what waits, and what does not\n", chip);
	p2a_result_free(r);
	free(ptx);
	return bad;
}

int
main(int argc, char **argv)
{
	uint32_t n = e2e_quick() ? 8 : 60, first = argc > 2 ? (uint32_t)atoi(argv[1]) : 0;
	int bad = 0, wrong = 0;

	if (argc > 2)
		n = (uint32_t)atoi(argv[2]);
	for (size_t k = 0; k < sizeof programs / sizeof *programs && argc < 3; k++)
		if (argc < 2 || !strcmp(argv[1], programs[k].name))
			bad |= run_fixed(&programs[k]);
	for (size_t k = 0; k < sizeof kept / sizeof *kept && argc < 2; k++)
		bad |= run_kept(k);
	if (argc < 2)
		bad |= run_debug("gfx90a") | run_debug("gfx1100");
	for (uint32_t k = first; k < first + n && argc != 2; k++)
		wrong |= run_random(k);
	if (!wrong && argc != 2)
		printf("ok %u random programs\n", n);
	return bad | wrong;
}
