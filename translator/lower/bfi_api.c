/* bfi_api.c -- p2a_bfi.h: a question from another back end becomes a query with registers, the cheapest row a
 * plan, the plan instructions, bytes or text. Needs nothing; allocates nothing.
 * PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk). */
#include "lower/bfi_seq.h"

#include <string.h>

static const uint16_t gops[] = { [P2A_BFI_B32] = G_ptx_bfi32, [P2A_BFI_B64] = G_ptx_bfi64,
	[P2A_BFE_U32] = G_ptx_bfe_u32, [P2A_BFE_S32] = G_ptx_bfe_s32, [P2A_BFE_U64] = G_ptx_bfe_u64,
	[P2A_BFE_S64] = G_ptx_bfe_s64, [P2A_BMSK_B32] = G_ptx_bmsk, [P2A_SZEXT_U32] = G_ptx_szext_u32,
	[P2A_SZEXT_S32] = G_ptx_szext_s32 };

/* A question with all that is read while it is answered. */
typedef struct question {
	bfi_query q;
	bs_regs regs;
	p2a_target own;          /* the chip with another wave size */
} question;

static int
read_register(const p2a_target *t, const p2a_bfi_operand *o, unsigned dwords, bs_place *p)
{
	unsigned limit = o->kind == P2A_K_VGPR ? t->vgprs : t->sgprs;

	*p = (bs_place){ .kind = o->kind, .dies = o->dies, .reg = { o->lo, o->hi } };
	if (dwords == 1)
		p->reg[1] = UINT16_MAX;
	return o->lo >= limit || (dwords == 2 && o->hi >= limit) ? P2A_ISA_REGISTER : 0;
}

static int
read_fact(const p2a_bfi_operand *o, unsigned dwords, ir_fact *f)
{
	uint64_t mask = dwords == 2 ? UINT64_MAX : UINT32_MAX;

	if (o->kind == P2A_K_IMM) {
		*f = ir_fact_const(o->imm);
		if (o->imm & o->zero || o->one & ~o->imm || o->imm < o->min || (o->max && o->imm > o->max))
			return P2A_ISA_ARGS;
		return o->imm & ~mask ? P2A_ISA_CONSTANT : 0;
	}
	if ((o->one | o->min | o->max) & ~mask)
		return P2A_ISA_CONSTANT;
	f->zero = o->zero | ~mask;
	f->one = o->one;
	f->lo = o->min;
	f->hi = o->max ? o->max : mask;
	if (!(o->zero | o->one | o->min | o->max))
		return 0;
	if (f->zero & f->one || f->lo > f->hi)
		return P2A_ISA_ARGS;
	*f = ir_fact_tidy(*f);
	return f->hi > mask ? P2A_ISA_ARGS : 0;
}

/* One that the operation has not is 0. */
static int
read_operand(question *Q, unsigned k, const p2a_bfi_operand *o, ir_fact *f)
{
	static const p2a_bfi_operand nothing = P2A_BFI_IMM(0);
	unsigned dwords = k < 2 ? bfi_width(Q->q.gop) / 32 : 1;
	int err;

	if (!(bfi_operands(Q->q.gop) >> k & 1))
		o = &nothing;
	err = read_fact(o, dwords, f);

	if (err)
		return err;
	if (o->kind == P2A_K_IMM) {
		Q->regs.in[k] = (bs_place){ .kind = P2A_K_IMM, .reg = { UINT16_MAX, UINT16_MAX } };
		return 0;
	}
	if (o->kind != P2A_K_VGPR && o->kind != P2A_K_SGPR)
		return P2A_ISA_ARGS;
	Q->q.lanes |= (unsigned)(o->kind == P2A_K_VGPR) << k;
	return read_register(Q->q.t, o, dwords, &Q->regs.in[k]);
}

/* A register as plan.held has it. */
static uint16_t
held(bool vgpr, unsigned reg)
{
	enum { SGPR = 0x8000 };

	return (uint16_t)(vgpr ? reg : reg | SGPR);
}

/* None: the result stays where it comes to stand. */
static int
read_destination(const p2a_bfi_operand *o, question *Q)
{
	bs_place *d = &Q->regs.dst;
	int err;

	*d = (bs_place){ .kind = P2A_K_NONE, .reg = { UINT16_MAX, UINT16_MAX } };
	if (o->kind == P2A_K_NONE)
		return 0;
	if (o->kind != P2A_K_VGPR && o->kind != P2A_K_SGPR)
		return P2A_ISA_ARGS;
	err = read_register(Q->q.t, o, bfi_width(Q->q.gop) / 32, d);
	return !err && d->reg[0] == d->reg[1] ? P2A_ISA_REGISTER : err;
}

static int
read_target(const p2a_bfi_query *u, question *Q)
{
	const p2a_target *t = u->target;

	Q->q.t = t;
	if (!u->wave || u->wave == t->wave)
		return 0;
	if ((u->wave != 32 && u->wave != 64) || !(t->wave_bits & u->wave))
		return P2A_ISA_NOT_HERE;
	Q->own = *t;
	Q->own.wave = u->wave;
	Q->q.t = &Q->own;
	return 0;
}

static int
read_question(const p2a_bfi_query *u, question *Q)
{
	int err = read_target(u, Q);

	if (err)
		return err;
	Q->q.gop = gops[u->op];
	Q->q.sem = u->semantics;
	Q->regs.rename = u->flags & P2A_BFI_RENAME;
	err = read_destination(&u->dst, Q);
	err = err ? err : read_operand(Q, 0, &u->a, &Q->q.a);
	err = err ? err : read_operand(Q, 1, &u->b, &Q->q.b);
	err = err ? err : read_operand(Q, 2, &u->pos, &Q->q.pos);
	err = err ? err : read_operand(Q, 3, &u->len, &Q->q.len);
	if (!err && Q->q.lanes && u->dst.kind == P2A_K_SGPR)
		err = P2A_ISA_REGISTER;
	return err;
}

/* Of a caller that knows more than this version, what is not known here is zero. */
static bool
is_sized(const p2a_bfi_query *u)
{
	enum { MOST = 4096 };
	const unsigned char *byte = (const unsigned char *)u;

	if (u->size < sizeof *u || u->size > MOST)
		return false;
	for (size_t k = sizeof *u; k < u->size; k++)
		if (byte[k])
			return false;
	return true;
}

static void
hold(p2a_bfi_plan *p, const bs_place *x)
{
	for (unsigned h = 0; h < 2; h++)
		if (x->kind != P2A_K_IMM && x->reg[h] != UINT16_MAX)
			p->held[p->nheld++] = held(x->kind == P2A_K_VGPR, x->reg[h]);
}

int
p2a_bfi_make(const p2a_bfi_query *u, p2a_bfi_plan *p)
{
	question Q;
	bs_seq room[2], *s;
	uint8_t bytes[P2A_BFI_INSTS];
	int err;

	if (!u || !p || !is_sized(u) || !u->target || (unsigned)u->op >= COUNT(gops) ||
	    (unsigned)u->semantics > P2A_SEM_NVIDIA || u->flags > P2A_BFI_RENAME)
		return P2A_ISA_ARGS;
	memset(&Q.q, 0, sizeof Q.q);
	memset(&Q.regs, 0, sizeof Q.regs);
	err = read_question(u, &Q);
	if (err)
		return err;
	bfi_tidy(&Q.q);
	s = bs_choose(room, &Q.q, &Q.regs);
	if (!s)
		return P2A_ISA_NOT_HERE;
	memset(p, 0, offsetof(p2a_bfi_plan, inst));
	p->target = u->target;
	p->wave = Q.q.t->wave;
	p->row = bfi_row_id(s->row);
	p->name = s->row->name;
	hold(p, &Q.regs.dst);
	for (unsigned k = 0; k < 4; k++)
		hold(p, &Q.regs.in[k]);
	err = bs_allocate(s, p, bytes);
	if (!err && isa_can_dual(Q.q.t, OP_v_mov_b32, 0))
		bs_dual(Q.q.t, p, bytes);
	if (err)
		return err;
	p->early = bs_early(p, &Q.regs.dst);
	return bs_wait(Q.q.t, p);
}

/* ---- scratch ---- */

/* Scratch registers are the caller's word: in range, pairs where the chip wants them. */
static bool
stands(const p2a_target *t, unsigned kind, unsigned reg)
{
	bool vgpr = kind < 2, pair = !(kind & 1);

	if (reg + pair >= (vgpr ? t->vgprs : t->sgprs))
		return false;
	return !(pair && reg & 1 && (!vgpr || t->align_vgpr_pairs));
}

/* What the caller gives, by kind of scratch. */
typedef struct scratch {
	const uint16_t *reg[4];
	uint8_t n[4];
} scratch;

static bool
is_among(const uint16_t *list, unsigned n, uint16_t x)
{
	for (unsigned k = 0; k < n; k++)
		if (list[k] == x)
			return true;
	return false;
}

/* Each can stand where it is wanted, and none is an operand, the destination or another one. */
static int
read_scratch(const p2a_bfi_plan *p, const p2a_bfi_scratch *x, scratch *s)
{
	uint16_t taken[COUNT(p->held) + 6 * P2A_BFI_SCRATCH];
	unsigned n = p->nheld;

	*s = (scratch){ .n = { p->vgpr_pairs, p->vgprs, p->sgpr_pairs, p->sgprs } };
	if (!x)
		return s->n[0] | s->n[1] | s->n[2] | s->n[3] ? P2A_ISA_REGISTER : 0;
	s->reg[0] = x->vgpr_pair, s->reg[1] = x->vgpr, s->reg[2] = x->sgpr_pair, s->reg[3] = x->sgpr;
	memcpy(taken, p->held, n * sizeof *taken);
	for (unsigned kind = 0; kind < 4; kind++)
		for (unsigned k = 0; k < s->n[kind]; k++) {
			if (!stands(p->target, kind, s->reg[kind][k]))
				return P2A_ISA_REGISTER;
			for (unsigned h = 0; h < 2u - (kind & 1); h++, n++) {
				taken[n] = held(kind < 2, s->reg[kind][k] + h);
				if (is_among(taken, n, taken[n]))
					return P2A_ISA_REGISTER;
			}
		}
	return 0;
}

/* false: there is no such scratch. */
static bool
fill_in(const scratch *s, p2a_opnd *o)
{
	unsigned kind = o->kind - (unsigned)P2A_BFI_K_VGPR_PAIR;

	if (kind > 3)
		return true;
	if (o->reg >= s->n[kind] || (uint64_t)o->imm > !(kind & 1))
		return false;
	o->reg = s->reg[kind][o->reg] + (uint32_t)o->imm;
	o->kind = kind < 2 ? P2A_K_VGPR : P2A_K_SGPR;
	o->imm = 0;
	return true;
}

static bool
shift_amount_is_last(const p2a_target *t, const p2a_inst *i)
{
	bool shift = i->op == OP_v_lshlrev_b64 || i->op == OP_v_lshrrev_b64 || i->op == OP_v_ashrrev_i64;

	return shift && t->hazards & ISA_HZ_SHIFT64_HIGH && i->arg[1].kind == P2A_K_VGPR && i->arg[1].reg % 8 == 7;
}

static p2a_target
target_of(const p2a_bfi_plan *p)
{
	p2a_target t = *p->target;

	t.wave = p->wave;
	return t;
}

/* Plans are the caller's memory: whatever stands there, nothing is read or written outside of them. */
static bool
is_plan(const p2a_bfi_plan *p)
{
	if (!p || !isa_is_target(p->target) || (p->wave != 32 && p->wave != 64) || !(p->target->wave_bits & p->wave))
		return false;
	return p->n <= P2A_BFI_INSTS && p->nheld <= COUNT(p->held) && p->vgpr_pairs <= P2A_BFI_SCRATCH &&
	       p->vgprs <= P2A_BFI_SCRATCH && p->sgpr_pairs <= P2A_BFI_SCRATCH && p->sgprs <= P2A_BFI_SCRATCH;
}

int
p2a_bfi_insts(const p2a_bfi_plan *p, const p2a_bfi_scratch *x, p2a_inst *out)
{
	scratch s;
	int err;

	if (!is_plan(p) || (!out && p->n))
		return P2A_ISA_ARGS;
	err = read_scratch(p, x, &s);
	if (err)
		return err;
	for (unsigned k = 0; k < p->n; k++) {
		out[k] = p->inst[k];
		if (out[k].nargs > P2A_MAX_ARGS)
			return P2A_ISA_ARGS;
		for (unsigned a = 0; a < out[k].nargs; a++)
			if (!fill_in(&s, &out[k].arg[a]))
				return P2A_ISA_ARGS;
		if (shift_amount_is_last(p->target, &out[k]))
			return P2A_ISA_REGISTER;
	}
	return (int)p->n;
}

int
p2a_bfi_bytes(const p2a_bfi_plan *p, const p2a_bfi_scratch *x, void *out, size_t cap)
{
	p2a_inst code[P2A_BFI_INSTS];
	int n = p2a_bfi_insts(p, x, code), size = 0;
	p2a_target t;

	if (n < 0)
		return n;
	if (!out)
		return cap ? P2A_ISA_ARGS : (int)p->bytes;
	t = target_of(p);
	for (int k = 0; k < n; k++) {
		uint32_t w[P2A_MAX_DWORDS];
		int dwords = p2a_encode(&t, &code[k], w);

		if (dwords < 0)
			return dwords;
		if (cap - (size_t)size < 4 * (size_t)dwords)
			return P2A_ISA_SHORT;
		memcpy((char *)out + size, w, 4 * (size_t)dwords);
		size += 4 * dwords;
	}
	return size;
}

int
p2a_bfi_text(const p2a_bfi_plan *p, const p2a_bfi_scratch *x, char *out, size_t cap)
{
	p2a_inst code[P2A_BFI_INSTS];
	int n = p2a_bfi_insts(p, x, code), size = 0;
	p2a_target t;

	if (n < 0)
		return n;
	if (!out && cap)
		return P2A_ISA_ARGS;
	t = target_of(p);
	if (cap)
		*out = 0;
	for (int k = 0; k < n; k++) {
		size_t at = MIN((size_t)size, cap);
		int len = isa_print(&t, &code[k], out ? out + at : out, cap - at);

		if (len < 0)
			return len;
		size += len + 1;
		if ((size_t)size < cap) {
			out[size - 1] = '\n';
			out[size] = 0;
		}
	}
	return size;
}
