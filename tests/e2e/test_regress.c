/* test_regress.c -- programs that once failed, reduced by test_fuzz.c: tests/e2e/regress/NAME.ptx.
 * Their first line says the launch, the seed of their input, and length and hash of the output, which the direct
 * interpreter gave. Each runs on every chip at every level with all of the emulator's checks. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "tests/e2e/regress";

typedef struct program {
	char name[256], *text;
	uint32_t grid[2], block[2], slots, params;
	unsigned sem;
	unsigned long long seed, size, hash;
} program;

static bool
read_program(const char *name, program *p)
{
	char path[512];
	size_t n;
	FILE *f;

	*p = (program){ .slots = 0 };
	snprintf(p->name, sizeof p->name, "%s", name);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "r");
	p->text = calloc(1, 1 << 20);
	if (!f || !p->text)
		return false;
	n = fread(p->text, 1, (1 << 20) - 1, f);
	fclose(f);
	return n && sscanf(p->text, "// grid %u %u block %u %u slots %u params %u seed %llu sem %u out %llu %llx", &p->grid[0], &p->grid[1],
	                   &p->block[0], &p->block[1], &p->slots, &p->params, &p->seed, &p->sem, &p->size, &p->hash) == 10;
}

static int
run(const program *p, const char *chip, unsigned opt, const e2e_run *base)
{
	e2e_run r = *base;
	char name[320];

	r.chip = chip;
	r.opt = opt;
	snprintf(name, sizeof name, "regress %s opt %u", p->name, opt);
	if (e2e_launch(name, &r))
		return 1;
	if (fuzz_hash(r.out, r.out_size) == p->hash)
		return 0;
	printf("not ok %s on %s: other output\n", name, chip);
	return 1;
}

static int
check(const program *p)
{
	size_t n = (size_t)p->grid[0] * p->grid[1] * p->block[0] * p->block[1] * p->slots;
	uint64_t *in = calloc(n, sizeof *in);
	uint32_t *params = calloc(p->params, sizeof *params);
	void *out = calloc(1, p->size);
	e2e_run r = { .ptx = p->text, .kernel = "k", .sem = p->sem ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED, .grid = { p->grid[0], p->grid[1], 1 },
		.block = { p->block[0], p->block[1], 1 }, .in = in, .in_size = n * sizeof *in, .out = out, .out_size = p->size,
		.extra = params, .extra_size = p->params * sizeof *params, .check = P2A_CHECK_ALL };
	int bad = 0;

	if (!in || !params || !out)
		abort();
	fuzz_fill(p->seed, in, n);
	fuzz_fill_params(p->seed, params, p->params);
	for (const char *const *chip = e2e_on(e2e_chips, 4); *chip; chip++)
		for (unsigned opt = 0; opt <= P2A_O0; opt++)
			bad += run(p, *chip, opt, &r);
	free(in);
	free(params);
	free(out);
	return bad;
}

int
main(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;
	int bad = 0;

	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		program p;

		if (!strstr(e->d_name, ".ptx"))
			continue;
		n++;
		if (read_program(e->d_name, &p)) {
			bad += check(&p);
		} else {
			printf("not ok regress %s: its first line does not say how to run it\n", e->d_name);
			bad++;
		}
		free(p.text);
	}
	if (d)
		closedir(d);
	if (!n)
		printf("skip regress: no programs in %s\n", folder);
	else if (!bad)
		printf("ok regress: %u programs, all chips, all levels\n", n);
	return bad != 0;
}
