/* test_syntax.c -- each file of tests/ptx/syntax gives the diagnostics that its comments name, no other.
 * A line "// expect: LINE:COLUMN ENUMBER" stands for one; their order is the order of reading. */
#include "ptx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
golden(const char *path, void *ud)
{
	size_t size;
	char *text = read_file(path, &size);
	const char *p = text;
	unsigned i = 0, bad = 0;
	unit u;

	(void)ud;
	unit_open(&u, path, text, size);
	unit_check(&u);
	while ((p = strstr(p, "// expect: "))) {
		unsigned line, col, id;

		p += sizeof "// expect: " - 1;
		if (sscanf(p, "%u:%u E%u", &line, &col, &id) != 3)
			continue;
		if (i >= u.diags.list.n) {
			fail("%s: nothing said at %u:%u E%04u", path, line, col, id);
			bad++;
			break;
		}
		const p2a_diag *g = &u.diags.list.a[i++];

		bad += !expect_true(g->line == line && g->column == col && g->id == id,
			"%s: expected %u:%u E%04u, found %u:%u E%04u %s", path, line, col, id,
			g->line, g->column, g->id, g->message);
	}
	for (; i < u.diags.list.n; i++, bad++)
		fail("%s: not expected: %u:%u E%04u %s", path, u.diags.list.a[i].line,
			u.diags.list.a[i].column, u.diags.list.a[i].id, u.diags.list.a[i].message);
	if (!bad)
		pass("%s", path);
	unit_close(&u);
	free(text);
}

int
main(void)
{
	expect_true(each_file("tests/ptx/syntax", ".ptx", golden, NULL) > 0, "tests/ptx/syntax is empty");
	return finish();
}
