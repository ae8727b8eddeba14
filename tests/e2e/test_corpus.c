/* test_corpus.c -- the kernels of tests/corpus/cuda, from the PTX that nvcc makes of them, against plain C of the same
 * task: integers and stepwise rounded floats exactly, what goes through approximations or sums in another order nearly.
 * NAMES in the arguments: only kernels whose name holds one of them. CHIP: that chip alone. */
#include "forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
	const char *file, *kernel;
	uint32_t grid[2], block[2], shared;
	size_t in, out;                         /* bytes */
	void (*make)(void *in);                 /* NULL: random words */
	void (*expect)(const void *in, void *out);      /* out is zero before */
	const void *extra;
	size_t extra_size;
	char kind;                              /* of out: b bytes, f, d; h f16, H bf16: nearly equal */
	double error;                           /* relative to the larger of 1 and the number */
} work;

static uint64_t seed;

static uint32_t
any(void)
{
	return (uint32_t)(form_random(&seed) >> 20);
}

static int32_t
below(uint32_t n)
{
	return (int32_t)(any() % n);
}

static float
unit(void)
{
	return (float)((int32_t)(any() & 0xffffff) - 0x800000) / 0x800000;
}

/* ---- stencils, strings ---- */

enum { NX = 70, NY = 21, NZ = 20 };

static void
make_floats(void *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((float *)in)[i] = unit() * 100;
}

static void make_plane(void *in) { make_floats(in, NX * NY); }
static void make_space(void *in) { make_floats(in, NZ * NZ * NZ); }

static int
clip(int x, int n)
{
	return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static void
expect_plane(const void *in, void *out)
{
	const float *a = in;

	for (int y = 0; y < NY; y++)
		for (int x = 0; x < NX; x++) {
			float l = a[y * NX + clip(x - 1, NX)], r = a[y * NX + clip(x + 1, NX)];
			float u = a[clip(y - 1, NY) * NX + x], d = a[clip(y + 1, NY) * NX + x], s = l + r;

			s = s + u;
			s = s + d;
			s = 0.125f * s;
			((float *)out)[y * NX + x] = 0.5f * a[y * NX + x] + s;
		}
}

static void
expect_space(const void *in, void *out)
{
	enum { N = NZ, NN = NZ * NZ };

	for (int z = 1; z < N - 1; z++)
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++) {
				const float *p = (const float *)in + z * NN + y * N + x;
				float s = p[-1] + p[1];

				s = s + p[-N];
				s = s + p[N];
				s = s + p[-NN];
				s = s + p[NN];
				((float *)out)[z * NN + y * N + x] = p[0] * -6.0f + s;
			}
}

enum { TEXT = 1500 };
static const char pattern[] = "tree";

static void
make_text(void *in)
{
	static const char *const piece[] = { "a ", "tree", "of ", "ing", "treee", "tre", "x", "thing of a " };
	char *p = in;
	int n = 0;

	while (n < TEXT) {
		const char *s = piece[below(8)];

		for (; *s && n < TEXT; n++)
			p[n] = *s++;
	}
	memcpy(p + TEXT, pattern, sizeof pattern);
}

static int
ascending(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* The places come in any order: sorted before the comparison. */
static void
expect_find(const void *in, void *out)
{
	const char *s = in;
	int *o = out;

	for (int i = 0; i + 4 <= TEXT; i++)
		if (!memcmp(s + i, pattern, 4))
			o[1 + o[0]++] = i;
}

static void
expect_words(const void *in, void *out)
{
	static const char *const word[] = { "a", "of", "tree", "ing" };

	for (int i = 0; i < TEXT; i++)
		for (int k = 0; k < 4; k++)
			((unsigned *)out)[k] += !strncmp((const char *)in + i, word[k], strlen(word[k]));
}

/* ---- sorting and scanning ---- */

static int
by_word(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
expect_sorted(const void *in, void *out)
{
	memcpy(out, in, 1024 * 4);
	qsort(out, 1024, 4, by_word);
}

enum { ROWS = 37, COLUMNS = 50, ENTRIES = 900 };

/* Small whole numbers: their sums are exact in any order. */
static void
make_sparse(void *in)
{
	int *start = in, *column = start + ROWS + 1;
	float *value = (float *)(column + ENTRIES), *x = value + ENTRIES;

	for (int r = 0; r <= ROWS; r++)
		start[r] = r * ENTRIES / ROWS;
	for (int k = 0; k < ENTRIES; k++) {
		column[k] = below(COLUMNS);
		value[k] = (float)(below(41) - 20);
	}
	for (int k = 0; k < COLUMNS; k++)
		x[k] = (float)(below(201) - 100) / 4;
}

static void
expect_spmv(const void *in, void *out)
{
	const int *start = in, *column = start + ROWS + 1;
	const float *value = (const float *)(column + ENTRIES), *x = value + ENTRIES;

	for (int r = 0; r < ROWS; r++)
		for (int k = start[r]; k < start[r + 1]; k++)
			((float *)out)[r] += value[k] * x[column[k]];
}

enum { SCAN = 950, SCAN_BLOCK = 480 };

static void
expect_scan(const void *in, void *out)
{
	const uint64_t *a = in;
	uint64_t *o = out;

	for (int i = 0; i < SCAN; i++)
		o[i] = a[i] + (i % SCAN_BLOCK ? o[i - 1] : 0);
}

enum { KEEP = 700 };

static void
make_sparse_words(void *in)
{
	for (int i = 0; i < KEEP; i++)
		((int *)in)[i] = below(3) ? 0 : below(1000) + 1;
}

static void
expect_kept(const void *in, void *out)
{
	const int *a = in;
	int *o = out;

	for (int i = 0; i < KEEP; i++)
		if (a[i])
			o[1 + o[0]++] = a[i];
}

enum { NA = 300, NB = 451, EACH = 7 };

static int
by_long(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void
make_lists(void *in)
{
	int64_t *a = in;

	for (int i = 0; i < NA + NB; i++)
		a[i] = (int64_t)(int32_t)any() * (i & 1 ? 1 : 3000000000);
	qsort(a, NA, 8, by_long);
	qsort(a + NA, NB, 8, by_long);
}

static void
expect_merged(const void *in, void *out)
{
	memcpy(out, in, (NA + NB) * 8);
	qsort(out, NA + NB, 8, by_long);
}

enum { VERTICES = 333, EDGES = 3 * VERTICES };

static void
make_graph(void *in)
{
	int *start = in, *edge = start + VERTICES + 1;

	for (int v = 0; v <= VERTICES; v++)
		start[v] = 3 * v;
	for (int k = 0; k < EDGES; k++)
		edge[k] = k % 3 ? below(VERTICES) : (k / 3 + 1 < VERTICES - 9 ? k / 3 + 1 : k / 3);
}

static void
expect_levels(const void *in, void *out)
{
	const int *start = in, *edge = start + VERTICES + 1;
	int *level = out, queue[VERTICES], n = 1;

	queue[0] = 0;
	level[0] = 1;
	for (int i = 0; i < n; i++)
		for (int k = start[queue[i]]; k < start[queue[i] + 1]; k++)
			if (!level[edge[k]]) {
				level[edge[k]] = level[queue[i]] + 1;
				queue[n++] = edge[k];
			}
}

/* ---- halves ---- */

static float
half_to_float(uint16_t h)
{
	int e = h >> 10 & 31;
	float m = (float)(h & 1023);

	m = e == 0 ? ldexpf(m, -24) : e == 31 ? (m != 0 ? NAN : INFINITY) : ldexpf(m + 1024, e - 25);
	return h & 0x8000 ? -m : m;
}

/* To the nearest; ties to even; no subnormals asked for */
static uint16_t
float_to_half(float f)
{
	uint16_t best = 0;
	float gap = INFINITY;

	for (uint32_t h = 0; h < 0x7c00; h++) {
		float d = fabsf(half_to_float((uint16_t)h) - fabsf(f));

		if (d < gap || (d == gap && !(h & 1))) {
			gap = d;
			best = (uint16_t)h;
		}
	}
	return (uint16_t)(best | (signbit(f) ? 0x8000 : 0));
}

static float
bf16_to_float(uint16_t h)
{
	uint32_t w = (uint32_t)h << 16;
	float f;

	memcpy(&f, &w, 4);
	return f;
}

enum { HALF_ROWS = 5, HALF_PAIRS = 45, HALVES = 333 };

static void
make_halves(void *in)
{
	for (int i = 0; i < 2 * HALF_ROWS * HALF_PAIRS; i++)
		((uint16_t *)in)[i] = (uint16_t)((any() & 0x83ff) | (uint32_t)(12 + below(5)) << 10);
}

static void
expect_softmax(const void *in, void *out)
{
	for (int r = 0; r < HALF_ROWS; r++) {
		const uint16_t *x = (const uint16_t *)in + r * 2 * HALF_PAIRS;
		double most = -1e9, sum = 0;

		for (int k = 0; k < 2 * HALF_PAIRS; k++)
			most = fmax(most, half_to_float(x[k]));
		for (int k = 0; k < 2 * HALF_PAIRS; k++)
			sum += exp(half_to_float(x[k]) - most);
		for (int k = 0; k < 2 * HALF_PAIRS; k++)
			((uint16_t *)out)[r * 2 * HALF_PAIRS + k] = float_to_half((float)(exp(half_to_float(x[k]) - most) / sum));
	}
}

static void
expect_relu(const void *in, void *out)
{
	for (int i = 0; i < HALVES; i++) {
		float x = half_to_float(((const uint16_t *)in)[i]), y = half_to_float(float_to_half(x + 2));

		((uint16_t *)out)[i] = float_to_half((x > 0 ? x : 0) * y);
	}
}

enum { NORM = 264, NORM_ROWS = 3 };
static const struct { int32_t n; float eps; } norm_shape = { NORM, 1e-5f };

static void
make_norm(void *in)
{
	make_floats(in, NORM * (2 + NORM_ROWS));
}

static void
expect_norm(const void *in, void *out)
{
	const float *scale = in, *shift = scale + NORM;

	for (int r = 0; r < NORM_ROWS; r++) {
		const float *x = shift + NORM + r * NORM;
		double mean = 0, square = 0;

		for (int i = 0; i < NORM; i++)
			mean += x[i] / (double)NORM;
		for (int i = 0; i < NORM; i++)
			square += (x[i] - mean) * (x[i] - mean) / NORM;
		for (int i = 0; i < NORM; i++)
			((float *)out)[r * NORM + i] = (float)((x[i] - mean) / sqrt(square + 1e-5) * scale[i] + shift[i]);
	}
}

enum { AXPY = 200 };

static void
make_bf16(void *in)
{
	for (int i = 0; i < 4 * AXPY; i++)
		((uint16_t *)in)[i] = (uint16_t)((any() & 0x807f) | (uint32_t)(125 + below(5)) << 7);
}

static uint16_t
float_to_bf16(float f)
{
	uint32_t w;

	memcpy(&w, &f, 4);
	return (uint16_t)((w + 0x7fff + (w >> 16 & 1)) >> 16);
}

static void
expect_axpy(const void *in, void *out)
{
	for (int i = 0; i < AXPY; i++) {
		const uint16_t *x = (const uint16_t *)in + i * 4;
		uint16_t *o = (uint16_t *)out + i * 6;
		float low = bf16_to_float(x[0]), high = bf16_to_float(x[1]), y[2] = { bf16_to_float(x[2]), bf16_to_float(x[3]) };

		for (int k = 0; k < 2; k++) {
			float a = k ? high : low, p = bf16_to_float(float_to_bf16(a * y[k]));

			o[k] = float_to_bf16(1.5f * a + y[k]);
			o[2 + k] = float_to_bf16(a < p ? a : p);
		}
		o[4] = float_to_bf16(low / 3.0f);
		o[5] = float_to_bf16(high < y[1] ? y[1] : 1.0f);
	}
}

enum { MV_ROWS = 23, MV = 77 };

static void
make_matrix(void *in)
{
	uint16_t *a = in;

	for (int i = 0; i < MV_ROWS * MV; i++)
		a[i] = float_to_half((float)(below(33) - 16));
	if (MV_ROWS * MV % 2)
		a[MV_ROWS * MV] = 0;
	for (int k = 0; k < MV; k++) {
		float x = (float)(below(65) - 32) / 2;

		memcpy(a + MV_ROWS * MV + 2 * k, &x, 4);
	}
}

static void
expect_matrix(const void *in, void *out)
{
	const uint16_t *a = in;

	for (int r = 0; r < MV_ROWS; r++)
		for (int k = 0; k < MV; k++) {
			float x;

			memcpy(&x, a + MV_ROWS * MV + 2 * k, 4);
			((float *)out)[r] += half_to_float(a[r * MV + k]) * x;
		}
}

/* ---- integers ---- */

enum { RANDOM = 150 };

static void
make_key(void *in)
{
	memset(in, 0, 16);
}

static void
expect_philox(const void *in, void *out)
{
	const uint32_t *key = in;
	uint32_t known[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, *o = out;

	for (uint32_t i = 0; i < RANDOM; i++) {
		uint32_t c[4] = { i, 0, key[2], key[3] }, k[2] = { key[0], key[1] };

		for (int round = 0; round < 10; round++) {
			uint64_t p = (uint64_t)c[0] * 0xd2511f53, q = (uint64_t)c[2] * 0xcd9e8d57;
			uint32_t next[4] = { (uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p };

			memcpy(c, next, 16);
			k[0] += 0x9e3779b9;
			k[1] += 0xbb67ae85;
		}
		memcpy(o + 4 * i, c, 16);
	}
	if (memcmp(o, known, 16))               /* of the generator's authors */
		abort();
}

enum { BIG = 77 };

static void
expect_product(const void *in, void *out)
{
	for (int i = 0; i < BIG; i++) {
		const uint32_t *a = (const uint32_t *)in + 16 * i, *b = a + 8;
		uint32_t *r = (uint32_t *)out + 16 * i;

		for (int j = 0; j < 8; j++) {
			uint64_t carry = 0;

			for (int k = 0; k < 8; k++) {
				carry += (uint64_t)a[k] * b[j] + r[j + k];
				r[j + k] = (uint32_t)carry;
				carry >>= 32;
			}
			r[j + 8] = (uint32_t)carry;
		}
	}
}

__extension__ typedef unsigned __int128 u128;

static void
expect_wide(const void *in, void *out)
{
	const uint64_t *w = in;
	uint64_t *o = out;

	for (int i = 0; i < BIG; i++) {
		u128 a = (u128)w[4 * i] << 64 | w[4 * i + 1], b = (u128)w[4 * i + 2] << 64 | w[4 * i + 3];
		u128 r = a * b + (a >> (w[4 * i] & 127)) - (b << (w[4 * i + 1] & 63)), q = a / (b >> 40 | 1);

		o[4 * i] = (uint64_t)(r >> 64);
		o[4 * i + 1] = (uint64_t)r;
		o[4 * i + 2] = (uint64_t)(q >> 64);
		o[4 * i + 3] = (uint64_t)q;
	}
}

enum { DOT = 70, DOT_WORDS = 9, DOT_ROWS = 2 };

static int
byte_of(uint32_t x, int i, int is_signed)
{
	int b = (int)(x >> (8 * i) & 255);

	return is_signed && b > 127 ? b - 256 : b;
}

static int
half_of(uint32_t x, int i, int is_signed)
{
	int h = (int)(x >> (16 * i) & 65535);

	return is_signed && h > 32767 ? h - 65536 : h;
}

static void
expect_dot(const void *in, void *out)
{
	const uint32_t *w = in;

	for (int j = 0; j < DOT_ROWS; j++)
		for (int i = 0; i < DOT; i++) {
			uint32_t *o = (uint32_t *)out + (j * DOT + i) * 2;

			for (int k = 0; k < DOT_WORDS; k++) {
				uint32_t a = w[i * DOT_WORDS + k], b = w[(DOT + j) * DOT_WORDS + k];

				for (int n = 0; n < 4; n++) {
					o[0] += (uint32_t)(byte_of(a, n, 1) * byte_of(b, n, 1));
					o[1] += (uint32_t)(byte_of(a, n, 0) * byte_of(b, n, 0));
				}
				for (int n = 0; n < 2; n++) {
					o[0] += (uint32_t)(half_of(a, n, 1) * byte_of(b, n, 1));
					o[1] += (uint32_t)half_of(a, n, 0) * (uint32_t)byte_of(b, 2 + n, 0);
				}
			}
		}
}

enum { SIMD = 100 };

static int
limit(int x, int low, int high)
{
	return x < low ? low : x > high ? high : x;
}

static void
simd_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t *o)
{
	o[10] = c;
	o[13] = c;
	for (int i = 0; i < 4; i++) {
		int x = byte_of(a, i, 0), y = byte_of(b, i, 0), sx = byte_of(a, i, 1), sy = byte_of(b, i, 1), at = 8 * i;

		o[0] |= (uint32_t)((x + y) & 255) << at;
		o[2] |= (uint32_t)(abs(sx - sy) & 255) << at;
		o[3] |= (uint32_t)((x + y + 1) / 2) << at;
		o[5] |= (uint32_t)(x < y ? x : y) << at;
		o[6] |= (uint32_t)(sx > sy ? 255 : 0) << at;
		o[7] += (uint32_t)abs(x - y);
		o[9] |= (uint32_t)(x > y ? x - y : 0) << at;
		o[10] += (uint32_t)abs(x - y);
		o[13] += x < y;
		o[15] += (uint32_t)((x + y) / 2) << at;
	}
}

static void
simd_halves(uint32_t a, uint32_t b, uint32_t *o)
{
	uint32_t gap = 0;

	for (int i = 0; i < 2; i++) {
		int sx = half_of(a, i, 1), sy = half_of(b, i, 1), turned = half_of(a, 1 - i, 1), at = 16 * i;

		o[1] |= (uint32_t)((sx - sy) & 65535) << at;
		o[4] |= (uint32_t)((sx > sy ? sx : sy) & 65535) << at;
		o[8] |= (uint32_t)(limit(sx + sy, -32768, 32767) & 65535) << at;
		o[14] |= (uint32_t)((turned > sy ? turned : sy) & 65535) << at;
		gap |= (uint32_t)abs(half_of(a, i, 0) - half_of(b, i, 0)) << at;
	}
	o[15] += gap;
}

static void
expect_simd(const void *in, void *out)
{
	for (int i = 0; i < SIMD; i++) {
		const uint32_t *w = (const uint32_t *)in + 3 * i;
		uint32_t *o = (uint32_t *)out + 16 * i;

		simd_bytes(w[0], w[1], w[2], o);
		simd_halves(w[0], w[1], o);
		o[11] = (uint32_t)limit(byte_of(w[0], 2, 0) + half_of(w[1], 1, 1), 0, INT32_MAX);
		o[12] = (uint32_t)(((int64_t)half_of(w[0], 0, 1) * byte_of(w[1], 3, 1) + (int32_t)w[2]) >> 7);
	}
}

enum { INTEGERS = 120 };

static void
make_integers(void *in)
{
	for (int i = 0; i < 2 * INTEGERS; i++)
		((uint64_t *)in)[i] = ((uint64_t)any() << 32 | any()) >> (below(4) ? 0 : below(50));
}

static int64_t
integer_switch(int64_t a, int64_t b, int i)
{
	int h = (int)(b & 65535), c = (int8_t)a, r = 0;

	switch (a & 15) {
	case 0: return 3;
	case 1: return (int32_t)b;
	case 2: return h + c;
	case 3: return r + c;
	case 4: case 5: return i * i;
	case 9: return -i;
	case 11: return (int32_t)(b >> 32);
	default: return 77;
	}
}

static int64_t
permuted(uint32_t a, uint32_t b, uint32_t sel)
{
	uint64_t both = (uint64_t)b << 32 | a;
	uint32_t r = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t s = sel >> (4 * i), byte = (uint32_t)(both >> (8 * (s & 7))) & 255;

		r |= (s & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
	}
	return r;
}

static unsigned
bit_counts(uint64_t a, uint64_t b)
{
	unsigned ones = 0, zeros = 0, first = 0;
	uint32_t turned = 0;

	for (unsigned k = 0; k < 64; k++) {
		ones += (unsigned)(a >> k & 1);
		first = !first && a >> k & 1 ? k + 1 : first;
		if (k < 32)
			turned |= (uint32_t)(a >> k & 1) << (31 - k);
	}
	while (zeros < 64 && !(b >> (63 - zeros) & 1))
		zeros++;
	return ones + zeros * 100 + first * 10000 + turned;
}

static int32_t
low24(int32_t x)
{
	return (int32_t)((uint32_t)x << 8) >> 8;
}

static void
expect_integers(const void *in, void *out)
{
	__extension__ typedef __int128 s128;

	for (int i = 0; i < INTEGERS; i++) {
		int64_t a = ((const int64_t *)in)[2 * i], b = ((const int64_t *)in)[2 * i + 1] | 1, *o = (int64_t *)out + 8 * i;
		uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
		int32_t a32 = (int32_t)a, b32 = (int32_t)b;
		int8_t c = (int8_t)a;
		uint16_t h = (uint16_t)b;
		uint32_t n = (uint32_t)(b >> 40) & 31, gap = a32 < b32 ? (uint32_t)b32 - (uint32_t)a32 : (uint32_t)a32 - (uint32_t)b32;
		int64_t m;

		o[0] = (b == -1 ? (int64_t)-ua : a / b) + (b == -1 ? 0 : a % b);
		o[1] = (int64_t)(ua / (uint32_t)b) + (int32_t)(a32 / (int64_t)b32) + c / ((int8_t)h | 1);
		o[2] = (int64_t)((s128)a * b >> 64) ^ (int64_t)((u128)ua * ub >> 64);
		o[3] = (int64_t)bit_counts(ua, ub);
		o[4] = (int64_t)(uint32_t)(((uint64_t)(uint32_t)b << 32 | (uint32_t)a) << n >> 32) + permuted((uint32_t)a, (uint32_t)b, (uint32_t)(a >> 20) & 0x7777);
		m = (int32_t)((uint32_t)low24(a32) * (uint32_t)low24(b32));
		o[5] = (int64_t)(gap + 7u) + m + (int32_t)(((int64_t)a32 + b32 + 1) >> 1) + (int16_t)h * c;
		o[6] = integer_switch(a, b, i);
		o[7] = (int64_t)((uint64_t)(a >> (b & 63)) + (ub << (a & 31)) + (b > a ? (a < 0 ? -ua : ua) : (uint64_t)(a < b ? a : b)));
	}
}

enum { BOARD_WORDS = 5, BOARD_ROWS = 33 };

static void
expect_life(const void *in, void *out)
{
	enum { W = BOARD_WORDS * 32 };
	const uint32_t *a = in;

	for (int y = 0; y < BOARD_ROWS; y++)
		for (int x = 0; x < W; x++) {
			int n = 0, me = 0;

			for (int dy = -1; dy <= 1; dy++)
				for (int dx = -1; dx <= 1; dx++) {
					int yy = (y + dy + BOARD_ROWS) % BOARD_ROWS, xx = (x + dx + W) % W;
					int cell = a[yy * BOARD_WORDS + xx / 32] >> xx % 32 & 1;

					n += dx || dy ? cell : 0;
					me = dx || dy ? me : cell;
				}
			if (n == 3 || (n == 2 && me))
				((uint32_t *)out)[y * BOARD_WORDS + x / 32] |= 1u << x % 32;
		}
}

enum { AES = 60 };

static int
times(int a, int b)
{
	int r = 0;

	for (; b; b >>= 1, a = a << 1 ^ (a & 128 ? 0x11b : 0))
		r ^= b & 1 ? a : 0;
	return r;
}

/* FIPS-197, 5.1.1: the inverse in GF(256), then an affine map */
static int
substitute(int x)
{
	int inverse = 0, r = 0x63;

	for (int y = 1; y < 256; y++)
		if (times(x, y) == 1)
			inverse = y;
	for (int k = 0; k < 5; k++)
		r ^= (inverse << k | inverse >> (8 - k)) & 255;
	return r;
}

static void
make_aes(void *in)
{
	/* FIPS-197, appendix B: the state at the start of round 1, its key */
	static const uint8_t state[16] = { 0x19, 0x3d, 0xe3, 0xbe, 0xa0, 0xf4, 0xe2, 0x2b, 0x9a, 0xc6, 0x8d, 0x2a, 0xe9, 0xf8, 0x48, 0x08 };
	static const uint8_t key[16] = { 0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1, 0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05 };
	uint8_t *p = in;

	for (int i = 0; i < AES * 16; i++)
		p[i] = i < 16 ? state[i] : (uint8_t)any();
	memcpy(p + AES * 16, key, 16);
	for (int i = 0; i < 256; i++)
		p[AES * 16 + 16 + i] = (uint8_t)substitute(i);
}

static void
expect_aes(const void *in, void *out)
{
	static const uint8_t known[16] = { 0xa4, 0x9c, 0x7f, 0xf2, 0x68, 0x9f, 0x35, 0x2b, 0x6b, 0x5b, 0xea, 0x43, 0x02, 0x6a, 0x50, 0x49 };
	const uint8_t *key = (const uint8_t *)in + AES * 16, *box = key + 16;

	for (int i = 0; i < AES; i++) {
		const uint8_t *s = (const uint8_t *)in + 16 * i;
		uint8_t *o = (uint8_t *)out + 16 * i;

		for (int c = 0; c < 4; c++)
			for (int r = 0; r < 4; r++) {
				int t[4];

				for (int k = 0; k < 4; k++)
					t[k] = box[s[4 * ((c + (r + k) % 4) % 4) + (r + k) % 4]];
				o[4 * c + r] = (uint8_t)(times(t[0], 2) ^ times(t[1], 3) ^ t[2] ^ t[3] ^ key[4 * c + r]);
			}
	}
	if (memcmp(out, known, 16))
		abort();
}

/* ---- warps, shared memory, atomics ---- */

enum { GROUPS = 300, GROUP_GRID = 384, GROUP_BLOCK = 96 };

static void
make_groups(void *in)
{
	for (int i = 0; i < GROUPS; i++)
		((int *)in)[i] = below(1000) - 500;
}

static int
group_value(const int *in, int i)
{
	return i < GROUPS ? in[i] : 0;
}

static void
expect_groups(const void *in, void *out)
{
	for (int i = 0; i < GROUP_GRID; i++) {
		int *o = (int *)out + 5 * i, tile = i / 8 * 8, warp = i / 32 * 32, block = i / GROUP_BLOCK * GROUP_BLOCK, rank = 0, size = 0;
		unsigned ballot = 0;

		o[2] = INT32_MIN;
		for (int k = 0; k < 8; k++) {
			int v = group_value(in, tile + k);

			o[0] += v;
			ballot |= (unsigned)(v & 1) << k;
			if (k <= i % 8 && v > o[2])
				o[2] = v;
		}
		o[1] = group_value(in, tile + (i % 8 ^ 5)) + (int)ballot + i % GROUP_BLOCK / 8;
		for (int k = 0; k < 32; k++)
			if (group_value(in, warp + k) % 3 == 0) {
				rank += warp + k < i;
				size++;
			}
		o[3] = group_value(in, i) % 3 ? 0 : rank * 100 + size;
		for (int k = 0; k < GROUP_BLOCK; k++)
			o[4] += group_value(in, block + k) % 3 == 0;
	}
}

enum { CLUSTER = 500, CLUSTER_BLOCK = 256 };

static void
expect_cluster(const void *in, void *out)
{
	for (int i = 0; i < 2 * CLUSTER_BLOCK; i++) {
		int at = i / CLUSTER_BLOCK * CLUSTER_BLOCK + (i + 1) % CLUSTER_BLOCK;

		((uint32_t *)out)[i] = (at < CLUSTER ? ((const uint32_t *)in)[at] : 0) + 1000;
	}
}

enum { SETS = 250, SET_GRID = 256 };

static void
expect_sets(const void *in, void *out)
{
	const uint32_t *a = in;
	uint32_t *all = (uint32_t *)out;

	for (int i = 0; i < SET_GRID; i++) {
		uint32_t *o = all + 6 * i, v = i < SETS ? a[i] : 0, sum = 0, max = 0, xor = 0, min = ~0u, same = 0, signs = 0;
		int second = -1, found = 0;

		for (int k = 0; k < 32; k++) {
			uint32_t w = i / 32 * 32 + k < SETS ? a[i / 32 * 32 + k] : 0;

			sum += w;
			max = w > max ? w : max;
			xor ^= w;
			signs += w >> 31;
			if (w % 6 == v % 6) {
				same |= 1u << k;
				min = w < min ? w : min;
				if (++found == 2)
					second = k;
			}
		}
		o[0] = same;
		o[1] = signs == 0 || signs == 32 ? ~0u + 1u : 0;
		o[2] = sum ^ max ^ xor;
		o[3] = min;
		o[4] = (uint32_t)second + ~0u;
		o[5] = v;
	}
	for (int i = 0; i < SETS; i++)
		all[6 * SET_GRID] += a[i];
}

enum { ATOMICS = 600 };

static double
most_of(double a, double b)
{
	return a > b ? a : b;
}

static void
expect_atomics(const void *in, void *out)
{
	const uint64_t *a = in;
	uint64_t *o = out;
	int64_t low = 0;
	double most = 0, sum = 0;

	for (int i = 0; i < ATOMICS; i++) {
		o[0] += a[i];
		o[1] = a[i] > o[1] ? a[i] : o[1];
		o[2] |= (uint64_t)1 << (a[i] & 63);
		low = (int64_t)a[i] < low ? (int64_t)a[i] : low;
		o[4] ^= a[i];
		most = most_of(most, (double)(a[i] >> 20));
		sum += (double)(a[i] & 0xffff);
	}
	o[3] = (uint64_t)low;
	memcpy(&o[5], &most, 8);
	memcpy(&o[6], &sum, 8);
}

enum { COPIES = 1000, COPY_GRID = 256 };

static void
make_copies(void *in)
{
	for (int i = 0; i < 4 * COPIES; i++)
		((float *)in)[i] = (float)(below(2001) - 1000) / 8;
}

static void
expect_copies(const void *in, void *out)
{
	for (int i = 0; i < COPIES; i++) {
		const float *x = (const float *)in + 4 * i;
		float *o = (float *)out + i % COPY_GRID * 4;

		o[0] += x[0];
		o[1] = x[1] > o[1] ? x[1] : o[1];
		o[2] -= x[2];
		o[3] += 1;
	}
}

enum { LAST = 3000, LAST_BLOCKS = 5 };

static void
expect_last(const void *in, void *out)
{
	uint32_t *o = out;

	for (int i = 0; i < LAST; i++) {
		o[0] += ((const uint32_t *)in)[i];
		o[1 + i / 128 % LAST_BLOCKS] += ((const uint32_t *)in)[i];
	}
}

enum { DYNAMIC = 150, DYNAMIC_BLOCK = 64, DYNAMIC_GRID = 192 };
struct part { int16_t bytes; uint8_t flags[6]; double factor; };
static const struct { int32_t n; struct part part[3]; uint64_t extra; float colour[4]; } job = { DYNAMIC,
	{ { -3, { 1, 2, 3, 4, 5, 6 }, 0.5 }, { 1000, { 255, 0, 7, 9, 200, 1 }, -2.25 }, { 32767, { 9, 8, 7, 6, 5, 4 }, 3 } }, 0,
	{ 0, 0, 1.5f, 0 } };

static void
make_small(void *in)
{
	for (int i = 0; i < DYNAMIC; i++)
		((int *)in)[i] = below(20001) - 10000;
}

static void
expect_dynamic(const void *in, void *out)
{
	const int *a = in;

	for (int i = 0; i < DYNAMIC; i++) {
		int t = i % DYNAMIC_BLOCK, from = DYNAMIC_BLOCK - 1 - t, at = i - t + from, low = at < DYNAMIC ? a[at] : 0;

		((int *)out)[i] = low + (int)(low * job.part[from % 3].factor) + job.part[from % 3].flags[from % 6] * job.part[from % 3].bytes +
			(int)(job.colour[2] * (float)a[i]);
	}
}

enum { CONSTANTS = 90 };

static void
expect_constants(const void *in, void *out)
{
	static const struct { uint32_t kind, size, value; } table[5] = { { 1, 500, 7 }, { 2, 60000, 1u << 31 }, { 3, 3, 0xdeadbeef },
		{ 255, 65535, 0 }, { 0, 1, 2 } };
	static const float weight[3] = { 0.25f, -2.0f, 1e10f };
	static const int grid[3] = { 1, 3, 0 };
	static const char words[] = "words\n\377";

	for (int i = 0; i < CONSTANTS; i++) {
		uint32_t v = ((const uint32_t *)in)[i], *o = (uint32_t *)out + 5 * i;
		float f = weight[v % 3] * (float)i;

		o[0] = table[v % 5].value + table[v % 5].size * table[v % 5].kind;
		memcpy(&o[1], &f, 4);
		o[2] = (uint32_t)(0x123456789abcdef >> (v & 63));
		o[3] = (uint32_t)(grid[i % 3] + (unsigned char)words[v % 8]);
		o[4] = 40;
	}
}

/* ---- functions, the stack ---- */

enum { CALLS = 130, STACK = 100 };

static void
make_calls(void *in)
{
	for (int i = 0; i < CALLS; i++)
		((int *)in)[i] = below(2001);
}

/* Ackermann's function in closed form: A(0, n) = n + 1, A(1, n) = n + 2 */
static void
expect_calls(const void *in, void *out)
{
	for (int i = 0; i < CALLS; i++) {
		int v = ((const int *)in)[i], *o = (int *)out + 6 * i, by = v & 7;

		o[0] = (v >> 1 & 7) + 1 + (v & 1);
		o[1] = (v & 15) % 2 == 0;
		o[2] = v - 3 + by;              /* x = y + 3, y = x - 3; then once more by `by` */
		o[3] = (i + 3 - by) * 65536 + (int16_t)v;
		o[4] = v % 3 == 0 ? 2 * v : v % 3 == 1 ? v * v : v - 7;
		o[5] = v & 4 ? i * i + (v & 3) : v * 5 - (v & 3);
	}
}

static void
expect_stack(const void *in, void *out)
{
	for (int i = 0; i < STACK; i++) {
		uint32_t v = ((const uint32_t *)in)[i], m = v % 17, list[17], seen[32], sum = 0;

		for (uint32_t k = 0; k < 32; k++)
			seen[k] = k * 5;
		for (uint32_t k = 0; k <= m; k++)
			list[k] = v * (k + 3) ^ k;
		for (uint32_t k = 0; k <= m; k++)
			seen[list[k] >> 27] += list[m - k];
		for (uint32_t k = 0; k < 32; k++)
			sum = sum * 31 + seen[(k * 7 + m) & 31];
		((uint32_t *)out)[i] = sum;
	}
}

enum { HEAP = 200 };

static void
expect_heap(const void *in, void *out)
{
	for (int i = 0; i < HEAP; i++)
		for (uint32_t k = 0, v = ((const uint32_t *)in)[i]; k < (v & 7); k++)
			((uint32_t *)out)[i] += (k + 1) * (v + k);
}

/* ---- f64, CUDA's functions ---- */

enum { DOUBLES = 80, FUNCTIONS = 60 };

static void
make_doubles(void *in)
{
	for (int i = 0; i < 2 * DOUBLES; i++)
		((double *)in)[i] = unit() * (below(4) ? 50.0 : 1e5) + (i & 1 ? 0.01 : 0);
}

static double
next_double(double x, int up)
{
	return nextafter(x, up ? INFINITY : -INFINITY);
}

/* a + b up, a b down, b / a to zero: by exact errors of the nearest */
static double
rounded(double a, double b)
{
	double s = a + b, p = a * b, q = b / a, t = s - a, e = (a - (s - t)) + (b - t);

	s = e > 0 ? next_double(s, 1) : s;
	p = fma(a, b, -p) < 0 ? next_double(p, 0) : p;
	e = fma(q, a, -b);                      /* q a - b: is |q| too large? */
	if (e != 0 && (e > 0) == (b > 0))
		q = next_double(q, q < 0);
	return s - p + q;
}

static void
expect_doubles(const void *in, void *out)
{
	for (int i = 0; i < DOUBLES; i++) {
		double a = ((const double *)in)[2 * i], b = ((const double *)in)[2 * i + 1], *o = (double *)out + 8 * i;

		o[0] = fma(fma(fma(a, 0.1, b), a, -3.0), b, 1.0 / 3.0);
		o[1] = a / b;
		o[2] = sqrt(fabs(a)) - floor(b) + rint(a * 0.5) + trunc(b * 4.0) + ceil(a);
		o[3] = rounded(a, b);
		o[4] = fmin(a, b) + copysign(fmax(a, b), -a);
		o[5] = (double)((int64_t)a ^ (int64_t)(int)b) + (double)(uint64_t)fabs(b);
		o[6] = (double)(float)a + ldexp(b, (int)a & 7) + 2.0 + (signbit(b) ? 8.0 : 16.0);
		o[7] = remainder(a, 3.0) + fmod(b, 0.7);
	}
}

static void
make_arguments(void *in)
{
	for (int i = 0; i < 2 * FUNCTIONS; i++)
		((float *)in)[i] = unit() * (i < FUNCTIONS ? 3.0f : 0.7f);
}

static void
expect_functions(const void *in, void *out)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		float xf = ((const float *)in)[2 * i], yf = ((const float *)in)[2 * i + 1], *o = (float *)out + 14 * i;
		double x = xf, y = yf, r[14] = { exp(x), log(fabsf(xf) + 0.5f), sin(xf * 1e6f), cos(y), tan(x), pow(fabsf(xf) + 0.1f, y),
			atan2(x, y), erf(x), tanh(y), cbrt(x), hypot(x, y), log1p(fabs(y)) + expm1(xf * 0.1f), lgamma(fabsf(xf) + 1.0f),
			asin(fmin(fabs(y), 1.0)) + fmodf(xf, 0.3f) + roundf(yf) + rintf(xf) + nearbyintf(yf) };

		for (int k = 0; k < 14; k++)
			o[k] = (float)r[k];
	}
}

static void
make_arguments64(void *in)
{
	for (int i = 0; i < 2 * FUNCTIONS; i++)
		((double *)in)[i] = unit() * 3.0 + unit() * 1e-7;
}

static void
expect_functions64(const void *in, void *out)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		double x = ((const double *)in)[2 * i], y = ((const double *)in)[2 * i + 1], *o = (double *)out + 6 * i;

		o[0] = exp(x);
		o[1] = log(fabs(x) + 0.5);
		o[2] = sin(x * 1e9);
		o[3] = pow(fabs(x) + 0.1, y);
		o[4] = atan(y);
		o[5] = erf(x) + tanh(y);
	}
}

enum { LOCKED = 280, LOCKED_GRID = 288 };

static void
expect_locks(const void *in, void *out)
{
	uint32_t *o = out;

	for (int i = 0; i < LOCKED_GRID; i++) {
		uint32_t v = i < LOCKED ? ((const uint32_t *)in)[i] : 0;

		for (int k = 0; k < 6; k += 2) {
			o[k] += v;
			o[k + 1]++;
		}
		o[6 + (v & 7)] += v;
	}
}

enum { DEBUG_THREADS = 192, DEBUG_BLOCK = 96, DEBUG_WORDS = 128 + 2 * DEBUG_THREADS };

static void
expect_debug_sum(const void *in, void *out)
{
	for (int i = 0; i < DEBUG_THREADS; i++)
		((uint32_t *)out)[64] += ((const uint32_t *)in)[i];
	((uint32_t *)out)[96] = DEBUG_THREADS;
}

static void
expect_debug_chain(const void *in, void *out)
{
	uint32_t *mine = (uint32_t *)out + 128, sum = 0;

	for (int i = 0; i < DEBUG_THREADS; i++) {
		sum = (i % DEBUG_BLOCK ? sum : 0) + ((const uint32_t *)in)[i];
		mine[i] = sum;
		mine[DEBUG_THREADS + i] = 1;
	}
}

enum { LOOKS = 5100, LOOK_GRID = 5120 };

static void
expect_looks(const void *in, void *out)
{
	uint32_t sum = 0;

	for (int i = 0; i < LOOKS; i++)
		((uint32_t *)out)[i] = sum += ((const uint32_t *)in)[i];
}

enum { WIDE = 100 };
static void make_wide(void *in) { make_floats(in, WIDE * 8); }

static void
expect_eights(const void *in, void *out)
{
	for (int i = 0; i < WIDE * 8; i++)
		((float *)out)[i] = ((const float *)in)[i] * 2 + (float)(i % 8);
}

enum { DCT_WIDTH = 24, DCT_HEIGHT = 16 };

/* Whole numbers for cosines: every sum is exact. */
static void
make_picture(void *in)
{
	float *table = (float *)((uint8_t *)in + DCT_WIDTH * DCT_HEIGHT);

	for (int i = 0; i < DCT_WIDTH * DCT_HEIGHT; i++)
		((uint8_t *)in)[i] = (uint8_t)any();
	for (int i = 0; i < 64; i++)
		table[i] = (float)(below(9) - 4);
}

static void
expect_dct(const void *in, void *out)
{
	const uint8_t *p = in;
	const float *table = (const float *)(p + DCT_WIDTH * DCT_HEIGHT);

	for (int v = 0; v < DCT_HEIGHT; v++)
		for (int u = 0; u < DCT_WIDTH; u++) {
			double s = 0;

			for (int y = 0; y < 8; y++)
				for (int x = 0; x < 8; x++)
					s += ((double)p[(v / 8 * 8 + y) * DCT_WIDTH + u / 8 * 8 + x] - 128) * table[u % 8 * 8 + x] * table[v % 8 * 8 + y];
			((int16_t *)out)[v * DCT_WIDTH + u] = (int16_t)(int64_t)rint(s / 4);
		}
}

/* ---- the table ---- */

#define PARAMS(...) (const int32_t[]){ __VA_ARGS__ }, sizeof((const int32_t[]){ __VA_ARGS__ })
#define DEBUG(KERNEL, WHAT) { "locks_debug", KERNEL, GRID(DEBUG_THREADS / DEBUG_BLOCK, 1), GRID(DEBUG_BLOCK, 1), 0, DEBUG_THREADS * 4, DEBUG_WORDS * 4, NULL, \
	expect_debug_##WHAT, PARAMS(DEBUG_THREADS), 'b', 0 }
#define GRID(...) { __VA_ARGS__ }
static const work works[] = {
	{ "stencil", "plane", GRID(3, 3), GRID(32, 8), 0, NX * NY * 4, NX * NY * 4, make_plane, expect_plane, PARAMS(NX, NY), 'b', 0 },
	{ "stencil", "space", GRID(1, NZ), GRID(32, 1), 0, NZ * NZ * NZ * 4, NZ * NZ * NZ * 4, make_space, expect_space, PARAMS(NZ), 'b', 0 },
	{ "strings", "find", GRID(6, 1), GRID(256, 1), 0, TEXT + 8, 4096, make_text, expect_find, PARAMS(TEXT, 4), 's', 0 },
	{ "strings", "words", GRID(12, 1), GRID(128, 1), 0, TEXT + 8, 16, make_text, expect_words, PARAMS(TEXT), 'b', 0 },
	{ "radix_sort", "radix_sort", GRID(1, 1), GRID(256, 1), 0, 4096, 4096, NULL, expect_sorted, NULL, 0, 'b', 0 },
	{ "spmv", "spmv", GRID(10, 1), GRID(128, 1), 0, (ROWS + 1 + 2 * ENTRIES + COLUMNS) * 4, ROWS * 4, make_sparse, expect_spmv, PARAMS(ROWS, ENTRIES), 'b', 0 },
	{ "scan_shfl", "scan_shfl", GRID(2, 1), GRID(SCAN_BLOCK, 1), 0, SCAN * 8, SCAN * 8, NULL, expect_scan, PARAMS(SCAN), 'b', 0 },
	{ "compact", "compact", GRID(6, 1), GRID(128, 1), 0, KEEP * 4, KEEP * 4, make_sparse_words, expect_kept, PARAMS(KEEP), 's', 0 },
	{ "merge", "merge", GRID(2, 1), GRID(64, 1), 0, (NA + NB) * 8, (NA + NB) * 8, make_lists, expect_merged, PARAMS(NA, NB, EACH), 'b', 0 },
	{ "queue", "levels", GRID(1, 1), GRID(96, 1), 0, (VERTICES + 1 + EDGES) * 4, VERTICES * 4, make_graph, expect_levels, PARAMS(VERTICES), 'b', 0 },
	{ "softmax_half", "softmax_half", GRID(1, 1), GRID(32 * HALF_ROWS, 1), 0, HALF_ROWS * HALF_PAIRS * 4, HALF_ROWS * HALF_PAIRS * 4, make_halves, expect_softmax, PARAMS(HALF_PAIRS), 'h', 0.001 },
	{ "softmax_half", "relu_half", GRID(3, 1), GRID(128, 1), 0, 2 * HALF_ROWS * HALF_PAIRS * 2, HALVES * 2, make_halves, expect_relu, PARAMS(HALVES), 'b', 0 },
	{ "layer_norm", "layer_norm", GRID(NORM_ROWS, 1), GRID(64, 1), 0, NORM * (2 + NORM_ROWS) * 4, NORM * NORM_ROWS * 4, make_norm, expect_norm, &norm_shape, sizeof norm_shape, 'f', 2e-5 },
	{ "bf16_axpy", "bf16_axpy", GRID(2, 1), GRID(128, 1), 0, AXPY * 8, AXPY * 12, make_bf16, expect_axpy, PARAMS(AXPY), 'b', 0 },
	{ "matrix_vector", "matrix_vector", GRID(3, 1), GRID(96, 1), 0, MV_ROWS * MV * 2 + MV * 4 + 4, MV_ROWS * 4, make_matrix, expect_matrix, PARAMS(MV_ROWS, MV), 'b', 0 },
	{ "philox", "philox", GRID(2, 1), GRID(96, 1), 0, 16, RANDOM * 16, make_key, expect_philox, PARAMS(0, 0, RANDOM), 'b', 0 },
	{ "big_integer", "multiply", GRID(2, 1), GRID(64, 1), 0, BIG * 64, BIG * 64, NULL, expect_product, PARAMS(BIG), 'b', 0 },
	{ "big_integer", "wide", GRID(2, 1), GRID(64, 1), 0, BIG * 32, BIG * 32, NULL, expect_wide, PARAMS(BIG), 'b', 0 },
	{ "dot", "dot", GRID(2, DOT_ROWS), GRID(64, 1), 0, (DOT + DOT_ROWS) * DOT_WORDS * 4, DOT * DOT_ROWS * 8, NULL, expect_dot, PARAMS(DOT, DOT_WORDS), 'b', 0 },
	{ "simd", "simd", GRID(2, 1), GRID(64, 1), 0, SIMD * 12, SIMD * 64, NULL, expect_simd, PARAMS(SIMD), 'b', 0 },
	{ "integers", "integers", GRID(2, 1), GRID(64, 1), 0, INTEGERS * 16, INTEGERS * 64, make_integers, expect_integers, PARAMS(INTEGERS), 'b', 0 },
	{ "game_of_life", "life", GRID(1, BOARD_ROWS), GRID(32, 1), 0, BOARD_WORDS * BOARD_ROWS * 4, BOARD_WORDS * BOARD_ROWS * 4, NULL, expect_life, PARAMS(BOARD_WORDS, BOARD_ROWS), 'b', 0 },
	{ "aes", "aes_round", GRID(1, 1), GRID(64, 1), 0, AES * 16 + 16 + 256, AES * 16, make_aes, expect_aes, PARAMS(AES), 'b', 0 },
	{ "groups", "groups", GRID(GROUP_GRID / GROUP_BLOCK, 1), GRID(GROUP_BLOCK, 1), 0, GROUPS * 4, GROUP_GRID * 20, make_groups, expect_groups, PARAMS(GROUPS), 'b', 0 },
	{ "cluster", "cluster", GRID(2, 1), GRID(CLUSTER_BLOCK, 1), 0, CLUSTER * 4, CLUSTER_BLOCK * 8, NULL, expect_cluster, PARAMS(CLUSTER), 'b', 0 },
	{ "warp_sets", "warp_sets", GRID(8, 1), GRID(32, 1), 0, SETS * 4, SET_GRID * 24 + 4, NULL, expect_sets, PARAMS(SETS), 'b', 0 },
	{ "warp_sets", "warp_sets", GRID(2, 1), GRID(128, 1), 0, SETS * 4, SET_GRID * 24 + 4, NULL, expect_sets, PARAMS(SETS), 'b', 0 },
	{ "locks", "locks", GRID(3, 1), GRID(96, 1), 0, LOCKED * 4, 14 * 4, NULL, expect_locks, PARAMS(LOCKED), 'b', 0 },
	DEBUG("lock_cas", sum), DEBUG("lock_exch", sum), DEBUG("lock_taken_back", sum), DEBUG("lock_atomic", sum),
	DEBUG("flag_chain", chain), DEBUG("sum_atomic", sum), DEBUG("counted", sum),
	{ "look_back", "look_back", GRID(LOOK_GRID / 128, 1), GRID(128, 1), 0, LOOKS * 4, LOOKS * 4, NULL, expect_looks, PARAMS(LOOKS), 'b', 0 },
	{ "atomics64", "atomics64", GRID(5, 1), GRID(128, 1), 0, ATOMICS * 8, 56, NULL, expect_atomics, PARAMS(ATOMICS), 'b', 0 },
	{ "async_copy", "async_copy", GRID(2, 1), GRID(128, 1), 0, COPIES * 16, COPY_GRID * 16, make_copies, expect_copies, PARAMS(COPIES), 'b', 0 },
	{ "last_block", "last_block", GRID(LAST_BLOCKS, 1), GRID(128, 1), 0, LAST * 4, 4 + 4 * LAST_BLOCKS, NULL, expect_last, PARAMS(LAST), 'b', 0 },
	{ "dynamic", "dynamic", GRID(3, 1), GRID(DYNAMIC_BLOCK, 1), DYNAMIC_BLOCK * 13, DYNAMIC * 4, DYNAMIC_GRID * 4, make_small, expect_dynamic, &job, sizeof job, 'b', 0 },
	{ "constants", "constants", GRID(1, 1), GRID(96, 1), 0, CONSTANTS * 4, CONSTANTS * 20, NULL, expect_constants, PARAMS(CONSTANTS), 'b', 0 },
	{ "calls", "calls", GRID(2, 1), GRID(96, 1), 0, CALLS * 4, CALLS * 24, make_calls, expect_calls, PARAMS(CALLS), 'b', 0 },
	{ "stack", "stack", GRID(1, 1), GRID(128, 1), 0, STACK * 4, STACK * 4, NULL, expect_stack, PARAMS(STACK), 'b', 0 },
	{ "heap", "heap", GRID(4, 1), GRID(64, 1), 0, HEAP * 4, HEAP * 4, NULL, expect_heap, PARAMS(HEAP), 'b', 0 },
	{ "doubles", "doubles", GRID(1, 1), GRID(96, 1), 0, DOUBLES * 16, DOUBLES * 64, make_doubles, expect_doubles, PARAMS(DOUBLES), 'd', 1e-14 },
	{ "functions", "functions", GRID(1, 1), GRID(64, 1), 0, FUNCTIONS * 8, FUNCTIONS * 56, make_arguments, expect_functions, PARAMS(FUNCTIONS), 'f', 1e-6 },
	{ "functions", "functions64", GRID(1, 1), GRID(64, 1), 0, FUNCTIONS * 16, FUNCTIONS * 48, make_arguments64, expect_functions64, PARAMS(FUNCTIONS), 'd', 1e-14 },
	{ "wide_loads", "wide_loads", GRID(2, 1), GRID(64, 1), 0, WIDE * 32, WIDE * 32, make_wide, expect_eights, PARAMS(WIDE), 'b', 0 },
	{ "dct", "dct", GRID(DCT_WIDTH / 8, DCT_HEIGHT / 8), GRID(8, 8), 0, DCT_WIDTH * DCT_HEIGHT + 256, DCT_WIDTH * DCT_HEIGHT * 2, make_picture, expect_dct, PARAMS(DCT_WIDTH), 'b', 0 },
};

static double
number(char kind, const void *p, size_t i)
{
	switch (kind) {
	case 'f': return ((const float *)p)[i];
	case 'd': return ((const double *)p)[i];
	default: return half_to_float(((const uint16_t *)p)[i]);
	}
}

/* The first place that differs; -1: none */
static long
differs(const work *w, const void *got, const void *want)
{
	size_t size = w->kind == 'd' ? 8 : w->kind == 'f' ? 4 : w->kind == 'h' ? 2 : 1, n = w->out / size;

	for (size_t i = 0; i < n; i++) {
		if (w->kind == 'b' || w->kind == 's') {
			if (((const uint8_t *)got)[i] != ((const uint8_t *)want)[i])
				return (long)i;
			continue;
		}
		double x = number(w->kind, got, i), y = number(w->kind, want, i);

		if (!(fabs(x - y) <= w->error * fmax(1, fabs(y))))
			return (long)i;
	}
	return -1;
}

static int
run(const work *w, const char *ptx, const char *chip)
{
	uint8_t *in = malloc(w->in), *got = malloc(w->out), *want = calloc(1, w->out);
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = w->kernel, .grid = { w->grid[0], w->grid[1], 1 }, .block = { w->block[0], w->block[1], 1 },
		.shared = w->shared, .in = in, .in_size = w->in, .out = got, .out_size = w->out, .extra = w->extra, .extra_size = w->extra_size };
	char name[80];
	long at;
	int bad;

	if (!in || !got || !want)
		abort();
	seed = 11;
	if (w->make)
		w->make(in);
	else
		for (size_t i = 0; i < w->in; i++)
			in[i] = (uint8_t)any();
	w->expect(in, want);
	snprintf(name, sizeof name, "corpus %s/%s", w->file, w->kernel);
	bad = e2e_launch(name, &r);
	if (!bad && w->kind == 's') {           /* a number of words, which come in any order */
		qsort(got + 4, ((uint32_t *)got)[0] < w->out / 4 ? ((uint32_t *)got)[0] : 0, 4, ascending);
		qsort(want + 4, ((uint32_t *)want)[0], 4, ascending);
	}
	at = bad ? -1 : differs(w, got, want);
	if (at >= 0) {
		bad = 1;
		if (w->kind == 'b' || w->kind == 's')
			printf("not ok %s on %s: byte %ld is %#x, should be %#x\n", name, chip, at, got[at], want[at]);
		else
			printf("not ok %s on %s: number %ld is %.17g, should be %.17g\n", name, chip, at, number(w->kind, got, (size_t)at), number(w->kind, want, (size_t)at));
	}
	free(in);
	free(got);
	free(want);
	return bad;
}

static int
is_wanted(const work *w, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(w->kernel, argv[i]) || strstr(w->file, argv[i]))
			return 1;
	return argc < 2;
}

int
main(int argc, char **argv)
{
	int bad = 0;
	const char *chip;

	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		const work *w = &works[i];
		char *ptx = is_wanted(w, argc, argv) ? e2e_corpus(w->file) : NULL;
		int wrong = 0;

		if (!is_wanted(w, argc, argv))
			continue;
		if (!ptx) {
			printf("not ok corpus %s: cannot read it\n", w->file);
			bad = 1;
			continue;
		}
		for (int c = 0; form_chips(c, &chip); c++)
			wrong |= run(w, ptx, chip);
		if (!wrong)
			printf("ok corpus %s/%s\n", w->file, w->kernel);
		bad |= wrong;
		free(ptx);
	}
	return bad;
}
