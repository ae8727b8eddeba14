/* CPU reference of bit_set_clear and bit_set_clear64: words as arrays of bits.
 * Needs nothing; leaves words.bin list.bin words.ref, and boards.bin list64.bin boards.ref.
 * Positions go up to a quarter past the word's top. One grid is 3 blocks of 128 lanes. */
#include "../reference.h"

enum { N = 333, EDITS = 12 };

static uint16_t random_edit(uint64_t seed, unsigned counter, unsigned width)
{
	uint32_t pos = random_below(seed, counter, width + width / 4);
	return (uint16_t)(pos + 256 * random_below(seed + 1, counter, 2));
}

static uint64_t edited(uint64_t word, unsigned width, const uint16_t *edits)
{
	unsigned char bit[256];
	uint64_t result = 0;

	for (unsigned k = 0; k < 256; k++)
		bit[k] = k < width ? (unsigned char)bit_of(word, k) : 0;
	for (unsigned k = 0; k < EDITS; k++)
		bit[edits[k] % 256] = (unsigned char)(edits[k] / 256);
	for (unsigned k = width; k-- > 0;)
		result = 2 * result + bit[k];
	return result;
}

static void words(void)
{
	static uint32_t before[N], after[N];
	static uint16_t list[N][EDITS];

	for (unsigned i = 0; i < N; i++) {
		before[i] = (uint32_t)random64(1, i);
		for (unsigned k = 0; k < EDITS; k++)
			list[i][k] = random_edit(2, i * EDITS + k, 32);
		after[i] = (uint32_t)edited(before[i], 32, list[i]);
	}
	write_file("words.bin", before, sizeof(before));
	write_file("list.bin", list, sizeof(list));
	write_file("words.ref", after, sizeof(after));
}

static void boards(void)
{
	static uint64_t before[N], after[N];
	static uint16_t list[EDITS][N];

	for (unsigned i = 0; i < N; i++) {
		uint16_t edits[EDITS];
		before[i] = random64(4, i);
		for (unsigned k = 0; k < EDITS; k++)
			list[k][i] = edits[k] = random_edit(5, i * EDITS + k, 64);
		after[i] = edited(before[i], 64, edits);
	}
	write_file("boards.bin", before, sizeof(before));
	write_file("list64.bin", list, sizeof(list));
	write_file("boards.ref", after, sizeof(after));
}

int main(void)
{
	words();
	boards();
	return 0;
}
