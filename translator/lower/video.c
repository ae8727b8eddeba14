/* video.c -- video instructions: parts of 32-bit registers, results clamped, put into parts or added up.
 * Needs L->in with .u32 and .s32 types, selectors in ptx_operand.part and .ival; leaves G_* of 32 bits, and of
 * 64 bits where both sources are whole registers.
 * Manual: "Parallel Thread Execution ISA", 9.7.18.
 *
 * An intermediate result is exact. The manual's ".s34 intermediate" of a whole register that is not clamped is cut
 * to 32 bits, signed as dtype says, before a second operation sees it. */
#include "lower/lower.h"

/* A part of a register: where, how many bits. */
typedef struct part { unsigned at, bits; } part;

static part
part_of(const ptx_operand *o)
{
	unsigned bits = o->part == 'b' ? 8 : o->part == 'h' ? 16 : 32;

	return (part){ bits == 32 ? 0 : (unsigned)o->ival * bits, bits };
}

static ir_opnd
field(lower *L, ir_opnd v, part p, bool is_signed)
{
	if (p.bits == 32)
		return v;
	return ir_g3(&L->b, is_signed ? G_bfe_s32 : G_bfe_u32, v, ir_i32(p.at), ir_i32(p.bits));
}

static bool
type_is_signed(const lower *L, unsigned i)
{
	return ptx_is_signed(lo_type(L, i));
}

static ir_opnd
clamped(lower *L, ir_opnd v, int64_t low, int64_t high)
{
	ir_builder *B = &L->b;
	ir_opnd lo, hi;

	if (v.width == 1)
		return ir_g2(B, G_min_s32, ir_g2(B, G_max_s32, v, ir_i32((uint32_t)low)), ir_i32((uint32_t)MIN(high, INT32_MAX)));
	lo = ir_i64((uint64_t)low), hi = ir_i64((uint64_t)high);
	v = lo_sel(L, ir_icmp(B, 64, IR_LT, v, lo), lo, v);
	return lo_sel(L, ir_icmp(B, 64, IR_GT, v, hi), hi, v);
}

static ir_opnd
clamped_to(lower *L, ir_opnd v, unsigned bits, bool is_signed)
{
	int64_t high = (int64_t)(UINT64_MAX >> (64 - bits + is_signed));

	return clamped(L, v, is_signed ? -high - 1 : 0, high);
}

/* ---- scalar ---- */

/* Source i with its own type: a dword, or two where exact results may need more. */
static ir_opnd
source(lower *L, unsigned i, unsigned type, bool wide)
{
	ir_opnd v = field(L, lo_src(L, i, PTX_B32), part_of(&L->in->ops[i]), type_is_signed(L, type));

	return wide ? lo_widen(L, v, lo_type(L, type)) : v;
}

static bool
needs_64(const lower *L)
{
	return part_of(&L->in->ops[1]).bits == 32 || part_of(&L->in->ops[2]).bits == 32;
}

static ir_opnd
difference(lower *L, ir_opnd a, ir_opnd b)
{
	return ir_g2(&L->b, a.width == 2 ? G_sub64 : G_sub32, a, b);
}

static ir_opnd
apply(lower *L, enum lower_vop op, ir_opnd a, ir_opnd b)
{
	ir_builder *B = &L->b;
	bool d = a.width == 2;
	ir_opnd sum;

	switch (op) {
	case LV_ADD:
		return ir_g2(B, d ? G_add64 : G_add32, a, b);
	case LV_SUB:
		return difference(L, a, b);
	case LV_ABSDIFF:
		return difference(L, lo_minmax(L, true, true, a, b), lo_minmax(L, true, false, a, b));
	case LV_MIN:
	case LV_MAX:
		return lo_minmax(L, true, op == LV_MAX, a, b);
	case LV_AVERAGE:                        /* of narrow parts: rounded up, and down below zero */
		sum = ir_g2(B, G_add32, a, b);
		sum = ir_g2(B, G_sub32, ir_g2(B, G_add32, sum, ir_i32(1)), ir_g2(B, G_lshr32, sum, ir_i32(31)));
		return ir_g2(B, G_ashr32, sum, ir_i32(1));
	}
	return a;
}

/* The end of every scalar instruction: clamp, then a second operation with c or a merge into it. */
static void
finish(lower *L, ir_opnd v, bool is_signed)
{
	const ptx_operand *d = &L->in->ops[0];
	part to = part_of(d);
	ir_opnd c = L->in->nops > 3 ? lo_src(L, 3, PTX_B32) : ir_i32(0);

	if (lo_has(L, PTX_M_sat))
		v = clamped_to(L, v, to.bits, is_signed);
	v = v.width == 2 ? lo_word(L, v, 0) : v;
	if (lo_has(L, PTX_M_add))
		v = ir_g2(&L->b, G_add32, v, c);
	else if (lo_has(L, PTX_M_min) || lo_has(L, PTX_M_max))
		v = lo_minmax(L, is_signed, lo_has(L, PTX_M_max), v, c);
	else if (to.bits < 32)
		v = ir_g3(&L->b, G_bitsel32, ir_i32((UINT32_MAX >> (32 - to.bits)) << to.at),
			ir_g2(&L->b, G_shl32, v, ir_i32(to.at)), c);
	lo_dst(L, v);
}

void
lower_video(lower *L)
{
	bool wide = needs_64(L);
	ir_opnd a = source(L, 1, 1, wide), b = source(L, 2, 2, wide);

	finish(L, apply(L, (enum lower_vop)L->row->g[0], a, b), type_is_signed(L, 0));
}

/* vset: its result is unsigned */
void
lower_vset(lower *L)
{
	bool wide = needs_64(L);
	ir_opnd a = source(L, 1, 0, wide), b = source(L, 2, 1, wide);
	ir_opnd c = ir_icmp(&L->b, wide ? 64 : 32, lower_condition(L, PTX_S32), a, b);

	finish(L, lo_sel(L, c, ir_i32(1), ir_i32(0)), false);
}

/* vshl, vshr. A clamped count is at most 32, which takes a left shift out of 64 bits: the last step is made
 * when it is known that what matters stays. */
void
lower_vshift(lower *L)
{
	ir_builder *B = &L->b;
	bool left = L->row->g[0], clamp = lo_has(L, PTX_M_clamp);
	ir_opnd a = source(L, 1, 1, true), n = source(L, 2, 2, false), most;

	n = clamp ? ir_g2(B, G_min_u32, n, ir_i32(32)) : ir_g2(B, G_and32, n, ir_i32(31));
	if (!left) {
		a = ir_g2(B, G_ashr64, a, n);
	} else {
		most = ir_g2(B, G_min_u32, n, ir_i32(31));
		a = ir_g2(B, G_shl64, a, most);
		if (lo_has(L, PTX_M_sat))
			a = clamped(L, a, -((int64_t)1 << 40), (int64_t)1 << 40);
		a = ir_g2(B, G_shl64, a, ir_g2(B, G_sub32, n, most));
	}
	finish(L, a, type_is_signed(L, 0));
}

/* ---- vmad: 96 bits hold every intermediate result ---- */

typedef struct sum { ir_opnd w[3]; } sum;

/* a * b as a number of three dwords */
static sum
product(lower *L, ir_opnd a, bool a_signed, ir_opnd b, bool b_signed)
{
	ir_builder *B = &L->b;
	bool both = a_signed && b_signed;
	ir_opnd p = ir_g2(B, both ? G_mulw_s32 : G_mulw_u32, a, b), high = lo_word(L, p, 1);

	if (a_signed && !b_signed)
		high = ir_g2(B, G_sub32, high, ir_g2(B, G_and32, lo_sign(L, a), b));
	if (b_signed && !a_signed)
		high = ir_g2(B, G_sub32, high, ir_g2(B, G_and32, lo_sign(L, b), a));
	return (sum){ { lo_word(L, p, 0), high, a_signed || b_signed ? lo_sign(L, high) : ir_i32(0) } };
}

static sum
inverted(lower *L, sum s)
{
	for (unsigned i = 0; i < 3; i++)
		s.w[i] = ir_g1(&L->b, G_not32, s.w[i]);
	return s;
}

/* s + c + one */
static sum
plus(lower *L, sum s, ir_opnd c, bool is_signed, bool one)
{
	ir_builder *B = &L->b;
	ir_opnd carry = ir_i1(one), above = is_signed ? lo_sign(L, c) : ir_i32(0);
	sum r;

	for (unsigned i = 0; i < 3; i++) {
		ir_opnd x = i ? above : c;

		r.w[i] = ir_g3(B, G_addc32, s.w[i], x, carry);
		carry = ir_g3(B, G_addc_out32, s.w[i], x, carry);
	}
	return r;
}

static sum
shifted(lower *L, sum s, unsigned n, bool is_signed)
{
	ir_builder *B = &L->b;

	if (!n)
		return s;
	s.w[0] = ir_g3(B, G_alignbit32, s.w[1], s.w[0], ir_i32(n));
	s.w[1] = ir_g3(B, G_alignbit32, s.w[2], s.w[1], ir_i32(n));
	s.w[2] = ir_g2(B, is_signed ? G_ashr32 : G_lshr32, s.w[2], ir_i32(n));
	return s;
}

/* The low dword where the others only repeat its sign (or are zero), else the end of the range. */
static ir_opnd
clamped_sum(lower *L, sum s, bool is_signed)
{
	ir_builder *B = &L->b;
	ir_opnd above = is_signed ? lo_sign(L, s.w[0]) : ir_i32(0), out, end;

	out = ir_g2(B, G_or32, ir_g2(B, G_xor32, s.w[1], above), ir_g2(B, G_xor32, s.w[2], above));
	end = is_signed ? ir_g2(B, G_xor32, lo_sign(L, s.w[2]), ir_i32(0x7fffffff)) : ir_i32(UINT32_MAX);
	return lo_sel(L, ir_icmp(B, 32, IR_EQ, out, ir_i32(0)), s.w[0], end);
}

void
lower_vmad(lower *L)
{
	const ptx_operand *o = L->in->ops;
	bool as = type_is_signed(L, 1), bs = type_is_signed(L, 2), minus = o[1].neg != o[2].neg;
	bool is_signed = as || bs || minus || o[3].neg, po = lo_has(L, PTX_M_po);
	unsigned n = lo_has(L, PTX_M_shr7) ? 7 : lo_has(L, PTX_M_shr15) ? 15 : 0;
	ir_opnd c = lo_src(L, 3, PTX_B32);
	sum s;

	s = product(L, source(L, 1, 1, false), as, source(L, 2, 2, false), bs);
	if (minus)
		s = inverted(L, s);
	if (o[3].neg)
		c = ir_g1(&L->b, G_not32, c);
	s = plus(L, s, c, is_signed, po || minus || o[3].neg);
	s = shifted(L, s, n, is_signed);
	lo_dst(L, lo_has(L, PTX_M_sat) ? clamped_sum(L, s, is_signed) : s.w[0]);
}

/* ---- SIMD: two halves or four bytes, each a dword while it is worked on ---- */

typedef struct lanes {
	unsigned n, bits;
	uint32_t a, b;           /* selectors: nibble i names lane i's part, from n on of the second register */
	uint32_t mask;           /* lanes that count */
} lanes;

static uint32_t
selector(const ptx_operand *o, uint32_t otherwise)
{
	return o->kind == PTX_O_REG && (o->part == 'b' || o->part == 'h') ? (uint32_t)o->ival : otherwise;
}

static lanes
lanes_of(const ptx_inst *in, unsigned n)
{
	const ptx_operand *d = &in->ops[0];
	lanes V = { .n = n, .bits = 32 / n, .mask = (1u << n) - 1 };

	V.a = selector(&in->ops[1], n == 2 ? 0x10 : 0x3210);
	V.b = selector(&in->ops[2], n == 2 ? 0x32 : 0x7654);
	if (d->part == 'b' || d->part == 'h') {
		V.mask = 0;
		for (unsigned i = 0; i < d->nsub; i++)
			V.mask |= 1u << (d->ival >> (4 * i) & 15);
	}
	return V;
}

static ir_opnd
lane(lower *L, const lanes *V, const ir_opnd src[2], uint32_t selected, unsigned i, bool is_signed)
{
	unsigned k = selected >> (4 * i) & 15;

	return field(L, src[k / V->n], (part){ k % V->n * V->bits, V->bits }, is_signed);
}

static ir_opnd
lane_result(lower *L, const lanes *V, ir_opnd a, ir_opnd b, bool compares)
{
	ir_opnd v;

	if (compares)
		return lo_sel(L, ir_icmp(&L->b, 32, lower_condition(L, PTX_S32), a, b), ir_i32(1), ir_i32(0));
	v = apply(L, (enum lower_vop)L->row->g[0], a, b);
	return lo_has(L, PTX_M_sat) ? clamped_to(L, v, V->bits, type_is_signed(L, 0)) : v;
}

/* Results of lanes that count, added to c or put into its place. */
static void
simd(lower *L, unsigned n, bool compares)
{
	ir_builder *B = &L->b;
	lanes V = lanes_of(L->in, n);
	ir_opnd src[2] = { lo_src(L, 1, PTX_B32), lo_src(L, 2, PTX_B32) }, r = lo_src(L, 3, PTX_B32);
	bool as = type_is_signed(L, compares ? 0 : 1), bs = type_is_signed(L, compares ? 1 : 2);

	for (unsigned i = 0; i < n; i++) {
		ir_opnd v;

		if (!(V.mask >> i & 1))
			continue;
		v = lane_result(L, &V, lane(L, &V, src, V.a, i, as), lane(L, &V, src, V.b, i, bs), compares);
		if (lo_has(L, PTX_M_add))
			r = ir_g2(B, G_add32, r, v);
		else
			r = ir_g3(B, G_bitsel32, ir_i32((UINT32_MAX >> (32 - V.bits)) << (i * V.bits)),
				ir_g2(B, G_shl32, v, ir_i32(i * V.bits)), r);
	}
	lo_dst(L, r);
}

void
lower_video_simd(lower *L)
{
	simd(L, L->row->g[1], false);
}

void
lower_vset_simd(lower *L)
{
	simd(L, L->row->g[1], true);
}
