/* test_part.c -- bytes and halves as sources, results and fields of other instructions, through the whole path.
 * Every part of a word that a chip may select, read by every kind of instruction, whose result is kept whole, cut,
 * moved or inserted (part.def); on chips with sub-dword addressing, whose hazards the emulator checks, and on one without.
 * Manual: "Parallel Thread Execution ISA", 9.7.1 and 9.7.8. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAKE, USE, KEEP, NSTEPS };

static uint32_t
extended(uint32_t x, unsigned n)
{
	return (uint32_t)((int32_t)(x << (32 - n)) >> (32 - n));
}

static uint32_t
float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof u);
	return u;
}

typedef uint32_t meaning(uint32_t x, uint32_t a, uint32_t b, uint32_t c);
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define S(step, text, expr) \
	static uint32_t JOIN(step_, __LINE__)(uint32_t x, uint32_t a, uint32_t b, uint32_t c) \
	{ (void)x, (void)a, (void)b, (void)c; return expr; }
#include "part.def"
static const struct step { int kind; const char *text; meaning *fn; } steps[] = {
#define S(step, text, expr) { step, text, JOIN(step_, __LINE__) },
#include "part.def"
};
enum { N = sizeof steps / sizeof *steps };

static uint64_t
three_steps(const form *f, const uint64_t *s)
{
	uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1], c = (uint32_t)s[2], x = a;

	for (int k = 0; k < NSTEPS; k++)
		x = steps[f->k[k]].fn(x, a, b, c);
	return x;
}

static void
add_forms(form_list *l)
{
	for (int t = 0; t < N; t++)
		for (int u = 0; u < N; u++)
			for (int k = 0; k < N; k++) {
				form *f;

				if (steps[t].kind != TAKE || steps[u].kind != USE || steps[k].kind != KEEP)
					continue;
				if (e2e_quick() && (t + 3 * u + 7 * k) % 5)
					continue;
				f = form_add(l, "r:rrr", three_steps,
					"{ .reg .b32 t, u, v; .reg .f32 f; .reg .pred p; %s %s %s }",
					steps[t].text, steps[u].text, steps[k].text);
				f->k[TAKE] = t;
				f->k[USE] = u;
				f->k[KEEP] = k;
			}
}

static void
vectors(form_data *d)
{
	static const uint64_t edge[] = { 0, 0x80ff7f01, 0xffffffff, 0x12345678, 0x00010007 };
	uint64_t s = 7;

	form_triples(d, edge, sizeof edge / sizeof *edge);
	for (int i = 0; i < 100; i++)
		form_vector(d, form_random(&s), form_random(&s), form_random(&s), 0);
}

int
main(void)
{
	static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100" };
	form_list l = { 0 };
	form_data d = { 0 };
	int bad;

	vectors(&d);
	add_forms(&l);
	bad = form_run_on(chips, sizeof chips / sizeof *chips, "parts of words", &l, &d, FORM_ONLY_LANES | FORM_ROUGH);
	free(l.f);
	free(d.v);
	return bad;
}
