/* bfi.c -- the rows of bfi.def: which may be used, and the constants that their texts name.
 * Needs facts of the operands; leaves answers. Choice: bfi_cost.c; texts: bfi_text.c.
 * PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi). */
#include "lower/bfi.h"

enum {
	PK = 1 << 0, LK = 1 << 1, P0 = 1 << 2, P1 = 1 << 3, POUT = 1 << 4, PLT = 1 << 5, L0 = 1 << 6,
	LFULL = 1 << 7, LLT = 1 << 8, L32 = 1 << 9, L33 = 1 << 10, MSB = 1 << 11, INLO = 1 << 12,
	INHI = 1 << 13, CROSS = 1 << 14, INHP = 1 << 15, BYTES = 1 << 16, BZ = 1 << 17, AF = 1 << 18,
	UPL = 1 << 19, VEC = 1 << 20, ONEHI = 1 << 21, UL = 1 << 22, PNUM = 1 << 23,
	LOW = 1 << 24, HIGH = 1 << 25, LN = 1 << 26, LS = 1 << 27
};

static const bfi_row rows[] = {
#define BFI(op, name, need, text) { G_ptx_##op, #name, need },
#include "lower/bfi.def"
	{ 0 }
};

enum row_id {
#define BFI(op, name, need, text) ROW_##op##_##name,
#include "lower/bfi.def"
	NROWS
};

const bfi_row *
bfi_rows(size_t *n)
{
	*n = NROWS;
	return rows;
}

unsigned
bfi_row_id(const bfi_row *row)
{
	return (unsigned)(row - rows);
}

/* ---- what holds ---- */

unsigned
bfi_width(unsigned gop)
{
	return gop == G_ptx_bfi64 || gop == G_ptx_bfe_u64 || gop == G_ptx_bfe_s64 ? 64 : 32;
}

bool
bfi_all_bits(const bfi_query *q)
{
	return q->sem == P2A_SEM_NVIDIA && bfi_width(q->gop) == 64;
}

static ir_fact
reduced(const bfi_query *q, ir_fact x)
{
	ir_fact r = { x.zero | ~0xffull, x.one & 0xff, 0, 0xff };

	if (bfi_all_bits(q) || x.hi <= 0xff)
		return x;
	if (x.lo >> 8 == x.hi >> 8) {
		r.lo = x.lo & 0xff;
		r.hi = x.hi & 0xff;
	}
	return ir_fact_tidy(r);
}

static uint64_t
low_mask(uint64_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* The numbers that texts name by capitals. */
typedef struct constants { uint64_t w, p, l; } constants;

static constants
constants_of(const bfi_query *q)
{
	constants k = { bfi_width(q->gop), reduced(q, q->pos).lo, reduced(q, q->len).lo };
	bool pk = ir_fact_is_const(reduced(q, q->pos));

	if (!pk)
		k.p = 0;
	if (k.p < k.w)
		k.l = MIN(k.l, k.w - k.p);
	return k;
}

static uint32_t
constant_flags(const bfi_query *q, uint64_t p, uint64_t l)
{
	uint64_t w = bfi_width(q->gop), e = p + MIN(l, w);
	uint64_t field = p < w ? low_mask(MIN(l, w - p)) << p : 0;
	uint32_t have = 0;

	have |= e >= w ? MSB : 0;
	have |= p < w && MIN(l, w - p) <= 32 ? L32 : L33;
	if (l && e <= 32)
		have |= INLO;
	if (p < 32 && e > 32)
		have |= CROSS;
	if (p < 32 && e == 33)
		have |= ONEHI;
	if (l && p >= 32 && p < w)
		have |= INHI;
	if (p < w && !(p & 7) && (!(l & 7) || e > w))
		have |= BYTES;
	if (!(field & ~q->b.zero))
		have |= BZ;
	if (!(~low_mask(l) & ~q->a.zero & low_mask(w)))
		have |= AF;
	return have;
}

/* What a row has no use for that asks for `need`: a constant says more than any bound, two constants more
 * than anything that is said of variable ones, and whatever is known more than that pos costs little as a number. */
static uint32_t
covered(uint32_t need)
{
	if (need & (INLO | INHI | CROSS | ONEHI | BYTES | L32 | L33 | MSB))
		need |= PK | LK;
	if (need & INLO)
		need |= LOW;
	if (need & (INHI | INHP))
		need |= HIGH;
	if (need & L32)
		need |= LN;
	if (need & (P0 | P1 | INHP))
		need |= PK;
	if (need & PK)
		need |= PLT;
	if (need & (LK | L0))
		need |= LLT | LFULL | UL;
	if (need & UPL)
		need |= UL;
	if (need)
		need |= PNUM;
	return need & PK && need & (LK | L0) ? need | P0 | P1 | POUT | UPL : need;
}

static uint32_t
flags_of(const bfi_query *q)
{
	ir_fact p = reduced(q, q->pos), l = reduced(q, q->len);
	uint64_t w = bfi_width(q->gop);
	uint32_t have = 0;

	have |= ir_fact_is_const(p) && p.lo < w ? PK : 0;
	have |= ir_fact_is_const(p) && p.lo && p.lo < w ? P1 : 0;
	have |= ir_fact_is_const(l) && l.lo ? LK : 0;
	have |= p.hi == 0 ? P0 | PK : 0;
	have |= p.lo >= w ? POUT : 0;
	have |= l.hi == 0 ? L0 : 0;
	have |= l.lo >= w ? LFULL : 0;
	have |= ir_fact_is_const(p) && p.lo >= 32 && p.lo < 64 ? INHP : 0;
	have |= p.hi + l.hi <= 32 ? LOW : 0;
	have |= p.lo >= 32 && p.hi < 64 ? HIGH : 0;
	have |= l.hi <= 32 ? LN : 0;
	have |= l.hi < 32 ? LS : 0;
	have |= p.hi < w ? PLT : 0;
	have |= l.hi < w ? LLT : 0;
	have |= !(q->lanes & (BFI_LANES_POS | BFI_LANES_LEN)) ? UPL : 0;
	have |= !(q->lanes & BFI_LANES_LEN) ? UL : 0;
	have |= p.hi <= w || q->t->sdwa ? PNUM : 0;
	/* A known register is written as a constant, whatever it lies in. */
	have |= q->lanes & BFI_LANES_A && !ir_fact_is_const(q->a) ? VEC : 0;
	have |= q->lanes & BFI_LANES_B && !ir_fact_is_const(q->b) ? VEC : 0;
	if (ir_fact_is_const(p) && ir_fact_is_const(l))
		have |= constant_flags(q, p.lo, l.lo);
	return have;
}

bool
bfi_may_use(const bfi_row *r, const bfi_query *q)
{
	return r->gop == q->gop && !(r->need & ~flags_of(q));
}

/* v_perm_b32 takes bytes 0..3 from its second source, 4..7 from its first. */
static uint64_t
selector(const constants *k, unsigned dword)
{
	uint64_t s = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned at = 4 * dword + i;
		bool inserted = at >= k->p / 8 && at < (k->p + k->l) / 8;

		s |= (uint64_t)(inserted ? 4 + at - k->p / 8 : i) << 8 * i;
	}
	return s;
}

uint64_t
bfi_constant(const bfi_query *q, char name)
{
	constants k = constants_of(q);

	switch (name) {
	case 'P': return k.p;
	case 'L': return k.l;
	case 'E': return k.p + k.l;
	case 'M': return k.p < 64 ? low_mask(k.l) << k.p : 0;
	case 'K': return low_mask(k.l);
	case 'N': return k.p < 64 ? ~0ull << k.p : 0;
	case 'T': return 32 - k.p;
	case 'H': return k.p - 32;
	case 'F': return k.p + k.l - 32;
	case 'J': return k.l - 32;
	case 'Q': return MIN(k.p, k.w - 1);
	case 'X': return selector(&k, 1);
	default: return selector(&k, 0);
	}
}

/* Rows of an operation stand together; each has a first one of that name. */
static unsigned
first_row(unsigned gop)
{
	switch (gop) {
	case G_ptx_bfi32: return ROW_bfi32_nothing;
	case G_ptx_bfi64: return ROW_bfi64_nothing;
	case G_ptx_bfe_u32: return ROW_bfe_u32_nothing;
	case G_ptx_bfe_s32: return ROW_bfe_s32_nothing;
	case G_ptx_bfe_u64: return ROW_bfe_u64_nothing;
	default: return ROW_bfe_s64_nothing;
	}
}

/* A row gives way to an earlier one that covers all that it asks for, and asks for more. */
unsigned
bfi_candidates(const bfi_query *q, const bfi_row *out[BFI_CANDIDATES])
{
	uint32_t have = flags_of(q), cover[BFI_CANDIDATES];
	unsigned n = 0;

	for (const bfi_row *r = &rows[first_row(q->gop)]; r->gop == q->gop && n < BFI_CANDIDATES; r++) {
		bool replaced = false;

		if (r->need & ~have)
			continue;
		for (unsigned j = 0; j < n; j++)
			replaced |= r->need != out[j]->need && !(r->need & ~cover[j]);
		if (replaced)
			continue;
		cover[n] = covered(r->need);
		out[n++] = r;
	}
	return n;
}
