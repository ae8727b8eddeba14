/* test_pairs.c -- arithmetic of two f32 in 64 bits (.f32x2), of f32 with f16 and bf16 sources, and cvt to tf32,
 * against the host's IEEE 754 arithmetic; every f16 and bf16 is tried.
 * Manual: "Parallel Thread Execution ISA", 9.7.3.3 to 9.7.3.6, 9.7.5, 9.7.9.21. */
#include "forms.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; fp_op op; } ops[] = { { "add", FP_ADD }, { "sub", FP_SUB }, { "mul", FP_MUL }, { "fma", FP_FMA } };

/* ---- f32x2. k: operation, rounding, ftz ---- */

static uint64_t
flushed(uint64_t x, int ftz)
{
	return ftz ? fp_flush(x & 0xffffffff, 32) : x & 0xffffffff;
}

static uint64_t
half(const form *f, const uint64_t *s, int shift)
{
	int ftz = f->k[2];
	uint64_t r = fp_arith((fp_op)f->k[0], 32, (fp_round)f->k[1], flushed(s[0] >> shift, ftz), flushed(s[1] >> shift, ftz),
	                      flushed(s[2] >> shift, ftz));

	return flushed(r, ftz);
}

static uint64_t
pair(const form *f, const uint64_t *s)
{
	return half(f, s, 0) | half(f, s, 32) << 32;
}

static int
pair_holds(const form *f, const uint64_t *s, uint64_t got)
{
	return form_agree('f', got, half(f, s, 0)) && form_agree('f', got >> 32, half(f, s, 32));
}

static void
add_pairs(form_list *l)
{
	for (int v = 0; v < 40; v++) {
		int op = v & 3, ftz = v >> 2 & 1, rnd = v >> 3;
		form *f;

		if (op == 3 && rnd == 4)        /* no rounding written */
			continue;
		f = form_add(l, op == 3 ? "d:ddd" : "d:dd", pair, "%s%s%s%s.f32x2 $0, $1, $2%s;", ops[op].name, rnd < 4 ? "." : "",
		             rnd < 4 ? fp_round_name[rnd] : "", ftz ? ".ftz" : "", op == 3 ? ", $3" : "");
		f->holds = pair_holds;
		memcpy(f->k, (int[3]){ (int)ops[op].op, rnd % 4, ftz }, 3 * sizeof(int));
	}
}

/* ---- f32 with a narrow source. k: operation, rounding, sat, bf16 ---- */

static uint64_t
widened(uint64_t x, int bf16)
{
	return bf16 ? x << 16 & 0xffffffff : fp_rounded(fp_value(x & 0xffff, 16), 32, FP_RN);
}

static uint64_t
mixed(const form *f, const uint64_t *s)
{
	int three = f->k[0] == FP_FMA, bf16 = f->k[3];
	uint64_t r = fp_arith((fp_op)f->k[0], 32, (fp_round)f->k[1], widened(s[0], bf16), three ? widened(s[1], bf16) : s[1], s[2]);

	return f->k[2] ? fp_clamp(r, 32) : r;
}

static void
add_mixed(form_list *l)
{
	static const int which[3] = { 0, 1, 3 };

	for (int v = 0; v < 60; v++) {
		int op = which[v % 3], bf16 = v / 3 & 1, sat = v / 6 & 1, rnd = v / 12;

		if (op == 3 && rnd == 4)
			continue;
		memcpy(form_add(l, op == 3 ? bf16 ? "f:hhf" : "f:xxf" : bf16 ? "f:hf" : "f:xf", mixed, "%s%s%s%s.f32.%s $0, $1, $2%s;", ops[op].name,
		                rnd < 4 ? "." : "", rnd < 4 ? fp_round_name[rnd] : "", sat ? ".sat" : "", bf16 ? "bf16" : "f16",
		                op == 3 ? ", $3" : "")->k, (int[4]){ (int)ops[op].op, rnd % 4, sat, bf16 }, 4 * sizeof(int));
	}
}

/* Converted halves of pairs. k[4], k[5]: which half of each; the third source may be one too: k[3] */
static uint64_t
of_halves(const form *f, const uint64_t *s)
{
	uint64_t a = widened(s[0] >> 16 * f->k[4], 0), b = widened(s[1] >> 16 * f->k[5], 0);

	return fp_arith(FP_FMA, 32, (fp_round)f->k[1], a, f->k[3] ? s[2] : b, f->k[3] ? b : s[2]);
}

static void
add_halves(form_list *l)
{
	for (int v = 0; v < 32; v++) {
		int rnd = v & 3, third = v >> 2 & 1, x = v >> 3 & 1, y = v >> 4;

		memcpy(form_add(l, "f:rrf", of_halves, "{ .reg .b16 l, h; .reg .f32 a, b; mov.b32 {l, h}, $1; cvt.f32.f16 a, %c; mov.b32 {l, h}, $2; "
		                "cvt.f32.f16 b, %c; fma.%s.f32 $0, a, %s; }", "lh"[x], "lh"[y], fp_round_name[rnd], third ? "$3, b" : "b, $3")->k,
		       (int[6]){ 0, rnd, 0, third, x, y }, 6 * sizeof(int));
	}
}

/* ---- tf32: 11 significant bits with f32's exponents. k: 0 rn, 1 rz, 2 rna; relu; satfinite ---- */

static uint64_t
tf32(const form *f, const uint64_t *s)
{
	long double v = fp_value(s[0], 32), most = 0x1.ffcp127L;
	int e;

	if (isnan(v))
		return 0x7fffffff;
	if (f->k[1] && signbit(v))
		return 0;
	if (isfinite(v)) {
		frexpl(v, &e);
		e = 11 - (e < -125 ? -125 : e);
		v = ldexpl(v, e);
		v = ldexpl(f->k[0] == 0 ? rintl(v) : f->k[0] == 1 ? truncl(v) : roundl(v), -e);
	}
	if (f->k[2] && fabsl(v) > most)
		v = copysignl(most, v);
	return fp_rounded(v, 32, FP_RN);
}

static void
add_tf32(form_list *l)
{
	static const char *const rnd[] = { "rn", "rz", "rna" };

	for (int v = 0; v < 12; v++)
		memcpy(form_add(l, "f:f", tf32, "cvt.%s%s%s.tf32.f32 $0, $1;", rnd[v / 4], v & 1 ? ".relu" : "", v & 2 ? ".satfinite" : "")->k,
		       (int[3]){ v / 4, v & 1, v >> 1 & 1 }, 3 * sizeof(int));
}

/* ---- operands ---- */

static uint64_t
some_f32(uint64_t *s)
{
	static const uint32_t edge[] = { 0, 1, 0x7fffff, 0x800000, 0x1000, 0xfff, 0x3f800000, 0x3f801000, 0x3f800fff, 0x3f803000, 0x7f7fefff,
		0x7f7ff000, 0x7f7fffff, 0x7f800000, 0x7fc00000 };
	uint64_t x = form_random(s), m = form_random(s);

	if (x % 5 == 0)
		return edge[(x >> 8) % (sizeof edge / sizeof *edge)] | (m & 0x80000000);
	if (x % 5 == 1)
		return m & 0xffffffff;
	return (m & 0x807fffff) | (120 + (x >> 8) % 16) << 23;
}

int
main(void)
{
	form_list pairs = { 0 }, narrow = { 0 }, to_tf32 = { 0 };
	form_data d = { 0 }, h = { 0 };
	int n = e2e_quick() ? 4000 : 100000, bad = 0;
	uint64_t s = 3;

	add_pairs(&pairs);
	add_mixed(&narrow);
	add_halves(&narrow);
	add_tf32(&to_tf32);
	for (int i = 0; i < n; i++)
		form_vector(&d, some_f32(&s) | some_f32(&s) << 32, some_f32(&s) | some_f32(&s) << 32, some_f32(&s) | some_f32(&s) << 32, 0);
	for (uint64_t i = 0; i < 0x10000; i++)
		form_vector(&h, i | (form_random(&s) & 0xffff) << 16, some_f32(&s), some_f32(&s), 0);
	bad |= form_run("f32x2", &pairs, &d, FORM_ALL);
	bad |= form_run("f32 with f16 and bf16", &narrow, &h, FORM_ALL);
	bad |= form_run("cvt to tf32", &to_tf32, &d, FORM_ALL);
	free(d.v), free(h.v), free(pairs.f), free(narrow.f), free(to_tf32.f);
	return bad;
}
