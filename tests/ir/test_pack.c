/* test_pack.c -- pass pack keeps every value: random expressions that put fields together, by all
 * operations that it looks through, with sources of known bits, shared parts and 64-bit values,
 * differing between lanes or not; run before and after by the interpreter. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>

enum { ENVS = 6, POOL = 32 };
static const char *const chips[] = { "gfx900", "gfx1030" };

typedef struct gen {
	kit *k;
	rng *r;
	ir_opnd w[POOL], d[POOL];        /* values so far, by width */
	unsigned nw, nd;
} gen;

static ir_opnd
source(gen *g, unsigned bytes, unsigned at)
{
	ir_opnd r = kit_reg(g->k, bytes > 4 ? 2 : 1), a = ir_i32(at);

	ir_gen_to(&g->k->B, r, G_load, 1, &a);
	ir_last(&g->k->B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = (uint8_t)bytes,
		.align = 1 };
	return r;
}

static unsigned
below(gen *g, unsigned n)
{
	return rng_below(g->r, n);
}

static ir_opnd
word(gen *g)
{
	return g->w[below(g, 3) ? g->nw - 1 - below(g, MIN(g->nw, 5u)) : below(g, g->nw)];
}

static ir_opnd
wide(gen *g)
{
	return g->d[g->nd - 1 - below(g, MIN(g->nd, 3u))];
}

/* A mask of one field, often of bytes. */
static uint32_t
mask(gen *g)
{
	unsigned unit = below(g, 3) ? 8 : 1, pos = unit * below(g, 32 / unit),
		 len = unit * (1 + below(g, 32 / unit));
	uint32_t m = (uint32_t)(((UINT64_C(1) << MIN(len, 32u)) - 1) << pos);

	return below(g, 4) ? m : ~m;
}

static unsigned
shift(gen *g)
{
	static const uint8_t often[] = { 8, 16, 24, 4, 5, 11, 1, 2 };

	return below(g, 4) ? often[below(g, COUNT(often))] : below(g, 32);
}

static uint32_t
selector(gen *g)
{
	uint32_t s = 0;

	for (unsigned k = 0; k < 32; k += 8)
		s |= below(g, below(g, 3) ? 8 : 15) << k;
	return s;
}

/* x and y kept apart, so that or, xor and add put them together. */
static ir_opnd
disjoint(gen *g, unsigned op)
{
	ir_builder *B = &g->k->B;
	unsigned n = shift(g);
	uint32_t m = below(g, 2) ? ((uint32_t)1 << (n & 31)) - 1 : mask(g);
	ir_opnd x = ir_g2(B, G_and32, word(g), ir_i32(m)), y = word(g);

	y = below(g, 2) ? ir_g2(B, G_shl32, y, ir_i32(n)) : ir_g2(B, G_and32, y, ir_i32(~m));
	return below(g, 2) ? ir_g2(B, op, x, y) : ir_g2(B, op, y, x);
}

static ir_opnd
random_word(gen *g)
{
	static const uint16_t put[] = { G_or32, G_or32, G_xor32, G_add32 },
		by_count[] = { G_shl32, G_shl32, G_lshr32, G_ashr32 };
	ir_builder *B = &g->k->B;
	ir_opnd x = word(g), y = word(g);
	unsigned n;

	switch (below(g, 12)) {
	case 0: return ir_g2(B, put[below(g, 4)], x, y);
	case 1: case 2: return disjoint(g, put[below(g, 4)]);
	case 3: return ir_g2(B, G_and32, x, ir_i32(mask(g)));
	case 4: case 5: return ir_g2(B, by_count[below(g, 4)], x, ir_i32(shift(g)));
	case 6: n = shift(g); return ir_g3(B, below(g, 2) ? G_bfe_u32 : G_bfe_s32, x, ir_i32(n), ir_i32(below(g, 33)));
	case 7: return ir_g3(B, G_bitsel32, ir_i32(mask(g)), x, y);
	case 8: return ir_g3(B, G_alignbit32, x, y, ir_i32(shift(g)));
	case 9: return ir_g3(B, G_perm32, x, y, ir_i32(selector(g)));
	case 10: return ir_g1(B, below(g, 2) ? G_lo32 : G_hi32, wide(g));
	default: return ir_g2(B, G_or32, ir_g2(B, G_shl32, x, ir_i32(shift(g))), y);
	}
}

static ir_opnd
random_wide(gen *g)
{
	static const uint16_t put[] = { G_or64, G_xor64, G_add64, G_and64 },
		by_count[] = { G_shl64, G_lshr64, G_ashr64 };
	ir_builder *B = &g->k->B;
	uint64_t m = (uint64_t)mask(g) << 32 | mask(g);

	switch (below(g, 5)) {
	case 0: return ir_g2(B, G_pack64, word(g), below(g, 3) ? word(g) : ir_i32(0));
	case 1: return ir_g2(B, by_count[below(g, 3)], wide(g), ir_i32(below(g, 64)));
	case 2: return ir_g2(B, G_and64, wide(g), ir_i64(m));
	case 3: return ir_g2(B, put[below(g, 3)], ir_g2(B, G_and64, wide(g), ir_i64(m)),
		ir_g2(B, G_and64, wide(g), ir_i64(~m)));
	default: return ir_g2(B, put[below(g, 4)], wide(g), wide(g));
	}
}

static void
random_kernel(gen *g)
{
	static const uint8_t bytes[] = { 4, 1, 2, 4, 1, 4 };
	unsigned n = 4 + below(g, 16);

	for (unsigned k = 0; k < COUNT(bytes); k++)
		g->w[g->nw++] = source(g, bytes[k], 8 * k);
	g->d[g->nd++] = source(g, 8, 64);
	for (unsigned k = 0; k < n; k++) {
		if (below(g, 4)) {
			g->w[g->nw] = random_word(g);
			g->nw++;
		} else {
			g->d[g->nd] = random_wide(g);
			g->nd++;
		}
	}
	kit_store(g->k, 128, g->w[g->nw - 1]);
	if (below(g, 2))
		kit_store(g->k, 136, g->d[g->nd - 1]);
	if (!below(g, 4))
		kit_store(g->k, 144, word(g));
	kit_end(g->k, NULL, NULL, ir_i1(0));
}

/* What pass uniform would say if loads by random lanes differed. */
static void
random_lanes(gen *g, ir_func *f)
{
	unsigned how = below(g, 3);

	for (ir_inst *i = f->entry->first; i; i = i->next) {
		ir_val *v = i->ndefs ? &f->vals.a[i->m.arg[0].reg] : NULL;

		if (v && i->m.op == G_load)
			v->divergent = how && (how == 1 || below(g, 2));
		for (unsigned k = 1; v && k < i->m.nargs; k++)
			v->divergent |= ir_is_val(i->m.arg[k]) && f->vals.a[i->m.arg[k].reg].divergent;
	}
}

static const char *
one_kernel(uint64_t seed, bool fold)
{
	static trace ref[ENVS], now;
	static char text[100];
	rng r = { seed };
	env e[ENVS];
	kit k;
	gen g = { .k = &k, .r = &r };
	const char *why = NULL;

	kit_open(&k);
	k.f.target = p2a_target_find(chips[seed % COUNT(chips)]);
	random_kernel(&g);
	p_ssa(&k.f);
	if (fold)
		p_fold(&k.f);
	for (unsigned n = 0; n < ENVS; n++) {
		kit_env(&k.f, &r, &e[n]);
		kit_run(&k.f, &e[n], NULL, &ref[n]);
	}
	random_lanes(&g, &k.f);
	if (getenv("P2A_TRACE"))
		fprintf(stderr, "%s", kit_text(&k));
	p_pack(&k.f);
	if (getenv("P2A_TRACE"))
		fprintf(stderr, "%s", kit_text(&k));
	why = ir_verify(&k.f, IR_V_SSA);
	if (why)
		snprintf(text, sizeof text, "%s", why);
	for (unsigned n = 0; !why && n < ENVS; n++) {
		kit_run(&k.f, &e[n], p_facts(&k.f), &now);
		if (now.fault || !trace_agrees(&ref[n], &now))
			why = now.fault ? now.fault : "stores differ";
	}
	kit_close(&k);
	return why == NULL ? NULL : text[0] ? text : why;
}

/* test_pack SEED FOLD: one kernel, printed with P2A_TRACE set. */
int
main(int argc, char **argv)
{
	const char *why = NULL;

	if (argc > 2) {
		why = one_kernel((uint64_t)atoll(argv[1]), atoi(argv[2]) != 0);
		t_ok(!why, "one kernel", "%s", why);
		return t_end();
	}
	for (unsigned fold = 0; fold < 2; fold++) {
		unsigned n = t_rounds(40000);

		why = NULL;
		for (unsigned seed = 0; seed < n && !why; seed++)
			if ((why = one_kernel(seed, fold)))
				t_ok(false, "random fields", "seed %u %u: %s", seed, fold, why);
		if (!why)
			t_ok(true, fold ? "random fields, folded" : "random fields", " ");
	}
	return t_end();
}
