/* ptx_test.h -- what the tests of the PTX front end share.
 * A unit is one text read, checked and printed in an arena of its own.
 * Tests print "ok NAME", "not ok NAME: why" or "skip NAME: why" and give 1 if any failed. */
#ifndef PTX_TEST_H
#define PTX_TEST_H
#include <stdbool.h>
#include <stddef.h>

#include "ptx/ptx.h"

typedef struct unit {
	arena A;
	jmp_buf oom;
	intern names;
	p2a_source src;
	diag_sink diags;
	ptx_module *m;
} unit;
/* text must live as long as the unit. */
void unit_open(unit *, const char *name, const char *text, size_t size);
void unit_check(unit *);                         /* ptx_sema */
char *unit_print(unit *, size_t *size);          /* in the unit's arena */
void unit_close(unit *);
const char *unit_first_fault(unit *);            /* "" if there is none */
/* A module around instructions: registers of every type, some variables; tests/ptx/frame.ptx. */
char *framed(const char *body, const char *target);

char *read_file(const char *path, size_t *size); /* NULL: not there; malloc'd */
/* Calls fn with every file of a directory that ends in suffix, sorted; returns how many. */
int each_file(const char *dir, const char *suffix, void (*fn)(const char *path, void *), void *);

void pass(const char *fmt, ...) PRINTF(1, 2);
void fail(const char *fmt, ...) PRINTF(1, 2);
void skip(const char *fmt, ...) PRINTF(1, 2);
bool expect_true(bool, const char *fmt, ...) PRINTF(2, 3);       /* fails only */
int finish(void);                                /* main's result */

/* NVIDIA's assembler, if it is installed: true if it takes the text; its words go to *said (malloc'd). */
bool have_ptxas(void);
bool ptxas(const char *text, size_t size, const char *arch, char **said);

/* Lines of a file that say what ptxas takes. */
typedef struct verdicts {
	int n, ours, theirs;     /* lines; of these we, and ptxas today, decide as they say */
} verdicts;
/* Adds one: what the line says of us and of ptxas, what we do, and the text to ask ptxas about. */
void add_verdict(verdicts *, const char *line, bool ours, bool theirs, bool taken, const char *text, const char *arch);
/* Calls each with every line but comments, may be changed, and tells the result; main's result. */
int try_verdicts(const char *path, const char *what, void (*each)(char *line, verdicts *));
#endif
