/* rmw.c -- which machine instruction does an atomic operation.
 * Needs rmw.def and ops.def; leaves nothing. Lowering asks it whether there is one (else it writes a
 * loop of compare-and-swap), select which.
 * ISA manuals: "Flat, Global, Scratch instructions", "LDS instructions". */
#include "ir/ir.h"

enum { OP_NO = ISA_NOPS };
static const struct rmw {
	uint8_t rmw, bytes;
	bool far;
	uint16_t global[2], flat[2], ds[2];     /* without, with the old value */
} rows[] = {
#define FAR true
#define NEAR false
#define RMW(id, bytes, vmem, ds, ds_rtn, far) { IR_RMW_##id, bytes, far, \
	{ OP_global_atomic_##vmem, OP_global_atomic_##vmem##_rtn }, \
	{ OP_flat_atomic_##vmem, OP_flat_atomic_##vmem##_rtn }, { OP_##ds, OP_##ds_rtn } },
#include "ir/rmw.def"
};

static const struct rmw *
row_of(const ir_mem *m)
{
	for (size_t k = 0; k < COUNT(rows); k++)
		if (rows[k].rmw == m->rmw && rows[k].bytes == m->bytes)
			return &rows[k];
	return NULL;
}

unsigned
ir_rmw_op(const p2a_target *t, const ir_mem *m, bool returns)
{
	const struct rmw *r = row_of(m);
	const uint16_t *op;

	if (!r)
		return ISA_NOPS;
	op = m->space == IR_SHARED ? r->ds : m->space == IR_GENERIC ? r->flat : r->global;
	if (m->space != IR_SHARED && m->scope == IR_SYS && !r->far)
		return ISA_NOPS;
	for (unsigned k = returns; k < 2; k++)
		if (op[k] != OP_NO && isa_has(t, op[k]))
			return op[k];
	return ISA_NOPS;
}
