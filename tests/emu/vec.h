/* vec.h -- runs one vector instruction on many tuples of operands, for the tests of its results.
 * Needs t.h; the kernel that is built loads a record a lane, executes, and stores the result.
 * Operands: sources in v[2:3], v[4:5], v[6:7], the result over an old value in v[8:9]. */
#ifndef TESTS_EMU_VEC_H
#define TESTS_EMU_VEC_H
#include "t.h"

typedef struct vec_in {
	uint64_t s[3];
	uint32_t carry, enabled;     /* the lane's bits of the carry-in mask and of EXEC */
} vec_in;
typedef struct vec_out {
	uint64_t d;
	uint32_t mask, pad;          /* the lane's bit of the mask that was written */
} vec_out;
enum { VEC_LANES = 4096 };
#define VEC_OLD UINT64_C(0x1122334455667788)

/* What to run and how: zero means plainly. */
typedef struct vec_how {
	uint32_t mode;               /* FLOAT_MODE; 0: 0xf0 */
	bool ieee, wave64;
	unsigned simd;
	emu_check check;
	void (*tweak)(p2a_inst *);   /* changes the instruction before it is encoded */
} vec_how;
/* Executes op on in[VEC_LANES]; false (after saying why) where it cannot be. */
bool vec_run(const char *chip, unsigned op, const vec_how *, const vec_in *in, vec_out *out);
/* Operands that are likely to matter, then random ones. f: the type of floating-point edges, 0
 * none. */
void vec_fill(vec_in *, const isa_info *);
uint64_t vec_edge(unsigned type);
#endif
