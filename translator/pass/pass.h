/* pass.h -- every pass: one function on one kernel, one file each.
 * api.c's pipeline[] is the only place where their order is written. A pass that meets the user's
 * fault reports it in f->mod->diags; it may leave by arena_fail only when memory is short. */
#ifndef PASS_PASS_H
#define PASS_PASS_H
#include "ir/ir.h"

/* generic */
void p_ssa(ir_func *);          /* mutable values -> SSA with phis; unreachable blocks gone; copies forwarded */
void p_fold(ir_func *);         /* constants, identities, copies, branches on constants, strength; until nothing changes */
void p_cse(ir_func *);          /* dominator-scoped value numbering of pure ops */
void p_dce(ir_func *);          /* unused pure ops, phis, loads that are not volatile */
void p_warp(ir_func *);         /* shfl -> reads of other lanes */
void p_normalize(ir_func *);    /* one return block; critical edges split; loops: one preheader, one latch, contiguous layout */
void p_uniform(ir_func *);      /* val.divergent, block.divergent; cuts temporal divergence by per-lane copies in the loop */
void p_barrier(ir_func *);      /* places where lanes of one wave wait for each other: led through one place; G_meet only where it orders. Or sets wants_body, and nothing else */
void p_field(ir_func *);        /* ptx_bfi*, ptx_bfe*, ptx_bmsk, ptx_szext* -> simple ops, by facts and uniformity (lower/bfi.c rules) */
void p_pack(ir_func *);         /* fields put together in fewer instructions; after field and uniform */
void p_licm(ir_func *);         /* pure operations out of loops, where registers suffice; val.divergent stays true */
/* generic -> machine */
void p_select(ir_func *);
/* machine SSA */
void p_sdwa(ir_func *);         /* masks, shifts and fields of bytes and halves -> selections of SDWA, where the chip has it */
void p_merge(ir_func *);        /* neighbouring loads and stores -> one */
void p_twin(ir_func *);         /* two f32 operations -> one on a pair of registers, where the chip has them */
void p_hoist(ir_func *);        /* moves of constants and scalars out of loops, where registers suffice */
void p_inplace(ir_func *);      /* a byte or half put into a value that dies -> one SDWA move that writes over it; after merge */
void p_schedule(ir_func *);     /* loads before whatever waits for the first of them, as far as registers suffice */
/* machine */
void p_unssa(ir_func *);        /* phis -> copies */
void p_linearize(ir_func *);    /* divergent control flow -> EXEC masks; linear edges; only s_branch/s_cbranch left */
void p_mode(ir_func *);         /* MODE register: rounding and denormals around float instructions */
void p_regalloc(ir_func *);     /* registers, spills, P_copy expanded, prologue for scratch */
void p_waitcnt(ir_func *);
void p_dual(ir_func *);         /* independent vector instructions -> pairs (VOPD), gfx11 on */
void p_hazard(ir_func *);
void p_emit(ir_func *);         /* branch distances, bytes, fixups, line rows */

/* shared */
ir_fact *p_facts(ir_func *);    /* one ir_fact a value; SSA form */
ir_fact p_fact_of_inst(const ir_func *, const ir_fact *, const ir_inst *); /* of its result, from facts of its sources; not phi */
/* val.divergent and block.divergent, and nothing else, where loads from one address give one value, but for those whose values
 * `differ` (by value; NULL: none): as for waves of one warp; and as for the chip's waves, for lanes that poll one word wait together. */
void p_uniform_warp(ir_func *, const bool *differ);
void p_uniform_polls(ir_func *, const bool *differ);
/* By block id: may lanes of a wave be there while others, that are yet to come to a heeded block, are not?
 * Who is in one of `stops` (NULL: none) comes no further. Normal form with block.divergent. */
bool *p_parted(ir_func *, const bool *heeded, const bool *stops);
/* Private memory, in which debug builds keep what they compute with: private.c. */
enum { P_ELSEWHERE = -1, P_ANYWHERE = -2 };
typedef struct p_private {
	int64_t *at;             /* by value: where there it points, if it is an address there: bytes from the start, or one of the two */
	ir_opnd *held;           /* by value: what it is, where a load gives what its block has stored just before; else the value itself */
	bool *own;               /* by value: a load gives it that reads private memory for certain */
} p_private;
p_private *p_find_private(ir_func *);                                   /* SSA; NULL: the kernel has none. Arena */
int64_t p_private_place(const p_private *, const ir_inst *);            /* first byte there that a load or store may touch; as `at` */
bool p_private_meet(const p_private *, const ir_inst *, const ir_inst *); /* may two loads or stores touch the same byte there? */
bool *p_private_loads(ir_func *);                                       /* by value: may a load have read it there? NULL: none */
/* Loops in which lanes wait for others. WAITS: for something outside; SERVED: for what those do in one turn of it. */
enum { P_SPIN_WAITS = 1, P_SPIN_SERVED = 2 };
uint8_t *p_spins(ir_func *);    /* by id of a cycle's head; NULL: there is none. SSA, normal form, cycles */
bool p_in_cycle(const ir_block *head, ir_block *);
#endif
