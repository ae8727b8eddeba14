/* hazard.h -- what the files of pass hazard share, and pass dual, which asks the same of registers.
 * hazard.c: pairs of instructions that need so many wait states between them (s_nop).
 * hazard_flow.c: hazards without a fixed distance, followed along all paths. */
#ifndef PASS_HAZARD_H
#define PASS_HAZARD_H
#include "pass/pass.h"

/* Registers 0..127 are scalar by their source codes, VGPRs follow. */
enum { HZ_VCC = 106, HZ_M0 = 124, HZ_EXEC = 126, HZ_VGPR = 128, HZ_NREG = HZ_VGPR + 256 };

/* First register of an operand and how many; 0: none. */
unsigned hz_registers(const p2a_opnd *, unsigned *first);
bool hz_is_class(const ir_inst *, unsigned classes);    /* bits 1 << ISA_* */
enum {
	HZ_VALU = 1 << ISA_VALU | 1 << ISA_TRANS,
	HZ_SALU = 1 << ISA_SALU | 1 << ISA_BRANCH | 1 << ISA_WAIT | 1 << ISA_SPECIAL | 1 << ISA_BARRIER,
	HZ_MEMORY = 1 << ISA_VMEM | 1 << ISA_FLAT
};
bool hz_writes(const ir_inst *, unsigned reg);
bool hz_reads(const ir_inst *, unsigned reg);           /* explicitly, or VCC implied */
static inline bool hz_is_result(const ir_inst *i, unsigned k) { return k < i->ndefs; }

void hz_flow(ir_func *);
#endif
