/* lane.c -- instructions that move values between lanes: readlane, permute, swizzle, permlane, DPP, DPP8.
 * Needs decoded instructions; a lane's result may come from another lane's register.
 * Vega ISA manual 12.13.1 (swizzle), 12.13 (permute), 13.3.9 (DPP); RDNA2 13.3.8; RDNA3 7.7. */
#include "emu/machine.h"

static void count_lanes(emu_wave *w)
{
	if (emu_exec(w) != w->mask_exec)
		emu_update_mask(w);
	w->thread->lane_ops += w->active;
}

static uint32_t value_in(emu_wave *w, const emu_opd *o, uint32_t lane)
{
	return o->kind == O_VGPR ? emu_vgpr(w, o->reg)[lane] : emu_rs32(w, o);
}

const emu_in *h_readlane(emu_wave *w, const emu_in *in)
{
	uint32_t lane = emu_rs32(w, &in->src[1]) & (w->lanes - 1);
	w->s[in->dst.reg] = value_in(w, &in->src[0], lane);
	return in->next;
}

/* With EXEC 0 the hardware reads lane 0. */
const emu_in *h_readfirstlane(emu_wave *w, const emu_in *in)
{
	uint64_t e = emu_exec(w);
	w->s[in->dst.reg] = value_in(w, &in->src[0], e ? (uint32_t)__builtin_ctzll(e) : 0);
	return in->next;
}

const emu_in *h_writelane(emu_wave *w, const emu_in *in)
{
	uint32_t lane = emu_rs32(w, &in->src[1]) & (w->lanes - 1);
	emu_vgpr(w, in->dst.reg)[lane] = emu_rs32(w, &in->src[0]);
	return in->next;
}

const emu_in *h_swap(emu_wave *w, const emu_in *in)
{
	uint32_t *a = emu_vgpr(w, in->dst.reg), *b = emu_vgpr(w, in->src[0].reg);
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t x = (a[i] ^ b[i]) & w->mask[i];
		a[i] ^= x;
		b[i] ^= x;
	}
	return in->next;
}

/* The halves of a wave of 64 exchanged; in a wave of 32 nothing. */
const emu_in *h_permlane64(emu_wave *w, const emu_in *in)
{
	uint32_t got[EMU_LANES], *d = emu_vgpr(w, in->dst.reg);
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++)
		got[i] = value_in(w, &in->src[0], i ^ (w->lanes & 64) / 2);
	for (uint32_t i = 0; w->lanes == 64 && i < 64; i++)
		d[i] = w->mask[i] ? got[i] : d[i];
	return in->next;
}

/* dst[i] = src[from[i]] for enabled lanes; a disabled source lane gives what it has, 0, or keeps the old value. */
enum off_lane { OFF_KEEPS, OFF_ZERO, OFF_READ };
static void gather(emu_wave *w, const emu_in *in, const emu_opd *src, const uint8_t *from, enum off_lane off)
{
	uint32_t got[EMU_LANES];
	uint32_t *d = emu_vgpr(w, in->dst.reg);
	for (uint32_t i = 0; i < w->lanes; i++)
		got[i] = w->mask[from[i]] || off == OFF_READ ? value_in(w, src, from[i]) : off == OFF_KEEPS ? d[i] : 0;
	for (uint32_t i = 0; i < w->lanes; i++)
		d[i] = w->mask[i] ? got[i] : d[i];
}

/* op_sel of the first source is FI of DPP, that of the second BOUND_CTRL. RDNA3 16.8, V_PERMLANE16_B32. */
static const emu_in *permlane(emu_wave *w, const emu_in *in, uint32_t flip)
{
	enum off_lane off = in->src[0].sel ? OFF_READ : in->src[1].sel ? OFF_ZERO : OFF_KEEPS;
	uint64_t sel = (uint64_t)emu_rs32(w, &in->src[2]) << 32 | emu_rs32(w, &in->src[1]);
	uint8_t from[EMU_LANES];
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++)
		from[i] = (uint8_t)(((i & ~15u) ^ flip) | (sel >> 4 * (i & 15) & 15));
	gather(w, in, &in->src[0], from, off);
	return in->next;
}
const emu_in *h_permlane16(emu_wave *w, const emu_in *in) { return permlane(w, in, 0); }
const emu_in *h_permlanex16(emu_wave *w, const emu_in *in) { return permlane(w, in, 16); }

/* Every lane says itself where it reads, also from a lane that is not enabled. */
static const emu_in *permlane_var(emu_wave *w, const emu_in *in, uint32_t flip)
{
	uint32_t got[EMU_LANES], *d = emu_vgpr(w, in->dst.reg);
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++)
		got[i] = value_in(w, &in->src[0], ((i & ~15u) ^ flip) | (value_in(w, &in->src[1], i) & 15));
	for (uint32_t i = 0; i < w->lanes; i++)
		d[i] = w->mask[i] ? got[i] : d[i];
	return in->next;
}
const emu_in *h_permlane16_var(emu_wave *w, const emu_in *in) { return permlane_var(w, in, 0); }
const emu_in *h_permlanex16_var(emu_wave *w, const emu_in *in) { return permlane_var(w, in, 16); }

/* Source lane of lane i, within its 32: bit masks, quads, or rotation. */
static int swizzle_lane(uint32_t off, uint32_t i)
{
	uint32_t j = i & 31;
	if (!(off >> 15))
		j = ((j & (off & 31)) | (off >> 5 & 31)) ^ (off >> 10 & 31);
	else if (off < 0xc000)
		j = (j & ~3u) | (off >> 2 * (j & 3) & 3);
	else if (off < 0xe000) {
		uint32_t by = off >> 5 & 31, mask = off & 31;
		j = (j & mask) | ((off >> 10 & 1 ? j - by : j + by) & 31 & ~mask);
	} else
		return -1;
	return (int)((i & ~31u) | j);
}

const emu_in *h_ds_swizzle(emu_wave *w, const emu_in *in)
{
	uint8_t from[EMU_LANES];
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++) {
		int j = swizzle_lane((uint32_t)in->offset & 0xffff, i);
		if (j < 0)
			return emu_fault_at(w, in, -1, 0, "swizzle mode 0x%x is not emulated",
				(unsigned)in->offset);
		from[i] = (uint8_t)j;
	}
	gather(w, in, &in->src[0], from, OFF_ZERO);
	return in->next;
}

/* From gfx10 on, a wave of 64 permutes within its halves. */
static uint32_t permute_span(const emu_wave *w)
{
	return w->thread->launch->dev->target.family == ISA_GFX9 ? w->lanes : 32;
}

const emu_in *h_ds_bpermute(emu_wave *w, const emu_in *in)
{
	uint8_t from[EMU_LANES];
	uint32_t span = permute_span(w);
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t a = (value_in(w, &in->src[0], i) + (uint32_t)in->offset) / 4;
		from[i] = (uint8_t)((i & ~(span - 1)) | (a & (span - 1)));
	}
	gather(w, in, &in->src[1], from, OFF_ZERO);
	return in->next;
}

/* Where several lanes write to one, the highest wins; where none does, it is 0. */
const emu_in *h_ds_permute(emu_wave *w, const emu_in *in)
{
	uint32_t got[EMU_LANES] = { 0 }, span = permute_span(w);
	uint32_t *d = emu_vgpr(w, in->dst.reg);
	count_lanes(w);
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t a = (value_in(w, &in->src[0], i) + (uint32_t)in->offset) / 4;
		if (w->mask[i])
			got[(i & ~(span - 1)) | (a & (span - 1))] = value_in(w, &in->src[1], i);
	}
	for (uint32_t i = 0; i < w->lanes; i++)
		d[i] = w->mask[i] ? got[i] : d[i];
	return in->next;
}

/* DPP controls: the source lane of lane i, or -1 where there is none. n: lanes in the wave. */
static int dpp_lane(uint32_t ctl, int i, int n)
{
	int row = i & ~15, k = i & 15, by = (int)(ctl & 15);
	if (ctl < 0x100)
		return (i & ~3) | (int)(ctl >> 2 * (i & 3) & 3);        /* quad_perm */
	switch (ctl & ~15u) {
	case 0x100: return k + by < 16 ? i + by : -1;                   /* row_shl */
	case 0x110: return k >= by ? i - by : -1;                       /* row_shr */
	case 0x120: return row | ((k - by) & 15);                       /* row_ror */
	/* row_share, row_newbcast */
	case 0x150: return row | by;
	case 0x160: return row | (k ^ by);                              /* row_xmask */
	default: break;
	}
	switch (ctl) {
	case 0x130: return i + 1 < n ? i + 1 : -1;                      /* wave_shl */
	case 0x134: return (i + 1) & (n - 1);                           /* wave_rol */
	case 0x138: return i - 1;                                       /* wave_shr */
	case 0x13c: return (i - 1) & (n - 1);                           /* wave_ror */
	case 0x140: return row | (15 - k);                              /* row_mirror */
	case 0x141: return (i & ~7) | (7 - (i & 7));                    /* row_half_mirror */
	case 0x142: return row ? row - 1 : -1;                          /* row_bcast15 */
	case 0x143: return i >= 32 ? 31 : -1;                           /* row_bcast31 */
	default: return -1;
	}
}

/* DPP8: any lane of the same eight. */
static void dpp8(const emu_wave *w, const p2a_inst *inst, const uint32_t *src, uint32_t *out)
{
	uint32_t sel = (uint32_t)inst->dpp_mask << 16 | inst->dpp, got[EMU_LANES];
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t j = (i & ~7u) | (sel >> 3 * (i & 7) & 7);
		got[i] = w->mask[j] || inst->dpp_flags & 2 ? src[j] : 0;
	}
	memcpy(out, got, w->lanes * sizeof *out);
}

void emu_dpp(const emu_wave *w, const p2a_inst *inst, const uint32_t *src, uint32_t *out,
	uint64_t *valid)
{
	bool bound = inst->dpp_flags & 1, inactive = inst->dpp_flags & 2;
	uint32_t got[EMU_LANES];
	if (inst->enc == P2A_ENC_DPP8 || inst->enc == P2A_ENC_E64_DPP8) {
		dpp8(w, inst, src, out);
		return;
	}
	for (uint32_t i = 0; i < w->lanes; i++) {
		int j = dpp_lane(inst->dpp, (int)i, (int)w->lanes);
		bool ok = j >= 0 && (w->mask[j] || inactive);
		got[i] = ok ? src[j] : 0;
		bool masked = !(inst->dpp_mask >> (4 + (i >> 4)) & 1) ||
			!(inst->dpp_mask >> (i >> 2 & 3) & 1);
		if (masked || (!ok && !bound))
			*valid &= ~((uint64_t)1 << i);
	}
	memcpy(out, got, w->lanes * sizeof *out);
}
