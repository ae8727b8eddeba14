/* bfi_alloc.c -- registers of a sequence: results straight into the destination where nothing that is read later
 * stands there, everything else in dead registers and then in scratch ones; moves of the result at the end.
 * Needs emitted lists; leaves the plan of p2a_bfi.h. Straight-line code: one pass, intervals from the first
 * writing to the last reading. */
#include "lower/bfi_seq.h"

#include <string.h>

enum { FOREVER = 4 * BS_INSTS, FREE_REGS = 16, NONE16 = 0xffff };

/* A register that may be used between `from` and `limit`. */
typedef struct spare {
	bool vgpr;
	uint16_t reg;
	int from, limit, until;  /* until: taken so long */
} spare;

/* Where a node's dwords are; half: of scratch, else 0. */
typedef struct home { uint8_t kind, half; uint16_t reg; } home;

typedef struct alloc {
	bs_seq *s;
	bs_inst *inst[2 * BS_INSTS];
	int n;
	int def[BS_NODES], last[BS_NODES][2];
	int last_in[4][2];       /* of operands' dwords; -1: never read */
	home at[BS_NODES][2];
	uint8_t bound[2];        /* the node that is written straight into that dword of the destination */
	int dst_write[2];        /* when that dword is first written; FOREVER: never */
	bool in_place[2];        /* that dword is b's register, of which a part is kept */
	spare spare[FREE_REGS];
	int nspare;
	int scratch[4][P2A_BFI_SCRATCH][2];   /* by kind: taken until */
	uint8_t used[4];
	bool failed;
} alloc;

/* ---- who reads what when ---- */

/* The node whose registers a word of a node lies in, and which dword. */
static uint8_t
owner(const bs_seq *s, uint8_t node, uint8_t *half)
{
	const bs_node *n = &s->node[node];

	if (n->pair == BS_NONE)
		return node;
	*half = n->half;
	return n->pair;
}

static bool
in_register(const alloc *A, bs_word w, bool vgpr, unsigned reg)
{
	const bs_place *p = &A->s->regs->in[bs_id(w) & 3];

	return bs_kind(w) == BS_IN && (p->kind == P2A_K_VGPR) == vgpr && p->reg[bs_half(w)] == reg;
}

/* The last instruction that reads that register as an operand; -1: none; results that stay there: FOREVER. */
static int
last_read(const alloc *A, bool vgpr, unsigned reg)
{
	int last = -1;

	for (unsigned k = 0; k < 4; k++)
		for (unsigned h = 0; h < 2; h++)
			if (A->last_in[k][h] > last && A->s->regs->in[k].reg[h] == reg &&
			    (A->s->regs->in[k].kind == P2A_K_VGPR) == vgpr)
				last = A->last_in[k][h];
	for (unsigned h = 0; h < bs_n(A->s->r); h++)
		if (in_register(A, A->s->r.w[h], vgpr, reg))
			last = FOREVER;
	return last;
}

static void
list(alloc *A)
{
	A->n = (int)(A->s->salu.n + A->s->valu.n);
	for (unsigned k = 0; k < A->s->salu.n; k++)
		A->inst[k] = &A->s->inst[A->s->salu.at[k]];
	for (unsigned k = 0; k < A->s->valu.n; k++)
		A->inst[A->s->salu.n + k] = &A->s->inst[A->s->valu.at[k]];
}

static void
note_read(alloc *A, bs_word w, int at)
{
	uint8_t half = (uint8_t)bs_half(w), node;

	if (bs_kind(w) == BS_IN)
		A->last_in[bs_id(w) & 3][half & 1] = at;
	if (bs_kind(w) != BS_NODE)
		return;
	node = owner(A->s, bs_id(w), &half);
	A->last[node][half] = MAX(A->last[node][half], at);
}

/* A lane mask is read whole. */
static void
note_reads(alloc *A, bs_val v, int at)
{
	unsigned n = bs_n(v);

	note_read(A, v.w[0], at);
	if (n == 2)
		note_read(A, v.w[1], at);
	else if (!n)
		note_read(A, v.w[0] | 1u << BS_HALF, at);
}

static void
note_write(alloc *A, const bs_inst *i, int at)
{
	uint8_t half = 0, node;

	if (i->to == BS_TO_DST) {
		A->dst_write[i->half] = MIN(A->dst_write[i->half], at);
		A->in_place[i->half] |= i->dst_unused == P2A_UNUSED_PRESERVE;
	}
	if (i->to != BS_TO_NODE)
		return;
	node = owner(A->s, i->dst, &half);
	if (A->def[node] < 0)
		A->def[node] = at;
}

static void
intervals(alloc *A)
{
	A->dst_write[0] = A->dst_write[1] = FOREVER;
	A->in_place[0] = A->in_place[1] = false;
	for (unsigned k = 0; k < A->s->nnodes; k++) {
		A->def[k] = -1;
		A->last[k][0] = A->last[k][1] = -1;
	}
	for (unsigned k = 0; k < 4; k++)
		A->last_in[k][0] = A->last_in[k][1] = -1;
	for (int k = 0; k < A->n; k++) {
		const bs_inst *i = A->inst[k];

		for (unsigned j = 0; j < i->nsrc; j++)
			note_reads(A, i->src[j], k);
		note_write(A, i, k);
	}
}

/* ---- the destination ---- */

static bool
dst_is_vgpr(const alloc *A)
{
	return A->s->regs->dst.kind == P2A_K_VGPR;
}

/* May dword h of the destination be written by instruction `at`? */
static bool
may_write(const alloc *A, unsigned h, int at)
{
	return last_read(A, dst_is_vgpr(A), A->s->regs->dst.reg[h]) <= at;
}

/* Is register pair reg[0], reg[1] one that a 64-bit instruction can name? */
static bool
dst_is_pair(const alloc *A)
{
	const bs_place *d = &A->s->regs->dst;
	bool even = dst_is_vgpr(A) ? A->s->q->t->align_vgpr_pairs : true;

	return d->reg[1] == d->reg[0] + 1 && !(even && d->reg[0] & 1);
}

/* May result dword h be written straight where it belongs? */
static bool
binds(const alloc *A, unsigned h)
{
	bs_word w = A->s->r.w[h], other = A->s->r.w[1 - h];
	const bs_node *n = &A->s->node[bs_id(w)];
	bool twice = bs_n(A->s->r) == 2 && bs_kind(other) == BS_NODE && bs_id(other) == bs_id(w);

	if (bs_kind(w) != BS_NODE || n->vec != dst_is_vgpr(A) || n->pair != BS_NONE)
		return false;
	/* Of two equal dwords the low one. */
	if (n->n == 1)
		return !(twice && h) && may_write(A, h, A->def[bs_id(w)]);
	return twice && !bs_half(A->s->r.w[0]) && bs_half(A->s->r.w[1]) && dst_is_pair(A) &&
	       may_write(A, 0, A->def[bs_id(w)]) && may_write(A, 1, A->def[bs_id(w)]);
}

static bool
stays(const alloc *A, unsigned h)
{
	const bs_place *d = &A->s->regs->dst;
	bs_word w = A->s->r.w[h];

	if (d->kind == P2A_K_NONE || in_register(A, w, dst_is_vgpr(A), d->reg[h]))
		return true;
	if (A->s->regs->rename && h && bs_kind(w) == BS_NODE && bs_same_word(w, A->s->r.w[0]) && binds(A, 0))
		return true;
	if (!A->s->regs->rename || bs_kind(w) == BS_NODE)
		return false;
	/* It must not stand where the other dword goes. */
	return bs_n(A->s->r) == 1 || !in_register(A, w, dst_is_vgpr(A), d->reg[1 - h]);
}

static void
final_move(alloc *A, unsigned h, bs_val from)
{
	bool vec = dst_is_vgpr(A);
	bs_inst *i = bs_move(A->s, vec, from);

	i->to = BS_TO_DST;
	i->half = (uint8_t)h;
	A->failed |= bs_is_vec(from) && !vec;
}

/* Moves of the result's dwords, in an order in which none destroys what another reads. */
static void
move_result(alloc *A, const bool move[2])
{
	bs_seq *s = A->s;
	bs_val from[2] = { bs_dword(s->r, 0), bs_dword(s->r, bs_n(s->r) == 2) };
	bool vec = dst_is_vgpr(A);
	bool harm0 = move[0] && move[1] && in_register(A, s->r.w[1], vec, s->regs->dst.reg[0]),
	     harm1 = move[0] && move[1] && in_register(A, s->r.w[0], vec, s->regs->dst.reg[1]);

	if (harm0 && harm1) {
		bs_inst *i = bs_move(s, vec, from[0]);

		i->dst = bs_new_node(s, BOP_mov32, vec, from);
		from[0] = bs_of_node(s, i->dst);
	}
	if (move[0] && !harm0)
		final_move(A, 0, from[0]);
	if (move[1])
		final_move(A, 1, from[1]);
	if (move[0] && harm0)
		final_move(A, 0, from[0]);
}

static void
settle_result(alloc *A)
{
	bool move[2] = { false, false };

	for (unsigned h = 0; h < 2; h++) {
		A->bound[h] = BS_NONE;
		if (h >= bs_n(A->s->r) || stays(A, h) || A->in_place[h])
			continue;
		if (binds(A, h))
			A->bound[h] = bs_id(A->s->r.w[h]);
		else
			move[h] = true;
	}
	/* One half of a pair alone cannot be bound. */
	if (move[0] || move[1]) {
		move_result(A, move);
		bs_count(A->s);
		list(A);
		intervals(A);
	}
	for (unsigned h = 0; h < bs_n(A->s->r); h++)
		if (bs_kind(A->s->r.w[h]) == BS_NODE)
			note_read(A, A->s->r.w[h], A->bound[h] != BS_NONE || stays(A, h) ? FOREVER : -1);
}

/* ---- spare registers ---- */

static void
add_spare(alloc *A, bool vgpr, unsigned reg, int from, int limit)
{
	for (int k = 0; k < A->nspare; k++)
		if (A->spare[k].vgpr == vgpr && A->spare[k].reg == reg)
			return;
	if (A->nspare < FREE_REGS && from < FOREVER)
		A->spare[A->nspare++] = (spare){ vgpr, (uint16_t)reg, from, limit, -1 };
}

/* Does every operand that holds that register die? */
static bool
all_die(const alloc *A, bool vgpr, unsigned reg)
{
	for (unsigned k = 0; k < 4; k++) {
		const bs_place *p = &A->s->regs->in[k];
		unsigned n = k < 2 ? bfi_width(A->s->q->gop) / 32 : 1;

		for (unsigned h = 0; h < n; h++)
			if (p->kind == (vgpr ? P2A_K_VGPR : P2A_K_SGPR) && p->reg[h] == reg && !p->dies)
				return false;
	}
	return true;
}

static void
find_spares(alloc *A)
{
	const bs_place *d = &A->s->regs->dst;

	for (unsigned h = 0; h < bs_n(A->s->r) && d->kind != P2A_K_NONE; h++) {
		if (A->bound[h] != BS_NONE)
			A->dst_write[h] = MIN(A->dst_write[h], A->def[A->bound[h]]);
		add_spare(A, dst_is_vgpr(A), d->reg[h], A->in_place[h] ? A->n : last_read(A, dst_is_vgpr(A), d->reg[h]),
			A->dst_write[h]);
	}
	for (unsigned k = 0; k < 4; k++) {
		const bs_place *p = &A->s->regs->in[k];

		for (unsigned h = 0; p->dies && h < (k < 2 ? bfi_width(A->s->q->gop) / 32 : 1); h++)
			if (all_die(A, p->kind == P2A_K_VGPR, p->reg[h]))
				add_spare(A, p->kind == P2A_K_VGPR, p->reg[h],
					last_read(A, p->kind == P2A_K_VGPR, p->reg[h]), FOREVER);
	}
}

/* A dword that nobody reads is written all the same. */
static bool
fits(const spare *p, bool vgpr, int def, int last)
{
	return p->vgpr == vgpr && p->from <= def && p->until <= def && def < p->limit && last <= p->limit;
}

/* The erratum of gfx90a: nothing that might be a shift amount goes where it could be the last register. */
static bool
spare_is_safe(const alloc *A, const spare *p)
{
	return !p->vgpr || !(A->s->q->t->hazards & ISA_HZ_SHIFT64_HIGH) || p->reg % 8 != 7;
}

static bool
take_spare(alloc *A, uint8_t node, int def)
{
	bool vgpr = A->s->node[node].vec;
	int last = A->last[node][0];

	for (int k = 0; k < A->nspare; k++) {
		spare *p = &A->spare[k];

		if (!fits(p, vgpr, def, last) || !spare_is_safe(A, p))
			continue;
		p->until = last;
		A->at[node][0] = (home){ vgpr ? P2A_K_VGPR : P2A_K_SGPR, 0, p->reg };
		return true;
	}
	return false;
}

static bool
take_spare_pair(alloc *A, uint8_t node, int def)
{
	bool vgpr = A->s->node[node].vec, even = vgpr ? A->s->q->t->align_vgpr_pairs : true;
	const int *last = A->last[node];

	for (int k = 0; k < A->nspare; k++) {
		spare *p = &A->spare[k];

		if ((even && p->reg & 1) || !fits(p, vgpr, def, last[0]))
			continue;
		for (spare *q = A->spare; q < A->spare + A->nspare; q++) {
			if (q->reg != p->reg + 1 || !fits(q, vgpr, def, last[1]))
				continue;
			p->until = last[0];
			q->until = last[1];
			for (unsigned h = 0; h < 2; h++)
				A->at[node][h] = (home){ vgpr ? P2A_K_VGPR : P2A_K_SGPR, 0, (uint16_t)(p->reg + h) };
			return true;
		}
	}
	return false;
}

/* ---- scratch ---- */

enum { VPAIR, VONE, SPAIR, SONE };

static bool
take_single(alloc *A, uint8_t node, unsigned kind, int def)
{
	bool pair = kind == VPAIR || kind == SPAIR;

	for (unsigned k = 0; k < A->used[kind]; k++)
		for (unsigned h = 0; h <= pair; h++)
			if (A->scratch[kind][k][h] <= def) {
				A->scratch[kind][k][h] = A->last[node][0];
				A->at[node][0] = (home){ (uint8_t)(P2A_BFI_K_VGPR_PAIR + kind), (uint8_t)h, (uint16_t)k };
				return true;
			}
	return false;
}

static void
take_scratch(alloc *A, uint8_t node, int def)
{
	bool two = A->s->node[node].n == 2;
	unsigned pairs = A->s->node[node].vec ? VPAIR : SPAIR, kind = two ? pairs : pairs + 1, k;

	if (!two && (take_single(A, node, kind, def) || take_single(A, node, pairs, def)))
		return;
	for (k = 0; k < A->used[kind]; k++)
		if (two && A->scratch[kind][k][0] <= def && A->scratch[kind][k][1] <= def)
			break;
	if (k == P2A_BFI_SCRATCH) {
		A->failed = true;
		return;
	}
	A->used[kind] = (uint8_t)MAX(A->used[kind], k + 1);
	for (unsigned h = 0; h < 2; h++) {
		A->scratch[kind][k][h] = two || !h ? A->last[node][h] : -1;
		A->at[node][h] = (home){ (uint8_t)(P2A_BFI_K_VGPR_PAIR + kind), (uint8_t)h, (uint16_t)k };
	}
}

static void
place(alloc *A, uint8_t node)
{
	int def = A->def[node];
	const bs_place *d = &A->s->regs->dst;

	if (A->at[node][0].kind)
		return;
	for (unsigned h = 0; h < 2; h++)
		if (A->bound[h] == node)
			A->at[node][A->s->node[node].n == 2 ? h : 0] = (home){ d->kind, 0, d->reg[h] };
	if (A->at[node][0].kind)
		return;
	if (A->s->node[node].n == 2 ? !take_spare_pair(A, node, def) : !take_spare(A, node, def))
		take_scratch(A, node, def);
}

/* A node that is written straight into a pair is where that is. */
static void
place_all(alloc *A)
{
	for (int k = 0; k < A->n; k++) {
		uint8_t half = 0, node = A->inst[k]->dst;

		if (A->inst[k]->to != BS_TO_NODE)
			continue;
		place(A, owner(A->s, node, &half));
		if (A->s->node[node].pair != BS_NONE)
			A->at[node][0] = A->at[A->s->node[node].pair][half];
	}
}

/* ---- operands ---- */

/* Operands are written where they stay, member by member, as their readers read them. */
static void
put(p2a_opnd *o, unsigned kind, unsigned width, uint32_t reg, int64_t imm)
{
	o->kind = (uint8_t)kind;
	o->width = (uint8_t)width;
	o->reg = reg;
	o->imm = imm;
}

static void
put_register(const alloc *A, bs_word w, unsigned width, p2a_opnd *o)
{
	const bs_place *p = &A->s->regs->in[bs_id(w) & 3];
	const home *at = &A->at[bs_id(w)][bs_half(w)];

	if (bs_kind(w) == BS_IN)
		put(o, p->kind, width, p->reg[bs_half(w)], 0);
	else
		put(o, at->kind, width, at->reg, at->half);
}

static void
put_vcc(const alloc *A, p2a_opnd *o)
{
	bool wide = A->s->q->t->wave == 64;

	put(o, P2A_K_SREG, wide ? 2 : 1, wide ? P2A_VCC : P2A_VCC_LO, 0);
}

static void
put_source(const alloc *A, bs_val v, p2a_opnd *o)
{
	unsigned n = bs_n(v);

	if (bs_kind(v.w[0]) == BS_VCC)
		put_vcc(A, o);
	else if (bs_is_const(v))
		put(o, P2A_K_IMM, n, 0, n == 2 ? (int64_t)bs_value(v) : (int32_t)bs_x(v.w[0]));
	else
		put_register(A, v.w[0], n ? n : A->s->q->t->wave == 64 ? 2 : 1, o);
}

static void
put_destination(const alloc *A, const bs_inst *i, p2a_opnd *o)
{
	const bs_place *d = &A->s->regs->dst;

	if (i->to == BS_TO_DST)
		put(o, d->kind, 1, d->reg[i->half], 0);
	else if (i->to == BS_TO_NODE)
		put_register(A, bs_word_of(BS_NODE, i->dst, i->half, false), i->n, o);
	else
		put_vcc(A, o);
}

/* ---- moves that do nothing ---- */

/* A dword of a pair that was to stand where it stood as an operand. */
static bool
is_self_move(const alloc *A, const bs_inst *i)
{
	p2a_opnd from, to;

	if ((i->op != OP_v_mov_b32 && i->op != OP_s_mov_b32) || i->enc != P2A_ENC_AUTO)
		return false;
	put_source(A, i->src[0], &from);
	put_destination(A, i, &to);
	return from.kind == to.kind && from.reg == to.reg && from.imm == to.imm;
}

static void
drop_self_moves(alloc *A)
{
	bs_list *lists[2] = { &A->s->salu, &A->s->valu };
	bool any = false;

	for (int k = 0; k < A->n && !any; k++)
		any = is_self_move(A, A->inst[k]);
	for (unsigned j = 0; any && j < 2; j++) {
		unsigned n = 0;

		for (unsigned k = 0; k < lists[j]->n; k++)
			if (!is_self_move(A, &A->s->inst[lists[j]->at[k]]))
				lists[j]->at[n++] = lists[j]->at[k];
		lists[j]->n = n;
	}
	if (!any)
		return;
	list(A);
	bs_count(A->s);
	intervals(A);
}

/* ---- the plan ---- */

static void
machine(const alloc *A, const bs_inst *i, p2a_inst *m)
{
	static const p2a_inst none;
	p2a_opnd *o = m->arg;

	*m = none;
	m->op = i->op;
	m->enc = i->enc;
	m->nargs = (uint8_t)((i->to != BS_TO_NOTHING) + i->nsrc);
	m->clamp = i->clamp;
	m->dst_sel = i->dst_sel;
	m->dst_unused = i->dst_unused;
	if (i->to != BS_TO_NOTHING)
		put_destination(A, i, o++);
	for (unsigned k = 0; k < i->nsrc; k++, o++) {
		o->sel = bs_kind(i->src[k].w[0]) == BS_VCC ? 0 : i->sel[k];
		put_source(A, i->src[k], o);
	}
}

static void
put_result(const alloc *A, unsigned h, p2a_opnd *o)
{
	const bs_place *d = &A->s->regs->dst;

	if (stays(A, h))
		put_source(A, bs_dword(A->s->r, h), o);
	else
		put(o, d->kind, 1, d->reg[h], 0);
}

static void
fill(const alloc *A, p2a_bfi_plan *p)
{
	const bs_cost *c = &A->s->cost;

	p->n = (unsigned)A->n;
	for (int k = 0; k < A->n; k++) {
		machine(A, A->inst[k], &p->inst[k]);
		p->writes_scc |= (isa_table[A->inst[k]->op].eff & ISA_W_SCC) != 0;
		p->writes_vcc |= A->inst[k]->to == BS_TO_VCC;
	}
	p->valu = c->valu;
	p->salu = c->salu;
	p->valu64 = c->valu64;
	p->consts = c->consts;
	p->bytes = c->bytes;
	p->vgpr_pairs = A->used[VPAIR];
	p->vgprs = A->used[VONE];
	p->sgpr_pairs = A->used[SPAIR];
	p->sgprs = A->used[SONE];
	for (unsigned h = 0; h < bs_n(A->s->r); h++)
		put_result(A, h, &p->result[h]);
}

int
bs_allocate(bs_seq *s, p2a_bfi_plan *p, uint8_t bytes[P2A_BFI_INSTS])
{
	alloc A;

	A.s = s;
	A.failed = false;
	A.nspare = 0;
	memset(A.used, 0, sizeof A.used);
	list(&A);
	intervals(&A);
	settle_result(&A);
	memset(A.at, 0, s->nnodes * sizeof *A.at);
	find_spares(&A);
	place_all(&A);
	if (A.failed || s->failed)
		return P2A_ISA_REGISTER;
	drop_self_moves(&A);
	if (A.n > P2A_BFI_INSTS)
		return P2A_ISA_SHORT;
	fill(&A, p);
	for (int k = 0; k < A.n; k++)
		bytes[k] = A.inst[k]->bytes;
	return 0;
}

/* ---- early ---- */

/* Registers that were written, a bit each: VGPRs by number, SGPRs behind them. */
enum { FIRST_SGPR = 512, NREGISTERS = FIRST_SGPR + 128, BITS = 64 };
typedef struct register_set { uint64_t bits[NREGISTERS / BITS]; } register_set;

static bool
is_register(const p2a_opnd *o)
{
	return o->kind == P2A_K_SGPR || o->kind == P2A_K_VGPR;
}

static unsigned
first_of(const p2a_opnd *o)
{
	return o->reg + (o->kind == P2A_K_SGPR ? FIRST_SGPR : 0);
}

/* A register that nothing wrote so far still holds an operand. */
static bool
holds_operand(const register_set *written, const p2a_opnd *o)
{
	if (!is_register(o))
		return false;
	for (unsigned r = first_of(o), end = r + o->width; r < end; r++)
		if (!(written->bits[r / BITS] >> r % BITS & 1))
			return true;
	return false;
}

static void
add_written(register_set *written, const p2a_opnd *o)
{
	if (!is_register(o))
		return;
	for (unsigned r = first_of(o), end = r + o->width; r < end; r++)
		written->bits[r / BITS] |= 1ull << r % BITS;
}

static bool
is_dst(const bs_place *dst, const p2a_opnd *o)
{
	for (unsigned h = 0; h < 2; h++)
		if (o->kind == dst->kind && o->reg <= dst->reg[h] && o->reg + o->width > dst->reg[h])
			return true;
	return false;
}

bool
bs_early(const p2a_bfi_plan *p, const bs_place *dst)
{
	register_set written = { { 0 } };
	bool begun = false;

	for (const p2a_inst *i = p->inst; i < p->inst + p->n; i++) {
		unsigned defs = i->enc == P2A_ENC_DUAL ? 2 : isa_table[i->op].ndefs;

		bool reads_own = isa_effects(i) & ISA_TIED || i->dst_unused == P2A_UNUSED_PRESERVE;

		for (unsigned a = reads_own ? 0 : defs; begun && a < i->nargs; a++)
			if (holds_operand(&written, &i->arg[a]))
				return true;
		for (unsigned a = 0; a < defs; a++) {
			add_written(&written, &i->arg[a]);
			begun |= is_dst(dst, &i->arg[a]);
		}
	}
	for (unsigned h = 0; h < 2 && begun; h++)
		if (!is_dst(dst, &p->result[h]) && holds_operand(&written, &p->result[h]))
			return true;
	return false;
}
