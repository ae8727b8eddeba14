/* test_schedule.c -- which loads p_schedule brings before an instruction that waits, and which must stay, by the order of
 * loads, stores and operations that a block has afterwards. Expected orders are written by hand. Then random blocks: nothing
 * is lost, and with few registers no more values are spilled than without the pass. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

typedef struct put { kit *k; ir_opnd x, y, p, q; } put; /* x, y: LDS addresses; p, q: of global memory; all differ between lanes */

static ir_opnd g2(put *t, unsigned op, ir_opnd a, ir_opnd b) { return ir_g2(&t->k->B, op, a, b); }

static ir_opnd
load(put *t, unsigned space, ir_opnd at, int offset, ir_mem more)
{
	ir_opnd d = ir_valop(t->k->f, ir_new_val(t->k->f, 1));
	ir_inst *i;

	ir_gen_to(&t->k->B, d, G_load, 1, &at);
	i = ir_last(&t->k->B);
	i->m.offset = offset;
	i->mem = more;
	i->mem.space = (uint8_t)space;
	i->mem.bytes = i->mem.align = 4;
	return d;
}

static void
store(put *t, unsigned space, ir_opnd at, int offset, ir_opnd v)
{
	ir_opnd s[2] = { at, v };

	ir_gen(&t->k->B, G_store, 2, s);
	ir_last(&t->k->B)->m.offset = offset;
	ir_last(&t->k->B)->mem = (ir_mem){ .space = (uint8_t)space, .bytes = 4, .align = 4 };
}

static ir_opnd lds(put *t, ir_opnd at, int offset) { return load(t, IR_SHARED, at, offset, (ir_mem){ 0 }); }
static ir_opnd far(put *t, ir_opnd at, int offset) { return load(t, IR_GLOBAL, at, offset, (ir_mem){ 0 }); }
static ir_opnd nc(put *t, ir_opnd at, int offset) { return load(t, IR_GLOBAL, at, offset, (ir_mem){ .nc = 1 }); }
static ir_opnd plus(put *t, ir_opnd a) { return g2(t, G_sub32, a, t->x); }
static void keep(put *t, ir_opnd v) { store(t, IR_SHARED, t->y, 400, v); }
static void both(put *t, ir_opnd a, ir_opnd b) { keep(t, g2(t, G_xor32, a, b)); }

static void two(put *t) { ir_opnd a = plus(t, lds(t, t->x, 0)); both(t, a, lds(t, t->x, 4)); }
static void three(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0)), b = g2(t, G_xor32, a, lds(t, t->y, 4));

	both(t, b, far(t, t->p, 8));
}
static void address(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0)), at = g2(t, G_mul32, t->x, t->y);

	both(t, a, lds(t, at, 4));
}
static void address_waits(put *t)
{
	ir_opnd a = lds(t, t->x, 0), b = plus(t, a);

	both(t, b, lds(t, a, 4));
}
static void address_float(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0));

	both(t, a, lds(t, ir_g1(&t->k->B, G_cvt_f32_u32, t->y), 4));
}
static void store_elsewhere(put *t)
{
	store(t, IR_GLOBAL, t->p, 0, plus(t, lds(t, t->x, 0)));
	keep(t, plus(t, lds(t, t->x, 4)));
}
static void store_between(put *t)
{
	store(t, IR_SHARED, t->y, 0, plus(t, lds(t, t->x, 0)));
	keep(t, plus(t, lds(t, t->x, 4)));
}
static void store_beside(put *t)
{
	store(t, IR_SHARED, t->x, 0, plus(t, lds(t, t->x, 0)));
	keep(t, plus(t, lds(t, t->x, 4)));
}
static void store_there(put *t)
{
	store(t, IR_SHARED, t->x, 2, plus(t, lds(t, t->x, 0)));
	keep(t, plus(t, lds(t, t->x, 4)));
}
static void global_beside(put *t)
{
	store(t, IR_GLOBAL, t->p, 4, plus(t, far(t, t->p, 4)));
	keep(t, plus(t, far(t, t->p, 8)));
}
static void global_between(put *t)
{
	store(t, IR_GLOBAL, t->q, 4, plus(t, far(t, t->p, 4)));
	keep(t, plus(t, far(t, t->p, 8)));
}
static void constant(put *t)
{
	store(t, IR_GLOBAL, t->q, 4, plus(t, nc(t, t->p, 4)));
	keep(t, plus(t, nc(t, t->p, 8)));
}
static void generic(put *t)
{
	store(t, IR_GENERIC, t->q, 0, plus(t, lds(t, t->x, 0)));
	keep(t, plus(t, lds(t, t->x, 4)));
}
static void vol(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0));

	both(t, a, load(t, IR_SHARED, t->x, 4, (ir_mem){ .vol = 1 }));
}
static void behind_vol(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0)), b = load(t, IR_SHARED, t->x, 8, (ir_mem){ .vol = 1 });

	a = g2(t, G_xor32, a, b);
	both(t, a, lds(t, t->x, 4));
}
static void relaxed(put *t)
{
	ir_opnd a = plus(t, far(t, t->p, 0));

	both(t, a, load(t, IR_GLOBAL, t->p, 4, (ir_mem){ .order = IR_RELAXED, .scope = IR_GPU }));
}
static void barrier(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0));

	ir_g0(&t->k->B, G_barrier);
	both(t, a, lds(t, t->x, 4));
}
/* A 64-bit sum is two instructions that stay together. */
static void glued(put *t)
{
	ir_opnd a = plus(t, lds(t, t->x, 0));

	both(t, a, far(t, g2(t, G_add64, t->p, t->q), 0));
}

static const struct row { const char *name; void (*build)(put *); const char *order; } rows[] = {
	{ "two loads are waited for together", two, "ld0 ld4 v_sub_u32 v_xor_b32 st400" },
	{ "so are three, of two kinds of memory", three, "ld0 ld4 ld8 v_sub_u32 v_xor_b32 v_xor_b32 st400" },
	{ "what computes the address comes along", address, "ld0 v_mul_lo_u32 ld4 v_sub_u32 v_xor_b32 st400" },
	{ "an address that must be waited for does not", address_waits, "ld0 v_sub_u32 ld4 v_xor_b32 st400" },
	{ "nor does one that MODE has a say in", address_float, "ld0 v_sub_u32 v_cvt_f32_u32 ld4 v_xor_b32 st400" },
	{ "a store to other memory is no hindrance", store_elsewhere, "ld0 ld4 v_sub_u32 st0 v_sub_u32 st400" },
	{ "one that may be to the same is", store_between, "ld0 v_sub_u32 st0 ld4 v_sub_u32 st400" },
	{ "not if it is beside it", store_beside, "ld0 ld4 v_sub_u32 st0 v_sub_u32 st400" },
	{ "but where they overlap", store_there, "ld0 v_sub_u32 st2 ld4 v_sub_u32 st400" },
	{ "beside it in global memory", global_beside, "ld4 ld8 v_sub_u32 st4 v_sub_u32 st400" },
	{ "by another address in global memory", global_between, "ld4 v_sub_u32 st4 ld8 v_sub_u32 st400" },
	{ "memory that is not written", constant, "ld4 ld8 v_sub_u32 st4 v_sub_u32 st400" },
	{ "a generic address may be any memory", generic, "ld0 v_sub_u32 st0 ld4 v_sub_u32 st400" },
	{ "volatile loads stay", vol, "ld0 v_sub_u32 ld4 v_xor_b32 st400" },
	{ "nothing moves over them", behind_vol, "ld0 v_sub_u32 ld8 v_xor_b32 ld4 v_xor_b32 st400" },
	{ "relaxed loads stay", relaxed, "ld0 v_sub_u32 ld4 v_xor_b32 st400" },
	{ "nothing moves over a barrier", barrier, "ld0 v_sub_u32 barrier ld4 v_xor_b32 st400" },
	{ "what is glued stays so", glued, "ld0 p_copy p_copy v_add_co_u32 v_addc_co_u32 ld0 v_sub_u32 v_xor_b32 st400" },
};

/* ---- texts ---- */

static bool
reads_memory(const ir_inst *i)
{
	return ir_is_machine(i->m.op) && isa_table[i->m.op].eff & (ISA_LOAD | ISA_STORE);
}

/* From the first load that is none of a parameter on. */
static const char *
order_of(kit *k)
{
	buf out;

	buf_init(&out, &k->A);
	for (const ir_inst *i = k->f->entry->first; i; i = i->next) {
		if (i->mem.space == IR_PARAM && reads_memory(i))
			continue;
		if (out.n && !ir_is_term(i->m.op))
			buf_printf(&out, " ");
		else if (!reads_memory(i) || ir_is_term(i->m.op))
			continue;
		if (reads_memory(i))
			buf_printf(&out, "%s%d", i->ndefs ? "ld" : "st", (int)i->m.offset);
		else
			buf_printf(&out, "%s", i->m.op == P_barrier ? "barrier" : ir_op_name(k->f, i->m.op));
	}
	return buf_cstr(&out);
}

static void
begin(put *t, kit *k)
{
	*t = (put){ .k = k, .x = kit_special(k, IR_TID_X), .y = kit_source(k, IR_T_W, true) };
	t->p = kit_source(k, IR_T_D, true);
	t->q = kit_source(k, IR_T_D, true);
	t->x = ir_g1(&k->B, G_brev32, t->x);
	/* all of them are there before anything else */
	store(t, IR_LOCAL, t->x, 0, t->y);
	ir_g0(&k->B, G_barrier);
}

static void
one_row(const struct row *r)
{
	kit *k = kit_new("gfx90a");
	const char *why, *got;
	put t;

	begin(&t, k);
	r->build(&t);
	kit_ret(k);
	why = kit_select(k);
	p_schedule(k->f);
	why = why ? why : ir_verify(k->f, IR_V_MACHINE_SSA);
	got = strstr(order_of(k), "barrier ");
	got = got ? got + strlen("barrier ") : "";
	kit_ok(!why && !strcmp(got, r->order), why ? why : got, "schedule: %s", r->name);
	kit_free(k);
}

/* ---- random blocks ---- */

typedef struct dice { uint64_t state; } dice;

static uint32_t
roll(dice *d, uint32_t n)
{
	d->state = d->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(d->state >> 33) % n;
}

enum { STEPS = 60, POOL = 24 };

static ir_opnd
random_value(put *t, dice *d, ir_opnd pool[POOL])
{
	ir_opnd a = pool[roll(d, POOL)];

	switch (roll(d, 8)) {
	case 0: case 1: return lds(t, roll(d, 2) ? t->x : a, (int)roll(d, 16) * 4);
	case 2: return far(t, roll(d, 2) ? t->p : t->q, (int)roll(d, 16) * 4);
	case 3: return nc(t, ir_g2(&t->k->B, G_pack64, a, pool[roll(d, POOL)]), 4);
	case 4: return ir_g2(&t->k->B, G_mulhi_u32, a, pool[roll(d, POOL)]);
	default: return ir_g2(&t->k->B, G_xor32, a, pool[roll(d, POOL)]);
	}
}

/* A block of loads, stores and sums, half of whose values are needed at its end. */
static void
random_block(put *t, uint64_t seed)
{
	dice d = { seed };
	ir_opnd pool[POOL];

	for (unsigned k = 0; k < POOL; k++)
		pool[k] = k & 1 ? t->x : t->y;
	for (unsigned k = 0; k < STEPS; k++) {
		unsigned at = roll(&d, POOL);

		pool[at] = random_value(t, &d, pool);
		if (!roll(&d, 12))
			store(t, IR_SHARED, t->y, 64, pool[at]);
		else if (!roll(&d, 12))
			store(t, IR_GLOBAL, t->q, 64, pool[at]);
	}
	for (unsigned k = 0; k < POOL; k += 2)
		keep(t, pool[k]);
}

/* Spilled registers of both kinds, with the pass or without; UINT32_MAX: something is wrong. */
static uint32_t
spills(const char *chip, uint64_t seed, unsigned vgprs, bool pass, const char **why)
{
	kit *k = kit_new(chip);
	uint32_t n;
	put t;

	begin(&t, k);
	random_block(&t, seed);
	kit_ret(k);
	*why = kit_select(k);
	k->f->max_vgprs = vgprs;
	if (pass)
		p_schedule(k->f);
	if (!*why)
		*why = ir_verify(k->f, IR_V_MACHINE_SSA);
	if (!*why) {
		p_unssa(k->f);
		p_linearize(k->f);
		p_regalloc(k->f);
		*why = ir_verify(k->f, IR_V_PHYSICAL);
	}
	n = *why ? UINT32_MAX : k->f->k.vgpr_spills + k->f->k.sgpr_spills;
	*why = *why ? "the form is wrong" : NULL;
	kit_free(k);
	return n;
}

static void
random_blocks(const char *chip)
{
	static const uint8_t vgprs[] = { 16, 24, 32, 48, 64, 128 };
	unsigned most = getenv("P2A_TEST_QUICK") ? 10 : 80, worse = 0, spilled = 0;
	const char *why = NULL;

	for (unsigned seed = 1; seed <= most && !why; seed++)
		for (unsigned k = 0; k < COUNT(vgprs) && !why; k++) {
			uint32_t without = spills(chip, seed, vgprs[k], false, &why), with = why ? 0 : spills(chip, seed, vgprs[k], true, &why);

			worse += with > without;
			spilled += without > 0;
		}
	kit_ok(!why && !worse && spilled, why ? why : spilled ? "more spills than without the pass" : "nothing was ever spilled",
		"schedule: random blocks on %s, %u of %u spill", chip, spilled, most * (unsigned)COUNT(vgprs));
}

int
main(void)
{
	for (size_t n = 0; n < COUNT(rows); n++)
		one_row(&rows[n]);
	for (size_t n = 0; n < COUNT(kit_chips); n++)
		random_blocks(kit_chips[n]);
	return kit_failures();
}
