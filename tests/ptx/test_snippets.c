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

static void
try_line(char *line, verdicts *v)
{
	bool theirs = line[0] == 'o', differs = line[strcspn(line, " ")] && line[strcspn(line, " ") - 1] == '!';
	char *text;

	read_escapes(line + 7);
	text = module_of(line[5], line + 7);
	add_verdict(v, line, theirs != differs, theirs, we_take(line, text), text, chip);
	free(text);
}

int
main(void)
{
	return try_verdicts("tests/ptx/snippets.txt", "snippets", try_line);
}
