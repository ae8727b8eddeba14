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

/* A result of one dword that is a half of a pair is moved to its register; an IR reads it where it is. What is uniform and
 * wanted in a VGPR is moved there by every row. */
static bool
moves_result(const bs_seq *s)
{
	bs_word w = s->r.w[0];
	unsigned dst = s->regs->dst.kind;

	return bs_n(s->r) == 1 && bs_kind(w) == BS_NODE && s->node[bs_id(w)].n == 2 && dst == (bs_vec(w) ? P2A_K_VGPR : P2A_K_SGPR);
}

static uint32_t
key_of(const bs_seq *s)
{
	bs_cost c = s->cost;

	if (moves_result(s)) {
		c.valu += s->regs->dst.kind == P2A_K_VGPR;
		c.salu += s->regs->dst.kind != P2A_K_VGPR;
		c.bytes += 4;
	}
	return bs_cost_key(&c);
}

/* A row that may be the cheapest. */
typedef struct contender {
	bs_seq *s;
	const bfi_query *q;
	const bs_regs *regs;
	unsigned at;             /* its place among the candidates */
	bool alive;              /* there is a graph, which the chip can do as far as is known */
	enum { UNKNOWN, BOUND, EXACT } known;
	uint32_t key;            /* bs_cost_key of what it costs at least, or exactly: then it is written */
} contender;

/* Its graph; false: the chip cannot, or it costs more than that without bytes. */
static bool
build(contender *c, const bfi_row *row, uint32_t limit)
{
	c->s->row = row;
	c->known = UNKNOWN;
	bs_build(c->s, c->q, c->regs, row, limit);
	c->alive = !c->s->stopped && !c->s->failed;
	if (c->alive)
		bs_match(c->s);
	return c->alive;
}

static void
estimate(contender *c)
{
	bs_cost least;

	if (c->known != UNKNOWN)
		return;
	least = bs_least(c->s);
	c->key = bs_cost_key(&least);
	c->known = BOUND;
}

static void
write(contender *c)
{
	if (c->known == EXACT)
		return;
	bs_emit(c->s);
	bs_count(c->s);
	c->key = key_of(c->s);
	c->known = EXACT;
	c->alive = !c->s->failed;
}

/* Builds next as far as it can be as cheap as best. That best costs more than its bound is found when it is written, and
 * is seldom. Where nothing need be computed, next may be full of nodes that nobody reads: it is built whole. */
static bool
build_against(contender *best, contender *next, const bfi_row *row)
{
	while (best->alive) {
		uint32_t limit;

		estimate(best);
		limit = best->key >> BYTES_BITS;
		if (!limit)
			break;
		if (build(next, row, limit))
			return true;
		if (next->s->failed || best->known == EXACT)
			return false;
		write(best);
		if (best->alive && best->key >> BYTES_BITS == limit)
			return false;
	}
	return build(next, row, UINT32_MAX);
}

static bool
is_before(const contender *x, const contender *y)
{
	return x->key < y->key || (x->key == y->key && x->at < y->at);
}

/* Which of two is the cheaper: the more promising is written first, and the other only where it may still be cheaper. */
static contender *
cheaper(contender *x, contender *y)
{
	estimate(x);
	estimate(y);
	if (is_before(y, x))
		return cheaper(y, x);
	while (x->known != EXACT && y->alive) {
		contender *other = y;

		write(x);
		if (x->alive && is_before(x, y))
			break;
		y = x;
		x = other;
	}
	return x;
}

/* Which row is tried as k-th: where the last but one needs nothing, the last is the cheaper one more often, and then the
 * other need not be written out. */
static unsigned
turn(const bfi_row *const row[], unsigned n, unsigned k)
{
	return n > 1 && k + 2 >= n && !row[n - 2]->need ? 2 * n - 3 - k : k;
}

/* The cheapest of the rows, of equal ones the earliest, written in one of the rooms; NULL: none can. */
static bs_seq *
cheapest(bs_seq room[2], const bfi_query *q, const bs_regs *regs, const bfi_row *const row[], unsigned n)
{
	contender best = { .s = &room[0], .q = q, .regs = regs }, next = { .s = &room[1], .q = q, .regs = regs }, other;

	for (unsigned k = 0; k < n; k++) {
		next.at = turn(row, n, k);
		if (!build_against(&best, &next, row[next.at]) || (best.alive && cheaper(&best, &next) == &best))
			continue;
		other = best;
		best = next;
		next = other;
	}
	if (best.alive)
		write(&best);
	return best.alive ? best.s : NULL;
}

bs_seq *
bs_choose(bs_seq room[2], const bfi_query *q, const bs_regs *regs)
{
	const bfi_row *row[BFI_CANDIDATES];

	return cheapest(room, q, regs, row, bfi_candidates(q, row));
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
	unsigned n = bfi_candidates(q, row);
	bs_regs regs;
	bs_seq room[2], *s;

	if (n == 1)
		return *row;
	regs = anywhere(q);
	s = cheapest(room, q, &regs, row, n);
	return s ? s->row : row[n - 1];
}
