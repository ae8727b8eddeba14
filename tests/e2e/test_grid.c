/* test_grid.c -- blocks that wait for other blocks of their grid, more of them than the host has threads: barriers of the grid by
 * all kinds of polling, chains against the order in which blocks begin, the block that comes last. On a GPU all blocks that
 * have room are under way at once; more must not wait for each other, which the emulator says.
 * Expected: who waits for whom, by hand. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, MOST = 600 };

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n" \
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n" \
	"ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %tid.x;\n" \
	"setp.ne.u32 %p1, %r4, 0;\n"
/* out[round][b] = out[round - 1][b + 1] + 1, a barrier of the grid between rounds; the counter stands at in. */
#define BARRIER_HEAD HEAD "mov.u32 %r5, 0;\nROUND:\n@%p1 bra SYNC;\n" \
	"mad.lo.u32 %r6, %r5, %r3, %r2; mul.wide.u32 %d3, %r6, 4; add.u64 %d3, %d3, %d2; mov.u32 %r8, %r2;\n" \
	"setp.eq.u32 %p2, %r5, 0; @%p2 bra PUT;\n" \
	"add.u32 %r9, %r2, 1; rem.u32 %r9, %r9, %r3; sub.u32 %r10, %r5, 1; mad.lo.u32 %r9, %r10, %r3, %r9;\n" \
	"mul.wide.u32 %d4, %r9, 4; add.u64 %d4, %d4, %d2; ld.global.u32 %r8, [%d4]; add.u32 %r8, %r8, 1;\n" \
	"PUT: st.global.u32 [%d3], %r8;\nSYNC: bar.sync 0;\n@%p1 bra DONE;\nadd.u32 %r11, %r5, 1; mul.lo.u32 %r11, %r11, %r3;\n"
#define BARRIER_TAIL "DONE: bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 5; @%p4 bra ROUND;\nret;\n}\n"
#define UNTIL "setp.lt.u32 %p3, %r12, %r11; @%p3 bra WAIT;\n"

static const char volatile_text[] = BARRIER_HEAD "membar.gl; atom.global.add.u32 %r12, [%d1], 1;\n"
	"WAIT: ld.volatile.global.u32 %r12, [%d1];\n" UNTIL "membar.gl;\n" BARRIER_TAIL;
static const char acquire_text[] = BARRIER_HEAD "red.release.gpu.global.add.u32 [%d1], 1;\n"
	"WAIT: ld.acquire.gpu.global.u32 %r12, [%d1];\n" UNTIL BARRIER_TAIL;
static const char sleep_text[] = BARRIER_HEAD "red.release.gpu.global.add.u32 [%d1], 1;\n"
	"WAIT: nanosleep.u32 100; ld.acquire.gpu.global.u32 %r12, [%d1];\n" UNTIL BARRIER_TAIL;
static const char add_text[] = BARRIER_HEAD "red.release.gpu.global.add.u32 [%d1], 1;\n"
	"WAIT: atom.acquire.gpu.global.add.u32 %r12, [%d1], 0;\n" UNTIL BARRIER_TAIL;
static const char cas_text[] = BARRIER_HEAD "red.release.gpu.global.add.u32 [%d1], 1;\n"
	"WAIT: atom.acquire.gpu.global.cas.b32 %r12, [%d1], 0, 0;\n" UNTIL BARRIER_TAIL;
static const char fence_text[] = BARRIER_HEAD "membar.gl; red.global.add.u32 [%d1], 1;\n"
	"WAIT: membar.gl; ld.global.u32 %r12, [%d1];\n" UNTIL "membar.gl;\n" BARRIER_TAIL;
/* Changes another word in each turn, so that nothing shows that it waits. */
static const char busy_text[] = BARRIER_HEAD "red.release.gpu.global.add.u32 [%d1], 1;\n"
	"WAIT: red.relaxed.gpu.global.add.u32 [%d1+4], 1; ld.acquire.gpu.global.u32 %r12, [%d1];\n" UNTIL BARRIER_TAIL;
/* A lock that all blocks take by turns: block b when b - 1 has given it back, or b + 1. The other threads wait at a barrier. */
#define CHAIN(neighbour, last) HEAD "@%p1 bra SYNC;\nsub.u32 %r20, %r3, 1; setp.eq.u32 %p2, %r2, " last "; mov.u32 %r8, 0; @%p2 bra PUT;\n" \
	neighbour " mul.wide.u32 %d3, %r9, 4; add.u64 %d3, %d3, %d2;\nWAIT: ld.acquire.gpu.global.u32 %r8, [%d3]; setp.eq.u32 %p3, %r8, 0; @%p3 bra WAIT;\n" \
	"PUT: add.u32 %r8, %r8, 1; mul.wide.u32 %d4, %r2, 4; add.u64 %d4, %d4, %d2; st.release.gpu.global.u32 [%d4], %r8;\n" \
	"SYNC: bar.sync 0; ret;\n}\n"
static const char forward_text[] = CHAIN("sub.u32 %r9, %r2, 1;", "0");
static const char backward_text[] = CHAIN("add.u32 %r9, %r2, 1;", "%r20");
/* The block that comes last writes what it finds. */
static const char last_text[] = HEAD "@%p1 bra END;\nadd.u32 %r8, %r2, 7; mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d3, %d2; st.global.u32 [%d3+4], %r8;\n"
	"membar.gl; atom.global.inc.u32 %r9, [%d1], 0xffff; add.u32 %r9, %r9, 1; setp.ne.u32 %p2, %r9, %r3; @%p2 bra END; membar.gl;\n"
	"mov.u32 %r10, 0; mov.u64 %d4, %d2; mov.u32 %r11, 0;\nSUM: ld.global.cg.u32 %r12, [%d4+4]; add.u32 %r11, %r11, %r12; add.u64 %d4, %d4, 4; add.u32 %r10, %r10, 1;\n"
	"setp.lt.u32 %p3, %r10, %r3; @%p3 bra SUM; st.global.u32 [%d2], %r11;\nEND: ret;\n}\n";

static void
rounds(uint32_t *out, uint32_t blocks)
{
	for (uint32_t r = 0; r < ROUNDS; r++)
		for (uint32_t b = 0; b < blocks; b++)
			out[r * blocks + b] = (b + r) % blocks + r;
}

static void
forward(uint32_t *out, uint32_t blocks)
{
	for (uint32_t b = 0; b < blocks; b++)
		out[b] = b + 1;
}

static void
backward(uint32_t *out, uint32_t blocks)
{
	for (uint32_t b = 0; b < blocks; b++)
		out[b] = blocks - b;
}

static void
last(uint32_t *out, uint32_t blocks)
{
	out[0] = blocks * (blocks - 1) / 2 + 7 * blocks;
	for (uint32_t b = 0; b < blocks; b++)
		out[1 + b] = b + 7;
}

static const struct work {
	const char *name, *text;
	void (*expect)(uint32_t *, uint32_t blocks);
	uint32_t most;           /* blocks; emulating more takes long */
} works[] = {
	{ "volatile loads", volatile_text, rounds, MOST }, { "acquire loads", acquire_text, rounds, MOST }, { "nanosleep", sleep_text, rounds, MOST },
	{ "additions of 0", add_text, rounds, MOST }, { "compare and swap", cas_text, rounds, MOST }, { "loads and fences", fence_text, rounds, MOST },
	{ "loads beside other work", busy_text, rounds, 4 }, { "a chain in the blocks' order", forward_text, forward, MOST },
	{ "a chain against it", backward_text, backward, MOST }, { "the last block", last_text, last, MOST },
};

static int
run(const struct work *w, uint32_t blocks, uint32_t block, p2a_check_level check, const char *chip)
{
	static uint32_t want[ROUNDS * MOST + 1], got[ROUNDS * MOST + 1];
	uint32_t counter[2] = { 0 };
	e2e_run r = { .chip = chip, .ptx = w->text, .kernel = "k", .grid = { blocks, 1, 1 }, .block = { block, 1, 1 }, .in = counter,
		.in_size = sizeof counter, .out = got, .out_size = sizeof got, .check = check, .timeout = 120 };

	memset(want, 0, sizeof want);
	w->expect(want, blocks);
	if (e2e_launch(w->name, &r))
		return 1;
	for (size_t i = 0; i < sizeof got / sizeof *got; i++)
		if (got[i] != want[i])
			return printf("not ok %s on %s, %u blocks: word %zu is %u, should be %u\n", w->name, chip, blocks, i, got[i], want[i]), 1;
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct { uint32_t blocks, block; p2a_check_level check; } shapes[] = {
		{ 1, 33, P2A_CHECK_MEMORY }, { 4, 128, P2A_CHECK_ALL }, { 64, 256, P2A_CHECK_MEMORY }, { 300, 96, P2A_CHECK_MEMORY },
	};
	const char *const *on = e2e_on(e2e_chips, e2e_quick() ? 2 : 4);
	int bad = 0;

	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		int wrong = 0;

		if (argc > 1 && !strstr(works[i].name, argv[1]))
			continue;
		for (const char *const *chip = on; *chip; chip++)
			for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
				if (shapes[k].blocks <= works[i].most)
					wrong |= run(&works[i], shapes[k].blocks, shapes[k].block, shapes[k].check, *chip);
		if (!wrong)
			printf("ok blocks that wait: %s\n", works[i].name);
		bad |= wrong;
	}
	return bad;
}
