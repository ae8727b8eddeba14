/* test_salu.c -- results and SCC of the scalar instructions on edge values, on four chips,
 * against C written from the manuals' words. Each instruction runs in a loop over a table of
 * operands. s[20:21], s[22:23] are the sources, s[24:25] the result over an old value, s26 SCC
 * before and after. */
#include <math.h>

#include "vec.h"

typedef struct st {
	uint64_t d;
	unsigned scc;
} st;
typedef st (*ref)(uint64_t a, uint64_t b, st w);
#define U(x) ((uint32_t)(x))
#define I(x) ((int32_t)(uint32_t)(x))
#define R(name, ...) static st name(uint64_t a, uint64_t b, st w) { (void)a; (void)b; __VA_ARGS__; return w; }
#define NZ w.scc = w.d != 0

static int64_t sx(uint64_t x, unsigned n)
{
	if (n == 0)
		return 0;
	x = n < 64 ? x & ((UINT64_C(1) << n) - 1) : x;
	return (int64_t)(n < 64 && x >> (n - 1) & 1 ? x - (UINT64_C(1) << n) : x);
}
static uint64_t lowmask(unsigned n) { return n > 63 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }
static unsigned count(uint64_t x)
{
	unsigned n = 0;
	for (; x; x &= x - 1)
		n++;
	return n;
}
/* distance from `from` of the first one */
static uint64_t find(uint64_t x, int from, int to, int by)
{
	for (int k = from; k != to; k += by)
		if (x >> k & 1)
			return (uint64_t)((k - from) * by);
	return UINT32_MAX;
}

R(add, w.d = U(a + b); w.scc = U(a) + (uint64_t)U(b) > UINT32_MAX)
R(sub, w.d = U(a - b); w.scc = U(b) > U(a))
R(addi, w.d = U(a + b); w.scc = (int64_t)I(a) + I(b) != I(w.d))
R(subi, w.d = U(a - b); w.scc = (int64_t)I(a) - I(b) != I(w.d))
R(addc, uint64_t t = (uint64_t)U(a) + U(b) + w.scc; w.d = U(t); w.scc = t > UINT32_MAX)
R(subb, uint64_t t = (uint64_t)U(b) + w.scc; w.d = U(U(a) - t); w.scc = U(a) < t)
R(mini, w.scc = I(a) < I(b); w.d = w.scc ? U(a) : U(b))
R(minu, w.scc = U(a) < U(b); w.d = w.scc ? U(a) : U(b))
R(maxi, w.scc = I(a) > I(b); w.d = w.scc ? U(a) : U(b))
R(maxu, w.scc = U(a) > U(b); w.d = w.scc ? U(a) : U(b))
R(csel, w.d = w.scc ? U(a) : U(b))
R(csel64, w.d = w.scc ? a : b)
R(and32, w.d = U(a & b); NZ)
R(and64, w.d = a & b; NZ)
R(or32, w.d = U(a | b); NZ)
R(or64, w.d = a | b; NZ)
R(xor32, w.d = U(a ^ b); NZ)
R(xor64, w.d = a ^ b; NZ)
R(andn32, w.d = U(a & ~b); NZ)
R(andn64, w.d = a & ~b; NZ)
R(orn32, w.d = U(a | ~b); NZ)
R(orn64, w.d = a | ~b; NZ)
R(nand32, w.d = U(~(a & b)); NZ)
R(nand64, w.d = ~(a & b); NZ)
R(nor32, w.d = U(~(a | b)); NZ)
R(nor64, w.d = ~(a | b); NZ)
R(xnor32, w.d = U(~(a ^ b)); NZ)
R(xnor64, w.d = ~(a ^ b); NZ)
R(shl32, w.d = U(a << (b & 31)); NZ)
R(shl64, w.d = a << (b & 63); NZ)
R(shr32, w.d = U(a) >> (b & 31); NZ)
R(shr64, w.d = a >> (b & 63); NZ)
R(sar32, w.d = U(sx(a, 32) >> (b & 31)); NZ)
R(sar64, w.d = (uint64_t)(sx(a, 64) >> (b & 63)); NZ)
R(bfm32, w.d = U(lowmask(a & 31) << (b & 31)))
R(bfm64, w.d = lowmask(a & 63) << (b & 63))
R(mul, w.d = U(a * b))
R(bfeu, w.d = U(U(a) >> (b & 31) & lowmask(b >> 16 & 127)); NZ)
R(bfei, unsigned n = b >> 16 & 127; w.d = U(sx((uint64_t)(sx(a, 32) >> (b & 31)), n)); NZ)
R(bfeu64, w.d = a >> (b & 63) & lowmask(b >> 16 & 127); NZ)
R(bfei64, unsigned n = b >> 16 & 127; w.d = (uint64_t)sx((uint64_t)(sx(a, 64) >> (b & 63)), n); NZ)
R(absdiff, int64_t t = I(U(a - b)); w.d = U(t < 0 ? -t : t); NZ)
R(lsh1, uint64_t t = ((uint64_t)U(a) << 1) + U(b); w.d = U(t); w.scc = t > UINT32_MAX)
R(lsh2, uint64_t t = ((uint64_t)U(a) << 2) + U(b); w.d = U(t); w.scc = t > UINT32_MAX)
R(lsh3, uint64_t t = ((uint64_t)U(a) << 3) + U(b); w.d = U(t); w.scc = t > UINT32_MAX)
R(lsh4, uint64_t t = ((uint64_t)U(a) << 4) + U(b); w.d = U(t); w.scc = t > UINT32_MAX)
R(pll, w.d = U((a & 0xffff) | b << 16))
R(plh, w.d = U((a & 0xffff) | (b & 0xffff0000)))
R(phh, w.d = U(U(a) >> 16 | (b & 0xffff0000)))
R(phl, w.d = U(U(a) >> 16 | b << 16))
R(mulhu, w.d = (uint64_t)U(a) * U(b) >> 32)
R(mulhi, w.d = U((uint64_t)(sx(a, 32) * sx(b, 32)) >> 32))
R(add64, w.d = a + b)
R(sub64, w.d = a - b)
R(mul64, w.d = a * b)
R(mov32, w.d = U(a))
R(mov64, w.d = a)
R(cmov32, w.d = w.scc ? U(a) : U(w.d))
R(cmov64, w.d = w.scc ? a : w.d)
R(not32, w.d = U(~a); NZ)
R(not64, w.d = ~a; NZ)
R(brev32, uint64_t d = 0; for (int k = 0; k < 32; k++) d |= (a >> k & 1) << (31 - k); w.d = d)
R(brev64, uint64_t d = 0; for (int k = 0; k < 64; k++) d |= (a >> k & 1) << (63 - k); w.d = d)
R(c0_32, w.d = 32 - count(U(a)); NZ)
R(c0_64, w.d = 64 - count(a); NZ)
R(c1_32, w.d = count(U(a)); NZ)
R(c1_64, w.d = count(a); NZ)
R(f0_32, w.d = find(~a, 0, 32, 1))
R(f0_64, w.d = find(~a, 0, 64, 1))
R(f1_32, w.d = find(a, 0, 32, 1))
R(f1_64, w.d = find(a, 0, 64, 1))
R(fl32, w.d = find(a, 31, -1, -1))
R(fl64, w.d = find(a, 63, -1, -1))
R(fli32, w.d = find(I(a) < 0 ? ~a : a, 31, -1, -1))
R(fli64, w.d = find((int64_t)a < 0 ? ~a : a, 63, -1, -1))
R(sx8, w.d = U(sx(a, 8)))
R(sx16, w.d = U(sx(a, 16)))
R(bs0_32, w.d = U(w.d) & ~U(1u << (a & 31)))
R(bs0_64, w.d &= ~(UINT64_C(1) << (a & 63)))
R(bs1_32, w.d = U(w.d) | 1u << (a & 31))
R(bs1_64, w.d |= UINT64_C(1) << (a & 63))
R(absi, w.d = U(I(a) < 0 ? -(int64_t)I(a) : I(a)); NZ)
R(quad32, uint64_t d = 0; for (int k = 0; k < 8; k++) d |= (uint64_t)((a >> 4 * k & 15) != 0) << k; w.d = d; NZ)
R(quad64, uint64_t d = 0; for (int k = 0; k < 16; k++) d |= (uint64_t)((a >> 4 * k & 15) != 0) << k; w.d = d; NZ)
R(rep, uint64_t d = 0; for (int k = 0; k < 64; k++) d |= (a >> k / 2 & 1) << k; w.d = d)
#define CMP(name, e) R(name, w.scc = (e))
CMP(eq, U(a) == U(b)) CMP(lg, U(a) != U(b))
CMP(gti, I(a) > I(b)) CMP(gei, I(a) >= I(b)) CMP(lti, I(a) < I(b)) CMP(lei, I(a) <= I(b))
CMP(gtu, U(a) > U(b)) CMP(geu, U(a) >= U(b)) CMP(ltu, U(a) < U(b)) CMP(leu, U(a) <= U(b))
CMP(bc0_32, !(a >> (b & 31) & 1)) CMP(bc0_64, !(a >> (b & 63) & 1))
CMP(bc1_32, a >> (b & 31) & 1) CMP(bc1_64, a >> (b & 63) & 1)
CMP(eq64, a == b) CMP(lg64, a != b)

/* A constant of 16 bits is this one. */
enum { IMM = -0x1235 };
R(cmpk_eq, w.scc = I(a) == IMM)
R(cmpk_lg, w.scc = I(a) != IMM)
R(cmpk_gt, w.scc = I(a) > IMM)
R(cmpk_ge, w.scc = I(a) >= IMM)
R(cmpk_lt, w.scc = I(a) < IMM)
R(cmpk_le, w.scc = I(a) <= IMM)
R(cmpk_equ, w.scc = U(a) == (uint16_t)IMM)
R(cmpk_lgu, w.scc = U(a) != (uint16_t)IMM)
R(cmpk_gtu, w.scc = U(a) > (uint16_t)IMM)
R(cmpk_geu, w.scc = U(a) >= (uint16_t)IMM)
R(cmpk_ltu, w.scc = U(a) < (uint16_t)IMM)
R(cmpk_leu, w.scc = U(a) <= (uint16_t)IMM)
R(mulk, w.d = U(U(w.d) * (uint32_t)IMM))
R(addk, int64_t t = (int64_t)I(w.d) + IMM; w.d = U(t); w.scc = t != I(w.d))
R(cmovk, w.d = w.scc ? U(IMM) : U(w.d))

/* Floats. */
static float fl(uint64_t x) { uint32_t u = U(x); float f; memcpy(&f, &u, 4); return f; }
static uint64_t of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static float hf(uint64_t x) { uint16_t u = (uint16_t)x; _Float16 h; memcpy(&h, &u, 2); return (float)h; }
static uint64_t oh(double d) { _Float16 h = (_Float16)d; uint16_t u; memcpy(&u, &h, 2); return u; }
#define COMPARISONS(X) X(lt, x < y) X(eq, x == y) X(le, x <= y) X(gt, x > y) X(lg, x < y || x > y) X(ge, x >= y) \
	X(o, x == x && y == y) X(u, x != x || y != y) X(nge, !(x >= y)) X(nlg, !(x < y || x > y)) X(ngt, !(x > y)) X(nle, !(x <= y)) \
	X(neq, x != y) X(nlt, !(x < y))
#define X(name, e) R(f32_##name, float x = fl(a); float y = fl(b); w.scc = (unsigned)(e)) R(f16_##name, float x = hf(a); float y = hf(b); w.scc = (unsigned)(e))
COMPARISONS(X)
#undef X
static float least(float x, float y) { return x != x ? y : y != y ? x : x < y || (x == y && signbit(x)) ? x : y; }
static float strict_least(float x, float y) { return x != x || y != y ? NAN : least(x, y); }
R(addf, w.d = of(fl(a) + fl(b)))
R(mulf, w.d = of(fl(a) * fl(b)))
R(minf, w.d = of(least(fl(a), fl(b))))
R(maxf, w.d = of(-least(-fl(a), -fl(b))))
R(minimumf, w.d = of(strict_least(fl(a), fl(b))))
R(maximumf, w.d = of(-strict_least(-fl(a), -fl(b))))
R(ceilf_, w.d = of(ceilf(fl(a))))
R(floorf_, w.d = of(floorf(fl(a))))
R(truncf_, w.d = of(truncf(fl(a))))
R(rndnef, w.d = of(rintf(fl(a))))
R(addh, w.d = oh(hf(a) + hf(b)))
R(subh, w.d = oh(hf(a) - hf(b)))
R(mulh, w.d = oh(hf(a) * hf(b)))
R(minh, w.d = oh(least(hf(a), hf(b))))
R(maxh, w.d = oh(-least(-hf(a), -hf(b))))
R(minimumh, w.d = oh(strict_least(hf(a), hf(b))))
R(maximumh, w.d = oh(-strict_least(-hf(a), -hf(b))))
__extension__ typedef __float128 exact;
R(fmach, exact t = (exact)hf(a) * hf(b) + hf(w.d); _Float16 h = (_Float16)t; uint16_t u; memcpy(&u, &h, 2); w.d = u)
R(ceilh, w.d = oh(ceilf(hf(a))))
R(floorh, w.d = oh(floorf(hf(a))))
R(trunch, w.d = oh(truncf(hf(a))))
R(rndneh, w.d = oh(rintf(hf(a))))
R(f_u, w.d = of((float)U(a)))
R(f_i, w.d = of((float)I(a)))
R(u_f, float x = fl(a); w.d = x > 0 ? x >= 0x1p32f ? UINT32_MAX : (uint32_t)x : 0)
R(f_hi, w.d = of(hf(U(a) >> 16)))
R(f_h, w.d = of(hf(a)))

enum { HALF = 16, FLOAT = 33 };
static const struct row {
	uint16_t op;
	ref want;
	unsigned width;              /* of the result; HALF, FLOAT: any NaN is as good as another */
} rows[] = {
#define X(name, e) { OP_s_cmp_##name##_f32, f32_##name, 0 }, { OP_s_cmp_##name##_f16, f16_##name, 0 },
	COMPARISONS(X)
#undef X
	{ OP_s_cmpk_eq_i32, cmpk_eq, 0 }, { OP_s_cmpk_lg_i32, cmpk_lg, 0 }, { OP_s_cmpk_gt_i32, cmpk_gt, 0 },
	{ OP_s_cmpk_ge_i32, cmpk_ge, 0 }, { OP_s_cmpk_lt_i32, cmpk_lt, 0 }, { OP_s_cmpk_le_i32, cmpk_le, 0 },
	{ OP_s_cmpk_eq_u32, cmpk_equ, 0 }, { OP_s_cmpk_lg_u32, cmpk_lgu, 0 }, { OP_s_cmpk_gt_u32, cmpk_gtu, 0 },
	{ OP_s_cmpk_ge_u32, cmpk_geu, 0 }, { OP_s_cmpk_lt_u32, cmpk_ltu, 0 }, { OP_s_cmpk_le_u32, cmpk_leu, 0 },
	{ OP_s_mulk_i32, mulk, 32 }, { OP_s_addk_i32, addk, 32 }, { OP_s_cmovk_i32, cmovk, 32 },
	{ OP_s_add_f32, addf, FLOAT }, { OP_s_mul_f32, mulf, FLOAT }, { OP_s_min_f32, minf, FLOAT }, { OP_s_max_f32, maxf, FLOAT },
	{ OP_s_minimum_f32, minimumf, FLOAT }, { OP_s_maximum_f32, maximumf, FLOAT }, { OP_s_ceil_f32, ceilf_, FLOAT },
	{ OP_s_floor_f32, floorf_, FLOAT }, { OP_s_trunc_f32, truncf_, FLOAT }, { OP_s_rndne_f32, rndnef, FLOAT },
	{ OP_s_add_f16, addh, HALF }, { OP_s_sub_f16, subh, HALF }, { OP_s_mul_f16, mulh, HALF }, { OP_s_min_f16, minh, HALF },
	{ OP_s_max_f16, maxh, HALF }, { OP_s_minimum_f16, minimumh, HALF }, { OP_s_maximum_f16, maximumh, HALF },
	{ OP_s_fmac_f16, fmach, HALF }, { OP_s_ceil_f16, ceilh, HALF }, { OP_s_floor_f16, floorh, HALF },
	{ OP_s_trunc_f16, trunch, HALF }, { OP_s_rndne_f16, rndneh, HALF }, { OP_s_cvt_f32_u32, f_u, FLOAT },
	{ OP_s_cvt_f32_i32, f_i, FLOAT }, { OP_s_cvt_u32_f32, u_f, 32 }, { OP_s_cvt_hi_f32_f16, f_hi, FLOAT },
	{ OP_s_cvt_f32_f16, f_h, FLOAT },
	{ OP_s_add_u32, add, 32 }, { OP_s_sub_u32, sub, 32 }, { OP_s_add_i32, addi, 32 },
	{ OP_s_sub_i32, subi, 32 },
	{ OP_s_addc_u32, addc, 32 }, { OP_s_subb_u32, subb, 32 }, { OP_s_min_i32, mini, 32 },
	{ OP_s_min_u32, minu, 32 },
	{ OP_s_max_i32, maxi, 32 }, { OP_s_max_u32, maxu, 32 }, { OP_s_cselect_b32, csel, 32 },
	{ OP_s_cselect_b64, csel64, 64 },
	{ OP_s_and_b32, and32, 32 }, { OP_s_and_b64, and64, 64 }, { OP_s_or_b32, or32, 32 },
	{ OP_s_or_b64, or64, 64 },
	{ OP_s_xor_b32, xor32, 32 }, { OP_s_xor_b64, xor64, 64 }, { OP_s_andn2_b32, andn32, 32 },
	{ OP_s_andn2_b64, andn64, 64 },
	{ OP_s_orn2_b32, orn32, 32 }, { OP_s_orn2_b64, orn64, 64 }, { OP_s_nand_b32, nand32, 32 },
	{ OP_s_nand_b64, nand64, 64 },
	{ OP_s_nor_b32, nor32, 32 }, { OP_s_nor_b64, nor64, 64 }, { OP_s_xnor_b32, xnor32, 32 },
	{ OP_s_xnor_b64, xnor64, 64 },
	{ OP_s_lshl_b32, shl32, 32 }, { OP_s_lshl_b64, shl64, 64 }, { OP_s_lshr_b32, shr32, 32 },
	{ OP_s_lshr_b64, shr64, 64 },
	{ OP_s_ashr_i32, sar32, 32 }, { OP_s_ashr_i64, sar64, 64 }, { OP_s_bfm_b32, bfm32, 32 },
	{ OP_s_bfm_b64, bfm64, 64 },
	{ OP_s_mul_i32, mul, 32 }, { OP_s_bfe_u32, bfeu, 32 }, { OP_s_bfe_i32, bfei, 32 },
	{ OP_s_bfe_u64, bfeu64, 64 },
	{ OP_s_bfe_i64, bfei64, 64 }, { OP_s_absdiff_i32, absdiff, 32 },
	{ OP_s_lshl1_add_u32, lsh1, 32 },
	{ OP_s_lshl2_add_u32, lsh2, 32 }, { OP_s_lshl3_add_u32, lsh3, 32 },
	{ OP_s_lshl4_add_u32, lsh4, 32 },
	{ OP_s_pack_ll_b32_b16, pll, 32 }, { OP_s_pack_lh_b32_b16, plh, 32 },
	{ OP_s_pack_hh_b32_b16, phh, 32 },
	{ OP_s_pack_hl_b32_b16, phl, 32 }, { OP_s_mul_hi_u32, mulhu, 32 },
	{ OP_s_mul_hi_i32, mulhi, 32 },
	{ OP_s_add_nc_u64, add64, 64 }, { OP_s_sub_nc_u64, sub64, 64 }, { OP_s_mul_u64, mul64, 64 },
	{ OP_s_mov_b32, mov32, 32 },
	{ OP_s_mov_b64, mov64, 64 }, { OP_s_cmov_b32, cmov32, 32 }, { OP_s_cmov_b64, cmov64, 64 },
	{ OP_s_not_b32, not32, 32 },
	{ OP_s_not_b64, not64, 64 }, { OP_s_brev_b32, brev32, 32 }, { OP_s_brev_b64, brev64, 64 },
	{ OP_s_bcnt0_i32_b32, c0_32, 32 },
	{ OP_s_bcnt0_i32_b64, c0_64, 32 }, { OP_s_bcnt1_i32_b32, c1_32, 32 },
	{ OP_s_bcnt1_i32_b64, c1_64, 32 },
	{ OP_s_ff0_i32_b32, f0_32, 32 }, { OP_s_ff0_i32_b64, f0_64, 32 },
	{ OP_s_ff1_i32_b32, f1_32, 32 },
	{ OP_s_ff1_i32_b64, f1_64, 32 }, { OP_s_flbit_i32_b32, fl32, 32 },
	{ OP_s_flbit_i32_b64, fl64, 32 },
	{ OP_s_flbit_i32, fli32, 32 }, { OP_s_flbit_i32_i64, fli64, 32 },
	{ OP_s_sext_i32_i8, sx8, 32 },
	{ OP_s_sext_i32_i16, sx16, 32 }, { OP_s_bitset0_b32, bs0_32, 32 },
	{ OP_s_bitset0_b64, bs0_64, 64 },
	{ OP_s_bitset1_b32, bs1_32, 32 }, { OP_s_bitset1_b64, bs1_64, 64 },
	{ OP_s_abs_i32, absi, 32 },
	{ OP_s_quadmask_b32, quad32, 32 }, { OP_s_quadmask_b64, quad64, 64 },
	{ OP_s_bitreplicate_b64_b32, rep, 64 },
	{ OP_s_cmp_eq_i32, eq, 0 }, { OP_s_cmp_lg_i32, lg, 0 }, { OP_s_cmp_gt_i32, gti, 0 },
	{ OP_s_cmp_ge_i32, gei, 0 },
	{ OP_s_cmp_lt_i32, lti, 0 }, { OP_s_cmp_le_i32, lei, 0 }, { OP_s_cmp_eq_u32, eq, 0 },
	{ OP_s_cmp_lg_u32, lg, 0 },
	{ OP_s_cmp_gt_u32, gtu, 0 }, { OP_s_cmp_ge_u32, geu, 0 }, { OP_s_cmp_lt_u32, ltu, 0 },
	{ OP_s_cmp_le_u32, leu, 0 },
	{ OP_s_bitcmp0_b32, bc0_32, 0 }, { OP_s_bitcmp0_b64, bc0_64, 0 },
	{ OP_s_bitcmp1_b32, bc1_32, 0 },
	{ OP_s_bitcmp1_b64, bc1_64, 0 }, { OP_s_cmp_eq_u64, eq64, 0 }, { OP_s_cmp_lg_u64, lg64, 0 },
};

enum { N = 2000 };
typedef struct rec { uint64_t a, b, scc, pad; } rec;
typedef struct res { uint64_t d; uint32_t scc, pad; } res;
#define OLD UINT64_C(0x8877665544332211)

static void instruction(t_code *c, unsigned op)
{
	const isa_info *info = &isa_table[op];
	p2a_inst i = { .op = (uint16_t)op, .nargs = info->nargs };
	unsigned next = 20;
	for (unsigned k = 0; k < info->nargs; k++) {
		if (info->arg[k].type == ISA_T_NONE) {
			i.arg[k] = (p2a_opnd)K(info->arg[k].slot == ISA_SL_SIMM ? IMM : (uint16_t)IMM);
			continue;
		}
		i.arg[k] = (p2a_opnd)SN(info->arg[k].def ? 24 : next, info->arg[k].width);
		next += info->arg[k].def ? 0 : 2;
	}
	t_emit(c, &i);
}

/* One wave loops over the records; lane 0 stores the results. */
static void kernel(t_code *c, unsigned op)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(1), K(0));
	OP(c, s_mov_b32, S(9), K(N));
	size_t top = c->n;
	MEM(c, s_load_dwordx4, 0, SN(20, 4), SN(4, 2), OFF);
	MEM(c, s_load_dword, 16, S(26), SN(4, 2), OFF);
	OP(c, s_mov_b32, S(24), K((int32_t)(uint32_t)OLD));
	OP(c, s_mov_b32, S(25), K((int32_t)(OLD >> 32)));
	t_wait(c);
	OP(c, s_cmp_lg_u32, S(26), K(0));
	instruction(c, op);
	OP(c, s_cselect_b32, S(26), K(1), K(0));
	OP(c, v_mov_b32, V(2), S(24));
	OP(c, v_mov_b32, V(3), S(25));
	OP(c, v_mov_b32, V(4), S(26));
	MEM(c, global_store_dwordx2, 0, V(1), VN(2, 2), SN(6, 2));
	MEM(c, global_store_dword, 8, V(1), V(4), SN(6, 2));
	OP(c, s_add_u32, S(4), S(4), K(sizeof(rec)));
	OP(c, s_addc_u32, S(5), S(5), K(0));
	OP(c, s_add_u32, S(6), S(6), K(sizeof(res)));
	OP(c, s_addc_u32, S(7), S(7), K(0));
	OP(c, s_sub_u32, S(9), S(9), K(1));
	OP(c, s_cmp_lg_u32, S(9), K(0));
	t_back(c, OP_s_cbranch_scc1, top);
	t_op(c, OP_s_endpgm, NULL, 0);
}

static rec in[N];

/* Above a half the rest is as the instruction leaves it. */
static bool same_float(unsigned width, uint64_t got, uint64_t want)
{
	if (width == HALF)
		return (uint16_t)got == (uint16_t)want || (hf(got) != hf(got) && hf(want) != hf(want));
	return got >> 32 == OLD >> 32 && (U(got) == U(want) || (fl(got) != fl(got) && fl(want) != fl(want)));
}

static const char *compare(const struct row *r, const res *out)
{
	static char why[256];
	for (unsigned i = 0; i < N; i++) {
		st w = r->want(in[i].a, in[i].b, (st){ OLD, (unsigned)in[i].scc });
		uint64_t d = r->width == 64 ? w.d
			: r->width == 0	    ? OLD
					    : (OLD & ~(uint64_t)UINT32_MAX) | U(w.d);
		bool good = r->width == HALF || r->width == FLOAT ? same_float(r->width, out[i].d, w.d) : out[i].d == d;
		if (good && out[i].scc == w.scc)
			continue;
		snprintf(why, sizeof why, "(%llx, %llx, scc %u): %llx scc %u, not %llx scc %u", (unsigned long long)in[i].a,
			(unsigned long long)in[i].b, (unsigned)in[i].scc, (unsigned long long)out[i].d, out[i].scc,
			(unsigned long long)d, w.scc);
		return why;
	}
	return NULL;
}

static void check(const char *chip, const struct row *r)
{
	const isa_info *info = &isa_table[r->op];
	unsigned first = info->arg[info->ndefs < info->nargs ? info->ndefs : 0].type;
	unsigned type = first == ISA_T_F32 || first == ISA_T_F16 ? first : ISA_T_B64;
	char name[64];
	t_run run;
	if (!isa_has(p2a_target_find(chip), r->op))
		return;
	for (unsigned i = 0; i < N; i++)
		in[i] = (rec){ vec_edge(type), vec_edge(type), t_random() >> 63, 0 };
	for (unsigned i = 0; i < N && info->nargs > info->ndefs && info->arg[info->nargs - 1].type == ISA_T_NONE; i += 3)
		in[i].a = i & 1 ? (uint64_t)(int64_t)IMM : (uint16_t)IMM;
	t_code *c = t_new(chip);
	kernel(c, r->op);
	snprintf(name, sizeof name, "%s %s", chip, isa_table[r->op].name);
	if (t_load(&run, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { emu_alloc(run.dev, sizeof in),
			emu_alloc(run.dev, N * sizeof(res)) };
		memcpy((void *)(uintptr_t)args[0], in, sizeof in);
		emu_launch_config l = {
			.block = { 1, 1, 1 }, .args = args, .args_size = sizeof args
		};
		emu_status s = emu_launch(run.dev, run.k, &l, &run.r);
		t_result(name,
			s != EMU_OK ? run.r.fault.message
				    : compare(r, (const res *)(uintptr_t)args[1]));
	}
	t_unload(&run);
	free(c);
}

int main(void)
{
	for (const char *const *chip = t_chips; *chip; chip++)
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			check(*chip, &rows[k]);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (!isa_has(p2a_target_find("gfx1100"), rows[k].op))
			check("gfx1150", &rows[k]);
	return t_end();
}
