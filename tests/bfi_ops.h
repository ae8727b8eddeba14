/* bfi_ops.h -- the operations of p2a_bfi.h as tests see them: what they are called, how wide they are, what they take.
 * Needs nothing; written from PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk). */
#ifndef TESTS_BFI_OPS_H
#define TESTS_BFI_OPS_H
#include "p2a_bfi.h"

enum { BFI_OPS = P2A_SZEXT_S32 + 1 };

/* Operands in the order in which an instruction names them. */
enum { BFI_A, BFI_B, BFI_POS, BFI_LEN };

static const char *const bfi_op_names[BFI_OPS] = { "bfi.b32", "bfi.b64", "bfe.u32", "bfe.s32", "bfe.u64", "bfe.s64", "bmsk.clamp.b32",
	"szext.clamp.u32", "szext.clamp.s32" };

static inline bool
bfi_is_wide(p2a_bfi_op op)
{
	return op == P2A_BFI_B64 || op == P2A_BFE_U64 || op == P2A_BFE_S64;
}

static inline bool
bfi_is_insert(p2a_bfi_op op)
{
	return op <= P2A_BFI_B64;
}

/* Has it a second meaning (p2a_semantics)? */
static inline bool
bfi_has_meanings(p2a_bfi_op op)
{
	return bfi_is_wide(op);
}

/* Do all 32 bits of pos and len count? */
static inline bool
bfi_counts_all(p2a_bfi_op op, p2a_semantics sem)
{
	return op >= P2A_BMSK_B32 || (bfi_is_wide(op) && sem == P2A_SEM_NVIDIA);
}

static inline bool
bfi_is_signed(p2a_bfi_op op)
{
	return op == P2A_BFE_S32 || op == P2A_BFE_S64 || op == P2A_SZEXT_S32;
}

static inline bool
bfi_has(p2a_bfi_op op, unsigned operand)
{
	switch (operand) {
	case BFI_A: return op != P2A_BMSK_B32;
	case BFI_B: return bfi_is_insert(op);
	case BFI_POS: return op < P2A_SZEXT_U32;
	default: return true;
	}
}
#endif
