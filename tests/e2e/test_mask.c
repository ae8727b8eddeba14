/* test_mask.c -- the kin of bfi wholly: bmsk on all 256 x 256 operands and beyond, szext on every bit and
 * every length, prmt on all selectors in all modes; per lane, and with what narrows an operand in front.
 * Expected values: the manual's definitions ("Parallel Thread Execution ISA", 9.7.1.21, 9.7.1.22, 9.7.9.7). */
#include "forms.h"

#include <stdlib.h>

static int
run(const char *name, form_list *l, form_data *d)
{
	int bad = form_run(name, l, d, FORM_ONLY_LANES);

	free(l->f);
	free(d->v);
	return bad;
}

/* k[0]: .clamp; k[1], k[2]: masks on a and b; k[3]: a becomes that constant, if not negative; k[4]: b. */
static uint64_t
bmsk(const form *f, const uint64_t *s)
{
	uint64_t a = f->k[3] < 0 ? s[0] : (uint64_t)f->k[3], b = f->k[4] < 0 ? s[1] : (uint64_t)f->k[4];

	if (f->k[1])
		a &= (uint64_t)f->k[1];
	if (f->k[2])
		b &= (uint64_t)f->k[2];
	return ref_bmsk((uint32_t)a, (uint32_t)b, f->k[0]);
}

static void
add_bmsk(form_list *l, int clamp, int mask_a, int mask_b)
{
	form *f = form_add(l, "r:rr", bmsk, "{ .reg .b32 x, y; and.b32 x, $1, %d; and.b32 y, $2, %d; bmsk.%s.b32 $0, x, y; }",
	                   mask_a ? mask_a : -1, mask_b ? mask_b : -1, clamp ? "clamp" : "wrap");
	int k[5] = { clamp, mask_a, mask_b, -1, -1 };

	for (int i = 0; i < 5; i++)
		f->k[i] = k[i];
}

static void
add_bmsk_const(form_list *l, int pos, int len)
{
	form *f = pos < 0 ? form_add(l, "r:rr", bmsk, "bmsk.clamp.b32 $0, $1, %d;", len)
	                  : form_add(l, "r:rr", bmsk, "bmsk.clamp.b32 $0, %d, $2;", pos);
	int k[5] = { 1, 0, 0, pos, len };

	for (int i = 0; i < 5; i++)
		f->k[i] = k[i];
}

static int
test_bmsk(void)
{
	form_list l = { 0 };
	form_data d = { 0 };
	const uint64_t far[] = { 0x100, 0x10000, 0x80000000, 0xffffffff, 0xffffff1f };
	const int edge[] = { 0, 1, 7, 30, 31, 32, 33, 64 };

	for (int clamp = 0; clamp < 2; clamp++)
		for (int narrow = 0; narrow < 4; narrow++)
			add_bmsk(&l, clamp, narrow & 1 ? 31 : 0, narrow & 2 ? 31 : 0);
	for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
		add_bmsk_const(&l, edge[i], -1);
		add_bmsk_const(&l, -1, edge[i]);
	}
	for (uint64_t a = 0; a < 256; a++)
		for (uint64_t b = 0; b < 256; b++)
			form_vector(&d, a, b, 0, 0);
	for (uint64_t i = 0; i < 40 * 5; i++) {
		form_vector(&d, i / 5, far[i % 5], 0, 0);
		form_vector(&d, far[i % 5], i / 5, 0, 0);
	}
	return run("bmsk: 256 x 256 operands, high bits, ranges, constants", &l, &d);
}

/* k[0]: signed; k[1]: .clamp */
static uint64_t
szext(const form *f, const uint64_t *s)
{
	uint32_t n = (uint32_t)s[1];
	uint64_t a = (uint32_t)s[0], field;

	n = !f->k[1] ? n & 31 : n < 32 ? n : 32;
	field = (uint64_t)1 << n;
	a &= field - 1;
	return f->k[0] && n && a >> (n - 1) & 1 ? a - field : a;
}

/* Every result bit is a copy of one bit of a: zero, all ones and the unit vectors show which. */
static int
test_szext(void)
{
	static const char *const type[] = { "u32", "s32" }, *const mode[] = { "wrap", "clamp" };
	const uint64_t far[] = { 0x100, 0x120, 0x10001, 0x80000000, 0x8000001f, 0xffffffff };
	form_list l = { 0 };
	form_data d = { 0 };

	for (int k = 0; k < 4; k++) {
		form *f = form_add(&l, "r:rr", szext, "szext.%s.%s $0, $1, $2;", mode[k >> 1], type[k & 1]);
		form *g = form_add(&l, "r:rr", szext, "{ .reg .b32 n; and.b32 n, $2, 31; szext.%s.%s $0, $1, n; }",
		                   mode[k >> 1], type[k & 1]);

		f->k[0] = g->k[0] = k & 1;
		f->k[1] = k >> 1;       /* a length below 32 is the same either way */
	}
	for (uint64_t n = 0; n < 256 + sizeof far / sizeof *far; n++)
		for (int bit = -2; bit < 32; bit++)
			form_vector(&d, bit == -2 ? 0 : bit == -1 ? 0xffffffff : (uint64_t)1 << bit, n < 256 ? n : far[n - 256], 0, 0);
	return run("szext: every bit, every length", &l, &d);
}

/* k[0]: which mode; the tables of 9.7.9.7, byte 0 lowest. */
static uint64_t
prmt(const form *f, const uint64_t *s)
{
	static const uint16_t sel[6][4] = {
		{ 0x3210, 0x4321, 0x5432, 0x6543 }, { 0x5670, 0x6701, 0x7012, 0x0123 }, { 0x0000, 0x1111, 0x2222, 0x3333 },
		{ 0x3210, 0x3211, 0x3222, 0x3333 }, { 0x0000, 0x1110, 0x2210, 0x3210 }, { 0x1010, 0x3232, 0x1010, 0x3232 } };
	uint64_t both = (uint32_t)s[0] | s[1] << 32, c = f->k[0] ? sel[f->k[0] - 1][s[2] & 3] : s[2], r = 0;

	for (int k = 0; k < 32; k += 8, c >>= 4) {
		uint64_t byte = both >> 8 * (c & 7) & 0xff;

		r |= (c & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << k;
	}
	return r;
}

static int
test_prmt(void)
{
	static const char *const mode[] = { "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16" };
	form_list l = { 0 };
	form_data d = { 0 };

	for (int m = 0; m < 7; m++)
		form_add(&l, "r:rrr", prmt, "prmt.b32%s $0, $1, $2, $3;", mode[m])->k[0] = m;
	for (uint64_t c = 0; c < 65536; c++)
		form_vector(&d, c & 1 ? 0x83127fc4 : 0x7c9d80e3, c & 1 ? 0x01d2f37e : 0xfe4d0ba1, c & 2 ? c | 0xabcd0000 : c, 0);
	return run("prmt: all selectors, all modes", &l, &d);
}

int
main(void)
{
	int bad = test_bmsk();

	bad |= test_szext();
	return test_prmt() | bad;
}
