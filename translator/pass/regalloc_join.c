/* regalloc_join.c -- bundles: values that shall lie in the same registers, so that copies vanish.
 * Needs liveness; leaves ra.bundles with alignment and weight, and the copies of each value (ties).
 * A value may become part of a wider one (pack64 is two copies into halves); lives are kept by dword, so
 * that a half that dies early frees its register. Joined only where no two of them are needed at once. */
#include "pass/regalloc.h"

#include <string.h>

enum { MAX_SEGS = 4096 };       /* of a dword; longer lists are not joined further */

/* ---- one bundle a value ---- */

static uint8_t
alignment(const ra *R, uint32_t val)
{
	const ir_val *v = &R->f->vals.a[val];

	if (!val || v->dwords < 2)
		return val ? 1 : 2;
	if (v->bank == IR_BANK_V)
		return R->t->align_vgpr_pairs ? 2 : 1;
	return v->dwords == 2 ? 2 : 4;
}

static bool
occurs(const ra *R, uint32_t val)
{
	for (uint32_t u = R->live->base[val]; u < R->live->base[val + 1]; u++)
		if (R->live->segs[u].n)
			return true;
	return false;
}

static void
new_bundle(ra *R, uint32_t val)
{
	const ra_live *L = R->live;
	ra_bundle *b = &R->bundles[R->nbundles];

	*b = (ra_bundle){ .first = val, .cost = L->cost[val], .reg = -1, .pin = R->f->vals.a[val].pin,
		.bank = (uint8_t)ra_bank(R->f, val), .align = alignment(R, val),
		.width = (uint8_t)(L->base[val + 1] - L->base[val]) };
	if (!val)
		b->pin = RA_VCC;
	b->fixed = !val || (R->homes.a[val].temp && R->homes.a[val].single);
	b->in_vcc = L->good_in_vcc[val] && b->width * 32u == R->t->wave;
	b->dw = arena_array(R->A, ra_segs, b->width);
	for (unsigned d = 0; d < b->width; d++)
		b->dw[d] = L->segs[L->base[val] + d];
	if (R->homes.a[val].remat)
		b->cost *= 0.5f;
	R->bundle_of[val] = R->nbundles++;
}

/* ---- joining ---- */

/* Does `in` fit into `out` at dword off, and do their wishes agree? */
static bool
compatible(const ra_bundle *out, const ra_bundle *in, int off)
{
	unsigned a = MIN(out->align, in->align);

	if (off < 0 || off + in->width > out->width || out->bank != in->bank)
		return false;
	if ((out->phase + (unsigned)off) % a != in->phase % a)
		return false;
	if (out->fixed || in->fixed)
		return false;
	if (in->pin >= 0)
		return out->width == in->width && out->pin < 0;
	return true;
}

/* The unit of value v that lies at dword d of its bundle; RA_NONE. */
static uint32_t
unit_at(const ra *R, uint32_t v, unsigned d)
{
	uint32_t n = R->live->base[v + 1] - R->live->base[v];

	return d < R->offset[v] || d >= R->offset[v] + n ? RA_NONE : R->live->base[v] + d - R->offset[v];
}

/* Do units at dword d of `in` and off + d of `out` that are alive at once all have the same content? */
static bool
same_content(const ra *R, const ra_bundle *out, const ra_bundle *in, unsigned off, unsigned d)
{
	enum { MAX_PAIRS = 256 };
	const ra_live *L = R->live;
	unsigned pairs = 0;

	for (uint32_t v = in->first; v != RA_NONE; v = R->next_val[v])
		for (uint32_t w = out->first; w != RA_NONE; w = R->next_val[w]) {
			uint32_t x = unit_at(R, v, d), y = unit_at(R, w, off + d);

			if (++pairs > MAX_PAIRS)
				return false;
			if (x != RA_NONE && y != RA_NONE && L->root[x] != L->root[y] &&
			    ra_overlap(&L->segs[x], &L->segs[y]))
				return false;
		}
	return true;
}

static bool
clash(const ra *R, const ra_bundle *out, const ra_bundle *in, unsigned off)
{
	for (unsigned d = 0; d < in->width; d++) {
		if (out->dw[off + d].n + in->dw[d].n > MAX_SEGS && in->dw[d].n > 1)
			return true;
		if (ra_overlap(&out->dw[off + d], &in->dw[d]) && !same_content(R, out, in, off, d))
			return true;
	}
	return false;
}

static void
absorb(ra *R, uint32_t o, uint32_t i, unsigned off)
{
	ra_bundle *out = &R->bundles[o], *in = &R->bundles[i];
	uint32_t v = in->first, last = v;

	for (unsigned d = 0; d < in->width; d++)
		ra_unite(R->A, &out->dw[off + d], &in->dw[d]);
	for (; v != RA_NONE; last = v, v = R->next_val[v]) {
		R->bundle_of[v] = o;
		R->offset[v] = (uint8_t)(R->offset[v] + off);
	}
	R->next_val[last] = out->first;
	out->first = in->first;
	if (in->align > out->align) {
		out->phase = (uint8_t)((in->phase + 64u - off) % in->align);
		out->align = in->align;
	}
	if (in->pin >= 0)
		out->pin = in->pin;
	out->cost += in->cost;
	out->in_vcc |= in->in_vcc;
	in->gone = true;
}

static void
join_copy(ra *R, const ir_inst *i)
{
	const ir_opnd *d = &i->m.arg[0], *s = &i->m.arg[1];
	uint32_t x = R->bundle_of[d->reg], y = R->bundle_of[s->reg];
	int off;                /* of y's first dword seen from x's */

	if (x == RA_NONE || y == RA_NONE || x == y)
		return;
	off = R->offset[d->reg] + (int)d->imm - R->offset[s->reg] - (int)s->imm;
	/* The wider takes the other in; of equals, the one with more members, so that renaming stays cheap. */
	if (compatible(&R->bundles[x], &R->bundles[y], off) &&
	    (R->bundles[x].width > R->bundles[y].width || R->next_val[R->bundles[y].first] == RA_NONE)) {
		if (!clash(R, &R->bundles[x], &R->bundles[y], (unsigned)off))
			absorb(R, x, y, (unsigned)off);
	} else if (compatible(&R->bundles[y], &R->bundles[x], -off)) {
		if (!clash(R, &R->bundles[y], &R->bundles[x], (unsigned)-off))
			absorb(R, y, x, (unsigned)-off);
	} else if (compatible(&R->bundles[x], &R->bundles[y], off)) {
		if (!clash(R, &R->bundles[x], &R->bundles[y], (unsigned)off))
			absorb(R, x, y, (unsigned)off);
	}
}

/* Copies in deep loops first. */
static void
join_all(ra *R)
{
	enum { DEEPEST = 5 };

	for (uint32_t depth = DEEPEST + 1; depth-- > 0;)
		for (uint32_t k = 0; k < R->nties; k++)
			if (MIN(R->ties[k].copy->block->depth, (uint32_t)DEEPEST) == depth)
				join_copy(R, R->ties[k].copy);
}

static void
find_ties(ra *R)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < R->f->blocks.n; b++)
		for (const ir_inst *i = R->f->blocks.a[b]->first; i; i = i->next)
			n += ra_is_tie(R->f, i);
	R->ties = arena_array(R->A, struct ra_tie, n);
	R->nties = 0;
	for (uint32_t b = 0; b < R->f->blocks.n; b++)
		for (ir_inst *i = R->f->blocks.a[b]->first; i; i = i->next) {
			struct ra_tie *t = &R->ties[R->nties];

			if (!ra_is_tie(R->f, i))
				continue;
			t->copy = i;
			for (uint32_t side = 0; side < 2; side++) {
				t->next[side] = R->tie_of[i->m.arg[side].reg];
				R->tie_of[i->m.arg[side].reg] = 2 * R->nties + side;
			}
			R->nties++;
		}
}

static void
measure(ra_bundle *b)
{
	uint32_t longest = 0;

	b->start = RA_NONE;
	b->area = 0;
	for (unsigned d = 0; d < b->width; d++) {
		uint32_t len = 0;

		for (uint32_t k = 0; k < b->dw[d].n; k++)
			len += b->dw[d].a[k].to - b->dw[d].a[k].from;
		if (b->dw[d].n)
			b->start = MIN(b->start, b->dw[d].a[0].from);
		b->area += len;
		longest = MAX(longest, len);
	}
	/* Written and used at once: a spill would need the same register for as long. */
	if (longest <= 2)
		b->fixed = true;
}

static void
clear_table(ra *R, uint32_t **table, uint32_t n)
{
	*table = arena_array(R->A, uint32_t, n);
	memset(*table, 0xff, n * sizeof **table);
}

void
ra_join(ra *R)
{
	uint32_t n = R->live->nvals;

	clear_table(R, &R->bundle_of, n);
	clear_table(R, &R->next_val, n);
	clear_table(R, &R->tie_of, n);
	R->offset = arena_array(R->A, uint8_t, n);
	R->bundles = arena_array(R->A, ra_bundle, n);
	R->nbundles = 0;
	for (uint32_t v = 0; v < n; v++)
		if (occurs(R, v))
			new_bundle(R, v);
	find_ties(R);
	join_all(R);
	for (uint32_t b = 0; b < R->nbundles; b++)
		measure(&R->bundles[b]);
}
