/* dwarf.c -- which PTX (or CUDA) line an address comes from, for disassemblers and debuggers.
 * Needs the line rows of pass emit and final addresses; leaves .debug_abbrev, .debug_info, .debug_line.
 * DWARF 4, sections 6.2 (line table), 7.5 (units). */
#include "obj/obj.h"

#include <string.h>

enum { DW_TAG_compile_unit = 0x11, DW_TAG_subprogram = 0x2e, DW_AT_name = 0x03, DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12, DW_AT_language = 0x13, DW_AT_producer = 0x25, DW_AT_external = 0x3f, DW_FORM_addr = 0x01, DW_FORM_data2 = 0x05,
	DW_FORM_data8 = 0x07, DW_FORM_string = 0x08, DW_FORM_sec_offset = 0x17, DW_FORM_flag_present = 0x19, DW_LANG_C99 = 0x000c };
enum { DW_LNS_copy = 1, DW_LNS_advance_pc = 2, DW_LNS_advance_line = 3, DW_LNS_set_file = 4, DW_LNS_set_column = 5,
	DW_LNE_end_sequence = 1, DW_LNE_set_address = 2 };
enum { MIN_INST = 4, OPCODE_BASE = 13 };

static void
patch_u32(buf *b, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		b->p[at + (size_t)i] = (uint8_t)(v >> (8 * i));
}

static void
abbreviations(buf *b)
{
	static const uint8_t table[] = {
		1, DW_TAG_compile_unit, 1, DW_AT_producer, DW_FORM_string, DW_AT_language, DW_FORM_data2, DW_AT_name, DW_FORM_string,
		DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, 0, 0,
		2, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8,
		DW_AT_external, DW_FORM_flag_present, 0, 0,
		0,
	};

	buf_put(b, table, sizeof table);
}

static void
string(buf *b, const char *s)
{
	buf_put(b, s, strlen(s) + 1);
}

static uint64_t
end_of(const ir_module *m, const uint32_t *code_at)
{
	uint32_t last = m->funcs.n - 1;

	return m->funcs.n ? code_at[last] + m->funcs.a[last]->code.n : 0;
}

static void
units(const ir_module *m, uint64_t text, const uint32_t *code_at, buf *b)
{
	buf_u32(b, 0);
	buf_u16(b, 4);
	buf_u32(b, 0);
	buf_u8(b, 8);
	buf_uleb(b, 1);
	string(b, "p2a " P2A_VERSION);
	buf_u16(b, DW_LANG_C99);
	string(b, m->files.n ? m->files.a[0] : "");
	buf_u32(b, 0);
	buf_u64(b, text);
	buf_u64(b, end_of(m, code_at));
	for (uint32_t i = 0; i < m->funcs.n; i++) {
		buf_uleb(b, 2);
		string(b, m->funcs.a[i]->name);
		buf_u64(b, text + code_at[i]);
		buf_u64(b, m->funcs.a[i]->code.n);
	}
	buf_u8(b, 0);
	patch_u32(b, 0, (uint32_t)b->n - 4);
}

static void
line_header(const ir_module *m, buf *b)
{
	static const uint8_t operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t length_at;

	buf_u32(b, 0);
	buf_u16(b, 4);
	length_at = b->n;
	buf_u32(b, 0);
	buf_u8(b, MIN_INST);
	buf_u8(b, 1);
	buf_u8(b, 1);           /* default_is_stmt */
	buf_u8(b, (uint8_t)-5); /* line_base, line_range: special opcodes are not used */
	buf_u8(b, 14);
	buf_u8(b, OPCODE_BASE);
	buf_put(b, operands, sizeof operands);
	buf_u8(b, 0);           /* no directories */
	for (uint32_t i = 0; i < m->files.n; i++) {
		string(b, m->files.a[i] && *m->files.a[i] ? m->files.a[i] : "?");
		buf_fill(b, 0, 3);
	}
	buf_u8(b, 0);
	patch_u32(b, length_at, (uint32_t)(b->n - length_at - 4));
}

typedef struct state { uint64_t addr; uint32_t file, line, col; } state;

static void
row(buf *b, state *s, uint64_t addr, const ir_loc *l)
{
	buf_u8(b, DW_LNS_advance_pc);
	buf_uleb(b, (addr - s->addr) / MIN_INST);
	if (l->file + 1 != s->file) {
		buf_u8(b, DW_LNS_set_file);
		buf_uleb(b, l->file + 1);
	}
	if (l->line != s->line) {
		buf_u8(b, DW_LNS_advance_line);
		buf_sleb(b, (int64_t)l->line - (int64_t)s->line);
	}
	if (l->col != s->col) {
		buf_u8(b, DW_LNS_set_column);
		buf_uleb(b, l->col);
	}
	buf_u8(b, DW_LNS_copy);
	*s = (state){ addr, l->file + 1, l->line, l->col };
}

static void
extended(buf *b, uint8_t op, size_t len)
{
	buf_u8(b, 0);
	buf_uleb(b, len + 1);
	buf_u8(b, op);
}

static void
sequence(const ir_module *m, const ir_func *f, uint64_t start, buf *b)
{
	state s = { start, 1, 1, 0 };

	extended(b, DW_LNE_set_address, 8);
	buf_u64(b, start);
	for (uint32_t i = 0; i < f->lines.n; i++)
		if (f->lines.a[i].loc && f->lines.a[i].loc < m->locs.n)
			row(b, &s, start + f->lines.a[i].offset, &m->locs.a[f->lines.a[i].loc]);
	buf_u8(b, DW_LNS_advance_pc);
	buf_uleb(b, (start + f->code.n - s.addr) / MIN_INST);
	extended(b, DW_LNE_end_sequence, 0);
}

void
obj_dwarf(const ir_module *m, uint64_t text, const uint32_t *code_at, buf *abbrev, buf *info, buf *line)
{
	abbreviations(abbrev);
	units(m, text, code_at, info);
	line_header(m, line);
	for (uint32_t i = 0; i < m->funcs.n; i++)
		sequence(m, m->funcs.a[i], text + code_at[i], line);
	patch_u32(line, 0, (uint32_t)line->n - 4);
}
