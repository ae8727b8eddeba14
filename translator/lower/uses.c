/* uses.c -- whether anybody reads what an instruction writes.
 * Needs a checked function; leaves the number of places that name each register in lower_symbol.named,
 * counted once a function and only if asked for.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.5: nvcc writes atom where red would do. */
#include "lower/lower.h"

/* Depth is bounded by the parser. */
static void
count_operand(lower *L, const ptx_operand *o)
{
	if (o->kind == PTX_O_REG && o->sym)
		lo_symbol(L, o->sym, L->act)->named++;
	for (unsigned i = 0; i < o->nsub && o->sub; i++)
		count_operand(L, &o->sub[i]);
}

static void
count_body(lower *L, const ptx_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == PTX_S_BLOCK)
			count_body(L, s->body);
		if (s->kind != PTX_S_INST)
			continue;
		count_operand(L, &s->inst.guard);
		for (unsigned i = 0; i < s->inst.nops; i++)
			count_operand(L, &s->inst.ops[i]);
	}
}

bool
lo_is_unread(lower *L, const ptx_operand *d)
{
	if (d->kind == PTX_O_SINK)
		return true;
	if (d->kind != PTX_O_REG || !d->sym)
		return false;
	if (!L->act->counted) {
		count_body(L, L->act->func->f->body);
		L->act->counted = true;
	}
	return lo_symbol(L, d->sym, L->act)->named == 1;
}
