/* flow.c -- branches, calls, the wave's end, barriers.
 * Needs branch targets resolved by decode.c; leaves the instruction to run next, or a wave that waits or has ended.
 * Vega ISA manual chapter 4 "Program flow control"; RDNA2 4.2.1 (subvectors); RDNA4 5.6 (barriers). */
#include "emu/salu.h"

#define HANDLER(id) const emu_in *h_##id(emu_wave *w, const emu_in *in)

/* Branches: the target's entry is resolved when the instruction is decoded. */
#define BRANCH(id, cond) HANDLER(id) { return (cond) ? in->target : in->next; }
HANDLER(s_branch) { (void)w; return in->target; }
BRANCH(s_cbranch_scc0, !w->s[R_SCC])
BRANCH(s_cbranch_scc1, w->s[R_SCC])
BRANCH(s_cbranch_vccz, !emu_vcc(w))
BRANCH(s_cbranch_vccnz, emu_vcc(w))
BRANCH(s_cbranch_execz, !emu_exec(w))
BRANCH(s_cbranch_execnz, emu_exec(w))

HANDLER(s_call_b64)
{
	emu_ws64(w, &in->dst, emu_addr_of(w->code, in->next));
	return in->target;
}

static const emu_in *go_to(emu_wave *w, const emu_in *in, uint64_t addr)
{
	const emu_code *c = w->code;
	const emu_in *to = emu_in_at(c, addr);
	if (!to && (c = emu_find_code(w->thread->launch->dev, addr))) {
		to = emu_in_at(c, addr);
		w->code = c;
	}
	if (!to)
		return emu_fault_at(w, in, -1, addr, "jump to 0x%llx, which is not code",
			(unsigned long long)addr);
	return to;
}

HANDLER(s_getpc_b64)
{
	emu_ws64(w, &in->dst, emu_addr_of(w->code, in->next));
	return in->next;
}
HANDLER(s_setpc_b64) { return go_to(w, in, emu_rs64(w, &in->src[0])); }
HANDLER(s_swappc_b64)
{
	uint64_t to = emu_rs64(w, &in->src[0]);
	emu_ws64(w, &in->dst, emu_addr_of(w->code, in->next));
	return go_to(w, in, to);
}

HANDLER(s_endpgm)
{
	w->pc = in;
	w->state = W_DONE;
	return NULL;
}
HANDLER(nothing) { (void)w; return in->next; }
HANDLER(s_sethalt)
{
	if (!(in->src[0].imm & 1))
		return in->next;
	return emu_fault_at(w, in, -1, 0, "the wave halted itself");
}
HANDLER(s_trap)
{
	uint64_t exec = emu_exec(w);
	int lane = exec ? __builtin_ctzll(exec) : -1;

	switch (in->src[0].imm) {
	case ISA_TRAP_STACK:
		return emu_fault_at(w, in, lane, 0, "the stack of a lane is full (recursion or alloca): p2a compile --stack=BYTES gives it more");
	case ISA_TRAP_CALL:
		return emu_fault_at(w, in, lane, 0, "a call to an address that is of no function with such parameters");
	default:
		return emu_fault_at(w, in, lane, 0, "trap %u", (unsigned)in->src[0].imm);
	}
}
HANDLER(s_code_end) { return emu_fault_at(w, in, -1, 0, "ran into the padding behind the code"); }

/* A killed wave ends. RDNA3 5.1. */
HANDLER(s_setkill) { return in->src[0].imm & 1 ? h_s_endpgm(w, in) : in->next; }

/* The stack of a fork: four scalar registers an entry, MODE's highest bits count them. Vega 4.7. */
enum { CSP_SHIFT = 29, CSP_ONE = 1 << CSP_SHIFT };
static uint32_t *fork_entry(emu_wave *w, const emu_in *in)
{
	uint32_t at = 4 * (w->mode >> CSP_SHIFT);
	if (at + 4 <= w->nsgpr && at + 4 <= EMU_SGPRS)
		return &w->s[at];
	emu_fault_at(w, in, -1, 0, "the branch stack is at s%u; the kernel has %u scalar registers", at, w->nsgpr);
	return NULL;
}

/* The smaller part of the lanes goes first, the other is put on the stack with where it goes. */
static const emu_in *divide(emu_wave *w, const emu_in *in, uint64_t mask, uint64_t to)
{
	uint64_t exec = emu_exec(w), pass = mask & exec, fail = ~mask & exec, next = emu_addr_of(w->code, in->next);
	if (pass == exec || fail == exec)
		return pass == exec ? go_to(w, in, to) : in->next;
	bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
	uint32_t *entry = fork_entry(w, in);
	if (!entry)
		return NULL;
	uint64_t later = fail_first ? pass : fail, first = fail_first ? fail : pass, at = fail_first ? to : next;
	memcpy(entry, (uint32_t[]){ (uint32_t)at, (uint32_t)(at >> 32), (uint32_t)later, (uint32_t)(later >> 32) },
		4 * sizeof *entry);
	w->s[R_EXEC] = (uint32_t)first;
	w->s[R_EXEC + 1] = (uint32_t)(first >> 32);
	emu_set_mode(w, w->mode + CSP_ONE);
	return fail_first ? in->next : go_to(w, in, to);
}
HANDLER(s_cbranch_g_fork) { return divide(w, in, emu_rs64(w, &in->src[0]), emu_rs64(w, &in->src[1])); }
HANDLER(s_cbranch_i_fork) { return divide(w, in, emu_rs64(w, &in->src[0]), emu_addr_of(w->code, in->target)); }
HANDLER(s_cbranch_join)
{
	if (w->mode >> CSP_SHIFT == emu_rs32(w, &in->src[0]))
		return in->next;
	emu_set_mode(w, w->mode - CSP_ONE);
	const uint32_t *entry = fork_entry(w, in);
	if (!entry)
		return NULL;
	w->s[R_EXEC] = entry[2];
	w->s[R_EXEC + 1] = entry[3];
	return go_to(w, in, (uint64_t)entry[1] << 32 | entry[0]);
}

/* The halves of a wave of 64 in turn: which one is on shows in EXEC alone. */
HANDLER(s_subvector_loop_begin)
{
	if (!emu_exec(w))
		return in->target;
	w->s[in->dst.reg] = w->s[R_EXEC] ? w->s[R_EXEC + 1] : 0;
	if (w->s[R_EXEC])
		w->s[R_EXEC + 1] = 0;
	return in->next;
}
HANDLER(s_subvector_loop_end)
{
	uint32_t saved = w->s[in->dst.reg];
	if (w->s[R_EXEC + 1]) {
		w->s[R_EXEC] = saved;
		return in->next;
	}
	if (!saved)
		return in->next;
	w->s[R_EXEC + 1] = saved;
	w->s[in->dst.reg] = w->s[R_EXEC];
	w->s[R_EXEC] = 0;
	return in->target;
}

/* Vector instructions are skipped from now on, or no longer: run.c looks at a slice's start. */
HANDLER(s_setvskip)
{
	uint32_t on = emu_rs32(w, &in->src[0]) >> (emu_rs32(w, &in->src[1]) & 31) & 1;
	emu_set_mode(w, (w->mode & ~EMU_VSKIP) | on * EMU_VSKIP);
	w->pc = in->next;
	return NULL;
}

/* Barriers. A wave signals, then waits for the phase to pass; waves that ended do not count
 * (run.c). */
static bool has_signalled(const emu_wave *w)
{
	return w->signalled && w->phase == w->group->phase;
}
static const emu_in *signal_barrier(emu_wave *w, const emu_in *in)
{
	if (has_signalled(w))
		return emu_fault_at(w, in, -1, 0,
			"second signal to a barrier that did not open since the first");
	w->signalled = 1;
	w->phase = w->group->phase;
	return in->next;
}
static const emu_in *wait_barrier(emu_wave *w, const emu_in *in)
{
	emu_group *g = w->group;
	if (w->signalled && w->phase != g->phase) {
		w->signalled = 0;
		return in->next;
	}
	w->pc = in;
	w->state = W_BARRIER;
	return NULL;
}
HANDLER(s_barrier)
{
	if (!w->signalled)
		signal_barrier(w, in);
	return wait_barrier(w, in);
}

/* Barrier -1 is the workgroup's; -2 is the trap handler's and 0 none: what is done to them is nothing. */
enum { BARRIER_GROUP = -1, BARRIER_TRAP = -2, BARRIER_NONE = 0 };
/* RDNA4 5.6 has these alone. */
HANDLER(s_named_barrier)
{
	return emu_fault_at(w, in, -1, 0, "named barriers are not emulated: the manual of gfx12 does not describe them");
}
HANDLER(s_barrier_signal)
{
	int32_t id = (int32_t)emu_rs32(w, &in->src[0]);
	if (id == BARRIER_GROUP)
		return signal_barrier(w, in);
	return id == BARRIER_TRAP || id == BARRIER_NONE ? in->next : h_s_named_barrier(w, in);
}

/* Of the waves that have not ended, those that count and those that have signalled. */
static uint32_t count_waves(const emu_group *g, bool signalled)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->nwaves; i++)
		n += g->wave[i].state != W_DONE && (!signalled || has_signalled(&g->wave[i]));
	return n;
}
HANDLER(s_barrier_signal_isfirst)
{
	bool first = (int32_t)emu_rs32(w, &in->src[0]) == BARRIER_GROUP && !count_waves(w->group, true);
	const emu_in *next = h_s_barrier_signal(w, in);
	w->s[R_SCC] = next && first;
	return next;
}
HANDLER(s_get_barrier_state)
{
	uint32_t members = count_waves(w->group, false), signalled = count_waves(w->group, true);
	if ((int32_t)emu_rs32(w, &in->src[0]) != BARRIER_GROUP)
		return h_s_named_barrier(w, in);
	if (signalled == members)        /* complete: it begins anew */
		signalled = 0;
	w->s[in->dst.reg] = signalled << 16 | members << 4 | 1;
	return in->next;
}
HANDLER(s_barrier_wait)
{
	int16_t id = (int16_t)in->src[0].imm;
	if (id == BARRIER_GROUP)
		return wait_barrier(w, in);
	return id == BARRIER_TRAP ? in->next : h_s_named_barrier(w, in);
}
