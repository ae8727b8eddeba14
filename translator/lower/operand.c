/* operand.c -- PTX operands as IR values: literals, registers and their components, widths.
 * Needs the instruction at work (L->in); leaves mutable values, one a register component.
 * Manual: "Parallel Thread Execution ISA", 6 (operands), 9.2, 9.4.1 (operand sizes). */
#include <string.h>

#include "lower/lower.h"

void
lo_refuse(lower *L, const char *why)
{
	if (!L->refused)
		L->why = why;
	L->refused = true;
}

const char lo_narrow_address[] = "an address of 32 bits, but for shared and local memory (compile with -m64),";

void
lo_reject(lower *L, enum diag_id id, const char *what)
{
	if (L->refused)
		return;
	diag_add(L->diags, id, L->st->loc, what);
	L->act->func->f->nbad++;
	L->refused = L->reported = true;
}

/* An operand that has no value of its own. Of braces around one register loads, stores and atomics make a vector of one. */
static void
refuse_kind(lower *L, const ptx_operand *o)
{
	for (unsigned i = 0; !L->refused && o->kind == PTX_O_VEC && i < L->in->nops; i++) {
		if (&L->in->ops[i] != o)
			continue;
		diag_add(L->diags, DIAG_operand_kind, o->loc, i + 1, L->in->text, "written without braces, which are for vectors");
		L->act->func->f->nbad++;
		L->refused = L->reported = true;
	}
	lo_refuse(L, ": operand of another kind");
}

ptx_type
lo_type(const lower *L, unsigned i)
{
	return i < L->in->ntypes ? (ptx_type)L->in->type[i] : PTX_NOTYPE;
}

unsigned
lo_bits(const lower *L)
{
	return ptx_type_bits(lo_type(L, 0));
}

bool
lo_is64(const lower *L)
{
	return lo_bits(L) == 64;
}

bool
lo_has(const lower *L, ptx_mod m)
{
	return ptx_has(L->in, m);
}

/* A block is its own cluster: the cluster's shared memory is the block's. */
ptx_space
lo_space(const lower *L)
{
	ptx_space s = ptx_space_of(L->in);

	return s == PTX_SHARED_CLUSTER ? PTX_SHARED : s;
}

/* f64 has no flush to zero: .ftz on a conversion speaks of its f32 side. */
ir_fp
lo_fp(const lower *L)
{
	ir_fp fp = { 0 };

	fp.rnd = lo_has(L, PTX_M_rz) ? IR_RZ : lo_has(L, PTX_M_rm) ? IR_RM :
		lo_has(L, PTX_M_rp) ? IR_RP : IR_RN;
	fp.ftz = lo_has(L, PTX_M_ftz);
	fp.sat = lo_has(L, PTX_M_sat);
	return fp;
}

/* Registers */

lower_symbol *
lo_symbol(lower *L, ptx_symbol *s, const void *owner)
{
	lower_symbol *x = s->user;

	if (!x) {
		x = arena_new(L->A, lower_symbol);
		s->user = x;
	}
	if (x->owner != owner)
		*x = (lower_symbol){ .owner = owner, .taken = x->taken, .kernarg = x->kernarg };
	return x;
}

static unsigned
component(const ptx_operand *o)
{
	static const char names[] = "xyzw";      /* selectors of bytes and halves are no components */
	const char *p = o->part ? strchr(names, o->part) : NULL;

	return p ? (unsigned)(p - names) : 0;
}

unsigned
lo_reg_bits(const ptx_operand *o)
{
	if (o->kind != PTX_O_REG || !o->sym || o->sym->kind != PTX_SYM_REG)
		return 0;
	return ptx_type_bits(o->sym->type);
}

/* A .b128 register is a vector of two 64-bit halves, .x the low one. */
ir_opnd
lo_reg(lower *L, const ptx_operand *o)
{
	unsigned bits = lo_reg_bits(o), c = component(o);
	lower_symbol *x;

	if (!bits) {
		refuse_kind(L, o);
		return ir_i32(0);
	}
	if (bits == 128 && !o->part) {
		lo_refuse(L, ": a register of 128 bits");
		return ir_i32(0);
	}
	x = lo_symbol(L, o->sym, L->act);
	if (!x->val[c])
		x->val[c] = ir_new_val(L->F, bits == 1 ? 0 : bits >= 64 ? 2 : 1);
	return ir_valop(L->F, x->val[c]);
}

unsigned
lo_nelems(const ptx_operand *o)
{
	if (o->kind == PTX_O_VEC)
		return o->nsub;
	if (o->kind != PTX_O_REG || o->part || !o->sym)
		return 1;
	return lo_reg_bits(o) == 128 ? 2 : MAX(o->sym->vec, 1u);
}

ptx_operand
lo_elem(const ptx_operand *o, unsigned i)
{
	ptx_operand e = *o;

	if (o->kind == PTX_O_VEC)
		return o->sub[i];
	if (lo_nelems(o) > 1)
		e.part = (uint8_t)"xyzw"[i & 3];
	return e;
}

/* Constants */

ir_opnd
lo_float(ptx_type t, double x)
{
	float f = (float)x;
	uint64_t d;
	uint32_t w;

	memcpy(&d, &x, sizeof d);
	memcpy(&w, &f, sizeof w);
	return t == PTX_F64 ? ir_i64(d) : ir_i32(w);
}

static ir_opnd
literal(const ptx_operand *o, ptx_type t)
{
	uint64_t bits = (uint64_t)o->ival;
	float f;
	double d;

	if (o->kind == PTX_O_F64 && ptx_type_bits(t) == 32) {
		memcpy(&d, &bits, sizeof d);
		return lo_float(PTX_F32, d);
	}
	if (o->kind == PTX_O_F32 && t == PTX_F64) {
		uint32_t w = (uint32_t)bits;

		memcpy(&f, &w, sizeof f);
		return lo_float(PTX_F64, (double)f);
	}
	if (t == PTX_PRED)
		return ir_i1(bits != 0);
	return ptx_type_bits(t) == 64 ? ir_i64(bits) : ir_i32((uint32_t)bits);
}

/* Sources */

/* A register's low bits as type t: it may be wider where the manual relaxes sizes (ld, st, cvt). */
static ir_opnd
register_as(lower *L, const ptx_operand *o, ptx_type t)
{
	ir_opnd v = lo_reg(L, o);
	unsigned want = t == PTX_PRED ? 0 : ptx_type_bits(t) == 64 ? 2 : 1;

	if (L->refused)
		return ir_i32(0);
	if (o->uns && !o->part)         /* r+4: in the register's width */
		v = v.width == 2 ? ir_g2(&L->b, G_add64, v, ir_i64((uint64_t)o->ival)) :
			ir_g2(&L->b, G_add32, v, ir_i32((uint32_t)o->ival));
	if (v.width == 2 && want == 1)
		return ir_g1(&L->b, G_lo32, v);
	if (v.width != want)
		lo_refuse(L, ": operand of another size");
	if (o->neg && !want)
		return ir_g1(&L->b, G_not1, v);
	return v;
}

ir_opnd
lo_use(lower *L, const ptx_operand *o, ptx_type t)
{
	ir_opnd v;

	switch (o->kind) {
	case PTX_O_REG:
		return register_as(L, o, t);
	case PTX_O_SREG:
		v = lo_sreg(L, o->sreg);
		return ptx_type_bits(t) == 64 && v.width == 1 ? lo_widen(L, v, PTX_U32) : v;
	case PTX_O_INT:
		if (t == PTX_F32 || t == PTX_F64)
			lo_refuse(L, ": an integer as a float");
		return literal(o, t);
	case PTX_O_F32:
	case PTX_O_F64:
		return literal(o, t);
	case PTX_O_SYM:
		return lo_address_sum(L, o, t);
	default:
		refuse_kind(L, o);
		return ptx_type_bits(t) == 64 ? ir_i64(0) : ir_i32(0);
	}
}

ir_opnd
lo_src(lower *L, unsigned i, ptx_type t)
{
	if (i < L->in->nops)
		return lo_use(L, &L->in->ops[i], t);
	lo_refuse(L, ": too few operands");
	return ptx_type_bits(t) == 64 ? ir_i64(0) : ir_i32(0);
}

ir_opnd
lo_ext(lower *L, ir_opnd v, ptx_type t)
{
	unsigned bits = ptx_type_bits(t);

	if (bits != 8 && bits != 16)
		return v;
	if (ptx_is_signed(t))
		return ir_g3(&L->b, G_bfe_s32, v, ir_i32(0), ir_i32(bits));
	return ir_g2(&L->b, G_and32, v, ir_i32(bits == 8 ? 0xff : 0xffff));
}

ir_opnd
lo_xsrc(lower *L, unsigned i, ptx_type t)
{
	return lo_ext(L, lo_src(L, i, t), t);
}

ir_opnd
lo_widen(lower *L, ir_opnd w, ptx_type t)
{
	ir_opnd high = ptx_is_signed(t) ? ir_g2(&L->b, G_ashr32, w, ir_i32(31)) : ir_i32(0);

	return ir_g2(&L->b, G_pack64, w, high);
}

ir_opnd
lo_word(lower *L, ir_opnd d, unsigned i)
{
	return ir_g1(&L->b, i ? G_hi32 : G_lo32, d);
}

ir_opnd
lo_dword(lower *L, ir_opnd v, unsigned i)
{
	if (v.width == 1)
		return v;
	return v.width == 2 ? lo_word(L, v, i) : ir_g2(&L->b, G_word, v, ir_i32(i));
}

/* Destinations */

ir_opnd
lo_sel(lower *L, ir_opnd c, ir_opnd then, ir_opnd other)
{
	ir_builder *B = &L->b;

	if (then.width)
		return ir_g3(B, then.width == 2 ? G_sel64 : G_sel32, c, then, other);
	then = ir_g2(B, G_and1, c, then);
	return ir_g2(B, G_or1, then, ir_g2(B, G_and1, ir_g1(B, G_not1, c), other));
}

static void
copy_to(lower *L, ir_opnd reg, ir_opnd v)
{
	static const uint16_t gop[] = { G_copy1, G_copy32, G_copy64 };

	ir_gen_to(&L->b, reg, gop[reg.width], 1, &v);
}

void
lo_set(lower *L, const ptx_operand *d, ir_opnd v)
{
	ir_opnd reg;

	if (d->kind == PTX_O_SINK || L->refused)
		return;
	reg = lo_reg(L, d);
	if (L->refused)
		return;
	if (reg.width != v.width) {
		lo_refuse(L, ": destination of another size");
		return;
	}
	if (L->guarded)
		v = lo_sel(L, L->guard, v, reg);
	copy_to(L, reg, v);
}

void
lo_set_ext(lower *L, const ptx_operand *d, ir_opnd v, ptx_type t)
{
	if (lo_reg_bits(d) == 64 && v.width == 1)
		v = lo_widen(L, v, t);
	lo_set(L, d, v);
}

void
lo_dst(lower *L, ir_opnd v)
{
	if (L->in->nops)
		lo_set(L, &L->in->ops[0], v);
	else
		lo_refuse(L, ": too few operands");
}

/* Operations */

ir_opnd
lo_f1(lower *L, unsigned gop, ir_fp fp, ir_opnd a)
{
	ir_opnd v = ir_g1(&L->b, gop, a);

	ir_last(&L->b)->fp = fp;
	return v;
}

ir_opnd
lo_f2(lower *L, unsigned gop, ir_fp fp, ir_opnd a, ir_opnd b)
{
	ir_opnd v = ir_g2(&L->b, gop, a, b);

	ir_last(&L->b)->fp = fp;
	return v;
}

ir_opnd
lo_f3(lower *L, unsigned gop, ir_fp fp, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd v = ir_g3(&L->b, gop, a, b, c);

	ir_last(&L->b)->fp = fp;
	return v;
}

ir_opnd
lo_fcmp(lower *L, unsigned bits, ir_cc cc, ir_fp fp, ir_opnd a, ir_opnd b)
{
	ir_opnd v = lo_f2(L, bits == 64 ? G_fcmp64 : bits == 32 ? G_fcmp32 : G_fcmp16, fp, a, b);

	ir_last(&L->b)->cc = (uint8_t)cc;
	return v;
}

/* Constants take no modifiers: their bits change. */
static ir_opnd
constant_sign(ir_opnd v, bool clear)
{
	uint64_t sign = (uint64_t)1 << (v.width == 2 ? 63 : 31), x = (uint64_t)v.imm;

	x = clear ? x & ~sign : x ^ sign;
	return v.width == 2 ? ir_i64(x) : ir_i32((uint32_t)x);
}

ir_opnd
lo_neg(ir_opnd v)
{
	if (ir_is_imm(v))
		return constant_sign(v, false);
	v.mods ^= P2A_NEG;
	return v;
}

ir_opnd
lo_abs(ir_opnd v)
{
	if (ir_is_imm(v))
		return constant_sign(v, true);
	v.mods = P2A_ABS;
	return v;
}

ir_opnd
lo_sign(lower *L, ir_opnd v)
{
	if (v.width == 2)
		return ir_g2(&L->b, G_ashr64, v, ir_i32(63));
	return ir_g2(&L->b, G_ashr32, v, ir_i32(31));
}
