/* gen_bfi_beats.c -- writes bfi_beats.def to stdout: which row of bfi.def is never cheaper than which other one, by what both cost
 * on bit fields drawn at random. From the root of the tree, after a change of rows:
 *
 *	build/tests/select_gen_bfi_beats >beats && mv beats translator/lower/bfi_beats.def
 *
 * A row that is no more must first be taken out of bfi_beats.def. select/test_bfi_beats.c asks others. */
#include <stdio.h>

#include "bfi_draw.h"

/* A pair that was met less often is left out: that costs time, not code. */
enum { ROWS = 512, DRAWS = 10000000, ENOUGH = 100 };

static unsigned met[ROWS][ROWS];
static bool lost[ROWS][ROWS];    /* once: the second was cheaper */

static void
meet(const bfi_draw *d)
{
	const bfi_row *row[BFI_CANDIDATES];
	uint32_t price[BFI_CANDIDATES];
	unsigned n = bfi_usable(&d->q, row);

	if (n < 2)
		return;
	bfi_draw_prices(d, row, n, price);
	for (unsigned j = 0; j < n; j++)
		for (unsigned k = 0; k < n; k++) {
			unsigned x = bfi_row_id(row[j]), y = bfi_row_id(row[k]);

			met[x][y]++;
			lost[x][y] |= price[k] < price[j] || (price[k] == price[j] && k <= j);
		}
}

static void
write_row(const bfi_row *row, unsigned x, size_t n)
{
	const char *op = ir_ginfo_of(row[x].gop)->name + sizeof "ptx_" - 1, *between = "";
	bool any = false;

	for (unsigned y = 0; y < n; y++)
		any |= met[x][y] >= ENOUGH && !lost[x][y];
	if (!any)
		return;
	printf("BEATS(%s, %s, ", op, row[x].name);
	for (unsigned y = 0; y < n; y++)
		if (met[x][y] >= ENOUGH && !lost[x][y]) {
			printf("%sB(%s, %s)", between, op, row[y].name);
			between = ", ";
		}
	printf(")\n");
}

int
main(void)
{
	bfi_draw d = { .state = 88172645463325252 };
	size_t n;
	const bfi_row *row = bfi_rows(&n);

	for (unsigned k = 0; k < DRAWS; k++) {
		bfi_draw_next(&d);
		meet(&d);
	}
	printf("/* bfi_beats.def -- BEATS(op, row, B(op, other), ..): wherever both may be used the row costs less than the others, or the same\n"
	       " * and stands first: they need not be tried (bfi.c). Include with BEATS() and B() defined. Written by tests/select/gen_bfi_beats.c;\n"
	       " * tests/select/test_bfi_beats.c holds it against what rows cost. A row that is not here is tried. */\n");
	for (unsigned x = 0; x < n; x++)
		write_row(row, x, n);
	printf("#undef BEATS\n#undef B\n");
	return 0;
}
