/* test_snippets.c -- modules with one directive, declaration or statement more are taken and refused as NVIDIA's assembler does;
 * where we differ on purpose, tests/ptx/snippets.txt says so. What is refused is refused with a message at a place, and never
 * as a fault of our own. */
#include "ptx_test.h"

#include "p2a.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char chip[] = "sm_100a";

/* The frame with text behind `before`; of `drop` bytes there instead. */
static char *
with(const char *before, size_t drop, const char *text)
{
	char *frame = framed("", chip), *at = strstr(frame, before), *out = malloc(strlen(frame) + strlen(text) + 2);

	if (!at || !out)
		abort();
	sprintf(out, "%.*s%s\n%s", (int)(at - frame), frame, text, at + drop);
	free(frame);
	return out;
}

static char *
module_of(char kind, const char *text)
{
	static const char header[] = ".reqntid 64";

	if (kind == 'B')
		return framed(text, chip);
	return kind == 'M' ? with(".visible .entry k(", 0, text) : with(header, sizeof header - 1, text);
}

static void
read_escapes(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] == 'n')
			*out++ = *++s == 'n' ? '\n' : ' ';
		else
			*out++ = *s;
	}
	*out = 0;
}

static bool
we_take(const char *line, const char *text)
{
	p2a_source src = { "snippet", text, strlen(text) };
	p2a_options o = { .size = sizeof o, .target = "gfx1100", .opt = P2A_O0 };
	p2a_result *r = p2a_translate(&src, 1, &o);
	bool good = r && r->status == P2A_OK;

	if (!good)
		expect_true(r && r->status == P2A_EINPUT && r->ndiags && r->diags[0].line, "not refused as it should: %s: %s", line,
			r && r->ndiags ? r->diags[0].message : "no message");
	p2a_result_free(r);
	return good;
}

typedef struct tally {
	int n, ours, theirs;
} tally;

static void
try_line(char *line, tally *T)
{
	bool theirs = line[0] == 'o', differs = line[strcspn(line, " ")] && line[strcspn(line, " ") - 1] == '!';
	char kind = line[5], *text, *said;

	read_escapes(line + 7);
	text = module_of(kind, line + 7);
	T->n++;
	T->ours += expect_true(we_take(line, text) == (theirs != differs), "%s %s", theirs != differs ? "refused:" : "taken:", line);
	if (have_ptxas()) {
		T->theirs += expect_true(ptxas(text, strlen(text), chip, &said) == theirs, "ptxas has changed its mind: %s", line);
		free(said);
	}
	free(text);
}

int
main(void)
{
	size_t size;
	char *list = read_file("tests/ptx/snippets.txt", &size);
	tally T = { 0, 0, 0 };

	if (!expect_true(list != NULL, "tests/ptx/snippets.txt is not there"))
		return finish();
	for (char *p = list, *end; *p; p = end) {
		end = p + strcspn(p, "\n");
		if (*end)
			*end++ = 0;
		if (*p && *p != '#')
			try_line(p, &T);
	}
	if (T.ours == T.n)
		pass("%d snippets", T.n);
	if (!have_ptxas())
		skip("the same snippets, ptxas: not installed");
	else if (T.theirs == T.n)
		pass("the same snippets, ptxas");
	free(list);
	return finish();
}
