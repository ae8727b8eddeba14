/* bench_bfi.c -- how long one call of p2a_bfi.h takes: nanoseconds a plan, and a plan with its instructions, for
 * each form on three chips. Prints a line a form; no test. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "p2a_bfi.h"

enum { CALLS = 20000 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int
main(void)
{
	static const char *const chips[] = { "gfx90a", "gfx1030", "gfx1100" };
	static const p2a_bfi_scratch scratch = { { 20, 22, 24, 32, 34 }, { 40, 41, 42, 43 }, { 20, 22, 24, 26 },
		{ 40, 41, 42, 43 } };
	static const struct { const char *name; p2a_bfi_operand pos, len; } forms[] = {
		{ "8,8", P2A_BFI_IMM(8), P2A_BFI_IMM(8) }, { "5,7", P2A_BFI_IMM(5), P2A_BFI_IMM(7) },
		{ "20,20", P2A_BFI_IMM(20), P2A_BFI_IMM(20) }, { "5,len", P2A_BFI_IMM(5), P2A_BFI_V(5) },
		{ "pos,8", P2A_BFI_V(4), P2A_BFI_IMM(8) }, { "pos,len", P2A_BFI_V(4), P2A_BFI_V(5) },
		{ "s,s", P2A_BFI_S(4), P2A_BFI_S(5) } };

	for (unsigned c = 0; c < 3; c++)
		for (int op = P2A_BFI_B32; op <= P2A_BFI_B64; op++)
			for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
				p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(chips[c]),
					.op = (p2a_bfi_op)op, .dst = P2A_BFI_V64(6), .a = P2A_BFI_V64(0),
					.b = P2A_BFI_V64(2), .pos = forms[k].pos, .len = forms[k].len };
				p2a_bfi_plan p;
				p2a_inst code[P2A_BFI_INSTS];
				unsigned n = 0;
				double t0 = now(), t1, t2;

				for (unsigned i = 0; i < CALLS; i++)
					n += p2a_bfi_make(&q, &p) == 0;
				t1 = now();
				for (unsigned i = 0; i < CALLS; i++)
					n += p2a_bfi_insts(&p, &scratch, code) >= 0;
				t2 = now();
				printf("%-8s b%d %-8s plan %5.0f ns, instructions %5.0f ns%s\n", chips[c], op ? 64 : 32,
				       forms[k].name, (t1 - t0) / CALLS, (t2 - t1) / CALLS, n == 2 * CALLS ? "" : " FAILED");
			}
	return 0;
}
