/* resident.c -- which workgroups are under way: a host thread takes one after another, and goes on with the next while
 * the waves of one only wait, as long as the chip would hold so many at once.
 * Needs a launch whose descriptor is read; leaves all groups run, or the launch's fault.
 * Groups of a launch may wait for each other if all are on the chip (barriers of the grid): LLVM's AMDGPU guide, "Kernel
 * Dispatch"; how many are: occupancy as in LLVM's AMDGPUBaseInfo, IsaInfo. */
#include <fenv.h>
#include <sched.h>
#include <stdlib.h>

#include "emu/object.h"

enum {
	PATIENCE = 32,           /* looks at memory of others before a wave gives way, */
	PATIENCE_WAITING = 4,    /* and in a group that has waited */
	WAITING = 2,             /* turns, before another group begins */
	/* Rounds of slices after which a group that never gives way lets others go on, should it wait in a manner that
	 * nothing shows: fewer with each that does so. */
	QUANTUM = 64,
	QUANTUM_LEAST = 4
};
static const double STILL = 0.5; /* seconds of waiting before it is asked whether it can end */

/* ---- How many ---------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t up(uint32_t x, uint32_t step) { return (x + step - 1) / step * step; }

/* Waves that a SIMD has registers for. */
static uint32_t simd_waves(const emu_launch_state *l)
{
	const p2a_target *t = &l->dev->target;
	uint32_t vgprs = up(l->nvgpr + (t->accum_offset ? l->nagpr : 0), t->vgpr_alloc);
	uint32_t n = least(t->simd_waves, t->vgpr_file * t->wave / l->lanes / vgprs);
	if (t->sgpr_file)
		n = least(n, t->sgpr_file / l->nsgpr);
	return n ? n : 1;
}

/* Of a wave's vector registers; accumulation registers stand behind all others. */
static size_t register_bytes(uint32_t nvgpr, uint32_t nagpr, uint32_t lanes)
{
	return (size_t)(nagpr ? EMU_ACC + nagpr : nvgpr) * lanes * sizeof(uint32_t);
}

static uint32_t scratch_stride(const emu_launch_state *l) { return up(l->scratch, 16); }

static size_t group_bytes(const emu_launch_state *l)
{
	size_t wave = sizeof(emu_wave) + register_bytes(l->nvgpr, l->nagpr, l->lanes) + (size_t)scratch_stride(l) * l->lanes;
	return sizeof(emu_group) + l->max_waves * wave + 2 * (size_t)l->lds;
}

void emu_hold(emu_launch_state *l)
{
	const p2a_target *t = &l->dev->target;
	uint32_t unit = t->simds * simd_waves(l) / l->max_waves, lds = l->lds ? l->lds : 1;
	if (l->max_waves > 1)
		unit = least(unit, t->unit_barriers);
	unit = least(unit, t->unit_lds / lds);
	l->most = t->cus / t->unit_cus * (unit ? unit : 1);
	uint64_t fit = l->dev->wave_memory / group_bytes(l);
	if (fit < l->most)
		l->most = fit ? (uint32_t)fit : 1;
}

bool emu_is_crowded(emu_launch_state *l)
{
	return atomic_load(&l->crowded) && atomic_load(&l->next_group) < l->ngroups;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static void free_group(emu_group *g, uint32_t nwaves)
{
	for (uint32_t i = 0; g->wave && i < nwaves; i++) {
		free(g->wave[i].v);
		free(g->wave[i].scratch);
		emu_watch_free(g->wave[i].watch);
	}
	free(g->wave);
	free(g->lds);
	free(g->written);
	free(g);
}

void emu_free_thread(emu_thread *t)
{
	while (t->spare) {
		emu_group *next = t->spare->next;
		free_group(t->spare, t->launch->max_waves);
		t->spare = next;
	}
}

static bool new_wave(emu_wave *w, emu_thread *t, uint32_t index)
{
	const emu_launch_state *l = t->launch;
	w->thread = t;
	w->index = index;
	w->lanes = l->lanes;
	w->shift = l->lanes == 32 ? 5 : 6;
	w->lane_mask = l->lanes == 32 ? UINT32_MAX : UINT64_MAX;
	w->nvgpr = l->nvgpr;
	w->nsgpr = l->nsgpr;
	w->nagpr = l->nagpr;
	w->scratch_size = l->scratch;
	w->scratch_stride = scratch_stride(l);
	w->v = aligned_alloc(64, register_bytes(l->nvgpr, l->nagpr, l->lanes));
	w->scratch = w->scratch_stride ? aligned_alloc(64, (size_t)w->scratch_stride * l->lanes)
				       : NULL;
	w->watch = l->dev->check == EMU_CHECK_ALL ? emu_watch_new(w) : NULL;
	return w->v && (w->scratch || !l->scratch) && (w->watch || l->dev->check != EMU_CHECK_ALL);
}

static bool fill_group(emu_group *g, emu_thread *t)
{
	const emu_launch_state *l = t->launch;
	bool all = l->dev->check == EMU_CHECK_ALL;
	g->wave = aligned_alloc(64, l->max_waves * sizeof *g->wave);
	if (g->wave)
		memset(g->wave, 0, l->max_waves * sizeof *g->wave);
	g->lds_size = l->lds;
	g->lds = aligned_alloc(64, (l->lds + 64u) & ~63u);
	g->written = all ? malloc(l->lds + 1) : NULL;
	if (!g->wave || !g->lds || (all && !g->written))
		return false;
	for (uint32_t i = 0; i < l->max_waves; i++) {
		g->wave[i].group = g;
		if (!new_wave(&g->wave[i], t, i))
			return false;
	}
	return true;
}

/* One that ended before, or a new one; NULL: no memory. */
static emu_group *take_group(emu_thread *t)
{
	emu_group *g = t->spare;
	if (g) {
		t->spare = g->next;
		return g;
	}
	g = calloc(1, sizeof *g);
	if (!g || fill_group(g, t))
		return g;
	free_group(g, t->launch->max_waves);
	return NULL;
}

/* ---- Coming and going -------------------------------------------------------------------------- */

/* Sets up one workgroup; at the grid's end it may be smaller than the block. */
static void start_group(emu_thread *t, emu_group *g, uint64_t index)
{
	emu_launch_state *l = t->launch;
	uint64_t rest = index;
	uint32_t items = 1;
	for (unsigned k = 0; k < 3; k++) {
		g->id[k] = (uint32_t)(rest % l->groups[k]);
		rest /= l->groups[k];
		uint32_t left = l->grid[k] - g->id[k] * l->block[k];
		g->size[k] = left < l->block[k] ? left : l->block[k];
		items *= g->size[k];
	}
	g->index = index;
	g->phase = g->idle = 0;
	g->patience = PATIENCE;
	g->nwaves = (items + l->lanes - 1) / l->lanes;
	memset(g->lds, 0xa5, g->lds_size);
	if (g->written)
		memset(g->written, 0, g->lds_size);
	for (uint32_t i = 0; i < g->nwaves; i++) {
		if (g->wave[i].scratch)
			memset(g->wave[i].scratch, 0xa5,
				(size_t)l->lanes * g->wave[i].scratch_stride);
		emu_init_wave(&g->wave[i], items - i * l->lanes);
		if (g->wave[i].watch)
			emu_watch_reset(&g->wave[i]);
	}
	t->waves += g->nwaves;
	t->groups++;
}

/* The group is the next whose turn it is. */
static void link_group(emu_thread *t, emu_group *g)
{
	emu_group *at = t->now ? t->now : g;
	g->next = at;
	g->prev = t->now ? at->prev : g;
	g->prev->next = at->prev = g;
	t->now = g;
	t->under_way++;
}

static void end_group(emu_thread *t, emu_group *g)
{
	t->now = g->next == g ? NULL : g->next;
	g->prev->next = g->next;
	g->next->prev = g->prev;
	t->under_way--;
	g->next = t->spare;
	t->spare = g;
	atomic_fetch_sub(&t->launch->under_way, 1);
}

/* The thread's groups wait no longer: what others know of theirs may change, too. */
static void stir(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	pthread_mutex_lock(&l->lock);
	atomic_fetch_add(&l->moves, 1);
	l->proofs = 0;
	pthread_mutex_unlock(&l->lock);
	t->rests = 0;
}

/* Begins another group. False: there is none, or no room. */
static bool admit(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	if (atomic_load(&l->next_group) >= l->ngroups || atomic_load(&l->next_group) >= atomic_load(&l->stop_at))
		return false;
	uint32_t others = atomic_fetch_add(&l->under_way, 1);
	emu_group *g = others < l->most ? take_group(t) : NULL;
	uint64_t i = g ? atomic_fetch_add(&l->next_group, 1) : 0;
	if (!g && !others)
		emu_out_of_memory(l);
	if (others >= l->most)
		atomic_store(&l->crowded, true);
	if (g && i < l->ngroups && i < atomic_load(&l->stop_at)) {
		start_group(t, g, i);
		link_group(t, g);
		if (t->rests)
			stir(t);
		return true;
	}
	atomic_fetch_sub(&l->under_way, 1);
	if (g) {
		g->next = t->spare;
		t->spare = g;
	}
	return false;
}

/* ---- Waiting for ever -------------------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const void *p, size_t size)
{
	const uint8_t *b = p;
	for (uint64_t x; size >= sizeof x; b += sizeof x, size -= sizeof x) {
		memcpy(&x, b, sizeof x);
		h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

/* All that a group's waves go by, memory outside it apart. Never 0. */
static uint64_t state_of(const emu_group *g)
{
	uint64_t h = hash(1, g->lds, g->lds_size);
	for (uint32_t i = 0; i < g->nwaves; i++) {
		const emu_wave *w = &g->wave[i];
		h = hash(h, &w->pc, sizeof w->pc);
		h = hash(h, w->s, sizeof w->s);
		h = hash(h, w->v, register_bytes(w->nvgpr, w->nagpr, (uint32_t)w->lanes));
		if (w->scratch)
			h = hash(h, w->scratch, (size_t)w->scratch_stride * w->lanes);
	}
	return h | 1;
}

static void forget(emu_thread *t, uint32_t moves)
{
	emu_group *g = t->now;
	for (uint32_t i = 0; i < t->under_way; i++, g = g->next) {
		g->mark = 0;
		g->recurs = false;
	}
	t->recurring = 0;
	t->proved = false;
	t->seen = moves;
	t->since = emu_now();
}

/* Do the groups of all threads come back to states in which they were, without having changed anything? Then they will for
 * ever, if nobody else writes to memory. */
static bool is_endless(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	pthread_mutex_lock(&l->lock);
	bool same = atomic_load(&l->moves) == t->seen;
	if (same && !t->proved && t->recurring == t->under_way) {
		t->proved = true;
		l->proofs++;
	}
	bool endless = same && l->proofs >= atomic_load(&l->threads);
	pthread_mutex_unlock(&l->lock);
	if (!same)
		forget(t, atomic_load(&l->moves));
	return endless;
}

static void fail_endless(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	emu_group *g = t->now;
	for (uint32_t i = 0; i < t->under_way; i++, g = g->next)
		if (g->index < t->now->index)
			t->now = g;
	emu_wave *w = t->now->wave;
	while (w->state != W_READY)
		w++;
	emu_fault_at(w, w->pc, -1, 0, "endless wait: %s holds %u workgroups of this kernel at once, they all wait, and %llu of %llu "
		"have not begun: a barrier of the grid needs all of them", l->dev->target.name, l->most,
		(unsigned long long)(l->ngroups - atomic_load(&l->next_group)), (unsigned long long)l->ngroups);
	atomic_store(&l->stop_ms, 0);    /* no grace: no other group will end */
}

/* All groups of the thread wait, and there is no other: until a group of another thread has done something. */
static void rest(emu_thread *t, emu_group *g)
{
	emu_launch_state *l = t->launch;
	if (!t->rests++)
		forget(t, atomic_load(&l->moves));
	if (t->rests % t->under_way == 0)
		sched_yield();
	if (l->dev->shared || !emu_is_crowded(l) || emu_now() < t->since + STILL)
		return;
	uint64_t state = state_of(g);
	if (!g->mark)
		g->mark = state;
	else if (!g->recurs && g->mark == state) {
		g->recurs = true;
		t->recurring++;
	}
	if (is_endless(t))
		fail_endless(t);
}

/* ---- Turns ------------------------------------------------------------------------------------- */

static void count_idle(emu_thread *t, emu_group *g, emu_turn turn)
{
	bool waited = g->idle >= WAITING;
	g->idle = turn == EMU_WAITS ? g->idle + 1 : 0;
	bool waits = g->idle >= WAITING;
	g->patience = waits ? PATIENCE_WAITING : PATIENCE;
	t->waiting += (uint32_t)waits - (uint32_t)waited;
	if (waited && !waits && t->rests)
		stir(t);
}

void emu_serve(emu_thread *t)
{
	emu_launch_state *l = t->launch;
	t->quantum = QUANTUM;
	admit(t);
	while (t->now) {
		emu_group *g = t->now;
		emu_turn turn = emu_run_group(t, g);
		count_idle(t, g, turn);
		if (turn == EMU_OVER)
			end_group(t, g);
		else
			t->now = g->next;
		if (turn == EMU_MOVES && t->quantum > QUANTUM_LEAST)
			t->quantum /= 2;
		if ((t->waiting == t->under_way || turn == EMU_MOVES) && admit(t))
			continue;
		if (turn == EMU_WAITS && t->waiting == t->under_way)
			rest(t, g);
	}
	pthread_mutex_lock(&l->lock);
	atomic_fetch_sub(&l->threads, 1);
	pthread_mutex_unlock(&l->lock);
}
