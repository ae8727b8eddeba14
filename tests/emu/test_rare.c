/* test_rare.c -- instructions that compilers emit now and then: registers by number, quads and calls of the scalar unit, its
 * floating point, exchanges and counters in the local data share, float atomics of memory.
 * Expected values are computed here from the manuals' words. */
#include "rare.h"

static uint32_t bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

static void wqm(t_code *c)
{
	OP(c, s_mov_b32, S(20), K(0x00800401));
	OP(c, s_wqm_b32, S(21), S(20));
	OP(c, s_cselect_b32, S(22), K(1), K(0));
	OP(c, s_or_b32, S(21), S(21), S(22));
	OP(c, v_mov_b32, V(4), S(21));
}
static uint32_t want_wqm(uint32_t i, uint32_t n) { (void)i, (void)n; return 0x00f00f0f; }

/* Quads of both halves; pairs by number: s[20:21] + 2 to s[28:29], from there to s[22:23] + 2. */
static void wide_scalars(t_code *c)
{
	OP(c, s_mov_b32, S(30), K(0x00000010));
	OP(c, s_mov_b32, S(31), K(0x02000000));
	OP(c, s_wqm_b64, SN(26, 2), SN(30, 2));          /* 0xf0, 0x0f000000 */
	OP(c, s_mov_b32, S(22), K(7));
	OP(c, s_mov_b32, S(23), K(9));
	OP(c, s_mov_b32, M0, K(2));
	OP(c, s_nop, K(4));
	OP(c, s_movrels_b64, SN(28, 2), SN(20, 2));
	OP(c, s_movreld_b64, SN(22, 2), SN(28, 2));      /* s[24:25] */
	OP(c, s_lshl_b32, S(25), S(25), K(8));
	OP(c, s_or_b32, S(24), S(24), S(25));
	OP(c, s_or_b32, S(26), S(26), S(27));
	OP(c, s_lshl_b32, S(24), S(24), K(12));
	OP(c, s_or_b32, S(24), S(24), S(26));
	OP(c, v_mov_b32, V(4), S(24));
}
static uint32_t want_wide_scalars(uint32_t i, uint32_t n) { (void)i, (void)n; return 0x0f0000f0 | 0x907 << 12; }

static void call(t_code *c)
{
	OP(c, v_mov_b32, V(4), K(1));
	t_op(c, OP_s_call_b64, (p2a_opnd[]){ SN(20, 2), K(2) }, 2);
	OP(c, v_add_u32, V(4), K(10), V(4));
	size_t over = t_forward(c, OP_s_branch);
	OP(c, v_lshlrev_b32, V(4), K(4), V(4));          /* the function */
	OP(c, s_setpc_b64, SN(20, 2));
	t_here(c, over);
}
static uint32_t want_call(uint32_t i, uint32_t n) { (void)i, (void)n; return 26; }

static void s_indexed(t_code *c)
{
	for (unsigned k = 0; k < 4; k++)
		OP(c, s_movk_i32, S(20 + k), K(100 + (int)k));
	OP(c, s_mov_b32, M0, K(3));
	OP(c, s_nop, K(4));
	OP(c, s_movrels_b32, S(24), S(20));              /* s23 */
	OP(c, s_movreld_b32, S(22), S(24));              /* s25 */
	OP(c, v_mov_b32, V(4), S(25));
}
static uint32_t want_103(uint32_t i, uint32_t n) { (void)i, (void)n; return 103; }

static void v_indexed(t_code *c)
{
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_add_u32, V(8 + k), K(10 * ((int)k + 1)), V(0));
	OP(c, v_mov_b32, V(15), K(0));
	OP(c, s_mov_b32, M0, K(2));
	OP(c, v_movrels_b32, V(5), V(8));                /* v10 */
	OP(c, v_movreld_b32, V(13), V(5));               /* v15 */
	OP(c, v_add_u32, V(4), V(5), V(15));
}
static void gpr_idx(t_code *c)
{
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_add_u32, V(8 + k), K(10 * ((int)k + 1)), V(0));
	OP(c, v_mov_b32, V(15), K(0));
	OP(c, s_movk_i32, S(20), K(2));
	OP(c, s_set_gpr_idx_on, S(20), K(1));
	OP(c, v_mov_b32, V(5), V(8));
	t_op(c, OP_s_set_gpr_idx_off, NULL, 0);
	OP(c, s_set_gpr_idx_on, S(20), K(8));
	OP(c, v_mov_b32, V(13), V(5));
	t_op(c, OP_s_set_gpr_idx_off, NULL, 0);
	OP(c, v_add_u32, V(4), V(5), V(15));
}
static uint32_t want_indexed(uint32_t i, uint32_t n) { (void)n; return 2 * (30 + i); }

static void permlane64(t_code *c)
{
	t_wave64(c);
	OP(c, v_mov_b32, V(4), K(0));
	OP(c, v_permlane64_b32, V(4), V(0));
}
static uint32_t want_permlane64(uint32_t i, uint32_t n) { (void)n; return i ^ 32; }

/* LDS: a dword a lane at 4 * lane, then what the instruction gives and leaves. */
static void fill(t_code *c)
{
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_add_u32, V(2), K(50), V(0));
	if (c->t->family == ISA_GFX9 || c->t->family >= ISA_GFX10)
		OP(c, s_mov_b32, M0, K(-1));
	MEM(c, ds_write_b32, 0, V(1), V(2));
	t_wait(c);
}
static void exchange(t_code *c)
{
	p2a_inst i = { .op = OP_ds_wrxchg2_rtn_b32, .nargs = 4, .offset = 0, .offset1 = 64,
		.arg = { VN(6, 2), V(1), V(2), V(0) } };
	fill(c);
	MEM(c, ds_write_b32, 256, V(1), V(1));
	t_wait(c);
	t_emit(c, &i);
	t_wait(c);
	MEM(c, ds_read_b32, 256, V(5), V(1));            /* now the lane's number */
	t_wait(c);
	OP(c, v_add3_u32, V(4), V(6), V(7), V(5));
}
static uint32_t want_exchange(uint32_t i, uint32_t n) { (void)n; return 50 + i + 4 * i + i; }

/* Numbers of 64 bits at two places 512 bytes apart: what was there, and what is there now. */
static void exchange_wide(t_code *c)
{
	p2a_inst i = { .op = OP_ds_wrxchg2st64_rtn_b64, .nargs = 4, .offset = 0, .offset1 = 1,
		.arg = { VN(12, 4), V(1), VN(2, 2), VN(6, 2) } };
	c->lds = 2048;
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	for (unsigned k = 2; k < 6; k++)
		OP(c, v_add_u32, V(k), K((int)k), V(0));
	MEM(c, ds_write_b64, 0, V(1), VN(2, 2));
	MEM(c, ds_write_b64, 512, V(1), VN(4, 2));
	for (unsigned k = 2; k < 8; k++)
		OP(c, v_add_u32, V(k), K((int)(16 * k)), V(0));
	t_emit(c, &i);
	t_wait(c);
	MEM(c, ds_read_b64, 512, VN(8, 2), V(1));
	t_wait(c);
	OP(c, v_mov_b32, V(4), K(0));                    /* i + 2 .. i + 5, then i + 96, i + 112 */
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_lshl_add_u32, V(4), V(4), K(1), V(12 + k));
	OP(c, v_lshl_add_u32, V(4), V(8), K(12), V(4));
	OP(c, v_lshl_add_u32, V(4), V(9), K(20), V(4));
}
static uint32_t want_exchange_wide(uint32_t i, uint32_t n)
{
	(void)n;
	return (i + 2) * 8 + (i + 3) * 4 + (i + 4) * 2 + i + 5 + ((i + 96) << 12) + ((i + 112) << 20);
}

static void mskor(t_code *c)
{
	fill(c);
	OP(c, v_mov_b32, V(5), K(0xf));
	OP(c, v_mov_b32, V(6), K(0x300));
	MEM(c, ds_mskor_rtn_b32, 0, V(7), V(1), V(5), V(6));
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(8), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(8), K(10), V(8));
	OP(c, v_add_u32, V(4), V(7), V(8));
}
static uint32_t want_mskor(uint32_t i, uint32_t n) { (void)n; return 50 + i + ((((50 + i) & ~15u) | 0x300) << 10); }

static void wrap(t_code *c)
{
	fill(c);
	OP(c, v_mov_b32, V(5), K(64));
	OP(c, v_mov_b32, V(6), K(7));
	MEM(c, ds_wrap_rtn_b32, 0, V(7), V(1), V(5), V(6));
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(4), V(1));
	t_wait(c);
}
static uint32_t want_wrap(uint32_t i, uint32_t n) { (void)n; return 50 + i >= 64 ? 50 + i - 64 : 50 + i + 7; }

static void append(t_code *c)
{
	fill(c);
	OP(c, s_mov_b32, M0, K(8 << 16));
	OP(c, s_nop, K(4));
	MEM(c, ds_append, 4, V(5));                      /* 12: was 53 */
	t_wait(c);
	MEM(c, ds_consume, 4, V(6));
	t_wait(c);
	OP(c, s_mov_b32, M0, K(-1));
	OP(c, v_lshlrev_b32, V(6), K(10), V(6));
	OP(c, v_add_u32, V(4), V(5), V(6));
}
static uint32_t want_append(uint32_t i, uint32_t n) { (void)i; return 53 + ((53 + n) << 10); }

/* Float compare-and-swap: -0 equals 0, a NaN nothing. */
static void cmpst(t_code *c)
{
	bool old_order = c->t->family < ISA_GFX11;
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, s_mov_b32, M0, K(-1));
	OP(c, v_mov_b32, V(2), K((int32_t)0x80000000));
	MEM(c, ds_write_b32, 0, V(1), V(2));
	OP(c, v_mov_b32, V(5), K(0));                    /* compare with */
	OP(c, v_mov_b32, V(6), K(0x40000000));
	t_wait(c);
	t_mem(c, OP_ds_cmpst_rtn_f32, 0, (p2a_opnd[]){ V(7), V(1), V(old_order ? 5 : 6), V(old_order ? 6 : 5) }, 4);
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(8), V(1));
	t_wait(c);
	OP(c, v_or_b32, V(4), V(7), V(8));
}
static uint32_t want_cmpst(uint32_t i, uint32_t n) { (void)i, (void)n; return 0xc0000000; }

/* Memory: the buffer's first dwords are 0; the least of the lanes' numbers minus 5. */
static void fmin_global(t_code *c)
{
	OP(c, v_cvt_f32_u32, V(5), V(0));
	OP(c, v_subrev_f32, V(5), K(0x40a00000), V(5));
	OP(c, v_mov_b32, V(1), K(0));
	MEM(c, global_atomic_fmin, 0, V(1), V(5), SN(4, 2));
	MEM(c, global_atomic_fmax, 4, V(1), V(5), SN(4, 2));
	t_wait(c);
	OP(c, s_nop, K(0));
	MEM(c, global_load_dwordx2, 0, VN(6, 2), V(1), SN(4, 2));
	t_wait(c);
	OP(c, v_add_f32, V(4), V(6), V(7));
}
static uint32_t want_fmin(uint32_t i, uint32_t n) { (void)i; return bits(-5.0f + (float)(n - 1) - 5.0f); }

/* The scalar unit's floats: 2.5 and -7.25, halves 1.5 and 0.25. */
static void salu_float(t_code *c)
{
	OP(c, s_mov_b32, S(20), K(0x40200000));
	OP(c, s_mov_b32, S(21), K((int32_t)0xc0e80000));
	OP(c, s_add_f32, S(22), S(20), S(21));           /* -4.75 */
	OP(c, s_mul_f32, S(23), S(22), S(20));           /* -11.875 */
	OP(c, s_fmac_f32, S(23), S(20), S(20));          /* -5.625 */
	OP(c, s_max_f32, S(24), S(23), S(21));           /* -5.625 */
	OP(c, s_floor_f32, S(24), S(24));                /* -6 */
	OP(c, s_cvt_i32_f32, S(25), S(24));
	OP(c, s_cvt_f32_i32, S(26), S(25));
	OP(c, s_sub_f32, S(26), S(26), S(20));           /* -8.5 */
	OP(c, s_rndne_f32, S(26), S(26));                /* -8 */
	OP(c, s_cmp_lt_f32, S(26), S(20));
	OP(c, s_cselect_b32, S(27), K(1), K(0));
	OP(c, s_cvt_f16_f32, S(28), S(26));
	OP(c, s_mul_f16, S(28), S(28), K(0x3800));       /* -4 */
	OP(c, s_cvt_f32_f16, S(28), S(28));
	OP(c, s_fmamk_f32, S(28), S(28), K(0x40400000), S(20));  /* -9.5 */
	OP(c, s_cmp_u_f16, S(28), S(28));
	OP(c, s_cselect_b32, S(29), K(2), K(0));
	OP(c, s_or_b32, S(27), S(27), S(29));
	OP(c, v_mov_b32, V(4), S(28));
	OP(c, v_add_u32, V(4), S(27), V(4));
}
static uint32_t want_salu(uint32_t i, uint32_t n) { (void)i, (void)n; return bits(-9.5f) + 1; }

/* Transcendental operations of one scalar, which EXEC does not switch off. */
static void scalar_trans(t_code *c)
{
	OP(c, s_mov_b32, S(20), K(0x40800000));          /* 4 */
	OP(c, s_mov_b32, S(25), K(0));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ S(26), SREG(P2A_EXEC_LO, 1) }, 2);
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), K(0) }, 2);
	OP(c, v_s_sqrt_f32, S(21), S(20));               /* 2 */
	OP(c, v_s_rcp_f32, S(22), S(20));                /* 0.25 */
	OP(c, v_s_rsq_f32, S(23), S(20));                /* 0.5 */
	OP(c, v_s_exp_f32, S(24), S(20));                /* 16 */
	OP(c, v_s_log_f32, S(25), S(24));                /* 4 */
	OP(c, v_s_rcp_f16, S(27), K(0x4400));            /* a quarter */
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), S(26) }, 2);
	OP(c, v_mov_b32, V(4), S(21));
	OP(c, v_mul_f32, V(4), S(22), V(4));
	OP(c, v_mul_f32, V(4), S(23), V(4));
	OP(c, v_add_f32, V(4), S(24), V(4));
	OP(c, v_sub_f32, V(4), V(4), S(25));             /* 12.25 */
	OP(c, v_add_u32, V(4), S(27), V(4));
}
static uint32_t want_trans(uint32_t i, uint32_t n) { (void)i, (void)n; return bits(12.25f) + 0x3400; }

/* Two subtractions that do not go below 0, by one lane: 100 - 30, then less than there is, each in its way. */
static void sub_lds(t_code *c)
{
	c->lds = 64;
	OP(c, v_mov_b32, V(1), K(0));
	OP(c, v_mov_b32, V(2), K(100));
	OP(c, v_mov_b32, V(5), K(30));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ S(26), SREG(P2A_EXEC_LO, 1) }, 2);
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), K(1) }, 2);
	MEM(c, ds_write_b32, 0, V(1), V(2));
	MEM(c, ds_write_b32, 4, V(1), V(2));
	t_wait(c);
	MEM(c, ds_cond_sub_rtn_u32, 0, V(6), V(1), V(5));        /* 100, leaves 70 */
	MEM(c, ds_cond_sub_u32, 0, V(1), V(2));                  /* 70 stays */
	MEM(c, ds_sub_clamp_rtn_u32, 4, V(7), V(1), V(5));       /* 100, leaves 70 */
	MEM(c, ds_sub_clamp_u32, 4, V(1), V(2));                 /* 0 */
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(8), V(1));
	MEM(c, ds_read_b32, 4, V(9), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(9), K(20), V(9));
	OP(c, v_add3_u32, V(4), V(6), V(7), V(8));
	OP(c, v_add_u32, V(4), V(9), V(4));
	OP(c, v_readfirstlane_b32, S(27), V(4));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), S(26) }, 2);
	OP(c, v_mov_b32, V(4), S(27));
}
static uint32_t want_sub(uint32_t i, uint32_t n) { (void)i, (void)n; return 270; }

/* Each lane of its own dword: 40 + i minus 50, at least 0; what was there. */
static void csub_global(t_code *c)
{
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_add_u32, V(2), K(40), V(0));
	OP(c, v_mov_b32, V(5), K(50));
	MEM(c, global_store_dword, 0, V(1), V(2), SN(6, 2));
	t_wait(c);
	MEM(c, global_atomic_csub_rtn, 0, V(6), V(1), V(5), SN(6, 2));
	t_wait(c);
	MEM(c, global_load_dword, 0, V(7), V(1), SN(6, 2));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(7), K(8), V(7));
	OP(c, v_add_u32, V(4), V(6), V(7));
}
static uint32_t want_csub(uint32_t i, uint32_t n) { (void)n; return 40 + i + (i > 10 ? i - 10 : 0) * 256; }

/* The product is 0 where a factor is, whatever the other; d is added. */
static void legacy(t_code *c)
{
	OP(c, v_cvt_f32_u32, V(5), V(0));
	OP(c, v_mov_b32, V(6), K(0x7f800000));           /* infinity */
	OP(c, v_mov_b32, V(7), K(0));
	OP(c, v_mov_b32, V(4), K(0x3f800000));
	t_op(c, c->t->features & ISA_FT_BIT(ISA_FT_MAD) ? OP_v_mac_legacy_f32 : OP_v_fmac_legacy_f32,
		(p2a_opnd[]){ V(4), V(6), V(7) }, 3);    /* 1 */
	t_op(c, c->t->features & ISA_FT_BIT(ISA_FT_MAD) ? OP_v_mac_legacy_f32 : OP_v_fmac_legacy_f32,
		(p2a_opnd[]){ V(4), V(5), V(5) }, 3);
}
static uint32_t want_legacy(uint32_t i, uint32_t n) { (void)n; return bits(1.0f + (float)(i * i)); }

/* Comparisons that are always or never true. */
static void cmp_constant(t_code *c)
{
	static const unsigned op[4] = { OP_v_cmp_f_i16, OP_v_cmp_t_i16, OP_v_cmp_f_u16, OP_v_cmp_t_u16 };
	OP(c, v_mov_b32, V(4), K(0));
	for (unsigned k = 0; k < 4; k++) {
		t_op(c, op[k], (p2a_opnd[]){ SN(20, 2), V(0), V(0) }, 3);
		t_op(c, OP_v_cndmask_b32, (p2a_opnd[]){ V(5), K(0), K(1 << k), SN(20, 2) }, 4);
		OP(c, v_add_u32, V(4), V(5), V(4));
	}
}
static uint32_t want_cmp(uint32_t i, uint32_t n) { (void)i, (void)n; return 2 + 8; }

/* Four sums of differences: of the bytes i.., where a byte of the second is 0 it does not count. */
static void mqsad(t_code *c)
{
	OP(c, v_mov_b32, V(8), K(0x10));                 /* bytes 10 00 00 00, 20 00 00 00 of the first */
	OP(c, v_mov_b32, V(9), K(0x20));
	OP(c, v_mov_b32, V(10), K(0x0100));              /* byte 1 counts: its difference to 1 */
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_add_u32, V(12 + k), K((int)k), V(0));
	OP(c, v_mov_b32, V(15), K(-1));
	t_op(c, OP_v_mqsad_u32_u8, (p2a_opnd[]){ VN(16, 4), VN(8, 2), V(10), VN(12, 4) }, 4);
	OP(c, v_add3_u32, V(4), V(16), V(17), V(18));
	OP(c, v_add_u32, V(4), V(4), V(19));
}
static uint32_t want_mqsad(uint32_t i, uint32_t n) { (void)n; return (i + 1) + (i + 1 + 1) + (i + 2 + 1) + (31 - 1); }

/* Byte 2 of what is there. */
static void pkaccum(t_code *c)
{
	OP(c, v_mov_b32, V(4), K(0x11223344));
	OP(c, v_cvt_f32_u32, V(5), V(0));
	OP(c, v_mul_f32, V(5), K(0x41280000), V(5));     /* 10.5 i */
	OP(c, v_cvt_pkaccum_u8_f32, V(4), V(5), K(2));
}
static uint32_t want_pkaccum(uint32_t i, uint32_t n)
{
	(void)n;
	return 0x11003344 | (i > 24 ? 255 : 21 * i / 2) << 16;
}

/* Entries 0 to 7, and the last. */
static void partition(t_code *c)
{
	OP(c, v_and_b32, V(5), K(7), V(0));
	OP(c, v_screen_partition_4se_b32, V(4), V(5));
	OP(c, v_mov_b32, V(5), K(0x5ff));
	OP(c, v_screen_partition_4se_b32, V(5), V(5));
	OP(c, v_lshlrev_b32, V(5), K(4), V(5));
	OP(c, v_or_b32, V(4), V(4), V(5));
}
static uint32_t want_partition(uint32_t i, uint32_t n)
{
	static const uint8_t first[8] = { 1, 3, 7, 15, 5, 15, 15, 15 };
	(void)n;
	return first[i & 7] | 1 << 4;
}

static void mul_legacy(t_code *c)
{
	unsigned op = isa_has(c->t, OP_v_mul_legacy_f32) ? OP_v_mul_legacy_f32 : OP_v_mul_legacy_f32_vop3;
	OP(c, v_cvt_f32_u32, V(5), V(0));
	OP(c, v_mov_b32, V(6), K(0x7f800000));
	t_op(c, op, (p2a_opnd[]){ V(6), V(6), V(5) }, 3);        /* lane 0: infinity times 0 is 0 */
	t_op(c, op, (p2a_opnd[]){ V(5), V(5), V(5) }, 3);
	OP(c, v_add_f32, V(4), V(5), V(6));
}
static uint32_t want_mul_legacy(uint32_t i, uint32_t n) { (void)n; return i ? 0x7f800000 : 0; }

static void mul_lo(t_code *c)
{
	OP(c, v_mov_b32, V(5), K(-7));
	OP(c, v_mul_lo_i32, V(4), V(5), V(0));
}
static uint32_t want_mul_lo(uint32_t i, uint32_t n) { (void)n; return 0 - 7 * i; }

/* Halves 2 and 0.5 times i, added to 1 and -i: exact. */
static void pk_fmac(t_code *c)
{
	OP(c, v_cvt_f16_u16, V(5), V(0));
	OP(c, v_and_b32, V(5), K(0xffff), V(5));
	OP(c, v_lshlrev_b32, V(6), K(16), V(5));
	OP(c, v_or_b32, V(5), V(5), V(6));
	OP(c, v_xor_b32, V(4), K(INT32_MIN), V(6));
	OP(c, v_or_b32, V(4), K(0x3c00), V(4));
	OP(c, v_mov_b32, V(6), K(0x38004000));
	OP(c, v_pk_fmac_f16, V(4), V(6), V(5));
}
static uint32_t half_bits(double x) { _Float16 h = (_Float16)x; uint16_t u; memcpy(&u, &h, 2); return u; }
static uint32_t want_pk_fmac(uint32_t i, uint32_t n)
{
	(void)n;
	return half_bits(2.0 * i + 1) | half_bits(i ? -0.5 * i : 0) << 16;
}

/* Each lane asks its row for the lane 3 i + 1; then the row beside it. Lanes that are off are read, too. */
static void permlane_var(t_code *c)
{
	OP(c, v_mul_u32_u24, V(5), K(3), V(0));
	OP(c, v_add_u32, V(5), K(1), V(5));
	OP(c, v_mov_b32, V(4), K(0));
	OP(c, v_mov_b32, V(6), K(99));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ S(26), SREG(P2A_EXEC_LO, 1) }, 2);
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), K(0x5555) }, 2);
	OP(c, v_permlane16_var_b32, V(4), V(0), V(5));
	OP(c, v_permlanex16_var_b32, V(6), V(0), V(5));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), S(26) }, 2);
	OP(c, v_lshlrev_b32, V(6), K(8), V(6));
	OP(c, v_or_b32, V(4), V(4), V(6));
}
static uint32_t want_permlane_var(uint32_t i, uint32_t n)
{
	uint32_t from = (i & 16) | ((3 * i + 1) & 15);
	(void)n;
	return 0x5555 >> i & 1 ? from | (from ^ 16) << 8 : 99 << 8;
}

/* What is too great: a NaN, or by MODE the greatest there is; infinity, or that. */
static void fp8_overflow(t_code *c)
{
	bool old = c->t->family == ISA_GFX9;
	OP(c, v_mov_b32, V(5), K(0x49742400));           /* 1e6 */
	OP(c, v_mov_b32, V(6), K((int32_t)0xc9742400));
	OP(c, v_mov_b32, V(4), K(0));
	OP(c, v_mov_b32, V(7), K(0));
	t_op(c, old ? OP_v_cvt_pk_bf8_f32_fnuz : OP_v_cvt_pk_bf8_f32, (p2a_opnd[]){ V(4), V(5), V(6) }, 3);
	t_op(c, OP_s_setreg_imm32_b32, (p2a_opnd[]){ K(1 | 23 << 6), K(1) }, 2);
	t_op(c, old ? OP_v_cvt_pk_fp8_f32_fnuz : OP_v_cvt_pk_fp8_f32, (p2a_opnd[]){ V(7), V(5), V(6) }, 3);
	t_op(c, OP_s_setreg_imm32_b32, (p2a_opnd[]){ K(1 | 23 << 6), K(0) }, 2);
	OP(c, v_lshlrev_b32, V(7), K(16), V(7));
	OP(c, v_or_b32, V(4), V(4), V(7));
}
static uint32_t want_ocp(uint32_t i, uint32_t n) { (void)i, (void)n; return 0xfe7efc7c; }
static uint32_t want_fnuz(uint32_t i, uint32_t n) { (void)i, (void)n; return 0xff7f8080; }

static const rare cases[] = {
	{ "v_mqsad_u32_u8", "gfx900 gfx90a gfx1010 gfx1100", mqsad, want_mqsad, 0 },
	{ "v_cvt_pkaccum_u8_f32", "gfx900 gfx942", pkaccum, want_pkaccum, 0 },
	{ "v_screen_partition_4se_b32", "gfx900 gfx90a", partition, want_partition, 0 },
	{ "v_mul_legacy_f32", "gfx900 gfx90a gfx942 gfx1030", mul_legacy, want_mul_legacy, 0 },
	{ "v_mul_lo_i32", "gfx1010", mul_lo, want_mul_lo, 0 }, { "v_pk_fmac_f16", "gfx908 gfx942 gfx1030 gfx1200", pk_fmac, want_pk_fmac, 0 },
	{ "v_permlane16_var_b32", "gfx1200", permlane_var, want_permlane_var, 0 },
	{ "floats of 8 bits too great", "gfx1200", fp8_overflow, want_ocp, 0 },
	{ "floats of 8 bits too great", "gfx942", fp8_overflow, want_fnuz, 0 },
	{ "wqm", "gfx900 gfx1030 gfx1100 gfx1200", wqm, want_wqm, 0 }, { "call", "gfx900 gfx1030 gfx1100 gfx1200", call, want_call, 0 },
	{ "s_wqm_b64, s_movrels_b64", "gfx900 gfx1030 gfx1100 gfx1200", wide_scalars, want_wide_scalars, 0 },
	{ "s_movrel", "gfx900 gfx1030 gfx1100 gfx1200", s_indexed, want_103, 0 },
	{ "v_movrel", "gfx1030 gfx1100 gfx1200", v_indexed, want_indexed, 0 }, { "gpr_idx", "gfx900 gfx90a", gpr_idx, want_indexed, 0 },
	{ "permlane64", "gfx1100", permlane64, want_permlane64, 0 },
	{ "ds_wrxchg2", "gfx900 gfx1030 gfx1100 gfx1200", exchange, want_exchange, 0 },
	{ "ds_wrxchg2st64_rtn_b64", "gfx900 gfx90a gfx1030 gfx1100 gfx1200", exchange_wide, want_exchange_wide, 0 },
	{ "ds_mskor", "gfx900 gfx1030 gfx1100 gfx1200", mskor, want_mskor, 0 }, { "ds_wrap", "gfx900 gfx1030 gfx1100", wrap, want_wrap, 0 },
	{ "ds_append", "gfx900 gfx1030 gfx1100", append, want_append, 0 },
	{ "ds_cmpst_f32", "gfx900 gfx1030 gfx1100", cmpst, want_cmpst, 0 },
	{ "global_atomic_fmin", "gfx1030 gfx1100 gfx1200", fmin_global, want_fmin, 0 },
	{ "v_s_sqrt_f32", "gfx1200", scalar_trans, want_trans, 0 }, { "ds_cond_sub", "gfx1200", sub_lds, want_sub, 0 },
	{ "global_atomic_csub", "gfx1030 gfx1100 gfx1200", csub_global, want_csub, 0 },
	{ "legacy", "gfx1010 gfx1030 gfx1100", legacy, want_legacy, 0 }, { "v_cmp_t_i16", "gfx900 gfx90a", cmp_constant, want_cmp, 0 },
	{ "scalar floats", "gfx1150 gfx1200", salu_float, want_salu, 0 },
};

int main(void)
{
	return rare_all(cases, sizeof cases / sizeof *cases);
}
