/* mem.c -- vector memory instructions: addresses, checks, loads, stores, atomics.
 * Needs decoded instructions (src[0] address, src[1] data, src[2] scalar address) and the launch's table of buffers; a bad
 * access stops the launch with the lane that made it.
 * Vega ISA manual chapters 8 (buffers) and 9 (flat, global, scratch); RDNA3 9 and 11. */
#include <fenv.h>

#include "emu/access.h"

/* Looks an address up in the table; remembers the buffer. A buffer may be newer than our table. */
static bool find(emu_thread *t, uint64_t addr)
{
	if (emu_table_find(t->table, addr, &t->hit))
		return true;
	const emu_table *now = emu_table_of(t->launch->dev);
	if (now == t->table)
		return false;
	t->table = now;
	return emu_table_find(now, addr, &t->hit);
}

/* Says how the address misses the buffers: names the nearest one below it. */
static void *bad_access(
	emu_wave *w, const emu_in *in, int lane, uint64_t addr, uint32_t size, bool write)
{
	emu_buffer b = { 0 };
	const char *verb = write ? "store to" : "load from";
	unsigned long long at = addr;
	bool near = emu_table_below(w->thread->table, addr, &b);
	unsigned long long bytes = b.hi - b.lo;
	if (near && addr < b.hi && write && !b.writable)
		emu_fault_at(w, in, lane, addr, "%u-byte store to 0x%llx, which is read-only%s",
			size, at, b.code ? " (code)" : "");
	else if (near && addr < b.hi)
		emu_fault_at(w, in, lane, addr,
			"%u-byte %s 0x%llx runs over the end of a buffer of %llu bytes", size, verb,
			at, bytes);
	else if (near && addr - b.hi < 4096)
		emu_fault_at(w, in, lane, addr,
			"%u-byte %s 0x%llx, %llu bytes behind a buffer of %llu bytes", size, verb,
			at, (unsigned long long)(addr - b.hi), bytes);
	else
		emu_fault_at(w, in, lane, addr, "%u-byte %s 0x%llx, outside every buffer", size,
			verb, at);
	return NULL;
}

/* Host memory behind a global address; NULL: faulted. */
static inline void *global_at(
	emu_wave *w, const emu_in *in, int lane, uint64_t addr, uint32_t size, bool write)
{
	emu_thread *t = w->thread;
	if (addr - t->hit.lo >= t->hit.hi - t->hit.lo && !find(t, addr))
		return bad_access(w, in, lane, addr, size, write);
	if (size > t->hit.hi - addr || (write && !t->hit.writable))
		return bad_access(w, in, lane, addr, size, write);
	return (void *)(uintptr_t)(addr + t->hit.host);
}

void *emu_global_at(emu_wave *w, const emu_in *in, int lane, uint64_t addr, uint32_t size, bool write)
{
	return global_at(w, in, lane, addr, size, write);
}

static void *scratch_bytes(
	emu_wave *w, const emu_in *in, int lane, uint64_t off, uint32_t size, bool write)
{
	if (off >= w->scratch_size || size > w->scratch_size - off) {
		emu_fault_at(w, in, lane, off,
			"%u-byte %s scratch offset 0x%llx; a lane has %u bytes", size,
			write ? "store to" : "load from", (unsigned long long)off, w->scratch_size);
		return NULL;
	}
	return w->scratch + (size_t)lane * w->scratch_stride + off;
}

/* A lane's private memory. Before the hardware set FLAT_SCRATCH itself, the kernel's prologue
 * had to. */
static void *scratch_at(
	emu_wave *w, const emu_in *in, int lane, uint64_t off, uint32_t size, bool write)
{
	uint64_t set = (uint64_t)w->s[R_FLAT_SCRATCH + 1] << 32 | w->s[R_FLAT_SCRATCH];
	if (w->scratch_init && set != w->scratch_init) {
		emu_fault_at(w, in, lane, off,
			"FLAT_SCRATCH is 0x%llx, should be 0x%llx: not set up by the kernel",
			(unsigned long long)set, (unsigned long long)w->scratch_init);
		return NULL;
	}
	return scratch_bytes(w, in, lane, off, size, write);
}

/* The memory that lane's address means, in the instruction's address space. */
static inline void *locate(
	emu_wave *w, const emu_in *in, int lane, uint64_t addr, uint32_t size, bool write)
{
	if (in->flags & M_SCRATCH)
		return scratch_at(w, in, lane, addr, size, write);
	/* The hardware picks the memory by the register alone, without the offset. */
	uint64_t aperture = (addr - (uint64_t)(int64_t)in->offset) >> 32;
	if (in->flags & M_FLAT && aperture == EMU_SHARED_APERTURE >> 32)
		return emu_lds_at(w, in, lane, (uint32_t)addr, size, write);
	if (in->flags & M_FLAT && aperture == EMU_PRIVATE_APERTURE >> 32)
		return scratch_at(w, in, lane, addr & UINT32_MAX, size, write);
	return global_at(w, in, lane, addr, size, write);
}

/* What a buffer instruction reads of its descriptor and of its scalar offset. */
typedef struct descriptor {
	uint64_t base;               /* 48 bits */
	uint32_t stride, records;    /* bytes; bytes, or elements where there is a stride */
	uint32_t element, indices;   /* of swizzling: bytes an element, elements side by side */
	uint32_t offset;             /* the scalar one */
	bool swizzle, add_lane, scratch;
} descriptor;

static descriptor read_descriptor(const emu_wave *w, const emu_in *in)
{
	const uint32_t *s = &w->s[in->src[2].reg];
	bool gfx9 = w->thread->launch->dev->target.family == ISA_GFX9;
	descriptor d = { .base = (uint64_t)(s[1] & 0xffff) << 32 | s[0], .stride = s[1] >> 16 & 0x3fff, .records = s[2] };
	d.swizzle = s[1] >> 31 || (!gfx9 && s[1] >> 30 & 1);
	d.add_lane = s[3] >> 23 & 1;
	if (gfx9 && d.add_lane)
		d.stride |= (s[3] >> 15 & 15) << 14;
	d.element = gfx9 ? 2u << (s[3] >> 19 & 3) : 4;
	d.indices = 8u << (s[3] >> 21 & 3);
	d.offset = emu_rs32(w, &in->cin);
	d.scratch = d.base - EMU_SCRATCH_BASE < EMU_SCRATCH_BYTES;
	return d;
}

/* Bytes from the descriptor's base; false: out of range. RDNA2 8.1.5, Vega 8.1.5. */
static bool buffer_offset(const descriptor *d, uint32_t index, uint32_t off, uint32_t size, uint64_t *out)
{
	uint64_t at = off;
	if (d->swizzle) {
		uint64_t row = (uint64_t)(index / d->indices) * d->stride + (uint64_t)(off / d->element) * d->element;
		at = row * d->indices + (uint64_t)(index % d->indices) * d->element + off % d->element;
	} else
		at += (uint64_t)index * d->stride;
	*out = at + d->offset;
	if (d->stride)
		return index < d->records && (d->swizzle || off + size <= d->stride);
	return at + d->offset + size <= d->records;
}

/* A lane's place in memory behind a descriptor; *skip: out of range, which reads 0 and writes nothing. The wave's own
 * private memory is linear here: what its descriptor swizzles is undone. */
static void *buffer_at(emu_wave *w, const emu_in *in, const descriptor *d, int lane, bool write, bool *skip)
{
	const emu_opd *v = &in->src[0];
	bool both = v->sel == (P2A_OFFEN | P2A_IDXEN);
	const uint32_t *r = v->kind == O_VGPR ? emu_vgpr(w, v->reg) + lane : NULL;
	uint32_t index = r && v->sel & P2A_IDXEN ? r[0] : 0, size = in->size;
	uint32_t off = (uint32_t)in->offset + (r && v->sel & P2A_OFFEN ? r[both ? w->lanes : 0] : 0);
	uint64_t at;
	*skip = false;
	if (d->scratch) {
		if (d->base != w->scratch_init || !d->add_lane || index || d->offset % (4 * w->lanes)) {
			emu_fault_at(w, in, lane, d->base, "the descriptor is not that of the wave's scratch memory, "
				"or is used otherwise than the calling convention has it");
			return NULL;
		}
		return scratch_bytes(w, in, lane, (uint64_t)off + d->offset / w->lanes, size, write);
	}
	if (!buffer_offset(d, index + (d->add_lane ? (uint32_t)lane : 0), off, size, &at)) {
		*skip = true;
		return NULL;
	}
	return global_at(w, in, lane, d->base + at, size, write);
}

/* Addresses of all lanes. */
static void addresses(emu_wave *w, const emu_in *in, uint64_t out[EMU_LANES])
{
	const emu_opd *v = &in->src[0], *s = &in->src[2];
	uint64_t base = (uint64_t)(int64_t)in->offset;
	bool scratch = in->flags & M_SCRATCH;
	if (s->kind != O_NONE)
		base += scratch ? emu_rs32(w, s) : emu_rs64(w, s);
	const uint32_t *lo = v->kind == O_VGPR ? emu_vgpr(w, v->reg) : NULL,
		       *hi = lo ? lo + w->lanes : NULL;
	/* Before gfx12 scratch registers are unsigned and sums do not wrap: they end up outside. */
	const uint64_t keep = scratch && w->thread->launch->dev->target.family == ISA_GFX12 ?
		UINT32_MAX : UINT64_MAX;
	if (!lo)
		for (uint32_t i = 0; i < w->lanes; i++)
			out[i] = (base + (in->flags & M_TID ? 4 * i : 0)) & keep;
	else if (s->kind != O_NONE || scratch)
		for (uint32_t i = 0; i < w->lanes; i++)
			out[i] = (base + lo[i]) & keep;
	else
		for (uint32_t i = 0; i < w->lanes; i++)
			out[i] = base + ((uint64_t)hi[i] << 32 | lo[i]);
}

/* The common case made quick: dwords, all inside the buffer that was used last. False: nothing
 * was done, or nothing that doing it again would not repeat. */
static bool quick_dwords(emu_wave *w, const uint64_t addr[EMU_LANES], uint32_t *v, bool write)
{
	const emu_buffer b = w->thread->hit;
	uint64_t bad = 0, span = b.hi - b.lo;
	if (span < 4 || (write && !b.writable))
		return false;
	for (uint32_t i = 0; i < w->lanes; i++)
		bad |= (uint64_t)(addr[i] - b.lo > span - 4) & w->mask[i];
	if (bad)
		return false;
	for (uint32_t i = 0; i < w->lanes; i++) {
		if (!w->mask[i])
			continue;
		if (write)
			put((void *)(uintptr_t)(addr[i] + b.host), 4, v[i]);
		else
			v[i] = (uint32_t)fetch((const void *)(uintptr_t)(addr[i] + b.host), 4);
	}
	return true;
}

static const emu_in *buffer_access(emu_wave *w, const emu_in *in, uint32_t *v, bool write)
{
	const descriptor d = read_descriptor(w, in);
	static const uint64_t zero[2];
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		bool skip;
		void *p = buffer_at(w, in, &d, i, write, &skip);
		if (!p && !skip)
			return NULL;
		if (write && !skip)
			get_lane(w, in, v + i, p);
		else if (!write)
			put_lane(w, in, v + i, skip ? zero : p);
	}
	return in->next;
}

const emu_in *h_vmem(emu_wave *w, const emu_in *in)
{
	uint64_t addr[EMU_LANES];
	bool write = in->flags & M_STORE;
	count_lanes(w);
	if (!w->mask_exec)
		return in->next;
	uint32_t *v = emu_vgpr(w, write ? in->src[1].reg : in->dst.reg);
	if (write)
		w->polls = 0;
	if (in->flags & M_BUFFER)
		return buffer_access(w, in, v, write);
	addresses(w, in, addr);
	if (in->size == 4 && !(in->flags & M_SCRATCH) && quick_dwords(w, addr, v, write))
		return in->next;
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		void *p = locate(w, in, i, addr[i], in->size, write);
		if (!p)
			return NULL;
		move_lane(w, in, v + i, p, write);
	}
	return in->next;
}

const emu_in *h_vmem_poll(emu_wave *w, const emu_in *in)
{
	const emu_in *next = h_vmem(w, in);
	return next ? emu_poll(w, next, 1) : NULL;
}

/* Denormals of an f32 addition: LDS goes by MODE (from gfx12 on only where it was not reached by a flat
 * address), memory flushes them, from gfx12 on it keeps them. CDNA2 9.5.2, RDNA3 13.2, RDNA4 13.2. */
static unsigned flushes(const emu_wave *w, const emu_in *in, const void *p)
{
	const emu_group *g = w->group;
	bool gfx12 = w->thread->launch->dev->target.family >= ISA_GFX12, ds = isa_table[in->op].cls == ISA_DS;
	bool lds = (uintptr_t)p - (uintptr_t)g->lds < g->lds_size;
	if (lds)
		return ds || !gfx12 ? w->flush : 0;
	return gfx12 ? 0 : F_IN32 | F_OUT32;    /* of halves none */
}

/* Float additions round to nearest even whatever MODE says. */
static void round_to_nearest(emu_wave *w)
{
	if (w->thread->round == FE_TONEAREST)
		return;
	fesetround(FE_TONEAREST);
	w->thread->round = FE_TONEAREST;
}

static void return_old(emu_wave *w, const emu_in *in, int i, uint64_t old)
{
	uint32_t *d = in->flags & M_RTN ? emu_vgpr(w, in->dst.reg) + i : NULL;
	if (!d)
		return;
	d[0] = (uint32_t)old;
	if (in->size == 8)
		d[w->lanes] = (uint32_t)(old >> 32);
}

/* Did the operation surely leave memory as it was? */
static bool only_looked(emu_atomic op, uint64_t old, uint64_t data, uint64_t cmp)
{
	switch (op) {
	case A_CMPSWAP: return old != cmp || data == cmp;
	case A_SWAP: return old == data;
	case A_ADD: case A_SUB: case A_XOR: return !data;
	case A_OR: return (old | data) == old;
	case A_AND: return (old & data) == old;
	case A_UMAX: return old >= data;
	default: return false;
	}
}

/* One lane's atomic. The data registers hold the new value, then what to compare with. */
bool emu_atomic_lane(emu_wave *w, const emu_in *in, int i, void *p, uint64_t data, uint64_t cmp)
{
	if ((uintptr_t)p % in->size) {
		emu_fault_at(
			w, in, i, (uint64_t)(uintptr_t)p, "misaligned %u-byte atomic", in->size);
		return false;
	}
	unsigned flush = 0;
	if (in->aop == A_FADD || in->aop == A_HADD || in->aop == A_BADD) {
		round_to_nearest(w);
		flush = flushes(w, in, p);
	}
	uint64_t old = emu_atomic_do((emu_atomic)in->aop, p, in->size, data, cmp, flush);
	if (!only_looked((emu_atomic)in->aop, old, data, cmp))
		w->polls = 0;
	return_old(w, in, i, old);
	return true;
}

const emu_in *h_vmem_atomic(emu_wave *w, const emu_in *in)
{
	uint64_t addr[EMU_LANES];
	uint32_t data = in->src[1].reg;
	bool buffer = in->flags & M_BUFFER, skip = false;
	const descriptor d = buffer ? read_descriptor(w, in) : (descriptor){ 0 };
	count_lanes(w);
	if (!buffer)
		addresses(w, in, addr);
	for (uint64_t e = w->mask_exec; e; e &= e - 1) {
		int i = __builtin_ctzll(e);
		void *p = buffer ? buffer_at(w, in, &d, i, true, &skip) : locate(w, in, i, addr[i], in->size, true);
		if (!p && !skip)
			return NULL;
		if (skip) {
			return_old(w, in, i, 0);
			continue;
		}
		uint64_t cmp = in->aop == A_CMPSWAP || in->aop == A_FCMPSWAP
			? lane_value(w, data + in->size / 4u, i, in->size)
			: 0;
		if (!emu_atomic_lane(w, in, i, p, lane_value(w, data, i, in->size), cmp))
			return NULL;
	}
	return in->flags & M_RTN ? emu_poll(w, in->next, 1) : in->next;
}
