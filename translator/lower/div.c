/* div.c -- integer div and rem without branches, exact for every operand.
 * Needs nothing of rounding or denormals: the float steps set their own. Division by zero does not
 * trap: the quotient is all ones, the remainder the dividend (the manual leaves both open).
 * Manual: "Parallel Thread Execution ISA", 9.7.1 (div, rem). */
#include "lower/lower.h"

static const ir_fp nearest = { .rnd = IR_RN };

typedef struct quotient { ir_opnd q, r; } quotient;

/* 16 bits: (x + 0.5) / y lies at least 2^-17 of itself away from an integer, and the float
 * steps err by less than 2^-21, so truncation gives floor(x / y). 1/0 saturates to all ones. */
static quotient
udiv16(lower *L, ir_opnd x, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd fx = lo_f1(L, G_cvt_f32_u32, nearest, x), q;
	ir_opnd fy = lo_f1(L, G_frcp32, nearest, lo_f1(L, G_cvt_f32_u32, nearest, y));

	fx = lo_f2(L, G_fadd32, nearest, fx, lo_float(PTX_F32, 0.5));
	q = lo_f1(L, G_cvt_u32_f32, nearest, lo_f2(L, G_fmul32, nearest, fx, fy));
	return (quotient){ q, ir_g2(B, G_sub32, x, ir_g2(B, G_mul32, q, y)) };
}

/* q + 1, r - y where r >= y */
static void
correct32(lower *L, quotient *d, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd more = ir_icmp(B, 32, IR_HS, d->r, y);

	d->q = lo_sel(L, more, ir_g2(B, G_add32, d->q, ir_i32(1)), d->q);
	d->r = lo_sel(L, more, ir_g2(B, G_sub32, d->r, y), d->r);
}

/* 32 bits. z0 = 2^32/y * (1 - e) with 0 < e < 2^-20: 1 - 2^-21 outweighs what cvt, rcp (1 ulp) and
 * mul may err upwards, so y * z0 <= 2^32. One Newton step leaves z short by less than 2, hence
 * mulhi(x, z) short by at most 2. */
static quotient
udiv32(lower *L, ir_opnd x, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd f = lo_f1(L, G_frcp32, nearest, lo_f1(L, G_cvt_f32_u32, nearest, y));
	ir_opnd z = lo_f1(L, G_cvt_u32_f32, nearest,
		lo_f2(L, G_fmul32, nearest, f, lo_float(PTX_F32, 4294965248.0 /* 2^32 - 2^11 */)));
	ir_opnd e = ir_g2(B, G_mul32, ir_g2(B, G_sub32, ir_i32(0), y), z);
	quotient d;

	z = ir_g2(B, G_add32, z, ir_g2(B, G_mulhi_u32, z, e));
	d.q = ir_g2(B, G_mulhi_u32, x, z);
	d.r = ir_g2(B, G_sub32, x, ir_g2(B, G_mul32, d.q, y));
	correct32(L, &d, y);
	correct32(L, &d, y);
	d.q = lo_sel(L, ir_icmp(B, 32, IR_EQ, y, ir_i32(0)), ir_i32(UINT32_MAX), d.q);
	return d;
}

/* An unsigned number below 2^64 as a float. */
static ir_opnd
float_of_u64(lower *L, ir_opnd v)
{
	ir_opnd hi = lo_f1(L, G_cvt_f32_u32, nearest, lo_word(L, v, 1));
	ir_opnd lo = lo_f1(L, G_cvt_f32_u32, nearest, lo_word(L, v, 0));

	return lo_f3(L, G_ffma32, nearest, hi, lo_float(PTX_F32, 0x1p32), lo);
}

/* The reverse for a float in [0, 2^64). */
static ir_opnd
u64_of_float(lower *L, ir_opnd f)
{
	ir_opnd hi = lo_f2(L, G_fmul32, nearest, f, lo_float(PTX_F32, 0x1p-32)), lo;

	hi = lo_f1(L, G_ftrunc32, nearest, hi);
	lo = lo_f3(L, G_ffma32, nearest, hi, lo_float(PTX_F32, -0x1p32), f);
	lo = lo_f1(L, G_cvt_u32_f32, nearest, lo);
	return ir_g2(&L->b, G_pack64, lo, lo_f1(L, G_cvt_u32_f32, nearest, hi));
}

static void
correct64(lower *L, quotient *d, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd more = ir_icmp(B, 64, IR_HS, d->r, y);

	d->q = lo_sel(L, more, ir_g2(B, G_add64, d->q, ir_i64(1)), d->q);
	d->r = lo_sel(L, more, ir_g2(B, G_sub64, d->r, y), d->r);
}

/* 64 bits, the same with two Newton steps. z0 = 2^64/y * (1 - e), 0 < e < 2^-20; the steps leave
 * e^2 and e^4 and what they cut off, less than 2 in z: the quotient is short by at most 2. */
static quotient
udiv64(lower *L, ir_opnd x, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd f = lo_f1(L, G_frcp32, nearest, float_of_u64(L, y));
	ir_opnd z = u64_of_float(L, lo_f2(L, G_fmul32, nearest, f,
		lo_float(PTX_F32, 18446735277616529408.0 /* 2^64 - 2^43 */)));
	ir_opnd minus_y = ir_g2(B, G_sub64, ir_i64(0), y);
	quotient d;

	for (unsigned step = 0; step < 2; step++)
		z = ir_g2(B, G_add64, z, lo_mulhi_u64(L, z, ir_g2(B, G_mul64, minus_y, z)));
	d.q = lo_mulhi_u64(L, x, z);
	d.r = ir_g2(B, G_sub64, x, ir_g2(B, G_mul64, d.q, y));
	correct64(L, &d, y);
	correct64(L, &d, y);
	d.q = lo_sel(L, ir_icmp(B, 64, IR_EQ, y, ir_i64(0)), ir_i64(UINT64_MAX), d.q);
	return d;
}

/* Constant divisors: floor(x / y) = floor(x * m / 2^(n + s)) with m = ceil(2^(n + s) / y) and
 * s = ceil(log2 y); m has n + 1 bits, its top one is added by hand: t = mulhi(x, m - 2^n),
 * q = (((x - t) >> 1) + t) >> (s - 1). (Granlund, Montgomery: "Division by Invariant Integers") */
typedef struct magic { uint64_t m; unsigned shift; } magic;

static magic
magic_of(uint64_t y, unsigned bits)
{
	unsigned s = 64 - (unsigned)__builtin_clzll(y - 1);  /* y >= 3 */
	uint64_t r = (s == 64 ? 0 : (uint64_t)1 << s) - y, m = 0;

	/* m - 2^bits = floor(2^bits * (2^s - y) / y) + 1, by long division */
	for (unsigned i = 0; i < bits; i++) {
		bool carry = r >> 63;

		r <<= 1;
		m <<= 1;
		if (carry || r >= y) {
			r -= y;
			m |= 1;
		}
	}
	return (magic){ m + 1, s };
}

static ir_opnd
divide_by_magic(lower *L, ir_opnd x, uint64_t y)
{
	ir_builder *B = &L->b;
	bool d = x.width == 2;
	magic k = magic_of(y, d ? 64 : 32);
	unsigned shr = d ? G_lshr64 : G_lshr32;
	ir_opnd t, half;

	if (d)
		t = lo_mulhi_u64(L, x, ir_i64(k.m));
	else
		t = ir_g2(B, G_mulhi_u32, x, ir_i32((uint32_t)k.m));
	half = ir_g2(B, shr, ir_g2(B, d ? G_sub64 : G_sub32, x, t), ir_i32(1));
	return ir_g2(B, shr, ir_g2(B, d ? G_add64 : G_add32, half, t), ir_i32(k.shift - 1));
}

/* y is a constant, not 0. */
static quotient
udiv_constant(lower *L, ir_opnd x, ir_opnd y)
{
	ir_builder *B = &L->b;
	bool d = x.width == 2;
	uint64_t c = d ? (uint64_t)y.imm : (uint32_t)y.imm;
	ir_opnd q, low;

	if (!(c & (c - 1))) {
		q = ir_g2(B, d ? G_lshr64 : G_lshr32, x, ir_i32((uint32_t)__builtin_ctzll(c)));
		low = d ? ir_i64(c - 1) : ir_i32((uint32_t)c - 1);
		return (quotient){ q, ir_g2(B, d ? G_and64 : G_and32, x, low) };
	}
	q = divide_by_magic(L, x, c);
	low = ir_g2(B, d ? G_mul64 : G_mul32, q, y);
	return (quotient){ q, ir_g2(B, d ? G_sub64 : G_sub32, x, low) };
}

static quotient
unsigned_division(lower *L, ir_opnd x, ir_opnd y, unsigned bits)
{
	if (ir_is_imm(y) && y.imm)
		return udiv_constant(L, x, y);
	return bits == 16 ? udiv16(L, x, y) : bits == 32 ? udiv32(L, x, y) : udiv64(L, x, y);
}

/* v where sign is 0, -v where it is all ones */
static ir_opnd
with_sign(lower *L, ir_opnd v, ir_opnd sign)
{
	ir_builder *B = &L->b;
	bool d = v.width == 2;

	return ir_g2(B, d ? G_sub64 : G_sub32, ir_g2(B, d ? G_xor64 : G_xor32, v, sign), sign);
}

/* Signs apart; the quotient truncates towards zero, the remainder has the dividend's sign.
 * By zero: the sign must not turn the quotient's all ones over. */
static quotient
signed_division(lower *L, ir_opnd x, ir_opnd y, unsigned bits)
{
	ir_builder *B = &L->b;
	ir_opnd sx = lo_sign(L, x), sy = lo_sign(L, y), zero = y.width == 2 ? ir_i64(0) : ir_i32(0);
	quotient d = unsigned_division(L, with_sign(L, x, sx), with_sign(L, y, sy), bits);
	ir_opnd sq = ir_g2(B, y.width == 2 ? G_xor64 : G_xor32, sx, sy);
	ir_opnd ones = y.width == 2 ? ir_i64(UINT64_MAX) : ir_i32(UINT32_MAX);

	d.q = with_sign(L, d.q, sq);
	d.q = lo_sel(L, ir_icmp(B, y.width == 2 ? 64 : 32, IR_EQ, y, zero), ones, d.q);
	d.r = with_sign(L, d.r, sx);
	return d;
}

/* div, rem: row->g[0] asks for the remainder. */
void
lower_div(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd x = lo_xsrc(L, 1, t), y = lo_xsrc(L, 2, t);
	unsigned bits = lo_bits(L);
	quotient d = ptx_is_signed(t) ? signed_division(L, x, y, bits) :
		unsigned_division(L, x, y, bits);

	lo_dst(L, L->row->g[0] ? d.r : d.q);
}
