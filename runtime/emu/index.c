/* index.c -- registers by number: v_movrel, s_movrel, and gfx9's s_set_gpr_idx, which makes the instructions behind it
 * add M0 to the numbers of their registers.
 * Needs decoded instructions; leaves results in the register numbered by M0.
 * Vega ISA manual 5.5, 6.5 (indexing); RDNA2 5.6, 6.5; RDNA3 5.6, 7.4. */
#include "emu/machine.h"

static const emu_in *outside(emu_wave *w, const emu_in *in, const char *kind, uint64_t reg)
{
	return emu_fault_at(w, in, -1, reg, "register %s%llu by M0 is beyond the kernel's registers", kind, (unsigned long long)reg);
}

/* Copies VGPR `from` to `to` in the enabled lanes; both are exchanged if `swap`. */
static const emu_in *move(emu_wave *w, const emu_in *in, uint64_t to, uint64_t from, bool swap)
{
	if (to >= w->nvgpr || from >= w->nvgpr)
		return outside(w, in, "v", to >= w->nvgpr ? to : from);
	uint32_t *d = emu_vgpr(w, (uint32_t)to), *s = emu_vgpr(w, (uint32_t)from);
	for (uint64_t e = emu_exec(w); e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		uint32_t old = d[i];
		d[i] = s[i];
		if (swap)
			s[i] = old;
	}
	return in->next;
}

const emu_in *h_v_movrels(emu_wave *w, const emu_in *in)
{
	return move(w, in, in->dst.reg, (uint64_t)in->src[0].reg + w->s[R_M0], false);
}
const emu_in *h_v_movrelsd(emu_wave *w, const emu_in *in)
{
	uint32_t m0 = w->s[R_M0];
	return move(w, in, (uint64_t)in->dst.reg + m0, (uint64_t)in->src[0].reg + m0, false);
}
/* Two numbers in M0: [9:0] for the source, [25:16] for the result. */
const emu_in *h_v_movrelsd_2(emu_wave *w, const emu_in *in)
{
	uint32_t m0 = w->s[R_M0];
	return move(w, in, in->dst.reg + (m0 >> 16 & 0x3ff), in->src[0].reg + (m0 & 0x3ff), false);
}
const emu_in *h_v_swaprel(emu_wave *w, const emu_in *in)
{
	uint32_t m0 = w->s[R_M0];
	return move(w, in, in->dst.reg + (m0 >> 16 & 0x3ff), in->src[0].reg + (m0 & 0x3ff), true);
}
const emu_in *h_v_movreld(emu_wave *w, const emu_in *in)
{
	uint64_t to = (uint64_t)in->dst.reg + w->s[R_M0];
	if (in->src[0].kind == O_VGPR)
		return move(w, in, to, in->src[0].reg, false);
	if (to >= w->nvgpr)
		return outside(w, in, "v", to);
	for (uint64_t e = emu_exec(w); e; e &= e - 1)
		emu_vgpr(w, (uint32_t)to)[__builtin_ctzll(e)] = emu_rs32(w, &in->src[0]);
	return in->next;
}

static const emu_in *scalar(emu_wave *w, const emu_in *in, uint64_t to, uint64_t from, uint32_t n)
{
	if (to + n > w->nsgpr + 2u || from + n > w->nsgpr + 2u)
		return outside(w, in, "s", to > from ? to : from);
	uint64_t x = n == 2 ? (uint64_t)w->s[from + 1] << 32 | w->s[from] : w->s[from];
	for (uint32_t k = 0; k < n; k++)
		w->s[to + k] = (uint32_t)(x >> 32 * k);
	return in->next;
}
const emu_in *h_s_movrels(emu_wave *w, const emu_in *in)
{
	return scalar(w, in, in->dst.reg, (uint64_t)in->src[0].reg + w->s[R_M0], in->dst.width);
}
const emu_in *h_s_movrelsd_2(emu_wave *w, const emu_in *in)
{
	uint32_t m0 = w->s[R_M0];
	return scalar(w, in, in->dst.reg + (m0 >> 16 & 0x3ff), in->src[0].reg + (m0 & 0x3ff), 1);
}
const emu_in *h_s_movreld(emu_wave *w, const emu_in *in)
{
	uint64_t to = (uint64_t)in->dst.reg + w->s[R_M0], x = in->dst.width == 2 ? emu_rs64(w, &in->src[0]) : emu_rs32(w, &in->src[0]);
	if (to + in->dst.width > w->nsgpr + 2u)
		return outside(w, in, "s", to);
	for (uint32_t k = 0; k < in->dst.width; k++)
		w->s[to + k] = (uint32_t)(x >> 32 * k);
	return in->next;
}

/* ---- gfx9 ---- */
enum { MAX_INDEXED = 4096 };

/* An instruction as it is while indexing is on; false: a register is beyond the kernel's. */
static bool indexed(const emu_wave *w, const emu_in *in, uint32_t bits, uint32_t by, emu_in *out)
{
	*out = *in;
	for (unsigned k = 0; k < 4; k++) {
		emu_opd *o = k < 3 ? &out->src[k] : &out->dst;
		if (o->kind != O_VGPR || !(bits >> k & 1))
			continue;
		o->reg += by;
		if (o->reg + o->width > w->nvgpr)
			return false;
	}
	return true;
}

/* Runs what follows with indices added, up to s_set_gpr_idx_off: compilers put no branch between. */
const emu_in *h_s_set_gpr_idx_on(emu_wave *w, const emu_in *in)
{
	uint32_t bits = (uint32_t)in->src[1].imm & 15, by = emu_rs32(w, &in->src[0]) & 255;
	const emu_in *next = in->next;
	w->s[R_M0] = (w->s[R_M0] & ~0xf0ffu) | by | bits << 12;
	for (unsigned n = 0; n < MAX_INDEXED; n++) {
		emu_fn fn = __atomic_load_n(&next->fn, __ATOMIC_ACQUIRE);
		emu_in changed;
		const emu_in *here = next;
		if (!fn)
			fn = emu_decode(w->code, next);
		if (next->op == OP_s_set_gpr_idx_off)
			return next->next;
		w->thread->count[next->cls]++;
		if (next->op == OP_s_set_gpr_idx_idx)
			by = emu_rs32(w, &next->src[0]) & 255;
		else if (next->op == OP_s_set_gpr_idx_mode)
			bits = (uint32_t)next->src[0].imm & 15;
		if (fn != h_valu)
			next = fn(w, next);
		else if (indexed(w, next, bits, by, &changed))
			next = fn(w, &changed);
		else
			return outside(w, next, "v", by);
		if (!next || here->cls == 5)
			return next ? emu_fault_at(w, here, -1, 0, "branch while registers are indexed") : NULL;
	}
	return emu_fault_at(w, in, -1, 0, "no s_set_gpr_idx_off within %d instructions", MAX_INDEXED);
}
