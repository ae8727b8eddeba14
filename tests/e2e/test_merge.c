/* test_merge.c -- neighbouring accesses of memory made one: random straight programs of loads and stores of every width,
 * plain and volatile, atomics and barriers between, against the same program done step by step in C.
 * And small ones whose memory instructions, in order, are what the manuals' forms allow.
 * Each thread has an area of shared and one of global memory to itself. Its accesses go from a base, from one four bytes
 * farther (known to the compiler), and from one that a parameter moves (which may or may not name the same bytes). */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 32, AREA = 1536, OPS = 70, WORDS = 8, PAIRS = 4 };
enum { SHARED, GLOBAL };
enum { AT, AT_4, AT_MOVED };
typedef struct area { uint8_t m[2][AREA]; uint32_t r[WORDS]; uint64_t q[PAIRS]; } area; /* as the kernel writes it out */

/* One step. LOAD and STORE: n registers of 4 or 8 bytes from first on. */
typedef struct step {
	enum { LOAD, STORE, MIX, XOR, ADD, BARRIER, NSTEPS } what;
	unsigned space, base, n, first, second;
	bool wide, is_volatile;
	int offset;
} step;

static uint32_t
random32(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*s >> 33);
}

static step
random_step(uint64_t *s)
{
	static const uint8_t often[] = { LOAD, LOAD, LOAD, LOAD, STORE, STORE, STORE, MIX, MIX, XOR };
	uint32_t x = random32(s);
	step p = { .what = x % 31 == 0 ? BARRIER : x % 17 == 0 ? ADD : often[x % sizeof often] };
	unsigned bytes;

	p.space = random32(s) % 4 == 0 ? GLOBAL : SHARED;
	p.base = random32(s) % 4 == 0 ? AT_MOVED : random32(s) % 4 == 0 ? AT_4 : AT;
	p.wide = p.base != AT_4 && p.what < MIX && random32(s) % 3 == 0;
	p.n = p.base != AT_4 && p.what < MIX && random32(s) % 6 == 0 ? 2 : 1;
	p.is_volatile = p.what < MIX && random32(s) % 24 == 0;
	p.first = random32(s) % (p.wide ? PAIRS - p.n + 1 : WORDS - p.n + 1);
	p.second = random32(s) % PAIRS;
	bytes = p.n * (p.wide ? 8 : 4);
	/* Near each other, in two places, one of them far. */
	p.offset = (int)((random32(s) % 6 * bytes) + (random32(s) % 5 == 0 ? AREA / 2 + 320 : 0));
	return p;
}

/* ---- in C ---- */

static void
do_step(area *a, const step *p, int moved)
{
	uint8_t *at = a->m[p->space] + p->offset + (p->base == AT_4 ? 4 : p->base == AT_MOVED ? moved : 0);
	uint32_t w;

	switch (p->what) {
	case LOAD: memcpy(p->wide ? (void *)&a->q[p->first] : (void *)&a->r[p->first], at, p->n * (p->wide ? 8 : 4)); break;
	case STORE: memcpy(at, p->wide ? (void *)&a->q[p->first] : (void *)&a->r[p->first], p->n * (p->wide ? 8 : 4)); break;
	case MIX: a->r[p->first] = a->r[p->first] * 5 + (uint32_t)a->q[p->second]; break;
	case XOR: a->q[p->second] ^= (uint64_t)a->r[p->first] << 13; break;
	case ADD:
		memcpy(&w, at, 4);
		w += a->r[p->first];
		memcpy(at, &w, 4);
		a->r[p->first] = w - a->r[p->first];
		break;
	default: break;
	}
}

/* ---- in PTX ---- */

static void
write_registers(text *t, const step *p)
{
	const char *name = p->wide ? "q" : "r";

	if (p->n == 2)
		text_add(t, "{%%%s%u, %%%s%u}", name, p->first, name, p->first + 1);
	else
		text_add(t, "%%%s%u", name, p->first);
}

static void
write_step(text *t, const step *p)
{
	static const char *const base[2][3] = { { "%s", "%s4", "%sm" }, { "%g", "%g4", "%gm" } };
	static const char *const space[2] = { "shared", "global" };
	const char *vec = p->n == 2 ? ".v2" : "", *type = p->wide ? "b64" : "b32", *vol = p->is_volatile ? ".volatile" : "";

	switch (p->what) {
	case LOAD:
		text_add(t, "ld%s.%s%s.%s ", vol, space[p->space], vec, type);
		write_registers(t, p);
		text_add(t, ", [%s+%d];\n", base[p->space][p->base], p->offset);
		break;
	case STORE:
		text_add(t, "st%s.%s%s.%s [%s+%d], ", vol, space[p->space], vec, type, base[p->space][p->base], p->offset);
		write_registers(t, p);
		text_add(t, ";\n");
		break;
	case MIX: text_add(t, "cvt.u32.u64 %%t, %%q%u; mad.lo.u32 %%r%u, %%r%u, 5, %%t;\n", p->second, p->first, p->first); break;
	case XOR: text_add(t, "cvt.u64.u32 %%u, %%r%u; shl.b64 %%u, %%u, 13; xor.b64 %%q%u, %%q%u, %%u;\n", p->first, p->second, p->second); break;
	case ADD: text_add(t, "atom.%s.add.u32 %%r%u, [%s+%d], %%r%u;\n", space[p->space], p->first, base[p->space][p->base], p->offset, p->first); break;
	default: text_add(t, "bar.sync 0;\n");
	}
}

static void
write_program(text *t, const step *p)
{
	text_add(t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 moved)\n{\n"
		".reg .b32 %%r<%d>, %%t, %%s, %%s4, %%sm, %%i; .reg .b64 %%q<%d>, %%u, %%g, %%g4, %%gm, %%h; .reg .pred %%p;\n"
		".shared .align 16 .b8 room[%d];\n", WORDS, PAIRS, THREADS * AREA);
	text_add(t, "mov.u32 %%t, %%tid.x; mov.u32 %%s, room; mad.lo.u32 %%s, %%t, %d, %%s; add.u32 %%s4, %%s, 4;\n"
		"ld.param.u32 %%i, [moved]; add.u32 %%sm, %%s, %%i; ld.param.u64 %%g, [out]; mul.wide.u32 %%u, %%t, %d; add.u64 %%g, %%g, %%u;\n"
		"cvt.u64.u32 %%u, %%i; add.u64 %%gm, %%g, %%u; add.u64 %%gm, %%gm, %d; add.u64 %%g4, %%g, %d;\n",
		AREA, (int)sizeof(area), AREA, AREA + 4);
	/* The shared area begins as zeros, the registers as their numbers by the thread's. */
	text_add(t, "mov.u32 %%i, 0; mov.u64 %%u, 0;\nZ: add.u32 %%r0, %%s, %%i; st.shared.u64 [%%r0], %%u; add.u32 %%i, %%i, 8;\n"
		"setp.lt.u32 %%p, %%i, %d; @%%p bra Z;\nadd.u64 %%g, %%g, %d;\n", AREA, AREA);
	for (int k = 0; k < WORDS; k++)
		text_add(t, "mad.lo.u32 %%r%d, %%t, %d, %d;\n", k, 77 + k, k);
	for (int k = 0; k < PAIRS; k++)
		text_add(t, "mul.wide.u32 %%q%d, %%t, %d;\n", k, 1000003 + k);
	for (int k = 0; k < OPS; k++)
		write_step(t, &p[k]);
	text_add(t, "add.u64 %%g, %%g, %d; sub.u64 %%h, %%g, %d;\n", -AREA, -2 * AREA);
	for (int k = 0; k < WORDS; k++)
		text_add(t, "st.global.u32 [%%h+%d], %%r%d;\n", 4 * k, k);
	for (int k = 0; k < PAIRS; k++)
		text_add(t, "st.global.u64 [%%h+%d], %%q%d;\n", 4 * WORDS + 8 * k, k);
	text_add(t, "mov.u32 %%i, 0;\nC: add.u32 %%r0, %%s, %%i; ld.shared.u64 %%u, [%%r0]; cvt.u64.u32 %%h, %%i; add.u64 %%h, %%h, %%g;\n"
		"st.global.u64 [%%h], %%u; add.u32 %%i, %%i, 8; setp.lt.u32 %%p, %%i, %d; @%%p bra C;\nret;\n}\n", AREA);
}

static void
expected(area *a, const step *p, int moved)
{
	memset(a, 0, sizeof *a * THREADS);
	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t k = 0; k < WORDS; k++)
			a[t].r[k] = t * (77 + k) + k;
		for (uint32_t k = 0; k < PAIRS; k++)
			a[t].q[k] = (uint64_t)t * (1000003 + k);
		for (int k = 0; k < OPS; k++)
			do_step(&a[t], &p[k], moved);
	}
}

static int
check(const char *chip, uint64_t seed)
{
	static area want[THREADS], got[THREADS];
	uint64_t s = seed;
	step p[OPS];
	text t = { 0 };
	uint32_t moved = random32(&s) % 5 * 16, nothing = 0;
	int bad;

	for (int k = 0; k < OPS; k++)
		p[k] = random_step(&s);
	write_program(&t, p);
	expected(want, p, (int)moved);
	e2e_run r = { .chip = chip, .ptx = t.s, .kernel = "k", .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .in = &nothing,
		.in_size = sizeof nothing, .out = got, .out_size = sizeof got, .extra = &moved, .extra_size = sizeof moved };
	bad = e2e_launch("merge", &r);
	for (int k = 0; k < THREADS && !bad; k++)
		if (memcmp(&got[k], &want[k], sizeof *got)) {
			size_t at = 0;

			while (((uint8_t *)&got[k])[at] == ((uint8_t *)&want[k])[at])
				at++;
			printf("not ok merge on %s: seed %llu, thread %d, byte %zu differs\n%s", chip, (unsigned long long)seed, k, at, t.s);
			bad = 1;
		}
	free(t.s);
	return bad;
}

/* ---- forms ---- */

/* Behind START: %s a shared address that 4 divides, %a one that 16 divides, %g a global one. The parameters are one load. */
#define START ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n" \
	".reg .b32 %r<9>, %t, %s, %a; .reg .b64 %q<5>, %g, %o, %u; .reg .f32 %f<5>; .shared .align 16 .b8 room[16384];\n" \
	"ld.param.u64 %g, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %s, room; mad.lo.u32 %a, %t, 16, %s; mad.lo.u32 %s, %t, 4, %s;\n" \
	"mul.wide.u32 %u, %t, 4; add.u64 %g, %g, %u; add.u64 %o, %o, %u;\n"
#define SUM2 "add.u32 %r0, %r1, %r2; st.global.u32 [%o], %r0;\nret;\n}\n"
#define SUM4 "add.u32 %r0, %r1, %r2; add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, %r4; st.global.u32 [%o], %r0;\nret;\n}\n"
#define END "ret;\n}\n"

static const struct form { const char *name, *ptx, *want; } forms[] = {
	{ "two loads anywhere", "ld.shared.u32 %r1, [%s]; ld.shared.u32 %r2, [%s+260];" SUM2, "s_load_dwordx2 ds_read2_b32 global_store_dword" },
	{ "two loads, 64 elements apart", "ld.shared.u32 %r1, [%s]; ld.shared.u32 %r2, [%s+2048];" SUM2,
		"s_load_dwordx2 ds_read2st64_b32 global_store_dword" },
	{ "neighbours of unknown alignment", "ld.shared.u32 %r1, [%s]; ld.shared.u32 %r2, [%s+4];" SUM2, "s_load_dwordx2 ds_read2_b32 global_store_dword" },
	{ "aligned neighbours", "ld.shared.u32 %r1, [%a+8]; ld.shared.u32 %r2, [%a+12];" SUM2, "s_load_dwordx2 ds_read_b64 global_store_dword" },
	{ "four aligned neighbours", "ld.shared.u32 %r1, [%a+12]; ld.shared.u32 %r2, [%a]; ld.shared.u32 %r3, [%a+4]; ld.shared.u32 %r4, [%a+8];" SUM4,
		"s_load_dwordx2 ds_read_b128 global_store_dword" },
	{ "four neighbours off by eight", "ld.shared.u32 %r1, [%a+8]; ld.shared.u32 %r2, [%a+12]; ld.shared.u32 %r3, [%a+16]; ld.shared.u32 %r4, [%a+20];" SUM4,
		"s_load_dwordx2 ds_read_b64 ds_read_b64 global_store_dword" },
	{ "far from the base", "ld.shared.u32 %r1, [%s+4000]; ld.shared.u32 %r2, [%s+4012]; ld.shared.u32 %r3, [%s+4024]; ld.shared.u32 %r4, [%s+4100];" SUM4,
		"s_load_dwordx2 ds_read2_b32 ds_read2_b32 global_store_dword" },
	{ "volatile", "ld.volatile.shared.u32 %r1, [%s]; ld.volatile.shared.u32 %r2, [%s+4];" SUM2, "s_load_dwordx2 ds_read_b32 ds_read_b32 global_store_dword" },
	{ "a barrier between", "ld.shared.u32 %r1, [%s]; bar.sync 0; ld.shared.u32 %r2, [%s+4];" SUM2, "s_load_dwordx2 ds_read_b32 ds_read_b32 global_store_dword" },
	{ "a store that may be there", "ld.shared.u32 %r1, [%s]; st.shared.u32 [%a], %r1; ld.shared.u32 %r2, [%s+4];" SUM2,
		"s_load_dwordx2 ds_read_b32 ds_write_b32 ds_read_b32 global_store_dword" },
	{ "a store elsewhere", "ld.shared.u32 %r1, [%s]; st.shared.u32 [%s+4], %t; ld.shared.u32 %r2, [%s+8];" SUM2,
		"s_load_dwordx2 ds_read2_b32 ds_write_b32 global_store_dword" },
	{ "two stores", "st.shared.u32 [%s], %t; st.shared.u32 [%s+512], %a;" END, "ds_write2_b32" },
	{ "two stores of pairs", "st.shared.u64 [%a], %u; st.shared.u64 [%a+1024], %u;" END, "ds_write2_b64" },
	{ "a load of what is stored", "st.shared.u32 [%s], %t; ld.shared.u32 %r1, [%s]; st.shared.u32 [%s+4], %r1;" END, "ds_write_b32 ds_read_b32 ds_write_b32" },
	{ "global neighbours", "ld.global.u32 %r1, [%g+4]; ld.global.u32 %r2, [%g+8]; ld.global.u32 %r3, [%g]; ld.global.u32 %r4, [%g+12];" SUM4,
		"s_load_dwordx4 global_load_dwordx4 global_store_dword" },
	{ "global loads apart", "ld.global.u32 %r1, [%g]; ld.global.u32 %r2, [%g+8];" SUM2,
		"s_load_dwordx4 global_load_dword global_load_dword global_store_dword" },
	{ "global stores", "st.global.u32 [%o], %t; st.global.u32 [%o+4], %t; st.global.u32 [%o+12], %a; st.global.u32 [%o+8], %t;" END,
		"s_load_dwordx2 global_store_dwordx4" },
	{ "a global store that may be there", "ld.global.u32 %r1, [%g]; st.global.u32 [%o], %r1; ld.global.u32 %r2, [%g+4]; st.global.u32 [%o+4], %r2;" END,
		"s_load_dwordx4 global_load_dword global_store_dword global_load_dword global_store_dword" },
	{ "read-only memory", "ld.global.nc.u32 %r1, [%g]; st.global.u32 [%o], %r1; ld.global.nc.u32 %r2, [%g+4]; st.global.u32 [%o+4], %r2;" END,
		"s_load_dwordx4 global_load_dwordx2 global_store_dwordx2" },
};

static bool
accesses(const char *mnemonic)
{
	return !strncmp(mnemonic, "ds_", 3) || !strncmp(mnemonic, "global_", 7) || !strncmp(mnemonic, "s_load", 6);
}

static int
check_form(const struct form *f)
{
	text t = { 0 };
	char got[400];
	bool bad;

	text_add(&t, "%s%s", START, f->ptx);
	e2e_mnemonics("gfx90a", t.s, accesses, got, sizeof got);
	bad = strcmp(got, f->want) != 0;
	if (bad)
		printf("not ok merge: %s: %s, not %s\n", f->name, got, f->want);
	else
		printf("ok merge: %s\n", f->name);
	free(t.s);
	return bad;
}

int
main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, n = argc > 1 ? 1 : e2e_quick() ? 12 : 60;
	int bad = 0;

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
		bad |= check_form(&forms[k]);
	for (const char *const *chip = e2e_on(e2e_chips, 4); *chip; chip++) {
		int here = 0;

		for (uint64_t seed = first; seed < first + n && !here; seed++)
			here = check(*chip, seed);
		if (!here)
			printf("ok merge on %s: %llu programs\n", *chip, (unsigned long long)n);
		bad |= here;
	}
	return bad;
}
