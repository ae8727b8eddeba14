/* test_spelling.c -- every spelling of ld, ldu, st, atom, red and cp.async that forms.def has: each type with each state space,
 * cache operation, hint, scope, order, vector and operation. 64 threads, each with memory of its own: a load gives the bytes
 * there, a store leaves them there, an operation does what the manual says, whatever else the instruction says about caches.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.8 - 9.7.9.11, 9.7.9.25, 9.7.13.5, 9.7.13.6, 7.1 (.param of functions). */
#include "forms.h"
#include "spell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

/* A thread's record: what lies in .global, .shared and .local, and what is stored. */
enum { LANES = 64, PART = 32, RECORD = 4 * PART, SLOT = 2 * PART, BATCH = 60 };
enum { LOADED, STORED, OPERATED, REDUCED, COPIED, PASSED };
/* The last operand of cp.async: none, src-size, ignore-src that is true or not, and its opposite negated. */
enum { WHOLE, SIZED, KEPT, DROPPED, NOT_DROPPED, NOT_KEPT };
typedef struct item { spelled s; int kind, copy; } item;
typedef struct items { item *at; size_t n, cap; int kind, copy; } items;

static uint8_t record[LANES][RECORD], table[PART];

/* ---- types ---- */

static unsigned
bytes_of(const char *type)
{
	unsigned n = (unsigned)atoi(type + strcspn(type, "123456789")) / 8;

	return strstr(type, "x2") ? n * 2 : n;
}

static bool is_float(const char *type) { return *type == 'f' || !strncmp(type, "bf", 2); }

static const char *
last_type(const spelled *s)
{
	unsigned n = 0;

	while (n < 4 && *s->type[n])
		n++;
	return n ? s->type[n - 1] : "";
}

/* The manual's limits of vectors of ld and st: 9.7.9.8. */
static bool
is_allowed(const spelled *s)
{
	unsigned n = spell_lanes(s), bytes = bytes_of(last_type(s));

	return n == 1 || (n == 8 ? bytes == 4 : bytes <= 8);
}

/* ---- numbers as f16 and bf16: 1 to 127, exact in both ---- */

static uint16_t
half_of(unsigned n, bool bf16)
{
	unsigned e = 0;

	while (n >> (e + 1))
		e++;
	return (uint16_t)(bf16 ? (127 + e) << 7 | ((n << 7 >> e) & 0x7f) : (15 + e) << 10 | ((n << 10 >> e) & 0x3ff));
}

static unsigned
number_of(uint16_t h, bool bf16)
{
	unsigned mantissa = bf16 ? (h & 0x7f) | 0x80 : (h & 0x3ff) | 0x400;

	return mantissa >> (bf16 ? 7 - ((h >> 7) - 127) : 10 - ((h >> 10) - 15));
}

/* Operand which (0 to 2) of an operation on a type, of a lane: as many bytes as a vector has. */
static void
operand(const char *type, unsigned lane, unsigned which, uint8_t *to)
{
	bool bf16 = !strncmp(type, "bf16", 4);

	for (unsigned k = 0; k < PART; k++)
		to[k] = (uint8_t)(lane * 37 + k * 11 + which * 101 + (lane ^ k) * which);
	if (which == 1 && lane % 2 == 0)
		operand(type, lane, 0, to);     /* cas finds what it looks for, min and max are of equals */
	for (unsigned k = 0; k < 8 && is_float(type); k++) {
		unsigned n = 1 + (lane + k * 5 + which * 23) % 60;
		float f = (float)n;
		double d = n;
		uint16_t h[2] = { half_of(n, bf16), half_of(n + 1, bf16) };

		if (!strcmp(type, "f32"))
			memcpy(to + 4 * k, &f, 4);
		else if (!strcmp(type, "f64") && k < 4)
			memcpy(to + 8 * k, &d, 8);
		else if (strstr(type, "x2"))
			memcpy(to + 4 * k, h, 4);
		else if (strstr(type, "16"))
			memcpy(to + 2 * k, h, 2);
	}
}

/* ---- operations, on one element ---- */

static uint64_t
integer_op(const spelled *s, uint64_t a, uint64_t b, uint64_t c, unsigned bytes)
{
	bool is_signed = *last_type(s) == 's';
	int64_t x = (int64_t)(a << (64 - 8 * bytes)) >> (64 - 8 * bytes), y = (int64_t)(b << (64 - 8 * bytes)) >> (64 - 8 * bytes);
	bool less = is_signed ? x < y : a < b;

	return spell_has(s, "and") ? a & b : spell_has(s, "or") ? a | b : spell_has(s, "xor") ? a ^ b : spell_has(s, "exch") ? b :
		spell_has(s, "cas") ? a == b ? c : a : spell_has(s, "add") ? a + b : spell_has(s, "inc") ? a >= b ? 0 : a + 1 :
		spell_has(s, "dec") ? !a || a > b ? b : a - 1 : spell_has(s, "min") ? less ? a : b : less ? b : a;
}

static void
half_op(const spelled *s, uint8_t *a, const uint8_t *b, bool bf16)
{
	uint16_t x, y;
	unsigned m, n;

	memcpy(&x, a, 2), memcpy(&y, b, 2);
	m = number_of(x, bf16), n = number_of(y, bf16);
	x = half_of(spell_has(s, "add") ? m + n : (m < n) == spell_has(s, "min") ? m : n, bf16);
	memcpy(a, &x, 2);
}

static void
element_op(const spelled *s, uint8_t *a, const uint8_t *b, const uint8_t *c)
{
	const char *type = last_type(s);
	uint64_t x = 0, y = 0, z = 0;
	float f[2];
	double d[2];

	if (!strcmp(type, "f32")) {
		memcpy(&f[0], a, 4), memcpy(&f[1], b, 4);
		f[0] += f[1];
		memcpy(a, f, 4);
	} else if (!strcmp(type, "f64")) {
		memcpy(&d[0], a, 8), memcpy(&d[1], b, 8);
		d[0] += d[1];
		memcpy(a, d, 8);
	} else if (is_float(type)) {
		for (unsigned k = 0; k < bytes_of(type); k += 2)
			half_op(s, a + k, b + k, *type == 'b');
	} else {
		memcpy(&x, a, bytes_of(type)), memcpy(&y, b, bytes_of(type)), memcpy(&z, c, bytes_of(type));
		x = integer_op(s, x, y, z, bytes_of(type));
		memcpy(a, &x, bytes_of(type));
	}
}

/* ---- what must be in a slot: 32 bytes of results, 32 of memory ---- */

static const uint8_t *
loaded_from(const spelled *s, unsigned lane)
{
	if (spell_has(s, "const") || spell_has(s, "param") || spell_has(s, "param::entry"))
		return table;
	return record[lane] + (strstr(s->text, ".shared") ? PART : spell_has(s, "local") ? 2 * PART : 0);
}

static void
widened(const spelled *s, const uint8_t *from, uint8_t *to)
{
	const char *type = last_type(s);
	unsigned bytes = bytes_of(type), wide = bytes < 4 ? 4 : bytes;

	for (unsigned k = 0; k < spell_lanes(s); k++) {
		memcpy(to + k * wide, from + k * bytes, bytes);
		if (bytes < 4 && *type == 's' && from[k * bytes + bytes - 1] & 0x80)
			memset(to + k * wide + bytes, 0xff, 4 - bytes);
	}
}

static void
expected(const item *i, unsigned lane, uint8_t want[SLOT])
{
	const spelled *s = &i->s;
	const char *type = last_type(s);
	unsigned bytes = *type ? bytes_of(type) : 0, n = spell_lanes(s);
	uint8_t a[PART], b[PART], c[PART];

	memset(want, 0, SLOT);
	switch (i->kind) {
	case LOADED: widened(s, loaded_from(s, lane), want); return;
	case PASSED: widened(s, record[lane], want); return;
	case STORED:
		for (unsigned k = 0; k < n; k++)
			memcpy(want + PART + k * bytes, record[lane] + 3 * PART + k * (bytes < 4 ? 4 : bytes), bytes);
		return;
	case COPIED:
		if (i->copy != DROPPED && i->copy != NOT_KEPT)
			memcpy(want + PART, record[lane], spell_has(s, "cg") ? 16 : 4);
		return;
	}
	operand(type, lane, 0, a);
	operand(type, lane, 1, b);
	operand(type, lane, 2, c);
	if (i->kind == OPERATED)
		memcpy(want, a, bytes * n);
	for (unsigned k = 0; k < n; k++)
		element_op(s, a + k * bytes, b + k * bytes, c + k * bytes);
	memcpy(want + PART, a, bytes * n);
}

/* ---- text ---- */

/* {%x0, %x1}: registers for a type's elements, from number `first` on */
static void
put_registers(text *t, const char *type, unsigned n, unsigned first)
{
	unsigned bytes = bytes_of(type);
	const char *name = bytes == 16 ? "q" : bytes == 8 ? "y" : bytes == 2 && is_float(type) ? "h" : "x";

	text_add(t, "%s", n > 1 ? "{" : "");
	for (unsigned k = 0; k < n; k++)
		text_add(t, "%s%%%s%u", k ? ", " : "", name, first + k);
	text_add(t, "%s", n > 1 ? "}" : "");
}

/* Between registers and memory, an element at a time; 8 and 16 bits by 32, but for floats. */
static void
put_elements(text *t, const char *how, const char *type, unsigned n, unsigned first, const char *base, size_t at)
{
	unsigned bytes = bytes_of(type), step = bytes == 2 && is_float(type) ? 2 : bytes < 4 ? 4 : bytes > 8 ? 8 : bytes;

	if (bytes == 16) {
		if (*how == 's')
			text_add(t, "mov.b128 {%%y0, %%y1}, %%q%u; st.%s.b64 [%s+%zu], %%y0; st.%s.b64 [%s+%zu], %%y1; ", first, how + 3, base, at, how + 3, base, at + 8);
		else
			text_add(t, "ld.%s.b64 %%y0, [%s+%zu]; ld.%s.b64 %%y1, [%s+%zu]; mov.b128 %%q%u, {%%y0, %%y1}; ", how + 3, base, at, how + 3, base, at + 8, first);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		text_add(t, *how == 's' ? "%s.b%u [%s+%zu], " : "%s.b%u ", how, step * 8, base, at + k * step);
		put_registers(t, type, 1, first + k);
		text_add(t, *how == 's' ? "; " : ", [%s+%zu]; ", base, at + k * step);
	}
}

static const char *
space_of(const spelled *s)
{
	return strstr(s->text, ".shared") ? "shared" : spell_has(s, "local") ? "local" : "global";
}

static const char *policy(const spelled *s) { return spell_has(s, "L2::cache_hint") ? ", %policy" : ""; }

static void
put_load(text *t, const spelled *s, size_t slot)
{
	bool both = spell_has(s, "param") || spell_has(s, "param::entry");
	const char *at = both ? "block" : spell_has(s, "const") ? "table" : strstr(s->text, ".shared") ? "%sl" : spell_has(s, "local") ? "%ll" : "%in";
	unsigned n = spell_lanes(s);

	text_add(t, "%s ", s->text);
	put_registers(t, last_type(s), n, 0);
	text_add(t, ", [%s]%s; ", at, policy(s));
	put_elements(t, "st.global", last_type(s), n, 0, "%out", slot);
}

/* Zeros, the access, and what is there then, in the slot. */
static const char *
put_place(text *t, const spelled *s, char *place, size_t slot)
{
	const char *space = space_of(s);

	if (*space == 'g') {
		sprintf(place, "%%out+%zu", slot + PART);
		return space;
	}
	sprintf(place, *space == 's' ? "%%ss" : "%%ls");
	text_add(t, "st.%s.v4.b32 [%s], {%%zero, %%zero, %%zero, %%zero}; st.%s.v4.b32 [%s+16], {%%zero, %%zero, %%zero, %%zero}; ", space, place, space, place);
	return space;
}

static void
put_back(text *t, const char *space, const char *place, size_t slot)
{
	if (*space != 'g')
		for (size_t k = 0; k < PART; k += 16)
			text_add(t, "ld.%s.v4.b32 {%%x0, %%x1, %%x2, %%x3}, [%s+%zu]; st.global.v4.b32 [%%out+%zu], {%%x0, %%x1, %%x2, %%x3}; ", space, place, k,
			         slot + PART + k);
	text_add(t, "\n");
}

static void
put_store(text *t, const spelled *s, size_t slot)
{
	char place[40];
	const char *space = put_place(t, s, place, slot);
	unsigned n = spell_lanes(s);

	put_elements(t, "ld.global", last_type(s), n, 0, "%in", 3 * PART);
	text_add(t, "%s [%s], ", s->text, place);
	put_registers(t, last_type(s), n, 0);
	text_add(t, "%s; ", policy(s));
	put_back(t, space, place, slot);
}

static void
put_operation(text *t, const item *i, size_t slot, size_t ops)
{
	const spelled *s = &i->s;
	const char *type = strcmp(last_type(s), "b16") ? last_type(s) : "f16";
	char place[40], how[20];
	const char *space = put_place(t, s, place, slot);
	unsigned n = spell_lanes(s);

	for (unsigned k = 0; k < 3; k++)
		put_elements(t, "ld.global", type, n, 8 * k, "%in", ops + k * PART);
	sprintf(how, "st.%s", space);
	put_elements(t, how, type, n, 0, *space == 'g' ? "%out" : place, *space == 'g' ? slot + PART : 0);
	text_add(t, "%s ", s->text);
	if (i->kind == OPERATED) {
		put_registers(t, type, n, 24);
		text_add(t, ", ");
	}
	text_add(t, "[%s], ", place);
	put_registers(t, type, n, 8);
	if (spell_has(s, "cas")) {
		text_add(t, ", ");
		put_registers(t, type, n, 16);
	}
	text_add(t, "%s; ", policy(s));
	if (i->kind == OPERATED)
		put_elements(t, "st.global", type, n, 24, "%out", slot);
	put_back(t, space, place, slot);
}

static void
put_copy(text *t, const item *i, size_t slot)
{
	static const char *const more[] = { "", ", %size", ", %no", ", %yes", ", !%yes", ", !%no" };
	char place[40];
	const char *space = put_place(t, &i->s, place, slot);

	text_add(t, "%s [%s], [%%in], %d%s%s; cp.async.wait_all; ", i->s.text, place, spell_has(&i->s, "cg") ? 16 : 4, more[i->copy], policy(&i->s));
	put_back(t, space, place, slot);
}

/* Through a function's parameter and result; ld.param::func and st.param are spelt so in it. */
static void
put_function(text *t, const item *i, size_t number)
{
	const char *type = last_type(&i->s);
	bool is_load = *i->s.text == 'l';
	char other[80];

	snprintf(other, sizeof other, "%s%s.%s", is_load ? "st.param" : "ld.param", spell_lanes(&i->s) == 4 ? ".v4" : spell_lanes(&i->s) == 2 ? ".v2" : "", type);
	text_add(t, ".func (.param .align 32 .b8 r[32]) f%zu(.param .align 32 .b8 a[32])\n{\n.reg .b16 %%h<8>; .reg .b32 %%x<8>; .reg .b64 %%y<8>; .reg .b128 %%q<2>;\n%s ",
	         number, is_load ? i->s.text : other);
	put_registers(t, type, spell_lanes(&i->s), 0);
	text_add(t, ", [a]; %s [r], ", is_load ? other : i->s.text);
	put_registers(t, type, spell_lanes(&i->s), 0);
	text_add(t, "; ret;\n}\n");
}

static void
put_call(text *t, const item *i, size_t number, size_t slot)
{
	const char *type = last_type(&i->s);

	text_add(t, "{ .param .align 32 .b8 a[32]; .param .align 32 .b8 r[32]; ");
	for (unsigned k = 0; k < 4; k++)
		text_add(t, "ld.global.b64 %%y0, [%%in+%u]; st.param.b64 [a+%u], %%y0; ", 8 * k, 8 * k);
	text_add(t, "call (r), f%zu, (a); ", number);
	text_add(t, "ld.param%s.%s ", spell_lanes(&i->s) == 4 ? ".v4" : spell_lanes(&i->s) == 2 ? ".v2" : "", type);
	put_registers(t, type, spell_lanes(&i->s), 0);
	text_add(t, ", [r]; ");
	put_elements(t, "st.global", type, spell_lanes(&i->s), 0, "%out", slot);
	text_add(t, "}\n");
}

static void
put_item(text *t, const item *i, size_t number)
{
	size_t slot = number * LANES * SLOT, ops = (number + 1) * LANES * RECORD;

	switch (i->kind) {
	case LOADED: put_load(t, &i->s, slot); text_add(t, "\n"); break;
	case STORED: put_store(t, &i->s, slot); break;
	case COPIED: put_copy(t, i, slot); break;
	case PASSED: put_call(t, i, number, slot); break;
	default: put_operation(t, i, slot, ops); break;
	}
}

static void
put_kernel(text *t, const item *at, size_t n)
{
	t->n = 0;
	text_add(t, ".version 8.8\n.target sm_100\n.address_size 64\n.const .align 32 .b8 table[32] = {");
	for (unsigned k = 0; k < PART; k++)
		text_add(t, "%s%u", k ? ", " : "", table[k]);
	text_add(t, "};\n");
	for (size_t i = 0; i < n; i++)
		if (at[i].kind == PASSED)
			put_function(t, &at[i], i);
	text_add(t, ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 32 .b8 block[32])\n{\n"
	         ".reg .b16 %%h<32>; .reg .b32 %%x<32>, %%me, %%sl, %%ss, %%ll, %%ls, %%zero, %%size; .reg .b64 %%y<32>, %%in, %%out, %%policy, %%at; "
	         ".reg .b128 %%q<32>; .reg .pred %%yes, %%no;\n.shared .align 32 .b8 room[%d], area[%d]; .local .align 32 .b8 depot[32], store[32];\n",
	         LANES * PART, LANES * PART);
	text_add(t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%me, %%tid.x; mov.u32 %%zero, 0; mov.u32 %%size, 16;\n"
	         "setp.lt.u32 %%yes, %%me, %d; setp.ge.u32 %%no, %%me, %d; createpolicy.fractional.L2::evict_first.b64 %%policy;\n"
	         "mad.wide.u32 %%in, %%me, %d, %%in; mad.wide.u32 %%out, %%me, %d, %%out; mov.u32 %%sl, room; mad.lo.u32 %%sl, %%me, 32, %%sl; "
	         "mov.u32 %%ss, area; mad.lo.u32 %%ss, %%me, 32, %%ss; mov.u32 %%ll, depot; mov.u32 %%ls, store;\n", LANES, LANES, RECORD, SLOT);
	for (unsigned k = 0; k < 2 * PART; k += 16)
		text_add(t, "ld.global.v4.b32 {%%x0, %%x1, %%x2, %%x3}, [%%in+%u]; st.%s.v4.b32 [%s+%u], {%%x0, %%x1, %%x2, %%x3};\n", PART + k,
		         k < PART ? "shared" : "local", k < PART ? "%sl" : "%ll", k % PART);
	for (size_t i = 0; i < n; i++)
		put_item(t, &at[i], i);
	text_add(t, "ret;\n}\n");
}

/* ---- runs ---- */

static int
wrong(const char *chip, const item *i, unsigned lane, const uint8_t *got, const uint8_t *want)
{
	printf("not ok spelling on %s: %s %s: lane %u:", chip, i->s.text, spell_operands(&i->s), lane);
	for (unsigned k = 0; k < SLOT; k++)
		if (got[k] != want[k])
			printf(" byte %u: %#x, not %#x", k, got[k], want[k]);
	printf("\n");
	return 1;
}

/* Records; then of each item three operands for each lane, as far apart as records. */
static uint8_t *
input(const item *at, size_t n, size_t *size)
{
	uint8_t *in;

	*size = (n + 1) * LANES * RECORD;
	in = calloc(1, *size);
	if (!in)
		abort();
	memcpy(in, record, sizeof record);
	for (size_t i = 0; i < n; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			for (unsigned k = 0; k < 3 && (at[i].kind == OPERATED || at[i].kind == REDUCED); k++)
				operand(last_type(&at[i].s), lane, k, in + ((i + 1) * LANES + lane) * RECORD + k * PART);
	return in;
}

static int
run_batch(const char *chip, const item *at, size_t n)
{
	static text t;
	size_t in_size, out_size = n * LANES * SLOT;
	uint8_t *in = input(at, n, &in_size), *out = malloc(out_size), want[SLOT];
	e2e_run r = { .chip = chip, .kernel = "k", .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .in = in, .in_size = in_size,
		.out = out, .out_size = out_size, .extra = (uint8_t[PART + 16]){ 0 }, .extra_size = PART + 16 };
	uint8_t extra[PART + 16] = { 0 };
	int bad;

	if (!out)
		abort();
	memcpy(extra + 16, table, PART);
	r.extra = extra;
	put_kernel(&t, at, n);
	r.ptx = t.s;
	if (getenv("SHOW"))
		fputs(t.s, stderr);
	bad = e2e_launch("spelling", &r);
	for (size_t i = 0; i < n && !bad; i++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			const uint8_t *got = out + (i * LANES + lane) * SLOT;

			expected(&at[i], lane, want);
			if (!memcmp(got, want, SLOT))
				continue;
			bad += wrong(chip, &at[i], lane, got, want);
			break;
		}
	free(in);
	free(out);
	return bad;
}

static void
add_item(void *ctx, const spelled *s)
{
	items *l = ctx;

	if ((l->kind == LOADED || l->kind == STORED || l->kind == PASSED) && !is_allowed(s))
		return;
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 1024;
		l->at = realloc(l->at, l->cap * sizeof *l->at);
		if (!l->at)
			abort();
	}
	l->at[l->n++] = (item){ *s, l->kind, l->copy };
}

/* Which way a row is looked at; -1: not here. */
static int
kind_of(const char *opcode, const char *pattern)
{
	if (!strcmp(opcode, "ld") || !strcmp(opcode, "ldu"))
		return strstr(pattern, ".param::func") ? PASSED : LOADED;
	if (!strncmp(pattern, "st.bulk", 7))
		return -1;
	if (!strcmp(opcode, "st"))
		return strstr(pattern, "param::func") ? PASSED : STORED;
	if (!strcmp(opcode, "cp"))
		return strstr(pattern, "dst:mem") ? COPIED : -1;
	return *opcode == 'a' ? OPERATED : REDUCED;
}

static void
add_row(items *l, const char *opcode, unsigned row)
{
	const char *pattern = ptx_form[row].pattern;
	int first = strstr(pattern, "src-size") ? SIZED : strstr(pattern, "ignore-src") ? KEPT : WHOLE;
	int last = strstr(pattern, "ignore-src") ? NOT_KEPT : first;

	l->kind = kind_of(opcode, pattern);
	for (l->copy = first; l->kind >= 0 && l->copy <= last; l->copy++)
		spell(row, add_item, l);
}

int
main(void)
{
	static const char *const opcodes[] = { "ld", "ldu", "st", "atom", "red", "cp" };
	const char *chip;
	items l = { 0 };
	int bad = 0;

	for (unsigned k = 0; k < PART; k++)
		table[k] = (uint8_t)(0x9c + k * 29);
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned k = 0; k < RECORD; k++)
			record[lane][k] = (uint8_t)((lane * 0x3d + k * 0x47 + 5) ^ k >> 5);
	for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++)
		for (unsigned row = 0; (row = spell_next(opcodes[o], row)) != UINT32_MAX; row++)
			add_row(&l, opcodes[o], row);
	for (int c = 0; form_chips(c, &chip); c++) {
		int wrong_here = 0;

		for (size_t i = 0; i < l.n && wrong_here < 10; i += BATCH)
			wrong_here += run_batch(chip, l.at + i, l.n - i < BATCH ? l.n - i : BATCH);
		if (!wrong_here)
			printf("ok %zu spellings of accesses to memory on %s\n", l.n, chip);
		bad |= wrong_here;
	}
	free(l.at);
	return bad != 0;
}
