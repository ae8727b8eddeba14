/* smem.c -- scalar memory instructions: loads, stores, atomics, the clock.
 * Needs decoded instructions (src[0] base, src[1] offset, src[2] data) and the launch's table of buffers.
 * Vega ISA manual chapter 7 "Scalar memory operations", 12.6; RDNA3 8. */
#include "emu/access.h"

/* Faults unless the address is that of a dword; without checks it is made one. */
static bool align_dwords(emu_wave *w, const emu_in *in, uint64_t *addr)
{
	if (in->size < 4 || !(*addr & 3))
		return true;
	if (w->thread->launch->dev->check != EMU_CHECK_NONE) {
		emu_fault_at(w, in, -1, *addr, "misaligned scalar %s 0x%llx",
			in->flags & M_STORE ? "store to" : "load from", (unsigned long long)*addr);
		return false;
	}
	*addr &= ~(uint64_t)3;
	return true;
}

/* The offset in a register: of private memory in units of 64 bytes. */
static uint64_t offset_of(const emu_wave *w, const emu_in *in)
{
	uint64_t at = (uint64_t)(int64_t)in->offset;
	if (in->src[1].kind != O_NONE)
		at += (uint64_t)emu_rs32(w, &in->src[1]) * (in->flags & M_SCRATCH ? 64 : 1);
	return at;
}

static void *smem_at(emu_wave *w, const emu_in *in)
{
	uint64_t addr = emu_rs64(w, &in->src[0]) + offset_of(w, in);
	return align_dwords(w, in, &addr) ? emu_global_at(w, in, -1, addr, in->size, in->flags & M_STORE) : NULL;
}

const emu_in *h_smem(emu_wave *w, const emu_in *in)
{
	const void *p = smem_at(w, in);
	if (!p)
		return NULL;
	if (in->size < 4)
		w->s[in->dst.reg] = load_small(p, in->size, in->flags & M_SIGNED);
	else
		for (uint32_t k = 0; k < in->size; k += 4)
			w->s[in->dst.reg + k / 4] = (uint32_t)fetch((const char *)p + k, 4);
	return in->next;
}

const emu_in *h_smem_store(emu_wave *w, const emu_in *in)
{
	char *p = smem_at(w, in);
	for (uint32_t k = 0; p && k < in->size; k += 4)
		put(p + k, 4, w->s[in->src[2].reg + k / 4]);
	return p ? in->next : NULL;
}

/* The new value, then what to compare with; the old one comes back. p NULL: out of range. */
static const emu_in *scalar_atomic(emu_wave *w, const emu_in *in, void *p)
{
	const uint32_t *s = &w->s[in->src[2].reg];
	uint64_t value[2] = { s[0], 0 }, old = 0;
	if (in->size == 8)
		value[0] |= (uint64_t)s[1] << 32;
	if (in->aop == A_CMPSWAP)
		value[1] = in->size == 8 ? (uint64_t)s[3] << 32 | s[2] : s[1];
	if (p && (uintptr_t)p % in->size)
		return emu_fault_at(w, in, -1, (uint64_t)(uintptr_t)p, "misaligned %u-byte atomic", in->size);
	if (p)
		old = emu_atomic_do((emu_atomic)in->aop, p, in->size, value[0], value[1], 0);
	if (!(in->flags & M_RTN))
		return in->next;
	w->s[in->dst.reg] = (uint32_t)old;
	if (in->size == 8)
		w->s[in->dst.reg + 1] = (uint32_t)(old >> 32);
	return in->next;
}

const emu_in *h_smem_atomic(emu_wave *w, const emu_in *in)
{
	void *p = smem_at(w, in);
	return p ? scalar_atomic(w, in, p) : NULL;
}

/* A scalar access behind a descriptor: its base, its bytes, and where in them. RDNA3 8.1.4. */
typedef struct range {
	uint64_t base, size, at;
} range;

static bool range_of(emu_wave *w, const emu_in *in, range *r)
{
	const uint32_t *s = &w->s[in->src[0].reg];
	uint64_t stride = s[1] >> 16 & 0x3fff, addr;
	*r = (range){ (uint64_t)(s[1] & 0xffff) << 32 | s[0], (stride ? stride : 1) * s[2], offset_of(w, in) };
	addr = r->base + r->at;
	if (!align_dwords(w, in, &addr))
		return false;
	r->at -= r->base + r->at - addr;
	return true;
}

/* Is the element at k beyond the descriptor's records? */
static bool is_beyond(const range *r, uint32_t k)
{
	return r->at + k >= r->size || r->at + k < k;
}

/* Dwords beyond the descriptor's records are 0. RDNA3 manual, "Scalar memory": buffer loads out of range. */
const emu_in *h_smem_buffer(emu_wave *w, const emu_in *in)
{
	uint32_t out[16] = { 0 };
	range r;
	if (!range_of(w, in, &r))
		return NULL;
	for (uint32_t k = 0; k < in->size && !is_beyond(&r, k); k += 4) {
		uint32_t n = in->size < 4 ? in->size : 4;
		const void *p = emu_global_at(w, in, -1, r.base + r.at + k, n, false);
		if (!p)
			return NULL;
		out[k / 4] = n < 4 ? load_small(p, n, in->flags & M_SIGNED) : (uint32_t)fetch(p, 4);
	}
	memcpy(&w->s[in->dst.reg], out, in->size < 4 ? 4 : in->size);
	return in->next;
}

const emu_in *h_smem_buffer_store(emu_wave *w, const emu_in *in)
{
	range r;
	if (!range_of(w, in, &r))
		return NULL;
	for (uint32_t k = 0; k < in->size && !is_beyond(&r, k); k += 4) {
		void *p = emu_global_at(w, in, -1, r.base + r.at + k, 4, true);
		if (!p)
			return NULL;
		put(p, 4, w->s[in->src[2].reg + k / 4]);
	}
	return in->next;
}

const emu_in *h_smem_buffer_atomic(emu_wave *w, const emu_in *in)
{
	range r;
	void *p = NULL;
	if (!range_of(w, in, &r))
		return NULL;
	if (!is_beyond(&r, in->size - 4u) && !(p = emu_global_at(w, in, -1, r.base + r.at, in->size, true)))
		return NULL;
	return scalar_atomic(w, in, p);
}

/* A counter of 100 MHz. */
const emu_in *h_time(emu_wave *w, const emu_in *in)
{
	emu_ws64(w, &in->dst, (uint64_t)(emu_now() * 1e8));
	return in->next;
}

/* Of the messages that answer: MSG_RTN_GET_REALTIME. */
const emu_in *h_rtn(emu_wave *w, const emu_in *in)
{
	uint64_t now = (uint64_t)(emu_now() * 1e8);
	if (in->src[0].imm != 0x83)
		return emu_fault_at(w, in, -1, 0, "message 0x%x is not emulated", (unsigned)in->src[0].imm);
	if (in->dst.width == 1)
		w->s[in->dst.reg] = (uint32_t)now;
	else
		emu_ws64(w, &in->dst, now);
	return in->next;
}

const emu_in *h_waveid(emu_wave *w, const emu_in *in)
{
	w->s[in->dst.reg] = w->index;
	return in->next;
}
