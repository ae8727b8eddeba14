/* object.h -- a loaded code object, for the files that read one: elf.c, note.c, line.c, decode.c.
 * Needs machine.h. Everything that the readers are given is hostile: every offset is checked.
 * ELF-64 object file format; LLVM's AMDGPU guide, "Code Object". */
#ifndef EMU_OBJECT_H
#define EMU_OBJECT_H
#include "emu/machine.h"

/* A span of bytes that is read from the front; reads past the end set bad and give zeros. */
typedef struct emu_span {
	const uint8_t *p, *end;
	bool bad;
} emu_span;
static inline emu_span emu_span_of(const uint8_t *p, size_t n)
{
	return (emu_span){ p, p + n, false };
}
static inline size_t emu_left(const emu_span *s) { return (size_t)(s->end - s->p); }
const uint8_t *emu_take(emu_span *, size_t n);      /* NULL and bad where there is less */
uint64_t emu_take_le(emu_span *, unsigned bytes);   /* little-endian, at most 8 bytes */
uint64_t emu_take_be(emu_span *, unsigned bytes);
uint64_t emu_take_uleb(emu_span *);
int64_t emu_take_sleb(emu_span *);
/* NUL-terminated; "" and bad where there is no end */
const char *emu_take_str(emu_span *);

/* What the note says of one kernel, before its symbol is looked up. */
typedef struct emu_note_kernel {
	char *name, *symbol;
	uint32_t kernarg_size, kernarg_align, group_size, private_size, max_workgroup, wave, sgprs,
		vgprs;
	emu_arg *args;
	size_t nargs;
} emu_note_kernel;

typedef struct emu_line_row {
	uint64_t addr;
	/* file: index into the object's names; line 0: end of a sequence */
	uint32_t file, line;
} emu_line_row;

enum { EMU_MAX_SEGMENTS = 16, EMU_CONST_SLOTS = 1024 };

typedef struct emu_lanes {       /* a constant in every lane */
	struct emu_lanes *next;
	uint64_t value;
	alignas(64) uint32_t lane[2 * EMU_LANES];
} emu_lanes;
typedef struct emu_kept {
	struct emu_kept *next;
	p2a_inst inst;
	emu_in second;               /* of a pair */
} emu_kept;

struct emu_object {
	emu_device *dev;
	emu_object *next;
	uint8_t *elf;                /* our copy of the file */
	size_t elf_size;
	uint8_t *image, *raw;        /* the segments as loaded; the allocation that they lie in */
	uint64_t vaddr;              /* of the image's first byte */
	size_t image_size, raw_size;
	uint64_t segment[EMU_MAX_SEGMENTS];     /* addresses in the device's table */
	size_t nsegments;
	emu_code code[EMU_MAX_SEGMENTS];
	size_t ncode;
	emu_symbol *symbol;
	size_t nsymbols;
	emu_note_kernel *note;
	emu_kernel *kernel;
	size_t nkernels;
	emu_line_row *row;           /* sorted by address */
	char **file;
	size_t nrows, nfiles;
	pthread_mutex_t lock;        /* guards decoding */
	emu_lanes *lanes[EMU_CONST_SLOTS];
	emu_kept *kept;
};

/* elf.c */
bool emu_object_holds(const emu_object *, uint64_t addr);
bool emu_is_variable(const emu_symbol *);
/* note.c: reads the metadata map; false with a reason where it is malformed. */
bool emu_read_note(emu_object *, const uint8_t *p, size_t n, emu_error *);
/* line.c: reads .debug_line; what it cannot read it leaves out. */
typedef struct emu_debug {
	emu_span line, line_str, str;
} emu_debug;
void emu_read_lines(emu_object *, const emu_debug *);
#endif
