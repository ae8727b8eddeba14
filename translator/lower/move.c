/* move.c -- mov, cvta, isspacep: registers, vectors taken apart and put together, addresses.
 * Needs symbols placed by func.c and link.c; leaves addresses of .global, .const and .param as two
 * dwords, those of .shared and .local as byte offsets (their generic form has an aperture above).
 * Manual: "Parallel Thread Execution ISA", 9.7.9 (mov, cvta, isspacep), 6.4.1 (addresses). */
#include "lower/lower.h"

static ir_opnd
plus(lower *L, ir_opnd v, int64_t offset)
{
	if (!offset)
		return v;
	return ir_g2(&L->b, G_add64, v, ir_i64((uint64_t)offset));
}

/* A .global or .const variable: its address at run time. */
static ir_opnd
variable_address(lower *L, ptx_symbol *s, ptx_type t)
{
	lower_symbol *x = lower_variable(L, s);
	ir_opnd sym = { .kind = IR_K_SYM, .width = 2 };

	if (x->fault)
		lo_reject(L, x->fault_id, x->fault);
	else if (ptx_type_bits(t) != 64)
		lo_reject(L, DIAG_unsupported_use, lo_narrow_address);
	if (L->refused)
		return ir_i64(0);
	sym.reg = x->var;
	return ir_g1(&L->b, G_symaddr, sym);
}

/* What stands at a fixed offset: in the parameter block, in LDS, in private memory. */
static ir_opnd
placed_address(lower *L, ptx_symbol *s, ptx_type t)
{
	const lower_symbol *x = s->user;
	bool mine = x && x->owner == L->F && x->placed;

	if (!mine || x->fault) {
		if (mine)
			lo_reject(L, x->fault_id, x->fault);
		else
			lo_reject(L, DIAG_unsupported_use, arena_printf(L->A, "the address of '%s' here", s->name));
		return ir_i64(0);
	}
	if (s->space == PTX_PARAM && ptx_type_bits(t) != 64)
		lo_reject(L, DIAG_unsupported_use, lo_narrow_address);
	if (s->space == PTX_PARAM && lo_in_memory(s))
		return ir_g2(&L->b, G_pack64, lo_private(L, x), ir_g0(&L->b, G_private_hi));
	if (s->space == PTX_PARAM)
		return plus(L, ir_g0(&L->b, G_kernarg), (int64_t)x->offset);
	if (s->space == PTX_LOCAL)
		return ptx_type_bits(t) == 64 ? lo_widen(L, lo_private(L, x), PTX_U32) : lo_private(L, x);
	return ptx_type_bits(t) == 64 ? ir_i64(x->offset) : ir_i32((uint32_t)x->offset);
}

/* A number that only calls through registers understand. */
static ir_opnd
function_address(lower *L, ptx_symbol *s, ptx_type t)
{
	const lower_func *f = lower_function(L, s);

	if (!f)
		lo_reject_missing(L, s->name);
	else if (f->f->entry)
		lo_reject(L, DIAG_unsupported_use, arena_printf(L->A, "the address of '%s', a kernel (launch it from the host),", s->name));
	else if (ptx_type_bits(t) != 64)
		lo_reject(L, DIAG_unsupported_use, lo_narrow_address);
	return ir_i64(L->refused ? 0 : f->address);
}

ir_opnd
lo_address_of(lower *L, ptx_symbol *s, ptx_type t)
{
	s = s ? lower_resolve(L, s) : NULL;
	if (s && s->kind == PTX_SYM_FUNC)
		return function_address(L, s, t);
	if (!s || s->kind != PTX_SYM_VAR) {
		lo_refuse(L, "");
		return ir_i64(0);
	}
	switch (s->space) {
	case PTX_GLOBAL:
	case PTX_CONST:
		return variable_address(L, s, t);
	case PTX_SHARED:
	case PTX_LOCAL:
	case PTX_PARAM:
		return placed_address(L, s, t);
	default:
		lo_refuse(L, "");
		return ir_i64(0);
	}
}

/* To name[r+n], from the variable's begin: NVIDIA's assembler computes it in 32 bits, and adds it without a sign. */
ir_opnd
lo_add_index(lower *L, ir_opnd base, const ptx_operand *o)
{
	const ptx_operand *r = o->sub;
	ptx_type t = r->sym->type;
	ir_opnd v = lo_ext(L, lo_use(L, r, ptx_type_bits(t) == 64 ? PTX_B32 : t), t);

	v = ir_g2(&L->b, G_mul32, v, ir_i32(MAX(ptx_type_bits(o->sym->type) / 8, 1u)));
	v = ir_g2(&L->b, G_add32, v, ir_i32((uint32_t)o->ival));
	return base.width == 2 ? ir_g2(&L->b, G_add64, base, lo_widen(L, v, PTX_U32)) : ir_g2(&L->b, G_add32, base, v);
}

/* A variable's or function's address plus a number. */
ir_opnd
lo_address_sum(lower *L, const ptx_operand *o, ptx_type t)
{
	ir_opnd v = lo_address_of(L, o->sym, t);

	if (!L->refused && o->nsub)
		return lo_add_index(L, v, o);
	if (L->refused || !o->ival)
		return v;
	return ir_g2(&L->b, v.width == 2 ? G_add64 : G_add32, v,
		v.width == 2 ? ir_i64((uint64_t)o->ival) : ir_i32((uint32_t)o->ival));
}

/* Element i of a value of 32 or 64 bits, in a dword, upper bits as they come. */
static ir_opnd
unpacked(lower *L, ir_opnd v, unsigned bits, unsigned i)
{
	unsigned at = i * bits;
	ir_opnd w = v.width == 2 ? lo_word(L, v, at / 32) : v;

	return at % 32 ? ir_g2(&L->b, G_lshr32, w, ir_i32(at % 32)) : w;
}

/* mov {a, b, ..}, d. All parts are read before any is written: d may be one of them. */
static void
unpack(lower *L, const ptx_operand *d, ir_opnd v, unsigned total)
{
	unsigned n = lo_nelems(d);
	ir_opnd part[8];

	if (n > COUNT(part) || total % n || total / n < 8 || total / n > 32) {
		lo_refuse(L, "");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		part[i] = ir_g1(&L->b, G_copy32, unpacked(L, v, total / n, i));
	for (unsigned i = 0; i < n; i++) {
		ptx_operand e = lo_elem(d, i);

		lo_set(L, &e, part[i]);
	}
}

/* Elements of `bits` bits, from element `first` on, as one dword, or its lower half. */
static ir_opnd
packed_dword(lower *L, const ptx_operand *s, unsigned first, unsigned bits, unsigned total)
{
	static const ptx_type type[] = { [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32 };
	ir_builder *B = &L->b;
	ptx_type t = type[bits / 8];
	ir_opnd v = ir_i32(0);

	for (unsigned at = 0; at < total; at += bits) {
		ptx_operand e = lo_elem(s, first + at / bits);
		ir_opnd x = lo_use(L, &e, t);

		if (at + bits < total)  /* the last one's undefined bits are shifted out, or stay undefined */
			x = lo_ext(L, x, t);
		if (at)
			x = ir_g2(B, G_shl32, x, ir_i32(at));
		v = at ? ir_g2(B, G_or32, v, x) : x;
	}
	return v;
}

static ir_opnd
pack(lower *L, const ptx_operand *s, unsigned total)
{
	unsigned n = lo_nelems(s), bits = total / n;
	ir_opnd lo, hi;

	if (total % n || (bits != 8 && bits != 16 && bits != 32)) {
		lo_refuse(L, "");
		return ir_i32(0);
	}
	lo = packed_dword(L, s, 0, bits, MIN(total, 32u));
	if (total <= 32)
		return lo;
	hi = packed_dword(L, s, 32 / bits, bits, 32);
	return ir_g2(&L->b, G_pack64, lo, hi);
}

/* mov.b128 between registers of 128 bits, pairs of 64 and fours of 32 */
static void
move128(lower *L, const ptx_operand *d, const ptx_operand *s)
{
	unsigned nd = lo_nelems(d), ns = lo_nelems(s);
	ir_opnd word[4];

	if ((nd != 2 && nd != 4) || (ns != 2 && ns != 4)) {
		lo_refuse(L, ": a constant of 128 bits");
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		ptx_operand e = lo_elem(s, i * ns / 4);
		ir_opnd v = lo_use(L, &e, ns == 4 ? PTX_B32 : PTX_B64);

		word[i] = ir_g1(&L->b, G_copy32, lo_dword(L, v, i % (4 / ns)));
	}
	for (unsigned i = 0; i < nd; i++) {
		ptx_operand e = lo_elem(d, i);

		lo_set(L, &e, nd == 4 ? word[i] : ir_g2(&L->b, G_pack64, word[2 * i], word[2 * i + 1]));
	}
}

void
lower_mov(lower *L)
{
	ptx_type t = lo_type(L, 0);
	const ptx_operand *d = L->in->ops, *s = d + 1;

	if (L->in->nops != 2)
		lo_refuse(L, ": operand count");
	else if (t == PTX_B128)
		move128(L, d, s);
	else if (lo_nelems(d) > 1)
		unpack(L, d, lo_use(L, s, t), lo_bits(L));
	else if (lo_nelems(s) > 1)
		lo_dst(L, pack(L, s, lo_bits(L)));
	else
		lo_dst(L, lo_use(L, s, t));
}

/* mov.v2, mov.v4: all are read before any is written */
void
lower_mov_vector(lower *L)
{
	const ptx_operand *d = L->in->ops, *s = d + 1;
	unsigned n = lo_nelems(d);
	bool special = s->kind == PTX_O_SREG;   /* %tid: sema has it for .v4 only */
	ir_opnd v[4];

	if (n > COUNT(v) || (lo_nelems(s) != n && !special)) {
		lo_refuse(L, "");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		ptx_operand e = lo_elem(s, i);

		if (special)
			e.sreg = (uint16_t)lo_sreg_part(s->sreg, i);
		v[i] = lo_use(L, &e, lo_type(L, 0));
		v[i] = ir_g1(&L->b, v[i].width == 2 ? G_copy64 : G_copy32, v[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		ptx_operand e = lo_elem(d, i);

		lo_set(L, &e, v[i]);
	}
}

/* Addresses between a space and the generic one */

static ir_opnd
to_generic(lower *L, ir_opnd v, ptx_space space)
{
	ir_builder *B = &L->b;
	ir_opnd w = v.width == 2 ? lo_word(L, v, 0) : v;

	if (space == PTX_SHARED)
		return ir_g2(B, G_pack64, w, ir_g0(B, G_shared_hi));
	if (space == PTX_LOCAL)
		return ir_g2(B, G_pack64, w, ir_g0(B, G_private_hi));
	return v;
}

/* The offset is the low dword; the generic window of a space begins at a multiple of 2^32. */
static ir_opnd
from_generic(lower *L, ir_opnd v, ptx_space space)
{
	if (space != PTX_SHARED && space != PTX_LOCAL)
		return v;
	return ir_g2(&L->b, G_pack64, lo_word(L, v, 0), ir_i32(0));
}

void
lower_cvta(lower *L)
{
	ptx_space space = lo_space(L);
	ir_opnd v;

	if (L->in->nops != 2 || space == PTX_GENERIC) {
		lo_refuse(L, "");
		return;
	}
	v = lo_use(L, &L->in->ops[1], PTX_B64);
	if (L->refused)
		return;
	v = lo_has(L, PTX_M_to) ? from_generic(L, v, space) : to_generic(L, v, space);
	lo_dst(L, v);
}

static ir_opnd
high_is(lower *L, ir_opnd v, unsigned gop)
{
	return ir_icmp(&L->b, 32, IR_EQ, lo_word(L, v, 1), ir_g0(&L->b, gop));
}

/* Constant variables lie in global memory: an address is theirs where it lies in one of the program's. */
static ir_opnd
in_constants(lower *L, ir_opnd v)
{
	ir_builder *B = &L->b;
	ir_opnd in = ir_i1(false);

	for (uint32_t i = 0; i < L->M->vars.n; i++) {
		ir_opnd sym = { .kind = IR_K_SYM, .width = 2, .reg = i }, at;

		if (!L->M->vars.a[i].constant)
			continue;
		at = ir_g2(B, G_sub64, v, ir_g1(B, G_symaddr, sym));
		in = ir_g2(B, G_or1, in, ir_icmp(B, 64, IR_LO, at, ir_i64(L->M->vars.a[i].size)));
	}
	return in;
}

void
lower_isspacep(lower *L)
{
	ir_builder *B = &L->b;
	bool narrow = lo_reg_bits(&L->in->ops[1]) == 32;
	ir_opnd v = lo_src(L, 1, narrow ? PTX_B32 : PTX_B64);

	if (L->refused)
		return;
	if (narrow)
		v = lo_widen(L, v, PTX_U32);
	switch (lo_space(L)) {
	case PTX_SHARED:
		lo_dst(L, high_is(L, v, G_shared_hi));
		break;
	case PTX_LOCAL:
		lo_dst(L, high_is(L, v, G_private_hi));
		break;
	case PTX_GLOBAL:
		v = ir_g2(B, G_or1, in_constants(L, v), ir_g2(B, G_or1, high_is(L, v, G_shared_hi), high_is(L, v, G_private_hi)));
		lo_dst(L, ir_g1(B, G_not1, v));
		break;
	case PTX_CONST:
		lo_dst(L, in_constants(L, v));
		break;
	case PTX_PARAM:
		v = ir_g2(B, G_sub64, v, ir_g0(B, G_kernarg));
		lo_dst(L, ir_icmp(B, 64, IR_LO, v, ir_i64(L->F->kernarg_size)));
		break;
	default:
		lo_refuse(L, ": this space");
	}
}

/* A block is its own cluster: the address in block 0 of the cluster is the address, and the rank is 0. */
void
lower_mapa(lower *L)
{
	ir_opnd a = lo_use(L, &L->in->ops[1], lo_type(L, 0));

	if (!L->refused)
		lo_dst(L, L->row->g[0] ? ir_i32(0) : a);
}

/* Policies are hints: any value will do. */
void
lower_createpolicy(lower *L)
{
	lo_dst(L, ir_i64(0));
}
