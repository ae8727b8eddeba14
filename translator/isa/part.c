/* part.c -- bytes and aligned halves of words: what a mask or a selector of v_perm_b32 picks, and how SDWA names it.
 * Needs nothing. Manuals: "SDWA", "V_PERM_B32" (Vega 13.3.7, 12.10). */
#include "isa/isa.h"

bool
isa_part_of_mask(uint32_t mask, isa_part *p)
{
	p->from = 0;
	for (p->at = 0; p->at < 4; p->at++)
		for (p->n = 1; p->n < 3; p->n++)
			if (mask == (p->n == 1 ? 0xffu : 0xffffu) << 8 * p->at && p->at % p->n == 0)
				return true;
	return false;
}

/* Bytes 0..3 come from the second source, 4..7 from the first; other numbers choose no bytes. */
static unsigned
chosen(uint32_t selector, unsigned k)
{
	return selector >> 8 * k & 255;
}

bool
isa_part_of_perm(uint32_t selector, unsigned side, isa_part *p)
{
	uint32_t mask = 0;

	for (unsigned k = 0; k < 4; k++)
		mask |= chosen(selector, k) == 4 * side + k ? 0 : 0xffu << 8 * k;
	if (!isa_part_of_mask(mask, p) || chosen(selector, p->at) > 7)
		return false;
	p->from = (uint8_t)chosen(selector, p->at);
	return p->n == 1 || (p->from % 4 < 3 && chosen(selector, p->at + 1u) == p->from + 1u);
}

uint8_t
isa_part_sel(unsigned at, unsigned n)
{
	return (uint8_t)(n == 1 ? P2A_SEL_BYTE0 + at % 4 : P2A_SEL_WORD0 + at % 4 / 2);
}
