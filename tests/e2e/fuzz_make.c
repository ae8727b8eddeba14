/* fuzz_make.c -- the generator: a random program from a seed.
 * Mostly structured control flow (ifs, counted loops with breaks and continues from any depth, switches), with
 * gotos into loops and knots of arbitrary gotos; register counts by profile. Warp operations stand where it is known which lanes are
 * there, waiting where nobody waits in a circle, functions behind the kernel; the interpreter has the last word on all of it. */
#include "fuzz.h"

#include <string.h>

enum { MAX_DEPTH = 5, NLOOP = 40, NFROZEN = 12, NMASK = 48 };
/* Masks, beside registers: all lanes of the warp, and that it is not known which lanes are here. */
enum { ALL = NONE, UNKNOWN = NONE - 1 };

typedef struct profile { const char *name; uint16_t weight, r, d, h, p, body; uint16_t more; } profile;

/* `more` times rnd() of the counts comes on top; body: statements */
static const profile profiles[] = {
	{ "small",      52,  10,   6,  4,  5, 26, 1 },
	{ "tiny",       12,   4,   2,  2,  2, 14, 1 },
	{ "wide",       12,   8,   4,  3,  4, 14, 1 },
	{ "vector",      8, 150,  60,  6,  6, 30, 3 },
	{ "uniform",     8, 120,  30,  4, 16, 30, 2 },
	{ "gotos",      20,   6,   3,  2,  6, 24, 1 },
	{ "predicates",  8,  12,   4,  3, 40, 40, 2 },
	{ "huge",        1, 700, 200, 10, 20, 40, 3 },
	{ "long",        1,  12,   6,  4,  6, 700, 1 },
};

/* kept: all lanes that enter run it to its end, or leave by their mask */
typedef struct loop { uint32_t head, next, end, mask; bool kept; } loop;

typedef struct maker {
	fuzz_program *p;
	uint64_t s;
	const profile *f;
	loop loops[MAX_DEPTH + 1];
	unsigned nloops, ncounters, nfrozen, nmasks, nwaits, nplaces;
	unsigned lock0;          /* the first lock that may be taken here: those below are held, perhaps */
	unsigned held;           /* locks that are held */
	unsigned ncalls;         /* in this function */
	const fuzz_signature *in; /* of the function that is made; NULL in the kernel */
	unsigned floor;          /* loops that may not be left from here, for a lock would stay taken */
	uint32_t mask;           /* register with the lanes of the warp that are here, but for those that have ended; ALL, UNKNOWN */
	unsigned depth;
	bool uniform;            /* all lanes of the workgroup are here */
	bool ended;              /* some lanes may have ended */
	bool calm;               /* uniform registers are left alone: divergent here */
	bool gotos;              /* little but control flow and values that are the same in all lanes */
	bool stay;               /* no lane may end here: others wait for it */
	bool flat;               /* this instruction uses uniform registers only */
	uint32_t recent[NCLASS];
	uint32_t counter0, frozen0, partial0, mask0;
	int budget;
} maker;

uint32_t
fuzz_rnd(uint64_t *s, uint32_t n)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*s >> 33) % n;
}

uint64_t
fuzz_value(uint64_t *s)
{
	static const uint64_t edge[] = { 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0xffffff,
		0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, ~0ull << 31,
		0x3f800000, 0x00800000, 0x7f800000, 0x01020304, 0x3ff0000000000000, 0xc0000000c0000000, 0x7fffffff80000000 };
	uint64_t x = (uint64_t)fuzz_rnd(s, 1u << 31) << 33 ^ (uint64_t)fuzz_rnd(s, 1u << 31) << 11 ^ fuzz_rnd(s, 1u << 31);

	switch (fuzz_rnd(s, 6)) {
	case 0:  return edge[fuzz_rnd(s, sizeof edge / sizeof *edge)];
	case 1:  return x & 0xff;
	case 2:  return x & (~0ull >> fuzz_rnd(s, 64));
	case 3:  return x & 0xffffffff ? (uint64_t)(int64_t)(int8_t)x : 0;
	default: return x;
	}
}

static uint32_t
rnd(maker *m, uint32_t n)
{
	return fuzz_rnd(&m->s, n);
}

static fuzz_inst *
add(maker *m, fuzz_kind k)
{
	fuzz_program *p = m->p;
	fuzz_inst *i = &p->i[p->n < MAX_INST - 1 ? p->n++ : p->n - 1];

	memset(i, 0, sizeof *i);
	i->kind = (uint8_t)k;
	i->guard = -1;
	i->src[2] = NONE;
	m->budget--;
	return i;
}

static uint32_t
new_label(maker *m)
{
	return m->p->nlabels < MAX_LABEL - 1 ? m->p->nlabels++ : MAX_LABEL - 1;
}

static void
put_label(maker *m, uint32_t l)
{
	add(m, I_LABEL)->target[0] = l;
}

/* ---- registers ---- */

static uint32_t
source(maker *m, char k)
{
	unsigned c = fuzz_class_of(k);

	if (!m->flat && !rnd(m, 3))
		return m->recent[c];
	if (c == 0 && m->nloops && !rnd(m, 12))
		return m->counter0 + rnd(m, m->ncounters);
	if (m->p->uniform[c] && (m->flat || !rnd(m, 3)))
		return rnd(m, m->p->uniform[c]);
	return rnd(m, m->p->count[c]);
}

static uint32_t
result(maker *m, char k)
{
	unsigned c = fuzz_class_of(k);
	uint32_t u = m->p->uniform[c], n = m->p->count[c];

	if (m->flat && u)
		return rnd(m, u);
	return m->recent[c] = u < n && rnd(m, 30) ? u + rnd(m, n - u) : rnd(m, n);
}

static int16_t
predicate(maker *m, bool uniform)
{
	uint32_t u = m->p->uniform[3], n = m->p->count[3];

	return (int16_t)(uniform && u ? rnd(m, u) : u < n ? u + rnd(m, n - u) : rnd(m, n));
}

static void
guard(maker *m, fuzz_inst *i, unsigned one_in)
{
	if (rnd(m, one_in))
		return;
	i->guard = predicate(m, m->flat);
	i->neg = (uint8_t)rnd(m, 2);
}

/* ---- straight code ---- */

static uint64_t
constant(maker *m, char k)
{
	uint64_t ones;

	switch (k) {
	case 'i': return rnd(m, 5) ? rnd(m, 34) : rnd(m, 100);
	case 'k': return rnd(m, 256);
	case 'c': return fuzz_value(&m->s) & 0x7fffffff;
	case 'C': return fuzz_value(&m->s);
	case 'W': return 1ull << rnd(m, 31);
	case 'M':
		ones = 0xffffffffull >> rnd(m, 32);
		return (rnd(m, 2) ? ones << rnd(m, 32) : ones) & 0xffffffff;
	default: return 0;
	}
}

/* A row with this result, 0: any. */
static uint16_t
choose_op(maker *m, char dst)
{
	for (;;) {
		uint16_t op = (uint16_t)rnd(m, fuzz_nops);
		char d = fuzz_ops[op].dst;

		if (dst ? d == dst : d != 'h' || rnd(m, 2))
			return op;
	}
}

/* Around it a name that it does not use becomes something else. */
static void
scope(maker *m, fuzz_inst *i)
{
	const fuzz_op *o = &fuzz_ops[i->op];

	if (rnd(m, 2) && m->p->nlabels) {
		i->form = 2;
		i->target[0] = rnd(m, m->p->nlabels);
		return;
	}
	i->target[0] = rnd(m, m->p->count[0]);
	if (fuzz_class_of(o->dst) == 0 && i->dst == i->target[0])
		return;
	for (unsigned k = 0; o->src[k]; k++)
		if (i->src[k] == i->target[0])
			return;
	i->form = 1;
}

static fuzz_inst *
add_op(maker *m, char dst)
{
	fuzz_inst *i = add(m, I_OP);
	const fuzz_op *o;

	m->flat = m->p->uniform[0] && !rnd(m, m->gotos ? 2 : m->calm ? 20 : 4);
	i->op = choose_op(m, dst);
	o = &fuzz_ops[i->op];
	for (unsigned k = 0; o->src[k]; k++) {
		i->imm[k] = constant(m, o->src[k]);
		i->src[k] = strchr("ikcCWMtTUV", o->src[k]) ? 0 : source(m, o->src[k]);
	}
	guard(m, i, m->flat ? 12 : 6);
	i->dst = result(m, o->dst);
	m->flat = false;
	if (!rnd(m, 25))
		scope(m, i);
	return i;
}

static bool
distinct(const fuzz_inst *i, unsigned n)
{
	for (unsigned a = 0; a < n; a++)
		for (unsigned b = 0; b < a; b++)
			if (i->src[a] == i->src[b])
				return false;
	return true;
}

/* The address of size bytes: its form and what that needs. */
static void
choose_address(maker *m, fuzz_inst *i, unsigned size)
{
	static const uint32_t far[] = { 1, 4, 16, 60, 64, 1000, 2047, 2048, 4095, 4096, 8191, 65532, 0xffffff, 0x7fffff00 };

	i->form = (uint8_t)rnd(m, NFORM);
	i->imm[1] = rnd(m, 16);
	i->imm[0] = rnd(m, AREA / size / (fuzz_indexed(i->form) ? 2 : 1)) * size;
	i->imm[2] = far[rnd(m, sizeof far / sizeof *far)];
	i->dst = source(m, 'r');
	i->target[0] = (uint32_t)predicate(m, !rnd(m, 3));
}

static bool has_shared(const maker *m) { return fuzz_threads(m->p) <= 600; }

/* Elements of a vector that a load drops: seldom, but of eight every other, for there are registers for four. */
static void
choose_dropped(maker *m, fuzz_inst *i, unsigned n)
{
	i->imm[3] = 0;
	if (i->kind != I_LOAD || n == 1)
		return;
	if (n == 8)
		for (unsigned e = 0; e < 4; e++)
			i->imm[3] |= 1ull << (rnd(m, 2) ? e : e + 4);
	else if (!rnd(m, 4))
		i->imm[3] = rnd(m, (1u << n) - 1);
}

static void
add_memory(maker *m)
{
	fuzz_inst *i = add(m, rnd(m, 5) < 3 ? I_LOAD : I_STORE);
	const fuzz_type *t;

	do
		i->type = (uint8_t)rnd(m, fuzz_ntypes);
	while (m->p->count[fuzz_class_of(fuzz_types[i->type].cls)] < (fuzz_types[i->type].n & 7));
	t = &fuzz_types[i->type];
	i->space = (uint8_t)rnd(m, i->kind == I_LOAD ? NSPACE : SP_SHARED + 1);
	if (i->space == SP_PARAM && m->in)
		i->space = SP_CONST;
	if (i->space == SP_SHARED && !has_shared(m))
		i->space = SP_LOCAL;
	if (t->bytes * t->n > 16)
		i->space = SP_GLOBAL;
	do
		choose_address(m, i, (unsigned)t->bytes * t->n);
	while (t->bytes * t->n > 16 && i->form >= FORM_GENERIC);
	guard(m, i, 5);
	do
		for (unsigned k = 0; k < t->n && k < 4; k++)
			i->src[k] = i->kind == I_LOAD ? result(m, t->cls) : source(m, t->cls);
	while (i->kind == I_LOAD && !distinct(i, t->n < 4 ? t->n : 4));
	choose_dropped(m, i, t->n);
}

static void
add_atom(maker *m)
{
	fuzz_inst *i = add(m, I_ATOM);
	const fuzz_atom *a;

	i->op = (uint16_t)rnd(m, fuzz_natoms);
	a = &fuzz_atoms[i->op];
	i->space = has_shared(m) && rnd(m, 2) ? SP_SHARED : SP_GLOBAL;
	choose_address(m, i, a->bytes);
	i->imm[3] = rnd(m, 4);
	guard(m, i, 5);
	i->src[1] = source(m, a->cls);
	i->src[2] = source(m, a->cls);
	i->src[3] = a->red && rnd(m, 3) ? NONE : result(m, a->cls);
}

static void
add_copy(maker *m)
{
	fuzz_inst *i = add(m, I_COPY);

	i->imm[2] = 4u << rnd(m, 3);
	i->imm[0] = rnd(m, AREA / (uint32_t)i->imm[2]) * i->imm[2];
	i->imm[1] = rnd(m, AREA / (uint32_t)i->imm[2]) * i->imm[2];
	i->imm[3] = rnd(m, 6);
	guard(m, i, 5);
}

/* Something that changes memory or nothing, but is no ld or st. */
static void
add_odd(maker *m)
{
	unsigned what = rnd(m, 6);

	if (what < 4)
		add_atom(m);
	else if (what == 4 && has_shared(m))
		add_copy(m);
	else
		add(m, I_NOTHING)->op = (uint16_t)rnd(m, fuzz_nnothing - (m->uniform && !m->ended ? 0 : FUZZ_NALIGNED));
}

static void
add_swap(maker *m)
{
	fuzz_inst *i = add(m, I_SWAP);
	unsigned n = 2 + rnd(m, 2);

	i->cls = "rrdhp"[rnd(m, 5)];
	if (m->p->count[fuzz_class_of(i->cls)] < 4)
		n = 2;
	do
		for (unsigned k = 0; k < n; k++)
			i->src[k] = rnd(m, m->p->count[fuzz_class_of(i->cls)]);
	while (!distinct(i, n));
	if (n == 2)
		i->src[2] = NONE;
}

static void
straight(maker *m)
{
	for (unsigned k = 1 + rnd(m, m->gotos ? 2 : 7); k > 0; k--) {
		if (!rnd(m, 7))
			add_memory(m);
		else if (!rnd(m, 25))
			add_swap(m);
		else if (!rnd(m, 16))
			add_odd(m);
		else
			add_op(m, 0);
	}
}

/* ---- control flow ---- */

static void body(maker *, unsigned statements);

static fuzz_inst *
branch(maker *m, fuzz_kind k, uint32_t label, bool uniform)
{
	fuzz_inst *i = add(m, k);

	i->target[0] = label;
	i->guard = predicate(m, uniform);
	i->neg = (uint8_t)rnd(m, 2);
	return i;
}

/* A part that the lanes of a mask reach, of all warps or not. */
static void
within(maker *m, unsigned statements, uint32_t mask, bool uniform, bool calm)
{
	maker was = *m;

	m->mask = mask;
	m->uniform = uniform;
	m->calm |= calm;
	m->depth++;
	body(m, statements);
	m->depth--;
	m->mask = was.mask;
	m->uniform = was.uniform;
	m->calm = was.calm;
}

/* A part that perhaps not all lanes reach. */
static void
apart(maker *m, unsigned statements, bool calm)
{
	within(m, statements, UNKNOWN, false, calm);
}

static void
add_if(maker *m)
{
	uint32_t other = new_label(m), end = new_label(m);
	bool uniform = !rnd(m, 3), both = rnd(m, 2);

	branch(m, I_BRA, other, uniform);
	apart(m, 1 + rnd(m, 3), !uniform);
	if (both)
		add(m, I_BRA)->target[0] = end;
	put_label(m, other);
	if (both)
		apart(m, 1 + rnd(m, 3), !uniform);
	put_label(m, end);
}

/* ---- warps ---- */

static bool
may_meet(const maker *m)
{
	return m->p->warps && m->mask != UNKNOWN;
}

static uint32_t
register_or(maker *m, unsigned one_in)
{
	return rnd(m, one_in) ? NONE : source(m, 'r');
}

/* Where else its text stands. */
static void
add_places(maker *m, fuzz_inst *i)
{
	if (m->p->in_step || rnd(m, 3))
		return;
	i->form = (uint8_t)(1 + rnd(m, WARP_NPLACES - 1));
	i->form |= rnd(m, 2) ? WARP_CALLED : 0;
	i->src[3] = (uint32_t)predicate(m, !rnd(m, 5));
	i->target[2] = m->nplaces++;
	i->target[3] = (uint32_t)predicate(m, !rnd(m, 5));
}

static void
add_warp(maker *m)
{
	/* clamps and segments: whole, up's, of 16, 8, 2; odd ones */
	static const uint16_t c[] = { 31, 31, 0, 0x100f, 0x101f, 0x181f, 0x1800, 0x1e1f, 0x1e00, 0x0a15, 0x1f1f, 0x070c };
	fuzz_inst *i;
	const fuzz_wop *o;
	uint16_t op;

	do
		o = &fuzz_wops[op = (uint16_t)rnd(m, rnd(m, 2) ? 8 : fuzz_nwops)];
	while ((m->ended && (o->kind <= W_IDX || o->kind == W_EXCHANGE)) || (o->loose && (m->mask != ALL || !m->p->in_step)));
	i = add(m, I_WARP);
	i->op = op;
	i->target[0] = m->mask;
	i->target[1] = o->pair && rnd(m, 2) ? rnd(m, m->p->count[3]) : NONE;
	if (o->kind == W_MATCH_ALL && o->a == 'd')
		i->target[1] = rnd(m, m->p->count[3]);
	if (o->a)
		i->src[0] = source(m, o->a);
	i->src[1] = register_or(m, 3);
	i->src[2] = register_or(m, 5);
	i->imm[0] = rnd(m, 4) ? UINT32_MAX : 1 + rnd(m, 7);
	if (o->kind == W_FMIN || o->kind == W_FMAX)
		i->imm[0] = UINT32_MAX;
	if (o->kind == W_MATCH_ANY || o->kind == W_MATCH_ALL)
		i->imm[0] = 1u << rnd(m, 4);
	i->imm[1] = rnd(m, 6) ? 1u << rnd(m, 5) : rnd(m, 100);
	i->imm[2] = o->kind == W_UP && rnd(m, 2) ? 0 : c[rnd(m, sizeof c / sizeof *c)];
	i->imm[3] = o->a == 'p' && rnd(m, 2);
	if (!o->loose)
		guard(m, i, 6);
	if (o->dst)
		i->dst = result(m, o->dst);
	add_places(m, i);
}

static uint32_t
new_mask(maker *m)
{
	return m->mask0 + m->nmasks++;
}

/* A branch, after masks of both its ways are made. */
static fuzz_inst *
part(maker *m, fuzz_part how, uint32_t to)
{
	fuzz_inst *i = add(m, I_PART);

	i->form = (uint8_t)how;
	i->target[0] = to;
	i->src[0] = m->mask;
	i->neg = (uint8_t)rnd(m, 2);
	if (how == PART_BLOCK) {
		i->imm[0] = rnd(m, m->p->grid[0] + 1);
		return i;
	}
	i->guard = predicate(m, !rnd(m, 3));
	if (how == PART_VOTE) {
		i->op = (uint16_t)(W_ALL + rnd(m, 3));
		i->imm[0] = rnd(m, 2);
	} else {
		i->dst = new_mask(m);
		i->src[1] = new_mask(m);
	}
	return i;
}

static void
add_known_if(maker *m)
{
	uint32_t other = new_label(m), end = new_label(m), stay = m->mask, go = m->mask;
	fuzz_part how = rnd(m, 2) ? PART_BALLOT : rnd(m, 2) ? PART_VOTE : PART_BLOCK;
	bool both = rnd(m, 2), uniform = m->uniform && how == PART_BLOCK;
	fuzz_inst *i = part(m, how, other);

	if (how == PART_BALLOT) {
		stay = i->dst;
		go = i->src[1];
	}
	within(m, 1 + rnd(m, 3), stay, uniform, how == PART_BALLOT);
	if (both)
		add(m, I_BRA)->target[0] = end;
	put_label(m, other);
	if (both)
		within(m, 1 + rnd(m, 3), go, uniform, how == PART_BALLOT);
	put_label(m, end);
}

static void add_count(maker *, uint32_t counter, bool uniform);

/* Turns by lane, their mask made anew at the end of each; lanes leave it early by part(). */
static void
add_known_loop(maker *m)
{
	uint32_t counter = m->counter0 + m->ncounters, mask;
	loop *l = &m->loops[m->nloops];
	fuzz_inst *i;

	if (m->ncounters >= NLOOP || m->nloops >= MAX_DEPTH)
		return;
	m->ncounters++;
	*l = (loop){ new_label(m), new_label(m), new_label(m), UNKNOWN, true };
	add_count(m, counter, false);
	if (rnd(m, 3)) {
		i = add(m, I_MASK);
		i->src[0] = m->mask;
		i->dst = new_mask(m);
	} else {
		i = part(m, PART_BALLOT, l->end);
	}
	mask = l->mask = i->dst;
	put_label(m, l->head);
	m->nloops++;
	within(m, 1 + rnd(m, 4), mask, false, rnd(m, 2));
	m->nloops--;
	i = add(m, I_AGAIN);
	i->dst = counter;
	i->src[0] = mask;
	i->target[0] = l->head;
	put_label(m, l->end);
}

/* Out of the innermost loop, where all lanes of its mask are. */
static void
add_known_break(maker *m)
{
	loop *l = &m->loops[m->nloops - 1];

	part(m, PART_BALLOT, l->end)->dst = l->mask;
}

static void
add_switch(maker *m)
{
	uint32_t n = rnd(m, 2) ? 4 : 2, end = new_label(m), to[4];
	bool table = rnd(m, 2);
	fuzz_inst *i;

	for (unsigned k = 0; k < n; k++)
		to[k] = rnd(m, 6) ? new_label(m) : end;
	if (table) {
		i = add(m, I_SWITCH);
		i->src[0] = source(m, 'r');
		i->imm[0] = n - 1;
		memcpy(i->target, to, sizeof to);
		guard(m, i, 4);
	} else {
		for (unsigned k = 1; k < n; k++)
			branch(m, I_BRA, to[k], !rnd(m, 4));
	}
	for (unsigned k = 0; k < n; k++) {
		if (to[k] == end)
			continue;
		put_label(m, to[k]);
		apart(m, 1 + rnd(m, 2), true);
		if (rnd(m, 4))
			add(m, I_BRA)->target[0] = end;
	}
	put_label(m, end);
}

/* How often: the same for all, or by lane. */
static void
add_count(maker *m, uint32_t counter, bool uniform)
{
	fuzz_inst *i = add(m, I_COUNT);

	i->dst = counter;
	i->imm[0] = rnd(m, 2) ? 3 : 7;
	i->imm[1] = rnd(m, 3);
	i->src[0] = NONE;
	if (uniform)
		i->imm[1] = 1 + rnd(m, 4);
	else
		i->src[0] = source(m, 'r');
}

/* A loop that all lanes here run equally often may hold barriers or warp operations, so nothing leaves it early. */
static void
add_loop(maker *m)
{
	bool uniform = rnd(m, 2), closed = (m->uniform || may_meet(m)) && uniform && rnd(m, 3);
	uint32_t counter = m->counter0 + m->ncounters % NLOOP, into = NONE;
	loop *l = &m->loops[m->nloops];

	if (m->ncounters >= NLOOP || m->nloops >= MAX_DEPTH)
		return;
	m->ncounters++;
	*l = (loop){ new_label(m), new_label(m), new_label(m), UNKNOWN, closed };
	if (!closed && !rnd(m, m->gotos ? 2 : 5))
		branch(m, I_BRA, into = new_label(m), !rnd(m, 4));
	add_count(m, counter, uniform);
	if (!closed && !rnd(m, 4))
		branch(m, I_BRA, l->end, !rnd(m, 3));
	put_label(m, l->head);
	m->nloops++;
	m->depth++;
	if (closed) {
		body(m, 1 + rnd(m, 4));
	} else {
		m->depth--;
		apart(m, 1 + rnd(m, 2), !uniform && rnd(m, 2));
		if (into != NONE)
			put_label(m, into);
		apart(m, 1 + rnd(m, 3), !uniform && rnd(m, 2));
		m->depth++;
	}
	m->depth--;
	put_label(m, l->next);
	if (rnd(m, 2))
		straight(m);
	{
		fuzz_inst *i = add(m, I_LOOP);

		i->dst = counter;
		i->target[0] = l->head;
		if (!closed && !rnd(m, 4))
			guard(m, i, 1);
	}
	m->nloops--;
	put_label(m, l->end);
}

/* break or continue, of any loop around up to a closed one */
static void
add_leave(maker *m)
{
	unsigned from = m->nloops;
	loop *l;

	while (from > m->floor && !m->loops[from - 1].kept)
		from--;
	if (from == m->nloops)
		return;
	l = &m->loops[from + rnd(m, m->nloops - from)];
	branch(m, I_BRA, rnd(m, 3) ? l->end : l->next, !rnd(m, 4));
}

/* Blocks with gotos between any two of them; fuel ends it. */
static void
add_knot(maker *m)
{
	uint32_t nb = 2 + rnd(m, 5), to[8];

	for (unsigned k = 0; k <= nb; k++)
		to[k] = new_label(m);
	for (unsigned b = 0; b < nb; b++) {
		put_label(m, to[b]);
		if (rnd(m, 3))
			straight(m);
		if (rnd(m, 3)) {
			bool forward = rnd(m, 3);
			fuzz_inst *i = branch(m, forward ? I_BRA : I_BACK, to[forward ? b + 1 + rnd(m, nb - b) : rnd(m, b + 1)], !rnd(m, 5));

			if (forward && !rnd(m, 6))
				i->guard = -1;
		}
	}
	put_label(m, to[nb]);
}

/* A register that only some lanes write, and only those read: the predicate in between is frozen. */
static void
add_partial(maker *m)
{
	uint32_t f = m->frozen0 + m->nfrozen % NFROZEN, x = m->partial0 + m->nfrozen % NFROZEN, skip = new_label(m);
	bool jump = rnd(m, 2);
	fuzz_inst *i;

	if (m->nfrozen >= NFROZEN)
		return;
	m->nfrozen++;
	i = add(m, I_PREDICATE);
	i->dst = f;
	i->src[0] = (uint32_t)predicate(m, !rnd(m, 3));
	if (jump) {
		i = branch(m, I_BRA, skip, false);
		i->guard = (int16_t)f;
		i->neg = 1;
	}
	i = add_op(m, 'r');
	i->guard = jump ? -1 : (int16_t)f;
	i->neg = 0;
	i->dst = x;
	put_label(m, skip);
	m->depth++;
	body(m, 1 + rnd(m, 2));
	m->depth--;
	do
		i = add_op(m, 'r');
	while (strcspn(fuzz_ops[i->op].src, "rfnm"));
	i->src[0] = x;
	i->guard = (int16_t)f;
	i->neg = 0;
}

static void
add_exchange(maker *m)
{
	fuzz_inst *i = add(m, rnd(m, 6) ? I_EXCHANGE : rnd(m, 3) ? I_REDUCE : I_BARRIER);

	i->imm[2] = rnd(m, 2) ? 0 : rnd(m, 16);
	if (i->kind == I_REDUCE) {
		i->src[0] = (uint32_t)predicate(m, false);
		i->imm[0] = rnd(m, 3);
		i->imm[1] = rnd(m, 2);
		i->dst = rnd(m, m->p->count[i->imm[0] ? 3 : 0]);
		return;
	}
	i->imm[2] |= rnd(m, 3) ? BY_HALVES : 0;
	i->src[0] = source(m, 'r');
	i->src[1] = source(m, 'r');
	i->imm[0] = rnd(m, fuzz_threads(m->p));
	i->imm[1] = rnd(m, 2) ? 0 : 1 + rnd(m, 2);
	i->dst = rnd(m, m->p->count[0]);
}

/* ---- waiting ---- */

static void
add_sum(maker *m, unsigned lock)
{
	fuzz_inst *i = add(m, I_SUM);

	i->imm[0] = 2 * lock + rnd(m, 2);
	i->imm[1] = rnd(m, 2);
	i->src[0] = source(m, 'r');
}

/* By an atomic operation, without a lock. */
static void
add_tally(maker *m)
{
	fuzz_inst *i = add(m, I_TALLY);

	i->imm[0] = rnd(m, NTALLY);
	i->imm[1] = rnd(m, 2);
	i->src[0] = source(m, 'r');
	guard(m, i, 4);
}

/* bar.warp.sync, of the lanes of the mask. */
static void
add_meeting(maker *m)
{
	fuzz_inst *i = add(m, I_WARP);

	while (fuzz_wops[i->op].kind != W_BARRIER)
		i->op++;
	i->target[0] = m->mask;
	i->target[1] = NONE;
}

/* Of the lanes of a known mask the first alone goes on; the others to the label. */
static void
add_first(maker *m, uint32_t skip)
{
	fuzz_inst *i = add(m, I_NOT_FIRST);

	i->src[0] = m->mask;
	i->target[0] = skip;
}

/* A critical section: of each lane that comes here, or, warp, of the lanes of a known mask together: the first takes the lock for them. */
static void
add_locked(maker *m, bool warp)
{
	unsigned lock = m->lock0 + rnd(m, NLOCK - m->lock0), id = m->nwaits++, lock0 = m->lock0, floor = m->floor, how = rnd(m, NTAKE);
	uint32_t skip[2] = { 0, 0 }, mask = warp ? m->mask : UNKNOWN;
	fuzz_inst *i;

	/* The lanes first meet: one that is still behind could wait for the lock that the first holds while that waits for it. */
	if (warp) {
		add_meeting(m);
		add_first(m, skip[0] = new_label(m));
	}
	i = add(m, I_LOCK);
	i->imm[0] = lock;
	i->imm[1] = id;
	i->form = (uint8_t)how;
	if (warp) {
		put_label(m, skip[0]);
		add_meeting(m);
	}
	m->lock0 = lock + 1;
	m->held++;
	m->floor = m->nloops;
	within(m, rnd(m, 3), mask, false, !warp);
	if (warp) {
		add_meeting(m);
		add_first(m, skip[1] = new_label(m));
	}
	add_sum(m, lock);
	within(m, rnd(m, 2), UNKNOWN, false, true);
	m->lock0 = lock0;
	m->held--;
	m->floor = floor;
	i = add(m, I_UNLOCK);
	i->imm[0] = lock;
	i->imm[1] = id;
	i->imm[2] = rnd(m, lock == LOCK_BIT || lock == LOCK_TICKET ? 2 : 3);
	i->form = (uint8_t)how;
	if (warp)
		put_label(m, skip[1]);
}

/* Each lane passes this at one of the places where it is said; all of a chain's links are alike. */
static void
add_link(maker *m, const fuzz_inst *like)
{
	fuzz_inst *i = add(m, I_CHAIN);

	i->imm[0] = like->imm[0];
	i->imm[1] = like->imm[1];
	i->imm[2] = like->imm[2];
	i->imm[3] = m->nwaits++;
	i->form = (uint8_t)(rnd(m, 5) | rnd(m, 2) << 3 | rnd(m, 4) << 4);
	i->src[0] = source(m, 'r');
	i->dst = result(m, 'r');
}

/* In each turn of a loop some lanes pass. */
static void
add_chain_by_turns(maker *m, const fuzz_inst *like)
{
	uint32_t counter = m->counter0 + m->ncounters++, skip = new_label(m), head = new_label(m), turns = 2u << rnd(m, 3);
	fuzz_inst *i = add(m, I_COUNT);

	i->dst = counter;
	i->src[0] = NONE;
	i->imm[1] = turns;
	put_label(m, head);
	m->loops[m->nloops++] = (loop){ head, NONE, NONE, UNKNOWN, true };
	within(m, rnd(m, 2), UNKNOWN, false, true);
	i = add(m, I_NOT_TURN);
	i->src[0] = counter;
	i->imm[0] = turns - 1;
	i->target[0] = skip;
	add_link(m, like);
	within(m, rnd(m, 2), UNKNOWN, false, true);
	put_label(m, skip);
	m->nloops--;
	i = add(m, I_LOOP);
	i->dst = counter;
	i->target[0] = head;
}

/* The lanes where a predicate holds pass early, the others late; or the other way round. */
static void
add_chain_by_predicate(maker *m, const fuzz_inst *like)
{
	uint32_t f = m->frozen0 + m->nfrozen++;
	fuzz_inst *i = add(m, I_PREDICATE);

	i->dst = f;
	i->src[0] = (uint32_t)predicate(m, false);
	for (unsigned k = 0; k < 2; k++) {
		uint32_t skip = new_label(m);

		i = branch(m, I_BRA, skip, false);
		i->guard = (int16_t)f;
		i->neg = (uint8_t)k;
		within(m, rnd(m, 2), UNKNOWN, false, true);
		add_link(m, like);
		within(m, rnd(m, 2), UNKNOWN, false, true);
		put_label(m, skip);
		if (!k)
			within(m, rnd(m, 3), UNKNOWN, false, true);
	}
}

/* All lanes of the block are here. */
static void
add_chain(maker *m)
{
	static const uint8_t far[] = { 1, 1, 1, 2, 7, 32, 33 };
	fuzz_inst like = { .imm = { m->p->nchains++, far[rnd(m, sizeof far)], rnd(m, 3) == 0 } };

	m->stay = true;
	switch (rnd(m, 4)) {
	case 0:  add_link(m, &like); break;
	case 1:  add_chain_by_predicate(m, &like); break;
	default:
		if (m->ncounters < NLOOP && m->nloops < MAX_DEPTH)
			add_chain_by_turns(m, &like);
		else
			add_link(m, &like);
	}
	m->stay = false;
}

static bool
may_chain(const maker *m)
{
	return !m->in && m->uniform && !m->ended && !m->nloops && m->p->nchains < NCHAIN && m->nfrozen < NFROZEN && m->nwaits + 2 < NWAIT && m->depth < 3;
}

static void
wait(maker *m)
{
	unsigned what = rnd(m, 6);

	if (what == 0)
		add_tally(m);
	else if (what < 4 && may_chain(m))
		add_chain(m);
	else if (m->lock0 < NLOCK && m->nwaits < NWAIT && m->depth <= MAX_DEPTH)
		add_locked(m, may_meet(m) && !m->ended && rnd(m, 2));
}

/* May some of the lanes that are here leave for good? */
static bool
may_leave(const maker *m)
{
	if ((m->ended && m->uniform) || m->held || m->stay || (m->in && (m->in->mask || m->in->whole)))
		return false;
	for (unsigned k = 0; k < m->nloops; k++)
		if (m->loops[k].kept)
			return false;
	return true;
}

static void
add_return(maker *m)
{
	fuzz_inst *i;

	if (!may_leave(m))
		return;
	m->ended |= !m->in;
	i = add(m, I_RET);
	i->guard = predicate(m, !rnd(m, 4));
	i->neg = (uint8_t)rnd(m, 2);
	i->imm[0] = !m->in || m->in->exits ? rnd(m, 2) : 0;
}

/* ---- calls ---- */

static bool
has_function(const maker *m, unsigned signature)
{
	for (uint32_t f = 0; f < m->p->nfuncs; f++)
		if (m->p->func[f].signature == signature)
			return true;
	return false;
}

static bool
may_call(const maker *m, const fuzz_signature *s)
{
	if ((s->mask || s->whole) && m->ended)
		return false;
	if ((s->mask && m->mask == UNKNOWN) || (s->whole && !m->uniform))
		return false;
	if (s->exits && (!may_leave(m) || (m->in && !m->in->exits)))
		return false;
	/* Calls in loops of functions, or many of them, would take too many steps. */
	return m->lock0 <= s->lock0 && (!m->in || (!m->nloops && m->ncalls < 2));
}

static void
add_call(maker *m)
{
	unsigned which = rnd(m, NSIGNATURE);
	const fuzz_signature *s = &m->p->signature[which];
	fuzz_inst *i;

	if (!has_function(m, which) || !may_call(m, s))
		return;
	m->ncalls++;
	m->ended |= s->exits && !m->in;
	i = add(m, I_CALL);
	i->imm[0] = rnd(m, MAX_DEEP);
	i->imm[1] = which;
	i->form = (uint8_t)rnd(m, 2);
	i->target[0] = NONE;
	i->target[1] = m->mask == ALL || !s->mask ? NONE : m->mask;
	do
		i->op = (uint16_t)rnd(m, m->p->nfuncs);
	while (m->p->func[i->op].signature != which);
	if (!s->mask && !s->whole) {
		guard(m, i, 4);
		if (!rnd(m, 3))
			i->target[0] = source(m, 'r');
	}
	for (unsigned k = 0; k < s->nargs; k++)
		i->src[k] = source(m, fuzz_args[s->arg[k]].cls);
	if (s->result != NO_ARG)
		i->dst = result(m, fuzz_args[s->result].cls);
}

static uint8_t
choose_arg(maker *m, bool in_reg)
{
	uint8_t a;

	do
		a = (uint8_t)rnd(m, fuzz_nargs);
	while (in_reg && !fuzz_plain_arg(a));
	return a;
}

static void
choose_functions(maker *m)
{
	fuzz_program *p = m->p;

	p->nfuncs = 1 + rnd(m, NFUNC);
	for (unsigned k = 0; k < NSIGNATURE; k++) {
		fuzz_signature *s = &p->signature[k];

		s->in_reg = !rnd(m, 4);
		s->mask = p->warps && rnd(m, 2);
		s->whole = !rnd(m, 4);
		s->exits = !s->mask && !s->whole && rnd(m, 2);
		s->lock0 = rnd(m, 2) ? 0 : NLOCK;
		s->nargs = (uint8_t)rnd(m, NARG + 1);
		for (unsigned a = 0; a < NARG; a++)
			s->arg[a] = choose_arg(m, s->in_reg);
		s->result = rnd(m, 5) ? choose_arg(m, s->in_reg) : NO_ARG;
	}
	for (uint32_t f = 0; f < p->nfuncs; f++)
		p->func[f].signature = rnd(m, NSIGNATURE);
	for (unsigned k = 0; k < 4 * NSIGNATURE; k++)
		do
			p->table[k / 4][k % 4] = rnd(m, p->nfuncs);
		while (has_function(m, k / 4) && p->func[p->table[k / 4][k % 4]].signature != k / 4);
}

/* Something that lanes do together. */
static void
meet(maker *m)
{
	unsigned what = rnd(m, 100);

	if (m->uniform && !m->ended && !rnd(m, 6))
		add_exchange(m);
	else if (what < 45 || m->depth > MAX_DEPTH || m->nmasks + 2 > NMASK)
		for (unsigned k = 1 + rnd(m, 3); k > 0; k--)
			add_warp(m);
	else if (what < 55 && m->nloops && m->loops[m->nloops - 1].mask == m->mask)
		add_known_break(m);
	else if (what < 80)
		add_known_if(m);
	else
		add_known_loop(m);
}

static void
body(maker *m, unsigned statements)
{
	for (unsigned k = 0; k < statements; k++) {
		unsigned what = rnd(m, 100);

		if (m->p->waits && m->budget >= 0 && !rnd(m, 5))
			wait(m);
		else if (m->p->nfuncs && m->budget >= 0 && !rnd(m, 6))
			add_call(m);
		else if (may_meet(m) && m->budget >= 0 && rnd(m, 2))
			meet(m);
		else if (m->budget < 0 || m->depth > MAX_DEPTH || what < 30)
			straight(m);
		else if (what < 47)
			add_if(m);
		else if (what < 64)
			add_loop(m);
		else if (what < 70)
			add_switch(m);
		else if (what < 76 && m->depth < 4)
			add_knot(m);
		else if (what < 82 && !m->p->strict)
			add_partial(m);
		else if (what < 90)
			add_leave(m);
		else if (what < 92)
			add_return(m);
		else if (m->uniform && !m->ended)
			add_exchange(m);
		else
			straight(m);
	}
}

/* ---- the whole ---- */

static void
choose_launch(maker *m)
{
	static const uint16_t shapes[][2] = { { 64, 1 }, { 33, 1 }, { 96, 1 }, { 1, 1 }, { 32, 1 }, { 65, 1 }, { 16, 5 }, { 7, 9 }, { 40, 2 } };
	static const uint16_t wide[][2] = { { 256, 1 }, { 255, 1 }, { 130, 1 }, { 32, 8 }, { 31, 11 }, { 512, 1 }, { 1024, 1 }, { 1000, 1 }, { 64, 7 } };
	fuzz_program *p = m->p;
	const uint16_t *shape = m->f->name[0] == 'w' ? wide[rnd(m, 9)] : shapes[rnd(m, 9)];

	p->block[0] = shape[0];
	p->block[1] = shape[1];
	if (!rnd(m, 3))
		p->maxnreg = 8 + rnd(m, 40);
	p->maxntid = rnd(m, 3);
	p->grid[0] = rnd(m, 3) || fuzz_threads(p) > 300 ? 1 : 1 + rnd(m, 3);
	p->grid[1] = rnd(m, 8) || fuzz_threads(p) > 300 ? 1 : 2;
}

/* Behind the registers that any instruction may use. */
static void
lay_registers(maker *m)
{
	fuzz_program *p = m->p;

	for (unsigned c = 0; c < NCLASS; c++)
		p->total[c] = p->count[c];
	m->counter0 = p->total[0];
	m->partial0 = m->counter0 + NLOOP;
	m->mask0 = m->partial0 + NFROZEN;
	p->total[0] = m->mask0 + (p->warps ? NMASK : 0);
	m->frozen0 = p->total[3];
	p->total[3] += NFROZEN;
}

static void
choose_counts(maker *m)
{
	fuzz_program *p = m->p;
	const profile *f = m->f;
	const uint16_t base[NCLASS] = { f->r, f->d, f->h, f->p };
	bool mostly_uniform = f->name[0] == 'u';

	for (unsigned c = 0; c < NCLASS; c++) {
		p->count[c] = base[c] + (uint32_t)rnd(m, base[c]) * (f->more - 1u) / 2;
		p->uniform[c] = mostly_uniform ? p->count[c] * 3 / 4 : rnd(m, 3) ? p->count[c] / 4 : 0;
		if (f->name[0] == 'p')
			p->uniform[c] = 0;
		if (m->gotos)
			p->uniform[c] = p->count[c] / 2;
	}
}

static void
choose_registers(maker *m)
{
	fuzz_program *p = m->p;

	choose_counts(m);
	lay_registers(m);
	p->slots = p->count[0] > 64 ? p->count[0] : 16;
	p->nparams = (p->count[0] < 16 ? 16 : p->count[0] > 900 ? 900 : (p->count[0] + 3u) & ~3u) + NARROW;
}

static fuzz_inst *
add_init(maker *m, char cls, uint32_t dst, unsigned from)
{
	fuzz_inst *i = add(m, I_INIT);

	i->cls = cls;
	i->dst = dst;
	i->src[0] = from;
	return i;
}

static void
init_counters(maker *m)
{
	for (uint32_t k = 0; k < NLOOP; k++)
		add_init(m, 'r', m->counter0 + k, 2);
	for (uint32_t k = 0; k < NFROZEN; k++)
		add_init(m, 'p', m->frozen0 + k, 2);
}

static void
init_registers(maker *m)
{
	fuzz_program *p = m->p;

	for (unsigned c = 0; c < NCLASS; c++)
		for (uint32_t k = 0; k < p->count[c]; k++) {
			fuzz_inst *i = add_init(m, fuzz_class[c], k, k < p->uniform[c]);

			i->imm[0] = i->src[0] ? c == 1 ? k * 2 % (p->nparams - NARROW) & ~1u : k % (p->nparams - NARROW) : (k + 3 * c) % p->slots;
			if ((c == 0 || c == 2) && i->src[0] && !rnd(m, 3)) {
				i->src[0] = 4;
				i->imm[0] = rnd(m, NNARROW);
			}
		}
	init_counters(m);
}
static void
put_out(maker *m)
{
	fuzz_program *p = m->p;

	for (unsigned c = 0; c < NCLASS; c++)
		for (uint32_t k = 0; k < p->count[c]; k++) {
			fuzz_inst *i = add(m, I_OUT);

			i->cls = fuzz_class[c];
			i->src[0] = k;
			i->imm[0] = p->words;
			p->words += c == 1 ? 2 : 1;
		}
}

/* ---- functions ---- */

static void
begin_function(maker *m, const fuzz_signature *s, unsigned signature)
{
	fuzz_program *p = m->p;

	for (unsigned c = 0; c < NCLASS; c++)
		for (uint32_t k = 0; k < p->count[c]; k++)
			add_init(m, fuzz_class[c], k, c == 3 ? 2 : 3)->imm[0] = fuzz_value(&m->s) & (c == 2 ? 0xffff : 0xffffffff);
	init_counters(m);
	for (unsigned k = 0; k < s->nargs + (s->mask ? 1u : 0u); k++) {
		fuzz_inst *i = add(m, I_ARG);

		i->imm[0] = k < s->nargs ? k : NO_ARG;
		i->imm[1] = signature;
		i->cls = k < s->nargs ? fuzz_args[s->arg[k]].cls : 'r';
		i->dst = k < s->nargs ? result(m, i->cls) : new_mask(m);
	}
}

static void
make_function(maker *m, unsigned f)
{
	static const profile small = { "function", 0, 6, 3, 2, 3, 8, 1 };
	fuzz_program *p = m->p;
	fuzz_func *g = &p->func[f];
	fuzz_func kernel;
	maker n = { .p = p, .s = m->s, .f = &small, .nwaits = m->nwaits, .depth = 1, .mask = UNKNOWN, .in = &p->signature[g->signature] };

	memcpy(kernel.count, p->count, sizeof p->count);
	memcpy(kernel.uniform, p->uniform, sizeof p->uniform);
	memcpy(kernel.total, p->total, sizeof p->total);
	choose_counts(&n);
	lay_registers(&n);
	n.lock0 = n.in->lock0;
	n.uniform = n.in->whole;
	n.mask = n.in->mask ? n.mask0 : n.uniform ? ALL : UNKNOWN;
	add(&n, I_FUNC)->imm[0] = f;
	begin_function(&n, n.in, g->signature);
	n.budget = 15 + (int)rnd(&n, 40);
	if (n.in->exits) {
		body(&n, rnd(&n, 2));
		add_return(&n);
	}
	body(&n, 1 + rnd(&n, 4));
	memcpy(g->count, p->count, sizeof p->count);
	memcpy(g->uniform, p->uniform, sizeof p->uniform);
	memcpy(g->total, p->total, sizeof p->total);
	memcpy(p->count, kernel.count, sizeof p->count);
	memcpy(p->uniform, kernel.uniform, sizeof p->uniform);
	memcpy(p->total, kernel.total, sizeof p->total);
	m->s = n.s;
	m->nwaits = n.nwaits;
}

void
fuzz_place_labels(fuzz_program *p)
{
	for (uint32_t f = 0; f < NFUNC; f++)
		p->func[f].start = NONE;
	for (uint32_t k = 0; k < MAX_LABEL; k++)
		p->label[k] = NONE;
	for (uint32_t k = 0; k < p->n; k++)
		if (p->i[k].kind == I_LABEL)
			p->label[p->i[k].target[0]] = k;
		else if (p->i[k].kind == I_FUNC)
			p->func[p->i[k].imm[0]].start = k;
}

void
fuzz_make(fuzz_program *p, uint64_t seed, unsigned with)
{
	maker m = { .p = p, .s = seed * 0x9e3779b97f4a7c15ull + 12345, .uniform = true, .mask = ALL };
	unsigned sum = 0, at;

	memset(p, 0, sizeof *p);
	p->seed = seed;
	p->strict = seed / 20 % 2;
	for (unsigned k = 0; k < sizeof profiles / sizeof *profiles; k++)
		sum += profiles[k].weight;
	at = rnd(&m, sum);
	for (m.f = profiles; at >= m.f->weight; m.f++)
		at -= m.f->weight;
	m.gotos = m.f->name[0] == 'g';
	p->warps = rnd(&m, 5) < 3;
	p->in_step = rnd(&m, 3) == 0;
	choose_launch(&m);
	/* Waiting costs time by lanes times lanes. */
	p->waits = fuzz_threads(p) <= 130 && m.f->body < 100 && ((with & FUZZ_WITH_WAITS) || !rnd(&m, 12));
	if ((with & FUZZ_WITH_CALLS) || !rnd(&m, 8))
		choose_functions(&m);
	choose_registers(&m);
	init_registers(&m);
	m.budget = 36 + (int)rnd(&m, 11 * m.f->body);
	body(&m, m.f->body > 100 ? m.f->body / 5u : 2 + rnd(&m, m.f->body / 4u));
	put_out(&m);
	for (unsigned f = 0; f < p->nfuncs; f++)
		make_function(&m, f);
	p->chain_word = p->words;
	p->words += 2 * p->nchains;
	fuzz_place_labels(p);
}

void
fuzz_fill(uint64_t seed, uint64_t *in, size_t n)
{
	uint64_t s = seed * 0xd1342543de82ef95ull + 77;

	for (size_t k = 0; k < n; k++)
		in[k] = fuzz_value(&s);
}

void
fuzz_fill_params(uint64_t seed, uint32_t *params, size_t n)
{
	uint64_t s = (seed + 1) * 0xd1342543de82ef95ull + 77;

	for (size_t k = 0; k < n; k++)
		params[k] = (uint32_t)fuzz_value(&s);
}

uint64_t
fuzz_hash(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = 0xcbf29ce484222325;

	while (n--)
		h = (h ^ *b++) * 0x100000001b3;
	return h;
}
