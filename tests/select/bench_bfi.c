/* bench_bfi.c -- how long one call of p2a_bfi.h takes: nanoseconds for a plan, its instructions, its bytes, its text, for
 * each operation and form on four chips. Prints a line a form, in the end of each call the form that takes longest and what part of two
 * microseconds that is; no test. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "bfi_ops.h"

/* The least of ROUNDS averages: whatever else runs on the machine only adds. */
enum { CALLS = 500, ROUNDS = 5 };

typedef enum call { MAKE, INSTS, BYTES, TEXT, NCALLS } call;

typedef struct longest { double ns; char what[64]; } longest;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
one(call c, const p2a_bfi_query *q, p2a_bfi_plan *p)
{
	static const p2a_bfi_scratch scratch = { { 20, 22, 24, 32, 34 }, { 40, 41, 42, 43, 44, 45, 46 }, { 20, 22, 24, 26 },
		{ 40, 41, 42, 43, 44, 45 } };
	static p2a_inst code[P2A_BFI_INSTS];
	static char text[8192];

	switch (c) {
	case MAKE: return p2a_bfi_make(q, p);
	case INSTS: return p2a_bfi_insts(p, &scratch, code);
	case BYTES: return p2a_bfi_bytes(p, &scratch, text, sizeof text);
	default: return p2a_bfi_text(p, &scratch, text, sizeof text);
	}
}

/* Nanoseconds a call; below 0: it fails. */
static double
measure(call c, const p2a_bfi_query *q, p2a_bfi_plan *p)
{
	double least = 1e18;

	for (unsigned r = 0; r < ROUNDS; r++) {
		double t = now();

		for (unsigned k = 0; k < CALLS; k++)
			if (one(c, q, p) < 0)
				return -1;
		t = (now() - t) / CALLS;
		least = t < least ? t : least;
	}
	return least;
}

static int
bench(const char *what, const p2a_bfi_query *q, longest most[NCALLS])
{
	p2a_bfi_plan p;
	double t[NCALLS];
	int bad = 0;

	for (call c = MAKE; c < NCALLS; c++) {
		t[c] = measure(c, q, &p);
		bad |= t[c] < 0;
		if (t[c] > most[c].ns) {
			most[c].ns = t[c];
			snprintf(most[c].what, sizeof most[c].what, "%s", what);
		}
	}
	printf("%s: %2u instructions; plan %5.0f ns, instructions %4.0f ns, bytes %5.0f ns, text %6.0f ns%s\n", what, p.n, t[MAKE], t[INSTS],
	       t[BYTES], t[TEXT], bad ? " FAILED" : "");
	return bad;
}

int
main(void)
{
	static const char *const chips[] = { "gfx90a", "gfx1030", "gfx1100", "gfx1201" };
	static const struct { const char *name; p2a_bfi_operand pos, len; } forms[] = {
		{ "8,8", P2A_BFI_IMM(8), P2A_BFI_IMM(8) }, { "5,7", P2A_BFI_IMM(5), P2A_BFI_IMM(7) },
		{ "20,20", P2A_BFI_IMM(20), P2A_BFI_IMM(20) }, { "5,len", P2A_BFI_IMM(5), P2A_BFI_V(5) },
		{ "pos,8", P2A_BFI_V(4), P2A_BFI_IMM(8) }, { "pos,len", P2A_BFI_V(4), P2A_BFI_V(5) },
		{ "s,len", P2A_BFI_S(4), P2A_BFI_V(5) }, { "pos,s", P2A_BFI_V(4), P2A_BFI_S(5) },
		{ "s,s", P2A_BFI_S(4), P2A_BFI_S(5) } };
	static const char *const calls[] = { "plan", "instructions", "bytes", "text" };
	longest most[NCALLS] = { { .ns = 0 } };
	int bad = 0;

	for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++)
		for (int op = 0; op < BFI_OPS; op++)
			for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
				p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(chips[c]),
					.op = (p2a_bfi_op)op, .dst = P2A_BFI_V64(6), .a = P2A_BFI_V64(0),
					.b = P2A_BFI_V64(2), .pos = forms[k].pos, .len = forms[k].len };
				char what[64];

				snprintf(what, sizeof what, "%-8s %-15s %-8s", chips[c], bfi_op_names[op], forms[k].name);
				bad |= bench(what, &q, most);
			}
	for (call c = MAKE; c < NCALLS; c++)
		printf("%-12s %5.0f ns at most, %.2f of 2 us: %s\n", calls[c], most[c].ns, most[c].ns / 2000, most[c].what);
	return bad;
}
