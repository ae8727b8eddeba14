/* bfi_text.c -- the one reader of rows: their codes (bfi_code.def, made from the texts of bfi.def), which stand with
 * operands before operations; no memory but its own frame.
 * Needs a row and a query; leaves calls of the owner's functions. Operations: bfi_ops.def. */
#include "lower/bfi_text.h"

#define CODE(op, row, ...) static const uint8_t code_##op##_##row[] = { __VA_ARGS__, BC_END };
#include "lower/bfi_code.def"

static const uint8_t *const codes[] = {
#define BFI(op, name, need, text) code_##op##_##name,
#include "lower/bfi.def"
};

static const uint8_t sources[] = {
#define BOP(n, gop, dst, src, ...) sizeof src - 1,
#define BMOP(n, ...)
#include "lower/bfi_ops.def"
};

/* The deepest text needs six. */
enum { DEPTH = 16, NONE = 256 };

typedef struct reader {
	const bfi_query *q;
	const bfi_back *back;
	void *ud;
	bfi_val letter[26], stack[DEPTH];
	unsigned n;
	bfi_val a;
	unsigned moved;          /* a shifted left, or NONE */
	bool all_bits;           /* of pos and len count */
	bool has_constants;
	bfi_constants constants; /* made for the first that is named */
} reader;

static void
push_number(reader *R, unsigned dwords, uint64_t x)
{
	R->stack[R->n++] = R->back->number(R->ud, dwords, x);
}

static void
push_constant(reader *R, unsigned dwords, char name)
{
	if (!R->has_constants)
		R->constants = bfi_constants_of(R->q);
	R->has_constants = true;
	push_number(R, dwords, bfi_constant(&R->constants, name));
}

/* The value on top, no larger than x. */
static void
minimum(reader *R, uint64_t x)
{
	bfi_val *top = &R->stack[R->n - 1], s[2] = { *top };

	if (R->back->bound(R->ud, *top) <= x)
		return;
	s[1] = R->back->number(R->ud, 1, x);
	*top = R->back->op(R->ud, BOP_min_u32, s, false);
}

/* What counts of the value on top. */
static void
reduce(reader *R)
{
	bfi_val *top = &R->stack[R->n - 1], s[2] = { *top };

	if (R->all_bits || R->back->bound(R->ud, *top) <= 255)
		return;
	s[1] = R->back->number(R->ud, 1, 255);
	*top = R->back->op(R->ud, BOP_and32, s, false);
}

static void
field(reader *R, unsigned form, bool last)
{
	static const uint16_t gop[] = { G_ptx_bfi32, G_ptx_bfe_u32, G_ptx_bfe_s32, G_ptx_bmsk };

	R->n -= 4;
	R->stack[R->n] = R->back->nested(R->ud, gop[form], &R->stack[R->n], last);
	R->n++;
}

/* Is it the select of a moved a which is all ones? So is what the mask of the field chooses of it. */
static bool
chooses_ones(const reader *R, unsigned bop, const bfi_val *src)
{
	if ((bop != BOP_bitsel32 && bop != BOP_bitsel64) || src[1] != R->moved || !ir_fact_is_const(R->q->a))
		return false;
	return (bop == BOP_bitsel32 ? (uint32_t)~R->q->a.lo : ~R->q->a.lo) == 0;
}

static void
operation(reader *R, unsigned bop, bool last)
{
	bfi_val *src = &R->stack[R->n -= sources[bop]];
	bool shift = (bop == BOP_shl32 || bop == BOP_shl64) && *src == R->a;

	if (chooses_ones(R, bop, src)) {
		bop = bop == BOP_bitsel32 ? BOP_or32 : BOP_or64;
		src[1] = src[2];
	}
	*src = R->back->op(R->ud, bop, src, last);
	if (shift)
		R->moved = *src;
	R->n++;
}

/* Is what has just been computed the result? */
static bool
is_last(const reader *R, const uint8_t *at)
{
	return at[0] == BC_SET && at[1] == 'r' && at[2] == BC_END && !R->q->inner;
}

/* One code; returns the next. */
static const uint8_t *
step(reader *R, const uint8_t *at)
{
	unsigned code = *at++;

	switch (code) {
	case BC_NUMBER: push_number(R, at[0], at[1]); return at + 2;
	case BC_ONES: push_number(R, at[0], UINT64_MAX); return at + 1;
	case BC_LOW_ONES: push_number(R, at[0], UINT32_MAX); return at + 1;
	case BC_CAPITAL: push_constant(R, at[0], (char)at[1]); return at + 2;
	case BC_LETTER: R->stack[R->n++] = R->letter[*at - 'a']; return at + 1;
	case BC_ANY: R->stack[R->n++] = R->back->any(R->ud); return at;
	case BC_RED: reduce(R); return at;
	case BC_BYTE:
		if (R->all_bits)
			minimum(R, 255);
		else
			reduce(R);
		return at;
	case BC_CAP: minimum(R, *at); return at + 1;
	case BC_FIELD: field(R, *at, is_last(R, at + 1)); return at + 1;
	case BC_SET: R->letter[*at - 'a'] = R->stack[--R->n]; return at + 1;
	default: operation(R, code, is_last(R, at)); return at;
	}
}

bfi_val
bfi_read(const bfi_row *row, const bfi_query *q, const bfi_back *back, void *ud, const bfi_val opnd[4],
    const bool *stop)
{
	reader R = { .q = q, .back = back, .ud = ud, .letter = { opnd[0], opnd[1], opnd[2], opnd[3] }, .a = opnd[0], .moved = NONE, .all_bits = bfi_all_bits(q) };

	for (const uint8_t *at = codes[bfi_row_id(row)]; *at != BC_END && !*stop;)
		at = step(&R, at);
	return R.letter['r' - 'a'];
}
