/* bfi_text.h -- reads the texts of bfi.def for whoever writes them: as generic SSA (bfi_write.c) or as
 * machine instructions without an IR (bfi_node.c). Grammar: head of bfi.def. */
#ifndef LOWER_BFI_TEXT_H
#define LOWER_BFI_TEXT_H
#include "lower/bfi.h"

enum bop {
#define BOP(name, ...) BOP_##name,
#define BMOP(name, ...)
#include "lower/bfi_ops.def"
	BOP_CALLABLE,
	BOP_BEFORE_MACHINE = BOP_CALLABLE - 1,
#define BOP(name, ...)
#define BMOP(name, ...) BOP_##name,
#include "lower/bfi_ops.def"
	BOP_COUNT
};

/* A value of the reader's owner: an index into something of his. */
typedef uint8_t bfi_val;

typedef struct bfi_back {
	bfi_val (*number)(void *ud, unsigned dwords, uint64_t x);
	bfi_val (*op)(void *ud, unsigned bop, const bfi_val *src);
	bfi_val (*nested)(void *ud, unsigned gop, const bfi_val opnd[4]);   /* a bit field in a text */
	uint64_t (*bound)(void *ud, bfi_val);    /* the largest it can be */
} bfi_back;

/* Writes row's text with operands a, b, c = pos, d = len; *r: its result. Ends early where *stop is set.
 * false: the text is wrong (a fault of bfi.def). */
bool bfi_read(const bfi_row *, const bfi_query *, const bfi_back *, void *ud, const bfi_val opnd[4],
    const bool *stop, bfi_val *r);
#endif
