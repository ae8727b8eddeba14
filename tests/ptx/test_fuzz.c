/* test_fuzz.c -- damaged modules never crash, hang or print what cannot be read again.
 * Needs tests/ptx/data; changes bytes and tokens of its files by a fixed sequence of random numbers.
 * Usage: test_fuzz [rounds [first-seed]]; build with sanitizers to see more. */
#include "ptx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 64 };

typedef struct corpus {
	char *text[MAX_SEEDS];
	size_t size[MAX_SEEDS];
	unsigned n;
} corpus;

static uint32_t
next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static size_t
below(uint64_t *state, size_t n)
{
	return n ? next(state) % n : 0;
}

static void
take(const char *path, void *ud)
{
	corpus *c = ud;
	size_t n;
	char *text = read_file(path, &n);

	if (c->n < MAX_SEEDS && n < 20000) {
		c->text[c->n] = text;
		c->size[c->n++] = n;
	} else {
		free(text);
	}
}

static bool
in_word(char c)
{
	return c == '_' || c == '$' || c == '%' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* The token at or behind a random place. */
static void
pick_token(const char *s, size_t n, uint64_t *r, size_t *from, size_t *len)
{
	size_t a = below(r, n), b;

	while (a < n && strchr(" \t\n", s[a]))
		a++;
	while (a > 0 && a < n && in_word(s[a]) && in_word(s[a - 1]))
		a--;
	for (b = a; b < n && in_word(s[b]); b++)
		;
	*from = MIN(a, n);
	*len = b > a ? b - a : a < n;
}

/* Replaces s[at..at+cut) by put[0..nput), within the room there is. */
static size_t
splice(char *s, size_t n, size_t room, size_t at, size_t cut, const char *put, size_t nput)
{
	if (n - cut + nput > room)
		return n;
	memmove(s + at + nput, s + at + cut, n - at - cut);
	memcpy(s + at, put, nput);
	return n - cut + nput;
}

static size_t
change(char *s, size_t n, size_t room, uint64_t *r)
{
	static const char *const spice[] = { "{", "}", "[", "]", "(", ")", ";", ",", ".", ":", "@", "|",
		"<", "=", "-", "~", "0x", "0f", "0d3", "\"", "/*", "//", "\n#", "18446744073709551615",
		".reg .b32 %r<1000000000>;", ".global .b8 z[1099511627776] = {1};", ".align 1073741824",
		"%tid.x", "%r1", "$L__BB0_1", "call", "mov.b64", ".pred", "{{{{{{", "1/0", "_", "WARP_SZ" };
	size_t at, len, at2, len2;
	char copy[64];
	const char *w;

	pick_token(s, n, r, &at, &len);
	switch (below(r, 7)) {
	case 0:
		if (n)
			s[below(r, n)] ^= (char)(1u << below(r, 8));
		return n;
	case 1:
		return splice(s, n, room, at, len, "", 0);
	case 2:
		len = MIN(len, sizeof copy);
		memcpy(copy, s + at, len);
		return splice(s, n, room, at, 0, copy, len);
	case 3:
		pick_token(s, n, r, &at2, &len2);
		len2 = MIN(len2, sizeof copy);
		memcpy(copy, s + at2, len2);
		return splice(s, n, room, at, len, copy, len2);
	case 4:
		w = spice[below(r, COUNT(spice))];
		return splice(s, n, room, at, 0, w, strlen(w));
	case 5:
		w = spice[below(r, COUNT(spice))];
		return splice(s, n, room, at, len, w, strlen(w));
	default:
		return below(r, 20) ? n : below(r, n);
	}
}

static void
twice(const char *text, size_t n, unsigned long seed, bool *good)
{
	size_t n1, n2;
	char *first, *second;
	unit a, b;

	unit_open(&a, "fuzz", text, n);
	first = unit_print(&a, &n1);
	unit_check(&a);
	if (a.diags.nerrors == 0) {
		unit_open(&b, "fuzz", first, n1);
		second = unit_print(&b, &n2);
		*good &= expect_true(n1 == n2 && !memcmp(first, second, n1), "seed %lu: no fixed point", seed);
		*good &= expect_true(b.diags.nerrors == 0, "seed %lu: %s", seed, unit_first_fault(&b));
		unit_close(&b);
	}
	unit_close(&a);
}

int
main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 3000;
	unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	corpus c = { .n = 0 };
	bool good = true;

	each_file("tests/ptx/data", ".ptx", take, &c);
	each_file("tests/ptx/syntax", ".ptx", take, &c);
	if (!expect_true(c.n > 0, "no files to damage"))
		return finish();
	for (unsigned long seed = first; seed < first + rounds; seed++) {
		uint64_t r = seed * UINT64_C(0x9e3779b97f4a7c15);
		unsigned i = (unsigned)below(&r, c.n);
		size_t room = c.size[i] + 4096, n = c.size[i];
		char *s = malloc(room);

		if (!s)
			abort();
		memcpy(s, c.text[i], n);
		for (size_t k = 1 + below(&r, 8); k > 0; k--)
			n = change(s, n, room, &r);
		/* an exact block: a sanitizer sees a read behind the end */
		char *exact = malloc(n + !n);

		if (!exact)
			abort();
		memcpy(exact, s, n);
		twice(exact, n, seed, &good);
		free(exact);
		free(s);
	}
	for (unsigned i = 0; i < c.n; i++)
		free(c.text[i]);
	if (good)
		pass("%lu damaged modules, seeds %lu to %lu", rounds, first, first + rounds - 1);
	return finish();
}
