/* lower.h -- PTX trees in, generic IR out: one ir_func a kernel.
 * Needs checked modules (ptx_sema); leaves G_* operations on mutable values (IR_V_LOWERED).
 * The second half is for the files of this room. Manual: "Parallel Thread Execution ISA", 5, 7, 9.7. */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H
#include "ir/ir.h"
#include "ptx/ptx.h"

typedef struct lower_options {
	const p2a_target *target;
	p2a_semantics sem;
	unsigned code_object, opt;
	const char *const *entries;      /* only these kernels; NULL: all */
	size_t nentries;
	bool keep_going;                 /* leave out kernels that cannot be translated */
	uint32_t stack;                  /* bytes of a lane's, a multiple of 16 */
} lower_options;

/* The modules of one program, linked. NULL where the program as a whole is at fault (a symbol
 * defined twice, an entry that is not there): see diags. Otherwise a module that holds the kernels
 * that could be translated; the others have been reported, instruction by instruction, and counted in
 * func->nbad. With keep_going each of them is named by a warning and the caller goes on with what is
 * left, although diags->nerrors is not 0. */
ir_module *lower_module(arena *, intern *names, diag_sink *, ptx_module *const *mods, size_t nmods,
	const lower_options *);

/* A kernel of such a module once more, with one body for those kinds of .sync that f->wants_body names; not in the module's list. */
ir_func *lower_again(ir_func *f);

/* builtin.c: PTX of our own for functions that device code may call and no file defines. */
enum { LOWER_BUILTINS = 2 };
p2a_source lower_builtin(unsigned i);
bool lower_is_builtin(const p2a_source *);
bool lower_wants_builtin(ptx_module *const *mods, size_t nmods, unsigned i);

/* ------------------------------------------------------------------ for the files of lower/ */

typedef struct lower lower;

/* How a guard (@p) is applied to a row's instructions. */
enum lower_guard {
	LG_SELECT,       /* compute, then choose between the new value and the register's old one */
	LG_BRANCH,       /* branch around */
	LG_OWN           /* the function looks at L->guard itself */
};

/* One row a group of forms: opcode, first, second and third type, modifiers that the function knows. The
 * first row that covers an instruction takes it; one that no row covers is refused. */
typedef struct lower_row {
	uint16_t op;             /* ptx_op */
	uint8_t guard;           /* enum lower_guard */
	void (*fn)(lower *);
	uint32_t types[3];       /* sets of 1 << ptx_type; [1], [2] 0: no second, third type may be written */
	const uint16_t *mods;    /* ptx_mod, ended by PTX_M_unknown */
	uint16_t g[2];           /* G_* for 32 and 64 bits, or what else the function wants */
} lower_row;
const lower_row *lower_find(const ptx_inst *);   /* NULL: no row covers it */
const char *lower_why(const ptx_inst *);         /* what to say of that: refused.def, or "" */

typedef struct lower_func lower_func;
typedef struct lower_act lower_act;
typedef struct lower_shared lower_shared;

/* What lower keeps of a symbol, in ptx_symbol.user. Owner: the ir_module; the ir_func for what stands
 * at one place in the kernel; the activation for registers, labels and cells. */
typedef struct lower_symbol {
	const void *owner;
	uint32_t val[4];         /* registers: value ids of the components */
	uint32_t var;            /* .global, .const: index into ir_module.vars */
	uint64_t offset;         /* .param, .shared, .local: from the start of the space's block */
	uint32_t named;          /* registers: operands that name it, if L->act->counted */
	bool placed;             /* var or offset is valid */
	bool framed;             /* offset counts from the frame of a function that calls itself */
	bool taken, kernarg;     /* kept whoever owns it: a .param whose address is taken, one of a kernel */
	uint32_t *cell;          /* .param of a call: value ids of its dwords; NULL: it lies in memory */
	lower_func *func;        /* functions, owner ir_module: callgraph.c */
	enum diag_id fault_id;   /* what lo_reject says where it is used: with fault, */
	const char *fault;       /* NULL: it can be used */
	ir_block *block;         /* labels */
} lower_symbol;

/* An operation of the lanes of a warp: from its membermask and sources, its results. */
enum { LOWER_SYNC_IN = 4, LOWER_SYNC_OUT = 2 };
typedef struct lower_sync {
	void (*fn)(lower *, const ir_opnd *in, ir_opnd *out);
	uint8_t nin, nout, width[LOWER_SYNC_OUT];       /* width: results' dwords, 0 a predicate */
} lower_sync;

/* Instructions .sync of one kind have the same qualifiers: lanes of a mask that execute them meet. */
typedef struct lower_kind {
	const ptx_inst *in;      /* the first one */
	uint32_t loc;
	const lower_sync *op;
	uint8_t width[LOWER_SYNC_IN];    /* membermask and sources: dwords, 0 a predicate */
	struct lower_door *door; /* to its one body; NULL: each has its own */
} lower_kind;

/* One translation; L->M etc. are those of the kernel at work. */
struct lower {
	arena *A;
	diag_sink *diags;
	ir_module *M;
	const lower_options *opt;
	ptx_func *pf;            /* the kernel */
	lower_act *act;          /* the body at work: the kernel's, or that of a function it calls */
	ir_func *F;
	ir_builder b;            /* b.b NULL: control cannot come here */
	const ptx_stmt *st;
	const ptx_inst *in;
	const lower_row *row;
	bool has_guard;          /* the instruction has one: */
	ir_opnd guard;           /* B1 */
	bool guarded;            /* lo_set obeys it (LG_SELECT) */
	uint32_t bar_counted, bar_plain; /* barriers of the kernel and its callees, a bit each */
	bool bar_reduces;
	ir_opnd bar_room, bar_turn; /* barrier.c: LDS words, and which of them is in turn; kind 0 not cleared yet */
	bool refused;            /* this instruction cannot be translated, */
	bool reported;           /* and that has been said */
	const char *why;         /* ": what of it", or "" */
	VEC(ir_block *) order;   /* blocks as they stand in the text */
	VEC(struct lower_copy) copies;   /* loaded, to be stored: copy.c */
	struct lower_link *link;
	uint64_t static_bytes;   /* of .global and .const variables so far, each at its alignment */
	uint32_t grid_word;      /* the variable behind %envreg1 and 2: its index + 1; 0: nobody asked */
	uint32_t reserved_shared;   /* where the kernel's %reserved_smem_offset_begin is, if it asks */
	struct lower_lines *lines, *all_lines;
	struct lower_graph *graph;
	struct lower_stack *stack;
	struct lower_shared *shared;     /* of this kernel, in the order of first calls */
	uint32_t written;        /* statements of callees in this kernel */
	VEC(lower_kind) kinds;   /* of .sync in this kernel: sync.c */
};

/* operand.c: PTX operands as values.
 * A value of 8 or 16 bits is a dword whose other bits are undefined until lo_ext. */
void lo_refuse(lower *, const char *why);                 /* why: "" or what of the instruction */
/* The instruction could be translated, but not what it names. id: a message with one name or phrase. */
void lo_reject(lower *, enum diag_id id, const char *what);
void lo_reject_missing(lower *, const char *function);     /* that no file defines */
extern const char lo_narrow_address[];                    /* 32 bits of one, for lo_reject */
ir_opnd lo_src(lower *, unsigned i, ptx_type);            /* source ops[i], the low bits of it */
ir_opnd lo_xsrc(lower *, unsigned i, ptx_type);           /* 8 and 16 bits extended to a dword */
ir_opnd lo_use(lower *, const ptx_operand *, ptx_type);
ir_opnd lo_ext(lower *, ir_opnd, ptx_type);
ir_opnd lo_widen(lower *, ir_opnd w, ptx_type);           /* extended dword to two */
ir_opnd lo_reg(lower *, const ptx_operand *);             /* the register itself */
unsigned lo_reg_bits(const ptx_operand *);                /* 1, 8 .. 128; 0: not a register */
void lo_set(lower *, const ptx_operand *d, ir_opnd v);    /* writes a register; obeys the guard */
void lo_set_ext(lower *, const ptx_operand *d, ir_opnd v, ptx_type); /* v extended to d's width */
void lo_dst(lower *, ir_opnd v);                          /* writes ops[0] */
unsigned lo_nelems(const ptx_operand *);                  /* of {a, b, ..}, a vector; 1 else */
ptx_operand lo_elem(const ptx_operand *, unsigned i);
lower_symbol *lo_symbol(lower *, ptx_symbol *, const void *owner);
bool lo_is_unread(lower *, const ptx_operand *d);         /* nobody else names the register: uses.c */
ir_opnd lo_float(ptx_type, double);                       /* constant of type f32 or f64 */

/* Shorthands: bits, modifiers, floating environment of the instruction at work. */
ptx_type lo_type(const lower *, unsigned i);
unsigned lo_bits(const lower *);                          /* of the first type */
bool lo_is64(const lower *);
bool lo_has(const lower *, ptx_mod);
ptx_space lo_space(const lower *);
ir_fp lo_fp(const lower *);                               /* rounding, ftz, sat as written */
ir_opnd lo_f1(lower *, unsigned gop, ir_fp, ir_opnd);
ir_opnd lo_f2(lower *, unsigned gop, ir_fp, ir_opnd, ir_opnd);
ir_opnd lo_f3(lower *, unsigned gop, ir_fp, ir_opnd, ir_opnd, ir_opnd);
ir_opnd lo_fcmp(lower *, unsigned bits, ir_cc, ir_fp, ir_opnd, ir_opnd);
ir_opnd lo_neg(ir_opnd);                                  /* source modifiers of float operands */
ir_opnd lo_abs(ir_opnd);
ir_opnd lo_sel(lower *, ir_opnd c, ir_opnd then, ir_opnd other); /* by the width of then; B1 too */
ir_opnd lo_sign(lower *, ir_opnd);                        /* all bits the sign bit; W or D */
ir_opnd lo_word(lower *, ir_opnd d, unsigned i);          /* dword of a D */
ir_opnd lo_dword(lower *, ir_opnd, unsigned i);           /* dword i of a value of one to four */

/* half.c: numbers of 16 bits, the low ones of a dword, and pairs of them. */
bool lo_is_half(ptx_type);                                /* f16, bf16, or a pair of them */
bool lo_is_pair(ptx_type);
bool lo_is_bf16(ptx_type);                                /* bf16 or a pair of it */
ir_opnd lo_half_src(lower *, unsigned i, ptx_type, unsigned half);  /* source as f32; .ftz is done to f16 */
ir_opnd lo_from_half(lower *, bool bf16, ir_opnd);        /* as f32 */
ir_opnd lo_half_cmp(lower *, ptx_type, unsigned half, ir_cc);       /* the two sources; .ftz is done to f16 */
ir_opnd lo_to_half(lower *, bool bf16, unsigned rnd, ir_opnd);      /* f32 rounded; NaNs are canonical (f16: with .relu) */
ir_opnd lo_odd_of(lower *, ir_opnd down, ir_opnd up);     /* of one number rounded both ways: rounded to odd */
ir_opnd lo_pair(lower *, ir_opnd low, ir_opnd high);
ir_opnd lo_relu(lower *, ir_opnd);                        /* of 16 bits, if .relu is written */

/* Pieces used by several files. */
ir_opnd lo_tanh(lower *, ir_opnd);                        /* approximately, of f32 */
ir_opnd lo_minmax(lower *, bool is_signed, bool max, ir_opnd a, ir_opnd b);    /* of integers */
ir_opnd lo_mulhi_u64(lower *, ir_opnd a, ir_opnd b);
ir_opnd lo_sreg(lower *, unsigned sreg);
unsigned lo_sreg_part(unsigned sreg, unsigned i);         /* of %tid and other whole vectors: component i */
ir_opnd lo_special(lower *, ir_special);
ir_opnd lo_extreme(lower *, bool max, ir_opnd a, ir_opnd b);  /* min, max of floats with the modifiers written */
ir_opnd lo_address_of(lower *, ptx_symbol *, ptx_type);   /* as mov gives it */
ir_opnd lo_address_sum(lower *, const ptx_operand *, ptx_type);    /* name, name+4, name[r] */
ir_opnd lo_add_index(lower *, ir_opnd base, const ptx_operand *);  /* of name[r] */
const char *lower_lop3_program(unsigned table);           /* postfix: lop3.def */
unsigned lower_condition(const lower *, ptx_type);        /* the comparison written, an ir_cc; 255: none for this type */

/* What the video instructions do with two numbers: row->g[0]. */
enum lower_vop { LV_ADD, LV_SUB, LV_ABSDIFF, LV_MIN, LV_MAX, LV_AVERAGE };

/* copy.c: stores of copies that are due; before anything that may see them, or end the block. */
void lo_finish_copies(lower *);

/* ctrl.c */
void lo_start(lower *, ir_block *);                       /* falls through into that block */
void lo_branch(lower *, ir_opnd cond, ir_block *then, ir_block *other);
void lo_jump(lower *, ir_block *);
void lo_return(lower *);
ir_block *lo_label(lower *, ptx_symbol *);

/* barrier.c: where the barriers' LDS words begin, if the kernel wants any; shared memory ends at `end` so far, afterwards there. */
void lower_bar_meet(lower *, const ptx_func *);           /* for each function that the kernel may come to */
uint64_t lower_bar_room(lower *, uint64_t end);

/* sync.c */
void lo_sync(lower *, const lower_sync *, const ir_opnd *in, ir_opnd *out);     /* in: membermask, sources */
void lower_sync_bodies(lower *);                          /* of the kinds that have one body: after all statements */

/* warp.c */
void lo_meet(lower *, ir_opnd mask, int32_t how);         /* IR_MEET_* */
ir_opnd lo_is_first(lower *);                             /* is this the first active lane of its warp? */
ir_opnd lo_from_first(lower *, ir_opnd v);                /* what that one has */

/* link.c: one name space over all files. */
typedef struct lower_link lower_link;
bool lower_link_all(lower *, ptx_module *const *, size_t nmods);  /* false: reported */
ptx_symbol *lower_resolve(lower *, ptx_symbol *);         /* definition; itself if none */
lower_symbol *lower_variable(lower *, ptx_symbol *);      /* .global and .const */

/* func.c: L->pf's frame, L->F and its entry block. */
bool lower_setup(lower *, const bool *one_body);          /* one_body: by kind of .sync, NULL: none. False: reported */

/* lower.c: statements of a body into L->act. */
void lower_body(lower *, const ptx_stmt *);

/* callgraph.c: who calls whom. A function that cannot come back to itself is written into its
 * callers; the others have one body in a kernel that uses them, and a frame on a stack. */
struct lower_func {
	ptx_func *f;
	const ptx_module *pm;
	VEC(lower_func *) calls;
	uint32_t nstmts;
	uint64_t address;        /* what a pointer to it holds; 0: nobody asks */
	bool indirect;           /* calls through registers */
	/* with faults of their own, which this one comes to; may: by a call through a register only */
	VEC(struct lower_blocked { struct lower_func *f; bool may; }) blocked;
	uint32_t nblocked;       /* of f->nbad: calls of such, which have no message of their own */
	bool recursive;
	uint32_t component;      /* functions that can reach each other share it */
	uint32_t index, low;     /* of the search for components */
	bool open;
	const void *owner;       /* the ir_func that the rest is about */
	lower_shared *shared;
};
void lower_graph_all(lower *, ptx_module *const *, size_t nmods);
lower_func *lower_function(lower *, ptx_symbol *);        /* NULL: no file of the program defines it */
lower_func *lower_pointed(lower *, uint32_t i);           /* the functions with an address; NULL past the end */
/* fn(L, ud, f) for the kernel and each function that it may come to, once each. */
void lower_reachable(lower *, lower_func *kernel, void (*fn)(lower *, void *ud, lower_func *), void *ud);

/* call.c: one body while it is lowered. */
struct lower_act {
	lower_func *func;
	ir_block *leave;         /* where ret goes; NULL: ends the thread */
	unsigned depth;          /* of bodies written into one another */
	uint32_t fp;             /* value id: start of its frame in private memory; 0: it has none */
	ir_opnd cc;              /* CC.CF */
	bool counted;            /* its registers' named is valid: uses.c */
};
bool lower_fits(const ptx_func *, const ptx_func *like);  /* parameters and results of the same sizes */
lower_act *lower_act_new(lower *, lower_func *, ir_block *leave);
void lower_shared_bodies(lower *);                        /* after the kernel's own */

/* door.c: a body that several places of a kernel jump to. */
typedef struct lower_door {
	ir_block *entry;
	ir_opnd number;          /* of the place on the way in */
	uint32_t *arg, *result;  /* value ids of dwords on their way in and out */
	uint32_t nargs, nresults;
	VEC(ir_block *) back;    /* where place number i goes on */
} lower_door;
void lo_copy_to(lower *, uint32_t val, ir_opnd);                        /* a dword */
void lower_door_make(lower *, lower_door *, uint32_t nargs, uint32_t nresults);
ir_opnd *lower_door_enter(lower *, lower_door *, const ir_opnd *word, bool comes_back); /* at a place; gives the results. comes_back: lower_stack_site */
ir_opnd *lower_door_args(lower *, const lower_door *);                  /* in the body */
void lower_door_results(lower *, const lower_door *, const ir_opnd *word);
void lower_door_leave(lower *, const lower_door *, ir_opnd number);     /* at the body's end, when all places are known */

/* param.c: parameters of calls, in cells (values) or in private memory */
bool lo_is_cells(lower *, ptx_symbol *);                  /* of the activation at work */
bool lo_in_memory(const ptx_symbol *);                    /* .param of a call that must lie in memory */
ir_opnd lo_cells_load(lower *, const ptx_symbol *, uint64_t at, unsigned bytes, bool sext);
void lo_cells_store(lower *, const ptx_symbol *, uint64_t at, unsigned bytes, ir_opnd v);
uint32_t lo_dwords(const ptx_symbol *);
enum { LOWER_RESERVED = 512 };                            /* bytes of shared memory from %reserved_smem_offset_begin on */
bool lo_is_reserved(unsigned sreg);                       /* one of %reserved_smem_offset_* */
void lower_frame(lower *, lower_func *, uint64_t bytes);   /* of a function that calls itself */
void lo_param_read(lower *, ptx_symbol *, ir_opnd *w, uint32_t n);     /* its dwords */
void lo_param_write(lower *, ptx_symbol *, const ir_opnd *w, uint32_t n);
void lo_registers_read(lower *, const ptx_operand *, ir_opnd *w, uint32_t n);
void lo_registers_write(lower *, const ptx_operand *, const ir_opnd *w, uint32_t n);
ir_opnd lo_private(lower *, const lower_symbol *);        /* offset in private memory: of .local and such .param */

/* stack.c: private memory behind the variables */
void lower_stack_reset(lower *);
ir_opnd lower_sp(lower *);                                /* the value: byte offset of the first free byte */
void lo_trap(lower *, int why);                           /* the lane faults, for an isa_trap; no block is open behind it */
void lower_stack_check(lower *);                          /* traps where sp has passed the end */
/* A jump to another body, which returns to `back`; comes_back: that may run this one again, so that values live at back are to be kept. */
void lower_stack_site(lower *, ir_block *jump, ir_block *back, bool comes_back);
void lower_stack_body(lower *, uint32_t first, uint32_t end, ir_block *tail, uint32_t site);
void lower_stack_exclude(lower *, uint32_t val);          /* but not this one */
void lower_stack_finish(lower *);

/* lines.c: where an instruction stands. */
typedef struct lower_lines lower_lines;
void lower_files(lower *, const ptx_module *);
void lower_loc_reset(lower *);                            /* at the start of a function */
lower_lines *lower_lines_enter(lower *, const ptx_module *);    /* of a function; what lower_lines_leave wants */
void lower_lines_leave(lower *, const lower_lines *);
void lower_loc(lower *, const ptx_stmt *);                /* .loc */
void lower_at(lower *, const ptx_stmt *);                 /* sets L->b.loc; in a text of our own it stays at the call */
void lower_at_kernel(lower *, const ptx_module *);        /* before a body that several calls share, if it is a text of our own */

/* Rows' functions, by file. */
#define LOWER_FN(name) void name(lower *);
LOWER_FN(lower_binary) LOWER_FN(lower_carry) LOWER_FN(lower_add_sat) LOWER_FN(lower_mul)
LOWER_FN(lower_mad) LOWER_FN(lower_mad_carry) LOWER_FN(lower_mul24) LOWER_FN(lower_mad24)
LOWER_FN(lower_sad) LOWER_FN(lower_neg) LOWER_FN(lower_abs) LOWER_FN(lower_minmax)
LOWER_FN(lower_div) LOWER_FN(lower_logic) LOWER_FN(lower_not) LOWER_FN(lower_cnot)
LOWER_FN(lower_shl) LOWER_FN(lower_shr) LOWER_FN(lower_shf) LOWER_FN(lower_lop3)
LOWER_FN(lower_prmt) LOWER_FN(lower_bfe) LOWER_FN(lower_bfi) LOWER_FN(lower_brev)
LOWER_FN(lower_popc) LOWER_FN(lower_clz) LOWER_FN(lower_bfind) LOWER_FN(lower_szext)
LOWER_FN(lower_bmsk) LOWER_FN(lower_fadd) LOWER_FN(lower_fsub) LOWER_FN(lower_fmul)
LOWER_FN(lower_fma) LOWER_FN(lower_fneg) LOWER_FN(lower_fminmax) LOWER_FN(lower_testp)
LOWER_FN(lower_copysign) LOWER_FN(lower_fdiv) LOWER_FN(lower_frcp) LOWER_FN(lower_fsqrt)
LOWER_FN(lower_rcp_approx) LOWER_FN(lower_div_approx) LOWER_FN(lower_root_approx)
LOWER_FN(lower_lg2) LOWER_FN(lower_ex2) LOWER_FN(lower_sincos) LOWER_FN(lower_tanh)
LOWER_FN(lower_high_approx) LOWER_FN(lower_rsqrt64) LOWER_FN(lower_f32x2) LOWER_FN(lower_fmixed)
LOWER_FN(lower_cvt_tf32) LOWER_FN(lower_half_binary) LOWER_FN(lower_half_fma)
LOWER_FN(lower_half_minmax) LOWER_FN(lower_half_ex2) LOWER_FN(lower_half_tanh)
LOWER_FN(lower_half_sign) LOWER_FN(lower_set_pair) LOWER_FN(lower_cvt_half) LOWER_FN(lower_cvt_pair)
LOWER_FN(lower_cvt_to_fp8) LOWER_FN(lower_cvt_from_fp8) LOWER_FN(lower_cvt_to_four)
LOWER_FN(lower_cvt_pair_random) LOWER_FN(lower_cvt_to_ue8m0) LOWER_FN(lower_cvt_from_ue8m0)
LOWER_FN(lower_setp) LOWER_FN(lower_set) LOWER_FN(lower_selp)
LOWER_FN(lower_slct) LOWER_FN(lower_cvt_int) LOWER_FN(lower_cvt_float) LOWER_FN(lower_cvt_to_int)
LOWER_FN(lower_cvt_from_int) LOWER_FN(lower_cvt_from_half)
LOWER_FN(lower_mov) LOWER_FN(lower_cvta) LOWER_FN(lower_isspacep) LOWER_FN(lower_ld)
LOWER_FN(lower_st) LOWER_FN(lower_fence) LOWER_FN(lower_nothing) LOWER_FN(lower_bra)
LOWER_FN(lower_brx) LOWER_FN(lower_ret) LOWER_FN(lower_exit) LOWER_FN(lower_call)
LOWER_FN(lower_alloca) LOWER_FN(lower_stacksave) LOWER_FN(lower_stackrestore) LOWER_FN(lower_trap)
LOWER_FN(lower_bar) LOWER_FN(lower_bar_warp) LOWER_FN(lower_nanosleep) LOWER_FN(lower_shfl) LOWER_FN(lower_vote) LOWER_FN(lower_match)
LOWER_FN(lower_activemask) LOWER_FN(lower_redux) LOWER_FN(lower_elect)
LOWER_FN(lower_atom) LOWER_FN(lower_red)
LOWER_FN(lower_fns) LOWER_FN(lower_dot) LOWER_FN(lower_pair16) LOWER_FN(lower_cvt_pack)
LOWER_FN(lower_mov_vector) LOWER_FN(lower_cluster_wait)
LOWER_FN(lower_video) LOWER_FN(lower_vset) LOWER_FN(lower_vshift) LOWER_FN(lower_vmad)
LOWER_FN(lower_video_simd) LOWER_FN(lower_vset_simd)
LOWER_FN(lower_cp_async) LOWER_FN(lower_st_bulk) LOWER_FN(lower_createpolicy) LOWER_FN(lower_mapa)
#undef LOWER_FN
#endif
