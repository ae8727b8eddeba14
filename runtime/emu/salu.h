/* salu.h -- declares the handlers of salu.c and flow.c for the table in sem.c.
 * Needs machine.h.
 * One a row of salu.def, and those that are written out. */
#ifndef EMU_SALU_H
#define EMU_SALU_H
#include "emu/machine.h"

#define SOP2(id, ...) const emu_in *h_##id(emu_wave *, const emu_in *);
#define SOP1 SOP2
#define SF1 SOP2
#define SF2 SOP2
#define SFC SOP2
#define SOPC SOP2
#define SAVE SOP2
#define WREX SOP2
#include "emu/salu.def"
SOP2(s_branch)
SOP2(s_cbranch_scc0)
SOP2(s_cbranch_scc1)
SOP2(s_cbranch_vccz)
SOP2(s_cbranch_vccnz)
SOP2(s_cbranch_execz)
SOP2(s_cbranch_execnz)
SOP2(s_getpc_b64)
SOP2(s_setpc_b64)
SOP2(s_swappc_b64)
SOP2(s_call_b64)
SOP2(s_endpgm)
SOP2(nothing)
SOP2(s_sethalt)
SOP2(s_trap)
SOP2(s_code_end)
SOP2(s_barrier)
SOP2(s_barrier_signal)
SOP2(s_barrier_wait)
SOP2(s_barrier_signal_isfirst)
SOP2(s_get_barrier_state)
SOP2(s_named_barrier)
SOP2(s_setkill)
SOP2(s_setvskip)
SOP2(s_cbranch_g_fork)
SOP2(s_cbranch_i_fork)
SOP2(s_cbranch_join)
SOP2(s_subvector_loop_begin)
SOP2(s_subvector_loop_end)
SOP2(s_getreg_b32)
SOP2(s_setreg_b32)
SOP2(s_setreg_imm32_b32)
SOP2(s_round_mode)
SOP2(s_denorm_mode)
#undef SOP2
#undef SOP1
#undef SF1
#undef SF2
#undef SFC
#undef SOPC
#undef SAVE
#undef WREX
#endif
