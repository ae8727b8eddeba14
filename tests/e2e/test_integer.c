/* test_integer.c -- every integer instruction on edge values and random ones, through the whole path.
 * Meanings: integer.def, in 128-bit arithmetic; comparisons, lop3 and the exhaustive bfe below.
 * Manual: "Parallel Thread Execution ISA", 9.3, 9.7.1, 9.7.2, 9.7.6, 9.7.8, 9.7.9. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static int
is_signed(char type)
{
	return type == 's';
}

static wide
clamp_s32(wide x)
{
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static wide
product(wide a, wide b)
{
	return (wide)((uwide)a * (uwide)b);
}

/* The upper half of the 2n bits: u64 * u64 needs all 128 bits, unsigned. */
static wide
high(wide a, wide b, unsigned n)
{
	return (wide)((uwide)a * (uwide)b >> n);
}

static wide
extended(wide a, wide bits, char type)
{
	wide field = (wide)1 << bits, x = a & (field - 1);

	return is_signed(type) && bits && x >> (bits - 1) & 1 ? x - field : x;
}

static wide
low24(wide a, char type)
{
	return extended(a, 24, type);
}

static wide
low(wide a, unsigned n)
{
	return extended(a, n, 'u');
}

static wide
carry(wide a, wide b, wide c, unsigned n)
{
	return (low(a, n) + low(b, n) + c) >> n;
}

static wide
borrow(wide a, wide b, wide c, unsigned n)
{
	return low(a, n) < low(b, n) + c;
}

static wide
ones(wide a, unsigned n)
{
	wide r = 0;

	for (unsigned i = 0; i < n; i++)
		r += a >> i & 1;
	return r;
}

static wide
zeros(wide a, unsigned n)
{
	unsigned r = 0;

	while (r < n && !(a >> (n - 1 - r) & 1))
		r++;
	return r;
}

/* The highest bit that differs from the sign (of an unsigned number: from 0); -1: none */
static int
found(wide a, unsigned n)
{
	return (int)n - 1 - (int)zeros(a < 0 ? ~a : a, n);
}

static wide
reversed(wide a, unsigned n)
{
	wide r = 0;

	for (unsigned i = 0; i < n; i++)
		r |= (a >> i & 1) << (n - 1 - i);
	return r;
}

/* bmsk, as the manual writes it (9.7.1.22) */
static wide
permuted(wide a, wide b, wide sel)
{
	wide bytes = b << 32 | a, r = 0;

	for (unsigned i = 0; i < 4; i++) {
		wide s = sel >> (4 * i), byte = bytes >> ((s & 7) * 8) & 0xff;

		if (s & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * i);
	}
	return r;
}

/* dp4a, dp2a: n products of parts of a with bytes of b from byte `first` on (9.7.1.23, 9.7.1.24) */
static wide
dot(wide a, wide b, wide c, int n, int first, const char *types)
{
	for (int i = 0; i < n; i++)
		c += extended(a >> (32 / n * i), 32 / n, types[0]) * extended(b >> (8 * (first + i)), 8, types[1]);
	return c;
}

/* fns, the manual's program (9.7.1.17) */
static wide
nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
	int64_t pos = base, left = (offset < 0 ? -(int64_t)offset : offset) - 1;

	if (offset == 0)
		return base < 32 && mask >> base & 1 ? (wide)base : -1;
	for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
		if (mask >> pos & 1 && left-- == 0)
			return pos;
	return -1;
}

/* Halves on their own; op: + < >; relu: not below zero */
static wide
by_halves(wide a, wide b, char op, char type, int relu)
{
	wide r = 0;

	for (int i = 0; i < 2; i++) {
		wide x = extended(a >> (16 * i), 16, type), y = extended(b >> (16 * i), 16, type);
		wide v = op == '+' ? x + y : (op == '<') == (x < y) ? x : y;

		r |= low(relu && v < 0 ? 0 : v, 16) << (16 * i);
	}
	return r;
}

/* cvt.pack (9.7.9.22): a above b above nothing, or below c */
static wide
packed(wide a, wide b, wide c, unsigned n, char type)
{
	wide max = ((wide)1 << (n - (unsigned)is_signed(type))) - 1, min = is_signed(type) ? -max - 1 : 0;
	wide x = extended(a, 32, 's'), y = extended(b, 32, 's');

	x = x < min ? min : x > max ? max : x;
	y = y < min ? min : y > max ? max : y;
	return c << (2 * n) | low(x, n) << n | low(y, n);
}

/* ---- the table ---- */

typedef wide meaning(wide a, wide b, wide c, wide d, unsigned n, char type);
#define R(types, sig, text, expr) static meaning JOIN(rule_, __LINE__);
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#include "integer.def"
#undef R
#define R(types, sig, text, expr) \
	static wide JOIN(rule_, __LINE__)(wide a, wide b, wide c, wide d, unsigned n, char type) \
	{ (void)a, (void)b, (void)c, (void)d, (void)n, (void)type; return expr; }
#include "integer.def"
#undef R
static const struct rule { const char *types, *sig, *text; meaning *fn; } rules[] = {
#define R(types, sig, text, expr) { types, sig, text, JOIN(rule_, __LINE__) },
#include "integer.def"
#undef R
};

/* k: rule, width, first letter of the type, which sources are of the type (bits), of twice it */
static uint64_t
by_rule(const form *f, const uint64_t *s)
{
	wide v[4];

	for (int i = 0; i < 4; i++)
		v[i] = f->k[3] >> i & 1 ? extended((wide)s[i], f->k[1], (char)f->k[2]) :
			f->k[4] >> i & 1 ? extended((wide)s[i], 2 * f->k[1], (char)f->k[2]) : (wide)s[i];
	return (uint64_t)rules[f->k[0]].fn(v[0], v[1], v[2], v[3], (unsigned)f->k[1], (char)f->k[2]);
}

static char
letter(int bits)
{
	return bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
}

static void
add_rule(form_list *l, int rule, const char *type)
{
	const struct rule *r = &rules[rule];
	int bits = strcmp(type, "pred") ? atoi(type + 1) : 1;
	char s[192], sig[8];
	size_t n = 0;
	form *f;

	for (const char *p = r->text; *p; p++)
		n += (size_t)snprintf(s + n, sizeof s - n, *p == '@' ? "%s" : "%.1s", *p == '@' ? type : p);
	for (n = 0; r->sig[n]; n++)
		sig[n] = r->sig[n] == 't' ? letter(bits) : r->sig[n] == 'w' ? letter(2 * bits) : r->sig[n];
	sig[n] = 0;
	f = form_add(l, sig, by_rule, "%s", s);
	f->k[0] = rule;
	f->k[1] = bits;
	f->k[2] = *type;
	for (int i = 0; r->sig[i + 2]; i++) {
		f->k[3] |= (r->sig[i + 2] == 't') << i;
		f->k[4] |= (r->sig[i + 2] == 'w') << i;
	}
}

static void
add_rules(form_list *l)
{
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
		char types[128], *next = types;

		snprintf(types, sizeof types, "%s", rules[r].types);
		for (char *type; *next; add_rule(l, (int)r, type)) {
			type = next;
			next += strcspn(next, " ");
			if (*next)
				*next++ = 0;
		}
	}
}

/* ---- comparisons ---- */

static int
compared(const char *cmp, wide a, wide b)
{
	static const struct { const char *name; int less, equal, greater; } row[] = {
		{ "eq", 0, 1, 0 }, { "ne", 1, 0, 1 }, { "lt", 1, 0, 0 }, { "le", 1, 1, 0 }, { "gt", 0, 0, 1 },
		{ "ge", 0, 1, 1 }, { "lo", 1, 0, 0 }, { "ls", 1, 1, 0 }, { "hi", 0, 0, 1 }, { "hs", 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!strcmp(row[i].name, cmp))
			return a < b ? row[i].less : a > b ? row[i].greater : row[i].equal;
	abort();
}

static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs" };
static const char *const combine[] = { "", "and", "or", "xor" };

/* k: comparison, boolean operation, width, sign, what is made of it (0 predicate, 1 its opposite, 2 1.0f, 3 and 4 masks),
 * the predicate negated */
static uint64_t
comparison(const form *f, const uint64_t *s)
{
	char type = f->k[3] ? 's' : 'u';
	int t = compared(cmps[f->k[0]], extended((wide)s[0], f->k[2], type), extended((wide)s[1], f->k[2], type));
	int c = (int)s[2] ^ f->k[5];

	if (f->k[4] == 1)
		t = !t;
	t = f->k[1] == 0 ? t : f->k[1] == 1 ? t & c : f->k[1] == 2 ? t | c : t ^ c;
	return f->k[4] < 2 ? (uint64_t)t : !t ? 0 : f->k[4] == 2 ? 0x3f800000 : 0xffffffff;
}

static void
add_comparison(form_list *l, int cmp, const char *type, int op, int made)
{
	static const char *const dtype[] = { "", "", ".f32", ".u32", ".s32" };
	int bits = atoi(type + 1), neg = op && (cmp + op + made) % 2;
	char sig[8] = { made < 2 ? 'p' : 'r', ':', letter(bits), letter(bits), op ? 'p' : 0 };
	form *f = form_add(l, sig, comparison, "set%s.%s%s%s%s.%s %s, $1, $2%s%s;", made < 2 ? "p" : "", cmps[cmp], op ? "." : "", combine[op],
	                   dtype[made], type, made == 1 ? "%q|$0" : "$0", op ? ", " : "", op ? neg ? "!$3" : "$3" : "");

	f->k[0] = cmp;
	f->k[1] = op;
	f->k[2] = bits;
	f->k[3] = *type == 's';
	f->k[4] = made;
	f->k[5] = neg;
}

static void
add_comparisons(form_list *l)
{
	static const char *const types[] = { "b16", "b32", "b64", "s16", "s32", "s64", "u16", "u32", "u64" };

	for (int t = 0; t < 9; t++)
		for (int cmp = 0; cmp < (*types[t] == 'b' ? 2 : *types[t] == 's' ? 6 : 10); cmp++)
			for (int op = 0; op < 4; op++)
				for (int made = 0; made < 5; made++)
					if (made < 2 || !op || cmp < 2 || op == 1 + cmp % 3)
						add_comparison(l, cmp, types[t], op, made);
}

/* ---- lop3 ---- */

static uint64_t
looked_up(const form *f, const uint64_t *s)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 32; i++) {
		unsigned row = (unsigned)((s[0] >> i & 1) << 2 | (s[1] >> i & 1) << 1 | (s[2] >> i & 1));

		r |= (uint64_t)(f->k[0] >> row & 1) << i;
	}
	return r;
}

static void
add_lop3(form_list *l)
{
	for (int lut = 0; lut < 256; lut++)
		form_add(l, "r:rrr", looked_up, "lop3.b32 $0, $1, $2, $3, %d;", lut)->k[0] = lut;
}

/* ---- bfe: all positions and lengths ---- */

/* Every result bit of bfe is 0 or one bit of a: words whose bit i is bit k of i, for all k, tell which. */
static uint32_t
coded_words(uint64_t *v)
{
	static const uint64_t word[6] = { 0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
		0xffff0000ffff0000, 0xffffffff00000000 };
	uint64_t seed = 3;

	memcpy(v, word, sizeof word);
	v[6] = ~0ull;
	v[7] = form_random(&seed);
	return 8;
}

/* grid: position x word; block: length */
static void
bfe_kernel(text *t, const char *type, uint32_t above)
{
	int d = type[1] == '6';

	text_add(t, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b32 %%r<9>; .reg .b64 %%in, %%out, %%at, %%x;\n"
	         "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ctaid.y;\n"
	         "mul.wide.u32 %%at, %%r3, 8; add.u64 %%in, %%in, %%at; mad.lo.u32 %%r4, %%r3, 256, %%r2; mad.lo.u32 %%r4, %%r4, 256, %%r1;\n"
	         "mul.wide.u32 %%at, %%r4, 8; add.u64 %%out, %%out, %%at; or.b32 %%r1, %%r1, %u; or.b32 %%r2, %%r2, %u;\n", above, above);
	text_add(t, d ? "ld.global.u64 %%x, [%%in]; bfe.%s %%x, %%x, %%r2, %%r1;\n" :
	         "ld.global.u32 %%r5, [%%in]; bfe.%s %%r5, %%r5, %%r2, %%r1; cvt.u64.u32 %%x, %%r5;\n", type);
	text_add(t, "st.global.u64 [%%out], %%x; ret;\n}\n");
}

static int
bfe_all(const char *type, p2a_semantics sem, uint32_t above)
{
	uint64_t in[8], n = coded_words(in), size = n << 16, *want = malloc(size * 8), *got = malloc(size * 8);
	unsigned bits = (unsigned)atoi(type + 1);
	char name[64];
	text t = { 0 };
	e2e_run r = { .kernel = "k", .sem = sem, .grid = { 256, (uint32_t)n, 1 }, .block = { 256, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = got, .out_size = size * 8 };
	int bad = 0;

	if (!want || !got)
		abort();
	snprintf(name, sizeof name, "bfe.%s, all positions and lengths%s%s", type, above ? ", bits above" : "", sem ? ", nvidia" : "");
	for (uint64_t i = 0; i < size; i++)
		want[i] = ref_bfe(in[i >> 16], (uint32_t)(i >> 8 & 255) | above, (uint32_t)(i & 255) | above, bits, *type == 's', sem) &
			(bits == 64 ? ~0ull : 0xffffffff);
	bfe_kernel(&t, type, above);
	r.ptx = t.s;
	for (int c = 0; form_chips(c, &r.chip) && !bad; c++) {
		bad = e2e_launch(name, &r);
		for (uint64_t i = 0; i < size && !bad; i++)
			if (got[i] != want[i]) {
				printf("not ok %s on %s: %#llx pos %u len %u: got %#llx, should be %#llx\n", name, r.chip,
				       (unsigned long long)in[i >> 16], (unsigned)(i >> 8 & 255), (unsigned)(i & 255), (unsigned long long)got[i],
				       (unsigned long long)want[i]);
				bad = 1;
			}
	}
	free(t.s);
	free(want);
	free(got);
	if (!bad)
		printf("ok %s\n", name);
	return bad;
}

/* Constant positions and lengths, other code for each, up to past the width. k: width, sign, position, length */
static uint64_t
fixed_field(const form *f, const uint64_t *s)
{
	return ref_bfe(s[0], (uint32_t)f->k[2], (uint32_t)f->k[3], (unsigned)f->k[0], f->k[1], P2A_SEM_DOCUMENTED);
}

static int
bfe_constants(void)
{
	static const char *const types[] = { "u32", "s32", "u64", "s64" };
	form_list l = { 0 };
	form_data d = { 0 };
	uint64_t in[8], n = coded_words(in);
	int bad;

	for (int i = 0; i < 4; i++) {
		int bits = atoi(types[i] + 1), step = (i < 2 ? 1 : 3) * (e2e_quick() ? 5 : 1);

		for (int pos = 0; pos <= bits + 1; pos += step)
			for (int len = 0; len <= bits + 1; len += step) {
				form *f = form_add(&l, i < 2 ? "r:r" : "d:d", fixed_field, "bfe.%s $0, $1, %d, %d;", types[i], pos, len);

				memcpy(f->k, (int[4]){ bits, i % 2, pos, len }, 4 * sizeof *f->k);
			}
	}
	for (uint64_t i = 0; i < n; i++)
		form_vector(&d, in[i], 0, 0, 0);
	bad = form_run("bfe of constant fields", &l, &d, 1 << FORM_LANES | 1 << FORM_UNIFORM);
	free(l.f);
	free(d.v);
	return bad;
}

/* ---- */

static const uint64_t edges[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x3210, 0x7fff, 0x8000, 0xffff,
	0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffff80000000, 0x7fffffffffffffff,
	0x8000000000000000, 0x8000800080008000, 0xfffffffffffffffe, 0xffffffffffffffff };

/* Random words: any bits, few bits, small, or next to an edge */
static uint64_t
some_word(uint64_t *s)
{
	uint64_t x = form_random(s), kind = form_random(s) % 5;

	return kind == 0 ? x : kind == 1 ? x >> (x & 63) : kind == 2 ? (uint64_t)((int64_t)x >> (x & 63)) : kind == 3 ?
		edges[x % (sizeof edges / sizeof *edges)] + (x >> 32) % 3 - 1 : x & form_random(s) & form_random(s);
}

static void
vectors(form_data *d)
{
	uint64_t s = 11;

	form_pairs(d, edges, sizeof edges / sizeof *edges);
	for (int i = 0; i < 2000; i++) {
		uint64_t a = some_word(&s), b = some_word(&s), c = some_word(&s);

		form_vector(d, a, b, c, some_word(&s));
	}
}

static uint64_t
program_value(char kind, uint64_t *s)
{
	(void)kind;
	return some_word(s);
}

static int
programs(const form_list *rule, const form_list *comparisons, const form_list *lop3)
{
	form_list l = { 0 };
	int bad;

	for (size_t i = 0; i < rule->n; i++)
		*form_add(&l, "r:r", NULL, "%s", "") = rule->f[i];
	for (size_t i = 0; i < comparisons->n; i += 7)
		*form_add(&l, "r:r", NULL, "%s", "") = comparisons->f[i];
	for (size_t i = 0; i < lop3->n; i += 16)
		*form_add(&l, "r:r", NULL, "%s", "") = lop3->f[i];
	bad = form_programs("integer programs", &l, program_value, 300);
	free(l.f);
	return bad;
}

int
main(void)
{
	static const char *const types[] = { "u32", "s32", "u64", "s64" };
	form_list rule = { 0 }, comparisons = { 0 }, lop3 = { 0 };
	form_data d = { 0 };
	int bad = 0;

	vectors(&d);
	add_rules(&rule);
	add_comparisons(&comparisons);
	add_lop3(&lop3);
	if (getenv("SEED"))
		return programs(&rule, &comparisons, &lop3);
	bad |= form_run("integer instructions", &rule, &d, FORM_ALL);
	bad |= form_run("integer comparisons", &comparisons, &d, FORM_ALL);
	bad |= form_run("lop3", &lop3, &d, FORM_ALL);
	for (int i = 0; i < 4; i++) {
		bad |= bfe_all(types[i], P2A_SEM_DOCUMENTED, 0);
		bad |= bfe_all(types[i], P2A_SEM_DOCUMENTED, 0xffffff00);
		bad |= bfe_all(types[i], P2A_SEM_NVIDIA, 0);
	}
	bad |= bfe_constants();
	bad |= programs(&rule, &comparisons, &lop3);
	free(d.v);
	free(rule.f);
	free(comparisons.f);
	free(lop3.f);
	return bad;
}
