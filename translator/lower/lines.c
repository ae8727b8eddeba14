/* lines.c -- where each instruction stands, for the line table and for faults at run time.
 * Needs the sources' texts; leaves one ir_loc a PTX instruction and the file names that they index.
 * Manual: "Parallel Thread Execution ISA", 11.5 (.file, .loc). */
#include "lower/lower.h"

typedef struct numbered_file { uint32_t index, at; } numbered_file;

struct lower_lines {
	const ptx_module *pm;
	lower_lines *next;               /* of another module */
	uint32_t source_file;            /* of pm itself, in ir_module.files */
	bool ours;                       /* a text of our own: its instructions stand where it was called */
	VEC(numbered_file) files;        /* .file numbers of pm */
	bool has_loc;                    /* the function has .loc: its lines are the user's */
	uint32_t file, line, col;        /* as the last .loc says */
	VEC(uint32_t) starts;            /* where the lines of the text begin; empty: not asked for yet */
};

static lower_lines *
new_lines(lower *L, const ptx_module *pm)
{
	lower_lines *x = arena_new(L->A, lower_lines);
	ir_module *M = L->M;

	x->pm = pm;
	x->ours = lower_is_builtin(&L->diags->src[pm->source]);
	x->source_file = M->files.n;
	*vec_push(L->A, &M->files) = L->diags->src[pm->source].name;
	for (uint32_t i = 0; i < pm->files.n; i++) {
		*vec_push(L->A, &x->files) = (numbered_file){ pm->files.a[i].index, M->files.n };
		*vec_push(L->A, &M->files) = pm->files.a[i].name;
	}
	x->next = L->all_lines;
	L->all_lines = x;
	return x;
}

void
lower_files(lower *L, const ptx_module *pm)
{
	L->lines = L->all_lines;
	while (L->lines && L->lines->pm != pm)
		L->lines = L->lines->next;
	if (!L->lines)
		L->lines = new_lines(L, pm);
}

lower_lines *
lower_lines_enter(lower *L, const ptx_module *pm)
{
	lower_lines *outer = L->lines, *kept = arena_new(L->A, lower_lines);

	*kept = *outer;
	lower_files(L, pm);
	lower_loc_reset(L);
	return kept;
}

void
lower_lines_leave(lower *L, const lower_lines *kept)
{
	lower_files(L, kept->pm);
	L->lines->has_loc = kept->has_loc;
	L->lines->file = kept->file;
	L->lines->line = kept->line;
	L->lines->col = kept->col;
}

void
lower_loc_reset(lower *L)
{
	L->lines->has_loc = false;
}

void
lower_loc(lower *L, const ptx_stmt *s)
{
	lower_lines *x = L->lines;

	for (uint32_t i = 0; i < x->files.n; i++) {
		if (x->files.a[i].index != s->at.file)
			continue;
		x->has_loc = true;
		x->file = x->files.a[i].at;
		x->line = s->at.line;
		x->col = s->at.col;
		return;
	}
}

static void
find_lines(lower *L)
{
	lower_lines *x = L->lines;
	const p2a_source *src = &L->diags->src[x->pm->source];

	*vec_push(L->A, &x->starts) = 0;
	for (uint32_t k = 0; k < src->size; k++)
		if (src->text[k] == '\n')
			*vec_push(L->A, &x->starts) = k + 1;
}

/* How many lines begin up to there: its line number. Functions that are called again and again stand before who calls them. */
static uint32_t
line_of(const lower_lines *x, uint32_t offset)
{
	uint32_t lo = 0, hi = x->starts.n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (x->starts.a[mid] <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return lo + 1;
}

void
lower_at(lower *L, const ptx_stmt *s)
{
	lower_lines *x = L->lines;
	ir_loc loc = { .span = s->loc, .file = x->file, .line = x->line, .col = x->col };

	if (x->ours)
		return;
	if (!x->has_loc) {
		if (!x->starts.n)
			find_lines(L);
		loc.file = x->source_file;
		loc.line = line_of(x, s->loc.offset);
		loc.col = s->loc.offset - x->starts.a[loc.line - 1] + 1;
	}
	L->b.loc = L->M->locs.n;
	*vec_push(L->A, &L->M->locs) = loc;
}

void
lower_at_kernel(lower *L, const ptx_module *pm)
{
	if (!lower_is_builtin(&L->diags->src[pm->source]))
		return;
	lower_loc_reset(L);
	lower_at(L, &(ptx_stmt){ .loc = L->pf->loc });
}
