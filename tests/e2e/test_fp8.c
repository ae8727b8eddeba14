/* test_fp8.c -- cvt between f32, f16x2, bf16x2 and pairs and fours of numbers of 8, 6 and 4 bits, and by random bits: every
 * code, every f16 and bf16, f32 at and beside the numbers and the middles of each two. Reference: the numbers' values by the
 * formats' definition, among which the nearest is looked up; .rs: the manual's "carry out of the addition of the random bits to
 * the discarded ones". ue8m0: powers of two, looked up too.
 * Manual: "Parallel Thread Execution ISA" 9.1, 9.7.9.21 and 5.2.3. */
#include "forms.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a form is made of: k[]. FROM: 32 f32, 16 f16x2, 17 bf16x2 */
enum { FORMAT, RELU, FROM, FINITE, UP };
enum { E4M3, E5M2, E2M3, E3M2, E2M1, F16, BF16 };
/* sign: its bit; random: bits that .rs has */
static const struct format { const char *name; int bits, bias, most, nan, sign, random; } formats[] = {
	{ "e4m3", 3, 7, 0x7e, 0x7f, 7, 16 }, { "e5m2", 2, 15, 0x7b, 0x7f, 7, 16 }, { "e2m3", 3, 1, 0x1f, 0x1f, 5, 16 },
	{ "e3m2", 2, 3, 0x1f, 0x1f, 5, 16 }, { "e2m1", 1, 1, 7, 7, 3, 16 }, { "f16", 10, 15, 0x7bff, 0x7fff, 15, 13 },
	{ "bf16", 7, 127, 0x7f7f, 0x7fff, 15, 16 },
};

static int
spacing(const struct format *f)
{
	return f->sign < 4 ? 4 : f->sign < 8 ? 8 : 16;
}

/* Code x without its sign, a number */
static long double
value_of(const struct format *f, int x)
{
	int e = x >> f->bits, m = x & ((1 << f->bits) - 1);

	return e ? ldexpl(m + (1 << f->bits), e - f->bias - f->bits) : ldexpl(m, 1 - f->bias - f->bits);
}

/* The largest code that is not above a */
static int
below(const struct format *f, long double a)
{
	int lo = 0, hi = f->most + 1;

	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (value_of(f, mid) <= a)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* random < 0: to nearest. What is not finite: the code after the largest, infinity. */
static uint64_t
narrow_one(const struct format *f, const form *o, long double v, long random)
{
	long double a = fabsl(v), at, next;
	int lo = below(f, a);

	if (isnan(v))
		return (uint64_t)f->nan;
	at = value_of(f, lo), next = value_of(f, lo + 1);
	if (a >= next)
		lo = o->k[FINITE] ? f->most : f->most + 1;
	else if (random >= 0)
		lo += floorl(ldexpl((a - at) / (next - at), f->random)) + (long double)random >= ldexpl(1, f->random);
	else
		lo += a - at > next - a || (a - at == next - a && lo & 1);
	if (o->k[FINITE] && lo > f->most)
		lo = f->most;
	return o->k[RELU] && signbit(v) ? 0 : (uint64_t)lo | (uint64_t)!!signbit(v) << f->sign;
}

static long double
half_value(const form *o, uint64_t x)
{
	return o->k[FROM] == 17 ? fp_value(x << 16 & 0xffffffff, 32) : fp_value(x & 0xffff, 16);
}

static uint64_t
narrowed(const form *o, const uint64_t *s)
{
	const struct format *f = &formats[o->k[FORMAT]];
	bool wide = o->k[FROM] == 32;
	uint64_t hi = narrow_one(f, o, wide ? fp_value(s[0], 32) : half_value(o, s[0] >> 16), -1);
	uint64_t lo = narrow_one(f, o, wide ? fp_value(s[1], 32) : half_value(o, s[0] & 0xffff), -1);

	return hi << spacing(f) | lo;
}

/* e2m1 comes in a register of 8 bits, and is packed twice into one of 16 */
static uint64_t
narrowed_twice(const form *o, const uint64_t *s)
{
	return narrowed(o, s) * 0x101;
}

static uint64_t
pair_by_random(const form *o, const uint64_t *s)
{
	const struct format *f = &formats[o->k[FORMAT]];
	long mask = (1l << f->random) - 1;

	return narrow_one(f, o, fp_value(s[0], 32), (long)(s[3] >> 16) & mask) << 16 | narrow_one(f, o, fp_value(s[1], 32), (long)s[3] & mask);
}

/* Sources 0, 1, 2, 0, and the random bits */
static uint64_t
four_by_random(const form *o, const uint64_t *s)
{
	const struct format *f = &formats[o->k[FORMAT]];
	const uint64_t r = s[3], of_four[2] = { (r >> 24 & 0xff) << 8 | (r >> 8 & 0xff), (r >> 16 & 0xff) << 8 | (r & 0xff) };
	uint64_t d = 0;

	for (int i = 0; i < 4; i++) {
		uint64_t random = f->sign < 4 ? of_four[i / 2] : i < 2 ? r >> 16 : r & 0xffff;

		d = d << spacing(f) | narrow_one(f, o, fp_value(s[i % 3], 32), (long)random);
	}
	return d;
}

static uint64_t
half_of_code(const form *o, int x)
{
	const struct format *f = &formats[o->k[FORMAT]];
	int m = x & ((1 << f->sign) - 1), sign = x >> f->sign & 1;

	if (f->nan > f->most && m > f->most + (o->k[FORMAT] == E5M2))
		return 0x7fff;
	if (o->k[RELU] && sign)
		return 0;
	if (m > f->most)
		return sign ? 0xfc00 : 0x7c00;
	return fp_rounded(value_of(f, m), 16, FP_RN) | (sign ? 0x8000 : 0);
}

static uint64_t
widened(const form *o, const uint64_t *s)
{
	int n = spacing(&formats[o->k[FORMAT]]), mask = (1 << n) - 1;

	return half_of_code(o, (int)s[0] & mask) | half_of_code(o, (int)(s[0] >> n) & mask) << 16;
}

/* The power of two at or below |v|, or at or above it */
static uint64_t
exponent_of(const form *o, long double v)
{
	int e = -127;

	v = fabsl(v);
	if (isnan(v))
		return 255;
	while (e < 128 && (o->k[UP] ? ldexpl(1, e) < v : ldexpl(1, e + 1) <= v))
		e++;
	return (uint64_t)(e == 128 && o->k[FINITE] ? 254 : e + 127);
}

static uint64_t
exponents(const form *o, const uint64_t *s)
{
	bool wide = o->k[FROM] == 32;
	uint64_t hi = exponent_of(o, wide ? fp_value(s[0], 32) : half_value(o, s[0] >> 16));

	return hi << 8 | exponent_of(o, wide ? fp_value(s[1], 32) : half_value(o, s[0] & 0xffff));
}

static uint64_t
power(uint64_t e)
{
	return e == 255 ? 0x7fff : e ? e << 7 : 0x40 /* 2^-127 */;
}

static uint64_t
powers(const form *o, const uint64_t *s)
{
	(void)o;
	return power(s[0] & 255) | power(s[0] >> 8 & 255) << 16;
}

static void
add(form_list *l, const char *sig, form_fn *fn, int f, int v, int from, const char *before, const char *what)
{
	char line[200], with[160];
	form *o;

	snprintf(with, sizeof with, what, formats[f].name);
	snprintf(line, sizeof line, "cvt.%s%s%s.%s;", before, v & 2 ? ".satfinite" : "", v & 1 ? ".relu" : "", with);
	if (f == E2M1 && !strcmp(sig, "h:r"))           /* through a register of 8 bits */
		o = form_add(l, sig, narrowed_twice, "{.reg .b8 b; %.*s b, $1; mov.b16 $0, {b, b};}", (int)strcspn(line, " "), line);
	else if (f == E2M1 && !strcmp(sig, "h:ff"))
		o = form_add(l, sig, narrowed_twice, "{.reg .b8 b; %.*s b, $1, $2; mov.b16 $0, {b, b};}", (int)strcspn(line, " "), line);
	else if (f == E2M1 && !strcmp(sig, "r:h"))
		o = form_add(l, sig, fn, "{.reg .b8 b, c; mov.b16 {b, c}, $1; %.*s $0, b;}", (int)strcspn(line, " "), line);
	else
		o = form_add(l, sig, fn, "%s", line);
	o->k[FORMAT] = f, o->k[RELU] = v & 1, o->k[FINITE] = v >> 1, o->k[FROM] = from;
}

static void
add_format(form_list *wide, form_list *halves, form_list *codes, int f)
{
	for (int relu = 0; relu < 2; relu++) {
		add(wide, "h:ff", narrowed, f, 2 | relu, 32, "rn", "%sx2.f32 $0, $1, $2");
		add(halves, "h:r", narrowed, f, 2 | relu, 16, "rn", "%sx2.f16x2 $0, $1");
		add(halves, "h:r", narrowed, f, 2 | relu, 17, "rn", "%sx2.bf16x2 $0, $1");
		add(codes, "r:h", widened, f, relu, 0, "rn", "f16x2.%sx2 $0, $1");
		add(wide, f == E2M1 ? "h:fffr" : "r:fffr", four_by_random, f, 2 | relu, 32, "rs", "%sx4.f32 $0, {$1, $2, $3, $1}, $4");
	}
}

static void
add_all(form_list *wide, form_list *halves, form_list *codes)
{
	for (int f = E4M3; f <= E2M1; f++)
		add_format(wide, halves, codes, f);
	for (int v = 0; v < 4; v++) {
		add(wide, "r:fffr", pair_by_random, F16, v, 32, "rs", "%sx2.f32 $0, $1, $2, $4");
		add(wide, "r:fffr", pair_by_random, BF16, v, 32, "rs", "%sx2.f32 $0, $1, $2, $4");
		add(wide, "h:ff", exponents, F16, v & 2, 32, v & 1 ? "rp" : "rz", "ue8m0x2.f32 $0, $1, $2");
		wide->f[wide->n - 1].k[UP] = v & 1;
		add(halves, "h:r", exponents, F16, v & 2, 17, v & 1 ? "rp" : "rz", "ue8m0x2.bf16x2 $0, $1");
		halves->f[halves->n - 1].k[UP] = v & 1;
	}
	add(codes, "r:h", powers, F16, 0, 0, "rn", "bf16x2.ue8m0x2 $0, $1");
}

/* A number, or the middle between two, and its neighbours among the f32 */
static uint64_t
beside(uint64_t *s)
{
	uint64_t x = form_random(s);
	const struct format *f = &formats[x % 7];
	int code = (int)(x >> 8) % (f->most + 1);
	long double v = value_of(f, code), next = value_of(f, code + 1);

	v = x & 2 ? (v + next) / 2 : v;
	return ((fp_rounded(v, 32, FP_RN) + (x >> 4 & 3) - 1) & 0x7fffffff) | (x >> 16 & 1) << 31;
}

int
main(void)
{
	form_list wide = { 0 }, halves = { 0 }, codes = { 0 };
	form_data floats = { 0 }, all = { 0 }, pairs = { 0 };
	int n = e2e_quick() ? 2000 : 20000, bad = 0;
	uint64_t s = 3;

	add_all(&wide, &halves, &codes);
	for (int i = 0; i < n; i++) {
		uint64_t third = i % 4 ? beside(&s) : form_random(&s) & 0xffffffff;

		form_vector(&floats, i % 8 ? beside(&s) : form_random(&s) & 0xffffffff, beside(&s), third, form_random(&s) & 0xffffffff);
	}
	for (uint64_t i = 0; i < 0x8000; i++)           /* the lower halves of all, the upper halves of the others */
		form_vector(&all, i | (~i & 0xffff) << 16, 0, 0, 0);
	for (uint64_t i = 0; i < 0x10000; i += 7)
		form_vector(&pairs, i, 0, 0, 0);
	bad |= form_run("small floats from f32", &wide, &floats, FORM_ALL);
	bad |= form_run("small floats from f16 and bf16", &halves, &all, FORM_ALL);
	bad |= form_run("f16 and bf16 from small floats", &codes, &pairs, FORM_ALL);
	free(floats.v), free(all.v), free(pairs.v);
	free(wide.f), free(halves.f), free(codes.f);
	return bad;
}
