/* select.h -- what the files of pass select share: operands, uses, emission. Nobody else
 * includes it. select.c walks every block backwards, so that whoever uses a value is written
 * before it: a value all of whose uses went into other instructions is never written. Banks of
 * all values are settled before the walk (sel_banks). */
#ifndef PASS_SELECT_H
#define PASS_SELECT_H
#include "pass/pass.h"

/* How a row of select.def is written. */
typedef struct sel sel;
typedef struct sel_row sel_row;
typedef void sel_fn(sel *, ir_inst *, const sel_row *);

/* Where a uniform result lives: select.def's second column. */
enum { BANK_NONE, BANK_UNI, BANK_VEC, BANK_FOLLOW, BANK_BOOL, BANK_LOAD };

struct sel_row {
	sel_fn *fn;
	uint8_t bank;
	uint16_t salu, valu;     /* OP_*, or NO_OP */
	uint8_t swap;            /* the VALU form takes source 1 first */
};
enum { NO_OP = ISA_NOPS };

struct sel {
	ir_func *f;
	const p2a_target *t;
	ir_builder B;
	const ir_fact *facts;
	uint32_t nfacts;         /* values that facts[] knows */
	unsigned mask_dwords;    /* of a lane mask */
	bool grouping;           /* a glued group is being written: */
	ir_inst *group;          /* its first instruction; moves for later ones go before it */
	ir_inst **twin;          /* by value: the carry operation written with this sum, or vice versa */
	uint32_t kernarg, dispatch, wgid[3], tid[3]; /* values that P_entry writes; 0 not needed */
	bool stores;             /* the kernel writes global memory */
};

const sel_row *sel_row_of(unsigned gop);

/* select_opnd.c: operands and uses */
static inline ir_opnd sel_val(const sel *S, uint32_t v) { return ir_valop(S->f, v); }
static inline ir_opnd sel_dst(const sel *S, const ir_inst *i)
{ return ir_valop(S->f, i->m.arg[0].reg); }
static inline ir_opnd sel_sreg(unsigned sreg, unsigned width)
{ return (ir_opnd){ .kind = P2A_K_SREG, .width = (uint8_t)width, .reg = sreg }; }
static inline ir_opnd sel_off(void) { return (ir_opnd){ .kind = P2A_K_OFF }; }
bool sel_is_v(const sel *, ir_opnd);        /* lies in VGPRs */
bool sel_is_s(const sel *, ir_opnd);        /* value in SGPRs or named scalar register */
ir_opnd sel_new(sel *, unsigned bank, unsigned dwords);
ir_opnd sel_vcc(const sel *);
ir_opnd sel_exec(const sel *);
ir_inst *sel_def(const sel *, ir_opnd);     /* generic, and defines the whole operand; else NULL */
ir_fact sel_fact(const sel *, ir_opnd);
ir_fact sel_source_fact(const sel *, const ir_inst *, unsigned k);
bool sel_imm(ir_opnd, int64_t);             /* is that constant */
bool sel_high_zero(const sel *, const ir_inst *at, ir_opnd); /* the upper dword is constant 0 */
/* Source k of i with copies and parts looked through; moves the count of uses along. */
ir_opnd sel_src(sel *, ir_inst *i, unsigned k);
/* The same as read at `at`, counts left alone. */
ir_opnd sel_peek(const sel *, const ir_inst *at, const ir_inst *i, unsigned k);
/* An operand from sel_src, dword by dword. */
void sel_dwords(sel *, ir_inst *at, ir_opnd, ir_opnd *out);
/* The single-use definition of source k of i by gop that may be done at `at` instead; NULL. */
ir_inst *sel_match(const sel *, const ir_inst *at, const ir_inst *i, unsigned k, unsigned gop);
/* Takes the definition d that `via` uses into `at`. Where via is at, the value loses the use
 * now, else when via, taken in itself, is dropped. Then sel_take gives d's sources. */
void sel_absorb(sel *, const ir_inst *at, const ir_inst *via, ir_inst *d);
/* The same for a d with other users, which stays; false: not from there. */
bool sel_enter(sel *, const ir_inst *at, ir_inst *d);
ir_opnd sel_take(sel *, ir_inst *user, ir_inst *absorbed, unsigned k);
static inline ir_inst *sel_mine(const sel *S, const ir_inst *i, unsigned k, unsigned gop)
{ return sel_match(S, i, i, k, gop); }

/* select_emit.c: machine instructions with legal operands */
void sel_group(sel *);                      /* the following instructions stick together */
void sel_end(sel *);
/* Writes op; sources that the chip does not take are moved first. Results come first in args. */
ir_inst *sel_op(sel *, unsigned op, unsigned nargs, const ir_opnd *args);
ir_inst *sel_inst(sel *, p2a_inst *);        /* the same with modifiers, offsets, cache policy */
/* What sel_op would have to move first: 2 a scalar move, 5 a vector move. */
unsigned sel_cost(const sel *, unsigned op, unsigned nargs, const ir_opnd *args);
bool sel_is_legal(const sel *, const p2a_inst *);                  /* the chip takes it as it is */
ir_inst *sel_op1(sel *, unsigned op, ir_opnd d, ir_opnd a);
ir_inst *sel_op2(sel *, unsigned op, ir_opnd d, ir_opnd a, ir_opnd b);
ir_inst *sel_op3(sel *, unsigned op, ir_opnd d, ir_opnd a, ir_opnd b, ir_opnd c);
ir_inst *sel_cmp(sel *, unsigned op, ir_opnd a, ir_opnd b);       /* s_cmp: no result */
void sel_copy(sel *, ir_opnd d, ir_opnd s); /* any banks */
ir_opnd sel_to_s(sel *, ir_opnd);           /* the value in SGPRs (constants too) */
ir_opnd sel_to_v(sel *, ir_opnd);
ir_opnd sel_scalar(sel *, ir_opnd);         /* SGPRs or a constant */
/* A new temporary of bank that holds the result of op. */
ir_opnd sel_tmp2(sel *, unsigned op, ir_opnd a, ir_opnd b);
ir_opnd sel_tmp3(sel *, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c);

/* select_alu.c */
unsigned sel_log2(uint32_t);
/* Instruction i and one of its sources in one; false: cannot. */
bool sel_fuse(sel *, ir_inst *);
static inline bool sel_is_run(uint64_t x)                  /* ones side by side: s_bfm_b64 makes it */
{ return x && !((x + (x & (0 - x))) & x); }

/* select_bool.c: conditions */
/* Writes, inside a group, what sets SCC by condition source k of i (uniform); true: SCC means
 * false. */
bool sel_scc(sel *, ir_inst *i, unsigned k);
/* Condition source k of i as a lane mask: a value, or VCC written inside the group; *inverted:
 * of its opposite. */
ir_opnd sel_mask(sel *, ir_inst *i, unsigned k, bool *inverted);
ir_opnd sel_mask_of(sel *, ir_opnd);        /* any boolean operand as a mask value or constant */

/* select_fp.c */
ir_opnd sel_fold_mods(ir_opnd, unsigned type); /* constants: neg and abs done; cut to ISA_T_F16 */

/* select_entry.c: what the launch gives */
void sel_entry(sel *);                      /* user SGPRs, work-item ids; f->k */
void sel_lower_specials(ir_func *);         /* ntid, nctaid -> loads from the dispatch packet */
/* The operand that stands for a special; kind NONE: it is computed. */
ir_opnd sel_special(const sel *, const ir_inst *);
void sel_limits(sel *);                     /* f->max_vgprs */

/* select_tidy.c: constants and scalar copies made twice in a block */
void sel_tidy(sel *);

/* select_const.c: which of two literals stands in a register; true: something has changed, tidy again */
bool sel_constants(sel *);

/* select_wide.c */
void sel_add64(sel *, ir_opnd d, ir_opnd a, ir_opnd b);

/* select_mem.c */
bool sel_scalar_load(const sel *, const ir_inst *);
/* The address of source 0 as operands of the instruction; returns what goes into its offset. */
int64_t sel_global_address(sel *, ir_inst *, ir_opnd *vaddr, ir_opnd *saddr);
int64_t sel_flat_address(sel *, ir_inst *, ir_opnd *vaddr);
int64_t sel_ds_address(sel *, ir_inst *, ir_opnd *vaddr);
/* Writes a memory instruction for i: its offset, cache policy and i->mem. */
ir_inst *sel_access(sel *, const ir_inst *i, unsigned op, unsigned nargs, const ir_opnd *args, int64_t offset);

/* select_order.c */
uint16_t sel_cpol(const sel *, const ir_inst *);
void sel_before(sel *, const ir_inst *);    /* what the order of i's access asks for in front of it */
void sel_behind(sel *, const ir_inst *);    /* and after it */

#define SEL(gop, bank, fn, ...) sel_fn sel_do_##fn;
#include "pass/select.def"
#endif
