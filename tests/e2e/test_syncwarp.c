/* test_syncwarp.c -- bar.warp.sync orders what the lanes of its mask do to memory (9.7.13.2): nothing is moved over it, and
 * lanes with one mask meet wherever in the code they wait. Expected values: each phase, for all lanes, after the other. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, WORDS = 2 * N, BEHIND = 8 /* words that the last lanes look at */ };

#define START ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n" \
	".reg .b32 %r<30>, %t, %s, %x, %m, %l, %b; .reg .b64 %i, %o, %q<5>; .reg .pred %p; .shared .align 16 .b8 room[2048];\n" \
	"ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %q1, %t, 8; add.u64 %i, %i, %q1; add.u64 %o, %o, %q1;\n" \
	"mov.u32 %s, room; mad.lo.u32 %s, %t, 16, %s; mov.u32 %r0, 0; st.shared.v4.u32 [%s], {%r0, %r0, %r0, %r0}; st.shared.v4.u32 [%s+64], {%r0, %r0, %r0, %r0}; bar.sync 0;\n" \
	"ld.global.u32 %x, [%i];\n"
/* The lanes of a tile of eight, and its first one's room. */
#define TILE "mov.u32 %l, %laneid; and.b32 %r1, %l, 24; mov.u32 %m, 255; shl.b32 %m, %m, %r1; and.b32 %r2, %t, 0xfffffff8;\n" \
	"mov.u32 %b, room; mad.lo.u32 %b, %r2, 16, %b; and.b32 %r3, %t, 7; setp.ne.u32 %p, %r3, 0;\n"
#define PUT(v, w) "st.global.v2.u32 [%o], {" v ", " w "};\n"
#define END "ret;\n}\n"

static uint32_t x_of(const uint32_t *in, int t) { return in[2 * t]; }
static bool in_warp(int t, int far) { return t / 32 == (t + far) / 32 && t + far < N; }

/* What lane t leaves: two words. A neighbour beyond the warp has no defined value: masked to 0 by the kernel. */
typedef void meaning(const uint32_t *in, int t, uint32_t out[2]);

static void
passed(const uint32_t *in, int t, uint32_t out[2])
{
	out[0] = in_warp(t, 1) ? x_of(in, t + 1) : 0;
	out[1] = in_warp(t, 2) ? x_of(in, t + 2) : 0;
}

static void
twice(const uint32_t *in, int t, uint32_t out[2])
{
	out[0] = in_warp(t, 1) ? x_of(in, t + 1) : 0;
	out[1] = in_warp(t, 1) ? x_of(in, t + 1) + 1 : 0;
}

static void
produced(const uint32_t *in, int t, uint32_t out[2])
{
	out[0] = t % 8 ? 3 * x_of(in, t - t % 8) : 7;
	out[1] = x_of(in, t);
}

static void
returned(const uint32_t *in, int t, uint32_t out[2])
{
	out[0] = t % 8 ? 9 : 0;
	for (int k = 1; k < 8 && t % 8 == 0; k++)
		out[0] += x_of(in, t) + (uint32_t)(t + k);
	out[1] = x_of(in, t);
}

static void
swapped(const uint32_t *in, int t, uint32_t out[2])
{
	out[0] = x_of(in, t ^ 1);
	out[1] = t & 1;
}

#define INSIDE(limit, r) "and.b32 %l, %t, 31; setp.lt.u32 %p, %l, " limit "; selp.b32 " r ", " r ", 0, %p;\n"
static const struct form { const char *name, *ptx; meaning *means; } forms[] = {
	{ "what neighbours stored", START "st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [%s+16]; ld.shared.u32 %r2, [%s+32];\n"
		INSIDE("31", "%r1") INSIDE("30", "%r2") PUT("%r1", "%r2") END, passed },
	{ "two stores, a load between", START "st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [%s+16]; bar.warp.sync 0xffffffff;\n"
		"add.u32 %x, %x, 1; st.shared.u32 [%s+4], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r2, [%s+20];\n" INSIDE("31", "%r1") INSIDE("31", "%r2") PUT("%r1", "%r2") END, twice },
	{ "one place twice", START "st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [%s+16]; bar.warp.sync 0xffffffff;\n"
		"add.u32 %x, %x, 1; st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r2, [%s+16];\n" INSIDE("31", "%r1") INSIDE("31", "%r2") PUT("%r1", "%r2") END, twice },
	{ "through global memory", START "st.global.u32 [%o], %x; bar.warp.sync 0xffffffff; ld.global.u32 %r1, [%o+8]; ld.global.u32 %r2, [%o+16]; bar.sync 0;\n"
		INSIDE("31", "%r1") INSIDE("30", "%r2") PUT("%r1", "%r2") END, passed },
	{ "a tile's producer and consumers", START TILE "@%p bra C; mul.lo.u32 %r4, %x, 3; st.shared.u32 [%b], %r4; bar.warp.sync %m; mov.u32 %r5, 7; bra E;\n"
		"C: bar.warp.sync %m; ld.shared.u32 %r5, [%b]; E:\n" PUT("%r5", "%x") END, produced },
	{ "consumers first in the text", START TILE "@!%p bra C; bar.warp.sync %m; ld.shared.u32 %r5, [%b]; bra E;\n"
		"C: mul.lo.u32 %r4, %x, 3; st.shared.u32 [%b], %r4; bar.warp.sync %m; mov.u32 %r5, 7; E:\n" PUT("%r5", "%x") END, produced },
	{ "there and back", START TILE "@%p bra C; st.shared.u32 [%b], %x; bar.warp.sync %m; bar.warp.sync %m; mov.u32 %r5, 0; mov.u32 %r6, 1;\n"
		"L: mad.lo.u32 %r7, %r6, 16, %b; ld.shared.u32 %r8, [%r7]; add.u32 %r5, %r5, %r8; add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 8; @%p bra L; bra E;\n"
		"C: bar.warp.sync %m; ld.shared.u32 %r8, [%b]; add.u32 %r8, %r8, %t; st.shared.u32 [%s], %r8; bar.warp.sync %m; mov.u32 %r5, 9; E:\n" PUT("%r5", "%x") END, returned },
	{ "odd and even lanes apart", START "and.b32 %r1, %t, 1; setp.ne.u32 %p, %r1, 0; xor.b32 %r2, %t, 1; mov.u32 %b, room; mad.lo.u32 %b, %r2, 16, %b;\n"
		"@%p bra C; st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r5, [%b]; bra E;\n"
		"C: st.shared.u32 [%s], %x; bar.warp.sync 0xffffffff; ld.shared.u32 %r5, [%b]; E:\n" PUT("%r5", "%r1") END, swapped },
};

static int
check(const void *form_at, const char *chip, unsigned opt)
{
	const struct form *f = form_at;
	uint32_t in[WORDS], out[WORDS + BEHIND], want[2];
	char name[120];
	e2e_run r = { .chip = chip, .ptx = f->ptx, .kernel = "k", .opt = opt, .grid = { 1, 1, 1 }, .block = { N, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = out, .out_size = sizeof out, .check = P2A_CHECK_ALL };

	for (int k = 0; k < WORDS; k++)
		in[k] = 1000u + 77u * (uint32_t)k;
	snprintf(name, sizeof name, "syncwarp %s, %s opt %u", f->name, chip, opt);
	if (e2e_launch(name, &r))
		return 1;
	for (int t = 0; t < N; t++) {
		f->means(in, t, want);
		if (memcmp(want, &out[2 * t], sizeof want)) {
			printf("not ok %s: lane %d: got %u %u, should be %u %u\n", name, t, out[2 * t], out[2 * t + 1], want[0], want[1]);
			return 1;
		}
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
			printf("ok syncwarp %s\n", forms[k].name);
		bad += now;
	}
	return bad != 0;
}
