/* CPU reference of the warp_ops kernels, by the words of their comments: loops over the block's part.
 * Needs nothing; leaves words.bin keys.bin and sum.ref scan.ref kept.ref count.ref counts.ref sorted.ref least.ref rounds.ref.
 * One grid is 4 blocks of 160 lanes. */
#include "../reference.h"

enum { N = 555, BLOCKS = 4, BLOCK = 160, GRID = BLOCKS * BLOCK };

static uint32_t words[N], keys[N];

/* What lane i of the grid reads. */
static uint32_t word(unsigned i, uint32_t otherwise)
{
	return i < N ? words[i] : otherwise;
}

static void sums(void)
{
	uint32_t sum[BLOCKS] = { 0 }, scan[GRID];

	for (unsigned i = 0; i < GRID; i++)
		scan[i] = sum[i / BLOCK] += word(i, 0);
	write_file("sum.ref", sum, sizeof(sum));
	write_file("scan.ref", scan, sizeof(scan));
}

static void evens(void)
{
	uint32_t kept[GRID] = { 0 }, count[BLOCKS] = { 0 };

	for (unsigned i = 0; i < N; i++)
		if (words[i] % 2 == 0)
			kept[i / BLOCK * BLOCK + count[i / BLOCK]++] = words[i];
	write_file("kept.ref", kept, sizeof(kept));
	write_file("count.ref", count, sizeof(count));
}

static void key_counts(void)
{
	uint32_t counts[50] = { 0 };

	for (unsigned i = 0; i < N; i++)
		counts[keys[i] % 50]++;
	write_file("counts.ref", counts, sizeof(counts));
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void sorted_warps(void)
{
	uint32_t sorted[GRID];

	for (unsigned i = 0; i < GRID; i++)
		sorted[i] = word(i, UINT32_MAX);
	for (unsigned i = 0; i < GRID; i += 32)
		qsort(sorted + i, 32, sizeof(*sorted), ascending);
	write_file("sorted.ref", sorted, sizeof(sorted));
}

/* The least comes to each place in as many rounds as it is away; nothing changes behind it for longer. */
static void least_words(void)
{
	uint32_t least[GRID], rounds[BLOCKS];

	for (unsigned b = 0; b < BLOCKS; b++) {
		unsigned at = 0;

		for (unsigned t = 0; t < BLOCK; t++)
			if (word(b * BLOCK + t, UINT32_MAX) < word(b * BLOCK + at, UINT32_MAX))
				at = t;
		for (unsigned t = 0; t < BLOCK; t++)
			least[b * BLOCK + t] = word(b * BLOCK + at, UINT32_MAX);
		rounds[b] = at > BLOCK - 1 - at ? at : BLOCK - 1 - at;
	}
	write_file("least.ref", least, sizeof(least));
	write_file("rounds.ref", rounds, sizeof(rounds));
}

int main(void)
{
	for (unsigned i = 0; i < N; i++) {
		words[i] = (uint32_t)random64(1, i);
		keys[i] = random_below(2, i, 7) * random_below(3, i, 30);
	}
	write_file("words.bin", words, sizeof(words));
	write_file("keys.bin", keys, sizeof(keys));
	sums();
	evens();
	key_counts();
	sorted_warps();
	least_words();
	return 0;
}
