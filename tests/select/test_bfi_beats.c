/* test_bfi_beats.c -- what bfi_beats.def leaves out is not the cheapest: of bit fields drawn at random every row that may be used
 * is written and counted, and the first of the cheapest is among the candidates. With P2A_TEST_QUICK fewer are drawn. */
#include <stdlib.h>

#include "bfi_draw.h"
#include "kit.h"

enum { DRAWS = 400000, QUICK = 50000 };

static bool
is_among(const bfi_row *row, const bfi_row *const list[], unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (list[k] == row)
			return true;
	return false;
}

static unsigned
cheapest(const uint32_t *price, unsigned n)
{
	unsigned best = 0;

	for (unsigned k = 1; k < n; k++)
		best = price[k] < price[best] ? k : best;
	return best;
}

static bool
holds(const bfi_draw *d)
{
	const bfi_row *usable[BFI_CANDIDATES], *candidate[BFI_CANDIDATES];
	uint32_t price[BFI_CANDIDATES];
	unsigned n = bfi_usable(&d->q, usable), left = bfi_candidates(&d->q, candidate), best;

	if (left == n)
		return true;
	bfi_draw_prices(d, usable, n, price);
	best = cheapest(price, n);
	if (!is_among(usable[best], candidate, left))
		kit_ok(false, "left out, and cheapest", "%s of gop %u on %s", usable[best]->name, d->q.gop, p2a_target_name(d->q.t));
	return is_among(usable[best], candidate, left);
}

int
main(void)
{
	unsigned draws = getenv("P2A_TEST_QUICK") ? QUICK : DRAWS, wrong = 0;
	bfi_draw d = { .state = 2463534242 };

	for (unsigned k = 0; k < draws && wrong < 5; k++) {
		bfi_draw_next(&d);
		wrong += !holds(&d);
	}
	kit_ok(!wrong, "the list above", "rows that are left out are not the cheapest");
	return kit_failures();
}
