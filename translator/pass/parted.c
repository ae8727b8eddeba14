/* parted.c -- blocks in which lanes of a wave may stand while others of it are somewhere else.
 * Needs generic SSA in normal form with block.divergent; leaves nothing.
 * Only lanes that may yet come to one of the `heeded` blocks count: who has left for the kernel's end is not
 * waited for; nor who stands at one of the `stops` meanwhile. The walk is pass uniform's: what runs first in layout order runs first here. */
#include "pass/pass.h"

typedef struct ctx {
	ir_func *f;
	bool *ahead;             /* by block id: from its start a heeded block can be reached */
	bool *parted;
	bool *label;             /* lanes on their way to it */
	bool *flooded;           /* it and all that can be reached from it are parted */
	bool *divexit;           /* by header id: lanes leave the loop at different times */
	uint32_t *latch;         /* by header id: last block of the loop */
	VEC(ir_block *) exits;   /* headers newly in divexit */
} ctx;

static bool
in_loop(const ctx *c, const ir_block *header, const ir_block *b)
{
	return b->id >= header->id && b->id <= c->latch[header->id];
}

static void
find_ahead(ctx *c, const bool *heeded, const bool *stops)
{
	VEC(ir_block *) todo = { 0 };

	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		if (heeded[b])
			*vec_push(c->f->A, &todo) = c->f->blocks.a[b];
	while (todo.n) {
		ir_block *b = todo.a[--todo.n];

		if (c->ahead[b->id])
			continue;
		c->ahead[b->id] = true;
		for (uint32_t p = 0; p < b->preds.n; p++)
			if (!stops || !stops[b->preds.a[p]->id])
				*vec_push(c->f->A, &todo) = b->preds.a[p];
	}
}

/* Lanes that have parted stand at b, not all of them: if the loop goes on without those that leave, all of
 * its blocks run for some only. */
static void
leave_through(ctx *c, const ir_block *b, const ir_block *parted_in)
{
	for (ir_block *l = b->loop; l; l = l->outer) {
		bool leaves = false;

		for (uint32_t s = 0; s < b->succs.n; s++)
			leaves |= !in_loop(c, l, b->succs.a[s]) && c->ahead[b->succs.a[s]->id];
		if (!leaves || c->divexit[l->id] || !in_loop(c, l, parted_in))
			continue;
		c->divexit[l->id] = true;
		*vec_push(c->f->A, &c->exits) = l;
		for (uint32_t k = l->id; k <= c->latch[l->id]; k++)
			c->parted[k] = true;
	}
}

/* A cycle with several entries: its blocks run at any time. */
static void
flood(ctx *c, ir_block *from)
{
	VEC(ir_block *) todo = { 0 };

	*vec_push(c->f->A, &todo) = from;
	while (todo.n) {
		ir_block *b = todo.a[--todo.n];

		if (c->flooded[b->id])
			continue;
		c->flooded[b->id] = c->parted[b->id] = true;
		for (uint32_t s = 0; s < b->succs.n; s++)
			*vec_push(c->f->A, &todo) = b->succs.a[s];
	}
}

/* Lanes set out for b. Returns whether they are the first. */
static uint32_t
set_out(ctx *c, const ir_block *b, uint32_t from)
{
	if (b->id <= from || !c->ahead[b->id] || c->label[b->id])
		return 0;
	c->label[b->id] = true;
	return 1;
}

/* Lanes are bound for `waiting` blocks behind `from`; until all are in one, each runs for some. */
static void
follow(ctx *c, uint32_t from, uint32_t waiting, const ir_block *parted_in)
{
	for (uint32_t k = from + 1; k < c->f->blocks.n && waiting; k++) {
		ir_block *x = c->f->blocks.a[k];

		if (!c->label[k])
			continue;
		c->label[k] = false;
		if (!--waiting)
			break;
		c->parted[k] = true;
		leave_through(c, x, parted_in);
		if (x->irreducible)
			flood(c, x);
		for (uint32_t s = 0; s < x->succs.n; s++)
			waiting += set_out(c, x->succs.a[s], k);
	}
}

static void
part(ctx *c, ir_block *b)
{
	uint32_t waiting = 0, ways = 0;

	for (uint32_t s = 0; s < b->succs.n; s++)
		ways += c->ahead[b->succs.a[s]->id];
	if (ways < 2)
		return;
	leave_through(c, b, b);
	if (b->irreducible)
		flood(c, b);
	if (c->flooded[b->id])
		return;         /* so is all that comes behind it */
	for (uint32_t s = 0; s < b->succs.n; s++)
		waiting += set_out(c, b->succs.a[s], b->id);
	follow(c, b->id, waiting, b);
}

static void
part_exits(ctx *c, const ir_block *header)
{
	uint32_t last = c->latch[header->id], waiting = 0;

	if (c->flooded[header->id])
		return;
	for (uint32_t k = header->id; k <= last; k++)
		for (uint32_t s = 0; s < c->f->blocks.a[k]->succs.n; s++)
			waiting += set_out(c, c->f->blocks.a[k]->succs.a[s], last);
	follow(c, last, waiting, header);
}

bool *
p_parted(ir_func *f, const bool *heeded, const bool *stops)
{
	uint32_t n = f->blocks.n;
	ctx c = { .f = f, .ahead = arena_array(f->A, bool, n), .parted = arena_array(f->A, bool, n),
		.label = arena_array(f->A, bool, n), .divexit = arena_array(f->A, bool, n),
		.flooded = arena_array(f->A, bool, n), .latch = arena_array(f->A, uint32_t, n) };

	find_ahead(&c, heeded, stops);
	for (uint32_t b = 0; b < n; b++)
		for (ir_block *l = f->blocks.a[b]->loop; l; l = l->outer)
			c.latch[l->id] = b;
	for (uint32_t b = 0; b < n; b++)
		if (f->blocks.a[b]->divergent)
			part(&c, f->blocks.a[b]);
	while (c.exits.n)
		part_exits(&c, c.exits.a[--c.exits.n]);
	return c.parted;
}
