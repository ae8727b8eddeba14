/* spill.c -- values that found no register: a slot, a store behind each write, a load before each use.
 * Needs bundles marked spilled; leaves P_spill and P_reload with temporaries that live for one
 * instruction, or for a few where uses lie close together. Constants are made again instead.
 * Neither SCC nor VCC nor M0 is touched by what these expand to (regalloc_expand.c), so they may stand
 * between an instruction and what is glued to it. */
#include "pass/regalloc.h"

#include <string.h>

enum { WINDOW = 16 };           /* instructions over which a loaded value may stay in its register */

/* The temporary that holds dwords of a spilled value just now. */
typedef struct cached {
	uint32_t temp, block, when;
	uint8_t first, n;
	uint16_t valid;         /* by dword of the value */
} cached;

typedef struct spiller {
	ra *R;
	ir_func *f;
	uint32_t nnow;
	bool *now;              /* by value: spilled in this round */
	cached *cache;          /* by value */
	uint32_t count;         /* instructions of the input seen */
	ra_segs *share[RA_NBANK]; /* slots of this round: when they are taken */
	uint32_t share_base[RA_NBANK];
} spiller;

/* ---- homes ---- */

static bool
is_constant_move(const ir_inst *i)
{
	unsigned op = i->m.op;

	return (op == P_copy || op == OP_s_mov_b32 || op == OP_s_mov_b64 || op == OP_v_mov_b32) &&
	       i->m.nargs == 2 && ir_is_val(i->m.arg[0]) && ir_is_imm(i->m.arg[1]) && i->m.enc == P2A_ENC_AUTO;
}

/* Values written once, whole, with a constant need no slot. */
static void
find_constants(spiller *S)
{
	uint32_t *defs = arena_array(S->f->A, uint32_t, S->nnow);
	ra_home *home = S->R->homes.a;

	for (uint32_t b = 0; b < S->f->blocks.n; b++)
		for (const ir_inst *i = S->f->blocks.a[b]->first; i; i = i->next)
			for (unsigned k = 0; k < i->ndefs; k++) {
				uint32_t v = i->m.arg[k].reg;

				if (!ir_is_val(i->m.arg[k]) || home[v].temp)
					continue;
				home[v].remat = !defs[v]++ && is_constant_move(i) && !i->m.arg[0].imm &&
					i->m.arg[0].width == S->f->vals.a[v].dwords ? i : NULL;
			}
}

static bool
slot_free(const spiller *S, const ra_bundle *b, uint32_t slot)
{
	for (unsigned d = 0; d < b->width; d++)
		if (ra_overlap(&S->share[b->bank][slot - S->share_base[b->bank] + d], &b->dw[d]))
			return false;
	return true;
}

/* A run of slots that nobody else of this round needs at the same time. */
static uint32_t
find_slot(spiller *S, const ra_bundle *b)
{
	enum { LOOK = 256 };
	uint32_t end = S->R->slots[b->bank], slot = MAX(S->share_base[b->bank], end > LOOK ? end - LOOK : 0);

	while (slot + b->width <= end && !slot_free(S, b, slot))
		slot++;
	if (slot + b->width > end) {
		slot = end;
		S->R->slots[b->bank] = end + b->width;
	}
	for (unsigned d = 0; d < b->width; d++)
		ra_unite(S->f->A, &S->share[b->bank][slot - S->share_base[b->bank] + d], &b->dw[d]);
	return slot;
}

static void
spill_bundle(spiller *S, const ra_bundle *b)
{
	ra *R = S->R;
	uint32_t slot = RA_NONE;

	for (uint32_t v = b->first; v != RA_NONE; v = R->next_val[v]) {
		ra_home *h = &R->homes.a[v];

		S->now[v] = true;
		if (h->temp || h->remat)
			continue;
		if (slot == RA_NONE)
			slot = find_slot(S, b);
		h->slot = slot + R->offset[v];
		R->nspilled[b->bank]++;
	}
}

static void
choose_homes(spiller *S)
{
	ra *R = S->R;
	size_t room[RA_NBANK] = { 1, 1 };

	for (uint32_t k = 0; k < R->nbundles; k++)
		if (R->bundles[k].spilled)
			room[R->bundles[k].bank] += R->bundles[k].width;
	for (unsigned bank = 0; bank < RA_NBANK; bank++) {
		S->share[bank] = arena_array(S->f->A, ra_segs, room[bank]);
		S->share_base[bank] = R->slots[bank];
	}
	for (uint32_t k = 0; k < R->nbundles; k++)
		if (R->bundles[k].spilled)
			spill_bundle(S, &R->bundles[k]);
}

/* ---- temporaries ---- */

static uint32_t
new_temp(spiller *S, uint32_t val, unsigned first, unsigned n)
{
	ra_home h = S->R->homes.a[val];
	uint32_t t = ir_new_reg(S->f, S->f->vals.a[val].bank, n);

	S->f->vals.a[t].is_mask = S->f->vals.a[val].is_mask;
	h.temp = h.single = true;
	if (h.slot != RA_NONE)
		h.slot += first;
	while (S->R->homes.n <= t)
		*vec_push(S->f->A, &S->R->homes) = (ra_home){ .slot = RA_NONE };
	S->R->homes.a[t] = h;
	return t;
}

static ir_inst *
new_inst(spiller *S, ir_inst *at, ir_inst *before, unsigned op, unsigned ndefs, ir_opnd o)
{
	ir_builder B = { S->f, at->block, before, at->loc };

	return ir_emit(&B, op, ndefs, 1, &o);
}

static void
reload(spiller *S, ir_inst *before, uint32_t temp, unsigned first, unsigned n)
{
	const ra_home *h = &S->R->homes.a[temp];
	ir_opnd o = ir_part(ir_valop(S->f, temp), first, n);
	ir_inst *i;

	if (!h->remat) {
		i = new_inst(S, before, before, P_reload, 1, o);
		i->m.offset = (int32_t)(h->slot + first);
		return;
	}
	i = arena_dup(S->f->A, h->remat, sizeof *i);
	i->phi = arena_dup(S->f->A, h->remat->phi, 2 * sizeof *i->phi);
	i->glue = false;
	i->m.arg[0] = ir_valop(S->f, temp);
	ir_insert(before->block, before, i);
}

static void
store(spiller *S, ir_inst *at, ir_inst *before, uint32_t temp, unsigned first, unsigned n)
{
	ir_inst *i = new_inst(S, at, before, P_spill, 0, ir_part(ir_valop(S->f, temp), first, n));

	i->m.offset = (int32_t)(S->R->homes.a[temp].slot + first);
}

/* Behind i; values that arrive in registers are stored once all of them have a name. */
static ir_inst *
behind(const ir_inst *i)
{
	ir_inst *n = i->next;

	while (i->m.op == P_entry && n && n->m.op == P_entry)
		n = n->next;
	return n;
}

/* ---- one instruction ---- */

typedef struct need { uint32_t val; uint16_t read, write; unsigned first, end; } need;

static bool
is_now(const spiller *S, ir_opnd o)
{
	return ir_is_val(o) && o.reg < S->nnow && S->now[o.reg];
}

static uint16_t
bits(unsigned first, unsigned n)
{
	return (uint16_t)(((1u << n) - 1) << first);
}

/* Which dwords of value val instruction i touches; keeps the alignment that wide operands have. */
static need
need_of(const spiller *S, const ra_access *a, unsigned n, uint32_t val)
{
	need d = { .val = val, .first = UINT32_MAX };
	unsigned widest = 1;

	for (unsigned k = 0; k < n; k++) {
		if (a[k].val != val || a[k].arg < 0)
			continue;
		if (a[k].read)
			d.read |= bits(a[k].first, a[k].n);
		if (a[k].write)
			d.write |= bits(a[k].first, a[k].n);
		d.first = MIN(d.first, a[k].first);
		d.end = MAX(d.end, (unsigned)a[k].first + a[k].n);
		widest = MAX(widest, a[k].n);
	}
	d.first &= ~(widest > 2 ? 3u : widest > 1 ? 1u : 0u);
	if (S->R->homes.a[val].remat) {
		d.first = 0;
		d.end = S->f->vals.a[val].dwords;
	}
	return d;
}

/* The temporary of the value that is still good for this need, or 0. */
static uint32_t
cached_temp(const spiller *S, const need *d, const ir_inst *i)
{
	const cached *c = &S->cache[d->val];

	if (!c->temp || c->block != i->block->id || S->count - c->when > WINDOW)
		return 0;
	if (c->first > d->first || c->first + c->n < d->end || (d->read & ~c->valid))
		return 0;
	return c->temp;
}

static uint32_t
load_temp(spiller *S, const need *d, ir_inst *i)
{
	uint32_t t = new_temp(S, d->val, d->first, d->end - d->first);
	ir_val *v = &S->f->vals.a[d->val];
	unsigned lo = d->read ? (unsigned)__builtin_ctz(d->read) : 0;
	unsigned hi = d->read ? 32u - (unsigned)__builtin_clz(d->read) : 0;

	if (i->m.op == P_entry) {
		S->f->vals.a[t].pin = v->pin;
		v->pin = -1;
	}
	if (d->read && S->R->homes.a[t].remat)
		reload(S, i, t, 0, d->end);
	else if (d->read)
		reload(S, i, t, lo - d->first, hi - lo);
	S->cache[d->val] = (cached){ .temp = t, .block = i->block->id, .first = (uint8_t)d->first,
		.n = (uint8_t)(d->end - d->first), .valid = d->read ? bits(lo, hi - lo) : 0 };
	if (S->R->homes.a[d->val].temp)
		S->cache[d->val].temp = 0;      /* the second time, nothing is shared: so spilling ends */
	return t;
}

static void
store_writes(spiller *S, const need *d, ir_inst *i, uint32_t t, unsigned first)
{
	for (unsigned k = 0; k < 16; k++) {
		unsigned n = 0;

		while (d->write >> (k + n) & 1)
			n++;
		if (n)
			store(S, i, behind(i), t, k - first, n);
		k += n;
	}
}

static void
use_temp(spiller *S, ir_inst *i, const need *d)
{
	uint32_t t = cached_temp(S, d, i);
	unsigned first;

	if (t)
		S->R->homes.a[t].single = false;
	else
		t = load_temp(S, d, i);
	first = S->cache[d->val].first;
	S->cache[d->val].when = S->count;
	S->cache[d->val].valid |= d->write;
	for (unsigned k = 0; k < i->m.nargs; k++)
		if (ir_is_val(i->m.arg[k]) && i->m.arg[k].reg == d->val) {
			i->m.arg[k].reg = t;
			i->m.arg[k].imm -= first;
		}
	if (d->write)
		store_writes(S, d, i, t, first);
}

static void
use_temps(spiller *S, ir_inst *i)
{
	ra_access a[RA_MAX_ACCESS];
	unsigned n = ra_accesses(S->f, i, a);
	need d[RA_MAX_ACCESS];

	for (unsigned k = 0; k < n; k++)
		d[k] = need_of(S, a, n, a[k].val);
	for (unsigned k = 0; k < n; k++)
		if (a[k].arg >= 0 && is_now(S, i->m.arg[a[k].arg]))
			use_temp(S, i, &d[k]);
}

/* ---- copies go to and from slots directly ---- */

static uint32_t
slot_of(const spiller *S, ir_opnd o)
{
	return S->R->homes.a[o.reg].slot + (uint32_t)o.imm;
}

static bool
has_slot(const spiller *S, ir_opnd o)
{
	return is_now(S, o) && !S->R->homes.a[o.reg].remat;
}

static bool
in_cache(const spiller *S, const ir_inst *i, ir_opnd o)
{
	need d = { .val = o.reg, .read = bits((unsigned)o.imm, o.width), .first = (unsigned)o.imm,
		.end = (unsigned)o.imm + o.width };

	return cached_temp(S, &d, i) != 0;
}

static void
spill_copy(spiller *S, ir_inst *i)
{
	ir_opnd d = i->m.arg[0], s = i->m.arg[1];

	if (has_slot(S, d) && has_slot(S, s) && slot_of(S, d) == slot_of(S, s)) {
		i->m.offset = (int32_t)slot_of(S, d);   /* only the name changes; the check wants to know */
		i->m.nargs = i->ndefs = 0;
		S->cache[d.reg].temp = 0;
		return;
	}
	if (has_slot(S, s) && !has_slot(S, d) && !in_cache(S, i, s)) {
		i->m.op = P_reload;
		i->m.offset = (int32_t)slot_of(S, s);
		i->m.nargs = 1;
		use_temps(S, i);        /* the result may be spilled without a slot */
		return;
	}
	if (!has_slot(S, d)) {
		use_temps(S, i);
		return;
	}
	i->m.op = P_spill;
	i->m.offset = (int32_t)slot_of(S, d);
	i->m.nargs = 1;
	i->ndefs = 0;
	i->m.arg[0] = s;
	S->cache[d.reg].temp = 0;
	use_temps(S, i);
}

static bool
is_plain_copy(const spiller *S, const ir_inst *i)
{
	return i->m.op == P_copy && i->m.nargs == 2 && ir_is_val(i->m.arg[0]) && ir_is_val(i->m.arg[1]) &&
	       ra_bank(S->f, i->m.arg[0].reg) == ra_bank(S->f, i->m.arg[1].reg);
}

/* Moves between a temporary and its own slot vanish with the temporary; so do constants made again. */
static bool
vanishes(const spiller *S, const ir_inst *i)
{
	const ra_home *h = &S->R->homes.a[i->m.arg[0].reg];

	if (i->ndefs == 1 && h->remat)
		return true;
	return (i->m.op == P_spill || i->m.op == P_reload) && !i->phi && h->temp;
}

static void
rewrite(spiller *S, ir_inst *i)
{
	bool any = false;

	for (unsigned k = 0; k < i->m.nargs; k++)
		any |= is_now(S, i->m.arg[k]);
	if (!any)
		return;
	if (is_now(S, i->m.arg[0]) && vanishes(S, i))
		ir_remove(i);
	else if (is_plain_copy(S, i))
		spill_copy(S, i);
	else
		use_temps(S, i);
}

void
ra_spill(ra *R)
{
	spiller S = { .R = R, .f = R->f, .nnow = MAX(R->f->vals.n, 1u) };

	S.now = arena_array(R->A, bool, S.nnow);
	S.cache = arena_array(R->A, cached, S.nnow);
	find_constants(&S);
	choose_homes(&S);
	for (uint32_t b = 0; b < R->f->blocks.n; b++)
		for (ir_inst *i = R->f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			S.count++;
			rewrite(&S, i);
		}
}
