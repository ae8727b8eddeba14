/* test_barrier.c -- barriers in code that warps, or single lanes, come to by different ways.
 * Random structured programs: sequences, branches and loops in which each thread passes the same number of barriers, but
 * which ones depends on data: of the block, of the warp, or (barrier.sync, which asks for no convergence) of the thread.
 * Before the n-th barrier a thread tells n to its place in shared memory, after it reads what another thread told:
 * a wave that signals too often or too seldom makes somebody read another number, or wait for ever.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1. */
#include "e2e.h"
#include "length.h"

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
	bool dynamic;
	const char *barrier, *reduce;   /* the n-th is the one for even n, the other for odd */
} maker;

/* Words of a thread's input: what it branches on, its peer, whether it ends at once, its barrier and how many meet there. */
enum { IN_WORD, IN_PEER, IN_ENDS, IN_ID, IN_COUNT, IN_SIZE };

static uint32_t
rnd(maker *m, uint32_t n)
{
	m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->seed >> 33) % n;
}

/* One barrier: place (number & 1) of this thread holds the number, that of the peer is added up, and the reduction's result. */
static void
phase(maker *m)
{
	int l = m->labels++;

	text_add(&m->t, "mad.lo.u32 %%v, %%me, 1000, %%n; and.b32 %%x, %%n, 1; shl.b32 %%x, %%x, 12; add.u32 %%y, %%mine, %%x; st.shared.u32 [%%y], %%v;\n"
	         "mov.u32 %%v, 0; setp.ne.u32 %%p, %%x, 0; @%%p bra R%d;\n%s;\nbra M%d;\nR%d:\nmad.lo.u32 %%y, %%me, 7, %%n; and.b32 %%y, %%y, 4; "
	         "setp.ne.u32 %%q, %%y, 0;\n%s\nM%d:\n", l, m->barrier, l, l, m->reduce, l);
	text_add(&m->t, "mad.lo.u32 %%sum, %%sum, 31, %%v; add.u32 %%y, %%theirs, %%x; ld.shared.u32 %%v, [%%y]; mad.lo.u32 %%sum, %%sum, 31, %%v; "
	         "add.u32 %%n, %%n, 1;\n");
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

static void
kernel(maker *m, uint32_t phases)
{
	text body = { 0 }, head;

	m->t = body;
	block(m, phases, 4);
	body = m->t;
	m->t = (text){ 0 };
	text_add(&m->t, ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b32 %%me, %%v, %%x, %%y, %%n, %%sum, %%mine, %%theirs, %%w, %%id, %%count, %%c<%d>, %%d<%d>; .reg .b64 %%i, %%o, %%at; .reg .pred %%p, %%q;\n"
	         ".%sshared .align 4 .b8 room[%s];\n", m->loops + 1, m->loops + 1, m->dynamic ? "extern ." : "", m->dynamic ? "" : "8192");
	text_add(&m->t, "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%me, %%tid.x; mul.wide.u32 %%at, %%me, 4; add.u64 %%o, %%o, %%at;\n"
	         "mul.wide.u32 %%at, %%me, 20; add.u64 %%i, %%i, %%at; ld.global.u32 %%w, [%%i]; ld.global.u32 %%x, [%%i+4]; ld.global.u32 %%v, [%%i+8];\n"
	         "ld.global.u32 %%id, [%%i+12]; ld.global.u32 %%count, [%%i+16];\n"
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

/* Which kind of barrier a program has. */
typedef enum kind { BLOCK_POPC, BLOCK_AND, BLOCK_OR, SOME_POPC, SOME_OR, NKINDS } kind;
static const struct { const char *name, *barrier, *reduce; } kinds[2][NKINDS] = {
	{ { "popc", "bar.sync 0", "bar.red.popc.u32 %v, 0, %q;" },
	  { "and", "bar.sync 1", "bar.red.and.pred %q, 2, !%q; selp.u32 %v, 1, 0, %q;" },
	  { "or", "barrier.sync.aligned %id", "barrier.red.or.aligned.pred %q, 2, %q; selp.u32 %v, 1, 0, %q;" },
	  { "some, popc", "bar.sync %id, %count", "bar.red.popc.u32 %v, %id, %count, %q;" },
	  { "some, or", "bar.cta.sync %id, %count", "bar.cta.red.or.pred %q, %id, %count, %q; selp.u32 %v, 1, 0, %q;" } },
	{ { "popc", "barrier.sync 0", "barrier.red.popc.u32 %v, 0, %q;" },
	  { "and", "barrier.cta.sync 1", "barrier.cta.red.and.pred %q, 2, !%q; selp.u32 %v, 1, 0, %q;" },
	  { "or", "barrier.sync %id", "barrier.red.or.pred %q, 2, %q; selp.u32 %v, 1, 0, %q;" } } };

static bool
counts(kind k)
{
	return k == SOME_POPC || k == SOME_OR;
}

/* Warps fall into groups of two, each with a barrier of its own; the last may be alone or with two more. */
static void
group_of(kind k, uint32_t threads, uint32_t thread, uint32_t *id, uint32_t *first, uint32_t *n)
{
	*first = 0;
	*n = threads;
	*id = 5;
	if (!counts(k))
		return;
	*first = thread / 64 * 64;
	*n = threads - *first < 64 ? threads - *first : 64;
	*id = 15 - thread / 64;
}

static uint32_t
reduction(kind k, const uint32_t *in, uint32_t first, uint32_t n, uint32_t turn)
{
	uint32_t sum = 0, alive = 0;

	for (uint32_t i = first; i < first + n; i++) {
		if (in[IN_SIZE * i + IN_ENDS])
			continue;
		alive++;
		sum += (i * 7 + turn) >> 2 & 1;
	}
	return k == BLOCK_AND ? sum == 0 : k == BLOCK_OR || k == SOME_OR ? sum != 0 : sum;
}

static void
inputs(maker *m, unit u, kind k, uint32_t threads, bool exits, uint32_t phases, uint32_t *in, uint32_t *want)
{
	uint32_t id, first, n;

	for (uint32_t i = 0; i < threads; i++) {
		uint32_t leader = u == BLOCK ? 0 : u == WARP ? i / 32 * 32 : i, *x = in + IN_SIZE * i;

		group_of(k, threads, i, &x[IN_ID], &first, &n);
		x[IN_WORD] = leader == i ? rnd(m, UINT32_MAX) : in[IN_SIZE * leader];
		x[IN_ENDS] = exits && i % 32 && rnd(m, 5) == 0;         /* a lane of each warp stays */
		x[IN_COUNT] = (n + 31) / 32 * 32;
	}
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t peer, sum = 0;

		group_of(k, threads, i, &id, &first, &n);
		peer = first + rnd(m, n);
		while (in[IN_SIZE * peer + IN_ENDS])
			peer = first + (peer - first + 1) % n;
		in[IN_SIZE * i + IN_PEER] = peer;
		for (uint32_t t = 0; t < phases; t++)
			sum = (sum * 31 + (t & 1 ? reduction(k, in, first, n, t) : 0)) * 31 + peer * 1000 + t;
		want[i] = in[IN_SIZE * i + IN_ENDS] ? 0 : sum;
	}
}

static int
run(unit u, kind k, uint32_t seed)
{
	static const uint32_t sizes[] = { 64, 96, 160, 45, 256, 32 };
	uint32_t threads = sizes[seed % 6], phases = 1 + seed % 7, *in = malloc(threads * IN_SIZE * 4), *want = malloc(threads * 4), *out = malloc(threads * 4);
	maker m = { .dynamic = seed & 1, .seed = seed * 2654435761u + u * 5 + k, .barrier = kinds[u == THREAD][k].barrier, .reduce = kinds[u == THREAD][k].reduce };
	char name[96];
	int bad = 0;

	if (!in || !want || !out)
		abort();
	snprintf(name, sizeof name, "%s, by %s, %u threads, %u barriers, seed %u", kinds[u == THREAD][k].name, unit_name[u], threads, phases, seed);
	kernel(&m, phases);
	inputs(&m, u, k, threads, seed % 3 == 2, phases, in, want);
	for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c; c++) {
		e2e_run r = { .chip = *c, .ptx = m.t.s, .kernel = "k", .grid = { 2, 1, 1 }, .block = { threads, 1, 1 }, .in = in,
			.in_size = threads * IN_SIZE * 4, .shared = m.dynamic ? 8192 : 0,
			.out = out, .out_size = threads * 4, .opt = seed % 5 == 4 ? P2A_O0 : 0,
			.check = seed % 5 == 3 ? P2A_CHECK_ALL : P2A_CHECK_MEMORY };

		if (e2e_launch(name, &r)) {
			bad = 1;
			continue;
		}
		for (uint32_t i = 0; i < threads; i++)
			if (out[i] != want[i]) {
				printf("not ok %s on %s: thread %u: got %#x, should be %#x\n", name, *c, i, out[i], want[i]);
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

/* The manual's example: warps 0 to 3 hand numbers to warps 4 to 7 through one buffer; arrive does not wait. */
static int
producer_consumer(uint32_t warps)
{
	enum { TURNS = 9 };
	uint32_t threads = warps * 64, in = 0, *want = malloc(threads * 4), *out = malloc(threads * 4);
	char name[64];
	text t = { 0 };
	int bad = 0;

	if (!want || !out)
		abort();
	snprintf(name, sizeof name, "producer and consumer, %u warps each", warps);
	text_add(&t, ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b32 %%me, %%a, %%n, %%v, %%sum; .reg .b64 %%o, %%at; .reg .pred %%p;\n.shared .align 4 .b8 room[4096];\n"
	         "ld.param.u64 %%o, [out]; mov.u32 %%me, %%tid.x; mul.wide.u32 %%at, %%me, 4; add.u64 %%o, %%o, %%at;\n"
	         "mov.u32 %%n, 0; mov.u32 %%sum, 0; setp.ge.u32 %%p, %%me, %u; @%%p bra CONSUME;\nmov.u32 %%a, room; mad.lo.u32 %%a, %%me, 4, %%a;\n", threads / 2);
	text_add(&t, "P:\nbar.sync 0, %u;\nmad.lo.u32 %%v, %%me, 77, %%n; st.shared.u32 [%%a], %%v;\nbar.arrive 1, %u;\n"
	         "add.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %d; @%%p bra P;\nbra END;\n", threads, threads, TURNS);
	text_add(&t, "CONSUME:\nmov.u32 %%a, room; mad.lo.u32 %%a, %%me, 4, %%a; sub.u32 %%a, %%a, %u;\nC:\nbar.arrive 0, %u;\nbar.sync 1, %u;\nld.shared.u32 %%v, [%%a];\n"
	         "mad.lo.u32 %%sum, %%sum, 31, %%v; add.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %d; @%%p bra C;\nEND:\nst.global.u32 [%%o], %%sum; ret;\n}\n",
	         threads * 2, threads, threads, TURNS);
	for (uint32_t i = 0; i < threads; i++) {
		want[i] = 0;
		for (uint32_t n = 0; n < TURNS && i >= threads / 2; n++)
			want[i] = want[i] * 31 + (i - threads / 2) * 77 + n;
	}
	for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c; c++) {
		e2e_run r = { .chip = *c, .ptx = t.s, .kernel = "k", .grid = { 2, 1, 1 }, .block = { threads, 1, 1 }, .in = &in, .in_size = 4,
			.out = out, .out_size = threads * 4 };
		int wrong = e2e_launch(name, &r);

		for (uint32_t i = 0; i < threads && !wrong; i++)
			if (out[i] != want[i]) {
				printf("not ok %s on %s: thread %u: got %#x, should be %#x\n", name, *c, i, out[i], want[i]);
				wrong = 1;
			}
		bad |= wrong;
	}
	if (!bad)
		printf("ok %s\n", name);
	free(t.s);
	free(want);
	free(out);
	return bad;
}

/* Warp 0 takes part in one reduction with warp 1, which then sets off two more of the same barrier without it: warps 2 and 3,
 * then 3 and 4, whose predicates are false. However late warp 0 looks, it must see its own: all 64. Its delay grows by turns. */
static int
left_behind(void)
{
	enum { TURNS = 40 };
	static const char code[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %me, %warp, %turn, %next, %delay, %n, %f; .reg .b64 %out, %at; .reg .pred %p, %all, %first;\n.shared .align 4 .b32 flag[2];\n"
		"ld.param.u64 %out, [out]; mov.u32 %me, %tid.x; shr.u32 %warp, %me, 5; mov.u32 %turn, 0; setp.eq.u32 %first, %me, 0; setp.ge.u32 %all, %me, 0;\n"
		"st.volatile.shared.u32 [flag], 0; st.volatile.shared.u32 [flag+4], 0;\n"
		"TURN: bar.sync 0; add.u32 %next, %turn, 1;\n"
		"setp.eq.u32 %p, %warp, 1; @%p bra ONE; setp.eq.u32 %p, %warp, 2; @%p bra TWO; setp.eq.u32 %p, %warp, 3; @%p bra THREE; setp.eq.u32 %p, %warp, 4; @%p bra FOUR;\n"
		"mul.lo.u32 %delay, %turn, 180; add.u32 %delay, %delay, 1;\nDELAY: sub.u32 %delay, %delay, 1; setp.ne.u32 %p, %delay, 0; @%p bra DELAY;\n"
		"bar.red.popc.u32 %n, 1, 64, %all; @!%first bra NEXT; mul.wide.u32 %at, %turn, 4; add.u64 %at, %out, %at; st.global.u32 [%at], %n; bra NEXT;\n"
		"ONE: bar.red.popc.u32 %n, 1, 64, %all; st.volatile.shared.u32 [flag], %next; bra NEXT;\n"
		"TWO: ld.volatile.shared.u32 %f, [flag]; setp.lt.u32 %p, %f, %next; @%p bra TWO; bar.red.popc.u32 %n, 1, 64, !%all; bra NEXT;\n"
		"THREE: ld.volatile.shared.u32 %f, [flag]; setp.lt.u32 %p, %f, %next; @%p bra THREE; bar.red.popc.u32 %n, 1, 64, !%all;\n"
		"st.volatile.shared.u32 [flag+4], %next; bar.red.popc.u32 %n, 1, 64, !%all; bra NEXT;\n"
		"FOUR: ld.volatile.shared.u32 %f, [flag+4]; setp.lt.u32 %p, %f, %next; @%p bra FOUR; bar.red.popc.u32 %n, 1, 64, !%all;\n"
		"NEXT: mov.u32 %turn, %next; setp.lt.u32 %p, %turn, 40; @%p bra TURN;\nret;\n}\n";
	uint32_t in = 0, out[TURNS];
	int bad = 0;

	for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c; c++) {
		e2e_run r = { .chip = *c, .ptx = code, .kernel = "k", .grid = { 1, 1, 1 }, .block = { 160, 1, 1 }, .in = &in, .in_size = 4,
			.out = out, .out_size = sizeof out };
		int wrong = e2e_launch("reductions without a warp", &r);

		for (int i = 0; i < TURNS && !wrong; i++)
			if (out[i] != 64) {
				printf("not ok reductions without a warp on %s: turn %d: got %u, should be 64\n", *c, i, out[i]);
				wrong = 1;
			}
		bad |= wrong;
	}
	if (!bad)
		printf("ok reductions without a warp\n");
	return bad;
}

int
main(int argc, char **argv)
{
	uint32_t n = test_length(3, 15, 40);
	int bad = 0;

	if (argc > 3)
		return run((unit)atoi(argv[1]), (kind)atoi(argv[2]), (uint32_t)atoi(argv[3]));
	for (uint32_t warps = 1; warps <= 4; warps += 1)
		bad |= producer_consumer(warps);
	bad |= left_behind();
	for (int u = BLOCK; u <= THREAD; u++)
		for (int k = 0; k < NKINDS; k++) {
			int wrong = 0;

			for (uint32_t i = 0; i < n && kinds[u == THREAD][k].name; i++)
				wrong |= run((unit)u, (kind)k, i);
			if (!wrong && kinds[u == THREAD][k].name)
				printf("ok barriers where the way depends on the %s, %s: %u programs\n", unit_name[u], kinds[u == THREAD][k].name, n);
			bad |= wrong;
		}
	return bad;
}
