/* test_waitcnt.c -- no register is touched while a memory operation still owes it, and waits are not idle.
 * Random programs go through allocation and waitcnt; then random walks over the linear graph with the
 * laziest memory there is: an operation is done only when a wait says so. This checker knows counters
 * by what the instructions are called and reads waits from the printed text, so it shares no table
 * with the pass. Most waits must be needed by the next instruction on some walk. */
#include "gen.h"
#include "length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NREG = 128 + 256, MAX_FLYING = 96, WALKS = 60, WALK_LENGTH = 6000 };
enum { CNT_LOAD, CNT_LGKM, CNT_STORE, CNT_KM, NCNT };

typedef struct regs { uint64_t w[NREG / 64]; } regs;
typedef struct flight { regs reg; bool any_order; } flight;
typedef struct lazy {
	const p2a_target *t;
	flight *fly[NCNT];      /* oldest first */
	unsigned n[NCNT];
	const char *wrong;
	char text[512];
} lazy;

static const char *const chips[] = { "gfx90a", "gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1200" };

/* ---- what an instruction is, by its name ---- */

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_smem(const char *s) { return begins(s, "s_load_"); }
static bool is_lds(const char *s) { return begins(s, "ds_"); }
static bool is_flat(const char *s) { return begins(s, "flat_"); }
static bool is_vector(const char *s) { return begins(s, "global_") || begins(s, "scratch_") || is_flat(s); }
static bool is_store(const char *s, unsigned results) { return strstr(s, "_store_") || (strstr(s, "_atomic_") && !results); }

/* ---- registers ---- */

static void
mark(const p2a_opnd *o, regs *s)
{
	unsigned first = o->kind == P2A_K_VGPR ? 128 + o->reg : o->reg, n = o->width;

	if (o->kind == P2A_K_SREG && o->reg <= P2A_VCC_HI) {
		first = 106 + (o->reg == P2A_VCC_HI);
		n = o->reg == P2A_VCC ? 2 : 1;
	} else if (o->kind != P2A_K_SGPR && o->kind != P2A_K_VGPR) {
		return;
	}
	for (unsigned r = first; r < first + n; r++)
		s->w[r / 64] |= (uint64_t)1 << r % 64;
}

static bool
meet(const regs *a, const regs *b)
{
	uint64_t both = 0;

	for (unsigned w = 0; w < NREG / 64; w++)
		both |= a->w[w] & b->w[w];
	return both != 0;
}

/* ---- flying operations ---- */

static void
issue(lazy *Z, unsigned c, const ir_inst *i, const char *name)
{
	flight *x;

	if (Z->n[c] == MAX_FLYING) {
		memmove(Z->fly[c], Z->fly[c] + 1, (MAX_FLYING - 1) * sizeof *Z->fly[c]);
		Z->n[c]--;
	}
	x = &Z->fly[c][Z->n[c]++];
	memset(x, 0, sizeof *x);
	for (unsigned k = 0; k < i->ndefs; k++)
		mark(&i->m.arg[k], &x->reg);
	x->any_order = is_smem(name) || (is_flat(name) && Z->t->family == ISA_GFX9);
}

static void
launch(lazy *Z, const ir_inst *i, const char *name)
{
	bool own = Z->t->family == ISA_GFX12, stores = Z->t->family >= ISA_GFX10;

	if (is_smem(name))
		issue(Z, own ? CNT_KM : CNT_LGKM, i, name);
	if (is_lds(name) || is_flat(name))
		issue(Z, CNT_LGKM, i, name);
	if (is_vector(name))
		issue(Z, is_store(name, i->ndefs) && stores ? CNT_STORE : CNT_LOAD, i, name);
}

static bool
mixed(const lazy *Z, unsigned c)
{
	for (unsigned k = 0; k < Z->n[c]; k++)
		if (Z->fly[c][k].any_order)
			return true;
	return false;
}

static void
wait(lazy *Z, unsigned c, unsigned n)
{
	if (n >= Z->n[c] || (n && mixed(Z, c)))
		return;
	memmove(Z->fly[c], Z->fly[c] + (Z->n[c] - n), n * sizeof *Z->fly[c]);
	Z->n[c] = n;
}

/* ---- waits, from their text ---- */

static const struct word { const char *text; unsigned c; } words[] = {
	{ "vmcnt(", CNT_LOAD }, { "lgkmcnt(", CNT_LGKM }, { "s_waitcnt_vscnt null, ", CNT_STORE },
	{ "s_wait_loadcnt ", CNT_LOAD }, { "s_wait_storecnt ", CNT_STORE }, { "s_wait_dscnt ", CNT_LGKM },
	{ "s_wait_kmcnt ", CNT_KM } };

/* counts[c]: what the text waits for, or -1. False: no wait. */
static bool
read_wait(const char *text, int *counts)
{
	if (!begins(text, "s_wait") || begins(text, "s_waitcnt_depctr"))
		return false;
	for (unsigned c = 0; c < NCNT; c++)
		counts[c] = -1;
	for (size_t k = 0; k < COUNT(words); k++) {
		const char *at = strstr(text, words[k].text);

		if (at)
			counts[words[k].c] = (int)strtol(at + strlen(words[k].text), NULL, 0);
	}
	return true;
}

/* ---- checks ---- */

static const char *
text_of(const ir_inst *i, lazy *Z)
{
	static char text[300];

	if (i->m.op >= ISA_NOPS)
		return "pseudo";
	if (i->m.nargs && i->m.arg[0].kind == IR_K_BLOCK)
		return "branch";
	p2a_print(Z->t, &i->m, text, sizeof text);
	return begins(text, "\t") ? text + 1 : text;
}

/* The counters that still owe a register of i: bits. */
static unsigned
owed(const lazy *Z, const ir_inst *i)
{
	regs s = { { 0 } };
	unsigned bits = 0;

	for (unsigned k = 0; k < i->m.nargs; k++)
		mark(&i->m.arg[k], &s);
	for (unsigned c = 0; c < NCNT; c++)
		for (unsigned k = 0; k < Z->n[c]; k++)
			if (meet(&s, &Z->fly[c][k].reg))
				bits |= 1u << c;
	return bits;
}

static unsigned
flying(const lazy *Z)
{
	unsigned bits = 0;

	for (unsigned c = 0; c < NCNT; c++)
		bits |= Z->n[c] ? 1u << c : 0;
	return bits;
}

/* What a barrier waits for: on gfx90a and gfx942 not for memory, which a CU's waves see in order. */
static unsigned
held(const lazy *Z)
{
	bool in_order = !strcmp(Z->t->name, "gfx90a") || !strcmp(Z->t->name, "gfx942");

	return flying(Z) & ~(in_order ? 1u << CNT_LOAD : 0);
}

static bool
is_barrier(const char *text)
{
	return begins(text, "s_barrier") && !begins(text, "s_barrier_wait");
}

static void
visit(lazy *Z, const ir_inst *i)
{
	const char *text = text_of(i, Z);
	unsigned bits = is_barrier(text) ? held(Z) : owed(Z, i);

	if (bits && !Z->wrong) {
		snprintf(Z->text, sizeof Z->text, "in flight (counters %x): %s", bits, text);
		Z->wrong = Z->text;
	}
	launch(Z, i, text);
}

/* Is the wait at i needed here by what follows it? */
static bool
needed(const lazy *Z, const ir_inst *i, const int *counts)
{
	const ir_inst *n = i;
	int more[NCNT];
	char copy[300];
	unsigned bits;

	do {
		n = n->next;
		if (!n)
			return true;
		snprintf(copy, sizeof copy, "%s", text_of(n, (lazy *)(uintptr_t)Z));
	} while (read_wait(copy, more));
	bits = is_barrier(copy) ? held(Z) : owed(Z, n);
	for (unsigned c = 0; c < NCNT; c++)
		if (counts[c] >= 0 && bits >> c & 1)
			return true;
	return false;
}

/* Mostly where fewer walks went. */
static const ir_block *
next_block(const ir_block *b, uint64_t *seed)
{
	ir_block *best = b->lsuccs.a[gen_random(seed, b->lsuccs.n)];

	for (uint32_t k = 0; k < b->lsuccs.n && gen_random(seed, 4); k++)
		if (b->lsuccs.a[k]->mark < best->mark)
			best = b->lsuccs.a[k];
	best->mark++;
	return best;
}

static void
walk(lazy *Z, const ir_func *f, uint64_t *seed)
{
	const ir_block *b = f->entry;
	int counts[NCNT];

	memset(Z->n, 0, sizeof Z->n);
	for (unsigned steps = 0; steps < WALK_LENGTH && !Z->wrong;) {
		for (ir_inst *i = b->first; i; i = i->next, steps++) {
			char text[300];

			snprintf(text, sizeof text, "%s", text_of(i, Z));
			if (!read_wait(text, counts)) {
				visit(Z, i);
				continue;
			}
			if (needed(Z, i, counts))
				i->num = 1;
			for (unsigned c = 0; c < NCNT; c++)
				if (counts[c] >= 0)
					wait(Z, c, (unsigned)counts[c]);
			if (i->num == 0)
				i->num = 2;
		}
		if (!b->lsuccs.n)
			return;
		b = next_block(b, seed);
	}
}

/* Walks do not take every way, so one wait in four may look idle; the texts below are exact. */
static bool
idle_waits(const ir_func *f, lazy *Z)
{
	unsigned idle = 0, all = 0;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			all += i->num != 0;
			if (i->num != 2)
				continue;
			snprintf(Z->text, sizeof Z->text, "idle wait: %s in b%u", text_of(i, Z), b);
			idle++;
		}
	return idle > 1 + all / 4;
}

static const char *
check(const ir_func *f, lazy *Z, uint64_t seed)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			i->num = 0;
	for (unsigned k = 0; k < WALKS && !Z->wrong; k++)
		walk(Z, f, &seed);
	if (!Z->wrong && idle_waits(f, Z))
		Z->wrong = Z->text;
	return Z->wrong;
}

/* ---- programs ---- */

static bool
one(const p2a_target *t, uint64_t seed, bool pressure, lazy *Z)
{
	gen_options opt = { .seed = seed, .scalars = pressure ? 150 : 20, .vectors = pressure ? 90 : 30, .masks = 4,
		.statements = 10, .depth = 3, .max_vgprs = pressure ? 32 : 0 };
	arena A;
	jmp_buf oom;
	ir_func *f;

	if (setjmp(oom))
		return false;
	arena_init(&A, NULL, NULL, &oom);
	f = gen_program(&A, t, &opt);
	p_regalloc(f);
	p_waitcnt(f);
	Z->t = t;
	Z->wrong = f->mod->diags->list.n ? f->mod->diags->list.a[0].message : NULL;
	if (Z->wrong) {
		snprintf(Z->text, sizeof Z->text, "%s", Z->wrong);
		Z->wrong = Z->text;
	} else {
		check(f, Z, seed);
	}
	arena_free(&A);
	return !Z->wrong;
}

/* ---- small ones with their text ---- */

static const struct expected { const char *chip, *text; } expected[] = {
	{ "gfx90a", "global_load_dword v4, v[0:1], off;global_load_dword v5, v[0:1], off;"
		"s_load_dwordx2 s[0:1], s[4:5], 0x0;ds_read_b32 v6, v2;s_waitcnt vmcnt(1);v_add_u32_e32 v7, v4, v4;"
		"s_waitcnt lgkmcnt(0);v_add_u32_e32 v7, s0, v7;s_waitcnt vmcnt(0);v_add_u32_e32 v7, v5, v6;"
		"global_store_dword v[0:1], v7, off;s_barrier;s_endpgm" },
	{ "gfx1030", "global_load_dword v4, v[0:1], off;global_load_dword v5, v[0:1], off;"
		"s_load_dwordx2 s[0:1], s[4:5], 0x0;ds_read_b32 v6, v2;s_waitcnt vmcnt(1);v_add_nc_u32_e32 v7, v4, v4;"
		"s_waitcnt lgkmcnt(0);v_add_nc_u32_e32 v7, s0, v7;s_waitcnt vmcnt(0);v_add_nc_u32_e32 v7, v5, v6;"
		"global_store_dword v[0:1], v7, off;s_waitcnt_vscnt null, 0x0;s_barrier;s_endpgm" },
	{ "gfx1100", "global_load_b32 v4, v[0:1], off;global_load_b32 v5, v[0:1], off;"
		"s_load_b64 s[0:1], s[4:5], 0x0;ds_load_b32 v6, v2;s_waitcnt vmcnt(1);v_add_nc_u32_e32 v7, v4, v4;"
		"s_waitcnt lgkmcnt(0);v_add_nc_u32_e32 v7, s0, v7;s_waitcnt vmcnt(0);v_add_nc_u32_e32 v7, v5, v6;"
		"global_store_b32 v[0:1], v7, off;s_waitcnt_vscnt null, 0x0;s_barrier;s_endpgm" },
	{ "gfx1200", "global_load_b32 v4, v[0:1], off;global_load_b32 v5, v[0:1], off;"
		"s_load_b64 s[0:1], s[4:5], 0x0;ds_load_b32 v6, v2;s_wait_loadcnt 0x1;v_add_nc_u32_e32 v7, v4, v4;"
		"s_wait_kmcnt 0x0;v_add_nc_u32_e32 v7, s0, v7;s_wait_loadcnt 0x0;s_wait_dscnt 0x0;"
		"v_add_nc_u32_e32 v7, v5, v6;global_store_b32 v[0:1], v7, off;s_wait_storecnt 0x0;"
		"s_barrier_signal -1;s_barrier_wait 0xffff;s_endpgm" },
};

static void
write_small(ir_func *f)
{
	ir_builder B = { f, ir_new_block(f), NULL, 0 };
	ir_opnd off = { .kind = P2A_K_OFF };

	f->entry = B.b;
	ir_m(&B, OP_global_load_dword, 3, (ir_opnd)P2A_V(4), (ir_opnd)P2A_VN(0, 2), off);
	ir_m(&B, OP_global_load_dword, 3, (ir_opnd)P2A_V(5), (ir_opnd)P2A_VN(0, 2), off);
	ir_m(&B, OP_s_load_dwordx2, 3, (ir_opnd)P2A_SN(0, 2), (ir_opnd)P2A_SN(4, 2), off);
	ir_m(&B, OP_ds_read_b32, 2, (ir_opnd)P2A_V(6), (ir_opnd)P2A_V(2));
	ir_m(&B, OP_v_add_u32, 3, (ir_opnd)P2A_V(7), (ir_opnd)P2A_V(4), (ir_opnd)P2A_V(4));
	ir_m(&B, OP_v_add_u32, 3, (ir_opnd)P2A_V(7), (ir_opnd)P2A_S(0), (ir_opnd)P2A_V(7));
	ir_m(&B, OP_v_add_u32, 3, (ir_opnd)P2A_V(7), (ir_opnd)P2A_V(5), (ir_opnd)P2A_V(6));
	ir_m(&B, OP_global_store_dword, 3, (ir_opnd)P2A_VN(0, 2), (ir_opnd)P2A_V(7), off);
	ir_m(&B, P_barrier, 0);
	ir_m(&B, OP_s_endpgm, 0);
}

static bool
small(const struct expected *x, char *got, size_t cap)
{
	arena A;
	jmp_buf oom;
	ir_func *f;
	lazy Z = { .t = p2a_target_find(x->chip) };
	size_t n = 0;

	if (setjmp(oom))
		return false;
	arena_init(&A, NULL, NULL, &oom);
	f = gen_new(&A, Z.t, "k");
	write_small(f);
	p_waitcnt(f);
	for (const ir_inst *i = f->entry->first; i && n < cap; i = i->next)
		n += (size_t)snprintf(got + n, cap - n, "%s%s", n ? ";" : "", text_of(i, &Z));
	arena_free(&A);
	return !strcmp(got, x->text);
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : test_length(1, 3, 6), failures = 0;
	lazy Z = { 0 };
	char got[2000];

	for (unsigned c = 0; c < NCNT; c++)
		Z.fly[c] = calloc(MAX_FLYING, sizeof *Z.fly[c]);
	for (size_t k = 0; k < COUNT(expected); k++) {
		bool ok = small(&expected[k], got, sizeof got);

		printf(ok ? "ok text, %s\n" : "not ok text, %s: %s\n", expected[k].chip, got);
		failures += !ok;
	}
	for (size_t c = 0; c < COUNT(chips); c++)
		for (unsigned p = 0; p < 2; p++) {
			bool ok = true;

			for (unsigned k = 0; k < seeds && ok; k++)
				ok = one(p2a_target_find(chips[c]), k + 1, p, &Z);
			printf(ok ? "ok walks%s, %s\n" : "not ok walks%s, %s: %s\n", p ? " with spills" : "", chips[c], Z.wrong);
			failures += !ok;
		}
	for (unsigned c = 0; c < NCNT; c++)
		free(Z.fly[c]);
	return failures != 0;
}
