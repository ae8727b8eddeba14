/* bfi_host.c -- a host program on p2a_rt.h: translates a PTX example, runs it, compares with the CPU.
 * Needs bit_set_clear.ptx (its path may be the first argument); runs on an AMD GPU where one answers,
 * else on the emulator. Build: cmake --build build --target example_bfi_host. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "p2a_rt.h"

enum { N = 1000, LANES = 128, STEPS = 12 };

static int
complain(const char *what, const p2a_error *err)
{
	fprintf(stderr, "%s: %s (%s)\n", what, err->text, p2a_rt_status_name(err->status));
	return EXIT_FAILURE;
}

static char *
read_text(const char *path, size_t *size)
{
	enum { CAP = 1 << 20 };
	FILE *f = fopen(path, "rb");
	char *text = f ? malloc(CAP) : NULL;

	*size = text ? fread(text, 1, CAP, f) : 0;
	if (f)
		fclose(f);
	return text;
}

/* What the kernel does with one word, from the definition of the list: an entry is a position in its
 * low byte and the bit to put there in bit 8; a position past the top changes nothing. */
static uint32_t
expected(uint32_t word, const uint16_t *list, uint32_t first)
{
	for (uint32_t i = 0; i < STEPS; i++) {
		uint16_t entry = list[first + i];
		uint32_t pos = entry & 0xff, bit = entry >> 8 & 1;
		if (pos < 32)
			word = (word & ~(1u << pos)) | bit << pos;
	}
	return word;
}

static uint32_t words[N], result[N];
static uint16_t list[N * STEPS];

static void
make_input(void)
{
	uint32_t x = 1;

	for (uint32_t i = 0; i < N; i++)
		words[i] = x = x * 1664525 + 1013904223;
	for (uint32_t i = 0; i < N * STEPS; i++) {
		x = x * 1664525 + 1013904223;
		list[i] = (uint16_t)((x >> 16 & 0x100) | (x >> 8) % 40);
	}
}

/* Copies in, launches, copies out. */
static p2a_rt_status
run(p2a_device *dev, const p2a_kernel *kernel, p2a_stats *stats, p2a_error *err)
{
	uint64_t dwords, dlist;
	uint32_t steps = STEPS, n = N;
	const void *args[] = { &dwords, &dlist, &steps, &n };
	p2a_launch_config launch = { .size = sizeof launch, .grid = { (N + LANES - 1) / LANES },
				     .block = { LANES }, .args = args, .nargs = 4 };
	p2a_rt_status s;

	if ((s = p2a_mem_alloc(dev, sizeof words, &dwords, err)) != P2A_RT_OK ||
	    (s = p2a_mem_alloc(dev, sizeof list, &dlist, err)) != P2A_RT_OK ||
	    (s = p2a_mem_write(dev, dwords, words, sizeof words, err)) != P2A_RT_OK ||
	    (s = p2a_mem_write(dev, dlist, list, sizeof list, err)) != P2A_RT_OK ||
	    (s = p2a_launch(kernel, &launch, stats, err)) != P2A_RT_OK)
		return s;
	return p2a_mem_read(dev, result, dwords, sizeof result, err);
}

static int
differences(void)
{
	int n = 0;

	for (uint32_t i = 0; i < N; i++) {
		uint32_t want = expected(words[i], list, i * STEPS);
		if (result[i] != want && n++ < 5)
			printf("word %" PRIu32 ": %08" PRIx32 " instead of %08" PRIx32 "\n", i, result[i], want);
	}
	return n;
}

int
main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "examples/bit_set_clear/bit_set_clear.ptx";
	size_t size;
	char *ptx = read_text(path, &size);
	p2a_source source = { .name = path, .text = ptx, .size = size };
	p2a_device *dev;
	p2a_module *module;
	p2a_stats stats;
	p2a_error err;

	if (!ptx) {
		perror(path);
		return EXIT_FAILURE;
	}
	if (p2a_device_open(NULL, &dev, &err) != P2A_RT_OK)
		return complain("device", &err);
	printf("device   %s, target %s\n", p2a_device_name(dev), p2a_device_target(dev));
	if (p2a_module_load_ptx(dev, &source, 1, NULL, &module, &err) != P2A_RT_OK)
		return complain(path, &err);
	const p2a_kernel *kernel = p2a_module_kernel(module, "bit_set_clear");
	if (!kernel)
		return EXIT_FAILURE;
	printf("kernel   %s, %u VGPRs, waves of %u\n", p2a_kernel_attributes(kernel)->name,
	       (unsigned)p2a_kernel_attributes(kernel)->vgprs, (unsigned)p2a_kernel_attributes(kernel)->wave);
	make_input();
	if (run(dev, kernel, &stats, &err) != P2A_RT_OK)
		return complain("launch", &err);
	int bad = differences();
	printf("%d of %d words differ from the CPU (%.3f ms)\n", bad, N, stats.seconds * 1e3);
	p2a_device_close(dev);
	free(ptx);
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
