/* uniform.c -- which values and branches are the same in all active lanes of a wave.
 * Needs SSA in normal form (pass normalize: loops contiguous, one latch); leaves val.divergent,
 * block.divergent, and copies inside loops for values that lanes carry out of them at different times.
 * After Karrenberg and Hack, "Improving Performance of OpenCL on CPUs", CC 2012, with the
 * reconvergence order of pass linearize: a block runs once for all lanes that come to it. */
#include "pass/pass.h"

#include <string.h>

typedef struct ctx {
	ir_func *f;
	bool by_warp;            /* of warps of 32 lanes, as PTX sees them, on any chip */
	bool loads_alike;        /* lanes that load from one address together get one value, */
	const bool *differ;      /* but for these values; NULL: none */
	arena *A;
	uint32_t *first;         /* users of value v: user[first[v] .. first[v + 1]) */
	ir_inst **user;
	uint32_t *latch;         /* by header id: last block of the loop */
	bool *divexit;           /* by header id: lanes leave the loop at different times */
	bool *flooded;           /* by block id */
	bool *dirty;             /* by header id: divexit changed, look at the loop's values again */
	uint32_t *label;         /* by block id: whose way arrives here, 1 + the block where it began; 0 none */
	VEC(uint32_t) work;      /* values that became divergent */
	VEC(ir_block *) branches;/* blocks that became divergent */
	VEC(ir_block *) exits;   /* headers whose loops got divergent exits */
} ctx;

static bool
in_loop(const ctx *c, const ir_block *header, const ir_block *b)
{
	return b->id >= header->id && b->id <= c->latch[header->id];
}

/* Does a lane read at `use` what it computed in an earlier turn of a loop than other lanes? */
static bool
temporal(const ctx *c, const ir_block *def, const ir_block *use)
{
	for (const ir_block *l = def->loop; l && !in_loop(c, l, use); l = l->outer)
		if (c->divexit[l->id])
			return true;
	return false;
}

static bool
reads_lanes_memory(const ir_inst *i)
{
	return i->m.op == G_load && i->mem.space != IR_PARAM && i->mem.space != IR_CONST &&
	       !(i->mem.space == IR_GLOBAL && i->mem.nc && !i->mem.vol);
}

/* Wide results (vector loads) have no per-lane copy: one that leaves its block inside a loop is
 * divergent from the start. */
static bool
wide_escapes(const ctx *c, const ir_inst *i)
{
	uint32_t v = i->ndefs ? i->m.arg[0].reg : 0;

	if (!v || c->f->vals.a[v].dwords <= 2 || !i->block->loop)
		return false;
	for (uint32_t k = c->first[v]; k < c->first[v + 1]; k++)
		if (c->user[k]->block != i->block || c->user[k]->m.op == G_phi)
			return true;
	return false;
}

static bool
special_differs(const ctx *c, const ir_inst *i)
{
	/* Rows of threads are taken for whole warps, unless .reqntid says otherwise. */
	if (c->by_warp && i->m.op == G_special && (i->m.offset == IR_TID_Y || i->m.offset == IR_TID_Z))
		return c->f->reqntid[0] % 32;
	return i->m.op == G_special &&
	       (i->m.offset <= IR_TID_Z || i->m.offset == IR_LANEID || i->m.offset == IR_WARPBASE);
}

/* One warp a wave: what its lanes make together is the same in the whole wave. */
static bool
one_warp(const ctx *c)
{
	const ir_func *f = c->f;

	return c->by_warp || f->target->wave == 32 || (f->max_threads && f->max_threads <= 32);
}

/* Divergent whatever its sources are. In a cycle with several entries a block runs at different
 * times for different lanes, so no result of it can stay in a scalar register. */
static bool
source_of_divergence(const ctx *c, const ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (!g || (g->flags & IR_UNI))
		return false;
	if (c->differ && i->ndefs && c->differ[i->m.arg[0].reg])
		return true;
	return (g->flags & IR_DIV) || special_differs(c, i) || (i->m.op == G_ballot && !one_warp(c)) || (!c->loads_alike && reads_lanes_memory(i)) || i->block->irreducible ||
	       wide_escapes(c, i);
}

static void
mark_val(ctx *c, uint32_t v)
{
	if (c->f->vals.a[v].divergent)
		return;
	c->f->vals.a[v].divergent = true;
	*vec_push(c->A, &c->work) = v;
}

static void
mark_inst(ctx *c, ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (g && (g->flags & IR_UNI))
		return;
	for (unsigned k = 0; k < i->ndefs; k++)
		mark_val(c, i->m.arg[k].reg);
	if (i->m.op == G_cbr && !i->block->divergent) {
		i->block->divergent = true;
		*vec_push(c->A, &c->branches) = i->block;
	}
}

static void
count_users(ctx *c, void (*visit)(ctx *, ir_inst *, uint32_t))
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next) {
			for (unsigned k = i->ndefs; k < i->m.nargs; k++)
				if (ir_is_val(i->m.arg[k]))
					visit(c, i, i->m.arg[k].reg);
			for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++)
				if (ir_is_val(i->phi[k]))
					visit(c, i, i->phi[k].reg);
		}
}

static void
count_one(ctx *c, ir_inst *i, uint32_t v)
{
	(void)i;
	c->first[v + 1]++;
}

static void
place_one(ctx *c, ir_inst *i, uint32_t v)
{
	c->user[c->first[v]++] = i;
}

static void
build_users(ctx *c)
{
	uint32_t n = c->f->vals.n;

	c->first = arena_array(c->A, uint32_t, n + 2);
	count_users(c, count_one);
	for (uint32_t v = 0; v <= n; v++)
		c->first[v + 1] += c->first[v];
	c->user = arena_array(c->A, ir_inst *, c->first[n] + 1);
	count_users(c, place_one);
	memmove(c->first + 1, c->first, n * sizeof *c->first);
	c->first[0] = 0;
}

/* The last block of each loop: it is contiguous, so the largest id inside. */
static void
find_latches(ctx *c)
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_block *l = c->f->blocks.a[b]->loop; l; l = l->outer)
			c->latch[l->id] = b;
}

static void
mark_phis(ctx *c, ir_block *b)
{
	for (ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next)
		mark_inst(c, i);
}

/* Lanes have parted and stand at b, not all of them: loops that it leaves are left at different times. */
static void
leave_through(ctx *c, const ir_block *b, const ir_block *parted_in)
{
	for (ir_block *l = b->loop; l; l = l->outer) {
		if (c->divexit[l->id] || !in_loop(c, l, parted_in))
			continue;
		for (uint32_t s = 0; s < b->succs.n; s++)
			if (!in_loop(c, l, b->succs.a[s]) && !c->divexit[l->id]) {
				c->divexit[l->id] = c->dirty[l->id] = true;
				*vec_push(c->A, &c->exits) = l;
			}
	}
}

/* Out of a cycle with several entries lanes come at different times and by any way, also over edges that lead
 * back in layout order: nothing is taken for uniform where they may meet others. */
static void
flood(ctx *c, ir_block *from)
{
	VEC(ir_block *) todo = { 0 };

	*vec_push(c->A, &todo) = from;
	while (todo.n) {
		ir_block *b = todo.a[--todo.n];

		if (c->flooded[b->id])
			continue;
		c->flooded[b->id] = true;
		mark_phis(c, b);
		leave_through(c, b, b);
		for (uint32_t s = 0; s < b->succs.n; s++)
			*vec_push(c->A, &todo) = b->succs.a[s];
	}
}

/* A path with label l arrives at `to`, coming from a block before it. Returns whether it is the first. */
static uint32_t
arrive(ctx *c, ir_block *to, uint32_t l)
{
	uint32_t had = c->label[to->id];

	c->label[to->id] = had && had != l ? to->id + 1 : l;
	return !had;
}

/* Lanes went different ways to the blocks that are labelled now (`waiting` of them, all behind `from`). Follows
 * the ways in layout order until all have met or ended; where two meet, phis differ between lanes. Back
 * edges are not followed: the lanes of a loop wait for each other at its one latch. */
static void
follow(ctx *c, uint32_t from, uint32_t waiting, const ir_block *parted_in)
{
	for (uint32_t k = from + 1; k < c->f->blocks.n && waiting; k++) {
		ir_block *x = c->f->blocks.a[k];
		uint32_t l = c->label[k];

		if (!l)
			continue;
		c->label[k] = 0;
		waiting--;
		if (l == k + 1 && x->preds.n > 1)
			mark_phis(c, x);
		if (!waiting)
			break;          /* all are here */
		leave_through(c, x, parted_in);
		if (x->irreducible)
			flood(c, x);
		for (uint32_t s = 0; s < x->succs.n; s++)
			if (x->succs.a[s]->id > k)
				waiting += arrive(c, x->succs.a[s], l);
	}
}

static void
part(ctx *c, ir_block *b)
{
	uint32_t waiting = 0;

	leave_through(c, b, b);
	if (b->irreducible)
		flood(c, b);
	if (c->flooded[b->id])
		return;         /* so is all that comes behind it */
	for (uint32_t s = 0; s < b->succs.n; s++)
		if (b->succs.a[s]->id > b->id)
			waiting += arrive(c, b->succs.a[s], b->succs.a[s]->id + 1);
	follow(c, b->id, waiting, b);
}

/* Lanes leave the loop of that header at different times: its exits are ways that part. */
static void
part_exits(ctx *c, const ir_block *header)
{
	uint32_t last = c->latch[header->id], waiting = 0;

	if (c->flooded[header->id])
		return;
	for (uint32_t k = header->id; k <= last; k++) {
		const ir_block *b = c->f->blocks.a[k];

		for (uint32_t s = 0; s < b->succs.n; s++)
			if (b->succs.a[s]->id > last)
				waiting += arrive(c, b->succs.a[s], b->succs.a[s]->id + 1);
	}
	follow(c, last, waiting, header);
}

/* Values defined in a loop that lanes leave at different times differ for users outside. */
static void
look_again(ctx *c, const ir_block *header)
{
	for (uint32_t b = header->id; b <= c->latch[header->id]; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next)
			for (unsigned k = 0; k < i->ndefs; k++)
				*vec_push(c->A, &c->work) = i->m.arg[k].reg;
}

static bool
use_diverges(const ctx *c, uint32_t v, const ir_inst *user)
{
	const ir_val *val = &c->f->vals.a[v];

	if (val->divergent)
		return true;
	if (!val->def || user->m.op == G_phi)
		return false;
	return temporal(c, val->def->block, user->block);
}

static bool
phi_diverges(const ctx *c, const ir_inst *phi)
{
	for (uint32_t k = 0; k < phi->block->preds.n; k++) {
		const ir_val *v;

		if (!ir_is_val(phi->phi[k]))
			continue;
		v = &c->f->vals.a[phi->phi[k].reg];
		if (v->divergent || (v->def && temporal(c, v->def->block, phi->block->preds.a[k])))
			return true;
	}
	return false;
}

static bool
source_diverges(const ctx *c, const ir_inst *i, unsigned k)
{
	ir_opnd o = i->m.arg[i->ndefs + k];

	return ir_is_val(o) && use_diverges(c, o.reg, i);
}

/* tid.x, or more by a multiple of 32 (blocks are taken for whole warps): the lanes of a warp hold
 * consecutive numbers from such a multiple on. */
static bool
numbers_lanes(const ctx *c, ir_opnd o)
{
	const ir_inst *d = ir_is_val(o) ? c->f->vals.a[o.reg].def : NULL;

	if (d && d->m.op == G_add32)
		for (unsigned k = 0; k < 2; k++) {
			ir_opnd by = d->m.arg[1 + k];
			const ir_inst *m = ir_is_val(by) ? c->f->vals.a[by.reg].def : NULL;

			if ((ir_is_imm(by) && by.imm % 32 == 0) || (m && m->m.op == G_mul32 && !c->f->vals.a[by.reg].divergent))
				return numbers_lanes(c, d->m.arg[2 - k]);
		}
	return d && d->m.op == G_special && d->m.offset == IR_TID_X;
}

/* Is what i makes of consecutive numbers the same for the 32 of a warp? */
static bool
same_in_warp(const ctx *c, const ir_inst *i)
{
	ir_opnd b = i->m.nargs > 2 ? i->m.arg[2] : (ir_opnd){ 0 };

	if (!c->by_warp || !ir_is_imm(b) || !numbers_lanes(c, i->m.arg[1]))
		return false;
	switch (i->m.op) {
	case G_lshr32: case G_ashr32:
		return (b.imm & 31) >= 5;
	case G_and32:
		return !(b.imm & 31);
	case G_icmp32:
		if (i->cc == IR_LO || i->cc == IR_LT || i->cc == IR_HS || i->cc == IR_GE)
			return b.imm % 32 == 0;
		return i->cc != IR_EQ && i->cc != IR_NE && (b.imm + 1) % 32 == 0;
	default:
		return false;
	}
}

/* Is the result the same in all lanes although a source differs? */
static bool
gathers(const ctx *c, const ir_inst *i)
{
	if (same_in_warp(c, i))
		return true;
	switch (i->m.op) {
	case G_readfirst: case G_wave_any:
		return true;
	case G_ballot:
		return one_warp(c);
	case G_swizzle:
		return one_warp(c) && !(i->m.offset & 31);
	case G_shuffle:
		return !source_diverges(c, i, 0) || (one_warp(c) && !source_diverges(c, i, 1));
	default:
		return false;
	}
}

static void
spread(ctx *c, uint32_t v)
{
	for (uint32_t k = c->first[v]; k < c->first[v + 1]; k++) {
		ir_inst *u = c->user[k];

		if (u->m.op == G_phi ? phi_diverges(c, u) : use_diverges(c, v, u) && !gathers(c, u))
			mark_inst(c, u);
	}
}

static void
solve(ctx *c)
{
	bool more = true;

	while (more) {
		more = false;
		while (c->work.n || c->branches.n || c->exits.n) {
			if (c->work.n)
				spread(c, c->work.a[--c->work.n]);
			else if (c->branches.n)
				part(c, c->branches.a[--c->branches.n]);
			else
				part_exits(c, c->exits.a[--c->exits.n]);
		}
		for (uint32_t b = 0; b < c->f->blocks.n; b++) {
			if (!c->dirty[b])
				continue;
			c->dirty[b] = false;
			look_again(c, c->f->blocks.a[b]);
			more = true;
		}
	}
}

/* ---- cutting temporal divergence ---- */

static bool
cut_needed(const ctx *c, const ir_val *v, const ir_block *use)
{
	const ir_ginfo *g = ir_ginfo_of(v->def->m.op);
	const ir_block *def = v->def->block;

	if (g && (g->flags & IR_UNI))
		return false;
	if (v->divergent && v->dwords)
		return false;           /* lives in a VGPR: lanes that left keep theirs */
	/* A lane mask is written anew whenever its block runs. */
	if (def->irreducible)
		return !v->dwords && def != use;
	return temporal(c, def, use);
}

/* The per-lane copy of v, made right behind its definition. A boolean becomes 0 or 1. */
static ir_opnd
lane_copy(ctx *c, uint32_t v, ir_opnd *copy)
{
	ir_func *f = c->f;
	ir_inst *at = f->vals.a[v].def->next;
	ir_builder B = { f, f->vals.a[v].def->block, NULL, f->vals.a[v].def->loc };
	unsigned dw = f->vals.a[v].dwords;
	ir_opnd o = ir_valop(f, v);

	if (copy[v].kind)
		return copy[v];
	while (at && at->m.op == G_phi)
		at = at->next;
	B.before = at;
	if (dw == 0)
		copy[v] = ir_g3(&B, G_sel32, o, ir_i32(1), ir_i32(0));
	else
		copy[v] = ir_g1(&B, dw == 1 ? G_copy32 : G_copy64, o);
	f->vals.a[copy[v].reg].divergent = true;
	return copy[v];
}

/* What `use` at the end of block b, or before inst, reads in place of v. */
static ir_opnd
outside(ctx *c, uint32_t v, ir_block *b, ir_inst *before, ir_opnd *copy)
{
	ir_opnd w = lane_copy(c, v, copy), r;
	ir_builder B = { c->f, b, before, before ? before->loc : 0 };

	if (c->f->vals.a[v].dwords)
		return w;
	r = ir_icmp(&B, 32, IR_NE, w, ir_i32(0));
	c->f->vals.a[r.reg].divergent = true;
	return r;
}

/* The operand reads another value; its modifiers stay. */
static void
redirect(ir_opnd *o, ir_opnd to)
{
	to.mods = o->mods;
	*o = to;
}

static void
cut_inst(ctx *c, ir_inst *i, ir_opnd *copy, uint32_t nvals)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
		ir_opnd *o = &i->m.arg[k];

		if (!ir_is_val(*o) || o->reg >= nvals || !c->f->vals.a[o->reg].def ||
		    !cut_needed(c, &c->f->vals.a[o->reg], i->block))
			continue;
		redirect(o, outside(c, o->reg, i->block, i, copy));
	}
	for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++) {
		ir_opnd *o = &i->phi[k];
		ir_block *p = i->block->preds.a[k];

		if (!ir_is_val(*o) || o->reg >= nvals || !c->f->vals.a[o->reg].def ||
		    !cut_needed(c, &c->f->vals.a[o->reg], p))
			continue;
		redirect(o, outside(c, o->reg, p, ir_terminator(p), copy));
	}
}

static void
cut(ctx *c)
{
	uint32_t n = c->f->vals.n;
	ir_opnd *copy = arena_array(c->A, ir_opnd, n);

	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			cut_inst(c, i, copy, n);
		}
}

static void
analyse(ctx *c)
{
	ir_func *f = c->f;
	uint32_t n = f->blocks.n;

	ir_count_uses(f);
	ir_dominators(f);
	ir_loops(f);
	c->latch = arena_array(f->A, uint32_t, n);
	c->divexit = arena_array(f->A, bool, n);
	c->flooded = arena_array(f->A, bool, n);
	c->dirty = arena_array(f->A, bool, n);
	c->label = arena_array(f->A, uint32_t, n);
	find_latches(c);
	build_users(c);
	for (uint32_t v = 1; v < f->vals.n; v++)
		f->vals.a[v].divergent = false;
	for (uint32_t b = 0; b < n; b++) {
		f->blocks.a[b]->divergent = false;
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (source_of_divergence(c, i))
				mark_inst(c, i);
	}
	solve(c);
}

void
p_uniform_warp(ir_func *f, const bool *differ)
{
	ctx c = { .f = f, .A = f->A, .by_warp = true, .loads_alike = true, .differ = differ };

	analyse(&c);
}

void
p_uniform_polls(ir_func *f, const bool *differ)
{
	ctx c = { .f = f, .A = f->A, .loads_alike = true, .differ = differ };

	analyse(&c);
}

void
p_uniform(ir_func *f)
{
	ctx c = { .f = f, .A = f->A };

	analyse(&c);
	cut(&c);
	ir_count_uses(f);
	f->lanes_known = true;
}
