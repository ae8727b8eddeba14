/* test_verdicts.c -- we take and refuse what NVIDIA's assembler takes and refuses.
 * Needs tests/ptx/verdicts.txt, whose verdicts are asked again of ptxas where it is installed. */
#include "ptx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
	int n, ours, theirs;
} tally;

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
try_line(const char *line, tally *T)
{
	bool want = line[0] == 'o';
	const char *inst = line + 4;
	char *text = framed(inst, "sm_75"), *said;

	T->n++;
	T->ours += expect_true(we_take(text) == want, "%s %s", want ? "refused:" : "taken:", inst);
	if (have_ptxas()) {
		bool good = ptxas(text, strlen(text), "sm_75", &said);

		T->theirs += expect_true(good == want, "ptxas has changed its mind: %s", line);
		free(said);
	}
	free(text);
}

int
main(void)
{
	size_t size;
	char *list = read_file("tests/ptx/verdicts.txt", &size);
	tally T = { 0, 0, 0 };

	if (!expect_true(list != NULL, "tests/ptx/verdicts.txt is not there"))
		return finish();
	for (char *p = list, *end; *p; p = end) {
		end = p + strcspn(p, "\n");
		if (*end)
			*end++ = 0;
		if (*p && *p != '#')
			try_line(p, &T);
	}
	if (T.ours == T.n)
		pass("%d verdicts", T.n);
	if (!have_ptxas())
		skip("the same verdicts of ptxas: not installed");
	else if (T.theirs == T.n)
		pass("the same verdicts of ptxas");
	free(list);
	return finish();
}
