/* select_opnd.c -- operands of generic instructions as machine operands. Needs banks and use
 * counts; copies, packs and parts of values are looked through, and the counts kept right: a
 * value has as many uses as instructions still to be written or already written read it. Where a
 * definition may be done at its user instead is decided here (may_move). */
#include "pass/select.h"

bool
sel_is_v(const sel *S, ir_opnd o)
{
	return ir_is_val(o) && S->f->vals.a[o.reg].bank == IR_BANK_V;
}

bool
sel_is_s(const sel *S, ir_opnd o)
{
	return o.kind == P2A_K_SREG || (ir_is_val(o) && S->f->vals.a[o.reg].bank == IR_BANK_S);
}

ir_opnd
sel_new(sel *S, unsigned bank, unsigned dwords)
{
	return ir_valop(S->f, ir_new_reg(S->f, bank, dwords));
}

ir_opnd
sel_vcc(const sel *S)
{
	return sel_sreg(S->mask_dwords == 2 ? P2A_VCC : P2A_VCC_LO, S->mask_dwords);
}

ir_opnd
sel_exec(const sel *S)
{
	return sel_sreg(S->mask_dwords == 2 ? P2A_EXEC : P2A_EXEC_LO, S->mask_dwords);
}

bool
sel_imm(ir_opnd o, int64_t x)
{
	return ir_is_imm(o) && o.imm == x;
}

static ir_inst *
generic_def(const sel *S, ir_opnd o)
{
	ir_inst *d = ir_is_val(o) ? S->f->vals.a[o.reg].def : NULL;

	return d && d->block && ir_is_generic(d->m.op) ? d : NULL;
}

ir_inst *
sel_def(const sel *S, ir_opnd o)
{
	return ir_is_val(o) && !o.imm && o.width == S->f->vals.a[o.reg].dwords ? generic_def(S, o)
									       : NULL;
}

ir_fact
sel_fact(const sel *S, ir_opnd o)
{
	bool known = !ir_is_val(o) ||
		     (o.reg < S->nfacts && !o.imm && o.width == S->f->vals.a[o.reg].dwords);

	if (o.kind == P2A_K_SREG || !known)
		return (ir_fact){ .hi = ~0ull };
	return ir_fact_of(S->f, S->facts, o);
}

/* What def reads may be read at `at` instead: not outside of a loop that def runs in, where scalar
 * sources already hold what a later turn of the loop gave them. */
static bool
may_move(const ir_inst *def, const ir_inst *at)
{
	if (def->block == at->block)
		return true;
	if (def->block->irreducible)
		return false;
	if (!def->block->loop)
		return true;
	for (const ir_block *l = at->block->loop; l; l = l->outer)
		if (l == def->block->loop)
			return true;
	return false;
}

/* lo32 of a shifted value used for nothing else is a 32-bit funnel shift: sel_do_word. */
static bool
narrows(const sel *S, const ir_inst *lo)
{
	const ir_inst *d = sel_def(S, ir_valop(S->f, lo->m.arg[1].reg));

	return d && (d->m.op == G_lshr64 || d->m.op == G_ashr64) && ir_is_imm(d->m.arg[2]) &&
	       S->f->vals.a[d->m.arg[0].reg].nuses == 1 &&
	       S->f->vals.a[d->m.arg[0].reg].bank == IR_BANK_V;
}

static ir_opnd
slice(const sel *S, ir_opnd src, ir_opnd o, unsigned first)
{
	ir_opnd r;

	if (!o.width)
		return src;
	r = ir_part(ir_is_val(src) ? ir_valop(S->f, src.reg) : src, (unsigned)o.imm + first,
		    o.width);
	r.mods = o.mods;
	return r;
}

/* One step back through a definition that only moves bits. */
static bool
step(const sel *S, const ir_inst *at, ir_opnd *o)
{
	const ir_inst *d = generic_def(S, *o);
	ir_opnd n;

	if (!d || !may_move(d, at))
		return false;
	switch (d->m.op) {
	case G_copy1:
		if (ir_is_val(d->m.arg[1]) &&
		    S->f->vals.a[d->m.arg[1].reg].divergent != S->f->vals.a[o->reg].divergent)
			return false;
		*o = ir_is_val(d->m.arg[1]) ? ir_valop(S->f, d->m.arg[1].reg) : d->m.arg[1];
		return true;
	case G_copy32: case G_copy64:
		*o = slice(S, d->m.arg[1], *o, 0);
		return true;
	case G_lo32:
		if (ir_is_val(d->m.arg[1]) && narrows(S, d))
			return false;
		*o = slice(S, d->m.arg[1], *o, 0);
		return true;
	case G_hi32:
		*o = slice(S, d->m.arg[1], *o, 1);
		return true;
	case G_word:
		*o = slice(S, d->m.arg[1], *o, (unsigned)d->m.arg[2].imm);
		return true;
	case G_pack64: case G_pack96: case G_pack128:
		if (o->width != 1)
			return false;
		n = d->m.arg[1 + o->imm];
		n = ir_is_val(n) ? ir_valop(S->f, n.reg) : n;
		n.mods = o->mods;
		*o = n;
		return true;
	case G_special: case G_kernarg:
		n = sel_special(S, d);
		if (n.kind == P2A_K_NONE)
			return false;
		*o = slice(S, n, *o, 0);
		return true;
	default:
		return false;
	}
}

static ir_opnd
look(const sel *S, const ir_inst *at, ir_opnd o)
{
	while (ir_is_val(o) && step(S, at, &o))
		;
	return o;
}

static ir_opnd
raw(const sel *S, const ir_inst *i, unsigned k)
{
	ir_opnd o = i->m.arg[i->ndefs + k], r;

	if (!ir_is_val(o))
		return o;
	r = ir_valop(S->f, o.reg);
	r.mods = o.mods;
	return r;
}

/* Facts are of values as they were: before looking through. */
ir_fact
sel_source_fact(const sel *S, const ir_inst *i, unsigned k)
{
	return sel_fact(S, raw(S, i, k));
}

static void
move_use(sel *S, ir_opnd from, ir_opnd to)
{
	if (ir_is_val(from) && ir_is_val(to) && from.reg == to.reg)
		return;
	if (ir_is_val(to))
		S->f->vals.a[to.reg].nuses++;
	if (ir_is_val(from))
		S->f->vals.a[from.reg].nuses--;
}

ir_opnd
sel_peek(const sel *S, const ir_inst *at, const ir_inst *i, unsigned k)
{
	return look(S, at, raw(S, i, k));
}

ir_opnd
sel_src(sel *S, ir_inst *i, unsigned k)
{
	ir_opnd o = raw(S, i, k), n = look(S, i, o);

	move_use(S, o, n);
	return n;
}

ir_opnd
sel_take(sel *S, ir_inst *user, ir_inst *absorbed, unsigned k)
{
	ir_opnd n = look(S, user, raw(S, absorbed, k));

	if (ir_is_val(n))
		S->f->vals.a[n.reg].nuses++;
	return n;
}

bool
sel_high_zero(const sel *S, const ir_inst *at, ir_opnd o)
{
	return o.width == 2 && sel_imm(look(S, at, ir_part(o, 1, 1)), 0);
}

void
sel_dwords(sel *S, ir_inst *at, ir_opnd o, ir_opnd *out)
{
	bool left = !ir_is_val(o);

	for (unsigned k = 0; k < o.width; k++) {
		out[k] = ir_part(o, k, 1);
		if (!ir_is_val(o))
			continue;
		out[k] = look(S, at, out[k]);
		if (ir_is_val(out[k]) && out[k].reg == o.reg)
			left = true;
		else if (ir_is_val(out[k]))
			S->f->vals.a[out[k].reg].nuses++;
	}
	if (!left)
		S->f->vals.a[o.reg].nuses--;
}

ir_inst *
sel_match(const sel *S, const ir_inst *at, const ir_inst *i, unsigned k, unsigned gop)
{
	ir_inst *d = sel_def(S, raw(S, i, k));

	if (!d || d->m.op != gop || S->f->vals.a[d->m.arg[0].reg].nuses != 1 || !may_move(d, at))
		return NULL;
	return d;
}

void
sel_absorb(sel *S, const ir_inst *at, const ir_inst *via, ir_inst *d)
{
	if (at == via)
		S->f->vals.a[d->m.arg[0].reg].nuses--;
}

bool
sel_enter(sel *S, const ir_inst *at, ir_inst *d)
{
	if (!may_move(d, at))
		return false;
	S->f->vals.a[d->m.arg[0].reg].nuses--;
	return true;
}
