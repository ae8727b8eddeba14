/* gen_search.c -- is there a shorter sequence for a bit field? Makes all straight-line programs of the integer vector
 * instructions in search_ops.def up to a cost (VALU 1, 64-bit shift 2) and compares them with the definition on
 * test vectors; prints a line a question (search.def). PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk).
 *
 *	gen_search [--seconds=N] > tests/data/bfi_search.tsv     N of processor time for each question, default 60
 *	gen_search --op=OP --row=NAME --set=WIDE|MID|CORE        only such questions
 *	gen_search --dearest=N                                   only those of rows that cost no more than N
 *	gen_search --sample                                      of rows for `each` constant, one pair in 97
 *	gen_search --ours                                        up to the cost of the row itself: something must be found
 *
 * Costs are gone through one after the other. Columns: op, row, pos, len, set: the question (search.def); ours: what the row
 * costs; none_to: no program of this cost or less computes it (-1: not even that was decided); programs, seconds: how many
 * were tried, processor time; found: the first that does, `none` if none is cheaper than ours, `time` if there was none left.
 *
 * A program is a set of instructions, listed in one order only: a node of the search has the list of instructions that
 * may come next; its children take one and keep what stands behind it, and get the ones that read the new value.
 * Values that are the same on all vectors are one value. A 64-bit result is two results, one of which any instruction may make
 * on the way. The second dword of a 64-bit shift costs nothing where the first is there. A program that passes the vectors is run on many
 * more; if it fails there, the failing input becomes a vector and the search starts again. So "none" needs no more
 * than the vectors: every program differs from the definition on one of them. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CORE = 1, MID, WIDE };           /* an instruction of a set is in every wider one */
enum { LANES = 16, MAX_POOL = 160, MAX_DEPTH = 8, CHECKS = 200000 };

/* ---- the instructions ---- */

static inline uint32_t
reversed(uint32_t x)
{
	uint32_t r = 0;

	for (int k = 0; k < 32; k++)
		r |= (x >> k & 1) << (31 - k);
	return r;
}

static inline uint32_t
signed_field(uint32_t x, uint32_t at, uint32_t n)
{
	uint32_t left = n && at + n < 32 ? 32 - at - n : 0;

	return n ? (uint32_t)((int32_t)(x << left) >> (left + at)) : 0;
}

static inline uint32_t
permuted(uint32_t high, uint32_t low, uint32_t sel)
{
	uint64_t from = (uint64_t)high << 32 | low;
	uint32_t r = 0;

	for (unsigned k = 0; k < 4; k++) {
		uint32_t s = sel >> 8 * k & 0xff, sign = (uint32_t)(from >> ((s & 3) * 16 + 15)) & 1;
		uint32_t byte = s < 8 ? (uint32_t)(from >> 8 * s) & 0xff : s < 12 ? sign * 0xff : s == 12 ? 0 : 0xff;

		r |= byte << 8 * k;
	}
	return r;
}

static inline uint32_t
middle(uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t low = x < y ? x : y, high = x < y ? y : x;

	return z < low ? low : z > high ? high : z;
}

/* eval_: all lanes. scan_: is one of n operand triples, in one lane, what is wanted? */
#if defined __x86_64__ && defined __gnu_linux__ && !defined __SANITIZE_ADDRESS__
#define FAST __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define FAST
#endif
#define OP(name, sources, set, commutes, expression)                                                      \
	static FAST void eval_##name(uint32_t *restrict r, const uint32_t *restrict px,                   \
	    const uint32_t *restrict py, const uint32_t *restrict pz)                                     \
	{                                                                                                 \
		for (int k = 0; k < LANES; k++) {                                                         \
			uint32_t x = px[k], y = py[k], z = pz[k];                                         \
			(void)x, (void)y, (void)z;                                                        \
			r[k] = (uint32_t)(expression);                                                    \
		}                                                                                         \
	}                                                                                                 \
	static FAST bool scan_##name(uint32_t want, const uint32_t *restrict px, const uint32_t *restrict py, \
	    const uint32_t *restrict pz, int n)                                                           \
	{                                                                                                 \
		uint32_t hit = 0;                                                                         \
		for (int k = 0; k < n; k++) {                                                             \
			uint32_t x = px[k], y = py[k], z = pz[k];                                         \
			(void)x, (void)y, (void)z;                                                        \
			hit |= (uint32_t)((uint32_t)(expression) == want);                                \
		}                                                                                         \
		return hit != 0;                                                                          \
	}
#include "search_ops.def"

typedef struct operation {
	const char *name;
	int sources, set, commutes;
	void (*eval)(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *);
	bool (*scan)(uint32_t, const uint32_t *, const uint32_t *, const uint32_t *, int);
} operation;

static const operation operations[] = {
#define OP(name, sources, set, commutes, expression) { #name, sources, set, commutes, eval_##name, scan_##name },
#include "search_ops.def"
};
enum { NOPS = sizeof operations / sizeof *operations };

/* Lane masks: which source of an operation is one (-1: none), and whether its result is. */
static int
mask_source(const operation *o)
{
	return !strncmp(o->name, "cndmask", 7) ? 0 : !strncmp(o->name, "addc", 4) || !strncmp(o->name, "subb", 4) ? 2 : -1;
}

static bool
gives_mask(const operation *o)
{
	return !strncmp(o->name, "cmp_", 4);
}

static bool
is_shift64(const operation *o)
{
	return strstr(o->name, "64") != NULL;
}

static int
cost_of(const operation *o)
{
	return is_shift64(o) ? 2 : 1;
}

/* The other dword of a 64-bit shift. Of three sources the first two are the value, of two the first is the dword of it that
 * alone matters; the last is the amount. */
static int
other_dword(int op)
{
	const char *name = operations[op].name;
	size_t n = strlen(name) - 2;

	for (int k = 0; k < NOPS; k++)
		if (k != op && !strncmp(operations[k].name, name, n) && strlen(operations[k].name) == n + 2)
			return k;
	return -1;
}

/* ---- the questions ---- */

typedef struct question {
	const char *op, *row, *pos, *len;
	int set, ours;
} question;

static const question questions[] = {
#define SEARCH(op, row, pos, len, set, ours) { #op, #row, pos, len, set, ours },
#include "search.def"
};

typedef struct range { uint32_t lo, hi; bool constant; } range;

static range
range_of(const char *text)
{
	char *end;
	range r = { 0, 0xffffffff, false };

	if (*text == 'v')
		return r;
	r.lo = r.hi = (uint32_t)strtoul(text, &end, 0);
	r.constant = !*end;
	if (*end)
		r.hi = (uint32_t)strtoul(end + 2, NULL, 0);
	return r;
}

/* ---- the definition ---- */

/* a and b of 64 bits: low dwords, then high ones. */
enum { A, B, C, D, A1, B1, NINPUTS };
static const char *const input_names[] = { "a", "b", "c", "d", "a1", "b1" };
typedef struct input { uint32_t in[NINPUTS]; } input;

/* The manual's loops, bit by bit. */
static uint64_t
insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width)
{
	for (uint32_t i = 0; i < len && pos + i < width; i++)
		b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
	return b;
}

static uint64_t
extract(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed)
{
	uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
	uint64_t sign = is_signed && len ? a >> top & 1 : 0, r = 0;

	for (uint32_t i = 0; i < width; i++)
		r |= (i < len && pos + i < width ? a >> (pos + i) & 1 : sign) << i;
	return r;
}

static uint32_t
field(uint32_t pos, uint32_t len)
{
	return (uint32_t)insert(0xffffffff, 0, pos, len, 32);
}

static unsigned
width_of(const question *q)
{
	return strstr(q->op, "64") ? 64 : 32;
}

/* Of bmsk and szext all bits of pos and len count; 32 is what more means. */
static uint64_t
wanted_clamped(const question *q, const input *v)
{
	uint32_t pos = v->in[C] < 32 ? v->in[C] : 32, len = v->in[D] < 32 ? v->in[D] : 32;

	return *q->op == 'b' ? field(pos, len) : extract(v->in[A], 0, len, 32, !strcmp(q->op, "szext_s32"));
}

static uint64_t
wanted(const question *q, const input *v)
{
	uint32_t pos = v->in[C] & 0xff, len = v->in[D] & 0xff, w = width_of(q);
	uint64_t a = v->in[A], b = v->in[B];

	if (w == 64) {
		a |= (uint64_t)v->in[A1] << 32;
		b |= (uint64_t)v->in[B1] << 32;
	}
	if (!strcmp(q->op, "bmsk") || !strncmp(q->op, "szext", 5))
		return wanted_clamped(q, v);
	if (!strncmp(q->op, "bfi", 3))
		return insert(a, b, pos, len, w);
	return extract(a, pos, len, w, !strncmp(q->op, "bfe_s", 5));
}

/* ---- the state of a search ---- */

enum { RESULTS = 2 };
enum { MASK = 0x80 };                   /* in inputs, made_of: the value is a lane mask */

typedef struct item {
	uint32_t lane[LANES];
	uint8_t op, src[3], inputs;      /* of which inputs it is made */
	uint8_t cost;
} item;

typedef struct search {
	const question *q;
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
	size_t nlist, cap;
	uint64_t *seen[MAX_DEPTH + 1];
	size_t seen_cap[MAX_DEPTH + 1], seen_n[MAX_DEPTH + 1];
	unsigned long long programs, nodes;
	int replaced;                    /* vectors taken from failures */
	clock_t end;                     /* of the time that the question has */
	bool again, late;
	char found[256];
} search;

static uint32_t
rnd(search *s)
{
	s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(s->seed >> 33) * 0x9e3779b1u ^ (uint32_t)(s->seed >> 20);
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

/* Rows that need zeros in a and b (BZ, AF) get them. */
static input
any_input(search *s)
{
	input v = { { rnd(s), rnd(s), number_in(s, &s->pos), number_in(s, &s->len), rnd(s), rnd(s) } };
	bool fits = !strcmp(s->q->row, "or") || !strcmp(s->q->row, "or_low");
	uint32_t len = v.in[D] & 0xff;

	if (!strncmp(s->q->row, "or", 2) && !strcmp(s->q->op, "bfi32")) {
		v.in[B] &= ~field(v.in[C] & 0xff, len);
		v.in[A] &= fits && len < 32 ? (1u << len) - 1 : ~0u;
	}
	return v;
}

static bool
within(const input *v)
{
	uint32_t pos = v->in[C] & 0xff, len = v->in[D] & 0xff;

	return len > 1 && pos + len < 31;
}

/* Every output's lanes, from the vectors. */
static void
fill_wants(search *s)
{
	for (int k = 0; k < LANES; k++)
		for (int r = 0; r < RESULTS && r < s->nresults; r++)
			s->want[r][k] = (uint32_t)(wanted(s->q, &s->vector[k]) >> 32 * r);
}

/* An input counts where a change of it was seen to change the result. */
static void
find_inputs(search *s)
{
	s->inputs[0] = s->inputs[1] = 0;
	for (int n = 0; n < 300; n++)
		for (int k = 0; k < NINPUTS; k++) {
			input v = any_input(s), other = any_input(s);
			uint64_t change = wanted(s->q, &v);

			v.in[k] = other.in[k];
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
		/* Lane 0 sees most programs fail: a field within the word, if there is one. */
		for (int n = 0; !k && n < 1000 && !within(&s->vector[0]); n++)
			s->vector[0] = any_input(s);
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

static uint32_t
ones(uint32_t n)
{
	return n >= 32 ? ~0u : (1u << n) - 1;
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

/* The constants of the set, and those that a row may make of its pos and len. */
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
		if (((s->made_of[src[k]] & MASK) != 0) != (k == mask_source(&operations[op])))
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
	item last = { .op = (uint8_t)op, .src = { (uint8_t)src[0], (uint8_t)src[1], (uint8_t)src[2] }, .cost = (uint8_t)cost_of(&operations[op]) };

	if (!types_fit(s, op, last.src) || gives_mask(&operations[op]))
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

			if (o->set > s->set || cost_of(o) > most)
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
	i->inputs = (uint8_t)((i->inputs & ~MASK) | (gives_mask(&operations[op]) ? MASK : 0));
	if (i->inputs & ~MASK && !seen_before(s, depth, i->lane, cost, i->inputs & MASK))
		s->nlist++;
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

		if (o->set > s->set || cost_of(o) > budget)
			continue;
		for (int x = 0; x < n; x++)
			for (int y = o->commutes ? x : 0; y < (o->sources > 1 ? n : o->commutes ? x + 1 : 1); y++)
				for (int z = 0; z < (o->sources > 2 ? n : 1); z++)
					if (!depth || x == newest || (o->sources > 1 && y == newest) ||
					    (o->sources > 2 && z == newest))
						add_item(s, depth, cost_of(o), op, x, y, z);
	}
}

/* The newest value is a dword of a 64-bit shift: the other one costs nothing. */
static void
list_other_dword(search *s, int depth)
{
	int newest = s->npool - 1, op = s->op_of[newest], other = is_shift64(&operations[op]) ? other_dword(op) : -1;
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

/* The program goes on with the list's item k. */
static void
child(search *s, int depth, size_t k, int budget)
{
	item i = s->list[k];
	int left = budget - i.cost, free_dword = s->nresults == 2 && is_shift64(&operations[i.op]);

	if (left < (s->nresults == 1 ? 1 : count_missing(s) - 1 - free_dword))
		return;
	push(s, &i);
	if (!count_missing(s))
		passes(s, NULL);
	else if (left >= count_missing(s) - free_dword && can_end(s, left + free_dword))
		node(s, depth + 1, k + 1, left);
	pop(s, &i);
}

/* All programs that begin with the values there are; from: first of the list that may come next. */
static void
node(search *s, int depth, size_t from, int budget)
{
	size_t end = s->nlist;
	bool more = budget > count_missing(s), shift = depth && s->nvalues && is_shift64(&operations[s->op_of[s->npool - 1]]);

	last_instruction(s, budget);
	if (!(++s->nodes & 1023))
		s->late = clock() > s->end;
	if ((!more && !shift) || done(s))
		return;
	forget(s, depth);
	for (int k = 0; !depth && k < s->npool; k++)
		seen_before(s, 0, s->pool[k], 1, false);
	if (depth)
		seen_before(s, depth, s->pool[s->npool - 1], 1, s->made_of[s->npool - 1] & MASK);
	if (shift)
		list_other_dword(s, depth);
	if (more)
		list_new(s, depth, most_for_one(s, budget));
	for (size_t k = more ? from : end; k < s->nlist && !done(s); k++)
		child(s, depth, k, budget);
	s->nlist = end;
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
	if (!count_missing(s))
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
		s->nlist = 0;
		fill_wants(s);
		fill_pool(s);
		nothing(s);
		if (budget && !s->found[0])
			node(s, 0, 0, budget);
	} while (s->again && !s->late);
	for (int k = 0; k <= MAX_DEPTH; k++) {
		forget(s, k);
		free(s->seen[k]);
		s->seen[k] = NULL;
		s->seen_cap[k] = 0;
	}
	free(s->list);
	s->list = NULL;
	s->cap = s->nlist = 0;
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
