/* select_entry.c -- what the launch puts into registers, and what is computed from it. Needs the
 * special operations that are used; leaves P_entry with pinned values, f->k's entry part, and
 * f->max_vgprs. The scratch prologue is pass regalloc's: on chips that do not set FLAT_SCRATCH
 * up by themselves FLAT_SCRATCH_INIT is always asked for, and f->k.flat_scratch_sgpr (a pair)
 * and wave_offset_sgpr (written only if the kernel uses scratch) say where the two values
 * arrive. AMDGPUUsage, "Initial Kernel Execution State", "Kernel Dispatch Packet"; work-group
 * ids of gfx12: TTMP9, TTMP7. */
#include "pass/select.h"

enum { TTMP_X = P2A_TTMP0 + 9, TTMP_YZ = P2A_TTMP0 + 7 };
enum { PACKET_SIZE = 4 /* u16 x 3 */, PACKET_GRID = 12 /* u32 x 3 */, PACKET_LDS = 28 };
/* m.offset of G_kernarg: select gives it a second meaning, the dispatch packet. */
enum { KERNARG, DISPATCH };

/* ---- block sizes ---- */

/* Once for all users: loads at the start of the entry block, what is computed from them where it
 * is first wanted there, or at the block's end. */
typedef struct sizes {
	ir_builder top, B;
	ir_opnd block[3], grid[3];
} sizes;

static ir_opnd
packet_load(sizes *z, unsigned offset)
{
	ir_func *f = z->B.f;
	ir_opnd base = ir_valop(f, ir_new_val(f, 2)), d;

	ir_gen_to(&z->top, base, G_kernarg, 0, NULL);
	ir_last(&z->top)->m.offset = DISPATCH;
	d = ir_g1(&z->top, G_load, base);
	ir_last(&z->top)->m.offset = (int32_t)offset;
	ir_last(&z->top)->mem = (ir_mem){ .space = IR_CONST, .bytes = 4, .align = 4, .nc = 1 };
	return d;
}

static ir_opnd
block_size(sizes *z, unsigned dim)
{
	const ir_func *f = z->B.f;
	unsigned at = PACKET_SIZE + 2 * dim;

	if (z->block[dim].kind)
		return z->block[dim];
	if (f->reqntid[dim])
		z->block[dim] = ir_i32(f->reqntid[dim]);
	else
		z->block[dim] = ir_g3(&z->B, G_bfe_u32, packet_load(z, at & ~3u),
				      ir_i32((at & 3) * 8), ir_i32(16));
	return z->block[dim];
}

/* n / d for n a multiple of d, d > 0: the powers of two are shifted out, then the product with
 * the inverse of d modulo 2^32 (Newton: each step doubles the number of right bits, from five). */
static ir_opnd
divide_exactly(ir_builder *B, ir_opnd n, ir_opnd d)
{
	ir_opnd zeros = ir_g1(B, G_ffbh32, ir_g1(B, G_brev32, d)), x;

	n = ir_g2(B, G_lshr32, n, zeros);
	d = ir_g2(B, G_lshr32, d, zeros);
	x = ir_g2(B, G_xor32, ir_g2(B, G_mul32, d, ir_i32(3)), ir_i32(2));
	for (unsigned k = 0; k < 3; k++)
		x = ir_g2(B, G_mul32, x, ir_g2(B, G_sub32, ir_i32(2), ir_g2(B, G_mul32, d, x)));
	return ir_g2(B, G_mul32, n, x);
}

static ir_opnd
grid_size(sizes *z, unsigned dim)
{
	if (!z->grid[dim].kind)
		z->grid[dim] = divide_exactly(&z->B, packet_load(z, PACKET_GRID + 4 * dim),
					      block_size(z, dim));
	return z->grid[dim];
}

/* %ntid, %nctaid, %dynamic_smem_size become loads from the dispatch packet, which holds sizes in work-items
 * and the sum of static and dynamic LDS. */
void
sel_lower_specials(ir_func *f)
{
	sizes z = { .top = { f, f->entry, f->entry->first, 0 } };

	while (z.top.before && z.top.before->m.op == G_phi)
		z.top.before = z.top.before->next;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			int s = i->m.op == G_special ? i->m.offset : -1;

			z.B = (ir_builder){ f, f->entry, i, i->loc };
			if (b != f->entry->id)
				z.B.before = ir_terminator(f->entry);
			if (s >= IR_NTID_X && s <= IR_NTID_Z)
				i->m.arg[1] = block_size(&z, (unsigned)s - IR_NTID_X);
			else if (s >= IR_NCTAID_X && s <= IR_NCTAID_Z)
				i->m.arg[1] = grid_size(&z, (unsigned)s - IR_NCTAID_X);
			else if (s == IR_DYN_SHARED)
				i->m.arg[1] = ir_g2(&z.B, G_sub32, packet_load(&z, PACKET_LDS), ir_i32(f->lds_static));
			else
				continue;
			i->m.op = G_copy32;
			i->m.nargs = 2;
			i->m.offset = 0;
		}
}

/* ---- registers at entry ---- */

typedef struct needs { bool kernarg, dispatch, wgid[3], tid[3]; } needs;

static needs
find_needs(const ir_func *f)
{
	needs n = { 0 };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			if (i->m.op == G_kernarg)
				*(i->m.offset == DISPATCH ? &n.dispatch : &n.kernarg) = true;
			if (i->m.op != G_special)
				continue;
			if (i->m.offset <= IR_TID_Z)
				n.tid[i->m.offset - IR_TID_X] = true;
			else if (i->m.offset >= IR_CTAID_X && i->m.offset <= IR_CTAID_Z)
				n.wgid[i->m.offset - IR_CTAID_X] = true;
		}
	return n;
}

static uint32_t
pinned(sel *S, unsigned bank, unsigned dwords, unsigned reg)
{
	uint32_t v = ir_new_reg(S->f, bank, dwords);

	S->f->vals.a[v].pin = (int16_t)reg;
	S->f->vals.a[v].divergent = bank == IR_BANK_V;
	return v;
}

/* User SGPRs stand from s0 in the order of the descriptor's bits; then work-group ids x, y, z,
 * then the wave's scratch offset. */
static void
scalar_registers(sel *S, const needs *n)
{
	unsigned s = 0, nids = 0;

	S->f->k.kernarg_ptr = n->kernarg;
	S->f->k.dispatch_ptr = n->dispatch;
	S->f->k.flat_scratch_init = !S->t->arch_scratch;
	S->f->k.flat_scratch_sgpr = S->f->k.wave_offset_sgpr = -1;
	if (n->dispatch)
		S->dispatch = pinned(S, IR_BANK_S, 2, s), s += 2;
	if (n->kernarg)
		S->kernarg = pinned(S, IR_BANK_S, 2, s), s += 2;
	if (!S->t->arch_scratch)
		S->f->k.flat_scratch_sgpr = (int16_t)s, s += 2;
	for (unsigned k = 0; k < 3; k++)
		nids += S->f->k.wgid[k] = n->wgid[k];
	/* With fewer than 16 user and work-group SGPRs the hardware starts gfx1100's waves
	 * wrongly. */
	if (S->t->user_sgpr16_bug && S->t->wave == 32)
		s = MAX(s, 16 - nids);
	S->f->k.user_sgprs = (uint8_t)s;
	for (unsigned k = 0; k < 3; k++)
		if (n->wgid[k] && !S->t->ttmp_wgid)
			S->wgid[k] = pinned(S, IR_BANK_S, 1, s++);
	if (!S->t->arch_scratch)
		S->f->k.wave_offset_sgpr = (int16_t)s;
}

static void
vector_registers(sel *S, const needs *n)
{
	S->f->k.wid = n->tid[2] ? 2 : n->tid[1] ? 1 : 0;
	for (unsigned k = 0; k < 3; k++) {
		if (!n->tid[k])
			continue;
		if (!S->t->packed_tid)
			S->tid[k] = pinned(S, IR_BANK_V, 1, k);
		else if (S->tid[0])
			S->tid[k] = S->tid[0];
		else
			S->tid[0] = S->tid[k] = pinned(S, IR_BANK_V, 1, 0);
	}
}

static void
add_result(const sel *S, ir_opnd *out, unsigned *n, uint32_t v)
{
	for (unsigned k = 0; k < *n; k++)
		if (out[k].reg == v)
			return;
	if (v)
		out[(*n)++] = ir_valop(S->f, v);
}

void
sel_entry(sel *S)
{
	needs n = find_needs(S->f);
	ir_inst *at = S->f->entry->first;
	ir_builder B = { S->f, S->f->entry, NULL, 0 };
	ir_opnd out[P2A_MAX_ARGS];
	unsigned k = 0;

	while (at && at->m.op == G_phi)
		at = at->next;
	B.before = at;
	scalar_registers(S, &n);
	vector_registers(S, &n);
	add_result(S, out, &k, S->dispatch);
	add_result(S, out, &k, S->kernarg);
	for (unsigned d = 0; d < 3; d++)
		add_result(S, out, &k, S->wgid[d]);
	if (k)
		ir_emit(&B, P_entry, k, k, out);
	k = 0;
	for (unsigned d = 0; d < 3; d++)
		add_result(S, out, &k, S->tid[d]);
	if (k)
		ir_emit(&B, P_entry, k, k, out);
}

/* ---- specials as operands ---- */

static bool
alone(const sel *S, unsigned dim)
{
	return !S->t->packed_tid || (dim == 0 && !S->f->k.wid);
}

ir_opnd
sel_special(const sel *S, const ir_inst *i)
{
	unsigned s = (unsigned)i->m.offset;
	uint32_t v = 0;

	if (i->m.op == G_kernarg)
		v = s == DISPATCH ? S->dispatch : S->kernarg;
	else if (s <= IR_TID_Z && alone(S, s - IR_TID_X))
		v = S->tid[s - IR_TID_X];
	else if (s >= IR_CTAID_X && s <= IR_CTAID_Z)
		v = S->wgid[s - IR_CTAID_X];
	return v ? ir_valop(S->f, v) : (ir_opnd){ 0 };
}

/* v_mbcnt_lo gives lanes of the upper half 32. */
static void
warp_base(sel *S, ir_opnd d)
{
	ir_opnd n;

	if (S->t->wave == 32) {
		sel_copy(S, d, ir_i32(0));
		return;
	}
	n = sel_tmp2(S, OP_v_mbcnt_lo_u32_b32, ir_i32(~0u), ir_i32(0));
	sel_op2(S, OP_v_and_b32, d, ir_i32(32), n);
}

static void
lane_id(sel *S, ir_opnd d)
{
	ir_opnd lo = d, hi;

	if (S->t->wave == 32) {
		sel_op2(S, OP_v_mbcnt_lo_u32_b32, d, ir_i32(~0u), ir_i32(0));
		return;
	}
	/* A wave of 64 carries two warps: the lane's number within its half. */
	lo = sel_tmp2(S, OP_v_mbcnt_lo_u32_b32, ir_i32(~0u), ir_i32(0));
	hi = sel_tmp2(S, OP_v_mbcnt_hi_u32_b32, ir_i32(~0u), lo);
	sel_op2(S, OP_v_and_b32, d, ir_i32(31), hi);
}

void
sel_do_special(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd to = sel_dst(S, i), d = to, o = sel_special(S, i);
	unsigned s = (unsigned)i->m.offset;

	(void)r;
	if (s > IR_TID_Z && s != IR_LANEID && s != IR_WARPBASE && sel_is_v(S, d))
		d = sel_new(S, IR_BANK_S, 1);   /* in an irreducible region */
	if (o.kind != P2A_K_NONE)
		sel_copy(S, to, o);
	else if (s <= IR_TID_Z)
		sel_op3(S, OP_v_bfe_u32, d, ir_valop(S->f, S->tid[s]), ir_i32(10 * s), ir_i32(10));
	else if (s == IR_LANEID)
		lane_id(S, d);
	else if (s == IR_WARPBASE)
		warp_base(S, d);
	else if (s == IR_CTAID_X)
		sel_op1(S, OP_s_mov_b32, d, sel_sreg(TTMP_X, 1));
	else if (s == IR_CTAID_Y)
		sel_op2(S, OP_s_and_b32, d, sel_sreg(TTMP_YZ, 1), ir_i32(0xffff));
	else
		sel_op2(S, OP_s_lshr_b32, d, sel_sreg(TTMP_YZ, 1), ir_i32(16));
	if (o.kind == P2A_K_NONE && d.reg != to.reg)
		sel_copy(S, to, d);
}

/* ---- addresses that the program counter and the hardware give ---- */

/* The distance from s_getpc_b64's result is filled in by pass emit: the two IR_K_SYM operands,
 * sel 0 its low half, 1 its high. */
void
sel_do_symaddr(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd to = sel_dst(S, i), pc = sel_new(S, IR_BANK_S, 2), sym = i->m.arg[1];
	ir_opnd d = sel_is_v(S, to) ? sel_new(S, IR_BANK_S, 2) : to;

	(void)r;
	sym.width = 1;
	sym.imm += i->m.offset;
	sel_group(S);
	sel_op(S, OP_s_getpc_b64, 1, &pc);
	sym.sel = 0;
	sel_op2(S, OP_s_add_u32, ir_part(d, 0, 1), ir_part(pc, 0, 1), sym);
	sym.sel = 1;
	sel_op2(S, OP_s_addc_u32, ir_part(d, 1, 1), ir_part(pc, 1, 1), sym);
	sel_end(S);
	if (d.reg != to.reg)
		sel_copy(S, to, d);
}

/* The upper half of the aperture's base, which is a multiple of 2^32. */
void
sel_do_aperture(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd t = sel_new(S, IR_BANK_S, 2);

	(void)r;
	sel_op1(S, OP_s_mov_b64, t,
		sel_sreg(i->m.op == G_shared_hi ? P2A_SHARED_BASE : P2A_PRIVATE_BASE, 2));
	sel_copy(S, sel_dst(S, i), ir_part(t, 1, 1));
}

/* ---- limits ---- */

enum { FEWEST = 24 };        /* less than that is spilled without end */

/* All waves of a workgroup must fit on the SIMDs at once. .maxnreg and .minnctapersm may ask for less, as far as
 * that is sensible: they are wishes. */
void
sel_limits(sel *S)
{
	const p2a_target *t = S->t;
	uint32_t threads = S->f->max_threads ? S->f->max_threads : 1024;
	uint32_t waves = (threads + t->wave - 1) / t->wave,
		 each = (waves + t->simds - 1u) / t->simds;
	uint32_t granule = t->vgpr_alloc ? t->vgpr_alloc : t->vgpr_granule,
		 n = t->vgpr_file / (each ? each : 1);

	uint32_t wanted = n / MAX(S->f->min_groups, 1u);

	if (S->f->max_vgprs)
		wanted = MIN(wanted, S->f->max_vgprs);
	n = MIN(n, MAX(wanted, FEWEST));
	S->f->max_vgprs = MIN(n / granule * granule, t->vgprs);
}
