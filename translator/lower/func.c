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

/* A block of memory, and what of it takes the most room. */
typedef struct room {
	uint64_t end;
	const ptx_symbol *largest;
} room;

/* Sizes of variables and their number are far from overflowing the sum. */
static void
place(lower *L, ptx_symbol *s, room *r)
{
	lower_symbol *x = lo_symbol(L, s, L->F);

	x->placed = true;
	x->offset = align_up(r->end, MAX(s->align, 1u));
	r->end = x->offset + s->size;
	if (!r->largest || s->size > r->largest->size)
		r->largest = s;
}

/* For messages about a block that is too large: what to make smaller, and where it is declared. */
static const char *
largest_of(lower *L, const room *r)
{
	return r->largest ? arena_printf(L->A, ", %llu of them for '%s'", (unsigned long long)r->largest->size,
		r->largest->name) : "";
}

static diag_loc
place_of(const lower *L, const room *r)
{
	return r->largest ? r->largest->loc : L->pf->loc;
}

static bool
place_params(lower *L)
{
	ir_func *F = L->F;
	room r = { .end = 0 };

	F->kernarg_align = 8;
	for (uint32_t i = 0; i < L->pf->params.n; i++) {
		ptx_symbol *s = L->pf->params.a[i];
		struct ir_param p = { .size = (uint32_t)s->size, .name = s->name };

		place(L, s, &r);
		p.offset = (uint32_t)((lower_symbol *)s->user)->offset;
		*vec_push(L->A, &F->params) = p;
		F->kernarg_align = MAX(F->kernarg_align, s->align);
	}
	F->kernarg_size = (uint32_t)r.end;
	if (r.end > MAX_PARAM_BYTES)
		diag_add(L->diags, DIAG_param_limit, place_of(L, &r), F->name, (unsigned long long)r.end,
			largest_of(L, &r), MAX_PARAM_BYTES);
	return r.end <= MAX_PARAM_BYTES;
}

/* What of shared and private memory the body names */

typedef struct frame {
	VEC(ptx_symbol *) dynamic;       /* extern .shared x[]: all at one place */
	room shared, local;
	bool reserves;                   /* names the shared memory that is kept from programs */
	uint64_t dynamic_align;
	room frame;                      /* of the function at work, if it calls itself */
	room largest_frame;
	const lower_func *of;            /* the function at work */
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
		place(L, s, x->framed ? &f->frame : &f->local);
	} else if (s->unsized || (s->linkage & PTX_L_EXTERN && !s->size)) {
		*vec_push(L->A, &f->dynamic) = s;
		f->dynamic_align = MAX(f->dynamic_align, s->align);
	} else if (s->linkage & PTX_L_EXTERN) {
		x->fault_id = DIAG_no_definition;
		x->fault = s->name;
	} else {
		place(L, s, &f->shared);
	}
}

static void
meet_operand(lower *L, frame *f, const ptx_operand *o)
{
	if (o->kind == PTX_O_SYM && o->sym)
		meet_variable(L, f, o->sym);
	if (o->kind == PTX_O_SREG)
		f->reserves |= lo_is_reserved(o->sreg);
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
	f->frame = (room){ .end = 0 };
	for (uint32_t i = 0; !g->f->entry && i < g->f->params.n; i++)
		meet_variable(L, f, g->f->params.a[i]);
	for (uint32_t i = 0; i < g->f->rets.n; i++)
		meet_variable(L, f, g->f->rets.a[i]);
	meet_body(L, f, g->f->body);
	lower_bar_meet(L, g->f);
	if (g->recursive)
		lower_frame(L, g, align_up(f->frame.end, 16));
	if (f->frame.end > f->largest_frame.end)
		f->largest_frame = f->frame;
}

/* False, with a message: there is not so much of it. */
static bool
fits(lower *L, enum diag_id id, const room *r, uint64_t limit)
{
	if (r->end <= limit)
		return true;
	diag_add(L->diags, id, place_of(L, r), L->F->name, (unsigned long long)r->end, largest_of(L, r),
		L->F->target->name, (unsigned)limit);
	return false;
}

static bool
place_memory(lower *L)
{
	frame f = { .dynamic_align = 16 };
	ir_func *F = L->F;
	bool ok;

	L->bar_counted = L->bar_plain = 0;
	L->bar_reduces = false;
	lower_reachable(L, lower_function(L, L->pf->sym), meet_function, &f);
	f.shared.end = lower_bar_room(L, f.shared.end);
	if (f.reserves) {
		L->reserved_shared = (uint32_t)align_up(f.shared.end, 16);
		f.shared.end = L->reserved_shared + LOWER_RESERVED;
	}
	if (f.dynamic.n)
		f.shared.end = align_up(f.shared.end, f.dynamic_align);
	for (uint32_t i = 0; i < f.dynamic.n; i++)
		lo_symbol(L, f.dynamic.a[i], F)->offset = f.shared.end;
	ok = fits(L, DIAG_lds_limit, &f.shared, F->target->lds);
	ok &= fits(L, DIAG_scratch_limit, &f.local, F->target->scratch_wave / F->target->wave);
	ok &= fits(L, DIAG_scratch_limit, &f.largest_frame, F->target->scratch_wave / F->target->wave);
	F->lds_static = (uint32_t)f.shared.end;
	F->lds_dynamic = f.dynamic.n > 0;
	F->local_size = (uint32_t)align_up(f.local.end, 16);
	return ok;
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
	if (n > 1024 && !L->F->one_body)         /* said once */
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
lower_setup(lower *L, const bool *one_body)
{
	ir_func *F = arena_new(L->A, ir_func);
	bool ok;

	F->mod = L->M;
	F->A = L->A;
	F->target = L->opt->target;
	F->name = L->pf->sym->name;
	F->loc = L->pf->loc;
	F->made_of = L->pf;
	F->one_body = one_body;
	L->F = F;
	L->kinds.n = 0;
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
