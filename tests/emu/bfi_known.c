/* bfi_known.c -- bit fields of which something is known of a and b: constants, bits that are zero or one, with pos and len
 * constant, in range, unknown, uniform or not; on the emulator, against the definition.
 * Needs bfi_run.h; leaves which rows have run. PTX ISA 9.7.1.19, 9.7.1.20. */
#include "bfi_known.h"
#include "base/base.h"

enum { LANES = 64, BATCH = 48 };

/* What an operand is: a constant, or a register (uniform or not) with bits that are zero, one. Of a the bits from the least length on,
 * of b all bits of the field are meant where it says so. */
typedef enum shape { ANY, NUMBER, ZEROS, ABOVE, BELOW, FIELD_0, FIELD_1 } shape;
typedef struct known_value { shape shape; bool uniform; uint64_t x; } known_value;
static const known_value values_a[] = { { ANY, false, 0 }, { ANY, true, 0 }, { NUMBER, false, 0 }, { NUMBER, false, 1 }, { NUMBER, false, ~0ull },
	{ NUMBER, false, 0xff }, { NUMBER, false, 21 }, { NUMBER, false, 0x9234567812345678 }, { ZEROS, false, ~0xffull }, { ZEROS, false, 0xf },
	{ ZEROS, true, 1ull << 63 | 1u << 31 }, { ABOVE, false, 0 }, { ABOVE, true, 0 }, { BELOW, false, 0 } };
static const known_value values_b[] = { { ANY, false, 0 }, { ANY, true, 0 }, { NUMBER, false, 0 }, { NUMBER, false, ~0ull }, { NUMBER, false, 0xfff },
	{ NUMBER, false, 0x12345678ff000000 }, { ZEROS, false, 0xff }, { ZEROS, false, ~0xffull }, { FIELD_0, false, 0 }, { FIELD_0, true, 0 },
	{ FIELD_1, false, 0 } };

/* pos or len; lo = hi: a constant. Their number is prime, lest steps leave some out. */
typedef struct known_number { bool uniform; uint32_t lo, hi; } known_number;
static const known_number numbers[] = { { false, 0, 0 }, { false, 1, 1 }, { false, 5, 5 }, { false, 8, 8 }, { false, 16, 16 }, { false, 24, 24 },
	{ false, 31, 31 }, { false, 32, 32 }, { false, 40, 40 }, { false, 63, 63 }, { false, 64, 64 }, { false, 0, 7 }, { false, 0, 24 }, { false, 0, 31 }, { false, 1, 31 },
	{ false, 1, 32 }, { false, 0, 32 }, { false, 0, 63 }, { false, 8, 40 }, { false, 32, 63 }, { false, 0, UINT32_MAX }, { true, 0, UINT32_MAX },
	{ true, 0, 31 }, { true, 1, 32 }, { true, 8, 24 }, { true, 0, 63 }, { true, 1, 64 },
	{ false, 1, 64 }, { false, 0, 64 } };

static uint64_t low(uint64_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }
static uint64_t smaller(uint64_t x, uint64_t y) { return x < y ? x : y; }

static p2a_bfi_operand
number(const known_number *n, uint16_t reg)
{
	p2a_bfi_operand v = P2A_BFI_V(reg), s = P2A_BFI_S((uint16_t)(FIRST_S + reg)), c = P2A_BFI_IMM(n->lo), o = n->uniform ? s : v;

	if (n->lo == n->hi)
		return c;
	o.min = n->lo;
	o.max = n->hi == UINT32_MAX ? 0 : n->hi;
	return o;
}

static p2a_bfi_operand
value(const known_value *k, const known_number *pos, const known_number *len, uint64_t w, uint16_t reg)
{
	p2a_bfi_operand v = P2A_BFI_V64(reg), s = P2A_BFI_S64((uint16_t)(FIRST_S + reg)), c = P2A_BFI_IMM(k->x & low(w)), o = k->uniform ? s : v;
	uint64_t least = len->hi < 256 ? len->lo : 0, most = len->hi < 256 ? len->hi : 255, last = pos->hi < 256 ? pos->hi : 255,
		 field = low(smaller(last + most, w)) & ~low(pos->hi < 256 ? pos->lo : 0);

	switch (k->shape) {
	case NUMBER: return c;
	case ZEROS: o.zero = k->x & low(w); break;
	case ABOVE: o.zero = ~low(least) & low(w); break;
	case BELOW: o.one = low(smaller(most, w)); break;
	case FIELD_0: o.zero = field; break;
	case FIELD_1: o.one = field; break;
	default: break;
	}
	return o;
}

bool
bfi_known_query(const char *chip, p2a_bfi_op op, p2a_semantics sem, unsigned long at, p2a_bfi_query *q)
{
	uint64_t w = bfi_is_wide(op) ? 64 : 32;
	unsigned long n = COUNT(numbers), v = at / (n * n), nb = op <= P2A_BFI_B64 ? COUNT(values_b) : 1;
	const known_number *pos = &numbers[at / n % n], *len = &numbers[at % n];

	if (v >= COUNT(values_a) * nb)
		return false;
	*q = (p2a_bfi_query){ .size = sizeof *q, .target = p2a_target_find(chip), .op = op, .semantics = sem,
		.dst = P2A_BFI_V64(10), .a = value(&values_a[v / nb], pos, len, w, 4), .b = value(&values_b[v % nb], pos, len, w, 6),
		.pos = number(pos, 8), .len = number(len, 9) };
	return true;
}

static bool
make(bfi_known *K, const p2a_bfi_query *q, test *t)
{
	int err;

	memset(t, 0, sizeof *t);
	t->q = *q;
	err = p2a_bfi_make(&t->q, &t->plan);
	if (err)
		t_bad("%s op %d: %s", K->chip, (int)K->op, p2a_isa_error_name(err));
	return !err;
}

/* ---- lanes ---- */

static uint64_t
some(const p2a_bfi_operand *o)
{
	return o->kind == P2A_K_IMM ? o->imm : (t_random() & ~o->zero) | o->one;
}

/* Small ones often, for of large ones nothing is inserted. */
static uint32_t
some_number(const p2a_bfi_operand *o)
{
	uint64_t hi = o->max ? o->max : UINT32_MAX, x = t_random();

	if (o->kind == P2A_K_IMM)
		return (uint32_t)o->imm;
	if (hi == UINT32_MAX && x & 3)
		hi = 64;
	return (uint32_t)(o->min + (x >> 8) % (hi - o->min + 1));
}

static void
put(uint32_t to[2], uint64_t x)
{
	to[0] = (uint32_t)x;
	to[1] = (uint32_t)(x >> 32);
}

/* What is uniform is so in a block of 64. */
static void
fill(const test *t, item *at)
{
	const p2a_bfi_query *q = &t->q;
	item first = { .enabled = 1 };

	for (unsigned k = 0; k < LANES; k++) {
		item i = first;

		if (!k || q->a.kind == P2A_K_VGPR)
			put(i.a, some(&q->a));
		if (!k || q->b.kind == P2A_K_VGPR)
			put(i.b, some(&q->b));
		if (!k || q->pos.kind == P2A_K_VGPR)
			i.pos = some_number(&q->pos);
		if (!k || q->len.kind == P2A_K_VGPR)
			i.len = some_number(&q->len);
		at[k] = i;
		first = k ? first : i;
	}
}

static bool
launch(bfi_known *K)
{
	bool good;

	if (!K->n)
		return true;
	for (unsigned k = 0; k < K->n; k++)
		fill(&K->t[k], K->items + LANES * k);
	good = run(K->chip, K->t[0].plan.wave, K->t, K->n, K->items, LANES, EMU_CHECK_NONE);
	K->runs += K->n;
	K->n = 0;
	return good;
}

/* Each step-th question is run, and the first that a row answers; each look-th is asked. */
static bool
ask(bfi_known *K, const p2a_bfi_query *q)
{
	test *t = &K->t[K->n];
	unsigned long number = K->asked++;
	const char *why;

	if (number % K->look && number % K->step)
		return true;
	if (!make(K, q, t))
		return false;
	if (number % K->step && K->seen[t->plan.row])
		return true;
	K->seen[t->plan.row] = true;
	why = promises(t);
	if (why) {
		t_bad("%s op %d row %s: %s", K->chip, (int)K->op, t->plan.name, why);
		return false;
	}
	return ++K->n < BATCH || launch(K);
}

bool
bfi_known_run(bfi_known *K)
{
	p2a_bfi_query q;

	K->n = 0;
	for (unsigned long at = 0; bfi_known_query(K->chip, K->op, K->sem, at, &q); at++)
		if (!ask(K, &q))
			return false;
	return launch(K);
}
