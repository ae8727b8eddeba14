/* bfi_run.h -- sequences of p2a_bfi.h on the emulator: what test_bfi.c and test_bfi_all.c share.
 * Needs a plan and operands lane by lane; leaves a verdict, with the sequence printed where it is wrong. The emulator's
 * checks watch wait states and registers meanwhile. Expected values: PTX ISA 9.7.1.19 to 9.7.1.22. */
#ifndef TESTS_EMU_BFI_RUN_H
#define TESTS_EMU_BFI_RUN_H
#include "bfi_ops.h"
#include "t.h"

/* Registers below these are the kernel's own; operands take them up to 28 further. */
enum { FIRST_V = 4, FIRST_S = 12 };

/* What one lane gets; the layout that the kernel loads. */
typedef struct item { uint32_t a[2], b[2], pos, len, enabled, pad; } item;

typedef struct test {
	p2a_bfi_query q;
	p2a_bfi_plan plan;
	bool dst_aliases;        /* dst is some operand's register */
} test;

/* The definition: the manual's loop over bits, and all bits at once, which is what `run` expects. */
uint64_t bfi_by_bits(const p2a_bfi_query *, uint64_t a, uint64_t b, uint32_t pos, uint32_t len);
uint64_t bfi_by_masks(const p2a_bfi_query *, uint64_t a, uint64_t b, uint32_t pos, uint32_t len);
enum { MOST_WORDS = P2A_BFI_INSTS * P2A_MAX_DWORDS };
extern const p2a_bfi_scratch bfi_scratch;    /* what code is made with */
unsigned code_of(const test *, uint32_t w[MOST_WORDS]);      /* in dwords */
/* May the plan write that register: dst, scratch of it, an operand's that dies with all that share it? */
bool may_clobber(const test *, uint8_t kind, unsigned reg);
/* Do its instructions write only such, and VCC where it says so? Part of the promises. */
bool writes_its_own(const test *);
/* Where dword h of the result is, scratch filled in. */
p2a_opnd result_of(const test *, unsigned h);
/* NULL, or what of the plan's promises does not hold: counts, bytes, registers written. */
const char *promises(const test *);
/* Runs n tests in one kernel, each on `lanes` items of its own, a multiple of 64: a block each, of one wave or two. What is
 * wrong is reported. */
bool run(const char *chip, uint8_t wave, const test *, unsigned n, const item *in, unsigned lanes, unsigned check);
#endif
