/* valu_hot.h -- the vector operations that a host's vector unit speeds up; included by
 * valu_base.c, valu_avx2.c and valu_avx512.c, each of which sets its target and defines EMU_HOT,
 * the table's name.
 * Leaves that table. Results are the same bits in all three. */
#include "emu/valu_loops.h"

#include "emu/valu_int.def"
#include "emu/valu_float.def"
#include "emu/valu_cmp.def"
#include "emu/valu_table.h"
const emu_vfn EMU_HOT[ISA_NOPS] = {
#include "emu/valu_int.def"
#include "emu/valu_float.def"
#include "emu/valu_cmp.def"
};
