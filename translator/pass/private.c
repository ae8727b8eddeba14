/* private.c -- where in private memory a kernel's addresses point, and which of its loads give what was stored just before.
 * Debug builds keep what a program computes with in such slots. Needs generic SSA; leaves nothing.
 * Two answers. `at` may be trusted for what it excludes: an access that `at` does not take to a byte does not touch it, in
 * whatever order the kernel's blocks run. `held` is certain: it follows one block from a store to a load of the same bytes. */
#include "pass/pass.h"

/* So many pairs of loads and stores are looked at in each sweep; with more, each load may read each store. */
enum { PAIRS = 1 << 20 };

typedef struct ctx {
	ir_func *f;
	p_private *p;
	bool *sure;              /* by value: it is an address of private memory, whatever way lanes came */
	bool crowded;
	int64_t outside;         /* what addresses of private memory lie in other memory */
	VEC(const ir_inst *) stores, loads;
} ctx;

static int64_t
join(int64_t a, int64_t b)
{
	if (a == b || b == P_ELSEWHERE)
		return a;
	return a == P_ELSEWHERE ? b : P_ANYWHERE;
}

static int64_t
at(const ctx *c, ir_opnd o)
{
	return ir_is_val(o) ? c->p->at[o.reg] : P_ELSEWHERE;
}

static int64_t
moved(int64_t at, int64_t by)
{
	return at < 0 ? at : (int64_t)(uint32_t)(at + by);
}

int64_t
p_private_place(const p_private *p, const ir_inst *i)
{
	ir_opnd a = i->m.arg[i->ndefs];

	if (!p || (i->m.op != G_load && i->m.op != G_store))
		return P_ELSEWHERE;
	if (i->mem.space == IR_LOCAL)
		return ir_is_imm(a) ? (int64_t)(uint32_t)(a.imm + i->m.offset) : P_ANYWHERE;
	return i->mem.space == IR_GENERIC && ir_is_val(a) ? moved(p->at[a.reg], i->m.offset) : P_ELSEWHERE;
}

bool
p_private_meet(const p_private *p, const ir_inst *i, const ir_inst *j)
{
	int64_t a = p_private_place(p, i), b = p_private_place(p, j);

	if (a == P_ELSEWHERE || b == P_ELSEWHERE)
		return false;
	return a == P_ANYWHERE || b == P_ANYWHERE || (a < b + j->mem.bytes && b < a + i->mem.bytes);
}

/* ---- at ---- */

static int64_t
stored_at(const ctx *c, const ir_inst *load)
{
	int64_t place = p_private_place(c->p, load), all = c->outside;

	for (uint32_t k = 0; k < c->stores.n; k++) {
		const ir_inst *s = c->stores.a[k];
		int64_t v = at(c, s->m.arg[1]);

		if (v == P_ELSEWHERE || (!c->crowded && !p_private_meet(c->p, load, s)))
			continue;
		if (place != p_private_place(c->p, s) || load->mem.bytes != s->mem.bytes)
			v = P_ANYWHERE;
		all = join(all, v);
	}
	return all;
}

static int64_t
any_source(const ctx *c, const ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (at(c, i->m.arg[k]) != P_ELSEWHERE)
			return P_ANYWHERE;
	return P_ELSEWHERE;
}

static int64_t
points(const ctx *c, const ir_inst *i)
{
	const ir_opnd *a = i->m.arg;
	int64_t all = P_ELSEWHERE;

	switch (i->m.op) {
	case G_private_hi:
		return P_ANYWHERE;
	case G_phi:
		for (uint32_t k = 0; k < i->block->preds.n; k++)
			all = join(all, at(c, i->phi[k]));
		return all;
	case G_sel32: case G_sel64:
		return join(at(c, a[2]), at(c, a[3]));
	case G_copy32: case G_copy64:
		return at(c, a[1]);
	case G_pack64:
		return at(c, a[2]) != P_ELSEWHERE && ir_is_imm(a[1]) ? (int64_t)(uint32_t)a[1].imm : any_source(c, i);
	case G_add64:
		return ir_is_imm(a[2]) ? moved(at(c, a[1]), a[2].imm) : any_source(c, i);
	case G_load:
		return i->mem.space == IR_PARAM || i->mem.space == IR_CONST ? P_ELSEWHERE : stored_at(c, i);
	case G_atomic: case G_cas:
		return c->outside;
	default:
		return any_source(c, i);
	}
}

static bool
is_sure(const ctx *c, ir_opnd o)
{
	return ir_is_val(o) && c->sure[o.reg];
}

/* Is it private memory that the load or store i goes to, for certain? */
static bool
is_own(const ctx *c, const ir_inst *i)
{
	return i->mem.space == IR_LOCAL || (i->mem.space == IR_GENERIC && is_sure(c, i->m.arg[i->ndefs]));
}

/* What of private memory's addresses i puts into other memory. */
static int64_t
published(const ctx *c, const ir_inst *i)
{
	int64_t all = P_ELSEWHERE;

	if (i->m.op != G_atomic && i->m.op != G_cas && (i->m.op != G_store || is_own(c, i)))
		return all;
	for (unsigned k = i->ndefs + 1u; k < i->m.nargs; k++)
		all = join(all, at(c, i->m.arg[k]));
	return all;
}

static bool
sweep(ctx *c)
{
	int64_t was = c->outside;
	bool changed = false;

	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (const ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next) {
			int64_t v = i->ndefs ? points(c, i) : P_ELSEWHERE;

			c->outside = join(c->outside, published(c, i));
			for (unsigned k = 0; k < i->ndefs; k++) {
				uint32_t r = i->m.arg[k].reg;
				int64_t now = c->f->vals.a[r].dwords ? join(c->p->at[r], v) : P_ELSEWHERE;

				changed |= now != c->p->at[r];
				c->p->at[r] = now;
			}
		}
	return changed || c->outside != was;
}

/* ---- held ---- */

static bool
is_one_slot(const ctx *c, const ir_inst *i)
{
	return is_own(c, i) && p_private_place(c->p, i) >= 0;
}

/* The value that a load of whole words gives, if its block has stored it; else the load's own. */
static ir_opnd
held(const ctx *c, const ir_inst *load)
{
	int64_t place = p_private_place(c->p, load);
	unsigned steps = 256;

	if (!is_one_slot(c, load) || load->mem.bytes < 4 || load->mem.bytes > 8)
		return load->m.arg[0];
	for (const ir_inst *i = load->prev; i && steps--; i = i->prev) {
		if (i->m.op != G_store || !p_private_meet(c->p, load, i))
			continue;
		if (!is_one_slot(c, i) || p_private_place(c->p, i) != place || i->mem.bytes != load->mem.bytes)
			break;
		return ir_is_val(i->m.arg[1]) ? c->p->held[i->m.arg[1].reg] : i->m.arg[1];
	}
	return load->m.arg[0];
}

static bool
gives_sure(const ctx *c, const ir_inst *i)
{
	const ir_opnd *a = i->m.arg;

	switch (i->m.op) {
	case G_private_hi:
		return true;
	case G_hi32: case G_copy32: case G_copy64:
		return is_sure(c, a[1]);
	case G_pack64:
		return is_sure(c, a[2]);
	case G_add64:
		return is_sure(c, a[1]) || is_sure(c, a[2]);
	case G_load:
		return is_sure(c, c->p->held[a[0].reg]);
	default:
		return false;
	}
}

static void
find_sure(ctx *c, const ir_block *b)
{
	for (const ir_inst *i = b->first; i; i = i->next)
		if (i->ndefs)
			c->sure[i->m.arg[0].reg] = gives_sure(c, i);
}

static void
find_held(ctx *c, const ir_block *b)
{
	for (const ir_inst *i = b->first; i; i = i->next) {
		uint32_t r = i->ndefs ? i->m.arg[0].reg : 0;

		if (!r)
			continue;
		if (i->m.op == G_load)
			c->p->held[r] = held(c, i);
		c->sure[r] = gives_sure(c, i);
		if (i->m.op == G_load && c->sure[r])
			c->p->at[r] = at(c, c->p->held[r]);
		c->p->own[r] = i->m.op == G_load && is_own(c, i);
	}
}

/* ---- */

static bool
collect(ctx *c)
{
	bool any = false;

	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (const ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next) {
			any |= i->m.op == G_private_hi || ((i->m.op == G_load || i->m.op == G_store) && i->mem.space == IR_LOCAL);
			if (i->m.op == G_store && (i->mem.space == IR_GENERIC || i->mem.space == IR_LOCAL))
				*vec_push(c->f->A, &c->stores) = i;
			else if (i->m.op == G_load)
				*vec_push(c->f->A, &c->loads) = i;
		}
	return any;
}

p_private *
p_find_private(ir_func *f)
{
	ctx c = { .f = f, .outside = P_ELSEWHERE };

	if (!collect(&c))
		return NULL;
	c.crowded = (uint64_t)c.stores.n * c.loads.n > PAIRS;
	c.sure = arena_array(f->A, bool, f->vals.n);
	c.p = arena_array(f->A, p_private, 1);
	c.p->at = arena_array(f->A, int64_t, f->vals.n);
	c.p->own = arena_array(f->A, bool, f->vals.n);
	c.p->held = arena_array(f->A, ir_opnd, f->vals.n);
	for (uint32_t v = 1; v < f->vals.n; v++) {
		c.p->at[v] = P_ELSEWHERE;
		c.p->held[v] = ir_valop(f, v);
	}
	for (uint32_t b = 0; b < f->blocks.n; b++)
		find_sure(&c, f->blocks.a[b]);
	while (sweep(&c))
		;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		find_held(&c, f->blocks.a[b]);
	return c.p;
}

/* By value: does a load give it that may read private memory? NULL: none does. */
bool *
p_private_loads(ir_func *f)
{
	const p_private *p = p_find_private(f);
	bool *from = p ? arena_array(f->A, bool, f->vals.n) : NULL;

	for (uint32_t b = 0; p && b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			for (unsigned k = 0; k < i->ndefs; k++)
				from[i->m.arg[k].reg] = i->m.op == G_load && p_private_place(p, i) != P_ELSEWHERE;
	return from;
}
