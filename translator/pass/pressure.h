/* pressure.h -- which values are alive where, and how many dwords of registers that is; for passes that make
 * values live longer and must know what they cost. Needs SSA form with dominators' edges (preds, succs), generic with
 * val.divergent or machine with val.bank; it goes bad when anything moves across a block border. */
#ifndef PASS_PRESSURE_H
#define PASS_PRESSURE_H
#include "pass/pass.h"

enum { PR_S, PR_V, PR_NBANKS };

typedef struct pressure {
	const ir_func *f;
	uint32_t words;          /* of a row */
	uint64_t *in, *out;      /* rows by block id: values that are live at its borders */
} pressure;

/* False: too many blocks and values to be worth it. */
bool pr_find(pressure *, ir_func *);
unsigned pr_bank(const ir_val *);
uint32_t pr_dwords(const ir_func *, const ir_val *);
/* peak becomes the most dwords that are alive at once anywhere in b, by bank. scratch: a row of p->words. */
void pr_peak(const pressure *, const ir_block *, uint64_t *scratch, uint32_t peak[PR_NBANKS]);
#endif
