/* test_special.c -- what concerns whole kernels: special registers over 3-D grids, barriers of many waves, more
 * live values than registers, code longer than a branch reaches, early exits, 4 KiB of parameters, directives.
 * Expected values are computed in C beside each kernel.
 * Manual: "Parallel Thread Execution ISA", 5.2 (parameters), 9.7.12, 9.7.13.1, 10, 11.3, 11.4. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape { uint32_t grid[3], block[3], shared; } shape;

static void
begin(text *t, const char *params, const char *directives)
{
	t->n = 0;
	text_add(t, ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out%s)\n%s\n{\n"
	         ".reg .b32 %%r<40>, %%me; .reg .b64 %%rd<20>, %%in, %%out, %%at; .reg .pred %%p<9>;\n"
	         "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%me, %%tid.x;\n", params, directives);
}

/* Runs on all chips; want and out are words of the result. */
static int
check(const char *name, text *t, const shape *s, const void *in, size_t in_size, const uint32_t *want, size_t n, const void *extra, size_t extra_size)
{
	static const uint32_t zero;
	uint32_t *out = malloc(n * 4);
	e2e_run r = { .ptx = t->s, .kernel = "k", .shared = s->shared, .in = in ? in : &zero, .in_size = in ? in_size : 4, .out = out, .out_size = n * 4,
		.extra = extra, .extra_size = extra_size };
	int bad = 0;

	if (!out)
		abort();
	memcpy(r.grid, s->grid, sizeof r.grid);
	memcpy(r.block, s->block, sizeof r.block);
	for (int c = 0; form_chips(c, &r.chip); c++) {
		int wrong = e2e_launch(name, &r);

		for (size_t i = 0; i < n && !wrong; i++)
			if (out[i] != want[i]) {
				printf("not ok %s on %s: word %zu: got %#x, should be %#x\n", name, r.chip, i, out[i], want[i]);
				wrong = 1;
			}
		bad |= wrong;
	}
	if (!bad)
		printf("ok %s\n", name);
	fflush(stdout);
	free(out);
	return bad;
}

/* ---- special registers ---- */

static const char *const sregs[] = { "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x",
	"%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%nwarpid", "%lanemask_lt", "%lanemask_ge", "%dynamic_smem_size",
	"%lanemask_eq", "%lanemask_le", "%lanemask_gt", "%clusterid.x", "%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z" };
enum { NSREG = sizeof sregs / sizeof *sregs };

static void
sreg_values(const shape *s, uint32_t thread, uint32_t *v)
{
	uint32_t threads = s->block[0] * s->block[1] * s->block[2], cta = thread / threads, t = thread % threads;

	for (int k = 0; k < 3; k++) {
		v[3 + k] = s->block[k];
		v[9 + k] = s->grid[k];
		v[k] = t % s->block[k];
		v[6 + k] = cta % s->grid[k];
		t /= s->block[k];
		cta /= s->grid[k];
	}
	t = thread % threads;
	v[12] = t % 32;
	v[13] = t / 32;
	v[14] = (threads + 31) / 32;
	v[15] = (1u << t % 32) - 1;
	v[16] = ~v[15];
	v[17] = s->shared;
	v[18] = v[15] + 1;
	v[19] = v[15] | v[18];
	v[20] = ~v[19];
	memcpy(&v[21], &v[6], 12);              /* a block is a cluster */
	memcpy(&v[24], &v[9], 12);
}

/* Only some registers are read in each kernel, so that the others' set-up may be left out. */
static int
special_registers(const shape *s, uint32_t mask, const char *directives)
{
	uint32_t threads = s->block[0] * s->block[1] * s->block[2] * s->grid[0] * s->grid[1] * s->grid[2], *want = calloc(threads, NSREG * 4);
	char name[128];
	text t = { 0 };
	int bad;

	if (!want)
		abort();
	snprintf(name, sizeof name, "special registers %#x, grid %u %u %u, block %u %u %u %s", mask, s->grid[0], s->grid[1], s->grid[2], s->block[0],
	         s->block[1], s->block[2], directives);
	begin(&t, ", .param .u32 dims0, .param .u32 dims1, .param .u32 dims2, .param .u32 g0, .param .u32 g1", directives);
	if (s->shared)                          /* static shared memory beside the dynamic */
		text_add(&t, ".shared .align 4 .b8 fixed[20];\nst.shared.u32 [fixed], %%me;\n");
	/* where: ((z * gy + y) * gx + x) * threads + the same of the thread */
	text_add(&t, "ld.param.u32 %%r1, [dims0]; ld.param.u32 %%r2, [dims1]; ld.param.u32 %%r3, [dims2]; ld.param.u32 %%r4, [g0]; ld.param.u32 %%r5, [g1];\n"
	         "mov.u32 %%r6, %%ctaid.z; mov.u32 %%r7, %%ctaid.y; mad.lo.u32 %%r6, %%r6, %%r5, %%r7; mov.u32 %%r7, %%ctaid.x; mad.lo.u32 %%r6, %%r6, %%r4, %%r7;\n"
	         "mov.u32 %%r7, %%tid.z; mad.lo.u32 %%r6, %%r6, %%r3, %%r7; mov.u32 %%r7, %%tid.y; mad.lo.u32 %%r6, %%r6, %%r2, %%r7;\n"
	         "mad.lo.u32 %%r6, %%r6, %%r1, %%me; mul.wide.u32 %%at, %%r6, %d; add.u64 %%out, %%out, %%at;\n", NSREG * 4);
	for (uint32_t k = 0; k < NSREG; k++)
		if (mask >> k & 1)
			text_add(&t, "mov.u32 %%r8, %s; st.global.u32 [%%out+%u], %%r8;\n", sregs[k], k * 4);
	text_add(&t, "ret;\n}\n");
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t v[NSREG];

		sreg_values(s, i, v);
		for (uint32_t k = 0; k < NSREG; k++)
			want[i * NSREG + k] = mask >> k & 1 ? v[k] : 0;
	}
	bad = check(name, &t, s, NULL, 0, want, (size_t)threads * NSREG, (uint32_t[]){ s->block[0], s->block[1], s->block[2], s->grid[0], s->grid[1] }, 20);
	free(want);
	free(t.s);
	return bad;
}

static int
grids(void)
{
	static const shape s[] = { { { 3, 4, 2 }, { 5, 3, 2 }, 0 }, { { 1, 1, 1 }, { 1, 1, 1 }, 64 }, { { 2, 1, 3 }, { 33, 2, 1 }, 0 },
		{ { 1, 3, 1 }, { 8, 8, 16 }, 128 }, { { 7, 1, 1 }, { 1, 1, 64 }, 0 }, { { 1, 1, 5 }, { 1, 100, 1 }, 0 } };
	int bad = 0;

	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		bad |= special_registers(&s[i], (1u << NSREG) - 1, "");
	for (uint32_t k = 0; k < NSREG; k++)
		bad |= special_registers(&s[0], 1u << k, "");
	bad |= special_registers(&s[2], 0x7fff, ".reqntid 33, 2, 1");
	bad |= special_registers(&s[2], 0x7fff, ".maxntid 128 .minnctapersm 1");
	bad |= special_registers(&s[3], 0x7fff, ".maxntid 8, 8, 16");
	bad |= special_registers(&s[0], 0x7fff, ".maxnreg 32");
	return bad;
}

/* ---- barriers: a tree of sums in shared memory, then neighbours handed around in a loop ---- */

static int
barriers(uint32_t threads, const char *barrier, int dynamic)
{
	enum { TURNS = 9 };
	shape s = { { 5, 1, 1 }, { threads, 1, 1 }, dynamic ? threads * 4 : 0 };
	uint32_t *in = malloc(5 * threads * 4), *want = calloc(5 * threads, 8), seed = 7;
	char name[96];
	text t = { 0 };
	int bad;

	if (!in || !want)
		abort();
	snprintf(name, sizeof name, "barriers: %u threads, %s, %s shared memory", threads, barrier, dynamic ? "dynamic" : "static");
	begin(&t, "", "");
	text_add(&t, dynamic ? ".extern .shared .align 4 .b8 room[];\n" : ".shared .align 4 .b8 room[%u];\n", threads * 4);
	text_add(&t, "mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r1, %%r1, %u, %%me; mul.wide.u32 %%at, %%r1, 4; add.u64 %%in, %%in, %%at; "
	         "mul.wide.u32 %%at, %%r1, 8; add.u64 %%out, %%out, %%at;\n"
	         "mov.u32 %%r2, room; shl.b32 %%r3, %%me, 2; add.u32 %%r3, %%r3, %%r2; ld.global.u32 %%r4, [%%in]; st.shared.u32 [%%r3], %%r4;\n"
	         "mov.u32 %%r5, %u;\nSUM:\n%s\nsetp.ge.u32 %%p1, %%me, %%r5; @%%p1 bra NEXT;\n"
	         "shl.b32 %%r6, %%r5, 2; add.u32 %%r6, %%r6, %%r3; ld.shared.u32 %%r7, [%%r6]; ld.shared.u32 %%r8, [%%r3]; add.u32 %%r8, %%r8, %%r7; "
	         "st.shared.u32 [%%r3], %%r8;\nNEXT:\nshr.u32 %%r5, %%r5, 1; setp.ne.u32 %%p2, %%r5, 0; @%%p2 bra SUM;\n%s\n"
	         "ld.shared.u32 %%r9, [%%r2]; st.global.u32 [%%out], %%r9;\n", threads, threads / 2, barrier, barrier);
	text_add(&t, "mov.u32 %%r10, 0;\nTURN:\n%s\nst.shared.u32 [%%r3], %%r4; %s\n"
	         "add.u32 %%r11, %%me, 1; setp.eq.u32 %%p3, %%r11, %u; selp.u32 %%r11, 0, %%r11, %%p3; shl.b32 %%r11, %%r11, 2; add.u32 %%r11, %%r11, %%r2;\n"
	         "ld.shared.u32 %%r12, [%%r11]; mad.lo.u32 %%r4, %%r12, 3, %%r10; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p4, %%r10, %d; @%%p4 bra TURN;\n"
	         "st.global.u32 [%%out+4], %%r4; ret;\n}\n", barrier, barrier, threads, TURNS);
	for (uint32_t i = 0; i < 5 * threads; i++)
		in[i] = seed = seed * 1664525 + 1013904223;
	for (uint32_t b = 0; b < 5; b++) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < threads; i++)
			sum += in[b * threads + i];
		for (uint32_t i = 0; i < threads; i++) {
			uint32_t x = in[b * threads + (i + TURNS) % threads];

			for (uint32_t k = 0; k < TURNS; k++)
				x = x * 3 + k;
			want[(b * threads + i) * 2] = sum;
			want[(b * threads + i) * 2 + 1] = x;
		}
	}
	bad = check(name, &t, &s, in, 5 * threads * 4, want, 5 * threads * 2, NULL, 0);
	free(t.s);
	free(in);
	free(want);
	return bad;
}

/* ---- more live values than registers ---- */

enum { LANES = 64 };

static uint32_t
mixed(uint32_t x, uint32_t i)
{
	return (x ^ i * 0x9e3779b9u) * 2654435761u;
}

/* n values are read, all changed in a loop of a trip count that differs between lanes, some only in a branch,
 * then all written. wide: 64-bit registers. */
static int
spills(int n, int wide, const char *load)
{
	shape s = { { 1, 1, 1 }, { LANES, 1, 1 }, 0 };
	size_t words = (size_t)n * LANES * (wide ? 2 : 1);
	uint32_t *in = malloc(words * 4), *want = malloc(words * 4);
	bool uniform = strstr(load, "nc") != NULL;
	char name[96];
	text t = { 0 };
	int bad;

	if (!in || !want)
		abort();
	snprintf(name, sizeof name, "%d live values of %d bits, %s", n, wide ? 64 : 32, uniform ? "uniform" : "per lane");
	begin(&t, "", "");
	text_add(&t, ".reg .b%d %%v<%d>;\nmul.wide.u32 %%at, %%me, %d; add.u64 %%out, %%out, %%at;\n", wide ? 64 : 32, n, n * (wide ? 8 : 4));
	if (!uniform)
		text_add(&t, "add.u64 %%in, %%in, %%at;\n");
	for (int i = 0; i < n; i++)
		text_add(&t, "%s.b%d %%v%d, [%%in+%d];\n", load, wide ? 64 : 32, i, i * (wide ? 8 : 4));
	/* the trip count: 1 + lane % 3, or 2 for all */
	text_add(&t, uniform ? "mov.u32 %%r1, 2;\n" : "rem.u32 %%r1, %%me, 3; add.u32 %%r1, %%r1, 1;\n");
	text_add(&t, "LOOP:\n");
	for (int i = 0; i < n; i++)
		text_add(&t, "add.u%d %%v%d, %%v%d, %%v%d;\n", wide ? 64 : 32, i, i, (i + n / 2) % n);
	text_add(&t, "and.b32 %%r2, %s, 1; setp.eq.u32 %%p1, %%r2, 0; @%%p1 bra SKIP;\n", uniform ? "%r1" : "%me");
	for (int i = 0; i < n; i += 3)
		text_add(&t, "xor.b%d %%v%d, %%v%d, %%v%d;\n", wide ? 64 : 32, i, i, (i + 1) % n);
	text_add(&t, "SKIP:\nsub.u32 %%r1, %%r1, 1; setp.ne.u32 %%p2, %%r1, 0; @%%p2 bra LOOP;\n");
	for (int i = 0; i < n; i++)
		text_add(&t, "st.global.b%d [%%out+%d], %%v%d;\n", wide ? 64 : 32, i * (wide ? 8 : 4), i);
	text_add(&t, "ret;\n}\n");
	for (size_t i = 0; i < words; i++)
		in[i] = mixed((uint32_t)i, 3);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint64_t *v = calloc((size_t)n, 8);
		size_t at = lane * (size_t)n * (wide ? 2 : 1), from = uniform ? 0 : at;

		if (!v)
			abort();
		for (int i = 0; i < n; i++)
			memcpy(&v[i], &in[from + (size_t)i * (wide ? 2 : 1)], wide ? 8 : 4);
		for (uint32_t trip = uniform ? 2 : 1 + lane % 3; trip; trip--) {
			for (int i = 0; i < n; i++)
				v[i] += v[(i + n / 2) % n];
			for (int i = 0; i < n && ((uniform ? trip : lane) & 1); i += 3)
				v[i] ^= v[(i + 1) % n];
		}
		for (int i = 0; i < n; i++)
			memcpy(&want[at + (size_t)i * (wide ? 2 : 1)], &v[i], wide ? 8 : 4);
		free(v);
	}
	bad = check(name, &t, &s, in, words * 4, want, words, NULL, 0);
	free(t.s);
	free(in);
	free(want);
	return bad;
}

/* ---- branches over more than 128 KiB ---- */

static uint32_t
long_work(uint32_t x, int n)
{
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		x = i & 1 ? x ^ (i * 0x01010101u + 0x12345) : x + (i * 0x00fedcb9u + 0x777777);
	return x;
}

static void
long_code(text *t, int n)
{
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		text_add(t, "%s %%r1, %%r1, %u;\n", i & 1 ? "xor.b32" : "add.u32", i & 1 ? i * 0x01010101u + 0x12345 : i * 0x00fedcb9u + 0x777777);
}

/* The code is skipped by some lanes and repeated by others: branches forward and back over it, divergent and uniform. */
static int
long_branches(int n)
{
	shape s = { { 2, 1, 1 }, { LANES, 1, 1 }, 0 };
	uint32_t want[2 * LANES];
	text t = { 0 };
	int bad;

	begin(&t, "", "");
	text_add(&t, "mov.u32 %%r9, %%ctaid.x; mad.lo.u32 %%r8, %%r9, %d, %%me; mul.wide.u32 %%at, %%r8, 4; add.u64 %%out, %%out, %%at;\n"
	         "mov.u32 %%r1, %%r8; and.b32 %%r2, %%me, 3; mov.u32 %%r3, 2;\nAGAIN:\nsetp.eq.u32 %%p1, %%r2, 0; @%%p1 bra PAST;\n", LANES);
	long_code(&t, n);
	text_add(&t, "sub.u32 %%r2, %%r2, 1;\nbra AGAIN;\nPAST:\nsetp.eq.u32 %%p2, %%r9, 0; @%%p2 bra END;\n");   /* the first block only */
	long_code(&t, n);
	text_add(&t, "sub.u32 %%r3, %%r3, 1; setp.ne.u32 %%p3, %%r3, 0; @%%p3 bra PAST;\nEND:\nst.global.u32 [%%out], %%r1; ret;\n}\n");
	for (uint32_t i = 0; i < 2 * LANES; i++) {
		uint32_t x = i;

		for (uint32_t k = 0; k < i % LANES % 4; k++)
			x = long_work(x, n);
		for (uint32_t k = 0; k < (i < LANES ? 0u : 2u); k++)
			x = long_work(x, n);
		want[i] = x;
	}
	bad = check("branches over more than 128 KiB", &t, &s, NULL, 0, want, 2 * LANES, NULL, 0);
	free(t.s);
	return bad;
}

/* ---- exits ---- */

/* Lanes leave in a loop's turns by ret and exit, guarded and not, what they wrote before stays. */
static int
exits(void)
{
	shape s = { { 1, 1, 1 }, { 100, 1, 1 }, 0 };
	uint32_t want[200];
	text t = { 0 };
	int bad;

	begin(&t, "", "");
	text_add(&t, "mul.wide.u32 %%at, %%me, 8; add.u64 %%out, %%out, %%at; mov.u32 %%r1, 0; setp.eq.u32 %%p0, %%me, 77; @%%p0 exit;\n"
	         "LOOP:\nst.global.u32 [%%out], %%r1; rem.u32 %%r2, %%me, 7; setp.eq.u32 %%p1, %%r2, %%r1; @%%p1 ret;\n"
	         "setp.gt.u32 %%p2, %%r1, 4; @!%%p2 bra ON;\nadd.u32 %%r3, %%r1, 100; st.global.u32 [%%out+4], %%r3; exit;\nON:\n"
	         "add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p3, %%r1, 1000; @%%p3 bra.uni LOOP;\nst.global.u32 [%%out+4], 5; ret;\n}\n");
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t end = i % 7 < 5 ? i % 7 : 5;

		want[2 * i] = i == 77 ? 0 : end;
		want[2 * i + 1] = i == 77 || end == i % 7 ? 0 : end + 100;
	}
	bad = check("early exits", &t, &s, NULL, 0, want, 200, NULL, 0);
	free(t.s);
	return bad;
}

static int
indirect(void)
{
	shape s = { { 1, 1, 1 }, { LANES, 1, 1 }, 0 };
	uint32_t want[LANES];
	text t = { 0 };
	int bad;

	begin(&t, "", "");
	text_add(&t, "mul.wide.u32 %%at, %%me, 4; add.u64 %%out, %%out, %%at; and.b32 %%r1, %%me, 3; mov.u32 %%r2, 1;\n"
	         "ts: .branchtargets A, B, C, B;\nbrx.idx %%r1, ts;\nA: mul.lo.u32 %%r2, %%r2, 3;\nB: add.u32 %%r2, %%r2, 5;\n"
	         "C: add.u32 %%r2, %%r2, 100;\nst.global.u32 [%%out], %%r2; ret;\n}\n");
	for (uint32_t i = 0; i < LANES; i++)
		want[i] = (i & 3) == 0 ? 108 : (i & 3) == 2 ? 101 : 106;
	bad = check("brx.idx", &t, &s, NULL, 0, want, LANES, NULL, 0);
	free(t.s);
	return bad;
}

/* ---- time, and what is the same everywhere ---- */

/* Each of the counters grows; its parts fit; a lane that reads it in a loop after others have left sees a later value. How many
 * of these comparisons hold is counted. */
static int
clocks(void)
{
	static const char *const fixed[][2] = { { "%smid", "0" }, { "%nsmid", "1" }, { "%cluster_ctaid.x", "0" }, { "%cluster_ctaid.y", "0" },
		{ "%cluster_ctaid.z", "0" }, { "%cluster_nctaid.x", "1" }, { "%cluster_nctaid.y", "1" }, { "%cluster_nctaid.z", "1" }, { "%cluster_nctarank", "1" },
		{ "%cluster_ctarank", "0" }, { "%tid.w", "0" }, { "%ctaid.w", "0" }, { "%ntid.w", "0" }, { "%nctaid.w", "0" },
		{ "%clusterid.w", "0" }, { "%cluster_nctaid.w", "0" }, { "%dynamic_smem_size", "0" } };
	static const char *const whole[] = { "tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid" };
	enum { NWHOLE = sizeof whole / sizeof *whole, NBITS = 11 + 4 + 30 + 4 * NWHOLE + sizeof fixed / sizeof *fixed };
	shape s = { { 2, 1, 1 }, { LANES, 1, 1 }, 0 };
	uint32_t want[LANES];
	text t = { 0 };
	int bad;

	begin(&t, "", "");
	text_add(&t, ".shared .align 4 .b8 room[20];\n"
	         "mul.wide.u32 %%at, %%me, 4; add.u64 %%out, %%out, %%at; mov.u32 %%r9, 0; and.b32 %%r1, %%me, 7; mov.u64 %%rd1, %%clock64; mov.u64 %%rd2, %%globaltimer;\n"
	         "mov.u32 %%r2, %%clock_hi; mov.u32 %%r3, %%globaltimer_hi; mov.u64 %%rd6, %%gridid; mov.u64 %%rd9, %%current_graph_exec; mov.u32 %%r4, %%clock; mov.u32 %%r5, %%globaltimer_lo;\n"
	         "LOOP:\nmov.u64 %%rd3, %%clock64; mov.u64 %%rd4, %%globaltimer; nanosleep.u32 %%r1; sub.u32 %%r1, %%r1, 1; setp.gt.s32 %%p1, %%r1, 0; @%%p1 bra LOOP;\n"
	         "mov.u64 %%rd5, %%clock64;\n");
#define BIT(compare) "setp." compare "; selp.u32 %%r8, 1, 0, %%p2; add.u32 %%r9, %%r9, %%r8;\n"
	text_add(&t, BIT("ge.u64 %%p2, %%rd3, %%rd1") BIT("ge.u64 %%p2, %%rd4, %%rd2") BIT("ge.u64 %%p2, %%rd5, %%rd3"));
	text_add(&t, "cvt.u64.u32 %%rd7, %%r2; shr.u64 %%rd8, %%rd1, 32;\n" BIT("ge.u64 %%p2, %%rd7, %%rd8") "cvt.u64.u32 %%rd7, %%r3; shr.u64 %%rd8, %%rd2, 32;\n"
	         BIT("ge.u64 %%p2, %%rd7, %%rd8") BIT("eq.u64 %%p2, %%rd6, 0") BIT("eq.u64 %%p2, %%rd9, 0"));
	/* The low halves, less those read before: small, whatever passed between. */
	text_add(&t, "cvt.u32.u64 %%r6, %%rd1; sub.u32 %%r4, %%r4, %%r6;\n" BIT("lt.u32 %%p2, %%r4, 0x40000000") "cvt.u32.u64 %%r6, %%rd2; sub.u32 %%r5, %%r5, %%r6;\n"
	         BIT("lt.u32 %%p2, %%r5, 0x40000000"));
	/* At least the variable's size, at most that and what the hardware rounds it up to. */
	text_add(&t, "mov.u32 %%r6, %%total_smem_size; sub.u32 %%r6, %%r6, 20;\n" BIT("lt.u32 %%p2, %%r6, 1024")
	         "mov.u32 %%r6, %%aggr_smem_size; sub.u32 %%r6, %%r6, 20; st.shared.u32 [room+16], %%r6; ld.shared.u32 %%r6, [room+16];\n" BIT("lt.u32 %%p2, %%r6, 1024"));
	/* Of the reserved shared memory: its size is that from begin to end, both offsets are inside, no variable is. */
	text_add(&t, "mov.u32 %%r10, %%reserved_smem_offset_begin; mov.u32 %%r11, %%reserved_smem_offset_end; sub.u32 %%r11, %%r11, %%r10;\n"
	         "mov.u32 %%r12, %%reserved_smem_offset_cap;\n" BIT("eq.u32 %%p2, %%r11, %%r12"));
	for (int k = 0; k < 2; k++)
		text_add(&t, "mov.u32 %%r12, %%reserved_smem_offset_%d; sub.u32 %%r12, %%r12, %%r10;\n" BIT("lt.u32 %%p2, %%r12, %%r11"), k);
	text_add(&t, "mov.u32 %%r12, room; sub.u32 %%r12, %%r12, %%r10;\n" BIT("ge.u32 %%p2, %%r12, %%r11"));
	for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
		text_add(&t, "mov.u32 %%r7, %s;\n" BIT("eq.u32 %%p2, %%r7, %s"), fixed[k][0], fixed[k][1]);
	for (size_t k = 0; k < 4 * NWHOLE; k++)
		text_add(&t, "mov.v4.u32 {%%r20, %%r21, %%r22, %%r23}, %%%s; mov.u32 %%r7, %%%s.%c;\n" BIT("eq.u32 %%p2, %%r7, %%r2%zu"), whole[k / 4], whole[k / 4],
		         "xyzw"[k % 4], k % 4);
	for (int k = 0; k < 32; k++)    /* 1 and 2 are an address: test_groups */
		if (k != 1 && k != 2)
			text_add(&t, "mov.b32 %%r7, %%envreg%d;\n" BIT("eq.u32 %%p2, %%r7, 0"), k);
	text_add(&t, "st.global.u32 [%%out], %%r9; ret;\n}\n");
	for (uint32_t i = 0; i < LANES; i++)
		want[i] = NBITS;
	bad = check("clocks and constants", &t, &s, NULL, 0, want, LANES, NULL, 0);
	free(t.s);
	return bad;
}

/* A function's own register, parameter or label is meant where it has a special register's name. */
static int
hidden(void)
{
	static const char names[] = ".reg .b32 %laneid, %clock<65>;\nmov.u32 %laneid, 1000; mov.u32 %clock64, 20000;\n"
		"mad.lo.u32 %r1, %me, 5, %laneid; add.u32 %r1, %r1, %clock64; ld.param.u32 %r2, [%warpid]; add.u32 %r1, %r1, %r2;\n"
		"{ .reg .v4 .b32 %tid; mov.v4.u32 %tid, {%r1, 1, 2, 3}; mov.u32 %r1, %tid.x; }\n"
		"{ .shared .b32 %laneid; mov.u32 %r3, %laneid; add.u32 %r1, %r1, %r3; }\nmov.u32 %r3, %tid.x; add.u32 %r1, %r1, %r3; bra %smid; add.u32 %r1, %r1, 77; %smid:\n"
		"mul.wide.u32 %at, %me, 4; add.u64 %out, %out, %at; st.global.u32 [%out], %r1; ret;\n}\n";
	shape s = { { 1, 1, 1 }, { LANES, 1, 1 }, 0 };
	uint32_t param = 300000, want[LANES];
	text t = { 0 };
	int bad;

	begin(&t, ", .param .u32 %warpid", "");
	text_add(&t, "%s", names);
	for (uint32_t i = 0; i < LANES; i++)
		want[i] = i * 5 + 1000 + 20000 + 300000 + i;
	bad = check("names of special registers", &t, &s, NULL, 0, want, LANES, &param, sizeof param);
	free(t.s);
	return bad;
}

/* ---- parameters ---- */

static int
many_parameters(void)
{
	enum { N = (4096 - 16) / 4 };
	shape s = { { 1, 1, 1 }, { LANES, 1, 1 }, 0 };
	uint32_t p[N], want[LANES], sum = 0;
	text t = { 0 }, params = { 0 };
	int bad;

	for (uint32_t i = 0; i < N; i++) {
		text_add(&params, ", .param .u32 p%u", i);
		p[i] = mixed(i, 1);
		sum = sum * 3 + p[i];
	}
	begin(&t, params.s, "");
	text_add(&t, "mul.wide.u32 %%at, %%me, 4; add.u64 %%out, %%out, %%at; mov.u32 %%r1, 0;\n");
	for (uint32_t i = 0; i < N; i++)
		text_add(&t, "ld.param.u32 %%r2, [p%u]; mad.lo.u32 %%r1, %%r1, 3, %%r2;\n", i);
	text_add(&t, "add.u32 %%r1, %%r1, %%me; st.global.u32 [%%out], %%r1; ret;\n}\n");
	for (uint32_t i = 0; i < LANES; i++)
		want[i] = sum + i;
	bad = check("4 KiB of parameters", &t, &s, NULL, 0, want, LANES, p, sizeof p);
	free(t.s);
	free(params.s);
	return bad;
}

int
main(void)
{
	int bad = 0;

	bad |= grids();
	bad |= barriers(1024, "bar.sync 0;", 0);
	bad |= barriers(1024, "barrier.sync.aligned 3;", 1);
	bad |= barriers(128, "barrier.sync 0;", 0);
	bad |= barriers(32, "bar.cta.sync 1;", 1);
	bad |= barriers(256, "membar.cta; bar.sync 15; fence.acq_rel.gpu;", 0);
	bad |= spills(e2e_quick() ? 500 : 1100, 0, "ld.global");
	bad |= spills(e2e_quick() ? 260 : 550, 1, "ld.global");
	bad |= spills(e2e_quick() ? 200 : 400, 0, "ld.global.nc");
	bad |= spills(e2e_quick() ? 100 : 250, 1, "ld.global.nc");
	bad |= long_branches(e2e_quick() ? 17500 : 20000);
	bad |= exits();
	bad |= indirect();
	bad |= clocks();
	bad |= hidden();
	bad |= many_parameters();
	return bad;
}
