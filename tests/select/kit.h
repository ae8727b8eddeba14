/* kit.h -- small kernels in generic SSA for the tests of select, field and mode.
 * A kit is one kernel on one chip; kit_select runs it through the passes and says what is wrong. */
#ifndef KIT_H
#define KIT_H
#include "pass/pass.h"

typedef struct kit {
	jmp_buf oom;
	arena A;
	ir_module M;
	ir_func *f;
	ir_builder B;
	uint32_t offset;         /* of the next parameter */
} kit;

extern const char *const kit_chips[4];
kit *kit_new(const char *chip);
void kit_free(kit *);
/* A source of that type: a parameter, or one that differs between lanes. */
ir_opnd kit_source(kit *, ir_type, bool divergent);
ir_opnd kit_param(kit *, unsigned bytes);
ir_opnd kit_special(kit *, ir_special);
void kit_use(kit *, ir_opnd);            /* stores a value of any type to memory */
void kit_ret(kit *);
/* Through uniform and select, with the checks between them and p2a_check of every machine
 * instruction behind a trivial register assignment. NULL: good. */
const char *kit_select(kit *);
const char *kit_sdwa(kit *);             /* the same, and pass sdwa */
const char *kit_inplace(kit *);          /* the same, and pass inplace */
const char *kit_text(kit *);             /* the kernel as it stands */
/* The machine instructions but loads of parameters and stores: one a line, values renamed v0,
 * v1.., s0, s1.. in order of appearance; [n] is dword n of a value,
 * .b0 .. .w1 an SDWA selection. */
const char *kit_body(kit *);

/* A kernel, and what kit_body must give of it once `pass` has run. */
typedef struct kit_pattern { const char *name, *chip; void (*build)(kit *); const char *text; } kit_pattern;
/* Checks n patterns, or prints them as rows P(name, "chip", "line\n" ..). Returns kit_failures(). */
int kit_patterns(const kit_pattern *, size_t n, const char *(*pass)(kit *), bool print);

/* ok / not ok lines; kit_failures() is the exit status. */
void kit_ok(bool ok, const char *why, const char *fmt, ...) PRINTF(3, 4);
int kit_failures(void);
#endif
