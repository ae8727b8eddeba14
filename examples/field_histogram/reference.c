/* CPU reference of field_histogram: count, for the words that each block visits.
 * Needs nothing; leaves words.bin and histogram.ref.
 * 4 blocks of 128 threads walk over the words with a stride of the whole grid. */
#include "../reference.h"

enum { N = 20001, BLOCKS = 4, THREADS = 128, POS = 13 };

int main(void)
{
	static uint32_t words[N], histogram[BLOCKS][16];

	for (unsigned i = 0; i < N; i++) {
		uint64_t r = random64(1, i);
		words[i] = (uint32_t)(r & r >> 32); /* not all values equally often */
		histogram[i / THREADS % BLOCKS][words[i] / (1u << POS) % 16]++;
	}
	write_file("words.bin", words, sizeof(words));
	write_file("histogram.ref", histogram, sizeof(histogram));
	return 0;
}
