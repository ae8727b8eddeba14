/* p2a_isa.h -- AMDGPU instructions as structs: encode, decode, print, parse, check.
 * Everything is owned by the caller; nothing is allocated; every call may run at once in any thread. A NULL where something
 * is read or written is P2A_ISA_ARGS, or "unknown" from what returns no error (p2a_print: out may be NULL where cap is 0).
 *
 *	const p2a_target *t = p2a_target_find("gfx1100");
 *	p2a_inst i = { .op = p2a_op_find(t, "v_bfi_b32"), .nargs = 4, .arg = {
 *		P2A_V(0), P2A_S(4), P2A_V(1), P2A_V(2) } };
 *	uint32_t w[P2A_MAX_DWORDS];
 *	int n = p2a_encode(t, &i, w);        // dwords, or a negative p2a_isa_error
 *
 * Sources: AMD's instruction set manuals "Vega", "CDNA2", "CDNA3", "RDNA2", "RDNA3", "RDNA4",
 * and for numbers that they lack, llvm-mc 19 as the outside witness (tests/isa). */
#ifndef P2A_ISA_H
#define P2A_ISA_H
#include "p2a.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { P2A_MAX_ARGS = 8, P2A_MAX_DWORDS = 5 };

typedef struct p2a_target p2a_target;                    /* one chip: facts of targets.def */
P2A_API const p2a_target *p2a_target_find(const char *id); /* "gfx90a", "gfx90a:xnack-:sramecc+"; NULL unknown */
P2A_API const p2a_target *p2a_target_at(size_t index);     /* all chips in order; NULL past the end */
P2A_API const char *p2a_target_name(const p2a_target *);   /* without features */

/* Operands. Registers are counted in dwords; width is the operand's size in dwords. */
typedef enum p2a_okind {
	P2A_K_NONE,
	P2A_K_SGPR,      /* reg: s0.. ; width 1, 2, 4, 8, 16 */
	P2A_K_VGPR,      /* reg: v0.. */
	P2A_K_SREG,      /* reg: enum p2a_sreg, a named scalar register */
	P2A_K_IMM,       /* imm: the very bits that the instruction reads (sign-extended to 64 bits
	                  * for integer operands; bit pattern for floats); the encoder picks an inline
	                  * constant or a literal, or refuses. Also waitcnt, hwreg, branch fields. */
	P2A_K_OFF,       /* "off": no scalar address */
	P2A_K_AGPR,      /* reg: a0.., an accumulation register: v_accvgpr_* of gfx908, gfx90a and gfx942; of the latter two
	                  * also data and result of memory instructions, all or none of them */
	P2A_K_LAST = 15  /* kinds from 16 on belong to the caller (virtual registers, labels) */
} p2a_okind;

/* Named scalar registers, the same on every family; sregs.def has their numbers. */
typedef enum p2a_sreg {
	P2A_VCC, P2A_VCC_LO, P2A_VCC_HI, P2A_EXEC, P2A_EXEC_LO, P2A_EXEC_HI, P2A_M0, P2A_NULL, P2A_SCC,
	P2A_VCCZ, P2A_EXECZ, P2A_FLAT_SCRATCH, P2A_FLAT_SCRATCH_LO, P2A_FLAT_SCRATCH_HI,
	P2A_XNACK_MASK, P2A_XNACK_MASK_LO, P2A_XNACK_MASK_HI,
	P2A_SHARED_BASE, P2A_SHARED_LIMIT, P2A_PRIVATE_BASE, P2A_PRIVATE_LIMIT,
	P2A_TTMP0, P2A_TTMP15 = P2A_TTMP0 + 15, P2A_NSREG
} p2a_sreg;

enum { P2A_NEG = 1, P2A_ABS = 2, P2A_SEXT = 4,           /* source modifiers */
       P2A_LIT = 8,      /* P2A_K_IMM: stands as a literal although an inline constant would do */
       P2A_NEG_HI = 16 };/* VOP3P: negates what the high half of the result reads (P2A_NEG: the low half) */

/* SDWA selections (gfx9, gfx10); dst unused bits. sel 0 is the whole dword. */
enum { P2A_SEL_DWORD, P2A_SEL_BYTE0, P2A_SEL_BYTE1, P2A_SEL_BYTE2, P2A_SEL_BYTE3, P2A_SEL_WORD0, P2A_SEL_WORD1 };
enum { P2A_UNUSED_PAD, P2A_UNUSED_SEXT, P2A_UNUSED_PRESERVE };

/* Halves of operands. P2A_OP_SEL: a 16-bit operand of VOP3 (the result too) is the high half of its register;
 * in VOP3P the low result reads the high half. P2A_OP_HI: op_sel_hi is not what it is when it is not written,
 * so the high result reads the low half, or a source of v_fma_mix is a half instead of an f32. */
enum { P2A_OP_SEL = 1, P2A_OP_HI = 2 };
/* What the vector address of a buffer instruction holds: an offset, an index, or both (the index first). */
enum { P2A_OFFEN = 1, P2A_IDXEN = 2 };

typedef struct p2a_opnd {
	uint8_t kind, width, mods;
	uint8_t sel;             /* SDWA: P2A_SEL_*; address of buffer_*: P2A_OFFEN, P2A_IDXEN; floats of 8 bits: which byte, 0 to 3;
	                          * else P2A_OP_SEL, P2A_OP_HI */
	uint32_t reg;
	int64_t imm;
} p2a_opnd;

/* Initialisers, in C and C++; in C, with a cast in front, for assignments too. */
#define P2A_S(n)     P2A_SN(n, 1)
#define P2A_SN(n, w) { P2A_K_SGPR, (uint8_t)(w), 0, 0, (uint32_t)(n), 0 }
#define P2A_V(n)     P2A_VN(n, 1)
#define P2A_VN(n, w) { P2A_K_VGPR, (uint8_t)(w), 0, 0, (uint32_t)(n), 0 }
#define P2A_A(n)     P2A_AN(n, 1)
#define P2A_AN(n, w) { P2A_K_AGPR, (uint8_t)(w), 0, 0, (uint32_t)(n), 0 }
#define P2A_I(x)     { P2A_K_IMM, 1, 0, 0, 0, (int64_t)(x) }

/* How an instruction with several encodings is to be encoded. AUTO: the shortest that holds it. */
enum { P2A_ENC_AUTO, P2A_ENC_E32, P2A_ENC_E64, P2A_ENC_SDWA, P2A_ENC_DPP,
       P2A_ENC_DPP8, P2A_ENC_E64_DPP, P2A_ENC_E64_DPP8,  /* E64_*: DPP in VOP3 and VOP3P, gfx11 on */
       P2A_ENC_DUAL };  /* VOPD, gfx11 on: two instructions in one, op and op_y */

/* Cache policy bits; which exist depends on the family, the encoder refuses the others.
 * gfx9/10/11: GLC SLC DLC. gfx942: SC0 SC1 NT. gfx12: SCOPE (2 bits) and TH (3 bits). */
enum { P2A_GLC = 1, P2A_SLC = 2, P2A_DLC = 4, P2A_SC0 = 8, P2A_SC1 = 16, P2A_NT = 32,
       P2A_SCOPE_SHIFT = 6, P2A_TH_SHIFT = 8 };

/* One instruction. arg[] in the order of the assembler text: results first, then sources;
 * carries and lane masks are always written out (v_add_co_u32 vdst, sdst, src0, src1;
 * v_cndmask_b32 vdst, src0, src1, mask; v_cmp_* sdst, src0, src1), whatever the encoding.
 * P2A_ENC_DUAL: the result of op, the result of op_y, the sources of op, those of op_y; all are read before
 * either result is written. v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v3, v2, v5 is
 *	{ .op = p2a_op_find(t, "v_mov_b32"), .op_y = p2a_op_find(t, "v_add_f32"), .enc = P2A_ENC_DUAL,
 *	  .nargs = 5, .arg = { P2A_V(0), P2A_V(3), P2A_V(1), P2A_V(2), P2A_V(5) } } */
typedef struct p2a_inst {
	uint16_t op;                    /* enum isa_op of isa/isa.h, or p2a_op_find() */
	uint8_t enc, nargs;
	uint8_t clamp, omod;            /* omod: 0, 1 *2, 2 *4, 3 /2 */
	uint8_t dst_sel, dst_unused;    /* SDWA */
	uint16_t cpol;
	uint16_t dpp;                   /* DPP control; DPP8: the lower 16 bits of its eight selections of 3 bits */
	uint8_t dpp_mask;               /* row mask << 4 | bank mask; DPP8: the upper 8 bits */
	uint8_t dpp_flags;              /* 1 bound_ctrl (not DPP8), 2 fi */
	uint16_t op_y;                  /* P2A_ENC_DUAL: the second instruction; else 0 */
	int32_t offset;                 /* memory offset in bytes, as the assembler writes it */
	int32_t offset1;                /* DS two-address forms, in units of the element */
	p2a_opnd arg[P2A_MAX_ARGS];
} p2a_inst;

typedef enum p2a_isa_error {
	P2A_ISA_UNKNOWN_OP = -1,        /* no such row */
	P2A_ISA_NOT_HERE = -2,          /* this chip lacks the instruction, the encoding or (p2a_bfi.h) the wave size */
	P2A_ISA_ARGS = -3,              /* wrong number or kind of operands, or (p2a_bfi.h) facts that contradict each other */
	P2A_ISA_REGISTER = -4,          /* register out of range, wrong alignment or width */
	P2A_ISA_CONSTANT = -5,          /* constant fits neither inline nor as a (second) literal */
	P2A_ISA_CONST_BUS = -6,         /* more scalar reads than the chip allows */
	P2A_ISA_OFFSET = -7,
	P2A_ISA_MODIFIER = -8,          /* neg/abs/clamp/omod/cpol/sel not encodable here */
	P2A_ISA_SHORT = -9,             /* decode: fewer dwords than the instruction has */
	P2A_ISA_SYNTAX = -10            /* parse */
} p2a_isa_error;
P2A_API const char *p2a_isa_error_name(int);

P2A_API int p2a_op_find(const p2a_target *, const char *name);      /* mnemonic in that chip's spelling; -1 */
P2A_API const char *p2a_op_name(const p2a_target *, unsigned op);   /* NULL where the chip lacks it */
P2A_API int p2a_check(const p2a_target *, const p2a_inst *);        /* 0, or the error that encode would give */
P2A_API int p2a_encode(const p2a_target *, const p2a_inst *, uint32_t w[P2A_MAX_DWORDS]);
P2A_API int p2a_decode(const p2a_target *, const uint32_t *w, size_t n, p2a_inst *); /* dwords used, or error */
/* LLVM's spelling; returns the length that the whole text has (as snprintf). */
P2A_API int p2a_print(const p2a_target *, const p2a_inst *, char *out, size_t cap);
/* One line of assembly (LLVM's spelling, no labels or directives). 0 or an error; *where: offset of the fault. */
P2A_API int p2a_parse(const p2a_target *, const char *text, p2a_inst *, size_t *where);

#ifdef __cplusplus
}
#endif
#endif
