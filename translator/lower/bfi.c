/* bfi.c -- the rows of bfi.def: which may be used, and the constants that their texts name.
 * Needs facts of the operands; leaves answers. Choice: bfi_cost.c; texts: bfi_text.c.
 * PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk). */
#include "lower/bfi.h"

/* Flags of `need`: more than an enumerator has bits. */
#undef VEC               /* base.h's lists: there are none here */
#define PK     (1ull << 0)
#define LK     (1ull << 1)
#define P0     (1ull << 2)
#define P1     (1ull << 3)
#define PLT    (1ull << 5)
#define L0     (1ull << 6)
#define LFULL  (1ull << 7)
#define LLT    (1ull << 8)
#define L32    (1ull << 9)
#define L33    (1ull << 10)
#define MSB    (1ull << 11)
#define INLO   (1ull << 12)
#define INHI   (1ull << 13)
#define CROSS  (1ull << 14)
#define INHP   (1ull << 15)
#define BYTES  (1ull << 16)
#define BZ     (1ull << 17)
#define AF     (1ull << 18)
#define UPL    (1ull << 19)
#define VEC    (1ull << 20)
#define ONEHI  (1ull << 21)
#define UL     (1ull << 22)
#define PNUM   (1ull << 23)
#define LOW    (1ull << 24)
#define HIGH   (1ull << 25)
#define LN     (1ull << 26)
#define KHIGH  (1ull << 27)
#define PSOME  (1ull << 28)
#define LSOME  (1ull << 29)
#define A1     (1ull << 30)
#define B1     (1ull << 31)
#define A0     (1ull << 32)
#define AK     (1ull << 33)
#define BM     (1ull << 34)
#define C63    (1ull << 35)
#define AFIT   (1ull << 36)
#define UB     (1ull << 37)
#define UALL   (1ull << 38)
#define PTOP   (1ull << 39)
#define UPA    (1ull << 40)
#define AM     (1ull << 41)
#define AMASK  (1ull << 43)
#define LFAR   (1ull << 44)
#define LCAP   (1ull << 45)
#define BK     (1ull << 48)
#define P6     (1ull << 49)
#define NK     (1ull << 50)
#define UA     (1ull << 51)
#define NB     (1ull << 52)
#define UP     (1ull << 53)
#define L1     (1ull << 55)
#define ASHORT (1ull << 56)
#define A32    (1ull << 57)
#define A31    (1ull << 58)
#define SPLIT  (1ull << 59)
#define ADD    (1ull << 60)

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

/* ---- operations ---- */

/* Rows of an operation stand together; each has a first one of that name. */
enum { VALUE = BFI_LANES_A, PLACE = BFI_LANES_POS | BFI_LANES_LEN, EXTRACT = VALUE | PLACE, INSERT = EXTRACT | BFI_LANES_B };
static const struct { uint8_t width, operands; bool all_bits; uint16_t first; } ops[] = {
#define FIELD(name, width, operands, all) [G_ptx_##name - G_ptx_bfi32] = { width, operands, all, ROW_##name##_nothing },
	FIELD(bfi32, 32, INSERT, false) FIELD(bfi64, 64, INSERT, false)
	FIELD(bfe_u32, 32, EXTRACT, false) FIELD(bfe_s32, 32, EXTRACT, false)
	FIELD(bfe_u64, 64, EXTRACT, false) FIELD(bfe_s64, 64, EXTRACT, false)
	FIELD(bmsk, 32, PLACE, true)
	FIELD(szext_u32, 32, VALUE | BFI_LANES_LEN, true) FIELD(szext_s32, 32, VALUE | BFI_LANES_LEN, true)
};

bool
bfi_is_field(unsigned gop)
{
	return gop - G_ptx_bfi32 < COUNT(ops);
}

unsigned
bfi_width(unsigned gop)
{
	return ops[gop - G_ptx_bfi32].width;
}

unsigned
bfi_operands(unsigned gop)
{
	return ops[gop - G_ptx_bfi32].operands;
}

bool
bfi_all_bits(const bfi_query *q)
{
	return (ops[q->gop - G_ptx_bfi32].all_bits && !q->bytes) || (q->sem == P2A_SEM_NVIDIA && bfi_width(q->gop) == 64);
}

/* ---- what holds ---- */

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

bfi_constants
bfi_constants_of(const bfi_query *q)
{
	ir_fact p = reduced(q, q->pos);
	bfi_constants k = { bfi_width(q->gop), p.lo, reduced(q, q->len).lo, q->a.lo };

	if (!ir_fact_is_const(p))
		k.p = 0;
	if (k.p < k.w)
		k.l = MIN(k.l, k.w - k.p);
	return k;
}

/* Bits that can be of the field, and those that are. */
static uint64_t
may_be_field(const ir_fact *p, const ir_fact *l, uint64_t w)
{
	return low_mask(MIN(p->hi + l->hi, w)) & ~low_mask(p->lo);
}

static uint64_t
is_field(const ir_fact *p, const ir_fact *l, uint64_t w)
{
	return p->hi < w ? low_mask(MIN(p->lo + l->lo, w)) & ~low_mask(p->hi) : 0;
}

static uint64_t
constant_flags(const bfi_query *q, uint64_t p, uint64_t l)
{
	uint64_t w = bfi_width(q->gop), e = p + MIN(l, w);
	uint64_t have = 0;

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
	else
		have |= NB;
	return have;
}

static bool
is_insert(const bfi_query *q)
{
	return q->gop == G_ptx_bfi32 || q->gop == G_ptx_bfi64;
}

/* Is all of a inserted by a length of n, but for what is moved out at the top or to where b has ones? */
static bool
fits(const bfi_query *q, const ir_fact *p, uint64_t n)
{
	uint64_t w = bfi_width(q->gop);

	if (is_insert(q) && !(low_mask(w) & ~low_mask(p->lo + n) & ~q->b.one))
		return true;
	return p->lo + n >= w || !(~low_mask(n) & ~q->a.zero & low_mask(w));
}

static bool
is_ones(const ir_fact *f, uint64_t w)
{
	return ir_fact_is_const(*f) && !(~f->lo & low_mask(w));
}

/* Of 64 bits: is all of a field that may lie in the high half zeros, which are put where zeros stand? */
static bool
keeps_high(const bfi_query *q, const ir_fact *p, const ir_fact *l)
{
	uint64_t most = MIN(q->a.hi, low_mask(l->hi));

	if (may_be_field(p, l, 64) >> 32 & ~(q->b.zero >> 32))
		return false;
	return !most || (p->hi < 32 && !(most >> (32 - p->hi)));
}

/* What holds of a and b, for all pos and len that may be. */
static uint64_t
value_flags(const bfi_query *q, const ir_fact *p, const ir_fact *l)
{
	uint64_t w = bfi_width(q->gop), field = may_be_field(p, l, w), taken = low_mask(MIN(l->hi, w));
	uint64_t have = 0;

	have |= ir_fact_is_const(q->a) ? AK : 0;
	have |= is_ones(&q->b, w) ? BM : 0;
	have |= ir_fact_is_const(q->b) ? BK : 0;
	have |= !(field & ~q->b.zero) ? BZ : 0;
	have |= !(field & ~q->b.one) ? B1 : 0;
	have |= !(taken & ~q->a.zero) ? A0 : 0;
	have |= !(taken & ~q->a.one) ? A1 : 0;
	have |= ir_fact_is_const(q->a) && !(q->a.lo & (q->a.lo + 1)) && q->a.lo >> (w - 1) == 0 ? AMASK : 0;
	have |= is_ones(&q->a, w) ? AM : 0;
	have |= q->a.hi >> (w - 1) == 0 ? ASHORT : 0;
	have |= q->gop == G_ptx_bfi64 && keeps_high(q, p, l) ? KHIGH : 0;
	have |= w == 64 && q->a.hi >> 32 == 0 ? A32 : 0;
	have |= w == 64 && q->a.hi >> 31 == 0 ? A31 : 0;
	have |= fits(q, p, l->lo) ? AF : 0;
	have |= fits(q, p, MAX(l->lo, 1)) ? AFIT : 0;
	return have;
}

static bool
is_signed(const bfi_query *q)
{
	return q->gop == G_ptx_bfe_s32 || q->gop == G_ptx_bfe_s64 || q->gop == G_ptx_szext_s32;
}

static bool
says_something(const ir_fact *f, uint64_t w)
{
	return f->one | (f->zero & low_mask(w)) | f->lo || f->hi < low_mask(w);
}

/* Of a field that may reach from the low half to the high one: is little done in the low one? */
static bool
wants_halves(const bfi_query *q, const ir_fact *p, const ir_fact *l)
{
	uint64_t low = (uint32_t)~low_mask(p->lo);

	if (!ir_fact_is_const(*p) || p->lo > 31)
		return false;
	return p->lo == 31 || (p->lo && ir_fact_is_const(q->b) && ((q->b.lo | is_field(p, l, 64)) & UINT32_MAX) == low && q->b.lo >> 32 == 0);
}

static uint64_t
flags_of(const bfi_query *q)
{
	ir_fact p = reduced(q, q->pos), l = reduced(q, q->len);
	uint64_t w = bfi_width(q->gop);
	uint64_t have = 0;

	have |= ir_fact_is_const(p) && p.lo < w ? PK : 0;
	have |= ir_fact_is_const(p) && p.lo && p.lo < w ? P1 : 0;
	have |= ir_fact_is_const(l) && l.lo ? LK : 0;
	have |= p.hi == 0 ? P0 | PK : 0;
	have |= l.hi == 0 ? L0 : 0;
	have |= l.lo && p.lo + l.lo >= w ? LFULL : 0;
	have |= ir_fact_is_const(p) && p.lo >= 32 && p.lo < 64 ? INHP : 0;
	have |= q->gop == G_ptx_bfi64 && wants_halves(q, &p, &l) ? SPLIT : 0;
	have |= p.hi + l.hi <= 32 ? LOW | KHIGH : 0;
	have |= p.lo >= 32 && p.hi < 64 ? HIGH : 0;
	have |= l.hi <= 32 ? LN : 0;
	have |= p.hi < w ? PLT : 0;
	have |= p.lo && p.hi < w ? PSOME : 0;
	have |= l.lo && l.hi <= w ? LSOME : 0;
	have |= p.hi < 64 && l.hi < 64 ? C63 : 0;
	have |= l.hi < w ? LLT : 0;
	have |= l.hi < w || p.lo ? LCAP : 0;
	have |= !(q->lanes & (BFI_LANES_POS | BFI_LANES_LEN)) ? UPL : 0;
	have |= !(q->lanes & BFI_LANES_LEN) ? UL : 0;
	have |= p.hi <= w || q->t->sdwa ? PNUM : 0;
	have |= isa_has(q->t, OP_v_lshl_add_u64) ? ADD : 0;
	have |= !q->lanes ? UALL : 0;
	have |= !(q->lanes & ~(unsigned)BFI_LANES_A) ? UB : 0;
	have |= !(q->lanes & (BFI_LANES_A | BFI_LANES_POS)) ? UPA : 0;
	have |= ir_fact_is_const(p) && p.lo <= 6 ? P6 : 0;
	have |= !ir_fact_is_const(p) || !ir_fact_is_const(l) ? NK : 0;
	have |= !(q->lanes & BFI_LANES_A) ? UA : 0;
	have |= !(q->lanes & BFI_LANES_POS) ? UP : 0;
	have |= l.lo == 1 && l.hi == 1 ? L1 : 0;
	have |= l.hi >= w ? LFAR : 0;
	have |= p.lo == w - 1 && p.hi == w - 1 ? PTOP : 0;
	have |= q->lanes & (BFI_LANES_A | BFI_LANES_B) ? VEC : 0;
	if (ir_fact_is_const(p) && ir_fact_is_const(l))
		have |= constant_flags(q, p.lo, l.lo);
	if (says_something(&q->a, w) || (is_insert(q) && says_something(&q->b, w)))
		have |= value_flags(q, &p, &l);
	return have;
}

/* ---- what operands mean the same ---- */

/* Of a bfi: bits of a that no field takes, and of b those that every field covers do not count; where the others are
 * known the operand is a constant: all ones, or ones from pos on, if those that count are. A dword into which ones are put
 * stays as it is: they may be the same number. */
static void
tidy_values(bfi_query *q, const ir_fact *p, const ir_fact *l, uint64_t w)
{
	uint64_t ones, taken = low_mask(MIN(l->hi, w - MIN(p->lo, w))), kept = low_mask(w) & ~is_field(p, l, w),
		 top = low_mask(w) & ~low_mask(p->lo);

	ones = kept & q->b.one;
	if (!(taken & ~(q->a.zero | q->a.one)))
		q->a = ir_fact_const(taken & ~q->a.one ? taken & q->a.one : low_mask(w));
	if (!(kept & ~q->b.one))
		q->b = ir_fact_const(low_mask(w));
	else if (ir_fact_is_const(*p) && ones && !(kept & ~(q->b.zero | q->b.one)) && ones == (top & kept))
		q->b = ir_fact_const(top);
	else if (!(kept & ~(q->b.zero | q->b.one)) && (may_be_field(p, l, w) & ~q->b.one || !ir_fact_is_const(q->a)) &&
	         !(w == 32 && ones && ir_fact_is_const(q->b) && is_ones(&q->a, w)))
		q->b = ir_fact_const(ones);
}

/* Of a bfe: where all that may be taken is zero the result is that of no length, and where what is above it is zero (of a signed
 * field its sign too) that of all; in all ones the position says nothing, and of a signed one the length no more than that there is one. */
static void
tidy_value(bfi_query *q, ir_fact *p, ir_fact *l, uint64_t w)
{
	bool sign = is_signed(q), ones = is_ones(&q->a, w);
	uint64_t taken, past;

	if (ones && (sign || p->hi + l->hi <= w))
		q->pos = *p = ir_fact_const(0);
	taken = low_mask(MIN(p->hi + l->hi, w)) & ~low_mask(MIN(p->lo, w - sign));
	past = p->lo + l->lo;
	if (!(taken & ~q->a.zero))
		q->len = *l = ir_fact_const(0);
	else if (l->lo && ((ones && sign) || (past <= w && !(low_mask(w) & ~low_mask(past - sign) & ~q->a.zero))))
		q->len = *l = ir_fact_const(w);
}

/* Past the end there is nothing but, of a signed field, the sign, which position W - 1 has too. */
static void
tidy_place(bfi_query *q, ir_fact *p, ir_fact *l, uint64_t w)
{
	if (p->lo >= w && !is_signed(q))
		q->len = *l = ir_fact_const(0);
	else if (is_signed(q) && p->lo >= w - 1)
		q->pos = *p = ir_fact_const(w - 1);
}

/* A length that reaches the top from wherever the field begins: that of one dword where that does. */
static void
tidy_reach(bfi_query *q, const ir_fact *p, ir_fact *l, uint64_t w)
{
	bool high = w == 64 && p->lo >= 32 && !(is_insert(q) && p->hi >= w);

	if (l->lo && p->lo + l->lo >= w)
		q->len = *l = ir_fact_const(high ? 32 : w);
}

/* Ones put into zeros, or cut at a length. */
static void
tidy_mask(bfi_query *q)
{
	bool ones = ir_fact_is_const(q->a) && q->a.lo == UINT32_MAX;

	if (ones && q->gop == G_ptx_bfi32 && ir_fact_is_const(q->b) && !q->b.lo) {
		q->gop = G_ptx_bmsk;
		q->bytes = true;
	}
	if (ones && q->gop == G_ptx_szext_u32)
		q->gop = G_ptx_bmsk;
}

/* A known register is written as a constant, whatever it lies in. */
static void
tidy_lanes(bfi_query *q)
{
	const ir_fact *f[4] = { &q->a, &q->b, &q->pos, &q->len };

	for (unsigned k = 0; k < 4; k++)
		if (ir_fact_is_const(*f[k]))
			q->lanes &= ~(1u << k);
}

void
bfi_tidy(bfi_query *q)
{
	uint64_t w = bfi_width(q->gop);
	ir_fact p, l;

	if (!(says_something(&q->a, w) | says_something(&q->b, w) | says_something(&q->pos, 32) | says_something(&q->len, 32)))
		return;
	p = reduced(q, q->pos);
	l = reduced(q, q->len);
	tidy_place(q, &p, &l, w);
	if (bfi_operands(q->gop) & BFI_LANES_A && !is_insert(q))
		tidy_value(q, &p, &l, w);
	tidy_reach(q, &p, &l, w);
	if (is_insert(q))
		tidy_values(q, &p, &l, w);
	tidy_mask(q);
	tidy_lanes(q);
}

bool
bfi_may_use(const bfi_row *r, const bfi_query *q)
{
	return r->gop == q->gop && !(r->need & ~flags_of(q));
}

/* v_perm_b32 takes bytes 0..3 from its second source, 4..7 from its first. */
static uint64_t
selector(const bfi_constants *k, unsigned dword)
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
bfi_constant(const bfi_constants *k, char name)
{
	switch (name) {
	case 'P': return k->p;
	case 'L': return k->l;
	case 'E': return k->p + k->l;
	case 'M': return k->p < 64 ? low_mask(k->l) << k->p : 0;
	case 'K': return low_mask(k->l);
	case 'N': return k->p < 64 ? ~0ull << k->p : 0;
	case 'T': return 32 - k->p;
	case 'H': return k->p - 32;
	case 'F': return k->p + k->l - 32;
	case 'J': return k->l - 32;
	case 'G': return count_ones(k->a);
	case 'Q': return MIN(k->p, k->w - 1);
	case 'X': return selector(k, 1);
	default: return selector(k, 0);
	}
}

/* ---- which to try ---- */

/* Of an operation's rows: bit k is the k-th. */
typedef uint64_t row_set;

/* A row that is not the cheapest where another one may be used. */
typedef struct beaten { uint64_t cells; uint8_t row; } beaten;
static const struct { const beaten *at; size_t n; } beats[NROWS] = {
#define BEATS(op, name, ...) [ROW_##op##_##name] = { (const beaten[]){ __VA_ARGS__ }, COUNT(((const beaten[]){ __VA_ARGS__ })) },
#define B(op, name, cells) { cells, ROW_##op##_##name - ROW_##op##_nothing }
#include "lower/bfi_beats.def"
};

enum kind { CONSTANT, UNIFORM, LANES };

static unsigned
kind_of(const bfi_query *q, const ir_fact *f, unsigned lanes)
{
	return ir_fact_is_const(*f) ? CONSTANT : q->lanes & lanes ? LANES : UNIFORM;
}

/* Which row is the cheapest is decided most often by what differs between lanes, and by what is a constant: of a and b that counts
 * where pos is one. */
unsigned
bfi_cell(const bfi_query *q)
{
	unsigned a = kind_of(q, &q->a, BFI_LANES_A), b = kind_of(q, &q->b, BFI_LANES_B), pos = kind_of(q, &q->pos, BFI_LANES_POS),
		 len = kind_of(q, &q->len, BFI_LANES_LEN);

	if (pos == CONSTANT)
		return (len * 3 + a) * 3 + b;
	return 3 * 3 * 3 + ((len * 2 + (pos == LANES)) * 2 + (a == LANES)) * 2 + (b == LANES);
}

static const bfi_row *
first_row(const bfi_query *q)
{
	return &rows[ops[q->gop - G_ptx_bfi32].first];
}

/* By number, in their order. */
typedef struct row_list { uint8_t at[BFI_CANDIDATES + 1]; unsigned n; } row_list;

static void
list_usable(const bfi_query *q, row_list *l)
{
	uint64_t have = flags_of(q);
	const bfi_row *r = first_row(q);

	l->n = 0;
	for (unsigned k = 0; r[k].gop == q->gop; k++) {
		l->at[l->n] = (uint8_t)k;
		l->n += !(r[k].need & ~have);
	}
}

static unsigned
pick(const bfi_query *q, const row_list *l, row_set s, const bfi_row *out[BFI_CANDIDATES])
{
	const bfi_row *r = first_row(q);
	unsigned n = 0;

	for (unsigned k = 0; k < l->n; k++)
		if (s >> l->at[k] & 1)
			out[n++] = &r[l->at[k]];
	return n;
}

unsigned
bfi_usable(const bfi_query *q, const bfi_row *out[BFI_CANDIDATES])
{
	row_list l;

	list_usable(q, &l);
	return pick(q, &l, ~(row_set)0, out);
}

/* The table is what draws showed: if it leaves nothing, all are tried. */
unsigned
bfi_candidates(const bfi_query *q, const bfi_row *out[BFI_CANDIDATES])
{
	unsigned first = bfi_row_id(first_row(q)), cell = bfi_cell(q), n;
	row_set left = ~(row_set)0;
	row_list l;

	list_usable(q, &l);
	for (unsigned k = 0; k < l.n; k++) {
		unsigned row = first + l.at[k];

		for (const beaten *b = beats[row].at; b < beats[row].at + beats[row].n; b++)
			left &= ~((b->cells >> cell & 1) << b->row);
	}
	n = pick(q, &l, left, out);
	return n ? n : bfi_usable(q, out);
}
