/* spell.h -- the ways to spell a row of forms.def: each combination of its types with each alternative of each other modifier. */
#ifndef SPELL_H
#define SPELL_H
#include "e2e.h"

typedef struct spelled {
	unsigned form;                  /* row of forms.def */
	char text[192];                 /* the opcode with its modifiers */
	char type[4][12];               /* types in order, "" behind the last */
} spelled;
typedef void spell_fn(void *, const spelled *);
/* Calls fn for each spelling of a row in which at most one modifier differs from the plainest: first alternatives, nothing
 * that may be left out. */
void spell(unsigned form, spell_fn *, void *);
/* The rows of an opcode that are translated, in order; UINT32_MAX: none from this row on. */
unsigned spell_next(const char *opcode, unsigned from);
bool spell_has(const spelled *, const char *modifier);
unsigned spell_lanes(const spelled *);  /* of .v2 .v4 .v8; 1 */
const char *spell_operands(const spelled *);    /* as in forms.def */
#endif
