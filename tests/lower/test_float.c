/* test_float.c -- f32 and f64 arithmetic in every rounding mode, .ftz, .sat, min and max with NaN and
 * zeros, signs, classes; against C with fesetround and the PTX manual (9.7.3). */
#include "harness.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int modes[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
static const char *const mode_names[4] = { ".rn", ".rz", ".rm", ".rp" };

static float f_of(uint64_t x) { uint32_t w = (uint32_t)x; float f; memcpy(&f, &w, 4); return f; }
static double d_of(uint64_t x) { double d; memcpy(&d, &x, 8); return d; }
static uint64_t of_f(float f) { uint32_t w; memcpy(&w, &f, 4); return w; }
static uint64_t of_d(double d) { uint64_t w; memcpy(&w, &d, 8); return w; }

/* Specials in all pairs, then numbers whose sums and products round. */
static uint64_t
operand(unsigned i, bool d)
{
	static const float special[] = { 0, 1, 2, 0.5f, 0x1p-126f, 0x1p-149f, 0x1.fffffep-127f, 0x1.fffffep127f, INFINITY, NAN,
		1e-20f, 1.0000001f, 0x1p24f, 3 };
	uint64_t r = sample(i + 90, 64);

	if (i < 2 * COUNT(special)) {
		float f = i & 1 ? -special[i / 2] : special[i / 2];

		return d ? of_d((double)f) : of_f(f);
	}
	if (d)
		return (r & 0x800fffffffffffff) | (1023 - 30 + r % 60) << 52;
	return (r & 0x807fffff) | (127 - 14 + r % 28) << 23;
}

static bool is_nan(bool d, uint64_t x) { return d ? isnan(d_of(x)) : isnan(f_of(x)); }
static uint64_t flush(uint64_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }

typedef struct form { bool d, ftz, sat; int mode; char op; } form;

/* + - * f(ma) */
static uint64_t
arithmetic(const form *F, uint64_t a, uint64_t b, uint64_t c)
{
	volatile float x, y, z, f;
	volatile double dx = d_of(a), dy = d_of(b), dz = d_of(c), r;
	uint64_t out;

	x = f_of(F->ftz ? flush(a) : a), y = f_of(F->ftz ? flush(b) : b), z = f_of(F->ftz ? flush(c) : c);
	fesetround(F->mode);
	switch (F->op) {
	case '+': f = x + y, r = dx + dy; break;
	case '-': f = x - y, r = dx - dy; break;
	case '*': f = x * y, r = dx * dy; break;
	default: f = fmaf(x, y, z), r = fma(dx, dy, dz); break;
	}
	fesetround(FE_TONEAREST);
	if (F->d)
		return of_d(r);
	out = F->ftz ? flush(of_f(f)) : of_f(f);
	if (F->sat)
		out = f > 0 ? (f < 1 ? out : of_f(1)) : 0;
	return out;
}

static bool
same(bool d, uint64_t a, uint64_t b)
{
	return a == b || (is_nan(d, a) && is_nan(d, b));
}

static void
test_arithmetic(const form *F, const char *mode)
{
	static const struct { char op; const char *text; } names[] = {
		{ '+', "add" }, { '-', "sub" }, { '*', "mul" }, { 'f', "fma" }, { 'm', "mad" } };
	const char *name = "", *type = F->d ? "f64" : "f32", *src[3] = { type, type, type };
	bool three = F->op == 'f' || F->op == 'm';
	uint64_t v[3], got, want;
	char text[64];
	op o;

	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].op == F->op)
			name = names[i].text;
	snprintf(text, sizeof text, "%s%s%s%s.%s d, a0, a1%s;", name, mode, F->ftz ? ".ftz" : "", F->sat ? ".sat" : "", type,
		three ? ", a2" : "");
	if (!op_new(&o, text, type, three ? 3 : 2, src, P2A_SEM_DOCUMENTED)) {
		report(text, "%s", unit_diags(o.u));
		return;
	}
	for (unsigned i = 0; i < 4000; i++) {
		v[0] = operand(i < 784 ? i / 28 : i, F->d), v[1] = operand(i < 784 ? i % 28 : i + 1, F->d);
		v[2] = operand(i < 784 ? (i * 5) % 28 : i + 2, F->d);
		want = arithmetic(F, v[0], v[1], v[2]);
		if (!op_eval(&o, v, &got) || !same(F->d, got, want)) {
			report(text, "%llx %llx %llx: %llx, not %llx", (unsigned long long)v[0], (unsigned long long)v[1],
				(unsigned long long)v[2], (unsigned long long)got, (unsigned long long)want);
			return;
		}
	}
	report(text, NULL);
	op_free(&o);
}

/* min and max: a NaN gives way; -0 is less than +0; .NaN; .xorsign.abs */
typedef struct extreme { const char *text; bool d, max, nan, xorsign, ftz; } extreme;

static uint64_t
extreme_of(const extreme *E, uint64_t a, uint64_t b)
{
	uint64_t sign = E->d ? 1ull << 63 : 1ull << 31, flip = (a ^ b) & sign;
	double x, y;
	bool first;

	if (E->ftz)
		a = flush(a), b = flush(b);
	if (E->nan && (is_nan(E->d, a) || is_nan(E->d, b)))
		return 0x7fffffff;
	if (E->xorsign)
		a &= ~sign, b &= ~sign;
	x = E->d ? d_of(a) : (double)f_of(a), y = E->d ? d_of(b) : (double)f_of(b);
	if (isnan(x) || isnan(y))
		first = !isnan(x);
	else
		first = x == y ? !signbit(x) == E->max : (x > y) == E->max;
	return (first ? a : b) | (E->xorsign ? flip : 0);
}

static void
test_extreme(const extreme *E)
{
	const char *type = E->d ? "f64" : "f32", *src[2] = { type, type };
	uint64_t v[2], got, want;
	op o;

	if (!op_new(&o, E->text, type, 2, src, P2A_SEM_DOCUMENTED)) {
		report(E->text, "%s", unit_diags(o.u));
		return;
	}
	for (unsigned i = 0; i < 1500; i++) {
		v[0] = operand(i < 784 ? i / 28 : i, E->d), v[1] = operand(i < 784 ? i % 28 : i + 1, E->d);
		want = extreme_of(E, v[0], v[1]);
		if (!op_eval(&o, v, &got) || !same(E->d, got, want)) {
			report(E->text, "%llx %llx: %llx, not %llx", (unsigned long long)v[0], (unsigned long long)v[1],
				(unsigned long long)got, (unsigned long long)want);
			return;
		}
	}
	report(E->text, NULL);
	op_free(&o);
}

/* One value: text, types, operands, result. */
typedef struct single { const char *text, *dst, *src; uint64_t a, b, want; } single;

static void
test_single(const single *s)
{
	const char *src[2] = { s->src, s->src };
	uint64_t v[2] = { s->a, s->b }, got;
	op o;

	if (!op_new(&o, s->text, s->dst, 2, src, P2A_SEM_DOCUMENTED))
		report(s->text, "%s", unit_diags(o.u));
	else if (!op_eval(&o, v, &got) || got != s->want)
		report(s->text, "%llx %llx: %llx, not %llx", (unsigned long long)s->a, (unsigned long long)s->b,
			(unsigned long long)got, (unsigned long long)s->want);
	else
		report(s->text, NULL);
	op_free(&o);
}

int
main(void)
{
	static const extreme extremes[] = {
		{ "min.f32 d, a0, a1;", 0, 0, 0, 0, 0 }, { "max.f32 d, a0, a1;", 0, 1, 0, 0, 0 },
		{ "min.f64 d, a0, a1;", 1, 0, 0, 0, 0 }, { "max.f64 d, a0, a1;", 1, 1, 0, 0, 0 },
		{ "min.ftz.f32 d, a0, a1;", 0, 0, 0, 0, 1 }, { "max.NaN.f32 d, a0, a1;", 0, 1, 1, 0, 0 },
		{ "min.ftz.NaN.f32 d, a0, a1;", 0, 0, 1, 0, 1 }, { "max.xorsign.abs.f32 d, a0, a1;", 0, 1, 0, 1, 0 },
		{ "min.NaN.xorsign.abs.f32 d, a0, a1;", 0, 0, 1, 1, 0 },
	};
	static const single singles[] = {
		{ "neg.f32 d, a0;", "f32", "f32", 0x80000001, 0, 1 }, { "neg.ftz.f32 d, a0;", "f32", "f32", 0x80000001, 0, 0 },
		{ "abs.f32 d, a0;", "f32", "f32", 0xffc00000, 0, 0x7fc00000 },
		{ "abs.ftz.f32 d, a0;", "f32", "f32", 0x807fffff, 0, 0 },
		{ "neg.f64 d, a0;", "f64", "f64", 5, 0, 0x8000000000000005 },
		{ "abs.f64 d, a0;", "f64", "f64", 0x8000000000000005, 0, 5 },
		{ "copysign.f32 d, a0, a1;", "f32", "f32", 0x80000000, 0x3f800000, 0xbf800000 },
		{ "copysign.f32 d, a0, a1;", "f32", "f32", 0x3f800000, 0xc0000000, 0x40000000 },
		{ "copysign.f64 d, a0, a1;", "f64", "f64", 1ull << 63, 7, 1ull << 63 | 7 },
		{ "testp.normal.f64 d, a0;", "pred", "f64", 0, 0, 1 }, { "testp.normal.f64 d, a0;", "pred", "f64", 1, 0, 0 },
		{ "testp.subnormal.f64 d, a0;", "pred", "f64", 1, 0, 1 }, { "testp.subnormal.f64 d, a0;", "pred", "f64", 1ull << 63, 0, 0 },
		{ "testp.finite.f64 d, a0;", "pred", "f64", 0x7fefffffffffffff, 0, 1 },
		{ "testp.finite.f64 d, a0;", "pred", "f64", 0x7ff0000000000000, 0, 0 },
		{ "testp.infinite.f64 d, a0;", "pred", "f64", 0xfff0000000000000, 0, 1 },
		{ "testp.number.f64 d, a0;", "pred", "f64", 0xfff0000000000001, 0, 0 },
		{ "testp.notanumber.f64 d, a0;", "pred", "f64", 0xfff0000000000001, 0, 1 },
		{ "add.f32 d, a0, 0f3F800000;", "f32", "f32", 0x3f800000, 0, 0x40000000 },
		{ "add.f32 d, a0, 0.1;", "f32", "f32", 0, 0, 0x3dcccccd },      /* a decimal is a double */
		{ "sub.f64 d, a0, 0d3FF0000000000000;", "f64", "f64", 0, 0, 0xbff0000000000000 },
		{ "min.f32 d, a0, a1, 0fC0000000;", "f32", "f32", 0x3f800000, 0x40000000, 0xc0000000 },
		{ "max.NaN.abs.f32 d, a0, a1, 0fC0400000;", "f32", "f32", 0xbf800000, 0x40000000, 0x40400000 },
		{ "max.NaN.f32 d, a0, a1, 0f7fc00000;", "f32", "f32", 0xbf800000, 0x40000000, 0x7fffffff },
		{ "mov.b32 d, 0f12345678;", "b32", "f32", 0, 0, 0x12345678 },
	};

	for (unsigned m = 0; m < 5; m++)
		for (const char *p = "+-*fm"; *p; p++)
			for (unsigned k = 0; k < 5; k++) {
				form F = { k == 4, k & 1, k >> 1 & 1, modes[m & 3], *p };

				if (m < 4)
					test_arithmetic(&F, mode_names[m]);
				else if (*p != 'f' && *p != 'm')
					test_arithmetic(&F, "");
			}
	for (size_t i = 0; i < COUNT(extremes); i++)
		test_extreme(&extremes[i]);
	for (size_t i = 0; i < COUNT(singles); i++)
		test_single(&singles[i]);
	return nfailed != 0;
}
