/* test_dual.c -- pairs (VOPD): every two rows that make one, against the same two as instructions of
 * their own whose results wait; both halves read before either writes; what is no pair faults.
 * RDNA3 ISA manual 7.6, RDNA4 7.8. */
#include "vec.h"

enum { LANES = 64, REGS = 16, FIRST = 2, COPY = 18, RESULT = 34 };   /* v[2:17], v[18:33], v[34:35] */
enum { SGPR = 12, NSGPR = 3 };

static uint32_t in[LANES][REGS + 2];        /* and the lane's bits of EXEC and VCC */
static uint32_t out[LANES][2 * REGS];

static p2a_opnd vgpr(unsigned base) { return (p2a_opnd)V(base + (unsigned)(t_random() % REGS)); }

static p2a_opnd source(unsigned slot, int64_t literal)
{
	unsigned r = t_random() >> 33 & 7;
	if (slot == ISA_SL_CSRC)
		return (p2a_opnd)SREG(P2A_VCC_LO, 1);
	if (slot == ISA_SL_LIT || (slot == ISA_SL_SRC0 && r == 0))
		return (p2a_opnd)K(literal);
	if (slot == ISA_SL_SRC0 && r < 3)
		return (p2a_opnd)S(SGPR + r);
	return vgpr(FIRST);
}

static bool random_pair(const p2a_target *t, unsigned x, unsigned y, p2a_inst *pair)
{
	for (int tries = 0; tries < 200; tries++) {
		p2a_inst half[2] = { { .op = (uint16_t)x }, { .op = (uint16_t)y } };
		int64_t literal = (int32_t)vec_edge(ISA_T_F32);
		for (p2a_inst *h = half; h < half + 2; h++) {
			h->nargs = isa_table[h->op].nargs;
			h->arg[0] = vgpr(FIRST);
			for (unsigned k = 1; k < h->nargs; k++)
				h->arg[k] = source(isa_table[h->op].arg[k].slot, literal);
		}
		isa_pair(&half[0], &half[1], pair);
		if (!p2a_check(t, pair))
			return true;
	}
	return false;
}

static void load(t_code *c)
{
	OP(c, v_mul_u32_u24, V(1), K(4 * (REGS + 2)), V(0));
	for (unsigned k = 0; k < REGS; k++) {
		MEM(c, global_load_dword, 4 * (int)k, V(FIRST + k), V(1), SN(4, 2));
		MEM(c, global_load_dword, 4 * (int)k, V(COPY + k), V(1), SN(4, 2));
	}
	MEM(c, global_load_dword, 4 * REGS, V(RESULT), V(1), SN(4, 2));
	MEM(c, global_load_dword, 4 * REGS + 4, V(RESULT + 1), V(1), SN(4, 2));
	t_wait(c);
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ SREG(P2A_VCC_LO, 1), K(0), V(RESULT + 1) }, 3);
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ S(11), K(0), V(RESULT) }, 3);
	for (unsigned k = 0; k < NSGPR; k++)
		OP(c, s_mov_b32, S(SGPR + k), K((int32_t)vec_edge(ISA_T_F32)));
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), S(11) }, 2);
}

static void store(t_code *c)
{
	t_op(c, OP_s_mov_b32, (p2a_opnd[]){ SREG(P2A_EXEC_LO, 1), K(-1) }, 2);
	OP(c, v_mul_u32_u24, V(1), K(4 * 2 * REGS), V(0));
	for (unsigned k = 0; k < 2 * REGS; k++)
		MEM(c, global_store_dword, 4 * (int)k, V(1), V(FIRST + k), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
}

/* The halves one by one on the copies, with results that nothing reads yet. */
static void apart(t_code *c, const p2a_inst *pair)
{
	p2a_inst half[2];
	for (unsigned side = 0; side < 2; side++) {
		p2a_inst *h = &half[side];
		isa_half(pair, side, h);
		for (unsigned k = 0; k < h->nargs; k++)
			if (h->arg[k].kind == P2A_K_VGPR)
				h->arg[k].reg += COPY - FIRST;
		OP(c, v_mov_b32, V(RESULT + side), h->arg[0]);
	}
	for (unsigned side = 0; side < 2; side++) {
		p2a_opnd to = half[side].arg[0];
		half[side].arg[0] = (p2a_opnd)V(RESULT + side);
		t_emit(c, &half[side]);
		half[side].arg[0] = to;
	}
	for (unsigned side = 0; side < 2; side++)
		OP(c, v_mov_b32, half[side].arg[0], V(RESULT + side));
}

/* Runs it on fresh random registers; false: what went wrong was said. */
static bool run(t_code *c, emu_check check)
{
	t_run r;
	emu_config cf = { .target = c->t->name, .threads = 1, .check = check };
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < REGS + 2; k++)
			in[i][k] = k < REGS ? (uint32_t)vec_edge(ISA_T_F32) : (uint32_t)(t_random() >> 63);
	bool ok = t_load(&r, c, &cf);
	if (ok) {
		uint64_t args[2] = { emu_alloc(r.dev, sizeof in), emu_alloc(r.dev, sizeof out) };
		memcpy((void *)(uintptr_t)args[0], in, sizeof in);
		emu_launch_config l = { .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
		ok = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK;
		if (!ok)
			t_bad("%s: %s: %s%s", c->t->name, r.r.fault.instruction, r.r.fault.message, r.r.error.text);
		memcpy(out, (void *)(uintptr_t)args[1], sizeof out);
	}
	t_unload(&r);
	return ok;
}

static bool one_pair(const char *chip, const p2a_inst *pair)
{
	t_code *c = t_new(chip);
	char text[128];
	bool same = true;
	c->mode = t_random() >> 63 ? 0xf0 : 0;  /* denormals are flushed half the time */
	t_prologue(c);
	load(c);
	t_emit(c, pair);
	apart(c, pair);
	store(c);
	if (!run(c, t_random() >> 63 ? EMU_CHECK_ALL : EMU_CHECK_MEMORY)) {
		free(c);
		return false;
	}
	p2a_print(c->t, pair, text, sizeof text);
	for (unsigned i = 0; i < LANES && same; i++)
		for (unsigned k = 0; k < REGS && same; k++)
			if (out[i][k] != out[i][REGS + k]) {
				t_bad("%s %s: lane %u: v%u is %08x, apart %08x", chip, text, i, FIRST + k, out[i][k],
					out[i][REGS + k]);
				same = false;
			}
	free(c);
	return same;
}

static void all_pairs(const char *chip)
{
	const p2a_target *t = p2a_target_find(chip);
	unsigned n = 0, bad = 0;
	p2a_inst pair;
	for (unsigned x = 0; x < ISA_NOPS; x++)
		for (unsigned y = 0; isa_can_dual(t, x, 0) && y < ISA_NOPS && bad < 3; y++) {
			if (!isa_can_dual(t, y, 1) || !random_pair(t, x, y, &pair))
				continue;
			n++;
			bad += !one_pair(chip, &pair);
		}
	if (!bad && n == 12 * 15)
		t_ok("%s every pair", chip);
	else
		t_bad("%s every pair: %u of %u", chip, bad, n);
}

/* Each half writes what the other reads. */
static void swapped(const char *chip)
{
	t_code *c = t_new(chip);
	const p2a_inst pair = { .op = OP_v_mov_b32, .op_y = OP_v_mov_b32, .enc = P2A_ENC_DUAL, .nargs = 4,
		.arg = { V(FIRST), V(FIRST + 1), V(FIRST + 1), V(FIRST) } };
	unsigned bad = 0;
	t_prologue(c);
	load(c);
	t_emit(c, &pair);
	store(c);
	if (!run(c, EMU_CHECK_ALL))
		bad++;
	for (unsigned i = 0; i < LANES; i++) {
		bool on = in[i][REGS];
		bad += out[i][0] != in[i][on] || out[i][1] != in[i][!on] || out[i][2] != in[i][2];
	}
	if (bad)
		t_bad("%s swapped: %u lanes", chip, bad);
	else
		t_ok("%s swapped", chip);
	free(c);
}

/* The dwords must fault with that message. */
static void faults(const char *chip, const char *name, bool wave64, const uint32_t w[2], const char *why)
{
	t_code *c = t_new(chip);
	t_run r;
	emu_config cf = { .target = chip, .threads = 1 };
	char full[128], said[512] = "does not load";
	uint64_t args[2] = { 0, 0 };
	emu_launch_config l = { .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
	if (wave64)
		t_wave64(c);
	t_word(c, w[0]);
	t_word(c, w[1]);
	t_op(c, OP_s_endpgm, NULL, 0);
	bool good = false;
	if (t_load(&r, c, &cf)) {
		good = emu_launch(r.dev, r.k, &l, &r.r) == EMU_EFAULT && strstr(r.r.fault.message, why);
		snprintf(said, sizeof said, "%s", r.r.fault.message);
	}
	snprintf(full, sizeof full, "%s %s", chip, name);
	t_result(full, good ? NULL : said);
	t_unload(&r);
	free(c);
}

int main(void)
{
	static const char *const chips[] = { "gfx1100", "gfx1200" };
	/* v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2; its results v0, v65; its sources v1, v5 */
	static const uint32_t good[2] = { 0xca100101, 0x00020102 }, far[2] = { 0xca100101, 0x00400102 },
		banks[2] = { 0xca100101, 0x00020105 };
	for (unsigned k = 0; k < 2; k++) {
		all_pairs(chips[k]);
		swapped(chips[k]);
		faults(chips[k], "wave of 64", true, good, "wave of 64");
		faults(chips[k], "register of the second half", false, far, "uses v65");
	}
	faults("gfx1100", "one bank", false, banks, "unknown instruction");
	return t_end();
}
