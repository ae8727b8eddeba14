/* test_approx.c -- the .approx and .full forms of f32 and f64 within the error that the PTX manual states, against
 * the host's mathematical functions in extended precision; exact where PTX lists a result (zeros, infinities, NaN,
 * signs, what .ftz flushes). Once with approximations rounded to nearest, once with such as err as
 * far as AMD's manuals allow. Manual: "Parallel Thread Execution ISA" 9.1, 9.7.3.8 (div) and 9.7.3.13 to 9.7.3.22; each row
 * says where its bound stands. */
#include "forms.h"
#include "length.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
typedef enum measure { ULP, RELATIVE, ABSOLUTE } measure;
typedef struct bound { measure by; real most, from, to; } bound; /* for from <= |a| <= to */

typedef struct function {
	const char *text;        /* $0 = f($1) or f($1, $2) */
	real (*fn)(real, real);
	int bits, ftz;           /* ftz of f64: only high dwords count */
	bound b[2];              /* the first that holds |a|, or |b| of div; none: any result in [-1, 1] */
} function;

static real quotient(real a, real b) { return a / b; }
static real reciprocal(real a, real b) { (void)b; return 1 / a; }
static real root(real a, real b) { (void)b; return sqrtl(a); }
static real inverse_root(real a, real b) { (void)b; return 1 / sqrtl(a); }
static real sine(real a, real b) { (void)b; return sinl(a); }
static real cosine(real a, real b) { (void)b; return cosl(a); }
static real log_2(real a, real b) { (void)b; return log2l(a); }
static real exp_2(real a, real b) { (void)b; return exp2l(a); }
static real tangent(real a, real b) { (void)b; return tanhl(a); }

/* div.approx promises nothing for |b| < 2^-126; 2 ulp are kept there too. The approximations of f64's high dword have
 * no stated bound: 20 bits of mantissa, and what the machine's may err. */
#define PI 3.14159265358979323846L
#define ALL 0, HUGE_VALL
#define SINE { { ABSOLUTE, 6.743e-7L /* 2^-20.5 */, 0, 2 * PI }, { ABSOLUTE, 3.757e-5L /* 2^-14.7 */, 0, 100 * PI } }
#define LOG { { ABSOLUTE, 0x1p-22L, 0.5L, 2 }, { RELATIVE, 0x1p-22L, ALL } }
#define HIGH { { RELATIVE, 0x1p-20L + 0x1p-22L, ALL } }
static const function functions[] = {
	{ "div.approx.f32 $0, $1, $2;", quotient, 32, 0, { { ULP, 2, 0, 0x1p126L } } }, /* 9.7.3.8 */
	{ "div.approx.ftz.f32 $0, $1, $2;", quotient, 32, 1, { { ULP, 2, 0, 0x1p126L } } }, /* 9.7.3.8 */
	{ "div.full.f32 $0, $1, $2;", quotient, 32, 0, { { ULP, 2, ALL } } }, /* 9.7.3.8 */
	{ "div.full.ftz.f32 $0, $1, $2;", quotient, 32, 1, { { ULP, 2, ALL } } }, /* 9.7.3.8 */
	{ "rcp.approx.f32 $0, $1;", reciprocal, 32, 0, { { ULP, 1, ALL } } }, /* 9.7.3.13 */
	{ "rcp.approx.ftz.f32 $0, $1;", reciprocal, 32, 1, { { ULP, 1, ALL } } }, /* 9.7.3.13 */
	{ "sqrt.approx.f32 $0, $1;", root, 32, 0, { { RELATIVE, 0x1p-23L, ALL } } }, /* 9.7.3.15 */
	{ "sqrt.approx.ftz.f32 $0, $1;", root, 32, 1, { { RELATIVE, 0x1p-23L, ALL } } }, /* 9.7.3.15 */
	{ "rsqrt.approx.f32 $0, $1;", inverse_root, 32, 0, { { RELATIVE, 1.277e-7L /* 2^-22.9 */, ALL } } }, /* 9.7.3.16 */
	{ "rsqrt.approx.ftz.f32 $0, $1;", inverse_root, 32, 1, { { RELATIVE, 1.277e-7L, ALL } } }, /* 9.7.3.16 */
	{ "sin.approx.f32 $0, $1;", sine, 32, 0, SINE }, /* 9.7.3.18 */
	{ "sin.approx.ftz.f32 $0, $1;", sine, 32, 1, SINE }, /* 9.7.3.18 */
	{ "cos.approx.f32 $0, $1;", cosine, 32, 0, SINE }, /* 9.7.3.19 */
	{ "cos.approx.ftz.f32 $0, $1;", cosine, 32, 1, SINE }, /* 9.7.3.19 */
	{ "lg2.approx.f32 $0, $1;", log_2, 32, 0, LOG }, /* 9.7.3.20 */
	{ "lg2.approx.ftz.f32 $0, $1;", log_2, 32, 1, LOG }, /* 9.7.3.20 */
	{ "ex2.approx.f32 $0, $1;", exp_2, 32, 0, { { ULP, 2, ALL } } }, /* 9.7.3.21 */
	{ "ex2.approx.ftz.f32 $0, $1;", exp_2, 32, 1, { { ULP, 2, ALL } } }, /* 9.7.3.21 */
	{ "tanh.approx.f32 $0, $1;", tangent, 32, 0, { { RELATIVE, 0x1p-11L, ALL } } }, /* 9.7.3.22 */
	{ "rsqrt.approx.f64 $0, $1;", inverse_root, 64, 0, { { ULP, 1, ALL } } }, /* 9.7.3.16 */
	{ "rcp.approx.ftz.f64 $0, $1;", reciprocal, 64, 1, HIGH }, /* 9.7.3.14 */
	{ "rsqrt.approx.ftz.f64 $0, $1;", inverse_root, 64, 1, HIGH }, /* 9.7.3.17 */
};

static uint64_t
flushed(const function *f, uint64_t x)
{
	if (!f->ftz)
		return x;
	if (f->bits == 32)
		return fp_flush(x, 32);
	return (x & 0x7ff0000000000000) ? x & 0xffffffff00000000 : x & 0x8000000000000000;
}

static real least(const function *f) { return f->bits == 32 ? 0x1p-126L : 0x1p-1022L; }

/* One unit in the last place about x. */
static real
unit(const function *f, real x)
{
	int e, p = f->bits == 32 ? 24 : 53, low = f->bits == 32 ? -125 : -1021;

	frexpl(x, &e);
	return ldexpl(1, (e < low ? low : e) - p);
}

static int
within(const function *f, const bound *b, real got, real want)
{
	real top = ldexpl(1, f->bits == 32 ? 128 : 1024), most, off;

	/* What is too large counts as the number beyond the largest. */
	got = fabsl(got) > top ? copysignl(top, got) : got;
	want = fabsl(want) > top ? copysignl(top, want) : want;
	most = b->by == ULP ? b->most * unit(f, want) : b->by == RELATIVE ? b->most * fabsl(want) : b->most;
	off = fabsl(got - want);
	if (b->by == RELATIVE && fabsl(want) < least(f))
		most = unit(f, want);   /* a subnormal result has fewer bits */
	return off <= most;
}

/* A result that .ftz flushes: a zero, or what the approximation may take the result for. */
static int
is_flushed(const function *f, real got, real want)
{
	return f->ftz && got == 0 && fabsl(want) < least(f) * (1 + 0x1p-18L);
}

static int
holds(const form *o, const uint64_t *s, uint64_t bits)
{
	const function *f = &functions[o->k[0]];
	real a = fp_value(flushed(f, s[0]), f->bits), b = fp_value(flushed(f, s[1]), f->bits), got = fp_value(bits, f->bits);
	real want = f->fn(a, b), x = fabsl(f->fn == quotient ? b : a);

	if (f->ftz && f->bits == 64)
		if (isnan(a) ? bits != 0x7fffffff00000000 : (uint32_t)bits)
			return 0;
	if (!strncmp(f->text, "div.approx", 10) && x > 0x1p126L && x < HUGE_VALL && !isnan(a))
		return isinf(a) ? isnan(got) : got == 0;
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || want == 0 || is_flushed(f, got, want))
		return (isinf(want) ? got == want : got == 0) && !signbit(got) == !signbit(want);
	for (int i = 0; i < 2; i++)
		if (f->b[i].most > 0 && x >= f->b[i].from && x <= f->b[i].to)
			return within(f, &f->b[i], got, want);
	return fabsl(got) <= 1;
}

static uint64_t
nearest(const form *o, const uint64_t *s)
{
	const function *f = &functions[o->k[0]];

	return fp_rounded(f->fn(fp_value(flushed(f, s[0]), f->bits), fp_value(flushed(f, s[1]), f->bits)), f->bits, FP_RN);
}

static void
add_forms(form_list *l, int bits)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const function *f = &functions[i];
		form *o;

		if (f->bits != bits)
			continue;
		o = form_add(l, bits == 64 ? "F:F" : strstr(f->text, "$2") ? "f:ff" : "f:f", nearest, "%s", f->text);
		o->holds = holds;
		o->k[0] = (int)i;
	}
}

/* ---- operands ---- */

static const uint64_t edge32[] = { 0, 1, 2, 0x400000, 0x7fffff, 0x800000, 0x800001, 0x1000000, 0x33800000, 0x3f000000, 0x3f7fffff, 0x3f800000,
	0x3f800001, 0x3ffffffd, 0x3fffffff, 0x40000000, 0x40490fdb, 0x40c90fdb, 0x42fc0000, 0x42fe0000, 0x43000000, 0x43150000, 0x43160000, 0x439d1463,
	0x4b000000, 0x5f000000, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000 };
static const uint64_t edge64[] = { 0, 1, 2, 0x8000000000000, 0xfffffffffffff, 0x10000000000000, 0x10000000000001, 0x20000000000000,
	0x3ff0000000000000, 0x3ff0000000000001, 0x3fffffffffffffff, 0x3fe0000000000000, 0x4008000012345678, 0x7fcfffffffffffff, 0x7fd0000000000000,
	0x7fd0000100000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000 };

static void
edges(form_data *v, int bits)
{
	const uint64_t *e = bits == 32 ? edge32 : edge64;
	size_t n = bits == 32 ? sizeof edge32 / sizeof *edge32 : sizeof edge64 / sizeof *edge64;
	uint64_t both[128], top = (uint64_t)1 << (bits - 1);

	for (size_t i = 0; i < n; i++) {
		both[2 * i] = e[i];
		both[2 * i + 1] = e[i] | top;
	}
	form_pairs(v, both, 2 * n);
}

/* Every exponent; small numbers of all sizes (sin, cos, ex2, tanh); about 1 (lg2); reciprocals that start a binade with
 * quotients that end one (div) */
static void
some(form_data *v, int bits, int n)
{
	uint64_t s = 9, one = bits == 32 ? 1u << 23 : (uint64_t)1 << 52, exponents = bits == 32 ? 256 : 2048, sign;

	for (int i = 0; i < n; i++) {
		uint64_t x = form_random(&s), a = (uint64_t)i % exponents * one | (x & (one - 1)), b = form_random(&s);
		real small = (real)(int64_t)(x >> 20 & 0xfffffff) * 0x1p-28L;

		sign = (b & 1) << (bits - 1);
		form_vector(v, a | sign, b, 0, 0);
		form_vector(v, fp_rounded(small * (i % 3 == 0 ? 629 : i % 3 == 1 ? 13 : 2), bits, FP_RN) | sign, b, 0, 0);
		form_vector(v, fp_rounded(small * 300 - 152, bits, FP_RN), a, 0, 0);
		a = (exponents / 2 - 1) * one;
		form_vector(v, a + one - (x & 0xffff), a + 2 * one - (b & 0xfffff), 0, 0);
		form_vector(v, a + (x & 0xffff) - 0x8000, a + (b & 0xfff), 0, 0);
	}
}

int
main(void)
{
	int n = (int)test_length(2000, 30000, 100000), bad = 0;

	for (int bits = 32; bits <= 64; bits += 32) {
		form_data v = { 0 };
		form_list l = { 0 };

		add_forms(&l, bits);
		edges(&v, bits);
		bad |= form_run(bits == 32 ? "approximations of f32 at edges" : "approximations of f64 at edges", &l, &v, FORM_ALL);
		some(&v, bits, n);
		bad |= form_run(bits == 32 ? "approximations of f32" : "approximations of f64", &l, &v, FORM_ONLY_LANES);
		bad |= form_run(bits == 32 ? "rough approximations of f32" : "rough approximations of f64", &l, &v, FORM_ONLY_LANES | FORM_ROUGH);
		free(v.v);
		free(l.f);
	}
	return bad;
}
