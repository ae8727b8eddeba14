/* CPU reference of half_pair: the nearest half float, found by scaling and rounding to an integer.
 * Needs the C library's nearbyint in its default mode; leaves pairs.bin and packed.ref.
 * One grid is 5 blocks of 128 lanes. */
#include "../reference.h"

#include <math.h>
#include <string.h>

enum { N = 600, GRID = 640 };

/* IEEE 754: 1 sign bit, 5 of exponent (bias 15), 10 of fraction; steps of 2^-24 at the bottom. */
static uint16_t half_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof(f));
	uint16_t sign = (uint16_t)(signbit(f) ? 0x8000 : 0);
	double x = fabs((double)f);
	if (isnan(x))
		return (uint16_t)(sign + 0x7e00);
	if (x >= 65520.0)
		return (uint16_t)(sign + 0x7c00);
	int exponent = x >= ldexp(1, -14) ? ilogb(x) : -14;
	int steps = (int)nearbyint(ldexp(x, 10 - exponent)); /* 1024 when the number is normal */
	return (uint16_t)(sign + (exponent + 14) * 1024 + steps);
}

/* First whatever rounds in its own way, then anything and anything in the range of a half. */
static uint32_t random_float(unsigned i)
{
	static const uint32_t edge[] = {
		0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001,
		0x477fe000, 0x477fefff, 0x477ff000, 0xc77ff001, 0x38800000, 0x387fffff, 0x387fe000,
		0x387ff000, 0x33000000, 0x33000001, 0x32ffffff, 0x33800000, 0x33c00000, 0x34200000,
		0x00000001, 0x007fffff, 0x3f800000, 0x3f801000, 0x3f803000, 0x3f801001, 0xbf800fff,
	};
	uint32_t bits = (uint32_t)random64(1, i);
	if (i < sizeof(edge) / sizeof(edge[0]))
		return edge[i];
	if (i % 3 == 0)
		return bits;
	bits = (bits & 0x807fffff) + ((100 + bits / 256 % 45) << 23);
	return i % 3 == 1 ? bits : bits & ~0xfffu; /* often a tie */
}

int main(void)
{
	static uint32_t pairs[N][2];
	static uint16_t packed[GRID][2];

	for (unsigned i = 0; i < 2 * N; i++) {
		pairs[i / 2][i % 2] = random_float(i);
		packed[i / 2][i % 2] = half_of(pairs[i / 2][i % 2]);
	}
	write_file("pairs.bin", pairs, sizeof(pairs));
	write_file("packed.ref", packed, sizeof(packed));
	return 0;
}
