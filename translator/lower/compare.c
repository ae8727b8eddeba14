/* compare.c -- setp, set, selp, slct.
 * Needs L->in; leaves G_icmp*, G_fcmp* with their ir_cc, predicates as lane booleans.
 * Manual: "Parallel Thread Execution ISA", 9.3 (comparisons), 9.7.6 (comparison and selection). */
#include "lower/lower.h"

/* What each comparison means of signed integers, unsigned ones (and bits), floats. */
enum { NONE = 255 };
static const struct { uint16_t mod; uint8_t s, u, f; } comparison[] = {
	{ PTX_M_eq, IR_EQ, IR_EQ, IR_EQ },     { PTX_M_ne, IR_NE, IR_NE, IR_NE },
	{ PTX_M_lt, IR_LT, IR_LO, IR_LT },     { PTX_M_le, IR_LE, IR_LS, IR_LE },
	{ PTX_M_gt, IR_GT, IR_HI, IR_GT },     { PTX_M_ge, IR_GE, IR_HS, IR_GE },
	{ PTX_M_lo, NONE, IR_LO, NONE },       { PTX_M_ls, NONE, IR_LS, NONE },
	{ PTX_M_hi, NONE, IR_HI, NONE },       { PTX_M_hs, NONE, IR_HS, NONE },
	{ PTX_M_equ, NONE, NONE, IR_EQU },     { PTX_M_neu, NONE, NONE, IR_NEU },
	{ PTX_M_ltu, NONE, NONE, IR_LTU },     { PTX_M_leu, NONE, NONE, IR_LEU },
	{ PTX_M_gtu, NONE, NONE, IR_GTU },     { PTX_M_geu, NONE, NONE, IR_GEU },
	{ PTX_M_num, NONE, NONE, IR_NUM },     { PTX_M_nan, NONE, NONE, IR_NAN },
};

static bool
is_float(ptx_type t)
{
	return t == PTX_F32 || t == PTX_F64 || lo_is_half(t);
}

unsigned
lower_condition(const lower *L, ptx_type t)
{
	for (unsigned i = 0; i < COUNT(comparison); i++) {
		if (!lo_has(L, (ptx_mod)comparison[i].mod))
			continue;
		if (is_float(t))
			return comparison[i].f;
		return ptx_is_signed(t) ? comparison[i].s : comparison[i].u;
	}
	return NONE;
}

/* ops[1] compared with ops[2], both of type t; of pairs, one half */
static ir_opnd
compared(lower *L, ptx_type t, unsigned half)
{
	unsigned cc = lower_condition(L, t);
	ir_opnd a, b;

	if (cc == NONE) {
		lo_refuse(L, "");
		return ir_i1(false);
	}
	if (lo_is_half(t))
		return lo_half_cmp(L, t, half, (ir_cc)cc);
	a = lo_xsrc(L, 1, t);
	b = lo_xsrc(L, 2, t);
	if (is_float(t))
		return lo_fcmp(L, a.width * 32u, (ir_cc)cc, lo_fp(L), a, b);
	return ir_icmp(&L->b, ptx_type_bits(t), (ir_cc)cc, a, b);
}

/* v and|or|xor ops[i], as far as a boolean operation is written */
static ir_opnd
combined(lower *L, ir_opnd v, unsigned i)
{
	unsigned gop = lo_has(L, PTX_M_and) ? G_and1 : lo_has(L, PTX_M_or) ? G_or1 :
		lo_has(L, PTX_M_xor) ? G_xor1 : 0;

	if (!gop && L->in->nops > i)
		lo_refuse(L, "");
	return gop ? ir_g2(&L->b, gop, v, lo_src(L, i, PTX_PRED)) : v;
}

void
lower_setp(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd v = compared(L, t, 0), p, q;
	const ptx_operand *d = L->in->ops;

	if (L->refused || d->kind != PTX_O_PAIR) {
		lo_dst(L, combined(L, v, 3));
		return;
	}
	p = combined(L, v, 3);
	q = combined(L, lo_is_pair(t) ? compared(L, t, 1) : ir_g1(&L->b, G_not1, v), 3);
	lo_set(L, &d->sub[0], p);
	lo_set(L, &d->sub[1], q);
}

/* set: all ones, or 1.0 for floats; the second type is that of the sources */
static ir_opnd
one_or_ones(ptx_type t)
{
	return t == PTX_F32 ? lo_float(PTX_F32, 1.0) : !lo_is_half(t) ? ir_i32(UINT32_MAX) : ir_i32(lo_is_bf16(t) ? 0x3f80 : 0x3c00);
}

void
lower_set(lower *L)
{
	ir_opnd p = combined(L, compared(L, lo_type(L, 1), 0), 3);

	lo_dst(L, lo_sel(L, p, one_or_ones(lo_type(L, 0)), ir_i32(0)));
}

/* Of pairs each half for itself; an integer's halves are 16 ones */
void
lower_set_pair(lower *L)
{
	ir_opnd yes = one_or_ones(lo_type(L, 0)), half[2];

	for (unsigned h = 0; h < 2; h++)
		half[h] = lo_sel(L, combined(L, compared(L, lo_type(L, 1), h), 3), yes, ir_i32(0));
	lo_dst(L, lo_pair(L, half[0], half[1]));
}

void
lower_selp(lower *L)
{
	ptx_type t = lo_type(L, 0);

	lo_dst(L, lo_sel(L, lo_src(L, 3, PTX_PRED), lo_src(L, 1, t), lo_src(L, 2, t)));
}

/* slct: the first source where the third is at least 0 (not for NaN) */
void
lower_slct(lower *L)
{
	ptx_type t = lo_type(L, 0), tc = lo_type(L, 1);
	ir_opnd a = lo_src(L, 1, t), b = lo_src(L, 2, t), c = lo_src(L, 3, tc), p;

	if (tc == PTX_F32)
		p = lo_fcmp(L, 32, IR_GE, lo_fp(L), c, ir_i32(0));
	else
		p = ir_icmp(&L->b, 32, IR_GE, c, ir_i32(0));
	lo_dst(L, lo_sel(L, p, a, b));
}
