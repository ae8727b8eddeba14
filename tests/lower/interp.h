/* interp.h -- runs one thread of a lowered kernel (generic mutable form) on the host.
 * Needs an ir_func; global addresses are host addresses. Shares nothing with ir/eval.c, so that one can
 * bear witness against the other. */
#ifndef TESTS_LOWER_INTERP_H
#define TESTS_LOWER_INTERP_H
#include "ir/ir.h"

typedef struct interp {
	const ir_func *f;
	const void *kernarg;
	void *const *var;               /* addresses of module variables */
	uint32_t special[IR_NSPECIAL];
	uint8_t shared[4096], local[4096];
	const char *fault;              /* why it stopped; NULL: it returned */
	bool trapped;
	unsigned barriers, fences;
} interp;

enum { INTERP_SHARED_HI = 0x00010000, INTERP_PRIVATE_HI = 0x00020000 };

bool interp_run(interp *);              /* false: fault is set */
#endif
