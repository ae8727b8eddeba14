/* valu.c -- runs vector operations: gathers operands as lane arrays, sets the host's rounding,
 * applies modifiers (abs, neg, SDWA, DPP, denormal flushing, clamp, omod), commits under EXEC.
 * Needs decoded instructions; the operations themselves are in valu_hot.h and valu_cold.c.
 * Vega ISA manual chapter 6 "Vector ALU", 6.2.1 (operands), 13.3 (SDWA, DPP). */
#include <fenv.h>

#include "emu/fp.h"
#include "emu/machine.h"
#include "emu/valu_help.h"

void emu_update_mask(emu_wave *w)
{
	uint64_t e = emu_exec(w);
	w->mask_exec = e;
	w->active = (uint32_t)__builtin_popcountll(e);
	w->x.exec = e;
	w->x.full = e == w->lane_mask;
	for (uint32_t i = 0; i < EMU_LANES; i++)
		w->mask[i] = 0 - (uint32_t)(e >> i & 1);
}

void emu_init_vx(emu_wave *w, uint32_t keep, uint32_t rough)
{
	w->x = (emu_vx){ .n = w->lanes, .m = w->mask, .keep = keep, .rough = rough };
	emu_update_mask(w);
}

static inline void refresh(emu_wave *w)
{
	if (emu_exec(w) != w->mask_exec)
		emu_update_mask(w);
	w->thread->lane_ops += w->active;
}

static void broadcast(uint32_t *to, uint32_t x)
{
	for (uint32_t i = 0; i < EMU_LANES; i++)
		to[i] = x;
}

/* Operand k as two lane arrays. */
static inline void source(
	emu_wave *w, const emu_opd *o, unsigned k, const uint32_t **lo, const uint32_t **hi)
{
	if (o->kind == O_VGPR) {
		*lo = emu_vgpr(w, o->reg);
		*hi = *lo + w->lanes;
	} else if (o->kind == O_CONST) {
		*lo = o->lanes;
		*hi = o->lanes + EMU_LANES;
	} else if (o->kind != O_NONE) {
		uint64_t x = o->width > 1 ? emu_rs64(w, o) : emu_rs32(w, o);
		broadcast(w->tmp[k][0], (uint32_t)x);
		if (o->width > 1)
			broadcast(w->tmp[k][1], (uint32_t)(x >> 32));
		*lo = w->tmp[k][0];
		*hi = w->tmp[k][1];
	} else
		*lo = *hi = w->tmp[k][0];
}

static inline void set_rounding(emu_wave *w, const emu_in *in)
{
	int r = in->flt & F_ROUND32 ? w->round32 : in->flt & F_ROUND64 ? w->round64 :
		in->flt & F_NEAREST ? FE_TONEAREST : w->thread->round;
	if (r != w->thread->round) {
		fesetround(r);
		w->thread->round = r;
	}
}

static inline void take_sources(emu_wave *w, const emu_in *in, emu_vx *x)
{
	set_rounding(w, in);
	x->clamp = in->clamp;
	if (in->cin.kind != O_NONE)
		x->cin = emu_rmask(w, &in->cin);
	source(w, &in->src[0], 0, &x->a, &x->ah);
	source(w, &in->src[1], 1, &x->b, &x->bh);
	source(w, &in->src[2], 2, &x->c, &x->ch);
}

static inline void prepare(emu_wave *w, const emu_in *in, emu_vx *x)
{
	refresh(w);
	take_sources(w, in, x);
}

/* Does MODE want denormals flushed that this instruction reads or writes, or has it modifiers? */
static inline bool is_slow(const emu_wave *w, const emu_in *in)
{
	return in->slow || in->flt & w->flush;
}

/* SDWA: the selected byte or word, extended. */
static uint32_t select_part(uint32_t x, unsigned sel, bool sext)
{
	switch (sel) {
	case P2A_SEL_BYTE0: case P2A_SEL_BYTE1: case P2A_SEL_BYTE2: case P2A_SEL_BYTE3:
		x = x >> 8 * (sel - P2A_SEL_BYTE0) & 255;
		return sext ? (uint32_t)(int8_t)x : x;
	case P2A_SEL_WORD0: case P2A_SEL_WORD1:
		x = x >> 16 * (sel - P2A_SEL_WORD0) & 0xffff;
		return sext ? (uint32_t)(int16_t)x : x;
	default: return x;
	}
}

/* abs, then neg, on the sign bit of the operand's type. */
static void sign_mods(uint32_t *x, unsigned mods, uint32_t sign, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = mods & P2A_ABS ? x[i] & ~sign : x[i];
		x[i] = mods & P2A_NEG ? v ^ sign : v;
	}
}

static void flush_lanes(uint32_t *lo, uint32_t *hi, unsigned type, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (type == ISA_T_F32 || type == ISA_T_S2)
			lo[i] = flush32(lo[i]);
		else if (type == ISA_T_F16)
			lo[i] = (lo[i] & 0xffff0000) | flush16(lo[i] & 0xffff);
		else if (type == ISA_T_H2)
			lo[i] = flush16(lo[i] >> 16) << 16 | flush16(lo[i] & 0xffff);
		else if (!(hi[i] & 0x7ff00000)) {
			lo[i] = 0;
			hi[i] &= 0x80000000;
		}
		if (type == ISA_T_S2)
			hi[i] = flush32(hi[i]);
	}
}

/* By which of MODE's fields denormals of that type go. */
static bool is_single(unsigned type) { return type == ISA_T_F32 || type == ISA_T_S2; }
static bool is_other(unsigned type) { return type == ISA_T_F16 || type == ISA_T_F64 || type == ISA_T_H2; }

static bool flushes_in(const emu_wave *w, const emu_in *in, unsigned type)
{
	unsigned f = in->flt & w->flush;
	return (is_single(type) && f & F_IN32) || (is_other(type) && f & F_IN16_64);
}
static bool flushes_out(const emu_wave *w, const emu_in *in, unsigned type)
{
	unsigned f = in->flt & w->flush;
	return (is_single(type) && f & F_OUT32) || (is_other(type) && f & F_OUT16_64);
}

/* Halves selected as op_sel and op_sel_hi say, with the signs of neg_lo and neg_hi. */
static void select_halves(const emu_opd *o, uint32_t *lo, uint32_t *hi, uint32_t n)
{
	bool low = o->sel & P2A_OP_SEL, high = o->sel & P2A_OP_HI;
	uint32_t neg = o->mods & P2A_NEG ? 0x8000 : 0, neg_hi = o->mods & P2A_NEG_HI ? 0x8000 : 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = low ? lo[i] >> 16 : lo[i] & 0xffff, b = high ? lo[i] & 0xffff : lo[i] >> 16;
		if (o->type == ISA_T_H2 || o->type == ISA_T_W2 || o->type == ISA_T_BF2)
			lo[i] = (a ^ neg) | (b ^ neg_hi) << 16;
		else if (o->type == ISA_T_S2) {
			a = low ? hi[i] : lo[i];
			b = high ? lo[i] : hi[i];
			lo[i] = a ^ neg << 16;
			hi[i] = b ^ neg_hi << 16;
		} else
			lo[i] = a;
	}
}

/* v_fma_mix: an f32, or a half made one. */
static void mix_source(const emu_wave *w, const emu_in *in, const emu_opd *o, uint32_t *x)
{
	unsigned f = in->flt & w->flush;
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t h = o->sel & P2A_OP_SEL ? x[i] >> 16 : x[i] & 0xffff;
		if (o->sel & P2A_OP_HI)
			x[i] = u32_of(half_to_float(f & F_IN16_64 ? flush16(h) : h));
		else if (f & F_IN32)
			x[i] = flush32(x[i]);
	}
}

static bool is_packed(unsigned type)
{
	return type == ISA_T_H2 || type == ISA_T_W2 || type == ISA_T_BF2 || type == ISA_T_S2;
}

/* Copies source k into the wave's scratch arrays and changes it there as its modifiers say. */
static void modify(emu_wave *w, const emu_in *in, unsigned k, const uint32_t **lo,
	const uint32_t **hi, uint64_t *valid)
{
	const emu_opd *o = &in->src[k];
	bool sdwa = in->slow & S_SDWA && o->sel != P2A_SEL_DWORD, dpp = in->slow & S_DPP && k == 0;
	bool sext = o->mods & P2A_SEXT, flush = flushes_in(w, in, o->type);
	bool mix = o->type == ISA_T_MIX, byte = o->type == ISA_T_B8 && !(in->slow & S_SDWA);
	bool picks = !(in->slow & S_SDWA) && o->sel && !mix && !byte;
	uint32_t *tl = w->tmp[k][0], *th = w->tmp[k][1], n = w->lanes;
	if (o->kind == O_NONE || !(o->mods || sdwa || dpp || flush || mix || picks || (byte && o->sel)))
		return;
	if (dpp)
		emu_dpp(w, in->inst, *lo, tl, valid);
	else if (*lo != tl)
		memcpy(tl, *lo, n * sizeof *tl);
	if (dpp && o->width > 1)
		emu_dpp(w, in->inst, *hi, th, valid);
	else if (o->width > 1 && *hi != th)
		memcpy(th, *hi, n * sizeof *th);
	for (uint32_t i = 0; sdwa && i < n; i++)
		tl[i] = select_part(tl[i], o->sel, sext);
	for (uint32_t i = 0; byte && i < n; i++)
		tl[i] >>= 8 * o->sel;
	if (picks || is_packed(o->type))
		select_halves(o, tl, th, n);
	else if (mix)
		mix_source(w, in, o, tl);
	if (o->mods & (P2A_ABS | P2A_NEG) && !is_packed(o->type) && o->type != ISA_T_IU) {
		bool wide = o->type == ISA_T_F64 || o->type == ISA_T_B64 || o->type == ISA_T_I64;
		bool half = o->type == ISA_T_F16 || o->type == ISA_T_B16 || o->type == ISA_T_BF;
		sign_mods(wide ? th : tl, o->mods, half ? 0x8000 : 0x80000000, n);
	}
	if (flush)
		flush_lanes(tl, th, o->type, n);
	*lo = tl;
	*hi = th;
}

/* omod and clamp of a floating-point result: x times 2, 4 or a half, then [0, 1]. A NaN clamps
 * to 0 where MODE.DX10_CLAMP is set, as it always is on gfx12. */
static double out_mods(double x, const p2a_inst *i, bool nan_to_zero)
{
	static const double scale[] = { 1, 2, 4, 0.5 };
	x *= scale[i->omod & 3];
	if (!i->clamp)
		return x;
	if (x != x)
		return nan_to_zero ? 0 : x;
	return x > 0 ? (x < 1 ? x : 1) : 0;
}

static uint32_t post_half(uint32_t h, const emu_wave *w, const p2a_inst *i, bool zero)
{
	return half_result(out_mods(half_to_float(h & 0xffff), i, zero), w->mode >> 2 & 3, w->x.ovfl);
}

static void post(emu_wave *w, const emu_in *in, uint32_t *lo, uint32_t *hi)
{
	bool zero = w->thread->launch->dev->target.family == ISA_GFX12 || w->mode >> 8 & 1;
	for (uint32_t i = 0; i < w->lanes; i++) {
		if (in->dst.type == ISA_T_F32 || in->dst.type == ISA_T_S2)
			lo[i] = u32_of((float)out_mods(f32_of(lo[i]), in->inst, zero));
		else if (in->dst.type == ISA_T_F16)
			lo[i] = (lo[i] & 0xffff0000) | post_half(lo[i], w, in->inst, zero);
		else if (in->dst.type == ISA_T_H2)
			lo[i] = post_half(lo[i] >> 16, w, in->inst, zero) << 16 |
				post_half(lo[i], w, in->inst, zero);
		else if (in->dst.type == ISA_T_F64) {
			uint64_t r = u64_of(
				out_mods(f64_of((uint64_t)hi[i] << 32 | lo[i]), in->inst, zero));
			lo[i] = (uint32_t)r;
			hi[i] = (uint32_t)(r >> 32);
		}
		if (in->dst.type == ISA_T_S2)
			hi[i] = u32_of((float)out_mods(f32_of(hi[i]), in->inst, zero));
	}
}

/* SDWA: puts a result into a byte or word of the destination; what to do with the rest is coded. */
static uint32_t place_part(uint32_t r, uint32_t old, unsigned sel, unsigned unused)
{
	if (sel == P2A_SEL_DWORD)
		return r;
	unsigned bits = sel >= P2A_SEL_WORD0 ? 16 : 8;
	unsigned at = sel >= P2A_SEL_WORD0 ? 16 * (sel - P2A_SEL_WORD0) : 8 * (sel - P2A_SEL_BYTE0);
	uint32_t field = (bits == 16 ? 0xffffu : 0xffu) << at;
	uint32_t x = r << at & field;
	if (unused == P2A_UNUSED_PRESERVE)
		return x | (old & ~field);
	if (unused == P2A_UNUSED_SEXT && x >> (at + bits - 1) & 1)
		return x | ~(field | (field - 1));
	return x;
}

/* Writes the results of lanes in `lanes` from the wave's result arrays. */
static void commit(emu_wave *w, const emu_in *in, uint64_t lanes)
{
	uint32_t *d = emu_vgpr(w, in->dst.reg);
	bool sdwa = in->slow & S_SDWA;
	for (uint32_t i = 0; i < w->lanes; i++) {
		if (!(lanes >> i & 1))
			continue;
		d[i] = sdwa
			? place_part(w->res[0][i], d[i], in->inst->dst_sel, in->inst->dst_unused)
			: w->res[0][i];
		if (in->dst.width > 1)
			d[w->lanes + i] = w->res[1][i];
	}
}

/* Leaves what each lane would get, enabled or not, in w->res. */
static void compute(emu_wave *w, const emu_in *in, emu_vx *x, uint64_t *valid)
{
	modify(w, in, 0, &x->a, &x->ah, valid);
	modify(w, in, 1, &x->b, &x->bh, valid);
	modify(w, in, 2, &x->c, &x->ch, valid);
	uint32_t *d = emu_vgpr(w, in->dst.reg);
	/* 16-bit results keep or clear the rest of it */
	memcpy(w->res[0], d, w->lanes * sizeof *d);
	x->d = w->res[0];
	x->dh = w->res[1];
	const uint32_t full = x->full, keep = x->keep;
	x->full = 1;
	x->sgn = in->src[0].type == ISA_T_IU ? (in->src[0].mods & P2A_NEG) | (in->src[1].mods & P2A_NEG) << 1 : 0;
	if (in->slow & S_HALF)
		x->keep = 0xffff0000;
	in->vfn(x);
	x->full = full;
	x->keep = keep;
	x->sgn = 0;
	x->cout &= *valid;
	if (in->slow & S_POST)
		post(w, in, w->res[0], w->res[1]);
	if (flushes_out(w, in, in->dst.type))
		flush_lanes(w->res[0], w->res[1], in->dst.type, w->lanes);
	for (uint32_t i = 0; in->slow & S_BYTE && i < w->lanes; i++)
		w->res[0][i] = (d[i] & ~(255u << 8 * in->dst.sel)) | (w->res[0][i] & 255) << 8 * in->dst.sel;
	for (uint32_t i = 0; in->slow & S_HALF && in->dst.sel && i < w->lanes; i++)
		w->res[0][i] = (d[i] & 0xffff) | w->res[0][i] << 16;
}

/* Everything that the fast path leaves out. */
static void run_slow(emu_wave *w, const emu_in *in, emu_vx *x)
{
	uint64_t valid = UINT64_MAX;
	if (in->dst.kind == O_VGPR) {
		compute(w, in, x, &valid);
		commit(w, in, x->exec & valid);
		return;
	}
	modify(w, in, 0, &x->a, &x->ah, &valid);
	modify(w, in, 1, &x->b, &x->bh, &valid);
	modify(w, in, 2, &x->c, &x->ch, &valid);
	in->vfn(x);
	x->cout &= valid;
}

static void run_fast(emu_wave *w, const emu_in *in, emu_vx *x)
{
	x->d = emu_vgpr(w, in->dst.reg);
	x->dh = x->d + w->lanes;
	in->vfn(x);
}

/* Products of halves that are rounded, then added to. */
static bool rounds_twice(unsigned op)
{
	return op == OP_v_mad_f16 || op == OP_v_mac_f16 || op == OP_v_madmk_f16 || op == OP_v_madak_f16 || op == OP_v_mad_legacy_f16;
}

const emu_in *h_valu(emu_wave *w, const emu_in *in)
{
	emu_vx *x = &w->x;
	if (x->ovfl && rounds_twice(in->op))
		return emu_fault_at(w, in, -1, 0, "MODE.FP16_OVFL is set: whether it clamps the product too is not documented");
	prepare(w, in, x);
	if (!x->exec && in->out.kind == O_NONE)
		return in->next;
	if (is_slow(w, in))
		run_slow(w, in, x);
	else
		run_fast(w, in, x);
	if (in->out.kind != O_NONE)
		emu_wmask(w, &in->out, x->cout & x->exec);
	return in->next;
}

/* v_s_*: one value for the wave, whatever EXEC says. */
const emu_in *h_valu_scalar(emu_wave *w, const emu_in *in)
{
	emu_vx *x = &w->x;
	uint64_t valid = UINT64_MAX;
	prepare(w, in, x);
	modify(w, in, 0, &x->a, &x->ah, &valid);
	const uint32_t full = x->full;
	memset(w->res[0], 0, w->lanes * sizeof *w->res[0]);
	x->d = w->res[0];
	x->dh = w->res[1];
	x->full = 1;
	in->vfn(x);
	x->full = full;
	if (in->slow & S_POST)
		post(w, in, w->res[0], w->res[1]);
	if (flushes_out(w, in, in->dst.type))
		flush_lanes(w->res[0], w->res[1], in->dst.type, w->lanes);
	w->s[in->dst.reg] = w->res[0][0];
	return in->next;
}

/* v_mqsad_u32_u8: four sums, which no pair of registers holds. Vega 12.12. */
const emu_in *h_mqsad(emu_wave *w, const emu_in *in)
{
	emu_vx *x = &w->x;
	prepare(w, in, x);
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint64_t a = (uint64_t)x->ah[i] << 32 | x->a[i];
		uint32_t d[4];
		for (uint32_t k = 0; k < 4; k++) {
			uint64_t sum = (uint64_t)msad_u8((uint32_t)(a >> 8 * k), x->b[i]) + emu_vgpr(w, in->src[2].reg + k)[i];
			d[k] = x->clamp && sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
		}
		for (uint32_t k = 0; w->mask[i] && k < 4; k++)
			emu_vgpr(w, in->dst.reg + k)[i] = d[k];
	}
	return in->next;
}

/* A pair: the second half's result waits until the first has read and written. */
const emu_in *h_dual(emu_wave *w, const emu_in *in)
{
	const emu_in *y = in->second;
	emu_vx *x = &w->x;
	uint64_t valid = UINT64_MAX;
	uint32_t *d = emu_vgpr(w, y->dst.reg);
	if (w->lanes != 32)
		return emu_fault_at(w, in, -1, 0, "a dual instruction in a wave of 64");
	prepare(w, y, x);
	if (!x->exec)
		return in->next;
	compute(w, y, x, &valid);
	memcpy(w->second, w->res[0], w->lanes * sizeof *d);
	take_sources(w, in, x);
	if (is_slow(w, in))
		run_slow(w, in, x);
	else
		run_fast(w, in, x);
	for (uint32_t i = 0; i < w->lanes; i++)
		d[i] = w->mask[i] ? w->second[i] : d[i];
	return in->next;
}

static uint64_t compare(emu_wave *w, const emu_in *in)
{
	emu_vx *x = &w->x;
	x->d = x->dh = w->res[0];
	prepare(w, in, x);
	if (is_slow(w, in))
		run_slow(w, in, x);
	else
		in->vfn(x);
	return x->cout & x->exec;
}

const emu_in *h_cmp(emu_wave *w, const emu_in *in)
{
	emu_wmask(w, &in->out, compare(w, in));
	return in->next;
}

/* Before gfx10 v_cmpx also writes its mask operand; later that operand is EXEC itself. */
const emu_in *h_cmpx(emu_wave *w, const emu_in *in)
{
	static const emu_opd exec = { .kind = O_SCALAR, .width = 2, .reg = R_EXEC };
	uint64_t r = compare(w, in);
	if (in->out.kind != O_NONE)
		emu_wmask(w, &in->out, r);
	emu_wmask(w, &exec, r);
	return in->next;
}

/* MODE: rounding of f32 [1:0] and f16/f64 [3:2], denormals of f32 [5:4] and f16/f64 [7:6] (bit
 * 0: read, bit 1: written ones are kept), DX10_CLAMP [8], IEEE [9], FP16_OVFL [23]. */
void emu_set_mode(emu_wave *w, uint32_t mode)
{
	static const int host[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	w->mode = mode;
	w->x.ieee = mode >> 9 & 1;
	w->x.round16_64 = mode >> 2 & 3;
	w->x.ovfl = mode >> 23 & 1;
	w->round32 = host[mode & 3];
	w->round64 = host[mode >> 2 & 3];
	w->flush = (mode >> 4 & 1 ? 0u : F_IN32) | (mode >> 5 & 1 ? 0u : F_OUT32) |
		(mode >> 6 & 1 ? 0u : F_IN16_64) | (mode >> 7 & 1 ? 0u : F_OUT16_64);
}
