/* What the CPU references share: numbers that look random but are always the same, and files.
 * Needs a little-endian host, as the devices are; leaves files in the current directory.
 * The references follow definitions, never a kernel's way of computing. */
#ifndef EXAMPLES_REFERENCE_H
#define EXAMPLES_REFERENCE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* 64 bits that depend on seed and counter only (the finalizer of MurmurHash3, twice salted). */
static inline uint64_t random64(uint64_t seed, uint64_t counter)
{
	uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
	z = (z ^ (z >> 33)) * 0xff51afd7ed558ccdu;
	z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53u;
	return z ^ (z >> 33);
}

/* A number below limit; limit 1 to 2^32. */
static inline uint32_t random_below(uint64_t seed, uint64_t counter, uint64_t limit)
{
	return (uint32_t)((random64(seed, counter) >> 32) * limit >> 32);
}

/* Bit i of a word, i below 64. */
static inline uint32_t bit_of(uint64_t word, uint32_t i)
{
	return (uint32_t)(word >> i & 1);
}

/* word with bits pos .. pos+len-1 replaced by the low bits of field; past `width` all is lost. */
static inline uint64_t with_field(uint64_t word, uint64_t field, uint32_t pos, uint32_t len,
				  uint32_t width)
{
	for (uint32_t i = 0; i < len && pos + i < width; i++) {
		uint64_t one = (uint64_t)1 << (pos + i);
		word = i < 64 && bit_of(field, i) ? word | one : word & ~one;
	}
	return word;
}

static inline void write_file(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(name);
		exit(1);
	}
}

#endif
