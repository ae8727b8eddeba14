/* mem.h -- accesses to memory: what ld, st, atom and cp.async share.
 * Needs the instruction at work and its row; leaves addresses as G_load, G_store, G_atomic take them.
 * Manual: "Parallel Thread Execution ISA", 6.4.1 (addresses), 8 (memory consistency). */
#ifndef LOWER_MEM_H
#define LOWER_MEM_H
#include "lower/lower.h"

typedef struct access {
	ir_mem mem;
	ir_opnd base;            /* W in .shared and .local, D elsewhere */
	int64_t offset;
	ptx_type type;           /* of an element */
	unsigned elem, n;        /* bytes of an element, elements */
	const ptx_symbol *cells; /* a parameter of a call that lies in values; at offset */
} access;

/* Operand mem_op as an address in the instruction's space, with its order and scope; false: refused. */
bool lo_access(lower *, access *, unsigned mem_op);
/* The same as `bytes` bytes in another space, without an order. */
bool lo_access_in(lower *, access *, unsigned mem_op, ptx_space, unsigned bytes);
/* The instruction written last is `bytes` of that access, from byte `at` on. */
void lo_accessed(lower *, const access *, unsigned bytes, unsigned at);
void lo_fence(lower *, unsigned order, unsigned scope);     /* IR_ACQUIRE .., IR_CTA .. */
#endif
