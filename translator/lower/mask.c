/* mask.c -- writes bmsk.clamp as generic operations. Needs facts of the operands; leaves SSA values
 * with val.divergent. The machine's bfm takes five bits of both, so only lengths up to 31 and positions
 * below 32 are given to it; shifts of 64 bits make the others. PTX ISA 9.7.1.22. */
#include "lower/mask.h"

static ir_opnd
gen(ir_builder *B, unsigned gop, unsigned n, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd s[3] = { a, b, c }, r = ir_gen(B, gop, n, s);

	for (unsigned k = 0; k < n && ir_is_val(r); k++)
		B->f->vals.a[r.reg].divergent |=
			ir_is_val(s[k]) && B->f->vals.a[s[k].reg].divergent;
	return r;
}

static ir_opnd
gen1(ir_builder *B, unsigned gop, ir_opnd a)
{
	return gen(B, gop, 1, a, a, a);
}

static ir_opnd
gen2(ir_builder *B, unsigned gop, ir_opnd a, ir_opnd b)
{
	return gen(B, gop, 2, a, b, b);
}

static ir_opnd
at_most(ir_builder *B, ir_opnd x, ir_fact f, uint32_t n)
{
	return f.hi <= n ? x : gen2(B, G_min_u32, x, ir_i32(n));
}

/* len ones, 0 <= len <= 32 */
static ir_opnd
ones(ir_builder *B, ir_opnd len)
{
	return gen1(B, G_hi32, gen2(B, G_shl64, ir_i64(UINT32_MAX), len));
}

/* ~0 << pos, 0 beyond */
static ir_opnd
from(ir_builder *B, const mask_query *q)
{
	ir_opnd n = at_most(B, q->pos, q->pos_fact, 63);

	if (q->pos_fact.hi < 32)
		return gen2(B, G_shl32, ir_i32(UINT32_MAX), q->pos);
	return gen1(B, G_lo32, gen2(B, G_shl64, ir_i64(UINT64_MAX), n));
}

/* The scalar unit has bfm of 64 bits: its low half. */
static ir_opnd
scalar(ir_builder *B, const mask_query *q)
{
	ir_opnd pos = at_most(B, q->pos, q->pos_fact, 63), len = at_most(B, q->len, q->len_fact, 63);
	ir_opnd n = gen1(B, G_not64, gen2(B, G_shl64, ir_i64(UINT64_MAX), len));

	return gen1(B, G_lo32, gen2(B, G_shl64, n, pos));
}

static ir_opnd
short_len(ir_builder *B, const mask_query *q)
{
	ir_opnd beyond = ir_icmp(B, 32, IR_HI, q->pos, ir_i32(31));

	if (ir_is_val(beyond))
		B->f->vals.a[beyond.reg].divergent = B->f->vals.a[q->pos.reg].divergent;
	return gen(B, G_sel32, 3, beyond, ir_i32(0), gen2(B, G_bfm32, q->len, q->pos));
}

/* A length cut to what there is above pos. */
static ir_opnd
full(ir_builder *B, const mask_query *q)
{
	ir_opnd room = gen2(B, G_sub32, ir_i32(32), at_most(B, q->pos, q->pos_fact, 32));

	return gen2(B, G_shl32, ones(B, gen2(B, G_min_u32, q->len, room)), q->pos);
}

ir_opnd
mask_write(ir_builder *B, const mask_query *q)
{
	ir_fact p = q->pos_fact, l = q->len_fact;

	if (p.lo > 31 || !l.hi)
		return ir_i32(0);
	if (p.hi < 32 && l.hi < 32)
		return gen2(B, G_bfm32, q->len, q->pos);
	if (l.lo > 31)
		return from(B, q);
	/* From bit 1 on, 31 ones reach the top; what is beyond it falls off. */
	if (p.lo && p.hi < 32)
		return gen2(B, G_bfm32, at_most(B, q->len, l, 31), q->pos);
	if (!p.hi)
		return ones(B, at_most(B, q->len, l, 32));
	if (q->uniform)
		return scalar(B, q);
	return l.hi < 32 ? short_len(B, q) : full(B, q);
}
