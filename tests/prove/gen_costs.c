/* gen_costs.c -- answers of p2a_bfi.h in bulk: a question a line on standard input, an answer a line on standard output;
 * no test. compare_known.py asks; a program started for each question would take most of its time.
 *
 * CHIP OP MEANING A B POS LEN
 *   OP       b32 b64 u32 s32 u64 s64
 *   MEANING  documented nvidia
 *   operands #NUMBER; v (lanes differ) or s (uniform), then in this order as far as known LO..HI, ~BITS that are zero,
 *            |BITS that are one. Numbers as C writes them.
 * Answer: the row's name, the instructions, a line a piece, an empty line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p2a_bfi.h"

enum { WORD = 80 };

static p2a_bfi_operand
operand(const char *s, unsigned reg, bool wide)
{
	p2a_bfi_operand o = { .kind = *s == '#' ? P2A_K_IMM : *s == 's' ? P2A_K_SGPR : P2A_K_VGPR };
	char *at = (char *)s + 1;

	if (o.kind == P2A_K_IMM) {
		o.imm = strtoull(at, NULL, 0);
		return o;
	}
	o.lo = (uint16_t)reg;
	o.hi = (uint16_t)(wide ? reg + 1 : 0);
	if (*at >= '0' && *at <= '9') {
		o.min = strtoull(at, &at, 0);
		o.max = strtoull(at + 2, &at, 0);
	}
	if (*at == '~')
		o.zero = strtoull(at + 1, &at, 0);
	if (*at == '|')
		o.one = strtoull(at + 1, &at, 0);
	return o;
}

static int
op_named(const char *s)
{
	static const char *const names[] = { [P2A_BFI_B32] = "b32", [P2A_BFI_B64] = "b64", [P2A_BFE_U32] = "u32", [P2A_BFE_S32] = "s32",
		[P2A_BFE_U64] = "u64", [P2A_BFE_S64] = "s64" };

	for (int k = 0; k < (int)(sizeof names / sizeof *names); k++)
		if (!strcmp(s, names[k]))
			return k;
	return -1;
}

static int
make(char word[7][WORD], p2a_bfi_plan *plan)
{
	int op = op_named(word[1]);
	bool wide = strstr(word[1], "64"), bfi = op == P2A_BFI_B32 || op == P2A_BFI_B64;
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(word[0]), .flags = P2A_BFI_RENAME, .op = (p2a_bfi_op)op,
		.semantics = strcmp(word[2], "nvidia") ? P2A_SEM_DOCUMENTED : P2A_SEM_NVIDIA, .a = operand(word[3], 0, wide),
		.pos = operand(word[5], 4, false), .len = operand(word[6], 5, false) };   /* no dst: none is moved there */

	if (op < 0)
		return P2A_ISA_ARGS;
	if (bfi)
		q.b = operand(word[4], 2, wide);
	return p2a_bfi_make(&q, plan);
}

int
main(void)
{
	static const p2a_bfi_scratch scratch = { { 20, 22, 24, 32, 34 }, { 40, 41, 42, 43, 44, 45, 46 }, { 20, 22, 24, 26 },
		{ 40, 41, 42, 43, 44, 45 } };
	char line[8 * WORD], word[7][WORD], text[8192];

	while (fgets(line, sizeof line, stdin)) {
		p2a_bfi_plan p;
		int err;

		if (sscanf(line, "%79s %79s %79s %79s %79s %79s %79s", word[0], word[1], word[2], word[3], word[4], word[5], word[6]) != 7)
			return fprintf(stderr, "gen_costs: not a question: %s", line), 2;
		err = make(word, &p);
		if (err)
			return fprintf(stderr, "gen_costs: %s: %s", p2a_isa_error_name(err), line), 1;
		*text = 0;
		err = p2a_bfi_text(&p, &scratch, text, sizeof text);
		if (err < 0)
			return fprintf(stderr, "gen_costs: %s: %s", p2a_isa_error_name(err), line), 1;
		printf("%s\n%s\n", p.name, text);
	}
	return 0;
}
