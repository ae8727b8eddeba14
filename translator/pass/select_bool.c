/* select_bool.c -- comparisons, booleans, selects and branches on them. Needs banks; a uniform
 * boolean is 0 or 1 in an SGPR or, at its only use, SCC; a divergent one is a lane mask or, at
 * its only use, VCC. Bits of a mask for lanes that are not active mean nothing. ISA manuals,
 * "Scalar condition code" and "Vector compare". */
#include "pass/select.h"

typedef struct compare {
	uint16_t s32, v_32, v_64; /* v_32: i32 or f32 row, v_64: i64 or f64 row */
	uint8_t flipped;         /* the condition with its sources exchanged */
	uint16_t v_16;           /* f16 row */
} compare;

static const compare integer[] = {
	[IR_EQ] = { OP_s_cmp_eq_u32, OP_v_cmp_eq_u32, OP_v_cmp_eq_u64, IR_EQ },
	[IR_NE] = { OP_s_cmp_lg_u32, OP_v_cmp_ne_u32, OP_v_cmp_ne_u64, IR_NE },
	[IR_LT] = { OP_s_cmp_lt_i32, OP_v_cmp_lt_i32, OP_v_cmp_lt_i64, IR_GT },
	[IR_LE] = { OP_s_cmp_le_i32, OP_v_cmp_le_i32, OP_v_cmp_le_i64, IR_GE },
	[IR_GT] = { OP_s_cmp_gt_i32, OP_v_cmp_gt_i32, OP_v_cmp_gt_i64, IR_LT },
	[IR_GE] = { OP_s_cmp_ge_i32, OP_v_cmp_ge_i32, OP_v_cmp_ge_i64, IR_LE },
	[IR_LO] = { OP_s_cmp_lt_u32, OP_v_cmp_lt_u32, OP_v_cmp_lt_u64, IR_HI },
	[IR_LS] = { OP_s_cmp_le_u32, OP_v_cmp_le_u32, OP_v_cmp_le_u64, IR_HS },
	[IR_HI] = { OP_s_cmp_gt_u32, OP_v_cmp_gt_u32, OP_v_cmp_gt_u64, IR_LO },
	[IR_HS] = { OP_s_cmp_ge_u32, OP_v_cmp_ge_u32, OP_v_cmp_ge_u64, IR_LS },
};

/* "Not less" is true of NaNs where "greater or equal" is not. */
static const compare floating[] = {
	[IR_EQ] = { NO_OP, OP_v_cmp_eq_f32, OP_v_cmp_eq_f64, IR_EQ, OP_v_cmp_eq_f16 },
	[IR_NE] = { NO_OP, OP_v_cmp_lg_f32, OP_v_cmp_lg_f64, IR_NE, OP_v_cmp_lg_f16 },
	[IR_LT] = { NO_OP, OP_v_cmp_lt_f32, OP_v_cmp_lt_f64, IR_GT, OP_v_cmp_lt_f16 },
	[IR_LE] = { NO_OP, OP_v_cmp_le_f32, OP_v_cmp_le_f64, IR_GE, OP_v_cmp_le_f16 },
	[IR_GT] = { NO_OP, OP_v_cmp_gt_f32, OP_v_cmp_gt_f64, IR_LT, OP_v_cmp_gt_f16 },
	[IR_GE] = { NO_OP, OP_v_cmp_ge_f32, OP_v_cmp_ge_f64, IR_LE, OP_v_cmp_ge_f16 },
	[IR_EQU] = { NO_OP, OP_v_cmp_nlg_f32, OP_v_cmp_nlg_f64, IR_EQU, OP_v_cmp_nlg_f16 },
	[IR_NEU] = { NO_OP, OP_v_cmp_neq_f32, OP_v_cmp_neq_f64, IR_NEU, OP_v_cmp_neq_f16 },
	[IR_LTU] = { NO_OP, OP_v_cmp_nge_f32, OP_v_cmp_nge_f64, IR_GTU, OP_v_cmp_nge_f16 },
	[IR_LEU] = { NO_OP, OP_v_cmp_ngt_f32, OP_v_cmp_ngt_f64, IR_GEU, OP_v_cmp_ngt_f16 },
	[IR_GTU] = { NO_OP, OP_v_cmp_nle_f32, OP_v_cmp_nle_f64, IR_LTU, OP_v_cmp_nle_f16 },
	[IR_GEU] = { NO_OP, OP_v_cmp_nlt_f32, OP_v_cmp_nlt_f64, IR_LEU, OP_v_cmp_nlt_f16 },
	[IR_NUM] = { NO_OP, OP_v_cmp_o_f32, OP_v_cmp_o_f64, IR_NUM, OP_v_cmp_o_f16 },
	[IR_NAN] = { NO_OP, OP_v_cmp_u_f32, OP_v_cmp_u_f64, IR_NAN, OP_v_cmp_u_f16 },
};

static bool is_float(unsigned gop) { return gop == G_fcmp16 || gop == G_fcmp32 || gop == G_fcmp64; }
static bool is_wide(unsigned gop) { return gop == G_icmp64 || gop == G_fcmp64; }

/* Source k of inst, which is `at` itself or has been absorbed into it. */
static ir_opnd
get(sel *S, ir_inst *at, ir_inst *inst, unsigned k)
{
	return at == inst ? sel_src(S, inst, k) : sel_take(S, at, inst, k);
}

/* ---- compares ---- */

static unsigned
row_of(const ir_inst *cmp, unsigned cc)
{
	const compare *row = &(is_float(cmp->m.op) ? floating : integer)[cc];

	return cmp->m.op == G_fcmp16 ? row->v_16 : is_wide(cmp->m.op) ? row->v_64 : row->v_32;
}

static void
vector_compare(sel *S, ir_inst *at, ir_inst *cmp, ir_opnd dst)
{
	const compare *table = is_float(cmp->m.op) ? floating : integer;
	ir_opnd a = get(S, at, cmp, 0), b = get(S, at, cmp, 1);
	unsigned cc = cmp->cc, type = isa_table[row_of(cmp, cmp->cc)].arg[1].type;
	ir_inst *m;

	a = sel_fold_mods(a, type);
	b = sel_fold_mods(b, type);
	if (sel_is_v(S, a) && !sel_is_v(S, b)) {
		ir_opnd x = a;

		a = b;
		b = x;
		cc = table[cc].flipped;
	}
	m = sel_op2(S, row_of(cmp, cc), dst, a, b);
	m->fp = cmp->fp;
}

/* a < b of 64 bits by the borrow of a subtraction; signed: with the sign bits turned over. */
static void
borrow(sel *S, ir_opnd a[2], ir_opnd b[2], bool is_signed)
{
	ir_opnd junk;

	for (unsigned k = 0; k < 2 && is_signed; k++) {
		ir_opnd *h = k ? &b[1] : &a[1];

		*h = ir_is_imm(*h) ? ir_i32((uint32_t)h->imm ^ 0x80000000u) :
		     sel_tmp2(S, OP_s_xor_b32, *h, ir_i32(0x80000000u));
	}
	junk = sel_new(S, IR_BANK_S, 1);
	sel_op2(S, OP_s_sub_u32, junk, a[0], b[0]);
	junk = sel_new(S, IR_BANK_S, 1);
	sel_op2(S, OP_s_subb_u32, junk, a[1], b[1]);
}

static bool
scalar_compare64(sel *S, ir_inst *at, ir_inst *cmp)
{
	static const struct { bool swap, invert; } form[] = {
		[IR_LT] = { false, false }, [IR_GE] = { false, true },
		[IR_GT] = { true, false }, [IR_LE] = { true, true },
		[IR_LO] = { false, false }, [IR_HS] = { false, true },
		[IR_HI] = { true, false }, [IR_LS] = { true, true } };
	ir_opnd a = sel_scalar(S, get(S, at, cmp, 0)), b = sel_scalar(S, get(S, at, cmp, 1));
	ir_opnd x[2], y[2];
	bool is_signed = cmp->cc >= IR_LT && cmp->cc <= IR_GE;

	if (cmp->cc == IR_EQ || cmp->cc == IR_NE) {
		sel_cmp(S, cmp->cc == IR_EQ ? OP_s_cmp_eq_u64 : OP_s_cmp_lg_u64, a, b);
		return false;
	}
	sel_dwords(S, at, a, x);
	sel_dwords(S, at, b, y);
	if (sel_imm(b, 0) && (cmp->cc == IR_LT || cmp->cc == IR_GE)) {
		sel_cmp(S, cmp->cc == IR_LT ? OP_s_cmp_lt_i32 : OP_s_cmp_ge_i32, x[1], ir_i32(0));
		return false;
	}
	if (form[cmp->cc].swap)
		borrow(S, y, x, is_signed);
	else
		borrow(S, x, y, is_signed);
	return form[cmp->cc].invert;
}

/* A uniform comparison into SCC; floats have no scalar form on most chips. */
static bool
scalar_compare(sel *S, ir_inst *at, ir_inst *cmp)
{
	ir_opnd a, vcc = sel_vcc(S);

	if (is_float(cmp->m.op)) {
		vector_compare(S, at, cmp, vcc);
		sel_op2(S, S->mask_dwords == 2 ? OP_s_and_b64 : OP_s_and_b32, vcc, vcc,
			sel_exec(S));
		return false;
	}
	if (is_wide(cmp->m.op))
		return scalar_compare64(S, at, cmp);
	a = get(S, at, cmp, 0);
	sel_cmp(S, integer[cmp->cc].s32, a, get(S, at, cmp, 1));
	return false;
}

static ir_inst *
match_compare(const sel *S, const ir_inst *at, const ir_inst *i, unsigned k)
{
	static const uint16_t op[] = { G_icmp32, G_icmp64, G_fcmp16, G_fcmp32, G_fcmp64 };

	for (unsigned n = 0; n < COUNT(op); n++) {
		ir_inst *cmp = sel_match(S, at, i, k, op[n]);

		if (cmp)
			return cmp;
	}
	return NULL;
}

/* ---- conditions ---- */

/* The scalar operation that leaves a nonzero result in SCC. */
static ir_inst *
match_logic(const sel *S, const ir_inst *at, const ir_inst *i, unsigned k)
{
	static const uint16_t op[] = { G_and1, G_or1, G_xor1 };

	for (unsigned n = 0; n < COUNT(op); n++) {
		ir_inst *d = sel_match(S, at, i, k, op[n]);

		if (d)
			return d;
	}
	return NULL;
}

static ir_opnd
bit(ir_opnd o)
{
	return ir_is_imm(o) ? ir_i32(o.imm & 1) : o;
}

static bool
scc(sel *S, ir_inst *at, ir_inst *i, unsigned k)
{
	ir_inst *d = sel_match(S, at, i, k, G_not1);
	bool inverted = false;
	ir_opnd a;

	while (d) {
		sel_absorb(S, at, i, d);
		inverted = !inverted;
		i = d;
		k = 0;
		d = sel_match(S, at, i, k, G_not1);
	}
	if ((d = match_compare(S, at, i, k))) {
		sel_absorb(S, at, i, d);
		return scalar_compare(S, at, d) != inverted;
	}
	if ((d = match_logic(S, at, i, k))) {
		sel_absorb(S, at, i, d);
		a = bit(get(S, at, d, 0));
		sel_tmp2(S, sel_row_of(d->m.op)->salu, a, bit(get(S, at, d, 1)));
		return inverted;
	}
	sel_cmp(S, OP_s_cmp_lg_u32, bit(get(S, at, i, k)), ir_i32(0));
	return inverted;
}

bool
sel_scc(sel *S, ir_inst *i, unsigned k)
{
	return scc(S, i, i, k);
}

static ir_opnd
mask_const(const sel *S, bool b)
{
	return S->mask_dwords == 2 ? ir_i64(b ? ~0ull : 0) : ir_i32(b ? ~0u : 0);
}

static void
select_mask(sel *S, ir_opnd dst, bool inverted)
{
	sel_op2(S, S->mask_dwords == 2 ? OP_s_cselect_b64 : OP_s_cselect_b32, dst,
		mask_const(S, !inverted), mask_const(S, inverted));
}

ir_opnd
sel_mask_of(sel *S, ir_opnd o)
{
	ir_opnd m;

	if (ir_is_imm(o))
		return mask_const(S, o.imm & 1);
	if (S->f->vals.a[o.reg].is_mask)
		return o;
	m = sel_new(S, IR_BANK_S, S->mask_dwords);
	S->f->vals.a[m.reg].is_mask = true;
	sel_group(S);
	sel_cmp(S, OP_s_cmp_lg_u32, o, ir_i32(0));
	select_mask(S, m, false);
	sel_end(S);
	return m;
}

static bool
source_is_mask(const sel *S, const ir_inst *i, unsigned k)
{
	ir_opnd o = i->m.arg[i->ndefs + k];

	return ir_is_val(o) && S->f->vals.a[o.reg].is_mask;
}

/* Inside a group. The condition as VCC if it is wanted here only; *inverted: the mask means
 * "not". */
ir_opnd
sel_mask(sel *S, ir_inst *at, unsigned k, bool *inverted)
{
	ir_inst *i = at, *d;
	ir_opnd m;

	*inverted = false;
	if (!source_is_mask(S, i, k)) {
		*inverted = scc(S, at, i, k);
		select_mask(S, sel_vcc(S), false);
		return sel_vcc(S);
	}
	while ((d = sel_match(S, at, i, k, G_not1)) && source_is_mask(S, d, 0)) {
		sel_absorb(S, at, i, d);
		*inverted = !*inverted;
		i = d;
		k = 0;
	}
	if ((d = match_compare(S, at, i, k))) {
		sel_absorb(S, at, i, d);
		vector_compare(S, at, d, sel_vcc(S));
		return sel_vcc(S);
	}
	m = get(S, at, i, k);
	return ir_is_val(m) && S->f->vals.a[m.reg].is_mask ? m : sel_to_s(S, sel_mask_of(S, m));
}

/* Source k of i, or of what was absorbed into `at`, as a mask in a value or a constant. */
static ir_opnd
mask_source(sel *S, ir_inst *at, ir_inst *i, unsigned k)
{
	ir_opnd m;
	bool inverted;

	if (source_is_mask(S, i, k) || !match_compare(S, at, i, k))
		return sel_mask_of(S, get(S, at, i, k));
	m = sel_new(S, IR_BANK_S, S->mask_dwords);
	S->f->vals.a[m.reg].is_mask = true;
	sel_group(S);
	inverted = scc(S, at, i, k);
	select_mask(S, m, inverted);
	sel_end(S);
	return m;
}

/* ---- the operations ---- */

void
sel_do_cmp(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i);
	bool inverted;

	(void)r;
	if (S->f->vals.a[d.reg].is_mask) {
		vector_compare(S, i, i, d);
		return;
	}
	sel_group(S);
	inverted = scalar_compare(S, i, i);
	sel_op2(S, OP_s_cselect_b32, d, ir_i32(!inverted), ir_i32(inverted));
	sel_end(S);
}

/* Operations on lane masks: narrow, wide, and with the second source inverted. */
static unsigned
mask_op(const sel *S, unsigned gop, bool not2)
{
	static const uint16_t op[][2][2] = { /* not2, wide */
		{ { OP_s_and_b32, OP_s_and_b64 }, { OP_s_andn2_b32, OP_s_andn2_b64 } },
		{ { OP_s_or_b32, OP_s_or_b64 }, { OP_s_orn2_b32, OP_s_orn2_b64 } },
		{ { OP_s_xor_b32, OP_s_xor_b64 }, { OP_s_xnor_b32, OP_s_xnor_b64 } },
		{ { OP_s_not_b32, OP_s_not_b64 } } };
	unsigned row = gop == G_and1 ? 0 : gop == G_or1 ? 1 : gop == G_xor1 ? 2 : 3;

	return op[row][not2][S->mask_dwords == 2];
}

static void
mask_logic(sel *S, ir_inst *i, ir_opnd d)
{
	ir_opnd a, b;

	if (i->m.op == G_not1) {
		a = mask_source(S, i, i, 0);
		sel_op1(S, mask_op(S, G_not1, false), d, a);
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		ir_inst *not = sel_mine(S, i, k, G_not1);

		if (!not)
			continue;
		sel_absorb(S, i, i, not);
		a = mask_source(S, i, i, k ^ 1);
		b = mask_source(S, i, not, 0);
		sel_op2(S, mask_op(S, i->m.op, true), d, a, b);
		return;
	}
	a = mask_source(S, i, i, 0);
	b = mask_source(S, i, i, 1);
	sel_op2(S, mask_op(S, i->m.op, false), d, a, b);
}

void
sel_do_logic(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a;

	if (S->f->vals.a[d.reg].is_mask) {
		mask_logic(S, i, d);
		return;
	}
	a = bit(sel_src(S, i, 0));
	sel_op2(S, r->salu, d, a, i->m.op == G_not1 ? ir_i32(1) : bit(sel_src(S, i, 1)));
}

static void
select_scalar(sel *S, ir_inst *i, unsigned op)
{
	ir_opnd d = sel_dst(S, i), a = sel_scalar(S, sel_src(S, i, 1)),
		b = sel_scalar(S, sel_src(S, i, 2));
	bool inverted;

	sel_group(S);
	inverted = sel_scc(S, i, 0);
	sel_op2(S, op, d, inverted ? b : a, inverted ? a : b);
	sel_end(S);
}

void
sel_do_sel(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a[2], b[2], mask;
	bool inverted;

	if (!sel_is_v(S, d)) {
		select_scalar(S, i, r->salu);
		return;
	}
	sel_dwords(S, i, sel_src(S, i, 1), a);
	sel_dwords(S, i, sel_src(S, i, 2), b);
	sel_group(S);
	mask = sel_mask(S, i, 0, &inverted);
	if (ir_is_val(mask))
		sel_end(S);
	for (unsigned k = 0; k < d.width; k++)
		sel_op(S, r->valu, 4,
		       (ir_opnd[]){ ir_part(d, k, 1), inverted ? a[k] : b[k],
				    inverted ? b[k] : a[k], mask });
	sel_end(S);
}

/* ---- branches ---- */

static void
swap_successors(ir_block *b)
{
	ir_block *t = b->succs.a[0];

	b->succs.a[0] = b->succs.a[1];
	b->succs.a[1] = t;
}

void
sel_do_cbr(sel *S, ir_inst *i, const sel_row *r)
{
	bool inverted = false;
	ir_inst *not;
	ir_opnd m;

	(void)r;
	if (i->block->divergent || source_is_mask(S, i, 0)) {
		if ((not = sel_mine(S, i, 0, G_not1))) {
			sel_absorb(S, i, i, not);
			inverted = true;
		}
		m = sel_to_s(S, mask_source(S, i, not ? not : i, 0));
		ir_m(&S->B, P_cbr_mask, 1, m);
	} else {
		sel_group(S);
		inverted = sel_scc(S, i, 0);
		ir_m(&S->B, P_cbr_scc, 0)->glue = true;
		sel_end(S);
	}
	if (inverted)
		swap_successors(i->block);
}

void
sel_do_br(sel *S, ir_inst *i, const sel_row *r)
{
	(void)i;
	(void)r;
	ir_m(&S->B, P_br, 0);
}

void
sel_do_ret(sel *S, ir_inst *i, const sel_row *r)
{
	(void)i;
	(void)r;
	ir_m(&S->B, P_ret, 0);
}

void
sel_do_trap(sel *S, ir_inst *i, const sel_row *r)
{
	(void)r;
	ir_m(&S->B, OP_s_trap, 1, ir_i32((uint32_t)i->m.offset));
}
