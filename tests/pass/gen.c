/* gen.c -- see gen.h. */
#include "gen.h"

enum { MAXVARS = 4096 };

typedef struct var { ir_opnd o; bool mask; } var;
typedef struct gen {
	ir_func *f;
	const p2a_target *t;
	ir_builder B;
	const gen_options *opt;
	uint64_t seed;
	unsigned w;             /* dwords of a lane mask */
	var s[MAXVARS], v[MAXVARS], m[MAXVARS];
	var ro[MAXVARS];        /* VGPR values written once */
	unsigned ns, nv, nm, nro;
	unsigned budget, centre;
	ir_opnd exec;
	unsigned loops;
} gen;

uint32_t
gen_random(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) % n;
}

static uint32_t
rnd(gen *G, uint32_t n)
{
	return gen_random(&G->seed, n);
}

ir_func *
gen_new(arena *A, const p2a_target *t, const char *name)
{
	ir_func *f = arena_new(A, ir_func);
	ir_module *m = arena_new(A, ir_module);

	m->A = A;
	m->target = t;
	m->diags = arena_new(A, diag_sink);
	diag_init(m->diags, A, NULL, 0);
	f->mod = m;
	f->A = A;
	f->target = t;
	f->name = name;
	f->max_threads = 256;
	f->k.flat_scratch_sgpr = f->k.wave_offset_sgpr = -1;
	return f;
}

void
gen_edge(ir_func *f, ir_block *from, ir_block *to, bool linear, bool logical)
{
	if (logical)
		ir_link(from, to);
	if (!linear)
		return;
	*vec_push(f->A, &from->lsuccs) = to;
	*vec_push(f->A, &to->lpreds) = from;
}

/* ---- values ---- */

static ir_opnd
new_reg(gen *G, unsigned bank, unsigned n)
{
	return ir_valop(G->f, ir_new_reg(G->f, bank, n));
}

static ir_opnd
imm(uint32_t x)
{
	return ir_i32(x);
}

static ir_opnd
rnd_imm(gen *G)
{
	return ir_i32(rnd(G, 3) ? rnd(G, 64) : rnd(G, UINT32_MAX));
}

/* A random part of n dwords of a random variable of the bank; half of them from a small neighbourhood
 * that moves now and then, so that the same one is met again soon. */
static ir_opnd
pick(gen *G, unsigned bank, unsigned n)
{
	const var *pool = bank == IR_BANK_V ? G->v : G->s;
	unsigned count = bank == IR_BANK_V ? G->nv : G->ns;

	if (!rnd(G, 40))
		G->centre = rnd(G, 1 << 16);
	for (unsigned tries = 0; tries < 200; tries++) {
		ir_opnd o = pool[rnd(G, 2) ? rnd(G, count) : (G->centre + rnd(G, 6)) % count].o;

		if (o.width == n)
			return o;
		if (o.width > n)
			return ir_part(o, n * rnd(G, o.width / n), n);
	}
	return pool[0].o;       /* the first is wide enough for all */
}

static ir_opnd
fit(ir_opnd o, unsigned n)
{
	return o.width > n ? ir_part(o, 0, n) : o;
}

static ir_opnd
pick_ro(gen *G, unsigned n)
{
	for (unsigned tries = 0; G->nro && tries < 8; tries++) {
		ir_opnd o = G->ro[rnd(G, G->nro)].o;

		if (o.width >= n)
			return ir_part(o, n * rnd(G, o.width / n), n);
	}
	return fit(pick(G, IR_BANK_V, n), n);
}

/* A value written once: from others of them, often by copies of what stays alive. */
static void
once(gen *G)
{
	ir_builder *B = &G->B;
	ir_opnd d = new_reg(G, IR_BANK_V, 1 + rnd(G, 2));

	if (G->nro == MAXVARS)
		return;
	if (rnd(G, 3) == 0)
		ir_m(B, P_copy, 2, d, pick_ro(G, d.width));
	else if (d.width == 2 && rnd(G, 4) == 0)
		ir_m(B, OP_v_lshlrev_b64, 3, d, pick_ro(G, 1), pick_ro(G, 2));
	else
		for (unsigned k = 0; k < d.width; k++)
			if (rnd(G, 2))
				ir_m(B, P_copy, 2, ir_part(d, k, 1), pick_ro(G, 1))->fresh = !k;
			else
				ir_m(B, OP_v_xor_b32, 3, ir_part(d, k, 1), pick_ro(G, 1), pick_ro(G, 1))->fresh = !k;
	G->ro[G->nro++].o = d;
}

static ir_opnd
pick_v(gen *G, unsigned n)
{
	return fit(pick(G, IR_BANK_V, n), n);
}

static ir_opnd
pick_s(gen *G, unsigned n)
{
	return fit(pick(G, IR_BANK_S, n), n);
}

static ir_opnd
pick_m(gen *G)
{
	return G->m[rnd(G, G->nm)].o;
}

/* ---- statements ---- */

static void
alu(gen *G)
{
	static const uint16_t vops[] = { OP_v_xor_b32, OP_v_add_u32, OP_v_mul_lo_u32 };
	ir_builder *B = &G->B;
	ir_opnd t, u;

	switch (rnd(G, 26)) {
	case 0: case 1: case 2:
		ir_m(B, vops[rnd(G, 3)], 3, pick_v(G, 1), pick_v(G, 1), pick_v(G, 1));
		break;
	case 3:
		ir_m(B, OP_v_xor_b32, 3, pick_v(G, 1), pick_s(G, 1), pick_v(G, 1));
		break;
	case 4:
		ir_m(B, OP_s_xor_b32, 3, pick_s(G, 1), pick_s(G, 1), pick_s(G, 1));
		break;
	case 5:
		ir_m(B, OP_v_lshlrev_b64, 3, pick_v(G, 2), pick_v(G, 1), pick_v(G, 2));
		break;
	case 6:
		ir_m(B, OP_v_cmp_lt_u32, 3, pick_m(G), pick_v(G, 1), pick_v(G, 1));
		break;
	case 7:
		ir_m(B, OP_v_cndmask_b32, 4, pick_v(G, 1), pick_v(G, 1), pick_v(G, 1), pick_m(G));
		break;
	case 8:                 /* carry chain through a short-lived mask */
		t = new_reg(G, IR_BANK_S, G->w);
		G->f->vals.a[t.reg].is_mask = true;
		ir_m(B, OP_v_add_co_u32, 4, pick_v(G, 1), t, pick_v(G, 1), pick_v(G, 1));
		ir_m(B, OP_v_addc_co_u32, 5, pick_v(G, 1), pick_m(G), pick_v(G, 1), pick_v(G, 1), t);
		break;
	case 9:                 /* pack: two halves become one, one half comes out */
		t = new_reg(G, IR_BANK_V, 2);
		ir_m(B, P_copy, 2, ir_part(t, 0, 1), pick_v(G, 1))->fresh = true;
		ir_m(B, P_copy, 2, ir_part(t, 1, 1), pick_v(G, 1));
		ir_m(B, OP_v_lshlrev_b64, 3, pick_v(G, 2), imm(rnd(G, 64)), t);
		ir_m(B, P_copy, 2, pick_v(G, 1), ir_part(t, 1, 1));
		break;
	case 10:
		ir_m(B, P_copy, 2, pick_v(G, 2), pick_v(G, 2));
		break;
	case 11:
		ir_m(B, P_copy, 2, pick_s(G, 2), pick_s(G, 2));
		break;
	case 12:
		ir_m(B, P_copy, 2, pick_v(G, 1), rnd(G, 2) ? pick_s(G, 1) : rnd_imm(G));
		break;
	case 13:
		ir_m(B, OP_s_add_u32, 3, ir_part(t = pick_s(G, 2), 0, 1), pick_s(G, 1), pick_s(G, 1));
		ir_m(B, OP_s_addc_u32, 3, ir_part(t, 1, 1), pick_s(G, 1), imm(0))->glue = true;
		break;
	case 14:
		t = pick_s(G, 1);
		ir_m(B, OP_s_addk_i32, 2, t, (ir_opnd){ .kind = P2A_K_IMM, .imm = rnd(G, 1000) });
		break;
	case 15:
		ir_m(B, OP_s_cmp_lt_u32, 2, pick_s(G, 1), pick_s(G, 1));
		ir_m(B, OP_s_cselect_b32, 3, pick_s(G, 1), pick_s(G, 1), pick_s(G, 1))->glue = true;
		break;
	case 16:
		ir_m(B, G->w == 2 ? OP_s_xor_b64 : OP_s_xor_b32, 3, pick_m(G), pick_m(G), pick_m(G));
		break;
	case 17:
		ir_m(B, OP_v_rcp_f32, 2, pick_v(G, 1), pick_v(G, 1));
		break;
	case 18:
		ir_m(B, OP_v_readfirstlane_b32, 2, pick_s(G, 1), pick_v(G, 1));
		break;
	case 19: case 20: case 21: case 22:
		once(G);
		break;
	case 23: case 24:
		ir_m(B, OP_v_xor_b32, 3, pick_v(G, 1), pick_ro(G, 1), pick_ro(G, 1));
		break;
	default:
		t = new_reg(G, IR_BANK_S, G->w);
		G->f->vals.a[t.reg].is_mask = true;
		ir_m(B, OP_v_mad_u64_u32, 5, u = new_reg(G, IR_BANK_V, 2), t, pick_v(G, 1), pick_v(G, 1), pick_v(G, 2));
		ir_m(B, P_copy, 2, pick_v(G, 2), u);
		break;
	}
}

/* With and without the old value; compare-and-swap takes four dwords. */
static ir_inst *
atomic(gen *G)
{
	ir_builder *B = &G->B;
	ir_opnd off = { .kind = P2A_K_OFF }, t;
	ir_inst *i;

	switch (rnd(G, 5)) {
	case 0: return ir_m(B, OP_global_atomic_add, 3, pick_v(G, 2), pick_v(G, 1), off);
	case 1: return ir_m(B, OP_ds_add_u32, 2, pick_v(G, 1), pick_v(G, 1));
	case 2: i = ir_m(B, OP_ds_add_rtn_u32, 3, t = new_reg(G, IR_BANK_V, 1), pick_v(G, 1), pick_v(G, 1)); break;
	case 3: i = ir_m(B, OP_global_atomic_add_rtn, 4, t = new_reg(G, IR_BANK_V, 1), pick_v(G, 2), pick_v(G, 1), off); break;
	default: i = ir_m(B, OP_global_atomic_cmpswap_x2_rtn, 4, t = new_reg(G, IR_BANK_V, 2), pick_v(G, 2), pick_v(G, 4), off);
	}
	ir_m(B, P_copy, 2, pick_v(G, t.width), t);
	return i;
}

static void
memory(gen *G)
{
	static const uint16_t loads[] = { OP_global_load_dword, OP_global_load_dwordx2, OP_global_load_dwordx4 };
	static const uint16_t sloads[] = { OP_s_load_dword, OP_s_load_dwordx2, OP_s_load_dwordx4, OP_s_load_dwordx8 };
	ir_builder *B = &G->B;
	ir_opnd off = { .kind = P2A_K_OFF };
	unsigned k = rnd(G, 3);
	ir_inst *i;
	ir_opnd t;

	/* Results into values of their own, as in code that was SSA: some must not lie on the address. */
	switch (rnd(G, 11)) {
	case 0: case 4:
		i = ir_m(B, loads[k], 3, t = new_reg(G, IR_BANK_V, 1u << k), pick_v(G, 2), off);
		ir_m(B, P_copy, 2, pick_v(G, 1u << k), t);
		break;
	case 1: case 5:
		k = rnd(G, 4);
		i = ir_m(B, sloads[k], 3, t = new_reg(G, IR_BANK_S, 1u << k), pick_s(G, 2), off);
		ir_m(B, P_copy, 2, k == 3 ? G->s[1].o : pick_s(G, 1u << k), t);
		break;
	case 2:
		i = ir_m(B, OP_ds_read_b32, 2, pick_v(G, 1), pick_v(G, 1));
		break;
	case 3:
		i = ir_m(B, OP_ds_write_b32, 2, pick_v(G, 1), pick_v(G, 1));
		break;
	case 6:
		ir_m(B, OP_flat_load_dword, 2, pick_v(G, 1), pick_v(G, 2));
		if (!rnd(G, 8))
			ir_m(B, P_barrier, 0);
		return;
	case 7:
		ir_m(B, OP_flat_store_dword, 2, pick_v(G, 2), pick_v(G, 1));
		return;
	case 9: case 10:
		i = atomic(G);
		break;
	default:
		i = ir_m(B, rnd(G, 2) ? OP_global_store_dword : OP_global_store_dwordx2, 3, pick_v(G, 2),
			G->v[0].o, off);
		i->m.arg[1] = pick_v(G, i->m.op == OP_global_store_dword ? 1 : 2);
		break;
	}
	i->m.offset = (int32_t)(4 * rnd(G, 64));
}

/* ---- blocks ---- */

static ir_block *
new_block(gen *G, unsigned depth)
{
	ir_block *b = ir_new_block(G->f);

	b->depth = depth;
	return b;
}

static void
enter(gen *G, ir_block *b)
{
	G->B.b = b;
}

static ir_inst *
branch(gen *G, unsigned op, const ir_block *to)
{
	return ir_m(&G->B, op, 1, (ir_opnd){ .kind = IR_K_BLOCK, .reg = to ? to->id : 0 });
}

static void body(gen *, unsigned depth, unsigned loop);

static unsigned and_op(const gen *G) { return G->w == 2 ? OP_s_and_b64 : OP_s_and_b32; }
static unsigned andn2_op(const gen *G) { return G->w == 2 ? OP_s_andn2_b64 : OP_s_andn2_b32; }
static unsigned mov_op(const gen *G) { return G->w == 2 ? OP_s_mov_b64 : OP_s_mov_b32; }

typedef struct scope { unsigned nv, ns, nro; } scope;

static void
close_scope(gen *G, scope s)
{
	G->nv = s.nv;
	G->ns = s.ns;
	G->nro = s.nro;
}

/* Variables that exist in one region only. */
static scope
locals(gen *G)
{
	unsigned n = rnd(G, 6);
	scope old = { G->nv, G->ns, G->nro };

	for (unsigned k = 0; k < n && G->nv < MAXVARS && G->ns < MAXVARS; k++) {
		unsigned width = 1u << rnd(G, 3);
		ir_opnd o = new_reg(G, IR_BANK_V, width), s = new_reg(G, IR_BANK_S, 1);

		for (unsigned d = 0; d < width; d++)
			ir_m(&G->B, OP_v_mov_b32, 2, ir_part(o, d, 1), pick_v(G, 1))->fresh = !d;
		ir_m(&G->B, OP_s_mov_b32, 2, s, rnd_imm(G));
		G->v[G->nv++].o = o;
		G->s[G->ns++].o = s;
	}
	return old;
}

static void
divergent_if(gen *G, unsigned depth, unsigned loop)
{
	ir_opnd m = new_reg(G, IR_BANK_S, G->w), save = new_reg(G, IR_BANK_S, G->w);
	ir_block *cond = G->B.b, *then, *then_end, *other, *other_end, *join;
	ir_inst *skip_then, *skip_other;
	scope sc;

	ir_m(&G->B, OP_v_cmp_lt_u32, 3, m, pick_v(G, 1), pick_v(G, 1));
	ir_m(&G->B, mov_op(G), 2, save, G->exec);
	ir_m(&G->B, and_op(G), 3, G->exec, save, m);
	skip_then = branch(G, OP_s_cbranch_execz, NULL);
	then = new_block(G, loop);
	gen_edge(G->f, cond, then, true, true);
	enter(G, then);
	sc = locals(G);
	body(G, depth, loop);
	close_scope(G, sc);
	then_end = G->B.b;
	other = new_block(G, loop);
	skip_then->m.arg[0].reg = other->id;
	gen_edge(G->f, then_end, other, true, false);
	gen_edge(G->f, cond, other, true, true);
	enter(G, other);
	ir_m(&G->B, andn2_op(G), 3, G->exec, save, m);
	skip_other = branch(G, OP_s_cbranch_execz, NULL);
	{
		ir_block *in = new_block(G, loop);

		gen_edge(G->f, other, in, true, true);
		enter(G, in);
	}
	sc = locals(G);
	body(G, depth, loop);
	close_scope(G, sc);
	other_end = G->B.b;
	join = new_block(G, loop);
	skip_other->m.arg[0].reg = join->id;
	gen_edge(G->f, other, join, true, false);
	gen_edge(G->f, other_end, join, true, true);
	gen_edge(G->f, then_end, join, false, true);
	enter(G, join);
	ir_m(&G->B, mov_op(G), 2, G->exec, save);
}

static void
uniform_if(gen *G, unsigned depth, unsigned loop)
{
	ir_block *cond = G->B.b, *then, *then_end, *join;
	ir_inst *skip;
	scope sc;

	ir_m(&G->B, OP_s_cmp_lt_u32, 2, pick_s(G, 1), pick_s(G, 1));
	skip = branch(G, OP_s_cbranch_scc0, NULL);
	skip->glue = true;
	then = new_block(G, loop);
	gen_edge(G->f, cond, then, true, true);
	enter(G, then);
	sc = locals(G);
	body(G, depth, loop);
	close_scope(G, sc);
	then_end = G->B.b;
	join = new_block(G, loop);
	skip->m.arg[0].reg = join->id;
	gen_edge(G->f, cond, join, true, true);
	gen_edge(G->f, then_end, join, true, true);
	enter(G, join);
}

static void
uniform_loop(gen *G, unsigned depth, unsigned loop)
{
	ir_opnd n = new_reg(G, IR_BANK_S, 1);
	ir_block *before = G->B.b, *head, *end, *after;
	scope sc;

	ir_m(&G->B, OP_s_mov_b32, 2, n, imm(0));
	sc = locals(G);
	head = new_block(G, loop + 1);
	gen_edge(G->f, before, head, true, true);
	enter(G, head);
	body(G, depth, loop + 1);
	end = G->B.b;
	ir_m(&G->B, OP_s_add_u32, 3, n, n, imm(1));
	ir_m(&G->B, OP_s_cmp_lg_u32, 2, n, imm(1 + rnd(G, 4)));
	branch(G, OP_s_cbranch_scc1, head)->glue = true;
	gen_edge(G->f, end, head, true, true);
	after = new_block(G, loop);
	gen_edge(G->f, end, after, true, true);
	enter(G, after);
	close_scope(G, sc);
}

/* Lanes leave one after the other. */
static void
divergent_loop(gen *G, unsigned depth, unsigned loop)
{
	ir_opnd save = new_reg(G, IR_BANK_S, G->w), m = new_reg(G, IR_BANK_S, G->w), n = new_reg(G, IR_BANK_V, 1);
	ir_opnd limit = new_reg(G, IR_BANK_V, 1);
	ir_block *before = G->B.b, *head, *end, *after;
	scope sc;

	ir_m(&G->B, mov_op(G), 2, save, G->exec);
	ir_m(&G->B, OP_v_mov_b32, 2, n, imm(0));
	ir_m(&G->B, OP_v_cndmask_b32, 4, limit, imm(2), G->v[0].o.width ? imm(4) : imm(3), pick_m(G));
	sc = locals(G);
	head = new_block(G, loop + 1);
	gen_edge(G->f, before, head, true, true);
	enter(G, head);
	body(G, depth, loop + 1);
	end = G->B.b;
	ir_m(&G->B, OP_v_add_u32, 3, n, imm(1), n);
	ir_m(&G->B, OP_v_cmp_lt_u32, 3, m, n, limit);
	ir_m(&G->B, and_op(G), 3, G->exec, G->exec, m);
	branch(G, OP_s_cbranch_execnz, head);
	gen_edge(G->f, end, head, true, true);
	after = new_block(G, loop);
	gen_edge(G->f, end, after, true, true);
	enter(G, after);
	ir_m(&G->B, mov_op(G), 2, G->exec, save);
	close_scope(G, sc);
}

static void
body(gen *G, unsigned depth, unsigned loop)
{
	unsigned n = 1 + (depth == G->opt->depth ? 2 * G->opt->statements : rnd(G, G->opt->statements));

	for (unsigned k = 0; k < n && G->budget; k++) {
		unsigned what = rnd(G, 100);

		G->budget--;

		if (what < 12 && depth)
			divergent_if(G, depth - 1, loop);
		else if (what < 18 && depth)
			uniform_if(G, depth - 1, loop);
		else if (what < 22 && depth && loop < 2)
			uniform_loop(G, depth - 1, loop);
		else if (what < 26 && depth && loop < 2)
			divergent_loop(G, depth - 1, loop);
		else if (what < 45)
			memory(G);
		else
			alu(G);
	}
}

/* ---- begin and end ---- */

static ir_opnd
pinned(gen *G, unsigned bank, unsigned width, int pin)
{
	ir_opnd o = new_reg(G, bank, width);

	G->f->vals.a[o.reg].pin = (int16_t)pin;
	return o;
}

static void
arrive(gen *G)
{
	ir_opnd kernarg = pinned(G, IR_BANK_S, 2, 4), id = pinned(G, IR_BANK_S, 1, 8);
	ir_opnd x = pinned(G, IR_BANK_V, 1, 0), y = pinned(G, IR_BANK_V, 1, 1);

	if (!G->t->arch_scratch) {
		G->f->k.flat_scratch_sgpr = 6;
		G->f->k.wave_offset_sgpr = 9;
	}
	ir_m(&G->B, P_entry, 2, kernarg, id);
	ir_m(&G->B, P_entry, 2, x, y);
	G->s[G->ns++].o = kernarg;
	G->v[G->nv++].o = x;
	G->v[G->nv++].o = y;
	G->s[G->ns++].o = id;
}

/* v[0] and s[0], s[1] are wide, so that pick always finds something. */
static void
declare(gen *G)
{
	const gen_options *o = G->opt;
	ir_opnd x = G->v[0].o, k = G->s[0].o;

	G->ns = G->nv = 0;
	G->v[G->nv++].o = new_reg(G, IR_BANK_V, 4);
	G->s[G->ns++].o = new_reg(G, IR_BANK_S, 4);
	G->s[G->ns++].o = new_reg(G, IR_BANK_S, 8);
	for (unsigned i = 0; i < o->vectors; i++)
		G->v[G->nv++].o = new_reg(G, IR_BANK_V, rnd(G, 3) ? 1 : 1u << rnd(G, 3));
	for (unsigned i = 0; i < o->scalars; i++)
		G->s[G->ns++].o = new_reg(G, IR_BANK_S, rnd(G, 3) ? 1 : 1u << rnd(G, 3));
	for (unsigned i = 0; i <= o->masks; i++) {
		G->m[G->nm].o = new_reg(G, IR_BANK_S, G->w);
		G->f->vals.a[G->m[G->nm++].o.reg].is_mask = true;
	}
	for (unsigned i = 0; i < G->nv; i++)
		for (unsigned d = 0; d < G->v[i].o.width; d++)
			ir_m(&G->B, OP_v_add_u32, 3, ir_part(G->v[i].o, d, 1), imm(i * 4 + d), x)->fresh = !d;
	for (unsigned i = 0; i < G->ns; i++)
		for (unsigned d = 0; d < G->s[i].o.width; d++)
			ir_m(&G->B, rnd(G, 4) ? OP_s_mov_b32 : OP_s_xor_b32, 2, ir_part(G->s[i].o, d, 1), rnd_imm(G))->fresh = !d;
	for (ir_inst *i = G->B.b->first; i; i = i->next)
		if (i->m.op == OP_s_xor_b32 && i->m.nargs == 2) {
			i->m.arg[2] = ir_part(k, 0, 1);
			i->m.nargs = 3;
		}
	for (unsigned i = 0; i < G->nm; i++)
		ir_m(&G->B, OP_v_cmp_lt_u32, 3, G->m[i].o, imm(i % 64), x);
}

static void
store_all(gen *G)
{
	ir_opnd off = { .kind = P2A_K_OFF }, at = ir_part(G->v[0].o, 0, 2);

	for (unsigned i = 0; i < G->nv; i++)
		for (unsigned d = 0; d < G->v[i].o.width; d++)
			ir_m(&G->B, OP_global_store_dword, 3, at, ir_part(G->v[i].o, d, 1), off);
	for (unsigned i = 0; i < G->ns + G->nm; i++) {
		ir_opnd s = i < G->ns ? G->s[i].o : G->m[i - G->ns].o;

		for (unsigned d = 0; d < s.width; d++) {
			ir_opnd t = new_reg(G, IR_BANK_V, 1);

			ir_m(&G->B, P_copy, 2, t, ir_part(s, d, 1));
			ir_m(&G->B, OP_global_store_dword, 3, at, t, off);
		}
	}
	ir_m(&G->B, OP_s_endpgm, 0);
}

ir_func *
gen_program(arena *A, const p2a_target *t, const gen_options *opt)
{
	gen *G = arena_new(A, gen);

	G->f = gen_new(A, t, "k");
	G->f->max_vgprs = opt->max_vgprs;
	G->t = t;
	G->opt = opt;
	G->seed = opt->seed * 7919 + 17;
	G->w = t->wave / 32u;
	G->budget = 60 * opt->statements;
	G->exec = (ir_opnd){ .kind = P2A_K_SREG, .width = (uint8_t)G->w, .reg = G->w == 2 ? P2A_EXEC : P2A_EXEC_LO };
	G->B = (ir_builder){ G->f, NULL, NULL, 0 };
	enter(G, new_block(G, 0));
	G->f->entry = G->B.b;
	arrive(G);
	declare(G);
	body(G, opt->depth, 0);
	store_all(G);
	return G->f;
}
