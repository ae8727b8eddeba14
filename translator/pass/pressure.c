/* pressure.c -- see pressure.h: backward data flow over bits, one row a block. */
#include "pass/pressure.h"

#include <string.h>

enum { MOST_BITS = 1u << 28 };  /* blocks x values that liveness is computed for */

static uint64_t *
row(const pressure *p, uint64_t *rows, const ir_block *b)
{
	return rows + (size_t)b->id * p->words;
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

unsigned
pr_bank(const ir_val *v)
{
	if (v->bank != IR_BANK_NONE)
		return v->bank == IR_BANK_V ? PR_V : PR_S;
	return v->divergent && v->dwords ? PR_V : PR_S;
}

uint32_t
pr_dwords(const ir_func *f, const ir_val *v)
{
	return v->dwords ? v->dwords : v->divergent ? f->target->wave / 32u : 1;
}

/* Machine form writes values in parts: only the first, or all at once, begins one. */
static bool
begins(const ir_func *f, const ir_inst *i, unsigned k)
{
	if (ir_replaces_part(i))
		return false;
	return ir_is_generic(i->m.op) || i->fresh || i->m.arg[k].width >= f->vals.a[i->m.arg[k].reg].dwords;
}

/* Steps back over i; `live` becomes what is live before it. now, if given: dwords live, by bank. */
static void
step(const pressure *p, const ir_inst *i, uint64_t *live, uint32_t now[PR_NBANKS])
{
	for (unsigned k = 0; k < i->m.nargs; k++) {
		uint32_t v = i->m.arg[k].reg;
		bool def = k < i->ndefs, was;

		if (!ir_is_val(i->m.arg[k]) || (def && !begins(p->f, i, k)))
			continue;
		was = has(live, v);
		put(live, v, !def);
		if (!now || was == !def)
			continue;
		now[pr_bank(&p->f->vals.a[v])] += (def ? 0u - 1u : 1u) * pr_dwords(p->f, &p->f->vals.a[v]);
	}
}

/* Live behind b: what its successors need, and what their phis take from it. */
static void
gather(const pressure *p, const ir_block *b, uint64_t *live)
{
	for (uint32_t s = 0; s < b->succs.n; s++) {
		const ir_block *to = b->succs.a[s];
		const uint64_t *in = row(p, p->in, to);
		uint32_t k = 0;

		for (uint32_t w = 0; w < p->words; w++)
			live[w] |= in[w];
		while (to->preds.a[k] != b)
			k++;
		for (const ir_inst *i = to->first; i && i->m.op == G_phi; i = i->next)
			if (ir_is_val(i->phi[k]))
				put(live, i->phi[k].reg, true);
	}
}

bool
pr_find(pressure *p, ir_func *f)
{
	size_t n = (size_t)f->blocks.n * ((f->vals.n + 63) / 64);
	uint64_t *live;
	bool changed = true;

	if (n > MOST_BITS / 64)
		return false;
	*p = (pressure){ f, (f->vals.n + 63) / 64, arena_array(f->A, uint64_t, n), arena_array(f->A, uint64_t, n) };
	live = arena_array(f->A, uint64_t, p->words);
	while (changed) {
		changed = false;
		for (uint32_t b = f->blocks.n; b-- > 0; ) {
			uint64_t *in = row(p, p->in, f->blocks.a[b]), *out = row(p, p->out, f->blocks.a[b]);

			gather(p, f->blocks.a[b], out);
			memcpy(live, out, p->words * sizeof *live);
			for (const ir_inst *i = f->blocks.a[b]->last; i; i = i->prev)
				step(p, i, live, NULL);
			changed |= memcmp(live, in, p->words * sizeof *live) != 0;
			memcpy(in, live, p->words * sizeof *live);
		}
	}
	return true;
}

void
pr_peak(const pressure *p, const ir_block *b, uint64_t *scratch, uint32_t peak[PR_NBANKS])
{
	uint32_t now[PR_NBANKS] = { 0 };

	memcpy(scratch, row(p, p->out, b), p->words * sizeof *scratch);
	for (uint32_t w = 0; w < p->words; w++)
		for (uint64_t bits = scratch[w]; bits; bits &= bits - 1) {
			const ir_val *v = &p->f->vals.a[w * 64 + (uint32_t)__builtin_ctzll(bits)];

			now[pr_bank(v)] += pr_dwords(p->f, v);
		}
	for (unsigned k = 0; k < PR_NBANKS; k++)
		peak[k] = now[k];
	for (const ir_inst *i = b->last; i; i = i->prev) {
		step(p, i, scratch, now);
		for (unsigned k = 0; k < PR_NBANKS; k++)
			peak[k] = MAX(peak[k], now[k]);
	}
}
