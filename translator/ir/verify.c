/* verify.c -- the invariants of each form of a kernel, checked between passes.
 * Needs an ir_func and the form it should be in; leaves idom of blocks in the SSA forms, else
 * nothing. ir.h says what the forms are. The first fault found is described with its block and
 * instruction. */
#include "ir/ir.h"

typedef struct verifier {
	ir_func *f;
	int stage;
	const ir_block *b;
	const ir_inst *i;
	const char *why;
	uint32_t *dword;        /* first entry of a value in def */
	const ir_inst **def;    /* machine SSA: what writes each dword of a value first */
} verifier;

static bool
is_ssa(const verifier *v)
{
	return v->stage == IR_V_SSA || v->stage == IR_V_MACHINE_SSA;
}

static bool
is_generic_form(const verifier *v)
{
	return v->stage <= IR_V_SSA;
}

/* Always false, so that checks read `ok || fail(v, ...)`. */
static bool fail(verifier *, const char *fmt, ...) PRINTF(2, 3);
static bool
fail(verifier *v, const char *fmt, ...)
{
	buf where;
	va_list ap;
	const char *what;

	va_start(ap, fmt);
	what = arena_vprintf(v->f->A, fmt, ap);
	va_end(ap);
	buf_init(&where, v->f->A);
	if (v->b)
		buf_printf(&where, " in b%u", v->b->id);
	if (v->i) {
		buf_printf(&where, ": ");
		ir_print_inst(v->f, v->i, &where);
	}
	v->why = arena_printf(v->f->A, "%s%s", what, buf_cstr(&where));
	return false;
}

/* Blocks, lists, edges */

static bool
check_blocks(verifier *v)
{
	ir_func *f = v->f;
	bool entry = false;

	for (uint32_t k = 0; k < f->blocks.n; k++) {
		if (!f->blocks.a[k] || f->blocks.a[k]->id != k || f->blocks.a[k]->func != f)
			return fail(v, "block %u has a wrong id or kernel", k);
		entry |= f->blocks.a[k] == f->entry;
	}
	return entry || fail(v, "the entry block is not in the list");
}

static bool
check_list(verifier *v)
{
	const ir_inst *prev = NULL;

	for (v->i = v->b->first; v->i; prev = v->i, v->i = v->i->next)
		if (v->i->prev != prev || v->i->block != v->b)
			return fail(v, "instruction list is broken");
	return v->b->last == prev || fail(v, "last is not the last instruction");
}

/* Each edge must stand as often among the predecessors of its target as among its source's
 * successors. */
typedef struct edge_count { uint32_t *first, *next, *from; int32_t *count; } edge_count;

static bool
edges_agree(const edge_count *c, ir_block *const *preds, uint32_t n, uint32_t to)
{
	bool ok = true;

	for (uint32_t k = 0; k < n; k++)
		c->count[preds[k]->id]++;
	for (uint32_t e = c->first[to]; e; e = c->next[e])
		c->count[c->from[e]]--;
	for (uint32_t k = 0; k < n; k++) {
		ok &= !c->count[preds[k]->id];
		c->count[preds[k]->id] = 0;
	}
	for (uint32_t e = c->first[to]; e; e = c->next[e]) {
		ok &= !c->count[c->from[e]];
		c->count[c->from[e]] = 0;
	}
	return ok;
}

static bool
is_block_of(const ir_func *f, const ir_block *b)
{
	return b && b->id < f->blocks.n && f->blocks.a[b->id] == b;
}

static bool
check_edges(verifier *v, bool linear)
{
	ir_func *f = v->f;
	uint32_t n = 1, e = 1;
	edge_count c;

	for (uint32_t b = 0; b < f->blocks.n; b++)
		n += linear ? f->blocks.a[b]->lsuccs.n : f->blocks.a[b]->succs.n;
	c = (edge_count){ arena_array(f->A, uint32_t, f->blocks.n), arena_array(f->A, uint32_t, n),
		arena_array(f->A, uint32_t, n), arena_array(f->A, int32_t, f->blocks.n) };
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		ir_block *const *s = linear ? f->blocks.a[b]->lsuccs.a : f->blocks.a[b]->succs.a;
		uint32_t ns = linear ? f->blocks.a[b]->lsuccs.n : f->blocks.a[b]->succs.n;

		for (uint32_t k = 0; k < ns; k++, e++) {
			if (!is_block_of(f, s[k]))
				return fail(v, "b%u goes to a block that is not in the list", b);
			c.from[e] = b;
			c.next[e] = c.first[s[k]->id];
			c.first[s[k]->id] = e;
		}
	}
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		ir_block *const *p = linear ? f->blocks.a[b]->lpreds.a : f->blocks.a[b]->preds.a;
		uint32_t np = linear ? f->blocks.a[b]->lpreds.n : f->blocks.a[b]->preds.n;

		for (uint32_t k = 0; k < np; k++)
			if (!is_block_of(f, p[k]))
				return fail(v, "b%u comes from a block that is not in the list", b);
		if (!edges_agree(&c, p, np, b))
			return fail(v, "predecessors of b%u are not the blocks that go there", b);
	}
	return true;
}

/* Terminators */

static unsigned
targets_of(unsigned op)
{
	switch (op) {
	case G_br: case P_br: return 1;
	case G_cbr: case P_cbr_uni: case P_cbr_mask: case P_cbr_scc: return 2;
	default: return 0;
	}
}

static bool
check_terminator(verifier *v)
{
	const ir_inst *i = v->i;

	if (v->stage >= IR_V_LINEAR)
		return !ir_is_term(i->m.op) || !i->next || ir_is_term(i->next->m.op) ||
		       fail(v, "instructions behind a branch");
	if (ir_is_term(i->m.op) != !i->next)
		return fail(v, i->next ? "branch inside a block" : "block without terminator");
	if (!i->next && targets_of(i->m.op) != v->b->succs.n)
		return fail(v, "%u successors for this terminator", v->b->succs.n);
	if (is_ssa(v) && v->b->succs.n == 2 && v->b->succs.a[0] == v->b->succs.a[1])
		return fail(v, "branch both ways to one block");
	return true;
}

/* Operations and operands */

static bool
op_belongs(const verifier *v)
{
	unsigned op = v->i->m.op;

	if (op == G_phi)
		return is_ssa(v);
	if (is_generic_form(v))
		return ir_is_generic(op);
	if (ir_is_generic(op) || op >= IR_NOPS || op == IR_G_BASE)
		return false;
	if (v->stage >= IR_V_LINEAR && op >= P_br && op <= P_ret)
		return false;
	return v->stage < IR_V_PHYSICAL || (op != P_copy && op != P_undef && op != P_spill &&
		op != P_reload && op != P_meet);
}

static bool
check_value(verifier *v, ir_opnd o)
{
	const ir_val *val;

	if (!o.reg || o.reg >= v->f->vals.n)
		return fail(v, "value %%%u does not exist", o.reg);
	val = &v->f->vals.a[o.reg];
	if (o.imm < 0 || o.imm + o.width > val->dwords)
		return fail(v, "dwords outside of value %%%u", o.reg);
	if (is_generic_form(v) && (o.imm || o.width != val->dwords))
		return fail(v, "part of value %%%u in generic form", o.reg);
	if (is_generic_form(v) == (val->bank != IR_BANK_NONE))
		return fail(v, "value %%%u has %s bank", o.reg, val->bank ? "a" : "no");
	return true;
}

static bool
check_constant(verifier *v, ir_opnd o)
{
	if (o.width == 0)
		return o.imm == 0 || o.imm == 1 ||
			fail(v, "boolean constant is %lld", (long long)o.imm);
	if (o.width == 1)
		return o.imm == (int32_t)o.imm || fail(v, "32-bit constant is not sign-extended");
	return o.width == 2 || fail(v, "constant of %u dwords", o.width);
}

static bool
type_takes(unsigned type, unsigned dwords)
{
	switch (type) {
	case IR_T_B1: return dwords == 0;
	case IR_T_W: return dwords == 1;
	case IR_T_D: return dwords == 2;
	case IR_T_T: return dwords == 3;
	case IR_T_Q: return dwords == 4;
	default: return type == IR_T_X;
	}
}

static bool
check_source(verifier *v, ir_opnd o, unsigned type)
{
	if (o.mods && !(ir_ginfo_of(v->i->m.op)->flags & IR_FP))
		return fail(v, "source modifier on an operation that takes none");
	if (v->i->m.op == G_symaddr)
		return (o.kind == IR_K_SYM && v->f->mod && o.reg < v->f->mod->vars.n) ||
		       fail(v, "source is not a variable of the module");
	if (ir_is_imm(o) ? !check_constant(v, o) : !ir_is_val(o) || !check_value(v, o))
		return v->why ? false : fail(v, "source is neither value nor constant");
	return type_takes(type, o.width) || fail(v, "source has %u dwords", o.width);
}

static bool
check_memory(verifier *v)
{
	const ir_inst *i = v->i;
	const ir_mem *m = &i->mem;
	unsigned address = i->m.arg[i->ndefs].width, data = i->m.arg[i->ndefs ? 0 : 1].width;
	bool narrow = m->space == IR_SHARED || m->space == IR_LOCAL;

	if (m->space > IR_PARAM || (m->bytes & (m->bytes - 1) && m->bytes != 12) ||
		m->bytes > 16 || !m->bytes)
		return fail(v, "no such access");
	if (address != (narrow ? 1 : 2))
		return fail(v, "address of %u dwords", address);
	if (data != (m->bytes + 3u) / 4)
		return fail(v, "%u dwords for %u bytes", data, m->bytes);
	return !(m->align & (m->align - 1)) || fail(v, "alignment is no power of two");
}

static bool
check_atomic(verifier *v)
{
	const ir_inst *i = v->i;
	const ir_mem *m = &i->mem;

	if (!m->rmw || m->rmw >= IR_NRMW || (m->rmw == IR_RMW_cas) != (i->m.op == G_cas) ||
		(m->bytes != 4 && m->bytes != 8) || m->space > IR_SHARED)
		return fail(v, "no such atomic access");
	for (unsigned k = 2; k < i->m.nargs; k++)
		if (i->m.arg[k].width != m->bytes / 4)
			return fail(v, "%u dwords for %u bytes", i->m.arg[k].width, m->bytes);
	return check_memory(v);
}

static bool
check_special_cases(verifier *v)
{
	const ir_inst *i = v->i;

	switch (i->m.op) {
	case G_load: case G_store:
		return check_memory(v);
	case G_atomic: case G_cas:
		return check_atomic(v);
	case G_word:
		if (!ir_is_imm(i->m.arg[2]) || (uint64_t)i->m.arg[2].imm >= i->m.arg[1].width)
			return fail(v, "no such dword");
		return true;
	case G_special:
		return (i->m.offset >= 0 && i->m.offset < IR_NSPECIAL) ||
			fail(v, "no such special");
	case G_icmp32: case G_icmp64:
		return i->cc <= IR_HS || fail(v, "float condition");
	case G_fcmp16: case G_fcmp32: case G_fcmp64:
		return i->cc <= IR_GE || (i->cc >= IR_EQU && i->cc <= IR_NAN) ||
			fail(v, "integer condition");
	default:
		return true;
	}
}

static bool
check_generic(verifier *v)
{
	const ir_inst *i = v->i;
	const ir_ginfo *g = ir_ginfo_of(i->m.op);
	unsigned ndefs = g->dst != IR_T_NONE;

	if (i->ndefs != ndefs || i->m.nargs != ndefs + g->nsrc)
		return fail(v, "%u operands, %u results", i->m.nargs, i->ndefs);
	if (ndefs && (!ir_is_val(i->m.arg[0]) || !check_value(v, i->m.arg[0])))
		return v->why ? false : fail(v, "result is not a value");
	if (ndefs && !type_takes(g->dst, i->m.arg[0].width))
		return fail(v, "result has %u dwords", i->m.arg[0].width);
	for (unsigned k = ndefs; k < i->m.nargs; k++)
		if (!check_source(v, i->m.arg[k], g->src[k - ndefs]))
			return false;
	return check_special_cases(v);
}

static bool
check_machine_operand(verifier *v, unsigned k)
{
	const ir_opnd *o = &v->i->m.arg[k];

	if (ir_is_val(*o) && v->stage == IR_V_PHYSICAL)
		return fail(v, "operand %u is still virtual", k);
	if (ir_is_val(*o) && !check_value(v, *o))
		return false;
	if (k < v->i->ndefs && (ir_is_imm(*o) || o->kind == P2A_K_NONE))
		return fail(v, "result %u is no register", k);
	if (o->kind == IR_K_BLOCK && o->reg >= v->f->blocks.n)
		return fail(v, "operand %u: no such block", k);
	return true;
}

/* A global address is one VGPR beside a scalar base, two without. */
static bool
has_saddr(const p2a_inst *m)
{
	for (unsigned k = 0; k < m->nargs; k++)
		if (isa_table[m->op].arg[k].slot == ISA_SL_SADDR && m->arg[k].kind != P2A_K_OFF)
			return true;
	return false;
}

static bool
check_pair(verifier *v)
{
	const p2a_inst *m = &v->i->m;
	int err = v->f->target ? p2a_check(v->f->target, m) : P2A_ISA_NOT_HERE;

	if (v->stage != IR_V_PHYSICAL || v->i->ndefs != 2)
		return fail(v, "a pair before there are registers, or with %u results", v->i->ndefs);
	return err ? fail(v, "not encodable (%s)", p2a_isa_error_name(err)) : true;
}

/* A row's width 0 is a lane mask; registers only: constants have the width that is read. */
static bool
check_row(verifier *v)
{
	const p2a_inst *m = &v->i->m;
	const isa_info *row = &isa_table[m->op];
	unsigned mask = v->f->target ? v->f->target->wave / 32u : 0;
	bool encodable = v->stage == IR_V_PHYSICAL && v->f->target;

	if (m->nargs != row->nargs || v->i->ndefs != row->ndefs)
		return fail(v, "%u operands where the row has %u", m->nargs, row->nargs);
	for (unsigned k = 0; k < m->nargs; k++) {
		unsigned width = row->arg[k].width ? row->arg[k].width : mask;

		if (row->arg[k].slot == ISA_SL_VADDR && has_saddr(m))
			width = 1;
		if (ir_is_val(m->arg[k]) && width && m->arg[k].width != width)
			return fail(v, "operand %u has %u dwords, not %u", k, m->arg[k].width,
				width);
		encodable &= m->arg[k].kind <= P2A_K_LAST;
	}
	if (encodable && p2a_check(v->f->target, m) < 0)
		return fail(v, "not encodable (%s)",
			p2a_isa_error_name(p2a_check(v->f->target, m)));
	return true;
}

static bool
check_machine(verifier *v)
{
	for (unsigned k = 0; k < v->i->m.nargs; k++)
		if (!check_machine_operand(v, k))
			return false;
	if (!ir_is_machine(v->i->m.op))
		return true;
	return v->i->m.enc == P2A_ENC_DUAL ? check_pair(v) : check_row(v);
}

static bool
check_phi(verifier *v)
{
	const ir_inst *i = v->i;

	if (i->prev && i->prev->m.op != G_phi)
		return fail(v, "phi is not at the start of its block");
	if (i->ndefs != 1 || i->m.nargs != 1 || (!i->phi && v->b->preds.n))
		return fail(v, "malformed phi");
	if (!ir_is_val(i->m.arg[0]) || !check_value(v, i->m.arg[0]))
		return v->why ? false : fail(v, "result is not a value");
	for (uint32_t k = 0; k < v->b->preds.n; k++) {
		ir_opnd o = i->phi[k];

		if (ir_is_imm(o) ? !check_constant(v, o) : !ir_is_val(o) || !check_value(v, o))
			return v->why ? false : fail(v, "source is neither value nor constant");
		if (o.width != i->m.arg[0].width || o.mods)
			return fail(v, "phi of sources with other widths");
	}
	return true;
}

static bool
check_block(verifier *v)
{
	if (!check_list(v))
		return false;
	if (v->stage < IR_V_LINEAR && !v->b->last)
		return fail(v, "empty block");
	for (v->i = v->b->first; v->i; v->i = v->i->next) {
		if (v->i->m.nargs > P2A_MAX_ARGS || v->i->ndefs > v->i->m.nargs)
			return fail(v, "operand count");
		if (!op_belongs(v))
			return fail(v, "this operation does not belong into this form");
		if (v->i->m.op == G_phi ? !check_phi(v) : is_generic_form(v) ? !check_generic(v)
			: !check_machine(v))
			return false;
		if (!check_terminator(v))
			return false;
	}
	return true;
}

/* SSA: one definition, which dominates the uses */

static bool
reaches(const ir_inst *def, const ir_inst *use)
{
	return def->block == use->block ? def->num < use->num
		: ir_dominates(def->block, use->block);
}

/* Machine form may build a value from parts, or write over it in place (tied operands, SDWA
 * preserve). */
static bool
writes_in_place(const ir_inst *i)
{
	return ir_is_machine(i->m.op) &&
	       (isa_table[i->m.op].eff & ISA_TIED || i->m.dst_unused == P2A_UNUSED_PRESERVE);
}

static bool
record_def(verifier *v, ir_opnd o)
{
	uint32_t at = v->dword[o.reg] + (uint32_t)o.imm, n = MAX(o.width, 1u);

	for (uint32_t k = at; k < at + n; k++) {
		if (v->def[k] && !writes_in_place(v->i))
			return fail(v, "second definition of value %%%u", o.reg);
		if (!v->def[k])
			v->def[k] = v->i;
	}
	return true;
}

static bool
check_defs(verifier *v)
{
	ir_func *f = v->f;
	uint32_t n = 0, num = 0;

	v->dword = arena_array(f->A, uint32_t, f->vals.n);
	for (uint32_t k = 0; k < f->vals.n; k++) {
		v->dword[k] = n;
		n += MAX(f->vals.a[k].dwords, 1u);
	}
	v->def = arena_array(f->A, const ir_inst *, n);
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		v->b = f->blocks.a[b];
		if (v->b != f->entry && !v->b->idom)
			return v->i = NULL, fail(v, "unreachable block");
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			v->i = i;
			i->num = num++;
			for (unsigned k = 0; k < i->ndefs; k++)
				if (ir_is_val(i->m.arg[k]) && !record_def(v, i->m.arg[k]))
					return false;
		}
	}
	return true;
}

static bool
check_use(verifier *v, ir_opnd o, const ir_inst *at)
{
	uint32_t first;

	if (!ir_is_val(o))
		return true;
	first = v->dword[o.reg] + (uint32_t)o.imm;
	for (uint32_t k = first; k < first + MAX(o.width, 1u); k++)
		if (!v->def[k] || !reaches(v->def[k], at))
			return fail(v, "value %%%u is used where its definition does not reach",
				o.reg);
	return true;
}

static bool
check_uses(verifier *v)
{
	for (uint32_t b = 0; b < v->f->blocks.n; b++) {
		v->b = v->f->blocks.a[b];
		for (v->i = v->b->first; v->i; v->i = v->i->next) {
			for (unsigned k = v->i->ndefs; k < v->i->m.nargs; k++)
				if (!check_use(v, v->i->m.arg[k], v->i))
					return false;
			for (uint32_t k = 0; v->i->m.op == G_phi && k < v->b->preds.n; k++)
				if (!check_use(v, v->i->phi[k], v->b->preds.a[k]->last))
					return false;
		}
	}
	return true;
}

static bool
check_def_pointers(verifier *v)
{
	for (uint32_t k = 1; v->stage == IR_V_SSA && k < v->f->vals.n; k++)
		if (v->def[v->dword[k]] && v->f->vals.a[k].def != v->def[v->dword[k]])
			return v->b = NULL, v->i = v->def[v->dword[k]],
				fail(v, "def of %%%u is stale", k);
	return true;
}

static bool
check_ssa(verifier *v)
{
	ir_dominators(v->f);
	return check_defs(v) && check_uses(v) && check_def_pointers(v);
}

const char *
ir_verify(ir_func *f, int stage)
{
	verifier v = { .f = f, .stage = stage };

	if (!check_blocks(&v) || !check_edges(&v, stage >= IR_V_LINEAR))
		return v.why;
	for (uint32_t k = 0; k < f->blocks.n; k++) {
		v.b = f->blocks.a[k];
		v.i = NULL;
		if (!check_block(&v))
			return v.why;
	}
	if (is_ssa(&v))
		check_ssa(&v);
	return v.why;
}
