/* fact.c -- what is known of a value: bits that are surely 0 or 1, and unsigned bounds.
 * Needs nothing; leaves facts whose bits and bounds agree: lo <= hi, zero and one disjoint.
 * A boolean is a value of one bit; bits above the width are known zero. */
#include "ir/ir.h"

static uint64_t
width_mask(unsigned dwords)
{
	return dwords == 0 ? 1 : dwords == 1 ? UINT32_MAX : UINT64_MAX;
}

ir_fact
ir_fact_none(unsigned dwords)
{
	return (ir_fact){ .zero = ~width_mask(dwords), .hi = width_mask(dwords) };
}

ir_fact
ir_fact_const(uint64_t x)
{
	return (ir_fact){ ~x, x, x, x };
}

/* All bits from the highest one in which lo and hi differ, downwards. */
static uint64_t
below_difference(uint64_t lo, uint64_t hi)
{
	uint64_t x = lo ^ hi;

	for (unsigned s = 1; s < 64; s *= 2)
		x |= x >> s;
	return x;
}

/* Facts that contradict each other are of code that never runs; any fact is true there. */
ir_fact
ir_fact_tidy(ir_fact f)
{
	uint64_t free;

	f.lo = MAX(f.lo, f.one);
	f.hi = MIN(f.hi, ~f.zero);
	if (f.lo > f.hi || f.zero & f.one)
		return (ir_fact){ .hi = UINT64_MAX };
	free = below_difference(f.lo, f.hi);
	f.zero |= ~f.lo & ~free;
	f.one |= f.lo & ~free;
	f.lo = MAX(f.lo, f.one);
	f.hi = MIN(f.hi, ~f.zero);
	return f.zero & f.one || f.lo > f.hi ? (ir_fact){ .hi = UINT64_MAX } : f;
}

ir_fact
ir_fact_dword(ir_fact f, unsigned first)
{
	ir_fact r = { .zero = f.zero >> (32 * first) | ~(uint64_t)UINT32_MAX,
		.one = f.one >> (32 * first) & UINT32_MAX, .hi = UINT32_MAX };

	if (first) {
		r.lo = f.lo >> 32;
		r.hi = f.hi >> 32;
	} else if (f.lo >> 32 == f.hi >> 32) {
		r.lo = f.lo & UINT32_MAX;
		r.hi = f.hi & UINT32_MAX;
	}
	return ir_fact_tidy(r);
}

ir_fact
ir_fact_of(const ir_func *f, const ir_fact *facts, ir_opnd o)
{
	const ir_val *v;

	if (ir_is_imm(o) && !o.mods)
		return ir_fact_const((uint64_t)o.imm & width_mask(o.width));
	if (!ir_is_val(o) || o.mods || o.width > 2)
		return ir_fact_none(MIN(o.width, 2));
	v = &f->vals.a[o.reg];
	if (o.width == v->dwords)
		return facts[o.reg];
	return v->dwords == 2 && o.width == 1 ? ir_fact_dword(facts[o.reg], (unsigned)o.imm)
		: ir_fact_none(o.width);
}
