/* gen_assemble.c -- gen_assemble CHIP: lines of assembly in, bytes out (or "error NUMBER TEXT").
 * Needs p2a_parse and p2a_encode; test_random.sh gives it what an outside disassembler wrote. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
	const p2a_target *t = argc > 1 ? p2a_target_find(argv[1]) : NULL;
	char line[512], hex[P2A_MAX_DWORDS * 8 + 1];

	if (!t) {
		fprintf(stderr, "usage: gen_assemble CHIP < text\n");
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		uint32_t w[P2A_MAX_DWORDS];
		p2a_inst i;
		int n;

		line[strcspn(line, "\n")] = 0;
		n = p2a_parse(t, line, &i, NULL);
		if (!n)
			n = p2a_encode(t, &i, w);
		if (n < 0) {
			printf("error %d %s\n", n, line);
			continue;
		}
		gen_hex(w, n, hex);
		puts(hex);
	}
	return 0;
}
