/* call.c -- call: the callee's body is written into the caller, or, where it may come back to itself or
 * would be written too often, once into the kernel, with a number that says where to return.
 * Needs callgraph.c; leaves plain control flow: there are no calls behind lower.
 * Manual: "Parallel Thread Execution ISA", 9.7.12.5 (call), 9.7.12.6 (ret), 7 (abstracting the ABI). */
#include <string.h>

#include "lower/lower.h"

enum {
	MAX_DEPTH = 24,          /* of bodies written into one another */
	FREE_STMTS = 1 << 16,    /* statements written into callers without a thought */
	SMALL = 32               /* statements of a body that is always written into its callers */
};

/* The one body of a function in a kernel. Lanes that call it from several places run it together. */
struct lower_shared {
	lower_act *act;
	lower_door door;
	ir_opnd site;            /* which call to return to */
	ir_block *tail;          /* from where it returns */
	uint64_t frame;
	lower_shared *next;      /* in the order of first calls */
};

lower_act *
lower_act_new(lower *L, lower_func *f, ir_block *leave)
{
	lower_act *a = arena_new(L->A, lower_act);

	a->func = f;
	a->leave = leave;
	a->depth = L->act ? L->act->depth + 1 : 0;
	a->cc = ir_valop(L->F, ir_new_val(L->F, 0));
	return a;
}

/* ---- arguments and results as dwords ---- */

typedef struct call {
	const ptx_operand *rets, *args;  /* lists; NULL: none */
	ir_opnd *word;                   /* arguments, one after the other */
} call;

static uint32_t
total_dwords(ptx_symbol *const *s, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += lo_dwords(s[i]);
	return sum;
}

/* An argument that is a register or a constant, of the parameter's size; a vector for a vector in registers */
static void
read_value(lower *L, const ptx_operand *o, const ptx_symbol *like, ir_opnd *w)
{
	ptx_type t = lo_dwords(like) == 2 ? PTX_B64 : PTX_B32;
	ir_opnd v;

	if (like->kind == PTX_SYM_REG && o->kind == PTX_O_REG && lo_nelems(o) > 1 && lo_nelems(o) == like->vec) {
		lo_registers_read(L, o, w, lo_dwords(like));
		return;
	}
	if (like->size > 8) {
		lo_refuse(L, ": a register for a parameter of more than 64 bits");
		return;
	}
	if (ptx_is_float(like->type))
		t = like->type;
	v = lo_use(L, o, t);
	w[0] = lo_dword(L, v, 0);
	if (v.width == 2)
		w[1] = lo_dword(L, v, 1);
}

static void
read_arguments(lower *L, call *c, ptx_symbol *const *params, uint32_t n)
{
	uint32_t at = 0;

	c->word = arena_array(L->A, ir_opnd, total_dwords(params, n) + 1);
	for (uint32_t i = 0; i < n && !L->refused; i++) {
		const ptx_operand *o = &c->args->sub[i];
		uint32_t dwords = lo_dwords(params[i]);

		for (uint32_t k = 0; k < dwords; k++)
			c->word[at + k] = ir_i32(0);
		if (o->kind == PTX_O_SYM && o->sym->kind == PTX_SYM_VAR && o->sym->space == PTX_PARAM)
			lo_param_read(L, o->sym, &c->word[at], MIN(dwords, lo_dwords(o->sym)));
		else
			read_value(L, o, params[i], &c->word[at]);
		at += dwords;
	}
}

static void
write_results(lower *L, const call *c, ptx_symbol *const *rets, uint32_t n, const ir_opnd *word)
{
	for (uint32_t i = 0; i < n && c->rets && i < c->rets->nsub && !L->refused; i++) {
		const ptx_operand *o = &c->rets->sub[i];
		uint32_t dwords = lo_dwords(rets[i]);

		if (o->kind == PTX_O_REG && dwords == 1 && 8 * rets[i]->size == ptx_type_bits(rets[i]->type)) {
			/* Of a narrow result's dword only its own bits are defined; the register may be wider. */
			ir_opnd w = lo_ext(L, word[0], rets[i]->type);

			lo_registers_write(L, o, &w, 1);
		} else if (o->kind == PTX_O_REG)
			lo_registers_write(L, o, word, dwords);
		else if (o->kind == PTX_O_SYM && o->sym->space == PTX_PARAM)
			lo_param_write(L, o->sym, word, MIN(dwords, lo_dwords(o->sym)));
		else if (o->kind != PTX_O_SINK)
			lo_refuse(L, ": a result of another kind");
		word += dwords;
	}
}

/* ---- into the caller ---- */

/* What of L belongs to the caller's body. */
typedef struct caller {
	lower_act *act;
	const ptx_stmt *st;
	const ptx_inst *in;
	const lower_row *row;
	bool has_guard;
	ir_opnd guard;
	const lower_lines *lines;
	uint32_t loc;
} caller;

static caller
enter(lower *L, lower_act *a)
{
	caller c = { L->act, L->st, L->in, L->row, L->has_guard, L->guard,
		lower_lines_enter(L, a->func->pm), L->b.loc };

	L->act = a;
	return c;
}

static void
leave(lower *L, const caller *c)
{
	L->act = c->act;
	L->st = c->st;
	L->in = c->in;
	L->row = c->row;
	L->has_guard = c->has_guard;
	L->guard = c->guard;
	L->guarded = false;
	L->b.loc = c->loc;
	lower_lines_leave(L, c->lines);
}

static void
write_params(lower *L, const ptx_func *f, const ir_opnd *word)
{
	for (uint32_t i = 0; i < f->params.n; i++) {
		uint32_t n = lo_dwords(f->params.a[i]);

		lo_param_write(L, f->params.a[i], word, n);
		word += n;
	}
}

static void
read_rets(lower *L, const ptx_func *f, ir_opnd *word)
{
	for (uint32_t i = 0; i < f->rets.n; i++) {
		uint32_t n = lo_dwords(f->rets.a[i]);

		lo_param_read(L, f->rets.a[i], word, n);
		word += n;
	}
}

static ir_opnd *
write_body(lower *L, lower_func *g, const call *c)
{
	ir_opnd *word = arena_array(L->A, ir_opnd, total_dwords(g->f->rets.a, g->f->rets.n) + 1);
	lower_act *a = lower_act_new(L, g, ir_new_block(L->F));
	caller outer = enter(L, a);

	write_params(L, g->f, c->word);
	lower_body(L, g->f->body);
	lo_start(L, a->leave);
	read_rets(L, g->f, word);
	leave(L, &outer);
	return word;
}

/* ---- what cannot be translated ---- */

/* f comes to g, which cannot be translated: what stands in g's way has been said. */
static void
add_blocked(lower *L, lower_func *f, lower_func *g, bool may)
{
	for (uint32_t i = 0; i < f->blocked.n; i++)
		if (f->blocked.a[i].f == g) {
			f->blocked.a[i].may &= may;
			return;
		}
	*vec_push(L->A, &f->blocked) = (struct lower_blocked){ g, may };
}

static void
block(lower *L, lower_func *f, lower_func *g, bool may)
{
	f->f->nbad++;
	f->nblocked++;
	if (g->f->nbad > g->nblocked)
		add_blocked(L, f, g, may);
	for (uint32_t i = 0; f != g && i < g->blocked.n; i++)
		add_blocked(L, f, g->blocked.a[i].f, may || g->blocked.a[i].may);
}

/* ---- one body in a kernel ---- */

static lower_shared *
shared_body(lower *L, lower_func *g)
{
	lower_shared *s = g->shared, **at;

	if (s && s->act)
		return s;
	if (!s)
		s = g->shared = arena_new(L->A, lower_shared);
	s->act = lower_act_new(L, g, ir_new_block(L->F));
	s->act->depth = 0;
	s->site = ir_valop(L->F, ir_new_val(L->F, 1));
	lower_door_make(L, &s->door, total_dwords(g->f->params.a, g->f->params.n), total_dwords(g->f->rets.a, g->f->rets.n));
	if (g->recursive)
		s->act->fp = ir_new_val(L->F, 1);
	for (at = &L->shared; *at; at = &(*at)->next)
		;
	*at = s;
	return s;
}

void
lower_frame(lower *L, lower_func *g, uint64_t bytes)
{
	g->shared = arena_new(L->A, lower_shared);
	g->shared->frame = bytes;
}

/* The frame begins where the stack ends. */
static void
open_frame(lower *L, const lower_shared *s)
{
	ir_opnd sp = lower_sp(L);

	if (!s->act->fp)
		return;
	lo_copy_to(L, s->act->fp, sp);
	lo_copy_to(L, sp.reg, ir_g2(&L->b, G_add32, sp, ir_i32((uint32_t)s->frame)));
	lower_stack_check(L);
}

static void
shared_statements(lower *L, lower_shared *s)
{
	const ptx_func *f = s->act->func->f;
	ir_opnd *word = arena_array(L->A, ir_opnd, s->door.nresults + 1);
	uint32_t first = L->order.n;
	caller outer;

	lo_start(L, s->door.entry);
	lower_at_kernel(L, s->act->func->pm);
	outer = enter(L, s->act);
	lo_copy_to(L, s->site.reg, s->door.number);
	open_frame(L, s);
	write_params(L, f, lower_door_args(L, &s->door));
	lower_body(L, f->body);
	lo_start(L, s->act->leave);
	read_rets(L, f, word);
	lower_door_results(L, &s->door, word);
	if (s->act->fp)
		lo_copy_to(L, lower_sp(L).reg, ir_valop(L->F, s->act->fp));
	s->tail = L->b.b;
	if (s->act->fp)
		lower_stack_body(L, first, L->order.n, s->tail, s->site.reg);
	leave(L, &outer);
	L->b.b = NULL;
}

void
lower_shared_bodies(lower *L)
{
	lower_act *kernel = L->act;

	L->F->shared_bodies |= L->shared != NULL;
	for (lower_shared *s = L->shared; s; s = s->next) {
		shared_statements(L, s);
		if (s->act->func->f->nbad)
			block(L, kernel->func, s->act->func, false);
	}
	for (lower_shared *s = L->shared; s; s = s->next) {
		L->b.b = s->tail;
		lower_door_leave(L, &s->door, s->site);
	}
	L->act = kernel;
	L->shared = NULL;
}

/* ---- the instruction ---- */

static bool
is_written_into_caller(const lower *L, const lower_func *g)
{
	if (g->recursive || L->act->depth >= MAX_DEPTH)
		return false;
	return g->nstmts <= SMALL || L->written + g->nstmts <= FREE_STMTS;
}

static void
call_function(lower *L, lower_func *g, const call *c, bool may)
{
	const ir_opnd *word = NULL;

	if (!g->f->nbad && is_written_into_caller(L, g)) {
		L->written += g->nstmts;
		word = write_body(L, g, c);
	} else if (!g->f->nbad) {
		word = lower_door_enter(L, &shared_body(L, g)->door, c->word, g->component == L->act->func->component);
	}
	L->refused = L->reported = g->f->nbad != 0;
	if (L->refused)
		block(L, L->act->func, g, may);
	else
		write_results(L, c, g->f->rets.a, g->f->rets.n, word);
}

static void
call_by_name(lower *L, call *c, ptx_symbol *s)
{
	lower_func *g = lower_function(L, s);

	if (!g || g->f->entry) {
		if (g)
			lo_reject(L, DIAG_unsupported_use, arena_printf(L->A, "a call of '%s', a kernel,", s->name));
		else
			lo_reject_missing(L, s->name);
		return;
	}
	read_arguments(L, c, g->f->params.a, g->f->params.n);
	if (!L->refused)
		call_function(L, g, c, false);
}

/* ---- through a register ---- */

static bool
same_sizes(ptx_symbol *const *a, uint32_t na, ptx_symbol *const *b, uint32_t nb)
{
	for (uint32_t i = 0; i < MIN(na, nb); i++)
		if (a[i]->size != b[i]->size)
			return false;
	return na == nb;
}

bool
lower_fits(const ptx_func *f, const ptx_func *like)
{
	return same_sizes(f->params.a, f->params.n, like->params.a, like->params.n) &&
	       same_sizes(f->rets.a, f->rets.n, like->rets.a, like->rets.n);
}

/* The next function that the call may reach, *i counting; NULL: no more. What is not defined has no address. */
static lower_func *
candidate(lower *L, const ptx_symbol *list, uint32_t *i)
{
	lower_func *g = NULL;

	if (list->kind == PTX_SYM_PROTO)
		return lower_pointed(L, (*i)++);
	while (!g && *i < list->targets.n) {
		ptx_symbol *s = list->targets.a[(*i)++].sym;

		g = s ? lower_function(L, s) : NULL;
	}
	return g;
}

static void
call_if(lower *L, ir_opnd pointer, lower_func *g, const call *c, ir_block *join)
{
	ir_block *body = ir_new_block(L->F), *next = ir_new_block(L->F);

	lo_branch(L, ir_icmp(&L->b, 64, IR_EQ, pointer, ir_i64(g->address)), body, next);
	lo_start(L, body);
	call_function(L, g, c, true);
	if (L->b.b)
		lo_jump(L, join);
	lo_start(L, next);
}

static void
call_by_register(lower *L, call *c, const ptx_operand *o, const ptx_symbol *list)
{
	ir_opnd pointer = lo_use(L, o, PTX_B64);
	uint32_t i = 0;
	lower_func *first = candidate(L, list, &i), *g;
	const ptx_func *like = list->kind == PTX_SYM_PROTO ? list->func : first ? first->f : NULL;
	ir_block *join = ir_new_block(L->F);
	bool bad = false;        /* every function is looked at: each may have faults of its own to tell of */

	if (!L->refused && like)
		read_arguments(L, c, like->params.a, like->params.n);
	for (i = 0; !L->refused && (g = candidate(L, list, &i));) {
		if (!lower_fits(g->f, like))
			continue;
		call_if(L, pointer, g, c, join);
		bad |= L->reported;
		L->refused &= !L->reported;
	}
	lo_trap(L, ISA_TRAP_CALL);
	lo_start(L, join);
	L->refused |= bad;
	L->reported = bad;
}

void
lower_call(lower *L)
{
	const ptx_inst *in = L->in;
	const ptx_symbol *list = NULL;
	const ptx_operand *o = NULL;
	call c = { .rets = NULL };

	for (unsigned i = 0; i < in->nops; i++) {
		const ptx_operand *x = &in->ops[i];

		if (x->kind == PTX_O_LIST && !o)
			c.rets = x;
		else if (x->kind == PTX_O_LIST)
			c.args = x;
		else if (!o)
			o = x;
		else
			list = x->sym;
	}
	if (o && o->kind == PTX_O_SYM && o->sym->kind == PTX_SYM_FUNC)
		call_by_name(L, &c, o->sym);
	else if (o && o->kind == PTX_O_REG && lo_reg_bits(o) == 32)
		lo_reject(L, DIAG_unsupported_use, lo_narrow_address);
	else if (o && o->kind == PTX_O_REG && list)
		call_by_register(L, &c, o, list);
	else
		lo_refuse(L, "");
}
