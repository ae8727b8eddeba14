/* select_div.c -- division of floats, rounded to nearest with subnormals: the machine's division macro.
 * Needs MODE with subnormals kept and nearest rounding, which i->fp of each instruction demands; leaves VCC
 * written. ISA manuals, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP, V_RCP. */
#include "pass/select.h"

/* Why the result is the nearest one. Let p be the precision, a and b the scaled operands, y the reciprocal that
 * the steps end with, q the quotient before the last step. e = a - b q is exact there, so v_div_fmas rounds
 * q + e y once, which lies |a/b - q| * |1 - b y| away from a/b. It decides wrongly only where a/b is nearer than
 * that to the middle of two neighbours, where |a/b - q| is half a unit; and a/b keeps 2^-p / b units away from
 * it (b in [1, 2)). So |1/b - y| < 2^(1-p) / b^2 is enough: a y that errs by half a unit, 2^(-p-1), and a
 * little is good for every b but the last below 2.
 *
 * f32: "accuracy converges to < 0.5 ulp when using the Newton-Raphson method and 2 FMA operations" (V_RCP_F32),
 * so y is 1/b rounded to nearest, and Markstein's theorem covers that b too.
 * f64: v_rcp_f64 is good to 2^29 ulp, 2^-23; three steps leave 2^-46, half a unit + 2^-39, half a unit + 2^-54.
 * A step never comes out above 1/b, so for b = 2 - 2^-52, whose reciprocal is hardly more than the middle
 * of 1/2 and its upper neighbour, it would end at 1/2. There alone (and for powers of two, which the last step
 * brings back) the low dword of the reciprocal is 0 where 1/b is that close to a middle: 1 is put in its place.
 * q: n y errs by 1.5 units at most, one correction leaves half a unit and 2^-p. */

typedef struct rows { uint16_t scale, rcp, fma, mul, fmas, fixup; } rows;
static const rows row[2] = {
	{ OP_v_div_scale_f32, OP_v_rcp_f32, OP_v_fma_f32, OP_v_mul_f32, OP_v_div_fmas_f32, OP_v_div_fixup_f32 },
	{ OP_v_div_scale_f64, OP_v_rcp_f64, OP_v_fma_f64, OP_v_mul_f64, OP_v_div_fmas_f64, OP_v_div_fixup_f64 },
};

static ir_opnd
one(bool wide)
{
	return wide ? ir_i64(0x3ff0000000000000) : ir_i32(0x3f800000);
}

static ir_opnd
negated(ir_opnd o)
{
	o.mods ^= P2A_NEG;
	return o;
}

/* Source k without modifiers, in VGPRs; 1 stays a constant. */
static ir_opnd
operand(sel *S, ir_inst *i, unsigned k, bool wide)
{
	ir_opnd o = sel_fold_mods(sel_src(S, i, k), wide ? ISA_T_F64 : ISA_T_F32);

	if (o.mods)
		return sel_tmp2(S, row[wide].mul, one(wide), o);
	return sel_imm(o, one(wide).imm) ? o : sel_to_v(S, o);
}

/* y + y (1 - d y) */
static ir_opnd
newton(sel *S, const rows *r, ir_opnd d, ir_opnd y)
{
	ir_opnd e = sel_tmp3(S, r->fma, negated(d), y, one(d.width == 2));

	return sel_tmp3(S, r->fma, e, y, y);
}

static ir_opnd
reciprocal(sel *S, const rows *r, ir_opnd d)
{
	ir_opnd y = sel_new(S, IR_BANK_V, d.width), odd;

	sel_op1(S, r->rcp, y, d);
	y = newton(S, r, d, y);
	if (d.width == 1)
		return y;
	y = newton(S, r, d, y);
	odd = sel_new(S, IR_BANK_V, 2);
	sel_op2(S, OP_v_max_u32, ir_part(odd, 0, 1), ir_i32(1), ir_part(y, 0, 1));
	sel_copy(S, ir_part(odd, 1, 1), ir_part(y, 1, 1));
	return newton(S, r, d, odd);
}

/* VCC says v_div_fmas whether the quotient is scaled; nothing else may use it in between. */
static ir_opnd
quotient(sel *S, const rows *r, ir_opnd a, ir_opnd b, ir_opnd d, ir_opnd y)
{
	ir_opnd n = sel_new(S, IR_BANK_V, d.width), q, e;

	sel_group(S);
	sel_op(S, r->scale, 5, (ir_opnd[]){ n, sel_vcc(S), a, b, a });
	q = sel_tmp2(S, r->mul, n, y);
	e = sel_tmp3(S, r->fma, negated(d), q, n);
	q = sel_tmp3(S, r->fma, e, y, q);
	e = sel_tmp3(S, r->fma, negated(d), q, n);
	q = sel_tmp3(S, r->fmas, e, y, q);
	sel_end(S);
	return q;
}

void
sel_do_div(sel *S, ir_inst *i, const sel_row *sr)
{
	bool wide = sr->valu == OP_v_div_scale_f64;
	const rows *r = &row[wide];
	ir_opnd a = operand(S, i, 0, wide), b = operand(S, i, 1, wide);
	ir_opnd d = sel_new(S, IR_BANK_V, wide ? 2 : 1), q;
	p2a_inst fixup = { .op = r->fixup, .nargs = 4, .clamp = i->fp.sat };

	sel_op(S, r->scale, 5, (ir_opnd[]){ d, sel_vcc(S), b, b, a });
	q = quotient(S, r, a, b, d, reciprocal(S, r, d));
	fixup.arg[0] = sel_dst(S, i);
	fixup.arg[1] = q;
	fixup.arg[2] = b;
	fixup.arg[3] = a;
	sel_inst(S, &fixup);
}
