/* bfi_inline_asm.c -- prints a HIP device function that does a bfi by inline assembly: the compiler allocates the
 * registers, clobbers and early clobbers come from the plan.
 * Needs nothing; the chip may be the first argument. Build: cmake --build build --target example_bfi_inline_asm.
 *
 * The plan is made with registers of our own; those of operands become %0, %1, .. in its text. Scratch stays in
 * fixed registers that the statement clobbers: an asm operand has no name for half of a pair.
 * Ours are the last of eight each, which gfx90a may not take for the count of a 64-bit shift (p2a_bfi.h): so the plan takes no
 * operand for one, and serves whichever registers the compiler chooses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p2a_bfi.h"

enum { DST = 103, A = 111, B = 119, POS = 127, LEN = 135, STEP = 8 };

/* Names of registers, and what stands for them in the asm statement. */
typedef struct name { char reg[16], operand[16]; } name;
typedef struct names { name a[5]; unsigned n; } names;

static void
add(names *m, unsigned reg, unsigned operand)
{
	name *x = &m->a[m->n++];

	snprintf(x->reg, sizeof x->reg, "v%u", reg);
	snprintf(x->operand, sizeof x->operand, "%%%u", operand);
}

/* Copies an instruction with its registers renamed where the list has them. */
static void
put_renamed(const names *m, const char *s)
{
	while (*s && *s != '\n') {
		const name *found = NULL;

		for (unsigned k = 0; k < m->n; k++) {
			size_t n = strlen(m->a[k].reg);

			if (!strncmp(s, m->a[k].reg, n) && (s[n] < '0' || s[n] > '9'))
				found = &m->a[k];
		}
		if (found) {
			fputs(found->operand, stdout);
			s += strlen(found->reg);
		} else {
			putchar(*s++);
		}
	}
}

/* Registers that no operand of the statement will be given, since it clobbers them. */
static const p2a_bfi_scratch scratch = { { 40, 42, 44, 48, 50, 52, 56, 58 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
	{ 40, 42, 44, 46, 48, 50, 52, 54 }, { 60, 61, 62, 63, 64, 65, 66, 67 } };

static void
put_clobbers(const p2a_bfi_plan *p)
{
	const char *comma = " ";
	const struct { char bank; const uint16_t *reg; unsigned n, width; } lists[] = {
		{ 'v', scratch.vgpr_pair, p->vgpr_pairs, 2 }, { 'v', scratch.vgpr, p->vgprs, 1 },
		{ 's', scratch.sgpr_pair, p->sgpr_pairs, 2 }, { 's', scratch.sgpr, p->sgprs, 1 } };

	for (unsigned l = 0; l < 4; l++)
		for (unsigned k = 0; k < lists[l].n * lists[l].width; k++, comma = ", ")
			printf("%s\"%c%u\"", comma, lists[l].bank, lists[l].reg[k / lists[l].width] + k % lists[l].width);
	if (p->writes_scc) {
		printf("%s\"scc\"", comma);
		comma = ", ";
	}
	if (p->writes_vcc)
		printf("%s\"vcc\"", comma);
}

/* "=&": the result is written before the last operand is read. */
static void
put_function(const char *chip, const p2a_bfi_plan *p, const char *code, const names *m)
{
	printf("/* bfi.b32 on %s, row %s: %u VALU, %u SALU */\n__device__ unsigned\nbfi_b32(unsigned a, unsigned b, "
	       "unsigned pos, unsigned len)\n{\n\tunsigned d;\n\tasm volatile(\n", chip, p->name, p->valu, p->salu);
	for (const char *s = code; *s; s = strchr(s, '\n') + 1) {
		printf("\t\t\"");
		put_renamed(m, s);
		printf("\\n\"\n");
	}
	printf("\t\t: \"%s\"(d)\n\t\t: \"v\"(a), \"v\"(b), \"v\"(pos), \"v\"(len)\n\t\t:", p->early ? "=&v" : "=v");
	put_clobbers(p);
	printf(");\n\treturn d;\n}\n");
}

int
main(int argc, char **argv)
{
	const char *chip = argc > 1 ? argv[1] : "gfx1100";
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(chip), .op = P2A_BFI_B32, .dst = P2A_BFI_V(DST),
		.a = P2A_BFI_V(A), .b = P2A_BFI_V(B), .pos = P2A_BFI_V(POS), .len = P2A_BFI_V(LEN) };
	p2a_bfi_plan plan;
	names m = { .n = 0 };
	char code[4096];
	int err;

	if (argc > 2)            /* positions and lengths below 32 */
		q.pos.max = q.len.max = 31;
	for (unsigned k = 0; k < 5; k++)
		add(&m, DST + STEP * k, k);
	err = p2a_bfi_make(&q, &plan);
	if (!err)
		err = p2a_bfi_text(&plan, &scratch, code, sizeof code);
	if (err < 0) {
		fprintf(stderr, "%s\n", p2a_isa_error_name(err));
		return EXIT_FAILURE;
	}
	put_function(chip, &plan, code, &m);
	return EXIT_SUCCESS;
}
