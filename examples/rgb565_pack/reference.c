/* CPU reference of rgb565_pack: each colour loses its low bits and takes its place by arithmetic.
 * Needs nothing; leaves picture.bin (the by-value struct), rgb.bin and packed.ref.
 * The grid covers 64 x 40 pixels; both pitches are wider than the picture. */
#include "../reference.h"

enum { WIDTH = 61, HEIGHT = 37, PITCH_IN = 67, PITCH_OUT = 72 };

int main(void)
{
	static const uint32_t picture[4] = { WIDTH, HEIGHT, PITCH_IN, PITCH_OUT };
	static uint8_t rgb[HEIGHT][PITCH_IN][4];
	static uint16_t packed[40][PITCH_OUT];

	for (unsigned y = 0; y < HEIGHT; y++) {
		for (unsigned x = 0; x < WIDTH; x++) {
			uint8_t *pixel = rgb[y][x];
			for (unsigned k = 0; k < 4; k++)
				pixel[k] = (uint8_t)random64(k, y * WIDTH + x);
			packed[y][x] = (uint16_t)(pixel[0] / 8 * 2048 + pixel[1] / 4 * 32 +
						  pixel[2] / 8);
		}
	}
	write_file("picture.bin", picture, sizeof(picture));
	write_file("rgb.bin", rgb, sizeof(rgb));
	write_file("packed.ref", packed, sizeof(packed));
	return 0;
}
