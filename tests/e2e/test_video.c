/* test_video.c -- video instructions, each operation with all types, clamps, second operations and merges, selectors by
 * turns, against the manual's pseudocode in 128-bit arithmetic.
 * Manual: "Parallel Thread Execution ISA", 9.7.18. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum kind { SCALAR, SHIFT, MAD, SET, SIMD, SIMD_SET };
/* An instruction in words; a selector is the text behind the register, "" for none. */
typedef struct video {
	enum kind kind;
	const char *op, *second, *mode, *compare, *scale;
	int type[3], sat, minus[3], po, lanes;
	char sel[3][8];                         /* d, a, b */
} video;
static video *list;
static size_t count, room;

static wide
low_bits(wide x, unsigned n)
{
	return x & (((wide)1 << n) - 1);
}

static wide
as_type(wide x, unsigned n, int is_signed)
{
	x = low_bits(x, n);
	return is_signed && x >> (n - 1) & 1 ? x - ((wide)1 << n) : x;
}

static wide
clamp(wide x, unsigned n, int is_signed)
{
	wide high = ((wide)1 << (n - (unsigned)is_signed)) - 1, low = is_signed ? -high - 1 : 0;

	return x < low ? low : x > high ? high : x;
}

static unsigned
bits_of(const char *sel)
{
	return !*sel ? 32 : sel[1] == 'b' ? 8 : 16;
}

/* partSelectSignExtend */
static wide
select_part(uint64_t x, int is_signed, const char *sel)
{
	unsigned n = bits_of(sel);

	return as_type((wide)(x & 0xffffffff) >> (n < 32 ? (unsigned)(sel[2] - '0') * n : 0), n, is_signed);
}

static wide
compute(const char *op, wide a, wide b)
{
	wide sum = a + b, gap = a - b;

	switch (op[1]) {
	case 's': return gap;
	case 'm': return (op[2] == 'a') == (a > b) ? a : b;
	case 'a': break;
	default: abort();
	}
	if (op[2] == 'd')
		return sum;
	if (op[2] == 'b')
		return gap < 0 ? -gap : gap;
	return sum >= 0 ? (sum + 1) >> 1 : sum >> 1;
}

static int
compares(const char *c, wide a, wide b)
{
	int less = a < b, equal = a == b;

	return !strcmp(c, "eq") ? equal : !strcmp(c, "ne") ? !equal : !strcmp(c, "lt") ? less : !strcmp(c, "le") ? less | equal :
		!strcmp(c, "gt") ? !(less | equal) : !less;
}

/* optSaturate, optSecondaryOp, optMerge */
static uint64_t
finish(const video *V, wide t, uint64_t c, int is_signed)
{
	unsigned n = bits_of(V->sel[0]), at;
	uint64_t mask;

	if (V->sat)
		t = clamp(t, n, is_signed);
	if (V->second) {
		wide x = as_type(t, 32, is_signed), y = as_type((wide)c, 32, is_signed);

		return (uint64_t)(!strcmp(V->second, "add") ? x + y : (V->second[1] == 'i') == (x < y) ? x : y);
	}
	if (n == 32)
		return (uint64_t)t;
	at = (unsigned)(V->sel[0][2] - '0') * n;
	mask = (((uint64_t)1 << n) - 1) << at;
	return (c & ~mask) | ((uint64_t)t << at & mask);
}

static uint64_t
mad(const video *V, wide a, wide b, uint64_t c)
{
	int negative = V->minus[0] ^ V->minus[1], final = V->type[1] | V->type[2] | negative | V->minus[2];
	wide t = a * b, third = (wide)(c & 0xffffffff), lsb = 0;
	unsigned n = !V->scale ? 0 : (unsigned)atoi(V->scale + 3);

	if (V->po) {
		lsb = 1;
	} else if (negative) {
		t = ~t;
		lsb = 1;
	} else if (V->minus[2]) {
		third = low_bits(~third, 32);
		lsb = 1;
	}
	t = (t + as_type(third, 32, final) + lsb) >> n;
	return (uint64_t)(V->sat ? clamp(t, 32, final) : t);
}

/* Lane i of a selection ".h32": the last digit is lane 0's. */
static wide
select_lane(const video *V, uint64_t a, uint64_t b, const char *sel, int i, int is_signed)
{
	unsigned n = 32 / (unsigned)V->lanes, k = (unsigned)(sel[1 + V->lanes - i] - '0');

	return as_type((wide)(k < (unsigned)V->lanes ? a : b) >> (k % (unsigned)V->lanes * n), n, is_signed);
}

static uint64_t
simd(const video *V, uint64_t a, uint64_t b, uint64_t c)
{
	static const char *const all[2][3] = { { ".h10", ".h10", ".h32" }, { ".b3210", ".b3210", ".b7654" } };
	const char *sel[3];
	unsigned n = 32 / (unsigned)V->lanes;
	uint64_t d = c;

	for (int i = 0; i < 3; i++)
		sel[i] = V->sel[i][0] ? V->sel[i] : all[V->lanes == 4][i];
	for (int i = 0; i < V->lanes; i++) {
		wide x = select_lane(V, a, b, sel[1], i, V->type[1]), y = select_lane(V, a, b, sel[2], i, V->type[2]), t;
		uint64_t mask = (((uint64_t)1 << n) - 1) << ((unsigned)i * n);

		if (!strchr(sel[0] + 2, '0' + i))
			continue;
		t = V->kind == SIMD_SET ? compares(V->compare, x, y) : compute(V->op, x, y);
		if (V->sat)
			t = clamp(t, n, V->type[0]);
		d = V->second ? d + (uint64_t)t : (d & ~mask) | ((uint64_t)t << ((unsigned)i * n) & mask);
	}
	return d;
}

static uint64_t
by_manual(const form *f, const uint64_t *s)
{
	const video *V = &list[f->k[0]];
	wide a, b;

	if (V->kind == SIMD || V->kind == SIMD_SET)
		return simd(V, s[0] & 0xffffffff, s[1] & 0xffffffff, s[2] & 0xffffffff);
	a = select_part(s[0], V->type[1], V->sel[1]);
	b = select_part(s[1], V->type[2], V->sel[2]);
	switch (V->kind) {
	case SCALAR:
		return finish(V, compute(V->op, a, b), s[2], V->type[0]);
	case SHIFT:
		b = V->mode[0] == 'w' ? b & 31 : b > 32 ? 32 : b;
		return finish(V, V->op[2] == 'h' && V->op[3] == 'l' ? a * ((wide)1 << b) : a >> b, s[2], V->type[0]);
	case MAD:
		return mad(V, a, b, s[2]);
	default:
		return finish(V, compares(V->compare, a, b), s[2], 0);
	}
}

/* ---- the table ---- */

static const char *const part[] = { "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1" };
static uint64_t seed = 7;

static unsigned
any(unsigned n)
{
	return (unsigned)(form_random(&seed) >> 33) % n;
}

/* A selection of lanes out of twice as many; a mask: some lanes, from above. */
static void
any_selection(char *s, int lanes, int mask)
{
	unsigned which = 1 + any((1u << lanes) - 1);
	char *p = s;

	*s = 0;
	if (any(4) == 0)
		return;
	p += sprintf(p, ".%c", lanes == 2 ? 'h' : 'b');
	for (int i = lanes - 1; i >= 0; i--)
		if (!mask || which >> i & 1)
			*p++ = (char)('0' + (mask ? i : (int)any(2u * (unsigned)lanes)));
	*p = 0;
}

static void
add(form_list *l, const video *V)
{
	char name[160];
	int n = snprintf(name, sizeof name, "%s", V->op), nops;

	if (count == room) {
		room = room ? room * 2 : 256;
		list = realloc(list, room * sizeof *list);
		if (!list)
			abort();
	}
	list[count] = *V;
	for (int i = V->kind == SET || V->kind == SIMD_SET; i < 3; i++)
		n += snprintf(name + n, sizeof name - (size_t)n, ".%s", V->type[i] ? "s32" : "u32");
	n += snprintf(name + n, sizeof name - (size_t)n, "%s%s%s%s%s%s%s%s%s%s", V->compare ? "." : "", V->compare ? V->compare : "",
		V->po ? ".po" : "", V->sat ? ".sat" : "", V->mode ? "." : "", V->mode ? V->mode : "", V->scale ? "." : "",
		V->scale ? V->scale : "", V->second ? "." : "", V->second ? V->second : "");
	nops = V->kind >= SIMD || V->kind == MAD || V->second || V->sel[0][0] ? 3 : 2;
	form_add(l, nops == 3 ? "r:rrr" : "r:rr", by_manual, "%s $0%s, %s$1%s, %s$2%s%s%s;", name, V->sel[0], V->minus[0] ? "-" : "",
		V->sel[1], V->minus[1] ? "-" : "", V->sel[2], nops < 3 ? "" : V->minus[2] ? ", -" : ", ", nops < 3 ? "" : "$3")->k[0] =
		(int)count++;
}

/* Every type, with and without a clamp; what comes behind by turns: nothing, a second operation, a merge. */
static void
add_scalar(form_list *l, video V, int types, int may_clamp)
{
	static const char *const second[] = { NULL, "add", "min", "max", NULL };

	for (int t = 0; t < types; t++)
		for (int k = 0; k < (may_clamp ? 10 : 5); k++) {
			V.type[0] = t & 1;
			V.type[1] = t >> 1 & 1;
			V.type[2] = t >> 2;
			V.sat = k >= 5;
			V.second = second[k % 5];
			strcpy(V.sel[0], k % 5 == 4 ? part[1 + any(6)] : "");
			for (int whole = 0; whole < 2; whole++) {
				strcpy(V.sel[1], whole ? "" : part[any(7)]);
				strcpy(V.sel[2], whole ? "" : part[any(7)]);
				add(l, &V);
			}
		}
}

static void
add_mad(form_list *l)
{
	static const char *const scale[] = { NULL, "shr7", "shr15" };

	for (int t = 0; t < 4; t++)
		for (int k = 0; k < 60; k++) {
			int sign = k / 12;              /* po, none, -a, -b, -c */
			video V = { .kind = MAD, .op = "vmad", .type = { k & 1, t & 1, t >> 1 }, .sat = k / 2 % 2, .scale = scale[k % 3],
				.po = sign == 0, .minus = { sign == 2, sign == 3, sign == 4 } };

			strcpy(V.sel[1], any(2) ? part[any(7)] : "");
			strcpy(V.sel[2], any(2) ? part[any(7)] : "");
			add(l, &V);
		}
}

static void
add_simd(form_list *l, video V, int types)
{
	for (int t = 0; t < types; t++)
		for (int k = 0; k < 6; k++) {
			V.type[0] = t & 1;
			V.type[1] = t >> 1 & 1;
			V.type[2] = t >> 2;
			V.sat = V.kind == SIMD && k % 3 == 1;
			V.second = k % 3 == 2 ? "add" : NULL;
			any_selection(V.sel[0], V.lanes, 1);
			any_selection(V.sel[1], V.lanes, 0);
			any_selection(V.sel[2], V.lanes, 0);
			add(l, &V);
		}
}

static void
add_all(form_list *l)
{
	static const char *const scalar[] = { "vadd", "vsub", "vabsdiff", "vmin", "vmax" };
	static const char *const simds[2][6] = { { "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2" },
		{ "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4" } };
	static const char *const compare[] = { "eq", "ne", "lt", "le", "gt", "ge" };

	for (int i = 0; i < 5; i++)
		add_scalar(l, (video){ .kind = SCALAR, .op = scalar[i] }, 8, 1);
	for (int i = 0; i < 4; i++)
		add_scalar(l, (video){ .kind = SHIFT, .op = i & 1 ? "vshl" : "vshr", .mode = i & 2 ? "wrap" : "clamp" }, 4, 1);
	add_mad(l);
	for (int i = 0; i < 6; i++)
		add_scalar(l, (video){ .kind = SET, .op = "vset", .compare = compare[i] }, 8, 0);
	for (int n = 0; n < 2; n++)
		for (int i = 0; i < 6; i++) {
			add_simd(l, (video){ .kind = SIMD, .op = simds[n][i], .lanes = n ? 4 : 2 }, 8);
			add_simd(l, (video){ .kind = SIMD_SET, .op = n ? "vset4" : "vset2", .compare = compare[i], .lanes = n ? 4 : 2 }, 8);
		}
}

int
main(void)
{
	static const uint64_t edge[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x807f00ff,
		0xff017f80, 31, 32, 33 };
	form_list l = { 0 };
	form_data d = { 0 };
	int bad;

	add_all(&l);
	form_pairs(&d, edge, sizeof edge / sizeof *edge);
	for (int i = 0; i < 100; i++)
		form_vector(&d, form_random(&seed), form_random(&seed), form_random(&seed), 0);
	bad = form_run("video", &l, &d, FORM_ALL);
	free(l.f);
	free(d.v);
	free(list);
	return bad;
}
