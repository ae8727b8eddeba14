/* test_verdicts.c -- we take and refuse what NVIDIA's assembler takes and refuses.
 * Needs tests/ptx/verdicts.txt, whose verdicts are asked again of ptxas where it is installed. */
#include "ptx_test.h"

#include <stdlib.h>
#include <string.h>

static bool
we_take(const char *text)
{
	unit u;
	bool good;

	unit_open(&u, "verdict", text, strlen(text));
	unit_check(&u);
	good = u.diags.nerrors == 0;
	unit_close(&u);
	return good;
}

static void
try_line(char *line, verdicts *v)
{
	bool want = line[0] == 'o';
	char *text = framed(line + 4, "sm_75");

	add_verdict(v, line, want, want, we_take(text), text, "sm_75");
	free(text);
}

int
main(void)
{
	return try_verdicts("tests/ptx/verdicts.txt", "verdicts", try_line);
}
