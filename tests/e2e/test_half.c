/* test_half.c -- f16, bf16 and pairs of them: arithmetic, comparisons, conversions, ex2 and tanh. One source: every number;
 * two and three: all exponents with mantissas at and beside the ends and the middle, and random ones; EXHAUSTIVE=1: ten times as many.
 * References: long double, which holds every sum and product of two; rounded to odd where a third number does not fit.
 * Manual: "Parallel Thread Execution ISA", 9.7.4, 9.7.7, 9.7.9.21. */
#include "forms.h"
#include "length.h"
#include "fpref.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a form is made of: k[]. PAIR: two numbers in 32 bits. EXACT: a NaN must be the canonical one. */
enum { OP, BF16, PAIR, MODS, RND, EXACT };
enum { FTZ = 1, SAT = 2, RELU = 4, NAN_ = 8, ABS = 16, XORSIGN = 32, FINITE = 64 };
enum { SUB = FP_SQRT + 1, MIN, MAX, NEG, ABSOLUTE, EX2, TANH };
static const char *const type_name[2][2] = { { "f16", "f16x2" }, { "bf16", "bf16x2" } };

/* ---- numbers ---- */

static int
is_nan16(uint64_t x, int bf16)
{
	return (x & 0x7fff) > (bf16 ? 0x7f80u : 0x7c00u);
}

static long double
value16(uint64_t x, int bf16)
{
	return bf16 ? fp_value(x << 16 & 0xffffffff, 32) : fp_value(x & 0xffff, 16);
}

/* v to 8 or 11 bits, subnormals and overflow included */
static uint64_t
rounded16(long double v, int bf16, fp_round rnd)
{
	int bits = bf16 ? 8 : 11, least = bf16 ? -125 : -13, most = bf16 ? 128 : 16, e;
	uint64_t sign = signbit(v) ? 0x8000 : 0, inf = bf16 ? 0x7f80 : 0x7c00, m;
	int to_zero = rnd == FP_RZ || (rnd == FP_RM && !sign) || (rnd == FP_RP && sign);

	if (isnan(v))
		return 0x7fff;
	if (isinf(v) || v == 0)
		return sign | (v == 0 ? 0 : inf);
	frexpl(v, &e);                                          /* |v| < 2^e */
	e = e < least ? least : e;
	m = (uint64_t)fabsl(fp_integral(ldexpl(v, bits - e), rnd));
	if (m >> bits)
		m >>= 1, e++;
	if (e > most)
		return sign | (to_zero ? inf - 1 : inf);
	return sign | (m + (m >> (bits - 1) ? (uint64_t)(e - least) << (bits - 1) : 0));
}

static uint64_t
flush16(uint64_t x)
{
	return x & 0x7c00 ? x & 0xffff : x & 0x8000;
}

/* a * b + c, the last bit odd where there would be more of them */
static long double
fma_odd(long double a, long double b, long double c)
{
	volatile long double x = a, y = b, z = c, r;
	int inexact, e;

	fesetround(FE_TOWARDZERO);
	feclearexcept(FE_INEXACT);
	r = fmal(x, y, z);
	inexact = fetestexcept(FE_INEXACT);
	fesetround(FE_TONEAREST);
	if (inexact && isfinite(r) && !((uint64_t)ldexpl(fabsl(frexpl(r, &e)), 64) & 1))
		r = nextafterl(r, copysignl(INFINITY, r));
	return r == 0 && !inexact ? fmal(x, y, z) : r;          /* the sign of an exact zero is that of rn */
}

/* ---- forms made of one operation on each half ---- */

typedef uint64_t one_fn(const form *, const uint64_t *s);

static uint64_t
finished(const form *f, uint64_t r)
{
	int bf16 = f->k[BF16], mods = f->k[MODS];
	uint64_t one = bf16 ? 0x3f80 : 0x3c00, most = bf16 ? 0x7f7f : 0x7bff;

	if (mods & FTZ)
		r = flush16(r);
	if (mods & SAT)
		r = is_nan16(r, bf16) || r & 0x8000 ? 0 : r > one ? one : r;
	if (is_nan16(r, bf16))
		return r;
	if (mods & FINITE && (r & 0x7fff) > most)
		r = (r & 0x8000) | most;
	return mods & RELU && r & 0x8000 ? 0 : r;
}

static uint64_t
arithmetic(const form *f, const uint64_t *s)
{
	int bf16 = f->k[BF16];
	long double v[3], r;

	for (int k = 0; k < 3; k++)
		v[k] = value16(f->k[MODS] & FTZ ? flush16(s[k]) : s[k], bf16);
	r = f->k[OP] == FP_ADD ? fma_odd(v[0], 1, v[1]) : f->k[OP] == SUB ? fma_odd(v[0], 1, -v[1]) :
		f->k[OP] == FP_MUL ? v[0] * v[1] : fma_odd(v[0], v[1], v[2]);
	return finished(f, rounded16(r, bf16, FP_RN));
}

static uint64_t
extreme(const form *f, const uint64_t *s)
{
	int bf16 = f->k[BF16], mods = f->k[MODS], less;
	uint64_t a = mods & FTZ ? flush16(s[0]) : s[0], b = mods & FTZ ? flush16(s[1]) : s[1], sign = 0;

	if (is_nan16(a, bf16) && is_nan16(b, bf16))
		return 0x7fff;
	if (mods & NAN_ && (is_nan16(a, bf16) || is_nan16(b, bf16)))
		return 0x7fff;
	if (mods & XORSIGN)
		sign = (a ^ b) & 0x8000;
	if (mods & ABS)
		a &= 0x7fff, b &= 0x7fff;
	if (is_nan16(a, bf16) || is_nan16(b, bf16))
		return (is_nan16(a, bf16) ? b : a) | sign;
	/* by the bits, so that -0 is less than +0 */
	less = (int16_t)(a & 0x8000 ? a ^ 0x7fff : a) < (int16_t)(b & 0x8000 ? b ^ 0x7fff : b);
	return (less == (f->k[OP] == MIN) ? a : b) | sign;
}

static uint64_t
sign_changed(const form *f, const uint64_t *s)
{
	uint64_t x = f->k[OP] == NEG ? s[0] ^ 0x8000 : s[0] & 0x7fff;

	return f->k[MODS] & FTZ ? flush16(x) : x;
}

static uint64_t
function(const form *f, const uint64_t *s)
{
	long double v = value16(s[0], f->k[BF16]);

	return rounded16(f->k[OP] == EX2 ? exp2l(v) : tanhl(v), f->k[BF16], FP_RN);
}

static one_fn *
one_of(const form *f)
{
	return f->k[OP] >= EX2 ? function : f->k[OP] >= NEG ? sign_changed : f->k[OP] >= MIN ? extreme : arithmetic;
}

static uint64_t
each(const form *f, const uint64_t *s)
{
	uint64_t lo[3] = { s[0] & 0xffff, s[1] & 0xffff, s[2] & 0xffff }, hi[3] = { s[0] >> 16, s[1] >> 16, s[2] >> 16 };

	return one_of(f)(f, lo) | (f->k[PAIR] ? one_of(f)(f, hi) << 16 : 0);
}

/* PTX's bounds: ex2 2^-9.9 and 2^-7 of the result, tanh 2^-10.987 and 2^-8; or as near as a subnormal comes */
static int
near(const form *f, uint64_t x, uint64_t got)
{
	int bf16 = f->k[BF16];
	long double v = value16(x, bf16), r, g = value16(got, bf16), most;

	if (isnan(v) || isnan(g))
		return isnan(v) && isnan(g);
	r = f->k[OP] == EX2 ? exp2l(v) : tanhl(v);
	if (f->k[OP] == EX2 && bf16 && (r < 0x1p-126L || fabsl(v) < 0x1p-126L))
		return fabsl(v) < 0x1p-126L ? got == 0x3f80 : got == 0 || (got == 0x80 && r > 0x1.fcp-127L);
	if (isinf(g) || isinf(r))
		return got == rounded16(r, bf16, FP_RN);
	most = f->k[OP] == TANH ? (bf16 ? 0x1p-8L : powl(2, -10.987L)) : r * (bf16 ? 0x1p-7L : powl(2, -9.9L));
	return fabsl(g - r) <= most || (!bf16 && fabsl(g - r) <= 0x1.01p-25L);
}

static int
half_holds(const form *f, const uint64_t *s, uint64_t got, int shift)
{
	uint64_t want = f->fn(f, s) >> shift & 0xffff, g = got >> shift & 0xffff;

	if (f->fn == each && f->k[OP] >= EX2)
		return near(f, s[0] >> shift & 0xffff, g);
	return g == want || (!f->k[EXACT] && is_nan16(g, f->k[BF16]) && is_nan16(want, f->k[BF16]));
}

static int
holds(const form *f, const uint64_t *s, uint64_t got)
{
	return half_holds(f, s, got, 0) && (f->k[PAIR] ? half_holds(f, s, got, 16) : got >> 16 == 0);
}

static void
set_up(form *f, int op, int type, int mods, int rnd, int exact)
{
	memcpy(f->k, (int[6]){ op, type >> 1, type & 1, mods, rnd, exact }, sizeof f->k);
	f->holds = holds;
}

static const char *
signature(int type, int nsrc)
{
	static const char *const sig[2][3] = { { "h:h", "h:hh", "h:hhh" }, { "r:r", "r:rr", "r:rrr" } };

	return sig[type & 1][nsrc - 1];
}

static void
add_binary(form_list *l)
{
	static const struct { const char *name; int op; } ops[] = { { "add", FP_ADD }, { "sub", SUB }, { "mul", FP_MUL } };

	for (int v = 0; v < 3 * 4 * 8; v++) {
		int op = v % 3, type = v / 3 % 4, mods = v / 12 & 3, rn = v / 48;

		if (type >= 2 && mods)
			continue;
		set_up(form_add(l, signature(type, 2), each, "%s%s%s%s.%s $0, $1, $2;", ops[op].name, rn ? ".rn" : "", mods & FTZ ? ".ftz" : "",
		                mods & SAT ? ".sat" : "", type_name[type >> 1][type & 1]), ops[op].op, type, mods, 0, 0);
	}
}

static void
add_minmax(form_list *l)
{
	for (int v = 0; v < 2 * 4 * 8; v++) {
		int max = v & 1, type = v / 2 % 4, mods = (v / 8 & 1 ? FTZ : 0) | (v / 16 & 1 ? NAN_ : 0) | (v / 32 ? ABS | XORSIGN : 0);

		if (type >= 2 && mods & FTZ)
			continue;
		set_up(form_add(l, signature(type, 2), each, "%s%s%s%s.%s $0, $1, $2;", max ? "max" : "min", mods & FTZ ? ".ftz" : "",
		                mods & NAN_ ? ".NaN" : "", mods & ABS ? ".xorsign.abs" : "", type_name[type >> 1][type & 1]),
		       max ? MAX : MIN, type, mods, 0, 0);
	}
}

static void
add_fma(form_list *l)
{
	for (int v = 0; v < 4 * 6; v++) {
		int type = v % 4, mods = (v / 4 & 1 ? FTZ : 0) | (v / 8 == 1 ? SAT : v / 8 == 2 ? RELU : 0);

		if (type >= 2 && mods & (FTZ | SAT))
			continue;
		set_up(form_add(l, signature(type, 3), each, "fma.rn%s%s%s.%s $0, $1, $2, $3;", mods & FTZ ? ".ftz" : "", mods & SAT ? ".sat" : "",
		                mods & RELU ? ".relu" : "", type_name[type >> 1][type & 1]), FP_FMA, type, mods, 0, !!(mods & RELU));
	}
}

static void
add_unary(form_list *l)
{
	for (int type = 0; type < 4; type++)
		for (int v = 0; v < 4; v++) {
			int ftz = v >> 1;

			if (ftz && type >= 2)
				continue;
			set_up(form_add(l, signature(type, 1), each, "%s%s.%s $0, $1;", v & 1 ? "neg" : "abs", ftz ? ".ftz" : "",
			                type_name[type >> 1][type & 1]), v & 1 ? NEG : ABSOLUTE, type, ftz ? FTZ : 0, 0, 0);
		}
	for (int type = 0; type < 4; type++) {
		const char *t = type_name[type >> 1][type & 1];

		set_up(form_add(l, signature(type, 1), each, "ex2.approx%s.%s $0, $1;", type >= 2 ? ".ftz" : "", t), EX2, type, 0, 0, 0);
		set_up(form_add(l, signature(type, 1), each, "tanh.approx.%s $0, $1;", t), TANH, type, 0, 0, 0);
	}
}

/* ---- comparisons. k[OP]: the comparison; k[RND]: type of set's result, 0 setp; k[EXACT]: boolean operation, 4 where its
 * predicate is negated */

static const char *const compare_name[] = { "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };
static const char *const boolean_name[] = { "", ".and", ".or", ".xor" };

static int
compares(const form *f, uint64_t a, uint64_t b)
{
	int bf16 = f->k[BF16], nan = is_nan16(a, bf16) || is_nan16(b, bf16), op = f->k[OP];
	long double x = value16(f->k[MODS] & FTZ ? flush16(a) : a, bf16), y = value16(f->k[MODS] & FTZ ? flush16(b) : b, bf16);
	int is[] = { x == y, x < y || x > y, x < y, x <= y, x > y, x >= y };

	return op < 6 ? !nan && is[op] : op < 12 ? nan || is[op - 6] : op == 12 ? !nan : nan;
}

static uint64_t
set_result(const form *f, const uint64_t *s)
{
	static const uint64_t one[] = { 1, 0xffff, 0xffffffff, 0x3c00 };        /* setp; u16, s16; u32, s32; the type itself */
	uint64_t r = 0, yes = f->k[RND] == 3 && f->k[BF16] ? 0x3f80 : one[f->k[RND]];
	int step = f->k[RND] ? 16 : 1;

	for (int h = 0; h <= f->k[PAIR]; h++) {
		int p = compares(f, s[0] >> 16 * h & 0xffff, s[1] >> 16 * h & 0xffff), c = (int)(s[2] & 1) ^ f->k[EXACT] >> 2, b = f->k[EXACT] & 3;

		p = b == 1 ? p && c : b == 2 ? p || c : b == 3 ? p ^ c : p;
		r |= p ? (f->k[PAIR] ? yes & 0xffff : yes) << step * h : 0;
	}
	return r;
}

static bool is_negated(int cmp, int b) { return b && (cmp + b) & 1; }

static const char *
boolean_source(int cmp, int b)
{
	return !b ? "" : is_negated(cmp, b) ? ", !$3" : ", $3";
}

static void
add_setp(form_list *l, int cmp, int type, int ftz, int b)
{
	const char *t = type_name[type >> 1][type & 1], *c = boolean_source(cmp, b);
	form *f;

	if (type & 1)
		f = form_add(l, "r:rrp", set_result, "{ .reg .pred a, b; .reg .b32 t; setp.%s%s%s.%s a|b, $1, $2%s; "
		             "selp.b32 $0, 1, 0, a; selp.b32 t, 2, 0, b; or.b32 $0, $0, t; }", compare_name[cmp], boolean_name[b],
		             ftz ? ".ftz" : "", t, c);
	else
		f = form_add(l, "p:hhp", set_result, "setp.%s%s%s.%s $0, $1, $2%s;", compare_name[cmp], boolean_name[b], ftz ? ".ftz" : "", t, c);
	memcpy(f->k, (int[6]){ cmp, type >> 1, type & 1, ftz ? FTZ : 0, 0, b | is_negated(cmp, b) << 2 }, sizeof f->k);
}

static void
add_set(form_list *l, int cmp, int type, int ftz, int b)
{
	static const char *const to[] = { "u16", "s16", "u32", "s32" };
	const char *t = type_name[type >> 1][type & 1], *c = boolean_source(cmp, b);

	for (int d = type & 1 ? 2 : 0; d < 5; d++) {
		int wide = type & 1 || d == 2 || d == 3;
		form *f = form_add(l, type & 1 ? "r:rrp" : wide ? "r:hhp" : "h:hhp", set_result, "set.%s%s%s.%s.%s $0, $1, $2%s;", compare_name[cmp],
		                   boolean_name[b], ftz ? ".ftz" : "", d < 4 ? to[d] : t, t, c);

		memcpy(f->k, (int[6]){ cmp, type >> 1, type & 1, ftz ? FTZ : 0, d < 2 ? 1 : d < 4 ? 2 : 3, b | is_negated(cmp, b) << 2 }, sizeof f->k);
	}
}

static void
add_comparisons(form_list *l)
{
	for (int cmp = 0; cmp < 14; cmp++)
		for (int type = 0; type < 4; type++)
			for (int ftz = 0; ftz < (type < 2 ? 2 : 1); ftz++)
				for (int b = 0; b < 4; b++) {
					add_setp(l, cmp, type, ftz, b);
					if (!b || b == 1 + cmp % 3)
						add_set(l, cmp, type, ftz, b);
				}
}

/* ---- conversions to halves. k[OP]: source 32, 64 float; 16, 17 f16, bf16; else 100 + 2 log2 bits + signed ---- */

enum { INT = 100 };

static long double
source_value(const form *f, uint64_t x)
{
	int from = f->k[OP], bits = from < INT ? from : 1 << ((from - INT) >> 1);

	if (from == 32)
		return fp_value(f->k[MODS] & FTZ ? fp_flush(x, 32) : x, 32);
	if (from < INT)
		return from == 64 ? fp_value(x, 64) : value16(x, from == 17);
	if ((from - INT) & 1)
		return (long double)((int64_t)(x << (64 - bits)) >> (64 - bits));
	return (long double)(x << (64 - bits) >> (64 - bits));
}

static uint64_t
converted(const form *f, uint64_t x)
{
	form g = *f;
	long double v = source_value(f, x);

	if (f->k[RND] >= 4)
		v = fp_integral(v, (fp_round)(f->k[RND] - 4));
	g.k[MODS] &= ~FTZ;
	return finished(&g, rounded16(v, f->k[BF16], f->k[RND] < 4 ? (fp_round)f->k[RND] : FP_RN));
}

static uint64_t
to_half(const form *f, const uint64_t *s)
{
	return f->k[PAIR] ? converted(f, s[1]) | converted(f, s[0]) << 16 : converted(f, s[0]);
}

static void
add_to_half(form_list *l, const char *sig, int from, const char *name)
{
	for (int v = 0; v < 4 * 2 * 4; v++) {
		int rnd = v & 3, bf16 = v >> 2 & 1, mods = v >> 3;

		if ((mods & FTZ && from != 32) || (mods & SAT && bf16 && from == 32))
			continue;
		set_up(form_add(l, sig, to_half, "cvt.%s%s%s.%s.%s $0, $1;", fp_round_name[rnd], mods & FTZ ? ".ftz" : "", mods & SAT ? ".sat" : "",
		                type_name[bf16][0], name), from, bf16 << 1, mods, rnd, bf16);
	}
}

static void
add_from_f32(form_list *l)
{
	add_to_half(l, "h:f", 32, "f32");
	add_to_half(l, "r:f", 32, "f32");       /* the upper half is zero */
	for (int v = 0; v < 32; v++) {
		int type = v & 3, rnd = v >> 2 & 1, mods = (v >> 3 & 1 ? RELU : 0) | (v >> 4 ? FINITE : 0);

		if (!(type & 1) && !mods)
			continue;
		set_up(form_add(l, type & 1 ? "r:ff" : "h:f", to_half, "cvt.%s%s%s.%s.f32 $0, $1%s;", fp_round_name[rnd], mods & RELU ? ".relu" : "",
		                mods & FINITE ? ".satfinite" : "", type_name[type >> 1][type & 1], type & 1 ? ", $2" : ""), 32, type, mods, rnd, type >= 2 || mods & RELU);
	}
}

/* Between halves, integral values too; and from them. */
static void
add_between(form_list *l)
{
	for (int v = 0; v < 20; v++) {
		int bf16 = v & 1, sat = v >> 1 & 1, rnd = v >> 2;

		set_up(form_add(l, "h:h", to_half, "cvt%s%s%s%s.%s.%s $0, $1;", rnd < 4 ? "." : "", rnd < 4 ? fp_round_name[rnd] : "", rnd < 4 ? "i" : "",
		                sat ? ".sat" : "", type_name[bf16][0], type_name[bf16][0]), 16 + bf16, bf16 << 1, sat ? SAT : 0, 4 + rnd % 4, 0);
		if (rnd == 4)
			l->f[l->n - 1].k[RND] = 0;
	}
	for (int v = 0; v < 8; v++)
		set_up(form_add(l, "h:h", to_half, "cvt.%s.%s.%s $0, $1;", fp_round_name[v & 3], type_name[v >> 2][0], type_name[!(v >> 2)][0]),
		       16 + !(v >> 2), v >> 2 << 1, 0, v & 3, v >> 2);
}

/* k[OP]: 32, 64 float; INT + ..: integer */
static uint64_t
from_half(const form *f, const uint64_t *s)
{
	uint64_t r = fp_rounded(value16(s[0], f->k[BF16]), f->k[OP], FP_RN);

	r = f->k[MODS] & FTZ ? fp_flush(r, f->k[OP]) : r;
	return f->k[MODS] & SAT ? fp_clamp(r, f->k[OP]) : r;
}

static uint64_t
to_int(const form *f, const uint64_t *s)
{
	int bits = 1 << ((f->k[OP] - INT) >> 1), is_signed = (f->k[OP] - INT) & 1;
	long double v = fp_integral(value16(s[0], f->k[BF16]), (fp_round)f->k[RND]), end = ldexpl(1, bits - is_signed);

	if (isnan(v))
		return bits == 64 ? (uint64_t)1 << 63 : 0;
	if (v >= end)
		return UINT64_MAX >> (64 - bits + is_signed);
	if (is_signed)
		return (uint64_t)(v <= -end ? INT64_MIN >> (64 - bits) : (int64_t)v);
	return v <= 0 ? 0 : (uint64_t)v;
}

static const char *const int_name[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
static const char int_letter[] = "hhhhrrdd";

static void
add_from_half(form_list *l)
{
	for (int v = 0; v < 16; v++) {
		int bf16 = v & 1, f64 = v >> 1 & 1, mods = v >> 2;

		if (mods & FTZ && f64)
			continue;
		set_up(form_add(l, f64 ? "F:h" : "f:h", from_half, "cvt%s%s.f%d.%s $0, $1;", mods & FTZ ? ".ftz" : "", mods & SAT ? ".sat" : "",
		                f64 ? 64 : 32, type_name[bf16][0]), f64 ? 64 : 32, bf16 << 1, mods, 0, 0);
		l->f[l->n - 1].holds = NULL;
	}
	for (int v = 0; v < 8 * 2 * 4 * 2; v++) {
		int to = v & 7, bf16 = v >> 3 & 1, rnd = v >> 4 & 3, sat = v >> 6;

		set_up(form_add(l, (char[]){ int_letter[to], ':', 'h', 0 }, to_int, "cvt.%si%s.%s.%s $0, $1;", fp_round_name[rnd], sat ? ".sat" : "",
		                int_name[to], type_name[bf16][0]), INT + 2 * (to / 2 + 3) + to % 2, bf16 << 1, 0, rnd, 1);
		l->f[l->n - 1].holds = NULL;
	}
}

static int
run_from_ints(void)
{
	form_data d = { 0 };
	uint64_t s = 5;
	int n = (int)test_length(2000, 3000, 6000) * (getenv("EXHAUSTIVE") ? 10 : 1), bad = 0;

	for (int i = 0; i < n; i++) {
		uint64_t x = form_random(&s), few = form_random(&s) & 0xffff;

		x = i % 4 == 0 ? x : i % 4 == 1 ? x >> form_random(&s) % 64 : few << form_random(&s) % 49;
		form_vector(&d, x + (i % 16 > 11 ? form_random(&s) % 3 - 1 : 0), 0, 0, 0);
	}
	for (int from = 0; from < 8; from++) {
		form_list l = { 0 };

		add_to_half(&l, (char[]){ 'h', ':', int_letter[from], 0 }, INT + 2 * (from / 2 + 3) + from % 2, int_name[from]);
		bad |= form_run(int_name[from], &l, &d, FORM_ALL);
		free(l.f);
	}
	free(d.v);
	return bad;
}

/* ---- operands ---- */

/* Every exponent, both signs; mantissas at the ends and in the middle. For f16 and bf16 alike: all of the upper nine bits. */
static uint64_t
edge(uint64_t *s)
{
	static const uint16_t low[] = { 0, 1, 2, 0x3f, 0x40, 0x41, 0x7e, 0x7f };
	uint64_t x = form_random(s);

	return x & 7 ? (x >> 8 & 0xff80) | low[x >> 4 & 7] : x >> 8 & 0xffff;
}

static uint64_t
near_edge(uint64_t *s, uint64_t x)
{
	return (x & 0x8000) | ((x & 0x7fff) + form_random(s) % 0x800 * 4 - 0x1000);
}

static uint64_t
both(uint64_t *s, uint64_t x, int close)
{
	return ((close ? near_edge(s, x) : edge(s)) & 0xffff) | ((close ? near_edge(s, x >> 16) : edge(s)) & 0xffff) << 16;
}

/* Around the middle between two halves, and any */
static uint64_t
some_f32(uint64_t *s)
{
	uint64_t x = form_random(s), bf16 = x & 1, e = bf16 ? x >> 8 & 0xff : 98 + (x >> 8) % 48;
	uint64_t m = form_random(s) & 0x807fffff, cut = bf16 ? 16 : 13, rest = (x >> 4 & 3) - 1;

	if ((x >> 1 & 7) == 0)
		return form_random(s) & 0xffffffff;
	return (((m >> cut << cut) + (x >> 6 & 1 ? (uint64_t)1 << (cut - 1) : 0) + rest) & 0xffffffff) ^ e << 23;
}

static uint64_t
some_f64(uint64_t *s)
{
	uint64_t f = some_f32(s), x = form_random(s), wide;
	double d = (double)fp_value(f, 32);

	memcpy(&wide, &d, 8);
	return x & 7 ? wide + (x >> 8 & 7) - 3 : x;
}

int
main(void)
{
	form_list binary = { 0 }, fma = { 0 }, unary = { 0 }, compare = { 0 }, f32 = { 0 }, f64 = { 0 };
	form_data all = { 0 }, pairs = { 0 }, wide = { 0 }, doubles = { 0 };
	int n = (int)test_length(4000, 10000, 25000) * (getenv("EXHAUSTIVE") ? 10 : 1), bad = 0;
	uint64_t s = 9;

	add_binary(&binary), add_minmax(&binary), add_fma(&fma), add_unary(&unary), add_between(&unary), add_from_half(&unary);
	add_comparisons(&compare), add_from_f32(&f32), add_to_half(&f64, "h:F", 64, "f64");
	for (uint64_t i = 0; i < 0x10000; i++)
		form_vector(&all, i | (i * 40503 & 0xffff) << 16, 0, 0, 0);
	for (int i = 0; i < n; i++) {
		uint64_t a = both(&s, 0, 0), b = both(&s, a, i % 3 == 0);

		form_vector(&pairs, a, b, both(&s, a, i % 2), form_random(&s));
		form_vector(&wide, some_f32(&s), some_f32(&s), 0, 0);
		form_vector(&doubles, some_f64(&s), 0, 0, 0);
	}
	bad |= form_run("f16 and bf16: one source", &unary, &all, FORM_ALL);
	bad |= form_run("f16 and bf16: two sources", &binary, &pairs, FORM_ALL);
	bad |= form_run("f16 and bf16: fma", &fma, &pairs, FORM_ALL);
	pairs.n = e2e_quick() ? pairs.n : 4000;
	bad |= form_run("f16 and bf16: setp and set", &compare, &pairs, FORM_ALL);
	bad |= form_run("f16 and bf16 from f32", &f32, &wide, FORM_ALL);
	bad |= form_run("f16 and bf16 from f64", &f64, &doubles, FORM_ALL);
	bad |= run_from_ints();
	free(all.v), free(pairs.v), free(wide.v), free(doubles.v);
	free(binary.f), free(fma.f), free(unary.f), free(compare.f), free(f32.f), free(f64.f);
	return bad;
}
