/* diag.c -- what the program says: one-line messages, usage, and a translation's diagnostics.
 * FILE:LINE:COL: error: TEXT [E0123], the source line and a caret; then how often each instruction
 * that is not supported occurs. Contract: docs/cli.md. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "isa/isa.h"

/* ---- Plain messages -------------------------------------------------------------------------- */

/* Names in messages may come from a hostile file: no control byte of theirs reaches the terminal. */
char *
cli_clean(char *s)
{
	for (char *p = s; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	return s;
}

static void
say(const cli *c, const char *fmt, va_list ap)
{
	char text[2048];

	vsnprintf(text, sizeof text, fmt, ap);
	fflush(stdout);
	fprintf(stderr, "p2a %s: %s\n", c->command, cli_clean(text));
}

void
cli_say(const cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
}

int
cli_misuse(const cli *c, const cli_command *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
	fprintf(stderr, "usage: p2a %s %s\n       p2a help %s says more\n", cmd->name, cmd->usage, cmd->name);
	return CLI_USAGE;
}

int
cli_check_target(const cli *c, const cli_command *cmd, const char *id)
{
	if (p2a_target_find(id))
		return CLI_DONE;
	size_t n = strcspn(id, ":");
	char name[32];
	const p2a_target *t = NULL;

	if (id[n] && n < sizeof name) {
		memcpy(name, id, n);
		name[n] = 0;
		t = p2a_target_find(name);
	}
	if (!t)
		return cli_misuse(c, cmd, "unknown target '%s': p2a targets lists them", id);
	return cli_misuse(c, cmd, "unknown target '%s': behind %s %s", id, name,
		t->has_xnack && t->has_sramecc ? "may stand :xnack+, :xnack-, :sramecc+, :sramecc-" :
		t->has_xnack ? "may stand :xnack+ or :xnack-" : t->has_sramecc ? "may stand :sramecc+ or :sramecc-" :
		"nothing may stand: it has no features to set");
}

void
cli_json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;
		if (ch == '"' || ch == '\\')
			fprintf(f, "\\%c", ch);
		else if (ch < 32 || ch >= 127)
			fprintf(f, "\\u%04x", ch);
		else
			fputc(ch, f);
	}
	fputc('"', f);
}

/* ---- Source lines ---------------------------------------------------------------------------- */

enum { LINE_WIDTH = 100, TAB = 8, LEAD = 30 };

/* A source line with tabs as spaces and control bytes as '?'; and where a span of it went. */
typedef struct shown {
	char *text;
	size_t n, from, to;
} shown;

static size_t
put_byte(char *out, size_t at, unsigned char ch)
{
	if (ch != '\t') {
		out[at] = (char)(iscntrl(ch) ? '?' : ch);
		return at + 1;
	}
	do
		out[at++] = ' ';
	while (at % TAB);
	return at;
}

static shown
expand(cli *c, const char *line, size_t n, size_t from, size_t to)
{
	shown s = { .text = arena_alloc(&c->A, n * TAB + 1) };

	for (size_t i = 0; i < n; i++) {
		if (i == from)
			s.from = s.n;
		s.n = put_byte(s.text, s.n, (unsigned char)line[i]);
		if (i + 1 == to)
			s.to = s.n;
	}
	if (from >= n)
		s.from = s.n;
	if (s.to <= s.from)
		s.to = s.from + 1;
	return s;
}

/* Cuts a long line down to what surrounds the span, with "..." where something is missing. */
static void
print_window(const shown *s)
{
	size_t start = s->n > LINE_WIDTH && s->from > LEAD ? s->from - LEAD : 0;
	size_t left = s->n - start, width = left > LINE_WIDTH ? LINE_WIDTH : left;
	size_t caret = s->from - start, end = s->to - start;
	const char *lead = start ? "..." : "";

	fprintf(stderr, "%s%.*s%s\n", lead, (int)width, s->text + start, width < left ? "..." : "");
	fprintf(stderr, "%*s^", (int)(caret + strlen(lead)), "");
	for (size_t i = caret + 1; i < end && i < width; i++)
		fputc('~', stderr);
	fputc('\n', stderr);
}

/* The index of a diagnostic's source; n: it has none. */
static size_t
source_of(const p2a_diag *d, const p2a_source *src, size_t n)
{
	for (size_t i = 0; d->file && i < n; i++)
		if (src[i].name == d->file)
			return i;
	for (size_t i = 0; d->file && i < n; i++)
		if (!strcmp(src[i].name, d->file))
			return i;
	return n;
}

static void
print_source(cli *c, const p2a_diag *d, const p2a_source *s)
{
	if (!d->length || d->offset > s->size)
		return;
	size_t start = d->offset, end = d->offset;
	while (start && s->text[start - 1] != '\n')
		start--;
	while (end < s->size && s->text[end] != '\n')
		end++;
	if (end > start && s->text[end - 1] == '\r')
		end--;
	/* Of a monstrous line only the neighbourhood is worth expanding. */
	if (d->offset - start > 4 * LINE_WIDTH)
		start = d->offset - 2 * LINE_WIDTH;
	if (end > start && end - start > 8 * LINE_WIDTH)
		end = start + 8 * LINE_WIDTH;
	size_t from = d->offset - start;
	shown line = expand(c, s->text + start, end > start ? end - start : 0, from, from + d->length);
	print_window(&line);
}

/* ---- Diagnostics ----------------------------------------------------------------------------- */

static void
print_diag(cli *c, const p2a_diag *d, const p2a_source *s)
{
	static const char *const word[] = {
		[P2A_NOTE] = "note", [P2A_WARNING] = "warning", [P2A_ERROR] = "error"
	};

	if (d->file)
		fprintf(stderr, "%s:", d->file);
	else
		fputs("p2a:", stderr);
	if (d->line)
		fprintf(stderr, "%u:%u:", (unsigned)d->line, (unsigned)d->column);
	fprintf(stderr, " %s: %s [E%04u]\n", word[d->severity],
		cli_clean(arena_str(&c->A, d->message, strlen(d->message))), d->id);
	if (s)
		print_source(c, d, s);
}

/* The translator finds faults room by room; a reader goes through the file from its top. */
typedef struct placed {
	const p2a_diag *d;
	size_t source;           /* behind all sources: without a place */
} placed;

static int
by_place(const void *a, const void *b)
{
	const placed *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->d->offset != y->d->offset)
		return x->d->offset < y->d->offset ? -1 : 1;
	return x->d < y->d ? -1 : 1;
}

static void
print_diags(cli *c, const p2a_result *r, const p2a_source *src, size_t n)
{
	placed *p = arena_array(&c->A, placed, r->ndiags + 1);

	for (size_t i = 0; i < r->ndiags; i++)
		p[i] = (placed){ &r->diags[i], source_of(&r->diags[i], src, n) };
	qsort(p, r->ndiags, sizeof *p, by_place);
	for (size_t i = 0; i < r->ndiags; i++)
		print_diag(c, p[i].d, p[i].source < n ? &src[p[i].source] : NULL);
}

typedef struct tally {
	const char *what;
	size_t count;
} tally;

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const tally *)a)->what, ((const tally *)b)->what);
}

static int
by_count(const void *a, const void *b)
{
	const tally *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : by_name(a, b);
}

/* The instruction that a diagnostic says is not supported: the first words in quotes. NULL: it says
 * something else, or what stands there is no word. */
static const char *
unsupported(cli *c, const p2a_diag *d)
{
	if (d->id != diag_number(DIAG_unsupported) && d->id != diag_number(DIAG_unknown_opcode))
		return NULL;
	const char *from = strchr(d->message, '\'');
	const char *to = from ? strchr(from + 1, '\'') : NULL;
	return to && (from[1] | 32) >= 'a' && (from[1] | 32) <= 'z' ? arena_str(&c->A, from + 1, (size_t)(to - from - 1)) : NULL;
}

/* Merges equal neighbours of a sorted list; returns how many are left. */
static size_t
merge(tally *t, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (out && !strcmp(t[out - 1].what, t[i].what))
			t[out - 1].count++;
		else
			t[out++] = t[i];
	}
	return out;
}

static void
print_counts(cli *c, const p2a_result *r)
{
	tally *t = arena_array(&c->A, tally, r->ndiags + 1);
	size_t n = 0;

	for (size_t i = 0; i < r->ndiags; i++) {
		const char *what = unsupported(c, &r->diags[i]);
		if (what)
			t[n++] = (tally){ what, 1 };
	}
	if (!n)
		return;
	qsort(t, n, sizeof *t, by_name);
	n = merge(t, n);
	qsort(t, n, sizeof *t, by_count);
	fprintf(stderr, "not supported:\n");
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%8zu  %s\n", t[i].count, cli_clean(arena_str(&c->A, t[i].what,
			strlen(t[i].what))));
}

void
cli_diagnose(cli *c, const p2a_result *r, const p2a_source *src, size_t n)
{
	fflush(stdout);
	print_diags(c, r, src, n);
	print_counts(c, r);
}

int
cli_translated(cli *c, const p2a_result *r, const p2a_source *src, size_t n)
{
	if (!r) {
		cli_say(c, "out of memory");
		return CLI_REFUSED;
	}
	if (r->status == P2A_EARG) {             /* of an option, not of a text */
		cli_say(c, "%s", r->ndiags ? r->diags[0].message : "bad argument");
		return CLI_USAGE;
	}
	cli_diagnose(c, r, src, n);
	switch (r->status) {
	case P2A_OK:
		return CLI_DONE;
	case P2A_EINPUT:
	case P2A_EARG:
		break;
	case P2A_ENOMEM:
		cli_say(c, "out of memory");
		break;
	case P2A_EINTERNAL:
		cli_say(c, "internal fault of the translator (version %s): please report it with the input",
			p2a_version());
		break;
	}
	return CLI_REFUSED;
}
