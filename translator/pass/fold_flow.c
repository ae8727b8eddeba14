/* fold_flow.c -- rules for addresses, phis and branches.
 * Needs fold.h's state and idom of the round's start (removing edges only adds to what dominates);
 * leaves constant parts of addresses in m.offset, and branches with one way as plain ones. */
#include "pass/fold.h"

/* Generic m.offset is a whole signed dword: select splits what the instruction cannot hold.
 * Addresses of 64 bits are sums modulo 2^64; those of shared and local memory sums modulo 2^32, so
 * that a base may be "negative": select must not use a scratch offset unless facts say that base +
 * offset does not wrap. */
bool
fold_address(fold *F, ir_inst *i)
{
	ir_opnd *address = &i->m.arg[i->ndefs];
	uint64_t c;
	int64_t sum;
	ir_inst *d = fold_def_const(F, *address, address->width == 2 ? G_add64 : G_add32, &c);

	if (!d)
		return false;
	sum = address->width == 2 ? (int64_t)(c + (uint64_t)(int64_t)i->m.offset)
	                          : (int32_t)((uint32_t)c + (uint32_t)i->m.offset);
	if (sum != (int32_t)sum)
		return false;
	i->m.offset = (int32_t)sum;
	*address = fold_src(F, d, 0);
	return true;
}

static bool
is_undef(const fold *F, ir_opnd o)
{
	return fold_def(F, o, G_undef1) || fold_def(F, o, G_undef32) || fold_def(F, o, G_undef64);
}

/* A source that is the same along all edges; the phi itself and undefined ones do not count. It
 * must be there wherever the phi is: undefined sources, and loops that have just lost their entry,
 * make doubt. */
bool
fold_phi(fold *F, ir_inst *i)
{
	ir_opnd one = { 0 };
	const ir_inst *def;

	for (uint32_t k = 0; k < i->block->preds.n; k++) {
		ir_opnd o = i->phi[k];

		if (ir_same(o, i->m.arg[0]) || is_undef(F, o))
			continue;
		if (one.kind && !ir_same(o, one))
			return false;
		one = o;
	}
	if (!one.kind)
		return false;
	def = ir_is_val(one) ? F->f->vals.a[one.reg].def : NULL;
	if (def && (def->block == i->block || !ir_dominates(def->block, i->block)))
		return false;
	return fold_same(F, i, one);
}

/* Branches */

static void
drop_pred(ir_block *b, uint32_t k)
{
	uint32_t n = b->preds.n - 1;

	for (ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next)
		for (uint32_t j = k; j < n; j++)
			i->phi[j] = i->phi[j + 1];
	for (uint32_t j = k; j < n; j++)
		b->preds.a[j] = b->preds.a[j + 1];
	b->preds.n = n;
}

static uint32_t
find_pred(const ir_block *b, const ir_block *pred)
{
	uint32_t k = 0;

	while (b->preds.a[k] != pred)
		k++;
	return k;
}

static bool
go_one_way(fold *F, ir_inst *i, unsigned taken)
{
	ir_block *b = i->block, *other = b->succs.a[1 - taken];

	drop_pred(other, find_pred(other, b));
	b->succs.a[0] = b->succs.a[taken];
	b->succs.n = 1;
	i->m.op = G_br;
	i->m.nargs = 0;
	F->edges_changed = true;
	return true;
}

/* The way that a branch on the same condition further up has already decided: 0, 1; -1 none. */
static int
decided_above(fold *F, const ir_block *b, ir_opnd c)
{
	for (unsigned steps = 0; b->idom && steps < 16; steps++, b = b->idom) {
		const ir_block *up = b->idom;
		ir_inst *t = up->last;

		if (b->preds.n != 1 || b->preds.a[0] != up || t->m.op != G_cbr ||
			!ir_same(fold_src(F, t, 0), c))
			continue;
		return b == up->succs.a[1];
	}
	return -1;
}

bool
fold_cbr(fold *F, ir_inst *i)
{
	ir_opnd c = fold_src(F, i, 0);
	ir_inst *d = fold_def(F, c, G_not1);
	ir_block *b = i->block, *s;
	int way;

	if (ir_is_imm(c))
		return go_one_way(F, i, !c.imm);
	if (d) {
		i->m.arg[0] = fold_src(F, d, 0);
		s = b->succs.a[0];
		b->succs.a[0] = b->succs.a[1];
		b->succs.a[1] = s;
		return true;
	}
	way = decided_above(F, b, c);
	return way >= 0 && go_one_way(F, i, (unsigned)way);
}
