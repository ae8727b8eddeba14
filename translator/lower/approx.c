/* approx.c -- the .approx and .full forms: div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh.
 * Needs L->in; leaves the machine's approximations (1 ulp; subnormals as zeros) with what is missing around
 * them: subnormals where .ftz is not written, PTX's error bounds, range reduction.
 * Manual: "Parallel Thread Execution ISA", 9.7.3; bounds as tests/e2e/test_approx.c has them. */
#include "lower/lower.h"

static const ir_fp exact;       /* to nearest, subnormals kept */

static ir_opnd
f32(double x)
{
	return lo_float(PTX_F32, x);
}

static ir_opnd
below(lower *L, ir_opnd a, double limit)
{
	return lo_fcmp(L, 32, IR_LT, exact, a, f32(limit));
}

/* a * 2^n where c holds */
static ir_opnd
scaled(lower *L, ir_opnd c, ir_opnd a, int n)
{
	return lo_f2(L, G_fldexp32, exact, a, lo_sel(L, c, ir_i32((uint32_t)n), ir_i32(0)));
}

/* rcp, with which numbers are out of range: by mantissa and exponent, so that both ends are */
void
lower_rcp_approx(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd a = lo_src(L, 1, PTX_F32), n, r;

	if (lo_has(L, PTX_M_ftz)) {
		lo_dst(L, lo_f1(L, G_frcp32, lo_fp(L), a));
		return;
	}
	n = ir_g2(B, G_sub32, ir_i32(0), lo_f1(L, G_fexpo32, exact, a));
	r = lo_f1(L, G_frcp32, exact, lo_f1(L, G_fmant32, exact, a));
	lo_dst(L, lo_f2(L, G_fldexp32, exact, r, n));
}

/* a * (1/b) must be good to 2 ulp, which 1 ulp of 1/b exceeds where it starts a binade and the product ends
 * one. A Newton step on 1/b; its correction is below 2^-22, and `min` drops the NaN that it is where 1/b is
 * infinite or b is. Where 1/b is subnormal it counts as 0 (2^126 < |b| < 2^128), as the manual has it. */
static ir_opnd
quotient(lower *L, ir_fp fp, ir_opnd a, ir_opnd b)
{
	ir_opnd r = lo_f1(L, G_frcp32, fp, b), e = lo_f3(L, G_ffma32, fp, lo_neg(b), r, f32(1));

	e = lo_f2(L, G_fmin32, fp, e, f32(0x1p-20));
	return lo_f2(L, G_fmul32, fp, a, lo_f3(L, G_ffma32, fp, e, r, r));
}

void
lower_div_approx(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_F32), b = lo_src(L, 2, PTX_F32), tiny;

	if (lo_has(L, PTX_M_ftz)) {
		lo_dst(L, quotient(L, lo_fp(L), a, b));
		return;
	}
	tiny = below(L, lo_abs(b), 0x1p-126);
	lo_dst(L, scaled(L, tiny, quotient(L, exact, a, scaled(L, tiny, b, 24)), 24));
}

/* sqrt, rsqrt. row->g: the operation; how 2^24 in front of it shows behind it */
void
lower_root_approx(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_F32), tiny;

	if (lo_has(L, PTX_M_ftz)) {
		lo_dst(L, lo_f1(L, L->row->g[0], lo_fp(L), a));
		return;
	}
	tiny = below(L, a, 0x1p-126);
	a = lo_f1(L, L->row->g[0], exact, scaled(L, tiny, a, 24));
	lo_dst(L, scaled(L, tiny, a, L->row->g[0] == G_fsqrt32 ? -12 : 12));
}

void
lower_lg2(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_F32), tiny;

	if (lo_has(L, PTX_M_ftz)) {
		lo_dst(L, lo_f1(L, G_flog32, lo_fp(L), a));
		return;
	}
	tiny = below(L, a, 0x1p-126);
	a = lo_f1(L, G_flog32, exact, scaled(L, tiny, a, 32));
	lo_dst(L, lo_f2(L, G_fadd32, exact, a, lo_sel(L, tiny, f32(-32), f32(0))));
}

/* Below -126 the result is subnormal: 2^(a + 64) * 2^-64, where a + 64 is exact. */
void
lower_ex2(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_F32), tiny;

	if (lo_has(L, PTX_M_ftz)) {
		lo_dst(L, lo_f1(L, G_fexp32, lo_fp(L), a));
		return;
	}
	tiny = below(L, a, -126);
	a = lo_f2(L, G_fadd32, exact, a, lo_sel(L, tiny, f32(64), f32(0)));
	lo_dst(L, scaled(L, tiny, lo_f1(L, G_fexp32, exact, a), -64));
}

/* sin, cos: row->g[0] on turns. Of a / 2 pi the whole turns go; adding 1.5 * 2^23 leaves them as the low bits, rounded
 * to nearest. The difference is rounded once, so the error is that of 1 / 2 pi, 2^-24.5 of a: 2^-21.9
 * at 2 pi, 2^-16.2 at 100 pi. Subtracting a zero that is +0 for every small a keeps the sign of a zero. */
void
lower_sincos(lower *L)
{
	ir_fp fp = lo_fp(L);
	ir_opnd a = lo_src(L, 1, PTX_F32), turns = f32(0.15915494309189535), big = f32(0x1.8p23), n;

	n = lo_f2(L, G_fadd32, fp, lo_f3(L, G_ffma32, fp, a, turns, big), lo_neg(big));
	a = lo_f3(L, G_ffma32, fp, a, turns, lo_neg(n));
	lo_dst(L, lo_f1(L, L->row->g[0], fp, a));
}

/* tanh a = 1 - 2 / (e^2a + 1) loses bits where a is small: below 1/50 a itself is good to 2^-12.9. */
ir_opnd
lo_tanh(lower *L, ir_opnd a)
{
	ir_opnd small = below(L, lo_abs(a), 0.02), t;

	t = lo_f2(L, G_fmul32, exact, a, f32(2.8853900817779268 /* 2 / ln 2 */));
	t = lo_f2(L, G_fadd32, exact, lo_f1(L, G_fexp32, exact, t), f32(1));
	t = lo_f3(L, G_ffma32, exact, lo_f1(L, G_frcp32, exact, t), f32(-2), f32(1));
	return lo_sel(L, small, a, t);
}

void
lower_tanh(lower *L)
{
	lo_dst(L, lo_tanh(L, lo_src(L, 1, PTX_F32)));
}

/* ---- f64 ---- */

/* A high dword as the f64 whose low dword is 0; subnormals to zero. */
static ir_opnd
from_high(lower *L, ir_opnd h)
{
	ir_builder *B = &L->b;
	ir_opnd zero = ir_icmp(B, 32, IR_EQ, ir_g2(B, G_and32, h, ir_i32(0x7ff00000)), ir_i32(0));

	h = lo_sel(L, zero, ir_g2(B, G_and32, h, ir_i32(0x80000000)), h);
	return ir_g2(B, G_pack64, ir_i32(0), h);
}

/* rcp, rsqrt .approx.ftz.f64: the high dword of the operand gives that of the result, and a NaN the manual's canonical one
 * (9.7.3.14, 9.7.3.17). row->g[0]: the operation */
void
lower_high_approx(lower *L)
{
	ir_opnd a = from_high(L, lo_word(L, lo_src(L, 1, PTX_F64), 1)), r = lo_f1(L, L->row->g[0], exact, a);

	r = lo_sel(L, lo_fcmp(L, 64, IR_NAN, exact, a, a), ir_i32(0x7fffffff), lo_word(L, r, 1));
	lo_dst(L, from_high(L, r));
}

/* rsqrt.approx.f64: y + y e (1/2 + 3/8 e) with e = 1 - a y^2 below 2^-21 leaves 2^-65 and roundings. `min` as
 * in `quotient`: a is 0 or infinite. */
void
lower_rsqrt64(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_F64), y = lo_f1(L, G_frsq64, exact, a), e, p;

	e = lo_f2(L, G_fmul64, exact, a, y);
	e = lo_f3(L, G_ffma64, exact, lo_neg(e), y, lo_float(PTX_F64, 1));
	e = lo_f2(L, G_fmin64, exact, e, lo_float(PTX_F64, 0x1p-20));
	p = lo_f3(L, G_ffma64, exact, e, lo_float(PTX_F64, 0.375), lo_float(PTX_F64, 0.5));
	lo_dst(L, lo_f3(L, G_ffma64, exact, lo_f2(L, G_fmul64, exact, y, e), p, y));
}
