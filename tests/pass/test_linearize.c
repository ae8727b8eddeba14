/* test_linearize.c -- random control flow: lanes on one program counter go where each would go alone.
 * Makes random graphs (also irreducible ones), normalizes and linearizes them, runs the linear code
 * with an EXEC mask, and compares each lane's way through the blocks with a walk over the graph.
 * Conditions depend on the lane, the block and how often the lane has been there. */
#include "pass/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MAXBLOCKS = 40, FUEL = 60, WAY = 4096 };

typedef struct lane { uint32_t visits[4 * MAXBLOCKS + 64]; uint32_t way[WAY]; uint32_t n; } lane;

static uint64_t seed;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static uint32_t
mix(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;

	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	return h ^ h >> 13;
}

/* What a graph looks like before it is normalized; names survive in block->mark. */
typedef struct shape { uint32_t n; uint32_t succ[MAXBLOCKS][2]; uint8_t nsucc[MAXBLOCKS]; bool uniform[MAXBLOCKS]; uint32_t salt; } shape;

/* Which way: true is succ 0. Out of fuel, the way that leads on (to the higher block). */
static bool
decide(const shape *s, uint32_t b, uint32_t l, uint32_t visits)
{
	if (s->uniform[b])
		return mix(b, s->salt, 7) & 1;
	if (visits > FUEL)
		return s->succ[b][0] > s->succ[b][1];
	return mix(b * 64 + l, visits, s->salt) & 1;
}

/* Blocks 0..n-1; n-1 ends. Uniform branches only lead forward, so that their fixed way ends. */
static void
make_shape(shape *s, bool wild)
{
	s->n = 4 + rnd(MAXBLOCKS - 5);
	s->salt = rnd(1 << 30);
	for (uint32_t b = 0; b < s->n; b++) {
		uint32_t fwd = s->n - 1 - b;

		s->nsucc[b] = b == s->n - 1 ? 0 : rnd(4) ? 2 : 1;
		s->uniform[b] = rnd(4) == 0;
		if (!s->nsucc[b])
			continue;
		s->succ[b][0] = b + 1 + rnd(MIN(fwd, 5));
		s->succ[b][1] = b + 1 + rnd(fwd);
		if (s->nsucc[b] == 2 && !s->uniform[b] && b > 0 && rnd(wild ? 3 : 5) == 0)
			s->succ[b][rnd(2)] = 1 + rnd(b);
		if (s->nsucc[b] == 2 && s->succ[b][0] <= b && s->succ[b][1] <= b)
			s->succ[b][0] = b + 1;
		if (s->succ[b][0] == s->succ[b][1])
			s->nsucc[b] = 1;
	}
}

static void
walk(const shape *s, uint32_t l, lane *out)
{
	uint32_t b = 0;

	memset(out, 0, sizeof *out);
	for (;;) {
		if (out->n < WAY)
			out->way[out->n++] = b;
		if (!s->nsucc[b] || out->n == WAY)
			return;
		out->visits[b]++;
		b = s->succ[b][s->nsucc[b] == 1 ? 0 : !decide(s, b, l, out->visits[b])];
	}
}

static ir_func *
build(arena *A, const shape *s, const char *target)
{
	ir_func *f = arena_new(A, ir_func);
	ir_block *b[MAXBLOCKS];

	f->mod = arena_new(A, ir_module);
	f->A = f->mod->A = A;
	f->target = f->mod->target = p2a_target_find(target);
	f->name = "random";
	(void)vec_push(A, &f->vals);
	for (uint32_t k = 0; k < s->n; k++)
		b[k] = ir_new_block(f);
	f->entry = b[0];
	for (uint32_t k = 0; k < s->n; k++) {
		ir_builder B = { f, b[k], NULL, 0 };
		ir_opnd c = ir_valop(f, ir_new_val(f, 0));

		/* The block's name in both forms; a store keeps it from being removed. */
		ir_emit(&B, G_trap, 0, 0, NULL)->m.offset = (int32_t)k + 1;
		if (s->nsucc[k] == 2) {
			ir_gen_to(&B, c, G_undef1, 0, NULL);
			ir_emit(&B, G_cbr, 0, 1, &c);
		} else {
			ir_emit(&B, s->nsucc[k] ? G_br : G_ret, 0, 0, NULL);
		}
		for (uint32_t e = 0; e < s->nsucc[k]; e++)
			ir_link(b[k], b[s->succ[k][e]]);
	}
	return f;
}

static uint32_t
name_of(const ir_block *b)
{
	for (const ir_inst *i = b->first; i; i = i->next)
		if (i->m.op == G_trap)
			return (uint32_t)i->m.offset - 1;
	return UINT32_MAX;
}

/* Terminators as select would make them. */
static void
to_machine(ir_func *f, const shape *s)
{
	for (uint32_t v = 1; v < f->vals.n; v++)
		f->vals.a[v] = (ir_val){ .dwords = (uint8_t)(f->target->wave / 32), .bank = IR_BANK_S, .pin = -1, .is_mask = true };
	for (uint32_t k = 0; k < f->blocks.n; k++) {
		ir_inst *t = ir_terminator(f->blocks.a[k]);
		uint32_t name = name_of(f->blocks.a[k]);

		if (t->m.op == G_cbr) {
			bool uni = s->uniform[name];

			t->m.op = uni ? P_cbr_uni : P_cbr_mask;
			t->m.arg[0] = ir_valop(f, t->m.arg[0].reg);
			if (uni)
				t->m.arg[0].width = 1;
		} else {
			t->m.op = t->m.op == G_br ? P_br : P_ret;
		}
	}
}

/* ---- running the linear code ---- */

typedef struct machine { const shape *s; ir_func *f; uint64_t *val; uint64_t exec; bool scc; lane *lanes; const char *fault; } machine;

static uint64_t
get(const machine *m, ir_opnd o)
{
	if (o.kind == IR_K_VAL)
		return m->val[o.reg];
	return o.kind == P2A_K_SREG ? m->exec : (uint64_t)o.imm;
}

static void
set(machine *m, ir_opnd o, uint64_t v)
{
	if (m->f->target->wave == 32)
		v &= 0xffffffff;
	if (o.kind == IR_K_VAL)
		m->val[o.reg] = v;
	else
		m->exec = v;
}

/* All active lanes arrive at a block of the graph: their conditions come into the block's value. */
static void
arrive(machine *m, uint32_t name)
{
	const shape *s = m->s;
	uint64_t c = mix(1, 2, (uint32_t)m->exec);      /* bits of inactive lanes: anything */

	if (!m->exec)
		m->fault = "a block runs with EXEC = 0";
	c = c << 32 | c;
	for (uint32_t l = 0; l < LANES; l++) {
		lane *x = &m->lanes[l];

		if (!(m->exec >> l & 1))
			continue;
		if (x->n < WAY)
			x->way[x->n++] = name;
		x->visits[name]++;
		if (s->nsucc[name] == 2) {
			bool d = decide(s, name, l, x->visits[name]);

			c = (c & ~((uint64_t)1 << l)) | (uint64_t)d << l;
			if (s->uniform[name])
				c = d;
		}
	}
	for (uint32_t v = 1; s->nsucc[name] == 2 && v < m->f->vals.n; v++)
		if (m->f->vals.a[v].var == name + 1)
			m->val[v] = c;
}

/* One instruction; where the program counter goes, or -1 on. */
static int64_t
step(machine *m, const ir_inst *i)
{
	const p2a_opnd *a = i->m.arg;
	uint64_t x = i->m.nargs > 1 ? get(m, a[1]) : 0, y = i->m.nargs > 2 ? get(m, a[2]) : 0, old = m->exec;
	int64_t to = i->m.nargs ? (int64_t)a[0].reg : -1;

	switch (i->m.op) {
	case OP_s_mov_b32: case OP_s_mov_b64: set(m, a[0], x); return -1;
	case OP_s_and_b32: case OP_s_and_b64: set(m, a[0], x & y); return -1;
	case OP_s_or_b32: case OP_s_or_b64: set(m, a[0], x | y); return -1;
	case OP_s_andn2_b32: case OP_s_andn2_b64: set(m, a[0], x & ~y); return -1;
	case OP_s_and_saveexec_b32: case OP_s_and_saveexec_b64: m->exec = old & x; set(m, a[0], old); return -1;
	case OP_s_andn1_saveexec_b32: case OP_s_andn1_saveexec_b64: m->exec = old & ~x; set(m, a[0], old); return -1;
	case OP_s_cselect_b32: case OP_s_cselect_b64: set(m, a[0], m->scc ? x : y); return -1;
	case OP_s_cmp_lg_u32: m->scc = (uint32_t)get(m, a[0]) != 0; return -1;
	case OP_s_branch: return to;
	case OP_s_cbranch_scc0: return m->scc ? -1 : to;
	case OP_s_cbranch_scc1: return m->scc ? to : -1;
	case OP_s_cbranch_execz: return m->exec ? -1 : to;
	case OP_s_cbranch_execnz: return m->exec ? to : -1;
	case G_trap: arrive(m, (uint32_t)i->m.offset - 1); return -1;
	case OP_s_endpgm: return -2;
	case G_undef1: return -1;
	default: m->fault = "unexpected instruction"; return -2;
	}
}

static bool
linear_edge(const ir_block *b, uint32_t to)
{
	for (uint32_t k = 0; k < b->lsuccs.n; k++)
		if (b->lsuccs.a[k]->id == to)
			return true;
	return false;
}

static void
run(machine *m)
{
	uint32_t b = 0;

	for (uint64_t steps = 0; steps < 400000 && !m->fault; steps++) {
		int64_t to = -1;

		for (const ir_inst *i = m->f->blocks.a[b]->first; i && to == -1 && !m->fault; i = i->next)
			to = step(m, i);
		if (to == -2)
			return;
		if (to < 0 || !linear_edge(m->f->blocks.a[b], (uint32_t)to))
			m->fault = "left a block by no linear edge";
		b = (uint32_t)to;
	}
	if (!m->fault)
		m->fault = "does not end";
}

/* The value that a block's condition stands in is found again by the block's name. */
static void
tag_conditions(ir_func *f)
{
	for (uint32_t k = 0; k < f->blocks.n; k++) {
		const ir_inst *t = ir_terminator(f->blocks.a[k]);

		if (t->m.op == P_cbr_uni || t->m.op == P_cbr_mask)
			f->vals.a[t->m.arg[0].reg].var = name_of(f->blocks.a[k]) + 1;
	}
}

static const char *
went_astray(const lane *alone, const lane *ran, uint32_t l)
{
	static char why[160];
	uint32_t k = 0;

	while (k < alone->n && k < ran->n && alone->way[k] == ran->way[k])
		k++;
	snprintf(why, sizeof why, "lane %u after %u blocks (%u): alone to %d, ran %d", l, k, k ? alone->way[k - 1] : 0,
	         k < alone->n ? (int)alone->way[k] : -1, k < ran->n ? (int)ran->way[k] : -1);
	return why;
}

static const char *
one(const char *target, bool wild)
{
	static lane alone, lanes[LANES];
	arena A;
	jmp_buf oom;
	shape s;
	machine m = { .s = &s, .lanes = lanes };

	if (setjmp(oom))
		return "out of memory";
	arena_init(&A, NULL, NULL, &oom);
	make_shape(&s, wild);
	m.f = build(&A, &s, target);
	p_normalize(m.f);
	to_machine(m.f, &s);
	tag_conditions(m.f);
	p_linearize(m.f);
	if (getenv("SHOW")) {
		buf text;

		buf_init(&text, &A);
		ir_print(m.f, &text);
		puts(buf_cstr(&text));
	}
	memset(lanes, 0, sizeof lanes);
	m.val = arena_array(&A, uint64_t, m.f->vals.n);
	for (uint32_t v = 0; v < m.f->vals.n; v++)
		m.val[v] = 0xdeadbeefdeadbeef;
	m.exec = 0x7fffffff;            /* one lane of the last wave is missing */
	run(&m);
	for (uint32_t l = 0; l + 1 < LANES && !m.fault; l++) {
		walk(&s, l, &alone);
		if (alone.n != lanes[l].n || memcmp(alone.way, lanes[l].way, alone.n * sizeof *alone.way))
			m.fault = went_astray(&alone, &lanes[l], l);
	}
	if (!m.fault && lanes[LANES - 1].n)
		m.fault = "a missing lane ran";
	arena_free(&A);
	return m.fault;
}

static int
many(const char *name, const char *target, bool wild, uint64_t n)
{
	uint64_t first = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;

	for (uint64_t k = first; k < first + n; k++) {
		const char *why;

		seed = k * 1000003;
		why = one(target, wild);
		if (why) {
			printf("not ok linearize %s: seed %llu: %s\n", name, (unsigned long long)k, why);
			return 1;
		}
		if (getenv("SEED"))
			break;
	}
	printf("ok linearize %s: %llu graphs\n", name, (unsigned long long)n);
	return 0;
}

int
main(void)
{
	int bad = many("reducible wave32", "gfx1100", false, 4000);

	bad |= many("wave64", "gfx90a", false, 4000);
	bad |= many("wild graphs", "gfx1030", true, 4000);
	return bad;
}
