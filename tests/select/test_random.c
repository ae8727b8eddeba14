/* test_random.c -- random kernels of all operations that ir_eval can compute, translated from
 * generic SSA to a code object and run on the emulated chips; every lane must leave what ir_eval
 * says. Sources are parameters, per-lane data and constants that edges are made of; some kernels
 * branch, so that phis, masks and copies at joins are made. The argument is a seed, or a number
 * of kernels a chip. */
#include "kit.h"
#include "obj/obj.h"
#include "p2a_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LANES = 64,
	NDATA = 8,
	NPARAMS = 6,
	NOPS = 40,
	NOUT = 12,
	MAX_VALS = 2048,
	SLOT = 64 /* bytes a lane */
};

static uint64_t seed;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static uint32_t
number(void)
{
	static const uint32_t edge[] = { 0,  1,   2,   31,     32,         33,         63,
					 64, 255, 256, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };

	switch (rnd(3)) {
	case 0: return edge[rnd(COUNT(edge))];
	case 1: return rnd(80);
	default: return rnd(1u << 16) << 16 ^ rnd(1u << 16);
	}
}

typedef struct program {
	kit *k;
	uint32_t data[NDATA][LANES], param[NPARAMS];
	ir_opnd address;               /* of this lane's data */
	VEC(ir_opnd) pool[3];          /* by type: B1, W, D */
	uint64_t *val[LANES];          /* by value id */
	ir_opnd tid;
	bool memory;
	uint8_t shared[LANES][SLOT], local[LANES][SLOT];
	ir_opnd out[NOUT];
} program;

static unsigned pool_of(unsigned type) { return type == IR_T_B1 ? 0 : type == IR_T_W ? 1 : 2; }
static void
keep(program *p, ir_opnd o, unsigned type)
{
	*vec_push(&p->k->A, &p->pool[pool_of(type)]) = o;
}

static ir_opnd
pick(program *p, unsigned type)
{
	unsigned t = pool_of(type);

	if (t && rnd(5) == 0)
		return t == 1 ? ir_i32(number())
			      : ir_i64(number() | (uint64_t)number() << (rnd(2) * 32));
	/* Newer values rather: expressions grow deep. */
	return p->pool[t].a[p->pool[t].n - 1 - rnd(rnd(3) ? MIN(p->pool[t].n, 6u) : p->pool[t].n)];
}

/* ---- the program ---- */

static ir_opnd
load_data(program *p, unsigned k)
{
	ir_opnd d = ir_g1(&p->k->B, G_load, p->address);

	ir_last(&p->k->B)->m.offset = (int32_t)(k * LANES * 4);
	ir_last(&p->k->B)->mem = (ir_mem){ .space = IR_GLOBAL, .bytes = 4, .align = 4 };
	return d;
}

static void
prologue(program *p)
{
	kit *k = p->k;
	ir_opnd in = kit_param(k, 8), tid, off;

	(void)kit_param(k, 8);
	k->f->vals.a[k->f->vals.n - 1].def = NULL;
	p->tid = tid = kit_special(k, IR_TID_X);
	off = ir_g2(&k->B, G_pack64, ir_g2(&k->B, G_shl32, tid, ir_i32(2)), ir_i32(0));
	p->address = ir_g2(&k->B, G_add64, in, off);
	for (unsigned i = 0; i < NPARAMS; i++)
		keep(p, kit_param(k, 4), IR_T_W);
	for (unsigned i = 0; i < NDATA; i++)
		keep(p, load_data(p, i), IR_T_W);
	for (unsigned i = 0; i < 4; i++)
		keep(p, ir_g2(&k->B, G_pack64, pick(p, IR_T_W), pick(p, IR_T_W)), IR_T_D);
	for (unsigned i = 0; i < 3; i++)
		keep(p,
		     ir_icmp(&k->B, 32, (ir_cc)rnd(IR_HS + 1), p->pool[1].a[rnd(p->pool[1].n)],
			     ir_i32(number())),
		     IR_T_B1);
}

static bool
evaluates(unsigned gop)
{
	const ir_ginfo *g = ir_ginfo_of(gop);
	static const uint64_t one[4] = { 1, 1, 1, 1 };
	ir_inst i = { .m.op = (uint16_t)gop };
	uint64_t r;

	return g->flags & IR_PURE && g->nsrc && ir_eval(&i, one, &r) && gop != G_word;
}

static void
random_op(program *p)
{
	unsigned gop = IR_G_BASE + 1 + rnd(P_entry - IR_G_BASE - 1);
	const ir_ginfo *g = ir_ginfo_of(gop);
	ir_opnd s[4], d;

	if (!evaluates(gop) || (gop >= G_dot4_u && gop <= G_dot4_su && ir_dot_op(p->k->f->target, gop) == ISA_NOPS))
		return;
	for (unsigned k = 0; k < g->nsrc; k++)
		s[k] = pick(p, g->src[k]);
	d = ir_gen(&p->k->B, gop, g->nsrc, s);
	if (!ir_is_val(d))
		return;
	if (ir_last(&p->k->B)->m.op == gop) {
		ir_last(&p->k->B)->cc = (uint8_t)rnd(IR_HS + 1);
		ir_last(&p->k->B)->sem = (uint8_t)rnd(2);
	}
	keep(p, d, g->dst);
}

/* ---- memory: every lane has a slot of shared and one of local memory ---- */

static ir_opnd
slot_address(program *p, ir_space space)
{
	ir_builder *B = &p->k->B;
	ir_opnd at =
		rnd(2) ? ir_i32(rnd(4) * 16) : ir_g2(B, G_and32, pick(p, IR_T_W), ir_i32(0x30));

	if (space == IR_LOCAL)
		return at;
	at = ir_g2(B, G_add32, ir_g2(B, G_shl32, p->tid, ir_i32(6)), at);
	return space == IR_SHARED ? at : ir_g2(B, G_pack64, at, ir_g0(B, G_shared_hi));
}

static ir_opnd
stored(program *p, unsigned bytes)
{
	ir_opnd x[4];

	if (bytes <= 8)
		return pick(p, bytes == 8 ? IR_T_D : IR_T_W);
	for (unsigned k = 0; k < 4; k++)
		x[k] = pick(p, IR_T_W);
	return ir_gen(&p->k->B, bytes == 12 ? G_pack96 : G_pack128, bytes / 4, x);
}

static void
memory_op(program *p, ir_space space, bool load, unsigned bytes, unsigned offset)
{
	kit *k = p->k;
	ir_opnd at = slot_address(p, space), s[2] = { at, { 0 } }, d = { 0 };
	unsigned align = bytes == 12 ? 4 : MIN(bytes, 4u << rnd(3)); /* at least; it is natural */

	if (!load)
		s[1] = stored(p, bytes);
	if (load)
		d = ir_valop(k->f, ir_new_val(k->f, (bytes + 3) / 4));
	if (load)
		ir_gen_to(&k->B, d, G_load, 1, s);
	else
		ir_gen(&k->B, G_store, 2, s);
	ir_last(&k->B)->m.offset = (int32_t)offset;
	ir_last(&k->B)->mem = (ir_mem){ .space = (uint8_t)space,
					.bytes = (uint8_t)bytes,
					.sext = rnd(2) & 1,
					.align = (uint8_t)align };
	if (load && bytes <= 8)
		keep(p, d, bytes == 8 ? IR_T_D : IR_T_W);
	else if (load)
		keep(p, ir_g2(&k->B, G_word, d, ir_i32(rnd(bytes / 4))), IR_T_W);
}

static void
random_access(program *p)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 12, 16 };
	static const ir_space spaces[] = { IR_SHARED, IR_LOCAL, IR_GENERIC };
	unsigned bytes = sizes[rnd(6)], step = bytes == 12 ? 4 : bytes;

	memory_op(p, spaces[rnd(3)], rnd(2), bytes, rnd((16 - bytes) / step + 1) * step);
}

static void
clear_slots(program *p)
{
	ir_builder *B = &p->k->B;

	for (unsigned at = 0; at < SLOT; at += 8)
		for (unsigned l = 0; l < 2; l++) {
			ir_opnd s[2] = { l ? ir_i32(0) : ir_g2(B, G_shl32, p->tid, ir_i32(6)),
					 ir_i64(0) };

			ir_gen(B, G_store, 2, s);
			ir_last(B)->m.offset = (int32_t)at;
			ir_last(B)->mem = (ir_mem){ .space = l ? IR_LOCAL : IR_SHARED,
						    .bytes = 8,
						    .align = 8 };
		}
}

static void
ops(program *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (p->memory && rnd(6) == 0)
			random_access(p);
		else
			random_op(p);
}

/* if (c) { ops } else { ops }, and phis of what both made. */
static void
diamond(program *p)
{
	kit *k = p->k;
	ir_block *head = k->B.b, *arm[2] = { ir_new_block(k->f), ir_new_block(k->f) },
		 *join = ir_new_block(k->f);
	ir_opnd made[2][3], c = p->pool[0].a[rnd(p->pool[0].n)];
	uint32_t had[3] = { p->pool[0].n, p->pool[1].n, p->pool[2].n };

	ir_gen(&k->B, G_cbr, 1, &c);
	ir_link(head, arm[0]);
	ir_link(head, arm[1]);
	for (unsigned a = 0; a < 2; a++) {
		k->B.b = arm[a];
		ops(p, 8);
		for (unsigned t = 0; t < 3; t++) {
			made[a][t] = p->pool[t].a[p->pool[t].n - 1];
			p->pool[t].n = had[t];
		}
		ir_g0(&k->B, G_br);
		ir_link(arm[a], join);
	}
	k->B.b = join;
	for (unsigned t = 0; t < 3; t++) {
		ir_opnd d = ir_valop(k->f, ir_new_val(k->f, t));
		ir_inst *phi = ir_emit(&k->B, G_phi, 1, 1, &d);

		phi->phi = arena_array(&k->A, ir_opnd, 2);
		phi->phi[0] = made[0][t];
		phi->phi[1] = made[1][t];
		keep(p, d, t == 0 ? IR_T_B1 : t == 1 ? IR_T_W : IR_T_D);
	}
}

/* do { ops } while (++i < bound), bound below 8; values of the last turn stay in use behind it. */
static void
loop(program *p)
{
	kit *k = p->k;
	ir_block *pre = k->B.b, *body = ir_new_block(k->f), *exit = ir_new_block(k->f);
	ir_opnd bound = ir_g2(&k->B, G_and32, p->pool[1].a[rnd(p->pool[1].n)], ir_i32(7)), start[3],
		i, next, c;
	ir_inst *phi[4];

	for (unsigned t = 0; t < 3; t++)
		start[t] = p->pool[t].a[rnd(p->pool[t].n)];
	ir_g0(&k->B, G_br);
	ir_link(pre, body);
	k->B.b = body;
	for (unsigned t = 0; t < 4; t++) {
		ir_opnd d = ir_valop(k->f, ir_new_val(k->f, t == 3 ? 1 : t));

		phi[t] = ir_emit(&k->B, G_phi, 1, 1, &d);
		phi[t]->phi = arena_array(&k->A, ir_opnd, 2);
		phi[t]->phi[0] = t == 3 ? ir_i32(0) : start[t];
		keep(p, d, t == 0 ? IR_T_B1 : t == 2 ? IR_T_D : IR_T_W);
	}
	i = phi[3]->m.arg[0];
	ops(p, 12);
	for (unsigned t = 0; t < 3; t++)
		phi[t]->phi[1] = p->pool[t].a[p->pool[t].n - 1 - rnd(MIN(p->pool[t].n, 4u))];
	next = ir_g2(&k->B, G_add32, i, ir_i32(1));
	phi[3]->phi[1] = next;
	c = ir_icmp(&k->B, 32, IR_LO, next, bound);
	ir_gen(&k->B, G_cbr, 1, &c);
	ir_link(body, body);
	ir_link(body, exit);
	k->B.b = exit;
}

static void
epilogue(program *p)
{
	kit *k = p->k;
	ir_opnd base = ir_g0(&k->B, G_kernarg), out, tid = kit_special(k, IR_TID_X), at, s[2];

	out = ir_valop(k->f, ir_new_val(k->f, 2));
	ir_gen_to(&k->B, out, G_load, 1, &base);
	ir_last(&k->B)->m.offset = 8;
	ir_last(&k->B)->mem = (ir_mem){ .space = IR_PARAM, .bytes = 8, .align = 8, .nc = 1 };
	at = ir_g2(&k->B, G_add64, out, ir_g2(&k->B, G_mulw_u32, tid, ir_i32(NOUT * 8)));
	for (unsigned i = 0; i < NOUT; i++) {
		unsigned t = i % 3;

		p->out[i] = p->pool[t].a[p->pool[t].n - 1 - rnd(MIN(p->pool[t].n, 8u))];
		s[0] = at;
		s[1] = t ? p->out[i] : ir_g3(&k->B, G_sel32, p->out[i], ir_i32(1), ir_i32(0));
		ir_gen(&k->B, G_store, 2, s);
		ir_last(&k->B)->m.offset = (int32_t)(i * 8);
		ir_last(&k->B)->mem = (ir_mem){ .space = IR_GLOBAL,
						.bytes = s[1].width == 2 ? 8 : 4,
						.align = 4 };
	}
	kit_ret(k);
}

/* ---- what it should give ---- */

static uint64_t
value(const program *p, unsigned lane, ir_opnd o)
{
	return ir_is_val(o) ? p->val[lane][o.reg] : (uint64_t)o.imm;
}

/* The lane's bytes that a shared, local or generic access means. */
static uint8_t *
slot(program *p, const ir_inst *i, unsigned lane)
{
	uint64_t at = value(p, lane, i->m.arg[i->ndefs]) + (uint64_t)i->m.offset;

	return i->mem.space == IR_LOCAL ? &p->local[lane][at % SLOT] : &p->shared[lane][at % SLOT];
}

static bool
has_slot(const ir_inst *i)
{
	return i->mem.space == IR_LOCAL || i->mem.space == IR_SHARED || i->mem.space == IR_GENERIC;
}

static uint64_t
loaded(program *p, const ir_inst *i, unsigned lane)
{
	uint64_t x = 0;

	if (has_slot(i)) {
		memcpy(&x, slot(p, i, lane), MIN(i->mem.bytes, 8u));
		if (i->mem.bytes < 4 && i->mem.sext)
			x = (uint64_t)((int32_t)((uint32_t)x << (32 - 8 * i->mem.bytes)) >>
				       (32 - 8 * i->mem.bytes));
		return i->mem.bytes <= 4 ? x & 0xffffffff : x;
	}
	if (i->mem.space == IR_PARAM)
		return i->m.offset >= 16 ? p->param[(i->m.offset - 16) / 4] : 0;
	return p->data[i->m.offset / (LANES * 4)][lane];
}

/* 96 and 128 bits are not values here: they are looked up where they come from. */
static void
store_slot(program *p, const ir_inst *i, unsigned lane)
{
	uint64_t x = value(p, lane, i->m.arg[1]);
	const ir_inst *pack = i->mem.bytes > 8 ? p->k->f->vals.a[i->m.arg[1].reg].def : NULL;
	uint8_t *to = slot(p, i, lane);

	if (!pack)
		memcpy(to, &x, i->mem.bytes);
	for (unsigned k = 0; pack && k < i->mem.bytes / 4u; k++) {
		uint32_t w = (uint32_t)value(p, lane, pack->m.arg[1 + k]);

		memcpy(to + 4 * k, &w, 4);
	}
}

/* The load stands right before. */
static uint64_t
wide_word(program *p, const ir_inst *i, unsigned lane)
{
	uint32_t w;

	memcpy(&w, slot(p, p->k->f->vals.a[i->m.arg[1].reg].def, lane) + 4 * i->m.arg[2].imm, 4);
	return w;
}

static void
evaluate(program *p, const ir_inst *i, unsigned lane)
{
	uint64_t src[4] = { 0 }, r = 0;

	if (i->m.op == G_store && has_slot(i))
		store_slot(p, i, lane);
	if (!i->ndefs)
		return;
	for (unsigned k = 1; k < i->m.nargs; k++)
		src[k - 1] = value(p, lane, i->m.arg[k]);
	if (i->m.op == G_load)
		r = loaded(p, i, lane);
	else if (i->m.op == G_special)
		r = lane;
	else if (i->m.op == G_word)
		r = wide_word(p, i, lane);
	else if (i->m.op == G_pack96 || i->m.op == G_pack128)
		r = 0;
	else
		(void)ir_eval(i, src, &r);
	p->val[lane][i->m.arg[0].reg] = r;
}

/* Phis are read all before one is written. */
static void
enter_block(program *p, const ir_block *b, const ir_block *from, unsigned lane)
{
	uint64_t v[8];
	unsigned n = 0;

	for (const ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next)
		v[n++] = value(p, lane, i->phi[b->preds.a[0] != from]);
	n = 0;
	for (const ir_inst *i = b->first; i && i->m.op == G_phi; i = i->next)
		p->val[lane][i->m.arg[0].reg] = v[n++];
}

static void
interpret(program *p, unsigned lane)
{
	const ir_block *b = p->k->f->entry, *from = NULL;

	p->val[lane] = arena_array(&p->k->A, uint64_t, MAX_VALS);
	while (b) {
		const ir_block *next = NULL;

		enter_block(p, b, from, lane);
		for (const ir_inst *i = b->first; i; i = i->next) {
			if (i->m.op == G_phi)
				continue;
			else if (i->m.op == G_br)
				next = b->succs.a[0];
			else if (i->m.op == G_cbr)
				next = b->succs.a[!(value(p, lane, i->m.arg[0]) & 1)];
			else
				evaluate(p, i, lane);
		}
		from = b;
		b = next;
	}
}

/* ---- running ---- */

static const char *
translate(program *p, buf *object)
{
	static void (*const pass[])(ir_func *) = { p_ssa,       p_fold,    p_cse,       p_dce,
						   p_normalize, p_uniform, p_field,     p_dce,
						   p_select,    p_unssa,   p_linearize, p_mode,
						   p_regalloc,  p_waitcnt, p_hazard,    p_emit };
	static const int stage[] = {
		IR_V_SSA,         IR_V_SSA,      IR_V_SSA,      IR_V_SSA,
		IR_V_SSA,         IR_V_SSA,      IR_V_SSA,      IR_V_SSA,
		IR_V_MACHINE_SSA, IR_V_MACHINE,  IR_V_LINEAR,   IR_V_LINEAR,
		IR_V_PHYSICAL,    IR_V_PHYSICAL, IR_V_PHYSICAL, IR_V_PHYSICAL
	};
	bool plain = rnd(2);

	for (unsigned n = plain ? 4 : 1; n < COUNT(pass); n++) {
		const char *why;

		pass[n](p->k->f);
		if ((why = ir_verify(p->k->f, stage[n])))
			return arena_printf(&p->k->A, "after pass %u: %s", n, why);
	}
	obj_write(&p->k->M, object);
	return object->n ? NULL : "no object";
}

static const char *
compare(program *p, const uint64_t *got)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < NOUT; i++) {
			uint64_t want = value(p, lane, p->out[i]),
				 mask = i % 3 == 2 ? ~0ull : 0xffffffff;

			if ((got[lane * NOUT + i] ^ want) & mask)
				return arena_printf(
					&p->k->A, "lane %u, %%%u: %llx, not %llx", lane,
					p->out[i].reg,
					(unsigned long long)(got[lane * NOUT + i] & mask),
					(unsigned long long)(want & mask));
		}
	return NULL;
}

static const char *
run(program *p, p2a_device *dev, const buf *object, uint64_t *got)
{
	struct { uint64_t in, out; uint32_t param[NPARAMS]; } args = { 0 };
	p2a_launch_config l = {
		.size = sizeof l, .block = { LANES }, .packed = &args, .packed_size = sizeof args
	};
	p2a_module *mod = NULL;
	p2a_stats stats;
	p2a_error err = { 0 };
	size_t bytes = LANES * NOUT * sizeof *got;
	bool good = !p2a_module_load(dev, object->p, object->n, &mod, &err) &&
		    !p2a_mem_alloc(dev, sizeof p->data, &args.in, &err) &&
		    !p2a_mem_alloc(dev, bytes, &args.out, &err) &&
		    !p2a_mem_write(dev, args.in, p->data, sizeof p->data, &err);

	memcpy(args.param, p->param, sizeof args.param);
	good = good && !p2a_launch(p2a_module_kernel(mod, "k"), &l, &stats, &err) &&
	       !p2a_mem_read(dev, got, args.out, bytes, &err);
	p2a_mem_free(dev, args.in, NULL);
	p2a_mem_free(dev, args.out, NULL);
	p2a_module_unload(mod);
	return good ? NULL : arena_printf(&p->k->A, "%s", err.text);
}

static bool
one(p2a_device *dev, const char *chip, uint64_t s)
{
	static uint64_t got[LANES * NOUT];
	static program p;
	diag_sink sink;
	buf object;
	const char *why, *text;

	memset(&p, 0, sizeof p);
	p.k = kit_new(chip);
	seed = s;
	p.memory = rnd(3) == 0;
	for (unsigned k = 0; k < NDATA; k++)
		for (unsigned l = 0; l < LANES; l++)
			p.data[k][l] = number();
	for (unsigned k = 0; k < NPARAMS; k++)
		p.param[k] = number();
	prologue(&p);
	if (p.memory) {
		p.k->f->lds_static = LANES * SLOT;
		p.k->f->local_size = SLOT;
		clear_slots(&p);
	}
	for (unsigned k = rnd(3); k > 0; k--) {
		ops(&p, NOPS / 2);
		if (rnd(2))
			diamond(&p);
		else
			loop(&p);
	}
	ops(&p, NOPS);
	epilogue(&p);
	ir_count_uses(p.k->f);
	for (unsigned l = 0; l < LANES; l++)
		interpret(&p, l);
	text = kit_text(p.k);
	diag_init(&sink, &p.k->A, NULL, 0);
	p.k->M.diags = &sink;
	p.k->M.code_object = 4;
	p.k->f->kernarg_size = 16 + 4 * NPARAMS;
	p.k->f->kernarg_align = 8;
	*vec_push(&p.k->A, &p.k->f->params) = (struct ir_param){ 0, p.k->f->kernarg_size, "all" };
	*vec_push(&p.k->A, &p.k->M.funcs) = p.k->f;
	p.k->M.vars.n = 0;
	buf_init(&object, &p.k->A);
	why = translate(&p, &object);
	if (!why)
		why = run(&p, dev, &object, got);
	if (!why)
		why = compare(&p, got);
	if (why) {
		kit_ok(false, why, "seed %llu on %s", (unsigned long long)s, chip);
		if (getenv("KIT_TEXT"))
			printf("%s\n%s\n", text, kit_text(p.k));
	}
	kit_free(p.k);
	return !why;
}

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 100,
		      from = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	for (unsigned c = 0; c < 4; c++) {
		p2a_device_config conf = { .size = sizeof conf,
					   .backend = "emu",
					   .target = kit_chips[c],
					   .check = P2A_CHECK_ALL,
					   .timeout = 20,
					   .threads = 1 };
		p2a_device *dev;
		unsigned long bad = 0;

		if (argc > 3 && strcmp(argv[3], kit_chips[c]))
			continue;
		if (p2a_device_open(&conf, &dev, NULL)) {
			kit_ok(false, "cannot open the emulator", "%s", kit_chips[c]);
			continue;
		}
		for (unsigned long s = from; s < from + n; s++)
			bad += !one(dev, kit_chips[c], s);
		kit_ok(!bad, "see above", "%lu random kernels on %s", n, kit_chips[c]);
		p2a_device_close(dev);
	}
	return kit_failures();
}
