/* test_bfi_damage.c -- plans of p2a_bfi.h in which something else stands than p2a_bfi_make wrote: members out of range are
 * refused, and whatever the bytes are, no call reads or writes outside of what it was given (buffers are as long as said, so
 * that a sanitizer sees it), and bytes and text agree on whether there is code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p2a_bfi.h"

static int bad;

static void
is(const char *what, long got, long want)
{
	if (got == want)
		return;
	printf("not ok %s: %ld, not %ld\n", what, got, want);
	bad = 1;
}

static uint32_t
some(uint32_t below)
{
	static uint64_t x = 1;

	x = x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(x >> 33) % below;
}

static const p2a_bfi_scratch scratch = { { 20, 22, 24, 26, 28, 30, 32, 34 }, { 40, 41, 42, 43, 44, 45, 46, 48 },
	{ 20, 22, 24, 26, 28, 30, 32, 34 }, { 40, 41, 42, 43, 44, 45, 46, 47 } };

static bool
make(const char *chip, p2a_bfi_op op, bool scalar, p2a_bfi_plan *p)
{
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(chip), .op = op, .dst = P2A_BFI_V64(6), .a = P2A_BFI_V64(0),
		.b = P2A_BFI_V64(2), .pos = P2A_BFI_V(4), .len = P2A_BFI_V(5) };

	q.pos.kind = scalar ? P2A_K_SGPR : P2A_K_VGPR;
	return !p2a_bfi_make(&q, p);
}

/* ---- members out of range ---- */

static int
bytes_of(const p2a_bfi_plan *p)
{
	char b[4 * P2A_MAX_DWORDS * P2A_BFI_INSTS];

	return p2a_bfi_bytes(p, &scratch, b, sizeof b);
}

static int
text_of(const p2a_bfi_plan *p)
{
	char b[8192];

	return p2a_bfi_text(p, &scratch, b, sizeof b);
}

static int
insts_of(const p2a_bfi_plan *p)
{
	p2a_inst out[P2A_BFI_INSTS];

	return p2a_bfi_insts(p, &scratch, out);
}

typedef struct member { const char *name; size_t at, size; uint64_t x; } member;
#define MEMBER(m, x) { #m " = " #x, offsetof(p2a_bfi_plan, m), sizeof ((p2a_bfi_plan *)0)->m, (uint64_t)(x) }
static const member members[] = {
	MEMBER(target, 0), MEMBER(target, 1), MEMBER(target, -8), MEMBER(wave, 0), MEMBER(wave, 16), MEMBER(wave, 96), MEMBER(wave, 255),
	MEMBER(n, P2A_BFI_INSTS + 1), MEMBER(n, -1), MEMBER(nheld, 9), MEMBER(nheld, 255),
	MEMBER(vgpr_pairs, P2A_BFI_SCRATCH + 1), MEMBER(vgpr_pairs, 255), MEMBER(vgprs, P2A_BFI_SCRATCH + 1), MEMBER(vgprs, 255),
	MEMBER(sgpr_pairs, P2A_BFI_SCRATCH + 1), MEMBER(sgpr_pairs, 255), MEMBER(sgprs, P2A_BFI_SCRATCH + 1), MEMBER(sgprs, 255),
	MEMBER(inst[0].nargs, P2A_MAX_ARGS + 1), MEMBER(inst[0].nargs, 255), MEMBER(inst[0].nargs, 0),
	MEMBER(inst[0].arg[0].kind, P2A_K_NONE), MEMBER(inst[0].arg[0].kind, 99), MEMBER(inst[0].arg[1].kind, 255),
};

static void
out_of_range(const char *chip)
{
	p2a_bfi_plan good, p;

	for (int op = P2A_BFI_B32; op <= P2A_BFE_S64; op++) {
		is("a plan", make(chip, (p2a_bfi_op)op, false, &good), true);
		is("its bytes", bytes_of(&good), (long)good.bytes);
		for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
			p = good;
			memcpy((char *)&p + members[k].at, &members[k].x, members[k].size);
			is(members[k].name, bytes_of(&p), P2A_ISA_ARGS);
			is(members[k].name, text_of(&p), P2A_ISA_ARGS);
			if (members[k].at < offsetof(p2a_bfi_plan, inst))
				is(members[k].name, insts_of(&p), P2A_ISA_ARGS);
		}
	}
}

/* Scratch that the plan does not say it wants, and halves that no register has. */
static void
other_scratch(void)
{
	p2a_bfi_plan good, p;

	is("a plan", make("gfx90a", P2A_BFI_B64, false, &good), true);
	for (unsigned k = 0; k < good.n; k++)
		for (unsigned a = 0; a < good.inst[k].nargs; a++) {
			const p2a_opnd *o = &good.inst[k].arg[a];
			bool pair = o->kind == P2A_BFI_K_VGPR_PAIR;

			if (!pair && o->kind != P2A_BFI_K_VGPR)
				continue;
			p = good;
			p.inst[k].arg[a].reg = pair ? p.vgpr_pairs : p.vgprs;
			is("scratch past the last", insts_of(&p), P2A_ISA_ARGS);
			p.inst[k].arg[a].reg = UINT32_MAX;
			is("scratch far past the last", insts_of(&p), P2A_ISA_ARGS);
			p = good;
			p.inst[k].arg[a].imm = pair ? 2 : 1;
			is("a half past the last", insts_of(&p), P2A_ISA_ARGS);
			p.inst[k].arg[a].imm = -1;
			is("a half before the first", insts_of(&p), P2A_ISA_ARGS);
		}
	p = good;
	p.wave = 32;
	is("waves of 32 where there are none", bytes_of(&p), P2A_ISA_ARGS);
}

/* ---- any bytes ---- */

static void
damage(p2a_bfi_plan *p)
{
	size_t used = offsetof(p2a_bfi_plan, inst) + p->n * sizeof *p->inst;

	for (unsigned k = 1 + some(4); k; k--) {
		size_t at = some(2) ? some(offsetof(p2a_bfi_plan, inst)) : some((uint32_t)used);

		((unsigned char *)p)[at] = (unsigned char)(some(2) ? some(256) : some(12));
	}
}

static void
call_all(const p2a_bfi_plan *p)
{
	unsigned cap = some(300), room = p->n <= P2A_BFI_INSTS ? p->n : 0;
	p2a_inst *out = malloc(room ? room * sizeof *out : 1);
	char *b = malloc(cap + !cap), *t = malloc(cap + !cap);
	int n = p2a_bfi_insts(p, &scratch, out), bytes = p2a_bfi_bytes(p, &scratch, b, cap), text = p2a_bfi_text(p, &scratch, t, cap);

	is("instructions or an error", n < 0 ? n >= P2A_ISA_SYNTAX : n == (int)p->n, true);
	is("bytes or an error", bytes < 0 ? bytes >= P2A_ISA_SYNTAX : bytes <= (int)cap, true);
	is("text or an error", text < 0 ? text >= P2A_ISA_SYNTAX : !cap || strlen(t) == (size_t)(text < (int)cap ? text : (int)cap - 1), true);
	bytes = bytes_of(p);
	is("bytes and text say the same", bytes < 0 ? bytes : 0, text < 0 ? text : 0);
	free(out);
	free(b);
	free(t);
}

static void
any_bytes(const char *chip)
{
	enum { ROUNDS = 3000 };
	p2a_bfi_plan good, p;

	for (int op = P2A_BFI_B32; op <= P2A_BFE_S64; op++)
		for (unsigned scalar = 0; scalar < 2; scalar++) {
			is("a plan", make(chip, (p2a_bfi_op)op, scalar, &good), true);
			for (unsigned r = 0; r < ROUNDS && !bad; r++) {
				p = good;
				damage(&p);
				call_all(&p);
			}
		}
}

int
main(void)
{
	static const char *const chips[] = { "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201" };

	for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++) {
		out_of_range(chips[c]);
		any_bytes(chips[c]);
	}
	other_scratch();
	if (!bad)
		puts("ok damaged plans");
	return bad;
}
