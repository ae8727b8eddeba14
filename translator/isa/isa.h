/* isa.h -- the machine as data, for the rooms of this project.
 * ops.def (instructions), formats.def (bit fields), targets.def (chips), counters.def (wait counters),
 * sregs.def (named scalar registers) are the only places where a fact about a chip is written.
 * All readers (encode, decode, print, parse, check; waitcnt, hazard, regalloc, emulator) use these. */
#ifndef ISA_ISA_H
#define ISA_ISA_H
#include "p2a_isa.h"

typedef enum isa_family { ISA_GFX9, ISA_GFX10, ISA_GFX11, ISA_GFX12, ISA_NFAMILY } isa_family;

enum isa_op {
#define OP(id, ...) OP_##id,
#include "isa/ops.def"
#undef OP
	ISA_NOPS
};

/* Bytes of a code object in memory, variables included: what is made, and what the emulator loads. */
#define ISA_OBJECT_LIMIT ((uint64_t)16 << 30)

typedef enum isa_class { ISA_SALU, ISA_VALU, ISA_TRANS /* VALU on the transcendental unit */, ISA_SMEM, ISA_VMEM /* global, flat, scratch */,
	ISA_FLAT, ISA_DS, ISA_BRANCH, ISA_WAIT, ISA_BARRIER, ISA_SPECIAL, ISA_END } isa_class;

/* What an instruction does besides its operands. */
enum {
	ISA_R_EXEC = 1 << 0, ISA_W_EXEC = 1 << 1, ISA_R_SCC = 1 << 2, ISA_W_SCC = 1 << 3,
	ISA_R_VCC = 1 << 4 /* implicit, v_div_fmas */, ISA_W_VCC = 1 << 5, ISA_R_M0 = 1 << 6, ISA_LOAD = 1 << 7, ISA_STORE = 1 << 8,
	ISA_ATOMIC = 1 << 9, ISA_BUS1 = 1 << 10 /* one constant-bus read on every family */, ISA_COMM = 1 << 11 /* src0, src1 commute */,
	ISA_BOOL_OUT = 1 << 12 /* first result is a lane mask: width of the wave */, ISA_IGNORES_EXEC = 1 << 13 /* v_readlane, v_writelane */,
	ISA_TIED = 1 << 14 /* vdst is also read (v_mac, v_writelane, d16_hi loads) */, ISA_SIDE = 1 << 15 /* must not be removed or moved */,
	ISA_FLOAT = 1 << 16 /* result takes clamp, a float result omod; neg/abs go by the source's type */, ISA_F64 = 1 << 17 /* runs at a fraction of the rate */,
	ISA_CLAMP = 1 << 18 /* integer result takes clamp */,
	ISA_HALF = 1 << 19 /* in VOP3 op_sel picks halves of 16-bit operands; what a 16-bit result does not cover is kept */,
	ISA_NODPP = 1 << 20 /* no DPP, although the format has it */
};

/* Where formats.def puts an operand; also the members of p2a_inst that are fields. */
enum isa_slot {
	ISA_SL_NONE, ISA_SL_SDST, ISA_SL_CDST /* of v_cmp */, ISA_SL_XDST /* of v_cmpx */, ISA_SL_VDST, ISA_SL_SVDST /* SGPR in vdst's place */, ISA_SL_ADST /* accumulation register */, ISA_SL_ASRC,
	ISA_SL_SRC0, ISA_SL_SRC1, ISA_SL_SRC2, ISA_SL_VSRC0 /* only a VGPR */, ISA_SL_VSRC1, ISA_SL_VSRC2, ISA_SL_SSRC0 /* no VGPR */, ISA_SL_SSRC1, ISA_SL_SSRC2,
	ISA_SL_CSRC /* lane mask read */, ISA_SL_LANE /* lane number */, ISA_SL_PC /* code address */, ISA_SL_SNULL /* null */, ISA_SL_LIT, ISA_SL_SIMM, ISA_SL_UIMM, ISA_SL_NUM, ISA_SL_MSG, ISA_SL_REL, ISA_SL_WAIT, ISA_SL_IDX /* of s_set_gpr_idx_on */, ISA_SL_DELAY,
	ISA_SL_HWREG, ISA_SL_BAR, ISA_SL_SDATA, ISA_SL_SBASE, ISA_SL_SOFFSET, ISA_SL_VADDR, ISA_SL_VDATA, ISA_SL_SADDR, ISA_SL_ADDR,
	ISA_SL_SRSRC /* buffer descriptor */, ISA_SL_BOFF /* its scalar offset */, ISA_SL_DATA0, ISA_SL_DATA1,
	ISA_SL_LAST_ARG = ISA_SL_DATA1,
	ISA_SL_OPC, ISA_SL_RTN, ISA_SL_CONST, ISA_SL_NEG0, ISA_SL_NEG1, ISA_SL_NEG2, ISA_SL_ABS0, ISA_SL_ABS1, ISA_SL_ABS2, ISA_SL_SEXT0, ISA_SL_SEXT1,
	ISA_SL_SEL0, ISA_SL_SEL1, ISA_SL_OPSEL0, ISA_SL_OPSEL1, ISA_SL_OPSEL2, ISA_SL_OPHI0, ISA_SL_OPHI1, ISA_SL_OPHI2,
	ISA_SL_NEGHI0, ISA_SL_NEGHI1, ISA_SL_NEGHI2, ISA_SL_OPSELD, ISA_SL_BYTE0, ISA_SL_BYTED, ISA_SL_OFFEN, ISA_SL_IDXEN, ISA_SL_ACC, ISA_SL_S0, ISA_SL_S1, ISA_SL_CLAMP, ISA_SL_OMOD, ISA_SL_DSEL, ISA_SL_DUNUSED, ISA_SL_DPP, ISA_SL_DPPMASK,
	ISA_SL_BOUND, ISA_SL_FI, ISA_SL_OFFSET, ISA_SL_OFFSET1, ISA_SL_GLC, ISA_SL_SLC, ISA_SL_DLC, ISA_SL_SC0, ISA_SL_SC1, ISA_SL_NT,
	ISA_SL_SCOPE, ISA_SL_TH,
	ISA_NSLOTS
};

/* Does src0 of an instruction in that encoding come from other lanes? */
static inline bool isa_is_dpp(unsigned enc) { return enc >= P2A_ENC_DPP && enc <= P2A_ENC_E64_DPP8; }

/* Groups of instructions that only some chips of a family have (X cells of ops.def). */
enum isa_feature {
	ISA_FT_NONE, ISA_FT_MAD /* v_mad_f32, v_mac_f32 */, ISA_FT_DLOPS /* v_xnor_b32, v_fmac_f32 */, ISA_FT_SCALAR_WB, ISA_FT_FADD /* global_atomic_add_f32 */,
	ISA_FT_GFX90A /* gfx90a and gfx942 */, ISA_FT_INVL2 /* gfx90a alone */, ISA_FT_GFX940,
	ISA_FT_MADMIX /* v_mad_mix_f32: gfx900 alone */, ISA_FT_GFX103, ISA_FT_GFX115,
	ISA_FT_ACC /* accumulation registers: gfx908, gfx90a, gfx942 */,
	ISA_FT_OLD /* what gfx90a and gfx10.3 dropped */, ISA_FT_COUNT
};
#define ISA_FT_BIT(f) (1u << (f))   /* in p2a_target.features */

/* Encodings that differ inside a family: formats.def's columns. */
enum isa_layout { ISA_LAY_G9, ISA_LAY_G940, ISA_LAY_G10, ISA_LAY_G103, ISA_LAY_G11, ISA_LAY_G12 };

/* Hazards, named after the erratum: hazards.def. One bit each in p2a_target.hazards. */
enum isa_hazard {
#define HZ(id, text) ISA_HZI_##id,
#include "isa/hazards.def"
	ISA_NHAZARDS
};
enum {
#define HZ(id, text) ISA_HZ_##id = 1u << ISA_HZI_##id,
#include "isa/hazards.def"
	ISA_HZ_NONE = 0
};

/* How an operand's bits are read: decides inline float constants and literal widening. */
typedef enum isa_type { ISA_T_B16, ISA_T_F16, ISA_T_B32, ISA_T_F32, ISA_T_B64, ISA_T_I64, ISA_T_F64, ISA_T_BIG /* >64 bits, registers only */,
	ISA_T_H2, ISA_T_W2 /* two floats, two integers of 16 bits: VOP3P */, ISA_T_BF2 /* two bf16 */, ISA_T_BF /* one */, ISA_T_SW /* B32, whose bit of op_sel is a switch: v_permlane16 */, ISA_T_S2 /* two f32 */, ISA_T_B8 /* a byte of a register */,
	ISA_T_MIX /* f32, or with op_sel_hi a half: v_fma_mix */, ISA_T_IU /* bytes or nibbles, signed with neg_lo */,
	ISA_T_MASK /* lane mask: one or two SGPRs by wave size */, ISA_T_NONE } isa_type;

typedef struct isa_arg {
	uint8_t slot;        /* where formats.def puts it */
	uint8_t type;        /* isa_type */
	uint8_t width;       /* dwords; 0: as wide as the wave's lane mask */
	uint8_t def;         /* 1: a result */
} isa_arg;

typedef struct isa_info {
	const char *name;    /* canonical: the oldest family's name */
	uint8_t cls;
	uint8_t nargs, ndefs;
	uint32_t eff;
	isa_arg arg[P2A_MAX_ARGS];
} isa_info;
extern const isa_info isa_table[ISA_NOPS];

/* Facts about one chip: every row of targets.def. */
struct p2a_target {
	const char *name;
	isa_family family;
	uint8_t mach;                /* ELF EF_AMDGPU_MACH */
	uint8_t wave;                /* the wave size we compile for: 64 on gfx9, 32 elsewhere */
	uint8_t wave_bits;           /* bit 5: 32 possible, bit 6: 64 possible */
	bool has_xnack, has_sramecc; /* features that the target id may name */
	int8_t xnack, sramecc;       /* of this id: 0 any, +1 on, -1 off */
	uint16_t sgprs;              /* addressable, without VCC etc. */
	uint16_t vgprs;              /* addressable by one lane */
	uint16_t vgpr_file;          /* per SIMD and lane slot at this wave size */
	uint8_t vgpr_granule;        /* of the descriptor's field, in registers, at this wave size */
	uint8_t sgpr_granule;        /* gfx9; 0: always all */
	uint8_t simds;               /* that a workgroup's waves are spread over: those of a unit, a CU (gfx9) or a WGP of two */
	uint8_t simd_waves;          /* that a SIMD holds at most */
	uint16_t cus;                /* of a typical board */
	uint8_t unit_cus, unit_barriers;
	uint32_t unit_lds;           /* bytes */
	uint16_t sgpr_file;          /* scalar registers of a SIMD; 0: enough for any number of waves */
	uint8_t const_bus;           /* scalar reads by one VALU instruction */
	bool vop3_literal;
	bool sdwa, dpp;
	bool align_vgpr_pairs;       /* gfx90a, gfx942: 64-bit and wider VGPR operands start even */
	bool packed_tid;             /* v0 holds x | y<<10 | z<<20 */
	bool arch_scratch;           /* FLAT_SCRATCH set by hardware; no scratch user SGPRs */
	bool ttmp_wgid;              /* workgroup ids in ttmp9 / ttmp7 */
	bool user_sgpr16_bug;        /* gfx1100, gfx1102 */
	bool accum_offset;           /* gfx90a, gfx942: accumulation registers follow the others in one file; memory instructions reach them */
	bool sc_bits;                /* gfx940: sc0 sc1 nt instead of glc slc dlc */
	bool apertures_sreg;         /* src_shared_base etc. readable (all our chips) */
	int32_t global_off_min, global_off_max;   /* immediate of global_*, bytes */
	int32_t flat_off_min, flat_off_max;
	int32_t scratch_off_min, scratch_off_max;
	int32_t smem_off_min, smem_off_max;
	uint32_t lds;                /* bytes a workgroup */
	uint32_t scratch_wave;       /* bytes of scratch that a wave can be given */
	uint16_t end_pad;            /* bytes of padding after the last kernel */
	uint32_t end_pad_word;
	uint32_t hazards;            /* ISA_HZ_* bits that this chip has: hazards.def */
	uint32_t features;           /* ISA_FT_* instruction groups that only some chips of a family have */
	uint8_t layout;              /* enum isa_layout */
	uint8_t vgpr_alloc;          /* what the hardware allocates by, in registers, at this wave size */
	bool dual_moves;             /* of two moves in a pair the second reads by a port of its own */
	bool dot_whole;              /* dot products take no op_sel */
	bool true16;                 /* one-dword forms reach only v0..v127 with 16-bit operands */
};

/* The cells of ops.def; what is in one says layout.h. Negative: that family lacks the row. */
extern const int32_t isa_cells[ISA_NOPS][ISA_NFAMILY];
enum { ISA_CELL_FORMAT = 12, ISA_CELL_FEATURE = 20 };    /* bits from there on: the row's format, which feature it wants */
extern const uint64_t isa_short_formats;                 /* those of them that are below 64, by bit */
/* Where row `op` exists on that chip. */
static inline bool
isa_has(const p2a_target *t, unsigned op)
{
	int32_t key = op < ISA_NOPS ? isa_cells[op][t->family] : -1;

	return key >= 0 && t->features >> (key >> ISA_CELL_FEATURE) & 1;
}
/* VOP1, VOP2 or VOPC there: one dword, SDWA where the chip has it. */
static inline bool
isa_is_short(const p2a_target *t, unsigned op)
{
	unsigned fmt = isa_has(t, op) ? (unsigned)isa_cells[op][t->family] >> ISA_CELL_FORMAT & 0xff : UINT8_MAX;

	return fmt < 64 && isa_short_formats >> fmt & 1;
}
bool isa_is_dot(unsigned op);                                   /* a dot product: v_dot* */
bool isa_is_inline(const p2a_target *, isa_type, int64_t imm);   /* encodable without a literal */
/* May operand o stand at position arg of op (ignoring the others)? */
bool isa_accepts(const p2a_target *, unsigned op, unsigned enc, unsigned arg, const p2a_opnd *o);
int isa_size(const p2a_target *, const p2a_inst *);              /* bytes, or error */
int isa_print(const p2a_target *, const p2a_inst *, char *out, size_t cap);  /* p2a_print; what p2a_encode refuses is that error */
bool isa_is_target(const p2a_target *);                          /* is it one that p2a_target_find gives? */
/* p2a_decode, and what other compilers write otherwise than p2a_encode would, for the same instruction: v_cmpx of VOP3
 * without a destination, buffer_wbl2 with cache bits, 16-bit literals with their sign above. */
int isa_decode_any(const p2a_target *, const uint32_t *w, size_t n, p2a_inst *);
uint32_t isa_effects(const p2a_inst *);                          /* ISA_* of the row; of both rows of a pair */

/* Pairs (P2A_ENC_DUAL), whose halves X and Y (side 0 and 1) are instructions of rows in dual.def. */
bool isa_reads_bus(const isa_arg *, const p2a_opnd *);           /* does a VALU instruction read it over the constant bus? */
bool isa_can_dual(const p2a_target *, unsigned op, unsigned side);
bool isa_dual_places(const p2a_target *, const p2a_inst half[2]);           /* the numbers of their VGPRs fit together */
void isa_pair(const p2a_inst *x, const p2a_inst *y, p2a_inst *pair);        /* both of such rows */
void isa_half(const p2a_inst *pair, unsigned side, p2a_inst *half);         /* of a pair of such rows */

/* SIMM16 of the s_trap that our kernels end in. The chips take bits 7:0 (from gfx12 on 3:0) for the number of the trap, and 2 is the one by which
 * ROCm's trap handler ends the queue; the bits above say why to who reads the code. Manuals: S_TRAP of SOPP. */
enum isa_trap { ISA_TRAP_PLAIN = 2, ISA_TRAP_STACK = 0x102 /* a lane's stack is full */, ISA_TRAP_CALL = 0x202 /* to no function's address */ };
/* Bytes, of kernels that call themselves or use alloca, unless told otherwise. CUDA gives a thread 1 KiB; registers stand here too. */
enum { ISA_LANE_STACK = 16 << 10 };

/* Fields of s_waitcnt_depctr (s_wait_alu): those that are to be 0, the others stay at their maxima. Manuals: S_WAITCNT_DEPCTR, S_WAIT_ALU. */
enum { ISA_DEPCTR_SA_SDST = 0x1, ISA_DEPCTR_VA_VCC = 0x2, ISA_DEPCTR_VM_VSRC = 0x1c, ISA_DEPCTR_VA_SDST = 0xe00, ISA_DEPCTR_VA_VDST = 0xf000,
	ISA_DEPCTR_ALL = 0xffff };

/* Wait counters of a family: counters.def. */
enum isa_counter { ISA_CNT_VM, ISA_CNT_LGKM, ISA_CNT_EXP, ISA_CNT_VS, ISA_CNT_LOAD, ISA_CNT_STORE, ISA_CNT_DS, ISA_CNT_KM,
	ISA_CNT_SAMPLE, ISA_CNT_BVH, ISA_NCNT };
typedef struct isa_counter_info {
	const char *name;
	uint8_t max[ISA_NFAMILY];    /* largest value the counter's field holds; 0: the family lacks it */
} isa_counter_info;
extern const isa_counter_info isa_counter[ISA_NCNT];
/* The counter that an instruction of class cls increments (load or store), in that family; a loads' data,
 * `store` a store's completion. -1: none. FLAT counts on two: *second (or -1). */
int isa_counter_of(const p2a_target *, unsigned op, int *second);
/* The instruction that waits until counter c is at most n (others left alone); several are merged on
 * gfx9-11 where they share one s_waitcnt: wait[] has max[] or more where nothing is to be waited for.
 * Writes up to ISA_NCNT instructions; returns how many. */
int isa_wait(const p2a_target *, const uint8_t wait[ISA_NCNT], p2a_inst out[ISA_NCNT]);
/* The value of counter c in the immediate of s_waitcnt; -1: it has no field there. */
int isa_wait_get(const p2a_target *, int c, uint32_t simm);

/* Bytes at..at+n of a word, n 1 or 2, at a multiple of n; from: the byte that comes there. part.c */
typedef struct isa_part { uint8_t at, n, from; } isa_part;
bool isa_part_of_mask(uint32_t mask, isa_part *);    /* is it a part's? from: 0 */
/* Does v_perm_b32 with that selector take all but a part from one source as it is, and the part from one place?
 * side: 0 the second source, 1 the first; from: 0..3 the second's bytes, 4..7 the first's, of a half perhaps an odd one. */
bool isa_part_of_perm(uint32_t selector, unsigned side, isa_part *);
uint8_t isa_part_sel(unsigned at, unsigned n);       /* P2A_SEL_*; at is taken modulo 4 */
#endif
