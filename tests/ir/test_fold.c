/* test_fold.c -- what p_fold makes of small expressions: each row a builder and the expression
 * left, written with x, y (dwords), d, e (64 bits), b (a byte), t (below 32), p, q (booleans); both
 * must have the same value whatever these are. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

enum { X, Y, BYTE, SMALL, D, E, P, Q, NLEAVES };
static const char leaf_name[] = "xybtdepq";

typedef struct leaves { kit *k; ir_builder *B; ir_opnd v[NLEAVES]; } leaves;

static ir_opnd
leaf_load(kit *k, unsigned n, unsigned bytes)
{
	ir_opnd dst = kit_reg(k, (bytes + 3) / 4), a = ir_i32(16 * n);

	ir_gen_to(&k->B, dst, G_load, 1, &a);
	ir_last(&k->B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = (uint8_t)bytes, .vol = 1 };
	return dst;
}

/* The small number is made so that folding finds it: volatile byte & 31 would be looked through. */
static void
open_leaves(leaves *l, kit *k)
{
	*l = (leaves){ .k = k, .B = &k->B };
	for (unsigned n = 0; n <= Y; n++)
		l->v[n] = leaf_load(k, n, 4);
	l->v[BYTE] = leaf_load(k, BYTE, 1);
	l->v[SMALL] = ir_g0(&k->B, G_special);
	ir_last(&k->B)->m.offset = IR_LANEID;
	l->v[D] = leaf_load(k, D, 8);
	l->v[E] = leaf_load(k, E, 8);
	for (unsigned n = P; n < NLEAVES; n++)
		l->v[n] = ir_icmp(&k->B, 32, IR_NE, leaf_load(k, n, 4), ir_i32(77));
}

/* Leaves by what they load; booleans are comparisons with 77. */
static char
leaf_of(const ir_inst *i)
{
	if (i->m.op == G_special)
		return leaf_name[SMALL];
	if (i->m.op == G_load && i->mem.vol)
		return leaf_name[i->m.arg[1].imm / 16];
	return 0;
}

static void
put_expr(const ir_func *f, ir_opnd o, buf *out, unsigned depth)
{
	const ir_inst *i = ir_is_val(o) ? f->vals.a[o.reg].def : NULL;
	bool named = i && (i->m.op == G_icmp32 || i->m.op == G_icmp64 || i->m.op == G_fcmp32);
	static const char *const cc[] = { "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi",
		"hs",
		"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };

	if (o.mods & P2A_NEG)
		buf_put(out, "-", 1);
	if (!i) {
		buf_printf(out, o.imm > -4096 && o.imm < 4096 ? "%lld" : "0x%llx",
		           o.width == 1 && (o.imm <= -4096 || o.imm >= 4096)
			? (long long)(uint32_t)o.imm : (long long)o.imm);
		return;
	}
	if (leaf_of(i) && i->m.op != G_icmp32) {
		buf_printf(out, "%c", leaf_of(i));
		return;
	}
	if (i->m.op == G_icmp32 && ir_is_imm(i->m.arg[2]) && i->m.arg[2].imm == 77 &&
		i->cc == IR_NE) {
		put_expr(f, i->m.arg[1], out, depth + 1);
		return;
	}
	buf_printf(out, "%s%s%s(", ir_op_name(f, i->m.op), named ? "." : "", named ? cc[i->cc]
		: "");
	for (unsigned k = i->ndefs; k < i->m.nargs && depth < 8; k++) {
		buf_put(out, ", ", k > i->ndefs ? 2 : 0);
		put_expr(f, i->m.arg[k], out, depth + 1);
	}
	buf_printf(out, ")");
	if (i->m.offset)
		buf_printf(out, "%+d", i->m.offset);
}

#define C(n) ir_i32((uint32_t)(n))
#define L(n) ir_i64((uint64_t)(n))
#define x (l->v[X])
#define y (l->v[Y])
#define b (l->v[BYTE])
#define t (l->v[SMALL])
#define d (l->v[D])
#define e (l->v[E])
#define p (l->v[P])
#define q (l->v[Q])
#define G1(op, a1) ir_g1(l->B, G_##op, a1)
#define G2(op, a1, a2) ir_g2(l->B, G_##op, a1, a2)
#define G3(op, a1, a2, a3) ir_g3(l->B, G_##op, a1, a2, a3)
#define G4(op, a1, a2, a3, a4) ir_g4(l->B, G_##op, a1, a2, a3, a4)
#define CMP(bits, cc, a1, a2) ir_icmp(l->B, bits, IR_##cc, a1, a2)
#define ZEXT(a1) G2(pack64, a1, C(0))
#define SEXT(a1) G2(pack64, a1, G2(ashr32, a1, C(31)))

static ir_opnd
fcmp(leaves *l, unsigned cc, ir_opnd a1, ir_opnd a2)
{
	ir_opnd r = ir_g2(l->B, G_fcmp32, a1, a2);

	ir_last(l->B)->cc = (uint8_t)cc;
	return r;
}

static ir_opnd
load_from(leaves *l, unsigned space, ir_opnd at)
{
	ir_opnd dst = kit_reg(l->k, 1);

	ir_gen_to(l->B, dst, G_load, 1, &at);
	ir_last(l->B)->mem = (ir_mem){ .space = (uint8_t)space, .bytes = 4 };
	return dst;
}

static ir_opnd
nvidia(leaves *l, ir_opnd r)
{
	ir_last(l->B)->sem = P2A_SEM_NVIDIA;
	return r;
}

/* A value that is compared and read. */
static ir_opnd
compared(leaves *l, ir_opnd s, ir_opnd k, ir_opnd other)
{
	return ir_g3(l->B, G_sel32, ir_icmp(l->B, 32, IR_EQ, s, k), other, s);
}

/* ROW(name, expression, what is left) */
#define ROWS \
	ROW(add_0, G2(add32, x, C(0)), "x") \
	ROW(constants_go_right, G2(add32, C(5), x), "add32(x, 5)") \
	ROW(sub_const_is_add, G2(sub32, x, C(5)), "add32(x, -5)") \
	ROW(add_chain, G2(add32, G2(add32, x, C(5)), C(7)), "add32(x, 12)") \
	ROW(const_minus_sum, G2(sub32, C(9), G2(add32, x, C(5))), "sub32(4, x)") \
	ROW(const_minus_difference, G2(sub32, C(9), G2(sub32, C(5), x)), "add32(x, 4)") \
	ROW(constant_moves_out, G2(add32, G2(add32, x, C(5)), y), "add32(add32(x, y), 5)") \
	ROW(constant_moves_out_64, G2(add64, d, G2(add64, e, L(8))), "add64(add64(d, e), 8)") \
	ROW(sub_add, G2(add32, G2(sub32, x, y), y), "x") \
	ROW(add_sub, G2(sub32, G2(add32, x, y), x), "y") \
	ROW(add_negated, G2(add32, x, G2(sub32, C(0), y)), "sub32(x, y)") \
	ROW(sub_negated, G2(sub32, x, G2(sub32, C(0), y)), "add32(x, y)") \
	ROW(twice, G2(add32, x, x), "shl32(x, 1)") \
	ROW(sub_self, G2(sub64, d, d), "0") \
	ROW(xor_self, G2(xor32, x, x), "0") \
	ROW(and_self, G2(and64, d, d), "d") \
	ROW(mul_power, G2(mul32, x, C(8)), "shl32(x, 3)") \
	ROW(mul_0, G2(mul32, x, C(0)), "0") \
	ROW(mul_minus_1, G2(mul64, d, L(-1)), "sub64(0, d)") \
	ROW(mul_chain, G2(mul32, G2(mul32, x, C(3)), C(5)), "mul32(x, 15)") \
	ROW(mul_of_shift, G2(mul32, G2(shl32, x, C(2)), C(5)), "mul32(x, 20)") \
	ROW(wide_unsigned_power, G2(mulw_u32, x, C(4)), "shl64(pack64(x, 0), 2)") \
	ROW(wide_signed_power, G2(mulw_s32, x, C(4)), "shl64(pack64(x, ashr32(x, 31)), 2)") \
	ROW(wide_signed_of_byte, G2(mulw_s32, b, C(4)), "pack64(shl32(b, 2), 0)") \
	ROW(wide_not_negative, G2(mulw_s32, G2(lshr32, x, C(1)), G2(lshr32, y, C(1))), "mulw_u32(lshr32(y, 1), lshr32(x, 1))") \
	ROW(wide_signed_2_31, G2(mulw_s32, x, C(INT32_MIN)), "mulw_s32(x, 0x80000000)") \
	ROW(mul64_of_zext, G2(mul64, ZEXT(x), ZEXT(y)), "mulw_u32(x, y)") \
	ROW(mul64_of_sext, G2(mul64, SEXT(x), L(-3)), "mulw_s32(x, -3)") \
	ROW(mul64_of_both, G2(mul64, SEXT(x), ZEXT(y)), "mul64(pack64(y, 0), pack64(x, ashr32(x, 31)))") \
	ROW(mul64_of_small, G2(mul64, SEXT(x), ZEXT(b)), "mulw_s32(x, b)") \
	ROW(min_by_facts, G2(min_u32, b, C(300)), "b") \
	ROW(min_of_count, G2(min_u32, t, C(31)), "t") \
	ROW(min_of_rest, G2(min_u32, G2(sub32, b, G2(min_u32, b, C(9))), C(246)), "sub32(b, min_u32(b, 9))") \
	ROW(min_chain, G2(min_u32, G2(min_u32, x, C(20)), C(10)), "min_u32(x, 10)") \
	ROW(max_signed, G2(max_s32, b, C(-5)), "b") \
	ROW(not_not, G1(not1, G1(not1, p)), "p") \
	ROW(not_icmp, G1(not1, CMP(32, LT, x, y)), "icmp32.ge(x, y)") \
	ROW(not_fcmp, G1(not1, fcmp(l, IR_LT, x, y)), "fcmp32.geu(x, y)") \
	ROW(not_fcmp_unordered, G1(not1, fcmp(l, IR_NEU, x, y)), "fcmp32.eq(x, y)") \
	ROW(fcmp_self, fcmp(l, IR_NEU, x, x), "fcmp32.nan(x, x)") \
	ROW(xor_true, G2(xor1, fcmp(l, IR_EQ, x, y), ir_i1(1)), "fcmp32.neu(x, y)") \
	ROW(and_or, G2(and1, p, G2(or1, p, q)), "p") \
	ROW(or_and, G2(or32, G2(and32, x, y), y), "y") \
	ROW(and_not, G2(and1, p, G1(not1, p)), "0") \
	ROW(cmp_order, CMP(32, LT, C(5), x), "icmp32.gt(x, 5)") \
	ROW(cmp_order_unsigned, CMP(32, LO, C(5), x), "icmp32.hi(x, 5)") \
	ROW(cmp_order_equal, CMP(32, HS, C(5), x), "icmp32.ls(x, 5)") \
	ROW(cmp_self, CMP(64, LE, d, d), "1") \
	ROW(cmp_by_facts, CMP(32, LO, b, C(256)), "1") \
	ROW(cmp_unsigned, CMP(32, LT, b, C(7)), "icmp32.lo(b, 7)") \
	ROW(cmp_below_1, CMP(32, LO, x, C(1)), "icmp32.eq(x, 0)") \
	ROW(cmp_difference, CMP(32, NE, G2(sub32, x, y), C(0)), "icmp32.ne(x, y)") \
	ROW(cmp_sum, CMP(32, EQ, G2(add32, x, C(3)), C(10)), "icmp32.eq(x, 7)") \
	ROW(cmp_sum_read, compared(l, G2(add32, x, C(3)), C(10), x), "sel32(icmp32.eq(add32(x, 3), 10), x, add32(x, 3))") \
	ROW(cmp_difference_const, CMP(32, NE, G2(sub32, C(3), x), C(10)), "icmp32.ne(x, -7)") \
	ROW(cmp_xor, CMP(32, NE, G2(xor32, x, C(3)), C(10)), "icmp32.ne(x, 9)") \
	ROW(cmp_bit, CMP(32, EQ, G2(and32, x, C(8)), C(8)), "icmp32.ne(and32(x, 8), 0)") \
	ROW(cmp_select, CMP(32, NE, G3(sel32, p, C(1), C(0)), C(0)), "p") \
	ROW(cmp_select_inverse, CMP(32, EQ, G3(sel32, p, C(1), C(0)), C(0)), "icmp32.eq(p, 77)") \
	ROW(cmp_select_decided, CMP(32, LO, G3(sel32, p, C(1), C(0)), C(9)), "1") \
	ROW(cmp_zext, CMP(64, LT, ZEXT(x), L(7)), "icmp32.lo(x, 7)") \
	ROW(cmp_sext, CMP(64, LT, SEXT(x), SEXT(y)), "icmp32.lt(x, y)") \
	ROW(sel_same, G3(sel32, p, x, x), "x") \
	ROW(sel_not, G3(sel32, G1(not1, G2(and1, p, q)), x, y), "sel32(and1(p, q), y, x)") \
	ROW(sel_nested, G3(sel32, p, G3(sel32, p, x, C(3)), y), "sel32(p, x, y)") \
	ROW(sel_min, G3(sel32, CMP(32, LT, x, y), x, y), "min_s32(x, y)") \
	ROW(sel_max, G3(sel32, CMP(32, LO, x, y), y, x), "max_u32(x, y)") \
	ROW(sel_equal, G3(sel32, CMP(32, EQ, x, y), x, y), "y") \
	ROW(sel_const, G3(sel32, CMP(32, LO, x, y), C(7), x), "sel32(icmp32.hs(x, y), x, 7)") \
	ROW(sel_const_float, G3(sel32, fcmp(l, IR_LT, x, y), C(7), x), "sel32(fcmp32.geu(x, y), x, 7)") \
	ROW(clamp_gone, G3(sel32, CMP(32, LO, t, C(32)), G2(shl32, x, t), C(0)), "shl32(x, t)") \
	ROW(clamp_stays, G3(sel32, CMP(32, LO, y, C(32)), G2(shl32, x, y), C(0)), "sel32(icmp32.lo(y, 32), shl32(x, y), 0)") \
	ROW(sel64_zext, G3(sel64, p, ZEXT(x), ZEXT(y)), "pack64(sel32(p, x, y), 0)") \
	ROW(and_mask_implied, G2(and32, b, C(0xff)), "b") \
	ROW(and_chain, G2(and32, G2(and32, x, C(0xff)), C(0x3c)), "and32(x, 60)") \
	ROW(and_drops_or, G2(and32, G2(or32, x, C(0xff00)), C(0xff)), "and32(x, 255)") \
	ROW(or_covers_and, G2(or32, G2(and32, x, C(0xff)), C(0xffffff00)), "or32(x, -256)") \
	ROW(or_stays_beside_and, G2(or32, G2(and32, x, C(0xff)), C(0xf00)), "or32(and32(x, 255), 3840)") \
	ROW(masks_join, G2(or32, G2(and32, x, C(0xf)), G2(and32, x, C(0xf0))), "and32(x, 255)") \
	ROW(xor_ones, G2(xor32, x, C(-1)), "not32(x)") \
	ROW(not_not_32, G1(not32, G2(xor32, x, C(-1))), "x") \
	ROW(count_mask, G2(shl32, x, G2(and32, y, C(31))), "shl32(x, y)") \
	ROW(count_mask_64, G2(lshr64, d, G2(and32, y, C(63))), "lshr64(d, y)") \
	ROW(count_mask_kept, G2(lshr64, d, G2(and32, y, C(31))), "lshr64(d, and32(y, 31))") \
	ROW(shl_shl, G2(shl32, G2(shl32, x, C(3)), C(4)), "shl32(x, 7)") \
	ROW(shl_shl_out, G2(shl32, G2(shl32, x, C(20)), C(20)), "0") \
	ROW(ashr_ashr, G2(ashr32, G2(ashr32, x, C(20)), C(20)), "ashr32(x, 31)") \
	ROW(shl_lshr_same, G2(lshr32, G2(shl32, x, C(24)), C(24)), "and32(x, 255)") \
	ROW(lshr_shl_same, G2(shl32, G2(lshr32, x, C(8)), C(8)), "and32(x, -256)") \
	ROW(shl_lshr_field, G2(lshr32, G2(shl32, x, C(8)), C(20)), "bfe_u32(x, 12, 12)") \
	ROW(shl_lshr_up, G2(lshr32, G2(shl32, x, C(20)), C(8)), "and32(shl32(x, 12), 0xffffff)") \
	ROW(shl_ashr_field, G2(ashr32, G2(shl32, x, C(8)), C(20)), "bfe_s32(x, 12, 12)") \
	ROW(shl_ashr_up, G2(ashr32, G2(shl32, x, C(9)), C(8)), "ashr32(shl32(x, 9), 8)") \
	ROW(lshr_and_field, G2(and32, G2(lshr32, x, C(5)), C(7)), "bfe_u32(x, 5, 3)") \
	ROW(and_lshr_field, G2(lshr32, G2(and32, x, C(0xe0)), C(5)), "bfe_u32(x, 5, 3)") \
	ROW(shl_drops_mask, G2(shl32, G2(and32, x, C(0xffffff)), C(8)), "shl32(x, 8)") \
	ROW(shl_keeps_mask, G2(shl32, G2(and32, x, C(0x7fffff)), C(8)), "shl32(and32(x, 0x7fffff), 8)") \
	ROW(lshr_drops_mask, G2(lshr32, G2(and32, x, C(0xffffff00)), C(8)), "lshr32(x, 8)") \
	ROW(mul24_of_bytes, G2(mul_u24, b, C(256)), "shl32(b, 8)") \
	ROW(mul24_of_short, G2(mul_u24, G2(and32, x, C(0xffff)), b), "mul32(b, and32(x, 0xffff))") \
	ROW(mul24_drops_mask, G2(mul_u24, G2(and32, x, C(0xffffff)), G2(and32, y, C(0x7fffff))), "mul_u24(x, and32(y, 0x7fffff))") \
	ROW(shl_of_sum, G2(shl32, G2(add32, x, C(3)), C(2)), "add32(shl32(x, 2), 12)") \
	ROW(shl_of_mask, G2(shl32, G2(add32, G2(shl32, C(1), x), C(-1)), C(2)), "shl32(add32(shl32(1, x), -1), 2)") \
	ROW(ashr_of_sign, G2(ashr32, G3(bfe_s32, x, C(5), C(1)), C(31)), "bfe_s32(x, 5, 1)") \
	ROW(ashr_positive, G2(ashr32, b, C(3)), "lshr32(b, 3)") \
	ROW(shl_drops_other, G2(shl32, G2(or32, G2(shl32, y, C(8)), x), C(24)), "shl32(x, 24)") \
	ROW(bfe_drops_other, G3(bfe_u32, G2(or32, G2(shl32, y, C(14)), x), C(5), C(3)), "bfe_u32(x, 5, 3)") \
	ROW(bfe_drops_low, G3(bfe_u32, G2(xor32, G2(lshr32, x, C(8)), y), C(24), C(4)), "bfe_u32(y, 24, 4)") \
	ROW(and_drops_sum, G2(and32, G2(add32, G2(shl32, y, C(16)), x), C(0xffff)), "and32(x, 0xffff)") \
	ROW(and_keeps_sum, G2(and32, G2(add32, G2(shl32, y, C(16)), x), C(0x1ffff)), "and32(add32(x, shl32(y, 16)), 0x1ffff)") \
	ROW(and_drops_difference, G2(and32, G2(sub32, x, G2(shl32, y, C(16))), C(0xff)), "and32(x, 255)") \
	ROW(and_keeps_difference, G2(and32, G2(sub32, G2(shl32, y, C(16)), x), C(0xff)), "and32(sub32(shl32(y, 16), x), 255)") \
	ROW(and_drops_select, G2(and32, G3(bitsel32, C(0xff00), x, y), C(0xff)), "and32(y, 255)") \
	ROW(count_drops_mask, G2(lshr32, x, G2(shl32, G2(and32, y, C(3)), C(3))), "lshr32(x, shl32(y, 3))") \
	ROW(count_moved_out, G2(lshr32, x, G2(shl32, G1(lo32, G2(add64, d, e)), C(7))), "lshr32(x, shl32(add32(lo32(d), lo32(e)), 7))") \
	ROW(count_keeps_mask, G2(lshr32, x, G2(shl32, G2(and32, y, C(1)), C(3))), "lshr32(x, shl32(and32(y, 1), 3))") \
	ROW(bfm_drops_masks, G2(bfm32, G2(and32, x, C(255)), G2(and32, y, C(31))), "bfm32(x, y)") \
	ROW(bfm_keeps_mask, G2(bfm32, G2(and32, x, C(15)), y), "bfm32(and32(x, 15), y)") \
	ROW(bfe_top, G3(bfe_u32, x, C(24), C(8)), "lshr32(x, 24)") \
	ROW(bfe_bottom, G3(bfe_u32, x, C(0), C(8)), "and32(x, 255)") \
	ROW(bfe_empty, G3(bfe_s32, x, C(3), C(32)), "0") \
	ROW(bfe_of_mask, G3(bfe_u32, G2(and32, x, C(0xff0)), C(4), C(4)), "bfe_u32(x, 4, 4)") \
	ROW(bfe_of_lshr, G3(bfe_u32, G2(lshr32, x, C(4)), C(4), C(4)), "bfe_u32(x, 8, 4)") \
	ROW(bfe_s_of_byte, G3(bfe_s32, b, C(0), C(16)), "b") \
	ROW(bitsel_nothing, G3(bitsel32, C(0), x, y), "y") \
	ROW(perm_of_zero, G3(perm32, C(0), C(0), G2(and32, x, C(0x07070707))), "0") \
	ROW(perm_of_ones, G3(perm32, C(0), C(0), x), "perm32(0, 0, x)") \
	ROW(bitsel_mask, G3(bitsel32, C(0xff), x, C(0)), "and32(x, 255)") \
	ROW(bitsel_base, G3(bitsel32, C(0xff), C(0), x), "and32(x, -256)") \
	ROW(bitsel_narrow, G3(bitsel32, C(0xf), G2(and32, x, C(0xff)), y), "bitsel32(15, x, y)") \
	ROW(alignbit_0, G3(alignbit32, x, y, C(32)), "y") \
	ROW(alignbit_high_0, G3(alignbit32, C(0), y, C(3)), "lshr32(y, 3)") \
	ROW(bfi_empty, G4(ptx_bfi32, x, y, t, C(256)), "y") \
	ROW(bfi_beyond, G4(ptx_bfi32, x, y, C(32), t), "y") \
	ROW(bfi_xor, G4(ptx_bfi32, G2(xor32, G3(bfe_u32, x, C(4), C(4)), C(5)), x, C(4), C(4)), "xor32(x, 80)") \
	ROW(bfi_not, G4(ptx_bfi32, G1(not32, G3(bfe_u32, x, C(8), C(8))), x, C(8), C(8)), "xor32(x, 0xff00)") \
	ROW(bfi_or, G4(ptx_bfi32, G2(or32, G2(lshr32, x, C(8)), C(3)), x, C(8), C(8)), "or32(x, 768)") \
	ROW(bfi_and, G4(ptx_bfi32, G2(and32, G2(lshr32, x, C(8)), C(0x73)), x, C(8), C(8)), "and32(x, 0xffff73ff)") \
	ROW(bfi_add, G4(ptx_bfi32, G2(add32, G3(bfe_u32, x, C(4), C(4)), C(1)), x, C(4), C(4)), "bitsel32(240, add32(x, 16), x)") \
	ROW(bfi_sub, G4(ptx_bfi32, G2(sub32, G3(bfe_u32, x, C(4), C(4)), y), x, C(4), C(4)), "bitsel32(240, sub32(x, shl32(y, 4)), x)") \
	ROW(bfi_add_short, G4(ptx_bfi32, G2(add32, G3(bfe_u32, x, C(8), C(4)), C(1)), x, C(8), C(8)), "ptx_bfi32(add32(bfe_u32(x, 8, 4), 1), x, 8, 8)") \
	ROW(bfi_sub_from, G4(ptx_bfi32, G2(sub32, y, G3(bfe_u32, x, C(4), C(4))), x, C(4), C(4)), "ptx_bfi32(sub32(y, bfe_u32(x, 4, 4)), x, 4, 4)") \
	ROW(bfi_whole, G4(ptx_bfi32, x, y, C(0), C(32)), "x") \
	ROW(bfi64_high, G4(ptx_bfi64, d, e, C(32), C(32)), "pack64(lo32(e), lo32(d))") \
	ROW(bfi64_low, G4(ptx_bfi64, d, e, C(0), C(32)), "pack64(lo32(d), hi32(e))") \
	ROW(bfi64_in_high, G4(ptx_bfi64, d, e, C(40), C(8)), "pack64(lo32(e), ptx_bfi32(lo32(d), hi32(e), 8, 8))") \
	ROW(bfi64_straddles, G4(ptx_bfi64, d, e, C(28), C(8)), "ptx_bfi64(d, e, 28, 8)") \
	ROW(bfi64_straddles_by_one, G4(ptx_bfi64, d, e, C(25), C(8)), "ptx_bfi64(d, e, 25, 8)") \
	ROW(bfi64_ends_at_half, G4(ptx_bfi64, d, e, C(24), C(8)), "pack64(ptx_bfi32(lo32(d), lo32(e), 24, 8), hi32(e))") \
	ROW(bfi64_length_documented, G4(ptx_bfi64, d, e, C(28), C(256)), "e") \
	ROW(bfi64_length_nvidia, nvidia(l, G4(ptx_bfi64, d, e, C(28), C(256))), "ptx_bfi64(d, e, 28, 256)") \
	ROW(ptx_bfe, G3(ptx_bfe_u32, x, C(4), C(8)), "bfe_u32(x, 4, 8)") \
	ROW(ptx_bfe_to_msb, G3(ptx_bfe_s32, x, C(4), C(40)), "ashr32(x, 4)") \
	ROW(ptx_bfe_beyond, G3(ptx_bfe_s32, x, C(99), C(1)), "ashr32(x, 31)") \
	ROW(ptx_bfe64_high, G3(ptx_bfe_u64, d, C(40), C(8)), "pack64(bfe_u32(hi32(d), 8, 8), 0)") \
	ROW(ptx_bmsk_empty, G2(ptx_bmsk, x, C(0)), "0") \
	ROW(ptx_bmsk_beyond, G2(ptx_bmsk, C(32), x), "0") \
	ROW(ptx_szext, G2(ptx_szext_s32, x, C(9)), "bfe_s32(x, 0, 9)") \
	ROW(ptx_szext_empty, G2(ptx_szext_u32, x, C(0)), "0") \
	ROW(ptx_szext_whole, G2(ptx_szext_s32, x, C(256)), "x") \
	ROW(pack_of_halves, G2(pack64, G1(lo32, d), G1(hi32, d)), "d") \
	ROW(half_of_pack, G1(hi32, G2(pack64, x, y)), "y") \
	ROW(low_of_add64, G1(lo32, G2(add64, d, e)), "add32(lo32(d), lo32(e))") \
	ROW(low_of_mulw, G1(lo32, G2(mulw_s32, x, y)), "mul32(x, y)") \
	ROW(high_of_mulw, G1(hi32, G2(mulw_s32, x, y)), "mulhi_s32(x, y)") \
	ROW(low_of_lshr64, G1(lo32, G2(lshr64, d, C(5))), "alignbit32(hi32(d), lo32(d), 5)") \
	ROW(shl64_by_32, G2(shl64, d, C(40)), "pack64(0, shl32(lo32(d), 8))") \
	ROW(ashr64_by_32, G2(ashr64, d, C(32)), "pack64(hi32(d), ashr32(hi32(d), 31))") \
	ROW(shl64_of_byte, G2(shl64, ZEXT(b), C(3)), "pack64(shl32(b, 3), 0)") \
	ROW(or64_joins, G2(or64, G2(shl64, ZEXT(x), C(32)), ZEXT(y)), "pack64(y, x)") \
	ROW(add64_joins, G2(add64, G2(shl64, ZEXT(x), C(32)), ZEXT(y)), "pack64(y, x)") \
	ROW(and64_low, G2(and64, d, L(0xffffffff)), "pack64(lo32(d), 0)") \
	ROW(add64_no_carry, G2(add64, ZEXT(b), ZEXT(t)), "pack64(add32(b, t), 0)") \
	ROW(zext_sum_goes_out, G2(add64, d, ZEXT(G2(add32, b, C(4)))), "add64(add64(d, pack64(b, 0)), 4)") \
	ROW(zext_sum_may_wrap, G2(add64, d, ZEXT(G2(add32, x, C(4)))), "add64(d, pack64(add32(x, 4), 0))") \
	ROW(address_offset, load_from(l, IR_GLOBAL, G2(add64, G2(add64, d, L(8)), L(4))), "load(d)+12") \
	ROW(address_negative, load_from(l, IR_GLOBAL, G2(sub64, d, L(4))), "load(d)-4") \
	ROW(address_too_far, load_from(l, IR_GLOBAL, G2(add64, d, L(0x80000000))), "load(add64(d, 0x80000000))") \
	ROW(address_shared, load_from(l, IR_SHARED, G2(add32, G2(shl32, x, C(2)), C(64))), "load(shl32(x, 2))+64") \
	ROW(address_indexed, load_from(l, IR_GLOBAL, G2(add64, d, G2(mulw_u32, G2(add32, b, C(2)), C(4)))), "load(add64(d, pack64(shl32(b, 2), 0)))+8") \
	ROW(fmul_keeps_modifiers, G2(fmul32, x, y), "fmul32(x, y)")

typedef struct row { const char *name, *want; ir_opnd (*build)(leaves *); } row;
#define ROW(name, expr, want) static ir_opnd build_##name(leaves *l) { (void)l; return expr; }
ROWS
#undef ROW
static const row rows[] = {
#define ROW(name, expr, want) { #name, want, build_##name },
	ROWS
#undef ROW
};
#undef x
#undef y
#undef b
#undef t
#undef d
#undef e
#undef p
#undef q

enum { ENVS = 400 };

/* What the kernel stores, in many environments. */
static void
run_all(kit *k, uint64_t *result, bool *facts_hold)
{
	static trace now;
	const ir_fact *facts = facts_hold ? p_facts(&k->f) : NULL;
	rng r = { 7 };
	env e;

	for (unsigned n = 0; n < ENVS; n++) {
		kit_env(&k->f, &r, &e);
		kit_run(&k->f, &e, facts, &now);
		result[n] = now.n ? now.event[0] : 0;
		if (facts_hold)
			*facts_hold &= !now.fault;
	}
}

/* The stored expression; a boolean is stored as b ? 123 : 456, and folding may turn that round. */
static const char *
what_is_left(kit *k, bool boolean)
{
	ir_inst *i = k->f.entry->first, *s;
	ir_opnd v;
	bool inverse = false;
	buf out;

	buf_init(&out, &k->A);
	while (i->m.op != G_store)
		i = i->next;
	v = i->m.arg[1];
	if (boolean && ir_is_imm(v)) {
		v = ir_i32(v.imm == 123);
	} else if (boolean) {
		s = k->f.vals.a[v.reg].def;
		inverse = s->m.arg[2].imm == 456;
		v = s->m.arg[1];
	}
	buf_printf(&out, inverse ? "not1(" : "");
	put_expr(&k->f, v, &out, 0);
	buf_printf(&out, inverse ? ")" : "");
	return buf_cstr(&out);
}

static void
check_row(const row *r)
{
	static uint64_t before[ENVS], after[ENVS];
	kit k;
	leaves l;
	ir_opnd o;
	const char *fault, *left;
	bool same, facts_hold = true;

	kit_open(&k);
	open_leaves(&l, &k);
	o = r->build(&l);
	kit_store(&k, 512, o.width ? o : ir_g3(&k.B, G_sel32, o, ir_i32(123), ir_i32(456)));
	kit_end(&k, NULL, NULL, ir_i1(0));
	run_all(&k, before, NULL);
	p_ssa(&k.f);
	p_fold(&k.f);
	p_cse(&k.f);
	p_dce(&k.f);
	fault = ir_verify(&k.f, IR_V_SSA);
	left = fault ? fault : what_is_left(&k, !o.width);
	run_all(&k, after, &facts_hold);
	same = !memcmp(before, after, sizeof before);
	t_ok(!strcmp(left, r->want) && same && facts_hold, r->name, "%s, not %s%s%s", left, r->want,
	     same ? "" : "; the value is another", facts_hold ? "" : "; the facts are wrong");
	kit_close(&k);
}

/* Branches */

static void
check_branches(void)
{
	kit k;
	ir_block *b[6];
	ir_opnd c, v;

	kit_open(&k);
	b[0] = k.B.b;
	for (unsigned n = 1; n < 6; n++)
		b[n] = ir_new_block(&k.f);
	v = kit_reg(&k, 1);
	k.B.b = b[0];
	c = ir_icmp(&k.B, 32, IR_EQ, leaf_load(&k, 0, 4), ir_i32(1));
	kit_set(&k, v, ir_i32(1));
	kit_end(&k, b[1], b[2], c);
	k.B.b = b[1];                   /* c holds here: b3 cannot be reached from b1 */
	kit_end(&k, b[3], b[4], ir_g1(&k.B, G_not1, c));
	k.B.b = b[2];
	kit_set(&k, v, ir_i32(2));
	kit_end(&k, b[4], NULL, c);
	k.B.b = b[3];
	kit_set(&k, v, ir_i32(3));
	kit_end(&k, b[4], NULL, c);
	k.B.b = b[4];
	kit_store(&k, 0, v);
	kit_end(&k, b[5], b[3], ir_icmp(&k.B, 32, IR_LO, ir_i32(3), ir_i32(4)));
	k.B.b = b[5];
	kit_end(&k, NULL, NULL, c);
	p_ssa(&k.f);
	p_fold(&k.f);
	p_dce(&k.f);
	t_same(kit_text(&k),
	       "kernel t\n"
	       "b0:\n"
	       "\t%2 = load.shared.b4.volatile 0\n"
	       "\t%3 = icmp32.eq %2, 1\n"
	       "\tcbr %3, b1, b2\n"
	       "b1: from b0\n"
	       "\tbr b3\n"
	       "b2: from b0\n"
	       "\tbr b3\n"
	       "b3: from b1 b2\n"
	       "\t%5 = phi b1: 1, b2: 2\n"
	       "\tstore.shared.b4 0, %5\n"
	       "\tret\n",
	       "branches on decided conditions");
	kit_close(&k);
}

/* b3 loses its way through b2 in the round in which its own branch is looked at: what b0's branch
 * says of b3 must not be taken from the dominators of before. */
static void
check_lost_edge(void)
{
	kit k;
	ir_block *n[7];
	ir_opnd c;
	static trace before, after;
	rng r = { 1 };
	env start;

	kit_open(&k);
	for (unsigned j = 0; j < 7; j++)
		n[j] = j ? ir_new_block(&k.f) : k.B.b;
	k.B.b = n[0];
	c = ir_icmp(&k.B, 32, IR_EQ, leaf_load(&k, 0, 4), ir_i32(1));
	kit_end(&k, n[2], n[1], c);
	k.B.b = n[1];
	kit_end(&k, n[3], NULL, c);
	k.B.b = n[2];
	kit_end(&k, n[3], n[6], ir_i1(false));
	k.B.b = n[3];
	kit_end(&k, n[4], n[5], c);
	for (unsigned j = 4; j < 7; j++) {
		k.B.b = n[j];
		kit_store(&k, 0, ir_i32(j));
		kit_end(&k, NULL, NULL, c);
	}
	kit_env(&k.f, &r, &start);
	start.mem[0] = 0;
	kit_run(&k.f, &start, NULL, &before);
	p_ssa(&k.f);
	p_fold(&k.f);
	kit_run(&k.f, &start, NULL, &after);
	t_ok(before.n == 1 && after.event[0] == before.event[0], "a lost edge decides nothing", "wrong way");
	kit_close(&k);
}

int
main(void)
{
	for (unsigned n = 0; n < COUNT(rows); n++)
		check_row(&rows[n]);
	check_branches();
	check_lost_edge();
	return t_end();
}
