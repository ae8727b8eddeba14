/* hazard_flow.c -- hazards without a fixed distance: what is at risk is carried along all paths.
 * Needs physical code; leaves s_waitcnt_depctr and the other remedies before the instruction at risk.
 * Sources: hazards.def. Each rule has a part of the state, a test that asks before an instruction and
 * an update behind it; where paths meet, the worse counts. */
#include "pass/hazard.h"

#include <string.h>

/* Fields of s_waitcnt_depctr that are to be 0; the others stay at their maxima. */
enum { VA_VDST_0 = 0x0fff, VM_VSRC_0 = 0xffe3, SA_SDST_0 = 0xfffe };
enum { NSREG = 128, NPAIR = 64 };
enum { TRANS_VALUS = 6, TRANS_TRANS = 2 };      /* instructions between after which a result is safe */
enum { SALU_LIFE = 11 };

typedef struct set { uint64_t w[NSREG / 64]; } set;

typedef struct state {
	set vmem_read;          /* VMEM_SCALAR_WRITE: scalar registers that memory instructions may still read */
	set smem_read;          /* SMEM_VECTOR_WRITE */
	bool lds, vmem;         /* LDS_BRANCH_VMEM: such an instruction went by */
	bool lds_branch, vmem_branch; /* and then a branch */
	bool cmpx;              /* VCMPX_PERMLANE: no VALU instruction since */
	uint8_t valus[256], trans[256]; /* VALU_TRANS_USE: instructions until the VGPR is safe */
	uint64_t valu_read;     /* VALU_READ_SGPR: pairs that some VALU instruction has read */
	uint8_t salu_left[NPAIR]; /* SALU instructions until the pair is safe */
} state;

typedef enum fix { FIX_NONE, FIX_VM_VSRC, FIX_SALU, FIX_VSCNT, FIX_MOVE, FIX_VA_VDST, FIX_SA_SDST } fix;

/* ---- registers ---- */

static bool
in_set(const set *s, unsigned r)
{
	return r < NSREG && s->w[r / 64] >> r % 64 & 1;
}

static void
add_scalars(set *s, const ir_inst *i, unsigned from, unsigned to)
{
	for (unsigned k = from; k < to; k++) {
		unsigned first, n = hz_registers(&i->m.arg[k], &first);

		for (unsigned r = first; r < first + n && r < NSREG; r++)
			s->w[r / 64] |= (uint64_t)1 << r % 64;
	}
}

static bool
writes_any(const ir_inst *i, const set *s)
{
	for (unsigned r = 0; r < NSREG; r++)
		if (in_set(s, r) && hz_writes(i, r))
			return true;
	return false;
}

static bool is_valu(const ir_inst *i) { return hz_is_class(i, HZ_VALU); }
static bool is_salu(const ir_inst *i) { return hz_is_class(i, 1 << ISA_SALU); }
static bool is_vmem(const ir_inst *i) { return hz_is_class(i, HZ_MEMORY); }
static bool is_lds(const ir_inst *i) { return hz_is_class(i, 1 << ISA_DS); }

static bool
is_permlane(const ir_inst *i)
{
	return i->m.op == OP_v_permlane16_b32 || i->m.op == OP_v_permlanex16_b32;
}

static bool
is_cmpx(const ir_inst *i)
{
	return is_valu(i) && isa_table[i->m.op].eff & ISA_W_EXEC;
}

/* ---- one rule each: fix before i, effect of i ---- */

static fix
vmem_scalar_write(const state *s, const ir_inst *i)
{
	return hz_is_class(i, HZ_SALU | 1 << ISA_SMEM) && writes_any(i, &s->vmem_read) ? FIX_VM_VSRC : FIX_NONE;
}

static void
vmem_scalar_read(state *s, const ir_inst *i)
{
	if (is_valu(i))
		s->vmem_read = (set){ { 0 } };
	if (!is_vmem(i) && !is_lds(i))
		return;
	add_scalars(&s->vmem_read, i, i->ndefs, i->m.nargs);
	s->vmem_read.w[1] |= (uint64_t)3 << (HZ_EXEC - 64);
	if (isa_table[i->m.op].eff & ISA_R_M0)
		s->vmem_read.w[1] |= (uint64_t)1 << (HZ_M0 - 64);
}

static fix
smem_vector_write(const state *s, const ir_inst *i)
{
	return is_valu(i) && writes_any(i, &s->smem_read) ? FIX_SALU : FIX_NONE;
}

static void
smem_scalar_read(state *s, const ir_inst *i)
{
	if (is_salu(i))
		s->smem_read = (set){ { 0 } };
	if (hz_is_class(i, 1 << ISA_SMEM))
		add_scalars(&s->smem_read, i, i->ndefs, i->m.nargs);
}

static fix
lds_branch_vmem(const state *s, const ir_inst *i)
{
	return (is_vmem(i) && s->lds_branch) || (is_lds(i) && s->vmem_branch) ? FIX_VSCNT : FIX_NONE;
}

static void
lds_or_vmem(state *s, const ir_inst *i)
{
	s->lds |= is_lds(i);
	s->vmem |= is_vmem(i);
	if (hz_is_class(i, 1 << ISA_BRANCH)) {
		s->lds_branch |= s->lds;
		s->vmem_branch |= s->vmem;
	}
}

static fix
cmpx_exec(const state *s, const ir_inst *i)
{
	(void)s;                /* who read EXEC before is not followed: v_cmpx is rare */
	return is_cmpx(i) ? FIX_SA_SDST : FIX_NONE;
}

static fix
cmpx_permlane(const state *s, const ir_inst *i)
{
	return is_permlane(i) && s->cmpx ? FIX_MOVE : FIX_NONE;
}

static void
cmpx_seen(state *s, const ir_inst *i)
{
	if (is_valu(i))
		s->cmpx = is_cmpx(i);
}

static fix
trans_use(const state *s, const ir_inst *i)
{
	for (unsigned r = 0; is_valu(i) && r < i->m.nargs; r++) {
		const p2a_opnd *o = &i->m.arg[r];

		if (o->kind != P2A_K_VGPR || (hz_is_result(i, r) && !(isa_table[i->m.op].eff & ISA_TIED)))
			continue;
		for (unsigned d = o->reg; d < o->reg + o->width && d < 256; d++)
			if (s->valus[d] && s->trans[d])
				return FIX_VA_VDST;
	}
	return FIX_NONE;
}

static void
trans_seen(state *s, const ir_inst *i)
{
	bool trans = hz_is_class(i, 1 << ISA_TRANS);

	if (!is_valu(i))
		return;
	for (unsigned r = 0; r < 256; r++) {
		s->valus[r] = (uint8_t)(s->valus[r] - (s->valus[r] != 0));
		s->trans[r] = (uint8_t)(s->trans[r] - (trans && s->trans[r]));
	}
	for (unsigned k = 0; k < i->ndefs; k++)
		for (unsigned d = 0; i->m.arg[k].kind == P2A_K_VGPR && d < i->m.arg[k].width; d++) {
			unsigned r = i->m.arg[k].reg + d;

			if (r < 256) {
				s->valus[r] = trans ? TRANS_VALUS : 0;
				s->trans[r] = trans ? TRANS_TRANS : 0;
			}
		}
}

/* Pairs of scalar registers that operands from..to of i touch; EXEC, M0 and NULL are safe. */
static uint64_t
pairs(const ir_inst *i, unsigned from, unsigned to, uint32_t implied_vcc)
{
	uint64_t m = i->m.op < ISA_NOPS && isa_table[i->m.op].eff & implied_vcc ? (uint64_t)1 << HZ_VCC / 2 : 0;

	for (unsigned k = from; k < to; k++) {
		unsigned first, n = hz_registers(&i->m.arg[k], &first);

		for (unsigned r = first; r < first + n && r < HZ_M0; r++)
			m |= (uint64_t)1 << r / 2;
	}
	return m;
}

static uint64_t
pairs_read(const ir_inst *i)
{
	bool tied = isa_table[i->m.op].eff & ISA_TIED;

	return pairs(i, tied ? 0 : i->ndefs, i->m.nargs, ISA_R_VCC);
}

static fix
read_sgpr(const state *s, const ir_inst *i)
{
	if (!is_valu(i) && !is_salu(i))
		return FIX_NONE;
	for (uint64_t m = pairs_read(i); m; m &= m - 1)
		if (s->salu_left[__builtin_ctzll(m)] > is_salu(i))
			return FIX_SA_SDST;
	return FIX_NONE;
}

static void
sgpr_seen(state *s, const ir_inst *i)
{
	if (is_valu(i))
		s->valu_read |= pairs_read(i);
	if (!is_salu(i))
		return;
	for (unsigned p = 0; p < NPAIR; p++)
		s->salu_left[p] = (uint8_t)(s->salu_left[p] - (s->salu_left[p] != 0));
	for (uint64_t m = pairs(i, 0, i->ndefs, ISA_W_VCC) & s->valu_read; m; m &= m - 1)
		s->salu_left[__builtin_ctzll(m)] = SALU_LIFE;
}

static const struct rule {
	uint32_t chips;
	fix (*ask)(const state *, const ir_inst *);
	void (*note)(state *, const ir_inst *);
} rules[] = {
	{ ISA_HZ_VMEM_SCALAR_WRITE, vmem_scalar_write, vmem_scalar_read },
	{ ISA_HZ_SMEM_VECTOR_WRITE, smem_vector_write, smem_scalar_read },
	{ ISA_HZ_LDS_BRANCH_VMEM,   lds_branch_vmem,   lds_or_vmem },
	{ ISA_HZ_VCMPX_EXEC_WAR,    cmpx_exec,         NULL },
	{ ISA_HZ_VCMPX_PERMLANE,    cmpx_permlane,     cmpx_seen },
	{ ISA_HZ_VALU_TRANS_USE,    trans_use,         trans_seen },
	{ ISA_HZ_VALU_READ_SGPR,    read_sgpr,         sgpr_seen },
};

/* ---- remedies ---- */

static void
clear(state *s, fix x)
{
	if (x == FIX_VM_VSRC)
		s->vmem_read = (set){ { 0 } };
	else if (x == FIX_SALU)
		s->smem_read = (set){ { 0 } };
	else if (x == FIX_VSCNT)
		s->lds = s->vmem = s->lds_branch = s->vmem_branch = false;
	else if (x == FIX_MOVE)
		s->cmpx = false;
	else if (x == FIX_VA_VDST)
		memset(s->valus, 0, sizeof s->valus);
	else if (x == FIX_SA_SDST)
		memset(s->salu_left, 0, sizeof s->salu_left);
}

static void
write_fix(ir_func *f, ir_inst *i, fix x)
{
	ir_builder B = { f, i->block, i, i->loc };
	ir_opnd null = { .kind = P2A_K_SREG, .width = 1, .reg = P2A_NULL }, n = { .kind = P2A_K_IMM };

	if (x == FIX_SALU) {
		ir_m(&B, OP_s_mov_b32, 2, null, ir_i32(0));
	} else if (x == FIX_VSCNT) {
		ir_m(&B, OP_s_waitcnt_vscnt, 2, null, n);
	} else if (x == FIX_MOVE) {
		ir_m(&B, OP_v_mov_b32, 2, i->m.arg[1], i->m.arg[1]);
	} else {
		n.imm = x == FIX_VM_VSRC ? VM_VSRC_0 : x == FIX_VA_VDST ? VA_VDST_0 : SA_SDST_0;
		ir_m(&B, OP_s_waitcnt_depctr, 1, n);
	}
}

/* ---- paths ---- */

static void
run_block(ir_func *f, ir_block *b, state *s, bool write)
{
	for (ir_inst *i = b->first; i; i = i->next)
		for (unsigned k = 0; k < 2 * COUNT(rules); k++) {
			const struct rule *r = &rules[k % COUNT(rules)];
			fix x;

			if (!(f->target->hazards & r->chips))
				continue;
			if (k >= COUNT(rules)) {
				if (r->note)
					r->note(s, i);
				continue;
			}
			x = r->ask(s, i);
			if (x == FIX_NONE)
				continue;
			clear(s, x);
			if (write)
				write_fix(f, i, x);
		}
}

static void
join(state *to, const state *s)
{
	for (unsigned w = 0; w < NSREG / 64; w++) {
		to->vmem_read.w[w] |= s->vmem_read.w[w];
		to->smem_read.w[w] |= s->smem_read.w[w];
	}
	to->lds |= s->lds;
	to->vmem |= s->vmem;
	to->lds_branch |= s->lds_branch;
	to->vmem_branch |= s->vmem_branch;
	to->cmpx |= s->cmpx;
	for (unsigned r = 0; r < 256; r++) {
		to->valus[r] = MAX(to->valus[r], s->valus[r]);
		to->trans[r] = MAX(to->trans[r], s->trans[r]);
	}
	to->valu_read |= s->valu_read;
	for (unsigned p = 0; p < NPAIR; p++)
		to->salu_left[p] = MAX(to->salu_left[p], s->salu_left[p]);
}

void
hz_flow(ir_func *f)
{
	uint32_t n = f->blocks.n, any = 0;
	state *in;
	bool *due, again = true;

	for (unsigned k = 0; k < COUNT(rules); k++)
		any |= f->target->hazards & rules[k].chips;
	if (!any)
		return;
	in = arena_array(f->A, state, n);
	due = arena_array(f->A, bool, n);
	memset(due, true, n * sizeof *due);
	while (again) {
		again = false;
		for (uint32_t b = 0; b < n; b++) {
			state s = in[b];

			if (!due[b])
				continue;
			due[b] = false;
			run_block(f, f->blocks.a[b], &s, false);
			for (uint32_t k = 0; k < f->blocks.a[b]->lsuccs.n; k++) {
				uint32_t to = f->blocks.a[b]->lsuccs.a[k]->id;
				state old;

				memcpy(&old, &in[to], sizeof old);
				join(&in[to], &s);
				if (memcmp(&old, &in[to], sizeof old) != 0)
					again = due[to] = true;
			}
		}
	}
	for (uint32_t b = 0; b < n; b++) {
		state s = in[b];

		run_block(f, f->blocks.a[b], &s, true);
	}
}
