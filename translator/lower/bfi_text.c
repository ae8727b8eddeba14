/* bfi_text.c -- the one reader of the texts in bfi.def: recursive descent, no memory but its own frame.
 * Needs a row and a query; leaves calls of the owner's functions, innermost operand first. Operations:
 * bfi_ops.def. */
#include "lower/bfi_text.h"

#include <string.h>

typedef struct text {
	const bfi_query *q;
	const bfi_back *back;
	void *ud;
	const char *at;
	bool good;
	bfi_val letter[26];
} text;

enum { MAX_ARGS = 4, MAX_NAME = 16 };

typedef struct name { const char *text, *args; } name;
static const name names[] = {
#define BOP(n, gop, dst, src, ...) { #n, src },
#define BMOP(n, ...)
#include "lower/bfi_ops.def"
};

static bfi_val expression(text *, unsigned dwords);

static void
skip(text *t)
{
	while (*t->at == ' ' || *t->at == ',')
		t->at++;
}

static unsigned
digit(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static bfi_val
literal(text *t, unsigned dwords)
{
	uint64_t x = 0;
	bool neg = *t->at == '-';
	unsigned base = 10;

	t->at += neg;
	if (t->at[0] == '0' && t->at[1] == 'x') {
		base = 16;
		t->at += 2;
	}
	for (; digit(*t->at) < base; t->at++)
		x = x * base + digit(*t->at);
	return t->back->number(t->ud, dwords, neg ? 0 - x : x);
}

static bfi_val
minimum(text *t, bfi_val x, uint64_t n)
{
	bfi_val s[2] = { x };

	if (t->back->bound(t->ud, x) <= n)
		return x;
	s[1] = t->back->number(t->ud, 1, n);
	return t->back->op(t->ud, BOP_min_u32, s);
}

static bfi_val
reduce(text *t, bfi_val x)
{
	bfi_val s[2] = { x };

	if (bfi_all_bits(t->q) || t->back->bound(t->ud, x) <= 255)
		return x;
	s[1] = t->back->number(t->ud, 1, 255);
	return t->back->op(t->ud, BOP_and32, s);
}

/* A number, written as digits or by its letter. */
static uint64_t
plain_number(text *t)
{
	uint64_t x = 0;

	skip(t);
	if (*t->at >= 'A' && *t->at <= 'Z')
		return bfi_constant(t->q, *t->at++);
	for (; digit(*t->at) < 10; t->at++)
		x = x * 10 + digit(*t->at);
	return x;
}

/* red, byte, cap: what bounds may make needless. */
static bool
helper(text *t, const char *s, size_t n, bfi_val *r)
{
	if (n == 3 && !memcmp(s, "red", 3)) {
		*r = reduce(t, expression(t, 1));
	} else if (n == 3 && !memcmp(s, "cap", 3)) {
		*r = expression(t, 1);
		*r = minimum(t, *r, plain_number(t));
	} else if (n == 4 && !memcmp(s, "byte", 4)) {
		*r = expression(t, 1);
		*r = bfi_all_bits(t->q) ? minimum(t, *r, 255) : reduce(t, *r);
	} else {
		return false;
	}
	return true;
}

static bool
nested(text *t, const char *s, size_t n, bfi_val *r)
{
	static const struct { const char *name; uint16_t gop; } form[] = {
		{ "ptx_bfi32", G_ptx_bfi32 }, { "ptx_bfe_u32", G_ptx_bfe_u32 }, { "ptx_bfe_s32", G_ptx_bfe_s32 } };

	for (unsigned k = 0; n > 4 && s[0] == 'p' && s[1] == 't' && k < COUNT(form); k++) {
		bfi_val o[4];

		if (strlen(form[k].name) != n || memcmp(form[k].name, s, n))
			continue;
		for (unsigned i = 0; i < 4; i++)
			o[i] = i == 1 && k ? t->back->number(t->ud, 1, 0) : expression(t, 1);
		*r = t->back->nested(t->ud, form[k].gop, o);
		return true;
	}
	return false;
}

/* The operation of that name; BOP_CALLABLE: none. */
static unsigned
find(const char *s, size_t n)
{
	unsigned lo = 0, hi = BOP_CALLABLE;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		int d = strncmp(names[mid].text, s, n);

		if (!d && !names[mid].text[n])
			return mid;
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return BOP_CALLABLE;
}

static bfi_val
call(text *t, const char *s, size_t n)
{
	bfi_val src[MAX_ARGS] = { 0 }, r = 0;
	unsigned bop;

	if (helper(t, s, n, &r) || nested(t, s, n, &r))
		return r;
	bop = find(s, n);
	if (bop == BOP_CALLABLE) {
		t->good = false;
		return 0;
	}
	for (unsigned k = 0; names[bop].args[k]; k++)
		src[k] = expression(t, (unsigned)(names[bop].args[k] - '0'));
	return t->back->op(t->ud, bop, src);
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* number | CONSTANT | letter | name(expression, ...); dwords: of a constant that stands here */
static bfi_val
expression(text *t, unsigned dwords)
{
	const char *s;
	bfi_val r;

	skip(t);
	s = t->at;
	if (*s == '-' || digit(*s) < 10)
		return literal(t, dwords);
	if (*s >= 'A' && *s <= 'Z')
		return t->back->number(t->ud, dwords, bfi_constant(t->q, *t->at++));
	while (is_name(*t->at))
		t->at++;
	if (t->at == s || (*t->at == '(' && t->at - s > MAX_NAME)) {
		t->good = false;
		return 0;
	}
	if (*t->at != '(')
		return t->letter[*s - 'a'];
	t->at++;
	r = call(t, s, (size_t)(t->at - 1 - s));
	skip(t);
	t->good &= *t->at == ')';
	t->at += *t->at == ')';
	return r;
}

bool
bfi_read(const bfi_row *row, const bfi_query *q, const bfi_back *back, void *ud, const bfi_val opnd[4],
    const bool *stop, bfi_val *r)
{
	text t = { .q = q, .back = back, .ud = ud, .at = row->text, .good = true };
	unsigned dwords = bfi_width(q->gop) / 32;

	for (unsigned k = 0; k < 4; k++)
		t.letter[k] = opnd[k];
	while (*t.at && t.good && !*stop) {
		bfi_val *d;

		skip(&t);
		d = &t.letter[(unsigned)(*t.at++ - 'a') % 26];
		while (*t.at == ' ' || *t.at == '=')
			t.at++;
		*d = expression(&t, d == &t.letter['r' - 'a'] ? dwords : 1);
		while (*t.at == ' ' || *t.at == ';')
			t.at++;
	}
	*r = t.letter['r' - 'a'];
	return t.good;
}
