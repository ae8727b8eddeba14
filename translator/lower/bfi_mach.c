/* bfi_mach.c -- nodes become machine instructions whose operands the chip takes, and their cost.
 * Needs a matched graph; leaves two lists, scalar instructions and vector ones; the scalar ones need no
 * result of the others, so that they can all go first. Registers are not known yet.
 * Manuals: "Vector ALU: operands", "limitations on constants and SGPRs" of AMD's ISA documents. */
#include "lower/bfi_seq.h"

/* ---- instructions ---- */

static bs_inst *
room_for(bs_seq *s, bool vec, unsigned op)
{
	bs_list *l = vec ? &s->valu : &s->salu;

	if (l->n == BS_INSTS || op == BS_NO || !isa_has(s->q->t, op)) {
		s->failed = true;
		l->n -= l->n == BS_INSTS;
	}
	return &l->a[l->n++];
}

static bs_inst *
add(bs_seq *s, bool vec, unsigned op)
{
	bs_inst *i = room_for(s, vec, op);

	*i = (bs_inst){ .op = (uint16_t)op, .to = BS_TO_NODE, .dst = BS_NONE, .n = 1, .bytes = 4 };
	return i;
}

static void
put_source(bs_inst *i, bs_val v)
{
	i->src[i->nsrc++] = v;
}

static bool
is_literal(const bs_seq *s, bs_val v)
{
	enum { INT_MIN16 = 16, INTS = 16 + 64 };    /* -16..64 are inline everywhere */

	if (!bs_is_const(v) || (v.n == 1 && v.w[0].x + INT_MIN16 <= INTS))
		return false;
	return v.n == 1 ? !isa_is_inline(s->q->t, ISA_T_B32, (int32_t)v.w[0].x)
			: !isa_is_inline(s->q->t, ISA_T_B64, (int64_t)bs_value(v));
}

/* After a scalar instruction: does a condition still stand in SCC? */
static void
scc_after(bs_seq *s, const bs_inst *i)
{
	if (isa_table[i->op].eff & ISA_W_SCC)
		s->scc = BS_NONE;
}

/* ---- constants and moves ---- */

/* Is x a field of ones? */
static bool
is_field(uint64_t x)
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
	bool wide = v.n == 2, lit = is_literal(s, v);
	bs_inst *i;

	if (lit && is_field(x)) {
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
	i->bytes = is_literal(s, from) ? 8 : 4;
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
	bool wide = v.n == 2, whole = !wide || !v.w[1].x || is_field(bs_value(v)) || !is_literal(s, v);
	uint8_t node;

	for (unsigned k = 0; k < s->nkonst; k++)
		if (s->konst_x[k].n == v.n && bs_value(s->konst_x[k]) == bs_value(v))
			return bs_of_node(s, s->konst[k]);
	if (!whole)
		return pair_of(s, false, v);
	node = bs_new_node(s, wide ? BOP_mov64 : BOP_mov32, false, &v);
	load_constant(s, v)->dst = node;
	s->salu.a[s->salu.n - 1].n = v.n;
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
	const bs_place *p = &s->regs->in[v.w[0].id & 3];
	bool even = vec ? s->q->t->align_vgpr_pairs : true;

	if (v.w[0].kind == BS_NODE && v.w[1].kind == BS_NODE)
		return v.w[0].id == v.w[1].id && !v.w[0].half && v.w[1].half &&
		       s->node[v.w[0].id].n == 2 && (vec || !v.w[0].vec);
	if (v.w[0].kind != BS_IN || v.w[1].kind != BS_IN || v.w[0].id != v.w[1].id || v.w[0].half || !v.w[1].half)
		return false;
	return p->reg[1] == p->reg[0] + 1 && !(even && p->reg[0] & 1 && (vec == v.w[0].vec || !v.w[0].vec));
}

/* A node whose one reader is this pair is written straight into it. */
static bool
written_there(bs_seq *s, bool vec, bs_word w, uint8_t pair, unsigned half)
{
	bs_node *n = &s->node[w.id];

	if (w.kind != BS_NODE || n->n != 1 || n->uses != 1 || n->vec != vec || n->pair != BS_NONE || n->gone)
		return false;
	n->pair = pair;
	n->half = (uint8_t)half;
	return true;
}

/* v as two registers side by side (or a constant). */
static bs_val
pair_of(bs_seq *s, bool vec, bs_val v)
{
	bs_val parts[2] = { bs_dword(v, 0), bs_dword(v, 1) };
	uint8_t pair;

	if ((bs_is_const(v) && !is_literal(s, v)) || stands_as_pair(s, vec, v))
		return v;
	pair = bs_new_node(s, BOP_pair, vec, parts);
	for (unsigned h = 0; h < 2; h++) {
		bs_inst *i;

		if (written_there(s, vec, v.w[h], pair, h))
			continue;
		i = bs_move(s, vec, parts[h]);
		i->dst = pair;
		i->half = (uint8_t)h;
	}
	return bs_of_node(s, pair);
}

/* ---- legal operands ---- */

/* Operands that a VALU instruction reads over the constant bus, and the different literals. */
static unsigned
bus_reads(const bs_seq *s, const bs_inst *i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < i->nsrc; k++) {
		bool scalar = i->src[k].w[0].kind == BS_VCC || is_literal(s, i->src[k]) ||
			      (!bs_is_const(i->src[k]) && !i->src[k].w[0].vec), seen = false;

		for (unsigned j = 0; j < k; j++)
			seen |= bs_same_word(i->src[j].w[0], i->src[k].w[0]) && i->src[j].n == i->src[k].n;
		n += scalar && !seen;
	}
	return n;
}

/* The scalar source that a vector move costs least for. */
static int
victim(const bs_seq *s, const bs_inst *i)
{
	for (unsigned k = i->nsrc; k-- > 0;)
		if (i->src[k].n == 1 && !i->src[k].w[0].vec && (!bs_is_const(i->src[k]) || is_literal(s, i->src[k])))
			return (int)k;
	return -1;
}

static void
replace(bs_inst *i, bs_val old, bs_val with)
{
	for (unsigned k = 0; k < i->nsrc; k++)
		if (i->src[k].n == old.n && bs_same_word(i->src[k].w[0], old.w[0]))
			i->src[k] = with;
}

/* Instructions are completed apart and added last, so that moves come before them. */
static void
fit_bus(bs_seq *s, bs_inst *i)
{
	unsigned limit = isa_table[i->op].eff & ISA_BUS1 ? 1 : s->q->t->const_bus;

	while (bus_reads(s, i) > limit) {
		int k = victim(s, i);

		if (k < 0) {
			s->failed = true;
			return;
		}
		replace(i, i->src[k], moved(s, true, i->src[k]));
	}
}

/* Is the constant of source k what the machine makes of a literal dword? It extends that by its sign for a signed
 * operation of 64 bits, by zeros for the others. */
static bool
is_literal_dword(const bs_inst *i, unsigned k)
{
	const isa_info *info = &isa_table[i->op];
	bs_val v = i->src[k];

	return v.n == 1 || (!v.w[1].x && !(info->arg[info->ndefs + k].type == ISA_T_I64 && v.w[0].x >> 31));
}

/* Literals: `room` of them may stay, the same one however often. */
static bool
fit_literals(bs_seq *s, bs_inst *i, bool room)
{
	bs_val kept = { 0 };

	for (unsigned k = 0; k < i->nsrc; k++) {
		bs_val v = i->src[k];

		if (!is_literal(s, v))
			continue;
		if (room && is_literal_dword(i, k) && (!kept.n || (kept.n == v.n && kept.w[0].x == v.w[0].x)))
			kept = v;
		else
			replace(i, v, constant_in_sgpr(s, v));
	}
	return kept.n;
}

static bool
in_vgpr(bs_val v)
{
	return v.n && v.w[0].vec;
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

	for (unsigned k = 0; k < i->nsrc; k++)
		if (i->src[k].n == 2 && !bs_is_const(i->src[k]))
			i->src[k] = pair_of(s, bs_is_vec(i->src[k]), i->src[k]);
	/* SDWA names registers only: S0 and S1 say VGPR or SGPR. */
	for (unsigned k = 0; k < i->nsrc && sdwa; k++)
		if (bs_is_const(i->src[k]))
			i->src[k] = constant_in_sgpr(s, i->src[k]);
	fit_bus(s, i);
	small = !sdwa && fits_short(i) && (i->nsrc < 3 || i->src[2].w[0].kind == BS_VCC);
	literal = fit_literals(s, i, small || (!sdwa && s->q->t->vop3_literal));
	i->bytes = (uint8_t)((small ? 4 : 8) + (literal ? 4 : 0));
}

static void
legalise_scalar(bs_seq *s, bs_inst *i)
{
	bool literal;

	for (unsigned k = 0; k < i->nsrc; k++)
		if (i->src[k].n == 2)
			i->src[k] = is_literal(s, i->src[k]) ? constant_in_sgpr(s, i->src[k])
			      : pair_of(s, false, i->src[k]);
	literal = fit_literals(s, i, true);
	i->bytes = literal ? 8 : 4;
}

/* The erratum of gfx90a: no shift amount in what could be the last register (SHIFT64_HIGH). */
static void
spare_last_register(bs_seq *s, bs_inst *i)
{
	bs_word w = i->src[0].w[0];

	if (i->n == 2 && s->q->t->hazards & ISA_HZ_SHIFT64_HIGH && w.kind == BS_IN && w.vec &&
	    s->regs->in[w.id].reg[w.half] % 8 == 7)
		i->src[0] = moved(s, true, i->src[0]);
}

static void
finish(bs_seq *s, bool vec, bs_inst *i)
{
	bs_inst *at;

	if (vec)
		spare_last_register(s, i);
	if (vec)
		legalise_vector(s, i);
	else
		legalise_scalar(s, i);
	at = room_for(s, vec, i->op);
	*at = *i;
	if (!vec)
		scc_after(s, at);
}

/* ---- nodes ---- */

/* An operation's sources in the machine's order; bytes that SDWA takes are looked through. */
static bs_inst
start(const bs_seq *s, const bs_node *n, uint8_t node)
{
	const bop_info *info = &bop_table[n->op];
	bs_inst i = { .op = n->vec ? info->valu : info->salu, .dst = node, .n = n->n,
		.clamp = n->op == BOP_sat_sub };

	for (unsigned k = 0; k < n->nsrc; k++) {
		bs_val v = n->src[n->vec ? info->order[k] - 'a' : (int)k];
		const bs_node *d = v.n == 1 && v.w[0].kind == BS_NODE ? &s->node[v.w[0].id] : NULL;

		if (d && d->sel) {
			i.sel[i.nsrc] = d->sel;
			i.enc = P2A_ENC_SDWA;
			v = d->src[0];
		}
		put_source(&i, v);
	}
	i.short_form = n->vec && i.op != BS_NO && isa_is_short(s->q->t, i.op);
	i.commutes = i.op != BS_NO && isa_table[i.op].eff & ISA_COMM;
	return i;
}

/* gfx940 wants two wait states between a lane mask and its reader, gfx12 a wait before VCC is read that
 * was written after an earlier reading. */
static void
wait_for_vcc(bs_seq *s)
{
	const p2a_target *t = s->q->t;
	enum { TWO_STATES = 1, VA_VCC_0 = 0xfffd };
	bool late = t->hazards & ISA_HZ_VALU_READ_SGPR && s->vcc_read;
	bs_inst *i;

	if (!late && !(t->hazards & ISA_HZ_VALU_SGPR_VALU))
		return;
	i = add(s, true, late ? OP_s_waitcnt_depctr : OP_s_nop);
	i->to = BS_TO_NOTHING;
	put_source(i, bs_const32(late ? VA_VCC_0 : TWO_STATES));
}

static bs_val
vcc(void)
{
	return (bs_val){ .w = { { .kind = BS_VCC } }, .n = 0 };
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
	bs_inst i = start(s, &s->node[cond], cond);

	if (s->vcc == cond && s->vcc_inverted == inverted)
		return vcc();
	i.to = BS_TO_VCC;
	if (inverted)
		i.op = (uint16_t)opposite(i.op);
	finish(s, true, &i);
	wait_for_vcc(s);
	s->vcc = cond;
	s->vcc_inverted = inverted;
	return vcc();
}

static void
scalar_condition(bs_seq *s, uint8_t cond)
{
	bs_inst i = start(s, &s->node[cond], cond);

	if (s->scc == cond)
		return;
	i.to = BS_TO_NOTHING;
	finish(s, false, &i);
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
				src[k].w[1] = src[k].w[0], src[k].n = 2;
			put_source(i, src[k]);
		}
	}
	return (bs_val){ .w = { { .kind = BS_NODE, .id = n->mask } }, .n = 0 };
}

static void
emit_select(bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];
	uint8_t cond = n->src[0].w[0].id;
	bs_inst i = start(s, n, node);

	if (n->vec) {
		bool lanes = s->node[cond].vec, invert = lanes && in_vgpr(i.src[0]) && !in_vgpr(i.src[1]);
		bs_val x = i.src[0];

		if (invert) {    /* the one-dword form wants a VGPR second */
			i.src[0] = i.src[1];
			i.src[1] = x;
		}
		i.src[2] = lanes ? lane_condition(s, cond, invert) : mask_condition(s, cond);
		finish(s, true, &i);
		s->vcc_read |= i.src[2].w[0].kind == BS_VCC;
		return;
	}
	i.src[0] = n->src[1];
	i.src[1] = n->src[2];
	i.nsrc = 2;
	/* Constants first: their instructions may write SCC. */
	legalise_scalar(s, &i);
	scalar_condition(s, cond);
	finish(s, false, &i);
}

/* ---- a byte or half put in place ---- */

/* The dst_sel that writes what selector x of v_perm_b32 takes from its first source, the rest being the
 * second one's; 0: it is no such selector. */
static uint8_t
put_part(uint32_t x)
{
	static const struct { uint32_t selector; uint8_t sel; } put[] = {
		{ 0x03020104, P2A_SEL_BYTE0 }, { 0x03020400, P2A_SEL_BYTE1 }, { 0x03040100, P2A_SEL_BYTE2 },
		{ 0x04020100, P2A_SEL_BYTE3 }, { 0x03020504, P2A_SEL_WORD0 }, { 0x05040100, P2A_SEL_WORD1 } };

	for (unsigned k = 0; k < COUNT(put); k++)
		if (put[k].selector == x)
			return put[k].sel;
	return 0;
}

static bool
is_vgpr_of(const bs_seq *s, bs_word w, unsigned reg)
{
	return w.kind == BS_IN && w.vec && s->regs->in[w.id].reg[w.half] == reg;
}

/* Does anything but `node` read VGPR reg as an operand? */
static bool
read_elsewhere(const bs_seq *s, uint8_t node, unsigned reg)
{
	for (unsigned h = 0; h < s->r.n; h++)
		if (is_vgpr_of(s, s->r.w[h], reg))
			return true;
	for (unsigned k = 0; k < s->nnodes; k++)
		for (unsigned j = 0; k != node && s->node[k].uses && j < s->node[k].nsrc; j++)
			for (unsigned h = 0; h < MAX(s->node[k].src[j].n, 1); h++)
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
	uint8_t sel = bs_is_const(n->src[2]) ? put_part(n->src[2].w[0].x) : 0;

	for (unsigned h = 0; h < s->r.n && sel && s->q->t->sdwa && dst->kind == P2A_K_VGPR; h++) {
		bs_inst i = { .op = OP_v_mov_b32, .to = BS_TO_DST, .half = (uint8_t)h, .n = 1, .short_form = true,
			.dst = node, .enc = P2A_ENC_SDWA, .dst_sel = sel, .dst_unused = P2A_UNUSED_PRESERVE };

		if (s->r.w[h].kind != BS_NODE || s->r.w[h].id != node || !is_vgpr_of(s, n->src[1].w[0], dst->reg[h]) ||
		    n->uses != 1 || read_elsewhere(s, node, dst->reg[h]))
			continue;
		put_source(&i, n->src[0]);
		finish(s, true, &i);
		return true;
	}
	return false;
}

static void
emit(bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];
	bs_inst i;

	switch (n->op) {
	case BOP_gt: case BOP_eq: case BOP_pair: return;
	case BOP_sel32: case BOP_sel64: emit_select(s, node); return;
	case BOP_perm32:
		if (put_in_place(s, node))
			return;
		break;
	default: break;
	}
	i = start(s, n, node);
	finish(s, n->vec, &i);
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

void
bs_count(bs_seq *s)
{
	bs_cost c = { .consts = s->cost.consts };

	for (unsigned l = 0; l < 2; l++)
		for (unsigned k = 0; k < (l ? s->valu.n : s->salu.n); k++) {
			const bs_inst *i = l ? &s->valu.a[k] : &s->salu.a[k];
			unsigned cls = isa_table[i->op].cls;

			c.valu += cls == ISA_VALU;
			c.salu += cls == ISA_SALU;
			c.valu64 += is_wide_shift(i->op);
			c.bytes += i->bytes;
		}
	s->cost = c;
}
