/* test_divide.c -- div, rcp and sqrt, correctly rounded, against the host's IEEE 754 arithmetic.
 * Beside edges and random operands there are those whose exact result lies nearest to a number or to the middle
 * of two (made by modular arithmetic); all of it once more with approximations that err as far as the
 * manuals allow. EXHAUSTIVE=1: rcp and sqrt of f32 for every mantissa. Manual: "Parallel Thread Execution ISA", 9.7.3 (div, rcp, sqrt). */
#include "forms.h"
#include "length.h"
#include "fpref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;
static const struct { int bits, p, bias; uint64_t inf; } kinds[2] = { { 32, 24, 127, 0x7f800000 }, { 64, 53, 1023, 0x7ff0000000000000 } };

/* ---- forms. k: operation, bits, rounding, ftz ---- */

static uint64_t
flushed(uint64_t x, int ftz)
{
	return ftz ? fp_flush(x, 32) : x;
}

static uint64_t
result(const form *f, const uint64_t *s)
{
	uint64_t a = flushed(s[0], f->k[3]), b = flushed(s[1], f->k[3]);

	if (f->k[0] < 0)                /* rcp */
		b = a, a = f->k[1] == 32 ? 0x3f800000 : 0x3ff0000000000000;
	return flushed(fp_arith(f->k[0] < 0 ? FP_DIV : (fp_op)f->k[0], f->k[1], (fp_round)f->k[2], a, b, 0), f->k[3]);
}

static void
add_forms(form_list *l, int d)
{
	static const struct { const char *name; int op; } op[] = { { "div", FP_DIV }, { "rcp", -1 }, { "sqrt", FP_SQRT } };

	for (int ftz = 0; ftz < 2 - d; ftz++)
		for (int r = 0; r < 4; r++)
			for (int i = 0; i < 3; i++)
				memcpy(form_add(l, i ? d ? "F:F" : "f:f" : d ? "F:FF" : "f:ff", result, "%s.%s%s.f%d $0, $1%s;", op[i].name,
				                fp_round_name[r], ftz ? ".ftz" : "", d ? 64 : 32, i ? "" : ", $2")->k,
				       (int[4]){ op[i].op, d ? 64 : 32, r, ftz }, 4 * sizeof(int));
}

/* ---- operands ---- */

/* m * 2^e for p-bit m, as bits; e so that it is a normal number */
static uint64_t
number(int d, uint64_t m, int e)
{
	return ((uint64_t)(e + kinds[d].p - 1 + kinds[d].bias) << (kinds[d].p - 1)) | (m & (((uint64_t)1 << (kinds[d].p - 1)) - 1));
}

static uint64_t
fraction(int d, uint64_t *s)            /* a p-bit integer */
{
	uint64_t one = (uint64_t)1 << (kinds[d].p - 1);

	return one | (form_random(s) & (one - 1));
}

static void
edges(form_data *v, int d)
{
	uint64_t list[64], n = 0, one = (uint64_t)kinds[d].bias << (kinds[d].p - 1), u = (uint64_t)1 << (kinds[d].p - 1), inf = kinds[d].inf;
	uint64_t plain[] = { 0, 1, 2, 3, u / 2, u - 1, u, u + 1, 2 * u - 1, 2 * u, one - u, one - 1, one, one + 1, one + u / 2, one + u - 1, one + u,
		3 * u + 5, inf - u - u, inf - u - u + 1, inf - u - 1, inf - u, inf - u + 1, inf - 1, inf, inf + 1, inf + u / 2, one + 23 * u, one - 30 * u };

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		list[n++] = plain[i];
		list[n++] = plain[i] | (uint64_t)1 << (kinds[d].bits - 1);
	}
	form_pairs(v, list, n);
}

/* Any bits; both near 1; quotients about the least normal, the subnormal and the largest numbers */
static void
some(form_data *v, int d, uint64_t *s)
{
	uint64_t x = form_random(s), u = (uint64_t)1 << (kinds[d].p - 1), top = (uint64_t)kinds[d].bits - 1;
	uint64_t ea = 1 + (x >> 8) % (kinds[d].inf / u - 1), eb, bias = (uint64_t)kinds[d].bias, a, b, want;

	if (x % 8 == 0) {
		form_vector(v, form_random(s), form_random(s), 0, 0);
		return;
	}
	want = x % 8 < 3 ? bias : x % 8 < 6 ? (x >> 32) % (uint64_t)(kinds[d].p + 3) : 2 * bias + (x >> 32) % 3;
	eb = ea + bias - want - (x % 8 < 6 && x % 8 > 2 ? (uint64_t)0 - (uint64_t)kinds[d].p : 0);
	if (x % 8 > 2 && x % 8 < 6)     /* exponents down to p below the least */
		eb = ea + bias + (uint64_t)kinds[d].p - want;
	if (eb < 1 || eb >= kinds[d].inf / u)
		eb = x % 8 < 6 && x % 8 > 2 ? kinds[d].inf / u - 2 : 1 + (x >> 40) % 3;
	a = (ea * u | (form_random(s) & (u - 1))) | (x >> 60 & 1) << top;
	b = (eb * u | (form_random(s) & (u - 1))) | (x >> 61 & 1) << top;
	if (x >> 62 & 1)                /* few bits: exact quotients and ties of subnormal ones */
		b &= ~(u - 1), a &= ~(u / 256 - 1);
	form_vector(v, a, b, 0, 0);
}

/* a / b, for given odd b, nearest to a number (where half is 0) or a middle: a * 2^n = b * q + x for a small x. */
static void
near_quotient(form_data *v, int d, uint64_t b, uint64_t x, int half, uint64_t *s)
{
	uint64_t a = x % b, r = form_random(s), least = (uint64_t)1 << (kinds[d].p - 1);

	for (int n = 0; n < kinds[d].p + half; n++)     /* halved modulo b */
		a = a & 1 ? (uint64_t)(((u128)a + b) >> 1) : a >> 1;
	if (a < least && a + b < 2 * least)
		a += b;
	while (a && a < least)                          /* other exponent, another of the cases */
		a <<= 1;
	if (a >> kinds[d].p || !a)
		return;
	form_vector(v, number(d, a, (int)(r % 40) - 20 - kinds[d].p), number(d, b, (int)(r >> 8) % 40 - 20 - kinds[d].p), 0, 0);
}

static void
hard_quotients(form_data *v, int d, int n, uint64_t *s)
{
	uint64_t end = (uint64_t)1 << kinds[d].p;

	for (int i = 0; i < n; i++) {
		uint64_t b = (i < 128 ? end - 1 - 2 * (uint64_t)i : fraction(d, s)) | 1;

		for (uint64_t x = 1; x < 5; x++) {
			near_quotient(v, d, b, x, (int)(x & 1), s);
			near_quotient(v, d, b, b - x, (int)(x & 1), s);
		}
	}
}

/* Reciprocals: all divisors next to powers of two; all numbers near a square, and whose root lies nearest to
 * a middle: 4 x = m^2 + small for odd m, found bit by bit as a square root modulo a power of two. */
static void
hard_root(form_data *v, int d, uint64_t delta)          /* delta = 8 j - 1: m^2 = -delta */
{
	u128 m = 1, target = (u128)0 - delta;
	int p = kinds[d].p;

	for (int k = 3; k < p + 3; k++)
		if ((m * m ^ target) >> k & 1)
			m += (u128)1 << (k - 1);
	for (int way = 0; way < 4; way++) {
		u128 r = (way & 1 ? m : 0 - m) + ((u128)(way >> 1) << (p + 1)), q;

		r &= ((u128)1 << (p + 2)) - 1;
		q = (r * r + delta) >> (p + 2);
		if (r >> p != 1 || (q >> (p - 1)) != 1)
			continue;
		for (int e = -3; e < 4; e++)
			form_vector(v, number(d, (uint64_t)q, 2 * e * (kinds[d].p / 2) + (p & 1)), 0, 0, 0);
	}
}

static void
hard_roots(form_data *v, int d, int n, uint64_t *s)
{
	for (int i = 1; i < n; i++) {
		uint64_t m = fraction(d, s) >> (kinds[d].p - kinds[d].p / 2), x = m * m;

		hard_root(v, d, 8 * (uint64_t)i - 1);
		hard_root(v, d, 0 - (8 * (uint64_t)i + 1));
		while (x >> (kinds[d].p - 1) == 0)
			x <<= 1;
		for (int step = -1; step < 2; step++)
			form_vector(v, number(d, x >> kinds[d].p ? x >> 1 : x, i % 30 - 40) + (uint64_t)(int64_t)step, 0, 0, 0);
	}
}

/* ---- random programs, in which MODE must change between them and their like ---- */

static uint64_t
sum_or_product(const form *f, const uint64_t *s)
{
	return flushed(fp_arith((fp_op)f->k[0], f->k[1], (fp_round)f->k[2], flushed(s[0], f->k[3]), flushed(s[1], f->k[3]), 0), f->k[3]);
}

static uint64_t
program_value(char kind, uint64_t *s)
{
	uint64_t x = form_random(s), u = kind == 'F' ? (uint64_t)1 << 52 : 1u << 23, bias = kind == 'F' ? 1023 : 127;

	return x % 4 ? (bias - 2 + x % 5) * u | (form_random(s) & (u - 1)) | (x >> 40 & 1) << (kind == 'F' ? 63 : 31) : form_random(s);
}

static int
programs(void)
{
	form_list l = { 0 };
	int bad;

	for (int d = 0; d < 2; d++) {
		add_forms(&l, d);
		for (int v = 0; v < (d ? 8 : 16); v++)
			memcpy(form_add(&l, d ? "F:FF" : "f:ff", sum_or_product, "%s.%s%s.f%d $0, $1, $2;", v & 1 ? "add" : "mul", fp_round_name[v >> 1 & 3],
			                v > 7 ? ".ftz" : "", d ? 64 : 32)->k, (int[4]){ v & 1 ? FP_ADD : FP_MUL, d ? 64 : 32, v >> 1 & 3, v > 7 }, 4 * sizeof(int));
	}
	bad = form_programs("division programs", &l, program_value, 200);
	free(l.f);
	return bad;
}

/* Every mantissa: 2^23 divisors in one binade, 2^24 operands of sqrt in two; scaling changes nothing else. */
static int
exhaustive(void)
{
	enum { STEP = 1 << 20 };
	form_list l = { 0 };
	int bad = 0;

	add_forms(&l, 0);
	for (size_t i = l.n = l.n / 2; i-- > 0; )       /* without .ftz; without div */
		if (l.f[i].k[0] == FP_DIV)
			l.f[i] = l.f[--l.n];
	for (uint32_t x = 0x3f800000; x < 0x40800000 && !bad; x += STEP) {
		form_data v = { 0 };

		for (uint32_t k = 0; k < STEP; k++)
			form_vector(&v, x + k, 0, 0, 0);
		bad = form_run("rcp and sqrt of all mantissas", &l, &v, FORM_ONLY_LANES | FORM_ROUGH);
		free(v.v);
	}
	return bad;
}

static int
run(int d, const char *name, const form_data *v, unsigned ways)
{
	form_list l = { 0 };
	char full[96];
	int bad;

	add_forms(&l, d);
	snprintf(full, sizeof full, "%s of f%d", name, kinds[d].bits);
	bad = form_run(full, &l, v, ways);
	free(l.f);
	return bad;
}

int
main(void)
{
	int n = (int)test_length(2000, 100000, 300000), bad = 0;

	if (getenv("SEED"))
		return programs();
	if (getenv("EXHAUSTIVE"))
		return exhaustive();
	for (int d = 0; d < 2; d++) {
		form_data v = { 0 };
		uint64_t s = 77;

		edges(&v, d);
		bad |= run(d, "div, rcp, sqrt at edges", &v, FORM_ALL);
		hard_quotients(&v, d, n / 20, &s);
		hard_roots(&v, d, n / 20, &s);
		for (int i = 0; i < n; i++)
			some(&v, d, &s);
		bad |= run(d, "div, rcp, sqrt", &v, FORM_ONLY_LANES);
		bad |= run(d, "div, rcp, sqrt from rough approximations", &v, FORM_ONLY_LANES | FORM_ROUGH);
		free(v.v);
	}
	return bad | programs();
}
