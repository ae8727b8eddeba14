/* select_alu.c -- 32-bit integer operations, and two operations in one instruction. Needs
 * select.def's rows; leaves the row's scalar instruction where the result lies in an SGPR, its
 * vector instruction else. ISA manuals, chapters on SOP2, VOP2 and VOP3. */
#include "pass/select.h"

enum { SCALAR_MOVES = 4 };      /* what a fusion may cost: sel_cost */

typedef struct fusion {
	uint16_t outer, inner, op;
	uint8_t at;
	const char *order;
} fusion;

static const fusion vector_fusions[] = {
#define FUSE(outer, inner, at, op, order) { G_##outer, G_##inner, OP_##op, at, order },
#include "pass/select.def"
};
static const fusion scalar_fusions[] = {
#define SFUSE(outer, inner, at, op, order) { G_##outer, G_##inner, OP_##op, at, order },
#include "pass/select.def"
};

/* The sources of a fused instruction as they would be, uses not yet moved. */
static unsigned
fused_args(const sel *S, ir_inst *i, const ir_inst *inner, unsigned k, const char *order,
	   ir_opnd *args)
{
	unsigned n = 0;

	for (const char *c = order; *c; c++)
		args[n++] = *c == 'c' ? sel_peek(S, i, i, k ^ 1)
				      : sel_peek(S, i, inner, (unsigned)(*c - 'a'));
	return n;
}

static void
fused_take(sel *S, ir_inst *i, ir_inst *inner, unsigned k, const char *order, ir_opnd *args)
{
	unsigned n = 0;

	sel_absorb(S, i, i, inner);
	for (const char *c = order; *c; c++)
		args[n++] = *c == 'c' ? sel_src(S, i, k ^ 1)
				      : sel_take(S, i, inner, (unsigned)(*c - 'a'));
}

/* May i do inner on its way? `mixed`: a vector instruction a scalar one. */
static bool
same_unit(const sel *S, ir_inst *i, ir_inst *inner, bool mixed)
{
	bool v = sel_is_v(S, sel_dst(S, i)), u = sel_is_v(S, sel_dst(S, inner));

	return mixed ? v && !u : v == u;
}

/* Is it worth it: both on the same unit, the chip has the instruction, no vector move needed; at
 * first, nor a scalar one. */
static bool
fits(sel *S, ir_inst *i, ir_inst *inner, unsigned k, const fusion *f, unsigned limit, bool mixed)
{
	ir_opnd args[4] = { sel_dst(S, i) };
	unsigned n;

	if (!inner || !isa_has(S->t, f->op) || !same_unit(S, i, inner, mixed))
		return false;
	n = fused_args(S, i, inner, k, f->order, args + 1);
	return !sel_is_v(S, args[0]) || sel_cost(S, f->op, n + 1, args) <= limit;
}

static bool
try_fusion(sel *S, ir_inst *i, const fusion *f, unsigned limit, bool mixed)
{
	ir_opnd args[4] = { sel_dst(S, i) };

	for (unsigned k = 0; k < (f->at ? 2u : 1u); k++) {
		ir_inst *inner = sel_mine(S, i, k, f->inner);

		if (!fits(S, i, inner, k, f, limit, mixed))
			continue;
		fused_take(S, i, inner, k, f->order, args + 1);
		sel_op(S, f->op, isa_table[f->op].nargs, args);
		return true;
	}
	return false;
}

bool
sel_fuse(sel *S, ir_inst *i)
{
	bool v = sel_is_v(S, sel_dst(S, i));
	const fusion *f = v ? vector_fusions : scalar_fusions;
	size_t n = v ? COUNT(vector_fusions) : COUNT(scalar_fusions);

	for (unsigned limit = 0; limit <= SCALAR_MOVES; limit += SCALAR_MOVES)
		for (size_t k = 0; k < n; k++)
			if (f[k].outer == i->m.op && try_fusion(S, i, &f[k], limit, false))
				return true;
	for (size_t k = 0; v && k < n; k++)
		if (f[k].outer == i->m.op && try_fusion(S, i, &f[k], 0, true))
			return true;
	return false;
}

static unsigned
op_for(const sel *S, const ir_inst *i, const sel_row *r)
{
	return sel_is_v(S, sel_dst(S, i)) ? r->valu : r->salu;
}

/* One instruction with i's sources. */
static void
plain(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd args[4] = { sel_dst(S, i) };
	unsigned n = i->m.nargs - 1u;
	bool swap = r->swap && sel_is_v(S, args[0]);

	for (unsigned k = 0; k < n; k++)
		args[1 + k] = sel_src(S, i, swap ? n - 1 - k : k);
	sel_op(S, op_for(S, i, r), n + 1, args);
}

void
sel_do_alu(sel *S, ir_inst *i, const sel_row *r)
{
	if (!sel_fuse(S, i))
		plain(S, i, r);
}

/* ---- multiplication ---- */

static bool
is_24bit(const sel *S, ir_opnd o)
{
	return sel_fact(S, o).hi < 1u << 24;
}

static bool
both_24bit(const sel *S, const ir_inst *mul)
{
	return sel_source_fact(S, mul, 0).hi < 1u << 24 && sel_source_fact(S, mul, 1).hi < 1u << 24;
}

unsigned
sel_log2(uint32_t x)
{
	unsigned n = 0;

	while (x >>= 1)
		n++;
	return n;
}

/* x * 2^n, x * (2^n + 1), x * (2^n - 1): shifts and additions run at four times the rate. */
static bool
mul_constant(sel *S, ir_inst *i)
{
	ir_opnd d = sel_dst(S, i), c = sel_peek(S, i, i, 1), x;
	uint32_t u = (uint32_t)c.imm;

	if (!ir_is_imm(c) || u < 2 || u == ~0u || !sel_is_v(S, d) ||
	    (u & (u - 1) && u & (u + 1) && (u - 1) & (u - 2)))
		return false;
	x = sel_src(S, i, 0);
	if (!(u & (u - 1)))
		sel_op2(S, OP_v_lshlrev_b32, d, ir_i32(sel_log2(u)), x);
	else if (!((u - 1) & (u - 2)))
		sel_op3(S, OP_v_lshl_add_u32, d, x, ir_i32(sel_log2(u - 1)), x);
	else
		sel_op2(S, OP_v_sub_u32, d,
			sel_tmp2(S, OP_v_lshlrev_b32, ir_i32(sel_log2(u + 1)), x), x);
	return true;
}

void
sel_do_mul32(sel *S, ir_inst *i, const sel_row *r)
{
	sel_row u24 = *r;

	if (mul_constant(S, i))
		return;
	u24.valu = OP_v_mul_u32_u24;
	plain(S, i, both_24bit(S, i) ? &u24 : r);
}

static ir_opnd
low24(sel *S, ir_opnd o)
{
	return is_24bit(S, o) ? o : sel_tmp2(S, OP_s_and_b32, o, ir_i32(0xffffff));
}

void
sel_do_mul_u24(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i);

	if (sel_is_v(S, d))
		plain(S, i, r);
	else
		sel_op2(S, r->salu, d, low24(S, sel_src(S, i, 0)), low24(S, sel_src(S, i, 1)));
}

/* A product of 24-bit numbers plus c. */
static bool
mad24(sel *S, ir_inst *i, unsigned k)
{
	ir_inst *mul = sel_mine(S, i, k, G_mul32);
	ir_opnd d = sel_dst(S, i), args[4];

	if (!mul || !sel_is_v(S, d) || !sel_is_v(S, sel_dst(S, mul)) || !both_24bit(S, mul))
		return false;
	args[0] = d;
	fused_args(S, i, mul, k, "abc", args + 1);
	if (sel_cost(S, OP_v_mad_u32_u24, 4, args) > SCALAR_MOVES)
		return false;
	fused_take(S, i, mul, k, "abc", args + 1);
	sel_op(S, OP_v_mad_u32_u24, 4, args);
	return true;
}

void
sel_do_add32(sel *S, ir_inst *i, const sel_row *r)
{
	static const uint16_t shl_add[] = { OP_s_lshl1_add_u32, OP_s_lshl2_add_u32,
					    OP_s_lshl3_add_u32, OP_s_lshl4_add_u32 };
	ir_opnd d = sel_dst(S, i);

	if (mad24(S, i, 0) || mad24(S, i, 1))
		return;
	for (unsigned k = 0; k < 2 && !sel_is_v(S, d); k++) {
		ir_inst *shl = sel_mine(S, i, k, G_shl32);
		ir_opnd n = shl ? sel_peek(S, i, shl, 1) : d, a;

		if (!shl || !ir_is_imm(n) || n.imm < 1 || n.imm > 4)
			continue;
		sel_absorb(S, i, i, shl);
		a = sel_take(S, i, shl, 0);
		sel_op2(S, shl_add[n.imm - 1], d, a, sel_src(S, i, k ^ 1));
		return;
	}
	sel_do_alu(S, i, r);
}

/* Bytes come from registers: what a constant means as four of them no manual says. v_dot4_i32_iu8 takes those as signed
 * whose source is negated. */
void
sel_do_dot4(sel *S, ir_inst *i, const sel_row *r)
{
	p2a_inst m = { .op = (uint16_t)ir_dot_op(S->t, i->m.op), .nargs = 4, .arg = { sel_dst(S, i) } };

	(void)r;
	for (unsigned k = 0; k < 3; k++)
		m.arg[1 + k] = sel_src(S, i, k);
	for (unsigned k = 1; k <= 2; k++) {
		if (ir_is_imm(m.arg[k]))
			m.arg[k] = sel_to_v(S, m.arg[k]);
		if (m.op == OP_v_dot4_i32_iu8 && (k == 1 || i->m.op == G_dot4_s))
			m.arg[k].mods = P2A_NEG;
	}
	sel_inst(S, &m);
}

/* n - min(x, n) and x - min(x, n) are subtractions that stop at zero. */
static bool
saturating(sel *S, ir_inst *i)
{
	ir_inst *min = sel_mine(S, i, 1, G_min_u32);
	ir_opnd n = sel_peek(S, i, i, 0), d = sel_dst(S, i);
	p2a_inst m = { .op = OP_v_sub_u32, .nargs = 3, .clamp = 1 };
	bool of_n;

	if (!min || !ir_is_imm(sel_peek(S, i, min, 1)) || !sel_is_v(S, d) || !sel_is_v(S, sel_dst(S, min)))
		return false;
	of_n = ir_is_imm(n) && sel_imm(sel_peek(S, i, min, 1), n.imm);
	if (!of_n && !ir_same(n, sel_peek(S, i, min, 0)))
		return false;
	sel_absorb(S, i, i, min);
	m.arg[0] = d;
	m.arg[1] = sel_src(S, i, 0);
	m.arg[2] = sel_take(S, i, min, of_n ? 0 : 1);
	sel_inst(S, &m);
	return true;
}

void
sel_do_sub32(sel *S, ir_inst *i, const sel_row *r)
{
	if (!saturating(S, i))
		sel_do_alu(S, i, r);
}

/* ---- bit fields ---- */

/* Scalar bfe takes offset in bits 4:0 and width in bits 22:16 of one operand. */
static ir_opnd
field_operand(sel *S, ir_opnd off, ir_opnd width)
{
	ir_opnd w = width;

	if (ir_is_imm(off) && ir_is_imm(width))
		return ir_i32((uint32_t)(off.imm & 31) | (uint32_t)(width.imm & 31) << 16);
	if (sel_fact(S, off).hi > 0xffff)
		off = ir_is_imm(off) ? ir_i32((uint32_t)off.imm & 31)
				     : sel_tmp2(S, OP_s_and_b32, off, ir_i32(31));
	if (ir_is_imm(width))
		return sel_tmp2(S, OP_s_or_b32, off, ir_i32((uint32_t)(width.imm & 31) << 16));
	if (sel_fact(S, width).hi > 31)
		w = sel_tmp2(S, OP_s_and_b32, width, ir_i32(31));
	w = sel_tmp2(S, OP_s_lshl_b32, w, ir_i32(16));
	return sel_imm(off, 0) ? w : sel_tmp2(S, OP_s_or_b32, w, off);
}

void
sel_do_bfe(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), x, off;

	if (sel_is_v(S, d)) {
		plain(S, i, r);
		return;
	}
	x = sel_src(S, i, 0);
	off = sel_src(S, i, 1);
	sel_op2(S, r->salu, d, x, field_operand(S, off, sel_src(S, i, 2)));
}

static void
extract(sel *S, ir_opnd d, ir_opnd x, unsigned off, unsigned width, bool sext)
{
	if (sel_is_v(S, d))
		sel_op3(S, sext ? OP_v_bfe_i32 : OP_v_bfe_u32, d, x, ir_i32(off), ir_i32(width));
	else if (sext && !off && (width == 8 || width == 16))
		sel_op1(S, width == 8 ? OP_s_sext_i32_i8 : OP_s_sext_i32_i16, d, x);
	else
		sel_op2(S, sext ? OP_s_bfe_i32 : OP_s_bfe_u32, d, x, ir_i32(off | width << 16));
}

/* (x >> s) & (2^n - 1) */
static bool
masked_shift(sel *S, ir_inst *i)
{
	ir_inst *shr = sel_mine(S, i, 0, G_lshr32);
	ir_opnd m = sel_peek(S, i, i, 1), s;
	uint32_t mask = (uint32_t)m.imm;
	unsigned n;

	if (!shr || !ir_is_imm(m) || !mask || mask & (mask + 1) || mask == ~0u)
		return false;
	s = sel_peek(S, i, shr, 1);
	n = sel_log2(mask) + 1;
	if (!ir_is_imm(s) || (s.imm & 31) + n > 32 ||
	    sel_is_v(S, sel_dst(S, shr)) != sel_is_v(S, sel_dst(S, i)))
		return false;
	sel_absorb(S, i, i, shr);
	extract(S, sel_dst(S, i), sel_take(S, i, shr, 0), (unsigned)s.imm & 31, n, false);
	return true;
}

/* x & ~y = v_bfi(y, 0, x) */
static bool
and_not(sel *S, ir_inst *i, unsigned k)
{
	ir_inst *not = sel_mine(S, i, k, G_not32);
	ir_opnd args[4] = { sel_dst(S, i) };

	if (!not || !sel_is_v(S, args[0]) || !sel_is_v(S, sel_dst(S, not)))
		return false;
	sel_absorb(S, i, i, not);
	args[1] = sel_take(S, i, not, 0);
	args[2] = ir_i32(0);
	args[3] = sel_src(S, i, k ^ 1);
	sel_op(S, OP_v_bfi_b32, 4, args);
	return true;
}

void
sel_do_and32(sel *S, ir_inst *i, const sel_row *r)
{
	if (!masked_shift(S, i) && !and_not(S, i, 0) && !and_not(S, i, 1))
		sel_do_alu(S, i, r);
}

/* (x & m) | (y & ~m) with constant m: a select by mask. */
static bool
merge(sel *S, ir_inst *i)
{
	ir_inst *a = sel_mine(S, i, 0, G_and32), *b = sel_mine(S, i, 1, G_and32);
	ir_opnd ma, mb, x;

	if (!a || !b || a == b || !sel_is_v(S, sel_dst(S, i)) || !sel_is_v(S, sel_dst(S, a)) ||
	    !sel_is_v(S, sel_dst(S, b)))
		return false;
	ma = sel_peek(S, i, a, 1);
	mb = sel_peek(S, i, b, 1);
	if (!ir_is_imm(ma) || !ir_is_imm(mb) || (uint32_t)ma.imm != ~(uint32_t)mb.imm)
		return false;
	sel_absorb(S, i, i, a);
	sel_absorb(S, i, i, b);
	x = sel_take(S, i, a, 0);
	sel_op3(S, OP_v_bfi_b32, sel_dst(S, i), ma, x, sel_take(S, i, b, 0));
	return true;
}

/* Half of a scalar pack: source k of i, or half of what its definition `from` takes. */
typedef struct half {
	ir_inst *from;
	unsigned k;
	bool high;
} half;

static bool
half_by(sel *S, const ir_inst *i, half *h, unsigned gop, uint32_t c, bool high)
{
	ir_inst *d = sel_mine(S, i, h->k, gop);

	if (!d || !sel_imm(sel_peek(S, i, d, 1), (int32_t)c))
		return false;
	h->from = d;
	h->high = high;
	return true;
}

/* Source k as the low (high) half of a pack. exact: its other bits must be zero. */
static bool
find_half(sel *S, const ir_inst *i, unsigned k, bool upper, bool exact, half *h)
{
	ir_fact f = sel_source_fact(S, i, k);
	uint32_t other = upper ? 0xffff : 0xffff0000;

	*h = (half){ .k = k, .high = upper };
	if (half_by(S, i, h, G_and32, ~other, upper))
		return true;
	if (upper ? half_by(S, i, h, G_shl32, 16, false) : half_by(S, i, h, G_lshr32, 16, true))
		return true;
	return !exact || !(other & ~f.zero);
}

static ir_opnd
take_half(sel *S, ir_inst *i, const half *h)
{
	if (!h->from)
		return sel_scalar(S, sel_src(S, i, h->k));
	sel_absorb(S, i, i, h->from);
	return sel_scalar(S, sel_take(S, i, h->from, 0));
}

/* Two halves of scalar numbers in one instruction: sources low and high of i. */
static bool
scalar_pack(sel *S, ir_inst *i, unsigned low, unsigned high, bool exact)
{
	static const uint16_t op[2][2] = { { OP_s_pack_ll_b32_b16, OP_s_pack_lh_b32_b16 },
					   { OP_s_pack_hl_b32_b16, OP_s_pack_hh_b32_b16 } };
	half l, h;
	ir_opnd d = sel_dst(S, i), x;

	if (sel_is_v(S, d) || !find_half(S, i, low, false, exact, &l) ||
	    !find_half(S, i, high, true, exact, &h))
		return false;
	if (!isa_has(S->t, op[l.high][h.high]) || (exact && !l.from && !h.from))
		return false;
	x = take_half(S, i, &l);
	sel_op2(S, op[l.high][h.high], d, x, take_half(S, i, &h));
	return true;
}

void
sel_do_or32(sel *S, ir_inst *i, const sel_row *r)
{
	if (!merge(S, i) && !scalar_pack(S, i, 0, 1, true) && !scalar_pack(S, i, 1, 0, true))
		sel_do_alu(S, i, r);
}

/* (x << a) >> b with b >= a */
static bool
shift_pair(sel *S, ir_inst *i)
{
	ir_inst *shl = sel_mine(S, i, 0, G_shl32);
	ir_opnd a, b = sel_peek(S, i, i, 1);
	unsigned na, nb = (unsigned)b.imm & 31;

	if (!shl || !ir_is_imm(b) || sel_is_v(S, sel_dst(S, shl)) != sel_is_v(S, sel_dst(S, i)))
		return false;
	a = sel_peek(S, i, shl, 1);
	na = (unsigned)a.imm & 31;
	if (!ir_is_imm(a) || !na || nb < na)
		return false;
	sel_absorb(S, i, i, shl);
	extract(S, sel_dst(S, i), sel_take(S, i, shl, 0), nb - na, 32 - nb, i->m.op == G_ashr32);
	return true;
}

void
sel_do_shr32(sel *S, ir_inst *i, const sel_row *r)
{
	if (!shift_pair(S, i))
		sel_do_alu(S, i, r);
}

void
sel_do_popc(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a = sel_src(S, i, 0);

	if (sel_is_v(S, d))
		sel_op2(S, r->valu, d, a, ir_i32(0));
	else
		sel_op1(S, r->salu, d, a);
}

static bool
above(ir_opnd a, ir_opnd b, bool is_signed)
{
	return is_signed ? a.imm > b.imm : (uint32_t)a.imm > (uint32_t)b.imm;
}

/* min(max(x, lo), hi) with constants lo <= hi */
static bool
clamped(sel *S, ir_inst *i)
{
	static const uint16_t form[][3] = { { G_min_u32, G_max_u32, OP_v_med3_u32 },
					    { G_min_s32, G_max_s32, OP_v_med3_i32 },
					    { G_max_u32, G_min_u32, OP_v_med3_u32 },
					    { G_max_s32, G_min_s32, OP_v_med3_i32 } };

	for (unsigned k = 0; k < COUNT(form); k++) {
		ir_inst *in = form[k][0] == i->m.op ? sel_mine(S, i, 0, form[k][1]) : NULL;
		ir_opnd outer = sel_peek(S, i, i, 1), inner, args[4] = { sel_dst(S, i) };
		bool is_signed = form[k][2] == OP_v_med3_i32, min = k < 2;

		if (!in || !ir_is_imm(outer) || !sel_is_v(S, args[0]) ||
		    !sel_is_v(S, sel_dst(S, in)))
			continue;
		inner = sel_peek(S, i, in, 1);
		if (!ir_is_imm(inner) || above(inner, outer, is_signed) == min)
			continue;
		args[1] = sel_peek(S, i, in, 0);
		args[2] = min ? inner : outer;
		args[3] = min ? outer : inner;
		if (sel_cost(S, form[k][2], 4, args) > SCALAR_MOVES)
			continue;
		sel_absorb(S, i, i, in);
		args[1] = sel_take(S, i, in, 0);
		sel_op(S, form[k][2], 4, args);
		return true;
	}
	return false;
}

void
sel_do_minmax(sel *S, ir_inst *i, const sel_row *r)
{
	if (!clamped(S, i))
		sel_do_alu(S, i, r);
}

/* (mask & insert) | (~mask & base): one v_bfi_b32; scalar: up to three. */
void
sel_do_bitsel(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), m, x, y;

	if (sel_is_v(S, d)) {
		plain(S, i, r);
		return;
	}
	if ((sel_imm(sel_peek(S, i, i, 0), 0xffff) && scalar_pack(S, i, 1, 2, false)) ||
	    (sel_imm(sel_peek(S, i, i, 0), -0x10000) && scalar_pack(S, i, 2, 1, false)))
		return;
	m = sel_scalar(S, sel_src(S, i, 0));
	x = sel_src(S, i, 1);
	y = sel_src(S, i, 2);
	if (sel_imm(x, 0)) {
		sel_op2(S, OP_s_andn2_b32, d, y, m);
		return;
	}
	if (sel_imm(x, -1)) {
		sel_op2(S, OP_s_or_b32, d, y, m);
		return;
	}
	x = ir_is_imm(x) && ir_is_imm(m) ? ir_i32((uint32_t)(x.imm & m.imm)) : sel_tmp2(S, OP_s_and_b32, x, m);
	y = ir_is_imm(m) ? sel_tmp2(S, OP_s_and_b32, y, ir_i32(~(uint32_t)m.imm))
			 : sel_tmp2(S, OP_s_andn2_b32, y, m);
	sel_op2(S, OP_s_or_b32, d, x, y);
}

/* Scalar funnel shift: on the 64-bit number high:low. */
void
sel_do_alignbit(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), hi, lo, n, w, s;

	if (sel_is_v(S, d)) {
		plain(S, i, r);
		return;
	}
	hi = sel_src(S, i, 0);
	lo = sel_src(S, i, 1);
	n = sel_src(S, i, 2);
	if (!ir_is_imm(n) && sel_fact(S, n).hi > 31)
		n = sel_tmp2(S, OP_s_and_b32, n, ir_i32(31));
	else if (ir_is_imm(n))
		n = ir_i32(n.imm & 31);
	w = sel_new(S, IR_BANK_S, 2);
	sel_copy(S, ir_part(w, 0, 1), sel_scalar(S, lo));
	sel_copy(S, ir_part(w, 1, 1), sel_scalar(S, hi));
	s = sel_new(S, IR_BANK_S, 2);
	sel_op2(S, r->salu, s, w, n);
	sel_copy(S, d, ir_part(s, 0, 1));
}
