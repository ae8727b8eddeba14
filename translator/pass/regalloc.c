/* regalloc.c -- registers for values: linear scan over bundles, with spilling until all fit.
 * Needs linearized machine code; leaves only registers in operands, f->k's counts and the scratch size.
 * docs: pipeline. After Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 1999, and
 * Wimmer and Moessenboeck, "Optimized Interval Splitting in a Linear Scan Register Allocator", VEE 2005. */
#include "pass/regalloc.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 100 };
static const float NEVER = 1e30f;

void
ra_internal(const ra *R, const ir_inst *i, const char *what)
{
	buf text;

	buf_init(&text, R->A);
	buf_printf(&text, "%s in kernel '%s'%s", what, R->f->name ? R->f->name : "", i ? ": " : "");
	if (i)
		ir_print_inst(R->f, i, &text);
	diag_add(R->f->mod->diags, DIAG_internal, R->f->loc, "regalloc",
		buf_cstr(&text));
}

/* ---- what a register is taken by ---- */

static uint32_t
first_after(const ra_union *u, uint32_t pos)
{
	uint32_t lo = 0, hi = u->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (u->a[mid].to > pos)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* The entry of u that meets a segment of s, from entry *at and segment *k on; RA_NONE. */
static uint32_t
next_clash(const ra_union *u, const ra_segs *s, uint32_t *at, uint32_t *k)
{
	while (*at < u->n && *k < s->n) {
		if (u->a[*at].to <= s->a[*k].from)
			++*at;
		else if (s->a[*k].to <= u->a[*at].from)
			++*k;
		else
			return *at;
	}
	return RA_NONE;
}

static bool
is_free(const ra_union *u, const ra_segs *s)
{
	uint32_t k = 0, at;

	if (!s->n)
		return true;
	at = first_after(u, s->a[0].from);
	return next_clash(u, s, &at, &k) == RA_NONE;
}

static void
take(ra *R, ra_union *u, const ra_segs *s, uint32_t bundle)
{
	uint32_t i = u->n, j = s->n, k = i + j;

	while (u->cap < k)
		u->a = vec_more(R->A, u->a, &u->cap, sizeof *u->a);
	u->n = k;
	while (j)
		if (i && u->a[i - 1].from > s->a[j - 1].from) {
			u->a[--k] = u->a[--i];
		} else {
			j--;
			u->a[--k] = (ra_taken){ s->a[j].from, s->a[j].to, bundle };
		}
}

static void
release(ra_union *u, uint32_t bundle)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->n; i++)
		if (u->a[i].bundle != bundle)
			u->a[n++] = u->a[i];
	u->n = n;
}

/* ---- places ---- */

static bool
allowed(const ra *R, const ra_bundle *b, unsigned reg)
{
	if (reg % b->align != b->phase)
		return false;
	if (b->bank == RA_S && reg >= RA_VCC)
		return reg == RA_VCC && (b->in_vcc || b->pin == RA_VCC);
	return reg + b->width <= R->limit[b->bank];
}

static bool
fits(const ra *R, const ra_bundle *b, unsigned reg)
{
	for (unsigned d = 0; d < b->width; d++)
		if (!is_free(&R->taken[b->bank][reg + d], &b->dw[d]))
			return false;
	return true;
}

static void
place(ra *R, uint32_t id, unsigned reg)
{
	ra_bundle *b = &R->bundles[id];

	b->reg = (int16_t)reg;
	for (unsigned d = 0; d < b->width; d++)
		take(R, &R->taken[b->bank][reg + d], &b->dw[d], id);
}

static void
evict(ra *R, uint32_t id)
{
	ra_bundle *b = &R->bundles[id];

	for (unsigned d = 0; d < b->width; d++)
		release(&R->taken[b->bank][(unsigned)b->reg + d], id);
	b->reg = -1;
	b->spilled = true;
}

/* Where a copy partner of one of b's values lies, so that the copy vanishes; -1. */
static int
tied_place(ra *R, const ra_bundle *b)
{
	for (uint32_t v = b->first; v != RA_NONE; v = R->next_val[v])
		for (uint32_t t = R->tie_of[v]; t != RA_NONE; t = R->ties[t / 2].next[t % 2]) {
			const ir_opnd *me = &R->ties[t / 2].copy->m.arg[t % 2];
			const ir_opnd *other = &R->ties[t / 2].copy->m.arg[1 - t % 2];
			const ra_bundle *o = &R->bundles[R->bundle_of[other->reg]];
			int reg;

			if (o == b || o->reg < 0 || R->bundle_of[other->reg] == RA_NONE)
				continue;
			reg = o->reg + R->offset[other->reg] + (int)other->imm - R->offset[v] - (int)me->imm;
			if (reg >= 0 && allowed(R, b, (unsigned)reg) && fits(R, b, (unsigned)reg))
				return reg;
		}
	return -1;
}

static int
find_place(ra *R, const ra_bundle *b)
{
	int reg = tied_place(R, b);

	if (reg >= 0)
		return reg;
	if (b->in_vcc && allowed(R, b, RA_VCC) && fits(R, b, RA_VCC))
		return RA_VCC;
	for (unsigned r = b->phase; r + b->width <= R->limit[b->bank]; r += b->align)
		if (fits(R, b, r))
			return (int)r;
	return -1;
}

/* ---- whom to spill ---- */

static float
weight(const ra_bundle *b)
{
	return b->fixed ? NEVER : b->cost / (float)b->area;
}

/* What would have to go so that b can be at reg; its weight, or NEVER if it is not below `best`. */
static float
eviction_cost(ra *R, const ra_bundle *b, unsigned reg, float best)
{
	float sum = 0;

	R->stamp++;
	for (unsigned d = 0; d < b->width; d++) {
		const ra_union *u = &R->taken[b->bank][reg + d];
		uint32_t k = 0, at = b->dw[d].n ? first_after(u, b->dw[d].a[0].from) : u->n;

		while (next_clash(u, &b->dw[d], &at, &k) != RA_NONE) {
			uint32_t id = u->a[at++].bundle;

			if (R->seen[id] == R->stamp)
				continue;
			R->seen[id] = R->stamp;
			sum += weight(&R->bundles[id]);
			if (sum >= best)
				return NEVER;
		}
	}
	return sum;
}

static void
evict_all(ra *R, const ra_bundle *b, unsigned reg)
{
	for (unsigned d = 0; d < b->width; d++) {
		const ra_union *u = &R->taken[b->bank][reg + d];

		for (;;) {
			uint32_t k = 0, at = b->dw[d].n ? first_after(u, b->dw[d].a[0].from) : u->n;

			if (next_clash(u, &b->dw[d], &at, &k) == RA_NONE)
				break;
			evict(R, u->a[at].bundle);
		}
	}
}

static bool
make_room(ra *R, uint32_t id)
{
	ra_bundle *b = &R->bundles[id];
	float best = weight(b);
	int where = -1;

	for (unsigned r = b->phase; r + b->width <= R->limit[b->bank]; r += b->align) {
		float cost = eviction_cost(R, b, r, best);

		if (cost < best) {
			best = cost;
			where = (int)r;
		}
	}
	if (where >= 0) {
		evict_all(R, b, (unsigned)where);
		place(R, id, (unsigned)where);
	} else if (!b->fixed) {
		b->spilled = true;
	} else {
		return false;
	}
	return true;
}

/* ---- the scan ---- */

typedef struct order { uint32_t start, width, id; } order;

static int
by_start(const void *x, const void *y)
{
	const order *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->width != b->width)
		return a->width > b->width ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static bool
no_room(ra *R, const ra_bundle *b)
{
	diag_add(R->f->mod->diags, DIAG_reg_limit, R->f->loc, R->f->name,
		b->bank == RA_V ? "too few vector registers for one instruction" :
		"too few scalar registers for one instruction");
	return false;
}

static bool
place_pinned(ra *R)
{
	for (uint32_t k = 0; k < R->nbundles; k++) {
		const ra_bundle *b = &R->bundles[k];

		if (b->gone || b->pin < 0)
			continue;
		if ((unsigned)b->pin + b->width > (b->bank == RA_V ? (unsigned)RA_NVGPR : (unsigned)RA_NSGPR) ||
		    !fits(R, b, (unsigned)b->pin)) {
			ra_internal(R, R->f->entry->first, "two values arrive in one register");
			return false;
		}
		place(R, k, (unsigned)b->pin);
	}
	return true;
}

static bool
scan(ra *R)
{
	order *o = arena_array(R->A, order, R->nbundles);
	uint32_t n = 0;

	for (uint32_t k = 0; k < R->nbundles; k++)
		if (!R->bundles[k].gone && R->bundles[k].pin < 0)
			o[n++] = (order){ R->bundles[k].start, R->bundles[k].width, k };
	qsort(o, n, sizeof *o, by_start);
	for (uint32_t k = 0; k < n; k++) {
		int reg = find_place(R, &R->bundles[o[k].id]);

		if (reg >= 0)
			place(R, o[k].id, (unsigned)reg);
		else if (!make_room(R, o[k].id))
			return no_room(R, &R->bundles[o[k].id]);
	}
	return true;
}

static void
reset_round(ra *R)
{
	static const unsigned nregs[RA_NBANK] = { RA_NSGPR, RA_NVGPR };

	for (unsigned bank = 0; bank < RA_NBANK; bank++) {
		if (!R->taken[bank])
			R->taken[bank] = arena_array(R->A, ra_union, nregs[bank]);
		for (unsigned r = 0; r < nregs[bank]; r++)
			R->taken[bank][r].n = 0;
	}
	R->seen = arena_array(R->A, uint32_t, R->nbundles);
	R->stamp = 0;
}

/* How many registers of each bank values may have: the rest belongs to the spill code. */
static void
set_limits(ra *R)
{
	unsigned reserved = R->lane_vgprs + R->need_lane_scratch;
	unsigned s = MIN(R->t->sgprs, (unsigned)RA_VCC) & ~1u;
	unsigned v = R->f->max_vgprs ? MIN(R->f->max_vgprs, R->t->vgprs) : R->t->vgprs;

	s -= R->need_branch_pair ? 2 : 0;
	s -= R->need_lane_scratch ? 2 : 0;
	s -= R->need_base ? 1 : 0;
	if (R->shift64 && !reserved)
		v--;            /* so that ra_expand can allot one more than is used */
	R->limit[RA_S] = s;
	R->limit[RA_V] = v > reserved ? v - reserved : 0;
}

/* One attempt; false: it cannot be done. *again: spill code was written. */
static bool
round_of(ra *R, bool *again)
{
	set_limits(R);
	ra_join(R);
	reset_round(R);
	if (!place_pinned(R) || !scan(R))
		return false;
	*again = false;
	for (uint32_t k = 0; k < R->nbundles && !*again; k++)
		*again = R->bundles[k].spilled;
	if (*again) {
		ra_spill(R);
		ra_spill_regs(R);
	}
	return true;
}

/* ---- results ---- */

static void
name_register(const ra *R, ir_opnd *o)
{
	const ra_bundle *b = &R->bundles[R->bundle_of[o->reg]];
	unsigned reg = (unsigned)b->reg + R->offset[o->reg] + (unsigned)o->imm;

	o->imm = 0;
	o->reg = reg;
	o->kind = b->bank == RA_V ? P2A_K_VGPR : P2A_K_SGPR;
	if (b->bank == RA_S && reg >= RA_VCC) {
		o->kind = P2A_K_SREG;
		o->reg = o->width == 2 ? P2A_VCC : reg == RA_VCC ? P2A_VCC_LO : P2A_VCC_HI;
	}
}

static void
name_registers(ra *R)
{
	for (uint32_t b = 0; b < R->f->blocks.n; b++)
		for (ir_inst *i = R->f->blocks.a[b]->first; i; i = i->next)
			for (unsigned k = 0; k < i->m.nargs; k++)
				if (ir_is_val(i->m.arg[k]))
					name_register(R, &i->m.arg[k]);
}

static void
count_used(ra *R)
{
	for (unsigned bank = 0; bank < RA_NBANK; bank++) {
		R->used[bank] = 0;
		for (unsigned r = 0; r < (bank == RA_V ? (unsigned)RA_NVGPR : (unsigned)RA_VCC); r++)
			if (R->taken[bank][r].n)
				R->used[bank] = r + 1;
	}
	R->vcc_used = R->taken[RA_S][RA_VCC].n || R->taken[RA_S][RA_VCC + 1].n;
}

/* Registers of the spill code lie behind those of the values. */
static void
place_reserved(ra *R)
{
	ir_func *f = R->f;
	uint32_t s = R->used[RA_S];

	if (R->need_base)        /* fills the gap before a pair, if there is one */
		R->base_sgpr = s++;
	if (R->need_branch_pair) {
		f->k.branch_sgpr = (int16_t)((s + 1) & ~1u);
		s = (uint32_t)f->k.branch_sgpr + 2;
	}
	if (R->need_lane_scratch) {
		R->save_sgpr = (s + 1) & ~1u;
		s = R->save_sgpr + 2;
	}
	R->lane_vgpr = R->used[RA_V];
	R->lane_temp = R->lane_vgpr + R->lane_vgprs;
	f->k.sgprs = s;
	f->k.vgprs = R->lane_temp + R->need_lane_scratch;
	f->k.uses_vcc = R->vcc_used;
	f->k.vgpr_spills = R->nspilled[RA_V];
	f->k.sgpr_spills = R->nspilled[RA_S];
}

/* Operands as they are before anything moves: what the check compares with. */
static void
remember_operands(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			i->phi = arena_dup(f->A, i->m.arg, i->m.nargs * sizeof *i->m.arg);
}

static void
forget_operands(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			i->phi = NULL;
}

static void
finish(ra *R, const ra_live *original)
{
	const char *wrong;

	name_registers(R);
	count_used(R);
	place_reserved(R);
	wrong = ra_check(R, original);
	if (wrong)
		ra_internal(R, NULL, wrong);
	forget_operands(R->f);
	ra_expand(R);
}

/* gfx90a: a 64-bit shift must not take its amount from the last VGPR of the allocation. */
static bool
has_shift64(const ir_func *f)
{
	if (!(f->target->hazards & ISA_HZ_SHIFT64_HIGH))
		return false;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (i->m.op == OP_v_lshlrev_b64 || i->m.op == OP_v_lshrrev_b64 ||
			    i->m.op == OP_v_ashrrev_i64)
				return true;
	return false;
}

void
p_regalloc(ir_func *f)
{
	/* A branch reaches 32,767 dwords; an instruction has up to 5, most have 2, and waits come on top. */
	enum { LONG_KERNEL = 8000 };
	ra R = { .f = f, .t = f->target, .A = f->A };
	ra_live *original, *old = NULL;
	bool again = true;

	f->k.branch_sgpr = -1;
	remember_operands(f);
	original = R.live = ra_liveness(f, NULL, UINT32_MAX);
	R.need_branch_pair = R.live->ninsts > LONG_KERNEL;
	R.shift64 = has_shift64(f);
	for (unsigned k = 0; again; k++) {
		while (R.homes.n < MAX(f->vals.n, 1u))
			*vec_push(f->A, &R.homes) = (ra_home){ .slot = RA_NONE };
		if (k == MAX_ROUNDS) {
			ra_internal(&R, NULL, "spilling does not end");
			return;
		}
		if (!round_of(&R, &again))
			return;
		if (again)
			R.live = old = ra_liveness(f, old, original->nvals);
	}
	finish(&R, original);
}
