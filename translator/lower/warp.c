/* warp.c -- operations between the 32 lanes of a warp: shfl, vote, match, activemask, redux, elect.
 * Needs L->in; leaves G_shfl, G_ballot and their kin, and what is computed from them. A membermask is a
 * value like any other: lanes that work in groups may each bring the mask of their own. Each operation is a function from
 * its membermask and sources to its results, which sync.c puts to work.
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
	return lo_has(L, PTX_M_sync) ? lo_src(L, L->in->nops - 1u, PTX_U32) : ir_i32(UINT32_MAX);
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

static int32_t
shfl_mode_of(const lower *L)
{
	for (unsigned k = 0; k < COUNT(shfl_mode); k++)
		if (lo_has(L, (ptx_mod)shfl_mode[k].mod))
			return shfl_mode[k].mode;
	return -1;
}

static void
shfl(lower *L, const ir_opnd *in, ir_opnd *out)
{
	out[0] = ir_g3(&L->b, G_shfl, in[1], in[2], in[3]);
	ir_last(&L->b)->m.offset = shfl_mode_of(L);
	out[1] = ir_g2(&L->b, G_shfl_in, in[2], in[3]);
	ir_last(&L->b)->m.offset = shfl_mode_of(L);
}

void
lower_shfl(lower *L)
{
	static const lower_sync op = { shfl, 4, 2, { 1, 0 } };
	ir_opnd in[4], out[2];

	for (unsigned k = 1; k < 4; k++)
		in[k] = lo_src(L, k, k == 1 ? PTX_B32 : PTX_U32);
	if (shfl_mode_of(L) < 0)
		lo_refuse(L, "");
	in[0] = members(L);
	if (L->refused)
		return;
	lo_sync(L, &op, in, out);
	set_pair(L, out[0], out[1]);
}

/* ---- vote ---- */

/* Is the predicate true (or false) in no lane of the mask? */
static ir_opnd
none(lower *L, ir_opnd p, bool of, ir_opnd mask)
{
	ir_opnd lanes = ballot(L, of ? p : ir_g1(&L->b, G_not1, p));

	return ir_icmp(&L->b, 32, IR_EQ, ir_g2(&L->b, G_and32, lanes, mask), ir_i32(0));
}

static void
vote_ballot(lower *L, const ir_opnd *in, ir_opnd *out)
{
	*out = ir_g2(&L->b, G_and32, ballot(L, in[1]), in[0]);
}

static void
vote_pred(lower *L, const ir_opnd *in, ir_opnd *out)
{
	ir_opnd no_true, no_false;

	if (!lo_has(L, PTX_M_all))
		no_true = none(L, in[1], true, in[0]);
	if (!lo_has(L, PTX_M_any))
		no_false = none(L, in[1], false, in[0]);
	if (lo_has(L, PTX_M_all))
		*out = no_false;
	else if (lo_has(L, PTX_M_any))
		*out = ir_g1(&L->b, G_not1, no_true);
	else
		*out = ir_g2(&L->b, G_or1, no_false, no_true);
}

void
lower_vote(lower *L)
{
	static const lower_sync op[] = { { vote_pred, 2, 1, { 0 } }, { vote_ballot, 2, 1, { 1 } } };
	ir_opnd in[2], out;

	in[1] = lo_src(L, 1, PTX_PRED);
	in[0] = members(L);
	if (L->refused)
		return;
	lo_sync(L, &op[lo_has(L, PTX_M_ballot)], in, &out);
	lo_dst(L, out);
}

void
lower_activemask(lower *L)
{
	lo_dst(L, ballot(L, ir_i1(true)));
}

/* The manual leaves open which of the lanes is elected, if always the same: the lowest. */
static void
elect(lower *L, const ir_opnd *in, ir_opnd *out)
{
	out[0] = lowest(L, present(L, in[0]));
	out[1] = ir_icmp(&L->b, 32, IR_EQ, out[0], laneid(L));
}

void
lower_elect(lower *L)
{
	static const lower_sync op = { elect, 1, 2, { 1, 0 } };
	ir_opnd mask = members(L), out[2];

	if (L->refused)
		return;
	lo_sync(L, &op, &mask, out);
	set_pair(L, out[0], out[1]);
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
lanes_alike(lower *L, ir_opnd v)
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

static void
match_any(lower *L, const ir_opnd *in, ir_opnd *out)
{
	*out = ir_g2(&L->b, G_and32, lanes_alike(L, in[1]), in[0]);
}

static void
match_all(lower *L, const ir_opnd *in, ir_opnd *out)
{
	ir_opnd here = present(L, in[0]), first = of_halves(L, in[1], from_lane, lowest(L, here));
	ir_opnd other = ir_icmp(&L->b, lo_bits(L), IR_NE, in[1], first);

	out[1] = none(L, other, true, in[0]);
	out[0] = ir_g3(&L->b, G_sel32, out[1], here, ir_i32(0));
}

void
lower_match(lower *L)
{
	static const lower_sync all = { match_all, 2, 2, { 1, 0 } }, any = { match_any, 2, 1, { 1 } };
	bool is_any = lo_has(L, PTX_M_any);
	ir_opnd in[2], out[2];

	in[1] = lo_src(L, 1, lo_type(L, 0));
	in[0] = members(L);
	if (L->refused)
		return;
	lo_sync(L, is_any ? &any : &all, in, out);
	if (is_any)
		lo_dst(L, out[0]);
	else
		set_pair(L, out[0], out[1]);
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

static void
redux(lower *L, const ir_opnd *in, ir_opnd *out)
{
	ir_builder *B = &L->b;
	ir_block *whole = ir_new_block(L->F), *part = ir_new_block(L->F), *join = ir_new_block(L->F);
	ir_opnd v = in[1], here = present(L, in[0]), x;

	*out = ir_valop(L->F, ir_new_val(L->F, 1));
	if (lo_type(L, 0) == PTX_F32)
		v = combined(L, v, v);          /* .abs and .NaN hold of a lone lane too */
	lo_branch(L, ir_icmp(B, 32, IR_EQ, here, ir_i32(UINT32_MAX)), whole, part);
	lo_start(L, whole);
	x = redux_whole(L, v);
	if (L->F->target->wave == 32)   /* a scalar register's worth: lane 0's */
		x = ir_g1(B, G_swizzle, x);
	ir_gen_to(B, *out, G_copy32, 1, &x);
	lo_jump(L, join);
	lo_start(L, part);
	x = redux_part(L, v, here);
	ir_gen_to(B, *out, G_copy32, 1, &x);
	lo_start(L, join);
}

void
lower_redux(lower *L)
{
	static const lower_sync op = { redux, 2, 1, { 1 } };
	ir_opnd in[2], out;

	in[1] = lo_src(L, 1, lo_type(L, 0));
	in[0] = members(L);
	if (L->refused)
		return;
	lo_sync(L, &op, in, &out);
	lo_dst(L, out);
}
