/* fp.h -- floating point as the vector unit does it: bit casts, minimum and maximum,
 * conversions, halves.
 * Needs the host's rounding set as MODE says (run.c); everything here is inline for the lane
 * loops.
 * Vega ISA manual 12.8 to 12.12 (pseudo code of the instructions), 3.8 (MODE). */
#ifndef EMU_FP_H
#define EMU_FP_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float f32_of(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t u32_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline double f64_of(uint64_t u) { double d; memcpy(&d, &u, 8); return d; }
static inline uint64_t u64_of(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }

static inline bool is_nan32(uint32_t u) { return (u & 0x7fffffff) > 0x7f800000; }
static inline bool is_snan32(uint32_t u) { return is_nan32(u) && !(u & 0x400000); }
static inline bool is_nan64(uint64_t u) { return (u & INT64_MAX) > UINT64_C(0x7ff0000000000000); }
static inline bool is_snan64(uint64_t u) { return is_nan64(u) && !(u >> 51 & 1); }

/* A denormal becomes a zero of its sign. */
static inline uint32_t flush32(uint32_t u) { return u & 0x7f800000 ? u : u & 0x80000000; }
static inline uint64_t flush64(uint64_t u)
{
	return u & UINT64_C(0x7ff0000000000000) ? u : u & UINT64_C(0x8000000000000000);
}
static inline uint32_t flush16(uint32_t u) { return u & 0x7c00 ? u : u & 0x8000; }

/* V_MIN_F32, V_MAX_F32: a number beats a NaN; -0 is below +0; in IEEE mode a signalling NaN comes
 * back quiet. Zeros of both signs compare equal, so the bits decide. */
static inline float min32(float a, float b, uint32_t ieee)
{
	uint32_t ua = u32_of(a), ub = u32_of(b), r;
	r = a < b ? ua : b < a ? ub : is_nan32(ua) ? ub : is_nan32(ub) ? ua : ua | ub;
	r = ieee && is_snan32(ub) ? ub | 0x400000 : r;
	return f32_of(ieee && is_snan32(ua) ? ua | 0x400000 : r);
}
static inline float max32(float a, float b, uint32_t ieee)
{
	uint32_t ua = u32_of(a), ub = u32_of(b), r;
	r = a > b ? ua : b > a ? ub : is_nan32(ua) ? ub : is_nan32(ub) ? ua : ua & ub;
	r = ieee && is_snan32(ub) ? ub | 0x400000 : r;
	return f32_of(ieee && is_snan32(ua) ? ua | 0x400000 : r);
}
static inline double min64(double a, double b, uint32_t ieee)
{
	uint64_t ua = u64_of(a), ub = u64_of(b), quiet = UINT64_C(1) << 51, r;
	r = a < b ? ua : b < a ? ub : is_nan64(ua) ? ub : is_nan64(ub) ? ua : ua | ub;
	r = ieee && is_snan64(ub) ? ub | quiet : r;
	return f64_of(ieee && is_snan64(ua) ? ua | quiet : r);
}
static inline double max64(double a, double b, uint32_t ieee)
{
	uint64_t ua = u64_of(a), ub = u64_of(b), quiet = UINT64_C(1) << 51, r;
	r = a > b ? ua : b > a ? ub : is_nan64(ua) ? ub : is_nan64(ub) ? ua : ua & ub;
	r = ieee && is_snan64(ub) ? ub | quiet : r;
	return f64_of(ieee && is_snan64(ua) ? ua | quiet : r);
}
/* V_MINIMUM_F32, V_MAXIMUM_F32: a NaN beats a number and comes back quiet; -0 is below +0. */
static inline float minimum32(float a, float b)
{
	uint32_t ua = u32_of(a), ub = u32_of(b);
	uint32_t r = a < b ? ua : b < a ? ub : ua | ub;
	r = is_nan32(ub) ? ub | 0x400000 : r;
	return f32_of(is_nan32(ua) ? ua | 0x400000 : r);
}
static inline float maximum32(float a, float b)
{
	uint32_t ua = u32_of(a), ub = u32_of(b);
	uint32_t r = a > b ? ua : b > a ? ub : ua & ub;
	r = is_nan32(ub) ? ub | 0x400000 : r;
	return f32_of(is_nan32(ua) ? ua | 0x400000 : r);
}
/* V_MED3_F32 as the manual writes it. */
static inline float med3(float a, float b, float c, uint32_t ieee)
{
	float hi = max32(max32(a, b, ieee), c, ieee);
	if (is_nan32(u32_of(a)) || is_nan32(u32_of(b)) || is_nan32(u32_of(c)))
		return min32(min32(a, b, ieee), c, ieee);
	if (u32_of(hi) == u32_of(a))
		return max32(b, c, ieee);
	return u32_of(hi) == u32_of(b) ? max32(a, c, ieee) : max32(a, b, ieee);
}

/* To integers: truncated, saturated, NaN is 0. */
static inline uint32_t to_u32(double x)
{
	return x >= 4294967295.0 ? UINT32_MAX : x > 0 ? (uint32_t)(int64_t)x : 0;
}
static inline uint32_t to_i32(double x)
{
	return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? (uint32_t)INT32_MIN :
		x == x ? (uint32_t)(int32_t)x : 0;
}

/* IEEE class as a bit of V_CMP_CLASS's mask. nan: 2 * quiet or 1, else what exponent and sign
 * say. */
static inline uint32_t class_bit(bool nan, bool quiet, bool neg, bool inf, bool zero, bool denormal)
{
	uint32_t k = inf ? 0 : !zero && !denormal ? 1 : denormal ? 2 : 3;
	return nan ? (quiet ? 2u : 1u) : neg ? 4u << k : 0x200u >> k;
}
static inline uint32_t class32(uint32_t u)
{
	uint32_t m = u & 0x7fffffff;
	return class_bit(
		m > 0x7f800000, u >> 22 & 1, u >> 31, m == 0x7f800000, !m, m && m < 0x800000);
}
static inline uint32_t class64(uint64_t u)
{
	uint64_t m = u & INT64_MAX, inf = UINT64_C(0x7ff0000000000000);
	return class_bit(
		m > inf, u >> 51 & 1, u >> 63, m == inf, !m, m && m < UINT64_C(0x10000000000000));
}
static inline uint32_t class16(uint32_t u)
{
	uint32_t m = u & 0x7fff;
	return class_bit(m > 0x7c00, u >> 9 & 1, u >> 15 & 1, m == 0x7c00, !m, m && m < 0x400);
}

/* Halves. Rounding as in MODE: 0 to nearest even, 1 up, 2 down, 3 towards zero. */
static inline float half_to_float(uint32_t h)
{
	uint32_t sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
	if (e == 31)
		return f32_of(sign | 0x7f800000 | m << 13);
	if (e)
		return f32_of(sign | (e + 112) << 23 | m << 13);
	return f32_of(sign | u32_of((float)m * 0x1p-24f));
}

/* bits >> shift, rounded; `odd` says that more bits are set below. */
static inline uint64_t round_shift(uint64_t bits, unsigned shift, bool neg, unsigned rm)
{
	uint64_t q, rest, half;
	if (shift > 62) {
		q = 0;
		rest = bits != 0;
		half = 2;
	} else {
		q = bits >> shift;
		rest = bits & ((UINT64_C(1) << shift) - 1);
		half = shift ? UINT64_C(1) << (shift - 1) : 1;
		if (!shift)
			return q;
	}
	bool up = rm == 0 ? rest > half || (rest == half && (q & 1)) :
		rm == 1 ? rest && !neg : rm == 2 ? rest && neg : false;
	return q + up;
}

static inline uint32_t double_to_half(double x, unsigned rm)
{
	uint64_t u = u64_of(x), m = u & ((UINT64_C(1) << 52) - 1);
	uint32_t sign = (uint32_t)(u >> 48) & 0x8000;
	int e = (int)(u >> 52 & 0x7ff);
	if (e == 0x7ff)
		return sign | 0x7c00 | (m ? 0x200 | (uint32_t)(m >> 42) : 0);
	if (e)
		m |= UINT64_C(1) << 52;
	e = (e ? e : 1) - 1023;
	int q = e > -14 ? e : -14;
	uint64_t r = round_shift(m, (unsigned)(q - e + 42), sign, rm);
	r += (uint64_t)(q + 14) << 10;
	if (r < 0x7c00)
		return sign | (uint32_t)r;
	bool inf = rm == 0 || (rm == 1 && !sign) || (rm == 2 && sign);
	return sign | (inf ? 0x7c00 : 0x7bff);
}

/* Under MODE.FP16_OVFL (0 or 1) what is finite and does not fit becomes the greatest number, in every rounding mode. */
static inline uint32_t half_result(double x, unsigned rm, uint32_t ovfl)
{
	uint32_t h = double_to_half(x, rm);
	return h - (ovfl & (uint32_t)((h & 0x7fff) == 0x7c00) & (uint32_t)((u64_of(x) >> 52 & 0x7ff) != 0x7ff));
}

/* a * b + c in double, rounded to odd, so that rounding it again to a half is right. Needs the
 * host to round to nearest. The product of two halves is exact. */
static inline double fma_odd(double a, double b, double c)
{
	double p = a * b, s = p + c, t = s - p, err = (p - (s - t)) + (c - t);
	uint64_t u = u64_of(s);
	if (err == 0 || s - s != 0 || u & 1)
		return s;
	return f64_of((err > 0) == (s > 0) ? u + 1 : u - 1);
}

static inline uint32_t half_to_int(float f, float lo, float hi)
{
	return f != f ? 0 : (uint32_t)(int32_t)(f < lo ? lo : f > hi ? hi : f);
}

/* f * 2^n, rounded once. */
static inline float ldexp32(float f, uint32_t n)
{
	int32_t k = (int32_t)n;
	return ldexpf(f, k > 400 ? 400 : k < -400 ? -400 : k);
}
static inline double ldexp64(double f, uint32_t n)
{
	int32_t k = (int32_t)n;
	return ldexp(f, k > 3000 ? 3000 : k < -3000 ? -3000 : k);
}

static inline int exponent32(float f) { return (int)(u32_of(f) >> 23 & 0xff); }
static inline int exponent64(double d) { return (int)(u64_of(d) >> 52 & 0x7ff); }
static inline bool denormal32(float f) { return !exponent32(f) && (u32_of(f) & 0x7fffff); }
static inline bool denormal64(double d)
{
	return !exponent64(d) && (u64_of(d) & ((UINT64_C(1) << 52) - 1));
}

/* Approximate results may lie less than one unit in the last place from the exact value x. In
 * rough mode they do, for every second mantissa: the farther neighbour is returned, so that code
 * which needs a refinement step fails without it. */
static inline float rough32(double x, uint32_t rough)
{
	float f = (float)x;
	uint32_t u = u32_of(f), e = u >> 23 & 0xff;
	if (!rough || e < 2 || e > 253 || f == x || !(u * 0x9e3779b1u >> 31))
		return f;
	return f32_of((fabs(f) < fabs(x)) ? u + 1 : u - 1);
}
/* V_RCP_F32: besides, one Newton step (2 FMA) makes it the nearest number. */
static inline float rough_rcp32(float a, uint32_t rough)
{
	float f = (float)(1 / (double)a), y = rough32(1 / (double)a, rough);
	return y == f || fmaf(fmaf(-a, y, 1), y, y) != f ? f : y;
}
/* V_RCP_F64, V_RSQ_F64, V_SQRT_F64 are good to 2^29 units: 24 bits are kept, or in rough mode any error
 * up to that is added. */
static inline double rough64(double x, uint32_t rough)
{
	uint64_t u = u64_of(x), cut = u & ~((UINT64_C(1) << 27) - 1);
	if (exponent64(x) == 0x7ff || exponent64(x) < 2 || exponent64(x) == 0x7fe)
		return x;
	if (rough)
		cut = u + (u * UINT64_C(0x9e3779b97f4a7c15) >> 34) - (UINT64_C(1) << 29);
	return f64_of(cut);
}
#endif
