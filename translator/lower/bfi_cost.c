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

#include <string.h>

enum { BYTES_BITS = 12 };

uint32_t
bs_cost_key(const bs_cost *c)
{
	return (2 * c->valu + 2 * c->valu64 + c->salu) << BYTES_BITS | MIN(c->bytes, (1u << BYTES_BITS) - 1);
}

/* A result of one dword that is a half of a pair, or uniform and wanted in a VGPR, is moved to its register; an IR reads it where it is. */
static bool
moves_result(const bs_seq *s)
{
	bs_word w = s->r.w[0];
	unsigned dst = s->regs->dst.kind;

	if (bs_n(s->r) != 1 || bs_kind(w) != BS_NODE)
		return false;
	return dst == (bs_vec(w) ? P2A_K_VGPR : P2A_K_SGPR) ? s->node[bs_id(w)].n == 2 : dst == P2A_K_VGPR;
}

static uint32_t
key_of(const bs_seq *s, bs_cost c)
{
	if (moves_result(s)) {
		c.valu += s->regs->dst.kind == P2A_K_VGPR;
		c.salu += s->regs->dst.kind != P2A_K_VGPR;
		c.bytes += 4;
	}
	return bs_cost_key(&c);
}

/* A row as a graph, or written. */
typedef struct contender {
	bs_seq *s;
	unsigned at;             /* its place among the candidates */
	bool alive;              /* there is one, which the chip can do as far as is known */
	uint32_t key;            /* bs_cost_key of what it costs, at least or, written, exactly */
} contender;

/* Rows among which one is chosen: the graph of the best so far stays in one room while the next is made in the other. Of
 * those that were left, what they cost at least. */
typedef struct contest {
	const bfi_row *row[BFI_CANDIDATES];
	uint32_t least[BFI_CANDIDATES];
	unsigned n;
	contender best, next;
} contest;

enum { NEVER = UINT32_MAX };

static bool
is_before(uint32_t key, unsigned at, const contender *c)
{
	return !c->alive || key < c->key || (key == c->key && at < c->at);
}

/* Builds row `at` as next, no further than it can be as cheap as the best. Where that computes nothing, next may be full of
 * nodes that nobody reads: it is built whole. */
static void
build(contest *C, unsigned at)
{
	contender *c = &C->next;
	uint32_t limit = C->best.alive && C->best.key >> BYTES_BITS ? C->best.key >> BYTES_BITS : UINT32_MAX;

	c->at = at;
	bs_build(c->s, C->row[at], limit);
	c->alive = !c->s->stopped && !c->s->failed;
	C->least[at] = c->s->failed ? NEVER : (limit + 1) << BYTES_BITS;
	if (!c->alive)
		return;
	bs_match(c->s);
	if (C->n == 1)
		return;
	c->key = C->least[at] = key_of(c->s, bs_least(c->s));
}

static void
write(contender *c)
{
	bs_emit(c->s);
	bs_count(c->s);
	c->key = key_of(c->s, c->s->cost);
	c->alive = !c->s->failed;
}

static void
take_next(contest *C)
{
	contender old = C->best;

	C->best = C->next;
	C->next = old;
}

/* The most promising of those that may be cheaper than what is written; n: none. */
static unsigned
rival(const contest *C)
{
	unsigned at = C->n;

	for (unsigned k = 0; k < C->n; k++)
		if (C->least[k] != NEVER && is_before(C->least[k], k, &C->best) && (at == C->n || C->least[k] < C->least[at]))
			at = k;
	return at;
}

/* Which row is tried as k-th: where the last but one needs nothing, the last is the cheaper one more often, and then the
 * other need not be written out. */
static unsigned
turn(const bfi_row *const row[], unsigned n, unsigned k)
{
	return n > 1 && k + 2 >= n && !row[n - 2]->need ? 2 * n - 3 - k : k;
}

/* The cheapest of the rows, of equal ones the earliest, written in one of the rooms; NULL: none can. Bounds are so near that
 * rivals of what is written are rare. */
static bs_seq *
cheapest(contest *C)
{
	unsigned at;

	for (unsigned k = 0; k < C->n; k++) {
		build(C, turn(C->row, C->n, k));
		if (C->next.alive && is_before(C->next.key, C->next.at, &C->best))
			take_next(C);
	}
	if (C->best.alive) {
		C->least[C->best.at] = NEVER;
		write(&C->best);
	}
	while ((at = rival(C)) < C->n) {
		build(C, at);
		C->least[at] = NEVER;
		if (!C->next.alive || !is_before(C->next.key, at, &C->best))
			continue;
		write(&C->next);
		if (C->next.alive && is_before(C->next.key, at, &C->best))
			take_next(C);
	}
	return C->best.alive ? C->best.s : NULL;
}

static void
furnish(bs_seq *room, const bfi_query *q, const bs_regs *regs, bs_nested *nested)
{
	room->q = q;
	room->regs = regs;
	room->nested = nested;
}

/* Among the rows of C. */
static bs_seq *
choose(contest *C, bs_seq room[2], const bfi_query *q, const bs_regs *regs, bs_nested *nested)
{
	bs_give(&room[0].given, q);
	furnish(&room[0], q, regs, nested);
	if (C->n > 1) {
		room[1].given = room[0].given;
		furnish(&room[1], q, regs, nested);
	}
	C->best = (contender){ .s = &room[1] };
	C->next = (contender){ .s = &room[0] };
	return cheapest(C);
}

bs_seq *
bs_choose(bs_seq room[2], const bfi_query *q, const bs_regs *regs)
{
	bs_nested nested;
	contest C;

	nested.all = false;
	nested.n = 0;
	C.n = bfi_candidates(q, C.row);
	return choose(&C, room, q, regs, &nested);
}

uint32_t
bs_price(bs_seq *room, const bfi_query *q, const bs_regs *regs, const bfi_row *row)
{
	bs_nested nested;
	contender c = { .s = room };

	nested.all = true;
	nested.n = 0;
	bs_give(&room->given, q);
	furnish(room, q, regs, &nested);
	bs_build(room, row, UINT32_MAX);
	if (room->failed)
		return NEVER;
	bs_match(room);
	write(&c);
	return c.alive ? c.key : NEVER;
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

static const bfi_row *
choose_anywhere(const bfi_query *q, bs_nested *nested)
{
	bs_seq room[2], *s;
	bs_regs regs;
	contest C;

	C.n = nested->all ? bfi_usable(q, C.row) : bfi_candidates(q, C.row);
	if (C.n == 1)
		return *C.row;
	regs = anywhere(q);
	s = choose(&C, room, q, &regs, nested);
	return s ? s->row : C.row[C.n - 1];
}

const bfi_row *
bfi_choose(const bfi_query *q)
{
	bs_nested nested;

	nested.all = false;
	nested.n = 0;
	return choose_anywhere(q, &nested);
}

/* Of one chip and meaning. */
static bool
same_query(const bfi_query *x, const bfi_query *y)
{
	return x->gop == y->gop && x->lanes == y->lanes && x->bytes == y->bytes && !memcmp(&x->a, &y->a, sizeof x->a) && !memcmp(&x->b, &y->b, sizeof x->b) &&
	       !memcmp(&x->pos, &y->pos, sizeof x->pos) && !memcmp(&x->len, &y->len, sizeof x->len);
}

const bfi_row *
bs_choose_nested(bs_nested *known, const bfi_query *q)
{
	const bfi_row *row;

	for (unsigned k = 0; k < known->n; k++)
		if (same_query(&known->q[k], q))
			return known->row[k];
	row = choose_anywhere(q, known);
	if (known->n < BS_NESTED) {
		known->q[known->n] = *q;
		known->row[known->n++] = row;
	}
	return row;
}
