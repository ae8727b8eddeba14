/* hazard.c -- wait states between instructions that the hardware does not keep apart by itself.
 * Needs physical code with its waits; leaves s_nop and the other remedies that hazards.def names.
 * Manuals: "Manually Inserted Wait States (NOPs)" (Vega, CDNA2, CDNA3).
 *
 * A row says: an instruction that `first` accepts, then one that `second` accepts, `meet`ing in some
 * register, need `states` others between them. An s_nop n is n + 1 of them. Looked for backwards over
 * all linear paths. Rows of hazards.def that are missing here are either in hazard_flow.c, or cannot
 * occur: FLAT_OFFSET, SCRATCH_NEG (select), SHIFT64_HIGH, MAD_INTRA_FWD (regalloc), BRANCH_3F (branch),
 * VALU_PARTIAL_FWD and VALU_MASK_WRITE (wave64 of gfx11, which we do not compile for), GETPC_ZEXT (code
 * lies below 2^47, so that both extensions agree). */
#include "pass/hazard.h"

#include <string.h>

/* ---- what instructions touch ---- */

unsigned
hz_registers(const p2a_opnd *o, unsigned *first)
{
	static const struct { uint8_t sreg, first, n; } named[] = {
		{ P2A_VCC, HZ_VCC, 2 }, { P2A_VCC_LO, HZ_VCC, 1 }, { P2A_VCC_HI, HZ_VCC + 1, 1 },
		{ P2A_EXEC, HZ_EXEC, 2 }, { P2A_EXEC_LO, HZ_EXEC, 1 }, { P2A_EXEC_HI, HZ_EXEC + 1, 1 },
		{ P2A_M0, HZ_M0, 1 } };

	*first = o->reg;
	if (o->kind == P2A_K_SGPR)
		return o->width;
	*first = HZ_VGPR + o->reg;
	if (o->kind == P2A_K_VGPR)
		return *first < HZ_NREG ? MIN(o->width, HZ_NREG - *first) : 0;
	for (unsigned k = 0; o->kind == P2A_K_SREG && k < COUNT(named); k++)
		if (named[k].sreg == o->reg) {
			*first = named[k].first;
			return named[k].n;
		}
	return 0;
}

bool
hz_is_class(const ir_inst *i, unsigned classes)
{
	return i->m.op < ISA_NOPS && classes >> isa_table[i->m.op].cls & 1;
}

static bool
has_effect(const ir_inst *i, uint32_t eff)
{
	return i->m.op < ISA_NOPS && isa_effects(&i->m) & eff;
}

static bool
holds(const p2a_opnd *o, unsigned reg)
{
	unsigned first, n = hz_registers(o, &first);

	return reg >= first && reg < first + n;
}

bool
hz_writes(const ir_inst *i, unsigned reg)
{
	if (has_effect(i, ISA_W_VCC) && (reg == HZ_VCC || reg == HZ_VCC + 1))
		return true;
	if (has_effect(i, ISA_W_EXEC) && (reg == HZ_EXEC || reg == HZ_EXEC + 1))
		return true;
	for (unsigned k = 0; k < i->ndefs; k++)
		if (holds(&i->m.arg[k], reg))
			return true;
	return false;
}

/* Results that were read before they are written. */
static bool
keeps_old(const ir_inst *i)
{
	return has_effect(i, ISA_TIED) || (i->m.enc == P2A_ENC_SDWA && i->m.dst_unused == P2A_UNUSED_PRESERVE) ||
	       isa_is_dpp(i->m.enc);
}

bool
hz_reads(const ir_inst *i, unsigned reg)
{
	if (has_effect(i, ISA_R_VCC) && (reg == HZ_VCC || reg == HZ_VCC + 1))
		return true;
	if (has_effect(i, ISA_R_M0) && reg == HZ_M0)
		return true;
	for (unsigned k = keeps_old(i) ? 0 : i->ndefs; k < i->m.nargs; k++)
		if (holds(&i->m.arg[k], reg))
			return true;
	return false;
}

/* Does b read a register from lo up to hi that a writes? */
static bool
read_after_write(const ir_inst *a, const ir_inst *b, unsigned lo, unsigned hi)
{
	for (unsigned k = 0; k < a->ndefs; k++) {
		unsigned first, n = hz_registers(&a->m.arg[k], &first);

		for (unsigned r = first; r < first + n; r++)
			if (r >= lo && r < hi && hz_reads(b, r))
				return true;
	}
	for (unsigned r = MAX(lo, (unsigned)HZ_VCC); r < hi && r < HZ_VGPR; r++)
		if (hz_writes(a, r) && hz_reads(b, r)) /* VCC, EXEC: perhaps not as an operand */
			return true;
	return false;
}

/* ---- first, second ---- */

static bool is_valu(const ir_inst *i) { return hz_is_class(i, HZ_VALU); }
static bool is_trans(const ir_inst *i) { return hz_is_class(i, 1 << ISA_TRANS); }
static bool is_plain_valu(const ir_inst *i) { return hz_is_class(i, 1 << ISA_VALU); }
static bool is_memory(const ir_inst *i) { return hz_is_class(i, HZ_MEMORY); }
static bool is_dpp(const ir_inst *i) { return is_valu(i) && isa_is_dpp(i->m.enc); }
static bool is_salu(const ir_inst *i) { return hz_is_class(i, 1 << ISA_SALU); }
static bool uses_m0(const ir_inst *i) { return has_effect(i, ISA_R_M0); }

static bool
is_div_fmas(const ir_inst *i)
{
	return i->m.op == OP_v_div_fmas_f32 || i->m.op == OP_v_div_fmas_f64;
}

static bool
takes_lane(const ir_inst *i)
{
	return i->m.op == OP_v_readlane_b32 || i->m.op == OP_v_writelane_b32;
}

static bool
reads_a_lane(const ir_inst *i)
{
	return i->m.op == OP_v_readlane_b32 || i->m.op == OP_v_readfirstlane_b32;
}

static bool
is_lane_op(const ir_inst *i)
{
	return takes_lane(i) || reads_a_lane(i);
}

static bool
is_dot(const ir_inst *i)
{
	return is_plain_valu(i) && isa_is_dot(i->m.op);
}

static bool
is_vector(const ir_inst *i)
{
	return is_valu(i) || is_memory(i) || hz_is_class(i, 1 << ISA_DS);
}

static bool
is_setreg(const ir_inst *i)
{
	return i->m.op == OP_s_setreg_b32 || i->m.op == OP_s_setreg_imm32_b32;
}

static bool
is_hwreg(const ir_inst *i)
{
	return is_setreg(i) || i->m.op == OP_s_getreg_b32;
}

static bool
is_wide_store(const ir_inst *i)
{
	if (!is_memory(i) || !has_effect(i, ISA_STORE))
		return false;
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (i->m.arg[k].kind == P2A_K_VGPR && i->m.arg[k].width > 2)
			return true;
	return false;
}

/* Writes a part of its destination and leaves the rest. */
static bool
selects_part(const ir_inst *i)
{
	if (!is_valu(i) || !i->ndefs)
		return false;
	return (i->m.enc == P2A_ENC_SDWA && i->m.dst_sel != P2A_SEL_DWORD) ||
	       (i->m.enc != P2A_ENC_SDWA && i->m.arg[0].sel);
}

/* ---- meet ---- */

static bool
by_sgpr(const ir_inst *a, const ir_inst *b)
{
	return read_after_write(a, b, 0, HZ_M0);
}

static bool
by_scalar(const ir_inst *a, const ir_inst *b)
{
	return read_after_write(a, b, 0, HZ_VGPR);
}

static bool
by_vgpr(const ir_inst *a, const ir_inst *b)
{
	return read_after_write(a, b, HZ_VGPR, HZ_NREG);
}

/* The same operation takes the result on as its sum. */
static bool
by_dot(const ir_inst *a, const ir_inst *b)
{
	unsigned first, n = hz_registers(&a->m.arg[0], &first);

	for (unsigned r = first; r < first + n; r++)
		if (a->m.op != b->m.op ? hz_reads(b, r) || hz_writes(b, r) : holds(&b->m.arg[1], r) || holds(&b->m.arg[2], r))
			return true;
	return false;
}

static bool
by_vcc(const ir_inst *a, const ir_inst *b)
{
	(void)b;
	return hz_writes(a, HZ_VCC) || hz_writes(a, HZ_VCC + 1);
}

static bool
by_exec(const ir_inst *a, const ir_inst *b)
{
	(void)b;
	return hz_writes(a, HZ_EXEC) || hz_writes(a, HZ_EXEC + 1);
}

static bool
by_m0(const ir_inst *a, const ir_inst *b)
{
	(void)b;
	return hz_writes(a, HZ_M0);
}

static bool
by_lane(const ir_inst *a, const ir_inst *b)
{
	unsigned first, n = hz_registers(&b->m.arg[2], &first);

	return n && hz_writes(a, first);
}

static int64_t
hwreg_of(const ir_inst *i)
{
	return i->m.arg[i->m.op == OP_s_getreg_b32].imm & 63;
}

static bool
by_hwreg(const ir_inst *a, const ir_inst *b)
{
	return hwreg_of(a) == hwreg_of(b);
}

static bool
by_data(const ir_inst *a, const ir_inst *b)
{
	for (unsigned k = a->ndefs; k < a->m.nargs; k++) {
		unsigned first, n = hz_registers(&a->m.arg[k], &first);

		for (unsigned r = first; a->m.arg[k].width > 2 && r < first + n; r++)
			if (r >= HZ_VGPR && hz_writes(b, r))
				return true;
	}
	return false;
}

static const struct row {
	uint32_t chips;         /* ISA_HZ_* */
	uint8_t states;
	bool (*first)(const ir_inst *), (*second)(const ir_inst *);
	bool (*meet)(const ir_inst *, const ir_inst *);
} rows[] = {
	{ ISA_HZ_VALU_SGPR_VMEM,    5, is_valu,       is_memory,    by_sgpr },
	{ ISA_HZ_VALU_VCC_DIV_FMAS, 4, is_valu,       is_div_fmas,  by_vcc },
	{ ISA_HZ_VALU_SGPR_LANE,    4, is_valu,       takes_lane,   by_lane },
	{ ISA_HZ_VALU_EXEC_DPP,     5, is_valu,       is_dpp,       by_exec },
	{ ISA_HZ_VALU_VGPR_DPP,     2, is_valu,       is_dpp,       by_vgpr },
	{ ISA_HZ_SETREG_GETREG,     2, is_setreg,     is_hwreg,     by_hwreg },
	{ ISA_HZ_SALU_M0_USE,       1, is_salu,       uses_m0,      by_m0 },
	{ ISA_HZ_STORE_DATA,        1, is_wide_store, is_valu,      by_data },
	{ ISA_HZ_STORE_DATA_VALU,   2, is_wide_store, is_valu,      by_data },
	{ ISA_HZ_DOT_USE,           3, is_dot,        is_vector,    by_dot },
	{ ISA_HZ_TRANS_USE,         1, is_trans,      is_plain_valu, by_vgpr },
	{ ISA_HZ_DST_SEL_USE,       1, selects_part,  is_valu,      by_vgpr },
	{ ISA_HZ_VALU_SGPR_VALU,    2, is_valu,       is_valu,      by_scalar },
	{ ISA_HZ_VALU_VGPR_LANE,    1, is_valu,       reads_a_lane, by_vgpr },
	{ ISA_HZ_VALU_EXEC_LANE,    4, is_valu,       is_lane_op,   by_exec },
};

/* ---- looking back ---- */

typedef struct place { const ir_block *b; unsigned left; } place;
typedef struct search {
	ir_func *f;
	const struct row *row;
	const ir_inst *second;
	uint32_t stamp;
	uint32_t *entered;      /* by block: stamp * 16 + states left when it was entered, + 1 */
	VEC(place) todo;        /* blocks to look through from their ends */
	unsigned need;          /* wait states that are missing */
} search;

/* Branches count for nothing: emit drops those to the next block. */
static unsigned
states_of(const ir_inst *i)
{
	if (hz_is_class(i, 1 << ISA_BRANCH))
		return 0;
	return i->m.op == OP_s_nop ? (unsigned)i->m.arg[0].imm + 1 : i->m.op < ISA_NOPS;
}

static void
enter(search *s, const ir_block *p, unsigned left)
{
	uint32_t *e = &s->entered[p->id];

	if (*e / 16 == s->stamp && *e % 16 > left)
		return;
	*e = s->stamp * 16 + left + 1;
	*vec_push(s->f->A, &s->todo) = (place){ p, left };
}

static void
look_back(search *s, const ir_block *b, const ir_inst *i, unsigned left)
{
	for (; i && left; i = i->prev) {
		if (s->row->first(i) && s->row->meet(i, s->second)) {
			s->need = MAX(s->need, left);
			return;
		}
		left -= MIN(left, states_of(i));
	}
	for (uint32_t k = 0; left && k < b->lpreds.n; k++)
		enter(s, b->lpreds.a[k], left);
}

static unsigned
missing_states(search *s, const ir_inst *i)
{
	s->second = i;
	s->need = 0;
	for (unsigned k = 0; k < COUNT(rows); k++) {
		if (!(s->f->target->hazards & rows[k].chips) || !rows[k].second(i))
			continue;
		s->row = &rows[k];
		s->stamp++;
		look_back(s, i->block, i->prev, rows[k].states);
		while (s->todo.n) {
			place p = s->todo.a[--s->todo.n];

			look_back(s, p.b, p.b->last, p.left);
		}
	}
	return s->need;
}

static void
keep_apart(ir_func *f)
{
	search s = { .f = f, .entered = arena_array(f->A, uint32_t, f->blocks.n) };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			ir_builder B = { f, i->block, i, i->loc };
			unsigned need = missing_states(&s, i);

			if (need)
				ir_m(&B, OP_s_nop, 1, (ir_opnd){ .kind = P2A_K_IMM, .imm = need - 1 });
		}
}

/* ---- hazards that one instruction shows by itself ---- */

static void
refresh_vccz(ir_func *f)
{
	ir_opnd vcc = { .kind = P2A_K_SREG, .width = 2, .reg = P2A_VCC };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			ir_builder B = { f, i->block, i, i->loc };

			if (i->m.op == OP_s_cbranch_vccz || i->m.op == OP_s_cbranch_vccnz)
				ir_m(&B, OP_s_mov_b64, 2, vcc, vcc);
		}
}

/* A load that is replayed reads its address again, with the loads behind it in its clause: none of them may
 * have overwritten it, and no store behind them may have changed what it loads. */
typedef struct clause {
	unsigned classes;       /* of the accesses in it; 0: none */
	bool loads;             /* one of them a load */
	uint64_t read[HZ_NREG / 64], written[HZ_NREG / 64];
} clause;

static void
add_to_clause(clause *c, const ir_inst *i)
{
	for (unsigned k = 0; k < i->m.nargs; k++) {
		unsigned first, n = hz_registers(&i->m.arg[k], &first);
		uint64_t *set = hz_is_result(i, k) ? c->written : c->read;

		for (unsigned r = first; r < first + n; r++)
			set[r / 64] |= (uint64_t)1 << r % 64;
	}
}

static bool
overwrites_address(const clause *c)
{
	for (unsigned w = 0; w < HZ_NREG / 64; w++)
		if (c->read[w] & c->written[w])
			return true;
	return false;
}

static unsigned
clause_of(const ir_inst *i)
{
	if (!has_effect(i, ISA_LOAD | ISA_STORE))
		return 0;
	return hz_is_class(i, 1 << ISA_SMEM) ? 1u << ISA_SMEM : hz_is_class(i, HZ_MEMORY) ? HZ_MEMORY : 0;
}

static void
break_clauses(ir_func *f)
{
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		clause c = { 0 };

		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			unsigned classes = clause_of(i);
			ir_builder B = { f, i->block, i, i->loc };
			bool joins = classes && classes == c.classes;

			if (!joins)
				c = (clause){ .classes = classes };
			add_to_clause(&c, i);
			if (!joins || !(has_effect(i, ISA_STORE) ? c.loads : overwrites_address(&c))) {
				c.loads |= has_effect(i, ISA_LOAD);
				continue;
			}
			ir_m(&B, OP_s_nop, 1, (ir_opnd){ .kind = P2A_K_IMM });
			c = (clause){ .classes = classes, .loads = has_effect(i, ISA_LOAD) };
			add_to_clause(&c, i);
		}
	}
}

void
p_hazard(ir_func *f)
{
	uint32_t have = f->target->hazards;

	if (have & ISA_HZ_VCCZ_PARTIAL)
		refresh_vccz(f);
	if (have & ISA_HZ_XNACK_CLAUSE && f->target->xnack >= 0)
		break_clauses(f);
	hz_flow(f);
	for (unsigned k = 0; k < COUNT(rows); k++)
		if (have & rows[k].chips) {
			keep_apart(f);
			break;
		}
}
