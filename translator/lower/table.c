/* table.c -- which function translates which forms: the one list of what lower can do.
 * Needs rows of one opcode side by side; leaves lower_find. A form that no row covers is refused.
 * Manual: "Parallel Thread Execution ISA", 9.7, in its order. */
#include "lower/lower.h"

/* Sets of types */
#define T(t) (1u << PTX_##t)
#define U (T(U16) | T(U32) | T(U64))
#define S (T(S16) | T(S32) | T(S64))
#define INTS (U | S)
#define INTS8 (INTS | T(U8) | T(S8))
#define BITS (T(B16) | T(B32) | T(B64))
#define B3264 (T(B32) | T(B64))
#define I32 (T(U32) | T(S32))
#define I3264 (T(U32) | T(S32) | T(U64) | T(S64))
#define FLOATS (T(F32) | T(F64))
#define NARROW (T(F16) | T(BF16))
#define PAIR T(OTHER_TYPE)      /* told by its modifier */
#define PAIRS (T(F16X2) | T(BF16X2))
#define HALVES (NARROW | PAIRS)
#define MEMORY (INTS8 | BITS | T(B8) | T(B128) | FLOATS)
#define NO_TYPE T(NOTYPE)

/* Sets of modifiers, ended by 0 */
#define M(x) PTX_M_##x
#define MODS(...) (const uint16_t[]){ __VA_ARGS__, 0 }
#define PLAIN (const uint16_t[]){ 0 }
#define ROUND M(rn), M(rz), M(rm), M(rp)
#define ROUND_INT M(rni), M(rzi), M(rmi), M(rpi)
#define COMPARE_INT M(eq), M(ne), M(lt), M(le), M(gt), M(ge)
#define COMPARE COMPARE_INT, M(lo), M(ls), M(hi), M(hs), M(equ), M(neu), M(ltu), \
	M(leu), M(gtu), M(geu), M(num), M(nan), M(and), M(or), M(xor), M(ftz)
#define SMALL_PAIRS M(e4m3x2), M(e5m2x2), M(e2m3x2), M(e3m2x2), M(e2m1x2)
#define SCOPES M(cta), M(cluster), M(gpu), M(sys)
#define HINTS M(ca), M(cg), M(cs), M(cv), M(lu), M(wb), M(wt), M(L1_evict_normal), M(L1_evict_unchanged), \
	M(L1_evict_first), M(L1_evict_last), M(L1_no_allocate), M(L2_evict_normal), M(L2_evict_first), \
	M(L2_evict_last), M(L2_cache_hint), M(L2_64B), M(L2_128B), M(L2_256B)
#define ATOMIC M(global), M(shared), M(shared_cta), M(shared_cluster), M(relaxed), M(acquire), M(release), \
	M(acq_rel), SCOPES, M(L2_cache_hint), M(add), M(and), M(or), M(xor), M(inc), M(dec), M(min), M(max), M(noftz), \
	M(v2), M(v4), M(v8)
#define SPACES M(const), M(global), M(local), M(param), M(param_entry), M(param_func), M(shared), M(shared_cta), \
	M(shared_cluster)

/* Guards */
#define SEL LG_SELECT
#define BR LG_BRANCH
#define OWN LG_OWN

/* opcode, guard, function, first type, second type, modifiers, G_* of 32 and 64 bits or flags */
#define ROW(op, guard, fn, types, types2, mods, ...) { PTX_OP_##op, guard, fn, { types, types2, 0 }, mods, { __VA_ARGS__ } }
#define ROW3(op, guard, fn, types, types2, types3, mods, ...) \
	{ PTX_OP_##op, guard, fn, { types, types2, types3 }, mods, { __VA_ARGS__ } }
static const uint16_t video_mods[] = { M(sat), M(add), M(min), M(max), 0 }, simd_mods[] = { M(sat), M(add), 0 };
#define VIDEO(op, vop) ROW3(op, SEL, lower_video, I32, I32, I32, video_mods, vop)
#define VIDEO_SIMD(op, vop, n) ROW3(op, SEL, lower_video_simd, I32, I32, I32, simd_mods, vop, n)
static const lower_row rows[] = {
	/* 9.7.1 integer, 9.7.2 extended precision */
	ROW(add, SEL, lower_binary, INTS, 0, PLAIN, G_add32, G_add64),
	ROW(add, SEL, lower_add_sat, T(S32), 0, MODS(M(sat)), G_add32),
	ROW(add, SEL, lower_carry, I3264, 0, MODS(M(cc)), false, false),
	ROW(add, SEL, lower_fadd, FLOATS, 0, MODS(ROUND, M(ftz), M(sat)), G_fadd32, G_fadd64),
	ROW(add, SEL, lower_f32x2, PAIR, 0, MODS(ROUND, M(ftz), M(f32x2)), G_fadd32, false),
	ROW(add, SEL, lower_fmixed, T(F32), NARROW, MODS(ROUND, M(sat)), G_fadd32, false),
	ROW(add, SEL, lower_half_binary, HALVES, 0, MODS(M(rn), M(ftz), M(sat)), G_fadd32, false),
	ROW(add, SEL, lower_pair16, PAIR, 0, MODS(M(u16x2), M(s16x2)), G_add32, G_add32),
	ROW(addc, SEL, lower_carry, I3264, 0, MODS(M(cc)), false, true),
	ROW(sub, SEL, lower_binary, INTS, 0, PLAIN, G_sub32, G_sub64),
	ROW(sub, SEL, lower_add_sat, T(S32), 0, MODS(M(sat)), G_sub32),
	ROW(sub, SEL, lower_carry, I3264, 0, MODS(M(cc)), true, false),
	ROW(sub, SEL, lower_fsub, FLOATS, 0, MODS(ROUND, M(ftz), M(sat)), G_fadd32, G_fadd64),
	ROW(sub, SEL, lower_f32x2, PAIR, 0, MODS(ROUND, M(ftz), M(f32x2)), G_fadd32, true),
	ROW(sub, SEL, lower_fmixed, T(F32), NARROW, MODS(ROUND, M(sat)), G_fadd32, true),
	ROW(sub, SEL, lower_half_binary, HALVES, 0, MODS(M(rn), M(ftz), M(sat)), G_fadd32, true),
	ROW(subc, SEL, lower_carry, I3264, 0, MODS(M(cc)), true, true),
	ROW(mul, SEL, lower_mul, INTS, 0, MODS(M(lo), M(hi), M(wide)), 0),
	ROW(mul, SEL, lower_fadd, FLOATS, 0, MODS(ROUND, M(ftz), M(sat)), G_fmul32, G_fmul64),
	ROW(mul, SEL, lower_f32x2, PAIR, 0, MODS(ROUND, M(ftz), M(f32x2)), G_fmul32, false),
	ROW(mul, SEL, lower_half_binary, HALVES, 0, MODS(M(rn), M(ftz), M(sat)), G_fmul32, false),
	ROW(mad, SEL, lower_mad, INTS, 0, MODS(M(lo), M(hi), M(wide), M(sat)), 0),
	ROW(mad, SEL, lower_mad_carry, I3264, 0, MODS(M(lo), M(hi), M(cc)), false, false),
	ROW(mad, SEL, lower_fma, FLOATS, 0, MODS(ROUND, M(ftz), M(sat)), G_ffma32, G_ffma64),
	ROW(madc, SEL, lower_mad_carry, I3264, 0, MODS(M(lo), M(hi), M(cc)), false, true),
	ROW(mul24, SEL, lower_mul24, I32, 0, MODS(M(lo), M(hi)), 0),
	ROW(mad24, SEL, lower_mad24, I32, 0, MODS(M(lo), M(hi), M(sat)), 0),
	ROW(sad, SEL, lower_sad, INTS, 0, PLAIN, 0),
	ROW(div, BR, lower_div, INTS, 0, PLAIN, false),
	ROW(div, SEL, lower_fdiv, FLOATS, 0, MODS(ROUND, M(ftz), M(full)), 0),
	ROW(div, SEL, lower_div_approx, T(F32), 0, MODS(M(approx), M(ftz)), 0),
	ROW(rem, BR, lower_div, INTS, 0, PLAIN, true),
	ROW(abs, SEL, lower_abs, S, 0, PLAIN, 0),
	ROW(abs, SEL, lower_fneg, FLOATS, 0, MODS(M(ftz)), true),
	ROW(abs, SEL, lower_half_sign, HALVES, 0, MODS(M(ftz)), true),
	ROW(neg, SEL, lower_neg, S, 0, PLAIN, 0),
	ROW(neg, SEL, lower_fneg, FLOATS, 0, MODS(M(ftz)), false),
	ROW(neg, SEL, lower_half_sign, HALVES, 0, MODS(M(ftz)), false),
	ROW(min, SEL, lower_minmax, INTS, 0, MODS(M(relu)), false),
	ROW(min, SEL, lower_pair16, PAIR, 0, MODS(M(u16x2), M(s16x2), M(relu)), G_min_u32, G_min_s32),
	ROW(min, SEL, lower_fminmax, FLOATS, 0, MODS(M(ftz), M(NaN), M(xorsign), M(abs)), false),
	ROW(min, SEL, lower_half_minmax, HALVES, 0, MODS(M(ftz), M(NaN), M(xorsign), M(abs)), false),
	ROW(max, SEL, lower_minmax, INTS, 0, MODS(M(relu)), true),
	ROW(max, SEL, lower_pair16, PAIR, 0, MODS(M(u16x2), M(s16x2), M(relu)), G_max_u32, G_max_s32),
	ROW(max, SEL, lower_fminmax, FLOATS, 0, MODS(M(ftz), M(NaN), M(xorsign), M(abs)), true),
	ROW(max, SEL, lower_half_minmax, HALVES, 0, MODS(M(ftz), M(NaN), M(xorsign), M(abs)), true),
	ROW(popc, SEL, lower_popc, B3264, 0, PLAIN, 0),
	ROW(clz, SEL, lower_clz, B3264, 0, PLAIN, 0),
	ROW(bfind, SEL, lower_bfind, I3264, 0, MODS(M(shiftamt)), 0),
	ROW(fns, SEL, lower_fns, T(B32), 0, PLAIN, 0),
	ROW(brev, SEL, lower_brev, B3264, 0, PLAIN, 0),
	ROW(bfe, SEL, lower_bfe, I3264, 0, PLAIN, 0),
	ROW(bfi, SEL, lower_bfi, B3264, 0, PLAIN, G_ptx_bfi32, G_ptx_bfi64),
	ROW(szext, SEL, lower_szext, I32, 0, MODS(M(clamp), M(wrap)), 0),
	ROW(bmsk, SEL, lower_bmsk, T(B32), 0, MODS(M(clamp), M(wrap)), 0),
	ROW(dp4a, SEL, lower_dot, I32, I32, PLAIN, 4),
	ROW(dp2a, SEL, lower_dot, I32, I32, MODS(M(lo), M(hi)), 2),
	/* 9.7.3 floating point */
	ROW(testp, SEL, lower_testp, FLOATS, 0, MODS(M(finite), M(infinite), M(number), M(notanumber), M(normal),
		M(subnormal)), 0),
	ROW(copysign, SEL, lower_copysign, FLOATS, 0, PLAIN, 0),
	ROW(fma, SEL, lower_fma, FLOATS, 0, MODS(ROUND, M(ftz), M(sat)), G_ffma32, G_ffma64),
	ROW(fma, SEL, lower_f32x2, PAIR, 0, MODS(ROUND, M(ftz), M(f32x2)), G_ffma32, false),
	ROW(fma, SEL, lower_fmixed, T(F32), NARROW, MODS(ROUND, M(sat)), G_ffma32, false),
	ROW(fma, SEL, lower_half_fma, HALVES, 0, MODS(M(rn), M(ftz), M(sat), M(relu)), 0),
	ROW(rcp, SEL, lower_frcp, FLOATS, 0, MODS(ROUND, M(ftz)), 0),
	ROW(rcp, SEL, lower_rcp_approx, T(F32), 0, MODS(M(approx), M(ftz)), 0),
	ROW(rcp, SEL, lower_high_approx, T(F64), 0, MODS(M(approx), M(ftz)), G_frcp64),
	ROW(sqrt, SEL, lower_fsqrt, FLOATS, 0, MODS(ROUND, M(ftz)), 0),
	ROW(sqrt, SEL, lower_root_approx, T(F32), 0, MODS(M(approx), M(ftz)), G_fsqrt32),
	ROW(rsqrt, SEL, lower_root_approx, T(F32), 0, MODS(M(approx), M(ftz)), G_frsq32),
	ROW(rsqrt, SEL, lower_rsqrt64, T(F64), 0, MODS(M(approx)), 0),
	ROW(rsqrt, SEL, lower_high_approx, T(F64), 0, MODS(M(approx), M(ftz)), G_frsq64),
	ROW(sin, SEL, lower_sincos, T(F32), 0, MODS(M(approx), M(ftz)), G_fsin32),
	ROW(cos, SEL, lower_sincos, T(F32), 0, MODS(M(approx), M(ftz)), G_fcos32),
	ROW(lg2, SEL, lower_lg2, T(F32), 0, MODS(M(approx), M(ftz)), 0),
	ROW(ex2, SEL, lower_ex2, T(F32), 0, MODS(M(approx), M(ftz)), 0),
	ROW(ex2, SEL, lower_half_ex2, HALVES, 0, MODS(M(approx), M(ftz)), 0),
	ROW(tanh, SEL, lower_tanh, T(F32), 0, MODS(M(approx)), 0),
	ROW(tanh, SEL, lower_half_tanh, HALVES, 0, MODS(M(approx)), 0),
	/* 9.7.6 comparison and selection */
	ROW(set, SEL, lower_set, I32 | T(F32), INTS | BITS | FLOATS, MODS(COMPARE), 0),
	ROW(set, SEL, lower_set, T(U16) | T(S16) | I32 | NARROW, NARROW, MODS(COMPARE), 0),
	ROW(set, SEL, lower_set_pair, I32 | PAIRS, PAIRS, MODS(COMPARE), 0),
	ROW(setp, SEL, lower_setp, INTS | BITS | FLOATS | HALVES, 0, MODS(COMPARE), 0),
	ROW(selp, SEL, lower_selp, INTS | BITS | FLOATS, 0, PLAIN, 0),
	ROW(slct, SEL, lower_slct, INTS | BITS | FLOATS, T(S32) | T(F32), MODS(M(ftz)), 0),
	/* 9.7.8 logic and shift */
	ROW(and, SEL, lower_logic, BITS | T(PRED), 0, PLAIN, G_and32, G_and64),
	ROW(or, SEL, lower_logic, BITS | T(PRED), 0, PLAIN, G_or32, G_or64),
	ROW(xor, SEL, lower_logic, BITS | T(PRED), 0, PLAIN, G_xor32, G_xor64),
	ROW(not, SEL, lower_not, BITS | T(PRED), 0, PLAIN, G_not32, G_not64),
	ROW(cnot, SEL, lower_cnot, BITS, 0, PLAIN, 0),
	ROW(lop3, SEL, lower_lop3, T(B32), 0, MODS(M(or), M(and)), 0),
	ROW(shf, SEL, lower_shf, T(B32), 0, MODS(M(l), M(r), M(clamp), M(wrap)), 0),
	ROW(shl, SEL, lower_shl, BITS, 0, PLAIN, 0),
	ROW(shr, SEL, lower_shr, BITS | INTS, 0, PLAIN, 0),
	/* 9.7.9 data movement */
	ROW(mov, SEL, lower_mov, BITS | T(B128) | INTS | FLOATS | T(PRED), 0, PLAIN, 0),
	ROW(mov, SEL, lower_mov_vector, BITS | INTS | FLOATS, 0, MODS(M(v2), M(v4)), 0),
	ROW(prmt, SEL, lower_prmt, T(B32), 0, MODS(M(f4e), M(b4e), M(rc8), M(ecl), M(ecr), M(rc16)), 0),
	ROW(ld, BR, lower_ld, MEMORY, 0, MODS(SPACES, HINTS, SCOPES, M(v2), M(v4), M(v8), M(weak), M(relaxed),
		M(acquire), M(volatile), M(mmio), M(nc), M(unified)), 0),
	ROW(ldu, BR, lower_ld, MEMORY, 0, MODS(M(global), M(v2), M(v4)), 0),
	ROW(st, BR, lower_st, MEMORY, 0, MODS(SPACES, HINTS, SCOPES, M(v2), M(v4), M(v8), M(weak), M(relaxed),
		M(release), M(volatile), M(mmio)), 0),
	ROW(st, BR, lower_st_bulk, NO_TYPE, 0, MODS(M(bulk), M(weak), M(shared_cta)), 0),
	ROW(shfl, BR, lower_shfl, T(B32), 0, MODS(M(sync), M(up), M(down), M(bfly), M(idx)), 0),
	ROW(prefetch, OWN, lower_nothing, NO_TYPE, 0, MODS(SPACES, M(L1), M(L2), M(L2_evict_last), M(L2_evict_normal),
		M(tensormap)), 0),
	ROW(prefetchu, OWN, lower_nothing, NO_TYPE, 0, MODS(M(L1)), 0),
	ROW(applypriority, OWN, lower_nothing, NO_TYPE, 0, MODS(M(global), M(L2_evict_normal)), 0),
	ROW(discard, OWN, lower_nothing, NO_TYPE, 0, MODS(M(global), M(L2)), 0),
	ROW(createpolicy, SEL, lower_createpolicy, T(B64), 0, MODS(M(fractional), M(range), M(cvt), M(global), M(L2), M(L2_evict_last),
		M(L2_evict_normal), M(L2_evict_first), M(L2_evict_unchanged)), 0),
	ROW(cp, BR, lower_cp_async, NO_TYPE, 0, MODS(M(async), M(ca), M(cg), M(shared), M(shared_cta), M(global), M(L2_cache_hint), M(L2_64B),
		M(L2_128B), M(L2_256B)), 0),
	ROW(cp, OWN, lower_nothing, NO_TYPE, 0, MODS(M(async), M(commit_group), M(wait_group), M(wait_all)), 0),
	ROW(isspacep, SEL, lower_isspacep, NO_TYPE, 0, MODS(M(const), M(global), M(local), M(shared), M(shared_cta), M(shared_cluster),
		M(param), M(param_entry)), 0),
	ROW(mapa, SEL, lower_mapa, I3264, 0, MODS(M(shared_cluster)), false),
	ROW(getctarank, SEL, lower_mapa, I3264, 0, MODS(M(shared_cluster)), true),
	ROW(cvta, SEL, lower_cvta, T(U64), 0, MODS(SPACES, M(to)), 0),
	ROW(cvt, SEL, lower_cvt_int, INTS8, INTS8, MODS(M(sat)), 0),
	ROW(cvt, SEL, lower_cvt_pack, T(U16) | T(S16), T(S32), MODS(M(pack), M(sat)), 0),
	ROW3(cvt, SEL, lower_cvt_pack, T(U8) | T(S8) | PAIR, T(S32), T(B32), MODS(M(pack), M(sat), M(u2), M(s2), M(u4), M(s4)), 0),
	ROW(cvt, SEL, lower_cvt_float, FLOATS, FLOATS, MODS(ROUND, ROUND_INT, M(ftz), M(sat)), 0),
	ROW(cvt, SEL, lower_cvt_to_int, INTS8, FLOATS | NARROW, MODS(ROUND_INT, M(ftz), M(sat)), 0),
	ROW(cvt, SEL, lower_cvt_from_int, FLOATS, INTS8, MODS(ROUND, M(ftz), M(sat)), 0),
	ROW(cvt, SEL, lower_cvt_from_half, FLOATS, NARROW, MODS(M(ftz), M(sat)), 0),
	ROW(cvt, SEL, lower_cvt_tf32, T(TF32), T(F32), MODS(M(rn), M(rz), M(rna), M(relu), M(satfinite)), 0),
	ROW(cvt, SEL, lower_cvt_half, NARROW, INTS8 | FLOATS | NARROW, MODS(ROUND, ROUND_INT, M(ftz), M(sat), M(relu), M(satfinite)), 0),
	ROW(cvt, SEL, lower_cvt_to_fp8, PAIR, T(F32) | PAIRS, MODS(M(rn), M(relu), M(satfinite), SMALL_PAIRS), 0),
	ROW(cvt, SEL, lower_cvt_to_four, PAIR, T(F32), MODS(M(rs), M(relu), M(satfinite), M(e4m3x4), M(e5m2x4), M(e2m3x4), M(e3m2x4), M(e2m1x4)), 0),
	ROW(cvt, SEL, lower_cvt_from_fp8, T(F16X2), PAIR, MODS(M(rn), M(relu), SMALL_PAIRS), 0),
	ROW(cvt, SEL, lower_cvt_to_ue8m0, PAIR, T(F32) | T(BF16X2), MODS(M(rz), M(rp), M(satfinite), M(ue8m0x2)), 0),
	ROW(cvt, SEL, lower_cvt_from_ue8m0, T(BF16X2), PAIR, MODS(M(rn), M(ue8m0x2)), 0),
	ROW(cvt, SEL, lower_cvt_pair_random, PAIRS, T(F32), MODS(M(rs), M(relu), M(satfinite)), 0),
	ROW(cvt, SEL, lower_cvt_pair, PAIRS, T(F32), MODS(M(rn), M(rz), M(relu), M(satfinite)), 0),
	/* 9.7.12 control flow */
	ROW(bra, OWN, lower_bra, NO_TYPE, 0, MODS(M(uni)), 0),
	ROW(brx, BR, lower_brx, NO_TYPE, 0, MODS(M(idx), M(uni)), 0),
	ROW(ret, BR, lower_ret, NO_TYPE, 0, MODS(M(uni)), 0),
	ROW(exit, BR, lower_exit, NO_TYPE, 0, PLAIN, 0),
	ROW(call, BR, lower_call, NO_TYPE, 0, MODS(M(uni)), 0),
	/* 9.7.13 synchronization */
	ROW(bar, BR, lower_bar, NO_TYPE | T(U32) | T(PRED), 0, MODS(M(sync), M(cta), M(arrive), M(red), M(popc), M(and), M(or)), 0),
	ROW(bar, BR, lower_bar_warp, NO_TYPE, 0, MODS(M(sync), M(warp)), 0),
	ROW(barrier, BR, lower_bar, NO_TYPE | T(U32) | T(PRED), 0, MODS(M(sync), M(cta), M(aligned), M(arrive), M(red), M(popc),
		M(and), M(or)), 0),
	ROW(barrier, OWN, lower_nothing, NO_TYPE, 0, MODS(M(cluster), M(arrive), M(release), M(relaxed), M(aligned)), 0),
	ROW(barrier, BR, lower_cluster_wait, NO_TYPE, 0, MODS(M(cluster), M(wait), M(acquire), M(aligned)), 0),
	ROW(fence, OWN, lower_nothing, NO_TYPE, 0, MODS(M(proxy), M(async), M(global), M(shared_cta), M(shared_cluster)), 0),
	ROW(membar, BR, lower_fence, NO_TYPE, 0, MODS(M(gl), M(proxy), M(alias), SCOPES), 0),
	ROW(fence, BR, lower_fence, NO_TYPE, 0, MODS(M(sc), M(acq_rel), M(acquire), M(release), M(proxy), M(alias), SCOPES,
		M(sync_restrict_shared_cta), M(sync_restrict_shared_cluster), M(mbarrier_init), M(tensormap_generic), M(async_generic)), 0),
	ROW(vote, BR, lower_vote, T(PRED) | T(B32), 0, MODS(M(sync), M(all), M(any), M(uni), M(ballot)), 0),
	ROW(match, BR, lower_match, B3264, 0, MODS(M(sync), M(any), M(all)), 0),
	ROW(activemask, BR, lower_activemask, T(B32), 0, PLAIN, 0),
	ROW(redux, BR, lower_redux, I32 | T(B32) | T(F32), 0, MODS(M(sync), M(add), M(min), M(max), M(and), M(or), M(xor),
		M(abs), M(NaN)), 0),
	ROW(griddepcontrol, OWN, lower_nothing, NO_TYPE, 0, MODS(M(launch_dependents), M(wait)), 0),
	ROW(elect, BR, lower_elect, NO_TYPE, 0, MODS(M(sync)), 0),
	ROW(atom, BR, lower_atom, B3264 | I3264 | FLOATS | HALVES | T(B16), 0, MODS(ATOMIC, M(exch), M(cas)), 0),
	ROW(red, BR, lower_red, B3264 | I3264 | FLOATS | HALVES, 0, MODS(ATOMIC), 0),
	/* 9.7.17 stack */
	ROW(stacksave, SEL, lower_stacksave, T(U32) | T(U64), 0, PLAIN, 0),
	ROW(stackrestore, SEL, lower_stackrestore, T(U32) | T(U64), 0, PLAIN, 0),
	ROW(alloca, BR, lower_alloca, T(U32) | T(U64), 0, PLAIN, 0),
	/* 9.7.18 video */
	VIDEO(vadd, LV_ADD), VIDEO(vsub, LV_SUB), VIDEO(vabsdiff, LV_ABSDIFF), VIDEO(vmin, LV_MIN), VIDEO(vmax, LV_MAX),
	ROW3(vshl, SEL, lower_vshift, I32, I32, T(U32), MODS(M(sat), M(clamp), M(wrap), M(add), M(min), M(max)), true),
	ROW3(vshr, SEL, lower_vshift, I32, I32, T(U32), MODS(M(sat), M(clamp), M(wrap), M(add), M(min), M(max)), false),
	ROW3(vmad, SEL, lower_vmad, I32, I32, I32, MODS(M(po), M(sat), M(shr7), M(shr15)), 0),
	ROW(vset, SEL, lower_vset, I32, I32, MODS(COMPARE_INT, M(add), M(min), M(max)), 0),
	VIDEO_SIMD(vadd2, LV_ADD, 2), VIDEO_SIMD(vsub2, LV_SUB, 2), VIDEO_SIMD(vavrg2, LV_AVERAGE, 2),
	VIDEO_SIMD(vabsdiff2, LV_ABSDIFF, 2), VIDEO_SIMD(vmin2, LV_MIN, 2), VIDEO_SIMD(vmax2, LV_MAX, 2),
	ROW(vset2, SEL, lower_vset_simd, I32, I32, MODS(COMPARE_INT, M(add)), 0, 2),
	VIDEO_SIMD(vadd4, LV_ADD, 4), VIDEO_SIMD(vsub4, LV_SUB, 4), VIDEO_SIMD(vavrg4, LV_AVERAGE, 4),
	VIDEO_SIMD(vabsdiff4, LV_ABSDIFF, 4), VIDEO_SIMD(vmin4, LV_MIN, 4), VIDEO_SIMD(vmax4, LV_MAX, 4),
	ROW(vset4, SEL, lower_vset_simd, I32, I32, MODS(COMPARE_INT, M(add)), 0, 4),
	/* 9.7.19 miscellaneous */
	ROW(brkpt, BR, lower_trap, NO_TYPE, 0, PLAIN, 0),
	ROW(nanosleep, BR, lower_nanosleep, T(U32), 0, PLAIN, 0),
	ROW(pmevent, OWN, lower_nothing, NO_TYPE, 0, MODS(M(mask)), 0),
	ROW(trap, BR, lower_trap, NO_TYPE, 0, PLAIN, 0),
	ROW(setmaxnreg, OWN, lower_nothing, T(U32), 0, MODS(M(inc), M(dec), M(sync), M(aligned)), 0),
};

static bool
knows(const lower_row *r, ptx_mod m)
{
	for (const uint16_t *p = r->mods; *p; p++)
		if (*p == m)
			return true;
	return false;
}

static bool
covers(const lower_row *r, const ptx_inst *in)
{
	if (!(r->types[0] & 1u << (in->ntypes > 0 ? in->type[0] : PTX_NOTYPE)) || in->ntypes > COUNT(r->types))
		return false;
	for (unsigned i = 1; i < COUNT(r->types); i++) {
		uint32_t t = i < in->ntypes ? 1u << in->type[i] : 0;

		if (!t != !r->types[i] || (t && !(r->types[i] & t)))
			return false;
	}
	for (unsigned i = 0; i < in->nmods; i++)
		if (!knows(r, (ptx_mod)in->mod[i]))
			return false;
	return true;
}

/* Rows of an opcode lie side by side; before them only those of opcodes that stand earlier here. */
const lower_row *
lower_find(const ptx_inst *in)
{
	for (unsigned i = 0; i < COUNT(rows); i++)
		if (rows[i].op == in->op && covers(&rows[i], in))
			return &rows[i];
	return NULL;
}
