/* licm.c -- what a loop computes anew in every turn is computed before it.
 * Needs generic SSA in normal form (pass normalize) with val.divergent; leaves pure operations, and loads of memory that the
 * kernel does not change, in the preheader of the outermost loop that does not change their sources, as far as registers
 * suffice. val.divergent stays true: the sources were the same in all lanes at the use, so they are where they come from. */
#include "pass/pass.h"

/* Registers that a loop may fill; beyond them fewer waves run, or values are spilled. Blocks x values, in
 * bits, that liveness is computed for. */
enum { S, V, NBANKS };
static const uint32_t limit[NBANKS] = { [S] = 64, [V] = 64 };
enum { MOST_BITS = 1u << 28 };

typedef struct licm {
	ir_func *f;
	uint32_t words;          /* of a row */
	uint64_t *in, *out;      /* rows by block id: values that are live at its borders */
	uint32_t (*peak)[NBANKS]; /* by header id: dwords live at once anywhere in the loop */
} licm;

/* ---- how full a loop is ---- */

static uint64_t *
row(const licm *c, uint64_t *rows, const ir_block *b)
{
	return rows + (size_t)b->id * c->words;
}

static bool
has(const uint64_t *set, uint32_t v)
{
	return set[v / 64] >> v % 64 & 1;
}

static void
put(uint64_t *set, uint32_t v, bool on)
{
	uint64_t bit = (uint64_t)1 << v % 64;

	set[v / 64] = on ? set[v / 64] | bit : set[v / 64] & ~bit;
}

static unsigned
bank_of(const ir_val *v)
{
	return v->divergent && v->dwords ? V : S;
}

static uint32_t
dwords_of(const licm *c, const ir_val *v)
{
	return v->dwords ? v->dwords : v->divergent ? c->f->target->wave / 32u : 1;
}

/* Steps back over b; `live` becomes what is live before it. now, if given: dwords live, whose peak is kept. */
static void
step_back(const licm *c, const ir_block *b, uint64_t *live, uint32_t now[NBANKS], uint32_t peak[NBANKS])
{
	for (const ir_inst *i = b->last; i; i = i->prev) {
		for (unsigned k = 0; k < i->ndefs; k++) {
			const ir_val *v = &c->f->vals.a[i->m.arg[k].reg];

			if (now && has(live, i->m.arg[k].reg))
				now[bank_of(v)] -= dwords_of(c, v);
			put(live, i->m.arg[k].reg, false);
		}
		for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
			const ir_val *v = &c->f->vals.a[i->m.arg[k].reg];

			if (!ir_is_val(i->m.arg[k]) || has(live, i->m.arg[k].reg))
				continue;
			if (now)
				now[bank_of(v)] += dwords_of(c, v);
			put(live, i->m.arg[k].reg, true);
		}
		for (unsigned k = 0; now && k < NBANKS; k++)
			peak[k] = MAX(peak[k], now[k]);
	}
}

/* Live behind b: what its successors need, and what their phis take from it. */
static void
gather(const licm *c, const ir_block *b, uint64_t *live)
{
	for (uint32_t s = 0; s < b->succs.n; s++) {
		const ir_block *to = b->succs.a[s];
		const uint64_t *in = row(c, c->in, to);
		uint32_t p = 0;

		for (uint32_t w = 0; w < c->words; w++)
			live[w] |= in[w];
		while (to->preds.a[p] != b)
			p++;
		for (const ir_inst *i = to->first; i && i->m.op == G_phi; i = i->next)
			if (ir_is_val(i->phi[p]))
				put(live, i->phi[p].reg, true);
	}
}

static void
find_live(licm *c)
{
	uint64_t *live = arena_array(c->f->A, uint64_t, c->words);
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t b = c->f->blocks.n; b-- > 0; ) {
			uint64_t *in = row(c, c->in, c->f->blocks.a[b]), *out = row(c, c->out, c->f->blocks.a[b]);

			gather(c, c->f->blocks.a[b], out);
			for (uint32_t w = 0; w < c->words; w++)
				live[w] = out[w];
			step_back(c, c->f->blocks.a[b], live, NULL, NULL);
			for (uint32_t w = 0; w < c->words; w++) {
				changed |= live[w] != in[w];
				in[w] = live[w];
			}
		}
	}
}

static void
find_peaks(licm *c)
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++) {
		const ir_block *at = c->f->blocks.a[b];
		uint64_t *live = row(c, c->out, at);
		uint32_t now[NBANKS] = { 0 }, peak[NBANKS] = { 0 };

		for (uint32_t v = 1; at->loop && v < c->f->vals.n; v++)
			if (has(live, v))
				now[bank_of(&c->f->vals.a[v])] += dwords_of(c, &c->f->vals.a[v]);
		if (at->loop)
			step_back(c, at, live, now, peak);
		for (const ir_block *l = at->loop; l; l = l->outer)
			for (unsigned k = 0; k < NBANKS; k++)
				c->peak[l->id][k] = MAX(c->peak[l->id][k], peak[k]);
	}
}

/* ---- what may leave ---- */

static bool
in_loop(const ir_block *b, const ir_block *l)
{
	const ir_block *x = b->loop;

	while (x && x != l)
		x = x->outer;
	return x != NULL;
}

static ir_block *
preheader(const ir_block *h)
{
	ir_block *p = NULL;

	for (uint32_t k = 0; k < h->preds.n; k++) {
		if (ir_dominates(h, h->preds.a[k]))
			continue;
		if (p)
			return NULL;
		p = h->preds.a[k];
	}
	return p && p->succs.n == 1 && !p->irreducible ? p : NULL;
}

/* Memory that no store of the kernel changes. */
static bool
is_constant_load(const ir_inst *i)
{
	bool unwritten = i->mem.space == IR_PARAM || i->mem.space == IR_CONST || i->mem.nc;

	return i->m.op == G_load && unwritten && !i->mem.vol && i->mem.order == IR_WEAK;
}

/* Does whoever enters loop l come to b before it leaves? Where not, a load might be of an address that there is not. */
static bool
always_runs(const licm *c, const ir_block *b, const ir_block *l)
{
	for (uint32_t k = l->id; k < c->f->blocks.n && in_loop(c->f->blocks.a[k], l); k++) {
		const ir_block *x = c->f->blocks.a[k];
		bool leaves = false;

		for (uint32_t s = 0; s < x->succs.n; s++)
			leaves |= x->succs.a[s] == l || !in_loop(x->succs.a[s], l);
		if (leaves && !ir_dominates(b, x))
			return false;
	}
	return true;
}

/* Costs no instruction: looked through by select, or there from the start. */
static bool
is_free(const ir_inst *i)
{
	switch (i->m.op) {
	case G_lo32: case G_hi32: case G_word: case G_pack64: case G_copy32: case G_copy64:
		return true;
	default:
		return false;
	}
}

/* A uniform comparison is best just before its branch or select (SCC). */
static bool
may_leave(const licm *c, const ir_inst *i)
{
	const ir_val *v = i->ndefs == 1 ? &c->f->vals.a[i->m.arg[0].reg] : NULL;

	if (!v || v->dwords > 2 || (!v->dwords && !v->divergent))
		return false;
	if (i->m.op == G_special || i->m.op == G_kernarg || i->m.op == G_copy1)
		return false;
	return (ir_is_pure(i) && !ir_is_convergent(i)) || is_constant_load(i);
}

static bool
is_invariant(const licm *c, const ir_inst *i, const ir_block *l)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (ir_is_val(i->m.arg[k]) && in_loop(c->f->vals.a[i->m.arg[k].reg].def->block, l))
			return false;
	return true;
}

static bool
has_room(const licm *c, const ir_inst *i, const ir_block *l)
{
	const ir_val *v = &c->f->vals.a[i->m.arg[0].reg];
	unsigned bank = bank_of(v);

	return is_free(i) || c->peak[l->id][bank] + dwords_of(c, v) <= limit[bank];
}

static void
hoist(licm *c, ir_inst *i)
{
	const ir_val *v = &c->f->vals.a[i->m.arg[0].reg];
	ir_block *to = NULL;

	for (const ir_block *l = i->block->loop; l; l = l->outer) {
		ir_block *p = preheader(l);

		if (!p || !is_invariant(c, i, l) || !has_room(c, i, l))
			break;
		if (i->m.op == G_load && !always_runs(c, i->block, l))
			break;
		c->peak[l->id][bank_of(v)] += is_free(i) ? 0 : dwords_of(c, v);
		to = p;
	}
	if (!to)
		return;
	ir_remove(i);
	ir_insert(to, to->last, i);
}

static bool
any_loop(const ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (f->blocks.a[b]->loop)
			return true;
	return false;
}

void
p_licm(ir_func *f)
{
	licm c = { .f = f, .words = (f->vals.n + 63) / 64 };
	size_t n = (size_t)f->blocks.n * c.words;

	ir_dominators(f);
	ir_loops(f);
	ir_count_uses(f);
	if (!any_loop(f) || n > MOST_BITS / 64)
		return;
	c.in = arena_array(f->A, uint64_t, n);
	c.out = arena_array(f->A, uint64_t, n);
	c.peak = arena_alloc(f->A, f->blocks.n * sizeof *c.peak);
	find_live(&c);
	find_peaks(&c);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (i->block->loop && !i->block->irreducible && may_leave(&c, i))
				hoist(&c, i);
		}
}
