/* branch.c -- where each block lies, and which branches need the long form.
 * Needs sizes of all instructions; leaves offsets that hold with the forms chosen.
 * A branch reaches 32,767 dwords; a farther one becomes
 *	s_cbranch of the opposite condition over the rest (where there is one)
 *	s_getpc_b64 s[p:p+1];  s_add_u32 s[p], s[p], distance;  s_addc_u32 s[p+1], s[p+1], sign;  s_setpc_b64
 * which changes SCC on the way that is taken only: no block expects SCC from another.
 * Manuals: "Branching"; the offset counts from the instruction behind the branch. */
#include "pass/emit.h"

bool
em_is_conditional(const ir_inst *i)
{
	return i->m.op != OP_s_branch;
}

unsigned
em_inverse(unsigned op)
{
	static const uint16_t pairs[][2] = { { OP_s_cbranch_scc0, OP_s_cbranch_scc1 },
		{ OP_s_cbranch_vccz, OP_s_cbranch_vccnz }, { OP_s_cbranch_execz, OP_s_cbranch_execnz } };

	for (unsigned k = 0; k < COUNT(pairs); k++)
		for (unsigned side = 0; side < 2; side++)
			if (pairs[k][side] == op)
				return pairs[k][1 - side];
	return ISA_NOPS;
}

uint32_t
em_branch_size(const em_branch *b)
{
	if (!b->far)
		return 1u + b->padded;
	return em_is_conditional(b->inst) ? EM_FAR_COND_SIZE : EM_FAR_SIZE;
}

static bool
is_branch(const ir_inst *i)
{
	return i->m.nargs == 1 && i->m.arg[0].kind == IR_K_BLOCK;
}

/* Nothing but empty blocks lies between the end of b and the target. */
static bool
is_next(const ir_func *f, uint32_t b, uint32_t target)
{
	if (target <= b)
		return false;
	while (++b < target)
		if (f->blocks.a[b]->first)
			return false;
	return true;
}

/* The first block from b on that is not empty, or the number of blocks. */
static uint32_t
first_of(const ir_func *f, uint32_t b)
{
	while (b < f->blocks.n && !f->blocks.a[b]->first)
		b++;
	return b;
}

/* A block that does nothing but go on somewhere; its branch, else NULL. */
static ir_inst *
only_jump(const ir_func *f, uint32_t b)
{
	ir_inst *i = b < f->blocks.n ? f->blocks.a[b]->first : NULL;

	return i && i == f->blocks.a[b]->last && i->m.op == OP_s_branch && is_branch(i) ? i : NULL;
}

/* A branch to a block that only goes on goes there by itself; steps bounds a ring of such blocks. */
static void
thread(const ir_func *f, ir_inst *i)
{
	const ir_inst *on;
	uint32_t steps = f->blocks.n;

	while (steps-- && (on = only_jump(f, first_of(f, i->m.arg[0].reg))))
		i->m.arg[0].reg = on->m.arg[0].reg;
}

/* A threaded branch that still leads to a block that only goes on is in a ring of them, or goes into one. */
static bool
is_ring(const ir_func *f, const ir_inst *i)
{
	return only_jump(f, first_of(f, i->m.arg[0].reg));
}

/* After this nobody branches to a block that only goes on, unless it is in a ring of them; one that nobody falls
 * into either is emptied. */
static void
thread_branches(ir_func *f)
{
	bool falls = true;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->last; i && is_branch(i); i = i->prev)
			thread(f, i);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		ir_inst *i = only_jump(f, b), *last = f->blocks.a[b]->last;

		if (i && !falls && !is_ring(f, i))
			ir_remove(i);
		else if (last)
			falls = last->m.op != OP_s_branch;
	}
}

/* At a loop's end, "if c go on, else go back" goes back by the first of the two branches. */
static void
back_first(const ir_func *f, uint32_t b, ir_inst *i, ir_inst *last)
{
	uint32_t on = i->m.arg[0].reg;

	if (last->m.arg[0].reg > b || on <= b || is_ring(f, last) || is_ring(f, i))
		return;
	i->m.op = (uint16_t)em_inverse(i->m.op);
	i->m.arg[0].reg = last->m.arg[0].reg;
	last->m.arg[0].reg = on;
}

/* "if c go behind the next branch, else take it to x" is one branch to x on the opposite. The next branch may
 * be all of the next block: no other comes there, for their branches are threaded, unless into a ring of jumps. */
static void
turn_around(const ir_func *f, ir_block *b)
{
	uint32_t at = b->id;
	ir_inst *last = b->last, *i;

	if (last && last->m.op != OP_s_branch)
		last = only_jump(f, at = first_of(f, b->id + 1));
	i = at == b->id ? last ? last->prev : NULL : b->last;
	if (!i || !last || last->m.op != OP_s_branch || !is_branch(i) || em_inverse(i->m.op) == ISA_NOPS)
		return;
	if (!is_next(f, at, i->m.arg[0].reg)) {
		if (at == b->id)
			back_first(f, at, i, last);
		return;
	}
	if (is_ring(f, last))
		return;
	i->m.op = (uint16_t)em_inverse(i->m.op);
	i->m.arg[0].reg = last->m.arg[0].reg;
	ir_remove(last);
}

/* From the end, so that what a dropped branch makes next is seen. */
static void
drop_branches(ir_func *f)
{
	thread_branches(f);
	for (uint32_t b = f->blocks.n; b-- > 0;) {
		turn_around(f, f->blocks.a[b]);
		for (ir_inst *i = f->blocks.a[b]->last, *prev; i && is_branch(i); i = prev) {
			prev = i->prev;
			if (!is_next(f, b, i->m.arg[0].reg))
				break;
			ir_remove(i);
		}
	}
}

static void
find_branches(ir_func *f, em_layout *L)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (is_branch(i))
				*vec_push(f->A, &L->branches) = (em_branch){ .inst = i, .target = i->m.arg[0].reg };
}

static void
place(ir_func *f, em_layout *L)
{
	uint32_t at = 0, k = 0;

	for (uint32_t b = 0; b < f->blocks.n; b++) {
		L->block_at[b] = at;
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			if (!is_branch(i)) {
				at += i->num;
				continue;
			}
			L->branches.a[k].at = at;
			at += em_branch_size(&L->branches.a[k++]);
		}
	}
	L->size = at;
}

/* Forms only grow, so this ends. */
static bool
grow(const ir_func *f, em_layout *L)
{
	bool grown = false;

	for (uint32_t k = 0; k < L->branches.n; k++) {
		em_branch *b = &L->branches.a[k];
		int64_t d = (int64_t)L->block_at[b->target] - b->at - 1;

		if (b->far)
			continue;
		if (d < INT16_MIN || d > INT16_MAX) {
			b->far = grown = true;
		} else if (d == 0x3f && !b->padded && f->target->hazards & ISA_HZ_BRANCH_3F) {
			b->padded = grown = true;
		}
	}
	return grown;
}

bool
em_place(ir_func *f, em_layout *L)
{
	drop_branches(f);
	find_branches(f, L);
	L->block_at = arena_array(f->A, uint32_t, f->blocks.n);
	do
		place(f, L);
	while (grow(f, L));
	for (uint32_t k = 0; k < L->branches.n; k++)
		if (L->branches.a[k].far && f->k.branch_sgpr < 0)
			return false;
	return true;
}
