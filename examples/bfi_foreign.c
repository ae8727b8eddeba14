/* bfi_foreign.c -- another back end's code buffer gets a bfi: plan, registers, bytes, and the bytes read again.
 * Needs nothing; the chip may be the first argument. Build: cmake --build build --target example_bfi_foreign. */
#include <stdio.h>
#include <stdlib.h>

#include "p2a_bfi.h"

/* The register numbers that this back end's allocator says are free from there on. */
enum { FREE_VGPR = 16, FREE_SGPR = 20 };

/* Scratch as the plan wants it; pairs start even, which every chip takes. */
static p2a_bfi_scratch
find_scratch(const p2a_bfi_plan *p)
{
	p2a_bfi_scratch s = { { 0 }, { 0 }, { 0 }, { 0 } };
	unsigned v = FREE_VGPR, r = FREE_SGPR;

	for (unsigned k = 0; k < p->vgpr_pairs; k++, v += 2)
		s.vgpr_pair[k] = (uint16_t)v;
	for (unsigned k = 0; k < p->vgprs; k++, v++)
		s.vgpr[k] = (uint16_t)(v % 8 == 7 ? ++v : v);   /* gfx90a: not the last of eight */
	for (unsigned k = 0; k < p->sgpr_pairs; k++, r += 2)
		s.sgpr_pair[k] = (uint16_t)r;
	for (unsigned k = 0; k < p->sgprs; k++, r++)
		s.sgpr[k] = (uint16_t)r;
	return s;
}

static void
print_again(const p2a_target *t, const uint32_t *code, size_t dwords)
{
	for (size_t at = 0; at < dwords;) {
		p2a_inst i;
		char text[160];
		int n = p2a_decode(t, code + at, dwords - at, &i);

		if (n <= 0)
			exit(EXIT_FAILURE);
		p2a_print(t, &i, text, sizeof text);
		printf("  %-60s", text);
		for (int k = 0; k < n; k++)
			printf(" %08x", (unsigned)code[at + (size_t)k]);
		putchar('\n');
		at += (size_t)n;
	}
}

int
main(int argc, char **argv)
{
	/* v3 = bfi(v0 into v1, from bit v2 & 0xff on, s8 bits): a position per lane below 32, a length for the wave */
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(argc > 1 ? argv[1] : "gfx1100"),
		.op = P2A_BFI_B32, .dst = P2A_BFI_V(3), .a = P2A_BFI_V(0), .b = P2A_BFI_V(1), .pos = P2A_BFI_V(2),
		.len = P2A_BFI_S(8) };
	p2a_bfi_plan plan;
	p2a_bfi_scratch scratch;
	uint32_t code[256];
	int err, size;

	q.pos.max = 31;
	err = p2a_bfi_make(&q, &plan);
	if (err) {
		fprintf(stderr, "no plan: %s\n", p2a_isa_error_name(err));
		return EXIT_FAILURE;
	}
	printf("row %s: %u instructions, %u bytes; scratch: %u VGPRs + %u pairs, %u SGPRs + %u pairs%s%s\n", plan.name,
	       plan.n, plan.bytes, plan.vgprs, plan.vgpr_pairs, plan.sgprs, plan.sgpr_pairs,
	       plan.writes_scc ? "; SCC" : "", plan.writes_vcc ? "; VCC" : "");
	scratch = find_scratch(&plan);
	size = p2a_bfi_bytes(&plan, &scratch, code, sizeof code);
	if (size < 0) {
		fprintf(stderr, "no code: %s\n", p2a_isa_error_name(size));
		return EXIT_FAILURE;
	}
	print_again(q.target, code, (size_t)size / 4);
	return EXIT_SUCCESS;
}
