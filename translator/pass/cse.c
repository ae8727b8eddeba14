/* cse.c -- computes equal things once: value numbering down the dominator tree.
 * Needs generic SSA; leaves uses pointed at the first equal instruction (the later ones removed),
 * nuses and def up to date. Briggs, Cooper, Simpson, "Value Numbering" (1997). */
#include "pass/pass.h"

typedef struct entry { ir_inst *i; uint32_t hash, next; } entry;

typedef struct cse {
	ir_func *f;
	VEC(entry) entries;
	uint32_t *slot, mask;
	ir_opnd *same;          /* by value: what it was found to equal; kind 0 if nothing */
} cse;

/* Memory that no store of the kernel changes. */
static bool
is_constant_load(const ir_inst *i)
{
	return i->m.op == G_load && ir_reads_constant(i) && !i->mem.vol && i->mem.order == IR_WEAK;
}

static bool
is_candidate(const ir_inst *i)
{
	return i->m.op == G_phi || ir_is_pure(i) || ir_is_convergent(i) || is_constant_load(i);
}

static uint32_t
mix(uint32_t h, uint64_t x)
{
	uint64_t y = (h ^ x) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(y ^ y >> 32);
}

static uint32_t
hash_opnd(uint32_t h, ir_opnd o)
{
	h = mix(h, (uint64_t)o.kind << 40 | (uint64_t)o.mods << 32 | o.reg);
	return mix(h, (uint64_t)o.imm);
}

static uint32_t
hash_inst(const ir_inst *i)
{
	uint32_t h = mix(i->m.op, (uint64_t)i->cc << 32 | (uint32_t)i->m.offset);

	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		h = hash_opnd(h, i->m.arg[k]);
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		h = hash_opnd(h, i->phi[k]);
	return i->m.op == G_phi ? mix(h, i->block->id) : h;
}

static bool
same_attributes(const ir_inst *a, const ir_inst *b)
{
	return a->m.op == b->m.op && a->cc == b->cc && a->sem == b->sem &&
		a->m.offset == b->m.offset &&
	       a->fp.rnd == b->fp.rnd && a->fp.ftz == b->fp.ftz && a->fp.sat == b->fp.sat &&
	       a->mem.space == b->mem.space && a->mem.bytes == b->mem.bytes &&
	       a->mem.sext == b->mem.sext && a->m.arg[0].width == b->m.arg[0].width;
}

static bool
same_inst(const ir_inst *a, const ir_inst *b)
{
	if (!same_attributes(a, b) || a->m.nargs != b->m.nargs)
		return false;
	for (unsigned k = a->ndefs; k < a->m.nargs; k++)
		if (!ir_same(a->m.arg[k], b->m.arg[k]))
			return false;
	if (a->m.op != G_phi)
		return true;
	for (uint32_t k = 0; k < a->block->preds.n; k++)
		if (a->block != b->block || !ir_same(a->phi[k], b->phi[k]))
			return false;
	return true;
}

static void
resolve(const cse *c, ir_opnd *o)
{
	uint8_t mods = o->mods;

	if (!ir_is_val(*o) || !c->same[o->reg].kind)
		return;
	*o = c->same[o->reg];
	o->mods = mods;
}

/* Sources in one order: values by number, constants last. */
static bool
out_of_order(ir_opnd a, ir_opnd b)
{
	if (a.kind != b.kind)
		return ir_is_imm(a);
	if (a.reg != b.reg)
		return a.reg > b.reg;
	return a.imm != b.imm ? a.imm > b.imm : a.mods > b.mods;
}

static void
order_sources(ir_inst *i)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);
	ir_opnd *s = &i->m.arg[i->ndefs], t = s[0];

	if (!g || !(g->flags & IR_COMM) || !out_of_order(s[0], s[1]))
		return;
	s[0] = s[1];
	s[1] = t;
}

/* The walk is in preorder: an entry whose block does not dominate this one never will again. */
static ir_inst *
look_up(cse *c, const ir_inst *i, uint32_t h)
{
	uint32_t *at = &c->slot[h & c->mask];

	while (*at) {
		entry *e = &c->entries.a[*at];

		if (!ir_dominates(e->i->block, i->block)) {
			*at = e->next;
			continue;
		}
		if (e->hash == h && same_inst(e->i, i) && (e->i->block == i->block || !ir_is_convergent(i)))
			return e->i;
		at = &e->next;
	}
	return NULL;
}

static void
visit(cse *c, ir_inst *i)
{
	uint32_t h;
	ir_inst *old;

	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		resolve(c, &i->m.arg[k]);
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		resolve(c, &i->phi[k]);
	if (i->ndefs != 1 || !is_candidate(i))
		return;
	order_sources(i);
	h = hash_inst(i);
	old = look_up(c, i, h);
	if (old) {
		c->same[i->m.arg[0].reg] = old->m.arg[0];
		ir_remove(i);
		return;
	}
	*vec_push(c->f->A, &c->entries) = (entry){ i, h, c->slot[h & c->mask] };
	c->slot[h & c->mask] = c->entries.n - 1;
}

/* Sources along back edges were met before what they come from. */
static void
resolve_phis(cse *c)
{
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (ir_inst *i = c->f->blocks.a[b]->first; i && i->m.op == G_phi; i = i->next)
			for (uint32_t k = 0; k < i->block->preds.n; k++)
				resolve(c, &i->phi[k]);
}

static uint32_t
table_size(const ir_func *f)
{
	uint32_t n = 64;

	while (n < f->vals.n && n < 1u << 24)
		n *= 2;
	return n;
}

void
p_cse(ir_func *f)
{
	cse c = { .f = f, .mask = table_size(f) - 1 };
	ir_block **tree = arena_array(f->A, ir_block *, f->blocks.n);

	ir_dominators(f);
	c.slot = arena_array(f->A, uint32_t, (size_t)c.mask + 1);
	c.same = arena_array(f->A, ir_opnd, f->vals.n);
	*vec_push(f->A, &c.entries) = (entry){ 0 };
	for (uint32_t b = 0; b < f->blocks.n; b++)
		if (f->blocks.a[b]->dom_in < f->blocks.n)
			tree[f->blocks.a[b]->dom_in] = f->blocks.a[b];
	for (uint32_t b = 0; b < f->blocks.n && tree[b]; b++)
		for (ir_inst *i = tree[b]->first, *next; i; i = next) {
			next = i->next;
			visit(&c, i);
		}
	resolve_phis(&c);
	ir_count_uses(f);
}
