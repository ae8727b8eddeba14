/* test_ops.c -- results of the integer and comparison instructions of the vector unit on edge
 * values and random ones, on four chips, against C written from the manuals' words, bit by bit
 * where that is plainer.
 * Uses nothing of the emulator's own arithmetic. */
#include "vec.h"

enum { KEPT = 17 };
typedef struct want {
	uint64_t d;
	int mask;
} want;
typedef want (*ref)(uint64_t a, uint64_t b, uint64_t c, int ci);
#define U(x) ((uint32_t)(x))
#define I(x) ((int32_t)(uint32_t)(x))
#define R(name, ...) static want name(uint64_t a, uint64_t b, uint64_t c, int ci) \
	{ (void)a; (void)b; (void)c; (void)ci; want w = { 0, 0 }; __VA_ARGS__; return w; }

static uint64_t bits(uint64_t x, unsigned lo, unsigned n)       /* n bits of x from lo on */
{
	uint64_t r = 0;
	for (unsigned k = 0; k < n; k++)
		if (lo + k < 64 && x >> (lo + k) & 1)
			r |= (uint64_t)1 << k;
	return r;
}
static int64_t sext(uint64_t x, unsigned n)
{
	x = bits(x, 0, n);
	return (int64_t)(n < 64 && x >> (n - 1) & 1 ? x - ((uint64_t)1 << n) : x);
}
static unsigned ones(uint64_t x)
{
	unsigned n = 0;
	for (; x; x >>= 1)
		n += x & 1;
	return n;
}
static uint64_t mul_hi(uint64_t a, uint64_t b, bool sign)
{
	__extension__ typedef __int128 wide;
	wide p = sign ? (wide)(int64_t)a * (int64_t)b : (wide)a * (wide)b;
	return (uint64_t)(p >> 32);
}
static uint32_t byte_of(uint32_t a, uint32_t b, unsigned sel)
{
	const uint32_t in[8] = { b & 255, b >> 8 & 255, b >> 16 & 255, b >> 24, a & 255,
		a >> 8 & 255, a >> 16 & 255, a >> 24 };
	if (sel > 12)
		return 255;
	if (sel == 12)
		return 0;
	return sel < 8 ? in[sel] : in[(sel - 8) * 2 + 1] & 128 ? 255 : 0;
}
static uint32_t diff(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static uint32_t sad(uint32_t a, uint32_t b)
{
	uint32_t d = 0;
	for (int k = 0; k < 4; k++)
		d += diff((uint8_t)(a >> 8 * k), (uint8_t)(b >> 8 * k));
	return d;
}
static int64_t med(int64_t a, int64_t b, int64_t c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}
static int64_t lim(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }
static unsigned lead(uint32_t x)
{
	unsigned n = 0;
	while (n < 32 && !(x >> (31 - n) & 1))
		n++;
	return n;
}

R(mov, w.d = U(a))
R(mov64, w.d = a)
R(not, w.d = U(~a))
R(rev, for (int k = 0; k < 32; k++) w.d |= (a >> k & 1) << (31 - k))
R(ffbh, w.d = U(a) ? lead(U(a)) : UINT32_MAX)
R(ffbl, w.d = UINT32_MAX; for (int k = 31; k >= 0; k--) if (a >> k & 1) w.d = (unsigned)k)
R(ffbhi, w.d = U(a) == 0 || U(a) == UINT32_MAX ? UINT32_MAX : lead(I(a) < 0 ? ~U(a) : U(a)))
R(i16, w.d = U(sext(a, 16)))
R(u16, w.d = bits(a, 0, 16))
R(cnd, w.d = ci ? U(b) : U(a))
R(muli24, w.d = U(sext(a, 24) * sext(b, 24)))
R(mulhi24, w.d = U((uint64_t)(sext(a, 24) * sext(b, 24)) >> 32))
R(mulu24, w.d = U(bits(a, 0, 24) * bits(b, 0, 24)))
R(mulhiu24, w.d = bits(a, 0, 24) * bits(b, 0, 24) >> 32)
R(mini, w.d = I(a) < I(b) ? U(a) : U(b))
R(maxi, w.d = I(a) < I(b) ? U(b) : U(a))
R(minu, w.d = U(a) < U(b) ? U(a) : U(b))
R(maxu, w.d = U(a) < U(b) ? U(b) : U(a))
R(shr, w.d = bits(U(b), a & 31, 32))
R(sar, w.d = U(sext(b, 32) >> (a & 31)))
R(shl, w.d = U(b << (a & 31)))
R(and, w.d = U(a & b))
R(or, w.d = U(a | b))
R(xor, w.d = U(a ^ b))
R(xnor, w.d = U(~(a ^ b)))
R(addco, w.d = U(a + b); w.mask = U(a) + (uint64_t)U(b) > UINT32_MAX)
R(subco, w.d = U(a - b); w.mask = U(b) > U(a))
R(subrevco, w.d = U(b - a); w.mask = U(a) > U(b))
R(addc, w.d = U(a + b + (unsigned)ci); w.mask = U(a) + (uint64_t)U(b) + (unsigned)ci > UINT32_MAX)
R(subb, w.d = U(a - b - (unsigned)ci); w.mask = U(b) + (uint64_t)ci > U(a))
R(subbrev, w.d = U(b - a - (unsigned)ci); w.mask = U(a) + (uint64_t)ci > U(b))
R(add, w.d = U(a + b))
R(sub, w.d = U(a - b))
R(subrev, w.d = U(b - a))
R(mullo, w.d = U(a * b))
R(mulhu, w.d = U(mul_hi(U(a), U(b), false)))
R(mulhi, w.d = U(mul_hi((uint64_t)sext(a, 32), (uint64_t)sext(b, 32), true)))
R(bcnt, w.d = U(ones(U(a)) + b))
R(shl64, w.d = b << (a & 63))
R(shr64, w.d = b >> (a & 63))
R(sar64, w.d = (uint64_t)((int64_t)b >> (a & 63)))
R(bfm, w.d = U(bits(UINT64_MAX, 0, a & 31) << (b & 31)))
R(pku16, w.d = (uint64_t)lim(U(a), 0, 65535) | (uint64_t)lim(U(b), 0, 65535) << 16)
R(pki16, w.d = U(lim(I(a), -32768, 32767) & 0xffff) | U(lim(I(b), -32768, 32767)) << 16)
R(pack, w.d = (a & 0xffff) | U(b << 16))
R(madi24, w.d = U((uint64_t)(sext(a, 24) * sext(b, 24)) + c))
R(madu24, w.d = U(bits(a, 0, 24) * bits(b, 0, 24) + c))
R(bfeu, w.d = bits(U(a), b & 31, c & 31))
R(bfei, unsigned p = b & 31; unsigned n = c & 31; unsigned m = p + n > 32 ? 32 - p : n;
	w.d = n ? U(sext(bits(U(a), p, m), m)) : 0)
R(bfi, for (int k = 0; k < 32; k++) w.d |= ((a >> k & 1) ? b >> k & 1 : c >> k & 1) << k)
R(lerp, for (int k = 0; k < 4; k++)
	w.d |= (bits(a, 8u * (unsigned)k, 8) + bits(b, 8u * (unsigned)k, 8) + (c >> 8 * k & 1)) / 2 << 8 * k)
R(alignbit, w.d = U((U(a) * (UINT64_C(1) << 32) + U(b)) >> (c & 31)))
R(alignbyte, w.d = U((U(a) * (UINT64_C(1) << 32) + U(b)) >> 8 * (c & 3)))
R(min3i, w.d = U(lim(I(a), INT32_MIN, lim(I(b), INT32_MIN, I(c)))))
R(min3u, uint32_t m = U(a) < U(b) ? U(a) : U(b); w.d = m < U(c) ? m : U(c))
R(max3i, int32_t m = I(a) > I(b) ? I(a) : I(b); w.d = U(m > I(c) ? m : I(c)))
R(max3u, uint32_t m = U(a) > U(b) ? U(a) : U(b); w.d = m > U(c) ? m : U(c))
R(med3i, w.d = U(med(I(a), I(b), I(c))))
R(med3u, w.d = U(med(U(a), U(b), U(c))))
R(minmaxi, int32_t m = I(a) < I(b) ? I(a) : I(b); w.d = U(m > I(c) ? m : I(c)))
R(maxmini, int32_t m = I(a) > I(b) ? I(a) : I(b); w.d = U(m < I(c) ? m : I(c)))
R(minmaxu, uint32_t m = U(a) < U(b) ? U(a) : U(b); w.d = m > U(c) ? m : U(c))
R(maxminu, uint32_t m = U(a) > U(b) ? U(a) : U(b); w.d = m < U(c) ? m : U(c))
R(sadu8, w.d = U(sad(U(a), U(b)) + c))
R(sadhi, w.d = U((uint64_t)sad(U(a), U(b)) * 65536 + c))
R(sadu16, w.d = U(diff(a & 0xffff, b & 0xffff) + (uint64_t)diff(U(a) >> 16, U(b) >> 16) + c))
R(sadu32, w.d = U(diff(U(a), U(b)) + c))
R(msad, for (unsigned k = 0; k < 32; k += 8) w.d += bits(b, k, 8) ? diff((uint32_t)bits(a, k, 8), (uint32_t)bits(b, k, 8)) : 0;
	w.d = U(w.d + c))
R(qsad, for (unsigned k = 0; k < 4; k++) w.d |= (uint64_t)(uint16_t)(sad((uint32_t)bits(a, 8 * k, 32), U(b)) + bits(c, 16 * k, 16)) << 16 * k)
R(mqsad, for (unsigned k = 0; k < 4; k++) w.d |= (uint64_t)(uint16_t)(msad((uint32_t)bits(a, 8 * k, 32), b, 0, 0).d + bits(c, 16 * k, 16)) << 16 * k)
R(mad64, w.d = (uint64_t)U(a) * U(b) + c; w.mask = w.d < c)
R(mad64i, int64_t p = (int64_t)I(a) * I(b); int64_t s; w.mask = __builtin_add_overflow(p, (int64_t)c, &s); w.d = (uint64_t)s)
R(perm, for (unsigned k = 0; k < 4; k++) w.d |= (uint64_t)byte_of(U(a), U(b), U(c) >> 8 * k & 255) << 8 * k)
R(add3, w.d = U(a + b + c))
R(or3, w.d = U(a | b | c))
R(xor3, w.d = U(a ^ b ^ c))
R(lshladd, w.d = U((a << (b & 31)) + c))
R(addlshl, w.d = U((a + b) << (c & 31)))
R(lshlor, w.d = U(a << (b & 31) | c))
R(andor, w.d = U((a & b) | c))
R(xad, w.d = U((a ^ b) + c))
R(lshladd64, w.d = (a << (b & 7)) + c)
R(satpk, w.d = (uint64_t)lim(sext(a, 16), 0, 255) | (uint64_t)lim(sext(a >> 16, 16), 0, 255) << 8)
R(cadd16, w.d = a + b)
R(csub16, w.d = a - b)
R(csubrev16, w.d = b - a)
R(cmul16, w.d = (a & 0xffff) * (b & 0xffff))
R(shl16, w.d = (b & 0xffff) << (a & 15))
R(shr16, w.d = bits(b, 0, 16) >> (a & 15))
R(sar16, w.d = (uint64_t)(sext(b, 16) >> (a & 15)))
R(maxu16, w.d = bits(a, 0, 16) > bits(b, 0, 16) ? a : b)
R(minu16, w.d = bits(a, 0, 16) < bits(b, 0, 16) ? a : b)
R(maxi16, w.d = sext(a, 16) > sext(b, 16) ? a : b)
R(mini16, w.d = sext(a, 16) < sext(b, 16) ? a : b)
R(mad16, w.d = a * b + c)
R(and16, w.d = a & b)
R(or16, w.d = a | b)
R(xor16, w.d = a ^ b)
R(not16, w.d = ~a)

static const struct row {
	uint16_t op;
	ref want;
	/* of the result in bits; 16: the rest is kept from gfx10 on, else cleared; KEPT: kept everywhere */
	unsigned width;
} rows[] = {
	{ OP_v_mov_b32, mov, 32 }, { OP_v_mov_b64, mov64, 64 }, { OP_v_not_b32, not, 32 },
	{ OP_v_bfrev_b32, rev, 32 },
	{ OP_v_ffbh_u32, ffbh, 32 }, { OP_v_ffbl_b32, ffbl, 32 }, { OP_v_ffbh_i32, ffbhi, 32 },
	{ OP_v_cvt_i32_i16, i16, 32 },
	{ OP_v_cvt_u32_u16, u16, 32 }, { OP_v_cndmask_b32, cnd, 32 },
	{ OP_v_mul_i32_i24, muli24, 32 },
	{ OP_v_mul_hi_i32_i24, mulhi24, 32 }, { OP_v_mul_u32_u24, mulu24, 32 },
	{ OP_v_mul_hi_u32_u24, mulhiu24, 32 },
	{ OP_v_min_i32, mini, 32 }, { OP_v_max_i32, maxi, 32 }, { OP_v_min_u32, minu, 32 },
	{ OP_v_max_u32, maxu, 32 },
	{ OP_v_lshrrev_b32, shr, 32 }, { OP_v_ashrrev_i32, sar, 32 }, { OP_v_lshlrev_b32, shl, 32 },
	{ OP_v_and_b32, and, 32 },
	{ OP_v_or_b32, or, 32 }, { OP_v_xor_b32, xor, 32 }, { OP_v_xnor_b32, xnor, 32 },
	{ OP_v_add_co_u32, addco, 32 },
	{ OP_v_sub_co_u32, subco, 32 }, { OP_v_subrev_co_u32, subrevco, 32 },
	{ OP_v_addc_co_u32, addc, 32 },
	{ OP_v_subb_co_u32, subb, 32 }, { OP_v_subbrev_co_u32, subbrev, 32 },
	{ OP_v_add_u32, add, 32 }, { OP_v_sub_u32, sub, 32 },
	{ OP_v_subrev_u32, subrev, 32 }, { OP_v_add_i32, add, 32 }, { OP_v_sub_i32, sub, 32 },
	{ OP_v_mul_lo_u32, mullo, 32 },
	{ OP_v_mul_hi_u32, mulhu, 32 }, { OP_v_mul_hi_i32, mulhi, 32 },
	{ OP_v_bcnt_u32_b32, bcnt, 32 },
	{ OP_v_lshlrev_b64, shl64, 64 }, { OP_v_lshrrev_b64, shr64, 64 },
	{ OP_v_ashrrev_i64, sar64, 64 }, { OP_v_bfm_b32, bfm, 32 },
	{ OP_v_cvt_pk_u16_u32, pku16, 32 }, { OP_v_cvt_pk_i16_i32, pki16, 32 },
	{ OP_v_pack_b32_f16, pack, 32 },
	{ OP_v_mad_i32_i24, madi24, 32 }, { OP_v_mad_u32_u24, madu24, 32 },
	{ OP_v_bfe_u32, bfeu, 32 }, { OP_v_bfe_i32, bfei, 32 },
	{ OP_v_bfi_b32, bfi, 32 }, { OP_v_lerp_u8, lerp, 32 }, { OP_v_alignbit_b32, alignbit, 32 },
	{ OP_v_alignbyte_b32, alignbyte, 32 }, { OP_v_min3_i32, min3i, 32 },
	{ OP_v_min3_u32, min3u, 32 },
	{ OP_v_max3_i32, max3i, 32 }, { OP_v_max3_u32, max3u, 32 }, { OP_v_med3_i32, med3i, 32 },
	{ OP_v_med3_u32, med3u, 32 },
	{ OP_v_minmax_i32, minmaxi, 32 }, { OP_v_maxmin_i32, maxmini, 32 },
	{ OP_v_minmax_u32, minmaxu, 32 },
	{ OP_v_maxmin_u32, maxminu, 32 }, { OP_v_sad_u8, sadu8, 32 }, { OP_v_sad_hi_u8, sadhi, 32 },
	{ OP_v_sad_u16, sadu16, 32 },
	{ OP_v_qsad_pk_u16_u8, qsad, 64 }, { OP_v_mqsad_pk_u16_u8, mqsad, 64 },
	{ OP_v_msad_u8, msad, 32 }, { OP_v_sad_u32, sadu32, 32 }, { OP_v_mad_u64_u32, mad64, 64 },
	{ OP_v_mad_i64_i32, mad64i, 64 }, { OP_v_perm_b32, perm, 32 },
	{ OP_v_add3_u32, add3, 32 }, { OP_v_or3_b32, or3, 32 }, { OP_v_xor3_b32, xor3, 32 },
	{ OP_v_lshl_add_u32, lshladd, 32 },
	{ OP_v_add_lshl_u32, addlshl, 32 }, { OP_v_lshl_or_b32, lshlor, 32 },
	{ OP_v_and_or_b32, andor, 32 }, { OP_v_xad_u32, xad, 32 },
	{ OP_v_lshl_add_u64, lshladd64, 64 }, { OP_v_sat_pk_u8_i16, satpk, 16 },
	{ OP_v_add_u16, cadd16, 16 },
	{ OP_v_sub_u16, csub16, 16 }, { OP_v_subrev_u16, csubrev16, 16 },
	{ OP_v_add_i16, cadd16, KEPT }, { OP_v_sub_i16, csub16, KEPT },
	{ OP_v_mul_lo_u16, cmul16, 16 }, { OP_v_lshlrev_b16, shl16, 16 },
	{ OP_v_lshrrev_b16, shr16, 16 },
	{ OP_v_ashrrev_i16, sar16, 16 }, { OP_v_max_u16, maxu16, 16 }, { OP_v_min_u16, minu16, 16 },
	{ OP_v_max_i16, maxi16, 16 },
	{ OP_v_min_i16, mini16, 16 }, { OP_v_mad_u16, mad16, KEPT }, { OP_v_mad_i16, mad16, KEPT },
	{ OP_v_mad_legacy_u16, mad16, 16 }, { OP_v_mad_legacy_i16, mad16, 16 },
	{ OP_v_and_b16, and16, 16 },
	{ OP_v_or_b16, or16, 16 }, { OP_v_xor_b16, xor16, 16 }, { OP_v_not_b16, not16, 16 },
};

/* Comparisons: the name says what; types i and u of 16, 32, 64 bits. */
static bool compare(const char *op, char sign, unsigned width, uint64_t a, uint64_t b)
{
	int lt, eq;
	a = bits(a, 0, width), b = bits(b, 0, width);
	eq = a == b;
	lt = sign == 'i' ? sext(a, width) < sext(b, width) : a < b;
	switch (op[0] << 8 | op[1]) {
	case 'l' << 8 | 't': return lt;
	case 'l' << 8 | 'e': return lt || eq;
	case 'e' << 8 | 'q': return eq;
	case 'n' << 8 | 'e': return !eq;
	case 'g' << 8 | 't': return !lt && !eq;
	case 'g' << 8 | 'e': return !lt;
	default: return op[0] == 't';
	}
}

static vec_in in[VEC_LANES];
static vec_out out[VEC_LANES];

static uint64_t expect_d(const p2a_target *t, const struct row *r, uint64_t d)
{
	if (r->width == 64)
		return d;
	if (r->width == 16)
		d = (d & 0xffff) |
			(t->family == ISA_GFX9 || r->want == satpk ? 0 : VEC_OLD & 0xffff0000);
	if (r->width == KEPT)
		d = (d & 0xffff) | (VEC_OLD & 0xffff0000);
	if (r->want == satpk && t->family != ISA_GFX9)
		d |= VEC_OLD & 0xffff0000;
	return (VEC_OLD & ~(uint64_t)UINT32_MAX) | (d & UINT32_MAX);
}

static void check(const char *chip, const struct row *r, const vec_how *how)
{
	const p2a_target *t = p2a_target_find(chip);
	const isa_info *info = &isa_table[r->op];
	bool mask = false;
	if (!isa_has(t, r->op))
		return;
	for (unsigned k = 0; k < info->nargs; k++)
		mask |= info->arg[k].def && info->arg[k].type == ISA_T_MASK;
	vec_fill(in, info);
	if (!vec_run(chip, r->op, how, in, out))
		return;
	for (unsigned i = 0; i < VEC_LANES; i++) {
		want w = r->want(in[i].s[0], in[i].s[1], in[i].s[2], (int)in[i].carry);
		uint64_t d = in[i].enabled ? expect_d(t, r, w.d) : VEC_OLD;
		if (out[i].d != d || (mask && out[i].mask != (uint32_t)(w.mask && in[i].enabled))) {
			t_bad("%s %s: lane %u of (%llx, %llx, %llx, %u): %llx/%u, not %llx/%d",
				chip, info->name, i, (unsigned long long)in[i].s[0],
				(unsigned long long)in[i].s[1], (unsigned long long)in[i].s[2],
				in[i].carry, (unsigned long long)out[i].d, out[i].mask,
				(unsigned long long)d, w.mask);
			return;
		}
	}
	t_ok("%s %s simd %u%s", chip, info->name, how->simd, how->wave64 ? " wave64" : "");
}

static void check_cmp(const char *chip, unsigned op, const vec_how *how)
{
	const isa_info *info = &isa_table[op];
	const char *name = info->name + (strncmp(info->name, "v_cmpx_", 7) ? 6 : 7),
		   *ty = strrchr(info->name, '_') + 1;
	unsigned width = (unsigned)atoi(ty + 1);
	if (!isa_has(p2a_target_find(chip), op) || (ty[0] != 'i' && ty[0] != 'u') || strncmp(info->name, "v_cmp", 5))
		return;
	vec_fill(in, info);
	if (!vec_run(chip, op, how, in, out))
		return;
	for (unsigned i = 0; i < VEC_LANES; i++) {
		uint32_t w = in[i].enabled && compare(name, ty[0], width, in[i].s[0], in[i].s[1]);
		if (out[i].mask != w) {
			t_bad("%s %s: lane %u of (%llx, %llx): %u", chip, info->name, i, (unsigned long long)in[i].s[0],
				(unsigned long long)in[i].s[1], out[i].mask);
			return;
		}
	}
	t_ok("%s %s simd %u", chip, info->name, how->simd);
}

int main(void)
{
	for (const char *const *chip = t_chips; *chip; chip++)
		for (unsigned simd = 1; simd <= 3; simd++) {
			vec_how how = { .simd = simd };
			for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
				check(*chip, &rows[k], &how);
			for (unsigned op = 0; op < ISA_NOPS; op++)
				check_cmp(*chip, op, &how);
		}
	vec_how wide = { .wave64 = true };
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		check("gfx1100", &rows[k], &wide);
	check("gfx942", &(struct row){ OP_v_lshl_add_u64, lshladd64, 64 }, &(vec_how){ 0 });
	check("gfx942", &(struct row){ OP_v_mov_b64, mov64, 64 }, &(vec_how){ 0 });
	return t_end();
}
