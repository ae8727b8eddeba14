/* search_machine.h -- the instructions of search_ops.def, forwards and backwards (search_back.def); a part of gen_search.c that
 * stands by itself. find_traits and look_behind come first. */
#ifndef SEARCH_MACHINE_H
#define SEARCH_MACHINE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CORE = 1, MID, WIDE };           /* an instruction of a set is in every wider one */
enum { LANES = 16 };                    /* vectors at a time */

static inline uint32_t
random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) * 0x9e3779b1u ^ (uint32_t)(*seed >> 20);
}

static inline uint32_t
ones(uint32_t n)
{
	return n >= 32 ? ~0u : (1u << n) - 1;
}

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

#if defined __x86_64__ && defined __gnu_linux__ && !defined __SANITIZE_ADDRESS__
#define FAST __attribute__((optimize("O3"), target_clones("avx2", "default")))
#else
#define FAST
#endif
#include "search_back.h"

/* eval_: all lanes. scan_: is one of n operand triples, in one lane, what is wanted? many_: what each makes. */
#define OP(name, sources, set, commutes, expression)                                                      \
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
	}                                                                                                 \
	static FAST void many_##name(uint32_t *restrict r, const uint32_t *restrict px,                   \
	    const uint32_t *restrict py, const uint32_t *restrict pz, int n)                              \
	{                                                                                                 \
		for (int k = 0; k < n; k++) {                                                             \
			uint32_t x = px[k], y = py[k], z = pz[k];                                         \
			(void)x, (void)y, (void)z;                                                        \
			r[k] = (uint32_t)(expression);                                                    \
		}                                                                                         \
	}                                                                                                 \
	static FAST void eval_##name(uint32_t *restrict r, const uint32_t *restrict px,                   \
	    const uint32_t *restrict py, const uint32_t *restrict pz)                                     \
	{                                                                                                 \
		many_##name(r, px, py, pz, LANES);                                                        \
	}
#include "search_ops.def"

typedef struct operation {
	const char *name;
	int sources, set, commutes;
	void (*eval)(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *);
	bool (*scan)(uint32_t, const uint32_t *, const uint32_t *, const uint32_t *, int);
	void (*many)(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *, int);
	back *amount;
} operation;

static const operation operations[] = {
#define OP(name, sources, set, commutes, expression) \
	{ #name, sources, set, commutes, eval_##name, scan_##name, many_##name, amount_##name },
#include "search_ops.def"
};
enum { NOPS = sizeof operations / sizeof *operations };

/* Of each operation, by its name. Lane masks: which source is one (-1: none), whether the result is; a dword of a 64-bit shift and its price. */
static struct { int8_t mask, price; bool gives_mask, shift64; } traits[NOPS];

static void
find_traits(void)
{
	for (int op = 0; op < NOPS; op++) {
		const char *name = operations[op].name;

		traits[op].mask = !strncmp(name, "cndmask", 7) ? 0 : !strncmp(name, "addc", 4) || !strncmp(name, "subb", 4) ? 2 : -1;
		traits[op].gives_mask = !strncmp(name, "cmp_", 4);
		traits[op].shift64 = strstr(name, "64") != NULL;
		traits[op].price = traits[op].shift64 ? 2 : 1;
	}
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

static const backwards *
find_back(const backwards *list, size_t n, const char *name)
{
	for (size_t k = 0; k < n; k++)
		if (!strcmp(list[k].op, name))
			return &list[k];
	return NULL;
}

/* Of each operation: its rows of search_back.def, which operands are numbers of bits, which sets of them are worth a look. */
static struct { const backwards *one, *twin; int amounts; bool asked[XYZ]; } behind[NOPS];

static bool
is_asked_for(int op, int slots)
{
	const operation *o = &operations[op];
	const backwards *b = slots & (slots - 1) ? behind[op].twin : behind[op].one;
	int mask = traits[op].mask;

	if (!b || !b->text[slots] || !strcmp(b->text[slots], "NO") || slots >> o->sources || (mask >= 0 && slots >> mask & 1 && slots != 1 << mask))
		return false;
	return !o->commutes || (slots & (X | Y)) != Y;
}

static void
look_behind(void)
{
	for (int op = 0; op < NOPS; op++) {
		const backwards *b = find_back(singles, sizeof singles / sizeof *singles, operations[op].name);

		behind[op].one = b;
		behind[op].twin = find_back(twins, sizeof twins / sizeof *twins, operations[op].name);
		for (int slot = 0; b && slot < 3; slot++)
			behind[op].amounts |= strcmp(b->text[1 << slot], "AMOUNT") ? 0 : 1 << slot;
		for (int slots = 1; slots < XYZ; slots++)
			behind[op].asked[slots] = is_asked_for(op, slots);
	}
}

/* Of one vector. v: its operands; those in slots do not matter. */
static wish
wish_of(int op, int slots, uint32_t t, const uint32_t v[3])
{
	int counts = slots & behind[op].amounts, rest = slots & ~counts;
	uint32_t any = 0, all = ~0u;
	bool can = false;

	if (counts && !rest)
		return operations[op].amount(slots, t, v[0], v[1], v[2]);
	if (!counts)
		return (slots & (slots - 1) ? behind[op].twin->twin : behind[op].one->one)(slots, t, v[0], v[1], v[2]);
	for (uint32_t k = 0; k < 64; k++) {
		wish w = (rest & (rest - 1) ? behind[op].twin->twin : behind[op].one->one)(rest, t, counts & X ? k : v[0],
			counts & Y ? k : v[1], counts & Z ? k : v[2]);

		if (w.can && !((w.want ^ k) & w.care & 63)) {
			can = true;
			any |= k;
			all &= k;
		}
	}
	return bits(can, any, 63 & ~(any ^ all));
}

/* ---- are the instructions right backwards? ---- */

/* Is a result of which search_back.def says NO an operand, a constant, or what a simpler instruction makes of them? */
static bool
is_simpler(uint32_t t, const uint32_t v[3])
{
	static const char *const simple[] = { "and_b32", "or_b32", "min_u32", "max_u32" };

	if (!t || !~t || t == v[0] || t == v[1] || t == v[2])
		return true;
	for (int op = 0; op < NOPS; op++)
		for (size_t k = 0; k < sizeof simple / sizeof *simple; k++)
			for (int i = 0; i < 3 && !strcmp(operations[op].name, simple[k]); i++) {
				uint32_t r;

				operations[op].many(&r, &v[i], &v[(i + 1) % 3], v, 1);
				if (r == t)
					return true;
			}
	return false;
}

/* One that gives the result must be allowed. A lane mask is 0 or 1, and no other operand at the same time. */
static bool
is_right_backwards(uint64_t *s, int op, int slots)
{
	int mask = traits[op].mask;
	uint32_t v[3], t, u = random_of(s) & 1 ? random_of(s) : random_of(s) % 70;
	const backwards *b = slots & (slots - 1) ? behind[op].twin : behind[op].one;
	bool alone = mask >= 0 && slots >> mask & 1 && slots != 1 << mask;
	wish w;

	if (!(random_of(s) & 7))
		u = ~u;
	for (int k = 0; k < 3; k++)
		v[k] = slots >> k & 1 ? u : random_of(s) % 3 == 0 ? random_of(s) % 70 : random_of(s) & 1 ? ~(random_of(s) & random_of(s)) : random_of(s) & 15 ? random_of(s) : 0;
	if (mask >= 0)
		v[mask] &= 1;
	if (mask >= 0 && slots >> mask & 1)
		u = v[mask];
	operations[op].many(&t, &v[0], &v[1], &v[2], 1);
	if (slots >> operations[op].sources || alone || traits[op].gives_mask)
		return true;
	if (!b || !b->text[slots])
		return false;
	if (!strcmp(b->text[slots], "NO"))
		return is_simpler(t, v);
	w = wish_of(op, slots, t, v);
	return may_make(operations[op].name, t) && w.can && !((w.want ^ u) & w.care);
}

static int
try_backwards(void)
{
	uint64_t s = 1;
	int bad = 0;

	for (int op = 0; op < NOPS; op++)
		for (int slots = 1; slots < XYZ; slots++)
			for (int n = 0; n < 20000; n++)
				if (!is_right_backwards(&s, op, slots)) {
					printf("not ok %s is wrong backwards, operands %d\n", operations[op].name, slots);
					bad++;
					break;
				}
	if (!bad)
		printf("ok %d instructions are right backwards\n", NOPS);
	return bad != 0;
}
#endif
