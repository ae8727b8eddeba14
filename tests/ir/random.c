/* random.c -- random kernels for the tests: mutable registers, any control flow. See kit.h. */
#include "kit.h"

uint64_t
rng_next(rng *r)
{
	uint64_t x = r->s += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint32_t
rng_below(rng *r, uint32_t n)
{
	return (uint32_t)(rng_next(r) % n);
}

uint64_t
rng_value(rng *r)
{
	static const uint64_t edge[] = { 0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 24, 30, 31, 32, 33, 40, 48,
		62, 63, 64, 65, 127, 128, 255, 256, 0xff00, 0xffff, 0x10000, 0xffffff, 0x7fffffff,
		0x80000000, 0xfffffffe, 0xffffffff, 0xffff0000, 0xff000000, 0x100000000,
		0xffffffff00000000, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX,
		UINT64_MAX - 1, 0x3f800000, 0x7fc00000, 0x7f800000 };
	uint64_t x = rng_next(r);

	switch (x & 3) {
	case 0: return rng_next(r);
	case 1: return rng_next(r) >> rng_below(r, 64);
	default: return edge[(x >> 8) % COUNT(edge)];
	}
}

enum { NB1 = 4, NW = 7, ND = 4 };

typedef struct gen {
	kit *k;
	rng *r;
	shape s;
	ir_opnd b1[NB1], w[NW], d[ND];
	ir_opnd temp[3];         /* results of the last operations, by width */
	bool has_temp[3];
} gen;

static ir_opnd
pick_reg(gen *g, unsigned width)
{
	return width == 0 ? g->b1[rng_below(g->r, NB1)] : width == 1 ? g->w[rng_below(g->r, NW)]
	                                                              : g->d[rng_below(g->r, ND)];
}

static ir_opnd
constant(gen *g, unsigned width)
{
	uint64_t x = rng_value(g->r);

	return width == 0 ? ir_i1(x & 1) : width == 1 ? ir_i32((uint32_t)x) : ir_i64(x);
}

static ir_opnd
pick(gen *g, unsigned width)
{
	unsigned x = rng_below(g->r, 10);

	if (x < 3)
		return constant(g, width);
	return x < 7 && g->has_temp[width] ? g->temp[width] : pick_reg(g, width);
}

static unsigned
width_of(unsigned type)
{
	return type == IR_T_B1 ? 0 : type == IR_T_W ? 1 : 2;
}

static bool
usable(const gen *g, unsigned op)
{
	const ir_ginfo *i = ir_ginfo_of(op);

	if (!(i->flags & IR_PURE) || (!i->nsrc && op != G_special) || op == G_symaddr ||
		op == G_word)
		return false;
	if (i->dst > IR_T_D || i->dst == IR_T_NONE)
		return false;
	for (unsigned k = 0; k < i->nsrc; k++)
		if (i->src[k] > IR_T_D)
			return false;
	return !(i->flags & IR_FP) || g->s.floats;
}

static void
set_attributes(gen *g, ir_inst *i)
{
	const ir_ginfo *row = ir_ginfo_of(i->m.op);

	if (i->m.op == G_special)
		i->m.offset = (int32_t)rng_below(g->r, IR_LANEID + 1);
	if (i->m.op >= G_ptx_bfi32 && i->m.op <= G_ptx_bfe_s64)
		i->sem = (uint8_t)rng_below(g->r, 2);
	if (row->flags & IR_CC && !(row->flags & IR_FP))
		i->cc = (uint8_t)rng_below(g->r, IR_HS + 1);
	if (row->flags & IR_CC && row->flags & IR_FP) {
		i->cc = (uint8_t)rng_below(g->r, 14);
		i->cc = (uint8_t)(i->cc > IR_GE ? i->cc - IR_GE - 1 + IR_EQU : i->cc);
	}
	if (row->flags & IR_FP) {
		i->fp.ftz = rng_below(g->r, 2) & 1;
		for (unsigned k = i->ndefs; k < i->m.nargs; k++)
			i->m.arg[k].mods = (uint8_t)rng_below(g->r, 4);
	}
}

static void
random_op(gen *g)
{
	unsigned op, w;
	ir_opnd src[4], dst;
	const ir_ginfo *row;

	do
		op = G_copy1 + rng_below(g->r, P_entry - G_copy1);
	while (!usable(g, op));
	row = ir_ginfo_of(op);
	for (unsigned k = 0; k < row->nsrc; k++)
		src[k] = pick(g, width_of(row->src[k]));
	if (row->nsrc > 1 && !rng_below(g->r, 8) && width_of(row->src[0]) == width_of(row->src[1]))
		src[1] = src[0];
	w = width_of(row->dst);
	if (rng_below(g->r, 3)) {
		dst = kit_reg(g->k, w);
		g->temp[w] = dst;
		g->has_temp[w] = true;
	} else {
		dst = pick_reg(g, w);
	}
	ir_gen_to(&g->k->B, dst, op, row->nsrc, src);
	set_attributes(g, ir_last(&g->k->B));
}

/* Shapes that lowering writes often, so that rules meet what they are for. */
static void
random_idiom(gen *g)
{
	ir_builder *B = &g->k->B;
	ir_opnd x = pick(g, 1), y = pick(g, 1), r, wide;

	switch (rng_below(g->r, 7)) {
	case 0: /* clamped shift */
		r = ir_g2(B, G_shl32, x, y);
		r = ir_g3(B, G_sel32, ir_icmp(B, 32, IR_LO, y, ir_i32(32)), r, ir_i32(0));
		break;
	case 1: /* base + 4 * index */
		wide = ir_g2(B, rng_below(g->r, 2) ? G_mulw_s32 : G_mulw_u32, x, ir_i32(4));
		wide = ir_g2(B, G_add64, pick_reg(g, 2), wide);
		kit_set(g->k, pick_reg(g, 2), ir_g2(B, G_add64, wide, ir_i64(rng_below(g->r, 64))));
		return;
	case 2: /* a field */
		r = ir_g2(B, G_shl32, x, ir_i32(rng_below(g->r, 32)));
		r = ir_g2(B, rng_below(g->r, 2) ? G_lshr32 : G_ashr32, r, ir_i32(rng_below(g->r, 32)));
		break;
	case 3: /* two halves */
		wide = ir_g2(B, G_shl64, ir_g2(B, G_pack64, x, ir_i32(0)), ir_i32(32));
		wide = ir_g2(B, G_or64, wide, ir_g2(B, G_pack64, y, ir_i32(0)));
		kit_set(g->k, pick_reg(g, 2), wide);
		return;
	case 4: /* a condition as a number and back */
		r = ir_g3(B, G_sel32, pick(g, 0), ir_i32(1), ir_i32(0));
		kit_set(g->k, pick_reg(g, 0),
			ir_icmp(B, 32, rng_below(g->r, IR_HS + 1), r, ir_i32(rng_below(g->r, 3))));
		return;
	case 5: /* a narrow number */
		r = ir_g2(B, G_and32, x, ir_i32((1u << rng_below(g->r, 32)) - 1));
		r = ir_g2(B, G_add32, r, ir_i32(rng_below(g->r, 64)));
		break;
	default:
		r = ir_g2(B, G_min_u32, x, ir_i32(rng_below(g->r, 40)));
		r = ir_g2(B, G_sub32, rng_below(g->r, 2) ? ir_i32(32) : x, r);
		break;
	}
	kit_set(g->k, pick_reg(g, 1), r);
}

static void
random_access(gen *g)
{
	bool store = rng_below(g->r, 2), wide_address = rng_below(g->r, 2);
	static const uint8_t size[] = { 1, 2, 4, 8 };
	ir_mem m = { .space = wide_address ? IR_GLOBAL : IR_SHARED,
		.bytes = size[rng_below(g->r, 4)], .align = 1 };
	ir_opnd a = pick(g, 1 + wide_address), dst = pick_reg(g, m.bytes > 4 ? 2 : 1);
	ir_inst *i;

	if (!store && wide_address && rng_below(g->r, 2))
		m.space = IR_PARAM;
	if (rng_below(g->r, 2))
		a = ir_g2(&g->k->B, wide_address ? G_add64 : G_add32, a, constant(g, a.width));
	m.sext = rng_below(g->r, 2) & 1 && m.bytes < 4 && !store;
	if (store)
		ir_g2(&g->k->B, G_store, a, pick(g, dst.width));
	else
		ir_gen_to(&g->k->B, dst, G_load, 1, &a);
	i = ir_last(&g->k->B);
	i->mem = m;
	i->m.offset = (int32_t)rng_below(g->r, 16);
}

static void
random_block(gen *g)
{
	unsigned n = rng_below(g->r, g->s.insts + 1);

	for (unsigned w = 0; w < 3; w++)
		g->has_temp[w] = false;
	for (unsigned k = 0; k < n; k++) {
		unsigned x = rng_below(g->r, 12);

		if (x == 0 && g->s.memory)
			random_access(g);
		else if (x < 3)
			random_idiom(g);
		else
			random_op(g);
	}
}

static void
store_all(gen *g)
{
	for (unsigned k = 0; k < NB1; k++)
		kit_store(g->k, 4 * k, g->b1[k]);
	for (unsigned k = 0; k < NW; k++)
		kit_store(g->k, 64 + 4 * k, g->w[k]);
	for (unsigned k = 0; k < ND; k++)
		kit_store(g->k, 128 + 8 * k, g->d[k]);
}

/* Ends the block: mostly two ways, to any block. */
static void
random_end(gen *g, ir_block *b, ir_block *last)
{
	ir_func *f = &g->k->f;
	ir_block *to = f->blocks.a[rng_below(g->r, f->blocks.n)],
		*other = f->blocks.a[rng_below(g->r, f->blocks.n)];

	g->k->B.b = b;
	if (b == last || !rng_below(g->r, 12)) {
		store_all(g);
		kit_end(g->k, NULL, NULL, ir_i1(0));
	} else if (rng_below(g->r, 4)) {
		kit_end(g->k, to, other, pick(g, 0));
	} else {
		kit_end(g->k, rng_below(g->r, 2) ? last : to, NULL, ir_i1(0));
	}
}

static ir_opnd
first_value(gen *g, unsigned n, unsigned width)
{
	ir_opnd r = kit_reg(g->k, width), at = ir_i32(8 * n);

	ir_gen_to(&g->k->B, r, G_load, 1, &at);
	ir_last(&g->k->B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = (uint8_t)(4 * width),
		.align = 4 };
	return r;
}

static void
first_values(gen *g)
{
	for (unsigned k = 0; k < NW; k++) {
		g->w[k] = first_value(g, k, 1);
		if (k >= NW - 2) {
			ir_gen_to(&g->k->B, g->w[k], G_special, 0, NULL);
			ir_last(&g->k->B)->m.offset = (int32_t)rng_below(g->r, IR_LANEID + 1);
		}
	}
	for (unsigned k = 0; k < ND; k++) {
		g->d[k] = first_value(g, NW + k, 2);
		if (k & 1)
			kit_set(g->k, g->d[k],
				ir_g2(&g->k->B, G_pack64, pick_reg(g, 1), ir_i32(0)));
	}
	for (unsigned k = 0; k < NB1; k++) {
		ir_opnd c = ir_icmp(&g->k->B, 32, rng_below(g->r, IR_HS + 1), pick_reg(g, 1),
			constant(g, 1));

		g->b1[k] = kit_reg(g->k, 0);
		kit_set(g->k, g->b1[k], c);
	}
}

void
kit_random(kit *k, rng *r, shape s)
{
	gen g = { .k = k, .r = r, .s = s };
	unsigned n = 1 + rng_below(r, s.blocks);
	ir_block *last;

	k->f.max_threads = 1 + rng_below(r, 1024);
	if (rng_below(r, 2))
		k->f.reqntid[rng_below(r, 3)] = 1 + rng_below(r, k->f.max_threads);
	for (unsigned b = 1; b < n; b++)
		ir_new_block(&k->f);
	last = k->f.blocks.a[k->f.blocks.n - 1];
	first_values(&g);
	for (unsigned b = 0; b < n; b++) {
		k->B.b = k->f.blocks.a[b];
		random_block(&g);
		random_end(&g, k->B.b, last);
	}
}

void
kit_random_graph(kit *k, rng *r, unsigned blocks)
{
	unsigned n = 1 + rng_below(r, blocks), near = 1 + rng_below(r, n);

	for (unsigned b = 1; b < n; b++)
		ir_new_block(&k->f);
	for (unsigned b = 0; b < n; b++) {
		uint32_t to = (b + n - near / 2 + rng_below(r, near + 1)) % n, next = (b + 1) % n;

		k->B.b = k->f.blocks.a[b];
		if (!rng_below(r, 8))
			kit_end(k, NULL, NULL, ir_i1(0));
		else if (to == next || !rng_below(r, 4))
			kit_end(k, k->f.blocks.a[rng_below(r, 2) ? next : to], NULL, ir_i1(0));
		else
			kit_end(k, k->f.blocks.a[to], k->f.blocks.a[next], ir_g0(&k->B, G_undef1));
	}
}
