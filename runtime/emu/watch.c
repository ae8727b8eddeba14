/* watch.c -- EMU_CHECK_ALL: what would go wrong on the hardware though it does not here:
 * registers read or overwritten while a load to them is in flight, registers that nothing has
 * written, LDS stores not waited for at a barrier, and the wait states that gfx9 chips leave to
 * the program.
 * Needs each instruction before it runs; leaves a fault. Vega ISA manual 4.4 (s_waitcnt), 4.5
 * (wait states). */
#include <stdlib.h>

#include "emu/machine.h"

enum { LONG_AGO = 1000 };        /* wait states after which nothing matters */

typedef struct flight {          /* the load that will write a register */
	uint8_t counter, second;     /* isa_counter + 1; 0: none */
	uint32_t ticket, ticket2;
} flight;

struct emu_watch {
	/* operations so far; those known to be complete */
	uint32_t issued[ISA_NCNT], done[ISA_NCNT];
	uint32_t unordered[ISA_NCNT];   /* newest operation that may overtake others */
	uint32_t lds_store;             /* newest LDS store, as issued on its counter */
	uint8_t lds_counter;            /* that counter + 1 */
	flight vfly[EMU_VGPRS], sfly[R_COUNT];
	uint64_t vdef[EMU_VGPRS];       /* lanes that were written */
	bool sdef[R_COUNT];
	/* wait states: when what happened */
	uint32_t now;
	uint32_t valu_vgpr[EMU_VGPRS], trans_vgpr[EMU_VGPRS], store_vgpr[EMU_VGPRS];
	uint32_t valu_sgpr[R_COUNT], salu_m0, setreg[64];
	bool vcc_half;
	uint32_t dot_vgpr[EMU_VGPRS];
	uint16_t dot_op[EMU_VGPRS];     /* which dot product that was */
};

struct emu_watch *emu_watch_new(const emu_wave *w)
{
	(void)w;
	return calloc(1, sizeof(struct emu_watch));
}
void emu_watch_free(struct emu_watch *t) { free(t); }

/* At a wave's start: what the hardware presets is defined (launch.c marks it by not being
 * garbage). */
void emu_watch_reset(emu_wave *w)
{
	struct emu_watch *t = w->watch;
	memset(t, 0, sizeof *t);
	t->now = LONG_AGO;
	for (uint32_t i = 0; i < R_COUNT; i++)
		t->sdef[i] = i >= EMU_SGPRS ? i > R_VCC + 1 : w->s[i] != EMU_GARBAGE;
	for (uint32_t r = 0; r < w->nvgpr; r++)
		for (uint32_t i = 0; i < w->lanes; i++)
			if (w->v[((size_t)r << w->shift) + i] != EMU_GARBAGE)
				t->vdef[r] |= (uint64_t)1 << i;
}

static bool in_flight(const struct emu_watch *t, const flight *f)
{
	return (f->counter && f->ticket > t->done[f->counter - 1]) ||
		(f->second && f->ticket2 > t->done[f->second - 1]);
}

/* A wait until at most n operations are outstanding. Those that may overtake are complete only
 * when all are. */
static void wait_for(struct emu_watch *t, int c, uint32_t n)
{
	uint32_t upto = t->issued[c] > n ? t->issued[c] - n : 0;
	if (n && t->unordered[c] > t->done[c])
		return;
	if (upto > t->done[c])
		t->done[c] = upto;
}

/* The wait instructions of all families. */
static void waits(struct emu_watch *t, const p2a_target *target, const emu_in *in)
{
	static const struct { uint16_t op; int8_t c;
	} own[] = {
		{ OP_s_waitcnt_vscnt, ISA_CNT_VS },
		{ OP_s_waitcnt_vmcnt, ISA_CNT_VM },
		{ OP_s_waitcnt_lgkmcnt, ISA_CNT_LGKM },
		{ OP_s_wait_loadcnt, ISA_CNT_LOAD },
		{ OP_s_wait_storecnt, ISA_CNT_STORE },
		{ OP_s_wait_dscnt, ISA_CNT_DS },
		{ OP_s_wait_kmcnt, ISA_CNT_KM },
	};
	uint32_t simm = (uint32_t)(in->src[1].kind == O_CONST ? in->src[1].imm : in->src[0].imm);
	if (in->op == OP_s_waitcnt)
		for (int c = 0; c < ISA_NCNT; c++) {
			int n = isa_wait_get(target, c, simm);
			if (n >= 0 && n < isa_counter[c].max[target->family])
				wait_for(t, c, (uint32_t)n);
		}
	for (unsigned k = 0; k < sizeof own / sizeof *own; k++)
		if (in->op == own[k].op)
			wait_for(t, own[k].c, simm);
	if (in->op == OP_s_wait_loadcnt_dscnt || in->op == OP_s_wait_storecnt_dscnt) {
		wait_for(t, in->op == OP_s_wait_loadcnt_dscnt ? ISA_CNT_LOAD : ISA_CNT_STORE,
			simm >> 8 & 63);
		wait_for(t, ISA_CNT_DS, simm & 63);
	}
	if (in->op == OP_s_wait_idle)
		for (int c = 0; c < ISA_NCNT; c++)
			wait_for(t, c, 0);
}

static uint32_t dwords(const emu_wave *w, const emu_opd *o)
{
	return o->type == ISA_T_MASK ? w->lanes / 32 : o->width ? o->width : 1;
}

/* Faults where a register of the operand is still being loaded. */
static bool check_flight(emu_wave *w, const emu_in *in, const emu_opd *o, const char *verb)
{
	const struct emu_watch *t = w->watch;
	for (uint32_t k = 0; k < dwords(w, o); k++) {
		bool v = o->kind == O_VGPR;
		const flight *f = v ? &t->vfly[o->reg + k] : &t->sfly[o->reg + k];
		if (!in_flight(t, f))
			continue;
		bool acc = v && o->reg >= EMU_ACC;
		emu_fault_at(w, in, -1, 0,
			"%s %c%u while a load to it is in flight: no wait on %s before", verb,
			acc ? 'a' : v ? 'v' : 's', o->reg + k - (acc ? EMU_ACC : 0), isa_counter[f->counter - 1].name);
		return false;
	}
	return true;
}

/* Faults where a memory instruction's address or data was never written. Arithmetic on such
 * registers is no fault: compilers leave it in mask algebra and in halves of results that nobody
 * reads. */
static bool check_defined(emu_wave *w, const emu_in *in, const emu_opd *o)
{
	const struct emu_watch *t = w->watch;
	for (uint32_t k = 0; k < dwords(w, o); k++) {
		if (o->kind == O_SCALAR && o->reg + k < EMU_SGPRS && !t->sdef[o->reg + k]) {
			emu_fault_at(
				w, in, -1, 0, "reads s%u, which nothing has written", o->reg + k);
			return false;
		}
		uint64_t missing = o->kind == O_VGPR ? emu_exec(w) & ~t->vdef[o->reg + k] : 0;
		if (missing) {
			bool acc = o->reg >= EMU_ACC;
			emu_fault_at(w, in, __builtin_ctzll(missing), 0,
				"reads %c%u, which nothing has written", acc ? 'a' : 'v', o->reg + k - (acc ? EMU_ACC : 0));
			return false;
		}
	}
	return true;
}

/* Data that an instruction brings elsewhere as it is: a register that is spilled need not hold anything, nor lanes that no
 * other lane reads. */
static bool hands_on(const emu_in *in, unsigned k)
{
	if (in->op == OP_ds_bpermute_b32 || in->op == OP_ds_permute_b32)
		return k == 1;
	return in->op == OP_ds_swizzle_b32 || (k == 1 && in->flags & M_SCRATCH && in->flags & M_STORE);
}

static bool check_sources(emu_wave *w, const emu_in *in, const isa_info *info)
{
	bool memory = info->eff & (ISA_LOAD | ISA_STORE);
	for (unsigned k = 0; k < 4; k++) {
		const emu_opd *o = k < 3 ? &in->src[k] : &in->cin;
		if (o->kind != O_VGPR && o->kind != O_SCALAR)
			continue;
		if (!check_flight(w, in, o, "reads"))
			return false;
		if (memory && !hands_on(in, k) && !check_defined(w, in, o))
			return false;
	}
	return true;
}

static bool check_results(emu_wave *w, const emu_in *in)
{
	if ((in->dst.kind == O_VGPR || in->dst.kind == O_SCALAR) &&
		!check_flight(w, in, &in->dst, "overwrites"))
		return false;
	return in->out.kind != O_SCALAR || check_flight(w, in, &in->out, "overwrites");
}

/* Registers that the instruction writes become defined. */
static void define(emu_wave *w, const emu_in *in, const emu_opd *o)
{
	struct emu_watch *t = w->watch;
	uint32_t n = dwords(w, o);
	uint64_t lanes = in->op == OP_v_writelane_b32 ? UINT64_MAX : emu_exec(w);
	for (uint32_t k = 0; k < n; k++) {
		if (o->kind == O_VGPR)
			t->vdef[o->reg + k] |= lanes;
		else if (o->kind == O_SCALAR)
			t->sdef[o->reg + k] = true;
	}
}

/* A memory operation sets out: takes a ticket on its counters, marks what it will write. */
static void issue(emu_wave *w, const emu_in *in, const isa_info *info)
{
	struct emu_watch *t = w->watch;
	const p2a_target *target = &w->thread->launch->dev->target;
	int second, c = isa_counter_of(target, in->op, &second);
	if (c < 0)
		return;
	t->issued[c]++;
	if (second >= 0)
		t->issued[second]++;
	/* Flat accesses keep the order of their counters from gfx10 on. */
	if (info->cls == ISA_SMEM || (info->cls == ISA_FLAT && target->family == ISA_GFX9))
		t->unordered[c] = t->issued[c];
	if (info->cls == ISA_FLAT && second >= 0 && target->family == ISA_GFX9)
		t->unordered[second] = t->issued[second];
	if (info->cls == ISA_DS && info->eff & ISA_STORE) {
		t->lds_store = t->issued[c];
		t->lds_counter = (uint8_t)(c + 1);
	}
	flight f = { (uint8_t)(c + 1), (uint8_t)(second + 1), t->issued[c],
		second >= 0 ? t->issued[second] : 0 };
	for (uint32_t k = 0; k < dwords(w, &in->dst); k++) {
		if (in->dst.kind == O_VGPR)
			t->vfly[in->dst.reg + k] = f;
		else if (in->dst.kind == O_SCALAR && in->dst.reg != R_DUMP)
			t->sfly[in->dst.reg + k] = f;
	}
}

static bool check_barrier(emu_wave *w, const emu_in *in)
{
	const struct emu_watch *t = w->watch;
	bool arrives = in->op == OP_s_barrier || in->op == OP_s_barrier_signal;
	if (!arrives || !t->lds_counter || t->lds_store <= t->done[t->lds_counter - 1])
		return true;
	emu_fault_at(w, in, -1, 0, "barrier while an LDS store is in flight: no wait on %s before",
		isa_counter[t->lds_counter - 1].name);
	return false;
}

static const char *hazard_text(int id)
{
	static const char *const text[] = {
#define HZ(name, s) [ISA_HZI_##name] = s,
#include "isa/hazards.def"
#undef HZ
	};
	return text[id];
}

static bool is_lane_op(const emu_in *in)
{
	return in->op == OP_v_readlane_b32 || in->op == OP_v_writelane_b32 ||
		in->op == OP_v_readfirstlane_b32;
}

/* Fewer than `need` wait states since `when`? */
static bool soon(const struct emu_watch *t, uint32_t when, uint32_t need)
{
	return when && t->now - when <= need;
}
static bool soon_in(
	const emu_wave *w, const uint32_t *when, const emu_opd *o, uint8_t kind, uint32_t need)
{
	for (uint32_t k = 0; o->kind == kind && k < dwords(w, o); k++)
		if (soon(w->watch, when[o->reg + k], need))
			return true;
	return false;
}
static bool any_source(
	const emu_wave *w, const emu_in *in, const uint32_t *when, uint8_t kind, uint32_t need)
{
	return soon_in(w, when, &in->src[0], kind, need) ||
		soon_in(w, when, &in->src[1], kind, need) ||
		soon_in(w, when, &in->src[2], kind, need) || soon_in(w, when, &in->cin, kind, need);
}

/* A result of a dot product that another operation reads or writes, or the same as a factor. */
static bool dot_soon(const emu_wave *w, const emu_in *in, const emu_opd *o, bool factor)
{
	const struct emu_watch *t = w->watch;
	for (uint32_t k = 0; o->kind == O_VGPR && k < dwords(w, o); k++)
		if (soon(t, t->dot_vgpr[o->reg + k], 3) && (factor || t->dot_op[o->reg + k] != in->op))
			return true;
	return false;
}
static bool meets_dot(const emu_wave *w, const emu_in *in)
{
	bool dot = isa_is_dot(in->op);
	return dot_soon(w, in, &in->src[0], dot) || dot_soon(w, in, &in->src[1], dot) ||
		dot_soon(w, in, &in->src[2], false) || dot_soon(w, in, &in->dst, false);
}

/* The hazard that the instruction runs into, or -1. */
static int hazard(const emu_wave *w, const emu_in *in, const isa_info *info)
{
	const struct emu_watch *t = w->watch;
	bool valu = info->cls == ISA_VALU || info->cls == ISA_TRANS,
	     vmem = info->cls == ISA_VMEM || info->cls == ISA_FLAT;
	bool dpp = in->slow & S_DPP, lane = is_lane_op(in);
	const emu_opd exec = { .kind = O_SCALAR, .width = 2, .reg = R_EXEC };
	const struct { int id; bool met;
	} row[] = {
		{ ISA_HZI_VALU_SGPR_VMEM, vmem && any_source(w, in, t->valu_sgpr, O_SCALAR, 5) },
		{ ISA_HZI_VALU_VCC_DIV_FMAS,
			info->eff & ISA_R_VCC && valu &&
				soon_in(w, t->valu_sgpr, &in->cin, O_SCALAR, 4) },
		{ ISA_HZI_VALU_SGPR_LANE,
			lane && soon_in(w, t->valu_sgpr, &in->src[1], O_SCALAR, 4) },
		{ ISA_HZI_VALU_EXEC_DPP, dpp && soon_in(w, t->valu_sgpr, &exec, O_SCALAR, 5) },
		{ ISA_HZI_VALU_VGPR_DPP, dpp && soon_in(w, t->valu_vgpr, &in->src[0], O_VGPR, 2) },
		{ ISA_HZI_SALU_M0_USE, in->op == OP_s_sendmsg && soon(t, t->salu_m0, 1) },
		{ ISA_HZI_STORE_DATA, valu && soon_in(w, t->store_vgpr, &in->dst, O_VGPR, 1) },
		{ ISA_HZI_STORE_DATA_VALU, valu && soon_in(w, t->store_vgpr, &in->dst, O_VGPR, 2) },
		{ ISA_HZI_VCCZ_PARTIAL,
			t->vcc_half &&
				(in->op == OP_s_cbranch_vccz || in->op == OP_s_cbranch_vccnz) },
		{ ISA_HZI_TRANS_USE,
			info->cls == ISA_VALU && any_source(w, in, t->trans_vgpr, O_VGPR, 1) },
		{ ISA_HZI_DOT_USE, meets_dot(w, in) },
		{ ISA_HZI_VALU_SGPR_VALU, valu && any_source(w, in, t->valu_sgpr, O_SCALAR, 2) },
		{ ISA_HZI_VALU_VGPR_LANE,
			lane && soon_in(w, t->valu_vgpr, &in->src[0], O_VGPR, 1) },
		{ ISA_HZI_VALU_EXEC_LANE, lane && soon_in(w, t->valu_sgpr, &exec, O_SCALAR, 4) },
	};
	uint32_t has = w->thread->launch->dev->target.hazards;
	for (unsigned k = 0; k < sizeof row / sizeof *row; k++)
		if (row[k].met && has >> row[k].id & 1)
			return row[k].id;
	bool reg = in->op == OP_s_getreg_b32 || in->op == OP_s_setreg_b32 ||
		in->op == OP_s_setreg_imm32_b32;
	if (reg && has & ISA_HZ_SETREG_GETREG && soon(t, t->setreg[in->src[0].imm & 63], 2))
		return ISA_HZI_SETREG_GETREG;
	return -1;
}

static void stamp(const emu_wave *w, uint32_t *when, const emu_opd *o, uint8_t kind, uint32_t value)
{
	for (uint32_t k = 0; o->kind == kind && k < dwords(w, o); k++)
		when[o->reg + k] = value;
}

/* Notes what later instructions must keep a distance from. */
static void remember(emu_wave *w, const emu_in *in, const isa_info *info)
{
	struct emu_watch *t = w->watch;
	bool valu = info->cls == ISA_VALU || info->cls == ISA_TRANS;
	stamp(w, t->valu_vgpr, &in->dst, O_VGPR, valu ? t->now : 0);
	stamp(w, t->trans_vgpr, &in->dst, O_VGPR, info->cls == ISA_TRANS ? t->now : 0);
	stamp(w, t->dot_vgpr, &in->dst, O_VGPR, isa_is_dot(in->op) ? t->now : 0);
	for (uint32_t k = 0; isa_is_dot(in->op) && k < dwords(w, &in->dst); k++)
		t->dot_op[in->dst.reg + k] = in->op;
	stamp(w, t->valu_sgpr, &in->dst, O_SCALAR, valu ? t->now : 0);
	stamp(w, t->valu_sgpr, &in->out, O_SCALAR, valu ? t->now : 0);
	if (info->eff & ISA_W_EXEC && valu)
		t->valu_sgpr[R_EXEC] = t->valu_sgpr[R_EXEC + 1] = t->now;
	if (info->eff & ISA_STORE && info->cls == ISA_VMEM && in->src[1].width > 2)
		stamp(w, t->store_vgpr, &in->src[1], O_VGPR, t->now);
	if (info->cls == ISA_SALU && in->dst.kind == O_SCALAR) {
		if (in->dst.reg == R_M0)
			t->salu_m0 = t->now;
		if (in->dst.reg == R_VCC || in->dst.reg == R_VCC + 1)
			t->vcc_half = in->dst.width == 1;
	}
	if (in->out.kind == O_SCALAR && in->out.reg == R_VCC)
		t->vcc_half = false;
	if (in->op == OP_s_setreg_b32 || in->op == OP_s_setreg_imm32_b32)
		t->setreg[in->src[0].imm & 63] = t->now;
}

/* May the instruction, or a half of a pair, run? */
static bool check(emu_wave *w, const emu_in *in)
{
	int h = hazard(w, in, &isa_table[in->op]);
	if (h >= 0) {
		emu_fault_at(w, in, -1, 0, "hazard: %s", hazard_text(h));
		return false;
	}
	return check_sources(w, in, &isa_table[in->op]) && check_results(w, in) &&
		check_barrier(w, in);
}

static void note(emu_wave *w, const emu_in *in)
{
	const isa_info *info = &isa_table[in->op];
	define(w, in, &in->dst);
	define(w, in, &in->out);
	if (info->eff & (ISA_LOAD | ISA_STORE))
		issue(w, in, info);
	remember(w, in, info);
}

bool emu_watch_step(emu_wave *w, const emu_in *in)
{
	const isa_info *info = &isa_table[in->op];
	struct emu_watch *t = w->watch;
	if (in->fn == h_unknown || in->fn == h_outside)
		return true;
	if (info->cls == ISA_WAIT) {
		waits(t, &w->thread->launch->dev->target, in);
		t->now++;
		return true;
	}
	if (!check(w, in) || (in->second && !check(w, in->second)))
		return false;
	note(w, in);
	if (in->second)
		note(w, in->second);
	t->now += in->op == OP_s_nop ? (uint32_t)in->src[0].imm + 1 : 1;
	return true;
}
