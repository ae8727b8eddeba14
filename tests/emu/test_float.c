/* test_float.c -- floating point on four chips: every rounding mode and denormal mode of f32 and
 * f64, IEEE mode of min and max, conversions with saturation, modifiers, halves; approximations
 * within the manual's bounds.
 * The reference is the host's arithmetic under fesetround, in a wider type where one is exact. */
#include <fenv.h>
#include <math.h>

#include "vec.h"

static vec_in in[VEC_LANES];
static vec_out out[VEC_LANES];
static unsigned mode;            /* FLOAT_MODE under test */
static bool ieee;

static float f_(uint64_t x) { uint32_t u = (uint32_t)x; float f; memcpy(&f, &u, 4); return f; }
static double d_(uint64_t x) { double d; memcpy(&d, &x, 8); return d; }
static uint64_t fu(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static uint64_t du(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }
static _Float16 h_(uint64_t x) { uint16_t u = (uint16_t)x; _Float16 h; memcpy(&h, &u, 2); return h; }
static uint64_t hu(_Float16 h) { uint16_t u; memcpy(&u, &h, 2); return u; }

static uint64_t flush_in32(uint64_t x) { return mode & 0x10 || x & 0x7f800000 ? x : x & 0x80000000; }
static uint64_t flush_out32(uint64_t x) { return mode & 0x20 || x & 0x7f800000 ? x : x & 0x80000000; }
static uint64_t flush_in64(uint64_t x) { return mode & 0x40 || x & 0x7ff0000000000000 ? x : x & 0x8000000000000000; }
static uint64_t flush_out64(uint64_t x) { return mode & 0x80 || x & 0x7ff0000000000000 ? x : x & 0x8000000000000000; }

typedef uint64_t (*ref)(uint64_t a, uint64_t b, uint64_t c);
#define F32(name, e) static uint64_t name(uint64_t a_, uint64_t b_, uint64_t c_) { \
	volatile float a = f_(flush_in32(a_)), b = f_(flush_in32(b_)), c = f_(flush_in32(c_)); (void)a; (void)b; (void)c; \
	volatile float r = (float)(e); return flush_out32(fu(r)); }
#define F64(name, e) static uint64_t name(uint64_t a_, uint64_t b_, uint64_t c_) { \
	volatile double a = d_(flush_in64(a_)), b = d_(flush_in64(b_)), c = d_(flush_in64(c_)); (void)a; (void)b; (void)c; \
	volatile double r = (e); return flush_out64(du(r)); }
#define ANY(name, e) static uint64_t name(uint64_t a, uint64_t b, uint64_t c) { (void)a; (void)b; (void)c; return (e); }

F32(add, (double)a + b)
F32(sub, (double)a - b)
F32(subrev, (double)b - a)
F32(mul, (double)a * b)
F32(mul0, a == 0 || b == 0 ? 0 : (double)a * b)
F32(fma32, fmaf(a, b, c))
static float mul_round(float a, float b) { volatile float p = a * b; return p; }
F32(mad32, mul_round(a, b) + c)
F64(add64, a + b)
F64(mul64, a * b)
F64(fma64, fma(a, b, c))

/* Minimum and maximum as the manual's steps: signalling NaN in IEEE mode, NaN, zeros, then
 * order. */
static bool nan32(uint64_t x) { return (x & 0x7fffffff) > 0x7f800000; }
static bool snan32(uint64_t x) { return nan32(x) && !(x & 0x400000); }
static uint64_t minmax32(uint64_t a, uint64_t b, bool max)
{
	if (ieee && snan32(a))
		return a | 0x400000;
	if (ieee && snan32(b))
		return b | 0x400000;
	if (nan32(a))
		return b;
	if (nan32(b))
		return a;
	if (f_(a) == 0 && f_(b) == 0)
		return max ? a & b : a | b;
	return (f_(a) < f_(b)) != max ? a : b;
}
ANY(min32, flush_out32(minmax32(flush_in32(a), flush_in32(b), false) & UINT32_MAX))
ANY(max32, flush_out32(minmax32(flush_in32(a), flush_in32(b), true) & UINT32_MAX))
static uint64_t minmax64(uint64_t a, uint64_t b, bool max)
{
	const uint64_t quiet = (uint64_t)1 << 51;
	bool na = d_(a) != d_(a), nb = d_(b) != d_(b);
	if (ieee && na && !(a & quiet))
		return a | quiet;
	if (ieee && nb && !(b & quiet))
		return b | quiet;
	if (na || nb)
		return na ? b : a;
	if (d_(a) == 0 && d_(b) == 0)
		return max ? a & b : a | b;
	return (d_(a) < d_(b)) != max ? a : b;
}
ANY(min64, flush_out64(minmax64(flush_in64(a), flush_in64(b), false)))
ANY(max64, flush_out64(minmax64(flush_in64(a), flush_in64(b), true)))
static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	a = flush_in32(a), b = flush_in32(b), c = flush_in32(c);
	if (nan32(a) || nan32(b) || nan32(c))
		return minmax32(minmax32(a, b, false), c, false);
	return minmax32(minmax32(a, b, true), minmax32(minmax32(a, b, false), c, true), false);
}
ANY(med32, flush_out32(median(a, b, c)))

static uint64_t to_int(double x, double lo, double hi)
{
	if (x != x)
		return 0;
	return (uint32_t)(int64_t)(x < lo ? lo : x > hi ? hi : trunc(x));
}
ANY(u32_f32, to_int(f_(a), 0, 4294967295.0))
ANY(i32_f32, to_int(f_(a), -2147483648.0, 2147483647.0))
ANY(u32_f64, to_int(d_(a), 0, 4294967295.0))
ANY(i32_f64, to_int(d_(a), -2147483648.0, 2147483647.0))
static uint64_t round_to_float(double x) { volatile double v = x; volatile float f = (float)v; return fu(f); }
ANY(f32_u32, round_to_float((uint32_t)a))
ANY(f32_i32, round_to_float((int32_t)(uint32_t)a))
ANY(f64_u32, du((uint32_t)a))
ANY(f64_i32, du((int32_t)(uint32_t)a))
ANY(f32_f64, flush_out32(round_to_float(d_(flush_in64(a)))))
ANY(f64_f32, du((double)f_(flush_in32(a))))
ANY(ub0, fu((float)(a & 255)))
ANY(ub1, fu((float)(a >> 8 & 255)))
ANY(ub2, fu((float)(a >> 16 & 255)))
ANY(ub3, fu((float)(a >> 24 & 255)))

/* Rounding to integers: by integers, so that the host's rounding mode does not matter. */
static double down(double x)
{
	if (!(fabs(x) < 0x1p52))
		return x;
	int64_t n = (int64_t)x;
	n -= (double)n > x;
	return n ? (double)n : copysign(0, x);
}
static double nearest(double x)
{
	double f = down(x), r = x - f;
	return r < 0.5 ? f : r > 0.5 ? f + 1 : fmod(f, 2) == 0 ? f : f + 1;
}
static double same_sign(double r, double x) { return copysign(r, x); }
ANY(trunc32, fu((float)same_sign(down(fabs(f_(flush_in32(a)))), f_(a))))
ANY(floor32, fu((float)down(f_(flush_in32(a)))))
ANY(ceil32, fu((float)same_sign(-down(-(double)f_(flush_in32(a))), f_(a))))
ANY(rndne32, fu((float)same_sign(nearest(f_(flush_in32(a))), f_(a))))
ANY(trunc64, du(same_sign(down(fabs(d_(flush_in64(a)))), d_(a))))
ANY(floor64, du(down(d_(flush_in64(a)))))
ANY(rndne64, du(same_sign(nearest(d_(flush_in64(a))), d_(a))))
static uint64_t scaled32(uint64_t a, uint64_t b)
{
	int64_t n = (int32_t)(uint32_t)b;
	n = n > 2000 ? 2000 : n < -2000 ? -2000 : n;
	return flush_out32(
		round_to_float((double)((long double)f_(flush_in32(a)) * powl(2, n / 2)) *
			(double)powl(2, n - n / 2)));
}
ANY(ldexp32, scaled32(a, b))

static uint64_t class_of(bool nan, bool quiet, double x, double least)
{
	if (nan)
		return quiet ? 2 : 1;
	bool neg = signbit(x);
	double m = fabs(x);
	int k = isinf(m) ? 0 : m == 0 ? 3 : m < least ? 2 : 1;
	static const uint64_t down[] = { 4, 8, 16, 32 }, up[] = { 512, 256, 128, 64 };
	return neg ? down[k] : up[k];
}
ANY(class32, (class_of(nan32(a), a >> 22 & 1, f_(a), 0x1p-126) & b) != 0)
ANY(class64, (class_of(d_(a) != d_(a), a >> 51 & 1, d_(a), 0x1p-1022) & b) != 0)

/* Halves: the host rounds float to half once more, which is innocuous for these. */
#define F16(name, e) static uint64_t name(uint64_t a_, uint64_t b_, uint64_t c_) { \
	volatile float a = (float)h_(a_), b = (float)h_(b_), c = (float)h_(c_); (void)a; (void)b; (void)c; \
	volatile _Float16 r = (_Float16)(e); return hu(r); }
F16(add16, a + b)
F16(sub16, a - b)
F16(mul16, a * b)
ANY(cvt16, hu((_Float16)f_(a)))
ANY(cvt32_16, fu((float)h_(a)))

/* Cube maps: the face, its coordinates and twice the major axis, as the manual's three cases. */
static int face(uint64_t a, uint64_t b, uint64_t c)
{
	float x = fabsf(f_(a)), y = fabsf(f_(b)), z = fabsf(f_(c));
	return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}
static float along(uint64_t a, uint64_t b, uint64_t c) { int k = face(a, b, c); return f_(k == 2 ? c : k ? b : a); }
ANY(cubeid, fu((float)(2 * face(a, b, c)) + (along(a, b, c) < 0 ? 1.0f : 0.0f)))
ANY(cubesc, face(a, b, c) == 2 ? (f_(c) < 0 ? a ^ 0x80000000 : a) : face(a, b, c) == 1 ? a : f_(a) < 0 ? c : c ^ 0x80000000)
ANY(cubetc, face(a, b, c) == 1 ? (f_(b) < 0 ? c ^ 0x80000000 : c) : b ^ 0x80000000)
F32(cubema, 2 * along(a_, b_, c_))
F32(mad0, a == 0 || b == 0 ? c : mul_round(a, b) + c)
F32(fma0, a == 0 || b == 0 ? c : fmaf(a, b, c))
/* gfx12: a NaN wins. */
static uint64_t strict32(uint64_t a, uint64_t b, bool max) { return nan32(a) ? a : nan32(b) ? b : minmax32(a, b, max); }
ANY(minimum32, flush_out32(strict32(flush_in32(a), flush_in32(b), false) & UINT32_MAX))
ANY(maximum32, flush_out32(strict32(flush_in32(a), flush_in32(b), true) & UINT32_MAX))
ANY(minimum3, minimum32(minimum32(a, b, 0), c, 0))
ANY(minimummaximum, maximum32(minimum32(a, b, 0), c, 0))
static bool nan64(uint64_t x) { return d_(x) != d_(x); }
ANY(minimum64, flush_out64(nan64(a) ? a : nan64(b) ? b : minmax64(flush_in64(a), flush_in64(b), false)))
ANY(maximum64, flush_out64(nan64(a) ? a : nan64(b) ? b : minmax64(flush_in64(a), flush_in64(b), true)))
static uint64_t word(double x, double lo, double hi) { return x != x ? 0 : (uint64_t)(int64_t)(x < lo ? lo : x > hi ? hi : trunc(x)) & 0xffff; }
ANY(pki16f, word(f_(a), -32768, 32767) | word(f_(b), -32768, 32767) << 16)
ANY(pku16f, word(f_(a), 0, 65535) | word(f_(b), 0, 65535) << 16)
static uint64_t norm(double x, double lo, double scale)
{
	return x != x ? 0 : (uint64_t)(int64_t)nearest((x < lo ? lo : x > 1 ? 1 : x) * scale) & 0xffff;
}
ANY(norm16, norm((float)h_(a), -1, 32767) | norm((float)h_(b), -1, 32767) << 16)
ANY(unorm16, norm((float)h_(a), 0, 65535) | norm((float)h_(b), 0, 65535) << 16)
ANY(norm32, norm(f_(a), -1, 32767) | norm(f_(b), -1, 32767) << 16)
ANY(unorm32, norm(f_(a), 0, 65535) | norm(f_(b), 0, 65535) << 16)

/* Functions of halves: in double, rounded once. */
#define H(x) ((double)(float)h_(x))
#define OF_H(e) hu((_Float16)(e))
ANY(rcp16, OF_H(1 / H(a)))
ANY(sqrt16, OF_H(sqrt(H(a))))
ANY(rsq16, OF_H(1 / sqrt(H(a))))
ANY(log16, OF_H(log2(H(a))))
ANY(exp16, OF_H(exp2(H(a))))
/* Turns: the part below one is exact, its quarters have exact results. RDNA3 16.8: full range. */
static double turn(double x, bool cosine)
{
	static const double quarter[4] = { 0, 1, 0, -1 };
	double r = isinf(x) ? NAN : x + (cosine ? 0.25 : 0) - floor(x + (cosine ? 0.25 : 0));
	return r * 4 == floor(r * 4) ? quarter[(int)(r * 4) & 3] : sin(2 * acos(-1) * r);
}
ANY(sin16, OF_H(turn(H(a), false)))
ANY(cos16, OF_H(turn(H(a), true)))
ANY(fract16, isinf(H(a)) ? 0x7e00 : OF_H(H(a) - down(H(a))) >= 0x3c00 && !isnan(H(a)) ? 0x3bff : OF_H(H(a) - down(H(a))))
ANY(fract32, isinf(f_(a)) ? 0x7fc00000 : fu((float)((double)f_(a) - down(f_(a)))) == 0x3f800000 ? 0x3f7fffff :
	fu((float)((double)f_(a) - down(f_(a)))))
ANY(fract64, isinf(d_(a)) ? 0x7ff8000000000000 : d_(a) - down(d_(a)) == 1 ? 0x3fefffffffffffff : du(d_(a) - down(d_(a))))
static int exponent(double x) { int e = 0; frexp(isfinite(x) ? x : 0, &e); return e; }
static double mantissa(double x) { int e; return isfinite(x) ? frexp(x, &e) : x; }
ANY(exp_of16, (uint16_t)exponent(H(a)))
ANY(mant16, OF_H(mantissa(H(a))))
ANY(exp_of32, (uint32_t)exponent(f_(a)))
ANY(mant32, fu((float)mantissa(f_(a))))
ANY(exp_of64, (uint32_t)exponent(d_(a)))
ANY(mant64, du(mantissa(d_(a))))
ANY(ldexp16, OF_H(ldexp(H(a), (int16_t)(uint16_t)b)))
ANY(f16_i16, OF_H((int16_t)(uint16_t)a))
ANY(f16_u16, OF_H((uint16_t)a))
ANY(i16_f16, word(H(a), -32768, 32767))
ANY(u16_f16, word(H(a), 0, 65535))
ANY(one_norm16, norm(H(a), -1, 32767))
ANY(one_unorm16, norm(H(a), 0, 65535))
ANY(subrev16, OF_H(H(b) - H(a)))
__extension__ typedef __float128 exact;
ANY(fmac16, OF_H((exact)H(a) * H(b) + H(c)))
ANY(class16, (class_of(isnan(H(a)), a >> 9 & 1, H(a), 0x1p-14) & b) != 0)
ANY(off_i4, fu((float)(((int)(a & 15) ^ 8) - 8) / 16))
ANY(nearest_i32, f_(a) != f_(a) ? 0 : to_int(down((double)f_(a) + 0.5), -2147483648.0, 2147483647.0))
ANY(floor_i32, f_(a) != f_(a) ? 0 : to_int(down(f_(a)), -2147483648.0, 2147483647.0))
/* Towards zero: what is beyond the source is one too far. */
static uint64_t cut16(float x)
{
	uint64_t h = hu((_Float16)x);
	return isfinite(x) && fabs(H(h)) > fabs((double)x) ? h - 1 : h;
}
ANY(pkrtz, (cut16(f_(a)) & 0xffff) | cut16(f_(b)) << 16)
ANY(max3, flush_out32(minmax32(minmax32(flush_in32(a), flush_in32(b), true), flush_in32(c), true) & UINT32_MAX))
ANY(min3, flush_out32(minmax32(minmax32(flush_in32(a), flush_in32(b), false), flush_in32(c), false) & UINT32_MAX))
ANY(minmax, flush_out32(minmax32(minmax32(flush_in32(a), flush_in32(b), false), flush_in32(c), true) & UINT32_MAX))
ANY(maxmin, flush_out32(minmax32(minmax32(flush_in32(a), flush_in32(b), true), flush_in32(c), false) & UINT32_MAX))
static uint64_t strict16(uint64_t a, uint64_t b, bool max)
{
	if (isnan(H(a)) || isnan(H(b)))
		return 0x7e00;
	if (H(a) == 0 && H(b) == 0)
		return (max ? a & b : a | b) & 0xffff;
	return ((H(a) < H(b)) != max ? a : b) & 0xffff;
}
ANY(minimum16, strict16(a, b, false))
ANY(maximum16, strict16(a, b, true))
ANY(three_minimum16, strict16(strict16(a, b, false), c, false))
ANY(three_maximum16, strict16(strict16(a, b, true), c, true))
ANY(minimum_maximum16, strict16(strict16(a, b, false), c, true))
ANY(maximum_minimum16, strict16(strict16(a, b, true), c, false))
ANY(maximum3, maximum32(maximum32(a, b, 0), c, 0))
ANY(maximumminimum, minimum32(maximum32(a, b, 0), c, 0))

typedef struct row {
	uint16_t op;
	ref want;
	char result;                 /* f d h: floating point, z: h with one zero; i, w: 32 and 16 bits; m: lane mask */
} row;

static bool is_nan(char result, uint64_t x)
{
	switch (result) {
	case 'f': return nan32(x);
	case 'd': return d_(x) != d_(x);
	case 'h': return (x & 0x7fff) > 0x7c00;
	default: return false;
	}
}
static bool same(char result, uint64_t got, uint64_t want)
{
	if (result == 'z' && !(got & 0x7fff) && !(want & 0x7fff))
		return true;
	if (result == 'z')
		result = 'h';
	uint64_t m = result == 'd' ? UINT64_MAX : result == 'h' || result == 'w' ? 0xffff : UINT32_MAX;
	return (is_nan(result, got & m) && is_nan(result, want & m)) || (got & m) == (want & m);
}

static void check(const char *chip, const row *r, const vec_how *how, const char *what)
{
	const isa_info *info = &isa_table[r->op];
	static const int host[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	if (!isa_has(p2a_target_find(chip), r->op))
		return;
	vec_fill(in, info);
	bool twice = info->arg[0].type == ISA_T_F64 || r->result == 'd';
	for (unsigned i = 0; i < VEC_LANES; i++)
		in[i].enabled = 1;
	if (!vec_run(chip, r->op, how, in, out))
		return;
	mode = how->mode ? how->mode : 0xf0;
	ieee = how->ieee && strcmp(chip, "gfx1200");
	for (unsigned i = 0; i < VEC_LANES; i++) {
		fesetround(host[twice ? mode >> 2 & 3 : mode & 3]);
		uint64_t w = r->want(
			in[i].s[0], in[i].s[1], info->eff & ISA_TIED ? VEC_OLD : in[i].s[2]);
		fesetround(FE_TONEAREST);
		uint64_t got = r->result == 'm' ? out[i].mask : out[i].d;
		if (!same(r->result, got, w)) {
			t_bad("%s %s %s: (%llx, %llx, %llx): %llx, not %llx", chip, info->name, what, (unsigned long long)in[i].s[0],
				(unsigned long long)in[i].s[1], (unsigned long long)in[i].s[2], (unsigned long long)got,
				(unsigned long long)w);
			return;
		}
	}
	t_ok("%s %s %s", chip, info->name, what);
}

/* In every rounding and denormal mode. */
static const row moded[] = {
	{ OP_v_add_f32, add, 'f' }, { OP_v_sub_f32, sub, 'f' }, { OP_v_subrev_f32, subrev, 'f' },
	{ OP_v_mul_f32, mul, 'f' }, { OP_v_mul_legacy_f32, mul0, 'f' },
	{ OP_v_fma_f32, fma32, 'f' }, { OP_v_fmac_f32, fma32, 'f' }, { OP_v_mad_f32, mad32, 'f' },
	{ OP_v_add_f64, add64, 'd' },
	{ OP_v_mul_f64, mul64, 'd' }, { OP_v_fma_f64, fma64, 'd' }, { OP_v_fmac_f64, fma64, 'd' },
	{ OP_v_cvt_f32_f64, f32_f64, 'f' },
	{ OP_v_cvt_f32_u32, f32_u32, 'f' }, { OP_v_cvt_f32_i32, f32_i32, 'f' },
	{ OP_v_cvt_f64_f32, f64_f32, 'd' },
	{ OP_v_trunc_f32, trunc32, 'f' }, { OP_v_floor_f32, floor32, 'f' },
	{ OP_v_ceil_f32, ceil32, 'f' },
	{ OP_v_rndne_f32, rndne32, 'f' }, { OP_v_trunc_f64, trunc64, 'd' },
	{ OP_v_floor_f64, floor64, 'd' },
	{ OP_v_rndne_f64, rndne64, 'd' }, { OP_v_min_f32, min32, 'f' },
	{ OP_v_max_f32, max32, 'f' }, { OP_v_med3_f32, med32, 'f' },
	{ OP_v_min_f64, min64, 'd' }, { OP_v_max_f64, max64, 'd' },
	{ OP_v_ldexp_f32, ldexp32, 'f' }, { OP_v_max3_f32, max3, 'f' }, { OP_v_min3_f32, min3, 'f' }, { OP_v_minmax_f32, minmax, 'f' },
	{ OP_v_maxmin_f32, maxmin, 'f' }, { OP_v_maximum3_f32, maximum3, 'f' }, { OP_v_maximumminimum_f32, maximumminimum, 'f' },
	{ OP_v_minimum_f32, minimum32, 'f' }, { OP_v_maximum_f32, maximum32, 'f' }, { OP_v_minimum3_f32, minimum3, 'f' },
	{ OP_v_minimummaximum_f32, minimummaximum, 'f' }, { OP_v_minimum_f64, minimum64, 'd' }, { OP_v_maximum_f64, maximum64, 'd' },
};
/* Where the mode must not matter. */
static const row plain[] = {
	{ OP_v_cvt_u32_f32, u32_f32, 'i' }, { OP_v_cvt_i32_f32, i32_f32, 'i' },
	{ OP_v_cvt_u32_f64, u32_f64, 'i' },
	{ OP_v_cvt_i32_f64, i32_f64, 'i' }, { OP_v_cvt_f64_u32, f64_u32, 'd' },
	{ OP_v_cvt_f64_i32, f64_i32, 'd' },
	{ OP_v_cvt_f32_ubyte0, ub0, 'f' }, { OP_v_cvt_f32_ubyte1, ub1, 'f' },
	{ OP_v_cvt_f32_ubyte2, ub2, 'f' },
	{ OP_v_cvt_f32_ubyte3, ub3, 'f' }, { OP_v_cmp_class_f32, class32, 'm' },
	{ OP_v_cmp_class_f64, class64, 'm' },
	{ OP_v_add_f16, add16, 'h' }, { OP_v_sub_f16, sub16, 'h' }, { OP_v_mul_f16, mul16, 'h' },
	{ OP_v_cvt_f16_f32, cvt16, 'h' },
	{ OP_v_cvt_f32_f16, cvt32_16, 'f' },
	{ OP_v_cubeid_f32, cubeid, 'f' }, { OP_v_cubesc_f32, cubesc, 'f' }, { OP_v_cubetc_f32, cubetc, 'f' },
	{ OP_v_cubema_f32, cubema, 'f' }, { OP_v_mad_legacy_f32, mad0, 'f' }, { OP_v_fma_legacy_f32, fma0, 'f' },
	{ OP_v_cvt_pk_i16_f32, pki16f, 'i' }, { OP_v_cvt_pk_u16_f32, pku16f, 'i' },
	{ OP_v_cvt_pknorm_i16_f16, norm16, 'i' }, { OP_v_cvt_pknorm_u16_f16, unorm16, 'i' },
	{ OP_v_rcp_f16, rcp16, 'h' }, { OP_v_sqrt_f16, sqrt16, 'h' }, { OP_v_rsq_f16, rsq16, 'h' }, { OP_v_log_f16, log16, 'h' },
	{ OP_v_exp_f16, exp16, 'h' }, { OP_v_sin_f16, sin16, 'z' }, { OP_v_cos_f16, cos16, 'z' }, { OP_v_fract_f16, fract16, 'h' },
	{ OP_v_fract_f32, fract32, 'f' }, { OP_v_fract_f64, fract64, 'd' }, { OP_v_frexp_exp_i16_f16, exp_of16, 'w' }, { OP_v_frexp_mant_f16, mant16, 'h' },
	{ OP_v_frexp_exp_i32_f32, exp_of32, 'i' }, { OP_v_frexp_mant_f32, mant32, 'f' }, { OP_v_frexp_exp_i32_f64, exp_of64, 'i' },
	{ OP_v_frexp_mant_f64, mant64, 'd' }, { OP_v_ldexp_f16, ldexp16, 'h' }, { OP_v_cvt_f16_i16, f16_i16, 'h' },
	{ OP_v_cvt_f16_u16, f16_u16, 'h' }, { OP_v_cvt_i16_f16, i16_f16, 'w' }, { OP_v_cvt_u16_f16, u16_f16, 'w' },
	{ OP_v_cvt_norm_i16_f16, one_norm16, 'w' }, { OP_v_cvt_norm_u16_f16, one_unorm16, 'w' }, { OP_v_subrev_f16, subrev16, 'h' },
	{ OP_v_fmac_f16, fmac16, 'h' }, { OP_v_cmp_class_f16, class16, 'm' }, { OP_v_cvt_off_f32_i4, off_i4, 'f' },
	{ OP_v_cvt_rpi_i32_f32, nearest_i32, 'i' }, { OP_v_cvt_flr_i32_f32, floor_i32, 'i' },
	{ OP_v_cvt_pkrtz_f16_f32, pkrtz, 'i' }, { OP_v_minimum_f16, minimum16, 'h' },
	{ OP_v_maximum_f16, maximum16, 'h' }, { OP_v_minimum3_f16, three_minimum16, 'h' }, { OP_v_maximum3_f16, three_maximum16, 'h' },
	{ OP_v_minimummaximum_f16, minimum_maximum16, 'h' }, { OP_v_maximumminimum_f16, maximum_minimum16, 'h' },
	{ OP_v_cvt_pknorm_i16_f32, norm32, 'i' }, { OP_v_cvt_pknorm_u16_f32, unorm32, 'i' },
};

static void modes(const char *chip)
{
	char what[64];
	for (unsigned k = 0; k < sizeof moded / sizeof *moded; k++) {
		for (unsigned m = 0; m < 4; m++) {
			vec_how how = {
				.mode = 0xf0 | m | (3 - m) << 2, .simd = m % 3 + 1, .ieee = m & 1
			};
			snprintf(what, sizeof what, "mode 0x%x ieee %d simd %u", how.mode, how.ieee,
				how.simd);
			check(chip, &moded[k], &how, what);
		}
		static const uint32_t flush[] = { 0x400, 0x10, 0x20, 0xa0, 0x50 };
		for (unsigned m = 0; m < 5; m++) {
			vec_how how = { .mode = flush[m] & 0xff ? flush[m] : 0x100 };
			snprintf(what, sizeof what, "mode 0x%x", how.mode & 0xff);
			check(chip, &moded[k], &how, what);
		}
	}
	for (unsigned k = 0; k < sizeof plain / sizeof *plain; k++)
		for (unsigned simd = 1; simd <= 3; simd++)
			check(chip, &plain[k], &(vec_how){ .simd = simd }, "");
}

/* Floating comparisons, by name. */
static bool compare(const char *op, double a, double b)
{
	bool un = a != a || b != b, lt = a < b, gt = a > b, eq = a == b;
	bool no = op[0] == 'n' && strncmp(op, "ne_", 3);
	const char *k = no ? op + 1 : op;
	bool r = !strncmp(k, "lt", 2) ? lt : !strncmp(k, "le", 2) ? lt || eq : !strncmp(k, "gt", 2) ? gt :
		!strncmp(k, "ge", 2) ? gt || eq : !strncmp(k, "eq", 2) ? eq : !strncmp(k, "lg", 2) ? lt || gt :
		*k == 'o' ? !un : *k == 'u' ? un : *k == 't';
	return no ? !r : r;
}
static void compares(const char *chip, unsigned op)
{
	const isa_info *info = &isa_table[op];
	const char *ty = strrchr(info->name, '_') + 1;
	if (strncmp(info->name, "v_cmp", 5) || *ty != 'f' || strstr(info->name, "class") || !isa_has(p2a_target_find(chip), op))
		return;
	const char *name = info->name + (strncmp(info->name, "v_cmpx_", 7) ? 6 : 7);
	vec_fill(in, info);
	for (unsigned i = 0; i < VEC_LANES; i++)
		if (t_random() >> 62 == 0)
			in[i].s[1] = in[i].s[0];
	if (!vec_run(chip, op, &(vec_how){ 0 }, in, out))
		return;
	for (unsigned i = 0; i < VEC_LANES; i++) {
		uint64_t a = in[i].s[0], b = in[i].s[1];
		bool w = ty[1] == '6' ? compare(name, d_(a), d_(b)) : ty[1] == '3' ? compare(name, f_(a), f_(b)) :
			compare(name, (float)h_(a), (float)h_(b));
		if (out[i].mask != (w && in[i].enabled)) {
			t_bad("%s %s: (%llx, %llx): %u", chip, info->name, (unsigned long long)a,
				(unsigned long long)b, out[i].mask);
			return;
		}
	}
	t_ok("%s %s", chip, info->name);
}

/* Approximations: how far from the exact value, in units of the last place of a float. */
static double exact_rcp(double x) { return 1 / x; }
static double exact_rsq(double x) { return 1 / sqrt(x); }
static double turns_sin(double x) { return sin(2 * acos(-1) * fmod(x, 1)); }
static double turns_cos(double x) { return cos(2 * acos(-1) * fmod(x, 1)); }
static const struct approx {
	uint16_t op;
	double (*exact)(double);
	double ulps, absolute;
} approx[] = {
	{ OP_v_rcp_f32, exact_rcp, 1, 0 }, { OP_v_rsq_f32, exact_rsq, 1, 0 },
	{ OP_v_sqrt_f32, sqrt, 1, 0 },
	{ OP_v_exp_f32, exp2, 1, 0 }, { OP_v_log_f32, log2, 1, 1e-7 },
	{ OP_v_rcp_iflag_f32, exact_rcp, 1, 0 },
	{ OP_v_sin_f32, turns_sin, 1, 1e-6 }, { OP_v_cos_f32, turns_cos, 1, 1e-6 },
};
static void approximations(const char *chip, const struct approx *a, emu_check level)
{
	vec_fill(in, &isa_table[a->op]);
	for (unsigned i = 0; i < VEC_LANES; i++) {
		in[i].s[0] = fu((float)ldexp(
			1 + (double)(t_random() >> 40) / 0x1p24, (int)(t_random() % 200) - 100));
		if (a->exact == exp2 || a->exact == turns_sin || a->exact == turns_cos)
			in[i].s[0] = fu((float)((double)(int64_t)(t_random() >> 40) / 0x1p18 - 32));
		in[i].enabled = 1;
	}
	if (!vec_run(chip, a->op, &(vec_how){ .check = level }, in, out))
		return;
	unsigned off = 0;
	for (unsigned i = 0; i < VEC_LANES; i++) {
		double w = a->exact(f_(in[i].s[0])), got = f_(out[i].d),
		       ulp = w == 0 ? 0 : ldexp(1, ilogb(w) - 23);
		off += got != (float)w;
		if (fabs(got - w) > (a->ulps + 0.51) * ulp + a->absolute) {
			t_bad("%s %s: of %.9g: %.9g, not %.9g", chip, isa_table[a->op].name,
				f_(in[i].s[0]), got, w);
			return;
		}
	}
	bool rough = level == EMU_CHECK_ALL && a->exact != log2 && a->exact != turns_sin &&
		a->exact != turns_cos;
	if (rough && off < VEC_LANES / 4)
		t_bad("%s %s: with all checks, approximations are still exact", chip,
			isa_table[a->op].name);
	else
		t_ok("%s %s check %d: %u of %d are not the nearest", chip, isa_table[a->op].name,
			level, off, VEC_LANES);
}

/* Modifiers: neg and abs of sources, omod and clamp of the result. */
static void tweak_neg(p2a_inst *i) { i->enc = P2A_ENC_E64; i->arg[1].mods = P2A_NEG; i->arg[2].mods = P2A_NEG | P2A_ABS; }
static void tweak_clamp(p2a_inst *i) { i->enc = P2A_ENC_E64; i->clamp = 1; }
static void tweak_omod(p2a_inst *i) { i->enc = P2A_ENC_E64; i->omod = 1; }
F32(neg_add, -(double)a + -fabs((double)b))
static uint64_t clamped(uint64_t x) { return nan32(x) || !(f_(x) > 0) ? 0 : f_(x) > 1 ? 0x3f800000 : x; }
ANY(clamp_add, clamped(add(a, b, c)))
F32(twice_mul, 2 * (double)(float)((double)a * b))
ANY(clamp_addu, (uint32_t)a + (uint64_t)(uint32_t)b > UINT32_MAX ? UINT32_MAX : (uint32_t)(a + b))
static void modifiers(const char *chip)
{
	check(chip, &(row){ OP_v_add_f32, neg_add, 'f' }, &(vec_how){ .tweak = tweak_neg },
		"neg abs");
	check(chip, &(row){ OP_v_add_f32, clamp_add, 'f' }, &(vec_how){ .tweak = tweak_clamp },
		"clamp");
	check(chip, &(row){ OP_v_mul_f32, twice_mul, 'f' },
		&(vec_how){ .tweak = tweak_omod, .mode = 0xc0 }, "omod");
	check(chip, &(row){ OP_v_add_u32, clamp_addu, 'i' }, &(vec_how){ .tweak = tweak_clamp },
		"clamp");
}

/* The first two segments of 2 / pi, from its digits. */
static void trig_preop(const char *chip)
{
	__extension__ typedef __float128 quad;
	/* 2 / pi in 100 bits and more */
	quad two_by_pi = ((quad)0xa2f9836e4e441ull + (quad)0x529fc2757d1f5ull / ((quad)(1ull << 52))) / (quad)(1ull << 52);
	quad first = (quad)(uint64_t)(two_by_pi * 0x1p53), rest = two_by_pi * 0x1p53 - first;
	double want[2] = { (double)first * 0x1p-53, (double)(uint64_t)(rest * 0x1p53) * 0x1p-106 };
	const char *why = NULL;
	char name[64];
	vec_fill(in, &isa_table[OP_v_trig_preop_f64]);
	for (unsigned i = 0; i < VEC_LANES; i++) {
		in[i].s[0] = du(1e5 + i);
		in[i].s[1] = i & 1;
		in[i].enabled = 1;
	}
	if (!vec_run(chip, OP_v_trig_preop_f64, &(vec_how){ 0 }, in, out))
		return;
	for (unsigned i = 0; i < VEC_LANES && !why; i++)
		why = fabs(d_(out[i].d) - want[i & 1]) > (i & 1 ? 0x1p-101 : 0) ? "wrong" : NULL;
	snprintf(name, sizeof name, "%s v_trig_preop_f64", chip);
	if (why)
		t_bad("%s: %s, %a", name, why, d_(out[0].d));
	else
		t_ok("%s", name);
}

int main(void)
{
	for (const char *const *chip = t_chips; *chip; chip++) {
		modes(*chip);
		for (unsigned op = 0; op < ISA_NOPS; op++)
			compares(*chip, op);
		for (unsigned k = 0; k < sizeof approx / sizeof *approx; k++) {
			approximations(*chip, &approx[k], EMU_CHECK_MEMORY);
			approximations(*chip, &approx[k], EMU_CHECK_ALL);
		}
		modifiers(*chip);
		trig_preop(*chip);
	}
	return t_end();
}
