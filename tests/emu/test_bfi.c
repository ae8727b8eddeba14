/* test_bfi.c -- the sequences of p2a_bfi.h compute what the PTX manual (or NVIDIA's assembler) says, on every
 * chip: operands constant, uniform or per lane, with ranges and known bits; registers that are also the
 * destination; last uses; lanes that EXEC disables. All positions and lengths: test_bfi_all.c. */
#include "bfi_run.h"

enum { BATCH = 96, LANES = 256 };

/* ---- questions ---- */

static uint32_t below(uint32_t n) { return (uint32_t)(t_random() >> 33) % n; }

static const uint32_t edges[] = { 0, 1, 2, 7, 8, 15, 16, 24, 31, 32, 33, 35, 40, 62, 63, 64, 65, 127, 128, 200, 254, 255 };

static uint32_t
field_number(void)
{
	switch (below(4)) {
	case 0: return below(256);
	case 1: return below(65);
	case 2: return (uint32_t)t_random() << 8 | edges[below(sizeof edges / sizeof *edges)];
	default: return edges[below(sizeof edges / sizeof *edges)];
	}
}

static uint64_t
data(void)
{
	switch (below(5)) {
	case 0: return 1ull << below(64);
	case 1: return 0 - (uint64_t)below(2);
	case 2: return below(65);
	default: return t_random();
	}
}

static p2a_bfi_operand
operand(unsigned kinds, uint64_t constant, bool wide)
{
	p2a_bfi_operand o = { .kind = P2A_K_VGPR, .lo = (uint16_t)(FIRST_V + below(28)), .dies = below(4) == 0 };
	unsigned pick = below(8);

	if (pick < 2 && kinds & 2)
		return (p2a_bfi_operand)P2A_BFI_IMM(wide ? constant : constant & UINT32_MAX);
	if (pick < 4 && kinds & 4) {
		o.kind = P2A_K_SGPR;
		o.lo = (uint16_t)(FIRST_S + below(28));
	}
	o.hi = o.lo + 1;
	if (below(4) == 0)
		while (o.hi == o.lo || (o.hi == o.lo + 1))
			o.hi = (uint16_t)((o.kind == P2A_K_VGPR ? FIRST_V : FIRST_S) + below(28));
	return o;
}

/* Bounds of pos or len. */
static void
give_range(p2a_bfi_operand *o)
{
	static const uint32_t tops[] = { 1, 31, 32, 63, 64, 255, 1000 };

	if (o->kind == P2A_K_IMM || below(2))
		return;
	o->max = tops[below(7)];
	o->min = below(3) ? 0 : below((uint32_t)o->max + 1);
}

static void
known_zeros(test *t)
{
	p2a_bfi_query *q = &t->q;
	bool constant = q->pos.kind == P2A_K_IMM && q->len.kind == P2A_K_IMM;
	uint64_t width = bfi_is_wide(q->op) ? 64 : 32, p = q->pos.imm & 0xff, l = q->len.imm & 0xff;

	if (!bfi_is_insert(q->op) || !constant || below(3) || p >= width)
		return;
	if (q->b.kind != P2A_K_IMM)
		q->b.zero = (l >= 64 ? ~0ull : (1ull << l) - 1) << p & (width == 64 ? ~0ull : UINT32_MAX);
	if (q->a.kind != P2A_K_IMM && below(2) && l < width)
		q->a.zero = ~((1ull << l) - 1) & (width == 64 ? ~0ull : UINT32_MAX);
}

static bool
share(const p2a_bfi_operand *d, const p2a_bfi_operand *o, bool wide, bool both)
{
	return d->kind == o->kind && (d->lo == o->lo || (both && d->lo == o->hi) || (wide && d->hi == o->lo) ||
		(wide && both && d->hi == o->hi));
}

/* Two operands in one register must hold the same, which items give only to pos and len, or a and b. */
/* Of operands that the operation has not, registers mean nothing: they are none here. */
static void
drop_others(p2a_bfi_query *q)
{
	p2a_bfi_operand *in[4] = { &q->a, &q->b, &q->pos, &q->len };

	for (unsigned k = 0; k < 4; k++)
		if (!bfi_has(q->op, k))
			*in[k] = (p2a_bfi_operand){ .kind = below(2) ? P2A_K_NONE : P2A_K_IMM, .lo = UINT16_MAX, .imm = t_random() };
}

static bool
contradicts(const test *t)
{
	const p2a_bfi_query *q = &t->q;
	bool wide = bfi_is_wide(q->op);

	return share(&q->a, &q->b, wide, wide) || share(&q->pos, &q->a, false, wide) || share(&q->pos, &q->b, false, wide) ||
	       share(&q->len, &q->a, false, wide) || share(&q->len, &q->b, false, wide) || share(&q->pos, &q->len, false, false);
}

static void
choose_dst(test *t)
{
	p2a_bfi_query *q = &t->q;
	bool lanes = q->a.kind == P2A_K_VGPR || q->b.kind == P2A_K_VGPR || q->pos.kind == P2A_K_VGPR || q->len.kind == P2A_K_VGPR;
	const p2a_bfi_operand *from[4] = { &q->a, &q->b, &q->pos, &q->len };
	const p2a_bfi_operand *o = from[below(4)];
	bool scalar = !lanes && below(2);

	q->dst = (p2a_bfi_operand){ .kind = scalar ? P2A_K_SGPR : P2A_K_VGPR };
	q->dst.lo = (uint16_t)((scalar ? FIRST_S : FIRST_V) + below(28));
	if (below(2) && o->kind == q->dst.kind)
		q->dst.lo = o->lo;
	q->dst.hi = (uint16_t)(q->dst.lo + 1);
	if (below(4) == 0 && o->kind == q->dst.kind && o->hi != q->dst.lo)
		q->dst.hi = o->hi;
	if (below(8) == 0 && o->kind == q->dst.kind && o->lo != o->hi && o->hi) {
		q->dst.lo = o->hi;
		q->dst.hi = o->lo;
	}
	t->dst_aliases = false;
	for (unsigned k = 0; k < 4; k++)
		t->dst_aliases |= share(&q->dst, from[k], bfi_is_wide(q->op), true);
}

static void
ask(test *t, const p2a_target *chip, p2a_bfi_op op, uint8_t wave)
{
	do {
		bool wide = bfi_is_wide(op);
		unsigned field = below(3) ? 7 : 2;

		memset(&t->q, 0, sizeof t->q);
		t->q.size = sizeof t->q;
		t->q.target = chip;
		t->q.op = op;
		t->q.wave = wave;
		t->q.semantics = below(2) ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED;
		t->q.flags = below(2) ? P2A_BFI_RENAME : 0;
		t->q.a = operand(7, data(), wide);
		t->q.b = operand(7, data(), wide);
		t->q.pos = operand(field, field_number(), false);
		t->q.len = operand(field, field_number(), false);
		if (field == 2) {
			if (below(4))
				t->q.pos = (p2a_bfi_operand)P2A_BFI_IMM(field_number());
			if (below(4))
				t->q.len = (p2a_bfi_operand)P2A_BFI_IMM(field_number());
		}
		give_range(&t->q.pos);
		give_range(&t->q.len);
		known_zeros(t);
		drop_others(&t->q);
		choose_dst(t);
	} while (contradicts(t));
}

static uint32_t
number_for(const p2a_bfi_operand *o)
{
	uint32_t x = field_number();

	return o->max && (x < o->min || x > o->max) ? (uint32_t)(o->min + x % (o->max - o->min + 1)) : x;
}

/* Values as the facts allow; uniform ones the same in 64 lanes, which are one wave or two. */
static void
make_items(const test *t, item *in)
{
	for (unsigned k = 0; k < LANES; k++) {
		const p2a_bfi_query *q = &t->q;
		const item *u = &in[k & ~63u];
		uint64_t a = data() & ~q->a.zero, b = data() & ~q->b.zero;
		item i = { { (uint32_t)a, (uint32_t)(a >> 32) }, { (uint32_t)b, (uint32_t)(b >> 32) }, number_for(&q->pos),
			number_for(&q->len), k < 64 || below(2), 0 };

		if (q->a.kind == P2A_K_SGPR && k & 63)
			memcpy(i.a, u->a, sizeof i.a);
		if (q->b.kind == P2A_K_SGPR && k & 63)
			memcpy(i.b, u->b, sizeof i.b);
		if (q->pos.kind == P2A_K_SGPR && k & 63)
			i.pos = u->pos;
		if (q->len.kind == P2A_K_SGPR && k & 63)
			i.len = u->len;
		in[k] = i;
	}
}

/* ---- random questions ---- */

static bool
batch(const p2a_target *chip, p2a_bfi_op op, uint8_t wave, unsigned long *count)
{
	static test t[BATCH];
	static item in[BATCH * LANES];
	const char *why;

	for (unsigned k = 0; k < BATCH; k++) {
		int err;

		ask(&t[k], chip, op, wave);
		err = p2a_bfi_make(&t[k].q, &t[k].plan);
		why = err ? p2a_isa_error_name(err) : promises(&t[k]);
		if (why) {
			t_bad("%s op %d row %s: %s", p2a_target_name(chip), (int)op, err ? "" : t[k].plan.name, why);
			return false;
		}
		make_items(&t[k], &in[(size_t)k * LANES]);
	}
	*count += BATCH;
	return run(p2a_target_name(chip), wave, t, BATCH, in, LANES, EMU_CHECK_ALL);
}

static void
random_questions(const char *name, p2a_bfi_op op)
{
	const p2a_target *chip = p2a_target_find(name);
	unsigned rounds = getenv("P2A_TEST_QUICK") ? 2 : 12;
	unsigned long count = 0;
	bool good = true;

	for (unsigned k = 0; k < rounds && good; k++)
		good = batch(chip, op, k % 4 == 3 && chip->wave_bits & 64 ? 64 : chip->wave, &count);
	if (good)
		t_ok("%s %s: %lu questions, operands of all kinds", name, bfi_op_names[op], count);
}

/* A dword that differs between lanes, but that what is known of it makes constant (bit 31 of a number below 256), as
 * whole bytes of a uniform base. */
static void
known_dword(const char *name)
{
	static test t;
	static item in[LANES];
	const p2a_target *chip = p2a_target_find(name);
	int err;

	t.q = (p2a_bfi_query){ .size = sizeof t.q, .target = chip, .op = P2A_BFI_B64, .wave = chip->wave,
		.dst = P2A_BFI_V64(FIRST_V + 4), .a = P2A_BFI_V64(FIRST_V), .b = P2A_BFI_S64(FIRST_S),
		.pos = P2A_BFI_IMM(1), .len = P2A_BFI_IMM(39) };
	t.q.a.zero = ~0xffull;
	err = p2a_bfi_make(&t.q, &t.plan);
	if (err) {
		t_bad("%s known dword: %s", name, p2a_isa_error_name(err));
		return;
	}
	make_items(&t, in);
	if (run(name, chip->wave, &t, 1, in, LANES, EMU_CHECK_ALL))
		t_ok("%s bfi.b64: a dword of lanes that is known", name);
}

int
main(int argc, char **argv)
{
	static const char *const chips[] = { "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030",
		"gfx1100", "gfx1150", "gfx1200", "gfx1201" };

	for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++)
		if (argc < 2 || !strcmp(argv[1], chips[c]))
			known_dword(chips[c]);
	for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++)
		for (int op = 0; op < BFI_OPS; op++)
			if (argc < 2 || !strcmp(argv[1], chips[c]))
				random_questions(chips[c], (p2a_bfi_op)op);
	return t_end();
}
