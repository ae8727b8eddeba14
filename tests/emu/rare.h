/* rare.h -- tests of single instructions: code that leaves a dword in every lane, and what it must be.
 * Needs t.h; the main() of such a test is rare_all().
 * Lines of output: "ok CHIP NAME" and so on. */
#ifndef TESTS_EMU_RARE_H
#define TESTS_EMU_RARE_H
#include "t.h"

/* One workgroup: what a case leaves in v4 of every work-item, v0 being its number. s[4:5] points to 256 bytes of zeros. */
typedef struct rare {
	const char *name;
	const char *chips;           /* separated by blanks */
	void (*code)(t_code *);
	uint32_t (*want)(uint32_t item, uint32_t lanes);
	uint32_t waves;              /* 0: one */
} rare;

#define M0 SREG(P2A_M0, 1)
int rare_all(const rare *, size_t n);                /* the exit status */
#endif
