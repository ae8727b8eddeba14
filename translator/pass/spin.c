/* spin.c -- loops in which a lane waits for what others write to memory.
 * Needs generic SSA in normal form with idom, ipdom and cycles; leaves nothing.
 *
 * A loop waits if a branch decides between another turn and leaving by what the turn saw in memory, and the turn
 * itself brings the end no nearer. What it saw:
 *   a strong load, or any load in a loop with a fence, of an address that a turn may leave as it was, be it
 *   because of what it read (k >>= *p, k += *p, k &= ~*p: then nothing comes of a turn that read the wrong thing);
 *   the old value of an atomic operation there that would be done again with the same operands, or of a compare-and-swap.
 * What does not wait:
 *   a turn behind a compare-and-swap that failed because memory was no longer what was read there before: another
 *   lane's has succeeded; nor one behind its success, if what it put there is computed from what it found;
 *   a turn with an atomic addition of something whose old value is used (tickets, work queues), unless the loop takes it back;
 *   a walk from address to address (probing a table, following a list);
 *   a turn with a barrier of the block in it.
 * What goes through private memory is followed there: into the value where one block stores and loads it, else to whatever the
 * turn may have stored at that place. Where that leaves a doubt, the loop waits.
 * A loop that itself writes to the place in another way, too, is SERVED: a lane takes the lock and gives it back
 * within one turn, and the others wait for it at the loop's end. */
#include "pass/pass.h"

#include <string.h>

/* Bits of heeds: of p_spins; and that the value depends on any access at all. */
enum { SPIN_BITS = P_SPIN_WAITS | P_SPIN_SERVED, READS = 4 };
/* With more stores to private memory in a cycle, each is taken to be to any place. */
enum { MANY = 512 };

typedef struct ctx {
	ir_func *f;
	uint32_t *low, *high;    /* by id of a cycle's head: its blocks, which are contiguous */
	const ir_block *head;    /* of the cycle looked at; what follows is about it */
	const p_private *own;    /* private memory; NULL: none */
	bool fenced;
	bool *reads;             /* by value: depends on what the turn has found in memory that others write */
	bool *varies;            /* by value: each turn has another one */
	uint8_t *heeds;          /* by value: SPIN_BITS of the watches that it depends on, READS */
	uint8_t *chosen;         /* by block: the same, of which way lanes came */
	uint8_t *under;          /* by block: the same, of whether lanes came there at all */
	uint8_t *told;           /* by block: with which of them its branch has been to where its ways meet */
	uint8_t *beyond;         /* by block: with which of them somebody has been to all that comes behind it in the cycle */
	bool *retries;           /* by value: result of a compare-and-swap that expects what was read */
	bool *idle;              /* by block: in a turn before anybody has come further */
	uint8_t *further;        /* by block: has somebody come further on the way to successor 0 (1), 1 (2)? */
	uint32_t *seen, stamp;   /* by value: scratch of walks */
	uint32_t *met, walk;     /* by block: the same */
	VEC(const ir_inst *) writes; /* of the cycle */
	VEC(const ir_inst *) kept;   /* the cycle's stores that may be to private memory */
	VEC(ir_opnd) todo;
	VEC(ir_block *) blocks;
} ctx;

static ir_block *
cycle_of(ir_block *b)
{
	return b->heads_cycle ? b : b->cycle;
}

bool
p_in_cycle(const ir_block *head, ir_block *b)
{
	for (const ir_block *h = cycle_of(b); h; h = h->cycle)
		if (h == head)
			return true;
	return false;
}

static bool
inside(const ctx *c, const ir_block *b)
{
	return b->id >= c->low[c->head->id] && b->id <= c->high[c->head->id];
}

/* What o is, if it went through private memory in one block. */
static ir_opnd
held(const ctx *c, ir_opnd o)
{
	return c->own && ir_is_val(o) ? c->own->held[o.reg] : o;
}

static bool
same(const ctx *c, ir_opnd a, ir_opnd b)
{
	return ir_same(held(c, a), held(c, b));
}

/* The instruction of this cycle that makes o; NULL: it comes from elsewhere. */
static const ir_inst *
made_by(const ctx *c, ir_opnd o)
{
	const ir_inst *d;

	o = held(c, o);
	d = ir_is_val(o) ? c->f->vals.a[o.reg].def : NULL;
	return d && inside(c, d->block) ? d : NULL;
}

static bool
is_write(const ir_inst *i)
{
	return (i->m.op == G_store && i->mem.space != IR_LOCAL) || i->m.op == G_atomic || i->m.op == G_cas;
}

/* Does i load from private memory, if from elsewhere, too, on other ways? */
static bool
recalls(const ctx *c, const ir_inst *i)
{
	return i->m.op == G_load && p_private_place(c->own, i) != P_ELSEWHERE;
}

/* May load i give what store k of the turn's has put into private memory? */
static bool
may_recall(const ctx *c, const ir_inst *i, uint32_t k)
{
	return c->kept.n > MANY || p_private_meet(c->own, i, c->kept.a[k]);
}

/* ---- walks back from a value through joins and selections ---- */

static void
look_at(ctx *c, ir_opnd o)
{
	o = held(c, o);
	if (ir_is_val(o) && c->seen[o.reg] == c->stamp)
		return;
	if (ir_is_val(o))
		c->seen[o.reg] = c->stamp;
	*vec_push(c->f->A, &c->todo) = o;
}

/* Pushes the sources that d may hand on as they are; false: it computes something. */
static bool
look_through(ctx *c, const ir_inst *d)
{
	switch (d->m.op) {
	case G_phi:
		for (uint32_t k = 0; k < d->block->preds.n; k++)
			look_at(c, d->phi[k]);
		return true;
	case G_sel32: case G_sel64:
		look_at(c, d->m.arg[2]);
		look_at(c, d->m.arg[3]);
		return true;
	case G_copy1: case G_copy32: case G_copy64: case G_lo32: case G_hi32: case G_word:
		look_at(c, d->m.arg[1]);
		return true;
	case G_pack64: case G_pack128:
		for (unsigned k = 1; k < d->m.nargs; k++)
			look_at(c, d->m.arg[k]);
		return true;
	default:
		return false;
	}
}

/* Pushes what load i of private memory may give of a turn's own; false: a turn may have put something else there. */
static bool
look_at_kept(ctx *c, const ir_inst *i)
{
	bool all = true;

	for (uint32_t k = 0; k < c->kept.n; k++)
		if (may_recall(c, i, k)) {
			all &= made_by(c, c->kept.a[k]->m.arg[1]) != NULL;
			look_at(c, c->kept.a[k]->m.arg[1]);
		}
	return all;
}

/* Is what o holds a word as some access of the cycle found it? */
static bool
was_read(ctx *c, ir_opnd o)
{
	bool read = false;

	c->stamp++;
	c->todo.n = 0;
	look_at(c, o);
	while (c->todo.n) {
		const ir_inst *d = made_by(c, c->todo.a[--c->todo.n]);

		if (!d || look_through(c, d))
			continue;
		if (recalls(c, d)) {
			if (!look_at_kept(c, d))
				return false;
			continue;
		}
		if (d->m.op != G_load && d->m.op != G_cas && d->m.op != G_atomic)
			return false;
		read = true;
	}
	return read;
}

static bool
accesses(const ir_inst *i)
{
	return i->m.op == G_load || i->m.op == G_cas || i->m.op == G_atomic;
}

/* Starts a walk at what a phi of the head has after a turn. */
static void
look_at_turns(ctx *c, const ir_inst *phi)
{
	c->stamp++;
	c->todo.n = 0;
	for (uint32_t k = 0; k < phi->block->preds.n; k++)
		if (inside(c, phi->block->preds.a[k]))
			look_at(c, phi->phi[k]);
}

/* Is a phi of the head computed from its last value and from what the turn read? That may be what leaves it as it was. */
static bool
is_moved_by_reading(ctx *c, const ir_inst *phi)
{
	look_at_turns(c, phi);
	while (c->todo.n) {
		ir_opnd o = c->todo.a[--c->todo.n];
		const ir_inst *d = made_by(c, o);

		if (ir_same(o, phi->m.arg[0]))
			return true;
		if (d && c->reads[o.reg] && recalls(c, d))
			return true;
		if (!d || !c->reads[o.reg] || accesses(d) || look_through(c, d))
			continue;
		for (unsigned k = d->ndefs; k < d->m.nargs; k++)
			look_at(c, d->m.arg[k]);
	}
	return false;
}

/* May a phi of the head have the same value in two turns? */
static bool
may_stay(ctx *c, const ir_inst *phi)
{
	if (is_moved_by_reading(c, phi))
		return true;
	look_at_turns(c, phi);
	while (c->todo.n) {
		ir_opnd o = c->todo.a[--c->todo.n];
		const ir_inst *d = made_by(c, o);

		if (!d || recalls(c, d) || ir_same(o, phi->m.arg[0]))
			return true;
		if (d->block != c->head || d->m.op != G_phi)
			look_through(c, d);
	}
	return false;
}

/* ---- what differs from turn to turn ---- */

/* Changes memory each time that it is done, for certain. */
static bool
advances(const ctx *c, const ir_inst *i)
{
	const ir_inst *d;
	ir_opnd by;

	if (i->m.op != G_atomic)
		return false;
	by = held(c, i->m.arg[2]);
	d = made_by(c, by);
	if ((ir_is_imm(by) && !by.imm) || (d && recalls(c, d)))
		return false;
	switch (i->mem.rmw) {
	case IR_RMW_add: case IR_RMW_inc: case IR_RMW_dec: case IR_RMW_xor: case IR_RMW_fadd: case IR_RMW_hadd: case IR_RMW_badd:
		return true;
	default:
		return false;
	}
}

/* Does the load see what others write while this lane is in the cycle? */
static bool
sees_others(const ctx *c, const ir_inst *i)
{
	bool shared = i->mem.space == IR_GENERIC || i->mem.space == IR_GLOBAL || i->mem.space == IR_SHARED;

	if (c->own && c->own->own[i->m.arg[0].reg])
		return false;
	return shared && !ir_reads_constant(i) && (i->mem.vol || i->mem.order != IR_WEAK || c->fenced);
}

static bool
has(const bool *set, ir_opnd o)
{
	return ir_is_val(o) && set[o.reg];
}

static bool
inst_reads(ctx *c, const ir_inst *i)
{
	for (uint32_t k = 0; recalls(c, i) && k < c->kept.n; k++)
		if (may_recall(c, i, k) && has(c->reads, c->kept.a[k]->m.arg[1]))
			return true;
	if (accesses(i))
		return i->m.op == G_load ? sees_others(c, i) : !advances(c, i);
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (has(c->reads, i->m.arg[k]))
			return true;
	for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++)
		if (has(c->reads, i->phi[k]))
			return true;
	return false;
}

static bool
varies(const ctx *c, ir_opnd o)
{
	return has(c->varies, held(c, o));
}

static bool
phi_varies(ctx *c, const ir_inst *phi)
{
	if (phi->block == c->head)
		return !may_stay(c, phi);
	for (uint32_t k = 0; k < phi->block->preds.n; k++)
		if (inside(c, phi->block->preds.a[k]) && !varies(c, phi->phi[k]))
			return false;
	return true;
}

static bool
inst_varies(ctx *c, const ir_inst *i)
{
	if (i->m.op == G_phi)
		return phi_varies(c, i);
	if (i->m.op == G_clock || advances(c, i))
		return true;
	if (accesses(i))
		return false;
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (varies(c, i->m.arg[k]))
			return true;
	return false;
}

/* ---- what a turn watches ---- */

static bool
same_place(const ctx *c, const ir_inst *i, const ir_inst *j)
{
	return same(c, i->m.arg[i->ndefs], j->m.arg[j->ndefs]) && i->m.offset == j->m.offset;
}

/* Does its address come from private memory, so that it may be another's, too? */
static bool
is_anywhere(const ctx *c, const ir_inst *i)
{
	ir_opnd a = held(c, i->m.arg[i->ndefs]);
	const ir_inst *d = ir_is_val(a) ? c->f->vals.a[a.reg].def : NULL;

	return d && recalls(c, d);
}

static bool
same_write(const ctx *c, const ir_inst *i, const ir_inst *j)
{
	bool alike = i->m.op == j->m.op && i->mem.rmw == j->mem.rmw;

	for (unsigned k = i->ndefs; alike && k < i->m.nargs; k++)
		alike = same(c, i->m.arg[k], j->m.arg[k]);
	return alike;
}

/* Does atomic operation i only look, or may it, if what it adds comes from private memory? */
static bool
only_looks(const ctx *c, const ir_inst *i)
{
	const ir_inst *d;
	ir_opnd by;

	if (i->m.op == G_cas)
		return same(c, i->m.arg[2], i->m.arg[3]);
	if (i->m.op != G_atomic || (i->mem.rmw != IR_RMW_add && i->mem.rmw != IR_RMW_or && i->mem.rmw != IR_RMW_xor && i->mem.rmw != IR_RMW_umax))
		return false;
	by = held(c, i->m.arg[2]);
	d = made_by(c, by);
	return (ir_is_imm(by) && !by.imm) || (d && recalls(c, d));
}

/* Does the cycle write to i's place in two ways? */
static bool
is_served(const ctx *c, const ir_inst *i)
{
	const ir_inst *one = is_write(i) && !only_looks(c, i) ? i : NULL;

	for (uint32_t k = 0; k < c->writes.n; k++) {
		const ir_inst *j = c->writes.a[k];

		if (j == i || only_looks(c, j) || !same_place(c, i, j))
			continue;
		if (one && !same_write(c, one, j))
			return true;
		one = j;
	}
	return false;
}

/* May the turn take back what atomic operation i adds? */
static bool
is_taken_back(const ctx *c, const ir_inst *i)
{
	for (uint32_t k = 0; k < c->writes.n; k++) {
		const ir_inst *j = c->writes.a[k];

		if (j != i && (j->m.op != G_store || j->mem.order != IR_WEAK) && (is_anywhere(c, i) || is_anywhere(c, j)))
			return true;
	}
	return is_served(c, i);
}

static uint8_t
level(const ctx *c, const ir_inst *i)
{
	return is_served(c, i) ? P_SPIN_SERVED : P_SPIN_WAITS;
}

static uint8_t
watches_by_load(const ctx *c, const ir_inst *i)
{
	return sees_others(c, i) ? level(c, i) : 0;
}

static uint8_t
watches_by_cas(ctx *c, const ir_inst *i)
{
	if (same(c, i->m.arg[2], i->m.arg[3]))
		return P_SPIN_WAITS;
	c->retries[i->m.arg[0].reg] = was_read(c, i->m.arg[2]);
	return level(c, i);
}

static uint8_t
watches_by_atomic(const ctx *c, const ir_inst *i)
{
	if (advances(c, i))
		return is_taken_back(c, i) ? P_SPIN_WAITS : 0;
	return varies(c, i->m.arg[2]) ? 0 : level(c, i);
}

/* SPIN_BITS of what i sees of memory. */
static uint8_t
watches(ctx *c, const ir_inst *i)
{
	if (!accesses(i))
		return 0;
	if (varies(c, i->m.arg[1]))
		return 0;
	if (i->m.op == G_load)
		return watches_by_load(c, i);
	return i->m.op == G_cas ? watches_by_cas(c, i) : watches_by_atomic(c, i);
}

/* ---- what depends on it ---- */

/* The compare-and-swap that retries, if i is whether it has found what it expected. */
static const ir_inst *
tests_retry(const ctx *c, const ir_inst *i)
{
	if ((i->m.op != G_icmp32 && i->m.op != G_icmp64) || (i->cc != IR_EQ && i->cc != IR_NE))
		return NULL;
	for (unsigned k = 1; k < 3; k++) {
		const ir_inst *d = made_by(c, i->m.arg[k]);

		if (d && d->m.op == G_cas && c->retries[d->m.arg[0].reg] && same(c, d->m.arg[2], i->m.arg[3 - k]))
			return d;
	}
	return NULL;
}

static uint8_t
heeds(const ctx *c, ir_opnd o)
{
	return ir_is_val(o) ? c->heeds[o.reg] : 0;
}

/* Of what load i of private memory may give: of the values, and of whether the turn came to put them there. */
static uint8_t
recalled(const ctx *c, const ir_inst *i)
{
	ir_opnd v = held(c, i->m.arg[0]);
	uint8_t h = 0;

	if (!ir_same(v, i->m.arg[0]))
		return heeds(c, v);
	for (uint32_t k = 0; k < c->kept.n; k++)
		if (may_recall(c, i, k))
			h |= heeds(c, c->kept.a[k]->m.arg[1]) | c->under[c->kept.a[k]->block->id];
	return h;
}

static uint8_t
inst_heeds(const ctx *c, const ir_inst *i)
{
	uint8_t h = i->phi ? c->chosen[i->block->id] : 0;

	if (tests_retry(c, i))
		return 0;
	if (recalls(c, i))
		h |= recalled(c, i);
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		h |= heeds(c, i->m.arg[k]);
	for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++)
		h |= heeds(c, i->phi[k]);
	return h;
}

/* Where the ways from b meet, what lanes bring along tells by which they came. */
static bool
choose(ctx *c, const ir_block *b, uint8_t h)
{
	bool changed = false, to_the_end = !b->ipdom || !inside(c, b->ipdom);

	if ((c->told[b->id] | h) == c->told[b->id])
		return false;
	c->told[b->id] |= h;
	c->walk++;
	c->blocks.n = 0;
	for (uint32_t s = 0; s < b->succs.n; s++)
		*vec_push(c->f->A, &c->blocks) = b->succs.a[s];
	while (c->blocks.n) {
		ir_block *x = c->blocks.a[--c->blocks.n];

		if (!inside(c, x) || c->met[x->id] == c->walk || (c->beyond[x->id] | h) == c->beyond[x->id])
			continue;
		c->met[x->id] = c->walk;
		c->beyond[x->id] |= to_the_end ? h : 0;
		if (c->own && x != b->ipdom && (c->under[x->id] | h) != c->under[x->id]) {
			c->under[x->id] |= h;
			changed = true;
		}
		if (x->preds.n > 1 && (c->chosen[x->id] | h) != c->chosen[x->id]) {
			c->chosen[x->id] |= h;
			changed = true;
		}
		for (uint32_t s = 0; x != b->ipdom && s < x->succs.n; s++)
			*vec_push(c->f->A, &c->blocks) = x->succs.a[s];
	}
	return changed;
}

/* One sweep over the cycle; returns whether something was new. */
static bool
spread(ctx *c, ir_block *b)
{
	bool changed = false;

	for (ir_inst *i = b->first; i; i = i->next) {
		uint8_t h = inst_heeds(c, i);

		for (unsigned k = 0; k < i->ndefs; k++) {
			uint8_t *had = &c->heeds[i->m.arg[k].reg];

			changed |= (*had | h) != *had;
			*had |= h;
		}
		if (i->m.op == G_cbr && h & SPIN_BITS)
			changed |= choose(c, b, h & SPIN_BITS);
	}
	return changed;
}

/* ---- turns ---- */

/* Has somebody come further by what block b does? */
static bool
comes_further(const ctx *c, const ir_block *b)
{
	for (const ir_inst *i = b->first; i; i = i->next)
		if (i->m.op == G_barrier || (advances(c, i) && c->f->vals.a[i->m.arg[0].reg].nuses && !is_taken_back(c, i)))
			return true;
	return false;
}

/* Does the compare-and-swap put something else there than what others that do the same have put? */
static bool
is_step(ctx *c, const ir_inst *cas)
{
	c->stamp++;
	c->todo.n = 0;
	look_at(c, cas->m.arg[3]);
	while (c->todo.n) {
		ir_opnd o = c->todo.a[--c->todo.n];
		const ir_inst *d = made_by(c, o);

		if (!d || accesses(d) || look_through(c, d))
			continue;
		switch (d->m.op) {
		case G_and32: case G_and64: case G_or32: case G_or64: case G_not32: case G_not64: case G_bitsel32:
		case G_min_u32: case G_max_u32: case G_min_s32: case G_max_s32:
			for (unsigned k = 1; k < d->m.nargs; k++)
				look_at(c, d->m.arg[k]);
			break;
		default:
			if (c->heeds[o.reg] & READS)
				return true;
		}
	}
	return false;
}

/* Does the way from b to its successor number s lead on from a compare-and-swap that retries: one that failed, or a step? */
static bool
has_tried(ctx *c, const ir_block *b, uint32_t s)
{
	const ir_inst *t = ir_terminator(b), *d, *cas;
	bool yes = s == 0;

	if (!t || t->m.op != G_cbr)
		return false;
	d = made_by(c, t->m.arg[0]);
	for (; d && d->m.op == G_not1; d = made_by(c, d->m.arg[1]))
		yes = !yes;
	cas = d ? tests_retry(c, d) : NULL;
	return cas && (yes == (d->cc == IR_NE) || is_step(c, cas));
}

static void
find_further(ctx *c)
{
	for (uint32_t k = c->low[c->head->id]; k <= c->high[c->head->id]; k++) {
		const ir_block *b = c->f->blocks.a[k];
		bool all = comes_further(c, b);

		c->further[k] = 0;
		for (uint32_t s = 0; s < b->succs.n; s++)
			c->further[k] |= (uint8_t)((all || has_tried(c, b, s)) << s);
	}
}

/* The blocks of a turn in which nobody has come further, from the head on. */
static void
find_idle(ctx *c)
{
	uint32_t low = c->low[c->head->id], n = c->high[c->head->id] - low + 1;

	memset(c->idle + low, 0, n * sizeof *c->idle);
	c->blocks.n = 0;
	*vec_push(c->f->A, &c->blocks) = c->f->blocks.a[c->head->id];
	while (c->blocks.n) {
		ir_block *b = c->blocks.a[--c->blocks.n];

		if (!inside(c, b) || c->idle[b->id])
			continue;
		c->idle[b->id] = true;
		for (uint32_t s = 0; s < b->succs.n; s++)
			if (!(c->further[b->id] >> s & 1))
				*vec_push(c->f->A, &c->blocks) = b->succs.a[s];
	}
}

/* Do lanes that leave b by its successor number s come to the head again before they meet the others? */
static bool
turns(ctx *c, const ir_block *b, uint32_t s)
{
	if (c->further[b->id] >> s & 1)
		return false;
	c->walk++;
	c->blocks.n = 0;
	*vec_push(c->f->A, &c->blocks) = b->succs.a[s];
	while (c->blocks.n) {
		ir_block *x = c->blocks.a[--c->blocks.n];

		if (!inside(c, x) || x == b->ipdom || c->met[x->id] == c->walk)
			continue;
		if (x == c->head)
			return true;
		c->met[x->id] = c->walk;
		for (uint32_t k = 0; k < x->succs.n; k++)
			if (!(c->further[x->id] >> k & 1))
				*vec_push(c->f->A, &c->blocks) = x->succs.a[k];
	}
	return false;
}

/* SPIN_BITS of the branch at b's end, if it decides between another turn and going on. */
static uint8_t
decides(ctx *c, const ir_block *b)
{
	const ir_inst *t = ir_terminator(b);
	uint8_t h = t && t->m.op == G_cbr && c->idle[b->id] ? heeds(c, t->m.arg[0]) & SPIN_BITS : 0;

	return h && (turns(c, b, 0) || turns(c, b, 1)) ? h : 0;
}

/* ---- cycles ---- */

static bool
sweep(ctx *c, bool (*step)(ctx *, ir_block *))
{
	bool changed = false;

	for (uint32_t b = c->low[c->head->id]; b <= c->high[c->head->id]; b++)
		changed |= step(c, c->f->blocks.a[b]);
	return changed;
}

static bool
reset(ctx *c, ir_block *b)
{
	c->chosen[b->id] = c->under[b->id] = c->told[b->id] = c->beyond[b->id] = 0;
	for (const ir_inst *i = b->first; i; i = i->next) {
		for (unsigned k = 0; k < i->ndefs; k++) {
			c->varies[i->m.arg[k].reg] = c->retries[i->m.arg[k].reg] = c->reads[i->m.arg[k].reg] = false;
			c->heeds[i->m.arg[k].reg] = 0;
		}
		c->fenced |= i->m.op == G_fence;
		if (is_write(i))
			*vec_push(c->f->A, &c->writes) = i;
		if (i->m.op == G_store && p_private_place(c->own, i) != P_ELSEWHERE)
			*vec_push(c->f->A, &c->kept) = i;
	}
	return true;
}

/* Adds to a set of values what block b's instructions say of theirs; returns whether something was new. */
static bool
mark(ctx *c, const ir_block *b, bool *set, bool (*says)(ctx *, const ir_inst *))
{
	bool changed = false;

	for (const ir_inst *i = b->first; i; i = i->next)
		for (unsigned k = 0; k < i->ndefs; k++) {
			bool *v = &set[i->m.arg[k].reg];

			if (!*v && says(c, i))
				changed = *v = true;
		}
	return changed;
}

static bool
find_reads(ctx *c, ir_block *b)
{
	return mark(c, b, c->reads, inst_reads);
}

static bool
vary(ctx *c, ir_block *b)
{
	return mark(c, b, c->varies, inst_varies);
}

/* Returns whether there is a watch. */
static bool
watch(ctx *c, ir_block *b)
{
	bool any = false;

	for (const ir_inst *i = b->first; i; i = i->next) {
		uint8_t h = watches(c, i);

		any |= h != 0;
		if (accesses(i))
			c->heeds[i->m.arg[0].reg] = h | (recalls(c, i) ? 0 : READS);
	}
	return any;
}

static uint8_t
judge(ctx *c, const ir_block *head)
{
	uint8_t h = 0;
	bool any;

	c->head = head;
	c->fenced = false;
	c->writes.n = c->kept.n = 0;
	sweep(c, reset);
	while (sweep(c, find_reads))
		;
	while (sweep(c, vary))
		;
	any = sweep(c, watch);
	while (any && sweep(c, spread))
		;
	if (any) {
		find_further(c);
		find_idle(c);
		for (uint32_t b = c->low[head->id]; b <= c->high[head->id] && !(h & P_SPIN_WAITS); b++)
			h |= decides(c, c->f->blocks.a[b]);
	}
	sweep(c, reset);
	return h & P_SPIN_WAITS ? P_SPIN_WAITS : h & P_SPIN_SERVED;
}

static bool
touches_memory(const ctx *c, const ir_block *head)
{
	for (uint32_t b = c->low[head->id]; b <= c->high[head->id]; b++)
		for (const ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next)
			if (i->m.op == G_cas || i->m.op == G_atomic || i->m.op == G_fence ||
			    (i->m.op == G_load && (i->mem.vol || i->mem.order != IR_WEAK)))
				return true;
	return false;
}

static void
find_extents(ctx *c)
{
	memset(c->low, 0xff, c->f->blocks.n * sizeof *c->low);
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_block *h = cycle_of(c->f->blocks.a[b]); h; h = h->cycle) {
			c->low[h->id] = MIN(c->low[h->id], b);
			c->high[h->id] = b;
		}
}

uint8_t *
p_spins(ir_func *f)
{
	uint32_t n = f->blocks.n, v = f->vals.n;
	uint8_t *spin = NULL;
	ctx c = { .f = f, .low = arena_array(f->A, uint32_t, n), .high = arena_array(f->A, uint32_t, n) };

	find_extents(&c);
	for (uint32_t b = 0; b < n; b++) {
		if (!f->blocks.a[b]->heads_cycle || !touches_memory(&c, f->blocks.a[b]))
			continue;
		if (!spin) {
			spin = arena_array(f->A, uint8_t, n);
			c.own = p_find_private(f);
			c.under = arena_array(f->A, uint8_t, n);
			c.reads = arena_array(f->A, bool, v);
			c.varies = arena_array(f->A, bool, v);
			c.retries = arena_array(f->A, bool, v);
			c.heeds = arena_array(f->A, uint8_t, v);
			c.seen = arena_array(f->A, uint32_t, v);
			c.chosen = arena_array(f->A, uint8_t, n);
			c.told = arena_array(f->A, uint8_t, n);
			c.beyond = arena_array(f->A, uint8_t, n);
			c.idle = arena_array(f->A, bool, n);
			c.further = arena_array(f->A, uint8_t, n);
			c.met = arena_array(f->A, uint32_t, n);
		}
		spin[b] = judge(&c, f->blocks.a[b]);
	}
	return spin;
}
