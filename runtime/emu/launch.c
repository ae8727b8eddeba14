/* launch.c -- from an AQL packet and a kernel descriptor to running waves: registers preset as
 * the hardware does, workgroups handed to host threads, results gathered.
 * Needs a loaded object's code at the descriptor's entry; leaves emu_result.
 * LLVM's AMDGPU guide, "Kernel Dispatch", "Initial Kernel Execution State", "Kernel Descriptor". */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/object.h"

enum {
	KD_PRIVATE_BUFFER = 1,
	KD_DISPATCH_PTR = 2,
	KD_QUEUE_PTR = 4,
	KD_KERNARG_PTR = 8,
	KD_DISPATCH_ID = 16,
	KD_FLAT_SCRATCH_INIT = 32,
	KD_PRIVATE_SIZE = 64,
	KD_WAVE32 = 1 << 10
};
enum {
	RSRC2_SCRATCH = 1,
	RSRC2_WG_X = 1 << 7,
	RSRC2_WG_Y = 1 << 8,
	RSRC2_WG_Z = 1 << 9,
	RSRC2_WG_INFO = 1 << 10
};
enum { MAX_BLOCK = 1024, QUEUE_BYTES = 256, PACKET_BYTES = 64, MAX_SCRATCH = 2 << 20 };

static uint32_t get32(const uint8_t *p) { uint32_t x; memcpy(&x, p, 4); return x; }
static uint64_t get64(const uint8_t *p) { uint64_t x; memcpy(&x, p, 8); return x; }
static uint32_t get16(const uint8_t *p) { uint16_t x; memcpy(&x, p, 2); return x; }
static void put16(uint8_t *p, uint32_t x) { uint16_t h = (uint16_t)x; memcpy(p, &h, 2); }
static void put32(uint8_t *p, uint32_t x) { memcpy(p, &x, 4); }
static void put64(uint8_t *p, uint64_t x) { memcpy(p, &x, 8); }

/* Where a wave's private memory would lie, had it an address: the kernel's prologue adds the
 * offset. */
static uint64_t scratch_offset(const emu_wave *w)
{
	return (uint64_t)w->index * w->scratch_stride * w->lanes;
}

static uint32_t user_sgprs(emu_wave *w, const emu_launch_state *l)
{
	uint32_t at = 0;
#define PUT64(bit, x) \
	if (l->properties & (bit)) { \
		w->s[at++] = (uint32_t)(x); \
		w->s[at++] = (uint32_t)((x) >> 32); \
	}
	if (l->properties & KD_PRIVATE_BUFFER) {
		/* swizzled by lane in elements of 4 bytes, as the runtime sets it up */
		w->s[at++] = (uint32_t)EMU_SCRATCH_BASE;
		w->s[at++] = (uint32_t)(EMU_SCRATCH_BASE >> 32) | (uint32_t)1 << 31;
		w->s[at++] = UINT32_MAX;
		w->s[at++] = 1u << 19 | (w->lanes == 64 ? 3u : 2u) << 21 | 1u << 23;
	}
	PUT64(KD_DISPATCH_PTR, l->packet)
	PUT64(KD_QUEUE_PTR, l->queue)
	PUT64(KD_KERNARG_PTR, l->kernarg)
	PUT64(KD_DISPATCH_ID, (uint64_t)0)
	PUT64(KD_FLAT_SCRATCH_INIT, EMU_SCRATCH_BASE)
	if (l->properties & KD_PRIVATE_SIZE)
		w->s[at++] = l->scratch;
#undef PUT64
	uint32_t told = l->rsrc2 >> 1 & 31;      /* may be more than are used: padding of gfx1100 */
	return told > at ? told : at;
}

static void system_sgprs(emu_wave *w, const emu_launch_state *l, uint32_t at)
{
	const p2a_target *t = &l->dev->target;
	const emu_group *g = w->group;
	if (t->ttmp_wgid) {
		w->s[R_TTMP + 9] = g->id[0];
		w->s[R_TTMP + 7] = g->id[1] | g->id[2] << 16;
	}
	for (unsigned k = 0; k < 3 && !t->ttmp_wgid; k++)
		if (l->rsrc2 & (uint32_t)RSRC2_WG_X << k)
			w->s[at++] = g->id[k];
	if (l->rsrc2 & RSRC2_WG_INFO)
		w->s[at++] = g->nwaves;
	if (l->rsrc2 & RSRC2_SCRATCH && !t->arch_scratch) {
		w->s[at++] = (uint32_t)scratch_offset(w);
		w->scratch_init = EMU_SCRATCH_BASE + scratch_offset(w);
	}
}

/* Work-item ids: v0 x, v1 y, v2 z as far as asked for, or all three packed into v0. */
static void item_ids(emu_wave *w, const emu_launch_state *l)
{
	const emu_group *g = w->group;
	uint32_t dims = (l->rsrc2 >> 11 & 3) + 1;
	for (uint32_t i = 0; i < w->lanes; i++) {
		uint32_t flat = w->index * w->lanes + i;
		uint32_t id[3] = { flat % g->size[0], flat / g->size[0] % g->size[1],
			flat / g->size[0] / g->size[1] };
		if (l->dev->target.packed_tid)
			w->v[i] = id[0] | id[1] << 10 | (id[2] & 1023) << 20;
		else
			for (uint32_t k = 0; k < dims && k < 3 && k < w->nvgpr; k++)
				w->v[(k << w->shift) + i] = id[k];
	}
}

void emu_init_wave(emu_wave *w, uint32_t items)
{
	const emu_launch_state *l = w->thread->launch;
	const p2a_target *t = &l->dev->target;
	for (uint32_t i = 0; i < EMU_SGPRS; i++)
		w->s[i] = EMU_GARBAGE;
	memset(w->s + EMU_SGPRS, 0, (R_COUNT - EMU_SGPRS) * sizeof *w->s);
	for (size_t i = 0; i < (size_t)w->nvgpr << w->shift; i++)
		w->v[i] = EMU_GARBAGE;
	for (size_t i = 0; i < (size_t)w->nagpr << w->shift; i++)
		emu_vgpr(w, EMU_ACC)[i] = EMU_GARBAGE;
	w->s[R_SHARED_BASE + 1] = (uint32_t)(EMU_SHARED_APERTURE >> 32);
	w->s[R_SHARED_LIMIT + 1] = (uint32_t)(EMU_SHARED_APERTURE >> 32);
	w->s[R_SHARED_LIMIT] = UINT32_MAX;
	w->s[R_PRIVATE_BASE + 1] = (uint32_t)(EMU_PRIVATE_APERTURE >> 32);
	w->s[R_PRIVATE_LIMIT + 1] = (uint32_t)(EMU_PRIVATE_APERTURE >> 32);
	w->s[R_PRIVATE_LIMIT] = UINT32_MAX;
	uint64_t e = items >= w->lanes ? w->lane_mask : ((uint64_t)1 << items) - 1;
	w->s[R_EXEC] = (uint32_t)e;
	w->s[R_EXEC + 1] = (uint32_t)(e >> 32);
	w->scratch_init = 0;
	system_sgprs(w, l, user_sgprs(w, l));
	item_ids(w, l);
	emu_init_vx(w, t->family == ISA_GFX9 ? 0 : 0xffff0000, l->dev->check == EMU_CHECK_ALL);
	emu_set_mode(w, (l->rsrc1 >> 12 & 0xff) | (l->rsrc1 >> 21 & 1) << 8 | (l->rsrc1 >> 26 & 1) << 23 |
		(t->family == ISA_GFX12 ? 0 : (l->rsrc1 >> 23 & 1) << 9));
	w->state = W_READY;
	w->phase = w->signalled = 0;
	w->polls = 0;
	w->queued = false;
	w->pc = l->entry;
	w->code = l->code;
}

static void add_stats(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	emu_stats *s = l->stats;
	uint64_t *to[EMU_CLASSES] = { &s->valu, &s->salu, &s->vmem, &s->smem, &s->lds, &s->branch,
		&s->other };
	pthread_mutex_lock(&l->lock);
	for (unsigned i = 0; i < EMU_CLASSES; i++) {
		*to[i] += t->count[i];
		s->total += t->count[i];
	}
	s->lane_ops += t->lane_ops;
	s->waves += t->waves;
	s->workgroups += t->groups;
	pthread_mutex_unlock(&l->lock);
}

void emu_out_of_memory(emu_launch_state *l)
{
	pthread_mutex_lock(&l->lock);
	if (l->status == EMU_OK)
		l->status = EMU_ENOMEM;
	atomic_store(&l->stop_at, 0);
	pthread_mutex_unlock(&l->lock);
}

static void *work(void *arg)
{
	emu_launch_state *l = arg;
	emu_thread *t = calloc(1, sizeof *t);
	int round = fegetround();
	fesetround(FE_TONEAREST);
	if (t) {
		t->launch = l;
		t->table = emu_table_of(l->dev);
		t->round = FE_TONEAREST;
		emu_serve(t);
		add_stats(t);
		emu_free_thread(t);
	} else
		emu_out_of_memory(l);
	free(t);
	fesetround(round);
	return NULL;
}

/* Runs all workgroups: on this thread, and on as many more as pay. */
static void run_all(emu_launch_state *l)
{
	pthread_t more[64];
	unsigned n = 0, want = l->dev->threads;
	if (want > l->ngroups)
		want = (unsigned)l->ngroups;
	if (want > l->most)
		want = l->most;
	atomic_store(&l->threads, want);
	while (n + 1 < want && n < 64 && !pthread_create(&more[n], NULL, work, l))
		n++;
	atomic_fetch_sub(&l->threads, want - n - 1);
	work(l);
	while (n)
		pthread_join(more[--n], NULL);
}

static emu_status bad_launch(emu_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static emu_status bad_launch(emu_result *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->error.text, sizeof r->error.text, fmt, ap);
	va_end(ap);
	return EMU_EARG;
}

/* Grid and block from the packet's bytes. */
static emu_status read_packet(emu_launch_state *l, const uint8_t *p, emu_result *r)
{
	uint32_t items = 1;
	l->ngroups = 1;
	for (unsigned k = 0; k < 3; k++) {
		l->block[k] = get16(p + 4 + 2 * k);
		l->grid[k] = get32(p + 12 + 4 * k);
		if (!l->block[k] || !l->grid[k])
			return bad_launch(r, "a dimension of the grid or the block is 0");
		if (l->block[k] > MAX_BLOCK || (items *= l->block[k]) > MAX_BLOCK)
			return bad_launch(r, "more than %d work-items a workgroup", MAX_BLOCK);
		l->groups[k] = (uint32_t)(((uint64_t)l->grid[k] + l->block[k] - 1) / l->block[k]);
		if (l->ngroups > ((uint64_t)1 << 48) / l->groups[k])
			return bad_launch(r, "too many workgroups");
		l->ngroups *= l->groups[k];
	}
	l->scratch = get32(p + 24);
	l->lds = get32(p + 28);
	l->kernel_object = get64(p + 32);
	l->kernarg = get64(p + 40);
	if (l->lds > l->dev->target.lds)
		return bad_launch(r, "%u bytes of LDS; %s has %u", l->lds, l->dev->target.name,
			l->dev->target.lds);
	if (l->scratch > MAX_SCRATCH)
		return bad_launch(
			r, "%u bytes of scratch a lane; at most %d", l->scratch, MAX_SCRATCH);
	return EMU_OK;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The accumulation registers of gfx90a and gfx942 are what is left of the file behind ACCUM_OFFSET; gfx908 has as many as
 * others. LLVM's user guide, "Code Object V3 Kernel Descriptor" and "COMPUTE_PGM_RSRC3"; CDNA2 1.2, CDNA1 7. */
static void registers_of(emu_launch_state *l)
{
	const p2a_target *t = &l->dev->target;
	uint32_t granule = t->family == ISA_GFX9 ? t->vgpr_granule : l->lanes == 32 ? 8 : 4;
	if (t->family != ISA_GFX9 && l->lanes == t->wave)
		granule = t->vgpr_granule;
	uint32_t all = ((l->rsrc1 & 63) + 1) * granule, accum = ((l->rsrc3 & 63) + 1) * 4;
	bool has_acc = t->features & ISA_FT_BIT(ISA_FT_ACC);
	l->nvgpr = t->accum_offset ? least(all, accum) : all;
	l->nagpr = t->accum_offset ? all - l->nvgpr : has_acc ? all : 0;
	l->nvgpr = least(l->nvgpr, t->vgprs);
	l->nagpr = least(l->nagpr, t->vgprs);
	/* The field counts eights, but they are given by sixteens. */
	l->nsgpr = t->sgpr_granule ? ((l->rsrc1 >> 6 & 15) / 2 + 1) * 16 : EMU_SGPRS;
}

/* The descriptor must lie in a live buffer and point to loaded code. */
static emu_status read_descriptor(emu_launch_state *l, emu_result *r)
{
	emu_device *d = l->dev;
	emu_buffer b;
	if (!emu_table_find(emu_table_of(d), l->kernel_object, &b) || b.hi - l->kernel_object < 64)
		return bad_launch(r, "kernel object 0x%llx is not in device memory",
			(unsigned long long)l->kernel_object);
	const uint8_t *kd = (const uint8_t *)(uintptr_t)l->kernel_object;
	l->entry_addr = l->kernel_object + get64(kd + 16);
	l->rsrc3 = get32(kd + 44);
	l->rsrc1 = get32(kd + 48);
	l->rsrc2 = get32(kd + 52);
	l->properties = get16(kd + 56);
	l->lanes = l->properties & KD_WAVE32 && d->target.wave_bits & 32 ? 32 : 64;
	if (!(d->target.wave_bits & l->lanes))
		return bad_launch(r, "%s has no waves of %u lanes", d->target.name, l->lanes);
	l->code = emu_find_code(d, l->entry_addr);
	l->entry = l->code ? emu_in_at(l->code, l->entry_addr) : NULL;
	if (!l->entry)
		return bad_launch(
			r, "kernel entry 0x%llx is not code", (unsigned long long)l->entry_addr);
	l->name = "";
	for (size_t i = 0; i < l->code->object->nkernels; i++)
		if (l->code->object->kernel[i].descriptor == l->kernel_object)
			l->name = l->code->object->kernel[i].name;
	registers_of(l);
	l->max_waves = (l->block[0] * l->block[1] * l->block[2] + l->lanes - 1) / l->lanes;
	return EMU_OK;
}

/* A queue that only says where the apertures are: amd_queue_t, offsets 64 and 68. */
static void fill_queue(uint8_t *q)
{
	put32(q + 64, (uint32_t)(EMU_SHARED_APERTURE >> 32));
	put32(q + 68, (uint32_t)(EMU_PRIVATE_APERTURE >> 32));
}

static emu_status run_launch(emu_launch_state *l, emu_result *r)
{
	emu_status s = read_descriptor(l, r);
	if (s != EMU_OK)
		return s;
	double start = emu_now();
	l->deadline = l->dev->timeout > 0 ? start + l->dev->timeout : 0;
	l->fault = &r->fault;
	l->stats = &r->stats;
	atomic_init(&l->next_group, 0);
	atomic_init(&l->stop_at, UINT64_MAX);
	atomic_init(&l->stop_ms, 0);
	atomic_init(&l->under_way, 0);
	atomic_init(&l->crowded, false);
	atomic_init(&l->moves, 0);
	emu_hold(l);
	pthread_mutex_init(&l->lock, NULL);
	run_all(l);
	pthread_mutex_destroy(&l->lock);
	r->stats.seconds = emu_now() - start;
	if (l->status == EMU_ENOMEM)
		snprintf(r->error.text, sizeof r->error.text, "out of memory");
	return l->status;
}

emu_status emu_dispatch(emu_device *d, const void *packet, emu_result *r)
{
	emu_launch_state l = { .dev = d };
	emu_running mark;
	uint64_t made = 0;
	uint8_t p[PACKET_BYTES];
	if (!r)
		return EMU_EARG;
	memset(r, 0, sizeof *r);
	if (!d || !packet)
		return bad_launch(r, "no device or no packet");
	memcpy(p, packet, sizeof p);
	emu_status s = read_packet(&l, p, r);
	if (s != EMU_OK)
		return s;
	/* The kernel may read its packet: where the caller's is not device memory, a copy is. */
	uint64_t at = (uint64_t)(uintptr_t)packet;
	emu_buffer b;
	made = emu_alloc(d, QUEUE_BYTES + PACKET_BYTES);
	if (!made) {
		bad_launch(r, "out of memory");
		return EMU_ENOMEM;
	}
	fill_queue((uint8_t *)(uintptr_t)made);
	memcpy((uint8_t *)(uintptr_t)made + QUEUE_BYTES, p, sizeof p);
	emu_enter(d, &mark);
	bool there = emu_table_find(emu_table_of(d), at, &b) && b.hi - at >= sizeof p;
	l.queue = made;
	l.packet = there ? at : made + QUEUE_BYTES;
	s = run_launch(&l, r);
	emu_leave(d, &mark);
	emu_retire(d, made);
	return s;
}

/* Hidden arguments: what a launcher tells a kernel unasked. */
static uint64_t hidden(
	emu_arg_kind k, const emu_launch_config *c, const uint32_t grid[3], const uint32_t block[3])
{
	switch (k) {
	case EMU_ARG_BLOCK_COUNT_X: case EMU_ARG_BLOCK_COUNT_Y: case EMU_ARG_BLOCK_COUNT_Z:
		return grid[k - EMU_ARG_BLOCK_COUNT_X];
	case EMU_ARG_GROUP_SIZE_X: case EMU_ARG_GROUP_SIZE_Y: case EMU_ARG_GROUP_SIZE_Z:
		return block[k - EMU_ARG_GROUP_SIZE_X];
	case EMU_ARG_GRID_DIMS:
		return grid[2] * block[2] > 1 ? 3 : grid[1] * block[1] > 1 ? 2 : 1;
	case EMU_ARG_DYNAMIC_LDS_SIZE: return c->dynamic_lds;
	case EMU_ARG_PRIVATE_BASE: return EMU_PRIVATE_APERTURE >> 32;
	case EMU_ARG_SHARED_BASE: return EMU_SHARED_APERTURE >> 32;
	/* offsets, remainders, buffers of services that are not there */
	default: return 0;
	}
}

static void fill_args(uint8_t *p, size_t cap, const emu_kernel *k, const emu_launch_config *c,
	const uint32_t grid[3], const uint32_t block[3])
{
	if (c->args_size)
		memcpy(p, c->args, c->args_size < cap ? c->args_size : cap);
	for (size_t i = 0; i < k->nargs; i++) {
		const emu_arg *a = &k->args[i];
		uint64_t x = hidden(a->kind, c, grid, block);
		size_t n = a->size < 8 ? a->size : 8;
		if (a->kind >= EMU_ARG_GLOBAL_OFFSET_X && a->offset <= cap && n <= cap - a->offset)
			memcpy(p + a->offset, &x, n);
	}
}

emu_status emu_launch(emu_device *d, const emu_kernel *k, const emu_launch_config *c, emu_result *r)
{
	uint32_t grid[3], block[3];
	uint8_t p[PACKET_BYTES] = { 0 };
	if (!r)
		return EMU_EARG;
	memset(r, 0, sizeof *r);
	if (!d || !k || !c || (c->args_size && !c->args) || k->object->dev != d)
		return bad_launch(r, "no device, kernel or arguments");
	for (unsigned i = 0; i < 3; i++) {
		grid[i] = c->grid[i] ? c->grid[i] : 1;
		block[i] = c->block[i] ? c->block[i] : 1;
		if (block[i] > MAX_BLOCK || (uint64_t)grid[i] * block[i] > UINT32_MAX)
			return bad_launch(r, "grid or block is too large");
		put16(p + 4 + 2 * i, block[i]);
		put32(p + 12 + 4 * i, grid[i] * block[i]);
	}
	if (k->max_workgroup && (uint64_t)block[0] * block[1] * block[2] > k->max_workgroup)
		return bad_launch(r, "%u work-items a workgroup; kernel %.100s allows %u",
			block[0] * block[1] * block[2], k->name, k->max_workgroup);
	if (c->dynamic_lds > UINT32_MAX - k->group_size)
		return bad_launch(r, "too much LDS");
	put16(p + 2, grid[2] * block[2] > 1 ? 3 : grid[1] * block[1] > 1 ? 2 : 1);
	put32(p + 24, k->private_size + (k->dynamic_stack ? EMU_DYNAMIC_STACK : 0));
	put32(p + 28, k->group_size + c->dynamic_lds);
	put64(p + 32, k->descriptor);
	size_t cap = k->kernarg_size > c->args_size ? k->kernarg_size : c->args_size;
	uint64_t args = emu_alloc(d, cap);
	if (!args) {
		bad_launch(r, "out of memory");
		return EMU_ENOMEM;
	}
	fill_args((uint8_t *)(uintptr_t)args, cap, k, c, grid, block);
	put64(p + 40, args);
	emu_status s = emu_dispatch(d, p, r);
	emu_retire(d, args);
	return s;
}
