/* test_hazard.c -- the wait states of AMD's manuals stand between all instructions that need them.
 * Random streams over few registers and a small graph, so that most pairs meet; then every path back
 * from every instruction is walked and each pair on it is judged by rules written down here from the
 * manuals' lists, by name and operands. Hazards without a distance are judged on random walks.
 * Also: nothing is inserted where no rule asks for it. Sequences of p2a_bfi.h are judged by the same rules, behind VALU
 * readings of every SGPR and of VCC. */
#include "gen.h"
#include "length.h"
#include "bfi_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, PER_BLOCK = 14, LOOK = 6, WALKS = 200, WALK_LENGTH = 120 };

static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };

/* ---- names and registers: 0..127 scalar, 128.. vector ---- */

typedef struct regs { uint64_t w[6]; } regs;
typedef struct facts {
	const ir_inst *i;
	char text[200];
	regs read, write;
	bool valu, trans, salu, vmem, smem, lds, branch;
} facts;

static void
add(regs *s, const p2a_opnd *o)
{
	unsigned first = o->reg, n = o->width;

	if (o->kind == P2A_K_VGPR)
		first += 128;
	else if (o->kind == P2A_K_SREG && o->reg <= P2A_EXEC_HI)
		first = (o->reg < P2A_EXEC ? 106u : 126u) + (o->reg == P2A_VCC_HI || o->reg == P2A_EXEC_HI),
		n = o->reg == P2A_VCC || o->reg == P2A_EXEC ? 2 : 1;
	else if (o->kind == P2A_K_SREG && o->reg == P2A_M0)
		first = 124, n = 1;
	else if (o->kind != P2A_K_SGPR)
		return;
	for (unsigned r = first; r < first + n; r++)
		s->w[r / 64] |= (uint64_t)1 << r % 64;
}

static bool has(const regs *s, unsigned r) { return s->w[r / 64] >> r % 64 & 1; }

static bool
meet(const regs *a, const regs *b, unsigned lo, unsigned hi)
{
	for (unsigned r = lo; r < hi; r++)
		if (has(a, r) && has(b, r))
			return true;
	return false;
}

static bool is(const facts *x, const char *name) { return !strncmp(x->text, name, strlen(name)); }

static facts
look(const p2a_target *t, const ir_inst *i)
{
	facts x = { .i = i };

	if (i->m.nargs && i->m.arg[0].kind == IR_K_BLOCK)
		snprintf(x.text, sizeof x.text, "s_branch");
	else
		p2a_print(t, &i->m, x.text, sizeof x.text);
	if (x.text[0] == '\t')
		memmove(x.text, x.text + 1, strlen(x.text));
	for (unsigned k = 0; k < i->m.nargs; k++)
		add(k < i->ndefs ? &x.write : &x.read, &i->m.arg[k]);
	if (is(&x, "v_writelane") || is(&x, "v_dual_fmac"))
		add(&x.read, &i->m.arg[0]);
	if (is(&x, "v_div_fmas"))
		add(&x.read, &(p2a_opnd){ .kind = P2A_K_SREG, .reg = P2A_VCC });
	if (is(&x, "v_cmpx"))
		add(&x.write, &(p2a_opnd){ .kind = P2A_K_SREG, .reg = P2A_EXEC });
	if (is(&x, "s_sendmsg"))
		add(&x.read, &(p2a_opnd){ .kind = P2A_K_SREG, .reg = P2A_M0 });
	x.valu = x.text[0] == 'v';
	x.trans = is(&x, "v_exp_f32") || is(&x, "v_rcp_f32");
	x.smem = is(&x, "s_load");
	x.branch = is(&x, "s_branch");
	x.salu = x.text[0] == 's' && !x.smem && !is(&x, "scratch");
	x.vmem = is(&x, "global") || is(&x, "scratch") || is(&x, "flat");
	x.lds = is(&x, "ds_");
	return x;
}

/* ---- rules with a distance: states that b needs behind a ---- */

static bool is_dpp(const facts *x) { return strstr(x->text, "row_") || strstr(x->text, "quad_perm"); }
static bool is_lane(const facts *x) { return is(x, "v_readlane") || is(x, "v_writelane"); }
static bool is_hwreg(const facts *x) { return is(x, "s_setreg") || is(x, "s_getreg"); }

static int64_t
hwreg(const facts *x)
{
	return x->i->m.arg[is(x, "s_getreg") ? 1 : 0].imm & 63;
}

static bool
lane_from(const facts *a, const facts *b)
{
	regs s = { { 0 } };

	add(&s, &b->i->m.arg[2]);
	return meet(&a->write, &s, 0, 128);
}

static unsigned
gfx9_needs(const facts *a, const facts *b)
{
	unsigned n = 0;
	bool exec = has(&a->write, 126) || has(&a->write, 127);

	if (a->valu && b->vmem && meet(&a->write, &b->read, 0, 124))
		n = 5;
	if (a->valu && is(b, "v_div_fmas") && (has(&a->write, 106) || has(&a->write, 107)))
		n = MAX(n, 4u);
	if (a->valu && is_lane(b) && lane_from(a, b))
		n = MAX(n, 4u);
	if (a->valu && exec && is_dpp(b))
		n = MAX(n, 5u);
	if (a->valu && is_dpp(b) && meet(&a->write, &b->read, 128, 384))
		n = MAX(n, 2u);
	if (is(a, "s_setreg") && is_hwreg(b) && hwreg(a) == hwreg(b))
		n = MAX(n, 2u);
	if (a->salu && has(&a->write, 124) && is(b, "s_sendmsg"))
		n = MAX(n, 1u);
	if (is(a, "global_store_dwordx4") && b->valu) {
		regs data = { { 0 } };

		add(&data, &a->i->m.arg[1]);
		n = MAX(n, (unsigned)meet(&data, &b->write, 128, 384));
	}
	return n;
}

static unsigned
gfx940_needs(const facts *a, const facts *b)
{
	unsigned n = 0;

	if (a->trans && b->valu && !b->trans && meet(&a->write, &b->read, 128, 384))
		n = 1;
	if (is(a, "global_store_dwordx4") && b->valu) {
		regs data = { { 0 } };

		add(&data, &a->i->m.arg[1]);
		n = MAX(n, meet(&data, &b->write, 128, 384) ? 2u : 0u);
	}
	if (strstr(a->text, "dst_sel:BYTE") && b->valu && meet(&a->write, &b->read, 128, 384))
		n = MAX(n, 1u);
	if (a->valu && b->valu && meet(&a->write, &b->read, 0, 128))
		n = MAX(n, 2u);
	if (a->valu && (is(b, "v_readlane") || is(b, "v_readfirstlane")) && meet(&a->write, &b->read, 128, 384))
		n = MAX(n, 1u);
	if (a->valu && (has(&a->write, 126) || has(&a->write, 127)) && (is_lane(b) || is(b, "v_readfirstlane")))
		n = MAX(n, 4u);
	return n;
}

/* CDNA3's list, DL ops */
static unsigned
dot_needs(const facts *a, const facts *b)
{
	regs factors = { { 0 } };

	if (!is(a, "v_dot") || b->salu || b->smem || b->branch)
		return 0;
	if (strncmp(a->text, b->text, strcspn(a->text, " ") + 1))
		return meet(&a->write, &b->read, 128, 384) || meet(&a->write, &b->write, 128, 384) ? 3 : 0;
	add(&factors, &b->i->m.arg[1]);
	add(&factors, &b->i->m.arg[2]);
	return meet(&a->write, &factors, 128, 384) ? 3 : 0;
}

static unsigned
needs(const char *chip, const facts *a, const facts *b)
{
	unsigned n;

	if (strncmp(chip, "gfx9", 4))
		return 0;
	n = gfx9_needs(a, b);
	if (strcmp(chip, "gfx900"))
		n = MAX(n, dot_needs(a, b));
	return strcmp(chip, "gfx942") ? n : MAX(n, gfx940_needs(a, b));
}

/* ---- every way back ---- */

typedef struct judge {
	const char *chip;
	const p2a_target *t;
	bool masks;             /* gfx11, waves of 64: VALU_MASK_WRITE, judged as gfx12's, of which it is a part */
	char wrong[500];
	unsigned most;          /* states missing if the s_nop before the instruction were not there */
} judge;

static unsigned
counts(const facts *x)
{
	return is(x, "s_nop") ? (unsigned)x->i->m.arg[0].imm + 1 : 1;
}

static void
back(judge *J, const ir_block *b, const ir_inst *i, unsigned states, const facts *second)
{
	for (; i && states < LOOK; i = i->prev) {
		facts a = look(J->t, i);
		unsigned n = needs(J->chip, &a, second);

		if (n > states) {
			J->most = MAX(J->most, n - states);
			snprintf(J->wrong, sizeof J->wrong, "%s, then %u states, then %s", a.text, states, second->text);
		}
		states += counts(&a);
	}
	for (uint32_t k = 0; states < LOOK && !i && k < b->lpreds.n; k++)
		back(J, b->lpreds.a[k], b->lpreds.a[k]->last, states, second);
}

static bool
judge_distances(judge *J, const ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			facts x = look(J->t, i);

			J->wrong[0] = 0;
			J->most = 0;
			back(J, f->blocks.a[b], i->prev, 0, &x);
			if (J->most)
				return false;
			if (!i->prev || i->prev->loc == 77 || i->prev->m.op != OP_s_nop)
				continue;
			back(J, f->blocks.a[b], i->prev->prev, 0, &x);
			if (J->most != (unsigned)i->prev->m.arg[0].imm + 1) {
				snprintf(J->wrong, sizeof J->wrong, "s_nop %d before %s: %u states are needed",
					(int)i->prev->m.arg[0].imm, x.text, J->most);
				return false;
			}
		}
	return true;
}

/* ---- hazards followed along walks ---- */

typedef struct trail {
	regs vmem_read, smem_read, valu_read, salu_wrote, valu_wrote;
	bool lds, vmem, lds_branch, vmem_branch, cmpx;
	int trans_valus[256], trans_trans[256]; /* instructions since, -1 none */
} trail;

static bool
wait_field(const facts *x, unsigned bits)
{
	return is(x, "s_waitcnt_depctr") || is(x, "s_wait_alu") ? !((unsigned)x->i->m.arg[0].imm & bits) : false;
}

static const char *
gfx10_fault(const trail *T, const facts *x)
{
	if ((x->salu || x->smem) && meet(&x->write, &T->vmem_read, 0, 128))
		return "scalar write while VMEM may read";
	if (x->valu && meet(&x->write, &T->smem_read, 0, 128))
		return "vector write while SMEM may read";
	if ((x->vmem && T->lds_branch) || (x->lds && T->vmem_branch))
		return "LDS, branch, VMEM";
	return NULL;
}

static void
gfx10_note(trail *T, const facts *x)
{
	if (x->valu || wait_field(x, 0x1c))
		memset(&T->vmem_read, 0, sizeof T->vmem_read);
	if (x->salu && !x->branch && !is(x, "s_nop") && !is(x, "s_wait") && !is(x, "s_sendmsg"))
		memset(&T->smem_read, 0, sizeof T->smem_read);
	for (unsigned w = 0; w < 6; w++) {
		T->vmem_read.w[w] |= x->vmem || x->lds ? x->read.w[w] : 0;
		T->smem_read.w[w] |= x->smem ? x->read.w[w] : 0;
	}
	if (x->vmem || x->lds)
		T->vmem_read.w[1] |= (uint64_t)3 << 62;
	if (is(x, "s_waitcnt_vscnt"))
		T->lds = T->vmem = T->lds_branch = T->vmem_branch = false;
	T->lds |= x->lds;
	T->vmem |= x->vmem;
	T->lds_branch |= x->branch && T->lds;
	T->vmem_branch |= x->branch && T->vmem;
}

static const char *
gfx11_fault(const trail *T, const facts *x)
{
	for (unsigned r = 0; x->valu && r < 256; r++)
		if (has(&x->read, 128 + r) && T->trans_valus[r] >= 0 && T->trans_valus[r] <= 5 && T->trans_trans[r] <= 1)
			return "transcendental result used too early";
	return NULL;
}

static void
gfx11_note(trail *T, const facts *x)
{
	for (unsigned r = 0; r < 256; r++) {
		if (T->trans_valus[r] >= 0) {
			T->trans_valus[r] += x->valu;
			T->trans_trans[r] += x->trans;
		}
		if (wait_field(x, 0xf000) || x->vmem || x->lds)
			T->trans_valus[r] = -1;
		if (x->trans && has(&x->write, 128 + r))
			T->trans_valus[r] = T->trans_trans[r] = 0;
	}
}

/* RDNA4, "Data Dependency Resolution": which wait a read needs after which write. */
static const char *
gfx12_fault(const trail *T, const facts *x)
{
	for (unsigned r = 0; r < 124; r++) {
		if (!has(&x->read, r) || !(x->valu || (x->salu && !x->branch)))
			continue;
		if (has(&T->salu_wrote, r))
			return "SGPR read too soon after SALU";
		if (x->valu && has(&T->valu_wrote, r))
			return "SGPR read too soon after VALU";
	}
	return NULL;
}

static void
gfx12_note(trail *T, const facts *x)
{
	bool alu = x->valu || (x->salu && !x->branch);
	bool at_rest[2] = { wait_field(x, 0xe00), wait_field(x, 2) }; /* SGPRs, VCC written by VALU */

	for (unsigned r = 0; alu && !x->valu && r < 124; r++)
		if (has(&x->read, r) && has(&T->valu_wrote, r))
			at_rest[r / 2 == 53] = true;
	for (unsigned r = 0; r < 124; r++) {
		uint64_t bit = (uint64_t)1 << r % 64, pair = (uint64_t)3 << (r & 62);

		if (wait_field(x, 1))
			T->salu_wrote.w[r / 64] &= ~bit;
		if (at_rest[r / 2 == 53])
			T->valu_wrote.w[r / 64] &= ~bit;
		if (x->valu && has(&x->read, r))
			T->valu_read.w[r / 64] |= pair;
	}
	for (unsigned r = 0; alu && r < 124; r++)
		if (has(&x->write, r) && has(&T->valu_read, r))
			(x->valu ? &T->valu_wrote : &T->salu_wrote)->w[r / 64] |= (uint64_t)1 << r % 64;
}

static const char *
fault_of(const judge *J, const trail *T, const facts *x)
{
	if (!strcmp(J->chip, "gfx1010"))
		return gfx10_fault(T, x);
	if (J->masks)
		return gfx12_fault(T, x);
	if (!strncmp(J->chip, "gfx11", 5))
		return gfx11_fault(T, x);
	return strncmp(J->chip, "gfx12", 5) ? NULL : gfx12_fault(T, x);
}

static bool
walk(judge *J, const ir_func *f, uint64_t *seed)
{
	const ir_block *b = f->entry;
	trail T;
	unsigned steps = 0;

	memset(&T, 0, sizeof T);
	memset(T.trans_valus, 0xff, sizeof T.trans_valus);
	for (;;) {
		for (const ir_inst *i = b->first; i; i = i->next) {
			facts x = look(J->t, i);
			const char *why = fault_of(J, &T, &x);

			if (why) {
				snprintf(J->wrong, sizeof J->wrong, "%s: %s", why, x.text);
				return false;
			}
			gfx10_note(&T, &x);
			gfx11_note(&T, &x);
			gfx12_note(&T, &x);
			steps++;
		}
		if (!b->lsuccs.n || steps > WALK_LENGTH)
			return true;
		b = b->lsuccs.a[gen_random(seed, b->lsuccs.n)];
	}
}

/* ---- streams ---- */

static ir_opnd S(uint64_t *seed, unsigned n) { return (ir_opnd)P2A_SN(gen_random(seed, 4) * 2, (uint8_t)n); }
static ir_opnd V(uint64_t *seed, unsigned n) { return (ir_opnd)P2A_VN(gen_random(seed, 3) * 4, (uint8_t)n); }

static ir_opnd
some_mask(const p2a_target *t, uint64_t *seed)
{
	unsigned w = t->wave / 32u;

	if (gen_random(seed, 3))
		return S(seed, w);
	return (ir_opnd){ .kind = P2A_K_SREG, .width = (uint8_t)w, .reg = w == 2 ? P2A_VCC : P2A_VCC_LO };
}

static ir_opnd
number(int64_t x)
{
	return (ir_opnd){ .kind = P2A_K_IMM, .imm = x };
}

/* v_dual_fmac_f32 with v_dual_mov_b32 or v_dual_cndmask_b32 behind it. */
static void
write_pair(ir_builder *B, uint64_t *s)
{
	bool mask = gen_random(s, 2);
	ir_opnd vcc = { .kind = P2A_K_SREG, .width = 1, .reg = P2A_VCC_LO };
	p2a_inst x = { .op = OP_v_fmac_f32, .nargs = 3, .arg = { V(s, 1), V(s, 1), V(s, 1) } };
	p2a_inst y = { .op = mask ? OP_v_cndmask_b32 : OP_v_mov_b32, .nargs = mask ? 4 : 2,
		.arg = { V(s, 1), mask ? V(s, 1) : S(s, 1), V(s, 1), vcc } };

	y.arg[0].reg++;
	y.arg[1].reg += mask;
	y.arg[2].reg++;
	isa_pair(&x, &y, &x);
	ir_emit(B, x.op, 2, x.nargs, x.arg)->m = x;
}

static void
write_one(ir_builder *B, uint64_t *s)
{
	const p2a_target *t = B->f->target;
	ir_opnd m0 = { .kind = P2A_K_SREG, .width = 1, .reg = P2A_M0 }, off = { .kind = P2A_K_OFF };
	ir_inst *i;

	switch (gen_random(s, isa_can_dual(t, OP_v_mov_b32, 0) ? 23 : 21)) {
	case 21: case 22: write_pair(B, s); break;
	case 0: case 1: ir_m(B, OP_v_cmp_lt_u32, 3, some_mask(t, s), V(s, 1), V(s, 1)); break;
	case 2: ir_m(B, OP_v_readlane_b32, 3, S(s, 1), V(s, 1), S(s, 1)); break;
	case 3: ir_m(B, OP_v_writelane_b32, 3, V(s, 1), S(s, 1), t->const_bus > 1 ? S(s, 1) : m0); break;
	case 4: ir_m(B, OP_v_readfirstlane_b32, 2, S(s, 1), V(s, 1)); break;
	case 5: case 6: ir_m(B, OP_global_load_dword, 3, V(s, 1), V(s, 1), S(s, 2)); break;
	case 7: ir_m(B, OP_v_div_fmas_f32, 4, V(s, 1), V(s, 1), V(s, 1), V(s, 1)); break;
	case 8:
		i = ir_m(B, OP_v_mov_b32, 2, V(s, 1), V(s, 1));
		i->m.enc = P2A_ENC_DPP;
		i->m.dpp = 0x111;
		i->m.dpp_mask = 0xff;
		break;
	case 9: ir_m(B, OP_v_exp_f32, 2, V(s, 1), V(s, 1)); break;
	case 10: ir_m(B, OP_global_store_dwordx4, 3, V(s, 2), V(s, 4), off); break;
	case 11: ir_m(B, OP_s_setreg_b32, 2, number(1 | 31 << 11), S(s, 1)); break;
	case 12: ir_m(B, OP_s_getreg_b32, 2, S(s, 1), number((1 + (int)gen_random(s, 2)) | 31 << 11)); break;
	case 13: ir_m(B, OP_s_mov_b32, 2, gen_random(s, 2) ? m0 : S(s, 1), S(s, 1)); break;
	case 14: ir_m(B, OP_s_sendmsg, 1, number(2)); break;
	case 15: ir_m(B, OP_s_add_u32, 3, S(s, 1), S(s, 1), S(s, 1)); break;
	case 16: ir_m(B, OP_v_xor_b32, 3, V(s, 1), S(s, 1), V(s, 1)); break;
	case 17: ir_m(B, OP_s_load_dword, 3, S(s, 1), S(s, 2), off); break;
	case 19:
		if (isa_has(t, OP_v_dot4_i32_i8)) {
			ir_m(B, gen_random(s, 3) ? OP_v_dot4_i32_i8 : OP_v_dot4_u32_u8, 4, V(s, 1), V(s, 1), V(s, 1), V(s, 1));
			break;
		}
		/* fall through */
	case 18: ir_m(B, OP_ds_read_b32, 2, V(s, 1), V(s, 1)); break;
	default:
		i = ir_m(B, OP_v_xor_b32, 3, V(s, 1), V(s, 1), V(s, 1));
		if (!t->sdwa || gen_random(s, 2))
			break;
		i->m.enc = P2A_ENC_SDWA;
		i->m.dst_sel = P2A_SEL_BYTE1;
		break;
	}
	B->b->last->loc = 77;
}

static ir_func *
write_program(arena *A, const p2a_target *t, uint64_t seed)
{
	ir_func *f = gen_new(A, t, "k");
	ir_builder B = { f, NULL, NULL, 0 };

	for (unsigned b = 0; b < BLOCKS; b++)
		ir_new_block(f);
	f->entry = f->blocks.a[0];
	for (unsigned b = 0; b < BLOCKS; b++) {
		unsigned n = b == 2 ? 0 : 1 + gen_random(&seed, PER_BLOCK);

		B.b = f->blocks.a[b];
		for (unsigned k = 0; k < n; k++)
			write_one(&B, &seed);
		if (b + 1 < BLOCKS)
			gen_edge(f, f->blocks.a[b], f->blocks.a[b + 1], true, false);
		if (b == 1 || b == 3 || b == 4) {
			unsigned to = gen_random(&seed, BLOCKS);

			ir_m(&B, OP_s_cbranch_scc1, 1, (ir_opnd){ .kind = IR_K_BLOCK, .reg = to });
			B.b->last->loc = 77;
			if (to != b + 1)
				gen_edge(f, f->blocks.a[b], f->blocks.a[to], true, false);
		}
	}
	ir_m(&B, OP_s_endpgm, 0);
	return f;
}

static bool
one(judge *J, uint64_t seed)
{
	arena A;
	jmp_buf oom;
	ir_func *f;
	volatile bool ok = true;

	if (setjmp(oom))
		return false;
	arena_init(&A, NULL, NULL, &oom);
	f = write_program(&A, J->t, seed);
	p_hazard(f);
	ok = judge_distances(J, f);
	for (unsigned k = 0; ok && k < WALKS; k++)
		ok = walk(J, f, &seed);
	arena_free(&A);
	return ok;
}

/* ---- sequences of p2a_bfi.h ---- */

static const p2a_bfi_scratch scratch = { { 40, 42, 44, 46, 48, 50, 52, 54 }, { 60, 61, 62, 64, 65, 66, 68, 69 },
	{ 40, 42, 44, 46, 48, 50, 52, 54 }, { 60, 61, 62, 64, 65, 66, 68, 69 } };

static void
put(ir_builder *B, const p2a_inst *m, unsigned ndefs)
{
	ir_inst *i = ir_emit(B, m->op, ndefs, m->nargs, m->arg);

	i->m = *m;
	i->loc = 77;            /* an s_nop may be longer than is needed */
}

static ir_func *
behind_readers(arena *A, const p2a_target *t, const p2a_inst *code, int n)
{
	ir_func *f = gen_new(A, t, "k");
	ir_builder B = { f, NULL, NULL, 0 };
	bool wide = t->wave == 64;
	p2a_opnd vcc = { .kind = P2A_K_SREG, .width = wide ? 2 : 1, .reg = wide ? P2A_VCC : P2A_VCC_LO };

	ir_new_block(f);
	f->entry = B.b = f->blocks.a[0];
	for (unsigned r = 0; r < 70; r += r == 12 ? 28 : 2)     /* one of each pair that a sequence may write */
		put(&B, &(p2a_inst){ .op = OP_v_mov_b32, .nargs = 2, .arg = { P2A_V(99), P2A_S(r) } }, 1);
	put(&B, &(p2a_inst){ .op = OP_v_cndmask_b32, .nargs = 4, .arg = { P2A_V(99), P2A_V(98), P2A_V(97), vcc } }, 1);
	for (int k = 0; k < n; k++)
		put(&B, &code[k], isa_table[code[k].op].ndefs);
	put(&B, &(p2a_inst){ .op = OP_s_endpgm }, 0);
	return f;
}

static bool
is_wait(const ir_inst *i)
{
	return i->m.op == OP_s_waitcnt_depctr;
}

/* Right as it is, and wrong without any one of its waits. */
static bool
judge_bfi(judge *J, const p2a_bfi_query *q, unsigned *waits)
{
	arena A;
	jmp_buf oom;
	p2a_bfi_plan p;
	p2a_inst code[P2A_BFI_INSTS];
	uint64_t seed = 1;
	int err = p2a_bfi_make(q, &p), n = err ? err : p2a_bfi_insts(&p, &scratch, code);
	ir_func *f;
	volatile bool ok;

	if (n < 0 || setjmp(oom)) {
		snprintf(J->wrong, sizeof J->wrong, "no sequence: %d", n);
		return false;
	}
	arena_init(&A, NULL, NULL, &oom);
	f = behind_readers(&A, J->t, code, n);
	ok = walk(J, f, &seed) && judge_distances(J, f);
	for (ir_inst *i = f->entry->first; i && ok; i = i->next) {
		int64_t fields = i->m.arg[0].imm;

		if (!is_wait(i))
			continue;
		++*waits;
		i->m.arg[0].imm = 0xffff;
		ok = !walk(J, f, &seed);
		if (!ok)
			snprintf(J->wrong, sizeof J->wrong, "a wait that nothing asks for");
		i->m.arg[0].imm = fields;
	}
	arena_free(&A);
	if (!ok) {
		size_t at = strlen(J->wrong);

		snprintf(J->wrong + at, sizeof J->wrong - at, " (op %d row %s)", (int)q->op, p.name);
	}
	return ok;
}

static p2a_bfi_operand
form(unsigned form, unsigned reg, uint64_t x)
{
	p2a_bfi_operand o = { .kind = form < 2 ? P2A_K_VGPR : form < 4 ? P2A_K_SGPR : P2A_K_IMM, .lo = (uint16_t)reg,
		.hi = (uint16_t)(reg + 1), .imm = form < 4 ? 0 : x };

	o.dies = form & 1 && form < 4;
	return o;
}

/* Each operand in a VGPR or an SGPR, dying or not, or a constant; pos and len anything, or short: one in seven of all
 * combinations, which seven has no factor in common with. */
static bool
all_bfi(judge *J, const p2a_target *t, uint8_t wave, unsigned *waits)
{
	enum { FORMS = 5, ALL = FORMS * FORMS * FORMS * FORMS };

	for (unsigned k = 0; k < BFI_OPS * 2 * 2 * ALL; k += 7) {
		unsigned c = k % ALL, f[4] = { c % FORMS, c / FORMS % FORMS, c / FORMS / FORMS % FORMS, c / FORMS / FORMS / FORMS };
		p2a_bfi_query q = { .size = sizeof q, .target = t, .op = (p2a_bfi_op)(k / ALL % BFI_OPS), .semantics = k / ALL / BFI_OPS % 2 ? P2A_SEM_NVIDIA
			: P2A_SEM_DOCUMENTED, .wave = wave, .a = form(f[0], 2, 0x12345678), .b = form(f[1], 4, 0x76543210),
			.pos = form(f[2], 6, 33 - 29 * (k & 1)), .len = form(f[3], 8, 20) };
		bool vector = false;

		for (unsigned o = 0; o < 4; o++)
			vector |= bfi_has(q.op, o) && f[o] < 2;
		q.dst = form(vector ? 0 : 2, 10, 0);
		if (k / ALL / BFI_OPS / 2)
			q.pos.max = q.len.max = 31;
		if (k / ALL / BFI_OPS / 2 && (f[2] > 3 || f[3] > 3))
			continue;
		if (!judge_bfi(J, &q, waits))
			return false;
	}
	return true;
}

static bool
sequences(void)
{
	static const struct { const char *chip; uint8_t wave; bool waits; } on[] = { { "gfx942", 64, false }, { "gfx1100", 32, false },
		{ "gfx1100", 64, true }, { "gfx1200", 32, true }, { "gfx1200", 64, true } };
	bool all = true;

	for (size_t k = 0; k < COUNT(on); k++) {
		const p2a_target *found = p2a_target_find(on[k].chip);
		p2a_target t = *found;
		judge J = { .chip = on[k].chip, .t = &t, .masks = on[k].waits };
		unsigned waits = 0;
		bool ok;

		t.wave = on[k].wave;
		ok = all_bfi(&J, found, on[k].wave, &waits);
		if (ok && on[k].waits != (waits != 0))
			ok = snprintf(J.wrong, sizeof J.wrong, "%u waits", waits) < 0;
		printf("%sok bit fields, %s, wave %u", ok ? "" : "not ", on[k].chip, on[k].wave);
		printf(ok ? "\n" : ": %s\n", J.wrong);
		all &= ok;
	}
	return all;
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : test_length(2, 20, 20), failures = 0;

	for (size_t c = 0; c < COUNT(chips); c++) {
		judge J = { .chip = chips[c], .t = p2a_target_find(chips[c]) };
		bool ok = true;

		for (unsigned k = 0; ok && k < seeds; k++)
			ok = one(&J, k + 1);
		printf(ok ? "ok hazards, %s\n" : "not ok hazards, %s: %s\n", chips[c], J.wrong);
		failures += !ok;
	}
	return failures != 0 || !sequences();
}
