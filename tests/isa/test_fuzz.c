/* test_fuzz.c -- decode and parse on hostile input: an error, or what encodes to the same dwords.
 * Needs nothing. Random dwords, flipped bits in legal ones, damaged text, on every chip. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds a chip and test: fewer where P2A_TEST_QUICK is set. */
static int
rounds(void)
{
	return getenv("P2A_TEST_QUICK") ? 500 : 4000;
}

/* NULL, or what went wrong. */
static const char *
decode_once(const p2a_target *t, const uint32_t *w, size_t n)
{
	uint32_t again[P2A_MAX_DWORDS];
	p2a_inst i, j;
	char s[256];
	int len = p2a_decode(t, w, n, &i), m;

	if (!len || len > (int)n || len < P2A_ISA_SYNTAX)
		return "decode returns nonsense";
	if (len < 0)
		return NULL;
	m = p2a_encode(t, &i, again);
	if (m != len || memcmp(again, w, (size_t)len * sizeof *w))
		return "encodes differently";
	p2a_print(t, &i, s, sizeof s);
	if (p2a_decode(t, again, (size_t)m, &j) != len || memcmp(&i, &j, sizeof i))
		return "decodes differently the second time";
	if (p2a_parse(t, s, &j, NULL) || p2a_encode(t, &j, again) != len ||
	    memcmp(again, w, (size_t)len * sizeof *w)) {
		printf("# %s: %s\n", p2a_target_name(t), s);
		return "its text encodes differently";
	}
	return NULL;
}

static void
random_words(gen *g, uint32_t w[P2A_MAX_DWORDS])
{
	for (int k = 0; k < P2A_MAX_DWORDS; k++)
		w[k] = gen_below(g, 0x10000) << 16 | gen_below(g, 0x10000);
}

static void
damaged_words(gen *g, uint32_t w[P2A_MAX_DWORDS])
{
	p2a_inst i;

	random_words(g, w);
	if (!gen_any(g, &i))
		return;
	p2a_encode(g->t, &i, w);
	for (uint32_t flips = gen_below(g, 3); flips; flips--)
		w[gen_below(g, 3)] ^= (uint32_t)1 << gen_below(g, 32);
}

static int
fuzz_words(const p2a_target *t)
{
	gen g = { t, 1 };
	const char *err = NULL;

	for (int r = 0, n = rounds(); r < n && !err; r++) {
		uint32_t w[P2A_MAX_DWORDS];

		if (r & 1)
			random_words(&g, w);
		else
			damaged_words(&g, w);
		err = decode_once(t, w, 1 + gen_below(&g, P2A_MAX_DWORDS));
		if (err)
			printf("# %08x %08x %08x\n", w[0], w[1], w[2]);
	}
	printf(err ? "not ok isa-fuzz-words-%s: %s\n" : "ok isa-fuzz-words-%s\n",
	    p2a_target_name(t), err);
	return err != NULL;
}

static void
damage(gen *g, char *s)
{
	static const char alphabet[] = "svxoftmnul0123456789abcdef[]():|,-. _\t\x80";
	size_t n = strlen(s);

	for (uint32_t k = gen_below(g, 4); k && n; k--) {
		size_t at = gen_below(g, (uint32_t)n);

		if (gen_below(g, 3))
			s[at] = alphabet[gen_below(g, sizeof alphabet - 1)];
		else
			s[at] = 0, n = at;
	}
}

/* The parsed text must be legal; otherwise the place of the fault lies inside the line. */
static const char *
parse_once(gen *g)
{
	char s[256], *copy;
	size_t where = 0;
	const char *err = NULL;
	p2a_inst i;
	int e;

	if (!gen_any(g, &i))
		return NULL;
	p2a_print(g->t, &i, s, sizeof s);
	damage(g, s);
	copy = malloc(strlen(s) + 1);   /* exactly as long: a sanitizer sees a read past the end */
	if (!copy)
		return "out of memory";
	strcpy(copy, s);
	e = p2a_parse(g->t, copy, &i, &where);
	if (where > strlen(copy))
		err = "fault outside the line";
	else if (!e && p2a_check(g->t, &i))
		err = "parsed instruction is not legal";
	free(copy);
	return err;
}

static int
fuzz_text(const p2a_target *t)
{
	gen g = { t, 2 };
	const char *err = NULL;

	for (int r = 0, n = rounds() / 4; r < n && !err; r++)
		err = parse_once(&g);
	printf(err ? "not ok isa-fuzz-text-%s: %s\n" : "ok isa-fuzz-text-%s\n",
	    p2a_target_name(t), err);
	return err != NULL;
}

/* Of a text that does not fit, what fits of it, and its length (as snprintf). */
static bool
is_cut(const p2a_target *t, const p2a_inst *i, size_t cap)
{
	char whole[512], s[512];
	int n = p2a_print(t, i, whole, sizeof whole);
	size_t fits = cap && (size_t)n >= cap ? cap - 1 : (size_t)n;

	memset(s, '#', sizeof s);
	if (n < 0 || (size_t)n >= sizeof whole || strlen(whole) != (size_t)n || p2a_print(t, i, cap ? s : NULL, cap) != n)
		return false;
	return !cap || (!memcmp(s, whole, fits) && !s[fits] && s[fits + 1] == '#');
}

/* Structs that no parser makes: every byte random, or every second one zero. */
static int
fuzz_structs(const p2a_target *t)
{
	gen g = { t, 3 };

	for (int r = 0, n = rounds(); r < n; r++) {
		p2a_inst i;
		uint32_t w[P2A_MAX_DWORDS], zeros = gen_below(&g, 2);

		for (size_t k = 0; k < sizeof i; k++)
			((unsigned char *)&i)[k] = (unsigned char)(zeros && gen_below(&g, 2) ? 0 : gen_below(&g, 256));
		if (gen_below(&g, 2)) {
			i.op %= ISA_NOPS;
			i.nargs = isa_table[i.op].nargs;
			i.enc %= P2A_ENC_DUAL + 1;
			i.op_y %= ISA_NOPS;
			i.nargs = (uint8_t)(i.nargs + (i.enc == P2A_ENC_DUAL ? isa_table[i.op_y].nargs : 0));
		}
		if (!is_cut(t, &i, gen_below(&g, 64)))
			return printf("not ok isa-fuzz-structs-%s: text cut wrongly\n", p2a_target_name(t)), 1;
		if (p2a_encode(t, &i, w) > P2A_MAX_DWORDS)
			return printf("not ok isa-fuzz-structs-%s: too long\n",
			    p2a_target_name(t)), 1;
	}
	printf("ok isa-fuzz-structs-%s\n", p2a_target_name(t));
	return 0;
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; p2a_target_at(k); k++)
		bad += fuzz_words(p2a_target_at(k)) + fuzz_text(p2a_target_at(k)) +
		       fuzz_structs(p2a_target_at(k));
	return bad != 0;
}
