/* int.c -- integer arithmetic: sums, products, extremes, carry chains.
 * Needs L->in with .u/.s types; leaves G_* of 32 and 64 bits (16-bit forms work in dwords).
 * Manual: "Parallel Thread Execution ISA", 9.7.1 (integer), 9.7.2 (extended precision). */
#include "lower/lower.h"

/* add, sub: row->g holds the operations of 32 and 64 bits. */
void
lower_binary(lower *L)
{
	ptx_type t = lo_type(L, 0);

	lo_dst(L, ir_g2(&L->b, L->row->g[lo_is64(L)], lo_src(L, 1, t), lo_src(L, 2, t)));
}

/* Signed sum or difference of dwords that stays at the end of the range where it would leave it:
 * overflow shows as a sign that both (a, r) and (b or ~b, r) disagree with. */
static ir_opnd
saturated(lower *L, unsigned gop, ir_opnd a, ir_opnd b)
{
	ir_builder *B = &L->b;
	ir_opnd r = ir_g2(B, gop, a, b);
	ir_opnd x = ir_g2(B, G_xor32, a, r);
	ir_opnd y = gop == G_add32 ? ir_g2(B, G_xor32, b, r) : ir_g2(B, G_xor32, a, b);
	ir_opnd over = ir_icmp(B, 32, IR_LT, ir_g2(B, G_and32, x, y), ir_i32(0));
	ir_opnd end = ir_g2(B, G_xor32, lo_sign(L, a), ir_i32(0x7fffffff));

	return lo_sel(L, over, end, r);
}

void
lower_add_sat(lower *L)
{
	lo_dst(L, saturated(L, L->row->g[0], lo_src(L, 1, PTX_S32), lo_src(L, 2, PTX_S32)));
}

/* Carry chains. CC.CF is one mutable boolean a kernel. The manual speaks of carry and borrow, but the flag is one: a
 * subtraction adds the complement, so that it is set where nothing was borrowed. NVIDIA's own code takes it
 * from sub.cc to addc (their division of 128 bits: tests/corpus/cuda/big_integer.cu). */

static void
set_carry(lower *L, ir_opnd c)
{
	if (L->guarded)
		c = lo_sel(L, L->guard, c, L->act->cc);
	ir_gen_to(&L->b, L->act->cc, G_copy1, 1, &c);
}

/* a + b + in or a - b - in; out gets the carry or borrow. */
static ir_opnd
with_carry(lower *L, bool subtract, ir_opnd a, ir_opnd b, ir_opnd in, ir_opnd *out)
{
	ir_builder *B = &L->b;
	unsigned sum = subtract ? G_subb32 : G_addc32;
	unsigned carry = subtract ? G_subb_out32 : G_addc_out32;
	ir_opnd lo, mid, al, bl, ah, bh;

	if (a.width == 1) {
		lo = ir_g3(B, sum, a, b, in);
		*out = ir_g3(B, carry, a, b, in);
		return lo;
	}
	al = lo_word(L, a, 0), ah = lo_word(L, a, 1);
	bl = lo_word(L, b, 0), bh = lo_word(L, b, 1);
	lo = ir_g3(B, sum, al, bl, in);
	mid = ir_g3(B, carry, al, bl, in);
	*out = ir_g3(B, carry, ah, bh, mid);
	return ir_g2(B, G_pack64, lo, ir_g3(B, sum, ah, bh, mid));
}

/* add.cc addc addc.cc sub.cc subc subc.cc: row->g[0] subtract, row->g[1] reads CC.CF */
static void
carry_step(lower *L, ir_opnd a, ir_opnd b)
{
	bool subtract = L->row->g[0];
	ir_opnd in = L->act->cc, out, r;

	if (!L->row->g[1])
		in = ir_i1(false);
	else if (subtract)
		in = ir_g1(&L->b, G_not1, in);
	r = with_carry(L, subtract, a, b, in, &out);
	if (lo_has(L, PTX_M_cc))
		set_carry(L, subtract ? ir_g1(&L->b, G_not1, out) : out);
	lo_dst(L, r);
}

void
lower_carry(lower *L)
{
	ptx_type t = lo_type(L, 0);

	carry_step(L, lo_src(L, 1, t), lo_src(L, 2, t));
}

/* Products */

/* w + a * b in 64 bits: cannot overflow */
static ir_opnd
plus_product(lower *L, ir_opnd w, ir_opnd a, ir_opnd b)
{
	return ir_g2(&L->b, G_add64, ir_g2(&L->b, G_mulw_u32, a, b), lo_widen(L, w, PTX_U32));
}

/* High 64 bits of a 128-bit product of unsigned numbers, from four products of dwords. */
ir_opnd
lo_mulhi_u64(lower *L, ir_opnd a, ir_opnd b)
{
	ir_opnd a0 = lo_word(L, a, 0), a1 = lo_word(L, a, 1);
	ir_opnd b0 = lo_word(L, b, 0), b1 = lo_word(L, b, 1);
	ir_opnd low = ir_g2(&L->b, G_mulhi_u32, a0, b0);
	ir_opnd mid = plus_product(L, low, a0, b1);
	ir_opnd mid2 = plus_product(L, lo_word(L, mid, 0), a1, b0);
	ir_opnd top = plus_product(L, lo_word(L, mid, 1), a1, b1);

	return ir_g2(&L->b, G_add64, top, lo_widen(L, lo_word(L, mid2, 1), PTX_U32));
}

/* As signed numbers: what the sign bits count too much is taken off again. */
static ir_opnd
mulhi_s64(lower *L, ir_opnd a, ir_opnd b)
{
	ir_builder *B = &L->b;
	ir_opnd r = lo_mulhi_u64(L, a, b);

	r = ir_g2(B, G_sub64, r, ir_g2(B, G_and64, lo_sign(L, a), b));
	return ir_g2(B, G_sub64, r, ir_g2(B, G_and64, lo_sign(L, b), a));
}

static ir_opnd
mul_hi(lower *L, ptx_type t, ir_opnd a, ir_opnd b)
{
	ir_builder *B = &L->b;
	bool s = ptx_is_signed(t);

	switch (ptx_type_bits(t)) {
	case 16:
		return ir_g2(B, G_lshr32, ir_g2(B, s ? G_mul32 : G_mul_u24, a, b), ir_i32(16));
	case 32:
		return ir_g2(B, s ? G_mulhi_s32 : G_mulhi_u32, a, b);
	default:
		return s ? mulhi_s64(L, a, b) : lo_mulhi_u64(L, a, b);
	}
}

/* The low 16 bits of a product come from the low 16 of its factors, whatever stands above them. */
static ir_opnd
mul_lo(lower *L, ptx_type t, ir_opnd a, ir_opnd b)
{
	unsigned bits = ptx_type_bits(t);

	return ir_g2(&L->b, bits == 64 ? G_mul64 : bits == 32 ? G_mul32 : G_mul_u24, a, b);
}

static ir_opnd
mul_wide(lower *L, ptx_type t, ir_opnd a, ir_opnd b)
{
	bool s = ptx_is_signed(t);

	if (ptx_type_bits(t) == 16)
		return ir_g2(&L->b, s ? G_mul32 : G_mul_u24, a, b);
	return ir_g2(&L->b, s ? G_mulw_s32 : G_mulw_u32, a, b);
}

/* mul.lo of 16 bits needs no clean upper halves; the others do. */
static ir_opnd
product(lower *L)
{
	ptx_type t = lo_type(L, 0);

	if (lo_has(L, PTX_M_lo))
		return mul_lo(L, t, lo_src(L, 1, t), lo_src(L, 2, t));
	if (lo_has(L, PTX_M_hi))
		return mul_hi(L, t, lo_xsrc(L, 1, t), lo_xsrc(L, 2, t));
	if (!lo_has(L, PTX_M_wide) || ptx_type_bits(t) > 32)
		lo_refuse(L, "");
	return mul_wide(L, t, lo_xsrc(L, 1, t), lo_xsrc(L, 2, t));
}

void
lower_mul(lower *L)
{
	lo_dst(L, product(L));
}

/* The type of mad's third operand: that of the result. */
static ptx_type
addend_type(const lower *L)
{
	ptx_type t = lo_type(L, 0);

	if (!lo_has(L, PTX_M_wide))
		return t;
	return ptx_type_bits(t) == 16 ? PTX_B32 : PTX_B64;
}

void
lower_mad(lower *L)
{
	ir_opnd p = product(L), c = lo_src(L, 3, addend_type(L));

	if (lo_has(L, PTX_M_sat) && !(lo_has(L, PTX_M_hi) && lo_type(L, 0) == PTX_S32))
		lo_refuse(L, "");
	if (lo_has(L, PTX_M_sat))
		lo_dst(L, saturated(L, G_add32, p, c));
	else
		lo_dst(L, ir_g2(&L->b, p.width == 2 ? G_add64 : G_add32, p, c));
}

/* mad.cc madc madc.cc */
void
lower_mad_carry(lower *L)
{
	if (lo_has(L, PTX_M_wide))
		lo_refuse(L, "");
	carry_step(L, product(L), lo_src(L, 3, addend_type(L)));
}

/* 24-bit products: .lo is bits 31..0, .hi bits 47..16 */
static ir_opnd
source24(lower *L, unsigned i, bool s)
{
	ir_opnd v = lo_src(L, i, PTX_B32);

	if (s)
		return ir_g3(&L->b, G_bfe_s32, v, ir_i32(0), ir_i32(24));
	return ir_g2(&L->b, G_and32, v, ir_i32(0xffffff));
}

static ir_opnd
product24(lower *L)
{
	ir_builder *B = &L->b;
	bool s = lo_type(L, 0) == PTX_S32;
	ir_opnd a, b, p;

	if (lo_has(L, PTX_M_lo) && !s)
		return ir_g2(B, G_mul_u24, lo_src(L, 1, PTX_B32), lo_src(L, 2, PTX_B32));
	a = source24(L, 1, s), b = source24(L, 2, s);
	if (lo_has(L, PTX_M_lo))
		return ir_g2(B, G_mul32, a, b);
	p = ir_g2(B, s ? G_mulw_s32 : G_mulw_u32, a, b);
	return ir_g3(B, G_alignbit32, lo_word(L, p, 1), lo_word(L, p, 0), ir_i32(16));
}

void
lower_mul24(lower *L)
{
	lo_dst(L, product24(L));
}

void
lower_mad24(lower *L)
{
	ir_opnd p = product24(L), c = lo_src(L, 3, PTX_B32);

	if (!lo_has(L, PTX_M_sat))
		lo_dst(L, ir_g2(&L->b, G_add32, p, c));
	else if (lo_has(L, PTX_M_hi) && lo_type(L, 0) == PTX_S32)
		lo_dst(L, saturated(L, G_add32, p, c));
	else
		lo_refuse(L, "");
}

/* Extremes and signs */

ir_opnd
lo_minmax(lower *L, bool is_signed, bool max, ir_opnd a, ir_opnd b)
{
	static const uint16_t gop[2][2] = { { G_min_u32, G_min_s32 }, { G_max_u32, G_max_s32 } };
	static const ir_cc cc[2][2] = { { IR_LO, IR_LT }, { IR_HI, IR_GT } };

	if (a.width == 1)
		return ir_g2(&L->b, gop[max][is_signed], a, b);
	return lo_sel(L, ir_icmp(&L->b, 64, cc[max][is_signed], a, b), a, b);
}

void
lower_minmax(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd r = lo_minmax(L, ptx_is_signed(t), L->row->g[0], lo_xsrc(L, 1, t), lo_xsrc(L, 2, t));

	if (lo_has(L, PTX_M_relu))
		r = ir_g2(&L->b, G_max_s32, r, ir_i32(0));
	lo_dst(L, r);
}

static ir_opnd
negated(lower *L, ir_opnd v)
{
	if (v.width == 2)
		return ir_g2(&L->b, G_sub64, ir_i64(0), v);
	return ir_g2(&L->b, G_sub32, ir_i32(0), v);
}

void
lower_neg(lower *L)
{
	lo_dst(L, negated(L, lo_src(L, 1, lo_type(L, 0))));
}

void
lower_abs(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd a = lo_xsrc(L, 1, t), n = negated(L, a);

	if (a.width == 2)
		lo_dst(L, lo_sel(L, ir_icmp(&L->b, 32, IR_LT, lo_word(L, a, 1), ir_i32(0)), n, a));
	else
		lo_dst(L, ir_g2(&L->b, G_max_s32, a, n));
}

/* |a - b| + c */
void
lower_sad(lower *L)
{
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 0);
	bool s = ptx_is_signed(t);
	ir_opnd a = lo_xsrc(L, 1, t), b = lo_xsrc(L, 2, t), c = lo_src(L, 3, t);
	ir_opnd hi = lo_minmax(L, s, true, a, b), lo = lo_minmax(L, s, false, a, b);
	bool d = a.width == 2;

	lo_dst(L, ir_g2(B, d ? G_add64 : G_add32, ir_g2(B, d ? G_sub64 : G_sub32, hi, lo), c));
}
