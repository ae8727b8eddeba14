/* test_fuzz.c -- random PTX programs, run by translation and emulation and, lane by lane, by a direct
 * interpreter of the same program (meanings: fuzz_ops.def). Control flow is arbitrary: gotos forward and
 * backward with fuel, divergent and uniform, guards on any instruction, predicates and registers reused; memory in
 * local depots and, between barriers, in shared memory. Prints the seed of a disagreement; SEED=n runs one. */
#include "e2e.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR = 10, ND = 6, NH = 4, NP = 5, THREADS = 96, MAXI = 400, MAXB = 24, SLOTS = 8, DEPOT = 4 };

/* ---- meanings ---- */

#define S32(x) ((int64_t)(int32_t)(uint32_t)(x))
#define S16(x) ((int64_t)(int16_t)(uint16_t)(x))

static float
f32(uint64_t x)
{
	uint32_t w = (uint32_t)x;
	float f;

	memcpy(&f, &w, 4);
	return f;
}

static uint64_t
f32_bits(float f)
{
	uint32_t w;

	memcpy(&w, &f, 4);
	return w;
}

static uint64_t
f64_bits(double f)
{
	uint64_t w;

	memcpy(&w, &f, 8);
	return w;
}

static uint64_t
reverse(uint64_t x, unsigned bits)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < bits; i++)
		r |= (x >> i & 1) << (bits - 1 - i);
	return r;
}

static uint64_t
ones(uint64_t x)
{
	uint64_t n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static uint64_t
leading(uint64_t x, unsigned bits)
{
	uint64_t n = 0;

	while (n < bits && !(x >> (bits - 1 - n) & 1))
		n++;
	return n;
}

static uint64_t
find_signed(uint64_t x, unsigned bits)
{
	if (x >> (bits - 1) & 1)
		x = ~x & (bits == 64 ? ~0ull : (1ull << bits) - 1);
	return x ? bits - 1 - leading(x, bits) : ~0ull;
}

static uint64_t
permute(uint64_t a, uint64_t b, uint64_t sel)
{
	uint64_t src = b << 32 | a, r = 0;

	for (int k = 0; k < 4; k++) {
		unsigned s = sel >> (4 * k) & 15;
		uint64_t byte = src >> (8 * (s & 7)) & 0xff;

		if (s & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * k);
	}
	return r;
}

static uint64_t
logic3(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
	uint64_t r = 0;

	for (int k = 0; k < 32; k++)
		r |= (table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
	return r;
}

typedef struct op { const char *text; char dst; const char *src; uint64_t (*fn)(uint64_t, uint64_t, uint64_t, uint64_t); } op;
#define OP(text, dst, src, expr) static uint64_t CAT(fn_, __LINE__)(uint64_t a, uint64_t b, uint64_t c, uint64_t d) \
	{ (void)a; (void)b; (void)c; (void)d; return (uint64_t)(expr); }
#define CAT(a, b) CAT2(a, b)
#define CAT2(a, b) a##b
#include "fuzz_ops.def"
#undef OP
static const op ops[] = {
#define OP(text, dst, src, expr) { text, dst, src, CAT(fn_, __LINE__) },
#include "fuzz_ops.def"
#undef OP
};
enum { NOPS = sizeof ops / sizeof *ops };

/* ---- programs ---- */

typedef enum kind { I_OP, I_BRA, I_BACK, I_LABEL, I_EXCHANGE, I_ST_LOCAL, I_LD_LOCAL, I_RET, I_ST_OUT, I_LD_IN, I_PACK, I_UNPACK } kind;
typedef struct inst {
	kind kind;
	uint16_t op;
	int8_t guard, neg;       /* predicate or -1 */
	uint32_t dst, src[4];
	uint64_t imm[4];
	uint32_t target;
} inst;
typedef struct program { inst i[MAXI]; uint32_t n, nlabels; uint32_t label[MAXB * 8]; } program;

static uint64_t state;

static uint32_t
rnd(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

static uint64_t
value(void)
{
	static const uint64_t edge[] = { 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x3f800000, 0x01020304 };
	uint64_t x = (uint64_t)rnd(1u << 31) << 33 ^ (uint64_t)rnd(1u << 31) << 11 ^ rnd(1u << 31);

	switch (rnd(5)) {
	case 0:  return edge[rnd(sizeof edge / sizeof *edge)];
	case 1:  return x & 0xff;
	case 2:  return x & (~0ull >> rnd(64));
	default: return x;
	}
}

static uint32_t
pick(char k)
{
	switch (k) {
	case 'd': case 'N': return rnd(ND);
	case 'h': return rnd(NH);
	case 'p': return rnd(NP);
	default:  return rnd(NR);
	}
}

static inst *
add(program *p, kind k)
{
	inst *i = &p->i[p->n < MAXI - 1 ? p->n++ : p->n - 1];

	memset(i, 0, sizeof *i);
	i->kind = k;
	i->guard = -1;
	return i;
}

static void
guard(inst *i, unsigned one_in)
{
	if (rnd(one_in))
		return;
	i->guard = (int8_t)rnd(NP);
	i->neg = (int8_t)rnd(2);
}

static void
add_op(program *p)
{
	inst *i = add(p, I_OP);
	const op *o;

	i->op = (uint16_t)rnd(NOPS);
	o = &ops[i->op];
	i->dst = pick(o->dst);
	for (int k = 0; o->src[k]; k++) {
		i->src[k] = pick(o->src[k]);
		i->imm[k] = o->src[k] == 'i' ? rnd(4) ? rnd(34) : rnd(100) : o->src[k] == 'k' ? rnd(256) : value() & 0xffffffff;
		if (o->src[k] == 'c')
			i->imm[k] &= 0x7fffffff;
	}
	guard(i, 6);
}

static void
add_other(program *p)
{
	static const kind kinds[] = { I_ST_LOCAL, I_LD_LOCAL, I_LD_IN, I_PACK, I_UNPACK };
	inst *i = add(p, kinds[rnd(5)]);

	i->dst = i->kind == I_PACK ? rnd(ND) : rnd(NR);
	i->src[0] = rnd(NR);
	i->src[1] = rnd(i->kind == I_UNPACK ? ND : NR);
	if (i->kind == I_UNPACK)
		i->src[0] = (i->dst + 1 + rnd(NR - 1)) % NR;
	i->imm[0] = rnd(i->kind == I_LD_IN ? SLOTS : DEPOT);
	guard(i, 5);
}

/* A region with one way in and one way out: blocks with labels, gotos between any two of them. */
static void
region(program *p)
{
	uint32_t nb = 1 + rnd(6), first = p->nlabels;

	p->nlabels += nb + 1;
	for (uint32_t b = 0; b < nb && p->n < MAXI - 60; b++) {
		inst *i = add(p, I_LABEL);

		i->target = first + b;
		for (uint32_t k = rnd(8); k > 0; k--)
			if (rnd(7)) add_op(p); else add_other(p);
		if (rnd(3)) {
			i = add(p, rnd(4) && nb > 1 ? I_BRA : I_BACK);
			i->target = i->kind == I_BRA ? first + b + 1 + rnd(nb - b) : first + rnd(b + 1);
			i->guard = (int8_t)rnd(NP);
			i->neg = (int8_t)rnd(2);
			if (i->kind == I_BRA && !rnd(6))
				i->guard = -1;
		}
	}
	/* Labels that no block got stand at the end. */
	for (uint32_t l = first; l <= first + nb; l++) {
		bool there = false;

		for (uint32_t k = 0; k < p->n; k++)
			there |= p->i[k].kind == I_LABEL && p->i[k].target == l;
		if (!there)
			add(p, I_LABEL)->target = l;
	}
}

static void
make(program *p)
{
	uint32_t nr = 1 + rnd(4);

	memset(p, 0, sizeof *p);
	for (uint32_t k = 0; k < nr; k++) {
		region(p);
		if (rnd(2)) {
			inst *i = add(p, I_EXCHANGE);

			i->dst = rnd(NR);
			i->src[0] = rnd(NR);
			i->imm[0] = rnd(THREADS);
		}
	}
	if (!rnd(3)) {
		inst *i = add(p, I_RET);

		i->guard = (int8_t)rnd(NP);
	}
	region(p);
	for (uint32_t k = 0; k < p->n; k++)
		if (p->i[k].kind == I_LABEL)
			p->label[p->i[k].target] = k;
}

/* ---- as PTX ---- */

static void
put_guard(text *t, const inst *i)
{
	if (i->guard >= 0)
		text_add(t, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
}

static const char *
reg(char k)
{
	return k == 'd' || k == 'N' ? "%d" : k == 'h' ? "%h" : k == 'p' ? "%p" : "%r";
}

/* 'n' 'm' 'N': divisors, made nonzero first; 'f': a float in range, made from a register by conversion. */
static void
put_op(text *t, const inst *i)
{
	const op *o = &ops[i->op];

	for (int k = 0; o->src[k]; k++) {
		if (o->src[k] == 'n')
			text_add(t, "or.b32 %%t%d, %%r%u, 1; ", k, i->src[k]);
		if (o->src[k] == 'm')
			text_add(t, "and.b32 %%t%d, %%r%u, 0x7ffffff; or.b32 %%t%d, %%t%d, 1; ", k, i->src[k], k, k);
		if (o->src[k] == 'N')
			text_add(t, "or.b64 %%td, %%d%u, 1; ", i->src[k]);
		if (o->src[k] == 'f')
			text_add(t, "shr.s32 %%t%d, %%r%u, 10; cvt.rn.f32.s32 %%t%d, %%t%d; ", k, i->src[k], k, k);
	}
	put_guard(t, i);
	text_add(t, "%s %s%u", o->text, reg(o->dst), i->dst);
	for (int k = 0; o->src[k]; k++) {
		if (strchr("ick", o->src[k]))
			text_add(t, ", %llu", (unsigned long long)i->imm[k]);
		else if (strchr("nmf", o->src[k]))
			text_add(t, ", %%t%d", k);
		else if (o->src[k] == 'N')
			text_add(t, ", %%td");
		else
			text_add(t, ", %s%u", reg(o->src[k]), i->src[k]);
	}
	text_add(t, ";\n");
}

static void
put_inst(text *t, const inst *i)
{
	switch (i->kind) {
	case I_OP: put_op(t, i); return;
	case I_LABEL: text_add(t, "L%u:\n", i->target); return;
	case I_BRA: put_guard(t, i); text_add(t, "bra L%u;\n", i->target); return;
	case I_BACK:
		text_add(t, "sub.s32 %%fuel, %%fuel, 1; setp.gt.s32 %%q, %%fuel, 0; ");
		if (i->guard >= 0 && i->neg)
			text_add(t, "not.pred %%q2, %%p%d; and.pred %%q, %%q, %%q2; ", i->guard);
		else if (i->guard >= 0)
			text_add(t, "and.pred %%q, %%q, %%p%d; ", i->guard);
		text_add(t, "@%%q bra L%u;\n", i->target);
		return;
	case I_EXCHANGE:
		text_add(t, "bar.sync 0; st.shared.u32 [%%sh], %%r%u; bar.sync 0;\nadd.u32 %%t0, %%me, %llu; rem.u32 %%t0, %%t0, %d; "
		         "shl.b32 %%t0, %%t0, 2; add.u32 %%t0, %%shb, %%t0; ld.shared.u32 %%r%u, [%%t0];\n", i->src[0],
		         (unsigned long long)i->imm[0], THREADS, i->dst);
		return;
	case I_ST_LOCAL: put_guard(t, i); text_add(t, "st.local.u32 [depot+%llu], %%r%u;\n", (unsigned long long)i->imm[0] * 4, i->src[0]); return;
	case I_LD_LOCAL: put_guard(t, i); text_add(t, "ld.local.u32 %%r%u, [depot+%llu];\n", i->dst, (unsigned long long)i->imm[0] * 4); return;
	case I_LD_IN: put_guard(t, i); text_add(t, "ld.global.u32 %%r%u, [%%in+%llu];\n", i->dst, (unsigned long long)i->imm[0] * 8); return;
	case I_PACK: put_guard(t, i); text_add(t, "mov.b64 %%d%u, {%%r%u, %%r%u};\n", i->dst, i->src[0], i->src[1]); return;
	case I_UNPACK: put_guard(t, i); text_add(t, "mov.b64 {%%r%u, %%r%u}, %%d%u;\n", i->dst, i->src[0], i->src[1]); return;
	case I_RET: put_guard(t, i); text_add(t, "ret;\n"); return;
	default: return;
	}
}

enum { OUT_WORDS = NR + 2 * ND + NH + NP };

static void
ptx(text *t, const program *p)
{
	text_add(t, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 u0, .param .u32 u1)\n{\n"
	         ".reg .b32 %%r<%d>, %%t<5>, %%fuel, %%me, %%sh, %%shb; .reg .b64 %%d<%d>, %%in, %%out, %%td; .reg .b16 %%h<%d>; .reg .pred %%p<%d>, %%q, %%q2;\n"
	         ".shared .align 4 .b8 room[%d]; .local .align 8 .b8 depot[%d];\n", NR, ND, NH, NP, THREADS * 4, DEPOT * 4);
	text_add(t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%me, %%tid.x;\n"
	         "mul.wide.u32 %%d0, %%me, %d; add.s64 %%in, %%in, %%d0; mul.wide.u32 %%d0, %%me, %d; add.s64 %%out, %%out, %%d0;\n"
	         "shl.b32 %%sh, %%me, 2; mov.u32 %%shb, room; add.u32 %%sh, %%sh, %%shb; mov.u32 %%fuel, 20;\n", SLOTS * 8, OUT_WORDS * 4);
	for (int k = 0; k < NR; k++)
		if (k < 2)
			text_add(t, "ld.param.u32 %%r%d, [u%d];\n", k, k);
		else
			text_add(t, "ld.global.u32 %%r%d, [%%in+%d];\n", k, k % SLOTS * 8);
	for (int k = 0; k < ND; k++)
		text_add(t, "ld.global.u64 %%d%d, [%%in+%d];\n", k, (k + 3) % SLOTS * 8);
	for (int k = 0; k < NH; k++)
		text_add(t, "ld.global.u16 %%h%d, [%%in+%d];\n", k, (k + 1) % SLOTS * 8);
	for (int k = 0; k < NP; k++)
		text_add(t, "setp.lt.s32 %%p%d, %%r%d, %%r%d;\n", k, k, k + 2);
	for (int k = 0; k < DEPOT; k++)
		text_add(t, "st.local.u32 [depot+%d], %%r%d;\n", k * 4, k);
	for (uint32_t k = 0; k < p->n; k++)
		put_inst(t, &p->i[k]);
	for (int k = 0; k < NR; k++)
		text_add(t, "st.global.u32 [%%out+%d], %%r%d;\n", k * 4, k);
	for (int k = 0; k < ND; k++)
		text_add(t, "mov.b64 {%%t0, %%t1}, %%d%d; st.global.u32 [%%out+%d], %%t0; st.global.u32 [%%out+%d], %%t1;\n", k,
		         (NR + 2 * k) * 4, (NR + 2 * k + 1) * 4);
	for (int k = 0; k < NH; k++)
		text_add(t, "cvt.u32.u16 %%t0, %%h%d; st.global.u32 [%%out+%d], %%t0;\n", k, (NR + 2 * ND + k) * 4);
	for (int k = 0; k < NP; k++)
		text_add(t, "selp.u32 %%t0, 1, 0, %%p%d; st.global.u32 [%%out+%d], %%t0;\n", k, (NR + 2 * ND + NH + k) * 4);
	text_add(t, "ret;\n}\n");
}

/* ---- the direct interpreter ---- */

typedef struct lane { uint64_t r[NR], d[ND], h[NH], p[NP]; uint32_t depot[DEPOT]; int fuel; uint32_t pc; bool ended; const uint64_t *in; } lane;

static uint64_t *
at(lane *l, char k, uint32_t n)
{
	switch (k) {
	case 'd': case 'N': return &l->d[n];
	case 'h': return &l->h[n];
	case 'p': return &l->p[n];
	default:  return &l->r[n];
	}
}

static uint64_t
cut(char k, uint64_t x)
{
	return k == 'd' ? x : k == 'h' ? x & 0xffff : k == 'p' ? x & 1 : x & 0xffffffff;
}

static void
do_op(lane *l, const inst *i)
{
	const op *o = &ops[i->op];
	uint64_t v[4] = { 0 };

	for (int k = 0; o->src[k]; k++) {
		uint64_t x = strchr("ick", o->src[k]) ? i->imm[k] : *at(l, o->src[k], i->src[k]);

		if (o->src[k] == 'n' || o->src[k] == 'N')
			x |= 1;
		if (o->src[k] == 'm')
			x = (x & 0x7ffffff) | 1;
		if (o->src[k] == 'f')
			x = f32_bits((float)((int32_t)(uint32_t)x >> 10));
		v[k] = x;
	}
	*at(l, o->dst, i->dst) = cut(o->dst, o->fn(v[0], v[1], v[2], v[3]));
}

/* Runs up to the end or the next exchange. */
static void
run_lane(lane *l, const program *p)
{
	while (!l->ended && l->pc < p->n) {
		const inst *i = &p->i[l->pc];
		bool go = i->guard < 0 || (bool)l->p[i->guard] != (bool)i->neg;

		if (i->kind == I_EXCHANGE)
			return;
		l->pc++;
		if (i->kind == I_BACK && --l->fuel <= 0)
			go = false;
		if (!go)
			continue;
		switch (i->kind) {
		case I_OP: do_op(l, i); break;
		case I_BRA: case I_BACK: l->pc = p->label[i->target]; break;
		case I_ST_LOCAL: l->depot[i->imm[0]] = (uint32_t)l->r[i->src[0]]; break;
		case I_LD_LOCAL: l->r[i->dst] = l->depot[i->imm[0]]; break;
		case I_LD_IN: l->r[i->dst] = l->in[i->imm[0]] & 0xffffffff; break;
		case I_PACK: l->d[i->dst] = l->r[i->src[0]] | l->r[i->src[1]] << 32; break;
		case I_UNPACK: {
			uint64_t x = l->d[i->src[1]];

			l->r[i->dst] = x & 0xffffffff;
			l->r[i->src[0]] = x >> 32;
			break;
		}
		case I_RET: l->ended = true; break;
		default: break;
		}
	}
}

static void
exchange(lane *l, const program *p)
{
	const inst *i = &p->i[l[0].pc];
	uint64_t room[THREADS];

	for (int k = 0; k < THREADS; k++)
		room[k] = l[k].r[i->src[0]];
	for (int k = 0; k < THREADS; k++) {
		l[k].r[i->dst] = room[(k + (int)i->imm[0]) % THREADS];
		l[k].pc++;
	}
}

static void
start(lane *l, const uint64_t *in, const uint32_t *u)
{
	memset(l, 0, sizeof *l);
	l->in = in;
	l->fuel = 20;
	for (int k = 0; k < NR; k++)
		l->r[k] = k < 2 ? u[k] : in[k % SLOTS] & 0xffffffff;
	for (int k = 0; k < ND; k++)
		l->d[k] = in[(k + 3) % SLOTS];
	for (int k = 0; k < NH; k++)
		l->h[k] = in[(k + 1) % SLOTS] & 0xffff;
	for (int k = 0; k < NP; k++)
		l->p[k] = S32(l->r[k]) < S32(l->r[k + 2]);
	for (int k = 0; k < DEPOT; k++)
		l->depot[k] = (uint32_t)l->r[k];
}

static void
finish(const lane *l, uint32_t *out)
{
	if (l->ended)
		return;
	for (int k = 0; k < NR; k++)
		out[k] = (uint32_t)l->r[k];
	for (int k = 0; k < ND; k++) {
		out[NR + 2 * k] = (uint32_t)l->d[k];
		out[NR + 2 * k + 1] = (uint32_t)(l->d[k] >> 32);
	}
	for (int k = 0; k < NH; k++)
		out[NR + 2 * ND + k] = (uint32_t)l->h[k];
	for (int k = 0; k < NP; k++)
		out[NR + 2 * ND + NH + k] = (uint32_t)l->p[k];
}

static void
interpret(const program *p, const uint64_t *in, const uint32_t *u, uint32_t *out)
{
	static lane l[THREADS];

	for (int k = 0; k < THREADS; k++)
		start(&l[k], in + k * SLOTS, u);
	for (;;) {
		for (int k = 0; k < THREADS; k++)
			run_lane(&l[k], p);
		if (l[0].ended || l[0].pc >= p->n || p->i[l[0].pc].kind != I_EXCHANGE)
			break;
		exchange(l, p);
	}
	for (int k = 0; k < THREADS; k++)
		finish(&l[k], out + k * OUT_WORDS);
}

/* ---- */

static int
one(uint64_t seed, const char *chip, unsigned opt)
{
	static program p;
	static uint64_t in[THREADS * SLOTS];
	static uint32_t want[THREADS * OUT_WORDS], got[THREADS * OUT_WORDS];
	uint32_t u[2];
	text t = { 0 };
	char name[64];
	e2e_run r = { .chip = chip, .kernel = "k", .opt = opt, .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = got, .out_size = sizeof got, .extra = u, .extra_size = sizeof u };
	int bad;

	state = seed * 0x9e3779b97f4a7c15ull + 12345;
	make(&p);
	for (size_t k = 0; k < sizeof in / sizeof *in; k++)
		in[k] = value();
	u[0] = (uint32_t)value();
	u[1] = (uint32_t)value();
	memset(want, 0, sizeof want);
	interpret(&p, in, u, want);
	ptx(&t, &p);
	r.ptx = t.s;
	if (getenv("SHOW"))
		fputs(t.s, stderr);
	snprintf(name, sizeof name, "fuzz seed %llu opt %u", (unsigned long long)seed, opt);
	bad = e2e_launch(name, &r);
	for (int k = 0; k < THREADS * OUT_WORDS && !bad; k++)
		if (got[k] != want[k]) {
			printf("not ok %s on %s: thread %d word %d: got %#x, should be %#x\n", name, chip, k / OUT_WORDS, k % OUT_WORDS, got[k], want[k]);
			bad = 1;
		}
	free(t.s);
	return bad;
}

int
main(void)
{
	const char *only = getenv("SEED"), *many = getenv("COUNT");
	uint64_t n = many ? strtoull(many, NULL, 10) : e2e_quick() ? 150 : 2500, first = only ? strtoull(only, NULL, 10) : 1;
	int bad = 0;

	if (only && !many)
		n = 1;
	for (uint64_t s = first; s < first + n && bad < 10; s++)
		for (int c = 0; c < 4; c++)
			if (only || (s + (uint64_t)c) % 2 == 0)
				bad += one(s, e2e_chips[c], s % 8 == 3 ? 3 : s % 8 == 5 ? 1 : 0);
	if (!bad)
		printf("ok fuzz: seeds %llu to %llu\n", (unsigned long long)first, (unsigned long long)(first + n - 1));
	return bad != 0;
}
