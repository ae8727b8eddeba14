/* test_cse.c -- what p_cse may merge and what not, and what p_dce must keep: each row makes two
 * instructions that differ in one thing; the number that is left afterwards is counted. */
#include "kit.h"

#include <stdio.h>

typedef struct pair { kit *k; ir_opnd x, y, d; } pair;

static ir_inst *
emit(pair *p, unsigned op, unsigned nsrc, ir_opnd a, ir_opnd b, ir_opnd c, ir_opnd d)
{
	ir_opnd src[4] = { a, b, c, d };
	unsigned dst = ir_ginfo_of(op)->dst;
	ir_opnd r = kit_reg(p->k, dst == IR_T_B1 ? 0 : dst == IR_T_D ? 2 : 1);

	ir_gen_to(&p->k->B, r, op, nsrc, src);
	return ir_last(&p->k->B);
}

static ir_inst *
load(pair *p, unsigned space, ir_opnd at, unsigned bytes)
{
	ir_inst *i = emit(p, G_load, 1, at, at, at, at);

	i->mem = (ir_mem){ .space = (uint8_t)space, .bytes = (uint8_t)bytes, .align = 1 };
	return i;
}

static ir_inst *
add(pair *p, ir_opnd a, ir_opnd b)
{
	return emit(p, G_add32, 2, a, b, a, a);
}

static ir_inst *
fadd(pair *p, ir_opnd a, ir_opnd b)
{
	return emit(p, G_fadd32, 2, a, b, a, a);
}

static ir_inst *
bfi(pair *p)
{
	return emit(p, G_ptx_bfi64, 4, p->d, p->d, p->x, p->y);
}

/* ROW(name, first, second, how many are left): m and n are the two instructions. */
#define ROWS \
	ROW(equal_sums, m = add(p, p->x, p->y), n = add(p, p->x, p->y), 1) \
	ROW(commuted_sums, m = add(p, p->x, p->y), n = add(p, p->y, p->x), 1) \
	ROW(commuted_with_modifiers, m = fadd(p, p->x, p->y); m->m.arg[2].mods = P2A_NEG, \
		n = fadd(p, p->y, p->x); n->m.arg[1].mods = P2A_NEG, 1) \
	ROW(differences_do_not_commute, m = emit(p, G_sub32, 2, p->x, p->y, p->x, p->x), \
		n = emit(p, G_sub32, 2, p->y, p->x, p->x, p->x), 2) \
	ROW(other_operation, m = add(p, p->x, p->y), n = emit(p, G_or32, 2, p->x, p->y, p->x, p->x), 2) \
	ROW(other_modifier, m = fadd(p, p->x, p->y), n = fadd(p, p->x, p->y); n->m.arg[1].mods = P2A_NEG, 2) \
	ROW(other_rounding, m = fadd(p, p->x, p->y), n = fadd(p, p->x, p->y); n->fp.rnd = IR_RZ, 2) \
	ROW(other_flushing, m = fadd(p, p->x, p->y), n = fadd(p, p->x, p->y); n->fp.ftz = 1, 2) \
	ROW(other_saturation, m = fadd(p, p->x, p->y), n = fadd(p, p->x, p->y); n->fp.sat = 1, 2) \
	ROW(other_condition, m = emit(p, G_icmp32, 2, p->x, p->y, p->x, p->x); m->cc = IR_LT, \
		n = emit(p, G_icmp32, 2, p->x, p->y, p->x, p->x); n->cc = IR_LO, 2) \
	ROW(other_meaning_of_bfi, m = bfi(p), n = bfi(p); n->sem = P2A_SEM_NVIDIA, 2) \
	ROW(same_meaning_of_bfi, m = bfi(p); m->sem = P2A_SEM_NVIDIA, n = bfi(p); n->sem = P2A_SEM_NVIDIA, 1) \
	ROW(other_special, m = emit(p, G_special, 0, p->x, p->x, p->x, p->x), \
		n = emit(p, G_special, 0, p->x, p->x, p->x, p->x); n->m.offset = IR_TID_Y, 2) \
	ROW(param_loads, m = load(p, IR_PARAM, p->d, 4), n = load(p, IR_PARAM, p->d, 4), 1) \
	ROW(param_loads_elsewhere, m = load(p, IR_PARAM, p->d, 4), n = load(p, IR_PARAM, p->d, 4); n->m.offset = 4, 2) \
	ROW(param_loads_of_other_size, m = load(p, IR_PARAM, p->d, 2), n = load(p, IR_PARAM, p->d, 1), 2) \
	ROW(param_loads_of_other_sign, m = load(p, IR_PARAM, p->d, 2), n = load(p, IR_PARAM, p->d, 2); n->mem.sext = 1, 2) \
	ROW(other_space, m = load(p, IR_PARAM, p->d, 4), n = load(p, IR_CONST, p->d, 4), 2) \
	ROW(read_only_loads, m = load(p, IR_GLOBAL, p->d, 4); m->mem.nc = 1, n = load(p, IR_GLOBAL, p->d, 4); n->mem.nc = 1, 1) \
	ROW(global_loads, m = load(p, IR_GLOBAL, p->d, 4), n = load(p, IR_GLOBAL, p->d, 4), 2) \
	ROW(shared_loads, m = load(p, IR_SHARED, p->x, 4), n = load(p, IR_SHARED, p->x, 4), 2) \
	ROW(volatile_loads, m = load(p, IR_PARAM, p->d, 4); m->mem.vol = 1, n = load(p, IR_PARAM, p->d, 4); n->mem.vol = 1, 2)

typedef struct row { const char *name; unsigned left; void (*make)(pair *, ir_inst *[2]); } row;
#define ROW(name, first, second, left) \
	static void make_##name(pair *p, ir_inst *made[2]) \
	{ ir_inst *m, *n; first; second; made[0] = m; made[1] = n; }
ROWS
#undef ROW
static const row rows[] = {
#define ROW(name, first, second, left) { #name, left, make_##name },
	ROWS
#undef ROW
};

static void
open_pair(pair *p, kit *k)
{
	kit_open(k);
	*p = (pair){ .k = k };
	p->x = kit_reg(k, 1);
	p->y = kit_reg(k, 1);
	p->d = ir_g0(&k->B, G_kernarg);
	ir_gen_to(&k->B, p->x, G_load, 1, (ir_opnd[]){ ir_i32(0) });
	ir_last(&k->B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = 4 };
	ir_gen_to(&k->B, p->y, G_load, 1, (ir_opnd[]){ ir_i32(4) });
	ir_last(&k->B)->mem = (ir_mem){ .space = IR_SHARED, .bytes = 4 };
}

static void
check_row(const row *r)
{
	kit k;
	pair p;
	ir_inst *made[2];
	unsigned left;

	open_pair(&p, &k);
	r->make(&p, made);
	kit_store(&k, 0, made[0]->m.arg[0]);
	kit_store(&k, 16, made[1]->m.arg[0]);
	kit_end(&k, NULL, NULL, ir_i1(0));
	p_ssa(&k.f);
	p_cse(&k.f);
	left = (made[0]->block ? 1u : 0u) + (made[1]->block ? 1u : 0u);
	t_ok(left == r->left && !ir_verify(&k.f, IR_V_SSA), r->name, "%u left, not %u", left, r->left);
	kit_close(&k);
}

/* In blocks that do not dominate each other nothing is merged; what dominates both serves both. */
static void
check_blocks(bool above)
{
	kit k;
	pair p;
	ir_block *b[3];
	ir_inst *i[3];

	open_pair(&p, &k);
	i[2] = add(&p, p.x, above ? p.y : ir_i32(5));
	kit_store(&k, 32, i[2]->m.arg[0]);
	for (unsigned n = 0; n < 3; n++)
		b[n] = ir_new_block(&k.f);
	kit_end(&k, b[0], b[1], ir_icmp(&k.B, 32, IR_LT, p.x, p.y));
	for (unsigned n = 0; n < 2; n++) {
		k.B.b = b[n];
		i[n] = add(&p, p.x, p.y);
		kit_store(&k, 16 * n, i[n]->m.arg[0]);
		kit_end(&k, b[2], NULL, ir_i1(0));
	}
	k.B.b = b[2];
	kit_end(&k, NULL, NULL, ir_i1(0));
	p_ssa(&k.f);
	p_cse(&k.f);
	t_ok((i[0]->block != NULL) == !above && (i[1]->block != NULL) == !above,
	     above ? "what dominates serves both sides" : "sides do not serve each other", "merged wrongly");
	kit_close(&k);
}

static void
check_dead(void)
{
	kit k;
	pair p;
	ir_inst *plain, *vol, *acquire, *sum, *user;

	open_pair(&p, &k);
	plain = load(&p, IR_GLOBAL, p.d, 4);
	vol = load(&p, IR_GLOBAL, p.d, 4);
	vol->mem.vol = 1;
	acquire = load(&p, IR_GLOBAL, p.d, 4);
	acquire->mem.order = IR_ACQUIRE;
	sum = add(&p, p.x, p.y);
	user = add(&p, sum->m.arg[0], p.y);
	kit_end(&k, NULL, NULL, ir_i1(0));
	p_ssa(&k.f);
	p_dce(&k.f);
	t_ok(!plain->block, "an unused load goes", "it stayed");
	t_ok(vol->block, "a volatile load stays", "it went");
	t_ok(acquire->block, "an ordered load stays", "it went");
	t_ok(!sum->block && !user->block, "chains of unused operations go", "they stayed");
	kit_close(&k);
}

int
main(void)
{
	for (unsigned n = 0; n < COUNT(rows); n++)
		check_row(&rows[n]);
	check_blocks(false);
	check_blocks(true);
	check_dead();
	return t_end();
}
