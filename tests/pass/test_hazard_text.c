/* test_hazard_text.c -- one case a hazard, just too close and just far enough, with what is inserted.
 * Text as the assembler writes it; "N*TEXT" stands for N of them; what the pass must insert is in [].
 * The distances are those of AMD's manuals and of the errata that hazards.def names. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hazard_case { const char *chip, *text; } cases[] = {
	/* gfx9: wait states */
	{ "gfx900", "v_readlane_b32 s4, v0, 1; [s_nop 4]; global_load_dword v1, v2, s[4:5]" },
	{ "gfx900", "v_readlane_b32 s4, v0, 1; 2*v_mov_b32_e32 v9, v8; [s_nop 2]; global_load_dword v1, v2, s[4:5]" },
	{ "gfx900", "v_readlane_b32 s4, v0, 1; 5*v_mov_b32_e32 v9, v8; global_load_dword v1, v2, s[4:5]" },
	{ "gfx900", "v_readlane_b32 s4, v0, 1; s_nop 3; [s_nop 0]; global_load_dword v1, v2, s[4:5]" },
	{ "gfx900", "s_mov_b32 s4, 1; global_load_dword v1, v2, s[4:5]" },
	{ "gfx900", "v_cmp_lt_u32_e32 vcc, v0, v1; [s_nop 3]; v_div_fmas_f32 v0, v1, v2, v3" },
	{ "gfx90a", "v_readfirstlane_b32 s3, v0; [s_nop 3]; v_readlane_b32 s4, v1, s3" },
	{ "gfx90a", "v_readfirstlane_b32 s3, v0; [s_nop 3]; v_writelane_b32 v1, 7, s3" },
	{ "gfx90a", "s_setreg_b32 hwreg(HW_REG_MODE), s0; [s_nop 1]; s_getreg_b32 s1, hwreg(HW_REG_MODE)" },
	{ "gfx90a", "s_setreg_b32 hwreg(HW_REG_MODE), s0; s_getreg_b32 s1, hwreg(HW_REG_STATUS)" },
	{ "gfx900", "s_mov_b32 m0, s0; [s_nop 0]; s_sendmsg 1" },
	{ "gfx900", "global_store_dwordx4 v[0:1], v[4:7], off; [s_nop 0]; v_mov_b32_e32 v5, v9" },
	{ "gfx900", "global_store_dwordx2 v[0:1], v[4:5], off; v_mov_b32_e32 v5, v9" },
	{ "gfx900", "v_mov_b32_e32 v1, v2; [s_nop 1]; v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf" },
	{ "gfx900", "v_cmpx_lt_u32_e32 vcc, v0, v1; [s_nop 4]; v_mov_b32_dpp v3, v5 row_shr:1 row_mask:0xf bank_mask:0xf" },
	/* gfx940 */
	{ "gfx942", "v_exp_f32_e32 v1, v2; [s_nop 0]; v_mov_b32_e32 v3, v1" },
	{ "gfx942", "v_exp_f32_e32 v1, v2; v_mov_b32_e32 v4, v5; v_mov_b32_e32 v3, v1" },
	{ "gfx942", "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0; [s_nop 0]; "
		"v_mov_b32_sdwa v1, v3 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0" },
	{ "gfx942", "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0; "
		"v_mov_b32_sdwa v1, v3 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
	{ "gfx942", "v_mov_b32_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3; v_mov_b32_e32 v3, v1" },
	{ "gfx942", "v_exp_f32_e32 v1, v2; [s_nop 0]; "
		"v_mov_b32_sdwa v1, v3 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0" },
	{ "gfx942", "v_exp_f32_e32 v1, v2; v_exp_f32_e32 v3, v1" },
	{ "gfx942", "global_store_dwordx4 v[0:1], v[4:7], off; [s_nop 1]; v_mov_b32_e32 v5, v9" },
	{ "gfx942", "scratch_store_dwordx3 off, v[4:6], s0; v_mov_b32_e32 v9, v8; [s_nop 0]; v_mov_b32_e32 v6, v9" },
	{ "gfx90a", "flat_store_dwordx3 v[0:1], v[4:6]; [s_nop 0]; v_mov_b32_e32 v6, v9" },
	{ "gfx942", "v_cmpx_lt_u32_e32 vcc, v0, v1; [s_nop 1]; v_mov_b32_e32 v2, exec_lo" },
	{ "gfx942", "v_cmpx_lt_u32_e32 vcc, v0, v1; v_mov_b32_e32 v2, v3" },
	{ "gfx942", "v_cmp_lt_u32_e64 s[4:5], v0, v1; [s_nop 1]; v_cndmask_b32_e64 v0, v1, v2, s[4:5]" },
	{ "gfx942", "v_mov_b32_e32 v1, v2; [s_nop 0]; v_readfirstlane_b32 s0, v1" },
	{ "gfx90a", "v_mov_b32_e32 v1, v2; v_readfirstlane_b32 s0, v1" },
	{ "gfx942", "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD; [s_nop 0]; v_mov_b32_e32 v3, v1" },
	{ "gfx90a", "v_dot4_i32_i8 v1, v2, v3, v4; [s_nop 2]; v_mov_b32_e32 v5, v1" },
	{ "gfx90a", "v_dot4_i32_i8 v1, v2, v3, v4; v_dot4_i32_i8 v1, v2, v3, v1; [s_nop 2]; v_mov_b32_e32 v1, v5" },
	{ "gfx90a", "v_dot4_i32_i8 v1, v2, v3, v4; v_mov_b32_e32 v8, v9; [s_nop 1]; v_dot4_i32_i8 v5, v1, v3, v4" },
	{ "gfx942", "v_dot4_u32_u8 v1, v2, v3, v4; [s_nop 2]; v_dot4_i32_i8 v5, v2, v3, v1" },
	{ "gfx942", "v_dot4_u32_u8 v1, v2, v3, v4; [s_nop 2]; global_store_dword v8, v1, s[4:5]" },
	{ "gfx942", "v_dot4_u32_u8 v1, v2, v3, v4; [s_nop 2]; ds_write_b32 v8, v1" },
	{ "gfx942", "v_dot4_u32_u8 v1, v2, v3, v4; 3*v_mov_b32_e32 v9, v8; ds_write_b32 v8, v1" },
	{ "gfx908", "v_dot4_i32_i8 v1, v2, v3, v4; v_mov_b32_e32 v5, v1" },
	/* XNACK: loads in a clause */
	{ "gfx900", "s_load_dword s2, s[4:5], 0x0; [s_nop 0]; s_load_dword s4, s[6:7], 0x0" },
	{ "gfx900:xnack-", "s_load_dword s2, s[4:5], 0x0; s_load_dword s4, s[6:7], 0x0" },
	{ "gfx900", "s_load_dword s2, s[4:5], 0x0; s_mov_b32 s9, s8; s_load_dword s4, s[6:7], 0x0" },
	{ "gfx90a", "global_load_dword v2, v[4:5], off; [s_nop 0]; global_load_dword v4, v[6:7], off" },
	/* and a store behind a load: checkSoftClauseHazards */
	{ "gfx90a", "global_load_dword v2, v[4:5], off; [s_nop 0]; global_store_dword v[6:7], v8, off" },
	{ "gfx90a", "global_store_dword v[6:7], v8, off; global_load_dword v2, v[4:5], off" },
	{ "gfx90a:xnack-", "global_load_dword v2, v[4:5], off; global_store_dword v[6:7], v8, off" },
	/* gfx10.1 */
	{ "gfx1010", "global_load_dword v1, v2, s[4:5]; [s_waitcnt_depctr 0xffe3]; s_mov_b32 s4, 0" },
	{ "gfx1010", "global_load_dword v1, v2, s[4:5]; v_mov_b32_e32 v9, v8; s_mov_b32 s4, 0" },
	{ "gfx1010", "global_load_dword v1, v2, s[4:5]; [s_waitcnt_depctr 0xffe3]; s_mov_b32 exec_lo, 0" },
	{ "gfx1010", "s_load_dword s0, s[4:5], 0x0; [s_mov_b32 null, 0]; v_readfirstlane_b32 s4, v0" },
	{ "gfx1010", "s_load_dword s0, s[4:5], 0x0; s_mov_b32 s9, s8; v_readfirstlane_b32 s4, v0" },
	/* fixSMEMtoVectorWriteHazard: lgkmcnt(0) helps too */
	{ "gfx1010", "s_load_dword s0, s[4:5], 0x0; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s4, v0" },
	{ "gfx1010", "s_load_dword s0, s[4:5], 0x0; s_waitcnt vmcnt(0); [s_mov_b32 null, 0]; v_readfirstlane_b32 s4, v0" },
	{ "gfx1030", "global_load_dword v1, v2, s[4:5]; s_mov_b32 s4, 0; s_load_dword s0, s[6:7], 0x0; v_readfirstlane_b32 s6, v0" },
	/* gfx11 */
	{ "gfx1100", "v_exp_f32_e32 v1, v2; [s_waitcnt_depctr 0xfff]; v_mov_b32_e32 v3, v1" },
	{ "gfx1100", "v_exp_f32_e32 v1, v2; 5*v_mov_b32_e32 v9, v8; [s_waitcnt_depctr 0xfff]; v_mov_b32_e32 v3, v1" },
	{ "gfx1100", "v_exp_f32_e32 v1, v2; 6*v_mov_b32_e32 v9, v8; v_mov_b32_e32 v3, v1" },
	{ "gfx1100", "v_exp_f32_e32 v1, v2; v_exp_f32_e32 v9, v8; [s_waitcnt_depctr 0xfff]; v_mov_b32_e32 v3, v1" },
	{ "gfx1100", "v_exp_f32_e32 v1, v2; 2*v_exp_f32_e32 v9, v8; v_mov_b32_e32 v3, v1" },
	{ "gfx1150", "v_exp_f32_e32 v1, v2; v_mov_b32_e32 v3, v1" },
	/* fixVALUTransUseHazard: memory instructions end it, another write of the register does not */
	{ "gfx1100", "v_exp_f32_e32 v1, v2; ds_store_b32 v4, v5; v_mov_b32_e32 v3, v1" },
	{ "gfx1100", "v_exp_f32_e32 v1, v2; v_mov_b32_e32 v1, v9; [s_waitcnt_depctr 0xfff]; v_mov_b32_e32 v3, v1" },
	/* gfx12: "Data Dependency Resolution" of RDNA4's manual, LLVM's AMDGPUWaitSGPRHazards */
	{ "gfx1200", "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0x42; [s_wait_alu 0xfffe]; s_mov_b32 s2, s0" },
	{ "gfx1200", "v_mov_b32_e32 v0, s0; s_mov_b32 s0, s9; [s_wait_alu 0xfffe]; v_mov_b32_e32 v1, s0" },
	{ "gfx1200", "v_mov_b32_e32 v0, s0; s_mov_b32 s0, s9; 20*s_mov_b32 s20, s21; [s_wait_alu 0xfffe]; v_mov_b32_e32 v1, s0" },
	{ "gfx1200", "v_mov_b32_e32 v0, s0; s_mov_b32 s1, s9; v_mov_b32_e32 v1, s0" },
	{ "gfx1200", "s_mov_b32 s0, s9; v_mov_b32_e32 v1, s0" },
	{ "gfx1200", "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s5, v0; [s_wait_alu 0xf1ff]; v_mov_b32_e32 v1, s5" },
	{ "gfx1200", "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s5, v0; s_mov_b32 s9, s5; v_mov_b32_e32 v1, s5" },
	{ "gfx1200", "v_cndmask_b32_e32 v0, v1, v2, vcc_lo; v_cmp_lt_u32_e32 vcc_lo, v0, v1; [s_wait_alu 0xfffd]; v_cndmask_b32_e32 v0, v1, v2, vcc_lo" },
	{ "gfx1200", "v_cmp_lt_u32_e32 vcc_lo, v0, v1; v_cndmask_b32_e32 v0, v1, v2, vcc_lo" },
	{ "gfx1200", "v_cndmask_b32_e64 v0, v1, v2, s4; v_cndmask_b32_e32 v0, v1, v2, vcc_lo; s_mov_b32 s4, s9; v_cmp_lt_u32_e32 vcc_lo, v0, v1; [s_wait_alu 0xfffc]; v_cndmask_b32_e64 v0, s4, v2, vcc_lo" },
	{ "gfx1200", "v_mov_b32_e32 v0, exec_lo; s_mov_b32 exec_lo, s9; v_mov_b32_e32 v1, exec_lo" },
};

/* The next piece of a case: trimmed; *times how often, *inserted whether in []. */
static bool
next_piece(const char **at, char *piece, size_t cap, unsigned *times, bool *inserted)
{
	size_t n;
	char *end;

	*at += strspn(*at, " ;");
	*inserted = **at == '[';
	*at += *inserted;
	n = *inserted ? strcspn(*at, "]") : strcspn(*at, ";");
	if (!n || n >= cap)
		return false;
	memcpy(piece, *at, n);
	piece[n] = 0;
	*at += n + *inserted;
	*times = (unsigned)strtoul(piece, &end, 10);
	if (*end == '*')
		memmove(piece, end + 1, strlen(end));
	else
		*times = 1;
	return true;
}

static bool
parse(ir_builder *B, const char *text, char *why, size_t cap)
{
	p2a_inst m;
	size_t where = 0;
	int err = p2a_parse(B->f->target, text, &m, &where);
	ir_inst *i;

	if (err) {
		snprintf(why, cap, "cannot read '%s' at %zu: %s", text, where, p2a_isa_error_name(err));
		return false;
	}
	i = ir_emit(B, m.op, isa_table[m.op].ndefs, m.nargs, m.arg);
	i->m = m;
	return true;
}

static bool
matches(const ir_func *f, const ir_inst *i, const char *text)
{
	char got[300], want[300];
	p2a_inst m;
	size_t where;

	if (!i || p2a_parse(f->target, text, &m, &where))
		return false;
	p2a_print(f->target, &i->m, got, sizeof got);
	p2a_print(f->target, &m, want, sizeof want);
	return !strcmp(got, want);
}

static bool
run_case(ir_func *f, const char *text, char *why, size_t cap)
{
	ir_builder B = { f, ir_new_block(f), NULL, 0 };
	char piece[300];
	unsigned times;
	bool inserted;
	const ir_inst *i;

	f->entry = B.b;
	for (const char *at = text; next_piece(&at, piece, sizeof piece, &times, &inserted);)
		for (unsigned k = 0; k < times && !inserted; k++)
			if (!parse(&B, piece, why, cap))
				return false;
	p_hazard(f);
	i = f->entry->first;
	for (const char *at = text; next_piece(&at, piece, sizeof piece, &times, &inserted);)
		for (unsigned k = 0; k < times; k++, i = i->next)
			if (!matches(f, i, piece)) {
				p2a_print(f->target, i ? &i->m : &f->entry->last->m, why, cap);
				return false;
			}
	snprintf(why, cap, "more instructions than expected");
	return i == NULL;
}

static bool
one(const struct hazard_case *x)
{
	arena A;
	jmp_buf oom;
	char why[500] = "";
	volatile bool ok = false;

	if (setjmp(oom))
		return false;
	arena_init(&A, NULL, NULL, &oom);
	ok = run_case(gen_new(&A, p2a_target_find(x->chip), "k"), x->text, why, sizeof why);
	printf("%s %s: %s%s%s\n", ok ? "ok" : "not ok", x->chip, x->text, ok ? "" : " -- found ", ok ? "" : why);
	arena_free(&A);
	return ok;
}

int
main(void)
{
	unsigned failures = 0;

	for (size_t k = 0; k < COUNT(cases); k++)
		failures += !one(&cases[k]);
	return failures != 0;
}
