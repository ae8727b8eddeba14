/* test_old.c -- instructions that compilers have left: scalar stores and atomics, LDS operations on two places, addresses by
 * the lane's number, the branch stack, skipped vector instructions, subvectors, the barrier's state.
 * Expected values are computed here from the manuals' words: Vega 4.7, 10.3, 12.6, 12.13; RDNA2 4.2.1; RDNA4 5.6, 16.3. */
#include "rare.h"

static void s_value(t_code *c, unsigned reg, int32_t x) { OP(c, s_mov_b32, S(reg), K(x)); }

/* What stands in the first dwords of the buffer, summed with weights of a byte each. */
static void sum_dwords(t_code *c, unsigned n)
{
	OP(c, v_mov_b32, V(1), K(0));
	OP(c, v_mov_b32, V(4), K(0));
	for (unsigned k = 0; k < n; k++) {
		MEM(c, global_load_dword, (int)(4 * k), V(5), V(1), SN(4, 2));
		t_wait(c);
		OP(c, v_lshlrev_b32, V(5), K((int)(8 * k)), V(5));
		OP(c, v_add_u32, V(4), V(4), V(5));
	}
}

static void s_stores(t_code *c)
{
	for (unsigned k = 0; k < 4; k++)
		s_value(c, 20 + k, 10 + (int)k);
	s_value(c, 24, 4);
	MEM(c, s_store_dwordx4, 0, SN(20, 4), SN(4, 2), OFF);
	t_wait(c);
	MEM(c, s_store_dword, 0, S(24), SN(4, 2), S(24));        /* at 4 */
	MEM(c, s_scratch_store_dword, 8, S(22), SN(4, 2), OFF);
	t_wait(c);
	t_op(c, OP_s_dcache_wb, NULL, 0);
	t_wait(c);
	sum_dwords(c, 4);
}
static uint32_t want_stores(uint32_t i, uint32_t n) { (void)i, (void)n; return 10 | 4 << 8 | 12 << 16 | 13 << 24; }

/* A descriptor of 16 bytes from s[4:5] in s[32:35]: of two dwords from 12 on the second is left out. */
static void descriptor(t_code *c)
{
	OP(c, s_mov_b64, SN(32, 2), SN(4, 2));
	s_value(c, 34, 16);
	s_value(c, 35, 0);
}
static void s_buffer_stores(t_code *c)
{
	descriptor(c);
	s_value(c, 20, 7);
	s_value(c, 21, 8);
	s_value(c, 22, 4);
	MEM(c, s_buffer_store_dwordx2, 12, SN(20, 2), SN(32, 4), OFF);
	MEM(c, s_buffer_store_dword, 0, S(21), SN(32, 4), S(22));
	MEM(c, s_buffer_store_dword, 16, S(21), SN(32, 4), OFF);
	t_wait(c);
	MEM(c, s_load_dword, 16, S(23), SN(4, 2), OFF);
	t_wait(c);
	sum_dwords(c, 4);
	OP(c, v_add_u32, V(4), S(23), V(4));
}
static uint32_t want_buffer_stores(uint32_t i, uint32_t n) { (void)i, (void)n; return 8 << 8 | 7u << 24; }

static void s_atomics(t_code *c)
{
	s_value(c, 20, 5);
	s_value(c, 21, 100);
	s_value(c, 22, 9);                                       /* new */
	s_value(c, 23, 6);                                       /* if it is that */
	s_value(c, 24, 7);
	OP(c, s_mov_b64, SN(26, 2), K(1));
	MEM(c, s_atomic_add, 0, S(20), SN(4, 2), OFF);           /* 5 */
	t_wait(c);
	MEM(c, s_atomic_inc_rtn, 0, S(21), SN(4, 2), OFF);       /* was 5, is 6 */
	t_wait(c);
	MEM(c, s_atomic_cmpswap_rtn, 0, SN(22, 2), SN(4, 2), OFF); /* was 6, is 9 */
	t_wait(c);
	MEM(c, s_atomic_umax, 0, S(24), SN(4, 2), OFF);          /* 9 */
	MEM(c, s_atomic_sub_x2_rtn, 8, SN(26, 2), SN(4, 2), OFF);  /* was 0, is -1 */
	t_wait(c);
	MEM(c, s_load_dwordx4, 0, SN(28, 4), SN(4, 2), OFF);
	t_wait(c);
	OP(c, s_lshl_b32, S(21), S(21), K(8));
	OP(c, s_lshl_b32, S(22), S(22), K(16));
	OP(c, s_add_u32, S(28), S(28), S(21));
	OP(c, s_add_u32, S(28), S(28), S(22));
	OP(c, s_add_u32, S(28), S(28), S(26));
	OP(c, s_sub_u32, S(28), S(28), S(30));
	OP(c, s_sub_u32, S(28), S(28), S(31));
	OP(c, v_mov_b32, V(4), S(28));
}
static uint32_t want_atomics(uint32_t i, uint32_t n) { (void)i, (void)n; return (9 | 5 << 8 | 6 << 16) + 2; }

/* 3 | 4 at 4; out of range nothing is changed and 0 comes back. */
static void s_buffer_atomics(t_code *c)
{
	descriptor(c);
	s_value(c, 20, 3);
	s_value(c, 21, 4);
	s_value(c, 22, 99);
	MEM(c, s_buffer_atomic_or, 4, S(20), SN(32, 4), OFF);
	t_wait(c);
	MEM(c, s_buffer_atomic_or_rtn, 4, S(21), SN(32, 4), OFF);
	MEM(c, s_buffer_atomic_swap_rtn, 16, S(22), SN(32, 4), OFF);
	t_wait(c);
	MEM(c, s_load_dword, 16, S(23), SN(4, 2), OFF);
	t_wait(c);
	sum_dwords(c, 2);
	OP(c, v_add_u32, V(4), S(21), V(4));
	OP(c, v_add_u32, V(4), S(22), V(4));
	OP(c, v_add_u32, V(4), S(23), V(4));
}
static uint32_t want_buffer_atomics(uint32_t i, uint32_t n) { (void)i, (void)n; return (7 << 8) + 3; }

/* LDS: 50 + i at 4 i, 4 i at 256 + 4 i. */
static void fill(t_code *c)
{
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_add_u32, V(2), K(50), V(0));
	OP(c, s_mov_b32, M0, K(-1));
	MEM(c, ds_write_b32, 0, V(1), V(2));
	MEM(c, ds_write_b32, 256, V(1), V(1));
	t_wait(c);
}
static void src2(t_code *c)
{
	fill(c);
	MEM(c, ds_add_src2_u32, 64, V(1));                       /* 64 dwords on: 50 + 5 i */
	OP(c, v_or_b32, V(3), K(64 << 17), V(1));
	MEM(c, ds_rsub_src2_u32, 0x8000, V(3));                  /* 4 i - (50 + 5 i) */
	OP(c, v_add_u32, V(3), K(256), V(1));
	MEM(c, ds_max_src2_i32, 0x7fc0, V(3));                   /* 64 dwords back: max(4 i, -50 - i) */
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(5), V(1));
	MEM(c, ds_read_b32, 256, V(6), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(6), K(16), V(6));
	OP(c, v_sub_u32, V(4), V(6), V(5));
}
static uint32_t want_src2(uint32_t i, uint32_t n) { (void)n; return (4 * i << 16) + 50 + i; }

/* Two dwords a lane, {50 + i, 4 i}, which are overwritten by the next lane's; behind the last lane are zeros. */
static void src2_wide(t_code *c)
{
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	OP(c, v_mov_b32, V(2), K(0));
	OP(c, v_mov_b32, V(3), V(2));
	OP(c, s_mov_b32, M0, K(-1));
	MEM(c, ds_write_b64, 8, V(1), VN(2, 2));
	t_wait(c);
	OP(c, v_add_u32, V(2), K(50), V(0));
	OP(c, v_lshlrev_b32, V(3), K(2), V(0));
	MEM(c, ds_write_b64, 0, V(1), VN(2, 2));
	t_wait(c);
	MEM(c, ds_write_src2_b64, 2, V(1));
	t_wait(c);
	MEM(c, ds_read_b64, 0, VN(6, 2), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(7), K(16), V(7));
	OP(c, v_add_u32, V(4), V(6), V(7));
}
static uint32_t want_src2_wide(uint32_t i, uint32_t n) { return i + 1 == n ? 0 : 51 + i + (4 * (i + 1) << 16); }

/* Of {3, 5} the even lanes replace the first by i, those divisible by three the second by 2 i. */
static void condxchg(t_code *c)
{
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	OP(c, v_mov_b32, V(2), K(3));
	OP(c, v_mov_b32, V(3), K(5));
	OP(c, s_mov_b32, M0, K(-1));
	MEM(c, ds_write_b64, 0, V(1), VN(2, 2));
	OP(c, v_lshlrev_b32, V(8), K(31), V(0));
	OP(c, v_xor_b32, V(8), K(INT32_MIN), V(8));              /* the highest bit: even */
	OP(c, v_or_b32, V(8), V(0), V(8));
	OP(c, s_mov_b32, S(24), K((int32_t)0xaaaaaaab));
	OP(c, v_mul_lo_u32, V(9), V(0), S(24));                  /* a third, if it is one */
	OP(c, s_mov_b32, S(24), K(0x55555555));
	const p2a_opnd vcc = SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32u));
	OP(c, v_cmp_ge_u32, vcc, S(24), V(9));
	OP(c, v_mov_b32, V(10), K(0));
	OP(c, v_mov_b32, V(11), K(INT32_MIN));
	OP(c, v_cndmask_b32, V(9), V(10), V(11), vcc);
	OP(c, v_add_u32, V(10), V(0), V(0));
	OP(c, v_or_b32, V(9), V(9), V(10));
	t_wait(c);
	OP(c, v_mov_b32, V(12), V(8));
	OP(c, v_mov_b32, V(13), V(9));
	MEM(c, ds_condxchg32_rtn_b64, 0, VN(6, 2), V(1), VN(12, 2));
	t_wait(c);
	MEM(c, ds_read_b64, 0, VN(14, 2), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(7), K(8), V(7));
	OP(c, v_lshlrev_b32, V(14), K(16), V(14));
	OP(c, v_lshlrev_b32, V(15), K(24), V(15));
	OP(c, v_or_b32, V(4), V(6), V(7));
	OP(c, v_or_b32, V(4), V(4), V(14));
	OP(c, v_or_b32, V(4), V(4), V(15));
}
static uint32_t want_condxchg(uint32_t i, uint32_t n)
{
	(void)n;
	return 3 | 5 << 8 | (i % 2 ? 3 : i) << 16 | (i % 3 ? 5 : 2 * i) << 24;
}

/* Written by lane, read by address, and the other way round. */
static void addtid(t_code *c)
{
	fill(c);
	OP(c, s_mov_b32, M0, K(0x50100));                        /* the low half counts */
	OP(c, s_nop, K(0));
	MEM(c, ds_write_addtid_b32, 256, V(2));                  /* 512 + 4 i: 50 + i */
	MEM(c, ds_read_addtid_b32, 0, V(6));                     /* 256 + 4 i: 4 i */
	t_wait(c);
	OP(c, s_mov_b32, M0, K(-1));
	MEM(c, ds_read_b32, 512, V(5), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(6), K(16), V(6));
	OP(c, v_add_u32, V(4), V(6), V(5));
}
static uint32_t want_addtid(uint32_t i, uint32_t n) { (void)n; return (4 * i << 16) + 50 + i; }

static void global_addtid(t_code *c)
{
	OP(c, v_add_u32, V(2), K(50), V(0));
	MEM(c, global_store_dword_addtid, 16, V(2), SN(4, 2));
	t_wait(c);
	MEM(c, global_load_dword_addtid, 12, V(4), SN(4, 2));    /* that of the lane before */
	t_wait(c);
}
static uint32_t want_global_addtid(uint32_t i, uint32_t n) { (void)n; return i ? 49 + i : 0; }

/* A fork by v_cmp: lanes below 20 take 200 + i, the others 100 + i; s25 counts the ways gone. */
static void fork_by(t_code *c, bool by_register)
{
	s_value(c, 20, 0);                                       /* the stack is empty */
	s_value(c, 25, 0);
	OP(c, s_mov_b64, SN(28, 2), SREG(P2A_EXEC, 2));
	OP(c, v_mov_b32, V(4), K(0));
	t_op(c, OP_v_cmp_gt_u32, (p2a_opnd[]){ SN(22, 2), K(20), V(0) }, 3);
	if (by_register) {
		OP(c, s_getpc_b64, SN(26, 2));
		OP(c, s_add_u32, S(26), S(26), K(28));           /* to where it says below */
		OP(c, s_addc_u32, S(27), S(27), K(0));
		OP(c, s_cbranch_g_fork, SN(22, 2), SN(26, 2));
	} else
		OP(c, s_cbranch_i_fork, SN(22, 2), K(3));
	OP(c, v_add_u32, V(4), K(50), V(0));
	OP(c, v_add_u32, V(4), K(50), V(4));
	size_t back = t_forward(c, OP_s_branch);
	if (by_register)
		OP(c, s_nop, K(0));                              /* 28 bytes behind s_getpc_b64's end */
	OP(c, v_or_b32, V(4), K(64), V(0));
	t_here(c, back);
	OP(c, s_add_u32, S(25), S(25), K(1));
	OP(c, s_cbranch_join, S(20));
	OP(c, s_mov_b64, SREG(P2A_EXEC, 2), SN(28, 2));          /* the second way's lanes are on */
	OP(c, s_lshl_b32, S(25), S(25), K(16));
	OP(c, v_or_b32, V(4), S(25), V(4));
}
static void i_fork(t_code *c) { fork_by(c, false); }
static void g_fork(t_code *c) { fork_by(c, true); }
static uint32_t want_fork(uint32_t i, uint32_t n) { (void)n; return 2 << 16 | (i < 20 ? 64 + i : 100 + i); }

static void vskip(t_code *c)
{
	OP(c, v_mov_b32, V(4), K(1));
	s_value(c, 20, 0);
	s_value(c, 21, 4);
	OP(c, s_setvskip, S(21), K(2));                          /* bit 2 of 4 */
	OP(c, v_mov_b32, V(4), K(9));
	MEM(c, global_load_dword, 0, V(4), V(4), SN(4, 2));
	OP(c, s_add_u32, S(20), S(20), K(5));
	OP(c, s_setvskip, S(21), K(1));
	OP(c, v_add_u32, V(4), S(20), V(4));
}
static uint32_t want_vskip(uint32_t i, uint32_t n) { (void)i, (void)n; return 6; }

/* Every lane once, the wave twice. */
static void subvector(t_code *c)
{
	t_wave64(c);
	OP(c, v_mov_b32, V(4), K(0));
	s_value(c, 21, 0);
	t_op(c, OP_s_subvector_loop_begin, (p2a_opnd[]){ S(20), K(3) }, 2);
	OP(c, s_add_u32, S(21), S(21), K(1));
	OP(c, v_add_u32, V(4), S(21), V(4));
	t_op(c, OP_s_subvector_loop_end, (p2a_opnd[]){ S(20), K(-3) }, 2);
	OP(c, s_lshl_b32, S(21), S(21), K(8));
	OP(c, v_add_u32, V(4), S(21), V(4));
}
static uint32_t want_subvector(uint32_t i, uint32_t n) { (void)n; return (2 << 8) + (i < 32 ? 1 : 2); }

/* Of two waves the first to signal is told so; one of two has signalled then. */
static void first_signal(t_code *c)
{
	OP(c, s_barrier_signal_isfirst, K(-1));
	OP(c, s_cselect_b32, S(20), K(1), K(0));
	OP(c, s_get_barrier_state, S(21), K(-1));
	t_wait(c);
	OP(c, s_barrier_wait, K(0xffff));
	OP(c, s_lshl_b32, S(21), S(21), K(1));
	OP(c, s_or_b32, S(20), S(20), S(21));
	OP(c, v_mov_b32, V(4), S(20));
}
static uint32_t want_first(uint32_t i, uint32_t n)
{
	uint32_t signalled = i < n ? 1 : 0;                      /* the second completes it, which resets the count */
	return (i < n) | (signalled << 16 | 2 << 4 | 1) << 1;
}

static void wave_id(t_code *c)
{
	MEM(c, s_get_waveid_in_workgroup, 0, S(20));
	t_wait(c);
	OP(c, v_mov_b32, V(4), S(20));
}
static uint32_t want_wave_id(uint32_t i, uint32_t n) { return i / n; }

static void clock32(t_code *c)
{
	OP(c, s_sendmsg_rtn_b32, S(20), K(0x83));
	t_wait(c);
	OP(c, s_sendmsg_rtn_b64, SN(22, 2), K(0x83));
	t_wait(c);
	OP(c, s_sub_u32, S(20), S(22), S(20));
	OP(c, s_lshr_b32, S(20), S(20), K(31));                  /* not less */
	OP(c, v_mov_b32, V(4), S(20));
}
static uint32_t want_0(uint32_t i, uint32_t n) { (void)i, (void)n; return 0; }

/* What the emulator has nothing to do for, and what a killed wave does not do. */
static void nothing(t_code *c)
{
	static const unsigned op[] = { OP_s_incperflevel, OP_s_decperflevel, OP_s_setkill, OP_s_cbranch_cdbguser };
	OP(c, v_mov_b32, V(4), K(0));
	for (size_t k = 0; k < sizeof op / sizeof *op; k++)
		if (isa_has(c->t, op[k]))
			t_op(c, op[k], (p2a_opnd[]){ K(k == 3 ? 30 : 0) }, 1);
	t_op(c, OP_ds_nop, NULL, 0);
	MEM(c, s_atc_probe, 0, K(5), SN(4, 2), OFF);
	if (isa_has(c->t, OP_s_prefetch_data))
		t_op(c, OP_s_prefetch_data, (p2a_opnd[]){ SN(4, 2), K(-8), SREG(P2A_NULL, 1), K(3) }, 4);
	if (isa_has(c->t, OP_s_dcache_discard))
		MEM(c, s_dcache_discard, 0, SN(4, 2), OFF);
	t_wait(c);
}

static const rare cases[] = {
	{ "s_store", "gfx900 gfx90a gfx1010", s_stores, want_stores, 0 },
	{ "s_buffer_store", "gfx900 gfx90a gfx1010", s_buffer_stores, want_buffer_stores, 0 },
	{ "s_atomic", "gfx900 gfx942 gfx1010", s_atomics, want_atomics, 0 },
	{ "s_buffer_atomic", "gfx900 gfx942 gfx1010", s_buffer_atomics, want_buffer_atomics, 0 },
	{ "ds_*_src2", "gfx900 gfx908 gfx1010", src2, want_src2, 0 },
	{ "ds_write_src2_b64", "gfx900 gfx1010", src2_wide, want_src2_wide, 0 },
	{ "ds_condxchg32", "gfx900 gfx90a gfx1030 gfx1100 gfx1200", condxchg, want_condxchg, 0 },
	{ "ds_read_addtid", "gfx900 gfx942 gfx1030 gfx1100 gfx1200", addtid, want_addtid, 0 },
	{ "global_load_addtid", "gfx1030 gfx1100 gfx1200", global_addtid, want_global_addtid, 0 },
	{ "s_cbranch_i_fork", "gfx900 gfx942", i_fork, want_fork, 0 }, { "s_cbranch_g_fork", "gfx900 gfx90a", g_fork, want_fork, 0 },
	{ "s_setvskip", "gfx900 gfx942", vskip, want_vskip, 0 }, { "s_subvector_loop", "gfx1030 gfx1100", subvector, want_subvector, 0 },
	{ "s_barrier_signal_isfirst", "gfx1200", first_signal, want_first, 2 },
	{ "s_get_waveid_in_workgroup", "gfx1010", wave_id, want_wave_id, 2 }, { "s_sendmsg_rtn_b32", "gfx1100 gfx1200", clock32, want_0, 0 },
	{ "without effect", "gfx900 gfx942 gfx1010 gfx1030 gfx1100 gfx1200", nothing, want_0, 0 },
};

int main(void)
{
	return rare_all(cases, sizeof cases / sizeof *cases);
}
