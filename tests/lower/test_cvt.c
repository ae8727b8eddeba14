/* test_cvt.c -- cvt between every two types in every rounding mode, against C with fesetround and
 * against 128-bit arithmetic, at the edges of every range and halfway between representable values. */
#include "harness.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct type { const char *name; unsigned bits; bool s; } type;
static const type ints[] = {
	{ "u8", 8, false }, { "s8", 8, true }, { "u16", 16, false }, { "s16", 16, true },
	{ "u32", 32, false }, { "s32", 32, true }, { "u64", 64, false }, { "s64", 64, true },
};
static const char *const floats[] = { "f32", "f64" };
static const int modes[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
static const char *const mode_names[4] = { "n", "z", "m", "p" };

static uint64_t mask(unsigned bits) { return bits == 64 ? UINT64_MAX : (1ull << bits) - 1; }
static uint64_t bits_of(double d) { uint64_t x; memcpy(&x, &d, 8); return x; }
static uint64_t bits_of_f(float f) { uint32_t x; memcpy(&x, &f, 4); return x; }

static double
value_of(bool d, uint64_t x)
{
	uint32_t w = (uint32_t)x;
	float f;
	double r;

	memcpy(&f, &w, 4);
	memcpy(&r, &x, 8);
	return d ? r : (double)f;
}

static bool
compiled(op *o, const char *text, const char *dst, const char *src, const char *name)
{
	if (op_new(o, text, dst, 1, &src, P2A_SEM_DOCUMENTED))
		return true;
	report(name, "%s%s", unit_diags(o->u), o->u->fault ? o->u->fault : "");
	return false;
}

static bool
check(const op *o, const char *name, uint64_t x, uint64_t want, uint64_t significant)
{
	uint64_t r;

	if (op_eval(o, &x, &r) && (r & significant) == (want & significant))
		return true;
	report(name, "%llx: %llx, not %llx", (unsigned long long)x, (unsigned long long)r, (unsigned long long)want);
	return false;
}

/* Floats at the edges of the integers, halves beside them, subnormals, infinities, NaN, mixtures. */
static uint64_t
float_sample(unsigned i, bool d)
{
	static const double base[] = { 0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 126.5, 127, 127.5, 128, 128.5, 254.5, 255,
		255.5, 256, 32767, 32767.5, 32768, 65534.5, 65535, 65535.5, 65536, 8388607.5, 16777215, 16777217,
		2147483520, 2147483647, 2147483647.5, 2147483648.0, 4294967040.0, 4294967295.0, 4294967295.5,
		4294967296.0, 9007199254740991.0, 9223371487098961920.0, 9223372036854774784.0,
		9223372036854775808.0, 18446742974197923840.0, 18446744073709549568.0, 18446744073709551616.0,
		1e30, 1e-40, 1e-310, INFINITY, NAN, 1e300 };
	unsigned n = (unsigned)COUNT(base) * 6;
	uint64_t r = sample(i + 1000, 64);
	double x;

	if (i >= n) {   /* exponents around the integers' */
		x = ldexp(1 + (double)(r >> 12) * 0x1p-52, (int)(r % 72) - 4);
		x = r >> 11 & 1 ? -x : x;
	} else {
		x = base[i / 6];
		x = i % 3 == 1 ? (d ? nextafter(x, INFINITY) : (double)nextafterf((float)x, INFINITY)) :
			i % 3 == 2 ? (d ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY)) : x;
		x = i % 6 >= 3 ? -x : x;
	}
	return d ? bits_of(x) : bits_of_f((float)x);
}

/* 9.7.9, cvt: saturation; NaN is 0 between types of at most 32 bits, else the highest bit. */
static uint64_t
int_of_float(const type *t, bool d, int mode, double x)
{
	double lo = t->s ? -ldexp(1, (int)t->bits - 1) : 0, hi = ldexp(1, (int)t->bits - t->s);
	double r;

	if (isnan(x))
		return d || t->bits == 64 ? 1ull << (t->bits - 1) : 0;
	r = mode == FE_TONEAREST ? nearbyint(x) : mode == FE_TOWARDZERO ? trunc(x) : mode == FE_DOWNWARD ? floor(x) : ceil(x);
	if (r < lo)
		r = lo;
	if (r >= hi)
		return mask(t->bits - t->s);
	return t->s ? (uint64_t)(int64_t)r & mask(t->bits) : (uint64_t)r;
}

static void
test_to_int(const type *t, bool d, unsigned m)
{
	char name[48], text[64];
	op o;

	snprintf(name, sizeof name, "cvt.r%si.%s.%s", mode_names[m], t->name, floats[d]);
	snprintf(text, sizeof text, "%s d, a0;", name);
	if (!compiled(&o, text, t->name, floats[d], name))
		return;
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t x = float_sample(i, d);

		if (!check(&o, name, x, int_of_float(t, d, modes[m], value_of(d, x)), mask(t->bits)))
			return;
	}
	report(name, NULL);
	op_free(&o);
}

/* The result register may be wider: it holds the number extended. */
static void
test_to_wide_register(const type *t)
{
	char name[48], text[64];
	op o;

	snprintf(name, sizeof name, "cvt.rzi.%s.f32 in 64 bits", t->name);
	snprintf(text, sizeof text, "cvt.rzi.%s.f32 d, a0;", t->name);
	if (!compiled(&o, text, t->s ? "s64" : "u64", "f32", name))
		return;
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t x = float_sample(i, false), want = int_of_float(t, false, FE_TOWARDZERO, value_of(false, x));

		if (t->s)
			want = (uint64_t)((int64_t)(want << (64 - t->bits)) >> (64 - t->bits));
		if (!check(&o, name, x, want, UINT64_MAX))
			return;
	}
	report(name, NULL);
	op_free(&o);
}

static uint64_t
float_of_int(const type *t, bool d, int mode, uint64_t x)
{
	volatile int64_t sx = (int64_t)(x << (64 - t->bits)) >> (64 - t->bits);
	volatile uint64_t ux = x;
	volatile float f;
	volatile double r;

	if (!x)         /* some compilers' own conversion of 0 gives -0 when rounding down */
		return 0;
	fesetround(mode);
	f = t->s ? (float)sx : (float)ux;
	r = t->s ? (double)sx : (double)ux;
	fesetround(FE_TONEAREST);
	return d ? bits_of(r) : bits_of_f(f);
}

/* Near ties: a few high bits, the rounding bit, few low ones. */
static uint64_t
int_sample(unsigned i, unsigned bits)
{
	uint64_t r = sample(i, bits), top = sample(i + 7, bits) | 1ull << (bits - 1);

	if (i < 500)
		return r;
	top = top >> (bits > 24 ? bits - 24 - i % 2 * 30 % (bits - 24 + 1) : 0);
	top = top << i % bits;
	return (i & 4 ? top : top + (i % 5) - 2) & mask(bits);
}

static void
test_from_int(const type *t, bool d, unsigned m)
{
	char name[48], text[64];
	op o;

	snprintf(name, sizeof name, "cvt.r%s.%s.%s", mode_names[m], floats[d], t->name);
	snprintf(text, sizeof text, "%s d, a0;", name);
	if (!compiled(&o, text, floats[d], t->name, name))
		return;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t x = int_sample(i, t->bits);

		if (!check(&o, name, x, float_of_int(t, d, modes[m], x), mask(d ? 64 : 32)))
			return;
	}
	report(name, NULL);
	op_free(&o);
}

/* Integers, plain and .sat, in 128 bits. */
static uint64_t
int_of_int(const type *to, const type *from, bool sat, uint64_t x)
{
	__int128 v = from->s ? (__int128)((int64_t)(x << (64 - from->bits)) >> (64 - from->bits)) : (__int128)x;
	__int128 one = 1, lo = to->s ? -(one << (to->bits - 1)) : 0, hi = (one << (to->bits - to->s)) - 1;

	if (sat)
		v = v < lo ? lo : v > hi ? hi : v;
	v &= (__int128)mask(to->bits);
	return to->s ? (uint64_t)((int64_t)((uint64_t)v << (64 - to->bits)) >> (64 - to->bits)) : (uint64_t)v;
}

/* Into a register of its own size or of 64 bits, from a register with rubbish above the source. */
static void
test_int_int(const type *to, const type *from, bool sat, bool wide)
{
	char name[48], text[200];
	const char *reg = to->s ? "s64" : "u64";
	op o;

	snprintf(name, sizeof name, "cvt%s.%s.%s%s", sat ? ".sat" : "", to->name, from->name, wide ? " wide" : "");
	snprintf(text, sizeof text, ".reg .b%u x; %s a0, a0; cvt%s.%s.%s d, %s;", MAX(from->bits, 16u),
		from->bits < 64 ? "xor.b64 a0, a0, 0xabcd000000000000; mov.b64" : "mov.b64",
		sat ? ".sat" : "", to->name, from->name, "a0");
	if (!compiled(&o, text, wide ? reg : to->name, "b64", name))
		return;
	for (unsigned i = 0; i < 600; i++) {
		uint64_t x = sample(i, from->bits), r = x | (from->bits < 32 ? sample(i + 9, 32) << from->bits : 0);

		if (!check(&o, name, r, int_of_int(to, from, sat, x), wide ? UINT64_MAX : mask(to->bits)))
			return;
	}
	op_free(&o);
}

static void
test_float_float(unsigned m)
{
	char name[48], text[64];
	op o;

	snprintf(name, sizeof name, "cvt.r%s.f32.f64", mode_names[m]);
	snprintf(text, sizeof text, "%s d, a0;", name);
	if (!compiled(&o, text, "f32", "f64", name))
		return;
	for (unsigned i = 0; i < 20000; i++) {
		double x = ldexp(1 + (double)(sample(i + 50, 64) >> 12 >> i % 40 << i % 40) * 0x1p-52, (int)(i % 300) - 160);
		volatile double v = i & 1 ? -x : x;
		volatile float f;

		fesetround(modes[m]);
		f = (float)v;
		fesetround(FE_TONEAREST);
		if (!check(&o, name, bits_of(v), bits_of_f(f), UINT32_MAX))
			return;
	}
	report(name, NULL);
	op_free(&o);
}

/* Rounding to integers within a type; .sat; .ftz of a subnormal. */
static void
test_one(const char *text, const char *dst, const char *src, uint64_t x, uint64_t want)
{
	char full[64];
	op o;

	snprintf(full, sizeof full, "%s d, a0;", text);
	if (compiled(&o, full, dst, src, text) && check(&o, text, x, want, UINT64_MAX))
		report(text, NULL);
	op_free(&o);
}

static void
test_singles(void)
{
	test_one("cvt.rni.f32.f32", "f32", "f32", bits_of_f(2.5f), bits_of_f(2));
	test_one("cvt.rzi.f32.f32", "f32", "f32", bits_of_f(-2.75f), bits_of_f(-2));
	test_one("cvt.rmi.f64.f64", "f64", "f64", bits_of(-2.25), bits_of(-3));
	test_one("cvt.rpi.f64.f64", "f64", "f64", bits_of(2.25), bits_of(3));
	test_one("cvt.sat.f32.f32", "f32", "f32", bits_of_f(2.25f), bits_of_f(1));
	test_one("cvt.sat.f32.f32", "f32", "f32", bits_of_f(-NAN), 0);
	test_one("cvt.rni.sat.f32.f32", "f32", "f32", bits_of_f(-7.25f), 0);
	test_one("cvt.ftz.f32.f32", "f32", "f32", 0x80000001, 0x80000000);
	test_one("cvt.f32.f32", "f32", "f32", 0x80000001, 0x80000001);
	test_one("cvt.ftz.f64.f32", "f64", "f32", 0x80000001, 1ull << 63);
	test_one("cvt.f64.f32", "f64", "f32", 1, bits_of(0x1p-149));
	test_one("cvt.rn.ftz.f32.f64", "f32", "f64", bits_of(0x1p-140), 0);
	test_one("cvt.rn.sat.f32.s32", "f32", "s32", 5, bits_of_f(1));
	test_one("cvt.rn.sat.f32.s64", "f32", "s64", UINT64_MAX, 0);
	test_one("cvt.rmi.ftz.s32.f32", "s32", "f32", 0x80000001, 0);
	test_one("cvt.rmi.s32.f32", "s32", "f32", 0x80000001, UINT32_MAX);
	test_one("cvt.rn.f16.f32", "b16", "f32", bits_of_f(65519), 0x7bff);
	test_one("cvt.rn.f16.f32", "b16", "f32", bits_of_f(65520), 0x7c00);
	test_one("cvt.rn.sat.f16.f32", "b16", "f32", bits_of_f(7), 0x3c00);
	test_one("cvt.f32.f16", "f32", "b16", 1, bits_of_f(0x1p-24f));
}

int
main(void)
{
	for (unsigned d = 0; d < 2; d++)
		for (unsigned m = 0; m < 4; m++)
			for (size_t i = 0; i < COUNT(ints); i++) {
				test_to_int(&ints[i], d, m);
				test_from_int(&ints[i], d, m);
			}
	for (size_t i = 0; i < COUNT(ints); i++)
		test_to_wide_register(&ints[i]);
	for (unsigned k = 0; k < 4; k++) {
		unsigned before = nfailed;

		for (size_t i = 0; i < COUNT(ints); i++)
			for (size_t j = 0; j < COUNT(ints); j++)
				test_int_int(&ints[i], &ints[j], k & 1, k & 2);
		if (nfailed == before)
			report(k & 1 ? "cvt.sat among integers" : "cvt among integers", NULL);
	}
	for (unsigned m = 0; m < 4; m++)
		test_float_float(m);
	test_singles();
	return nfailed != 0;
}
