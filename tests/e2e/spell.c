/* spell.c -- rows of forms.def, written out (spell.h). Needs the table; its grammar stands at its head. */
#include "spell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

enum { MAX_GROUPS = 16, MAX_WORDS = 16 };

typedef struct group {
	char word[MAX_WORDS][40];
	unsigned n;             /* an optional one has "" too */
	bool is_type;
} group;

static bool
is_type(const char *w)
{
	return !strcmp(w, "pred") || !strncmp(w, "bf16", 4) || (strchr("busf", *w) && w[1] >= '1' && w[1] <= '9');
}

static unsigned
read_groups(const char *p, group *g)
{
	unsigned n = 0;

	for (p += strcspn(p, ". "); *p == '.'; n++) {
		size_t len = p[1] == '{' ? strcspn(p, "}") : 1 + strcspn(p + 1, ".? ");
		const char *end = p + len;

		if (n == MAX_GROUPS)
			abort();
		g[n].n = 0;
		for (p += p[1] == '{' ? 2 : 1; p < end; p += *p == ',') {
			size_t k = strcspn(p, ",}.? ");

			if (g[n].n + 1 >= MAX_WORDS || k >= sizeof g[n].word[0])
				abort();
			memcpy(g[n].word[g[n].n], p, k);
			g[n].word[g[n].n++][k] = 0;
			p += k;
		}
		p = end + (*end == '}');
		g[n].is_type = is_type(g[n].word[0]);
		if (*p == '?') {
			g[n].word[g[n].n++][0] = 0;
			p++;
		}
	}
	return n;
}

static void
write_one(unsigned form, const group *g, unsigned n, const unsigned *choice, spell_fn *fn, void *ctx)
{
	spelled s = { .form = form };
	unsigned ntypes = 0, at = 0;

	at = (unsigned)snprintf(s.text, sizeof s.text, "%s", ptx_op_name[ptx_form[form].op]);
	for (unsigned i = 0; i < n; i++) {
		const char *w = g[i].word[choice[i]];

		if (!*w)
			continue;
		at += (unsigned)snprintf(s.text + at, sizeof s.text - at, ".%s", w);
		if (at >= sizeof s.text)
			abort();
		if (g[i].is_type)
			snprintf(s.type[ntypes++], sizeof s.type[0], "%.11s", w);
	}
	fn(ctx, &s);
}

/* The next combination of types. */
static bool
next_types(const group *g, unsigned n, unsigned *choice)
{
	for (unsigned i = n; i-- > 0;) {
		if (!g[i].is_type)
			continue;
		if (++choice[i] < g[i].n)
			return true;
		choice[i] = 0;
	}
	return false;
}

void
spell(unsigned form, spell_fn *fn, void *ctx)
{
	group g[MAX_GROUPS];
	unsigned n = read_groups(ptx_form[form].pattern, g), choice[MAX_GROUPS] = { 0 };

	for (unsigned i = 0; i < n; i++)
		if (!g[i].is_type && !*g[i].word[g[i].n - 1])
			choice[i] = g[i].n - 1;
	do {
		write_one(form, g, n, choice, fn, ctx);
		for (unsigned i = 0; i < n; i++) {
			unsigned plain = choice[i];

			for (unsigned k = 0; k < g[i].n && !g[i].is_type; k++) {
				choice[i] = k;
				if (k != plain)
					write_one(form, g, n, choice, fn, ctx);
			}
			choice[i] = plain;
		}
	} while (next_types(g, n, choice));
}

unsigned
spell_next(const char *opcode, unsigned from)
{
	for (size_t i = from; i < ptx_nforms; i++)
		if (ptx_form[i].translated && !strcmp(ptx_op_name[ptx_form[i].op], opcode))
			return (unsigned)i;
	return UINT32_MAX;
}

bool
spell_has(const spelled *s, const char *modifier)
{
	size_t n = strlen(modifier);

	for (const char *p = strchr(s->text, '.'); p; p = strchr(p + 1, '.'))
		if (!strncmp(p + 1, modifier, n) && (p[n + 1] == '.' || !p[n + 1]))
			return true;
	return false;
}

unsigned
spell_lanes(const spelled *s)
{
	return spell_has(s, "v2") ? 2 : spell_has(s, "v4") ? 4 : spell_has(s, "v8") ? 8 : 1;
}

const char *
spell_operands(const spelled *s)
{
	return strchr(ptx_form[s->form].pattern, ' ') + 1;
}
