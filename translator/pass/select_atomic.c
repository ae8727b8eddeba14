/* select_atomic.c -- read-modify-write: one instruction of the chip.
 * Needs operations that the chip has for their space and scope (ir_rmw_op: lowering asks); leaves
 * global_atomic_*, flat_atomic_*, ds_*, in the returning form where the old value is used, and what orders memory around
 * them. ISA manuals: "Flat, Global, Scratch instructions", "LDS instructions". */
#include "pass/select.h"

/* What flat and global cmpswap take: the new value, then the expected one. */
static ir_opnd
swap_pair(sel *S, ir_opnd expected, ir_opnd new, unsigned n)
{
	ir_opnd d = sel_new(S, IR_BANK_V, 2 * n);

	for (unsigned k = 0; k < n; k++) {
		sel_copy(S, ir_part(d, k, 1), ir_part(new, k, 1));
		sel_copy(S, ir_part(d, n + k, 1), ir_part(expected, k, 1));
	}
	return d;
}

/* LDS takes two operands; gfx11 turned them round. */
static unsigned
ds_data(const sel *S, const ir_inst *i, const ir_opnd *data, ir_opnd *args)
{
	bool turned = i->m.op == G_cas && S->t->family >= ISA_GFX11;
	unsigned n = i->m.op == G_cas ? 2 : 1;

	for (unsigned k = 0; k < n; k++)
		args[k] = data[turned ? 1 - k : k];
	return n;
}

/* The operands behind the result; returns how many. */
static unsigned
operands(sel *S, ir_inst *i, ir_opnd *args, int64_t *offset)
{
	unsigned n = i->mem.bytes / 4u;
	ir_opnd data[2] = { sel_src(S, i, 1), { 0 } };

	if (i->m.op == G_cas)
		data[1] = sel_src(S, i, 2);
	if (i->mem.space == IR_SHARED) {
		data[0] = sel_to_v(S, data[0]);
		if (i->m.op == G_cas)
			data[1] = sel_to_v(S, data[1]);
		*offset = sel_ds_address(S, i, &args[0]);
		return 1 + ds_data(S, i, data, args + 1);
	}
	args[1] = i->m.op == G_cas ? swap_pair(S, data[0], data[1], n) : sel_to_v(S, data[0]);
	if (i->mem.space == IR_GENERIC) {
		*offset = sel_flat_address(S, i, &args[0]);
		return 2;
	}
	*offset = sel_global_address(S, i, &args[0], &args[2]);
	return 3;
}

void
sel_do_atomic(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd args[5], d = sel_dst(S, i);
	bool used = S->f->vals.a[d.reg].nuses > 0;
	unsigned op = ir_rmw_op(S->t, &i->mem, used), results = isa_table[op].ndefs, n;
	int64_t offset = 0;

	(void)r;
	args[0] = used ? d : sel_new(S, IR_BANK_V, i->mem.bytes / 4u);
	sel_before(S, i);
	n = operands(S, i, args + results, &offset);
	sel_access(S, i, op, results + n, args, offset);
	sel_behind(S, i);
}
