/* fpref.c -- correctly rounded host arithmetic by fesetround; volatile keeps operations between the two settings.
 * Needs a host whose long double has 64 bits of precision or more (x86: extended; else binary128). */
#include "fpref.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(LDBL_MANT_DIG >= 64, "long double must hold 64-bit integers");
const char *const fp_round_name[4] = { "rn", "rz", "rm", "rp" };
static const int direction[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

static float
f32_of(uint64_t x)
{
	uint32_t w = (uint32_t)x;
	float f;

	memcpy(&f, &w, 4);
	return f;
}

static double
f64_of(uint64_t x)
{
	double f;

	memcpy(&f, &x, 8);
	return f;
}

static uint64_t
of_f32(float f)
{
	uint32_t w;

	memcpy(&w, &f, 4);
	return w;
}

static uint64_t
of_f64(double f)
{
	uint64_t w;

	memcpy(&w, &f, 8);
	return w;
}

static uint64_t
arith32(fp_op op, uint64_t x, uint64_t y, uint64_t z)
{
	volatile float a = f32_of(x), b = f32_of(y), c = f32_of(z), r;

	switch (op) {
	case FP_ADD: r = a + b; break;
	case FP_SUB: r = a - b; break;
	case FP_MUL: r = a * b; break;
	case FP_DIV: r = a / b; break;
	case FP_SQRT: r = sqrtf(a); break;
	default:     r = fmaf(a, b, c); break;
	}
	return of_f32(r);
}

static uint64_t
arith64(fp_op op, uint64_t x, uint64_t y, uint64_t z)
{
	volatile double a = f64_of(x), b = f64_of(y), c = f64_of(z), r;

	switch (op) {
	case FP_ADD: r = a + b; break;
	case FP_SUB: r = a - b; break;
	case FP_MUL: r = a * b; break;
	case FP_DIV: r = a / b; break;
	case FP_SQRT: r = sqrt(a); break;
	default:     r = fma(a, b, c); break;
	}
	return of_f64(r);
}

uint64_t
fp_arith(fp_op op, int bits, fp_round rnd, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t r;

	fesetround(direction[rnd]);
	r = bits == 32 ? arith32(op, a, b, c) : arith64(op, a, b, c);
	fesetround(FE_TONEAREST);
	return r;
}

int
fp_is_nan(uint64_t x, int bits)
{
	return bits == 16 ? (x & 0x7fff) > 0x7c00 : bits == 32 ? (x & 0x7fffffff) > 0x7f800000 :
		(x & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

uint64_t
fp_flush(uint64_t x, int bits)
{
	return bits == 32 && (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}

uint64_t
fp_clamp(uint64_t x, int bits)
{
	uint64_t one = bits == 32 ? 0x3f800000 : 0x3ff0000000000000;

	if (fp_is_nan(x, bits) || x >> (bits - 1) & 1)
		return 0;
	return x > one ? one : x;
}

static long double
half_value(uint64_t x)
{
	uint64_t e = x >> 10 & 31, m = x & 0x3ff;
	long double v = e == 31 ? (m ? (long double)NAN : (long double)INFINITY) :
		e ? ldexpl((long double)(m | 0x400), (int)e - 25) : ldexpl((long double)m, -24);

	return x & 0x8000 ? -v : v;
}

long double
fp_value(uint64_t x, int bits)
{
	return bits == 16 ? half_value(x) : bits == 32 ? (long double)f32_of(x) : (long double)f64_of(x);
}

/* The nearest f16: in units of the last place v is scaled to an integer and rounded there. */
static uint64_t
half_of(long double v)
{
	uint64_t sign = signbit(v) ? 0x8000 : 0;
	long double m = fabsl(v);
	int e;

	if (isnan(v))
		return 0x7fff;
	if (m >= 65520)                         /* halfway from the largest to 2^16: to even, infinity */
		return sign | 0x7c00;
	if (m == 0)
		return sign;
	frexpl(m, &e);                          /* m < 2^e */
	if (e < -13)
		return sign | (uint64_t)rintl(ldexpl(m, 24));
	return sign | ((uint64_t)((e + 13) << 10) + (uint64_t)rintl(ldexpl(m, 11 - e)));
}

uint64_t
fp_rounded(long double v, int bits, fp_round rnd)
{
	volatile long double from = v;
	volatile float f;
	volatile double d;

	if (bits == 16)
		return half_of(v);
	fesetround(direction[rnd]);
	if (bits == 32)
		f = (float)from;
	else
		d = (double)from;
	fesetround(FE_TONEAREST);
	return bits == 32 ? of_f32(f) : of_f64(d);
}

long double
fp_integral(long double v, fp_round rnd)
{
	switch (rnd) {
	case FP_RZ: return truncl(v);
	case FP_RM: return floorl(v);
	case FP_RP: return ceill(v);
	default:    return rintl(v);
	}
}
