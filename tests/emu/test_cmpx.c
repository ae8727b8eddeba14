/* test_cmpx.c -- v_cmpx in VOP3 form on gfx10 to gfx12 as LLVM 15 and older write it, with 0 in the destination field, which the
 * machine ignores: EXEC is written as ever, s0 is not. Expected: the lanes that the comparison names. */
#include "t.h"

static void run(const char *chip)
{
	t_code *c = t_new(chip);
	t_run r;
	t_prologue(c);
	OP(c, s_mov_b32, S(0), K(0x1234));
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_mov_b32, V(2), S(0));
	size_t at = c->n;
	p2a_inst i = { .op = OP_v_cmpx_lt_u32, .nargs = 3, .enc = P2A_ENC_E64, .arg = { SREG(P2A_EXEC_LO, 1), V(0), K(5) } };
	t_emit(c, &i);
	bool right = !c->error && (c->w[at] & 255) == 126;
	c->w[at] &= ~(uint32_t)255;
	OP(c, v_mov_b32, V(2), S(0));
	MEM(c, global_store_dword, 0, V(1), V(2), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	if (!right)
		t_bad("%s: the encoding is not EXEC's", chip);
	else if (t_load(&r, c, &(emu_config){ .target = chip })) {
		uint64_t args[2] = { emu_alloc(r.dev, 4), emu_alloc(r.dev, 256) };
		emu_launch_config l = { .block = { 32, 1, 1 }, .args = args, .args_size = sizeof args };
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		const uint32_t *out = (const uint32_t *)(uintptr_t)args[1];
		bool good = s == EMU_OK;
		for (uint32_t k = 0; good && k < 32; k++)
			good = out[k] == (k < 5 ? 0x1234 : 0);
		if (good)
			t_ok("%s v_cmpx with 0 as its destination", chip);
		else
			t_bad("%s v_cmpx with 0 as its destination: %s", chip, s == EMU_OK ? "other lanes" : r.r.fault.message);
		t_unload(&r);
	}
	free(c);
}

int main(void)
{
	run("gfx1030");
	run("gfx1100");
	run("gfx1200");
	return t_end();
}
