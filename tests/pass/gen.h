/* gen.h -- random machine programs as they come out of linearize: nested uniform and divergent ifs and
 * loops, tuples, partial writes, lane masks, carries, copies, loads. They end, read nothing undefined
 * and store all that they hold at their end. */
#ifndef TESTS_PASS_GEN_H
#define TESTS_PASS_GEN_H
#include "pass/pass.h"

typedef struct gen_options {
	uint64_t seed;
	unsigned scalars, vectors, masks;       /* values alive all the time */
	unsigned statements;                    /* about so many, by block of the text */
	unsigned depth;                         /* of nesting */
	unsigned max_vgprs;                     /* 0: all */
	bool real_memory;                       /* only instructions that encode */
} gen_options;

/* Set up to allocate from A and to come back to the caller's jmp_buf when memory is short. */
ir_func *gen_new(arena *A, const p2a_target *, const char *name);
ir_func *gen_program(arena *A, const p2a_target *, const gen_options *);

/* Linear (and logical) edge. */
void gen_edge(ir_func *, ir_block *from, ir_block *to, bool linear, bool logical);
uint32_t gen_random(uint64_t *seed, uint32_t n);
#endif
