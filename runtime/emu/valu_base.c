/* valu_base.c -- the vector operations compiled for any host.
 * Needs the caller to have asked the host (device.c); leaves emu_hot_base.
 * The options hold whatever the build says, for rounding must not be assumed. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "rounding-math", "no-trapping-math", "no-math-errno")
#endif
#define EMU_HOT emu_hot_base
#include "emu/valu_hot.h"
