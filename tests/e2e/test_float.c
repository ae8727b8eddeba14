/* test_float.c -- f32 and f64 arithmetic, comparisons and selection against the host's IEEE 754 arithmetic.
 * All forms stand in few kernels, so that rounding directions and .ftz alternate from one instruction to the
 * next; random programs with loops and divergent branches do the same across edges (the MODE register).
 * Manual: "Parallel Thread Execution ISA", 9.3.1, 9.7.3, 9.7.6. NaN results agree whatever their payload. */
#include "forms.h"
#include "fpref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arithmetic. k: operation, bits, rounding, ftz, sat ---- */

static uint64_t
flushed(uint64_t x, int ftz)
{
	return ftz ? fp_flush(x, 32) : x;
}

static uint64_t
arithmetic(const form *f, const uint64_t *s)
{
	int ftz = f->k[3];
	uint64_t r = fp_arith((fp_op)f->k[0], f->k[1], (fp_round)f->k[2], flushed(s[0], ftz), flushed(s[1], ftz), flushed(s[2], ftz));

	r = flushed(r, ftz);
	return f->k[4] ? fp_clamp(r, f->k[1]) : r;
}

static void
add_arithmetic(form_list *l)
{
	static const struct { const char *name; fp_op op; int plain; } row[] = {
		{ "add", FP_ADD, 1 }, { "sub", FP_SUB, 1 }, { "mul", FP_MUL, 1 }, { "fma", FP_FMA, 0 }, { "mad", FP_FMA, 0 },
	};

	for (int v = 0; v < 8; v++)             /* f64: only 0; .ftz, .sat, both */
		for (int r = 0; r < 5; r++)
			for (size_t i = 0; i < 5; i++) {
				int d = v == 4, ftz = v & 1, sat = v >> 1 & 1, three = row[i].op == FP_FMA;
				form *f;

				if (v > 4 || (r == 4 && !row[i].plain))
					continue;
				f = form_add(l, d ? three ? "F:FFF" : "F:FF" : three ? "f:fff" : "f:ff", arithmetic, "%s%s%s%s%s.f%d $0, $1, $2%s;",
				             row[i].name, r < 4 ? "." : "", r < 4 ? fp_round_name[r] : "", ftz ? ".ftz" : "", sat ? ".sat" : "",
				             d ? 64 : 32, three ? ", $3" : "");
				memcpy(f->k, (int[5]){ (int)row[i].op, d ? 64 : 32, r % 4, ftz, sat }, 5 * sizeof *f->k);
			}
}

/* ---- min, max. k: max, bits, ftz, NaN, abs, xorsign ---- */

static uint64_t
order(uint64_t x, int bits)             /* a key that orders numbers, -0 below +0 */
{
	return x >> (bits - 1) & 1 ? ~x & (bits == 64 ? ~0ull : 0xffffffff) : x | (uint64_t)1 << (bits - 1);
}

static uint64_t
extreme2(const form *f, uint64_t a, uint64_t b)
{
	int bits = f->k[1], an = fp_is_nan(a, bits), bn = fp_is_nan(b, bits);
	uint64_t sign = (uint64_t)1 << (bits - 1), signs = f->k[5] ? (a ^ b) & sign : 0, r;

	if (f->k[4])
		a &= sign - 1, b &= sign - 1;
	if (f->k[3] && (an || bn))
		return an ? a : b;
	if (an || bn)
		r = an ? b : a;
	else
		r = (order(a, bits) < order(b, bits)) == !f->k[0] ? a : b;
	return r | signs;
}

static uint64_t
extreme(const form *f, const uint64_t *s)
{
	uint64_t r = extreme2(f, flushed(s[0], f->k[2]), flushed(s[1], f->k[2]));

	return f->src[2] ? extreme2(f, r, flushed(s[2], f->k[2])) : r;
}

static void
add_extremes(form_list *l)
{
	for (int v = 0; v < 64; v++) {
		int max = v & 1, ftz = v >> 1 & 1, nan = v >> 2 & 1, abs = v >> 3 & 1, xorsign = v >> 4 & 1, three = v >> 5 & 1;
		form *f;

		if (xorsign != abs && !three)
			continue;
		if (xorsign && three)
			continue;
		f = form_add(l, three ? "f:fff" : "f:ff", extreme, "%s%s%s%s%s.f32 $0, $1, $2%s;", max ? "max" : "min", ftz ? ".ftz" : "",
		             nan ? ".NaN" : "", xorsign ? ".xorsign" : "", abs ? ".abs" : "", three ? ", $3" : "");
		memcpy(f->k, (int[6]){ max, 32, ftz, nan, abs, xorsign }, 6 * sizeof *f->k);
	}
	for (int max = 0; max < 2; max++)
		memcpy(form_add(l, "F:FF", extreme, "%s.f64 $0, $1, $2;", max ? "max" : "min")->k, (int[2]){ max, 64 }, 2 * sizeof(int));
}

/* ---- signs and classes. k: which, bits, ftz ---- */

static const char *const sign_op[] = { "abs", "neg", "copysign" };
static const char *const class_name[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };

static uint64_t
with_sign(const form *f, const uint64_t *s)
{
	uint64_t sign = (uint64_t)1 << (f->k[1] - 1), a = flushed(s[0], f->k[2]);

	return f->k[0] == 0 ? a & (sign - 1) : f->k[0] == 1 ? a ^ sign : (s[1] & (sign - 1)) | (a & sign);
}

static uint64_t
has_class(const form *f, const uint64_t *s)
{
	int d = f->k[1] == 64;
	uint64_t m = s[0] & (d ? INT64_MAX : INT32_MAX), inf = d ? 0x7ff0000000000000 : 0x7f800000, min = d ? 1ull << 52 : 1u << 23;

	switch (f->k[0]) {
	case 0:  return m < inf;
	case 1:  return m == inf;
	case 2:  return m <= inf;
	case 3:  return m > inf;
	case 4:  return m < inf && (m >= min || m == 0);
	default: return m < min && m != 0;
	}
}

static void
add_signs(form_list *l)
{
	for (int d = 0; d < 2; d++) {
		int bits = d ? 64 : 32;

		for (int i = 0; i < 3; i++)
			for (int ftz = 0; ftz < (d || i == 2 ? 1 : 2); ftz++)
				memcpy(form_add(l, i == 2 ? d ? "d:dd" : "r:rr" : d ? "F:F" : "f:f", with_sign, "%s%s.f%d $0, $1%s;", sign_op[i],
				                ftz ? ".ftz" : "", bits, i == 2 ? ", $2" : "")->k, (int[3]){ i, bits, ftz }, 3 * sizeof(int));
		for (int i = 0; i < 6; i++)
			memcpy(form_add(l, d ? "p:d" : "p:r", has_class, "testp.%s.f%d $0, $1;", class_name[i], bits)->k, (int[2]){ i, bits },
			       2 * sizeof(int));
	}
}

/* ---- comparisons. k: comparison, bits, ftz, boolean operation, what is made (0 predicate, 1 its opposite, 2 1.0f,
 * 3 and 4 masks), predicate negated ---- */

static const struct { const char *name; int less, equal, greater, unordered; } cmps[] = {
	{ "eq", 0, 1, 0, 0 }, { "ne", 1, 0, 1, 0 }, { "lt", 1, 0, 0, 0 }, { "le", 1, 1, 0, 0 }, { "gt", 0, 0, 1, 0 }, { "ge", 0, 1, 1, 0 },
	{ "equ", 0, 1, 0, 1 }, { "neu", 1, 0, 1, 1 }, { "ltu", 1, 0, 0, 1 }, { "leu", 1, 1, 0, 1 }, { "gtu", 0, 0, 1, 1 },
	{ "geu", 0, 1, 1, 1 }, { "num", 1, 1, 1, 0 }, { "nan", 0, 0, 0, 1 },
};

static uint64_t
compared(const form *f, const uint64_t *s)
{
	int bits = f->k[1], ftz = f->k[2], t, c = (int)s[2] ^ f->k[5];
	uint64_t a = flushed(s[0], ftz), b = flushed(s[1], ftz), x, y;

	a = a == (uint64_t)1 << (bits - 1) ? 0 : a;     /* -0 equals +0 */
	b = b == (uint64_t)1 << (bits - 1) ? 0 : b;
	x = order(a, bits), y = order(b, bits);
	t = fp_is_nan(a, bits) || fp_is_nan(b, bits) ? cmps[f->k[0]].unordered :
		x < y ? cmps[f->k[0]].less : x > y ? cmps[f->k[0]].greater : cmps[f->k[0]].equal;
	t = f->k[4] == 1 ? !t : t;
	t = f->k[3] == 0 ? t : f->k[3] == 1 ? t & c : f->k[3] == 2 ? t | c : t ^ c;
	return f->k[4] < 2 ? (uint64_t)t : !t ? 0 : f->k[4] == 2 ? 0x3f800000 : 0xffffffff;
}

static void
add_comparison(form_list *l, int cmp, int v, int op, int made)
{
	static const char *const combine[] = { "", ".and", ".or", ".xor" }, *const dtype[] = { "", "", ".f32", ".u32", ".s32" };
	int d = v == 2, ftz = v == 1, neg = op && (cmp + op + made + v) % 2;
	char sig[8] = { made < 2 ? 'p' : 'r', ':', d ? 'F' : 'f', d ? 'F' : 'f', op ? 'p' : 0 };
	form *f = form_add(l, sig, compared, "set%s.%s%s%s%s.f%d %s, $1, $2%s%s;", made < 2 ? "p" : "", cmps[cmp].name, combine[op],
	                   ftz ? ".ftz" : "", dtype[made], d ? 64 : 32, made == 1 ? "%q|$0" : "$0",
	                   op ? ", " : "", op ? neg ? "!$3" : "$3" : "");

	memcpy(f->k, (int[6]){ cmp, d ? 64 : 32, ftz, op, made, neg }, 6 * sizeof *f->k);
}

static uint64_t
chosen(const form *f, const uint64_t *s)
{
	uint64_t c = flushed(s[2], f->k[0]);

	return !fp_is_nan(c, 32) && (c >> 31 == 0 || c == 0x80000000) ? s[0] : s[1];
}

static void
add_comparisons(form_list *l)
{
	static const char *const selected[] = { "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64" };

	for (int cmp = 0; cmp < 14; cmp++)
		for (int v = 0; v < 3; v++)
			for (int op = 0; op < 4; op++)
				for (int made = 0; made < 5; made++)
					if (made < 2 || !op || op == 1 + cmp % 3)
						add_comparison(l, cmp, v, op, made);
	for (int ftz = 0; ftz < 2; ftz++)
		for (int t = 0; t < 11; t++) {
			int bits = atoi(selected[t] + 1);

			form_add(l, bits == 16 ? "h:hhf" : bits == 32 ? "r:rrf" : "d:ddf", chosen, "slct%s.%s.f32 $0, $1, $2, $3;", ftz ? ".ftz" : "",
			         selected[t])->k[0] = ftz;
		}
}

/* ---- operands ---- */

static const uint64_t edge32[] = { 0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x800001, 0x00ffffff, 0x3f800000,
	0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40400000, 0x4b000000, 0x4b800000, 0x4b800001, 0xcb800000, 0x33800000,
	0x33800001, 0xb3800000, 0x20000000, 0x1f800000, 0x9f800001, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
	0xffc00001, 0x7f800001 };
/* f64 with the same roles */
static const uint64_t edge64[] = { 0, 0x8000000000000000, 1, 0x8000000000000001, 0xfffffffffffff, 0x800fffffffffffff, 0x10000000000000,
	0x8010000000000000, 0x10000000000001, 0x1fffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
	0x3fe0000000000000, 0x3ff8000000000000, 0x4008000000000000, 0x4330000000000000, 0x4340000000000000, 0x4340000000000001,
	0xc340000000000000, 0x3ca0000000000000, 0x3ca0000000000001, 0xbca0000000000000, 0x2000000000000000, 0x1ff0000000000000,
	0x9ff0000000000001, 0x5ff0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001 };
enum { NEDGE = sizeof edge32 / sizeof *edge32 };
_Static_assert(NEDGE == sizeof edge64 / sizeof *edge64, "edges of both types");

static const struct { int bits, mantissa, bias; const uint64_t *edge; } kinds[2] = { { 32, 23, 127, edge32 }, { 64, 52, 1023, edge64 } };

/* Any bits; an edge; near 1 with a random or a short fraction; a small integer; subnormal */
static uint64_t
some_float(int d, uint64_t *s)
{
	uint64_t x = form_random(s), sign = (x & 1) << (kinds[d].bits - 1), m = (uint64_t)1 << kinds[d].mantissa;
	uint64_t fraction = form_random(s) & (m - 1), e = (uint64_t)kinds[d].bias - 4 + (x >> 8) % 9;

	switch (x >> 4 & 7) {
	case 0:  return form_cut(d ? 'd' : 'r', form_random(s));
	case 1:  return kinds[d].edge[(x >> 16) % NEDGE];
	case 2:  return sign | (fraction & ~(m / 8 - 1)) | e * m;
	case 3:  return fp_rounded((long double)(x >> 20 & 0xffff) - 0x8000, kinds[d].bits, FP_RN);
	case 4:  return sign | fraction >> (x >> 16 & 15);
	default: return sign | fraction | e * m;
	}
}

/* Vectors that meet rounding: sums that cancel, products near an addend, small steps away from the last place */
static void
near_vector(form_data *v, int d, uint64_t *s)
{
	uint64_t a = some_float(d, s), b = some_float(d, s), c = some_float(d, s), x = form_random(s);
	int bits = kinds[d].bits;

	switch (x & 3) {
	case 0: b = a ^ (x & 4 ? (uint64_t)1 << (bits - 1) : 0); b += (x >> 8 & 3) - 1; break;
	case 1: b = a - ((uint64_t)(kinds[d].mantissa + (int)(x >> 8 & 3) - 1) << kinds[d].mantissa); break;
	case 2: c = fp_arith(FP_MUL, bits, FP_RN, a, b, 0) ^ (uint64_t)1 << (bits - 1); c += (x >> 8 & 3) - 1; break;
	default: c = fp_arith(FP_MUL, bits, FP_RZ, a, b, 0) - ((uint64_t)(kinds[d].mantissa + (int)(x >> 8 & 7)) << kinds[d].mantissa); break;
	}
	form_vector(v, form_cut(d ? 'd' : 'r', a), form_cut(d ? 'd' : 'r', b), form_cut(d ? 'd' : 'r', c), x);
}

static void
vectors(form_data *v, int d, int n)
{
	uint64_t s = 5;

	form_pairs(v, kinds[d].edge, NEDGE);
	for (int i = 0; i < n; i++) {
		uint64_t a = some_float(d, &s), b = some_float(d, &s), c = some_float(d, &s);

		form_vector(v, a, b, c, 0);
		near_vector(v, d, &s);
	}
}

/* Forms of one table whose sources have that many bits (the other sources are predicates and fit any vector). */
static form_list
of_bits(const form_list *l, int d)
{
	form_list r = { 0 };

	for (size_t i = 0; i < l->n; i++)
		if ((strpbrk(l->f[i].src, "Fd") != NULL) == d)
			*form_add(&r, "r:r", NULL, "%s", "") = l->f[i];
	return r;
}

static int
table(const char *name, const form_list *l, const form_data *v)
{
	char full[64];
	int bad = 0;

	for (int d = 0; d < 2; d++) {
		form_list part = of_bits(l, d);

		snprintf(full, sizeof full, "%s of f%d", name, d ? 64 : 32);
		bad |= form_run(full, &part, &v[d], FORM_ALL);
		free(part.f);
	}
	return bad;
}

/* Only forms whose results do not depend on a NaN's sign or payload */
static void
add_for_programs(form_list *l)
{
	form_list all = { 0 };

	add_arithmetic(l);
	add_arithmetic(l);              /* twice: more often */
	add_extremes(&all);
	add_comparisons(&all);
	add_signs(&all);
	for (size_t i = 0; i < all.n; i++)
		if (!strpbrk(all.f[i].src, "rdh") && !strstr(all.f[i].text, "xorsign"))
			if (all.f[i].fn != compared || (i % 6 == 0 && all.f[i].k[4] < 2))
				*form_add(l, "r:r", NULL, "%s", "") = all.f[i];
	free(all.f);
}

static uint64_t
program_value(char kind, uint64_t *s)
{
	return kind == 'f' || kind == 'F' ? some_float(kind == 'F', s) : form_random(s);
}

static int
programs(void)
{
	form_list l = { 0 };
	int bad;

	add_for_programs(&l);
	bad = form_programs("float programs", &l, program_value, 400);
	free(l.f);
	return bad;
}

/* Lanes leave a loop in different turns; what was the same in all lanes in a turn is read afterwards, negated. */
static int
left_in_turns(void)
{
	static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %r<9>; .reg .b64 %d<3>, %out, %at; .reg .pred %p;\n"
		"ld.param.u64 %out, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %at, %r1, 16; add.u64 %out, %out, %at; rem.u32 %r2, %r1, 11; mov.u32 %r3, 0;\n"
		"TURN: cvt.rn.f32.u32 %r4, %r3; mul.rn.f32 %r4, %r4, 0f3fc00000; cvt.f64.f32 %d1, %r4;\n"
		"setp.eq.u32 %p, %r3, %r2; add.u32 %r3, %r3, 1; @!%p bra TURN;\n"
		"sub.rn.f32 %r5, 0f41200000, %r4; st.global.f32 [%out], %r5; neg.ftz.f32 %r6, %r4; st.global.f32 [%out+4], %r6;\n"
		"sub.rz.f64 %d2, 0d4024000000000000, %d1; st.global.f64 [%out+8], %d2; ret;\n}\n";
	enum { LANES = 64 };
	struct { float f, n; double d; } out[LANES];
	e2e_run r = { .ptx = ptx, .kernel = "k", .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .in = ptx, .in_size = 4, .out = out, .out_size = sizeof out };
	int bad = 0;

	for (int c = 0; form_chips(c, &r.chip); c++) {
		int wrong = e2e_launch("negated values of a loop", &r);

		for (int k = 0; k < LANES && !wrong; k++)
			if (out[k].f != 10 - 1.5f * (float)(k % 11) || out[k].n != -1.5f * (float)(k % 11) || out[k].d != 10 - 1.5 * (k % 11)) {
				printf("not ok negated values of a loop on %s: lane %d: got %g, %g, %g\n", r.chip, k, (double)out[k].f, (double)out[k].n, out[k].d);
				wrong = 1;
			}
		bad |= wrong;
	}
	if (!bad)
		printf("ok negated values of a loop\n");
	return bad;
}

int
main(void)
{
	static const struct { const char *name; void (*add)(form_list *); } row[] = {
		{ "arithmetic", add_arithmetic }, { "min and max", add_extremes }, { "signs and classes", add_signs },
		{ "comparisons", add_comparisons },
	};
	form_data v[2] = { { 0 }, { 0 } };
	int bad = 0;

	if (getenv("SEED"))
		return programs();
	for (int d = 0; d < 2; d++)
		vectors(&v[d], d, 1200);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		form_list l = { 0 };

		row[i].add(&l);
		bad |= table(row[i].name, &l, v);
		free(l.f);
	}
	free(v[0].v);
	free(v[1].v);
	bad |= left_in_turns();
	bad |= programs();
	return bad;
}
