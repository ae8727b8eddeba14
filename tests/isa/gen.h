/* gen.h -- random legal instructions, for the tests of isa/.
 * Needs isa/; leaves what p2a_check accepts. Deterministic: the caller owns the seed. */
#ifndef TESTS_ISA_GEN_H
#define TESTS_ISA_GEN_H
#include "isa/layout.h"

typedef struct gen {
	const p2a_target *t;
	uint64_t seed;
} gen;

uint32_t gen_below(gen *, uint32_t n);                  /* 0..n-1 */
bool gen_inst(gen *, unsigned op, unsigned enc, p2a_inst *); /* false: found none */
bool gen_pair(gen *, unsigned x, unsigned y, p2a_inst *);   /* of two rows; false: there is no such pair */
bool gen_any(gen *, p2a_inst *);                        /* of a random row or two */
void gen_hex(const uint32_t *w, int dwords,
    char out[P2A_MAX_DWORDS * 8 + 1]); /* bytes in memory order */
int gen_unhex(const char *, uint32_t w[P2A_MAX_DWORDS]); /* dwords, or -1 */
#endif
