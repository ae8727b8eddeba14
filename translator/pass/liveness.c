/* liveness.c -- when each dword of each value is needed, for register allocation.
 * Needs linearized machine code; leaves ir_inst.num (order) and an ra_live.
 * VGPRs live along logical edges, SGPRs along linear ones (regalloc.h says why). A unit is live only
 * where a definition may reach, so that code which some paths skip does not stretch lives to the entry. */
#include "pass/regalloc.h"

#include <string.h>

/* ---- what an instruction touches ---- */

int
ra_sreg_vcc(const p2a_opnd *o, unsigned *n)
{
	if (o->kind != P2A_K_SREG || o->reg > P2A_VCC_HI)
		return -1;
	*n = o->reg == P2A_VCC ? 2 : 1;
	return o->reg == P2A_VCC_HI;
}

/* Results that keep part of what was there: two-address forms, SDWA in place, DPP of masked lanes. */
static bool
keeps_old(const ir_inst *i)
{
	if (i->m.op >= ISA_NOPS)
		return false;
	return isa_table[i->m.op].eff & ISA_TIED ||
	       (i->m.enc == P2A_ENC_SDWA && i->m.dst_unused == P2A_UNUSED_PRESERVE) ||
	       isa_is_dpp(i->m.enc);
}

/* Loads that may be replayed (XNACK) must not have overwritten their address; and
 * v_mad_*64_*32 of gfx11.0 forwards its own first half into the second. */
static bool
early_result(const ir_func *f, const ir_inst *i)
{
	const p2a_target *t = f->target;
	unsigned op = i->m.op;

	if (op >= ISA_NOPS)
		return false;
	if (op == OP_v_mad_u64_u32 || op == OP_v_mad_i64_i32)
		return t->hazards & ISA_HZ_MAD_INTRA_FWD;
	if (!t->has_xnack || t->xnack < 0 || !(isa_table[op].eff & ISA_LOAD) || i->m.arg[0].width < 2)
		return false;
	return isa_table[op].cls == ISA_SMEM || isa_table[op].cls == ISA_VMEM || isa_table[op].cls == ISA_FLAT;
}

static void
implied_vcc(const ir_func *f, const ir_inst *i, ra_access *a)
{
	uint32_t eff = isa_table[i->m.op].eff;

	*a = (ra_access){ .n = f->target->wave == 64 ? 2 : 1, .read = eff & ISA_R_VCC,
		.write = eff & ISA_W_VCC, .arg = -1 };
}

unsigned
ra_accesses(const ir_func *f, const ir_inst *i, ra_access out[RA_MAX_ACCESS])
{
	bool keeps = keeps_old(i), early = early_result(f, i);
	unsigned n = 0;

	for (unsigned k = 0; k < i->m.nargs; k++) {
		const p2a_opnd *o = &i->m.arg[k];
		bool def = k < i->ndefs;
		unsigned width = o->width;
		int vcc = ra_sreg_vcc(o, &width);

		if (o->kind != IR_K_VAL && vcc < 0)
			continue;
		out[n++] = (ra_access){ .val = vcc < 0 ? o->reg : 0, .first = (uint8_t)(vcc < 0 ? o->imm : vcc),
			.n = (uint8_t)width, .read = !def || keeps, .write = def, .early = def && early,
			.arg = (int8_t)k };
	}
	if (i->m.op < ISA_NOPS && isa_table[i->m.op].eff & (ISA_R_VCC | ISA_W_VCC))
		implied_vcc(f, i, &out[n++]);
	return n;
}

float
ra_freq(const ir_block *b)
{
	static const float by_depth[] = { 1, 8, 64, 512, 4096, 32768 };

	return by_depth[MIN(b->depth, COUNT(by_depth) - 1)];
}

/* ---- numbering ---- */

static void
number_units(ir_func *f, ra_live *L)
{
	uint32_t n = 0;

	L->nvals = MAX(f->vals.n, 1u);
	L->base = arena_array(f->A, uint32_t, L->nvals + 1);
	for (uint32_t v = 0; v < L->nvals; v++) {
		L->base[v] = n;
		n += v ? f->vals.a[v].dwords : 2;
	}
	L->base[L->nvals] = L->nunits = n;
}

static void
number_insts(ir_func *f, ra_live *L)
{
	uint32_t n = 0;

	L->from = arena_array(f->A, uint32_t, f->blocks.n);
	L->to = arena_array(f->A, uint32_t, f->blocks.n);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		L->from[b] = 2 * n;
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			i->num = n++;
		L->to[b] = 2 * n;
	}
	L->ninsts = n;
}

/* ---- units that cross block borders ---- */

static void
cross(ir_func *f, ra_live *L, uint32_t val, uint32_t unit)
{
	ra_plane *p = &L->plane[ra_bank(f, val)];

	if (L->bit[unit] != RA_NONE)
		return;
	L->bit[unit] = p->nbits;
	p->unit[p->nbits++] = unit;
}

/* Units that block b (id) reads before it writes them come from elsewhere. */
static void
cross_access(ir_func *f, ra_live *L, const ra_access *a, uint32_t b, uint32_t *written)
{
	for (uint32_t u = L->base[a->val] + a->first, e = u + a->n; u < e; u++)
		if (written[u] != b + 1)
			cross(f, L, a->val, u);
}

static void
find_crossing_in(ir_func *f, ra_live *L, uint32_t b, uint32_t *written)
{
	ra_access a[RA_MAX_ACCESS];

	for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
		unsigned n = ra_accesses(f, i, a);

		for (unsigned k = 0; k < n; k++)
			if (a[k].read)
				cross_access(f, L, &a[k], b, written);
		for (unsigned k = 0; k < n; k++)
			for (unsigned d = 0; a[k].write && d < a[k].n; d++)
				written[L->base[a[k].val] + a[k].first + d] = b + 1;
	}
}

static void
find_crossing(ir_func *f, ra_live *L)
{
	uint32_t *written = arena_array(f->A, uint32_t, L->nunits); /* block id + 1 */

	L->bit = arena_array(f->A, uint32_t, L->nunits);
	memset(L->bit, 0xff, L->nunits * sizeof *L->bit);
	for (unsigned k = 0; k < RA_NBANK; k++)
		L->plane[k].unit = arena_array(f->A, uint32_t, L->nunits);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		find_crossing_in(f, L, b, written);
}

static void
set(uint64_t *row, uint32_t bit)
{
	row[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static void
fill_access(const ir_func *f, ra_live *L, const ra_access *a, uint32_t b, bool write)
{
	ra_plane *p = &L->plane[ra_bank(f, a->val)];
	size_t row = (size_t)b * p->words;

	for (uint32_t u = L->base[a->val] + a->first, e = u + a->n; u < e; u++) {
		uint32_t bit = L->bit[u];

		if (bit == RA_NONE)
			continue;
		if (write)
			set(p->def + row, bit);
		else if (!ra_bit(p->def + row, bit))
			set(p->use + row, bit);
	}
}

static void
fill_row(const ir_func *f, ra_live *L, uint32_t b)
{
	ra_access a[RA_MAX_ACCESS];

	for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
		unsigned n = ra_accesses(f, i, a);

		for (unsigned k = 0; k < n; k++)
			if (a[k].read)
				fill_access(f, L, &a[k], b, false);
		for (unsigned k = 0; k < n; k++)
			if (a[k].write)
				fill_access(f, L, &a[k], b, true);
	}
}

/* Rows are the bulk of the memory: those of an earlier round are used again. */
static void
new_rows(ir_func *f, ra_plane *p, const ra_plane *old)
{
	size_t n;

	p->words = (p->nbits + 63) / 64;
	n = arena_bytes(f->A, p->words, MAX(f->blocks.n, 1u));
	if (old && old->cap >= n) {
		p->rows = old->rows;
		p->cap = old->cap;
		memset(p->rows, 0, 6 * n * sizeof *p->rows);
	} else {
		p->rows = arena_array(f->A, uint64_t, arena_bytes(f->A, n, 6));
		p->cap = n;
	}
	p->use = p->rows;
	p->def = p->use + n;
	p->in = p->def + n;
	p->out = p->in + n;
	p->rin = p->out + n;
	p->rout = p->rin + n;
}

static bool
or_row(uint64_t *dst, const uint64_t *src, uint32_t words)
{
	uint64_t changed = 0;

	for (uint32_t w = 0; w < words; w++) {
		changed |= src[w] & ~dst[w];
		dst[w] |= src[w];
	}
	return changed != 0;
}

static ir_block *const *
edges(const ir_block *b, unsigned bank, bool forward, uint32_t *n)
{
	if (bank == RA_V) {
		*n = forward ? b->succs.n : b->preds.n;
		return forward ? b->succs.a : b->preds.a;
	}
	*n = forward ? b->lsuccs.n : b->lpreds.n;
	return forward ? b->lsuccs.a : b->lpreds.a;
}

/* in = use | (out & ~def), from the last block up until nothing changes. */
static void
flow_back(ir_func *f, ra_plane *p, unsigned bank)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t b = f->blocks.n; b-- > 0;) {
			size_t row = (size_t)b * p->words;
			uint32_t n;
			ir_block *const *s = edges(f->blocks.a[b], bank, true, &n);

			for (uint32_t k = 0; k < n; k++)
				or_row(p->out + row, p->in + (size_t)s[k]->id * p->words, p->words);
			for (uint32_t w = 0; w < p->words; w++) {
				uint64_t in = p->use[row + w] | (p->out[row + w] & ~p->def[row + w]);

				changed |= in != p->in[row + w];
				p->in[row + w] = in;
			}
		}
	}
}

static void
flow_forward(ir_func *f, ra_plane *p, unsigned bank)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < f->blocks.n; b++) {
			size_t row = (size_t)b * p->words;
			uint32_t n;
			ir_block *const *s = edges(f->blocks.a[b], bank, false, &n);

			for (uint32_t k = 0; k < n; k++)
				or_row(p->rin + row, p->rout + (size_t)s[k]->id * p->words, p->words);
			changed |= or_row(p->rout + row, p->rin + row, p->words);
			changed |= or_row(p->rout + row, p->def + row, p->words);
		}
	}
}

static void
flow(ir_func *f, ra_plane *p, unsigned bank)
{
	size_t n = (size_t)f->blocks.n * p->words;

	flow_back(f, p, bank);
	flow_forward(f, p, bank);
	for (size_t w = 0; w < n; w++) {
		p->in[w] &= p->rin[w];
		p->out[w] &= p->rout[w];
	}
}

/* ---- segments ---- */

typedef struct node { ra_seg seg; uint32_t next; } node;
typedef struct builder {
	ir_func *f;
	ra_live *L;
	VEC(node) pool;          /* entry 0 is no node */
	uint32_t *head;          /* by unit: earliest segment so far */
	uint32_t *end;           /* by unit: where its open segment ends; 0 closed */
} builder;

/* Segments come from the last to the first. */
static void
add_seg(builder *B, uint32_t unit, uint32_t from, uint32_t to)
{
	uint32_t h = B->head[unit];

	if (from == to)
		return;
	if (h && B->pool.a[h].seg.from <= to) {
		B->pool.a[h].seg.from = from;
		return;
	}
	*vec_push(B->f->A, &B->pool) = (node){ { from, to }, h };
	B->head[unit] = B->pool.n - 1;
}

static void
open_block(builder *B, uint32_t b)
{
	for (unsigned bank = 0; bank < RA_NBANK; bank++) {
		const ra_plane *p = &B->L->plane[bank];
		const uint64_t *out = p->out + (size_t)b * p->words;

		for (uint32_t w = 0; w < p->words; w++)
			for (uint64_t m = out[w]; m; m &= m - 1)
				B->end[p->unit[w * 64 + (uint32_t)__builtin_ctzll(m)]] = B->L->to[b];
	}
}

static void
close_block(builder *B, uint32_t b)
{
	for (unsigned bank = 0; bank < RA_NBANK; bank++) {
		const ra_plane *p = &B->L->plane[bank];
		size_t row = (size_t)b * p->words;

		for (uint32_t w = 0; w < p->words; w++)
			for (uint64_t m = p->out[row + w] | p->use[row + w]; m; m &= m - 1) {
				uint32_t u = p->unit[w * 64 + (uint32_t)__builtin_ctzll(m)];

				if (B->end[u])
					add_seg(B, u, B->L->from[b], B->end[u]);
				B->end[u] = 0;
			}
	}
}

static void
write_unit(builder *B, uint32_t u, uint32_t at)
{
	add_seg(B, u, at, B->end[u] ? B->end[u] : (at | 1) + 1);
	B->end[u] = 0;
}

static void
visit_access(builder *B, const ir_inst *i, const ra_access *a, bool write)
{
	uint32_t u = B->L->base[a->val] + a->first, e = u + a->n;

	if (write && a->write)
		for (; u < e; u++)
			write_unit(B, u, 2 * i->num + !a->early);
	else if (!write && a->read)
		for (; u < e; u++)
			if (!B->end[u])
				B->end[u] = 2 * i->num + 1;
}

static bool
likes_vcc(const ir_inst *i, const ra_access *a)
{
	const isa_info *row;

	if (i->m.op >= ISA_NOPS || a->arg < 0)
		return false;
	row = &isa_table[i->m.op];
	return row->cls == ISA_VALU && row->arg[a->arg].type == ISA_T_MASK;
}

static void
visit(builder *B, const ir_inst *i)
{
	ra_access a[RA_MAX_ACCESS];
	unsigned n = ra_accesses(B->f, i, a);

	for (unsigned k = 0; k < n; k++)
		visit_access(B, i, &a[k], true);
	for (unsigned k = 0; k < n; k++) {
		visit_access(B, i, &a[k], false);
		B->L->cost[a[k].val] += ra_freq(i->block);
		B->L->naccess[a[k].val]++;
		if (likes_vcc(i, &a[k]))
			B->L->good_in_vcc[a[k].val] = true;
	}
}

static void
gather(builder *B)
{
	ra_live *L = B->L;

	L->segs = arena_array(B->f->A, ra_segs, L->nunits);
	for (uint32_t u = 0; u < L->nunits; u++) {
		ra_segs *s = &L->segs[u];

		for (uint32_t h = B->head[u]; h; h = B->pool.a[h].next)
			s->cap++;
		if (!s->cap)
			continue;
		s->a = arena_array(B->f->A, ra_seg, s->cap);
		for (uint32_t h = B->head[u]; h; h = B->pool.a[h].next)
			s->a[s->n++] = B->pool.a[h].seg;
	}
}

static void
segments(ir_func *f, ra_live *L)
{
	builder B = { .f = f, .L = L, .head = arena_array(f->A, uint32_t, L->nunits),
		.end = arena_array(f->A, uint32_t, L->nunits) };

	(void)vec_push(f->A, &B.pool);
	L->cost = arena_array(f->A, float, L->nvals);
	L->naccess = arena_array(f->A, uint32_t, L->nvals);
	L->good_in_vcc = arena_array(f->A, bool, L->nvals);
	for (uint32_t b = f->blocks.n; b-- > 0;) {
		open_block(&B, b);
		for (const ir_inst *i = f->blocks.a[b]->last; i; i = i->prev)
			visit(&B, i);
		close_block(&B, b);
	}
	gather(&B);
}

ra_live *
ra_liveness(ir_func *f, const ra_live *old, uint32_t ninput)
{
	ra_live *L = arena_new(f->A, ra_live);

	number_units(f, L);
	number_insts(f, L);
	find_crossing(f, L);
	for (unsigned bank = 0; bank < RA_NBANK; bank++)
		new_rows(f, &L->plane[bank], old ? &old->plane[bank] : NULL);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		fill_row(f, L, b);
	for (unsigned bank = 0; bank < RA_NBANK; bank++)
		flow(f, &L->plane[bank], bank);
	segments(f, L);
	ra_same(f, L, ninput);
	return L;
}

/* ---- lists of segments ---- */

/* The first segment from j on that ends behind pos: near ones first, then by halves. */
static uint32_t
first_behind(const ra_segs *s, uint32_t j, uint32_t pos)
{
	uint32_t step = 1, hi;

	while (j + step < s->n && s->a[j + step].to <= pos) {
		j += step;
		step *= 2;
	}
	for (hi = MIN(j + step, s->n); j < hi;) {
		uint32_t mid = j + (hi - j) / 2;

		if (s->a[mid].to > pos)
			hi = mid;
		else
			j = mid + 1;
	}
	return j;
}

bool
ra_overlap(const ra_segs *x, const ra_segs *y)
{
	uint32_t i = 0, j = 0;

	while (i < x->n && j < y->n) {
		if (x->a[i].to <= y->a[j].from)
			i = first_behind(x, i, y->a[j].from);
		else if (y->a[j].to <= x->a[i].from)
			j = first_behind(y, j, x->a[i].from);
		else
			return true;
	}
	return false;
}

/* Joins segments that touch or overlap. */
static void
close_up(ra_segs *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (n && s->a[n - 1].to >= s->a[i].from)
			s->a[n - 1].to = MAX(s->a[n - 1].to, s->a[i].to);
		else
			s->a[n++] = s->a[i];
	s->n = n;
}

void
ra_unite(arena *A, ra_segs *into, const ra_segs *s)
{
	uint32_t i = into->n, j = s->n, k = i + j;

	if (!j)
		return;
	if (k > into->cap) {
		ra_seg *a = arena_array(A, ra_seg, k * (size_t)2);

		if (i)
			memcpy(a, into->a, i * sizeof *a);
		into->a = a;
		into->cap = k * 2;
	}
	into->n = k;
	while (j)
		into->a[--k] = i && into->a[i - 1].from > s->a[j - 1].from ? into->a[--i] : s->a[--j];
	close_up(into);
}
