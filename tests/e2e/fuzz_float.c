/* fuzz_float.c -- float operations by bits, with the host's arithmetic under the rounding mode asked for.
 * Volatile keeps the compiler from computing across the change of mode. */
#include "fuzz.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { QNAN32 = 0x7fffffff };
#define QNAN64 0x7fffffffffffffffull

static int
mode(char rm)
{
	return rm == 'z' ? FE_TOWARDZERO : rm == 'm' ? FE_DOWNWARD : rm == 'p' ? FE_UPWARD : FE_TONEAREST;
}

static float
f32(uint64_t x, int ftz)
{
	uint32_t w = (uint32_t)x;
	float f;

	if (ftz && !(w & 0x7f800000))
		w &= 0x80000000;
	memcpy(&f, &w, 4);
	return f;
}

static uint64_t
bits32(float f, int ftz)
{
	uint32_t w;

	memcpy(&w, &f, 4);
	if (isnan(f))
		return QNAN32;
	return ftz && !(w & 0x7f800000) ? w & 0x80000000 : w;
}

static double
f64(uint64_t x)
{
	double f;

	memcpy(&f, &x, 8);
	return f;
}

static uint64_t
bits64(double f)
{
	uint64_t w;

	memcpy(&w, &f, 8);
	return isnan(f) ? QNAN64 : w;
}

#define ROUNDED(type, expr) volatile type r; fesetround(mode(rm)); r = (expr); fesetround(FE_TONEAREST)

uint64_t
fuzz_add32(uint64_t a, uint64_t b, char rm, int ftz)
{
	volatile float x = f32(a, ftz), y = f32(b, ftz);
	ROUNDED(float, x + y);
	return bits32(r, ftz);
}

uint64_t
fuzz_mul32(uint64_t a, uint64_t b, char rm, int ftz)
{
	volatile float x = f32(a, ftz), y = f32(b, ftz);
	ROUNDED(float, x * y);
	return bits32(r, ftz);
}

uint64_t
fuzz_div32(uint64_t a, uint64_t b, char rm, int ftz)
{
	volatile float x = f32(a, ftz), y = f32(b, ftz);
	ROUNDED(float, x / y);
	return bits32(r, ftz);
}

uint64_t
fuzz_sqrt32(uint64_t a, char rm, int ftz)
{
	volatile float x = f32(a, ftz);
	ROUNDED(float, sqrtf(x));
	return bits32(r, ftz);
}

uint64_t
fuzz_div64(uint64_t a, uint64_t b, char rm)
{
	volatile double x = f64(a), y = f64(b);
	ROUNDED(double, x / y);
	return bits64(r);
}

uint64_t
fuzz_sqrt64(uint64_t a, char rm)
{
	volatile double x = f64(a);
	ROUNDED(double, sqrt(x));
	return bits64(r);
}

uint64_t
fuzz_fma32(uint64_t a, uint64_t b, uint64_t c, char rm, int ftz)
{
	volatile float x = f32(a, ftz), y = f32(b, ftz), z = f32(c, ftz);
	ROUNDED(float, fmaf(x, y, z));
	return bits32(r, ftz);
}

uint64_t
fuzz_min32(uint64_t a, uint64_t b, int max, int ftz)
{
	float x = f32(a, ftz), y = f32(b, ftz);

	if (isnan(x) || isnan(y))
		return bits32(isnan(x) ? y : x, ftz);
	if (x == y)
		return bits32((signbit(x) != 0) != max ? x : y, ftz);
	return bits32((x < y) != max ? x : y, ftz);
}

uint64_t
fuzz_sat32(uint64_t a)
{
	float x = f32(a, 0);

	return !(x > 0) ? 0 : x > 1 ? bits32(1, 0) : a;
}

uint64_t
fuzz_add64(uint64_t a, uint64_t b, char rm)
{
	volatile double x = f64(a), y = f64(b);
	ROUNDED(double, x + y);
	return bits64(r);
}

uint64_t
fuzz_mul64(uint64_t a, uint64_t b, char rm)
{
	volatile double x = f64(a), y = f64(b);
	ROUNDED(double, x * y);
	return bits64(r);
}

uint64_t
fuzz_fma64(uint64_t a, uint64_t b, uint64_t c, char rm)
{
	volatile double x = f64(a), y = f64(b), z = f64(c);
	ROUNDED(double, fma(x, y, z));
	return bits64(r);
}

uint64_t
fuzz_min64(uint64_t a, uint64_t b, int max)
{
	double x = f64(a), y = f64(b);

	if (isnan(x) || isnan(y))
		return bits64(isnan(x) ? y : x);
	if (x == y)
		return bits64((signbit(x) != 0) != max ? x : y);
	return bits64((x < y) != max ? x : y);
}

int
fuzz_cmp32(uint64_t a, uint64_t b, int ftz)
{
	float x = f32(a, ftz), y = f32(b, ftz);

	return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}

int
fuzz_cmp64(uint64_t a, uint64_t b)
{
	double x = f64(a), y = f64(b);

	return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}

uint64_t
fuzz_f32_of(int64_t a, int is_unsigned, char rm)
{
	volatile int64_t x = a;
	ROUNDED(float, is_unsigned ? (float)(uint64_t)x : (float)x);
	return bits32(r, 0);
}

uint64_t
fuzz_f64_of(int64_t a, int is_unsigned, char rm)
{
	volatile int64_t x = a;
	ROUNDED(double, is_unsigned ? (double)(uint64_t)x : (double)x);
	return bits64(r);
}

uint64_t
fuzz_f32_of_f64(uint64_t a, char rm)
{
	volatile double x = f64(a);
	ROUNDED(float, (float)x);
	return bits32(r, 0);
}

uint64_t
fuzz_f64_of_f32(uint64_t a)
{
	return bits64((double)f32(a, 0));
}

uint64_t
fuzz_round64(uint64_t a, char rm)
{
	volatile double x = f64(a);
	ROUNDED(double, nearbyint(x));
	return bits64(r);
}

uint64_t
fuzz_round32(uint64_t a, char rm)
{
	volatile float x = f32(a, 0);
	ROUNDED(float, nearbyintf(x));
	return bits32(r, 0);
}

/* The source is no NaN. Out of range: the nearest integer. */
uint64_t
fuzz_int_of_f64(uint64_t a, char rm, int bits, int is_signed)
{
	double x = f64(fuzz_round64(a, rm)), over = ldexp(1, is_signed ? bits - 1 : bits);
	uint64_t max = (is_signed ? 1ull << (bits - 1) : bits == 64 ? 0 : 1ull << bits) - 1;

	if (x >= over)
		return max;
	if (is_signed)
		return x < -over ? ~max : (uint64_t)(int64_t)x;
	return x <= 0 ? 0 : (uint64_t)x;
}

uint64_t
fuzz_int_of_f32(uint64_t a, char rm, int bits, int is_signed)
{
	return fuzz_int_of_f64(fuzz_f64_of_f32(a), rm, bits, is_signed);
}
