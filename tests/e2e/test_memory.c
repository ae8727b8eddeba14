/* test_memory.c -- ld and st in every space, spelling, width, vector and register size (memory.def).
 * Each lane has a record of 64 random bytes, kept in global, shared (static and dynamic) and local memory; a
 * table of four more stands in .const, .global and a by-value parameter. Expected: the bytes, by the manual.
 * Then offsets that no instruction can hold, initializers with addresses, and parameter layout.
 * Manual: "Parallel Thread Execution ISA", 5.1, 5.4, 6.4, 9.4.1, 9.7.9. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 96, REC = 64, BATCH = 40, WORDS = 8 };       /* a result: up to eight 64-bit words */
typedef enum holds { LANE, LANE_0, TABLE, TABLE_0, TABLE_1 } holds;

static const struct place { char letter; const char *space, *address; holds holds; } places[] = {
#define PLACE(letter, space, address, holds) { letter, space, address, holds },
#define LOAD(before, behind, where)
#define STORE(before, behind, where)
#define TYPE(name, bytes, sign, widens)
#include "memory.def"
#undef PLACE
#undef LOAD
#undef STORE
};
static const struct spelling { int store; const char *before, *behind, *where; } spellings[] = {
#define PLACE(letter, space, address, holds)
#define LOAD(before, behind, where) { 0, before, behind, where },
#define STORE(before, behind, where) { 1, before, behind, where },
#include "memory.def"
#undef LOAD
#undef STORE
#undef TYPE
};
static const struct type { const char *name; int bytes, sign, widens; } types[] = {
#define LOAD(before, behind, where)
#define STORE(before, behind, where)
#define TYPE(name, bytes, sign, widens) { name, bytes, sign, widens },
#include "memory.def"
#undef PLACE
#undef LOAD
#undef STORE
#undef TYPE
};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

typedef struct access { const struct spelling *s; const struct place *p; const struct type *t; int n, reg, offset; } access;
typedef struct data { uint8_t lane[LANES][REC], table[4][REC]; } data;

/* ---- code ---- */

static void
table_text(text *t, const char *space, const char *name, const data *d)
{
	text_add(t, "%s .align 16 .b8 %s[%d] = {", space, name, 4 * REC);
	for (int i = 0; i < 4 * REC; i++)
		text_add(t, "%s%u", i ? "," : "", d->table[i / REC][i % REC]);
	text_add(t, "};\n");
}

/* Addresses in registers, and the lane's record copied to shared and local memory. */
static void
prologue(text *t, const data *d)
{
	t->n = 0;
	text_add(t, ".version 8.8\n.target sm_100\n.address_size 64\n");
	table_text(t, ".global", "gtable", d);
	table_text(t, ".const", "ctable", d);
	text_add(t, ".extern .shared .align 16 .b8 dyn[];\n"
	         ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[%d])\n{\n"
	         ".reg .b16 %%h<9>; .reg .b32 %%r<9>, %%s, %%y, %%l; .reg .b64 %%rd<9>, %%in, %%out, %%at, %%g, %%w, %%m, %%c, %%p, %%gg, %%gs, "
	         "%%gl, %%gc, %%gp, %%mix, %%uc, %%up, %%ug; .reg .b128 %%q; .reg .pred %%p0;\n"
	         ".shared .align 16 .b8 room[%d]; .local .align 16 .b8 depot[%d];\n", 4 * REC, LANES * REC, REC);
	text_add(t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%r0, %%tid.x;\n"
	         "cvta.to.global.u64 %%in, %%in; cvta.to.global.u64 %%out, %%out;\n"
	         "mul.wide.u32 %%at, %%r0, %d; add.u64 %%g, %%in, %%at; mul.wide.u32 %%at, %%r0, %d; add.u64 %%out, %%out, %%at;\n"
	         "mov.u32 %%r1, room; mad.lo.u32 %%s, %%r0, %d, %%r1; cvt.u64.u32 %%w, %%s; mov.u32 %%r1, dyn; mad.lo.u32 %%y, %%r0, %d, %%r1;\n"
	         "mov.u32 %%l, depot; mov.u64 %%m, depot;\n"
	         "mov.u32 %%r1, %%nctaid.x; mul.wide.u32 %%at, %%r1, %d; mov.u64 %%uc, ctable; add.u64 %%uc, %%uc, %%at; mov.u64 %%up, block; "
	         "add.u64 %%up, %%up, %%at; mov.u64 %%ug, gtable; add.u64 %%ug, %%ug, %%at;\n"
	         "and.b32 %%r1, %%r0, 3; mul.wide.u32 %%at, %%r1, %d; mov.u64 %%c, ctable; add.u64 %%c, %%c, %%at; mov.u64 %%p, block; "
	         "add.u64 %%p, %%p, %%at;\n"
	         "cvta.global.u64 %%gg, %%g; cvta.shared.u64 %%gs, %%w; cvta.local.u64 %%gl, %%m; cvta.const.u64 %%gc, %%c; cvta.param.u64 "
	         "%%gp, block; add.u64 %%gp, %%gp, %%at;\n"
	         "setp.eq.u32 %%p0, %%r1, 1; selp.b64 %%mix, %%gs, %%gg, %%p0; setp.eq.u32 %%p0, %%r1, 2; selp.b64 %%mix, %%gl, %%mix, %%p0;\n",
	         REC, BATCH * WORDS * 8, REC, REC, REC, REC);
	for (int i = 0; i < REC; i += 8)
		text_add(t, "ld.global.u64 %%rd0, [%%g+%d]; st.shared.u64 [%%s+%d], %%rd0; st.shared.u64 [%%y+%d], %%rd0; st.local.u64 [%%l+%d], %%rd0;\n",
		         i, i, i, i);
	text_add(t, "bar.sync 0;\n");
}

static const char *
class_of(int reg)
{
	return reg == 16 ? "h" : reg == 32 ? "r" : "rd";
}

static void
operand(text *t, const access *a)
{
	if (a->t->bytes == 16)
		text_add(t, "%%q");
	else if (a->n == 1)
		text_add(t, "%%%s1", class_of(a->reg));
	else
		for (int i = 1; i <= a->n; i++)
			text_add(t, "%s%%%s%d%s", i == 1 ? "{" : ", ", class_of(a->reg), i, i == a->n ? "}" : "");
}

static void
address(text *t, const access *a)
{
	text_add(t, a->offset ? "[%s+%d]" : "[%s]", a->p->address, a->offset);
}

static void
name_of(text *t, const access *a)
{
	text_add(t, "%s%s%s%s%s.%s ", a->s->store ? "st" : "ld", a->s->before, a->p->space, a->s->behind, a->n == 1 ? "" : a->n == 2 ? ".v2" : a->n == 4 ? ".v4" : ".v8",
	         a->t->name);
}

static void
load_code(text *t, const access *a, int index)
{
	name_of(t, a);
	operand(t, a);
	text_add(t, ", ");
	address(t, a);
	text_add(t, ";\n");
	if (a->t->bytes == 16)
		text_add(t, "mov.b128 {%%rd1, %%rd2}, %%q;\n");
	for (int i = 0; i < (a->t->bytes == 16 ? 2 : a->n); i++)
		text_add(t, "st.global.b%d [%%out+%d], %%%s%d;\n", a->reg, (index * WORDS + i) * 8, class_of(a->reg), i + 1);
}

/* Values come from the table's last record; afterwards the whole record of the lane is read back. */
static void
store_code(text *t, const access *a)
{
	for (int i = 0; i < (a->t->bytes == 16 ? 2 : a->n); i++)
		text_add(t, "ld.global.b%d %%%s%d, [gtable+%d];\n", a->reg, class_of(a->reg), i + 1, 3 * REC + 8 * i);
	if (a->t->bytes == 16)
		text_add(t, "mov.b128 %%q, {%%rd1, %%rd2};\n");
	name_of(t, a);
	address(t, a);
	text_add(t, ", ");
	operand(t, a);
	text_add(t, ";\n");
}

static void
read_back(text *t, const struct place *p)
{
	for (int i = 0; i < REC; i += 8)
		text_add(t, "ld%s.u64 %%rd1, [%s+%d]; st.global.u64 [%%out+%d], %%rd1;\n", p->space, p->address, i, i);
}

/* ---- expected ---- */

static const uint8_t *
bytes_of(const data *d, const struct place *p, int lane)
{
	switch (p->holds) {
	case LANE:   return d->lane[lane];
	case LANE_0: return d->lane[0];
	case TABLE:  return d->table[lane % 4];
	case TABLE_1: return d->table[1];
	default:     return d->table[0];
	}
}

static uint64_t
element(const access *a, const uint8_t *from, int i)
{
	uint64_t x = 0;
	int size = a->t->bytes < 8 ? a->t->bytes : 8;

	memcpy(&x, from + a->offset + i * size, (size_t)size);          /* little-endian host, as the chip */
	if (a->t->sign && size < 8 && x >> (size * 8 - 1) & 1)
		x -= (uint64_t)1 << size * 8;
	return a->reg == 64 ? x : x & (((uint64_t)1 << a->reg) - 1);
}

/* ---- runs ---- */

static int
launch(const char *name, const char *chip, const data *d, const char *ptx, void *out, size_t out_size)
{
	data *in = malloc(sizeof *in);
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "k", .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .shared = LANES * REC,
		.in = in, .in_size = sizeof *in, .out = out, .out_size = out_size, .extra = d->table, .extra_size = sizeof d->table };
	int bad;

	if (!in)
		abort();
	*in = *d;
	if (getenv("SHOW"))
		fputs(ptx, stderr);
	bad = e2e_launch(name, &r);
	free(in);
	return bad;
}

static int
complain(const char *chip, const access *a, int lane, uint64_t got, uint64_t want)
{
	text t = { 0 };

	name_of(&t, a);
	address(&t, a);
	printf("not ok memory on %s: %s, registers of %d bits, lane %d: got %#llx, should be %#llx\n", chip, t.s, a->reg, lane,
	       (unsigned long long)got, (unsigned long long)want);
	free(t.s);
	return 1;
}

static int
loads(const char *chip, const data *d, const access *a, int n)
{
	static uint64_t out[LANES][BATCH][WORDS];
	text t = { 0 };
	int bad;

	prologue(&t, d);
	for (int i = 0; i < n; i++)
		load_code(&t, &a[i], i);
	text_add(&t, "ret;\n}\n");
	bad = launch("loads", chip, d, t.s, out, sizeof out);
	for (int i = 0; i < n && !bad; i++)
		for (int lane = 0; lane < LANES && !bad; lane++)
			for (int k = 0; k < (a[i].t->bytes == 16 ? 2 : a[i].n) && !bad; k++) {
				uint64_t want = element(&a[i], bytes_of(d, a[i].p, lane), k);

				if (out[lane][i][k] != want)
					bad = complain(chip, &a[i], lane, out[lane][i][k], want);
			}
	free(t.s);
	return bad;
}

/* Stores to one place, that must not overlap; what lies between them must stay. */
static int
stores(const char *chip, const data *d, const access *a, int n)
{
	static uint8_t out[LANES][BATCH * WORDS * 8];
	text t = { 0 };
	int bad;

	prologue(&t, d);
	for (int i = 0; i < n; i++)
		store_code(&t, &a[i]);
	read_back(&t, a[0].p);
	text_add(&t, "ret;\n}\n");
	bad = launch("stores", chip, d, t.s, out, sizeof out);
	for (int lane = 0; lane < LANES && !bad; lane++) {
		uint8_t want[REC];

		memcpy(want, d->lane[lane], REC);
		for (int i = 0; i < n; i++)
			for (int k = 0; k < (a[i].t->bytes == 16 ? 2 : a[i].n); k++) {
				int size = a[i].t->bytes < 8 ? a[i].t->bytes : 8;

				memcpy(want + a[i].offset + k * size, &d->table[3][8 * k], (size_t)size);
			}
		for (int i = 0; i < REC && !bad; i++)
			if (out[lane][i] != want[i]) {
				printf("byte %d: ", i);
				bad = complain(chip, &a[0], lane, out[lane][i], want[i]);
			}
	}
	free(t.s);
	return bad;
}

/* All types, vectors and register sizes of a spelling at a place, at offsets that follow each other. */
static int
forms_of(const struct spelling *s, const struct place *p, access *a)
{
	int n = 0;

	for (int t = 0; t < COUNT(types); t++)
		for (int v = 1; v <= 8; v *= 2)
			for (int reg = types[t].bytes == 1 ? 16 : types[t].bytes * 8; reg <= (types[t].widens ? 64 : types[t].bytes * 8); reg *= 2) {
				int size = types[t].bytes * v;

				if (size > 32 || (types[t].bytes == 16 && v > 1) || (v == 8 && types[t].bytes != 4))
					continue;
				a[n] = (access){ s, p, &types[t], v, reg > 64 ? 64 : reg, n * 5 % (REC / size) * size };
				n++;
			}
	return n;
}

/* Loads of one spelling, or stores, split where they would overlap. Not every form at every place in quick runs. */
static int
spelling_at(const char *chip, const data *d, const struct spelling *s, const struct place *p, int *count)
{
	static access a[256];
	int n = forms_of(s, p, a), bad = 0, used = 0;

	*count += n;
	if (e2e_quick() && (s->before[0] || s->behind[0]))
		n = n < 20 ? n : 20;
	for (int i = 0; i < n && !bad; i += used) {
		uint8_t taken[REC] = { 0 };

		for (used = 0; i + used < n && used < BATCH; used++) {
			const access *x = &a[i + used];
			int size = x->t->bytes * x->n;

			if (s->store && memchr(taken + x->offset, 1, (size_t)size))
				break;
			memset(taken + x->offset, 1, (size_t)size);
		}
		bad = s->store ? stores(chip, d, a + i, used) : loads(chip, d, a + i, used);
	}
	return bad;
}

static int
spellings_everywhere(const data *d)
{
	int bad = 0, count = 0;
	const char *chip;

	for (int c = 0; form_chips(c, &chip); c++)
		for (int i = 0; i < COUNT(spellings); i++)
			for (int k = 0; k < COUNT(places); k++)
				if (strchr(spellings[i].where, places[k].letter))
					bad |= spelling_at(chip, d, &spellings[i], &places[k], &count);
	if (!bad)
		printf("ok ld and st: %d forms\n", count);
	return bad;
}

/* ---- offsets ---- */

static const int64_t offsets[] = { 1, 2047, 2048, 4095, 4096, 8191, 8192, 65535, 65536, 0x7ffff, 0x80000, 0xfffff, 0x100000, 0x7fffff, 0x800000,
	0xffffff, 0x1000000, 0x7fffffc0 };

/* The register is that far away from the place, by a distance which the translator does not know. */
static void
offset_code(text *t, const struct place *p, int64_t off, int index)
{
	int narrow = *p->address == '%' && strchr("syl", p->letter) != NULL;

	text_add(t, "ld.global.s64 %%rd2, [%%in+%d]; cvt.u32.u64 %%r2, %%rd2;\n", 4 * REC + index * 8);
	if (narrow)
		text_add(t, "sub.s32 %%r3, %s, %%r2; ld%s.u32 %%r4, [%%r3+%lld]; add.s32 %%r3, %%r3, %lld; ld%s.u32 %%r5, [%%r3+4];\n", p->address, p->space,
		         (long long)off, (long long)off, p->space);
	else
		text_add(t, "sub.s64 %%rd3, %s, %%rd2; ld%s.u32 %%r4, [%%rd3+%lld]; add.s64 %%rd3, %%rd3, %lld; ld%s.u32 %%r5, [%%rd3+4];\n", p->address,
		         p->space, (long long)off, (long long)off, p->space);
	text_add(t, "st.global.u32 [%%out+%d], %%r4; st.global.u32 [%%out+%d], %%r5;\n", index * 16, index * 16 + 8);
}

static int
offsets_at(const char *chip, const data *d, const struct place *p)
{
	static uint64_t out[LANES][BATCH][WORDS];
	data *x = malloc(sizeof *x);
	text t = { 0 };
	int n = 2 * COUNT(offsets), bad;

	if (!x)
		abort();
	*x = *d;
	prologue(&t, d);
	for (int i = 0; i < n; i++) {
		int64_t off = i & 1 ? -offsets[i / 2] : offsets[i / 2];

		memcpy((uint8_t *)x->lane + 4 * REC + i * 8, &off, 8);
		offset_code(&t, p, off, i);
	}
	text_add(&t, "ret;\n}\n");
	bad = launch("offsets", chip, x, t.s, out, sizeof out);
	for (int lane = 0; lane < LANES && !bad; lane++)
		for (int i = 0; i < 2 * n && !bad; i++) {
			uint32_t want, got = (uint32_t)((uint64_t *)out[lane])[i];

			memcpy(&want, bytes_of(x, p, lane) + i % 2 * 4, 4);
			if (got != want) {
				printf("not ok offset on %s: %s%lld from ld%s [%s]: lane %d got %#x, should be %#x\n", chip, i / 2 & 1 ? "-" : "",
				       (long long)offsets[i / 4], p->space, p->address, lane, got, want);
				bad = 1;
			}
		}
	free(t.s);
	free(x);
	return bad;
}

static int
far_offsets(const data *d)
{
	int bad = 0;
	const char *chip;

	for (int c = 0; form_chips(c, &chip); c++)
		for (int k = 0; k < COUNT(places); k++)
			if (*places[k].address == '%')
				bad |= offsets_at(chip, d, &places[k]);
	if (!bad)
		printf("ok offsets: %d distances\n", 2 * COUNT(offsets));
	return bad;
}

/* ---- variables ---- */

/* A kernel without operands that writes 32-bit words; what they must be. */
static int
fixed(const char *name, const char *decls, const char *body, const uint32_t *want, int n, const void *extra, size_t size)
{
	uint32_t *out = calloc((size_t)n, 4), in = 0;
	text t = { 0 };
	e2e_run r = { .kernel = "k", .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .in = &in, .in_size = 4, .out = out, .out_size = (size_t)n * 4,
		.extra = extra, .extra_size = size };
	int bad = 0;

	if (!out)
		abort();
	text_add(&t, ".version 8.8\n.target sm_100\n.address_size 64\n%s\n{\n.reg .b32 %%r<20>; .reg .b64 %%rd<20>, %%out; .reg .f64 %%d<4>; "
	         ".reg .b16 %%h<4>;\nld.param.u64 %%out, [out];\n%s\nret;\n}\n", decls, body);
	r.ptx = t.s;
	for (int c = 0; form_chips(c, &r.chip); c++) {
		int wrong = e2e_launch(name, &r);

		for (int i = 0; i < n && !wrong; i++)
			if (out[i] != want[i]) {
				printf("not ok %s on %s: word %d: got %#x, should be %#x\n", name, r.chip, i, out[i], want[i]);
				wrong = 1;
			}
		bad |= wrong;
	}
	if (!bad)
		printf("ok %s\n", name);
	free(t.s);
	free(out);
	return bad;
}

#define ENTRY ".visible .entry k(.param .u64 in, .param .u64 out"

static int
initializers(void)
{
	static const uint32_t want[] = { 11, 22, 33, 44, 33, 22, 0x3f800000, 0x40000000, 0, 0x3ff80000, 0xff, 0xfffe, 0x7f, 0, 9, 77, 44, 5, 6, 0, 7 };

	return fixed("initializers",
		".global .align 4 .u32 a[4] = { 11, 22, 33, 44 };\n"
		".global .u64 to_a = a;\n.global .u64 to_a2[2] = { a + 8, generic(a) + 4 };\n.const .u64 from_const = to_a2;\n"
		".global .f32 f[2] = { 1.0, 0f40000000 };\n.const .f64 e = 0d3ff8000000000000;\n"
		".global .s8 small[4] = { -1, 127 };\n.global .align 2 .s16 half = -2;\n"
		".global .u32 chain = 9;\n.global .u64 link1 = chain;\n.global .u64 link2 = link1;\n"
		".visible .global .align 8 .b8 raw[16];\n.global .u32 two[2][2] = { { 5, 6 }, { 0, 7 } };\n"
		ENTRY ")",
		"mov.u64 %rd1, a; ld.global.u32 %r1, [%rd1]; st.global.u32 [%out], %r1; ld.global.u32 %r1, [a+4]; st.global.u32 [%out+4], %r1;\n"
		"ld.global.u64 %rd2, [to_a]; ld.global.v2.u32 {%r2, %r3}, [%rd2+8]; st.global.u32 [%out+8], %r2; st.global.u32 [%out+12], %r3;\n"
		"ld.const.u64 %rd3, [from_const]; ld.u64 %rd4, [%rd3]; ld.u32 %r4, [%rd4]; st.global.u32 [%out+16], %r4;\n"
		"ld.u64 %rd4, [%rd3+8]; ld.u32 %r4, [%rd4]; st.global.u32 [%out+20], %r4;\n"
		"ld.global.v2.b32 {%r1, %r2}, [f]; st.global.v2.b32 [%out+24], {%r1, %r2};\n"
		"ld.const.f64 %d1, [e]; mov.b64 {%r1, %r2}, %d1; st.global.u32 [%out+32], %r1; st.global.u32 [%out+36], %r2;\n"
		"ld.global.u8 %r1, [small]; st.global.u32 [%out+40], %r1; ld.global.u16 %r1, [half]; st.global.u32 [%out+44], %r1;\n"
		"ld.global.s8 %r1, [small+1]; st.global.u32 [%out+48], %r1; ld.global.s8 %r1, [small+3]; st.global.u32 [%out+52], %r1;\n"
		"ld.global.u64 %rd5, [link2]; ld.global.u64 %rd6, [%rd5]; ld.global.u32 %r1, [%rd6]; st.global.u32 [%out+56], %r1;\n"
		"mov.u32 %r1, 77; st.global.u32 [raw+8], %r1; ld.global.u32 %r2, [raw+8]; st.global.u32 [%out+60], %r2;\n"
		"ld.global.u32 %r2, [a+12]; st.global.u32 [%out+64], %r2;\n"
		"mov.u64 %rd7, two; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd7]; st.global.u32 [%out+68], %r1; st.global.u32 [%out+72], %r2;\n"
		"st.global.u32 [%out+76], %r3; st.global.u32 [%out+80], %r4;\n",
		want, COUNT(want), NULL, 0);
}

/* Parameters lie at the next multiple of their alignment; in and out take the first 16 bytes. */
static int
parameters(void)
{
	struct { uint8_t a; uint16_t b; uint8_t c; uint32_t d; uint8_t e; uint64_t f; uint8_t g[3]; float h[4]; uint8_t i; double j;
		uint8_t pad[8]; } p = { 0x81, 0x8002, 3, 0x80000004, 0x85, 0x8000000600000007, { 8, 9, 0x8a }, { 1, 2, 3, 4 }, 0x8b, 1.5, { 0 } };
	uint8_t raw[80] = { 0 };
	static const uint32_t want[] = { 0x81, 0xffffff81, 0x8002, 0xffff8002, 3, 0x80000004, 0x85, 7, 0x80000006, 0x8a, 9, 0x40800000, 0x40000000,
		0x8b, 0, 0x3ff80000, 0xffffff8a };

	raw[0] = p.a;                                   /* 16 */
	memcpy(raw + 2, &p.b, 2);                       /* 18 */
	raw[4] = p.c;
	memcpy(raw + 8, &p.d, 4);
	raw[12] = p.e;
	memcpy(raw + 16, &p.f, 8);
	memcpy(raw + 24, p.g, 3);
	memcpy(raw + 32, p.h, 16);                      /* aligned 16: at 48 of the block */
	raw[48] = p.i;
	memcpy(raw + 56, &p.j, 8);
	return fixed("parameters", ENTRY ", .param .u8 a, .param .u16 b, .param .b8 c, .param .u32 d, .param .s8 e, .param .u64 f,\n"
		".param .align 1 .b8 g[3], .param .align 16 .b8 h[16], .param .u8 i, .param .f64 j)",
		"ld.param.u8 %r1, [a]; st.global.u32 [%out], %r1; ld.param.s8 %r1, [a]; st.global.u32 [%out+4], %r1;\n"
		"ld.param.u16 %h1, [b]; cvt.u32.u16 %r1, %h1; st.global.u32 [%out+8], %r1; ld.param.s16 %r1, [b]; st.global.u32 [%out+12], %r1;\n"
		"ld.param.b8 %r1, [c]; st.global.u32 [%out+16], %r1; ld.param.u32 %r1, [d]; st.global.u32 [%out+20], %r1;\n"
		"ld.param.u8 %r1, [e]; st.global.u32 [%out+24], %r1; ld.param.v2.u32 {%r1, %r2}, [f]; st.global.v2.u32 [%out+28], {%r1, %r2};\n"
		"ld.param.u8 %r1, [g+2]; st.global.u32 [%out+36], %r1; ld.param.u8 %r1, [g+1]; st.global.u32 [%out+40], %r1;\n"
		"ld.param.v4.f32 {%r1, %r2, %r3, %r4}, [h]; st.global.u32 [%out+44], %r4; st.global.u32 [%out+48], %r2;\n"
		"ld.param.u8 %r1, [i]; st.global.u32 [%out+52], %r1; ld.param.f64 %d1, [j]; mov.b64 {%r1, %r2}, %d1;\n"
		"st.global.u32 [%out+56], %r1; st.global.u32 [%out+60], %r2; ld.param.s8 %r1, [g+2]; st.global.u32 [%out+64], %r1;\n",
		want, COUNT(want), raw, sizeof raw);
}

static int
vector_registers(void)
{
	static const uint32_t want[] = { 2, 4, 1, 3, 0x2211, 0x4433, 3, 4 };

	return fixed("vector registers", ".const .align 16 .u32 c[4] = { 1, 2, 3, 4 };\n.const .align 4 .b8 b[4] = { 17, 34, 51, 68 };\n" ENTRY ")",
		".reg .v4 .u32 v, w; .reg .v2 .b16 h; .reg .v2 .u64 d;\n"
		"ld.const.v4.u32 v, [c]; mov.u32 w.x, v.y; mov.u32 w.y, v.w; mov.u32 w.z, v.x; mov.u32 w.w, v.z; st.global.v4.u32 [%out], w;\n"
		"ld.const.v2.b16 h, [b]; cvt.u32.u16 %r1, h.x; cvt.u32.u16 %r2, h.y; st.global.v2.u32 [%out+16], {%r1, %r2};\n"
		"ld.const.v2.u64 d, [c]; mov.b64 {%r1, %r2}, d.y; st.global.v2.u32 [%out+24], {%r1, %r2};\n",
		want, COUNT(want), NULL, 0);
}

/* ---- */

int
main(void)
{
	static data d;
	uint64_t s = 9;
	int bad = 0;

	for (size_t i = 0; i < sizeof d; i++)
		((uint8_t *)&d)[i] = (uint8_t)(form_random(&s) >> 20);
	bad |= spellings_everywhere(&d);
	bad |= far_offsets(&d);
	bad |= initializers();
	bad |= parameters();
	bad |= vector_registers();
	return bad;
}
