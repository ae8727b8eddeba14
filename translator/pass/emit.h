/* emit.h -- what branch.c and emit.c share. Nobody else includes it.
 * Offsets and sizes are dwords from the kernel's first instruction. */
#ifndef PASS_EMIT_H
#define PASS_EMIT_H
#include "pass/pass.h"

/* A branch to a block, in the order of the code. */
typedef struct em_branch {
	ir_inst *inst;
	uint32_t target;        /* block id */
	uint32_t at;            /* offset */
	bool far;               /* through s_setpc_b64 */
	bool padded;            /* with an s_nop behind it (BRANCH_3F) */
} em_branch;

typedef struct em_layout {
	VEC(em_branch) branches;
	uint32_t *block_at;
	uint32_t size;
} em_layout;

/* Drops branches to the next instruction and places all blocks. i->num of every instruction holds its
 * size, of a branch that of its short form. False: a branch cannot reach its target. */
bool em_place(ir_func *, em_layout *);
enum { EM_FAR_SIZE = 5, EM_FAR_COND_SIZE = EM_FAR_SIZE + 1 };
bool em_is_conditional(const ir_inst *);
unsigned em_inverse(unsigned op);       /* the branch on the opposite condition */
uint32_t em_branch_size(const em_branch *);
#endif
