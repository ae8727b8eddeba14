/* barrier.c -- barriers that some lanes of a wave may reach without the others, and barriers of some threads.
 * The machine counts waves, PTX counts warps: where the two warps of a wave of 64, or single lanes (barrier.sync
 * without .aligned), may come to different barriers, each wave must still signal once for all of them.
 * Needs generic SSA in normal form with block.divergent; leaves the same, every G_barrier one that all lanes reach,
 * no G_await.
 *
 * Then all barriers move to one place, the gate. Lanes that reach a barrier go there with the number of the place
 * where they go on; since the gate heads a loop around everything, it runs when no lane is elsewhere but ended:
 *
 *      entry: to = 0                         turn:   to == 1? -> behind barrier 1
 *      gate:  does a lane await a word?              to == 2? -> behind barrier 2 ..
 *             no:  to == 0? -> turn                  else the code behind the entry block
 *                  barrier  -> turn         look:   lanes whose word has changed -> turn
 *             yes: -> look                          others, and those at a G_barrier, -> gate
 *
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1. */
#include "pass/pass.h"

enum { NO_WORD = UINT32_MAX, PAUSE = 1 };

typedef struct gate {
	ir_func *f;
	ir_block *gate;
	/* mutable values: where lanes go on; the LDS word they await, or NO_WORD, and what it must exceed */
	ir_opnd to, at, phase;
	VEC(ir_block *) behind;  /* [k]: what follows place k */
	bool awaits;             /* somebody awaits a word */
} gate;

static bool
is_barrier(const ir_inst *i)
{
	return i->m.op == G_barrier || i->m.op == G_await;
}

/* Lanes of one warp do not part at an aligned barrier. */
static bool
may_part(const ir_func *f, const ir_inst *i)
{
	bool one_warp = f->target->wave == 32 || (f->max_threads && f->max_threads <= 32);

	return i->m.offset == IR_BAR_FREE || !one_warp;
}

/* The first such barrier in a block where a warp may have parted; NULL: none. */
static const ir_inst *
parts(ir_func *f, const bool *parted, bool (*which)(const ir_func *, const ir_inst *))
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && parted[b]; i = i->next)
			if (is_barrier(i) && which(f, i))
				return i;
	return NULL;
}

/* By block: does it hold a barrier? NULL: none does. */
static bool *
find_barriers(ir_func *f)
{
	bool *heeded = arena_array(f->A, bool, f->blocks.n), any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (is_barrier(i))
				any = heeded[b] = true;
	return any ? heeded : NULL;
}

static bool
counts_warps(const ir_func *f, const ir_inst *i)
{
	(void)f;
	return i->m.op == G_await && i->m.offset == IR_BAR_FREE;
}

/* A warp is counted when its first lane arrives; PTX has it wait for all of its lanes before. */
static bool
lanes_count_apart(ir_func *f, const bool *heeded)
{
	const ir_inst *bad;
	bool any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			any |= counts_warps(f, i);
	if (!any)
		return false;
	p_uniform_warp(f);
	bad = parts(f, p_parted(f, heeded), counts_warps);
	p_uniform(f);
	if (bad)
		diag_add(f->mod->diags, DIAG_parted_count, f->mod->locs.a[bad->loc].span, f->name);
	return bad != NULL;
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

/* ---- the gate ---- */

/* Moves what stands from `from` on into a block of its own; b is left without an end. */
static ir_block *
cut_before(ir_func *f, ir_block *b, ir_inst *from)
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

static void
jump(ir_func *f, ir_block *b, ir_block *to, uint32_t loc)
{
	ir_builder B = { f, b, NULL, loc };

	ir_g0(&B, G_br);
	ir_link(b, to);
}

/* From the end of b through the gate to `rest`. */
static void
send(gate *g, ir_block *b, ir_block *rest, ir_opnd at, ir_opnd phase, uint32_t loc)
{
	ir_builder B = { g->f, b, NULL, loc };
	ir_opnd k = ir_i32(g->behind.n);

	*vec_push(g->f->A, &g->behind) = rest;
	ir_gen_to(&B, g->to, G_copy32, 1, &k);
	ir_gen_to(&B, g->at, G_copy32, 1, &at);
	ir_gen_to(&B, g->phase, G_copy32, 1, &phase);
	jump(g->f, b, g->gate, loc);
}

static void
send_all(gate *g, ir_block *b)
{
	for (ir_inst *i = b->first, *next; i; i = next) {
		ir_block *rest;

		next = i->next;
		if (!is_barrier(i))
			continue;
		rest = cut_before(g->f, b, next);
		ir_remove(i);
		if (i->m.op == G_await)
			send(g, b, rest, i->m.arg[0], i->m.arg[1], i->loc);
		else
			send(g, b, rest, ir_i32(NO_WORD), ir_i32(0), i->loc);
		g->awaits |= i->m.op == G_await;
		b = rest;
	}
}

static void
branch(ir_builder *B, ir_opnd cond, ir_block *yes, ir_block *no)
{
	ir_g1(B, G_cbr, cond);
	ir_link(B->b, yes);
	ir_link(B->b, no);
}

/* if (to == k) goto yes; else goto no; */
static void
branch_if(gate *g, ir_block *b, uint32_t k, ir_block *yes, ir_block *no)
{
	ir_builder B = { .f = g->f, .b = b };

	branch(&B, ir_icmp(&B, 32, IR_EQ, g->to, ir_i32(k)), yes, no);
}

static void
write_turns(gate *g, ir_block *turn)
{
	for (uint32_t k = 1; k < g->behind.n; k++) {
		ir_block *next = k + 1 < g->behind.n ? ir_new_block(g->f) : g->behind.a[0];

		branch_if(g, turn, k, g->behind.a[k], next);
		turn = next;
	}
}

/* Has the word at `at` gone beyond? */
static ir_opnd
exceeds(ir_builder *B, ir_opnd at, ir_opnd phase)
{
	ir_opnd w = ir_g1(B, G_load, at);

	ir_last(B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = 4, .align = 4, .vol = 1, .order = IR_RELAXED, .scope = IR_CTA };
	return ir_icmp(B, 32, IR_GE, ir_g2(B, G_sub32, w, phase), ir_i32(0x10000));
}

static void
pause(ir_builder *B)
{
	ir_g0(B, G_sleep);
	ir_last(B)->m.offset = PAUSE;
}

static void
write_look(gate *g, ir_block *look, ir_block *turn)
{
	ir_block *mine = ir_new_block(g->f), *back = ir_new_block(g->f);
	ir_builder L = { .f = g->f, .b = look }, M = { .f = g->f, .b = mine }, K = { .f = g->f, .b = back };

	branch(&L, ir_icmp(&L, 32, IR_EQ, g->at, ir_i32(NO_WORD)), back, mine);
	branch(&M, exceeds(&M, g->at, g->phase), turn, back);
	pause(&K);
	jump(g->f, back, g->gate, 0);
}

/* The blocks of the head comment, once all is known of who comes there. */
static void
write_gate(gate *g)
{
	ir_func *f = g->f;
	ir_block *turn = ir_new_block(f), *open = ir_new_block(f), *all = g->gate;
	ir_builder B = { .f = f, .b = g->gate }, O = { .f = f, .b = open };

	if (g->awaits) {
		ir_block *look = ir_new_block(f);

		all = ir_new_block(f);
		branch(&B, ir_g1(&B, G_wave_any, ir_icmp(&B, 32, IR_NE, g->at, ir_i32(NO_WORD))), look, all);
		write_look(g, look, turn);
	}
	branch_if(g, all, 0, turn, open);
	ir_g0(&O, G_barrier);
	jump(f, open, turn, 0);
	write_turns(g, turn);
}

static void
lead_through_gate(ir_func *f)
{
	uint32_t n = f->blocks.n;
	gate g = { .f = f, .gate = ir_new_block(f), .to = ir_valop(f, ir_new_val(f, 1)),
		.at = ir_valop(f, ir_new_val(f, 1)), .phase = ir_valop(f, ir_new_val(f, 1)) };
	ir_inst *first = f->entry->first;
	ir_block *rest;

	while (!is_barrier(first) && first != ir_terminator(f->entry))
		first = first->next;
	rest = cut_before(f, f->entry, first);
	send(&g, f->entry, rest, ir_i32(NO_WORD), ir_i32(0), first->loc);
	send_all(&g, rest);
	for (uint32_t b = 0; b < n; b++)
		if (f->blocks.a[b] != f->entry && f->blocks.a[b] != g.gate)
			send_all(&g, f->blocks.a[b]);
	write_gate(&g);
}

/* ---- a wave that waits by itself ---- */

/* The phis behind the cut name the predecessor, which is the last piece of the block now. */
static void
spin(ir_func *f, ir_inst *await)
{
	ir_block *b = await->block, *rest = cut_before(f, b, await->next), *loop = ir_new_block(f), *again = ir_new_block(f);
	ir_builder B = { f, loop, NULL, await->loc }, A = { f, again, NULL, await->loc };

	jump(f, b, loop, await->loc);
	branch(&B, exceeds(&B, await->m.arg[0], await->m.arg[1]), rest, again);
	pause(&A);
	jump(f, again, loop, await->loc);
	ir_remove(await);
}

/* Returns whether there was one. */
static bool
spin_all(ir_func *f)
{
	bool any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (i->m.op != G_await)
				continue;
			spin(f, i);
			any = true;
			break;          /* what follows is in a block of its own, further down */
		}
	return any;
}

void
p_barrier(ir_func *f)
{
	bool *heeded = find_barriers(f);

	if (!heeded)
		return;
	if (parts(f, p_parted(f, heeded), may_part)) {
		if (lanes_count_apart(f, heeded))
			return;
		demote_all(f);
		lead_through_gate(f);
		p_ssa(f);
		p_fold(f);
		p_dce(f);
	} else if (!spin_all(f)) {
		return;
	}
	p_normalize(f);
	p_uniform(f);
}
