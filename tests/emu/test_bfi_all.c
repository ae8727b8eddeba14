/* test_bfi_all.c -- every row of bfi.def as p2a_bfi.h gives it, over all 256 x 256 positions and lengths, in both meanings,
 * on every chip that has code of its own. Known of pos and len: constant, below the width, nothing, of 64-bit forms also below 16
 * or (pos) from 32 to 63; the same in all lanes or not;
 * of a and b: nothing, or zeros where a row asks for them; what else may be known of them is run by a sample of numbers
 * (bfi_known.c).
 *
 * For a fixed position and length a bit field is affine over GF(2) in (a, b). Each position and length meets zero, random
 * (a, b), of which a wrong affine map escapes each with probability 1/2 at most, and unit vectors in turn: 16 of them, with P2A_TEST_FULL
 * 32, or FEW where pos and len are of both kinds of register or all is uniform. Half of the lanes have bits above the low 8
 * of pos and len set. With P2A_TEST_QUICK every STRIDE-th position and length is taken.
 *
 * Chips of one family differ in few rows: what a chip has in common with one that went before it, instruction by instruction,
 * is taken by steps. */
#include "bfi_known.h"
#include "length.h"
#include "wave.h"

#include "lower/bfi.h"

enum { VECTORS = 32, RANDOMS = VECTORS / 2 - 1, FEW = 4, ALL = 256, STRIDE = 5, MOST_TESTS = 64, CHUNK = MOST_TESTS * ALL * VECTORS };

typedef enum knowledge { LANES_ANY, LANES_SHORT, SAME_ANY, SAME_SHORT, CONSTANT, LANES_LITTLE, LANES_HIGH, SAME_LITTLE, SAME_HIGH,
	KNOWLEDGES } knowledge;
static const char *const known_names[] = { "per lane", "per lane below W", "uniform", "uniform below W", "constant", "per lane below 16",
	"per lane 32..63", "uniform below 16", "uniform 32..63" };

/* What is asked, and where. */
typedef struct form {
	const char *chip, *like; /* like: NULL, or a chip that all has been run on */
	p2a_bfi_op op;
	p2a_semantics sem;
	knowledge pos, len;
	bool same;               /* a and b are uniform */
	unsigned zeros;          /* 1: b has zeros all over the field; 2: and a above it */
	unsigned odd;            /* which uniform numbers have high bits */
	unsigned step;           /* of positions and lengths */
} form;

/* Tests of one form, which differ in constants. */
typedef struct work {
	form f;
	test t[MOST_TESTS];
	unsigned n;
	unsigned long runs;
	bool good;
} work;

static unsigned vectors;         /* (a, b) that a position and length meets: VECTORS or a half of them */
static bool seen[ALL];           /* rows, by number */
static uint64_t randoms[RANDOMS][2];
static item items[CHUNK];

static unsigned width(const form *f) { return bfi_is_wide(f->op) ? 64 : 32; }
static bool is_same(knowledge k) { return k == SAME_ANY || k == SAME_SHORT || k == SAME_LITTLE || k == SAME_HIGH; }
static bool is_lanes(knowledge k) { return !is_same(k) && k != CONSTANT; }
static bool is_any(knowledge k) { return k == LANES_ANY || k == SAME_ANY; }
static bool is_half(knowledge k) { return k >= LANES_LITTLE; }
static bool is_high(knowledge k) { return k == LANES_HIGH || k == SAME_HIGH; }
static uint64_t low(uint64_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

/* There are rows of .b64 for numbers below 16, of 32 bits for such up to the width. */
static unsigned little_end(const form *f) { return bfi_is_wide(f->op) ? 16 : 33; }

/* Numbers in lanes: from one to below the other. */
static unsigned first_of(knowledge k) { return is_high(k) ? 32 : 0; }
static unsigned
end_of(const form *f, knowledge k)
{
	return k == CONSTANT ? 1 : is_any(k) ? ALL : k == LANES_LITTLE || k == SAME_LITTLE ? little_end(f) : width(f);
}

/* ---- questions ---- */

static p2a_bfi_operand
number(const form *f, knowledge k, uint16_t reg, uint32_t x)
{
	p2a_bfi_operand v = P2A_BFI_V(reg), s = P2A_BFI_S((uint16_t)(FIRST_S + reg)), c = P2A_BFI_IMM(x), o = k == CONSTANT ? c : is_same(k) ? s : v;

	if (k != CONSTANT && !is_any(k)) {
		o.min = first_of(k);
		o.max = end_of(f, k) - 1;
	}
	return o;
}

static p2a_bfi_operand
value(const form *f, uint16_t reg)
{
	p2a_bfi_operand v = P2A_BFI_V64(reg), s = P2A_BFI_S64((uint16_t)(FIRST_S + reg));

	return f->same ? s : v;
}

static bool
make(const form *f, uint32_t pos, uint32_t len, test *t)
{
	bool sgprs = f->same && !is_lanes(f->pos) && !is_lanes(f->len);
	p2a_bfi_operand v = P2A_BFI_V64(10), s = P2A_BFI_S64(FIRST_S + 10);
	uint64_t whole = low(width(f));
	int err;

	memset(t, 0, sizeof *t);
	t->q = (p2a_bfi_query){ .size = sizeof t->q, .target = p2a_target_find(f->chip), .op = f->op, .semantics = f->sem,
		.dst = sgprs ? s : v, .a = value(f, 4), .b = value(f, 6), .pos = number(f, f->pos, 8, pos),
		.len = number(f, f->len, 9, len) };
	if (f->zeros && pos < width(f))
		t->q.b.zero = low(len) << pos & whole;
	if (f->zeros > 1)
		t->q.a.zero = ~low(len) & whole;
	err = p2a_bfi_make(&t->q, &t->plan);
	if (err)
		t_bad("%s op %d pos %u len %u: %s", f->chip, (int)f->op, pos, len, p2a_isa_error_name(err));
	else
		seen[t->plan.row] = true;
	return !err;
}

/* Bytes between members may differ: then it is run once more. */
static bool
same_code(const test *a, const test *b)
{
	return a->plan.n == b->plan.n && !memcmp(a->plan.inst, b->plan.inst, a->plan.n * sizeof *a->plan.inst);
}

/* ---- lanes ---- */

static void
vector(const form *f, unsigned v, unsigned turn, uint64_t *a, uint64_t *b)
{
	unsigned w = width(f), some = vectors / 2 - 1, u = (turn * (vectors - some - 1) + v) % (2 * w);

	*a = *b = 0;
	if (v % vectors < some) {
		*a = randoms[v % vectors][0];
		*b = randoms[v % vectors][1] * (2 * (v / vectors) + 1);
	} else if (v % vectors < vectors - 1) {
		*(u < w ? a : b) = 1ull << u % w;
	}
}

/* Bits above those that count: looked at only in NVIDIA's meaning of 64-bit forms. */
static uint32_t
with_high_bits(const form *f, knowledge k, uint32_t x, unsigned v)
{
	unsigned n = is_same(k) ? x + f->odd : v;

	return n & 1 && is_any(k) ? x | 0x5a000100u << (n % 3) : x;
}

static bool
is_mixed(const form *f)
{
	return is_same(f->pos) != is_same(f->len) && f->pos != CONSTANT && f->len != CONSTANT;
}

/* Which vectors FEW are: neighbours have others. */
static unsigned
few(unsigned turn, unsigned v)
{
	return (turn * FEW + v) * 5 % VECTORS;
}

typedef struct cursor { item *at; unsigned n; uint32_t pos, len; } cursor;

static void
put(const work *W, cursor *c, const item *i)
{
	const form *f = &W->f;
	bool other = (is_same(f->pos) && i->pos != c->pos) || (is_same(f->len) && i->len != c->len);

	/* What is uniform is so in a block of 64. */
	for (; other && c->n % 64; c->n++)
		if (c->at)
			c->at[c->n] = c->at[c->n - 1];
	if (c->at)
		c->at[c->n] = *i;
	c->n++;
	c->pos = i->pos;
	c->len = i->len;
}

static void
put_pair(const work *W, unsigned j, cursor *c, uint32_t pos, uint32_t len)
{
	const form *f = &W->f;
	const p2a_bfi_query *q = &W->t[j].q;
	unsigned n = is_mixed(f) || !bfi_has(f->op, BFI_A) ? FEW : is_same(f->pos) && is_same(f->len) ? 2 * VECTORS : vectors;

	for (unsigned v = 0; v < n; v++) {
		uint64_t a, b;

		vector(f, n == FEW ? few(pos + len, v) : v, pos + ALL * len, &a, &b);
		a &= ~q->a.zero;
		b &= ~q->b.zero;
		put(W, c, &(item){ { (uint32_t)a, (uint32_t)(a >> 32) }, { (uint32_t)b, (uint32_t)(b >> 32) },
			with_high_bits(f, f->pos, pos, v), with_high_bits(f, f->len, len, v), 1, 0 });
	}
}

/* Lanes of test j with the outer number from `from` to `to`; at NULL: counts them. */
static unsigned
put_lanes(const work *W, unsigned j, unsigned from, unsigned to, item *at)
{
	const form *f = &W->f;
	bool by_len = is_same(f->len) && !is_same(f->pos);
	knowledge inner = by_len ? f->pos : f->len;
	unsigned step = f->step;
	cursor c = { .at = at, .pos = UINT32_MAX, .len = UINT32_MAX };

	for (unsigned x = from; x < to; x += step)
		for (unsigned y = first_of(inner); y < end_of(f, inner); y += step)
			put_pair(W, j, &c, by_len ? y : x, by_len ? x : y);
	for (; c.n % 64; c.n++)
		if (at)
			at[c.n] = at[c.n - 1];
	return c.n;
}

/* ---- all uniform: a wave for each question, scalar registers alone ---- */

static uint64_t
scalar(const emu_wave *w, unsigned kind, unsigned lo, unsigned hi, bool wide)
{
	return kind != P2A_K_SGPR ? 0 : wide ? w->s[lo] | (uint64_t)w->s[hi] << 32 : w->s[lo];
}

static void
put_scalar(emu_wave *w, const p2a_bfi_operand *o, bool wide, uint64_t x)
{
	if (o->kind != P2A_K_SGPR)
		return;
	w->s[o->lo] = (uint32_t)x;
	if (wide)
		w->s[o->hi] = (uint32_t)(x >> 32);
}

static bool
ask_scalar(const work *W, t_wave *x, const test *t, size_t word, const item *i)
{
	const p2a_bfi_query *q = &t->q;
	const p2a_opnd *r = t->plan.result;
	bool wide = bfi_is_wide(q->op), constant = q->pos.kind == P2A_K_IMM;
	uint64_t a = i->a[0] | (uint64_t)i->a[1] << 32, b = i->b[0] | (uint64_t)i->b[1] << 32, got, want;

	put_scalar(x->w, &q->a, wide, a);
	put_scalar(x->w, &q->b, wide, b);
	put_scalar(x->w, &q->pos, false, i->pos);
	put_scalar(x->w, &q->len, false, i->len);
	if (!t_wave_run(x, word, false)) {
		t_bad("%s %s: %s", W->f.chip, t->plan.name, x->r.r.fault.message);
		return false;
	}
	got = scalar(x->w, r[0].kind, r[0].reg, wide ? r[1].reg : 0, wide);
	want = bfi_by_masks(q, a & low(width(&W->f)), b & low(width(&W->f)), constant ? (uint32_t)q->pos.imm : i->pos,
		q->len.kind == P2A_K_IMM ? (uint32_t)q->len.imm : i->len);
	if (got != want)
		t_bad("%s op %d sem %d row %s, all uniform: a %llx b %llx pos %u len %u: %llx", W->f.chip, (int)q->op, (int)q->semantics,
		      t->plan.name, (unsigned long long)a, (unsigned long long)b, i->pos, i->len, (unsigned long long)got);
	return got == want;
}

static bool
all_scalar(work *W, t_wave *x, const test *t, size_t word)
{
	const form *f = &W->f;

	for (unsigned p = first_of(f->pos); p < end_of(f, f->pos); p += f->step)
		for (unsigned l = first_of(f->len); l < end_of(f, f->len); l += f->step)
			for (unsigned v = 0; v < FEW; v++, W->runs++) {
				uint64_t a, b;
				item i = { .pos = with_high_bits(f, f->pos, p, v), .len = with_high_bits(f, f->len, l, v) };

				vector(f, few(p + l, v), p + ALL * l, &a, &b);
				a &= ~t->q.a.zero;
				b &= ~t->q.b.zero;
				memcpy(i.a, &a, sizeof a);
				memcpy(i.b, &b, sizeof b);
				if (!ask_scalar(W, x, t, word, &i))
					return false;
			}
	return true;
}

static bool
launch_scalar(work *W)
{
	t_code *c = t_new(W->f.chip);
	t_wave x;
	size_t at[MOST_TESTS];

	for (unsigned j = 0; j < W->n; j++) {
		uint32_t w[MOST_WORDS];
		unsigned n = code_of(&W->t[j], w);

		at[j] = c->n;
		for (unsigned k = 0; k < n; k++)
			t_word(c, w[k]);
		t_op(c, OP_s_endpgm, NULL, 0);
	}
	W->good = t_wave_open(&x, c);
	for (unsigned j = 0; j < W->n && W->good; j++)
		W->good = all_scalar(W, &x, &W->t[j], at[j]);
	t_wave_close(&x);
	free(c);
	W->n = 0;
	return W->good;
}

/* All lanes of all tests, as many at a time as there is room for. */
static bool
launch(work *W)
{
	const form *f = &W->f;
	knowledge outer = is_same(f->len) && !is_same(f->pos) ? f->len : f->pos;
	unsigned end = end_of(f, outer), step = f->step, part = end;

	if (f->same)
		return !W->n || launch_scalar(W);
	while (W->n * put_lanes(W, 0, 0, part, NULL) > CHUNK)
		part = (part / step + 1) / 2 * step;
	for (unsigned x = first_of(outer); x < end && W->good && W->n; x += part) {
		unsigned to = x + part < end ? x + part : end, lanes = put_lanes(W, 0, x, to, NULL);

		if (W->n * lanes > CHUNK)
			abort();
		for (unsigned j = 0; j < W->n; j++)
			put_lanes(W, j, x, to, items + (size_t)j * lanes);
		W->good = run(f->chip, W->t[0].plan.wave, W->t, W->n, items, lanes, EMU_CHECK_NONE);
		W->runs += (unsigned long)W->n * lanes;
	}
	W->n = 0;
	return W->good;
}

/* ---- all of a form ---- */

/* Constants beyond the width mean what the width means, and a field is cut at the top: where that gives the same code it
 * has been run. */
static bool
is_known(const form *f, uint32_t pos, uint32_t len, const test *t)
{
	uint32_t w = width(f), p = f->pos == CONSTANT && pos > w ? w : pos, top = f->pos == CONSTANT && p < w ? w - p : w,
		 l = f->len == CONSTANT && len > top ? top : len;
	test other;

	return (p != pos || l != len) && make(f, p, l, &other) && same_code(&other, t);
}

static bool
is_as_there(const form *f, uint32_t pos, uint32_t len, const test *t)
{
	form there = *f;
	test other;

	there.chip = f->like;
	return f->like && f->step == 1 && make(&there, pos, len, &other) && same_code(&other, t);
}

static bool
all_of(const form *f, unsigned long *runs)
{
	static work W;
	unsigned most = f->zeros || f->same ? width(f) + 1 : ALL,
		 pos_end = f->pos == CONSTANT && bfi_has(f->op, BFI_POS) ? most : 1, len_end = f->len == CONSTANT ? most : 1;

	W.f = *f;
	W.n = 0;
	W.runs = 0;
	W.good = true;
	for (uint32_t p = 0; p < pos_end && W.good; p++)
		for (uint32_t l = 0; l < len_end && W.good; l++) {
			const char *why;

			/* Whole bytes have a row of their own. */
			if ((p % f->step && p % 8) || (l % f->step && l % 8))
				continue;
			W.good = make(f, p, l, &W.t[W.n]);
			if (!W.good || is_known(f, p, l, &W.t[W.n]) || is_as_there(f, p, l, &W.t[W.n]))
				continue;
			why = promises(&W.t[W.n]);
			if (why)
				t_bad("%s op %d pos %u len %u: %s", f->chip, (int)f->op, p, l, why);
			W.good = !why;
			W.n++;
			if (W.n == MOST_TESTS)
				launch(&W);
		}
	if (W.good)
		launch(&W);
	*runs += W.runs;
	return W.good;
}

static const struct { const char *chip, *like; } chips[] = { { "gfx900", NULL }, { "gfx90a", "gfx900" }, { "gfx942", "gfx90a" },
	{ "gfx1030", NULL }, { "gfx1010", "gfx1030" }, { "gfx1100", NULL }, { "gfx1150", "gfx1100" }, { "gfx1200", NULL },
	{ "gfx1201", "gfx1200" } };

static void
all_forms(unsigned c, p2a_bfi_op op, p2a_semantics sem, unsigned step)
{
	const char *chip = chips[c].chip, *like = chips[c].like;
	unsigned long runs = 0;
	bool good = true;

	for (unsigned k = 0; k < KNOWLEDGES * KNOWLEDGES * 2 && good; k++) {
		form f = { chip, like, op, sem, (knowledge)(k / (2 * KNOWLEDGES)), (knowledge)(k / 2 % KNOWLEDGES), k % 2, 0, c, step };

		if (!bfi_has(op, BFI_POS) && f.pos != CONSTANT)
			continue;
		if ((f.same && (is_lanes(f.pos) || is_lanes(f.len))) || is_high(f.len) ||
		    (!bfi_is_wide(op) && (is_high(f.pos) || (!bfi_counts_all(op, sem) && (is_half(f.pos) || is_half(f.len))))))
			continue;
		good = all_of(&f, &runs);
		for (f.zeros = 1; f.zeros < 3 && good && bfi_is_insert(op) && f.pos == CONSTANT && f.len == CONSTANT; f.zeros++)
			good = all_of(&f, &runs);
		if (!good)
			printf("# pos %s, len %s%s\n", known_names[f.pos], known_names[f.len], f.same ? ", a and b uniform" : "");
	}
	if (good)
		t_ok("%s %s%s: positions and lengths by %u, %lu lanes%s%s", chip, bfi_op_names[op], sem ? ", NVIDIA's meaning" : "", step, runs,
		     like && step == 1 ? "; else as on " : "", like && step == 1 ? like : "");
}

/* All positions and lengths, and by steps what another chip has in common. */
static void
chip_forms(unsigned c, p2a_bfi_op op, p2a_semantics sem)
{
	if (!getenv("P2A_TEST_QUICK"))
		all_forms(c, op, sem, 1);
	if (chips[c].like || getenv("P2A_TEST_QUICK"))
		all_forms(c, op, sem, c < 3 ? STRIDE : 3 * STRIDE);
}

/* ---- a and b known in part ---- */

static void
known_forms(unsigned c, p2a_bfi_op op, p2a_semantics sem)
{
	static bfi_known K;

	K.chip = chips[c].chip;
	K.op = op;
	K.sem = sem;
	K.step = test_length(499, 97, 7);
	K.look = chips[c].like ? K.step : 3;
	K.seen = seen;
	K.runs = 0;
	if (bfi_known_run(&K))
		t_ok("%s op %d%s: %lu forms with a and b known in part", K.chip, (int)op, sem ? ", NVIDIA's meaning" : "", K.runs);
}

/* ---- the definition, and the rows that were met ---- */

static void
check_definition(p2a_bfi_op op, p2a_semantics sem)
{
	p2a_bfi_query q = { .op = op, .semantics = sem };
	uint64_t mask = low(bfi_is_wide(op) ? 64 : 32);
	const char *why = NULL;

	for (uint32_t p = 0; p < ALL + 4; p++)
		for (uint32_t l = 0; l < ALL + 4; l++)
			for (unsigned v = 0; v < 4; v++) {
				uint64_t a = randoms[v][0] & mask, b = randoms[v][1] & mask;
				uint32_t pos = v & 1 ? p | 0x80000000u : p, len = v & 2 ? l | 0xff000000u : l;

				if (bfi_by_bits(&q, a, b, pos, len) != bfi_by_masks(&q, a, b, pos, len))
					why = "the loop over bits gives something else";
			}
	t_result("definition by masks", why);
}

static void
check_rows(void)
{
	size_t n;
	const bfi_row *row = bfi_rows(&n);

	for (size_t k = 0; k < n; k++) {
		char name[64];

		snprintf(name, sizeof name, "row %u %s is used", (unsigned)row[k].gop, row[k].name);
		t_result(name, seen[bfi_row_id(&row[k])] ? NULL : "no chip and form takes it");
	}
}

int
main(int argc, char **argv)
{
	vectors = test_length(VECTORS / 2, VECTORS / 2, VECTORS);
	for (unsigned v = 0; v < RANDOMS; v++)
		for (unsigned k = 0; k < 2; k++)
			randoms[v][k] = t_random();
	for (int op = 0; op < BFI_OPS; op++)
		for (int sem = 0; sem <= bfi_has_meanings((p2a_bfi_op)op); sem++) {
			check_definition((p2a_bfi_op)op, (p2a_semantics)sem);
			for (unsigned c = 0; c < COUNT(chips); c++)
				if (argc < 2 || !strcmp(argv[1], chips[c].chip)) {
					chip_forms(c, (p2a_bfi_op)op, (p2a_semantics)sem);
					known_forms(c, (p2a_bfi_op)op, (p2a_semantics)sem);
				}
		}
	if (argc < 2)
		check_rows();
	return t_end();
}
