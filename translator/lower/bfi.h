/* bfi.h -- the cheapest known sequence for a PTX bit-field operation, by what is known of its
 * operands. Needs nothing but facts; the sequence is written where an ir_builder stands. Rows:
 * bfi.def. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi). */
#ifndef LOWER_BFI_H
#define LOWER_BFI_H
#include "ir/ir.h"

/* A bfi or bfe and what is known. Facts are of 32-bit pos and len, before any masking. */
typedef struct bfi_query {
	uint16_t gop;            /* G_ptx_bfi32 .. G_ptx_bfe_s64 */
	p2a_semantics sem;
	ir_fact a, b, pos, len;  /* bfe has no b */
	bool vector;             /* a or b differs between lanes */
	bool uniform_field;      /* pos and len are the same in all lanes */
} bfi_query;

typedef struct bfi_row {
	uint16_t gop;
	const char *name;
	uint32_t need;
	const char *text;
} bfi_row;

/* Where a sequence is written, and who knows about the values written so far. */
typedef struct bfi_writer {
	ir_builder *B;
	ir_fact (*fact)(void *ud, ir_opnd);
	void *ud;
} bfi_writer;

const bfi_row *bfi_rows(size_t *n);
const bfi_row *bfi_choose(const bfi_query *);    /* the first row that may be used; never NULL */
bool bfi_may_use(const bfi_row *, const bfi_query *);
/* Writes the row with operands a, b, c = pos, d = len (bfe: b unused); nested bit fields are
 * written out too. */
ir_opnd bfi_write(const bfi_writer *, const bfi_row *, const bfi_query *, const ir_opnd opnd[4]);
#endif
