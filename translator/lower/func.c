/* func.c -- the frame of one kernel: parameters, shared and private memory.
 * Needs its checked body; leaves the ir_func's sizes and each variable's offset in its symbol.
 * Manual: "Parallel Thread Execution ISA", 5.1 (state spaces), 11.4 (performance directives);
 * parameters lie as the CUDA driver passes them: in order, each at its natural alignment. */
#include "lower/lower.h"

enum { MAX_PARAM_BYTES = 32764 };

static uint64_t
align_up(uint64_t x, uint64_t align)
{
	return (x + align - 1) / align * align;
}

/* Puts s at the end of a block of memory; false: the block has become larger than the limit. */
static bool
place(lower *L, ptx_symbol *s, uint64_t *end, uint64_t limit)
{
	lower_symbol *x = lo_symbol(L, s, L->F);

	x->placed = true;
	x->offset = align_up(*end, MAX(s->align, 1u));
	if (s->size > limit || x->offset > limit - s->size) {
		*end = MAX(*end, x->offset + MIN(s->size, UINT64_MAX / 2));
		return false;
	}
	*end = x->offset + s->size;
	return true;
}

static bool
place_params(lower *L)
{
	ir_func *F = L->F;
	uint64_t end = 0;
	bool ok = true;

	F->kernarg_align = 8;
	for (uint32_t i = 0; i < L->pf->params.n; i++) {
		ptx_symbol *s = L->pf->params.a[i];
		struct ir_param p = { .size = (uint32_t)s->size, .name = s->name };

		ok &= place(L, s, &end, MAX_PARAM_BYTES);
		p.offset = (uint32_t)((lower_symbol *)s->user)->offset;
		*vec_push(L->A, &F->params) = p;
		F->kernarg_align = MAX(F->kernarg_align, s->align);
	}
	F->kernarg_size = (uint32_t)end;
	if (!ok)
		diag_add(L->diags, DIAG_param_limit, L->pf->loc, F->name, (unsigned long long)end,
			MAX_PARAM_BYTES);
	return ok;
}

/* What of shared and private memory the body names */

typedef struct frame {
	VEC(ptx_symbol *) dynamic;       /* extern .shared x[]: all at one place */
	uint64_t shared, local, dynamic_align;
	uint64_t frame;                  /* of the function at work, if it calls itself */
	const lower_func *of;            /* the function at work */
	bool shared_ok, local_ok;
} frame;

/* Shared and private memory; of parameters, those of calls that cannot live in registers. */
static bool
is_placed_here(const ptx_symbol *s)
{
	return s->space == PTX_SHARED || s->space == PTX_LOCAL || (s->space == PTX_PARAM && lo_in_memory(s));
}

static void
meet_variable(lower *L, frame *f, ptx_symbol *s)
{
	lower_symbol *x;

	s = lower_resolve(L, s);
	if (s->kind != PTX_SYM_VAR || !is_placed_here(s))
		return;
	x = lo_symbol(L, s, L->F);
	if (x->placed)
		return;
	x->placed = true;
	if (s->space != PTX_SHARED) {
		x->framed = f->of->recursive && s->func == f->of->f;
		f->local_ok &= place(L, s, x->framed ? &f->frame : &f->local, UINT32_MAX / 2);
	} else if (s->unsized || (s->linkage & PTX_L_EXTERN && !s->size)) {
		*vec_push(L->A, &f->dynamic) = s;
		f->dynamic_align = MAX(f->dynamic_align, s->align);
	} else if (s->linkage & PTX_L_EXTERN) {
		x->fault = ": shared memory that no file of the program defines";
	} else {
		f->shared_ok &= place(L, s, &f->shared, L->F->target->lds);
	}
}

static void
meet_operand(lower *L, frame *f, const ptx_operand *o)
{
	if (o->kind == PTX_O_SYM && o->sym)
		meet_variable(L, f, o->sym);
	for (unsigned i = 0; o->sub && i < o->nsub; i++)
		meet_operand(L, f, &o->sub[i]);
}

static void
meet_body(lower *L, frame *f, const ptx_stmt *s)
{
	for (; s; s = s->next) {
		for (unsigned i = 0; s->kind == PTX_S_INST && i < s->inst.nops; i++)
			meet_operand(L, f, &s->inst.ops[i]);
		if (s->kind == PTX_S_BLOCK)
			meet_body(L, f, s->body);
	}
}

static void
meet_function(lower *L, void *ud, lower_func *g)
{
	frame *f = ud;

	f->of = g;
	f->frame = 0;
	for (uint32_t i = 0; !g->f->entry && i < g->f->params.n; i++)
		meet_variable(L, f, g->f->params.a[i]);
	for (uint32_t i = 0; i < g->f->rets.n; i++)
		meet_variable(L, f, g->f->rets.a[i]);
	meet_body(L, f, g->f->body);
	lower_bar_meet(L, g->f);
	if (g->recursive)
		lower_frame(L, g, align_up(f->frame, 16));
}

static bool
place_memory(lower *L)
{
	frame f = { .shared_ok = true, .local_ok = true, .dynamic_align = 16 };
	ir_func *F = L->F;

	L->bar_counted = L->bar_plain = 0;
	L->bar_reduces = false;
	lower_reachable(L, lower_function(L, L->pf->sym), meet_function, &f);
	f.shared = lower_bar_room(L, f.shared);
	if (f.dynamic.n)
		f.shared = align_up(f.shared, f.dynamic_align);
	for (uint32_t i = 0; i < f.dynamic.n; i++)
		lo_symbol(L, f.dynamic.a[i], F)->offset = f.shared;
	if (!f.shared_ok || f.shared > F->target->lds)
		diag_add(L->diags, DIAG_lds_limit, L->pf->loc, F->name,
			(unsigned long long)f.shared, F->target->name, (unsigned)F->target->lds);
	if (!f.local_ok)
		diag_add(L->diags, DIAG_scratch_limit, L->pf->loc, F->name,
			(unsigned long long)f.local, (unsigned)(UINT32_MAX / 2));
	F->lds_static = (uint32_t)f.shared;
	F->lds_dynamic = f.dynamic.n > 0;
	F->local_size = (uint32_t)align_up(f.local, 16);
	return f.shared_ok && f.shared <= F->target->lds && f.local_ok;
}

/* .reqntid, .maxntid; .maxnreg and .minnctapersm are about registers: sel_limits. */
static void
set_threads(lower *L)
{
	const ptx_func *pf = L->pf;
	const uint32_t *v = pf->reqntid.given ? pf->reqntid.v : pf->maxntid.v;
	uint64_t n = pf->reqntid.given || pf->maxntid.given ? 1 : 1024;

	for (unsigned i = 0; (pf->reqntid.given || pf->maxntid.given) && i < 3; i++)
		n *= MIN(MAX(v[i], 1u), UINT16_MAX);
	if (n > 1024)
		diag_add(L->diags, DIAG_block_size, pf->loc, L->F->name, pf->reqntid.given ? ".reqntid" : ".maxntid",
			(unsigned long long)n);
	for (unsigned i = 0; pf->reqntid.given && i < 3; i++)
		L->F->reqntid[i] = MAX(pf->reqntid.v[i], 1u);
	L->F->max_threads = (uint32_t)MIN(n, 1024u);
	L->F->max_vgprs = pf->maxnreg;
	L->F->min_groups = pf->minnctapersm;
}

/* A block is its own cluster: it cannot reach another's shared memory. */
static bool
check_cluster(lower *L)
{
	if (L->pf->clusters)
		diag_add(L->diags, DIAG_unsupported_dir, L->pf->loc, ".reqnctapercluster",
			" with more than one block", "");
	return !L->pf->clusters;
}

bool
lower_setup(lower *L)
{
	ir_func *F = arena_new(L->A, ir_func);
	bool ok;

	F->mod = L->M;
	F->A = L->A;
	F->target = L->opt->target;
	F->name = L->pf->sym->name;
	L->F = F;
	L->order.n = 0;
	L->b = (ir_builder){ .f = F };
	set_threads(L);
	ok = check_cluster(L);
	ok &= place_params(L);
	ok &= place_memory(L);
	L->act = lower_act_new(L, lower_function(L, L->pf->sym), NULL);
	F->entry = ir_new_block(F);
	lo_start(L, F->entry);
	lower_stack_reset(L);
	L->written = 0;
	return ok;
}
