/* gen_search.c -- is there a shorter sequence for a bit field? Makes all straight-line programs of the integer vector
 * instructions in search_ops.def up to a cost (VALU 1, 64-bit shift 2) and compares them with the definition on
 * test vectors; prints a line a question (search.def). PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk).
 *
 *	gen_search [--seconds=N] > tests/data/bfi_search.tsv     N of processor time for each question, default 60
 *	gen_search --op=OP --row=NAME --set=WIDE|MID|CORE        only such questions
 *	gen_search --dearest=N                                   only those of rows that cost no more than N
 *	gen_search --sample                                      of rows for `each` constant, one pair in 97
 *	gen_search --backwards                                   tries search_back.def
 *	gen_search --ours                                        up to the cost of the row itself: something must be found
 *
 * Costs are gone through one after the other. Columns: op, row, pos, len, set: the question (search.def); ours: what the row
 * costs; none_to: no program of this cost or less computes it (-1: not even that was decided); programs, seconds: how many
 * were looked at (of most no value is made), processor time; found: the first that does, `none` if none is cheaper than ours, `time` if there was none left.
 *
 * A program is a set of instructions, listed in one order only: a node of the search has the list of instructions that
 * may come next; its children take one and keep what stands behind it, and get the ones that read the new value.
 * Values that are the same on all vectors are one value. The second dword of a 64-bit shift costs nothing where the first is there.
 * Of one result the last two instructions are not tried but met in the middle: for each that may be the last, with all of its
 * operands but one from the values there are (a guess), search_back.def says what that one must be. Most guesses are impossible on some
 * vector; the others are looked for among what one instruction makes of the values there are. A guess stays for all programs that go on from there.
 * A 64-bit result is two results, one of which any instruction may make on the way, and the last instruction is tried.
 * A program that passes the vectors is run on many more; if it fails there, the failing input becomes a vector and the search
 * starts again. So "none" needs no more than the vectors: every program differs from the definition on one of them. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search_machine.h"
#include "search_ask.h"

enum { MAX_POOL = 160, MAX_DEPTH = 8, CHECKS = 200000 };

/* ---- the state of a search ---- */

enum { RESULTS = 2 };
enum { MASK = 0x80 };                   /* in inputs, made_of: the value is a lane mask */

typedef struct item {
	uint32_t lane[LANES];
	uint8_t op, src[3], inputs;      /* of which inputs it is made */
	uint8_t cost;
} item;

struct guess;

/* Places of values in a table that says which are there. */
enum { PLACES = 1 << 17 };

typedef struct search {
	const question *q;
	unsigned needs;                  /* of its row: bits N_ */
	range pos, len;
	uint64_t seed;
	input vector[LANES];
	/* results: what of the inputs each is made of; which are there already, as which value of the pool */
	int nresults;
	uint8_t inputs[RESULTS], got, at[RESULTS];
	uint32_t want[RESULTS][LANES];
	int set, npool, nconst, nvalues; /* pool: constants, inputs, then values of the program */
	uint32_t pool[MAX_POOL][LANES];
	uint8_t made_of[MAX_POOL], op_of[MAX_POOL], src_of[MAX_POOL][3], uses[MAX_POOL];
	item *list;
	uint32_t *first;                 /* of each item of the list: its first lane */
	uint16_t there[PLACES];          /* how many of these stand at each place */
	size_t nlist, cap;
	bool ends[NOPS];                 /* which may be the last instruction */
	struct guess *guess;
	size_t nguess, guess_cap;
	uint64_t *seen[MAX_DEPTH + 1];
	size_t seen_cap[MAX_DEPTH + 1], seen_n[MAX_DEPTH + 1];
	unsigned long long programs, nodes;
	int replaced;                    /* vectors taken from failures */
	clock_t end;                     /* of the time that the question has */
	bool again, late, is_free;       /* is_free: the newest value is the other dword of a shift */
	char found[256];
} search;

static uint32_t
rnd(search *s)
{
	return random_of(&s->seed);
}

static uint32_t
number_in(search *s, const range *r)
{
	static const uint32_t edges[] = { 0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 96, 128, 255 };
	uint32_t x = rnd(s) & 3 ? rnd(s) % 40 : edges[rnd(s) % 13];

	if (!(rnd(s) & 7))
		x = rnd(s) & 0xff;
	if (r->hi > 0xff && rnd(s) & 1)
		x |= rnd(s) << 8;
	return x < r->lo || x > r->hi ? r->lo + (uint32_t)(((uint64_t)rnd(s) * ((uint64_t)r->hi - r->lo + 1)) >> 32) : x;
}

static bool
needs(const search *s, int need)
{
	return s->needs >> need & 1;
}

/* Numbers for rows whose a is a constant; the second is 2^7 - 1. */
enum { SOME_A = 0x2d, ONES_A = 0x7f };

/* What the row needs of a, of 32 bits. One that is already so stays. Of what AF allows, the part that fits whatever b is. */
static uint32_t
needed_a(const search *s, uint32_t a, uint32_t len)
{
	uint32_t low = ones(len);

	if (needs(s, N_AK) || needs(s, N_AMASK))
		return needs(s, N_AMASK) ? ONES_A : needs(s, N_PTOP) ? 1 : needs(s, N_B1) ? SOME_A ^ 0xff : SOME_A;
	if (needs(s, N_AF) || needs(s, N_AFIT))
		a &= needs(s, N_AFIT) && !len ? 1 : low;
	if (needs(s, N_ASHORT))
		a &= ~0u >> 1;
	if (needs(s, N_A1))
		a |= low;
	if (needs(s, N_A0))
		a &= ~low;
	return needs(s, N_AM) ? ~0u : a;
}

static uint32_t
needed_b(const search *s, uint32_t b, uint32_t pos, uint32_t len)
{
	uint32_t inside = field(pos, len);

	if (needs(s, N_BZ))
		b &= ~inside;
	if (needs(s, N_B1))
		b |= inside;
	if (needs(s, N_BT))
		b = (~0u << pos & ~inside) | (b & inside);
	return needs(s, N_BM) ? ~0u : b;
}

static void
keep_to_needs(const search *s, input *v)
{
	uint32_t pos = v->in[C] & 0xff, len = v->in[D] & 0xff;

	if (width_of(s->q) == 64)
		return;
	v->in[A] = needed_a(s, v->in[A], len);
	v->in[B] = needed_b(s, v->in[B], pos, len);
}

static input
any_input(search *s)
{
	input v = { { rnd(s), rnd(s), number_in(s, &s->pos), number_in(s, &s->len), rnd(s), rnd(s) } };

	keep_to_needs(s, &v);
	return v;
}

/* More than `most` bits inside the word. */
static bool
within(const input *v, uint32_t most)
{
	uint32_t pos = v->in[C] & 0xff, len = v->in[D] & 0xff;

	return len > most && pos + len < 31;
}

/* Every output's lanes, from the vectors. */
static void
fill_wants(search *s)
{
	for (int k = 0; k < LANES; k++)
		for (int r = 0; r < RESULTS && r < s->nresults; r++)
			s->want[r][k] = (uint32_t)(wanted(s->q, &s->vector[k]) >> 32 * r);
}

/* An input counts where a change of it, which the row allows, was seen to change the result. */
static void
find_inputs(search *s)
{
	s->inputs[0] = s->inputs[1] = 0;
	for (int n = 0; n < 300; n++)
		for (int k = 0; k < NINPUTS; k++) {
			input v = any_input(s), other = any_input(s), kept;
			uint64_t change = wanted(s->q, &v);

			v.in[k] = other.in[k];
			kept = v;
			keep_to_needs(s, &kept);
			if (memcmp(&kept, &v, sizeof v))
				continue;
			change ^= wanted(s->q, &v);
			for (int r = 0; r < RESULTS && r < s->nresults; r++)
				s->inputs[r] = (uint8_t)(s->inputs[r] | (unsigned)(change >> 32 * r & 0xffffffff ? 1 : 0) << k);
		}
}

static void
fill_vectors(search *s)
{
	for (int k = 0; k < LANES; k++) {
		s->vector[k] = any_input(s);
		/* Lane 0 sees most programs fail: a field within the word, a long one if there is one. */
		for (int n = 0; !k && n < 2000 && !within(&s->vector[0], n < 1000 ? 9 : 1); n++)
			s->vector[0] = any_input(s);
		/* Lane 1: a result that many instructions cannot make. */
		for (int n = 0; k == 1 && n < 2000 && (wanted(s->q, &s->vector[1]) >> 30 & 3) != 2; n++)
			s->vector[1] = any_input(s);
	}
}

static int
add_pool(search *s, const uint32_t *lanes, uint8_t made_of)
{
	for (int k = 0; k < s->npool; k++)
		if (!memcmp(s->pool[k], lanes, sizeof s->pool[k]))
			return k;
	memcpy(s->pool[s->npool], lanes, sizeof s->pool[0]);
	s->made_of[s->npool] = made_of;
	s->uses[s->npool] = 0;
	return s->npool++;
}

static void
add_const(search *s, uint32_t x)
{
	uint32_t lanes[LANES];

	for (int k = 0; k < LANES; k++)
		lanes[k] = x;
	add_pool(s, lanes, 0);
}

static void
add_consts_of(search *s, uint32_t x, uint32_t width)
{
	add_const(s, x);
	add_const(s, width - x);
	add_const(s, ones(x));
	add_const(s, ~ones(x));
}

/* Masks of the field in a dword that begins at bit `from`. */
static void
add_masks(search *s, uint64_t mask, unsigned from)
{
	add_const(s, (uint32_t)(mask >> from));
	add_const(s, ~(uint32_t)(mask >> from));
}

/* Of a constant a: its bits, moved too, those that it has not, how many ones stand at its bottom. */
static void
add_consts_of_a(search *s, uint32_t a, uint32_t pos)
{
	add_const(s, a);
	add_const(s, ~a);
	add_const(s, (uint32_t)__builtin_ctz(~a));
	if (s->pos.constant)
		add_const(s, a << (pos & 31));
	if (s->len.constant) {
		add_const(s, a & ones(s->len.lo));
		add_const(s, -(~a & ones(s->len.lo)));
		if (s->pos.constant)
			add_const(s, (a & ones(s->len.lo)) << (pos & 31));
	}
}

/* The constants of the set, and those that a row may make of its pos and len, and of a constant a. */
static void
fill_pool(search *s)
{
	static const uint32_t mid[] = { 0, 0xffffffff, 31, 63, 255, 1, 8, 16, 24, 32, 64 };
	uint32_t p = s->pos.lo, l = s->len.lo, w = width_of(s->q);

	s->npool = 0;
	for (int k = 0; k < (s->set == CORE ? 5 : 11); k++)
		add_const(s, mid[k]);
	for (int k = -16; s->set == WIDE && k <= 64; k++)
		add_const(s, (uint32_t)k);
	if (s->set == WIDE)
		add_const(s, 0xffff);
	if (s->pos.constant)
		add_consts_of(s, p, 32);
	if (s->len.constant)
		add_consts_of(s, l, 32);
	if (needs(s, N_AK) || needs(s, N_AMASK))
		add_consts_of_a(s, needed_a(s, 0, 32), p);
	if (s->pos.constant && s->len.constant) {
		uint64_t mask = insert(~0ull, 0, p, l, w);

		add_masks(s, mask, 0);
		if (w == 64)
			add_masks(s, mask, 32);
		add_const(s, p + l);
		add_const(s, w - p - l);
		for (uint32_t k = 32; w == 64 && k; k -= 32) {
			add_const(s, p - k);
			add_const(s, l - k);
			add_const(s, p + l - k);
		}
	}
	s->nconst = s->npool;
	for (int k = 0; k < NINPUTS; k++) {
		uint32_t lanes[LANES];

		for (int i = 0; i < LANES; i++)
			lanes[i] = s->vector[i].in[k];
		if ((s->inputs[0] | s->inputs[1]) >> k & 1)
			add_pool(s, lanes, (uint8_t)(1 << k));
	}
	s->nvalues = 0;
}

/* ---- values seen ---- */

#define HASH 0x9e3779b1u

static unsigned
place(uint32_t value)
{
	return (value * HASH) >> 15;
}

static uint64_t
hash(const uint32_t *lane)
{
	uint64_t h = 0x9e3779b97f4a7c15ull;

	for (int k = 0; k < LANES; k++) {
		h = (h ^ lane[k]) * 0xd6e8feb86659fd93ull;
		h ^= h >> 32;
	}
	return h ? h : 1;
}

static bool
find(const uint64_t *set, size_t cap, uint64_t h)
{
	for (size_t k = h & (cap - 1); cap && set[k]; k = (k + 1) & (cap - 1))
		if (set[k] == h)
			return true;
	return false;
}

static void *
need(void *p)
{
	if (!p) {
		fputs("gen_search: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static void
grow_seen(search *s, int depth)
{
	size_t cap = s->seen_cap[depth] ? 2 * s->seen_cap[depth] : 4096;
	uint64_t *set = need(calloc(cap, sizeof *set));

	for (size_t k = 0; k < s->seen_cap[depth]; k++)
		if (s->seen[depth][k]) {
			size_t at = s->seen[depth][k] & (cap - 1);

			while (set[at])
				at = (at + 1) & (cap - 1);
			set[at] = s->seen[depth][k];
		}
	free(s->seen[depth]);
	s->seen[depth] = set;
	s->seen_cap[depth] = cap;
}

/* Was it made at this node or at one above it, for no more? Remembers it. */
static bool
seen_before(search *s, int depth, const uint32_t *lane, int cost, bool mask)
{
	uint64_t h = hash(lane) ^ (uint64_t)mask << 59;

	for (int k = 0; k <= depth; k++)
		for (int c = 0; c <= cost; c++)
			if (find(s->seen[k], s->seen_cap[k], h ^ (uint64_t)c << 60))
				return true;
	h ^= (uint64_t)cost << 60;
	if (2 * ++s->seen_n[depth] > s->seen_cap[depth])
		grow_seen(s, depth);
	for (size_t k = h & (s->seen_cap[depth] - 1);; k = (k + 1) & (s->seen_cap[depth] - 1))
		if (!s->seen[depth][k]) {
			s->seen[depth][k] = h;
			return false;
		}
}

static void
forget(search *s, int depth)
{
	if (s->seen_n[depth])
		memset(s->seen[depth], 0, s->seen_cap[depth] * sizeof *s->seen[depth]);
	s->seen_n[depth] = 0;
}

/* ---- a program that passes ---- */

static void
show(const search *s, const item *last, char *out, size_t cap)
{
	size_t n = 0;
	int first = s->npool - s->nvalues;

	out[0] = 0;
	for (int v = 0; v < s->nvalues + (last != NULL) && n < cap; v++) {
		int op = v < s->nvalues ? s->op_of[first + v] : last->op;
		const uint8_t *src = v < s->nvalues ? s->src_of[first + v] : last->src;

		n += (size_t)snprintf(out + n, cap - n, "%s%s", v ? "; " : "", operations[op].name);
		for (int k = 0; k < operations[op].sources && n < cap; k++) {
			if (src[k] >= first)
				n += (size_t)snprintf(out + n, cap - n, " v%d", src[k] - first);
			else if (src[k] < s->nconst)
				n += (size_t)snprintf(out + n, cap - n, " %#x", s->pool[src[k]][0]);
			else
				n += (size_t)snprintf(out + n, cap - n, " %s", input_names[__builtin_ctz(s->made_of[src[k]])]);
		}
	}
}

/* Runs the program on LANES other inputs; the first that fails, or -1. last: NULL where all results are there. */
static int
run_on(const search *s, const item *last, const input *in)
{
	static uint32_t v[MAX_POOL][LANES], r[LANES];
	int first = s->npool - s->nvalues;

	for (int k = 0; k < first; k++)
		for (int i = 0; i < LANES; i++)
			v[k][i] = k < s->nconst ? s->pool[k][0] : in[i].in[__builtin_ctz(s->made_of[k])];
	for (int k = first; k < s->npool; k++)
		operations[s->op_of[k]].eval(v[k], v[s->src_of[k][0]], v[s->src_of[k][1]], v[s->src_of[k][2]]);
	if (last)
		operations[last->op].eval(r, v[last->src[0]], v[last->src[1]], v[last->src[2]]);
	for (int i = 0; i < LANES; i++)
		for (int k = 0; k < RESULTS && k < s->nresults; k++)
			if ((s->got >> k & 1 ? v[s->at[k]] : r)[i] != (uint32_t)(wanted(s->q, &in[i]) >> 32 * k))
				return i;
	return -1;
}

static void
passes(search *s, const item *last)
{
	input in[LANES];

	for (int n = 0; n < CHECKS / LANES; n++) {
		int bad;

		for (int k = 0; k < LANES; k++)
			in[k] = any_input(s);
		bad = run_on(s, last, in);
		if (bad < 0)
			continue;
		s->vector[1 + s->replaced++ % (LANES - 1)] = in[bad];
		s->again = true;
		return;
	}
	show(s, last, s->found, sizeof s->found);
	if (!strcmp(s->q->len, "each")) {
		size_t n = strlen(s->found);

		snprintf(s->found + n, sizeof s->found - n, " (pos %u, len %u)", s->pos.lo, s->len.lo);
	}
}

static bool
done(const search *s)
{
	return s->again || s->late || s->found[0];
}

/* ---- the last instruction ---- */

/* Do lane masks stand where they must, and nowhere else? */
static bool
types_fit(const search *s, int op, const uint8_t *src)
{
	for (int k = 0; k < operations[op].sources; k++)
		if (((s->made_of[src[k]] & MASK) != 0) != (k == traits[op].mask))
			return false;
	return true;
}

/* Which result is still to be made, the last of them. */
static int
missing(const search *s)
{
	return s->nresults == 2 && !(s->got & 2) ? 1 : 0;
}

static int
count_missing(const search *s)
{
	return s->nresults - __builtin_popcount(s->got);
}

static void node(search *s, int depth, size_t from, int budget);
static void push(search *s, const item *);
static void pop(search *s, const item *);

/* Tries one instruction as the one that makes result `which`; only one lane matched so far. Is it the last, the program is
 * tried; else the search goes on with what it made. */
static void
try_last(search *s, int which, int budget, int op, const int src[3])
{
	item last = { .op = (uint8_t)op, .src = { (uint8_t)src[0], (uint8_t)src[1], (uint8_t)src[2] }, .cost = (uint8_t)traits[op].price };

	if (!types_fit(s, op, last.src) || traits[op].gives_mask)
		return;
	operations[op].eval(last.lane, s->pool[src[0]], s->pool[src[1]], s->pool[src[2]]);
	if (memcmp(last.lane, s->want[which], sizeof s->want[which]))
		return;
	if (count_missing(s) == 1) {
		passes(s, &last);
		return;
	}
	last.inputs = s->inputs[which];
	push(s, &last);
	node(s, s->nvalues, s->nlist, budget - last.cost);
	pop(s, &last);
}

typedef struct pairs {
	int n, newest, x[MAX_POOL * MAX_POOL], y[MAX_POOL * MAX_POOL];
	uint32_t lx[MAX_POOL * MAX_POOL], ly[MAX_POOL * MAX_POOL], lv[MAX_POOL * MAX_POOL];
} pairs;

static void
scan(search *s, int which, int budget, int op, int slot, const pairs *p)
{
	const uint32_t *l[3] = { p->lx, p->ly, p->ly };
	const operation *o = &operations[op];

	for (int k = 2; k > slot; k--)
		l[k] = l[k - 1];
	l[slot] = p->lv;
	s->programs += (unsigned long long)p->n;
	if (!o->scan(s->want[which][0], l[0], l[1], l[2], p->n))
		return;
	for (int k = 0; k < p->n && !done(s); k++) {
		int src[3] = { p->x[k], p->y[k], p->y[k] };

		for (int i = 2; i > slot; i--)
			src[i] = src[i - 1];
		src[slot] = p->newest;
		try_last(s, which, budget, op, src);
	}
}

/* Is the value to be read by one that is still to come? Results need not be. */
static bool
waits(const search *s, int v)
{
	for (int r = 0; r < RESULTS && r < s->nresults; r++)
		if (s->got >> r & 1 && s->at[r] == v)
			return false;
	return !s->uses[v];
}

/* Pairs of operands that stand beside one value: all inputs must be among the three, and of the last instruction all
 * values that nobody reads. */
static void
fill_pairs(search *s, int which, pairs *p, int newest, bool two_sources)
{
	uint8_t lack = (uint8_t)(s->inputs[which] & ~s->made_of[newest]);
	bool is_last = count_missing(s) == 1;

	p->n = 0;
	p->newest = newest;
	for (int x = 0; x < s->npool; x++)
		for (int y = two_sources ? x : 0; y < (two_sources ? x + 1 : s->npool); y++) {
			bool all = !(lack & ~(s->made_of[x] | s->made_of[y]));

			for (int v = s->npool - s->nvalues; v < s->npool && is_last; v++)
				all = all && (!waits(s, v) || v == newest || v == x || v == y);
			if (!all)
				continue;
			p->x[p->n] = x;
			p->y[p->n] = y;
			p->lx[p->n] = s->pool[x][0];
			p->ly[p->n] = s->pool[y][0];
			p->lv[p->n++] = s->pool[newest][0];
		}
}

/* All instructions that make result `which`. Before the last a shift may take all that is left: its other dword is free. */
static void
make_result(search *s, int which, int budget)
{
	/* Of 64-bit results one search goes on inside another: pairs for each depth of it. */
	static pairs room[2][2];
	pairs *two = &room[count_missing(s) - 1][0], *three = &room[count_missing(s) - 1][1];
	bool reads_newest = count_missing(s) == 1 && s->nvalues && waits(s, s->npool - 1);
	int most = budget;

	for (int newest = reads_newest ? s->npool - 1 : s->nconst; newest < s->npool && !done(s); newest++) {
		int src[3] = { newest, newest, newest };

		fill_pairs(s, which, two, newest, true);
		fill_pairs(s, which, three, newest, false);
		for (int op = 0; op < NOPS && !done(s); op++) {
			const operation *o = &operations[op];

			if (o->set > s->set || traits[op].price > most)
				continue;
			if (o->sources == 1 && !(s->inputs[which] & ~s->made_of[newest]))
				try_last(s, which, budget, op, src);
			for (int slot = 0; o->sources == 2 && slot < 2; slot++)
				scan(s, which, budget, op, slot, two);
			for (int slot = 0; o->sources == 3 && slot < 3; slot++)
				scan(s, which, budget, op, slot, three);
		}
	}
}

static void
last_instruction(search *s, int budget)
{
	if (count_missing(s) == 1)
		make_result(s, missing(s), budget);
	else if (budget == 2)
		for (int r = 0; r < 2 && !done(s); r++)
			make_result(s, r, budget);
}

/* ---- the instructions before it ---- */

static void
add_item(search *s, int depth, int cost, int op, int x, int y, int z)
{
	item *i;

	if (s->nlist == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 65536;
		s->list = need(realloc(s->list, s->cap * sizeof *s->list));
		s->first = need(realloc(s->first, s->cap * sizeof *s->first));
	}
	i = &s->list[s->nlist];
	i->src[0] = (uint8_t)x;
	i->src[1] = (uint8_t)y;
	i->src[2] = (uint8_t)z;
	if (!types_fit(s, op, i->src))
		return;
	operations[op].eval(i->lane, s->pool[x], s->pool[y], s->pool[z]);
	i->op = (uint8_t)op;
	i->cost = (uint8_t)cost;
	i->inputs = (uint8_t)(s->made_of[x] | (operations[op].sources > 1 ? s->made_of[y] : 0) |
			      (operations[op].sources > 2 ? s->made_of[z] : 0));
	i->inputs = (uint8_t)((i->inputs & ~MASK) | (traits[op].gives_mask ? MASK : 0));
	s->first[s->nlist] = i->lane[0];
	if (i->inputs & ~MASK && !seen_before(s, depth, i->lane, cost, i->inputs & MASK)) {
		s->there[place(i->lane[0])]++;
		s->nlist++;
	}
}

static void
cut_list(search *s, size_t n)
{
	while (s->nlist > n)
		s->there[place(s->first[--s->nlist])]--;
}

/* A left shift's low dword is made of the low dword, a right shift's high dword of the high one. */
static bool
is_left(int op)
{
	return !strncmp(operations[op].name, "lshl", 4);
}

/* Appends the instructions that read the newest value (at the root: any). */
static void
list_new(search *s, int depth, int budget)
{
	int n = s->npool, newest = depth ? n - 1 : -1;

	for (int op = 0; op < NOPS; op++) {
		const operation *o = &operations[op];

		if (o->set > s->set || traits[op].price > budget)
			continue;
		for (int x = 0; x < n; x++)
			for (int y = o->commutes ? x : 0; y < (o->sources > 1 ? n : o->commutes ? x + 1 : 1); y++)
				for (int z = 0; z < (o->sources > 2 ? n : 1); z++)
					if (!depth || x == newest || (o->sources > 1 && y == newest) ||
					    (o->sources > 2 && z == newest))
						add_item(s, depth, traits[op].price, op, x, y, z);
	}
}

/* The newest value is a dword of a 64-bit shift: the other one costs nothing. */
static void
list_other_dword(search *s, int depth)
{
	int newest = s->npool - 1, op = s->op_of[newest], other = traits[op].shift64 ? other_dword(op) : -1;
	const uint8_t *src = s->src_of[newest];

	if (other < 0 || operations[other].set > s->set)
		return;
	if (operations[op].sources == 2)
		for (int x = 0; x < s->npool - 1; x++)
			if (is_left(op))
				add_item(s, depth, 0, other, x, src[0], src[1]);
			else
				add_item(s, depth, 0, other, src[0], x, src[1]);
	else
		add_item(s, depth, 0, other, src[!is_left(other) ? 0 : 1], src[2], 0);
}

/* Every instruction reads three values at most and makes one: `left` more of them join 2 * left + 1 at most, or one more for
 * two results. To be joined are the unused values and, for one result, enough others that all inputs take part. */
static bool
can_end(const search *s, int left)
{
	int first = s->npool - s->nvalues, n = 0;
	uint8_t lack = s->inputs[missing(s)];
	bool one = false;

	for (int v = first; v < s->npool; v++)
		if (waits(s, v)) {
			n++;
			lack = (uint8_t)(lack & ~s->made_of[v]);
		}
	if (count_missing(s) == 2)
		return n <= 2 * left + 2;
	for (int v = first; v < s->npool; v++)
		one = one || !(lack & ~s->made_of[v]);
	return n + (!lack ? 0 : one || !(lack & (lack - 1)) ? 1 : 2) <= 2 * left + 1;
}

static void
use(search *s, const item *i, int by)
{
	for (int k = 0; k < operations[i->op].sources; k++)
		s->uses[i->src[k]] = (uint8_t)(s->uses[i->src[k]] + by);
}

static void
push(search *s, const item *i)
{
	memcpy(s->pool[s->npool], i->lane, sizeof i->lane);
	s->made_of[s->npool] = i->inputs;
	s->op_of[s->npool] = i->op;
	memcpy(s->src_of[s->npool], i->src, sizeof i->src);
	s->uses[s->npool] = 0;
	use(s, i, 1);
	for (int r = 0; r < RESULTS && r < s->nresults; r++)
		if (!(s->got >> r & 1) && !memcmp(i->lane, s->want[r], sizeof s->want[r])) {
			s->got = (uint8_t)(s->got | 1 << r);
			s->at[r] = (uint8_t)s->npool;
			break;           /* two results are two registers */
		}
	s->npool++;
	s->nvalues++;
	s->is_free = !i->cost;
}

static void
pop(search *s, const item *i)
{
	s->npool--;
	s->nvalues--;
	for (int r = 0; r < RESULTS && r < s->nresults; r++)
		if (s->got >> r & 1 && s->at[r] == s->npool)
			s->got = (uint8_t)(s->got & ~(1 << r));
	use(s, i, -1);
}

/* What one instruction may cost that is not the last: of two results it may be the first, and a shift's other dword one. */
static int
most_for_one(const search *s, int budget)
{
	return s->nresults == 1 ? budget - 1 : budget;
}

/* ---- the last two instructions, of one result ---- */

/* The last instruction with all operands but one value, which is `slots` of it, and what that value must be in the first vector. */
typedef struct guess {
	uint8_t op, slots, src[3];
	uint32_t want, care;
} guess;

/* Is there a value for it in each vector, and one that need not be the result itself? */
static bool
is_of_use(const search *s, int op, int slots, const int v[3])
{
	bool other = false;

	if (!(slots & (slots - 1)) && !(slots & behind[op].amounts))
		return behind[op].one->lanes(slots, s->want[0], s->pool[v[0]], s->pool[v[1]], s->pool[v[2]]) == (SOME | OTHER);
	for (int k = 0; k < LANES; k++) {
		uint32_t in[3] = { s->pool[v[0]][k], s->pool[v[1]][k], s->pool[v[2]][k] };
		wish w = wish_of(op, slots, s->want[0][k], in);

		if (!w.can)
			return false;
		other = other || ~w.care || w.want != s->want[0][k];
	}
	return other;
}

/* Guesses of one operation and one set of missing operands; v: the known ones. At first the first vector is looked at. */
static void
try_guess(search *s, int op, int slots, const int v[3])
{
	uint32_t first[3] = { s->pool[v[0]][0], s->pool[v[1]][0], s->pool[v[2]][0] };
	wish w = wish_of(op, slots, s->want[0][0], first);

	if (!w.can)
		return;
	for (int k = 0; k < operations[op].sources; k++)
		if (!(slots >> k & 1) && ((s->made_of[v[k]] & MASK) != 0) != (k == traits[op].mask))
			return;
	if (!is_of_use(s, op, slots, v))
		return;
	if (s->nguess == s->guess_cap) {
		s->guess_cap = s->guess_cap ? 2 * s->guess_cap : 4096;
		s->guess = need(realloc(s->guess, s->guess_cap * sizeof *s->guess));
	}
	s->guess[s->nguess++] = (guess){ (uint8_t)op, (uint8_t)slots, { (uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2] }, w.want, w.care };
}

/* Those with the newest value (newest < 0: with any) among the operands i and j that are known; i < 0: only j is. */
static void
guess_pairs(search *s, int op, int slots, int i, int j, int newest)
{
	int v[3] = { 0 };

	for (int x = i < 0 || newest < 0 ? 0 : newest; x < (i < 0 ? 1 : s->npool); x++)
		for (int y = newest >= 0 && i < 0 ? newest : 0; y < s->npool; y++) {
			v[i < 0 ? j : i] = x;
			v[j] = y;
			try_guess(s, op, slots, v);
		}
	for (int x = 0; i >= 0 && x < newest; x++) {
		v[i] = x;
		v[j] = newest;
		try_guess(s, op, slots, v);
	}
}

/* All last instructions that read the newest value (at the root: any) beside the one that is not there yet. */
static void
add_guesses(search *s, int depth, int dearest)
{
	for (int op = 0; op < NOPS; op++)
		for (int slots = 1; slots < XYZ; slots++) {
			int known = ((1 << operations[op].sources) - 1) & ~slots, j = known & Z ? 2 : known & Y ? 1 : 0;
			static const int none[3];

			if (operations[op].set > s->set || traits[op].price > dearest || !behind[op].asked[slots] || !s->ends[op])
				continue;
			if (known)
				guess_pairs(s, op, slots, known == 1 << j ? -1 : known & X ? 0 : 1, j, depth ? s->npool - 1 : -1);
			else if (!depth)
				try_guess(s, op, slots, none);
		}
}

/* Which instructions can make such results at all? */
static void
find_ends(search *s)
{
	for (int op = 0; op < NOPS; op++) {
		s->ends[op] = true;
		for (int k = 0; k < LANES; k++)
			s->ends[op] = s->ends[op] && may_make(operations[op].name, s->want[0][k]);
	}
}

/* What a value brings along: the inputs that it is made of and, as a bit of its own, itself if nobody has read it yet. */
static uint32_t
brings(const search *s, int v)
{
	int first = s->npool - s->nvalues;

	return (s->made_of[v] & (unsigned)~MASK) | (v >= first && waits(s, v) ? 1u << (8 + v - first) : 0);
}

static uint32_t
all_brought(const search *s)
{
	uint32_t all = s->inputs[0];

	for (int v = s->npool - s->nvalues; v < s->npool; v++)
		all |= brings(s, v) & ~0xffu;
	return all;
}

/* Tries u as the value that g misses. */
static void
try_two(search *s, const guess *g, int op, const uint8_t src[3], int budget)
{
	item u = { .op = (uint8_t)op, .src = { src[0], src[1], src[2] }, .cost = (uint8_t)traits[op].price };
	int last[3] = { g->src[0], g->src[1], g->src[2] };
	const uint32_t *l[3];
	uint32_t r[LANES];

	operations[op].eval(u.lane, s->pool[src[0]], s->pool[src[1]], s->pool[src[2]]);
	for (int k = 0; k < 3; k++)
		l[k] = g->slots >> k & 1 ? u.lane : s->pool[g->src[k]];
	operations[g->op].eval(r, l[0], l[1], l[2]);
	if (memcmp(r, s->want[0], sizeof r) || !types_fit(s, op, src))
		return;
	u.inputs = traits[op].gives_mask ? MASK : 0;
	push(s, &u);
	for (int k = 0; k < 3; k++)
		if (g->slots >> k & 1)
			last[k] = s->npool - 1;
	if (s->got)
		passes(s, NULL);
	else
		try_last(s, 0, budget, g->op, last);
	pop(s, &u);
}

/* Values that one more instruction makes of the newest one: in blocks of one instruction with the newest value in one place. */
typedef struct fresh {
	int n, nblocks, npairs[2];
	struct { int op, slot, from; } block[3 * NOPS + 1];
	int px[2][MAX_POOL * MAX_POOL], py[2][MAX_POOL * MAX_POOL];      /* of two sources (one beside it), of three */
	uint32_t lx[2][MAX_POOL * MAX_POOL], ly[2][MAX_POOL * MAX_POOL], lv[MAX_POOL * MAX_POOL];
	uint32_t *value;
	/* The guesses that are tried with them, of which those come first whose value is known to the last bit; their places. */
	guess *guess;
	size_t nguess, nexact, cap;
	uint32_t wanted[PLACES / 32];
} fresh;

/* Pairs beside the newest value; what they leave unread the last instruction has to read: two values at most. */
static void
fill_fresh_pairs(search *s, fresh *f)
{
	uint32_t all = all_brought(s), mine = brings(s, s->npool - 1);

	for (int three = 0; three < 2; three++) {
		f->npairs[three] = 0;
		for (int x = 0; x < s->npool; x++)
			for (int y = three ? 0 : x; y < (three ? s->npool : x + 1); y++) {
				int k = f->npairs[three];

				if (__builtin_popcount((all & ~(mine | brings(s, x) | brings(s, y))) >> 8) > 2)
					continue;
				f->px[three][k] = x;
				f->py[three][k] = y;
				f->lx[three][k] = s->pool[x][0];
				f->ly[three][k] = s->pool[y][0];
				f->npairs[three]++;
			}
	}
}

static void
add_block(search *s, fresh *f, int op, int slot)
{
	const operation *o = &operations[op];
	int three = o->sources == 3, n = o->sources == 1 ? 1 : f->npairs[three], mask = traits[op].mask;
	const uint32_t *l[3] = { f->lx[three], three ? f->ly[three] : f->lx[three], f->ly[three] };

	if (((s->made_of[s->npool - 1] & MASK) != 0) != (slot == mask) || !n)
		return;
	for (int k = 2; k > slot; k--)
		l[k] = l[k - 1];
	l[slot] = f->lv;
	o->many(f->value + f->n, l[0], l[1], l[2], n);
	f->block[f->nblocks].op = op;
	f->block[f->nblocks].slot = slot;
	f->block[f->nblocks++].from = f->n;
	f->n += n;
}

static void
fill_fresh(search *s, fresh *f, int price)
{
	if (!f->value)
		f->value = need(malloc(3 * NOPS * MAX_POOL * MAX_POOL * sizeof *f->value));
	f->n = f->nblocks = 0;
	fill_fresh_pairs(s, f);
	for (int k = 0; k < f->npairs[0] || k < f->npairs[1] || !k; k++)
		f->lv[k] = s->pool[s->npool - 1][0];
	for (int op = 0; op < NOPS; op++)
		for (int slot = 0; slot < operations[op].sources; slot++)
			if (operations[op].set <= s->set && traits[op].price == price && !(slot == 1 && operations[op].commutes))
				add_block(s, f, op, slot);
	f->block[f->nblocks].from = f->n;
	s->programs += (unsigned long long)f->n;
}

/* Value `at` of a block. */
static void
try_fresh(search *s, const fresh *f, const guess *g, int block, int at, int budget)
{
	int op = f->block[block].op, three = operations[op].sources == 3, left[2] = { f->px[three][at], f->py[three][at] };
	uint8_t src[3];

	for (int i = 0, j = 0; i < 3; i++)
		src[i] = (uint8_t)(i == f->block[block].slot ? s->npool - 1 : left[j < 2 ? j++ : 1]);
	try_two(s, g, op, src, budget);
}

/* Which of n values may be it; false: none. */
static FAST bool
any_fits(const uint32_t *restrict value, int n, uint32_t want, uint32_t care)
{
	uint32_t hit = 0;

	for (int k = 0; k < n; k++)
		hit |= (uint32_t)(((value[k] ^ want) & care) == 0);
	return hit != 0;
}

/* The same of those whose place is marked. */
static FAST bool
any_marked(const uint32_t *restrict value, int n, const uint32_t *restrict marks)
{
	uint32_t hit = 0;

	for (int k = 0; k < n; k++) {
		uint32_t at = (value[k] * HASH) >> 15;

		hit |= marks[at >> 5] >> (at & 31);
	}
	return hit & 1;
}

enum { BLOCK = 256 };

static void
mark(fresh *f, bool on)
{
	for (size_t k = 0; k < f->nexact; k++) {
		unsigned at = place(f->guess[k].want);

		f->wanted[at >> 5] = on ? f->wanted[at >> 5] | 1u << (at & 31) : 0;
	}
}

static void
add_to_fresh(fresh *f, const guess *g)
{
	if (f->nguess == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 4096;
		f->guess = need(realloc(f->guess, f->cap * sizeof *f->guess));
	}
	f->guess[f->nguess++] = *g;
	if (g->care == ~0u) {
		f->guess[f->nguess - 1] = f->guess[f->nexact];
		f->guess[f->nexact++] = *g;
	}
}

/* Guesses from..to of f with the values of a block. */
static void
scan_block(search *s, const fresh *f, int b, size_t from, size_t to, int budget)
{
	const uint32_t *value = f->value + f->block[b].from;
	int n = f->block[b + 1].from - f->block[b].from;

	for (size_t k = from; k < to && !done(s); k++) {
		const guess *g = &f->guess[k];

		if (any_fits(value, n, g->want, g->care))
			for (int at = 0; at < n && !done(s); at++)
				if (!((value[at] ^ g->want) & g->care))
					try_fresh(s, f, g, b, at, budget);
	}
}

static void
scan_fresh(search *s, const fresh *f, int budget)
{
	for (int b = 0; b < f->nblocks && !done(s); b++) {
		if (f->nexact && any_marked(f->value + f->block[b].from, f->block[b + 1].from - f->block[b].from, f->wanted))
			scan_block(s, f, b, 0, f->nexact, budget);
		scan_block(s, f, b, f->nexact, f->nguess, budget);
	}
}

/* Instructions that do not read the newest value, but the last one does. Of two such the later one in the list is the last but one. */
static void
scan_list(search *s, const guess *g, size_t from, int price, uint32_t lack, int budget)
{
	if (g->care == ~0u && !s->there[place(g->want)])
		return;
	s->programs += s->nlist - from;
	for (size_t at = from; at < s->nlist && !done(s); at += BLOCK) {
		int n = s->nlist - at < BLOCK ? (int)(s->nlist - at) : BLOCK;

		if (!any_fits(s->first + at, n, g->want, g->care))
			continue;
		for (size_t k = at; k < at + (size_t)n && !done(s); k++) {
			item i = s->list[k];
			uint32_t have = 0;

			for (int j = 0; j < operations[i.op].sources; j++)
				have |= brings(s, i.src[j]);
			if (!((i.lane[0] ^ g->want) & g->care) && i.cost == price && !(lack & ~have))
				try_two(s, g, i.op, i.src, budget);
		}
	}
}

/* What the last but one has to bring. */
static uint32_t
lacking(const search *s, const guess *g, uint32_t all)
{
	for (int k = 0; k < operations[g->op].sources; k++)
		if (!(g->slots >> k & 1))
			all &= ~brings(s, g->src[k]);
	return all;
}

/* Programs that two more instructions end, of costs `price` and what is left. old: guesses that do not read the newest value. */
static void
end_with(search *s, int depth, size_t from, size_t old, int budget, int price)
{
	static fresh f;
	uint32_t all = all_brought(s);

	f.nguess = f.nexact = 0;
	for (size_t k = 0; k < s->nguess && !done(s); k++) {
		guess g = s->guess[k];
		uint32_t lack = lacking(s, &g, all);

		if (traits[g.op].price != budget - price || __builtin_popcount(lack >> 8) > 3)
			continue;
		if (depth)
			add_to_fresh(&f, &g);
		if (k >= old)
			scan_list(s, &g, from, price, lack, budget);
	}
	if (!f.nguess || done(s))
		return;
	mark(&f, true);
	fill_fresh(s, &f, price);
	scan_fresh(s, &f, budget);
	mark(&f, false);
}

static void
last_two(search *s, int depth, size_t from, size_t old, int budget)
{
	for (int price = 1; price <= 2; price++)
		if (budget - price == 1 || budget - price == 2)
			end_with(s, depth, from, old, budget, price);
}

/* What must be left behind an instruction: of one result two more, or one that reads the other dword of a shift. */
static int
least_left(const search *s, const item *i)
{
	bool shift = traits[i->op].shift64;

	if (s->nresults == 1)
		return shift || !i->cost ? 1 : 2;
	return count_missing(s) - 1 - shift;
}

/* The program goes on with the list's item k. */
static void
child(search *s, int depth, size_t k, int budget)
{
	item i = s->list[k];
	int left = budget - i.cost, free_dword = s->nresults == 2 && traits[i.op].shift64;

	if (left < least_left(s, &i))
		return;
	push(s, &i);
	if (!count_missing(s))
		passes(s, NULL);
	else if (left >= count_missing(s) - free_dword && can_end(s, left + free_dword))
		node(s, depth + 1, k + 1, left);
	pop(s, &i);
}

/* Appends the instructions that may come next; returns which of the list is the first. */
static size_t
list_next(search *s, int depth, size_t from, int budget, bool shift, bool more)
{
	size_t end = s->nlist;

	forget(s, depth);
	for (int k = 0; !depth && k < s->npool; k++)
		seen_before(s, 0, s->pool[k], 1, false);
	if (depth)
		seen_before(s, depth, s->pool[s->npool - 1], 1, s->made_of[s->npool - 1] & MASK);
	if (shift)
		list_other_dword(s, depth);
	if (more)
		list_new(s, depth, most_for_one(s, budget));
	return more ? from : end;
}

/* All programs that begin with the values there are; from: first of the list that may come next. Of one result the last two
 * instructions are found together, so the last one alone is looked for at the root and after another dword, which is free. */
static void
node(search *s, int depth, size_t from, int budget)
{
	size_t end = s->nlist, old = s->nguess;
	bool one = s->nresults == 1, more = budget > (one && depth ? 2 : count_missing(s));
	bool shift = depth && s->nvalues && traits[s->op_of[s->npool - 1]].shift64;

	if (!one || !depth || s->is_free)
		last_instruction(s, budget);
	if (!(++s->nodes & 1023))
		s->late = clock() > s->end;
	if (((!more && !shift) && !one) || done(s))
		return;
	if (one && budget > 1)
		add_guesses(s, depth, 2);
	if (one && depth)
		last_two(s, depth, from, old, budget);
	if (more || shift)
		from = list_next(s, depth, from, budget, shift, more);
	if (one && !depth)
		last_two(s, depth, 0, old, budget);
	for (size_t k = from; (more || shift) && k < s->nlist && !done(s); k++)
		child(s, depth, k, budget);
	cut_list(s, end);
	s->nguess = old;
}

/* Results that are an operand or a constant. */
static void
nothing(search *s)
{
	s->got = 0;
	for (int k = 0; k < s->npool; k++)
		for (int r = 0; r < RESULTS && r < s->nresults; r++)
			if (!(s->got >> r & 1) && !memcmp(s->pool[k], s->want[r], sizeof s->want[r])) {
				s->got = (uint8_t)(s->got | 1 << r);
				s->at[r] = (uint8_t)k;
			}
	if (count_missing(s))
		return;
	passes(s, NULL);
	if (!s->again)
		snprintf(s->found, sizeof s->found, "nothing");
}

/* ---- a question ---- */

static void
run_search(search *s, int budget)
{
	s->nresults = width_of(s->q) == 64 ? 2 : 1;
	find_inputs(s);
	fill_vectors(s);
	do {
		s->again = false;
		cut_list(s, 0);
		s->nguess = 0;
		fill_wants(s);
		fill_pool(s);
		find_ends(s);
		nothing(s);
		if (budget && !s->found[0] && !s->again)
			node(s, 0, 0, budget);
	} while (s->again && !s->late);
	for (int k = 0; k <= MAX_DEPTH; k++) {
		forget(s, k);
		free(s->seen[k]);
		s->seen[k] = NULL;
		s->seen_cap[k] = 0;
	}
	free(s->list);
	free(s->first);
	free(s->guess);
	s->list = NULL;
	s->first = NULL;
	s->guess = NULL;
	s->cap = s->nlist = s->guess_cap = s->nguess = 0;
}

/* Is the 32-bit row, and no cheaper one, for these constants? */
static bool
is_for(const question *q, uint32_t p, uint32_t l)
{
	bool bytes = !(p & 7) && (!(l & 7) || p + l > 32), top = p + l >= 32;

	if (p + l > 32 || (!p && l >= 32))
		return false;
	if (!strncmp(q->op, "bfe", 3))
		return !strcmp(q->row, "high") ? top && p : !top;
	if (!strncmp(q->row, "or", 2))
		return p || !strcmp(q->row, "or_low");
	if (!strcmp(q->row, "high_few"))
		return top && p && p <= 6;
	if (!strcmp(q->row, "bytes"))
		return bytes;
	return !bytes && (!strcmp(q->row, "high") ? top && p : !strcmp(q->row, "low") ? !p : p && !top);
}

/* What the 64-bit row costs for these constants; 0: it is not for them, or nothing. */
static int
cost_at(const question *q, uint32_t p, uint32_t l)
{
	bool top = p + l == 64, across = p < 32 && p + l > 32, is_signed = !strcmp(q->op, "bfe_s64");

	if (p + l > 64 || (!p && l == 64))
		return 0;
	if (!strcmp(q->row, "straddle"))
		return !across || !p || l <= 32 ? 0 : (p & 7 ? 2 : 1) + 1 + !top;
	if (!strcmp(q->row, "across") || !strcmp(q->row, "bytes"))
		return !across || l > 32 || (q->row[0] == 'b') != !((p | l) & 7) ? 0 : q->ours;
	if (!strcmp(q->row, "high"))
		return !top || (!is_signed && p >= 32) ? 0 : p == 32 ? 1 : 2;
	if (!strcmp(q->row, "sign_high"))
		return p + l != 33 || l > 32 ? 0 : 2;
	if (!strcmp(q->row, "narrow"))
		return !across || l > 32 || (is_signed && p + l == 33) ? 0 : 1 + (l < 32) + is_signed;
	if (!strcmp(q->row, "field"))
		return !across || l <= 32 || top ? 0 : p ? 2 : 1;
	if (!strcmp(q->row, "in_low"))
		return p + l > 32 ? 0 : l == 32 ? 1 : 2;
	return p < 32 || top ? 0 : 2;    /* in_high */
}

/* slack: 0 up to less than the row costs, 1 up to what it costs. */
static void
each(search *s, int budget, int step, int slack)
{
	int tried = 0;
	uint32_t width = width_of(s->q);
	range any = { 0, width, false }, p = strcmp(s->q->pos, "each") ? range_of(s->q->pos) : any;

	for (uint32_t pos = p.lo; pos <= p.hi && !done(s); pos++)
		for (uint32_t len = 1; len <= width && !done(s); len++) {
			int ours = width == 64 ? cost_at(s->q, pos, len) : is_for(s->q, pos, len) ? s->q->ours : 0;

			if (!ours || tried++ % step || budget >= ours + slack)
				continue;
			s->pos = (range){ pos, pos, true };
			s->len = (range){ len, len, true };
			run_search(s, budget);
		}
}

static void
cost(search *s, int budget, int step, int slack)
{
	s->again = false;
	if (!strcmp(s->q->len, "each")) {
		each(s, budget, step, slack);
		return;
	}
	s->pos = range_of(s->q->pos);
	s->len = range_of(s->q->len);
	run_search(s, budget);
}

static const char *const set_name[] = { [CORE] = "CORE", [MID] = "MID", [WIDE] = "WIDE" };

static void
answer(const question *q, int slack, int step, int seconds)
{
	static search s;
	clock_t start = clock();
	int none_to = -1;

	memset(&s, 0, sizeof s);
	s.q = q;
	s.set = q->set;
	s.needs = needs_of(q);
	s.seed = 1;
	s.end = start + (clock_t)seconds * CLOCKS_PER_SEC;
	for (int budget = 0; budget < q->ours + slack; budget++) {
		cost(&s, budget, step, slack);
		if (done(&s))
			break;
		none_to = budget;
	}
	printf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%llu\t%.1f\t%s\n", q->op, q->row, q->pos, q->len, set_name[q->set], q->ours, none_to,
	       s.programs, (double)(clock() - start) / CLOCKS_PER_SEC, s.found[0] ? s.found : s.late ? "time" : "none");
	fflush(stdout);
}

typedef struct options {
	const char *op, *row, *set;
	int step, seconds, dearest;
	bool ours;
} options;

static bool
read_option(options *o, const char *arg)
{
	if (!strcmp(arg, "--sample"))
		o->step = 97;
	else if (!strcmp(arg, "--ours"))
		o->ours = true;
	else if (!strncmp(arg, "--op=", 5))
		o->op = arg + 5;
	else if (!strncmp(arg, "--row=", 6))
		o->row = arg + 6;
	else if (!strncmp(arg, "--set=", 6))
		o->set = arg + 6;
	else if (!strncmp(arg, "--dearest=", 10))
		o->dearest = atoi(arg + 10);
	else if (!strncmp(arg, "--seconds=", 10))
		o->seconds = atoi(arg + 10);
	else
		return false;
	return true;
}

static bool
is_wanted(const char *wanted_name, const char *name)
{
	return !wanted_name || !strcmp(wanted_name, name);
}

static bool
is_asked(const options *o, const question *q)
{
	return q->ours <= o->dearest && is_wanted(o->op, q->op) && is_wanted(o->row, q->row) && is_wanted(o->set, set_name[q->set]);
}

int
main(int argc, char **argv)
{
	options o = { .step = 1, .seconds = 60, .dearest = 99 };
	bool any = false;

	find_traits();
	look_behind();
	if (argc == 2 && !strcmp(argv[1], "--backwards"))
		return try_backwards();
	for (int k = 1; k < argc; k++)
		if (!read_option(&o, argv[k]))
			return fprintf(stderr, "gen_search: unknown option %s\n", argv[k]), 2;
	for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
		any |= is_asked(&o, &questions[k]);
	if (!any)
		return fprintf(stderr, "gen_search: search.def has no such question\n"), 2;
	printf("op\trow\tpos\tlen\tset\tours\tnone_to\tprograms\tseconds\tfound\n");
	for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) {
		const question *q = &questions[k];

		if (is_asked(&o, q))
			answer(q, o.ours, o.step, o.seconds);
	}
	return 0;
}
