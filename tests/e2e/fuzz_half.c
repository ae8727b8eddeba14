/* fuzz_half.c -- operations on f16 and bf16 by bits: sums and products in 113 bits, with what those lack, rounded once.
 * NaN results are the canonical NaN. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

__extension__ typedef __float128 wide;
enum { NAN16 = 0x7fff };

static bool is_nan(uint64_t x, int bf) { return (x & 0x7fff) > (bf ? 0x7f80 : 0x7c00); }

/* 2^e, -600 <= e <= 600 */
static wide
power(int e)
{
	return (wide)ldexpl(1, e);
}

static wide
value(uint64_t x, int bf)
{
	int m = bf ? 7 : 10, bias = bf ? 127 : 15, e = (int)(x >> m & (bf ? 0xff : 0x1f));
	wide v = (wide)((x & ((1u << m) - 1)) | (uint64_t)(e > 0) << m);

	if ((x & 0x7fff) == (bf ? 0x7f80 : 0x7c00))
		v = (wide)HUGE_VALL;
	else
		v *= power((e ? e : 1) - bias - m);
	return x & 0x8000 ? -v : v;
}

/* v + rest, rest being smaller than any bit of v, to the nearest; even at a tie. */
static uint64_t
rounded(wide v, wide rest, int bf)
{
	int m = bf ? 7 : 10, least = bf ? -126 : -14, e = least;
	uint64_t inf = bf ? 0x7f80 : 0x7c00, sign = signbit((long double)v) ? 0x8000 : 0, q;
	wide x = v < 0 ? -v : v, low;

	if (v != v)
		return NAN16;
	if (x == (wide)HUGE_VALL)
		return sign | inf;
	while (x >= power(e + 1) && e < 200)
		e++;
	x *= power(m - e);
	if (x >= power(m + 2))
		return sign | inf;
	q = (uint64_t)x;
	low = x - (wide)q;
	rest = v < 0 ? -rest : rest;
	if (low > (wide)0.5 || (low == (wide)0.5 && (rest > 0 || (rest == 0 && q & 1))))
		q++;
	q += (uint64_t)(e - least) << m;
	return sign | (q >= inf ? inf : q);
}

/* a + b exactly: the sum and what it lacks (Knuth). */
static wide
lacking(wide a, wide b, wide sum)
{
	wide bb = sum - a;

	return sum - sum != 0 ? 0 : (a - (sum - bb)) + (b - bb);
}

uint64_t
fuzz_half(char op, uint64_t a, uint64_t b, uint64_t c, int bf)
{
	wide x = value(a, bf), y = value(b, bf), z;

	if ((op == '<' || op == '>') && (is_nan(a, bf) || is_nan(b, bf)))
		return !is_nan(a, bf) ? a : !is_nan(b, bf) ? b : NAN16;
	if (is_nan(a, bf) || is_nan(b, bf) || (op == 'f' && is_nan(c, bf)))
		return NAN16;
	switch (op) {
	case '<': return x == y ? a | b : x < y ? a : b;        /* -0 is less than 0 */
	case '>': return x == y ? a & b : x > y ? a : b;
	case '-': y = -y; break;
	case '*': return rounded(x * y, 0, bf);
	case 'f':
		x *= y;
		y = value(c, bf);
		break;
	}
	z = x + y;
	return rounded(z, lacking(x, y, z), bf);
}

uint64_t
fuzz_halves(char op, uint64_t a, uint64_t b, uint64_t c, int bf)
{
	return fuzz_half(op, a & 0xffff, b & 0xffff, c & 0xffff, bf) |
		fuzz_half(op, a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff, bf) << 16;
}

uint64_t
fuzz_half_of_f32(uint64_t x, int bf)
{
	uint32_t w = (uint32_t)x;
	float f;

	memcpy(&f, &w, 4);
	return isnan(f) ? NAN16 : rounded((wide)f, 0, bf);
}

uint64_t
fuzz_f32_of_half(uint64_t x, int bf)
{
	float f = (float)value(x, bf);
	uint32_t w;

	memcpy(&w, &f, 4);
	return is_nan(x, bf) ? 0x7fffffff : w;
}

int
fuzz_cmp_half(uint64_t a, uint64_t b, int bf)
{
	wide x = value(a, bf), y = value(b, bf);

	return is_nan(a, bf) || is_nan(b, bf) ? 2 : x < y ? -1 : x > y;
}
