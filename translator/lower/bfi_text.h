/* bfi_text.h -- reads the texts of bfi.def, as codes, for whoever writes them: as generic SSA (bfi_write.c) or as
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

/* Codes of bfi_code.def. Each pushes one value; BOP_* and FIELD pop their sources first, the last on top. */
enum bfi_code {
	BC_NUMBER = BOP_CALLABLE, /* dwords, the number */
	BC_ONES, BC_LOW_ONES,    /* dwords: -1, 0xffffffff */
	BC_CAPITAL,              /* dwords, the letter */
	BC_LETTER,
	BC_ANY,
	BC_RED, BC_BYTE, BC_CAP, /* change the top; CAP: the number */
	BC_FIELD,                /* ptx_bfi32, ptx_bfe_u32, ptx_bfe_s32, ptx_bmsk, of four sources */
	BC_SET,                  /* pops it into a letter */
	BC_END
};

/* pack64 of a constant and any(): the high dword that makes the cheaper constant, which -16..-1 are. */
static inline uint64_t
bfi_with_any(uint32_t lo)
{
	enum { INLINE = 16 };

	return lo >= -(uint32_t)INLINE ? ~0ull << 32 | lo : lo;
}

/* A value of the reader's owner: an index into something of his. */
typedef uint8_t bfi_val;

typedef struct bfi_back {
	bfi_val (*number)(void *ud, unsigned dwords, uint64_t x);
	bfi_val (*any)(void *ud);                /* a dword of which nothing depends */
	/* last: its result is the text's. */
	bfi_val (*op)(void *ud, unsigned bop, const bfi_val *src, bool last);
	bfi_val (*nested)(void *ud, unsigned gop, const bfi_val opnd[4], bool last);   /* a bit field in a text */
	uint64_t (*bound)(void *ud, bfi_val);    /* the largest it can be */
} bfi_back;

/* Writes row's text with operands a, b, c = pos, d = len; returns its result. Ends early where *stop is set, with
 * any value. */
bfi_val bfi_read(const bfi_row *, const bfi_query *, const bfi_back *, void *ud, const bfi_val opnd[4],
    const bool *stop);
#endif
