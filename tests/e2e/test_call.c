/* test_call.c -- functions: by name, through registers, of themselves, of each other; alloca.
 * The kernels of call.ptx run on four chips at every level; what they must store is computed here as the
 * functions are meant. PTX ISA 7 (abstracting the ABI), 9.7.12.5 (call), 9.7.17 (stack). */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 96 };

static uint32_t input[THREADS];

static uint32_t
by_bit(uint32_t v)
{
	return v & 1 ? 2 * v : 3 * v;
}

static uint32_t
direct(uint32_t i)
{
	return by_bit(input[i]);
}

static uint32_t
in_registers(uint32_t x, uint32_t y)
{
	return x < 10 ? x + y : x - y;
}

static uint32_t
registers(uint32_t i)
{
	return in_registers(input[i], i) + in_registers(5, i);
}

static uint32_t
vectors(uint32_t i)
{
	return ((i + 1) * 1000 + i + 3) * 7 + 2 * input[i];
}

/* Results of 8 and 16 bits in registers of 16 and 32: each as ld of the same type has it, and in the whole register. */
static uint32_t
narrow(uint32_t i)
{
	uint32_t x = input[i] * 40503, y = x ^ x >> 16;
	uint32_t sum = (uint32_t)(int8_t)y * 3 + (uint8_t)y * 5 + (uint32_t)(int16_t)y * 7 + (uint16_t)y * 9;

	return sum + (uint16_t)(int8_t)y * 11u + (uint32_t)(int8_t)y * 13;
}

static uint32_t
fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t
recursive(uint32_t i)
{
	return fib(input[i] & 7);
}

static uint32_t ping(uint64_t v, uint32_t n);

static uint32_t
pong(uint64_t v, uint32_t n)
{
	uint32_t x = 0;

	if (n) {
		v += 3;
		x = ping(v, n - 1);
	}
	return (x * 5 + (uint32_t)v) ^ n;
}

static uint32_t
ping(uint64_t v, uint32_t n)
{
	uint32_t x = 1;

	if (n) {
		v <<= 1;
		x = pong(v, n - 1);
	}
	return x * 7 + (uint32_t)v;
}

static uint32_t
mutual(uint32_t i)
{
	return ping(input[i], i & 7) + pong(input[i], i & 7);
}

/* The table holds twice, thrice. */
static uint32_t
pointer(uint32_t i)
{
	return 3 * (input[i] & 1 ? 3 * input[i] : 2 * input[i]);
}

static uint32_t
exits(uint32_t i)
{
	return input[i] & 1 ? 0 : input[i];
}

static uint32_t
barriers(uint32_t i)
{
	uint32_t sum = 0;

	(void)i;
	for (unsigned k = 0; k < THREADS; k++)
		sum += input[k];
	return THREADS * sum;
}

static uint32_t
room(uint32_t i)
{
	return input[i] + (input[i] & 63) + 1;
}

static uint32_t
beside(uint32_t i)
{
	uint32_t v = 1;

	for (uint32_t n = 1; n <= (i & 7); n++)
		v += 1 + 100 * n;
	return v;
}

/* want NULL: the kernel must fault. */
static const struct kernel { const char *name; uint32_t (*want)(uint32_t); } kernels[] = {
	{ "direct", direct }, { "registers", registers }, { "vectors", vectors }, { "narrow", narrow }, { "recursive", recursive }, { "mutual", mutual },
	{ "pointer", pointer }, { "exits", exits }, { "barriers", barriers }, { "room", room }, { "beside", beside }, { "overflow", NULL },
};

static int
check(const char *ptx, const struct kernel *k, const char *chip, unsigned opt)
{
	uint32_t out[THREADS] = { 0 };
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = k->name, .opt = opt, .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 },
		.in = input, .in_size = sizeof input, .out = out, .out_size = sizeof out, .check = P2A_CHECK_ALL,
		.quiet = !k->want };
	int failed = e2e_launch(k->name, &r);

	if (!k->want && !failed)
		printf("not ok call %s on %s opt %u: no fault\n", k->name, chip, opt);
	if (!k->want || failed)
		return k->want ? 1 : !failed;
	for (uint32_t i = 0; i < THREADS; i++)
		if (out[i] != k->want(i)) {
			printf("not ok call %s on %s opt %u: thread %u stored %u, not %u\n", k->name, chip, opt, i, out[i],
			       k->want(i));
			return 1;
		}
	return 0;
}

int
main(void)
{
	FILE *f = fopen("tests/e2e/call.ptx", "r");
	char *ptx = calloc(1, 1 << 16);
	int bad = 0;

	if (!f || !ptx || !fread(ptx, 1, (1 << 16) - 1, f))
		abort();
	fclose(f);
	for (uint32_t i = 0; i < THREADS; i++)
		input[i] = i * 2654435761u >> 9;
	for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
		int before = bad;

		if (!kernels[k].want && e2e_hip()) {
			printf("skip call %s: ROCm ends the process of a kernel that faults\n", kernels[k].name);
			continue;
		}
		for (const char *const *chip = e2e_on(e2e_chips, 4); *chip; chip++)
			for (unsigned opt = 1; opt <= P2A_O0; opt++)
				bad += check(ptx, &kernels[k], *chip, opt);
		if (bad == before)
			printf("ok call %s: all chips, all levels\n", kernels[k].name);
	}
	free(ptx);
	return bad != 0;
}
