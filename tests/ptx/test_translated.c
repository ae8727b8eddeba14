/* test_translated.c -- forms.def says YES exactly where the translator takes every instruction of the row.
 * Translates each for one chip of 32 lanes a wave and one of 64. */
#include "form_maker.h"
#include "ptx/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
	const char *target;
	int n, refused;
	char first[1024], why[512]; /* of the refused ones */
} tally;

static void
translate(const char *inst, uint16_t row, void *ud)
{
	tally *T = ud;
	char *text = framed_inst(inst);
	p2a_source src = { "form", text, strlen(text) };
	p2a_options opt = { .size = sizeof opt, .target = T->target };
	p2a_result *r = p2a_translate(&src, 1, &opt);

	(void)row;
	T->n++;
	if (expect_true(r != NULL, "no result for %s", inst) && r->status != P2A_OK) {
		if (!T->refused++) {
			snprintf(T->first, sizeof T->first, "%s", inst);
			snprintf(T->why, sizeof T->why, "%s", r->ndiags ? r->diags[0].message : "");
		}
		expect_true(r->status == P2A_EINPUT, "%s: %s", inst, T->why);
	}
	p2a_result_free(r);
	free(text);
}

int
main(int argc, char **argv)
{
	static const char *const targets[] = { "gfx1100", "gfx90a" };
	int yes = 0, no = 0;

	(void)argv;
	for (size_t t = 0; t < COUNT(targets); t++) {
		for (size_t i = 0; i < ptx_nforms; i++) {
			tally T = { .target = targets[t] };

			each_instruction((uint16_t)i, translate, &T);
			if (!T.n)
				continue;
			if (argc > 1)
				printf("%s %zu %s: %d of %d refused: %s %s\n", T.target, i,
					ptx_form[i].pattern, T.refused, T.n, T.first, T.why);
			else if (ptx_form[i].translated)
				expect_true(!T.refused, "%s: YES, but %s is refused for %s: %s",
					ptx_form[i].pattern, T.first, T.target, T.why);
			else
				expect_true(T.refused, "%s: NO, but all of it is translated for %s",
					ptx_form[i].pattern, T.target);
			yes += ptx_form[i].translated;
			no += !ptx_form[i].translated;
		}
	}
	if (finish() == 0)
		pass("%d forms translated, %d refused, as forms.def says", yes / 2, no / 2);
	return finish();
}
