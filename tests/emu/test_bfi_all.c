/* test_bfi_all.c -- every row of bfi.def as p2a_bfi.h gives it, over all 256 x 256 positions and lengths, in both meanings,
 * on a chip of every family. Known of pos and len: constant, below the width, nothing; the same in all lanes or not;
 * of a and b: nothing, or zeros where a row asks for them.
 *
 * For a fixed position and length a bit field is affine over GF(2) in (a, b). Each position and length meets zero, random
 * (a, b), of which a wrong affine map escapes each with probability 1/2 at most, and unit vectors in turn. Half of the lanes have
 * bits above the low 8 of pos and len set. Where pos and len are of both kinds of register, where all is uniform, on
 * gfx90a and with P2A_TEST_QUICK, every STRIDE-th of each is taken. */
#include "bfi_run.h"

#include "lower/bfi.h"

enum { VECTORS = 32, RANDOMS = 15, ALL = 256, STRIDE = 5, MOST_TESTS = 64, CHUNK = MOST_TESTS * ALL * VECTORS };

typedef enum knowledge { LANES_ANY, LANES_SHORT, SAME_ANY, SAME_SHORT, CONSTANT } knowledge;
static const char *const known_names[] = { "per lane", "per lane below W", "uniform", "uniform below W", "constant" };

/* What is asked, and where. */
typedef struct form {
	const char *chip;
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

static bool seen[ALL];           /* rows, by number */
static uint64_t randoms[RANDOMS][2];
static item items[CHUNK];

static unsigned width(const form *f) { return is_wide(f->op) ? 64 : 32; }
static bool is_short(knowledge k) { return k == LANES_SHORT || k == SAME_SHORT; }
static bool is_same(knowledge k) { return k == SAME_ANY || k == SAME_SHORT; }
static uint64_t low(uint64_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

/* ---- questions ---- */

static p2a_bfi_operand
number(const form *f, knowledge k, uint16_t reg, uint32_t x)
{
	p2a_bfi_operand v = P2A_BFI_V(reg), s = P2A_BFI_S((uint16_t)(FIRST_S + reg)), c = P2A_BFI_IMM(x), o = k == CONSTANT ? c : is_same(k) ? s : v;

	if (is_short(k))
		o.max = width(f) - 1;
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
	bool sgprs = f->same && f->pos != LANES_ANY && f->pos != LANES_SHORT && f->len != LANES_ANY && f->len != LANES_SHORT;
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
	unsigned w = width(f), u = (turn * (VECTORS - RANDOMS - 1) + v) % (2 * w);

	*a = *b = 0;
	if (v % VECTORS < RANDOMS) {
		*a = randoms[v % VECTORS][0];
		*b = randoms[v % VECTORS][1] * (2 * (v / VECTORS) + 1);
	} else if (v % VECTORS < VECTORS - 1) {
		*(u < w ? a : b) = 1ull << u % w;
	}
}

/* Bits above those that count: looked at only in NVIDIA's meaning of 64-bit forms. */
static uint32_t
with_high_bits(const form *f, knowledge k, uint32_t x, unsigned v)
{
	unsigned n = is_same(k) ? x + f->odd : v;

	return n & 1 && k != CONSTANT && !is_short(k) ? x | 0x5a000100u << (n % 3) : x;
}

typedef struct cursor { item *at; unsigned n; uint32_t pos, len; } cursor;

static void
put(const work *W, cursor *c, const item *i)
{
	const form *f = &W->f;
	bool other = (is_same(f->pos) && i->pos != c->pos) || (is_same(f->len) && i->len != c->len) || f->same;

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
	unsigned vectors = f->same ? 1 : is_same(f->pos) && is_same(f->len) ? 2 * VECTORS : VECTORS;

	for (unsigned v = 0; v < vectors; v++) {
		uint64_t a, b;

		vector(f, f->same ? (pos + len + v * 3) % VECTORS : v, pos + ALL * len, &a, &b);
		a &= ~q->a.zero;
		b &= ~q->b.zero;
		put(W, c, &(item){ { (uint32_t)a, (uint32_t)(a >> 32) }, { (uint32_t)b, (uint32_t)(b >> 32) },
			with_high_bits(f, f->pos, pos, v), with_high_bits(f, f->len, len, v), 1, 0 });
	}
}

/* Numbers in lanes: up to this, by this step. */
static unsigned
end_of(const form *f, knowledge k)
{
	return k == CONSTANT ? 1 : is_short(k) ? width(f) : ALL;
}

static unsigned
step_of(const form *f)
{
	bool mixed = is_same(f->pos) != is_same(f->len) && f->pos != CONSTANT && f->len != CONSTANT;

	return mixed || f->same ? STRIDE : f->step;
}

/* Lanes of test j with the outer number from `from` to `to`; at NULL: counts them. */
static unsigned
put_lanes(const work *W, unsigned j, unsigned from, unsigned to, item *at)
{
	const form *f = &W->f;
	bool by_len = is_same(f->len) && !is_same(f->pos);
	unsigned step = step_of(f), inner = end_of(f, by_len ? f->pos : f->len);
	cursor c = { .at = at, .pos = UINT32_MAX, .len = UINT32_MAX };

	for (unsigned x = from; x < to; x += step)
		for (unsigned y = 0; y < inner; y += step)
			put_pair(W, j, &c, by_len ? y : x, by_len ? x : y);
	for (; c.n % 64; c.n++)
		if (at)
			at[c.n] = at[c.n - 1];
	return c.n;
}

/* All lanes of all tests, as many at a time as there is room for. */
static bool
launch(work *W)
{
	const form *f = &W->f;
	unsigned end = end_of(f, is_same(f->len) && !is_same(f->pos) ? f->len : f->pos), step = step_of(f), part = end;

	while (W->n * put_lanes(W, 0, 0, part, NULL) > CHUNK)
		part = (part / step + 1) / 2 * step;
	for (unsigned x = 0; x < end && W->good && W->n; x += part) {
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
all_of(const form *f, unsigned long *runs)
{
	static work W;
	unsigned most = f->zeros || f->same ? width(f) + 1 : ALL,
		 pos_end = f->pos == CONSTANT ? most : 1, len_end = f->len == CONSTANT ? most : 1;

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
			if (!W.good || is_known(f, p, l, &W.t[W.n]))
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

static void
all_forms(const char *chip, unsigned odd, p2a_bfi_op op, p2a_semantics sem, unsigned step)
{
	static const char *const ops[] = { "bfi.b32", "bfi.b64", "bfe.u32", "bfe.s32", "bfe.u64", "bfe.s64" };
	unsigned long runs = 0;
	bool good = true;

	for (unsigned k = 0; k < 25 && good; k++)
		for (unsigned same = 0; same < 2 && good; same++) {
			form f = { chip, op, sem, (knowledge)(k / 5), (knowledge)(k % 5), same, 0, odd, step };

			if (same && !((is_same(f.pos) || f.pos == CONSTANT) && (is_same(f.len) || f.len == CONSTANT)))
				continue;
			good = all_of(&f, &runs);
			for (f.zeros = 1; f.zeros < 3 && good && op <= P2A_BFI_B64 && k == 24; f.zeros++)
				good = all_of(&f, &runs);
			if (!good)
				printf("# pos %s, len %s%s\n", known_names[f.pos], known_names[f.len], same ? ", a and b uniform" : "");
		}
	if (good)
		t_ok("%s %s%s: positions and lengths by %u, %lu lanes", chip, ops[op], sem ? ", NVIDIA's meaning" : "", step, runs);
}

/* ---- the definition, and the rows that were met ---- */

static void
check_definition(p2a_bfi_op op, p2a_semantics sem)
{
	p2a_bfi_query q = { .op = op, .semantics = sem };
	uint64_t mask = low(is_wide(op) ? 64 : 32);
	const char *why = NULL;

	for (uint32_t p = 0; p < ALL + 4; p++)
		for (uint32_t l = 0; l < ALL + 4; l++)
			for (unsigned v = 0; v < 4; v++)
				if (bfi_by_bits(&q, randoms[v][0] & mask, randoms[v][1] & mask, p, l) !=
				    bfi_by_masks(&q, randoms[v][0] & mask, randoms[v][1] & mask, p, l))
					why = "the loop over bits gives something else";
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
	static const char *const chips[] = { "gfx900", "gfx1030", "gfx1100", "gfx1200", "gfx90a" };
	enum { WHOLE = 4 };      /* the others differ from one of these in alignment and waits */

	for (unsigned v = 0; v < RANDOMS; v++)
		for (unsigned k = 0; k < 2; k++)
			randoms[v][k] = t_random();
	for (int op = P2A_BFI_B32; op <= P2A_BFE_S64; op++)
		for (int sem = 0; sem <= is_wide((p2a_bfi_op)op); sem++) {
			check_definition((p2a_bfi_op)op, (p2a_semantics)sem);
			for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++)
				if (argc < 2 || !strcmp(argv[1], chips[c]))
					all_forms(chips[c], c, (p2a_bfi_op)op, (p2a_semantics)sem,
						  getenv("P2A_TEST_QUICK") || c >= WHOLE ? STRIDE : 1);
		}
	if (argc < 2)
		check_rows();
	return t_end();
}
