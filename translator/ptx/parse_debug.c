/* parse_debug.c -- .section blocks and @@DWARF lines: checked for shape, kept as text.
 * Needs a parser at the directive; leaves it behind the block.
 * Manual: "Parallel Thread Execution ISA", 11.5 (debugging directives). */
#include <string.h>

#include "ptx/front.h"

/* A datum: a number, a label with an offset, the name of a section, or a difference of labels. */
static void
parse_datum(parser *P)
{
	if (P->t.kind == T_NAME || P->t.kind == T_DOT) {
		advance(P);
		if ((is_punct(P, '+') || is_punct(P, '-'))) {
			advance(P);
			if (P->t.kind == T_NAME)
				advance(P);
			else
				parse_constant(P);
		}
	} else {
		parse_constant(P);
	}
}

/* .b8 1, 2 or label: */
static void
parse_section_line(parser *P)
{
	if (P->t.kind == T_NAME) {
		advance(P);
		expect(P, ':', "':'");
		return;
	}
	if (!is_dot(P, "b8") && !is_dot(P, "b16") && !is_dot(P, "b32") && !is_dot(P, "b64")) {
		fault_here(P, "a line of data");
		return;
	}
	advance(P);
	do
		parse_datum(P);
	while (!P->stuck && accept(P, ','));
}

void
parse_section(parser *P)
{
	advance(P);
	if (P->t.kind == T_DOT || P->t.kind == T_NAME)
		advance(P);
	else
		fault_here(P, "the name of a section");
	if (!P->stuck)
		expect(P, '{', "'{'");
	while (!P->stuck && P->t.kind != T_EOF && !is_punct(P, '}')) {
		parse_section_line(P);
		accept(P, ';');
	}
	/* no semicolons here: a fault costs the rest of the block */
	while (P->stuck && P->t.kind != T_EOF && !is_punct(P, '}'))
		advance(P);
	if (!accept(P, '}'))
		fault_here(P, "'}'");
}

bool
at_dwarf_line(parser *P)
{
	const char *s = P->lx.src + P->t.off;

	return is_punct(P, '@') && P->lx.size - P->t.off >= 7 && !memcmp(s, "@@DWARF", 7);
}

/* PTX before 2.0: the rest of the line is for a debugger. */
void
parse_dwarf_line(parser *P)
{
	uint32_t end = P->t.off;

	while (end < P->lx.size && P->lx.src[end] != '\n')
		end++;
	while (P->lx.src[end - 1] == '\r' || P->lx.src[end - 1] == ' ' || P->lx.src[end - 1] == '\t')
		end--;
	P->lx.pos = end;
	P->t.len = end - P->t.off;
	advance(P);
}
