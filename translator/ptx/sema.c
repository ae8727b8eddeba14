/* sema.c -- resolves and checks a parsed module.
 * Needs parse's tree; leaves symbols in operands, forms in instructions, registers and labels numbered
 * and every fault reported. Manual: "Parallel Thread Execution ISA", 4.4, 5, 7. */
#include <string.h>

#include "ptx/front.h"

static bool
is_before(const ptx_module *m, unsigned major, unsigned minor)
{
	return m->version_major < major || (m->version_major == major && m->version_minor < minor);
}

static void
sema_init(sema *S, ptx_module *m)
{
	static const char *const texts[] = {
#define PTX_SREG(id, text, type) text,
#include "ptx/sregs.def"
#undef PTX_SREG
	};

	*S = (sema){ .m = m, .A = m->A };
	S->flushes = m->sm < 20;
	S->demotes = strstr(m->target, "map_f64_to_f32") != NULL;
	S->past = (is_before(m, 1, 4) ? BEFORE_1_4 : 0) | (is_before(m, 3, 2) || S->flushes ? BEFORE_3_2 : 0);
	words_init(&S->w, m->A, m->names);
	ptr_map_init(&S->bound, m->A);
	ptr_map_init(&S->ranges, m->A);
	ptr_map_init(&S->sregs, m->A);
	for (uintptr_t i = 0; i < COUNT(texts); i++)
		*ptr_map_at(&S->sregs, m->A, intern_lit(m->names, texts[i])) = (void *)(i + 1);
}

/* One more fault of the function at work, or of the module. */
void
sema_count(sema *S)
{
	if (S->func)
		S->func->nbad++;
	else
		S->m->nbad++;
}

static void
declaration_fault(sema *S, const ptx_symbol *s, const char *text)
{
	diag_add(S->m->diags, DIAG_directive, s->loc, arena_printf(S->A, "'%s': %s", s->name, text));
	sema_count(S);
}

static bool
is_opaque(ptx_type t)
{
	return t == PTX_TEXREF || t == PTX_SAMPLERREF || t == PTX_SURFREF;
}

static void
check_declaration(sema *S, const ptx_symbol *s)
{
	bool module = !s->func;

	if (s->has_init && s->space != PTX_GLOBAL && s->space != PTX_CONST)
		declaration_fault(S, s, "only .global and .const variables have initial values");
	else if (s->has_init && s->linkage & PTX_L_EXTERN)
		declaration_fault(S, s, "an .extern variable has no initial value");
	else if (s->space == PTX_REG && s->dims.n)
		declaration_fault(S, s, "registers have no arrays");
	else if (s->type == PTX_PRED && s->space != PTX_REG)
		declaration_fault(S, s, "a predicate lives in a register");
	else if (s->type == PTX_PRED && s->vec > 1)
		declaration_fault(S, s, "predicates have no vectors");
	else if (s->unsized && !(s->linkage & PTX_L_EXTERN))
		declaration_fault(S, s, "an array without a size is .extern or has initial values");
	else if (!s->count && !s->range)
		declaration_fault(S, s, "an array has elements");
	else if (s->range && (s->dims.n || s->has_init))
		declaration_fault(S, s, "a set of names has no array and no initial value");
	else if (module && s->space == PTX_REG)
		declaration_fault(S, s, "registers belong to a function");
	else if (module && s->space == PTX_PARAM)
		declaration_fault(S, s, "a parameter belongs to a function");
	else if (!module && is_opaque(s->type) && s->space != PTX_PARAM)
		declaration_fault(S, s, "textures, samplers and surfaces are declared in the module");
}

/* open: the last one that comes in, which may be an array of any size where it is a function's. */
static void
declare_parameter(sema *S, ptx_symbol *s, bool open)
{
	bool entry = S->func->entry, lies = s->space == PTX_PARAM;

	if (!lies && (entry || s->space != PTX_REG))
		declaration_fault(S, s, entry ? "a parameter of a kernel lies in .param" : "a parameter lies in .param or .reg");
	else if (s->range || s->has_init)
		declaration_fault(S, s, "a parameter is one name, without an initial value");
	else if (!lies && s->dims.n)
		declaration_fault(S, s, "registers have no arrays");
	else if (lies && s->type == PTX_PRED)
		declaration_fault(S, s, "a predicate lives in a register");
	else if ((s->unsized || !s->count) && (entry || !open))
		declaration_fault(S, s, "only the last parameter of a function may be an array without a size");
	scope_declare(S, s);
}

static void
declare(sema *S, ptx_symbol *s)
{
	check_declaration(S, s);
	scope_declare(S, s);
}

/* Addresses may be of what is declared later. */
static void
resolve_init(sema *S, ptx_symbol *s)
{
	for (uint32_t i = 0; i < s->init.n; i++) {
		ptx_init *x = &s->init.a[i];

		if (x->kind != PTX_I_ADDR)
			continue;
		x->sym = scope_find(S, x->name);
		if (x->sym && x->sym->kind != PTX_SYM_VAR && x->sym->kind != PTX_SYM_FUNC)
			diag_add(S->m->diags, DIAG_initializer, x->loc, s->name,
				"this name has no address");
		else if (x->sym && !x->mask_byte && (ptx_is_float(s->type) || ptx_type_bits(s->type) < 32))
			diag_add(S->m->diags, DIAG_initializer, x->loc, s->name,
				"an address is an integer of 32 or 64 bits; 0xff(name) is one byte of it");
		else if (x->sym)
			continue;
		else
			diag_add(S->m->diags, DIAG_undefined, x->loc, x->name);
		sema_count(S);
	}
}

/* Of a function, which live as long as the module. */
static void
keep_variable(sema *S, ptx_symbol *s)
{
	resolve_init(S, s);
	if ((s->space == PTX_GLOBAL || s->space == PTX_CONST) && !s->range)
		*vec_push(S->A, &S->m->vars) = s;
}

static void
resolve_targets(sema *S, ptx_symbol *s)
{
	ptx_stmt st = { .loc = s->loc };

	S->stmt = &st;
	S->bad = false;
	for (uint32_t i = 0; i < s->targets.n; i++)
		sema_resolve(S, &s->targets.a[i], DIAG_label_undefined);
	if (S->bad)
		S->func->nbad++;
}

/* Depth is bounded by the parser. Labels count from the start of their scope. */
static void
sema_stmts(sema *S, ptx_stmt *first)
{
	for (ptx_stmt *st = first; st; st = st->next)
		if (st->label)
			scope_declare(S, st->label);
	for (ptx_stmt *st = first; st; st = st->next) {
		switch (st->kind) {
		case PTX_S_INST:
			sema_inst(S, st);
			break;
		case PTX_S_DECL:
			for (uint32_t i = 0; i < st->decl.n; i++)
				declare(S, st->decl.a[i]);
			for (uint32_t i = 0; i < st->decl.n; i++)
				keep_variable(S, st->decl.a[i]);
			break;
		case PTX_S_BLOCK:
			scope_open(S);
			sema_stmts(S, st->body);
			scope_close(S);
			break;
		case PTX_S_OTHER:
			if (st->label && st->label->kind == PTX_SYM_TARGETS)
				resolve_targets(S, st->label);
			break;
		default:
			break;
		}
	}
}

static void
sema_func(sema *S, ptx_func *f)
{
	S->func = f;
	S->heading = true;
	scope_open(S);
	for (uint32_t i = 0; i < f->rets.n; i++)
		declare_parameter(S, f->rets.a[i], false);
	for (uint32_t i = 0; i < f->params.n; i++)
		declare_parameter(S, f->params.a[i], i + 1 == f->params.n);
	S->heading = false;
	scope_open(S);
	sema_stmts(S, f->body);
	scope_close(S);
	scope_close(S);
	S->func = NULL;
}

/* Every symbol of a function leads to its body, if there is one. */
static void
link_functions(sema *S, ptx_func *first)
{
	for (ptx_func *f = first; f; f = f->next) {
		ptx_symbol *def = scope_find(S, f->sym->name);

		if (def && def->kind == PTX_SYM_FUNC)
			f->sym->func = def->func;
	}
}

/* x<3> stands for no memory of its own; its members join when they are named. */
static void
drop_ranges(ptx_module *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->vars.n; i++)
		if (!m->vars.a[i]->range)
			m->vars.a[n++] = m->vars.a[i];
	m->vars.n = n;
}

void
ptx_sema(ptx_module *m)
{
	sema S;

	sema_init(&S, m);
	if (m->address_size == 32) {
		diag_add(m->diags, DIAG_unsupported_dir, m->address_loc, ".address_size 32", ": addresses have 64 bits; compile with -m64", "");
		m->nbad++;
	}
	scope_open(&S);
	for (uint32_t i = 0; i < m->items.n; i++) {
		ptx_item *it = &m->items.a[i];

		for (uint32_t k = 0; k < it->vars.n; k++)
			declare(&S, it->vars.a[k]);
		if (it->func) {
			it->func->sym->func = it->func;
			scope_declare(&S, it->func->sym);
		}
	}
	drop_ranges(m);
	link_functions(&S, m->funcs);
	for (uint32_t i = 0; i < m->vars.n; i++)
		resolve_init(&S, m->vars.a[i]);
	for (ptx_func *f = m->funcs; f; f = f->next)
		sema_func(&S, f);
	scope_close(&S);
}
