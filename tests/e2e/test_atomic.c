/* test_atomic.c -- atom and red: every operation (atomic.def) in every space, with lanes of two blocks colliding.
 * What lanes get back must be explained by some order of their operations: as each turns one value of the memory
 * into another, an order exists if and only if the operations, as edges between values, make one path from the value before
 * to the value after that takes every edge once (Euler). red: operands for which every order gives the same.
 * The new values are computed here from the manual; the last block, by a counter, copies the results.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.5, 9.7.13.6. */
#include "forms.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, THREADS = 96, LANES = BLOCKS * THREADS, CELLS = 4 };
static const uint64_t MARK = 0x0123456789abcdef, AROUND = 0xa5c3e7f10b2d4f68;
typedef enum meaning { FN_ADD, FN_AND, FN_OR, FN_XOR, FN_SWAP, FN_CAS, FN_INC, FN_DEC, FN_UMIN, FN_SMIN, FN_UMAX, FN_SMAX, FN_FADD, FN_BF16,
	FN_F16X2, FN_BF16X2 } meaning;
typedef enum values { INT, SMALL, SWAP, F16, BF16, F16X2, BF16X2, F32, F64 } values;

static const struct op { const char *text; int bits; meaning fn; values values; uint64_t init; int at, red; } ops[] = {
#define ATOMIC(text, bits, fn, values, init, at, red) { text, bits, fn, values, init, at, red },
#include "atomic.def"
};
enum { NOPS = sizeof ops / sizeof *ops };

typedef struct variant { const char *chip, *space, *order; int shared, generic, red, cells; unsigned opt; } variant;
typedef struct input { uint64_t v[NOPS][LANES][2]; } input;
typedef struct output { uint64_t old[NOPS][LANES], cell[BLOCKS][NOPS][CELLS]; } output;

/* ---- the definition ---- */

static uint64_t
cut(uint64_t x, int bits)
{
	return bits == 64 ? x : x & ((1ull << bits) - 1);
}

static int64_t
sign(uint64_t x, int bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static long double
bf16_value(uint64_t x)
{
	return fp_value(x << 16, 32);
}

/* To nearest even; no overflows here. */
static uint64_t
bf16_rounded(long double x)
{
	int e = 0;
	long double q, r;
	uint64_t b;

	if (x == 0)
		return signbit(x) ? 0x8000 : 0;
	frexpl(x, &e);
	q = ldexpl(1, e - 8 < -133 ? -133 : e - 8);
	r = fp_integral(x / q, FP_RN) * q;
	b = fp_rounded(r, 32, FP_RN);
	return b >> 16;
}

static uint64_t
half_add(uint64_t a, uint64_t b)
{
	return fp_rounded(fp_value(a, 16) + fp_value(b, 16), 16, FP_RN);
}

static uint64_t
bf16_add(uint64_t a, uint64_t b)
{
	return bf16_rounded(bf16_value(a) + bf16_value(b));
}

static uint64_t
new_value(const struct op *o, uint64_t old, const uint64_t v[2])
{
	uint64_t b = cut(v[0], o->bits), c = cut(v[1], o->bits);
	int64_t so = sign(old, o->bits), sb = sign(b, o->bits);

	switch (o->fn) {
	case FN_ADD: return cut(old + b, o->bits);
	case FN_AND: return old & b;
	case FN_OR: return old | b;
	case FN_XOR: return old ^ b;
	case FN_SWAP: return b;
	case FN_CAS: return old == b ? c : old;
	case FN_INC: return old >= b ? 0 : old + 1;
	case FN_DEC: return old == 0 || old > b ? b : old - 1;
	case FN_UMIN: return old < b ? old : b;
	case FN_UMAX: return old > b ? old : b;
	case FN_SMIN: return so < sb ? old : b;
	case FN_SMAX: return so > sb ? old : b;
	case FN_FADD: return o->bits == 16 ? half_add(old, b) : fp_arith(FP_ADD, o->bits, FP_RN, old, b, 0);
	case FN_BF16: return bf16_add(old, b);
	case FN_F16X2: return half_add(old & 0xffff, b & 0xffff) | half_add(old >> 16, b >> 16) << 16;
	default: return bf16_add(old & 0xffff, b & 0xffff) | bf16_add(old >> 16, b >> 16) << 16;
	}
}

/* ---- operands ---- */

/* Multiples of a quarter, small enough that every sum is exact in every order; or with all bits. */
static uint64_t
number(int bits, int exact, uint64_t *seed)
{
	long double x = (long double)(int)(form_random(seed) % 33 - 16) / (bits == 16 ? 8 : 4);

	if (!exact)
		x = x * (long double)(form_random(seed) % 1000) / 700 + 0.015625L;
	return bits == 17 ? bf16_rounded(x) : fp_rounded(x, bits, FP_RN);
}

/* With sums in any order, a bf16 of 8 bits holds whole numbers up to 256 only: most add 0. */
static uint64_t
bf16_number(int exact, uint64_t *seed)
{
	if (exact)
		return form_random(seed) % 4 ? 0 : bf16_rounded((long double)(form_random(seed) % 3));
	return number(17, 0, seed);
}

static uint64_t
f16_number(int exact, uint64_t init, uint64_t *seed)
{
	if (init == 1)                                  /* subnormals */
		return form_random(seed) % 5;
	return number(16, exact, seed);
}

static uint64_t
bf16_of(int exact, uint64_t init, uint64_t *seed)
{
	return init == 1 ? form_random(seed) % (exact ? 2 : 3) : bf16_number(exact, seed);
}

static void
operands(const struct op *o, int exact, uint64_t v[2], uint64_t *seed)
{
	uint64_t turn = form_random(seed) % 3 + 1;

	v[1] = form_random(seed);
	switch (o->values) {
	case INT: v[0] = exact && (o->fn == FN_INC || o->fn == FN_DEC) ? 0xfffffffe : form_random(seed); break;
	case SMALL: v[0] = exact ? 6 : form_random(seed) % 10; break;
	case SWAP: v[0] = turn; v[1] = turn % 3 + 1; break;
	case F16: v[0] = f16_number(exact, o->init, seed); break;
	case BF16: v[0] = bf16_of(exact, o->init, seed); break;
	case F16X2: v[0] = f16_number(exact, 1, seed) | f16_number(exact, 0, seed) << 16; break;
	case BF16X2: v[0] = bf16_of(exact, 1, seed) | bf16_of(exact, 0, seed) << 16; break;
	default: v[0] = number(o->bits, exact, seed);
	}
	if (o->bits < 64 && o->values == INT)           /* what stands above must not matter */
		v[0] |= form_random(seed) << 32;
}

/* ---- code ---- */

static const char *
class_of(int bits)
{
	return bits == 16 ? "h" : bits == 32 ? "r" : "d";
}

static uint64_t
cell_init(const struct op *o)
{
	uint64_t m = cut(~0ull, o->bits) << 8 * o->at;

	return (AROUND & ~m) | o->init << 8 * o->at;
}

static void
declarations(text *t, const variant *v)
{
	t->n = 0;
	text_add(t, ".version 8.6\n.target sm_90\n.address_size 64\n.global .u32 done = 0;\n.global .align 8 .u64 cells[%d] = {", NOPS * CELLS);
	for (int i = 0; i < NOPS * CELLS; i++)
		text_add(t, "%s%#llx", i ? ", " : "", (unsigned long long)cell_init(&ops[i / CELLS]));
	text_add(t, "};\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b16 %%h<4>; .reg .b32 %%r<4>, %%me, %%lane, %%i, %%last; .reg .b64 %%d<4>, %%in, %%out, %%at, %%cell, %%base, %%to;\n"
	         ".reg .pred %%guard, %%p; .shared .align 8 .u64 room[%d]; .shared .u32 flag;\n"
	         "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%me, %%tid.x; mov.u32 %%r0, %%ctaid.x; mad.lo.u32 %%lane, %%r0, %d, %%me;\n"
	         "mul.wide.u32 %%at, %%lane, 16; add.u64 %%in, %%in, %%at; mul.wide.u32 %%at, %%lane, 8; add.u64 %%to, %%out, %%at;\n"
	         "rem.u32 %%r0, %%lane, 7; setp.ne.u32 %%guard, %%r0, 3;\n", NOPS * CELLS, THREADS);
	if (v->shared)                                  /* the block's cells, filled in a loop */
		text_add(t, "mov.u32 %%i, %%me;\nfill: setp.ge.u32 %%p, %%i, %d; @%%p bra filled;\n"
		         "mul.wide.u32 %%at, %%i, 8; mov.u64 %%base, cells; add.u64 %%base, %%base, %%at; ld.global.u64 %%d0, [%%base];\n"
		         "mov.u64 %%base, room; add.u64 %%base, %%base, %%at; st.shared.u64 [%%base], %%d0; add.u32 %%i, %%i, %d; bra fill;\n"
		         "filled: bar.sync 0;\n", NOPS * CELLS, THREADS);
	text_add(t, "mov.u64 %%base, %s;\n", v->shared ? "room" : "cells");
	if (v->generic)
		text_add(t, "cvta.%s.u64 %%cell, %%base;\n", v->shared ? "shared" : "global");
	else
		text_add(t, "mov.u64 %%cell, %%base;\n");
	if (v->cells > 1)
		text_add(t, "and.b32 %%r0, %%lane, %d; mul.wide.u32 %%at, %%r0, 8; add.u64 %%cell, %%cell, %%at;\n", v->cells - 1);
}

static void
operation(text *t, const variant *v, int i)
{
	const struct op *o = &ops[i];
	const char *c = class_of(o->bits);

	text_add(t, "ld.global.b%d %%%s1, [%%in+%d]; ld.global.b%d %%%s2, [%%in+%d]; mov.b%d %%%s3, %#llx;\n", o->bits, c, i * LANES * 16, o->bits, c,
	         i * LANES * 16 + 8, o->bits, c, (unsigned long long)cut(MARK, o->bits));
	if (v->red)
		text_add(t, "@%%guard red%s%s.%s [%%cell+%d], %%%s1;\n", v->order, v->space, o->text, i * CELLS * 8 + o->at, c);
	else
		text_add(t, "@%%guard atom%s%s.%s %%%s3, [%%cell+%d], %%%s1%s%s;\n", v->order, v->space, o->text, c, i * CELLS * 8 + o->at, c,
		         o->fn == FN_CAS ? ", %" : "", o->fn == FN_CAS ? (o->bits == 16 ? "h2" : o->bits == 32 ? "r2" : "d2") : "");
	text_add(t, "st.global.b%d [%%to+%d], %%%s3;\n", o->bits, i * LANES * 8, c);
}

/* Who counts last, or each block for its own, copies the cells. */
static void
epilogue(text *t, const variant *v)
{
	text_add(t, "add.u64 %%out, %%out, %d;\n", (int)sizeof ((output *)0)->old);
	if (v->shared)
		text_add(t, "bar.sync 0; mov.u32 %%r0, %%ctaid.x; mul.wide.u32 %%at, %%r0, %d; add.u64 %%out, %%out, %%at;\n", NOPS * CELLS * 8);
	else
		text_add(t, "bar.sync 0; setp.ne.u32 %%p, %%me, 0; @%%p bra counted;\n"
		         "fence.acq_rel.gpu; atom.acq_rel.gpu.global.inc.u32 %%last, [done], 1000; fence.acq_rel.gpu; st.shared.u32 [flag], %%last;\n"
		         "counted: bar.sync 0; ld.shared.u32 %%last, [flag]; setp.ne.u32 %%p, %%last, %d; @%%p bra end;\n", BLOCKS - 1);
	text_add(t, "mov.u32 %%i, %%me;\nagain: setp.ge.u32 %%p, %%i, %d; @%%p bra end; mul.wide.u32 %%at, %%i, 8; add.u64 %%to, %%base, %%at;\n"
	         "ld.%s.u64 %%d0, [%%to]; add.u64 %%to, %%out, %%at; st.global.u64 [%%to], %%d0; add.u32 %%i, %%i, %d; bra again;\nend: ret;\n}\n", NOPS * CELLS,
	         v->shared ? "shared" : "global", THREADS);
}

/* ---- verdict ---- */

typedef struct graph { uint64_t value[2 * LANES + 2]; int root[2 * LANES + 2], balance[2 * LANES + 2], n; } graph;

static int
node(graph *g, uint64_t x)
{
	int i = 0;

	while (i < g->n && g->value[i] != x)
		i++;
	if (i == g->n) {
		g->value[i] = x;
		g->root[i] = i;
		g->balance[i] = 0;
		g->n++;
	}
	return i;
}

static int
root(const graph *g, int i)
{
	while (g->root[i] != i)
		i = g->root[i];
	return i;
}

static int
is_path(graph *g, uint64_t before, uint64_t after)
{
	int a = node(g, before), z = node(g, after);

	g->balance[a]--;
	g->balance[z]++;
	for (int i = 0; i < g->n; i++)
		if (g->balance[i] || root(g, i) != root(g, a))
			return 0;
	return 1;
}

static void
edge(graph *g, uint64_t from, uint64_t to)
{
	int a = node(g, from), b = node(g, to);

	g->balance[a]++;
	g->balance[b]--;
	g->root[root(g, a)] = root(g, b);
}

static int
takes_part(int lane)
{
	return lane % 7 != 3;
}

/* One cell: all lanes of the blocks that share it. */
static int
check_cell(const variant *v, const input *in, const output *out, int op, int block, int cell)
{
	const struct op *o = &ops[op];
	graph g = { .n = 0 };
	uint64_t all = out->cell[block][op][cell], after = cut(all >> 8 * o->at, o->bits), sum = o->init;
	int first = v->shared ? block * THREADS : 0, end = v->shared ? first + THREADS : LANES;

	if ((all ^ cell_init(o)) & ~(cut(~0ull, o->bits) << 8 * o->at))
		return 0;
	for (int k = first; k < end; k++) {
		if (k % v->cells != cell || !takes_part(k))
			continue;
		sum = new_value(o, sum, in->v[op][k]);
		if (!v->red)
			edge(&g, cut(out->old[op][k], o->bits), new_value(o, cut(out->old[op][k], o->bits), in->v[op][k]));
	}
	return v->red ? sum == after : is_path(&g, o->init, after);
}

static int
check(const char *name, const variant *v, const input *in, const output *out)
{
	for (int i = 0; i < NOPS; i++) {
		if (v->red && !ops[i].red)
			continue;
		for (int k = 0; k < LANES; k++)
			if ((v->red || !takes_part(k)) && cut(out->old[i][k], ops[i].bits) != cut(MARK, ops[i].bits))
				return printf("not ok %s on %s: %s: lane %d lost its register\n", name, v->chip, ops[i].text, k), 1;
		for (int b = 0; b < (v->shared ? BLOCKS : 1); b++)
			for (int c = 0; c < v->cells; c++)
				if (!check_cell(v, in, out, i, b, c))
					return printf("not ok %s on %s: %s (row %d), block %d cell %d: %#llx is no result\n", name, v->chip, ops[i].text,
					              i, b, c, (unsigned long long)out->cell[b][i][c]), 1;
	}
	return 0;
}

static int
run(const variant *v, const input *in, output *out)
{
	char name[96];
	text t = { 0 };
	e2e_run r = { .chip = v->chip, .kernel = "k", .opt = v->opt, .grid = { BLOCKS, 1, 1 }, .block = { THREADS, 1, 1 }, .in = in, .in_size = sizeof *in, .out = out,
		.out_size = sizeof *out };
	int bad;

	snprintf(name, sizeof name, "%s%s%s on %s, %d cells%s", v->red ? "red" : "atom", v->order, v->space, v->shared ? "shared" : "global", v->cells,
	         v->opt == P2A_O0 ? ", -O0" : v->opt ? ", -O1" : "");
	declarations(&t, v);
	for (int i = 0; i < NOPS; i++)
		if (!v->red || ops[i].red)
			operation(&t, v, i);
	epilogue(&t, v);
	r.ptx = t.s;
	bad = e2e_launch(name, &r) || check(name, v, in, out);
	free(t.s);
	return bad;
}

/* ---- subnormals of f32: kept in shared memory, lost in global memory except on gfx12 ---- */

static int
subnormals(const char *chip)
{
	static const char code[] = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %r<4>; .reg .f32 %f<6>; .reg .b64 %in, %out; .shared .u32 s;\n"
		"ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.global.f32 %f0, [%in]; ld.global.f32 %f1, [%in+4];\n"
		"mul.ftz.f32 %f2, %f0, %f1; st.global.f32 [%out+16], %f2; mov.f32 %f4, 0f3f800000; add.rz.f32 %f5, %f4, %f1; st.global.f32 [%out+16], %f5; st.shared.f32 [s], %f4;\n"
		"mov.f32 %f5, 0f33c00000; red.shared.add.f32 [s], %f5; ld.shared.f32 %f4, [s]; st.global.f32 [%out+20], %f4;\n"
		"st.shared.f32 [s], %f0; atom.shared.add.f32 %f2, [s], %f1; ld.shared.f32 %f3, [s]; st.global.f32 [%out], %f3; st.global.f32 [%out+4], %f2;\n"
		"st.global.f32 [%out+8], %f0; atom.global.add.f32 %f2, [%out+8], %f1; st.global.f32 [%out+12], %f2;\nret;\n}\n";
	uint32_t in[2] = { 0x00400001, 0x00200000 }, out[6];
	e2e_run r = { .chip = chip, .ptx = code, .kernel = "k", .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .in = in, .in_size = 8, .out = out, .out_size = 24 };
	uint32_t kept = !strncmp(chip, "gfx12", 5) ? 0x00600001 : 0;

	if (e2e_launch("subnormals", &r))
		return 1;
	if (out[5] != 0x3f800001)                       /* 1 + 1.5 ulp / 2, whatever rounds the instructions around it */
		return printf("not ok rounding of atom.add.f32 on %s: %#x\n", chip, out[5]), 1;
	if (out[0] != 0x00600001 || out[1] != in[0] || out[2] != kept || out[3] != in[0])
		return printf("not ok subnormals on %s: %#x %#x %#x %#x\n", chip, out[0], out[1], out[2], out[3]), 1;
	return 0;
}

/* ---- all of it ---- */

static const char *const chips[] = { "gfx90a", "gfx1100", "gfx1200", "gfx1030", "gfx900", "gfx908", "gfx942", "gfx1010" };
static const struct { const char *space; int shared, generic; } spaces[] = {
	{ ".global", 0, 0 }, { ".shared", 1, 0 }, { "", 0, 1 }, { "", 1, 1 }, { ".shared::cta", 1, 0 }, { ".shared::cluster", 1, 0 },
};
static const char *const orders[2][8] = {
	{ "", ".acq_rel.gpu", ".relaxed.sys", ".acquire.cta", ".release.gpu", ".acq_rel.sys", ".relaxed.cluster", ".sys" },
	{ "", ".release.gpu", ".relaxed.sys", ".relaxed.cta", ".release.sys", ".relaxed.gpu", ".release.cluster", ".sys" },
};

int
main(void)
{
	static input in[2];
	static output out;
	uint64_t seed = 1;
	int bad = 0, n = 0;

	for (int exact = 0; exact < 2; exact++)
		for (int i = 0; i < NOPS; i++)
			for (int k = 0; k < LANES; k++)
				operands(&ops[i], exact, in[exact].v[i][k], &seed);
	const char *const *on = e2e_on(chips, e2e_quick() ? 3 : sizeof chips / sizeof *chips);
	for (int c = 0; on[c]; c++) {
		int wrong = subnormals(on[c]);

		for (int s = 0; s < (int)(sizeof spaces / sizeof *spaces); s++)
			for (int o = e2e_hip() ? 0 : c % 2; o < 8; o += e2e_quick() ? 3 : 1)
				for (int red = 0; red < 2; red++) {
					variant v = { on[c], spaces[s].space, orders[red][o], spaces[s].shared, spaces[s].generic, red,
						(o + s) % 2 ? 1 : CELLS, (o + s + red) % 5 == 4 ? P2A_O0 : (o + s) % 5 == 3 ? 1u : 0u };

					wrong |= run(&v, &in[red], &out);
					n++;
				}
		bad |= wrong;
		if (!wrong)
			printf("ok atomics on %s\n", on[c]);
		fflush(stdout);
	}
	printf("%s\n", bad ? "not ok atomics" : "ok atomics");
	return bad;
}
