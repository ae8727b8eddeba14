/* half.c -- f16, bf16 and pairs of them: add, sub, mul, fma, neg, abs, min, max, ex2, tanh; what other files need of them.
 * Needs L->in with such a type; leaves f16 operations, or f32 ones, which hold every number of 16 bits, with one rounding
 * behind them: for bf16, and f16 with .ftz, as MODE keeps or loses subnormals of f16 and f64 together.
 * Values of 16 bits are the low ones of a dword. Manual: "Parallel Thread Execution ISA", 9.7.4. */
#include "lower/lower.h"

static const ir_fp exact;       /* to nearest, subnormals kept */
#define SIGNS 0x80008000u
enum { SIGN = 0x8000, CANONICAL_NAN = 0x7fff, MOST_SOURCES = 3 };

bool
lo_is_half(ptx_type t)
{
	return t == PTX_F16 || t == PTX_BF16 || lo_is_pair(t);
}

bool
lo_is_pair(ptx_type t)
{
	return t == PTX_F16X2 || t == PTX_BF16X2;
}

bool
lo_is_bf16(ptx_type t)
{
	return t == PTX_BF16 || t == PTX_BF16X2;
}

ir_opnd
lo_from_half(lower *L, bool bf16, ir_opnd x)
{
	return bf16 ? ir_g2(&L->b, G_shl32, x, ir_i32(16)) : lo_f1(L, G_cvt_f32_f16, exact, x);
}

/* What is added to the bits of an f32 so that cutting off 16 of them rounds. */
static ir_opnd
bf16_bias(lower *L, unsigned rnd, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd sign = lo_sign(L, x);

	if (rnd == IR_RN)
		return ir_g2(B, G_add32, ir_g3(B, G_bfe_u32, x, ir_i32(16), ir_i32(1)), ir_i32(0x7fff));
	if (rnd == IR_RZ)
		return ir_i32(0);
	return ir_g2(B, G_and32, rnd == IR_RM ? sign : ir_g1(B, G_not32, sign), ir_i32(0xffff));
}

static ir_opnd
canonical(lower *L, ir_opnd nan, ir_opnd r)
{
	return lo_sel(L, nan, ir_i32(CANONICAL_NAN), r);
}

/* NaNs of bf16 become the manual's canonical one, those of f16 if .relu is written. */
ir_opnd
lo_to_half(lower *L, bool bf16, unsigned rnd, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd r;

	if (bf16)
		r = ir_g2(B, G_lshr32, ir_g2(B, G_add32, x, bf16_bias(L, rnd, x)), ir_i32(16));
	else
		r = lo_f1(L, G_cvt_f16_f32, (ir_fp){ .rnd = rnd & 3 }, x);
	return bf16 || lo_has(L, PTX_M_relu) ? canonical(L, lo_fcmp(L, 32, IR_NAN, exact, x, x), r) : r;
}

/* The same number rounded down and up is exact; of two that differ one is odd: rounded to odd, which no second
 * rounding to at least two bits less can spoil. */
ir_opnd
lo_odd_of(lower *L, ir_opnd down, ir_opnd up)
{
	ir_builder *B = &L->b;
	ir_opnd even = ir_icmp(B, 32, IR_EQ, ir_g2(B, G_and32, down, ir_i32(1)), ir_i32(0));

	return lo_sel(L, even, up, down);
}

ir_opnd
lo_pair(lower *L, ir_opnd low, ir_opnd high)
{
	ir_builder *B = &L->b;

	return ir_g2(B, G_or32, lo_ext(L, low, PTX_B16), ir_g2(B, G_shl32, high, ir_i32(16)));
}

/* Half h of a pair; of a single number itself. */
static ir_opnd
half(lower *L, ir_opnd x, unsigned h)
{
	return h ? ir_g2(&L->b, G_lshr32, x, ir_i32(16)) : x;
}

/* Subnormals of f16 to zeros of their sign, if .ftz is written; nothing of bf16's can be so. */
static ir_opnd
flushed(lower *L, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd small;

	if (!lo_has(L, PTX_M_ftz))
		return x;
	small = ir_icmp(B, 32, IR_EQ, ir_g2(B, G_and32, x, ir_i32(0x7c00)), ir_i32(0));
	return lo_sel(L, small, ir_g2(B, G_and32, x, ir_i32(SIGN)), x);
}

ir_opnd
lo_half_src(lower *L, unsigned i, ptx_type t, unsigned h)
{
	bool bf16 = lo_is_bf16(t);
	ir_opnd x = half(L, lo_src(L, i, t), h);

	return lo_from_half(L, bf16, bf16 ? x : flushed(L, x));
}

/* Is the instruction done on f16 as it is? */
static bool
is_native(lower *L, ptx_type t)
{
	return !lo_is_bf16(t) && !lo_has(L, PTX_M_ftz);
}

/* The operation on f16, or on a pair, that does what gop does with f32. */
static unsigned
narrowed(unsigned gop, bool pair)
{
	static const uint16_t same[][3] = { { G_fadd32, G_fadd16, G_fadd16x2 }, { G_fmul32, G_fmul16, G_fmul16x2 } };

	return same[gop == G_fmul32][1 + pair];
}

/* lo_neg of a half or a pair; constants take no modifiers. */
static ir_opnd
negated(ir_opnd x)
{
	return ir_is_imm(x) ? ir_i32((uint32_t)x.imm ^ SIGNS) : lo_neg(x);
}

static ir_opnd
magnitude(lower *L, ir_opnd x)
{
	return ir_g2(&L->b, G_and32, x, ir_i32(~(uint32_t)SIGNS));
}

ir_opnd
lo_half_cmp(lower *L, ptx_type t, unsigned h, ir_cc cc)
{
	if (is_native(L, t))
		return lo_fcmp(L, 16, cc, exact, half(L, lo_src(L, 1, t), h), half(L, lo_src(L, 2, t), h));
	return lo_fcmp(L, 32, cc, exact, lo_half_src(L, 1, t, h), lo_half_src(L, 2, t, h));
}

/* Negative numbers to zero; NaNs are canonical, so positive. */
ir_opnd
lo_relu(lower *L, ir_opnd x)
{
	return lo_has(L, PTX_M_relu) ? ir_g2(&L->b, G_max_s32, lo_ext(L, x, PTX_S16), ir_i32(0)) : x;
}

/* ---- operations on one number each ---- */

typedef ir_opnd half_op(lower *, bool bf16, const ir_opnd *s);

/* Sources are f32, or raw: halves themselves. */
static void
by_halves(lower *L, half_op *op, bool raw)
{
	ptx_type t = lo_type(L, 0);
	unsigned n = MIN(L->in->nops - 1u, MOST_SOURCES);
	ir_opnd r[2], s[MOST_SOURCES];

	for (unsigned h = 0; h < 1u + lo_is_pair(t); h++) {
		for (unsigned k = 0; k < n; k++)
			s[k] = raw ? half(L, lo_src(L, k + 1, t), h) : lo_half_src(L, k + 1, t, h);
		r[h] = op(L, lo_is_bf16(t), s);
	}
	lo_dst(L, lo_is_pair(t) ? lo_pair(L, r[0], r[1]) : r[0]);
}

static ir_opnd
rounded(lower *L, bool bf16, ir_opnd x)
{
	ir_opnd r = lo_to_half(L, bf16, IR_RN, x);

	return lo_relu(L, bf16 ? r : flushed(L, r));
}

/* f32 has more than twice the bits: rounding twice is rounding once. row->g: the operation; whether to subtract.
 * Clamping before the rounding is clamping behind it. */
static ir_opnd
binary(lower *L, bool bf16, const ir_opnd *s)
{
	ir_fp fp = { .sat = lo_has(L, PTX_M_sat) };

	return rounded(L, bf16, lo_f2(L, L->row->g[0], fp, s[0], L->row->g[1] ? lo_neg(s[1]) : s[1]));
}

void
lower_half_binary(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_fp fp = { .sat = lo_has(L, PTX_M_sat) };
	ir_opnd b;

	if (!is_native(L, t)) {
		by_halves(L, binary, false);
		return;
	}
	b = lo_src(L, 2, t);
	lo_dst(L, lo_f2(L, narrowed(L->row->g[0], lo_is_pair(t)), fp, lo_src(L, 1, t), L->row->g[1] ? negated(b) : b));
}

/* Three numbers can make a tie that f32 cannot tell from its neighbours. */
static ir_opnd
fused(lower *L, bool bf16, const ir_opnd *s)
{
	ir_opnd down = lo_f3(L, G_ffma32, (ir_fp){ .rnd = IR_RM }, s[0], s[1], s[2]);
	ir_opnd r = lo_odd_of(L, down, lo_f3(L, G_ffma32, (ir_fp){ .rnd = IR_RP }, s[0], s[1], s[2]));

	if (lo_has(L, PTX_M_sat))
		r = lo_f1(L, G_fcanon32, (ir_fp){ .sat = 1 }, r);
	return rounded(L, bf16, r);
}

/* What .relu leaves of a pair or a half */
static ir_opnd
positive(lower *L, ptx_type t, ir_opnd r)
{
	ir_opnd h[2];

	if (!lo_has(L, PTX_M_relu))
		return r;
	for (unsigned k = 0; k < 1u + lo_is_pair(t); k++) {
		h[k] = half(L, r, k);
		h[k] = lo_relu(L, canonical(L, lo_fcmp(L, 16, IR_NAN, exact, h[k], h[k]), h[k]));
	}
	return lo_is_pair(t) ? lo_pair(L, h[0], h[1]) : h[0];
}

void
lower_half_fma(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_fp fp = { .sat = lo_has(L, PTX_M_sat) };
	unsigned gop = lo_is_pair(t) ? G_ffma16x2 : G_ffma16;

	if (is_native(L, t))
		lo_dst(L, positive(L, t, lo_f3(L, gop, fp, lo_src(L, 1, t), lo_src(L, 2, t), lo_src(L, 3, t))));
	else
		by_halves(L, fused, false);
}

/* min and max give one of their operands, which no rounding changes. row->g: max */
static ir_opnd
extreme(lower *L, bool bf16, const ir_opnd *s)
{
	ir_builder *B = &L->b;
	bool abs = lo_has(L, PTX_M_abs);
	ir_opnd a = s[0], b = s[1], r, signs;

	r = lo_f2(L, L->row->g[0] ? G_fmax32 : G_fmin32, exact, abs ? lo_abs(a) : a, abs ? lo_abs(b) : b);
	if (lo_has(L, PTX_M_xorsign)) {
		signs = ir_g2(B, G_and32, ir_g2(B, G_xor32, a, b), ir_i32(0x80000000));
		r = ir_g2(B, G_or32, r, signs);
	}
	r = bf16 ? ir_g2(B, G_lshr32, r, ir_i32(16)) : lo_f1(L, G_cvt_f16_f32, exact, r);
	if (lo_has(L, PTX_M_NaN))
		r = canonical(L, lo_fcmp(L, 32, IR_NAN, exact, a, b), r);
	return r;
}

static ir_opnd
extreme_as(lower *L, bool pair, ir_opnd a, ir_opnd b)
{
	static const uint16_t gop[2][2] = { { G_fmin16, G_fmin16x2 }, { G_fmax16, G_fmax16x2 } };
	ir_builder *B = &L->b;
	bool abs = lo_has(L, PTX_M_abs);
	ir_opnd r = lo_f2(L, gop[L->row->g[0]][pair], exact, abs ? magnitude(L, a) : a, abs ? magnitude(L, b) : b);

	if (!lo_has(L, PTX_M_xorsign))
		return r;
	return ir_g2(B, G_or32, r, ir_g2(B, G_and32, ir_g2(B, G_xor32, a, b), ir_i32(SIGNS)));
}

static ir_opnd
native_extreme(lower *L, bool bf16, const ir_opnd *s)
{
	ir_opnd r = extreme_as(L, false, s[0], s[1]);

	(void)bf16;
	return lo_has(L, PTX_M_NaN) ? canonical(L, lo_fcmp(L, 16, IR_NAN, exact, s[0], s[1]), r) : r;
}

void
lower_half_minmax(lower *L)
{
	ptx_type t = lo_type(L, 0);
	bool native = is_native(L, t);

	if (native && lo_is_pair(t) && !lo_has(L, PTX_M_NaN))
		lo_dst(L, extreme_as(L, true, lo_src(L, 1, t), lo_src(L, 2, t)));
	else
		by_halves(L, native ? native_extreme : extreme, native);
}

/* The error of f32's is far below that of the last rounding. bf16 results that are subnormal are zeros: its form has .ftz. */
static ir_opnd
power(lower *L, bool bf16, const ir_opnd *s)
{
	return lo_to_half(L, bf16, IR_RN, lo_f1(L, G_fexp32, (ir_fp){ .ftz = bf16 }, s[0]));
}

void
lower_half_ex2(lower *L)
{
	by_halves(L, power, false);
}

static ir_opnd
hyperbolic_tangent(lower *L, bool bf16, const ir_opnd *s)
{
	return lo_to_half(L, bf16, IR_RN, lo_tanh(L, s[0]));
}

void
lower_half_tanh(lower *L)
{
	by_halves(L, hyperbolic_tangent, false);
}

/* neg, abs on the sign bits, those of a pair together. row->g: abs */
void
lower_half_sign(lower *L)
{
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 0);
	bool pair = lo_is_pair(t), abs = L->row->g[0];
	uint32_t signs = pair ? 0x80008000 : SIGN;
	ir_opnd r = lo_src(L, 1, t);

	r = ir_g2(B, abs ? G_and32 : G_xor32, r, ir_i32(abs ? ~signs : signs));
	if (pair && lo_has(L, PTX_M_ftz))
		r = lo_pair(L, flushed(L, r), flushed(L, half(L, r, 1)));
	else
		r = flushed(L, r);
	lo_dst(L, r);
}
