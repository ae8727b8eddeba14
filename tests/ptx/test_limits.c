/* test_limits.c -- extreme input: depth, sizes, numbers, things without end; and time that stays linear.
 * Each text must give exactly the first diagnostic named, and must not crash. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/front.h"
#include "ptx_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL HEAD ".entry k() {\n.reg .b32 r;\n"

static void
expect_first(const char *name, const char *text, size_t n, unsigned id)
{
	unit u;

	unit_open(&u, name, text, n);
	unit_check(&u);
	if (expect_true(u.diags.list.n ? u.diags.list.a[0].id == id : id == 0, "%s: expected E%04u, found %s",
	    name, id, u.diags.list.n ? unit_first_fault(&u) : "nothing"))
		pass("%s", name);
	unit_close(&u);
}

static void
expect_text(const char *name, const char *text, unsigned id)
{
	expect_first(name, text, strlen(text), id);
}

/* head, then piece n times, then tail */
static char *
repeated(const char *head, const char *piece, size_t n, const char *tail, size_t *size)
{
	size_t a = strlen(head), b = strlen(piece), c = strlen(tail);
	char *s = malloc(a + b * n + c + 1);

	if (!s)
		abort();
	memcpy(s, head, a);
	for (size_t i = 0; i < n; i++)
		memcpy(s + a + b * i, piece, b);
	memcpy(s + a + b * n, tail, c + 1);
	*size = a + b * n + c;
	return s;
}

static void
bomb(const char *name, const char *head, const char *piece, size_t n, const char *tail, unsigned id)
{
	size_t size;
	char *s = repeated(head, piece, n, tail, &size);

	expect_first(name, s, size, id);
	free(s);
}

static void
bombs(void)
{
	bomb("blocks 150 deep", KERNEL, "{", 150, "ret;", 102);
	bomb("blocks a million deep", KERNEL, "{", 1000000, "ret;", 106);
	bomb("closed blocks a million deep", KERNEL "{", "}{", 1000000, "}}", 0);
	bomb("parentheses", KERNEL "mov.b32 r, ", "(", 1000000, "1;}", 106);
	bomb("minus signs", KERNEL "mov.b32 r, ", "- ", 1000000, "1;}", 106);
	bomb("casts", KERNEL "mov.b32 r, ", "(.u64)", 100000, "1;}", 106);
	bomb("question marks", KERNEL "mov.b32 r, ", "1 ? ", 100000, "1;}", 106);
	bomb("vectors in vectors", KERNEL "mov.b32 r, ", "{", 1000000, "r;}", 106);
	bomb("lists in lists", KERNEL "call ", "(", 1000000, "r;}", 106);
	bomb("brackets", KERNEL "ld.global.b32 r, ", "[", 1000000, "r;}", 102);
	bomb("sums are no depth", KERNEL "mov.b32 r, 0", " + 1", 100000, "; }", 0);
	bomb("initializer braces", HEAD ".global .b8 x[4] = ", "{", 100000, "1;", 102);
	bomb("dimensions", HEAD ".global .b8 x", "[1]", 100000, " = {1};", 102);
	bomb("sizes multiply", HEAD ".global .b8 x", "[65536]", 10, ";", 101);
	bomb("a long name", HEAD ".global .b8 ", "x", 1000000, ";", 0);
	bomb("modifiers", KERNEL "add", ".sat", 100000, ".s32 r, r, r; }", 204);
	bomb("types", KERNEL "add", ".s32", 100000, " r, r, r; }", 205);
	bomb("operands", KERNEL "add.s32 r", ", r", 100000, "; }", 102);
	bomb("targets", KERNEL "L: T: .branchtargets L", ", L", 100000, "; }", 0);
	bomb("registers", HEAD ".entry k() {", ".reg .b32 %r<1000000000>, q<2>; {", 150, "", 102);
	bomb("guards", KERNEL, "@r ", 1000, "ret; }", 102);
	bomb("digits", KERNEL "mov.b32 r, ", "9", 1000000, "; }", 104);
	bomb("digits of a fraction", HEAD ".global .f64 x = 1.", "3", 1000000, ";", 0);
	bomb("zeros of a fraction", HEAD ".global .f64 x = 0.", "0", 1000000, "1;", 0);
	bomb("characters that begin nothing", HEAD, "\x01", 1000000, "", 103);
}

static void
unterminated(void)
{
	static const char many_nuls[1000] = HEAD;

	expect_text("nothing", "", 107);
	expect_first("a NUL at the end", HEAD, sizeof HEAD, 0);
	expect_first("more NULs at the end", HEAD "\0\0\0", sizeof HEAD + 3, 0);
	expect_first("hundreds of them", many_nuls, sizeof many_nuls, 0);
	expect_first("NULs alone", "\0\0", 2, 103);
	expect_first("a NUL before the end", HEAD "\0\n", sizeof HEAD + 1, 103);
	expect_first("a NUL in a function", KERNEL "\0ret; }", sizeof KERNEL + 6, 103);
	expect_text("comment without end", HEAD "/* ", 105);
	expect_text("string without end", HEAD ".file 1 \"abc", 105);
	expect_text("string across lines", HEAD ".file 1 \"abc\n\"", 105);
	expect_text("function without end", KERNEL "ret;", 105);
	expect_text("instruction without end", KERNEL "mov.b32 r", 102);
	expect_text("section without end", HEAD ".section .debug_info { .b8 1", 102);
	expect_text("parameters without end", HEAD ".entry k(.param .u32 a", 102);
	expect_text("initializer without end", HEAD ".global .b8 x[2] = {1,", 102);
	expect_text("version without number", ".version", 102);
	expect_text("attribute without end", HEAD ".global .attribute(.managed .b8 x;", 102);
	expect_text("guard alone", KERNEL "@", 102);
	expect_text("dot alone", HEAD ".", 102);
	expect_text("percent alone", KERNEL "mov.b32 r, %; }", 102);
	expect_text("number too large", KERNEL "mov.b32 r, 18446744073709551616; }", 104);
	expect_text("largest number", KERNEL "mov.b32 r, 18446744073709551615; }", 0);
	expect_text("smallest number", KERNEL "mov.b32 r, -9223372036854775808; }", 0);
	expect_text("division overflow", KERNEL "mov.b32 r, -9223372036854775808 / -1; }", 0);
	expect_text("remainder overflow", KERNEL "mov.b32 r, -9223372036854775808 % -1; }", 0);
	expect_text("shift by too much", KERNEL "mov.b32 r, 1 << 64 | -1 >> 1000; }", 0);
	expect_text("array of nothing", HEAD ".global .b8 x[0];", 214);
	expect_text("array too large", HEAD ".global .b64 x[1099511627777];", 108);
	expect_text("count of registers", KERNEL ".reg .b32 q<4294967296>; }", 102);
	expect_text("alignment", HEAD ".global .align 3 .b8 x;", 101);
	expect_text("two types", HEAD ".global .b8 .b8 x;", 102);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
time_of(const char *head, const char *piece, size_t n, const char *tail)
{
	size_t size, printed;
	char *s = repeated(head, piece, n, tail, &size);
	double start = seconds();
	unit u;

	unit_open(&u, "large", s, size);
	unit_check(&u);
	unit_print(&u, &printed);
	unit_close(&u);
	free(s);
	return seconds() - start;
}

/* Sixteen times the text may take at most forty times as long: far from the 256 of a square. */
static void
linear(const char *name, const char *head, const char *piece, const char *tail)
{
	double small = time_of(head, piece, 4000, tail), large = time_of(head, piece, 64000, tail);

	if (expect_true(large < 0.05 || large < 40 * small, "%s: %.3f s for 4,000, %.3f s for 64,000", name, small, large))
		pass("%s stays linear", name);
}

static void
times(void)
{
	linear("code", KERNEL ".reg .pred p; L:", "@p bra L; add.s32 r, r, 1;\n", "}");
	linear("faults", KERNEL, "foo.u32 r, q;\n", "}");
	linear("syntax faults", KERNEL, "add.u32 r r;\n", "}");
	linear("scopes", KERNEL, "{ .reg .b32 r, %q<5>; add.s32 r, %q3, 1; }\n", "}");
	linear("functions", HEAD, ".func f(.param .b32 a);\n", "");
	linear("data", HEAD ".global .b8 x[] = {0", ", 255", "};");
	linear("debug data", HEAD ".section .debug_info {", ".b8 1, 2, 3\n", "}");
	linear("lines", KERNEL, ".loc 1 2 3\n", "}");
	linear("open declarations", HEAD, ".global .b8 x[] = {1, 2\n", "");
	linear("comments", HEAD, "/* c */ // d\n", "");
}

static void
decimals(void)
{
	static const char *const hard[] = { "2.2250738585072011e-308", "4.9406564584124654e-324",
		"2.4703282292062327e-324", "1.7976931348623158e308", "9007199254740993.0", "1e23", "8.5e-5",
		"0.500000000000000166533453693773481063544750213623046875", "1e-400", "0.0", "6.02e+23" };
	uint64_t state = 1;
	bool good = true;
	char text[64];

	for (int i = 0; i < 20000; i++) {
		const char *s = text;
		double want;
		uint64_t bits;

		if (i < (int)COUNT(hard)) {
			s = hard[i];
		} else {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(state >> (i % 60)),
				(unsigned long long)(state >> 40), (int)(state >> 33) % 330 - (i & 1) * 329);
		}
		want = strtod(s, NULL);
		memcpy(&bits, &want, sizeof bits);
		if (!isinf(want) && decimal_bits(s, strlen(s)) != bits)
			good = expect_true(false, "decimal %s", s);
	}
	if (good)
		pass("decimal numbers are rounded as by strtod");
}

int
main(void)
{
	bombs();
	unterminated();
	times();
	decimals();
	return finish();
}
