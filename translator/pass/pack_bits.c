/* pack_bits.c -- where each bit of a value comes from. Needs generic SSA, facts, use counts, loops;
 * leaves the code as it is. Operations by constants that only move bits are looked through, and so
 * are or, xor and add of operands that have no bit in common; everything else is a leaf. */
#include "pass/pack.h"

enum { MAX_DEPTH = 24 };

static bits expand(pack_tree *, ir_opnd, unsigned depth);

static bits
filled(uint8_t b)
{
	bits r;

	for (unsigned j = 0; j < 32; j++)
		r.b[j] = b;
	return r;
}

static bits
constant(uint32_t x)
{
	bits r;

	for (unsigned j = 0; j < 32; j++)
		r.b[j] = x >> j & 1 ? BIT_ONE : BIT_ZERO;
	return r;
}

static ir_fact
fact_of(const pack_tree *t, ir_opnd o)
{
	return ir_is_val(o) && o.reg >= t->nfacts ? ir_fact_none(o.width)
						  : ir_fact_of(t->f, t->facts, o);
}

static void
apply_fact(const pack_tree *t, ir_opnd o, bits *r)
{
	ir_fact f = fact_of(t, o);

	for (unsigned j = 0; j < 32; j++)
		if (f.zero >> j & 1)
			r->b[j] = BIT_ZERO;
		else if (f.one >> j & 1)
			r->b[j] = BIT_ONE;
}

static bits
leaf(pack_tree *t, ir_opnd o)
{
	unsigned n = t->nleaves;
	bits r;

	for (unsigned k = 0; k < n; k++)
		if (ir_same(t->leaf[k], o))
			return t->leaf_bits[k];
	if (n == PACK_LEAVES) {
		t->full = true;
		return filled(BIT_ZERO);
	}
	for (unsigned j = 0; j < 32; j++)
		r.b[j] = (uint8_t)(BIT_LEAF * (n + 1) + j);
	apply_fact(t, o, &r);
	t->leaf[n] = o;
	t->leaf_bits[n] = r;
	t->nleaves++;
	return r;
}

/* ---- operations ---- */

static bool
is_const(ir_opnd o, uint64_t *x)
{
	*x = (uint64_t)o.imm;
	return ir_is_imm(o) && !o.mods;
}

static ir_opnd
half(ir_opnd o, unsigned h)
{
	return o.width == 2 ? ir_part(o, h, 1) : o;
}

/* false: the bits of the result are not bits of the sources. */
static bool
merge(unsigned op, const bits *a, const bits *b, bits *r)
{
	bool conj = op == G_and32 || op == G_and64, disj = op == G_or32 || op == G_or64;

	for (unsigned j = 0; j < 32; j++) {
		uint8_t x = a->b[j], y = b->b[j];
		uint8_t none = conj ? BIT_ONE : BIT_ZERO, all = conj ? BIT_ZERO : BIT_ONE;

		if (x == none || y == none)
			r->b[j] = x == none ? y : x;
		else if ((conj || disj) && (x == all || y == all))
			r->b[j] = all;
		else if ((conj || disj) && x == y)
			r->b[j] = x;
		else
			return false;
	}
	return true;
}

/* Bits n.. of the 64-bit number hi:lo; what is above is `fill`. */
static bits
window(const bits *lo, const bits *hi, unsigned n, uint8_t fill)
{
	bits r;

	for (unsigned j = 0; j < 32; j++)
		r.b[j] = j + n < 32 ? lo->b[j + n] : j + n < 64 ? hi->b[j + n - 32] : fill;
	return r;
}

static bits
shift32(unsigned op, const bits *a, unsigned n)
{
	bits zero = filled(BIT_ZERO), sign = filled(a->b[31]);

	if (op == G_shl32)
		return window(&zero, a, 32 - n, BIT_ZERO);
	return window(a, op == G_ashr32 ? &sign : &zero, n, BIT_ZERO);
}

static bits
shift64(unsigned op, const bits *lo, const bits *hi, unsigned n, unsigned h)
{
	bits zero = filled(BIT_ZERO);

	if (op == G_shl64)
		return h ? (n < 32 ? window(lo, hi, 32 - n, BIT_ZERO) : window(&zero, lo, 64 - n, BIT_ZERO))
			 : (n < 32 ? window(&zero, lo, 32 - n, BIT_ZERO) : zero);
	return window(lo, hi, n + 32 * h, op == G_ashr64 ? hi->b[31] : BIT_ZERO);
}

static bits
field(const bits *a, unsigned pos, unsigned len, bool is_signed)
{
	bits r;

	len = MIN(len, 32 - pos);
	for (unsigned j = 0; j < 32; j++)
		r.b[j] = j < len ? a->b[pos + j]
			 : is_signed && len ? a->b[pos + len - 1] : BIT_ZERO;
	return r;
}

/* gops.def, perm32: bytes of high:low, signs of halves, constants. */
static bits
permuted(const bits *high, const bits *low, uint32_t selector)
{
	const bits *word[2] = { low, high };
	bits r;

	for (unsigned j = 0; j < 32; j++) {
		unsigned s = selector >> (j & 24) & 0xff;

		if (s < 8)
			r.b[j] = word[s / 4]->b[8 * (s % 4) + j % 8];
		else if (s < 12)
			r.b[j] = word[s / 2 % 2]->b[16 * (s % 2) + 15];
		else
			r.b[j] = s == 12 ? BIT_ZERO : BIT_ONE;
	}
	return r;
}

static bits
chosen(uint32_t mask, const bits *a, const bits *b)
{
	bits r;

	for (unsigned j = 0; j < 32; j++)
		r.b[j] = mask >> j & 1 ? a->b[j] : b->b[j];
	return r;
}

bool
pack_moves_bits(const ir_inst *i)
{
	uint64_t x;

	switch (i->m.op) {
	case G_and32: case G_or32: case G_xor32: case G_add32:
	case G_and64: case G_or64: case G_xor64: case G_add64:
		return true;
	case G_shl32: case G_lshr32: case G_ashr32: case G_shl64: case G_lshr64: case G_ashr64:
		return is_const(i->m.arg[2], &x);
	case G_bfe_u32: case G_bfe_s32:
		return is_const(i->m.arg[2], &x) && is_const(i->m.arg[3], &x);
	case G_bitsel32:
		return is_const(i->m.arg[1], &x);
	case G_alignbit32: case G_perm32:
		return is_const(i->m.arg[3], &x);
	default:
		return false;
	}
}

/* Operations on dwords, sources s. */
static bool
compute32(const ir_inst *i, const bits *s, bits *r)
{
	uint32_t k1 = (uint32_t)i->m.arg[1].imm, k2 = (uint32_t)i->m.arg[2].imm,
		 k3 = (uint32_t)i->m.arg[3].imm;

	switch (i->m.op) {
	case G_shl32: case G_lshr32: case G_ashr32:
		*r = shift32(i->m.op, &s[0], k2 & 31);
		return true;
	case G_bfe_u32: case G_bfe_s32:
		*r = field(&s[0], k2 & 31, k3 & 31, i->m.op == G_bfe_s32);
		return true;
	case G_bitsel32:
		*r = chosen(k1, &s[1], &s[2]);
		return true;
	case G_alignbit32:
		*r = window(&s[1], &s[0], k3 & 31, BIT_ZERO);
		return true;
	case G_perm32:
		*r = permuted(&s[0], &s[1], k3);
		return true;
	default:
		return merge(i->m.op, &s[0], &s[1], r);
	}
}

static bool
is_shift64(unsigned op)
{
	return op == G_shl64 || op == G_lshr64 || op == G_ashr64;
}

/* Dword h of the result of i. A carry out of the low half would be seen by the high one, so both
 * halves of a sum are looked at. */
static bool
compute(pack_tree *t, const ir_inst *i, unsigned h, unsigned depth, bits *r)
{
	bits s[3], other[2];

	if (is_shift64(i->m.op)) {
		s[0] = expand(t, half(i->m.arg[1], 0), depth);
		s[1] = expand(t, half(i->m.arg[1], 1), depth);
		*r = shift64(i->m.op, &s[0], &s[1], (unsigned)i->m.arg[2].imm & 63, h);
		return true;
	}
	for (unsigned k = 1; k < i->m.nargs; k++)
		s[k - 1] = expand(t, half(i->m.arg[k], h), depth);
	if (i->m.op == G_add64 && h) {
		for (unsigned k = 0; k < 2; k++)
			other[k] = expand(t, half(i->m.arg[k + 1], 0), depth);
		if (!merge(G_add64, &other[0], &other[1], r))
			return false;
	}
	return compute32(i, s, r);
}

/* ---- the walk ---- */

/* Where the definition runs as often as the root does, and scalars that it reads are unchanged. */
static bool
may_be_inside(const pack_tree *t, const ir_inst *d)
{
	if (d->block == t->root->block)
		return true;
	return d->block->loop == t->root->block->loop && !d->block->irreducible &&
	       !t->root->block->irreducible;
}

/* Copies and halves change no bit; a copy that makes a uniform value a lane's own must stay. */
static ir_opnd
plain(const pack_tree *t, ir_opnd o)
{
	for (unsigned steps = 0; steps < 64 && ir_is_val(o); steps++) {
		const ir_inst *d = t->f->vals.a[o.reg].def;
		ir_opnd s;

		if (!d || !d->block || !may_be_inside(t, d))
			return o;
		s = d->m.arg[1];
		switch (d->m.op) {
		case G_copy32: break;
		case G_copy64: s = half(s, (unsigned)o.imm); break;
		case G_lo32: s = half(s, 0); break;
		case G_hi32: s = half(s, 1); break;
		case G_pack64: s = d->m.arg[1 + o.imm]; break;
		default: return o;
		}
		if (ir_is_val(s) && !s.mods &&
		    t->f->vals.a[s.reg].divergent != t->f->vals.a[o.reg].divergent &&
		    (d->m.op == G_copy32 || d->m.op == G_copy64))
			return o;
		o = s;
	}
	return o;
}

static ir_inst *
inside(pack_tree *t, ir_opnd o)
{
	ir_inst *d = t->f->vals.a[o.reg].def;

	if (!d || !d->block || !pack_moves_bits(d) || !may_be_inside(t, d))
		return NULL;
	if (d == t->root || t->whole || t->f->vals.a[o.reg].nuses <= 1)
		return d;
	t->cut = true;
	return NULL;
}

static bits
remember(pack_tree *t, ir_opnd o, ir_inst *def, bits b)
{
	if (t->nnodes == PACK_NODES)
		t->full = true;
	else
		t->node[t->nnodes++] = (pack_node){ o, def, b };
	return b;
}

static bits
expand(pack_tree *t, ir_opnd o, unsigned depth)
{
	ir_inst *d;
	bits r;

	o = plain(t, o);
	if (ir_is_imm(o))
		return constant((uint32_t)o.imm);
	if (!ir_is_val(o) || o.mods || o.width != 1 || t->full) {
		t->full = true;
		return filled(BIT_ZERO);
	}
	for (unsigned k = 0; k < t->nnodes; k++)
		if (ir_same(t->node[k].o, o))
			return t->node[k].b;
	d = depth < MAX_DEPTH ? inside(t, o) : NULL;
	if (!d || !compute(t, d, (unsigned)o.imm, depth + 1, &r))
		return remember(t, o, NULL, leaf(t, o));
	apply_fact(t, o, &r);
	return remember(t, o, d, r);
}

void
pack_begin(pack_tree *t, const ir_inst *root, bool whole)
{
	t->root = root;
	t->whole = whole;
	t->full = t->cut = false;
	t->nleaves = t->nnodes = 0;
}

bits
pack_root_bits(pack_tree *t, unsigned h)
{
	return expand(t, half(t->root->m.arg[0], h), 0);
}
