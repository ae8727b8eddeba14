/* progress.c -- which loops and .sync of a kernel are led through the gate, so that lanes which wait for others get what they
 * wait for: forward progress as threads of sm_70 have it.
 * A loop that waits (spin.c) needs it where lanes may be in it while others of the wave, that may do what it waits for, are
 * not. Those do nothing more who stand at a barrier, or at a .sync of all lanes of a wave: they are waited for themselves.
 * Needs generic SSA in normal form with block.divergent; leaves the same.
 * Manual: "Parallel Thread Execution ISA", 3.1, 9.7.13.2. */
#include "pass/gate.h"

bool
gate_one_warp(const ir_func *f)
{
	return f->target->wave == 32 || (f->max_threads && f->max_threads <= 32);
}

static bool
is_meet(const ir_inst *i)
{
	return i->m.op == G_meet && gate_names_many(i->m.arg[0]);
}

/* By block: does it hold such an instruction? NULL: none does. */
bool *
gate_blocks_with(ir_func *f, bool (*which)(const ir_inst *))
{
	bool *has = arena_array(f->A, bool, f->blocks.n), any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (which(i))
				any = has[b] = true;
	return any ? has : NULL;
}

/* ---- loops that wait ---- */

/* Somebody who waits may wait for this. */
static bool
tells(const ir_inst *i)
{
	return (i->m.op == G_store && i->mem.space != IR_LOCAL) || i->m.op == G_atomic || i->m.op == G_cas;
}

/* Here a lane comes no further while others of its wave spin: they are awaited too. */
static bool
stops(const ir_func *f, const ir_inst *i)
{
	if (i->m.op == G_barrier)
		return true;
	return gate_one_warp(f) && i->m.op == G_meet && ir_is_imm(i->m.arg[0]) && (uint32_t)i->m.arg[0].imm == UINT32_MAX;
}

/* What may end a wait, before a place where lanes stop; and those places. */
static void
find_tellers(ir_func *f, bool *telling, bool *stopping)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && !stopping[b]; i = i->next) {
			telling[b] |= tells(i);
			stopping[b] = stops(f, i);
		}
}

/* ---- code that one lane at a time is in ---- */

static const ir_inst *
def(const ir_func *f, ir_opnd o)
{
	return ir_is_val(o) ? f->vals.a[o.reg].def : NULL;
}

static bool
differs(const ir_func *f, ir_opnd o)
{
	return ir_is_val(o) && f->vals.a[o.reg].divergent;
}

/* Has each lane of the wave another value? A kernel that does not read tid.y and tid.z is taken to run in rows. */
static bool
numbers_lanes(const ir_func *f, ir_opnd o, bool rows)
{
	const ir_inst *d = def(f, o);

	while (d && d->m.op == G_add32 && differs(f, d->m.arg[1]) != differs(f, d->m.arg[2]))
		d = def(f, d->m.arg[differs(f, d->m.arg[1]) ? 1 : 2]);
	if (d && d->m.op == G_and32 && ir_is_imm(d->m.arg[2]) && (d->m.arg[2].imm & 31) == 31 && gate_one_warp(f))
		d = def(f, d->m.arg[1]);
	if (!d || d->m.op != G_special)
		return false;
	return (d->m.offset == IR_LANEID && gate_one_warp(f)) || (d->m.offset == IR_TID_X && rows);
}

/* Does at most one lane find the condition to be `yes`? */
static bool
picks_one(const ir_func *f, ir_opnd cond, bool yes, bool rows)
{
	const ir_inst *d = def(f, cond);

	for (; d && d->m.op == G_not1; d = def(f, d->m.arg[1]))
		yes = !yes;
	if (!d)
		return false;
	if (d->m.op == (yes ? G_and1 : G_or1))
		for (unsigned k = 1; k < 3; k++) {
			const ir_inst *part = def(f, d->m.arg[k]);

			if (part && part->m.op == G_icmp32 && picks_one(f, d->m.arg[k], yes, rows))
				return true;
		}
	if (d->m.op != G_icmp32 || d->cc != (yes ? IR_EQ : IR_NE))
		return false;
	for (unsigned k = 1; k < 3; k++)
		if (numbers_lanes(f, d->m.arg[k], rows) && !differs(f, d->m.arg[3 - k]))
			return true;
	return false;
}

static bool
in_rows(const ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (i->m.op == G_special && (i->m.offset == IR_TID_Y || i->m.offset == IR_TID_Z))
				return false;
	return true;
}

/* A lone lane does not part. */
static void
heed_lone_lanes(ir_func *f)
{
	bool rows = in_rows(f);

	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const ir_block *x = f->blocks.a[b];

		for (uint32_t s = 0; x->divergent && s < x->succs.n; s++) {
			if (x->succs.a[s]->preds.n != 1 || !picks_one(f, ir_terminator(x)->m.arg[0], s == 0, rows))
				continue;
			for (uint32_t k = 0; k < f->blocks.n; k++)
				if (ir_dominates(x->succs.a[s], f->blocks.a[k]))
					f->blocks.a[k]->divergent = false;
		}
	}
}

/* By block: may lanes be there while others of the wave, that do something to be waited for, are not? */
static const bool *
parted_polls(ir_func *f)
{
	uint32_t nv = f->vals.n, nb = f->blocks.n;
	bool *telling = arena_array(f->A, bool, nb), *stopping = arena_array(f->A, bool, nb);
	bool *val = arena_array(f->A, bool, nv), *block = arena_array(f->A, bool, nb), *parted;

	for (uint32_t v = 0; v < nv; v++)
		val[v] = f->vals.a[v].divergent;
	for (uint32_t b = 0; b < nb; b++)
		block[b] = f->blocks.a[b]->divergent;
	p_uniform_polls(f, p_private_loads(f));
	heed_lone_lanes(f);
	find_tellers(f, telling, stopping);
	parted = p_parted(f, telling, stopping);
	for (uint32_t v = 0; v < nv; v++)
		f->vals.a[v].divergent = val[v];
	for (uint32_t b = 0; b < nb; b++)
		f->blocks.a[b]->divergent = block[b];
	return parted;
}

static bool
parted_in(const ir_func *f, const ir_block *head, const bool *parted)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (parted[b] && p_in_cycle(head, f->blocks.a[b]))
			return true;
	return false;
}

/* By block: can lanes come there from one of the blocks; with `back`, from there to one? */
static bool *
reach(ir_func *f, const bool *from, bool back)
{
	bool *met = arena_array(f->A, bool, f->blocks.n);
	VEC(ir_block *) todo = { 0 };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (from[b])
			*vec_push(f->A, &todo) = f->blocks.a[b];
	while (todo.n) {
		ir_block *b = todo.a[--todo.n];
		uint32_t n = back ? b->preds.n : b->succs.n;

		for (uint32_t k = 0; k < n && !met[b->id]; k++)
			*vec_push(f->A, &todo) = back ? b->preds.a[k] : b->succs.a[k];
		met[b->id] = true;
	}
	return met;
}

/* By block: may lanes be there while others of their wave stand at the gate, sent there by one of the loops? They come behind
 * the loop themselves, or parted from those others before it. */
static bool *
beside_spins(ir_func *f, const bool *spin)
{
	bool *apart = reach(f, spin, true);

	for (uint32_t b = 0; b < f->blocks.n; b++)
		apart[b] &= f->blocks.a[b]->divergent || spin[b];
	return reach(f, apart, false);
}

/* The loops whose turns go through the gate: those in which lanes wait for lanes elsewhere. Where one does, every loop that
 * waits does that lanes may be in meanwhile. NULL: none. */
static bool *
find_spins(ir_func *f)
{
	const uint8_t *kind = p_spins(f);
	bool *spin = arena_array(f->A, bool, f->blocks.n), any = false;
	const bool *met;

	for (uint32_t b = 0; kind && b < f->blocks.n; b++)
		any |= kind[b] == P_SPIN_WAITS;
	if (!any)
		return NULL;
	met = parted_polls(f);
	any = false;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (kind[b] == P_SPIN_WAITS && parted_in(f, f->blocks.a[b], met))
			any = spin[b] = true;
	if (!any)
		return NULL;
	met = beside_spins(f, spin);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		spin[b] |= kind[b] && met[b];
	return spin;
}

/* ---- .sync ---- */

static bool
any_apart(const gate_plan *p, const ir_block *b)
{
	for (const ir_inst *i = b->first; i; i = i->next)
		if (is_meet(i) && p->apart[i->m.offset])
			return true;
	return false;
}

/* Where the gate or a shared body sends lanes apart, they come one after the other, and may find another value: at one address, on
 * the clock, in those that are there. */
static bool
may_change(const ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (i->ndefs && g && (i->m.op == G_clock || g->flags & IR_CONV))
		return true;
	return i->m.op == G_load && i->mem.space != IR_PARAM && i->mem.space != IR_CONST && !i->mem.nc;
}

static bool
may_be_short(const ir_func *f, const ir_inst *i)
{
	return i->m.op == G_special && (i->m.offset == IR_TID_Y || i->m.offset == IR_TID_Z) && !f->reqntid[0];
}

/* By value: does it differ within a warp although it is taken for the same elsewhere? What private memory holds; the row of a thread,
 * where rows may be shorter than a warp; with `times`, what changes. */
static const bool *
differing(ir_func *f, bool times)
{
	bool *differ = p_private_loads(f);

	if (!differ)
		differ = arena_array(f->A, bool, f->vals.n);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (may_be_short(f, i) || (times && may_change(i)))
				differ[i->m.arg[0].reg] = true;
	return differ;
}

/* The blocks whose .sync must gather lanes: those of a kind that is apart; behind a spin that single lanes of a warp are in; where
 * lanes come one after the other as they return from a body that several places jump to; all where a bar.warp.sync is awaited from
 * several places; and what is behind such blocks. */
static void
find_meets(ir_func *f, gate_plan *p, const bool *with)
{
	const bool *parted;
	bool *from = arena_array(f->A, bool, f->blocks.n), any = false, times = p->spin || f->shared_bodies;

	p_uniform_warp(f, differing(f, times));
	if (gate_find_apart(f, p) && !times) {
		p_uniform_warp(f, differing(f, true));
		gate_find_apart(f, p);
	}
	parted = p_parted(f, with, NULL);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		from[b] = with[b] && (p->apart[IR_MEET_ORDERS] || any_apart(p, f->blocks.a[b]) || (f->shared_bodies && parted[b]));
		from[b] |= p->spin && p->spin[b] && parted_in(f, f->blocks.a[b], parted);
		any |= from[b];
	}
	p->meet = any ? reach(f, from, false) : NULL;
	if (!f->one_body)       /* once: in what is lowered again lanes come back from one body at different times, too */
		gate_warn_of_meets(f, p, parted);
	p_uniform(f);
}

/* What kernel f must lead through the gate so that its lanes get what they wait for. */
gate_plan
gate_find_spins(ir_func *f)
{
	gate_plan p = { .spin = find_spins(f) };
	const bool *with = gate_blocks_with(f, is_meet);

	if (with)
		find_meets(f, &p, with);
	return p;
}
