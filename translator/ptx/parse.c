/* parse.c -- PTX text to a tree: the module level, and what all parts of the parser share.
 * Needs one source of the sink; leaves a module of what could be read, names not resolved.
 * A fault ends its statement: reading goes on behind the next semicolon, brace or line.
 * Manual: "Parallel Thread Execution ISA", 4, 5, 11. */
#include <string.h>

#include "ptx/front.h"

void
advance(parser *P)
{
	P->end = P->t.off + P->t.len;
	if (is_punct(P, '{'))
		P->open++;
	else if (is_punct(P, '}') && P->open)
		P->open--;
	lex_next(&P->lx, &P->t);
}

bool
is_dot(const parser *P, const char *word)
{
	return P->t.kind == T_DOT && !strcmp(P->t.s, word);
}

bool
accept(parser *P, int c)
{
	if (!is_punct(P, c))
		return false;
	advance(P);
	return true;
}

bool
accept_dot(parser *P, const char *word)
{
	if (!is_dot(P, word))
		return false;
	advance(P);
	return true;
}

bool
expect(parser *P, int c, const char *what)
{
	if (accept(P, c))
		return true;
	fault_here(P, what);
	return false;
}

/* From here on the statement is not whole: what it belongs to must not be translated. */
static bool
get_stuck(parser *P)
{
	if (P->stuck)
		return false;
	P->stuck = true;
	if (P->func)
		P->func->nbad++;
	else
		P->m->nbad++;
	bound_body(P);
	return true;
}

bool
may_fault(parser *P)
{
	return get_stuck(P) && lex_may_fault(&P->lx);
}

void
fault_here(parser *P, const char *expected)
{
	if (P->t.kind == T_BAD) {
		get_stuck(P);   /* the lexer has reported it */
		return;
	}
	if (may_fault(P))
		diag_add(P->m->diags, DIAG_expected, lex_loc(&P->lx, P->t.off, MAX(P->t.len, 1u)),
			expected, token_text(P->A, &P->lx, &P->t));
}

void
fault_span(parser *P, enum diag_id id, uint32_t off, uint32_t len, const char *text)
{
	if (may_fault(P))
		diag_add(P->m->diags, id, lex_loc(&P->lx, off, MAX(len, 1u)), text);
}

bool
is_warp_size(const parser *P)
{
	return P->t.kind == T_NAME && !strcmp(P->t.s, "WARP_SZ");
}

const char *
expect_name(parser *P, const char *what)
{
	const char *s = P->t.s;

	if (P->t.kind != T_NAME || is_warp_size(P)) {
		fault_here(P, what);
		return NULL;
	}
	advance(P);
	return s;
}

bool
expect_string(parser *P, const char *what)
{
	if (P->t.kind != T_STRING) {
		fault_here(P, what);
		return false;
	}
	advance(P);
	return true;
}

bool
expect_count(parser *P, uint64_t limit, const char *what, uint64_t *val)
{
	uint32_t off = P->t.off;
	constant c = parse_constant(P);

	*val = c.val;
	if (c.kind == T_BAD)
		return false;
	if (c.kind == T_INT && c.val <= limit)
		return true;
	if (may_fault(P))
		diag_add(P->m->diags, DIAG_too_large, span_from(P, off), what,
			(unsigned long long)limit);
	return false;
}

diag_loc
span_from(const parser *P, uint32_t off)
{
	return lex_loc(&P->lx, off, P->end > off ? P->end - off : 1);
}

const char *
text_from(const parser *P, uint32_t off)
{
	return arena_str(P->A, P->lx.src + off, P->end > off ? P->end - off : 0);
}

bool
enter(parser *P)
{
	if (P->depth < PTX_MAX_DEPTH) {
		P->depth++;
		return true;
	}
	if (may_fault(P))
		diag_add(P->m->diags, DIAG_too_deep, lex_loc(&P->lx, P->t.off, 1), PTX_MAX_DEPTH);
	return false;
}

void
leave(parser *P)
{
	P->depth--;
}

/* To behind the next semicolon, or to the brace that closes what encloses the statement. */
void
recover(parser *P)
{
	P->stuck = false;
	while (P->t.kind != T_EOF) {
		if (is_punct(P, '}') && !P->open)
			return;
		if (accept(P, ';'))
			return;
		advance(P);
	}
}

/* False: the statement was not whole. A missing semicolon at the end of a line costs only itself. */
bool
end_statement(parser *P)
{
	if (!P->stuck && accept(P, ';'))
		return true;
	if (!P->stuck) {
		fault_here(P, "';'");
		if (P->t.line_start && !P->open) {
			P->stuck = false;
			return true;
		}
	}
	recover(P);
	return false;
}

void
parse_pragma(parser *P)
{
	advance(P);
	do {
		if (!expect_string(P, "a string"))
			break;
	} while (accept(P, ','));
	end_statement(P);
}

static ptx_item *
new_item(parser *P, int kind, uint32_t off)
{
	ptx_item *it = vec_push(P->A, &P->m->items);

	memset(it, 0, sizeof *it);
	it->kind = kind;
	it->loc = lex_loc(&P->lx, off, P->t.len);
	return it;
}

static void
parse_file(parser *P)
{
	ptx_item *it = new_item(P, PTX_ITEM_FILE, P->t.off);
	uint64_t n = 0, ignored;
	uint32_t off;

	advance(P);
	if (expect_count(P, UINT32_MAX, "the number of a file", &n))
		it->file.index = (uint32_t)n;
	off = P->t.off;
	if (!P->stuck && expect_string(P, "the name of a file"))
		it->file.name = arena_str(P->A, P->lx.src + off + 1, P->end - off - 2);
	while (!P->stuck && accept(P, ','))
		expect_count(P, UINT64_MAX, "a number", &ignored);
	if (P->stuck) {
		P->m->items.n--;
		recover(P);
		return;
	}
	it->text = text_from(P, it->loc.offset);
	*vec_push(P->A, &P->m->files) = it->file;
}

static uint8_t
linkage_bit(const parser *P)
{
	static const struct { const char *word; uint8_t bit; } row[] = {
		{ "visible", PTX_L_VISIBLE }, { "extern", PTX_L_EXTERN },
		{ "weak", PTX_L_WEAK }, { "common", PTX_L_COMMON },
	};

	for (size_t i = 0; i < COUNT(row); i++)
		if (is_dot(P, row[i].word))
			return row[i].bit;
	return 0;
}

static uint8_t
parse_linkage(parser *P)
{
	uint8_t linkage = 0, bit;

	while ((bit = linkage_bit(P))) {
		linkage |= bit;
		advance(P);
	}
	return linkage;
}

static void
parse_function(parser *P, uint8_t linkage, uint32_t off)
{
	ptx_func *f = parse_func(P, linkage, off);
	ptx_item *it;

	if (!f)
		return;
	it = new_item(P, PTX_ITEM_FUNC, off);
	it->func = f;
	it->loc = f->loc;
	*P->m->func_tail = f;
	P->m->func_tail = &f->next;
}

static void
parse_variables(parser *P, uint8_t linkage, const char *attr, uint32_t off)
{
	symbol_list list = { .n = 0 };
	ptx_item *it;

	parse_decl(P, linkage, &list);
	if (!list.n)
		return;
	it = new_item(P, PTX_ITEM_VAR, off);
	for (uint32_t i = 0; i < list.n; i++) {
		if (attr && !list.a[i]->attr)
			list.a[i]->attr = attr;
		*vec_push(P->A, &it->vars) = list.a[i];
		*vec_push(P->A, &P->m->vars) = list.a[i];
	}
}

static void
parse_alias(parser *P)
{
	ptx_alias a = { .name = NULL };
	uint32_t off;

	advance(P);
	off = P->t.off;
	a.name = expect_name(P, "the name of the alias");
	if (a.name && expect(P, ',', "','"))
		a.of = expect_name(P, "the name of a function");
	a.loc = span_from(P, off);
	if (end_statement(P))
		*vec_push(P->A, &P->m->aliases) = a;
}

/* Directives kept as text. */
static void
parse_text(parser *P, void (*parse)(parser *))
{
	uint32_t off = P->t.off;

	parse(P);
	new_item(P, PTX_ITEM_TEXT, off)->text = text_from(P, off);
}

static void
parse_module_loc(parser *P)
{
	ptx_stmt ignored = { .next = NULL };

	parse_loc(P, &ignored);
}

static bool
parse_directive(parser *P)
{
	static const struct {
		const char *word;
		void (*structured)(parser *), (*text)(parser *);
	} row[] = {
		{ "version", parse_version, NULL }, { "target", parse_target, NULL },
		{ "address_size", parse_address_size, NULL }, { "file", parse_file, NULL },
		{ "section", NULL, parse_section }, { "pragma", NULL, parse_pragma },
		{ "alias", NULL, parse_alias }, { "loc", NULL, parse_module_loc },
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		if (!is_dot(P, row[i].word))
			continue;
		if (row[i].structured)
			row[i].structured(P);
		else
			parse_text(P, row[i].text);
		return true;
	}
	return false;
}

static void
check_target_said(parser *P, uint32_t off)
{
	if (P->m->target[0] || P->said_no_target || !may_fault(P))
		return;
	diag_add(P->m->diags, DIAG_no_target, lex_loc(&P->lx, off, P->t.off + P->t.len - off));
	P->said_no_target = true;
	P->stuck = false;
}

static void
parse_item(parser *P)
{
	uint32_t off = P->t.off;
	const char *attr = NULL;        /* NVIDIA's assembler takes it in front of the state space, too */
	uint8_t linkage;

	if (parse_directive(P) || accept(P, ';'))
		return;
	if (at_dwarf_line(P)) {
		parse_text(P, parse_dwarf_line);
		return;
	}
	linkage = parse_linkage(P);
	if (is_dot(P, "attribute"))
		parse_attribute(P, &attr);
	if (is_dot(P, "entry") || is_dot(P, "func") || at_space(P))
		check_target_said(P, off);
	if (!attr && (is_dot(P, "entry") || is_dot(P, "func"))) {
		parse_function(P, linkage, off);
	} else if (at_space(P)) {
		parse_variables(P, linkage, attr, off);
	} else {
		fault_here(P, "a directive of a module");
		recover(P);
		accept(P, '}');
	}
}

/* Why this is no text at all; NULL: it may be PTX. */
static const char *
not_text(const lexer *lx)
{
	static const struct { const char *magic; uint8_t n; const char *text; } row[] = {
		{ "\177ELF", 4, "this is an ELF file, not PTX text" }, { "\x50\xed\x55\xba", 4, "this is a fat binary: cuobjdump -ptx takes the PTX out of it" },
		{ "BC\xc0\xde", 4, "this is LLVM bitcode, not PTX text" }, { "\xff\xfe", 2, "this is UTF-16: PTX is ASCII text" },
		{ "\xfe\xff", 2, "this is UTF-16: PTX is ASCII text" }, { "\xef\xbb\xbf", 3, "the file begins with a byte order mark: PTX is ASCII text" },
	};

	unsigned nuls = 0;

	for (size_t i = 0; i < COUNT(row); i++)
		if (lx->size >= row[i].n && !memcmp(lx->src, row[i].magic, row[i].n))
			return row[i].text;
	for (uint32_t i = 0; i < MIN(lx->size, 512u); i++)
		nuls += lx->src[i] == 0;
	return nuls > 16 ? "this is a binary file, not PTX text" : NULL;
}

static void
parse_module(parser *P)
{
	const char *why = not_text(&P->lx);

	if (why) {
		diag_add(P->m->diags, DIAG_syntax, lex_loc(&P->lx, 0, 0), why);
		P->m->nbad++;
		return;
	}
	advance(P);
	if (!is_dot(P, "version") && may_fault(P))
		diag_add(P->m->diags, DIAG_no_version, lex_loc(&P->lx, P->t.off, MAX(P->t.len, 1u)));
	while (P->t.kind != T_EOF) {
		uint32_t off = P->t.off;

		P->stuck = false;
		P->open = 0;
		parse_item(P);
		if (P->t.off == off && P->t.kind != T_EOF)
			advance(P);
	}
	if (P->lx.nfaults > PTX_MAX_SYNTAX_FAULTS)      /* some were not told */
		P->m->nbad++;
}

ptx_module *
ptx_parse(arena *A, intern *names, diag_sink *diags, uint32_t source)
{
	ptx_module *m = arena_new(A, ptx_module);
	words w;
	parser P = { .m = m, .A = A, .w = &w };

	*m = (ptx_module){ .A = A, .names = names, .diags = diags, .source = source,
		.target = "" };
	m->func_tail = &m->funcs;
	words_init(&w, A, names);
	lex_init(&P.lx, names, diags, source);
	parse_module(&P);
	return m;
}
