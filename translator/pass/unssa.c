/* unssa.c -- phis become copies at the ends of the predecessors.
 * Needs machine SSA with split critical edges; leaves machine code in which a value may be written
 * several times. The copies of one edge happen at once, so they are put in an order in which none
 * overwrites what another still reads; a cycle goes through one temporary.
 * After Boissinot et al., "Revisiting Out-of-SSA Translation", CGO 2009, algorithm 1. */
#include "pass/pass.h"

typedef struct move {
	ir_opnd dst, src;
	bool done;
} move;
typedef VEC(move) moves;

static void
copy_to_sgpr(ir_builder *B, ir_opnd dst, ir_opnd src)
{
	for (unsigned k = 0; k < dst.width; k++)
		ir_m(B, OP_v_readfirstlane_b32, 2, ir_part(dst, k, 1), ir_part(src, k, 1))->fresh = k == 0 && dst.width > 1;
}

static void
emit_copy(ir_builder *B, ir_opnd dst, ir_opnd src)
{
	const ir_val *vals = B->f->vals.a;

	if (ir_is_val(src) && vals[dst.reg].bank == IR_BANK_S && vals[src.reg].bank == IR_BANK_V)
		copy_to_sgpr(B, dst, src);
	else
		ir_m(B, P_copy, 2, dst, src);
}

static bool
is_undef(const ir_func *f, ir_opnd o)
{
	return ir_is_val(o) && f->vals.a[o.reg].def && f->vals.a[o.reg].def->m.op == P_undef;
}

static void
gather(const ir_func *f, const ir_block *b, uint32_t pred, moves *out)
{
	out->n = 0;
	for (const ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next) {
		ir_opnd d = i->m.arg[0], s = i->phi[pred];

		if (is_undef(f, s) || ir_same(d, s))
			continue;
		*vec_push(f->A, out) = (move){ d, s, false };
	}
}

static bool
still_read(const moves *m, const move *except, uint32_t val)
{
	for (uint32_t k = 0; k < m->n; k++)
		if (!m->a[k].done && &m->a[k] != except && ir_is_val(m->a[k].src) && m->a[k].src.reg == val)
			return true;
	return false;
}

/* Emits every move whose target nobody still reads; how many. */
static unsigned
emit_free(ir_builder *B, moves *m)
{
	unsigned n = 0;

	for (uint32_t k = 0; k < m->n; k++) {
		move *x = &m->a[k];

		if (x->done || still_read(m, x, x->dst.reg))
			continue;
		emit_copy(B, x->dst, x->src);
		x->done = true;
		n++;
	}
	return n;
}

/* All that is left are cycles: frees the target of one by saving its old content. */
static bool
break_cycle(ir_builder *B, moves *m)
{
	ir_func *f = B->f;

	for (uint32_t k = 0; k < m->n; k++) {
		uint32_t v = m->a[k].dst.reg, t;

		if (m->a[k].done)
			continue;
		t = ir_new_reg(f, f->vals.a[v].bank, f->vals.a[v].dwords);
		f->vals.a[t].is_mask = f->vals.a[v].is_mask;
		ir_m(B, P_copy, 2, ir_valop(f, t), ir_valop(f, v));
		for (uint32_t j = 0; j < m->n; j++)
			if (!m->a[j].done && ir_is_val(m->a[j].src) && m->a[j].src.reg == v)
				m->a[j].src.reg = t;
		return true;
	}
	return false;
}

/* Before the terminator and what is glued to it (a compare that it reads through SCC). */
static ir_inst *
before_end(ir_block *p)
{
	ir_inst *t = ir_terminator(p);

	while (t && t->glue && t->prev)
		t = t->prev;
	return t;
}

static void
edge(ir_func *f, ir_block *b, uint32_t pred, moves *m)
{
	ir_builder B = { f, b->preds.a[pred], before_end(b->preds.a[pred]), 0 };

	if (B.before)
		B.loc = B.before->loc;
	gather(f, b, pred, m);
	do
		while (emit_free(&B, m))
			;
	while (break_cycle(&B, m));
}

void
p_unssa(ir_func *f)
{
	moves m = { 0 };

	ir_count_uses(f);
	for (uint32_t k = 0; k < f->blocks.n; k++) {
		ir_block *b = f->blocks.a[k];

		if (!b->first || b->first->m.op != G_phi)
			continue;
		for (uint32_t p = 0; p < b->preds.n; p++)
			edge(f, b, p, &m);
		while (b->first && b->first->m.op == G_phi)
			ir_remove(b->first);
	}
	for (uint32_t v = 1; v < f->vals.n; v++)
		f->vals.a[v].def = NULL;
}
