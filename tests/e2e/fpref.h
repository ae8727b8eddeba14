/* fpref.h -- IEEE 754 arithmetic of the host for the tests of floats: one rounding, in the direction asked for.
 * Numbers are bits in 64-bit words, as in forms.h. */
#ifndef FPREF_H
#define FPREF_H
#include <stdint.h>

/* FP_RN nearest even, towards zero, down, up, in PTX's order: rn rz rm rp; rni rzi rmi rpi */
typedef enum fp_round { FP_RN, FP_RZ, FP_RM, FP_RP } fp_round;
typedef enum fp_op { FP_ADD, FP_SUB, FP_MUL, FP_FMA, FP_DIV, FP_SQRT } fp_op;
extern const char *const fp_round_name[4];

uint64_t fp_arith(fp_op, int bits, fp_round, uint64_t a, uint64_t b, uint64_t c);
/* Subnormals (of f32 if bits is 32) to zero of the same sign; into [0, 1], NaN to +0 */
uint64_t fp_flush(uint64_t, int bits);
uint64_t fp_clamp(uint64_t, int bits);
int fp_is_nan(uint64_t, int bits);
/* f16, f32, f64 <-> the widest float there is, which holds all of them and 64-bit integers exactly */
long double fp_value(uint64_t, int bits);
uint64_t fp_rounded(long double, int bits, fp_round);
long double fp_integral(long double, fp_round);
#endif
