/* layout.c -- sections, addresses and symbols of a code object.
 * Needs kernels with machine code; leaves an obj_image that elf.c only has to write down.
 *
 *	0x0000  headers .note .dynsym .hash .dynstr .rela.dyn .rodata (descriptors, constants)   R
 *	+page   .text                                                                            RX
 *	+page   .dynamic .data .bss                                                              RW
 *	        .debug_* .symtab .strtab .shstrtab                                               not loaded
 *
 * What each consumer needs of these is in docs/code-object.md. */
#include "obj/obj.h"

#include <elf.h>
#include <string.h>

enum { AMDGPU_RELATIVE64 = 13, NPHDR = 5 };

uint32_t
obj_elf_flags(const p2a_target *t)
{
	static const uint32_t setting[3] = { 2, 1, 3 };         /* off, any, on */
	uint32_t f = t->mach;

	if (t->has_xnack)
		f |= setting[t->xnack + 1] << 8;
	if (t->has_sramecc)
		f |= setting[t->sramecc + 1] << 10;
	return f;
}

static void
section(obj_image *o, obj_sec s, const char *name, uint32_t type, uint32_t flags, uint32_t align, uint32_t entsize)
{
	o->sec[s] = (obj_section){ .name = name, .type = type, .flags = flags, .align = align, .entsize = entsize };
	buf_init(&o->sec[s].data, o->mod->A);
}

static void
sections(obj_image *o)
{
	section(o, SEC_NULL, "", SHT_NULL, 0, 0, 0);
	section(o, SEC_NOTE, ".note", SHT_NOTE, SHF_ALLOC, 4, 0);
	section(o, SEC_DYNSYM, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, 24);
	section(o, SEC_HASH, ".hash", SHT_HASH, SHF_ALLOC, 4, 4);
	section(o, SEC_DYNSTR, ".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0);
	section(o, SEC_RELA, ".rela.dyn", SHT_RELA, SHF_ALLOC, 8, 24);
	section(o, SEC_RODATA, ".rodata", SHT_PROGBITS, SHF_ALLOC, 256, 0);
	section(o, SEC_TEXT, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, OBJ_CODE_ALIGN, 0);
	section(o, SEC_DYNAMIC, ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, 16);
	section(o, SEC_DATA, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 256, 0);
	section(o, SEC_BSS, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 256, 0);
	section(o, SEC_DEBUG_ABBREV, ".debug_abbrev", SHT_PROGBITS, 0, 1, 0);
	section(o, SEC_DEBUG_INFO, ".debug_info", SHT_PROGBITS, 0, 1, 0);
	section(o, SEC_DEBUG_LINE, ".debug_line", SHT_PROGBITS, 0, 1, 0);
	section(o, SEC_SYMTAB, ".symtab", SHT_SYMTAB, 0, 8, 24);
	section(o, SEC_STRTAB, ".strtab", SHT_STRTAB, 0, 1, 0);
	section(o, SEC_SHSTRTAB, ".shstrtab", SHT_STRTAB, 0, 1, 0);
	o->sec[SEC_DYNSYM].link = o->sec[SEC_DYNAMIC].link = SEC_DYNSTR;
	o->sec[SEC_HASH].link = o->sec[SEC_RELA].link = SEC_DYNSYM;
	o->sec[SEC_SYMTAB].link = SEC_STRTAB;
}

/* ---- contents whose size does not depend on addresses ---- */

static void
note(obj_image *o)
{
	static const char owner[8] = "AMDGPU";
	buf desc, *b = &o->sec[SEC_NOTE].data;

	buf_init(&desc, o->mod->A);
	obj_metadata(o->mod, false, &desc);
	buf_u32(b, 7);
	buf_u32(b, (uint32_t)desc.n);
	buf_u32(b, 32);                 /* NT_AMDGPU_METADATA */
	buf_put(b, owner, sizeof owner);
	buf_put(b, desc.p, desc.n);
	buf_align(b, 4, 0);
}

static void
code_words(buf *b, size_t bytes, uint32_t word)
{
	for (size_t i = 0; i + 4 <= bytes; i += 4)
		buf_u32(b, word);
}

/* Code is padded: the instruction prefetcher reads beyond the last instruction. */
static void
code(obj_image *o)
{
	buf *b = &o->sec[SEC_TEXT].data;

	o->code_at = arena_array(o->mod->A, uint32_t, o->mod->funcs.n + 1);
	for (uint32_t i = 0; i < o->mod->funcs.n; i++) {
		code_words(b, (OBJ_CODE_ALIGN - b->n % OBJ_CODE_ALIGN) % OBJ_CODE_ALIGN, 0xbf800000);
		o->code_at[i] = (uint32_t)b->n;
		buf_put(b, o->mod->funcs.a[i]->code.p, o->mod->funcs.a[i]->code.n);
	}
	code_words(b, o->mod->target->end_pad, o->mod->target->end_pad_word);
}

static void
variable(obj_image *o, uint32_t v)
{
	const ir_var *x = &o->mod->vars.a[v];
	obj_sec s = x->constant ? SEC_RODATA : x->data ? SEC_DATA : SEC_BSS;
	obj_section *sec = &o->sec[s];
	uint64_t at;

	if (s == SEC_BSS) {
		at = (sec->size + x->align - 1) / x->align * x->align;
		sec->size = at + x->size;
	} else {
		buf_align(&sec->data, x->align, 0);
		at = sec->data.n;
		if (x->data)
			buf_put(&sec->data, x->data, x->size);
		else
			buf_fill(&sec->data, 0, x->size);
	}
	sec->align = MAX(sec->align, x->align);
	o->var_at[v] = (obj_symbol){ .name = x->name, .bind = x->exported ? STB_GLOBAL : STB_LOCAL, .type = STT_OBJECT,
		.visibility = x->exported ? STV_PROTECTED : STV_DEFAULT, .section = (uint16_t)s, .value = at, .size = x->size };
}

static void
variables(obj_image *o)
{
	o->var_at = arena_array(o->mod->A, obj_symbol, o->mod->vars.n + 1);
	buf_fill(&o->sec[SEC_RODATA].data, 0, (size_t)OBJ_KD_SIZE * o->mod->funcs.n);
	for (uint32_t v = 0; v < o->mod->vars.n; v++)
		variable(o, v);
}

static void
add_symbols(obj_image *o, uint8_t bind)
{
	const ir_module *m = o->mod;

	for (uint32_t v = 0; v < m->vars.n; v++)
		if (o->var_at[v].bind == bind)
			*vec_push(m->A, &o->syms) = o->var_at[v];
	for (uint32_t i = 0; i < m->funcs.n && bind == STB_GLOBAL; i++) {
		const ir_func *f = m->funcs.a[i];

		*vec_push(m->A, &o->syms) = (obj_symbol){ f->name, STB_GLOBAL, STT_FUNC, STV_PROTECTED, SEC_TEXT, o->code_at[i], f->code.n };
		*vec_push(m->A, &o->syms) = (obj_symbol){ arena_printf(m->A, "%s.kd", f->name), STB_GLOBAL, STT_OBJECT,
			STV_PROTECTED, SEC_RODATA, (uint64_t)OBJ_KD_SIZE * i, OBJ_KD_SIZE };
	}
}

static void
symbols(obj_image *o)
{
	*vec_push(o->mod->A, &o->syms) = (obj_symbol){ .name = "" };
	add_symbols(o, STB_LOCAL);
	o->nlocals = o->syms.n;
	add_symbols(o, STB_GLOBAL);
}

/* ---- tables of symbols ---- */

static uint32_t
sysv_hash(const char *s)
{
	uint32_t h = 0;

	for (; *s; s++) {
		uint32_t g;

		h = (h << 4) + (uint8_t)*s;
		g = h & 0xf0000000;
		h = (h ^ g >> 24) & ~g;
	}
	return h;
}

static void
put_symbol(buf *tab, buf *str, const obj_symbol *s)
{
	buf_u32(tab, *s->name ? (uint32_t)str->n : 0);
	buf_u8(tab, (uint8_t)(s->bind << 4 | s->type));
	buf_u8(tab, s->visibility);
	buf_u16(tab, s->section);
	buf_u64(tab, s->value);
	buf_u64(tab, s->size);
	if (*s->name)
		buf_put(str, s->name, strlen(s->name) + 1);
}

static void
symbol_tables(obj_image *o)
{
	static const obj_symbol null = { .name = "" };
	buf *dynsym = &o->sec[SEC_DYNSYM].data, *dynstr = &o->sec[SEC_DYNSTR].data;
	buf *symtab = &o->sec[SEC_SYMTAB].data, *strtab = &o->sec[SEC_STRTAB].data;

	dynsym->n = dynstr->n = symtab->n = strtab->n = 0;
	buf_u8(dynstr, 0);
	buf_u8(strtab, 0);
	put_symbol(dynsym, dynstr, &null);
	for (uint32_t i = 0; i < o->syms.n; i++)
		put_symbol(symtab, strtab, &o->syms.a[i]);
	for (uint32_t i = o->nlocals; i < o->syms.n; i++)
		put_symbol(dynsym, dynstr, &o->syms.a[i]);
	o->sec[SEC_SYMTAB].info = o->nlocals;
	o->sec[SEC_DYNSYM].info = 1;
}

static void
hash_table(obj_image *o)
{
	uint32_t n = o->syms.n - o->nlocals + 1, nb = MAX(n - 1, 1);
	uint32_t *bucket = arena_array(o->mod->A, uint32_t, nb), *chain = arena_array(o->mod->A, uint32_t, n);
	buf *b = &o->sec[SEC_HASH].data;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t k = sysv_hash(o->syms.a[o->nlocals + i - 1].name) % nb;

		chain[i] = bucket[k];
		bucket[k] = i;
	}
	buf_u32(b, nb);
	buf_u32(b, n);
	for (uint32_t i = 0; i < nb; i++)
		buf_u32(b, bucket[i]);
	for (uint32_t i = 0; i < n; i++)
		buf_u32(b, chain[i]);
}

static uint32_t
count_relocs(const ir_module *m)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < m->vars.n; v++)
		n += m->vars.a[v].relocs.n;
	return n;
}

static void
section_names(obj_image *o)
{
	buf *b = &o->sec[SEC_SHSTRTAB].data;

	buf_u8(b, 0);
	for (int s = 1; s < SEC_COUNT; s++) {
		o->sec[s].name_at = (uint32_t)b->n;
		buf_put(b, o->sec[s].name, strlen(o->sec[s].name) + 1);
	}
}

/* ---- addresses ---- */

static uint64_t
align_up(uint64_t x, uint64_t a)
{
	return a ? (x + a - 1) / a * a : x;
}

/* Segments begin on a new page of addresses at the same offset inside the page as in the file. */
static void
addresses(obj_image *o)
{
	uint64_t off = sizeof(Elf64_Ehdr) + NPHDR * sizeof(Elf64_Phdr), shift = 0;

	for (int s = 1; s < SEC_COUNT; s++) {
		obj_section *x = &o->sec[s];

		if (s == SEC_TEXT || s == SEC_DYNAMIC)
			shift += OBJ_PAGE;
		if (x->type != SHT_NOBITS)
			x->size = x->data.n;
		off = align_up(off, x->align);
		x->offset = off;
		if (x->flags & SHF_ALLOC)
			x->addr = off + shift;
		if (x->type != SHT_NOBITS)
			off += x->size;
		else if (x->addr % x->align)
			x->addr = align_up(x->addr, x->align);
	}
}

static void
settle_symbols(obj_image *o)
{
	for (uint32_t i = 1; i < o->syms.n; i++)
		o->syms.a[i].value += o->sec[o->syms.a[i].section].addr;
	for (uint32_t v = 0; v < o->mod->vars.n; v++)
		o->var_at[v].value += o->sec[o->var_at[v].section].addr;
}

static obj_segment
span(const obj_image *o, uint32_t type, uint32_t flags, uint32_t align, obj_sec from, obj_sec to)
{
	const obj_section *a = &o->sec[from], *z = &o->sec[to];
	obj_segment s = { .type = type, .flags = flags, .align = align, .offset = a->offset, .addr = a->addr };

	s.memsz = z->addr + z->size - a->addr;
	s.filesz = z->type == SHT_NOBITS ? o->sec[to - 1].addr + o->sec[to - 1].size - a->addr : s.memsz;
	return s;
}

static void
segments(obj_image *o)
{
	obj_segment s = span(o, PT_LOAD, PF_R, OBJ_PAGE, SEC_NOTE, SEC_RODATA);

	s.memsz = s.filesz = s.filesz + s.offset;
	s.offset = s.addr = 0;
	*vec_push(o->mod->A, &o->seg) = s;
	*vec_push(o->mod->A, &o->seg) = span(o, PT_LOAD, PF_R | PF_X, OBJ_PAGE, SEC_TEXT, SEC_TEXT);
	*vec_push(o->mod->A, &o->seg) = span(o, PT_LOAD, PF_R | PF_W, OBJ_PAGE, SEC_DYNAMIC, SEC_BSS);
	*vec_push(o->mod->A, &o->seg) = span(o, PT_DYNAMIC, PF_R | PF_W, 8, SEC_DYNAMIC, SEC_DYNAMIC);
	*vec_push(o->mod->A, &o->seg) = span(o, PT_NOTE, PF_R, 4, SEC_NOTE, SEC_NOTE);
}

/* ---- contents that need addresses ---- */

static void
put_le(buf *b, size_t at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		b->p[at + i] = (uint8_t)(v >> (8 * i));
}

static void
descriptors(obj_image *o)
{
	for (uint32_t i = 0; i < o->mod->funcs.n; i++) {
		uint64_t kd = o->sec[SEC_RODATA].addr + (uint64_t)OBJ_KD_SIZE * i;
		buf b;

		buf_init(&b, o->mod->A);
		obj_kernel_descriptor(o->mod->funcs.a[i], (int64_t)(o->sec[SEC_TEXT].addr + o->code_at[i] - kd), &b);
		memcpy(o->sec[SEC_RODATA].data.p + (size_t)OBJ_KD_SIZE * i, b.p, OBJ_KD_SIZE);
	}
}

static void
fix_code(obj_image *o)
{
	for (uint32_t i = 0; i < o->mod->funcs.n; i++) {
		const ir_func *f = o->mod->funcs.a[i];

		for (uint32_t k = 0; k < f->fixups.n; k++) {
			const struct ir_fixup *x = &f->fixups.a[k];
			uint64_t pc = o->sec[SEC_TEXT].addr + o->code_at[i] + x->pc;
			uint64_t d = o->var_at[x->var].value + (uint64_t)x->addend - pc;

			put_le(&o->sec[SEC_TEXT].data, o->code_at[i] + x->offset, x->high ? d >> 32 : d, 4);
		}
	}
}

/* The addend stands in the table and, for readers that skip relocations, in the place itself. */
static void
relocations(obj_image *o)
{
	buf *b = &o->sec[SEC_RELA].data;

	b->n = 0;
	for (uint32_t v = 0; v < o->mod->vars.n; v++) {
		const ir_var *x = &o->mod->vars.a[v];

		for (uint32_t k = 0; k < x->relocs.n; k++) {
			uint64_t at = o->var_at[v].value + x->relocs.a[k].offset;
			uint64_t to = o->var_at[x->relocs.a[k].var].value + (uint64_t)x->relocs.a[k].addend;

			buf_u64(b, at);
			buf_u64(b, AMDGPU_RELATIVE64);
			buf_u64(b, to);
			put_le(&o->sec[o->var_at[v].section].data, at - o->sec[o->var_at[v].section].addr, to, 8);
		}
	}
}

static void
dynamic(obj_image *o)
{
	buf *b = &o->sec[SEC_DYNAMIC].data;
	const struct { int64_t tag; uint64_t value; } d[] = {
		{ DT_SYMTAB, o->sec[SEC_DYNSYM].addr }, { DT_SYMENT, 24 }, { DT_STRTAB, o->sec[SEC_DYNSTR].addr },
		{ DT_STRSZ, o->sec[SEC_DYNSTR].size }, { DT_HASH, o->sec[SEC_HASH].addr }, { DT_RELA, o->sec[SEC_RELA].addr },
		{ DT_RELASZ, o->sec[SEC_RELA].size }, { DT_RELAENT, 24 }, { DT_NULL, 0 },
	};

	b->n = 0;
	for (size_t i = 0; i < COUNT(d); i++) {
		buf_u64(b, (uint64_t)d[i].tag);
		buf_u64(b, d[i].value);
	}
}

static void
debug_sections(obj_image *o)
{
	obj_dwarf(o->mod, o->sec[SEC_TEXT].addr, o->code_at, &o->sec[SEC_DEBUG_ABBREV].data, &o->sec[SEC_DEBUG_INFO].data,
	          &o->sec[SEC_DEBUG_LINE].data);
}

static void
second_round(obj_image *o)
{
	o->sec[SEC_DEBUG_ABBREV].data.n = o->sec[SEC_DEBUG_INFO].data.n = o->sec[SEC_DEBUG_LINE].data.n = 0;
	debug_sections(o);
	settle_symbols(o);
	symbol_tables(o);
	dynamic(o);
	relocations(o);
	descriptors(o);
	fix_code(o);
}

/* Two rounds: sizes first, with addresses that are still zero, then the same contents with the real ones.
 * No size depends on an address: symbols, relocations and line rows have fixed sizes in both. */
void
obj_layout(ir_module *m, obj_image *o)
{
	*o = (obj_image){ .mod = m, .flags = obj_elf_flags(m->target), .abi = m->code_object >= 5 ? 3 : 2 };
	sections(o);
	note(o);
	code(o);
	variables(o);
	symbols(o);
	symbol_tables(o);
	hash_table(o);
	section_names(o);
	buf_fill(&o->sec[SEC_RELA].data, 0, (size_t)24 * count_relocs(m));
	dynamic(o);
	debug_sections(o);
	addresses(o);
	segments(o);
	second_round(o);
}
