/* fmath.c -- div, rcp and sqrt, correctly rounded in the four directions (div.full too).
 * Needs L->in with .f32 or .f64 and a rounding; leaves G_fdiv, G_fsqrt, G_frsq and exact steps around them,
 * which hold whatever the machine's approximations return within the error that its manual states.
 * Manual: "Parallel Thread Execution ISA", 9.7.3 (div, rcp, sqrt). */
#include "lower/lower.h"

#include <math.h>

static const ir_fp exact;       /* to nearest, subnormals kept */

/* One type's operations. */
typedef struct ops {
	ptx_type type;
	uint16_t fdiv, fma, mul, mant, expo, ldexp, add, sel;
	double small;           /* sqrt: below it operands are scaled by 2^up */
	int up;
} ops;
static const ops row[2] = {
	{ PTX_F32, G_fdiv32, G_ffma32, G_fmul32, G_fmant32, G_fexpo32, G_fldexp32, G_add32, G_sel32, 0x1p-96, 32 },
	{ PTX_F64, G_fdiv64, G_ffma64, G_fmul64, G_fmant64, G_fexpo64, G_fldexp64, G_add64, G_sel64, 0x1p-767, 256 },
};

/* Those of the instruction's type. */
static const ops *
ops_of(const lower *L)
{
	return &row[lo_is64(L)];
}

static unsigned
bits_of(const ops *o)
{
	return ptx_type_bits(o->type);
}

static ir_opnd
flushed(lower *L, ir_opnd a)
{
	if (!lo_has(L, PTX_M_ftz))
		return a;
	return lo_f1(L, G_fcanon32, (ir_fp){ .ftz = 1 }, a);
}

static ir_opnd
compare(lower *L, const ops *o, ir_cc cc, ir_opnd a, double b)
{
	return lo_fcmp(L, bits_of(o), cc, exact, a, lo_float(o->type, b));
}

/* The dword with the sign. */
static ir_opnd
high(lower *L, ir_opnd a)
{
	return a.width == 2 ? lo_word(L, a, 1) : a;
}

static ir_opnd
sext(lower *L, ir_opnd w, unsigned width)
{
	return width == 2 ? lo_widen(L, w, PTX_S32) : w;
}

/* ---- div, rcp ---- */

/* |a| - |q b|, with |a| and |b| brought into [1/2, 1): its sign is exact. q is a/b to nearest, so nothing
 * is lost: the remainder has no more bits than b. NaN where a, b or the true quotient is infinite or b is 0. */
static ir_opnd
remainder_of(lower *L, const ops *o, ir_opnd a, ir_opnd b, ir_opnd q)
{
	ir_builder *B = &L->b;
	ir_opnd ea = lo_f1(L, o->expo, exact, a), eb = lo_f1(L, o->expo, exact, b);
	ir_opnd ma = lo_f1(L, o->mant, exact, a), mb = lo_f1(L, o->mant, exact, b);

	q = lo_f2(L, o->ldexp, exact, q, ir_g2(B, G_sub32, eb, ea));
	return lo_f3(L, o->fma, exact, lo_neg(lo_abs(q)), lo_abs(mb), lo_abs(ma));
}

/* The neighbour of q away from zero (by = 1) or towards it (-1), where the remainder says so. Bits of floats of
 * one sign are in order: the neighbour of the largest is infinity, that of 0 the least subnormal. */
static ir_opnd
nudged(lower *L, const ops *o, ir_opnd q, ir_opnd r, ir_opnd by)
{
	ir_opnd wrong = lo_fcmp(L, bits_of(o), IR_GT, exact, r, lo_float(o->type, 0));

	by = lo_sel(L, wrong, by, ir_i32(0));
	return ir_g2(&L->b, o->add, q, sext(L, by, q.width));
}

/* Rounded upwards the magnitude of a positive quotient may be too small, that of a negative one too large:
 * `away` is the sign bit of quotients that go away from zero (both, or the other, never for .rz). */
static ir_opnd
directed(lower *L, const ops *o, unsigned rnd, ir_opnd q, ir_opnd r)
{
	ir_builder *B = &L->b;
	ir_opnd sign, by, minus;

	if (rnd == IR_RZ)
		return nudged(L, o, q, lo_neg(r), ir_i32(~0u));
	sign = lo_sign(L, high(L, q));
	if (rnd == IR_RM)
		sign = ir_g1(B, G_not32, sign);
	by = ir_g2(B, G_or32, sign, ir_i32(1));
	minus = ir_g2(B, G_and32, sign, ir_i32(0x80000000));
	minus = ir_g2(B, G_xor32, high(L, r), minus);
	r = r.width == 2 ? ir_g2(B, G_pack64, lo_word(L, r, 0), minus) : minus;
	return nudged(L, o, q, r, by);
}

static void
divide(lower *L, ir_opnd a, ir_opnd b)
{
	const ops *o = ops_of(L);
	unsigned rnd = lo_fp(L).rnd;
	ir_opnd q = lo_f2(L, o->fdiv, exact, a, b);

	if (rnd != IR_RN)
		q = directed(L, o, rnd, q, remainder_of(L, o, a, b, q));
	lo_dst(L, flushed(L, q));
}

void
lower_fdiv(lower *L)
{
	ir_opnd a = flushed(L, lo_src(L, 1, lo_type(L, 0)));

	divide(L, a, flushed(L, lo_src(L, 2, lo_type(L, 0))));
}

void
lower_frcp(lower *L)
{
	divide(L, lo_float(lo_type(L, 0), 1), flushed(L, lo_src(L, 1, lo_type(L, 0))));
}

/* ---- sqrt ---- */

/* f64: y = 1/sqrt(x) to 2^-23 (v_rsq_f64: 2^29 ulp). Goldschmidt's step makes g = sqrt(x) and h = y/2 good to 1.5 *
 * 2^-46, the correction by the exact remainder leaves half a unit and a little. */
static ir_opnd
root64(lower *L, ir_opnd x)
{
	ir_opnd half = lo_float(PTX_F64, 0.5), y = lo_f1(L, G_frsq64, exact, x), g, h, e;

	g = lo_f2(L, G_fmul64, exact, x, y);
	h = lo_f2(L, G_fmul64, exact, y, half);
	e = lo_f3(L, G_ffma64, exact, lo_neg(h), g, half);
	g = lo_f3(L, G_ffma64, exact, g, e, g);
	h = lo_f3(L, G_ffma64, exact, h, e, h);
	e = lo_f3(L, G_ffma64, exact, lo_neg(g), g, x);
	return lo_f3(L, G_ffma64, exact, e, h, g);
}

/* s errs by less than one unit: the root is s or a neighbour, by how x lies to a product of neighbours. To
 * nearest, sqrt(x) < s - u/2 means x <= s (s - u), as no x lies between that and the square of the middle; the others are
 * squares themselves. A remainder is a multiple of the square of the unit of s: scaled x keep that representable.
 * Where s is 0, infinite or NaN, so is one factor, and no comparison holds: but s + u is a number above 0. */
static ir_opnd
settled(lower *L, const ops *o, unsigned rnd, ir_opnd x, ir_opnd s)
{
	enum { S, LOW, HIGH };
	static const struct { uint8_t down[2], down_if, up[2], up_if; } test[4] = {
		[IR_RN] = { { LOW, S }, IR_LE, { HIGH, S }, IR_GT },
		[IR_RZ] = { { S, S }, IR_LT, { HIGH, HIGH }, IR_GE },
		[IR_RM] = { { S, S }, IR_LT, { HIGH, HIGH }, IR_GE },
		[IR_RP] = { { LOW, LOW }, IR_LE, { S, S }, IR_GT },
	};
	ir_builder *B = &L->b;
	ir_opnd f[3], rest, down, up;

	f[S] = s;
	f[LOW] = ir_g2(B, o->add, s, s.width == 2 ? ir_i64(~0ull) : ir_i32(~0u));
	f[HIGH] = ir_g2(B, o->add, s, s.width == 2 ? ir_i64(1) : ir_i32(1));
	rest = lo_f3(L, o->fma, exact, lo_neg(f[test[rnd].down[0]]), f[test[rnd].down[1]], x);
	down = compare(L, o, test[rnd].down_if, rest, 0);
	rest = lo_f3(L, o->fma, exact, lo_neg(f[test[rnd].up[0]]), f[test[rnd].up[1]], x);
	up = compare(L, o, test[rnd].up_if, rest, 0);
	return lo_sel(L, up, f[HIGH], lo_sel(L, down, f[LOW], s));
}

/* 0 and infinity are their own roots. v_sqrt_f32 knows that, and `settled` errs only for 0, rounding down. */
static ir_opnd
with_edges(lower *L, const ops *o, unsigned rnd, ir_opnd x, ir_opnd s)
{
	ir_opnd edge;

	if (o->type == PTX_F32 && (rnd == IR_RN || rnd == IR_RP))
		return s;
	edge = compare(L, o, IR_EQ, x, 0);
	if (o->type == PTX_F64)
		edge = ir_g2(&L->b, G_or1, edge, compare(L, o, IR_EQ, x, (double)INFINITY));
	return lo_sel(L, edge, x, s);
}

void
lower_fsqrt(lower *L)
{
	const ops *o = ops_of(L);
	unsigned rnd = lo_fp(L).rnd;
	ir_opnd a = flushed(L, lo_src(L, 1, o->type)), small = compare(L, o, IR_LT, a, o->small), x, s;

	x = lo_f2(L, o->ldexp, exact, a, lo_sel(L, small, ir_i32((uint32_t)o->up), ir_i32(0)));
	s = o->type == PTX_F64 ? root64(L, x) : lo_f1(L, G_fsqrt32, exact, x);
	s = settled(L, o, rnd, x, s);
	s = lo_f2(L, o->ldexp, exact, s, lo_sel(L, small, ir_i32((uint32_t)(-o->up / 2)), ir_i32(0)));
	lo_dst(L, with_edges(L, o, rnd, a, s));
}
