/* test_convert.c -- cvt: every pair of types, rounding, .ftz and .sat, from and to registers wider than the type.
 * Sources of 8 and 16 bits are tried exhaustively. References: extended-precision floats, which hold every
 * source exactly (fpref.c), and 128-bit integers.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.21 (cvt), 9.4.1 (registers wider than the type). */
#include "forms.h"
#include "fpref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
static const char *const int_type[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64" };
static const int int_bits[] = { 8, 16, 32, 64, 8, 16, 32, 64 };

static wide
lowest(int type)
{
	return type < 4 ? 0 : -((wide)1 << (int_bits[type] - 1));
}

static wide
highest(int type)
{
	return ((wide)1 << (int_bits[type] - (type >= 4))) - 1;
}

/* x as a number of the type; bits above the type's are dropped. */
static wide
number(uint64_t x, int type)
{
	wide field = (wide)1 << int_bits[type], v = (wide)x & (field - 1);

	return v > highest(type) ? v - field : v;
}

static char
letter(int bits)
{
	return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

/* ---- integers. k: from, to, sat ---- */

static uint64_t
int_to_int(const form *f, const uint64_t *s)
{
	wide v = number(s[0], f->k[0]);

	if (f->k[2])
		v = v < lowest(f->k[1]) ? lowest(f->k[1]) : v > highest(f->k[1]) ? highest(f->k[1]) : v;
	return (uint64_t)number((uint64_t)v, f->k[1]);          /* extended to the register */
}

static void
add_int_to_int(form_list *l, int from, int from_reg)
{
	for (int to = 0; to < 8; to++)
		for (int to_reg = int_bits[to] < 16 ? 16 : int_bits[to]; to_reg <= 64; to_reg *= 2)
			for (int sat = 0; sat < 2; sat++)
				memcpy(form_add(l, (char[]){ letter(to_reg), ':', letter(from_reg), 0 }, int_to_int, "cvt%s.%s.%s $0, $1;",
				                sat ? ".sat" : "", int_type[to], int_type[from])->k, (int[3]){ from, to, sat }, 3 * sizeof(int));
}

/* ---- floats to integers. k: bits, to, rounding, ftz ---- */

static uint64_t
float_to_int(const form *f, const uint64_t *s)
{
	int bits = f->k[0], to = f->k[1];
	long double v = fp_integral(fp_value(f->k[3] ? fp_flush(s[0], bits) : s[0], bits), (fp_round)f->k[2]);
	wide r;

	if (isnan(v))
		r = bits == 64 || int_bits[to] == 64 ? (wide)1 << (int_bits[to] - 1) : 0;
	else if (v <= (long double)lowest(to))
		r = lowest(to);
	else
		r = v >= (long double)highest(to) ? highest(to) : (wide)v;
	return (uint64_t)number((uint64_t)r, to);
}

static void
add_float_to_int(form_list *l, int bits)
{
	for (int to = 0; to < 8; to++)
		for (int to_reg = int_bits[to] < 16 ? 16 : int_bits[to]; to_reg <= 64; to_reg *= 2)
			for (int v = 0; v < 16; v++) {
				int rnd = v & 3, ftz = v >> 2 & 1, sat = v >> 3;

				if (ftz && bits == 64)
					continue;
				memcpy(form_add(l, (char[]){ letter(to_reg), ':', bits == 32 ? 'f' : 'F', 0 }, float_to_int, "cvt.%si%s%s.%s.f%d $0, $1;",
				                fp_round_name[rnd], ftz ? ".ftz" : "", sat ? ".sat" : "", int_type[to], bits)->k,
				       (int[4]){ bits, to, rnd, ftz }, 4 * sizeof(int));
			}
}

/* ---- integers to floats. k: from, bits, rounding, sat ---- */

static uint64_t
int_to_float(const form *f, const uint64_t *s)
{
	uint64_t r = fp_rounded((long double)number(s[0], f->k[0]), f->k[1], (fp_round)f->k[2]);

	return f->k[3] ? fp_clamp(r, f->k[1]) : r;
}

static void
add_int_to_float(form_list *l, int from, int from_reg)
{
	for (int v = 0; v < 32; v++) {
		int rnd = v & 3, bits = v >> 2 & 1 ? 64 : 32, ftz = v >> 3 & 1, sat = v >> 4;

		if (ftz && bits == 64)
			continue;
		memcpy(form_add(l, (char[]){ bits == 32 ? 'f' : 'F', ':', letter(from_reg), 0 }, int_to_float, "cvt.%s%s%s.f%d.%s $0, $1;",
		                fp_round_name[rnd], ftz ? ".ftz" : "", sat ? ".sat" : "", bits, int_type[from])->k,
		       (int[4]){ from, bits, rnd, sat }, 4 * sizeof(int));
	}
}

/* ---- floats. k: from, to, rounding (4: none), ftz, sat, to an integral value ---- */

static uint64_t
float_to_float(const form *f, const uint64_t *s)
{
	int from = f->k[0], to = f->k[1], ftz = f->k[3];
	uint64_t x = ftz ? fp_flush(s[0], from) : s[0], r;
	long double v = fp_value(x, from);

	if (f->k[5])
		v = fp_integral(v, (fp_round)f->k[2]);
	if (f->k[4] && to == 16)                /* clamped before: a result in [0, 1] stays there */
		v = isnan(v) || signbit(v) ? 0 : v > 1 ? 1 : v;
	r = from == to && !f->k[5] ? x : fp_rounded(v, to, f->k[2] > 3 ? FP_RN : (fp_round)f->k[2]);
	r = ftz ? fp_flush(r, to) : r;
	return f->k[4] && to != 16 ? fp_clamp(r, to) : r;
}

static char
float_letter(int bits)
{
	return bits == 16 ? 'x' : bits == 32 ? 'f' : 'F';
}

static void
add_float_to_float(form_list *l, int from, int to)
{
	for (int v = 0; v < 20; v++) {
		int rnd = v % 5, ftz = v / 5 & 1, sat = v / 10, integral = from == to && rnd < 4;

		if ((ftz && from == 64 && to == 64) || (from == 16 && rnd < 4) || (from < to && rnd < 4) || (from > to && rnd > 3) ||
		    (to == 16 && rnd))
			continue;
		memcpy(form_add(l, (char[]){ float_letter(to), ':', float_letter(from), 0 }, float_to_float, "cvt%s%s%s%s%s.f%d.f%d $0, $1;",
		                rnd < 4 ? "." : "", rnd < 4 ? fp_round_name[rnd] : "", integral ? "i" : "", ftz ? ".ftz" : "",
		                sat ? ".sat" : "", to, from)->k, (int[6]){ from, to, rnd, ftz, sat, integral }, 6 * sizeof(int));
	}
}

/* ---- sources ---- */

static void
near(form_data *d, uint64_t x)
{
	for (uint64_t i = 0; i < 5; i++)
		form_vector(d, x + i - 2, x, 0, 0);
}

/* Integers: around powers of two; halfway between neighbouring f32 and f64, and a little off; random */
static void
integers(form_data *d)
{
	uint64_t s = 1;

	for (int i = 0; i < 64; i++) {
		near(d, (uint64_t)1 << i);
		near(d, 0 - ((uint64_t)1 << i));
	}
	for (int i = 0; i < 2500; i++) {
		uint64_t x = form_random(&s) >> (form_random(&s) & 63), top = x ? 63 - (uint64_t)__builtin_clzll(x) : 0;
		uint64_t keep = i & 1 ? 24 : 53, half = top > keep ? (uint64_t)1 << (top - keep) : 0;

		form_vector(d, x, 0, 0, 0);
		if (half) {
			x = (x & ~(2 * half - 1)) | half;
			form_vector(d, i & 2 ? x : 0 - x, 0, 0, 0);
			form_vector(d, x + (form_random(&s) & 2) - 1, 0, 0, 0);
		}
	}
}

static void
float_and_next(form_data *d, long double v, int bits)
{
	uint64_t x = fp_rounded(v, bits, FP_RN), sign = (uint64_t)1 << (bits - 1);

	for (uint64_t i = 0; i < 3; i++) {
		form_vector(d, x + i - 1, 0, 0, 0);
		form_vector(d, (x + i - 1) ^ sign, 0, 0, 0);
	}
}

/* Floats: every exponent; around integers and halves, powers of two and 2^k - 1 (limits of the integer
 * types); f64 halfway between neighbouring f32, normal and subnormal; zeros, infinities, NaNs; random */
static void
floats(form_data *d, int bits)
{
	uint64_t s = 2, all = bits == 32 ? 0xffffffff : ~0ull, exponent = bits == 32 ? 1u << 23 : 1ull << 52;

	for (uint64_t e = 0; e < (bits == 32 ? 256u : 2048u); e += bits == 32 ? 1 : 5)
		for (int i = 0; i < 3; i++)
			form_vector(d, (e * exponent + (i ? form_random(&s) & (exponent - 1) : 0)) ^ (i == 2 ? all ^ all >> 1 : 0), 0, 0, 0);
	for (int i = -4; i < 20; i++)
		float_and_next(d, i / 4.0L, bits);
	for (int k = -2; k < 70; k++) {
		float_and_next(d, ldexpl(1, k), bits);
		float_and_next(d, ldexpl(1, k) - 1, bits);
		float_and_next(d, ldexpl(1, k) - 0.5L, bits);
		float_and_next(d, ldexpl(1, k) + 0.5L, bits);
	}
	for (int i = 0; i < 2000; i++) {
		uint64_t r = form_random(&s), near_1 = (bits == 32 ? 100 + r % 100 : 990 + r % 100) * exponent | (form_random(&s) & (exponent - 1));

		form_vector(d, form_random(&s) & all, 0, 0, 0);
		form_vector(d, near_1 | (r >> 40 & 1) << (bits - 1), 0, 0, 0);
		if (bits == 64) {               /* f32 has 29 bits less; its subnormals up to 23 more */
			uint64_t lost = 29 + (i % 4 == 3 ? r >> 32 & 31 : 0), e = i % 4 == 3 ? 1023 - 127 + 30 - lost : 1023 - 20 + r % 40;

			near(d, e * exponent | (form_random(&s) & (exponent - 1) & ~(((uint64_t)2 << (lost - 1)) - 1)) | (uint64_t)1 << (lost - 1));
		}
	}
	for (int i = 0; i < 2; i++) {
		near(d, (bits == 32 ? 255 : 2047) * exponent | (uint64_t)i << (bits - 1));
		near(d, (uint64_t)i << (bits - 1));
	}
}

static void
exhaustive(form_data *d)
{
	for (uint64_t i = 0; i < 65536; i++)
		form_vector(d, i | i << 17, i * 0x1234567, 0, 0);
}

/* ---- programs: conversions and a little arithmetic between them ---- */

static uint64_t
program_value(char kind, uint64_t *s)
{
	uint64_t x = form_random(s), bits = kind == 'F' ? 64 : 32;

	if (kind == 'f' || kind == 'F')
		return x & 8 ? form_random(s) : fp_rounded((long double)(int64_t)form_random(s) / ldexpl(1, (int)(x >> 8 & 63)), (int)bits, FP_RN);
	return form_random(s) >> (x & 63);
}

static uint64_t
sum(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	(void)c, (void)d;
	return a + b;
}

static int
programs(const form_list *from, size_t n)
{
	form_list l = { 0 };
	int bad;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < from[k].n; i++)
			*form_add(&l, "r:r", NULL, "%s", "") = from[k].f[i];
	for (int i = 0; i < 60; i++) {
		form_add(&l, "h:hh", form_plain, "add.u16 $0, $1, $2;")->plain = sum;
		form_add(&l, "r:rr", form_plain, "add.u32 $0, $1, $2;")->plain = sum;
		form_add(&l, "d:dd", form_plain, "add.u64 $0, $1, $2;")->plain = sum;
	}
	bad = form_programs("conversion programs", &l, program_value, 300);
	free(l.f);
	return bad;
}

int
main(void)
{
	form_data word = { 0 }, small = { 0 }, f32 = { 0 }, f64 = { 0 };
	form_list wide_ints = { 0 }, small_ints = { 0 }, from_f32 = { 0 }, from_f64 = { 0 }, from_f16 = { 0 };
	int bad = 0;

	for (int from = 0; from < 8; from++)
		for (int reg = int_bits[from] < 16 ? 16 : int_bits[from]; reg <= 64; reg *= 2) {
			form_list *l = reg == 16 ? &small_ints : &wide_ints;

			add_int_to_int(l, from, reg);
			add_int_to_float(l, from, reg);
		}
	add_float_to_int(&from_f32, 32);
	add_float_to_int(&from_f64, 64);
	for (int to = 16; to <= 64; to *= 2) {
		add_float_to_float(&from_f32, 32, to);
		if (to > 16)
			add_float_to_float(&from_f64, 64, to);
	}
	add_float_to_float(&from_f16, 16, 32);
	if (getenv("SEED"))
		return programs((form_list[]){ wide_ints, small_ints, from_f32, from_f64 }, 4);
	integers(&word);
	exhaustive(&small);
	floats(&f32, 32);
	floats(&f64, 64);
	bad |= form_run("cvt from integers of 32 and 64 bits", &wide_ints, &word, FORM_ALL);
	bad |= form_run("cvt from integers of 8 and 16 bits", &small_ints, &small, FORM_ALL);
	bad |= form_run("cvt from f16", &from_f16, &small, FORM_ALL);
	bad |= form_run("cvt from f32", &from_f32, &f32, FORM_ALL);
	bad |= form_run("cvt from f64", &from_f64, &f64, FORM_ALL);
	bad |= programs((form_list[]){ wide_ints, small_ints, from_f32, from_f64 }, 4);
	free(word.v), free(small.v), free(f32.v), free(f64.v);
	free(wide_ints.f), free(small_ints.f), free(from_f32.f), free(from_f64.f), free(from_f16.f);
	return bad;
}
