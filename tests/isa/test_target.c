/* test_target.c -- chips by name, wait counters, inline constants, sizes, names of rows.
 * Needs nothing; with a chip as argument prints that chip's limits for test_targets.sh instead. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void
check(bool ok, const char *what)
{
	if (ok)
		return;
	printf("# %s\n", what);
	failures++;
}

static int
report(const char *name)
{
	int bad = failures;

	printf(bad ? "not ok %s: %d\n" : "ok %s\n", name, bad);
	failures = 0;
	return bad != 0;
}

static int
test_find(void)
{
	const p2a_target *t;

	for (size_t k = 0; (t = p2a_target_at(k)); k++)
		check(p2a_target_find(p2a_target_name(t)) == t, p2a_target_name(t));
	t = p2a_target_find("gfx90a:xnack-:sramecc+");
	check(t && t->xnack == -1 && t->sramecc == 1 && !strcmp(p2a_target_name(t), "gfx90a"),
	    "gfx90a:xnack-:sramecc+");
	t = p2a_target_find("gfx942:sramecc-:xnack+");
	check(t && t->xnack == 1 && t->sramecc == -1, "features in the other order");
	check(p2a_target_find("gfx900:xnack+") && !p2a_target_find("gfx900:sramecc+"),
	    "gfx900 has no sramecc");
	check(!p2a_target_find("gfx1100:xnack+"), "gfx1100 has no xnack");
	check(!p2a_target_find("gfx90a:xnack+:xnack+"), "a feature twice");
	check(!p2a_target_find("gfx90a:"), "an empty feature");
	check(!p2a_target_find("gfx90a:xnack"), "a feature without setting");
	check(!p2a_target_find("gfx90"), "a prefix");
	check(!p2a_target_find("gfx9000"), "an extension");
	check(!p2a_target_find("") && !p2a_target_find(NULL), "no name");
	return report("isa-target-find");
}

/* What waits on gfx9 .. gfx12 when each counter of a load and a store must reach zero. */
static int
test_wait(void)
{
	static const struct { const char *chip, *text; } want[] = {
		{ "gfx900", "s_waitcnt vmcnt(0) lgkmcnt(3)" },
		    { "gfx1030", "s_waitcnt vmcnt(0) lgkmcnt(3)" },
		{ "gfx1100", "s_waitcnt vmcnt(0) lgkmcnt(3)" }, { "gfx1200", "s_wait_loadcnt 0x0" }
	};

	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		const p2a_target *t = p2a_target_find(want[k].chip);
		uint8_t wait[ISA_NCNT];
		p2a_inst out[ISA_NCNT];
		char s[128];

		memset(wait, 255, sizeof wait);
		check(isa_wait(t, wait, out) == 0, "nothing to wait for");
		wait[t->family == ISA_GFX12 ? ISA_CNT_LOAD : ISA_CNT_VM] = 0;
		if (t->family != ISA_GFX12)
			wait[ISA_CNT_LGKM] = 3;
		check(isa_wait(t, wait, out) == 1, "one instruction");
		p2a_print(t, &out[0], s, sizeof s);
		check(!strcmp(s, want[k].text), s);
		memset(wait, 0, sizeof wait);
		for (int n = isa_wait(t, wait, out); n > 0; n--)
			check(!p2a_check(t, &out[n - 1]), "a wait that does not encode");
	}
	return report("isa-target-wait");
}

static int
test_counters(void)
{
	static const struct { unsigned op; int first[ISA_NFAMILY], second[ISA_NFAMILY]; } want[] = {
		{ OP_global_load_dword, { ISA_CNT_VM, ISA_CNT_VM, ISA_CNT_VM, ISA_CNT_LOAD },
		    { -1, -1, -1, -1 } },
		{ OP_global_store_dword, { ISA_CNT_VM, ISA_CNT_VS, ISA_CNT_VS, ISA_CNT_STORE },
		    { -1, -1, -1, -1 } },
		{ OP_global_atomic_add, { ISA_CNT_VM, ISA_CNT_VS, ISA_CNT_VS, ISA_CNT_STORE },
		    { -1, -1, -1, -1 } },
		{ OP_global_atomic_add_rtn, { ISA_CNT_VM, ISA_CNT_VM, ISA_CNT_VM, ISA_CNT_LOAD },
		    { -1, -1, -1, -1 } },
		{ OP_flat_store_dword, { ISA_CNT_VM, ISA_CNT_VS, ISA_CNT_VS, ISA_CNT_STORE },
		  { ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_DS } },
		{ OP_ds_read_b32, { ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_DS },
		    { -1, -1, -1, -1 } },
		{ OP_ds_write_b32, { ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_DS },
		    { -1, -1, -1, -1 } },
		{ OP_s_load_dword, { ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_LGKM, ISA_CNT_KM },
		    { -1, -1, -1, -1 } },
		{ OP_v_add_f32, { -1, -1, -1, -1 }, { -1, -1, -1, -1 } }
	};
	static const char *const chip[ISA_NFAMILY] = { "gfx900", "gfx1030", "gfx1100", "gfx1200" };

	for (size_t k = 0; k < sizeof want / sizeof *want; k++)
		for (int f = 0; f < ISA_NFAMILY; f++) {
			int second, first = isa_counter_of(p2a_target_find(chip[f]), want[k].op,
			    &second);

			check(first == want[k].first[f] && second == want[k].second[f],
			    isa_table[want[k].op].name);
		}
	return report("isa-target-counters");
}

static int
test_constants(void)
{
	const p2a_target *t = p2a_target_find("gfx1030");

	check(isa_is_inline(t, ISA_T_B32, -16) && isa_is_inline(t, ISA_T_B32, 64),
	    "ends of the integers");
	check(!isa_is_inline(t, ISA_T_B32, -17) && !isa_is_inline(t, ISA_T_B32, 65),
	    "beyond the integers");
	check(isa_is_inline(t, ISA_T_B32, 0xffffffff), "-1 written unsigned");
	check(isa_is_inline(t, ISA_T_F32, 0x3f800000) && isa_is_inline(t, ISA_T_B32, 0x3f800000),
	    "1.0");
	check(isa_is_inline(t, ISA_T_F16, 0x3c00) && !isa_is_inline(t, ISA_T_B16, 0x3c00),
	    "1.0 as half");
	check(isa_is_inline(t, ISA_T_F64, 0x3ff0000000000000) &&
	    !isa_is_inline(t, ISA_T_F64, 0x3f800000), "1.0 as double");
	check(isa_is_inline(t, ISA_T_F32, 0x3e22f983), "1/(2 pi)");
	return report("isa-target-constants");
}

static int
test_names(void)
{
	const p2a_target *t = p2a_target_find("gfx1100"), *old = p2a_target_find("gfx900");

	check(p2a_op_find(t, "s_and_not1_b64") == OP_s_andn2_b64 &&
	    p2a_op_find(old, "s_andn2_b64") == OP_s_andn2_b64, "renamed");
	check(p2a_op_find(old, "s_and_not1_b64") < 0, "a name of a later family");
	check(!strcmp(p2a_op_name(t, OP_global_load_dwordx4), "global_load_b128"), "name");
	check(!p2a_op_name(old, OP_v_xor3_b32) && !p2a_op_name(old, ISA_NOPS), "no name");
	for (unsigned op = 0; op < ISA_NOPS; op++) {
		bool somewhere = false;

		for (size_t k = 0; (t = p2a_target_at(k)); k++)
			somewhere = somewhere || isa_has(t, op);
		check(somewhere, isa_table[op].name);
		check(isa_table[op].ndefs <= isa_table[op].nargs, isa_table[op].name);
		for (unsigned a = 0; a < isa_table[op].nargs; a++)
			check(isa_table[op].arg[a].def == (a < isa_table[op].ndefs),
			    isa_table[op].name);
	}
	return report("isa-target-names");
}

static int
test_sizes(void)
{
	const p2a_target *t = p2a_target_find("gfx1030");
	p2a_inst i = { .op = OP_v_add_f32, .nargs = 3, .arg = { P2A_V(0), P2A_V(1), P2A_V(2) } };

	check(isa_size(t, &i) == 4, "e32");
	i.arg[1].mods = P2A_NEG;
	check(isa_size(t, &i) == 8, "e64 for neg");
	i.arg[2] = (p2a_opnd){ .kind = P2A_K_IMM, .imm = 0x12345678 };
	check(isa_size(t, &i) == 12, "e64 with literal");
	i.arg[0].kind = P2A_K_IMM;
	check(isa_size(t, &i) < 0, "not encodable");
	i = (p2a_inst){ .op = OP_s_add_u32, .nargs = 3, .arg = { P2A_S(0), P2A_S(1),
	                { .kind = P2A_K_IMM, .width = 1, .mods = P2A_LIT, .imm = 4 } } };
	check(isa_size(t, &i) == 8, "a literal where an inline constant would do");
	return report("isa-target-sizes");
}

/* "+text" must be taken and "-text" refused: the ends of every offset that targets.def gives. */
static void
print_limits(const p2a_target *t)
{
	bool old = t->family < ISA_GFX11;
	const char *d = old ? "dword" : "b32";

	printf("+global_load_%s v0, v[2:3], off offset:%d\n", d, (int)t->global_off_min);
	printf("+global_load_%s v0, v[2:3], off offset:%d\n", d, (int)t->global_off_max);
	printf("-global_load_%s v0, v[2:3], off offset:%d\n", d, (int)t->global_off_min - 1);
	printf("-global_load_%s v0, v[2:3], off offset:%d\n", d, (int)t->global_off_max + 1);
	printf("+flat_load_%s v0, v[2:3] offset:%d\n", d, (int)t->flat_off_min);
	printf("+flat_load_%s v0, v[2:3] offset:%d\n", d, (int)t->flat_off_max);
	printf("-flat_load_%s v0, v[2:3] offset:%d\n", d, (int)t->flat_off_min - 1);
	if (!(t->hazards & ISA_HZ_FLAT_OFFSET))
		printf("-flat_load_%s v0, v[2:3] offset:%d\n", d, (int)t->flat_off_max + 1);
	printf("+scratch_load_%s v0, v2, off offset:%d\n", d, (int)t->scratch_off_min);
	printf("+scratch_load_%s v0, v2, off offset:%d\n", d, (int)t->scratch_off_max);
	printf("-scratch_load_%s v0, v2, off offset:%d\n", d, (int)t->scratch_off_max + 1);
	printf("+s_load_%s s0, s[2:3], %s0x%x\n", d, "-", -(unsigned)t->smem_off_min);
	printf("+s_load_%s s0, s[2:3], 0x%x\n", d, (unsigned)t->smem_off_max);
	printf("-s_load_%s s0, s[2:3], 0x%x\n", d, (unsigned)t->smem_off_max + 1);
	printf("+s_mov_b32 s%u, 0\n-s_mov_b32 s%u, 0\n", t->sgprs - 1u, (unsigned)t->sgprs);
	printf("+v_mov_b32 v%u, 0\n-v_mov_b32 v%u, 0\n", t->vgprs - 1u, (unsigned)t->vgprs);
	printf("%cv_bfe_u32 v0, v1, v2, 0x1234\n", t->vop3_literal ? '+' : '-');
	printf("%cv_bfe_u32 v0, v1, s2, s3\n", t->const_bus > 1 ? '+' : '-');
	printf("-v_bfe_u32 v0, s1, s2, s3\n");
	printf("%cv_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1\n",
	    t->sdwa ? '+' : '-');
	printf("%cv_add_f64 v[1:2], v[4:5], v[6:7]\n", t->align_vgpr_pairs ? '-' : '+');
	printf("%cglobal_load_%s v0, v[2:3], off sc1\n", t->sc_bits ? '+' : '-', d);
	printf("+s_mov_b64 s[0:1], src_shared_base\n");
	printf("%cv_add_f16_e32 v200, v1, v2\n", t->true16 ? '-' : '+');
	printf("=%02x\n", t->mach);
}

int
main(int argc, char **argv)
{
	if (argc > 1) {
		const p2a_target *t = p2a_target_find(argv[1]);

		if (t)
			print_limits(t);
		return !t;
	}
	return test_find() + test_wait() + test_counters() + test_constants() + test_names() +
	       test_sizes() != 0;
}
