/* e2e.h -- PTX text in, results of the chip out: what the end-to-end tests share. The chip is emulated; with
 * P2A_BACKEND=hip it is the GPU that HIP finds, for which then all tests translate and run. Without one they skip. */
#ifndef E2E_H
#define E2E_H
#include "p2a_rt.h"
#include <stdarg.h>

extern const char *const e2e_chips[4];          /* a wave64 chip and one of each wave32 family */
int e2e_quick(void);                            /* P2A_TEST_QUICK: shorter runs */
bool e2e_hip(void);                             /* P2A_BACKEND=hip: no faults, no checks, code object 4 only */
/* The chips to run on, NULL behind the last: n of a list, or the GPU alone. Valid until the next call. */
const char *const *e2e_on(const char *const *chips, size_t n);

/* check(form, chip, opt) on each of e2e_chips at -O2, -O1 and -O0; the sum of what it returns. */
int e2e_everywhere(int (*check)(const void *form, const char *chip, unsigned opt), const void *form);

/* A growing text. */
typedef struct text { char *s; size_t n, cap; } text;
void text_add(text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

typedef struct e2e_run {
	const char *chip, *ptx, *kernel;
	p2a_semantics sem;
	unsigned opt;
	uint32_t grid[3], block[3], shared;
	const void *in;                         /* first parameter: its address */
	size_t in_size;
	void *out;                              /* second parameter: its address; zero-filled, read back */
	size_t out_size;
	const void *extra;                      /* further bytes of the parameter block, behind the addresses */
	size_t extra_size;
	unsigned code_object;                   /* 0, 4, 5; on a GPU always 4, which every ROCm takes */
	p2a_check_level check;                  /* of the emulator */
	double timeout;                         /* of the emulator: seconds that the launch may take; 0: 300 */
	bool quiet;                             /* no message */
} e2e_run;
/* 0, or 1 with a message on stdout that begins `not ok NAME`. */
int e2e_launch(const char *name, const e2e_run *);
/* The text of tests/corpus/cuda/NAME.ptx, for free; NULL: cannot be read. */
char *e2e_corpus(const char *name);

/* What becomes of the PTX on that chip: the mnemonics that `wanted` takes, without _e32 and _e64, in order, a space between; else the
 * first message. */
void e2e_mnemonics(const char *chip, const char *ptx, bool (*wanted)(const char *mnemonic), char *out, size_t cap);

/* PTX's bfi and bfe from the manual (9.7.1.20, 9.7.1.19), bit by bit. bits 32 or 64; nvidia: see p2a_semantics. */
uint64_t ref_bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, unsigned bits, p2a_semantics);
uint64_t ref_bfe(uint64_t a, uint32_t c, uint32_t d, unsigned bits, int is_signed, p2a_semantics);
/* PTX's bmsk (9.7.1.21): ones from a, b of them. */
uint32_t ref_bmsk(uint32_t a, uint32_t b, bool clamp);
#endif
