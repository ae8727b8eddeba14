/* test_fp8.c -- cvt between pairs of e4m3, e5m2 and f32, f16x2: every code, every f16, f32 at and beside
 * the numbers and the middles of each two. Reference: the nearest of all codes, by the formats' definition.
 * Manual: "Parallel Thread Execution ISA" 9.1, 9.7.9.21 and 5.2.3. */
#include "forms.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a form is made of: k[]. FROM: 32 f32, 16 f16x2 */
enum { FORMAT, RELU, FROM };
enum { E4M3, E5M2 };
static const char *const format_name[] = { "e4m3x2", "e5m2x2" };
static const int bits[] = { 3, 2 }, bias[] = { 7, 15 }, most[] = { 0x7e, 0x7b };

/* Code x without its sign, a number */
static long double
value8(int f, int x)
{
	int e = x >> bits[f], m = x & ((1 << bits[f]) - 1);

	return e ? ldexpl(m + (1 << bits[f]), e - bias[f] - bits[f]) : ldexpl(m, 1 - bias[f] - bits[f]);
}

static uint64_t
nearest8(int f, int relu, long double v)
{
	long double a = fabsl(v);
	int lo = 0;

	if (isnan(v))
		return 0x7f;
	while (lo < most[f] && value8(f, lo + 1) <= a)
		lo++;
	if (lo < most[f]) {
		long double down = a - value8(f, lo), up = value8(f, lo + 1) - a;

		lo += up < down || (up == down && lo & 1);
	}
	return relu && signbit(v) ? 0 : (uint64_t)(lo | (signbit(v) ? 0x80 : 0));
}

static long double
source_value(const form *o, uint64_t x)
{
	return o->k[FROM] == 32 ? fp_value(x, 32) : fp_value(x & 0xffff, 16);
}

static uint64_t
narrowed(const form *o, const uint64_t *s)
{
	uint64_t hi = o->k[FROM] == 32 ? s[0] : s[0] >> 16, lo = o->k[FROM] == 32 ? s[1] : s[0];

	return nearest8(o->k[FORMAT], o->k[RELU], source_value(o, hi)) << 8 | nearest8(o->k[FORMAT], o->k[RELU], source_value(o, lo));
}

static uint64_t
half_of_code(const form *o, int x)
{
	int f = o->k[FORMAT], m = x & 0x7f, sign = x & 0x80;

	if (m > (f == E4M3 ? 0x7e : 0x7c))
		return 0x7fff;
	if (o->k[RELU] && sign)
		return 0;
	if (m > most[f])
		return sign ? 0xfc00 : 0x7c00;
	return fp_rounded(value8(f, m), 16, FP_RN) | (sign ? 0x8000 : 0);
}

static uint64_t
widened(const form *o, const uint64_t *s)
{
	return half_of_code(o, (int)(s[0] & 0xff)) | half_of_code(o, (int)(s[0] >> 8 & 0xff)) << 16;
}

static void
add(form_list *l, const char *sig, form_fn *fn, int f, int relu, int from, const char *what)
{
	form *o = form_add(l, sig, fn, "cvt.rn%s%s.%s", fn == narrowed ? ".satfinite" : "", relu ? ".relu" : "", what);

	o->k[FORMAT] = f, o->k[RELU] = relu, o->k[FROM] = from;
}

static void
add_all(form_list *wide, form_list *halves, form_list *codes)
{
	for (int v = 0; v < 4; v++) {
		int f = v & 1, relu = v >> 1;
		char what[64];

		snprintf(what, sizeof what, "%s.f32 $0, $1, $2;", format_name[f]);
		add(wide, "h:ff", narrowed, f, relu, 32, what);
		snprintf(what, sizeof what, "%s.f16x2 $0, $1;", format_name[f]);
		add(halves, "h:r", narrowed, f, relu, 16, what);
		snprintf(what, sizeof what, "f16x2.%s $0, $1;", format_name[f]);
		add(codes, "r:h", widened, f, relu, 0, what);
	}
}

/* A number, or the middle between two, and its neighbours among the f32 */
static uint64_t
beside(uint64_t *s)
{
	uint64_t x = form_random(s);
	int f = x & 1, code = (int)(x >> 8) % (most[f] + 1);
	long double v = value8(f, code), next = value8(f, code + 1);

	v = x & 2 ? (v + next) / 2 : v;
	return ((fp_rounded(v, 32, FP_RN) + (x >> 4 & 3) - 1) & 0x7fffffff) | (x >> 16 & 1) << 31;
}

int
main(void)
{
	form_list wide = { 0 }, halves = { 0 }, codes = { 0 };
	form_data floats = { 0 }, all = { 0 };
	int n = e2e_quick() ? 2000 : 40000, bad = 0;
	uint64_t s = 3;

	add_all(&wide, &halves, &codes);
	for (int i = 0; i < n; i++)
		form_vector(&floats, i % 8 ? beside(&s) : form_random(&s) & 0xffffffff, beside(&s), 0, 0);
	for (uint64_t i = 0; i < 0x10000; i++)
		form_vector(&all, i | (i * 40503 & 0xffff) << 16, 0, 0, 0);
	bad |= form_run("e4m3 and e5m2 from f32", &wide, &floats, FORM_ALL);
	bad |= form_run("e4m3 and e5m2 from f16", &halves, &all, FORM_ALL);
	bad |= form_run("f16 from e4m3 and e5m2", &codes, &all, FORM_ALL);
	free(floats.v), free(all.v);
	free(wide.f), free(halves.f), free(codes.f);
	return bad;
}
