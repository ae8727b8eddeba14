/* test_bfi.c -- bfi over all 256 x 256 positions and lengths, on four chips, both types, both meanings.
 * For fixed position and length the result is affine over GF(2) in (a, b): zero, the unit vectors of a and
 * b, and a few random pairs decide it for all a and b. Bits above the low 8 of position and length are
 * set in a second run. Expected values: the PTX manual's loop (e2e.c). */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPOS = 256, EXTRA = 5 };

static uint64_t
rnd(uint64_t *s)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return *s ^ *s >> 29;
}

/* The (a, b) pairs of a type; returns how many. */
static uint32_t
pairs(unsigned bits, uint64_t (*p)[2])
{
	uint64_t seed = 42;
	uint32_t n = 1;

	p[0][0] = p[0][1] = 0;
	for (unsigned k = 0; k < 2 * bits; k++, n++) {
		p[n][0] = k < bits ? (uint64_t)1 << k : 0;
		p[n][1] = k < bits ? 0 : (uint64_t)1 << (k - bits);
	}
	for (int k = 0; k < EXTRA; k++, n++) {
		p[n][0] = rnd(&seed);
		p[n][1] = rnd(&seed);
	}
	return n;
}

/* Where the operands of the instruction come from. */
typedef enum form { PER_LANE, UNIFORM, UNIFORM_FIELD } form;
static const char *const form_name[] = { "per-lane", "uniform", "uniform position and length" };

/* A thread is one (len = tid, pos = ctaid.x), or for the uniform forms (a, b) = tid and (pos, len) = ctaid. */
static void
kernel(text *t, unsigned bits, form f, uint32_t high_pos, uint32_t high_len)
{
	const char *r = bits == 64 ? "%rd" : "%r";

	text_add(t, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
	         ".reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .pred %%p<3>;\n"
	         "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; ld.param.u32 %%r1, [n];\n"
	         "cvta.to.global.u64 %%rd1, %%rd1; cvta.to.global.u64 %%rd2, %%rd2;\n"
	         "mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ctaid.y; mov.u32 %%r12, %%ctaid.z;\n");
	if (f == PER_LANE)              /* block 256 lengths; grid x positions, y pairs */
		text_add(t, "mov.u32 %%r5, %%r3; mov.u32 %%r6, %%r2; mov.u32 %%r7, %%r4;\n");
	else if (f == UNIFORM)          /* grid x positions, y lengths, z pairs; one lane writes */
		text_add(t, "mov.u32 %%r5, %%r3; mov.u32 %%r6, %%r4; mov.u32 %%r7, %%r12;\n");
	else                            /* block pairs; grid x positions, y lengths */
		text_add(t, "mov.u32 %%r5, %%r3; mov.u32 %%r6, %%r4; mov.u32 %%r7, %%r2;\nsetp.ge.u32 %%p1, %%r7, %%r1; @%%p1 ret;\n");
	text_add(t, "mul.wide.u32 %%rd3, %%r7, 16; add.s64 %%rd3, %%rd1, %%rd3;\n");
	if (f == UNIFORM && bits == 32)
		text_add(t, "ld.global.nc.u32 %%r10, [%%rd3]; ld.global.nc.u32 %%r11, [%%rd3+8];\n");
	else if (bits == 32)
		text_add(t, "ld.global.u32 %%r10, [%%rd3]; ld.global.u32 %%r11, [%%rd3+8];\n");
	else
		text_add(t, "ld.global%s.u64 %%rd10, [%%rd3]; ld.global%s.u64 %%rd11, [%%rd3+8];\n", f == UNIFORM ? ".nc" : "", f == UNIFORM ? ".nc" : "");
	/* index = (pair * 256 + pos) * 256 + len, before the high bits come in */
	text_add(t, "mad.lo.u32 %%r8, %%r7, 256, %%r5; mad.lo.u32 %%r8, %%r8, 256, %%r6;\n"
	         "or.b32 %%r5, %%r5, %u; or.b32 %%r6, %%r6, %u;\n", high_pos, high_len);
	text_add(t, "bfi.b%u %s12, %s10, %s11, %%r5, %%r6;\n", bits, r, r, r);
	text_add(t, "mul.wide.u32 %%rd4, %%r8, %u; add.s64 %%rd4, %%rd2, %%rd4; st.global.b%u [%%rd4], %s12; ret;\n}\n", bits / 8, bits, r);
}

static uint64_t
result(const void *out, unsigned bits, size_t i)
{
	return bits == 64 ? ((const uint64_t *)out)[i] : ((const uint32_t *)out)[i];
}

static uint64_t *
expected(unsigned bits, p2a_semantics sem, uint32_t hp, uint32_t hl, uint64_t (*p)[2], uint32_t n)
{
	uint64_t *want = malloc((size_t)n * NPOS * NPOS * sizeof *want);

	if (!want)
		abort();
	for (size_t i = 0; i < (size_t)n * NPOS * NPOS; i++)
		want[i] = ref_bfi(p[i >> 16][0], p[i >> 16][1], (uint32_t)(i >> 8 & 255) | hp, (uint32_t)(i & 255) | hl, bits, sem);
	return want;
}

static int
compare(const char *name, const e2e_run *r, unsigned bits, const uint64_t *want, size_t n)
{
	uint64_t mask = bits == 64 ? ~0ull : 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		uint64_t got = result(r->out, bits, i);

		if (got == (want[i] & mask))
			continue;
		printf("not ok %s on %s: pair %zu pos %zu len %zu: got %#llx, the manual says %#llx\n", name, r->chip, i >> 16,
		       i >> 8 & 255, i & 255, (unsigned long long)got, (unsigned long long)(want[i] & mask));
		return 1;
	}
	return 0;
}

static void
shape(e2e_run *r, form f, uint32_t n)
{
	uint32_t grid[3][3] = { { NPOS, n, 1 }, { NPOS, NPOS, n }, { NPOS, NPOS, 1 } };
	uint32_t block[3] = { NPOS, 1, (n + 63) / 64 * 64 };

	memcpy(r->grid, grid[f], sizeof r->grid);
	r->block[0] = block[f];
	r->block[1] = r->block[2] = 1;
}

static int
one(unsigned bits, form f, p2a_semantics sem, uint32_t hp, uint32_t hl)
{
	uint64_t p[160][2];
	uint32_t all = pairs(bits, p), n = f == UNIFORM ? 7 : all;
	uint64_t *want;
	text t = { 0 };
	char name[128];
	e2e_run r = { .kernel = "k", .sem = sem, .in = p, .in_size = sizeof p, .extra = &n, .extra_size = 4 };
	int bad = 0;

	if (f == UNIFORM)               /* one lane a block is slow: zero and the random pairs only */
		memmove(p[1], p[all - EXTRA], EXTRA * sizeof *p);
	if (f == UNIFORM)
		n = 1 + EXTRA;
	if (e2e_quick() && f != UNIFORM_FIELD)
		n = n < 12 ? 2 : 12;
	want = expected(bits, sem, hp, hl, p, n);
	r.out_size = (size_t)n * NPOS * NPOS * (bits / 8);
	r.out = malloc(r.out_size);
	kernel(&t, bits, f, hp, hl);
	r.ptx = t.s;
	shape(&r, f, n);
	snprintf(name, sizeof name, "bfi.b%u %s %s%s", bits, form_name[f], sem ? "nvidia" : "documented", hp | hl ? " high bits" : "");
	for (const char *const *chip = e2e_on(e2e_chips, 4); *chip && !bad; chip++) {
		r.chip = *chip;
		bad = e2e_launch(name, &r) || compare(name, &r, bits, want, (size_t)n * NPOS * NPOS);
	}
	if (!bad)
		printf("ok %s: %u pairs x 65536, all chips\n", name, n);
	free(want);
	free(r.out);
	free(t.s);
	return bad;
}

int
main(void)
{
	int bad = 0;

	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (int sem = 0; sem < 2; sem++) {
			for (int f = PER_LANE; f <= UNIFORM_FIELD; f++) {
				if (e2e_quick() && f == UNIFORM_FIELD && sem == 0)
					continue;
				bad |= one(bits, (form)f, (p2a_semantics)sem, 0, 0);
			}
			bad |= one(bits, PER_LANE, (p2a_semantics)sem, 0xabcd00, 0x10000);
			bad |= one(bits, PER_LANE, (p2a_semantics)sem, 0, 0xffffff00);
		}
	return bad;
}
