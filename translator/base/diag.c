/* diag.c -- collects diagnostics with their places.
 * Needs the sources, to turn an offset into line and column; leaves a list in the order found. */
#include "base/base.h"

#include <string.h>

static const struct {
	uint16_t number;
	uint8_t severity;
	const char *text;
} table[DIAG_COUNT] = {
#define DIAG(id, num, sev, text) { num, sev, text },
#include "base/diag.def"
};

void
diag_init(diag_sink *d, arena *A, const p2a_source *src, size_t nsrc)
{
	*d = (diag_sink){ .A = A, .src = src, .nsrc = nsrc };
	d->lines = arena_array(A, struct diag_lines, nsrc + !nsrc);
}

unsigned
diag_number(enum diag_id id)
{
	return table[id].number;
}

/* Where each line of a source begins: one pass, however many diagnostics there are. */
static const struct diag_lines *
lines_of(diag_sink *d, uint32_t file)
{
	struct diag_lines *L = &d->lines[file];
	const p2a_source *s = &d->src[file];
	uint32_t n = 1;

	if (L->start)
		return L;
	for (size_t i = 0; i < s->size; i++)
		n += s->text[i] == '\n';
	L->start = arena_array(d->A, uint32_t, n);
	for (size_t i = 0; i < s->size; i++)
		if (s->text[i] == '\n')
			L->start[++L->n] = (uint32_t)i + 1;
	L->n++;
	return L;
}

/* Columns count bytes from 1; a tab is one. */
static void
place(diag_sink *d, p2a_diag *g, uint32_t file)
{
	const struct diag_lines *L = lines_of(d, file);
	uint32_t low = 0, high = L->n;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (L->start[mid] <= g->offset)
			low = mid;
		else
			high = mid;
	}
	g->line = low + 1;
	g->column = (uint32_t)(g->offset - L->start[low]) + 1;
}

const char *
diag_file(const diag_sink *d, diag_loc loc)
{
	return loc.file < d->nsrc ? d->src[loc.file].name : "?";
}

uint32_t
diag_line(diag_sink *d, diag_loc loc)
{
	p2a_diag g = { .offset = loc.offset };

	if (loc.file < d->nsrc)
		place(d, &g, loc.file);
	return g.line;
}

void
diag_add(diag_sink *d, enum diag_id id, diag_loc loc, ...)
{
	p2a_diag g = { .id = table[id].number, .severity = table[id].severity };
	va_list ap;

	va_start(ap, loc);
	g.message = arena_vprintf(d->A, table[id].text, ap);
	va_end(ap);
	if (loc.file < d->nsrc) {
		g.file = d->src[loc.file].name;
		g.offset = loc.offset;
		g.length = loc.length;
		place(d, &g, loc.file);
	}
	if (g.severity == P2A_ERROR)
		d->nerrors++;
	*vec_push(d->A, &d->list) = g;
}
