/* interp.c -- runs generic form, mutable or SSA, on one lane. All that is seen from outside is
 * the sequence of stores. Floats but comparisons are a hash of their sources: only equality
 * counts. */
#include "kit.h"

#include <math.h>
#include <string.h>

typedef struct machine {
	ir_func *f;
	const env *e;
	const ir_fact *facts;
	trace *t;
	uint64_t *val;
	uint8_t mem[256];
} machine;

static uint64_t
hash(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;

	return x ^ x >> 29;
}

static uint64_t
cut(unsigned width, uint64_t x)
{
	return width == 0 ? x & 1 : width == 1 ? (uint32_t)x : x;
}

static uint64_t
read(const machine *m, ir_opnd o)
{
	return ir_is_val(o) ? m->val[o.reg] : cut(o.width, (uint64_t)o.imm);
}

static uint64_t
read_float(const machine *m, const ir_inst *i, ir_opnd o)
{
	bool halves = i->m.op >= G_cvt_f32_f16 && i->m.op <= G_fcmp16;
	uint64_t sign = halves ? 0x80008000 : (uint64_t)1 << (o.width == 2 ? 63 : 31), x = read(m, o);

	x = o.mods & P2A_ABS ? x & ~sign : x;
	return o.mods & P2A_NEG ? x ^ sign : x;
}

static void
check_fact(machine *m, uint32_t v, uint64_t x)
{
	ir_fact f = m->facts[v];

	if (m->f->vals.a[v].dwords > 2 || m->t->fault)
		return;
	if (x & f.zero || ~x & f.one || x < f.lo || x > f.hi) {
		m->t->fault = "value is not as its fact says";
		m->t->value = v;
	}
}

static void
write(machine *m, ir_opnd o, uint64_t x)
{
	m->val[o.reg] = cut(o.width, x);
	if (m->facts)
		check_fact(m, o.reg, m->val[o.reg]);
}

/* The low half: exponent and mantissa are put where those of a double are. */
static double
half_number(uint64_t x)
{
	uint64_t bits = ((x & 0x7fff) << 42) + ((x & 0x7c00) == 0x7c00 ? 2016ull << 52 : 1008ull << 52);
	double d;

	if (!(x & 0x7c00))
		return ldexp((double)(x & 0x3ff), -24) * (x & 0x8000 ? -1 : 1);
	memcpy(&d, &bits, sizeof d);
	return x & 0x8000 ? -d : d;
}

static double
as_number(uint64_t x, bool wide)
{
	uint32_t w = (uint32_t)x;
	double d;
	float s;

	if (wide) {
		memcpy(&d, &x, sizeof d);
		return d;
	}
	memcpy(&s, &w, sizeof s);
	return s;
}

static bool
compare(const ir_inst *i, uint64_t x, uint64_t y)
{
	bool wide = i->m.op == G_fcmp64, halves = i->m.op == G_fcmp16;
	double a = halves ? half_number(x) : as_number(x, wide), b = halves ? half_number(y) : as_number(y, wide);
	bool nan = isnan(a) || isnan(b);

	switch (i->cc) {
	case IR_EQ: return !nan && a == b;
	case IR_NE: return !nan && a != b;
	case IR_LT: return !nan && a < b;
	case IR_LE: return !nan && a <= b;
	case IR_GT: return !nan && a > b;
	case IR_GE: return !nan && a >= b;
	case IR_EQU: return nan || a == b;
	case IR_NEU: return nan || a != b;
	case IR_LTU: return nan || a < b;
	case IR_LEU: return nan || a <= b;
	case IR_GTU: return nan || a > b;
	case IR_GEU: return nan || a >= b;
	case IR_NUM: return !nan;
	default: return nan;
	}
}

static uint64_t
float_hash(const ir_inst *i, const uint64_t s[4])
{
	bool swap = ir_ginfo_of(i->m.op)->flags & IR_COMM && s[0] > s[1];
	uint64_t x = hash(i->m.op, i->fp.rnd + 8u * i->fp.ftz + 16u * i->fp.sat);

	x = hash(x, s[swap]);
	x = hash(x, s[!swap]);
	return hash(x, s[2]);
}

/* Parameters do not change; the rest is 256 bytes that repeat. */
static uint64_t
load(const machine *m, const ir_inst *i, uint64_t at)
{
	uint64_t x = 0;
	unsigned bits = 8u * i->mem.bytes;

	for (unsigned k = 0; k < i->mem.bytes && k < 8; k++)
		x |= (uint64_t)(i->mem.space == IR_PARAM ? hash(m->e->seed, at + k) & 0xff
			: m->mem[(at + k) & 0xff]) << (8 * k);
	if (i->mem.sext)
		x = (x ^ (uint64_t)1 << (bits - 1)) - ((uint64_t)1 << (bits - 1));
	return x;
}

static void
store(machine *m, const ir_inst *i, uint64_t at, uint64_t x)
{
	for (unsigned k = 0; k < i->mem.bytes; k++)
		m->mem[(at + k) & 0xff] = (uint8_t)(x >> (8 * k));
	if (i->mem.bytes < 8)
		x &= ((uint64_t)1 << (8 * i->mem.bytes)) - 1;
	if (m->t->n < TRACE_MAX)
		m->t->event[m->t->n++] = hash(hash(at, i->mem.bytes), x);
}

static uint64_t
address(const machine *m, const ir_inst *i)
{
	ir_opnd o = i->m.arg[i->ndefs];

	return cut(o.width, read(m, o) + (uint64_t)(int64_t)i->m.offset);
}

static void
execute(machine *m, const ir_inst *i)
{
	uint64_t s[4] = { 0 }, r = 0;

	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		s[k - i->ndefs] = read_float(m, i, i->m.arg[k]);
	switch (i->m.op) {
	case G_load: r = load(m, i, address(m, i)); break;
	case G_store: store(m, i, address(m, i), s[1]); return;
	case G_special: r = m->e->special[i->m.offset]; break;
	case G_undef1: case G_undef32: case G_undef64: r = hash(m->e->seed, i->m.arg[0].reg); break;
	case G_fcmp16: case G_fcmp32: case G_fcmp64: r = compare(i, s[0], s[1]); break;
	default:
		if (!ir_eval(i, s, &r))
			r = float_hash(i, s);
	}
	write(m, i->m.arg[0], r);
}

/* Phis read before any of them is written. */
static const ir_inst *
enter(machine *m, const ir_block *b, const ir_block *from)
{
	uint64_t x[512];
	uint32_t n = 0, k = 0;
	const ir_inst *i;

	while (from && b->preds.a[k] != from)
		k++;
	for (i = b->first; i && i->m.op == G_phi && n < COUNT(x); i = i->next)
		x[n++] = read(m, i->phi[k]);
	n = 0;
	for (i = b->first; i && i->m.op == G_phi; i = i->next)
		write(m, i->m.arg[0], x[n++]);
	return i;
}

void
kit_run(ir_func *f, const env *e, const ir_fact *facts, trace *t)
{
	machine m = { .f = f, .e = e, .facts = facts, .t = t,
		.val = arena_array(f->A, uint64_t, f->vals.n) };
	const ir_block *b = f->entry, *from = NULL;

	memset(t, 0, sizeof *t);
	memcpy(m.mem, e->mem, sizeof m.mem);
	for (uint32_t v = 0; v < f->vals.n; v++)
		m.val[v] = cut(f->vals.a[v].dwords, hash(e->seed, v));
	for (unsigned fuel = 400; fuel; fuel--) {
		const ir_inst *i = enter(&m, b, from);
		unsigned way = 0;

		for (; i->next; i = i->next)
			execute(&m, i);
		if (i->m.op == G_ret) {
			t->ended = true;
			return;
		}
		if (i->m.op == G_cbr)
			way = !(read(&m, i->m.arg[0]) & 1);
		from = b;
		b = b->succs.a[way];
	}
}

void
kit_env(const ir_func *f, rng *r, env *e)
{
	uint64_t cell = 0;

	e->seed = rng_next(r);
	for (unsigned k = 0; k < sizeof e->mem; k += 4) {
		cell = rng_below(r, 3) ? rng_value(r) : cell + rng_below(r, 3) - 1;
		for (unsigned n = 0; n < 4; n++)
			e->mem[k + n] = (uint8_t)(cell >> (8 * n));
	}
	for (unsigned k = 0; k < IR_NSPECIAL; k++) {
		uint32_t n = k <= IR_NTID_Z && f->reqntid[k % 3] ? f->reqntid[k % 3]
			: f->max_threads;
		uint32_t any = (uint32_t)rng_value(r);

		if (k <= IR_TID_Z)
			e->special[k] = rng_below(r, n);
		else if (k <= IR_NTID_Z)
			e->special[k] = f->reqntid[k % 3] ? n : 1 + rng_below(r, n);
		else if (k <= IR_CTAID_Z)
			e->special[k] = any % INT32_MAX;
		else
			e->special[k] = k <= IR_NCTAID_Z ? 1 + any % INT32_MAX : rng_below(r, 32);
	}
}

bool
trace_agrees(const trace *a, const trace *b)
{
	unsigned n = MIN(a->n, b->n);

	if (a->ended && b->ended && a->n != b->n)
		return false;
	if (a->ended != b->ended && (a->ended ? b->n > a->n : a->n > b->n))
		return false;
	return !memcmp(a->event, b->event, n * sizeof *a->event);
}
