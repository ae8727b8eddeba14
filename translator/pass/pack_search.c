/* pack_search.c -- the cheapest program that makes given bits from given leaves. Needs a pack_tree;
 * leaves steps that pack.c writes. Works backwards: each row of pack.def is asked what its operands
 * would have to be (bits that it does not read may be anything), and they are solved in turn, within
 * what the best program found so far leaves. Results are remembered; work is bounded, not time. */
#include "pass/pack.h"

#include <string.h>

enum { MEMO = 1024, CALLS_A_ROOT = 1000, CALLS_A_KERNEL = 100000, COMPONENTS = 8, GROUPABLE = 6 };
enum { VECTOR = 1, SCALAR = 2 };

/* What is known of some wanted bits: there is a program of that cost, or none below it. */
typedef struct memo {
	bits want;
	uint32_t root;           /* of which it speaks */
	uint32_t cost, limit;
	uint16_t step;
} memo;

struct pack_search {
	const pack_tree *t;
	uint32_t root, calls, all_calls;
	bool complete;           /* no group of components was left out for want of room */
	unsigned lanes;          /* leaves that differ between lanes, a bit each */
	unsigned nsteps;
	pack_step step[PACK_STEPS];
	memo memo[MEMO];
};

/* Bits of one leaf that move the same way: wanted bit j is bit j - shift. */
typedef struct component { uint8_t leaf; int8_t shift; uint32_t mask; } component;

/* Wanted bits, looked at. */
typedef struct want {
	bits b;
	uint32_t zero, one, any; /* where */
	unsigned n;
	component c[COMPONENTS];
	bool many;               /* more components than are listed */
	unsigned leaves;         /* a bit each */
	bool scalar;             /* no lane's own leaf */
} want;

/* The best so far for one want. */
typedef struct best {
	pack_search *S;
	const want *w;
	unsigned limit, cost;
	uint16_t step;
} best;

typedef void search_fn(best *, unsigned row);
#define PACK(name, text, nsub, nk, units, free) static search_fn search_##name;
#include "pass/pack.def"

/* pack.def's words for units. */
#define V VECTOR
#define S SCALAR
static const struct row {
	const char *text;
	uint8_t nsub, nk;
	uint8_t units;
	bool free;
	search_fn *fn;
} rows[] = {
#define PACK(name, text, nsub, nk, units, free) { text, nsub, nk, units, free, search_##name },
#include "pass/pack.def"
};
#undef V
#undef S

const char *
pack_text(unsigned op)
{
	return rows[op].text;
}

bool
pack_costly_const(const p2a_target *t, uint32_t x)
{
	(void)t;
	return x > 64 && x < 0xfffffff0;
}

/* ---- looking at bits ---- */

static bool
divergent_leaf(const pack_tree *t, unsigned l)
{
	return t->f->vals.a[t->leaf[l].reg].divergent;
}

static void
add_component(want *w, unsigned j, uint8_t b)
{
	int shift = (int)j - (int)bit_index(b);

	w->leaves |= 1u << bit_leaf(b);
	for (unsigned k = 0; k < w->n; k++)
		if (w->c[k].leaf == bit_leaf(b) && w->c[k].shift == shift) {
			w->c[k].mask |= 1u << j;
			return;
		}
	if (w->n == COMPONENTS)
		w->many = true;
	else
		w->c[w->n++] = (component){ (uint8_t)bit_leaf(b), (int8_t)shift, 1u << j };
}

static want
look(const pack_search *P, const bits *b)
{
	want w = { .b = *b };

	for (unsigned j = 0; j < 32; j++)
		switch (b->b[j]) {
		case BIT_ZERO: w.zero |= 1u << j; break;
		case BIT_ONE: w.one |= 1u << j; break;
		case BIT_ANY: w.any |= 1u << j; break;
		default: add_component(&w, j, b->b[j]);
		}
	w.scalar = !(w.leaves & P->lanes);
	return w;
}

static bool
satisfies(const bits *have, const bits *need)
{
	for (unsigned j = 0; j < 32; j++)
		if (need->b[j] != BIT_ANY && need->b[j] != have->b[j])
			return false;
	return true;
}

/* A vector instruction takes in at most two more leaves, a scalar one a single one. */
static unsigned
at_least(const pack_search *P, const bits *b)
{
	const pack_tree *t = P->t;
	unsigned leaves = 0, n;
	bool vector;

	for (unsigned j = 0; j < 32; j++)
		leaves |= 1u << (b->b[j] / BIT_LEAF);
	leaves >>= 1;
	vector = leaves & P->lanes;
	n = count_ones(leaves);
	if (n > 1)
		return vector ? n / 2 * COST_VECTOR : (n - 1) * COST_SCALAR;
	for (unsigned l = 0; l < t->nleaves; l++)
		if (leaves >> l & 1 && !satisfies(&t->leaf_bits[l], b))
			return vector ? COST_VECTOR : COST_SCALAR;
	return 0;
}

/* ---- trying a step ---- */

static uint16_t
new_step(pack_search *S, const pack_step *s)
{
	if (S->nsteps == PACK_STEPS)
		return 0;
	S->step[S->nsteps] = *s;
	return (uint16_t)S->nsteps++;
}

static bool
reads_scalar(const best *B, const pack_step *s)
{
	const pack_tree *t = B->S->t;

	if (s->op == PACK_IS_CONST)
		return pack_costly_const(t->f->target, s->k[0]);
	return s->op == PACK_IS_LEAF && !(B->S->lanes >> s->k[0] & 1);
}

/* Constants in the instruction and scalar operands beyond what the chip reads at once. */
static unsigned
operand_cost(const best *B, unsigned row, const pack_step *s, unsigned nsub, unsigned nk)
{
	const p2a_target *t = B->S->t->f->target;
	unsigned scalars = 0, literals = 0;

	for (unsigned k = 0; k < nk; k++)
		literals += pack_costly_const(t, s->k[k]);
	for (unsigned k = 0; k < nsub; k++)
		scalars += reads_scalar(B, &B->S->step[s->sub[k]]);
	if (B->w->scalar)
		return literals * COST_LITERAL;
	scalars = scalars + literals > t->const_bus ? scalars + literals - t->const_bus : 0;
	if (rows[row].free || t->vop3_literal)
		return literals * COST_LITERAL + scalars * COST_VECTOR;
	return literals * COST_SCALAR + scalars * COST_VECTOR;
}

static unsigned solve(pack_search *, const bits *, unsigned limit, uint16_t *step);

static void
try(best *B, unsigned row, const bits *sub, uint32_t k, uint32_t l)
{
	const struct row *r = &rows[row];
	pack_step s = { .op = (uint8_t)row, .k = { k, l } };
	unsigned least[3] = { 0 }, total = B->w->scalar ? COST_SCALAR : COST_VECTOR;

	for (unsigned j = 0; j < r->nsub; j++)
		total += least[j] = at_least(B->S, &sub[j]);
	for (unsigned j = 0; j < r->nsub && total < B->limit; j++) {
		unsigned c = solve(B->S, &sub[j], B->limit - (total - least[j]), &s.sub[j]);

		if (c == COST_NONE)
			return;
		total += c - least[j];
	}
	if (total >= B->limit)
		return;
	total += operand_cost(B, row, &s, r->nsub, r->nk);
	if (total >= B->limit)
		return;
	B->step = new_step(B->S, &s);
	if (B->step)
		B->limit = B->cost = total;
}

/* ---- operands that would do: single shifts and masks ---- */

static bits
anything(void)
{
	bits r;

	memset(r.b, BIT_ANY, sizeof r.b);
	return r;
}

/* Wanted bit j is to be bit j - by of the operand. */
static bits
moved(const bits *b, int by)
{
	bits r = anything();

	for (int j = 0; j < 32; j++)
		if (j - by >= 0 && j - by < 32)
			r.b[j - by] = b->b[j];
	return r;
}

static bits
only(const bits *b, uint32_t mask, uint8_t elsewhere)
{
	bits r = *b;

	for (unsigned j = 0; j < 32; j++)
		if (!(mask >> j & 1) && (elsewhere != BIT_ZERO || r.b[j] != BIT_ANY))
			r.b[j] = elsewhere;
	return r;
}

static uint32_t
low(unsigned n)
{
	return n >= 32 ? ~0u : (1u << n) - 1;
}

/* The n-th different shift of the components of mask, positive (left) or negative; 0: no more. */
static int
shift_at(const want *w, unsigned group, bool left, unsigned *at)
{
	for (; *at < w->n; (*at)++) {
		int s = w->c[*at].shift;

		if (!(group >> *at & 1) || s == 0 || (s > 0) != left)
			continue;
		(*at)++;
		return s;
	}
	return 0;
}

static void
search_shl(best *B, unsigned row)
{
	unsigned at = 0;
	int s;

	while ((s = shift_at(B->w, ~0u, true, &at))) {
		bits x = moved(&B->w->b, s);

		if (!(low((unsigned)s) & ~(B->w->zero | B->w->any)))
			try(B, row, &x, (uint32_t)s, 0);
	}
}

static void
search_lshr(best *B, unsigned row)
{
	unsigned at = 0;
	int s;

	while ((s = shift_at(B->w, ~0u, false, &at))) {
		bits x = moved(&B->w->b, s);

		if (!(~low((unsigned)(32 + s)) & ~(B->w->zero | B->w->any)))
			try(B, row, &x, (uint32_t)-s, 0);
	}
}

/* How many of the topmost bits are one and the same bit of a leaf; it. */
static unsigned
sign_bits(const want *w, uint8_t *sign)
{
	unsigned n = 0;

	*sign = BIT_ANY;
	for (int j = 31; j >= 0; j--, n++) {
		uint8_t b = w->b.b[j];

		if (b == BIT_ANY)
			continue;
		if (b < BIT_LEAF || (*sign != BIT_ANY && b != *sign))
			break;
		*sign = b;
	}
	return *sign == BIT_ANY ? 0 : n;
}

static void
search_ashr(best *B, unsigned row)
{
	uint8_t sign;
	unsigned n = sign_bits(B->w, &sign);
	bits x;

	if (n < 2)
		return;
	x = moved(&B->w->b, 1 - (int)n);
	x.b[31] = sign;
	try(B, row, &x, n - 1, 0);
}

static void
search_bfe_s(best *B, unsigned row)
{
	uint8_t sign;
	unsigned n = sign_bits(B->w, &sign), len = 33 - n;
	bits x;

	if (n < 2 || bit_index(sign) + 1 < len || bit_index(sign) == 31)
		return;
	x = moved(&B->w->b, (int)len - 1 - (int)bit_index(sign));
	x = only(&x, low(len) << (bit_index(sign) + 1 - len), BIT_ANY);
	x.b[bit_index(sign)] = sign;
	try(B, row, &x, bit_index(sign) + 1 - len, len);
}

static void
search_bfe_u(best *B, unsigned row)
{
	uint32_t field = ~(B->w->zero | B->w->any);
	unsigned len = 32;

	while (len && !(field >> (len - 1) & 1))
		len--;
	for (unsigned k = 0; k < B->w->n && len; k++) {
		int pos = -B->w->c[k].shift;
		bits x;

		if (pos < 0 || (unsigned)pos + len > 31)
			continue;
		x = only(&B->w->b, low(len), BIT_ANY);
		x = moved(&x, -pos);
		try(B, row, &x, (uint32_t)pos, len);
	}
}

static void
search_mask(best *B, unsigned row)
{
	bits x = only(&B->w->b, ~B->w->zero, BIT_ANY);

	if (B->w->zero)
		try(B, row, &x, ~B->w->zero, 0);
}

static void
search_set(best *B, unsigned row)
{
	bits x = only(&B->w->b, ~B->w->one, BIT_ANY);

	if (B->w->one)
		try(B, row, &x, B->w->one, 0);
}

/* ---- two groups of components ---- */

typedef void group_fn(best *, unsigned row, unsigned group, uint32_t mask);

static uint32_t
group_mask(const want *w, unsigned group)
{
	uint32_t m = 0;

	for (unsigned k = 0; k < w->n; k++)
		m |= group >> k & 1 ? w->c[k].mask : 0;
	return m;
}

static void
each_group(best *B, unsigned row, bool all_too, group_fn *fn)
{
	unsigned n = B->w->n, end = 1u << n;

	if (B->w->many || n > GROUPABLE) {
		B->S->complete = false;
		return;
	}
	for (unsigned g = 1; g < end; g++)
		if (g + 1 < end || (all_too && B->w->one))
			fn(B, row, g, group_mask(B->w, g));
}

/* The part that is not in mask, zero where mask is. */
static bits
remainder_of(const want *w, uint32_t mask)
{
	return only(&w->b, ~mask, BIT_ZERO);
}

/* The part in mask, zero elsewhere, anything where the other part sets a bit. */
static bits
part_of(const want *w, uint32_t mask)
{
	bits r = only(&w->b, mask, BIT_ZERO);

	return only(&r, ~w->one, BIT_ANY);
}

static void
group_lshl_or(best *B, unsigned row, unsigned group, uint32_t mask)
{
	bits sub[2] = { part_of(B->w, mask), remainder_of(B->w, mask) }, x = sub[0];
	unsigned at = 0;
	int s;

	while ((s = shift_at(B->w, group, true, &at))) {
		sub[0] = moved(&x, s);
		if (!(mask & low((unsigned)s)))
			try(B, row, sub, (uint32_t)s, 0);
	}
}

static void
group_and_or(best *B, unsigned row, unsigned group, uint32_t mask)
{
	bits sub[2] = { only(&B->w->b, mask, BIT_ANY), remainder_of(B->w, mask) };

	(void)group;
	try(B, row, sub, mask, 0);
}

static void
group_or2(best *B, unsigned row, unsigned group, uint32_t mask)
{
	bits sub[2] = { part_of(B->w, mask), remainder_of(B->w, mask) };

	if (group & 1)
		try(B, row, sub, 0, 0);
}

static void
group_or3(best *B, unsigned row, unsigned group, uint32_t mask)
{
	const want *w = B->w;
	bits sub[3] = { part_of(w, mask) };

	for (unsigned g = group + 1; g < 1u << w->n; g++) {
		uint32_t m = group_mask(w, g);

		if (g & group || (g | group) + 1 == 1u << w->n)
			continue;
		sub[1] = part_of(w, m);
		sub[2] = remainder_of(w, mask | m);
		try(B, row, sub, 0, 0);
	}
}

/* Constant bits may come with either. */
static void
group_bfi(best *B, unsigned row, unsigned group, uint32_t mask)
{
	uint32_t fixed = B->w->zero | B->w->one;

	(void)group;
	for (unsigned with = 0; with < (fixed ? 2u : 1u); with++) {
		uint32_t m = mask | (with ? fixed : 0);
		bits sub[2] = { only(&B->w->b, m, BIT_ANY), only(&B->w->b, ~m, BIT_ANY) };

		try(B, row, sub, m, 0);
	}
}

static void search_lshl_or(best *B, unsigned row) { each_group(B, row, true, group_lshl_or); }
static void search_and_or(best *B, unsigned row) { each_group(B, row, true, group_and_or); }
static void search_or2(best *B, unsigned row) { each_group(B, row, false, group_or2); }
static void search_or3(best *B, unsigned row) { each_group(B, row, false, group_or3); }
static void search_bfi(best *B, unsigned row) { each_group(B, row, false, group_bfi); }

/* High bits of one below low bits of another. */
static void
search_align(best *B, unsigned row)
{
	uint32_t tried = 0;

	for (unsigned k = 0; k < B->w->n; k++) {
		unsigned n = (unsigned)-B->w->c[k].shift & 31;
		bits sub[2];

		if (!n || tried >> n & 1 || !(~low(32 - n) & ~(B->w->zero | B->w->any)))
			continue;
		tried |= 1u << n;
		sub[0] = moved(&B->w->b, (int)(32 - n));
		sub[1] = moved(&B->w->b, -(int)n);
		try(B, row, sub, n, 0);
	}
}

/* ---- scalar packs of halves ---- */

static void
pack_halves(best *B, unsigned row, bool x_high, bool y_high)
{
	bits sub[2] = { only(&B->w->b, 0xffff, BIT_ANY), only(&B->w->b, 0xffff0000, BIT_ANY) };

	if (x_high)
		sub[0] = moved(&sub[0], -16);
	if (!y_high)
		sub[1] = moved(&sub[1], 16);
	try(B, row, sub, 0, 0);
}

static void search_pack_ll(best *B, unsigned row) { pack_halves(B, row, false, false); }
static void search_pack_lh(best *B, unsigned row) { pack_halves(B, row, false, true); }
static void search_pack_hh(best *B, unsigned row) { pack_halves(B, row, true, true); }

/* ---- v_perm_b32 ---- */

/* What byte k is: its selector if constant (12 zero, 13 ones), 16 if nobody reads it, 17 a mixture. */
static unsigned
byte_kind(const bits *b, unsigned k)
{
	unsigned seen = 0;

	for (unsigned j = 8 * k; j < 8 * k + 8; j++)
		seen |= b->b[j] == BIT_ZERO ? 1u : b->b[j] == BIT_ONE ? 2u : b->b[j] == BIT_ANY ? 0u : 4u;
	return seen == 0 ? 16 : seen == 1 ? 12 : seen == 2 ? 13 : 17;
}

/* Byte `at` of `have` is byte k of `need`. */
static bool
same_byte(const bits *have, unsigned at, const bits *need, unsigned k)
{
	for (unsigned j = 0; j < 8; j++)
		if (need->b[8 * k + j] != BIT_ANY && need->b[8 * k + j] != have->b[8 * at + j])
			return false;
	return true;
}

/* The selector for byte k of need out of bits of one operand, counted from 0 (bytes) or 8 (signs). */
static int
byte_in(const bits *have, const bits *need, unsigned k)
{
	for (unsigned at = 0; at < 4; at++)
		if (same_byte(have, at, need, k))
			return (int)at;
	for (unsigned h = 0; h < 2; h++) {
		bits sign;

		memset(sign.b, have->b[16 * h + 15], sizeof sign.b);
		if (same_byte(&sign, 0, need, k))
			return (int)(8 + h);
	}
	return -1;
}

/* Operands are leaves: x counts bytes from 4 and signs from 10. */
static void
perm_leaves(best *B, unsigned row, unsigned x, unsigned y)
{
	const pack_tree *t = B->S->t;
	uint32_t selector = 0;
	bits sub[2];

	for (unsigned k = 0; k < 4; k++) {
		int s = (int)byte_kind(&B->w->b, k), from;

		if (s == 16)
			s = 12;
		if (s == 17) {
			from = byte_in(&t->leaf_bits[y], &B->w->b, k);
			s = from;
			if (from < 0) {
				from = byte_in(&t->leaf_bits[x], &B->w->b, k);
				s = from < 8 ? from + 4 : from + 2;
			}
			if (from < 0)
				return;
		}
		selector |= (uint32_t)s << 8 * k;
	}
	sub[0] = t->leaf_bits[x];
	sub[1] = t->leaf_bits[y];
	try(B, row, sub, selector, 0);
}

/* Bytes in set come from x moved up by dx bytes, the others from y moved by dy. */
static void
perm_split(best *B, unsigned row, unsigned set, unsigned dx, unsigned dy)
{
	bits sub[2] = { anything(), anything() };
	uint32_t selector = 0;

	for (unsigned k = 0; k < 4; k++) {
		unsigned s = byte_kind(&B->w->b, k), x = set >> k & 1;
		unsigned at = (k - (x ? dx : dy)) & 3;

		if (s == 17) {
			memcpy(&sub[!x].b[8 * at], &B->w->b.b[8 * k], 8);
			s = x ? 4 + at : at;
		}
		selector |= (s == 16 ? 12u : s) << 8 * k;
	}
	try(B, row, sub, selector, 0);
}

static void
search_perm(best *B, unsigned row)
{
	const pack_tree *t = B->S->t;
	unsigned mixed = 0;

	for (unsigned x = 0; x < t->nleaves; x++)
		for (unsigned y = 0; y <= x && count_ones(B->w->leaves) <= 2; y++)
			if (!(B->w->leaves & ~(1u << x | 1u << y)) && B->w->leaves >> x & 1 &&
			    B->w->leaves >> y & 1)
				perm_leaves(B, row, x, y);
	for (unsigned k = 0; k < 4; k++)
		mixed |= (unsigned)(byte_kind(&B->w->b, k) == 17) << k;
	if (B->limit <= 2 * COST_VECTOR || count_ones(mixed) < 2)
		return;
	for (unsigned set = 1; set < 15; set++)
		for (unsigned d = 0; d < 16 && !(set & ~mixed) && set != mixed; d++)
			perm_split(B, row, set, d / 4, d % 4);
}

/* ---- the search ---- */

static bool
is_leaf(best *B)
{
	const pack_tree *t = B->S->t;

	for (unsigned l = 0; l < t->nleaves; l++)
		if (satisfies(&t->leaf_bits[l], &B->w->b)) {
			B->step = new_step(B->S, &(pack_step){ .op = PACK_IS_LEAF, .k = { l } });
			B->cost = B->step ? 0 : COST_NONE;
			return true;
		}
	if (B->w->leaves)
		return false;
	B->step = new_step(B->S, &(pack_step){ .op = PACK_IS_CONST, .k = { B->w->one } });
	B->cost = B->step ? 0 : COST_NONE;
	return true;
}

static memo *
memo_of(pack_search *S, const bits *b)
{
	uint64_t h = 0, x;

	for (unsigned k = 0; k < 4; k++) {
		memcpy(&x, &b->b[8 * k], 8);
		h = (h ^ x) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return &S->memo[h % MEMO];
}

static void
all_rows(best *B)
{
	for (unsigned r = 0; r < COUNT(rows); r++)
		if (rows[r].units & (B->w->scalar ? SCALAR : VECTOR))
			rows[r].fn(B, r);
}

static unsigned
solve(pack_search *P, const bits *b, unsigned limit, uint16_t *step)
{
	memo *m = memo_of(P, b);
	bool known = m->root == P->root && !memcmp(&m->want, b, sizeof *b);
	want w;
	best B = { .S = P, .w = &w, .limit = limit, .cost = COST_NONE };

	if (known && (m->cost != COST_NONE || limit <= m->limit)) {
		*step = m->step;
		return m->cost < limit ? m->cost : COST_NONE;
	}
	if (P->calls >= CALLS_A_ROOT || !limit)
		return COST_NONE;
	P->calls++;
	w = look(P, b);
	if (!is_leaf(&B) && limit > (w.scalar ? COST_SCALAR : COST_VECTOR))
		all_rows(&B);
	*m = (memo){ *b, P->root, B.cost, limit, B.step };
	*step = B.step;
	return B.cost;
}

unsigned
pack_solve(pack_search *P, const pack_tree *t, const bits *b, unsigned limit, unsigned *step)
{
	uint16_t last = 0;
	unsigned cost;

	P->t = t;
	P->root++;
	P->lanes = 0;
	P->complete = true;
	for (unsigned l = 0; l < t->nleaves; l++)
		P->lanes |= (unsigned)divergent_leaf(t, l) << l;
	P->calls = 0;
	P->nsteps = 1;
	cost = solve(P, b, limit, &last);
	P->all_calls += P->calls;
	*step = last;
	return cost;
}

const pack_step *
pack_step_at(const pack_search *P, unsigned step)
{
	return &P->step[step];
}

bool
pack_complete(const pack_search *P)
{
	return P->complete && P->calls < CALLS_A_ROOT && P->nsteps < PACK_STEPS;
}

bool
pack_spent(const pack_search *P)
{
	return P->all_calls >= CALLS_A_KERNEL;
}

pack_search *
pack_search_new(arena *A)
{
	return arena_new(A, pack_search);
}
