/* linearize.c -- per-lane control flow on one program counter and an EXEC mask.
 * Needs machine code without phis, blocks in a topological order with contiguous loops (normalize);
 * leaves only s_branch and s_cbranch, and linear edges (lsuccs, lpreds).
 * After Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011: the block first in layout
 * order that has lanes runs; lanes bound for a later block wait there.
 *
 * frontier(b)  blocks behind b at which lanes may wait while b runs.
 * A block in some frontier gets its lanes back at its entry, from an SGPR mask, in one of two ways:
 *   RESTORE  all lanes that were active at the end of a block D before it meet again here, and nobody
 *            else: the mask is EXEC as it was at D (what s_and_saveexec keeps)
 *   PARK     each branch adds the lanes that it sends here to the mask; the mask begins empty at D
 * Invariant: no block runs with EXEC = 0. Whoever may leave EXEC empty tests it and skips ahead. */
#include "pass/pass.h"

#include <string.h>

enum { MAX_TRIES = 16 };
typedef enum how { NOBODY, RESTORE, PARK } how;

typedef struct blockinfo {
	bitset frontier;         /* block ids; w NULL while empty */
	uint32_t first;          /* the smallest of them; UINT32_MAX */
	how how;
	ir_opnd mask;            /* lanes waiting */
	ir_opnd keep;            /* RESTORE masks that begin at this block's end: EXEC before its branch */
	bool active_entry;       /* lanes may come straight in, EXEC holding them */
	bool empty_entry;        /* the program counter may come in with no lane of its own */
	ir_block *front;         /* its entry, where that can skip the block */
	bool clear;              /* PARK: the mask is emptied when its lanes have been taken in */
	bool sends_masked;       /* its uniform branch must be made by mask: lanes wait between */
} blockinfo;

typedef struct ctx {
	ir_func *f;
	blockinfo *info;
	uint32_t n;              /* blocks */
	ir_opnd exec, none;      /* EXEC, and no lanes */
	uint16_t mov, and, or, andn2, and_saveexec, andn1_saveexec, cselect;
	bitset waits;            /* blocks in some frontier */
	bitset seen;             /* scratch of comes_without */
	VEC(uint32_t) todo;
	uint32_t *number;        /* by value: of a PARK mask; UINT32_MAX: it is none */
} ctx;

/* ---- blocks that only lead on ---- */

/* An edge block that no copy was put into. Where several edges meet it is kept if a loop header follows:
 * there lanes wait for each other before the loop turns or begins. */
static bool
only_leads_on(const ir_func *f, const ir_block *b)
{
	const ir_block *to;

	if (b == f->entry || !b->first || b->first->m.op != P_br)
		return false;
	to = b->succs.a[0];
	return to != b && (b->preds.n == 1 || to->loop != to);
}

static void
drop_pred(ir_block *b, const ir_block *p)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->preds.n; k++)
		if (b->preds.a[k] != p)
			b->preds.a[n++] = b->preds.a[k];
	b->preds.n = n;
}

/* Predecessor p of b goes to `to` at once; two equal ways become one. */
static void
bypass(ir_func *f, ir_block *p, const ir_block *b, ir_block *to)
{
	for (uint32_t k = 0; k < p->succs.n; k++)
		if (p->succs.a[k] == b)
			p->succs.a[k] = to;
	drop_pred(to, p);
	*vec_push(f->A, &to->preds) = p;
	if (p->succs.n == 2 && p->succs.a[0] == p->succs.a[1]) {
		ir_inst *t = ir_terminator(p);

		p->succs.n = 1;
		t->m.op = P_br;
		t->m.nargs = 0;
		t->glue = false;
	}
}

static void
remove_leads(ir_func *f)
{
	uint32_t n = 0;

	ir_dominators(f);
	ir_loops(f);
	for (uint32_t k = 0; k < f->blocks.n; k++) {
		ir_block *b = f->blocks.a[k];

		if (only_leads_on(f, b)) {
			for (uint32_t p = 0; p < b->preds.n; p++)
				bypass(f, b->preds.a[p], b, b->succs.a[0]);
			drop_pred(b->succs.a[0], b);
		} else {
			f->blocks.a[n++] = b;
		}
	}
	f->blocks.n = n;
	ir_renumber_blocks(f);
}

/* ---- frontiers ---- */

static uint32_t
first_waiting(const ctx *c, uint32_t b)
{
	return c->info[b].first;
}

static bool
has_waiting(const ctx *c, uint32_t b, uint32_t x)
{
	return c->info[b].frontier.w && bit_has(&c->info[b].frontier, x);
}

static bool
add_to(ctx *c, uint32_t b, uint32_t x)
{
	blockinfo *i = &c->info[b];

	if (x <= b || has_waiting(c, b, x))
		return false;
	if (!i->frontier.w)
		i->frontier = bitset_new(c->f->A, c->n);
	bit_set(&i->frontier, x);
	i->first = MIN(i->first, x);
	return true;
}

/* All that may wait while b runs, behind x, may wait while x runs. */
static bool
add_all(ctx *c, uint32_t x, uint32_t b)
{
	const bitset *from = &c->info[b].frontier;
	bool changed = false;

	if (!from->w)
		return false;
	for (uint32_t k = MAX(c->info[b].first, x) / 64; k < (c->n + 63) / 64; k++) {
		uint64_t more = from->w[k] & (c->info[x].frontier.w ? ~c->info[x].frontier.w[k] : ~(uint64_t)0);

		for (; more; more &= more - 1)
			changed |= add_to(c, x, k * 64 + (uint32_t)__builtin_ctzll(more));
	}
	return changed;
}

/* Once block b has ended by going to target t (or to t and u), lanes may be at those and at its frontier. The
 * first of all these runs next and has the others in its own frontier; if nobody is there after all, the
 * first of that one's frontier is next, and so on: so each step hands on to one block only. */
static bool
flow(ctx *c, const ir_block *b, uint32_t t, uint32_t u)
{
	uint32_t next = MIN(MIN(t, u), first_waiting(c, b->id));

	return add_to(c, next, t) | add_to(c, next, u) | add_all(c, next, b->id);
}

/* Nobody is at b after all. */
static bool
flow_over(ctx *c, uint32_t b)
{
	uint32_t k = first_waiting(c, b);

	return k != UINT32_MAX && add_all(c, k, b);
}

/* A uniform branch over a block where lanes may wait cannot just jump. */
static bool
must_mask(const ctx *c, const ir_block *b)
{
	unsigned op = ir_terminator(b)->m.op;

	return (op == P_cbr_uni || op == P_cbr_scc) &&
	       first_waiting(c, b->id) < MAX(b->succs.a[0]->id, b->succs.a[1]->id);
}

static bool
flow_block(ctx *c, const ir_block *b)
{
	unsigned op = ir_terminator(b)->m.op;
	bool changed = false;

	if (must_mask(c, b) && !c->info[b->id].sends_masked)
		changed = c->info[b->id].sends_masked = true;
	changed |= flow_over(c, b->id);
	if (op == P_br)
		return changed | flow(c, b, b->succs.a[0]->id, b->succs.a[0]->id);
	if (op == P_cbr_mask || c->info[b->id].sends_masked)
		return changed | flow(c, b, b->succs.a[0]->id, b->succs.a[1]->id);
	for (uint32_t s = 0; s < b->succs.n; s++)
		changed |= flow(c, b, b->succs.a[s]->id, b->succs.a[s]->id);
	return changed;
}

static void
frontiers(ctx *c)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < c->n; b++)
			changed |= flow_block(c, c->f->blocks.a[b]);
	}
}

/* ---- which mask, and where it begins ---- */

/* Lanes that end need no mask: the last block, if nothing but the end stands in it. */
static bool
is_end(const ctx *c, uint32_t b)
{
	const ir_block *x = c->f->blocks.a[b];

	return b == c->n - 1 && x->first && x->first->m.op == P_ret;
}

/* Marks x; the first time it goes on the list of blocks to look at. */
static void
visit(ctx *c, const ir_block *x)
{
	if (bit_has(&c->seen, x->id))
		return;
	bit_set(&c->seen, x->id);
	*vec_push(c->f->A, &c->todo) = x->id;
}

/* Where the program counter can go from x: over it, if no lane is there, to the first block where lanes
 * wait; and, unless x is d, through it to its successors. */
static void
visit_next(ctx *c, const ir_block *x, const ir_block *d)
{
	uint32_t k = first_waiting(c, x->id);

	if (k != UINT32_MAX && (x != d || bit_has(&c->waits, x->id)))
		visit(c, c->f->blocks.a[k]);
	for (uint32_t s = 0; x != d && s < x->succs.n; s++)
		visit(c, x->succs.a[s]);
}

/* Can the program counter come to b, from the kernel's start or again from b, without running d to its end? */
static bool
comes_without(ctx *c, const ir_block *d, const ir_block *b)
{
	memset(c->seen.w, 0, (c->seen.nbits + 63) / 64 * sizeof *c->seen.w);
	c->todo.n = 0;
	visit(c, c->f->entry);
	visit_next(c, b, d);
	while (c->todo.n) {
		const ir_block *x = c->f->blocks.a[c->todo.a[--c->todo.n]];

		if (x == b)
			return true;
		visit_next(c, x, d);
	}
	return false;
}

/* A dominator d of b at whose end no lane waits at b, and which runs before each time that b takes its
 * lanes in: there b's mask can begin. NULL: there is none. */
static ir_block *
begin_of(ctx *c, const ir_block *b)
{
	ir_block *d = b->irreducible ? NULL : b->idom;

	/* Each try may look at the whole kernel; where none is found soon, the entry serves. */
	for (unsigned tries = 0; d && tries < MAX_TRIES; tries++, d = d == d->idom ? NULL : d->idom)
		if (!d->irreducible && d->id < b->id && !has_waiting(c, d->id, b->id) && !comes_without(c, d, b))
			return d;
	return NULL;
}

/* Does every lane that leaves d come to b, and before it comes to d again? */
static bool
all_meet_at(ctx *c, const ir_block *d, const ir_block *b)
{
	const ir_block *p = d->ipdom;

	while (p && p != b)
		p = p == p->ipdom ? NULL : p->ipdom;
	if (!p || d->loop != b->loop)
		return false;
	if (!d->loop)
		return true;
	memset(c->seen.w, 0, (c->seen.nbits + 63) / 64 * sizeof *c->seen.w);
	c->todo.n = 0;
	bit_set(&c->seen, b->id);
	for (uint32_t s = 0; s < d->succs.n; s++)
		visit(c, d->succs.a[s]);
	while (c->todo.n) {
		const ir_block *x = c->f->blocks.a[c->todo.a[--c->todo.n]];

		if (x == d->loop)
			return false;
		for (uint32_t s = 0; s < x->succs.n; s++)
			visit(c, x->succs.a[s]);
	}
	return true;
}

static bool
irreducible_between(const ctx *c, const ir_block *d, const ir_block *b)
{
	for (uint32_t k = d->id; k <= b->id; k++)
		if (c->f->blocks.a[k]->irreducible)
			return true;
	return false;
}

/* Does block b end by parting lanes (split below)? */
static bool
parts(const ctx *c, const ir_block *b)
{
	return c->info[b->id].sends_masked || ir_terminator(b)->m.op == P_cbr_mask;
}

static ir_opnd
new_mask(const ctx *c)
{
	uint32_t v = ir_new_reg(c->f, IR_BANK_S, c->exec.width);

	c->f->vals.a[v].is_mask = true;
	return ir_valop(c->f, v);
}

/* Before the terminator and the compare glued to it. */
static ir_builder
at_end(ir_func *f, ir_block *b)
{
	ir_inst *t = ir_terminator(b);
	ir_builder B = { f, b, t, t->loc };

	while (B.before->glue && B.before->prev)
		B.before = B.before->prev;
	return B;
}

/* EXEC at the end of d, kept for all blocks that restore it; a parting branch keeps it by itself. */
static ir_opnd
kept_at(ctx *c, ir_block *d)
{
	blockinfo *i = &c->info[d->id];

	if (!i->keep.kind) {
		i->keep = new_mask(c);
		if (!parts(c, d)) {
			ir_builder B = at_end(c->f, d);

			ir_m(&B, c->mov, 2, i->keep, c->exec);
		}
	}
	return i->keep;
}

static void
choose(ctx *c, ir_block *b)
{
	blockinfo *i = &c->info[b->id];
	ir_block *d = begin_of(c, b);
	ir_builder B;

	if (d && all_meet_at(c, d, b) && !irreducible_between(c, d, b)) {
		i->how = RESTORE;
		i->mask = kept_at(c, d);
		return;
	}
	i->how = PARK;
	i->clear = !d;
	i->mask = new_mask(c);
	B = at_end(c->f, d ? d : c->f->entry);
	ir_m(&B, c->mov, 2, i->mask, c->none);
}

static void
masks(ctx *c)
{
	for (uint32_t b = 0; b < c->n; b++)
		if (c->info[b].frontier.w)
			bitset_or(&c->waits, &c->info[b].frontier);
	for (uint32_t b = 0; b < c->n; b++)
		if (bit_has(&c->waits, b) && !is_end(c, b))
			choose(c, c->f->blocks.a[b]);
}

/* ---- branches ---- */

static ir_opnd
label(const ir_block *b)
{
	return (ir_opnd){ .kind = IR_K_BLOCK, .reg = b->id };
}

static void
jump(ir_builder *B, unsigned op, uint32_t to)
{
	ir_m(B, op, 1, label(B->f->blocks.a[to]));
	for (uint32_t k = 0; k < B->b->lsuccs.n; k++)
		if (B->b->lsuccs.a[k]->id == to)
			return;
	*vec_push(B->f->A, &B->b->lsuccs) = B->f->blocks.a[to];
	*vec_push(B->f->A, &B->f->blocks.a[to]->lpreds) = B->b;
}

/* Is it known that nobody waits at t while b runs? */
static bool
is_fresh(const ctx *c, const ir_block *b, uint32_t t)
{
	return !has_waiting(c, b->id, t) && !c->f->blocks.a[t]->irreducible;
}

/* Adds lanes to those waiting at block t, while block b ends. */
static void
park(ctx *c, ir_builder *B, uint32_t t, ir_opnd lanes)
{
	const blockinfo *i = &c->info[t];

	if (i->how != PARK)
		return;
	if (is_fresh(c, B->b, t))
		ir_m(B, c->mov, 2, i->mask, lanes);
	else
		ir_m(B, c->or, 3, i->mask, i->mask, lanes);
}

/* The program counter goes to x with no lane bound for it. */
static void
go_empty(ctx *c, ir_builder *B, unsigned op, uint32_t x)
{
	c->info[x].empty_entry = true;
	jump(B, op, x);
}

/* All lanes go to t, or wait there while the first block with waiting lanes runs. */
static void
go(ctx *c, ir_builder *B, uint32_t t)
{
	uint32_t k = first_waiting(c, B->b->id);

	if (k >= t) {
		jump(B, OP_s_branch, t);
		return;
	}
	park(c, B, t, c->exec);
	if (c->info[k].how == PARK && c->info[k].active_entry)
		ir_m(B, c->mov, 2, c->exec, c->none);
	go_empty(c, B, OP_s_branch, k);
}

/* The lanes that wait at u: exec & ~cond, or & cond where those with cond go on. */
static void
park_others(ctx *c, ir_builder *B, ir_opnd cond, bool when, uint32_t u)
{
	const blockinfo *i = &c->info[u];
	ir_opnd others;

	if (i->how != PARK)
		return;
	others = is_fresh(c, B->b, u) ? i->mask : new_mask(c);
	ir_m(B, when ? c->andn2 : c->and, 3, others, c->exec, cond);
	if (others.reg != i->mask.reg)
		ir_m(B, c->or, 3, i->mask, i->mask, others);
}

/* exec & cond (or & ~cond) goes to t at once, the others wait at u. */
static void
split(ctx *c, ir_builder *B, ir_opnd cond, bool when, uint32_t t, uint32_t u)
{
	const blockinfo *i = &c->info[B->b->id];
	uint32_t k = first_waiting(c, B->b->id);

	park_others(c, B, cond, when, u);
	if (i->keep.kind)
		ir_m(B, when ? c->and_saveexec : c->andn1_saveexec, 2, i->keep, cond);
	else
		ir_m(B, when ? c->and : c->andn2, 3, c->exec, c->exec, cond);
	if (t < k) {
		go_empty(c, B, OP_s_cbranch_execz, MIN(k, u));
		jump(B, OP_s_branch, t);
	} else if (t == k) {
		go_empty(c, B, OP_s_branch, t);
	} else {
		go(c, B, t);
	}
}

/* A lane mask from the uniform condition of the terminator. */
static ir_opnd
mask_of(ctx *c, ir_builder *B, const ir_inst *t)
{
	ir_opnd m;

	if (t->m.op == P_cbr_mask)
		return t->m.arg[0];
	m = new_mask(c);
	if (t->m.op == P_cbr_uni)
		ir_m(B, OP_s_cmp_lg_u32, 2, t->m.arg[0], ir_i32(0));
	ir_m(B, c->cselect, 3, m, c->exec, c->none)->glue = true;
	return m;
}

static void
branch_masked(ctx *c, ir_builder *B, const ir_inst *t)
{
	uint32_t yes = B->b->succs.a[0]->id, no = B->b->succs.a[1]->id;
	ir_opnd m;

	if (yes == no) {
		go(c, B, yes);
		return;
	}
	m = mask_of(c, B, t);
	if (yes < no)
		split(c, B, m, true, yes, no);
	else
		split(c, B, m, false, no, yes);
}

static void
branch_uniform(ir_builder *B, const ir_inst *t)
{
	uint32_t yes = B->b->succs.a[0]->id, no = B->b->succs.a[1]->id;

	if (t->m.op == P_cbr_uni)
		ir_m(B, OP_s_cmp_lg_u32, 2, t->m.arg[0], ir_i32(0));
	if (yes == B->b->id + 1) {
		jump(B, OP_s_cbranch_scc0, no);
		B->b->last->glue = true;
		jump(B, OP_s_branch, yes);
	} else {
		jump(B, OP_s_cbranch_scc1, yes);
		B->b->last->glue = true;
		jump(B, OP_s_branch, no);
	}
}

static void
end_block(ctx *c, ir_block *b)
{
	ir_inst *t = ir_terminator(b);
	ir_builder B = { c->f, b, NULL, t->loc };

	ir_remove(t);
	if (t->m.op == P_ret)
		ir_m(&B, OP_s_endpgm, 0);
	else if (t->m.op == P_br)
		go(c, &B, b->succs.a[0]->id);
	else if (t->m.op == P_cbr_mask || c->info[b->id].sends_masked)
		branch_masked(c, &B, t);
	else
		branch_uniform(&B, t);
}

/* Which blocks lanes enter with EXEC holding them: needed before the branches are written. */
static void
active_entries(ctx *c)
{
	for (uint32_t b = 0; b < c->n; b++) {
		const ir_block *x = c->f->blocks.a[b];
		uint32_t k = first_waiting(c, b);

		for (uint32_t s = 0; s < x->succs.n; s++) {
			uint32_t t = x->succs.a[s]->id;

			if (t <= k && !(parts(c, x) && t > x->succs.a[!s]->id))
				c->info[t].active_entry = true;
		}
	}
}

/* ---- entries ---- */

/* Replaces x by y in a list of neighbours. */
static void
replace(ir_block **a, uint32_t n, const ir_block *x, ir_block *y)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k] == x)
			a[k] = y;
}

/* A block of its own in front of b: the program counter can leave it again for somewhere else. */
static ir_block *
front_block(ctx *c, ir_block *b)
{
	ir_block *e = ir_new_block(c->f);

	e->preds.a = b->preds.a;
	e->preds.n = e->preds.cap = b->preds.n;
	e->lpreds.a = b->lpreds.a;
	e->lpreds.n = e->lpreds.cap = b->lpreds.n;
	for (uint32_t k = 0; k < e->preds.n; k++)
		replace(e->preds.a[k]->succs.a, e->preds.a[k]->succs.n, b, e);
	for (uint32_t k = 0; k < e->lpreds.n; k++)
		replace(e->lpreds.a[k]->lsuccs.a, e->lpreds.a[k]->lsuccs.n, b, e);
	b->preds.a = b->lpreds.a = NULL;
	b->preds.n = b->preds.cap = b->lpreds.n = b->lpreds.cap = 0;
	ir_link(e, b);
	e->depth = b->depth;
	return e;
}

/* Takes the waiting lanes in. EXEC can be empty afterwards only where lanes are parked one by one. */
static void
begin_block(ctx *c, ir_block *b)
{
	blockinfo *i = &c->info[b->id];
	bool may_be_empty = i->how == PARK && i->empty_entry;
	ir_builder B = { c->f, b, b->first, b->first ? b->first->loc : 0 };

	if (i->how == NOBODY)
		return;
	if (may_be_empty) {
		i->front = front_block(c, b);
		B = (ir_builder){ c->f, i->front, NULL, B.loc };
	}
	if (i->how == RESTORE || !i->active_entry)
		ir_m(&B, c->mov, 2, c->exec, i->mask);
	else
		ir_m(&B, c->or, 3, c->exec, c->exec, i->mask);
	if (i->how == PARK && i->clear)
		ir_m(&B, c->mov, 2, i->mask, c->none);
	if (!may_be_empty)
		return;
	go_empty(c, &B, OP_s_cbranch_execz, MIN(first_waiting(c, b->id), c->n - 1));
	jump(&B, OP_s_branch, b->id);
}

/* Puts the front blocks into the layout and lets every label name the block that is now first. */
static void
place_fronts(ctx *c)
{
	ir_func *f = c->f;
	ir_block **old = f->blocks.a;
	uint32_t n = 0;

	f->blocks.a = arena_array(f->A, ir_block *, f->blocks.n);
	f->blocks.cap = f->blocks.n;
	for (uint32_t b = 0; b < c->n; b++) {
		if (c->info[b].front)
			f->blocks.a[n++] = c->info[b].front;
		f->blocks.a[n++] = old[b];
	}
	ir_renumber_blocks(f);
	for (uint32_t b = 0; b < n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			ir_opnd *o = i->m.nargs ? &i->m.arg[0] : NULL;

			if (!o || o->kind != IR_K_BLOCK)
				continue;
			if (c->info[o->reg].front && i->block != c->info[o->reg].front)
				o->reg = c->info[o->reg].front->id;
			else
				o->reg = old[o->reg]->id;
		}
	c->n = n;
}

static void
setup(ctx *c, ir_func *f)
{
	bool w64 = f->target->wave == 64;

	*c = (ctx){ .f = f, .n = f->blocks.n, .info = arena_array(f->A, blockinfo, f->blocks.n) };
	for (uint32_t b = 0; b < c->n; b++)
		c->info[b].first = UINT32_MAX;
	c->waits = bitset_new(f->A, c->n);
	c->seen = bitset_new(f->A, c->n);
	c->exec = (ir_opnd){ .kind = P2A_K_SREG, .width = w64 ? 2 : 1, .reg = w64 ? P2A_EXEC : P2A_EXEC_LO };
	c->none = (ir_opnd){ .kind = P2A_K_IMM, .width = w64 ? 2 : 1, .imm = 0 };
#define PICK(op) (w64 ? OP_s_##op##_b64 : OP_s_##op##_b32)
	c->mov = PICK(mov);
	c->and = PICK(and);
	c->or = PICK(or);
	c->andn2 = PICK(andn2);
	c->cselect = PICK(cselect);
	c->and_saveexec = PICK(and_saveexec);
	c->andn1_saveexec = PICK(andn1_saveexec);
#undef PICK
}

/* ---- masks that begin empty and are set before anybody reads them ---- */

/* The number of the mask in o, or UINT32_MAX. */
static uint32_t
mask_number(const ctx *c, ir_opnd o)
{
	return ir_is_val(o) ? c->number[o.reg] : UINT32_MAX;
}

/* Walks b backwards with the masks live behind it; removes `mov mask, 0` that nobody reads. */
static void
live_through(ctx *c, ir_block *b, bitset *live, bool sweep)
{
	for (ir_inst *i = b->last, *prev; i; i = prev) {
		uint32_t m = i->m.nargs ? mask_number(c, i->m.arg[0]) : UINT32_MAX;

		prev = i->prev;
		if (sweep && m != UINT32_MAX && i->m.op == c->mov && ir_is_imm(i->m.arg[1]) && !bit_has(live, m))
			ir_remove(i);
		for (unsigned k = 0; k < i->ndefs; k++)
			if ((m = mask_number(c, i->m.arg[k])) != UINT32_MAX)
				bit_clear(live, m);
		for (unsigned k = i->ndefs; k < i->m.nargs; k++)
			if ((m = mask_number(c, i->m.arg[k])) != UINT32_MAX)
				bit_set(live, m);
	}
}

static uint32_t
number_masks(ctx *c, uint32_t blocks)
{
	uint32_t n = 0;

	c->number = arena_array(c->f->A, uint32_t, c->f->vals.n);
	memset(c->number, 0xff, c->f->vals.n * sizeof *c->number);
	for (uint32_t b = 0; b < blocks; b++)
		if (c->info[b].how == PARK)
			c->number[c->info[b].mask.reg] = n++;
	return n;
}

static void
drop_dead_starts(ctx *c, uint32_t blocks)
{
	uint32_t n = number_masks(c, blocks);
	bitset *in = arena_array(c->f->A, bitset, c->n), out = bitset_new(c->f->A, n);
	bool changed = n != 0;

	for (uint32_t b = 0; b < c->n; b++)
		in[b] = bitset_new(c->f->A, n);
	for (int sweep = 0; sweep < 2; sweep++, changed = n != 0)
		while (changed) {
			changed = false;
			for (uint32_t b = c->n; b-- > 0; ) {
				const ir_block *x = c->f->blocks.a[b];

				memset(out.w, 0, (out.nbits + 63) / 64 * sizeof *out.w);
				for (uint32_t s = 0; s < x->lsuccs.n; s++)
					bitset_or(&out, &in[x->lsuccs.a[s]->id]);
				live_through(c, c->f->blocks.a[b], &out, sweep);
				changed |= bitset_or(&in[b], &out);
			}
		}
}

void
p_linearize(ir_func *f)
{
	uint32_t blocks;
	ctx c;

	remove_leads(f);
	setup(&c, f);
	ir_dominators(f);
	ir_loops(f);
	frontiers(&c);
	masks(&c);
	active_entries(&c);
	for (uint32_t b = 0; b < c.n; b++)
		end_block(&c, f->blocks.a[b]);
	for (uint32_t b = 0; b < c.n; b++)
		begin_block(&c, f->blocks.a[b]);
	blocks = c.n;
	place_fronts(&c);
	drop_dead_starts(&c, blocks);
}
