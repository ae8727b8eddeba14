/* fold_wide.c -- rules that take 64-bit values apart, and put them together again.
 * Needs fold.h's state; leaves pack64(x, 0) for zero extension, pack64(x, ashr32(x, 31)) for sign
 * extension, and dwords where only a half of a result counts: the vector unit has hardly anything
 * of 64 bits. */
#include "pass/fold.h"

static ir_opnd
count(uint64_t n)
{
	return ir_i32((uint32_t)n);
}

static bool
is_narrow(ir_fact a)
{
	return a.hi <= UINT32_MAX;
}

static bool
become_pack(ir_inst *i, ir_opnd low, ir_opnd high)
{
	return fold_become2(i, G_pack64, low, high);
}

static ir_opnd
sign_of(fold *F, ir_opnd a)
{
	return fold_gen2(F, G_ashr32, a, ir_i32(31));
}

/* A value of which both halves are there without an instruction. */
static bool
is_split(const fold *F, ir_opnd o)
{
	return ir_is_imm(o) || fold_def(F, o, G_pack64);
}

/* One of its halves is all zeros or ones, so that a logic operation on it is none, or (xor) at most a not. */
static bool
has_plain_half(fold *F, ir_opnd o, bool ones)
{
	for (unsigned high = 0; is_split(F, o) && high < 2; high++)
		if (fold_is(fold_half(F, o, high), 0) || (ones && fold_is(fold_half(F, o, high), UINT32_MAX)))
			return true;
	return false;
}

/* Known to be the same in all lanes: the scalar unit has 64-bit logic and shifts, which do both halves at once. */
static bool
is_scalar(const fold *F, ir_opnd x)
{
	return F->f->lanes_known && !F->f->vals.a[x.reg].divergent;
}

static unsigned
narrow_op(unsigned op)
{
	switch (op) {
	case G_and64: return G_and32;
	case G_or64: return G_or32;
	case G_xor64: return G_xor32;
	case G_add64: return G_add32;
	case G_sub64: return G_sub32;
	case G_mul64: return G_mul32;
	default: return 0;
	}
}

bool
fold_bits64_halves(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1), r[2];
	unsigned op = narrow_op(i->m.op);
	bool ones = i->m.op != G_xor64 || !is_scalar(F, i->m.arg[0]);

	if (!(is_split(F, a) && is_split(F, b)) && !has_plain_half(F, a, ones) && !has_plain_half(F, b, ones))
		return false;
	for (unsigned high = 0; high < 2; high++)
		r[high] = fold_gen2(F, op, fold_half(F, a, high), fold_half(F, b, high));
	return become_pack(i, r[0], r[1]);
}

bool
fold_not64_halves(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), low;

	if (!is_split(F, a))
		return false;
	low = fold_gen1(F, G_not32, fold_half(F, a, 0));
	return become_pack(i, low, fold_gen1(F, G_not32, fold_half(F, a, 1)));
}

static bool
low_half_is_zero(const fold *F, ir_opnd o)
{
	return (fold_fact(F, o).zero & UINT32_MAX) == UINT32_MAX;
}

/* Sums whose low halves carry nothing over. */
bool
fold_add64_halves(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	ir_fact fa = fold_fact(F, a), fb = fold_fact(F, b);

	if (is_narrow(fa) && is_narrow(fb) && is_narrow((ir_fact){ .hi = fa.hi + fb.hi }))
		return become_pack(i, fold_gen2(F, G_add32, fold_half(F, a, 0),
			fold_half(F, b, 0)), ir_i32(0));
	if (!low_half_is_zero(F, a) && !low_half_is_zero(F, b))
		return false;
	return become_pack(i, low_half_is_zero(F, a) ? fold_half(F, b, 0) : fold_half(F, a, 0),
	                   fold_gen2(F, G_add32, fold_half(F, a, 1), fold_half(F, b, 1)));
}

/* x + zext(y + c) as (x + zext(y)) + c where y + c cannot wrap: the address takes c. */
bool
fold_add64_zext_sum(fold *F, ir_inst *i)
{
	for (unsigned k = 0; k < 2; k++) {
		ir_opnd x = fold_src(F, i, 1 - k), z = fold_src(F, i, k), y, wide;
		ir_inst *pack = fold_def(F, z, G_pack64), *sum;
		uint64_t c;

		if (!pack || !fold_single(F, z) || ir_is_imm(x) ||
			!fold_is(fold_src(F, pack, 1), 0))
			continue;
		sum = fold_def_const(F, fold_src(F, pack, 0), G_add32, &c);
		if (!sum || !fold_single(F, fold_src(F, pack, 0)))
			continue;
		y = fold_src(F, sum, 0);
		if (fold_fact(F, y).hi + c > UINT32_MAX)
			continue;
		wide = fold_gen2(F, G_pack64, y, ir_i32(0));
		return fold_become2(i, G_add64, fold_gen2(F, G_add64, x, wide), ir_i64(c));
	}
	return false;
}

bool
fold_sub64_halves(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	ir_fact fa = fold_fact(F, a), fb = fold_fact(F, b);

	return is_narrow(fa) && fa.lo >= fb.hi &&
	       become_pack(i, fold_gen2(F, G_sub32, fold_half(F, a, 0), fold_half(F, b, 0)),
		ir_i32(0));
}

/* Arms that share a half. */
bool
fold_sel64_halves(fold *F, ir_inst *i)
{
	ir_opnd c = fold_src(F, i, 0), a = fold_src(F, i, 1), b = fold_src(F, i, 2);

	if (!is_split(F, a) || !is_split(F, b))
		return false;
	if (ir_same(fold_half(F, a, 1), fold_half(F, b, 1)))
		return become_pack(i, fold_gen3(F, G_sel32, c, fold_half(F, a, 0),
			fold_half(F, b, 0)),
		                   fold_half(F, a, 1));
	return ir_same(fold_half(F, a, 0), fold_half(F, b, 0)) &&
	       become_pack(i, fold_half(F, a, 0),
		fold_gen3(F, G_sel32, c, fold_half(F, a, 1), fold_half(F, b, 1)));
}

/* Shifts by 32 and more use one half only; n may be 32 too large, for five bits of it count. */
static bool
shift_by_dwords(fold *F, ir_inst *i, ir_opnd x, ir_opnd n)
{
	ir_opnd r;

	if (i->m.op == G_shl64)
		return become_pack(i, ir_i32(0), fold_gen2(F, G_shl32, fold_half(F, x, 0), n));
	r = fold_gen2(F, i->m.op == G_ashr64 ? G_ashr32 : G_lshr32, fold_half(F, x, 1), n);
	return become_pack(i, r, i->m.op == G_ashr64 ? sign_of(F, r) : ir_i32(0));
}

/* Of lanes by a count that is not known, but at least 32. */
static bool
shift_by_some_dwords(fold *F, ir_inst *i, ir_opnd x)
{
	ir_opnd n = fold_src(F, i, 1);
	ir_fact by = fold_fact(F, n);

	return by.lo >= 32 && by.hi < 64 && !ir_fact_is_const(by) && F->f->lanes_known && F->f->vals.a[i->m.arg[0].reg].divergent &&
	       shift_by_dwords(F, i, x, n);
}

bool
fold_shift64_halves(fold *F, ir_inst *i)
{
	ir_opnd x = fold_src(F, i, 0);
	ir_fact f = fold_fact(F, x);
	uint64_t n;

	if (shift_by_some_dwords(F, i, x))
		return true;
	if (!fold_const(fold_src(F, i, 1), &n) || n > 63 || (i->m.op == G_ashr64 && is_scalar(F, i->m.arg[0])))
		return false;
	if (n >= 32)
		return shift_by_dwords(F, i, x, count(n - 32));
	if (i->m.op == G_shl64 && f.hi <= UINT32_MAX >> n)
		return become_pack(i, fold_gen2(F, G_shl32, fold_half(F, x, 0), count(n)),
			ir_i32(0));
	return i->m.op == G_lshr64 && is_narrow(f) &&
	       become_pack(i, fold_gen2(F, G_lshr32, fold_half(F, x, 0), count(n)), ir_i32(0));
}

bool
fold_pack64(fold *F, ir_inst *i)
{
	ir_inst *low = fold_def(F, fold_src(F, i, 0), G_lo32),
		*high = fold_def(F, fold_src(F, i, 1), G_hi32);

	return low && high && ir_same(fold_src(F, low, 0), fold_src(F, high, 0)) &&
	       fold_same(F, i, fold_src(F, low, 0));
}

/* Halves of results */

enum { HALF_LOW, HALF_HIGH };

/* All uses of o take a half; low_only: the low one. */
static bool
only_halves(const fold *F, ir_opnd o, bool low_only)
{
	uint32_t uses;

	if (!ir_is_val(o) || o.reg >= F->nuses)
		return false;
	uses = F->low_uses[o.reg] + (low_only ? 0 : F->high_uses[o.reg]);
	return F->f->vals.a[o.reg].nuses <= uses;
}

/* Only one of its halves is used. */
static bool
one_half(const fold *F, ir_opnd o)
{
	return !F->low_uses[o.reg] || !F->high_uses[o.reg];
}

static bool
half_of_logic(fold *F, ir_inst *i, ir_inst *d, unsigned high)
{
	ir_opnd a = fold_half(F, fold_src(F, d, 0), high);

	if (d->m.op == G_not64)
		return fold_become1(i, G_not32, a);
	return fold_become2(i, narrow_op(d->m.op), a, fold_half(F, fold_src(F, d, 1), high));
}

static bool
half_of_select(fold *F, ir_inst *i, ir_inst *d, unsigned high)
{
	ir_opnd c = fold_src(F, d, 0), a = fold_half(F, fold_src(F, d, 1), high);

	return fold_become3(i, G_sel32, c, a, fold_half(F, fold_src(F, d, 2), high));
}

static bool
half_of_shift(fold *F, ir_inst *i, ir_inst *d, unsigned high)
{
	ir_opnd x = fold_src(F, d, 0), low;
	unsigned outward = d->m.op == G_shl64 ? HALF_LOW : HALF_HIGH;
	unsigned op = d->m.op == G_shl64 ? G_shl32 : d->m.op == G_lshr64 ? G_lshr32 : G_ashr32;
	uint64_t n;

	if (!fold_const(fold_src(F, d, 1), &n) || !n || n > 31)
		return false;
	if (high == outward)
		return fold_become2(i, op, fold_half(F, x, high), count(n));
	low = fold_half(F, x, 0);
	return fold_become3(i, G_alignbit32, fold_half(F, x, 1), low,
		count(d->m.op == G_shl64 ? 32 - n : n));
}

static bool
half_of_product(fold *F, ir_inst *i, ir_inst *d, unsigned high)
{
	bool is_signed = d->m.op == G_mulw_s32;

	return fold_become2(i, !high ? G_mul32 : is_signed ? G_mulhi_s32 : G_mulhi_u32,
	                    fold_src(F, d, 0), fold_src(F, d, 1));
}

/* Better done whole on the scalar unit: both halves are used, or it is a mask that one instruction makes. The uses of values
 * made in this round are counted before the next one. */
static bool
stays_whole(const fold *F, const ir_inst *d, ir_opnd x)
{
	ir_opnd a = d->m.arg[1];
	unsigned op = ir_is_val(a) && F->f->vals.a[a.reg].def ? F->f->vals.a[a.reg].def->m.op : 0;
	bool both = x.reg >= F->nuses || !F->low_uses[x.reg] == !F->high_uses[x.reg];

	return is_scalar(F, x) && (both || (d->m.op == G_shl64 && op == G_not64) ||
	       (d->m.op == G_not64 && op == G_shl64));
}

static bool
half_of_result(fold *F, ir_inst *i, ir_inst *d, ir_opnd x, unsigned high)
{
	bool halves = only_halves(F, x, false), low = !high && only_halves(F, x, true);

	if (stays_whole(F, d, x))
		return false;
	switch (d->m.op) {
	case G_and64: case G_or64: case G_xor64: case G_not64:
		return halves && half_of_logic(F, i, d, high);
	case G_add64: case G_sub64: case G_mul64:
		return low && half_of_logic(F, i, d, high);
	case G_sel64:
		/* Both halves by one condition: on the scalar unit one instruction, on the vector unit often a pair. */
		return halves && one_half(F, x) && half_of_select(F, i, d, high);
	case G_shl64: case G_lshr64: case G_ashr64:
		return halves && half_of_shift(F, i, d, high);
	case G_mulw_u32: case G_mulw_s32:
		return (low || fold_single(F, x)) && half_of_product(F, i, d, high);
	default:
		return false;
	}
}

bool
fold_half_of(fold *F, ir_inst *i)
{
	ir_opnd x = fold_src(F, i, 0);
	unsigned high = i->m.op == G_hi32;
	ir_inst *d = ir_is_val(x) ? F->f->vals.a[x.reg].def : NULL;

	if (!d || !d->block)
		return false;
	if (d->m.op == G_pack64)
		return fold_same(F, i, fold_src(F, d, high));
	return half_of_result(F, i, d, x, high);
}

bool
fold_word(fold *F, ir_inst *i)
{
	ir_opnd x = fold_src(F, i, 0);
	unsigned k = (unsigned)fold_src(F, i, 1).imm;
	ir_inst *d;

	if (x.width == 2)
		return fold_become1(i, k ? G_hi32 : G_lo32, x);
	if (!(d = fold_def(F, x, G_pack96)) && !(d = fold_def(F, x, G_pack128)))
		return false;
	return fold_same(F, i, fold_src(F, d, k));
}
