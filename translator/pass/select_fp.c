/* select_fp.c -- floating point: one vector instruction each, with source modifiers and clamp.
 * Needs select.def's rows; leaves i->fp on the machine instruction: what MODE must hold there
 * (pass mode). Kernels run with IEEE_MODE = 0 and DX10_CLAMP = 1: v_min and v_max then return
 * the operand that is a number and order -0 before +0, as PTX's min and max do; clamping turns
 * NaN into +0, as .sat does. ISA manuals, "MODE register"; PTX ISA 9.7.3. */
#include "pass/select.h"

static int64_t
with_sign(int64_t x, unsigned mods, uint64_t sign)
{
	uint64_t u = (uint64_t)x;

	if (mods & P2A_ABS)
		u &= ~sign;
	if (mods & P2A_NEG)
		u ^= sign;
	return (int64_t)u;
}

/* Two halves; of equal ones the lower stands for both, as inline constants do. */
static ir_opnd
pair_constant(uint32_t x)
{
	ir_opnd o = ir_i32(x);

	if (x >> 16 == (x & 0xffff)) {
		o.imm = x & 0xffff;
		o.sel = P2A_OP_HI;
	}
	return o;
}

/* Signs of a pair of halves: both of them; there is no magnitude. */
static ir_opnd
pair_signs(sel *S, ir_opnd o)
{
	uint8_t mods = o.mods;

	if (mods & P2A_ABS) {
		o.mods = 0;
		o = sel_tmp2(S, OP_v_and_b32, ir_i32(0x7fff7fff), o);
	}
	o.mods = mods & P2A_NEG ? P2A_NEG | P2A_NEG_HI : 0;
	return o;
}

/* Constants take their modifiers into their bits. */
ir_opnd
sel_fold_mods(ir_opnd o, unsigned type)
{
	if (!ir_is_imm(o) || (!o.mods && type != ISA_T_F16 && type != ISA_T_H2))
		return o;
	if (type == ISA_T_H2)
		return pair_constant((uint32_t)with_sign(o.imm, o.mods, 0x80008000));
	if (type == ISA_T_F16)
		o.imm = with_sign(o.imm, o.mods, 1u << 15) & 0xffff;
	else
		o.imm = type == ISA_T_F64 ? with_sign(o.imm, o.mods, 1ull << 63) :
			(int32_t)with_sign((uint32_t)o.imm, o.mods, 1u << 31);
	o.mods = 0;
	return o;
}

/* A sum with one negative part is a difference, which the short encoding and pairs have room for. */
static void
subtract(p2a_inst *m)
{
	unsigned minus = m->arg[1].mods == P2A_NEG ? 1 : 2;

	if ((m->op != OP_v_add_f32 && m->op != OP_v_add_f16) || m->arg[minus].mods != P2A_NEG || m->arg[3 - minus].mods)
		return;
	m->op = m->op == OP_v_add_f32 ? OP_v_sub_f32 : OP_v_sub_f16;
	m->arg[minus].mods = 0;
	if (minus == 1) {
		ir_opnd x = m->arg[1];

		m->arg[1] = m->arg[2];
		m->arg[2] = x;
	}
}

static void
emit(sel *S, const ir_inst *i, unsigned op, unsigned nargs, const ir_opnd *args)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = (uint8_t)nargs, .clamp = i->fp.sat };

	for (unsigned k = 0; k < nargs; k++)
		m.arg[k] = args[k];
	subtract(&m);
	sel_inst(S, &m)->fp = i->fp;
}

static ir_opnd
operand(sel *S, ir_inst *i, unsigned k, unsigned type)
{
	ir_opnd o = sel_fold_mods(sel_src(S, i, k), type);

	return type == ISA_T_H2 && !ir_is_imm(o) ? pair_signs(S, o) : o;
}

void
sel_do_flt(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd args[4] = { sel_dst(S, i) };

	for (unsigned k = 1; k < i->m.nargs; k++)
		args[k] = operand(S, i, k - 1, isa_table[r->valu].arg[k].type);
	emit(S, i, r->valu, i->m.nargs, args);
}

/* Source k of i is the f16 that cvt makes an f32 of: the half itself, wherever it lies. */
static ir_opnd
half_source(sel *S, ir_inst *i, unsigned k, ir_inst *cvt)
{
	ir_inst *shr = sel_match(S, i, cvt, 0, G_lshr32);
	unsigned outer = i->m.arg[1 + k].mods, inner = cvt->m.arg[1].mods;
	ir_opnd o;

	sel_absorb(S, i, i, cvt);
	if (shr && sel_imm(sel_peek(S, i, shr, 1), 16)) {
		sel_absorb(S, i, cvt, shr);
		o = sel_take(S, i, shr, 0);
		o.sel = P2A_OP_HI | P2A_OP_SEL;
	} else {
		o = sel_take(S, i, cvt, 0);
		o.sel = P2A_OP_HI;
	}
	o.mods = (uint8_t)(outer & P2A_ABS ? outer : inner ^ outer);
	return o;
}

/* f16 sources are read as they are. What becomes of their subnormals where those of f32 are flushed, no manual says. */
static bool
mixed_fma(sel *S, ir_inst *i)
{
	p2a_inst m = { .op = OP_v_fma_mix_f32, .nargs = 4, .clamp = i->fp.sat };
	ir_inst *cvt[3];
	bool any = false;

	if (i->fp.ftz || !isa_has(S->t, OP_v_fma_mix_f32))
		return false;
	for (unsigned k = 0; k < 3; k++) {
		cvt[k] = sel_mine(S, i, k, G_cvt_f32_f16);
		if (cvt[k] && (cvt[k]->fp.sat || ir_is_imm(sel_peek(S, i, cvt[k], 0))))
			cvt[k] = NULL;
		any |= cvt[k] != NULL;
	}
	if (!any)
		return false;
	m.arg[0] = sel_dst(S, i);
	for (unsigned k = 0; k < 3; k++)
		m.arg[1 + k] = cvt[k] ? half_source(S, i, k, cvt[k]) : sel_fold_mods(sel_src(S, i, k), ISA_T_F32);
	sel_inst(S, &m)->fp = i->fp;
	return true;
}

void
sel_do_fma32(sel *S, ir_inst *i, const sel_row *r)
{
	if (!mixed_fma(S, i))
		sel_do_flt(S, i, r);
}

/* x * 1 is x, quieted, flushed and clamped as the modes say. */
void
sel_do_canon(sel *S, ir_inst *i, const sel_row *r)
{
	bool wide = i->m.op == G_fcanon64;
	ir_opnd x = sel_fold_mods(sel_src(S, i, 0), isa_table[r->valu].arg[1].type);

	emit(S, i, r->valu, 3,
	     (ir_opnd[]){ sel_dst(S, i), wide ? ir_i64(0x3ff0000000000000) : ir_i32(0x3f800000),
			  x });
}
