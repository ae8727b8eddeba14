/* ir.h -- one instruction struct from lowering to bytes.
 * A kernel is a list of blocks of ir_inst. The same struct holds, one after the other:
 *   generic, mutable   lower's output: G_* ops; a value may be written many times
 *   generic, SSA       after pass ssa: one definition a value, G_phi at joins
 *   machine, SSA       after select: OP_* of isa/ops.def and P_*; every value has a bank
 *   machine, mutable   after unssa: no phi; values may be written many times
 *   machine, physical  after regalloc: only P2A_K_* operands
 * Text form: ir_print; `--dump=PASS`. */
#ifndef IR_IR_H
#define IR_IR_H
#include "base/base.h"
#include "isa/isa.h"

/* Opcodes: machine rows, then generic, then pseudo. */
enum ir_op {
	IR_G_BASE = ISA_NOPS,
#define G(id, ...) G_##id,
#include "ir/gops.def"
	/* Pseudo operations of machine form. */
	P_entry,        /* results only: values that the launch puts into registers (val->pin) */
	P_copy,         /* result, source; any width; S to S, S to V, V to V (V to S is v_readfirstlane) */
	P_undef,        /* result: no value */
	P_br,           /* machine form of G_br / G_cbr / G_ret until linearize: */
	P_cbr_uni,      /* source: SGPR holding 0 or 1 (bank S): the whole wave goes one way */
	P_cbr_mask,     /* source: lane mask (bank S, width of the wave) */
	P_cbr_scc,      /* no source: on SCC, set by the instruction just before (nothing may come between) */
	P_ret,
	P_spill, P_reload, /* regalloc's own: m.offset slot */
	P_barrier,      /* expands with its waits in pass waitcnt */
	P_meet,         /* accesses of memory stay on their side; nothing in code, for a wave's come in order: gone after regalloc */
	IR_NOPS
};

/* Operand kinds beside p2a_okind. */
enum {
	IR_K_VAL = 16,   /* reg: value id; imm: first dword inside it; width: dwords read or written */
	IR_K_BLOCK,      /* reg: block id */
	IR_K_SYM         /* reg: index into ir_module.vars; imm: addend */
};
typedef p2a_opnd ir_opnd;

/* Comparison of icmp (all), fcmp (ordered and U*). */
typedef enum ir_cc { IR_EQ, IR_NE, IR_LT, IR_LE, IR_GT, IR_GE,           /* signed, or ordered floats (IR_NE: ordered and different) */
	IR_LO, IR_LS, IR_HI, IR_HS,                                     /* unsigned */
	IR_EQU, IR_NEU, IR_LTU, IR_LEU, IR_GTU, IR_GEU,                 /* or a NaN on either side */
	IR_NUM, IR_NAN } ir_cc;

enum { IR_RN, IR_RZ, IR_RM, IR_RP };
typedef struct ir_fp { uint8_t rnd : 2, ftz : 1, sat : 1; } ir_fp;

typedef enum ir_space { IR_GENERIC, IR_GLOBAL, IR_SHARED, IR_LOCAL, IR_CONST, IR_PARAM } ir_space;
typedef enum ir_scope { IR_CTA, IR_GPU, IR_SYS } ir_scope;
enum { IR_WEAK, IR_RELAXED, IR_ACQUIRE, IR_RELEASE, IR_ACQ_REL };
/* What an atomic operation makes of the memory's value: rmw.def. inc and dec wrap as PTX has it. */
typedef enum ir_rmw { IR_RMW_NONE, IR_RMW_swap, IR_RMW_cas, IR_RMW_add, IR_RMW_and, IR_RMW_or, IR_RMW_xor, IR_RMW_smin, IR_RMW_smax,
	IR_RMW_umin, IR_RMW_umax, IR_RMW_inc, IR_RMW_dec, IR_RMW_fadd, IR_RMW_hadd, IR_RMW_badd, IR_RMW_fmin, IR_RMW_fmax, IR_NRMW } ir_rmw;
typedef struct ir_mem {
	uint8_t space, bytes;    /* bytes 1 2 4 8 12 16 */
	uint8_t rmw;             /* of G_atomic, G_cas: ir_rmw; bytes 4 or 8 */
	uint8_t sext : 1, vol : 1, nc : 1 /* read-only for the kernel's life */;
	uint8_t order : 3, scope : 2;
	uint8_t align;           /* bytes, at least; natural alignment of the PTX access */
} ir_mem;

typedef enum ir_special { IR_TID_X, IR_TID_Y, IR_TID_Z, IR_NTID_X, IR_NTID_Y, IR_NTID_Z, IR_CTAID_X, IR_CTAID_Y, IR_CTAID_Z,
	IR_NCTAID_X, IR_NCTAID_Y, IR_NCTAID_Z, IR_LANEID, IR_DYN_SHARED,
	IR_WARPBASE /* number in the wave of this warp's first lane */, IR_NSPECIAL } ir_special;
/* m.offset of G_barrier: do the lanes of a warp come together (bar.sync, .aligned), or each when it likes? */
enum { IR_BAR_ALIGNED, IR_BAR_FREE };
/* m.offset of G_meet: the lanes' accesses are ordered too; they meet only if something leads them apart; from IR_MEET_KINDS on: the lanes
 * only meet, those of one kind, a number each: .sync instructions with the same qualifiers. */
enum { IR_MEET_ORDERS, IR_MEET_COUNTED, IR_MEET_KINDS };
typedef enum ir_shfl { IR_SHFL_UP, IR_SHFL_DOWN, IR_SHFL_BFLY, IR_SHFL_IDX } ir_shfl;

typedef struct ir_inst ir_inst;
typedef struct ir_block ir_block;
typedef struct ir_func ir_func;
typedef struct ir_module ir_module;

struct ir_inst {
	p2a_inst m;              /* op and operands: results first */
	ir_inst *prev, *next;
	ir_block *block;
	ir_opnd *phi;            /* G_phi: one source a block->preds entry, same order */
	uint32_t loc;            /* index into ir_module.locs; 0 none */
	uint8_t ndefs;           /* arg[0..ndefs) are written */
	uint8_t cc;              /* ir_cc */
	uint8_t sem;             /* p2a_semantics of ptx_bfi, ptx_bfe */
	ir_fp fp;                /* on machine float ops too: what MODE must hold (pass mode) */
	ir_mem mem;              /* on machine memory ops too */
	bool fresh;              /* machine SSA: this write of part of a value is its first (the rest is undefined) */
	bool glue;               /* stays right after its predecessor instruction (SCC, VCC, EXEC sequences) */
	uint32_t num;            /* scratch for passes: position */
};

/* Banks. IR_BANK_S also holds lane masks (is_mask) and uniform booleans (0 or 1). */
enum { IR_BANK_NONE, IR_BANK_S, IR_BANK_V };
typedef struct ir_val {
	uint8_t dwords;          /* 0: lane boolean (B1) in generic form */
	uint8_t bank;            /* IR_BANK_NONE in generic form */
	bool is_mask;            /* machine: bits of lanes that are not active are undefined */
	bool divergent;          /* set by pass uniform */
	int16_t pin;             /* register it arrives in (P_entry); -1 none */
	ir_inst *def;            /* SSA forms; NULL if none or many */
	uint32_t nuses;          /* kept by ir_count_uses */
	uint32_t var;            /* scratch for passes */
} ir_val;

struct ir_block {
	uint32_t id;             /* index into func->blocks: the layout order */
	ir_inst *first, *last;
	VEC(ir_block *) preds, succs;           /* where a lane goes (logical) */
	VEC(ir_block *) lpreds, lsuccs;         /* where the program counter goes (linear); after linearize */
	ir_block *idom, *ipdom;                 /* ir_dominators */
	ir_block *loop;          /* header of the innermost loop that holds it; a header names itself */
	ir_block *outer;         /* header: of the loop around it */
	uint32_t depth;          /* loop nesting, 0 outside */
	bool irreducible;        /* lies in a cycle with several entries */
	bool divergent;          /* its terminator's condition is per-lane */
	uint32_t mark;           /* scratch */
	const char *label;       /* PTX label, for dumps; may be NULL */
	ir_func *func;           /* whose block it is; set by ir_new_block */
	uint32_t dom_in, dom_out;/* ir_dominators: preorder number in the dominator tree, and past its last descendant */
	ir_block *cycle;         /* ir_loops: head of the innermost cycle around it, natural or irreducible, that it does not head itself */
	bool heads_cycle;        /* the block of a cycle that a walk from the entry meets first; of a natural loop, its header */
};

/* A source place: module.locs[0] is none. */
typedef struct ir_loc { diag_loc span; uint32_t file, line, col; } ir_loc;

struct ir_func {
	ir_module *mod;
	arena *A;
	const p2a_target *target;
	const char *name;
	diag_loc loc;            /* of the kernel's declaration */
	ir_block *entry;
	VEC(ir_block *) blocks;  /* in layout order; blocks.a[i]->id == i */
	VEC(ir_val) vals;        /* vals.a[0] is unused: value ids start at 1 */
	uint32_t kernarg_size, kernarg_align;
	VEC(struct ir_param { uint32_t offset, size; const char *name; }) params;
	uint32_t lds_static;     /* bytes of static shared memory; dynamic starts there, 16-aligned */
	bool lds_dynamic;
	uint32_t local_size;     /* bytes a lane of .local variables; spills are added behind by regalloc */
	uint32_t max_threads;    /* of a workgroup: .maxntid/.reqntid, else 1024 */
	uint32_t reqntid[3];     /* 0: not given */
	bool shared_bodies;      /* has bodies of functions that several places jump to: lanes that come together leave at different times */
	bool in_step;            /* has shfl or vote without .sync: written for chips before sm_70, whose lanes do not wait for each other */
	uint32_t nkinds;         /* of .sync: IR_MEET_KINDS .. */
	const bool *one_body;    /* by kind: its instructions jump to one body; NULL: none's */
	const bool *wants_body;  /* from pass barrier: the kernel is to be lowered again with these as one_body; NULL: it is right */
	void *made_of;           /* lower's */
	bool lanes_known;        /* val.divergent is right: pass uniform has run */
	uint32_t min_groups;     /* .minnctapersm: workgroups that are to have room on a CU at once; 0: not given */
	uint32_t max_vgprs;      /* before select: .maxnreg or 0; then the limit from that, max_threads and min_groups */
	/* set by passes, read by obj */
	struct {
		bool kernarg_ptr, dispatch_ptr, flat_scratch_init, private_segment_buffer, wgid[3], scratch;
		uint8_t wid;             /* work-item id dimensions - 1 */
		uint8_t user_sgprs;      /* as written to the descriptor (with padding of the gfx1100 bug) */
		uint32_t vgprs, sgprs;   /* used, counting from 0 (sgprs without VCC) */
		bool uses_vcc;
		uint32_t scratch_size;   /* bytes a lane, locals and spills */
		uint32_t vgpr_spills, sgpr_spills;
		uint8_t round32, round64, denorm32, denorm64; /* MODE at entry */
		uint32_t instructions;
		int16_t flat_scratch_sgpr, wave_offset_sgpr; /* what select pins for the scratch prologue; -1 (or 0, 0) none */
		int16_t branch_sgpr;     /* pair kept free for long branches, by regalloc; -1 none */
	} k;
	/* machine code, from pass emit */
	buf code;
	/* The dword at code offset `offset` becomes the low (high) half of
	 * address of var + addend - address of code offset `pc` (the instruction behind s_getpc_b64). */
	VEC(struct ir_fixup { uint32_t offset, pc, var; int64_t addend; bool high; }) fixups;
	VEC(struct ir_line { uint32_t offset; uint32_t loc; }) lines;
};

/* A module-level .global / .const variable. */
typedef struct ir_var {
	const char *name;
	uint64_t size;
	uint32_t align;
	bool constant, exported;
	const uint8_t *data;     /* NULL: zero-filled */
	VEC(struct ir_reloc { uint64_t offset; uint32_t var; int64_t addend; }) relocs; /* 8-byte addresses */
} ir_var;

struct ir_module {
	arena *A;
	intern *names;
	diag_sink *diags;
	const p2a_target *target;
	p2a_semantics sem;
	unsigned code_object, opt;
	VEC(ir_func *) funcs;
	VEC(ir_var) vars;
	VEC(ir_loc) locs;
	VEC(const char *) files; /* names for the line table; ir_loc.file indexes it */
	buf *dump;               /* NULL: no dump */
	void *lowered_by;        /* lower's */
};

/* Tables about generic and pseudo ops. */
typedef enum ir_type { IR_T_NONE, IR_T_B1, IR_T_W, IR_T_D, IR_T_T, IR_T_Q, IR_T_X } ir_type;
enum { IR_PURE = 1, IR_COMM = 2, IR_DIV = 4, IR_UNI = 8, IR_SIDE = 16, IR_TERM = 32, IR_FP = 64, IR_CC = 128, IR_MEM = 256,
       IR_CONV = 512 };
typedef struct ir_ginfo { const char *name; uint8_t dst, nsrc; uint8_t src[4]; uint16_t flags; } ir_ginfo;
const ir_ginfo *ir_ginfo_of(unsigned op);           /* G_* only; NULL otherwise */
const char *ir_op_name(const ir_func *, unsigned op);
bool ir_is_generic(unsigned op);
bool ir_is_machine(unsigned op);
bool ir_is_term(unsigned op);
bool ir_is_glued(const ir_inst *);                  /* to the instruction before or behind it */
bool ir_is_convergent(const ir_inst *);              /* reads other lanes: removable, not movable */
/* The row of ops.def for an atomic access of that rmw, bytes, space and scope, giving the old value or not (then one that gives
 * it may come, if the chip has no other); ISA_NOPS: the chip has none. */
unsigned ir_rmw_op(const p2a_target *, const ir_mem *, bool returns);
unsigned ir_dot_op(const p2a_target *, unsigned gop);       /* the row for G_dot4_*; ISA_NOPS: the chip has none */
bool ir_reads_constant(const ir_inst *);             /* of an access: memory that nothing writes while the kernel runs */
bool ir_replaces_part(const ir_inst *);              /* machine: what its result held stays in part; DPP apart */
bool ir_is_pure(const ir_inst *);                   /* removable when unused; machine ops by their row's effects */
/* Folds a G_* op whose sources are all constants; false: cannot be folded. */
bool ir_eval(const ir_inst *, const uint64_t src[4], uint64_t *result);

/* Operands. 32-bit constants are kept sign-extended, 64-bit ones whole, booleans 0 or 1. */
ir_opnd ir_i1(bool);
ir_opnd ir_i32(uint32_t);
ir_opnd ir_i64(uint64_t);
ir_opnd ir_valop(const ir_func *, uint32_t val);            /* the whole value */
ir_opnd ir_part(ir_opnd val, unsigned first, unsigned n);   /* dwords first..first+n of a value or constant */
ir_opnd ir_plain_const(unsigned gop, ir_opnd);              /* a float constant with P2A_NEG, P2A_ABS done; others as they are */
static inline bool ir_is_val(ir_opnd o) { return o.kind == IR_K_VAL; }
static inline bool ir_is_imm(ir_opnd o) { return o.kind == P2A_K_IMM; }
/* Do they share a dword of one value? */
static inline bool ir_overlap(ir_opnd a, ir_opnd b)
{ return ir_is_val(a) && ir_is_val(b) && a.reg == b.reg && a.imm < b.imm + b.width && b.imm < a.imm + a.width; }
bool ir_same(ir_opnd, ir_opnd);

/* Values and blocks. */
uint32_t ir_new_val(ir_func *, unsigned dwords);            /* 0 dwords: lane boolean; no bank */
uint32_t ir_new_reg(ir_func *, unsigned bank, unsigned dwords);
ir_block *ir_new_block(ir_func *);                          /* appended to blocks */
void ir_link(ir_block *from, ir_block *to);                 /* adds a logical edge */
void ir_insert(ir_block *, ir_inst *before, ir_inst *);     /* before NULL: at the end */
void ir_remove(ir_inst *);
void ir_renumber_blocks(ir_func *);                         /* ids from the order of blocks.a */
ir_inst *ir_terminator(const ir_block *);                   /* last instruction if it ends the block */

/* Builder: where and with which source line new instructions go. */
typedef struct ir_builder { ir_func *f; ir_block *b; ir_inst *before; uint32_t loc; } ir_builder;
ir_inst *ir_emit(ir_builder *, unsigned op, unsigned ndefs, unsigned nargs, const ir_opnd *args);
ir_opnd ir_gen(ir_builder *, unsigned gop, unsigned nsrc, const ir_opnd *src);  /* new value of the row's type */
void ir_gen_to(ir_builder *, ir_opnd dst, unsigned gop, unsigned nsrc, const ir_opnd *src);
ir_inst *ir_last(ir_builder *);                             /* the instruction emitted last (to set cc, fp, mem) */
static inline ir_opnd ir_g0(ir_builder *B, unsigned op) { return ir_gen(B, op, 0, NULL); }
static inline ir_opnd ir_g1(ir_builder *B, unsigned op, ir_opnd a) { return ir_gen(B, op, 1, &a); }
static inline ir_opnd ir_g2(ir_builder *B, unsigned op, ir_opnd a, ir_opnd b)
{ ir_opnd s[2]; s[0] = a; s[1] = b; return ir_gen(B, op, 2, s); }
static inline ir_opnd ir_g3(ir_builder *B, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c)
{ ir_opnd s[3]; s[0] = a; s[1] = b; s[2] = c; return ir_gen(B, op, 3, s); }
static inline ir_opnd ir_g4(ir_builder *B, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c, ir_opnd d)
{ ir_opnd s[4]; s[0] = a; s[1] = b; s[2] = c; s[3] = d; return ir_gen(B, op, 4, s); }
ir_opnd ir_icmp(ir_builder *, unsigned bits, ir_cc, ir_opnd, ir_opnd);
/* Machine instruction with given operands (results first); enc AUTO. */
ir_inst *ir_m(ir_builder *, unsigned op, unsigned nargs, ...); /* nargs operands of type ir_opnd, by value */

/* Analyses. */
void ir_count_uses(ir_func *);                              /* nuses, and def in SSA forms */
void ir_dominators(ir_func *);                              /* idom, ipdom over logical edges */
void ir_loops(ir_func *);                                   /* loop, outer, depth, irreducible, cycle */
ir_block **ir_rpo(ir_func *, uint32_t *n);                  /* reachable blocks in reverse postorder */
/* a is b or lies on every path from the entry to b; both reachable. */
static inline bool ir_dominates(const ir_block *a, const ir_block *b)
{ return a->dom_in <= b->dom_in && b->dom_in < a->dom_out; }
void ir_prune(ir_func *);                                   /* takes unreachable blocks out, with their edges and phi sources */
/* What is known of a value in SSA form: bits known 0 and 1, unsigned bounds. Set by pass facts. */
typedef struct ir_fact { uint64_t zero, one, lo, hi; } ir_fact;
ir_fact ir_fact_of(const ir_func *, const ir_fact *facts, ir_opnd);   /* of an operand (constants too) */
ir_fact ir_fact_none(unsigned dwords);                      /* nothing known of a value of 0 (boolean), 1, 2 dwords */
ir_fact ir_fact_const(uint64_t x);                          /* x cut to the value's width */
ir_fact ir_fact_tidy(ir_fact);                              /* what bits and bounds say of each other */
ir_fact ir_fact_dword(ir_fact, unsigned first);             /* of one dword of a value of two */
static inline bool ir_fact_is_const(ir_fact f) { return f.lo == f.hi; }

void ir_print(const ir_func *, buf *);
void ir_print_inst(const ir_func *, const ir_inst *, buf *);
/* NULL if all invariants of the form hold, else what is wrong (arena string). stage: IR_V_*. */
enum { IR_V_LOWERED, IR_V_SSA, IR_V_MACHINE_SSA, IR_V_MACHINE, IR_V_LINEAR, IR_V_PHYSICAL };
const char *ir_verify(ir_func *, int stage);
#endif
