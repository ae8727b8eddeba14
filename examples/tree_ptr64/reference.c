/* CPU reference of tree_ptr64: the tree from the root down, split where a bit first differs.
 * Needs nothing; leaves keys.bin and nodes.ref.
 * Numbers of inner nodes as in Karras 2012: the left child is named by the split, the right by the
 * key after it. One grid is 5 blocks of 96 lanes. */
#include "../reference.h"

enum { N = 450, GRID = 480 };

#define LEAF 0x80000000u

static uint32_t keys[N];
static uint64_t nodes[GRID];

/* The key with its index below it: no two are equal. */
static uint64_t long_key(unsigned i)
{
	return ((uint64_t)keys[i] << 32) + i;
}

/* The last key of first..last whose highest differing bit is still 0. */
static unsigned split_of(unsigned first, unsigned last)
{
	uint64_t bit = (uint64_t)1 << 63;
	while (!((long_key(first) ^ long_key(last)) & bit))
		bit >>= 1;
	unsigned split = first;
	while (!(long_key(split + 1) & bit))
		split++;
	return split;
}

static void build(unsigned node, unsigned first, unsigned last)
{
	unsigned split = split_of(first, last);
	uint64_t left = split == first ? LEAF + split : split;
	uint64_t right = split + 1 == last ? LEAF + split + 1 : split + 1;

	nodes[node] = right * 0x100000000u + left;
	if (split > first)
		build(split, first, split);
	if (split + 1 < last)
		build(split + 1, split + 1, last);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	for (unsigned i = 0; i < N; i++)
		keys[i] = i % 5 ? (uint32_t)random64(1, i) : random_below(2, i, 12) << 8;
	qsort(keys, N, sizeof(keys[0]), by_value);
	build(0, 0, N - 1);
	write_file("keys.bin", keys, sizeof(keys));
	write_file("nodes.ref", nodes, sizeof(nodes));
	return 0;
}
