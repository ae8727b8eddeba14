/* test_values.c -- values that NVIDIA's assembler folds (tests/data/ptx_values.jsonl), computed by our code.
 * Each case is one instruction with constant operands and the folded result. It runs three ways: operands
 * loaded from memory (per-lane code), from parameters (uniform code), and written as constants (folding).
 * Float results that are NaN agree if both are NaN: the payload is not kept (docs/limits in README). */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXSRC = 5, BATCH = 100 };
typedef struct value { char type[8]; uint64_t bits; } value;
typedef struct test_case { char op[64], text[256], dst[8]; value src[MAXSRC]; unsigned nsrc; uint64_t want; bool known; } test_case;

/* ---- reading the file: one flat JSON object a line ---- */

static const char *
after(const char *line, const char *key)
{
	char k[32];
	const char *p;

	snprintf(k, sizeof k, "\"%s\": ", key);
	p = strstr(line, k);
	return p ? p + strlen(k) : NULL;
}

static const char *
quoted(const char *p, char *out, size_t cap)
{
	size_t n = 0;

	if (!p || *p++ != '"')
		return NULL;
	while (*p && *p != '"') {
		if (n + 1 < cap)
			out[n++] = *p;
		p++;
	}
	out[n] = 0;
	return *p ? p + 1 : NULL;
}

static bool
parse(const char *line, test_case *c)
{
	const char *p = after(line, "src");
	char num[64];

	memset(c, 0, sizeof *c);
	if (!quoted(after(line, "op"), c->op, sizeof c->op) || !quoted(after(line, "dst"), c->dst, sizeof c->dst) || !p)
		return false;
	quoted(after(line, "asm"), c->text, sizeof c->text);
	for (p++; *p == '[' && c->nsrc < MAXSRC; c->nsrc++) {
		p = quoted(p + 1, c->src[c->nsrc].type, sizeof c->src[0].type);
		if (!p || !(p = quoted(p + 2, num, sizeof num)))
			return false;
		c->src[c->nsrc].bits = strtoull(num, NULL, 0);
		if (*num == '-')
			c->src[c->nsrc].bits = (uint64_t)strtoll(num, NULL, 0);
		p++;
		while (*p == ',' || *p == ' ')
			p++;
	}
	c->known = quoted(after(line, "result"), num, sizeof num) != NULL;
	c->want = c->known ? strtoull(num, NULL, 0) : 0;
	return true;
}

static unsigned
width(const char *type)
{
	return (unsigned)atoi(type + 1);
}


/* ---- PTX of a batch ---- */

typedef enum way { MEMORY, PARAM, CONSTANT } way;
static const char *const way_name[] = { "from memory", "from parameters", "as constants" };

static void
operand_code(text *t, const test_case *c, unsigned k, unsigned index, way w)
{
	unsigned bits = width(c->src[k].type);
	const char *r = bits == 64 ? "%rd" : bits == 16 ? "%h" : "%r";

	if (w == CONSTANT)
		text_add(t, "mov.b%u %s%u, %#llx;\n", bits, r, k,
		         (unsigned long long)(c->src[k].bits & (bits == 64 ? ~0ull : (1ull << bits) - 1)));
	else if (w == MEMORY)
		text_add(t, "ld.global.b%u %s%u, [%%in+%u];\n", bits, r, k, (index * MAXSRC + k) * 8);
	else
		text_add(t, "ld.param.b%u %s%u, [p+%u];\n", bits, r, k, (index * MAXSRC + k) * 8);
}

static void
body(text *t, const test_case *c, const char *dst)
{
	const char *p = c->text;

	if (!*p) {
		text_add(t, "%s %s", c->op, dst);
		for (unsigned k = 0; k < c->nsrc; k++)
			text_add(t, ", %s%u", width(c->src[k].type) == 64 ? "%rd" : width(c->src[k].type) == 16 ? "%h" : "%r", k);
		text_add(t, ";\n");
		return;
	}
	for (; *p; p++) {
		unsigned k;

		if (*p != '$') {
			text_add(t, "%c", *p);
			continue;
		}
		p++;
		if (*p == 'd') {
			text_add(t, "%s", dst);
			continue;
		}
		k = (unsigned)(*p - '0');
		text_add(t, "%s%u", width(c->src[k].type) == 64 ? "%rd" : width(c->src[k].type) == 16 ? "%h" : "%r", k);
	}
	text_add(t, "\n");
}

static void
batch_code(text *t, const test_case *c, unsigned n, way w)
{
	t->n = 0;
	text_add(t, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out");
	if (w == PARAM)
		text_add(t, ", .param .align 8 .b8 p[%u]", n * MAXSRC * 8);
	text_add(t, ")\n{\n.reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .b64 %%in, %%out; .reg .pred %%p<4>;\n"
	         "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n");
	for (unsigned i = 0; i < n; i++) {
		unsigned bits = width(c[i].dst);

		text_add(t, "{\n");
		for (unsigned k = 0; k < c[i].nsrc; k++)
			operand_code(t, &c[i], k, i, w);
		body(t, &c[i], bits == 64 ? "%rd8" : bits == 16 ? "%h8" : "%r8");
		text_add(t, "st.global.b%u [%%out+%u], %s8;\n}\n", bits, i * 8, bits == 64 ? "%rd" : bits == 16 ? "%h" : "%r");
	}
	text_add(t, "ret;\n}\n");
}

static bool
is_nan(const char *type, uint64_t x)
{
	if (!strcmp(type, "f32"))
		return (x & 0x7fffffff) > 0x7f800000;
	if (!strcmp(type, "f16"))
		return (x & 0x7fff) > 0x7c00;
	return !strcmp(type, "f64") && (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

/* The assembler folds add.cc to a constant carry and leaves addc with a carry-in that is always true; the file's
 * value is then the plain sum. There the manual's value, carry included, is demanded. */
static uint64_t
expected(const test_case *c)
{
	uint32_t low = (uint32_t)(c->src[0].bits + c->src[1].bits);

	if (strcmp(c->op, "add.cc+addc") || low >= (uint32_t)c->src[0].bits)
		return c->want;
	return (uint32_t)(c->src[2].bits + c->src[3].bits + 1);
}

static bool
agrees(const test_case *c, uint64_t got)
{
	const char *type = strstr(c->op, ".f16.") ? "f16" : c->dst;

	return got == expected(c) || (is_nan(type, got) && is_nan(type, c->want));
}

static int
run_batch(const char *chip, const test_case *c, unsigned n, way w, text *t)
{
	uint64_t in[BATCH * MAXSRC] = { 0 }, out[BATCH];
	e2e_run r = { .chip = chip, .kernel = "k", .sem = P2A_SEM_NVIDIA, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
		.in = in, .in_size = sizeof in, .out = out, .out_size = sizeof out };
	int bad = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < c[i].nsrc; k++)
			in[i * MAXSRC + k] = c[i].src[k].bits;
	batch_code(t, c, n, w);
	r.ptx = t->s;
	if (w == PARAM) {
		r.extra = in;
		r.extra_size = n * MAXSRC * 8;
	}
	if (e2e_launch(way_name[w], &r))
		return 1;
	for (unsigned i = 0; i < n; i++) {
		if (agrees(&c[i], out[i]))
			continue;
		printf("not ok value %s %s on %s:", c[i].text[0] ? c[i].text : c[i].op, way_name[w], chip);
		for (unsigned k = 0; k < c[i].nsrc; k++)
			printf(" %#llx", (unsigned long long)c[i].src[k].bits);
		printf(": got %#llx, NVIDIA %#llx\n", (unsigned long long)out[i], (unsigned long long)expected(&c[i]));
		bad = 1;
	}
	return bad;
}

static test_case *
read_cases(const char *path, unsigned *n)
{
	FILE *f = fopen(path, "r");
	char line[2048];
	test_case *c = NULL;

	*n = 0;
	while (f && fgets(line, sizeof line, f)) {
		c = realloc(c, (*n + 1) * sizeof *c);
		if (!c || !parse(line, &c[*n])) {
			printf("not ok values: cannot read: %s", line);
			exit(1);
		}
		*n += c[*n].known;
	}
	if (f)
		fclose(f);
	return c;
}

int
main(void)
{
	unsigned n;
	test_case *c = read_cases("tests/data/ptx_values.jsonl", &n);
	text t = { 0 };
	int bad = 0;

	if (n < 3500) {
		printf("not ok values: only %u cases read\n", n);
		return 1;
	}
	for (const char *const *chip = e2e_on(e2e_chips, e2e_quick() ? 1 : 4); *chip; chip++)
		for (int w = MEMORY; w <= CONSTANT; w++) {
			int b = 0;

			for (unsigned i = 0; i < n; i += BATCH)
				b |= run_batch(*chip, c + i, n - i < BATCH ? n - i : BATCH, (way)w, &t);
			if (!b)
				printf("ok values %s on %s: %u\n", way_name[w], *chip, n);
			bad |= b;
		}
	free(t.s);
	free(c);
	return bad;
}
