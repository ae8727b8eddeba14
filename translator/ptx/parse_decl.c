/* parse_decl.c -- declarations of registers, variables and parameters.
 * Needs a parser at a state space; leaves symbols with type, sizes and initializers, unresolved.
 * Manual: "Parallel Thread Execution ISA", 5.1-5.4. */
#include <string.h>

#include "ptx/front.h"

/* 2^40 bytes are more than any chip has; products of sizes stay far from overflow. */
static const uint64_t MAX_BYTES = UINT64_C(1) << 40;

static const struct { const char *word; ptx_space space; } spaces[] = {
	{ "reg", PTX_REG }, { "param", PTX_PARAM }, { "global", PTX_GLOBAL },
	{ "shared", PTX_SHARED }, { "const", PTX_CONST }, { "local", PTX_LOCAL },
	{ "tex", PTX_TEX },
};

static const ptx_space *
space_here(const parser *P)
{
	for (size_t i = 0; i < COUNT(spaces) && P->t.kind == T_DOT; i++)
		if (!strcmp(P->t.s, spaces[i].word))
			return &spaces[i].space;
	return NULL;
}

bool
at_space(const parser *P)
{
	return space_here(P) != NULL;
}

ptx_symbol *
new_symbol(parser *P, ptx_symkind kind, const char *name, diag_loc loc)
{
	ptx_symbol *s = arena_new(P->A, ptx_symbol);

	s->name = name;
	s->kind = kind;
	s->vec = 1;
	s->count = 1;
	s->loc = loc;
	s->func = P->func;
	return s;
}

static ptx_type
type_here(const parser *P)
{
	dot_word x = { .type = PTX_NOTYPE };

	if (P->t.kind == T_DOT)
		x = words_dot(P->w, P->lx.names, P->t.s, strlen(P->t.s));
	return x.type;
}

static uint32_t
parse_align(parser *P)
{
	uint32_t off;
	uint64_t n;

	advance(P);
	off = P->t.off;
	if (!expect_count(P, 1u << 30, "an alignment", &n))
		return 0;
	if (n & (n - 1) || n == 0) {
		fault_span(P, DIAG_syntax, off, P->end - off, "an alignment is a power of two");
		return 0;
	}
	return (uint32_t)n;
}

/* .ptr .space .align n, of a kernel's parameter */
static void
parse_ptr(parser *P, ptx_symbol *s)
{
	const ptx_space *space;

	advance(P);
	s->ptr_attr = true;
	space = space_here(P);
	if (space) {
		s->ptr_space = *space;
		advance(P);
	}
	if (is_dot(P, "align"))
		s->ptr_align = parse_align(P);
}

static bool
parse_vector_size(parser *P, ptx_symbol *s)
{
	static const struct { const char *word; uint8_t n; } row[] = {
		{ "v2", 2 }, { "v4", 4 }, { "v8", 8 },
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		if (accept_dot(P, row[i].word)) {
			s->vec = row[i].n;
			return true;
		}
	}
	return false;
}

/* What stands between the space and the first name, in any order. */
static void
parse_specifiers(parser *P, ptx_symbol *s)
{
	while (P->t.kind == T_DOT && !P->stuck) {
		ptx_type t = type_here(P);

		if (t != PTX_NOTYPE) {
			if (s->type != PTX_NOTYPE)
				fault_here(P, "one type");
			if (t == PTX_B128 && P->m->version_major * 100 + P->m->version_minor < 803)
				diag_add(P->m->diags, DIAG_directive, lex_loc(&P->lx, P->t.off, P->t.len), "type .b128 needs PTX 8.3 or later");
			s->type = t;
			advance(P);
		} else if (is_dot(P, "align")) {
			s->align = parse_align(P);
		} else if (is_dot(P, "ptr")) {
			parse_ptr(P, s);
		} else if (is_dot(P, "attribute")) {
			parse_attribute(P, &s->attr);
		} else if (!parse_vector_size(P, s)) {
			fault_here(P, "a type");
		}
	}
	if (s->type == PTX_NOTYPE)
		fault_here(P, "a type");
}

/* %r<100> */
static void
parse_range(parser *P, ptx_symbol *s)
{
	uint64_t n;

	if (!accept(P, '<'))
		return;
	/* not a whole expression: > would go on with it */
	n = P->t.val;
	if (P->t.kind != T_INT || n > 1u << 30) {
		fault_here(P, "a count of names up to 2^30");
		return;
	}
	advance(P);
	expect(P, '>', "'>'");
	s->range = true;
	s->count = n;
}

static void
parse_dims(parser *P, ptx_symbol *s)
{
	uint64_t n;

	while (!P->stuck && accept(P, '[')) {
		if (is_punct(P, ']')) {
			if (s->dims.n)
				fault_here(P, "a size: only the first may be left out");
			s->unsized = true;
			n = 0;
		} else if (!expect_count(P, MAX_BYTES, "an array", &n)) {
			return;
		}
		if (n && s->count > MAX_BYTES / n) {
			fault_span(P, DIAG_syntax, s->loc.offset, s->loc.length,
				"this array is too large");
			return;
		}
		s->count *= n ? n : !s->unsized ? 0 : 1;
		*vec_push(P->A, &s->dims) = n;
		expect(P, ']', "']'");
	}
}

uint32_t
natural_align(const ptx_symbol *s)
{
	unsigned bytes = ptx_type_bits(s->type) / 8;

	return bytes ? bytes * s->vec : s->type == PTX_PRED || s->type == PTX_OTHER_TYPE ? 1 : 8;
}

static void
set_size(ptx_symbol *s)
{
	uint64_t elements = s->unsized && !s->has_init ? 0 : s->count;

	if (!s->align)
		s->align = natural_align(s);
	s->size = elements * MAX(ptx_type_bits(s->type) / 8, 1u) * s->vec;
}

static ptx_symbol *
parse_declarator(parser *P, const ptx_symbol *like, uint8_t linkage)
{
	uint32_t off = P->t.off;
	ptx_symbol *s;
	const char *name = expect_name(P, "a name");

	if (!name)
		return NULL;
	s = new_symbol(P, like->kind, name, span_from(P, off));
	s->type = like->type;
	s->space = like->space;
	s->vec = like->vec;
	s->align = like->align;
	s->attr = like->attr;
	s->ptr_attr = like->ptr_attr;
	s->ptr_space = like->ptr_space;
	s->ptr_align = like->ptr_align;
	s->linkage = linkage;
	parse_range(P, s);
	parse_dims(P, s);
	if (!P->stuck && is_punct(P, '='))
		parse_initializer(P, s);
	set_size(s);
	return s;
}

static void
parse_head(parser *P, ptx_symbol *like)
{
	const ptx_space *space = space_here(P);

	*like = (ptx_symbol){ .space = space ? *space : PTX_GENERIC, .vec = 1 };
	like->kind = like->space == PTX_REG ? PTX_SYM_REG : PTX_SYM_VAR;
	advance(P);
	parse_specifiers(P, like);
}

void
parse_decl(parser *P, uint8_t linkage, symbol_list *list)
{
	ptx_symbol like;

	parse_head(P, &like);
	while (!P->stuck) {
		ptx_symbol *s = parse_declarator(P, &like, linkage);

		if (s)
			*vec_push(P->A, list) = s;
		if (!accept(P, ','))
			break;
	}
	end_statement(P);
}

static bool
skip_list(parser *P)
{
	while (P->t.kind != T_EOF && !is_punct(P, ')') && !is_punct(P, '{') && !is_punct(P, ';'))
		advance(P);
	return accept(P, ')');
}

/* ( .param .u32 a, ... ); the symbols have no range and no initializer. */
void
parse_params(parser *P, symbol_list *list)
{
	if (!expect(P, '(', "'('") || accept(P, ')'))
		return;
	do {
		ptx_symbol like, *s;

		if (!at_space(P)) {
			fault_here(P, "a parameter");
			break;
		}
		parse_head(P, &like);
		s = P->stuck ? NULL : parse_declarator(P, &like, 0);
		if (!s)
			break;
		s->index = list->n;
		*vec_push(P->A, list) = s;
	} while (accept(P, ','));
	if (!P->stuck)
		expect(P, ')', "')'");
	if (P->stuck)
		skip_list(P);
}
