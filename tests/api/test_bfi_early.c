/* test_bfi_early.c -- p2a_bfi_plan.early against the plan's own instructions, for random questions with registers that are
 * shared, crossed and die. Expected: the words of p2a_bfi.h, by a walk over the instructions; which of their operands are results
 * stands in p2a_isa.h. */
#include <stdio.h>
#include <string.h>

#include "bfi_ops.h"

enum { QUESTIONS = 200000, REGISTERS = 8, MOST_SHOWN = 5 };

static uint64_t seed = 0x9e3779b97f4a7c15;

static unsigned
below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

/* ---- questions ---- */

static p2a_bfi_operand
some_register(uint8_t kind)
{
	p2a_bfi_operand o = { .kind = kind, .dies = below(2), .lo = (uint16_t)below(REGISTERS) };

	o.hi = (uint16_t)((o.lo + 1u + (below(2) ? 0 : below(REGISTERS - 1))) % REGISTERS);
	return o;
}

/* Of three data operands one is a number, of three numbers one is bounded. */
static p2a_bfi_operand
some_operand(bool scalar, bool is_number, unsigned width)
{
	p2a_bfi_operand o = some_register(scalar || below(3) == 0 ? P2A_K_SGPR : P2A_K_VGPR);

	if (below(3) == 0)
		return (p2a_bfi_operand)P2A_BFI_IMM(is_number ? below(70) : below(1000));
	if (is_number && below(2))
		o.max = width - 1 - below(20);
	return o;
}

static p2a_bfi_query
some_query(void)
{
	p2a_bfi_query q = { .size = sizeof q, .flags = below(2), .op = (p2a_bfi_op)below(BFI_OPS) };
	unsigned width = bfi_is_wide(q.op) ? 64 : 32, chips = 0;
	bool scalar = below(4) == 0;

	while (p2a_target_at(chips))
		chips++;
	q.target = p2a_target_at(below(chips));
	q.semantics = bfi_is_wide(q.op) && below(2) ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED;
	q.dst = some_register(scalar ? P2A_K_SGPR : P2A_K_VGPR);
	q.dst.dies = false;
	q.a = some_operand(scalar, false, width);
	q.b = some_operand(scalar, false, width);
	q.pos = some_operand(scalar, true, width);
	q.len = some_operand(scalar, true, width);
	return q;
}

/* ---- the walk ---- */

/* Registers as bits; REGISTERS of either kind. */
static uint32_t
bits_of(const p2a_opnd *o)
{
	uint32_t m = 0;

	for (unsigned k = 0; k < o->width && (o->kind == P2A_K_VGPR || o->kind == P2A_K_SGPR); k++)
		if (o->reg + k < REGISTERS)
			m |= 1u << (o->reg + k + (o->kind == P2A_K_SGPR ? 16 : 0));
	return m;
}

static uint32_t
bits_of_place(const p2a_bfi_operand *o, bool wide)
{
	p2a_opnd lo = { .kind = o->kind, .width = 1, .reg = o->lo }, hi = { .kind = o->kind, .width = 1, .reg = o->hi };

	return bits_of(&lo) | (wide ? bits_of(&hi) : 0);
}

static unsigned
results_of(const p2a_target *t, const p2a_inst *i)
{
	static const char *const none[] = { "s_cmp", "s_bitcmp", "s_nop", "s_wait" };
	const char *name = p2a_op_name(t, i->op);

	if (i->enc == P2A_ENC_DUAL)
		return 2;
	for (unsigned k = 0; k < sizeof none / sizeof *none; k++)
		if (!strncmp(name, none[k], strlen(none[k])))
			return 0;
	return strstr(name, "_co_") ? 2 : 1;
}

static bool
walk(const p2a_bfi_query *q, const p2a_bfi_plan *p)
{
	const p2a_bfi_operand *in[4] = { &q->a, &q->b, &q->pos, &q->len };
	bool wide = bfi_is_wide(q->op), early = false, begun = false;
	uint32_t dst = bits_of_place(&q->dst, wide), held = 0;

	for (unsigned k = 0; k < 4; k++)
		held |= bfi_has(q->op, k) ? bits_of_place(in[k], wide && k < 2) : 0;
	for (unsigned k = 0; k < p->n; k++) {
		const p2a_inst *i = &p->inst[k];
		unsigned n = results_of(q->target, i), first = i->dst_unused == P2A_UNUSED_PRESERVE ? 0 : n;
		uint32_t written = 0;

		for (unsigned a = first; a < i->nargs; a++)
			early |= begun && bits_of(&i->arg[a]) & held;
		for (unsigned a = 0; a < n; a++)
			written |= bits_of(&i->arg[a]);
		held &= ~written;
		begun |= (written & dst) != 0;
	}
	for (unsigned h = 0; h < 1u + wide; h++)
		early |= begun && bits_of(&p->result[h]) & held & ~dst;
	return early;
}

static void
show(const p2a_bfi_query *q, const p2a_bfi_plan *p)
{
	static const p2a_bfi_scratch s = { { 40, 42, 44, 48, 50, 52, 56, 58 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
		{ 40, 42, 44, 46, 48, 50, 52, 54 }, { 60, 61, 62, 63, 64, 65, 66, 67 } };
	char text[8192] = "";

	p2a_bfi_text(p, &s, text, sizeof text);
	printf("# %s op %d, dst kind %d %u:%u, early is said to be %d\n%s", p2a_target_name(q->target), (int)q->op, q->dst.kind, q->dst.lo,
	       q->dst.hi, p->early, text);
}

int
main(void)
{
	unsigned wrong = 0, failed = 0, early = 0;

	for (unsigned k = 0; k < QUESTIONS; k++) {
		p2a_bfi_query q = some_query();
		p2a_bfi_plan p;

		if (p2a_bfi_make(&q, &p)) {
			failed++;
			continue;
		}
		early += p.early;
		if (p.early != walk(&q, &p) && wrong++ < MOST_SHOWN)
			show(&q, &p);
	}
	printf("%s %u plans, %u of them early, %u of them wrong; %u questions refused\n", wrong || failed ? "not ok" : "ok",
	       QUESTIONS, early, wrong, failed);
	return wrong || failed || !early;
}
