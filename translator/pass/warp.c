/* warp.c -- PTX's shfl becomes reads of other lanes, by what is known of its operands.
 * Needs generic SSA; leaves no G_shfl, G_shfl_in: constant patterns as G_swizzle, others as G_shuffle.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.6 (shfl.sync), whose words are used here. */
#include "pass/pass.h"

enum { LANES = 32 };

/* The manual's program for one lane: the source lane, and whether it lies in the segment. */
static bool
source_lane(ir_shfl mode, uint32_t b, uint32_t c, int32_t lane, int32_t *j)
{
	int32_t bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
	int32_t maxlane = (lane & segmask) | (cval & ~segmask), minlane = lane & segmask;

	switch (mode) {
	case IR_SHFL_UP:   *j = lane - bval; return *j >= maxlane;
	case IR_SHFL_DOWN: *j = lane + bval; break;
	case IR_SHFL_BFLY: *j = lane ^ bval; break;
	default:           *j = minlane | (bval & ~segmask);
	}
	return *j <= maxlane;
}

/* Is the predicate the same in all lanes? 1 true, 0 false, -1 it differs. */
static int
same_predicate(ir_shfl mode, uint32_t b, uint32_t c)
{
	int n = 0;

	for (int32_t lane = 0, j; lane < LANES; lane++)
		n += source_lane(mode, b, c, lane, &j);
	return n == LANES ? 1 : n ? -1 : 0;
}

static ir_opnd
special(ir_builder *B, ir_special what)
{
	ir_opnd r = ir_g0(B, G_special);

	ir_last(B)->m.offset = what;
	return r;
}

/* Segment arithmetic with the operands' values; all that is constant is folded as it is written. */
typedef struct source { ir_opnd lane, j, in; } source;

static source
source_of(ir_builder *B, ir_shfl mode, ir_opnd b, ir_opnd c)
{
	static const uint8_t gop[] = { [IR_SHFL_UP] = 0, [IR_SHFL_DOWN] = 1, [IR_SHFL_BFLY] = 2 };
	static const uint16_t step[] = { G_sub32, G_add32, G_xor32 };
	ir_opnd seg, max, min, rest;
	source s;

	s.lane = special(B, IR_LANEID);
	seg = ir_g3(B, G_bfe_u32, c, ir_i32(8), ir_i32(5));
	rest = ir_g2(B, G_xor32, seg, ir_i32(31));
	min = ir_g2(B, G_and32, s.lane, seg);
	max = ir_g2(B, G_or32, min, ir_g2(B, G_and32, c, rest));
	b = ir_g2(B, G_and32, b, ir_i32(31));
	if (mode == IR_SHFL_IDX)
		s.j = ir_g2(B, G_or32, min, ir_g2(B, G_and32, b, rest));
	else
		s.j = ir_g2(B, step[gop[mode]], s.lane, b);
	s.in = ir_icmp(B, 32, mode == IR_SHFL_UP ? IR_GE : IR_LE, s.j, max);
	return s;
}

static bool
constants(const ir_inst *i, unsigned k)
{
	return ir_is_imm(i->m.arg[k]) && ir_is_imm(i->m.arg[k + 1]);
}

static void
becomes(ir_inst *i, unsigned gop, ir_opnd v)
{
	i->m.op = (uint16_t)gop;
	i->m.nargs = 2;
	i->m.arg[1] = v;
	i->m.offset = 0;
}

/* bfly and idx by constants, where no lane reads itself for want of a source: one pattern for all. */
static bool
by_pattern(ir_inst *i)
{
	ir_shfl mode = (ir_shfl)i->m.offset;
	uint32_t b, c, seg, and, or = 0, xor = 0;

	if (!constants(i, 2) || mode < IR_SHFL_BFLY)
		return false;
	b = (uint32_t)i->m.arg[2].imm & 31;
	c = (uint32_t)i->m.arg[3].imm;
	seg = c >> 8 & 31;
	if (same_predicate(mode, b, c) != 1)
		return false;
	and = mode == IR_SHFL_BFLY ? 31 : seg;
	if (mode == IR_SHFL_BFLY)
		xor = b;
	else
		or = b & ~seg & 31;
	becomes(i, G_swizzle, i->m.arg[1]);
	i->m.offset = (int32_t)(and | or << 5 | xor << 10);
	return true;
}

/* up and down by a constant in whole warps? */
static bool
is_step(ir_shfl mode, ir_opnd b, ir_opnd c)
{
	return mode <= IR_SHFL_DOWN && ir_is_imm(b) && ir_is_imm(c) && !(c.imm >> 8 & 31);
}

/* Which lanes such a step finds a source for: lane >= b + c, or lane + b <= c. */
static ir_opnd
step_finds(ir_builder *B, ir_shfl mode, ir_opnd b, ir_opnd c)
{
	uint32_t by = b.imm & 31, bound = c.imm & 31;
	ir_opnd lane = special(B, IR_LANEID);

	if (mode == IR_SHFL_UP)
		return ir_icmp(B, 32, IR_HS, lane, ir_i32(by + bound));
	return by > bound ? ir_i1(false) : ir_icmp(B, 32, IR_LS, lane, ir_i32(bound - by));
}

/* The address of the lane's own value, and 4 * b from it where that has a source. */
static bool
by_step(ir_func *f, ir_inst *i)
{
	ir_builder B = { f, i->block, i, i->loc };
	ir_shfl mode = (ir_shfl)i->m.offset;
	ir_opnd b = i->m.arg[2], c = i->m.arg[3], own, by;

	if (!is_step(mode, b, c))
		return false;
	own = special(&B, IR_LANEID);
	if (f->target->wave == 64)
		own = ir_g2(&B, G_or32, own, special(&B, IR_WARPBASE));
	own = ir_g2(&B, G_shl32, own, ir_i32(2));
	by = ir_g3(&B, G_sel32, step_finds(&B, mode, b, c), ir_i32(4 * (b.imm & 31)), ir_i32(0));
	i->m.op = G_shuffle;
	i->m.nargs = 3;
	i->m.arg[2] = ir_g2(&B, mode == IR_SHFL_UP ? G_sub32 : G_add32, own, by);
	i->m.offset = 0;
	return true;
}

static void
expand(ir_func *f, ir_inst *i)
{
	ir_builder B = { f, i->block, i, i->loc };
	source s;
	ir_opnd j;

	if (by_pattern(i) || by_step(f, i))
		return;
	s = source_of(&B, (ir_shfl)i->m.offset, i->m.arg[2], i->m.arg[3]);
	j = ir_g3(&B, G_sel32, s.in, s.j, s.lane);
	if (f->target->wave == 64)
		j = ir_g2(&B, G_or32, j, special(&B, IR_WARPBASE));
	i->m.op = G_shuffle;
	i->m.nargs = 3;
	i->m.arg[2] = ir_g2(&B, G_shl32, j, ir_i32(2));
	i->m.offset = 0;
}

static void
expand_in(ir_func *f, ir_inst *i)
{
	ir_builder B = { f, i->block, i, i->loc };
	ir_shfl mode = (ir_shfl)i->m.offset;
	int same = constants(i, 1) ?
		same_predicate(mode, (uint32_t)i->m.arg[1].imm, (uint32_t)i->m.arg[2].imm) : -1;

	if (same >= 0)
		becomes(i, G_copy1, ir_i1(same));
	else if (is_step(mode, i->m.arg[1], i->m.arg[2]))
		becomes(i, G_copy1, step_finds(&B, mode, i->m.arg[1], i->m.arg[2]));
	else
		becomes(i, G_copy1, source_of(&B, mode, i->m.arg[1], i->m.arg[2]).in);
}

void
p_warp(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			if (i->m.op == G_shfl)
				expand(f, i);
			else if (i->m.op == G_shfl_in)
				expand_in(f, i);
		}
}
