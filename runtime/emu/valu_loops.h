/* valu_loops.h -- makes a function over all lanes of every row of the valu_*.def files that are
 * included after it. Written so that gcc turns the inner loops of 32 lanes into vector code:
 * operands are lane arrays, a lane reads before it writes, and no lane reads what another
 * writes.
 * An including file sets its target and optimisation first. Machine.h describes emu_vx. */
#include "emu/fp.h"
#include "emu/machine.h"
#include "emu/valu_help.h"

/* One bit a lane, for building and testing masks without variable shifts. */
static const uint32_t lane_bit[32] = { 1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5,
	1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14,
	1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31 };

/* Types: how a lane is read from p (low) and p##h (high dwords), and written to d and dh.
 * Masked stores keep the old value of a lane that is not enabled. */
#define T_U32 uint32_t
#define T_I32 int32_t
#define T_U24 uint32_t
#define T_I24 int32_t
#define T_U16 uint32_t
#define T_I16 int32_t
#define T_F16 float
#define T_F32 float
#define T_U64 uint64_t
#define T_I64 int64_t
#define T_F64 double
#define LOW64(p) ((uint64_t)p##h[i] << 32 | p[i])
#define LD_U32(p) p[i]
#define LD_I32(p) (int32_t)p[i]
#define LD_U24(p) p[i] & 0xffffff
#define LD_I24(p) (int32_t)(p[i] << 8) >> 8
#define LD_U16(p) p[i] & 0xffff
#define LD_I16(p) (int32_t)(p[i] << 16) >> 16
#define LD_F16(p) half_to_float(p[i])
#define LD_F32(p) f32_of(p[i])
#define LD_U64(p) LOW64(p)
#define LD_I64(p) (int64_t)LOW64(p)
#define LD_F64(p) f64_of(LOW64(p))
#define PUT(d, v) d[i] = full ? (v) : (((v) & m[i]) | (d[i] & ~m[i]))
#define PUT32(v) do { uint32_t v_ = (v); PUT(pd, v_); } while (0)
#define PUT64(v) do { uint64_t w_ = (v); uint32_t l_ = (uint32_t)w_, h_ = (uint32_t)(w_ >> 32); \
	PUT(pd, l_); PUT(pdh, h_); } while (0)
#define PUT16(v) do { uint32_t v_ = ((v) & 0xffff) | (pd[i] & keep); PUT(pd, v_); } while (0)
#define ST_U32(v) PUT32((uint32_t)(v))
#define ST_I32(v) PUT32((uint32_t)(v))
#define ST_U16(v) PUT16((uint32_t)(v))
#define ST_F16(v) PUT16(half_result(v, rm, ovfl))
#define ST_F32(v) PUT32(u32_of(v))
#define ST_U64(v) PUT64((uint64_t)(v))
#define ST_I64(v) PUT64((uint64_t)(v))
#define ST_F64(v) PUT64(u64_of(v))

#define LANES(p) __builtin_assume_aligned(p, 64)
#define PARTS(x) \
	uint32_t *pd = LANES((x)->d), *pdh = LANES((x)->dh); \
	const uint32_t *pa = LANES((x)->a), *pah = LANES((x)->ah); \
	const uint32_t *pb = LANES((x)->b), *pbh = LANES((x)->bh); \
	const uint32_t *pc = LANES((x)->c), *pch = LANES((x)->ch); \
	const uint32_t *m = LANES((x)->m); \
	const uint32_t keep = (x)->keep, ieee = (x)->ieee, clamp = (x)->clamp, rough = (x)->rough, ovfl = (x)->ovfl, \
		sgn = (x)->sgn, rm = (x)->round16_64, n = (x)->n; \
	uint64_t out = 0; \
	(void)pd, (void)pdh, (void)pa, (void)pah, (void)pb, (void)pbh, (void)pc, (void)pch; \
	(void)m; \
	(void)keep, (void)ieee, (void)clamp, (void)rough, (void)ovfl, (void)sgn, (void)rm
#define HALVES(...) \
	for (size_t o_ = 0; o_ < n; o_ += 32) { \
		const uint32_t cin_ = (uint32_t)(x->cin >> o_); \
		uint32_t acc_ = 0; \
		(void)cin_; \
		_Pragma("GCC ivdep") \
		for (size_t k_ = 0; k_ < 32; k_++) { \
			const size_t i = o_ + k_; \
			__VA_ARGS__ \
		} \
		out |= (uint64_t)acc_ << o_; \
	}
#define CARRY const uint32_t ci = (cin_ & lane_bit[k_]) != 0;
#define EMIT(co) acc_ |= (co) ? lane_bit[k_] : 0;
/* The same loop twice: all lanes enabled, or some. */
#define BOTH(...) \
	PARTS(x); \
	if (x->full) { \
		enum { full = 1 }; \
		HALVES(__VA_ARGS__) \
	} else { \
		enum { full = 0 }; \
		HALVES(__VA_ARGS__) \
	} \
	x->cout = out;
#define A1(A) const T_##A a = LD_##A(pa);
#define A2(A, B) A1(A) const T_##B b = LD_##B(pb);
#define A3(A, B, C) A2(A, B) const T_##C c = LD_##C(pc);

#define V1(id, f, D, A, v) static void k_##id(emu_vx *x) { BOTH(A1(A) ST_##D(v);) }
#define V2(id, f, D, A, B, v) static void k_##id(emu_vx *x) { BOTH(A2(A, B) ST_##D(v);) }
#define V3(id, f, D, A, B, C, v) static void k_##id(emu_vx *x) { BOTH(A3(A, B, C) ST_##D(v);) }
#define VH3 V3 /* the result goes to the high half */
/* The same of the two halves of 32-bit operands: T is U16, I16 or F16; or of two f32. */
#define HALF_U16(p, h) const uint32_t h = (p[i] >> s_) & 0xffff;
#define HALF_I16(p, h) const int32_t h = (int16_t)(p[i] >> s_);
#define HALF_F16(p, h) const float h = half_to_float(p[i] >> s_ & 0xffff);
#define BITS_U16(v) ((uint32_t)(v) & 0xffff)
#define BITS_I16(v) ((uint32_t)(v) & 0xffff)
#define BITS_F16(v) half_result(v, rm, ovfl)
#define PK(T, v, ...) \
	{ \
		uint32_t r_[2]; \
		for (uint32_t k2_ = 0; k2_ < 2; k2_++) { \
			const uint32_t s_ = 16 * k2_; \
			__VA_ARGS__ \
			r_[k2_] = BITS_##T(v); \
		} \
		PUT32(r_[0] | r_[1] << 16); \
	}
#define PK2(id, f, T, v) \
	static void k_##id(emu_vx *x) { BOTH(PK(T, v, HALF_##T(pa, a) HALF_##T(pb, b))) }
#define PK3(id, f, T, v) \
	static void k_##id(emu_vx *x) { BOTH(PK(T, v, HALF_##T(pa, a) HALF_##T(pb, b) HALF_##T(pc, c))) }
#define PF(v, ...) \
	{ \
		float r_[2]; \
		for (uint32_t k2_ = 0; k2_ < 2; k2_++) { \
			__VA_ARGS__ \
			r_[k2_] = (v); \
		} \
		PUT64((uint64_t)u32_of(r_[1]) << 32 | u32_of(r_[0])); \
	}
#define PF2(id, f, v) \
	static void k_##id(emu_vx *x) { BOTH(PF(v, const float a = f32_of(k2_ ? pah[i] : pa[i]), b = f32_of(k2_ ? pbh[i] : pb[i]);)) }
#define PF3(id, f, v) \
	static void k_##id(emu_vx *x) { BOTH(PF(v, const float a = f32_of(k2_ ? pah[i] : pa[i]), b = f32_of(k2_ ? pbh[i] : pb[i]), \
		c = f32_of(k2_ ? pch[i] : pc[i]);)) }
#define VI2(id, f, D, A, B, v) static void k_##id(emu_vx *x) { BOTH(CARRY A2(A, B) ST_##D(v);) }
#define VI3(id, f, D, A, B, C, v) \
	static void k_##id(emu_vx *x) { BOTH(CARRY A3(A, B, C) ST_##D(v);) }
#define VO2(id, f, D, A, B, v, o) \
	static void k_##id(emu_vx *x) { BOTH(A2(A, B) EMIT(o) ST_##D(v);) }
#define VB2(id, f, D, A, B, v, o) \
	static void k_##id(emu_vx *x) { BOTH(CARRY A2(A, B) EMIT(o) ST_##D(v);) }
#ifndef VO3_DECLARES_CO
#define VO3(id, f, D, A, B, C, v, o) \
	static void k_##id(emu_vx *x) { BOTH(A3(A, B, C) EMIT(o) ST_##D(v);) }
#else   /* the value's function sets `co` */
#define VO3(id, f, D, A, B, C, v, o) \
	static void k_##id(emu_vx *x) { BOTH(A3(A, B, C) uint32_t co = 0; ST_##D(v); EMIT(o)) }
#endif
#define CMP(name, f, A, B, v) \
	static void k_cmp_##name(emu_vx *x) \
	{ \
		PARTS(x); \
		HALVES(A2(A, B) (void)a; (void)b; EMIT(v)) \
		x->cout = out; \
	}
