/* mode.c -- the MODE register holds the rounding and denormal treatment that each float
 * instruction wants. Needs linear machine code with i->fp: MODE goes with the program counter,
 * not with a lane. Leaves f->k's MODE at entry (what is wanted first, or by most) and switches
 * before instructions that want another; a loop's want is met in front of it. ISA manuals, "MODE
 * register", S_ROUND_MODE, S_DENORM_MODE. f16 and f64 denormals are always kept. */
#include "pass/pass.h"

/* Fields of MODE that differ between instructions, and what is known of one. */
enum { ROUND32, ROUND64, DENORM32, NFIELDS };
enum { UNSEEN = 0xfe, UNKNOWN = 0xff };
typedef struct mode { uint8_t v[NFIELDS]; } mode;

typedef struct ctx {
	ir_func *f;
	mode entry;
	mode *want;              /* by block: wanted first from its start on; UNKNOWN: several */
	mode *out;               /* by block: at its end */
} ctx;

static const uint8_t hw_round[4] = { [IR_RN] = 0, [IR_RP] = 1, [IR_RM] = 2, [IR_RZ] = 3 };

/* Results that are exact, or that no rounding mode changes. */
static bool
rounds(unsigned op)
{
	static const uint16_t exact[] = { OP_v_min_f32,     OP_v_max_f32,     OP_v_min_f64,
					  OP_v_min_f16,     OP_v_max_f16,     OP_v_pk_min_f16,
					  OP_v_pk_max_f16,
					  OP_v_max_f64,     OP_v_trunc_f32,   OP_v_ceil_f32,
					  OP_v_floor_f32,   OP_v_rndne_f32,   OP_v_trunc_f64,
					  OP_v_ceil_f64,    OP_v_floor_f64,   OP_v_rndne_f64,
					  OP_v_cvt_f64_f32, OP_v_cvt_f64_i32, OP_v_cvt_f64_u32,
					  OP_v_cvt_f32_f16, OP_v_min3_f32,    OP_v_max3_f32,
					  OP_v_med3_f32,    OP_v_frexp_mant_f32,
					  OP_v_frexp_mant_f64 };

	for (size_t k = 0; k < COUNT(exact); k++)
		if (exact[k] == op)
			return false;
	return true;
}

static bool
has_type(unsigned op, unsigned from, unsigned to, unsigned type)
{
	for (unsigned k = from; k < to; k++)
		if (isa_table[op].arg[k].type == type)
			return true;
	return false;
}

/* What the instruction wants; UNSEEN: no matter. */
static mode
need_of(const ir_inst *i)
{
	mode m = { { UNSEEN, UNSEEN, UNSEEN } };
	unsigned op = i->m.op, nargs, ndefs;
	bool f32, wide;

	if (!ir_is_machine(op))
		return m;
	/* LDS, which a flat address may mean, adds floats with MODE's denormals and its own rounding; memory looks
	 * at neither. RDNA3 ISA 13.2. */
	if (isa_table[op].eff & ISA_ATOMIC && isa_table[op].cls != ISA_VMEM && has_type(op, 0, isa_table[op].nargs, ISA_T_F32))
		m.v[DENORM32] = i->fp.ftz ? 0 : 3;
	if (!(isa_table[op].eff & ISA_FLOAT))
		return m;
	nargs = isa_table[op].nargs;
	ndefs = isa_table[op].ndefs;
	f32 = has_type(op, 0, ndefs, ISA_T_F32) || has_type(op, 0, ndefs, ISA_T_S2);
	wide = has_type(op, 0, ndefs, ISA_T_F64) || has_type(op, 0, ndefs, ISA_T_F16) || has_type(op, 0, ndefs, ISA_T_H2);
	if (rounds(op) && (f32 || wide)) {
		bool narrows = op == OP_v_cvt_f32_f64 || op == OP_v_cvt_f16_f32;

		m.v[ROUND32] = f32 || narrows ? hw_round[i->fp.rnd] : UNSEEN;
		m.v[ROUND64] = wide || narrows ? hw_round[i->fp.rnd] : UNSEEN;
	}
	if (has_type(op, ndefs, nargs, ISA_T_F32) || has_type(op, ndefs, nargs, ISA_T_S2) || has_type(op, ndefs, nargs, ISA_T_MIX) || (f32 && has_type(op, ndefs, nargs, ISA_T_F64)))
		m.v[DENORM32] = i->fp.ftz ? 0 : 3;
	return m;
}

/* ---- what is wanted ---- */

/* What the first instruction wants that all ways from the start lead to; else what most want,
 * those in loops counting more. */
static void
choose_entry(ctx *c)
{
	uint64_t weight[NFIELDS][4] = { { 0 } };

	for (uint32_t b = 0; b < c->f->blocks.n; b++) {
		uint64_t w = 1ull << 3 * MIN(c->f->blocks.a[b]->depth, 8u);

		for (const ir_inst *i = c->f->blocks.a[b]->first; i; i = i->next) {
			mode m = need_of(i);

			for (unsigned k = 0; k < NFIELDS; k++)
				if (m.v[k] < 4)
					weight[k][m.v[k]] += w;
		}
	}
	c->entry = (mode){ { 0, 0, 3 } };
	for (unsigned k = 0; k < NFIELDS; k++) {
		for (uint8_t v = 0; v < 4; v++)
			if (weight[k][v] > weight[k][c->entry.v[k]])
				c->entry.v[k] = v;
		if (c->want[c->f->entry->id].v[k] < 4)
			c->entry.v[k] = c->want[c->f->entry->id].v[k];
	}
}

static uint8_t
meet(uint8_t a, uint8_t b)
{
	return a == UNSEEN ? b : b == UNSEEN || a == b ? a : UNKNOWN;
}

static mode
first_wants(const ir_block *b)
{
	mode w = { { UNSEEN, UNSEEN, UNSEEN } };

	for (const ir_inst *i = b->first; i; i = i->next) {
		mode m = need_of(i);

		for (unsigned k = 0; k < NFIELDS; k++)
			if (w.v[k] == UNSEEN)
				w.v[k] = m.v[k];
	}
	return w;
}

static void
find_wants(ctx *c)
{
	ir_func *f = c->f;
	mode *own = arena_array(f->A, mode, f->blocks.n);
	bool changed = true;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		c->want[b] = own[b] = first_wants(f->blocks.a[b]);
	while (changed) {
		changed = false;
		for (uint32_t b = f->blocks.n; b-- > 0; ) {
			const ir_block *x = f->blocks.a[b];

			for (unsigned k = 0; k < NFIELDS; k++) {
				uint8_t w = own[b].v[k];

				for (uint32_t s = 0; w == UNSEEN && s < x->lsuccs.n; s++)
					w = meet(w, c->want[x->lsuccs.a[s]->id].v[k]);
				changed |= w != c->want[b].v[k];
				c->want[b].v[k] = w;
			}
		}
	}
}

/* ---- switches ---- */

static void
emit_setreg(ir_builder *B, unsigned offset, unsigned size, uint32_t v)
{
	enum { HW_REG_MODE = 1 };

	ir_m(B, OP_s_setreg_imm32_b32, 2, ir_i32(HW_REG_MODE | offset << 6 | (size - 1) << 11),
	     ir_i32(v));
}

/* Rounding fields are written together, so both must be known afterwards. */
static void
switch_round(ctx *c, ir_builder *B, mode *m, uint8_t r32, uint8_t r64)
{
	m->v[ROUND32] = r32 < 4 ? r32 : c->entry.v[ROUND32];
	m->v[ROUND64] = r64 < 4 ? r64 : c->entry.v[ROUND64];
	if (!B)
		return;
	if (isa_has(c->f->target, OP_s_round_mode))
		ir_m(B, OP_s_round_mode, 1, ir_i32(m->v[ROUND32] | (uint32_t)m->v[ROUND64] << 2));
	else
		emit_setreg(B, 0, 4, m->v[ROUND32] | (uint32_t)m->v[ROUND64] << 2);
}

static void
switch_denorm(ctx *c, ir_builder *B, mode *m, uint8_t d32)
{
	m->v[DENORM32] = d32;
	if (!B)
		return;
	if (isa_has(c->f->target, OP_s_denorm_mode))
		ir_m(B, OP_s_denorm_mode, 1, ir_i32(d32 | 3u << 2));
	else
		emit_setreg(B, 4, 2, d32);
}

/* From mode *m to one that satisfies need; B NULL: only the effect. */
static void
satisfy(ctx *c, ir_builder *B, mode *m, mode need)
{
	bool round = false;

	for (unsigned k = ROUND32; k <= ROUND64; k++)
		round |= need.v[k] < 4 && need.v[k] != m->v[k];
	if (round)
		switch_round(c, B, m, need.v[ROUND32] < 4 ? need.v[ROUND32] : m->v[ROUND32],
		             need.v[ROUND64] < 4 ? need.v[ROUND64] : m->v[ROUND64]);
	if (need.v[DENORM32] < 4 && need.v[DENORM32] != m->v[DENORM32])
		switch_denorm(c, B, m, need.v[DENORM32]);
}

static ir_inst *
group_head(ir_inst *i)
{
	while (i && i->glue && i->prev)
		i = i->prev;
	return i;
}

static ir_inst *
before_branches(const ir_block *b)
{
	ir_inst *i = b->last;

	if (!i || !ir_is_term(i->m.op))
		return NULL;
	while (i->prev && ir_is_term(i->prev->m.op))
		i = i->prev;
	return group_head(i);
}

/* Runs over a block from mode m; writes the switches if asked to. */
static mode
run(ctx *c, ir_block *b, mode m, bool write)
{
	ir_builder B = { c->f, b, NULL, 0 };

	for (ir_inst *i = b->first; i; i = i->next) {
		B.before = group_head(i);
		B.loc = i->loc;
		satisfy(c, write ? &B : NULL, &m, need_of(i));
	}
	for (uint32_t s = 0; s < b->lsuccs.n; s++)
		if (b->lsuccs.a[s]->depth > b->depth) {
			B.before = before_branches(b);
			satisfy(c, write ? &B : NULL, &m, c->want[b->lsuccs.a[s]->id]);
		}
	return m;
}

static mode
at_start(const ctx *c, const ir_block *b)
{
	mode m = { { UNSEEN, UNSEEN, UNSEEN } };

	if (b == c->f->entry)
		m = c->entry;
	for (uint32_t p = 0; p < b->lpreds.n; p++)
		for (unsigned k = 0; k < NFIELDS; k++)
			m.v[k] = meet(m.v[k], c->out[b->lpreds.a[p]->id].v[k]);
	return m;
}

static void
find_modes(ctx *c)
{
	ir_func *f = c->f;
	bool changed = true;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		c->out[b] = (mode){ { UNSEEN, UNSEEN, UNSEEN } };
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < f->blocks.n; b++) {
			mode m = run(c, f->blocks.a[b], at_start(c, f->blocks.a[b]), false);

			for (unsigned k = 0; k < NFIELDS; k++) {
				/* Only towards UNKNOWN, so that it ends. */
				uint8_t v = meet(c->out[b].v[k], m.v[k]);

				changed |= v != c->out[b].v[k];
				c->out[b].v[k] = v;
			}
		}
	}
}

void
p_mode(ir_func *f)
{
	uint32_t n = f->blocks.n;
	ctx c = { .f = f, .want = arena_array(f->A, mode, n), .out = arena_array(f->A, mode, n) };

	ir_dominators(f);
	ir_loops(f);
	find_wants(&c);
	choose_entry(&c);
	find_modes(&c);
	for (uint32_t b = 0; b < n; b++)
		run(&c, f->blocks.a[b], at_start(&c, f->blocks.a[b]), true);
	f->k.round32 = c.entry.v[ROUND32];
	f->k.round64 = c.entry.v[ROUND64];
	f->k.denorm32 = c.entry.v[DENORM32];
	f->k.denorm64 = 3;
}
