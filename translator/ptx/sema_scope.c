/* sema_scope.c -- which symbol a name means where it stands.
 * Needs declarations in order; leaves registers of %r<100> made when they are first named.
 * Manual: "Parallel Thread Execution ISA", 4.4 (identifiers), 5.4.5 (parameterized names), 7.1. */
#include <string.h>

#include "ptx/front.h"

/* Bindings of one name form a stack by depth; those of one scope a list. */
struct binding {
	const char *name;
	ptx_symbol *sym;
	uint32_t depth;
	binding *shadowed;      /* the same name further out */
	binding *next;          /* the same scope */
};

void
scope_open(sema *S)
{
	*vec_push(S->A, &S->scopes) = NULL;
}

void
scope_close(sema *S)
{
	for (binding *b = S->scopes.a[--S->scopes.n]; b; b = b->next)
		*ptr_map_at(b->sym->range ? &S->ranges : &S->bound, S->A, b->name) = b->shadowed;
	S->range_depth = MIN(S->range_depth, S->scopes.n ? S->scopes.n - 1 : 0);
}

static void
bind(sema *S, ptr_map *M, ptx_symbol *sym, uint32_t depth)
{
	void **at = ptr_map_at(M, S->A, sym->name);
	binding *b = arena_new(S->A, binding);

	*b = (binding){ sym->name, sym, depth, *at, S->scopes.a[depth] };
	*at = b;
	S->scopes.a[depth] = b;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The innermost %r<n> that has name among its own; several splits of a12 are possible. */
static binding *
find_range(sema *S, const char *name)
{
	size_t n = strlen(name), i = n;
	uint64_t val = 0, scale = 1;
	binding *best = NULL;

	while (i > 1 && n - i < 10 && is_digit(name[i - 1])) {
		binding *b;

		i--;
		val += scale * (uint64_t)(name[i] - '0');
		scale *= 10;
		if (name[i] == '0' && i + 1 < n)
			continue;       /* no leading zeros */
		b = ptr_map_get(&S->ranges, intern_str(S->m->names, name, i));
		if (b && val < b->sym->count && (!best || b->depth > best->depth))
			best = b;
	}
	return best;
}

static void
number(sema *S, ptx_symbol *sym)
{
	if (!S->func)
		return;
	if (sym->kind == PTX_SYM_REG)
		sym->index = S->func->nregs++;
	else if (sym->kind == PTX_SYM_LABEL)
		sym->index = S->func->nlabels++;
	else if (sym->kind == PTX_SYM_VAR && !S->heading)
		*vec_push(S->A, &S->func->locals) = sym;
}

static ptx_symbol *
make_member(sema *S, const binding *range, const char *name)
{
	ptx_symbol *sym = arena_dup(S->A, range->sym, sizeof *sym);

	sym->name = name;
	sym->range = false;
	sym->count = 1;
	sym->size = MAX(ptx_type_bits(sym->type) / 8, 1u) * sym->vec;
	bind(S, &S->bound, sym, range->depth);
	if (range->depth > 0)
		number(S, sym);
	else
		*vec_push(S->A, &S->m->vars) = sym;
	return sym;
}

ptx_symbol *
scope_find(sema *S, const char *name)
{
	binding *b = ptr_map_get(&S->bound, name), *range;

	if (b && b->depth >= S->range_depth)
		return b->sym;
	range = find_range(S, name);
	if (range && (!b || range->depth > b->depth))
		return make_member(S, range, name);
	return b ? b->sym : NULL;
}

/* An .extern and its definition, or two of them, are one. */
static bool
may_repeat(const ptx_symbol *old, const ptx_symbol *new)
{
	if (old->kind != new->kind)
		return false;
	if (old->kind == PTX_SYM_FUNC)
		return !old->func->has_body || !new->func->has_body;
	return old->kind == PTX_SYM_VAR && (old->linkage | new->linkage) & PTX_L_EXTERN &&
		old->type == new->type && old->space == new->space;
}

static void
redefined(sema *S, const ptx_symbol *sym)
{
	diag_add(S->m->diags, DIAG_redefined, sym->loc, sym->name);
	sema_count(S);
}

void
scope_declare(sema *S, ptx_symbol *sym)
{
	uint32_t depth = S->scopes.n - 1;
	ptr_map *M = sym->range ? &S->ranges : &S->bound;
	binding *b = ptr_map_get(M, sym->name);

	/* special registers are of the module: functions may hide them */
	if (!depth && !sym->range && ptr_map_get(&S->sregs, sym->name)) {
		diag_add(S->m->diags, DIAG_directive, sym->loc, arena_printf(S->A,
			"'%s' is a special register: no variable or function of a module has its name", sym->name));
		sema_count(S);
		return;
	}
	/* depth 1 is the parameters', 2 the body's: only %r<n> of a body may hide a parameter */
	if (b && (b->depth == depth || (depth == 2 && b->depth == 1))) {
		if (!may_repeat(b->sym, sym)) {
			redefined(S, sym);
			return;
		}
		/* the definition stands for both */
		if (sym->kind == PTX_SYM_FUNC ? sym->func->has_body : !(sym->linkage & PTX_L_EXTERN))
			b->sym = sym;
		return;
	}
	if (!sym->range) {
		binding *range = find_range(S, sym->name);

		if (range && range->depth == depth) {
			redefined(S, sym);
			return;
		}
		number(S, sym);
	} else {
		S->range_depth = MAX(S->range_depth, depth);
	}
	bind(S, M, sym, depth);
}
