/* elf.c -- loads a code object: header checks, segments, relocations, symbols, kernels.
 * Needs the file's bytes, which may be anything; leaves an emu_object whose segments are in the
 * device's memory table. Structures are read by offset, so alignment and host byte order do not
 * matter.
 * ELF-64; LLVM's AMDGPU guide, "ELF Code Object"; what loaders demand: ROCr's executable loader. */
#include <stdio.h>
#include <stdlib.h>

#include "emu/object.h"

enum {
	PT_LOAD = 1,
	PT_NOTE = 4,
	PF_X = 1,
	PF_W = 2,
	SHT_SYMTAB = 2,
	SHT_RELA = 4,
	SHT_NOTE = 7,
	SHT_DYNSYM = 11,
	SHF_ALLOC = 2,
	ET_EXEC = 2,
	ET_DYN = 3,
	EM_AMDGPU = 224,
	OSABI_HSA = 64,
	NT_METADATA = 32,
	STT_OBJECT = 1,
	STT_FUNC = 2,
	PAGE = 4096
};
enum { R_NONE = 0, R_ABS32_LO = 1, R_ABS32_HI = 2, R_ABS64 = 3, R_ABS32 = 6, R_RELATIVE64 = 13 };
/* A decoded instruction takes some fifty times its dword. */
#define MAX_CODE ((uint64_t)1 << 26)

typedef struct elf {
	const uint8_t *p;
	size_t n;
	uint64_t phoff, shoff;
	unsigned phnum, shnum, shstrndx, flags, abi;
	emu_error *err;
} elf;
typedef struct shdr {
	const char *name;
	uint32_t type, link;
	uint64_t flags, addr, offset, size, entsize;
} shdr;
typedef struct phdr {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz;
} phdr;

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t x = 0;
	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

static bool fits(const elf *e, uint64_t off, uint64_t size)
{
	return off <= e->n && size <= e->n - off;
}

static bool refuse(const elf *e, const char *why)
{
	emu_error_set(e->err, EMU_EOBJECT, "%s", why);
	return false;
}

static phdr phdr_at(const elf *e, unsigned i)
{
	const uint8_t *p = e->p + e->phoff + (uint64_t)i * 56;
	return (phdr){ (uint32_t)get(p, 4), (uint32_t)get(p + 4, 4), get(p + 8, 8), get(p + 16, 8),
		get(p + 32, 8), get(p + 40, 8) };
}

/* A string of the file at off, inside [off, end). */
static const char *string_in(const elf *e, uint64_t start, uint64_t size, uint64_t at)
{
	if (!fits(e, start, size) || at >= size ||
		!memchr(e->p + start + at, 0, (size_t)(size - at)))
		return "";
	return (const char *)e->p + start + at;
}

static shdr shdr_raw(const elf *e, unsigned i)
{
	const uint8_t *p = e->p + e->shoff + (uint64_t)i * 64;
	return (shdr){ "", (uint32_t)get(p + 4, 4), (uint32_t)get(p + 40, 4), get(p + 8, 8),
		get(p + 16, 8), get(p + 24, 8), get(p + 32, 8), get(p + 56, 8) };
}

static shdr shdr_at(const elf *e, unsigned i)
{
	shdr s = shdr_raw(e, i);
	if (e->shstrndx < e->shnum) {
		shdr t = shdr_raw(e, e->shstrndx);
		s.name = string_in(e, t.offset, t.size, get(e->p + e->shoff + (uint64_t)i * 64, 4));
	}
	return s;
}

static bool read_header(elf *e)
{
	static const uint8_t magic[7] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	if (e->n < 64 || memcmp(e->p, magic, 4))
		return refuse(e, "not an ELF file");
	if (memcmp(e->p, magic, sizeof magic))
		return refuse(e, "not a little-endian ELF-64 file");
	if (get(e->p + 18, 2) != EM_AMDGPU || e->p[7] != OSABI_HSA)
		return refuse(e, "not an AMDGPU HSA code object");
	e->abi = e->p[8];
	if (e->abi < 2 || e->abi > 4)
		return refuse(e, "code object version is not 4, 5 or 6");
	unsigned type = (unsigned)get(e->p + 16, 2);
	if (type != ET_DYN && type != ET_EXEC)
		return refuse(e, "not linked: ELF type is neither DYN nor EXEC");
	e->phoff = get(e->p + 32, 8);
	e->shoff = get(e->p + 40, 8);
	e->flags = (unsigned)get(e->p + 48, 4);
	e->phnum = (unsigned)get(e->p + 56, 2);
	e->shnum = (unsigned)get(e->p + 60, 2);
	e->shstrndx = (unsigned)get(e->p + 62, 2);
	if (e->phnum && (get(e->p + 54, 2) != 56 || !fits(e, e->phoff, (uint64_t)e->phnum * 56)))
		return refuse(e, "program headers lie outside the file");
	if (e->shnum && (get(e->p + 58, 2) != 64 || !fits(e, e->shoff, (uint64_t)e->shnum * 64)))
		return refuse(e, "section headers lie outside the file");
	return true;
}

/* Target features in e_flags: 0 unsupported, 1 any, 2 off, 3 on; must agree where both sides
 * say. */
static bool feature_ok(unsigned field, int target)
{
	return field < 2 || !target || (field == 3) == (target > 0);
}

static bool check_target(const elf *e, const p2a_target *t)
{
	if ((e->flags & 0xff) != t->mach) {
		for (size_t i = 0; p2a_target_at(i); i++)
			if (p2a_target_at(i)->mach == (e->flags & 0xff)) {
				emu_error_set(e->err, EMU_EOBJECT, "made for %s, the device is %s",
					p2a_target_name(p2a_target_at(i)), t->name);
				return false;
			}
		emu_error_set(e->err, EMU_EOBJECT, "made for machine 0x%x, the device is %s",
			e->flags & 0xff, t->name);
		return false;
	}
	if (!feature_ok(e->flags >> 8 & 3, t->xnack))
		return refuse(e, "made for another xnack setting");
	if (!feature_ok(e->flags >> 10 & 3, t->sramecc))
		return refuse(e, "made for another sramecc setting");
	return true;
}

/* The span of all segments; 0 size where there are none or they are absurd. */
static bool image_span(const elf *e, uint64_t *lo, uint64_t *hi)
{
	*lo = UINT64_MAX;
	*hi = 0;
	unsigned loads = 0;
	for (unsigned i = 0; i < e->phnum; i++) {
		phdr p = phdr_at(e, i);
		if (p.type != PT_LOAD || !p.memsz)
			continue;
		if (p.filesz > p.memsz || !fits(e, p.offset, p.filesz) ||
			p.vaddr + p.memsz < p.vaddr)
			return refuse(e, "a segment lies outside the file");
		if (++loads > EMU_MAX_SEGMENTS)
			return refuse(e, "too many segments");
		*lo = p.vaddr < *lo ? p.vaddr : *lo;
		*hi = p.vaddr + p.memsz > *hi ? p.vaddr + p.memsz : *hi;
	}
	*lo &= ~(uint64_t)(PAGE - 1);
	if (!loads || *hi - *lo > ISA_OBJECT_LIMIT)
		return refuse(e, loads ? "segments span more than 16 GiB" : "no segments to load");
	return true;
}

static bool add_code(emu_object *o, uint64_t addr, uint64_t size)
{
	emu_code *c = &o->code[o->ncode];
	c->addr = addr & ~(uint64_t)3;
	c->size = (size_t)(addr + size - c->addr) & ~(size_t)3;
	c->object = o;
	c->in = calloc(c->size / 4 + 1, sizeof *c->in);
	if (!c->in)
		return false;
	c->in[c->size / 4].fn = h_outside;
	c->in[c->size / 4].cls = 6;
	o->ncode++;
	return true;
}

static bool load_segments(emu_object *o, const elf *e)
{
	uint64_t lo, hi;
	if (!image_span(e, &lo, &hi))
		return false;
	size_t size = (size_t)(hi - lo + 2 * PAGE - 1) & ~(size_t)(PAGE - 1);
	o->vaddr = lo;
	o->image_size = (size_t)(hi - lo);
	o->raw_size = size + PAGE;
	o->raw = calloc(1, o->raw_size);         /* pages that nothing touches cost nothing */
	if (!o->raw)
		return refuse(e, "out of memory");
	o->image = o->raw + (-(uintptr_t)o->raw & (PAGE - 1));
	uint64_t base = (uint64_t)(uintptr_t)o->image;
	for (unsigned i = 0; i < e->phnum; i++) {
		phdr p = phdr_at(e, i);
		if (p.type != PT_LOAD || !p.memsz)
			continue;
		memcpy(o->image + (p.vaddr - lo), e->p + p.offset, (size_t)p.filesz);
		uint64_t at = base + (p.vaddr - lo);
		emu_buffer b = { at, at + p.memsz, 0, p.flags & PF_W, p.flags & PF_X };
		if (emu_table_add(o->dev, b) != EMU_OK)
			return refuse(e, "segments overlap");
		o->segment[o->nsegments++] = at;
		if (p.flags & PF_X && p.filesz > MAX_CODE)
			return refuse(e, "more than 64 MiB of code");
		if (p.flags & PF_X && !add_code(o, at, p.filesz))
			return refuse(e, "out of memory");
	}
	return true;
}

/* Where bytes at a virtual address were loaded; NULL outside. */
static uint8_t *loaded(const emu_object *o, uint64_t vaddr, uint64_t size)
{
	if (vaddr < o->vaddr || vaddr - o->vaddr > o->image_size ||
		size > o->image_size - (vaddr - o->vaddr))
		return NULL;
	return o->image + (vaddr - o->vaddr);
}
static uint64_t address(const emu_object *o, uint64_t vaddr)
{
	return (uint64_t)(uintptr_t)o->image + (vaddr - o->vaddr);
}

static bool read_symbols(emu_object *o, const elf *e)
{
	shdr best = { 0 };
	for (unsigned i = 0; i < e->shnum; i++) {
		shdr s = shdr_at(e, i);
		if (s.type == SHT_SYMTAB || (s.type == SHT_DYNSYM && best.type != SHT_SYMTAB))
			best = s;
	}
	if (!best.type || best.link >= e->shnum || !fits(e, best.offset, best.size))
		return refuse(e, "no symbol table");
	shdr str = shdr_at(e, best.link);
	size_t n = (size_t)best.size / 24;
	o->symbol = calloc(n + 1, sizeof *o->symbol);
	if (!o->symbol)
		return refuse(e, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = e->p + best.offset + i * 24;
		emu_symbol s = { string_in(e, str.offset, str.size, get(p, 4)), 0, get(p + 16, 8),
			p[4] & 15, p[4] >> 4 };
		uint64_t value = get(p + 8, 8);
		if (!get(p + 6, 2) || !*s.name || !loaded(o, value, s.size))
			continue;
		s.addr = address(o, value);
		o->symbol[o->nsymbols++] = s;
	}
	return true;
}

/* Value of the symbol that a relocation names: its index counts in the section's linked table. */
static bool reloc_symbol(
	const emu_object *o, const elf *e, const shdr *rel, uint64_t index, uint64_t *value)
{
	if (!index) {
		*value = 0;
		return true;
	}
	if (rel->link >= e->shnum)
		return false;
	shdr t = shdr_at(e, rel->link);
	if (!fits(e, t.offset, t.size) || index >= t.size / 24)
		return false;
	const uint8_t *p = e->p + t.offset + index * 24;
	uint64_t v = get(p + 8, 8);
	if (!get(p + 6, 2) || !loaded(o, v, 0))
		return false;
	*value = address(o, v);
	return true;
}

static bool apply_one(const emu_object *o, const elf *e, const shdr *rel, const uint8_t *p)
{
	uint64_t offset = get(p, 8), type = get(p + 8, 4), index = get(p + 12, 4),
		 addend = get(p + 16, 8), x = 0;
	unsigned width = type == R_ABS64 || type == R_RELATIVE64 ? 8 : 4;
	if (type == R_NONE)
		return true;
	uint8_t *at = loaded(o, offset, width);
	if (!at)
		return refuse(e, "a relocation lies outside the segments");
	if (type != R_RELATIVE64 && !reloc_symbol(o, e, rel, index, &x))
		return refuse(e, "a relocation names a symbol that is not defined");
	switch (type) {
	case R_RELATIVE64: x = address(o, addend); break;
	case R_ABS64: case R_ABS32: case R_ABS32_LO: x += addend; break;
	case R_ABS32_HI: x = (x + addend) >> 32; break;
	default:
		emu_error_set(e->err, EMU_EOBJECT, "unknown relocation type %u", (unsigned)type);
		return false;
	}
	for (unsigned i = 0; i < width; i++)
		at[i] = (uint8_t)(x >> (8 * i));
	return true;
}

static bool relocate(const emu_object *o, const elf *e)
{
	for (unsigned i = 0; i < e->shnum; i++) {
		shdr s = shdr_at(e, i);
		if (s.type != SHT_RELA || !(s.flags & SHF_ALLOC))
			continue;
		if (!fits(e, s.offset, s.size))
			return refuse(e, "relocations lie outside the file");
		for (uint64_t j = 0; j + 24 <= s.size; j += 24)
			if (!apply_one(o, e, &s, e->p + s.offset + j))
				return false;
	}
	return true;
}

/* Looks for the metadata in one note segment or section. */
static bool note_in(const elf *e, uint64_t off, uint64_t size, emu_span *desc)
{
	if (!fits(e, off, size))
		return false;
	emu_span s = emu_span_of(e->p + off, (size_t)size);
	while (emu_left(&s) >= 12) {
		uint64_t nn = emu_take_le(&s, 4), dn = emu_take_le(&s, 4),
			 type = emu_take_le(&s, 4);
		const uint8_t *name = emu_take(&s, (size_t)((nn + 3) & ~(uint64_t)3));
		const uint8_t *d = emu_take(&s, (size_t)dn);
		if (s.bad)
			return false;
		if (type == NT_METADATA && nn == 7 && !memcmp(name, "AMDGPU", 7)) {
			*desc = emu_span_of(d, (size_t)dn);
			return true;
		}
		size_t pad = (size_t)(-dn & 3);
		emu_take(&s, pad < emu_left(&s) ? pad : emu_left(&s));
	}
	return false;
}

static bool read_metadata(emu_object *o, const elf *e)
{
	emu_span d = { 0 };
	bool found = false;
	for (unsigned i = 0; i < e->phnum && !found; i++) {
		phdr p = phdr_at(e, i);
		found = p.type == PT_NOTE && note_in(e, p.offset, p.filesz, &d);
	}
	for (unsigned i = 0; i < e->shnum && !found; i++) {
		shdr s = shdr_at(e, i);
		found = s.type == SHT_NOTE && note_in(e, s.offset, s.size, &d);
	}
	if (!found)
		return refuse(e, "no AMDGPU metadata note");
	return emu_read_note(o, d.p, emu_left(&d), e->err);
}

static const emu_symbol *find_symbol(const emu_object *o, const char *name)
{
	for (size_t i = 0; i < o->nsymbols; i++)
		if (!strcmp(o->symbol[i].name, name))
			return &o->symbol[i];
	return NULL;
}

/* Joins what the note says of a kernel with its descriptor. */
static bool make_kernel(emu_object *o, const elf *e, size_t i)
{
	const emu_note_kernel *n = &o->note[i];
	const emu_symbol *s = find_symbol(o, n->symbol);
	uint64_t base = (uint64_t)(uintptr_t)o->image;
	if (!s || s->addr - base > o->image_size || o->image_size - (s->addr - base) < 64) {
		emu_error_set(e->err, EMU_EOBJECT, "no symbol %.100s for kernel %.100s", n->symbol,
			n->name);
		return false;
	}
	const uint8_t *kd = (const uint8_t *)(uintptr_t)s->addr;
	uint64_t entry = s->addr + get(kd + 16, 8);
	const emu_code *c = NULL;
	for (size_t j = 0; j < o->ncode; j++)
		if (entry - o->code[j].addr < o->code[j].size)
			c = &o->code[j];
	if (!c || entry & 3) {
		emu_error_set(e->err, EMU_EOBJECT,
			"the descriptor of kernel %.100s does not point to code", n->name);
		return false;
	}
	o->kernel[i] = (emu_kernel){
		.name = n->name, .object = o, .descriptor = s->addr, .entry = entry,
		.kernarg_size = n->kernarg_size, .kernarg_align = n->kernarg_align,
		.group_size = (uint32_t)get(kd, 4), .private_size = (uint32_t)get(kd + 4, 4),
		.dynamic_stack = get(kd + 56, 2) >> 11 & 1, .max_workgroup = n->max_workgroup, .sgprs = n->sgprs, .vgprs = n->vgprs,
		.wave = o->dev->target.wave_bits & 32 && get(kd + 56, 2) >> 10 & 1 ? 32 : 64,
		.args = n->args, .nargs = n->nargs,
	};
	return true;
}

static bool make_kernels(emu_object *o, const elf *e)
{
	o->kernel = calloc(o->nkernels + 1, sizeof *o->kernel);
	if (!o->kernel)
		return refuse(e, "out of memory");
	for (size_t i = 0; i < o->nkernels; i++)
		if (!make_kernel(o, e, i))
			return false;
	return true;
}

static void read_debug(emu_object *o, const elf *e)
{
	emu_debug d = { 0 };
	for (unsigned i = 0; i < e->shnum; i++) {
		shdr s = shdr_at(e, i);
		if (s.type == 8 || !fits(e, s.offset, s.size))
			continue;
		emu_span span = emu_span_of(e->p + s.offset, (size_t)s.size);
		if (!strcmp(s.name, ".debug_line"))
			d.line = span;
		else if (!strcmp(s.name, ".debug_line_str"))
			d.line_str = span;
		else if (!strcmp(s.name, ".debug_str"))
			d.str = span;
	}
	if (d.line.p)
		emu_read_lines(o, &d);
}

static bool read_object(emu_object *o, emu_error *err)
{
	elf e = { .p = o->elf, .n = o->elf_size, .err = err };
	if (!read_header(&e) || !check_target(&e, &o->dev->target) || !load_segments(o, &e) ||
		!read_symbols(o, &e) || !relocate(o, &e) || !read_metadata(o, &e) ||
		!make_kernels(o, &e))
		return false;
	read_debug(o, &e);
	return true;
}

emu_status emu_load(emu_device *d, const void *p, size_t n, emu_object **out, emu_error *err)
{
	if (!d || !p || !out)
		return emu_error_set(err, EMU_EARG, "no device or no bytes");
	*out = NULL;
	emu_object *o = calloc(1, sizeof *o);
	uint8_t *copy = o ? malloc(n + 1) : NULL;
	if (!copy) {
		free(o);
		return emu_error_set(err, EMU_ENOMEM, "out of memory");
	}
	memcpy(copy, p, n);
	o->dev = d;
	o->elf = copy;
	o->elf_size = n;
	pthread_mutex_init(&o->lock, NULL);
	if (!read_object(o, err)) {
		emu_unload(o);
		return EMU_EOBJECT;
	}
	pthread_mutex_lock(&d->lock);
	o->next = d->objects;
	d->objects = o;
	pthread_mutex_unlock(&d->lock);
	*out = o;
	return EMU_OK;
}

static void free_notes(emu_object *o)
{
	for (size_t i = 0; o->note && i < o->nkernels; i++) {
		emu_note_kernel *k = &o->note[i];
		for (size_t j = 0; k->args && j < k->nargs; j++)
			free((char *)(uintptr_t)k->args[j].name);
		free(k->args);
		free(k->name);
		free(k->symbol);
	}
	free(o->note);
	free(o->kernel);
}

static void free_decoded(emu_object *o)
{
	for (size_t i = 0; i < o->ncode; i++)
		free(o->code[i].in);
	for (size_t i = 0; i < EMU_CONST_SLOTS; i++)
		for (emu_lanes *l = o->lanes[i], *next; l; l = next) {
			next = l->next;
			free(l);
		}
	for (emu_kept *k = o->kept, *next; k; k = next) {
		next = k->next;
		free(k);
	}
}

void emu_unload(emu_object *o)
{
	if (!o)
		return;
	emu_device *d = o->dev;
	for (size_t i = 0; i < o->nsegments; i++)
		emu_table_remove(d, o->segment[i]);
	pthread_mutex_lock(&d->lock);
	emu_object **p = &d->objects;
	while (*p && *p != o)
		p = &(*p)->next;
	if (*p)
		*p = o->next;
	emu_bury(d, o->raw, o->raw_size);
	pthread_mutex_unlock(&d->lock);
	free_decoded(o);
	free_notes(o);
	for (size_t i = 0; i < o->nfiles; i++)
		free(o->file[i]);
	free(o->file);
	free(o->row);
	free(o->symbol);
	free(o->elf);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

void emu_image(const emu_object *o, uint64_t *start, size_t *size, uint64_t *vaddr)
{
	*start = (uint64_t)(uintptr_t)o->image;
	*size = o->image_size;
	*vaddr = o->vaddr;
}

size_t emu_kernel_count(const emu_object *o) { return o->nkernels; }
const emu_kernel *emu_kernel_at(const emu_object *o, size_t i)
{
	return i < o->nkernels ? &o->kernel[i] : NULL;
}
const emu_kernel *emu_find_kernel(const emu_object *o, const char *name)
{
	for (size_t i = 0; i < o->nkernels; i++)
		if (!strcmp(o->kernel[i].name, name))
			return &o->kernel[i];
	return NULL;
}

size_t emu_symbol_count(const emu_object *o) { return o->nsymbols; }
const emu_symbol *emu_symbol_at(const emu_object *o, size_t i)
{
	return i < o->nsymbols ? &o->symbol[i] : NULL;
}

bool emu_is_variable(const emu_symbol *s) { return s->type == STT_OBJECT; }

bool emu_object_holds(const emu_object *o, uint64_t addr)
{
	return addr - (uint64_t)(uintptr_t)o->image < o->image_size;
}

bool emu_find_global(const emu_object *o, const char *name, uint64_t *addr, size_t *size)
{
	const emu_symbol *s = find_symbol(o, name);
	if (!s || !emu_is_variable(s))
		return false;
	*addr = s->addr;
	*size = (size_t)s->size;
	return true;
}
