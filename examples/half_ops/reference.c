/* CPU reference of the half_ops kernels. All numbers are small multiples of a power of two, so that double holds every
 * sum and product, and the only rounding is the last one, written out here.
 * Needs nothing; leaves x.bin y.bin floats.bin and saxpy.ref half_sums.ref bf16.ref. One grid is 4 blocks of 128 lanes. */
#include "../reference.h"

#include <math.h>
#include <string.h>

enum { N = 437, GRID = 512, BLOCK = 128 };

/* The nearest half of a number that is neither infinite nor NaN nor above 65504. */
static uint16_t half_of(double v)
{
	double m = fabs(v), step = 0x1p-24, r;
	int e = 0;

	while (m / step >= 2048)
		step *= 2, e++;
	r = nearbyint(m / step);
	return (uint16_t)((v < 0 ? 0x8000 : 0) + (e ? (e << 10) + (int)r : (int)r));
}

static double value_of(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 0x3ff;
	double v = e ? ldexp(m | 0x400, e - 25) : ldexp(m, -24);

	return h & 0x8000 ? -v : v;
}

/* n halves of up to ten bits with exponents that differ a little */
static void halves(uint16_t *h, unsigned seed, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		h[i] = half_of(ldexp((double)random_below(seed, i, 2047) - 1023, -(int)random_below(seed + 9, i, 8)));
}

static void saxpy(const uint16_t *x, const uint16_t *y)
{
	uint16_t r[2 * GRID] = { 0 };

	for (unsigned i = 0; i < 2 * N; i++)
		r[i] = half_of(1.375 * value_of(x[i]) + value_of(y[i]));        /* 0x3d80 */
	memcpy(r + 2 * N, y + 2 * N, sizeof(r) - 4 * N);
	write_file("saxpy.ref", r, sizeof(r));
}

/* As the kernel goes: a tree over 32 pairs, rounded at every step; halves of them, warps in order. */
static void sums(const uint16_t *x)
{
	float sum[GRID / BLOCK] = { 0 };

	for (unsigned w = 0; w < GRID / 32; w++) {
		uint16_t v[2][64] = { { 0 } };

		for (unsigned k = 0; k < 64; k++) {
			unsigned i = w * 32 + k / 2;
			double a = i < N ? value_of(x[w * 64 + k]) : 0;

			v[k & 1][k / 2] = half_of(a > 0 ? a : 0);
		}
		for (unsigned off = 16; off; off >>= 1)
			for (unsigned k = 0; k < off; k++)
				for (unsigned h = 0; h < 2; h++)
					v[h][k] = half_of(value_of(v[h][k]) + value_of(v[h][k + off]));
		sum[w / 4] += (float)value_of(v[0][0]) + (float)value_of(v[1][0]);
	}
	write_file("half_sums.ref", sum, sizeof(sum));
}

static void bf16(void)
{
	uint16_t r[GRID] = { 0 };
	float x[GRID];

	for (unsigned i = 0; i < GRID; i++)
		x[i] = (float)ldexp((double)random_below(3, i, 1u << 24) - (1 << 23), (int)random_below(4, i, 40) - 60);
	for (unsigned i = 0; i < N; i++) {
		double v = x[i] < 0.5f ? x[i] : 0.5, step = 0x1p-100, m = fabs(v);
		float f;
		uint32_t bits;

		while (m / step >= 256)
			step *= 2;
		f = (float)copysign(nearbyint(m / step) * step, v);
		memcpy(&bits, &f, 4);
		r[i] = (uint16_t)(bits >> 16);
	}
	write_file("floats.bin", x, sizeof(x));
	write_file("bf16.ref", r, sizeof(r));
}

int main(void)
{
	uint16_t x[2 * GRID], y[2 * GRID];

	halves(x, 1, 2 * GRID);
	halves(y, 2, 2 * GRID);
	write_file("x.bin", x, sizeof(x));
	write_file("y.bin", y, sizeof(y));
	saxpy(x, y);
	sums(x);
	bf16();
	return 0;
}
