/* CPU reference of rgba_pack: a pixel is its four bytes in memory order.
 * Needs nothing; leaves red.bin green.bin blue.bin alpha.bin and pixels.ref.
 * One grid is 4 blocks of 256 lanes; only N of them have a pixel. */
#include "../reference.h"

enum { N = 1000, GRID = 1024 };

int main(void)
{
	static const char *const name[4] = { "red.bin", "green.bin", "blue.bin", "alpha.bin" };
	static uint8_t plane[N], pixels[GRID][4];

	for (unsigned channel = 0; channel < 4; channel++) {
		for (unsigned i = 0; i < N; i++)
			pixels[i][channel] = plane[i] = (uint8_t)random64(channel, i);
		write_file(name[channel], plane, sizeof(plane));
	}
	write_file("pixels.ref", pixels, sizeof(pixels));
	return 0;
}
