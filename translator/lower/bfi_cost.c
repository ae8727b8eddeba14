/* bfi_cost.c -- which row is cheapest: every row that may be used, and that no more special one replaces, is
 * written for the chip and counted.
 * Needs a query; leaves a row. There is no list of chips here: what a chip lacks costs instructions.
 *
 * The model, in halves of a plain VALU instruction:
 *   VALU                     2   (v_lshl_add_u64 too, as LLVM's model of gfx942 has it)
 *   64-bit VALU shift        4   (v_lshlrev_b64 and its kin run at half rate or less everywhere)
 *   SALU                     1   (beside the vector unit; loads of constants too, counted apart as `consts`,
 *                                 since a loop can keep them outside)
 *   waits                    0   (s_nop, s_wait_alu)
 * then the bytes of the code (without s_wait_alu, which is put in last). Equal cost: the earlier row. */
#include "lower/bfi_seq.h"

enum { BYTES_BITS = 12 };

uint32_t
bs_cost_key(const bs_cost *c)
{
	return (2 * c->valu + 2 * c->valu64 + c->salu) << BYTES_BITS | MIN(c->bytes, (1u << BYTES_BITS) - 1);
}

/* Writes the row; false: it cannot, or costs `limit` (bs_cost_key) or more. */
static bool
try_row(bs_seq *s, const bfi_query *q, const bs_regs *regs, const bfi_row *row, uint32_t limit)
{
	bs_cost least;

	s->row = row;
	bs_build(s, q, regs, row, row->need ? (limit - 1) >> BYTES_BITS : UINT32_MAX);
	if (s->stopped || s->failed)
		return false;
	bs_match(s);
	if (limit < UINT32_MAX) {
		least = bs_least(s, !row->need);
		if (bs_cost_key(&least) >= limit)
			return false;
	}
	bs_emit(s);
	bs_count(s);
	return !s->failed && bs_cost_key(&s->cost) < limit;
}

/* Which row is tried as k-th: where the last but one needs nothing, the last is the cheaper one more often, and then the
 * other need not be written out. */
static unsigned
turn(const bfi_row *const row[], unsigned n, unsigned k)
{
	return n > 1 && k + 2 >= n && !row[n - 2]->need ? 2 * n - 3 - k : k;
}

/* Which of the rows is cheapest, of equal ones the earliest; n: none can. What is best so far stays in one room while the
 * next is written in the other; where the sequence is not wanted both may be the same. */
static unsigned
cheapest(bs_seq *room[2], const bfi_query *q, const bs_regs *regs, const bfi_row *const row[], unsigned n)
{
	unsigned best = n;
	uint32_t key = UINT32_MAX;

	for (unsigned k = 0; k < n; k++) {
		unsigned at = turn(row, n, k);
		uint32_t limit = key + (best < n && at < best);
		bs_seq *s = room[0];

		if (!limit || !try_row(s, q, regs, row[at], limit))
			continue;
		key = bs_cost_key(&s->cost);
		best = at;
		room[0] = room[1];
		room[1] = s;
	}
	return best;
}

bs_seq *
bs_choose(bs_seq room[2], const bfi_query *q, const bs_regs *regs)
{
	const bfi_row *row[BFI_CANDIDATES];
	bs_seq *r[2] = { &room[0], &room[1] };
	unsigned n = bfi_candidates(q, row);

	return cheapest(r, q, regs, row, n) < n ? r[1] : NULL;
}

/* Registers as a compiler may find them: operands in pairs, the result wherever it comes to stand. */
static bs_regs
anywhere(const bfi_query *q)
{
	bs_regs r = { .rename = true };

	for (unsigned k = 0; k < 4; k++)
		r.in[k] = (bs_place){ .kind = q->lanes >> k & 1 ? P2A_K_VGPR : P2A_K_SGPR,
			.reg = { (uint16_t)(2 * k), (uint16_t)(2 * k + 1) } };
	return r;
}

const bfi_row *
bfi_choose(const bfi_query *q)
{
	const bfi_row *row[BFI_CANDIDATES];
	unsigned n = bfi_candidates(q, row), k;
	bs_regs regs;
	bs_seq s;

	if (n == 1)
		return *row;
	regs = anywhere(q);
	k = cheapest((bs_seq *[]){ &s, &s }, q, &regs, row, n);
	return row[MIN(k, n - 1)];
}
