/* dual.h -- what pairs of instructions (VOPD, dual.c) ask of halves whose registers are not known yet. */
#ifndef ISA_DUAL_H
#define ISA_DUAL_H
#include "isa/isa.h"

/* Can two register numbers be the same in the bits of mask? */
typedef bool isa_meet(uint32_t x, uint32_t y, unsigned mask);
/* isa_dual_places of such numbers as `meets` understands. */
bool isa_dual_places_by(const p2a_target *, const p2a_inst half[2], isa_meet *meets);

/* 0, or P2A_ISA_CONST_BUS: the halves, of which one has a literal or none, read more over the constant bus than there is. */
int isa_dual_bus(const p2a_target *, const p2a_inst half[2], bool literal);

/* The sides that op can stand on, as bits 1 << side, on a chip and with waves that have pairs. */
unsigned isa_dual_sides(const p2a_target *, unsigned op);
#endif
