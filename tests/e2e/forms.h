/* forms.h -- tables of PTX instructions, each run on many operands and compared with a function in C.
 * An instruction is a text with $0 for the result, $1..$4 for the sources, and a signature of letters:
 *	h r d     16, 32, 64 bits in .b16 .b32 .b64 registers
 *	x f F     the same, holding f16, f32, f64: results agree if both are NaN (payloads are not kept)
 *	p         a predicate; a source is the lowest bit of its word, a result 0 or 1 */
#ifndef FORMS_H
#define FORMS_H
#include "e2e.h"

typedef struct form form;
typedef uint64_t form_fn(const form *, const uint64_t *src);
struct form {
	char text[384], dst, src[5];
	form_fn *fn;                    /* the result; bits above dst's width are dropped */
	int (*holds)(const form *, const uint64_t *src, uint64_t got);  /* where others than fn's are right; NULL: none is */
	uint64_t (*plain)(uint64_t, uint64_t, uint64_t, uint64_t);    /* for fn = form_plain */
	int k[6];                       /* what fn needs to know: rounding, type ... */
};
typedef struct form_list { form *f; size_t n, cap; } form_list;
typedef struct form_data { uint64_t (*v)[4]; size_t n, cap; } form_data;

/* Adds a form; its text is a format. Returned for k[] to be filled in. */
form *form_add(form_list *, const char *sig, form_fn *, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
uint64_t form_plain(const form *, const uint64_t *src);
void form_vector(form_data *, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* All pairs, or triples, of n edge values, and `more` vectors of random ones: edges, few bits, any bits. */
void form_pairs(form_data *, const uint64_t *edge, size_t n);
void form_triples(form_data *, const uint64_t *edge, size_t n);
uint64_t form_random(uint64_t *state);

/* Where operands come from. Each way makes other code: VALU, SALU, folded, one operand folded. */
typedef enum form_way { FORM_LANES, FORM_UNIFORM, FORM_CONSTANT, FORM_MIXED, FORM_NWAYS } form_way;
enum { FORM_ALL = (1 << FORM_NWAYS) - 1, FORM_ONLY_LANES = 1 << FORM_LANES };
/* Beside ways: all checks of the emulator, whose approximations then err as far as the manuals allow. */
enum { FORM_ROUGH = 1 << FORM_NWAYS };
/* Runs every form on the vectors, on the chips, in the ways of the set; one line on stdout. 0: all agree. */
int form_run(const char *name, const form_list *, const form_data *, unsigned ways);
/* The same on these n chips (or CHIP, if it is one of them), a line each. */
int form_run_on(const char *const *chips, size_t n, const char *name, const form_list *, const form_data *, unsigned ways);
/* The same with the semantics of 64-bit bfe and bfi chosen. */
int form_run_as(const char *name, const form_list *, const form_data *, unsigned ways, p2a_semantics);

/* Random programs of a table's single instructions: gotos forward and back, divergent or uniform, guards, registers
 * reused. Integers, floats and predicates have registers of their own. value(kind, state) makes operands. n programs;
 * SEED=k runs program k alone, COUNT=m that many from there. */
int form_programs(const char *name, const form_list *, uint64_t (*value)(char, uint64_t *), unsigned n);

/* One form as text with given registers; the value cut to a letter's width; whether results agree. */
void form_print(text *, const form *, char (*reg)[16]);
uint64_t form_cut(char kind, uint64_t x);
int form_agree(char kind, uint64_t x, uint64_t y);
int form_chips(int i, const char **chip);       /* the chips of this run: 0 where i is past the last. CHIP=name: that one alone */
#endif
