/* hazard_flow.c -- hazards without a fixed distance: what is at risk is carried along all paths.
 * Needs physical code; leaves s_waitcnt_depctr and the other remedies before the instruction at risk.
 * Sources: hazards.def. Each rule has a part of the state, a test that asks before an instruction and
 * an update behind it; where paths meet, the worse counts. */
#include "pass/hazard.h"

#include <string.h>

enum { NSREG = 128 };
enum { TRANS_VALUS = 6, TRANS_TRANS = 2 };      /* instructions between after which a result is safe */

typedef struct set { uint64_t w[NSREG / 64]; } set;

typedef struct state {
	set vmem_read;          /* VMEM_SCALAR_WRITE: scalar registers that memory instructions may still read */
	set smem_read;          /* SMEM_VECTOR_WRITE */
	bool lds, vmem;         /* LDS_BRANCH_VMEM: such an instruction went by */
	bool lds_branch, vmem_branch; /* and then a branch */
	bool cmpx;              /* VCMPX_PERMLANE: no VALU instruction since */
	uint8_t valus[256], trans[256]; /* VALU_TRANS_USE: instructions until the VGPR is safe */
	set valu_read;          /* VALU_READ_SGPR: pairs that some VALU instruction has read, both halves */
	set salu_wrote, valu_wrote; /* those of them that were written then */
} state;

/* The last three go together. */
typedef enum fix { FIX_NONE, FIX_VM_VSRC, FIX_SALU, FIX_VSCNT, FIX_MOVE, FIX_VA_VDST, FIX_SA_SDST = 8,
	FIX_VA_SDST = 16, FIX_VA_VCC = 32 } fix;

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
vmem_scalar_read(const ir_func *f, state *s, const ir_inst *i)
{
	(void)f;
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

/* Does i wait until the counter is 0? */
static bool
wait_zero(const ir_func *f, const ir_inst *i, int counter)
{
	if (i->m.op == OP_s_waitcnt_vscnt)
		return counter == ISA_CNT_VS && !i->m.arg[1].imm;
	return i->m.op == OP_s_waitcnt && isa_wait_get(f->target, counter, (uint32_t)i->m.arg[0].imm) == 0;
}

static void
smem_scalar_read(const ir_func *f, state *s, const ir_inst *i)
{
	if (is_salu(i) || wait_zero(f, i, ISA_CNT_LGKM))
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
lds_or_vmem(const ir_func *f, state *s, const ir_inst *i)
{
	if (wait_zero(f, i, ISA_CNT_VS))
		s->lds = s->vmem = s->lds_branch = s->vmem_branch = false;
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
cmpx_seen(const ir_func *f, state *s, const ir_inst *i)
{
	(void)f;
	if (is_valu(i) && i->m.op != OP_v_nop)
		s->cmpx = is_cmpx(i);
}

static fix
trans_use(const state *s, const ir_inst *i)
{
	for (unsigned r = 0; is_valu(i) && r < i->m.nargs; r++) {
		const p2a_opnd *o = &i->m.arg[r];

		if (o->kind != P2A_K_VGPR || (hz_is_result(i, r) && !(isa_effects(&i->m) & ISA_TIED)))
			continue;
		for (unsigned d = o->reg; d < o->reg + o->width && d < 256; d++)
			if (s->valus[d] && s->trans[d])
				return FIX_VA_VDST;
	}
	return FIX_NONE;
}

/* Memory instructions wait for all results anyway. */
static void
trans_seen(const ir_func *f, state *s, const ir_inst *i)
{
	bool trans = hz_is_class(i, 1 << ISA_TRANS);

	(void)f;
	if (is_vmem(i) || is_lds(i))
		memset(s->valus, 0, sizeof s->valus);
	if (!is_valu(i))
		return;
	for (unsigned r = 0; r < 256; r++) {
		s->valus[r] = (uint8_t)(s->valus[r] - (s->valus[r] != 0));
		s->trans[r] = (uint8_t)(s->trans[r] - (trans && s->trans[r]));
	}
	for (unsigned k = 0; trans && k < i->ndefs; k++)
		for (unsigned d = 0; i->m.arg[k].kind == P2A_K_VGPR && d < i->m.arg[k].width; d++) {
			unsigned r = i->m.arg[k].reg + d;

			if (r < 256) {
				s->valus[r] = TRANS_VALUS;
				s->trans[r] = TRANS_TRANS;
			}
		}
}

/* EXEC, M0 and NULL are safe. */
static unsigned
what_to_wait_for(const state *s, const ir_inst *i, unsigned r)
{
	unsigned x = FIX_NONE;

	if (in_set(&s->salu_wrote, r))
		x |= FIX_SA_SDST;
	if (in_set(&s->valu_wrote, r) && is_valu(i))
		x |= r < HZ_VCC ? FIX_VA_SDST : FIX_VA_VCC;
	return x;
}

static fix
read_sgpr(const state *s, const ir_inst *i)
{
	unsigned x = FIX_NONE;

	if (!hz_is_class(i, HZ_VALU | HZ_SALU))
		return FIX_NONE;
	for (unsigned r = 0; r < HZ_M0; r++)
		if ((in_set(&s->salu_wrote, r) || in_set(&s->valu_wrote, r)) && hz_reads(i, r))
			x |= what_to_wait_for(s, i, r);
	return (fix)x;
}

/* Forgets VCC or all the others. */
static void
forget(set *s, bool vcc)
{
	uint64_t mask = (uint64_t)3 << (HZ_VCC - 64);

	s->w[0] &= vcc ? ~(uint64_t)0 : 0;
	s->w[1] &= vcc ? ~mask : mask;
}

static void
sgpr_seen(const ir_func *f, state *s, const ir_inst *i)
{
	bool valu = is_valu(i);

	(void)f;
	if (!hz_is_class(i, HZ_VALU | HZ_SALU))
		return;
	for (unsigned r = 0; r < HZ_M0; r++) {
		if (hz_reads(i, r) && valu)
			s->valu_read.w[r / 64] |= (uint64_t)3 << (r & 62);
		else if (hz_reads(i, r))        /* SALU waits for it by itself; on another path it had no need to */
			s->valu_wrote.w[r / 64] &= ~((uint64_t)1 << r % 64);
	}
	for (unsigned r = 0; r < HZ_M0; r++)
		if (in_set(&s->valu_read, r) && hz_writes(i, r))
			(valu ? &s->valu_wrote : &s->salu_wrote)->w[r / 64] |= (uint64_t)1 << r % 64;
}

static const struct rule {
	uint32_t chips;
	fix (*ask)(const state *, const ir_inst *);
	void (*note)(const ir_func *, state *, const ir_inst *);
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
	if (x & FIX_SA_SDST)
		s->salu_wrote = (set){ { 0 } };
	if (x & FIX_VA_SDST)
		forget(&s->valu_wrote, false);
	if (x & FIX_VA_VCC)
		forget(&s->valu_wrote, true);
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
		n.imm = ISA_DEPCTR_ALL & ~(x == FIX_VM_VSRC ? ISA_DEPCTR_VM_VSRC : x == FIX_VA_VDST ? ISA_DEPCTR_VA_VDST :
			(x & FIX_SA_SDST ? ISA_DEPCTR_SA_SDST : 0) | (x & FIX_VA_SDST ? ISA_DEPCTR_VA_SDST : 0) |
			(x & FIX_VA_VCC ? ISA_DEPCTR_VA_VCC : 0));
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
					r->note(f, s, i);
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
		to->valu_read.w[w] |= s->valu_read.w[w];
		to->salu_wrote.w[w] |= s->salu_wrote.w[w];
		to->valu_wrote.w[w] |= s->valu_wrote.w[w];
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
