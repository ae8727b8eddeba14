/* warp.c -- operations between the 32 lanes of a warp: shfl, vote, match, activemask, redux, elect.
 * Needs L->in; leaves G_shfl, G_ballot and their kin, and what is computed from them. A membermask is a
 * value like any other: lanes that work in groups may each bring the mask of their own.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.14. */
#include "lower/lower.h"

enum { NO_LANE = 32 };

void
lo_meet(lower *L, ir_opnd mask, int32_t how)
{
	ir_emit(&L->b, G_meet, 0, 1, &mask)->m.offset = how;
}

static ir_opnd
ballot(lower *L, ir_opnd p)
{
	return ir_g1(&L->b, G_ballot, p);
}

static ir_opnd
laneid(lower *L)
{
	return lo_special(L, IR_LANEID);
}

/* The value that lane j (0 to 31) of the warp has. */
static ir_opnd
from_lane(lower *L, ir_opnd v, ir_opnd j)
{
	ir_builder *B = &L->b;

	if (L->F->target->wave == 64)
		j = ir_g2(B, G_or32, j, lo_special(L, IR_WARPBASE));
	return ir_g2(B, G_shuffle, v, ir_g2(B, G_shl32, j, ir_i32(2)));
}

/* The number of the lowest bit of a mask that is not 0. */
static ir_opnd
lowest(lower *L, ir_opnd mask)
{
	return ir_g1(&L->b, G_ffbh32, ir_g1(&L->b, G_brev32, mask));
}

/* The membermask, last of the sources; without .sync every lane is meant. */
static ir_opnd
members(lower *L)
{
	ir_opnd mask;

	if (!lo_has(L, PTX_M_sync))
		return ir_i32(UINT32_MAX);
	mask = lo_src(L, L->in->nops - 1u, PTX_U32);
	lo_meet(L, mask, IR_MEET_PLAIN);
	return mask;
}

/* Those of the mask that are active. */
static ir_opnd
present(lower *L, ir_opnd mask)
{
	return ir_g2(&L->b, G_and32, ballot(L, ir_i1(true)), mask);
}

ir_opnd
lo_is_first(lower *L)
{
	return ir_icmp(&L->b, 32, IR_EQ, lowest(L, ballot(L, ir_i1(true))), laneid(L));
}

ir_opnd
lo_from_first(lower *L, ir_opnd v)
{
	return from_lane(L, v, lowest(L, ballot(L, ir_i1(true))));
}

static void
set_pair(lower *L, ir_opnd v, ir_opnd p)
{
	const ptx_operand *d = L->in->ops;

	if (d->kind != PTX_O_PAIR) {
		lo_dst(L, v);
		return;
	}
	lo_set(L, &d->sub[0], v);
	lo_set(L, &d->sub[1], p);
}

/* ---- shfl ---- */

static const struct { uint16_t mod, mode; } shfl_mode[] = {
	{ PTX_M_up, IR_SHFL_UP }, { PTX_M_down, IR_SHFL_DOWN }, { PTX_M_bfly, IR_SHFL_BFLY }, { PTX_M_idx, IR_SHFL_IDX },
};

void
lower_shfl(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_B32), b = lo_src(L, 2, PTX_U32), c = lo_src(L, 3, PTX_U32), v, p;
	int32_t mode = -1;

	for (unsigned k = 0; k < COUNT(shfl_mode); k++)
		if (lo_has(L, (ptx_mod)shfl_mode[k].mod))
			mode = shfl_mode[k].mode;
	if (mode < 0)
		lo_refuse(L, "");
	(void)members(L);
	if (L->refused)
		return;
	v = ir_g3(&L->b, G_shfl, a, b, c);
	ir_last(&L->b)->m.offset = mode;
	p = ir_g2(&L->b, G_shfl_in, b, c);
	ir_last(&L->b)->m.offset = mode;
	set_pair(L, v, p);
}

/* ---- vote ---- */

/* Is the predicate true (or false) in no lane of the mask? */
static ir_opnd
none(lower *L, ir_opnd p, bool of, ir_opnd mask)
{
	ir_opnd lanes = ballot(L, of ? p : ir_g1(&L->b, G_not1, p));

	return ir_icmp(&L->b, 32, IR_EQ, ir_g2(&L->b, G_and32, lanes, mask), ir_i32(0));
}

void
lower_vote(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd p = lo_src(L, 1, PTX_PRED), mask = members(L);

	if (lo_has(L, PTX_M_ballot))
		lo_dst(L, ir_g2(B, G_and32, ballot(L, p), mask));
	else if (lo_has(L, PTX_M_all))
		lo_dst(L, none(L, p, false, mask));
	else if (lo_has(L, PTX_M_any))
		lo_dst(L, ir_g1(B, G_not1, none(L, p, true, mask)));
	else
		lo_dst(L, ir_g2(B, G_or1, none(L, p, false, mask), none(L, p, true, mask)));
}

void
lower_activemask(lower *L)
{
	lo_dst(L, ballot(L, ir_i1(true)));
}

/* The manual leaves open which of the lanes is elected, if always the same: the lowest. */
void
lower_elect(lower *L)
{
	ir_opnd leader = lowest(L, present(L, members(L)));

	set_pair(L, leader, ir_icmp(&L->b, 32, IR_EQ, leader, laneid(L)));
}

/* ---- match ---- */

static ir_opnd
of_halves(lower *L, ir_opnd v, ir_opnd (*read)(lower *, ir_opnd, ir_opnd), ir_opnd at)
{
	ir_opnd low;

	if (v.width == 1)
		return read(L, v, at);
	low = read(L, lo_word(L, v, 0), at);
	return ir_g2(&L->b, G_pack64, low, read(L, lo_word(L, v, 1), at));
}

static ir_opnd
read_first(lower *L, ir_opnd v, ir_opnd unused)
{
	(void)unused;
	return ir_g1(&L->b, G_readfirst, v);
}

/* One turn a value: lanes that have the first lane's leave together, and know of each other. */
static ir_opnd
match_any(lower *L, ir_opnd v)
{
	ir_block *turn = ir_new_block(L->F), *done = ir_new_block(L->F);
	ir_opnd first, same, who;

	lo_start(L, turn);
	first = of_halves(L, v, read_first, ir_i32(0));
	same = ir_icmp(&L->b, 32u * v.width, IR_EQ, v, first);
	who = ballot(L, same);
	lo_branch(L, same, done, turn);
	lo_start(L, done);
	return who;
}

void
lower_match(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd v = lo_src(L, 1, lo_type(L, 0)), mask = members(L), here, first, other, all;

	if (L->refused)
		return;
	if (lo_has(L, PTX_M_any)) {
		lo_dst(L, ir_g2(B, G_and32, match_any(L, v), mask));
		return;
	}
	here = present(L, mask);
	first = of_halves(L, v, from_lane, lowest(L, here));
	other = ir_icmp(B, lo_bits(L), IR_NE, v, first);
	all = none(L, other, true, mask);
	set_pair(L, ir_g3(B, G_sel32, all, here, ir_i32(0)), all);
}

/* ---- redux ---- */

static ir_opnd
combined(lower *L, ir_opnd a, ir_opnd b)
{
	static const struct { uint16_t mod, u, s; } op[] = { { PTX_M_add, G_add32, G_add32 },
		{ PTX_M_min, G_min_u32, G_min_s32 }, { PTX_M_max, G_max_u32, G_max_s32 },
		{ PTX_M_and, G_and32, G_and32 }, { PTX_M_or, G_or32, G_or32 }, { PTX_M_xor, G_xor32, G_xor32 } };

	if (lo_type(L, 0) == PTX_F32)
		return lo_extreme(L, lo_has(L, PTX_M_max), a, b);
	for (unsigned k = 0; k < COUNT(op); k++)
		if (lo_has(L, (ptx_mod)op[k].mod))
			return ir_g2(&L->b, ptx_is_signed(lo_type(L, 0)) ? op[k].s : op[k].u, a, b);
	lo_refuse(L, "");
	return a;
}

/* All 32 lanes take part: with the lane at distance 1, 2 .. 16. */
static ir_opnd
redux_whole(lower *L, ir_opnd v)
{
	ir_opnd w;

	for (int32_t step = 1; step < 32; step *= 2) {
		w = ir_g1(&L->b, G_swizzle, v);
		ir_last(&L->b)->m.offset = 31 | step << 10;
		v = combined(L, v, w);
	}
	return v;
}

/* Some do: each knows the next one that takes part, then the second next, the fourth .. whose sum begins
 * where its own ends. The lowest has the whole after five steps. */
static ir_opnd
redux_part(lower *L, ir_opnd v, ir_opnd here)
{
	ir_builder *B = &L->b;
	ir_opnd above = ir_g2(B, G_and32, here, lo_sreg(L, PTX_SREG_lanemask_gt));
	ir_opnd any = ir_icmp(B, 32, IR_NE, above, ir_i32(0)), next, at, w;

	next = ir_g3(B, G_sel32, any, lowest(L, above), ir_i32(NO_LANE));
	for (int step = 0; step < 5; step++) {
		any = ir_icmp(B, 32, IR_NE, next, ir_i32(NO_LANE));
		at = ir_g2(B, G_and32, next, ir_i32(31));
		w = combined(L, v, from_lane(L, v, at));
		next = ir_g3(B, G_sel32, any, from_lane(L, next, at), ir_i32(NO_LANE));
		v = ir_g3(B, G_sel32, any, w, v);
	}
	return from_lane(L, v, lowest(L, here));
}

void
lower_redux(lower *L)
{
	ir_builder *B = &L->b;
	ir_block *whole = ir_new_block(L->F), *part = ir_new_block(L->F), *join = ir_new_block(L->F);
	ir_opnd v = lo_src(L, 1, lo_type(L, 0)), here = present(L, members(L)), r = ir_valop(L->F, ir_new_val(L->F, 1)), x;

	if (lo_type(L, 0) == PTX_F32)
		v = combined(L, v, v);          /* .abs and .NaN hold of a lone lane too */
	lo_branch(L, ir_icmp(B, 32, IR_EQ, here, ir_i32(UINT32_MAX)), whole, part);
	lo_start(L, whole);
	x = redux_whole(L, v);
	if (L->F->target->wave == 32)   /* a scalar register's worth: lane 0's */
		x = ir_g1(B, G_swizzle, x);
	ir_gen_to(B, r, G_copy32, 1, &x);
	lo_jump(L, join);
	lo_start(L, part);
	x = redux_part(L, v, here);
	ir_gen_to(B, r, G_copy32, 1, &x);
	lo_start(L, join);
	lo_dst(L, r);
}
