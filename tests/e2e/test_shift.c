/* test_shift.c -- 64-bit shifts by constants, which of them become such late, as results of bit fields, of values of which a
 * half is known: a sum of its own widened with zeros or its sign, in the high half, with ones, whole; and by counts of lanes that are at
 * least 32. At all levels, against the host. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, VALUES = 5, OPS = 3, COUNTS = 9, SLOTS = VALUES * OPS * COUNTS };
enum { OF_LANE = 256 };     /* 32..63 */
static const unsigned counts[COUNTS] = { 0, 1, 31, 32, 33, 63, 64, 40, OF_LANE };
static const char *const ops[OPS] = { "shl.b64", "shr.u64", "shr.s64" };
static const char *const made[VALUES] = { "cvt.u64.u32 %x, %w;", "cvt.s64.s32 %x, %w;", "mov.b64 %x, {0, %w};",
	"mov.b64 %x, {%w, -1};", "mov.b64 %x, {%w, %n};" };

static uint64_t
value(unsigned k, uint32_t lane, unsigned slot)
{
	uint32_t v = 0x80000000u * (lane & 1) + lane + 77 + slot, n = ~v;

	switch (k) {
	case 0: return v;
	case 1: return (uint64_t)(int64_t)(int32_t)v;
	case 2: return (uint64_t)v << 32;
	case 3: return v | 0xffffffffull << 32;
	default: return v | (uint64_t)n << 32;
	}
}

static uint64_t
shifted(unsigned op, uint64_t x, unsigned n)
{
	if (op == 2)
		return (uint64_t)((int64_t)x >> (n > 63 ? 63 : n));
	return n > 63 ? 0 : op ? x >> n : x << n;
}

/* The count 0 is a field of what is known to be zero there; others are plain numbers, or what bfi keeps of one. */
static void
write_kernel(text *t)
{
	text_add(t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %%t, %%v, %%w, %%n, %%c, %%k; .reg .b64 %%x, %%y, %%out, %%d;\n"
		"ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%d, %%t, %d; add.u64 %%out, %%out, %%d;\n"
		"shl.b32 %%v, %%t, 31; add.u32 %%v, %%v, %%t;\n", 8 * SLOTS);
	for (unsigned s = 0; s < SLOTS; s++) {
		unsigned n = counts[s % COUNTS];

		if (n == OF_LANE)
			text_add(t, "and.b32 %%k, %%t, 31; or.b32 %%c, %%k, 32; ");
		else if (n)
			text_add(t, s & 1 ? "mov.u32 %%c, %u; " : "mov.u32 %%k, %u; bfi.b32 %%c, %%t, %%k, 5, 0; ", n);
		else
			text_add(t, "and.b32 %%k, %%t, 15; bfe.s32 %%c, %%k, 19, %%t; ");
		text_add(t, "add.u32 %%w, %%v, %u; not.b32 %%n, %%w; ", 77 + s);
		text_add(t, "%s %s %%y, %%x, %%c; st.global.u64 [%%out+%u], %%y;\n", made[s / COUNTS / OPS], ops[s / COUNTS % OPS], 8 * s);
	}
	text_add(t, "ret;\n}\n");
}

static int
check(const void *ptx, const char *chip, unsigned opt)
{
	static uint64_t out[LANES][SLOTS];
	char name[64];
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "k", .opt = opt, .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .in = &r, .in_size = 8,
		.out = out, .out_size = sizeof out, .check = P2A_CHECK_ALL };

	snprintf(name, sizeof name, "shift %s opt %u", chip, opt);
	memset(out, 0, sizeof out);
	if (e2e_launch(name, &r))
		return 1;
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned s = 0; s < SLOTS; s++) {
			unsigned n = counts[s % COUNTS], op = s / COUNTS % OPS, k = s / COUNTS / OPS;
			uint64_t wanted = shifted(op, value(k, lane, s), n == OF_LANE ? 32 | (lane & 31) : n);

			if (out[lane][s] == wanted)
				continue;
			printf("not ok %s: %s of '%s' by %u, lane %u: %llx instead of %llx\n", name, ops[op], made[k], n, lane,
			       (unsigned long long)out[lane][s], (unsigned long long)wanted);
			return 1;
		}
	printf("ok %s\n", name);
	return 0;
}

int
main(void)
{
	text t = { 0 };
	int bad;

	write_kernel(&t);
	bad = e2e_everywhere(check, t.s);
	free(t.s);
	return bad != 0;
}
