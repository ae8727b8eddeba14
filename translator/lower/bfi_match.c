/* bfi_match.c -- how often nodes are read, and which of them others do on the way: BFUSE rows,
 * x & 255 as a byte select of SDWA, and moves up by whole bytes as the part of a result that SDWA writes. Needs a built graph; leaves node.uses, node.gone.
 * Manuals: "VOP3", "SDWA" of AMD's ISA documents. */
#include "lower/bfi_seq.h"

#include <string.h>

/* A node of which both dwords are read is read once. */
static void
read_value(bs_seq *s, const bs_val *v)
{
	bool first = bs_kind(v->w[0]) == BS_NODE;

	if (first)
		s->node[bs_id(v->w[0])].uses++;
	if (bs_n(*v) == 2 && bs_kind(v->w[1]) == BS_NODE && !(first && bs_id(v->w[0]) == bs_id(v->w[1])))
		s->node[bs_id(v->w[1])].uses++;
}

static void
count_uses(bs_seq *s)
{
	read_value(s, &s->r);
	for (unsigned k = s->nnodes; k-- > 0;)
		for (unsigned i = 0; s->node[k].uses && i < s->node[k].nsrc; i++)
			read_value(s, &s->node[k].src[i]);
}

/* ---- two operations in one ---- */

typedef struct fusion { uint8_t outer, inner, row; const char *order; } fusion;
static const fusion fusions[] = {
#define BOP(...)
#define BMOP(...)
#define BFUSE(outer, inner, row, order) { BOP_##outer, BOP_##inner, BOP_##row, order },
#include "lower/bfi_ops.def"
};

_Static_assert(BOP_COUNT <= 64, "a set of operations is one number");
static const uint64_t outers = 0
#define BOP(...)
#define BMOP(...)
#define BFUSE(outer, inner, row, order) | 1ull << BOP_##outer
#include "lower/bfi_ops.def"
;

/* Source k of n, if it is a whole node that nobody else reads. */
static bs_node *
own_source(bs_seq *s, const bs_node *n, unsigned k)
{
	bs_val v = n->src[k];
	bs_node *d = &s->node[bs_id(v.w[0])];

	if (bs_kind(v.w[0]) != BS_NODE || bs_half(v.w[0]) || d->uses != 1 || d->n != bs_n(v))
		return NULL;
	return bs_n(v) < 2 || (bs_kind(v.w[1]) == BS_NODE && bs_id(v.w[1]) == bs_id(v.w[0]) && bs_half(v.w[1])) ? d : NULL;
}

/* Can one instruction read them? Different scalar registers and literals come over the constant bus. What a scalar
 * instruction would do must cost nothing: no literal may want a load. */
static bool
on_one_bus(const bs_seq *s, const bs_val part[3], const char *order, bool from_scalar)
{
	unsigned n = 0, literals = 0;

	for (unsigned k = 0; order[k]; k++) {
		const bs_val *v = &part[order[k] - 'a'];
		bool seen = bs_is_const(*v) ? !bs_is_literal(s, *v) : bs_is_vec(*v);

		for (unsigned j = 0; j < k; j++)
			seen |= bs_same_word(part[order[j] - 'a'].w[0], v->w[0]);
		n += !seen;
		literals += !seen && bs_is_const(*v);
	}
	return n <= s->q->t->const_bus && !(from_scalar && literals > s->q->t->vop3_literal);
}

/* n and its source k, `in`, as one operation. */
static bool
fuse_with(bs_seq *s, bs_node *n, const fusion *f, unsigned k, bs_node *in)
{
	const bop_info *row = &bop_table[f->row];
	unsigned op = n->vec ? row->valu : row->salu;
	bs_val part[3];

	if (op == BS_NO || !isa_has(s->q->t, op))
		return false;
	part[0] = in->src[0];
	part[1] = in->nsrc > 1 ? in->src[1] : in->src[0];
	part[2] = n->src[k ^ 1];
	if (n->vec && !on_one_bus(s, part, f->order, !in->vec))
		return false;
	in->gone = true;
	n->constants |= in->constants;
	n->op = f->row;
	n->nsrc = (uint8_t)strlen(f->order);
	for (unsigned i = 0; i < n->nsrc; i++)
		n->src[i] = part[f->order[i] - 'a'];
	return true;
}

static bool
fuse_on(bs_seq *s, bs_node *n, bs_node *const own[2], bool vec)
{
	for (const fusion *f = fusions; f < fusions + COUNT(fusions); f++)
		for (unsigned k = 0; f->outer == n->op && k < 2; k++)
			if (own[k] && own[k]->op == f->inner && own[k]->vec == vec && fuse_with(s, n, f, k, own[k]))
				return true;
	return false;
}

/* Vector sources first: they cost more. */
static void
fuse(bs_seq *s, bs_node *n)
{
	bs_node *own[2];

	if (!(outers >> n->op & 1))
		return;
	own[0] = own_source(s, n, 0);
	own[1] = own_source(s, n, 1);
	if ((own[0] || own[1]) && !(n->vec && fuse_on(s, n, own, true)))
		fuse_on(s, n, own, false);
}

/* ---- bytes and halves as sources ---- */

/* Which SDWA part of its source x & mask is. */
static unsigned
part_of(const bs_node *n)
{
	if (n->op != BOP_and32 || !bs_is_const(n->src[1]) || bs_is_const(n->src[0]))
		return P2A_SEL_DWORD;
	return bs_x(n->src[1].w[0]) == 0xff ? P2A_SEL_BYTE0 : bs_x(n->src[1].w[0]) == 0xffff ? P2A_SEL_WORD0 : P2A_SEL_DWORD;
}

static bool
reads(const bs_val *v, unsigned node)
{
	return bs_n(*v) < 2 && bs_kind(v->w[0]) == BS_NODE && bs_id(v->w[0]) == node;
}

static bool
takes_parts(const bs_seq *s, const bs_node *n)
{
	return n->vec && n->op != BOP_sel32 && isa_is_short(s->q->t, bop_table[n->op].valu);
}

/* All who read it must take it as a part. */
static void
byte_sources(bs_seq *s, unsigned node)
{
	bs_node *n = &s->node[node], *reader[BS_NODES];
	unsigned part = part_of(n), readers = 0, can = 0;

	if (part == P2A_SEL_DWORD || !n->uses || n->gone)
		return;
	for (bs_node *r = n + 1; r < &s->node[s->nnodes] && can < n->uses; r++) {
		unsigned times = 0;

		for (unsigned j = 0; j < r->nsrc; j++)
			times += reads(&r->src[j], node);
		if (!times || !r->uses || r->gone)
			continue;
		if (!takes_parts(s, r))
			return;
		can += times;
		reader[readers++] = r;
	}
	if (can != n->uses)
		return;
	n->gone = true;
	n->sel = (uint8_t)part;
	for (unsigned k = 0; k < readers; k++)
		reader[k]->parts = true;
}

/* ---- bytes and halves as results ---- */

/* Which part of the result x shifted left by a constant is, or what a mask of x keeps; what x has above that part falls off. */
static unsigned
part_written(const bs_node *n)
{
	uint32_t k;

	if (!n->vec || n->nsrc != 2 || !bs_is_const(n->src[1]) || bs_is_const(n->src[0]))
		return P2A_SEL_DWORD;
	k = bs_x(n->src[1].w[0]);
	if (n->op == BOP_shl32)
		return k == 24 ? P2A_SEL_BYTE3 : k == 16 ? P2A_SEL_WORD1 : P2A_SEL_DWORD;
	return part_of(n);
}

/* The operation of which a part is wanted writes it where it belongs. */
static void
write_part(bs_seq *s, unsigned node)
{
	bs_node *n = &s->node[node], *x;
	unsigned part = part_written(n), id;

	if (part == P2A_SEL_DWORD || bs_kind(n->src[0].w[0]) != BS_NODE || bs_n(n->src[0]) != 1)
		return;
	id = bs_id(n->src[0].w[0]);
	x = &s->node[id];
	if (x->uses != 1 || x->gone || x->to || bs_half(n->src[0].w[0]) || !takes_parts(s, x))
		return;
	x->gone = true;
	n->op = x->op;
	n->nsrc = x->nsrc;
	n->constants = x->constants;
	n->parts = true;
	n->to = (uint8_t)part;
	for (unsigned k = 0; k < x->nsrc; k++)
		n->src[k] = x->src[k];
}

void
bs_match(bs_seq *s)
{
	count_uses(s);
	for (unsigned k = s->nnodes; k-- > 0;)
		if (s->node[k].uses && !s->node[k].gone)
			fuse(s, &s->node[k]);
	for (unsigned k = 0; k < s->nnodes && s->q->t->sdwa; k++)
		byte_sources(s, k);
	for (unsigned k = 0; k < s->nnodes && s->q->t->sdwa; k++)
		if (s->node[k].uses && !s->node[k].gone)
			write_part(s, k);
}
