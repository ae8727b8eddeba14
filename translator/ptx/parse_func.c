/* parse_func.c -- kernels, functions and prototypes: heads and performance directives.
 * Needs a parser at .entry, .func or .callprototype; leaves the body's tree in the function.
 * Manual: "Parallel Thread Execution ISA", 7, 11.2-11.4, 11.6, 11.7. */
#include <string.h>

#include "ptx/front.h"

/* .attribute(.managed): kept as text */
void
parse_attribute(parser *P, const char **text)
{
	uint32_t off = P->t.off, depth = 0;

	advance(P);
	if (!is_punct(P, '(')) {
		fault_here(P, "'('");
		return;
	}
	do {
		if (is_punct(P, '('))
			depth++;
		if (is_punct(P, ')'))
			depth--;
		advance(P);
	} while (depth && P->t.kind != T_EOF && !is_punct(P, ';') && !is_punct(P, '{'));
	if (depth)
		fault_here(P, "')'");
	*text = text_from(P, off);
}

/* A directive's numbers, up to max of them, into v. */
static unsigned
parse_numbers(parser *P, unsigned max, uint32_t *v)
{
	unsigned n = 0;
	uint64_t x;

	do {
		if (n >= max) {
			fault_here(P, "fewer numbers");
			return n;
		}
		if (!expect_count(P, UINT32_MAX, "the number", &x))
			return n;
		v[n++] = (uint32_t)x;
	} while (accept(P, ','));
	return n;
}

enum { D_MAXNTID, D_REQNTID, D_MINNCTA, D_MAXNREG, D_NORETURN, D_CLUSTER, D_KEPT };

static const struct { const char *word; uint8_t what, numbers; } directives[] = {
	{ "maxntid", D_MAXNTID, 3 }, { "reqntid", D_REQNTID, 3 },
	{ "minnctapersm", D_MINNCTA, 1 }, { "maxnctapersm", D_KEPT, 1 },
	{ "maxnreg", D_MAXNREG, 1 }, { "noreturn", D_NORETURN, 0 },
	{ "explicitcluster", D_KEPT, 0 }, { "reqnctapercluster", D_CLUSTER, 3 },
	{ "maxclusterrank", D_KEPT, 1 }, { "blocksareclusters", D_KEPT, 0 },
	{ "abi_preserve", D_KEPT, 1 }, { "abi_preserve_control", D_KEPT, 1 },
};

static void
set_directive(ptx_func *f, int what, const uint32_t *v)
{
	uint32_t x = MAX(v[0], 1u), y = MAX(v[1], 1u), z = MAX(v[2], 1u);

	switch (what) {
	case D_MAXNTID:
		f->maxntid.given = true;
		memcpy(f->maxntid.v, (uint32_t[]){ x, y, z }, sizeof f->maxntid.v);
		break;
	case D_REQNTID:
		f->reqntid.given = true;
		memcpy(f->reqntid.v, (uint32_t[]){ x, y, z }, sizeof f->reqntid.v);
		break;
	case D_MINNCTA: f->minnctapersm = v[0]; break;
	case D_MAXNREG: f->maxnreg = v[0]; break;
	case D_NORETURN: f->noreturn = true; break;
	case D_CLUSTER: f->clusters = x > 1 || y > 1 || z > 1; break;
	}
}

static bool
parse_func_directive(parser *P, ptx_func *f)
{
	uint32_t off = P->t.off, v[3] = { 0, 0, 0 };

	for (size_t i = 0; i < COUNT(directives); i++) {
		if (!is_dot(P, directives[i].word))
			continue;
		advance(P);
		if (directives[i].numbers)
			parse_numbers(P, directives[i].numbers, v);
		set_directive(f, directives[i].what, v);
		*vec_push(P->A, &f->directives) = text_from(P, off);
		return true;
	}
	return false;
}

/* .pragma between head and body belongs to the function. */
static void
parse_func_directives(parser *P, ptx_func *f)
{
	while (!P->stuck && P->t.kind == T_DOT) {
		uint32_t off = P->t.off;

		if (is_dot(P, "pragma")) {
			parse_pragma(P);
			*vec_push(P->A, &f->directives) = text_from(P, off);
		} else if (!parse_func_directive(P, f)) {
			fault_here(P, "a directive of a function");
		}
	}
}

static void
give_params(parser *P, ptx_func *f, const symbol_list *from, bool rets)
{
	for (uint32_t i = 0; i < from->n; i++) {
		from->a[i]->func = f;
		if (rets)
			*vec_push(P->A, &f->rets) = from->a[i];
		else
			*vec_push(P->A, &f->params) = from->a[i];
	}
}

static void
parse_list(parser *P, ptx_func *f, bool rets)
{
	symbol_list list = { .n = 0 };

	if (is_punct(P, '('))
		parse_params(P, &list);
	give_params(P, f, &list, rets);
}

/* Behind a head that cannot be read: its body goes unread with it. */
static void
skip_function(parser *P)
{
	uint32_t open = 0;

	P->stuck = false;
	while (P->t.kind != T_EOF) {
		if (!open && accept(P, ';'))
			return;
		if (is_punct(P, '{'))
			open++;
		if (is_punct(P, '}') && open-- <= 1) {
			advance(P);
			return;
		}
		advance(P);
	}
}

/* A directive that only a module has, where its line begins: a brace is missing before it. */
static bool
is_of_module(const token *t)
{
	static const char *const row[] = { "version", "target", "address_size", "visible", "weak", "entry", "func", "alias" };

	for (size_t i = 0; i < COUNT(row); i++)
		if (t->kind == T_DOT && t->line_start && !strcmp(t->s, row[i]))
			return true;
	return false;
}

/* The offset behind the brace that closes the body, found by braces alone; 0: which it is is not certain. */
static uint32_t
find_body_end(const parser *P)
{
	lexer lx = P->lx;
	uint32_t open = 1;
	token t;

	lx.nfaults = PTX_MAX_SYNTAX_FAULTS;     /* those who read it report its faults */
	lx.pos = P->body;
	do {
		lex_next(&lx, &t);
		open += (int)t.kind == '{';
		open -= (int)t.kind == '}';
		if (t.kind == T_EOF || is_of_module(&t) || (t.kind == T_BAD && lx.src[t.off] == '"'))
			return 0;
	} while (open);
	return lx.pos;
}

void
bound_body(parser *P)
{
	if (!P->body || P->body_end)
		return;
	P->body_end = find_body_end(P);
	if (P->body_end)
		P->lx.size = P->body_end;
	else
		P->m->nbad++;
}

/* The opening brace is read. */
static void
read_body(parser *P, ptx_func *f)
{
	uint32_t size = P->lx.size, before = P->m->diags->nerrors;

	f->has_body = true;
	P->body = P->t.off;
	f->body = parse_body(P);
	if (P->body_end) {
		P->lx.size = size;
		P->lx.pos = P->body_end;
		advance(P);
		P->m->nwithin += P->m->diags->nerrors - before;
	} else if (!accept(P, '}') && may_fault(P)) {
		diag_add(P->m->diags, DIAG_unterminated, f->sym->loc, "function body");
	}
	P->body = P->body_end = 0;
}

ptx_func *
parse_func(parser *P, uint8_t linkage, uint32_t off)
{
	ptx_func *f = arena_new(P->A, ptx_func);
	const char *attr = NULL, *name;
	uint32_t at;

	f->entry = is_dot(P, "entry");
	P->func = f;
	advance(P);
	if (is_dot(P, "attribute"))
		parse_attribute(P, &attr);
	if (!f->entry)
		parse_list(P, f, true);
	at = P->t.off;
	name = P->stuck ? NULL : expect_name(P, "the name of a function");
	if (!name) {
		skip_function(P);
		P->func = NULL;
		P->m->nbad++;
		return NULL;
	}
	f->sym = new_symbol(P, PTX_SYM_FUNC, name, span_from(P, at));
	f->sym->linkage = linkage;
	f->sym->attr = attr;
	f->loc = lex_loc(&P->lx, off, P->end - off);
	parse_list(P, f, false);
	parse_func_directives(P, f);
	if (P->stuck) {
		skip_function(P);
	} else if (accept(P, '{')) {
		read_body(P, f);
	} else if (!accept(P, ';')) {
		fault_here(P, "'{' or ';'");
		skip_function(P);
	}
	P->func = NULL;
	return f;
}

/* label: .callprototype (rets) _ (params); */
ptx_symbol *
parse_proto(parser *P, const char *label, diag_loc loc)
{
	ptx_symbol *s = new_symbol(P, PTX_SYM_PROTO, label, loc);
	ptx_func *f = arena_new(P->A, ptx_func);

	s->func = f;
	f->sym = s;
	f->loc = loc;
	advance(P);
	parse_list(P, f, true);
	if (!P->stuck && P->t.kind == T_NAME)
		advance(P);
	else
		fault_here(P, "'_'");
	parse_list(P, f, false);
	parse_func_directives(P, f);
	end_statement(P);
	return s;
}
