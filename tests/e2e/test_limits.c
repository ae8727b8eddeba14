/* test_limits.c -- launches at the limits of PTX and of the device, and just past them: threads of a block, blocks of
 * a grid in each dimension, shared memory. Past them they must be refused, and the device must work on.
 * PTX manual, "Compute capabilities" of CUDA; HSA runtime specification 2.9. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>

static const char ptx[] = ".version 8.6\n.target sm_90\n.address_size 64\n"
	/* every thread of every block adds one to the word of its number */
	".visible .entry mark(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<20>; .reg .b64 %out, %at;\nld.param.u64 %out, [out];\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;\n"
	"mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z; mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;\n"
	"mad.lo.u32 %r11, %r8, %r10, %r7; mad.lo.u32 %r11, %r11, %r9, %r6; mul.lo.u32 %r12, %r3, %r4; mul.lo.u32 %r13, %r12, %r5;\n"
	"mad.lo.u32 %r14, %r2, %r4, %r1; mad.lo.u32 %r14, %r14, %r3, %r0; mad.lo.u32 %r14, %r11, %r13, %r14;\n"
	"mul.wide.u32 %at, %r14, 4; add.u64 %at, %out, %at; red.global.add.u32 [%at], 1; ret;\n}\n"
	/* writes all shared memory, static and dynamic, and sums it backwards */
	".extern .shared .align 16 .b8 more[];\n"
	".visible .entry fill(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<20>; .reg .b64 %out, %at; .reg .pred %p; .shared .align 16 .b8 own[16384];\n"
	"ld.param.u64 %out, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %dynamic_smem_size; mov.u32 %r2, own; mov.u32 %r3, more; shl.b32 %r4, %r0, 2; mov.u32 %r5, %r4;\n"
	"A:\nadd.u32 %r6, %r2, %r5; st.shared.u32 [%r6], %r5; add.u32 %r5, %r5, 1024; setp.lt.u32 %p, %r5, 16384; @%p bra A;\nmov.u32 %r5, %r4;\n"
	"B:\nadd.u32 %r6, %r3, %r5; not.b32 %r7, %r5; st.shared.u32 [%r6], %r7; add.u32 %r5, %r5, 1024; setp.lt.u32 %p, %r5, %r1; @%p bra B;\nbar.sync 0;\n"
	"xor.b32 %r5, %r4, 1020; mov.u32 %r8, 0; mov.u32 %r9, %r5;\n"
	"C:\nadd.u32 %r6, %r2, %r5; ld.shared.u32 %r7, [%r6]; add.u32 %r8, %r8, %r7; add.u32 %r5, %r5, 1024; setp.lt.u32 %p, %r5, 16384; @%p bra C;\nmov.u32 %r5, %r9;\n"
	"D:\nadd.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6]; add.u32 %r8, %r8, %r7; add.u32 %r5, %r5, 1024; setp.lt.u32 %p, %r5, %r1; @%p bra D;\n"
	"mul.wide.u32 %at, %r0, 4; add.u64 %at, %out, %at; st.global.u32 [%at], %r8; ret;\n}\n";

static const struct shape { const char *name; uint32_t grid[3], block[3]; bool refused; } shapes[] = {
	{ "1024 threads in x", { 3, 1, 1 }, { 1024, 1, 1 }, false },
	{ "1024 threads in y", { 2, 2, 1 }, { 1, 1024, 1 }, false },
	{ "1024 threads in x and z", { 1, 1, 3 }, { 16, 1, 64 }, false },
	{ "1000 threads in three dimensions", { 2, 2, 2 }, { 10, 10, 10 }, false },
	{ "70,001 blocks in x", { 70001, 1, 1 }, { 1, 1, 1 }, false },
	{ "65,535 blocks in y", { 1, 65535, 1 }, { 1, 1, 1 }, false },
	{ "65,535 blocks in z", { 1, 1, 65535 }, { 1, 1, 1 }, false },
	{ "41 x 41 x 41 blocks", { 41, 41, 41 }, { 1, 1, 2 }, false },
	{ "1025 threads", { 1, 1, 1 }, { 1025, 1, 1 }, true },
	{ "2048 threads in two dimensions", { 1, 1, 1 }, { 2, 1024, 1 }, true },
	{ "2^32 threads in x", { 1u << 22, 1, 1 }, { 1024, 1, 1 }, true },
};

static int
shape_on(const struct shape *s, const char *chip)
{
	size_t n = s->refused ? 1 : (size_t)s->grid[0] * s->grid[1] * s->grid[2] * s->block[0] * s->block[1] * s->block[2];
	uint32_t zero = 0, *out = calloc(n, sizeof *out);
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "mark", .in = &zero, .in_size = 4, .out = out, .out_size = n * 4, .quiet = s->refused,
		.grid = { s->grid[0], s->grid[1], s->grid[2] }, .block = { s->block[0], s->block[1], s->block[2] } };
	int failed = e2e_launch(s->name, &r), bad = s->refused ? !failed : failed;

	if (s->refused && !failed)
		printf("not ok %s on %s: accepted\n", s->name, chip);
	for (size_t i = 0; i < n && !bad && !s->refused; i++)
		if (out[i] != 1) {
			printf("not ok %s on %s: thread %zu ran %u times\n", s->name, chip, i, out[i]);
			bad = 1;
		}
	free(out);
	return bad;
}

static int
shared_on(const char *chip, uint32_t dynamic, bool refused)
{
	enum { THREADS = 256, OWN = 16384 };
	uint32_t zero = 0, out[THREADS];
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "fill", .in = &zero, .in_size = 4, .out = out, .out_size = sizeof out, .shared = dynamic,
		.quiet = refused, .grid = { 2, 1, 1 }, .block = { THREADS, 1, 1 } };
	int failed = e2e_launch("shared memory", &r);

	if (refused && !failed)
		return printf("not ok shared memory on %s: %u bytes accepted\n", chip, OWN + dynamic), 1;
	for (uint32_t t = 0; t < THREADS && !failed; t++) {
		uint32_t sum = 0, first = t * 4 ^ 1020;

		for (uint32_t i = first; i < OWN; i += 1024)
			sum += i;
		for (uint32_t i = first; i < dynamic; i += 1024)
			sum += ~i;
		if (out[t] != sum)
			return printf("not ok shared memory on %s: thread %u: got %#x, should be %#x\n", chip, t, out[t], sum), 1;
	}
	return refused ? 0 : failed;
}

int
main(void)
{
	const char *const *on = e2e_on(e2e_chips, e2e_quick() ? 1 : 4);
	int bad = 0;

	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		int wrong = 0;

		for (const char *const *chip = on; *chip; chip++)
			wrong |= shape_on(&shapes[k], *chip);
		if (!wrong)
			printf("ok %s%s\n", shapes[k].name, shapes[k].refused ? " are refused" : "");
		bad |= wrong;
	}
	for (const char *const *chip = on; *chip; chip++) {
		int wrong = shared_on(*chip, 49152, false) | shared_on(*chip, 49156, true) | shared_on(*chip, 1024, false);

		if (!wrong)
			printf("ok shared memory to its end on %s\n", *chip);
		bad |= wrong;
	}
	return bad;
}
