/* test_signs.c -- neg and abs, made of bits, read by float instructions: every chain of up to two of them before each
 * source of add, sub, mul, fma, min, max and setp, f32 and f64, against the host's arithmetic. */
#include "e2e.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* neg, abs in order of application; index of a chain for a source */
static const char *const chains[] = { "", "neg", "abs", "neg abs", "abs neg", "neg neg" };
enum { CHAINS = 6, USERS = 7, VALUES = 16 };
static const struct user { const char *ptx; int sources; } users[USERS] = { { "add.rn", 2 }, { "sub.rn", 2 }, { "mul.rn", 2 }, { "fma.rn", 3 },
	{ "min", 2 }, { "max", 2 }, { "setp.lt", 2 } };

static const double values[VALUES] = { 0.0, -0.0, 1.0, -1.0, 1.5, -2.75, 3e-39, -3e-39, 1e30, -1e30, INFINITY, -INFINITY, 0x1p-149, 7.25, -0.1, 12345.678 };

static double
chained(double x, const char *chain)
{
	for (const char *p = chain; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
		x = *p == 'n' ? -x : fabs(x);
	return x;
}

static double
least(double a, double b)
{
	return a < b || (a == b && signbit(a)) ? a : b;
}

static double
computed(int user, double a, double b, double c, bool wide)
{
	switch (user) {
	case 0: return wide ? a + b : (float)a + (float)b;
	case 1: return wide ? a - b : (float)a - (float)b;
	case 2: return wide ? a * b : (float)a * (float)b;
	case 3: return wide ? fma(a, b, c) : fmaf((float)a, (float)b, (float)c);
	case 4: return least(a, b);
	case 5: return -least(-a, -b);
	default: return a < b;
	}
}

static void
write_kernel(text *t, int user, const int chain[3], bool wide)
{
	const char *f = wide ? "f64" : "f32";

	text_add(t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .%s %%x<3>, %%r; .reg .b64 %%in, %%out, %%d; .reg .b32 %%t; .reg .pred %%p;\n"
		"ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%d, %%t, 24; add.u64 %%in, %%in, %%d;\n"
		"mul.wide.u32 %%d, %%t, 8; add.u64 %%out, %%out, %%d;\n", f);
	for (int k = 0; k < 3; k++) {
		text_add(t, "ld.global.%s %%x%d, [%%in+%d];\n", f, k, 8 * k);
		for (const char *p = chains[chain[k]]; *p; p += strcspn(p, " ") + (p[strcspn(p, " ")] == ' '))
			text_add(t, "%.3s.%s %%x%d, %%x%d;\n", p, f, k, k);
	}
	if (user == 6)
		text_add(t, "setp.lt.%s %%p, %%x0, %%x1; selp.%s %%r, 0%c%s, 0%c%s, %%p;\n", f, f, wide ? 'd' : 'f', wide ? "3FF0000000000000" : "3F800000",
			wide ? 'd' : 'f', wide ? "0000000000000000" : "00000000");
	else
		text_add(t, "%s.%s %%r, %%x0, %%x1%s;\n", users[user].ptx, f, users[user].sources == 3 ? ", %x2" : "");
	text_add(t, "st.global.%s [%%out], %%r;\nret;\n}\n", f);
}

/* Thread t: the values t, 3 t + 1, 5 t + 2 of the list. */
static double
operand(int t, int k)
{
	return values[(t * (2 * k + 1) + k) % VALUES];
}

static void
put(uint64_t *at, double x, bool wide)
{
	float f = (float)x;

	*at = 0;
	memcpy(at, wide ? (const void *)&x : (const void *)&f, wide ? 8 : 4);
}

static bool
is_nan(uint64_t bits, bool wide)
{
	return (wide ? bits << 1 : bits << 33) > (wide ? 0xffe0000000000000u : 0xff00000000000000u);
}

static int
check(const char *chip, int user, const int chain[3], bool wide)
{
	uint64_t in[VALUES][3], out[VALUES], want;
	text t = { 0 };
	int bad;

	for (int i = 0; i < VALUES; i++)
		for (int k = 0; k < 3; k++)
			put(&in[i][k], operand(i, k), wide);
	write_kernel(&t, user, chain, wide);
	e2e_run r = { .chip = chip, .ptx = t.s, .kernel = "k", .grid = { 1, 1, 1 }, .block = { VALUES, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = out, .out_size = sizeof out };
	bad = e2e_launch(users[user].ptx, &r);
	for (int i = 0; i < VALUES && !bad; i++) {
		double x[3];

		for (int k = 0; k < 3; k++)
			x[k] = chained(wide ? operand(i, k) : (double)(float)operand(i, k), chains[chain[k]]);
		put(&want, computed(user, x[0], x[1], x[2], wide), wide);
		bad = want != out[i] && !(is_nan(want, wide) && is_nan(out[i], wide));
		if (bad)
			printf("not ok signs on %s: %s of [%s], [%s], [%s], thread %d: %llx, not %llx\n", chip, users[user].ptx, chains[chain[0]],
				chains[chain[1]], chains[chain[2]], i, (unsigned long long)out[i], (unsigned long long)want);
	}
	free(t.s);
	return bad;
}

int
main(void)
{
	int bad = 0;

	for (const char *const *chip = e2e_on(e2e_chips, 4); *chip; chip++) {
		int here = 0;

		for (int wide = 0; wide < 2; wide++)
			for (int user = 0; user < USERS; user++)
				for (int n = 0; n < CHAINS * CHAINS; n++) {
					int chain[3] = { n % CHAINS, n / CHAINS, (n + n / CHAINS) % CHAINS };

					here |= check(*chip, user, chain, wide);
				}
		if (!here)
			printf("ok signs on %s\n", *chip);
		bad |= here;
	}
	return bad;
}
