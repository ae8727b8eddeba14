/* ssa.c -- mutable values to SSA form.
 * Needs lower's output; leaves one definition a value, phis where a value is live at a join, no
 * copies, no unreachable block, an entry that nothing jumps to, and val.def, nuses, idom up to
 * date. Cytron et al., "Efficiently Computing Static Single Assignment Form" (1991); joins are
 * found by walking the dominator tree from the deepest definition up (Sreedhar and Gao, 1995). */
#include "pass/pass.h"

typedef struct site { ir_block *b; uint32_t next; } site;       /* list of blocks; 0 ends it */

typedef struct variable {
	/* sites: blocks that write it; blocks that read it before they write it */
	uint32_t defs, uses;
	ir_block *def_block;    /* of the last write met */
	uint32_t ndefs;
	/* written more than once, or read where its one write need not have been */
	bool global;
	ir_opnd now;            /* while renaming: what it holds here */
} variable;

typedef struct undo { uint32_t var; ir_opnd old; } undo;

typedef struct ssa {
	ir_func *f;
	variable *var;
	uint32_t nvars;
	VEC(site) sites;
	ir_block **tree;        /* blocks by dominator tree preorder */
	uint32_t *child, *sibling; /* dominator tree, by block id; 0 (the entry) ends a list */
	uint32_t *level;
	/* by block: the variable for which it was last so marked */
	uint32_t *live, *placed, *walked;
	VEC(ir_block *) work;
	VEC(undo) log;
	/* [2 * block + k]: which predecessor of its k-th successor a block is */
	uint32_t *pred_index;
	ir_opnd *undef;         /* by variable */
} ssa;

/* Finding what is written and read where */

static void
add_site(ssa *s, uint32_t *list, ir_block *b)
{
	if (*list && s->sites.a[*list].b == b)
		return;
	*vec_push(s->f->A, &s->sites) = (site){ b, *list };
	*list = s->sites.n - 1;
}

static void
scan_use(ssa *s, ir_block *b, ir_opnd o)
{
	variable *v;

	if (!ir_is_val(o))
		return;
	v = &s->var[o.reg];
	if (v->def_block != b)
		add_site(s, &v->uses, b);
}

static void
scan_def(ssa *s, ir_block *b, ir_opnd o)
{
	variable *v;

	if (!ir_is_val(o))
		return;
	v = &s->var[o.reg];
	v->ndefs++;
	v->def_block = b;
	add_site(s, &v->defs, b);
}

static void
scan(ssa *s)
{
	for (uint32_t k = 0; k < s->f->blocks.n; k++)
		for (ir_inst *i = s->f->blocks.a[k]->first; i; i = i->next) {
			for (unsigned a = i->ndefs; a < i->m.nargs; a++)
				scan_use(s, i->block, i->m.arg[a]);
			for (unsigned a = 0; a < i->ndefs; a++)
				scan_def(s, i->block, i->m.arg[a]);
		}
	for (uint32_t v = 1; v < s->nvars; v++)
		s->var[v].global = s->var[v].ndefs > 1 || s->var[v].uses;
}

/* Placing phis */

static void
build_tree(ssa *s)
{
	ir_func *f = s->f;
	uint32_t n = f->blocks.n;

	s->tree = arena_array(f->A, ir_block *, n);
	s->child = arena_array(f->A, uint32_t, n);
	s->sibling = arena_array(f->A, uint32_t, n);
	s->level = arena_array(f->A, uint32_t, n);
	for (uint32_t k = 0; k < n; k++)
		s->tree[f->blocks.a[k]->dom_in] = f->blocks.a[k];
	for (uint32_t k = 1; k < n; k++) {
		uint32_t b = s->tree[k]->id, up = s->tree[k]->idom->id;

		s->level[b] = s->level[up] + 1;
		s->sibling[b] = s->child[up];
		s->child[up] = b;
	}
}

/* Blocks at whose start v holds something that is read later. */
static void
mark_live(ssa *s, uint32_t v)
{
	for (uint32_t k = s->var[v].defs; k; k = s->sites.a[k].next)
		s->placed[s->sites.a[k].b->id] = v;
	s->work.n = 0;
	for (uint32_t k = s->var[v].uses; k; k = s->sites.a[k].next)
		*vec_push(s->f->A, &s->work) = s->sites.a[k].b;
	while (s->work.n) {
		ir_block *b = s->work.a[--s->work.n];

		if (s->live[b->id] == v)
			continue;
		s->live[b->id] = v;
		for (uint32_t k = 0; k < b->preds.n; k++)
			if (s->placed[b->preds.a[k]->id] != v)
				*vec_push(s->f->A, &s->work) = b->preds.a[k];
	}
}

/* A heap of blocks, deepest level first, in s->work. */
static bool
deeper(const ssa *s, uint32_t a, uint32_t b)
{
	return s->level[s->work.a[a]->id] > s->level[s->work.a[b]->id];
}

static void
swap(ssa *s, uint32_t a, uint32_t b)
{
	ir_block *t = s->work.a[a];

	s->work.a[a] = s->work.a[b];
	s->work.a[b] = t;
}

static void
heap_push(ssa *s, ir_block *b)
{
	uint32_t k = s->work.n;

	*vec_push(s->f->A, &s->work) = b;
	for (; k && deeper(s, k, (k - 1) / 2); k = (k - 1) / 2)
		swap(s, k, (k - 1) / 2);
}

static ir_block *
heap_pop(ssa *s)
{
	ir_block *top = s->work.a[0];
	uint32_t k = 0;

	s->work.a[0] = s->work.a[--s->work.n];
	for (;;) {
		uint32_t c = 2 * k + 1;

		if (c + 1 < s->work.n && deeper(s, c + 1, c))
			c++;
		if (c >= s->work.n || !deeper(s, c, k))
			return top;
		swap(s, c, k);
		k = c;
	}
}

static void
insert_phi(ssa *s, ir_block *b, uint32_t v)
{
	ir_inst *i = arena_new(s->f->A, ir_inst);

	i->m.op = G_phi;
	i->m.nargs = i->ndefs = 1;
	i->m.arg[0] = ir_valop(s->f, v);
	i->phi = arena_array(s->f->A, ir_opnd, b->preds.n);
	ir_insert(b, b->first, i);
}

/* Edges that leave the part of the tree below `root` reach joins of what is written in it. Blocks
 * at whose start v is dead cannot lead to one: what v holds below them was written there. */
static void
walk_subtree(ssa *s, uint32_t v, ir_block *root, ir_block **stack)
{
	uint32_t n = 0;

	stack[n++] = root;
	s->walked[root->id] = v;
	while (n) {
		ir_block *b = stack[--n];

		for (uint32_t k = 0; k < b->succs.n; k++) {
			ir_block *j = b->succs.a[k];

			if (j->idom == b || s->level[j->id] > s->level[root->id] ||
				s->live[j->id] != v ||
			    (j->first && j->first->m.op == G_phi && j->first->m.arg[0].reg == v))
				continue;
			insert_phi(s, j, v);
			if (s->placed[j->id] != v)
				heap_push(s, j);
		}
		for (uint32_t c = s->child[b->id]; c; c = s->sibling[c])
			if (s->walked[c] != v && s->live[c] == v) {
				s->walked[c] = v;
				stack[n++] = s->f->blocks.a[c];
			}
	}
}

static void
place_phis(ssa *s)
{
	ir_block **stack = arena_array(s->f->A, ir_block *, s->f->blocks.n);

	for (uint32_t v = 1; v < s->nvars; v++) {
		if (!s->var[v].global || !s->var[v].uses)
			continue;
		mark_live(s, v);
		s->work.n = 0;
		for (uint32_t k = s->var[v].defs; k; k = s->sites.a[k].next)
			heap_push(s, s->sites.a[k].b);
		while (s->work.n)
			walk_subtree(s, v, heap_pop(s), stack);
	}
}

/* Renaming */

static ir_opnd
emit_undef(ssa *s, unsigned dwords)
{
	ir_builder B = { s->f, s->f->entry, s->f->entry->first, 0 };
	ir_opnd zero[4] = { ir_i32(0), ir_i32(0), ir_i32(0), ir_i32(0) };
	static const unsigned op[] = { G_undef1, G_undef32, G_undef64, G_pack96, G_pack128 };

	return ir_gen(&B, op[dwords], dwords > 2 ? dwords : 0, zero);
}

static ir_opnd
undefined(ssa *s, uint32_t v)
{
	if (!s->undef[v].kind)
		s->undef[v] = emit_undef(s, s->f->vals.a[v].dwords);
	return s->undef[v];
}

/* What v holds here. Values without a write of their own before the use hold nothing in
 * particular. */
static ir_opnd
current(ssa *s, uint32_t v)
{
	return s->var[v].now.kind ? s->var[v].now : undefined(s, v);
}

static void
set_current(ssa *s, uint32_t v, ir_opnd o)
{
	*vec_push(s->f->A, &s->log) = (undo){ v, s->var[v].now };
	s->var[v].now = o;
}

static void
rename_use(ssa *s, unsigned op, ir_opnd *o)
{
	uint8_t mods = o->mods;

	if (!ir_is_val(*o) || o->reg >= s->nvars)
		return;
	*o = current(s, o->reg);
	o->mods = mods;
	*o = ir_plain_const(op, *o);
}

static void
rename_def(ssa *s, ir_inst *i, ir_opnd *o)
{
	uint32_t v = o->reg;

	if (s->var[v].ndefs > 1 || i->m.op == G_phi)
		*o = ir_valop(s->f, ir_new_val(s->f, s->f->vals.a[v].dwords));
	s->f->vals.a[o->reg].def = i;
	set_current(s, v, *o);
}

static bool
is_copy(const ir_inst *i)
{
	return i->m.op == G_copy1 || i->m.op == G_copy32 || i->m.op == G_copy64;
}

static void
rename_inst(ssa *s, ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		rename_use(s, i->m.op, &i->m.arg[k]);
	if (is_copy(i)) {
		set_current(s, i->m.arg[0].reg, i->m.arg[1]);
		ir_remove(i);
		return;
	}
	for (unsigned k = 0; k < i->ndefs; k++)
		rename_def(s, i, &i->m.arg[k]);
}

/* While renaming, a phi keeps the variable that it was placed for in num. */
static void
rename_phi_sources(ssa *s, ir_block *b)
{
	for (uint32_t k = 0; k < b->succs.n; k++)
		for (ir_inst *i = b->succs.a[k]->first; i && i->m.op == G_phi; i = i->next)
			i->phi[s->pred_index[2 * b->id + k]] = current(s, i->num);
}

static void
rename_block(ssa *s, ir_block *b)
{
	for (ir_inst *i = b->first, *next; i; i = next) {
		next = i->next;
		rename_inst(s, i);
	}
	rename_phi_sources(s, b);
}

static void
index_preds(ssa *s)
{
	ir_func *f = s->f;

	s->pred_index = arena_array(f->A, uint32_t, 2 * (size_t)f->blocks.n);
	for (uint32_t n = 0; n < f->blocks.n; n++)
		for (uint32_t k = 0; k < f->blocks.a[n]->preds.n; k++) {
			ir_block *p = f->blocks.a[n]->preds.a[k];
			uint32_t slot = p->succs.a[0] != f->blocks.a[n];

			s->pred_index[2 * p->id + slot] = k;
		}
}

static void
number_phis(ir_func *f)
{
	for (uint32_t n = 0; n < f->blocks.n; n++)
		for (ir_inst *i = f->blocks.a[n]->first; i && i->m.op == G_phi; i = i->next)
			i->num = i->m.arg[0].reg;
}

static void
rename_all(ssa *s)
{
	uint32_t n = s->f->blocks.n, open = 0;
	ir_block **stack = arena_array(s->f->A, ir_block *, n);
	uint32_t *mark = arena_array(s->f->A, uint32_t, n);

	for (uint32_t k = 0; k < n; k++) {
		ir_block *b = s->tree[k];

		while (open && !ir_dominates(stack[open - 1], b))
			for (open--; s->log.n > mark[open]; s->log.n--)
				s->var[s->log.a[s->log.n - 1].var].now = s->log.a[s->log.n - 1].old;
		stack[open] = b;
		mark[open++] = s->log.n;
		rename_block(s, b);
	}
}

/* The whole */

/* A branch both ways to one block is none: edges are single from here on. */
static void
single_edges(ir_func *f)
{
	for (uint32_t n = 0; n < f->blocks.n; n++) {
		ir_block *b = f->blocks.a[n], *s = b->succs.n ? b->succs.a[0] : NULL;
		uint32_t kept = 0, met = 0;

		if (b->succs.n != 2 || s != b->succs.a[1])
			continue;
		b->last->m.op = G_br;
		b->last->m.nargs = 0;
		b->succs.n = 1;
		for (uint32_t k = 0; k < s->preds.n; k++)
			if (s->preds.a[k] != b || !met++)
				s->preds.a[kept++] = s->preds.a[k];
		s->preds.n = kept;
	}
}

static void
fresh_entry(ir_func *f)
{
	ir_block *old = f->entry, *b;
	ir_builder B = { .f = f };

	if (!old->preds.n)
		return;
	b = B.b = ir_new_block(f);
	for (uint32_t k = f->blocks.n - 1; k; k--)
		f->blocks.a[k] = f->blocks.a[k - 1];
	f->blocks.a[0] = f->entry = b;
	ir_g0(&B, G_br);
	ir_link(b, old);
	ir_renumber_blocks(f);
}

/* Preorder walks and lists that 0 ends want the entry to be block 0. */
static void
entry_first(ir_func *f)
{
	for (uint32_t k = f->entry->id; k; k--)
		f->blocks.a[k] = f->blocks.a[k - 1];
	f->blocks.a[0] = f->entry;
	ir_renumber_blocks(f);
}

void
p_ssa(ir_func *f)
{
	ssa s = { .f = f, .nvars = f->vals.n };

	fresh_entry(f);
	entry_first(f);
	single_edges(f);
	ir_prune(f);
	ir_dominators(f);
	s.var = arena_array(f->A, variable, s.nvars);
	s.undef = arena_array(f->A, ir_opnd, s.nvars);
	s.live = arena_array(f->A, uint32_t, f->blocks.n);
	s.placed = arena_array(f->A, uint32_t, f->blocks.n);
	s.walked = arena_array(f->A, uint32_t, f->blocks.n);
	*vec_push(f->A, &s.sites) = (site){ 0 };
	scan(&s);
	build_tree(&s);
	place_phis(&s);
	number_phis(f);
	index_preds(&s);
	rename_all(&s);
	ir_count_uses(f);
}
