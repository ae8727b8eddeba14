/* test_print.c -- printf and assert in device code: what p2a_module_printed gives, against the host's own printf.
 * CUDA C++ Programming Guide, "Formatted output", "Assertion". */
#include "forms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { LANES = 150, BLOCK = 64, GRID = 3 };

static const char *chip;
static int bad;

static void
expect(int ok, const char *what, const char *said)
{
	if (!ok)
		printf("not ok print on %s: %s: %.200s\n", chip, what, said);
	bad |= !ok;
}

static char *
read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *s = calloc(1, 1 << 16);

	if (!f || !s || !fread(s, 1, (1 << 16) - 1, f))
		abort();
	fclose(f);
	return s;
}

typedef struct run {
	p2a_device *dev;
	p2a_module *mod;
	uint64_t in, out;
	int32_t data[LANES], result[GRID * BLOCK];
} run;

static int
start(run *r, const char *path)
{
	p2a_device_config c = { .size = sizeof c, .backend = e2e_hip() ? "hip" : "emu", .target = e2e_hip() ? NULL : chip };
	char *ptx = read_file(path);
	p2a_error e = { .text = "" };
	int failed = p2a_device_open(&c, &r->dev, &e) || p2a_module_load(r->dev, ptx, strlen(ptx), &r->mod, &e) ||
		p2a_mem_alloc(r->dev, sizeof r->data, &r->in, &e) || p2a_mem_alloc(r->dev, sizeof r->result, &r->out, &e) ||
		p2a_mem_write(r->dev, r->in, r->data, sizeof r->data, &e);

	expect(!failed, path, e.text);
	free(ptx);
	return !failed;
}

static p2a_rt_status
launch(run *r, const char *kernel, uint32_t grid, uint32_t block, p2a_error *e)
{
	int32_t n = LANES;
	char params[20];
	p2a_stats stats;
	p2a_launch_config l = { .size = sizeof l, .grid = { grid }, .block = { block }, .packed = params, .packed_size = sizeof params };

	memcpy(params, &r->in, 8);
	memcpy(params + 8, &r->out, 8);
	memcpy(params + 16, &n, 4);
	return p2a_launch(p2a_module_kernel(r->mod, kernel), &l, &stats, e);
}

static char *
printed(run *r)
{
	char *said = NULL;
	size_t n = 0;
	p2a_error e = { .text = "" };

	expect(!p2a_module_printed(r->mod, &said, &n, &e) && strlen(said) == n, "p2a_module_printed", e.text);
	return said;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in order of their texts: lanes print in any order. */
static size_t
lines(char *s, char **line, size_t most)
{
	size_t n = 0;

	for (char *p = strtok(s, "\n"); p && n < most; p = strtok(NULL, "\n"))
		line[n++] = p;
	qsort(line, n, sizeof *line, by_text);
	return n;
}

static void
say(void)
{
	run r = { 0 };
	char want[LANES * 64], *said, *got[LANES + 1], *wanted[LANES + 1];
	size_t at = 0, n, m;
	p2a_error e = { .text = "" };
	int same = 1;

	for (int i = 0; i < LANES; i++) {
		r.data[i] = i * 7919 % 1009 - 500;
		at += (size_t)(r.data[i] % 3 ? sprintf(want + at, "lane %d has %d, %s\n", i, r.data[i], r.data[i] & 1 ? "odd" : "even") :
			sprintf(want + at, "a %c, %5.2f %llx %%\n", 'x' + i % 3, r.data[i] * 0.25, (unsigned long long)r.data[i] << 33));
	}
	if (!start(&r, "tests/corpus/cuda/printing.ptx"))
		return;
	expect(!launch(&r, "say", GRID, BLOCK, &e), "launch", e.text);
	said = printed(&r);
	n = lines(said, got, LANES + 1);
	m = lines(want, wanted, LANES + 1);
	for (size_t i = 0; i < n && n == m && same; i++) {
		same = !strcmp(got[i], wanted[i]);
		expect(same, "a line", got[i]);
	}
	expect(n == m, "number of lines", "");
	expect(!p2a_mem_read(r.dev, r.result, r.out, sizeof r.result, &e), "read", e.text);
	for (int i = 0; i < LANES; i++)
		expect(r.result[i] == 3, "printf gives the number of its arguments", "");
	free(said);
	said = printed(&r);
	expect(!*said, "the buffer is empty afterwards", said);
	free(said);
	p2a_device_close(r.dev);
}

static void
check(void)
{
	run r = { .data = { [70] = -1 } };
	char *said;
	p2a_error e = { .text = "" };

	if (!start(&r, "tests/corpus/cuda/printing.ptx"))
		return;
	expect(!launch(&r, "check", 1, BLOCK, &e), "an assertion that holds", e.text);
	said = printed(&r);
	expect(!*said, "an assertion that holds says nothing", said);
	free(said);
	if (e2e_hip()) {                        /* one that fails ends the process: tests/hip/test_faults.sh */
		p2a_device_close(r.dev);
		return;
	}
	expect(launch(&r, "check", 2, BLOCK, &e) == P2A_RT_EFAULT, "an assertion that fails", e.text);
	said = printed(&r);
	expect(strstr(said, "printing.cu:20: void check(const int *, int *, int): block: [1,0,0], thread: [6,0,0] Assertion `i < n && in[i] >= 0' failed.\n") != NULL, "assertion", said);
	free(said);
	p2a_device_close(r.dev);
}

/* ---- any format, against the host's ---- */

enum { FORMAT = 0, LIST = 256, STRINGS = 416 };

/* Kinds: i a 32-bit integer, l one of 64 bits, d a double, p an address that nobody reads, s a string, w a wide one. */
static void
pack(run *r, const char *kinds, va_list ap)
{
	char *base = (char *)r->data;
	size_t at = LIST, strings = STRINGS;

	for (; *kinds; kinds++) {
		size_t size = *kinds == 'i' ? 4 : 8, n = 0;
		const void *p = NULL;
		uint64_t v;
		double d;

		if (*kinds == 'i')
			v = va_arg(ap, unsigned);
		else if (*kinds == 'd')
			d = va_arg(ap, double), memcpy(&v, &d, sizeof v);
		else if (*kinds == 'l')
			v = va_arg(ap, unsigned long long);
		else
			p = va_arg(ap, void *), v = (uintptr_t)p;
		if (p && *kinds == 's')
			n = strlen(p) + 1;
		if (p && *kinds == 'w')
			n = sizeof(wchar_t) * (wcslen(p) + 1);
		if (n) {
			memcpy(base + strings, p, n);
			v = r->in + strings;
			strings += (n + 7) & ~(size_t)7;
		}
		at = (at + size - 1) / size * size;
		memcpy(base + at, &v, size);
		at += size;
	}
}

static void
compare(run *r, int count, const char *kinds, const char *format, ...)
{
	char want[512], *said;
	p2a_error e = { .text = "" };
	va_list ap;

	va_start(ap, format);
	vsnprintf(want, sizeof want, format, ap);
	va_end(ap);
	memset(r->data, 0, sizeof r->data);
	strcpy((char *)r->data + FORMAT, format);
	va_start(ap, format);
	pack(r, kinds, ap);
	va_end(ap);
	expect(!p2a_mem_write(r->dev, r->in, r->data, sizeof r->data, &e) && !launch(r, "any", 1, 1, &e), "launch", e.text);
	said = printed(r);
	expect(!strcmp(said, want), format, said);
	free(said);
	expect(!p2a_mem_read(r->dev, r->result, r->out, 4, &e) && r->result[0] == count, format, "another number of arguments");
}

#pragma GCC diagnostic ignored "-Wformat"
static void
formats(void)
{
	static const char *const integers[] = { "%d", "%5i", "%-7d|", "%+d", "% d", "%07d", "%.0d", "%.5d", "%8.3d", "%u", "%o", "%#o", "%x", "%#X",
		"%#010x", "%hd", "%hu", "%hhd", "%hhx", "%c|", "%-3c|", "%lc", "%C" };
	static const char *const longs[] = { "%ld", "%lld", "%llu", "%lx", "%#llX", "%jd", "%zu", "%td", "%qd", "%Ld", "%20lld|", "%-20lld|", "%+.25lld" };
	static const char *const doubles[] = { "%f", "%.0f", "%#.0f", "%10.3f|", "%-10.3f|", "%+e", "%.17g", "%G", "%a", "%A", "%Lf", "%lf", "%010.2f" };
	static const unsigned i32[] = { 0, 1, 65, 0x7f, 0x7fffffff, 0x80000000, 0xffffffff, 98303, 513 };
	static const unsigned long long i64[] = { 0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 5000000000 };
	const double f64[] = { 0, -0.0, 1, -2.5, 1e300, 5e-324, 1 / 3., HUGE_VAL, -HUGE_VAL };
	int full = !getenv("P2A_TEST_QUICK");
	run r = { 0 };

	if (!start(&r, "tests/e2e/print.ptx"))
		return;
	for (size_t f = 0; f < sizeof integers / sizeof *integers; f++)
		for (size_t k = 0; k < sizeof i32 / sizeof *i32; k += full ? 1 : 4)
			if (i32[k] && (i32[k] < 128 || !strpbrk(integers[f], "cC")))
				compare(&r, 1, "i", integers[f], i32[k]);
	for (size_t f = 0; f < sizeof longs / sizeof *longs; f++)
		for (size_t k = 0; k < sizeof i64 / sizeof *i64; k += full ? 1 : 4)
			compare(&r, 1, "l", longs[f], i64[k]);
	for (size_t f = 0; f < sizeof doubles / sizeof *doubles; f++)
		for (size_t k = 0; k < sizeof f64 / sizeof *f64 && strcmp(doubles[f], "%Lf"); k += full ? 1 : 4)
			compare(&r, 1, "d", doubles[f], f64[k]);
	for (int w = -6; w <= 6; w += 3) {
		compare(&r, 2, "ii", "[%*d]", w, 42);
		compare(&r, 2, "ii", "[%.*d]", w, 42);
		compare(&r, 3, "iid", "[%-*.*f]", w, w, 2.75);
		compare(&r, 3, "iil", "[%0*.*lld]", w, w, 7LL);
		compare(&r, 3, "iis", "[%*.*s]", w, w, "text");
		compare(&r, 2, "ip", "[%*p]", w, (void *)0x1234);
	}
	compare(&r, 1, "p", "%p", NULL);
	compare(&r, 2, "pp", "%20p|%-20p|", NULL, (void *)0xabcdef0123);
	compare(&r, 2, "ss", "%s %s", "a", "");
	compare(&r, 3, "sss", "%s %10.3s| %.6s", NULL, NULL, NULL);
	compare(&r, 2, "ww", "%ls|%8.2ls|", L"wide", L"text");
	compare(&r, 1, "w", "%S", L"wide");
	compare(&r, 6, "ililid", "%d %lld %d %ld %hhd %g", -1, -2LL, 3, 1LL << 40, 300, 0.5);
	compare(&r, 5, "iliii", "%c%llx%lc%d%c", 'a', ~0ULL, L'b', 5, 'z');
	compare(&r, 0, "", "100%% |");
	compare(&r, 3, "ipi", "%d%n%d", 1, &(int){ 0 }, 2);
	compare(&r, 1, "i", "%'d", 1234567);
	p2a_device_close(r.dev);
}

static void
by_hand(void)
{
	run r = { 0 };
	char want[256], *said;
	p2a_error e = { .text = "" };
	size_t whole;

	snprintf(want, sizeof want, "[%*.*f|%-*d|%hhu|%hd|%li|%.3s|%08x]%%\n", 9, 3, 3.141592653589793, 6, -42, (unsigned char)513, (short)98303,
		-5000000000, "abcde", 0xbeef);
	if (!start(&r, "tests/e2e/print.ptx"))
		return;
	expect(!launch(&r, "stars_or_one", 1, 2, &e), "launch", e.text);
	said = printed(&r);
	expect(strlen(said) == strlen(want) + 5 && strstr(said, want) && strstr(said, "one \n"), "lengths and stars", said);
	free(said);
	expect(!p2a_mem_read(r.dev, r.result, r.out, sizeof r.result, &e), "read", e.text);
	expect(r.result[0] == 0 && r.result[1] == 10, "stars count as arguments", "");
	expect(!launch(&r, "flood", GRID, BLOCK, &e), "launch", e.text);
	said = printed(&r);
	whole = ((1 << 20) - 16) / 16;          /* a record without arguments has 16 bytes */
	expect(strlen(said) > whole * 5 && !strncmp(said + (whole - 1) * 5, "one \n", 5) && !strncmp(said + whole * 5, "(more was printed", 17) &&
		strstr(said, ": 1101840 bytes"), "the buffer is full", strlen(said) > whole * 5 ? said + whole * 5 : said);
	free(said);
	p2a_device_close(r.dev);
}

int
main(void)
{
	for (int c = 0; form_chips(c, &chip); c++) {
		say();
		check();
		by_hand();
		formats();
	}
	if (!bad)
		printf("ok printf, assert\n");
	return bad;
}
