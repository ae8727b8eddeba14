/* sim.c -- see sim.h. Values and registers are one array each of dwords by lane; a scalar is lane 0. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 64, NSPECIAL = 48, MAX_STEPS = 4000000, SCRATCH = 1 << 16 };

typedef struct sim {
	const ir_func *f;
	unsigned wave;
	uint32_t *base;         /* of a value, dwords */
	uint32_t (*val)[LANES];
	uint32_t sgpr[128], vgpr[512][LANES];
	uint32_t special[NSPECIAL];     /* by p2a_sreg: single dwords */
	bool scc;
	uint32_t (*scratch)[LANES];
	uint32_t hwreg[64];
	sim_result r;
} sim;

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 29;
}

static void
stop(sim *M, const char *why)
{
	if (!M->r.wrong)
		M->r.wrong = why;
}

/* ---- operands ---- */

static uint32_t *
special(sim *M, unsigned reg, unsigned d)
{
	switch (reg) {
	case P2A_VCC: return &M->special[P2A_VCC_LO + d];
	case P2A_EXEC: return &M->special[P2A_EXEC_LO + d];
	case P2A_FLAT_SCRATCH: return &M->special[P2A_FLAT_SCRATCH_LO + d];
	default: return &M->special[reg];
	}
}

static uint32_t *
cell(sim *M, const p2a_opnd *o, unsigned d, unsigned lane)
{
	static uint32_t nothing;

	switch (o->kind) {
	case IR_K_VAL:
		return &M->val[M->base[o->reg] + (uint32_t)o->imm + d][M->f->vals.a[o->reg].bank == IR_BANK_V ? lane : 0];
	case P2A_K_SGPR: return &M->sgpr[o->reg + d];
	case P2A_K_VGPR: return &M->vgpr[o->reg + d][lane];
	case P2A_K_SREG: return special(M, o->reg, d);
	default:
		stop(M, "operand");
		return &nothing;
	}
}

static uint32_t
get(sim *M, const p2a_opnd *o, unsigned d, unsigned lane)
{
	if (o->kind == P2A_K_IMM)
		return (uint32_t)((uint64_t)o->imm >> (d ? 32 : 0));
	return *cell(M, o, d, lane);
}

static void
set(sim *M, const p2a_opnd *o, unsigned d, unsigned lane, uint32_t x)
{
	*cell(M, o, d, lane) = x;
}

static uint64_t
get64(sim *M, const p2a_opnd *o, unsigned lane)
{
	return get(M, o, 0, lane) | (uint64_t)get(M, o, 1, lane) << 32;
}

static void
set64(sim *M, const p2a_opnd *o, unsigned lane, uint64_t x)
{
	set(M, o, 0, lane, (uint32_t)x);
	set(M, o, 1, lane, (uint32_t)(x >> 32));
}

static uint64_t
mask(sim *M, const p2a_opnd *o)
{
	return M->wave == 64 ? get64(M, o, 0) : get(M, o, 0, 0);
}

static void
set_mask(sim *M, const p2a_opnd *o, uint64_t x)
{
	if (M->wave == 64)
		set64(M, o, 0, x);
	else
		set(M, o, 0, 0, (uint32_t)x);
}

static uint64_t
exec(const sim *M)
{
	return M->special[P2A_EXEC_LO] | (M->wave == 64 ? (uint64_t)M->special[P2A_EXEC_HI] << 32 : 0);
}

static bool
active(const sim *M, unsigned lane)
{
	return exec(M) >> lane & 1;
}

/* ---- memory ---- */

static void
check_flat_scratch(sim *M)
{
	const ir_func *f = M->f;
	uint64_t want, have;
	unsigned fs = (unsigned)f->k.flat_scratch_sgpr;

	if (f->target->arch_scratch)
		return;
	want = 0x100000000u + fs * 0x10000u + (unsigned)f->k.wave_offset_sgpr * 64u;
	have = f->target->family == ISA_GFX9 ?
		M->special[P2A_FLAT_SCRATCH_LO] | (uint64_t)M->special[P2A_FLAT_SCRATCH_HI] << 32 :
		M->hwreg[20] | (uint64_t)M->hwreg[21] << 32;
	if (want != have)
		stop(M, "scratch without its prologue");
}

static void
scratch(sim *M, const ir_inst *i, bool load, unsigned n)
{
	const p2a_opnd *data = &i->m.arg[load ? 0 : 1], *saddr = &i->m.arg[2];
	uint32_t at = (uint32_t)i->m.offset + (saddr->kind == P2A_K_OFF ? 0 : get(M, saddr, 0, 0));

	check_flat_scratch(M);
	if (at % 4 || at / 4 + n > SCRATCH || at + 4 * n > M->f->k.scratch_size) {
		stop(M, "scratch address");
		return;
	}
	for (unsigned lane = 0; lane < M->wave; lane++)
		for (unsigned d = 0; active(M, lane) && d < n; d++)
			if (load)
				set(M, data, d, lane, M->scratch[at / 4 + d][lane]);
			else
				M->scratch[at / 4 + d][lane] = get(M, data, d, lane);
}

static void
vector_load(sim *M, const ir_inst *i, unsigned n)
{
	uint64_t got[LANES];
	bool wide = i->m.arg[1].width == 2;

	for (unsigned lane = 0; lane < M->wave; lane++)
		got[lane] = mix(77, (wide ? get64(M, &i->m.arg[1], lane) : get(M, &i->m.arg[1], 0, lane)) +
			(uint64_t)i->m.offset);
	for (unsigned lane = 0; lane < M->wave; lane++)
		for (unsigned d = 0; active(M, lane) && d < n; d++)
			set(M, &i->m.arg[0], d, lane, (uint32_t)mix(got[lane], d));
}

static void
scalar_load(sim *M, const ir_inst *i, unsigned n)
{
	uint64_t at = mix(99, get64(M, &i->m.arg[1], 0) + (uint64_t)i->m.offset);

	for (unsigned d = 0; d < n; d++)
		set(M, &i->m.arg[0], d, 0, (uint32_t)mix(at, d));
}

static void
store(sim *M, const ir_inst *i, unsigned n)
{
	M->r.stores++;
	for (unsigned lane = 0; lane < M->wave; lane++) {
		if (!active(M, lane))
			continue;
		M->r.hash = mix(M->r.hash, lane | (i->m.arg[0].width == 2 ? get64(M, &i->m.arg[0], lane) :
			get(M, &i->m.arg[0], 0, lane)) << 8);
		for (unsigned d = 0; d < n; d++)
			M->r.hash = mix(M->r.hash, get(M, &i->m.arg[1], d, lane));
	}
}

/* The old value is what a load would give. */
static void
atomic(sim *M, const ir_inst *i, unsigned n)
{
	ir_inst s = *i;

	memmove(s.m.arg, s.m.arg + i->ndefs, 2 * sizeof *s.m.arg);
	store(M, &s, n);
	if (i->ndefs)
		vector_load(M, i, i->m.arg[0].width);
}

/* ---- instructions ---- */

static void
add_carry(sim *M, const ir_inst *i, bool in)
{
	uint64_t carry = 0, old = in ? mask(M, &i->m.arg[4]) : 0;

	for (unsigned lane = 0; lane < M->wave; lane++) {
		uint64_t s = (uint64_t)get(M, &i->m.arg[2], 0, lane) + get(M, &i->m.arg[3], 0, lane) + (old >> lane & 1);

		if (!active(M, lane))
			continue;
		set(M, &i->m.arg[0], 0, lane, (uint32_t)s);
		carry |= (s >> 32 & 1) << lane;
	}
	set_mask(M, &i->m.arg[1], carry);
}

static uint32_t
alu(const ir_inst *i, uint32_t a, uint32_t b)
{
	switch (i->m.op) {
	case OP_v_xor_b32: return a ^ b;
	case OP_v_add_u32: return a + b;
	case OP_v_mul_lo_u32: return a * b;
	case OP_v_rcp_f32: return a ^ 0x5a5a5a5a;
	default: return a;
	}
}

static uint64_t
mad(sim *M, const ir_inst *i, unsigned lane)
{
	uint64_t p = (uint64_t)get(M, &i->m.arg[2], 0, lane) * get(M, &i->m.arg[3], 0, lane);
	uint64_t c = get64(M, &i->m.arg[4], lane);

	set64(M, &i->m.arg[0], lane, p + c);
	return p + c < p;
}

static void
vector(sim *M, const ir_inst *i)
{
	const p2a_opnd *a = i->m.arg;
	uint64_t m = 0, c = i->m.op == OP_v_cndmask_b32 ? mask(M, &a[3]) : 0;

	for (unsigned lane = 0; lane < M->wave; lane++) {
		if (!active(M, lane))
			continue;
		if (i->m.op == OP_v_cmp_lt_u32)
			m |= (uint64_t)(get(M, &a[1], 0, lane) < get(M, &a[2], 0, lane)) << lane;
		else if (i->m.op == OP_v_lshlrev_b64)
			set64(M, &a[0], lane, get64(M, &a[2], lane) << (get(M, &a[1], 0, lane) & 63));
		else if (i->m.op == OP_v_mad_u64_u32)
			m |= mad(M, i, lane) << lane;
		else if (i->m.op == OP_v_cndmask_b32)
			set(M, &a[0], 0, lane, get(M, &a[c >> lane & 1 ? 2 : 1], 0, lane));
		else
			set(M, &a[0], 0, lane, alu(i, get(M, &a[1], 0, lane), i->m.nargs > 2 ? get(M, &a[2], 0, lane) : 0));
	}
	if (i->m.op == OP_v_cmp_lt_u32 || i->m.op == OP_v_mad_u64_u32)
		set_mask(M, &a[i->m.op == OP_v_mad_u64_u32], m);
}

static void
copy(sim *M, const ir_inst *i)
{
	bool to_v = M->f->vals.a[i->m.arg[0].reg].bank == IR_BANK_V;

	for (unsigned d = 0; d < i->m.arg[0].width; d++)
		for (unsigned lane = 0; lane < (to_v ? M->wave : 1); lane++)
			if (!to_v || active(M, lane))
				set(M, &i->m.arg[0], d, lane, get(M, &i->m.arg[1], d, lane));
}

static uint32_t
arrival(unsigned bank, unsigned pin, unsigned lane)
{
	return bank == IR_BANK_V ? 0x1000 * pin + lane + 1 : (uint32_t)mix(5, pin);
}

static void
entry(sim *M, const ir_inst *i)
{
	for (unsigned k = 0; k < i->m.nargs; k++)
		for (unsigned d = 0; d < i->m.arg[k].width; d++)
			for (unsigned lane = 0; lane < M->wave; lane++) {
				const ir_val *v = &M->f->vals.a[i->m.arg[k].reg];

				if (v->bank == IR_BANK_V || !lane)
					set(M, &i->m.arg[k], d, lane, arrival(v->bank, (unsigned)v->pin + d, lane));
			}
}

static unsigned
first_active(const sim *M)
{
	for (unsigned lane = 0; lane < M->wave; lane++)
		if (active(M, lane))
			return lane;
	return 0;
}

static void
scalar(sim *M, const ir_inst *i)
{
	const p2a_opnd *a = i->m.arg;
	uint64_t s;

	switch (i->m.op) {
	case OP_s_mov_b32: set(M, &a[0], 0, 0, get(M, &a[1], 0, 0)); break;
	case OP_s_mov_b64: set64(M, &a[0], 0, get64(M, &a[1], 0)); break;
	case OP_s_xor_b32: s = get(M, &a[1], 0, 0) ^ get(M, &a[2], 0, 0);
		M->scc = s != 0, set(M, &a[0], 0, 0, (uint32_t)s); break;
	case OP_s_xor_b64: s = get64(M, &a[1], 0) ^ get64(M, &a[2], 0); M->scc = s != 0, set64(M, &a[0], 0, s); break;
	case OP_s_and_b32: s = get(M, &a[1], 0, 0) & get(M, &a[2], 0, 0);
		M->scc = s != 0, set(M, &a[0], 0, 0, (uint32_t)s); break;
	case OP_s_and_b64: s = get64(M, &a[1], 0) & get64(M, &a[2], 0); M->scc = s != 0, set64(M, &a[0], 0, s); break;
	case OP_s_andn2_b32: s = get(M, &a[1], 0, 0) & ~get(M, &a[2], 0, 0);
		M->scc = s != 0, set(M, &a[0], 0, 0, (uint32_t)s); break;
	case OP_s_andn2_b64: s = get64(M, &a[1], 0) & ~get64(M, &a[2], 0); M->scc = s != 0, set64(M, &a[0], 0, s); break;
	case OP_s_addk_i32: set(M, &a[0], 0, 0, get(M, &a[0], 0, 0) + (uint32_t)a[1].imm); break;
	case OP_s_add_u32: s = (uint64_t)get(M, &a[1], 0, 0) + get(M, &a[2], 0, 0);
		M->scc = s >> 32 & 1, set(M, &a[0], 0, 0, (uint32_t)s); break;
	case OP_s_addc_u32: s = (uint64_t)get(M, &a[1], 0, 0) + get(M, &a[2], 0, 0) + M->scc;
		M->scc = s >> 32 & 1, set(M, &a[0], 0, 0, (uint32_t)s); break;
	case OP_s_cmp_lg_u32: M->scc = get(M, &a[0], 0, 0) != get(M, &a[1], 0, 0); break;
	case OP_s_cmp_lt_u32: M->scc = get(M, &a[0], 0, 0) < get(M, &a[1], 0, 0); break;
	case OP_s_cselect_b32: set(M, &a[0], 0, 0, get(M, &a[M->scc ? 1 : 2], 0, 0)); break;
	case OP_s_setreg_b32: M->hwreg[a[0].imm & 63] = get(M, &a[1], 0, 0); break;
	case OP_v_readfirstlane_b32: set(M, &a[0], 0, 0, get(M, &a[1], 0, first_active(M))); break;
	case OP_v_readlane_b32: set(M, &a[0], 0, 0, get(M, &a[1], 0, get(M, &a[2], 0, 0) % M->wave)); break;
	case OP_v_writelane_b32: set(M, &a[0], 0, get(M, &a[2], 0, 0) % M->wave, get(M, &a[1], 0, 0)); break;
	default: stop(M, "operation that the simulator lacks"); break;
	}
}

static void
memory(sim *M, const ir_inst *i)
{
	switch (i->m.op) {
	case OP_scratch_load_dword: scratch(M, i, true, 1); break;
	case OP_scratch_load_dwordx2: scratch(M, i, true, 2); break;
	case OP_scratch_load_dwordx3: scratch(M, i, true, 3); break;
	case OP_scratch_load_dwordx4: scratch(M, i, true, 4); break;
	case OP_scratch_store_dword: scratch(M, i, false, 1); break;
	case OP_scratch_store_dwordx2: scratch(M, i, false, 2); break;
	case OP_scratch_store_dwordx3: scratch(M, i, false, 3); break;
	case OP_scratch_store_dwordx4: scratch(M, i, false, 4); break;
	case OP_global_load_dword: case OP_flat_load_dword: case OP_ds_read_b32: vector_load(M, i, 1); break;
	case OP_global_load_dwordx2: vector_load(M, i, 2); break;
	case OP_global_load_dwordx4: vector_load(M, i, 4); break;
	case OP_s_load_dword: scalar_load(M, i, 1); break;
	case OP_s_load_dwordx2: scalar_load(M, i, 2); break;
	case OP_s_load_dwordx4: scalar_load(M, i, 4); break;
	case OP_s_load_dwordx8: scalar_load(M, i, 8); break;
	case OP_global_store_dword: case OP_flat_store_dword: case OP_ds_write_b32: store(M, i, 1); break;
	case OP_global_atomic_add: case OP_global_atomic_add_rtn: case OP_ds_add_u32: case OP_ds_add_rtn_u32: atomic(M, i, 1); break;
	case OP_global_atomic_cmpswap_x2_rtn: atomic(M, i, 4); break;
	case OP_global_store_dwordx2: store(M, i, 2); break;
	case OP_global_store_dwordx4: store(M, i, 4); break;
	default: scalar(M, i); break;
	}
}

static void
step(sim *M, const ir_inst *i)
{
	switch (i->m.op) {
	case P_copy: copy(M, i); break;
	case P_entry: entry(M, i); break;
	case P_barrier: break;
	case OP_s_nop: case OP_s_waitcnt: case OP_s_waitcnt_depctr: break;
	case OP_v_add_co_u32: add_carry(M, i, false); break;
	case OP_v_addc_co_u32: add_carry(M, i, true); break;
	case OP_v_xor_b32: case OP_v_add_u32: case OP_v_mul_lo_u32: case OP_v_rcp_f32: case OP_v_mov_b32: case OP_v_cmp_lt_u32:
	case OP_v_lshlrev_b64: case OP_v_cndmask_b32: case OP_v_mad_u64_u32:
		vector(M, i); break;
	default: memory(M, i); break;
	}
}

/* ---- control ---- */

static bool
taken(const sim *M, unsigned op)
{
	switch (op) {
	case OP_s_branch: return true;
	case OP_s_cbranch_scc0: return !M->scc;
	case OP_s_cbranch_scc1: return M->scc;
	case OP_s_cbranch_execz: return !exec(M);
	case OP_s_cbranch_execnz: return exec(M);
	default: return false;
	}
}

static void
start(sim *M, uint32_t rubbish)
{
	const ir_func *f = M->f;
	uint32_t n = 0, x = rubbish;

	M->base = calloc(f->vals.n, sizeof *M->base);
	for (uint32_t v = 1; v < f->vals.n; v++) {
		M->base[v] = n;
		n += f->vals.a[v].dwords;
	}
	M->val = calloc(n + 1, sizeof *M->val);
	M->scratch = calloc(SCRATCH, sizeof *M->scratch);
	for (uint32_t k = 0; k < n * LANES; k++)
		M->val[k / LANES][k % LANES] = x = x * 1664525 + 1013904223;
	for (uint32_t k = 0; k < SCRATCH * LANES; k++)
		M->scratch[k / LANES][k % LANES] = x = x * 1664525 + 1013904223;
	for (unsigned k = 0; k < 128; k++)
		M->sgpr[k] = arrival(IR_BANK_S, k, 0);
	for (unsigned k = 0; k < 512 * LANES; k++)
		M->vgpr[k / LANES][k % LANES] = arrival(IR_BANK_V, k / LANES, k % LANES);
	M->special[P2A_EXEC_LO] = UINT32_MAX;
	M->special[P2A_EXEC_HI] = UINT32_MAX;
	M->special[P2A_VCC_LO] = x * 3;
	M->special[P2A_VCC_HI] = x * 7;
	if (!f->target->arch_scratch && f->k.flat_scratch_sgpr >= 0) {
		unsigned fs = (unsigned)f->k.flat_scratch_sgpr;

		M->sgpr[fs] = fs * 0x10000u;
		M->sgpr[fs + 1] = 1;
		M->sgpr[f->k.wave_offset_sgpr] = (unsigned)f->k.wave_offset_sgpr * 64u;
	}
}

static void
run(sim *M)
{
	uint32_t b = M->f->entry->id;

	while (b < M->f->blocks.n && !M->r.wrong) {
		uint32_t next = b + 1;

		for (const ir_inst *i = M->f->blocks.a[b]->first; i && !M->r.wrong; i = i->next) {
			if (++M->r.steps > MAX_STEPS)
				stop(M, "does not end");
			if (i->m.op == OP_s_endpgm)
				return;
			if (i->m.nargs && i->m.arg[0].kind == IR_K_BLOCK) {
				if (!taken(M, i->m.op))
					continue;
				next = i->m.arg[0].reg;
				break;
			}
			step(M, i);
		}
		b = next;
	}
	stop(M, "runs off the end");
}

sim_result
sim_run(const ir_func *f, uint32_t rubbish)
{
	sim *M = calloc(1, sizeof *M);
	sim_result r;

	M->f = f;
	M->wave = f->target->wave;
	start(M, rubbish);
	run(M);
	r = M->r;
	free(M->base);
	free(M->val);
	free(M->scratch);
	free(M);
	return r;
}
