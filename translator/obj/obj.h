/* obj.h -- from kernels with machine code to a code object, or to assembly text.
 * layout.c decides sections, addresses and symbols; kd.c, note.c, dwarf.c make what stands in them;
 * elf.c writes the file by libelf; asm.c writes the same program as text.
 * LLVM, "User Guide for AMDGPU Backend", Code Object; ELF gABI. */
#ifndef OBJ_OBJ_H
#define OBJ_OBJ_H
#include "ir/ir.h"

/* Writes the program to out. On a fault a diagnostic is added and out stays as it was. */
void obj_write(ir_module *, buf *out);
void obj_asm(ir_module *, buf *out);

/* ---- between the files of this room ---- */

enum { OBJ_KD_SIZE = 64, OBJ_CODE_ALIGN = 256, OBJ_PAGE = 0x1000 };

typedef enum obj_sec {
	SEC_NULL, SEC_NOTE, SEC_DYNSYM, SEC_HASH, SEC_DYNSTR, SEC_RELA, SEC_RODATA, SEC_TEXT, SEC_DYNAMIC, SEC_DATA, SEC_BSS,
	SEC_DEBUG_ABBREV, SEC_DEBUG_INFO, SEC_DEBUG_LINE, SEC_SYMTAB, SEC_STRTAB, SEC_SHSTRTAB, SEC_COUNT
} obj_sec;

typedef struct obj_section {
	const char *name;
	uint32_t type, flags, link, info, align, entsize;
	uint64_t addr, offset, size;    /* size beyond data.n only for .bss */
	buf data;
	uint32_t name_at;               /* in .shstrtab */
} obj_section;

typedef struct obj_segment { uint32_t type, flags, align; uint64_t offset, addr, filesz, memsz; } obj_segment;

typedef struct obj_symbol {
	const char *name;
	uint8_t bind, type, visibility;
	uint16_t section;
	uint64_t value, size;           /* value: offset in the section until layout is done, then address */
} obj_symbol;

typedef struct obj_image {
	ir_module *mod;
	uint32_t flags;                 /* e_flags */
	uint8_t abi;                    /* EI_ABIVERSION */
	obj_section sec[SEC_COUNT];
	VEC(obj_segment) seg;
	VEC(obj_symbol) syms;           /* locals first */
	uint32_t nlocals;
	uint32_t *code_at;              /* by kernel: offset in .text */
	obj_symbol *var_at;             /* by variable: section and offset, then address */
} obj_image;

/* The 64 bytes of a kernel descriptor; entry: distance from the descriptor to the code. */
void obj_kernel_descriptor(const ir_func *, int64_t entry, buf *out);
uint32_t obj_rsrc1(const ir_func *), obj_rsrc2(const ir_func *), obj_rsrc3(const ir_func *);
uint16_t obj_properties(const ir_func *);
uint32_t obj_accum_offset(const ir_func *);
/* The metadata map: msgpack for the note, or the same as YAML for `.amdgpu_metadata`. */
void obj_metadata(const ir_module *, bool yaml, buf *out);
const char *obj_target_id(const ir_module *);   /* "amdgcn-amd-amdhsa--gfx90a:xnack-" */
uint32_t obj_elf_flags(const p2a_target *);
/* DWARF 4: one compilation unit with a line table over all kernels; addresses are final. */
void obj_dwarf(const ir_module *, uint64_t text, const uint32_t *code_at, buf *abbrev, buf *info, buf *line);
void obj_layout(ir_module *, obj_image *);
bool obj_elf(const obj_image *, buf *out);      /* false: libelf or the system refused */
#endif
