/* ctrl.c -- branches, ends, bar.warp.sync; blocks in the order of the text.
 * Needs L->b; after a terminator L->b.b is NULL until the next block starts.
 * Manual: "Parallel Thread Execution ISA", 9.7.12 (control flow), 9.7.13.2 (bar.warp.sync). */
#include "lower/lower.h"

void
lo_start(lower *L, ir_block *b)
{
	if (L->b.b) {
		ir_link(L->b.b, b);
		ir_g0(&L->b, G_br);
	}
	L->b.b = b;
	*vec_push(L->A, &L->order) = b;
}

void
lo_branch(lower *L, ir_opnd cond, ir_block *then, ir_block *other)
{
	ir_g1(&L->b, G_cbr, cond);
	ir_link(L->b.b, then);
	ir_link(L->b.b, other);
	L->b.b = NULL;
}

void
lo_jump(lower *L, ir_block *to)
{
	ir_g0(&L->b, G_br);
	ir_link(L->b.b, to);
	L->b.b = NULL;
}

void
lo_return(lower *L)
{
	ir_g0(&L->b, G_ret);
	L->b.b = NULL;
}

ir_block *
lo_label(lower *L, ptx_symbol *s)
{
	lower_symbol *x = lo_symbol(L, s, L->act);

	if (!x->block) {
		x->block = ir_new_block(L->F);
		x->block->label = s->name;
	}
	return x->block;
}

static ir_block *
target(lower *L, const ptx_operand *o)
{
	if (o->sym && o->sym->kind == PTX_SYM_LABEL)
		return lo_label(L, o->sym);
	lo_refuse(L, ": the target is not a label");
	return NULL;
}

void
lower_bra(lower *L)
{
	ir_block *to = L->in->nops ? target(L, &L->in->ops[0]) : NULL, *next;

	if (!to) {
		lo_refuse(L, "");
		return;
	}
	if (!L->has_guard) {
		lo_jump(L, to);
		return;
	}
	next = ir_new_block(L->F);
	lo_branch(L, L->guard, to, next);
	lo_start(L, next);
}

/* brx.idx: a chain of comparisons; an index beyond the list goes to its last label. */
void
lower_brx(lower *L)
{
	const ptx_symbol *list = L->in->nops > 1 ? L->in->ops[1].sym : NULL;
	ir_opnd index = lo_src(L, 0, PTX_U32);

	if (L->refused || !list || list->kind != PTX_SYM_TARGETS || !list->targets.n) {
		lo_refuse(L, ": no list of targets");
		return;
	}
	for (uint32_t i = 0; i < list->targets.n; i++) {
		ir_block *to = target(L, &list->targets.a[i]), *next;

		if (!to)
			return;
		if (i + 1 == list->targets.n) {
			lo_jump(L, to);
			return;
		}
		next = ir_new_block(L->F);
		lo_branch(L, ir_icmp(&L->b, 32, IR_EQ, index, ir_i32(i)), to, next);
		lo_start(L, next);
	}
}

/* In a kernel, ret ends the thread. */
void
lower_ret(lower *L)
{
	if (L->act->leave)
		lo_jump(L, L->act->leave);
	else
		lo_return(L);
}

void
lower_exit(lower *L)
{
	lo_return(L);
}

void
lo_trap(lower *L, int why)
{
	ir_g0(&L->b, G_trap);
	ir_last(&L->b)->m.offset = why;
	lo_return(L);
}

/* brkpt too: no debugger listens. */
void
lower_trap(lower *L)
{
	lo_trap(L, ISA_TRAP_PLAIN);
}

/* Any time from 0 to twice what is asked for will do. */
void
lower_nanosleep(lower *L)
{
	(void)lo_src(L, 0, PTX_U32);
	ir_g0(&L->b, G_sleep);
	ir_last(&L->b)->m.offset = 1;
}

/* bar.warp.sync: lanes of a wave run together, and their accesses stay in order. */
void
lower_bar_warp(lower *L)
{
	lo_meet(L, lo_src(L, 0, PTX_U32), IR_MEET_ORDERS);
}
