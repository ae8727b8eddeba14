/* CPU reference of morton2 and morton3: digits of base 2, taken from the coordinates in turn.
 * Needs nothing; leaves x.bin y.bin code.ref, and x3.bin y3.bin z3.bin leaf.bin key.ref.
 * One grid is 6 blocks of 96 lanes. */
#include "../reference.h"

enum { N = 500, GRID = 576 };

/* The code of `dimensions` coordinates of `bits` bits: repeated division by 2, lowest first. */
static uint64_t morton(const uint32_t *coordinate, unsigned dimensions, unsigned bits)
{
	uint64_t code = 0;
	for (unsigned k = bits * dimensions; k-- > 0;)
		code = 2 * code + bit_of(coordinate[k % dimensions], k / dimensions);
	return code;
}

static void plane(void)
{
	static uint16_t x[N], y[N];
	static uint32_t code[GRID];

	for (unsigned i = 0; i < N; i++) {
		x[i] = (uint16_t)random64(1, i);
		y[i] = (uint16_t)random64(2, i);
		code[i] = (uint32_t)morton((uint32_t[]){ x[i], y[i] }, 2, 16);
	}
	write_file("x.bin", x, sizeof(x));
	write_file("y.bin", y, sizeof(y));
	write_file("code.ref", code, sizeof(code));
}

/* The bits above the 21 that count hold rubbish, which must not reach the code. */
static void space(void)
{
	static uint32_t axis[3][N];
	static uint8_t leaf[N];
	static uint64_t key[GRID];

	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < 3; k++)
			axis[k][i] = (uint32_t)random64(3 + k, i);
		leaf[i] = (uint8_t)random64(6, i);
		key[i] = morton((uint32_t[]){ axis[0][i], axis[1][i], axis[2][i] }, 3, 21) * 2 +
			 leaf[i] % 2;
	}
	write_file("x3.bin", axis[0], sizeof(axis[0]));
	write_file("y3.bin", axis[1], sizeof(axis[1]));
	write_file("z3.bin", axis[2], sizeof(axis[2]));
	write_file("leaf.bin", leaf, sizeof(leaf));
	write_file("key.ref", key, sizeof(key));
}

int main(void)
{
	plane();
	space();
	return 0;
}
