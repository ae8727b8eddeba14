/* valu_cold.c -- vector operations that gain little from vectors: transcendental functions, halves,
 * division helpers. Needs the host's rounding set (valu.c); leaves emu_cold.
 * Vega and CDNA3 ISA manuals 12.8 to 12.12, pseudo code. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2", "rounding-math", "no-trapping-math", "no-math-errno")
#endif
#define VO3_DECLARES_CO 1
#include "emu/valu_loops.h"

static float flushed(float x) { return f32_of(flush32(u32_of(x))); }
/* The NaN of an invalid operation is negative, as the manual's examples have it. */
static double invalid(double x) { return x != x ? x : f64_of(UINT64_C(0xfff8000000000000)); }
static double log2_of(double x) { return x < 0 ? invalid(x) : log2(x); }
static double sqrt_of(double x) { return x < 0 ? invalid(x) : sqrt(x); }

/* sin and cos of 2 pi x; the reduction to an eighth of a turn is exact. */
static double turn_sin(double x)
{
	if (x - x != 0)
		return invalid(x);
	if (x == 0)
		return x;
	double r = x - rint(x), s = r < 0 ? -1 : 1;
	r = fabs(r);
	if (r > 0.25)
		r = 0.5 - r;
	double two_pi = 6.283185307179586;
	return s * (r > 0.125 ? cos((0.25 - r) * two_pi) : sin(r * two_pi));
}
static double turn_cos(double x)
{
	if (x - x != 0)
		return invalid(x);
	double r = fabs(x - rint(x));
	return turn_sin(0.25 - r);
}

/* V_FRACT: below one even where the sum would round up to it. */
static float fract32(float x)
{
	float f = x - floorf(x);
	return f >= 1 ? 0x1.fffffep-1f : f;
}
static double fract64(double x)
{
	double f = x - floor(x);
	return f >= 1 ? 0x1.fffffffffffffp-1 : f;
}
static double fract16(double x)
{
	double f = x - floor(x);
	return f > 0x1.ffcp-1 ? 0x1.ffcp-1 : f;
}

static int frexp_exponent(double x)
{
	int e = 0;
	if (x - x != 0)
		return 0;
	frexp(x, &e);
	return e;
}
static double frexp_mantissa(double x)
{
	int e;
	return x - x != 0 ? x : frexp(x, &e);
}

static uint32_t snorm16(double x)
{
	x = x > 1 ? 1 : x < -1 ? -1 : x;
	return x == x ? (uint32_t)(int32_t)rint(x * 32767) : 0;
}
static uint32_t unorm16(double x)
{
	return x > 0 ? (uint32_t)rint((x > 1 ? 1 : x) * 65535) : 0;
}
static uint32_t float_to_u8(float x) { return x > 0 ? (uint32_t)(x > 255 ? 255 : x) : 0; }

/* V_DIV_SCALE: scales so that nothing in the division macro is denormal. Where 1/S1 and S2/S1
 * both are, the denominator must shrink (the manual's pseudo code prints +64 there, which would
 * overflow). */
static float div_scale32(float s0, float s1, float s2, uint32_t *vcc)
{
	double inv = fabs(1 / (double)s1), q = fabs((double)s2 / s1), tiny = 0x1p-126;
	bool inv_den = inv != 0 && inv < tiny, q_den = q != 0 && q < tiny;
	bool is_den = u32_of(s0) == u32_of(s1), is_num = u32_of(s0) == u32_of(s2);
	if (s2 == 0 || s1 == 0)
		return f32_of(0xffc00000);
	if (exponent32(s2) - exponent32(s1) >= 96) {
		*vcc = 1;
		return is_den ? ldexp32(s0, 64) : s0;
	}
	if (denormal32(s1))
		return ldexp32(s0, 64);
	if (inv_den && q_den) {
		*vcc = 1;
		return is_den ? ldexp32(s0, (uint32_t)-64) : s0;
	}
	if (inv_den)
		return ldexp32(s0, (uint32_t)-64);
	if (q_den) {
		*vcc = 1;
		return is_num ? ldexp32(s0, 64) : s0;
	}
	return exponent32(s2) <= 23 ? ldexp32(s0, 64) : s0;
}
static double div_scale64(double s0, double s1, double s2, uint32_t *vcc)
{
	bool inv_den = denormal64(1 / s1), q_den = denormal64(s2 / s1);
	bool is_den = u64_of(s0) == u64_of(s1), is_num = u64_of(s0) == u64_of(s2);
	if (s2 == 0 || s1 == 0)
		return f64_of(UINT64_C(0xfff8000000000000));
	if (exponent64(s2) - exponent64(s1) >= 768) {
		*vcc = 1;
		return is_den ? ldexp64(s0, 128) : s0;
	}
	if (denormal64(s1))
		return ldexp64(s0, 128);
	if (inv_den && q_den) {
		*vcc = 1;
		return is_den ? ldexp64(s0, (uint32_t)-128) : s0;
	}
	if (inv_den)
		return ldexp64(s0, (uint32_t)-128);
	if (q_den) {
		*vcc = 1;
		return is_num ? ldexp64(s0, 128) : s0;
	}
	return exponent64(s2) <= 53 ? ldexp64(s0, 128) : s0;
}

/* V_DIV_FMAS: undoes the scale that V_DIV_SCALE flagged. The quotient so far (c) says which way:
 * it is huge where only the denominator grew, tiny where only the numerator did. A denormal
 * result would be rounded twice, by fma and by ldexp: where ldexp met a tie, what fma dropped
 * (`rest`, exact because the product is a small correction of c) decides. Directed roundings
 * compose anyway. */
static float div_fmas32(float a, float b, float c, uint32_t vcc)
{
	float s = fmaf(a, b, c);
	if (!vcc || s - s != 0)
		return s;
	int up = exponent32(c) > 127 ? 64 : -64;
	float rest = fmaf(a, b, c - s), t = ldexpf(s, up), off = s - ldexpf(t, -up);
	if (up > 0 || fabsf(off) != 0x1p-86f || rest == 0 || (rest > 0) != (off > 0))
		return t;
	return t + (off > 0 ? 0x1p-149f : -0x1p-149f);
}
static double div_fmas64(double a, double b, double c, uint32_t vcc)
{
	double s = fma(a, b, c);
	if (!vcc || s - s != 0)
		return s;
	int up = exponent64(c) > 1023 ? 128 : -128;
	double rest = fma(a, b, c - s), t = ldexp(s, up), off = s - ldexp(t, -up);
	if (up > 0 || fabs(off) != 0x1p-947 || rest == 0 || (rest > 0) != (off > 0))
		return t;
	return t + (off > 0 ? 0x1p-1074 : -0x1p-1074);
}

/* V_DIV_FIXUP_F16: the values stand in floats, which hold them all. */
static float div_fixup16(float a, float b, float c)
{
	uint32_t sign = (u32_of(b) ^ u32_of(c)) & 0x80000000;
	float ab = fabsf(b), ac = fabsf(c), inf = f32_of(0x7f800000);
	if (c != c || b != b)
		return f32_of(u32_of(c != c ? c : b) | 0x400000);
	if ((b == 0 && c == 0) || (ab == inf && ac == inf))
		return f32_of(0xffc00000);
	if (b == 0 || ac == inf)
		return f32_of(sign | 0x7f800000);
	if (ab == inf || c == 0)
		return f32_of(sign);
	return f32_of(sign | (u32_of(a) & 0x7fffffff));
}

/* Zero, infinity or NaN: of these the quotient's exponent says nothing. */
static bool is_special(float x)
{
	return x == 0 || !(fabsf(x) < f32_of(0x7f800000));
}

/* V_DIV_FIXUP: a quotient, b denominator, c numerator. Overflow is told by the exponents, as
 * underflow is: the manual's condition for it (S1's exponent is 255) cannot be met behind the
 * tests for infinities, and the macro's quotient is a NaN once its scaled intermediates
 * overflow. */
static float div_fixup32(float a, float b, float c)
{
	uint32_t sign = (u32_of(b) ^ u32_of(c)) & 0x80000000;
	float r;
	if (is_special(b) || is_special(c))
		return div_fixup16(a, b, c);
	if (exponent32(c) - exponent32(b) < -150) {
		/* rounded as MODE says: zero or the least denormal */
		volatile float least = 0x1p-149f;
		r = sign ? -least * least : least * least;
		return r;
	}
	if (exponent32(c) - exponent32(b) >= 129) {
		volatile float most = 0x1.fffffep127f;
		r = sign ? -most * most : most * most;
		return r;
	}
	return f32_of(sign | (u32_of(a) & 0x7fffffff));
}
static double div_fixup64(double a, double b, double c)
{
	uint64_t sign = (u64_of(b) ^ u64_of(c)) & ~(uint64_t)INT64_MAX;
	double ab = fabs(b), ac = fabs(c), inf = f64_of(UINT64_C(0x7ff) << 52), r;
	if (c != c || b != b)
		return f64_of(u64_of(c != c ? c : b) | UINT64_C(1) << 51);
	if ((b == 0 && c == 0) || (ab == inf && ac == inf))
		return f64_of(UINT64_C(0xfff8000000000000));
	if (b == 0 || ac == inf)
		return f64_of(sign | u64_of(inf));
	if (ab == inf || c == 0)
		return f64_of(sign);
	if (exponent64(c) - exponent64(b) < -1075) {
		volatile double least = 0x1p-1074;
		r = sign ? -least * least : least * least;
		return r;
	}
	if (exponent64(c) - exponent64(b) >= 1025) {
		volatile double most = 0x1.fffffffffffffp1023;
		r = sign ? -most * most : most * most;
		return r;
	}
	return f64_of(sign | (u64_of(a) & INT64_MAX));
}

/* Two roundings, each MODE's. */
static float twice32(float a, float b, float c)
{
	volatile float p = a * b;
	return p + c;
}

/* 2^a of a half, where only that of infinity is infinite. */
static double exp2_16(float a)
{
	return exp2(a > 100 && a < f32_of(0x7f800000) ? 100 : a);
}

/* What was infinite of finite operands has overflowed in f32, and is to overflow as a half. */
static double mixed(float v, float a, float b, float c, uint32_t ovfl)
{
	float inf = f32_of(0x7f800000);
	bool over = ovfl && fabsf(v) == inf && fabsf(a) < inf && fabsf(b) < inf && fabsf(c) < inf;
	return over ? copysign(0x1p100, (double)v) : (double)v;
}

/* Products of halves are exact in f32, their sum is rounded. */
static float dot2_f16(uint32_t a, uint32_t b)
{
	float lo = half_to_float(a & 0xffff) * half_to_float(b & 0xffff);
	return lo + half_to_float(a >> 16) * half_to_float(b >> 16);
}

/* V_MINIMUM_F64, V_MAXIMUM_F64: as minimum32. */
static double minimum64(double a, double b)
{
	uint64_t quiet = UINT64_C(1) << 51;
	if (a != a || b != b)
		return f64_of(u64_of(a != a ? a : b) | quiet);
	return a < b ? a : b < a ? b : f64_of(u64_of(a) | u64_of(b));
}
static double maximum64(double a, double b)
{
	uint64_t quiet = UINT64_C(1) << 51;
	if (a != a || b != b)
		return f64_of(u64_of(a != a ? a : b) | quiet);
	return a > b ? a : b > a ? b : f64_of(u64_of(a) & u64_of(b));
}

/* V_MULLIT_F32: 0 times anything is 0. */
static float mullit(float a, float b, float c)
{
	const float most = 0x1.fffffep127f;
	if (b == -most || b == -f32_of(0x7f800000) || b != b || c <= 0 || c != c)
		return -most;
	return a == 0 || b == 0 ? 0 : a * b;
}

/* V_TRIG_PREOP_F64: 53 bits of 2 / pi, by which a large argument is reduced; bits of its fraction, the highest first. */
static const uint32_t two_by_pi[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
	0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
	0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
	0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
	0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};
static double trig_preop(double a, uint32_t segment)
{
	uint32_t shift = (segment & 31) * 53, e = (uint32_t)exponent64(a);
	uint64_t bits = 0;
	shift += e > 1077 ? e - 1077 : 0;
	for (uint32_t k = 0; k < 53; k++) {
		uint32_t at = shift + k, word = at / 32;
		uint32_t bit = word < sizeof two_by_pi / sizeof *two_by_pi && at < 1201 ? two_by_pi[word] >> (31 - at % 32) & 1 : 0;
		bits = bits << 1 | bit;
	}
	return ldexp((double)bits, -53 - (int)shift + (e >= 1968 ? 128 : 0));
}

/* Cube maps: 0 x, 1 y, 2 z is the major axis. */
static int cube_major(float x, float y, float z)
{
	if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
		return 2;
	return fabsf(y) >= fabsf(x);
}
static float cube_axis(float x, float y, float z)
{
	const float axis[] = { x, y, z };
	return axis[cube_major(x, y, z)];
}
static float cube_id(float x, float y, float z)
{
	return (float)(2 * cube_major(x, y, z) + (cube_axis(x, y, z) < 0));
}
static float cube_s(float x, float y, float z)
{
	int m = cube_major(x, y, z);
	if (m == 1)
		return x;
	return m ? (z < 0 ? -x : x) : (x < 0 ? z : -z);
}
static float cube_t(float x, float y, float z)
{
	return cube_major(x, y, z) != 1 ? -y : y < 0 ? -z : z;
}

/* Floats of 8 bits: a sign, exponents, `mant` bits of mantissa. fnuz: the exponent's bias is one more, there is no negative
 * zero and no infinity, 0x80 is the NaN. CDNA3 7.2, RDNA4 7.5. */
typedef struct small_format {
	uint32_t mant, bias, most;   /* most: the code of the greatest number */
	bool fnuz;
} small_format;
static const small_format fp8 = { 3, 7, 0x7e, false }, bf8 = { 2, 15, 0x7b, false },
	fp8_fnuz = { 3, 8, 0x7f, true }, bf8_fnuz = { 2, 16, 0x7f, true };

static float float_of(uint32_t c, const small_format *f)
{
	uint32_t code = c & 0x7f, e = code >> f->mant, m = code & ((1u << f->mant) - 1);
	double sign = c & 0x80 ? -1 : 1, inf = f64_of(UINT64_C(0x7ff) << 52);
	if (f->fnuz ? (c & 255) == 0x80 : code > f->most && (f->mant == 3 || m))
		return f32_of(0x7fc00000);
	if (code > f->most)
		return (float)(sign * inf);
	return (float)(sign * ldexp(e ? m + (1u << f->mant) : m, (int)(e ? e : 1) - (int)(f->bias + f->mant)));
}

/* What is greater than the greatest: by MODE.FP16_OVFL that, else infinity, or NaN where there is none. */
static uint32_t small_overflow(const small_format *f, uint32_t sign, uint32_t ovfl)
{
	if (ovfl)
		return sign | f->most;
	return f->fnuz ? 0x80 : sign | (f->most + 1);
}

/* Rounded to nearest even. */
static uint32_t small_of(float x, const small_format *f, uint32_t ovfl)
{
	uint32_t sign = u32_of(x) >> 31 << 7;
	int least = 1 - (int)f->bias, e;
	if (x != x)
		return f->fnuz ? 0x80 : sign | 0x7f;
	if (x - x != 0)
		return small_overflow(f, sign, ovfl);
	e = x == 0 ? least : ilogbf(x) < least ? least : ilogbf(x);
	uint32_t code = (uint32_t)rint(ldexp(fabs((double)x), (int)f->mant - e)) + ((uint32_t)(e - least) << f->mant);
	if (code > f->most)
		return small_overflow(f, sign, ovfl);
	return f->fnuz && !code ? 0 : sign | code;
}
static uint32_t small_pair(float a, float b, const small_format *f, uint32_t ovfl)
{
	return small_of(a, f, ovfl) | small_of(b, f, ovfl) << 8;
}
static uint64_t float_pair(uint32_t c, const small_format *f)
{
	return (uint64_t)u32_of(float_of(c >> 8, f)) << 32 | u32_of(float_of(c, f));
}
/* Products are exact in f32; they are added to c one after another. */
static float dot4_small(uint32_t a, uint32_t b, float c, const small_format *f, const small_format *g)
{
	for (unsigned k = 0; k < 32; k += 8)
		c += float_of(a >> k, f) * float_of(b >> k, g);
	return c;
}

static uint32_t small_bf16(uint32_t x) { return x & 0x7f80 ? x & 0xffff : x & 0x8000; }
static float bf16_of(uint32_t x) { return f32_of(x << 16); }
static float dot2_bf16(uint32_t a, uint32_t b)
{
	float lo = bf16_of(a & 0xffff) * bf16_of(b & 0xffff);
	return lo + bf16_of(a >> 16) * bf16_of(b >> 16);
}
static float dot2_bf16_after(uint32_t a, uint32_t b, float c)
{
	c += bf16_of(a & 0xffff) * bf16_of(b & 0xffff);
	return c + bf16_of(a >> 16) * bf16_of(b >> 16);
}

/* Each sum rounded to the type of the result, as the manual writes it. RDNA3 16.8. */
static double dot2_half(uint32_t a, uint32_t b, float c)
{
	c = half_to_float(double_to_half(fma_odd(half_to_float(a & 0xffff), half_to_float(b & 0xffff), c), 0));
	return fma_odd(half_to_float(a >> 16), half_to_float(b >> 16), c);
}

/* "DOT2_BF16_BF16 disables all denorms". RDNA4 7.2.4.2. The sum is odd-rounded, so that 8 bits of it round as the exact one does. */
static uint32_t bf16_fma(uint32_t a, uint32_t b, uint32_t c)
{
	double s = fma_odd(bf16_of(small_bf16(a)), bf16_of(small_bf16(b)), bf16_of(small_bf16(c)));
	uint64_t u = u64_of(s), cut = UINT64_C(1) << 45;
	if (s != s)
		return 0x7fc0;
	u = (u + cut / 2 - 1 + (u >> 45 & 1)) & ~(cut - 1);
	return small_bf16(u32_of((float)f64_of(u)) >> 16);
}
static uint32_t dot2_bf16_short(uint32_t a, uint32_t b, uint32_t c)
{
	return bf16_fma(a >> 16, b >> 16, bf16_fma(a & 0xffff, b & 0xffff, c));
}

/* V_SCREEN_PARTITION_4SE_B32: Vega 12.8, its table; one digit an entry. */
static uint32_t screen_partition(uint32_t a)
{
	static const char table[] =
		"137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
		"ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
		"bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
		"9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
	uint32_t c = (uint8_t)table[a & 255];
	return c - (c > '9' ? 'a' - 10 : '0');
}

#include "emu/valu_cold.def"
#include "emu/valu_table.h"
const emu_vfn emu_cold[ISA_NOPS] = {
#include "emu/valu_cold.def"
};
