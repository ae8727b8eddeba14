/* select_lane.c -- reads of other lanes. Needs operands with banks; a result that all lanes of the wave
 * share lies in an SGPR. EXEC masks off what is read as well as what is written, so nothing faults.
 * ISA manuals, "Data share operations" (ds_bpermute, ds_swizzle), "DPP". */
#include "pass/select.h"

/* One warp a wave: lanes of the warp are lanes of the wave. */
static bool
one_warp(const sel *S)
{
	return S->t->wave == 32 || (S->f->max_threads && S->f->max_threads <= 32);
}

static ir_opnd
low(const sel *S, ir_opnd mask)
{
	return S->mask_dwords == 1 || mask.kind != IR_K_VAL ? mask : ir_part(mask, 0, 1);
}

/* Where a scalar instruction can write the result: there, or in a temporary that sel_copy takes there. */
static ir_opnd
scalar_dst(sel *S, ir_opnd d)
{
	return sel_is_v(S, d) ? sel_new(S, IR_BANK_S, 1) : d;
}

static void
finish(sel *S, ir_opnd d, ir_opnd s)
{
	if (d.reg != s.reg)
		sel_copy(S, d, s);
}

/* Bits of inactive lanes mean nothing until EXEC is anded in. Of a wave of two warps each lane takes
 * its own half. */
void
sel_do_ballot(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), m = sel_mask_of(S, sel_src(S, i, 0)), both, upper, s;

	(void)r;
	if (one_warp(S)) {
		s = scalar_dst(S, d);
		m = ir_is_imm(m) ? ir_i32((uint32_t)m.imm) : low(S, m);
		sel_op2(S, OP_s_and_b32, s, m, sel_sreg(P2A_EXEC_LO, 1));
		finish(S, d, s);
		return;
	}
	both = sel_tmp2(S, OP_s_and_b64, m, sel_exec(S));
	upper = sel_to_s(S, ir_i64(0xffffffff00000000));
	sel_op(S, OP_v_cndmask_b32, 4, (ir_opnd[]){ d, ir_part(both, 0, 1), ir_part(both, 1, 1), upper });
}

static void
read_lane(sel *S, ir_opnd d, ir_opnd v, ir_opnd lane)
{
	ir_opnd s = scalar_dst(S, d);

	if (sel_is_v(S, v))
		sel_op2(S, OP_v_readlane_b32, s, v, lane);
	else
		sel_copy(S, s, v);
	finish(S, d, s);
}

/* The same in all lanes that are here, though perhaps in a VGPR: then no lane is read but one of these. The lane that the first
 * one names may be another, in which there is nothing. */
static bool
is_same(const sel *S, const ir_inst *i, ir_opnd v)
{
	return !sel_is_v(S, v) || (i->m.arg[1].kind == IR_K_VAL && !S->f->vals.a[i->m.arg[1].reg].divergent);
}

void
sel_do_shuffle(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), v = sel_src(S, i, 0), at = sel_src(S, i, 1), lane;

	(void)r;
	if (is_same(S, i, v)) {
		sel_copy(S, d, v);
	} else if (sel_is_v(S, d) || !one_warp(S)) {
		ir_opnd to = sel_is_v(S, d) ? d : sel_new(S, IR_BANK_V, 1);

		sel_op2(S, OP_ds_bpermute_b32, to, sel_to_v(S, at), v);
		finish(S, d, to);
	} else {
		lane = ir_is_imm(at) ? ir_i32((uint32_t)at.imm >> 2 & 31) :
		       sel_tmp2(S, OP_s_lshr_b32, sel_scalar(S, at), ir_i32(2));
		read_lane(S, d, v, lane);
	}
}

/* The DPP control that exchanges lanes at distance `xor` within a row of 16; -1: there is none. It needs no trip through
 * LDS. Lanes that are off give 0 (bound_ctrl), so that the whole result is written. */
static int
dpp_xor(const sel *S, unsigned xor)
{
	enum { ROW_MIRROR = 0x140, ROW_HALF_MIRROR = 0x141, ROW_XMASK = 0x160 };
	unsigned quad = 0;

	if (!S->t->dpp || !xor || xor > 15)
		return -1;
	for (unsigned lane = 0; lane < 4; lane++)
		quad |= ((lane ^ xor) & 3) << 2 * lane;
	if (xor < 4)
		return (int)quad;
	if (S->t->family != ISA_GFX9)
		return ROW_XMASK | (int)xor;
	return xor == 15 ? ROW_MIRROR : xor == 7 ? ROW_HALF_MIRROR : -1;
}

void
sel_do_swizzle(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), v = sel_src(S, i, 0);
	unsigned pattern = (unsigned)i->m.offset;
	int dpp = (pattern & 1023) == 31 ? dpp_xor(S, pattern >> 10) : -1;
	p2a_inst m = { .op = OP_ds_swizzle_b32, .nargs = 2, .offset = i->m.offset, .arg = { d, v } };

	(void)r;
	if (is_same(S, i, v)) {
		sel_copy(S, d, v);
	} else if (!sel_is_v(S, d)) {
		read_lane(S, d, v, ir_i32((pattern >> 5 ^ pattern >> 10) & 31));
	} else if (dpp >= 0) {
		m.op = OP_v_mov_b32;
		m.enc = P2A_ENC_DPP;
		m.offset = 0;
		m.dpp = (uint16_t)dpp;
		m.dpp_mask = 0xff;
		m.dpp_flags = 1;
		sel_inst(S, &m);
	} else {
		sel_inst(S, &m);
	}
}

void
sel_do_readfirst(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), v = sel_src(S, i, 0), s = scalar_dst(S, d);

	(void)r;
	sel_copy(S, s, v);
	finish(S, d, s);
}

/* The lanes of a wave are here together, and their accesses come in order: all that is needed is that passes keep that. */
void
sel_do_meet(sel *S, ir_inst *i, const sel_row *r)
{
	(void)i;
	(void)r;
	ir_m(&S->B, P_meet, 0);
}

void
sel_do_wave_any(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), m = sel_mask_of(S, sel_src(S, i, 0));
	bool wide = S->mask_dwords == 2, mask = S->f->vals.a[d.reg].is_mask;

	(void)r;
	sel_group(S);
	sel_tmp2(S, wide ? OP_s_and_b64 : OP_s_and_b32, m, sel_exec(S));
	if (mask)
		sel_op2(S, wide ? OP_s_cselect_b64 : OP_s_cselect_b32, d, wide ? ir_i64(~0ull) : ir_i32(~0u), wide ? ir_i64(0) : ir_i32(0));
	else
		sel_op2(S, OP_s_cselect_b32, d, ir_i32(1), ir_i32(0));
	sel_end(S);
}

void
sel_do_sleep(sel *S, ir_inst *i, const sel_row *r)
{
	(void)r;
	ir_m(&S->B, OP_s_sleep, 1, ir_i32((uint32_t)i->m.offset));
}

/* From gfx11 on the one 64-bit counter is that of the constant clock, which a message asks for. */
void
sel_do_clock(sel *S, ir_inst *i, const sel_row *r)
{
	enum { GET_REALTIME = 0x83 };
	ir_opnd d = sel_dst(S, i), s = sel_is_v(S, d) ? sel_new(S, IR_BANK_S, 2) : d;

	(void)r;
	if (isa_has(S->t, OP_s_memtime))
		ir_m(&S->B, i->m.offset ? OP_s_memrealtime : OP_s_memtime, 1, s);
	else
		ir_m(&S->B, OP_s_sendmsg_rtn_b64, 2, s, (ir_opnd){ .kind = P2A_K_IMM, .imm = GET_REALTIME });
	if (s.reg != d.reg)
		sel_copy(S, d, s);
}
