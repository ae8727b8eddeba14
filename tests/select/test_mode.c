/* test_mode.c -- on every path of the program counter, MODE holds what each float instruction
 * wants; loops and straight code switch no oftener than they must. The checker follows the sets
 * of modes that can hold at a place; it knows the instructions used here by the type of their
 * result, apart from pass mode's own rules. */
#include "kit.h"

#include <stdio.h>

enum { NMODES = 64 };            /* round32 | round64 << 2 | denorm32 keeps << 4 */

typedef struct shape { const char *name; void (*build)(kit *); unsigned switches; } shape;

static ir_opnd
flt(kit *k, unsigned gop, unsigned rnd, bool ftz, ir_opnd a, ir_opnd b)
{
	ir_opnd d = ir_g2(&k->B, gop, a, b);

	ir_last(&k->B)->fp = (ir_fp){ .rnd = rnd & 3, .ftz = ftz };
	return d;
}

static ir_opnd
f32(kit *k, unsigned rnd, bool ftz, ir_opnd a)
{
	return flt(k, G_fadd32, rnd, ftz, a, a);
}
static ir_opnd f64(kit *k, unsigned rnd, ir_opnd a) { return flt(k, G_fadd64, rnd, false, a, a); }
static ir_opnd lane(kit *k) { return kit_special(k, IR_TID_X); }
static ir_opnd wide(kit *k) { return ir_g2(&k->B, G_pack64, lane(k), lane(k)); }

static void all_flush(kit *k) { kit_use(k, f32(k, IR_RN, true, f32(k, IR_RN, true, lane(k)))); }
static void all_up(kit *k) { kit_use(k, f32(k, IR_RP, false, f32(k, IR_RP, false, lane(k)))); }
static void
one_of_three(kit *k)
{
	kit_use(k, f32(k, IR_RN, false, f32(k, IR_RN, false, f32(k, IR_RZ, false, lane(k)))));
}
static void both_widths(kit *k)
{
	kit_use(k, f64(k, IR_RM, wide(k)));
	kit_use(k, f32(k, IR_RZ, false, lane(k)));
}

/* Between two additions that flush: one in memory, where MODE says nothing, or in LDS, where denormals are to stay. */
static void
add_in(kit *k, unsigned space)
{
	ir_mem m = { .space = (uint8_t)space, .bytes = 4, .rmw = IR_RMW_fadd, .order = IR_RELAXED, .scope = IR_CTA };
	ir_opnd x = f32(k, IR_RN, true, f32(k, IR_RN, true, lane(k)));

	if (ir_rmw_op(k->f->target, &m, false) != ISA_NOPS) {
		ir_g2(&k->B, G_atomic, space == IR_SHARED ? lane(k) : wide(k), x);
		ir_last(&k->B)->mem = m;
	}
	kit_use(k, f32(k, IR_RN, true, x));
}
static void add_memory(kit *k) { add_in(k, IR_GLOBAL); }
static void add_lds(kit *k) { add_in(k, IR_SHARED); }

static ir_block *
jump_to_new(kit *k)
{
	ir_block *b = ir_new_block(k->f);

	ir_g0(&k->B, G_br);
	ir_link(k->B.b, b);
	k->B.b = b;
	return b;
}

/* A loop that runs tid + 1 times; body makes the new value of the sum. */
static void
loop(kit *k, ir_opnd (*body)(kit *, ir_opnd))
{
	ir_opnd start = f32(k, IR_RN, false, f32(k, IR_RN, false, lane(k))),
		sum = ir_valop(k->f, ir_new_val(k->f, 1)), bound = lane(k);
	ir_opnd count = ir_valop(k->f, ir_new_val(k->f, 1)), c;
	ir_block *b = jump_to_new(k), *exit;
	ir_inst *phi[2];

	for (unsigned n = 0; n < 2; n++) {
		phi[n] = ir_emit(&k->B, G_phi, 1, 1, n ? &count : &sum);
		phi[n]->phi = arena_array(&k->A, ir_opnd, 2);
		phi[n]->phi[0] = n ? ir_i32(0) : start;
	}
	phi[0]->phi[1] = body(k, sum);
	phi[1]->phi[1] = ir_g2(&k->B, G_add32, count, ir_i32(1));
	c = ir_icmp(&k->B, 32, IR_LO, phi[1]->phi[1], bound);
	ir_gen(&k->B, G_cbr, 1, &c);
	exit = ir_new_block(k->f);
	ir_link(b, b);
	ir_link(b, exit);
	k->B.b = exit;
	kit_use(k, phi[0]->phi[1]);
}

static ir_opnd body_zero(kit *k, ir_opnd x) { return f32(k, IR_RZ, false, x); }
static ir_opnd body_two(kit *k, ir_opnd x) { return f32(k, IR_RP, false, f32(k, IR_RZ, false, x)); }
static void loop_other(kit *k) { loop(k, body_zero); }
static void loop_two(kit *k) { loop(k, body_two); }

/* The else side runs behind the then side: it must not trust the mode that the branch left. */
static void
sides(kit *k)
{
	ir_opnd x = f32(k, IR_RN, false, f32(k, IR_RN, false, lane(k))),
		c = ir_icmp(&k->B, 32, IR_LO, lane(k), ir_i32(9));
	ir_block *head = k->B.b, *side[2] = { ir_new_block(k->f), ir_new_block(k->f) },
		 *join = ir_new_block(k->f);

	ir_gen(&k->B, G_cbr, 1, &c);
	for (unsigned n = 0; n < 2; n++) {
		ir_link(head, side[n]);
		k->B.b = side[n];
		kit_use(k, f32(k, n ? IR_RN : IR_RZ, false, x));
		ir_g0(&k->B, G_br);
		ir_link(side[n], join);
	}
	k->B.b = join;
}

static const shape shapes[] = { { "all flush", all_flush, 0 },
				{ "all up", all_up, 0 },
				{ "one of three", one_of_three, 1 },
				{ "both widths", both_widths, 0 },
				{ "loop", loop_other, 1 },
				{ "loop with two", loop_two, 3 },
				{ "sides", sides, 2 },
				{ "addition in memory", add_memory, 0 },
				{ "addition in LDS", add_lds, 2 } };

/* ---- the checker ---- */

static unsigned
hw_round(unsigned rnd)
{
	return rnd == IR_RN ? 0 : rnd == IR_RP ? 1 : rnd == IR_RM ? 2 : 3;
}

/* Modes in which the instruction may stand; it adds in f32 or f64. */
static uint64_t
allowed(const ir_inst *i)
{
	uint64_t set = 0;

	for (unsigned m = 0; m < NMODES; m++) {
		bool good = i->m.op == OP_v_add_f32
				    ? (m & 3) == hw_round(i->fp.rnd) && (m >> 4 & 1) == !i->fp.ftz
			    : i->m.op == OP_v_add_f64 ? (m >> 2 & 3) == hw_round(i->fp.rnd)
			    : i->m.op == OP_ds_add_f32 ? m >> 4 & 1
						       : true;

		set |= good ? 1ull << m : 0;
	}
	return set;
}

/* The mode after an instruction that writes it; gfx9 names the field by its position and size. */
static unsigned
after(const ir_inst *i, unsigned m)
{
	uint32_t v = (uint32_t)i->m.arg[i->m.op == OP_s_setreg_imm32_b32].imm,
		 at = (uint32_t)i->m.arg[0].imm >> 6 & 31;

	switch (i->m.op) {
	case OP_s_round_mode: return (m & ~15u) | v;
	case OP_s_denorm_mode: return (m & ~16u) | (v & 3 ? 16 : 0);
	case OP_s_setreg_imm32_b32: return at == 0 ? (m & ~15u) | v : (m & ~16u) | (v & 3 ? 16 : 0);
	default: return m;
	}
}

static uint64_t
step(const ir_inst *i, uint64_t set)
{
	uint64_t out = 0;

	for (unsigned m = 0; m < NMODES; m++)
		out |= set >> m & 1 ? 1ull << after(i, m) : 0;
	return out;
}

static bool
is_switch(const ir_inst *i)
{
	return i->m.op == OP_s_round_mode || i->m.op == OP_s_denorm_mode ||
	       i->m.op == OP_s_setreg_imm32_b32;
}

static const char *
check(kit *k, unsigned *switches)
{
	ir_func *f = k->f;
	uint64_t *in = arena_array(&k->A, uint64_t, f->blocks.n);
	bool changed = true;

	in[f->entry->id] = 1ull << (f->k.round32 | f->k.round64 << 2 | (f->k.denorm32 ? 16 : 0));
	while (changed) {
		changed = false;
		*switches = 0;
		for (uint32_t b = 0; b < f->blocks.n; b++) {
			uint64_t set = in[b];

			for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
				if (set & ~allowed(i))
					return "an instruction may run in a mode that it does not "
					       "want";
				*switches += is_switch(i);
				set = step(i, set);
			}
			for (uint32_t s = 0; s < f->blocks.a[b]->lsuccs.n; s++) {
				uint64_t *to = &in[f->blocks.a[b]->lsuccs.a[s]->id];

				changed |= (set & ~*to) != 0;
				*to |= set;
			}
		}
	}
	return NULL;
}

int
main(void)
{
	for (unsigned c = 0; c < 4; c++)
		for (size_t n = 0; n < COUNT(shapes); n++) {
			kit *k = kit_new(kit_chips[c]);
			const char *why;
			unsigned switches = 0;

			shapes[n].build(k);
			kit_ret(k);
			p_normalize(k->f);
			why = kit_select(k);
			if (!why) {
				p_unssa(k->f);
				p_linearize(k->f);
				p_mode(k->f);
				why = ir_verify(k->f, IR_V_LINEAR);
			}
			if (!why)
				why = check(k, &switches);
			if (!why && switches > shapes[n].switches)
				why = arena_printf(&k->A, "%u switches, %u would do", switches,
						   shapes[n].switches);
			kit_ok(!why, why, "%s on %s", shapes[n].name, kit_chips[c]);
			kit_free(k);
		}
	return kit_failures();
}
