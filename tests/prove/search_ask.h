/* search_ask.h -- what gen_search.c is asked (search.def, bfi.def), and what is right: the manual's loops. */
#ifndef SEARCH_ASK_H
#define SEARCH_ASK_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct question {
	const char *op, *row, *pos, *len;
	int set, ours;
} question;

static const question questions[] = {
#define SEARCH(op, row, pos, len, set, ours) { #op, #row, pos, len, set, ours },
#include "search.def"
};

/* What the rows need, as bfi.def has it. */
static const struct { const char *op, *row, *need; } rows[] = {
#define BFI(op, name, need, text) { #op, #name, #need },
#include "lower/bfi.def"
};

/* Needs of operands' values. */
enum { N_AK, N_AMASK, N_PTOP, N_B1, N_AF, N_AFIT, N_ASHORT, N_A1, N_A0, N_AM, N_BZ, N_BT, N_BM };
static const char *const need_names[] = { "AK", "AMASK", "PTOP", "B1", "AF", "AFIT", "ASHORT", "A1", "A0", "AM", "BZ", "BT", "BM" };

static bool
has_flag(const char *list, const char *flag)
{
	size_t n = strlen(flag);

	for (const char *at = list; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (!strncmp(at, flag, n) && (!at[n] || at[n] == '|'))
			return true;
	}
	return false;
}

/* What the question's row needs, as bits. */
static unsigned
needs_of(const question *q)
{
	unsigned r = 0;

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (unsigned n = 0; n < sizeof need_names / sizeof *need_names; n++)
			if (!strcmp(rows[k].op, q->op) && !strcmp(rows[k].row, q->row) && has_flag(rows[k].need, need_names[n]))
				r |= 1u << n;
	return r;
}

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
#endif
