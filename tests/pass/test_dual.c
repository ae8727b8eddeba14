/* test_dual.c -- pass dual keeps what a block computes, keeps the manuals' rules, and finds the pairs there are.
 * Random blocks over few registers: vector instructions with and without a place in a pair, scalar ones that write
 * their operands, VCC and EXEC, loads, stores, waits. Before and after, they run on a machine where an operation is
 * a hash of its sources, so that any exchange of order shows. Then small blocks whose result is written down. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 60, VREGS = 12, SREGS = 4, LANES = 4 };

/* ---- the machine ---- */

typedef struct machine {
	uint32_t v[256][LANES], s[128];
	uint64_t memory;        /* hash of all accesses and waits, in order */
} machine;

enum { VCC = 106, EXEC = 126 };

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 29;
}

static uint32_t *
scalar(machine *M, const p2a_opnd *o)
{
	static uint32_t zero;

	if (o->kind == P2A_K_SGPR)
		return &M->s[o->reg];
	if (o->reg == P2A_VCC_LO)
		return &M->s[VCC];
	if (o->reg == P2A_EXEC_LO)
		return &M->s[EXEC];
	return zero = 0, &zero;
}

static uint32_t
value(machine *M, const p2a_opnd *o, unsigned lane)
{
	if (o->kind == P2A_K_IMM)
		return (uint32_t)o->imm;
	return o->kind == P2A_K_VGPR ? M->v[o->reg][lane] : *scalar(M, o);
}

/* What one lane gets: a hash, the same for all forms of one operation. */
static uint32_t
compute(machine *M, const p2a_inst *i, unsigned lane)
{
	uint32_t x[4] = { 0 }, t;
	unsigned op = i->op;
	uint64_t h;

	for (unsigned k = 1; k < i->nargs; k++)
		x[k - 1] = value(M, &i->arg[k], lane);
	if (op == OP_v_mov_b32)
		return x[0];
	if (op == OP_v_cndmask_b32)
		return x[2] >> lane & 1 ? x[1] : x[0];
	if (op == OP_v_fmac_f32)
		x[2] = M->v[i->arg[0].reg][lane];
	if (op == OP_v_fmac_f32 || op == OP_v_fmaak_f32 || op == OP_v_fmamk_f32)
		op = OP_v_fma_f32;
	if (op == OP_v_subrev_f32)
		op = OP_v_sub_f32, t = x[0], x[0] = x[1], x[1] = t;
	if ((op == OP_v_fma_f32 || isa_table[op].eff & ISA_COMM) && x[0] > x[1])
		t = x[0], x[0] = x[1], x[1] = t;
	h = op;
	for (unsigned k = 0; k < 3; k++)
		h = mix(h, x[k]);
	return (uint32_t)h;
}

static void
set_lanes(machine *M, unsigned reg, const uint32_t x[LANES])
{
	for (unsigned lane = 0; lane < LANES; lane++)
		if (M->s[EXEC] >> lane & 1)
			M->v[reg][lane] = x[lane];
}

static void
vector(machine *M, const p2a_inst *i)
{
	p2a_inst half[2] = { *i };
	unsigned n = i->enc == P2A_ENC_DUAL ? 2 : 1;
	uint32_t x[2][LANES], mask = 0;

	for (unsigned side = 0; side < n; side++) {
		if (n == 2)
			isa_half(i, side, &half[side]);
		for (unsigned lane = 0; lane < LANES; lane++)
			x[side][lane] = compute(M, &half[side], lane);
	}
	if (i->arg[0].kind == P2A_K_VGPR) {
		for (unsigned side = 0; side < n; side++)
			set_lanes(M, half[side].arg[0].reg, x[side]);
		return;
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		mask |= (x[0][lane] & M->s[EXEC] >> lane & 1) << lane;
	*scalar(M, &i->arg[0]) = mask;
}

static void
memory(machine *M, const ir_inst *i)
{
	uint32_t x[LANES] = { 0 };

	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t at = i->m.op, on = M->s[EXEC] >> lane & 1;

		for (unsigned k = i->ndefs; k < i->m.nargs; k++)
			for (unsigned d = 0; i->m.arg[k].kind == P2A_K_VGPR && d < i->m.arg[k].width; d++)
				at = mix(at, M->v[i->m.arg[k].reg + d][lane]);
		x[lane] = (uint32_t)at;
		M->memory = mix(M->memory, on ? at : 0);
	}
	if (i->ndefs)
		set_lanes(M, i->m.arg[0].reg, x);
}

static void
run(machine *M, const ir_func *f)
{
	for (const ir_inst *i = f->entry->first; i; i = i->next) {
		const isa_info *row = &isa_table[i->m.op];

		if (row->cls == ISA_VALU || row->cls == ISA_TRANS)
			vector(M, &i->m);
		else if (row->cls == ISA_VMEM)
			memory(M, i);
		else if (row->cls == ISA_SALU)
			*scalar(M, &i->m.arg[0]) = i->m.op == OP_s_mov_b32 ? UINT32_MAX :
				(uint32_t)mix(i->m.op, mix(*scalar(M, &i->m.arg[1]), (uint64_t)i->m.arg[2].imm));
		else
			M->memory = mix(M->memory, i->m.op);
	}
}

/* ---- random blocks ---- */

typedef struct maker { ir_func *f; ir_builder B; uint64_t seed; } maker;

static uint32_t below(maker *G, uint32_t n) { return gen_random(&G->seed, n); }

static ir_opnd
reg(unsigned kind, unsigned n)
{
	return (ir_opnd){ .kind = (uint8_t)kind, .width = 1, .reg = n };
}

static ir_opnd vgpr(maker *G) { return reg(P2A_K_VGPR, below(G, VREGS)); }

static ir_opnd
scalar_reg(maker *G)
{
	switch (below(G, 6)) {
	case 0: return reg(P2A_K_SREG, P2A_VCC_LO);
	case 1: return reg(P2A_K_SREG, P2A_EXEC_LO);
	default: return reg(P2A_K_SGPR, below(G, SREGS));
	}
}

static ir_opnd
any(maker *G, bool vector)
{
	switch (vector ? 9 : below(G, 10)) {
	case 0: return scalar_reg(G);
	case 1: return ir_i32(below(G, 64));
	case 2: return ir_i32(0x40490fdb + below(G, 2));
	default: return vgpr(G);
	}
}

static void
random_vector(maker *G)
{
	static const uint16_t ops[] = { OP_v_mov_b32, OP_v_mov_b32, OP_v_fma_f32, OP_v_fma_f32, OP_v_fmac_f32, OP_v_add_f32, OP_v_mul_f32,
		OP_v_sub_f32, OP_v_subrev_f32, OP_v_max_f32, OP_v_min_f32, OP_v_cndmask_b32, OP_v_add_u32, OP_v_lshlrev_b32,
		OP_v_and_b32, OP_v_xor_b32, OP_v_mul_lo_u32, OP_v_cmp_lt_u32, OP_v_fmaak_f32, OP_v_fmamk_f32 };
	unsigned op = ops[below(G, COUNT(ops))], n = isa_table[op].nargs;
	ir_opnd a[P2A_MAX_ARGS] = { vgpr(G) };
	p2a_inst m = { .op = (uint16_t)op, .nargs = (uint8_t)n };

	for (unsigned tries = 0; tries < 40; tries++) {
		for (unsigned k = 1; k < n; k++) {
			const isa_arg *arg = &isa_table[op].arg[k];

			a[k] = arg->slot == ISA_SL_LIT ? ir_i32(0x40490fdb) : arg->type == ISA_T_MASK ?
				below(G, 3) ? reg(P2A_K_SREG, P2A_VCC_LO) : reg(P2A_K_SGPR, below(G, SREGS)) : any(G, tries > 30);
			if (arg->type == ISA_T_F32 && a[k].kind == P2A_K_IMM)
				a[k].imm = (uint32_t)a[k].imm;
		}
		if (op == OP_v_cmp_lt_u32)
			a[0] = below(G, 2) ? reg(P2A_K_SREG, P2A_VCC_LO) : reg(P2A_K_SGPR, below(G, SREGS));
		if (op == OP_v_fma_f32 && below(G, 2))
			a[3] = a[0];
		memcpy(m.arg, a, sizeof a);
		if (!p2a_check(G->f->target, &m))
			break;
	}
	ir_emit(&G->B, op, 1, n, a);
	if (below(G, 12) == 0 && op == OP_v_add_f32) {
		G->B.b->last->m.enc = P2A_ENC_E64;
		G->B.b->last->m.arg[1].mods = P2A_NEG;
	}
	if (p2a_check(G->f->target, &G->B.b->last->m))
		ir_remove(G->B.b->last);
}

static void
random_inst(maker *G)
{
	ir_opnd off = { .kind = P2A_K_OFF }, addr = reg(P2A_K_VGPR, below(G, VREGS) & ~1u), data = vgpr(G);
	uint8_t wait[ISA_NCNT] = { 0 };
	p2a_inst w[ISA_NCNT];

	addr.width = 2;
	switch (below(G, 24)) {
	case 0:
		ir_m(&G->B, OP_s_add_u32, 3, scalar_reg(G), scalar_reg(G), ir_i32(below(G, 64)));
		break;
	case 1:
		ir_m(&G->B, OP_global_load_dword, 3, data, addr, off);
		break;
	case 2:
		ir_m(&G->B, OP_global_store_dword, 3, addr, data, off);
		break;
	case 3:
		if (below(G, 3))
			break;
		isa_wait(G->f->target, wait, w);
		ir_emit(&G->B, w[0].op, 0, w[0].nargs, w[0].arg);
		break;
	default:
		random_vector(G);
	}
}

/* Shows what is in the registers, in half of the blocks of all lanes: only this is compared. */
static void
write_all(maker *G)
{
	ir_opnd off = { .kind = P2A_K_OFF }, addr = P2A_VN(0, 2);

	if (below(G, 2))
		ir_m(&G->B, OP_s_mov_b32, 2, reg(P2A_K_SREG, P2A_EXEC_LO), ir_i32(UINT32_MAX));
	for (unsigned r = 0; r < VREGS; r++)
		if (below(G, 2))
			ir_m(&G->B, OP_global_store_dword, 3, addr, reg(P2A_K_VGPR, r), off);
}

/* ---- judging ---- */

static unsigned
scalars(const p2a_inst *h)
{
	unsigned n = 0;

	for (unsigned k = 1; k < h->nargs; k++)
		n += h->arg[k].kind == P2A_K_SGPR || (h->arg[k].kind == P2A_K_SREG && h->arg[k].reg != P2A_NULL);
	return n;
}

/* The rules that no assembler knows; the others are p2a_check's. */
static const char *
judge_pair(const p2a_target *t, const p2a_inst *i)
{
	p2a_inst x, y;

	if (p2a_check(t, i))
		return "not encodable";
	isa_half(i, 0, &x);
	isa_half(i, 1, &y);
	if (scalars(&x) > 1 || scalars(&y) > 1)
		return "two scalars in one half";
	for (unsigned k = 1; k < y.nargs; k++)
		if (y.arg[k].kind == P2A_K_VGPR && y.arg[k].reg == x.arg[0].reg)
			return "X writes a source of Y";
	return NULL;
}

static ir_func *
new_block(arena *A, const p2a_target *t, ir_builder *B)
{
	ir_func *f = gen_new(A, t, "dual");

	f->entry = ir_new_block(f);
	*B = (ir_builder){ f, f->entry, NULL, 0 };
	return f;
}

static void
fill(machine *M, uint64_t seed)
{
	memset(M, 0, sizeof *M);
	for (unsigned r = 0; r < VREGS + 1; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			M->v[r][lane] = gen_random(&seed, UINT32_MAX);
	for (unsigned r = 0; r < 128; r++)
		M->s[r] = gen_random(&seed, UINT32_MAX);
}

/* NULL, or what is wrong with this block. Not inlined: its variables are none of the setjmp's. */
static __attribute__((noinline)) const char *
one_block(arena *A, const p2a_target *t, uint64_t seed, unsigned *npairs, unsigned *ninsts)
{
	static machine before, after;
	maker G = { .seed = seed };
	const char *why = NULL;

	G.f = new_block(A, t, &G.B);
	for (unsigned k = 0; k < LENGTH; k++)
		random_inst(&G);
	write_all(&G);
	G.f->k.vgprs = VREGS;
	fill(&before, seed);
	fill(&after, seed);
	run(&before, G.f);
	for (const ir_inst *i = G.f->entry->first; i; i = i->next)
		++*ninsts;
	p_dual(G.f);
	run(&after, G.f);
	for (const ir_inst *i = G.f->entry->first; i && !why; i = i->next)
		if (i->m.enc == P2A_ENC_DUAL) {
			++*npairs;
			why = judge_pair(t, &i->m);
		}
	return why ? why : before.memory != after.memory || memcmp(before.s, after.s, sizeof before.s) ?
		"computes something else" : NULL;
}

static int
random_blocks(const char *chip)
{
	const p2a_target *t = p2a_target_find(chip);
	unsigned rounds = getenv("P2A_TEST_QUICK") ? 300 : 6000, npairs = 0, ninsts = 0;
	const char *why = NULL;

	for (unsigned k = 0; k < rounds && !why; k++) {
		arena A;
		jmp_buf oom;

		arena_init(&A, NULL, NULL, &oom);
		if (setjmp(oom))
			return printf("not ok dual-random-%s: out of memory\n", chip), 1;
		why = one_block(&A, t, k + 1, &npairs, &ninsts);
		if (why)
			printf("not ok dual-random-%s: block %u: %s\n", chip, k, why);
		arena_free(&A);
	}
	if (!why && npairs * 8 < ninsts)
		printf("not ok dual-random-%s: only %u pairs of %u instructions\n", chip, npairs, ninsts), why = "few";
	if (!why)
		printf("ok dual-random-%s (%u pairs of %u instructions)\n", chip, npairs, ninsts);
	return why != NULL;
}

/* ---- small blocks ---- */

static const struct text { const char *name, *chip, *before, *after; } texts[] = {
	{ "moves", "gfx1100", "v_mov_b32 v0, v1\nv_mov_b32 v3, v2\n", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\n" },
	{ "one bank", "gfx1100", "v_mov_b32 v0, v1\nv_mov_b32 v3, v5\n", "v_mov_b32_e32 v0, v1\nv_mov_b32_e32 v3, v5\n" },
	{ "one bank, gfx12", "gfx1200", "v_mov_b32 v0, v1\nv_mov_b32 v3, v5\n", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v5\n" },
	{ "no pairs", "gfx1030", "v_mov_b32 v0, v1\nv_mov_b32 v3, v2\n", "v_mov_b32_e32 v0, v1\nv_mov_b32_e32 v3, v2\n" },
	{ "one parity", "gfx1100", "v_mov_b32 v0, v1\nv_mov_b32 v2, v3\n", "v_mov_b32_e32 v0, v1\nv_mov_b32_e32 v2, v3\n" },
	{ "read after write", "gfx1100", "v_mov_b32 v0, v1\nv_mov_b32 v3, v0\n", "v_mov_b32_e32 v0, v1\nv_mov_b32_e32 v3, v0\n" },
	/* Only X may have its sources overwritten. */
	{ "write after read", "gfx1100", "v_mov_b32 v0, v1\nv_mov_b32 v1, v2\n", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v2\n" },
	{ "Y's source overwritten", "gfx1100", "v_and_b32 v0, v1, v2\nv_mov_b32 v1, v3\n", "v_and_b32_e32 v0, v1, v2\nv_mov_b32_e32 v1, v3\n" },
	/* The second can only be Y, the first only X, and the other way round. */
	{ "sides", "gfx1100", "v_and_b32 v0, v1, v2\nv_mul_f32 v3, v2, v5\n", "v_dual_mul_f32 v3, v2, v5 :: v_dual_and_b32 v0, v1, v2\n" },
	{ "both Y", "gfx1100", "v_and_b32 v0, v1, v2\nv_and_b32 v3, v2, v5\n", "v_and_b32_e32 v0, v1, v2\nv_and_b32_e32 v3, v2, v5\n" },
	{ "up", "gfx1100", "v_mov_b32 v0, v1\nv_xor_b32 v6, v0, v7\nv_mov_b32 v3, v2\n",
		"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\nv_xor_b32_e32 v6, v0, v7\n" },
	{ "down", "gfx1100", "v_mov_b32 v0, v1\nv_xor_b32 v2, v6, v7\nv_mov_b32 v3, v2\n",
		"v_xor_b32_e32 v2, v6, v7\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\n" },
	{ "neither", "gfx1100", "v_mov_b32 v0, v1\nv_xor_b32 v2, v0, v7\nv_mov_b32 v3, v2\n",
		"v_mov_b32_e32 v0, v1\nv_xor_b32_e32 v2, v0, v7\nv_mov_b32_e32 v3, v2\n" },
	{ "exec", "gfx1100", "v_mov_b32 v0, v1\ns_mov_b32 exec_lo, s1\nv_mov_b32 v3, v2\n",
		"v_mov_b32_e32 v0, v1\ns_mov_b32 exec_lo, s1\nv_mov_b32_e32 v3, v2\n" },
	{ "saveexec", "gfx1100", "v_mov_b32 v0, v1\ns_and_saveexec_b32 s2, s1\nv_mov_b32 v3, v2\n",
		"v_mov_b32_e32 v0, v1\ns_and_saveexec_b32 s2, s1\nv_mov_b32_e32 v3, v2\n" },
	{ "middle", "gfx1100", "v_mov_b32 v0, v1\nv_xor_b32 v2, v6, v7\nv_xor_b32 v6, v0, v7\nv_mov_b32 v3, v2\n",
		"v_xor_b32_e32 v2, v6, v7\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\nv_xor_b32_e32 v6, v0, v7\n" },
	/* What is behind a wait stays there, whatever it waits for. */
	{ "wait", "gfx1100", "v_mov_b32 v0, v1\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2\n",
		"s_waitcnt vmcnt(0)\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\n" },
	{ "wait behind a use", "gfx1100", "v_mov_b32 v0, v1\nv_xor_b32 v7, v7, v0\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2\n",
		"v_mov_b32_e32 v0, v1\nv_xor_b32_e32 v7, v7, v0\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v3, v2\n" },
	{ "mode", "gfx1100", "v_add_f32 v0, v1, v4\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3\nv_add_f32 v3, v2, v5\n",
		"v_add_f32_e32 v0, v1, v4\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3\nv_add_f32_e32 v3, v2, v5\n" },
	{ "exchanged", "gfx1100", "v_sub_f32 v0, v1, v4\nv_sub_f32 v3, v5, v2\n",
		"v_dual_sub_f32 v0, v1, v4 :: v_dual_subrev_f32 v3, v2, v5\n" },
	{ "a constant second", "gfx1100", "v_mul_f32 v0, v1, s4\nv_mul_f32 v3, v6, 2.0\n",
		"v_dual_mul_f32 v0, s4, v1 :: v_dual_mul_f32 v3, 2.0, v6\n" },
	{ "fma", "gfx1100", "v_fma_f32 v0, v1, v2, v0\nv_fma_f32 v3, v4, v5, v3\n",
		"v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5\n" },
	{ "fma of a constant", "gfx1100", "v_fma_f32 v0, v1, v2, 1.0\nv_fma_f32 v3, v4, v5, v3\n",
		"v_dual_fmaak_f32 v0, v1, v2, 0x3f800000 :: v_dual_fmac_f32 v3, v4, v5\n" },
	{ "mask", "gfx1100", "v_cndmask_b32 v0, v1, v2, vcc_lo\nv_cndmask_b32 v3, v4, v5, vcc_lo\n",
		"v_dual_cndmask_b32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5\n" },
	{ "another mask", "gfx1100", "v_cndmask_b32 v0, v1, v2, s1\nv_mov_b32 v3, v4\n",
		"v_cndmask_b32_e64 v0, v1, v2, s1\nv_mov_b32_e32 v3, v4\n" },
	{ "scalar and mask", "gfx1100", "v_cndmask_b32 v0, s1, v2, vcc_lo\nv_mov_b32 v3, v4\n",
		"v_cndmask_b32_e32 v0, s1, v2, vcc_lo\nv_mov_b32_e32 v3, v4\n" },
	{ "modifier", "gfx1100", "v_add_f32 v0, -v1, v2\nv_mov_b32 v3, v4\n", "v_add_f32_e64 v0, -v1, v2\nv_mov_b32_e32 v3, v4\n" },
	{ "clamp", "gfx1100", "v_add_f32 v0, v1, v2 clamp\nv_mov_b32 v3, v4\n", "v_add_f32_e64 v0, v1, v2 clamp\nv_mov_b32_e32 v3, v4\n" },
	{ "two literals", "gfx1100", "v_mov_b32 v0, 0x1234\nv_mov_b32 v3, 0x1235\n", "v_mov_b32_e32 v0, 0x1234\nv_mov_b32_e32 v3, 0x1235\n" },
	{ "one literal", "gfx1100", "v_mov_b32 v0, 0x1234\nv_mov_b32 v3, 0x1234\n",
		"v_dual_mov_b32 v0, 0x1234 :: v_dual_mov_b32 v3, 0x1234\n" },
	{ "store of what is overwritten", "gfx1100", "v_mov_b32 v0, v1\nglobal_store_b32 v[6:7], v3, off\nv_mov_b32 v3, v2\n",
		"global_store_b32 v[6:7], v3, off\nv_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\n" },
};

/* vgprs: in use; goes_on: another block follows, which may read any register. */
static const struct moved { struct text text; unsigned vgprs; bool goes_on; } moved[] = {
	{ { "elsewhere", "gfx1100", "v_lshlrev_b32 v1, 5, v1\nv_mov_b32 v5, v3\nglobal_store_b64 v[6:7], v[4:5], off\nv_xor_b32 v2, v1, v2\n",
		"v_dual_mov_b32 v5, v3 :: v_dual_lshlrev_b32 v10, 5, v1\nglobal_store_b64 v[6:7], v[4:5], off\nv_xor_b32_e32 v2, v10, v2\n" }, 9, false },
	{ { "no spare register", "gfx1100", "v_lshlrev_b32 v1, 5, v1\nv_mov_b32 v5, v3\n",
		"v_lshlrev_b32_e32 v1, 5, v1\nv_mov_b32_e32 v5, v3\n" }, 8, false },
	{ { "read in another block", "gfx1100", "v_lshlrev_b32 v1, 5, v1\nv_mov_b32 v5, v3\n",
		"v_lshlrev_b32_e32 v1, 5, v1\nv_mov_b32_e32 v5, v3\n" }, 9, true },
	{ { "not read in another block", "gfx1100", "v_lshlrev_b32 v1, 5, v1\nv_mov_b32 v5, v3\nv_mov_b32 v5, v7\n",
		"v_dual_mov_b32 v10, v3 :: v_dual_lshlrev_b32 v1, 5, v1\nv_mov_b32_e32 v5, v7\n" }, 9, true },
	{ { "read by another lane", "gfx1100", "v_lshlrev_b32 v1, 5, v1\nv_mov_b32 v5, v3\nv_readlane_b32 s0, v1, 3\nv_readlane_b32 s1, v5, 3\n",
		"v_lshlrev_b32_e32 v1, 5, v1\nv_mov_b32_e32 v5, v3\nv_readlane_b32 s0, v1, 3\nv_readlane_b32 s1, v5, 3\n" }, 9, false },
};

/* Adds the lines to the block. */
static bool
assemble(ir_builder *B, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[128];
		p2a_inst m;

		snprintf(line, sizeof line, "%.*s", (int)n, text);
		if (p2a_parse(B->f->target, line, &m, NULL))
			return false;
		ir_emit(B, m.op, isa_table[m.op].ndefs, m.nargs, m.arg)->m = m;
		text += n + 1;
	}
	return true;
}

static int
one_text(const struct text *x, unsigned vgprs, bool goes_on)
{
	arena A;
	jmp_buf oom;
	ir_builder B;
	ir_func *f;
	char out[512] = "";
	int bad;

	arena_init(&A, NULL, NULL, &oom);
	if (setjmp(oom))
		return printf("not ok dual-%s: out of memory\n", x->name), 1;
	f = new_block(&A, p2a_target_find(x->chip), &B);
	f->k.vgprs = vgprs;
	bad = !assemble(&B, x->before);
	if (goes_on)
		gen_edge(f, f->entry, ir_new_block(f), true, true);
	p_dual(f);
	for (const ir_inst *i = f->entry->first; i; i = i->next) {
		size_t n = strlen(out);

		p2a_print(f->target, &i->m, out + n, sizeof out - n);
		strncat(out, "\n", sizeof out - strlen(out) - 1);
	}
	bad |= strcmp(out, x->after) != 0;
	if (bad)
		printf("# want\n%s# got\n%s", x->after, out);
	printf(bad ? "not ok dual-%s\n" : "ok dual-%s\n", x->name);
	arena_free(&A);
	return bad;
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; k < COUNT(texts); k++)
		bad += one_text(&texts[k], 0, false);
	for (size_t k = 0; k < COUNT(moved); k++)
		bad += one_text(&moved[k].text, moved[k].vgprs, moved[k].goes_on);
	bad += random_blocks("gfx1100") + random_blocks("gfx1150") + random_blocks("gfx1200");
	return bad != 0;
}
