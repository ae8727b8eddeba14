/* test_load.c -- atomics and memory order with many blocks at once: tickets, a lock, a chain of messages, the last
 * block that sums up, and the outcomes that PTX's memory model forbids (PTX manual, "Memory Consistency Model").
 * Needs blocks that run to their end in any order, no more. On a GPU ten times as many, many times. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, WORDS = 4, COUNTERS = 8 };

static uint32_t blocks, rounds;

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" \
	".reg .b32 %t, %b, %me, %n, %r<10>; .reg .b64 %in, %out, %at, %a<6>; .reg .pred %p, %q; .shared .align 4 .b8 s[8];\n" \
	"ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];\n" \
	"mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %me, %b, 64, %t;\n"
#define END "DONE:\nret;\n}\n"
/* %b becomes a ticket: who has a smaller one runs already, or has run. [out] counts them. */
#define TICKET "setp.ne.u32 %p, %t, 0; @%p bra HAVE; atom.global.add.u32 %r0, [%out], 1; st.shared.u32 [s], %r0;\n" \
	"HAVE:\nbar.sync 0; ld.shared.u32 %b, [s]; bar.sync 0;\n"

typedef struct job { const char *name, *body; size_t words; bool (*right)(const uint32_t *out); } job;

static uint32_t
value(uint32_t i)
{
	return i * 2654435761u >> 7;
}

/* ---- Tickets: each number of a counter is drawn once ---- */

static const char tickets[] = HEAD
	"and.b32 %r1, %me, 7; mul.wide.u32 %at, %r1, 4; add.u64 %at, %out, %at; atom.global.add.u32 %r2, [%at], 1;\n"
	"shl.b32 %r3, %n, 3; mad.lo.u32 %r4, %r1, %r3, %r2; mul.wide.u32 %at, %r4, 4; add.u64 %at, %out, %at;\n"
	"add.u32 %r5, %me, 1; st.global.u32 [%at+32], %r5;\n" END;

static bool
tickets_right(const uint32_t *out)
{
	uint32_t n = blocks * THREADS, *seen = calloc(n + 1, sizeof *seen);
	bool right = seen != NULL;

	for (uint32_t i = 0; i < COUNTERS; i++)
		right &= out[i] == n / COUNTERS;
	for (uint32_t i = 0; i < n && right; i++) {
		uint32_t who = out[COUNTERS + i];

		right = who >= 1 && who <= n && (who - 1) % COUNTERS == i / (n / COUNTERS) && !seen[who]++;
	}
	free(seen);
	return right;
}

/* ---- A lock around plain reads and writes: one thread a block takes it ---- */

#define LOCKED(name, take, give) static const char name[] = HEAD \
	"setp.ne.u32 %p, %t, 0; @%p bra DONE; mov.u32 %r9, 0;\nAGAIN:\n" take \
	"ld.global.u32 %r1, [%out+16]; ld.global.u32 %r2, [%out+20]; ld.global.u32 %r3, [%out+24]; ld.global.u32 %r4, [%out+28];\n" \
	"add.u32 %r1, %r1, 1; add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, %r2; add.u32 %r4, %r4, %r3;\n" \
	"st.global.u32 [%out+28], %r4; st.global.u32 [%out+24], %r3; st.global.u32 [%out+20], %r2; st.global.u32 [%out+16], %r1;\n" give \
	"add.u32 %r9, %r9, 1; setp.lt.u32 %p, %r9, 5; @%p bra AGAIN;\n" END;
LOCKED(lock_acquire, "TAKE:\natom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %q, %r0, 0; @%q bra TAKE;\n",
       "st.release.gpu.global.u32 [%out], 0;\n")
LOCKED(lock_fence, "TAKE:\natom.global.exch.b32 %r0, [%out], 1; setp.ne.u32 %q, %r0, 0; @%q bra TAKE; fence.acq_rel.gpu;\n",
       "fence.acq_rel.gpu; atom.global.exch.b32 %r0, [%out], 0;\n")
LOCKED(lock_membar, "TAKE:\natom.global.cas.b32 %r0, [%out], 0, 1; setp.ne.u32 %q, %r0, 0; @%q bra TAKE; membar.gl;\n",
       "membar.gl; st.volatile.global.u32 [%out], 0;\n")

static bool
lock_right(const uint32_t *out)
{
	uint32_t v[WORDS] = { 0 };

	for (uint32_t i = 0; i < blocks * 5; i++) {
		v[0]++;
		for (int k = 1; k < WORDS; k++)
			v[k] += v[k - 1];
	}
	return !out[0] && !memcmp(out + 4, v, sizeof v);
}

/* ---- A chain: each block waits for the one before and adds its value ---- */

/* A block's record: flag, then the sum, 64 bytes behind the last one's. */
#define CHAIN(name, get, wait, put) static const char name[] = HEAD TICKET \
	"mul.wide.u32 %a0, %b, 64; add.u64 %a0, %out, %a0; setp.ne.u32 %p, %t, 0; @%p bra DONE;\n" \
	"mul.wide.u32 %at, %b, 4; add.u64 %at, %in, %at; ld.global.u32 %r3, [%at];\n" \
	"setp.eq.u32 %p, %b, 0; @%p bra FIRST;\nWAIT:\n" get " %r1, [%a0]; setp.eq.u32 %q, %r1, 0; @%q bra WAIT;\n" wait \
	"ld.global.u32 %r2, [%a0+4]; add.u32 %r3, %r3, %r2;\nFIRST:\nst.global.u32 [%a0+68], %r3;\n" put END
CHAIN(chain_acquire, "ld.acquire.gpu.global.u32", "", "st.release.gpu.global.u32 [%a0+64], 1;\n");
CHAIN(chain_system, "ld.acquire.sys.global.u32", "", "st.release.sys.global.u32 [%a0+64], 1;\n");
CHAIN(chain_fence, "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;\n", "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%a0+64], 1;\n");
CHAIN(chain_membar, "ld.volatile.global.u32", "membar.gl;\n", "membar.gl; st.volatile.global.u32 [%a0+64], 1;\n");
CHAIN(chain_atom, "mov.u32 %r5, 0; atom.acq_rel.gpu.global.or.b32 %r1, [%a0], %r5; add.u32 %r5, %r5, 1; ld.relaxed.gpu.global.u32", "fence.sc.gpu;\n",
      "atom.release.gpu.global.exch.b32 %r1, [%a0+64], 1;\n");

static bool
chain_right(const uint32_t *out)
{
	uint32_t sum = 0;
	bool right = out[0] == blocks;

	for (uint32_t b = 0; b < blocks; b++) {
		sum += value(b);
		right &= out[(b + 1) * 16] == 1 && out[(b + 1) * 16 + 1] == sum;
	}
	return right;
}

/* ---- The last block to end sums what all have written ---- */

static const char last_block[] = HEAD
	"mul.wide.u32 %at, %me, 4; add.u64 %a0, %in, %at; ld.global.u32 %r1, [%a0]; add.u64 %a1, %out, %at; mad.lo.u32 %r1, %r1, 3, %b; st.global.u32 [%a1+64], %r1;\n"
	"membar.gl; bar.sync 0; setp.ne.u32 %p, %t, 0; @%p bra HAVE; atom.global.inc.u32 %r0, [%out], 0x7fffffff; st.shared.u32 [s], %r0;\nHAVE:\nbar.sync 0;\n"
	"ld.shared.u32 %r2, [s]; add.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, %n; @%p bra DONE; membar.gl;\n"
	"mov.u32 %r3, 0; mov.u32 %r4, 0; mul.wide.u32 %at, %t, 4; add.u64 %a2, %out, %at;\nSUM:\nld.global.u32 %r5, [%a2+64]; add.u32 %r3, %r3, %r5;\n"
	"add.u64 %a2, %a2, 256; add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %n; @%p bra SUM;\natom.global.add.u32 %r5, [%out+4], %r3;\n" END;

static bool
last_right(const uint32_t *out)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < blocks * THREADS; i++)
		sum += value(i) * 3 + i / THREADS;
	return out[0] == blocks && out[1] == sum;
}

/* ---- Outcomes that may not be: pairs of blocks, a pair of words a thread ---- */

/* Words x and y of a thread stand 128 bytes apart; r4 and r5 of the two go behind all of them. */
#define PAIR(name, one, other) static const char name[] = HEAD TICKET \
	"shr.u32 %r1, %b, 1; mad.lo.u32 %r1, %r1, 64, %t; mul.wide.u32 %at, %r1, 512; add.u64 %a0, %out, %at; add.u64 %a0, %a0, 256;\n" \
	"mov.u32 %r4, 7; mov.u32 %r5, 7; and.b32 %r2, %b, 1; setp.ne.u32 %p, %r2, 0; @%p bra OTHER;\n" one \
	"st.global.u32 [%a0+256], %r4; st.global.u32 [%a0+260], %r5; bra DONE;\nOTHER:\n" other \
	"st.global.u32 [%a0+384], %r4; st.global.u32 [%a0+388], %r5;\n" END
#define X "[%a0]"
#define Y "[%a0+128]"
/* Two stores are seen in order. */
PAIR(message_release, "st.global.u32 " X ", 1; st.release.gpu.global.u32 " Y ", 1;\n",
     "ld.acquire.gpu.global.u32 %r4, " Y "; ld.global.u32 %r5, " X ";\n");
PAIR(message_fence, "st.relaxed.gpu.global.u32 " X ", 1; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 " Y ", 1;\n",
     "ld.relaxed.gpu.global.u32 %r4, " Y "; fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r5, " X ";\n");
/* Of two threads that store and then load the other's word, one at least sees it. */
PAIR(store_load, "st.relaxed.gpu.global.u32 " X ", 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r4, " Y ";\n",
     "st.relaxed.gpu.global.u32 " Y ", 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 %r4, " X ";\n");
/* Loads of one word never go back. */
PAIR(same_word, "st.relaxed.gpu.global.u32 " X ", 1; st.relaxed.gpu.global.u32 " X ", 2;\n",
     "ld.relaxed.gpu.global.u32 %r4, " X "; ld.relaxed.gpu.global.u32 %r5, " X ";\n");

static bool
pairs_right(const uint32_t *out, bool (*allowed)(const uint32_t *one, const uint32_t *other))
{
	for (uint32_t i = 0; i < blocks / 2 * THREADS; i++)
		if (!allowed(out + i * 128 + 128, out + i * 128 + 160))
			return false;
	return true;
}

static bool in_order(const uint32_t *one, const uint32_t *other) { (void)one; return !other[0] || other[1] == 1; }
static bool one_sees(const uint32_t *one, const uint32_t *other) { return one[0] == 1 || other[0] == 1; }
static bool not_back(const uint32_t *one, const uint32_t *other) { (void)one; return other[0] <= other[1] && other[1] <= 2; }
static bool message_right(const uint32_t *out) { return pairs_right(out, in_order); }
static bool store_right(const uint32_t *out) { return pairs_right(out, one_sees); }
static bool same_right(const uint32_t *out) { return pairs_right(out, not_back); }

/* Words of the result: for each block, plus some. */
static const job jobs[] = {
	{ "tickets", tickets, THREADS, tickets_right },
	{ "a lock by acquire and release", lock_acquire, 0, lock_right },
	{ "a lock by fences", lock_fence, 0, lock_right },
	{ "a lock by membar", lock_membar, 0, lock_right },
	{ "a chain by acquire and release", chain_acquire, 16, chain_right },
	{ "a chain by .sys", chain_system, 16, chain_right },
	{ "a chain by fences", chain_fence, 16, chain_right },
	{ "a chain by membar", chain_membar, 16, chain_right },
	{ "a chain by atom", chain_atom, 16, chain_right },
	{ "the last block's sum", last_block, THREADS, last_right },
	{ "message by release", message_release, 64 * THREADS, message_right },
	{ "message by fences", message_fence, 64 * THREADS, message_right },
	{ "stores before loads", store_load, 64 * THREADS, store_right },
	{ "loads of one word", same_word, 64 * THREADS, same_right },
};

static int
run(const job *j, const char *chip, const uint32_t *in)
{
	size_t size = (j->words * blocks + 256) * 4;
	uint32_t *out = malloc(size);
	e2e_run r = { .chip = chip, .ptx = j->body, .kernel = "k", .grid = { blocks, 1, 1 }, .block = { THREADS, 1, 1 }, .in = in,
		.in_size = (size_t)blocks * THREADS * 4, .out = out, .out_size = size, .extra = &blocks, .extra_size = 4 };
	int bad = 0;

	if (!out)
		abort();
	for (uint32_t i = 0; i < rounds && !bad; i++) {
		bad = e2e_launch(j->name, &r);
		if (!bad && !j->right(out)) {
			printf("not ok %s on %s: round %u of %u blocks\n", j->name, chip, i, blocks);
			bad = 1;
		}
	}
	free(out);
	return bad;
}

int
main(void)
{
	static const char *const chips[] = { "gfx90a", "gfx1100", "gfx1200", "gfx1030", "gfx942" };
	const char *const *on = e2e_on(chips, e2e_quick() ? 2 : 5);
	uint32_t *in;
	int bad = 0;

	blocks = e2e_quick() ? 32 : e2e_hip() ? 2048 : 128;
	rounds = e2e_quick() ? 1 : e2e_hip() ? 30 : 2;
	in = malloc((size_t)blocks * THREADS * 4);
	if (!in)
		abort();
	for (uint32_t i = 0; i < blocks * THREADS; i++)
		in[i] = value(i);
	for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
		int wrong = 0;

		for (const char *const *chip = on; *chip; chip++)
			wrong |= run(&jobs[k], *chip, in);
		if (!wrong)
			printf("ok %s: %u blocks, %u times\n", jobs[k].name, blocks, rounds);
		fflush(stdout);
		bad |= wrong;
	}
	free(in);
	return bad;
}
