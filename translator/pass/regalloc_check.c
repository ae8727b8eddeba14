/* regalloc_check.c -- proof of an allocation: the allocated code is run on names instead of values.
 * Needs registers in operands, slots still in P_spill and P_reload, the operands of the input in
 * ir_inst.phi, and the liveness of the input; leaves everything as it was.
 * A place (register or slot) holds the name of the unit (dword of a value of the input) that was written
 * there last; copies that always have the same content (regalloc_same.c) go by one name. Each
 * instruction of the input must find in its places the units it meant; its results rename their places
 * and make every older copy of the same unit worthless. Where paths meet, a name stays if every path
 * brings it, or has written no unit of that name that lies there: what they read is undefined then.
 * VGPRs follow logical edges, SGPRs and their slots linear ones. */
#include "pass/regalloc.h"

#include <string.h>

enum { UNKNOWN, UNSEEN = UINT32_MAX };  /* names: 1 + unit */

typedef struct checker {
	ra *R;
	ir_func *f;
	const ra_live *L;
	uint32_t nplaces, start[4];     /* SGPRs, VGPRs, SGPR slots, VGPR slots */
	uint32_t *in;           /* by block and place: names at its start; UNSEEN */
	uint32_t *out;
	uint32_t *at;           /* by place, now */
	uint32_t *head, *next, *prev; /* places that hold a name: lists, by name and by place */
	uint32_t *alias, *next_alias; /* units that cross blocks, by the name they go by */
	uint32_t *home;         /* by unit: where it lies between blocks; RA_NONE nowhere */
	uint32_t *wrote;        /* by unit: block id + 1 */
	bool *due;              /* by block: what comes from a predecessor has changed since it was looked at */
	const char *wrong;
} checker;

static bool
fail(checker *C, const ir_inst *i, const char *what, uint32_t name, uint32_t found)
{
	buf text;

	if (C->wrong)
		return false;
	buf_init(&text, C->f->A);
	buf_printf(&text, "%s in kernel '%s', b%u: ", what, C->f->name ? C->f->name : "", i->block->id);
	ir_print_inst(C->f, i, &text);
	buf_printf(&text, " (unit %u, there is %u)", name, found);
	C->wrong = buf_cstr(&text);
	return false;
}

/* ---- places ---- */

static unsigned
bank_of_place(const checker *C, uint32_t p)
{
	return p >= C->start[3] || (p >= C->start[1] && p < C->start[2]) ? RA_V : RA_S;
}

static uint32_t
register_place(const checker *C, const ir_opnd *o)
{
	unsigned n;
	int vcc = ra_sreg_vcc(o, &n);

	if (vcc >= 0)
		return RA_VCC + (uint32_t)vcc;
	if (o->kind == P2A_K_SGPR)
		return o->reg;
	return o->kind == P2A_K_VGPR ? C->start[1] + o->reg : RA_NONE;
}

static uint32_t
slot_place(const checker *C, unsigned bank, int32_t slot)
{
	return C->start[2 + bank] + (uint32_t)slot;
}

/* Where operand k of the input's instruction lies now. */
static uint32_t
place_of(const checker *C, const ir_inst *i, unsigned k)
{
	unsigned bank = ir_is_val(i->phi[k]) ? ra_bank(C->f, i->phi[k].reg) : RA_S;

	if (i->m.op == P_copy && !i->m.nargs)
		return slot_place(C, bank, i->m.offset);
	if (i->m.op == P_spill)
		return k ? register_place(C, &i->m.arg[0]) : slot_place(C, bank, i->m.offset);
	if (i->m.op == P_reload)
		return k ? slot_place(C, bank, i->m.offset) : register_place(C, &i->m.arg[0]);
	return register_place(C, &i->m.arg[k]);
}

/* ---- names ---- */

static bool
may_be_written(const checker *C, const ir_block *b, uint32_t unit, unsigned bank)
{
	uint32_t bit = C->L->bit[unit];
	const ra_plane *p = &C->L->plane[bank];

	if (C->wrote[unit] == b->id + 1)
		return true;
	return bit != RA_NONE && ra_bit(p->rin + (size_t)b->id * p->words, bit);
}

static bool
is_listed(uint32_t name)
{
	return name != UNKNOWN && name != UNSEEN;
}

static void
set_name(checker *C, uint32_t place, uint32_t name)
{
	uint32_t old = C->at[place], n = C->next[place], p = C->prev[place];

	if (is_listed(old)) {
		*(p == RA_NONE ? &C->head[old] : &C->next[p]) = n;
		if (n != RA_NONE)
			C->prev[n] = p;
	}
	C->at[place] = name;
	if (!is_listed(name))
		return;
	C->prev[place] = RA_NONE;
	C->next[place] = C->head[name];
	if (C->head[name] != RA_NONE)
		C->prev[C->head[name]] = place;
	C->head[name] = place;
}

/* Unit is written at place: older copies of it elsewhere are worth nothing, unless it is a constant that is made again
 * wherever it is read (again). */
static void
write_unit(checker *C, uint32_t place, uint32_t unit, bool again)
{
	uint32_t name = 1 + C->L->root[unit];

	while (!again && name == 1 + unit && C->head[name] != RA_NONE)
		set_name(C, C->head[name], UNKNOWN);
	set_name(C, place, name);
}

static void
move(checker *C, const ir_inst *i)
{
	const ir_opnd *o = &i->m.arg[0];
	uint32_t reg = register_place(C, o);
	uint32_t slot = slot_place(C, o->kind == P2A_K_VGPR ? RA_V : RA_S, i->m.offset);

	for (unsigned d = 0; d < o->width; d++)
		if (i->m.op == P_spill)
			set_name(C, slot + d, C->at[reg + d]);
		else
			set_name(C, reg + d, C->at[slot + d]);
}

/* The instruction as it was in the input, to find what it reads and writes. */
static unsigned
meant(const checker *C, const ir_inst *i, ra_access *a)
{
	ir_inst was = *i;

	if (i->m.op == P_spill || i->m.op == P_reload || (i->m.op == P_copy && !i->m.nargs)) {
		was.m.op = P_copy;
		was.m.nargs = 2;
		was.ndefs = 1;
	}
	memcpy(was.m.arg, i->phi, was.m.nargs * sizeof *was.m.arg);
	return ra_accesses(C->f, &was, a);
}

static uint32_t
access_place(const checker *C, const ir_inst *i, const ra_access *a)
{
	return a->arg < 0 ? (uint32_t)RA_VCC + a->first : place_of(C, i, (unsigned)a->arg);
}

static void
check_read(checker *C, const ir_inst *i, const ra_access *a)
{
	uint32_t p = access_place(C, i, a), unit = C->L->base[a->val] + a->first;

	if (p == RA_NONE || p + a->n > C->nplaces) {
		fail(C, i, "operand without a register", unit, p);
		return;
	}
	for (unsigned d = 0; d < a->n; d++)
		if (C->at[p + d] != 1 + C->L->root[unit + d] &&
		    may_be_written(C, i->block, unit + d, ra_bank(C->f, a->val)))
			fail(C, i, "wrong value read", unit + d, C->at[p + d] - 1);
}

/* Results that are written before all sources are read must not lie on a source. */
static void
check_early(checker *C, const ir_inst *i, const ra_access *a, unsigned n)
{
	for (unsigned w = 0; w < n; w++)
		for (unsigned r = 0; a[w].early && r < n; r++) {
			uint32_t pw = access_place(C, i, &a[w]), pr = access_place(C, i, &a[r]);

			if (!a[r].write && a[r].read && pw < pr + a[r].n && pr < pw + a[w].n)
				fail(C, i, "result lies on a source", C->L->base[a[w].val], pr);
		}
}

static void
step(checker *C, const ir_inst *i, bool check)
{
	ra_access a[RA_MAX_ACCESS];
	unsigned n;

	if (!i->phi) {
		move(C, i);
		return;
	}
	n = meant(C, i, a);
	for (unsigned k = 0; k < n && check; k++)
		if (a[k].read)
			check_read(C, i, &a[k]);
	if (check)
		check_early(C, i, a, n);
	for (unsigned k = 0; k < n; k++)
		for (unsigned d = 0; a[k].write && d < a[k].n; d++) {
			uint32_t unit = C->L->base[a[k].val] + a[k].first + d;

			write_unit(C, access_place(C, i, &a[k]) + d, unit, C->R->homes.a[a[k].val].remat != NULL);
			C->wrote[unit] = i->block->id + 1;
		}
}

/* ---- paths ---- */

static uint32_t *
row(const checker *C, uint32_t *table, uint32_t b)
{
	return table + (size_t)b * C->nplaces;
}

static bool
bit_in(const checker *C, const uint64_t *rows, const ir_block *b, uint32_t unit, unsigned bank)
{
	const ra_plane *p = &C->L->plane[bank];

	return ra_bit(rows + (size_t)b->id * p->words, C->L->bit[unit]);
}

/* Is a unit that goes by this name and lies in this place needed in b, and has `from` (NULL: anybody)
 * written it on the way? Elsewhere the name stands for a copy that nobody reads, and must neither keep
 * out the one that is meant nor speak for one that this path leaves undefined. */
static bool
is_live_in(const checker *C, const ir_block *b, uint32_t name, uint32_t place, const ir_block *from)
{
	unsigned bank = bank_of_place(C, place);
	const ra_plane *p = &C->L->plane[bank];

	for (uint32_t u = C->alias[name - 1]; u != RA_NONE; u = C->next_alias[u])
		if (C->home[u] == place && bit_in(C, p->in, b, u, bank) &&
		    (!from || bit_in(C, p->rout, from, u, bank)))
			return true;
	return false;
}

static bool
all_agree(const checker *C, const ir_block *b, uint32_t place, uint32_t name)
{
	unsigned bank = bank_of_place(C, place);
	ir_block *const *preds = bank == RA_V ? b->preds.a : b->lpreds.a;
	uint32_t n = bank == RA_V ? b->preds.n : b->lpreds.n;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t there = row(C, C->out, preds[k]->id)[place];

		if (there != UNSEEN && there != name && is_live_in(C, b, name, place, preds[k]))
			return false;
	}
	return true;
}

static uint32_t
meet(const checker *C, const ir_block *b, uint32_t place)
{
	unsigned bank = bank_of_place(C, place);
	ir_block *const *preds = bank == RA_V ? b->preds.a : b->lpreds.a;
	uint32_t n = bank == RA_V ? b->preds.n : b->lpreds.n;
	bool open = false;      /* a name may still come, and the others may not have written its unit */

	for (uint32_t k = 0; k < n; k++) {
		uint32_t name = row(C, C->out, preds[k]->id)[place];

		open |= name == UNSEEN;
		if (is_listed(name) && is_live_in(C, b, name, place, NULL) && all_agree(C, b, place, name))
			return name;
	}
	return open && b != C->f->entry ? UNSEEN : UNKNOWN;
}

static bool
enter(checker *C, const ir_block *b)
{
	uint32_t *in = row(C, C->in, b->id);
	bool changed = false;

	for (uint32_t p = 0; p < C->nplaces; p++) {
		uint32_t name = in[p] == UNKNOWN ? UNKNOWN : meet(C, b, p);

		if (name == in[p])
			continue;
		in[p] = in[p] == UNSEEN ? name : UNKNOWN;
		changed = true;
	}
	return changed;
}

static void
set_due(checker *C, const ir_block *b)
{
	for (uint32_t k = 0; k < b->succs.n; k++)
		C->due[b->succs.a[k]->id] = true;
	for (uint32_t k = 0; k < b->lsuccs.n; k++)
		C->due[b->lsuccs.a[k]->id] = true;
}

static void
run_block(checker *C, const ir_block *b, bool check)
{
	const uint32_t *in = row(C, C->in, b->id);
	uint32_t *out = row(C, C->out, b->id);

	for (uint32_t p = 0; p < C->nplaces; p++)
		set_name(C, p, in[p]);
	for (const ir_inst *i = b->first; i; i = i->next)
		step(C, i, check);
	if (!memcmp(out, C->at, C->nplaces * sizeof *C->at))
		return;
	memcpy(out, C->at, C->nplaces * sizeof *C->at);
	set_due(C, b);
}

/* all: every block once at least, so that its own writes are known even if nothing comes in. */
static void
run_to_end(checker *C, bool all)
{
	bool changed = true;

	for (; changed; all = false) {
		changed = all;
		for (uint32_t b = 0; b < C->f->blocks.n; b++) {
			if (!C->due[b] && !all)
				continue;
			C->due[b] = false;
			if (!enter(C, C->f->blocks.a[b]) && !all)
				continue;
			run_block(C, C->f->blocks.a[b], false);
			changed = true;
		}
	}
}

/* What no name has come to, round a loop that brings none, is unknown. */
static bool
close_open(checker *C, const ir_block *b)
{
	uint32_t *in = row(C, C->in, b->id);
	bool changed = false;

	for (uint32_t p = 0; p < C->nplaces; p++)
		if (in[p] == UNSEEN) {
			in[p] = UNKNOWN;
			changed = true;
		}
	return changed;
}

static void
run(checker *C)
{
	run_to_end(C, true);
	for (uint32_t b = 0; b < C->f->blocks.n; b++)
		if (close_open(C, C->f->blocks.a[b]))
			run_block(C, C->f->blocks.a[b], false);
	run_to_end(C, false);
	memset(C->wrote, 0, C->L->nunits * sizeof *C->wrote);
	for (uint32_t b = 0; b < C->f->blocks.n; b++)
		run_block(C, C->f->blocks.a[b], true);
}

static uint32_t *
new_lists(arena *A, size_t n)
{
	uint32_t *table = arena_array(A, uint32_t, n);

	memset(table, 0xff, n * sizeof *table);
	return table;
}

static void
find_aliases(checker *C)
{
	C->alias = new_lists(C->f->A, C->L->nunits);
	C->next_alias = new_lists(C->f->A, C->L->nunits);
	for (uint32_t u = 0; u < C->L->nunits; u++) {
		uint32_t root = C->L->root[u];

		if (C->L->bit[u] == RA_NONE)
			continue;
		C->next_alias[u] = C->alias[root];
		C->alias[root] = u;
	}
}

/* Temporaries of spilled values do not live across blocks. */
static uint32_t
home_of(const checker *C, uint32_t val)
{
	const ra *R = C->R;
	const ra_bundle *b;

	if (R->homes.a[val].slot != RA_NONE)
		return slot_place(C, ra_bank(C->f, val), (int32_t)R->homes.a[val].slot);
	if (R->bundle_of[val] == RA_NONE)
		return RA_NONE;
	b = &R->bundles[R->bundle_of[val]];
	return b->reg < 0 ? RA_NONE : (b->bank == RA_V ? C->start[1] : 0u) + (uint32_t)b->reg + R->offset[val];
}

static void
find_homes(checker *C)
{
	C->home = arena_array(C->f->A, uint32_t, C->L->nunits);
	for (uint32_t v = 0; v < C->L->nvals; v++) {
		uint32_t home = home_of(C, v);

		for (uint32_t u = C->L->base[v]; u < C->L->base[v + 1]; u++)
			C->home[u] = home == RA_NONE ? RA_NONE : home + (u - C->L->base[v]);
	}
}

const char *
ra_check(ra *R, const ra_live *original)
{
	checker C = { .R = R, .f = R->f, .L = original };
	size_t n;

	C.start[1] = RA_NSGPR;
	C.start[2] = C.start[1] + R->used[RA_V];
	C.start[3] = C.start[2] + R->slots[RA_S];
	C.nplaces = C.start[3] + R->slots[RA_V];
	n = arena_bytes(R->A, R->f->blocks.n, C.nplaces);
	C.in = arena_array(R->A, uint32_t, n);
	C.out = arena_array(R->A, uint32_t, n);
	C.at = arena_array(R->A, uint32_t, C.nplaces);
	C.wrote = arena_array(R->A, uint32_t, original->nunits);
	C.due = arena_array(R->A, bool, R->f->blocks.n);
	C.head = new_lists(R->A, original->nunits + (size_t)1);
	C.next = arena_array(R->A, uint32_t, C.nplaces);
	C.prev = arena_array(R->A, uint32_t, C.nplaces);
	find_aliases(&C);
	find_homes(&C);
	memset(C.in, 0xff, n * sizeof *C.in);
	memset(C.out, 0xff, n * sizeof *C.out);
	run(&C);
	return C.wrong;
}
