/* fold_int.c -- rules for sums, products, extremes, comparisons and choices.
 * Needs fold.h's state; leaves constants on the right, sums of constants outside, unsigned where
 * signs are known. No rule here depends on the chip. */
#include "pass/fold.h"

/* Sums */

/* o as base + c or c - base. */
typedef struct affine { ir_opnd base; uint64_t c; bool minus; } affine;

static bool
affine_of(fold *F, const fold_width *w, ir_opnd o, affine *a)
{
	ir_inst *d;
	uint64_t c;

	if ((d = fold_def_const(F, o, w->add, &c))) {
		*a = (affine){ fold_src(F, d, 0), c, false };
		return true;
	}
	d = fold_def(F, o, w->sub);
	if (!d || !fold_const(fold_src(F, d, 0), &c))
		return false;
	*a = (affine){ fold_src(F, d, 1), c, true };
	return true;
}

static bool
become_affine(ir_inst *i, const fold_width *w, affine a)
{
	ir_opnd c = fold_imm(w->bits / 32u, a.c);

	return a.minus ? fold_become2(i, w->sub, c, a.base) : fold_become2(i, w->add, a.base, c);
}

/* (x + c) + d, (c - x) + d, d - (x + c), d - (c - x); where x + c is used only here, (x + c) + y
 * and (x + c) - y as (x + y) + c and (x - y) + c: constants gather where an address can take
 * them. */
bool
fold_sum_to_sum(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	bool minus = i->m.op == w->sub;
	affine s;
	uint64_t c;

	if (!minus && fold_const(b, &c) && affine_of(F, w, a, &s)) {
		s.c += c;
		return become_affine(i, w, s);
	}
	if (minus && fold_const(a, &c) && affine_of(F, w, b, &s)) {
		s.c = c - s.c;
		s.minus = !s.minus;
		return become_affine(i, w, s);
	}
	if (!minus && fold_single(F, b) && affine_of(F, w, b, &s) && !s.minus && !ir_is_imm(a))
		return fold_become2(i, w->add, fold_gen2(F, w->add, a, s.base),
			fold_imm(w->bits / 32u, s.c));
	if (fold_single(F, a) && affine_of(F, w, a, &s) && !s.minus && !ir_is_imm(b))
		return fold_become2(i, w->add, fold_gen2(F, i->m.op, s.base, b),
			fold_imm(w->bits / 32u, s.c));
	return false;
}

/* (x - y) + y, x + (0 - y) */
bool
fold_add_cancel(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);

	for (unsigned k = 0; k < 2; k++) {
		ir_opnd x = fold_src(F, i, k), y = fold_src(F, i, 1 - k);
		ir_inst *d = fold_def(F, x, w->sub);

		if (d && ir_same(fold_src(F, d, 1), y))
			return fold_same(F, i, fold_src(F, d, 0));
		if (d && fold_is(fold_src(F, d, 0), 0))
			return fold_become2(i, w->sub, y, fold_src(F, d, 1));
	}
	return false;
}

bool
fold_add_twice(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0);

	return ir_same(a, fold_src(F, i, 1)) &&
		fold_become2(i, fold_width_of(i)->shl, a, ir_i32(1));
}

bool
fold_sub_const(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	uint64_t c;

	return fold_const(fold_src(F, i, 1), &c) &&
	       fold_become2(i, w->add, fold_src(F, i, 0), fold_imm(w->bits / 32u, 0 - c));
}

/* (x + y) - x, x - (0 - y) */
bool
fold_sub_cancel(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	ir_inst *d = fold_def(F, a, w->add);

	for (unsigned k = 0; d && k < 2; k++)
		if (ir_same(fold_src(F, d, k), b))
			return fold_same(F, i, fold_src(F, d, 1 - k));
	d = fold_def(F, b, w->sub);
	return d && fold_is(fold_src(F, d, 0), 0) && fold_become2(i, w->add, a, fold_src(F, d, 1));
}

/* Products */

bool
fold_mul_const(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0);
	ir_inst *d;
	uint64_t c, c1;

	if (!fold_const(fold_src(F, i, 1), &c))
		return false;
	if (fold_log2(c) >= 0)
		return fold_become2(i, w->shl, a, ir_i32((uint32_t)fold_log2(c)));
	if (c == w->mask)
		return fold_become2(i, w->sub, fold_imm(w->bits / 32u, 0), a);
	if ((d = fold_def_const(F, a, w->mul, &c1)))
		return fold_become2(i, w->mul, fold_src(F, d, 0), fold_imm(w->bits / 32u, c * c1));
	d = fold_def_const(F, a, w->shl, &c1);
	return d && fold_become2(i, w->mul, fold_src(F, d, 0),
		fold_imm(w->bits / 32u, c << (c1 & (w->bits - 1u))));
}

static bool
is_narrow(ir_fact a)
{
	return a.hi <= UINT32_MAX;
}

/* o as the sign extension of a dword. */
static bool
sign_extended(fold *F, ir_opnd o, ir_opnd *low)
{
	ir_inst *pack = fold_def(F, o, G_pack64), *sign;
	uint64_t c;

	if (fold_const(o, &c)) {
		*low = ir_i32((uint32_t)c);
		return (int64_t)c == (int32_t)(uint32_t)c;
	}
	if (!pack)
		return false;
	*low = fold_src(F, pack, 0);
	sign = fold_def_const(F, fold_src(F, pack, 1), G_ashr32, &c);
	if (sign)
		return c == 31 && ir_same(fold_src(F, sign, 0), *low);
	return fold_is(fold_src(F, pack, 1), 0) && fold_fact(F, *low).hi <= INT32_MAX;
}

bool
fold_mul64_narrow(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1), la, lb;

	if (is_narrow(fold_fact(F, a)) && is_narrow(fold_fact(F, b)))
		return fold_become2(i, G_mulw_u32, fold_half(F, a, 0), fold_half(F, b, 0));
	return sign_extended(F, a, &la) && sign_extended(F, b, &lb) &&
		fold_become2(i, G_mulw_s32, la, lb);
}

static ir_opnd
extended(fold *F, ir_opnd a, bool is_signed)
{
	return fold_gen2(F, G_pack64, a, is_signed ? fold_gen2(F, G_ashr32, a, ir_i32(31))
		: ir_i32(0));
}

bool
fold_mulw(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	bool is_signed = i->m.op == G_mulw_s32;
	uint64_t c;

	if (is_signed && fold_fact(F, a).hi <= INT32_MAX && fold_fact(F, b).hi <= INT32_MAX)
		return fold_become2(i, G_mulw_u32, a, b);
	if (!is_signed && is_narrow(fold_fact(F, i->m.arg[0])))
		return fold_become2(i, G_pack64, fold_gen2(F, G_mul32, a, b), ir_i32(0));
	if (!fold_const(b, &c) || fold_log2(c) < 0 || (is_signed && c > INT32_MAX))
		return false;
	return fold_become2(i, G_shl64, extended(F, a, is_signed), ir_i32((uint32_t)fold_log2(c)));
}

/* What 24 bits hold has the same product as what 32 do, for which there are more rules; its selection finds the 24 bits again. */
bool
fold_mul_u24(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);

	return fold_fact(F, a).hi < 1u << 24 && fold_fact(F, b).hi < 1u << 24 && fold_become2(i, G_mul32, a, b);
}

/* Extremes */

/* For which comparison the first source is the result. */
static unsigned
extreme_cc(unsigned op)
{
	return op == G_min_u32 ? IR_LS : op == G_max_u32 ? IR_HS : op == G_min_s32 ? IR_LE : IR_GE;
}

/* Decided by facts; min(min(x, c), d) */
bool
fold_extreme(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1), c;
	ir_inst *d;
	uint64_t x, y, r;

	if (fold_decide(F, extreme_cc(i->m.op), a, b) == 1)
		return fold_same(F, i, a);
	if (fold_decide(F, extreme_cc(i->m.op), b, a) == 1)
		return fold_same(F, i, b);
	d = fold_def_const(F, a, i->m.op, &x);
	if (!d || !fold_const(b, &y) || !ir_eval(i, (uint64_t[4]){ x, y }, &r))
		return false;
	c = ir_i32((uint32_t)r);
	return fold_become2(i, i->m.op, fold_src(F, d, 0), c);
}

/* Booleans */

static const uint8_t inverse_cc[] = { [IR_EQ] = IR_NE, [IR_NE] = IR_EQ, [IR_LT] = IR_GE,
	[IR_GE] = IR_LT, [IR_LE] = IR_GT, [IR_GT] = IR_LE, [IR_LO] = IR_HS, [IR_HS] = IR_LO,
	[IR_LS] = IR_HI, [IR_HI] = IR_LS };
/* The complement of an ordered comparison is true for NaN, and the other way round. */
static const uint8_t inverse_fcc[] = { [IR_EQ] = IR_NEU, [IR_NE] = IR_EQU, [IR_LT] = IR_GEU,
	[IR_LE] = IR_GTU, [IR_GT] = IR_LEU, [IR_GE] = IR_LTU, [IR_EQU] = IR_NE, [IR_NEU] = IR_EQ,
	[IR_LTU] = IR_GE, [IR_LEU] = IR_GT, [IR_GTU] = IR_LE, [IR_GEU] = IR_LT, [IR_NUM] = IR_NAN,
	[IR_NAN] = IR_NUM };
static const uint8_t swapped_cc[] = { [IR_EQ] = IR_EQ, [IR_NE] = IR_NE, [IR_LT] = IR_GT,
	[IR_GT] = IR_LT, [IR_LE] = IR_GE, [IR_GE] = IR_LE, [IR_LO] = IR_HI, [IR_HI] = IR_LO,
	[IR_LS] = IR_HS, [IR_HS] = IR_LS };

bool
fold_xor1(fold *F, ir_inst *i)
{
	return fold_is(fold_src(F, i, 1), 1) && fold_become1(i, G_not1, fold_src(F, i, 0));
}

static bool
invert_compare(fold *F, ir_inst *i, ir_inst *d, unsigned cc)
{
	ir_fp fp = d->fp;

	fold_compare(i, d->m.op, cc, fold_src(F, d, 0), fold_src(F, d, 1));
	i->fp = fp;
	return true;
}

static ir_inst *
float_compare_of(const fold *F, ir_opnd c)
{
	ir_inst *d = fold_def(F, c, G_fcmp32);

	d = d ? d : fold_def(F, c, G_fcmp64);
	return d ? d : fold_def(F, c, G_fcmp16);
}

bool
fold_not1(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0);
	ir_inst *d = fold_def(F, a, G_not1);

	if (d)
		return fold_same(F, i, fold_src(F, d, 0));
	if (!fold_single(F, a))
		return false;
	if ((d = fold_def(F, a, G_icmp32)) || (d = fold_def(F, a, G_icmp64)))
		return invert_compare(F, i, d, inverse_cc[d->cc]);
	d = float_compare_of(F, a);
	return d && invert_compare(F, i, d, inverse_fcc[d->cc]);
}

/* Comparisons */

bool
fold_cmp_order(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	bool reflexive = i->cc == IR_EQ || i->cc == IR_LE || i->cc == IR_GE || i->cc == IR_LS ||
		i->cc == IR_HS;

	if (ir_same(a, b))
		return fold_same(F, i, ir_i1(reflexive));
	return ir_is_imm(a) && !ir_is_imm(b) && fold_compare(i, i->m.op, swapped_cc[i->cc], b, a);
}

bool
fold_cmp_unsigned(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	uint64_t most = a.width == 2 ? INT64_MAX : INT32_MAX;

	if (i->cc < IR_LT || i->cc > IR_GE || fold_fact(F, a).hi > most ||
		fold_fact(F, b).hi > most)
		return false;
	return fold_compare(i, i->m.op, i->cc + (IR_LO - IR_LT), a, b);
}

/* Unsigned comparisons with 0 and 1 that are equalities. */
bool
fold_cmp_zero(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	bool equal = (i->cc == IR_LO && fold_is(b, 1)) || (i->cc == IR_LS && fold_is(b, 0));
	bool differ = (i->cc == IR_HS && fold_is(b, 1)) || (i->cc == IR_HI && fold_is(b, 0));

	if (!equal && !differ)
		return false;
	return fold_compare(i, i->m.op, equal ? IR_EQ : IR_NE, a, fold_imm(a.width, 0));
}

/* (x ^ y) == 0, (x - y) == 0, (x ^ c) == d, (x + c) == d, (c - x) == d, (x & bit) == bit */
static bool
equal_to_const(fold *F, ir_inst *i, const fold_width *w, ir_opnd a, uint64_t c)
{
	ir_inst *d;
	affine s;
	uint64_t x;

	/* a sum that somebody else reads stays: a loop's counter would have to be kept beside the next one, and copied in each turn */
	if (fold_single(F, a) && affine_of(F, w, a, &s))
		return fold_compare(i, i->m.op, i->cc, s.base,
			fold_imm(a.width, s.minus ? s.c - c : c - s.c));
	if ((d = fold_def_const(F, a, w->xor, &x)))
		return fold_compare(i, i->m.op, i->cc, fold_src(F, d, 0), fold_imm(a.width, c ^ x));
	if (!c && ((d = fold_def(F, a, w->xor)) || (d = fold_def(F, a, w->sub))))
		return fold_compare(i, i->m.op, i->cc, fold_src(F, d, 0), fold_src(F, d, 1));
	if (c && fold_log2(c) >= 0 && (d = fold_def_const(F, a, w->and, &x)) && x == c)
		return fold_compare(i, i->m.op, i->cc == IR_EQ ? IR_NE : IR_EQ, a,
			fold_imm(a.width, 0));
	return false;
}

bool
fold_cmp_equal(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0);
	uint64_t c;

	if (i->cc != IR_EQ && i->cc != IR_NE)
		return false;
	return fold_const(fold_src(F, i, 1), &c) &&
		equal_to_const(F, i, fold_width_by(a.width), a, c);
}

/* A comparison of (c ? T : F) with a constant is c, its complement, or decided. */
bool
fold_cmp_select(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), c;
	ir_inst *d = fold_def(F, a, a.width == 2 ? G_sel64 : G_sel32);
	uint64_t k, x, y, if_x, if_y;

	if (!d || !fold_const(fold_src(F, i, 1), &k) || !fold_const(fold_src(F, d, 1), &x) ||
	    !fold_const(fold_src(F, d, 2), &y))
		return false;
	if (!ir_eval(i, (uint64_t[4]){ x, k }, &if_x) || !ir_eval(i, (uint64_t[4]){ y, k }, &if_y))
		return false;
	c = fold_src(F, d, 0);
	if (if_x == if_y)
		return fold_same(F, i, ir_i1(if_x));
	return if_x ? fold_same(F, i, c) : fold_become1(i, G_not1, c);
}

bool
fold_cmp_narrow(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1), la, lb;

	if (is_narrow(fold_fact(F, a)) && is_narrow(fold_fact(F, b)) &&
		(i->cc < IR_LT || i->cc > IR_GE))
		return fold_compare(i, G_icmp32, i->cc, fold_half(F, a, 0), fold_half(F, b, 0));
	return i->cc <= IR_GE && sign_extended(F, a, &la) && sign_extended(F, b, &lb) &&
	       fold_compare(i, G_icmp32, i->cc, la, lb);
}

/* x against itself asks only whether x is a number. */
bool
fold_fcmp_same(fold *F, ir_inst *i)
{
	static const uint8_t left[] = { [IR_EQ] = IR_NUM, [IR_LE] = IR_NUM, [IR_GE] = IR_NUM,
		[IR_NEU] = IR_NAN, [IR_LTU] = IR_NAN, [IR_GTU] = IR_NAN, [IR_NAN] = 0 };
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);

	if (!ir_same(a, b) || !left[i->cc])
		return false;
	i->cc = left[i->cc];
	return true;
}

/* Choices */

bool
fold_sel(fold *F, ir_inst *i)
{
	ir_opnd c = fold_src(F, i, 0), a = fold_src(F, i, 1), b = fold_src(F, i, 2);
	ir_inst *d;

	if (ir_is_imm(c))
		return fold_same(F, i, c.imm ? a : b);
	if (ir_same(a, b))
		return fold_same(F, i, a);
	if ((d = fold_def(F, c, G_not1)))
		return fold_become3(i, i->m.op, fold_src(F, d, 0), b, a);
	if ((d = fold_def(F, a, i->m.op)) && ir_same(fold_src(F, d, 0), c))
		return fold_become3(i, i->m.op, c, fold_src(F, d, 1), b);
	d = fold_def(F, b, i->m.op);
	return d && ir_same(fold_src(F, d, 0), c) &&
		fold_become3(i, i->m.op, c, a, fold_src(F, d, 2));
}

static ir_inst *
compare_of(const fold *F, ir_opnd c, bool *is_float)
{
	ir_inst *d = fold_def(F, c, G_icmp32);

	*is_float = false;
	if (d || (d = fold_def(F, c, G_icmp64)))
		return d;
	*is_float = true;
	return float_compare_of(F, c);
}

/* The arm of the false condition takes a constant in the short form of v_cndmask, and in pairs. */
bool
fold_sel_const(fold *F, ir_inst *i)
{
	ir_opnd c = fold_src(F, i, 0), a = fold_src(F, i, 1), b = fold_src(F, i, 2);
	bool is_float;
	ir_inst *d = compare_of(F, c, &is_float), inverse;

	if (!d || !fold_single(F, c) || !ir_is_imm(a) || ir_is_imm(b))
		return false;
	inverse = *d;
	inverse.cc = is_float ? inverse_fcc[d->cc] : inverse_cc[d->cc];
	inverse.m.arg[1] = fold_src(F, d, 0);
	inverse.m.arg[2] = fold_src(F, d, 1);
	if (ir_is_imm(inverse.m.arg[1]) && ir_is_imm(inverse.m.arg[2]))
		return false;   /* d itself is about to be folded */
	return fold_become3(i, i->m.op, fold_gen_like(F, &inverse), b, a);
}

/* Which extreme `x cc y ? x : y` is; 0 none. */
static unsigned
extreme_of(unsigned cc)
{
	switch (cc) {
	case IR_LO: case IR_LS: return G_min_u32;
	case IR_HI: case IR_HS: return G_max_u32;
	case IR_LT: case IR_LE: return G_min_s32;
	case IR_GT: case IR_GE: return G_max_s32;
	default: return 0;
	}
}

/* Comparisons of exactly the two arms. */
bool
fold_sel_extreme(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 1), b = fold_src(F, i, 2), x, y;
	bool wide = i->m.op == G_sel64, swapped;
	ir_inst *d = fold_def(F, fold_src(F, i, 0), wide ? G_icmp64 : G_icmp32);
	unsigned cc;

	if (!d)
		return false;
	x = fold_src(F, d, 0);
	y = fold_src(F, d, 1);
	swapped = ir_same(a, y) && ir_same(b, x);
	if (!swapped && !(ir_same(a, x) && ir_same(b, y)))
		return false;
	if (d->cc == IR_EQ || d->cc == IR_NE)
		return fold_same(F, i, d->cc == IR_EQ ? b : a);
	cc = swapped ? inverse_cc[d->cc] : d->cc;
	return !wide && fold_become2(i, extreme_of(cc), x, y);
}
