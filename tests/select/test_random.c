/* test_random.c -- random kernels of all operations that ir_eval can compute, translated from generic SSA to a
 * code object and run on the emulated chips; every lane must leave what ir_eval says.
 * Sources are parameters, per-lane data and constants that edges are made of; some kernels branch, so that
 * phis, masks and copies at joins are made. The argument is a seed, or a number of kernels a chip. */
#include "kit.h"
#include "obj/obj.h"
#include "p2a_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, NDATA = 8, NPARAMS = 6, NOPS = 40, NOUT = 12, MAX_VALS = 1024 };

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
	static const uint32_t edge[] = { 0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };

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
	ir_opnd out[NOUT];
} program;

static unsigned pool_of(unsigned type) { return type == IR_T_B1 ? 0 : type == IR_T_W ? 1 : 2; }
static void keep(program *p, ir_opnd o, unsigned type) { *vec_push(&p->k->A, &p->pool[pool_of(type)]) = o; }

static ir_opnd
pick(program *p, unsigned type)
{
	unsigned t = pool_of(type);

	if (t && rnd(5) == 0)
		return t == 1 ? ir_i32(number()) : ir_i64(number() | (uint64_t)number() << (rnd(2) * 32));
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
	tid = kit_special(k, IR_TID_X);
	off = ir_g2(&k->B, G_pack64, ir_g2(&k->B, G_shl32, tid, ir_i32(2)), ir_i32(0));
	p->address = ir_g2(&k->B, G_add64, in, off);
	for (unsigned i = 0; i < NPARAMS; i++)
		keep(p, kit_param(k, 4), IR_T_W);
	for (unsigned i = 0; i < NDATA; i++)
		keep(p, load_data(p, i), IR_T_W);
	for (unsigned i = 0; i < 4; i++)
		keep(p, ir_g2(&k->B, G_pack64, pick(p, IR_T_W), pick(p, IR_T_W)), IR_T_D);
	for (unsigned i = 0; i < 3; i++)
		keep(p, ir_icmp(&k->B, 32, (ir_cc)rnd(IR_HS + 1), p->pool[1].a[rnd(p->pool[1].n)], ir_i32(number())), IR_T_B1);
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

	if (!evaluates(gop))
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

static void
ops(program *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		random_op(p);
}

/* if (c) { ops } else { ops }, and phis of what both made. */
static void
diamond(program *p)
{
	kit *k = p->k;
	ir_block *head = k->B.b, *arm[2] = { ir_new_block(k->f), ir_new_block(k->f) }, *join = ir_new_block(k->f);
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
		ir_last(&k->B)->mem = (ir_mem){ .space = IR_GLOBAL, .bytes = s[1].width == 2 ? 8 : 4, .align = 4 };
	}
	kit_ret(k);
}

/* ---- what it should give ---- */

static uint64_t
value(const program *p, unsigned lane, ir_opnd o)
{
	return ir_is_val(o) ? p->val[lane][o.reg] : (uint64_t)o.imm;
}

static uint64_t
loaded(const program *p, const ir_inst *i, unsigned lane)
{
	if (i->mem.space == IR_PARAM)
		return i->m.offset >= 16 ? p->param[(i->m.offset - 16) / 4] : 0;
	return p->data[i->m.offset / (LANES * 4)][lane];
}

static void
evaluate(program *p, const ir_inst *i, unsigned lane)
{
	uint64_t src[4] = { 0 }, r = 0;

	if (!i->ndefs)
		return;
	for (unsigned k = 1; k < i->m.nargs; k++)
		src[k - 1] = value(p, lane, i->m.arg[k]);
	if (i->m.op == G_load)
		r = loaded(p, i, lane);
	else if (i->m.op == G_special)
		r = lane;
	else
		(void)ir_eval(i, src, &r);
	p->val[lane][i->m.arg[0].reg] = r;
}

static void
interpret(program *p, unsigned lane)
{
	const ir_block *b = p->k->f->entry, *from = NULL;

	p->val[lane] = arena_array(&p->k->A, uint64_t, MAX_VALS);
	while (b) {
		const ir_block *next = NULL;

		for (const ir_inst *i = b->first; i; i = i->next) {
			if (i->m.op == G_phi)
				p->val[lane][i->m.arg[0].reg] = value(p, lane, i->phi[b->preds.a[0] != from]);
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
	static void (*const pass[])(ir_func *) = { p_ssa, p_fold, p_cse, p_dce, p_normalize, p_uniform, p_field, p_dce, p_select,
		p_unssa, p_linearize, p_mode, p_regalloc, p_waitcnt, p_hazard, p_emit };
	static const int stage[] = { IR_V_SSA, IR_V_SSA, IR_V_SSA, IR_V_SSA, IR_V_SSA, IR_V_SSA, IR_V_SSA, IR_V_SSA,
		IR_V_MACHINE_SSA, IR_V_MACHINE, IR_V_LINEAR, IR_V_LINEAR, IR_V_PHYSICAL, IR_V_PHYSICAL, IR_V_PHYSICAL, IR_V_PHYSICAL };
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
			uint64_t want = value(p, lane, p->out[i]), mask = i % 3 == 2 ? ~0ull : 0xffffffff;

			if ((got[lane * NOUT + i] ^ want) & mask)
				return arena_printf(&p->k->A, "lane %u, %%%u: %llx, not %llx", lane, p->out[i].reg,
				                    (unsigned long long)(got[lane * NOUT + i] & mask), (unsigned long long)(want & mask));
		}
	return NULL;
}

static const char *
run(program *p, p2a_device *dev, const buf *object, uint64_t *got)
{
	struct { uint64_t in, out; uint32_t param[NPARAMS]; } args = { 0 };
	p2a_launch_config l = { .size = sizeof l, .block = { LANES }, .packed = &args, .packed_size = sizeof args };
	p2a_module *mod = NULL;
	p2a_stats stats;
	p2a_error err = { 0 };
	size_t bytes = LANES * NOUT * sizeof *got;
	bool good = !p2a_module_load(dev, object->p, object->n, &mod, &err) && !p2a_mem_alloc(dev, sizeof p->data, &args.in, &err) &&
	            !p2a_mem_alloc(dev, bytes, &args.out, &err) && !p2a_mem_write(dev, args.in, p->data, sizeof p->data, &err);

	memcpy(args.param, p->param, sizeof args.param);
	good = good && !p2a_launch(p2a_module_kernel(mod, "k"), &l, &stats, &err) && !p2a_mem_read(dev, got, args.out, bytes, &err);
	p2a_mem_free(dev, args.in, NULL);
	p2a_mem_free(dev, args.out, NULL);
	p2a_module_unload(mod);
	return good ? NULL : arena_printf(&p->k->A, "%s", err.text);
}

static bool
one(p2a_device *dev, const char *chip, uint64_t s)
{
	static uint64_t got[LANES * NOUT];
	program p = { .k = kit_new(chip) };
	diag_sink sink;
	buf object;
	const char *why, *text;

	seed = s;
	rnd(1);
	for (unsigned k = 0; k < NDATA; k++)
		for (unsigned l = 0; l < LANES; l++)
			p.data[k][l] = number();
	for (unsigned k = 0; k < NPARAMS; k++)
		p.param[k] = number();
	prologue(&p);
	for (unsigned k = rnd(3); k > 0; k--) {
		ops(&p, NOPS / 2);
		diamond(&p);
	}
	ops(&p, NOPS);
	epilogue(&p);
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
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 100, from = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	for (unsigned c = 0; c < 4; c++) {
		p2a_device_config conf = { .size = sizeof conf, .backend = "emu", .target = kit_chips[c], .check = P2A_CHECK_ALL,
			.timeout = 20, .threads = 1 };
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
