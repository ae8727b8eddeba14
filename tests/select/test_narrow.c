/* test_narrow.c -- who knows more pays no more: for every pair of forms of a bit field of which one says of pos and len
 * all that the other says, the first costs no more on any chip (VALU 2, a 64-bit shift 2 more, SALU 1). A constant
 * says more than a range that holds it, a range more than a wider one, of the same kind of register; the same where something is known
 * of a, which costs no more than an a of which nothing is known. a and b differ between lanes: uniform ones may need moves to vector
 * registers where another operand is scalar. Waves of 64, in which nothing is paired
 * (VOPD): rows are chosen before instructions are paired. */
#include "base/base.h"
#include "bfi_ops.h"
#include "kit.h"

/* max 0: nothing is known; a constant is narrower than either kind of register. */
static const struct known { const char *name; char kind; uint32_t min, max; } known[] = {
	{ "v", 'v', 0, 0 }, { "0..255", 'v', 0, 255 }, { "0..64", 'v', 0, 64 }, { "0..63", 'v', 0, 63 },
	{ "0..32", 'v', 0, 32 }, { "0..31", 'v', 0, 31 }, { "1..64", 'v', 1, 64 }, { "1..32", 'v', 1, 32 }, { "1..31", 'v', 1, 31 },
	{ "0..7", 'v', 0, 7 }, { "8..15", 'v', 8, 15 }, { "29..63", 'v', 29, 63 }, { "29..40", 'v', 29, 40 }, { "31..40", 'v', 31, 40 },
	{ "32..40", 'v', 32, 40 }, { "32..63", 'v', 32, 63 }, { "32..64", 'v', 32, 64 }, { "33..64", 'v', 33, 64 },
	{ "63..99", 'v', 63, 99 }, { "64..99", 'v', 64, 99 }, { "256..400", 'v', 256, 400 }, { "300..400", 'v', 300, 400 },
	{ "s", 's', 0, 0 }, { "s0..255", 's', 0, 255 }, { "s0..64", 's', 0, 64 }, { "s0..63", 's', 0, 63 },
	{ "s0..32", 's', 0, 32 }, { "s0..31", 's', 0, 31 }, { "s1..32", 's', 1, 32 }, { "s1..31", 's', 1, 31 }, { "s0..7", 's', 0, 7 },
	{ "s8..15", 's', 8, 15 }, { "s29..40", 's', 29, 40 }, { "s32..40", 's', 32, 40 }, { "s32..63", 's', 32, 63 },
	{ "s32..64", 's', 32, 64 }, { "s64..99", 's', 64, 99 }, { "s256..400", 's', 256, 400 }, { "s300..400", 's', 300, 400 },
	{ "0", 'c', 0, 0 }, { "1", 'c', 1, 1 }, { "5", 'c', 5, 5 }, { "8", 'c', 8, 8 }, { "16", 'c', 16, 16 },
	{ "20", 'c', 20, 20 }, { "31", 'c', 31, 31 }, { "32", 'c', 32, 32 }, { "40", 'c', 40, 40 }, { "63", 'c', 63, 63 },
	{ "64", 'c', 64, 64 }, { "255", 'c', 255, 255 }, { "304", 'c', 304, 304 } };

enum { N = COUNT(known) };

static bool
says_more(const struct known *x, const struct known *y)
{
	uint32_t top = y->max || y->kind == 'c' ? y->max : UINT32_MAX, most = x->max || x->kind == 'c' ? x->max : UINT32_MAX;

	return y->min <= x->min && most <= top && (x->kind == y->kind || x->kind == 'c');
}

static p2a_bfi_operand
operand(const struct known *k, unsigned reg)
{
	p2a_bfi_operand o = { .kind = k->kind == 'v' ? P2A_K_VGPR : k->kind == 's' ? P2A_K_SGPR : P2A_K_IMM };

	if (o.kind == P2A_K_IMM) {
		o.imm = k->min;
		return o;
	}
	o.lo = (uint16_t)reg;
	o.min = k->min;
	o.max = k->max;
	return o;
}

static int
cost(const p2a_bfi_query *q)
{
	p2a_bfi_plan plan;

	return p2a_bfi_make(q, &plan) ? -1 : (int)(2 * plan.valu + 2 * plan.valu64 + plan.salu);
}

static unsigned
compare(int c[N][N], const p2a_bfi_query *q, const char *chip, const char *a)
{
	unsigned pairs = 0;

	for (unsigned i = 0; i < N * N; i++)
		for (unsigned j = 0; j < N * N; j++) {
			const struct known *p = &known[i / N], *l = &known[i % N], *p2 = &known[j / N], *l2 = &known[j % N];

			if (i == j || !says_more(p, p2) || !says_more(l, l2))
				continue;
			pairs++;
			if (c[i / N][i % N] < 0 || c[i / N][i % N] > c[j / N][j % N])
				kit_ok(false, "dearer", "%s %s, a %s: pos %s, len %s costs %d; pos %s, len %s %d", chip,
					bfi_op_names[q->op], a, p->name, l->name, c[i / N][i % N], p2->name, l2->name,
					c[j / N][j % N]);
		}
	return pairs;
}

/* What is known of a. */
static const struct value { const char *name; uint64_t zero, max; } values[] = { { "v", 0, 0 }, { "0..255", 0, 255 },
	{ "v without its low byte", 255, 0 } };

static void
price(p2a_bfi_query *q, const struct value *a, int c[N][N])
{
	q->a.zero = a->zero;
	q->a.max = a->max;
	for (unsigned i = 0; i < N * N; i++) {
		q->pos = operand(&known[i / N], 4);
		q->len = operand(&known[i % N], 5);
		if (!bfi_has(q->op, BFI_A))
			q->dst.kind = q->pos.kind == P2A_K_VGPR || q->len.kind == P2A_K_VGPR ? P2A_K_VGPR : P2A_K_SGPR;
		c[i / N][i % N] = cost(q);
	}
}

/* Of each a by itself, and of each beside an a of which nothing is known. */
static unsigned
check_form(const p2a_target *t, p2a_bfi_op op, p2a_semantics sem)
{
	p2a_bfi_query q = { .size = sizeof q, .target = t, .op = op, .semantics = sem, .flags = P2A_BFI_RENAME, .wave = 64,
		.dst = P2A_BFI_V64(6), .a = P2A_BFI_V64(0), .b = P2A_BFI_V64(2) };
	unsigned pairs = 0;
	int all[N][N], c[N][N];

	price(&q, &values[0], all);
	for (unsigned v = 0; v < (bfi_has(op, BFI_A) ? COUNT(values) : 1); v++) {
		price(&q, &values[v], c);
		pairs += compare(c, &q, p2a_target_name(t), values[v].name);
		for (unsigned i = 0; i < N * N; i++)
			if (c[i / N][i % N] > all[i / N][i % N])
				kit_ok(false, "dearer", "%s %s: pos %s, len %s, a %s costs %d, a v %d", p2a_target_name(t), bfi_op_names[op],
					known[i / N].name, known[i % N].name, values[v].name, c[i / N][i % N], all[i / N][i % N]);
	}
	return pairs;
}

static bool
is_a_byte(const struct known *k)
{
	return k->kind == 'c' ? k->min < 256 : k->max && k->max < 256;
}

/* A mask is a field of ones put into zeros: where pos and len are below 256 it costs as much. */
static void
check_mask(const p2a_target *t)
{
	p2a_bfi_query q = { .size = sizeof q, .target = t, .flags = P2A_BFI_RENAME, .wave = 64, .a = P2A_BFI_IMM(UINT32_MAX),
		.b = P2A_BFI_IMM(0) };
	unsigned forms = 0;

	for (unsigned i = 0; i < N * N; i++) {
		const struct known *p = &known[i / N], *l = &known[i % N];
		int mask, insert;

		if (!is_a_byte(p) || !is_a_byte(l))
			continue;
		q.dst = (p2a_bfi_operand){ .kind = p->kind == 'v' || l->kind == 'v' ? P2A_K_VGPR : P2A_K_SGPR, .lo = 6 };
		q.pos = operand(p, 4);
		q.len = operand(l, 5);
		q.op = P2A_BMSK_B32;
		mask = cost(&q);
		q.op = P2A_BFI_B32;
		insert = cost(&q);
		forms++;
		if (mask < 0 || mask != insert)
			kit_ok(false, "they differ", "%s pos %s, len %s: bmsk costs %d, bfi of ones into zeros %d", p2a_target_name(t), p->name,
				l->name, mask, insert);
	}
	kit_ok(forms > 500, "too few", "%s: bmsk costs what bfi of ones into zeros does, %u forms", p2a_target_name(t), forms);
}

int
main(void)
{
	const p2a_target *t;

	for (size_t k = 0; (t = p2a_target_at(k)); k++) {
		unsigned pairs = 0;

		for (int op = 0; op < BFI_OPS; op++)
			for (int sem = 0; sem <= bfi_has_meanings((p2a_bfi_op)op); sem++)
				pairs += check_form(t, (p2a_bfi_op)op, sem ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED);
		check_mask(t);
		kit_ok(pairs > 1000, "too few", "%s: %u pairs of forms", p2a_target_name(t), pairs);
	}
	return kit_failures();
}
