/* bfi_write.c -- a row of bfi.def as generic SSA. Needs facts of the operands and of what is written; the
 * texts are ours, not the user's: a fault in one is met by the tests, which write every row.
 * PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi). */
#include "lower/bfi_text.h"

enum { MAX_VALS = 80 };

typedef struct writing {
	const bfi_writer *w;
	const bfi_query *q;
	ir_opnd val[MAX_VALS];
	unsigned n;
	bfi_val any;             /* not 0: the dword that may hold anything */
	bool stop;               /* no more room */
} writing;

#define G_NOPE 0
static const struct { uint16_t gop; uint8_t n; } ops[] = {
#define BOP(name, gop, dst, src, ...) { G_##gop, sizeof src - 1 },
#define BMOP(...)
#include "lower/bfi_ops.def"
};

static bfi_val
keep(writing *W, ir_opnd o)
{
	W->stop |= W->n == MAX_VALS;
	if (W->stop)
		return 0;
	W->val[W->n] = o;
	return (bfi_val)W->n++;
}

static bfi_val
write_number(void *ud, unsigned dwords, uint64_t x)
{
	return keep(ud, dwords == 2 ? ir_i64(x) : dwords ? ir_i32((uint32_t)x) : ir_i1(x & 1));
}

static bool
differs(const writing *W, ir_opnd o)
{
	return ir_is_val(o) && W->w->B->f->vals.a[o.reg].divergent;
}

/* A new value differs between lanes if one of its sources does. */
static ir_opnd
generate(writing *W, unsigned gop, unsigned n, const ir_opnd *s)
{
	ir_builder *B = W->w->B;
	ir_opnd r = ir_gen(B, gop, n, s);

	if (ir_is_val(r))
		for (unsigned k = 0; k < n; k++)
			B->f->vals.a[r.reg].divergent |= differs(W, s[k]);
	return r;
}

static ir_opnd
compare(writing *W, ir_cc cc, const ir_opnd *s)
{
	ir_opnd r = ir_icmp(W->w->B, 32, cc, s[0], s[1]);

	if (ir_is_val(r))
		W->w->B->f->vals.a[r.reg].divergent = differs(W, s[0]) || differs(W, s[1]);
	return r;
}

static ir_opnd
select_bits(writing *W, const ir_opnd *s)
{
	ir_opnd half[2], x[3], y[2];

	if (!differs(W, s[0]) && !differs(W, s[1]) && !differs(W, s[2])) {
		y[0] = generate(W, G_and64, 2, (ir_opnd[]){ s[0], s[1] });
		x[0] = generate(W, G_not64, 1, s);
		y[1] = generate(W, G_and64, 2, (ir_opnd[]){ x[0], s[2] });
		return generate(W, G_or64, 2, y);
	}
	for (unsigned h = 0; h < 2; h++) {
		for (unsigned k = 0; k < 3; k++)
			x[k] = generate(W, h ? G_hi32 : G_lo32, 1, &s[k]);
		half[h] = generate(W, G_bitsel32, 3, x);
	}
	return generate(W, G_pack64, 2, half);
}

/* Where it stands is known with its other half. */
static bfi_val
write_any(void *ud)
{
	writing *W = ud;

	return W->any = keep(W, ir_i32(0));
}

static ir_opnd
with_any(writing *W, ir_opnd lo)
{
	ir_opnd s[2] = { lo };

	if (!ir_is_val(lo))
		return ir_i64(bfi_with_any((uint32_t)lo.imm));
	s[1] = generate(W, G_undef32, 0, NULL);
	if (ir_is_val(s[1]))
		W->w->B->f->vals.a[s[1].reg].divergent = differs(W, lo);
	return generate(W, G_pack64, 2, s);
}

static bfi_val
write_op(void *ud, unsigned bop, const bfi_val *src, bool last)
{
	writing *W = ud;
	ir_opnd s[4];

	for (unsigned k = 0; k < ops[bop].n; k++)
		s[k] = W->val[src[k]];
	(void)last;
	switch (bop) {
	case BOP_pack64:
		if (W->any && src[1] == W->any)
			return keep(W, with_any(W, s[0]));
		return keep(W, generate(W, G_pack64, 2, s));
	case BOP_gt: return keep(W, compare(W, IR_HI, s));
	case BOP_eq: return keep(W, compare(W, IR_EQ, s));
	case BOP_bitsel64: return keep(W, select_bits(W, s));
	default: return keep(W, generate(W, ops[bop].gop, ops[bop].n, s));
	}
}

static uint64_t
write_bound(void *ud, bfi_val v)
{
	const writing *W = ud;

	return W->w->fact(W->w->ud, W->val[v]).hi;
}

static bfi_val
write_nested(void *ud, unsigned gop, const bfi_val opnd[4], bool last)
{
	writing *W = ud;
	const bfi_writer *w = W->w;
	ir_fact *f[4];
	ir_opnd o[4];
	bfi_query q = { .gop = (uint16_t)gop, .sem = W->q->sem, .t = W->q->t, .inner = !last };

	f[0] = &q.a, f[1] = &q.b, f[2] = &q.pos, f[3] = &q.len;
	for (unsigned k = 0; k < 4; k++) {
		o[k] = W->val[opnd[k]];
		*f[k] = w->fact(w->ud, o[k]);
		q.lanes |= (unsigned)differs(W, o[k]) << k;
	}
	bfi_tidy(&q);
	return keep(W, bfi_write(w, bfi_choose(&q), &q, o));
}

static ir_opnd
constant_or(ir_opnd o, const ir_fact *f, bool wide)
{
	return !ir_fact_is_const(*f) ? o : wide ? ir_i64(f->lo) : ir_i32((uint32_t)f->lo);
}

ir_opnd
bfi_write(const bfi_writer *w, const bfi_row *row, const bfi_query *q, const ir_opnd opnd[4])
{
	static const bfi_back back = { write_number, write_any, write_op, write_nested, write_bound };
	writing W = { .w = w, .q = q };
	const ir_fact *f[4] = { &q->a, &q->b, &q->pos, &q->len };
	bfi_val v[4];

	for (unsigned k = 0; k < 4; k++)
		v[k] = keep(&W, constant_or(opnd[k], f[k], k < 2 && bfi_width(q->gop) == 64));
	return W.val[bfi_read(row, q, &back, &W, v, &W.stop)];
}
