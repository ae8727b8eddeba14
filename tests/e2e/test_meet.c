/* test_meet.c -- lanes of one mask meet at .sync with the same qualifiers and that mask, wherever in the program each executes it
 * (9.7.9.6, 9.7.13.9 to 9.7.13.12): in another branch, another turn of a loop, a function called from several places.
 * Expected values: the k-th operation of a lane with that mask is one with the k-th of every other lane of it. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };

/* %x: the lane's input, 0 to 2^20; %r0: its result. %m: all lanes, as the kernel computes it; %pq: is it odd? */
#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define START START_OF("mov.u32 %t, %tid.x;")
#define START_ROWS START_OF("mov.u32 %t, %tid.x; mov.u32 %n, %tid.y; mad.lo.u32 %t, %n, 8, %t;")
#define START_OF(number) ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 all)\n{\n" \
	".reg .b32 %r<30>, %t, %x, %m, %l, %n; .reg .b64 %i, %o, %q<5>, %sp; .reg .pred %p, %odd, %c; .shared .align 4 .b8 room[512]; .local .align 8 .b8 depot[64];\n" \
	"ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; ld.param.u32 %m, [all]; " number " mov.u32 %l, %laneid;\n" \
	"mul.wide.u32 %q1, %t, 4; add.u64 %i, %i, %q1; add.u64 %o, %o, %q1; ld.global.u32 %x, [%i]; and.b32 %r1, %t, 1; setp.ne.u32 %odd, %r1, 0; mov.u32 %r0, 0;\n"
#define END "st.global.u32 [%o], %r0; ret;\n}\n"
#define NEIGHBOUR(d, s) "shfl.sync.bfly.b32 " d ", " s ", 1, 31, %m;\n"
#define FUNC(name, body) ".func (.reg .b32 %v) " name "(.reg .b32 %m, .reg .b32 %x)\n{\n.reg .b32 %r<9>; .reg .pred %p;\n" body "ret;\n}\n"
#define BCAST FUNC("bcast", "brev.b32 %r1, %m; bfind.shiftamt.u32 %r2, %r1; shfl.sync.idx.b32 %v, %x, %r2, 31, %m;\n")
/* The lanes whose input is the same modulo 4. */
#define ALIKE "and.b32 %r2, %x, 3; match.any.sync.b32 %m, %r2, -1;\n"

static int first_alike(const uint32_t *x, int t) { int j = t & ~31; while ((x[j] ^ x[t]) & 3) j++; return j; }

typedef uint32_t meaning(const uint32_t *x, int t);

static uint32_t neighbours(const uint32_t *x, int t) { return x[t ^ 1]; }
static uint32_t beyond_tile(const uint32_t *x, int t) { return x[t ^ 8]; }
static uint32_t swapped(const uint32_t *x, int t) { return t & 1 ? x[t ^ 1] * 20 + 1 : x[t ^ 1] * 10 + 2; }
static uint32_t swapped_twice(const uint32_t *x, int t) { return t & 1 ? x[t ^ 1] * 21 + 2 : x[t ^ 1] * 11 + 4; }

static uint32_t
broadcast(const uint32_t *x, int t)
{
	int j = first_alike(x, t);

	return x[j] * 10 + (j & 1 ? 0 : 5);
}

static uint32_t
counted(const uint32_t *x, int t)
{
	uint32_t b = 0;

	for (int j = 0; j < 32; j++)
		b |= (uint32_t)(j % 4 == 0 ? x[(t & ~31) + j] % 5 < 2 : j % 4 == 1 ? x[(t & ~31) + j] % 5 < 3 : x[(t & ~31) + j] % 5 == 4) << j;
	return b ^ (uint32_t)(t % 4);
}

static uint32_t
summed(const uint32_t *x, int t)
{
	uint32_t s = 0;

	for (int j = t & ~7; j < (t & ~7) + 8; j++)
		s += j & 1 ? x[j] : 3 * x[j];
	return s + (uint32_t)(t & 1);
}

/* Three rounds: each lane adds its neighbour's number and its own. */
static uint32_t
rounds(const uint32_t *x, int t)
{
	uint32_t a = x[t], b = x[t ^ 1];

	for (int k = 0; k < 3; k++) {
		uint32_t c = a + b;

		b = a = c;
	}
	return a;
}

static uint32_t last_pair(const uint32_t *x, int t) { return t % 32 < 30 ? 7 : x[t ^ 1]; }

/* Behind a barrier of the block: the other warp's. */
static uint32_t
told(const uint32_t *x, int t)
{
	return swapped(x, t ^ 32);
}

static uint32_t between_rows(const uint32_t *x, int t) { return t & 8 ? x[t ^ 8] * 20 + 1 : x[t ^ 8] * 10 + 2; }

static uint32_t
nested(const uint32_t *x, int t)
{
	return x[t ^ 1] * 10 + 2 * (3u - (t & 1)) + (t & 1 ? 1 : 0);
}

#define ROUND "shfl.sync.bfly.b32 %r3, %r0, 1, 31, %m; add.u32 %r0, %r0, %r3;\n"
static const struct form { const char *name, *ptx; meaning *means; } forms[] = {
	{ "shfl on both ways of a branch", HEAD START "@%odd bra A; mul.lo.u32 %r2, %x, 20;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2; bra E;\n"
		"A: mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1; E:\n" END, swapped },
	{ "two of them, one after the other", HEAD START "@%odd bra A; mul.lo.u32 %r2, %x, 20;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2;\n"
		NEIGHBOUR("%r3", "%x") "shfl.sync.bfly.b32 %r4, %r3, 1, 31, %m; xor.b32 %r4, %r4, %x; add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, 2; bra E;\n"
		"A: mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1;\n" NEIGHBOUR("%r3", "%x")
		"shfl.sync.bfly.b32 %r4, %r3, 1, 31, %m; xor.b32 %r4, %r4, %x; add.u32 %r0, %r0, %r4; add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, 1; E:\n" END, swapped_twice },
	{ "a constant mask", HEAD START "mov.u32 %m, -1; @%odd bra A; mul.lo.u32 %r2, %x, 20;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2; bra E;\n"
		"A: mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1; E:\n" END, swapped },
	{ "a mask in private memory", HEAD START "mov.u64 %sp, depot; cvta.local.u64 %sp, %sp; st.u32 [%sp+8], %m; @%odd bra A; ld.u32 %m, [%sp+8]; mul.lo.u32 %r2, %x, 20;\n"
		NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2; bra E;\nA: ld.u32 %m, [%sp+8]; mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1; E:\n" END, swapped },
	{ "a function that both ways call", HEAD BCAST START ALIKE "mul.lo.u32 %r3, %x, 10; @!%odd bra A; call.uni (%r0), bcast, (%m, %r3); bra E;\n"
		"A: add.u32 %r3, %r3, 5; call.uni (%r0), bcast, (%m, %r3); E:\n" END, broadcast },
	{ "a function in it", HEAD BCAST FUNC("outer", "setp.gt.u32 %p, %x, 20000; @%p bra A; call (%v), bcast, (%m, %x); bra E; A: call (%v), bcast, (%m, %x); E:\n")
		START ALIKE "mul.lo.u32 %r3, %x, 10; @!%odd bra A; call.uni (%r0), outer, (%m, %r3); bra E;\n"
		"A: add.u32 %r3, %r3, 5; call.uni (%r0), outer, (%m, %r3); E:\n" END, broadcast },
	{ "a function and the kernel itself", HEAD BCAST START ALIKE "mul.lo.u32 %r3, %x, 10; @!%odd bra A; call.uni (%r0), bcast, (%m, %r3); bra E;\n"
		"A: add.u32 %r3, %r3, 5; brev.b32 %r1, %m; bfind.shiftamt.u32 %r2, %r1; shfl.sync.idx.b32 %r0, %r3, %r2, 31, %m; E:\n" END, broadcast },
	{ "a function that calls itself", HEAD ".func (.reg .b32 %v) down(.reg .b32 %m, .reg .b32 %x, .reg .b32 %n)\n{\n.reg .b32 %r<9>; .reg .pred %p;\n"
		"setp.eq.u32 %p, %n, 0; @%p bra A; sub.u32 %r1, %n, 1; call (%v), down, (%m, %x, %r1); add.u32 %v, %v, 2; ret;\nA: shfl.sync.bfly.b32 %v, %x, 1, 31, %m; ret;\n}\n"
		START "mul.lo.u32 %r2, %x, 10; @%odd bra A; call (%r0), down, (%m, %r2, 3); bra E;\nA: call (%r0), down, (%m, %r2, 2); add.u32 %r0, %r0, 1; E:\n" END, nested },
	{ "a ballot on three ways", HEAD START "and.b32 %r2, %t, 3; rem.u32 %r3, %x, 5; setp.eq.u32 %p, %r2, 0; @%p bra A; setp.eq.u32 %p, %r2, 1; @%p bra B;\n"
		"setp.eq.u32 %c, %r3, 4; vote.sync.ballot.b32 %r0, %c, %m; xor.b32 %r0, %r0, %r2; bra E;\nA: setp.lt.u32 %c, %r3, 2; vote.sync.ballot.b32 %r0, %c, %m; bra E;\n"
		"B: setp.lt.u32 %c, %r3, 3; vote.sync.ballot.b32 %r0, %c, %m; xor.b32 %r0, %r0, 1; E:\n" END, counted },
	{ "tiles of eight", HEAD START "and.b32 %r2, %l, 24; shl.b32 %m, 255, %r2; @%odd bra A; mul.lo.u32 %r3, %x, 3; redux.sync.add.u32 %r0, %r3, %m; bra E;\n"
		"A: redux.sync.add.u32 %r0, %x, %m; add.u32 %r0, %r0, 1; E:\n" END, summed },
	{ "a loop and straight code", HEAD START "mov.u32 %r0, %x; @%odd bra A;\n" ROUND ROUND ROUND "bra E;\nA: mov.u32 %n, 0;\nL:\n" ROUND
		"add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 3; @%p bra L; E:\n" END, rounds },
	{ "other turns of one loop", HEAD START "mov.u32 %r0, %x; mov.u32 %n, 0;\nL: add.u32 %r4, %n, %r1; and.b32 %r4, %r4, 1; setp.eq.u32 %p, %r4, 0; @%p bra S;\n" ROUND
		"S: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 6; @%p bra L;\n" END, rounds },
	{ "lanes that have ended", HEAD START "mov.u32 %r0, 7; setp.ge.u32 %p, %l, 30; @!%p st.global.u32 [%o], %r0; @!%p exit; @%odd bra A;\n"
		NEIGHBOUR("%r0", "%x") "bra E;\nA:\n" NEIGHBOUR("%r0", "%x") "E:\n" END, last_pair },
	{ "rows of a block", HEAD START_ROWS "and.b32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra A; mul.lo.u32 %r2, %x, 20; shfl.sync.bfly.b32 %r0, %r2, 8, 31, %m;\n"
		"add.u32 %r0, %r0, 2; bra E;\nA: mul.lo.u32 %r2, %x, 10; shfl.sync.bfly.b32 %r0, %r2, 8, 31, %m; add.u32 %r0, %r0, 1; E:\n" END, between_rows },
	{ "behind a lock of each lane", HEAD ".global .u32 lock;\n" START "W: atom.acquire.gpu.global.cas.b32 %r5, [lock], 0, 1; setp.ne.u32 %p, %r5, 0; @%p bra W;\n"
		"atom.release.gpu.global.exch.b32 %r5, [lock], 0; @%odd bra A; mul.lo.u32 %r2, %x, 20;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2; bra E;\n"
		"A: mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1; E:\n" END, swapped },
	{ "a branch by what other lanes change", HEAD ".global .u32 lock, count;\n" START "W: atom.acquire.gpu.global.cas.b32 %r5, [lock], 0, 1; setp.ne.u32 %p, %r5, 0; @%p bra W;\n"
		"ld.volatile.global.u32 %r6, [count]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [count], %r6; membar.gl; atom.release.gpu.global.exch.b32 %r5, [lock], 0;\n"
		"ld.volatile.global.u32 %r6, [count]; and.b32 %r6, %r6, 1; setp.ne.u32 %p, %r6, 0; @%p bra A;\n" NEIGHBOUR("%r0", "%x") "bra E;\nA:\n" NEIGHBOUR("%r0", "%x") "E:\n" END, neighbours },
	{ "a branch by what other tiles change", HEAD ".global .u32 count;\n" START "and.b32 %r2, %l, 24; shl.b32 %r8, 255, %r2; shr.u32 %n, %l, 3;\n"
		"L: @%odd bra A; vote.sync.any.pred %c, %odd, %r8; bra J;\nA: vote.sync.any.pred %c, %odd, %r8;\nJ: sub.s32 %n, %n, 1; setp.ge.s32 %p, %n, 0; @%p bra L;\n"
		"and.b32 %r2, %l, 7; setp.eq.u32 %p, %r2, 0; @%p red.global.add.u32 [count], 1; membar.gl; ld.volatile.global.u32 %r6, [count]; and.b32 %r6, %r6, 1;\n"
		"setp.ne.u32 %p, %r6, 0; @%p bra B; shfl.sync.bfly.b32 %r0, %x, 8, 31, %m; bra E;\nB: shfl.sync.bfly.b32 %r0, %x, 8, 31, %m;\nE:\n" END, beyond_tile },
	{ "barriers of the block behind", HEAD START "@%odd bra A; mul.lo.u32 %r2, %x, 20;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 2; bra E;\n"
		"A: mul.lo.u32 %r2, %x, 10;\n" NEIGHBOUR("%r0", "%r2") "add.u32 %r0, %r0, 1; E: mov.u32 %r6, room; mad.lo.u32 %r7, %t, 4, %r6; st.shared.u32 [%r7], %r0; bar.sync 0;\n"
		"xor.b32 %r7, %t, 32; mad.lo.u32 %r7, %r7, 4, %r6; ld.shared.u32 %r0, [%r7];\n" END, told },
};

static int
check(const void *form_at, const char *chip, unsigned opt)
{
	const struct form *f = form_at;
	static const uint32_t all = UINT32_MAX;
	uint32_t in[N], out[N];
	unsigned row = f->means == between_rows ? 8 : N;
	char name[120];
	e2e_run r = { .chip = chip, .ptx = f->ptx, .kernel = "k", .opt = opt, .grid = { 1, 1, 1 }, .block = { row, N / row, 1 }, .in = in, .in_size = sizeof in,
		.out = out, .out_size = sizeof out, .extra = &all, .extra_size = sizeof all, .check = P2A_CHECK_ALL };

	for (uint32_t k = 0; k < N; k++)
		in[k] = (k * 2654435761u) >> 12;
	snprintf(name, sizeof name, "meet: %s, %s opt %u", f->name, chip, opt);
	if (e2e_launch(name, &r))
		return 1;
	for (int t = 0; t < N; t++)
		if (out[t] != f->means(in, t)) {
			printf("not ok %s: lane %d: got %u, should be %u\n", name, t, out[t], f->means(in, t));
			return 1;
		}
	return 0;
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		int now = e2e_everywhere(check, &forms[k]);

		if (!now)
			printf("ok meet: %s\n", forms[k].name);
		bad += now;
	}
	return bad != 0;
}
