/* decode.c -- turns a dword of code into an emu_in: operands resolved, handler chosen, branch
 * targets as pointers. Runs once an instruction, when it is first reached; the handler is
 * published last.
 * Needs isa's decoder; leaves entries of emu_code.in. */
#include <stdlib.h>

#include "emu/object.h"

const emu_code *emu_find_code(emu_device *d, uint64_t addr)
{
	const emu_code *c = NULL;
	pthread_mutex_lock(&d->lock);
	for (emu_object *o = d->objects; o && !c; o = o->next)
		for (size_t i = 0; i < o->ncode; i++)
			if (addr - o->code[i].addr < o->code[i].size)
				c = &o->code[i];
	pthread_mutex_unlock(&d->lock);
	return c;
}

const emu_in *emu_in_at(const emu_code *c, uint64_t addr)
{
	return addr - c->addr < c->size && !(addr & 3) ? &c->in[(addr - c->addr) / 4] : NULL;
}

/* A constant as two lane arrays; equal constants share them. The object's lock is held. */
static const uint32_t *const_lanes(emu_object *o, uint64_t value)
{
	emu_lanes **slot = &o->lanes[(value * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
	for (emu_lanes *l = *slot; l; l = l->next)
		if (l->value == value)
			return l->lane;
	emu_lanes *l = aligned_alloc(64, sizeof *l);
	if (!l)
		return NULL;
	for (unsigned i = 0; i < EMU_LANES; i++) {
		l->lane[i] = (uint32_t)value;
		l->lane[EMU_LANES + i] = (uint32_t)(value >> 32);
	}
	l->value = value;
	l->next = *slot;
	*slot = l;
	return l->lane;
}

/* NULL: memory is short. */
static emu_kept *keep(emu_object *o, const p2a_inst *i)
{
	emu_kept *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	k->inst = *i;
	k->next = o->kept;
	o->kept = k;
	return k;
}

/* Named registers: where they stand in the scalar file. */
static const uint8_t sreg_at[P2A_NSREG] = {
	[P2A_VCC] = R_VCC,
	[P2A_VCC_LO] = R_VCC,
	[P2A_VCC_HI] = R_VCC + 1,
	[P2A_EXEC] = R_EXEC,
	[P2A_EXEC_LO] = R_EXEC,
	[P2A_EXEC_HI] = R_EXEC + 1,
	[P2A_M0] = R_M0,
	[P2A_NULL] = R_ZERO,
	[P2A_SCC] = R_SCC,
	[P2A_FLAT_SCRATCH] = R_FLAT_SCRATCH,
	[P2A_FLAT_SCRATCH_LO] = R_FLAT_SCRATCH,
	[P2A_FLAT_SCRATCH_HI] = R_FLAT_SCRATCH + 1,
	[P2A_XNACK_MASK] = R_XNACK_MASK,
	[P2A_XNACK_MASK_LO] = R_XNACK_MASK,
	[P2A_XNACK_MASK_HI] = R_XNACK_MASK + 1,
	[P2A_SHARED_BASE] = R_SHARED_BASE,
	[P2A_SHARED_LIMIT] = R_SHARED_LIMIT,
	[P2A_PRIVATE_BASE] = R_PRIVATE_BASE,
	[P2A_PRIVATE_LIMIT] = R_PRIVATE_LIMIT,
};

static bool scalar_operand(emu_opd *to, const p2a_opnd *o, bool def)
{
	to->kind = O_SCALAR;
	if (o->kind == P2A_K_SGPR) {
		to->reg = o->reg;
		return o->reg + (o->width ? o->width : 1u) <= EMU_SGPRS + 2;
	}
	if (o->reg >= P2A_TTMP0 && o->reg <= P2A_TTMP15) {
		to->reg = R_TTMP + (o->reg - P2A_TTMP0);
		return to->reg + o->width <= R_COUNT;
	}
	if (o->reg == P2A_VCCZ || o->reg == P2A_EXECZ) {
		to->kind = o->reg == P2A_VCCZ ? O_VCCZ : O_EXECZ;
		return !def;
	}
	if (o->reg >= P2A_NSREG || !sreg_at[o->reg])
		return false;
	to->reg = o->reg == P2A_NULL && def ? R_DUMP : sreg_at[o->reg];
	return true;
}

/* Vector registers up to here must be allocated. */
static void need_vector(emu_in *in, uint32_t first, uint32_t n)
{
	bool acc = first >= EMU_ACC;
	uint16_t *most = acc ? &in->amax : &in->vmax;
	uint32_t end = first + n - (acc ? EMU_ACC : 0);
	if (end > *most)
		*most = (uint16_t)end;
}

/* One operand. false: it cannot be held, or memory is short. */
static bool operand(emu_object *o, emu_in *in, emu_opd *to, const isa_arg *a, const p2a_opnd *from)
{
	to->width = from->width ? from->width : a->width;
	to->mods = from->mods;
	to->sel = from->sel;
	to->type = a->type;
	switch (from->kind) {
	case P2A_K_VGPR: case P2A_K_AGPR:
		to->kind = O_VGPR;
		to->reg = from->reg + (from->kind == P2A_K_AGPR ? EMU_ACC : 0);
		need_vector(in, to->reg, to->width);
		return from->reg < EMU_ACC;
	case P2A_K_SGPR:
		if (from->reg < EMU_SGPRS && from->reg + to->width > in->smax)
			in->smax = (uint16_t)(from->reg + to->width < EMU_SGPRS
					? from->reg + to->width
					: EMU_SGPRS);
		return scalar_operand(to, from, a->def);
	case P2A_K_SREG:
		return scalar_operand(to, from, a->def);
	case P2A_K_IMM:
		to->kind = O_CONST;
		to->imm = (uint64_t)from->imm;
		to->lanes = const_lanes(o, to->imm);
		return to->lanes;
	default:
		to->kind = O_NONE;
		return true;
	}
}

static uint8_t class_of(unsigned cls)
{
	static const uint8_t count[] = {
		[ISA_VALU] = 0,
		[ISA_TRANS] = 0,
		[ISA_SALU] = 1,
		[ISA_VMEM] = 2,
		[ISA_FLAT] = 2,
		[ISA_SMEM] = 3,
		[ISA_DS] = 4,
		[ISA_BRANCH] = 5,
		[ISA_WAIT] = 6,
		[ISA_BARRIER] = 6,
		[ISA_SPECIAL] = 6,
		[ISA_END] = 6,
	};
	return cls < sizeof count ? count[cls] : 6;
}

/* Sources in the order in which the operations take them; memory operands have fixed places:
 * src[0] address, src[1] data, src[2] scalar address (or DS: second data). */
static int place(const isa_arg *a, int next)
{
	switch (a->slot) {
	case ISA_SL_VADDR: case ISA_SL_ADDR: case ISA_SL_SBASE: return 0;
	case ISA_SL_VDATA: case ISA_SL_DATA0: case ISA_SL_SOFFSET: return 1;
	case ISA_SL_SADDR: case ISA_SL_DATA1: case ISA_SL_SRSRC: case ISA_SL_SDATA: return 2;
	case ISA_SL_NUM: return next < 2 ? next : 2;    /* of prefetches, which nobody asks */
	default: return next;
	}
}

static bool operands(emu_object *o, emu_in *in, const isa_info *info, const p2a_inst *inst)
{
	int n = 0;
	for (unsigned k = 0; k < info->nargs && k < inst->nargs; k++) {
		const isa_arg *a = &info->arg[k];
		emu_opd *to;
		if (a->type == ISA_T_MASK)
			to = a->def ? &in->out : &in->cin;
		else if (a->slot == ISA_SL_BOFF)
			to = &in->cin;
		else if (a->def && in->dst.kind == O_NONE)
			to = &in->dst;
		else {
			n = place(a, n);
			if (n > 2)
				return false;
			to = &in->src[n++];
		}
		if (!operand(o, in, to, a, &inst->arg[k]))
			return false;
	}
	bool memory = info->eff & (ISA_LOAD | ISA_STORE);
	if (info->eff & ISA_ATOMIC && info->eff & ISA_TIED)      /* what returns is where the data was */
		in->src[info->cls == ISA_SMEM ? 2 : 1] = in->dst;
	if (info->eff & ISA_TIED && !memory && n < 3) {
		in->src[n] = in->dst;
		in->src[n].mods = in->src[n].sel = 0;
	}
	if (info->eff & ISA_R_VCC && in->cin.kind == O_NONE)
		in->cin = (emu_opd){ .kind = O_SCALAR, .width = 2, .reg = R_VCC };
	return true;
}

/* Which half of a pair of f32 a constant fills is not documented: the high one must not be read. Nor what one of a pair of
 * bf16 is. */
static bool unclear_constant(const p2a_target *t, const emu_in *in)
{
	for (unsigned k = 0; k < 3; k++) {
		const emu_opd *o = &in->src[k];
		bool floating = o->imm > 64 && o->imm <= UINT32_MAX;
		if (o->type == ISA_T_S2 && o->kind == O_CONST && floating && o->sel != P2A_OP_HI)
			return true;
		bool literal = o->mods & P2A_LIT || !isa_is_inline(t, ISA_T_BF2, (int64_t)o->imm);
		if (o->type == ISA_T_BF2 && o->kind == O_CONST && o->imm > 64 && o->imm <= UINT16_MAX && !literal)
			return true;
	}
	return false;
}

/* Nor what a constant of VOP3 is as a pair of halves, and whose sign neg and abs change there: the manual of gfx12 has neg alone,
 * LLVM both. */
static bool unclear_pair(const p2a_target *t, const emu_in *in, const p2a_inst *inst)
{
	for (unsigned k = 0; k < 2 && (inst->op == OP_v_dot2_f16_f16 || inst->op == OP_v_dot2_bf16_bf16); k++) {
		const emu_opd *o = &in->src[k];
		bool literal = o->mods & P2A_LIT || !isa_is_inline(t, o->type, (int64_t)o->imm);
		if (o->mods & (P2A_NEG | P2A_ABS) || (o->kind == O_CONST && o->imm && !literal))
			return true;
	}
	return false;
}

/* What keeps a vector instruction off the fast path, whatever MODE says. */
static uint8_t slow_bits(const p2a_target *t, const emu_in *in, const isa_info *info, const p2a_inst *inst)
{
	unsigned s = 0;
	for (unsigned k = 0; k < 3; k++)
		if (in->src[k].mods & ~(unsigned)P2A_LIT || in->src[k].sel)
			s |= S_MODS;
	if (info->eff & ISA_FLOAT && (inst->clamp || inst->omod))
		s |= S_POST;
	if (inst->enc == P2A_ENC_SDWA)
		s |= S_SDWA;
	if (isa_is_dpp(inst->enc))
		s |= S_DPP;
	/* As an instruction of VOP3 alone it has op_sel, which leaves a half also where others clear it. */
	bool alone = inst->enc == P2A_ENC_AUTO || (inst->enc >= P2A_ENC_E64_DPP && !isa_is_short(t, inst->op));
	if (info->eff & ISA_HALF && (in->dst.type == ISA_T_F16 || in->dst.type == ISA_T_B16) &&
		(in->dst.sel || (alone && t->family == ISA_GFX9)))
		s |= S_HALF;
	if (in->dst.type == ISA_T_B8)
		s |= S_BYTE;
	return (uint8_t)s;
}

/* Memory instructions touch as many registers as they move dwords: make sure that they are
 * counted. */
static bool cover(emu_in *in)
{
	uint32_t dwords = (in->size + 3u) / 4 *
		(in->flags & M_TWO && !(in->flags & M_STORE) ? 2 : 1);
	for (unsigned k = 0; k < 4; k++) {
		const emu_opd *o = k < 3 ? &in->src[k] : &in->dst;
		if (o->kind == O_VGPR && k)
			need_vector(in, o->reg, dwords);
	}
	return in->dst.kind != O_SCALAR ||
		in->dst.reg + dwords <= (in->dst.reg < R_VCC + 2 ? R_VCC + 2 : R_COUNT);
}

/* gfx90a and gfx942 drop the low bit of a wide operand's register: refuse what would read
 * another. */
static bool misaligned_pair(const p2a_target *t, const p2a_inst *inst)
{
	for (unsigned k = 0; t->align_vgpr_pairs && k < inst->nargs; k++)
		if ((inst->arg[k].kind == P2A_K_VGPR || inst->arg[k].kind == P2A_K_AGPR) && inst->arg[k].width > 1 &&
			inst->arg[k].reg & 1)
			return true;
	return false;
}

/* A load that goes past caches, since others may change what it reads: by scope from gfx12 on, by GLC before, by SC0 and SC1 on gfx942. */
static bool looks(const emu_sem *sem, const p2a_inst *inst)
{
	const unsigned past = P2A_GLC | P2A_SC0 | P2A_SC1 | 3u << P2A_SCOPE_SHIFT;
	return sem->fn == h_vmem && !(sem->flags & (M_STORE | M_SCRATCH)) && inst->cpol & past;
}

/* All of it but where it stands. */
static emu_fn resolve(emu_object *o, emu_in *in, const p2a_inst *inst)
{
	const isa_info *info = &isa_table[inst->op];
	const emu_sem *sem = &emu_sem_table[inst->op];
	in->op = inst->op;
	in->cls = class_of(info->cls);
	in->offset = inst->offset;
	in->offset1 = inst->offset1;
	in->size = sem->size;
	in->flags = sem->flags;
	in->flt = sem->flt;
	in->aop = sem->aop;
	in->clamp = inst->clamp && !(info->eff & ISA_FLOAT);
	in->vfn = o->dev->hot[inst->op] ? o->dev->hot[inst->op] : emu_cold[inst->op];
	if (!sem->fn || !operands(o, in, info, inst) || (sem->size && !cover(in)))
		return h_unknown;
	if (unclear_constant(&o->dev->target, in) || unclear_pair(&o->dev->target, in, inst))
		return h_unclear;
	if (o->dev->check >= EMU_CHECK_MEMORY && misaligned_pair(&o->dev->target, inst))
		return h_odd_pair;
	if (sem->flags & M_HI && sem->fn == h_valu)
		in->dst.sel = P2A_OP_SEL;
	in->slow = slow_bits(&o->dev->target, in, info, inst);
	emu_fn fn = sem->fn == h_valu && in->dst.kind == O_SCALAR ? h_valu_scalar : looks(sem, inst) ? h_vmem_poll : sem->fn;
	if (!in->slow)
		return fn;
	emu_kept *k = keep(o, inst);
	if (!k)
		return h_unknown;
	in->inst = &k->inst;
	return fn;
}

/* A pair (VOPD): its first half here, the other in an entry of its own. */
static emu_fn resolve_pair(emu_object *o, emu_in *in, const p2a_inst *pair)
{
	p2a_inst half[2];
	emu_kept *k = keep(o, pair);
	if (!k)
		return h_unknown;
	isa_half(pair, 0, &half[0]);
	isa_half(pair, 1, &half[1]);
	in->second = &k->second;
	emu_fn x = resolve(o, in, &half[0]), y = resolve(o, in->second, &half[1]);
	if (x != h_valu || y != h_valu)
		return h_unknown;
	if (in->second->vmax > in->vmax)
		in->vmax = in->second->vmax;
	if (in->second->smax > in->smax)
		in->smax = in->second->smax;
	return h_dual;
}

int emu_read(const emu_code *c, const emu_in *in, uint32_t w[P2A_MAX_DWORDS], p2a_inst *inst)
{
	const p2a_target *t = &c->object->dev->target;
	size_t at = (size_t)(in - c->in), left = c->size / 4 - at;
	memset(w, 0, P2A_MAX_DWORDS * sizeof *w);
	if (left > P2A_MAX_DWORDS)
		left = P2A_MAX_DWORDS;
	memcpy(w, (const char *)(uintptr_t)c->addr + 4 * at, 4 * left);
	int n = left ? isa_decode_any(t, w, left, inst) : 0;
	return n > 0 && (size_t)n <= left ? n : 0;
}

static emu_fn fill_in(const emu_code *c, emu_in *in)
{
	emu_object *o = c->object;
	size_t at = (size_t)(in - c->in);
	uint32_t w[P2A_MAX_DWORDS];
	p2a_inst inst = { 0 };
	int n = emu_read(c, in, w, &inst);
	in->cls = 6;
	in->next = in + 1;
	if (!n || inst.op >= ISA_NOPS) {
		emu_fn gws = at + 1 < c->size / 4 ? emu_decode_gws(&o->dev->target, w, in) : NULL;
		return gws ? gws : h_unknown;
	}
	in->next = in + n;
	if (inst.enc == P2A_ENC_DUAL)
		return resolve_pair(o, in, &inst);
	const isa_info *info = &isa_table[inst.op];
	emu_fn fn = resolve(o, in, &inst);
	if (info->cls == ISA_BRANCH && info->nargs && info->arg[info->nargs - 1].slot == ISA_SL_REL) {
		int64_t to = (int64_t)at + 1 + inst.arg[info->nargs - 1].imm;
		in->target =
			&c->in[to >= 0 && (uint64_t)to < c->size / 4 ? (size_t)to : c->size / 4];
	}
	return fn;
}

emu_fn emu_decode(const emu_code *c, const emu_in *which)
{
	emu_in *in = &c->in[which - c->in];
	pthread_mutex_lock(&c->object->lock);
	emu_fn fn = in->fn;
	if (!fn) {
		fn = fill_in(c, in);
		__atomic_store_n(&in->fn, fn, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&c->object->lock);
	return fn;
}
