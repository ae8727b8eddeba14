/* conv.c -- cvt among integers.
 * Needs L->in with two integer types; leaves the value extended to the destination register.
 * Manual: "Parallel Thread Execution ISA", 9.7.9 (cvt), 9.4.1 (operand sizes). */
#include "lower/lower.h"

typedef struct range { bool is_signed; unsigned bits; } range;

static range
range_of(ptx_type t)
{
	return (range){ ptx_is_signed(t), ptx_type_bits(t) };
}

static uint64_t
highest(range r)
{
	return UINT64_MAX >> (64 - r.bits + r.is_signed);
}

static uint64_t
lowest(range r)
{
	return r.is_signed ? ~highest(r) : 0;
}

static ir_opnd
bound(lower *L, ir_opnd v, bool is_signed, bool upper, uint64_t x)
{
	static const uint16_t gop[2][2] = { { G_max_u32, G_max_s32 }, { G_min_u32, G_min_s32 } };
	static const ir_cc cc[2][2] = { { IR_HI, IR_GT }, { IR_LO, IR_LT } };
	ir_opnd end = v.width == 2 ? ir_i64(x) : ir_i32((uint32_t)x);

	if (v.width == 1)
		return ir_g2(&L->b, gop[upper][is_signed], v, end);
	return lo_sel(L, ir_icmp(&L->b, 64, cc[upper][is_signed], v, end), v, end);
}

/* v, a number of type from, brought into the range of type to. */
static ir_opnd
saturate(lower *L, ir_opnd v, range from, range to)
{
	if (from.is_signed && (!to.is_signed || to.bits < from.bits))
		v = bound(L, v, true, false, lowest(to));
	if (highest(from) > highest(to))
		v = bound(L, v, from.is_signed, true, highest(to));
	return v;
}

void
lower_cvt_int(lower *L)
{
	ptx_type dt = lo_type(L, 0), st = lo_type(L, 1);
	range from = range_of(st), to = range_of(dt);
	bool sat = lo_has(L, PTX_M_sat);
	bool fits = sat || (highest(from) <= highest(to) && (!from.is_signed || to.is_signed));
	ir_opnd v = lo_xsrc(L, 1, st);

	if (sat)
		v = saturate(L, v, from, to);
	if (to.bits <= 32 && v.width == 2)
		v = lo_word(L, v, 0);
	if (to.bits == 64 && v.width == 1)
		v = lo_widen(L, v, st);
	if (!fits && (to.bits == 8 || L->in->nops == 0 || lo_reg_bits(&L->in->ops[0]) > to.bits))
		v = lo_ext(L, v, dt);
	if (L->in->nops)
		lo_set_ext(L, &L->in->ops[0], v, dt);
}
