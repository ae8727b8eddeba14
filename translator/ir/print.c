/* print.c -- the text form of a kernel, for --dump and for tests.
 * Needs an ir_func in any form; leaves its text in a buf and changes nothing.
 * %3 is a value (s%3, v%3 once it has a bank), %3[1] dword 1 of it, b2 a block. */
#include "ir/ir.h"

#include <string.h>

static const char *const cc_name[] = { "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
	"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan" };
static const char *const rnd_name[] = { "", ".rz", ".rm", ".rp" };
static const char *const space_name[] = { ".generic", ".global", ".shared", ".local", ".const",
	".param" };
static const char *const order_name[] = { "", ".relaxed", ".acquire", ".release", ".acq_rel" };
static const char *const scope_name[] = { ".cta", ".gpu", ".sys" };
static const char *const rmw_name[IR_NRMW] = { "", ".swap", ".cas", ".add", ".and", ".or", ".xor", ".smin", ".smax",
	".umin", ".umax", ".inc", ".dec", ".fadd", ".hadd", ".badd", ".fmin", ".fmax" };
static const char *const special_name[] = { "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z",
	"ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "laneid", "dyn_shared" };
#define NAME(table, i) ((size_t)(i) < COUNT(table) ? (table)[i] : "?")

static void
put(buf *out, const char *s)
{
	buf_put(out, s, strlen(s));
}

/* "3" or "[3:4]": registers or dwords first..first+n. */
static void
put_range(buf *out, int64_t first, unsigned n)
{
	if (n > 1)
		buf_printf(out, "[%lld:%lld]", (long long)first, (long long)(first + n - 1));
	else
		buf_printf(out, "%lld", (long long)first);
}

static void
put_value(const ir_func *f, ir_opnd o, buf *out)
{
	const ir_val *v = o.reg < f->vals.n ? &f->vals.a[o.reg] : NULL;
	static const char *const bank[] = { "", "s", "v" };

	buf_printf(out, "%s%%%u", v && v->bank <= IR_BANK_V ? bank[v->bank] : "", o.reg);
	if (!v || (!o.imm && o.width == v->dwords))
		return;
	if (o.width == 1)
		buf_printf(out, "[%lld]", (long long)o.imm);
	else
		put_range(out, o.imm, o.width);
}

static void
put_constant(ir_opnd o, buf *out)
{
	if (!o.width)
		put(out, o.imm ? "true" : "false");
	else if (o.imm > -65536 && o.imm < 65536)
		buf_printf(out, "%lld", (long long)o.imm);
	else if (o.width == 1)
		buf_printf(out, "0x%x", (unsigned)(uint32_t)o.imm);
	else
		buf_printf(out, "0x%llx", (unsigned long long)o.imm);
}

static void
put_bare(const ir_func *f, ir_opnd o, buf *out)
{
	static const char *const sreg[] = { "vcc", "vcc_lo", "vcc_hi", "exec", "exec_lo", "exec_hi",
		"m0", "null", "scc", "vccz", "execz", "flat_scratch", "flat_scratch_lo",
		"flat_scratch_hi", "xnack_mask", "xnack_mask_lo", "xnack_mask_hi", "shared_base",
		"shared_limit", "private_base", "private_limit" };

	switch (o.kind) {
	case P2A_K_SGPR: put(out, "s"), put_range(out, o.reg, o.width); break;
	case P2A_K_VGPR: put(out, "v"), put_range(out, o.reg, o.width); break;
	case P2A_K_SREG:
		if (o.reg >= P2A_TTMP0)
			put(out, "ttmp"), put_range(out, o.reg - P2A_TTMP0, o.width);
		else
			put(out, NAME(sreg, o.reg));
		break;
	case P2A_K_IMM: put_constant(o, out); break;
	case P2A_K_OFF: put(out, "off"); break;
	case IR_K_VAL: put_value(f, o, out); break;
	case IR_K_BLOCK: buf_printf(out, "b%u", o.reg); break;
	case IR_K_SYM:
		buf_printf(out, "@%s", f->mod && o.reg < f->mod->vars.n
			? f->mod->vars.a[o.reg].name : "?");
		if (o.imm)
			buf_printf(out, "%+lld", (long long)o.imm);
		break;
	default: put(out, "none"); break;
	}
}

static void
put_operand(const ir_func *f, ir_opnd o, buf *out)
{
	static const char *const sel[] = { "", ".b0", ".b1", ".b2", ".b3", ".w0", ".w1" };

	put(out, o.mods & P2A_NEG ? "-" : "");
	put(out, o.mods & P2A_ABS ? "|" : "");
	put_bare(f, o, out);
	put(out, NAME(sel, o.sel));
	put(out, o.mods & P2A_ABS ? "|" : "");
	put(out, o.mods & P2A_SEXT ? ".sext" : "");
}

static void
put_mem(const ir_mem *m, buf *out)
{
	put(out, m->rmw ? NAME(rmw_name, m->rmw) : "");
	put(out, NAME(space_name, m->space));
	buf_printf(out, ".%c%u", m->sext ? 's' : 'b', m->bytes);
	if (m->align && m->align != m->bytes)
		buf_printf(out, ".align%u", m->align);
	put(out, m->vol ? ".volatile" : "");
	put(out, m->nc ? ".nc" : "");
	put(out, NAME(order_name, m->order));
	put(out, m->order ? NAME(scope_name, m->scope) : "");
}

static void
put_attributes(const ir_inst *i, buf *out)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);

	if (g && g->flags & IR_CC)
		buf_printf(out, ".%s", NAME(cc_name, i->cc));
	if (i->fp.rnd || i->fp.ftz || i->fp.sat)
		buf_printf(out, "%s%s%s", rnd_name[i->fp.rnd], i->fp.ftz ? ".ftz" : "",
		           i->fp.sat ? ".sat" : "");
	if (i->sem == P2A_SEM_NVIDIA)
		put(out, ".nvidia");
	if (i->m.op == G_fence) {
		put(out, NAME(order_name, i->mem.order));
		put(out, NAME(scope_name, i->mem.scope));
	} else if (i->mem.bytes) {
		put_mem(&i->mem, out);
	}
}

static void
put_machine_fields(const ir_inst *i, buf *out)
{
	const p2a_inst *m = &i->m;

	put(out, m->clamp ? " clamp" : "");
	if (m->omod)
		buf_printf(out, " omod=%u", m->omod);
	if (m->dst_sel || m->dst_unused)
		buf_printf(out, " dst_sel=%u dst_unused=%u", m->dst_sel, m->dst_unused);
	if (m->cpol)
		buf_printf(out, " cpol=0x%x", m->cpol);
	if (isa_is_dpp(m->enc))
		buf_printf(out, " dpp=0x%x:0x%x:%u", m->dpp, m->dpp_mask, m->dpp_flags);
	if (i->m.op == G_special)
		buf_printf(out, " %s", NAME(special_name, m->offset));
	else if (m->offset)
		buf_printf(out, " offset=%d", m->offset);
	if (m->offset1)
		buf_printf(out, " offset1=%d", m->offset1);
	put(out, i->fresh ? " fresh" : "");
	put(out, i->glue ? " glue" : "");
}

static void
put_phi(const ir_func *f, const ir_inst *i, buf *out)
{
	for (uint32_t k = 0; i->phi && i->block && k < i->block->preds.n; k++) {
		buf_printf(out, "%s b%u: ", k ? "," : "", i->block->preds.a[k]->id);
		put_operand(f, i->phi[k], out);
	}
}

static void
put_targets(const ir_inst *i, buf *out)
{
	for (uint32_t k = 0; i->block && k < i->block->succs.n; k++)
		buf_printf(out, "%s b%u", k || i->m.nargs ? "," : "", i->block->succs.a[k]->id);
}

void
ir_print_inst(const ir_func *f, const ir_inst *i, buf *out)
{
	unsigned n = MIN(i->m.nargs, P2A_MAX_ARGS);

	for (unsigned k = 0; k < i->ndefs && k < n; k++) {
		put(out, k ? ", " : "");
		put_operand(f, i->m.arg[k], out);
	}
	put(out, i->ndefs ? " = " : "");
	put(out, ir_op_name(f, i->m.op));
	if (i->m.enc == P2A_ENC_DUAL)
		buf_printf(out, " :: %s", ir_op_name(f, i->m.op_y));
	put_attributes(i, out);
	for (unsigned k = i->ndefs; k < n; k++) {
		put(out, k > i->ndefs ? ", " : " ");
		put_operand(f, i->m.arg[k], out);
	}
	if (i->m.op == G_phi)
		put_phi(f, i, out);
	if (ir_is_term(i->m.op) && !ir_is_machine(i->m.op))
		put_targets(i, out);
	put_machine_fields(i, out);
}

static void
put_block_list(const char *what, ir_block *const *a, uint32_t n, buf *out)
{
	if (n)
		buf_printf(out, " %s", what);
	for (uint32_t k = 0; k < n; k++)
		buf_printf(out, " b%u", a[k]->id);
}

static void
put_block(const ir_func *f, const ir_block *b, buf *out)
{
	size_t at = out->n;

	buf_printf(out, "b%u:", b->id);
	if (b->label)
		buf_printf(out, " \"%s\"", b->label);
	put_block_list("from", b->preds.a, b->preds.n, out);
	put_block_list("linear", b->lsuccs.a, b->lsuccs.n, out);
	if (b->depth)
		buf_printf(out, " depth %u", b->depth);
	put(out, b->irreducible ? " irreducible" : "");
	put(out, b->divergent ? " divergent" : "");
	put(out, out->n > at ? "\n" : "");
	for (const ir_inst *i = b->first; i; i = i->next) {
		put(out, "\t");
		ir_print_inst(f, i, out);
		put(out, "\n");
	}
}

void
ir_print(const ir_func *f, buf *out)
{
	buf_printf(out, "kernel %s\n", f->name ? f->name : "?");
	for (uint32_t i = 0; i < f->blocks.n; i++)
		put_block(f, f->blocks.a[i], out);
}
