/* gws.c -- global wave sync: barriers between waves of all workgroups, by which HIP's cooperative launches wait for the grid.
 * Needs the two dwords of the instruction, which isa/ does not know; leaves waves that give way until the barrier opens.
 * CDNA2 ISA manual 12.12 and RDNA2 12.13, DS_GWS_INIT and DS_GWS_BARRIER. */
#include "emu/machine.h"

enum { GFX9_INIT = 0x99, GFX9_BARRIER = 0x9d, GFX10_INIT = 0x19, GFX10_BARRIER = 0x1d };

static emu_sync *resource(emu_wave *w, const emu_in *in)
{
	return &w->thread->launch->dev->sync[((w->s[R_M0] >> 16) + (uint32_t)in->offset) % EMU_SYNCS];
}

/* Of the first enabled lane. */
static uint32_t value(emu_wave *w, const emu_in *in)
{
	uint64_t exec = emu_exec(w);
	return emu_vgpr(w, in->src[0].reg)[exec ? __builtin_ctzll(exec) : 0];
}

static const emu_in *h_gws_init(emu_wave *w, const emu_in *in)
{
	emu_device *d = w->thread->launch->dev;
	pthread_mutex_lock(&d->lock);
	*resource(w, in) = (emu_sync){ .counter = value(w, in) };
	pthread_mutex_unlock(&d->lock);
	return in->next;
}

/* The wave comes to the barrier: opens it, or is one less to wait for. */
static bool arrive(emu_wave *w, const emu_in *in, emu_sync *s)
{
	if (!s->counter) {
		s->counter = value(w, in);
		s->flag = !s->flag;
		return true;
	}
	s->counter--;
	w->queued = true;
	w->flag = s->flag;
	return false;
}

static const emu_in *h_gws_barrier(emu_wave *w, const emu_in *in)
{
	emu_device *d = w->thread->launch->dev;
	emu_sync *s = resource(w, in);
	pthread_mutex_lock(&d->lock);
	bool open = w->queued ? s->flag != w->flag : arrive(w, in, s);
	pthread_mutex_unlock(&d->lock);
	if (open) {
		w->queued = false;
		return in->next;
	}
	w->pc = in;
	w->gives_way = true;
	return NULL;
}

emu_fn emu_decode_gws(const p2a_target *t, const uint32_t w[2], emu_in *in)
{
	bool gfx9 = t->family == ISA_GFX9;
	uint32_t gds = gfx9 ? 1u << 16 : 1u << 17, op = w[0] >> (gfx9 ? 17 : 18) & 0xff;
	bool init = op == (gfx9 ? GFX9_INIT : GFX10_INIT), barrier = op == (gfx9 ? GFX9_BARRIER : GFX10_BARRIER);
	if (w[0] >> 26 != 0x36 || !(w[0] & gds) || !(init || barrier) || t->family > ISA_GFX10)
		return NULL;
	in->src[0] = (emu_opd){ .kind = O_VGPR, .width = 1, .reg = w[1] & 0xff };
	in->vmax = (uint16_t)(in->src[0].reg + 1);
	in->offset = (int32_t)(w[0] & 0x3f);
	in->next = in + 2;
	return init ? h_gws_init : h_gws_barrier;
}
