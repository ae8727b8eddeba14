/* test_bfi.c -- every row of bfi.def computes what the PTX manual (or NVIDIA's assembler) says.
 * For a fixed position and length a bit field is affine over GF(2) in its inputs, so zero, every
 * unit vector and a few random numbers decide it for all inputs; positions and lengths are all
 * tried. Each row is written for every state of knowledge that it may be used in, and its
 * operations are evaluated one by one. */
#include "kit.h"
#include "lower/bfi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHIP "gfx942"    /* takes bytes of registers and adds 64 bits at once, so that no row is left out */

enum { NVALUES = 262, MAX_CODE = 64, NRANDOM = 4, MAX_VECTORS = 2 * 64 + 1 + NRANDOM };
/* What is known of pos and len. SOME: at least 1, len at most W; LITTLE: below LITTLE_END
 * or, of 32 bits, LITTLE_END32; of .b64 forms HIGH: from HIGH_FIRST on. */
enum kind { CONSTANT, SHORT, SOME, ANY, LITTLE, HIGH, NKINDS };
enum { LITTLE_END = 16, LITTLE_END32 = 33, HIGH_FIRST = 32 };
/* What is known of a or b. FITS (a), NO_FIELD and ONES_FIELD (b) are of constant fields, ONES_UP (b)
 * is ones from a constant pos on, zeros below. */
enum shape { PLAIN, ZERO, ONES, ONE, NUMBER, BELOW_TOP, FITS, NO_FIELD, ONES_FIELD, ONES_UP, NSHAPES };

typedef struct state {
	kit *k;
	ir_fact *facts;
	uint32_t n;
	bool wide, second;       /* of two meanings that one: NVIDIA's of .b64 */
	const bfi_row *row;
	uint64_t va[MAX_VECTORS], vb[MAX_VECTORS];
	unsigned nvec, ncode;
	ir_inst *code[MAX_CODE];
	bool data[MAX_CODE + 8];  /* by value: it depends on a or b */
} state;

static uint64_t values[NVALUES];

/* ---- the definition ---- */

static uint64_t
low(uint64_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

/* bmsk and szext: .clamp, of which all bits of pos and len count; in the second meaning of bmsk 8 bits, as of the bfi that it is then. */
static bool
is_clamped(const state *s)
{
	return s->row->gop >= G_ptx_bmsk && !(s->row->gop == G_ptx_bmsk && s->second);
}

static bool
has(const state *s, unsigned operand)
{
	unsigned gop = s->row->gop;

	switch (operand) {
	case 0: return gop != G_ptx_bmsk;
	case 1: return gop == G_ptx_bfi32 || gop == G_ptx_bfi64;
	case 2: return gop != G_ptx_szext_u32 && gop != G_ptx_szext_s32;
	default: return true;
	}
}

static uint64_t
cut(const state *s, uint64_t x)
{
	return is_clamped(s) || (s->second && s->wide) ? x & 0xffffffff : x & 0xff;
}

/* The manual's loops over bits, all at once: bits pos .. min(pos + len, W) - 1. */
static uint64_t
field_mask(const state *s, uint64_t pos, uint64_t len)
{
	uint64_t w = s->wide ? 64 : 32;

	return pos >= w ? 0 : low(len < w - pos ? len : w - pos) << pos;
}

static uint64_t
want_bfi(const state *s, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t m = field_mask(s, cut(s, c), cut(s, d));

	return m ? (b & ~m) | (a << cut(s, c) & m) : b;
}

static uint64_t
want_bfe(const state *s, uint64_t a, uint64_t c, uint64_t d)
{
	uint64_t pos = cut(s, c), len = cut(s, d), msb = s->wide ? 63 : 31,
		 m = field_mask(s, pos, len);
	uint64_t r = m ? (a & m) >> pos : 0, there = m ? m >> pos : 0;
	bool is_signed = s->row->gop == G_ptx_bfe_s32 || s->row->gop == G_ptx_bfe_s64 || s->row->gop == G_ptx_szext_s32;

	if (is_signed && len && a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1)
		r |= low(msb + 1) & ~there;
	return r;
}

static uint64_t
want(const state *s, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	if (s->row->gop == G_ptx_bmsk)
		return field_mask(s, cut(s, c), cut(s, d));
	return has(s, 1) ? want_bfi(s, a, b, c, d) : want_bfe(s, a, has(s, 2) ? c : 0, d);
}

/* ---- writing and evaluating ---- */

static ir_fact
fact_of(void *ud, ir_opnd o)
{
	state *s = ud;
	ir_func *f = s->k->f;

	for (; ir_is_val(o) && s->n <= o.reg; s->n++)
		s->facts[s->n] = p_fact_of_inst(f, s->facts, f->vals.a[s->n].def);
	return ir_fact_of(f, s->facts, o);
}

static uint64_t
operand(const uint64_t *val, ir_opnd o)
{
	return ir_is_val(o) ? val[o.reg] : (uint64_t)o.imm;
}

/* Operations that need pos and len alone are done once for all a and b. */
static void
run(const state *s, uint64_t *val, bool data)
{
	for (unsigned n = 0; n < s->ncode; n++) {
		const ir_inst *i = s->code[n];
		uint64_t src[4] = { 0 };

		if (s->data[i->m.arg[0].reg] != data)
			continue;
		for (unsigned k = 1; k < i->m.nargs; k++)
			src[k - 1] = operand(val, i->m.arg[k]);
		if (!ir_eval(i, src, &val[i->m.arg[0].reg]))
			val[i->m.arg[0].reg] = ~0x5a5aull;
	}
}

static void
list_code(state *s)
{
	s->ncode = 0;
	memset(s->data, 0, sizeof s->data);
	s->data[2] = s->data[3] = true;
	for (ir_inst *i = s->k->f->entry->first; i; i = i->next) {
		s->code[s->ncode++] = i;
		for (unsigned k = 1; k < i->m.nargs; k++)
			s->data[i->m.arg[0].reg] |=
				ir_is_val(i->m.arg[k]) && s->data[i->m.arg[k].reg];
	}
}

static uint64_t
least(enum kind k)
{
	return k == SOME ? 1 : k == HIGH ? HIGH_FIRST : 0;
}

/* The most that a position or a length may be. */
static uint64_t
most(enum kind k, uint64_t w, bool length)
{
	return k == LITTLE ? (w == 64 ? LITTLE_END : LITTLE_END32) - 1 : k == SOME && length ? w : w - 1;
}

static ir_fact
known(enum kind k, uint64_t x, uint64_t hi)
{
	return k == CONSTANT ? ir_fact_const(x)
			     : (ir_fact){ .zero = ~0xffffffffull, .lo = least(k), .hi = k == ANY ? UINT32_MAX : hi };
}

/* x cut and filled up as the shape says. own: of FITS and ONES_UP. */
static uint64_t
shaped(enum shape h, uint64_t x, uint64_t w, uint64_t own, uint64_t field)
{
	switch (h) {
	case ZERO: return 0;
	case ONES: return low(w);
	case ONE: return 1;
	case NUMBER: return 0x1234567812345678 & low(w);
	case BELOW_TOP: return x & low(w - 1);
	case FITS: return x & own;
	case ONES_UP: return own & low(w);
	case NO_FIELD: return x & ~field;
	case ONES_FIELD: return x | field;
	default: return x;
	}
}

static ir_fact
fact_of_shape(enum shape h, uint64_t w, uint64_t own, uint64_t field)
{
	uint64_t zero = ~shaped(h, low(w), w, own, field), one = shaped(h, 0, w, own, field);

	return ir_fact_tidy((ir_fact){ .zero = zero, .one = one, .lo = one, .hi = low(w) & ~zero });
}

typedef struct attempt {
	enum kind pk, lk;
	enum shape a, b;
	unsigned ip, il;
	bool uniform;
	uint64_t p, l;
} attempt;

static bool
check_values(const state *s, const attempt *t, ir_opnd r, uint64_t p, uint64_t l, char *why,
	     size_t cap)
{
	uint64_t w = s->wide ? 64 : 32,
		 field = cut(s, p) < w ? low(cut(s, l)) << cut(s, p) & low(w) : 0;
	uint64_t val[MAX_CODE + 8] = { 0 };

	val[4] = p;
	val[5] = l;
	run(s, val, false);
	for (unsigned v = 0; v < s->nvec; v++) {
		uint64_t a = shaped(t->a, s->va[v], w, low(cut(s, l)), field);
		uint64_t b = shaped(t->b, s->vb[v], w, ~low(cut(s, t->p)), field);
		uint64_t got, need = want(s, a, b, p, l);

		val[2] = a;
		val[3] = b;
		run(s, val, true);
		got = operand(val, r) & low(w);
		if (got == need)
			continue;
		snprintf(why, cap, "pos %llu len %llu a %llx b %llx: %llx, not %llx",
			 (unsigned long long)p, (unsigned long long)l, (unsigned long long)a,
			 (unsigned long long)b, (unsigned long long)got, (unsigned long long)need);
		return false;
	}
	return true;
}

/* The values that a state of knowledge allows: values[0..255] are 0..255. */
static unsigned first(enum kind k, unsigned at) { return k == CONSTANT ? at : (unsigned)least(k); }
static unsigned
past(enum kind k, unsigned at, uint64_t hi)
{
	return k == CONSTANT ? at + 1 : k == ANY ? NVALUES : (unsigned)hi + 1;
}

/* An operand that the operation has not is a 0 that it does not look at. */
static void
leave_out(const state *s, bfi_query *q, ir_opnd o[4])
{
	ir_fact *f[4] = { &q->a, &q->b, &q->pos, &q->len };

	for (unsigned k = 0; k < 4; k++)
		if (!has(s, k)) {
			*f[k] = ir_fact_const(0);
			o[k] = ir_i32(0);
			q->lanes &= ~(1u << k);
		}
}

/* Positions and lengths are taken one by one, or every 13th of them in a quick run. */
static unsigned
stride(void)
{
	static unsigned n;

	if (!n)
		n = getenv("P2A_TEST_QUICK") ? 13 : 1;
	return n;
}

/* Writes the row for one state of knowledge and tries all values that it allows; false: wrong. */
static bool
try(state *s, const attempt *t, unsigned long *count, char *why, size_t cap)
{
	uint64_t w = s->wide ? 64 : 32;
	ir_func *f;
	ir_opnd o[4], r;
	bfi_query q = { s->row->gop,
			s->second && s->wide ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED,
			p2a_target_find(CHIP),
			fact_of_shape(t->a, w, low(cut(s, t->l)), field_mask(s, cut(s, t->p), cut(s, t->l))),
			fact_of_shape(t->b, w, ~low(cut(s, t->p)), field_mask(s, cut(s, t->p), cut(s, t->l))),
			known(t->pk, t->p, most(t->pk, w, false)),
			known(t->lk, t->l, most(t->lk, w, true)),
			t->uniform ? 0 : 15,
			s->second && !s->wide, false };
	unsigned step = stride(), positions;
	bool good = true;

	leave_out(s, &q, o);
	if (!bfi_may_use(s->row, &q))
		return true;
	s->k = kit_new(CHIP);
	f = s->k->f;
	for (unsigned k = 0; k < 4; k++) {
		o[k] = ir_valop(f, ir_new_val(f, k < 2 && s->wide ? 2 : 1));
		f->vals.a[o[k].reg].divergent = !t->uniform;
	}
	s->facts = arena_array(&s->k->A, ir_fact, MAX_CODE + 8);
	memcpy(s->facts + o[0].reg, &q.a, sizeof q.a);
	s->facts[o[1].reg] = q.b;
	s->facts[o[2].reg] = q.pos;
	s->facts[o[3].reg] = q.len;
	s->n = f->vals.n;
	if (t->pk == CONSTANT)
		o[2] = ir_i32((uint32_t)t->p);
	if (t->lk == CONSTANT)
		o[3] = ir_i32((uint32_t)t->l);
	leave_out(s, &q, o);
	r = bfi_write(&(bfi_writer){ &s->k->B, fact_of, s }, s->row, &q, o);
	list_code(s);
	positions = has(s, 2) ? past(t->pk, t->ip, most(t->pk, w, false)) : 1;
	for (unsigned p = first(t->pk, t->ip); p < positions && good; p += step)
		for (unsigned l = first(t->lk, t->il); l < past(t->lk, t->il, most(t->lk, w, true)) && good;
		     l += step, ++*count)
			good = check_values(s, t, r, values[p], values[l], why, cap);
	kit_free(s->k);
	return good;
}

/* Of constants a quick run takes whole bytes and the top bit too, and fields with one bit above the low dword, for which there are rows.
 * Beside shapes of a and b numbers far above the width are few. */
static bool
is_taken(const state *s, const attempt *t, unsigned at)
{
	if (t->a + t->b && at > (s->wide ? 65 : 33) && at < 255)
		return false;
	return at % stride() == 0 || (at % 8 == 0 && at <= 64) || at == 31 || at == 63;
}

static bool
try_kinds(state *s, attempt t, unsigned long *count, char *why, size_t cap)
{
	for (unsigned p = 0; p < (t.pk == CONSTANT ? NVALUES : 1u); p++)
		for (unsigned l = 0; l < (t.lk == CONSTANT ? NVALUES : 1u); l++) {
			if (!is_taken(s, &t, p) || (!is_taken(s, &t, l) && values[p] + values[l] != 33))
				continue;
			t.ip = p;
			t.il = l;
			t.p = values[p];
			t.l = values[l];
			if (!try(s, &t, count, why, cap))
				return false;
		}
	return true;
}

static void
make_vectors(state *s)
{
	unsigned w = s->wide ? 64 : 32;
	s->nvec = 0;
	for (unsigned k = 0; k <= w; k++, s->nvec++)
		s->va[s->nvec] = k ? 1ull << (k - 1) : 0, s->vb[s->nvec] = 0;
	for (unsigned k = 0; has(s, 1) && k < w; k++, s->nvec++)
		s->va[s->nvec] = 0, s->vb[s->nvec] = 1ull << k;
	for (unsigned k = 0; k < NRANDOM; k++, s->nvec++) {
		s->va[s->nvec] = 0x9e3779b97f4a7c15ull * (k + 1) & low(w);
		s->vb[s->nvec] = 0xd1b54a32d192ed03ull * (k + 3) & low(w);
	}
}

/* Constants are for rows that ask for them, and what a and b hold for constants; uniform
 * operands make another sequence only of 64-bit selects and of the rows that ask for them. */
static bool
needless(const state *s, const attempt *t)
{
	static const bfi_query nothing = { .a = { .hi = ~0ull },
					   .b = { .hi = ~0ull },
					   .pos = { .hi = 0xffffffff },
					   .len = { .hi = 0xffffffff } };
	bfi_query q = nothing;

	ir_opnd o[4];

	if (!has(s, 2) && t->pk != SHORT)
		return true;
	q.gop = s->row->gop;
	q.t = p2a_target_find(CHIP);
	q.lanes = t->uniform ? 0 : 15;
	leave_out(s, &q, o);
	if ((t->pk >= LITTLE || t->lk >= LITTLE) && ((!s->wide && (!is_clamped(s) || t->pk == HIGH || t->lk == HIGH)) || bfi_may_use(s->row, &q)))
		return true;
	if ((t->a == FITS && t->lk != CONSTANT) || ((t->b == NO_FIELD || t->b == ONES_FIELD) && (t->pk != CONSTANT || t->lk != CONSTANT)))
		return true;
	if (t->a >= NO_FIELD || t->b == FITS || t->b == ONE || (t->b == ONES_UP && t->pk != CONSTANT))
		return true;
	if ((t->pk == CONSTANT || t->lk == CONSTANT) && bfi_may_use(s->row, &q))
		return true;
	q.lanes = 15;
	leave_out(s, &q, o);
	return t->uniform && !s->wide && bfi_may_use(s->row, &q);
}

static void
test_row(const bfi_row *row, bool second)
{
	state s = { .row = row, .second = second };
	unsigned long count = 0;
	char why[256] = "";
	bool good = true, plain = false;

	s.wide = ir_ginfo_of(row->gop)->dst == IR_T_D;
	make_vectors(&s);
	/* What is used where nothing is known of a and b has no need of it. */
	for (unsigned shape = 0; shape < NSHAPES * NSHAPES && good && !(shape && plain); shape++) {
		for (unsigned k = 0; k < NKINDS * NKINDS * 2 && good; k++) {
			attempt t = { .pk = (enum kind)(k % NKINDS), .lk = (enum kind)(k / NKINDS % NKINDS),
				.a = (enum shape)(shape % NSHAPES), .b = (enum shape)(shape / NSHAPES),
				.uniform = k / NKINDS / NKINDS };

			if (!needless(&s, &t))
				good = try_kinds(&s, t, &count, why, sizeof why);
		}
		plain |= !shape && count;
	}
	if (good && !count)
		snprintf(why, sizeof why, "never used");
	kit_ok(good && count, why, "%s %s %s: %lu positions and lengths",
	       ir_ginfo_of(row->gop)->name, row->name, !second ? "documented" : s.wide ? "nvidia" : "of a bfi", count);
}

/* bfi_proof.def has a row for each row of bfi.def, in the same order. */
static void
test_proof_rows(const bfi_row *rows, size_t n)
{
	static const struct { uint16_t gop; const char *row; bool exhaustive; } proof[] = {
#define PROOF(op, row, exhaustive, smt, least) { G_ptx_##op, #row, exhaustive },
#include "lower/bfi_proof.def"
	};
	bool good = COUNT(proof) == n;

	for (size_t k = 0; k < n && good; k++)
		good = proof[k].gop == rows[k].gop && !strcmp(proof[k].row, rows[k].name) && proof[k].exhaustive;
	kit_ok(good, "rows differ", "bfi_proof.def has the rows of bfi.def, all of which are run here");
}

int
main(int argc, char **argv)
{
	static const uint64_t large[NVALUES - 256] = { 256,     288,        0xff00,
						       0x10020, 0x80000001, 0xffffffff };
	size_t n;
	const bfi_row *rows = bfi_rows(&n);

	for (unsigned k = 0; k < NVALUES; k++)
		values[k] = k < 256 ? k : large[k - 256];
	for (size_t k = 0; k < n; k++)
		for (int n2 = 0; n2 < 1 + (ir_ginfo_of(rows[k].gop)->dst == IR_T_D || rows[k].gop == G_ptx_bmsk); n2++)
			if (argc < 2 || !strcmp(argv[1], rows[k].name))
				test_row(&rows[k], n2);
	test_proof_rows(rows, n);
	return kit_failures();
}
