/* lower.c -- kernels of a program, statement by statement.
 * Needs checked modules; leaves ir_funcs of generic mutable form, every refusal reported.
 * Manual: "Parallel Thread Execution ISA", 4.3 (statements), 9.3 (guards). */
#include <string.h>

#include "lower/lower.h"

static void
refused(lower *L, const ptx_stmt *s)
{
	const char *why = L->why ? L->why : "";

	diag_add(L->diags, DIAG_unsupported, s->loc, s->inst.text, why, "");
	L->act->func->f->nbad++;
}

/* Instructions */

static bool
writes_predicate(const ptx_operand *d)
{
	return d->kind == PTX_O_PAIR || lo_reg_bits(d) == 1;
}

/* The guard as a boolean; a copy where the instruction may write it before its last use. */
static void
read_guard(lower *L)
{
	const ptx_inst *in = L->in;

	L->has_guard = in->guard.name != NULL || in->guard.sym != NULL;
	L->guarded = false;
	if (!L->has_guard)
		return;
	L->guard = lo_use(L, &in->guard, PTX_PRED);
	if (!L->refused && in->nops && writes_predicate(&in->ops[0]))
		L->guard = ir_g1(&L->b, G_copy1, L->guard);
}

/* Around an instruction that cannot be computed and thrown away. */
static void
run_branched(lower *L)
{
	ir_block *body = ir_new_block(L->F), *join = ir_new_block(L->F);

	lo_branch(L, L->guard, body, join);
	lo_start(L, body);
	L->row->fn(L);
	lo_start(L, join);
}

static void
run_row(lower *L)
{
	read_guard(L);
	if (L->refused)
		return;
	if (L->row->guard != LG_SELECT && (L->has_guard || L->row->fn != lower_cp_async))
		lo_finish_copies(L);
	if (L->has_guard && L->row->guard == LG_BRANCH) {
		run_branched(L);
		return;
	}
	L->guarded = L->has_guard && L->row->guard == LG_SELECT;
	L->row->fn(L);
	L->guarded = false;
}

/* What sema has refused is reported and counted already. */
static bool
is_refused_by_sema(const lower *L, const ptx_inst *in)
{
	return in->form == UINT16_MAX && L->act->func->f->nbad;
}

static void
lower_inst(lower *L, const ptx_stmt *s)
{
	if (is_refused_by_sema(L, &s->inst))
		return;
	L->st = s;
	L->in = &s->inst;
	L->refused = L->reported = false;
	L->why = NULL;
	if (!L->b.b)
		lo_start(L, ir_new_block(L->F));
	lower_at(L, s);
	L->row = lower_find(L->in);
	if (L->row)
		run_row(L);
	else
		lo_refuse(L, lower_why(L->in));
	if (L->refused && !L->reported)
		refused(L, s);
}

void
lower_body(lower *L, const ptx_stmt *s)
{
	for (; s; s = s->next)
		switch (s->kind) {
		case PTX_S_INST:
			lower_inst(L, s);
			break;
		case PTX_S_LABEL:
			lo_finish_copies(L);
			lo_start(L, lo_label(L, s->label));
			break;
		case PTX_S_LOC:
			lower_loc(L, s);
			break;
		case PTX_S_BLOCK:
			lower_body(L, s->body);
			break;
		default:
			break;
		}
}

/* Kernels */

/* Blocks were made where they were first named; they are laid out as they stand in the text. */
static bool
order_blocks(lower *L)
{
	ir_func *F = L->F;

	if (L->order.n != F->blocks.n) {
		diag_add(L->diags, DIAG_internal, L->pf->loc, "lower", "a label without a place");
		return false;
	}
	memcpy(F->blocks.a, L->order.a, L->order.n * sizeof *L->order.a);
	ir_renumber_blocks(F);
	return true;
}

/* Counts what sema found at fault in the same kernel: it is not translated either way. NULL: it cannot be. */
static ir_func *
lower_kernel(lower *L, ptx_func *pf, const bool *one_body)
{
	L->pf = pf;
	if (!lower_setup(L, one_body)) {
		pf->nbad++;
		return NULL;
	}
	lower_loc_reset(L);
	lower_body(L, pf->body);
	lo_finish_copies(L);
	if (L->b.b)
		lo_return(L);
	lower_shared_bodies(L);
	if (!pf->nbad)
		lower_sync_bodies(L);
	if (!pf->nbad)
		lower_stack_finish(L);
	if (pf->nbad)
		return NULL;
	if (!order_blocks(L)) {
		pf->nbad++;
		return NULL;
	}
	return L->F;
}

ir_func *
lower_again(ir_func *f)
{
	lower *L = f->mod->lowered_by;
	ptx_func *pf = f->made_of;

	lower_files(L, lower_function(L, pf->sym)->pm);
	return lower_kernel(L, pf, f->wants_body);
}

static bool
any_blocked(const lower_func *f, bool may)
{
	for (uint32_t i = 0; i < f->blocked.n; i++)
		if (f->blocked.a[i].may == may)
			return true;
	return false;
}

static void
put_blocked(const lower_func *f, bool may, const char *words, buf *b)
{
	if (!any_blocked(f, may))
		return;
	for (uint32_t i = 0; i < f->blocked.n; i++)
		if (f->blocked.a[i].may == may) {
			buf_printf(b, "%s'%s'", words, f->blocked.a[i].f->f->sym->name);
			words = ", ";
		}
	buf_printf(b, ", which cannot be translated");
}

/* What stands in the way of a kernel: faults in its own text, and functions that it comes to. */
static const char *
obstacles(lower *L, const ptx_func *pf)
{
	const lower_func *f = lower_function(L, pf->sym);
	uint32_t own = pf->nbad - f->nblocked;
	buf b;

	buf_init(&b, L->A);
	if (own)
		buf_printf(&b, "%u instruction%s of it cannot be translated%s", own, own == 1 ? "" : "s", f->blocked.n ? ", and " : "");
	put_blocked(f, false, "it calls ", &b);
	put_blocked(f, true, any_blocked(f, false) ? "; through a register it may call " : "it may call through a register ", &b);
	return buf_cstr(&b);
}

static bool
is_wanted(const lower *L, const char *name)
{
	for (size_t i = 0; i < L->opt->nentries; i++)
		if (!strcmp(L->opt->entries[i], name))
			return true;
	return !L->opt->entries;
}

static bool
is_kernel(lower *L, const ptx_func *f)
{
	return f->entry && f->has_body && f->sym && lower_resolve(L, f->sym) == f->sym;
}

/* How many kernels were met. */
static uint32_t
lower_kernels(lower *L, ptx_module *m)
{
	ir_func *F;
	uint32_t n = 0;

	lower_files(L, m);
	for (ptx_func *f = m->funcs; f; f = f->next) {
		if (!is_kernel(L, f) || !is_wanted(L, f->sym->name))
			continue;
		n++;
		F = lower_kernel(L, f, NULL);
		if (F)
			*vec_push(L->A, &L->M->funcs) = F;
		else if (L->opt->keep_going)
			diag_add(L->diags, DIAG_kernel_skipped, f->loc, f->sym->name, obstacles(L, f));
	}
	return n;
}

static bool
has_entry(lower *L, ptx_module *const *mods, size_t nmods, const char *name)
{
	for (size_t i = 0; i < nmods; i++)
		for (const ptx_func *f = mods[i]->funcs; f; f = f->next)
			if (is_kernel(L, f) && !strcmp(f->sym->name, name))
				return true;
	return false;
}

/* Where a name is declared that is no kernel, for want of a better place the first text's begin. */
static diag_loc
place_of(ptx_module *const *mods, size_t nmods, const char *name)
{
	for (size_t i = 0; i < nmods; i++)
		for (const ptx_func *f = mods[i]->funcs; f; f = f->next)
			if (f->sym && (!name || !strcmp(f->sym->name, name)))
				return f->loc;
	return (diag_loc){ .file = 0 };
}

/* The names of the first kernels, for a message. */
static const char *
kernel_names(lower *L, ptx_module *const *mods, size_t nmods)
{
	enum { MOST = 8 };
	unsigned n = 0;
	buf b;

	buf_init(&b, L->A);
	for (size_t i = 0; i < nmods; i++)
		for (const ptx_func *f = mods[i]->funcs; f && n <= MOST; f = f->next)
			if (is_kernel(L, f) && n++ < MOST)
				buf_printf(&b, "%s'%s'", n == 1 ? ": it has " : ", ", f->sym->name);
	if (n > MOST)
		buf_printf(&b, " and more");
	return n ? buf_cstr(&b) : ", and no other";
}

static bool
check_entries(lower *L, ptx_module *const *mods, size_t nmods)
{
	bool ok = true;

	for (size_t i = 0; L->opt->entries && i < L->opt->nentries; i++)
		if (!has_entry(L, mods, nmods, L->opt->entries[i])) {
			diag_add(L->diags, DIAG_no_such_entry, place_of(mods, nmods, L->opt->entries[i]),
				L->opt->entries[i], kernel_names(L, mods, nmods));
			ok = false;
		}
	return ok;
}

static diag_loc
first_kernel(lower *L, ptx_module *const *mods, size_t nmods)
{
	for (size_t i = 0; i < nmods; i++)
		for (const ptx_func *f = mods[i]->funcs; f; f = f->next)
			if (is_kernel(L, f) && is_wanted(L, f->sym->name))
				return f->loc;
	return (diag_loc){ .file = 0 };
}

static ir_module *
new_module(arena *A, intern *names, diag_sink *diags, const lower_options *opt)
{
	ir_module *M = arena_new(A, ir_module);

	M->A = A;
	M->names = names;
	M->diags = diags;
	M->target = opt->target;
	M->sem = opt->sem;
	M->code_object = opt->code_object;
	M->opt = opt->opt;
	*vec_push(A, &M->locs) = (ir_loc){ 0 };
	return M;
}

ir_module *
lower_module(arena *A, intern *names, diag_sink *diags, ptx_module *const *mods, size_t nmods,
	const lower_options *opt)
{
	lower *L = arena_new(A, lower);
	uint32_t met = 0;

	L->A = A;
	L->diags = diags;
	L->opt = arena_dup(A, opt, sizeof *opt);
	L->M = new_module(A, names, diags, opt);
	L->M->lowered_by = L;
	if (!lower_link_all(L, mods, nmods) || !check_entries(L, mods, nmods))
		return NULL;
	for (size_t i = 0; i < nmods; i++)
		met += lower_kernels(L, mods[i]);
	if (!met && !diags->nerrors)
		diag_add(diags, DIAG_no_entry, place_of(mods, nmods, NULL));
	else if (!L->M->funcs.n && opt->keep_going)
		diag_add(diags, DIAG_no_kernel_left, first_kernel(L, mods, nmods));
	return met ? L->M : NULL;
}
