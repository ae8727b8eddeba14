/* gen_list.c -- gen_list CHIP SEED REPEATS: random legal instructions, a line each: text TAB bytes TAB row.
 * Needs gen.c; for every row that the chip has and every encoding of it, and every two that make a pair.
 * make_vectors.sh and test_random.sh give the text to an outside assembler. */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>

static void
print_one(const p2a_target *t, const p2a_inst *i)
{
	char s[256], hex[P2A_MAX_DWORDS * 8 + 1];
	uint32_t w[P2A_MAX_DWORDS];
	int n = p2a_encode(t, i, w);

	p2a_print(t, i, s, sizeof s);
	gen_hex(w, n, hex);
	printf("%s\t%s\t%s\n", s, hex, isa_table[i->op].name);
}

/* Each row has its own, so that what is drawn for one does not hang on the others. */
static uint64_t
seed_of(uint64_t seed, unsigned op)
{
	for (const char *s = isa_table[op].name; *s; s++)
		seed = (seed ^ (uint8_t)*s) * 0x100000001b3u;
	return seed;
}

int
main(int argc, char **argv)
{
	gen g = { argc > 3 ? p2a_target_find(argv[1]) : NULL, 0 };
	uint64_t seed;
	int repeats;

	if (!g.t) {
		fprintf(stderr, "usage: gen_list CHIP SEED REPEATS\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 0);
	repeats = atoi(argv[3]);
	for (unsigned op = 0; op < ISA_NOPS; op++) {
		g.seed = seed_of(seed, op);
		for (unsigned enc = P2A_ENC_AUTO; enc < P2A_ENC_DUAL; enc++)
			for (int r = 0; isa_has(g.t, op) && r < repeats; r++) {
				p2a_inst i;

				if (gen_inst(&g, op, enc, &i))
					print_one(g.t, &i);
			}
	}
	for (unsigned x = 0; x < ISA_NOPS; x++) {
		g.seed = seed_of(seed, x);
		for (unsigned y = 0; isa_can_dual(g.t, x, 0) && y < ISA_NOPS; y++) {
			p2a_inst i;

			if (gen_pair(&g, x, y, &i))
				print_one(g.t, &i);
		}
	}
	return 0;
}
