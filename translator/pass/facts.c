/* facts.c -- known bits and unsigned bounds of every value.
 * Needs generic SSA without unreachable blocks; leaves the code as it is. Optimistic over loops: a
 * phi starts from its sources met so far and only loses knowledge; bounds that keep growing are
 * given up, and a function that takes too many rounds gets one pessimistic one. */
#include "pass/pass.h"

enum { WIDEN_AFTER = 3, ROUNDS = 10 };

static uint64_t
mask_of(unsigned dwords)
{
	return dwords == 0 ? 1 : dwords == 1 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t
low_bits(uint64_t n)
{
	return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

static ir_fact
bounds(uint64_t lo, uint64_t hi)
{
	return (ir_fact){ .lo = lo, .hi = hi };
}

static ir_fact
join(ir_fact a, ir_fact b)
{
	return (ir_fact){ a.zero & b.zero, a.one & b.one, MIN(a.lo, b.lo), MAX(a.hi, b.hi) };
}

/* Bits and bounds of a cut to mask. */
static ir_fact
cut(ir_fact a, uint64_t mask)
{
	ir_fact r = { a.zero | ~mask, a.one & mask, 0, mask };

	if (a.hi <= mask) {
		r.lo = a.lo;
		r.hi = a.hi;
	}
	r = ir_fact_tidy(r);
	return r.hi <= mask ? r : (ir_fact){ .zero = ~mask, .hi = mask };
}

/* Bitwise operations */

static ir_fact
f_not(ir_fact a, uint64_t mask)
{
	return (ir_fact){ a.one | ~mask, a.zero & mask, ~a.hi & mask, ~a.lo & mask };
}

static ir_fact
f_and(ir_fact a, ir_fact b)
{
	return (ir_fact){ a.zero | b.zero, a.one & b.one, 0, MIN(a.hi, b.hi) };
}

/* All ones from the highest bit of x downwards. */
static uint64_t
fill(uint64_t x)
{
	for (unsigned s = 1; s < 64; s *= 2)
		x |= x >> s;
	return x;
}

static ir_fact
f_or(ir_fact a, ir_fact b)
{
	return (ir_fact){ a.zero & b.zero, a.one | b.one, MAX(a.lo, b.lo), fill(a.hi | b.hi) };
}

static ir_fact
f_xor(ir_fact a, ir_fact b)
{
	return (ir_fact){ (a.zero & b.zero) | (a.one & b.one), (a.zero & b.one) | (a.one & b.zero),
		0, fill(a.hi | b.hi) };
}

static ir_fact
f_select_bits(ir_fact mask, ir_fact a, ir_fact b)
{
	return f_or(ir_fact_tidy(f_and(mask, a)), ir_fact_tidy(f_and(f_not(mask, UINT64_MAX), b)));
}

/* Sums */

static bool
add_overflows(uint64_t a, uint64_t b, unsigned carry, uint64_t mask, uint64_t *sum)
{
	uint64_t s = a + b + carry;

	*sum = s & mask;
	return mask == UINT64_MAX ? s < a || (carry && s == a) : s > mask;
}

/* Carries grow with the operands: a bit of the sum is known where both bits are and the carry is
 * the same in the least and the greatest case. */
static ir_fact
f_add(ir_fact a, ir_fact b, unsigned cmin, unsigned cmax, uint64_t mask)
{
	uint64_t amax = ~a.zero & mask, bmax = ~b.zero & mask;
	uint64_t min = a.one + b.one + cmin, max = amax + bmax + cmax;
	uint64_t carry0 = ~(max ^ amax ^ bmax), carry1 = min ^ a.one ^ b.one;
	uint64_t known = (a.zero | a.one) & (b.zero | b.one) & (carry0 | carry1) & mask;
	ir_fact r = { (known & ~max) | ~mask, known & max, 0, mask };
	uint64_t lo, hi;

	bool lo_wraps = add_overflows(a.lo, b.lo, cmin, mask, &lo);
	bool hi_wraps = add_overflows(a.hi, b.hi, cmax, mask, &hi);

	if (lo_wraps == hi_wraps) {
		r.lo = lo;
		r.hi = hi;
	}
	return r;
}

static ir_fact
f_sub(ir_fact a, ir_fact b, unsigned cmin, unsigned cmax, uint64_t mask)
{
	return f_add(a, f_not(b, mask), 1 - cmax, 1 - cmin, mask);
}

/* x - min(x, n) goes no lower than 0. */
static ir_fact
f_sub32(const ir_func *f, const ir_inst *i, ir_fact a, ir_fact b)
{
	const ir_opnd *x = &i->m.arg[1], *y = &i->m.arg[2];
	const ir_inst *min = ir_is_val(*y) ? f->vals.a[y->reg].def : NULL;
	uint64_t n;

	if (!min || min->m.op != G_min_u32 || !ir_is_imm(min->m.arg[2]) || !ir_same(min->m.arg[1], *x))
		return f_sub(a, b, 0, 0, UINT32_MAX);
	n = (uint32_t)min->m.arg[2].imm;
	return bounds(a.lo - MIN(a.lo, n), a.hi - MIN(a.hi, n));
}

/* The carry out of bit 31. */
static ir_fact
f_carry(ir_fact a, ir_fact b, unsigned cmin, unsigned cmax)
{
	if (a.lo + b.lo + cmin > UINT32_MAX)
		return ir_fact_const(1);
	return a.hi + b.hi + cmax <= UINT32_MAX ? ir_fact_const(0) : bounds(0, 1);
}

/* Products */

static unsigned
count_low(uint64_t x)
{
	unsigned n = 0;

	for (; x & 1; x >>= 1)
		n++;
	return n;
}

static ir_fact
f_mul(ir_fact a, ir_fact b, uint64_t mask)
{
	unsigned known = MIN(count_low(a.zero | a.one), count_low(b.zero | b.one));
	uint64_t low = low_bits(known), product = a.one * b.one;
	uint64_t zeros = low_bits(count_low(a.zero) + count_low(b.zero));
	ir_fact r = { (~product & low) | zeros | ~mask, product & low & mask, 0, mask };

	if (!b.hi || a.hi <= mask / b.hi) {
		r.lo = a.lo * b.lo;
		r.hi = a.hi * b.hi;
	}
	r.one &= ~r.zero;
	return r;
}

static bool
not_negative32(ir_fact a)
{
	return a.hi <= INT32_MAX;
}

static ir_fact
f_mul_signed(ir_fact a, ir_fact b)
{
	ir_fact r = f_mul(a, b, UINT64_MAX), low = bounds(0, UINT64_MAX);

	if (not_negative32(a) && not_negative32(b))
		return r;
	low.zero = r.zero & UINT32_MAX;
	low.one = r.one & UINT32_MAX;
	return low;
}

static ir_fact
f_mulhi(ir_fact a, ir_fact b, bool is_signed)
{
	if (is_signed && !(not_negative32(a) && not_negative32(b)))
		return bounds(0, UINT32_MAX);
	return bounds(a.lo * b.lo >> 32, a.hi * b.hi >> 32);
}

/* Shifts: by every count that may be, joined. */

typedef ir_fact shift_fn(ir_fact a, unsigned n, uint64_t mask);

static ir_fact
shl_by(ir_fact a, unsigned n, uint64_t mask)
{
	ir_fact r = { a.zero << n | low_bits(n) | ~mask, (a.one << n) & mask, 0, mask };

	if (a.hi <= mask >> n) {
		r.lo = a.lo << n;
		r.hi = a.hi << n;
	}
	return r;
}

static ir_fact
lshr_by(ir_fact a, unsigned n, uint64_t mask)
{
	return (ir_fact){ a.zero >> n | ~(mask >> n), a.one >> n, a.lo >> n, a.hi >> n };
}

static ir_fact
ashr_by(ir_fact a, unsigned n, uint64_t mask)
{
	uint64_t sign = mask ^ mask >> 1;

	if (a.zero & sign)
		return lshr_by(a, n, mask);
	if (a.one & sign)
		return f_not(lshr_by(f_not(a, mask), n, mask), mask);
	return (ir_fact){ (a.zero & mask) >> n | ~mask, a.one >> n, 0, mask };
}

static bool
may_be(ir_fact a, uint64_t x, uint64_t mask)
{
	return !(x & a.zero) && !(~x & a.one & mask) && (a.hi > mask || (a.lo <= x && x <= a.hi));
}

static ir_fact
f_shift(shift_fn *by, ir_fact a, ir_fact count, uint64_t mask)
{
	unsigned last = mask == UINT64_MAX ? 63 : 31;
	ir_fact r = { 0 };
	bool any = false;

	for (unsigned n = 0; n <= last; n++) {
		ir_fact one;

		if (!may_be(count, n, last))
			continue;
		one = ir_fact_tidy(by(a, n, mask));
		r = any ? join(r, one) : one;
		any = true;
	}
	return any ? r : bounds(0, mask);
}

/* Bit fields */

/* Low n bits of a, sign-extended to the width; n >= 1. */
static ir_fact
sign_extend(ir_fact a, unsigned n, uint64_t mask)
{
	unsigned up = (mask == UINT64_MAX ? 64 : 32) - n;

	return ashr_by(ir_fact_tidy(shl_by(a, up, mask)), up, mask);
}

static ir_fact
f_bfe_u32(ir_fact a, ir_fact offset, ir_fact width)
{
	ir_fact r = ir_fact_tidy(f_shift(lshr_by, a, offset, UINT32_MAX));
	uint64_t widest = low_bits(width.hi <= 31 ? width.hi : ~width.zero & 31);

	if (ir_fact_is_const(width))
		return f_and(r, ir_fact_const(low_bits(width.lo & 31)));
	return f_and(r, (ir_fact){ .zero = ~widest, .hi = widest });
}

static ir_fact
f_bfe_s32(ir_fact a, ir_fact offset, ir_fact width)
{
	unsigned o = offset.lo & 31, w = width.lo & 31;

	if (!ir_fact_is_const(offset) || !ir_fact_is_const(width))
		return bounds(0, UINT32_MAX);
	return w ? sign_extend(ir_fact_tidy(lshr_by(a, o, UINT32_MAX)), MIN(w, 32 - o), UINT32_MAX)
	         : ir_fact_const(0);
}

/* PTX field arguments: how many bits of them count, see eval.c. */
static uint64_t
field_arg(const ir_inst *i, ir_fact a, uint64_t mask)
{
	return mask == UINT64_MAX && i->sem == P2A_SEM_NVIDIA ? a.lo : a.lo & 0xff;
}

static ir_fact
f_ptx_bfi(const ir_inst *i, const ir_fact s[4], uint64_t mask)
{
	uint64_t pos = field_arg(i, s[2], mask), len = field_arg(i, s[3], mask), field;

	if (!ir_fact_is_const(s[2]) || !ir_fact_is_const(s[3]))
		return bounds(0, mask);
	if (pos > (mask == UINT64_MAX ? 63 : 31) || !len)
		return s[1];
	field = (low_bits(len) << pos) & mask;
	return f_select_bits(ir_fact_const(field),
		ir_fact_tidy(shl_by(s[0], (unsigned)pos, mask)), s[1]);
}

static ir_fact
f_ptx_bfe(const ir_inst *i, const ir_fact s[4], uint64_t mask, bool is_signed)
{
	unsigned bits = mask == UINT64_MAX ? 64 : 32;
	uint64_t pos = field_arg(i, s[1], mask), len = field_arg(i, s[2], mask);

	if (!ir_fact_is_const(s[2]))
		return bounds(0, mask);
	if (!len)
		return ir_fact_const(0);
	if (!ir_fact_is_const(s[1]))
		return bounds(0, is_signed ? mask : low_bits(len) & mask);
	if (pos >= bits)
		return is_signed ? ashr_by(s[0], bits - 1, mask) : ir_fact_const(0);
	len = MIN(len, bits - pos);
	if (is_signed)
		return sign_extend(ir_fact_tidy(lshr_by(s[0], (unsigned)pos, mask)),
			(unsigned)len, mask);
	return f_and(lshr_by(s[0], (unsigned)pos, mask), ir_fact_const(low_bits(len)));
}

/* The low bits of a; from 32 on all of it. */
static ir_fact
f_ptx_szext(ir_fact a, ir_fact len, bool is_signed)
{
	uint64_t widest = low_bits(len.hi) & UINT32_MAX;

	if (!is_signed)
		return f_and(a, (ir_fact){ .zero = ~widest, .hi = widest });
	if (!ir_fact_is_const(len))
		return bounds(0, UINT32_MAX);
	return len.lo > 31 ? a : len.lo ? sign_extend(a, (unsigned)len.lo, UINT32_MAX) : ir_fact_const(0);
}

static ir_fact
f_pack(ir_fact low, ir_fact high)
{
	return (ir_fact){ (low.zero & UINT32_MAX) | high.zero << 32, low.one | high.one << 32,
		high.lo << 32 | low.lo, high.hi << 32 | low.hi };
}

static ir_fact
f_high(ir_fact a)
{
	return lshr_by(a, 32, UINT64_MAX);
}

static ir_fact
f_low(ir_fact a)
{
	ir_fact r = { a.zero, a.one, 0, UINT64_MAX };

	if (a.lo >> 32 == a.hi >> 32) {
		r.lo = a.lo & UINT32_MAX;
		r.hi = a.hi & UINT32_MAX;
	}
	r.zero |= ~(uint64_t)UINT32_MAX;
	r.one &= UINT32_MAX;
	return r;
}

static ir_fact
f_brev(ir_fact a)
{
	ir_fact r = { ~(uint64_t)UINT32_MAX, 0, 0, UINT32_MAX };

	for (unsigned k = 0; k < 32; k++) {
		r.zero |= (a.zero >> k & 1) << (31 - k);
		r.one |= (a.one >> k & 1) << (31 - k);
	}
	return r;
}

/* v_perm_b32 with a constant selector; see eval.c. */
static ir_fact
f_perm(ir_fact high, ir_fact low, ir_fact selector)
{
	ir_fact both = f_pack(low, high), r = { ~(uint64_t)UINT32_MAX, 0, 0, UINT32_MAX };

	if (!ir_fact_is_const(selector))
		return bounds(0, UINT32_MAX);
	for (unsigned k = 0; k < 32; k += 8) {
		unsigned s = (unsigned)(selector.lo >> k & 0xff);
		uint64_t zero = s == 12 ? 0xff : 0, one = s > 12 ? 0xff : 0;

		if (s < 8) {
			zero = both.zero >> (8 * s) & 0xff;
			one = both.one >> (8 * s) & 0xff;
		} else if (s < 12) {
			zero = both.zero >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
			one = both.one >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;
		}
		r.zero |= zero << k;
		r.one |= one << k;
	}
	return r;
}

/* Minima and comparisons */

static ir_fact
f_min(ir_fact a, ir_fact b)
{
	ir_fact r = join(a, b);

	r.hi = MIN(a.hi, b.hi);
	return r;
}

static ir_fact
f_max(ir_fact a, ir_fact b)
{
	ir_fact r = join(a, b);

	r.lo = MAX(a.lo, b.lo);
	return r;
}

/* Adding 2^31 turns signed order into unsigned order. */
static ir_fact
flip_sign(ir_fact a, uint64_t mask)
{
	uint64_t sign = mask ^ mask >> 1;
	ir_fact r = { a.zero, a.one, 0, mask };

	r.zero = (a.zero & ~sign) | (a.one & sign);
	r.one = (a.one & ~sign) | (a.zero & sign);
	if ((a.lo ^ a.hi) < sign) {
		r.lo = a.lo ^ sign;
		r.hi = a.hi ^ sign;
	}
	return r;
}

static ir_fact
f_minmax_s32(ir_fact (*of)(ir_fact, ir_fact), ir_fact a, ir_fact b)
{
	ir_fact r = of(ir_fact_tidy(flip_sign(a, UINT32_MAX)),
		ir_fact_tidy(flip_sign(b, UINT32_MAX)));

	return flip_sign(ir_fact_tidy(r), UINT32_MAX);
}

static ir_fact
truth(bool surely, bool surely_not)
{
	return surely ? ir_fact_const(1) : surely_not ? ir_fact_const(0) : bounds(0, 1);
}

static ir_fact
f_icmp(unsigned cc, ir_fact a, ir_fact b, uint64_t mask)
{
	bool differ = a.one & b.zero || a.zero & b.one || a.hi < b.lo || b.hi < a.lo;
	bool equal = ir_fact_is_const(a) && ir_fact_is_const(b) && a.lo == b.lo;

	if (cc >= IR_LT && cc <= IR_GE) {
		a = ir_fact_tidy(flip_sign(a, mask));
		b = ir_fact_tidy(flip_sign(b, mask));
	}
	switch (cc) {
	case IR_EQ: return truth(equal, differ);
	case IR_NE: return truth(differ, equal);
	case IR_LT: case IR_LO: return truth(a.hi < b.lo, a.lo >= b.hi);
	case IR_LE: case IR_LS: return truth(a.hi <= b.lo, a.lo > b.hi);
	case IR_GT: case IR_HI: return truth(a.lo > b.hi, a.hi <= b.lo);
	default: return truth(a.lo >= b.hi, a.hi < b.lo);
	}
}

static ir_fact
f_select(ir_fact c, ir_fact a, ir_fact b)
{
	return c.one ? a : c.zero & 1 ? b : join(a, b);
}

/* What the launch gives. A grid has fewer than 2^31 workgroups in each direction. */

static ir_fact
f_special(const ir_func *f, int32_t which)
{
	uint32_t fixed = which >= IR_TID_X && which <= IR_NTID_Z ? f->reqntid[which % 3] : 0;
	uint32_t limit = fixed ? fixed : f->max_threads ? f->max_threads : 1024;

	switch (which) {
	case IR_TID_X: case IR_TID_Y: case IR_TID_Z:
		return bounds(0, limit - 1);
	case IR_NTID_X: case IR_NTID_Y: case IR_NTID_Z:
		return bounds(fixed ? fixed : 1, limit);
	case IR_CTAID_X: case IR_CTAID_Y: case IR_CTAID_Z:
		return bounds(0, INT32_MAX - 1);
	case IR_NCTAID_X: case IR_NCTAID_Y: case IR_NCTAID_Z:
		return bounds(1, INT32_MAX);
	case IR_LANEID:
		return bounds(0, 31);
	case IR_WARPBASE:
		return (ir_fact){ ~(uint64_t)32, 0, 0, 32 };
	default:
		return bounds(0, UINT32_MAX);
	}
}

static ir_fact
f_symbol(const ir_func *f, ir_opnd o)
{
	uint32_t align = f->mod && o.reg < f->mod->vars.n ? f->mod->vars.a[o.reg].align : 1;
	uint64_t low = align && !(align & (align - 1)) ? align - 1 : 0;

	return (ir_fact){ ~(uint64_t)o.imm & low, (uint64_t)o.imm & low, 0, UINT64_MAX };
}

static ir_fact
f_load(const ir_inst *i)
{
	if (i->mem.sext || i->mem.bytes >= 4)
		return bounds(0, UINT64_MAX);
	return bounds(0, low_bits(8u * i->mem.bytes));
}

static ir_fact
f_popc(ir_fact a)
{
	uint64_t lo = 0, hi = 0;

	for (unsigned k = 0; k < 32; k++) {
		lo += a.one >> k & 1;
		hi += ~a.zero >> k & 1;
	}
	return bounds(lo, hi);
}

static ir_fact
f_ffbh(ir_fact a)
{
	unsigned lo = 0, hi = 0;

	if (!a.lo)
		return bounds(0, UINT32_MAX);
	while (!(a.hi >> (31 - lo) & 1))
		lo++;
	while (!(a.lo >> (31 - hi) & 1))
		hi++;
	return bounds(lo, hi);
}

static ir_fact
f_alignbit(ir_fact high, ir_fact low, ir_fact count)
{
	ir_fact both = ir_fact_tidy(f_pack(low, high));

	count.zero |= 32;
	count.one &= ~(uint64_t)32;
	count.lo = 0;
	count.hi = MAX(count.hi, 64);
	return f_low(ir_fact_tidy(f_shift(lshr_by, both, count, UINT64_MAX)));
}

static ir_fact
transfer(const ir_func *f, const ir_inst *i, const ir_fact s[4])
{
	const uint64_t W = UINT32_MAX, D = UINT64_MAX;
	unsigned cmin = s[2].lo & 1, cmax = s[2].hi & 1;

	switch (i->m.op) {
	case G_copy1: case G_copy32: case G_copy64: return s[0];
	case G_not1: return f_not(s[0], 1);
	case G_not32: return f_not(s[0], W);
	case G_not64: return f_not(s[0], D);
	case G_and1: case G_and32: case G_and64: return f_and(s[0], s[1]);
	case G_or1: case G_or32: case G_or64: return f_or(s[0], s[1]);
	case G_xor1: case G_xor32: case G_xor64: return f_xor(s[0], s[1]);
	case G_add32: return f_add(s[0], s[1], 0, 0, W);
	case G_add64: return f_add(s[0], s[1], 0, 0, D);
	case G_sub32: return f_sub32(f, i, s[0], s[1]);
	case G_sub64: return f_sub(s[0], s[1], 0, 0, D);
	case G_addc32: return f_add(s[0], s[1], cmin, cmax, W);
	case G_subb32: return f_sub(s[0], s[1], cmin, cmax, W);
	case G_addc_out32: return f_carry(s[0], s[1], cmin, cmax);
	case G_subb_out32: return f_not(f_carry(s[0], f_not(s[1], W), 1 - cmax, 1 - cmin), 1);
	case G_mul32: return f_mul(s[0], s[1], W);
	case G_mul64: case G_mulw_u32: return f_mul(s[0], s[1], D);
	case G_mul_u24: return f_mul(cut(s[0], 0xffffff), cut(s[1], 0xffffff), W);
	case G_mulw_s32: return f_mul_signed(s[0], s[1]);
	case G_mulhi_u32: return f_mulhi(s[0], s[1], false);
	case G_mulhi_s32: return f_mulhi(s[0], s[1], true);
	case G_shl32: return f_shift(shl_by, s[0], s[1], W);
	case G_shl64: return f_shift(shl_by, s[0], s[1], D);
	case G_lshr32: return f_shift(lshr_by, s[0], s[1], W);
	case G_lshr64: return f_shift(lshr_by, s[0], s[1], D);
	case G_ashr32: return f_shift(ashr_by, s[0], s[1], W);
	case G_ashr64: return f_shift(ashr_by, s[0], s[1], D);
	case G_min_u32: return f_min(s[0], s[1]);
	case G_max_u32: return f_max(s[0], s[1]);
	case G_min_s32: return f_minmax_s32(f_min, s[0], s[1]);
	case G_max_s32: return f_minmax_s32(f_max, s[0], s[1]);
	case G_ffbh32: return f_ffbh(s[0]);
	case G_popc32: return f_popc(s[0]);
	case G_brev32: return f_brev(s[0]);
	case G_bfe_u32: return f_bfe_u32(s[0], s[1], s[2]);
	case G_bfe_s32: return f_bfe_s32(s[0], s[1], s[2]);
	case G_bitsel32: return f_select_bits(s[0], s[1], s[2]);
	case G_alignbit32: return f_alignbit(s[0], s[1], s[2]);
	case G_perm32: return f_perm(s[0], s[1], s[2]);
	case G_pack64: return f_pack(s[0], s[1]);
	case G_lo32: return f_low(s[0]);
	case G_hi32: return f_high(s[0]);
	case G_icmp32: return f_icmp(i->cc, s[0], s[1], W);
	case G_icmp64: return f_icmp(i->cc, s[0], s[1], D);
	case G_sel32: case G_sel64: return f_select(s[0], s[1], s[2]);
	case G_ptx_bfi32: return f_ptx_bfi(i, s, W);
	case G_ptx_bfi64: return f_ptx_bfi(i, s, D);
	case G_ptx_bfe_u32: return f_ptx_bfe(i, s, W, false);
	case G_ptx_bfe_s32: return f_ptx_bfe(i, s, W, true);
	case G_ptx_bfe_u64: return f_ptx_bfe(i, s, D, false);
	case G_ptx_bfe_s64: return f_ptx_bfe(i, s, D, true);
	case G_ptx_szext_u32: return f_ptx_szext(s[0], s[1], false);
	case G_ptx_szext_s32: return f_ptx_szext(s[0], s[1], true);
	case G_load: return f_load(i);
	case G_special: return f_special(f, i->m.offset);
	case G_symaddr: return f_symbol(f, i->m.arg[1]);
	default: return bounds(0, D);
	}
}

ir_fact
p_fact_of_inst(const ir_func *f, const ir_fact *facts, const ir_inst *i)
{
	ir_fact s[4] = { { 0 } };

	for (unsigned k = i->ndefs; k < i->m.nargs && k - i->ndefs < 4; k++)
		s[k - i->ndefs] = ir_fact_of(f, facts, i->m.arg[k]);
	return cut(transfer(f, i, s), mask_of(i->m.arg[0].width));
}

/* The walk over the kernel */

typedef struct walk {
	ir_func *f;
	ir_fact *facts;
	bitset met;
	unsigned round;
	bool changed;
} walk;

static ir_fact
fact_of_phi(const walk *w, const ir_inst *i)
{
	ir_fact r = ir_fact_none(i->m.arg[0].width);
	bool any = false;

	for (uint32_t k = 0; k < i->block->preds.n; k++) {
		ir_opnd o = i->phi[k];

		if (ir_is_val(o) && !bit_has(&w->met, o.reg)) {
			if (w->round > ROUNDS)
				return ir_fact_none(i->m.arg[0].width);
			continue;
		}
		r = any ? join(r, ir_fact_of(w->f, w->facts, o)) : ir_fact_of(w->f, w->facts, o);
		any = true;
	}
	return ir_fact_tidy(r);
}

static bool
same_fact(ir_fact a, ir_fact b)
{
	return a.zero == b.zero && a.one == b.one && a.lo == b.lo && a.hi == b.hi;
}

static ir_fact
weaken(const walk *w, ir_fact old, ir_fact new, uint64_t mask)
{
	ir_fact r = join(old, new);

	if (w->round >= WIDEN_AFTER && r.lo < old.lo)
		r.lo = 0;
	if (w->round >= WIDEN_AFTER && r.hi > old.hi)
		r.hi = mask;
	return cut(r, mask);
}

static void
visit(walk *w, const ir_inst *i)
{
	uint32_t v = i->m.arg[0].reg;
	ir_fact new;

	if (i->ndefs != 1)
		return;
	new = i->m.op == G_phi ? fact_of_phi(w, i) : p_fact_of_inst(w->f, w->facts, i);
	if (bit_has(&w->met, v) && w->round <= ROUNDS)
		new = weaken(w, w->facts[v], new, mask_of(i->m.arg[0].width));
	if (bit_has(&w->met, v) && same_fact(new, w->facts[v]))
		return;
	bit_set(&w->met, v);
	w->facts[v] = new;
	w->changed = true;
}

ir_fact *
p_facts(ir_func *f)
{
	walk w = { .f = f, .facts = arena_array(f->A, ir_fact, f->vals.n),
		.met = bitset_new(f->A, f->vals.n), .changed = true };
	uint32_t n;
	ir_block **order = ir_rpo(f, &n);

	for (uint32_t v = 0; v < f->vals.n; v++)
		w.facts[v] = ir_fact_none(f->vals.a[v].dwords);
	for (; w.changed && w.round <= ROUNDS + 1; w.round++) {
		w.changed = false;
		if (w.round == ROUNDS + 1)
			w.met = bitset_new(f->A, f->vals.n);
		for (uint32_t b = 0; b < n; b++)
			for (const ir_inst *i = order[b]->first; i; i = i->next)
				visit(&w, i);
	}
	return w.facts;
}
