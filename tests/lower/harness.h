/* harness.h -- PTX text in, values out: what the tests of this room share.
 * A unit is one translated text; its kernels run in the interpreter. Tests print `ok NAME` or
 * `not ok NAME: why` and return how many failed. */
#ifndef TESTS_LOWER_HARNESS_H
#define TESTS_LOWER_HARNESS_H
#include "interp.h"
#include "lower/lower.h"

typedef struct unit {
	arena A;
	jmp_buf oom;
	intern names;
	diag_sink diags;
	p2a_source src[4];
	ptx_module *mods[4];
	ir_module *M;            /* NULL: refused as a whole */
	const char *fault;       /* of ir_verify */
	void **var;
} unit;

/* Translates n texts as one program for gfx1100. */
unit *unit_of(const lower_options *, size_t n, const char *const *texts);
unit *unit_new(const char *text);
void unit_free(unit *);
const char *unit_diags(unit *);                 /* all messages, one a line */
const ir_func *unit_kernel(const unit *, const char *name);  /* NULL name: the first */

/* An expression: PTX instructions over registers a0..a3 that set d. types: of d and of the sources,
 * "b32 u64 b16 pred f32 f64 ..": pred is passed as 0 or 1. */
typedef struct op { unit *u; const ir_func *f; unsigned nsrc; } op;
bool op_new(op *, const char *text, const char *dst, unsigned nsrc, const char *const *src, p2a_semantics);
bool op_eval(const op *, const uint64_t *src, uint64_t *result);
void op_free(op *);

/* Counting */
extern unsigned nfailed;
void report(const char *name, const char *why, ...) PRINTF(2, 3);   /* why NULL: ok */

/* Deterministic operands: edge cases first, then a mixture. */
uint64_t sample(unsigned i, unsigned bits);
enum { NEDGES = 24 };
#endif
