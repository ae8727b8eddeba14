/* fold.c -- simpler instructions for the same values: constants, identities, rules of fold.h.
 * Needs generic SSA without unreachable blocks; leaves the same, with nuses, def and idom up to
 * date. Each round walks the kernel in reverse postorder with the facts known at its start, until
 * nothing changes; a value keeps its meaning, so facts stay true while instructions change. */
#include "pass/fold.h"

enum { ROUNDS = 12, REWRITES_PER_INST = 16 };

static const fold_width W32 = { G_add32, G_sub32, G_mul32, G_and32, G_or32, G_xor32, G_not32,
	G_shl32, G_lshr32, G_ashr32, G_sel32, 32, UINT32_MAX };
static const fold_width W64 = { G_add64, G_sub64, G_mul64, G_and64, G_or64, G_xor64, G_not64,
	G_shl64, G_lshr64, G_ashr64, G_sel64, 64, UINT64_MAX };
static const fold_width W1 = { .and = G_and1, .or = G_or1, .xor = G_xor1, .not = G_not1,
	.bits = 1, .mask = 1 };

const fold_width *
fold_width_by(unsigned dwords)
{
	return dwords == 2 ? &W64 : dwords ? &W32 : &W1;
}

/* Operands */

static void
resolve(fold *F, ir_opnd *o)
{
	uint8_t mods = o->mods;

	if (!ir_is_val(*o) || !F->same.a[o->reg].kind)
		return;
	while (ir_is_val(*o) && F->same.a[o->reg].kind)
		*o = F->same.a[o->reg];
	o->mods = mods;
}

ir_opnd
fold_src(fold *F, ir_inst *i, unsigned k)
{
	resolve(F, &i->m.arg[i->ndefs + k]);
	return i->m.arg[i->ndefs + k];
}

ir_inst *
fold_def(const fold *F, ir_opnd o, unsigned op)
{
	ir_inst *d = ir_is_val(o) && !o.mods ? F->f->vals.a[o.reg].def : NULL;

	return d && d->block && d->m.op == op ? d : NULL;
}

ir_inst *
fold_def_const(fold *F, ir_opnd o, unsigned op, uint64_t *c)
{
	ir_inst *d = fold_def(F, o, op);

	return d && fold_const(fold_src(F, d, 1), c) ? d : NULL;
}

static uint64_t
mask_of(unsigned dwords)
{
	return dwords == 0 ? 1 : dwords == 1 ? UINT32_MAX : UINT64_MAX;
}

bool
fold_const(ir_opnd o, uint64_t *x)
{
	if (!ir_is_imm(o) || o.mods)
		return false;
	*x = (uint64_t)o.imm & mask_of(o.width);
	return true;
}

bool
fold_is(ir_opnd o, uint64_t x)
{
	uint64_t c;

	return fold_const(o, &c) && c == (x & mask_of(o.width));
}

ir_opnd
fold_imm(unsigned dwords, uint64_t x)
{
	return dwords == 0 ? ir_i1(x & 1) : dwords == 1 ? ir_i32((uint32_t)x) : ir_i64(x);
}

ir_fact
fold_fact(const fold *F, ir_opnd o)
{
	return ir_fact_of(F->f, F->facts.a, o);
}

int
fold_decide(const fold *F, unsigned cc, ir_opnd a, ir_opnd b)
{
	ir_inst i = { .ndefs = 1, .cc = (uint8_t)cc, .m = { .nargs = 3, .arg = { { 0 }, a, b } } };
	ir_fact r;

	i.m.op = a.width == 2 ? G_icmp64 : G_icmp32;
	r = p_fact_of_inst(F->f, F->facts.a, &i);
	return ir_fact_is_const(r) ? (int)r.lo : -1;
}

bool
fold_single(const fold *F, ir_opnd o)
{
	return ir_is_val(o) && F->f->vals.a[o.reg].nuses <= 1;
}

int
fold_log2(uint64_t x)
{
	int n = 0;

	if (!x || x & (x - 1))
		return -1;
	for (; x > 1; x >>= 1)
		n++;
	return n;
}

/* Changes */

bool
fold_same(fold *F, ir_inst *i, ir_opnd o)
{
	F->same.a[i->m.arg[0].reg] = o;
	ir_remove(i);
	return true;
}

static bool
become(ir_inst *i, unsigned op, unsigned nsrc)
{
	i->m.op = (uint16_t)op;
	i->m.nargs = (uint8_t)(i->ndefs + nsrc);
	i->cc = 0;
	i->sem = 0;
	return true;
}

bool
fold_become1(ir_inst *i, unsigned op, ir_opnd a)
{
	i->m.arg[1] = a;
	return become(i, op, 1);
}

bool
fold_become2(ir_inst *i, unsigned op, ir_opnd a, ir_opnd b)
{
	i->m.arg[1] = a;
	i->m.arg[2] = b;
	return become(i, op, 2);
}

bool
fold_become3(ir_inst *i, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c)
{
	i->m.arg[1] = a;
	i->m.arg[2] = b;
	i->m.arg[3] = c;
	return become(i, op, 3);
}

bool
fold_compare(ir_inst *i, unsigned op, unsigned cc, ir_opnd a, ir_opnd b)
{
	fold_become2(i, op, a, b);
	i->cc = (uint8_t)cc;
	return true;
}

static ir_opnd
generate(fold *F, unsigned op, unsigned n, const ir_opnd *src, const ir_inst *like)
{
	ir_opnd o = ir_gen(&F->B, op, n, src);

	if (!ir_is_val(o))
		return o;
	*vec_push(F->f->A, &F->same) = (ir_opnd){ 0 };
	*vec_push(F->f->A, &F->facts) = ir_fact_none(o.width);
	if (like)
		ir_last(&F->B)->cc = like->cc, ir_last(&F->B)->fp = like->fp;
	F->facts.a[o.reg] = p_fact_of_inst(F->f, F->facts.a, ir_last(&F->B));
	F->f->vals.a[o.reg].nuses = 1;
	return o;
}

ir_opnd
fold_gen_like(fold *F, const ir_inst *compare)
{
	return generate(F, compare->m.op, 2, &compare->m.arg[1], compare);
}

ir_opnd
fold_gen1(fold *F, unsigned op, ir_opnd a)
{
	return generate(F, op, 1, &a, NULL);
}

ir_opnd
fold_gen2(fold *F, unsigned op, ir_opnd a, ir_opnd b)
{
	return generate(F, op, 2, (ir_opnd[]){ a, b }, NULL);
}

ir_opnd
fold_gen3(fold *F, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c)
{
	return generate(F, op, 3, (ir_opnd[]){ a, b, c }, NULL);
}

ir_opnd
fold_gen4(fold *F, unsigned op, const ir_opnd src[4])
{
	return generate(F, op, 4, src, NULL);
}

ir_opnd
fold_half(fold *F, ir_opnd o, unsigned high)
{
	ir_inst *pack = fold_def(F, o, G_pack64);

	if (ir_is_imm(o))
		return ir_part(o, high, 1);
	return pack ? fold_src(F, pack, high) : fold_gen1(F, high ? G_hi32 : G_lo32, o);
}

/* Rules for all operations */

/* unit: the source 1 that changes nothing; same: what the operation makes of two equal sources. */
enum { NOTHING, ITSELF, ZERO };
static const struct identity { uint16_t op; bool has_unit; uint8_t same; int64_t unit; } identities[] = {
	{ G_and1, 1, ITSELF, 1 }, { G_or1, 1, ITSELF, 0 }, { G_xor1, 1, ZERO, 0 },
	{ G_add32, 1, NOTHING, 0 }, { G_sub32, 1, ZERO, 0 }, { G_mul32, 1, NOTHING, 1 },
	{ G_and32, 1, ITSELF, -1 }, { G_or32, 1, ITSELF, 0 }, { G_xor32, 1, ZERO, 0 },
	{ G_shl32, 1, NOTHING, 0 }, { G_lshr32, 1, NOTHING, 0 }, { G_ashr32, 1, NOTHING, 0 },
	{ G_min_u32, 1, ITSELF, -1 }, { G_max_u32, 1, ITSELF, 0 },
	{ G_min_s32, 1, ITSELF, INT32_MAX }, { G_max_s32, 1, ITSELF, INT32_MIN },
	{ G_add64, 1, NOTHING, 0 }, { G_sub64, 1, ZERO, 0 }, { G_mul64, 1, NOTHING, 1 },
	{ G_and64, 1, ITSELF, -1 }, { G_or64, 1, ITSELF, 0 }, { G_xor64, 1, ZERO, 0 },
	{ G_shl64, 1, NOTHING, 0 }, { G_lshr64, 1, NOTHING, 0 }, { G_ashr64, 1, NOTHING, 0 },
};

static bool
apply_identity(fold *F, ir_inst *i, const struct identity *id)
{
	ir_opnd a = i->m.arg[1], b = i->m.arg[2];

	if (id->has_unit && fold_is(b, (uint64_t)id->unit))
		return fold_same(F, i, a);
	if (id->same && ir_same(a, b))
		return fold_same(F, i, id->same == ITSELF ? a : fold_imm(i->m.arg[0].width, 0));
	return false;
}

static bool
by_evaluation(fold *F, ir_inst *i)
{
	uint64_t v[4] = { 0 }, r;
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (!(g->flags & IR_PURE) || !g->nsrc)
		return false;
	for (unsigned k = 0; k < g->nsrc; k++)
		if (!fold_const(i->m.arg[1 + k], &v[k]))
			return false;
	return ir_eval(i, v, &r) && fold_same(F, i, fold_imm(i->m.arg[0].width, r));
}

/* Pure operations and phis whose facts leave one value. */
static bool
by_fact(fold *F, ir_inst *i)
{
	ir_fact r;

	if (i->ndefs != 1 || i->m.arg[0].width > 2 || !(ir_is_pure(i) || i->m.op == G_phi))
		return false;
	r = F->facts.a[i->m.arg[0].reg];
	return ir_fact_is_const(r) && fold_same(F, i, fold_imm(i->m.arg[0].width, r.lo));
}

static bool
is_integer_commutative(const ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	return (g->flags & (IR_COMM | IR_FP)) == IR_COMM;
}

static bool
constant_right(ir_inst *i)
{
	ir_opnd a = i->m.arg[1];

	if (!is_integer_commutative(i) || !ir_is_imm(a) || ir_is_imm(i->m.arg[2]))
		return false;
	i->m.arg[1] = i->m.arg[2];
	i->m.arg[2] = a;
	return true;
}

static bool
forward_copy(fold *F, ir_inst *i)
{
	bool copy = i->m.op == G_copy1 || i->m.op == G_copy32 || i->m.op == G_copy64;

	return copy && fold_same(F, i, i->m.arg[1]);
}

/* The table */

typedef struct row { uint16_t op; fold_rule *rule; } row;
static const row rows[] = {
#define FOLD(op, rule) { G_##op, rule },
#define W(op, rule) { G_##op##32, rule }, { G_##op##64, rule },
	FOLD_RULES(FOLD, W)
#undef FOLD
#undef W
};

typedef struct table {
	/* rows of an op, counted from 1; 0 ends */
	uint16_t first[P_entry - IR_G_BASE], next[COUNT(rows) + 1];
	uint16_t identity[P_entry - IR_G_BASE];
} table;

static void
index_rows(table *t)
{
	for (unsigned k = COUNT(rows); k > 0; k--) {
		t->next[k] = t->first[rows[k - 1].op - IR_G_BASE];
		t->first[rows[k - 1].op - IR_G_BASE] = (uint16_t)k;
	}
	for (unsigned k = 0; k < COUNT(identities); k++)
		t->identity[identities[k].op - IR_G_BASE] = (uint16_t)(k + 1);
}

static bool
simplify(fold *F, const table *t, ir_inst *i)
{
	unsigned op = i->m.op - IR_G_BASE, id = t->identity[op];

	if (forward_copy(F, i) || by_evaluation(F, i) || by_fact(F, i) || constant_right(i))
		return true;
	if (id && apply_identity(F, i, &identities[id - 1]))
		return true;
	for (unsigned k = t->first[op]; k; k = t->next[k])
		if (rows[k - 1].rule(F, i))
			return true;
	return false;
}

/* The walk */

static void
resolve_all(fold *F, ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
		resolve(F, &i->m.arg[k]);
		i->m.arg[k] = ir_plain_const(i->m.op, i->m.arg[k]);
	}
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		resolve(F, &i->phi[k]);
}

/* What a rule has put in front is looked at before the instruction itself is again. */
static ir_inst *
step(fold *F, const table *t, ir_inst *i)
{
	ir_inst *prev = i->prev, *next = i->next;
	ir_block *b = i->block;

	F->B = (ir_builder){ F->f, b, i, i->loc };
	resolve_all(F, i);
	if (!F->budget || !simplify(F, t, i))
		return next;
	F->budget--;
	F->changed = true;
	return prev ? prev->next : b->first;
}

static void
fold_block(fold *F, const table *t, ir_block *b)
{
	for (ir_inst *i = b->first; i; )
		i = step(F, t, i);
}

static void
count_halves(fold *F, const ir_inst *i)
{
	if ((i->m.op != G_lo32 && i->m.op != G_hi32) || !ir_is_val(i->m.arg[1]))
		return;
	(i->m.op == G_lo32 ? F->low_uses : F->high_uses)[i->m.arg[1].reg]++;
}

static void
prepare(fold *F)
{
	ir_func *f = F->f;
	uint32_t n = 0;

	ir_dominators(f);
	ir_count_uses(f);
	F->nuses = F->same.n = F->same.cap = F->facts.n = F->facts.cap = f->vals.n;
	F->facts.a = p_facts(f);
	F->same.a = arena_array(f->A, ir_opnd, f->vals.n);
	F->low_uses = arena_array(f->A, uint32_t, f->vals.n);
	F->high_uses = arena_array(f->A, uint32_t, f->vals.n);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next, n++)
			count_halves(F, i);
	F->budget = n > UINT32_MAX / REWRITES_PER_INST ? UINT32_MAX : n * REWRITES_PER_INST;
	F->changed = F->edges_changed = false;
}

static bool
round_of_folds(fold *F, const table *t)
{
	uint32_t n;
	ir_block **order = ir_rpo(F->f, &n);

	prepare(F);
	for (uint32_t k = 0; k < n; k++)
		fold_block(F, t, order[k]);
	for (uint32_t k = 0; k < n; k++)
		for (ir_inst *i = order[k]->first; i && i->m.op == G_phi; i = i->next)
			resolve_all(F, i);
	if (F->edges_changed)
		ir_prune(F->f);
	p_dce(F->f);
	return F->changed;
}

/* Straight lines: a block with one successor takes in that successor if nothing else goes there. */
static bool
takes_in(const ir_func *f, const ir_block *b)
{
	const ir_block *s = b->succs.n == 1 ? b->succs.a[0] : NULL;

	return s && s != b && s != f->entry && s->preds.n == 1 &&
		(!s->first || s->first->m.op != G_phi);
}

static void
take_in(ir_block *b)
{
	ir_block *s = b->succs.a[0];

	ir_remove(b->last);
	while (s->first) {
		ir_inst *i = s->first;

		ir_remove(i);
		ir_insert(b, NULL, i);
	}
	b->succs = s->succs;
	for (uint32_t k = 0; k < b->succs.n; k++)
		for (uint32_t p = 0; p < b->succs.a[k]->preds.n; p++)
			if (b->succs.a[k]->preds.a[p] == s)
				b->succs.a[k]->preds.a[p] = b;
	s->preds.n = s->succs.n = 0;
}

static void
join_blocks(ir_func *f)
{
	uint32_t n;
	ir_block **order = ir_rpo(f, &n);

	for (uint32_t k = 0; k < n; k++)
		while (takes_in(f, order[k]))
			take_in(order[k]);
	ir_prune(f);
}

void
p_fold(ir_func *f)
{
	fold F = { .f = f };
	table t = { .first = { 0 } };

	index_rows(&t);
	for (unsigned k = 0; k < ROUNDS && round_of_folds(&F, &t); k++)
		;
	join_blocks(f);
	ir_dominators(f);
	ir_count_uses(f);
}
