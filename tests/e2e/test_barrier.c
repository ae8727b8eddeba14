/* test_barrier.c -- barriers in code that warps, or single lanes, come to by different ways.
 * Random structured programs: sequences, branches and loops in which each thread passes the same number of barriers, but
 * which ones depends on data: of the block, of the warp, or (barrier.sync, which asks for no convergence) of the thread.
 * Before the n-th barrier a thread tells n to its place in shared memory, after it reads what another thread told:
 * a wave that signals too often or too seldom makes somebody read another number, or wait for ever.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = { "gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

typedef enum unit { BLOCK, WARP, THREAD } unit;
static const char *const unit_name[] = { "block", "warp", "thread" };

typedef struct maker {
	text t;
	uint64_t seed;
	int labels, loops;
	const char *barrier;
} maker;

static uint32_t
rnd(maker *m, uint32_t n)
{
	m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->seed >> 33) % n;
}

/* One barrier: place (number & 1) of this thread holds the number, that of the peer is added up. */
static void
phase(maker *m)
{
	text_add(&m->t, "mad.lo.u32 %%v, %%me, 1000, %%n; and.b32 %%x, %%n, 1; shl.b32 %%x, %%x, 12; add.u32 %%y, %%mine, %%x; st.shared.u32 [%%y], %%v;\n"
	         "%s;\nadd.u32 %%y, %%theirs, %%x; ld.shared.u32 %%v, [%%y]; mad.lo.u32 %%sum, %%sum, 31, %%v; add.u32 %%n, %%n, 1;\n", m->barrier);
}

/* p = a bit of this thread's word */
static void
condition(maker *m)
{
	text_add(&m->t, "shr.u32 %%x, %%w, %u; and.b32 %%x, %%x, 1; setp.ne.u32 %%p, %%x, 0;\n", rnd(m, 24));
}

static void
block(maker *m, uint32_t phases, int depth);

static void
branch(maker *m, uint32_t phases, int depth)
{
	int l = m->labels++;

	condition(m);
	text_add(&m->t, "@%%p bra T%d;\n", l);
	block(m, phases, depth - 1);
	text_add(&m->t, "bra J%d;\nT%d:\n", l, l);
	block(m, phases, depth - 1);
	text_add(&m->t, "J%d:\n", l);
}

/* Some turns in one loop, the rest in another: each turn one barrier. */
static void
loops(maker *m, uint32_t phases, int depth)
{
	int l = m->labels++, c = m->loops++;

	text_add(&m->t, "shr.u32 %%x, %%w, %u; rem.u32 %%c%d, %%x, %u; sub.u32 %%d%d, %u, %%c%d;\n", rnd(m, 20), c, phases + 1, c, phases, c);
	for (int k = 0; k < 2; k++) {
		char r = k ? 'd' : 'c';

		text_add(&m->t, "T%d_%d:\nsetp.eq.u32 %%p, %%%c%d, 0; @%%p bra J%d_%d;\n", l, k, r, c, l, k);
		block(m, 1, depth - 1);
		text_add(&m->t, "sub.u32 %%%c%d, %%%c%d, 1; bra T%d_%d;\nJ%d_%d:\n", r, c, r, c, l, k, l, k);
	}
}

static void
block(maker *m, uint32_t phases, int depth)
{
	uint32_t first;

	if (!phases)
		return;
	switch (depth > 0 ? rnd(m, 4) : 3) {
	case 0: branch(m, phases, depth); break;
	case 1: loops(m, phases, depth); break;
	case 2:
		first = rnd(m, phases + 1);
		block(m, first, depth - 1);
		block(m, phases - first, depth - 1);
		break;
	default:
		for (uint32_t k = 0; k < phases; k++)
			phase(m);
	}
}

/* Input: a word, a peer and whether it ends at once, for each thread. */
static void
kernel(maker *m, uint32_t phases)
{
	text body = { 0 }, head;

	m->t = body;
	block(m, phases, 4);
	body = m->t;
	m->t = (text){ 0 };
	text_add(&m->t, ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b32 %%me, %%v, %%x, %%y, %%n, %%sum, %%mine, %%theirs, %%w, %%c<%d>, %%d<%d>; .reg .b64 %%i, %%o, %%at; .reg .pred %%p;\n"
	         ".shared .align 4 .b8 room[8192];\n", m->loops + 1, m->loops + 1);
	text_add(&m->t, "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%me, %%tid.x; mul.wide.u32 %%at, %%me, 4; add.u64 %%o, %%o, %%at;\n"
	         "mul.wide.u32 %%at, %%me, 12; add.u64 %%i, %%i, %%at; ld.global.u32 %%w, [%%i]; ld.global.u32 %%x, [%%i+4]; ld.global.u32 %%v, [%%i+8];\n"
	         "setp.ne.u32 %%p, %%v, 0; @%%p ret;\nmov.u32 %%y, room; shl.b32 %%x, %%x, 2; add.u32 %%theirs, %%y, %%x; shl.b32 %%x, %%me, 2; "
	         "add.u32 %%mine, %%y, %%x; mov.u32 %%n, 0; mov.u32 %%sum, 0;\n");
	head = m->t;
	m->t.s = malloc(head.n + body.n + 100);
	if (!m->t.s)
		abort();
	sprintf(m->t.s, "%s%sst.global.u32 [%%o], %%sum; ret;\n}\n", head.s, body.n ? body.s : "");
	free(head.s);
	free(body.s);
}

static void
inputs(maker *m, unit u, uint32_t threads, bool exits, uint32_t phases, uint32_t *in, uint32_t *want)
{
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t first = u == BLOCK ? 0 : u == WARP ? i / 32 * 32 : i;

		in[3 * i] = first == i ? rnd(m, UINT32_MAX) : in[3 * first];
		in[3 * i + 2] = exits && i && rnd(m, 5) == 0;   /* thread 0 stays, so that all have a peer */
	}
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t peer = rnd(m, threads), sum = 0;

		while (in[3 * peer + 2])
			peer = (peer + 1) % threads;
		in[3 * i + 1] = peer;
		for (uint32_t k = 0; k < phases; k++)
			sum = sum * 31 + peer * 1000 + k;
		want[i] = in[3 * i + 2] ? 0 : sum;
	}
}

static int
run(unit u, uint32_t seed)
{
	static const uint32_t sizes[] = { 64, 96, 160, 45, 256, 32 };
	uint32_t threads = sizes[seed % 6], phases = 1 + seed % 7, *in = malloc(threads * 12), *want = malloc(threads * 4), *out = malloc(threads * 4);
	maker m = { .seed = seed * 2654435761u + u, .barrier = u == THREAD ? "barrier.sync 0" : "bar.sync 0" };
	char name[96];
	int bad = 0;

	if (!in || !want || !out)
		abort();
	snprintf(name, sizeof name, "by %s, %u threads, %u barriers, seed %u", unit_name[u], threads, phases, seed);
	kernel(&m, phases);
	inputs(&m, u, threads, seed % 3 == 2, phases, in, want);
	for (size_t c = 0; c < sizeof chips / sizeof *chips; c++) {
		e2e_run r = { .chip = chips[c], .ptx = m.t.s, .kernel = "k", .grid = { 2, 1, 1 }, .block = { threads, 1, 1 }, .in = in,
			.in_size = threads * 12, .out = out, .out_size = threads * 4, .opt = seed % 5 == 4 ? P2A_O0 : 0 };

		if (e2e_launch(name, &r)) {
			bad = 1;
			continue;
		}
		for (uint32_t i = 0; i < threads; i++)
			if (out[i] != want[i]) {
				printf("not ok %s on %s: thread %u: got %#x, should be %#x\n", name, chips[c], i, out[i], want[i]);
				bad = 1;
				break;
			}
	}
	free(m.t.s);
	free(in);
	free(want);
	free(out);
	return bad;
}

int
main(int argc, char **argv)
{
	uint32_t n = e2e_quick() ? 6 : 60;
	int bad = 0;

	if (argc > 2)
		return run((unit)atoi(argv[1]), (uint32_t)atoi(argv[2]));
	for (int u = BLOCK; u <= THREAD; u++) {
		int wrong = 0;

		for (uint32_t i = 0; i < n; i++)
			wrong |= run((unit)u, i);
		if (!wrong)
			printf("ok barriers where the way depends on the %s: %u programs\n", unit_name[u], n);
		bad |= wrong;
	}
	return bad;
}
