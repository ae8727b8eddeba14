/* pack.c -- fields put together in the fewest instructions. Needs generic SSA with val.divergent,
 * pass field done; leaves the same values. For every operation that only moves bits, the tree of
 * such operations above it that nobody else needs is compared with the cheapest program for the
 * same bits (pack.def), and replaced where that is cheaper after select has fused both. */
#include "pass/pack.h"

typedef struct pack {
	ir_func *f;
	pack_tree tree;
	pack_search *S;
	ir_opnd written[PACK_STEPS];     /* by step; kind NONE: not yet */
	bitset done;                     /* values inside a tree that is the best already */
	ir_inst *dead[PACK_NODES];
	unsigned ndead;
	ir_builder B;
} pack;

/* ---- what stands there costs ---- */

/* One VALU instruction for two operations, as select has them. */
static const uint16_t fused[][2] = {
#define FUSE(outer, inner, at, op, order) { G_##outer, G_##inner },
#include "pass/select.def"
	{ G_and32, G_lshr32 }, { G_lshr32, G_shl32 }, { G_ashr32, G_shl32 },
};

static bool
is_dead(const pack *P, const ir_inst *d)
{
	for (unsigned k = 0; k < P->ndead; k++)
		if (P->dead[k] == d)
			return true;
	return false;
}

static unsigned
uses_by_dead(const pack *P, uint32_t v)
{
	unsigned n = 0;

	for (unsigned k = 0; k < P->ndead; k++)
		for (unsigned a = 1; a < P->dead[k]->m.nargs; a++)
			n += ir_is_val(P->dead[k]->m.arg[a]) && P->dead[k]->m.arg[a].reg == v;
	return n;
}

static bool
is_copy(unsigned op)
{
	return op == G_copy32 || op == G_copy64 || op == G_lo32 || op == G_hi32 || op == G_pack64;
}

/* The definition of source a, all of whose users die: then it dies too. */
static void
find_dead(pack *P, ir_opnd a)
{
	ir_inst *d = ir_is_val(a) ? P->f->vals.a[a.reg].def : NULL;
	bool inside = d && is_copy(d->m.op);

	for (unsigned k = 0; k < P->tree.nnodes && !inside; k++)
		inside = P->tree.node[k].def && P->tree.node[k].def == d;
	for (unsigned k = 0; k < P->tree.nleaves && inside; k++)
		inside = P->tree.leaf[k].reg != a.reg;
	if (!inside || !d->block || is_dead(P, d) || P->ndead == PACK_NODES)
		return;
	if (uses_by_dead(P, a.reg) == P->f->vals.a[a.reg].nuses)
		P->dead[P->ndead++] = d;
}

/* Users before sources: whoever loses its last user is met again through that. */
static void
collect_dead(pack *P, ir_inst *root)
{
	P->dead[0] = root;
	P->ndead = 1;
	for (unsigned n = 0; n < P->ndead; n++)
		for (unsigned a = 1; a < P->dead[n]->m.nargs; a++)
			find_dead(P, P->dead[n]->m.arg[a]);
}

static bool
divergent(const pack *P, const ir_inst *i)
{
	return P->f->vals.a[i->m.arg[0].reg].divergent;
}

static bool
literal(const pack *P, ir_opnd o)
{
	return ir_is_imm(o) && pack_costly_const(P->f->target, (uint32_t)o.imm);
}

/* Halves of a 64-bit operation by a constant that do something. */
static unsigned
halves(const ir_inst *i)
{
	unsigned n = 0;

	for (unsigned h = 0; h < 2; h++) {
		uint32_t x = (uint32_t)((uint64_t)i->m.arg[2].imm >> 32 * h);

		n += !ir_is_imm(i->m.arg[2]) || (x && (x != ~0u || i->m.op != G_and64));
	}
	return n;
}

/* Dwords of one value, which stand side by side? */
static bool
are_halves(const pack *P, ir_opnd high, ir_opnd low)
{
	const ir_inst *h = ir_is_val(high) ? P->f->vals.a[high.reg].def : NULL;
	const ir_inst *l = ir_is_val(low) ? P->f->vals.a[low.reg].def : NULL;

	return h && l && h->m.op == G_hi32 && l->m.op == G_lo32 && ir_same(h->m.arg[1], l->m.arg[1]);
}

/* Of one operation that is not fused into its user. */
static unsigned
cost_alone(const pack *P, const ir_inst *i)
{
	unsigned n = divergent(P, i) ? COST_VECTOR : COST_SCALAR;
	unsigned far = P->f->target->vop3_literal ? COST_LITERAL : COST_SCALAR;

	switch (i->m.op) {
	case G_and64: case G_or64: case G_xor64: case G_add64:
		return n * (divergent(P, i) ? halves(i) : 1);
	case G_shl64: case G_lshr64: case G_ashr64:
		return (i->m.arg[2].imm & 63) == 32 ? 0 : (i->m.arg[2].imm & 63) > 32 || !divergent(P, i) ? n : 2 * n;
	case G_bitsel32:
		if (!divergent(P, i))
			return (uint32_t)i->m.arg[1].imm % 0xffff ? 3 * n : n;
		return n + (literal(P, i->m.arg[1]) ? far : 0);
	case G_perm32:
		return COST_VECTOR + (literal(P, i->m.arg[3]) ? far : 0);
	case G_alignbit32:
		return divergent(P, i) || are_halves(P, i->m.arg[1], i->m.arg[2]) ? n : 2 * n;
	case G_and32: case G_or32: case G_xor32: case G_add32:
		return n + (literal(P, i->m.arg[2]) ? COST_LITERAL : 0);
	default:
		return is_copy(i->m.op) ? 0 : n;
	}
}

static ir_inst *
dead_source(const pack *P, const ir_inst *i, unsigned a)
{
	ir_inst *d = ir_is_val(i->m.arg[a]) ? P->f->vals.a[i->m.arg[a].reg].def : NULL;

	return d && is_dead(P, d) && P->f->vals.a[i->m.arg[a].reg].nuses == 1 &&
	       divergent(P, d) == divergent(P, i) ? d : NULL;
}

/* (x & m) | (y & ~m) */
static bool
is_merge(const ir_inst *i, const ir_inst *a, const ir_inst *b)
{
	return i->m.op == G_or32 && a && b && a->m.op == G_and32 && b->m.op == G_and32 &&
	       ir_is_imm(a->m.arg[2]) && ir_is_imm(b->m.arg[2]) &&
	       (uint32_t)a->m.arg[2].imm == ~(uint32_t)b->m.arg[2].imm;
}

/* Literals and scalar values that i and d read, but what d gives i. */
static unsigned
scalars(const pack *P, const ir_inst *i, const ir_inst *d)
{
	const ir_inst *both[2] = { i, d };
	unsigned n = 0;

	for (unsigned k = 0; k < 2; k++)
		for (unsigned a = 1; a < both[k]->m.nargs; a++) {
			ir_opnd o = both[k]->m.arg[a];

			n += literal(P, o) || (ir_is_val(o) && !P->f->vals.a[o.reg].divergent);
		}
	return n;
}

/* What fusing d into i costs beside i: constants that VOP3 cannot hold. */
static unsigned
fused_literal(const pack *P, const ir_inst *d)
{
	unsigned far = P->f->target->vop3_literal ? COST_LITERAL : COST_SCALAR;

	return d->m.op == G_and32 && literal(P, d->m.arg[2]) ? far : 0;
}

static bool
fuses(const pack *P, const ir_inst *i, const ir_inst *d)
{
	bool pair = (i->m.op == G_and32 || i->m.op == G_lshr32 || i->m.op == G_ashr32);

	if (divergent(P, i) ? scalars(P, i, d) > P->f->target->const_bus && !pair : !pair)
		return false;
	for (unsigned k = 0; k < COUNT(fused); k++)
		if (fused[k][0] == i->m.op && fused[k][1] == d->m.op)
			return true;
	return false;
}

/* Of the dying operations, users before sources; each takes in one source. */
static unsigned
cost_now(const pack *P)
{
	bool gone[PACK_NODES] = { false };
	unsigned cost = 0;

	for (unsigned k = 0; k < P->ndead; k++) {
		const ir_inst *i = P->dead[k], *d[2] = { NULL, NULL };

		if (gone[k])
			continue;
		cost += cost_alone(P, i);
		for (unsigned a = 1; a < 3 && a < i->m.nargs; a++)
			d[a - 1] = dead_source(P, i, a);
		for (unsigned n = 0; n < P->ndead; n++) {
			bool both = divergent(P, i) && is_merge(i, d[0], d[1]);

			if ((P->dead[n] != d[0] && P->dead[n] != d[1]) || gone[n])
				continue;
			if (!both && !fuses(P, i, P->dead[n]))
				continue;
			gone[n] = true;
			cost += fused_literal(P, P->dead[n]);
			if (!both)
				break;
		}
	}
	return cost;
}

/* ---- writing ---- */

static ir_opnd
generate(pack *P, unsigned gop, unsigned n, const ir_opnd *s)
{
	uint32_t before = P->f->vals.n;
	ir_opnd r = ir_gen(&P->B, gop, n, s);

	if (!ir_is_val(r) || r.reg < before)
		return r;
	for (unsigned k = 0; k < n; k++)
		if (ir_is_val(s[k])) {
			P->f->vals.a[r.reg].divergent |= P->f->vals.a[s[k].reg].divergent;
			P->f->vals.a[s[k].reg].nuses++;
		}
	return r;
}

/* A dword of a value by an operation that costs nothing. */
static ir_opnd
leaf_operand(pack *P, ir_opnd o)
{
	ir_opnd whole = ir_valop(P->f, o.reg);

	return whole.width == 1 ? whole : generate(P, o.imm ? G_hi32 : G_lo32, 1, &whole);
}

static ir_opnd write_step(pack *P, unsigned step);

/* One letter of pack.def's texts on the stack s of n operands; the new n. */
static unsigned
letter(pack *P, const pack_step *t, char c, ir_opnd *s, unsigned n)
{
	static const struct { char c; uint8_t n; uint16_t gop; } op[] = {
		{ '<', 2, G_shl32 }, { '>', 2, G_lshr32 }, { ')', 2, G_ashr32 }, { '&', 2, G_and32 },
		{ '|', 2, G_or32 }, { 'u', 3, G_bfe_u32 }, { 'i', 3, G_bfe_s32 },
		{ 'a', 3, G_alignbit32 }, { 'b', 3, G_bitsel32 }, { 'p', 3, G_perm32 } };

	switch (c) {
	case 'x': case 'y': case 'z': s[n] = write_step(P, t->sub[c - 'x']); return n + 1;
	case 'k': case 'l': s[n] = ir_i32(t->k[c - 'k']); return n + 1;
	case '#': s[n] = ir_i32(16); return n + 1;
	case 'm': s[n] = ir_i32(0xffff); return n + 1;
	default: break;
	}
	for (unsigned k = 0; k < COUNT(op); k++)
		if (op[k].c == c) {
			n -= op[k].n;
			s[n] = generate(P, op[k].gop, op[k].n, &s[n]);
			return n + 1;
		}
	return n;
}

static ir_opnd
write_step(pack *P, unsigned step)
{
	const pack_step *t = pack_step_at(P->S, step);
	ir_opnd s[6];
	unsigned n = 0;

	if (P->written[step].kind)
		return P->written[step];
	if (t->op == PACK_IS_CONST)
		s[0] = ir_i32(t->k[0]);
	else if (t->op == PACK_IS_LEAF)
		s[0] = leaf_operand(P, P->tree.leaf[t->k[0]]);
	else
		for (const char *c = pack_text(t->op); *c; c++)
			n = letter(P, t, *c, s, n);
	return P->written[step] = s[0];
}

static ir_opnd
write_program(pack *P, unsigned step)
{
	for (unsigned k = 0; k < PACK_STEPS; k++)
		P->written[k].kind = P2A_K_NONE;
	return write_step(P, step);
}

static void
drop_uses(pack *P, const ir_inst *i)
{
	for (unsigned a = 1; a < i->m.nargs; a++)
		if (ir_is_val(i->m.arg[a]))
			P->f->vals.a[i->m.arg[a].reg].nuses--;
}

/* The root becomes a copy; the rest of the tree goes. */
static void
replace(pack *P, ir_inst *root, unsigned n, const ir_opnd *r)
{
	for (unsigned k = 0; k < P->ndead; k++)
		drop_uses(P, P->dead[k]);
	for (unsigned k = 1; k < P->ndead; k++) {
		P->f->vals.a[P->dead[k]->m.arg[0].reg].def = NULL;
		ir_remove(P->dead[k]);
	}
	root->m.op = n == 2 ? G_pack64 : G_copy32;
	root->m.nargs = (uint8_t)(n + 1);
	for (unsigned k = 0; k < n; k++) {
		root->m.arg[1 + k] = r[k];
		if (ir_is_val(r[k]))
			P->f->vals.a[r[k].reg].nuses++;
	}
}

/* ---- the walk ---- */

/* The bits wanted of the root; false: they are not known, or are the root's own. */
static bool
understand(pack *P, const ir_inst *i, bool whole, bits want[2])
{
	pack_begin(&P->tree, i, whole);
	for (unsigned h = 0; h < i->m.arg[0].width; h++)
		want[h] = pack_root_bits(&P->tree, h);
	for (unsigned l = 0; l < P->tree.nleaves; l++)
		if (P->tree.leaf[l].reg == i->m.arg[0].reg)
			return false;
	return !P->tree.full;
}

/* Nothing better is to be found: it was looked for, or this was written here. */
static bool
is_done(const pack *P, uint32_t v)
{
	return v >= P->done.nbits || bit_has(&P->done, v);
}

/* Nothing better was found for the tree: nor is there for its parts. */
static bool
leave(pack *P)
{
	for (unsigned k = 1; k < P->ndead && pack_complete(P->S); k++)
		if (!is_done(P, P->dead[k]->m.arg[0].reg))
			bit_set(&P->done, P->dead[k]->m.arg[0].reg);
	return false;
}

/* slack: what is to be won beyond one unit. Both halves are solved before either is written: their costs must fit together. */
static bool
improve(pack *P, ir_inst *i, bool whole, unsigned slack)
{
	unsigned n = i->m.arg[0].width, left, limit[2], cost, step;
	bits want[2];
	ir_opnd r[2];

	if (!understand(P, i, whole, want))
		return false;
	collect_dead(P, i);
	left = cost_now(P);
	left -= MIN(left, slack);
	for (unsigned h = 0; h < n; h++) {
		limit[h] = left;
		cost = pack_solve(P->S, &P->tree, &want[h], limit[h], &step);
		if (cost == COST_NONE)
			return leave(P);
		left -= cost;
	}
	P->B = (ir_builder){ P->f, i->block, i, i->loc };
	for (unsigned h = 0; h < n; h++) {
		if (n == 2)
			pack_solve(P->S, &P->tree, &want[h], limit[h], &step);
		r[h] = write_program(P, step);
	}
	replace(P, i, n, r);
	return true;
}

/* Uniform 64-bit operations are one scalar instruction each already. */
static bool
is_root(const pack *P, const ir_inst *i)
{
	return i->ndefs == 1 && pack_moves_bits(i) && P->f->vals.a[i->m.arg[0].reg].nuses &&
	       !is_done(P, i->m.arg[0].reg) && (i->m.arg[0].width == 1 || divergent(P, i));
}

/* The operation that a replaced root copies, if it was written here: it may be the only user left of what had several. */
static ir_inst *
written_for(const pack *P, const ir_inst *root)
{
	ir_opnd r = root->m.arg[1];
	ir_inst *d = root->m.op == G_copy32 && ir_is_val(r) && r.reg >= P->done.nbits ? P->f->vals.a[r.reg].def : NULL;

	return d && d->ndefs == 1 && d->m.arg[0].width == 1 && pack_moves_bits(d) ? d : NULL;
}

/* Shorter code alone is not worth it, but for a v_perm_b32 of lanes, whose literal makes it the longest of all and which is
 * never read in parts nor paired: a shift of both operands does for some selectors. */
static void
improve_root(pack *P, ir_inst *i)
{
	enum { AN_INSTRUCTION = COST_SCALAR - 1 };

	if (improve(P, i, false, AN_INSTRUCTION)) {
		if (P->tree.cut && (i = written_for(P, i)))
			improve(P, i, true, AN_INSTRUCTION);
		return;
	}
	if (P->tree.cut && improve(P, i, true, AN_INSTRUCTION))
		return;
	if (i->m.op == G_perm32 && divergent(P, i))
		improve(P, i, false, 0);
}

static void
improve_block(pack *P, ir_block *b)
{
	for (ir_inst *i = b->last; i && !pack_spent(P->S); i = i->prev)
		if (is_root(P, i))
			improve_root(P, i);
}

void
p_pack(ir_func *f)
{
	pack *P = arena_new(f->A, pack);

	ir_count_uses(f);
	ir_dominators(f);
	ir_loops(f);
	P->f = f;
	P->S = pack_search_new(f->A);
	P->done = bitset_new(f->A, f->vals.n);
	P->tree = (pack_tree){ .f = f, .facts = p_facts(f), .nfacts = f->vals.n };
	for (uint32_t b = f->blocks.n; b-- > 0; )
		improve_block(P, f->blocks.a[b]);
}
