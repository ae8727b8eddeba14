/* wave.c -- see wave.h. A launch and a thread that begin nothing, for the instructions' handlers to look at. */
#include "wave.h"

static emu_wave *
new_wave(t_wave *x, const t_code *c)
{
	emu_wave *w = aligned_alloc(64, sizeof *w);

	if (!w)
		abort();
	memset(w, 0, sizeof *w);
	w->thread = &x->thread;
	w->group = &x->group;
	w->lanes = x->launch.lanes;
	w->shift = w->lanes == 32 ? 5 : 6;
	w->lane_mask = w->lanes == 32 ? UINT32_MAX : UINT64_MAX;
	w->nvgpr = c->vgprs;
	w->nsgpr = EMU_SGPRS;
	w->v = aligned_alloc(64, ((size_t)w->nvgpr << w->shift) * sizeof *w->v);
	if (!w->v)
		abort();
	return w;
}

bool
t_wave_open(t_wave *x, const t_code *c)
{
	memset(x, 0, sizeof *x);
	if (!t_load(&x->r, c, &(emu_config){ .target = c->t->name, .check = EMU_CHECK_ALL }))
		return false;
	x->launch.dev = x->r.dev;
	x->launch.lanes = c->t->wave;
	x->launch.name = "k";
	x->launch.fault = &x->r.r.fault;
	x->launch.block[0] = x->launch.grid[0] = x->launch.groups[0] = c->t->wave;
	x->launch.rsrc1 = c->mode << 12;
	x->entry = x->r.k->entry;
	x->launch.code = emu_find_code(x->r.dev, x->entry);
	x->launch.entry = emu_in_at(x->launch.code, x->entry);
	pthread_mutex_init(&x->launch.lock, NULL);
	x->thread.launch = &x->launch;
	x->group.patience = UINT32_MAX;     /* never gives way */
	for (unsigned k = 0; k < 3; k++)
		x->group.size[k] = k ? 1 : c->t->wave;
	x->w = new_wave(x, c);
	emu_init_wave(x->w, c->t->wave);
	x->watch = emu_watch_new(x->w);
	return true;
}

void
t_wave_close(t_wave *x)
{
	if (x->w) {
		free(x->w->v);
		emu_watch_free(x->watch);
		free(x->w);
		pthread_mutex_destroy(&x->launch.lock);
	}
	t_unload(&x->r);
}

bool
t_wave_run(t_wave *x, size_t word, bool watched)
{
	emu_wave *w = x->w;
	const emu_in *in = emu_in_at(x->launch.code, x->entry + 4 * word);

	w->state = W_READY;
	w->watch = watched ? x->watch : NULL;
	if (watched)
		emu_watch_reset(w);
	while (in) {
		emu_fn fn = in->fn ? in->fn : emu_decode(w->code, in);

		if (watched && !emu_watch_step(w, in))
			return false;
		in = fn(w, in);
	}
	return w->state == W_DONE;
}
