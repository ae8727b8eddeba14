/* CPU reference of float_scale and double_scale: numbers taken apart by frexp, or by their parts.
 * Needs nothing; leaves mantissa.bin exponent.bin scaled.ref and mantissa64.bin exponent64.bin
 * scaled64.ref. One grid is 4 blocks of 96 lanes. */
#include "../reference.h"

#include <math.h>
#include <string.h>

enum { N = 350, GRID = 384 };

/* The value of fraction and sign of m with the exponent of e; both are normal numbers. */
static float rescaled(float m, float e)
{
	int mantissa_exponent, exponent;
	frexpf(e, &exponent);
	return ldexpf(frexpf(m, &mantissa_exponent), exponent);
}

/* Any bits, but an exponent field of 1 to 254. */
static float random_normal(uint64_t seed, unsigned i)
{
	uint32_t bits = (uint32_t)random64(seed, i) & 0x807fffff;
	float f;
	bits += (1 + random_below(seed + 10, i, 254)) << 23;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void floats(void)
{
	static float mantissa[N], exponent[N], scaled[GRID];

	for (unsigned i = 0; i < N; i++) {
		mantissa[i] = random_normal(1, i);
		exponent[i] = random_normal(2, i);
		scaled[i] = rescaled(mantissa[i], exponent[i]);
	}
	write_file("mantissa.bin", mantissa, sizeof(mantissa));
	write_file("exponent.bin", exponent, sizeof(exponent));
	write_file("scaled.ref", scaled, sizeof(scaled));
}

/* Any bits at all. The top 16 bits of the owner's fraction (51..36) go to bits 39..24. */
static void doubles(void)
{
	static uint64_t mantissa[N], exponent[N], scaled[GRID];

	for (unsigned i = 0; i < N; i++) {
		uint64_t m = mantissa[i] = random64(3, i), e = exponent[i] = random64(4, i);
		m = with_field(m, e >> 52, 52, 11, 64);
		scaled[i] = with_field(m, e >> 36, 24, 16, 64);
	}
	write_file("mantissa64.bin", mantissa, sizeof(mantissa));
	write_file("exponent64.bin", exponent, sizeof(exponent));
	write_file("scaled64.ref", scaled, sizeof(scaled));
}

int main(void)
{
	floats();
	doubles();
	return 0;
}
