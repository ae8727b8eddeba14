/* bfi.c -- chooses a row of bfi.def and writes its text as generic operations. Needs facts of
 * the operands; leaves SSA values. The texts are ours, not the user's: a fault in one is met by
 * the tests, which write every row. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi). */
#include "lower/bfi.h"

#include <string.h>

enum {
	PK = 1 << 0, LK = 1 << 1, P0 = 1 << 2, P1 = 1 << 3, POUT = 1 << 4, PLT = 1 << 5, L0 = 1 << 6,
	LFULL = 1 << 7, LLT = 1 << 8, L32 = 1 << 9, L33 = 1 << 10, MSB = 1 << 11, INLO = 1 << 12,
	INHI = 1 << 13, CROSS = 1 << 14, INHP = 1 << 15, BYTES = 1 << 16, BZ = 1 << 17, AF = 1 << 18,
	UPL = 1 << 19, VEC = 1 << 20
};

static const bfi_row rows[] = {
#define BFI(op, name, need, text) { G_ptx_##op, #name, need, text },
#include "lower/bfi.def"
};

const bfi_row *
bfi_rows(size_t *n)
{
	*n = COUNT(rows);
	return rows;
}

/* ---- what holds ---- */

static unsigned
width_of(unsigned gop)
{
	return gop == G_ptx_bfi64 || gop == G_ptx_bfe_u64 || gop == G_ptx_bfe_s64 ? 64 : 32;
}

static bool
is_bfi(unsigned gop)
{
	return gop == G_ptx_bfi32 || gop == G_ptx_bfi64;
}

/* Do all 32 bits of pos and len count? */
static bool
all_bits(unsigned gop, p2a_semantics sem)
{
	return sem == P2A_SEM_NVIDIA && width_of(gop) == 64;
}

static ir_fact
reduced(const bfi_query *q, ir_fact x)
{
	ir_fact r = { x.zero | ~0xffull, x.one & 0xff, 0, 0xff };

	if (all_bits(q->gop, q->sem) || x.hi <= 0xff)
		return x;
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
	constants k = { width_of(q->gop), reduced(q, q->pos).lo, reduced(q, q->len).lo };
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
	uint64_t w = width_of(q->gop), e = p + MIN(l, w);
	uint64_t field = p < w ? low_mask(MIN(l, w - p)) << p : 0;
	uint32_t have = 0;

	have |= e >= w ? MSB : 0;
	have |= p < w && MIN(l, w - p) <= 32 ? L32 : L33;
	if (l && e <= 32)
		have |= INLO;
	if (p < 32 && e > 32)
		have |= CROSS;
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

static uint32_t
flags_of(const bfi_query *q)
{
	ir_fact p = reduced(q, q->pos), l = reduced(q, q->len);
	uint64_t w = width_of(q->gop);
	uint32_t have = 0;

	have |= ir_fact_is_const(p) && p.lo < w ? PK : 0;
	have |= ir_fact_is_const(p) && p.lo && p.lo < w ? P1 : 0;
	have |= ir_fact_is_const(l) && l.lo ? LK : 0;
	have |= p.hi == 0 ? P0 | PK : 0;
	have |= p.lo >= w ? POUT : 0;
	have |= l.hi == 0 ? L0 : 0;
	have |= l.lo >= w ? LFULL : 0;
	have |= ir_fact_is_const(p) && p.lo >= 32 && p.lo < 64 ? INHP : 0;
	have |= p.hi < w ? PLT : 0;
	have |= l.hi < w ? LLT : 0;
	have |= q->uniform_field ? UPL : 0;
	have |= q->vector ? VEC : 0;
	if (ir_fact_is_const(p) && ir_fact_is_const(l))
		have |= constant_flags(q, p.lo, l.lo);
	return have;
}

bool
bfi_may_use(const bfi_row *r, const bfi_query *q)
{
	return r->gop == q->gop && !(r->need & ~flags_of(q));
}

const bfi_row *
bfi_choose(const bfi_query *q)
{
	uint32_t have = flags_of(q);

	for (size_t k = 0; k < COUNT(rows); k++)
		if (rows[k].gop == q->gop && !(rows[k].need & ~have))
			return &rows[k];
	return &rows[0];
}

/* ---- writing ---- */

typedef struct text {
	const bfi_writer *w;
	const bfi_query *q;
	const char *at;
	ir_opnd letter[26];
} text;

enum { MAX_ARGS = 4, MAX_NAME = 16 };
static ir_opnd expression(text *, unsigned type);

static void
skip(text *t)
{
	while (*t->at == ' ' || *t->at == ',')
		t->at++;
}

static ir_opnd
number(unsigned type, uint64_t x)
{
	return type == IR_T_D ? ir_i64(x) : type == IR_T_B1 ? ir_i1(x & 1) : ir_i32((uint32_t)x);
}

/* v_perm_b32 takes bytes 0..3 from its second source, 4..7 from its first. */
static uint64_t
selector(const constants *k)
{
	uint64_t s = 0;

	for (unsigned i = 0; i < 4; i++) {
		bool inserted = i >= k->p / 8 && i < (k->p + k->l) / 8;

		s |= (uint64_t)(inserted ? 4 + i - k->p / 8 : i) << 8 * i;
	}
	return s;
}

static uint64_t
named_constant(const bfi_query *q, char name)
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
	default: return selector(&k);
	}
}

static ir_opnd
literal(text *t, unsigned type)
{
	uint64_t x = 0;
	bool neg = *t->at == '-';

	t->at += neg;
	if (t->at[0] == '0' && t->at[1] == 'x')
		for (t->at += 2; strchr("0123456789abcdef", *t->at) && *t->at; t->at++)
			x = x * 16 + (uint64_t)(*t->at <= '9' ? *t->at - '0' : *t->at - 'a' + 10);
	else
		for (; *t->at >= '0' && *t->at <= '9'; t->at++)
			x = x * 10 + (uint64_t)(*t->at - '0');
	return number(type, neg ? 0 - x : x);
}

/* A new value differs between lanes if one of its sources does. */
static ir_opnd
generate(text *t, unsigned gop, unsigned n, const ir_opnd *s)
{
	ir_builder *B = t->w->B;
	ir_opnd r = ir_gen(B, gop, n, s);

	if (ir_is_val(r))
		for (unsigned k = 0; k < n; k++)
			B->f->vals.a[r.reg].divergent |=
				ir_is_val(s[k]) && B->f->vals.a[s[k].reg].divergent;
	return r;
}

static bool
differs(const text *t, ir_opnd o)
{
	return ir_is_val(o) && t->w->B->f->vals.a[o.reg].divergent;
}

static ir_opnd
compare(text *t, ir_cc cc, const ir_opnd *s)
{
	ir_opnd r = ir_icmp(t->w->B, 32, cc, s[0], s[1]);

	if (ir_is_val(r))
		t->w->B->f->vals.a[r.reg].divergent = differs(t, s[0]) || differs(t, s[1]);
	return r;
}

static ir_opnd
minimum(text *t, ir_opnd x, uint32_t n)
{
	ir_opnd s[2] = { x, ir_i32(n) };

	return t->w->fact(t->w->ud, x).hi <= n ? x : generate(t, G_min_u32, 2, s);
}

static ir_opnd
reduce(text *t, ir_opnd x)
{
	ir_opnd s[2] = { x, ir_i32(255) };

	if (all_bits(t->q->gop, t->q->sem) || t->w->fact(t->w->ud, x).hi <= 255)
		return x;
	return generate(t, G_and32, 2, s);
}

static ir_opnd
select_bits(text *t, const ir_opnd *s)
{
	ir_opnd half[2], x[3], y[2];

	if (!differs(t, s[0]) && !differs(t, s[1]) && !differs(t, s[2])) {
		y[0] = generate(t, G_and64, 2, (ir_opnd[]){ s[0], s[1] });
		x[0] = generate(t, G_not64, 1, s);
		y[1] = generate(t, G_and64, 2, (ir_opnd[]){ x[0], s[2] });
		return generate(t, G_or64, 2, y);
	}
	for (unsigned h = 0; h < 2; h++) {
		for (unsigned k = 0; k < 3; k++)
			x[k] = generate(t, h ? G_hi32 : G_lo32, 1, &s[k]);
		half[h] = generate(t, G_bitsel32, 3, x);
	}
	return generate(t, G_pack64, 2, half);
}

static ir_opnd
nested(text *t, unsigned gop, const ir_opnd *s)
{
	bool insert = is_bfi(gop);
	ir_opnd o[4] = { s[0], insert ? s[1] : ir_i32(0), s[insert ? 2 : 1], s[insert ? 3 : 2] };
	const bfi_writer *w = t->w;
	bfi_query q = { .gop = (uint16_t)gop, .sem = t->q->sem, .a = w->fact(w->ud, o[0]),
		.b = w->fact(w->ud, o[1]), .pos = w->fact(w->ud, o[2]), .len = w->fact(w->ud, o[3]),
		.vector = differs(t, o[0]) || differs(t, o[1]),
		.uniform_field = !differs(t, o[2]) && !differs(t, o[3]) };

	return bfi_write(w, bfi_choose(&q), &q, o);
}

/* Names that are no generic operations. */
static const struct helper {
	const char *name;
	uint8_t n;
} helpers[] = {
	{ "red", 1 }, { "byte", 1 }, { "cap", 2 }, { "gt", 2 }, { "eq", 2 }, { "bitsel64", 3 }
};
enum { RED, BYTE, CAP, GT, EQ, BITSEL64 };

static ir_opnd
call_helper(text *t, unsigned which)
{
	ir_opnd s[3];

	for (unsigned k = 0; k < helpers[which].n; k++)
		s[k] = expression(t, which == BITSEL64 ? IR_T_D : IR_T_W);
	switch (which) {
	case RED: return reduce(t, s[0]);
	case BYTE: return all_bits(t->q->gop, t->q->sem) ? minimum(t, s[0], 255) : reduce(t, s[0]);
	case CAP: return minimum(t, s[0], (uint32_t)s[1].imm);
	case GT: return compare(t, IR_HI, s);
	case EQ: return compare(t, IR_EQ, s);
	default: return select_bits(t, s);
	}
}

static ir_opnd
call(text *t, const char *name)
{
	ir_opnd s[MAX_ARGS];

	for (unsigned k = 0; k < COUNT(helpers); k++)
		if (!strcmp(helpers[k].name, name))
			return call_helper(t, k);
	for (unsigned gop = IR_G_BASE + 1; gop < P_entry; gop++) {
		const ir_ginfo *g = ir_ginfo_of(gop);

		if (strcmp(g->name, name))
			continue;
		for (unsigned k = 0; k < g->nsrc; k++)
			s[k] = expression(t, g->src[k]);
		if (gop >= G_ptx_bfi32 && gop <= G_ptx_bfe_s64)
			return nested(t, gop, s);
		return generate(t, gop, g->nsrc, s);
	}
	return ir_i32(0);
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* number | CONSTANT | letter | name(expression, ...) */
static ir_opnd
expression(text *t, unsigned type)
{
	char name[MAX_NAME] = { 0 };
	size_t n = 0;
	ir_opnd r;

	skip(t);
	if (*t->at == '-' || (*t->at >= '0' && *t->at <= '9'))
		return literal(t, type);
	if (*t->at >= 'A' && *t->at <= 'Z')
		return number(type, named_constant(t->q, *t->at++));
	for (; n + 1 < MAX_NAME && is_name(*t->at); t->at++)
		name[n++] = *t->at;
	if (*t->at != '(')
		return t->letter[name[0] - 'a'];
	t->at++;
	r = call(t, name);
	skip(t);
	t->at += *t->at == ')';
	return r;
}

ir_opnd
bfi_write(const bfi_writer *w, const bfi_row *row, const bfi_query *q, const ir_opnd opnd[4])
{
	text t = { .w = w, .q = q, .at = row->text };
	unsigned type = width_of(q->gop) == 64 ? IR_T_D : IR_T_W;

	for (unsigned k = 0; k < 4; k++)
		t.letter[k] = opnd[k];
	while (*t.at) {
		ir_opnd *d;

		skip(&t);
		d = &t.letter[*t.at++ - 'a'];
		while (*t.at == ' ' || *t.at == '=')
			t.at++;
		*d = expression(&t, d == &t.letter['r' - 'a'] ? type : IR_T_W);
		while (*t.at == ' ' || *t.at == ';')
			t.at++;
	}
	return t.letter['r' - 'a'];
}
