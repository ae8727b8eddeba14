/* cfg.c -- uses, dominators, post-dominators and loops over logical edges.
 * Needs preds and succs; leaves val.nuses and def, block.idom and ipdom, loop, outer, depth,
 * irreducible. Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators" (1979); Havlak,
 * "Nesting of Reducible and Irreducible Loops" (1997). No recursion: graphs are as deep as the
 * input likes. */
#include "ir/ir.h"

/* A graph of n nodes as two arrays of adjacency. */
typedef struct adj { uint32_t *at, *to; } adj;          /* to[at[v]..at[v + 1]) */
typedef struct graph { uint32_t n; adj succ, pred; } graph;
typedef struct edge { uint32_t from, to; } edge;
typedef VEC(edge) edge_vec;

static void
count_def(ir_func *f, ir_inst *i, ir_opnd o, bitset *seen)
{
	if (!ir_is_val(o))
		return;
	f->vals.a[o.reg].def = bit_has(seen, o.reg) ? NULL : i;
	bit_set(seen, o.reg);
}

static void
count_use(ir_func *f, ir_opnd o)
{
	if (ir_is_val(o))
		f->vals.a[o.reg].nuses++;
}

static void
count_inst(ir_func *f, ir_inst *i, bitset *seen)
{
	for (unsigned k = 0; k < i->m.nargs; k++)
		if (k < i->ndefs)
			count_def(f, i, i->m.arg[k], seen);
		else
			count_use(f, i->m.arg[k]);
	for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++)
		count_use(f, i->phi[k]);
}

void
ir_count_uses(ir_func *f)
{
	bitset seen = bitset_new(f->A, f->vals.n);

	for (uint32_t v = 0; v < f->vals.n; v++) {
		f->vals.a[v].nuses = 0;
		f->vals.a[v].def = NULL;
	}
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			count_inst(f, i, &seen);
}

static adj
adjacency(arena *A, uint32_t n, const edge_vec *e, bool reverse)
{
	adj g = { arena_array(A, uint32_t, (size_t)n + 2), arena_array(A, uint32_t, e->n) };

	for (uint32_t i = 0; i < e->n; i++)
		g.at[(reverse ? e->a[i].to : e->a[i].from) + 2]++;
	for (uint32_t v = 2; v < n + 2; v++)
		g.at[v] += g.at[v - 1];
	for (uint32_t i = 0; i < e->n; i++)
		g.to[g.at[(reverse ? e->a[i].to : e->a[i].from) + 1]++] =
			reverse ? e->a[i].from : e->a[i].to;
	return g;
}

static graph
graph_of(arena *A, uint32_t n, const edge_vec *e)
{
	return (graph){ n, adjacency(A, n, e, false), adjacency(A, n, e, true) };
}

enum { NONE = UINT32_MAX };

/* Depth-first walk. Numbers are preorder; order[num] is the node. */
typedef struct dfs {
	uint32_t count;
	uint32_t *num, *order, *parent, *last;  /* last: highest number below this node, by node */
	uint32_t *stack, *next, depth;
} dfs;

static dfs
dfs_new(arena *A, uint32_t n)
{
	dfs d = { 0, arena_array(A, uint32_t, n), arena_array(A, uint32_t, n),
		arena_array(A, uint32_t, n), arena_array(A, uint32_t, n),
		arena_array(A, uint32_t, n), arena_array(A, uint32_t, n), 0 };

	for (uint32_t v = 0; v < n; v++)
		d.num[v] = NONE;
	return d;
}

static void
dfs_enter(dfs *d, const adj *g, uint32_t v, uint32_t parent)
{
	d->num[v] = d->count;
	d->order[d->count++] = v;
	d->parent[v] = parent;
	d->next[v] = g->at[v];
	d->stack[d->depth++] = v;
}

static void
dfs_walk(dfs *d, const adj *g, uint32_t root)
{
	if (d->num[root] != NONE)
		return;
	dfs_enter(d, g, root, NONE);
	while (d->depth) {
		uint32_t v = d->stack[d->depth - 1], w;

		if (d->next[v] == g->at[v + 1]) {
			d->last[v] = d->count - 1;
			d->depth--;
			continue;
		}
		w = g->to[d->next[v]++];
		if (d->num[w] == NONE)
			dfs_enter(d, g, w, v);
	}
}

/* Lengauer and Tarjan, with path compression; everything by preorder number. */
typedef struct lt {
	uint32_t *semi, *label, *ancestor, *idom, *path;
	uint32_t *bucket, *chain;       /* nodes by semidominator: lists */
} lt;

static uint32_t
lt_eval(lt *t, uint32_t v)
{
	uint32_t n = 0;

	if (t->ancestor[v] == NONE)
		return v;
	for (uint32_t u = v; t->ancestor[t->ancestor[u]] != NONE; u = t->ancestor[u])
		t->path[n++] = u;
	while (n--) {
		uint32_t u = t->path[n], a = t->ancestor[u];

		if (t->semi[t->label[a]] < t->semi[t->label[u]])
			t->label[u] = t->label[a];
		t->ancestor[u] = t->ancestor[a];
	}
	return t->label[v];
}

static void
lt_semi(lt *t, const dfs *d, const graph *g, uint32_t w)
{
	uint32_t node = d->order[w];

	for (uint32_t k = g->pred.at[node]; k < g->pred.at[node + 1]; k++) {
		uint32_t p = d->num[g->pred.to[k]], u;

		if (p == NONE)
			continue;
		u = lt_eval(t, p);
		if (t->semi[u] < t->semi[w])
			t->semi[w] = t->semi[u];
	}
}

static void
lt_step(lt *t, const dfs *d, const graph *g, uint32_t w)
{
	uint32_t p = d->num[d->parent[d->order[w]]];

	lt_semi(t, d, g, w);
	t->chain[w] = t->bucket[t->semi[w]];
	t->bucket[t->semi[w]] = w;
	t->ancestor[w] = p;
	for (uint32_t v = t->bucket[p]; v != NONE; v = t->chain[v]) {
		uint32_t u = lt_eval(t, v);

		t->idom[v] = t->semi[u] < t->semi[v] ? u : p;
	}
	t->bucket[p] = NONE;
}

/* Immediate dominators of the nodes that d has reached, as nodes; NONE for the root and the
 * rest. */
static uint32_t *
dominators(arena *A, const graph *g, const dfs *d)
{
	uint32_t n = d->count, *idom = arena_array(A, uint32_t, g->n);
	uint32_t *mem = arena_array(A, uint32_t, 7 * (size_t)n);
	lt t = { mem, mem + n, mem + 2 * n, mem + 3 * n, mem + 4 * n, mem + 5 * n, mem + 6 * n };

	for (uint32_t v = 0; v < n; v++) {
		t.semi[v] = t.label[v] = v;
		t.ancestor[v] = t.bucket[v] = NONE;
	}
	for (uint32_t w = n; w-- > 1; )
		lt_step(&t, d, g, w);
	for (uint32_t v = 0; v < g->n; v++)
		idom[v] = NONE;
	for (uint32_t w = 1; w < n; w++) {
		if (t.idom[w] != t.semi[w])
			t.idom[w] = t.idom[t.idom[w]];
		idom[d->order[w]] = d->order[t.idom[w]];
	}
	return idom;
}

static edge_vec
logical_edges(ir_func *f)
{
	edge_vec e = { 0 };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (uint32_t k = 0; k < f->blocks.a[b]->succs.n; k++)
			*vec_push(f->A, &e) = (edge){ b, f->blocks.a[b]->succs.a[k]->id };
	return e;
}

static void
set_idom(ir_func *f, const edge_vec *e)
{
	graph g = graph_of(f->A, f->blocks.n, e);
	dfs d = dfs_new(f->A, g.n);
	uint32_t *idom;

	dfs_walk(&d, &g.succ, f->entry->id);
	idom = dominators(f->A, &g, &d);
	for (uint32_t b = 0; b < g.n; b++)
		f->blocks.a[b]->idom = idom[b] == NONE ? NULL : f->blocks.a[idom[b]];
}

/* Edges to the virtual exit (node n): from every block without successor, then, so that blocks of
 * endless loops have a place in the tree too, from the block of each such loop that comes last in
 * reverse postorder terms (any would do: all lanes stay inside). */
static void
add_exit_edges(ir_func *f, edge_vec *e)
{
	uint32_t n = f->blocks.n;
	graph g = graph_of(f->A, n, e);
	dfs d = dfs_new(f->A, n), fwd = dfs_new(f->A, n);

	dfs_walk(&fwd, &g.succ, f->entry->id);
	for (uint32_t b = 0; b < n; b++)
		if (!f->blocks.a[b]->succs.n) {
			*vec_push(f->A, e) = (edge){ b, n };
			dfs_walk(&d, &g.pred, b);
		}
	for (uint32_t k = fwd.count; k-- > 0; )
		if (d.num[fwd.order[k]] == NONE) {
			*vec_push(f->A, e) = (edge){ fwd.order[k], n };
			dfs_walk(&d, &g.pred, fwd.order[k]);
		}
}

static void
set_ipdom(ir_func *f, edge_vec *e)
{
	uint32_t n = f->blocks.n, *ipdom;
	graph g, back;
	dfs d;

	add_exit_edges(f, e);
	g = graph_of(f->A, n + 1, e);
	back = (graph){ g.n, g.pred, g.succ };
	d = dfs_new(f->A, back.n);
	dfs_walk(&d, &back.succ, n);
	ipdom = dominators(f->A, &back, &d);
	for (uint32_t b = 0; b < n; b++)
		f->blocks.a[b]->ipdom = ipdom[b] < n ? f->blocks.a[ipdom[b]] : NULL;
}

/* Children as lists; the way back up goes by idom, so the walk needs no stack. */
static void
number_tree(ir_func *f)
{
	uint32_t n = f->blocks.n, at = 0;
	ir_block **child = arena_array(f->A, ir_block *, n);
	ir_block **sibling = arena_array(f->A, ir_block *, n);

	for (uint32_t k = n; k-- > 0; ) {
		ir_block *b = f->blocks.a[k];

		b->dom_in = b->dom_out = NONE;
		if (b->idom) {
			sibling[k] = child[b->idom->id];
			child[b->idom->id] = b;
		}
	}
	for (ir_block *b = f->entry; b; ) {
		b->dom_in = at++;
		if (child[b->id]) {
			b = child[b->id];
			continue;
		}
		for (b->dom_out = at; b && !sibling[b->id]; b = b->idom)
			b->dom_out = at;
		if (b) {
			b->dom_out = at;
			b = sibling[b->id];
		}
	}
}

void
ir_dominators(ir_func *f)
{
	edge_vec e = logical_edges(f);

	set_idom(f, &e);
	number_tree(f);
	set_ipdom(f, &e);
}

/* Havlak's loop tree. Everything by preorder number; a node's set leader is the header of the
 * outermost loop found so far that holds it. */
typedef struct loops {
	const graph *g;
	const dfs *d;
	uint32_t *leader, *header;      /* header of the innermost cycle around; NONE */
	uint8_t *kind;
	uint32_t *mark, *work, nwork;
	VEC(uint32_t) *extra;           /* entries of irreducible cycles, seen from the outside */
	arena *A;
} loops;
enum { NOT_HEADER, REDUCIBLE, IRREDUCIBLE };

static uint32_t
find(loops *l, uint32_t v)
{
	while (l->leader[v] != v) {
		l->leader[v] = l->leader[l->leader[v]];
		v = l->leader[v];
	}
	return v;
}

static bool
is_below(const loops *l, uint32_t w, uint32_t v)
{
	return w <= v && v <= l->d->last[l->d->order[w]];
}

static void
add_member(loops *l, uint32_t w, uint32_t v)
{
	v = find(l, v);
	if (v == w || l->mark[v] == w)
		return;
	l->mark[v] = w;
	l->work[l->nwork++] = v;
}

/* v enters x, which lies in the cycle headed by w: a member, or another entry of the cycle. */
static void
visit_pred(loops *l, uint32_t w, uint32_t v)
{
	v = find(l, v);
	if (is_below(l, w, v)) {
		add_member(l, w, v);
		return;
	}
	l->kind[w] = IRREDUCIBLE;
	*vec_push(l->A, &l->extra[w]) = v;
}

static void
grow_cycle(loops *l, uint32_t w, uint32_t x)
{
	uint32_t node = l->d->order[x];

	for (uint32_t k = l->g->pred.at[node]; k < l->g->pred.at[node + 1]; k++) {
		uint32_t v = l->d->num[l->g->pred.to[k]];

		if (v != NONE && !is_below(l, x, v))
			visit_pred(l, w, v);
	}
	for (uint32_t k = 0; k < l->extra[x].n; k++)
		visit_pred(l, w, l->extra[x].a[k]);
}

static void
find_cycle(loops *l, uint32_t w)
{
	uint32_t node = l->d->order[w];

	l->nwork = 0;
	for (uint32_t k = l->g->pred.at[node]; k < l->g->pred.at[node + 1]; k++) {
		uint32_t v = l->d->num[l->g->pred.to[k]];

		if (v == NONE || !is_below(l, w, v))
			continue;
		if (!l->kind[w])
			l->kind[w] = REDUCIBLE;
		add_member(l, w, v);
	}
	for (uint32_t k = 0; k < l->nwork; k++)
		grow_cycle(l, w, l->work[k]);
	for (uint32_t k = 0; k < l->nwork; k++)
		l->header[l->work[k]] = l->leader[l->work[k]] = w;
}

static void
init_loops(loops *l, uint32_t n)
{
	l->leader = arena_array(l->A, uint32_t, n);
	l->header = arena_array(l->A, uint32_t, n);
	l->mark = arena_array(l->A, uint32_t, n);
	l->work = arena_array(l->A, uint32_t, n);
	l->kind = arena_array(l->A, uint8_t, n);
	l->extra = arena_alloc(l->A, arena_bytes(l->A, n, sizeof *l->extra));
	for (uint32_t v = 0; v < n; v++) {
		l->leader[v] = v;
		l->header[v] = l->mark[v] = NONE;
	}
}

/* In preorder a header comes before its members: what surrounds it is known when they are
 * reached. */
static void
set_loop(ir_func *f, const loops *l, uint32_t w)
{
	ir_block *b = f->blocks.a[l->d->order[w]];
	ir_block *h = l->header[w] == NONE ? NULL : f->blocks.a[l->d->order[l->header[w]]];

	b->cycle = h;
	b->heads_cycle = l->kind[w] != NOT_HEADER;
	b->irreducible = l->kind[w] == IRREDUCIBLE || (h && h->irreducible);
	b->loop = h ? h->loop : NULL;
	if (l->kind[w] == REDUCIBLE) {
		b->outer = b->loop;
		b->loop = b;
	}
	b->depth = b->loop ? b->loop->depth : 0;
	if (b->loop == b)
		b->depth = 1 + (b->outer ? b->outer->depth : 0);
}

void
ir_loops(ir_func *f)
{
	edge_vec e = logical_edges(f);
	graph g = graph_of(f->A, f->blocks.n, &e);
	dfs d = dfs_new(f->A, g.n);
	loops l = { .g = &g, .d = &d, .A = f->A };

	dfs_walk(&d, &g.succ, f->entry->id);
	init_loops(&l, d.count);
	for (uint32_t w = d.count; w-- > 0; )
		find_cycle(&l, w);
	for (uint32_t b = 0; b < g.n; b++) {
		f->blocks.a[b]->loop = f->blocks.a[b]->outer = f->blocks.a[b]->cycle = NULL;
		f->blocks.a[b]->depth = 0;
		f->blocks.a[b]->irreducible = f->blocks.a[b]->heads_cycle = false;
	}
	for (uint32_t w = 0; w < d.count; w++)
		set_loop(f, &l, w);
}

ir_block **
ir_rpo(ir_func *f, uint32_t *n)
{
	uint32_t nb = f->blocks.n, depth = 0, at = nb;
	ir_block **order = arena_array(f->A, ir_block *, nb);
	ir_block **stack = arena_array(f->A, ir_block *, nb);
	uint32_t *next = arena_array(f->A, uint32_t, nb);
	bitset seen = bitset_new(f->A, nb);

	bit_set(&seen, f->entry->id);
	stack[depth++] = f->entry;
	while (depth) {
		ir_block *b = stack[depth - 1], *s;

		if (next[b->id] == b->succs.n) {
			order[--at] = b;
			depth--;
			continue;
		}
		s = b->succs.a[next[b->id]++];
		if (bit_has(&seen, s->id))
			continue;
		bit_set(&seen, s->id);
		stack[depth++] = s;
	}
	*n = nb - at;
	return order + at;
}

static void
prune_preds(ir_block *b, const bitset *live)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->preds.n; k++) {
		if (!bit_has(live, b->preds.a[k]->id))
			continue;
		for (ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next)
			i->phi[n] = i->phi[k];
		b->preds.a[n++] = b->preds.a[k];
	}
	b->preds.n = n;
}

void
ir_prune(ir_func *f)
{
	bitset live = bitset_new(f->A, f->blocks.n);
	uint32_t n, kept = 0;
	ir_block **order = ir_rpo(f, &n);

	for (uint32_t k = 0; k < n; k++)
		bit_set(&live, order[k]->id);
	for (uint32_t k = 0; k < n; k++)
		prune_preds(order[k], &live);
	for (uint32_t k = 0; k < f->blocks.n; k++)
		if (bit_has(&live, f->blocks.a[k]->id))
			f->blocks.a[kept++] = f->blocks.a[k];
	f->blocks.n = kept;
	ir_renumber_blocks(f);
}
