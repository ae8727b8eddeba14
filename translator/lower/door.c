/* door.c -- a body that several places of a kernel jump to: values on their way in and out, and back to where they came from.
 * Needs an open block at each place; leaves plain control flow. Lanes that come from several places run the body together.
 * Manual: "Parallel Thread Execution ISA", 9.7.12.5 (call), 9.7.9.6 (shfl.sync). */
#include "lower/lower.h"

static uint32_t *
new_dwords(lower *L, uint32_t n)
{
	uint32_t *id = arena_array(L->A, uint32_t, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		id[i] = ir_new_val(L->F, 1);
		lower_stack_exclude(L, id[i]);
	}
	return id;
}

void
lower_door_make(lower *L, lower_door *d, uint32_t nargs, uint32_t nresults)
{
	d->entry = ir_new_block(L->F);
	d->number = ir_valop(L->F, *new_dwords(L, 1));
	d->nargs = nargs;
	d->nresults = nresults;
	d->arg = new_dwords(L, nargs);
	d->result = new_dwords(L, nresults);
}

void
lo_copy_to(lower *L, uint32_t val, ir_opnd v)
{
	ir_gen_to(&L->b, ir_valop(L->F, val), G_copy32, 1, &v);
}

ir_opnd *
lower_door_enter(lower *L, lower_door *d, const ir_opnd *word, bool comes_back)
{
	ir_block *back = ir_new_block(L->F), *jump = L->b.b;
	ir_opnd *result = arena_array(L->A, ir_opnd, d->nresults + 1);

	for (uint32_t i = 0; i < d->nargs; i++)
		lo_copy_to(L, d->arg[i], word[i]);
	lower_stack_site(L, jump, back, comes_back);
	lo_copy_to(L, d->number.reg, ir_i32(d->back.n));
	*vec_push(L->A, &d->back) = back;
	lo_jump(L, d->entry);
	lo_start(L, back);
	for (uint32_t i = 0; i < d->nresults; i++)
		result[i] = ir_g1(&L->b, G_copy32, ir_valop(L->F, d->result[i]));
	return result;
}

ir_opnd *
lower_door_args(lower *L, const lower_door *d)
{
	ir_opnd *word = arena_array(L->A, ir_opnd, d->nargs + 1);

	for (uint32_t i = 0; i < d->nargs; i++)
		word[i] = ir_valop(L->F, d->arg[i]);
	return word;
}

void
lower_door_results(lower *L, const lower_door *d, const ir_opnd *word)
{
	for (uint32_t i = 0; i < d->nresults; i++)
		lo_copy_to(L, d->result[i], word[i]);
}

void
lower_door_leave(lower *L, const lower_door *d, ir_opnd number)
{
	for (uint32_t i = 0; i + 1 < d->back.n; i++) {
		ir_block *next = ir_new_block(L->F);
		ir_opnd here = ir_icmp(&L->b, 32, IR_EQ, number, ir_i32(i));

		lo_branch(L, here, d->back.a[i], next);
		lo_start(L, next);
	}
	lo_jump(L, d->back.a[d->back.n - 1]);
}
