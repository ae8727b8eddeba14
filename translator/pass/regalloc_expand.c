/* regalloc_expand.c -- slots, copies and the scratch prologue become instructions.
 * Needs registers in all operands and ra's reserved registers; leaves no pseudo operation but P_barrier.
 * Nothing here writes SCC, VCC or M0. Manuals: "Flat scratch instructions", "Scalar memory"; the launch
 * state is written in the AMDGPU user guide, "Flat Scratch".
 *
 * Scratch of a lane:  | .local variables | VGPR slots | dwords whose lanes hold SGPR slots |
 * SGPR slots come first into lanes of reserved VGPRs; those that do not fit into lanes 0..31 of scratch
 * dwords, which are reached with EXEC set to just these lanes. */
#include "pass/regalloc.h"

enum { LANES = 32 };            /* of a scratch dword that hold SGPR slots: a mask of 32 bits reaches them */

typedef struct expander {
	ra *R;
	ir_func *f;
	ir_builder B;
	uint32_t base;          /* what base_sgpr holds in this block; RA_NONE unknown */
} expander;

static ir_opnd
sgpr(unsigned reg, unsigned width)
{
	ir_opnd o = { .kind = P2A_K_SGPR, .width = (uint8_t)width, .reg = reg };

	if (reg >= RA_VCC) {
		o.kind = P2A_K_SREG;
		o.reg = width == 2 ? P2A_VCC : reg == RA_VCC ? P2A_VCC_LO : P2A_VCC_HI;
	}
	return o;
}

static ir_opnd
vgpr(unsigned reg, unsigned width)
{
	return (ir_opnd){ .kind = P2A_K_VGPR, .width = (uint8_t)width, .reg = reg };
}

static ir_opnd
sreg(unsigned reg, unsigned width)
{
	return (ir_opnd){ .kind = P2A_K_SREG, .width = (uint8_t)width, .reg = reg };
}

static unsigned
sgpr_number(ir_opnd o)
{
	return o.kind == P2A_K_SREG ? o.reg == P2A_VCC_HI ? RA_VCC + 1 : RA_VCC : o.reg;
}

/* ---- where slots lie ---- */

static uint32_t
vslot_start(const ra *R)
{
	return (R->f->local_size + 15) & ~15u;
}

static uint32_t
lane_dwords(const ra *R)
{
	uint32_t in_lanes = R->lane_vgprs * R->t->wave;

	return R->slots[RA_S] > in_lanes ? (R->slots[RA_S] - in_lanes + LANES - 1) / LANES : 0;
}

static uint32_t
scratch_end(const ra *R)
{
	return vslot_start(R) + 4 * (R->slots[RA_V] + lane_dwords(R));
}

/* Can scratch be reached at that offset without any register? */
static bool
reaches(const ra *R, uint32_t offset)
{
	p2a_inst i = { .op = OP_scratch_store_dword, .nargs = 3, .offset = (int32_t)offset,
		.arg = { { .kind = P2A_K_OFF }, P2A_V(0), { .kind = P2A_K_OFF } } };

	return p2a_check(R->t, &i) == 0;
}

void
ra_spill_regs(ra *R)
{
	uint32_t vgprs = R->f->max_vgprs ? MIN(R->f->max_vgprs, R->t->vgprs) : R->t->vgprs;
	uint32_t wave = R->t->wave, wanted = (R->slots[RA_S] + wave - 1) / wave;

	R->lane_vgprs = MIN(wanted, MAX(vgprs / 4, 1u));
	R->need_lane_scratch = lane_dwords(R) != 0;
	R->need_base = (R->slots[RA_V] || R->need_lane_scratch) && !reaches(R, scratch_end(R) - 4);
}

/* ---- scratch ---- */

static const uint16_t loads[] = { OP_scratch_load_dword, OP_scratch_load_dwordx2,
	OP_scratch_load_dwordx3, OP_scratch_load_dwordx4 };
static const uint16_t stores[] = { OP_scratch_store_dword, OP_scratch_store_dwordx2,
	OP_scratch_store_dwordx3, OP_scratch_store_dwordx4 };

/* What goes into the instruction's offset field when the rest is in base_sgpr: a whole window each. */
static uint32_t
window(const ra *R)
{
	uint32_t w = 1;

	while ((int64_t)w * 2 <= (int64_t)R->t->scratch_off_max + 1)
		w *= 2;
	return w;
}

static ir_opnd
address(expander *E, uint32_t offset, uint32_t last, int32_t *field)
{
	uint32_t base, w = window(E->R);

	*field = (int32_t)offset;
	if (reaches(E->R, last))
		return (ir_opnd){ .kind = P2A_K_OFF };
	base = offset & ~(w - 1);
	*field = (int32_t)(offset - base);
	if (E->base != base)
		ir_m(&E->B, OP_s_mov_b32, 2, sgpr(E->R->base_sgpr, 1), ir_i32(base));
	E->base = base;
	return sgpr(E->R->base_sgpr, 1);
}

static void
scratch(expander *E, bool load, unsigned reg, unsigned n, uint32_t offset)
{
	int32_t field;
	ir_opnd data = vgpr(reg, n), off = { .kind = P2A_K_OFF }, base = address(E, offset, offset, &field);
	ir_inst *i;

	if (load)
		i = ir_m(&E->B, loads[n - 1], 3, data, off, base);
	else
		i = ir_m(&E->B, stores[n - 1], 3, off, data, base);
	i->m.offset = field;
	i->mem = (ir_mem){ .space = IR_LOCAL, .bytes = (uint8_t)(4 * n), .align = 4 };
	E->f->k.scratch = true;
}

/* At most four dwords at once, and only from even registers where pairs must be even. */
static void
vector_slot(expander *E, bool load, unsigned reg, unsigned n, uint32_t slot)
{
	uint32_t offset = vslot_start(E->R) + 4 * slot;

	while (n) {
		unsigned part = E->R->t->align_vgpr_pairs && reg % 2 ? 1 : MIN(n, 4u);

		if ((offset & (window(E->R) - 1)) + 4 * part > window(E->R))
			part = 1;       /* not across two windows */
		scratch(E, load, reg, part, offset);
		reg += part;
		offset += 4 * part;
		n -= part;
	}
}

/* ---- SGPR slots ---- */

/* Gives EXEC the lanes of mask; restore_exec gives back what it was. */
static void
set_exec(expander *E, uint32_t mask)
{
	bool wide = E->R->t->wave == 64;
	unsigned w = wide ? 2 : 1;

	ir_m(&E->B, wide ? OP_s_mov_b64 : OP_s_mov_b32, 2, sgpr(E->R->save_sgpr, w),
		sreg(wide ? P2A_EXEC : P2A_EXEC_LO, w));
	ir_m(&E->B, OP_s_mov_b32, 2, sreg(P2A_EXEC_LO, 1), ir_i32(mask));
	if (wide)
		ir_m(&E->B, OP_s_mov_b32, 2, sreg(P2A_EXEC_HI, 1), ir_i32(0));
}

static void
restore_exec(expander *E)
{
	bool wide = E->R->t->wave == 64;
	unsigned w = wide ? 2 : 1;

	ir_m(&E->B, wide ? OP_s_mov_b64 : OP_s_mov_b32, 2, sreg(wide ? P2A_EXEC : P2A_EXEC_LO, w),
		sgpr(E->R->save_sgpr, w));
}

static void
lane_move(expander *E, bool load, unsigned reg, unsigned vreg, unsigned lane)
{
	if (load)
		ir_m(&E->B, OP_v_readlane_b32, 3, sgpr(reg, 1), vgpr(vreg, 1), ir_i32(lane));
	else
		ir_m(&E->B, OP_v_writelane_b32, 3, vgpr(vreg, 1), sgpr(reg, 1), ir_i32(lane));
}

/* n dwords in neighbouring lanes of one scratch dword. */
static void
lanes_in_scratch(expander *E, bool load, unsigned reg, unsigned n, uint32_t dword, unsigned lane)
{
	const ra *R = E->R;
	uint32_t offset = vslot_start(R) + 4 * (R->slots[RA_V] + dword);
	uint32_t mask = (n == 32 ? 0 : 1u << n) - 1;

	for (unsigned d = 0; d < n && !load; d++)
		lane_move(E, false, reg + d, R->lane_temp, lane + d);
	set_exec(E, mask << lane);
	scratch(E, load, R->lane_temp, 1, offset);
	restore_exec(E);
	for (unsigned d = 0; d < n && load; d++)
		lane_move(E, true, reg + d, R->lane_temp, lane + d);
}

static void
scalar_slot(expander *E, bool load, unsigned reg, unsigned n, uint32_t slot)
{
	const ra *R = E->R;
	uint32_t wave = R->t->wave, in_lanes = R->lane_vgprs * wave;

	while (n && slot < in_lanes) {
		lane_move(E, load, reg++, R->lane_vgpr + slot / wave, slot % wave);
		slot++;
		n--;
	}
	while (n) {
		unsigned lane = (slot - in_lanes) % LANES, part = MIN(n, LANES - lane);

		lanes_in_scratch(E, load, reg, part, (slot - in_lanes) / LANES, lane);
		reg += part;
		slot += part;
		n -= part;
	}
}

static void
expand_slot(expander *E, const ir_inst *i)
{
	const ir_opnd *o = &i->m.arg[0];
	bool load = i->m.op == P_reload;

	if (o->kind == P2A_K_VGPR)
		vector_slot(E, load, o->reg, o->width, (uint32_t)i->m.offset);
	else
		scalar_slot(E, load, sgpr_number(*o), o->width, (uint32_t)i->m.offset);
}

/* ---- copies ---- */

/* Dword d of any source. */
static ir_opnd
dword_of(ir_opnd o, unsigned d)
{
	static const uint8_t halves[][3] = { { P2A_VCC, P2A_VCC_LO, P2A_VCC_HI },
		{ P2A_EXEC, P2A_EXEC_LO, P2A_EXEC_HI },
		{ P2A_FLAT_SCRATCH, P2A_FLAT_SCRATCH_LO, P2A_FLAT_SCRATCH_HI },
		{ P2A_XNACK_MASK, P2A_XNACK_MASK_LO, P2A_XNACK_MASK_HI } };

	if (o.kind == P2A_K_IMM)
		return ir_part(o, d, 1);
	if (o.kind == P2A_K_SREG) {
		for (unsigned k = 0; k < COUNT(halves); k++)
			if (o.width > 1 && o.reg == halves[k][0])
				o.reg = halves[k][1 + d];
	} else {
		o.reg += d;
	}
	o.width = 1;
	return o;
}

static void
copy_dword(expander *E, ir_opnd d, ir_opnd s)
{
	unsigned op = d.kind == P2A_K_VGPR ? OP_v_mov_b32 :
		s.kind == P2A_K_VGPR ? OP_v_readfirstlane_b32 : OP_s_mov_b32;

	if (d.kind != s.kind || d.reg != s.reg)
		ir_m(&E->B, op, 2, d, s);
}

static bool
is_pair(const expander *E, ir_opnd o, unsigned d)
{
	p2a_inst i = { .op = OP_s_mov_b64, .nargs = 2 };

	if (o.kind == P2A_K_IMM && o.width == 1)
		return false;
	o = o.kind == P2A_K_SGPR ? sgpr(o.reg + d, 2) : o;
	i.arg[0] = sgpr(0, 2);
	i.arg[1] = o;
	return (o.kind == P2A_K_SGPR || d == 0) && o.kind != P2A_K_VGPR && p2a_check(E->R->t, &i) == 0;
}

static ir_opnd
pair_of(ir_opnd o, unsigned d)
{
	return o.kind == P2A_K_SGPR ? sgpr(o.reg + d, 2) : o;
}

/* Dwords in the order that keeps overlapping registers right. */
static void
expand_copy(expander *E, const ir_inst *i)
{
	ir_opnd d = i->m.arg[0], s = i->m.arg[1];
	bool down = d.kind == s.kind && s.kind != P2A_K_IMM && d.reg > s.reg;
	unsigned n = d.width;

	if (!i->m.nargs || (d.kind == s.kind && d.kind != P2A_K_IMM && d.reg == s.reg))
		return;
	for (unsigned k = 0; k < n;) {
		unsigned at = down ? n - 1 - k : k, low = down && at ? at - 1 : at;

		if (d.kind != P2A_K_VGPR && n - k >= 2 && is_pair(E, d, low) && is_pair(E, s, low)) {
			ir_m(&E->B, OP_s_mov_b64, 2, pair_of(d, low), pair_of(s, low));
			k += 2;
		} else {
			copy_dword(E, dword_of(d, at), dword_of(s, at));
			k++;
		}
	}
}

/* ---- prologue ---- */

static void
add_wave_offset(ir_builder *B, ir_opnd lo, ir_opnd hi, unsigned from, unsigned off)
{
	ir_m(B, OP_s_add_u32, 3, lo, sgpr(from, 1), sgpr(off, 1));
	ir_m(B, OP_s_addc_u32, 3, hi, sgpr(from + 1, 1), ir_i32(0))->glue = true;
}

/* FLAT_SCRATCH = what the launch gave + this wave's offset; the hardware does it where arch_scratch. */
static void
prologue(ra *R)
{
	enum { FLAT_SCR_LO = 20, FLAT_SCR_HI = 21, ALL_BITS = 31 << 11 };
	ir_func *f = R->f;
	ir_builder B = { f, f->entry, f->entry->first, 0 };
	unsigned fs = (unsigned)f->k.flat_scratch_sgpr, off = (unsigned)f->k.wave_offset_sgpr;
	p2a_inst named = { .op = OP_s_mov_b32, .nargs = 2,
		.arg = { { .kind = P2A_K_SREG, .width = 1, .reg = P2A_FLAT_SCRATCH_LO }, P2A_S(0) } };

	if (R->t->arch_scratch)
		return;
	if (f->k.flat_scratch_sgpr < 0 || f->k.wave_offset_sgpr < 0 || fs == off) {
		ra_internal(R, NULL, "scratch is used but its launch registers are not there");
		return;
	}
	if (p2a_check(R->t, &named) == 0) {
		add_wave_offset(&B, sreg(P2A_FLAT_SCRATCH_LO, 1), sreg(P2A_FLAT_SCRATCH_HI, 1), fs, off);
		return;
	}
	add_wave_offset(&B, sgpr(fs, 1), sgpr(fs + 1, 1), fs, off);
	ir_m(&B, OP_s_setreg_b32, 2, ir_i32(FLAT_SCR_LO | ALL_BITS), sgpr(fs, 1));
	ir_m(&B, OP_s_setreg_b32, 2, ir_i32(FLAT_SCR_HI | ALL_BITS), sgpr(fs + 1, 1));
	f->k.sgprs = MAX(f->k.sgprs, fs + 2);
}

/* ---- all ---- */

static void
expand(expander *E, ir_inst *i)
{
	E->B = (ir_builder){ E->f, i->block, i, i->loc };
	switch (i->m.op) {
	case P_spill: case P_reload:
		expand_slot(E, i);
		break;
	case P_copy:
		expand_copy(E, i);
		break;
	case P_entry: case P_undef: case P_meet:
		break;
	default:
		return;
	}
	ir_remove(i);
}

/* gfx90a reads a wrong amount for a 64-bit shift from the last VGPR of the allocation: allot one more. */
static void
avoid_last_vgpr(ra *R)
{
	if (R->shift64 && !R->lane_vgprs && !R->need_lane_scratch && R->f->k.vgprs &&
	    R->f->k.vgprs % R->t->vgpr_alloc == 0 && R->f->k.vgprs < R->t->vgprs)
		R->f->k.vgprs++;
}

void
ra_expand(ra *R)
{
	ir_func *f = R->f;
	expander E = { .R = R, .f = f };

	for (uint32_t b = 0; b < f->blocks.n; b++) {
		E.base = RA_NONE;
		for (ir_inst *i = f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			expand(&E, i);
		}
	}
	f->k.scratch |= f->local_size != 0;
	if (f->k.scratch) {
		f->k.scratch_size = (scratch_end(R) + 15) & ~15u;
		if (f->k.scratch_size > f->target->scratch_wave / f->target->wave)
			diag_add(f->mod->diags, DIAG_scratch_limit, f->loc, f->name, (unsigned long long)f->k.scratch_size,
				" with spills and stack", f->target->name, f->target->scratch_wave / f->target->wave);
		prologue(R);
	}
	avoid_last_vgpr(R);
}
