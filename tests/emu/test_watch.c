/* test_watch.c -- EMU_CHECK_ALL: each kind of mistake that the hardware would answer with a
 * wrong value is reported, and the same code with its wait or distance is not. On four chips.
 * Code of another compiler's under all checks is in test_clang.c. */
#include "t.h"

typedef struct mistake {
	const char *name;
	void (*code)(t_code *, bool good);
	const char *message;
	uint32_t hazard;             /* only on chips that have it; 0: on all */
} mistake;

static void end(t_code *c) { t_op(c, OP_s_endpgm, NULL, 0); }
static void nops(t_code *c, unsigned n)
{
	if (n)
		OP(c, s_nop, K(n - 1));
}
static p2a_opnd vcc(const t_code *c) { return (p2a_opnd)SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32)); }

static void vmem_raw(t_code *c, bool good)
{
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, global_load_dword, 0, V(2), V(1), SN(4, 2));
	if (good)
		t_wait(c);
	OP(c, v_add_u32, V(3), V(2), V(1));
	end(c);
}
static void vmem_waw(t_code *c, bool good)
{
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, global_load_dword, 0, V(2), V(1), SN(4, 2));
	if (good)
		t_wait(c);
	OP(c, v_mov_b32, V(2), K(0));
	end(c);
}
static void smem_raw(t_code *c, bool good)
{
	MEM(c, s_load_dwordx2, 0, SN(4, 2), SN(0, 2), OFF);
	if (good)
		t_wait(c);
	OP(c, s_add_u32, S(6), S(4), K(1));
	end(c);
}
static void lds_raw(t_code *c, bool good)
{
	c->lds = 256;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, ds_write_b32, 0, V(1), V(0));
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(2), V(1));
	if (good)
		t_wait(c);
	OP(c, v_add_u32, V(3), V(2), V(1));
	end(c);
}
/* Two loads in order; a wait that leaves one outstanding is enough for the first only. */
static void counted(t_code *c, bool good)
{
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, global_load_dword, 0, V(2), V(1), SN(4, 2));
	MEM(c, global_load_dword, 0, V(3), V(1), SN(6, 2));
	uint8_t wait[ISA_NCNT];
	p2a_inst out[ISA_NCNT];
	memset(wait, 255, sizeof wait);
	wait[c->t->family == ISA_GFX12 ? ISA_CNT_LOAD : ISA_CNT_VM] = 1;
	for (int k = 0, n = isa_wait(c->t, wait, out); k < n; k++)
		t_emit(c, &out[k]);
	OP(c, v_mov_b32, V(4), V(good ? 2 : 3));
	end(c);
}
/* Scalar loads may overtake one another: only a wait for all will do. */
static void unordered(t_code *c, bool good)
{
	MEM(c, s_load_dword, 0, S(4), SN(0, 2), OFF);
	MEM(c, s_load_dword, 4, S(5), SN(0, 2), OFF);
	uint8_t wait[ISA_NCNT];
	p2a_inst out[ISA_NCNT];
	memset(wait, 255, sizeof wait);
	wait[c->t->family == ISA_GFX12 ? ISA_CNT_KM : ISA_CNT_LGKM] = good ? 0 : 1;
	for (int k = 0, n = isa_wait(c->t, wait, out); k < n; k++)
		t_emit(c, &out[k]);
	OP(c, s_mov_b32, S(6), S(4));
	end(c);
}
static void lds_barrier(t_code *c, bool good)
{
	c->lds = 256;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, ds_write_b32, 0, V(1), V(0));
	if (good)
		t_wait(c);
	if (c->t->family == ISA_GFX12) {
		OP(c, s_barrier_signal, K(-1));
		OP(c, s_barrier_wait, K(0xffff));
	} else
		t_op(c, OP_s_barrier, NULL, 0);
	end(c);
}
/* Two bytes of the dword that is read are missing. */
static void lds_hole(t_code *c, bool good)
{
	c->lds = 256;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, ds_write_b16, 0, V(1), V(0));
	if (good)
		MEM(c, ds_write_b16, 2, V(1), V(0));
	t_wait(c);
	MEM(c, ds_read_b32, 0, V(2), V(1));
	t_wait(c);
	end(c);
}
static void lds_count(t_code *c, bool good)
{
	c->lds = 256;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	if (good)
		MEM(c, ds_wrxchg_rtn_b32, 0, V(2), V(1), V(0));  /* as good as a store */
	t_wait(c);
	MEM(c, ds_add_u32, 0, V(1), V(0));
	t_wait(c);
	end(c);
}
static void bad_address(t_code *c, bool good)
{
	t_prologue(c);
	if (good)
		OP(c, v_mov_b32, V(1), K(0));
	MEM(c, global_store_dword, 0, V(1), V(0), SN(6, 2));
	end(c);
}
static void bad_data(t_code *c, bool good)
{
	if (good) {                     /* lanes that nobody reads */
		t_prologue(c);
		OP(c, v_mov_b32, V(1), K(0));
		OP(c, s_mov_b32, SREG(P2A_EXEC_LO, 1), K(1));
		OP(c, v_mov_b32, V(3), K(7));
		OP(c, s_mov_b32, SREG(P2A_EXEC_LO, 1), K(-1));
		MEM(c, ds_bpermute_b32, 0, V(4), V(1), V(3));
		t_wait(c);
	}
	t_prologue(c);
	OP(c, v_mov_b32, V(1), K(0));
	if (good)
		OP(c, v_mov_b32, V(2), K(0));
	MEM(c, global_store_dword, 0, V(1), V(2), SN(6, 2));
	end(c);
}
static void sgpr_vmem(t_code *c, bool good)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(1), K(0));
	OP(c, v_mov_b32, V(2), S(4));
	nops(c, 4);
	OP(c, v_readfirstlane_b32, S(4), V(2));
	nops(c, good ? 5 : 4);
	MEM(c, global_load_dword, 0, V(3), V(1), SN(4, 2));
	end(c);
}
static void div_fmas(t_code *c, bool good)
{
	p2a_opnd v = vcc(c);
	OP(c, v_cmp_eq_u32, v, V(0), V(0));
	nops(c, good ? 4 : 3);
	OP(c, v_div_fmas_f32, V(2), V(0), V(0), V(0));
	end(c);
}
static void lane_select(t_code *c, bool good)
{
	OP(c, v_readfirstlane_b32, S(6), V(0));
	nops(c, good ? 4 : 3);
	OP(c, v_readlane_b32, S(7), V(0), S(6));
	end(c);
}
static void dpp(t_code *c, unsigned reg)
{
	p2a_inst i = { .op = OP_v_mov_b32,
		.nargs = 2,
		.enc = P2A_ENC_DPP,
		.dpp = 0x111,
		.dpp_mask = 0xff,
		.arg = { V(3), V(reg) } };
	t_emit(c, &i);
}
static void vgpr_dpp(t_code *c, bool good)
{
	OP(c, v_mov_b32, V(3), K(0));
	OP(c, v_add_u32, V(2), V(0), V(0));
	nops(c, good ? 2 : 1);
	dpp(c, 2);
	end(c);
}
static void exec_dpp(t_code *c, bool good)
{
	p2a_opnd v = vcc(c);
	OP(c, v_mov_b32, V(3), K(0));
	t_op(c, OP_v_cmpx_eq_u32, (p2a_opnd[]){ v, V(0), V(0) }, 3);
	nops(c, good ? 5 : 4);
	dpp(c, 0);
	end(c);
}
static void setreg(t_code *c, bool good)
{
	OP(c, s_setreg_imm32_b32, K(1 | 3 << 11), K(0));
	nops(c, good ? 2 : 1);
	OP(c, s_getreg_b32, S(6), K(1 | 3 << 11));
	end(c);
}
static void store_data(t_code *c, bool good)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(1), K(0));
	for (unsigned k = 4; k < 8; k++)
		OP(c, v_mov_b32, V(k), K(0));
	MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
	nops(c, good ? 2 : 0);
	OP(c, v_mov_b32, V(5), K(1));
	end(c);
}
static void vccz(t_code *c, bool good)
{
	OP(c, s_mov_b32, SREG(P2A_VCC_LO, 1), K(0));
	if (good)
		OP(c, s_mov_b64, SREG(P2A_VCC, 2), SREG(P2A_VCC, 2));
	size_t b = t_forward(c, OP_s_cbranch_vccz);
	t_here(c, b);
	end(c);
}
static void trans(t_code *c, bool good)
{
	OP(c, v_rcp_f32, V(2), V(0));
	nops(c, good);
	OP(c, v_add_f32, V(3), V(2), V(2));
	end(c);
}
static void dot_use(t_code *c, bool good)
{
	OP(c, v_dot4_i32_i8, V(2), V(0), V(0), V(0));
	OP(c, v_dot4_i32_i8, V(2), V(0), V(0), V(2));
	nops(c, good ? 3 : 2);
	OP(c, v_add_u32, V(3), V(2), V(0));
	end(c);
}
static void dot_factor(t_code *c, bool good)
{
	OP(c, v_dot4_i32_i8, V(2), V(0), V(0), V(0));
	nops(c, good ? 3 : 2);
	OP(c, v_dot4_i32_i8, V(3), V(0), V(2), V(0));
	end(c);
}
static void dot_written(t_code *c, bool good)
{
	OP(c, v_dot4_i32_i8, V(2), V(0), V(0), V(0));
	nops(c, good ? 3 : 2);
	OP(c, v_dot4_u32_u8, V(2), V(0), V(0), V(0));
	end(c);
}

static const mistake mistakes[] = {
	{ "load read too soon", vmem_raw, "reads v2 while a load to it is in flight", 0 },
	{ "load overwritten", vmem_waw, "overwrites v2 while a load", 0 },
	{ "scalar load read too soon", smem_raw, "reads s4 while a load", 0 },
	{ "LDS read too soon", lds_raw, "reads v2 while a load", 0 },
	{ "counted wait", counted, "reads v3 while a load", 0 },
	{ "counted wait for scalar loads", unordered, "reads s4 while a load", 0 },
	{ "LDS store at a barrier", lds_barrier, "barrier while an LDS store is in flight", 0 },
	{ "LDS read that nothing has written", lds_hole, "4-byte load from LDS address 0x0: nothing has written the byte at 0x2", 0 },
	{ "LDS added to that nothing has written", lds_count, "nothing has written the byte at 0x0", 0 },
	{ "address never written", bad_address, "reads v1, which nothing has written", 0 },
	{ "data never written", bad_data, "reads v2, which nothing has written", 0 },
	{ "VALU_SGPR_VMEM", sgpr_vmem, "hazard: VALU writes an SGPR that a VMEM", ISA_HZ_VALU_SGPR_VMEM },
	{ "VALU_VCC_DIV_FMAS", div_fmas, "hazard: VALU writes VCC, v_div_fmas", ISA_HZ_VALU_VCC_DIV_FMAS },
	{ "VALU_SGPR_LANE", lane_select, "hazard: VALU writes the SGPR", ISA_HZ_VALU_SGPR_LANE },
	{ "VALU_VGPR_DPP", vgpr_dpp, "hazard: VALU writes a VGPR that a DPP", ISA_HZ_VALU_VGPR_DPP },
	{ "VALU_EXEC_DPP", exec_dpp, "hazard: VALU writes EXEC, a DPP", ISA_HZ_VALU_EXEC_DPP },
	{ "SETREG_GETREG", setreg, "hazard: s_setreg then", ISA_HZ_SETREG_GETREG },
	{ "STORE_DATA", store_data, "hazard: a store of more than 64 bits", ISA_HZ_STORE_DATA },
	{ "VCCZ_PARTIAL", vccz, "hazard: vcc_lo", ISA_HZ_VCCZ_PARTIAL },
	{ "DOT_USE", dot_use, "hazard: gfx90a, gfx940: a dot product", ISA_HZ_DOT_USE },
	{ "DOT_USE, a factor", dot_factor, "hazard: gfx90a, gfx940: a dot product", ISA_HZ_DOT_USE },
	{ "DOT_USE, written", dot_written, "hazard: gfx90a, gfx940: a dot product", ISA_HZ_DOT_USE },
	{ "TRANS_USE", trans, "hazard: gfx940: a transcendental", ISA_HZ_TRANS_USE },
};

static void run(const char *chip, const mistake *m, bool good)
{
	char name[96];
	t_code *c = t_new(chip);
	t_run r;
	m->code(c, good);
	snprintf(name, sizeof name, "%s %s%s", chip, m->name, good ? ", done right" : "");
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1, .check = EMU_CHECK_ALL })) {
		uint64_t args[2] = { emu_alloc(r.dev, 256), emu_alloc(r.dev, 256) };
		emu_launch_config l = {
			.block = { 64, 1, 1 }, .args = args, .args_size = sizeof args
		};
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		bool as_wanted = good ? s == EMU_OK
				      : s == EMU_EFAULT && strstr(r.r.fault.message, m->message);
		t_result(name, as_wanted ? NULL : s == EMU_OK ? "not reported" : r.r.fault.message);
	}
	t_unload(&r);
	free(c);
}

int main(void)
{
	static const char *const chips[] = { "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200" };
	for (size_t k = 0; k < 5; k++)
		for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
			const p2a_target *t = p2a_target_find(chips[k]);
			if (mistakes[m].hazard && !(t->hazards & mistakes[m].hazard))
				continue;
			run(chips[k], &mistakes[m], false);
			run(chips[k], &mistakes[m], true);
		}
	return t_end();
}
