/* fp8.c -- cvt between pairs of e4m3 or e5m2 and f32, f16x2.
 * Needs L->in with .e4m3x2 or .e5m2x2; leaves integer steps on the bits of f32, and f16 operations on the way back.
 * Manual: "Parallel Thread Execution ISA" 9.1, 9.7.9.21; formats: 5.2.3. */
#include "lower/lower.h"

static const ir_fp exact;       /* to nearest, subnormals kept */
enum { F32_BITS = 23, F32_BIAS = 127, NAN8 = 0x7f, CANONICAL_NAN = 0x7fff };

/* most: the largest number's code; more are infinity, of e5m2, and NaNs */
typedef struct format { uint8_t bits, bias, most; } format;
static const format e4m3 = { 3, 7, 0x7e }, e5m2 = { 2, 15, 0x7b };

/* |x| at least 2^(1 - bias): the bits to be cut round to even, the rest counts from another exponent. */
static ir_opnd
normal(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	unsigned cut = F32_BITS - f->bits;
	ir_opnd odd = ir_g3(B, G_bfe_u32, x, ir_i32(cut), ir_i32(1));

	x = ir_g2(B, G_add32, ir_g2(B, G_add32, x, odd), ir_i32((1u << (cut - 1)) - 1 - ((uint32_t)(F32_BIAS - f->bias) << F32_BITS)));
	return ir_g2(B, G_lshr32, x, ir_i32(cut));
}

/* Below: an f32 is added whose last bit counts the steps of the format's subnormals, so that the sum rounds to them. */
static ir_opnd
subnormal(lower *L, const format *f, ir_opnd x)
{
	uint32_t c = (uint32_t)(F32_BIAS + 1 - f->bias - f->bits + F32_BITS) << F32_BITS;

	return ir_g2(&L->b, G_sub32, lo_f2(L, G_fadd32, exact, x, ir_i32(c)), ir_i32(c));
}

/* To nearest; what is too large becomes the largest. .relu: what is negative, 0 */
static ir_opnd
narrow(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd m = ir_g2(B, G_and32, x, ir_i32(0x7fffffff)), r;
	ir_opnd small = ir_icmp(B, 32, IR_LO, m, ir_i32((uint32_t)(F32_BIAS + 1 - f->bias) << F32_BITS));

	r = lo_sel(L, small, subnormal(L, f, m), normal(L, f, m));
	r = ir_g2(B, G_min_u32, r, ir_i32(f->most));
	if (lo_has(L, PTX_M_relu))
		r = ir_g2(B, G_and32, r, ir_g1(B, G_not32, lo_sign(L, x)));
	else
		r = ir_g2(B, G_or32, r, ir_g2(B, G_and32, ir_g2(B, G_lshr32, x, ir_i32(24)), ir_i32(0x80)));
	return lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, x, x), ir_i32(NAN8), r);
}

static const format *
format_of(const lower *L)
{
	return lo_has(L, PTX_M_e4m3x2) ? &e4m3 : &e5m2;
}

/* The first source, or the upper half of the only one, goes into the upper byte. */
void
lower_cvt_to_fp8(lower *L)
{
	const format *f = format_of(L);
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 1);
	bool pair = lo_is_pair(t);
	ir_opnd high = narrow(L, f, pair ? lo_half_src(L, 1, t, 1) : lo_src(L, 1, t));
	ir_opnd low = narrow(L, f, pair ? lo_half_src(L, 1, t, 0) : lo_src(L, 2, t));

	lo_dst(L, ir_g2(B, G_or32, low, ir_g2(B, G_shl32, high, ir_i32(8))));
}

/* e5m2 is the upper byte of an f16. e4m3 in the places of f16's bits is 2^8 too small. */
static ir_opnd
widened(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd r, sign;

	if (f == &e5m2)
		return ir_g2(B, G_shl32, x, ir_i32(8));
	sign = ir_g2(B, G_shl32, ir_g2(B, G_and32, x, ir_i32(0x80)), ir_i32(8));
	r = ir_g2(B, G_shl32, ir_g2(B, G_and32, x, ir_i32(NAN8)), ir_i32(7));
	r = ir_g2(B, G_or32, lo_f2(L, G_fmul16, exact, r, ir_i32(0x5c00 /* 256 */)), sign);
	return r;
}

static ir_opnd
widen(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd m = ir_g2(B, G_and32, x, ir_i32(NAN8)), nan, r = widened(L, f, x);

	nan = ir_icmp(B, 32, IR_HI, m, ir_i32(f == &e5m2 ? 0x7c : 0x7e));
	return lo_relu(L, lo_sel(L, nan, ir_i32(CANONICAL_NAN), r));
}

void
lower_cvt_from_fp8(lower *L)
{
	const format *f = format_of(L);
	ir_opnd x = lo_src(L, 1, PTX_B16);

	lo_dst(L, lo_pair(L, widen(L, f, x), widen(L, f, ir_g2(&L->b, G_lshr32, x, ir_i32(8)))));
}
