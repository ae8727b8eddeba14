/* test_halves.c -- halves told apart by the register's number, dot products into halves, switches in op_sel's place (permlane),
 * 64 bits from another lane by DPP, results of gfx942's conversions from 8 bits with clamp and omod.
 * Expected values are computed here from the manuals' words: RDNA3 7.2.2, 16.8; RDNA4 7.2.4; CDNA3 4.5, 7.2. */
#include "rare.h"

#define VH(n) { P2A_K_VGPR, 1, 0, P2A_OP_SEL, (n), 0 }

static uint32_t bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static uint32_t half(double x) { _Float16 h = (_Float16)x; uint16_t u; memcpy(&u, &h, 2); return u; }

/* Both halves changed places, through a third register. */
static void mov_half(t_code *c)
{
	OP(c, v_mov_b32, V(5), K(0x11112222));
	OP(c, v_add_u32, V(5), V(0), V(5));
	OP(c, v_mov_b32, V(4), K(0x33334444));
	OP(c, v_mov_b16, VH(4), V(5));
	OP(c, v_mov_b32, V(6), K(0x55556666));
	OP(c, v_mov_b16, V(6), VH(5));
	OP(c, v_mov_b16, V(4), V(6));
	OP(c, v_and_b32, V(6), K((int32_t)0xff000000), V(6));
	OP(c, v_xor_b32, V(4), V(4), V(6));
}
static uint32_t want_mov_half(uint32_t i, uint32_t n) { (void)n; return (0x2222 + i) << 16 ^ 0x1111 ^ 0x55000000; }

/* Lanes 1, 2, 5, 6, ..: the second source, its sign removed; the others the first, negated. Above stays what was there. */
static void select_half(t_code *c)
{
	OP(c, v_mov_b32, V(5), K(0x1234));
	OP(c, v_mov_b32, V(6), K((int32_t)0xffffb456));
	OP(c, v_mov_b32, V(4), K(0x77770000));
	OP(c, s_mov_b32, S(20), K(0x66666666));
	t_op(c, OP_v_cndmask_b16, (p2a_opnd[]){ V(4), { P2A_K_VGPR, 1, P2A_NEG, 0, 5, 0 },
		{ P2A_K_VGPR, 1, P2A_ABS, 0, 6, 0 }, S(20) }, 4);
}
static uint32_t want_select(uint32_t i, uint32_t n)
{
	(void)n;
	return 0x77770000 | (0x66666666u >> (i & 31) & 1 ? 0x3456 : 0x9234);
}

/* i * 2 + 3 * 0.5 - 4, into each half, from each half of the addend: exact. */
static void dot_half(t_code *c)
{
	OP(c, v_cvt_f16_u16, V(5), V(0));
	OP(c, v_and_b32, V(5), K(0xffff), V(5));
	OP(c, v_or_b32, V(5), K((int32_t)(half(3) << 16)), V(5));
	OP(c, v_mov_b32, V(6), K((int32_t)(half(0.5) << 16 | half(2))));
	OP(c, v_mov_b32, V(7), K((int32_t)(half(-4) << 16 | half(1))));
	t_op(c, OP_v_dot2_f16_f16, (p2a_opnd[]){ V(4), V(5), V(6), VH(7) }, 4);
	t_op(c, OP_v_dot2_f16_f16, (p2a_opnd[]){ VH(4), V(5), V(6), V(7) }, 4);
}
static uint32_t want_dot_half(uint32_t i, uint32_t n) { (void)n; return half(2.0 * i + 1.5 - 4) | half(2.0 * i + 1.5 + 1) << 16; }

/* The same with bf16: 8 bits of precision, so that 2 i + 1.5 - 4 is exact up to i = 64. A denormal is 0. */
static void dot_bf16(t_code *c)
{
	OP(c, v_cvt_f32_u32, V(5), V(0));
	OP(c, v_lshrrev_b32, V(5), K(16), V(5));
	OP(c, v_or_b32, V(5), K((int32_t)(bits(3) & 0xffff0000)), V(5));
	OP(c, v_mov_b32, V(6), K((int32_t)((bits(0.5f) & 0xffff0000) | bits(2) >> 16)));
	OP(c, v_mov_b32, V(7), K((int32_t)((bits(-4) & 0xffff0000) | 1)));
	t_op(c, OP_v_dot2_bf16_bf16, (p2a_opnd[]){ V(4), V(5), V(6), VH(7) }, 4);
	OP(c, v_mov_b32, V(5), K(0x40));                 /* a denormal, and 0 */
	t_op(c, OP_v_dot2_bf16_bf16, (p2a_opnd[]){ VH(4), V(5), V(6), V(7) }, 4);
}
static uint32_t want_dot_bf16(uint32_t i, uint32_t n) { (void)n; return bits(2.0f * (float)i + 1.5f - 4) >> 16; }

/* Rounding: 1 + 2^-8 lies in the middle between two bf16, 1 and 1 + 2^-7; a little more, and 3 * 2^-8, go up. */
static void round_bf16(t_code *c)
{
	OP(c, v_mov_b32, V(4), K(0));
	OP(c, v_mov_b32, V(5), K(0x3f80));               /* 1, and 0 */
	OP(c, v_mov_b32, V(6), K(0x3b80));               /* 2^-8 */
	OP(c, v_mov_b32, V(7), K(0x3f80));
	t_op(c, OP_v_dot2_bf16_bf16, (p2a_opnd[]){ V(4), V(5), V(6), V(7) }, 4);
	OP(c, v_mov_b32, V(6), K(0x3b81));
	t_op(c, OP_v_dot2_bf16_bf16, (p2a_opnd[]){ VH(4), V(5), V(6), V(7) }, 4);
}
static uint32_t want_round(uint32_t i, uint32_t n) { (void)i, (void)n; return 0x3f80 | 0x3f81u << 16; }

/* Lanes 4 and above of each row are off and are asked for: read, 0, or left as it was. */
static void permlane(t_code *c, unsigned switches)
{
	OP(c, v_mov_b32, V(4), K(77));
	OP(c, v_mov_b32, V(5), K(77));
	OP(c, s_mov_b32, S(20), K(0x76547654));          /* lane k reads 4 + k % 4 */
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ S(26), SREG(P2A_EXEC_LO, 1) }, 2);
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), K(0x000f000f) }, 2);
	p2a_opnd a[4] = { V(4), V(0), S(20), S(20) };
	a[1].sel = switches & 1 ? P2A_OP_SEL : 0;
	a[2].sel = switches & 2 ? P2A_OP_SEL : 0;
	t_op(c, OP_v_permlane16_b32, a, 4);
	a[0].reg = 5;
	t_op(c, OP_v_permlanex16_b32, a, 4);
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), S(26) }, 2);
	OP(c, v_lshlrev_b32, V(5), K(8), V(5));
	OP(c, v_and_b32, V(5), K(0xff00), V(5));
	OP(c, v_or_b32, V(4), V(4), V(5));
}
static void permlane_keep(t_code *c) { permlane(c, 0); }
static void permlane_fi(t_code *c) { permlane(c, 1); }
static void permlane_bound(t_code *c) { permlane(c, 2); }
static void permlane_both(t_code *c) { permlane(c, 3); }
static uint32_t in_row(uint32_t i, uint32_t got, uint32_t other)
{
	bool on = (i & 15) < 4;
	return (on ? got : 77) | (on ? other : 77) << 8;
}
static uint32_t want_keep(uint32_t i, uint32_t n) { (void)n; return in_row(i, 77, 77); }
static uint32_t want_zero(uint32_t i, uint32_t n) { (void)n; return in_row(i, 0, 0); }
static uint32_t want_read(uint32_t i, uint32_t n)
{
	(void)n;
	return in_row(i, (i & 16) + 4 + i % 4, ((i & 16) ^ 16) + 4 + i % 4);
}

/* Lane 5 of each row gives its number as a double to the row; rows 1 and 3 alone take it, halved. */
static void wide_dpp(t_code *c)
{
	OP(c, v_cvt_f64_u32, VN(6, 2), V(0));
	OP(c, v_cvt_f64_u32, VN(8, 2), K(9));
	t_emit(c, &(p2a_inst){ .op = OP_v_ceil_f64, .enc = P2A_ENC_DPP, .dpp = 0x155, .dpp_mask = 0xaf, .nargs = 2,
		.arg = { VN(8, 2), { P2A_K_VGPR, 2, P2A_NEG, 0, 6, 0 } } });
	OP(c, v_cvt_i32_f64, V(4), VN(8, 2));
}
static uint32_t want_wide(uint32_t i, uint32_t n) { (void)n; return i & 16 ? 0u - (i / 16 * 16 + 5) : 9; }

/* 0x44 is 1.5 in 4 + 3 bits with bias 8, 0x38 is 0.5. */
static void fp8_result(t_code *c)
{
	OP(c, v_mov_b32, V(5), K(0x3844));
	t_emit(c, &(p2a_inst){ .op = OP_v_cvt_f32_fp8_fnuz, .enc = P2A_ENC_E64, .clamp = 1, .nargs = 2, .arg = { V(6), V(5) } });
	t_emit(c, &(p2a_inst){ .op = OP_v_cvt_f32_fp8_fnuz, .enc = P2A_ENC_SDWA, .omod = 2, .nargs = 2,
		.arg = { V(7), { P2A_K_VGPR, 1, 0, P2A_SEL_BYTE1, 5, 0 } } });
	t_emit(c, &(p2a_inst){ .op = OP_v_cvt_pk_f32_fp8_fnuz, .enc = P2A_ENC_E64, .omod = 3, .nargs = 2, .arg = { VN(8, 2), V(5) } });
	OP(c, v_add_f32, V(4), V(6), V(7));              /* 1 + 2 */
	OP(c, v_add_f32, V(4), V(8), V(4));              /* 0.75 */
	OP(c, v_add_f32, V(4), V(9), V(4));              /* 0.25 */
}
static uint32_t want_fp8(uint32_t i, uint32_t n) { (void)i, (void)n; return bits(4); }

static const rare cases[] = {
	{ "v_mov_b16", "gfx1100 gfx1200", mov_half, want_mov_half, 0 },
	{ "v_cndmask_b16", "gfx1100 gfx1200", select_half, want_select, 0 },
	{ "v_dot2_f16_f16", "gfx1100 gfx1200", dot_half, want_dot_half, 0 },
	{ "v_dot2_bf16_bf16", "gfx1100 gfx1200", dot_bf16, want_dot_bf16, 0 },
	{ "v_dot2_bf16_bf16 rounded", "gfx1100 gfx1200", round_bf16, want_round, 0 },
	{ "v_permlane16_b32", "gfx1010 gfx1030 gfx1100 gfx1200", permlane_keep, want_keep, 0 },
	{ "v_permlane16_b32 op_sel:[1,0]", "gfx1010 gfx1030 gfx1100 gfx1200", permlane_fi, want_read, 0 },
	{ "v_permlane16_b32 op_sel:[0,1]", "gfx1010 gfx1030 gfx1100 gfx1200", permlane_bound, want_zero, 0 },
	{ "v_permlane16_b32 op_sel:[1,1]", "gfx1010 gfx1030 gfx1100 gfx1200", permlane_both, want_read, 0 },
	{ "row_newbcast of 64 bits", "gfx90a gfx942", wide_dpp, want_wide, 0 },
	{ "v_cvt_f32_fp8 with clamp and omod", "gfx942", fp8_result, want_fp8, 0 },
};

int main(void)
{
	return rare_all(cases, sizeof cases / sizeof *cases);
}
