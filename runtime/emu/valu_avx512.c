/* valu_avx512.c -- the vector operations compiled for x86 hosts with AVX-512.
 * Needs the caller to have asked the host (device.c); leaves emu_hot_avx512.
 * The options hold whatever the build says, for rounding must not be assumed. */
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt,f16c")
#pragma GCC target("prefer-vector-width=512")
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "rounding-math", "no-trapping-math", "no-math-errno")
#endif
#define EMU_HOT emu_hot_avx512
#include "emu/valu_hot.h"
#else
#include "emu/machine.h"
const emu_vfn emu_hot_avx512[ISA_NOPS];
#endif
