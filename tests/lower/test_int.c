/* test_int.c -- integer and bit instructions, every type, against C written from the PTX manual:
 * one row an instruction. Operands are edges in all pairs, then mixtures. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;
typedef struct arg { uint64_t a, b, c; unsigned bits; bool s; } arg;

static uint64_t mask(unsigned bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }
static int64_t sext(uint64_t x, unsigned bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }

/* The operands as numbers. */
static __int128 A(const arg *p) { return p->s ? (__int128)sext(p->a, p->bits) : (__int128)p->a; }
static __int128 B(const arg *p) { return p->s ? (__int128)sext(p->b, p->bits) : (__int128)p->b; }
static wide product(const arg *p) { return (wide)A(p) * (wide)B(p); }

/* 9.7.1 */
static uint64_t r_add(const arg *p) { return p->a + p->b; }
static uint64_t r_sub(const arg *p) { return p->a - p->b; }
static uint64_t r_lo(const arg *p) { return p->a * p->b; }
static uint64_t r_hi(const arg *p) { return (uint64_t)(product(p) >> p->bits); }
static uint64_t r_wide(const arg *p) { return (uint64_t)product(p); }
static uint64_t r_mad_lo(const arg *p) { return r_lo(p) + p->c; }
static uint64_t r_mad_hi(const arg *p) { return r_hi(p) + p->c; }
static uint64_t r_mad_wide(const arg *p) { return r_wide(p) + p->c; }
static uint64_t r_min(const arg *p) { return A(p) < B(p) ? p->a : p->b; }
static uint64_t r_max(const arg *p) { return A(p) > B(p) ? p->a : p->b; }
static uint64_t r_neg(const arg *p) { return 0 - p->a; }
static uint64_t r_abs(const arg *p) { return A(p) < 0 ? 0 - p->a : p->a; }
static uint64_t r_sad(const arg *p) { return (uint64_t)(A(p) < B(p) ? B(p) - A(p) : A(p) - B(p)) + p->c; }

static uint64_t
clamped(__int128 v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? (uint32_t)INT32_MIN : (uint32_t)(int32_t)v;
}
static uint64_t r_add_sat(const arg *p) { return clamped(A(p) + B(p)); }
static uint64_t r_sub_sat(const arg *p) { return clamped(A(p) - B(p)); }
static uint64_t r_mad_hi_sat(const arg *p) { return clamped((A(p) * B(p) >> 32) + sext(p->c, 32)); }

static __int128 p24(const arg *p)
{
	return p->s ? (__int128)sext(p->a, 24) * sext(p->b, 24) : (__int128)(p->a & 0xffffff) * (int64_t)(p->b & 0xffffff);
}
static uint64_t r_24_lo(const arg *p) { return (uint64_t)p24(p); }
static uint64_t r_24_hi(const arg *p) { return (uint64_t)(p24(p) >> 16); }
static uint64_t r_m24_lo(const arg *p) { return r_24_lo(p) + p->c; }
static uint64_t r_m24_hi(const arg *p) { return r_24_hi(p) + p->c; }
static uint64_t r_m24_sat(const arg *p) { return clamped((p24(p) >> 16) + sext(p->c, 32)); }

static uint64_t
r_popc(const arg *p)
{
	uint64_t n = 0;

	for (uint64_t x = p->a; x; x >>= 1)
		n += x & 1;
	return n;
}

static uint64_t
r_clz(const arg *p)
{
	uint64_t n = 0;

	for (unsigned i = p->bits; i-- > 0 && !(p->a >> i & 1); )
		n++;
	return n;
}

static uint64_t
r_bfind(const arg *p)
{
	uint64_t x = p->s && p->a >> (p->bits - 1) ? ~p->a : p->a;

	for (unsigned i = p->bits; i-- > 0; )
		if (x >> i & 1)
			return i;
	return UINT32_MAX;
}

static uint64_t
r_shiftamt(const arg *p)
{
	uint64_t i = r_bfind(p);

	return i == UINT32_MAX ? i : p->bits - 1 - i;
}

static uint64_t
r_brev(const arg *p)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < p->bits; i++)
		r |= (p->a >> i & 1) << (p->bits - 1 - i);
	return r;
}

static uint64_t
extended(uint64_t x, uint64_t n, bool s)
{
	return n == 0 ? 0 : n >= 32 ? x : s ? (uint64_t)sext(x & mask(32), (unsigned)n) : x & mask((unsigned)n);
}
static uint64_t r_szext_clamp(const arg *p) { return extended(p->a, p->b, p->s); }
static uint64_t r_szext_wrap(const arg *p) { return extended(p->a, p->b & 31, p->s); }
static uint64_t ones_at(uint64_t a, uint64_t n) { return a > 31 ? 0 : mask(n > 32 ? 32 : (unsigned)n) << a; }
static uint64_t r_bmsk_clamp(const arg *p) { return ones_at(p->a, p->b); }
static uint64_t r_bmsk_wrap(const arg *p) { return ones_at(p->a & 31, p->b & 31); }

/* 9.7.8 */
static uint64_t r_and(const arg *p) { return p->a & p->b; }
static uint64_t r_or(const arg *p) { return p->a | p->b; }
static uint64_t r_xor(const arg *p) { return p->a ^ p->b; }
static uint64_t r_not(const arg *p) { return ~p->a; }
static uint64_t r_cnot(const arg *p) { return p->a == 0; }
static uint64_t r_shl(const arg *p) { return p->b >= p->bits ? 0 : p->a << p->b; }
static uint64_t r_shr(const arg *p) { return (uint64_t)(A(p) >> (p->b > p->bits ? p->bits : p->b)); }
static uint64_t r_lop3(const arg *p)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 32; i++)
		r |= (uint64_t)(0xca >> ((p->a >> i & 1) << 2 | (p->b >> i & 1) << 1 | (p->c >> i & 1)) & 1) << i;
	return r;
}
static uint64_t shf_l(const arg *p, uint64_t n) { return (p->b << 32 | p->a) << n >> 32; }
static uint64_t shf_r(const arg *p, uint64_t n) { return (p->b << 32 | p->a) >> n; }
static uint64_t r_shf_lw(const arg *p) { return shf_l(p, p->c & 31); }
static uint64_t r_shf_lc(const arg *p) { return shf_l(p, p->c > 32 ? 32 : p->c); }
static uint64_t r_shf_rw(const arg *p) { return shf_r(p, p->c & 31); }
static uint64_t r_shf_rc(const arg *p) { return shf_r(p, p->c > 32 ? 32 : p->c); }
static uint64_t r_rotate(const arg *p) { return p->b & 31 ? p->a << (p->b & 31) | p->a >> (32 - (p->b & 31)) : p->a; }

/* bits that the result has, as text of the type; `types` are tried one after the other, % stands for them */
typedef struct row { const char *text, *types, *dst, *src[3]; uint64_t (*fn)(const arg *); } row;
#define ALL "u16 s16 u32 s32 u64 s64"
#define T "%"
static const row rows[] = {
	{ "add.% d, a0, a1;", ALL, T, { T, T }, r_add }, { "sub.% d, a0, a1;", ALL, T, { T, T }, r_sub },
	{ "mul.lo.% d, a0, a1;", ALL, T, { T, T }, r_lo }, { "mul.hi.% d, a0, a1;", ALL, T, { T, T }, r_hi },
	{ "mul.wide.% d, a0, a1;", "u16 s16", "b32", { T, T }, r_wide },
	{ "mul.wide.% d, a0, a1;", "u32 s32", "b64", { T, T }, r_wide },
	{ "mad.lo.% d, a0, a1, a2;", ALL, T, { T, T, T }, r_mad_lo },
	{ "mad.hi.% d, a0, a1, a2;", ALL, T, { T, T, T }, r_mad_hi },
	{ "mad.wide.% d, a0, a1, a2;", "u16 s16", "b32", { T, T, "b32" }, r_mad_wide },
	{ "mad.wide.% d, a0, a1, a2;", "u32 s32", "b64", { T, T, "b64" }, r_mad_wide },
	{ "mad.hi.sat.% d, a0, a1, a2;", "s32", T, { T, T, T }, r_mad_hi_sat },
	{ "add.sat.% d, a0, a1;", "s32", T, { T, T }, r_add_sat },
	{ "sub.sat.% d, a0, a1;", "s32", T, { T, T }, r_sub_sat },
	{ "min.% d, a0, a1;", ALL, T, { T, T }, r_min }, { "max.% d, a0, a1;", ALL, T, { T, T }, r_max },
	{ "neg.% d, a0;", "s16 s32 s64", T, { T }, r_neg }, { "abs.% d, a0;", "s16 s32 s64", T, { T }, r_abs },
	{ "sad.% d, a0, a1, a2;", ALL, T, { T, T, T }, r_sad },
	{ "mul24.lo.% d, a0, a1;", "u32 s32", T, { T, T }, r_24_lo },
	{ "mul24.hi.% d, a0, a1;", "u32 s32", T, { T, T }, r_24_hi },
	{ "mad24.lo.% d, a0, a1, a2;", "u32 s32", T, { T, T, T }, r_m24_lo },
	{ "mad24.hi.% d, a0, a1, a2;", "u32 s32", T, { T, T, T }, r_m24_hi },
	{ "mad24.hi.sat.% d, a0, a1, a2;", "s32", T, { T, T, T }, r_m24_sat },
	{ "popc.% d, a0;", "b32 b64", "b32", { T }, r_popc }, { "clz.% d, a0;", "b32 b64", "b32", { T }, r_clz },
	{ "bfind.% d, a0;", "u32 s32 u64 s64", "b32", { T }, r_bfind },
	{ "bfind.shiftamt.% d, a0;", "u32 s32 u64 s64", "b32", { T }, r_shiftamt },
	{ "brev.% d, a0;", "b32 b64", T, { T }, r_brev },
	{ "szext.clamp.% d, a0, a1;", "u32 s32", T, { T, "u32" }, r_szext_clamp },
	{ "szext.wrap.% d, a0, a1;", "u32 s32", T, { T, "u32" }, r_szext_wrap },
	{ "bmsk.clamp.% d, a0, a1;", "b32", T, { T, "b32" }, r_bmsk_clamp },
	{ "bmsk.wrap.% d, a0, a1;", "b32", T, { T, "b32" }, r_bmsk_wrap },
	{ "and.% d, a0, a1;", "b16 b32 b64", T, { T, T }, r_and }, { "or.% d, a0, a1;", "b16 b32 b64", T, { T, T }, r_or },
	{ "xor.% d, a0, a1;", "b16 b32 b64", T, { T, T }, r_xor }, { "not.% d, a0;", "b16 b32 b64", T, { T }, r_not },
	{ "cnot.% d, a0;", "b16 b32 b64", T, { T }, r_cnot },
	{ "shl.% d, a0, a1;", "b16 b32 b64", T, { T, "u32" }, r_shl },
	{ "shr.% d, a0, a1;", ALL " b16 b32 b64", T, { T, "u32" }, r_shr },
	{ "lop3.% d, a0, a1, a2, 0xca;", "b32", T, { T, T, T }, r_lop3 },
	{ "shf.l.wrap.% d, a0, a1, a2;", "b32", T, { T, T, "u32" }, r_shf_lw },
	{ "shf.l.clamp.% d, a0, a1, a2;", "b32", T, { T, T, "u32" }, r_shf_lc },
	{ "shf.r.wrap.% d, a0, a1, a2;", "b32", T, { T, T, "u32" }, r_shf_rw },
	{ "shf.r.clamp.% d, a0, a1, a2;", "b32", T, { T, T, "u32" }, r_shf_rc },
	{ "shf.l.wrap.% d, a0, a0, a1;", "b32", T, { T, "u32" }, r_rotate },
	/* writing a source; two results one of which is a source */
	{ "sub.% a0, a1, a0; mov.b32 d, a0;", "u32", T, { T, T }, NULL },
};

static void
substitute(const char *text, const char *type, char *out)
{
	for (; *text; text++)
		if (*text == '%')
			out += sprintf(out, "%s", type);
		else
			*out++ = *text;
	*out = 0;
}

static unsigned
bits_of(const char *type)
{
	return !strcmp(type + 1, "16") ? 16 : !strcmp(type + 1, "32") ? 32 : 64;
}

static bool
one(const op *o, const row *r, const char *name, const char *type, unsigned dbits, const uint64_t *v)
{
	arg p = { v[0], v[1], v[2], bits_of(type), type[0] == 's' };
	uint64_t got, want;

	want = (r->fn ? r->fn(&p) : p.b - p.a) & mask(dbits);
	if (op_eval(o, v, &got) && (got & mask(dbits)) == want)
		return true;
	report(name, "%llx %llx %llx: %llx, not %llx", (unsigned long long)v[0], (unsigned long long)v[1],
		(unsigned long long)v[2], (unsigned long long)got, (unsigned long long)want);
	return false;
}

static void
test_row(const row *r, const char *type)
{
	char name[80];
	const char *src[3], *dst = r->dst[0] == '%' ? type : r->dst;
	unsigned n = 0, w[3] = { 0 };
	uint64_t v[3] = { 0 };
	op o;

	substitute(r->text, type, name);
	for (; n < 3 && r->src[n]; n++) {
		src[n] = r->src[n][0] == '%' ? type : r->src[n];
		w[n] = bits_of(src[n]);
	}
	if (!op_new(&o, name, dst, n, src, P2A_SEM_DOCUMENTED)) {
		report(name, "%s%s", unit_diags(o.u), o.u->fault ? o.u->fault : "");
		return;
	}
	for (unsigned i = 0; i < 2 * NEDGES; i++)
		for (unsigned k = 0; k < 2 * NEDGES; k++) {
			v[0] = sample(i, w[0]);
			v[1] = n > 1 ? sample(k, w[1]) : 0;
			v[2] = n > 2 ? sample((i + 3 * k) % (3 * NEDGES), w[2]) : 0;
			if (!one(&o, r, name, type, bits_of(dst), v))
				return;
		}
	report(name, NULL);
	op_free(&o);
}

/* lop3: all 256 tables on operands whose bits are the table's rows. */
static void
test_lop3(void)
{
	const char *src[3] = { "b32", "b32", "b32" };
	uint64_t v[3] = { 0xf0f00ff0, 0xcccc3333, 0xaaaa5a5a }, got, want;
	char text[64];

	for (unsigned t = 0; t < 256; t++) {
		op o;

		snprintf(text, sizeof text, "lop3.b32 d, a0, a1, a2, 0x%02x;", t);
		if (!op_new(&o, text, "b32", 3, src, P2A_SEM_DOCUMENTED) || !op_eval(&o, v, &got)) {
			report(text, "%s", unit_diags(o.u));
			return;
		}
		want = 0;
		for (unsigned i = 0; i < 32; i++)
			want |= (uint64_t)(t >> ((v[0] >> i & 1) << 2 | (v[1] >> i & 1) << 1 | (v[2] >> i & 1)) & 1) << i;
		if (got != want)
			report(text, "%llx, not %llx", (unsigned long long)got, (unsigned long long)want);
		op_free(&o);
	}
	report("lop3 all tables", NULL);
}

/* prmt as the manual's tables have it. Byte n of the result comes from index[n]. */
static uint64_t
prmt(const char *mode, uint64_t a, uint64_t b, uint64_t c)
{
	static const char f4e[4][4] = { { 0, 1, 2, 3 }, { 1, 2, 3, 4 }, { 2, 3, 4, 5 }, { 3, 4, 5, 6 } };
	static const char b4e[4][4] = { { 0, 7, 6, 5 }, { 1, 0, 7, 6 }, { 2, 1, 0, 7 }, { 3, 2, 1, 0 } };
	static const char rc8[4][4] = { { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 } };
	static const char ecl[4][4] = { { 0, 1, 2, 3 }, { 1, 1, 2, 3 }, { 2, 2, 2, 3 }, { 3, 3, 3, 3 } };
	static const char ecr[4][4] = { { 0, 0, 0, 0 }, { 0, 1, 1, 1 }, { 0, 1, 2, 2 }, { 0, 1, 2, 3 } };
	static const char rc16[4][4] = { { 0, 1, 0, 1 }, { 2, 3, 2, 3 }, { 0, 1, 0, 1 }, { 2, 3, 2, 3 } };
	const char (*t)[4] = !strcmp(mode, ".f4e") ? f4e : !strcmp(mode, ".b4e") ? b4e : !strcmp(mode, ".rc8") ? rc8 :
		!strcmp(mode, ".ecl") ? ecl : !strcmp(mode, ".ecr") ? ecr : rc16;
	uint64_t both = b << 32 | a, r = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned sel = mode[0] ? (unsigned)t[c & 3][i] : (unsigned)(c >> (4 * i) & 15);
		uint64_t byte = both >> (8 * (sel & 7)) & 0xff;

		if (sel & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * i);
	}
	return r;
}

static bool
prmt_constant(const char *mode, uint64_t c)
{
	const char *src[2] = { "b32", "b32" };
	uint64_t v[2] = { 0x83127fc4, 0x0192f37e }, got;
	char text[64];
	op o;
	bool ok;

	snprintf(text, sizeof text, "prmt.b32%s d, a0, a1, 0x%llx;", mode, (unsigned long long)c);
	ok = op_new(&o, text, "b32", 2, src, P2A_SEM_DOCUMENTED) && op_eval(&o, v, &got) && got == prmt(mode, v[0], v[1], c);
	if (!ok)
		report(text, "%llx, not %llx", (unsigned long long)got, (unsigned long long)prmt(mode, v[0], v[1], c));
	op_free(&o);
	return ok;
}

static void
test_prmt(const char *mode)
{
	const char *src[3] = { "b32", "b32", "b32" };
	uint64_t v[3], got;
	char text[64];
	op o;

	snprintf(text, sizeof text, "prmt.b32%s d, a0, a1, a2;", mode);
	if (!op_new(&o, text, "b32", 3, src, P2A_SEM_DOCUMENTED)) {
		report(text, "%s", unit_diags(o.u));
		return;
	}
	for (unsigned i = 0; i < (mode[0] ? 64 : 65536); i++) {
		v[0] = sample(i + 40, 32), v[1] = sample(i + 77, 32), v[2] = i | (uint64_t)(i % 5) << 16;
		if (!op_eval(&o, v, &got) || got != prmt(mode, v[0], v[1], v[2])) {
			report(text, "%llx %llx %llx: %llx", (unsigned long long)v[0], (unsigned long long)v[1],
				(unsigned long long)v[2], (unsigned long long)got);
			return;
		}
	}
	for (unsigned i = 0; i < 500; i++)
		if (!prmt_constant(mode, mode[0] ? i : sample(i, 16)))
			return;
	report(text, NULL);
	op_free(&o);
}

/* Carry chains: 128-bit sums, differences, products from 32- and 64-bit pieces. */
static void
test_chain(const char *name, const char *text, uint64_t (*fn)(const uint64_t *))
{
	const char *src[4] = { "b64", "b64", "b64", "b64" };
	uint64_t v[4], got;
	op o;

	if (!op_new(&o, text, "b64", 4, src, P2A_SEM_DOCUMENTED)) {
		report(name, "%s", unit_diags(o.u));
		return;
	}
	for (unsigned i = 0; i < 5000; i++) {
		for (unsigned k = 0; k < 4; k++)
			v[k] = sample(k & 1 ? i / NEDGES + k : i + 5 * k, 64);
		if (!op_eval(&o, v, &got) || got != fn(v)) {
			report(name, "%llx %llx %llx %llx: %llx, not %llx", (unsigned long long)v[0], (unsigned long long)v[1],
				(unsigned long long)v[2], (unsigned long long)v[3], (unsigned long long)got,
				(unsigned long long)fn(v));
			return;
		}
	}
	report(name, NULL);
	op_free(&o);
}

static wide pair(const uint64_t *v, unsigned i) { return (wide)v[i + 1] << 64 | v[i]; }
static uint64_t sum_high(const uint64_t *v) { return (uint64_t)((pair(v, 0) + pair(v, 2)) >> 64); }
static uint64_t difference_high(const uint64_t *v) { return (uint64_t)((pair(v, 0) - pair(v, 2)) >> 64); }
static uint64_t product_high(const uint64_t *v) { return (uint64_t)((wide)v[0] * v[1] >> 64); }
static uint64_t sum_low(const uint64_t *v) { return v[0] + v[1]; }

static void
test_carries(void)
{
	test_chain("add.cc.u64 addc.u64", "add.cc.u64 d, a0, a2; addc.u64 d, a1, a3;", sum_high);
	test_chain("sub.cc.s64 subc.s64", "sub.cc.s64 d, a0, a2; subc.s64 d, a1, a3;", difference_high);
	test_chain("add.cc.u32 addc.cc.u32",
		".reg .b32 x0, x1, x2, x3, y0, y1, y2, y3; mov.b64 {x0, x1}, a0; mov.b64 {x2, x3}, a1;"
		"mov.b64 {y0, y1}, a2; mov.b64 {y2, y3}, a3; add.cc.u32 x0, x0, y0; addc.cc.u32 x1, x1, y1;"
		"addc.cc.u32 x2, x2, y2; addc.u32 x3, x3, y3; mov.b64 d, {x2, x3};", sum_high);
	test_chain("sub.cc.u32 subc.cc.u32",
		".reg .b32 x0, x1, x2, x3, y0, y1, y2, y3; mov.b64 {x0, x1}, a0; mov.b64 {x2, x3}, a1;"
		"mov.b64 {y0, y1}, a2; mov.b64 {y2, y3}, a3; sub.cc.u32 x0, x0, y0; subc.cc.u32 x1, x1, y1;"
		"subc.cc.u32 x2, x2, y2; subc.u32 x3, x3, y3; mov.b64 d, {x2, x3};", difference_high);
	test_chain("mad.cc madc.cc",
		".reg .b32 x<2>, y<2>, r<4>; mov.b64 {x0, x1}, a0; mov.b64 {y0, y1}, a1;"
		"mul.lo.u32 r0, x0, y0; mul.hi.u32 r1, x0, y0; mad.lo.cc.u32 r1, x0, y1, r1; madc.hi.u32 r2, x0, y1, 0;"
		"mad.lo.cc.u32 r1, x1, y0, r1; madc.hi.cc.u32 r2, x1, y0, r2; addc.u32 r3, 0, 0;"
		"mad.lo.cc.u32 r2, x1, y1, r2; madc.hi.u32 r3, x1, y1, r3; mov.b64 d, {r2, r3};", product_high);
	test_chain("guarded add.cc",
		".reg .pred p; .reg .b32 x0, x1, y0, y1, z; setp.ne.u64 p, a2, a2; mov.b64 {x0, x1}, a0; mov.b64 {y0, y1}, a1;"
		"add.cc.u32 x0, x0, y0; @p add.cc.u32 z, 0xffffffff, 0xffffffff; @p add.cc.u32 z, 0, 0; addc.u32 x1, x1, y1;"
		"mov.b64 d, {x0, x1};", sum_low);
}

int
main(void)
{
	static const char *const modes[] = { "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16" };
	char types[64], *save;

	for (size_t i = 0; i < COUNT(rows); i++) {
		strcpy(types, rows[i].types);
		for (char *t = types; (save = strchr(t, ' ')) != NULL || *t; t = save ? save + 1 : t + strlen(t)) {
			if (save)
				*save = 0;
			test_row(&rows[i], t);
		}
	}
	test_lop3();
	for (size_t i = 0; i < COUNT(modes); i++)
		test_prmt(modes[i]);
	test_carries();
	return nfailed != 0;
}
