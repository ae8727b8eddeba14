/* run.c -- runs a workgroup for a while: waves in turn, barriers, faults.
 * Needs waves set up by launch.c; leaves counts in the thread and the first fault in the launch.
 * Vega ISA manual 4.4 (work-group barrier), RDNA4 4.5 (split barriers). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "emu/object.h"

/* instructions before another wave's turn and a look at the clock */
enum { SLICE = 1 << 14 };
/* for groups before a faulting one to end, or to fault themselves */
enum { GRACE_MS = 2000 };
/* A wave that looks at memory of others more often than once in so many instructions does nothing but wait. */
enum { BUSY = 64 };
enum { SLEEP_LOOKS = 8 };        /* sleeping says so more clearly */

double emu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t now_ms(void) { return (uint64_t)(emu_now() * 1e3); }

/* The text of an instruction, decoded again from its bytes. */
static void inst_text(const emu_code *c, const emu_in *in, char *out, size_t cap)
{
	uint32_t w[P2A_MAX_DWORDS];
	p2a_inst i = { 0 };
	if ((size_t)(in - c->in) >= c->size / 4)
		snprintf(out, cap, "(end of code)");
	else if (emu_read(c, in, w, &i))
		p2a_print(&c->object->dev->target, &i, out, cap);
	else
		snprintf(out, cap, "unknown 0x%08x 0x%08x", w[0], w[1]);
}

static void item_of(const emu_group *g, uint32_t flat, uint32_t out[3])
{
	uint32_t bx = g->size[0], by = g->size[1];
	out[0] = flat % bx;
	out[1] = flat / bx % by;
	out[2] = flat / bx / by;
}

static emu_fault_kind kind_of(const emu_in *in)
{
	if (in->fn == h_unknown || in->fn == h_outside)
		return EMU_FAULT_ILLEGAL;
	if (in->op == OP_s_trap)
		return EMU_FAULT_TRAP;
	if (in->cls == 4 || in->flags & M_SCRATCH)
		return EMU_FAULT_SEGMENT;
	return in->cls == 2 || in->cls == 3 ? EMU_FAULT_MEMORY : EMU_FAULT_OTHER;
}

static void describe(emu_wave *w, const emu_in *in, int lane, emu_fault *f)
{
	const emu_group *g = w->group;
	const emu_launch_state *l = w->thread->launch;
	uint64_t pc = emu_addr_of(w->code, in);
	const char *file = "";
	f->kind = kind_of(in);
	snprintf(f->kernel, sizeof f->kernel, "%s", l->name);
	memcpy(f->workgroup, g->id, sizeof f->workgroup);
	f->wave = w->index;
	f->lane = lane;
	if (lane >= 0)
		item_of(g, w->index * w->lanes + (uint32_t)lane, f->work_item);
	f->pc = w->code == l->code ? pc - l->entry_addr : pc - w->code->addr;
	inst_text(w->code, in, f->instruction, sizeof f->instruction);
	if (emu_find_line(w->code->object, pc, &file, &f->line))
		snprintf(f->file, sizeof f->file, "%s", file);
}

/* The fault of the lowest workgroup is kept, so that the report does not depend on timing. */
static void report(emu_wave *w, const emu_in *in, int lane, uint64_t addr, emu_status s,
	const char *fmt, va_list ap)
{
	emu_launch_state *l = w->thread->launch;
	w->pc = in;
	w->state = W_FAULT;
	pthread_mutex_lock(&l->lock);
	if (l->status == EMU_OK || w->group->index < atomic_load(&l->stop_at)) {
		memset(l->fault, 0, sizeof *l->fault);
		l->status = s;
		l->fault->address = addr;
		describe(w, in, lane, l->fault);
		vsnprintf(l->fault->message, sizeof l->fault->message, fmt, ap);
		if (atomic_load(&l->stop_at) == UINT64_MAX)
			atomic_store(&l->stop_ms, now_ms());
		atomic_store(&l->stop_at, w->group->index);
	}
	pthread_mutex_unlock(&l->lock);
}

const emu_in *emu_fault_at(
	emu_wave *w, const emu_in *in, int lane, uint64_t addr, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(w, in, lane, addr, EMU_EFAULT, fmt, ap);
	va_end(ap);
	return NULL;
}

static void time_out(emu_wave *w, const emu_in *in, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void time_out(emu_wave *w, const emu_in *in, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(w, in, -1, 0, EMU_ETIMEOUT, fmt, ap);
	va_end(ap);
}

const emu_in *h_unknown(emu_wave *w, const emu_in *in)
{
	const char *name = in->op ? p2a_op_name(&w->thread->launch->dev->target, in->op) : NULL;
	return emu_fault_at(
		w, in, -1, 0, "unknown instruction%s%s", name ? " " : "", name ? name : "");
}
const emu_in *h_unclear(emu_wave *w, const emu_in *in)
{
	return emu_fault_at(w, in, -1, 0, "%s is not emulated like this: the manuals do not say what it computes, or contradict themselves",
		p2a_op_name(&w->thread->launch->dev->target, in->op));
}
const emu_in *h_outside(emu_wave *w, const emu_in *in)
{
	return emu_fault_at(w, in, -1, 0, "ran off the end of the code");
}
const emu_in *h_odd_pair(emu_wave *w, const emu_in *in)
{
	return emu_fault_at(w, in, -1, 0, "wide operand in an odd vector register");
}

static void too_many_registers(emu_wave *w, const emu_in *in)
{
	if (in->vmax > w->nvgpr)
		emu_fault_at(w, in, -1, 0, "uses v%u; the kernel has %u vector registers",
			in->vmax - 1u, w->nvgpr);
	else if (in->amax > w->nagpr)
		emu_fault_at(w, in, -1, 0, "uses a%u; the kernel has %u accumulation registers",
			in->amax - 1u, w->nagpr);
	else
		emu_fault_at(w, in, -1, 0, "uses s%u; the kernel has %u scalar registers",
			in->smax - 1u, w->nsgpr);
}

/* Vega 4.2: VOP, buffers, flat, LDS. */
static bool is_vector(const emu_in *in)
{
	return in->cls == 0 || in->cls == 2 || in->cls == 4;
}

const emu_in *emu_poll(emu_wave *w, const emu_in *next, uint32_t looks)
{
	w->polls += looks;
	if (w->polls < w->group->patience)
		return next;
	w->pc = next;
	w->gives_way = true;
	return NULL;
}

const emu_in *h_poll(emu_wave *w, const emu_in *in) { return emu_poll(w, in->next, 1); }
const emu_in *h_sleep(emu_wave *w, const emu_in *in) { return emu_poll(w, in->next, SLEEP_LOOKS); }

/* Runs a wave until it stops, gives way or its slice is over. s_setvskip ends a slice. False: all that it did was to look
 * for what others do. */
static bool run_wave(emu_wave *w)
{
	const emu_in *in = w->pc;
	uint64_t *count = w->thread->count;
	const uint32_t nvgpr = w->nvgpr, nsgpr = w->nsgpr, nagpr = w->nagpr;
	const bool skips = w->mode & EMU_VSKIP, watched = w->watch;
	w->polls = 0;
	w->gives_way = false;
	for (unsigned n = SLICE; n; n--) {
		emu_fn fn = __atomic_load_n(&in->fn, __ATOMIC_ACQUIRE);
		if (!fn)
			fn = emu_decode(w->code, in);
		if (in->vmax > nvgpr || in->smax > nsgpr || in->amax > nagpr) {
			too_many_registers(w, in);
			return true;
		}
		if (skips && is_vector(in)) {
			in = in->next;
			continue;
		}
		if (watched && !emu_watch_step(w, in))
			return true;
		count[in->cls]++;
		const emu_in *next = fn(w, in);
		if (!next)
			return !w->gives_way || SLICE - n > BUSY * w->group->patience;
		in = next;
	}
	w->pc = in;
	return true;
}

/* Opens the barrier when every wave that has not ended has signalled. */
static bool try_open(emu_group *g)
{
	bool any = false;
	for (uint32_t i = 0; i < g->nwaves; i++) {
		const emu_wave *w = &g->wave[i];
		if (w->state == W_DONE)
			continue;
		if (!w->signalled || w->phase != g->phase)
			return false;
		any = true;
	}
	g->phase += any;
	return any;
}

static void wake(emu_group *g)
{
	for (uint32_t i = 0; i < g->nwaves; i++)
		if (g->wave[i].state == W_BARRIER && g->wave[i].signalled &&
			g->wave[i].phase != g->phase)
			g->wave[i].state = W_READY;
}

/* Nothing can run, not all ended: who waits at a barrier that will never open? */
static void endless_barrier(emu_group *g)
{
	uint32_t waiting = 0;
	emu_wave *first = NULL;
	for (uint32_t i = 0; i < g->nwaves; i++)
		if (g->wave[i].state == W_BARRIER) {
			waiting++;
			if (!first || (first->signalled && !g->wave[i].signalled))
				first = &g->wave[i];
		}
	if (first)
		emu_fault_at(first, first->pc, -1, 0, "endless barrier: %u of %u waves wait%s",
			waiting, g->nwaves,
			first->signalled ? "" : ", this one without having signalled");
}

/* Should this group be given up: another one faulted, or time is over? */
static bool abandoned(emu_thread *t, emu_wave *w)
{
	emu_launch_state *l = t->launch;
	uint64_t stop = atomic_load(&l->stop_at);
	if (w->group->index > stop ||
		(stop != UINT64_MAX && now_ms() > atomic_load(&l->stop_ms) + GRACE_MS))
		return true;
	if (!l->deadline || emu_now() < l->deadline)
		return false;
	if (emu_is_crowded(l))
		time_out(w, w->pc, "the kernel did not end within %g seconds; %u of its %llu workgroups are under way, no more "
			"have room on %s: if these wait for others, launch fewer", l->dev->timeout, l->most,
			(unsigned long long)l->ngroups, l->dev->target.name);
	else
		time_out(w, w->pc, "the kernel did not end within %g seconds", l->dev->timeout);
	return true;
}

/* Each wave's turn. */
typedef struct round { uint32_t ready, done; bool moved, ended; } round;

static round run_round(emu_thread *t, emu_group *g)
{
	round r = { 0 };
	for (uint32_t i = 0; i < g->nwaves; i++) {
		emu_wave *w = &g->wave[i];
		if (w->state == W_READY) {
			r.ready++;
			r.moved |= run_wave(w);
		}
		r.ended = w->state == W_FAULT || (w->state == W_READY && abandoned(t, w));
		if (r.ended)
			return r;
		r.done += w->state == W_DONE;
	}
	r.ended = r.done == g->nwaves;
	return r;
}

emu_turn emu_run_group(emu_thread *t, emu_group *g)
{
	/* Groups that end at once would never come to the question in a round. */
	if (abandoned(t, &g->wave[0]))
		return EMU_OVER;
	for (uint32_t n = t->quantum; n; n--) {
		round r = run_round(t, g);
		if (r.ended)
			return EMU_OVER;
		if (try_open(g))
			wake(g);
		else if (!r.ready) {
			endless_barrier(g);
			return EMU_OVER;
		} else if (!r.moved)
			return EMU_WAITS;
	}
	return EMU_MOVES;
}
