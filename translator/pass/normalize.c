/* normalize.c -- loops and edges in the shape that later passes count on, and the order of blocks.
 * Needs generic SSA without unreachable blocks. Leaves: one block that returns, and it is the last;
 * no critical edge; natural loops with one preheader and one latch, each of which goes nowhere
 * else; every cycle contiguous, a natural loop's header first and its latch last, else predecessors
 * first (back edges aside); idom, loop, irreducible up to date. */
#include "pass/pass.h"

/* New blocks on edges. mark: the original block before which a new one would like to stand. */

static ir_block *
block_before(ir_func *f, ir_block *target)
{
	ir_block *b = ir_new_block(f);
	ir_builder B = { f, b, NULL, target->first ? target->first->loc : 0 };

	b->mark = target->mark;
	ir_g0(&B, G_br);
	return b;
}

static void
replace_succ(ir_block *b, ir_block *from, ir_block *to)
{
	for (uint32_t k = 0; k < b->succs.n; k++)
		if (b->succs.a[k] == from)
			b->succs.a[k] = to;
}

/* The source that a phi of target gets from the new block: the common one, or a phi there. */
static ir_opnd
gathered_source(ir_block *b, const ir_inst *phi, const bool *taken)
{
	ir_func *f = b->func;
	ir_opnd one = { 0 };
	bool same = true;
	ir_inst *new;
	uint32_t n = 0;

	for (uint32_t k = 0; k < phi->block->preds.n; k++) {
		if (!taken[k])
			continue;
		same &= !one.kind || ir_same(one, phi->phi[k]);
		one = phi->phi[k];
	}
	if (same)
		return one;
	new = arena_new(f->A, ir_inst);
	new->m = phi->m;
	new->ndefs = 1;
	new->loc = phi->loc;
	new->m.arg[0] = ir_valop(f, ir_new_val(f, phi->m.arg[0].width));
	new->phi = arena_array(f->A, ir_opnd, b->preds.n);
	for (uint32_t k = 0; k < phi->block->preds.n; k++)
		if (taken[k])
			new->phi[n++] = phi->phi[k];
	f->vals.a[new->m.arg[0].reg].def = new;
	ir_insert(b, b->first, new);
	return new->m.arg[0];
}

/* A new block through which the taken edges into target go from now on; it is target's last
 * predecessor. */
static ir_block *
gather(ir_block *target, const bool *taken)
{
	ir_func *f = target->func;
	ir_block *b = block_before(f, target);
	uint32_t kept = 0;

	for (uint32_t k = 0; k < target->preds.n; k++) {
		if (!taken[k])
			continue;
		*vec_push(f->A, &b->preds) = target->preds.a[k];
		replace_succ(target->preds.a[k], target, b);
	}
	for (ir_inst *i = target->first; i && i->m.op == G_phi; i = i->next) {
		ir_opnd o = gathered_source(b, i, taken);
		uint32_t n = 0;

		for (uint32_t k = 0; k < target->preds.n; k++)
			if (!taken[k])
				i->phi[n++] = i->phi[k];
		i->phi[n] = o;
	}
	for (uint32_t k = 0; k < target->preds.n; k++)
		if (!taken[k])
			target->preds.a[kept++] = target->preds.a[k];
	target->preds.a[kept++] = b;
	target->preds.n = kept;
	*vec_push(f->A, &b->succs) = target;
	return b;
}

/* Loops */

/* Edges of one kind into a header need a block of their own unless there is one that goes nowhere
 * else. */
static bool
needs_block(const ir_block *h, const bool *taken)
{
	uint32_t n = 0;
	bool branches = false;

	for (uint32_t k = 0; k < h->preds.n; k++)
		if (taken[k]) {
			n++;
			branches |= h->preds.a[k]->succs.n > 1;
		}
	return n > 1 || branches;
}

static void
simplify_loop(ir_func *f, ir_block *h)
{
	uint32_t n = h->preds.n;
	bool *back = arena_array(f->A, bool, n + 1u), *entry = arena_array(f->A, bool, n + 1u);
	const ir_block *latch = NULL;

	for (uint32_t k = 0; k < n; k++)
		back[k] = ir_dominates(h, h->preds.a[k]);
	if (needs_block(h, back))
		latch = gather(h, back);
	else
		for (uint32_t k = 0; k < n; k++)
			latch = back[k] ? h->preds.a[k] : latch;
	for (uint32_t k = 0; k < h->preds.n; k++)
		entry[k] = h->preds.a[k] != latch;
	if (needs_block(h, entry))
		gather(h, entry);
}

static void
simplify_loops(ir_func *f)
{
	uint32_t n = f->blocks.n;

	ir_dominators(f);
	ir_loops(f);
	for (uint32_t k = 0; k < n; k++)
		if (f->blocks.a[k]->loop == f->blocks.a[k])
			simplify_loop(f, f->blocks.a[k]);
}

/* Critical edges, returns */

static void
split_edge(ir_func *f, ir_block *from, uint32_t slot)
{
	ir_block *to = from->succs.a[slot], *b = block_before(f, to);

	for (uint32_t k = 0; k < to->preds.n; k++)
		if (to->preds.a[k] == from)
			to->preds.a[k] = b;
	from->succs.a[slot] = b;
	*vec_push(f->A, &b->preds) = from;
	*vec_push(f->A, &b->succs) = to;
}

static void
split_edges_of(ir_func *f, ir_block *b)
{
	for (uint32_t k = 0; b->succs.n > 1 && k < b->succs.n; k++)
		if (b->succs.a[k]->preds.n > 1)
			split_edge(f, b, k);
}

static void
split_critical_edges(ir_func *f)
{
	uint32_t n = f->blocks.n;

	for (uint32_t b = 0; b < n; b++)
		split_edges_of(f, f->blocks.a[b]);
}

static ir_block *
return_block(ir_func *f)
{
	ir_block *one = NULL, *b;
	uint32_t n = 0, last = f->blocks.n;

	for (uint32_t k = 0; k < last; k++)
		if (f->blocks.a[k]->last->m.op == G_ret) {
			one = f->blocks.a[k];
			n++;
		}
	if (n < 2)
		return one;
	b = ir_new_block(f);
	b->mark = b->id;
	ir_insert(b, NULL, arena_dup(f->A, one->last, sizeof *one->last));
	for (uint32_t k = 0; k < last; k++)
		if (f->blocks.a[k]->last->m.op == G_ret) {
			f->blocks.a[k]->last->m.op = G_br;
			ir_link(f->blocks.a[k], b);
		}
	return b;
}

/* Order: reverse postorder of a walk that treats a cycle as one node. On the first block of a cycle
 * that it meets, the walk goes first to where the cycle's exits lead; so all of that comes behind,
 * and then only blocks of the cycle are left to be met. */
typedef struct node { ir_block *b; bool exits; uint32_t next; } node;
typedef struct exit { ir_block *to; uint32_t next; } exit_edge;

typedef struct layout {
	ir_func *f;
	uint32_t *pos;          /* by block: where it would like to stand */
	ir_block **wish;        /* blocks by pos */
	uint32_t *depth;        /* by block that heads a cycle: cycles around it */
	/* by the same: list of exit edges, farthest wish first; 0 ends it */
	uint32_t *exits;
	VEC(exit_edge) edges;
	bitset met, left;       /* blocks; cycles whose exits have been walked */
	node *stack;
	uint32_t nstack;
	ir_block **post;
	uint32_t npost;
} layout;

static ir_block *
cycle_of(ir_block *b)
{
	return b->heads_cycle ? b : b->cycle;
}

static void
wish_positions(layout *L)
{
	ir_func *f = L->f;
	uint32_t n = f->blocks.n, *at = arena_array(f->A, uint32_t, (size_t)n + 2);

	for (uint32_t k = 0; k < n; k++)
		at[f->blocks.a[k]->mark + 1]++;
	for (uint32_t k = 1; k <= n; k++)
		at[k] += at[k - 1];
	for (uint32_t k = n; k-- > 0; ) {
		L->pos[k] = at[f->blocks.a[k]->mark]++;
		L->wish[L->pos[k]] = f->blocks.a[k];
	}
}

/* The outermost cycle that holds b and not s; NULL if s is in all of b's. */
static ir_block *
cycle_left(const layout *L, ir_block *b, ir_block *s)
{
	ir_block *x = cycle_of(b), *y = cycle_of(s), *left = NULL;

	while (x != y) {
		uint32_t dx = x ? L->depth[x->id] + 1 : 0, dy = y ? L->depth[y->id] + 1 : 0;

		if (dy >= dx)
			y = y->cycle;
		if (dx >= dy) {
			left = x;
			x = x->cycle;
		}
	}
	return left;
}

static void
cycle_depths(layout *L)
{
	uint32_t n;
	ir_block **order = ir_rpo(L->f, &n);
	uint32_t *stack = arena_array(L->f->A, uint32_t, n), depth;
	bitset done = bitset_new(L->f->A, n);

	for (uint32_t k = 0; k < n; k++) {
		const ir_block *b = order[k];

		for (depth = 0; b->heads_cycle && b->cycle && !bit_has(&done, b->id); b = b->cycle)
			stack[depth++] = b->id;
		while (depth) {
			const ir_block *x = L->f->blocks.a[stack[--depth]];

			L->depth[x->id] = L->depth[x->cycle->id] + 1;
			bit_set(&done, x->id);
		}
	}
}

static void
collect_exits(layout *L)
{
	*vec_push(L->f->A, &L->edges) = (exit_edge){ 0 };
	for (uint32_t k = 0; k < L->f->blocks.n; k++)
		for (uint32_t p = 0; p < L->wish[k]->preds.n; p++) {
			ir_block *c = cycle_left(L, L->wish[k]->preds.a[p], L->wish[k]);

			if (!c)
				continue;
			*vec_push(L->f->A, &L->edges) = (exit_edge){ L->wish[k], L->exits[c->id] };
			L->exits[c->id] = L->edges.n - 1;
		}
}

/* The exits of the outermost cycle entered come first, so they are pushed last. */
static void
enter(layout *L, ir_block *b)
{
	if (bit_has(&L->met, b->id))
		return;
	bit_set(&L->met, b->id);
	L->stack[L->nstack++] = (node){ b, false, 0 };
	for (ir_block *c = cycle_of(b); c && !bit_has(&L->left, c->id); c = c->cycle) {
		bit_set(&L->left, c->id);
		L->stack[L->nstack++] = (node){ c, true, L->exits[c->id] };
	}
}

/* The successor to be visited k-th: the one that would rather stand near comes last. */
static ir_block *
successor(const layout *L, const ir_block *b, uint32_t k)
{
	bool swap = b->succs.n == 2 && L->pos[b->succs.a[0]->id] < L->pos[b->succs.a[1]->id];

	return b->succs.a[swap ? 1 - k : k];
}

static void
walk_step(layout *L)
{
	node *t = &L->stack[L->nstack - 1];
	ir_block *s;

	if (t->exits && t->next) {
		s = L->edges.a[t->next].to;
		t->next = L->edges.a[t->next].next;
		enter(L, s);
	} else if (!t->exits && t->next < t->b->succs.n) {
		s = successor(L, t->b, t->next++);
		enter(L, s);
	} else {
		if (!t->exits)
			L->post[L->npost++] = t->b;
		L->nstack--;
	}
}

static void
order_blocks(ir_func *f, ir_block *ret)
{
	uint32_t n = f->blocks.n;
	layout L = { .f = f, .met = bitset_new(f->A, n), .left = bitset_new(f->A, n),
		.pos = arena_array(f->A, uint32_t, n), .wish = arena_array(f->A, ir_block *, n),
		.depth = arena_array(f->A, uint32_t, n), .exits = arena_array(f->A, uint32_t, n),
		.stack = arena_array(f->A, node, 2 * (size_t)n),
		.post = arena_array(f->A, ir_block *, n) };

	wish_positions(&L);
	cycle_depths(&L);
	collect_exits(&L);
	if (ret && ret != f->entry)
		enter(&L, ret);
	while (L.nstack)
		walk_step(&L);
	enter(&L, f->entry);
	while (L.nstack)
		walk_step(&L);
	for (uint32_t k = 0; k < n; k++)
		f->blocks.a[k] = L.post[n - 1 - k];
	ir_renumber_blocks(f);
}

void
p_normalize(ir_func *f)
{
	ir_block *ret;

	ir_prune(f);
	for (uint32_t k = 0; k < f->blocks.n; k++)
		f->blocks.a[k]->mark = k;
	ret = return_block(f);
	simplify_loops(f);
	split_critical_edges(f);
	ir_dominators(f);
	ir_loops(f);
	order_blocks(f, ret);
	ir_count_uses(f);
}
