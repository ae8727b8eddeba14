/* bfi.h -- the cheapest known sequence for a PTX bit-field operation, by what is known of its
 * operands. Needs nothing but facts; the sequence is written where an ir_builder stands (bfi_write), or
 * without an IR (p2a_bfi.h). Rows: bfi.def. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi),
 * 9.7.1.21 (szext), 9.7.1.22 (bmsk). */
#ifndef LOWER_BFI_H
#define LOWER_BFI_H
#include "ir/ir.h"

enum { BFI_LANES_A = 1, BFI_LANES_B = 2, BFI_LANES_POS = 4, BFI_LANES_LEN = 8 };

/* A bit field and what is known. Facts are of 32-bit pos and len, before any masking. */
typedef struct bfi_query {
	uint16_t gop;            /* bfi_is_field */
	p2a_semantics sem;
	const p2a_target *t;
	ir_fact a, b, pos, len;  /* those that the operation has not (bfi_operands): 0 */
	unsigned lanes;          /* BFI_LANES_*: operands that differ between lanes */
	bool bytes;              /* of a bmsk, 8 bits of pos and len count: it stands for a bfi (bfi_tidy) */
	bool inner;              /* a field in a text of which the result is not all */
} bfi_query;

typedef struct bfi_row {
	uint16_t gop;
	const char *name;
	uint64_t need;
} bfi_row;           /* its text is read as codes: bfi_text.h */

/* Where a sequence is written, and who knows about the values written so far. */
typedef struct bfi_writer {
	ir_builder *B;
	ir_fact (*fact)(void *ud, ir_opnd);
	void *ud;
} bfi_writer;

const bfi_row *bfi_rows(size_t *n);
unsigned bfi_row_id(const bfi_row *);            /* its place among them */
bool bfi_may_use(const bfi_row *, const bfi_query *);
/* The rows that may be used, in their order; returns how many, at least one. Candidates: of these, those that no other one beats
 * (bfi_beats.def), among which the cheapest is. */
enum { BFI_CANDIDATES = 64 };
unsigned bfi_usable(const bfi_query *, const bfi_row *out[BFI_CANDIDATES]);
unsigned bfi_candidates(const bfi_query *, const bfi_row *out[BFI_CANDIDATES]);
/* Which column of bfi_beats.def counts, from 0. */
enum { BFI_CELLS = 51 };
unsigned bfi_cell(const bfi_query *);
bool bfi_is_field(unsigned gop);                 /* G_ptx_bfi32 .. G_ptx_szext_s32 */
unsigned bfi_width(unsigned gop);                /* 32 or 64 */
unsigned bfi_operands(unsigned gop);             /* which it has, as BFI_LANES_* */
bool bfi_all_bits(const bfi_query *);            /* do all 32 bits of pos and len count? */
/* The numbers that texts name by capitals: of the width, pos and len as they count, the least that a can be. */
typedef struct bfi_constants { uint64_t w, p, l, a; } bfi_constants;
bfi_constants bfi_constants_of(const bfi_query *);
uint64_t bfi_constant(const bfi_constants *, char name);

/* Makes constants, which no longer differ between lanes, of operands of which what counts is known, one length of those that all reach
 * the top, and a bmsk of what is one; whoever asks does it first. Writers take operands that are known for constants. */
void bfi_tidy(bfi_query *);

/* The cheapest of the rows that may be used on q->t; never NULL. Cost model: bfi_cost.c. */
const bfi_row *bfi_choose(const bfi_query *);

/* Writes the row with operands a, b, c = pos, d = len, those that it has not: unused; nested bit fields are
 * written out too. */
ir_opnd bfi_write(const bfi_writer *, const bfi_row *, const bfi_query *, const ir_opnd opnd[4]);
#endif
