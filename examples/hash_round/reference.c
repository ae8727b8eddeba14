/* CPU reference of hash_round: SHA-256 as FIPS 180-4 writes it, on bytes.
 * Needs nothing; leaves messages.bin sizes.bin and digests.ref, the first for the message "abc".
 * The constants are computed: fractions of square and cube roots of primes, by integer search.
 * One grid is 4 blocks of 64 lanes. */
#include "../reference.h"

#include <string.h>

enum { N = 200, GRID = 256, LIMIT = 55 };

/* The first 32 bits of the fraction of the square (power 2) or cube root (power 3) of a prime. */
static uint32_t root_fraction(uint64_t prime, unsigned power)
{
	uint64_t root = 0; /* the root times 2^32, floor; below 2^37 */
	for (unsigned bit = 37; bit-- > 0;) {
		__extension__ typedef unsigned __int128 wide;
		uint64_t next = root + ((uint64_t)1 << bit);
		wide square = (wide)next * next; /* below 2^74 */
		wide limit = (wide)prime << 64;
		if (power == 2 ? square <= limit : square <= (limit << 32) / next)
			root = next;
	}
	return (uint32_t)root;
}

static void make_constants(uint32_t start[8], uint32_t round_constant[64])
{
	unsigned found = 0;
	for (unsigned p = 2; found < 64; p++) {
		unsigned divisor = 2;
		while (p % divisor)
			divisor++;
		if (divisor < p)
			continue;
		if (found < 8)
			start[found] = root_fraction(p, 2);
		round_constant[found++] = root_fraction(p, 3);
	}
}

static uint32_t rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void compress(uint32_t h[8], const uint32_t k[64], const uint8_t block[64])
{
	uint32_t w[64], v[8];

	for (unsigned t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (unsigned t = 16; t < 64; t++) {
		uint32_t x = w[t - 2], y = w[t - 15];
		w[t] = (rotr(x, 17) ^ rotr(x, 19) ^ x >> 10) + w[t - 7] +
		       (rotr(y, 7) ^ rotr(y, 18) ^ y >> 3) + w[t - 16];
	}
	memcpy(v, h, sizeof(v));
	for (unsigned t = 0; t < 64; t++) {
		uint32_t a = v[0], b = v[1], c = v[2], e = v[4];
		uint32_t choose = (e & v[5]) ^ (~e & v[6]);
		uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
		uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + choose + k[t] +
			      w[t];
		uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + majority;
		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[0] = t1 + t2;
		v[4] += t1;
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
}

static void hash(uint8_t digest[32], const uint8_t *message, unsigned size)
{
	uint32_t h[8], k[64];
	uint8_t block[64] = { 0 };

	make_constants(h, k);
	memcpy(block, message, size);
	block[size] = 0x80;
	block[62] = (uint8_t)(8 * size / 256);
	block[63] = (uint8_t)(8 * size % 256);
	compress(h, k, block);
	for (unsigned i = 0; i < 32; i++)
		digest[i] = (uint8_t)(h[i / 4] >> (24 - i % 4 * 8));
}

int main(void)
{
	static uint8_t messages[N][64], sizes[N], digests[GRID][32];

	for (unsigned i = 0; i < N; i++) {
		for (unsigned b = 0; b < 64; b++)
			messages[i][b] = (uint8_t)random64(i + 1, b);
		sizes[i] = (uint8_t)(i <= LIMIT ? i : random_below(0, i, LIMIT + 1));
	}
	memcpy(messages[0], "abc", 3);
	sizes[0] = 3;
	for (unsigned i = 0; i < N; i++)
		hash(digests[i], messages[i], sizes[i]);
	write_file("messages.bin", messages, sizeof(messages));
	write_file("sizes.bin", sizes, sizeof(sizes));
	write_file("digests.ref", digests, sizeof(digests));
	return 0;
}
