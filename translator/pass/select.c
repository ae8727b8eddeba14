/* select.c -- generic operations become machine instructions. Needs generic SSA in normal form
 * with val.divergent and block.divergent (pass uniform); leaves machine SSA: every value has a
 * bank, P_* terminators, f->k's entry registers and f->max_vgprs. What each operation becomes:
 * select.def. Registers at entry: AMDGPUUsage, "Initial Kernel Execution State". */
#include "pass/select.h"

#define OP_NO NO_OP
static const sel_row rows[] = {
#define SEL(gop, bank, fn, salu, valu, swap) \
	[G_##gop - IR_G_BASE] = { sel_do_##fn, BANK_##bank, OP_##salu, OP_##valu, swap },
#include "pass/select.def"
};

const sel_row *
sel_row_of(unsigned gop)
{
	return ir_is_generic(gop) && rows[gop - IR_G_BASE].fn ? &rows[gop - IR_G_BASE] : NULL;
}

/* ---- booleans at joins ---- */

/* A lane mask is written whole by its block, so lanes cannot bring their own bits to a join: there
 * they bring 0 or 1 in a VGPR. */
static ir_opnd
bit_of(ir_func *f, ir_block *pred, ir_opnd b)
{
	ir_inst *t = ir_terminator(pred);
	ir_builder B = { f, pred, t, t ? t->loc : 0 };
	ir_opnd r;

	if (ir_is_imm(b))
		return ir_i32(b.imm & 1);
	r = ir_g3(&B, G_sel32, b, ir_i32(1), ir_i32(0));
	f->vals.a[r.reg].divergent = f->vals.a[b.reg].divergent;
	return r;
}

static void
split_bool_phi(ir_func *f, ir_inst *phi)
{
	uint32_t old = phi->m.arg[0].reg, w = ir_new_val(f, 1);
	ir_inst *at = phi->next;
	ir_builder B = { f, phi->block, NULL, phi->loc };
	ir_opnd cmp[3];

	for (uint32_t k = 0; k < phi->block->preds.n; k++)
		phi->phi[k] = bit_of(f, phi->block->preds.a[k], phi->phi[k]);
	f->vals.a[w].divergent = true;
	phi->m.arg[0] = ir_valop(f, w);
	while (at && at->m.op == G_phi)
		at = at->next;
	B.before = at;
	cmp[0] = ir_valop(f, old);
	cmp[1] = ir_valop(f, w);
	cmp[2] = ir_i32(0);
	ir_emit(&B, G_icmp32, 1, 3, cmp)->cc = IR_NE;
}

static void
split_bool_phis(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i && i->m.op == G_phi; i = i->next) {
			const ir_val *v = &f->vals.a[i->m.arg[0].reg];

			if (!v->dwords && v->divergent)
				split_bool_phi(f, i);
		}
}

/* ---- banks ---- */

static bool
source_in_v(const sel *S, ir_opnd o)
{
	return ir_is_val(o) && S->f->vals.a[o.reg].bank == IR_BANK_V;
}

/* A uniform phi lies where its values come from: a loop's where the loop computes it. */
static bool
phi_in_v(const sel *S, const ir_inst *phi)
{
	unsigned in_v = 0, n = 0;

	for (uint32_t k = 0; k < phi->block->preds.n; k++) {
		bool back = phi->block->preds.a[k]->id >= phi->block->id,
		     v = source_in_v(S, phi->phi[k]);

		if (back && v)
			return true;
		n += ir_is_val(phi->phi[k]) && !back;
		in_v += v && !back;
	}
	return n && in_v == n && phi->block->loop != phi->block;
}

static bool
follows_v(const sel *S, const ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (source_in_v(S, i->m.arg[k]))
			return true;
	return false;
}

static unsigned
bank_of(const sel *S, const ir_inst *i)
{
	const ir_val *v = &S->f->vals.a[i->m.arg[0].reg];

	if (i->m.op != G_phi && sel_row_of(i->m.op)->bank == BANK_BOOL)
		return IR_BANK_S;
	if (v->divergent)
		return IR_BANK_V;
	if (i->m.op == G_phi)
		return phi_in_v(S, i) ? IR_BANK_V : IR_BANK_S;
	switch (sel_row_of(i->m.op)->bank) {
	case BANK_VEC: return IR_BANK_V;
	case BANK_FOLLOW: return follows_v(S, i) ? IR_BANK_V : IR_BANK_S;
	case BANK_LOAD: return sel_scalar_load(S, i) ? IR_BANK_S : IR_BANK_V;
	default: return IR_BANK_S;
	}
}

/* Booleans get their size: a lane mask, or one dword with 0 or 1. */
static void
size_bool(const sel *S, ir_inst *i)
{
	ir_val *v = &S->f->vals.a[i->m.arg[0].reg];

	if (v->dwords)
		return;
	v->is_mask = v->divergent;
	v->dwords = (uint8_t)(v->divergent ? S->mask_dwords : 1);
	v->bank = IR_BANK_S;
	if (i->m.op != G_phi)
		return;
	i->m.arg[0].width = 1;
	for (uint32_t k = 0; k < i->block->preds.n; k++)
		i->phi[k] = ir_is_imm(i->phi[k]) ? ir_i32(i->phi[k].imm & 1) : i->phi[k];
}

/* Banks only ever go from S to V, so this ends. */
static void
sel_banks(const sel *S)
{
	ir_func *f = S->f;
	bool changed = true;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (i->ndefs && ir_is_generic(i->m.op))
				size_bool(S, i);
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < f->blocks.n; b++)
			for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
				unsigned bank;

				if (!i->ndefs || !ir_is_generic(i->m.op))
					continue;
				bank = bank_of(S, i);
				changed |= bank != f->vals.a[i->m.arg[0].reg].bank;
				f->vals.a[i->m.arg[0].reg].bank = (uint8_t)bank;
			}
	}
}

/* Operands of phis carry the width of their values again: booleans have been given one. */
static void
widen_phis(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i && i->m.op == G_phi; i = i->next)
			for (uint32_t k = 0; k < i->block->preds.n; k++)
				if (ir_is_val(i->phi[k]))
					i->phi[k] = ir_valop(f, i->phi[k].reg);
}

/* ---- the walk ---- */

static bool
unused(const sel *S, const ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (!i->ndefs || S->f->vals.a[i->m.arg[0].reg].nuses)
		return false;
	if (S->twin[i->m.arg[0].reg])
		return false;
	return g->flags & (IR_PURE | IR_CONV) ||
	       (i->m.op == G_load && !i->mem.vol && i->mem.order <= IR_RELAXED);
}

static void
drop(sel *S, ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (ir_is_val(i->m.arg[k]))
			S->f->vals.a[i->m.arg[k].reg].nuses--;
	S->f->vals.a[i->m.arg[0].reg].def = NULL;
	ir_remove(i);
}

static void
select_inst(sel *S, ir_inst *i)
{
	const sel_row *r = sel_row_of(i->m.op);

	if (unused(S, i)) {
		drop(S, i);
		return;
	}
	S->B.b = i->block;
	S->B.before = i;
	S->B.loc = i->loc;
	r->fn(S, i, r);
	if (i->ndefs)
		S->f->vals.a[i->m.arg[0].reg].def = NULL;
	ir_remove(i);
}

static void
select_blocks(sel *S)
{
	ir_func *f = S->f;

	for (uint32_t b = f->blocks.n; b-- > 0; )
		for (ir_inst *i = f->blocks.a[b]->last, *prev; i; i = prev) {
			prev = i->prev;
			if (ir_is_generic(i->m.op) && i->m.op != G_phi)
				select_inst(S, i);
		}
}

static bool
writes_global(const ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if ((i->m.op == G_store || i->m.op == G_atomic || i->m.op == G_cas) &&
			    (i->mem.space == IR_GLOBAL || i->mem.space == IR_GENERIC))
				return true;
	return false;
}

void
p_select(ir_func *f)
{
	sel S = { .f = f, .t = f->target, .B = { .f = f }, .mask_dwords = f->target->wave / 32u };

	sel_lower_specials(f);
	split_bool_phis(f);
	ir_count_uses(f);
	ir_dominators(f);
	ir_loops(f);
	S.facts = p_facts(f);
	S.nfacts = f->vals.n;
	S.stores = writes_global(f);
	S.twin = arena_array(f->A, ir_inst *, f->vals.n);
	sel_entry(&S);
	sel_banks(&S);
	select_blocks(&S);
	widen_phis(f);
	sel_tidy(&S);
	if (sel_constants(&S))
		sel_tidy(&S);
	sel_limits(&S);
	ir_count_uses(f);
}
