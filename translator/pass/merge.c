/* merge.c -- neighbouring accesses of memory become one.
 * Needs machine SSA; leaves in one block, from the same base:
 *   loads of one or two dwords that lie together in global memory, or behind a scalar address -> dwordx2..x4
 *   the same in shared memory, where the address is known to be aligned                       -> ds_read_b64..b128
 *   two loads, or two stores, of a size anywhere near each other in shared memory              -> ds_read2, ds_write2
 *   stores that lie together in global memory                                                 -> dwordx2..x4
 * A load moves up to the first of its set, a store down to the last, so nothing between may touch the same memory,
 * nor order accesses. Only plain accesses are taken: not volatile, of no order, no atomics.
 * Manuals: "Data Share" (two-address forms: offsets count elements, or 64 elements), "Flat, Global, Scratch",
 * "Scalar Memory" (an address needs four-byte alignment whatever the size). */
#include "pass/pass.h"

/* How far, in instructions, an access may move: farther would keep registers busy for little. */
enum { REACH = 64 };

enum room { GLOBAL, SCALAR, SHARED };

/* Accesses that can be merged; for each room its forms by number of dwords. */
static const struct kind { uint16_t op; uint8_t room, dwords; bool store; } kinds[] = {
	{ OP_global_load_dword, GLOBAL, 1, false }, { OP_global_load_dwordx2, GLOBAL, 2, false },
	{ OP_global_store_dword, GLOBAL, 1, true }, { OP_global_store_dwordx2, GLOBAL, 2, true },
	{ OP_s_load_dword, SCALAR, 1, false }, { OP_s_load_dwordx2, SCALAR, 2, false },
	{ OP_ds_read_b32, SHARED, 1, false }, { OP_ds_read_b64, SHARED, 2, false },
	{ OP_ds_write_b32, SHARED, 1, true }, { OP_ds_write_b64, SHARED, 2, true },
};

/* By dwords; 0: there is none. */
static const uint16_t wide[][5] = {
	[GLOBAL] = { 0, 0, OP_global_load_dwordx2, OP_global_load_dwordx3, OP_global_load_dwordx4 },
	[SCALAR] = { 0, 0, OP_s_load_dwordx2, 0, OP_s_load_dwordx4 },
	[SHARED] = { 0, 0, OP_ds_read_b64, OP_ds_read_b96, OP_ds_read_b128 },
};
static const uint16_t wide_store[5] = { 0, 0, OP_global_store_dwordx2, OP_global_store_dwordx3, OP_global_store_dwordx4 };

/* Two-address forms by dwords of an element; the second counts in units of 64 elements. */
static const uint16_t two_loads[3][2] = { [1] = { OP_ds_read2_b32, OP_ds_read2st64_b32 },
	[2] = { OP_ds_read2_b64, OP_ds_read2st64_b64 } };
static const uint16_t two_stores[3][2] = { [1] = { OP_ds_write2_b32, OP_ds_write2st64_b32 },
	[2] = { OP_ds_write2_b64, OP_ds_write2st64_b64 } };

typedef struct piece { ir_inst *i; uint32_t at; } piece;  /* at: place in the block */

/* Accesses of one kind of room and direction from one base, none of which anything keeps from the others. */
typedef struct group {
	const struct kind *kind; /* of its first piece; pieces of other sizes may follow */
	VEC(piece) pieces;
	VEC(ir_inst *) passed;   /* stores since the first piece, apart from all pieces: a load that joins moves over them */
} group;

typedef struct merge {
	ir_func *f;
	const p2a_target *t;
	uint8_t *ndefs;          /* by value: how many instructions write it, 2 for more */
	bitset rewritten;        /* values of which an instruction replaces a part */
	struct place { uint32_t val; uint8_t first; } *now; /* by value: where it is read from now; val 0: as it was */
	uint32_t nvals;          /* that both know */
	VEC(group) open;
} merge;

/* ---- what an access is ---- */

static const struct kind *
kind_of(const ir_inst *i)
{
	for (unsigned k = 0; k < COUNT(kinds); k++)
		if (kinds[k].op == i->m.op)
			return &kinds[k];
	return NULL;
}

static ir_opnd
data_of(const ir_inst *i, const struct kind *k)
{
	return i->m.arg[k->store ? 1 : 0];
}

static ir_opnd
base_of(const ir_inst *i, const struct kind *k)
{
	return i->m.arg[k->store ? 0 : 1];
}

/* The scalar part of an address, where the form has one. */
static ir_opnd
second_base(const ir_inst *i)
{
	return i->m.nargs > 2 ? i->m.arg[2] : (ir_opnd){ 0 };
}

static bool
is_plain(const ir_inst *i)
{
	return !i->mem.vol && i->mem.order == IR_WEAK && !i->mem.rmw;
}

/* The same wherever it is read. */
static bool
is_stable(const merge *M, ir_opnd o)
{
	return !ir_is_val(o) || (o.reg < M->nvals && !bit_has(&M->rewritten, o.reg));
}

static bool
is_whole(const merge *M, ir_opnd o)
{
	return ir_is_val(o) && is_stable(M, o) && !o.imm && o.width == M->f->vals.a[o.reg].dwords && M->ndefs[o.reg] == 1;
}

/* An access that this pass may merge, else NULL. */
static const struct kind *
candidate(const merge *M, const ir_inst *i)
{
	const struct kind *k = kind_of(i);
	ir_opnd d;

	if (!k || !is_plain(i) || ir_is_glued(i) || !is_stable(M, base_of(i, k)) || !is_stable(M, second_base(i)))
		return NULL;
	d = data_of(i, k);
	if (d.width != k->dwords || !ir_is_val(d) || !(k->store ? is_stable(M, d) : is_whole(M, d)))
		return NULL;
	return k;
}

static bool
same_place(const ir_inst *a, const struct kind *ka, const ir_inst *b, const struct kind *kb)
{
	return ka->room == kb->room && a->m.cpol == b->m.cpol && a->mem.space == b->mem.space &&
	       ir_same(base_of(a, ka), base_of(b, kb)) && ir_same(second_base(a), second_base(b));
}

static bool
belongs(const group *g, const ir_inst *i, const struct kind *k)
{
	return g->kind->store == k->store && same_place(g->pieces.a[0].i, g->kind, i, k);
}

/* ---- what stands between ---- */

/* Do two plain accesses certainly touch different bytes? */
static bool
are_apart(const ir_inst *a, const struct kind *ka, const ir_inst *b, const struct kind *kb)
{
	if (!ka || !kb)
		return false;
	if ((ka->room == SHARED) != (kb->room == SHARED))
		return true;
	if (!same_place(a, ka, b, kb))
		return false;
	return a->m.offset + 4 * ka->dwords <= b->m.offset || b->m.offset + 4 * kb->dwords <= a->m.offset;
}

/* Which memory a machine access reaches: a bit a space; all for what says nothing of it. */
static unsigned
spaces_of(const ir_inst *i)
{
	switch (isa_table[i->m.op].cls) {
	case ISA_DS: return 1u << IR_SHARED;
	case ISA_SMEM: return 1u << IR_CONST;
	default: return i->mem.space == IR_GLOBAL || i->mem.space == IR_LOCAL ? 1u << i->mem.space : ~0u;
	}
}

static bool
stops_all(const ir_inst *i)
{
	if (i->m.op == P_copy || i->m.op == P_undef || i->m.op == P_entry || i->m.op == G_phi)
		return false;
	if (!ir_is_machine(i->m.op))
		return true;
	if (isa_effects(&i->m) & (ISA_SIDE | ISA_W_EXEC | ISA_ATOMIC))
		return true;
	return isa_effects(&i->m) & (ISA_LOAD | ISA_STORE) && !is_plain(i);
}

/* Could the load join the group, moving up over what the group has passed? */
static bool
may_join(const group *g, const ir_inst *i, const struct kind *k)
{
	for (uint32_t n = 0; n < g->passed.n && !g->kind->store && !ir_reads_constant(i); n++)
		if (!are_apart(g->passed.a[n], kind_of(g->passed.a[n]), i, k))
			return false;
	return true;
}

/* Does i keep the accesses of the group from moving over it? */
static bool
keeps(const group *g, const ir_inst *i, const struct kind *k)
{
	uint32_t eff = isa_effects(&i->m);
	unsigned own = spaces_of(g->pieces.a[0].i);

	if (!(eff & ISA_STORE) && (!g->kind->store || ir_reads_constant(i)))
		return false;
	if (!(eff & (ISA_LOAD | ISA_STORE)) || (!g->kind->store && ir_reads_constant(g->pieces.a[0].i)) || !(spaces_of(i) & own))
		return false;
	for (uint32_t n = 0; n < g->pieces.n; n++)
		if (!are_apart(g->pieces.a[n].i, kind_of(g->pieces.a[n].i), i, k))
			return true;
	return false;
}

/* ---- the merged access ---- */

static void
read_from(merge *M, ir_opnd was, ir_opnd all, unsigned first)
{
	M->now[was.reg].val = all.reg;
	M->now[was.reg].first = (uint8_t)first;
}

static unsigned
dwords_of(const piece *p, unsigned n)
{
	unsigned sum = 0;

	for (unsigned k = 0; k < n; k++)
		sum += kind_of(p[k].i)->dwords;
	return sum;
}

/* The first of the pieces in the block, or the last. */
static ir_inst *
place_of(const piece *p, unsigned n, bool last)
{
	const piece *best = p;

	for (unsigned k = 1; k < n; k++)
		if (last ? p[k].at > best->at : p[k].at < best->at)
			best = &p[k];
	return best->i;
}

/* In place of the first of the loads, or the last of the stores. */
static ir_inst *
put(merge *M, const piece *p, unsigned n, p2a_inst m)
{
	const struct kind *k = kind_of(p[0].i);
	ir_inst *at = place_of(p, n, k->store), *i;
	ir_builder B = { M->f, at->block, at, at->loc };

	m.cpol = at->m.cpol;
	i = ir_emit(&B, m.op, k->store ? 0 : 1, m.nargs, m.arg);
	i->m.offset = m.offset;
	i->m.offset1 = m.offset1;
	i->m.cpol = m.cpol;
	i->mem = p[0].i->mem;
	i->mem.bytes = (uint8_t)(4 * dwords_of(p, n));
	return i;
}

static void
drop(const piece *p, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		ir_remove(p[k].i);
}

/* New register of all dwords; the loads' values are parts of it. */
static ir_opnd
gathered(merge *M, const piece *p, unsigned n)
{
	ir_opnd all = ir_valop(M->f, ir_new_reg(M->f, M->f->vals.a[p[0].i->m.arg[0].reg].bank, dwords_of(p, n)));
	unsigned first = 0;

	for (unsigned k = 0; k < n; k++) {
		read_from(M, p[k].i->m.arg[0], all, first);
		first += kind_of(p[k].i)->dwords;
	}
	return all;
}

/* The stores' values side by side, before the last of them. */
static ir_opnd
collected(merge *M, const piece *p, unsigned n)
{
	ir_opnd all = ir_valop(M->f, ir_new_reg(M->f, IR_BANK_V, dwords_of(p, n)));
	ir_inst *at = place_of(p, n, true);
	ir_builder B = { M->f, at->block, at, at->loc };
	unsigned first = 0;

	for (unsigned k = 0; k < n; k++) {
		ir_opnd d = p[k].i->m.arg[1];

		ir_m(&B, P_copy, 2, ir_part(all, first, d.width), d)->fresh = k == 0;
		first += d.width;
	}
	return all;
}

static void
join(merge *M, const piece *p, unsigned n)
{
	const struct kind *k = kind_of(p[0].i);
	unsigned dwords = dwords_of(p, n);
	p2a_inst m = p[0].i->m;

	m.op = k->store ? wide_store[dwords] : wide[k->room][dwords];
	m.arg[k->store ? 1 : 0] = k->store ? collected(M, p, n) : gathered(M, p, n);
	put(M, p, n, m);
	drop(p, n);
}

/* ---- which ---- */

static bool
is_near(const piece *p, unsigned n)
{
	uint32_t lo = p[0].at, hi = p[0].at;

	for (unsigned k = 1; k < n; k++) {
		lo = MIN(lo, p[k].at);
		hi = MAX(hi, p[k].at);
	}
	return hi - lo <= REACH;
}

static bool
lies_together(const piece *p, unsigned n)
{
	for (unsigned k = 1; k < n; k++)
		if (p[k].i->m.offset != p[k - 1].i->m.offset + 4 * kind_of(p[k - 1].i)->dwords)
			return false;
	return true;
}

/* Pairs of scalar registers begin at an even one, of vector registers on some chips. */
static bool
pairs_fit(const piece *p, unsigned n)
{
	unsigned first = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned dwords = kind_of(p[k].i)->dwords;

		if (dwords > 1 && first & 1)
			return false;
		first += dwords;
	}
	return true;
}

static bool
has_form(const merge *M, const piece *p, unsigned n)
{
	const struct kind *k = kind_of(p[0].i);
	unsigned dwords = dwords_of(p, n);

	if (dwords > 4 || !(k->store ? k->room == GLOBAL ? wide_store[dwords] : 0 : wide[k->room][dwords]))
		return false;
	if ((k->room == SCALAR || M->t->align_vgpr_pairs) && !pairs_fit(p, n))
		return false;
	if (k->room == SHARED && p[0].i->mem.align < (dwords == 2 ? 8 : 16))
		return false;
	return isa_has(M->t, k->store ? wide_store[dwords] : wide[k->room][dwords]);
}

/* As many of the pieces, in order of their offsets, as one access holds; 1 if it is alone. */
static unsigned
run_at(const merge *M, const piece *p, unsigned left)
{
	for (unsigned n = MIN(left, 4u); n > 1; n--)
		if (lies_together(p, n) && is_near(p, n) && has_form(M, p, n))
			return n;
	return 1;
}

/* Offsets of a two-address form, from base + from; false: they don't fit. */
static bool
two_offsets(const piece *p, int32_t from, unsigned dwords, p2a_inst *m)
{
	const uint16_t *ops = kind_of(p[0].i)->store ? two_stores[dwords] : two_loads[dwords];
	int32_t a = p[0].i->m.offset - from, b = p[1].i->m.offset - from;

	for (unsigned st64 = 0; st64 < 2; st64++) {
		int32_t unit = (int32_t)dwords * (st64 ? 256 : 4);

		if (a % unit || b % unit || a / unit > 255 || b / unit > 255)
			continue;
		m->op = ops[st64];
		m->offset = a / unit;
		m->offset1 = b / unit;
		return true;
	}
	return false;
}

/* The base of a group whose offsets a two-address form cannot hold, moved by its least offset; written before the
 * first piece. */
typedef struct rebase { int32_t from; ir_opnd base; } rebase;

static ir_opnd
new_base(merge *M, const group *g, int32_t from)
{
	ir_inst *first = place_of(g->pieces.a, g->pieces.n, false);
	ir_builder B = { M->f, first->block, first, first->loc };
	ir_opnd base = ir_valop(M->f, ir_new_reg(M->f, IR_BANK_V, 1));

	ir_m(&B, OP_v_add_u32, 3, base, ir_i32((uint32_t)from), base_of(first, g->kind));
	return base;
}

static bool
may_pair(const piece *p, unsigned left)
{
	return left > 1 && kind_of(p[0].i)->op == kind_of(p[1].i)->op && is_near(p, 2) &&
	       p[0].i->m.offset != p[1].i->m.offset;
}

static void
pair(merge *M, const piece *p, const rebase *r)
{
	const struct kind *k = kind_of(p[0].i);
	p2a_inst m = p[0].i->m;

	if (!two_offsets(p, 0, k->dwords, &m)) {
		two_offsets(p, r->from, k->dwords, &m);
		m.arg[k->store ? 0 : 1] = r->base;
	}
	if (k->store) {
		m.arg[2] = p[1].i->m.arg[1];
		m.nargs = 3;
	} else {
		m.arg[0] = gathered(M, p, 2);
	}
	put(M, p, 2, m);
	drop(p, 2);
}

/* How many pairs of the group need a moved base, and could have it. */
static unsigned
count_rebased(const group *g, int32_t from)
{
	unsigned n = 0;
	p2a_inst m;

	for (uint32_t k = 0; k + 1 < g->pieces.n; k++) {
		const piece *p = &g->pieces.a[k];
		unsigned dwords = kind_of(p->i)->dwords;

		if (!may_pair(p, g->pieces.n - k))
			continue;
		n += !two_offsets(p, 0, dwords, &m) && two_offsets(p, from, dwords, &m);
		k++;
	}
	return n;
}

static void
sort(group *g)
{
	for (uint32_t k = 1; k < g->pieces.n; k++)
		for (uint32_t j = k; j && g->pieces.a[j].i->m.offset < g->pieces.a[j - 1].i->m.offset; j--) {
			piece t = g->pieces.a[j];

			g->pieces.a[j] = g->pieces.a[j - 1];
			g->pieces.a[j - 1] = t;
		}
}

static void
merge_runs(merge *M, group *g)
{
	uint32_t kept = 0;
	unsigned n;

	for (uint32_t k = 0; k < g->pieces.n; k += n) {
		piece *p = &g->pieces.a[k];

		n = run_at(M, p, g->pieces.n - k);
		if (n > 1)
			join(M, p, n);
		else
			g->pieces.a[kept++] = *p;
	}
	g->pieces.n = kept;
}

static void
merge_pairs(merge *M, group *g)
{
	rebase r = { .from = g->pieces.n ? g->pieces.a[0].i->m.offset : 0 };
	p2a_inst m;

	if (g->pieces.n && count_rebased(g, r.from) > 1)
		r.base = new_base(M, g, r.from);
	for (uint32_t k = 0; k + 1 < g->pieces.n; k++) {
		const piece *p = &g->pieces.a[k];
		unsigned dwords = kind_of(p->i)->dwords;

		if (!may_pair(p, g->pieces.n - k))
			continue;
		if (!two_offsets(p, 0, dwords, &m) && (!r.base.kind || !two_offsets(p, r.from, dwords, &m)))
			continue;
		pair(M, p, &r);
		k++;
	}
}

static void
close_group(merge *M, group *g)
{
	if (g->pieces.n > 1) {
		sort(g);
		merge_runs(M, g);
		if (g->kind->room == SHARED)
			merge_pairs(M, g);
	}
	g->pieces.n = g->passed.n = 0;
}

static void
close_all(merge *M)
{
	for (uint32_t n = 0; n < M->open.n; n++)
		close_group(M, &M->open.a[n]);
	M->open.n = 0;
}

/* ---- the walk ---- */

static void
add(merge *M, ir_inst *i, const struct kind *k, uint32_t at)
{
	group *g = NULL;

	for (uint32_t n = 0; n < M->open.n && !g; n++)
		if (M->open.a[n].pieces.n && belongs(&M->open.a[n], i, k))
			g = &M->open.a[n];
	if (g && !may_join(g, i, k))
		close_group(M, g);
	if (!g) {
		g = vec_push(M->f->A, &M->open);
		*g = (group){ .kind = k };
	}
	*vec_push(M->f->A, &g->pieces) = (piece){ i, at };
}

static void
visit(merge *M, ir_inst *i, uint32_t at)
{
	const struct kind *k = candidate(M, i);

	if (stops_all(i)) {
		close_all(M);
		return;
	}
	if (!ir_is_machine(i->m.op))
		return;
	for (uint32_t n = 0; n < M->open.n; n++) {
		group *g = &M->open.a[n];

		if (g->pieces.n && keeps(g, i, k))
			close_group(M, g);
		else if (g->pieces.n && isa_effects(&i->m) & ISA_STORE && spaces_of(i) & spaces_of(g->pieces.a[0].i))
			*vec_push(M->f->A, &g->passed) = i;
	}
	if (k)
		add(M, i, k, at);
}

static void
note_defs(merge *M, const ir_inst *i)
{
	for (unsigned k = 0; k < i->ndefs; k++) {
		ir_opnd o = i->m.arg[k];

		if (!ir_is_val(o))
			continue;
		if (M->ndefs[o.reg] < 2)
			M->ndefs[o.reg]++;
		if (ir_replaces_part(i))
			bit_set(&M->rewritten, o.reg);
	}
}

static void
redirect(const merge *M, ir_opnd *o)
{
	const struct place *p;

	if (!ir_is_val(*o) || o->reg >= M->nvals || !M->now[o->reg].val)
		return;
	p = &M->now[o->reg];
	o->imm += p->first;
	o->reg = p->val;
}

static void
redirect_uses(merge *M)
{
	for (uint32_t b = 0; b < M->f->blocks.n; b++)
		for (ir_inst *i = M->f->blocks.a[b]->first; i; i = i->next) {
			for (unsigned k = i->ndefs; k < i->m.nargs; k++)
				redirect(M, &i->m.arg[k]);
			for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
				redirect(M, &i->phi[k]);
		}
}

void
p_merge(ir_func *f)
{
	merge M = { .f = f, .t = f->target, .nvals = f->vals.n };

	M.ndefs = arena_array(f->A, uint8_t, f->vals.n);
	M.now = arena_array(f->A, struct place, f->vals.n);
	M.rewritten = bitset_new(f->A, f->vals.n);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			note_defs(&M, i);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		uint32_t at = 0;

		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			visit(&M, i, at++);
		}
		close_all(&M);
	}
	redirect_uses(&M);
	ir_count_uses(f);
}
