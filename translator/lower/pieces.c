/* pieces.c -- integers that share a register: dot products, pairs of 16 bits, packing with saturation.
 * Needs L->in with .b32 operands; leaves G_* of 32 bits, a dword a piece.
 * Manual: "Parallel Thread Execution ISA", 9.7.1.1, 9.7.1.12 - 13, 9.7.1.23 - 24, 9.7.9.22. */
#include "lower/lower.h"

static ir_opnd
piece(lower *L, ir_opnd v, unsigned i, unsigned bits, bool is_signed)
{
	return ir_g3(&L->b, is_signed ? G_bfe_s32 : G_bfe_u32, v, ir_i32(i * bits), ir_i32(bits));
}

/* b unsigned on chips that know signed bytes only: b - 128, and 128 a in two halves. */
static ir_opnd
mixed_signs(lower *L, ir_opnd a, ir_opnd b, ir_opnd sum)
{
	ir_builder *B = &L->b;

	for (unsigned i = 0; i < 2; i++)
		sum = ir_g3(B, G_dot4_s, a, ir_i32(0x40404040), sum);
	return ir_g3(B, G_dot4_s, a, ir_g2(B, G_xor32, b, ir_i32(0x80808080)), sum);
}

/* dp4a by an instruction of the chip's; false: it has none. */
static bool
dot_at_once(lower *L, ir_opnd a, ir_opnd b, ir_opnd sum, bool as, bool bs)
{
	unsigned gop = as != bs ? G_dot4_su : as ? G_dot4_s : G_dot4_u;
	ir_opnd x = as || !bs ? a : b, y = as || !bs ? b : a;

	if (ir_dot_op(L->b.f->target, gop) != ISA_NOPS)
		lo_dst(L, ir_g3(&L->b, gop, x, y, sum));
	else if (gop == G_dot4_su && ir_dot_op(L->b.f->target, G_dot4_s) != ISA_NOPS)
		lo_dst(L, mixed_signs(L, x, y, sum));
	else
		return false;
	return true;
}

/* dp4a: four bytes with four; dp2a: two halves with the low or the high two bytes. The sum wraps, so that no
 * order of its parts matters. */
void
lower_dot(lower *L)
{
	ir_builder *B = &L->b;
	unsigned n = L->row->g[0], first = lo_has(L, PTX_M_hi) ? 2 : 0;
	bool as = ptx_is_signed(lo_type(L, 0)), bs = ptx_is_signed(lo_type(L, 1));
	ir_opnd a = lo_src(L, 1, PTX_B32), b = lo_src(L, 2, PTX_B32), sum = lo_src(L, 3, PTX_B32);

	if (n == 4 && dot_at_once(L, a, b, sum, as, bs))
		return;
	for (unsigned i = 0; i < n; i++) {
		ir_opnd x = piece(L, a, i, 32 / n, as), y = piece(L, b, first + i, 8, bs);

		sum = ir_g2(B, G_add32, ir_g2(B, as || bs ? G_mul32 : G_mul_u24, x, y), sum);
	}
	lo_dst(L, sum);
}

/* add, min, max of two halves; .relu: not below zero */
void
lower_pair16(lower *L)
{
	ir_builder *B = &L->b;
	bool s = lo_has(L, PTX_M_s16x2);
	unsigned gop = L->row->g[s];
	ir_opnd a = lo_src(L, 1, PTX_B32), b = lo_src(L, 2, PTX_B32), r[2];

	for (unsigned i = 0; i < 2; i++) {
		r[i] = ir_g2(B, gop, piece(L, a, i, 16, s), piece(L, b, i, 16, s));
		if (lo_has(L, PTX_M_relu))
			r[i] = ir_g2(B, G_max_s32, r[i], ir_i32(0));
	}
	lo_dst(L, ir_g3(B, G_bitsel32, ir_i32(0xffff), r[0], ir_g2(B, G_shl32, r[1], ir_i32(16))));
}

/* ---- cvt.pack ---- */

static const struct { uint16_t mod; uint8_t bits; bool is_signed; } small[] = {
	{ PTX_M_u2, 2, false }, { PTX_M_s2, 2, true }, { PTX_M_u4, 4, false }, { PTX_M_s4, 4, true },
};

/* What a and b are brought into the range of. */
static void
target_range(const lower *L, unsigned *bits, bool *is_signed)
{
	ptx_type t = lo_type(L, 0);

	*bits = ptx_type_bits(t);
	*is_signed = ptx_is_signed(t);
	for (size_t i = 0; i < COUNT(small); i++)
		if (lo_has(L, (ptx_mod)small[i].mod)) {
			*bits = small[i].bits;
			*is_signed = small[i].is_signed;
		}
}

/* a above b, and the low bits of c above both. */
void
lower_cvt_pack(lower *L)
{
	ir_builder *B = &L->b;
	unsigned bits;
	bool s;
	ir_opnd r = L->in->nops > 3 ? lo_src(L, 3, PTX_B32) : ir_i32(0);

	target_range(L, &bits, &s);
	for (unsigned i = 1; i <= 2; i++) {
		uint32_t high = UINT32_MAX >> (32 - bits + s);
		ir_opnd v = ir_g2(B, G_max_s32, lo_src(L, i, PTX_S32), ir_i32(s ? ~high : 0));

		v = ir_g2(B, G_min_s32, v, ir_i32(high));
		r = ir_g3(B, G_bitsel32, ir_i32(UINT32_MAX << bits), ir_g2(B, G_shl32, r, ir_i32(bits)), v);
	}
	lo_dst(L, r);
}
