/* parse_body.c -- the statements of a function's body: labels, scopes, directives, declarations.
 * Needs a parser behind the opening brace; leaves it at the closing one.
 * Manual: "Parallel Thread Execution ISA", 4.1 (statements), 4.3, 11.3-11.5. */
#include <string.h>

#include "ptx/front.h"

typedef struct stmts {
	ptx_stmt *first, **tail;
} stmts;

static ptx_stmt *
new_stmt(parser *P, ptx_stmtkind kind)
{
	ptx_stmt *st = arena_new(P->A, ptx_stmt);

	st->kind = kind;
	st->loc = lex_loc(&P->lx, P->t.off, MAX(P->t.len, 1u));
	return st;
}

static void
append(stmts *S, ptx_stmt *st)
{
	*S->tail = st;
	S->tail = &st->next;
}

/* , function_name label [+ n] , inlined_at file line column */
static void
parse_loc_more(parser *P)
{
	uint64_t n;

	while (!P->stuck && accept(P, ',')) {
		const char *what = expect_name(P, "function_name or inlined_at");

		if (!what)
			return;
		if (!strcmp(what, "function_name")) {
			if (P->t.kind == T_DOT)
				advance(P);
			else
				expect_name(P, "a label");
			if (accept(P, '+'))
				expect_count(P, UINT32_MAX, "an offset", &n);
			continue;
		}
		for (int i = 0; i < 3; i++)
			if (!expect_count(P, UINT32_MAX, "a line", &n))
				return;
	}
}

/* A number that ends at a space: .loc 1 -2 is no subtraction, and no file writes expressions here. */
static uint32_t
parse_plain_number(parser *P)
{
	uint64_t n = P->t.val;

	if (P->t.kind != T_INT || n > UINT32_MAX) {
		fault_here(P, "a number");
		return 0;
	}
	advance(P);
	return (uint32_t)n;
}

/* .loc file line column; no semicolon follows. */
void
parse_loc(parser *P, ptx_stmt *st)
{
	uint32_t off = P->t.off;

	st->kind = PTX_S_LOC;
	advance(P);
	st->at.file = parse_plain_number(P);
	if (!P->stuck)
		st->at.line = parse_plain_number(P);
	if (!P->stuck && P->t.kind == T_INT && !P->t.line_start)
		st->at.col = parse_plain_number(P);
	if (!P->stuck && is_punct(P, ',')) {
		parse_loc_more(P);
		st->text = text_from(P, off);
	}
	/* no semicolon to go on from: the next statement is the next line */
	if (P->stuck) {
		while (P->t.kind != T_EOF && !P->t.line_start && !is_punct(P, '}'))
			advance(P);
		P->stuck = false;
	}
}

/* Before PTX 1.4 the parameters of a kernel stand in its body (11.2.1). */
static bool
is_parameter(const parser *P, const ptx_symbol *s)
{
	return s->space == PTX_PARAM && P->func->entry && P->m->version_major == 1 && P->m->version_minor < 4;
}

static void
parse_decl_stmt(parser *P, stmts *S, uint8_t linkage)
{
	ptx_stmt *st = new_stmt(P, PTX_S_DECL);
	symbol_list list = { .n = 0 };

	parse_decl(P, linkage, &list);
	for (uint32_t i = 0; i < list.n; i++) {
		if (is_parameter(P, list.a[i]))
			*vec_push(P->A, &P->func->params) = list.a[i];
		else
			*vec_push(P->A, &st->decl) = list.a[i];
	}
	if (st->decl.n)
		append(S, st);
}

/* label: .branchtargets a, b; */
static ptx_symbol *
parse_targets(parser *P, const char *label, diag_loc loc)
{
	ptx_symbol *s = new_symbol(P, PTX_SYM_TARGETS, label, loc);

	advance(P);
	do {
		uint32_t off = P->t.off;
		const char *name = expect_name(P, "a label or function");
		ptx_operand o = { .kind = PTX_O_SYM, .name = name, .loc = span_from(P, off) };

		if (!name)
			break;
		*vec_push(P->A, &s->targets) = o;
	} while (accept(P, ','));
	end_statement(P);
	return s;
}

static bool
at_label_list(const parser *P)
{
	return is_dot(P, "branchtargets") || is_dot(P, "calltargets") || is_dot(P, "callprototype");
}

static void
parse_label(parser *P, stmts *S)
{
	ptx_stmt *st = new_stmt(P, PTX_S_LABEL);
	const char *name = P->t.s;
	uint32_t off;

	if (is_warp_size(P))
		fault_here(P, "a label");
	advance(P);
	advance(P);     /* the colon */
	if (!at_label_list(P)) {
		st->label = new_symbol(P, PTX_SYM_LABEL, name, st->loc);
		st->label->label_at = st;
		append(S, st);
		return;
	}
	st->kind = PTX_S_OTHER;
	off = P->t.off;
	if (is_dot(P, "callprototype"))
		st->label = parse_proto(P, name, st->loc);
	else
		st->label = parse_targets(P, name, st->loc);
	st->text = text_from(P, off);
	append(S, st);
}

static void
parse_block(parser *P, stmts *S)
{
	ptx_stmt *st = new_stmt(P, PTX_S_BLOCK);

	if (!enter(P)) {
		advance(P);
		recover(P);
		return;
	}
	advance(P);
	st->body = parse_body(P);
	if (!expect(P, '}', "'}'"))
		P->stuck = false;
	leave(P);
	append(S, st);
}

static void
parse_kept(parser *P, stmts *S, ptx_stmtkind kind, void (*parse)(parser *))
{
	ptx_stmt *st = new_stmt(P, kind);

	parse(P);
	st->text = text_from(P, st->loc.offset);
	append(S, st);
}

/* .file between statements, as compilers before 2010 wrote it */
static void
skip_file(parser *P)
{
	advance(P);
	while (P->t.kind == T_INT || P->t.kind == T_STRING || is_punct(P, ','))
		advance(P);
}

static void
parse_local_directive(parser *P, stmts *S)
{
	if (is_dot(P, "loc")) {
		ptx_stmt *st = new_stmt(P, PTX_S_LOC);

		parse_loc(P, st);
		append(S, st);
	} else if (is_dot(P, "pragma")) {
		parse_kept(P, S, PTX_S_PRAGMA, parse_pragma);
	} else if (is_dot(P, "section")) {
		parse_kept(P, S, PTX_S_OTHER, parse_section);
	} else if (is_dot(P, "file")) {
		parse_kept(P, S, PTX_S_OTHER, skip_file);
	} else if (accept_dot(P, "extern")) {
		parse_decl_stmt(P, S, PTX_L_EXTERN);
	} else if (at_space(P)) {
		parse_decl_stmt(P, S, 0);
	} else {
		fault_here(P, "a directive of a function body");
		recover(P);
	}
}

static void
parse_stmt(parser *P, stmts *S)
{
	ptx_stmt *st;

	if (at_dwarf_line(P)) {
		parse_kept(P, S, PTX_S_OTHER, parse_dwarf_line);
	} else if (P->t.kind == T_DOT) {
		parse_local_directive(P, S);
	} else if (is_punct(P, '{')) {
		parse_block(P, S);
	} else if (P->t.kind == T_NAME && lex_at_colon(&P->lx)) {
		parse_label(P, S);
	} else if (!accept(P, ';')) {
		st = new_stmt(P, PTX_S_INST);
		parse_inst(P, st);
		if (end_statement(P))
			append(S, st);
	}
}

ptx_stmt *
parse_body(parser *P)
{
	stmts S = { .first = NULL };

	S.tail = &S.first;
	while (P->t.kind != T_EOF && !is_punct(P, '}')) {
		uint32_t off = P->t.off;

		P->stuck = false;
		P->open = 0;
		parse_stmt(P, &S);
		if (P->t.off == off && P->t.kind != T_EOF && !is_punct(P, '}'))
			advance(P);
	}
	P->stuck = false;
	return S.first;
}
