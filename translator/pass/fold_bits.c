/* fold_bits.c -- rules for logic, shifts and bit fields.
 * Needs fold.h's state; leaves one mask, shift or field operation where several in a row mean one.
 * Counts of shifts and fields are taken modulo the width: gops.def. */
#include "pass/fold.h"

static ir_opnd
imm_of(const fold_width *w, uint64_t x)
{
	return fold_imm(w->bits / 32u, x);
}

/* Bits that may be 1. */
static uint64_t
possible(const fold *F, ir_opnd o)
{
	return ~fold_fact(F, o).zero;
}

/* Logic */

static uint64_t
apply(unsigned op, const fold_width *w, uint64_t a, uint64_t b)
{
	return op == w->and ? a & b : op == w->or ? a | b : a ^ b;
}

/* (x op c) op d */
bool
fold_bits_const(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	uint64_t c, c1;
	ir_inst *d;

	if (!fold_const(fold_src(F, i, 1), &c) ||
		!(d = fold_def_const(F, fold_src(F, i, 0), i->m.op, &c1)))
		return false;
	return fold_become2(i, i->m.op, fold_src(F, d, 0), imm_of(w, apply(i->m.op, w, c, c1)));
}

/* A mask that clears nothing; one that clears all that an or, xor or select brought in. */
bool
fold_and_mask(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	ir_inst *d;
	uint64_t c;

	if (!fold_const(b, &c))
		return false;
	if (!(possible(F, a) & ~c & w->mask))
		return fold_same(F, i, a);
	if (!(d = fold_def(F, a, w->or)) && !(d = fold_def(F, a, w->xor)))
		return false;
	for (unsigned k = 0; k < 2; k++)
		if (!(possible(F, fold_src(F, d, k)) & c))
			return fold_become2(i, w->and, fold_src(F, d, 1 - k), b);
	return false;
}

/* Bits that are set already; (x & c) | d where d sets all that c clears. */
bool
fold_or_mask(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1);
	ir_inst *d;
	uint64_t c, x;

	if (!fold_const(b, &c))
		return false;
	if (!(c & ~fold_fact(F, a).one))
		return fold_same(F, i, a);
	d = fold_def_const(F, a, w->and, &x);
	return d && (x | c) == w->mask && fold_become2(i, w->or, fold_src(F, d, 0), b);
}

/* x & (x | y), x | (x & y), x & (x & y), x | (x | y) */
bool
fold_absorb(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	unsigned dual = i->m.op == w->and ? w->or : w->and;

	for (unsigned k = 0; k < 4; k++) {
		ir_opnd x = fold_src(F, i, k & 1), y = fold_src(F, i, 1 - (k & 1));
		ir_inst *d = fold_def(F, y, dual), *e = fold_def(F, y, i->m.op);

		if (d && ir_same(fold_src(F, d, k >> 1), x))
			return fold_same(F, i, x);
		if (e && ir_same(fold_src(F, e, k >> 1), x))
			return fold_same(F, i, y);
	}
	return false;
}

/* x & ~x, x | ~x */
bool
fold_complement(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);

	for (unsigned k = 0; k < 2; k++) {
		ir_inst *d = fold_def(F, fold_src(F, i, k), w->not);

		if (d && ir_same(fold_src(F, d, 0), fold_src(F, i, 1 - k)))
			return fold_same(F, i,
				fold_imm(i->m.arg[0].width, i->m.op == w->and ? 0 : w->mask));
	}
	return false;
}

/* (x & c) | (x & d) */
bool
fold_or_split(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	uint64_t c, c1;
	ir_inst *d = fold_def_const(F, fold_src(F, i, 0), w->and, &c);
	ir_inst *e = fold_def_const(F, fold_src(F, i, 1), w->and, &c1);

	return d && e && ir_same(fold_src(F, d, 0), fold_src(F, e, 0)) &&
	       fold_become2(i, w->and, fold_src(F, d, 0), imm_of(w, c | c1));
}

bool
fold_xor(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_inst *d = fold_def(F, fold_src(F, i, 0), w->not);
	uint64_t c;

	if (!fold_const(fold_src(F, i, 1), &c))
		return false;
	if (c == w->mask)
		return fold_become1(i, w->not, fold_src(F, i, 0));
	return d && fold_become2(i, w->xor, fold_src(F, d, 0), imm_of(w, ~c));
}

/* ~(-1 << n) of the scalar unit is one instruction, and so is a logic operation with its complement: where the number itself
 * is wanted too, -1 << n would be another one. Uses are counted anew in each round: after a change they are not known. */
static bool
is_shared_low_mask(fold *F, ir_opnd not, const ir_inst *d)
{
	ir_inst *shl = d->m.op == G_not64 && F->f->lanes_known && !F->f->vals.a[not.reg].divergent
		? fold_def(F, d->m.arg[1], G_shl64) : NULL;

	return shl && fold_is(shl->m.arg[1], ~0ull) && (F->changed || !fold_single(F, not));
}

bool
fold_not(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_inst *d = fold_def(F, fold_src(F, i, 0), w->not);
	uint64_t c;

	if (d && is_shared_low_mask(F, fold_src(F, i, 0), d))
		return false;
	if (d)
		return fold_same(F, i, fold_src(F, d, 0));
	d = fold_def_const(F, fold_src(F, i, 0), w->xor, &c);
	return d && fold_single(F, fold_src(F, i, 0)) && fold_become2(i, w->xor, fold_src(F, d, 0), imm_of(w, ~c));
}

/* Only some bits of a source matter */

/* Bits below the lowest that o may have. */
static uint64_t
below_lowest(fold *F, ir_opnd o)
{
	uint64_t may = possible(F, o);

	return (may & (0 - may)) - 1;
}

/* Of what d computes, the bits that may differ from those of its source k. */
static uint64_t
changed_bits(fold *F, ir_inst *d, unsigned k)
{
	uint64_t c;

	switch (d->m.op) {
	case G_and32: return ~fold_fact(F, fold_src(F, d, !k)).one;
	case G_or32: case G_xor32: return possible(F, fold_src(F, d, !k));
	case G_add32: return ~below_lowest(F, fold_src(F, d, !k));
	case G_sub32: return k ? UINT64_MAX : ~below_lowest(F, fold_src(F, d, 1));
	case G_bitsel32:
		if (!k || !fold_const(fold_src(F, d, 0), &c))
			return UINT64_MAX;
		return k == 1 ? ~c : c;
	case G_bfe_u32: case G_bfe_s32:
		if (k || !fold_is(fold_src(F, d, 1), 0) || !fold_const(fold_src(F, d, 2), &c))
			return UINT64_MAX;
		return ~fold_low_bits(c & 31);
	default: return UINT64_MAX;
	}
}

/* A source of o that has all wanted bits of it. */
static bool
passes_bits(fold *F, ir_opnd o, uint64_t wanted, ir_opnd *x)
{
	ir_inst *d = ir_is_val(o) && !o.mods ? F->f->vals.a[o.reg].def : NULL;

	for (unsigned k = 0; d && d->block && d->ndefs == 1 && k + 1 < d->m.nargs; k++) {
		if (wanted & changed_bits(F, d, k))
			continue;
		*x = fold_src(F, d, k);
		return true;
	}
	return false;
}

/* What is left of o when the bits outside of `wanted` may be anything. Where none is wanted every operation would do, of any width. */
static ir_opnd
stripped(fold *F, ir_opnd o, uint64_t wanted)
{
	enum { STEPS = 8 };

	for (unsigned steps = 0; wanted && steps < STEPS && passes_bits(F, o, wanted, &o); steps++)
		;
	return o;
}

/* Bits of 32-bit source k that reach the result; c: constant source 1, if it is one. */
static uint64_t
wanted_by_const(ir_inst *i, unsigned k, uint64_t c)
{
	if (k)
		return UINT32_MAX;
	switch (i->m.op) {
	case G_and32: return c;
	case G_shl32: return UINT32_MAX >> (c & 31);
	case G_lshr32: return (uint64_t)UINT32_MAX << (c & 31) & UINT32_MAX;
	default: return UINT32_MAX;
	}
}

static uint64_t
wanted_bits(fold *F, ir_inst *i, unsigned k)
{
	uint64_t c, n;

	switch (i->m.op) {
	case G_mul_u24:
		return 0xffffff;
	case G_bfm32:
		return 31;
	case G_bfe_u32: case G_bfe_s32:
		/* The scalar unit takes both numbers in one operand: they must be short there. */
		if (k)
			return F->f->lanes_known && !F->f->vals.a[i->m.arg[0].reg].divergent ? UINT32_MAX : 31;
		if (!fold_const(fold_src(F, i, 1), &c) || !fold_const(fold_src(F, i, 2), &n))
			return UINT32_MAX;
		return fold_low_bits(n & 31) << (c & 31) & UINT32_MAX;
	case G_bitsel32:
		if (!k || !fold_const(fold_src(F, i, 0), &c))
			return UINT32_MAX;
		return (k == 1 ? c : ~c) & UINT32_MAX;
	case G_store:
		return k == 1 ? fold_low_bits(8u * i->mem.bytes) : UINT64_MAX;
	default:
		return fold_const(fold_src(F, i, 1), &c) ? wanted_by_const(i, k, c) : UINT32_MAX;
	}
}

bool
fold_demanded(fold *F, ir_inst *i)
{
	for (unsigned k = 0; k + i->ndefs < i->m.nargs; k++) {
		ir_opnd o = fold_src(F, i, k), s;
		uint64_t wanted = o.width == 1 ? wanted_bits(F, i, k) : UINT64_MAX;

		if (wanted >= UINT32_MAX)
			continue;
		s = stripped(F, o, wanted);
		if (ir_same(s, o))
			continue;
		i->m.arg[i->ndefs + k] = s;
		return true;
	}
	return false;
}

/* Shifts */

/* A count that is x << c: as much of x counts as is not moved out. */
static ir_opnd
stripped_count(fold *F, ir_opnd n, uint64_t wanted)
{
	ir_opnd s = stripped(F, n, wanted), x;
	uint64_t c;
	ir_inst *shl = fold_def_const(F, s, G_shl32, &c);

	if (!shl || c > 31 || F->changed || !fold_single(F, s))
		return s;
	x = stripped(F, fold_src(F, shl, 0), wanted >> c);
	return ir_same(x, fold_src(F, shl, 0)) ? s : fold_gen2(F, G_shl32, x, ir_i32((uint32_t)c));
}

/* Constant counts below the width; of others the bits that count. */
bool
fold_shift_count(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd n = fold_src(F, i, 1), s;
	uint64_t c;

	if (fold_const(n, &c) && c < w->bits)
		return false;
	s = fold_const(n, &c) ? ir_i32((uint32_t)c & (w->bits - 1u)) : stripped_count(F, n, w->bits - 1u);
	if (ir_same(s, n))
		return false;
	i->m.arg[2] = s;
	return true;
}

bool
fold_ashr_positive(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0);

	return fold_fact(F, a).hi <= w->mask >> 1 && fold_become2(i, w->lshr, a, fold_src(F, i, 1));
}

/* What is its own sign all over stays that. */
bool
fold_ashr_of_sign(fold *F, ir_inst *i)
{
	ir_opnd a = fold_src(F, i, 0);
	ir_inst *bit = fold_def(F, a, G_bfe_s32), *sign = fold_def(F, a, G_ashr32);

	return ((bit && fold_is(fold_src(F, bit, 2), 1)) || (sign && fold_is(fold_src(F, sign, 1), 31))) && fold_same(F, i, a);
}

/* The same shift twice. */
static bool
sum_of_counts(fold *F, ir_inst *i, const fold_width *w, ir_opnd x, uint64_t n)
{
	if (n < w->bits)
		return fold_become2(i, i->m.op, x, ir_i32((uint32_t)n));
	if (i->m.op == w->ashr)
		return fold_become2(i, w->ashr, x, ir_i32(w->bits - 1u));
	return fold_same(F, i, imm_of(w, 0));
}

/* (x << n) >> m, logical: the bits of x that stay, moved the rest of the way. */
static bool
left_then_right(fold *F, ir_inst *i, const fold_width *w, ir_opnd x, uint64_t n, uint64_t m)
{
	if (n == m)
		return fold_become2(i, w->and, x, imm_of(w, w->mask >> m));
	if (n > m)
		return fold_become2(i, w->and, fold_gen2(F, w->shl, x, ir_i32((uint32_t)(n - m))),
		                    imm_of(w, w->mask >> m));
	return w->bits == 32 &&
	       fold_become3(i, G_bfe_u32, x, ir_i32((uint32_t)(m - n)), ir_i32((uint32_t)(32 - m)));
}

bool
fold_shift_chain(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0);
	uint64_t n, m;
	ir_inst *d;

	if (!fold_const(fold_src(F, i, 1), &m) || m >= w->bits)
		return false;
	if ((d = fold_def_const(F, a, i->m.op, &n)) && n < w->bits)
		return sum_of_counts(F, i, w, fold_src(F, d, 0), n + m);
	if (i->m.op == w->shl) {
		d = fold_def_const(F, a, w->lshr, &n);
		return d && n == m && fold_become2(i, w->and, fold_src(F, d, 0),
			imm_of(w, w->mask << m));
	}
	d = fold_def_const(F, a, w->shl, &n);
	if (!d || n >= w->bits)
		return false;
	if (i->m.op == w->lshr)
		return left_then_right(F, i, w, fold_src(F, d, 0), n, m);
	return w->bits == 32 && n && n <= m &&
	       fold_become3(i, G_bfe_s32, fold_src(F, d, 0), ir_i32((uint32_t)(m - n)),
		ir_i32((uint32_t)(32 - m)));
}

/* 2^n - 1: a mask, and no part of an address. */
static bool
is_low_mask(fold *F, const fold_width *w, ir_opnd x, uint64_t c)
{
	ir_inst *power = fold_def(F, x, w->shl);

	return power && fold_is(fold_src(F, power, 0), 1) && c == w->mask;
}

/* (x + c) << n is (x << n) + (c << n): the constant can go on to the address. */
bool
fold_shl_of_sum(fold *F, ir_inst *i)
{
	const fold_width *w = fold_width_of(i);
	ir_opnd a = fold_src(F, i, 0);
	uint64_t c, n;
	ir_inst *d = fold_def_const(F, a, w->add, &c);

	if (!d || !fold_single(F, a) || !fold_const(fold_src(F, i, 1), &n) || n >= w->bits || is_low_mask(F, w, fold_src(F, d, 0), c))
		return false;
	return fold_become2(i, w->add, fold_gen2(F, w->shl, fold_src(F, d, 0), ir_i32((uint32_t)n)),
	                    imm_of(w, c << n));
}

/* Bit fields of 32 bits */

static ir_opnd
count(uint64_t n)
{
	return ir_i32((uint32_t)n);
}

/* (x >> n) & low mask */
bool
fold_and_to_bfe(fold *F, ir_inst *i)
{
	uint64_t mask, n;
	ir_inst *d = fold_def_const(F, fold_src(F, i, 0), G_lshr32, &n);
	int len = fold_const(fold_src(F, i, 1), &mask) ? fold_log2(mask + 1) : -1;

	return d && len > 0 && n && n + (unsigned)len < 32 &&
	       fold_become3(i, G_bfe_u32, fold_src(F, d, 0), count(n), count((unsigned)len));
}

/* (x & mask) >> n where the mask is a field from bit n on */
bool
fold_lshr_of_mask(fold *F, ir_inst *i)
{
	uint64_t mask, n;
	ir_inst *d = fold_def_const(F, fold_src(F, i, 0), G_and32, &mask);
	int len;

	if (!d || !fold_const(fold_src(F, i, 1), &n) || !n || n > 31)
		return false;
	len = fold_log2((mask >> n) + 1);
	return len > 0 && n + (unsigned)len < 32 &&
	       fold_become3(i, G_bfe_u32, fold_src(F, d, 0), count(n), count((unsigned)len));
}

static bool
field_of(fold *F, ir_inst *i, uint64_t *pos, uint64_t *len)
{
	if (!fold_const(fold_src(F, i, 1), pos) || !fold_const(fold_src(F, i, 2), len))
		return false;
	*pos &= 31;
	*len = MIN(*len & 31, 32 - *pos);
	return true;
}

/* Empty fields, fields that begin or end where the dword does, fields of known sign. */
bool
fold_bfe_const(fold *F, ir_inst *i)
{
	bool is_signed = i->m.op == G_bfe_s32;
	ir_opnd x = fold_src(F, i, 0);
	uint64_t pos, len;

	if (fold_is(x, 0))
		return fold_same(F, i, x);
	if (!field_of(F, i, &pos, &len))
		return false;
	if (!len)
		return fold_same(F, i, ir_i32(0));
	if (pos + len == 32)
		return fold_become2(i, is_signed ? G_ashr32 : G_lshr32, x, count(pos));
	if (is_signed)
		return fold_fact(F, x).zero >> (pos + len - 1) & 1 &&
		       fold_become3(i, G_bfe_u32, x, count(pos), count(len));
	if (!pos)
		return fold_become2(i, G_and32, x, ir_i32((uint32_t)fold_low_bits(len)));
	return !(possible(F, x) >> (pos + len)) && fold_become2(i, G_lshr32, x, count(pos));
}

/* Fields of shifted values. */
bool
fold_bfe_chain(fold *F, ir_inst *i)
{
	ir_opnd x = fold_src(F, i, 0);
	uint64_t pos, len, n;
	ir_inst *d;

	if (!field_of(F, i, &pos, &len))
		return false;
	if ((d = fold_def_const(F, x, G_lshr32, &n)) && n + pos + len <= 32)
		return fold_become3(i, i->m.op, fold_src(F, d, 0), count(n + pos), count(len));
	if ((d = fold_def_const(F, x, G_shl32, &n)) && n <= pos)
		return fold_become3(i, i->m.op, fold_src(F, d, 0), count(pos - n), count(len));
	return false;
}

bool
fold_bitsel(fold *F, ir_inst *i)
{
	ir_opnd mask = fold_src(F, i, 0), a = fold_src(F, i, 1), b = fold_src(F, i, 2);
	uint64_t c;

	if (ir_same(a, b))
		return fold_same(F, i, a);
	if (fold_is(mask, 0))
		return fold_same(F, i, b);
	if (fold_is(b, 0))
		return fold_become2(i, G_and32, a, mask);
	if (!fold_const(mask, &c))
		return false;
	if (!c || c == UINT32_MAX)
		return fold_same(F, i, c ? a : b);
	if (!(possible(F, b) & ~c & UINT32_MAX))
		return fold_become2(i, G_and32, a, mask);
	if (!(possible(F, a) & c))
		return fold_become2(i, G_and32, b, ir_i32(~(uint32_t)c));
	return !(c & ~fold_fact(F, a).one) && fold_become2(i, G_or32, b, mask);
}

bool
fold_alignbit(fold *F, ir_inst *i)
{
	ir_opnd high = fold_src(F, i, 0), low = fold_src(F, i, 1), n = fold_src(F, i, 2);
	uint64_t c;

	if (!fold_const(n, &c))
		return fold_is(high, 0) && fold_become2(i, G_lshr32, low, n);
	c &= 31;
	if (!c)
		return fold_same(F, i, low);
	if (fold_is(high, 0))
		return fold_become2(i, G_lshr32, low, count(c));
	return fold_is(low, 0) && fold_become2(i, G_shl32, high, count(32 - c));
}

/* Bytes taken in order; bytes of zero. */
bool
fold_perm(fold *F, ir_inst *i)
{
	ir_opnd selector = fold_src(F, i, 2);
	const uint64_t no_constant = 0xf8f8f8f8;

	if (fold_is(fold_src(F, i, 0), 0) && fold_is(fold_src(F, i, 1), 0) &&
	    !(possible(F, selector) & no_constant))
		return fold_same(F, i, ir_i32(0));
	if (fold_is(selector, 0x03020100))
		return fold_same(F, i, fold_src(F, i, 1));
	return fold_is(selector, 0x07060504) && fold_same(F, i, fold_src(F, i, 0));
}

/* PTX bit fields: positions and lengths as eval.c takes them. */

static bool
ptx_arg(fold *F, ir_inst *i, unsigned k, uint64_t *x)
{
	bool whole = i->m.arg[0].width == 2 && i->sem == P2A_SEM_NVIDIA;

	if (!fold_const(fold_src(F, i, k), x))
		return false;
	*x &= whole ? UINT32_MAX : 0xff;
	return true;
}

/* A field of 64 bits that lies in one half is a field of that half. */
static bool
bfi_half(fold *F, ir_inst *i, uint64_t pos, uint64_t len)
{
	ir_opnd a = fold_src(F, i, 0), b = fold_src(F, i, 1), r, src[4];
	unsigned high = pos >= 32;

	if (i->m.op != G_ptx_bfi64 || (!high && pos + len > 32))
		return false;
	src[0] = fold_half(F, a, 0);
	src[1] = fold_half(F, b, high);
	src[2] = count(pos & 31);
	src[3] = count(MIN(len, 32));
	r = len >= 32 && !(pos & 31) ? src[0] : fold_gen4(F, G_ptx_bfi32, src);
	return high ? fold_become2(i, G_pack64, fold_half(F, b, 0), r)
	            : fold_become2(i, G_pack64, r, fold_half(F, b, 1));
}

/* Is o the field of x at pos, or more of what stands above that? */
static bool
is_field_of(fold *F, ir_opnd o, ir_opnd x, uint64_t pos, uint64_t len)
{
	uint64_t at, n;
	ir_inst *shr = fold_def_const(F, o, G_lshr32, &at), *bfe = fold_def(F, o, G_bfe_u32);

	if (!pos && ir_same(o, x))
		return true;
	if (shr)
		return at == pos && ir_same(fold_src(F, shr, 0), x);
	return bfe && ir_same(fold_src(F, bfe, 0), x) && fold_is(fold_src(F, bfe, 1), pos) && fold_const(fold_src(F, bfe, 2), &n) && n >= len;
}

/* A field of x that is changed and put back is changed where it stands: what is below it carries nothing into it. */
static bool
bfi_update(fold *F, ir_inst *i, uint64_t pos, uint64_t len)
{
	static const struct { uint16_t op; bool either, sum; uint32_t outside; } ops[] = { { G_xor32, true, false, 0 }, { G_or32, true, false, 0 },
		{ G_and32, true, false, UINT32_MAX }, { G_add32, true, true, 0 }, { G_sub32, false, true, 0 } };
	ir_opnd a = fold_src(F, i, 0), x = fold_src(F, i, 1);
	uint32_t mask = (uint32_t)(fold_low_bits(len) << pos);

	for (unsigned k = 0; fold_single(F, a) && k < COUNT(ops); k++) {
		ir_inst *d = fold_def(F, a, ops[k].op);
		bool second = d && ops[k].either && is_field_of(F, fold_src(F, d, 1), x, pos, len);
		ir_opnd y;

		if (!second && !(d && is_field_of(F, fold_src(F, d, 0), x, pos, len)))
			continue;
		y = fold_src(F, d, !second);
		if (ops[k].sum)
			return fold_become3(i, G_bitsel32, ir_i32(mask), fold_gen2(F, ops[k].op, x, fold_gen2(F, G_shl32, y, count(pos))), x);
		/* Cut out it costs as much as where it was. */
		if (fold_fact(F, y).hi > fold_low_bits(len))
			return false;
		return fold_become2(i, ops[k].op, x, fold_gen4(F, G_ptx_bfi32, (ir_opnd[]){ y, ir_i32(ops[k].outside), count(pos), count(len) }));
	}
	if (!fold_single(F, a) || !fold_def(F, a, G_not32) || !is_field_of(F, fold_src(F, fold_def(F, a, G_not32), 0), x, pos, len))
		return false;
	return fold_become2(i, G_xor32, x, ir_i32(mask));
}

bool
fold_bfi(fold *F, ir_inst *i)
{
	uint64_t pos = 0, len = 0, bits = i->m.op == G_ptx_bfi64 ? 64 : 32;
	bool has_pos = ptx_arg(F, i, 2, &pos), has_len = ptx_arg(F, i, 3, &len);

	if ((has_len && !len) || (has_pos && pos >= bits))
		return fold_same(F, i, fold_src(F, i, 1));
	if (!has_pos || !has_len)
		return false;
	if (!pos && len >= bits)
		return fold_same(F, i, fold_src(F, i, 0));
	return bits == 32 ? bfi_update(F, i, pos, len) : bfi_half(F, i, pos, len);
}

bool
fold_bfe32(fold *F, ir_inst *i)
{
	bool is_signed = i->m.op == G_ptx_bfe_s32;
	ir_opnd x = fold_src(F, i, 0);
	uint64_t pos = 0, len = 0;
	bool has_pos = ptx_arg(F, i, 1, &pos), has_len = ptx_arg(F, i, 2, &len);

	if (has_len && !len)
		return fold_same(F, i, ir_i32(0));
	if (!has_pos || !has_len)
		return false;
	if (pos >= 32)
		return is_signed ? fold_become2(i, G_ashr32, x, count(31))
			: fold_same(F, i, ir_i32(0));
	if (pos + len >= 32)
		return fold_become2(i, is_signed ? G_ashr32 : G_lshr32, x, count(pos));
	return fold_become3(i, is_signed ? G_bfe_s32 : G_bfe_u32, x, count(pos), count(len));
}

/* A field within one half is a field of that half; others are left to pass field, which knows what differs between lanes. */
bool
fold_bfe64(fold *F, ir_inst *i)
{
	bool is_signed = i->m.op == G_ptx_bfe_s64;
	ir_opnd x = fold_src(F, i, 0), r;
	uint64_t pos = 0, len = 0;
	bool has_pos = ptx_arg(F, i, 1, &pos), has_len = ptx_arg(F, i, 2, &len);

	if (has_len && !len)
		return fold_same(F, i, ir_i64(0));
	if (!has_pos || !has_len)
		return false;
	if (pos >= 64)
		return is_signed ? fold_become2(i, G_ashr64, x, count(63)) : fold_same(F, i, ir_i64(0));
	if (!pos && len >= 64)
		return fold_same(F, i, x);
	if ((pos < 32 && pos + len > 32) || (is_signed && pos + len >= 64))
		return false;
	/* The scalar unit takes a number out of 64 bits at once. */
	if (is_signed && !(F->f->lanes_known && F->f->vals.a[i->m.arg[0].reg].divergent))
		return false;
	r = fold_gen3(F, is_signed ? G_ptx_bfe_s32 : G_ptx_bfe_u32, fold_half(F, x, pos >= 32), count(pos & 31),
		count(MIN(len, 32)));
	return fold_become2(i, G_pack64, r, is_signed ? fold_gen2(F, G_ashr32, r, count(31)) : ir_i32(0));
}

bool
fold_bmsk(fold *F, ir_inst *i)
{
	uint64_t pos = 0, len = 1;

	return (fold_const(fold_src(F, i, 0), &pos) && pos > 31) || (fold_const(fold_src(F, i, 1), &len) && !len)
		? fold_same(F, i, ir_i32(0)) : false;
}

bool
fold_szext(fold *F, ir_inst *i)
{
	bool is_signed = i->m.op == G_ptx_szext_s32;
	ir_opnd x = fold_src(F, i, 0);
	uint64_t len;

	if (!fold_const(fold_src(F, i, 1), &len))
		return false;
	if (!len || len > 31)
		return fold_same(F, i, len ? x : ir_i32(0));
	return fold_become3(i, is_signed ? G_bfe_s32 : G_bfe_u32, x, ir_i32(0), count(len));
}
