/* select_emit.c -- machine instructions on virtual registers that the chip can encode. Needs
 * operands with banks; leaves legal instructions: where an operand may not stand in its place
 * (scalar reads of one VALU instruction, literals, banks), it is moved into a register first,
 * the cheapest way. The rules themselves are p2a_check's: it is asked about a copy with
 * registers of the right kind. ISA manuals, "Scalar ALU operands", "VALU operands: constant bus
 * limitations". */
#include "pass/select.h"

/* ---- place ---- */

void
sel_group(sel *S)
{
	S->grouping = true;
	S->group = NULL;
}

void
sel_end(sel *S)
{
	S->grouping = false;
	S->group = NULL;
}

/* Moves may not stand inside a group: they go before it. */
static ir_builder
mover(const sel *S)
{
	ir_builder B = S->B;

	if (S->group)
		B.before = S->group;
	return B;
}

static ir_inst *
place(sel *S, const p2a_inst *m, unsigned ndefs)
{
	ir_inst *i = ir_emit(&S->B, m->op, ndefs, m->nargs, m->arg);

	i->m = *m;
	for (unsigned k = 0; k < ndefs; k++)
		if (ir_is_val(m->arg[k]) && !m->arg[k].imm &&
		    m->arg[k].width < S->f->vals.a[m->arg[k].reg].dwords)
			i->fresh = true;
	if (S->grouping && !S->group)
		S->group = i;
	else if (S->grouping)
		i->glue = true;
	return i;
}

/* ---- moves ---- */

static void
move_dword(sel *S, ir_builder *B, ir_opnd d, ir_opnd s)
{
	bool dv = sel_is_v(S, d);
	unsigned op = ir_is_imm(s) || s.kind == P2A_K_SREG ? (dv ? OP_v_mov_b32 : OP_s_mov_b32) :
	              !dv && sel_is_v(S, s) ? OP_v_readfirstlane_b32 : P_copy;
	ir_inst *i = ir_m(B, op, 2, d, s);

	i->fresh = !d.imm && d.width < S->f->vals.a[d.reg].dwords;
}

/* A run of ones by its width and place. */
static bool
mask64(ir_builder *B, ir_opnd d, ir_opnd s)
{
	uint64_t x = (uint64_t)s.imm;
	unsigned width = 0, first = 0;

	if (!ir_is_imm(s) || !sel_is_run(x))
		return false;
	for (; x >> first && !(x >> first & 1);)
		first++;
	for (; first + width < 64 && x >> (first + width) & 1;)
		width++;
	ir_m(B, OP_s_bfm_b64, 3, d, ir_i32(width), ir_i32(first));
	return true;
}

/* A constant that s_mov_b64 takes whole: inline, or a literal that the chip extends to it. */
static bool
mov64(const sel *S, ir_builder *B, ir_opnd d, ir_opnd s)
{
	p2a_inst m = { .op = OP_s_mov_b64, .nargs = 2, .arg = { P2A_SN(0, 2), s } };

	if (d.width != 2 || sel_is_v(S, d))
		return false;
	if (!ir_is_imm(s) && s.kind != P2A_K_SREG)
		return false;
	if (p2a_check(S->t, &m))
		return mask64(B, d, s);
	ir_m(B, OP_s_mov_b64, 2, d, s);
	return true;
}

static void
copy_with(sel *S, ir_builder *B, ir_opnd d, ir_opnd s)
{
	if (s.kind == IR_K_VAL && (sel_is_v(S, d) || !sel_is_v(S, s))) {
		ir_m(B, P_copy, 2, d, s)->fresh = !d.imm && d.width < S->f->vals.a[d.reg].dwords;
		return;
	}
	if (mov64(S, B, d, s))
		return;
	for (unsigned k = 0; k < d.width; k++)
		move_dword(S, B, ir_part(d, k, 1), d.width == 1 ? s : ir_part(s, k, 1));
}

void
sel_copy(sel *S, ir_opnd d, ir_opnd s)
{
	copy_with(S, &S->B, d, s);
}

static ir_opnd
moved(sel *S, ir_opnd o, unsigned bank)
{
	ir_opnd d = sel_new(S, bank, o.width ? o.width : 1);
	ir_builder B = mover(S);

	copy_with(S, &B, d, o);
	return d;
}

/* A move loses the modifiers of its source: they stay with the reader. */
static ir_opnd
moved_plain(sel *S, ir_opnd o, unsigned bank)
{
	uint8_t mods = o.mods, halves = o.sel;
	ir_opnd d;

	o.mods = o.sel = 0;
	d = moved(S, o, bank);
	d.mods = mods;
	d.sel = halves;
	return d;
}

ir_opnd
sel_to_s(sel *S, ir_opnd o)
{
	return sel_is_s(S, o) && o.kind == IR_K_VAL ? o : moved_plain(S, o, IR_BANK_S);
}

ir_opnd
sel_to_v(sel *S, ir_opnd o)
{
	return sel_is_v(S, o) ? o : moved_plain(S, o, IR_BANK_V);
}

ir_opnd
sel_scalar(sel *S, ir_opnd o)
{
	return sel_is_v(S, o) ? sel_to_s(S, o) : o;
}

/* ---- legality ---- */

enum { KEEP, TO_S, TO_V, NPLANS = 27 };

/* A register that stands for operand o: every value has its own. */
static p2a_opnd
stand_in(const sel *S, ir_opnd o, unsigned slot)
{
	if (o.kind == IR_K_SYM)
		return (p2a_opnd){ .kind = P2A_K_IMM, .width = 1, .imm = 0x12345678 };
	if (!ir_is_val(o))
		return o;
	o.kind = S->f->vals.a[o.reg].bank == IR_BANK_V ? P2A_K_VGPR : P2A_K_SGPR;
	o.reg = 8 * slot + (uint32_t)o.imm;
	o.imm = 0;
	return o;
}

static bool
legal_as(const sel *S, const p2a_inst *m, const uint8_t plan[3], unsigned ndefs)
{
	p2a_inst x = *m;

	for (unsigned k = 0; k < m->nargs; k++) {
		unsigned slot = k, p = k < ndefs || k - ndefs > 2 ? KEEP : plan[k - ndefs];

		for (unsigned j = k; j-- > 0; )
			if (ir_is_val(m->arg[j]) && ir_is_val(m->arg[k]) &&
			    m->arg[j].reg == m->arg[k].reg)
				slot = j;
		x.arg[k] = stand_in(S, m->arg[k], slot);
		if (p == KEEP)
			continue;
		x.arg[k].kind = p == TO_S ? P2A_K_SGPR : P2A_K_VGPR;
		x.arg[k].reg = 8 * (k + P2A_MAX_ARGS);
		x.arg[k].imm = 0;
	}
	return p2a_check(S->t, &x) == 0;
}

/* Cost of a plan: 2 a scalar move, which another unit makes and others may share; 5 a vector
 * move. */
static unsigned
plan_cost(const sel *S, const p2a_inst *m, unsigned ndefs, unsigned code, uint8_t plan[3])
{
	unsigned cost = 0;

	for (unsigned k = 0; k < 3; k++, code /= 3) {
		const ir_opnd *o = &m->arg[ndefs + k];

		plan[k] = (uint8_t)(code % 3);
		if (plan[k] == KEEP)
			continue;
		if (k + ndefs >= m->nargs || !o->width || o->kind == P2A_K_OFF || sel_is_v(S, *o) ||
		    isa_table[m->op].arg[ndefs + k].type == ISA_T_MASK)
			return ~0u;
		if (plan[k] == TO_S && !ir_is_imm(*o))
			return ~0u;
		cost += plan[k] == TO_S ? 2 : 5u * o->width;
	}
	return cost;
}

/* The cheapest way to make m legal; false: none. */
static bool
best_plan(const sel *S, const p2a_inst *m, uint8_t best[3], unsigned *cost)
{
	unsigned ndefs = isa_table[m->op].ndefs;
	uint8_t plan[3];
	bool found = false;

	*cost = ~0u;
	for (unsigned code = 0; code < NPLANS; code++) {
		unsigned c = plan_cost(S, m, ndefs, code, plan);

		if (c >= *cost || !legal_as(S, m, plan, ndefs))
			continue;
		*cost = c;
		found = true;
		for (unsigned k = 0; k < 3; k++)
			best[k] = plan[k];
		if (!c)
			break;
	}
	return found;
}

static void
swap_sources(p2a_inst *m, unsigned ndefs)
{
	p2a_opnd x = m->arg[ndefs];

	m->arg[ndefs] = m->arg[ndefs + 1];
	m->arg[ndefs + 1] = x;
}

/* The row that does the same with its sources exchanged. */
static unsigned
reversed(unsigned op)
{
	static const uint16_t pair[][2] = { { OP_v_sub_u32, OP_v_subrev_u32 },
		{ OP_v_sub_co_u32, OP_v_subrev_co_u32 }, { OP_v_subb_co_u32, OP_v_subbrev_co_u32 },
		{ OP_v_sub_f32, OP_v_subrev_f32 }, { OP_v_sub_f16, OP_v_subrev_f16 } };

	if (isa_table[op].eff & ISA_COMM)
		return op;
	for (unsigned k = 0; k < COUNT(pair); k++)
		if (pair[k][0] == op)
			return pair[k][1];
	return NO_OP;
}

/* VOP2 wants its second source in a VGPR: the short encoding, and literals before gfx10. */
static void
order_sources(const sel *S, p2a_inst *m)
{
	unsigned ndefs = isa_table[m->op].ndefs, rev = reversed(m->op);

	if (isa_table[m->op].cls != ISA_VALU || rev == NO_OP || m->nargs < ndefs + 2u ||
	    !isa_has(S->t, rev))
		return;
	if (!sel_is_v(S, m->arg[ndefs]) || sel_is_v(S, m->arg[ndefs + 1]))
		return;
	m->op = (uint16_t)rev;
	swap_sources(m, ndefs);
}

static bool
is_scalar_class(unsigned op)
{
	unsigned cls = isa_table[op].cls;

	return cls == ISA_SALU || cls == ISA_SMEM;
}

bool
sel_is_legal(const sel *S, const p2a_inst *m)
{
	static const uint8_t keep[3] = { KEEP, KEEP, KEEP };

	return legal_as(S, m, keep, isa_table[m->op].ndefs);
}

/* Scalar instructions: vector operands by v_readfirstlane, then constants one by one until it
 * fits. */
static void
fix_scalar(sel *S, p2a_inst *m)
{
	unsigned ndefs = isa_table[m->op].ndefs;

	for (unsigned k = ndefs; k < m->nargs; k++)
		m->arg[k] = sel_scalar(S, m->arg[k]);
	for (unsigned k = m->nargs; k-- > ndefs && !sel_is_legal(S, m); )
		if (ir_is_imm(m->arg[k]))
			m->arg[k] = sel_to_s(S, m->arg[k]);
}

static void
fix_vector(sel *S, p2a_inst *m)
{
	unsigned ndefs = isa_table[m->op].ndefs, cost, swapped;
	uint8_t plan[3] = { KEEP, KEEP, KEEP }, other[3];

	order_sources(S, m);
	best_plan(S, m, plan, &cost);
	if (cost && isa_table[m->op].eff & ISA_COMM && m->nargs >= ndefs + 2u) {
		swap_sources(m, ndefs);
		if (best_plan(S, m, other, &swapped) && swapped < cost)
			for (unsigned k = 0; k < 3; k++)
				plan[k] = other[k];
		else
			swap_sources(m, ndefs);
	}
	for (unsigned k = 0; k < 3 && ndefs + k < m->nargs; k++)
		if (plan[k] != KEEP)
			m->arg[ndefs + k] = moved_plain(S, m->arg[ndefs + k],
							plan[k] == TO_S ? IR_BANK_S : IR_BANK_V);
}

static p2a_inst
build(unsigned op, unsigned nargs, const ir_opnd *args)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = (uint8_t)nargs };

	for (unsigned k = 0; k < nargs; k++)
		m.arg[k] = args[k];
	return m;
}

unsigned
sel_cost(const sel *S, unsigned op, unsigned nargs, const ir_opnd *args)
{
	p2a_inst m = build(op, nargs, args);
	uint8_t plan[3] = { KEEP, KEEP, KEEP };
	unsigned cost;

	order_sources(S, &m);
	return best_plan(S, &m, plan, &cost) ? cost : ~0u;
}

ir_inst *
sel_op(sel *S, unsigned op, unsigned nargs, const ir_opnd *args)
{
	p2a_inst m = build(op, nargs, args);

	return sel_inst(S, &m);
}

ir_inst *
sel_inst(sel *S, p2a_inst *m)
{
	if (is_scalar_class(m->op))
		fix_scalar(S, m);
	else
		fix_vector(S, m);
	return place(S, m, isa_table[m->op].ndefs);
}

/* ---- short forms ---- */

ir_inst *
sel_op1(sel *S, unsigned op, ir_opnd d, ir_opnd a)
{
	return sel_op(S, op, 2, (ir_opnd[]){ d, a });
}

ir_inst *
sel_op2(sel *S, unsigned op, ir_opnd d, ir_opnd a, ir_opnd b)
{
	return sel_op(S, op, 3, (ir_opnd[]){ d, a, b });
}

ir_inst *
sel_op3(sel *S, unsigned op, ir_opnd d, ir_opnd a, ir_opnd b, ir_opnd c)
{
	return sel_op(S, op, 4, (ir_opnd[]){ d, a, b, c });
}

ir_inst *
sel_cmp(sel *S, unsigned op, ir_opnd a, ir_opnd b)
{
	return sel_op(S, op, 2, (ir_opnd[]){ a, b });
}

ir_opnd
sel_tmp2(sel *S, unsigned op, ir_opnd a, ir_opnd b)
{
	unsigned bank = is_scalar_class(op) ? IR_BANK_S : IR_BANK_V;
	ir_opnd d = sel_new(S, bank, isa_table[op].arg[0].width);

	sel_op2(S, op, d, a, b);
	return d;
}

ir_opnd
sel_tmp3(sel *S, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd d = sel_new(S, IR_BANK_V, isa_table[op].arg[0].width);

	sel_op3(S, op, d, a, b, c);
	return d;
}
