/* table.c -- what is known of operations by number: names, types, effects.
 * Needs gops.def (generic rows) and isa_table (machine rows); leaves nothing.
 * Effects of machine instructions: isa/ops.def. */
#include "ir/ir.h"

#define S0() 0, { 0 }
#define S1(a) 1, { IR_T_##a }
#define S2(a, b) 2, { IR_T_##a, IR_T_##b }
#define S3(a, b, c) 3, { IR_T_##a, IR_T_##b, IR_T_##c }
#define S4(a, b, c, d) 4, { IR_T_##a, IR_T_##b, IR_T_##c, IR_T_##d }
#define IR_T__ IR_T_NONE
#define PURE IR_PURE
#define COMM IR_COMM
#define DIV IR_DIV
#define UNI IR_UNI
#define SIDE IR_SIDE
#define TERM IR_TERM
#define FP IR_FP
#define CC IR_CC
#define MEM IR_MEM
#define CONV IR_CONV
static const ir_ginfo generic[] = {
#define G(id, dst, src, flags, eval) { #id, IR_T_##dst, src, flags },
#include "ir/gops.def"
};

static const char *const pseudo[] = {
	[P_entry - P_entry] = "p_entry", [P_copy - P_entry] = "p_copy",
	[P_undef - P_entry] = "p_undef", [P_br - P_entry] = "p_br",
	[P_cbr_uni - P_entry] = "p_cbr_uni", [P_cbr_mask - P_entry] = "p_cbr_mask",
	[P_cbr_scc - P_entry] = "p_cbr_scc", [P_ret - P_entry] = "p_ret",
	[P_spill - P_entry] = "p_spill", [P_reload - P_entry] = "p_reload",
	[P_barrier - P_entry] = "p_barrier", [P_meet - P_entry] = "p_meet",
};

bool
ir_is_machine(unsigned op)
{
	return op < ISA_NOPS;
}

bool
ir_is_generic(unsigned op)
{
	return op > IR_G_BASE && op < P_entry;
}

const ir_ginfo *
ir_ginfo_of(unsigned op)
{
	return ir_is_generic(op) ? &generic[op - IR_G_BASE - 1] : NULL;
}

const char *
ir_op_name(const ir_func *f, unsigned op)
{
	const char *name;

	if (ir_is_generic(op))
		return ir_ginfo_of(op)->name;
	if (op >= IR_NOPS || op == IR_G_BASE)
		return "?";
	if (!ir_is_machine(op))
		return pseudo[op - P_entry];
	name = f->target ? p2a_op_name(f->target, op) : NULL;
	return name ? name : isa_table[op].name;
}

bool
ir_is_term(unsigned op)
{
	if (ir_is_generic(op))
		return ir_ginfo_of(op)->flags & IR_TERM;
	if (ir_is_machine(op))
		return isa_table[op].cls == ISA_BRANCH || isa_table[op].cls == ISA_END;
	return op >= P_br && op <= P_ret;
}

bool
ir_is_glued(const ir_inst *i)
{
	return i->glue || (i->next && i->next->glue);
}

/* An instruction behind this one may read what it leaves in SCC or VCC. */
static bool
flags_are_read(const ir_inst *i)
{
	return i->next && (i->next->glue || i->next->m.op == P_cbr_scc);
}

static bool
is_pure_machine(const ir_inst *i)
{
	const isa_info *row = &isa_table[i->m.op];
	const uint32_t harmless = ISA_R_EXEC | ISA_R_SCC | ISA_W_SCC | ISA_R_VCC | ISA_W_VCC |
		ISA_R_M0 | ISA_BUS1 | ISA_COMM | ISA_BOOL_OUT | ISA_IGNORES_EXEC | ISA_TIED |
		ISA_FLOAT | ISA_F64;

	if (row->cls != ISA_SALU && row->cls != ISA_VALU && row->cls != ISA_TRANS)
		return false;
	if (row->eff & ~harmless || !i->ndefs)
		return false;
	return !(row->eff & (ISA_W_SCC | ISA_W_VCC)) || !flags_are_read(i);
}

bool
ir_is_convergent(const ir_inst *i)
{
	return ir_is_generic(i->m.op) && ir_ginfo_of(i->m.op)->flags & IR_CONV;
}

bool
ir_reads_constant(const ir_inst *i)
{
	return i->mem.space == IR_PARAM || i->mem.space == IR_CONST || i->mem.nc;
}

unsigned
ir_dot_op(const p2a_target *t, unsigned gop)
{
	static const struct { uint16_t gop, op; } rows[] = { { G_dot4_u, OP_v_dot4_u32_u8 }, { G_dot4_s, OP_v_dot4_i32_i8 },
		{ G_dot4_s, OP_v_dot4_i32_iu8 }, { G_dot4_su, OP_v_dot4_i32_iu8 } };

	for (size_t k = 0; k < COUNT(rows); k++)
		if (rows[k].gop == gop && isa_has(t, rows[k].op))
			return rows[k].op;
	return ISA_NOPS;
}

bool
ir_replaces_part(const ir_inst *i)
{
	return ir_is_machine(i->m.op) && (isa_table[i->m.op].eff & ISA_TIED || i->m.dst_unused == P2A_UNUSED_PRESERVE);
}

bool
ir_is_pure(const ir_inst *i)
{
	if (ir_is_generic(i->m.op))
		return ir_ginfo_of(i->m.op)->flags & IR_PURE;
	for (unsigned k = 0; k < i->ndefs; k++)
		if (!ir_is_val(i->m.arg[k]))
			return false;
	if (ir_is_machine(i->m.op))
		return is_pure_machine(i);
	return i->m.op == P_copy || i->m.op == P_undef;
}
