/* line.c -- reads .debug_line, DWARF 4 and 5, as far as addresses, files and lines go.
 * Needs the three debug sections; leaves the object's rows sorted by address and its file names.
 * Units that are malformed are left out, rows and names are bounded.
 * DWARF 5 sections 6.2.4 (header) and 6.2.5 (state machine); DWARF 4 the same numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "emu/object.h"

enum { MAX_ROWS = 1 << 22, MAX_FILES = 1 << 16 };
enum { LNCT_path = 1, LNCT_directory_index = 2 };
enum {
	FORM_block2 = 3,
	FORM_block4 = 4,
	FORM_data2 = 5,
	FORM_data4 = 6,
	FORM_data8 = 7,
	FORM_string = 8,
	FORM_block = 9,
	FORM_block1 = 10,
	FORM_data1 = 11,
	FORM_strp = 14,
	FORM_udata = 15,
	FORM_data16 = 30,
	FORM_line_strp = 31
};
enum {
	LNS_copy = 1,
	LNS_advance_pc,
	LNS_advance_line,
	LNS_set_file,
	LNS_set_column,
	LNS_negate_stmt,
	LNS_set_basic_block,
	LNS_const_add_pc,
	LNS_fixed_advance_pc
};
enum { LNE_end_sequence = 1, LNE_set_address = 2 };

typedef struct unit {
	emu_object *o;
	const emu_debug *d;
	unsigned version, offset_size, addr_size;
	unsigned min_inst, line_range, opcode_base;
	int line_base;
	const uint8_t *opcode_len;
	const char **dir;
	size_t ndirs;
	size_t first_file, nfiles;      /* in the object's list; DWARF 4 counts from 1 */
} unit;

static const char *string_at(emu_span section, uint64_t off)
{
	emu_take(&section, (size_t)off);
	return emu_take_str(&section);
}

/* One attribute of a DWARF 5 entry: a string or a number. */
static uint64_t read_form(emu_span *s, const unit *u, uint64_t form, const char **str)
{
	switch (form) {
	case FORM_string: *str = emu_take_str(s); return 0;
	case FORM_line_strp:
		*str = string_at(u->d->line_str, emu_take_le(s, u->offset_size));
		return 0;
	case FORM_strp: *str = string_at(u->d->str, emu_take_le(s, u->offset_size)); return 0;
	case FORM_data1: return emu_take_le(s, 1);
	case FORM_data2: return emu_take_le(s, 2);
	case FORM_data4: return emu_take_le(s, 4);
	case FORM_data8: return emu_take_le(s, 8);
	case FORM_udata: return emu_take_uleb(s);
	case FORM_data16: emu_take(s, 16); return 0;
	case FORM_block: emu_take(s, (size_t)emu_take_uleb(s)); return 0;
	case FORM_block1: emu_take(s, (size_t)emu_take_le(s, 1)); return 0;
	case FORM_block2: emu_take(s, (size_t)emu_take_le(s, 2)); return 0;
	case FORM_block4: emu_take(s, (size_t)emu_take_le(s, 4)); return 0;
	default: s->bad = true; return 0;
	}
}

static void add_dir(emu_span *s, unit *u, const char *name)
{
	const char **more = u->ndirs < MAX_FILES ? realloc(u->dir, (u->ndirs + 1) * sizeof *more)
						 : NULL;
	if (!more) {
		s->bad = true;
		return;
	}
	u->dir = more;
	u->dir[u->ndirs++] = name;
}

static void add_file(emu_span *s, unit *u, const char *name, uint64_t dir)
{
	emu_object *o = u->o;
	char **more = o->nfiles < MAX_FILES ? realloc(o->file, (o->nfiles + 1) * sizeof *more)
					    : NULL;
	if (!more) {
		s->bad = true;
		return;
	}
	o->file = more;
	const char *in = *name != '/' && dir < u->ndirs ? u->dir[dir] : "";
	size_t n = strlen(in) + strlen(name) + 2;
	char *path = malloc(n);
	if (!path) {
		s->bad = true;
		return;
	}
	snprintf(path, n, "%s%s%s", in, *in ? "/" : "", name);
	o->file[o->nfiles++] = path;
	u->nfiles++;
}

/* DWARF 5: a table of entries described by pairs of content and form. */
static void read_table(emu_span *s, unit *u, bool files)
{
	uint64_t content[8] = { 0 }, form[8] = { 0 };
	size_t nf = (size_t)emu_take_le(s, 1);
	if (nf > 8)
		s->bad = true;
	for (size_t i = 0; i < nf && !s->bad; i++) {
		content[i] = emu_take_uleb(s);
		form[i] = emu_take_uleb(s);
	}
	uint64_t n = emu_take_uleb(s);
	if (!nf && n)
		s->bad = true;
	for (uint64_t i = 0; i < n && !s->bad; i++) {
		const char *name = "";
		uint64_t dir = 0;
		for (size_t j = 0; j < nf; j++) {
			const char *str = "";
			uint64_t x = read_form(s, u, form[j], &str);
			if (content[j] == LNCT_path)
				name = str;
			else if (content[j] == LNCT_directory_index)
				dir = x;
		}
		if (s->bad)
			return;
		if (files)
			add_file(s, u, name, dir);
		else
			add_dir(s, u, name);
	}
}

static void read_v4_tables(emu_span *s, unit *u)
{
	add_dir(s, u, "");              /* 0: the compilation's, not named here */
	while (!s->bad) {
		const char *name = emu_take_str(s);
		if (!*name)
			break;
		add_dir(s, u, name);
	}
	while (!s->bad) {
		const char *name = emu_take_str(s);
		if (!*name)
			break;
		uint64_t dir = emu_take_uleb(s);
		emu_take_uleb(s);
		emu_take_uleb(s);
		add_file(s, u, name, dir);
	}
}

static bool read_header(emu_span *s, unit *u, emu_span *program)
{
	u->version = (unsigned)emu_take_le(s, 2);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version >= 5) {
		u->addr_size = (unsigned)emu_take_le(s, 1);
		emu_take(s, 1);         /* segment selector size */
	}
	uint64_t len = emu_take_le(s, u->offset_size);
	if (s->bad || len > emu_left(s))
		return false;
	*program = (emu_span){ s->p + len, s->end, false };
	emu_span h = { s->p, s->p + len, false };
	u->min_inst = (unsigned)emu_take_le(&h, 1);
	if (u->version >= 4)
		emu_take(&h, 1);        /* operations an instruction */
	emu_take(&h, 1);                /* default_is_stmt */
	u->line_base = (int8_t)emu_take_le(&h, 1);
	u->line_range = (unsigned)emu_take_le(&h, 1);
	u->opcode_base = (unsigned)emu_take_le(&h, 1);
	u->opcode_len = emu_take(&h, u->opcode_base ? u->opcode_base - 1 : 0);
	if (h.bad || !u->line_range || !u->opcode_base)
		return false;
	u->first_file = u->o->nfiles;
	if (u->version >= 5) {
		read_table(&h, u, false);
		read_table(&h, u, true);
	} else
		read_v4_tables(&h, u);
	return !h.bad;
}

typedef struct state {
	uint64_t addr, file;
	int64_t line;
} state;

static void add_row(emu_span *s, const unit *u, const state *st, bool end)
{
	emu_object *o = u->o;
	uint64_t file = u->version >= 5 ? st->file : st->file - 1;
	if (o->nrows >= MAX_ROWS) {
		s->bad = true;
		return;
	}
	if (!(o->nrows & (o->nrows - 1))) {      /* 0 or a power of two: full */
		emu_line_row *more = realloc(o->row, (o->nrows ? 2 * o->nrows : 1) * sizeof *more);
		if (!more) {
			s->bad = true;
			return;
		}
		o->row = more;
	}
	uint32_t line = st->line > 0 && st->line < UINT32_MAX ? (uint32_t)st->line : 0;
	o->row[o->nrows++] = (emu_line_row){ (uint64_t)(uintptr_t)o->image + (st->addr - o->vaddr),
		(uint32_t)(file < u->nfiles ? u->first_file + file : UINT32_MAX), end ? 0 : line };
}

static void extended(emu_span *s, const unit *u, state *st)
{
	uint64_t n = emu_take_uleb(s);
	const uint8_t *p = emu_take(s, (size_t)n);
	if (!p || !n)
		return;
	if (*p == LNE_end_sequence) {
		add_row(s, u, st, true);
		*st = (state){ 0, 1, 1 };
	} else if (*p == LNE_set_address && n - 1 <= 8) {
		emu_span a = emu_span_of(p + 1, (size_t)n - 1);
		st->addr = emu_take_le(&a, (unsigned)n - 1);
	}
}

static void standard(emu_span *s, const unit *u, state *st, unsigned op)
{
	switch (op) {
	case LNS_copy: add_row(s, u, st, false); break;
	case LNS_advance_pc: st->addr += emu_take_uleb(s) * u->min_inst; break;
	case LNS_advance_line:
		st->line = (int64_t)((uint64_t)st->line + (uint64_t)emu_take_sleb(s));
		break;
	case LNS_set_file: st->file = emu_take_uleb(s); break;
	case LNS_set_column: emu_take_uleb(s); break;
	case LNS_const_add_pc:
		st->addr += (uint64_t)(255 - u->opcode_base) / u->line_range * u->min_inst;
		break;
	case LNS_fixed_advance_pc: st->addr += emu_take_le(s, 2); break;
	default:
		for (unsigned i = 0; i < u->opcode_len[op - 1]; i++)
			emu_take_uleb(s);
	}
}

static void run_program(emu_span *s, const unit *u)
{
	state st = { 0, 1, 1 };
	while (emu_left(s) && !s->bad) {
		unsigned op = (unsigned)emu_take_le(s, 1);
		if (op >= u->opcode_base) {
			unsigned k = op - u->opcode_base;
			st.addr += (uint64_t)(k / u->line_range) * u->min_inst;
			st.line = (int64_t)((uint64_t)st.line +
				(uint64_t)(int64_t)(u->line_base + (int)(k % u->line_range)));
			add_row(s, u, &st, false);
		} else if (op)
			standard(s, u, &st, op);
		else
			extended(s, u, &st);
	}
}

/* By address; at one address the end of a sequence comes before the start of the next. */
static int by_address(const void *a, const void *b)
{
	const emu_line_row *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->line != 0) - (y->line != 0);
}

void emu_read_lines(emu_object *o, const emu_debug *d)
{
	emu_span s = d->line;
	while (emu_left(&s) > 4 && !s.bad) {
		uint64_t len = emu_take_le(&s, 4);
		unit u = { .o = o, .d = d, .offset_size = 4 };
		if (len == 0xffffffff) {
			len = emu_take_le(&s, 8);
			u.offset_size = 8;
		}
		const uint8_t *p = emu_take(&s, (size_t)len);
		if (!p)
			break;
		emu_span body = emu_span_of(p, (size_t)len), program;
		if (read_header(&body, &u, &program))
			run_program(&program, &u);
		free(u.dir);
	}
	if (o->nrows)
		qsort(o->row, o->nrows, sizeof *o->row, by_address);
}

bool emu_find_line(const emu_object *o, uint64_t addr, const char **file, uint32_t *line)
{
	size_t lo = 0, hi = o->nrows;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (o->row[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !o->row[lo - 1].line)
		return false;
	*line = o->row[lo - 1].line;
	*file = o->row[lo - 1].file < o->nfiles ? o->file[o->row[lo - 1].file] : "";
	return true;
}
