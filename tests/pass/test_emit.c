/* test_emit.c -- the bytes are what the instructions say, and branches arrive where they should.
 * 1. Random programs through all machine passes: the decoded text, assembled again by llvm-mc 19, gives
 *    the same bytes (skipped where it is not installed).
 * 2. A kernel of more than 32,767 dwords with branches over all of it, both ways: its bytes are executed
 *    by an interpreter of the few scalar instructions in it.
 * 3. Addresses of variables; branches to the next block.
 * 4. Random layouts of blocks, some of which only branch: their bytes are executed and the way compared with a
 *    walk over the graph; the end of a loop is one branch. */
#define _POSIX_C_SOURCE 200809L
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const chips[] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200" };
static unsigned failures;

static void
report(bool ok, const char *name, const char *chip, const char *why)
{
	if (ok)
		printf("ok %s, %s\n", name, chip);
	else
		printf("not ok %s, %s: %s\n", name, chip, why ? why : "");
	failures += !ok;
}

static size_t
load_dwords(const ir_func *f, size_t at, uint32_t *w)
{
	size_t n = MIN((f->code.n - at) / 4, (size_t)P2A_MAX_DWORDS);

	for (size_t k = 0; k < n; k++) {
		const uint8_t *p = f->code.p + at + 4 * k;

		w[k] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	}
	return n;
}

/* ---- 1: assembled again ---- */

static bool
have_assembler(void)
{
	return system("llvm-mc-19 --version >/dev/null 2>&1") == 0;
}

static bool
write_text(const ir_func *f, const char *path)
{
	FILE *out = fopen(path, "w");
	uint32_t w[P2A_MAX_DWORDS];

	if (!out)
		return false;
	for (size_t at = 0; at < f->code.n;) {
		p2a_inst i;
		char text[300];
		int n = p2a_decode(f->target, w, load_dwords(f, at, w), &i);

		if (n <= 0)
			break;
		p2a_print(f->target, &i, text, sizeof text);
		fprintf(out, "%s\n", text);
		at += 4 * (size_t)n;
	}
	return fclose(out) == 0;
}

/* Compares the bytes that llvm-mc lists with the code. */
static bool
same_bytes(const ir_func *f, const char *path, char *why, size_t cap)
{
	char command[400], line[1000];
	FILE *in;
	size_t at = 0;
	bool ok = true;

	snprintf(command, sizeof command, "llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=%s -show-encoding %s 2>&1",
		p2a_target_name(f->target), path);
	in = popen(command, "r");
	while (ok && in && fgets(line, sizeof line, in)) {
		const char *p = strstr(line, "encoding: [");

		if (strstr(line, "error:")) {
			snprintf(why, cap, "%s", line);
			ok = false;
		}
		for (p = p ? p + strlen("encoding: [") : NULL; ok && p && *p && *p != ']'; at++) {
			char *end;
			unsigned long byte = strtoul(p, &end, 16);

			ok = at < f->code.n && byte == f->code.p[at];
			p = *end == ',' ? end + 1 : end;
			if (!ok)
				snprintf(why, cap, "other bytes at %zu: %s", at, line);
		}
	}
	if (in)
		pclose(in);
	if (ok && at != f->code.n) {
		snprintf(why, cap, "%zu bytes instead of %zu", at, f->code.n);
		ok = false;
	}
	return ok;
}

static void
reassemble(const char *chip, unsigned seeds)
{
	char path[] = "/tmp/p2a_emit_XXXXXX", why[1200] = "";
	volatile bool ok = true;
	int fd = mkstemp(path);
	arena A;
	jmp_buf oom;

	if (fd < 0 || setjmp(oom))
		return;
	close(fd);
	arena_init(&A, NULL, NULL, &oom);
	for (unsigned k = 0; ok && k < seeds; k++) {
		gen_options opt = { .seed = k + 1, .scalars = k % 2 ? 150 : 20, .vectors = k % 2 ? 90 : 30, .masks = 6,
			.statements = 12, .depth = 3, .max_vgprs = k % 2 ? 32 : 0 };
		ir_func *f = gen_program(&A, p2a_target_find(chip), &opt);

		p_regalloc(f);
		p_waitcnt(f);
		p_hazard(f);
		p_emit(f);
		if (f->mod->diags->list.n) {
			snprintf(why, sizeof why, "%s", f->mod->diags->list.a[0].message);
			ok = false;
		} else {
			ok = write_text(f, path) && same_bytes(f, path, why, sizeof why);
		}
	}
	unlink(path);
	arena_free(&A);
	report(ok, "reassembled", chip, why);
}

/* ---- 2: far branches ---- */

enum { FILL = 40000, MARK = 5000 };

static void
mark(ir_builder *B, unsigned n)
{
	ir_m(B, OP_v_mov_b32, 2, (ir_opnd)P2A_V(0), ir_i32(MARK + n));
}

static void
jump(ir_builder *B, unsigned op, unsigned to)
{
	ir_m(B, op, 1, (ir_opnd){ .kind = IR_K_BLOCK, .reg = to });
	gen_edge(B->f, B->b, B->f->blocks.a[to], true, true);
}

/* b0 -> b1 (filler) -> b2 -> back to b1 twice -> b3 -> over b4 (filler) to b5 */
static void
write_far(ir_func *f)
{
	ir_builder B = { f, NULL, NULL, 0 };
	ir_opnd s4 = P2A_S(4);

	for (unsigned b = 0; b < 6; b++)
		ir_new_block(f);
	f->entry = f->blocks.a[0];
	f->k.branch_sgpr = 6;
	for (unsigned b = 0; b < 6; b++) {
		B.b = f->blocks.a[b];
		mark(&B, b);
		for (unsigned k = 0; k < FILL && (b == 1 || b == 4); k++)
			ir_m(&B, OP_s_nop, 1, (ir_opnd){ .kind = P2A_K_IMM });
		if (b == 0) {
			ir_m(&B, OP_s_mov_b32, 2, s4, ir_i32(3));
			jump(&B, OP_s_branch, 1);
		} else if (b == 2) {
			ir_m(&B, OP_s_add_u32, 3, s4, s4, ir_i32(UINT32_MAX));
			ir_m(&B, OP_s_cmp_lg_u32, 2, s4, ir_i32(0));
			jump(&B, OP_s_cbranch_scc1, 1);
			jump(&B, OP_s_branch, 3);
		} else if (b == 3) {
			ir_m(&B, OP_s_cmp_lg_u32, 2, s4, ir_i32(7));
			jump(&B, OP_s_cbranch_scc1, 5);
			jump(&B, OP_s_branch, 4);
		} else if (b == 5) {
			ir_m(&B, OP_s_endpgm, 0);
		} else {
			jump(&B, OP_s_branch, b + 1);
		}
	}
}

typedef struct cpu { uint64_t s[128]; bool scc; unsigned steps; char trail[200]; } cpu; /* steps: 0 is no limit */

static uint32_t
source(const cpu *C, const p2a_opnd *o)
{
	return (uint32_t)(o->kind == P2A_K_IMM ? (uint64_t)o->imm : C->s[o->reg]);
}

/* The address that follows, or -1 at the end or at something unknown. */
static int64_t
execute(cpu *C, const p2a_target *t, const p2a_inst *i, int64_t next)
{
	const p2a_opnd *a = i->arg;
	uint64_t sum;

	(void)t;
	switch (i->op) {
	case OP_v_mov_b32:
		if (strlen(C->trail) < sizeof C->trail - 4)
			snprintf(C->trail + strlen(C->trail), 4, "%d ", (int)(a[1].imm - MARK));
		return next;
	case OP_s_nop: return next;
	case OP_s_mov_b32: C->s[a[0].reg] = source(C, &a[1]); return next;
	case OP_s_add_u32: case OP_s_addc_u32:
		sum = (uint64_t)source(C, &a[1]) + source(C, &a[2]) + (i->op == OP_s_addc_u32 && C->scc);
		C->s[a[0].reg] = (uint32_t)sum;
		C->scc = sum >> 32 & 1;
		return next;
	case OP_s_cmp_lg_u32: C->scc = source(C, &a[0]) != source(C, &a[1]); return next;
	case OP_s_branch: return next + 4 * (int16_t)a[0].imm;
	case OP_s_cbranch_scc1: return C->scc ? next + 4 * (int16_t)a[0].imm : next;
	case OP_s_cbranch_scc0: return C->scc ? next : next + 4 * (int16_t)a[0].imm;
	case OP_s_getpc_b64: C->s[a[0].reg] = (uint32_t)next; C->s[a[0].reg + 1] = 5; return next;
	case OP_s_setpc_b64: return C->s[a[0].reg + 1] == 5 ? (int64_t)C->s[a[0].reg] : -1;
	default: return -1;
	}
}

static void
run_bytes(cpu *C, const ir_func *f)
{
	uint32_t w[P2A_MAX_DWORDS];
	p2a_inst i;

	for (int64_t at = 0; at >= 0 && (size_t)at < f->code.n;) {
		int n = p2a_decode(f->target, w, load_dwords(f, (size_t)at, w), &i);

		if (n <= 0 || (C->steps && !--C->steps))
			return;
		at = execute(C, f->target, &i, at + 4 * n);
	}
}

static void
far_branches(const char *chip)
{
	static const char *const want = "0 1 2 1 2 1 2 3 5 ";
	arena A;
	jmp_buf oom;
	ir_func *f;
	cpu C = { .scc = false };

	if (setjmp(oom))
		return;
	arena_init(&A, NULL, NULL, &oom);
	f = gen_new(&A, p2a_target_find(chip), "k");
	write_far(f);
	p_emit(f);
	if (!f->mod->diags->list.n)
		run_bytes(&C, f);
	report(!strcmp(C.trail, want), "far branches", chip,
		f->mod->diags->list.n ? f->mod->diags->list.a[0].message : C.trail);
	f->k.branch_sgpr = -1;
	p_emit(f);
	report(f->mod->diags->list.n == 1, "far branch without registers is refused", chip, NULL);
	arena_free(&A);
}

/* ---- 3: addresses ---- */

static void
addresses(const char *chip)
{
	arena A;
	jmp_buf oom;
	ir_func *f;
	ir_builder B;
	ir_opnd low = { .kind = IR_K_SYM, .width = 1, .reg = 0, .imm = 24 };
	const struct ir_fixup *x;
	bool ok;

	if (setjmp(oom))
		return;
	arena_init(&A, NULL, NULL, &oom);
	f = gen_new(&A, p2a_target_find(chip), "k");
	(void)vec_push(&A, &f->mod->vars);
	f->mod->vars.a[0].name = "table";
	B = (ir_builder){ f, ir_new_block(f), NULL, 0 };
	ir_new_block(f);
	f->entry = B.b;
	ir_m(&B, OP_s_getpc_b64, 1, (ir_opnd)P2A_SN(0, 2));
	ir_m(&B, OP_s_nop, 1, (ir_opnd){ .kind = P2A_K_IMM });
	ir_m(&B, OP_s_add_u32, 3, (ir_opnd)P2A_S(2), (ir_opnd)P2A_S(0), low);
	ir_m(&B, OP_s_addc_u32, 3, (ir_opnd)P2A_S(3), (ir_opnd)P2A_S(1),
		(ir_opnd){ .kind = IR_K_SYM, .width = 1, .sel = 1, .imm = 24 });
	jump(&B, OP_s_branch, 1);
	p_emit(f);
	x = f->fixups.a;
	ok = f->fixups.n == 2 && x[0].offset == 12 && x[1].offset == 20 && x[0].pc == 4 && x[1].pc == 4 &&
		x[0].addend == 24 && !x[0].high && x[1].high;
	report(ok, "addresses of variables", chip, NULL);
	report(f->code.n == 28 && f->k.instructions == 5, "branch to the next block dropped, end added", chip, NULL);
	arena_free(&A);
}

/* ---- 4: layouts ---- */

enum { GRAPH = 9, STEPS = 1000 };

/* A block marks itself and counts s4 down, or does nothing; then goes to yes where s4 != until, else to no. */
typedef struct spot { bool marks, asks; unsigned until, yes, no; } spot;

static void
make_spots(spot *g, uint64_t *seed)
{
	for (unsigned b = 0; b < GRAPH; b++) {
		g[b] = (spot){ .marks = gen_random(seed, 3) != 0, .asks = gen_random(seed, 3) != 0,
			.until = gen_random(seed, 8), .no = gen_random(seed, GRAPH), .yes = gen_random(seed, GRAPH) };
		if (gen_random(seed, 3))
			*(gen_random(seed, 2) ? &g[b].yes : &g[b].no) = (b + 1) % GRAPH;
	}
}

static void
write_spots(ir_func *f, const spot *g)
{
	ir_builder B = { f, NULL, NULL, 0 };
	ir_opnd s4 = P2A_S(4);

	for (unsigned b = 0; b < GRAPH; b++)
		ir_new_block(f);
	f->entry = f->blocks.a[0];
	for (unsigned b = 0; b < GRAPH; b++) {
		B.b = f->blocks.a[b];
		if (g[b].marks) {
			mark(&B, b);
			ir_m(&B, OP_s_add_u32, 3, s4, s4, ir_i32(UINT32_MAX));
		}
		if (g[b].asks) {
			ir_m(&B, OP_s_cmp_lg_u32, 2, s4, ir_i32(g[b].until));
			jump(&B, OP_s_cbranch_scc1, g[b].yes);
		}
		jump(&B, OP_s_branch, g[b].no);
	}
}

/* The blocks on the way, as execute() writes them; the same number of blocks at most. */
static void
walk(const spot *g, char trail[200])
{
	uint32_t s4 = 0;
	unsigned at = 0;

	for (unsigned n = 0; n < STEPS && strlen(trail) < 196; n++) {
		const spot *b = &g[at];

		if (b->marks) {
			snprintf(trail + strlen(trail), 4, "%u ", at);
			s4--;
		}
		at = b->asks && s4 != b->until ? b->yes : b->no;
	}
}

static ir_func *
emitted(arena *A, const char *chip, const spot *g)
{
	ir_func *f = gen_new(A, p2a_target_find(chip), "k");

	write_spots(f, g);
	p_emit(f);
	return f;
}

static void
layouts(const char *chip, unsigned seeds)
{
	uint64_t seed;
	bool ok = true;
	char why[500] = "";

	for (unsigned n = 0; n < seeds && ok; n++) {
		spot g[GRAPH];
		arena A;
		jmp_buf oom;
		cpu C = { .steps = 5 * STEPS };
		char want[200] = "";

		if (setjmp(oom))
			return;
		seed = n + 1;
		arena_init(&A, NULL, NULL, &oom);
		make_spots(g, &seed);
		run_bytes(&C, emitted(&A, chip, g));
		walk(g, want);
		ok = !strcmp(C.trail, want);
		if (!ok)
			snprintf(why, sizeof why, "seed %u: %s, not %s", n + 1, C.trail, want);
		arena_free(&A);
	}
	report(ok, "ways through random layouts", chip, why);
}

/* Loops as linearize leaves them: b1 to b3 or else b2, which only goes back; what is left is one branch. Where b1 leaves
 * the loop over b3 the branch back is the first of two, so that a turn passes one. */
static void
loop_ends(const char *chip)
{
	static const spot one[GRAPH] = { { .marks = true, .no = 1 }, { .marks = true, .asks = true, .until = 7, .yes = 3, .no = 2 },
		{ .no = 1 }, { .no = 4 }, { .no = 5 }, { .no = 6 }, { .no = 7 }, { .no = 8 }, { .marks = true, .no = 0 } };
	static const spot over[GRAPH] = { { .marks = true, .asks = true, .until = 9, .yes = 1, .no = 3 },
		{ .marks = true, .asks = true, .until = 7, .yes = 2, .no = 4 }, { .no = 1 }, { .marks = true, .no = 4 },
		{ .marks = true, .no = 5 }, { .no = 6 }, { .no = 7 }, { .no = 8 }, { .marks = true, .no = 8 } };
	const ir_inst *i;
	arena A;
	jmp_buf oom;

	if (setjmp(oom))
		return;
	arena_init(&A, NULL, NULL, &oom);
	report(emitted(&A, chip, one)->k.instructions == 2 + 4 + 3, "one branch ends a loop", chip, NULL);
	i = emitted(&A, chip, over)->blocks.a[1]->last;
	report(i && i->m.op == OP_s_branch && i->m.arg[0].reg == 4 && i->prev->m.arg[0].reg == 1, "a loop's turn passes one branch", chip, NULL);
	arena_free(&A);
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 6;

	for (size_t c = 0; c < COUNT(chips); c++) {
		far_branches(chips[c]);
		addresses(chips[c]);
		loop_ends(chips[c]);
		layouts(chips[c], seeds * 50);
	}
	if (!have_assembler())
		printf("ok reassembled # skip: llvm-mc-19 is not installed\n");
	else
		for (size_t c = 0; c < COUNT(chips); c++)
			reassemble(chips[c], seeds);
	return failures != 0;
}
