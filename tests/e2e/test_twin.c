/* test_twin.c -- f32 operations in pairs of registers (v_pk_*_f32 of gfx90a and gfx942): random straight programs of pairs of operations,
 * with signs, roundings, .ftz and .sat, whose results are stored side by side, against the host's IEEE 754 arithmetic;
 * and small ones whose float instructions, in order, are what the manual's forms allow. */
#include "e2e.h"
#include "fpref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, REGS = 12, UNIFORM = 4, STEPS = 24 };
typedef struct lane { uint32_t r[REGS]; } lane;

/* r[dst] = op(sign src ..); sources from REGS on are the parameters. */
typedef struct step { fp_op op; fp_round rnd; bool ftz, sat; unsigned dst, src[3], neg; } step;
static const char *const names[] = { [FP_ADD] = "add", [FP_SUB] = "sub", [FP_MUL] = "mul", [FP_FMA] = "fma" };

static uint32_t
random32(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*s >> 33);
}

/* Two that could be one, mostly: the same operation on neighbours, or on one of them twice, or crossed. */
static void
random_pair(uint64_t *s, step p[2])
{
	unsigned to = random32(s) % (REGS / 2) * 2;

	p[0] = (step){ .op = random32(s) % 8 ? random32(s) % 4 : FP_FMA, .rnd = random32(s) % 6 ? FP_RN : random32(s) % 4, .ftz = random32(s) % 6 == 0,
		.sat = random32(s) % 8 == 0, .dst = to };
	p[1] = p[0];
	p[1].dst = to + 1;
	for (unsigned k = 0; k < 3; k++) {
		unsigned from = random32(s) % ((REGS + UNIFORM) / 2) * 2, how = random32(s) % 4;

		p[0].src[k] = from + (how & 1);
		p[1].src[k] = from + (how >> 1);
		if (random32(s) % 8 == 0)
			p[1].src[k] = random32(s) % REGS;
	}
	p[0].neg = random32(s) % 8;
	p[1].neg = random32(s) % 8;
	if (random32(s) % 8 == 0 && p[0].op < FP_MUL)
		p[1].op = p[0].op == FP_ADD ? FP_SUB : FP_ADD;
	if (random32(s) % 16 == 0)
		p[1].ftz = !p[1].ftz;
}

static void
do_step(lane *l, const uint32_t *uniform, const step *p)
{
	uint64_t x[3], r;

	for (unsigned k = 0; k < 3; k++) {
		x[k] = p->src[k] < REGS ? l->r[p->src[k]] : uniform[p->src[k] - REGS];
		x[k] = p->ftz ? fp_flush(x[k], 32) : x[k];
		x[k] ^= (uint64_t)(p->neg >> k & 1) << 31;
	}
	r = fp_arith(p->op, 32, p->rnd, x[0], x[1], x[2]);
	r = p->ftz ? fp_flush(r, 32) : r;
	r = p->sat ? fp_clamp(r, 32) : r;
	l->r[p->dst] = (uint32_t)r;
}

static void
write_step(text *t, const step *p)
{
	for (unsigned k = 0; k < (p->op == FP_FMA ? 3u : 2u); k++)
		text_add(t, "%s %%n%u, %%f%u; ", p->neg >> k & 1 ? "neg.f32" : "mov.f32", k, p->src[k]);
	text_add(t, "%s.%s%s%s.f32 %%f%u, %%n0, %%n1%s;\n", names[p->op], fp_round_name[p->rnd], p->ftz ? ".ftz" : "", p->sat ? ".sat" : "", p->dst,
		p->op == FP_FMA ? ", %n2" : "");
}

/* Registers are loaded and stored by pairs, by fours, or one by one. */
static void
write_moves(text *t, const char *what, const char *at, unsigned n)
{
	for (unsigned k = 0; k < REGS; k += n) {
		text_add(t, "%s.global%s.f32 ", what, n == 4 ? ".v4" : n == 2 ? ".v2" : "");
		if (*what == 's')
			text_add(t, "[%s+%u], ", at, 4 * k);
		for (unsigned j = 0; j < n; j++)
			text_add(t, "%s%%f%u%s", j ? ", " : n > 1 ? "{" : "", k + j, n > 1 && j == n - 1 ? "}" : "");
		if (*what == 'l')
			text_add(t, ", [%s+%u]", at, 4 * k);
		text_add(t, ";\n");
	}
}

#define START ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 u[16])\n{\n" \
	".reg .f32 %f<16>, %n<3>; .reg .b32 %t; .reg .b64 %i, %o, %d;\n" \
	"ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %d, %t, 48; add.u64 %i, %i, %d; add.u64 %o, %o, %d;\n"

static void
write_program(text *t, const step *p, uint64_t *s)
{
	unsigned width = 1u << random32(s) % 3;

	text_add(t, "%s", START);
	write_moves(t, "ld", "%i", width);
	for (unsigned k = 0; k < UNIFORM; k++)
		text_add(t, "ld.param.f32 %%f%u, [u+%u];\n", REGS + k, 4 * k);
	for (unsigned k = 0; k < STEPS; k++)
		write_step(t, &p[k]);
	write_moves(t, "st", "%o", 1u << random32(s) % 3);
	text_add(t, "ret;\n}\n");
}

static bool
is_pair(const char *mnemonic)
{
	return !strncmp(mnemonic, "v_pk_", 5);
}

/* How many of a program's instructions are pairs. */
static unsigned
count_pairs(const char *chip, const text *t)
{
	char got[2048];
	unsigned n = 0;

	e2e_mnemonics(chip, t->s, is_pair, got, sizeof got);
	for (const char *p = got; (p = strstr(p, "v_pk_")); p++)
		n++;
	return n;
}

static uint32_t
random_float(uint64_t *s)
{
	uint32_t x = random32(s) << 1 ^ random32(s), small = random32(s) % 8;

	if (small < 2)
		return x & 0x807fffff;                          /* subnormal or nearly */
	return small == 2 ? x : (x & 0x80ffffff) + 0x3f000000;  /* any; around 1 */
}

static int
check(const char *chip, uint64_t seed, unsigned *pairs)
{
	lane in[THREADS], want[THREADS], got[THREADS];
	uint32_t uniform[UNIFORM];
	uint64_t s = seed;
	step p[STEPS];
	text t = { 0 };
	int bad;

	for (unsigned k = 0; k < STEPS; k += 2)
		random_pair(&s, &p[k]);
	for (unsigned k = 0; k < UNIFORM; k++)
		uniform[k] = random_float(&s);
	for (unsigned k = 0; k < THREADS * REGS; k++)
		in[k / REGS].r[k % REGS] = random_float(&s);
	memcpy(want, in, sizeof in);
	for (unsigned k = 0; k < THREADS * STEPS; k++)
		do_step(&want[k / STEPS], uniform, &p[k % STEPS]);
	write_program(&t, p, &s);
	*pairs += count_pairs(chip, &t);
	e2e_run r = { .chip = chip, .ptx = t.s, .kernel = "k", .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = got, .out_size = sizeof got, .extra = uniform, .extra_size = sizeof uniform, .check = P2A_CHECK_ALL };
	bad = e2e_launch("twin", &r);
	for (unsigned k = 0; k < THREADS * REGS && !bad; k++) {
		uint32_t w = want[k / REGS].r[k % REGS], g = got[k / REGS].r[k % REGS];

		bad = w != g && !(fp_is_nan(w, 32) && fp_is_nan(g, 32));
		if (bad)
			printf("not ok twin on %s: seed %llu, thread %u, register %u: %08x, not %08x\n%s", chip, (unsigned long long)seed, k / REGS,
				k % REGS, g, w, t.s);
	}
	free(t.s);
	return bad;
}

/* ---- forms ---- */

#define LOAD2 "ld.global.v2.f32 {%f0, %f1}, [%i]; ld.global.v2.f32 {%f2, %f3}, [%i+8];"
#define STORE2 "st.global.v2.f32 [%o], {%f4, %f5}; ret;\n}\n"

static const struct form { const char *name, *ptx, *want; } forms[] = {
	{ "two sums", LOAD2 "add.f32 %f4, %f0, %f2; add.f32 %f5, %f1, %f3;" STORE2, "v_pk_add_f32" },
	{ "a sum and a difference", LOAD2 "add.f32 %f4, %f0, %f2; sub.f32 %f5, %f1, %f3;" STORE2, "v_pk_add_f32" },
	{ "a product of complex numbers", LOAD2 "mul.f32 %f6, %f1, %f3; neg.f32 %f6, %f6; fma.rn.f32 %f4, %f0, %f2, %f6; mul.f32 %f7, %f1, %f2;"
		"fma.rn.f32 %f5, %f0, %f3, %f7;" STORE2, "v_pk_mul_f32 v_pk_fma_f32" },
	{ "by one number", LOAD2 "mul.f32 %f4, %f0, %f3; mul.f32 %f5, %f1, %f3;" STORE2, "v_pk_mul_f32" },
	{ "by parameters", LOAD2 "ld.param.v2.f32 {%f6, %f7}, [u]; mul.f32 %f4, %f0, %f7; mul.f32 %f5, %f1, %f6;" STORE2, "v_pk_mul_f32" },
	{ "by two pairs of parameters", LOAD2 "ld.param.v4.f32 {%f6, %f7, %f8, %f9}, [u]; fma.rn.f32 %f4, %f0, %f7, %f9; fma.rn.f32 %f5, %f1, %f6, %f8;" STORE2,
		"v_mov_b32 v_mov_b32 v_pk_fma_f32" },
	{ "loaded apart", "ld.global.f32 %f0, [%i]; ld.global.f32 %f1, [%i+12]; add.f32 %f4, %f0, %f0; add.f32 %f5, %f1, %f1;" STORE2, "v_pk_add_f32" },
	{ "with another rounding", LOAD2 "add.rz.f32 %f4, %f0, %f2; add.rz.f32 %f5, %f1, %f3;" STORE2, "v_pk_add_f32" },
	{ "with two roundings", LOAD2 "add.rz.f32 %f4, %f0, %f2; add.rn.f32 %f5, %f1, %f3;" STORE2, "v_add_f32 v_add_f32" },
	{ "with .sat", LOAD2 "add.sat.f32 %f4, %f0, %f2; add.sat.f32 %f5, %f1, %f3;" STORE2, "v_pk_add_f32" },
	{ "one with .sat", LOAD2 "add.sat.f32 %f4, %f0, %f2; add.f32 %f5, %f1, %f3;" STORE2, "v_add_f32 v_add_f32" },
	{ "one of the other", LOAD2 "add.f32 %f4, %f0, %f2; add.f32 %f5, %f4, %f3;" STORE2, "v_add_f32 v_add_f32" },
	{ "of an absolute value", LOAD2 "abs.f32 %f2, %f2; add.f32 %f4, %f0, %f2; add.f32 %f5, %f1, %f3;" STORE2, "v_add_f32 v_add_f32" },
	{ "by a constant", LOAD2 "mul.f32 %f4, %f0, 0f40400000; mul.f32 %f5, %f1, 0f40400000;" STORE2, "v_mul_f32 v_mul_f32" },
	{ "four sums", LOAD2 "add.f32 %f4, %f0, %f2; add.f32 %f5, %f1, %f3; add.f32 %f6, %f0, %f3; add.f32 %f7, %f1, %f2;"
		"st.global.v4.f32 [%o], {%f4, %f5, %f6, %f7}; ret;\n}\n", "v_pk_add_f32 v_pk_add_f32" },
	{ "loaded together, used apart", LOAD2 "sub.f32 %f4, %f0, %f2; sub.f32 %f5, %f1, %f3; mul.f32 %f4, %f4, %f4; st.global.f32 [%o], %f4;"
		"st.global.f32 [%o+12], %f5; ret;\n}\n", "v_pk_add_f32 v_mul_f32" },
	{ "and what comes of it", LOAD2 "sub.f32 %f4, %f0, %f2; sub.f32 %f5, %f1, %f3; mul.f32 %f6, %f4, %f4; mul.f32 %f7, %f5, %f5; add.f32 %f6, %f6, %f7;"
		"st.global.f32 [%o], %f6; ret;\n}\n", "v_pk_add_f32 v_pk_mul_f32 v_add_f32" },
	{ "loaded and used apart", "ld.global.f32 %f0, [%i]; ld.global.f32 %f1, [%i+12]; ld.global.f32 %f2, [%i+20]; ld.global.f32 %f3, [%i+28];"
		"sub.f32 %f4, %f0, %f2; sub.f32 %f5, %f1, %f3; st.global.f32 [%o], %f4; st.global.f32 [%o+12], %f5; ret;\n}\n", "v_sub_f32 v_sub_f32" },
	{ "loaded together, but one summed in turn", LOAD2 "add.f32 %f4, %f0, %f2; add.f32 %f4, %f4, %f4; add.f32 %f5, %f1, %f4; st.global.f32 [%o], %f5; ret;\n}\n",
		"v_add_f32 v_add_f32 v_add_f32" },
};

static bool
counts(const char *mnemonic)
{
	return !strncmp(mnemonic, "v_", 2) && (strstr(mnemonic, "_f32") || strstr(mnemonic, "v_mov"));
}

static int
check_forms(void)
{
	int bad = 0;

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		const struct form *f = &forms[k];
		text t = { 0 };
		char got[400];

		text_add(&t, "%s%s", START, f->ptx);
		e2e_mnemonics("gfx90a", t.s, counts, got, sizeof got);
		if (!strcmp(got, f->want))
			printf("ok twin: %s\n", f->name);
		else
			printf("not ok twin: %s: %s, not %s\n", f->name, got, f->want);
		bad |= strcmp(got, f->want) != 0;
		free(t.s);
	}
	return bad;
}

int
main(int argc, char **argv)
{
	static const char *const chips[] = { "gfx90a", "gfx942", "gfx1100" };
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, n = argc > 1 ? 1 : e2e_quick() ? 40 : 200;
	int bad = check_forms();

	for (const char *const *chip = e2e_on(chips, 3); *chip; chip++) {
		unsigned pairs = 0;
		int here = 0;

		for (uint64_t seed = first; seed < first + n && !here; seed++)
			here = check(*chip, seed, &pairs);
		if (!here && argc < 2 && !strcmp(*chip, "gfx90a") && pairs < n) {
			printf("not ok twin on %s: %u pairs in %llu programs\n", *chip, pairs, (unsigned long long)n);
			here = 1;
		}
		if (!here)
			printf("ok twin on %s: %llu programs, %u pairs\n", *chip, (unsigned long long)n, pairs);
		bad |= here;
	}
	return bad;
}
