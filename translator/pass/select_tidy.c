/* select_tidy.c -- one register for a constant or scalar copy that a block makes several times.
 * Needs machine SSA; leaves uses of the first of several equal moves: s_mov, s_bfm and v_mov of constants,
 * v_readfirstlane, and copies from SGPRs to VGPRs. */
#include "pass/select.h"

enum { SLOTS = 256 };

typedef struct tidy {
	ir_func *f;
	ir_inst *slot[SLOTS];
	uint32_t *same;          /* value -> the value that stands for it; 0 itself */
} tidy;

/* Moves whose result depends on their source alone and that write a whole value. */
static bool
is_move(const ir_func *f, const ir_inst *i)
{
	ir_opnd s;

	if (i->ndefs != 1 || !ir_is_val(i->m.arg[0]) || i->glue)
		return false;
	if (i->m.arg[0].width != f->vals.a[i->m.arg[0].reg].dwords)
		return false;
	s = i->m.arg[1];
	switch (i->m.op) {
	case OP_s_mov_b32: case OP_s_mov_b64: case OP_v_mov_b32:
		return ir_is_imm(s);
	case OP_s_bfm_b64:
		return ir_is_imm(s) && ir_is_imm(i->m.arg[2]);
	case OP_v_readfirstlane_b32:
		return ir_is_val(s);
	case P_copy:
		return ir_is_val(s) && f->vals.a[s.reg].bank == IR_BANK_S &&
		       f->vals.a[i->m.arg[0].reg].bank == IR_BANK_V;
	default:
		return false;
	}
}

static unsigned
hash(const ir_inst *i)
{
	uint64_t h = (uint64_t)i->m.arg[1].imm * 0x9e3779b97f4a7c15u +
		     i->m.arg[1].reg * 0x85ebca6bu + i->m.op;

	return (unsigned)(h >> 40) % SLOTS;
}

static bool
same_move(const ir_inst *a, const ir_inst *b)
{
	return a->m.op == b->m.op && ir_same(a->m.arg[1], b->m.arg[1]) &&
	       (a->m.op != OP_s_bfm_b64 || ir_same(a->m.arg[2], b->m.arg[2]));
}

static void
rename(const tidy *t, ir_opnd *o)
{
	if (ir_is_val(*o) && t->same[o->reg])
		o->reg = t->same[o->reg];
}

static void
tidy_block(tidy *t, ir_block *b)
{
	for (unsigned k = 0; k < SLOTS; k++)
		t->slot[k] = NULL;
	for (ir_inst *i = b->first, *next; i; i = next) {
		ir_inst **s;

		next = i->next;
		for (unsigned k = i->ndefs; k < i->m.nargs; k++)
			rename(t, &i->m.arg[k]);
		if (!is_move(t->f, i))
			continue;
		s = &t->slot[hash(i)];
		if (*s && same_move(*s, i)) {
			t->same[i->m.arg[0].reg] = (*s)->m.arg[0].reg;
			ir_remove(i);
		} else {
			*s = i;
		}
	}
}

void
sel_tidy(sel *S)
{
	ir_func *f = S->f;
	tidy t = { .f = f, .same = arena_array(f->A, uint32_t, f->vals.n) };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		tidy_block(&t, f->blocks.a[b]);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			for (unsigned k = i->ndefs; k < i->m.nargs; k++)
				rename(&t, &i->m.arg[k]);
			for (uint32_t k = 0; i->phi && k < i->block->preds.n; k++)
				rename(&t, &i->phi[k]);
		}
}
