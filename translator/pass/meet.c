/* meet.c -- warns of .sync instructions whose lanes may come at different times.
 * The lanes of a wave have one program counter: those of a mask meet where their ways join, but lanes that have
 * parted do not wait for each other at two places, or in two turns of a loop, as sm_70 lets them.
 * Needs generic SSA in normal form and to know which .sync the gate gathers lanes for; leaves block.divergent for waves of one
 * warp where it looked. A mask that is computed is taken to name who is there. Manual: "Parallel Thread Execution ISA", 9.7.9.6, 9.7.13.9. */
#include "pass/gate.h"

/* Does it name, by a constant, more than one lane? */
static bool
names_many(const ir_inst *i)
{
	return ir_is_imm(i->m.arg[0]) && gate_names_many(i->m.arg[0]);
}

static void
warn(const ir_func *f, const ir_inst *i)
{
	diag_add(f->mod->diags, DIAG_parted, f->mod->locs.a[i->loc].span, f->name, (unsigned)i->m.arg[0].imm);
}

/* Does the gate gather its lanes, wherever they come from? */
static bool
is_gathered(const gate_plan *plan, const ir_inst *i)
{
	return plan->meet && plan->meet[i->block->id] && (!plan->across || i->m.offset == IR_MEET_ORDERS);
}

static void
check(ir_func *f, const bool *heeded, const gate_plan *plan)
{
	const bool *parted;

	p_uniform_warp(f, NULL);
	parted = p_parted(f, heeded, NULL);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && parted[b]; i = i->next)
			if (i->m.op == G_meet && i->m.offset != IR_MEET_COUNTED && names_many(i) && !is_gathered(plan, i))
				warn(f, i);
}

bool
gate_warn_of_meets(ir_func *f, const gate_plan *plan)
{
	bool *heeded = arena_array(f->A, bool, f->blocks.n), any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (i->m.op == G_meet && i->m.offset != IR_MEET_COUNTED) {
				heeded[b] = true;
				any |= names_many(i);
			}
	if (any)
		check(f, heeded, plan);
	return any;
}
