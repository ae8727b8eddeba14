/* salu.c -- scalar instructions and mode registers: one handler a row of salu.def.
 * Needs operands resolved by decode.c; leaves results in the wave's scalar file.
 * Vega ISA manual chapter 5 (scalar ALU). */
#include <fenv.h>

#include "emu/fp.h"
#include "emu/salu.h"

static uint64_t bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t bits, bool sext)
{
	if (!len)
		return 0;
	uint64_t x = a >> pos;
	if (len >= bits - pos && !sext)
		return x;
	if (len > bits - pos)           /* bits beyond the top repeat the sign, as after a shift */
		len = bits - pos;
	x <<= 64 - len;
	return sext ? (uint64_t)((int64_t)x >> (64 - len)) : x >> (64 - len);
}

static uint32_t brev32(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}

static uint32_t popcount64(uint64_t a) { return (uint32_t)__builtin_popcountll(a); }
static uint32_t first_one(uint64_t a) { return a ? (uint32_t)__builtin_ctzll(a) : UINT32_MAX; }
/* zeros above the first one, counted from the top of `bits` bits; -1: there is no one */
static uint32_t leading(uint64_t a, uint32_t bits)
{
	return a ? (uint32_t)__builtin_clzll(a) - (64 - bits) : UINT32_MAX;
}

static uint64_t quadmask(uint64_t a)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 16; i++)
		d |= (uint64_t)((a >> (4 * i) & 15) != 0) << i;
	return d;
}

/* all four bits of a quad where one is set */
static uint64_t quads(uint64_t a)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 64; i += 4)
		d |= (a >> i & 15) ? (uint64_t)15 << i : 0;
	return d;
}

static uint64_t replicate(uint32_t a)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 32; i++)
		d |= (uint64_t)(a >> i & 1) * 3 << (2 * i);
	return d;
}

#define T32 uint32_t
#define T64 uint64_t
#define RS32(o) emu_rs32(w, o)
#define RS64(o) emu_rs64(w, o)
#define WS32(o, x) (w->s[(o)->reg] = (x))
#define WS64(o, x) emu_ws64(w, o, x)
#define HANDLER(id) const emu_in *h_##id(emu_wave *w, const emu_in *in)

#define SOP2(id, D, A, B, ...) \
	HANDLER(id) \
	{ \
		T##A a = RS##A(&in->src[0]); \
		T##B b = RS##B(&in->src[1]); \
		uint32_t scc = w->s[R_SCC]; \
		T##D d; \
		__VA_ARGS__; \
		WS##D(&in->dst, d); \
		w->s[R_SCC] = scc; \
		return in->next; \
	}
#define SOP1(id, D, A, ...) \
	HANDLER(id) \
	{ \
		T##A a = RS##A(&in->src[0]); \
		uint32_t scc = w->s[R_SCC]; \
		T##D d; \
		__VA_ARGS__; \
		WS##D(&in->dst, d); \
		w->s[R_SCC] = scc; \
		return in->next; \
	}
#define SOPC(id, A, B, ...) \
	HANDLER(id) \
	{ \
		T##A a = RS##A(&in->src[0]); \
		T##B b = RS##B(&in->src[1]); \
		w->s[R_SCC] = (__VA_ARGS__) != 0; \
		return in->next; \
	}

static const emu_opd exec_opd = { .kind = O_SCALAR, .width = 2, .reg = R_EXEC };
#define SAVE(id, N, ...) \
	HANDLER(id) \
	{ \
		T##N a = RS##N(&in->src[0]), e = RS##N(&exec_opd); \
		WS##N(&in->dst, e); \
		e = (__VA_ARGS__); \
		WS##N(&exec_opd, e); \
		w->s[R_SCC] = e != 0; \
		return in->next; \
	}
#define WREX(id, N, ...) \
	HANDLER(id) \
	{ \
		T##N a = RS##N(&in->src[0]), e = RS##N(&exec_opd); \
		e = (__VA_ARGS__); \
		WS##N(&in->dst, e); \
		WS##N(&exec_opd, e); \
		w->s[R_SCC] = e != 0; \
		return in->next; \
	}

/* Floats: read, round and flush as MODE says. */
static float read_f32(const emu_wave *w, const emu_opd *o)
{
	uint32_t u = emu_rs32(w, o);
	return f32_of(w->flush & F_IN32 ? flush32(u) : u);
}
static float read_half(const emu_wave *w, uint32_t h)
{
	return half_to_float(w->flush & F_IN16_64 ? flush16(h) : h);
}
static void set_round(emu_wave *w, int round)
{
	if (w->thread->round != round)
		fesetround(round);
	w->thread->round = round;
}
#define RF_F32(o) read_f32(w, o)
#define RF_F16(o) read_half(w, emu_rs32(w, o) & 0xffff)
#define RF_H16(o) read_half(w, emu_rs32(w, o) >> 16)
#define RF_U32(o) emu_rs32(w, o)
#define RF_I32(o) (int32_t)emu_rs32(w, o)
#define TF_F32 float
#define TF_F16 float
#define TF_H16 float
#define TF_U32 uint32_t
#define TF_I32 int32_t
#define ROUND_F32 w->round32
#define ROUND_F16 FE_TONEAREST
#define ROUND_U32 FE_TONEAREST
#define PUT_F32(v) do { volatile float v_ = (v); uint32_t u_ = u32_of(v_); d = w->flush & F_OUT32 ? flush32(u_) : u_; } while (0)
#define PUT_F16(v) do { uint32_t u_ = double_to_half(v, w->mode >> 2 & 3); d = w->flush & F_OUT16_64 ? flush16(u_) : u_; } while (0)
#define PUT_U32(v) d = (v)
#define SF2(id, D, T, ...) \
	HANDLER(id) \
	{ \
		volatile TF_##T vx = RF_##T(&in->src[0]), vy = RF_##T(&in->src[1]), vz = in->src[2].kind == O_NONE ? (TF_##T)0 : RF_##T(&in->src[2]); \
		uint32_t d; \
		set_round(w, ROUND_##D); \
		TF_##T x = vx, y = vy, z = vz; \
		(void)z; \
		PUT_##D(__VA_ARGS__); \
		w->s[in->dst.reg] = d; \
		return in->next; \
	}
#define SF1(id, D, T, ...) \
	HANDLER(id) \
	{ \
		volatile TF_##T vx = RF_##T(&in->src[0]); \
		uint32_t d; \
		set_round(w, ROUND_##D); \
		TF_##T x = vx; \
		PUT_##D(__VA_ARGS__); \
		w->s[in->dst.reg] = d; \
		return in->next; \
	}
#define SFC(id, T, ...) \
	HANDLER(id) \
	{ \
		TF_##T x = RF_##T(&in->src[0]), y = RF_##T(&in->src[1]); \
		const bool scc = __VA_ARGS__; \
		w->s[R_SCC] = scc; \
		return in->next; \
	}
#include "emu/salu.def"

/* Hardware registers: simm16 is id[5:0], offset[10:6], size-1[15:11]. */
enum { HW_MODE = 1, HW_FLAT_SCR_LO = 20, HW_FLAT_SCR_HI = 21, HW_SHADER_CYCLES = 29 };
static uint32_t hw_read(const emu_wave *w, uint32_t id)
{
	switch (id) {
	case HW_MODE: return w->mode;
	case HW_FLAT_SCR_LO: return w->s[R_FLAT_SCRATCH];
	case HW_FLAT_SCR_HI: return w->s[R_FLAT_SCRATCH + 1];
	case HW_SHADER_CYCLES: return (uint32_t)(emu_now() * 1e9) & 0xfffff;
	default: return 0;
	}
}
static bool hw_write(emu_wave *w, uint32_t id, uint32_t x)
{
	switch (id) {
	case HW_MODE: emu_set_mode(w, x); return true;
	case HW_FLAT_SCR_LO: w->s[R_FLAT_SCRATCH] = x; return true;
	case HW_FLAT_SCR_HI: w->s[R_FLAT_SCRATCH + 1] = x; return true;
	default: return false;
	}
}
HANDLER(s_getreg_b32)
{
	uint32_t sel = (uint32_t)in->src[0].imm, size = (sel >> 11 & 31) + 1;
	w->s[in->dst.reg] = (uint32_t)(hw_read(w, sel & 63) >> (sel >> 6 & 31) &
		((UINT64_C(1) << size) - 1));
	return in->next;
}
static const emu_in *setreg(emu_wave *w, const emu_in *in)
{
	uint32_t sel = (uint32_t)in->src[0].imm, off = sel >> 6 & 31, size = (sel >> 11 & 31) + 1;
	uint32_t field = (uint32_t)(((UINT64_C(1) << size) - 1) << off);
	uint32_t x = (hw_read(w, sel & 63) & ~field) | (emu_rs32(w, &in->src[1]) << off & field);
	uint32_t mode = w->mode;
	if (!hw_write(w, sel & 63, x))
		return emu_fault_at(w, in, -1, 0, "write to hardware register %u", sel & 63);
	if (!((mode ^ w->mode) & EMU_VSKIP))
		return in->next;
	w->pc = in->next;        /* as s_setvskip */
	return NULL;
}
HANDLER(s_setreg_b32) { return setreg(w, in); }
HANDLER(s_setreg_imm32_b32) { return setreg(w, in); }
HANDLER(s_round_mode)
{
	emu_set_mode(w, (w->mode & ~15u) | ((uint32_t)in->src[0].imm & 15));
	return in->next;
}
HANDLER(s_denorm_mode)
{
	emu_set_mode(w, (w->mode & ~0xf0u) | ((uint32_t)in->src[0].imm & 15) << 4);
	return in->next;
}

/* Sources that no register holds. */
uint64_t emu_special(const emu_wave *w, const emu_opd *o)
{
	if (o->kind == O_VCCZ)
		return !emu_vcc(w);
	return o->kind == O_EXECZ ? !emu_exec(w) : 0;
}
