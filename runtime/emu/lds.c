/* lds.c -- the local data share: loads, stores, atomics, and what only it has.
 * Needs decoded instructions (src[0] address, src[1] data, src[2] second data); a bad access stops the launch with the lane
 * that made it.
 * Vega ISA manual chapter 10 "Data share operations", 12.13; RDNA3 12. */
#include "emu/access.h"

static bool is_misaligned(const emu_device *d, uint32_t addr, uint32_t size)
{
	return d->check != EMU_CHECK_NONE && !d->unaligned_lds && addr & ((size > 4 ? 4 : size) - 1);
}

/* EMU_CHECK_ALL: were all the bytes written that are read? An exchange counts as a store. */
static bool is_written(emu_wave *w, const emu_in *in, int lane, uint32_t addr, uint32_t size, bool write)
{
	uint8_t *written = w->group->written;
	const uint8_t *hole = write && in->aop <= A_SWAP ? NULL : memchr(written + addr, 0, size);
	if (hole) {
		emu_fault_at(w, in, lane, addr, "%u-byte load from LDS address 0x%x: nothing has written the byte at 0x%x",
			size, addr, (unsigned)(hole - written));
		return false;
	}
	if (write)
		memset(written + addr, 1, size);
	return true;
}

void *emu_lds_at(emu_wave *w, const emu_in *in, int lane, uint32_t addr, uint32_t size, bool write)
{
	emu_group *g = w->group;
	if (addr >= g->lds_size || size > g->lds_size - addr) {
		emu_fault_at(w, in, lane, addr,
			"%u-byte %s LDS address 0x%x; the workgroup has %u bytes", size,
			write ? "store to" : "load from", addr, g->lds_size);
		return NULL;
	}
	if (is_misaligned(w->thread->launch->dev, addr, size)) {
		emu_fault_at(w, in, lane, addr, "misaligned %u-byte access to LDS address 0x%x",
			size, addr);
		return NULL;
	}
	return g->written && !is_written(w, in, lane, addr, size, write) ? NULL : g->lds + addr;
}

static bool quick_lds(emu_wave *w, const uint32_t *a, uint32_t off, uint32_t *v, bool write)
{
	const emu_group *g = w->group;
	uint32_t bad = 0;
	if (g->lds_size < 4 || g->written)
		return false;
	for (uint32_t i = 0; i < w->lanes; i++)
		bad |= ((uint32_t)(a[i] + off > g->lds_size - 4) | ((a[i] + off) & 3)) & w->mask[i];
	if (bad)
		return false;
	for (uint32_t i = 0; i < w->lanes; i++) {
		if (!w->mask[i])
			continue;
		if (write)
			memcpy(g->lds + (a[i] + off), &v[i], 4);
		else
			memcpy(&v[i], g->lds + (a[i] + off), 4);
	}
	return true;
}

/* LDS: one address, or two in units of the element (times 64 for the st64 forms). */
const emu_in *h_ds(emu_wave *w, const emu_in *in)
{
	const uint32_t *a = emu_vgpr(w, in->src[0].reg);
	bool write = in->flags & M_STORE, two = in->flags & M_TWO;
	uint32_t unit = !two ? 1 : in->flags & M_ST64 ? 64u * in->size : in->size;
	uint32_t off[2] = { (uint32_t)in->offset * unit, (uint32_t)in->offset1 * unit };
	uint32_t *v[2];
	count_lanes(w);
	if (write) {
		v[0] = emu_vgpr(w, in->src[1].reg);
		v[1] = two ? emu_vgpr(w, in->src[2].reg) : v[0];
	} else {
		v[0] = emu_vgpr(w, in->dst.reg);
		v[1] = v[0] + ((in->size / 4u) << w->shift);
	}
	if (in->size == 4 && !two && quick_lds(w, a, off[0], v[0], write))
		return in->next;
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		uint32_t base = a[i];
		for (int k = 0; k <= two; k++) {
			void *p = emu_lds_at(w, in, i, base + off[k], in->size, write);
			if (!p)
				return NULL;
			move_lane(w, in, v[k] + i, p, write);
		}
	}
	return in->next;
}

/* ds_cmpst has the comparand first; gfx11 renamed it ds_cmpstore and turned the operands round. */
const emu_in *h_ds_atomic(emu_wave *w, const emu_in *in)
{
	const uint32_t *a = emu_vgpr(w, in->src[0].reg);
	bool cas = in->aop == A_CMPSWAP || in->aop == A_FCMPSWAP,
	     two = cas || in->aop == A_MSKOR || in->aop == A_WRAP,
	     old_order = w->thread->launch->dev->target.family < ISA_GFX11;
	uint32_t data = in->src[cas && old_order ? 2 : 1].reg,
		 cmp = in->src[cas && old_order ? 1 : 2].reg;
	count_lanes(w);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		void *p = emu_lds_at(w, in, i, a[i] + (uint32_t)in->offset, in->size, true);
		if (!p || !emu_atomic_lane(w, in, i, p, lane_value(w, data, i, in->size),
				two ? lane_value(w, cmp, i, in->size) : 0))
			return NULL;
	}
	return in->next;
}

/* Two exchanges, addressed as by ds_write2. */
const emu_in *h_ds_exchange2(emu_wave *w, const emu_in *in)
{
	uint32_t unit = in->flags & M_ST64 ? 64u * in->size : in->size;
	const uint32_t *a = emu_vgpr(w, in->src[0].reg);
	count_lanes(w);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		uint64_t old[2], new[2];
		uint32_t base = a[i];
		for (unsigned k = 0; k < 2; k++)
			new[k] = lane_value(w, in->src[1 + k].reg, i, in->size);
		for (unsigned k = 0; k < 2; k++) {
			void *p = emu_lds_at(w, in, i, base + (uint32_t)(k ? in->offset1 : in->offset) * unit, in->size, true);
			if (!p)
				return NULL;
			old[k] = fetch(p, in->size);
			put(p, in->size, new[k]);
		}
		for (unsigned k = 0; k < 2 * in->size / 4u; k++)
			emu_vgpr(w, in->dst.reg + k)[i] = (uint32_t)(in->size == 8 ? old[k / 2] >> 32 * (k & 1) : old[k]);
	}
	return in->next;
}

/* The count of enabled lanes is added to or taken from a place that M0 says; every lane gets the old value. */
const emu_in *h_ds_append(emu_wave *w, const emu_in *in)
{
	count_lanes(w);
	if (!w->mask_exec)
		return in->next;
	void *p = emu_lds_at(w, in, -1, (w->s[R_M0] >> 16) + (uint32_t)in->offset, 4, true);
	if (!p)
		return NULL;
	uint32_t old = (uint32_t)emu_atomic_do((emu_atomic)in->aop, p, 4, w->active, 0, 0);
	for (uint64_t e = w->mask_exec; e; e &= e - 1)
		emu_vgpr(w, in->dst.reg)[__builtin_ctzll(e)] = old;
	return in->next;
}

/* One address for the wave, in M0, and a dword a lane behind it. RDNA3 12.5, "ADDTID addressing". */
const emu_in *h_ds_addtid(emu_wave *w, const emu_in *in)
{
	bool write = in->flags & M_STORE;
	uint32_t base = (w->s[R_M0] & 0xffff) + (uint32_t)in->offset;
	uint32_t *v = emu_vgpr(w, write ? in->src[1].reg : in->dst.reg);
	count_lanes(w);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		void *p = emu_lds_at(w, in, i, base + 4 * (uint32_t)i, 4, write);
		if (!p)
			return NULL;
		move_lane(w, in, v + i, p, write);
	}
	return in->next;
}

/* Two dwords are returned; each is replaced where the new one has its highest bit, without it. */
const emu_in *h_ds_condxchg(emu_wave *w, const emu_in *in)
{
	const uint32_t *a = emu_vgpr(w, in->src[0].reg), *data = emu_vgpr(w, in->src[1].reg);
	uint32_t *d = emu_vgpr(w, in->dst.reg);
	count_lanes(w);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		uint8_t *p = emu_lds_at(w, in, i, (a[i] + (uint32_t)in->offset) & 0xfff8, 8, true);
		uint32_t new[2] = { data[i], data[w->lanes + (uint32_t)i] };
		if (!p)
			return NULL;
		for (uint32_t k = 0; k < 2; k++) {
			d[k * w->lanes + (uint32_t)i] = (uint32_t)fetch(p + 4 * k, 4);
			if (new[k] >> 31)
				put(p + 4 * k, 4, new[k] & INT32_MAX);
		}
	}
	return in->next;
}

/* Where the second operand of *_src2_* stands, and the first: the distance is in the offset, or in the address.
 * Vega 10.3, "SRC2 Ops". */
static uint32_t src2_place(uint32_t addr, uint32_t offset, uint32_t *first)
{
	bool by_address = offset >> 15 & 1;
	int32_t dwords = by_address ? (int32_t)addr >> 17 : (int32_t)(offset << 17) >> 17;
	*first = by_address ? addr & 0x1ffff : addr;
	return *first + 4 * (uint32_t)dwords;
}

/* Both operands lie in LDS. */
const emu_in *h_ds_src2(emu_wave *w, const emu_in *in)
{
	const uint32_t *a = emu_vgpr(w, in->src[0].reg);
	count_lanes(w);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		uint32_t first, other = src2_place(a[i], (uint32_t)in->offset, &first);
		void *q = emu_lds_at(w, in, i, other, in->size, false);
		void *p = q ? emu_lds_at(w, in, i, first, in->size, true) : NULL;
		if (!p || !emu_atomic_lane(w, in, i, p, fetch(q, in->size), 0))
			return NULL;
	}
	return in->next;
}
