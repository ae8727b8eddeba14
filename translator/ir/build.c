/* build.c -- making values, blocks and instructions, and putting them into place.
 * Needs an ir_func with its arena; leaves lists and edges consistent (analyses are not kept up to
 * date). Form of instructions: ir.h. */
#include "ir/ir.h"

ir_opnd
ir_i1(bool x)
{
	return (ir_opnd){ .kind = P2A_K_IMM, .width = 0, .imm = x };
}

ir_opnd
ir_i32(uint32_t x)
{
	return (ir_opnd){ .kind = P2A_K_IMM, .width = 1, .imm = (int32_t)x };
}

ir_opnd
ir_i64(uint64_t x)
{
	return (ir_opnd){ .kind = P2A_K_IMM, .width = 2, .imm = (int64_t)x };
}

ir_opnd
ir_valop(const ir_func *f, uint32_t val)
{
	return (ir_opnd){ .kind = IR_K_VAL, .width = f->vals.a[val].dwords, .reg = val };
}

ir_opnd
ir_part(ir_opnd o, unsigned first, unsigned n)
{
	if (ir_is_imm(o)) {
		uint64_t x = first < 2 ? (uint64_t)o.imm >> (32 * first) : 0;

		if (o.width == 1 && first)
			x = 0;
		return n == 1 ? ir_i32((uint32_t)x) : ir_i64(x);
	}
	o.imm += first;
	o.width = (uint8_t)n;
	return o;
}

ir_opnd
ir_plain_const(unsigned gop, ir_opnd o)
{
	bool halves = gop >= G_cvt_f32_f16 && gop <= G_fcmp16;
	uint64_t sign, x = (uint64_t)o.imm;

	if (!ir_is_imm(o) || !(o.mods & (P2A_NEG | P2A_ABS)))
		return o;
	sign = halves ? 0x80008000 : (uint64_t)1 << (32u * o.width - 1);
	x = o.mods & P2A_ABS ? x & ~sign : x;
	x = o.mods & P2A_NEG ? x ^ sign : x;
	return o.width == 1 ? ir_i32((uint32_t)x) : ir_i64(x);
}

bool
ir_same(ir_opnd a, ir_opnd b)
{
	return a.kind == b.kind && a.width == b.width && a.mods == b.mods && a.sel == b.sel &&
	       a.reg == b.reg && a.imm == b.imm;
}

uint32_t
ir_new_val(ir_func *f, unsigned dwords)
{
	return ir_new_reg(f, IR_BANK_NONE, dwords);
}

uint32_t
ir_new_reg(ir_func *f, unsigned bank, unsigned dwords)
{
	if (!f->vals.n)
		*vec_push(f->A, &f->vals) = (ir_val){ .pin = -1 };
	*vec_push(f->A, &f->vals) =
		(ir_val){ .dwords = (uint8_t)dwords, .bank = (uint8_t)bank, .pin = -1 };
	return f->vals.n - 1;
}

ir_block *
ir_new_block(ir_func *f)
{
	ir_block *b = arena_new(f->A, ir_block);

	b->id = f->blocks.n;
	b->func = f;
	*vec_push(f->A, &f->blocks) = b;
	return b;
}

void
ir_link(ir_block *from, ir_block *to)
{
	arena *A = from->func->A;

	*vec_push(A, &from->succs) = to;
	*vec_push(A, &to->preds) = from;
}

void
ir_renumber_blocks(ir_func *f)
{
	for (uint32_t i = 0; i < f->blocks.n; i++)
		f->blocks.a[i]->id = i;
}

ir_inst *
ir_terminator(const ir_block *b)
{
	return b->last && ir_is_term(b->last->m.op) ? b->last : NULL;
}

void
ir_insert(ir_block *b, ir_inst *before, ir_inst *i)
{
	i->block = b;
	i->next = before;
	i->prev = before ? before->prev : b->last;
	*(i->prev ? &i->prev->next : &b->first) = i;
	*(before ? &before->prev : &b->last) = i;
}

void
ir_remove(ir_inst *i)
{
	*(i->prev ? &i->prev->next : &i->block->first) = i->next;
	*(i->next ? &i->next->prev : &i->block->last) = i->prev;
	i->prev = i->next = NULL;
	i->block = NULL;
}

ir_inst *
ir_emit(ir_builder *B, unsigned op, unsigned ndefs, unsigned nargs, const ir_opnd *args)
{
	ir_inst *i = arena_new(B->f->A, ir_inst);

	i->m.op = (uint16_t)op;
	i->m.nargs = (uint8_t)nargs;
	i->ndefs = (uint8_t)ndefs;
	i->loc = B->loc;
	for (unsigned k = 0; k < nargs; k++)
		i->m.arg[k] = args[k];
	ir_insert(B->b, B->before, i);
	return i;
}

ir_inst *
ir_last(ir_builder *B)
{
	return B->before ? B->before->prev : B->b->last;
}

/* The attributes of these (cc, sem) are written after ir_gen returns: nothing to fold yet. */
static bool
attributes_follow(unsigned gop)
{
	return ir_ginfo_of(gop)->flags & IR_CC || (gop >= G_ptx_bfi32 && gop <= G_ptx_bfe_s64);
}

static ir_opnd
constant(unsigned type, uint64_t x)
{
	return type == IR_T_B1 ? ir_i1(x & 1) : type == IR_T_W ? ir_i32((uint32_t)x) : ir_i64(x);
}

static bool
fold_constants(unsigned gop, unsigned nsrc, const ir_opnd *src, ir_opnd *out)
{
	ir_inst i = { .m.op = (uint16_t)gop };
	uint64_t v[4] = { 0 }, r;

	if (!nsrc || attributes_follow(gop) || !(ir_ginfo_of(gop)->flags & IR_PURE))
		return false;
	for (unsigned k = 0; k < nsrc; k++) {
		if (!ir_is_imm(src[k]) || src[k].mods)
			return false;
		v[k] = (uint64_t)src[k].imm;
	}
	if (!ir_eval(&i, v, &r))
		return false;
	*out = constant(ir_ginfo_of(gop)->dst, r);
	return true;
}

/* Dwords of a result: IR_T_X (phi, load) is one here; wider ones are made by ir_gen_to. */
static unsigned
type_dwords(unsigned type)
{
	static const uint8_t dwords[] = { [IR_T_B1] = 0, [IR_T_W] = 1, [IR_T_D] = 2, [IR_T_T] = 3,
		[IR_T_Q] = 4, [IR_T_X] = 1 };

	return dwords[type];
}

ir_opnd
ir_gen(ir_builder *B, unsigned gop, unsigned nsrc, const ir_opnd *src)
{
	const ir_ginfo *g = ir_ginfo_of(gop);
	ir_opnd dst;

	if (g->dst == IR_T_NONE) {
		ir_emit(B, gop, 0, nsrc, src);
		return (ir_opnd){ .kind = P2A_K_NONE };
	}
	if (fold_constants(gop, nsrc, src, &dst))
		return dst;
	dst = ir_valop(B->f, ir_new_val(B->f, type_dwords(g->dst)));
	ir_gen_to(B, dst, gop, nsrc, src);
	B->f->vals.a[dst.reg].def = ir_last(B);
	for (unsigned k = 0; k < nsrc; k++)
		B->f->vals.a[dst.reg].divergent |= ir_is_val(src[k]) && B->f->vals.a[src[k].reg].divergent;
	return dst;
}

void
ir_gen_to(ir_builder *B, ir_opnd dst, unsigned gop, unsigned nsrc, const ir_opnd *src)
{
	ir_opnd args[P2A_MAX_ARGS] = { dst };

	for (unsigned k = 0; k < nsrc && k + 1 < P2A_MAX_ARGS; k++)
		args[k + 1] = src[k];
	ir_emit(B, gop, 1, nsrc + 1, args);
}

ir_opnd
ir_icmp(ir_builder *B, unsigned bits, ir_cc cc, ir_opnd a, ir_opnd b)
{
	unsigned gop = bits == 64 ? G_icmp64 : G_icmp32;
	ir_inst i = { .m.op = (uint16_t)gop, .cc = (uint8_t)cc };
	uint64_t r;
	ir_opnd dst;

	if (ir_is_imm(a) && ir_is_imm(b) &&
	    ir_eval(&i, (uint64_t[4]){ (uint64_t)a.imm, (uint64_t)b.imm }, &r))
		return ir_i1(r & 1);
	dst = ir_g2(B, gop, a, b);
	ir_last(B)->cc = (uint8_t)cc;
	return dst;
}

static unsigned
op_ndefs(unsigned op, unsigned nargs)
{
	if (ir_is_machine(op))
		return isa_table[op].ndefs;
	if (ir_is_generic(op))
		return ir_ginfo_of(op)->dst != IR_T_NONE;
	return op == P_entry ? nargs : op == P_copy || op == P_undef || op == P_reload;
}

ir_inst *
ir_m(ir_builder *B, unsigned op, unsigned nargs, ...)
{
	ir_opnd args[P2A_MAX_ARGS];
	va_list ap;

	va_start(ap, nargs);
	for (unsigned k = 0; k < nargs; k++)
		args[k] = va_arg(ap, ir_opnd);
	va_end(ap);
	return ir_emit(B, op, op_ndefs(op, nargs), nargs, args);
}
