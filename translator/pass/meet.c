/* meet.c -- which kinds of .sync lanes of one mask may execute at different places, or at different times.
 * Lanes that execute .sync of one kind (with the same qualifiers) and one mask wait for each other wherever they stand (9.7.9.6); but those of a
 * wave have one program counter: they are together where their ways join. So a kind is apart if one of its instructions stands where
 * others of its kind may still be ahead of lanes that are elsewhere, but for masks that name nobody elsewhere.
 * Needs generic SSA in normal form with block.divergent for waves of one warp, dominators; leaves nothing.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.6, 9.7.13.2, 9.7.13.9. */
#include "pass/gate.h"

/* So much is looked at for where masks were made; then masks may name anybody. */
enum { MAX_LOOKS = 1 << 22, MAX_MAKERS = 8, MAX_STEPS = 32 };

typedef struct ctx {
	ir_func *f;
	const p_private *p;      /* what debug builds keep in memory; NULL: nothing */
	const bool *heeded;      /* by block: holds an instruction of the kind */
	bool strangers;          /* a ballot may have counted lanes that are elsewhere */
	uint32_t looks;          /* at values and blocks, for that */
} ctx;

/* The blocks that made a mask of the lanes that were there, whichever way it came. */
typedef struct makers {
	ir_block *b[MAX_MAKERS];
	ir_inst *ballot[MAX_MAKERS];
	uint32_t n, nseen;
	const ir_inst *seen[MAX_STEPS];
} makers;

static const ir_inst *
def(const ctx *c, ir_opnd o)
{
	if (ir_is_val(o) && c->p)
		o = c->p->held[o.reg];
	return ir_is_val(o) ? c->f->vals.a[o.reg].def : NULL;
}

/* Was the mask made of the lanes that are in block b? Then it names nobody elsewhere. */
static bool
made_in(ctx *c, ir_opnd mask, const ir_block *b)
{
	const ir_inst *d = def(c, mask);

	if (c->looks++ >= MAX_LOOKS)
		return false;
	if (d && d->m.op == G_and32)
		return made_in(c, d->m.arg[1], b) || made_in(c, d->m.arg[2], b);
	return d && d->m.op == G_ballot && d->block == b;
}

static bool find_makers(ctx *, ir_opnd mask, makers *);

static bool
made_by_phi(ctx *c, const ir_inst *phi, makers *m)
{
	for (uint32_t k = 0; k < phi->block->preds.n; k++)
		if (ir_is_imm(phi->phi[k]) ? gate_names_many(phi->phi[k]) : !find_makers(c, phi->phi[k], m))
			return false;
	return true;
}

static bool
made_by_and(ctx *c, const ir_inst *d, makers *m)
{
	makers was = *m;

	if (find_makers(c, d->m.arg[1], m))
		return true;
	*m = was;
	return find_makers(c, d->m.arg[2], m);
}

static bool
made_by_ballot(const ir_inst *d, makers *m)
{
	if (m->n == MAX_MAKERS)
		return false;
	m->ballot[m->n] = (ir_inst *)d;
	m->b[m->n++] = d->block;
	return true;
}

/* False: it may have been made in another way. */
static bool
find_makers(ctx *c, ir_opnd mask, makers *m)
{
	const ir_inst *d = def(c, mask);

	for (uint32_t k = 0; k < m->nseen; k++)
		if (m->seen[k] == d)
			return true;
	if (!d || m->nseen == MAX_STEPS || c->looks++ >= MAX_LOOKS)
		return false;
	m->seen[m->nseen++] = d;
	switch (d->m.op) {
	case G_phi:    return made_by_phi(c, d, m);
	case G_and32:  return made_by_and(c, d, m);
	case G_copy32: return find_makers(c, d->m.arg[1], m);
	case G_ballot: return made_by_ballot(d, m);
	default:       return false;
	}
}

static bool
is_maker(const makers *m, const ir_block *b)
{
	for (uint32_t k = 0; k < m->n; k++)
		if (m->b[k] == b)
			return true;
	return false;
}

/* The one way on for lanes that a ballot counted, if its block branches by what it counted; else -1. */
static int
way_of_counted(const ctx *c, const ir_inst *ballot)
{
	const ir_inst *t = ir_terminator(ballot->block), *d;
	ir_opnd counted = ballot->m.arg[1], cond = t->m.arg[0];
	int way = 0;

	if (t->m.op != G_cbr || !ir_is_val(counted) || !ir_is_val(cond))
		return -1;
	for (d = def(c, counted); d && d->m.op == G_not1 && ir_is_val(d->m.arg[1]); d = def(c, counted)) {
		counted = d->m.arg[1];
		way ^= 1;
	}
	for (d = def(c, cond); d && d->m.op == G_not1 && ir_is_val(d->m.arg[1]); d = def(c, cond)) {
		cond = d->m.arg[1];
		way ^= 1;
	}
	return counted.reg == cond.reg ? way : -1;
}

typedef VEC(ir_block *) blocks;

/* Blocks that lanes come to which leave the makers, up to where a mask is made anew. */
static bool *
behind_makers(const ctx *c, const makers *m)
{
	bool *met = arena_array(c->f->A, bool, c->f->blocks.n);
	blocks todo = { 0 };

	for (uint32_t k = 0; k < m->n; k++) {
		int way = way_of_counted(c, m->ballot[k]);

		for (uint32_t s = 0; s < m->b[k]->succs.n; s++)
			if (way < 0 || way == (int)s)
				*vec_push(c->f->A, &todo) = m->b[k]->succs.a[s];
	}
	while (todo.n) {
		ir_block *b = todo.a[--todo.n];

		if (met[b->id] || is_maker(m, b))
			continue;
		met[b->id] = true;
		for (uint32_t s = 0; s < b->succs.n; s++)
			*vec_push(c->f->A, &todo) = b->succs.a[s];
	}
	return met;
}

/* Blocks from which lanes come to b without a mask made anew, the makers among them. */
static bool *
before_use(const ctx *c, const makers *m, const ir_block *b)
{
	bool *met = arena_array(c->f->A, bool, c->f->blocks.n);
	blocks todo = { 0 };

	for (uint32_t k = 0; k < b->preds.n; k++)
		*vec_push(c->f->A, &todo) = b->preds.a[k];
	while (todo.n) {
		ir_block *x = todo.a[--todo.n];

		if (met[x->id])
			continue;
		met[x->id] = true;
		for (uint32_t k = 0; k < x->preds.n && !is_maker(m, x); k++)
			*vec_push(c->f->A, &todo) = x->preds.a[k];
	}
	return met;
}

/* Lanes that made their mask together: have they parted when some are at b? Only branches on their way from there to here do that. */
static bool
part_since(ctx *c, const makers *m, const ir_block *b)
{
	uint32_t n = c->f->blocks.n;
	const bool *behind = behind_makers(c, m), *before = before_use(c, m, b), *parted;
	bool *was = arena_array(c->f->A, bool, n);

	for (uint32_t k = 0; k < n; k++) {
		was[k] = c->f->blocks.a[k]->divergent;
		c->f->blocks.a[k]->divergent &= before[k] && behind[k];
	}
	for (uint32_t k = 0; k < m->n; k++)
		m->b[k]->divergent |= was[m->b[k]->id] && before[m->b[k]->id] && way_of_counted(c, m->ballot[k]) < 0;
	parted = p_parted(c->f, c->heeded, NULL);
	for (uint32_t k = 0; k < n; k++)
		c->f->blocks.a[k]->divergent = was[k];
	return parted[b->id];
}

/* May lanes that the mask of i names be at another .sync of its kind, or yet come to one, while others are at i? */
static bool
is_apart(ctx *c, const ir_inst *i)
{
	makers m = { .n = 0 };

	if (ir_is_imm(i->m.arg[0]) || c->strangers)
		return true;
	if (made_in(c, i->m.arg[0], i->block))
		return false;
	c->looks += c->f->blocks.n;
	if (c->looks >= MAX_LOOKS || !find_makers(c, i->m.arg[0], &m))
		return true;
	return part_since(c, &m, i->block);
}

static bool
is_of(const ir_inst *i, int32_t kind)
{
	return i->m.op == G_meet && i->m.offset == kind && gate_names_many(i->m.arg[0]);
}

/* Instructions of the kind, and the blocks that hold them. */
static uint32_t
count_places(ctx *c, int32_t kind, bool *heeded)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (const ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next)
			if (is_of(i, kind)) {
				heeded[b] = true;
				n++;
			}
	return n;
}

/* In how many places lanes of one mask may execute the kind, not together; 0: they are together. */
static uint32_t
places_apart(ctx *c, int32_t kind)
{
	bool *heeded = arena_array(c->f->A, bool, c->f->blocks.n);
	uint32_t n = count_places(c, kind, heeded);
	const bool *parted;

	if (!n)
		return 0;
	c->heeded = heeded;
	parted = p_parted(c->f, heeded, NULL);
	for (uint32_t b = 0; b < c->f->blocks.n; b++)
		for (const ir_inst *i = c->f->blocks.a[b]->first; i && parted[b]; i = i->next)
			if (is_of(i, kind) && is_apart(c, i))
				return n;
	return 0;
}

/* By kind: is it apart? Is it to have one body, for lanes of several places? bar.warp.sync needs none: the gate lets lanes go that are
 * at any of them. Returns whether one is apart. */
static bool
find_apart(ctx *c, bool *apart, bool *body)
{
	const ir_func *f = c->f;
	bool any = apart[IR_MEET_ORDERS] = places_apart(c, IR_MEET_ORDERS) != 0;

	for (uint32_t k = 0; k < f->nkinds; k++) {
		uint32_t places = f->in_step ? 0 : places_apart(c, IR_MEET_KINDS + (int32_t)k);

		body[k] = f->one_body ? f->one_body[k] : places > 1;
		apart[IR_MEET_KINDS + k] = places || body[k];
		any |= apart[IR_MEET_KINDS + k];
	}
	return any;
}

static bool
any_of(const bool *set, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (set[k])
			return true;
	return false;
}

/* What a .sync counts or finds alike once it has one body may be lanes of several places: then no mask is known to name those of one. */
bool
gate_find_apart(ir_func *f, gate_plan *p)
{
	ctx c = { .f = f, .p = p_find_private(f) };
	bool *apart = arena_array(f->A, bool, IR_MEET_KINDS + f->nkinds), *body = arena_array(f->A, bool, f->nkinds + 1), any;

	c.strangers = f->one_body != NULL;
	any = find_apart(&c, apart, body);
	if (!f->one_body && any_of(body, f->nkinds)) {
		c.strangers = true;
		find_apart(&c, apart, body);
		f->wants_body = body;
	}
	p->apart = apart;
	return any;
}

/* Of constant masks it can be said that they name lanes which do not come. */
void
gate_warn_of_meets(const ir_func *f, const gate_plan *p, const bool *parted)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && parted[b] && !(p->meet && p->meet[b]); i = i->next)
			if (i->m.op == G_meet && i->m.offset != IR_MEET_COUNTED && ir_is_imm(i->m.arg[0]) && gate_names_many(i->m.arg[0]))
				diag_add(f->mod->diags, DIAG_parted, f->mod->locs.a[i->loc].span, f->name, (unsigned)i->m.arg[0].imm);
}
