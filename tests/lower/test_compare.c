/* test_compare.c -- setp, set, selp, slct, predicate logic: all comparisons of all types, all boolean
 * combinations, both results; NaN and signed zeros among the operands. Manual: 9.3, 9.7.6. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double
float_of(const char *type, uint64_t x)
{
	uint32_t w = (uint32_t)x;
	float f;
	double d;

	memcpy(&f, &w, 4);
	memcpy(&d, &x, 8);
	return type[1] == '6' ? d : (double)f;
}

static unsigned
bits_of(const char *type)
{
	return type[1] == '1' ? 16 : type[1] == '3' ? 32 : 64;
}

/* -1, 0, 1; 2: unordered */
static int
order(const char *type, uint64_t a, uint64_t b)
{
	unsigned bits = bits_of(type);

	if (type[0] == 'f') {
		double x = float_of(type, a), y = float_of(type, b);

		return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
	}
	if (type[0] == 's') {
		int64_t x = (int64_t)(a << (64 - bits)), y = (int64_t)(b << (64 - bits));

		return x < y ? -1 : x > y;
	}
	return a < b ? -1 : a > b;
}

static bool
holds(const char *cmp, int o)
{
	static const struct { const char *name; bool lt, eq, gt, un; } table[] = {
		{ "eq", 0, 1, 0, 0 }, { "ne", 1, 0, 1, 0 }, { "lt", 1, 0, 0, 0 }, { "le", 1, 1, 0, 0 },
		{ "gt", 0, 0, 1, 0 }, { "ge", 0, 1, 1, 0 }, { "lo", 1, 0, 0, 0 }, { "ls", 1, 1, 0, 0 },
		{ "hi", 0, 0, 1, 0 }, { "hs", 0, 1, 1, 0 }, { "equ", 0, 1, 0, 1 }, { "neu", 1, 0, 1, 1 },
		{ "ltu", 1, 0, 0, 1 }, { "leu", 1, 1, 0, 1 }, { "gtu", 0, 0, 1, 1 }, { "geu", 0, 1, 1, 1 },
		{ "num", 1, 1, 1, 0 }, { "nan", 0, 0, 0, 1 },
	};

	for (size_t i = 0; i < COUNT(table); i++)
		if (!strcmp(table[i].name, cmp))
			return o < 0 ? table[i].lt : o == 0 ? table[i].eq : o == 1 ? table[i].gt : table[i].un;
	return false;
}

static uint64_t
operand(const char *type, unsigned i)
{
	static const uint32_t f[] = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 1,
		0x80000001, 0x40000000, 0x3f800001 };
	double d = float_of("f32", f[i]);
	uint64_t x;

	if (type[0] != 'f')
		return sample(i * 5, bits_of(type));
	memcpy(&x, &d, 8);
	return type[1] == '3' ? f[i] : x;
}

static const struct { const char *types, *cmps; } families[] = {
	{ "b16 b32 b64", "eq ne" },
	{ "s16 s32 s64", "eq ne lt le gt ge" },
	{ "u16 u32 u64", "eq ne lt le gt ge lo ls hi hs" },
	{ "f32 f64", "eq ne lt le gt ge equ neu ltu leu gtu geu num nan" },
};

static void
failed(const char *text, const uint64_t *v, uint64_t got)
{
	report(text, "%llx %llx %llx: %llx", (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
		(unsigned long long)got);
}

static bool
combine(const char *boolean, bool v, bool c)
{
	return !strcmp(boolean, ".and") ? v & c : !strcmp(boolean, ".or") ? v | c : !strcmp(boolean, ".xor") ? v ^ c : v;
}

/* Bit 0 is p, bit 1 is q. */
static bool
test_setp(const char *cmp, const char *boolean, const char *type, bool negated)
{
	const char *src[3] = { type, type, "pred" };
	char text[200];
	uint64_t v[3], got;
	op o;

	snprintf(text, sizeof text, ".reg .pred p, q; .reg .b32 x; setp.%s%s.%s p|q, a0, a1%s%s; selp.b32 d, 1, 0, p;"
		"selp.b32 x, 2, 0, q; or.b32 d, d, x;", cmp, boolean, type, boolean[0] ? ", " : "",
		!boolean[0] ? "" : negated ? "!a2" : "a2");
	if (!op_new(&o, text, "b32", 3, src, P2A_SEM_DOCUMENTED)) {
		report(text, "%s%s", unit_diags(o.u), o.u->fault ? o.u->fault : "");
		return false;
	}
	for (unsigned i = 0; i < 12 * 12 * 2; i++) {
		bool t, c = i & 1, want_p, want_q;

		v[0] = operand(type, i / 24), v[1] = operand(type, i / 2 % 12), v[2] = c;
		t = holds(cmp, order(type, v[0], v[1]));
		want_p = combine(boolean, t, c != negated), want_q = combine(boolean, !t, c != negated);
		if (!op_eval(&o, v, &got) || got != (want_p | (unsigned)want_q << 1)) {
			failed(text, v, got);
			return false;
		}
	}
	op_free(&o);
	return true;
}

static bool
test_set(const char *cmp, const char *boolean, const char *type, const char *dst)
{
	const char *src[3] = { type, type, "pred" };
	char text[128];
	uint64_t v[3], got, yes = dst[0] == 'f' ? 0x3f800000 : UINT32_MAX;
	op o;

	snprintf(text, sizeof text, "set.%s%s.%s.%s d, a0, a1%s;", cmp, boolean, dst, type, boolean[0] ? ", a2" : "");
	if (!op_new(&o, text, dst, 3, src, P2A_SEM_DOCUMENTED)) {
		report(text, "%s%s", unit_diags(o.u), o.u->fault ? o.u->fault : "");
		return false;
	}
	for (unsigned i = 0; i < 12 * 12 * 2; i++) {
		v[0] = operand(type, i / 24), v[1] = operand(type, i / 2 % 12), v[2] = i & 1;
		if (!op_eval(&o, v, &got) ||
		    got != (combine(boolean, holds(cmp, order(type, v[0], v[1])), i & 1) ? yes : 0)) {
			failed(text, v, got);
			return false;
		}
	}
	op_free(&o);
	return true;
}

static bool
test_one(const char *cmp, const char *type)
{
	static const char *const booleans[] = { "", ".and", ".or", ".xor" };
	static const char *const results[] = { "u32", "s32", "f32" };
	bool ok = true;

	for (unsigned b = 0; b < 4; b++) {
		ok &= test_setp(cmp, booleans[b], type, false);
		ok &= !b || test_setp(cmp, booleans[b], type, true);
		for (unsigned r = 0; r < 3; r++)
			ok &= test_set(cmp, booleans[b], type, results[r]);
	}
	return ok;
}

static const char *
word(const char *list, unsigned i, char *out)
{
	for (; i && (list = strchr(list, ' ')) != NULL; i--)
		list++;
	if (!list)
		return NULL;
	snprintf(out, 8, "%.*s", (int)strcspn(list, " "), list);
	return out;
}

/* What has no table of its own. */
static const struct { const char *text, *dst, *src[4]; uint64_t v[4], want; } singles[] = {
	{ "setp.lt.ftz.f32 d, a0, a1;", "pred", { "f32", "f32" }, { 0x80000001, 0 }, 0 },
	{ "setp.lt.f32 d, a0, a1;", "pred", { "f32", "f32" }, { 0x80000001, 0 }, 1 },
	{ "selp.u16 d, a0, a1, a2;", "u16", { "u16", "u16", "pred" }, { 5, 6, 0 }, 6 },
	{ "selp.f64 d, a0, a1, a2;", "f64", { "f64", "f64", "pred" }, { 5, 6, 1 }, 5 },
	{ "selp.b64 d, 1, a0, a1;", "b64", { "b64", "pred" }, { 9, 0 }, 9 },
	{ "slct.b32.s32 d, a0, a1, a2;", "b32", { "b32", "b32", "s32" }, { 5, 6, 0 }, 5 },
	{ "slct.u64.s32 d, a0, a1, a2;", "b64", { "b64", "b64", "s32" }, { 5, 6, 0x80000000 }, 6 },
	{ "slct.f32.f32 d, a0, a1, a2;", "f32", { "f32", "f32", "f32" }, { 5, 6, 0x80000000 }, 5 },
	{ "slct.b16.f32 d, a0, a1, a2;", "b16", { "b16", "b16", "f32" }, { 5, 6, 0x7fc00000 }, 6 },
	{ "slct.ftz.b32.f32 d, a0, a1, a2;", "b32", { "b32", "b32", "f32" }, { 5, 6, 0x80000001 }, 5 },
	{ "slct.b32.f32 d, a0, a1, a2;", "b32", { "b32", "b32", "f32" }, { 5, 6, 0x80000001 }, 6 },
	{ "and.pred d, a0, a1;", "pred", { "pred", "pred" }, { 1, 0 }, 0 },
	{ "or.pred d, a0, a1;", "pred", { "pred", "pred" }, { 1, 0 }, 1 },
	{ "xor.pred d, a0, a1;", "pred", { "pred", "pred" }, { 1, 1 }, 0 },
	{ "not.pred d, a0;", "pred", { "pred" }, { 1 }, 0 },
	{ "mov.pred d, a0;", "pred", { "pred" }, { 1 }, 1 },
	/* guards: a predicate that guards its own instruction is read before it is written */
	{ "mov.pred d, a0; @d setp.eq.u32 d|a0, a1, 3;", "pred", { "pred", "u32" }, { 1, 4 }, 0 },
	{ ".reg .pred q; mov.pred q, 0; mov.pred d, a0; @d setp.eq.u32 d|q, a1, 3; selp.u32 a1, 1, 0, q; setp.ne.u32 d, a1, 0;",
		"pred", { "pred", "u32" }, { 1, 4 }, 1 },
	{ "mov.u32 d, 7; @!a0 add.u32 d, d, a1;", "u32", { "pred", "u32" }, { 0, 4 }, 11 },
	{ "mov.u32 d, 7; @a0 div.u32 d, d, a1;", "u32", { "pred", "u32" }, { 0, 4 }, 7 },
	{ "mov.u32 d, 7; @a0 div.u32 d, d, a1;", "u32", { "pred", "u32" }, { 1, 3 }, 2 },
	{ "mov.pred d, a0; @a1 mov.pred d, a2;", "pred", { "pred", "pred", "pred" }, { 1, 1, 0 }, 0 },
	{ "mov.pred d, a0; @!a1 mov.pred d, a2;", "pred", { "pred", "pred", "pred" }, { 1, 1, 0 }, 1 },
	{ ".reg .b32 x, y; mov.b64 {x, y}, a0; @a1 mov.b64 {y, x}, a0; mov.b64 d, {x, y};", "b64", { "b64", "pred" },
		{ 0x1122334455667788, 1 }, 0x5566778811223344 },
};

int
main(void)
{
	char cmp[8], type[8], name[32];

	for (size_t f = 0; f < COUNT(families); f++)
		for (unsigned t = 0; word(families[f].types, t, type); t++)
			for (unsigned c = 0; word(families[f].cmps, c, cmp); c++) {
				snprintf(name, sizeof name, "%s.%s", cmp, type);
				if (test_one(cmp, type))
					report(name, NULL);
			}
	for (size_t i = 0; i < COUNT(singles); i++) {
		uint64_t got = 0;
		unsigned n = 0;
		op o;

		while (n < 4 && singles[i].src[n])
			n++;
		if (!op_new(&o, singles[i].text, singles[i].dst, n, singles[i].src, P2A_SEM_DOCUMENTED))
			report(singles[i].text, "%s%s", unit_diags(o.u), o.u->fault ? o.u->fault : "");
		else if (!op_eval(&o, singles[i].v, &got) || got != singles[i].want)
			report(singles[i].text, "%llx, not %llx", (unsigned long long)got, (unsigned long long)singles[i].want);
		else
			report(singles[i].text, NULL);
		op_free(&o);
	}
	return nfailed != 0;
}
