/* print.c -- printf and assert of device code: records in the module's variable become text.
 * Needs the records of translator/lower/builtin.c; leaves the buffer empty. Nothing in it is trusted.
 * CUDA C++ Programming Guide, "Formatted output", "Assertion". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

#define BUFFER "__p2a_print"
enum { HEAD = 16, RECORD = 16, ASSERTION = 64, MAX_STRING = 1 << 16, MAX_WIDTH = 1 << 12 };

typedef struct text {
	char *s;
	size_t n, cap;
	bool failed;             /* memory was short */
} text;

typedef struct printer {
	const backend *ops;
	void *dev;
	const void *mod;
	uint64_t at;                     /* of the module's print buffer */
	text out;
	const uint8_t *arg, *end;        /* of the record at work */
	const uint8_t *first;
} printer;

static void
put(text *t, const char *s, size_t n)
{
	if (t->failed)
		return;
	if (t->n + n + 1 > t->cap) {
		size_t cap = (t->n + n + 1) * 2;
		char *p = realloc(t->s, cap);

		if (!p) {
			t->failed = true;
			return;
		}
		t->s = p;
		t->cap = cap;
	}
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

static void
put_string(text *t, const char *s)
{
	put(t, s, strlen(s));
}

static uint32_t
word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

static uint64_t
dword(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

static bool
read_bytes(const printer *P, void *to, uint64_t from, size_t size)
{
	return P->ops->read(P->dev, to, from, size, NULL) == P2A_RT_OK ||
		(P->ops->initial && P->ops->initial(P->mod, BUFFER, P->at, to, from, size));
}

/* A string in the device's memory, to be freed: as much of it as can be read. NULL: memory is short. */
static char *
fetch(const printer *P, uint64_t at)
{
	char *s = malloc(MAX_STRING + 1);
	size_t n = 0, piece = 256;

	while (s && n < MAX_STRING) {
		size_t some = piece < MAX_STRING - n ? piece : MAX_STRING - n;

		if (!read_bytes(P, s + n, at + n, some)) {
			piece /= 2;
			if (!piece)
				break;
			continue;
		}
		if (memchr(s + n, 0, some))
			return s;
		n += some;
	}
	if (s && !n)
		n = (size_t)snprintf(s, MAX_STRING, "(text at 0x%llx, which cannot be read)", (unsigned long long)at);
	if (s)
		s[n] = 0;
	return s;
}

/* As UTF-8; returns the number of bytes. */
static size_t
encode(uint32_t ch, char to[4])
{
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;

	if (ch > 0x10ffff) {
		ch = '?';
		n = 1;
	}
	for (size_t i = n - 1; i > 0; i--, ch >>= 6)
		to[i] = (char)(0x80 | (ch & 0x3f));
	to[0] = (char)(lead[n] | ch);
	return n;
}

/* The same of a string of 32-bit characters, as UTF-8. */
static char *
fetch_wide(const printer *P, uint64_t at)
{
	char *s = malloc(MAX_STRING + 4 + 1);
	size_t n = 0;
	uint32_t ch;

	for (; s && n < MAX_STRING && read_bytes(P, &ch, at, sizeof ch) && ch; at += sizeof ch)
		n += encode(ch, s + n);
	if (s)
		s[n] = 0;
	return s;
}

/* The next argument, where a C structure would have it; 0 where the record ends before. */
static uint64_t
argument(printer *P, size_t size)
{
	size_t at = ((size_t)(P->arg - P->first) + size - 1) / size * size;
	const uint8_t *p = P->first + at;

	P->arg = p + size;
	if (P->arg > P->end)
		return 0;
	return size == 8 ? dword(p) : word(p);
}

/* ---- one conversion ---- */

typedef struct conversion {
	char flags[8];
	int width, precision;    /* -1: not written */
	char length;             /* 'H' for hh, 'l' for all of 64 bits, 'h', 0; of c and s 'l' means wide */
	char letter;             /* 0: the format ends before */
} conversion;

static int
number(printer *P, const char **f)
{
	int n = 0;

	if (**f == '*') {
		++*f;
		n = (int)(uint32_t)argument(P, 4);
		return n < -MAX_WIDTH ? -MAX_WIDTH : n > MAX_WIDTH ? MAX_WIDTH : n;
	}
	for (; **f >= '0' && **f <= '9'; ++*f)
		n = n < MAX_WIDTH ? n * 10 + (**f - '0') : n;
	return n < MAX_WIDTH ? n : MAX_WIDTH;
}

static conversion
read_conversion(printer *P, const char **f)
{
	conversion c = { .width = -1, .precision = -1 };
	size_t n = 0;

	for (; **f && strchr("-+ #0'", **f); ++*f)
		if (n < sizeof c.flags - 2 && !strchr(c.flags, **f))
			c.flags[n++] = **f;
	if (**f == '*' || (**f >= '0' && **f <= '9'))
		c.width = number(P, f);
	if (**f == '.') {
		++*f;
		c.precision = number(P, f);
	}
	if (c.width < -1) {
		c.width = -c.width;
		if (!strchr(c.flags, '-'))
			c.flags[n] = '-';
	}
	for (; **f && strchr("hljztqL", **f); ++*f)
		c.length = **f == 'h' ? (c.length == 'h' ? 'H' : 'h') : 'l';
	c.letter = **f;
	if (c.letter == 'C' || c.letter == 'S') {
		c.letter = (char)(c.letter - 'A' + 'a');
		c.length = 'l';
	}
	*f += **f != 0;
	return c;
}

static int64_t
integer(const conversion *c, uint64_t v)
{
	bool is_signed = c->letter == 'd' || c->letter == 'i';

	switch (c->length) {
	case 'l': return (int64_t)v;
	case 'h': return is_signed ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
	case 'H': return is_signed ? (int64_t)(int8_t)v : (int64_t)(uint8_t)v;
	default: return is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
	}
}

/* The C library formats one value at a time; it is looked at twice. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
#define PRINT(P, spec, value) do { \
	int size_ = snprintf(NULL, 0, spec, value); \
	char *s_ = size_ < 0 ? NULL : malloc((size_t)size_ + 1); \
	if (s_) { \
		snprintf(s_, (size_t)size_ + 1, spec, value); \
		put(&(P)->out, s_, (size_t)size_); \
	} else \
		(P)->out.failed = true; \
	free(s_); \
} while (0)

static void
spell(const conversion *c, const char *length, char *spec, size_t size)
{
	char width[16] = "", precision[16] = "";

	if (c->width >= 0)
		snprintf(width, sizeof width, "%d", c->width);
	if (c->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", c->precision);
	snprintf(spec, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->letter);
}

static void
print_string(printer *P, const char *spec, uint64_t at, bool wide)
{
	char *s = !at ? NULL : wide ? fetch_wide(P, at) : fetch(P, at);

	if (at && !s)
		P->out.failed = true;
	else
		PRINT(P, spec, s);       /* of NULL the C library says what the host's would */
	free(s);
}

static void
print_character(printer *P, conversion *c, uint32_t v)
{
	char spec[64], s[5] = "";

	if (c->length != 'l' || v < 0x80) {
		spell(c, "", spec, sizeof spec);
		PRINT(P, spec, (int)v);
		return;
	}
	encode(v, s);
	c->letter = 's';
	spell(c, "", spec, sizeof spec);
	PRINT(P, spec, s);
}

static void
convert(printer *P, conversion *c)
{
	char spec[64];
	uint64_t v;
	double d;

	switch (c->letter) {
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
		v = argument(P, c->length == 'l' ? 8 : 4);
		spell(c, "ll", spec, sizeof spec);
		PRINT(P, spec, (long long)integer(c, v));
		break;
	case 'c':
		v = argument(P, 4);
		print_character(P, c, (uint32_t)v);
		break;
	case 'a': case 'e': case 'f': case 'g': case 'A': case 'E': case 'F': case 'G':
		v = argument(P, 8);
		memcpy(&d, &v, sizeof d);
		spell(c, "", spec, sizeof spec);
		PRINT(P, spec, d);
		break;
	case 's':
		spell(c, "", spec, sizeof spec);
		print_string(P, spec, argument(P, 8), c->length == 'l');
		break;
	case 'p':
		v = argument(P, 8);
		spell(c, "", spec, sizeof spec);
		PRINT(P, spec, (void *)(uintptr_t)v);
		break;
	case 'n':
		argument(P, 8);
		break;
	default:                        /* no conversion: as it stands, with the argument that the device counted */
		argument(P, c->length == 'l' ? 8 : 4);
		PRINT(P, "%%%c", c->letter);
	}
}

static void
print_format(printer *P, const char *f)
{
	while (*f) {
		size_t plain = strcspn(f, "%");
		conversion c;

		put(&P->out, f, plain);
		f += plain;
		if (!*f)
			break;
		f++;
		c = read_conversion(P, &f);
		if (c.letter == '%')
			put_string(&P->out, "%");
		else if (c.letter)
			convert(P, &c);
	}
}

/* ---- records ---- */

static void
print_assertion(printer *P, const uint8_t *r)
{
	char *s[3];

	for (int i = 0; i < 3; i++)
		s[i] = fetch(P, dword(r + 8 + 8 * i));
	if (!s[0] || !s[1] || !s[2]) {
		P->out.failed = true;
	} else {
		put_string(&P->out, s[1]);
		PRINT(P, ":%u: ", (unsigned)word(r + 32));
		put_string(&P->out, s[2]);
		PRINT(P, ": block: [%u", (unsigned)word(r + 36));
		PRINT(P, ",%u", (unsigned)word(r + 40));
		PRINT(P, ",%u], thread: [", (unsigned)word(r + 44));
		PRINT(P, "%u", (unsigned)word(r + 48));
		PRINT(P, ",%u", (unsigned)word(r + 52));
		PRINT(P, ",%u] Assertion `", (unsigned)word(r + 56));
		put_string(&P->out, s[0]);
		put_string(&P->out, "' failed.\n");
	}
	for (int i = 0; i < 3; i++)
		free(s[i]);
}

static void
print_record(printer *P, const uint8_t *r, uint32_t size)
{
	char *format;

	if (word(r + 4) == 1 && size >= ASSERTION) {
		print_assertion(P, r);
		return;
	}
	format = fetch(P, dword(r + 8));
	if (!format) {
		P->out.failed = true;
		return;
	}
	P->first = P->arg = r + RECORD;
	P->end = r + size;
	print_format(P, format);
	free(format);
}

static void
print_records(printer *P, const uint8_t *r, uint64_t n)
{
	while (n >= RECORD) {
		uint32_t size = word(r);

		if (size < RECORD || size > n || size % 8)
			break;                  /* one that found no room, or somebody wrote over it */
		print_record(P, r, size);
		r += size;
		n -= size;
	}
}

p2a_rt_status
rt_printed(const backend *ops, void *dev, const void *mod, char **out, size_t *out_size, p2a_error *err)
{
	printer P = { .ops = ops, .dev = dev, .mod = mod };
	uint64_t used = 0, held = 0;
	uint8_t *records = NULL;
	size_t size = 0;
	p2a_rt_status s = P2A_RT_OK;

	if (ops->global(mod, BUFFER, &P.at, &size) && size > HEAD)
		s = ops->read(dev, &used, P.at, sizeof used, err);
	if (s == P2A_RT_OK && used) {
		held = used < size - HEAD ? used : size - HEAD;
		records = calloc(1, (size_t)held + 1);
		s = records ? ops->read(dev, records, P.at + HEAD, (size_t)held, err) : P2A_RT_ENOMEM;
		if (s == P2A_RT_OK)
			print_records(&P, records, held);
		if (s == P2A_RT_OK && used > held)
			PRINT(&P, "(more was printed than the buffer holds: %llu bytes of it are lost)\n", (unsigned long long)(used - held));
		if (s == P2A_RT_OK)
			s = ops->fill(dev, P.at, 0, HEAD + (size_t)held, err);
	}
	put(&P.out, "", 0);
	free(records);
	if (s == P2A_RT_OK && P.out.failed)
		s = rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	if (s != P2A_RT_OK) {
		free(P.out.s);
		return s == P2A_RT_ENOMEM ? rt_fail(err, s, "out of memory") : s;
	}
	*out = P.out.s;
	*out_size = P.out.n;
	return P2A_RT_OK;
}
