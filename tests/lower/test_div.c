/* test_div.c -- div and rem of all six types against C's / and %: edges, mixtures, constant divisors.
 * By zero: all ones and the dividend (lower/div.c says so; the manual leaves it open). */
#include "harness.h"

#include <stdio.h>

typedef struct type { const char *name; unsigned bits; bool s; } type;
static const type types[] = {
	{ "u16", 16, false }, { "s16", 16, true }, { "u32", 32, false }, { "s32", 32, true },
	{ "u64", 64, false }, { "s64", 64, true },
};

static uint64_t
mask(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static int64_t
sign_extended(uint64_t x, unsigned bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static uint64_t
expected(const type *t, bool rem, uint64_t x, uint64_t y)
{
	int64_t sx = sign_extended(x, t->bits), sy = sign_extended(y, t->bits);

	if (!y)
		return rem ? x : mask(t->bits);
	if (!t->s)
		return rem ? x % y : x / y;
	if (sy == -1)
		return rem ? 0 : (0 - x) & mask(t->bits);       /* also the one that overflows */
	return (uint64_t)(rem ? sx % sy : sx / sy) & mask(t->bits);
}

static bool
check(const op *o, const type *t, bool rem, const char *name, uint64_t x, uint64_t y)
{
	uint64_t src[2] = { x, y }, r, want = expected(t, rem, x, y);

	if (op_eval(o, src, &r) && (r & mask(t->bits)) == want)
		return true;
	report(name, "%llx, %llx: %llx, not %llx", (unsigned long long)x, (unsigned long long)y,
		(unsigned long long)r, (unsigned long long)want);
	return false;
}

/* Dividends near multiples of the divisor are where an estimate is off by one. */
static bool
check_pair(const op *o, const type *t, bool rem, const char *name, uint64_t x, uint64_t y)
{
	uint64_t m = mask(t->bits), near = y ? x / y * y : x;

	return check(o, t, rem, name, x, y) && check(o, t, rem, name, near & m, y) &&
		check(o, t, rem, name, (near - 1) & m, y) && check(o, t, rem, name, (near + y - 1) & m, y);
}

static void
test_registers(const type *t, bool rem, unsigned npairs)
{
	char name[32], text[64];
	const char *src[2] = { t->name, t->name };
	op o;
	unsigned n = 0;

	snprintf(name, sizeof name, "%s.%s", rem ? "rem" : "div", t->name);
	snprintf(text, sizeof text, "%s d, a0, a1;", name);
	if (!op_new(&o, text, t->name, 2, src, P2A_SEM_DOCUMENTED)) {
		report(name, "%s", unit_diags(o.u));
		return;
	}
	for (unsigned i = 0; i < NEDGES; i++)
		for (unsigned k = 0; k < NEDGES; k++)
			if (!check_pair(&o, t, rem, name, sample(i, t->bits), sample(k, t->bits)))
				return;
	for (; n < npairs; n++)
		if (!check_pair(&o, t, rem, name, sample(2 * n + 100, t->bits), sample(2 * n + 101, t->bits)))
			return;
	printf("# %s: %u pairs\n", name, 4 * (n + NEDGES * NEDGES));
	report(name, NULL);
	op_free(&o);
}

/* Every divisor of 16 bits, with the dividends next to its multiples. */
static void
test_all_16(void)
{
	static const type t = { "u16", 16, false };
	const char *src[2] = { "u16", "u16" };
	op o;

	op_new(&o, "div.u16 d, a0, a1;", "u16", 2, src, P2A_SEM_DOCUMENTED);
	for (uint64_t y = 1; y < 65536; y++)
		for (uint64_t k = 1; k < 4; k++) {
			uint64_t x = 65535 / k / y * y;

			if (!check(&o, &t, false, "div.u16 all", x, y) ||
			    (x && !check(&o, &t, false, "div.u16 all", x - 1, y)))
				return;
		}
	report("div.u16 all divisors", NULL);
	op_free(&o);
}

static bool
test_constant(const type *t, bool rem, uint64_t y)
{
	char name[64], text[64];
	const char *src[1] = { t->name };
	op o;
	bool ok = true;

	snprintf(name, sizeof name, "%s.%s by constant 0x%llx", rem ? "rem" : "div", t->name, (unsigned long long)y);
	if (t->s)
		snprintf(text, sizeof text, "%s.%s d, a0, %lld;", rem ? "rem" : "div", t->name,
			(long long)sign_extended(y, t->bits));
	else
		snprintf(text, sizeof text, "%s.%s d, a0, %lluU;", rem ? "rem" : "div", t->name, (unsigned long long)y);
	if (!op_new(&o, text, t->name, 1, src, P2A_SEM_DOCUMENTED)) {
		report(name, "%s", unit_diags(o.u));
		return false;
	}
	for (unsigned i = 0; ok && i < 400; i++)
		ok = check_pair(&o, t, rem, name, sample(i, t->bits), y);
	op_free(&o);
	return ok;
}

int
main(void)
{
	bool ok = true;

	for (size_t i = 0; i < COUNT(types); i++)
		for (int rem = 0; rem < 2; rem++)
			test_registers(&types[i], rem, 40000);
	test_all_16();
	for (size_t i = 0; i < COUNT(types); i++)
		for (unsigned k = 0; k < 120; k++)
			ok &= test_constant(&types[i], k & 1, sample(k, types[i].bits));
	if (ok)
		report("constant divisors", NULL);
	return nfailed != 0;
}
