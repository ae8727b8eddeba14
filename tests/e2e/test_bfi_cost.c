/* test_bfi_cost.c -- what a kernel with one bfi, bfe, bmsk or szext executes beyond the same kernel without it costs no more than the
 * answer of p2a_bfi.h, for every form of operands, chip and meaning: passes between the choice of a row and
 * the bytes lose nothing. Cost model: translator/lower/bfi_cost.c, without bytes; the two of a pair (VOPD) count as they would
 * alone, since what stands around the bit field decides what it is paired with. Every STEP-th form, by chips in turn;
 * with a chip as the argument all forms of that chip.
 *   P2A_BFI_COST_LIST=1 prints each kernel that is dearer, =2 also the two sequences. */
#include "e2e.h"

#include "bfi_ops.h"
#include "p2a.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LANES, LANES_SHORT, UNIFORM, UNIFORM_SHORT, FIRST_CONST };

/* A bit field: operands by kind; pos and len from FIRST_CONST on are constants, kind - FIRST_CONST. */
typedef struct form {
	p2a_bfi_op op;
	unsigned a, b;           /* kinds; FIRST_CONST + k: constants[k] */
	unsigned pos, len;
	bool kept;               /* b is stored behind the bit field */
} form;

static const uint64_t constants[] = { 0, ~0ull, 1, 0x123456789abcdef0 };

static bool is_lanes(unsigned kind) { return kind == LANES || kind == LANES_SHORT; }

/* ---- kernels ---- */

static uint64_t
constant(const form *f, unsigned kind)
{
	uint64_t c = constants[kind - FIRST_CONST];

	return bfi_is_wide(f->op) ? c : c & UINT32_MAX;
}

static void
put_operand(text *t, const form *f, const char *reg, unsigned kind, unsigned at)
{
	unsigned bits = bfi_is_wide(f->op) ? 64 : 32;

	if (kind >= FIRST_CONST)
		text_add(t, "mov.b%u %s, %llu;\n", bits, reg, (unsigned long long)constant(f, kind));
	else if (is_lanes(kind))
		text_add(t, "ld.global.b%u %s, [%%rd1+%u];\n", bits, reg, at);
	else
		text_add(t, "ld.param.b%u %s, [s%u];\n", bits, reg, at / 8);
}

/* A short one is masked, and kept so that its mask is no part of the bit field. */
static void
put_number(text *t, const form *f, const char *reg, unsigned kind, unsigned at)
{
	if (kind >= FIRST_CONST)
		text_add(t, "mov.b32 %s, %u;\n", reg, kind - FIRST_CONST);
	else if (is_lanes(kind))
		text_add(t, "ld.global.b32 %s, [%%rd1+%u];\n", reg, at);
	else
		text_add(t, "ld.param.b32 %s, [s%u];\n", reg, at / 8);
	if (kind == LANES_SHORT || kind == UNIFORM_SHORT)
		text_add(t, "and.b32 %s, %s, %u;\nst.global.b32 [%%rd1+%u], %s;\n", reg, reg, bfi_is_wide(f->op) ? 63 : 31, at + 64, reg);
}

static bool
has_lanes(const form *f)
{
	const unsigned kind[4] = { f->a, f->b, f->pos, f->len };

	for (unsigned k = 0; k < 4; k++)
		if (bfi_has(f->op, k) && is_lanes(kind[k]))
			return true;
	return false;
}

static void
put_kernel(text *t, const form *f, unsigned number, bool with)
{
	const char *r = bfi_is_wide(f->op) ? "%rd" : "%r";
	char reg[2][16];

	snprintf(reg[0], sizeof reg[0], "%s10", r);
	snprintf(reg[1], sizeof reg[1], "%s11", r);
	text_add(t, ".visible .entry k%u(.param .u64 p, .param .u64 s0, .param .u64 s1, .param .u32 s2, .param .u32 s3, .param .u64 s4)\n{\n"
		".reg .b64 %%rd<20>; .reg .b32 %%r<20>;\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x;\n"
		"mul.wide.u32 %%rd2, %%r1, 128; add.u64 %%rd1, %%rd1, %%rd2;\n", number);
	if (bfi_has(f->op, BFI_A))
		put_operand(t, f, reg[0], f->a, 0);
	if (bfi_has(f->op, BFI_B))
		put_operand(t, f, reg[1], f->b, 8);
	if (bfi_has(f->op, BFI_POS))
		put_number(t, f, "%r2", f->pos, 16);
	put_number(t, f, "%r3", f->len, 24);
	if (with) {
		text_add(t, "%s %s12", bfi_op_names[f->op], r);
		for (unsigned k = 0; k < 4; k++)
			if (bfi_has(f->op, k))
				text_add(t, ", %s", k < 2 ? reg[k] : k == 2 ? "%r2" : "%r3");
		text_add(t, ";\n");
	} else if (has_lanes(f))
		text_add(t, "ld.global.b%u %s12, [%%rd1+32];\n", bfi_is_wide(f->op) ? 64 : 32, r);
	else
		text_add(t, "ld.param.b%u %s12, [s4];\n", bfi_is_wide(f->op) ? 64 : 32, r);
	if (f->kept)
		text_add(t, "st.global.b%u [%%rd1+96], %s;\n", bfi_is_wide(f->op) ? 64 : 32, reg[1]);
	if (bfi_is_wide(f->op))
		text_add(t, "mov.b64 {%%r4, %%r5}, %%rd12;\nst.global.b32 [%%rd1+48], %%r4; st.global.b32 [%%rd1+56], %%r5;\nret;\n}\n");
	else
		text_add(t, "st.global.b32 [%%rd1+48], %%r12;\nret;\n}\n");
}

/* ---- costs, in halves of a vector instruction ---- */

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static unsigned
cost_of_line(const char *s)
{
	static const char *const free_of_cost[] = { "s_load", "s_wait", "s_nop", "s_endpgm", "s_delay", "s_clause",
		"s_buffer", "s_sendmsg", "s_code_end", "s_set_inst" };

	if (begins(s, "v_lshlrev_b64") || begins(s, "v_lshrrev_b64") || begins(s, "v_ashrrev_i64"))
		return 4;
	if (begins(s, "v_"))
		return begins(s, "v_dual_") ? 4 : 2;
	for (unsigned k = 0; k < sizeof free_of_cost / sizeof *free_of_cost; k++)
		if (begins(s, free_of_cost[k]))
			return 0;
	return begins(s, "s_");
}

/* The instructions of kernel number from *at on, which moves behind them. */
static unsigned
cost_of_kernel(const char **at, unsigned number)
{
	char label[32];
	const char *s;
	unsigned cost = 0;

	snprintf(label, sizeof label, "\nk%u:\n", number);
	s = strstr(*at, label);
	if (!s)
		return UINT32_MAX;
	for (s += strlen(label); strncmp(s, ".Lend", 5); s = strchr(s, '\n') + 1)
		if (*s == '\t')
			cost += cost_of_line(s + 1);
	*at = s;
	return cost;
}

static p2a_bfi_operand
operand_of(const form *f, unsigned kind, unsigned reg)
{
	if (kind >= FIRST_CONST)
		return (p2a_bfi_operand)P2A_BFI_IMM(constant(f, kind));
	return (p2a_bfi_operand){ is_lanes(kind) ? P2A_K_VGPR : P2A_K_SGPR, true, (uint16_t)reg, (uint16_t)(reg + 1), 0, 0, 0, 0, 0 };
}

static p2a_bfi_operand
number_of(const form *f, unsigned kind, unsigned reg)
{
	p2a_bfi_operand o = operand_of(f, kind >= FIRST_CONST ? FIRST_CONST : kind, reg);

	if (kind >= FIRST_CONST)
		o.imm = kind - FIRST_CONST;
	if (kind == LANES_SHORT || kind == UNIFORM_SHORT) {
		o.max = bfi_is_wide(f->op) ? 63 : 31;
		o.dies = false;
	}
	return o;
}

/* A signed field of ones is ones or nothing, wherever it begins: a kernel has it uniform where len is. */
static bool
is_anywhere(const form *f)
{
	return (f->op == P2A_BFE_S32 || f->op == P2A_BFE_S64) && f->a == FIRST_CONST + 1;
}

/* The answer where the result has registers of its own, or those of b. */
static bool
ask(const form *f, const p2a_target *chip, p2a_semantics sem, bool in_place, p2a_bfi_plan *p)
{
	p2a_bfi_query q = { .size = sizeof q, .target = chip, .op = f->op, .semantics = sem, .flags = P2A_BFI_RENAME,
		.a = operand_of(f, f->a, 0), .b = bfi_is_insert(f->op) ? operand_of(f, f->b, 2) : operand_of(f, FIRST_CONST, 0),
		.pos = number_of(f, f->pos, 4), .len = number_of(f, f->len, 5) };

	if (is_anywhere(f))
		q.pos = (p2a_bfi_operand)P2A_BFI_IMM(0);
	q.dst = (p2a_bfi_operand){ has_lanes(f) && !(is_anywhere(f) && !is_lanes(f->len)) ? P2A_K_VGPR : P2A_K_SGPR, false, 6, 7, 0, 0, 0, 0, 0 };
	if (in_place)
		q.dst = q.b;
	q.b.dies &= !f->kept;
	return !p2a_bfi_make(&q, p);
}

static unsigned
pairs(const p2a_bfi_plan *p)
{
	unsigned n = 0;

	for (unsigned k = 0; k < p->n; k++)
		n += p->inst[k].enc == P2A_ENC_DUAL;
	return n;
}

/* What is no VGPR is moved to one for the store, which the kernel without a bit field has no need of. */
static unsigned
store_moves(const form *f, const p2a_bfi_plan *p)
{
	unsigned cost = 0;

	for (unsigned h = 0; h < 1u + bfi_is_wide(f->op); h++)
		cost += has_lanes(f) && p->result[h].kind != P2A_K_VGPR ? 2 : 0;
	return cost;
}

static unsigned
cost_of_plan(const form *f, const p2a_bfi_plan *p)
{
	return 2 * (p->valu + pairs(p)) + 2 * p->valu64 + p->salu + store_moves(f, p);
}

/* The cheaper one of both answers, where b may be overwritten. */
static bool
answer(const form *f, const p2a_target *chip, p2a_semantics sem, p2a_bfi_plan *p)
{
	p2a_bfi_plan other;

	if (!ask(f, chip, sem, false, p))
		return false;
	if (!bfi_is_insert(f->op) || !is_lanes(f->b) || f->kept)
		return true;
	if (!ask(f, chip, sem, true, &other))
		return false;
	if (cost_of_plan(f, &other) < cost_of_plan(f, p))
		*p = other;
	return true;
}

/* ---- forms ---- */

enum { MOST_FORMS = 4000, STEP = 3, QUICK_STEP = 31 };

static const unsigned places32[] = { LANES, LANES_SHORT, UNIFORM, UNIFORM_SHORT, FIRST_CONST, FIRST_CONST + 1,
	FIRST_CONST + 5, FIRST_CONST + 8, FIRST_CONST + 16, FIRST_CONST + 24, FIRST_CONST + 31, FIRST_CONST + 32 };
static const unsigned places64[] = { LANES, LANES_SHORT, UNIFORM, UNIFORM_SHORT, FIRST_CONST, FIRST_CONST + 1,
	FIRST_CONST + 7, FIRST_CONST + 8, FIRST_CONST + 16, FIRST_CONST + 20, FIRST_CONST + 24, FIRST_CONST + 31, FIRST_CONST + 32, FIRST_CONST + 33,
	FIRST_CONST + 40, FIRST_CONST + 56, FIRST_CONST + 63, FIRST_CONST + 64 };
static const unsigned data[][2] = { { LANES, LANES }, { LANES, UNIFORM }, { UNIFORM, LANES }, { UNIFORM, UNIFORM },
	{ LANES, FIRST_CONST }, { FIRST_CONST + 1, LANES }, { FIRST_CONST + 3, LANES }, { FIRST_CONST, LANES },
	{ FIRST_CONST + 2, UNIFORM } };

/* Every step-th one from first on; those of constants twice, b dying or not. */
static unsigned
all_forms(form *f, p2a_bfi_op op, unsigned first, unsigned step)
{
	const unsigned *place = bfi_is_wide(op) ? places64 : places32;
	unsigned n = 0, k = 0, np = bfi_is_wide(op) ? 18 : 12;

	for (unsigned d = 0; d < (bfi_has(op, BFI_A) ? sizeof data / sizeof *data : 1); d++)
		for (unsigned p = 0; p < (bfi_has(op, BFI_POS) ? np : 1); p++)
			for (unsigned l = 0; l < np; l++)
				for (unsigned kept = 0; kept < 1u + (place[p] >= FIRST_CONST && place[l] >= FIRST_CONST); kept++)
					if (bfi_is_insert(op) ? !kept || data[d][1] == LANES : !kept && data[d][1] == LANES)
						if (k++ % step == first)
							f[n++] = (form){ op, data[d][0], data[d][1], place[p], place[l], kept };
	return n;
}

/* ---- comparing ---- */

static const char *
kind_name(unsigned kind, bool number, char out[24])
{
	static const char *const names[] = { "v", "v<W", "s", "s<W" };

	if (kind < FIRST_CONST)
		return names[kind];
	if (number)
		snprintf(out, 24, "%u", kind - FIRST_CONST);
	else
		snprintf(out, 24, "%#llx", (unsigned long long)constants[kind - FIRST_CONST]);
	return out;
}

static void
show(const char *chip, p2a_semantics sem, const form *f, unsigned ours, unsigned best, const p2a_bfi_plan *p, const char *code, unsigned number)
{
	char n[4][24], label[32], plan[4096] = "";
	static const p2a_bfi_scratch scratch = { { 40, 42, 44, 48, 50, 52, 56, 58 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
		{ 48, 50, 52, 54, 56, 58, 60, 62 }, { 64, 65, 66, 67, 68, 69, 70, 71 } };

	printf("dearer %s sem %d %s a=%s b=%s%s pos=%s len=%s row %s: %u for %u halves\n", chip, (int)sem, bfi_op_names[f->op],
	       kind_name(f->a, false, n[0]), kind_name(f->b, false, n[1]), f->kept ? " (kept)" : "", kind_name(f->pos, true, n[2]),
	       kind_name(f->len, true, n[3]), p->name, ours, best);
	if (atoi(getenv("P2A_BFI_COST_LIST")) < 2)
		return;
	p2a_bfi_text(p, &scratch, plan, sizeof plan);
	snprintf(label, sizeof label, "\nk%u:\n", number);
	code = strstr(code, label) + 1;
	printf("%.*s---- the answer\n%s\n", (int)(strstr(code, ".Lend") - code), code, plan);
}

/* How many of n kernels are dearer than the answer; -1: no code. */
static int
dearer(const char *chip, p2a_semantics sem, const form *f, unsigned n)
{
	text t = { 0 };
	p2a_options o = { .size = sizeof o, .target = chip, .semantics = sem, .emit = P2A_EMIT_ASM };
	p2a_source src = { .name = "cost.ptx" };
	p2a_result *r;
	const char *at;
	int worse = 0;

	text_add(&t, ".version 8.0\n.target sm_75\n.address_size 64\n");
	for (unsigned k = 0; k < 2 * n; k++)
		put_kernel(&t, &f[k / 2], k, k & 1);
	src.text = t.s;
	src.size = t.n;
	r = p2a_translate(&src, 1, &o);
	free(t.s);
	if (!r || r->status) {
		printf("not ok %s: %s\n", chip, r && r->ndiags ? r->diags[0].message : "no memory");
		p2a_result_free(r);
		return -1;
	}
	at = t.s = calloc(1, r->size + 1);
	if (!t.s)
		abort();
	memcpy(t.s, r->data, r->size);
	for (unsigned k = 0; k < n; k++) {
		unsigned without = cost_of_kernel(&at, 2 * k), with = cost_of_kernel(&at, 2 * k + 1), best;
		p2a_bfi_plan p;

		if (without == UINT32_MAX || with == UINT32_MAX || !answer(&f[k], p2a_target_find(chip), sem, &p)) {
			printf("not ok %s: kernel %u is not there\n", chip, k);
			worse = -1;
			break;
		}
		best = cost_of_plan(&f[k], &p);
		if (with <= without + best)
			continue;
		worse++;
		if (getenv("P2A_BFI_COST_LIST"))
			show(chip, sem, &f[k], with - without, best, &p, t.s, 2 * k + 1);
	}
	free(t.s);
	p2a_result_free(r);
	return worse;
}

static int
form_of_chip(const char *chip, p2a_bfi_op op, p2a_semantics sem, unsigned first, unsigned step)
{
	static form f[MOST_FORMS];
	const char *meaning = sem == P2A_SEM_NVIDIA ? ", NVIDIA's meaning" : "";
	unsigned n = all_forms(f, op, first, step);
	int worse = dearer(chip, sem, f, n);

	if (!worse)
		printf("ok %s %s%s: %u kernels\n", chip, bfi_op_names[op], meaning, n);
	else if (worse > 0)
		printf("not ok %s %s%s: %d of %u kernels cost more than the answer of p2a_bfi.h\n", chip, bfi_op_names[op], meaning, worse, n);
	return worse != 0;
}

int
main(int argc, char **argv)
{
	static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };
	unsigned step = argc > 1 ? 1 : e2e_quick() ? QUICK_STEP : STEP;
	int bad = 0;

	for (unsigned c = 0; c < (argc > 1 ? 1 : sizeof chips / sizeof *chips); c++)
		for (int op = 0; op < BFI_OPS; op++)
			for (int sem = 0; sem <= bfi_has_meanings((p2a_bfi_op)op); sem++)
				bad |= form_of_chip(argc > 1 ? argv[1] : chips[c], (p2a_bfi_op)op, (p2a_semantics)sem, c % step, step);
	return bad;
}
