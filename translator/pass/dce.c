/* dce.c -- removes what nothing needs: pure operations, phis, plain loads.
 * Needs SSA form, generic or machine (where a value may be written in parts); leaves nuses and def
 * up to date. Everything is dead until something that must stay asks for it, so cycles of phis go
 * too. */
#include "pass/pass.h"

typedef struct def_site { ir_inst *i; uint32_t next; } def_site;

typedef struct dce {
	ir_func *f;
	VEC(def_site) sites;
	uint32_t *defs;         /* by value: list of sites; 0 ends it */
	bitset wanted;
	VEC(ir_inst *) work;
} dce;

static bool
is_plain_load(const ir_inst *i)
{
	return i->m.op == G_load && !i->mem.vol && i->mem.order == IR_WEAK;
}

static bool
must_stay(const ir_inst *i)
{
	return i->m.op != G_phi && !ir_is_pure(i) && !ir_is_convergent(i) && !is_plain_load(i);
}

static void
want(dce *d, ir_inst *i)
{
	if (i->num)
		return;
	i->num = 1;
	*vec_push(d->f->A, &d->work) = i;
}

static void
want_value(dce *d, ir_opnd o)
{
	if (!ir_is_val(o) || bit_has(&d->wanted, o.reg))
		return;
	bit_set(&d->wanted, o.reg);
	for (uint32_t s = d->defs[o.reg]; s; s = d->sites.a[s].next)
		want(d, d->sites.a[s].i);
}

static void
note_defs(dce *d, ir_inst *i)
{
	for (unsigned k = 0; k < i->ndefs; k++) {
		if (!ir_is_val(i->m.arg[k]))
			continue;
		*vec_push(d->f->A, &d->sites) = (def_site){ i, d->defs[i->m.arg[k].reg] };
		d->defs[i->m.arg[k].reg] = d->sites.n - 1;
	}
}

static void
note_all(dce *d)
{
	for (uint32_t b = 0; b < d->f->blocks.n; b++)
		for (ir_inst *i = d->f->blocks.a[b]->first; i; i = i->next) {
			i->num = 0;
			note_defs(d, i);
			if (must_stay(i))
				want(d, i);
		}
}

static void
mark(dce *d)
{
	while (d->work.n) {
		ir_inst *i = d->work.a[--d->work.n];

		for (unsigned k = 0; k < i->m.nargs; k++)
			want_value(d, i->m.arg[k]);
		for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
			want_value(d, i->phi[k]);
	}
}

void
p_dce(ir_func *f)
{
	dce d = { .f = f, .defs = arena_array(f->A, uint32_t, f->vals.n),
		.wanted = bitset_new(f->A, f->vals.n) };

	*vec_push(f->A, &d.sites) = (def_site){ 0 };
	note_all(&d);
	mark(&d);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			if (!i->num)
				ir_remove(i);
		}
	ir_count_uses(f);
}
