/* test_groups.c -- CUDA's cooperative groups, as nvcc compiles its headers with and without optimization: barriers of the grid,
 * tiles, groups by label, predicate and place, reductions, scans, copies. Expected: the definitions in the CUDA C++ Programming
 * Guide, "Cooperative Groups", in plain C over all threads. The kernels: tests/corpus/cuda/cooperative.cu. */
#include "e2e.h"
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, ROUNDS = 6, MOST = 300 };

typedef struct group { uint32_t member[BLOCK], n, rank; } group;    /* threads, and which of them is the one asked about */

/* The threads of those around i, `size` that begin at a multiple of it, that agree with it. */
typedef bool agrees(uint32_t v, uint32_t other);
static bool all(uint32_t v, uint32_t other) { return (void)v, (void)other, true; }
static bool same_fifth(uint32_t v, uint32_t other) { return v % 5 == other % 5; }
static bool same_third(uint32_t v, uint32_t other) { return (v % 3 == 0) == (other % 3 == 0); }
static bool both_come(uint32_t v, uint32_t other) { return (v % 4 != 1) == (other % 4 != 1); }

static group
group_of(const uint32_t *in, uint32_t i, uint32_t size, agrees *a)
{
	group g = { .n = 0 };

	for (uint32_t k = i / size * size; k < i / size * size + size; k++) {
		if (!a(in[i], in[k]))
			continue;
		if (k == i)
			g.rank = g.n;
		g.member[g.n++] = k;
	}
	return g;
}

static uint32_t
sum(const uint32_t *in, const group *g, uint32_t n)
{
	uint32_t s = 0;

	for (uint32_t k = 0; k < n; k++)
		s += in[g->member[k]];
	return s;
}

static void
grid_sync(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t r = 0; r < ROUNDS; r++)
		for (uint32_t b = 0; b < blocks; b++)
			out[r * blocks + b] = in[(b + r) % blocks] + r;
}

static void
grid_arrive(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t b = 0; b < blocks; b++) {
		out[b] = in[b];
		out[blocks + b] = in[(b + 1) % blocks] + in[b] * 3 + b * BLOCK;
	}
}

static void
tile(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		uint32_t v[8], w[8], first = i / 8 * 8, ballot = 0, odd = 0;

		for (uint32_t k = 0; k < 8; k++)
			v[k] = in[first + k] + in[first + (k + 2 < 8 ? k + 2 : k)];
		for (uint32_t k = 0; k < 8; k++) {
			w[k] = v[k] + v[k ^ 1];
			ballot |= (w[k] >> 1 & 1) << k;
			odd |= w[k] & 1;
		}
		out[i] = w[i % 8] + i % BLOCK / 8 * 1000 + odd * 7 + ballot * 11;
	}
}

static void
large_tile(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		group g = group_of(in, i, 128, all);

		out[i] = sum(in, &g, g.n) + i % 128;
	}
}

static void
coalesced(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		group g = group_of(in, i, 32, both_come);
		uint32_t most = 0;

		for (uint32_t k = 0; k < g.n; k++)
			most = in[g.member[k]] > most ? in[g.member[k]] : most;
		out[i] = in[i] % 4 == 1 ? 0 : g.rank * 1000 + g.n + most + in[g.member[0]];
	}
}

static void
reduce(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		group g = group_of(in, i, 32, all);
		uint32_t x = 0, least = UINT32_MAX;

		for (uint32_t k = 0; k < 32; k++) {
			uint32_t v = in[g.member[k]];

			x ^= v;
			least = (v & 0xffff) < least ? v & 0xffff : least;
		}
		out[i] = sum(in, &g, 32) + x + least;
	}
}

static void
scan(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		group g = group_of(in, i, 16, all);

		out[i] = sum(in, &g, g.rank + 1) * 3 + sum(in, &g, g.rank);
	}
}

static void
label(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++) {
		group same = group_of(in, i, 32, same_fifth), half = group_of(in, i, 32, same_third);

		out[i] = same.n * 100 + same.rank + half.n * 10000 + half.rank * 1000000;
	}
}

static void
copy(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks * BLOCK; i++)
		out[i] = in[i / BLOCK * BLOCK + 255 - i % BLOCK];
}

static void
one(const uint32_t *in, uint32_t *out, uint32_t blocks)
{
	out[0] = blocks * (BLOCK / 32) * in[0];
	for (uint32_t i = 0; i < blocks * BLOCK; i++)
		out[1 + i] = i % BLOCK / 32 + 5;
}

static const struct work {
	const char *name;
	void (*expect)(const uint32_t *in, uint32_t *out, uint32_t blocks);
	uint32_t blocks[2];
	bool debug;              /* in cooperative_debug, too */
} works[] = {
	{ "grid_sync", grid_sync, { 64, 4 }, true }, { "grid_arrive", grid_arrive, { 33, 0 }, false }, { "tile", tile, { 3, 0 }, false },
	{ "large_tile", large_tile, { 2, 0 }, true }, { "coalesced", coalesced, { 3, 0 }, false }, { "reduce", reduce, { 3, 0 }, false },
	{ "scan", scan, { 3, 0 }, true }, { "label", label, { 3, 0 }, true }, { "copy", copy, { 5, 0 }, false }, { "one", one, { 3, 0 }, false },
};

static uint32_t in[MOST * BLOCK], want[MOST * BLOCK + 1], got[MOST * BLOCK + 1];

static int
run(const struct work *w, uint32_t blocks, const char *file, const char *ptx, const char *chip)
{
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = w->name, .grid = { blocks, 1, 1 }, .block = { BLOCK, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = got, .out_size = sizeof got };
	char name[80];

	snprintf(name, sizeof name, "%s/%s, %u blocks", file, w->name, blocks);
	memset(want, 0, sizeof want);
	w->expect(in, want, blocks);
	if (e2e_launch(name, &r))
		return 1;
	for (size_t i = 0; i < sizeof got / sizeof *got; i++)
		if (got[i] != want[i])
			return printf("not ok %s on %s: word %zu is %u, should be %u\n", name, chip, i, got[i], want[i]), 1;
	return 0;
}

static int
run_file(const char *file, bool debug)
{
	char *ptx = e2e_corpus(file);
	const char *chip;
	int bad = 0;

	if (!ptx)
		return printf("not ok %s: cannot read it\n", file), 1;
	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		int wrong = 0;

		if (debug && !works[i].debug)
			continue;
		for (int c = 0; form_chips(c, &chip); c++)
			for (int k = 0; k < 2 && works[i].blocks[k]; k++)
				wrong |= run(&works[i], works[i].blocks[k], file, ptx, chip);
		if (!wrong)
			printf("ok %s/%s\n", file, works[i].name);
		bad |= wrong;
	}
	free(ptx);
	return bad;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		in[i] = (uint32_t)(i * 2654435761u) >> 12;
	return run_file("cooperative", false) | run_file("cooperative_debug", true);
}
