/* callgraph.c -- who calls whom, who calls himself, whose address is taken; over all files.
 * Needs linked modules; leaves a lower_func for each function with a body.
 * Components: R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.
 * Manual: "Parallel Thread Execution ISA", 9.7.12.5 (call), 11.6 (linking directives). */
#include "lower/lower.h"

typedef struct lower_graph {
	VEC(lower_func *) all, pointed;
	lower_func any;          /* stands for what a call through a register may reach */
} lower_graph;

lower_func *
lower_function(lower *L, ptx_symbol *s)
{
	s = lower_resolve(L, s);
	if (s->kind != PTX_SYM_FUNC || !s->func || !s->func->has_body)
		return NULL;
	return lo_symbol(L, s->func->sym, L->M)->func;
}

lower_func *
lower_pointed(lower *L, uint32_t i)
{
	return i < L->graph->pointed.n ? L->graph->pointed.a[i] : NULL;
}

/* ---- edges ---- */

/* A call through a register goes to a function of this address; no variable lies there. */
enum { ADDRESS_STEP = 16 };

static void
take_address(lower *L, ptx_symbol *s)
{
	lower_func *f = lower_function(L, s);

	if (!f || f->address || f->f->entry)
		return;
	*vec_push(L->A, &L->graph->pointed) = f;
	*vec_push(L->A, &L->graph->any.calls) = f;
	f->address = (uint64_t)ADDRESS_STEP * L->graph->pointed.n;
}

static void
scan_operand(lower *L, const ptx_inst *in, const ptx_operand *o)
{
	bool by_name = in->op == PTX_OP_ld || in->op == PTX_OP_st || in->op == PTX_OP_call;

	if ((o->kind == PTX_O_SYM || o->kind == PTX_O_LABEL) && o->sym) {
		if (o->sym->kind == PTX_SYM_FUNC)
			take_address(L, o->sym);
		if (o->sym->space == PTX_PARAM && (!by_name || o->nsub))
			lo_symbol(L, o->sym, L->M)->taken = true;
	}
	for (unsigned i = 0; o->sub && i < o->nsub; i++)
		scan_operand(L, in, &o->sub[i]);
}

static const ptx_operand *
callee_of(const ptx_inst *in)
{
	return in->nops && in->ops[0].kind == PTX_O_LIST ? &in->ops[1] : in->ops;
}

static void
scan_call(lower *L, lower_func *f, const ptx_inst *in)
{
	const ptx_operand *o = in->nops ? callee_of(in) : NULL;
	lower_func *g;

	if (!o)
		return;
	if (o->kind != PTX_O_SYM) {
		f->indirect = true;
	} else if (o->sym && o->sym->kind == PTX_SYM_FUNC) {
		g = lower_function(L, o->sym);
		if (g)
			*vec_push(L->A, &f->calls) = g;
	}
	for (unsigned i = 0; i < in->nops; i++)
		if (&in->ops[i] != o)
			scan_operand(L, in, &in->ops[i]);
}

static void
scan_body(lower *L, lower_func *f, const ptx_stmt *s)
{
	for (; s; s = s->next) {
		f->nstmts++;
		if (s->kind == PTX_S_BLOCK)
			scan_body(L, f, s->body);
		if (s->kind != PTX_S_INST)
			continue;
		if (s->inst.op == PTX_OP_call) {
			scan_call(L, f, &s->inst);
			continue;
		}
		for (unsigned i = 0; i < s->inst.nops; i++)
			scan_operand(L, &s->inst, &s->inst.ops[i]);
	}
}

/* .calltargets, and the addresses in initial values */
static void
scan_module(lower *L, ptx_module *m)
{
	for (uint32_t i = 0; i < m->vars.n; i++)
		for (uint32_t k = 0; k < m->vars.a[i]->init.n; k++) {
			const ptx_init *x = &m->vars.a[i]->init.a[k];

			if (x->kind == PTX_I_ADDR && x->sym && x->sym->kind == PTX_SYM_FUNC)
				take_address(L, x->sym);
		}
}

/* ---- components ---- */

typedef struct visit { lower_func *f; uint32_t next; } visit;
typedef struct search {
	VEC(visit) path;
	VEC(lower_func *) open;
	uint32_t index, components;
} search;

static lower_func *
callee_at(lower *L, const lower_func *f, uint32_t i)
{
	if (i < f->calls.n)
		return f->calls.a[i];
	return i == f->calls.n && f->indirect ? &L->graph->any : NULL;
}

static void
enter(lower *L, search *s, lower_func *f)
{
	f->index = f->low = ++s->index;
	f->open = true;
	*vec_push(L->A, &s->open) = f;
	*vec_push(L->A, &s->path) = (visit){ .f = f };
}

/* All that was opened since f, and f, reach each other. */
static void
close_component(search *s, lower_func *f)
{
	lower_func *g;

	s->components++;
	f->recursive |= s->open.a[s->open.n - 1] != f;
	do {
		g = s->open.a[--s->open.n];
		g->open = false;
		g->component = s->components;
		g->recursive |= f->recursive;
	} while (g != f);
}

static void
search_from(lower *L, search *s, lower_func *root)
{
	enter(L, s, root);
	while (s->path.n) {
		visit *v = &s->path.a[s->path.n - 1];
		lower_func *f = v->f, *g = callee_at(L, f, v->next++);

		if (!g) {
			if (f->low == f->index)
				close_component(s, f);
			if (--s->path.n) {
				lower_func *up = s->path.a[s->path.n - 1].f;

				up->low = MIN(up->low, f->low);
			}
		} else if (!g->index) {
			enter(L, s, g);
		} else if (g->open) {
			f->low = MIN(f->low, g->index);
			f->recursive |= f == g;
		}
	}
}

void
lower_graph_all(lower *L, ptx_module *const *mods, size_t nmods)
{
	lower_graph *G = arena_new(L->A, lower_graph);
	search s = { .index = 0 };

	L->graph = G;
	for (size_t i = 0; i < nmods; i++)
		for (ptx_func *f = mods[i]->funcs; f; f = f->next) {
			lower_func *x;

			if (!f->has_body || !f->sym)
				continue;
			x = arena_new(L->A, lower_func);
			x->f = f;
			x->pm = mods[i];
			lo_symbol(L, f->sym, L->M)->func = x;
			for (uint32_t k = 0; f->entry && k < f->params.n; k++)
				lo_symbol(L, f->params.a[k], L->M)->kernarg = true;
			*vec_push(L->A, &G->all) = x;
		}
	for (uint32_t i = 0; i < G->all.n; i++)
		scan_body(L, G->all.a[i], G->all.a[i]->f->body);
	for (size_t i = 0; i < nmods; i++)
		scan_module(L, mods[i]);
	for (uint32_t i = 0; i < G->all.n; i++)
		if (!G->all.a[i]->index)
			search_from(L, &s, G->all.a[i]);
}

void
lower_reachable(lower *L, lower_func *kernel, void (*fn)(lower *, void *, lower_func *), void *ud)
{
	VEC(lower_func *) list = { .n = 0 };

	*vec_push(L->A, &list) = kernel;
	kernel->owner = L->F;
	for (uint32_t i = 0; i < list.n; i++) {
		lower_func *f = list.a[i], *g;

		for (uint32_t k = 0; (g = callee_at(L, f, k)); k++) {
			if (g->owner == L->F)
				continue;
			g->owner = L->F;
			g->shared = NULL;
			*vec_push(L->A, &list) = g;
		}
		if (f->f)
			fn(L, ud, f);
	}
}
