/* link.c -- the files of a program as one: names, module-level variables, initial values.
 * Needs checked modules; leaves an ir_var for each .global and .const variable that can be had.
 * Manual: "Parallel Thread Execution ISA", 11.6 (linking directives), 5.4.4 (initializers). */
#include <string.h>

#include "lower/lower.h"

/* Names that other files see, by pointer: they are interned. Open addressing, half full at most. */
struct lower_link {
	struct link_slot { const char *name; ptx_symbol *sym; } *slot;   /* an alias has another name than its symbol */
	struct link_slot *any;                                           /* all names of all files; sym NULL: several have it */
	uint32_t nslots;
};

static bool
is_definition(const ptx_symbol *s)
{
	if (s->linkage & PTX_L_EXTERN)
		return false;
	return s->kind == PTX_SYM_VAR || (s->kind == PTX_SYM_FUNC && s->func && s->func->has_body);
}

static bool
is_seen_outside(const ptx_symbol *s)
{
	return s->linkage & (PTX_L_VISIBLE | PTX_L_WEAK | PTX_L_COMMON) ||
	       (s->kind == PTX_SYM_FUNC && s->func && s->func->entry);
}

static bool
gives_way(const ptx_symbol *s)
{
	return s->linkage & (PTX_L_WEAK | PTX_L_COMMON);
}

static struct link_slot *
find_in(const lower_link *k, struct link_slot *slot, const char *name)
{
	uint64_t h = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) & (k->nslots - 1);

	while (slot[i].name && slot[i].name != name)
		i = (i + 1) & (k->nslots - 1);
	return &slot[i];
}

/* Where the definition of a name stands, or is to be put. */
static struct link_slot *
find(lower *L, const char *name)
{
	return find_in(L->link, L->link->slot, name);
}

/* ---- variables that the host finds by name ---- */

static void
note_name(lower *L, const char *name, ptx_symbol *s)
{
	struct link_slot *at = find_in(L->link, L->link->any, name);

	at->sym = at->name ? NULL : s;
	at->name = name;
}

static void
note_names(lower *L, ptx_module *m)
{
	for (uint32_t i = 0; i < m->aliases.n; i++)
		note_name(L, m->aliases.a[i].name, NULL);
	for (uint32_t i = 0; i < m->vars.n; i++)
		if (!m->vars.a[i]->func)
			note_name(L, m->vars.a[i]->name, m->vars.a[i]);
	for (const ptx_func *f = m->funcs; f; f = f->next)
		if (f->sym)
			note_name(L, f->sym->name, NULL);
}

/* CUDA's host finds a file's own variables too, and nvcc writes what is not shared between files without .visible. */
static bool
is_found_by_name(const lower *L, const ptx_symbol *s)
{
	return is_seen_outside(s) || (!s->func && find_in(L->link, L->link->any, s->name)->sym == s);
}

/* False: a second strong definition. Two of one name in one file are reported by sema; an alias has another name. */
static bool
define(lower *L, ptx_symbol *s)
{
	struct link_slot *at = find(L, s->name);

	if (at->sym && at->sym != s && !gives_way(s) && !gives_way(at->sym)) {
		if (at->sym->loc.file != s->loc.file || at->sym->name != s->name)
			diag_add(L->diags, DIAG_duplicate_symbol, s->loc, s->name, diag_file(L->diags, at->sym->loc),
				(unsigned)diag_line(L->diags, at->sym->loc));
		return false;
	}
	if (!at->sym || (gives_way(at->sym) && !gives_way(s)))
		*at = (struct link_slot){ s->name, s };
	return true;
}

static uint32_t
count_names(ptx_module *const *mods, size_t nmods)
{
	uint32_t n = 0;

	for (size_t i = 0; i < nmods; i++) {
		n += mods[i]->vars.n + mods[i]->aliases.n;
		for (const ptx_func *f = mods[i]->funcs; f; f = f->next)
			n++;
	}
	return n;
}

/* The other name stands for the function, which the same file defines. */
static bool
define_alias(lower *L, ptx_module *m, const ptx_alias *a)
{
	const char *why = "the function is not defined in this file";

	for (ptx_func *f = m->funcs; f; f = f->next) {
		if (!f->sym || f->sym->name != a->of || !f->has_body)
			continue;
		if (f->entry) {
			why = "a kernel has one name";
			break;
		}
		*find(L, a->name) = (struct link_slot){ a->name, f->sym };
		return true;
	}
	diag_add(L->diags, DIAG_directive, a->loc, arena_printf(L->A, "alias '%s' of '%s': %s", a->name, a->of, why));
	return false;
}

static bool
define_all(lower *L, ptx_module *m)
{
	bool ok = true;

	for (uint32_t i = 0; i < m->aliases.n; i++)
		ok &= define_alias(L, m, &m->aliases.a[i]);

	for (uint32_t i = 0; i < m->vars.n; i++)
		if (is_definition(m->vars.a[i]) && is_seen_outside(m->vars.a[i]))
			ok &= define(L, m->vars.a[i]);
	for (ptx_func *f = m->funcs; f; f = f->next)
		if (f->sym && f->has_body && is_definition(f->sym) && is_seen_outside(f->sym))
			ok &= define(L, f->sym);
	return ok;
}

/* A declaration and the definition that another file has. */

static bool
agrees(lower *L, const ptx_symbol *s, const ptx_symbol *d)
{
	const char *file = diag_file(L->diags, d->loc);
	unsigned line = diag_line(L->diags, d->loc);

	if (s->kind == PTX_SYM_VAR && d->kind == PTX_SYM_VAR && !s->unsized && s->size != d->size) {
		diag_add(L->diags, DIAG_other_size, s->loc, s->name, (unsigned long long)s->size, file, line,
			(unsigned long long)d->size);
		return false;
	}
	if (s->kind == PTX_SYM_FUNC && d->kind == PTX_SYM_FUNC && s->func && d->func && !lower_fits(s->func, d->func)) {
		diag_add(L->diags, DIAG_other_parameters, s->loc, s->name, file, line);
		return false;
	}
	return true;
}

static bool
agree_all(lower *L, ptx_module *m)
{
	bool ok = true;

	for (uint32_t i = 0; i < m->vars.n; i++)
		if (m->vars.a[i]->linkage & PTX_L_EXTERN)
			ok &= agrees(L, m->vars.a[i], lower_resolve(L, m->vars.a[i]));
	for (ptx_func *f = m->funcs; f; f = f->next)
		if (f->sym && !f->has_body && f->sym->linkage & PTX_L_EXTERN)
			ok &= agrees(L, f->sym, lower_resolve(L, f->sym));
	return ok;
}

ptx_symbol *
lower_resolve(lower *L, ptx_symbol *s)
{
	ptx_symbol *d;

	if (!is_seen_outside(s) && !(s->linkage & PTX_L_EXTERN) && (s->kind != PTX_SYM_FUNC || !s->func || s->func->has_body))
		return s;
	d = find(L, s->name)->sym;
	return d && d->kind == s->kind ? d : s;
}

/* Variables */

static bool
is_variable(const ptx_symbol *s)
{
	return s->kind == PTX_SYM_VAR && (s->space == PTX_GLOBAL || s->space == PTX_CONST);
}

/* 0xff(x), 0xff00(x) ..: are these the eight bytes of one address? So CUDA's compiler writes one in a packed structure. */
static bool
is_spelled_out(const ptx_symbol *s, uint32_t i)
{
	const ptx_init *x = &s->init.a[i];

	if (ptx_type_bits(s->type) != 8 || s->init.n - i < 8)
		return false;
	for (uint8_t k = 0; k < 8; k++)
		if (x[k].kind != PTX_I_ADDR || x[k].mask_byte != k + 1 || x[k].sym != x->sym || x[k].bits != x->bits || x[k].index != x->index + k)
			return false;
	return true;
}

/* What kind of variable it is, if one that cannot be had; NULL: it can. */
static const char *
fault_of(const ptx_symbol *s)
{
	unsigned bits = ptx_type_bits(s->type);

	if (bits < 8)
		return "of opaque type";
	for (uint32_t i = 0; i < s->init.n; i++) {
		const ptx_init *x = &s->init.a[i];

		if (x->kind != PTX_I_ADDR)
			continue;
		if (is_spelled_out(s, i))
			i += 7;
		else if (x->mask_byte || bits != 64)
			return "initialized with a part of an address";
		if (!x->sym || !(is_variable(x->sym) || x->sym->kind == PTX_SYM_FUNC))
			return "initialized with the address of what has none";
	}
	return NULL;
}

/* Code objects are loaded at the begin of a page, which is all that can be relied on. */
enum { LARGEST_INITIALIZED = 256 << 20, LARGEST_ALIGNMENT = 4096 };
/* Code and tables of the object get the rest of ISA_OBJECT_LIMIT. */
#define LARGEST_PROGRAM (ISA_OBJECT_LIMIT - (1 << 30))

static bool
add_variable(lower *L, ptx_symbol *s)
{
	lower_symbol *x = lo_symbol(L, s, L->M);
	ir_var v = { .name = s->name, .size = s->size, .align = MAX(s->align, 1u) };
	const char *why = fault_of(s);

	if (s->func)                    /* others may have one of that name; PTX's have no dot */
		v.name = arena_printf(L->A, "%s.%u", s->name, L->M->vars.n);
	if (why || s->linkage & PTX_L_EXTERN) {
		x->fault_id = why ? DIAG_unsupported_use : DIAG_no_definition;
		x->fault = why ? arena_printf(L->A, "'%s', a variable %s,", s->name, why) : s->name;
		return true;
	}
	if (v.align > LARGEST_ALIGNMENT) {
		diag_add(L->diags, DIAG_too_large, s->loc, arena_printf(L->A, "the alignment of '%s'", s->name),
			(unsigned long long)LARGEST_ALIGNMENT);
		return false;
	}
	v.constant = s->space == PTX_CONST;
	if ((s->has_init || v.constant) && s->size > LARGEST_INITIALIZED) {     /* they stand in the file */
		diag_add(L->diags, DIAG_too_large, s->loc, arena_printf(L->A, "'%s'", s->name),
			(unsigned long long)LARGEST_INITIALIZED);
		return false;
	}
	L->static_bytes = (L->static_bytes + v.align - 1) / v.align * v.align + s->size;
	if (L->static_bytes > LARGEST_PROGRAM) {
		diag_add(L->diags, DIAG_variable_limit, s->loc, s->name, (unsigned long long)L->static_bytes,
			(unsigned long long)LARGEST_PROGRAM);
		return false;
	}
	v.exported = is_found_by_name(L, s);
	x->var = L->M->vars.n;
	*vec_push(L->A, &L->M->vars) = v;
	return true;
}

/* One that is external is looked at where it is first used. */
lower_symbol *
lower_variable(lower *L, ptx_symbol *s)
{
	lower_symbol *x = lo_symbol(L, s, L->M);

	if (!x->placed) {
		x->placed = true;
		add_variable(L, s);
	}
	return x;
}

/* Of a function: the number that calls through registers understand. */
static bool
add_function(lower *L, uint8_t *data, const ptx_init *x)
{
	const lower_func *f = lower_function(L, x->sym);

	if (!f)
		diag_add(L->diags, DIAG_no_definition, x->loc, x->sym->name);
	else if (f->f->entry)
		diag_add(L->diags, DIAG_unsupported_use, x->loc,
			arena_printf(L->A, "the address of '%s', a kernel (launch it from the host),", x->sym->name));
	if (!f || f->f->entry)
		return false;
	for (unsigned k = 0; k < 8; k++)
		data[k] = (uint8_t)((f->address + x->bits) >> (8 * k));
	return true;
}

static bool
add_address(lower *L, ir_var *v, const ptx_init *x, uint64_t offset)
{
	ptx_symbol *s = lower_resolve(L, x->sym);
	lower_symbol *to = lower_variable(L, s);
	struct ir_reloc r = { .offset = offset, .addend = (int64_t)x->bits };

	if (to->fault) {
		diag_add(L->diags, to->fault_id, x->loc, to->fault);
		return false;
	}
	r.var = to->var;
	*vec_push(L->A, &v->relocs) = r;
	return true;
}

static bool
fill(lower *L, ptx_symbol *s)
{
	const lower_symbol *x = lower_variable(L, s);
	unsigned bytes = ptx_type_bits(s->type) / 8;
	uint8_t *data;
	ir_var v;
	bool ok = true;

	if (x->fault || !s->init.n || s->linkage & PTX_L_EXTERN)
		return true;
	v = L->M->vars.a[x->var];
	data = arena_alloc(L->A, s->size);
	for (uint32_t i = 0; i < s->init.n; i++) {
		const ptx_init *e = &s->init.a[i];
		uint64_t at = e->index * bytes;

		if (e->index >= s->size / bytes)
			continue;
		if (e->mask_byte)
			i += 7;         /* is_spelled_out: all eight bytes at once */
		if (e->kind == PTX_I_ADDR && e->sym->kind == PTX_SYM_FUNC)
			ok &= add_function(L, data + at, e);
		else if (e->kind == PTX_I_ADDR)
			ok &= add_address(L, &v, e, at);
		else
			for (unsigned k = 0; k < MIN(bytes, 8u); k++)
				data[at + k] = (uint8_t)(e->bits >> (8 * k));
	}
	v.data = data;
	L->M->vars.a[x->var] = v;
	return ok;
}

static bool
add_variables(lower *L, ptx_module *m)
{
	bool ok = true;

	for (uint32_t i = 0; i < m->vars.n; i++) {
		ptx_symbol *s = m->vars.a[i];

		if (!is_variable(s) || s->linkage & PTX_L_EXTERN || lower_resolve(L, s) != s)
			continue;
		lo_symbol(L, s, L->M)->placed = true;
		ok &= add_variable(L, s);
	}
	return ok;
}

bool
lower_link_all(lower *L, ptx_module *const *mods, size_t nmods)
{
	uint32_t n = count_names(mods, nmods), slots = 16;
	bool ok = true;

	while (slots / 2 <= n)
		slots *= 2;
	L->link = arena_new(L->A, lower_link);
	L->link->nslots = slots;
	L->link->slot = arena_array(L->A, struct link_slot, slots);
	L->link->any = arena_array(L->A, struct link_slot, slots);
	for (size_t i = 0; i < nmods; i++)
		note_names(L, mods[i]);
	for (size_t i = 0; i < nmods; i++)
		ok &= define_all(L, mods[i]);
	for (size_t i = 0; ok && i < nmods; i++)
		ok &= agree_all(L, mods[i]);
	if (ok)
		lower_graph_all(L, mods, nmods);
	for (size_t i = 0; ok && i < nmods; i++)
		ok &= add_variables(L, mods[i]);
	for (size_t i = 0; ok && i < nmods; i++)
		for (uint32_t k = 0; k < mods[i]->vars.n; k++) {
			ptx_symbol *s = mods[i]->vars.a[k];

			if (is_variable(s) && lower_resolve(L, s) == s)
				ok &= fill(L, s);
		}
	return ok;
}
