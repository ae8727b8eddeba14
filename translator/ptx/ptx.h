/* ptx.h -- a PTX module as a tree, and the functions that make, check and print it.
 * parse makes the tree from text alone; sema resolves names, decodes modifiers against forms.def
 * and checks operands; print writes it back. Manual: "Parallel Thread Execution ISA", 4, 5, 7-11. */
#ifndef PTX_PTX_H
#define PTX_PTX_H
#include "base/base.h"

typedef enum ptx_type {
	PTX_NOTYPE,
	PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
	PTX_U8, PTX_U16, PTX_U32, PTX_U64,
	PTX_S8, PTX_S16, PTX_S32, PTX_S64,
	PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_F32, PTX_F64, PTX_TF32,
	PTX_PRED, PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
	PTX_OTHER_TYPE,         /* e4m3x2, s4, f32x2 ... parsed, known by its modifier, not translated */
	PTX_NTYPES
} ptx_type;
unsigned ptx_type_bits(ptx_type);        /* 1 for pred; 0 for the opaque ones */
const char *ptx_type_name(ptx_type);     /* "u32" */
static inline bool ptx_is_float(ptx_type t) { return t >= PTX_F16 && t <= PTX_TF32; }
static inline bool ptx_is_signed(ptx_type t) { return t >= PTX_S8 && t <= PTX_S64; }

typedef enum ptx_space { PTX_GENERIC, PTX_REG, PTX_PARAM, PTX_GLOBAL, PTX_SHARED, PTX_CONST, PTX_LOCAL, PTX_TEX,
	PTX_SHARED_CLUSTER, PTX_NSPACES } ptx_space;

/* Opcodes and modifiers are the words of opcodes.def and modifiers.def: PTX_OP_bfi, PTX_M_ftz. */
typedef enum ptx_op {
#define PTX_OP(id) PTX_OP_##id,
#include "ptx/opcodes.def"
#undef PTX_OP
	PTX_NOPS
} ptx_op;
typedef enum ptx_mod {
#define PTX_MOD(id, text) PTX_M_##id,
#include "ptx/modifiers.def"
#undef PTX_MOD
	PTX_NMODS
} ptx_mod;
extern const char *const ptx_op_name[PTX_NOPS];
extern const char *const ptx_mod_name[PTX_NMODS];

typedef struct ptx_symbol ptx_symbol;
typedef struct ptx_func ptx_func;
typedef struct ptx_stmt ptx_stmt;

/* Special registers: sregs.def; PTX_SREG_tid_x ... A .x/.y/.z suffix is folded into the id. */
typedef enum ptx_sreg {
#define PTX_SREG(id, text, type) PTX_SREG_##id,
#include "ptx/sregs.def"
#undef PTX_SREG
	PTX_NSREGS
} ptx_sreg;

typedef enum ptx_okind {
	PTX_O_REG,       /* sym: a register; neg: !p ; part 0 or 'x','y','z','w' component; plus ival: r+4 */
	PTX_O_SREG,      /* sreg */
	PTX_O_INT,       /* ival (value in 64 bits), uns: written with U or above s64 range */
	PTX_O_F32,       /* bits in ival: 0f... */
	PTX_O_F64,       /* bits in ival: 0d... and decimal floats */
	PTX_O_SYM,       /* sym: a variable, function or (before sema) any name; plus ival bytes: name+4 */
	PTX_O_LABEL,     /* sym: a label */
	PTX_O_MEM,       /* [base + ival]: sub[0] is a REG, SYM or INT base; part of tex: sub[1..] coordinates */
	PTX_O_VEC,       /* {a, b, ...}: sub[0..nsub) */
	PTX_O_LIST,      /* (a, b, ...) of call */
	PTX_O_PAIR,      /* p|q of setp, shfl, match: sub[0], sub[1] */
	PTX_O_SINK,      /* _ */
} ptx_okind;

typedef struct ptx_operand {
	uint8_t kind;            /* ptx_okind */
	uint8_t neg;             /* 1: !p; 2: -r of vmad; on INT/FLOAT folded away, never set */
	/* REG: component 'x'..'w', or 'b'/'h' for a video selector: its nsub digits are in ival's
	 * nibbles, .b3210 is 0x3210. MEM: 'u' for [a].unified. SYM before sema: '[' for name[ival],
	 * which counts elements, not bytes; of name[r+ival] sub is r. */
	uint8_t part;
	uint8_t uns;             /* INT: as said above; REG, SYM: ival was written, 1 with +, 2 with - */
	uint16_t sreg;
	uint16_t nsub;
	struct ptx_operand *sub;
	const char *name;        /* as written, interned; NULL where there is none */
	ptx_symbol *sym;         /* set by sema */
	int64_t ival;
	diag_loc loc;
} ptx_operand;

enum { PTX_MAX_TYPES = 4, PTX_MAX_MODS = 12 };
typedef struct ptx_inst {
	const char *text;        /* the opcode with all modifiers as written, interned: "bfi.b32" */
	ptx_op op;               /* PTX_NOPS if not a known opcode */
	uint16_t form;           /* row of forms.def, set by sema; ptx_form[form] */
	uint8_t ntypes, nmods;
	uint8_t type[PTX_MAX_TYPES];     /* ptx_type, in the order written */
	uint16_t mod[PTX_MAX_MODS];      /* ptx_mod, in the order written; types are not modifiers */
	ptx_operand guard;       /* kind PTX_O_REG with neg; name NULL: none */
	uint16_t nops;
	ptx_operand *ops;
	uint32_t targets;        /* reserved */
} ptx_inst;
bool ptx_has(const ptx_inst *, ptx_mod);
ptx_space ptx_space_of(const ptx_inst *);        /* of ld, st, atom, cvta ...; PTX_GENERIC if none written */
unsigned ptx_vec_of(const ptx_inst *);           /* 1, 2, 4, 8 */

typedef enum ptx_symkind { PTX_SYM_REG, PTX_SYM_VAR, PTX_SYM_FUNC, PTX_SYM_LABEL, PTX_SYM_PROTO, PTX_SYM_TARGETS } ptx_symkind;
enum { PTX_L_VISIBLE = 1, PTX_L_EXTERN = 2, PTX_L_WEAK = 4, PTX_L_COMMON = 8 };

/* One initializer element, flattened in the order of memory. */
typedef struct ptx_init {
	enum { PTX_I_INT, PTX_I_FLOAT, PTX_I_ADDR } kind;
	uint64_t bits;           /* value, or the addend of an address */
	const char *name;        /* of an address, e.g. generic(name)+bits, mask(name, 0xff..) */
	ptx_symbol *sym;
	uint8_t generic;         /* generic(name) */
	uint8_t mask_byte;       /* 0xff() operators: 1 + byte index; 0 none */
	uint64_t index;          /* element index in the flattened array (missing ones are zero) */
	diag_loc loc;
} ptx_init;

struct ptx_symbol {
	const char *name;        /* interned; parameterised registers are expanded: %r<100> makes r0..r99 lazily */
	ptx_symkind kind;
	ptx_type type;
	ptx_space space;
	uint8_t linkage;         /* PTX_L_* */
	uint8_t vec;             /* .v2 .v4 declarations; 1 */
	bool unsized;            /* extern array of dynamic size: [] */
	bool ptr_attr;           /* .param .ptr */
	ptx_space ptr_space;
	uint32_t align;          /* bytes, natural if not written */
	uint64_t count;          /* elements over all dimensions; 1 for a scalar */
	VEC(uint64_t) dims;
	uint64_t size;           /* bytes */
	VEC(ptx_init) init;
	bool has_init;
	uint32_t index;          /* registers: number within the function; params: position; labels: number */
	ptx_func *func;          /* PTX_SYM_FUNC: its declaration; locals: the owner */
	ptx_stmt *label_at;      /* PTX_SYM_LABEL */
	VEC(ptx_operand) targets;/* .branchtargets / .calltargets list */
	void *user;              /* for lower */
	diag_loc loc;
	bool range;              /* %r<100>: stands for r0..r(count-1); operands never refer to it */
	uint32_t ptr_align;      /* .param .ptr .align; 0: not written */
	const char *attr;        /* .attribute(...), as written */
	const char *init_text;   /* initializer of a texture, sampler or surface, as written */
};

typedef enum ptx_stmtkind { PTX_S_INST, PTX_S_LABEL, PTX_S_LOC, PTX_S_DECL, PTX_S_BLOCK, PTX_S_PRAGMA, PTX_S_OTHER } ptx_stmtkind;
/* Statements of a body in order. Nested scopes are PTX_S_BLOCK with a list of their own. */
struct ptx_stmt {
	ptx_stmt *next;
	ptx_stmtkind kind;
	diag_loc loc;            /* the instruction's span, without the guard's */
	ptx_inst inst;           /* PTX_S_INST */
	ptx_symbol *label;       /* PTX_S_LABEL */
	struct { uint32_t file, line, col; } at;   /* PTX_S_LOC; inlined_at etc. kept in text */
	ptx_stmt *body;          /* PTX_S_BLOCK */
	VEC(ptx_symbol *) decl;  /* PTX_S_DECL: a .reg/.param/.shared/... line, for printing */
	const char *text;        /* as written, for PTX_S_PRAGMA and PTX_S_OTHER (printed back as is);
	                          * of PTX_S_LOC only if there is more than file, line and column */
};

struct ptx_func {
	ptx_symbol *sym;
	bool entry, noreturn, has_body;
	VEC(ptx_symbol *) params, rets;
	struct { bool given; uint32_t v[3]; } maxntid, reqntid;
	uint32_t minnctapersm, maxnreg;          /* 0: not given */
	bool clusters;                           /* .reqnctapercluster of more than one block */
	ptx_stmt *body;
	uint32_t nregs, nlabels;                 /* after sema */
	VEC(ptx_symbol *) locals;                /* .shared .local .param .const variables of the body, all scopes */
	VEC(const char *) directives;            /* all of .maxntid, .noreturn ..., as written */
	uint32_t nbad;                           /* faults so far, of parse, sema, lower */
	diag_loc loc;
	ptx_func *next;
};

typedef struct ptx_file { uint32_t index; const char *name; } ptx_file;
/* What stands at module level, in order, for printing. */
typedef struct ptx_item {
	enum { PTX_ITEM_VAR, PTX_ITEM_FUNC, PTX_ITEM_FILE, PTX_ITEM_TEXT } kind;
	VEC(ptx_symbol *) vars;
	ptx_func *func;
	const char *text;        /* .section, .pragma, .alias ...: as written */
	ptx_file file;
	diag_loc loc;
} ptx_item;

/* .alias name, of; */
typedef struct ptx_alias { const char *name, *of; diag_loc loc; } ptx_alias;

typedef struct ptx_module {
	arena *A;
	intern *names;
	diag_sink *diags;
	uint32_t source;         /* index in diags->src */
	unsigned version_major, version_minor;
	unsigned address_size;   /* 32, 64, or 0: not written */
	diag_loc address_loc;
	const char *target;      /* as written: "sm_75, debug" */
	unsigned sm;             /* 75 */
	VEC(ptx_item) items;
	VEC(ptx_file) files;
	VEC(ptx_alias) aliases;
	ptx_func *funcs, **func_tail;
	VEC(ptx_symbol *) vars;  /* module-level .global .const .shared .local; after sema without ranges, with functions' .global .const */
	uint32_t nbad;           /* faults found by parse and sema outside of every function */
	uint32_t nwithin;        /* errors reported by parse in functions whose ends are certain: the rest is read rightly */
} ptx_module;

/* Parses one source. Always returns a module (what could be read); diags->nerrors says if it is whole. */
ptx_module *ptx_parse(arena *, intern *, diag_sink *, uint32_t source);
/* Resolves and checks. Every fault is reported on its instruction and counted in func->nbad;
 * a known PTX form that p2a cannot translate is not a fault here (lower refuses it). */
void ptx_sema(ptx_module *);
void ptx_print(const ptx_module *, buf *);
void ptx_print_inst(const ptx_inst *, buf *);

/* forms.def: one row a PTX form, in the order and spelling of NVIDIA's manual. */
typedef struct ptx_form_info {
	ptx_op op;
	const char *pattern;     /* e.g. "bfi.{b32,b64} d, a, b, c, d" as printed by `p2a ptx-forms` */
	bool translated;         /* can lower translate it */
	const char *section;     /* of the PTX manual */
} ptx_form_info;
extern const ptx_form_info ptx_form[];
extern const size_t ptx_nforms;
#endif
