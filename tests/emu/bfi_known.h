/* bfi_known.h -- bit fields with operands a and b known in part, in bulk. Needs bfi_run.h. */
#ifndef TESTS_EMU_BFI_KNOWN_H
#define TESTS_EMU_BFI_KNOWN_H
#include "bfi_run.h"

/* Set by the caller: chip, op, sem, step (every step-th question is run), look (the row of every look-th is asked for), seen (rows by number, to which those that ran are
 * added). */
typedef struct bfi_known {
	const char *chip;
	p2a_bfi_op op;
	p2a_semantics sem;
	unsigned step, look;
	bool *seen;
	unsigned long asked, runs;
	test t[64];
	unsigned n;
	item items[64 * 64];
} bfi_known;

/* The n-th question of op; false: there are no more. */
bool bfi_known_query(const char *chip, p2a_bfi_op op, p2a_semantics sem, unsigned long n, p2a_bfi_query *);
/* False: something is wrong, which is reported. */
bool bfi_known_run(bfi_known *);
#endif
