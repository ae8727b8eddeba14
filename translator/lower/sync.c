/* sync.c -- kinds of .sync, and where their work stands: at each place, or, where lanes of one mask may execute a kind at
 * different places, once in the kernel: PTX has all of them meet and exchange, wherever they are.
 * Needs L->in and the operands as values; leaves G_meet and what the operation computes. Which kinds have one body pass barrier
 * finds out, and asks for (lower_again).
 * Manual: "Parallel Thread Execution ISA", 9.7.9.6, 9.7.13.9 to 9.7.13.12. */
#include <string.h>

#include "lower/lower.h"

static bool
same_qualifiers(const ptx_inst *a, const ptx_inst *b)
{
	if (a->op != b->op || a->ntypes != b->ntypes || a->nmods != b->nmods || memcmp(a->type, b->type, a->ntypes) != 0)
		return false;
	for (unsigned k = 0; k < a->nmods; k++)
		if (!ptx_has(b, (ptx_mod)a->mod[k]))
			return false;
	return true;
}

/* The number of the kind that the instruction at work is of. */
static uint32_t
kind_of(lower *L, const lower_sync *op, const ir_opnd *in)
{
	lower_kind *new;
	uint32_t k = 0;

	while (k < L->kinds.n && !same_qualifiers(L->kinds.a[k].in, L->in))
		k++;
	if (k < L->kinds.n)
		return k;
	new = vec_push(L->A, &L->kinds);
	*new = (lower_kind){ .in = L->in, .loc = L->b.loc, .op = op };
	for (unsigned i = 0; i < op->nin; i++)
		new->width[i] = in[i].width;
	return k;
}

static void
work(lower *L, uint32_t kind, const ir_opnd *in, ir_opnd *out)
{
	lo_meet(L, in[0], IR_MEET_KINDS + (int32_t)kind);
	L->kinds.a[kind].op->fn(L, in, out);
}

/* Values as dwords, predicates as 0 and 1. Returns how many dwords there are. */
static uint32_t
to_words(lower *L, unsigned n, const ir_opnd *v, ir_opnd *word)
{
	uint32_t at = 0;

	for (unsigned k = 0; k < n; k++) {
		for (unsigned i = 0; i < v[k].width; i++)
			word[at++] = lo_dword(L, v[k], i);
		if (!v[k].width)
			word[at++] = ir_g3(&L->b, G_sel32, v[k], ir_i32(1), ir_i32(0));
	}
	return at;
}

static void
from_words(lower *L, unsigned n, const uint8_t *width, const ir_opnd *word, ir_opnd *v)
{
	for (unsigned k = 0; k < n; k++) {
		v[k] = *word++;
		if (width[k] == 0)
			v[k] = ir_icmp(&L->b, 32, IR_NE, v[k], ir_i32(0));
		else if (width[k] == 2)
			v[k] = ir_g2(&L->b, G_pack64, v[k], *word++);
	}
}

static uint32_t
count_words(unsigned n, const uint8_t *width)
{
	uint32_t sum = 0;

	for (unsigned k = 0; k < n; k++)
		sum += MAX(width[k], 1u);
	return sum;
}

static void
go_to_body(lower *L, uint32_t kind, const ir_opnd *in, ir_opnd *out)
{
	ir_opnd word[2 * LOWER_SYNC_IN];
	lower_kind *k = &L->kinds.a[kind];

	if (!k->door) {
		k->door = arena_new(L->A, lower_door);
		lower_door_make(L, k->door, count_words(k->op->nin, k->width), count_words(k->op->nout, k->op->width));
	}
	to_words(L, k->op->nin, in, word);
	from_words(L, k->op->nout, k->op->width, lower_door_enter(L, k->door, word, false), out);
}

void
lo_sync(lower *L, const lower_sync *op, const ir_opnd *in, ir_opnd *out)
{
	uint32_t kind;

	if (!lo_has(L, PTX_M_sync)) {
		L->F->in_step = true;
		op->fn(L, in, out);
		return;
	}
	kind = kind_of(L, op, in);
	if (L->F->one_body && L->F->one_body[kind])
		go_to_body(L, kind, in, out);
	else
		work(L, kind, in, out);
}

static void
write_body(lower *L, uint32_t kind)
{
	const lower_kind *k = &L->kinds.a[kind];
	ir_opnd in[LOWER_SYNC_IN], out[LOWER_SYNC_OUT], word[2 * LOWER_SYNC_OUT];

	L->in = k->in;
	L->b.loc = k->loc;
	lo_start(L, k->door->entry);
	from_words(L, k->op->nin, k->width, lower_door_args(L, k->door), in);
	work(L, kind, in, out);
	to_words(L, k->op->nout, out, word);
	lower_door_results(L, k->door, word);
	lower_door_leave(L, k->door, k->door->number);
}

void
lower_sync_bodies(lower *L)
{
	L->F->nkinds = L->kinds.n;
	for (uint32_t k = 0; k < L->kinds.n; k++)
		if (L->kinds.a[k].door) {
			write_body(L, k);
			L->F->shared_bodies = true;
		}
}
