/* test_facts.c -- facts of targets.def that no assembler can be asked about: which chip has which hazard,
 * register files and what is allocated by, padding behind the code, ranges that errata cut.
 * Expected, written down here apart from targets.def: LLVM's AMDGPU.td (FeatureISAVersion*: the names in
 * the comments), GCNSubtarget.h, AMDGPUBaseInfo.cpp (IsaInfo), SIProgramInfo's code end padding. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void
check(const char *chip, const char *what, long got, long want)
{
	if (got == want)
		return;
	printf("# %s %s: %ld, expected %ld\n", chip, what, got, want);
	failures++;
}

enum { GFX9 = 1, GFX90A = 2, GFX940 = 4, GFX101 = 8, GFX103 = 16, GFX110 = 32, GFX115 = 64, GFX12 = 128 };

static const struct chip {
	const char *name;
	unsigned group;
	int vgprs, alloc, granule;      /* getTotalNumVGPRs, getVGPRAllocGranule, getVGPREncodingGranule */
	int waves;                      /* of a SIMD: getMaxWavesPerEU */
	int line, lines;                /* bytes of an instruction cache line, how many are read ahead */
	bool user16;                    /* FeatureUserSGPRInit16Bug */
} chips[] = {
	{ "gfx900", GFX9, 256, 4, 4, 10, 64, -1, false }, { "gfx906", GFX9, 256, 4, 4, 10, 64, -1, false },
	{ "gfx908", GFX9, 256, 4, 4, 10, 64, -1, false }, { "gfx90a", GFX90A, 512, 8, 8, 8, 64, 16, false },
	{ "gfx942", GFX940, 512, 8, 8, 8, 64, 16, false }, { "gfx1010", GFX101, 1024, 8, 8, 20, 64, 3, false },
	{ "gfx1030", GFX103, 1024, 16, 8, 16, 64, 3, false }, { "gfx1100", GFX110, 1536, 24, 8, 16, 128, 3, true },
	{ "gfx1101", GFX110, 1536, 24, 8, 16, 128, 3, false }, { "gfx1102", GFX110, 1024, 16, 8, 16, 128, 3, true },
	{ "gfx1103", GFX110, 1024, 16, 8, 16, 128, 3, false }, { "gfx1150", GFX115, 1024, 16, 8, 16, 128, 3, false },
	{ "gfx1151", GFX115, 1536, 24, 8, 16, 128, 3, false }, { "gfx1200", GFX12, 1536, 24, 8, 16, 128, 3, false },
	{ "gfx1201", GFX12, 1536, 24, 8, 16, 128, 3, false },
};

static const struct { const char *name; uint32_t bit; unsigned groups; } hazards[] = {
	{ "VALU_SGPR_VMEM", ISA_HZ_VALU_SGPR_VMEM, GFX9 | GFX90A | GFX940 },       /* no FeatureNoDataDepHazard */
	{ "VALU_VCC_DIV_FMAS", ISA_HZ_VALU_VCC_DIV_FMAS, GFX9 | GFX90A | GFX940 },
	{ "VALU_SGPR_LANE", ISA_HZ_VALU_SGPR_LANE, GFX9 | GFX90A | GFX940 },
	{ "VALU_EXEC_DPP", ISA_HZ_VALU_EXEC_DPP, GFX9 | GFX90A | GFX940 },
	{ "VALU_VGPR_DPP", ISA_HZ_VALU_VGPR_DPP, GFX9 | GFX90A | GFX940 },
	{ "SETREG_GETREG", ISA_HZ_SETREG_GETREG, GFX9 | GFX90A | GFX940 },
	{ "SALU_M0_USE", ISA_HZ_SALU_M0_USE, GFX9 | GFX90A | GFX940 },             /* hasReadM0SendMsgHazard */
	{ "STORE_DATA", ISA_HZ_STORE_DATA, GFX9 | GFX90A | GFX940 },               /* has12DWordStoreHazard */
	{ "STORE_DATA_VALU", ISA_HZ_STORE_DATA_VALU, GFX940 },                     /* checkVALUHazardsHelper */
	{ "VCCZ_PARTIAL", ISA_HZ_VCCZ_PARTIAL, GFX9 | GFX90A | GFX940 },           /* !partialVCCWritesUpdateVCCZ */
	{ "TRANS_USE", ISA_HZ_TRANS_USE, GFX940 },                                 /* hasTransForwardingHazard */
	{ "DST_SEL_USE", ISA_HZ_DST_SEL_USE, GFX940 },                             /* hasDstSelForwardingHazard */
	{ "VALU_SGPR_VALU", ISA_HZ_VALU_SGPR_VALU, GFX940 },                       /* hasVDecCoExecHazard */
	{ "VALU_VGPR_LANE", ISA_HZ_VALU_VGPR_LANE, GFX940 },
	{ "VALU_EXEC_LANE", ISA_HZ_VALU_EXEC_LANE, GFX940 },
	{ "DOT_USE", ISA_HZ_DOT_USE, GFX90A | GFX940 },                            /* checkMAIVALUHazards */
	{ "SHIFT64_HIGH", ISA_HZ_SHIFT64_HIGH, GFX90A },                           /* hasShift64HighRegBug */
	{ "VCMPX_PERMLANE", ISA_HZ_VCMPX_PERMLANE, GFX101 | GFX110 | GFX115 | GFX12 },
	{ "VMEM_SCALAR_WRITE", ISA_HZ_VMEM_SCALAR_WRITE, GFX101 },
	{ "SMEM_VECTOR_WRITE", ISA_HZ_SMEM_VECTOR_WRITE, GFX101 },
	{ "VCMPX_EXEC_WAR", ISA_HZ_VCMPX_EXEC_WAR, GFX101 },
	{ "LDS_BRANCH_VMEM", ISA_HZ_LDS_BRANCH_VMEM, GFX101 },
	{ "BRANCH_3F", ISA_HZ_BRANCH_3F, GFX101 },                                 /* FeatureOffset3fBug */
	{ "FLAT_OFFSET", ISA_HZ_FLAT_OFFSET, GFX101 },                             /* FeatureFlatSegmentOffsetBug */
	{ "SCRATCH_NEG", ISA_HZ_SCRATCH_NEG, GFX101 },
	{ "VALU_PARTIAL_FWD", ISA_HZ_VALU_PARTIAL_FWD, GFX110 | GFX115 },          /* getGeneration() == GFX11 */
	{ "VALU_TRANS_USE", ISA_HZ_VALU_TRANS_USE, GFX110 },
	{ "VALU_MASK_WRITE", ISA_HZ_VALU_MASK_WRITE, GFX110 | GFX115 },
	{ "MAD_INTRA_FWD", ISA_HZ_MAD_INTRA_FWD, GFX110 },
	{ "VALU_READ_SGPR", ISA_HZ_VALU_READ_SGPR, GFX12 },
	{ "GETPC_ZEXT", ISA_HZ_GETPC_ZEXT, GFX12 },                                /* hasGetPCZeroExtension */
	{ "XNACK_CLAUSE", ISA_HZ_XNACK_CLAUSE, GFX9 | GFX90A | GFX940 | GFX101 },  /* FeatureSupportsXNACK */
};

static void
check_chip(const struct chip *c)
{
	const p2a_target *t = p2a_target_find(c->name);

	if (!t) {
		check(c->name, "known", 0, 1);
		return;
	}
	for (size_t k = 0; k < sizeof hazards / sizeof *hazards; k++)
		check(c->name, hazards[k].name, !!(t->hazards & hazards[k].bit), !!(hazards[k].groups & c->group));
	check(c->name, "VGPR file", t->vgpr_file, c->vgprs);
	check(c->name, "VGPR allocation", t->vgpr_alloc, c->alloc);
	check(c->name, "VGPR granule", t->vgpr_granule, c->granule);
	check(c->name, "waves", t->simd_waves, c->waves);
	check(c->name, "16 SGPRs", t->user_sgpr16_bug, c->user16);
	/* LLVM aligns the end of the code to a line first; we do not, so that one line more is needed. */
	check(c->name, "padding", t->end_pad, c->lines < 0 ? 0 : (c->lines + 1) * c->line);
	/* FeatureNegativeScratchOffsetBug, FeatureNegativeUnalignedScratchOffsetBug */
	if (c->group & (GFX9 | GFX90A | GFX940 | GFX101))
		check(c->name, "scratch offset", t->scratch_off_min, 0);
}

int
main(void)
{
	check("all", "hazards", sizeof hazards / sizeof *hazards, ISA_NHAZARDS);
	for (size_t k = 0; k < sizeof chips / sizeof *chips; k++)
		check_chip(&chips[k]);
	check("all", "chips", p2a_target_at(sizeof chips / sizeof *chips) != NULL, 0);
	printf(failures ? "not ok isa-facts: %d\n" : "ok isa-facts\n", failures);
	return failures != 0;
}
