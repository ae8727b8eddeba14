/* select_const.c -- which constant of an instruction stands in a register, where two would be literals.
 * Needs machine SSA after sel_tidy, uses counted; leaves the literal of several instructions in one register,
 * and their other constants, each of which had a register of its own, as literals. Select looks at one instruction
 * at a time and moves its first constant: v_bfi_b32 r, K, c, x and v_bfi_b32 s, L, c, y are a move each for K and L,
 * and one if it is c that is moved. */
#include "pass/select.h"

#include <stdlib.h>

/* In a block: instruction i has the literal c and reads register r, of which it is known that it holds a
 * constant; or i is the move of c to r. */
typedef struct place { uint32_t c, r, at; uint8_t bank; bool move, free; ir_inst *i; } place;

typedef struct exchange {
	sel *S;
	VEC(place) places;
} exchange;

/* The move of a constant dword to value r, in the block that reads it; else NULL. */
static ir_inst *
const_move(const ir_func *f, const ir_block *b, uint32_t r)
{
	ir_inst *d = f->vals.a[r].def;

	if (!d || d->block != b || d->glue || f->vals.a[r].dwords != 1)
		return NULL;
	if (d->m.op != OP_s_mov_b32 && d->m.op != OP_v_mov_b32)
		return NULL;
	return d->ndefs == 1 && ir_is_imm(d->m.arg[1]) && !d->m.arg[1].mods ? d : NULL;
}

/* A dword's source, for which a literal and a register mean the same bits. */
static bool
is_plain(const ir_inst *i, unsigned k)
{
	const ir_opnd *o = &i->m.arg[k];
	unsigned type = isa_table[i->m.op].arg[k].type;

	return (type == ISA_T_B32 || type == ISA_T_F32) && o->width == 1 && !o->sel && !o->mods;
}

static bool
is_literal(const sel *S, const ir_inst *i, unsigned k)
{
	return ir_is_imm(i->m.arg[k]) && is_plain(i, k) && !isa_is_inline(S->t, ISA_T_B32, (int32_t)i->m.arg[k].imm);
}

static bool
reads(const ir_inst *i, unsigned k, uint32_t r)
{
	return ir_is_val(i->m.arg[k]) && i->m.arg[k].reg == r;
}

/* Register `to` for literal c, and literal x for register r. */
static void
swap_in(const sel *S, ir_inst *i, uint32_t c, uint32_t to, uint32_t r, uint32_t x)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (reads(i, k, r))
			i->m.arg[k] = ir_i32(x);
		else if (is_literal(S, i, k) && (uint32_t)i->m.arg[k].imm == c)
			i->m.arg[k] = ir_valop(S->f, to);
}

/* Could literal k of i and register operand n change their places? */
static bool
may_swap(const sel *S, const ir_inst *i, unsigned k, unsigned n)
{
	uint32_t r = i->m.arg[n].reg;
	const ir_inst *d = ir_is_val(i->m.arg[n]) ? const_move(S->f, i->block, r) : NULL;
	ir_inst x = *i;

	if (!d)
		return false;
	for (unsigned j = i->ndefs; j < i->m.nargs; j++)
		if (reads(i, j, r) && !is_plain(i, j))
			return false;
	swap_in(S, &x, (uint32_t)i->m.arg[k].imm, r, r, (uint32_t)d->m.arg[1].imm);
	return sel_is_legal(S, &x.m);
}

static void
add(exchange *E, ir_inst *i, uint32_t c, uint32_t r, bool move)
{
	const ir_func *f = E->S->f;

	*vec_push(f->A, &E->places) = (place){ c, r, E->places.n, f->vals.a[r].bank, move, false, i };
}

static void
collect(exchange *E, ir_inst *i)
{
	const sel *S = E->S;

	if (i->m.op >= ISA_NOPS || (isa_table[i->m.op].cls != ISA_VALU && isa_table[i->m.op].cls != ISA_SALU))
		return;
	if (i->ndefs == 1 && ir_is_val(i->m.arg[0]) && const_move(S->f, i->block, i->m.arg[0].reg) == i) {
		add(E, i, (uint32_t)i->m.arg[1].imm, i->m.arg[0].reg, true);
		return;
	}
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		for (unsigned n = i->ndefs; n < i->m.nargs && is_literal(S, i, k); n++)
			if (may_swap(S, i, k, n)) {
				add(E, i, (uint32_t)i->m.arg[k].imm, i->m.arg[n].reg, false);
				return;
			}
}

/* By bank and constant, moves of it last; then by register. */
static int
compare(const void *x, const void *y)
{
	const place *a = x, *b = y;

	if (a->bank != b->bank)
		return a->bank < b->bank ? -1 : 1;
	if (a->c != b->c)
		return a->c < b->c ? -1 : 1;
	if (a->move != b->move)
		return a->move ? 1 : -1;
	if (a->r != b->r)
		return a->r < b->r ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* The places from p on, of n, that are of the register of p, are marked free if nobody else reads it. */
static unsigned
mark_register(const ir_func *f, place *p, unsigned n)
{
	unsigned uses = 0, k;

	for (k = 0; k < n && p[k].r == p->r; k++)
		for (unsigned j = p[k].i->ndefs; j < p[k].i->m.nargs; j++)
			uses += reads(p[k].i, j, p->r);
	for (unsigned j = 0; j < k; j++)
		p[j].free = uses == f->vals.a[p->r].nuses;
	return k;
}

/* Of the n places of one constant those that are free: the register that is read first takes it, the others go. */
static void
exchange_all(sel *S, const place *p, unsigned n, uint32_t keep)
{
	const ir_val *v = S->f->vals.a;

	for (unsigned k = 0; k < n; k++)
		if (p[k].free)
			swap_in(S, p[k].i, p->c, keep, p[k].r, (uint32_t)v[p[k].r].def->m.arg[1].imm);
	for (unsigned k = 0; k < n; k++)
		if (p[k].free && p[k].r != keep && (!k || p[k - 1].r != p[k].r))
			ir_remove(v[p[k].r].def);
	v[keep].def->m.arg[1] = ir_i32(p->c);
}

/* A constant that already has a register, too, needs only one to become free: sel_tidy joins the two. */
static bool
exchange_group(sel *S, place *p, unsigned n, bool in_register)
{
	unsigned freed = 0;
	const place *first = NULL;

	for (unsigned k = 0, step; k < n; k += step) {
		step = mark_register(S->f, p + k, n - k);
		freed += p[k].free;
		if (p[k].free && (!first || p[k].at < first->at))
			first = &p[k];
	}
	if (freed + in_register < 2 || !first)
		return false;
	exchange_all(S, p, n, first->r);
	return true;
}

static bool
exchange_block(exchange *E, ir_block *b)
{
	bool changed = false;
	unsigned n, end;
	place *p;

	E->places.n = 0;
	for (ir_inst *i = b->first; i; i = i->next)
		collect(E, i);
	if (E->places.n < 2)
		return false;
	p = E->places.a;
	qsort(p, E->places.n, sizeof *p, compare);
	for (unsigned k = 0; k < E->places.n; k = end) {
		for (end = k, n = 0; end < E->places.n && p[end].c == p[k].c && p[end].bank == p[k].bank; end++)
			n += !p[end].move;
		if (n)
			changed |= exchange_group(E->S, p + k, n, n < end - k);
	}
	return changed;
}

bool
sel_constants(sel *S)
{
	ir_func *f = S->f;
	exchange E = { .S = S };
	bool changed = false;

	ir_count_uses(f);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		changed |= exchange_block(&E, f->blocks.a[b]);
	return changed;
}
