/* barrier.c -- barriers that some lanes of a wave may reach without the others.
 * The machine counts waves, PTX counts warps: where the two warps of a wave of 64, or single lanes (barrier.sync
 * without .aligned), may come to different barriers, each wave must still signal once for all of them.
 * Needs generic SSA in normal form with block.divergent; leaves the same, every barrier one that all lanes reach.
 *
 * All barriers move to one place, the gate. Lanes that reach a barrier go there with the number of the place
 * where they go on; since the gate heads a loop around everything, it runs when no lane is elsewhere but ended:
 *
 *      entry: to = 0                    turn:   to == 1? -> behind barrier 1
 *      gate:  to == 0? -> turn                  to == 2? -> behind barrier 2 ..
 *      open:  barrier   -> turn                 else the code behind the entry block
 *
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1. */
#include "pass/pass.h"

typedef struct gate {
	ir_func *f;
	ir_block *gate, *open;
	ir_opnd to;              /* a mutable value: where lanes go on */
	VEC(ir_block *) behind;  /* [k]: what follows place k */
} gate;

static bool
is_barrier(const ir_inst *i)
{
	return i->m.op == G_barrier;
}

/* Warps of one wave cannot part at an aligned barrier where a wave holds one warp. */
static bool
may_part(const ir_func *f, const ir_inst *i)
{
	bool one_warp = f->target->wave == 32 || (f->max_threads && f->max_threads <= 32);

	return i->m.offset == IR_BAR_FREE || !one_warp;
}

static bool
needs_gate(ir_func *f)
{
	bool *heeded = arena_array(f->A, bool, f->blocks.n), *parted, any = false;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (is_barrier(i)) {
				heeded[b] = true;
				any |= may_part(f, i);
			}
	if (!any)
		return false;
	parted = p_parted(f, heeded);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && parted[b]; i = i->next)
			if (is_barrier(i) && may_part(f, i))
				return true;
	return false;
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
send(gate *g, ir_block *b, ir_block *rest, uint32_t loc)
{
	ir_builder B = { g->f, b, NULL, loc };
	ir_opnd k = ir_i32(g->behind.n);

	*vec_push(g->f->A, &g->behind) = rest;
	ir_gen_to(&B, g->to, G_copy32, 1, &k);
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
		send(g, b, rest, i->loc);
		b = rest;
	}
}

/* if (to == k) goto yes; else goto no; */
static void
branch_if(gate *g, ir_block *b, uint32_t k, ir_block *yes, ir_block *no)
{
	ir_builder B = { .f = g->f, .b = b };

	ir_g1(&B, G_cbr, ir_icmp(&B, 32, IR_EQ, g->to, ir_i32(k)));
	ir_link(b, yes);
	ir_link(b, no);
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

static void
build_gate(ir_func *f)
{
	uint32_t n = f->blocks.n;
	gate g = { .f = f, .gate = ir_new_block(f), .open = ir_new_block(f), .to = ir_valop(f, ir_new_val(f, 1)) };
	ir_block *turn = ir_new_block(f), *rest;
	ir_builder B = { .f = f, .b = g.open };
	ir_inst *first = f->entry->first;

	while (!is_barrier(first) && first != ir_terminator(f->entry))
		first = first->next;
	rest = cut_before(f, f->entry, first);
	send(&g, f->entry, rest, first->loc);
	send_all(&g, rest);
	for (uint32_t b = 0; b < n; b++)
		if (f->blocks.a[b] != f->entry)
			send_all(&g, f->blocks.a[b]);
	branch_if(&g, g.gate, 0, turn, g.open);
	ir_g0(&B, G_barrier);
	jump(f, g.open, turn, 0);
	write_turns(&g, turn);
}

void
p_barrier(ir_func *f)
{
	if (!needs_gate(f))
		return;
	demote_all(f);
	build_gate(f);
	p_ssa(f);
	p_fold(f);
	p_dce(f);
	p_normalize(f);
	p_uniform(f);
}
