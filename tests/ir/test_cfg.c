/* test_cfg.c -- dominators, post-dominators and loops against definitions taken literally, and what
 * p_normalize promises, on random graphs. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

enum { MAXB = 160 };

static const char *why;
static char text[160];

static bool
bad(const char *what, uint32_t b)
{
	snprintf(text, sizeof text, "%s (b%u)", what, b);
	why = text;
	return false;
}

/* Blocks that a walk from `from` reaches without entering `without`. */
static void
reach(ir_func *f, ir_block *from, const ir_block *without, bool backwards, bool seen[MAXB])
{
	ir_block *stack[MAXB];
	uint32_t n = 0;

	if (from == without || seen[from->id])
		return;
	seen[from->id] = true;
	stack[n++] = from;
	while (n) {
		ir_block *b = stack[--n];
		uint32_t ne = backwards ? b->preds.n : b->succs.n;

		for (uint32_t k = 0; k < ne; k++) {
			ir_block *s = backwards ? b->preds.a[k] : b->succs.a[k];

			if (s != without && !seen[s->id]) {
				seen[s->id] = true;
				stack[n++] = s;
			}
		}
	}
	(void)f;
}

/* dom[a][b]: every way from the entry (or, backwards, from b to an exit) has a in it. */
static void
all_dominators(ir_func *f, bool backwards, bool dom[MAXB][MAXB])
{
	for (uint32_t a = 0; a < f->blocks.n; a++) {
		bool seen[MAXB] = { false };

		if (!backwards)
			reach(f, f->entry, f->blocks.a[a], false, seen);
		for (uint32_t b = 0; backwards && b < f->blocks.n; b++)
			if (!f->blocks.a[b]->succs.n)
				reach(f, f->blocks.a[b], f->blocks.a[a], true, seen);
		for (uint32_t b = 0; b < f->blocks.n; b++)
			dom[a][b] = !seen[b];
	}
}

/* The immediate one of b's strict dominators has the most dominators itself. */
static ir_block *
immediate(ir_func *f, bool dom[MAXB][MAXB], uint32_t b)
{
	ir_block *best = NULL;
	uint32_t most = 0;

	for (uint32_t a = 0; a < f->blocks.n; a++) {
		uint32_t n = 0;

		if (a == b || !dom[a][b])
			continue;
		for (uint32_t c = 0; c < f->blocks.n; c++)
			n += dom[c][a];
		if (n > most) {
			most = n;
			best = f->blocks.a[a];
		}
	}
	return best;
}

static bool
dominators_agree(ir_func *f)
{
	static bool dom[MAXB][MAXB], pdom[MAXB][MAXB];
	bool ends[MAXB] = { false }, all_end = true;

	ir_dominators(f);
	all_dominators(f, false, dom);
	all_dominators(f, true, pdom);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (!f->blocks.a[b]->succs.n)
			reach(f, f->blocks.a[b], NULL, true, ends);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		all_end &= ends[b];
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		if (f->blocks.a[b]->idom != immediate(f, dom, b))
			return bad("idom", b);
		for (uint32_t a = 0; a < f->blocks.n; a++)
			if (ir_dominates(f->blocks.a[a], f->blocks.a[b]) != dom[a][b])
				return bad("dominates", b);
		if (all_end && f->blocks.a[b]->ipdom != immediate(f, pdom, b))
			return bad("ipdom", b);
	}
	return true;
}

/* Cycles: strong components of what is left after the header of the cycle around is taken out. */

typedef struct region { bool in[MAXB]; uint32_t depth; } region;
typedef bool visit_fn(ir_func *, const bool in[MAXB], ir_block *header /* NULL: several entries */);

static void
component(ir_func *f, const bool in[MAXB], uint32_t b, bool out[MAXB])
{
	bool to[MAXB], from[MAXB];

	for (uint32_t k = 0; k < f->blocks.n; k++)
		to[k] = from[k] = !in[k];
	reach(f, f->blocks.a[b], NULL, false, to);
	reach(f, f->blocks.a[b], NULL, true, from);
	for (uint32_t k = 0; k < f->blocks.n; k++)
		out[k] = in[k] && to[k] && from[k];
}

static bool
is_cycle(ir_func *f, const bool c[MAXB], uint32_t b)
{
	for (uint32_t k = 0; k < f->blocks.n; k++)
		if (c[k] && k != b)
			return true;
	for (uint32_t k = 0; k < f->blocks.a[b]->succs.n; k++)
		if (f->blocks.a[b]->succs.a[k] == f->blocks.a[b])
			return true;
	return false;
}

static ir_block *
only_entry(ir_func *f, const bool c[MAXB])
{
	ir_block *one = NULL;
	unsigned n = 0;

	for (uint32_t b = 0; b < f->blocks.n; b++) {
		bool entered = f->blocks.a[b] == f->entry;

		for (uint32_t k = 0; c[b] && k < f->blocks.a[b]->preds.n; k++)
			entered |= !c[f->blocks.a[b]->preds.a[k]->id];
		if (c[b] && entered) {
			one = f->blocks.a[b];
			n++;
		}
	}
	return n == 1 ? one : NULL;
}

static bool
each_cycle(ir_func *f, visit_fn *visit)
{
	static region stack[4 * MAXB];
	uint32_t n = 0;

	memset(&stack[0], 0, sizeof stack[0]);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		stack[0].in[b] = true;
	for (n = 1; n; ) {
		region r = stack[--n];

		for (uint32_t b = 0; b < f->blocks.n; b++) {
			bool c[MAXB];
			ir_block *h;

			if (!r.in[b])
				continue;
			component(f, r.in, b, c);
			for (uint32_t k = 0; k < f->blocks.n; k++)
				r.in[k] &= !c[k];
			if (!is_cycle(f, c, b))
				continue;
			h = only_entry(f, c);
			if (!visit(f, c, h))
				return false;
			if (!h)
				continue;
			memcpy(stack[n].in, c, sizeof c);
			stack[n++].in[h->id] = false;
		}
	}
	return true;
}

static bool want_irreducible[MAXB];
static ir_block *want_loop[MAXB], *want_outer[MAXB];
static uint32_t want_depth[MAXB];

static bool
note_cycle(ir_func *f, const bool c[MAXB], ir_block *h)
{
	if (h)
		want_outer[h->id] = want_loop[h->id];
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		if (!c[b])
			continue;
		want_irreducible[b] |= !h;
		want_loop[b] = h ? h : want_loop[b];
		want_depth[b] += h != NULL;
	}
	return true;
}

static bool
loops_agree(ir_func *f)
{
	bool any_irreducible = false;

	memset(want_irreducible, 0, sizeof want_irreducible);
	memset(want_loop, 0, sizeof want_loop);
	memset(want_outer, 0, sizeof want_outer);
	memset(want_depth, 0, sizeof want_depth);
	ir_loops(f);
	each_cycle(f, note_cycle);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		any_irreducible |= want_irreducible[b];
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const ir_block *x = f->blocks.a[b];

		if (x->irreducible != want_irreducible[b])
			return bad("irreducible", b);
		if (any_irreducible)
			continue;
		if (x->loop != want_loop[b] || x->depth != want_depth[b])
			return bad("loop", b);
		if (x->loop == x && x->outer != want_outer[b])
			return bad("outer", b);
	}
	return true;
}

/* What normalize promises */

static bool
normal_cycle(ir_func *f, const bool c[MAXB], ir_block *h)
{
	uint32_t first = MAXB, last = 0, n = 0, inside = 0;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (c[b]) {
			first = MIN(first, b);
			last = b;
			n++;
		}
	if (last - first + 1 != n)
		return bad("a cycle is not contiguous", first);
	if (!h)
		return true;
	if (h->id != first)
		return bad("the header is not first", h->id);
	if (h->preds.n != 2)
		return bad("a header has not two predecessors", h->id);
	for (uint32_t k = 0; k < 2; k++) {
		if (h->preds.a[k]->succs.n != 1)
			return bad("preheader or latch goes elsewhere", h->preds.a[k]->id);
		if (!c[h->preds.a[k]->id])
			continue;
		inside++;
		if (h->preds.a[k]->id != last)
			return bad("the latch is not last", h->preds.a[k]->id);
	}
	return inside == 1 || bad("a header has not one latch", h->id);
}

static bool
normal_edges(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		ir_block *x = f->blocks.a[b];

		for (uint32_t k = 0; k < x->succs.n; k++) {
			ir_block *s = x->succs.a[k];
			bool back = s->id <= b;

			if (x->succs.n > 1 && s->preds.n > 1)
				return bad("critical edge", b);
			if (back && !(x->irreducible && s->irreducible) &&
				!(s->loop == s && ir_dominates(s, x)))
				return bad("an edge goes back that need not", b);
		}
		if (!x->succs.n && b + 1 != f->blocks.n)
			return bad("the return block is not last", b);
	}
	return f->blocks.a[0] == f->entry || bad("the entry is not first", 0);
}

static bool
normalized(ir_func *f)
{
	const char *wrong;

	p_ssa(f);
	p_normalize(f);
	wrong = ir_verify(f, IR_V_SSA);
	if (wrong)
		return bad(wrong, 0);
	return f->blocks.n > MAXB || (normal_edges(f) && each_cycle(f, normal_cycle));
}

static void
many(const char *name, bool (*check)(ir_func *), unsigned rounds, unsigned blocks)
{
	for (unsigned n = 0; n < t_rounds(rounds); n++) {
		rng r = { n };
		kit k;
		bool ok;

		kit_open(&k);
		kit_random_graph(&k, &r, blocks);
		ir_prune(&k.f);
		ok = check(&k.f);
		kit_close(&k);
		if (!ok) {
			t_ok(false, name, "graph %u of %u blocks: %s", n, blocks, why);
			return;
		}
	}
	t_ok(true, name, " ");
}

int
main(void)
{
	many("dominators of small graphs", dominators_agree, 5000, 6);
	many("dominators of larger graphs", dominators_agree, 200, 60);
	many("loops of small graphs", loops_agree, 5000, 7);
	many("loops of larger graphs", loops_agree, 500, 40);
	many("normal form of small graphs", normalized, 5000, 7);
	many("normal form of larger graphs", normalized, 300, 36);
	return t_end();
}
