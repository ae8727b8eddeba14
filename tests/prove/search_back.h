/* search_back.h -- the instructions of search_ops.def backwards: what must the operand be that is not known yet, for this result?
 * Needs LANES, FAST, reversed, ones and search_ops.def's helpers: a part of search_machine.h. The rules: search_back.def. */
#ifndef SEARCH_BACK_H
#define SEARCH_BACK_H
#include <math.h>

/* Of one vector: an operand that gives the result is `want` where `care` has ones; can: there may be one. */
typedef struct wish { uint32_t can, want, care; } wish;

static inline wish
bits(bool can, uint32_t want, uint32_t care)
{
	return (wish){ can, want, care };
}

static inline wish
is(uint32_t x)
{
	return bits(true, x, ~0u);
}

/* Of a range the bits count that all of it has in common. */
static inline wish
from_to(bool can, uint32_t lo, uint32_t hi)
{
	uint32_t d = lo ^ hi;

	return bits(can && lo <= hi, lo, d ? ~(~0u >> __builtin_clz(d)) : ~0u);
}

/* 1 / odd, modulo 2^32: each step doubles the bits that are right, at first three. */
static inline uint32_t
inverse(uint32_t odd)
{
	uint32_t r = odd;

	for (int k = 0; k < 4; k++)
		r *= 2 - odd * r;
	return r;
}

/* x of which the bits in `most` count, x * y = t. */
static inline wish
quotient(uint32_t t, uint32_t y, uint32_t most)
{
	uint32_t n = y ? (uint32_t)__builtin_ctz(y) : 0, known = ~0u >> n;
	uint32_t x = y ? (t >> n) * inverse(y >> n) & known : 0;

	return y ? bits(!(t & ones(n)) && !(x & ~most), x, known & most) : bits(!t, 0, 0);
}

/* The same modulo 2^24. */
static inline wish
low_quotient(uint32_t t, uint32_t y)
{
	uint32_t n = (uint32_t)__builtin_ctz(y);

	return bits(!(t & ones(n < 24 ? n : 24)), (t >> n) * inverse(y >> n), n < 24 ? ones(24 - n) : 0);
}

static inline wish
high_quotient(uint32_t t, uint32_t y)
{
	uint64_t lo, hi;

	if (t >= y)
		return bits(!y && !t, 0, 0);
	lo = (((uint64_t)t << 32) + y - 1) / y;
	hi = (((uint64_t)(t + 1) << 32) + y - 1) / y - 1;
	return from_to(lo <= ~0u, (uint32_t)lo, hi > ~0u ? ~0u : (uint32_t)hi);
}

/* x * x has t as its high dword; a little wider, for sqrt rounds. */
static inline wish
high_root(uint32_t t)
{
	double lo = sqrt((double)t * 0x1p32) - 2, hi = sqrt(((double)t + 1) * 0x1p32) + 2;

	return from_to(true, lo < 0 ? 0 : (uint32_t)lo, hi > 0xffffffffp0 ? ~0u : (uint32_t)hi);
}

/* Modulo 2^32: an odd square is 1 modulo 8. */
static inline bool
is_square(uint32_t t)
{
	int n = t ? __builtin_ctz(t) : 0;

	return !t || (!(n & 1) && (t >> n & 7) == 1);
}

static inline wish
signed_back(uint32_t t, uint32_t at, uint32_t n)
{
	uint32_t have = n < 32 - at ? n : 32 - at, left = (32 - have) & 31;

	return n ? bits((uint32_t)((int32_t)(t << left) >> left) == t, t << at, ones(have) << at) : bits(!t, 0, 0);
}

/* The two dwords of what is shifted right by s < 32, of which the low one is t. */
static inline wish
top_of(uint32_t t, uint32_t low, uint32_t s)
{
	return s ? bits(!((t ^ low >> s) & ~0u >> s), t >> (32 - s), ones(s)) : bits(t == low, 0, 0);
}

static inline wish
bottom_of(uint32_t t, uint32_t high, uint32_t s)
{
	return s ? bits(t >> (32 - s) == (high & ones(s)), t << s, ~0u << s) : is(t);
}

/* The two of what is shifted left, of which the high one is t. */
static inline wish
bottom_of_left(uint32_t t, uint32_t low, uint32_t s)
{
	return s ? bits((t & ones(s)) == low >> (32 - s), t >> s, ~0u >> s) : is(t);
}

static inline wish
top_of_left(uint32_t t, uint32_t high, uint32_t s)
{
	return s ? bits(!((t ^ high << s) & ~ones(s)), t << (32 - s), ~0u << (32 - s)) : bits(t == high, 0, 0);
}

static inline uint32_t
left_turned(uint32_t x, uint32_t s)
{
	return s ? x << s | x >> (32 - s) : x;
}

static inline uint32_t
right_turned(uint32_t x, uint32_t s)
{
	return left_turned(x, -s & 31);
}

/* x << s | x */
static inline wish
upon_itself(uint32_t t, uint32_t s)
{
	uint32_t may = t & (t >> s | ~(~0u >> s));

	return s ? bits((may | may << s) == t, 0, ~may) : is(t);
}

static inline wish
least_of(uint32_t t, uint32_t y, uint32_t z)
{
	uint32_t m = y < z ? y : z;

	return from_to(t <= m, t, t == m ? ~0u : t);
}

static inline wish
most_of(uint32_t t, uint32_t y, uint32_t z)
{
	uint32_t m = y > z ? y : z;

	return from_to(t >= m, t == m ? 0 : t, t);
}

static inline wish
middle_of(uint32_t t, uint32_t y, uint32_t z)
{
	uint32_t lo = y < z ? y : z, hi = y < z ? z : y;

	if (t > lo && t < hi)
		return is(t);
	return from_to(t == lo || t == hi, t == lo ? 0 : hi, t == hi ? ~0u : lo);
}

static inline wish
signed_middle_of(uint32_t t, uint32_t y, uint32_t z)
{
	wish w = middle_of(t ^ 1u << 31, y ^ 1u << 31, z ^ 1u << 31);

	w.want ^= 1u << 31;
	return w;
}

/* |x - y| = t */
static inline wish
apart(uint32_t t, uint32_t y)
{
	uint32_t up = y + t, down = y - t;
	bool may_up = up >= y, may_down = t <= y;

	return bits(may_up || may_down, may_up ? up : down, may_up && may_down ? ~(up ^ down) : ~0u);
}

/* A byte of v_perm_b32's result of bytes that are known (0), or parts of which are wished. */
static inline bool
wish_byte(wish *w, uint32_t byte, uint32_t s, uint32_t known, unsigned first)
{
	uint32_t sign = s & 1 ? 31 : 15, at = s < 8 ? 8 * (s & 3) : sign, mask = s < 8 ? 0xffu << at : 1u << at;
	bool mine = s < 8 ? (s & 4) == first : s < 12 && (s >= 10) == (first == 4);
	uint32_t bit = (byte & 1) << at, want = s < 8 ? byte << at : bit;
	uint32_t have = s < 8 ? known >> at & 0xff : s < 12 ? (known >> at & 1) * 0xff : s == 12 ? 0 : 0xff;

	if (!mine)
		return have == byte;
	if ((s >= 8 && byte && byte != 0xff) || ((w->want ^ want) & w->care & mask))
		return false;
	w->want |= want;
	w->care |= mask;
	return true;
}

/* first: 4, x is not known; 0: y is not. */
static inline wish
permuted_back(uint32_t t, uint32_t other, uint32_t sel, unsigned first)
{
	wish w = bits(true, 0, 0);

	for (unsigned k = 0; k < 4; k++)
		if (!wish_byte(&w, t >> 8 * k & 0xff, sel >> 8 * k & 0xff, other, first))
			return bits(false, 0, 0);
	return w;
}

/* x and y are the same: any that chooses from y chooses from x as well. */
static inline wish
permuted_twin(uint32_t t, uint32_t sel)
{
	for (unsigned k = 0; k < 4; k++) {
		uint32_t s = sel >> 8 * k & 0xff;

		sel |= s < 8 ? 4u << 8 * k : s < 10 ? 2u << 8 * k : 0;
	}
	return permuted_back(t, 0, sel, 4);
}

static inline bool
is_among(uint32_t byte, uint32_t x)
{
	return byte == (x & 0xff) || byte == (x >> 8 & 0xff) || byte == (x >> 16 & 0xff) || byte == x >> 24;
}

/* All that some selector can make. */
static inline bool
has_bytes(uint32_t t, uint32_t x, uint32_t y)
{
	for (unsigned k = 0; k < 4; k++) {
		uint32_t b = t >> 8 * k & 0xff;

		if (b && b != 0xff && !is_among(b, x) && !is_among(b, y))
			return false;
	}
	return true;
}

/* The selector is one of the two: its bytes are at most 12 where the result is not 255. */
static inline bool
own_bytes(uint32_t t, uint32_t x)
{
	if (is_among(0xff, t))
		return true;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t b = t >> 8 * k & 0xff;

		if (b > 12 && !is_among(b, x))
			return false;
	}
	return true;
}

/* ---- of each instruction ---- */

#define AMOUNT is(0)            /* never asked: wish_of tries them all */
#define NONE bits(false, 0, 0)
#define NO bits(false, 0, 0)
enum { X = 1, Y = 2, Z = 4, XYZ = 8 };  /* operands that are not known; XYZ: sets of them */

enum { SOME = 1, OTHER = 2 };   /* lanes_: there may be such an operand in all vectors; it need not be the result itself */
#define IN_LANES(wanted_operand)                                                                          \
	for (int k = 0; k < LANES; k++) {                                                                 \
		uint32_t t = pt[k], x = px[k], y = py[k], z = pz[k];                                      \
		wish w = wanted_operand;                                                                  \
		(void)t, (void)x, (void)y, (void)z;                                                       \
		all &= w.can ? ~0u : 0u;                                                                  \
		other |= ~w.care | (w.want ^ t);                                                          \
	}
#define BACK(name, of_x, of_y, of_z)                                                                      \
	static FAST int lanes_##name(int slots, const uint32_t *restrict pt, const uint32_t *restrict px, \
	    const uint32_t *restrict py, const uint32_t *restrict pz)                                     \
	{                                                                                                 \
		uint32_t all = ~0u, other = 0;                                                            \
		if (slots == X)                                                                           \
			IN_LANES(of_x)                                                                    \
		else if (slots == Y)                                                                      \
			IN_LANES(of_y)                                                                    \
		else                                                                                      \
			IN_LANES(of_z)                                                                    \
		return (all ? SOME : 0) | (other ? OTHER : 0);                                            \
	}                                                                                                 \
	static wish back_##name(int slots, uint32_t t, uint32_t x, uint32_t y, uint32_t z)                \
	{                                                                                                 \
		(void)t, (void)x, (void)y, (void)z;                                                       \
		return slots == X ? of_x : slots == Y ? of_y : of_z;                                      \
	}
#define TWIN(name, xy, xz, yz, xyz)                                                                       \
	static wish twin_##name(int slots, uint32_t t, uint32_t x, uint32_t y, uint32_t z)                \
	{                                                                                                 \
		(void)t, (void)x, (void)y, (void)z;                                                       \
		return slots == (X | Y) ? xy : slots == (X | Z) ? xz : slots == (Y | Z) ? yz : xyz;       \
	}
#include "search_back.def"

/* What is a number of bits: those of 0 .. 63 that give the result. */
#define OP(name, sources, set, commutes, expression)                                                      \
	static FAST wish amount_##name(int slots, uint32_t t, uint32_t px, uint32_t py, uint32_t pz)      \
	{                                                                                                 \
		uint32_t any = 0, all = ~0u, hit = 0;                                                     \
		for (uint32_t k = 0; k < 64; k++) {                                                       \
			uint32_t x = slots & X ? k : px, y = slots & Y ? k : py, z = slots & Z ? k : pz;  \
			uint32_t m = -(uint32_t)((uint32_t)(expression) == t);                            \
			(void)x, (void)y, (void)z;                                                        \
			hit |= m;                                                                         \
			any |= k & m;                                                                     \
			all &= k | ~m;                                                                    \
		}                                                                                         \
		return bits(hit, any, 63 & ~(any ^ all));                                                 \
	}
#include "search_ops.def"

/* Can it make t of anything? Only those are here that cannot make much. */
static inline bool
may_make(const char *name, uint32_t t)
{
	if (!strcmp(name, "bfe_u32"))
		return !(t >> 31);
	if (!strcmp(name, "bfe_i32"))
		return !((t >> 30 ^ t >> 31) & 1);
	if (!strcmp(name, "bfm_b32"))
		return !((t | (t - 1)) & ((t | (t - 1)) + 1));
	if (!strcmp(name, "ffbh_u32") || !strcmp(name, "ffbl_b32"))
		return t + 1 <= 32;
	return strcmp(name, "mul_hi_u32_u24") || t < 0x10000;
}

typedef wish back(int slots, uint32_t t, uint32_t x, uint32_t y, uint32_t z);

/* In the order of search_back.def; found by name. */
typedef struct backwards {
	const char *op, *text[XYZ]; /* text: of each set of operands */
	back *one, *twin;
	int (*lanes)(int, const uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *);
} backwards;

static const backwards singles[] = {
#define BACK(name, of_x, of_y, of_z) { .op = #name, .text = { [X] = #of_x, [Y] = #of_y, [Z] = #of_z }, .one = back_##name, .lanes = lanes_##name },
#define TWIN(name, xy, xz, yz, xyz)
#include "search_back.def"
};
static const backwards twins[] = {
#define BACK(name, of_x, of_y, of_z)
#define TWIN(name, xy, xz, yz, xyz) { .op = #name, .text = { [X | Y] = #xy, [X | Z] = #xz, [Y | Z] = #yz, [X | Y | Z] = #xyz }, .twin = twin_##name },
#include "search_back.def"
};
#endif
