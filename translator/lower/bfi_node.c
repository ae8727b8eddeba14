/* bfi_node.c -- a row's text as a graph of operations: constants folded, what the operands make needless
 * left out, 64-bit operations on lanes taken apart. Needs a query and registers; leaves nodes in an order
 * in which they can be done. Meaning of operations: ir/gops.def. */
#include "lower/bfi_seq.h"

#include <string.h>

#define G_NOPE 0
#define OP_NO BS_NO
const bop_info bop_table[BOP_COUNT] = {
#define ROW(name, gop, dst, src, salu, valu, order, low) \
	[BOP_##name] = { #name, G_##gop, OP_##salu, OP_##valu, dst, sizeof src - 1, src, order, low },
#define BOP ROW
#define BMOP ROW
#include "lower/bfi_ops.def"
};

/* ---- values ---- */

bs_val
bs_const32(uint32_t x)
{
	return bs_val_of(bs_word_const(x), 0, 1);
}

static bs_val
const_of(unsigned dwords, uint64_t x)
{
	return bs_val_of(bs_word_const((uint32_t)x), bs_word_const((uint32_t)(x >> 32)), dwords);
}

bs_val
bs_of_node(const bs_seq *s, uint8_t node)
{
	const bs_node *n = &s->node[node];

	return bs_val_of_node(node, n->n, n->vec);
}

static bs_val
both(bs_val lo, bs_val hi)
{
	if (bs_is_const(lo) && bs_kind(hi.w[0]) == BS_EMPTY)
		return const_of(2, bfi_with_any(bs_x(lo.w[0])));
	return bs_val_of(lo.w[0], hi.w[0], 2);
}

static const ir_fact *
operand_fact(const bfi_query *q, unsigned k)
{
	const ir_fact *f[4] = { &q->a, &q->b, &q->pos, &q->len };

	return f[k];
}

static ir_fact
word_fact(const bs_seq *s, bs_word w)
{
	ir_fact f = ir_fact_none(1);

	if (bs_kind(w) == BS_CONST)
		return ir_fact_const(bs_x(w));
	if (bs_kind(w) == BS_IN)
		return ir_fact_dword(*operand_fact(s->q, bs_id(w)), bs_half(w));
	if (bs_kind(w) == BS_NODE && s->node[bs_id(w)].n == 1)
		f.hi = s->node[bs_id(w)].hi;
	return ir_fact_tidy(f);
}

static uint32_t
bound(const bs_seq *s, bs_val v)
{
	bs_word w = v.w[0];

	if (bs_n(v) != 1)
		return UINT32_MAX;
	switch (bs_kind(w)) {
	case BS_CONST: return bs_x(w);
	case BS_IN: return s->given.max[bs_id(w) & 3][bs_half(w) & 1];
	case BS_NODE: return s->node[bs_id(w)].hi;
	default: return UINT32_MAX;
	}
}

/* A bound from below. */
static uint32_t
least_of(const bs_seq *s, bs_val v)
{
	bs_word w = v.w[0];

	if (bs_n(v) != 1)
		return 0;
	switch (bs_kind(w)) {
	case BS_CONST: return bs_x(w);
	case BS_IN: return s->given.min[bs_id(w) & 3][bs_half(w) & 1];
	default: return 0;
	}
}

static bool
is(bs_val v, uint64_t x)
{
	return bs_is_const(v) && bs_value(v) == (bs_n(v) == 1 ? (uint32_t)x : x);
}

bs_val
bs_whole(const bs_seq *s, bs_val v)
{
	unsigned known = bs_kind(v.w[0]) != BS_CONST;
	bs_word x = v.w[known], other = v.w[!known];
	const bs_node *n = bs_kind(other) == BS_NODE ? &s->node[bs_id(other)] : NULL;

	if (bs_n(v) != 2 || bs_kind(x) != BS_CONST || !n || n->n != 2 || bs_half(other) == known)
		return v;
	return n->known == 1 + known && n->known_x == bs_x(x) ? bs_of_node(s, bs_id(other)) : v;
}

/* The node that v wholly is, if it is of that kind; NULL. */
static const bs_node *
node_of(const bs_seq *s, bs_val v, unsigned bop)
{
	bs_val w = bs_whole(s, v);
	const bs_node *n = bs_kind(w.w[0]) == BS_NODE ? &s->node[bs_id(w.w[0])] : NULL;

	if (!n || n->op != bop || n->n != bs_n(w) || bs_half(w.w[0]))
		return NULL;
	return bs_n(w) < 2 || (bs_kind(w.w[1]) == BS_NODE && bs_id(w.w[1]) == bs_id(w.w[0]) && bs_half(w.w[1])) ? n : NULL;
}

/* ---- nodes ---- */

/* The least 2^n - 1 that is no less. */
static uint32_t
ones_up_to(uint32_t x)
{
	for (unsigned n = 1; n < 32; n *= 2)
		x |= x >> n;
	return x;
}

/* x & (2^n - 1): of an x that is known well the low bits of its bound are one too. */
static uint32_t
largest_and(const bs_seq *s, bs_val x, bs_val mask)
{
	uint32_t most = MIN(bound(s, x), bound(s, mask)), m = bs_x(mask.w[0]);
	ir_fact f = ir_fact_none(1);

	if (bs_is_const(mask) && bs_kind(x.w[0]) == BS_IN && !(m & (m + 1)))
		f = word_fact(s, x.w[0]);
	return (f.lo ^ f.hi) & ~(uint64_t)m ? most : (uint32_t)f.hi & m;
}

/* Of x - min(x, n), or n - x that is no less than 0. */
static uint32_t
largest_rest(const bs_seq *s, const bs_val *src)
{
	const bs_node *min = node_of(s, src[1], BOP_min_u32);
	uint32_t most = bound(s, src[0]);

	if (min && bs_is_const(min->src[1]) && bs_same_word(src[0].w[0], min->src[0].w[0]))
		return most - MIN(most, bs_x(min->src[1].w[0]));
	return bs_is_const(src[0]) && bound(s, src[1]) <= most ? most - least_of(s, src[1]) : UINT32_MAX;
}

static uint32_t
largest(const bs_seq *s, unsigned bop, const bs_val *src)
{
	switch (bop) {
	case BOP_and32: return largest_and(s, src[0], src[1]);
	case BOP_min_u32: return MIN(bound(s, src[0]), bound(s, src[1]));
	case BOP_lshr32: return bound(s, src[0]) >> (bs_is_const(src[1]) ? bs_x(src[1].w[0]) & 31 : 0);
	case BOP_bfe_u32: return bs_is_const(src[2]) ? (uint32_t)((1ull << (bs_x(src[2].w[0]) & 31)) - 1) : UINT32_MAX;
	case BOP_sat_sub: return bs_is_const(src[1]) ? bound(s, src[0]) - MIN(bound(s, src[0]), bs_x(src[1].w[0])) : bound(s, src[0]);
	case BOP_sub32: return largest_rest(s, src);
	case BOP_or32: return ones_up_to(bound(s, src[0]) | bound(s, src[1]));
	default: return UINT32_MAX;
	}
}

/* A bound from below for what the nodes so far cost: those that no other instruction can take in. */
static void
count_least(bs_seq *s, unsigned bop, bool vec)
{
	static const uint8_t least[BOP_COUNT] = { [BOP_bitsel32] = 2, [BOP_perm32] = 2, [BOP_bfm32] = 2,
		[BOP_alignbit32] = 2, [BOP_sel32] = 2, [BOP_lshl_add64] = 2, [BOP_shl64] = 4, [BOP_lshr64] = 4, [BOP_ashr64] = 4 };

	s->least += vec ? least[bop] : least[bop] != 0;
	s->stopped |= s->least > s->limit;
}

static inline uint8_t
new_node(bs_seq *s, unsigned bop, bool vec, bool constants, const bs_val *src)
{
	const bop_info *info = &bop_table[bop];
	bs_node *n = &s->node[s->nnodes];

	if (s->nnodes == BS_NODES) {
		s->failed = s->stopped = true;
		return 0;
	}
	n->op = (uint8_t)bop;
	n->n = info->dst;
	n->nsrc = info->nsrc;
	n->vec = vec;
	n->known = 0;
	n->constants = constants;
	n->uses = n->sel = n->to = n->half = 0;
	n->gone = n->parts = false;
	n->mask = n->pair = BS_NONE;
	n->hi = UINT32_MAX;
	n->src[0] = src[0];
	if (info->nsrc > 1)
		n->src[1] = src[1];
	if (info->nsrc > 2)
		n->src[2] = src[2];
	if (n->n == 1)
		n->hi = largest(s, bop, src);
	return (uint8_t)s->nnodes++;
}

uint8_t
bs_new_node(bs_seq *s, unsigned bop, bool vec, const bs_val *src)
{
	return new_node(s, bop, vec, true, src);
}

static bs_val op(bs_seq *, unsigned bop, const bs_val given[3]);

static bs_val op1(bs_seq *s, unsigned bop, bs_val a) { return op(s, bop, (bs_val[3]){ a }); }
static bs_val op2(bs_seq *s, unsigned bop, bs_val a, bs_val b) { return op(s, bop, (bs_val[3]){ a, b }); }
static bs_val
op3(bs_seq *s, unsigned bop, bs_val a, bs_val b, bs_val c)
{
	return op(s, bop, (bs_val[3]){ a, b, c });
}

/* ---- what is not written as it stands ---- */

static bool
evaluate(const bop_info *info, const bs_val *src, bs_val *r)
{
	uint64_t x[4] = { 0 }, y;
	ir_inst i;               /* what is evaluated is said by its op alone */

	i.m.op = info->gop;

	for (unsigned k = 0; k < info->nsrc; k++)
		x[k] = bs_value(src[k]);
	if (!ir_eval(&i, x, &y))
		return false;
	*r = const_of(info->dst, y);
	return true;
}

static bool
fold(const bop_info *info, const bs_val *src, bs_val *r)
{
	for (unsigned k = 0; k < info->nsrc; k++)
		if (!bs_is_const(src[k]))
			return false;
	return info->gop && info->dst && evaluate(info, src, r);
}

/* x & mask counts as x where the mask keeps all bits that are looked at. */
static bs_val
looked_at(const bs_seq *s, bs_val v, char low)
{
	uint32_t bits = (1u << (low - '0')) - 1;
	const bs_node *n = node_of(s, v, BOP_and32);

	if (bs_is_const(v))
		return bs_const32(bs_x(v.w[0]) & bits);
	return n && bs_is_const(n->src[1]) && !(bits & ~bs_x(n->src[1].w[0])) ? n->src[0] : v;
}

/* (m & x) | (~m & y) of constants x and y: the bits in which they differ are turned over where m has ones. */
static bs_val
turned_over(bs_seq *s, const bs_val *src, bool wide)
{
	bs_val x = op2(s, wide ? BOP_xor64 : BOP_xor32, src[1], src[2]);

	return op2(s, wide ? BOP_xor64 : BOP_xor32, op2(s, wide ? BOP_and64 : BOP_and32, x, src[0]), src[2]);
}

/* (m & x) | (~m & y) by one or two constants. */
static bool
constant_select(bs_seq *s, const bs_val *src, bs_val *r)
{
	uint32_t m = bs_x(src[0].w[0]), x = bs_x(src[1].w[0]), y = bs_x(src[2].w[0]);
	bool cm = bs_is_const(src[0]), cx = bs_is_const(src[1]), cy = bs_is_const(src[2]);

	if (cm && (m == 0 || m == UINT32_MAX))
		*r = src[m ? 1 : 2];
	else if (cx && x == 0 && cy && y == UINT32_MAX)
		*r = op1(s, BOP_not32, src[0]);
	else if (cx && x == UINT32_MAX)
		*r = op2(s, BOP_or32, src[0], src[2]);
	else if (cy && y == 0)
		*r = op2(s, BOP_and32, src[1], src[0]);
	else if (cm && cx && !(x & m))
		*r = op2(s, BOP_and32, src[2], bs_const32(~m));
	else if (cm && cx && (x & m) == m)
		*r = op2(s, BOP_or32, src[2], src[0]);
	else if (cm && cy && !(y & ~m))
		*r = op2(s, BOP_and32, src[1], src[0]);
	else if (bs_is_literal(s, src[1]) && bs_is_literal(s, src[2]) && !s->q->t->vop3_literal)
		*r = turned_over(s, src, false);
	else
		return false;
	return true;
}

/* The scalar unit has no select by bits. */
static bs_val
uniform_select(bs_seq *s, const bs_val *src, bool wide, bool last)
{
	unsigned and = wide ? BOP_and64 : BOP_and32, or = wide ? BOP_or64 : BOP_or32;
	bs_val not, x, y;

	s->last = last;
	if (is(src[2], 0))
		return op2(s, and, src[1], src[0]);
	if (is(src[1], ~0ull))
		return op2(s, or, src[2], src[0]);
	s->last = false;
	if (bs_is_const(src[1]) && bs_is_const(src[2]) && !is(src[1], 0) && !is(src[2], ~0ull))
		return turned_over(s, src, wide);
	not = op1(s, wide ? BOP_not64 : BOP_not32, src[0]);
	if (is(src[2], ~0ull))
		return op2(s, or, src[1], not);
	if (is(src[1], 0))
		return op2(s, and, src[2], not);
	x = op2(s, and, src[1], src[0]);
	y = op2(s, and, src[2], not);
	s->last = last;
	return op2(s, or, x, y);
}

/* The scalar bfe takes offset and width in one operand: bits 4:0 and 22:16. */
static bs_val
uniform_field(bs_seq *s, unsigned bop, const bs_val *src)
{
	bs_val off = src[1], width = src[2];

	if (bound(s, off) > 0xffff)
		off = op2(s, BOP_and32, off, bs_const32(31));
	if (bound(s, width) > 31)
		width = op2(s, BOP_and32, width, bs_const32(31));
	width = op2(s, BOP_shl32, width, bs_const32(16));
	return op2(s, bop == BOP_bfe_u32 ? BOP_field_u32 : BOP_field_s32, src[0], op2(s, BOP_or32, width, off));
}

static bs_val
by_halves(bs_seq *s, unsigned bop32, const bs_val *src, unsigned n)
{
	bs_val half[2], x[3] = { src[0], src[1], src[2] };

	for (unsigned h = 0; h < 2; h++) {
		for (unsigned k = 0; k < n; k++)
			x[k] = bs_n(src[k]) == 2 ? bs_dword(src[k], h) : src[k];
		half[h] = op(s, bop32, x);
	}
	return both(half[0], half[1]);
}

/* A 64-bit shift of lanes by a constant: two operations on dwords, of which one may turn out unused. */
static bs_val
constant_shift(bs_seq *s, unsigned bop, bs_val x, uint32_t n)
{
	bs_val lo = bs_dword(x, 0), hi = bs_dword(x, 1), k = bs_const32(n & 31), zero = bs_const32(0), fill;

	if (!n)
		return x;
	if (bop == BOP_shl64)
		return n >= 32 ? both(zero, op2(s, BOP_shl32, lo, k))
		     : both(op2(s, BOP_shl32, lo, k), op3(s, BOP_alignbit32, hi, lo, bs_const32(32 - n)));
	fill = bop == BOP_lshr64 ? zero : op2(s, BOP_ashr32, hi, bs_const32(31));
	if (n == 63 && bop == BOP_ashr64)
		return both(fill, fill);
	bop = bop == BOP_lshr64 ? BOP_lshr32 : BOP_ashr32;
	return n >= 32 ? both(op2(s, bop, hi, k), fill)
	     : both(op3(s, BOP_alignbit32, hi, lo, k), op2(s, bop, hi, k));
}

/* ~(-1 << width) on the scalar unit. */
static bool
uniform_low_mask(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *shl = node_of(s, src[0], BOP_shl64);

	if (!shl || !is(shl->src[0], ~0ull))
		return false;
	*r = op2(s, BOP_bfm64, shl->src[1], bs_const32(0));
	return true;
}

/* The same << offset; of a constant width, ones at the bottom. */
static bool
uniform_mask(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *low = node_of(s, src[0], BOP_bfm64);

	if (bs_is_const(src[0]) && !is(src[0], 0) && !is(src[0], ~0ull) && !(bs_value(src[0]) & (bs_value(src[0]) + 1))) {
		*r = op2(s, BOP_bfm64, bs_const32(count_ones(bs_value(src[0]))), src[1]);
		return true;
	}
	if (!low || !is(low->src[1], 0))
		return false;
	*r = op2(s, BOP_bfm64, low->src[0], src[1]);
	return true;
}

/* Is it known of the condition whether it holds? Then that. */
static bool
decided(const bs_seq *s, bs_val cond, bool *holds)
{
	const bs_node *n = &s->node[bs_id(cond.w[0])];
	bs_val x, y;

	if (bs_kind(cond.w[0]) != BS_NODE || (n->op != BOP_gt && n->op != BOP_eq))
		return false;
	x = n->src[0], y = n->src[1];
	if (n->op == BOP_gt) {
		*holds = least_of(s, x) > bound(s, y);
		return *holds || bound(s, x) <= least_of(s, y);
	}
	*holds = bs_is_const(x) && bs_is_const(y) && bs_value(x) == bs_value(y);
	return *holds || least_of(s, x) > bound(s, y) || least_of(s, y) > bound(s, x);
}

static bool
identity(const bs_seq *s, unsigned bop, const bs_val *src, bs_val *r)
{
	unsigned other = 2;

	switch (bop) {
	case BOP_or32: case BOP_or64:
		other = is(src[0], 0) || is(src[1], ~0ull) ? 1 : is(src[1], 0) || is(src[0], ~0ull) ? 0 : 2;
		break;
	case BOP_xor32:
		other = is(src[0], 0) ? 1 : is(src[1], 0) ? 0 : 2;
		break;
	case BOP_shl32: case BOP_lshr32: case BOP_ashr32: case BOP_sub32: case BOP_shl64: case BOP_lshr64:
	case BOP_ashr64:
		other = is(src[1], 0) ? 0 : is(src[0], 0) && bop != BOP_sub32 ? 0 : 2;
		break;
	case BOP_bfe_u32: case BOP_bfe_s32:
		other = is(src[0], 0) ? 0 : 2;
		break;
	case BOP_alignbit32:
		other = is(src[2], 0) ? 1 : 2;
		break;
	case BOP_and32: case BOP_and64:
		other = is(src[0], 0) ? 0 : is(src[1], 0) ? 1 : is(src[1], ~0ull) ? 0 : is(src[0], ~0ull) ? 1 : 2;
		break;
	case BOP_min_u32:
		other = bs_is_const(src[1]) && bound(s, src[0]) <= bs_x(src[1].w[0]) ? 0
		      : bs_is_const(src[0]) && bound(s, src[1]) <= bs_x(src[0].w[0]) ? 1 : 2;
		break;
	default:
		break;
	}
	if (other < 2)
		*r = src[other];
	return other < 2;
}

/* v as x | constant; NULL: it is not. */
static const bs_node *
or_constant(const bs_seq *s, bs_val v)
{
	const bs_node *or = node_of(s, v, BOP_or32);

	return or && bs_is_const(or->src[1]) ? or : NULL;
}

/* (x | y) of constants y and what is ORed to them once more. */
static bool
one_constant(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *or = or_constant(s, src[0]);

	if (!or || !bs_is_const(src[1]))
		return false;
	*r = op2(s, BOP_or32, or->src[0], bs_const32(bs_x(or->src[1].w[0]) | bs_x(src[1].w[0])));
	return true;
}

/* Of (x | constant) << n the constant is moved by itself: another may be ORed to it. */
static bool
constant_apart(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *or = or_constant(s, src[0]);

	if (!or || !bs_is_const(src[1]))
		return false;
	*r = op2(s, BOP_or32, op2(s, BOP_shl32, or->src[0], src[1]), bs_const32(bs_x(or->src[1].w[0]) << (bs_x(src[1].w[0]) & 31)));
	return true;
}

static bool
all_moved_out(const bs_seq *s, const bs_val *src, bs_val *r)
{
	*r = bs_const32(0);
	return bs_is_const(src[1]) && !(bound(s, src[0]) >> (bs_x(src[1].w[0]) & 31));
}

/* A constant that is shifted left, and that by another. */
static bool
constant_twice(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *shl = node_of(s, src[0], BOP_shl32);

	if (!shl || !bs_is_const(shl->src[0]) || !bs_is_const(src[1]))
		return false;
	*r = op2(s, BOP_shl32, bs_const32(bs_x(shl->src[0].w[0]) << (bs_x(src[1].w[0]) & 31)), shl->src[1]);
	return true;
}

/* Zeros moved in make a simpler shift. */
static bool
narrow_funnel(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *low = or_constant(s, src[1]);

	if (!bs_is_const(src[2]))
		return false;
	if (low && !(bs_x(low->src[1].w[0]) >> bs_x(src[2].w[0])))
		*r = op3(s, BOP_alignbit32, src[0], low->src[0], src[2]);    /* what is ORed to is moved out */
	else if (is(src[0], 0))
		*r = op2(s, BOP_lshr32, src[1], src[2]);
	else if (is(src[1], 0))
		*r = op2(s, BOP_shl32, src[0], bs_const32(32 - bs_x(src[2].w[0])));
	else
		return false;
	return true;
}

/* The scalar unit takes a funnel shift from a register pair. */
static bool
uniform_funnel(bs_seq *s, const bs_val *src, bs_val *r)
{
	*r = bs_dword(op2(s, BOP_lshr64, both(src[1], src[0]), op2(s, BOP_and32, src[2], bs_const32(31))), 0);
	return true;
}

/* n - min(x, n) and x - min(x, n) are subtractions that stop at zero. */
static bool
saturates(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *min = node_of(s, src[1], BOP_min_u32);

	if (!min || !bs_is_const(min->src[1]))
		return false;
	if (is(src[0], bs_value(min->src[1])))
		*r = op2(s, BOP_sat_sub, src[0], min->src[0]);
	else if (bs_same_word(src[0].w[0], min->src[0].w[0]))
		*r = op2(s, BOP_sat_sub, src[0], min->src[1]);
	else
		return false;
	return true;
}

/* The sign of what is a sign all over. */
static bool
sign_of_sign(const bs_seq *s, const bs_val *src)
{
	const bs_node *sign = node_of(s, src[0], BOP_ashr32), *bit = node_of(s, src[0], BOP_bfe_s32), *field = node_of(s, src[0], BOP_field_s32);

	return is(src[1], 31) && ((sign && is(sign->src[1], 31)) || (bit && is(bit->src[2], 1)) ||
		(field && bs_is_const(field->src[1]) && bs_x(field->src[1].w[0]) >> 16 == 1));
}

/* What becomes simpler because a source is a constant. */
static bool
by_constants(bs_seq *s, unsigned bop, const bs_val *src, bs_val *r)
{
	if (bop == BOP_ashr32 && sign_of_sign(s, src)) {
		*r = src[0];
		return true;
	}
	if (fold(&bop_table[bop], src, r) || identity(s, bop, src, r))
		return true;
	switch (bop) {
	case BOP_bitsel32: return constant_select(s, src, r);
	case BOP_alignbit32: return narrow_funnel(s, src, r);
	case BOP_or32: return one_constant(s, src, r);
	case BOP_lshr32: return all_moved_out(s, src, r);
	case BOP_sub32:
		if (bs_is_const(src[1]))
			*r = op2(s, BOP_add32, src[0], bs_const32(0 - bs_x(src[1].w[0])));
		return bs_is_const(src[1]);
	case BOP_shl32: return constant_twice(s, src, r);
	default: return false;
	}
}

/* A constant that no instruction holds: by halves, if one half needs none or the constant two instructions. */
static bool
uniform_half(bs_seq *s, unsigned bop, const bs_val *src, bs_val *r)
{
	unsigned k = bs_is_const(src[1]);
	uint32_t lo = bs_x(src[k].w[0]), hi = bs_x(src[k].w[1]), ones = bop == BOP_and64 ? UINT32_MAX : 0;

	if (!bs_is_const(src[k]) || !bs_is_literal(s, src[k]) || !hi)
		return false;
	if (lo && lo != ones && hi != ones && bs_is_ones(bs_value(src[k])))
		return false;
	*r = by_halves(s, bop == BOP_and64 ? BOP_and32 : bop == BOP_or64 ? BOP_or32 : BOP_xor32, src, 2);
	return true;
}

/* A number of constant width, moved by a constant or not. */
static bool
uniform_sext(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *shr = node_of(s, src[0], BOP_ashr64);
	uint32_t width = bs_x(src[1].w[0]), off = shr && bs_is_const(shr->src[1]) ? bs_x(shr->src[1].w[0]) : 0;

	if (!bs_is_const(src[1]))
		return false;
	if (!shr || off + width > 64)
		off = 0;
	s->least -= off != 0;    /* the shift is needless */
	*r = op2(s, BOP_field_s64, off ? shr->src[0] : src[0], bs_const32(off | width << 16));
	return true;
}

/* -1 >> (32 - n) of an n from 1 to 32. */
static bool
uniform_ones(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *sub = node_of(s, src[1], BOP_sub32);

	if (!is(src[0], UINT32_MAX) || !sub || !is(sub->src[0], 0) || !least_of(s, sub->src[1]) || bound(s, sub->src[1]) > 32)
		return false;
	*r = bs_dword(op2(s, BOP_bfm64, sub->src[1], bs_const32(0)), 0);
	return true;
}

static bool
rewrite_uniform(bs_seq *s, unsigned bop, const bs_val *src, bool last, bs_val *r)
{
	switch (bop) {
	case BOP_bitsel32: *r = uniform_select(s, src, false, last); return true;
	case BOP_bitsel64: *r = uniform_select(s, src, true, last); return true;
	case BOP_bfe_u32: case BOP_bfe_s32: *r = uniform_field(s, bop, src); return true;
	case BOP_shl64: return uniform_mask(s, src, r);
	case BOP_lshr32: return uniform_ones(s, src, r);
	case BOP_sext64: return uniform_sext(s, src, r);
	case BOP_and64: case BOP_or64: case BOP_xor64: return uniform_half(s, bop, src, r);
	case BOP_not64: return uniform_low_mask(s, src, r);
	case BOP_alignbit32: return uniform_funnel(s, src, r);
	default: return false;
	}
}

/* Few chips add 64 bits at once; a row that does so is left at once on the others. */
static bs_val
whole_sum(bs_seq *s, const bs_val *src)
{
	if (!isa_has(s->q->t, bop_table[BOP_lshl_add64].valu))
		s->failed = s->stopped = true;
	return op3(s, BOP_lshl_add64, src[0], bs_const32(0), src[1]);
}

/* (x >> n) & (2^k - 1), of x that has a dword above it too if no bit of that is in it. */
static bool
field_of_ones(bs_seq *s, const bs_val *src, bs_val *r)
{
	const bs_node *shr = node_of(s, src[0], BOP_lshr32), *funnel = node_of(s, src[0], BOP_alignbit32);
	uint32_t mask = bs_x(src[1].w[0]), width = count_ones(mask);

	if (!bs_is_const(src[1]) || mask & (mask + 1) || mask > INT32_MAX)
		return false;
	if (shr)
		*r = op3(s, BOP_bfe_u32, shr->src[0], shr->src[1], bs_const32(width));
	else if (funnel && bs_is_const(funnel->src[2]) && bs_x(funnel->src[2].w[0]) + width <= 32)
		*r = op3(s, BOP_bfe_u32, funnel->src[1], funnel->src[2], bs_const32(width));
	else
		return false;
	return true;
}

/* Bits of a mask do not count where what it is for has zeros: one that needs no load, or none at all. */
static bool
mask_of_known(bs_seq *s, const bs_val *src, bs_val *r)
{
	uint32_t mask = bs_x(src[1].w[0]), zero;

	if (!bs_is_const(src[1]) || bs_kind(src[0].w[0]) != BS_IN)
		return false;
	zero = (uint32_t)word_fact(s, src[0].w[0]).zero;
	if ((mask | zero) == UINT32_MAX)
		*r = src[0];
	else if (!bs_is_literal(s, src[1]))
		return false;
	else if (zero & mask && !bs_is_literal(s, bs_const32(mask & ~zero)))
		*r = op2(s, BOP_and32, src[0], bs_const32(mask & ~zero));
	else if (zero & ~mask && !bs_is_literal(s, bs_const32(mask | zero)))
		*r = op2(s, BOP_and32, src[0], bs_const32(mask | zero));
	else
		return false;
	return true;
}

/* All ones or a dword that is shifted by less than 32: one half stays what it is. */
static bool
shift_of_ones(bs_seq *s, unsigned bop, const bs_val *src, bs_val *r)
{
	bs_val ones = bs_const32(UINT32_MAX);

	if (bound(s, src[1]) > 31)
		return false;
	if (is(bs_dword(src[0], 1), 0) && (bop != BOP_shl64 || !((uint64_t)bound(s, bs_dword(src[0], 0)) << bound(s, src[1]) >> 32))) {
		*r = both(op2(s, bop == BOP_shl64 ? BOP_shl32 : BOP_lshr32, bs_dword(src[0], 0), src[1]), bs_const32(0));
		return true;
	}
	if (bop == BOP_ashr64 || !is(src[0], ~0ull))
		return false;
	*r = bop == BOP_shl64 ? both(op2(s, BOP_shl32, ones, src[1]), ones) : both(ones, op2(s, BOP_lshr32, ones, src[1]));
	return true;
}

static bool
rewrite_lanes(bs_seq *s, unsigned bop, const bs_val *src, bs_val *r)
{
	switch (bop) {
	case BOP_and64: *r = by_halves(s, BOP_and32, src, 2); return true;
	case BOP_or64: *r = by_halves(s, BOP_or32, src, 2); return true;
	case BOP_xor64: *r = by_halves(s, BOP_xor32, src, 2); return true;
	case BOP_not64: *r = by_halves(s, BOP_not32, src, 1); return true;
	case BOP_add64: *r = whole_sum(s, src); return true;
	case BOP_bitsel64: *r = by_halves(s, BOP_bitsel32, src, 3); return true;
	case BOP_sel64: *r = by_halves(s, BOP_sel32, src, 3); return true;
	case BOP_sub32: return saturates(s, src, r);
	case BOP_and32: return field_of_ones(s, src, r) || mask_of_known(s, src, r);
	case BOP_shl32: return constant_apart(s, src, r);
	case BOP_shl64: case BOP_lshr64: case BOP_ashr64:
		if (!bs_is_const(src[1]))
			return shift_of_ones(s, bop, src, r);
		*r = constant_shift(s, bop, src[0], bs_x(src[1].w[0]) & 63);
		return true;
	default: return false;
	}
}

/* The dword of two whose value is known, and that; 2: none. */
static unsigned
known_dword(const bs_seq *s, unsigned bop, const bs_val *src, uint32_t *x)
{
	bool none[3] = { is(bs_dword(src[0], 1), 0), is(bs_dword(src[1], 1), 0), is(bs_dword(src[2], 1), 0) };

	*x = 0;
	switch (bop) {
	case BOP_and64: return none[0] || none[1] ? 1 : 2;
	case BOP_or64: case BOP_xor64: return none[0] && none[1] ? 1 : 2;
	case BOP_sel64: return none[1] && none[2] ? 1 : 2;
	case BOP_bfm64: return (uint64_t)bound(s, src[0]) + bound(s, src[1]) <= 32 ? 1 : 2;
	case BOP_ashr64: return none[0] ? 1 : 2;
	case BOP_shl64: case BOP_lshr64: break;
	default: return 2;
	}
	if (none[0] && bop == BOP_lshr64)
		return 1;
	if (bound(s, src[1]) > 31)
		return 2;
	if (none[0])
		return (uint64_t)bound(s, bs_dword(src[0], 0)) << bound(s, src[1]) >> 32 ? 2 : 1;
	*x = UINT32_MAX;
	return is(src[0], ~0ull) ? bop == BOP_shl64 : 2;
}

/* What a node leaves; a dword that is known is a constant. */
static bs_val
result_of(bs_seq *s, uint8_t node)
{
	bs_node *n = &s->node[node];
	bs_val r = bs_of_node(s, node);
	unsigned known = n->n == 2 ? known_dword(s, n->op, n->src, &n->known_x) : 2;

	if (known == 2)
		return r;
	n->known = (uint8_t)(1 + known);
	r.w[known] = bs_word_const(n->known_x);
	return bs_val_of(r.w[0], r.w[1], 2);
}

/* Is there a source of which the machine looks at some bits alone? A digit is '0' and its value. */
static bool
looks(const bop_info *info)
{
	uint32_t digits;

	_Static_assert(sizeof info->low == sizeof digits, "all of them at once");
	memcpy(&digits, info->low, sizeof digits);
	return digits & 0x0f0f0f0f;
}

/* Of sources, the bits that the machine looks at; what stays as it is is not copied. */
static const bs_val *
look(const bs_seq *s, const bop_info *info, const bs_val given[3], bs_val own[3])
{
	const bs_val *src = given;

	for (unsigned k = 0; k < info->nsrc; k++) {
		bs_val v;

		if (info->low[k] == '0')
			continue;
		v = looked_at(s, given[k], info->low[k]);
		if (v.w[0] == given[k].w[0])
			continue;
		if (src == given)
			own[0] = given[0], own[1] = given[1], own[2] = given[2];
		own[k] = v;
		src = own;
	}
	return src;
}

/* A uniform result that is wanted in a VGPR: a vector instruction leaves it there, for which a scalar one takes a move. Different
 * scalar registers, and literals where it takes such, come over the constant bus. */
static bool
ends_in_lanes(const bs_seq *s, unsigned bop, const bs_val *src)
{
	const bop_info *info = &bop_table[bop];
	unsigned reads = 0, literals = 0;

	if (s->regs->dst.kind != P2A_K_VGPR || info->dst != 1 || info->valu == BS_NO || bop == BOP_sel32 || !isa_has(s->q->t, info->valu))
		return false;
	for (unsigned k = 0; k < info->nsrc; k++) {
		bool seen = false;

		for (unsigned j = 0; j < k; j++)
			seen |= bs_same_word(src[j].w[0], src[k].w[0]);
		literals += bs_is_literal(s, src[k]);
		reads += !seen && !bs_is_const(src[k]);
	}
	return reads + literals <= s->q->t->const_bus && literals <= s->q->t->vop3_literal;
}

/* given: of fewer sources the others are zero. */
static bs_val
op(bs_seq *s, unsigned bop, const bs_val given[3])
{
	const bop_info *info = &bop_table[bop];
	const bs_val *src;
	bs_val own[3], r;
	bs_word any;
	uint8_t node;
	bool vec, holds, last = s->last;

	if (s->stopped)
		return bs_const32(0);
	if (bop == BOP_lo32 || bop == BOP_hi32)
		return bs_dword(given[0], bop == BOP_hi32);
	if (bop == BOP_pack64)
		return both(given[0], given[1]);
	src = looks(info) ? look(s, info, given, own) : given;
	any = src[0].w[0] | src[1].w[0] | src[2].w[0];
	vec = (any >> BS_ANY_VEC & 1) | (last && ends_in_lanes(s, bop, src));
	if ((bop == BOP_sel32 || bop == BOP_sel64) && decided(s, src[0], &holds))
		return src[holds ? 1 : 2];
	if (any >> BS_WHOLE & 1 && by_constants(s, bop, src, &r))
		return r;
	s->last = false;         /* the operations that it is made of are not */
	if (vec ? rewrite_lanes(s, bop, src, &r) : rewrite_uniform(s, bop, src, last, &r))
		return r;
	if ((vec ? info->valu : info->salu) == BS_NO)
		s->failed = s->stopped = true;
	count_least(s, bop, vec);
	node = new_node(s, bop, vec, any >> BS_WHOLE & 1, src);
	return result_of(s, node);
}

/* ---- the text's reader ---- */

static bfi_val
keep(bs_seq *s, bs_val v)
{
	if (s->nvals == BS_VALS) {
		s->failed = s->stopped = true;
		return 0;
	}
	s->val[0][s->nvals] = v.w[0];
	s->val[1][s->nvals] = v.w[1];
	return (bfi_val)s->nvals++;
}

static bs_val
kept(const bs_seq *s, bfi_val v)
{
	return (bs_val){ { s->val[0][v], s->val[1][v] } };
}

static bfi_val
build_number(void *ud, unsigned dwords, uint64_t x)
{
	return keep(ud, const_of(dwords, x));
}

static bfi_val
build_any(void *ud)
{
	return keep(ud, bs_val_of(BS_EMPTY, 0, 1));
}

static bfi_val
build_op(void *ud, unsigned bop, const bfi_val *src, bool last)
{
	bs_seq *s = ud;
	unsigned n = bop_table[bop].nsrc;
	bs_val v[3] = { kept(s, src[0]), { { 0 } }, { { 0 } } };

	if (n > 1)
		v[1] = kept(s, src[1]);
	if (n > 2)
		v[2] = kept(s, src[2]);
	s->last = last;
	return keep(s, op(s, bop, v));
}

static uint64_t
build_bound(void *ud, bfi_val v)
{
	const bs_seq *s = ud;

	return bound(s, kept(s, v));
}

static bfi_val build_nested(void *ud, unsigned gop, const bfi_val opnd[4], bool last);
static const bfi_back back = { build_number, build_any, build_op, build_nested, build_bound };

static bfi_val
build_nested(void *ud, unsigned gop, const bfi_val opnd[4], bool last)
{
	bs_seq *s = ud;
	bfi_query q = { .gop = (uint16_t)gop, .sem = s->q->sem, .t = s->q->t, .inner = !last };
	ir_fact *f[4];
	bfi_val known[4];

	f[0] = &q.a, f[1] = &q.b, f[2] = &q.pos, f[3] = &q.len;
	for (unsigned k = 0; k < 4; k++) {
		*f[k] = word_fact(s, s->val[0][opnd[k]]);
		q.lanes |= (unsigned)bs_is_vec(kept(s, opnd[k])) << k;
	}
	bfi_tidy(&q);
	for (unsigned k = 0; k < 4; k++)
		known[k] = ir_fact_is_const(*f[k]) ? keep(s, const_of(1, f[k]->lo)) : opnd[k];
	return bfi_read(bs_choose_nested(s->nested, &q), &q, &back, s, known, &s->stopped);
}

static bool
knows_nothing(const ir_fact *f, unsigned dwords)
{
	uint64_t mask = dwords == 2 ? UINT64_MAX : UINT32_MAX;

	return !(f->zero & mask) && !f->one && !f->lo && f->hi == mask;
}

static bs_val
operand(const bfi_query *q, unsigned k, bs_given *g)
{
	unsigned n = k < 2 ? bfi_width(q->gop) / 32 : 1;
	bs_word w[2] = { 0 };
	const ir_fact *whole = operand_fact(q, k);
	bool nothing = knows_nothing(whole, n);

	for (unsigned h = 0; h < n; h++) {
		ir_fact f;

		w[h] = bs_word_of(BS_IN, k & 3, h, q->lanes >> k & 1);
		g->min[k][h & 1] = 0;
		g->max[k][h & 1] = UINT32_MAX;
		if (nothing)
			continue;
		f = n == 2 ? ir_fact_dword(*whole, h) : *whole;
		g->min[k][h & 1] = (uint32_t)f.lo;
		g->max[k][h & 1] = (uint32_t)f.hi;
		if (ir_fact_is_const(f))
			w[h] = bs_word_const((uint32_t)f.lo);
	}
	return bs_val_of(w[0], w[1], n);
}

void
bs_give(bs_given *g, const bfi_query *q)
{
	for (unsigned k = 0; k < 4; k++)
		g->val[k] = operand(q, k, g);
}

void
bs_build(bs_seq *s, const bfi_row *row, uint32_t limit)
{
	bfi_val v[4];

	s->row = row;
	s->limit = limit;
	s->failed = s->stopped = s->last = false;
	s->least = 0;
	s->nnodes = s->nvals = s->ninst = s->salu.n = s->valu.n = 0;
	s->nkonst = 0;
	s->scc = s->vcc = BS_NONE;
	for (unsigned k = 0; k < 4; k++)
		v[k] = keep(s, s->given.val[k]);
	s->r = bs_whole(s, kept(s, bfi_read(row, s->q, &back, s, v, &s->stopped)));
}
