/* bench_bfi.c -- how long one call of p2a_bfi.h takes: a plan, its instructions, its bytes, its text, swept over operations, chips,
 * and what is known of the operands. Prints of each call how long half and nine tenths of the questions take at most, and those that
 * take longest: with nothing known of a and b, which differ between lanes, and of all; no test. Nanoseconds of the process, the least
 * of several averages: whatever else runs on the machine only adds.
 *
 *	bench_bfi [STEP]        each STEP-th question
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "bfi_ops.h"

typedef enum call { MAKE, INSTS, BYTES, TEXT, NCALLS } call;
static const char *const call_names[NCALLS] = { "plan", "instructions", "bytes", "text" };

/* ---- questions ---- */

static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1201" };

/* An operand without its registers. */
typedef struct known { const char *name; p2a_bfi_operand is; } known;
#define KNOWN(kind, ...) { P2A_K_##kind, __VA_ARGS__ }
static const known numbers[] = { { "v", KNOWN(VGPR, .min = 0) }, { "s", KNOWN(SGPR, .min = 0) }, { "v0..31", KNOWN(VGPR, .max = 31) },
	{ "v1..32", KNOWN(VGPR, .min = 1, .max = 32) }, { "v0..63", KNOWN(VGPR, .max = 63) }, { "v8..40", KNOWN(VGPR, .min = 8, .max = 40) },
	{ "v32..63", KNOWN(VGPR, .min = 32, .max = 63) }, { "s0..31", KNOWN(SGPR, .max = 31) }, { "s1..64", KNOWN(SGPR, .min = 1, .max = 64) },
	{ "5", KNOWN(IMM, .imm = 5) }, { "8", KNOWN(IMM, .imm = 8) }, { "20", KNOWN(IMM, .imm = 20) }, { "40", KNOWN(IMM, .imm = 40) } };
static const known values[] = { { "v", KNOWN(VGPR, .min = 0) }, { "s", KNOWN(SGPR, .min = 0) }, { "v0..255", KNOWN(VGPR, .max = 255) },
	{ "v&~0xff", KNOWN(VGPR, .zero = 0xff) }, { "s|1", KNOWN(SGPR, .one = 1) }, { "21", KNOWN(IMM, .imm = 21) },
	{ "0x12345678", KNOWN(IMM, .imm = 0x12345678) }, { "0xffffffff", KNOWN(IMM, .imm = 0xffffffff) } };

/* By number; in semantics too. */
typedef struct question { unsigned chip, op, sem, a, b, pos, len; } question;

static p2a_bfi_operand
operand(const known *k, unsigned reg)
{
	p2a_bfi_operand o = k->is;

	o.lo = (uint16_t)reg;
	o.hi = (uint16_t)(reg + 1);
	return o;
}

static p2a_bfi_query
query(const question *x)
{
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(chips[x->chip]), .op = (p2a_bfi_op)x->op,
		.semantics = (p2a_semantics)x->sem, .dst = P2A_BFI_V64(6), .a = operand(&values[x->a], 0),
		.b = operand(&values[x->b], 2), .pos = operand(&numbers[x->pos], 4), .len = operand(&numbers[x->len], 5) };

	return q;
}

static unsigned
digit(unsigned long *n, size_t base)
{
	unsigned long d = *n % base;

	*n /= base;
	return (unsigned)d;
}

/* The n-th; false: there are no more. *skip: it says the same as another. */
static bool
question_of(unsigned long n, question *x, bool *skip)
{
	p2a_bfi_op op;

	x->len = digit(&n, COUNT(numbers));
	x->pos = digit(&n, COUNT(numbers));
	x->b = digit(&n, COUNT(values));
	x->a = digit(&n, COUNT(values));
	x->chip = digit(&n, COUNT(chips));
	x->sem = digit(&n, 2);
	x->op = digit(&n, BFI_OPS);
	op = (p2a_bfi_op)x->op;
	*skip = (x->a && !bfi_has(op, BFI_A)) || (x->b && !bfi_has(op, BFI_B)) || (x->pos && !bfi_has(op, BFI_POS)) ||
		(x->sem && !bfi_has_meanings(op));
	return !n;
}

static void
print(const question *x)
{
	p2a_bfi_op op = (p2a_bfi_op)x->op;

	printf("%-7s %s%s", chips[x->chip], bfi_op_names[op], x->sem ? " of NVIDIA" : "");
	if (bfi_has(op, BFI_A))
		printf(" a %s", values[x->a].name);
	if (bfi_has(op, BFI_B))
		printf(" b %s", values[x->b].name);
	if (bfi_has(op, BFI_POS))
		printf(" pos %s", numbers[x->pos].name);
	printf(" len %s", numbers[x->len].name);
}

/* ---- time ---- */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
one(call c, const p2a_bfi_query *q, p2a_bfi_plan *p)
{
	static const p2a_bfi_scratch scratch = { { 20, 22, 24, 32, 34 }, { 40, 41, 42, 43, 44, 45, 46 }, { 20, 22, 24, 26 },
		{ 40, 41, 42, 43, 44, 45 } };
	static p2a_inst code[P2A_BFI_INSTS];
	static char text[8192];

	switch (c) {
	case MAKE: return p2a_bfi_make(q, p);
	case INSTS: return p2a_bfi_insts(p, &scratch, code);
	case BYTES: return p2a_bfi_bytes(p, &scratch, text, sizeof text);
	default: return p2a_bfi_text(p, &scratch, text, sizeof text);
	}
}

/* Of a call; below 0: it fails. */
static double
measure(call c, const p2a_bfi_query *q, p2a_bfi_plan *p, unsigned rounds, unsigned calls)
{
	double least = 1e18;

	for (unsigned r = 0; r < rounds; r++) {
		double t = now();

		for (unsigned k = 0; k < calls; k++)
			if (one(c, q, p) < 0)
				return -1;
		least = MIN(least, (now() - t) / calls);
	}
	return least;
}

/* ---- the slowest ---- */

/* First the most that a short look finds, then, looked at longer, some of them. */
enum { MOST = 200, SHOWN = 10 };
typedef struct slow { double ns; question x; } slow;
typedef struct slowest { slow at[MOST]; unsigned n; } slowest;   /* the fastest of them last */

static void
note(slowest *s, double ns, const question *x)
{
	unsigned k = s->n < MOST ? s->n++ : MOST - 1;

	if (k == MOST - 1 && s->at[k].ns >= ns)
		return;
	for (; k && s->at[k - 1].ns < ns; k--)
		s->at[k] = s->at[k - 1];
	s->at[k] = (slow){ .ns = ns, .x = *x };
}

/* What was seen of a call: how many questions took so many times STEP_NS. */
enum { BINS = 1000, STEP_NS = 20 };
typedef struct seen {
	unsigned long bin[BINS], n;
	slowest plain, any;      /* plain: nothing is known of a and b */
} seen;

static unsigned
within(const seen *s, unsigned percent)
{
	unsigned long sum = 0;
	unsigned k = 0;

	for (; k < BINS - 1 && (sum += s->bin[k]) * 100 < s->n * percent; k++)
		;
	return (k + 1) * STEP_NS;
}

static bool
sweep(seen calls[NCALLS], unsigned long step)
{
	enum { ROUNDS = 4, CALLS = 8 };
	question x;
	bool skip;

	for (unsigned long n = 0; question_of(n, &x, &skip); n += step) {
		p2a_bfi_query q = query(&x);
		p2a_bfi_plan p;

		for (call c = MAKE; c < NCALLS && !skip; c++) {
			double ns = measure(c, &q, &p, ROUNDS, CALLS);

			if (ns < 0) {
				print(&x);
				printf(": %s fails\n", call_names[c]);
				return false;
			}
			calls[c].n++;
			calls[c].bin[MIN((unsigned)ns / STEP_NS, BINS - 1)]++;
			note(&calls[c].any, ns, &x);
			if (!x.a && !x.b)
				note(&calls[c].plain, ns, &x);
		}
	}
	return true;
}

static void
report(call c, const slowest *s, const char *of)
{
	enum { ROUNDS = 10, CALLS = 200 };
	slowest again = { .n = 0 };

	for (unsigned k = 0; k < s->n; k++) {
		p2a_bfi_query q = query(&s->at[k].x);
		p2a_bfi_plan p;

		measure(MAKE, &q, &p, 1, 1);
		note(&again, measure(c, &q, &p, ROUNDS, CALLS), &s->at[k].x);
	}
	printf("%s, longest %s:\n", call_names[c], of);
	for (unsigned k = 0; k < MIN(SHOWN, again.n); k++) {
		printf("  %5.0f ns ", again.at[k].ns);
		print(&again.at[k].x);
		printf("\n");
	}
}

int
main(int argc, char **argv)
{
	static seen calls[NCALLS];
	unsigned long step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	if (!step || !sweep(calls, step))
		return 1;
	for (call c = MAKE; c < NCALLS; c++) {
		printf("%s: %lu questions, half within %u ns, nine of ten within %u ns\n", call_names[c], calls[c].n, within(&calls[c], 50),
		       within(&calls[c], 90));
		report(c, &calls[c].plain, "with nothing known of a and b");
		report(c, &calls[c].any, "of all");
	}
	return 0;
}
