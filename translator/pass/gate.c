/* gate.c -- one place through which all go who wait for other lanes of their wave.
 * The lanes of a wave have one program counter. Where some of them have to wait for others, they go to the gate with the
 * number of the place where they go on; since the gate heads a loop around everything, it runs when no lane is elsewhere:
 *
 *      entry: to = 0                         turn:   to == 1? -> behind place 1
 *      gate:  may a lane go on by itself?            to == 2? -> behind place 2 ..
 *             no:  all at 0 -> turn                  else the code behind the entry block
 *                  a barrier -> turn         look:   lanes that may -> turn
 *                  all ended -> ret                  others -> gate
 *             yes: -> look
 *
 * barrier   all lanes of the wave that have not ended are at one: then the wave signals once for all.
 * await     a word in LDS has changed (barriers for a number of threads).
 * spin      another turn of a loop that waits for what others do: at once, but only after everybody else has come to the
 *           gate. So whoever has left such a loop goes on until it waits itself, whatever lanes of its wave still spin.
 * meet      the lanes that a mask names are there, but for those that ended; lanes that meet to order their accesses
 *           (bar.warp.sync) may do so at different instructions. Where nobody else could go on, they go without the rest.
 * end       with spins or meetings lanes end here too: else what follows the last wait would be behind the gate's loop, and run last.
 *
 * Needs and leaves: gate.h. Manual: "Parallel Thread Execution ISA", 9.7.13.1, 9.7.13.2, 3.1 (SIMT with independent threads). */
#include "pass/gate.h"

enum { NO_WORD = UINT32_MAX, PAUSE = 1 };

/* ORDER: numbers of places; START is 0, waits that end by themselves are neighbours. */
typedef enum kind { START, BARRIER, SPIN, MEET, SYNC, END, NKINDS } kind;

typedef struct place {
	kind kind;
	ir_block *behind;        /* what follows it */
	ir_inst *number;         /* to = its number */
} place;

typedef struct gate {
	ir_func *f;
	const gate_plan *plan;
	ir_block *gate;
	/* mutable values: where lanes go on; the LDS word they await, or NO_WORD, and what it must exceed; whom they meet */
	ir_opnd to, at, phase, mask;
	VEC(place) places;
	ir_block **behind;       /* by number, when all are known */
	uint32_t first[NKINDS + 1]; /* by kind: its first number */
	bool awaits;             /* somebody awaits a word */
	ir_block *ret;           /* behind END */
} gate;

bool
gate_is_barrier(const ir_inst *i)
{
	return i->m.op == G_barrier || i->m.op == G_await;
}

bool
gate_names_many(ir_opnd mask)
{
	return !ir_is_imm(mask) || ((uint32_t)mask.imm & ((uint32_t)mask.imm - 1));
}

/* ---- out of SSA ---- */

static unsigned
copy_op(const ir_func *f, uint32_t v)
{
	static const uint16_t op[] = { G_copy1, G_copy32, G_copy64 };

	return op[f->vals.a[v].dwords];
}

/* v = phi(a, b) becomes t = a and t = b at the predecessors' ends, and v = t here. */
static void
demote(ir_func *f, ir_inst *phi)
{
	uint32_t v = phi->m.arg[0].reg, t = ir_new_val(f, f->vals.a[v].dwords);
	ir_opnd to = ir_valop(f, t);

	for (uint32_t k = 0; k < phi->block->preds.n; k++) {
		ir_block *p = phi->block->preds.a[k];
		ir_builder B = { f, p, ir_terminator(p), phi->loc };

		ir_gen_to(&B, to, copy_op(f, v), 1, &phi->phi[k]);
	}
	phi->m.op = (uint16_t)copy_op(f, v);
	phi->phi = NULL;
	phi->m.nargs = 2;
	phi->m.arg[1] = to;
}

static void
demote_all(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i && i->m.op == G_phi; i = i->next)
			demote(f, i);
}

/* ---- blocks ---- */

ir_block *
gate_cut(ir_func *f, ir_block *b, ir_inst *from)
{
	ir_block *rest = ir_new_block(f);

	for (ir_inst *i = from, *next; i; i = next) {
		next = i->next;
		ir_remove(i);
		ir_insert(rest, NULL, i);
	}
	for (uint32_t s = 0; s < b->succs.n; s++) {
		ir_block *to = b->succs.a[s];

		for (uint32_t p = 0; p < to->preds.n; p++)
			if (to->preds.a[p] == b)
				to->preds.a[p] = rest;
		*vec_push(f->A, &rest->succs) = to;
	}
	b->succs.n = 0;
	return rest;
}

void
gate_jump(ir_func *f, ir_block *b, ir_block *to, uint32_t loc)
{
	ir_builder B = { f, b, NULL, loc };

	ir_g0(&B, G_br);
	ir_link(b, to);
}

void
gate_branch(ir_builder *B, ir_opnd cond, ir_block *yes, ir_block *no)
{
	ir_g1(B, G_cbr, cond);
	ir_link(B->b, yes);
	ir_link(B->b, no);
}

/* ---- the ways to it ---- */

/* From the end of b through the gate to `rest`. */
static void
send(gate *g, kind what, ir_block *b, ir_block *rest, uint32_t loc)
{
	ir_builder B = { g->f, b, NULL, loc };
	ir_opnd k = ir_i32(0);

	ir_gen_to(&B, g->to, G_copy32, 1, &k);
	*vec_push(g->f->A, &g->places) = (place){ .kind = what, .behind = rest, .number = ir_last(&B) };
	gate_jump(g->f, b, g->gate, loc);
}

static void
set(gate *g, ir_block *b, ir_opnd to, ir_opnd v, uint32_t loc)
{
	ir_builder B = { g->f, b, NULL, loc };

	ir_gen_to(&B, to, G_copy32, 1, &v);
}

static void
set_word(gate *g, ir_block *b, ir_opnd at, ir_opnd phase, uint32_t loc)
{
	set(g, b, g->at, at, loc);
	set(g, b, g->phase, phase, loc);
}

static ir_block *
send_barrier(gate *g, ir_block *b, ir_inst *i)
{
	ir_block *rest = gate_cut(g->f, b, i->next);

	ir_remove(i);
	if (i->m.op == G_await)
		set_word(g, b, i->m.arg[0], i->m.arg[1], i->loc);
	else
		set_word(g, b, ir_i32(NO_WORD), ir_i32(0), i->loc);
	g->awaits |= i->m.op == G_await;
	send(g, BARRIER, b, rest, i->loc);
	return rest;
}

/* What orders accesses stays, behind the gate. */
static ir_block *
send_meet(gate *g, ir_block *b, ir_inst *i)
{
	bool orders = i->m.offset == IR_MEET_ORDERS;
	ir_block *rest = gate_cut(g->f, b, orders ? i : i->next);

	if (!orders)
		ir_remove(i);
	set_word(g, b, ir_i32(NO_WORD), ir_i32(0), i->loc);
	set(g, b, g->mask, i->m.arg[0], i->loc);
	send(g, orders ? SYNC : MEET, b, rest, i->loc);
	return rest;
}

static bool
waits(const ir_inst *i, bool meets)
{
	return gate_is_barrier(i) || (meets && i->m.op == G_meet && gate_names_many(i->m.arg[0]));
}

/* Lanes that have just met at one place need not do it again: together.kind 0: nobody has. */
static bool
have_met(ir_opnd together, const ir_inst *i)
{
	ir_opnd mask = i->m.arg[0];

	if (i->m.op != G_meet || i->m.offset == IR_MEET_ORDERS || !together.kind)
		return false;
	return ir_same(together, mask) || (ir_is_imm(together) && (uint32_t)together.imm == UINT32_MAX);
}

static void
send_all(gate *g, ir_block *b, bool meets)
{
	ir_opnd together = { 0 };

	for (ir_inst *i = b->first, *next; i; i = next) {
		next = i->next;
		if (!waits(i, meets) || have_met(together, i))
			continue;
		together = i->m.op == G_meet ? i->m.arg[0] : ir_i32(UINT32_MAX);
		if (i->m.op == G_await || (i->m.op == G_meet && i->m.offset == IR_MEET_ORDERS))
			together.kind = 0;
		b = i->m.op == G_meet ? send_meet(g, b, i) : send_barrier(g, b, i);
	}
}

static void
unlink(ir_block *p, ir_block *b)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->preds.n; k++)
		if (b->preds.a[k] != p)
			b->preds.a[n++] = b->preds.a[k];
	b->preds.n = n;
	p->succs.n = 0;
}

/* The cycle's edges back to its head; a predecessor of several goes nowhere else (normal form). */
static void
send_turns(gate *g, ir_block *head)
{
	for (uint32_t k = 0; k < head->preds.n; ) {
		ir_block *p = head->preds.a[k];
		ir_inst *t = ir_terminator(p);

		if (!p_in_cycle(head, p) || p->succs.n != 1) {
			k++;
			continue;
		}
		ir_remove(t);
		unlink(p, head);
		set_word(g, p, ir_i32(NO_WORD), ir_i32(0), t->loc);
		send(g, SPIN, p, head, t->loc);
	}
}

static void
send_end(gate *g, ir_block *b)
{
	ir_inst *t = ir_terminator(b);

	if (!t || t->m.op != G_ret)
		return;
	g->ret = gate_cut(g->f, b, t);
	set_word(g, b, ir_i32(NO_WORD), ir_i32(0), t->loc);
	send(g, END, b, ir_new_block(g->f), t->loc);
}

/* ---- the gate ---- */

/* Gives places their numbers, kind by kind. */
static void
number_places(gate *g)
{
	uint32_t n = 0;

	g->behind = arena_array(g->f->A, ir_block *, g->places.n);
	for (unsigned k = 0; k < NKINDS; k++) {
		g->first[k] = n;
		for (uint32_t p = 0; p < g->places.n; p++)
			if (g->places.a[p].kind == k) {
				g->places.a[p].number->m.arg[1] = ir_i32(n);
				g->behind[n++] = g->places.a[p].behind;
			}
	}
	g->first[NKINDS] = n;
}

static bool
has(const gate *g, kind from, kind to)
{
	return g->first[from] != g->first[to];
}

/* Are lanes at a place of the kinds from .. to - 1? */
static ir_opnd
at_kinds(const gate *g, ir_builder *B, kind from, kind to)
{
	uint32_t first = g->first[from], n = g->first[to] - first;

	if (!n)
		return ir_i1(false);
	return ir_icmp(B, 32, IR_LO, ir_g2(B, G_sub32, g->to, ir_i32(first)), ir_i32(n));
}

/* if (to == k) goto yes; else goto no; */
static void
branch_if(gate *g, ir_block *b, uint32_t k, ir_block *yes, ir_block *no)
{
	ir_builder B = { .f = g->f, .b = b };

	gate_branch(&B, ir_icmp(&B, 32, IR_EQ, g->to, ir_i32(k)), yes, no);
}

static void
write_turns(gate *g, ir_block *turn)
{
	for (uint32_t k = 1; k < g->places.n; k++) {
		ir_block *next = k + 1 < g->places.n ? ir_new_block(g->f) : g->behind[0];

		branch_if(g, turn, k, g->behind[k], next);
		turn = next;
	}
}

ir_opnd
gate_exceeds(ir_builder *B, ir_opnd at, ir_opnd phase)
{
	ir_opnd w = ir_g1(B, G_load, at);

	ir_last(B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = 4, .align = 4, .vol = 1, .order = IR_RELAXED, .scope = IR_CTA };
	return ir_icmp(B, 32, IR_GE, ir_g2(B, G_sub32, w, phase), ir_i32(0x10000));
}

void
gate_pause(ir_builder *B)
{
	ir_g0(B, G_sleep);
	ir_last(B)->m.offset = PAUSE;
}

/* Which lanes may go on, and which ask for it. */
typedef struct wishes { ir_opnd goes, asks; } wishes;

/* The lanes of the warp that wait where this one does for the same lanes: at the same instruction, or at any bar.warp.sync
 * (9.7.13.2). One turn a place and mask that lanes are at. Lanes of another mask are in another execution of the
 * instruction: they may have come there by one more turn of a loop. */
static ir_opnd
peers(const gate *g, ir_builder *B, ir_opnd meets)
{
	ir_block *turn = ir_new_block(g->f), *done = ir_new_block(g->f);
	ir_opnd where = ir_g3(B, G_sel32, at_kinds(g, B, SYNC, END), ir_i32(g->first[SYNC]), g->to), same, who;
	ir_opnd mask = ir_g3(B, G_sel32, meets, g->mask, ir_i32(0));

	where = ir_g3(B, G_sel32, meets, where, ir_i32(0));
	gate_jump(g->f, B->b, turn, 0);
	B->b = turn;
	same = ir_icmp(B, 32, IR_EQ, where, ir_g1(B, G_readfirst, where));
	same = ir_g2(B, G_and1, same, ir_icmp(B, 32, IR_EQ, mask, ir_g1(B, G_readfirst, mask)));
	who = ir_g1(B, G_ballot, same);
	gate_branch(B, same, done, turn);
	B->b = done;
	return who;
}

static wishes
meet_wishes(const gate *g, ir_builder *B, wishes w)
{
	ir_opnd meets = at_kinds(g, B, MEET, END), away, ready, stuck;

	away = ir_g2(B, G_and32, ir_g1(B, G_ballot, ir_icmp(B, 32, IR_LO, g->to, ir_i32(g->first[END]))), g->mask);
	away = ir_g2(B, G_and32, away, ir_g1(B, G_not32, peers(g, B, meets)));
	ready = ir_g2(B, G_and1, meets, ir_icmp(B, 32, IR_EQ, away, ir_i32(0)));
	stuck = ir_g1(B, G_not1, ir_g1(B, G_wave_any, ir_g2(B, G_or1, w.asks, ready)));
	w.goes = ir_g2(B, G_or1, w.goes, ir_g2(B, G_or1, ready, ir_g2(B, G_and1, meets, stuck)));
	w.asks = ir_g2(B, G_or1, w.asks, meets);
	return w;
}

/* In the gate's first block, where all lanes are active. */
static wishes
find_wishes(const gate *g, ir_builder *B)
{
	ir_opnd spins = at_kinds(g, B, SPIN, MEET);
	wishes w = { spins, spins };

	if (g->awaits)
		w.asks = ir_g2(B, G_or1, w.asks, ir_icmp(B, 32, IR_NE, g->at, ir_i32(NO_WORD)));
	return has(g, MEET, END) ? meet_wishes(g, B, w) : w;
}

/* Some lane may go on by itself, or at least awaits a word. */
static void
write_look(gate *g, ir_block *look, ir_block *turn, ir_opnd goes)
{
	ir_block *mine = g->awaits ? ir_new_block(g->f) : NULL, *back = ir_new_block(g->f);
	ir_builder L = { .f = g->f, .b = look }, M = { .f = g->f, .b = mine }, K = { .f = g->f, .b = back };

	if (!ir_is_imm(goes)) {
		ir_block *next = g->awaits ? ir_new_block(g->f) : back;

		gate_branch(&L, goes, turn, next);
		L.b = next;
	}
	if (g->awaits) {
		gate_branch(&L, ir_icmp(&L, 32, IR_EQ, g->at, ir_i32(NO_WORD)), back, mine);
		gate_branch(&M, gate_exceeds(&M, g->at, g->phase), turn, back);
	}
	gate_pause(&K);
	gate_jump(g->f, back, g->gate, 0);
}

/* Nobody asks: all are at the start, or at a barrier, or have ended. */
static void
write_all(gate *g, ir_block *all, ir_block *turn, ir_block *open)
{
	ir_builder B = { .f = g->f, .b = all }, O = { .f = g->f, .b = open };

	if (!g->ret) {
		branch_if(g, all, 0, turn, open);
	} else if (has(g, BARRIER, SPIN)) {
		ir_block *shut = ir_new_block(g->f);

		gate_branch(&B, ir_g1(&B, G_wave_any, at_kinds(g, &B, BARRIER, SPIN)), open, shut);
		branch_if(g, shut, g->first[END], g->ret, turn);
	} else {
		branch_if(g, all, g->first[END], g->ret, turn);
		return;
	}
	ir_g0(&O, G_barrier);
	gate_jump(g->f, open, turn, 0);
}

/* The blocks of the head comment, once all is known of who comes there. */
static void
write_gate(gate *g)
{
	ir_func *f = g->f;
	ir_block *turn = ir_new_block(f), *open = ir_new_block(f), *all = g->gate;
	ir_builder B = { .f = f, .b = g->gate };

	number_places(g);
	if (g->awaits || has(g, SPIN, END)) {
		ir_block *look = ir_new_block(f);
		wishes w = find_wishes(g, &B);

		all = ir_new_block(f);
		gate_branch(&B, ir_g1(&B, G_wave_any, w.asks), look, all);
		write_look(g, look, turn, w.goes);
	}
	if (g->ret)
		gate_jump(f, g->behind[g->first[END]], g->gate, 0);
	write_all(g, all, turn, open);
	write_turns(g, turn);
}

static void
send_everything(gate *g)
{
	ir_func *f = g->f;
	const gate_plan *p = g->plan;
	uint32_t n = f->blocks.n - 1u;          /* the gate is the last */
	ir_inst *first = f->entry->first;
	ir_block *rest;

	for (uint32_t b = 0; b < n && p->spin; b++)
		if (p->spin[b])
			send_turns(g, f->blocks.a[b]);
	for (uint32_t b = 0; b < n && (p->spin || p->meet); b++)
		send_end(g, f->blocks.a[b]);
	while (!waits(first, p->meet && p->meet[0]) && first != ir_terminator(f->entry))
		first = first->next;
	rest = gate_cut(f, f->entry, first);
	set_word(g, f->entry, ir_i32(NO_WORD), ir_i32(0), first->loc);
	send(g, START, f->entry, rest, first->loc);
	send_all(g, rest, p->meet && p->meet[0]);
	for (uint32_t b = 0; b < n; b++)
		if (f->blocks.a[b] != f->entry)
			send_all(g, f->blocks.a[b], p->meet && p->meet[b]);
}

void
gate_lead(ir_func *f, const gate_plan *plan)
{
	gate g = { .f = f, .plan = plan };

	demote_all(f);
	g.gate = ir_new_block(f);
	g.to = ir_valop(f, ir_new_val(f, 1));
	g.at = ir_valop(f, ir_new_val(f, 1));
	g.phase = ir_valop(f, ir_new_val(f, 1));
	if (plan->meet)
		g.mask = ir_valop(f, ir_new_val(f, 1));
	send_everything(&g);
	write_gate(&g);
	p_ssa(f);
	p_fold(f);
	p_dce(f);
	p_normalize(f);
}
