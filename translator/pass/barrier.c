/* barrier.c -- where lanes of a wave wait for each other: barriers, loops that wait for others, .sync.
 * The machine counts waves, PTX counts warps: where the two warps of a wave of 64, or single lanes (barrier.sync
 * without .aligned), may come to different barriers, each wave must still signal once for all of them. And the machine
 * has one program counter a wave, PTX one a thread: where a lane spins until another lane of its wave has done something,
 * that one must come to do it. Both are led through one gate (gate.c), in kernels where it may happen; in others
 * nothing changes. Where lanes of one mask may execute a kind of .sync at different places (meet.c), it asks for the kernel
 * to be lowered again (f->wants_body), and leaves all as it was.
 * Needs generic SSA in normal form with block.divergent; leaves the same, every G_barrier one that all lanes reach,
 * no G_await, G_meet only where it orders accesses.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1. */
#include "pass/gate.h"

/* Lanes of one warp do not part at an aligned barrier; but those that come back from a body which several places jump to
 * would be there before the others, for whom the way on from the body is a loop around the barrier. */
static bool
may_part(const ir_func *f, const ir_inst *i)
{
	return i->m.offset == IR_BAR_FREE || !gate_one_warp(f) || f->shared_bodies;
}

/* The first such barrier in a block where a warp may have parted; NULL: none. */
static const ir_inst *
parts(ir_func *f, const bool *parted, bool (*which)(const ir_func *, const ir_inst *))
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && parted[b]; i = i->next)
			if (gate_is_barrier(i) && which(f, i))
				return i;
	return NULL;
}

static bool
counts_warps(const ir_func *f, const ir_inst *i)
{
	(void)f;
	return i->m.op == G_await && i->m.offset == IR_BAR_FREE;
}

/* A warp is counted when its first lane arrives; PTX has it wait for all of its lanes before. */
static bool
lanes_count_apart(ir_func *f, const bool *heeded)
{
	const ir_inst *bad;
	bool any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			any |= counts_warps(f, i);
	if (!any)
		return false;
	p_uniform_warp(f, NULL);
	bad = parts(f, p_parted(f, heeded, NULL), counts_warps);
	p_uniform(f);
	if (bad)
		diag_add(f->mod->diags, DIAG_parted_count, f->mod->locs.a[bad->loc].span, f->name);
	return bad != NULL;
}

static void
drop_meets(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (i->m.op == G_meet && i->m.offset != IR_MEET_ORDERS)
				ir_remove(i);
		}
}

/* ---- a wave that waits by itself ---- */

/* The phis behind the cut name the predecessor, which is the last piece of the block now. */
static void
spin_at(ir_func *f, ir_inst *await)
{
	ir_block *b = await->block, *rest = gate_cut(f, b, await->next), *loop = ir_new_block(f), *again = ir_new_block(f);
	ir_builder B = { f, loop, NULL, await->loc }, A = { f, again, NULL, await->loc };

	gate_jump(f, b, loop, await->loc);
	gate_branch(&B, gate_exceeds(&B, await->m.arg[0], await->m.arg[1]), rest, again);
	gate_pause(&A);
	gate_jump(f, again, loop, await->loc);
	ir_remove(await);
}

/* Returns whether there was one. */
static bool
spin_all(ir_func *f)
{
	bool any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (i->m.op != G_await)
				continue;
			spin_at(f, i);
			any = true;
			break;          /* what follows is in a block of its own, further down */
		}
	return any;
}

void
p_barrier(ir_func *f)
{
	const bool *heeded = gate_blocks_with(f, gate_is_barrier);
	bool apart = heeded && parts(f, p_parted(f, heeded, NULL), may_part) != NULL;
	gate_plan plan;

	if (apart && lanes_count_apart(f, heeded))
		return;
	plan = gate_find_spins(f);
	if (f->wants_body)
		return;
	if (apart || plan.spin || plan.meet) {
		gate_lead(f, &plan);
	} else if (!heeded || !spin_all(f)) {
		drop_meets(f);
		return;
	} else {
		p_normalize(f);
	}
	drop_meets(f);
	p_uniform(f);
}
