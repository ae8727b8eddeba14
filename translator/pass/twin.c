/* twin.c -- two f32 operations become one on a pair of registers (v_pk_add_f32, v_pk_mul_f32, v_pk_fma_f32).
 * Needs machine SSA, and a chip that has them; leaves one instruction for two of the same kind in a block whose results
 * are wanted side by side, and the same for what they read, as far as it goes.
 * Manuals: "Packed Math" of MI200 and MI300: each half of the result takes either half of each source (op_sel, op_sel_hi)
 * and negates it by itself; rounding and subnormals are MODE's, as for one f32.
 *
 * It begins at values that are put together of two results (for a store, mostly), then at operations whose sources lie side by side
 * already (loaded so, mostly). Sources are two dwords of one pair, in any
 * order, or values that can be written into one: their instructions then write its halves, and may be one themselves. No
 * instruction is added for it, so each that is made spares one. */
#include "pass/pass.h"

/* How far, in instructions, one may move to the other. */
enum { REACH = 64 };
enum { LOW, HIGH };

/* An operation as a sum, product or both. */
typedef struct form { uint16_t op; unsigned n; ir_opnd src[3]; } form;

typedef struct wish { uint32_t v[2]; } wish; /* values that lie in the halves of a pair */

typedef struct twin {
	ir_func *f;
	ir_inst **def;           /* by value: who writes it, all of it and alone */
	uint32_t *copied;        /* by value: how many copies and phis read it */
	struct place { uint32_t val; uint8_t first; } *now; /* by value: where it is instead; val 0: where it was */
	bitset defined, rewritten;
	uint32_t nvals;          /* that these know */
	VEC(wish) wishes;
	VEC(ir_inst *) seeds;    /* of the block */
} twin;

/* ---- where values are ---- */

static ir_opnd
moved(const twin *T, ir_opnd o)
{
	if (ir_is_val(o) && o.reg < T->nvals && T->now[o.reg].val) {
		o.imm += T->now[o.reg].first;
		o.reg = T->now[o.reg].val;
	}
	return o;
}

/* A number in a vector register of its own, which one instruction writes and nothing keeps elsewhere. */
static bool
is_free(const twin *T, uint32_t v, uint32_t copies)
{
	const ir_inst *d = v < T->nvals ? T->def[v] : NULL;

	return d && T->f->vals.a[v].bank == IR_BANK_V && T->f->vals.a[v].dwords == 1 && !T->now[v].val &&
	       T->copied[v] == copies && !bit_has(&T->rewritten, v) && d->ndefs == 1 &&
	       (ir_is_machine(d->m.op) || d->m.op == P_copy) && !ir_is_glued(d);
}

/* Are they the halves of one pair, in either order, or one half twice? */
static bool
in_one_pair(const twin *T, ir_opnd a, ir_opnd b)
{
	return a.reg == b.reg && a.imm / 2 == b.imm / 2 && (a.imm | 1) < T->f->vals.a[a.reg].dwords &&
	       (a.reg >= T->nvals || !bit_has(&T->rewritten, a.reg));
}

static bool
may_join(const twin *T, ir_opnd a, ir_opnd b)
{
	return a.reg != b.reg && is_free(T, a.reg, 0) && is_free(T, b.reg, 0) && T->def[a.reg]->block == T->def[b.reg]->block;
}

/* Their instructions write the halves of `pair`. */
static void
join(twin *T, const wish *w, uint32_t pair)
{
	ir_inst *d[2] = { T->def[w->v[LOW]], T->def[w->v[HIGH]] };

	for (unsigned h = LOW; h <= HIGH; h++) {
		T->now[w->v[h]] = (struct place){ pair, (uint8_t)h };
		d[h]->m.arg[0] = ir_part(ir_valop(T->f, pair), h, 1);
		d[h]->fresh = d[h]->num < d[!h]->num;
	}
	*vec_push(T->f->A, &T->wishes) = *w;
}

/* ---- which operations ---- */

static void
swap(ir_opnd *a, ir_opnd *b)
{
	ir_opnd t = *a;

	*a = *b;
	*b = t;
}

/* i as a form of pairs, its sources where they are; false: it has none. */
static bool
form_of(const twin *T, const ir_inst *i, form *x)
{
	const p2a_inst *m = &i->m;

	switch (m->op) {
	case OP_v_add_f32: case OP_v_sub_f32: case OP_v_subrev_f32: *x = (form){ OP_v_pk_add_f32, 2, { { 0 } } }; break;
	case OP_v_mul_f32: *x = (form){ OP_v_pk_mul_f32, 2, { { 0 } } }; break;
	case OP_v_fma_f32: *x = (form){ OP_v_pk_fma_f32, 3, { { 0 } } }; break;
	default: return false;
	}
	if (m->enc != P2A_ENC_AUTO || m->omod || ir_is_glued(i))
		return false;
	for (unsigned k = 0; k < x->n; k++) {
		const ir_opnd *o = &m->arg[k + 1];

		if (!ir_is_val(*o) || o->mods & ~P2A_NEG || o->sel)
			return false;
		x->src[k] = moved(T, *o);
	}
	if (m->op == OP_v_subrev_f32)
		swap(&x->src[0], &x->src[1]);
	if (m->op != OP_v_add_f32 && x->op == OP_v_pk_add_f32)
		x->src[1].mods ^= P2A_NEG;
	return true;
}

/* Values that have to be put into pairs, none of them into two. */
typedef struct plan { wish w[3]; unsigned n; } plan;

static bool
is_planned(const plan *p, ir_opnd a, ir_opnd b)
{
	for (unsigned k = 0; k < p->n; k++)
		if (p->w[k].v[LOW] == a.reg ? p->w[k].v[HIGH] == b.reg : p->w[k].v[LOW] == b.reg && p->w[k].v[HIGH] == a.reg)
			return true;
	return false;
}

static bool
is_promised(const plan *p, ir_opnd o)
{
	for (unsigned k = 0; k < p->n; k++)
		if (p->w[k].v[LOW] == o.reg || p->w[k].v[HIGH] == o.reg)
			return true;
	return false;
}

/* How many pairs have to be made for the sources; -1: it does not work. One pair of scalars can be read. */
static int
count_joins(const twin *T, const form *a, const form *b)
{
	uint32_t scalar = 0;
	plan made = { .n = 0 };

	for (unsigned k = 0; k < a->n; k++) {
		ir_opnd p = a->src[k], q = b->src[k];

		if (in_one_pair(T, p, q)) {
			if (T->f->vals.a[p.reg].bank != IR_BANK_S)
				continue;
			if (scalar && (scalar >> 1 != p.reg || (scalar & 1) != (p.imm >> 1 & 1)))
				return -1;
			scalar = p.reg << 1 | (p.imm >> 1 & 1);
		} else if (!is_planned(&made, p, q)) {
			if (is_promised(&made, p) || is_promised(&made, q) || !may_join(T, p, q))
				return -1;
			made.w[made.n++] = (wish){ { p.reg, q.reg } };
		}
	}
	return (int)made.n;
}

/* Do a and b fit, b's factors or summands exchanged if need be? */
static bool
fit(const twin *T, const form *a, form *b)
{
	form other = *b;
	int n = count_joins(T, a, b), m;

	swap(&other.src[0], &other.src[1]);
	m = count_joins(T, a, &other);
	if (n < 0 || (m >= 0 && m < n)) {
		*b = other;
		n = m;
	}
	return n >= 0;
}

/* ---- where they come together ---- */

static bool
touches(const twin *T, const ir_inst *i, bool defs, ir_opnd what)
{
	for (unsigned k = defs ? 0 : i->ndefs; k < (defs ? i->ndefs : i->m.nargs); k++)
		if (ir_overlap(moved(T, i->m.arg[k]), what))
			return true;
	return false;
}

/* Can the earlier one go down to the later one, or that one up? */
static ir_inst *
meeting(const twin *T, ir_inst *early, ir_inst *late)
{
	ir_opnd result = moved(T, early->m.arg[0]);
	bool down = true, up = true;
	unsigned n = 0;

	for (const ir_inst *i = early->next; i != late; i = i->next) {
		if (n++ >= REACH || (ir_is_machine(i->m.op) && isa_effects(&i->m) & ISA_W_EXEC))
			return NULL;
		down = down && !touches(T, i, false, result);
		for (unsigned k = late->ndefs; k < late->m.nargs; k++)
			up = up && !touches(T, i, true, moved(T, late->m.arg[k]));
	}
	down = down && !touches(T, late, false, result);
	return down ? late : up && !touches(T, late, false, result) ? early : NULL;
}

/* ---- the pair ---- */

/* One source of the pair: the low half reads p, the high half q. */
static ir_opnd
source(twin *T, ir_opnd p, ir_opnd q)
{
	ir_opnd o = ir_part(ir_valop(T->f, p.reg), (unsigned)p.imm & ~1u, 2);

	o.mods = (uint8_t)((p.mods & P2A_NEG ? P2A_NEG : 0) | (q.mods & P2A_NEG ? P2A_NEG_HI : 0));
	o.sel = (uint8_t)((p.imm & 1 ? P2A_OP_SEL : 0) | (q.imm & 1 ? 0 : P2A_OP_HI));
	return o;
}

static void
put(twin *T, const form *a, const form *b, ir_opnd result, ir_inst *at, ir_inst *i)
{
	ir_builder B = { T->f, at->block, at, i->loc };
	ir_opnd arg[4] = { result };
	ir_inst *pk;

	for (unsigned k = 0; k < a->n; k++) {
		ir_opnd p = a->src[k], q = b->src[k];

		if (!in_one_pair(T, p, q)) {
			if (!T->now[p.reg].val)
				join(T, &(wish){ { p.reg, q.reg } }, ir_new_reg(T->f, IR_BANK_V, 2));
			p = moved(T, p);
			q = moved(T, q);
		}
		arg[k + 1] = source(T, p, q);
	}
	pk = ir_emit(&B, a->op, 1, a->n + 1, arg);
	pk->m.clamp = i->m.clamp;
	pk->fp = i->fp;
	pk->num = at->num;
}

/* Are a and b one operation, rounded alike? */
static bool
same_operation(const twin *T, const ir_inst *a, const ir_inst *b, form *x, form *y)
{
	return form_of(T, a, x) && form_of(T, b, y) && x->op == y->op && a->m.clamp == b->m.clamp && a->fp.rnd == b->fp.rnd &&
	       a->fp.ftz == b->fp.ftz && a->fp.sat == b->fp.sat;
}

/* One instruction for those that write the halves, if it can be. */
static void
grant(twin *T, const wish *w)
{
	ir_inst *a = T->def[w->v[LOW]], *b = T->def[w->v[HIGH]], *at;
	ir_opnd result = moved(T, ir_valop(T->f, w->v[LOW]));
	form x, y;

	if (!same_operation(T, a, b, &x, &y))
		return;
	at = a->num < b->num ? meeting(T, a, b) : meeting(T, b, a);
	if (!at || !fit(T, &x, &y))
		return;
	result.width = 2;
	put(T, &x, &y, result, at, a);
	ir_remove(a);
	ir_remove(b);
}

/* ---- where it begins ---- */

/* i writes the first half of a pair, and the next copy of a number the second one. */
static bool
is_made_of_two(const twin *T, const ir_inst *i)
{
	const ir_inst *j = i->next;
	ir_opnd d = i->m.arg[0], s = i->m.arg[1], e;

	if (i->m.op != P_copy || !j || j->m.op != P_copy || d.width != 1 || d.imm & 1)
		return false;
	e = j->m.arg[0];
	return e.reg == d.reg && e.imm == d.imm + 1 && e.width == 1 && !bit_has(&T->rewritten, d.reg) && ir_is_val(s) &&
	       ir_is_val(j->m.arg[1]) && s.reg != j->m.arg[1].reg && !s.imm && !j->m.arg[1].imm && is_free(T, s.reg, 1) &&
	       is_free(T, j->m.arg[1].reg, 1) && T->def[s.reg]->block == i->block && T->def[j->m.arg[1].reg]->block == i->block;
}

/* Would anything come of it? */
static bool
pays(const twin *T, const wish *w)
{
	ir_inst *a = T->def[w->v[LOW]], *b = T->def[w->v[HIGH]];
	form x, y;

	return same_operation(T, a, b, &x, &y) && fit(T, &x, &y) &&
	       (a->num < b->num ? meeting(T, a, b) : meeting(T, b, a));
}

static void
grant_all(twin *T)
{
	while (T->wishes.n) {
		wish w = T->wishes.a[--T->wishes.n];

		grant(T, &w);
	}
}

static void
begin(twin *T, ir_inst *i)
{
	wish w = { { i->m.arg[1].reg, i->next->m.arg[1].reg } };
	uint32_t whole = i->m.arg[0].reg;

	if (!pays(T, &w))
		return;
	ir_remove(i->next);
	if (T->f->vals.a[whole].dwords == 2) {
		ir_remove(i);
		join(T, &w, whole);
	} else {
		uint32_t pair = ir_new_reg(T->f, IR_BANK_V, 2);

		i->m.arg[0].width = 2;
		i->m.arg[1] = ir_valop(T->f, pair);
		join(T, &w, pair);
	}
	grant_all(T);
}

/* Another instruction of which i is a half, with sources that lie in pairs as they are. */
static ir_inst *
other_half(const twin *T, ir_inst *i)
{
	unsigned n = 0;
	form x, y;

	for (ir_inst *j = i->next; j && n++ < REACH; j = j->next)
		if (j->ndefs == 1 && ir_is_val(j->m.arg[0]) && is_free(T, j->m.arg[0].reg, 0) && same_operation(T, i, j, &x, &y) &&
		    fit(T, &x, &y) && !count_joins(T, &x, &y) && meeting(T, i, j))
			return j;
	return NULL;
}

/* Each pair made so puts more sources side by side for what comes behind it. */
static void
begin_at_sources(twin *T, ir_inst *i)
{
	ir_inst *j = is_free(T, i->m.arg[0].reg, 0) ? other_half(T, i) : NULL;

	if (!j)
		return;
	join(T, &(wish){ { i->m.arg[0].reg, j->m.arg[0].reg } }, ir_new_reg(T->f, IR_BANK_V, 2));
	grant_all(T);
}

static void
note(twin *T, ir_inst *i)
{
	for (unsigned k = 0; k < i->m.nargs; k++) {
		ir_opnd o = i->m.arg[k];

		if (!ir_is_val(o))
			continue;
		if (k >= i->ndefs) {
			T->copied[o.reg] += i->m.op == P_copy;
			continue;
		}
		T->def[o.reg] = bit_has(&T->defined, o.reg) || o.width != T->f->vals.a[o.reg].dwords ? NULL : i;
		bit_set(&T->defined, o.reg);
		if (ir_replaces_part(i))
			bit_set(&T->rewritten, o.reg);
	}
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		if (ir_is_val(i->phi[k]))
			T->copied[i->phi[k].reg]++;
}

/* From behind, so that most of what a value goes into is known. */
static void
visit(twin *T, ir_block *b)
{
	uint32_t num = 0;

	T->seeds.n = 0;
	for (ir_inst *i = b->first; i; i = i->next) {
		i->num = num++;
		if (is_made_of_two(T, i))
			*vec_push(T->f->A, &T->seeds) = i;
	}
	while (T->seeds.n) {
		ir_inst *i = T->seeds.a[--T->seeds.n];

		if (is_made_of_two(T, i))
			begin(T, i);
	}
	for (ir_inst *i = b->first; i; i = i->next) {
		form x;

		if (form_of(T, i, &x))
			*vec_push(T->f->A, &T->seeds) = i;
	}
	for (uint32_t k = 0; k < T->seeds.n; k++)
		begin_at_sources(T, T->seeds.a[k]);
}

void
p_twin(ir_func *f)
{
	twin T = { .f = f, .nvals = f->vals.n };

	if (!isa_has(f->target, OP_v_pk_fma_f32))
		return;
	T.def = arena_array(f->A, ir_inst *, f->vals.n);
	T.copied = arena_array(f->A, uint32_t, f->vals.n);
	T.now = arena_array(f->A, struct place, f->vals.n);
	T.defined = bitset_new(f->A, f->vals.n);
	T.rewritten = bitset_new(f->A, f->vals.n);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			note(&T, i);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		visit(&T, f->blocks.a[b]);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			for (unsigned k = i->ndefs; k < i->m.nargs; k++)
				i->m.arg[k] = moved(&T, i->m.arg[k]);
			for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
				i->phi[k] = moved(&T, i->phi[k]);
		}
	ir_count_uses(f);
}
