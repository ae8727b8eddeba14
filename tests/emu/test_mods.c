/* test_mods.c -- SDWA and DPP on the chips that have them, the saveexec family, cross-lane
 * instructions, MODE written by the program. Against tables and C written from the manuals'
 * words. */
#include <fenv.h>
#include <math.h>

#include "vec.h"

static vec_in in[VEC_LANES];
static vec_out out[VEC_LANES];

/* SDWA: parameters of the instruction under test. */
static struct { unsigned s0, s1, sx0, sx1, d, unused; } sd;
static void tweak_sdwa(p2a_inst *i)
{
	i->enc = P2A_ENC_SDWA;
	i->arg[1].sel = (uint8_t)sd.s0;
	i->arg[2].sel = (uint8_t)sd.s1;
	i->arg[1].mods = sd.sx0 ? P2A_SEXT : 0;
	i->arg[2].mods = sd.sx1 ? P2A_SEXT : 0;
	i->dst_sel = (uint8_t)sd.d;
	i->dst_unused = (uint8_t)sd.unused;
}
static uint32_t part(uint32_t x, unsigned sel, bool sx)
{
	static const struct { unsigned at, bits; } p[] = { { 0, 32 }, { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 8 }, { 0, 16 }, { 16, 16 } };
	uint32_t v = x >> p[sel].at;
	if (p[sel].bits == 8)
		return sx ? (uint32_t)(int8_t)v : (uint8_t)v;
	if (p[sel].bits == 16)
		return sx ? (uint32_t)(int16_t)v : (uint16_t)v;
	return v;
}
static uint32_t placed(uint32_t r, uint32_t old)
{
	uint8_t b[4];
	unsigned n = sd.d == P2A_SEL_DWORD ? 4 : sd.d >= P2A_SEL_WORD0 ? 2 : 1;
	unsigned at = sd.d == P2A_SEL_DWORD ? 0
		: sd.d >= P2A_SEL_WORD0	    ? 2 * (sd.d - P2A_SEL_WORD0)
					    : sd.d - P2A_SEL_BYTE0;
	uint8_t sign = r >> (8 * n - 1) & 1 ? 255 : 0;
	for (unsigned k = 0; k < 4; k++) {
		if (k >= at && k < at + n)
			b[k] = (uint8_t)(r >> 8 * (k - at));
		else if (sd.unused == P2A_UNUSED_PRESERVE)
			b[k] = (uint8_t)(old >> 8 * k);
		else
			b[k] = sd.unused == P2A_UNUSED_SEXT && k >= at + n ? sign : 0;
	}
	return (uint32_t)(b[0] | b[1] << 8 | b[2] << 16) | (uint32_t)b[3] << 24;
}
static void sdwa(const char *chip)
{
	char name[96];
	if (!p2a_target_find(chip)->sdwa)
		return;
	vec_fill(in, &isa_table[OP_v_add_u32]);
	for (unsigned k = 0; k < 7 * 7 + 7 * 3; k++) {
		bool dst = k >= 49;
		sd.s0 = dst ? 0 : k % 7, sd.s1 = dst ? 0 : k / 7, sd.sx0 = k & 1,
		sd.sx1 = k >> 1 & 1;
		sd.d = dst ? (k - 49) % 7 : 0, sd.unused = dst ? (k - 49) / 7 : 0;
		if (!sd.s0)
			sd.sx0 = 0;
		if (!sd.s1)
			sd.sx1 = 0;
		if (!vec_run(chip, OP_v_add_u32, &(vec_how){ .tweak = tweak_sdwa }, in, out))
			return;
		snprintf(name, sizeof name, "%s sdwa %u %u sext %u %u to %u unused %u", chip, sd.s0,
			sd.s1, sd.sx0, sd.sx1, sd.d, sd.unused);
		const char *why = NULL;
		for (unsigned i = 0; i < VEC_LANES && !why; i++) {
			uint32_t r = part((uint32_t)in[i].s[0], sd.s0, sd.sx0) +
				part((uint32_t)in[i].s[1], sd.s1, sd.sx1);
			uint32_t w = in[i].enabled ? placed(r, (uint32_t)VEC_OLD)
						   : (uint32_t)VEC_OLD;
			why = (uint32_t)out[i].d != w ? "wrong" : NULL;
		}
		t_result(name, why);
	}
}

/* DPP: the source lane of each lane, by name of the pattern. */
static unsigned dpp_ctl, dpp_mask, dpp_flags;
static void tweak_dpp(p2a_inst *i)
{
	i->enc = P2A_ENC_DPP;
	i->dpp = (uint16_t)dpp_ctl;
	i->dpp_mask = (uint8_t)dpp_mask;
	i->dpp_flags = (uint8_t)dpp_flags;
}
enum pattern { QUAD, SHL, SHR, ROR, MIRROR, HALF, BCAST15, BCAST31, SHARE, XMASK };
static int source(enum pattern p, unsigned arg, unsigned i)
{
	unsigned row = i / 16 * 16, k = i % 16;
	switch (p) {
	case QUAD: return (int)(i / 4 * 4 + (arg >> 2 * (i % 4) & 3));
	case SHL: return k + arg < 16 ? (int)(i + arg) : -1;
	case SHR: return k >= arg ? (int)(i - arg) : -1;
	case ROR: return (int)(row + (k + 16 - arg) % 16);
	case MIRROR: return (int)(row + 15 - k);
	case HALF: return (int)(i / 8 * 8 + 7 - i % 8);
	case BCAST15: return row ? (int)row - 1 : -1;
	case BCAST31: return i >= 32 ? 31 : -1;
	case SHARE: return (int)(row + arg);
	default: return (int)(row + (k ^ arg));
	}
}
static const struct { enum pattern p; unsigned arg, ctl, families; } dpps[] = {
	{ QUAD, 0x1b, 0x1b, 15 }, { QUAD, 0x4e, 0x4e, 15 }, { SHL, 1, 0x101, 15 },
	{ SHL, 15, 0x10f, 15 }, { SHR, 3, 0x113, 15 },
	{ ROR, 5, 0x125, 15 }, { MIRROR, 0, 0x140, 15 }, { HALF, 0, 0x141, 15 },
	{ BCAST15, 0, 0x142, 1 }, { BCAST31, 0, 0x143, 1 },
	{ SHARE, 6, 0x156, 14 }, { XMASK, 9, 0x169, 14 },
};
static void dpp(const char *chip, unsigned k, unsigned mask, unsigned flags)
{
	const p2a_target *t = p2a_target_find(chip);
	char name[96];
	if (!(dpps[k].families >> t->family & 1) || (flags & 2 && t->family == ISA_GFX9))
		return;
	dpp_ctl = dpps[k].ctl, dpp_mask = mask, dpp_flags = flags;
	vec_fill(in, &isa_table[OP_v_mov_b32]);
	if (!vec_run(chip, OP_v_mov_b32, &(vec_how){ .tweak = tweak_dpp }, in, out))
		return;
	snprintf(name, sizeof name, "%s dpp 0x%x mask 0x%x flags %u", chip, dpp_ctl, mask, flags);
	for (unsigned i = 0; i < VEC_LANES; i++) {
		unsigned base = i / t->wave * t->wave, l = i % t->wave;
		int j = source(dpps[k].p, dpps[k].arg, l);
		bool valid = j >= 0 && (in[base + (unsigned)j].enabled || flags & 2);
		bool write = in[i].enabled && (valid || flags & 1) && mask >> (4 + l / 16) & 1 &&
			mask >> (l / 4 % 4) & 1;
		uint32_t w = !write ? (uint32_t)VEC_OLD
			: valid	    ? (uint32_t)in[base + (unsigned)j].s[0]
				    : 0;
		if ((uint32_t)out[i].d != w) {
			t_bad("%s: lane %u: %x, not %x", name, l, (uint32_t)out[i].d, w);
			return;
		}
	}
	t_ok("%s", name);
}

/* DPP8, and DPP in VOP3: what one instruction of each kind makes of src0 from another lane. */
static unsigned how_enc;
static p2a_inst *halves(p2a_inst *i)
{
	i->arg[0].sel = i->arg[1].sel = i->arg[2].sel = P2A_OP_SEL;
	return i;
}
static void tweak_wide(p2a_inst *i)
{
	tweak_dpp(i);
	i->enc = (uint8_t)how_enc;
	if (i->op == OP_v_fma_f32)
		i->arg[1].mods = P2A_NEG | P2A_ABS;
	if (i->op == OP_v_add_u16)
		halves(i);
}
static bool is_eight(void) { return how_enc == P2A_ENC_DPP8 || how_enc == P2A_ENC_E64_DPP8; }

/* The lane whose source lane l gets, or -1. */
static int from(unsigned l)
{
	unsigned sel = dpp_mask << 16 | dpp_ctl;
	if (is_eight())
		return (int)(l / 8 * 8 + (sel >> 3 * (l % 8) & 7));
	return dpp_ctl == 0x113 ? source(SHR, 3, l) : source(QUAD, dpp_ctl, l);
}

/* The result of op on a lane's sources, a from another lane; old: what stood there. */
static uint32_t result(unsigned op, uint32_t a, const vec_in *x, uint32_t old)
{
	uint32_t b = (uint32_t)x->s[1], c = (uint32_t)x->s[2];
	float f[3], r;
	switch (op) {
	case OP_v_add3_u32:
		return a + b + c;
	case OP_v_add_u16:
		return (old & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
	case OP_v_cmp_lt_u32:
		return a < b;
	case OP_v_cndmask_b32:
		return x->carry ? b : a;
	case OP_v_fma_f32:
		a |= 0x80000000;
		memcpy(&f[0], &a, 4), memcpy(&f[1], &b, 4), memcpy(&f[2], &c, 4);
		r = fmaf(f[0], f[1], f[2]);
		memcpy(&old, &r, 4);
		return r != r ? 0x7fc00000 : old;
	default:
		return a;
	}
}

static bool is_same(unsigned op, uint32_t got, uint32_t want)
{
	return got == want || (op == OP_v_fma_f32 && want == 0x7fc00000 && (got & 0x7fffffff) > 0x7f800000);
}

/* Old values stay where a lane has no source and no bound_ctrl; of a comparison's mask the bit is then 0. */
static void wide_dpp(const char *chip, unsigned op, unsigned enc, unsigned ctl, unsigned mask, unsigned flags)
{
	const p2a_target *t = p2a_target_find(chip);
	char name[96];
	how_enc = enc, dpp_ctl = ctl, dpp_mask = mask, dpp_flags = flags;
	if (t->family < (enc == P2A_ENC_DPP8 ? ISA_GFX10 : ISA_GFX11))
		return;
	vec_fill(in, &isa_table[op]);
	if (!vec_run(chip, op, &(vec_how){ .tweak = tweak_wide }, in, out))
		return;
	snprintf(name, sizeof name, "%s %s enc %u dpp 0x%x mask 0x%x flags %u", chip, isa_table[op].name, enc, ctl, mask, flags);
	for (unsigned i = 0; i < VEC_LANES; i++) {
		unsigned base = i / t->wave * t->wave, l = i % t->wave;
		int j = from(l);
		bool valid = j >= 0 && (in[base + (unsigned)j].enabled || flags & 2), is_cmp = op == OP_v_cmp_lt_u32;
		bool write = in[i].enabled && (is_eight() || ((valid || flags & 1) && mask >> (4 + l / 16) & 1 && mask >> (l / 4 % 4) & 1));
		uint32_t old = is_cmp ? 0 : (uint32_t)VEC_OLD, got = is_cmp ? out[i].mask : (uint32_t)out[i].d;
		uint32_t w = write ? result(op, valid ? (uint32_t)in[base + (unsigned)j].s[0] : 0, &in[i], old) : old;
		if (!is_same(op, got, w)) {
			t_bad("%s: lane %u: %x, not %x", name, l, got, w);
			return;
		}
	}
	t_ok("%s", name);
}

static void all_wide(const char *chip)
{
	static const unsigned ops[] = {
		OP_v_mov_b32, OP_v_add3_u32, OP_v_add_u16, OP_v_cmp_lt_u32, OP_v_cndmask_b32, OP_v_fma_f32
	};
	for (unsigned flags = 0; flags < 4; flags += 2) {
		wide_dpp(chip, OP_v_mov_b32, P2A_ENC_DPP8, 0xfac6, 0x05, flags);
		wide_dpp(chip, OP_v_mov_b32, P2A_ENC_DPP8, 0x9c53, 0xe1, flags);
	}
	for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++)
		for (unsigned flags = 0; flags < 4; flags++) {
			wide_dpp(chip, ops[k], P2A_ENC_E64_DPP, 0x113, 0xff, flags);
			wide_dpp(chip, ops[k], P2A_ENC_E64_DPP, 0x1b, 0x5a, flags);
			if (!(flags & 1))
				wide_dpp(chip, ops[k], P2A_ENC_E64_DPP8, 0x9c53, 0xe1, flags);
		}
}

/* saveexec: EXEC x, source y; results in order: old EXEC, new EXEC, SCC. */
static uint64_t op_result(const char *name, uint64_t x, uint64_t y)
{
	if (strstr(name, "nand_"))
		return ~(x & y);
	if (strstr(name, "andn2_"))
		return y & ~x;
	if (strstr(name, "andn1_"))
		return ~y & x;
	if (strstr(name, "orn2_"))
		return y | ~x;
	if (strstr(name, "orn1_"))
		return ~y | x;
	if (strstr(name, "xnor_"))
		return ~(x ^ y);
	if (strstr(name, "xor_"))
		return x ^ y;
	if (strstr(name, "nor_"))
		return ~(x | y);
	return strstr(name, "s_or_") ? x | y : x & y;
}
static void saveexec(const char *chip, unsigned op, uint64_t x, uint64_t y)
{
	const char *name = isa_table[op].name;
	bool w64 = strstr(name, "_b64"), wr = strstr(name, "wrexec");
	t_run r;
	if (!isa_has(p2a_target_find(chip), op) || (!strstr(name, "saveexec") && !wr))
		return;
	t_code *c = t_new(chip);
	if (w64 && c->t->wave == 32)
		t_wave64(c);
	uint8_t n = w64 ? 2 : 1;
	p2a_opnd exec = SREG(w64 ? P2A_EXEC : P2A_EXEC_LO, n), d = SN(22, n), s = SN(20, n),
		 e = SN(24, n);
	unsigned mov = w64 ? OP_s_mov_b64 : OP_s_mov_b32;
	t_prologue(c);
	OP(c, s_mov_b32, S(20), K((int32_t)(uint32_t)x));
	OP(c, s_mov_b32, S(21), K((int32_t)(uint32_t)(x >> 32)));
	t_op(c, mov, (p2a_opnd[]){ exec, s }, 2);
	OP(c, s_mov_b32, S(20), K((int32_t)(uint32_t)y));
	OP(c, s_mov_b32, S(21), K((int32_t)(uint32_t)(y >> 32)));
	OP(c, s_mov_b64, SN(22, 2), K(0));
	OP(c, s_mov_b64, SN(24, 2), K(0));
	t_op(c, op, (p2a_opnd[]){ d, s }, 2);
	t_op(c, mov, (p2a_opnd[]){ e, exec }, 2);
	OP(c, s_cselect_b32, S(26), K(1), K(0));
	t_op(c, mov, (p2a_opnd[]){ exec, K(-1) }, 2);
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_mov_b32, V(4 + k), S(22 + k));
	OP(c, v_mov_b32, V(8), S(26));
	OP(c, v_mov_b32, V(1), K(0));
	MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
	MEM(c, global_store_dword, 16, V(1), V(8), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { 0, emu_alloc(r.dev, 64) }, got[3];
		emu_launch_config l = { .args = args, .args_size = sizeof args };
		emu_status st = emu_launch(r.dev, r.k, &l, &r.r);
		memcpy(got, (void *)(uintptr_t)args[1], sizeof got);
		uint64_t m = w64 ? UINT64_MAX : UINT32_MAX, e1 = op_result(name, x, y) & m,
			 d1 = wr ? e1 : x & m;
		bool good = st == EMU_OK && got[0] == d1 && got[1] == e1 &&
			(uint32_t)got[2] == (e1 != 0);
		if (!good)
			t_bad("%s %s: %llx %llx %u, not %llx %llx; %s", chip, name,
				(unsigned long long)got[0], (unsigned long long)got[1],
				(unsigned)got[2], (unsigned long long)d1, (unsigned long long)e1,
				r.r.fault.message);
		else
			t_ok("%s %s of %llx, %llx", chip, name, (unsigned long long)x,
				(unsigned long long)y);
	}
	t_unload(&r);
	free(c);
}

/* The program changes MODE: 1 + 2^-24 rounds up, then down; s_getreg reads what was written. */
static void mode(const char *chip)
{
	t_code *c = t_new(chip);
	t_run r;
	t_prologue(c);
	OP(c, v_mov_b32, V(2), K(0x3f800000));
	OP(c, v_mov_b32, V(3), K(0x33800000));
	OP(c, s_setreg_imm32_b32, K(1 | 3 << 11), K(1));     /* MODE[3:0]: f32 up */
	OP(c, s_nop, K(2));
	OP(c, v_add_f32, V(4), V(2), V(3));
	OP(c, s_getreg_b32, S(20), K(1 | 7 << 11));
	if (isa_has(c->t, OP_s_round_mode)) {
		OP(c, s_round_mode, K(2));
		OP(c, s_denorm_mode, K(0));
	} else
		OP(c, s_setreg_imm32_b32, K(1 | 7 << 11), K(2)); /* f32 down, flush all */
	OP(c, v_add_f32, V(5), V(2), V(3));
	OP(c, v_mul_f32, V(6), K(1), V(2));                  /* a denormal operand */
	OP(c, s_nop, K(2));
	OP(c, s_getreg_b32, S(21), K(1 | 7 << 11));
	OP(c, v_mov_b32, V(7), S(20));
	OP(c, v_mov_b32, V(8), S(21));
	OP(c, v_mov_b32, V(1), K(0));
	MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
	MEM(c, global_store_dword, 16, V(1), V(8), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		static const uint32_t want[5] = { 0x3f800001, 0x3f800000, 0, 0xf1, 0x02 };
		uint64_t args[2] = { 0, emu_alloc(r.dev, 64) };
		emu_launch_config l = { .args = args, .args_size = sizeof args };
		/* the caller's own must not matter, and come back */
		fesetround(FE_UPWARD);
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		bool kept = fegetround() == FE_UPWARD;
		fesetround(FE_TONEAREST);
		const uint32_t *got = (const uint32_t *)(uintptr_t)args[1];
		if (s != EMU_OK || memcmp(got, want, sizeof want) || !kept)
			t_bad("%s MODE: %x %x %x %x %x, host's rounding kept: %d; %s", chip, got[0],
				got[1], got[2], got[3], got[4], kept, r.r.fault.message);
		else
			t_ok("%s MODE", chip);
	}
	t_unload(&r);
	free(c);
}

/* readlane, writelane, readfirstlane with and without lanes, permute, swap, mbcnt. */
static void lanes(const char *chip)
{
	t_code *c = t_new(chip);
	t_run r;
	uint8_t n = (uint8_t)(c->t->wave / 32);
	p2a_opnd exec = SREG(n == 2 ? P2A_EXEC : P2A_EXEC_LO, n);
	unsigned mov = n == 2 ? OP_s_mov_b64 : OP_s_mov_b32;
	t_prologue(c);
	OP(c, v_mul_u32_u24, V(2), K(3), V(0));
	OP(c, v_mov_b32, V(3), K(7));
	OP(c, s_movk_i32, S(20), K(33));
	OP(c, s_nop, K(4));
	OP(c, v_readlane_b32, S(21), V(2), S(20));           /* lane 33, or 1 of 32 */
	OP(c, v_writelane_b32, V(3), S(20), K(5));
	t_op(c, mov, (p2a_opnd[]){ exec, K(0) }, 2);
	OP(c, v_readfirstlane_b32, S(22), V(2));             /* EXEC 0: lane 0 */
	t_op(c, mov, (p2a_opnd[]){ exec, K(16) }, 2);
	OP(c, v_readfirstlane_b32, S(23), V(2));             /* lane 4 */
	t_op(c, mov, (p2a_opnd[]){ exec, K(-1) }, 2);
	OP(c, v_xor_b32, V(4), K(1), V(0));
	OP(c, v_lshlrev_b32, V(4), K(2), V(4));
	MEM(c, ds_permute_b32, 0, V(5), V(4), V(2));
	OP(c, v_mbcnt_lo_u32_b32, V(6), K(-1), K(0));
	if (n == 2)
		OP(c, v_mbcnt_hi_u32_b32, V(6), K(-1), V(6));
	OP(c, v_mov_b32, V(7), V(0));
	OP(c, v_swap_b32, V(7), V(3));
	t_wait(c);
	OP(c, v_mov_b32, V(8), V(7));
	OP(c, v_mov_b32, V(9), V(5));
	OP(c, v_mov_b32, V(10), V(6));
	OP(c, v_add_u32, V(11), S(21), V(3));
	OP(c, v_mov_b32, V(12), S(22));
	OP(c, v_add_u32, V(11), V(12), V(11));
	OP(c, v_add_u32, V(11), S(23), V(11));
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	MEM(c, global_store_dwordx4, 0, V(1), VN(8, 4), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { 0, emu_alloc(r.dev, 64 * 16) };
		emu_launch_config l = {
			.block = { 64, 1, 1 }, .args = args, .args_size = sizeof args
		};
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		const uint32_t (*got)[4] = (const uint32_t (*)[4])(uintptr_t)args[1];
		const char *why = s == EMU_OK ? NULL : r.r.fault.message;
		uint32_t wave = c->t->wave;
		for (uint32_t i = 0; i < 64 && !why; i++) {
			uint32_t base = i / wave * wave, l0 = i % wave;
			uint32_t w[4] = { l0 == 5 ? 33 : 7, 3 * (i ^ 1), l0,
				3 * (base + 33 % wave) + i + 3 * base + 3 * (base + 4) };
			why = memcmp(got[i], w, sizeof w) ? "wrong" : NULL;
			if (why)
				printf("# lane %u: %u %u %u %u, not %u %u %u %u\n", i, got[i][0],
					got[i][1], got[i][2], got[i][3], w[0], w[1], w[2], w[3]);
		}
		char name[64];
		snprintf(name, sizeof name, "%s lanes", chip);
		t_result(name, why);
	}
	t_unload(&r);
	free(c);
}

int main(void)
{
	for (const char *const *chip = t_chips; *chip; chip++) {
		sdwa(*chip);
		all_wide(*chip);
		for (unsigned k = 0; k < sizeof dpps / sizeof *dpps; k++) {
			dpp(*chip, k, 0xff, 0);
			dpp(*chip, k, 0xff, 1);
			dpp(*chip, k, 0xff, 2);
			dpp(*chip, k, 0x5a, 1);
		}
		for (unsigned op = 0; op < ISA_NOPS; op++) {
			saveexec(*chip, op, 0xff00ff00f0f0ccaa, 0x0ff0123456789abc);
			saveexec(*chip, op, UINT64_MAX, 0);
			saveexec(*chip, op, 0, UINT64_MAX);
		}
		mode(*chip);
		lanes(*chip);
	}
	return t_end();
}
