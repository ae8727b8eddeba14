/* spec.c -- reads --arg=SPEC: typed values, and buffers with the files they come from and go to.
 * Needs the text; leaves a spec whose files are not opened yet.
 * Contract: docs/cli.md. */
#include "spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFER ((uint64_t)1 << 40)

/* Types of values. lo and hi bound what decimals may be; b types take both signs' ranges. */
typedef struct scalar {
	const char *name;
	uint32_t size;
	bool is_signed, is_unsigned, is_float;
} scalar;
static const scalar scalars[] = {
	{ "u8", 1, false, true, false }, { "s8", 1, true, false, false }, { "b8", 1, true, true, false },
	{ "u16", 2, false, true, false }, { "s16", 2, true, false, false }, { "b16", 2, true, true, false },
	{ "u32", 4, false, true, false }, { "s32", 4, true, false, false }, { "b32", 4, true, true, false },
	{ "u64", 8, false, true, false }, { "s64", 8, true, false, false }, { "b64", 8, true, true, false },
	{ "f32", 4, false, false, true }, { "f64", 8, false, false, true },
};

/* Integers: a decimal in the type's range, or 0x bits of its width. */
static bool
read_integer(const scalar *t, const char *text, uint64_t *out)
{
	uint64_t ones = t->size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * t->size) - 1;
	uint64_t half = (ones >> 1) + 1, v;
	bool negative = text[0] == '-', hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	if (negative && (!t->is_signed || !cli_number(text + 1, half, &v)))
		return false;
	if (!negative && !cli_number(text, t->is_unsigned || hex ? ones : half - 1, &v))
		return false;
	*out = (negative ? 0 - v : v) & ones;
	return true;
}

static bool
read_float(const scalar *t, const char *text, uint64_t *out)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return cli_number(text, t->size == 8 ? UINT64_MAX : UINT32_MAX, out);
	if (!*text || strpbrk(text, "xX \t"))
		return false;
	if (t->size == 8) {
		double d = strtod(text, &end);
		memcpy(out, &d, sizeof d);
	} else {
		float f = strtof(text, &end);
		uint32_t bits;
		memcpy(&bits, &f, sizeof f);
		*out = bits;
	}
	return !*end;
}

static const char *
values_of(cli *c, const scalar *t)
{
	unsigned bits = 8 * t->size;
	long long least = t->is_signed ? -1 - (long long)(UINT64_MAX >> (65 - bits)) : 0;
	unsigned long long most = UINT64_MAX >> (64 - bits + !t->is_unsigned);

	if (t->is_float)
		return arena_printf(&c->A, "%s:VALUE, a decimal number, or 0x and at most %u digits", t->name, bits / 4);
	return arena_printf(&c->A, "%s:VALUE, a number from %lld to %llu, or 0x and at most %u digits", t->name, least, most, bits / 4);
}

static bool
parse_scalar(cli *c, const scalar *t, const char *text, spec *s, const char **why)
{
	uint64_t v = 0;

	if (!(t->is_float ? read_float(t, text, &v) : read_integer(t, text, &v))) {
		*why = values_of(c, t);
		return false;
	}
	s->kind = SPEC_VALUE;
	s->size = t->size;
	for (uint32_t i = 0; i < t->size; i++)
		s->value[i] = (uint8_t)(v >> 8 * i);
	return true;
}

/* "BYTES" up to a colon (or the end), then the rest. */
static bool
take_bytes(cli *c, const char *text, uint64_t *bytes, const char **rest)
{
	size_t n = strcspn(text, ":");

	*rest = text[n] ? text + n + 1 : NULL;
	return cli_number(arena_str(&c->A, text, n), MAX_BUFFER, bytes);
}

static bool
parse_in(cli *c, const char *text, spec *s)
{
	(void)c;
	s->in = text;
	return *text != 0;
}

static bool
parse_out(cli *c, const char *text, spec *s)
{
	return take_bytes(c, text, &s->bytes, &s->out) && s->out && *s->out;
}

static bool
parse_inout(cli *c, const char *text, spec *s)
{
	size_t n = strcspn(text, ":");

	if (!n || !text[n] || !text[n + 1])
		return false;
	s->in = arena_str(&c->A, text, n);
	s->out = text + n + 1;
	return true;
}

static bool
parse_zero(cli *c, const char *text, spec *s)
{
	const char *rest;

	return take_bytes(c, text, &s->bytes, &rest) && !rest;
}

static bool
parse_by_value(cli *c, const char *text, spec *s)
{
	s->kind = SPEC_BYTES;
	return parse_in(c, text, s);
}

static const struct {
	const char *name;
	bool (*parse)(cli *, const char *, spec *);
	const char *form;
} buffers[] = {
	{ "in", parse_in, "in:FILE" },
	{ "out", parse_out, "out:BYTES:FILE, BYTES a number from 0 to 1099511627776" },
	{ "inout", parse_inout, "inout:FILE:FILE2" },
	{ "zero", parse_zero, "zero:BYTES, a number from 0 to 1099511627776" },
	{ "bytes", parse_by_value, "bytes:FILE" },
};

static bool
is_word(const char *word, const char *text, size_t n)
{
	return strlen(word) == n && !memcmp(word, text, n);
}

bool
spec_parse(cli *c, const char *text, spec *s, const char **why)
{
	size_t n = strcspn(text, ":");

	*s = (spec){ .text = text };
	*why = "u8|s8|u16|s16|u32|s32|u64|s64|b8|b16|b32|b64|f32|f64:VALUE, in:FILE, out:BYTES:FILE, "
	       "inout:FILE:FILE2, zero:BYTES or bytes:FILE";
	if (!text[n])
		return false;
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		if (is_word(scalars[i].name, text, n))
			return parse_scalar(c, &scalars[i], text + n + 1, s, why);
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
		if (!is_word(buffers[i].name, text, n))
			continue;
		s->kind = SPEC_BUFFER;
		s->size = 8;
		*why = buffers[i].form;
		return buffers[i].parse(c, text + n + 1, s);
	}
	return false;
}
