/* select_wide.c -- 64-bit operations by halves, packing and unpacking, carry chains.
 * Needs select.def's rows; leaves instructions that write the dwords of one value, low first. */
#include "pass/select.h"

static bool
in_v(const sel *S, const ir_inst *i)
{
	return sel_is_v(S, sel_dst(S, i));
}

/* ---- bitwise ---- */

/* One dword of a bitwise operation; constants 0 and ~0 need no instruction but a copy. */
static void
bitwise(sel *S, unsigned gop, unsigned op, ir_opnd d, ir_opnd a, ir_opnd b)
{
	bool zero = sel_imm(b, 0), ones = sel_imm(b, -1);

	if (gop == G_not64)
		sel_op1(S, op, d, a);
	else if (gop == G_and64 ? ones : zero)
		sel_copy(S, d, a);
	else if (gop != G_xor64 && (zero || ones))
		sel_copy(S, d, b);
	else
		sel_op2(S, op, d, a, b);
}

static void
by_halves(sel *S, ir_inst *i, unsigned op)
{
	ir_opnd d = sel_dst(S, i), a[2], b[2] = { { 0 }, { 0 } };

	sel_dwords(S, i, sel_src(S, i, 0), a);
	if (i->m.op != G_not64)
		sel_dwords(S, i, sel_src(S, i, 1), b);
	for (unsigned h = 0; h < 2; h++) {
		if (ir_is_imm(a[h]) && i->m.op != G_not64)
			bitwise(S, i->m.op, op, ir_part(d, h, 1), b[h], a[h]);
		else
			bitwise(S, i->m.op, op, ir_part(d, h, 1), a[h], b[h]);
	}
}

static unsigned
half_of(unsigned salu64)
{
	switch (salu64) {
	case OP_s_and_b64: return OP_s_and_b32;
	case OP_s_or_b64: return OP_s_or_b32;
	case OP_s_xor_b64: return OP_s_xor_b32;
	default: return OP_s_not_b32;
	}
}

/* A 64-bit constant that the scalar instruction cannot hold is better taken by halves, but for a run of ones, which one
 * instruction makes for all that use it. */
static bool
wide_constant(const sel *S, unsigned op, ir_opnd c)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = 3, .arg = { P2A_SN(0, 2), P2A_SN(2, 2), c } };

	return ir_is_imm(c) && !sel_is_run((uint64_t)c.imm) && m.nargs == isa_table[op].nargs && p2a_check(S->t, &m);
}

/* ~(-1 << width) on the scalar unit. */
static bool
low_mask(sel *S, ir_inst *not)
{
	ir_inst *shl = sel_mine(S, not, 0, G_shl64);

	if (not->m.op != G_not64 || in_v(S, not) || !shl || !sel_imm(sel_peek(S, not, shl, 0), -1))
		return false;
	sel_absorb(S, not, not, shl);
	sel_op2(S, OP_s_bfm_b64, sel_dst(S, not), sel_take(S, not, shl, 1), ir_i32(0));
	return true;
}

void
sel_do_half(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd args[3] = { sel_dst(S, i) };

	if (in_v(S, i)) {
		by_halves(S, i, r->valu);
		return;
	}
	if (low_mask(S, i))
		return;
	/* Before anything is taken in: the constant would be loaded for that. */
	if (wide_constant(S, r->salu, i->m.arg[1]) ||
	    (i->m.nargs > 2 && wide_constant(S, r->salu, i->m.arg[2]))) {
		by_halves(S, i, half_of(r->salu));
		return;
	}
	if (sel_fuse(S, i))
		return;
	for (unsigned k = 1; k < i->m.nargs; k++)
		args[k] = sel_src(S, i, k - 1);
	sel_op(S, r->salu, i->m.nargs, args);
}

/* ---- packing ---- */

/* A dword that may hold anything is not written. */
void
sel_do_pack(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i);

	(void)r;
	for (unsigned k = 0; k < d.width; k++) {
		const ir_inst *from = sel_def(S, sel_peek(S, i, i, k));

		if (from && from->m.op == G_undef32)
			ir_m(&S->B, P_undef, 1, ir_part(d, k, 1));
		else
			sel_copy(S, ir_part(d, k, 1), sel_src(S, i, k));
	}
}

/* lo32(x >> n) with x used for nothing else */
static bool
funnel(sel *S, ir_inst *i)
{
	ir_inst *shr = sel_mine(S, i, 0, G_lshr64);
	ir_opnd d = sel_dst(S, i), x[2], n;

	if (!shr)
		shr = sel_mine(S, i, 0, G_ashr64);
	if (!shr || i->m.op != G_lo32 || !sel_is_v(S, d) || !sel_is_v(S, sel_dst(S, shr)) ||
	    !ir_is_imm(shr->m.arg[2]))
		return false;
	n = ir_i32((uint32_t)shr->m.arg[2].imm & 63);
	sel_absorb(S, i, i, shr);
	sel_dwords(S, i, sel_take(S, i, shr, 0), x);
	if (n.imm < 32)
		sel_op3(S, OP_v_alignbit_b32, d, x[1], x[0], n);
	else
		sel_op2(S, shr->m.op == G_lshr64 ? OP_v_lshrrev_b32 : OP_v_ashrrev_i32, d,
			ir_i32((uint32_t)n.imm - 32), x[1]);
	return true;
}

void
sel_do_word(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd x[4];
	unsigned k = i->m.op == G_hi32 ? 1 : i->m.op == G_word ? (unsigned)i->m.arg[2].imm : 0;

	(void)r;
	if (funnel(S, i))
		return;
	sel_dwords(S, i, sel_src(S, i, 0), x);
	sel_copy(S, sel_dst(S, i), x[k]);
}

void
sel_do_copy(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a = sel_src(S, i, 0);

	(void)r;
	if (S->f->vals.a[d.reg].is_mask)
		a = sel_mask_of(S, a);
	else if (i->m.op == G_copy1 && ir_is_imm(a))
		a = ir_i32(a.imm & 1);
	sel_copy(S, d, a);
}

void
sel_do_undef(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i);

	(void)r;
	ir_m(&S->B, P_undef, 1, d);
}

/* ---- shifts ---- */

/* Vector shifts by 32 or more move one half; the other becomes zero or sign. */
static void
shift_far(sel *S, ir_inst *i, const ir_opnd x[2], unsigned n)
{
	ir_opnd d = sel_dst(S, i), far = ir_part(d, i->m.op == G_shl64, 1),
		near = ir_part(d, i->m.op != G_shl64, 1);
	unsigned op = i->m.op == G_shl64    ? OP_v_lshlrev_b32
		      : i->m.op == G_lshr64 ? OP_v_lshrrev_b32
					    : OP_v_ashrrev_i32;
	ir_opnd from = x[i->m.op != G_shl64], fill = ir_i32(0);

	if (i->m.op == G_shl64)
		sel_copy(S, near, fill);
	if (n)
		sel_op2(S, op, far, ir_i32(n), from);
	else
		sel_copy(S, far, from);
	if (i->m.op == G_lshr64)
		sel_copy(S, near, fill);
	else if (i->m.op == G_ashr64)
		sel_op2(S, op, near, ir_i32(31), from);
}

/* A dword that is zero-extended, shifted left by 1 to 31: each half is one shift. */
static void
shift_zext(sel *S, ir_opnd d, ir_opnd x, unsigned n)
{
	sel_op2(S, OP_v_lshlrev_b32, ir_part(d, 0, 1), ir_i32(n), x);
	sel_op2(S, OP_v_lshrrev_b32, ir_part(d, 1, 1), ir_i32(32 - n), x);
}

/* ~(-1 << width) << offset on the scalar unit. */
static bool
field_mask(sel *S, ir_inst *i)
{
	ir_inst *not = sel_mine(S, i, 0, G_not64),
		*shl = not ? sel_match(S, i, not, 0, G_shl64) : NULL;
	ir_opnd width;

	if (i->m.op != G_shl64 || in_v(S, i) || !shl || !sel_imm(sel_peek(S, i, shl, 0), -1))
		return false;
	sel_absorb(S, i, i, not);
	sel_absorb(S, i, not, shl);
	width = sel_take(S, i, shl, 1);
	sel_op2(S, OP_s_bfm_b64, sel_dst(S, i), width, sel_src(S, i, 1));
	return true;
}

void
sel_do_shift64(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a, n, x[2];
	unsigned c;

	if (field_mask(S, i))
		return;
	a = sel_src(S, i, 0);
	n = sel_src(S, i, 1);
	c = (unsigned)n.imm & 63;
	if (!in_v(S, i)) {
		if (i->m.op == G_shl64 && ir_is_imm(a) && a.imm > 0 && !((uint64_t)a.imm & ((uint64_t)a.imm + 1)))
			sel_op2(S, OP_s_bfm_b64, d, ir_i32(count_ones((uint64_t)a.imm)), n);
		else
			sel_op2(S, r->salu, d, a, n);
		return;
	}
	/* Who takes the dwords of a may not read a itself after that: it may be gone. */
	if (ir_is_imm(n) && !c) {
		sel_copy(S, d, a);
	} else if (ir_is_imm(n) && c >= 32) {
		sel_dwords(S, i, a, x);
		shift_far(S, i, x, c - 32);
	} else if (ir_is_imm(n) && i->m.op == G_shl64 && sel_high_zero(S, i, a)) {
		sel_dwords(S, i, a, x);
		shift_zext(S, d, x[0], c);
	} else {
		sel_op2(S, r->valu, d, n, a);
	}
}

/* A shift right by a constant that moves no bits of the number out at the top; *off: by how much. */
static ir_inst *
shifted_number(sel *S, ir_inst *i, unsigned width, unsigned *off)
{
	ir_inst *shr = sel_mine(S, i, 0, G_ashr64);

	if (!shr)
		shr = sel_mine(S, i, 0, G_lshr64);
	if (!shr || !ir_is_imm(shr->m.arg[2]))
		return NULL;
	*off = (unsigned)shr->m.arg[2].imm & 63;
	return *off + width <= 64 ? shr : NULL;
}

void
sel_do_sext64(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), width = sel_peek(S, i, i, 1), x, t, by;
	unsigned w = (unsigned)width.imm & 63, off = 0, v = in_v(S, i);
	ir_inst *shr = ir_is_imm(width) && w && !v ? shifted_number(S, i, w, &off) : NULL;

	if (shr)
		sel_absorb(S, i, i, shr);
	x = shr ? sel_take(S, i, shr, 0) : sel_src(S, i, 0);
	width = sel_src(S, i, 1);
	if (ir_is_imm(width) && !w) {
		sel_copy(S, d, x);
		return;
	}
	if (ir_is_imm(width) && !v) {
		sel_op2(S, r->salu, d, x, ir_i32(off | w << 16));
		return;
	}
	t = sel_new(S, v ? IR_BANK_V : IR_BANK_S, 2);
	by = ir_is_imm(width) ? ir_i32(64 - w) : sel_tmp2(S, v ? OP_v_sub_u32 : OP_s_sub_u32, ir_i32(64), width);
	if (v) {
		sel_op2(S, OP_v_lshlrev_b64, t, by, x);
		sel_op2(S, r->valu, d, by, t);
	} else {
		sel_op2(S, OP_s_lshl_b64, t, x, by);
		sel_op2(S, OP_s_ashr_i64, d, t, by);
	}
}

/* ---- addition and multiplication ---- */

/* The two carry instructions of a vector or scalar 64-bit addition (subtraction). */
static void
add_halves(sel *S, ir_opnd d, const ir_opnd a[2], const ir_opnd b[2], bool sub, bool v)
{
	ir_opnd vcc = sel_vcc(S);

	sel_group(S);
	if (v) {
		sel_op(S, sub ? OP_v_sub_co_u32 : OP_v_add_co_u32, 4,
		       (ir_opnd[]){ ir_part(d, 0, 1), vcc, a[0], b[0] });
		sel_op(S, sub ? OP_v_subb_co_u32 : OP_v_addc_co_u32, 5,
		       (ir_opnd[]){ ir_part(d, 1, 1), vcc, a[1], b[1], vcc });
	} else {
		sel_op2(S, sub ? OP_s_sub_u32 : OP_s_add_u32, ir_part(d, 0, 1), a[0], b[0]);
		sel_op2(S, sub ? OP_s_subb_u32 : OP_s_addc_u32, ir_part(d, 1, 1), a[1], b[1]);
	}
	sel_end(S);
}

/* product + c */
static bool
mad64(sel *S, ir_inst *i, unsigned k)
{
	static const uint16_t op[][2] = { { G_mulw_u32, OP_v_mad_u64_u32 },
					  { G_mulw_s32, OP_v_mad_i64_i32 } };
	ir_opnd d = sel_dst(S, i), args[5];

	for (unsigned n = 0; n < 2; n++) {
		ir_inst *mul = sel_mine(S, i, k, op[n][0]);

		if (!mul || !in_v(S, i) || !in_v(S, mul))
			continue;
		sel_absorb(S, i, i, mul);
		args[0] = d;
		args[1] = sel_vcc(S);
		args[2] = sel_take(S, i, mul, 0);
		args[3] = sel_take(S, i, mul, 1);
		args[4] = sel_src(S, i, k ^ 1);
		sel_op(S, op[n][1], 5, args);
		return true;
	}
	return false;
}

/* One instruction where the chip has it. */
static bool
add_whole(sel *S, ir_opnd d, ir_opnd a, ir_opnd b, bool sub)
{
	unsigned op = sub ? OP_s_sub_nc_u64 : OP_s_add_nc_u64;

	if (!sel_is_v(S, d) && isa_has(S->t, op) && !wide_constant(S, op, a) &&
	    !wide_constant(S, op, b))
		sel_op2(S, op, d, a, b);
	else if (sel_is_v(S, d) && !sub && isa_has(S->t, OP_v_lshl_add_u64))
		sel_op3(S, OP_v_lshl_add_u64, d, a, ir_i32(0), b);
	else
		return false;
	return true;
}

void
sel_do_add64(sel *S, ir_inst *i, const sel_row *r)
{
	bool sub = i->m.op == G_sub64;
	ir_opnd d = sel_dst(S, i), a, b, x[2], y[2];

	(void)r;
	if (!sub && (mad64(S, i, 0) || mad64(S, i, 1)))
		return;
	a = sel_src(S, i, 0);
	b = sel_src(S, i, 1);
	if (add_whole(S, d, a, b, sub))
		return;
	sel_dwords(S, i, a, x);
	sel_dwords(S, i, b, y);
	add_halves(S, d, x, y, sub, in_v(S, i));
}

void
sel_add64(sel *S, ir_opnd d, ir_opnd a, ir_opnd b)
{
	ir_opnd x[2] = { ir_part(a, 0, 1), ir_part(a, 1, 1) },
		y[2] = { ir_part(b, 0, 1), ir_part(b, 1, 1) };

	if (!add_whole(S, d, a, b, false))
		add_halves(S, d, x, y, false, sel_is_v(S, d));
}

/* 32 x 32 -> 64 by a power of two: two shifts. */
static bool
mulw_shift(sel *S, ir_inst *i)
{
	ir_opnd d = sel_dst(S, i), c = sel_peek(S, i, i, 1), x;
	uint32_t u = (uint32_t)c.imm;
	unsigned n = sel_log2(u);

	if (!ir_is_imm(c) || u < 2 || u & (u - 1) || (i->m.op == G_mulw_s32 && u >> 31))
		return false;
	x = sel_src(S, i, 0);
	sel_op2(S, OP_v_lshlrev_b32, ir_part(d, 0, 1), ir_i32(n), x);
	sel_op2(S, i->m.op == G_mulw_s32 ? OP_v_ashrrev_i32 : OP_v_lshrrev_b32, ir_part(d, 1, 1),
		ir_i32(32 - n), x);
	return true;
}

void
sel_do_mulw(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a, b;

	if (in_v(S, i) && mulw_shift(S, i))
		return;
	a = sel_src(S, i, 0);
	b = sel_src(S, i, 1);
	if (in_v(S, i)) {
		sel_op(S, r->valu, 5, (ir_opnd[]){ d, sel_vcc(S), a, b, ir_i64(0) });
		return;
	}
	a = sel_scalar(S, a);
	b = sel_scalar(S, b);
	sel_op2(S, OP_s_mul_i32, ir_part(d, 0, 1), a, b);
	sel_op2(S, r->salu, ir_part(d, 1, 1), a, b);
}

/* high dword: hi(a0 b0) + a0 b1 + a1 b0; products with a half that is zero drop out. */
static void
mul64_vector(sel *S, ir_opnd d, const ir_opnd a[2], const ir_opnd b[2])
{
	ir_opnd t = sel_new(S, IR_BANK_V, 2), hi = ir_part(t, 1, 1), cross[2];
	unsigned n = 0;

	if (!sel_imm(b[1], 0))
		cross[n++] = sel_tmp2(S, OP_v_mul_lo_u32, a[0], b[1]);
	if (!sel_imm(a[1], 0))
		cross[n++] = sel_tmp2(S, OP_v_mul_lo_u32, a[1], b[0]);
	sel_op(S, OP_v_mad_u64_u32, 5, (ir_opnd[]){ n ? t : d, sel_vcc(S), a[0], b[0], ir_i64(0) });
	if (!n)
		return;
	sel_copy(S, ir_part(d, 0, 1), ir_part(t, 0, 1));
	if (n == 2)
		sel_op3(S, OP_v_add3_u32, ir_part(d, 1, 1), hi, cross[0], cross[1]);
	else
		sel_op2(S, OP_v_add_u32, ir_part(d, 1, 1), hi, cross[0]);
}

static void
mul64_scalar(sel *S, ir_opnd d, const ir_opnd a[2], const ir_opnd b[2])
{
	ir_opnd sum = sel_tmp2(S, OP_s_mul_hi_u32, a[0], b[0]);

	if (!sel_imm(b[1], 0))
		sum = sel_tmp2(S, OP_s_add_u32, sum, sel_tmp2(S, OP_s_mul_i32, a[0], b[1]));
	if (!sel_imm(a[1], 0))
		sum = sel_tmp2(S, OP_s_add_u32, sum, sel_tmp2(S, OP_s_mul_i32, a[1], b[0]));
	sel_op2(S, OP_s_mul_i32, ir_part(d, 0, 1), a[0], b[0]);
	sel_copy(S, ir_part(d, 1, 1), sum);
}

void
sel_do_mul64(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i), a = sel_src(S, i, 0), b = sel_src(S, i, 1), x[2], y[2];

	(void)r;
	if (!in_v(S, i) && isa_has(S->t, OP_s_mul_u64)) {
		sel_op2(S, OP_s_mul_u64, d, a, b);
		return;
	}
	sel_dwords(S, i, a, x);
	sel_dwords(S, i, b, y);
	if (in_v(S, i)) {
		mul64_vector(S, d, x, y);
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		x[k] = sel_scalar(S, x[k]);
		y[k] = sel_scalar(S, y[k]);
	}
	mul64_scalar(S, d, x, y);
}

/* ---- carry chains ---- */

static unsigned
twin_op(unsigned op)
{
	switch (op) {
	case G_addc32: return G_addc_out32;
	case G_addc_out32: return G_addc32;
	case G_subb32: return G_subb_out32;
	default: return G_subb32;
	}
}

/* Sum and carry of the same sources come from one instruction: the later of the two leaves
 * itself to the earlier. */
static bool
leave_to_twin(sel *S, ir_inst *i)
{
	unsigned want = twin_op(i->m.op);

	for (ir_inst *j = i->prev; j; j = j->prev) {
		if (j->m.op != want || !ir_same(j->m.arg[1], i->m.arg[1]) ||
		    !ir_same(j->m.arg[2], i->m.arg[2]) || !ir_same(j->m.arg[3], i->m.arg[3]) ||
		    S->twin[j->m.arg[0].reg])
			continue;
		S->twin[j->m.arg[0].reg] = i;
		for (unsigned k = 1; k < 4; k++)
			if (ir_is_val(i->m.arg[k]))
				S->f->vals.a[i->m.arg[k].reg].nuses--;
		return true;
	}
	return false;
}

static void
carry_vector(sel *S, ir_inst *i, ir_opnd d, ir_opnd out, bool sub)
{
	ir_opnd a = sel_src(S, i, 0), b = sel_src(S, i, 1), in = sel_src(S, i, 2);

	if (ir_is_imm(in) && !(in.imm & 1)) {
		sel_op(S, sub ? OP_v_sub_co_u32 : OP_v_add_co_u32, 4, (ir_opnd[]){ d, out, a, b });
		return;
	}
	in = sel_to_s(S, sel_mask_of(S, in));
	sel_op(S, sub ? OP_v_subb_co_u32 : OP_v_addc_co_u32, 5, (ir_opnd[]){ d, out, a, b, in });
}

static void
carry_scalar(sel *S, ir_inst *i, ir_opnd d, ir_opnd out, bool sub)
{
	ir_opnd a = sel_scalar(S, sel_src(S, i, 0)), b = sel_scalar(S, sel_src(S, i, 1)),
		in = sel_src(S, i, 2);

	if (ir_is_imm(in) && !(in.imm & 1)) {
		sel_group(S);
		sel_op2(S, sub ? OP_s_sub_u32 : OP_s_add_u32, d, a, b);
	} else {
		in = sel_to_s(S, ir_is_imm(in) ? ir_i32(1) : in);
		sel_group(S);
		sel_cmp(S, OP_s_cmp_lg_u32, in, ir_i32(0));
		sel_op2(S, sub ? OP_s_subb_u32 : OP_s_addc_u32, d, a, b);
	}
	if (out.kind)
		sel_op2(S, OP_s_cselect_b32, out, ir_i32(1), ir_i32(0));
	sel_end(S);
}

void
sel_do_carry(sel *S, ir_inst *i, const sel_row *r)
{
	ir_inst *twin = S->twin[i->m.arg[0].reg];
	bool sums = i->m.op == G_addc32 || i->m.op == G_subb32,
	     sub = i->m.op == G_subb32 || i->m.op == G_subb_out32;
	bool v = sums ? in_v(S, i) : S->f->vals.a[i->m.arg[0].reg].is_mask;
	ir_opnd d = { 0 }, out = { 0 };

	(void)r;
	if (!twin && leave_to_twin(S, i))
		return;
	if (sums || twin)
		d = sel_dst(S, sums ? i : twin);
	else
		d = sel_new(S, v ? IR_BANK_V : IR_BANK_S, 1);
	if (!sums || twin)
		out = sel_dst(S, sums ? twin : i);
	if (v)
		carry_vector(S, i, d, out.kind ? out : sel_vcc(S), sub);
	else
		carry_scalar(S, i, d, out, sub);
}
