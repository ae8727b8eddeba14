/* p2a_bfi.h -- PTX bit fields for other back ends: the cheapest proved sequence of AMDGPU instructions for
 * one bfi, bfe, bmsk or szext, by the chip and by what is known of the operands.
 * Everything is owned by the caller; nothing is allocated; there are no globals; every call may run at once in
 * any thread. A call takes up to 96 KiB of stack. How long it takes build/tests/select_bench_bfi measures on 327,000 questions
 * (operations, eight chips, what is known), the least of ten averages of 200 calls in a row, in processor time; on a core of a
 * loaded server, in microseconds: a plan 1.4 for half of them and 2.5 for nine of ten; the longest 3 with nothing known of a and b,
 * 5.7 where a and b are known in part. Its instructions 0.2 at most, bytes 1.2, text 1.7.
 *
 *	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find("gfx1100"), .op = P2A_BFI_B32,
 *		.dst = P2A_BFI_V(3), .a = P2A_BFI_V(0), .b = P2A_BFI_V(1), .pos = P2A_BFI_V(2), .len = P2A_BFI_IMM(8) };
 *	p2a_bfi_plan plan;                                   // some kilobytes: on the stack
 *	q.pos.max = 31;                                      // what is known, if anything
 *	if (p2a_bfi_make(&q, &plan) == 0) {
 *		... plan.vgprs, plan.sgpr_pairs ...: find that many free registers
 *		p2a_bfi_scratch s = { .vgpr = { 10, 11 } };
 *		p2a_inst code[P2A_BFI_INSTS];
 *		int n = p2a_bfi_insts(&plan, &s, code);      // or p2a_bfi_bytes, p2a_bfi_text
 *	}
 *
 * Meaning: PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk):
 *	bfi   d = b with len bits from bit pos on taken from the low bits of a; what lies above the top bit is cut off
 *	bfe   d = len bits of a from bit pos on, extended with zeros (u) or the last bit of the field (s)
 *	pos and len are 32-bit registers of which the low 8 bits count (p2a_semantics, p2a.h, says when all 32 do).
 *	bmsk  bmsk.clamp: d = len ones from bit pos on, cut off above the top bit: a bfi of ones into zeros of which all 32 bits of
 *	      pos and len count
 *	szext szext.clamp: d = the low len bits of a, extended as bfe does; all 32 bits of len count, a from 32 on
 *	.wrap takes pos and len modulo 32, as v_bfm_b32 len, pos and v_bfe_u32 (v_bfe_i32) a, 0, len do: one instruction.
 * Lanes that EXEC disables keep their old dst and scratch. Hazards between the sequence and what stands around it are the
 * caller's, as with any instruction; inside it there are none (gfx942, gfx12 and waves of 64 on gfx11 get their waits,
 * whatever VALU instructions read before: see VALU_READ_SGPR in docs/hazards.md). gfx90a: 64-bit
 * shifts must not take their count from VGPR 7, 15, 23 and so on, the last of eight (an erratum): give none of these as scratch. */
#ifndef P2A_BFI_H
#define P2A_BFI_H
#include "p2a_isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* BMSK has pos and len, SZEXT a and len: the other operands are ignored, as is b of BFE. */
typedef enum p2a_bfi_op { P2A_BFI_B32, P2A_BFI_B64, P2A_BFE_U32, P2A_BFE_S32, P2A_BFE_U64, P2A_BFE_S64,
	P2A_BMSK_B32, P2A_SZEXT_U32, P2A_SZEXT_S32 } p2a_bfi_op;

/* An operand, or the destination. Nothing known: zero in zero, one, min and max. */
typedef struct p2a_bfi_operand {
	uint8_t kind;            /* P2A_K_VGPR, P2A_K_SGPR (uniform; not VCC), P2A_K_IMM (not the destination); P2A_K_NONE (the
	                          * destination alone): no register is wanted, plan.result says where the result came to stand */
	bool dies;               /* its registers are free once it is read: they may serve as scratch, if all operands in them die */
	uint16_t lo, hi;         /* register number of the low and, of 64-bit ones, of the high dword: any two, of the destination
	                          * two different ones. Of 32-bit ones hi is not read */
	uint64_t imm;            /* the constant, zeros above the operand's width */
	/* What is known, of registers before the call; what is said and not so makes a wrong result. The destination has none. */
	uint64_t zero, one;      /* bits known to be 0, to be 1; zero may have bits above the width, one may not */
	/* Unsigned bounds of the whole register, both included; max 0: none above (what is 0 is given as a constant). Where 8 bits of pos
	 * and len count, a min says something only with a max that has the same bits above these. */
	uint64_t min, max;
} p2a_bfi_operand;

/* For initialisers and, in C, for assignments with a cast in front. V64, S64: a pair. */
#define P2A_BFI_V(n)    { P2A_K_VGPR, false, (uint16_t)(n), 0, 0, 0, 0, 0, 0 }
#define P2A_BFI_S(n)    { P2A_K_SGPR, false, (uint16_t)(n), 0, 0, 0, 0, 0, 0 }
#define P2A_BFI_V64(n)  { P2A_K_VGPR, false, (uint16_t)(n), (uint16_t)((n) + 1), 0, 0, 0, 0, 0 }
#define P2A_BFI_S64(n)  { P2A_K_SGPR, false, (uint16_t)(n), (uint16_t)((n) + 1), 0, 0, 0, 0, 0 }
#define P2A_BFI_IMM(x)  { P2A_K_IMM, false, 0, 0, (uint64_t)(x), 0, 0, 0, 0 }

/* p2a_bfi_query.flags. RENAME: a dword of the result that stands in some operand's register already, or is a
 * constant, stays there; plan.result says where each dword is. So .b64 32,32 costs nothing. */
enum { P2A_BFI_RENAME = 1 };

typedef struct p2a_bfi_query {
	size_t size;             /* sizeof(p2a_bfi_query) of the caller, at most 4096; members beyond ours must be zero */
	const p2a_target *target;
	p2a_bfi_op op;
	p2a_semantics semantics;
	uint32_t flags;
	uint8_t wave;            /* lanes of a wave: 32, 64, or 0: 64 on gfx9, 32 elsewhere */
	/* dst may be the registers of any operands. An SGPR destination wants uniform operands. */
	p2a_bfi_operand dst, a, b, pos, len;
} p2a_bfi_query;

enum { P2A_BFI_INSTS = 40, P2A_BFI_SCRATCH = 8 };

/* Scratch operands in plan.inst: kind; reg is which of them, imm the dword in it. */
enum { P2A_BFI_K_VGPR_PAIR = P2A_K_LAST + 1, P2A_BFI_K_VGPR, P2A_BFI_K_SGPR_PAIR, P2A_BFI_K_SGPR };

/* Plans may be copied; what they point to is constant. n 0: nothing need be done. */
typedef struct p2a_bfi_plan {
	const p2a_target *target;
	uint8_t wave;            /* lanes */
	unsigned row;            /* number of the row in bfi.def, the same in one version of the library */
	const char *name;        /* of the row; two rows of different operations may share it */
	unsigned n;              /* instructions */
	unsigned valu, salu;     /* of these; waits (s_nop, s_wait_alu) count as neither */
	unsigned valu64;         /* 64-bit shifts among valu: they cost twice */
	unsigned consts;         /* constants loaded, among salu: a loop can keep them outside */
	unsigned bytes;          /* of code, waits included */
	/* Scratch: pairs are two registers side by side, SGPR pairs (and VGPR pairs on gfx90a, gfx942) from an even number on. */
	uint8_t vgpr_pairs, vgprs, sgpr_pairs, sgprs;
	bool writes_scc, writes_vcc;
	/* A dword of dst is written before the last register of an operand is read ("early clobber"). A dword of the result
	 * that stays in an operand's register (RENAME) counts as read at the end. */
	bool early;
	/* Registers of the operands and of dst, SGPRs + 0x8000, which scratch must not be. */
	uint8_t nheld;
	uint16_t held[8];
	/* Where each dword of the result is: dst, or as RENAME allows. Without a destination a constant, an operand's register or
	 * scratch, which is named as in inst. */
	p2a_opnd result[2];
	p2a_inst inst[P2A_BFI_INSTS];
} p2a_bfi_plan;

/* Register numbers; of a pair, that of the low dword. As many as the plan wants are read. None may be a register of an
 * operand (though it dies), of the destination or of another of them. */
typedef struct p2a_bfi_scratch {
	uint16_t vgpr_pair[P2A_BFI_SCRATCH], vgpr[P2A_BFI_SCRATCH], sgpr_pair[P2A_BFI_SCRATCH], sgpr[P2A_BFI_SCRATCH];
} p2a_bfi_scratch;

/* Chooses the cheapest sequence: VALU 1, 64-bit VALU shifts 2, SALU a half, then bytes. 0, or a p2a_isa_error:
 * ARGS: a NULL, a wrong size, an unknown op, semantics or flag, a kind that may not be there, min > max, bits both 0
 * and 1, a constant that its own bits or bounds exclude;
 * REGISTER: out of the chip's range, or an SGPR destination of VGPR operands; CONSTANT: a constant, a bit known 1 or a bound wider than the operand;
 * NOT_HERE: wave is no size of the chip's. *plan is undefined then. What is here has a plan, whatever is known. */
P2A_API int p2a_bfi_make(const p2a_bfi_query *, p2a_bfi_plan *plan);

/* The instructions with scratch registers filled in (scratch may be NULL where the plan wants none). out has
 * room for plan->n. Returns plan->n, or P2A_ISA_REGISTER: a scratch register that cannot stand there; P2A_ISA_ARGS: a NULL,
 * or a plan that p2a_bfi_make did not fill: whatever stands in it, nothing outside of plan, scratch and out is touched.
 * With wave 64 on gfx10 and later a lane mask is a pair of SGPRs (vcc whole), which p2a_encode, as it takes those
 * chips' code for waves of 32, refuses: p2a_bfi_bytes and p2a_bfi_text are for such plans. */
P2A_API int p2a_bfi_insts(const p2a_bfi_plan *, const p2a_bfi_scratch *, p2a_inst *out);
/* The same as bytes, dwords in the host's order at any alignment: plan->bytes of them, which is returned too where out is NULL and
 * cap 0; P2A_ISA_SHORT: cap is less. An instruction that p2a_bfi_make did not write gives the error of p2a_encode. After an error
 * out is undefined. */
P2A_API int p2a_bfi_bytes(const p2a_bfi_plan *, const p2a_bfi_scratch *, void *out, size_t cap);
/* The same as text in LLVM's spelling, an instruction a line, each with its newline, and a 0 at the end; the length it has
 * without that (as snprintf, NULL with cap 0 too; of what does not fit, the beginning), or an error as of p2a_bfi_bytes. */
P2A_API int p2a_bfi_text(const p2a_bfi_plan *, const p2a_bfi_scratch *, char *out, size_t cap);

#ifdef __cplusplus
}
#endif
#endif
