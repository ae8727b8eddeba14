/* fp8.c -- cvt between f32, f16x2, bf16x2 and pairs or fours of numbers of 8, 6 and 4 bits; .rs, which rounds by random bits,
 * to these and to pairs of f16 and bf16.
 * Needs L->in with such a type; leaves integer steps on the bits of f32, and f16 operations on the way back.
 * Manual: "Parallel Thread Execution ISA" 9.1, 9.7.9.21; formats: 5.2.3. */
#include "lower/lower.h"

static const ir_fp exact;       /* to nearest, subnormals kept */
enum { F32_BITS = 23, F32_BIAS = 127, CANONICAL_NAN = 0x7fff };

/* sign: its bit. most: the largest number's code; what lies above is infinity, of e5m2 and the halves, and NaNs. nan: what
 * becomes of one. random: how many bits .rs has for one number. */
typedef struct format { uint8_t bits, bias, sign, random; uint16_t most, nan; } format;
static const format half[2] = { { 10, 15, 15, 13, 0x7bff, 0x7fff }, { 7, 127, 15, 16, 0x7f7f, 0x7fff } };
static const struct small { uint16_t pair, four; format f; } small[] = {
	{ PTX_M_e4m3x2, PTX_M_e4m3x4, { 3, 7, 7, 16, 0x7e, 0x7f } },
	{ PTX_M_e5m2x2, PTX_M_e5m2x4, { 2, 15, 7, 16, 0x7b, 0x7f } },
	{ PTX_M_e2m3x2, PTX_M_e2m3x4, { 3, 1, 5, 16, 0x1f, 0x1f } },
	{ PTX_M_e3m2x2, PTX_M_e3m2x4, { 2, 3, 5, 16, 0x1f, 0x1f } },
	{ PTX_M_e2m1x2, PTX_M_e2m1x4, { 1, 1, 3, 16, 7, 7 } },
};

static const format *
format_of(const lower *L)
{
	for (unsigned i = 1; i < COUNT(small); i++)
		if (lo_has(L, (ptx_mod)small[i].pair) || lo_has(L, (ptx_mod)small[i].four))
			return &small[i].f;
	return &small[0].f;
}

/* A code lies in a byte, e2m1's in four bits. */
static unsigned
spacing(const format *f)
{
	return f->sign < 4 ? 4 : 8;
}

/* ---- from f32 ---- */

/* |x| at least 2^(1 - bias): what is added to the bits to be cut makes them round. The rest counts from another exponent. */
static ir_opnd
normal(lower *L, const format *f, ir_opnd x, ir_opnd random)
{
	ir_builder *B = &L->b;
	unsigned cut = F32_BITS - f->bits;
	uint32_t rebias = 0u - ((uint32_t)(F32_BIAS - f->bias) << F32_BITS);

	if (random.kind) {
		x = ir_g2(B, G_add32, x, ir_g2(B, G_shl32, random, ir_i32(cut - f->random)));
	} else {
		x = ir_g2(B, G_add32, x, ir_g3(B, G_bfe_u32, x, ir_i32(cut), ir_i32(1)));
		rebias += (1u << (cut - 1)) - 1;
	}
	return ir_g2(B, G_lshr32, ir_g2(B, G_add32, x, ir_i32(rebias)), ir_i32(cut));
}

/* Below: an f32 is added whose last bit counts the steps of the format's subnormals, so that the sum rounds to them. */
static ir_opnd
nearest_subnormal(lower *L, const format *f, ir_opnd x)
{
	uint32_t c = (uint32_t)(F32_BIAS + 1 - f->bias - f->bits + F32_BITS) << F32_BITS;

	return ir_g2(&L->b, G_sub32, lo_f2(L, G_fadd32, exact, x, ir_i32(c)), ir_i32(c));
}

/* The same by random bits, which stand directly below a step. */
static ir_opnd
random_subnormal(lower *L, const format *f, ir_opnd x, ir_opnd random)
{
	ir_builder *B = &L->b;
	uint32_t scale = (uint32_t)(F32_BIAS + f->random + f->bits + f->bias - 1) << F32_BITS;

	x = lo_f1(L, G_cvt_u32_f32, exact, lo_f2(L, G_fmul32, exact, x, ir_i32(scale)));
	return ir_g2(B, G_lshr32, ir_g2(B, G_add32, x, random), ir_i32(f->random));
}

/* To nearest, or by the lowest bits of random. .satfinite: what is too large becomes the largest; .relu: what is negative, 0 */
static ir_opnd
narrow(lower *L, const format *f, ir_opnd x, ir_opnd random)
{
	ir_builder *B = &L->b;
	ir_opnd m = ir_g2(B, G_and32, x, ir_i32(0x7fffffff)), r = normal(L, f, m, random), below, tiny;

	if (f->bias != F32_BIAS) {
		below = random.kind ? random_subnormal(L, f, m, random) : nearest_subnormal(L, f, m);
		tiny = ir_icmp(B, 32, IR_LO, m, ir_i32((uint32_t)(F32_BIAS + 1 - f->bias) << F32_BITS));
		r = lo_sel(L, tiny, below, r);
	}
	r = ir_g2(B, G_min_u32, r, ir_i32((uint32_t)f->most + !lo_has(L, PTX_M_satfinite)));
	if (lo_has(L, PTX_M_relu))
		r = ir_g2(B, G_and32, r, ir_g1(B, G_not32, lo_sign(L, x)));
	else
		r = ir_g2(B, G_or32, r, ir_g2(B, G_and32, ir_g2(B, G_lshr32, x, ir_i32(31u - f->sign)), ir_i32(1u << f->sign)));
	return lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, x, x), ir_i32(f->nan), r);
}

/* The first source, or the upper half of the only one, goes into the upper place. */
void
lower_cvt_to_fp8(lower *L)
{
	const format *f = format_of(L);
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 1);
	bool pair = lo_is_pair(t);
	ir_opnd none = { 0 }, high, low;

	high = narrow(L, f, pair ? lo_half_src(L, 1, t, 1) : lo_src(L, 1, t), none);
	low = narrow(L, f, pair ? lo_half_src(L, 1, t, 0) : lo_src(L, 2, t), none);
	lo_dst(L, ir_g2(B, G_or32, low, ir_g2(B, G_shl32, high, ir_i32(spacing(f)))));
}

/* 16 random bits of the upper two of four numbers, or of the lower two: a half of rbits; for e2m1 a byte of each half. */
static ir_opnd
random_of(lower *L, const format *f, ir_opnd rbits, bool upper)
{
	ir_builder *B = &L->b;

	if (f->sign < 4)
		return ir_g3(B, G_perm32, rbits, ir_i32(0), ir_i32(upper ? 0x0c0c0705 : 0x0c0c0604));
	return upper ? ir_g2(B, G_lshr32, rbits, ir_i32(16)) : ir_g2(B, G_and32, rbits, ir_i32(0xffff));
}

void
lower_cvt_to_four(lower *L)
{
	const format *f = format_of(L);
	ir_builder *B = &L->b;
	ir_opnd rbits = lo_src(L, 2, PTX_B32), d = ir_i32(0);

	for (unsigned i = 0; i < 4; i++) {
		ptx_operand o = lo_elem(&L->in->ops[1], i);

		d = ir_g2(B, G_shl32, d, ir_i32(spacing(f)));
		d = ir_g2(B, G_or32, d, narrow(L, f, lo_use(L, &o, PTX_F32), random_of(L, f, rbits, i < 2)));
	}
	lo_dst(L, d);
}

/* .rs: a pair of f16, 13 random bits each, or of bf16, 16 each */
void
lower_cvt_pair_random(lower *L)
{
	const format *f = &half[lo_is_bf16(lo_type(L, 0))];
	ir_builder *B = &L->b;
	ir_opnd rbits = lo_src(L, 3, PTX_B32), r[2];

	for (unsigned h = 0; h < 2; h++)
		r[h] = narrow(L, f, lo_src(L, 2 - h, PTX_F32), ir_g3(B, G_bfe_u32, rbits, ir_i32(16 * h), ir_i32(f->random)));
	lo_dst(L, lo_pair(L, r[0], r[1]));
}

/* ---- to f16 ---- */

/* e5m2 is the upper byte of an f16. The others in the places of f16's bits are 2^(15 - bias) too small. */
static ir_opnd
widened(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd r, sign;

	if (f->bias == 15)
		return ir_g2(B, G_shl32, x, ir_i32(8));
	sign = ir_g2(B, G_shl32, ir_g2(B, G_and32, x, ir_i32(1u << f->sign)), ir_i32(15u - f->sign));
	r = ir_g2(B, G_shl32, ir_g2(B, G_and32, x, ir_i32((1u << f->sign) - 1)), ir_i32(10u - f->bits));
	r = ir_g2(B, G_or32, lo_f2(L, G_fmul16, exact, r, ir_i32((uint32_t)(30 - f->bias) << 10)), sign);
	return r;
}

static ir_opnd
widen(lower *L, const format *f, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd m = ir_g2(B, G_and32, x, ir_i32((1u << f->sign) - 1)), r = widened(L, f, x), nan;

	if (f->nan != f->most) {
		nan = ir_icmp(B, 32, IR_HI, m, ir_i32(f->bias == 15 ? 0x7c : 0x7e));
		r = lo_sel(L, nan, ir_i32(CANONICAL_NAN), r);
	}
	return lo_relu(L, r);
}

void
lower_cvt_from_fp8(lower *L)
{
	const format *f = format_of(L);
	ir_opnd x = lo_src(L, 1, f->sign < 4 ? PTX_B8 : PTX_B16);

	lo_dst(L, lo_pair(L, widen(L, f, x), widen(L, f, ir_g2(&L->b, G_lshr32, x, ir_i32(spacing(f))))));
}

/* ---- ue8m0: f32's exponent alone; 0 is 2^-127, 255 NaN ---- */

enum { UE8M0_NAN = 255, HALF_OF_LEAST = 1 << 22 /* 2^-127 */ };

/* The sign does not count. Upwards, whatever is above a power of two. */
static ir_opnd
exponent(lower *L, ir_opnd x)
{
	ir_builder *B = &L->b;
	ir_opnd m = ir_g2(B, G_and32, x, ir_i32(0x7fffffff)), r = m, above;

	if (lo_has(L, PTX_M_rp)) {
		above = ir_icmp(B, 32, IR_HI, m, ir_i32(HALF_OF_LEAST));
		r = ir_g2(B, G_add32, m, lo_sel(L, above, ir_i32((1u << F32_BITS) - 1), ir_i32(0)));
	}
	r = ir_g2(B, G_lshr32, r, ir_i32(F32_BITS));
	if (lo_has(L, PTX_M_satfinite))
		r = ir_g2(B, G_min_u32, r, ir_i32(UE8M0_NAN - 1));
	return lo_sel(L, lo_fcmp(L, 32, IR_NAN, exact, x, x), ir_i32(UE8M0_NAN), r);
}

void
lower_cvt_to_ue8m0(lower *L)
{
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 1);
	bool pair = lo_is_pair(t);
	ir_opnd high = exponent(L, pair ? lo_half_src(L, 1, t, 1) : lo_src(L, 1, t));
	ir_opnd low = exponent(L, pair ? lo_half_src(L, 1, t, 0) : lo_src(L, 2, t));

	lo_dst(L, ir_g2(B, G_or32, low, ir_g2(B, G_shl32, high, ir_i32(8))));
}

static ir_opnd
power_of_two(lower *L, ir_opnd e)
{
	ir_builder *B = &L->b;
	ir_opnd r = ir_g2(B, G_shl32, e, ir_i32(7));

	r = lo_sel(L, ir_icmp(B, 32, IR_EQ, e, ir_i32(0)), ir_i32(0x40), r);
	return lo_sel(L, ir_icmp(B, 32, IR_EQ, e, ir_i32(UE8M0_NAN)), ir_i32(CANONICAL_NAN), r);
}

void
lower_cvt_from_ue8m0(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd x = lo_src(L, 1, PTX_B16), low = ir_g2(B, G_and32, x, ir_i32(255));

	lo_dst(L, lo_pair(L, power_of_two(L, low), power_of_two(L, ir_g3(B, G_bfe_u32, x, ir_i32(8), ir_i32(8)))));
}
