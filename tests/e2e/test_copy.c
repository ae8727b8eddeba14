/* test_copy.c -- cp.async, vectors of atom and red, messages between blocks, addresses that ask about themselves,
 * st.bulk.
 * cp.async: every size, alignment 16, src-size from none to all at the very end of a buffer (the emulator stops a read beyond),
 * ignored sources, guards. Messages: block 0 writes, releases a flag; the others acquire it and read.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.19, 9.7.9.13, 9.7.9.23 - 9.7.9.25, 9.7.13.5, 8. */
#include "forms.h"
#include "fpref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = { "gfx90a", "gfx1100", "gfx1200", "gfx1030", "gfx900", "gfx942", "gfx1010", "gfx908" };
#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n"
#define START ".reg .b16 %h<18>; .reg .b32 %r<20>, %me; .reg .b64 %rd<12>, %in, %out, %at; .reg .f32 %f<9>; .reg .pred %p<4>;\n" \
	"ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %me, %tid.x;\n"

static int
run(const char *name, const char *chip, const char *ptx, uint32_t grid, uint32_t block, const void *in, size_t in_size, void *out, size_t out_size)
{
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "k", .grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .in = in, .in_size = in_size, .out = out,
		.out_size = out_size };

	return e2e_launch(name, &r);
}

/* ---- cp.async ---- */

enum { LANES = 64, SLOT = 16 };
static const struct async { const char *text; int bytes, how; } asyncs[] = {
	/* how: 0 all, 1 src-size in %r1, 2 ignored where %p1, 3 guarded by %p1, 4 src-size 5 */
	{ "cp.async.ca.shared.global [%r0], [%rd0], 4;", 4, 0 },
	{ "cp.async.ca.shared::cta.global [%r0], [%rd0], 8;", 8, 0 },
	{ "cp.async.ca.shared.global.L2::128B [%r0], [%rd0], 16;", 16, 0 },
	{ "cp.async.cg.shared.global [%r0], [%rd0], 16;", 16, 0 },
	{ "cp.async.cg.shared.global.L2::cache_hint.L2::256B [%r0], [%rd0], 16, %rd5;", 16, 0 },
	{ "cp.async.ca.shared.global [%r0], [%rd0], 4, %r1;", 4, 1 },
	{ "cp.async.ca.shared.global [%r0], [%rd0], 8, %r1;", 8, 1 },
	{ "cp.async.ca.shared.global [%r0], [%rd0], 16, %r1;", 16, 1 },
	{ "cp.async.cg.shared.global [%r0], [%rd0], 16, %r1;", 16, 1 },
	{ "cp.async.cg.shared.global.L2::cache_hint [%r0], [%rd0], 16, %r1, %rd5;", 16, 1 },
	{ "cp.async.ca.shared.global [%r0], [%rd0], 8, 5;", 8, 4 },
	{ "cp.async.ca.shared.global [%r0], [%rd0], 4, %p1;", 4, 2 },
	{ "cp.async.cg.shared.global [%r0], [%rd0], 16, !%p2;", 16, 2 },
	{ "@!%p1 cp.async.ca.shared.global [%r0], [%rd0], 8;", 8, 3 },
};
enum { NASYNC = sizeof asyncs / sizeof *asyncs };

/* The last bytes of the buffer, or of nothing, its end. */
static void
expected(const struct async *a, int k, const uint8_t *data, int size, uint8_t want[SLOT])
{
	int n = a->how == 1 ? k % (a->bytes + 1) : a->how == 4 ? 5 : a->how == 2 && k % 3 == 0 ? 0 : a->bytes;

	memset(want, 0xee, SLOT);
	if (a->how == 3 && k % 3 == 0)
		return;
	memset(want, 0, (size_t)a->bytes);
	memcpy(want, data + size - a->bytes, (size_t)n);
}

static int
copies(const char *chip)
{
	int bad = 0;

	for (int i = 0; i < NASYNC; i++) {
		const struct async *a = &asyncs[i];
		uint8_t data[256], out[LANES][SLOT], want[SLOT];
		int size = (int)sizeof data;
		text t = { 0 };

		for (int k = 0; k < size; k++)
			data[k] = (uint8_t)(k * 7 + 1);
		text_add(&t, "%s", HEAD "{\n" START);
		text_add(&t, ".shared .align 16 .b8 room[%d];\ncreatepolicy.fractional.L2::evict_first.b64 %%rd5, 0f3f800000;\n"
		         "mov.u32 %%r0, room; mad.lo.u32 %%r0, %%me, %d, %%r0; mov.u32 %%r2, 0xeeeeeeee; st.shared.v4.u32 [%%r0], {%%r2, %%r2, %%r2, %%r2};\n"
		         "rem.u32 %%r1, %%me, %d; rem.u32 %%r3, %%me, 3; setp.eq.u32 %%p1, %%r3, 0; not.pred %%p2, %%p1;\n", LANES * SLOT, SLOT, a->bytes + 1);
		if (a->how == 1)
			text_add(&t, "setp.eq.u32 %%p3, %%r1, 0; selp.b64 %%rd1, %d, %d, %%p3; add.u64 %%rd0, %%in, %%rd1;\n", size, size - a->bytes);
		else
			text_add(&t, "add.u64 %%rd0, %%in, %d;\n", size - a->bytes);
		text_add(&t, "%s\ncp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r0];\n"
		         "mul.wide.u32 %%at, %%me, %d; add.u64 %%out, %%out, %%at; st.global.v4.u32 [%%out], {%%r4, %%r5, %%r6, %%r7}; ret;\n}\n", a->text, SLOT);
		if (run(a->text, chip, t.s, 1, LANES, data, sizeof data, out, sizeof out)) {
			bad = 1;
			free(t.s);
			continue;
		}
		for (int k = 0; k < LANES && !bad; k++) {
			expected(a, k, data, size, want);
			if (memcmp(out[k], want, SLOT)) {
				printf("not ok %s on %s: lane %d:", a->text, chip, k);
				for (int b = 0; b < SLOT; b++)
					printf(" %02x/%02x", out[k][b], want[b]);
				printf("\n");
				bad = 1;
			}
		}
		free(t.s);
	}
	return bad;
}

/* src-size beyond which nothing may be read: the bytes behind it are outside of the buffer. */
static int
short_source(const char *chip)
{
	static const char code[] = HEAD "{\n" START ".shared .align 16 .b8 room[16];\n"
		"mov.u32 %r0, room; ld.global.u8 %r1, [%in]; cp.async.cg.shared.global [%r0], [%in], 16, %r1; cp.async.wait_all;\n"
		"ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r0]; st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7}; ret;\n}\n";
	uint8_t data[6] = { 6, 1, 2, 3, 4, 5 }, out[16], want[16] = { 6, 1, 2, 3, 4, 5 };

	if (run("short source", chip, code, 1, 1, data, sizeof data, out, sizeof out))
		return 1;
	if (memcmp(out, want, 16))
		return printf("not ok short source on %s\n", chip), 1;
	return 0;
}

/* Many copies under way, their address registers changed meanwhile; a guard, a jump, a label, a store to the same place between.
 * Lane 1 leaves three copies out. */
static int
many(const char *chip)
{
	enum { N = 14, M = 2 };
	uint32_t in[4 * N + 4], out[M * 4 * N], want[M * 4 * N];
	text t = { 0 };
	int bad;

	for (uint32_t i = 0; i < 4 * N + 4; i++)
		in[i] = i * 0x01010101 + 7;
	for (int k = 0; k < M; k++) {
		uint32_t *w = want + k * 4 * N;

		memcpy(w, in, 4 * N * 4);
		w[4 * 3] = 0xabcd;                      /* stored behind the copy */
		memcpy(w + 4 * 6, in + 4 * N, 16);      /* copied over the copy before */
	}
	memset(want + 4 * (N + 5), 0, 16);
	memset(want + 4 * (N + 9), 0, 32);
	text_add(&t, "%s", HEAD "{\n" START ".shared .align 16 .b8 room[448];\nmov.u32 %r1, room; mad.lo.u32 %r0, %me, 224, %r1; mov.u32 %r8, %r0;\n"
	         "mov.u64 %rd0, %in; setp.eq.u32 %p1, %me, 0; mul.wide.u32 %at, %me, 224; add.u64 %out, %out, %at; mov.u32 %r5, 0;\n");
	for (int i = 0; i < N; i++)
		text_add(&t, "st.shared.v4.u32 [%%r0+%d], {%%r5, %%r5, %%r5, %%r5};\n", 16 * i);
	for (int i = 0; i < N; i++) {
		text_add(&t, "%scp.async.cg.shared.global [%%r0], [%%rd0], 16%s;\n", i == 5 ? "@%p1 " : i == 9 ? "@!%p1 bra skip;\n" : "", i == 2 ? ", 16" : "");
		if (i == 3)
			text_add(&t, "mov.u32 %%r5, 0xabcd; st.shared.u32 [%%r0], %%r5;\n");
		if (i == 6)
			text_add(&t, "cp.async.cg.shared.global [%%r8+%d], [%%in+%d], 16;\n", 16 * 6, 16 * N);
		if (i == 10)
			text_add(&t, "skip:\n");
		text_add(&t, "add.u32 %%r0, %%r8, %d; add.u64 %%rd0, %%in, %d;\n", 16 * i + 16, 16 * i + 16);
	}
	text_add(&t, "cp.async.commit_group; cp.async.wait_all;\n");
	for (int i = 0; i < N; i++)
		text_add(&t, "ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r8+%d]; st.global.v4.u32 [%%out+%d], {%%r4, %%r5, %%r6, %%r7};\n", 16 * i, 16 * i);
	text_add(&t, "ret;\n}\n");
	bad = run("many copies", chip, t.s, 1, M, in, sizeof in, out, sizeof out);
	for (int i = 0; i < M * 4 * N && !bad; i++)
		if (out[i] != want[i]) {
			printf("not ok many copies on %s: word %d: %#x, should be %#x\n", chip, i, out[i], want[i]);
			bad = 1;
		}
	free(t.s);
	return bad;
}

/* ---- vectors of atom and red ---- */

static int
vectors(const char *chip)
{
	static const char code[] = HEAD "{\n" START
		"add.u64 %rd1, %out, 256; mul.wide.u32 %at, %me, 32;\n"
		/* 0: v2.f32, 8: v4.f32 from 16, 32: v8.f16, 48: v4.bf16x2, then min and max */
		"mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;\n"
		"atom.global.add.v2.f32 {%f5, %f6}, [%out], {%f1, %f2}; setp.ne.u32 %p1, %me, 5;\n"
		"@%p1 red.relaxed.gpu.global.add.v4.f32 [%out+16], {%f1, %f2, %f3, %f4};\n"
		"mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; cvt.u16.u32 %h3, %me;\n"
		"atom.global.add.noftz.v8.f16 {%h8, %h9, %h10, %h11, %h12, %h13, %h14, %h15}, [%out+32], {%h1, %h1, %h2, %h2, %h1, %h1, %h2, %h1};\n"
		"mov.b32 %r1, 0x3f803f80; red.global.add.noftz.v4.bf16x2 [%out+48], {%r1, %r1, %r1, %r1};\n"
		"add.u16 %h4, %h3, 0x4000; sub.u16 %h5, 0x5000, %h3;\n"
		"red.global.max.noftz.v2.f16 [%out+64], {%h4, %h5}; red.global.min.noftz.v4.bf16 [%out+72], {%h5, %h5, %h4, %h4};\n"
		"mov.b32 %r2, {%h4, %h5}; atom.global.max.noftz.v2.bf16x2 {%r3, %r4}, [%out+80], {%r2, %r2};\n"
		"add.u64 %rd1, %rd1, %at; st.global.v2.f32 [%rd1], {%f5, %f6}; st.global.v4.b16 [%rd1+8], {%h8, %h9, %h10, %h11};\n"
		"st.global.v4.b16 [%rd1+16], {%h12, %h13, %h14, %h15}; st.global.v2.b32 [%rd1+24], {%r3, %r4}; ret;\n}\n";
	enum { N = 40 };
	struct { float f[8]; uint16_t h[8], bf[8], more[16], pad[80]; struct { float f[2]; uint16_t h[8]; uint32_t r[2]; } lane[N]; } out;
	static const float each[8] = { 1, 2, 0, 0, 1, 2, 3, 4 };
	static const int half[8] = { 1, 1, 2, 2, 1, 1, 2, 1 };
	uint64_t seen = 0;
	uint32_t zero = 0;
	int bad = 0;

	if (run("vectors", chip, code, 1, N, &zero, 4, &out, sizeof out))
		return 1;
	for (int i = 0; i < 8; i++) {
		bad |= out.f[i] != each[i] * (float)(i < 4 ? N : N - 1);
		bad |= fp_value(out.h[i], 16) != half[i] * N;
		bad |= out.bf[i] != (fp_rounded(N, 32, FP_RN) >> 16);
	}
	/* max of 0x4000 + k, of 0x5000 - k with 0; min of numbers above 0 with 0 */
	bad |= out.more[0] != 0x4000 + N - 1 || out.more[1] != 0x5000 || out.more[4] || out.more[5] || out.more[6] || out.more[7];
	bad |= out.more[8] != 0x4000 + N - 1 || out.more[9] != 0x5000 || out.more[10] != 0x4000 + N - 1 || out.more[11] != 0x5000;
	/* one lane saw each value of the counter */
	for (int k = 0; k < N; k++) {
		seen |= 1ull << (int)out.lane[k].f[0];
		bad |= out.lane[k].f[1] != 2 * out.lane[k].f[0];
		for (int i = 1; i < 8; i++)
			bad |= fp_value(out.lane[k].h[i], 16) != half[i] * fp_value(out.lane[k].h[0], 16);
	}
	bad |= seen != (1ull << N) - 1;
	if (bad)
		printf("not ok vectors of atom and red on %s\n", chip);
	return bad;
}

/* ---- messages ---- */

enum { BLOCKS = 6, WORDS = 64 };
typedef struct message { const char *name, *send, *receive; } message;
/* send: the flag at %rd1 becomes 1 in one thread; receive: %r5 is the flag, until it is not 0. */
static const message messages[] = {
	{ "st.release, ld.acquire", "st.release.gpu.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r5, [%rd1];" },
	{ "system scope", "st.release.sys.u32 [%rd1], 1;", "ld.acquire.sys.u32 %r5, [%rd1];" },
	{ "fence, volatile", "fence.acq_rel.gpu; st.volatile.global.u32 [%rd1], 1;", "ld.volatile.global.u32 %r5, [%rd1]; fence.acq_rel.gpu;" },
	{ "membar", "membar.gl; st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r5, [%rd1]; membar.gl;" },
	{ "membar.sys, mmio", "membar.sys; st.mmio.relaxed.sys.global.u32 [%rd1], 1;", "ld.mmio.relaxed.sys.global.u32 %r5, [%rd1]; membar.sys;" },
	{ "fence.release, fence.acquire", "fence.release.gpu; st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r5, [%rd1]; fence.acquire.gpu;" },
	{ "exchange", "atom.release.gpu.global.exch.b32 %r5, [%rd1], 1;", "atom.acquire.gpu.global.or.b32 %r5, [%rd1], 0;" },
	{ "red", "red.release.cluster.global.add.u32 [%rd1], 1;", "atom.acq_rel.sys.global.cas.b32 %r5, [%rd1], 1, 1;" },
	{ "fence.sc", "fence.sc.sys; st.relaxed.sys.global.u32 [%rd1], 1;", "ld.relaxed.sys.global.u32 %r5, [%rd1]; fence.sc.sys; fence.proxy.async; fence.proxy.alias;" },
};

static int
send(const char *chip, const message *m)
{
	text t = { 0 };
	uint32_t in[WORDS], out[BLOCKS][WORDS];
	int bad = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = i * 77 + 5;
	text_add(&t, "%s", ".version 8.6\n.target sm_90\n.address_size 64\n.global .u32 data[64], flag;\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n" START);
	text_add(&t, "mul.wide.u32 %%at, %%me, 4; add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at; mov.u64 %%rd0, data; add.u64 %%rd0, %%rd0, %%at;\n"
	         "mov.u64 %%rd1, flag; mov.u32 %%r0, %%ctaid.x; mul.wide.u32 %%at, %%r0, %d; add.u64 %%out, %%out, %%at; setp.ne.u32 %%p1, %%r0, 0;\n"
	         "setp.ne.u32 %%p2, %%me, 0; @%%p1 bra receive;\n"
	         "ld.global.u32 %%r1, [%%in]; st.global.u32 [%%rd0], %%r1; bar.sync 0; @%%p2 bra sent; %s\nsent: bra done;\n"
	         "receive: @%%p2 bra received;\nspin: %s\nsetp.eq.u32 %%p3, %%r5, 0; @%%p3 bra spin;\n"
	         "received: bar.sync 0;\ndone: ld.global.u32 %%r1, [%%rd0]; st.global.u32 [%%out], %%r1; ret;\n}\n", WORDS * 4, m->send, m->receive);
	bad = run(m->name, chip, t.s, BLOCKS, WORDS, in, sizeof in, out, sizeof out);
	for (int b = 0; b < BLOCKS && !bad; b++)
		if (memcmp(out[b], in, sizeof in)) {
			printf("not ok message by %s on %s: block %d did not get it\n", m->name, chip, b);
			bad = 1;
		}
	free(t.s);
	return bad;
}

/* ---- addresses ---- */

static int
addresses(const char *chip)
{
	static const char code[] = ".version 8.6\n.target sm_90\n.address_size 64\n.const .u32 c0 = 1; .const .align 8 .b8 c1[20];\n"
		".visible .entry k(.param .u64 in, .param .u64 out, .param .align 8 .b8 block[24])\n{\n" START
		".shared .u32 s[4]; .local .u32 l[4]; .reg .b64 %a<6>;\n"
		"cvta.shared.u64 %a0, s; cvta.local.u64 %a1, l; mov.u64 %a2, %in; cvta.param.u64 %a3, block; add.u64 %a3, %a3, 23; add.u64 %a4, %a3, 1;\n"
		"mov.u32 %r0, 0;\n"
#define ASK(space, a, bit) "isspacep." space " %p1, %a" a "; selp.u32 %r1, " bit ", 0, %p1; or.b32 %r0, %r0, %r1;\n"
		ASK("shared", "0", "1") ASK("shared", "1", "2") ASK("shared::cta", "2", "4") ASK("local", "0", "8") ASK("local", "1", "0x10")
		ASK("local", "2", "0x20") ASK("global", "0", "0x40") ASK("global", "1", "0x80") ASK("global", "2", "0x100") ASK("param", "3", "0x200")
		ASK("param", "4", "0x400") ASK("param", "2", "0x800") ASK("param::entry", "0", "0x1000") ASK("global", "3", "0x2000")
		ASK("shared::cluster", "0", "0x4000")
		"cvta.const.u64 %a0, c1; cvta.const.u64 %a5, c0; add.u64 %a4, %a0, 19;\n"
		ASK("const", "0", "0x8000") ASK("const", "4", "0x10000") ASK("const", "5", "0x20000") ASK("const", "2", "0x40000")
		ASK("global", "5", "0x80000") "add.u64 %a5, %a0, 0x4000000; cvta.shared.u64 %a0, s;\n" ASK("const", "0", "0x100000") ASK("const", "5", "0x200000")
		"st.global.u32 [%out], %r0;\n"
		"mov.u32 %r2, s; mov.u32 %r3, 0; mapa.shared::cluster.u32 %r4, %r2, %r3; sub.u32 %r4, %r4, %r2; st.global.u32 [%out+4], %r4;\n"
		"mapa.u64 %rd4, %a0, 0; sub.u64 %rd4, %rd4, %a0; st.global.u64 [%out+8], %rd4; getctarank.u64 %r5, %a0; st.global.u32 [%out+16], %r5;\n"
		"getctarank.shared::cluster.u32 %r5, %r2; st.global.u32 [%out+20], %r5; createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd5, [%in], 4, 8;\n"
		"ld.global.L2::cache_hint.u32 %r6, [%in], %rd5; st.global.u32 [%out+24], %r6; createpolicy.cvt.L2.b64 %rd5, %rd4;\n"
		"prefetch.global.L1 [%in]; prefetch.local.L2 [l]; prefetchu.L1 [%a0]; prefetch.global.L2::evict_last [%in]; applypriority.global.L2::evict_normal [%in], 128;\n"
		"discard.global.L2 [%in], 128; ret;\n}\n";
	uint32_t in = 99, out[7], want[7] = { 1 | 0x10 | 0x100 | 0x200 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000, 0, 0, 0, 0, 0, 99 };
	e2e_run r = { .chip = chip, .ptx = code, .kernel = "k", .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .in = &in, .in_size = 4, .out = out, .out_size = sizeof out,
		.extra = (uint8_t[24]){ 0 }, .extra_size = 24 };

	if (e2e_launch("addresses", &r))
		return 1;
	if (memcmp(out, want, sizeof want))
		return printf("not ok addresses on %s: %#x %#x %#x %#x %#x %#x %#x\n", chip, out[0], out[1], out[2], out[3], out[4], out[5], out[6]), 1;
	return 0;
}

/* ---- st.bulk ---- */

/* Each lane has 64 bytes of ones in shared memory; of them 8 * (lane % 7) bytes become zeros from byte 8 * (lane % 3) on, in lanes of
 * odd number by the generic address and once more 16 bytes from byte 48 on if the lane can be divided by 5. */
static int
bulk(const char *chip)
{
	static uint64_t out[LANES][8];
	text t = { 0 };
	int bad;

	text_add(&t, "%s{ .shared .align 8 .b8 room[4096];\n%s", HEAD, START);
	text_add(&t, "shl.b32 %%r0, %%me, 6; mov.u32 %%r1, room; add.u32 %%r0, %%r0, %%r1; mul.wide.u32 %%at, %%me, 64; add.u64 %%out, %%out, %%at; mov.u64 %%rd9, -1;\n");
	for (int i = 0; i < 8; i++)
		text_add(&t, "st.shared.u64 [%%r0+%d], %%rd9;\n", 8 * i);
	text_add(&t, "rem.u32 %%r2, %%me, 7; shl.b32 %%r2, %%r2, 3; cvt.u64.u32 %%rd1, %%r2; rem.u32 %%r3, %%me, 3; shl.b32 %%r3, %%r3, 3; add.u32 %%r4, %%r0, %%r3;\n"
	         "cvt.u64.u32 %%rd2, %%r4; cvta.shared.u64 %%rd2, %%rd2; and.b32 %%r5, %%me, 1; setp.eq.u32 %%p1, %%r5, 1; rem.u32 %%r5, %%me, 5; setp.eq.u32 %%p2, %%r5, 0;\n"
	         "@%%p1 st.bulk [%%rd2], %%rd1, 0;\n@!%%p1 st.bulk.weak.shared::cta [%%r4], %%rd1, 0;\n@%%p2 st.bulk.shared::cta [%%r0+48], 16, 0;\n");
	for (int i = 0; i < 8; i++)
		text_add(&t, "ld.shared.u64 %%rd3, [%%r0+%d]; st.global.u64 [%%out+%d], %%rd3;\n", 8 * i, 8 * i);
	text_add(&t, "ret; }\n");
	bad = run("st.bulk", chip, t.s, 1, LANES, out, 8, out, sizeof out);
	for (int l = 0; l < LANES && !bad; l++)
		for (int i = 0; i < 8 && !bad; i++) {
			bool zero = (i >= l % 3 && i < l % 3 + l % 7) || (l % 5 == 0 && i >= 6);

			if (out[l][i] != (zero ? 0 : UINT64_MAX))
				bad = printf("not ok st.bulk on %s: lane %d, byte %d\n", chip, l, 8 * i);
		}
	free(t.s);
	return !!bad;
}

int
main(void)
{
	int bad = 0;

	for (const char *const *c = e2e_on(chips, e2e_quick() ? 3 : sizeof chips / sizeof *chips); *c; c++) {
		int wrong = copies(*c) | short_source(*c) | many(*c) | vectors(*c) | addresses(*c) | bulk(*c);

		for (size_t m = 0; m < sizeof messages / sizeof *messages; m++)
			wrong |= send(*c, &messages[m]);
		if (!wrong)
			printf("ok copies, vectors, messages and addresses on %s\n", *c);
		fflush(stdout);
		bad |= wrong;
	}
	return bad;
}
