/* sim.h -- runs one wave of machine code, before or after register allocation, to compare the two.
 * Needs code of the few operations that gen.c writes (and those that the passes add); leaves a hash of
 * everything that was stored, by lane. Registers that the launch does not set hold rubbish. */
#ifndef TESTS_PASS_SIM_H
#define TESTS_PASS_SIM_H
#include "pass/pass.h"

typedef struct sim_result {
	uint64_t hash;          /* of all stores, in order */
	uint64_t steps, stores;
	const char *wrong;      /* NULL: ended by s_endpgm */
} sim_result;

/* Works on values and on registers; rubbish: seed of what unset registers hold. */
sim_result sim_run(const ir_func *, uint32_t rubbish);
#endif
