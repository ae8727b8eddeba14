/* bfi_draw.c -- a bit field at random: chip, operation and meaning, constants, bounds and bits that are known, in relation to the field
 * too, for which rows of bfi.def ask; lanes; registers. Needs a state; leaves a query as bfi_tidy makes it.
 * Rows differ in what they ask for, and each should be met often: so what is known is known often. */
#include "bfi_draw.h"

static uint64_t
draw(bfi_draw *d, uint64_t below)
{
	d->state ^= d->state << 13;
	d->state ^= d->state >> 7;
	d->state ^= d->state << 17;
	return (d->state >> 11) % below;
}

static uint64_t
bits(bfi_draw *d)
{
	return draw(d, 1ull << 32) << 32 | draw(d, 1ull << 32);
}

static uint64_t
low(uint64_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static ir_fact
between(uint64_t lo, uint64_t hi)
{
	ir_fact f = ir_fact_none(1);

	f.lo = lo;
	f.hi = hi;
	return ir_fact_tidy(f);
}

/* Of pos or len. */
static ir_fact
number(bfi_draw *d)
{
	static const uint32_t constants[] = { 0, 1, 5, 8, 16, 20, 24, 31, 32, 33, 40, 48, 56, 63, 64, 100 };
	static const struct { uint32_t lo, hi; } ranges[] = { { 0, 31 }, { 1, 31 }, { 0, 32 }, { 1, 32 }, { 0, 63 }, { 1, 63 }, { 0, 64 },
		{ 1, 64 }, { 0, 7 }, { 0, 15 }, { 8, 24 }, { 8, 40 }, { 32, 63 }, { 33, 63 }, { 32, 64 }, { 0, 255 }, { 1, UINT32_MAX },
		{ 32, UINT32_MAX }, { 64, UINT32_MAX }, { 256, 300 } };
	uint64_t lo;

	switch (draw(d, 6)) {
	case 0: return ir_fact_const(constants[draw(d, COUNT(constants))]);
	case 1: return ir_fact_const(draw(d, 65));
	case 2: lo = draw(d, 64); return between(lo, lo + draw(d, 65 - lo));
	case 3: lo = draw(d, COUNT(ranges)); return between(ranges[lo].lo, ranges[lo].hi);
	case 4: lo = draw(d, COUNT(ranges)); return between(ranges[lo].lo, ranges[lo].hi);
	default: return ir_fact_none(1);
	}
}

static ir_fact
known(uint64_t zero, uint64_t one, uint64_t w)
{
	return ir_fact_tidy((ir_fact){ zero | ~low(w), one & low(w), 0, low(w) });
}

/* Of a or b, of which some rows ask for zeros or ones in `field`, all of it or but for one bit at an end. */
static ir_fact
value(bfi_draw *d, uint64_t w, uint64_t field)
{
	uint64_t some = draw(d, w), edge = draw(d, 4) ? 0 : draw(d, 2) ? field & (0 - field) : field & ~(field >> 1);

	switch (draw(d, 14)) {
	case 0: return ir_fact_const(draw(d, 2) ? 0 : low(w));
	case 1: return ir_fact_const(draw(d, 65));
	case 2: return ir_fact_const(bits(d) & low(w));
	case 3: return ir_fact_const(low(some));
	case 4: return ir_fact_const(low(w) & ~low(some));
	case 5: return known(~low(some), 0, w);
	case 6: return known(low(some), 0, w);
	case 7: return known(bits(d), 0, w);
	case 8: return known(0, bits(d) & bits(d), w);
	case 9: return known(field & ~edge, 0, w);
	case 10: return known(0, field & ~edge, w);
	case 11: return known(~field | edge, 0, w);
	default: return ir_fact_none((unsigned)w / 32);
	}
}

/* As the pipeline asks, as p2a_bfi.h is asked, in b's place, at odd registers. */
static bs_regs
places(bfi_draw *d)
{
	bool rename = draw(d, 2), odd = !draw(d, 4);
	bs_regs r = { .rename = rename };
	unsigned lanes = d->q.lanes;

	for (unsigned k = 0; k < 4; k++)
		r.in[k] = (bs_place){ .kind = lanes >> k & 1 ? P2A_K_VGPR : P2A_K_SGPR,
			.reg = { (uint16_t)(2 * k + odd), (uint16_t)(2 * k + 1 + odd) } };
	switch (draw(d, 4)) {
	case 0: r.rename = true; return r;
	case 1: r.dst = r.in[1]; break;
	default: r.dst = (bs_place){ .kind = P2A_K_VGPR, .reg = { 10, 11 } }; break;
	}
	r.dst.kind = lanes || draw(d, 2) ? P2A_K_VGPR : P2A_K_SGPR;
	return r;
}

void
bfi_draw_next(bfi_draw *d)
{
	static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };
	bfi_query *q = &d->q;
	uint64_t w, first, last;

	*q = (bfi_query){ .gop = (uint16_t)(G_ptx_bfi32 + draw(d, G_ptx_szext_s32 - G_ptx_bfi32 + 1)), .t = p2a_target_find(chips[draw(d, COUNT(chips))]),
		.a = ir_fact_const(0), .b = ir_fact_const(0), .pos = ir_fact_const(0) };
	q->sem = draw(d, 2) ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED;
	w = bfi_width(q->gop);
	q->len = number(d);
	if (bfi_operands(q->gop) & BFI_LANES_POS)
		q->pos = number(d);
	first = MIN(q->pos.lo, w);
	last = MIN(q->pos.hi + q->len.hi, w);
	if (bfi_operands(q->gop) & BFI_LANES_A)
		q->a = value(d, w, low(draw(d, 2) ? q->len.lo : MIN(q->len.hi, w)));
	if (bfi_operands(q->gop) & BFI_LANES_B)
		q->b = value(d, w, low(last) & ~low(first));
	q->lanes = (unsigned)draw(d, 16) & bfi_operands(q->gop);
	q->lanes = draw(d, 3) ? q->lanes | BFI_LANES_A | BFI_LANES_B : q->lanes;
	q->lanes &= bfi_operands(q->gop) & ~((ir_fact_is_const(q->a) ? BFI_LANES_A : 0u) | (ir_fact_is_const(q->b) ? BFI_LANES_B : 0u) |
		(ir_fact_is_const(q->pos) ? BFI_LANES_POS : 0u) | (ir_fact_is_const(q->len) ? BFI_LANES_LEN : 0u));
	bfi_tidy(q);
	d->regs = places(d);
}

void
bfi_draw_prices(const bfi_draw *d, const bfi_row *const row[], unsigned n, uint32_t *price)
{
	bs_seq room;

	for (unsigned k = 0; k < n; k++)
		price[k] = bs_price(&room, &d->q, &d->regs, row[k]);
}
