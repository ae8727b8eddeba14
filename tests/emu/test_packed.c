/* test_packed.c -- instructions on two halves (VOP3P), on halves by op_sel (VOP3), and v_fma_mix: results of every
 * selection and sign, with saturation and with flushed denormals, on all families.
 * The reference is the host's arithmetic: _Float16 and __float128, plain integers, a half at a time. */
#include <math.h>

#include "vec.h"

__extension__ typedef __float128 quad;
typedef uint32_t (*ref)(uint32_t a, uint32_t b, uint32_t c);

static vec_in in[VEC_LANES];
static vec_out out[VEC_LANES];
static bool clamp, ovfl;         /* ovfl: MODE.FP16_OVFL */

static _Float16 h_(uint32_t x) { uint16_t u = (uint16_t)x; _Float16 h; memcpy(&h, &u, 2); return h; }
static uint32_t hu(_Float16 h) { uint16_t u; memcpy(&u, &h, 2); return u; }
static float f_(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
static uint32_t fu(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static int32_t i_(uint32_t x) { return (int16_t)x; }
static int64_t lim(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }
static uint32_t s16(int64_t x) { return (uint32_t)(clamp ? lim(x, -32768, 32767) : x) & 0xffff; }
static uint32_t u16(int64_t x) { return (uint32_t)(clamp ? lim(x, 0, 65535) : x) & 0xffff; }
/* Under MODE.FP16_OVFL only an infinite operand makes a result infinite: 65504 stands for it else. */
static _Float16 over(_Float16 x, uint32_t a, uint32_t b, uint32_t c)
{
	bool from = (a & 0x7fff) == 0x7c00 || (b & 0x7fff) == 0x7c00 || (c & 0x7fff) == 0x7c00;
	return ovfl && !from && (hu(x) & 0x7fff) == 0x7c00 ? (x > 0 ? (_Float16)65504 : (_Float16)-65504) : x;
}
/* A result of halves: clamped to [0, 1], a NaN to 0. */
static uint32_t half(_Float16 x)
{
	if (clamp)
		x = x > 0 ? (x < 1 ? x : (_Float16)1) : (_Float16)0;
	return hu(x);
}
static uint32_t single(float x)
{
	if (clamp)
		x = x > 0 ? (x < 1 ? x : 1) : 0;
	return fu(x);
}

#define W(name, e) static uint32_t name(uint32_t a, uint32_t b, uint32_t c) { (void)a; (void)b; (void)c; return e; }
W(madi, s16((int64_t)i_(a) * i_(b) + i_(c)))
W(madu, u16((int64_t)a * b + c))
W(madu32, (uint32_t)(clamp ? lim((int64_t)a * b + c, 0, UINT32_MAX) : (int64_t)a * b + c))
W(madi32, (uint32_t)(clamp ? lim((int64_t)i_(a) * i_(b) + (int32_t)c, INT32_MIN, INT32_MAX) : (int64_t)i_(a) * i_(b) + c))
W(mul, a * b & 0xffff)
W(addi, s16((int64_t)i_(a) + i_(b)))
W(subi, s16((int64_t)i_(a) - i_(b)))
W(addu, u16((int64_t)a + b))
W(subu, u16((int64_t)a - b))
W(shl, (b << (a & 15)) & 0xffff)
W(shr, b >> (a & 15))
W(sar, (uint32_t)(i_(b) >> (a & 15)) & 0xffff)
W(maxi, i_(a) > i_(b) ? a : b)
W(mini, i_(a) < i_(b) ? a : b)
W(maxu, a > b ? a : b)
W(minu, a < b ? a : b)
static uint32_t median(uint32_t a, uint32_t b, uint32_t c, uint32_t (*less)(uint32_t, uint32_t, uint32_t))
{
	bool ab = less(a, b, 0) == a, bc = less(b, c, 0) == b, ac = less(a, c, 0) == a;
	return ab ? (bc ? b : ac ? c : a) : (ac ? a : bc ? c : b);
}
W(max3i, maxi(maxi(a, b, 0), c, 0))
W(min3i, mini(mini(a, b, 0), c, 0))
W(med3i, median(a, b, c, mini))
W(max3u, maxu(maxu(a, b, 0), c, 0))
W(min3u, minu(minu(a, b, 0), c, 0))
W(med3u, median(a, b, c, minu))
W(addh, half(over(h_(a) + h_(b), a, b, 0)))
W(mulh, half(over(h_(a) * h_(b), a, b, 0)))
W(fmah, half(over((_Float16)((quad)h_(a) * h_(b) + h_(c)), a, b, c)))
W(madh, half((_Float16)(h_(a) * h_(b)) + h_(c)))
static bool nan16(uint32_t x) { return (x & 0x7fff) > 0x7c00; }
static uint32_t extreme(uint32_t a, uint32_t b, bool max)
{
	if (nan16(a) || nan16(b))
		return nan16(a) ? b : a;
	if (h_(a) == 0 && h_(b) == 0)
		return max ? a & b : a | b;
	return (h_(a) < h_(b)) != max ? a : b;
}
static uint32_t strict(uint32_t a, uint32_t b, bool max)
{
	return nan16(a) || nan16(b) ? 0x7e00 : extreme(a, b, max);
}
W(minh, half(h_(extreme(a, b, false))))
W(maxh, half(h_(extreme(a, b, true))))
W(minimum, half(h_(strict(a, b, false))))
W(maximum, half(h_(strict(a, b, true))))
W(min3h, half(h_(extreme(extreme(a, b, false), c, false))))
W(max3h, half(h_(extreme(extreme(a, b, true), c, true))))
W(minmaxh, half(h_(extreme(extreme(a, b, false), c, true))))
W(maxminh, half(h_(extreme(extreme(a, b, true), c, false))))
W(med3h, half(h_(nan16(a) || nan16(b) || nan16(c) ? extreme(extreme(a, b, false), c, false) :
	extreme(extreme(a, b, false), extreme(extreme(a, b, true), c, false), true))))
static uint32_t fixed(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t inf = 0x7c00, b0 = b & 0x7fff, c0 = c & 0x7fff, s = (b ^ c) & 0x8000;
	if (nan16(c) || nan16(b) || (!b0 && !c0) || (b0 == inf && c0 == inf))
		return 0x7e00;
	return s | (!b0 || c0 == inf ? inf : b0 == inf || !c0 ? 0 : a & 0x7fff);
}
W(fixup, half(h_(fixed(a, b, c))))
W(addf, single(f_(a) + f_(b)))
W(mulf, single(f_(a) * f_(b)))
W(fmaf_, single(fmaf(f_(a), f_(b), f_(c))))
W(madf, single((float)(f_(a) * f_(b)) + f_(c)))

/* Whole results: of operands whose halves are selected already. */
static int64_t dots(uint32_t a, uint32_t b, unsigned bits, bool sa, bool sb)
{
	int64_t d = 0;
	for (unsigned k = 0; k < 32; k += bits) {
		int64_t x = a >> k & ((1u << bits) - 1), y = b >> k & ((1u << bits) - 1), top = (int64_t)1 << (bits - 1);
		d += (sa && x >= top ? x - 2 * top : x) * (sb && y >= top ? y - 2 * top : y);
	}
	return d;
}
static uint32_t ends(int64_t x, int64_t lo, int64_t hi) { return (uint32_t)(clamp ? lim(x, lo, hi) : x); }
#define DOT(name, bits, s) W(name, s ? ends(dots(a, b, bits, true, true) + (int32_t)c, INT32_MIN, INT32_MAX) : \
	ends(dots(a, b, bits, false, false) + c, 0, UINT32_MAX))
DOT(dot2i, 16, 1)
DOT(dot2u, 16, 0)
DOT(dot4i, 8, 1)
DOT(dot4u, 8, 0)
DOT(dot8i, 4, 1)
DOT(dot8u, 4, 0)
static bool sign[2];
W(dot4iu, ends(dots(a, b, 8, sign[0], sign[1]) + (int32_t)c, INT32_MIN, INT32_MAX))
W(dot8iu, ends(dots(a, b, 4, sign[0], sign[1]) + (int32_t)c, INT32_MIN, INT32_MAX))
W(dot2h, single((float)((float)h_(a) * (float)h_(b)) + (float)((float)h_(a >> 16) * (float)h_(b >> 16)) + f_(c)))

/* H, I: each half with ref, floats or integers; F: pairs of f32; D: a whole result; V: 16 bits by op_sel of VOP3. */
static const struct row { uint16_t op; char how; ref want; } rows[] = {
	{ OP_v_pk_mad_i16, 'I', madi }, { OP_v_pk_mul_lo_u16, 'I', mul }, { OP_v_pk_add_i16, 'I', addi },
	{ OP_v_pk_sub_i16, 'I', subi }, { OP_v_pk_lshlrev_b16, 'I', shl }, { OP_v_pk_lshrrev_b16, 'I', shr },
	{ OP_v_pk_ashrrev_i16, 'I', sar }, { OP_v_pk_max_i16, 'I', maxi }, { OP_v_pk_min_i16, 'I', mini },
	{ OP_v_pk_mad_u16, 'I', madu }, { OP_v_pk_add_u16, 'I', addu }, { OP_v_pk_sub_u16, 'I', subu },
	{ OP_v_pk_max_u16, 'I', maxu }, { OP_v_pk_min_u16, 'I', minu },
	{ OP_v_pk_fma_f16, 'H', fmah }, { OP_v_pk_add_f16, 'H', addh }, { OP_v_pk_mul_f16, 'H', mulh },
	{ OP_v_pk_min_f16, 'H', minh }, { OP_v_pk_max_f16, 'H', maxh },
	{ OP_v_pk_minimum_f16, 'H', minimum }, { OP_v_pk_maximum_f16, 'H', maximum },
	{ OP_v_pk_fma_f32, 'F', fmaf_ }, { OP_v_pk_mul_f32, 'F', mulf }, { OP_v_pk_add_f32, 'F', addf },
	{ OP_v_dot2_i32_i16, 'D', dot2i }, { OP_v_dot2_u32_u16, 'D', dot2u }, { OP_v_dot2_f32_f16, 'D', dot2h },
	{ OP_v_dot4_i32_i8, 'D', dot4i }, { OP_v_dot4_u32_u8, 'D', dot4u }, { OP_v_dot8_i32_i4, 'D', dot8i },
	{ OP_v_dot8_u32_u4, 'D', dot8u }, { OP_v_dot4_i32_iu8, 'D', dot4iu }, { OP_v_dot8_i32_iu4, 'D', dot8iu },
	{ OP_v_dot2c_i32_i16, 'D', dot2i }, { OP_v_dot2c_f32_f16, 'D', dot2h }, { OP_v_dot4c_i32_i8, 'D', dot4i },
	{ OP_v_dot8c_i32_i4, 'D', dot8i },
	{ OP_v_min3_f16, 'V', min3h }, { OP_v_max3_f16, 'V', max3h }, { OP_v_med3_f16, 'V', med3h },
	{ OP_v_minmax_f16, 'V', minmaxh }, { OP_v_maxmin_f16, 'V', maxminh }, { OP_v_fma_f16, 'V', fmah },
	{ OP_v_mad_f16, 'V', madh }, { OP_v_div_fixup_f16, 'V', fixup },
	{ OP_v_min3_i16, 'V', min3i }, { OP_v_max3_i16, 'V', max3i }, { OP_v_med3_i16, 'V', med3i },
	{ OP_v_min3_u16, 'V', min3u }, { OP_v_max3_u16, 'V', max3u }, { OP_v_med3_u16, 'V', med3u },
	{ OP_v_mad_u32_u16, 'V', madu32 }, { OP_v_mad_i32_i16, 'V', madi32 },
	{ OP_v_mad_u16, 'V', madu }, { OP_v_mad_i16, 'V', madi }, { OP_v_add_i16, 'V', addi }, { OP_v_sub_i16, 'V', subi },
	{ OP_v_fma_mix_f32, 'M', fmaf_ }, { OP_v_mad_mix_f32, 'M', madf },
	{ OP_v_fma_mixlo_f16, 'M', fmaf_ }, { OP_v_fma_mixhi_f16, 'M', fmaf_ },
	{ OP_v_mad_mixlo_f16, 'M', madf }, { OP_v_mad_mixhi_f16, 'M', madf },
};

/* The variant under test: what each operand selects, and which signs change. */
static uint8_t sel[4], mods[4];
static void tweak(p2a_inst *i)
{
	for (unsigned k = 0; k < i->nargs && k < 4; k++) {
		i->arg[k].sel = sel[k];
		i->arg[k].mods = mods[k];
	}
	i->clamp = clamp;
}

static void choose(const p2a_target *t, const struct row *r, unsigned round)
{
	const isa_info *info = &isa_table[r->op];
	memset(sel, 0, sizeof sel);
	memset(mods, 0, sizeof mods);
	sign[0] = sign[1] = false;
	clamp = round % 3 == 2 && info->eff & (ISA_FLOAT | ISA_CLAMP) && !(info->eff & ISA_TIED);
	for (unsigned k = 0; k < info->nargs && round; k++) {
		uint64_t x = t_random() >> 20;
		unsigned type = info->arg[k].type;
		bool pair = type == ISA_T_H2 || type == ISA_T_W2 || type == ISA_T_S2;
		if (type == ISA_T_MIX || (pair && k && !(r->how == 'D' && t->dot_whole) && !(info->eff & ISA_TIED)))
			sel[k] = x & 3;
		else if ((type == ISA_T_F16 || type == ISA_T_B16) && info->eff & ISA_HALF && r->how == 'V')
			sel[k] = x & 1;
		if (k && (type == ISA_T_H2 || type == ISA_T_S2) && !(info->eff & ISA_TIED))
			mods[k] = (uint8_t)((x >> 4 & 1 ? P2A_NEG : 0) | (x >> 5 & 1 ? P2A_NEG_HI : 0));
		else if (k && (type == ISA_T_MIX || (type == ISA_T_F16 && r->how == 'V')))
			mods[k] = (uint8_t)((x >> 4 & 1 ? P2A_NEG : 0) | (x >> 5 & 1 ? P2A_ABS : 0));
		else if (type == ISA_T_IU && k < 3) {
			mods[k] = x >> 4 & 1 ? P2A_NEG : 0;
			sign[k - 1] = mods[k];
		}
	}
}

static unsigned mode;
static uint32_t small(uint32_t h, unsigned bit) { return mode & bit || h & 0x7c00 ? h : h & 0x8000; }
static uint32_t tiny(uint32_t f, unsigned bit) { return mode & bit || f & 0x7f800000 ? f : f & 0x80000000; }

/* The half of source k that result half h reads. */
static uint32_t half_of(uint64_t x, unsigned k, unsigned h, bool floats)
{
	bool high = h ? !(sel[k] & 2) : sel[k] & 1, neg = mods[k] & (h ? P2A_NEG_HI : P2A_NEG);
	uint32_t v = (uint32_t)(high ? x >> 16 : x) & 0xffff;
	return floats ? small(v ^ (neg ? 0x8000u : 0), 0x40) : v;
}
static uint32_t single_of(uint64_t x, unsigned k, unsigned h)
{
	bool high = h ? !(sel[k] & 2) : sel[k] & 1, neg = mods[k] & (h ? P2A_NEG_HI : P2A_NEG);
	return tiny((uint32_t)(high ? x >> 32 : x) ^ (neg ? 0x80000000 : 0), 0x10);
}
static uint32_t signs(uint32_t x, unsigned k, uint32_t bit)
{
	x = mods[k] & P2A_ABS ? x & ~bit : x;
	return mods[k] & P2A_NEG ? x ^ bit : x;
}
static uint32_t mixed(uint64_t x, unsigned k)
{
	uint32_t h = small((uint32_t)(sel[k] & 1 ? x >> 16 : x) & 0xffff, 0x40);
	return signs(sel[k] & 2 ? fu((float)h_(h)) : tiny((uint32_t)x, 0x10), k, 0x80000000);
}
static uint32_t whole(uint64_t x, unsigned k, unsigned type)
{
	bool pair = type == ISA_T_H2 || type == ISA_T_W2;
	return pair ? half_of(x, k, 0, type == ISA_T_H2) | half_of(x, k, 1, type == ISA_T_H2) << 16 : (uint32_t)x;
}
static uint32_t by_op_sel(uint64_t x, unsigned k, unsigned type)
{
	if (type != ISA_T_F16 && type != ISA_T_B16)
		return (uint32_t)x;
	uint32_t v = (uint32_t)(sel[k] & 1 ? x >> 16 : x) & 0xffff;
	return type == ISA_T_F16 ? small(signs(v, k, 0x8000), 0x40) : v;
}

static uint64_t place(uint32_t h, bool high)
{
	return high ? (VEC_OLD & ~UINT64_C(0xffff0000)) | h << 16 : (VEC_OLD & ~UINT64_C(0xffff)) | h;
}

static uint64_t expect(const p2a_target *t, const struct row *r, const vec_in *v)
{
	const isa_info *info = &isa_table[r->op];
	bool floats = r->how == 'H', result16 = info->arg[0].type == ISA_T_F16 || info->arg[0].type == ISA_T_B16;
	uint32_t s[3] = { 0 }, d[2] = { 0 };
	for (unsigned h = 0; h < 2; h++) {
		for (unsigned k = 0; k + 1 < info->nargs; k++) {
			unsigned type = info->arg[k + 1].type;
			uint64_t x = v->s[k];
			s[k] = r->how == 'H' || r->how == 'I' ? half_of(x, k + 1, h, floats) : r->how == 'F' ? single_of(x, k + 1, h) :
				r->how == 'M' ? mixed(x, k + 1) : r->how == 'D' ? whole(x, k + 1, type) : by_op_sel(x, k + 1, type);
		}
		d[h] = r->want(s[0], s[1], info->eff & ISA_TIED ? (uint32_t)VEC_OLD : s[2]);
	}
	if (r->how == 'H')
		return (VEC_OLD & ~UINT64_C(0xffffffff)) | small(d[0], 0x80) | small(d[1], 0x80) << 16;
	if (r->how == 'F')
		return tiny(d[0], 0x20) | (uint64_t)tiny(d[1], 0x20) << 32;
	if (r->how == 'I')
		return (VEC_OLD & ~UINT64_C(0xffffffff)) | d[0] | d[1] << 16;
	if (!result16)
		return (VEC_OLD & ~UINT64_C(0xffffffff)) | (r->how == 'M' ? tiny(d[0], 0x20) : d[0]);
	if (r->how == 'M') {
		bool from = isinf(f_(s[0])) || isinf(f_(s[1])) || isinf(f_(s[2]));
		uint32_t h = hu(over((_Float16)f_(d[0]), from ? 0x7c00 : 0, 0, 0));
		return place(small(h, 0x80), strstr(info->name, "mixhi"));
	}
	(void)t;
	return place(info->arg[0].type == ISA_T_F16 ? small(d[0], 0x80) : d[0], sel[0]);
}

/* The same bits, or a NaN for a NaN. */
static bool same(unsigned type, uint64_t a, uint64_t b)
{
	if (a == b)
		return true;
	if (type == ISA_T_F32)
		return f_((uint32_t)a) != f_((uint32_t)a) && f_((uint32_t)b) != f_((uint32_t)b) && a >> 32 == b >> 32;
	if (type == ISA_T_S2)
		return same(ISA_T_F32, a & UINT32_MAX, b & UINT32_MAX) && same(ISA_T_F32, a >> 32, b >> 32);
	if (type != ISA_T_H2 && type != ISA_T_F16)
		return false;
	for (unsigned k = 0; k < 64; k += 16) {
		uint32_t x = a >> k & 0xffff, y = b >> k & 0xffff;
		if (x != y && !(nan16(x) && nan16(y)))
			return false;
	}
	return true;
}

static uint64_t operand(unsigned type)
{
	uint64_t low = vec_edge(ISA_T_F16) & 0xffff, high = vec_edge(ISA_T_F16) & 0xffff;
	if (type == ISA_T_F32 || (type == ISA_T_MIX && t_random() >> 63))
		return vec_edge(ISA_T_F32);
	if (type == ISA_T_S2)
		return vec_edge(ISA_T_F32) | vec_edge(ISA_T_F32) << 32;
	if (type == ISA_T_W2 || type == ISA_T_B16)
		return (vec_edge(ISA_T_B16) & 0xffff) | (vec_edge(ISA_T_B16) & 0xffff) << 16;
	return type == ISA_T_IU || type == ISA_T_B32 ? vec_edge(ISA_T_B32) : low | high << 16;
}

static const char *check(const char *chip, const struct row *r)
{
	static char why[256];
	const p2a_target *t = p2a_target_find(chip);
	const isa_info *info = &isa_table[r->op];
	vec_fill(in, info);
	for (unsigned i = 0; i < VEC_LANES; i++)
		for (unsigned k = 0; k + 1 < info->nargs; k++)
			in[i].s[k] = operand(info->arg[k + 1].type);
	if (!vec_run(chip, r->op, &(vec_how){ .mode = mode | 0x100 /* 0 means the usual one */, .tweak = tweak }, in, out))
		return "does not run";
	for (unsigned i = 0; i < VEC_LANES; i++) {
		uint64_t w = in[i].enabled ? expect(t, r, &in[i]) : VEC_OLD;
		if (same(info->arg[0].type, out[i].d, w))
			continue;
		snprintf(why, sizeof why, "sel %u %u %u %u mods %u %u %u clamp %d mode %x: (%llx, %llx, %llx): %llx, not %llx",
			sel[0], sel[1], sel[2], sel[3], mods[1], mods[2], mods[3], clamp, mode, (unsigned long long)in[i].s[0],
			(unsigned long long)in[i].s[1], (unsigned long long)in[i].s[2], (unsigned long long)out[i].d,
			(unsigned long long)w);
		return why;
	}
	return NULL;
}

static void rows_on(const char *chip, unsigned rounds)
{
	const p2a_target *t = p2a_target_find(chip);
	for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
		char name[96];
		const char *why = NULL;
		bool modes = isa_table[r->op].eff & ISA_FLOAT && r->how != 'D';
		if (!isa_has(t, r->op))
			continue;
		for (unsigned k = 0; k < rounds && !why; k++) {
			ovfl = modes && k % 4 == 1 && r->op != OP_v_mad_f16;     /* a fault there: test_fault.c */
			mode = modes && k % 4 == 3 ? 0 : 0xf0 | (uint32_t)ovfl << 14;    /* rsrc1[26], FP16_OVFL */
			choose(t, r, k);
			why = check(chip, r);
		}
		snprintf(name, sizeof name, "%s %s", chip, isa_table[r->op].name);
		t_result(name, why);
	}
}

/* v_pk_mov_b32: op_sel alone says which dword of each source. */
static void pk_mov(const char *chip)
{
	const char *why = NULL;
	for (unsigned k = 0; k < 4 && !why; k++) {
		memset(mods, 0, sizeof mods);
		memset(sel, 0, sizeof sel);
		sel[1] = k & 1, sel[2] = k >> 1 & 1, clamp = ovfl = false, mode = 0xf0;
		vec_fill(in, &isa_table[OP_v_pk_mov_b32]);
		if (!vec_run(chip, OP_v_pk_mov_b32, &(vec_how){ .tweak = tweak }, in, out))
			why = "does not run";
		for (unsigned i = 0; i < VEC_LANES && !why; i++) {
			uint64_t a = in[i].s[0], b = in[i].s[1];
			uint64_t w = (sel[1] ? a >> 32 : a & UINT32_MAX) | (sel[2] ? b & ~(uint64_t)UINT32_MAX : b << 32);
			why = out[i].d == (in[i].enabled ? w : VEC_OLD) ? NULL : "wrong";
		}
	}
	t_result("gfx90a v_pk_mov_b32", why);
}

int main(void)
{
	static const char *const chips[] = { "gfx900", "gfx906", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };
	unsigned rounds = getenv("P2A_TEST_QUICK") ? 6 : 12;
	for (size_t k = 0; k < sizeof chips / sizeof *chips; k++)
		rows_on(chips[k], rounds);
	pk_mov("gfx90a");
	return t_end();
}
