/* licm.c -- what a loop computes anew in every turn is computed before it.
 * Needs generic SSA in normal form (pass normalize) with val.divergent; leaves pure operations, and loads of memory that the
 * kernel does not change, in the preheader of the outermost loop that does not change their sources, as far as registers
 * suffice. val.divergent stays true: the sources were the same in all lanes at the use, so they are where they come from.
 * And the same for what select adds (p_hoist, on machine SSA): moves of constants, and of scalars to vector registers. Equal
 * ones in one preheader become one. */
#include "pass/pressure.h"

/* Registers that a loop may fill; beyond them fewer waves run, or values are spilled. */
enum { MOST = 64 };

typedef struct licm {
	ir_func *f;
	uint32_t (*peak)[PR_NBANKS]; /* by header id: dwords live at once anywhere in the loop */
	uint32_t limit[PR_NBANKS];
	uint32_t *now;           /* by value: which other one is read instead; 0: itself */
	VEC(ir_inst *) moved;
} licm;

static void
find_peaks(licm *c, const pressure *p)
{
	uint64_t *scratch = arena_array(c->f->A, uint64_t, p->words);

	for (uint32_t b = 0; b < c->f->blocks.n; b++) {
		const ir_block *at = c->f->blocks.a[b];
		uint32_t peak[PR_NBANKS];

		if (!at->loop)
			continue;
		pr_peak(p, at, scratch, peak);
		for (const ir_block *l = at->loop; l; l = l->outer)
			for (unsigned k = 0; k < PR_NBANKS; k++)
				c->peak[l->id][k] = MAX(c->peak[l->id][k], peak[k]);
	}
}

/* ---- what may leave ---- */

static bool
in_loop(const ir_block *b, const ir_block *l)
{
	const ir_block *x = b->loop;

	while (x && x != l)
		x = x->outer;
	return x != NULL;
}

static ir_block *
preheader(const ir_block *h)
{
	ir_block *p = NULL;

	for (uint32_t k = 0; k < h->preds.n; k++) {
		if (ir_dominates(h, h->preds.a[k]))
			continue;
		if (p)
			return NULL;
		p = h->preds.a[k];
	}
	return p && p->succs.n == 1 && !p->irreducible ? p : NULL;
}

/* Memory that no store of the kernel changes. */
static bool
is_constant_load(const ir_inst *i)
{
	return i->m.op == G_load && ir_reads_constant(i) && !i->mem.vol && i->mem.order == IR_WEAK;
}

/* Does whoever enters loop l come to b before it leaves? Where not, a load might be of an address that there is not. */
static bool
always_runs(const licm *c, const ir_block *b, const ir_block *l)
{
	for (uint32_t k = l->id; k < c->f->blocks.n && in_loop(c->f->blocks.a[k], l); k++) {
		const ir_block *x = c->f->blocks.a[k];
		bool leaves = false;

		for (uint32_t s = 0; s < x->succs.n; s++)
			leaves |= x->succs.a[s] == l || !in_loop(x->succs.a[s], l);
		if (leaves && !ir_dominates(b, x))
			return false;
	}
	return true;
}

/* Costs no instruction: looked through by select, or there from the start. */
static bool
is_free(const ir_inst *i)
{
	switch (i->m.op) {
	case G_lo32: case G_hi32: case G_word: case G_pack64: case G_copy32: case G_copy64:
		return true;
	default:
		return false;
	}
}

/* A uniform comparison is best just before its branch or select (SCC). */
static bool
may_leave(const licm *c, const ir_inst *i)
{
	const ir_val *v = i->ndefs == 1 ? &c->f->vals.a[i->m.arg[0].reg] : NULL;

	if (!v || v->dwords > 2 || (!v->dwords && !v->divergent))
		return false;
	if (i->m.op == G_special || i->m.op == G_kernarg || i->m.op == G_copy1)
		return false;
	return (ir_is_pure(i) && !ir_is_convergent(i)) || is_constant_load(i);
}

static bool
is_invariant(const licm *c, const ir_inst *i, const ir_block *l)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
		const ir_inst *d = ir_is_val(i->m.arg[k]) ? c->f->vals.a[i->m.arg[k].reg].def : i;

		if (!d || (d != i && in_loop(d->block, l)))
			return false;
	}
	return true;
}

static bool
has_room(const licm *c, const ir_inst *i, const ir_block *l)
{
	const ir_val *v = &c->f->vals.a[i->m.arg[0].reg];
	unsigned bank = pr_bank(v);

	return is_free(i) || c->peak[l->id][bank] + pr_dwords(c->f, v) <= c->limit[bank];
}

static void
hoist(licm *c, ir_inst *i)
{
	const ir_val *v = &c->f->vals.a[i->m.arg[0].reg];
	ir_block *to = NULL;

	for (const ir_block *l = i->block->loop; l; l = l->outer) {
		ir_block *p = preheader(l);

		if (!p || !is_invariant(c, i, l) || !has_room(c, i, l))
			break;
		if (i->m.op == G_load && !always_runs(c, i->block, l))
			break;
		c->peak[l->id][pr_bank(v)] += is_free(i) ? 0 : pr_dwords(c->f, v);
		to = p;
	}
	if (!to)
		return;
	ir_remove(i);
	ir_insert(to, to->last, i);
	*vec_push(c->f->A, &c->moved) = i;
}

static bool
any_loop(const ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (f->blocks.a[b]->loop)
			return true;
	return false;
}

/* Finds the loops and what is alive in them; false: there are none, or too much. */
static bool
begin(licm *c)
{
	pressure p;

	ir_dominators(c->f);
	ir_loops(c->f);
	ir_count_uses(c->f);
	if (!any_loop(c->f) || !pr_find(&p, c->f))
		return false;
	c->peak = arena_alloc(c->f->A, c->f->blocks.n * sizeof *c->peak);
	find_peaks(c, &p);
	return true;
}

static void
hoist_all(licm *c, bool (*may)(const licm *, const ir_inst *))
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (i->block->loop && !i->block->irreducible && may(c, i))
				hoist(c, i);
		}
}

void
p_licm(ir_func *f)
{
	licm c = { .f = f, .limit = { MOST, MOST } };

	if (begin(&c))
		hoist_all(&c, may_leave);
}

/* ---- moves ---- */

/* A constant into a register, or a scalar into a vector register, all of it. */
static bool
is_move(const licm *c, const ir_inst *i)
{
	const p2a_inst *m = &i->m;
	const ir_opnd *d = &m->arg[0], *s = &m->arg[1];
	const ir_val *v;

	if (m->op != OP_v_mov_b32 && m->op != OP_s_mov_b32 && m->op != OP_s_mov_b64 && m->op != P_copy)
		return false;
	if (m->enc != P2A_ENC_AUTO || s->mods || s->sel || ir_is_glued(i) || !ir_is_val(*d))
		return false;
	v = &c->f->vals.a[d->reg];
	if (v->def != i || v->is_mask || d->width != v->dwords)
		return false;
	if (ir_is_imm(*s))
		return true;
	return ir_is_val(*s) && v->bank == IR_BANK_V && c->f->vals.a[s->reg].bank == IR_BANK_S && !c->f->vals.a[s->reg].is_mask;
}

static bool
same_move(const ir_inst *a, const ir_inst *b)
{
	return a->block == b->block && a->m.op == b->m.op && a->m.arg[0].width == b->m.arg[0].width && ir_same(a->m.arg[1], b->m.arg[1]);
}

/* Moves of one preheader that do the same become one. */
static void
unite(licm *c)
{
	for (uint32_t k = 0; k < c->moved.n; k++)
		for (uint32_t j = 0; j < k && !c->now[c->moved.a[k]->m.arg[0].reg]; j++)
			if (c->moved.a[j]->block && same_move(c->moved.a[j], c->moved.a[k])) {
				c->now[c->moved.a[k]->m.arg[0].reg] = c->moved.a[j]->m.arg[0].reg;
				ir_remove(c->moved.a[k]);
				c->moved.a[k]->block = NULL;
			}
}

static void
read_instead(const licm *c, ir_opnd *o)
{
	if (ir_is_val(*o) && c->now[o->reg])
		o->reg = c->now[o->reg];
}

static void
redirect(const licm *c)
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next) {
			for (unsigned k = i->ndefs; k < i->m.nargs; k++)
				read_instead(c, &i->m.arg[k]);
			for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
				read_instead(c, &i->phi[k]);
		}
}

void
p_hoist(ir_func *f)
{
	licm c = { .f = f, .limit = { MOST, f->max_vgprs ? MIN(f->max_vgprs / 2, (uint32_t)MOST) : MOST } };

	if (!begin(&c))
		return;
	c.now = arena_array(f->A, uint32_t, f->vals.n);
	hoist_all(&c, is_move);
	unite(&c);
	redirect(&c);
	ir_count_uses(f);
}
