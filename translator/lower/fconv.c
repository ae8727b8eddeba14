/* fconv.c -- cvt to, from and among floats, in every rounding mode, saturating.
 * Needs L->in with at least one float type; leaves machine conversions of 32 bits and exact steps
 * around them, so that each result is rounded once.
 * Manual: "Parallel Thread Execution ISA", 9.7.9 (cvt: rounding, saturation, NaN). */
#include "lower/lower.h"

static const ir_fp exact;

/* The operation that rounds to an integer as written; 0: none is. */
static unsigned
rounding_op(const lower *L, bool d)
{
	static const struct { uint16_t mod, g[2]; } row[] = {
		{ PTX_M_rni, { G_frndne32, G_frndne64 } },
		{ PTX_M_rzi, { G_ftrunc32, G_ftrunc64 } },
		{ PTX_M_rmi, { G_ffloor32, G_ffloor64 } },
		{ PTX_M_rpi, { G_fceil32, G_fceil64 } },
	};

	for (unsigned i = 0; i < COUNT(row); i++)
		if (lo_has(L, (ptx_mod)row[i].mod))
			return row[i].g[d];
	return 0;
}

/* The result's register may be wider than its type only for integers. */
static void
write(lower *L, ir_opnd v, ptx_type t)
{
	if (L->in->nops)
		lo_set_ext(L, &L->in->ops[0], v, t);
}

/* The source as f32 or f64 */
static ir_opnd
float_src(lower *L)
{
	ptx_type t = lo_type(L, 1);
	ir_opnd a = lo_src(L, 1, t);

	return lo_is_half(t) ? lo_from_half(L, lo_is_bf16(t), a) : a;
}

/* f32, f64 to f32, f64 */
void
lower_cvt_float(lower *L)
{
	ptx_type dt = lo_type(L, 0), st = lo_type(L, 1);
	unsigned round = rounding_op(L, dt == PTX_F64);
	ir_opnd a = lo_src(L, 1, st);
	ir_fp fp = lo_fp(L);

	if (round && dt != st)
		lo_refuse(L, "");
	if (round)
		a = lo_f1(L, round, fp, a);
	else if (dt != st)
		a = lo_f1(L, dt == PTX_F32 ? G_cvt_f32_f64 : G_cvt_f64_f32, fp, a);
	else if (fp.ftz || fp.sat)
		a = lo_f1(L, dt == PTX_F64 ? G_fcanon64 : G_fcanon32, fp, a);
	lo_dst(L, a);
}

/* Float to integer. Out of range saturates. NaN gives 0 from f32 to at most 32 bits, else the
 * highest bit alone. */

static ir_opnd
to_narrow(lower *L, ptx_type dt, ptx_type st, ir_opnd a)
{
	static const uint16_t gop[2][2] = {
		{ G_cvt_u32_f32, G_cvt_s32_f32 }, { G_cvt_u32_f64, G_cvt_s32_f64 } };
	unsigned bits = ptx_type_bits(dt);
	bool s = ptx_is_signed(dt);
	ir_opnd v = lo_f1(L, gop[st == PTX_F64][s], exact, a);

	if (bits < 32 && s) {
		v = ir_g2(&L->b, G_max_s32, v, ir_i32(~0u << (bits - 1)));
		v = ir_g2(&L->b, G_min_s32, v, ir_i32((1u << (bits - 1)) - 1));
	} else if (bits < 32) {
		v = ir_g2(&L->b, G_min_u32, v, ir_i32((1u << bits) - 1));
	}
	if (st == PTX_F64)
		v = lo_sel(L, lo_fcmp(L, 64, IR_NAN, exact, a, a),
			lo_ext(L, ir_i32(1u << (bits - 1)), dt), v);
	return v;
}

/* An integral float in [0, 2^64), split exactly. Above that: any number. */
static ir_opnd
split_u64(lower *L, ptx_type st, ir_opnd a)
{
	bool d = st == PTX_F64;
	unsigned cvt = d ? G_cvt_u32_f64 : G_cvt_u32_f32;
	ir_opnd hi = lo_f2(L, d ? G_fmul64 : G_fmul32, exact, a, lo_float(st, 0x1p-32)), lo;

	hi = lo_f1(L, d ? G_ffloor64 : G_ffloor32, exact, hi);
	lo = lo_f3(L, d ? G_ffma64 : G_ffma32, exact, hi, lo_float(st, -0x1p32), a);
	return ir_g2(&L->b, G_pack64, lo_f1(L, cvt, exact, lo), lo_f1(L, cvt, exact, hi));
}

/* a is integral, or infinite, or NaN. */
static ir_opnd
to_u64(lower *L, ptx_type st, ir_opnd a)
{
	unsigned bits = ptx_type_bits(st);
	ir_opnd v = split_u64(L, st, a);
	ir_opnd positive = lo_fcmp(L, bits, IR_GT, exact, a, lo_float(st, 0));
	ir_opnd above = lo_fcmp(L, bits, IR_GE, exact, a, lo_float(st, 0x1p64));
	ir_opnd nan = lo_fcmp(L, bits, IR_NAN, exact, a, a);

	v = lo_sel(L, positive, v, ir_i64(0));
	v = lo_sel(L, above, ir_i64(UINT64_MAX), v);
	return lo_sel(L, nan, ir_i64(1ull << 63), v);
}

static ir_opnd
to_s64(lower *L, ptx_type st, ir_opnd a)
{
	ir_builder *B = &L->b;
	unsigned bits = ptx_type_bits(st);
	ir_opnd v = split_u64(L, st, lo_abs(a));
	ir_opnd sign = lo_sign(L, st == PTX_F64 ? lo_word(L, a, 1) : a);
	ir_opnd above = lo_fcmp(L, bits, IR_GE, exact, a, lo_float(st, 0x1p63));
	ir_opnd below_or_nan = lo_fcmp(L, bits, IR_LEU, exact, a, lo_float(st, -0x1p63));

	sign = ir_g2(B, G_pack64, sign, sign);
	v = ir_g2(B, G_sub64, ir_g2(B, G_xor64, v, sign), sign);
	v = lo_sel(L, above, ir_i64(INT64_MAX), v);
	return lo_sel(L, below_or_nan, ir_i64(1ull << 63), v);
}

void
lower_cvt_to_int(lower *L)
{
	ptx_type dt = lo_type(L, 0), st = lo_type(L, 1) == PTX_F64 ? PTX_F64 : PTX_F32;
	unsigned round = rounding_op(L, st == PTX_F64);
	bool narrow = ptx_type_bits(dt) <= 32;
	ir_opnd a = float_src(L);

	if (!narrow || !lo_has(L, PTX_M_rzi))     /* the machine's conversion truncates */
		a = lo_f1(L, round, (ir_fp){ .ftz = lo_has(L, PTX_M_ftz) }, a);
	if (narrow)
		a = to_narrow(L, dt, st, a);
	else
		a = ptx_is_signed(dt) ? to_s64(L, st, a) : to_u64(L, st, a);
	write(L, a, dt);
}

/* Integer to float */

static ir_fp
rounding_only(unsigned rnd)
{
	return (ir_fp){ .rnd = rnd & 3 };
}

/* 64 bits to f32: shift until the high dword is full (or the low one empty), fold what is left in
 * the low dword into the lowest bit of the high one, which lies below the rounding position. */
static ir_opnd
shifted_to_f32(lower *L, bool s, unsigned rnd, ir_opnd v, ir_opnd n)
{
	ir_builder *B = &L->b;
	ir_opnd x = ir_g2(B, G_shl64, v, n);
	ir_opnd rest = ir_g2(B, G_min_u32, lo_word(L, x, 0), ir_i32(1));
	ir_opnd high = ir_g2(B, G_or32, lo_word(L, x, 1), rest);
	ir_opnd f = lo_f1(L, s ? G_cvt_f32_s32 : G_cvt_f32_u32, rounding_only(rnd), high);

	return lo_f2(L, G_fldexp32, exact, f, ir_g2(B, G_sub32, ir_i32(32), n));
}

static ir_opnd
u64_to_f32(lower *L, unsigned rnd, ir_opnd v)
{
	ir_opnd n = ir_g1(&L->b, G_ffbh32, lo_word(L, v, 1));

	return shifted_to_f32(L, false, rnd, v, ir_g2(&L->b, G_min_u32, n, ir_i32(32)));
}

/* Signed: one sign bit stays. Where the high dword holds only signs, 32 more bits can go if the low
 * dword's top bit is such a sign too, else 31. */
static ir_opnd
s64_to_f32(lower *L, unsigned rnd, ir_opnd v)
{
	ir_builder *B = &L->b;
	ir_opnd lo = lo_word(L, v, 0), hi = lo_word(L, v, 1);
	ir_opnd n = ir_g1(B, G_ffbh32, ir_g2(B, G_xor32, hi, lo_sign(L, hi)));
	ir_opnd most = ir_g2(B, G_add32, ir_i32(33), lo_sign(L, ir_g2(B, G_xor32, lo, hi)));

	n = ir_g2(B, G_sub32, ir_g2(B, G_min_u32, n, most), ir_i32(1));
	return shifted_to_f32(L, true, rnd, v, n);
}

/* Both halves are exact in f64; one fma adds them with the one rounding. */
static ir_opnd
wide_to_f64(lower *L, bool s, unsigned rnd, ir_opnd v)
{
	ir_opnd hi = lo_f1(L, s ? G_cvt_f64_s32 : G_cvt_f64_u32, exact, lo_word(L, v, 1));
	ir_opnd lo = lo_f1(L, G_cvt_f64_u32, exact, lo_word(L, v, 0));

	return lo_f3(L, G_ffma64, rounding_only(rnd), hi, lo_float(PTX_F64, 0x1p32), lo);
}

/* The integer a of type st as f32 or f64 */
static ir_opnd
int_to_float(lower *L, bool d, ptx_type st, unsigned rnd, ir_opnd a)
{
	static const uint16_t gop[2][2] = {
		{ G_cvt_f32_u32, G_cvt_f32_s32 }, { G_cvt_f64_u32, G_cvt_f64_s32 } };
	bool s = ptx_is_signed(st);

	if (a.width == 1)
		return lo_f1(L, gop[d][s], rounding_only(rnd), a);
	if (d)
		return wide_to_f64(L, s, rnd, a);
	return s ? s64_to_f32(L, rnd, a) : u64_to_f32(L, rnd, a);
}

void
lower_cvt_from_int(lower *L)
{
	ptx_type dt = lo_type(L, 0), st = lo_type(L, 1);
	bool d = dt == PTX_F64;
	ir_opnd r = int_to_float(L, d, st, lo_fp(L).rnd, lo_xsrc(L, 1, st));

	if (lo_has(L, PTX_M_sat))
		r = lo_f1(L, d ? G_fcanon64 : G_fcanon32, (ir_fp){ .sat = 1 }, r);
	lo_dst(L, r);
}

/* tf32: an f32 whose low 13 bits are 0, rounded there: to nearest even or away from zero, towards zero. A carry goes
 * into the exponent and on to infinity. */
void
lower_cvt_tf32(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd a = lo_src(L, 1, PTX_F32), r = a, m, all = ir_i32(0x7fffffff);

	if (lo_has(L, PTX_M_rna))
		r = ir_g2(B, G_add32, a, ir_i32(0x1000));
	else if (lo_has(L, PTX_M_rn))
		r = ir_g2(B, G_add32, ir_g2(B, G_add32, a, ir_i32(0xfff)), ir_g3(B, G_bfe_u32, a, ir_i32(13), ir_i32(1)));
	r = ir_g2(B, G_and32, r, ir_i32(0xffffe000));
	if (lo_has(L, PTX_M_satfinite)) {
		m = ir_g2(B, G_min_u32, ir_g2(B, G_and32, r, all), ir_i32(0x7f7fe000));
		r = ir_g3(B, G_bitsel32, all, m, r);
	}
	if (lo_has(L, PTX_M_relu))
		r = ir_g2(B, G_max_s32, r, ir_i32(0));
	lo_dst(L, lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, a, a), all, r));
}

/* f16 and bf16. .ftz flushes subnormals of f32, which f16 does not reach. A NaN stays one. */

void
lower_cvt_from_half(lower *L)
{
	bool bf16 = lo_is_bf16(lo_type(L, 1)), d = lo_type(L, 0) == PTX_F64;
	ir_fp fp = { .ftz = bf16 && lo_has(L, PTX_M_ftz), .sat = lo_has(L, PTX_M_sat) };
	ir_opnd a = float_src(L);

	if (fp.ftz || fp.sat)
		a = lo_f1(L, G_fcanon32, fp, a);
	lo_dst(L, d ? lo_f1(L, G_cvt_f64_f32, exact, a) : a);
}

/* The source, not a half, as f32 so that a second rounding to a half is not felt: roundings in one direction can be
 * repeated; to nearest, the first goes to odd. Integers above f16's range need nothing, those below 2^24 either. */
static ir_opnd
wide_to_f32(lower *L, unsigned rnd)
{
	ptx_type st = lo_type(L, 1);
	bool f64 = st == PTX_F64, odd = rnd == IR_RN && (f64 || lo_is_bf16(lo_type(L, 0)));
	ir_opnd a = lo_xsrc(L, 1, st), r[2];

	for (unsigned k = 0; k < 1u + odd; k++) {
		unsigned to = !odd ? rnd : k ? IR_RP : IR_RM;

		r[k] = f64 ? lo_f1(L, G_cvt_f32_f64, rounding_only(to), a) : int_to_float(L, false, st, to, a);
	}
	return odd ? lo_odd_of(L, r[0], r[1]) : r[0];
}

/* The largest number instead of infinity */
static ir_opnd
finite(lower *L, bool bf16, ir_opnd r, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd all = ir_i32(0x7fff), m;

	if (!lo_has(L, PTX_M_satfinite))
		return r;
	m = ir_g2(B, G_min_u32, ir_g2(B, G_and32, r, all), ir_i32(bf16 ? 0x7f7f : 0x7bff));
	return lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, x, x), all, ir_g3(B, G_bitsel32, all, m, r));
}

static ir_opnd
to_half(lower *L, bool bf16, ir_opnd x)
{
	ir_fp fp = { .ftz = lo_has(L, PTX_M_ftz), .sat = lo_has(L, PTX_M_sat) };

	if (fp.ftz || fp.sat)
		x = lo_f1(L, G_fcanon32, fp, x);
	return lo_relu(L, finite(L, bf16, lo_to_half(L, bf16, lo_fp(L).rnd, x), x));
}

/* Anything to f16, bf16; rounded to an integral value between two of the same type. */
void
lower_cvt_half(lower *L)
{
	ptx_type dt = lo_type(L, 0), st = lo_type(L, 1);
	unsigned round = rounding_op(L, false);
	ir_opnd x;

	if ((round && !lo_is_half(st)) || (lo_has(L, PTX_M_ftz) && st != PTX_F32))
		lo_refuse(L, "");
	if (L->refused)
		return;
	x = st == PTX_F32 || lo_is_half(st) ? float_src(L) : wide_to_f32(L, lo_fp(L).rnd);
	if (round)
		x = lo_f1(L, round, exact, x);
	x = to_half(L, lo_is_bf16(dt), x);
	if (L->in->nops && lo_reg_bits(&L->in->ops[0]) > 16)
		x = lo_ext(L, x, PTX_U16);
	write(L, x, PTX_U16);
}

/* Two f32: the first goes into the upper half. */
void
lower_cvt_pair(lower *L)
{
	bool bf16 = lo_is_bf16(lo_type(L, 0));
	ir_opnd high = to_half(L, bf16, lo_src(L, 1, PTX_F32)), low = to_half(L, bf16, lo_src(L, 2, PTX_F32));

	lo_dst(L, lo_pair(L, low, high));
}
