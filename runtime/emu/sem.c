/* sem.c -- which handler runs each instruction of isa/ops.def, with what it needs to know of the
 * row.
 * Needs the handlers; leaves emu_sem_table. A row without an entry is refused when it is
 * reached.
 * Scalar and vector arithmetic is in salu.def and valu_*.def; this file adds memory and the
 * rest. */
#include "emu/salu.h"

/* One suffix list serves global_*, flat_* and scratch_*. */
#define MEM(op, n, f) [OP_##op] = { .fn = h_vmem, .size = (n), .flags = (f) },
#define LOADS(p, f) \
	MEM(p##_load_ubyte, 1, f) MEM(p##_load_sbyte, 1, (f) | M_SIGNED) \
	MEM(p##_load_ushort, 2, f) MEM(p##_load_sshort, 2, (f) | M_SIGNED) \
	MEM(p##_load_dword, 4, f) MEM(p##_load_dwordx2, 8, f) \
	MEM(p##_load_dwordx3, 12, f) MEM(p##_load_dwordx4, 16, f) \
	MEM(p##_load_ubyte_d16, 1, (f) | M_D16) MEM(p##_load_ubyte_d16_hi, 1, (f) | M_D16 | M_HI) \
	MEM(p##_load_sbyte_d16, 1, (f) | M_D16 | M_SIGNED) \
	MEM(p##_load_sbyte_d16_hi, 1, (f) | M_D16 | M_HI | M_SIGNED) \
	MEM(p##_load_short_d16, 2, (f) | M_D16) MEM(p##_load_short_d16_hi, 2, (f) | M_D16 | M_HI)
#define STORES(p, f) \
	MEM(p##_store_byte, 1, (f) | M_STORE) MEM(p##_store_byte_d16_hi, 1, (f) | M_STORE | M_HI) \
	MEM(p##_store_short, 2, (f) | M_STORE) \
	MEM(p##_store_short_d16_hi, 2, (f) | M_STORE | M_HI) \
	MEM(p##_store_dword, 4, (f) | M_STORE) MEM(p##_store_dwordx2, 8, (f) | M_STORE) \
	MEM(p##_store_dwordx3, 12, (f) | M_STORE) MEM(p##_store_dwordx4, 16, (f) | M_STORE)
#define ATOMIC1(op, n, f, a) \
	[OP_##op] = { .fn = h_vmem_atomic, .size = (n), .flags = (f) | M_STORE, .aop = (a) }, \
	[OP_##op##_rtn] = { .fn = h_vmem_atomic, .size = (n), .flags = (f) | M_STORE | M_RTN, \
		.aop = (a) },
#define ATOMIC(op, f, a) ATOMIC1(op, 4, f, a) ATOMIC1(op##_x2, 8, f, a)
#define ATOMICS(p, f) \
	ATOMIC(p##_atomic_swap, f, A_SWAP) ATOMIC(p##_atomic_cmpswap, f, A_CMPSWAP) \
	ATOMIC(p##_atomic_add, f, A_ADD) ATOMIC(p##_atomic_sub, f, A_SUB) \
	ATOMIC(p##_atomic_smin, f, A_SMIN) ATOMIC(p##_atomic_umin, f, A_UMIN) \
	ATOMIC(p##_atomic_smax, f, A_SMAX) ATOMIC(p##_atomic_umax, f, A_UMAX) \
	ATOMIC(p##_atomic_and, f, A_AND) ATOMIC(p##_atomic_or, f, A_OR) \
	ATOMIC(p##_atomic_xor, f, A_XOR) \
	ATOMIC(p##_atomic_inc, f, A_INC) ATOMIC(p##_atomic_dec, f, A_DEC) \
	ATOMIC1(p##_atomic_add_f32, 4, f, A_FADD) ATOMIC1(p##_atomic_add_f64, 8, f, A_FADD) \
	ATOMIC1(p##_atomic_pk_add_f16, 4, f, A_HADD) ATOMIC1(p##_atomic_pk_add_bf16, 4, f, A_BADD)

#define FLOATS(p, f) \
	ATOMIC1(p##_atomic_fmin, 4, f, A_FMIN) ATOMIC1(p##_atomic_fmax, 4, f, A_FMAX) \
	ATOMIC1(p##_atomic_fmin_x2, 8, f, A_FMIN) ATOMIC1(p##_atomic_fmax_x2, 8, f, A_FMAX) \
	ATOMIC1(p##_atomic_min_f64, 8, f, A_FMIN) ATOMIC1(p##_atomic_max_f64, 8, f, A_FMAX) \
	ATOMIC1(p##_atomic_fcmpswap, 4, f, A_FCMPSWAP) ATOMIC1(p##_atomic_fcmpswap_x2, 8, f, A_FCMPSWAP)

#define SUBS(p, f) ATOMIC1(p##_atomic_cond_sub_u32, 4, f, A_CONDSUB) ATOMIC1(p##_atomic_csub, 4, f, A_CSUB)

#define DS(op, n, f) [OP_##op] = { .fn = h_ds, .size = (n), .flags = (f) },
#define DSA(op, n, f, a) \
	[OP_##op] = { .fn = h_ds_atomic, .size = (n), .flags = (f) | M_STORE, .aop = (a) },
#define DSX(op, n, f) [OP_##op] = { .fn = h_ds_exchange2, .size = (n), .flags = (f) | M_TWO },
#define SRC2(op, n, a) [OP_##op] = { .fn = h_ds_src2, .size = (n), .flags = M_STORE, .aop = (a) },
#define SRC2S(b, n) \
	SRC2(ds_add_src2_u##b, n, A_ADD) SRC2(ds_sub_src2_u##b, n, A_SUB) SRC2(ds_rsub_src2_u##b, n, A_RSUB) \
	SRC2(ds_inc_src2_u##b, n, A_INC) SRC2(ds_dec_src2_u##b, n, A_DEC) SRC2(ds_min_src2_i##b, n, A_SMIN) \
	SRC2(ds_max_src2_i##b, n, A_SMAX) SRC2(ds_min_src2_u##b, n, A_UMIN) SRC2(ds_max_src2_u##b, n, A_UMAX) \
	SRC2(ds_and_src2_b##b, n, A_AND) SRC2(ds_or_src2_b##b, n, A_OR) SRC2(ds_xor_src2_b##b, n, A_XOR) \
	SRC2(ds_write_src2_b##b, n, A_SWAP) SRC2(ds_min_src2_f##b, n, A_FMIN) SRC2(ds_max_src2_f##b, n, A_FMAX)
#define DSA2(head, tail, n, a) DSA(head##_##tail, n, 0, a) DSA(head##_rtn_##tail, n, M_RTN, a)
#define SMEM(op, n, f) [OP_##op] = { .fn = h_smem, .size = (n), .flags = (f) },
#define SBUF(op, n, f) [OP_##op] = { .fn = h_smem_buffer, .size = (n), .flags = (f) },
#define SMEMS(p, h, f) \
	[OP_##p##_dword] = { .fn = (h), .size = 4, .flags = (f) }, \
	[OP_##p##_dwordx2] = { .fn = (h), .size = 8, .flags = (f) }, \
	[OP_##p##_dwordx4] = { .fn = (h), .size = 16, .flags = (f) },
#define SATOMIC1(op, n, h, a) \
	[OP_##op] = { .fn = (h), .size = (n), .flags = M_STORE, .aop = (a) }, \
	[OP_##op##_rtn] = { .fn = (h), .size = (n), .flags = M_STORE | M_RTN, .aop = (a) },
#define SATOMIC(op, h, a) SATOMIC1(op, 4, h, a) SATOMIC1(op##_x2, 8, h, a)
#define SATOMICS(p, h) \
	SATOMIC(p##_swap, h, A_SWAP) SATOMIC(p##_cmpswap, h, A_CMPSWAP) SATOMIC(p##_add, h, A_ADD) \
	SATOMIC(p##_sub, h, A_SUB) SATOMIC(p##_smin, h, A_SMIN) SATOMIC(p##_umin, h, A_UMIN) \
	SATOMIC(p##_smax, h, A_SMAX) SATOMIC(p##_umax, h, A_UMAX) SATOMIC(p##_and, h, A_AND) \
	SATOMIC(p##_or, h, A_OR) SATOMIC(p##_xor, h, A_XOR) SATOMIC(p##_inc, h, A_INC) SATOMIC(p##_dec, h, A_DEC)
#define SKIP(op) [OP_##op] = { .fn = h_nothing },
#define POLL(op) [OP_##op] = { .fn = h_poll },
#define UNCLEAR(op) [OP_##op] = { .fn = h_unclear },
#define NAMED(op) [OP_##op] = { .fn = h_s_named_barrier },
#define RUN(op) [OP_##op] = { .fn = h_##op },

#define SOP2(id, ...) RUN(id)
#define SOP1 SOP2
#define SF1 SOP2
#define SF2 SOP2
#define SFC SOP2
#define SOPC SOP2
#define SAVE SOP2
#define WREX SOP2
#define V1(id, f, ...) [OP_##id] = { .fn = h_valu, .flt = (f) },
#define V2 V1
#define V3 V1
#define VH3(id, f, ...) [OP_##id] = { .fn = h_valu, .flt = (f), .flags = M_HI },
#define PK2 V1
#define PK3 V1
#define PF2 V1
#define PF3 V1
#define VI2 V1
#define VI3 V1
#define VO2 V1
#define VO3 V1
#define VB2 V1
#define CMP(name, f, ...) \
	[OP_v_cmp_##name] = { .fn = h_cmp, .flt = (f) }, \
	[OP_v_cmpx_##name] = { .fn = h_cmpx, .flt = (f) },

const emu_sem emu_sem_table[ISA_NOPS] = {
#include "emu/salu.def"
#include "emu/valu_int.def"
#include "emu/valu_float.def"
#include "emu/valu_cold.def"
#include "emu/valu_cmp.def"
	RUN(s_branch) RUN(s_cbranch_scc0) RUN(s_cbranch_scc1) RUN(s_cbranch_vccz)
	RUN(s_cbranch_vccnz)
	RUN(s_cbranch_execz) RUN(s_cbranch_execnz) RUN(s_getpc_b64) RUN(s_setpc_b64)
	RUN(s_swappc_b64) RUN(s_call_b64)
	RUN(s_endpgm) RUN(s_sethalt) RUN(s_trap) RUN(s_code_end) RUN(s_getreg_b32) RUN(s_setreg_b32)
	RUN(s_setreg_imm32_b32) RUN(s_round_mode) RUN(s_denorm_mode)
	RUN(s_barrier) RUN(s_barrier_signal) RUN(s_barrier_wait) RUN(s_barrier_signal_isfirst) RUN(s_get_barrier_state)
	NAMED(s_barrier_init) NAMED(s_barrier_join) NAMED(s_barrier_leave) NAMED(s_wakeup_barrier)
	RUN(s_setkill) RUN(s_setvskip) RUN(s_cbranch_g_fork) RUN(s_cbranch_i_fork) RUN(s_cbranch_join)
	RUN(s_subvector_loop_begin) RUN(s_subvector_loop_end)
	/* No debugger: its flags are 0. */
	SKIP(s_cbranch_cdbgsys) SKIP(s_cbranch_cdbguser) SKIP(s_cbranch_cdbgsys_or_user) SKIP(s_cbranch_cdbgsys_and_user)
	/* Whose caches are emptied wants to see what others have done: run.c. */
	POLL(global_inv) POLL(global_wbinv) POLL(buffer_wbinvl1) POLL(buffer_wbinvl1_vol) POLL(buffer_inv) POLL(buffer_gl0_inv)
	[OP_s_sleep] = { .fn = h_sleep }, [OP_s_sleep_var] = { .fn = h_sleep },
	/* Time, order and caches do not show here otherwise. */
	SKIP(s_nop) SKIP(s_singleuse_vdst) SKIP(s_setprio) SKIP(s_sendmsg) SKIP(s_icache_inv) SKIP(s_wakeup)
	SKIP(s_version) SKIP(s_waitcnt_number) SKIP(s_incperflevel) SKIP(s_decperflevel) SKIP(s_ttracedata_imm) SKIP(ds_nop)
	SKIP(s_dcache_discard) SKIP(s_dcache_discard_x2) SKIP(s_atc_probe) SKIP(s_atc_probe_buffer) SKIP(s_prefetch_inst)
	SKIP(s_prefetch_inst_pc_rel) SKIP(s_prefetch_data) SKIP(s_prefetch_data_pc_rel) SKIP(s_buffer_prefetch_data)
	SKIP(s_inst_prefetch) SKIP(s_clause) SKIP(s_delay_alu) SKIP(s_ttracedata)
	SKIP(s_waitcnt) SKIP(s_waitcnt_vscnt) SKIP(s_waitcnt_vmcnt) SKIP(s_waitcnt_expcnt)
	SKIP(s_waitcnt_lgkmcnt)
	SKIP(s_waitcnt_depctr) SKIP(s_wait_idle) SKIP(s_wait_event) SKIP(s_wait_loadcnt)
	SKIP(s_wait_storecnt)
	SKIP(s_wait_samplecnt) SKIP(s_wait_bvhcnt) SKIP(s_wait_expcnt) SKIP(s_wait_dscnt)
	SKIP(s_wait_kmcnt)
	SKIP(s_wait_loadcnt_dscnt) SKIP(s_wait_storecnt_dscnt)
	SKIP(s_dcache_inv) SKIP(s_dcache_wb) SKIP(s_gl1_inv) SKIP(global_wb)
	SKIP(buffer_wbl2) SKIP(buffer_invl2) SKIP(buffer_gl1_inv) SKIP(v_nop)

	[OP_s_sendmsghalt] = { .fn = h_s_endpgm }, [OP_s_endpgm_saved] = { .fn = h_s_endpgm },
	[OP_s_memtime] = { .fn = h_time }, [OP_s_memrealtime] = { .fn = h_time },
	[OP_s_sendmsg_rtn_b64] = { .fn = h_rtn }, [OP_s_sendmsg_rtn_b32] = { .fn = h_rtn },
	[OP_s_get_waveid_in_workgroup] = { .fn = h_waveid },
	SMEMS(s_store, h_smem_store, M_STORE) SMEMS(s_scratch_store, h_smem_store, M_STORE | M_SCRATCH)
	SMEMS(s_buffer_store, h_smem_buffer_store, M_STORE) SMEMS(s_scratch_load, h_smem, M_SCRATCH)
	SATOMICS(s_atomic, h_smem_atomic) SATOMICS(s_buffer_atomic, h_smem_buffer_atomic)
	SBUF(s_buffer_load_dword, 4, 0) SBUF(s_buffer_load_dwordx2, 8, 0) SBUF(s_buffer_load_b96, 12, 0)
	SBUF(s_buffer_load_dwordx4, 16, 0) SBUF(s_buffer_load_dwordx8, 32, 0)
	SBUF(s_buffer_load_dwordx16, 64, 0) SBUF(s_buffer_load_i8, 1, M_SIGNED)
	SBUF(s_buffer_load_u8, 1, 0)
	SBUF(s_buffer_load_i16, 2, M_SIGNED) SBUF(s_buffer_load_u16, 2, 0)
	SMEM(s_load_dword, 4, 0) SMEM(s_load_dwordx2, 8, 0) SMEM(s_load_b96, 12, 0)
	SMEM(s_load_dwordx4, 16, 0)
	SMEM(s_load_dwordx8, 32, 0) SMEM(s_load_dwordx16, 64, 0) SMEM(s_load_i8, 1, M_SIGNED)
	SMEM(s_load_u8, 1, 0)
	SMEM(s_load_i16, 2, M_SIGNED) SMEM(s_load_u16, 2, 0)

	[OP_v_readlane_b32] = { .fn = h_readlane },
	[OP_v_readfirstlane_b32] = { .fn = h_readfirstlane },
	[OP_v_movrels_b32] = { .fn = h_v_movrels }, [OP_v_movreld_b32] = { .fn = h_v_movreld },
	[OP_v_movrelsd_b32] = { .fn = h_v_movrelsd }, [OP_v_movrelsd_2_b32] = { .fn = h_v_movrelsd_2 },
	[OP_v_swaprel_b32] = { .fn = h_v_swaprel }, [OP_v_permlane64_b32] = { .fn = h_permlane64 },
	[OP_s_movrels_b32] = { .fn = h_s_movrels }, [OP_s_movrels_b64] = { .fn = h_s_movrels },
	[OP_s_movreld_b32] = { .fn = h_s_movreld }, [OP_s_movreld_b64] = { .fn = h_s_movreld },
	[OP_s_movrelsd_2_b32] = { .fn = h_s_movrelsd_2 }, [OP_s_set_gpr_idx_on] = { .fn = h_s_set_gpr_idx_on },
	SKIP(s_set_gpr_idx_idx) SKIP(s_set_gpr_idx_mode) SKIP(s_set_gpr_idx_off) SKIP(s_dcache_inv_vol) SKIP(s_dcache_wb_vol)
	[OP_v_writelane_b32] = { .fn = h_writelane }, [OP_v_swap_b32] = { .fn = h_swap },
	[OP_v_permlane16_b32] = { .fn = h_permlane16 },
	[OP_v_permlanex16_b32] = { .fn = h_permlanex16 },
	[OP_v_permlane16_var_b32] = { .fn = h_permlane16_var }, [OP_v_permlanex16_var_b32] = { .fn = h_permlanex16_var },
	[OP_v_mqsad_u32_u8] = { .fn = h_mqsad },
	/* Rounded to nearest or truncated behind the random number's addition, which carries into the exponent or not? */
	UNCLEAR(v_cvt_sr_fp8_f32) UNCLEAR(v_cvt_sr_bf8_f32) UNCLEAR(v_cvt_sr_fp8_f32_fnuz) UNCLEAR(v_cvt_sr_bf8_f32_fnuz)
	[OP_ds_swizzle_b32] = { .fn = h_ds_swizzle }, [OP_ds_permute_b32] = { .fn = h_ds_permute },
	[OP_ds_bpermute_b32] = { .fn = h_ds_bpermute },

	LOADS(buffer, M_BUFFER) STORES(buffer, M_BUFFER) ATOMICS(buffer, M_BUFFER)
	LOADS(global, 0) STORES(global, 0) ATOMICS(global, 0)
	FLOATS(global, 0) FLOATS(flat, M_FLAT) FLOATS(buffer, M_BUFFER)
	SUBS(global, 0) SUBS(flat, M_FLAT) SUBS(buffer, M_BUFFER)
	LOADS(flat, M_FLAT) STORES(flat, M_FLAT) ATOMICS(flat, M_FLAT)
	LOADS(scratch, M_SCRATCH) STORES(scratch, M_SCRATCH)

	DS(ds_read_b32, 4, 0) DS(ds_read_b64, 8, 0) DS(ds_read_b96, 12, 0) DS(ds_read_b128, 16, 0)
	DS(ds_read_u8, 1, 0) DS(ds_read_i8, 1, M_SIGNED) DS(ds_read_u16, 2, 0)
	DS(ds_read_i16, 2, M_SIGNED)
	DS(ds_read_u8_d16, 1, M_D16) DS(ds_read_u8_d16_hi, 1, M_D16 | M_HI)
	DS(ds_read_i8_d16, 1, M_D16 | M_SIGNED) DS(ds_read_i8_d16_hi, 1, M_D16 | M_HI | M_SIGNED)
	DS(ds_read_u16_d16, 2, M_D16) DS(ds_read_u16_d16_hi, 2, M_D16 | M_HI)
	DS(ds_read2_b32, 4, M_TWO) DS(ds_read2st64_b32, 4, M_TWO | M_ST64)
	DS(ds_read2_b64, 8, M_TWO) DS(ds_read2st64_b64, 8, M_TWO | M_ST64)
	DS(ds_write_b32, 4, M_STORE) DS(ds_write_b64, 8, M_STORE) DS(ds_write_b96, 12, M_STORE)
	DS(ds_write_b128, 16, M_STORE) DS(ds_write_b8, 1, M_STORE) DS(ds_write_b16, 2, M_STORE)
	DS(ds_write_b8_d16_hi, 1, M_STORE | M_HI) DS(ds_write_b16_d16_hi, 2, M_STORE | M_HI)
	DS(ds_write2_b32, 4, M_STORE | M_TWO) DS(ds_write2st64_b32, 4, M_STORE | M_TWO | M_ST64)
	DS(ds_write2_b64, 8, M_STORE | M_TWO) DS(ds_write2st64_b64, 8, M_STORE | M_TWO | M_ST64)
	DSA2(ds_add, u32, 4, A_ADD) DSA2(ds_sub, u32, 4, A_SUB) DSA2(ds_rsub, u32, 4, A_RSUB)
	DSA2(ds_inc, u32, 4, A_INC) DSA2(ds_dec, u32, 4, A_DEC) DSA2(ds_min, i32, 4, A_SMIN)
	DSA2(ds_max, i32, 4, A_SMAX) DSA2(ds_min, u32, 4, A_UMIN) DSA2(ds_max, u32, 4, A_UMAX)
	DSA2(ds_and, b32, 4, A_AND) DSA2(ds_or, b32, 4, A_OR) DSA2(ds_xor, b32, 4, A_XOR)
	DSA2(ds_cmpst, b32, 4, A_CMPSWAP) DSA(ds_wrxchg_rtn_b32, 4, M_RTN, A_SWAP)
	DSA2(ds_add, u64, 8, A_ADD) DSA2(ds_sub, u64, 8, A_SUB) DSA2(ds_rsub, u64, 8, A_RSUB)
	DSA2(ds_inc, u64, 8, A_INC) DSA2(ds_dec, u64, 8, A_DEC) DSA2(ds_min, i64, 8, A_SMIN)
	DSA2(ds_max, i64, 8, A_SMAX) DSA2(ds_min, u64, 8, A_UMIN) DSA2(ds_max, u64, 8, A_UMAX)
	DSA2(ds_and, b64, 8, A_AND) DSA2(ds_or, b64, 8, A_OR) DSA2(ds_xor, b64, 8, A_XOR)
	DSA2(ds_cmpst, b64, 8, A_CMPSWAP) DSA(ds_wrxchg_rtn_b64, 8, M_RTN, A_SWAP)
	DSA2(ds_add, f32, 4, A_FADD) DSA2(ds_add, f64, 8, A_FADD)
	DSA2(ds_pk_add, f16, 4, A_HADD) DSA2(ds_pk_add, bf16, 4, A_BADD)
	DSA2(ds_cond_sub, u32, 4, A_CONDSUB) DSA2(ds_sub_clamp, u32, 4, A_CSUB)
	DSA2(ds_min, f32, 4, A_FMIN) DSA2(ds_max, f32, 4, A_FMAX)
	DSA2(ds_min, f64, 8, A_FMIN) DSA2(ds_max, f64, 8, A_FMAX)
	DSA2(ds_cmpst, f32, 4, A_FCMPSWAP) DSA2(ds_cmpst, f64, 8, A_FCMPSWAP)
	DSA2(ds_mskor, b32, 4, A_MSKOR) DSA2(ds_mskor, b64, 8, A_MSKOR) DSA(ds_wrap_rtn_b32, 4, M_RTN, A_WRAP)
	DSX(ds_wrxchg2_rtn_b32, 4, 0) DSX(ds_wrxchg2st64_rtn_b32, 4, M_ST64)
	DSX(ds_wrxchg2_rtn_b64, 8, 0) DSX(ds_wrxchg2st64_rtn_b64, 8, M_ST64)
	SRC2S(32, 4) SRC2S(64, 8) SRC2(ds_add_src2_f32, 4, A_FADD)
	[OP_ds_condxchg32_rtn_b64] = { .fn = h_ds_condxchg, .size = 8, .flags = M_STORE },
	[OP_ds_read_addtid_b32] = { .fn = h_ds_addtid, .size = 4 },
	[OP_ds_write_addtid_b32] = { .fn = h_ds_addtid, .size = 4, .flags = M_STORE },
	MEM(global_load_dword_addtid, 4, M_TID) MEM(global_store_dword_addtid, 4, M_TID | M_STORE)
	[OP_ds_append] = { .fn = h_ds_append, .size = 4, .flags = M_STORE, .aop = A_ADD },
	[OP_ds_consume] = { .fn = h_ds_append, .size = 4, .flags = M_STORE, .aop = A_SUB },
};
