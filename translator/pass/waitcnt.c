/* waitcnt.c -- waits for memory operations exactly before the first instruction that needs them.
 * Needs physical code; leaves the family's wait instructions, and P_barrier as the family's barrier.
 * Waits that are already there (fences) are taken apart and merged with what is needed at that place.
 * Manuals: "Manually inserted waits / data dependency resolution"; counters.def says who counts where.
 *
 * Each counter goes up when an operation is issued and down when it is done. In order: a register
 * written by an operation since which n others were issued is good once the counter is at most n. That
 * n is its age. Scalar loads come back in any order, and so do flat accesses, which may be LDS
 * or memory: with one of them under way only 0 says anything. */
#include "pass/pass.h"

#include <string.h>

enum { NSGPR = 108 /* with VCC */, NREG = NSGPR + 256, NTRACK = 4 };
enum { NOT_PENDING = 255, OLDEST = 254, NO_WAIT = 255 };
enum { KIND_SMEM = 1, KIND_DS = 2, KIND_VMEM = 4, KIND_FLAT = 8 };

/* What is under way at one point of the program. */
typedef struct board {
	uint8_t age[NTRACK][NREG];
	uint8_t pending[NTRACK];        /* at most so many; 255: or more */
	uint8_t kinds[NTRACK];
} board;

typedef struct waiter {
	ir_func *f;
	const p2a_target *t;
	unsigned ntracks;
	uint8_t counter[NTRACK], track[ISA_NCNT], max[NTRACK]; /* track: NTRACK where none */
	uint32_t field[NTRACK]; /* bits of s_waitcnt; 0: an instruction of its own */
	board *in;              /* by block */
	bool *seen;
	board now;
	uint8_t want[NTRACK];   /* what the next instruction waits for */
} waiter;

/* ---- the family's counters ---- */

/* The wait for counter c alone to reach n. */
static p2a_inst
wait_of(const p2a_target *t, unsigned c, unsigned n)
{
	uint8_t wait[ISA_NCNT];
	p2a_inst out[ISA_NCNT] = { { 0 } };

	memset(wait, NO_WAIT, sizeof wait);
	wait[c] = (uint8_t)n;
	isa_wait(t, wait, out);
	return out[0];
}

static uint32_t
simm_of(const p2a_inst *i)
{
	return (uint32_t)i->arg[i->nargs - 1].imm;
}

static void
find_tracks(waiter *W)
{
	static const uint8_t used[] = { ISA_CNT_VM, ISA_CNT_LGKM, ISA_CNT_VS, ISA_CNT_LOAD, ISA_CNT_STORE,
		ISA_CNT_DS, ISA_CNT_KM };
	uint32_t all = 0;

	memset(W->track, NTRACK, sizeof W->track);
	for (unsigned k = 0; k < COUNT(used); k++) {
		unsigned c = used[k], n = W->ntracks, max = isa_counter[c].max[W->t->family];

		if (!max)
			continue;
		W->counter[n] = (uint8_t)c;
		W->track[c] = (uint8_t)n;
		W->max[n] = (uint8_t)max;
		W->ntracks++;
	}
	for (unsigned k = 0; k < W->ntracks; k++) {
		p2a_inst zero = wait_of(W->t, W->counter[k], 0);

		all |= zero.op == OP_s_waitcnt ? simm_of(&zero) : 0;
	}
	for (unsigned k = 0; k < W->ntracks; k++) {
		p2a_inst zero = wait_of(W->t, W->counter[k], 0);

		W->field[k] = zero.op == OP_s_waitcnt ? all & ~simm_of(&zero) : 0;
	}
}

/* ---- registers ---- */

/* Tracked registers of an operand: first and how many. */
static unsigned
registers(const waiter *W, const p2a_opnd *o, unsigned *first)
{
	if (o->kind == P2A_K_SGPR) {
		*first = o->reg;
		return o->reg < NSGPR ? MIN(o->width, NSGPR - o->reg) : 0;
	}
	if (o->kind == P2A_K_VGPR) {
		*first = NSGPR + o->reg;
		return *first < NREG ? MIN(o->width, NREG - *first) : 0;
	}
	*first = NSGPR - 2 + (o->reg == P2A_VCC_HI);
	if (o->kind != P2A_K_SREG || o->reg > P2A_VCC_HI)
		return 0;
	return o->reg == P2A_VCC ? W->t->wave / 32 : 1;
}

/* ---- waiting ---- */

static bool
out_of_order(const waiter *W, unsigned t)
{
	return W->now.kinds[t] & (KIND_SMEM | KIND_FLAT);
}

/* Merges "counter of track t at most n" into what is wanted; nothing if that is so anyway. */
static void
want(waiter *W, unsigned t, unsigned n)
{
	if (n >= W->now.pending[t] && W->now.pending[t] != 255)
		return;
	n = MIN(n, W->max[t] - 1u);
	W->want[t] = (uint8_t)MIN(W->want[t], n);
}

static void
want_register(waiter *W, unsigned r)
{
	for (unsigned t = 0; t < W->ntracks; t++)
		if (W->now.age[t][r] != NOT_PENDING)
			want(W, t, out_of_order(W, t) ? 0 : W->now.age[t][r]);
}

/* Before a barrier. Where the waves of a workgroup share a CU and its L1, and the chip lets accesses be under
 * way at a barrier, those to memory are seen in order. AMDGPUUsage, gfx90a, gfx942, "fence release workgroup". */
static void
want_barrier(waiter *W)
{
	bool in_order = W->t->features & ISA_FT_BIT(ISA_FT_GFX90A);

	for (unsigned t = 0; t < W->ntracks; t++)
		if (!in_order || W->counter[t] != ISA_CNT_VM)
			want(W, t, 0);
}

/* What is known once counter t has come down to n. */
static void
reached(waiter *W, unsigned t, unsigned n)
{
	board *b = &W->now;
	uint8_t least = (uint8_t)n;

	b->pending[t] = MIN(b->pending[t], least);
	if (n && out_of_order(W, t))
		return;
	for (unsigned r = 0; r < NREG; r++)
		b->age[t][r] = b->age[t][r] >= least ? NOT_PENDING : b->age[t][r];
	if (!n)
		b->kinds[t] = 0;
}

/* Writes the wanted waits before i (NULL: at the end of b) and notes their effect. */
static void
flush(waiter *W, ir_block *b, ir_inst *i, bool write)
{
	uint8_t wait[ISA_NCNT];
	p2a_inst out[ISA_NCNT];
	ir_builder B = { W->f, b, i, i ? i->loc : 0 };
	bool any = false;
	int n;

	memset(wait, NO_WAIT, sizeof wait);
	for (unsigned t = 0; t < W->ntracks; t++) {
		if (W->want[t] == NO_WAIT)
			continue;
		any = true;
		wait[W->counter[t]] = W->want[t];
		reached(W, t, W->want[t]);
		W->want[t] = NO_WAIT;
	}
	if (!any || !write)
		return;
	n = isa_wait(W->t, wait, out);
	for (int k = 0; k < n; k++)
		ir_emit(&B, out[k].op, 0, out[k].nargs, out[k].arg);
}

/* ---- issuing ---- */

static unsigned
kind_of(const isa_info *row)
{
	return row->cls == ISA_SMEM ? KIND_SMEM : row->cls == ISA_DS ? KIND_DS :
		row->cls == ISA_FLAT ? KIND_FLAT : KIND_VMEM;
}

static void
issue(waiter *W, const ir_inst *i, int counter)
{
	unsigned t, first, n;
	board *b = &W->now;

	if (counter < 0 || W->track[counter] == NTRACK)
		return;
	t = W->track[counter];
	b->kinds[t] |= (uint8_t)kind_of(&isa_table[i->m.op]);
	b->pending[t] = (uint8_t)MIN(b->pending[t] + 1, 255);
	for (unsigned r = 0; r < NREG; r++)
		b->age[t][r] = (uint8_t)(b->age[t][r] + (b->age[t][r] < OLDEST));
	for (unsigned k = 0; k < i->ndefs; k++) {
		n = registers(W, &i->m.arg[k], &first);
		if (n)
			memset(&b->age[t][first], 0, n);
	}
}

/* ---- waits that are there already ---- */

/* The count that the wait says for track t, or NO_WAIT. */
static unsigned
said(const waiter *W, const p2a_inst *i, unsigned t)
{
	unsigned c = W->counter[t];
	p2a_inst w;

	if (i->op == OP_s_waitcnt && !W->field[t])
		return NO_WAIT;
	for (unsigned n = 0; n < W->max[t]; n++) {
		w = wait_of(W->t, c, n);
		if (w.op != i->op)
			return NO_WAIT;
		if (W->field[t] ? ((simm_of(&w) ^ simm_of(i)) & W->field[t]) == 0 : simm_of(&w) == simm_of(i))
			return n;
	}
	return NO_WAIT;
}

/* Takes the wait apart; false if it is about something else. */
static bool
take_apart(waiter *W, const ir_inst *i)
{
	bool known = i->m.op == OP_s_waitcnt;

	if (i->m.op >= ISA_NOPS || isa_table[i->m.op].cls != ISA_WAIT)
		return false;
	for (unsigned t = 0; t < W->ntracks; t++) {
		unsigned n = said(W, &i->m, t);

		known |= wait_of(W->t, W->counter[t], 0).op == i->m.op;
		if (n != NO_WAIT)
			want(W, t, n);
	}
	return known;
}

/* ---- blocks ---- */

static void
barrier(waiter *W, ir_inst *i)
{
	ir_builder B = { W->f, i->block, i, i->loc };

	if (isa_has(W->t, OP_s_barrier)) {
		ir_m(&B, OP_s_barrier, 0);
	} else {
		ir_m(&B, OP_s_barrier_signal, 1, ir_i32(UINT32_MAX));
		ir_m(&B, OP_s_barrier_wait, 1, (ir_opnd){ .kind = P2A_K_IMM, .imm = 0xffff });
	}
	ir_remove(i);
}

static void
visit(waiter *W, ir_inst *i, bool write)
{
	unsigned first, n;
	int second = -1, counter;

	if (take_apart(W, i)) {
		if (write)
			ir_remove(i);
		return;
	}
	for (unsigned k = 0; k < i->m.nargs; k++) {
		n = registers(W, &i->m.arg[k], &first);
		for (unsigned r = first; n; r++, n--)
			want_register(W, r);
	}
	if (i->m.op < ISA_NOPS && isa_table[i->m.op].eff & (ISA_R_VCC | ISA_W_VCC)) {
		want_register(W, NSGPR - 2);
		want_register(W, NSGPR - 1);
	}
	if (i->m.op == P_barrier)
		want_barrier(W);
	flush(W, i->block, i, write);
	if (i->m.op == P_barrier && write)
		barrier(W, i);
	if (i->m.op >= ISA_NOPS)
		return;
	counter = isa_counter_of(W->t, i->m.op, &second);
	issue(W, i, counter);
	if (second != counter)
		issue(W, i, second);
}

static void
run_block(waiter *W, ir_block *b, bool write)
{
	W->now = W->in[b->id];
	for (ir_inst *i = b->first, *next; i; i = next) {
		next = i->next;
		visit(W, i, write);
	}
	flush(W, b, NULL, write);
}

/* More is under way on one path than on the other: the worse counts. */
static bool
merge(waiter *W, uint32_t to)
{
	board *b = &W->in[to];
	board old = *b;

	if (!W->seen[to]) {
		*b = W->now;
		W->seen[to] = true;
		return true;
	}
	for (unsigned t = 0; t < W->ntracks; t++) {
		for (unsigned r = 0; r < NREG; r++)
			b->age[t][r] = MIN(b->age[t][r], W->now.age[t][r]);
		b->pending[t] = MAX(b->pending[t], W->now.pending[t]);
		b->kinds[t] |= W->now.kinds[t];
	}
	return memcmp(b, &old, sizeof old) != 0;
}

void
p_waitcnt(ir_func *f)
{
	waiter W = { .f = f, .t = f->target };
	uint32_t n = f->blocks.n;
	bool *due = arena_array(f->A, bool, n), again = true;

	find_tracks(&W);
	W.in = arena_array(f->A, board, n);
	W.seen = arena_array(f->A, bool, n);
	memset(W.want, NO_WAIT, sizeof W.want);
	for (uint32_t b = 0; b < n; b++)
		memset(W.in[b].age, NOT_PENDING, sizeof W.in[b].age);
	W.seen[f->entry->id] = due[f->entry->id] = true;
	while (again) {
		again = false;
		for (uint32_t b = 0; b < n; b++) {
			if (!due[b])
				continue;
			due[b] = false;
			run_block(&W, f->blocks.a[b], false);
			for (uint32_t k = 0; k < f->blocks.a[b]->lsuccs.n; k++)
				if (merge(&W, f->blocks.a[b]->lsuccs.a[k]->id))
					again = due[f->blocks.a[b]->lsuccs.a[k]->id] = true;
		}
	}
	for (uint32_t b = 0; b < n; b++)
		run_block(&W, f->blocks.a[b], true);
}
