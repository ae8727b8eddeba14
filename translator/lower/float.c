/* float.c -- f32 and f64 arithmetic with the rounding, .ftz and .sat that are written.
 * Needs L->in with .f32 or .f64; leaves G_f* whose fp says what the machine's MODE must hold.
 * Manual: "Parallel Thread Execution ISA", 9.7.3 (floating point; NaN payloads are not kept). */
#include "lower/lower.h"

static const ir_fp exact;

static ir_opnd
fsrc(lower *L, unsigned i)
{
	return lo_src(L, i, lo_type(L, 0));
}

/* add, mul: row->g for 32 and 64 bits */
void
lower_fadd(lower *L)
{
	lo_dst(L, lo_f2(L, L->row->g[lo_is64(L)], lo_fp(L), fsrc(L, 1), fsrc(L, 2)));
}

void
lower_fsub(lower *L)
{
	lo_dst(L, lo_f2(L, L->row->g[lo_is64(L)], lo_fp(L), fsrc(L, 1), lo_neg(fsrc(L, 2))));
}

/* fma, and mad: fma.rn.ftz too where NVIDIA's assembler takes PTX for sm_1x to later chips. Those cut the product to 23
 * bits (9.7.3.7), which is in none of them. */
void
lower_fma(lower *L)
{
	lo_dst(L, lo_f3(L, L->row->g[lo_is64(L)], lo_fp(L), fsrc(L, 1), fsrc(L, 2), fsrc(L, 3)));
}

/* add, sub, mul, fma of two f32 in 64 bits: half by half. row->g: the operation, and whether to subtract */
static ir_opnd
half_of(lower *L, unsigned which)
{
	ir_opnd s[3];
	unsigned n = L->in->nops - 1u;

	for (unsigned i = 0; i < 3; i++)
		s[i] = lo_word(L, lo_src(L, i < n ? i + 1 : 1, PTX_B64), which);
	if (n == 3)
		return lo_f3(L, L->row->g[0], lo_fp(L), s[0], s[1], s[2]);
	return lo_f2(L, L->row->g[0], lo_fp(L), s[0], L->row->g[1] ? lo_neg(s[1]) : s[1]);
}

void
lower_f32x2(lower *L)
{
	ir_opnd low = half_of(L, 0);

	lo_dst(L, ir_g2(&L->b, G_pack64, low, half_of(L, 1)));
}

/* add, sub, fma of f32 whose first sources are f16 or bf16: these are f32 numbers too. row->g as above */
void
lower_fmixed(lower *L)
{
	bool three = L->row->g[0] == G_ffma32;
	ir_opnd a = lo_half_src(L, 1, lo_type(L, 1), 0), c = fsrc(L, three ? 3 : 2);

	if (three)
		lo_dst(L, lo_f3(L, G_ffma32, lo_fp(L), a, lo_half_src(L, 2, lo_type(L, 1), 0), c));
	else
		lo_dst(L, lo_f2(L, G_fadd32, lo_fp(L), a, L->row->g[1] ? lo_neg(c) : c));
}

/* The sign bit alone, unless subnormals are to be flushed. row->g[0]: abs */
static ir_opnd
sign_changed(lower *L, bool abs, ir_opnd a)
{
	ir_builder *B = &L->b;
	unsigned gop = abs ? G_and32 : G_xor32;
	ir_opnd mask = ir_i32(abs ? 0x7fffffff : 0x80000000), high;

	if (lo_has(L, PTX_M_ftz))
		return lo_f1(L, G_fcanon32, lo_fp(L), abs ? lo_abs(a) : lo_neg(a));
	if (a.width == 1)
		return ir_g2(B, gop, a, mask);
	high = ir_g2(B, gop, lo_word(L, a, 1), mask);
	return ir_g2(B, G_pack64, lo_word(L, a, 0), high);
}

void
lower_fneg(lower *L)
{
	lo_dst(L, sign_changed(L, L->row->g[0], fsrc(L, 1)));
}

/* min, max. .NaN: a NaN if an operand is one, then the manual's canonical one. .abs: of magnitudes;
 * .xorsign.abs: and then with the exclusive or of the signs. */
ir_opnd
lo_extreme(lower *L, bool max, ir_opnd a, ir_opnd b)
{
	ir_builder *B = &L->b;
	static const uint16_t gop[2][2] = { { G_fmin32, G_fmin64 }, { G_fmax32, G_fmax64 } };
	bool abs = lo_has(L, PTX_M_abs);
	ir_opnd r, signs;

	r = lo_f2(L, gop[max][a.width == 2], lo_fp(L), abs ? lo_abs(a) : a, abs ? lo_abs(b) : b);
	if (lo_has(L, PTX_M_xorsign)) {
		signs = ir_g2(B, G_and32, ir_g2(B, G_xor32, a, b), ir_i32(0x80000000));
		r = ir_g2(B, G_or32, r, signs);
	}
	if (lo_has(L, PTX_M_NaN))
		r = lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, a, b), ir_i32(0x7fffffff), r);
	return r;
}

void
lower_fminmax(lower *L)
{
	bool max = L->row->g[0];
	ir_opnd r;

	if (lo_is64(L) && L->in->nmods)
		lo_refuse(L, "");
	if (L->refused)
		return;
	r = lo_extreme(L, max, fsrc(L, 1), fsrc(L, 2));
	if (L->in->nops > 3)
		r = lo_extreme(L, max, r, fsrc(L, 3));
	lo_dst(L, r);
}

/* copysign: the sign of the first source, the magnitude of the second */
void
lower_copysign(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd a = fsrc(L, 1), b = fsrc(L, 2), mask = ir_i32(0x7fffffff), high;

	if (a.width == 1) {
		lo_dst(L, ir_g3(B, G_bitsel32, mask, b, a));
		return;
	}
	high = ir_g3(B, G_bitsel32, mask, lo_word(L, b, 1), lo_word(L, a, 1));
	lo_dst(L, ir_g2(B, G_pack64, lo_word(L, b, 0), high));
}

/* testp, on the bits: m is the magnitude, inf the bits of infinity, min those of the smallest
 * normal number. Zero counts as normal. */
static ir_opnd
class_test(lower *L, bool d, ir_opnd m)
{
	ir_builder *B = &L->b;
	unsigned bits = d ? 64 : 32;
	ir_opnd inf = d ? ir_i64(0x7ffull << 52) : ir_i32(0x7f800000);
	ir_opnd below = d ? ir_i64((1ull << 52) - 1) : ir_i32(0x007fffff);      /* min - 1 */
	ir_opnd less = ir_g2(B, d ? G_sub64 : G_sub32, m, d ? ir_i64(1) : ir_i32(1));

	if (lo_has(L, PTX_M_finite))
		return ir_icmp(B, bits, IR_LO, m, inf);
	if (lo_has(L, PTX_M_infinite))
		return ir_icmp(B, bits, IR_EQ, m, inf);
	if (lo_has(L, PTX_M_number))
		return ir_icmp(B, bits, IR_LS, m, inf);
	if (lo_has(L, PTX_M_notanumber))
		return ir_icmp(B, bits, IR_HI, m, inf);
	if (lo_has(L, PTX_M_normal))    /* not 0 < m < min, and below inf */
		return ir_g2(B, G_and1, ir_icmp(B, bits, IR_HS, less, below),
			ir_icmp(B, bits, IR_LO, m, inf));
	if (!lo_has(L, PTX_M_subnormal))
		lo_refuse(L, "");
	return ir_icmp(B, bits, IR_LO, less, below);
}

void
lower_testp(lower *L)
{
	bool d = lo_is64(L);
	ir_opnd all_but_sign = d ? ir_i64(INT64_MAX) : ir_i32(INT32_MAX);
	ir_opnd m = ir_g2(&L->b, d ? G_and64 : G_and32, fsrc(L, 1), all_but_sign);

	lo_dst(L, class_test(L, d, m));
}
