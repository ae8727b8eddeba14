/* bfi_draw.h -- bit fields at random: what is known of the operands, and where they stand. For what is said of the rows of bfi.def,
 * whoever asks. Needs nothing. */
#ifndef TESTS_SELECT_BFI_DRAW_H
#define TESTS_SELECT_BFI_DRAW_H
#include "lower/bfi_seq.h"

typedef struct bfi_draw {
	uint64_t state;          /* of the random numbers; not 0 */
	bfi_query q;
	bs_regs regs;
} bfi_draw;

void bfi_draw_next(bfi_draw *);
/* What each of n rows costs there, as bs_cost_key; UINT32_MAX: the chip cannot. */
void bfi_draw_prices(const bfi_draw *, const bfi_row *const row[], unsigned n, uint32_t *price);
#endif
