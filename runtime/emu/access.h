/* access.h -- what the memory instructions share: places in memory behind an address, and how values go there and come
 * back. Needs machine.h; a place that is NULL has faulted.
 * mem.c: vector memory; lds.c: the local data share; smem.c: scalar memory. */
#ifndef EMU_ACCESS_H
#define EMU_ACCESS_H
#include "emu/machine.h"

static inline void count_lanes(emu_wave *w)
{
	if (emu_exec(w) != w->mask_exec)
		emu_update_mask(w);
	w->thread->lane_ops += w->active;
}

/* mem.c. Host memory behind a global address; lane -1: the whole wave. */
void *emu_global_at(emu_wave *, const emu_in *, int lane, uint64_t addr, uint32_t size, bool write);
/* One lane's atomic on host memory; the old value goes to its register where the instruction returns it. */
bool emu_atomic_lane(emu_wave *, const emu_in *, int lane, void *, uint64_t data, uint64_t compare);
/* lds.c. The same of the local data share; `write` says that the bytes are written. */
void *emu_lds_at(emu_wave *, const emu_in *, int lane, uint32_t addr, uint32_t size, bool write);

/* Other host threads may be changing the same memory: an aligned access of up to 8 bytes is one. */
static inline uint64_t fetch(const void *p, uint32_t size)
{
	uint64_t x = 0;
	bool aligned = !((uintptr_t)p & (size - 1));
	if (aligned && size == 8)
		return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
	if (aligned && size == 4)
		return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
	if (aligned && size == 2)
		return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
	if (size == 1)
		return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
	memcpy(&x, p, size);
	return x;
}

static inline void put(void *p, uint32_t size, uint64_t x)
{
	bool aligned = !((uintptr_t)p & (size - 1));
	if (aligned && size == 8)
		__atomic_store_n((uint64_t *)p, x, __ATOMIC_RELAXED);
	else if (aligned && size == 4)
		__atomic_store_n((uint32_t *)p, (uint32_t)x, __ATOMIC_RELAXED);
	else if (aligned && size == 2)
		__atomic_store_n((uint16_t *)p, (uint16_t)x, __ATOMIC_RELAXED);
	else if (size == 1)
		__atomic_store_n((uint8_t *)p, (uint8_t)x, __ATOMIC_RELAXED);
	else
		memcpy(p, &x, size);
}

static inline uint32_t load_small(const void *p, uint32_t size, bool sext)
{
	uint32_t x = (uint32_t)fetch(p, size);
	if (!sext)
		return x;
	return size == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
}

/* Puts loaded bytes into lane's registers from d on. */
static inline void put_lane(emu_wave *w, const emu_in *in, uint32_t *d, const void *p)
{
	uint32_t step = in->size % 8 ? 4 : 8;
	for (uint32_t k = 0; in->size >= 4 && k < in->size; k += step) {
		uint64_t x = fetch((const char *)p + k, step);
		d[(size_t)k / 4 << w->shift] = (uint32_t)x;
		if (step == 8)
			d[((size_t)k / 4 + 1) << w->shift] = (uint32_t)(x >> 32);
	}
	if (in->size >= 4)
		return;
	uint32_t x = load_small(p, in->size, in->flags & M_SIGNED);
	if (in->flags & M_HI)
		x = (x << 16) | (*d & 0xffff);
	else if (in->flags & M_D16)
		x = (x & 0xffff) | (*d & 0xffff0000);
	*d = x;
}

static inline void get_lane(emu_wave *w, const emu_in *in, const uint32_t *v, void *p)
{
	uint32_t step = in->size % 8 ? 4 : 8;
	for (uint32_t k = 0; in->size >= 4 && k < in->size; k += step) {
		uint64_t x = v[(size_t)k / 4 << w->shift];
		if (step == 8)
			x |= (uint64_t)v[((size_t)k / 4 + 1) << w->shift] << 32;
		put((char *)p + k, step, x);
	}
	if (in->size < 4)
		put(p, in->size, in->flags & M_HI ? *v >> 16 : *v);
}

/* Between lane's registers from v on and memory. */
static inline void move_lane(emu_wave *w, const emu_in *in, uint32_t *v, void *p, bool write)
{
	if (write)
		get_lane(w, in, v, p);
	else
		put_lane(w, in, v, p);
}

static inline uint64_t lane_value(emu_wave *w, uint32_t reg, int lane, uint32_t size)
{
	const uint32_t *v = emu_vgpr(w, reg) + lane;
	return size == 8 ? (uint64_t)v[w->lanes] << 32 | v[0] : v[0];
}
#endif
