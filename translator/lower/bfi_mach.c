/* bfi_mach.c -- nodes become machine instructions whose operands the chip takes, and their cost.
 * Needs a matched graph; leaves two lists, scalar instructions and vector ones; the scalar ones need no
 * result of the others, so that they can all go first. Registers are not known yet.
 * Manuals: "Vector ALU: operands", "limitations on constants and SGPRs" of AMD's ISA documents. */
#include "lower/bfi_seq.h"

/* ---- instructions ---- */

/* One that stands nowhere yet. It is written where it stays: copies of what has just been written byte by byte
 * are slow. */
static bs_inst *
new_inst(bs_seq *s, unsigned op)
{
	bs_inst *i = &s->inst[s->ninst];

	if (s->ninst + 1 < COUNT(s->inst))
		s->ninst++;
	else
		s->failed = true;
	i->op = (uint16_t)op;
	i->to = BS_TO_NODE;
	i->dst = BS_NONE;
	i->n = 1;
	i->bytes = 4;
	i->half = i->nsrc = i->enc = i->dst_sel = i->dst_unused = 0;
	i->sel[0] = i->sel[1] = i->sel[2] = 0;
	i->clamp = i->commutes = i->short_form = false;
	return i;
}

static void
append(bs_seq *s, bool vec, const bs_inst *i)
{
	bs_list *l = vec ? &s->valu : &s->salu;

	if (l->n == BS_INSTS || i->op == BS_NO || !(i->short_form || isa_has(s->q->t, i->op)))
		s->failed = true;
	else
		l->at[l->n++] = (uint8_t)(i - s->inst);
}

static bs_inst *
add(bs_seq *s, bool vec, unsigned op)
{
	bs_inst *i = new_inst(s, op);

	append(s, vec, i);
	return i;
}

static void
put_source(bs_inst *i, bs_val v)
{
	i->src[i->nsrc++] = v;
}

bool
bs_is_literal(const bs_seq *s, bs_val v)
{
	enum { BELOW = 16, INTS = 16 + 64 };    /* -16..64 are inline everywhere */
	int64_t x = bs_n(v) == 1 ? (int32_t)bs_x(v.w[0]) : (int64_t)bs_value(v);

	if (!bs_is_const(v) || (uint64_t)x + BELOW <= INTS)
		return false;
	return !isa_is_inline(s->q->t, bs_n(v) == 1 ? ISA_T_B32 : ISA_T_B64, x);
}

/* After a scalar instruction: does a condition still stand in SCC? */
static void
scc_after(bs_seq *s, const bs_inst *i)
{
	if (isa_table[i->op].eff & ISA_W_SCC)
		s->scc = BS_NONE;
}

/* ---- constants and moves ---- */

bool
bs_is_ones(uint64_t x)
{
	uint64_t low = x & (0 - x);

	return x && !((x + low) & x);
}

static unsigned
lowest(uint64_t x)
{
	return count_ones((x & (0 - x)) - 1);
}

static bs_val
field_operand(uint64_t x, bool width)
{
	return bs_const32(width ? count_ones(x) : lowest(x));
}

/* The shortest scalar instruction that makes a constant of one or two dwords. */
static bs_inst *
load_constant(bs_seq *s, bs_val v)
{
	uint64_t x = bs_value(v);
	bool wide = bs_n(v) == 2, lit = bs_is_literal(s, v);
	bs_inst *i;

	if (lit && bs_is_ones(x)) {
		i = add(s, false, wide ? OP_s_bfm_b64 : OP_s_bfm_b32);
		put_source(i, field_operand(x, true));
		put_source(i, field_operand(x, false));
		return i;
	}
	if (lit && !wide && (int32_t)x == (int16_t)x)
		i = add(s, false, OP_s_movk_i32);
	else
		i = add(s, false, wide ? OP_s_mov_b64 : OP_s_mov_b32);
	put_source(i, v);
	i->bytes = lit && i->op != OP_s_movk_i32 ? 8 : 4;
	return i;
}

/* A move to be completed with its result. */
bs_inst *
bs_move(bs_seq *s, bool vec, bs_val from)
{
	bs_inst *i = add(s, vec, vec ? OP_v_mov_b32 : OP_s_mov_b32);

	put_source(i, from);
	i->bytes = bs_is_literal(s, from) ? 8 : 4;
	return i;
}

static bs_val
moved(bs_seq *s, bool vec, bs_val from)
{
	uint8_t node = bs_new_node(s, BOP_mov32, vec, &from);

	bs_move(s, vec, from)->dst = node;
	return bs_of_node(s, node);
}

static bs_val pair_of(bs_seq *, bool vec, bs_val);

static bs_val
constant_in_sgpr(bs_seq *s, bs_val v)
{
	bool wide = bs_n(v) == 2, whole = !wide || !bs_x(v.w[1]) || bs_is_ones(bs_value(v)) || !bs_is_literal(s, v);
	bs_inst *i;
	uint8_t node;

	for (unsigned k = 0; k < s->nkonst; k++)
		if (bs_n(s->konst_x[k]) == bs_n(v) && bs_value(s->konst_x[k]) == bs_value(v))
			return bs_of_node(s, s->konst[k]);
	if (!whole)
		return pair_of(s, false, v);
	node = bs_new_node(s, wide ? BOP_mov64 : BOP_mov32, false, &v);
	i = load_constant(s, v);
	i->dst = node;
	i->n = bs_n(v);
	s->cost.consts++;
	if (s->nkonst < BS_CONSTS) {
		s->konst_x[s->nkonst] = v;
		s->konst[s->nkonst++] = node;
	}
	return bs_of_node(s, node);
}

/* ---- pairs ---- */

static bool
stands_as_pair(const bs_seq *s, bool vec, bs_val v)
{
	const bs_place *p = &s->regs->in[bs_id(v.w[0]) & 3];
	bool even = vec ? s->q->t->align_vgpr_pairs : true;

	if (bs_kind(v.w[0]) == BS_NODE && bs_kind(v.w[1]) == BS_NODE)
		return bs_id(v.w[0]) == bs_id(v.w[1]) && !bs_half(v.w[0]) && bs_half(v.w[1]) &&
		       s->node[bs_id(v.w[0])].n == 2 && (vec || !bs_vec(v.w[0]));
	if (bs_kind(v.w[0]) != BS_IN || bs_kind(v.w[1]) != BS_IN || bs_id(v.w[0]) != bs_id(v.w[1]) || bs_half(v.w[0]) || !bs_half(v.w[1]))
		return false;
	return p->reg[1] == p->reg[0] + 1 && !(even && p->reg[0] & 1 && (vec == bs_vec(v.w[0]) || !bs_vec(v.w[0])));
}

/* A node whose one reader is this pair is written straight into it. */
static bool
written_there(bs_seq *s, bool vec, bs_word w, uint8_t pair, unsigned half)
{
	bs_node *n = &s->node[bs_id(w)];

	if (bs_kind(w) != BS_NODE || n->n != 1 || n->uses != 1 || n->vec != vec || n->pair != BS_NONE || n->gone)
		return false;
	n->pair = pair;
	n->half = (uint8_t)half;
	return true;
}

/* What had no high dword before it moved down: its register holds zero. */
static bool
is_moved_down(const bs_seq *s, bs_val v)
{
	const bs_node *n = &s->node[bs_id(v.w[0])];

	return bs_kind(v.w[0]) == BS_NODE && !bs_half(v.w[0]) && (n->op == BOP_lshr64 || n->op == BOP_ashr64) &&
	       bs_kind(v.w[1]) == BS_CONST && !bs_x(v.w[1]) && bs_kind(n->src[0].w[1]) == BS_CONST && !bs_x(n->src[0].w[1]);
}

/* A pair of which a half is known is still the operand's, or a shift's. */
static bs_val
as_it_stands(const bs_seq *s, bs_val v)
{
	unsigned known = bs_kind(v.w[0]) != BS_CONST, other = !known, k = bs_id(v.w[other]);
	bs_val whole;
	ir_fact f;

	if (is_moved_down(s, v))
		return bs_of_node(s, bs_id(v.w[0]));
	if (bs_kind(v.w[other]) != BS_IN || bs_kind(v.w[known]) != BS_CONST || k > 1 || bs_half(v.w[other]) != other)
		return v;
	f = ir_fact_dword(k ? s->q->b : s->q->a, known);
	whole = bs_val_of(bs_word_of(BS_IN, k, 0, bs_vec(v.w[other])), bs_word_of(BS_IN, k, 1, bs_vec(v.w[other])), 2);
	return ir_fact_is_const(f) && f.lo == bs_x(v.w[known]) && stands_as_pair(s, bs_is_vec(v), whole) ? whole : v;
}

/* v as two registers side by side (or a constant). */
static bs_val
pair_of(bs_seq *s, bool vec, bs_val v)
{
	bs_val parts[2] = { bs_dword(v, 0), bs_dword(v, 1) };
	uint8_t pair;

	if (bs_n(v) == 2)
		v = as_it_stands(s, bs_whole(s, v));
	if ((bs_is_const(v) && !bs_is_literal(s, v)) || stands_as_pair(s, vec, v))
		return v;
	pair = bs_new_node(s, BOP_pair, vec, parts);
	for (unsigned h = 0; h < 2; h++) {
		bs_inst *i;

		if (bs_kind(v.w[h]) == BS_EMPTY || written_there(s, vec, v.w[h], pair, h))
			continue;
		i = bs_move(s, vec, parts[h]);
		i->dst = pair;
		i->half = (uint8_t)h;
	}
	return bs_of_node(s, pair);
}

/* ---- legal operands ---- */

/* What an instruction's sources are: by source k, bit k: a constant; LITERAL + k: a literal; BUS + k: it comes over
 * the constant bus. */
enum { LITERAL = 4, BUS = 8 };

static unsigned
traits_of(const bs_seq *s, const bs_inst *i)
{
	unsigned t = 0;

	for (unsigned k = 0; k < i->nsrc; k++) {
		bs_val v = i->src[k];
		bool constant = bs_is_const(v), literal = constant && bs_is_literal(s, v);

		t |= (constant | (unsigned)literal << LITERAL) << k;
		t |= (constant ? literal : !bs_vec(v.w[0]) ? 1u : 0u) << (BUS + k);
	}
	return t;
}

/* Operands that a VALU instruction reads over the constant bus, and the different literals. */
static unsigned
bus_reads(const bs_inst *i, unsigned traits)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->nsrc; k++) {
		bool seen = false;

		for (unsigned j = 0; j < k; j++)
			seen |= bs_same_word(i->src[j].w[0], i->src[k].w[0]) && bs_n(i->src[j]) == bs_n(i->src[k]);
		n += traits >> (BUS + k) & !seen;
	}
	return n;
}

/* The scalar source that a vector move costs least for: a literal would have to be loaded anyway. */
static int
victim(const bs_inst *i, unsigned traits)
{
	for (unsigned k = i->nsrc; k-- > 0;)
		if (bs_n(i->src[k]) == 1 && traits >> (LITERAL + k) & 1 && !(isa_table[i->op].eff & ISA_BUS1))
			return (int)k;
	for (unsigned k = i->nsrc; k-- > 0;)
		if (bs_n(i->src[k]) == 1 && traits >> (BUS + k) & 1)
			return (int)k;
	return -1;
}

static void
replace(bs_inst *i, bs_val old, bs_val with)
{
	for (unsigned k = 0; k < i->nsrc; k++)
		if (bs_n(i->src[k]) == bs_n(old) && bs_same_word(i->src[k].w[0], old.w[0]))
			i->src[k] = with;
}

/* Instructions are completed apart and added last, so that moves come before them. */
static void
fit_bus(bs_seq *s, bs_inst *i, unsigned *traits)
{
	unsigned limit = isa_table[i->op].eff & ISA_BUS1 ? 1 : s->q->t->const_bus;

	while (bus_reads(i, *traits) > limit) {
		int k = victim(i, *traits);

		if (k < 0) {
			s->failed = true;
			return;
		}
		replace(i, i->src[k], moved(s, true, i->src[k]));
		*traits = traits_of(s, i);
	}
}

/* Is the constant of source k what the machine makes of a literal dword? It extends that by its sign for a signed
 * operation of 64 bits, by zeros for the others. */
static bool
is_literal_dword(const bs_inst *i, unsigned k)
{
	const isa_info *info = &isa_table[i->op];
	bs_val v = i->src[k];

	return bs_n(v) == 1 || (!bs_x(v.w[1]) && !(info->arg[info->ndefs + k].type == ISA_T_I64 && bs_x(v.w[0]) >> 31));
}

/* Literals: `room` of them may stay, the same one however often. */
static bool
fit_literals(bs_seq *s, bs_inst *i, bool room)
{
	bs_val kept = { 0 };

	for (unsigned k = 0; k < i->nsrc; k++) {
		bs_val v = i->src[k];

		if (!bs_is_literal(s, v))
			continue;
		if (room && is_literal_dword(i, k) && (!bs_n(kept) || (bs_n(kept) == bs_n(v) && bs_x(kept.w[0]) == bs_x(v.w[0]))))
			kept = v;
		else
			replace(i, v, constant_in_sgpr(s, v));
	}
	return bs_n(kept);
}

static bool
in_vgpr(bs_val v)
{
	return bs_n(v) && bs_vec(v.w[0]);
}

/* Two sources, the second in a VGPR: the one-dword form takes it, with any literal. */
static bool
fits_short(bs_inst *i)
{
	bs_val x = i->src[0];

	if (!i->short_form || i->clamp)
		return false;
	if (i->nsrc > 1 && !in_vgpr(i->src[1]) && in_vgpr(i->src[0]) && i->commutes) {
		i->src[0] = i->src[1];
		i->src[1] = x;
	}
	return i->nsrc < 2 || in_vgpr(i->src[1]);
}

static void
legalise_vector(bs_seq *s, bs_inst *i)
{
	bool sdwa = i->enc == P2A_ENC_SDWA, small, literal;
	unsigned traits;

	for (unsigned k = 0; k < i->nsrc; k++)
		if (bs_n(i->src[k]) == 2 && !bs_is_const(i->src[k]))
			i->src[k] = pair_of(s, bs_is_vec(i->src[k]), i->src[k]);
	traits = traits_of(s, i);
	/* SDWA names registers only: S0 and S1 say VGPR or SGPR. */
	for (unsigned k = 0; k < i->nsrc && sdwa; k++)
		if (traits >> k & 1)
			i->src[k] = constant_in_sgpr(s, i->src[k]);
	if (sdwa)
		traits = traits_of(s, i);
	if (traits >> BUS & ((traits >> BUS) - 1))
		fit_bus(s, i, &traits);
	small = !sdwa && fits_short(i) && (i->nsrc < 3 || bs_kind(i->src[2].w[0]) == BS_VCC);
	literal = traits >> LITERAL & 15 && fit_literals(s, i, small || (!sdwa && s->q->t->vop3_literal));
	i->bytes = (uint8_t)((small ? 4 : 8) + (literal ? 4 : 0));
}

static void
legalise_scalar(bs_seq *s, bs_inst *i)
{
	bool literal;

	for (unsigned k = 0; k < i->nsrc; k++)
		if (bs_n(i->src[k]) == 2 && !(bs_is_literal(s, i->src[k]) && is_literal_dword(i, k)))
			i->src[k] = bs_is_literal(s, i->src[k]) ? constant_in_sgpr(s, i->src[k])
			      : pair_of(s, false, i->src[k]);
	literal = fit_literals(s, i, true);
	i->bytes = literal ? 8 : 4;
}

/* The erratum of gfx90a: no shift amount in what could be the last register (SHIFT64_HIGH). */
static void
spare_last_register(bs_seq *s, bs_inst *i)
{
	bs_word w = i->src[0].w[0];

	if (i->n == 2 && s->q->t->hazards & ISA_HZ_SHIFT64_HIGH && bs_kind(w) == BS_IN && bs_vec(w) &&
	    s->regs->in[bs_id(w)].reg[bs_half(w)] % 8 == 7)
		i->src[0] = moved(s, true, i->src[0]);
}

static void
finish(bs_seq *s, bool vec, bs_inst *i)
{
	if (vec)
		spare_last_register(s, i);
	if (vec)
		legalise_vector(s, i);
	else
		legalise_scalar(s, i);
	append(s, vec, i);
	if (!vec)
		scc_after(s, i);
}

/* ---- nodes ---- */

/* An operation's sources in the machine's order; bytes that SDWA takes are looked through. */
static bs_inst *
start(bs_seq *s, const bs_node *n, uint8_t node)
{
	const bop_info *info = &bop_table[n->op];
	bs_inst *i = new_inst(s, n->vec ? info->valu : info->salu);

	i->dst = node;
	i->n = n->n;
	i->nsrc = n->nsrc;
	i->clamp = n->op == BOP_sat_sub;
	for (unsigned k = 0; k < n->nsrc; k++) {
		const bs_val *v = &n->src[n->vec ? info->order[k] - 'a' : (int)k];
		const bs_node *d = n->parts && bs_n(*v) == 1 && bs_kind(v->w[0]) == BS_NODE ? &s->node[bs_id(v->w[0])] : NULL;

		if (d && d->sel) {
			i->sel[k] = d->sel;
			i->enc = P2A_ENC_SDWA;
			v = &d->src[0];
		}
		i->src[k] = *v;
	}
	if (n->to) {
		i->enc = P2A_ENC_SDWA;
		i->dst_sel = n->to;
	}
	i->short_form = n->vec && i->op != BS_NO && isa_is_short(s->q->t, i->op);
	i->commutes = i->op != BS_NO && isa_table[i->op].eff & ISA_COMM;
	return i;
}

/* gfx940 wants two wait states between a lane mask and its reader (VALU_SGPR_VALU). */
static void
wait_for_vcc(bs_seq *s)
{
	enum { TWO_STATES = 1 };
	bs_inst *i;

	if (!(s->q->t->hazards & ISA_HZ_VALU_SGPR_VALU))
		return;
	i = add(s, true, OP_s_nop);
	i->to = BS_TO_NOTHING;
	put_source(i, bs_const32(TWO_STATES));
}

static bs_val
vcc(void)
{
	return bs_val_of(BS_VCC, 0, 0);
}

static unsigned
opposite(unsigned cmp)
{
	return cmp == OP_v_cmp_lt_u32 ? OP_v_cmp_ge_u32 : OP_v_cmp_ne_u32;
}

/* A condition of lanes, or its opposite: written to VCC right before its first reader. */
static bs_val
lane_condition(bs_seq *s, uint8_t cond, bool inverted)
{
	bs_inst *i;

	if (s->vcc == cond && s->vcc_inverted == inverted)
		return vcc();
	i = start(s, &s->node[cond], cond);
	i->to = BS_TO_VCC;
	if (inverted)
		i->op = (uint16_t)opposite(i->op);
	finish(s, true, i);
	wait_for_vcc(s);
	s->vcc = cond;
	s->vcc_inverted = inverted;
	return vcc();
}

static void
scalar_condition(bs_seq *s, uint8_t cond)
{
	bs_inst *i;

	if (s->scc == cond)
		return;
	i = start(s, &s->node[cond], cond);
	i->to = BS_TO_NOTHING;
	finish(s, false, i);
	s->scc = cond;
}

/* A uniform condition for lanes: all bits of a mask in SGPRs. */
static bs_val
mask_condition(bs_seq *s, uint8_t cond)
{
	bs_node *n = &s->node[cond];
	bool wide = s->q->t->wave == 64;
	bs_val src[2] = { bs_const32(UINT32_MAX), bs_const32(0) };
	bs_inst *i;

	if (n->mask == BS_NONE) {
		scalar_condition(s, cond);
		n->mask = bs_new_node(s, BOP_lane_mask, false, src);
		s->node[n->mask].n = wide ? 2 : 1;
		i = add(s, false, wide ? OP_s_cselect_b64 : OP_s_cselect_b32);
		i->dst = n->mask;
		i->n = wide ? 2 : 1;
		for (unsigned k = 0; k < 2; k++) {
			if (wide)
				src[k] = bs_val_of(src[k].w[0], src[k].w[0], 2);
			put_source(i, src[k]);
		}
	}
	return bs_val_of(bs_word_of(BS_NODE, n->mask, 0, false), 0, 0);
}

static void
emit_select(bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];
	uint8_t cond = bs_id(n->src[0].w[0]);
	bs_inst *i = start(s, n, node);

	if (n->vec) {
		bool lanes = s->node[cond].vec, invert = lanes && in_vgpr(i->src[0]) && !in_vgpr(i->src[1]);
		bs_val x = i->src[0];

		if (invert) {    /* the one-dword form wants a VGPR second */
			i->src[0] = i->src[1];
			i->src[1] = x;
		}
		i->src[2] = lanes ? lane_condition(s, cond, invert) : mask_condition(s, cond);
		finish(s, true, i);
		return;
	}
	i->src[0] = n->src[1];
	i->src[1] = n->src[2];
	i->nsrc = 2;
	/* Constants first: their instructions may write SCC. */
	legalise_scalar(s, i);
	scalar_condition(s, cond);
	finish(s, false, i);
}

/* ---- a byte or half put in place ---- */

static bool
is_vgpr_of(const bs_seq *s, bs_word w, unsigned reg)
{
	return bs_kind(w) == BS_IN && bs_vec(w) && s->regs->in[bs_id(w)].reg[bs_half(w)] == reg;
}

/* Does anything but `node` read VGPR reg as an operand? */
static bool
read_elsewhere(const bs_seq *s, uint8_t node, unsigned reg)
{
	for (unsigned h = 0; h < bs_n(s->r); h++)
		if (is_vgpr_of(s, s->r.w[h], reg))
			return true;
	for (unsigned k = 0; k < s->nnodes; k++)
		for (unsigned j = 0; k != node && s->node[k].uses && j < s->node[k].nsrc; j++)
			for (unsigned h = 0; h < MAX(bs_n(s->node[k].src[j]), 1); h++)
				if (is_vgpr_of(s, s->node[k].src[j].w[h], reg))
					return true;
	return false;
}

/* Where b's register is the destination, SDWA leaves the rest of it alone. */
static bool
put_in_place(bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];
	const bs_place *dst = &s->regs->dst;
	isa_part p;

	if (!s->q->t->sdwa || dst->kind != P2A_K_VGPR || !bs_is_const(n->src[2]) ||
	    !isa_part_of_perm(bs_x(n->src[2].w[0]), 0, &p) || p.from < 4 || (p.n == 2 && p.from & 1))
		return false;
	for (unsigned h = 0; h < bs_n(s->r); h++) {
		bs_inst *i;

		if (bs_kind(s->r.w[h]) != BS_NODE || bs_id(s->r.w[h]) != node || !is_vgpr_of(s, n->src[1].w[0], dst->reg[h]) ||
		    n->uses != 1 || read_elsewhere(s, node, dst->reg[h]))
			continue;
		i = new_inst(s, OP_v_mov_b32);
		i->to = BS_TO_DST;
		i->half = (uint8_t)h;
		i->short_form = true;
		i->dst = node;
		i->enc = P2A_ENC_SDWA;
		i->dst_sel = isa_part_sel(p.at, p.n);
		i->dst_unused = P2A_UNUSED_PRESERVE;
		i->sel[0] = p.from == 4 ? P2A_SEL_DWORD : isa_part_sel(p.from, p.n);
		put_source(i, n->src[0]);
		finish(s, true, i);
		return true;
	}
	return false;
}

static void
emit(bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];

	switch (n->op) {
	case BOP_gt: case BOP_eq: case BOP_pair: return;
	case BOP_sel32: case BOP_sel64: emit_select(s, node); return;
	case BOP_perm32:
		if (put_in_place(s, node))
			return;
		break;
	default: break;
	}
	finish(s, n->vec, start(s, n, node));
}

void
bs_emit(bs_seq *s)
{
	unsigned built = s->nnodes;

	s->cost.consts = 0;
	for (unsigned k = 0; k < built && !s->failed; k++)
		if (s->node[k].uses && !s->node[k].gone)
			emit(s, (uint8_t)k);
}

/* ---- cost ---- */

static bool
is_wide_shift(unsigned op)
{
	return op == OP_v_lshlrev_b64 || op == OP_v_lshrrev_b64 || op == OP_v_ashrrev_i64;
}

static void
count(bs_seq *s, const bs_list *l)
{
	for (unsigned k = 0; k < l->n; k++) {
		const bs_inst *i = &s->inst[l->at[k]];
		unsigned cls = isa_table[i->op].cls;

		s->cost.valu += cls == ISA_VALU;
		s->cost.salu += cls == ISA_SALU;
		s->cost.valu64 += i->n == 2 && is_wide_shift(i->op);
		s->cost.bytes += i->bytes;
	}
}

void
bs_count(bs_seq *s)
{
	s->cost = (bs_cost){ .consts = s->cost.consts };
	count(s, &s->salu);
	count(s, &s->valu);
}

/* ---- a bound of the cost ---- */

/* Constants that must be loaded, each once. */
typedef struct loads {
	uint64_t x[BS_CONSTS];
	unsigned n, bytes;
} loads;

static void
load(const bs_seq *s, bs_val v, loads *l)
{
	uint64_t x = bs_value(v);
	bool small = bs_is_ones(x) || (int32_t)x == (int16_t)x || !bs_is_literal(s, v);

	for (unsigned k = 0; k < l->n; k++)
		if (l->x[k] == x)
			return;
	if (l->n == BS_CONSTS)
		return;
	l->x[l->n++] = x;
	l->bytes += small ? 4 : 8;
}

/* v_perm_b32 may turn into a move without its selector: put_in_place. */
static bool
may_be_move(const bs_seq *s, const bs_node *n)
{
	const bs_place *dst = &s->regs->dst;

	return n->op == BOP_perm32 && s->q->t->sdwa && dst->kind == P2A_K_VGPR &&
	       (is_vgpr_of(s, n->src[1].w[0], dst->reg[0]) || is_vgpr_of(s, n->src[1].w[0], dst->reg[1]));
}

/* Does an earlier source say the same? */
static bool
is_repeated(const bs_node *n, unsigned k)
{
	for (unsigned j = 0; j < k; j++)
		if (bs_n(n->src[j]) == bs_n(n->src[k]) && bs_same_word(n->src[j].w[0], n->src[k].w[0]))
			return true;
	return false;
}

/* Is it made of two moves, each time anew? Others of two dwords are made by one instruction. */
static bool
is_two_moves(bs_val v)
{
	return bs_n(v) == 2 && bs_x(v.w[1]) && !bs_is_ones(bs_value(v));
}

/* A vector node's different sources that come over the constant bus: registers (the mask of a select is one), literals. SDWA
 * reads constants from registers; those that one dword does not hold stand in registers too. */
typedef struct bus { unsigned registers, literals; const bs_val *literal[3]; } bus;

static bus
bus_of(const bs_seq *s, const bs_node *n, loads *l)
{
	const char *order = bop_table[n->op].order;
	bus b = { .registers = n->op == BOP_sel32 };

	for (unsigned j = 0; j < n->nsrc; j++) {
		unsigned k = (unsigned)order[j] - 'a';
		const bs_val *v = &n->src[k];

		if (bs_is_vec(*v) || !bs_n(*v) || is_repeated(n, k))
			continue;
		if (!bs_is_const(*v)) {
			b.registers++;
		} else if (n->parts) {
			load(s, *v, l);
			b.registers++;
		} else if (bs_n(*v) == 2 && bs_x(v->w[1]) && bs_is_literal(s, *v)) {
			if (!is_two_moves(*v))
				load(s, *v, l);
			b.registers++;
		} else if (bs_n(*v) == 1 && bs_is_literal(s, *v)) {
			b.literal[b.literals++] = v;
		}
	}
	return b;
}

/* Has the instruction a form of one dword, which reads its second source from a VGPR? */
static bool
is_small(const bs_seq *s, const bs_node *n)
{
	const bop_info *info = &bop_table[n->op];
	unsigned second = (unsigned)info->order[1] - 'a';

	if (n->parts || n->op == BOP_sat_sub || !isa_is_short(s->q->t, info->valu))
		return false;
	return n->nsrc != 2 || bs_is_vec(n->src[second]) || (isa_table[info->valu].eff & ISA_COMM && bs_is_vec(n->src[!second]));
}

/* How many of `reads` are too much for the bus. */
static unsigned
too_many(const bs_seq *s, const bs_node *n, unsigned reads)
{
	unsigned limit = reads > 1 && isa_table[bop_table[n->op].valu].eff & ISA_BUS1 ? 1 : s->q->t->const_bus;

	return reads > limit ? reads - limit : 0;
}

/* What is too much is moved to a VGPR, a literal first; of others the first one stays where the form has room for it. */
static void
least_vector(const bs_seq *s, const bs_node *n, loads *l, bs_cost *c)
{
	bool small = is_small(s, n);
	unsigned moves, stays;
	bus b;

	c->valu++;
	c->bytes += small ? 4 : 8;
	if (may_be_move(s, n))
		return;
	b = bus_of(s, n, l);
	moves = too_many(s, n, b.registers + b.literals);
	c->valu += moves;
	c->bytes += 4 * (moves + MIN(moves, b.literals));
	if (moves || !b.literals)
		return;
	stays = small || s->q->t->vop3_literal;
	c->bytes += 4 * stays;
	for (unsigned k = stays; k < b.literals; k++)
		load(s, *b.literal[k], l);
}

/* A select of lanes by a uniform condition has no short form, and reads a mask. */
static bool
reads_mask(const bs_seq *s, const bs_node *n)
{
	return n->op == BOP_sel32 && !s->node[bs_id(n->src[0].w[0])].vec;
}

/* One literal of one dword, or with zeros above, may stand. */
static void
least_scalar(const bs_seq *s, const bs_node *n, loads *l, bs_cost *c)
{
	bool stands = false;

	c->salu++;
	c->bytes += 4;
	for (unsigned k = 0; k < n->nsrc && n->constants; k++) {
		bs_val v = n->src[k];

		if (!bs_is_const(v) || !bs_is_literal(s, v))
			continue;
		if (is_two_moves(v)) {
			c->salu += 2;
			c->bytes += 8;
		} else if (bs_n(v) == 2 && bs_x(v.w[1])) {
			load(s, v, l);
		} else {
			c->bytes += stands ? 0 : 4;
			stands = true;
		}
	}
}

bs_cost
bs_least(const bs_seq *s)
{
	bs_cost c = { 0 };
	loads l = { .n = 0 };
	uint64_t masks = 0;

	for (const bs_node *n = s->node; n < &s->node[s->nnodes]; n++) {
		if (!n->uses || n->gone)
			continue;
		if (!n->vec) {
			least_scalar(s, n, &l, &c);
			continue;
		}
		c.valu64 += n->n == 2 && (n->op == BOP_shl64 || n->op == BOP_lshr64 || n->op == BOP_ashr64);
		least_vector(s, n, &l, &c);
		if (reads_mask(s, n)) {
			masks |= 1ull << bs_id(n->src[0].w[0]);
			c.bytes += 4;
		}
	}
	c.salu += l.n + count_ones(masks);
	c.bytes += l.bytes + 4 * count_ones(masks);
	return c;
}
