/* CPU reference of saxpy_mix and poly64: IEEE arithmetic of the host, each operation rounded once.
 * Needs fma and fmaf of the C library, and a compiler told not to contract (-ffp-contract=off).
 * Leaves x.bin y.bin y.ref, and v.bin fixed.ref error.ref. One grid is 3 blocks of 192 lanes. */
#include "../reference.h"

#include <math.h>

enum { N = 500, GRID = 576 };

static int16_t mixed(int16_t x, int16_t y)
{
	double sum = nearbyint((double)(fmaf(0.71f, (float)x, (float)y) - 0.5f));
	return (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
}

static void mix(void)
{
	static int16_t x[N][2], y[N][2];

	for (unsigned i = 0; i < 2 * N; i++) {
		x[i / 2][i % 2] = (int16_t)(random64(1, i) & 0xffff);
		y[i / 2][i % 2] = (int16_t)(random64(2, i) & 0xffff);
	}
	write_file("x.bin", x, sizeof(x));
	write_file("y.bin", y, sizeof(y));
	for (unsigned i = 0; i < 2 * N; i++)
		y[i / 2][i % 2] = mixed(x[i / 2][i % 2], y[i / 2][i % 2]);
	write_file("y.ref", y, sizeof(y));
}

/* v from -8 to 8, some of them small integers. */
static void polynomial(void)
{
	static double v[N];
	static int64_t fixed[GRID];
	static float error[GRID];

	for (unsigned i = 0; i < N; i++) {
		v[i] = ldexp((double)(random64(3, i) >> 11), -49) - 8;
		if (i % 8 == 0)
			v[i] = nearbyint(v[i]);
		double p = fma(fma(fma(0.333, v[i], -1.5), v[i], 2.25), v[i], -0.1);
		fixed[i] = (int64_t)floor(p * 4294967296.0);
		error[i] = (float)(p - (double)(float)p);
	}
	write_file("v.bin", v, sizeof(v));
	write_file("fixed.ref", fixed, sizeof(fixed));
	write_file("error.ref", error, sizeof(error));
}

int main(void)
{
	mix();
	polynomial();
	return 0;
}
