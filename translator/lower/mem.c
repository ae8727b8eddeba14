/* mem.c -- ld, ldu, st, fences.
 * Needs placed symbols; leaves G_load, G_store of 1 to 16 bytes whose mem says space, order, scope.
 * Cache operators, eviction priorities and prefetch sizes are hints and leave no trace.
 * Manual: "Parallel Thread Execution ISA", 9.7.9 (ld, ldu, st), 8 (memory consistency). */
#include "lower/mem.h"

static ir_scope
scope(const lower *L)
{
	if (lo_has(L, PTX_M_cta))
		return IR_CTA;
	if (lo_has(L, PTX_M_gpu) || lo_has(L, PTX_M_gl) || lo_has(L, PTX_M_cluster))
		return IR_GPU;
	return IR_SYS;
}

static ir_mem
attributes(const lower *L)
{
	static const struct { uint16_t mod; unsigned order : 3; } row[] = {
		{ PTX_M_relaxed, IR_RELAXED }, { PTX_M_acquire, IR_ACQUIRE },
		{ PTX_M_release, IR_RELEASE }, { PTX_M_acq_rel, IR_ACQ_REL },
		{ PTX_M_mmio, IR_RELAXED }, { PTX_M_volatile, IR_RELAXED },
	};
	ir_mem m = { 0 };

	for (unsigned i = COUNT(row); i-- > 0; )
		if (lo_has(L, (ptx_mod)row[i].mod))
			m.order = row[i].order;
	m.vol = lo_has(L, PTX_M_volatile) || lo_has(L, PTX_M_mmio);
	m.nc = lo_has(L, PTX_M_nc) || L->in->op == PTX_OP_ldu;
	if (m.order)
		m.scope = scope(L) & 3;
	return m;
}

static bool
space_as(lower *L, ptx_space s, ir_mem *m)
{
	static const struct { uint8_t space, known; } row[PTX_NSPACES] = {
		[PTX_GENERIC] = { IR_GENERIC, 1 }, [PTX_GLOBAL] = { IR_GLOBAL, 1 },
		[PTX_SHARED] = { IR_SHARED, 1 }, [PTX_LOCAL] = { IR_LOCAL, 1 },
		[PTX_CONST] = { IR_CONST, 1 }, [PTX_PARAM] = { IR_PARAM, 1 },
	};

	m->space = row[s].space;
	if (!row[s].known)
		lo_refuse(L, ": state space");
	return row[s].known;
}

/* Of a call: in private memory, or in values, which hold nothing beyond it. */
static void
base_call_parameter(lower *L, access *a, ptx_symbol *s)
{
	const lower_symbol *x = s->user;
	uint64_t bytes = (uint64_t)a->elem * a->n;

	if (a->offset < 0 || (uint64_t)a->offset + bytes > s->size || a->offset % MIN(a->elem, 4u)) {
		lo_refuse(L, ": outside of the parameter, or not aligned");
	} else if (lo_is_cells(L, s)) {
		a->cells = s;
		a->mem.space = IR_LOCAL;
	} else {
		a->mem.space = IR_LOCAL;
		a->base = lo_private(L, x);
	}
}

/* A parameter: an offset into the block that the launch passes. */
static void
base_parameter(lower *L, access *a, ptx_symbol *s)
{
	const lower_symbol *x = s->user;

	if (!x || !x->kernarg) {
		base_call_parameter(L, a, s);
		return;
	}
	a->base = ir_g0(&L->b, G_kernarg);
	a->offset += (int64_t)x->offset;
	if (a->offset < 0 || (uint64_t)a->offset + a->elem * a->n > L->F->kernarg_size)
		lo_refuse(L, ": outside of the parameters");
}

/* A named variable must stand in the space that is written. */
static void
base_symbol(lower *L, access *a, ptx_space space, ptx_symbol *s)
{
	bool narrow = space == PTX_SHARED || space == PTX_LOCAL;

	if (s->kind != PTX_SYM_VAR || s->space != space)
		lo_refuse(L, ": the variable is in another state space");
	else if (space == PTX_PARAM)
		base_parameter(L, a, s);
	else
		a->base = lo_address_of(L, s, narrow ? PTX_B32 : PTX_B64);
}

/* name[r]: no kernel reads its parameters at places that lanes choose but by their address. */
static void
base_indexed(lower *L, access *a, ptx_space space, const ptx_operand *o, ptx_symbol *s)
{
	base_symbol(L, a, space, s);
	if (a->mem.space == IR_PARAM)
		a->mem.space = IR_CONST;
	if (!L->refused)
		a->base = lo_add_index(L, a->base, o);
}

/* A register: in .param, an address that mov or cvta gave. */
static void
base_register(lower *L, access *a, ptx_space space, const ptx_operand *o)
{
	bool narrow = space == PTX_SHARED || space == PTX_LOCAL;

	if (space == PTX_PARAM)         /* in a function, private memory or the kernel's parameters */
		a->mem.space = L->act->leave ? IR_GENERIC : IR_CONST;
	if (!narrow && o->kind == PTX_O_REG && lo_reg_bits(o) != 64)
		lo_reject(L, DIAG_unsupported_use, lo_narrow_address);
	else
		a->base = lo_use(L, o, narrow ? PTX_B32 : PTX_B64);
}

/* The machine's offsets are 32 bits wide. */
static void
fold_large_offset(lower *L, access *a)
{
	bool d = a->base.width == 2;

	if (a->offset == (int32_t)a->offset && a->offset + 64 == (int32_t)(a->offset + 64))
		return;
	a->base = ir_g2(&L->b, d ? G_add64 : G_add32, a->base,
		d ? ir_i64((uint64_t)a->offset) : ir_i32((uint32_t)a->offset));
	a->offset = 0;
}

/* a->mem, a->elem and a->n are set. */
static bool
find_base(lower *L, access *a, unsigned mem_op, ptx_space space)
{
	const ptx_operand *m = &L->in->ops[mem_op];
	ptx_symbol *s = NULL;

	if (L->in->nops <= mem_op || m->kind != PTX_O_MEM || m->nsub < 1) {
		lo_refuse(L, ": operands");
		return false;
	}
	a->offset = m->ival;
	if (m->sub[0].kind == PTX_O_SYM && m->sub[0].sym)
		s = lower_resolve(L, m->sub[0].sym);
	if (s && space == PTX_GENERIC && (s->space == PTX_GLOBAL || s->space == PTX_SHARED || s->space == PTX_LOCAL))
		space = s->space;       /* as NVIDIA's assembler has it; parameters and constants it refuses */
	if (!space_as(L, space, &a->mem))
		return false;
	if (s && m->sub[0].nsub) {
		base_indexed(L, a, space, &m->sub[0], s);
	} else if (s) {
		a->offset += m->sub[0].ival;
		base_symbol(L, a, space, s);
	} else {
		base_register(L, a, space, &m->sub[0]);
	}
	if (a->mem.space == IR_SHARED)
		a->mem.scope = IR_CTA;  /* nobody else sees it */
	if (!L->refused && !a->cells)
		fold_large_offset(L, a);
	return !L->refused;
}

bool
lo_access(lower *L, access *a, unsigned mem_op)
{
	*a = (access){ .mem = attributes(L), .type = lo_type(L, 0), .elem = lo_bits(L) / 8,
		.n = ptx_vec_of(L->in) };
	if (a->type == PTX_B128)        /* two halves: operand.c */
		*a = (access){ .mem = a->mem, .type = PTX_B64, .elem = 8, .n = 2 };
	if (a->elem * a->n > 32 || L->in->nops < 2) {
		lo_refuse(L, ": operands");
		return false;
	}
	return find_base(L, a, mem_op, lo_space(L));
}

bool
lo_access_in(lower *L, access *a, unsigned mem_op, ptx_space space, unsigned bytes)
{
	*a = (access){ .elem = bytes, .n = 1 };
	return find_base(L, a, mem_op, space);
}

void
lo_accessed(lower *L, const access *a, unsigned bytes, unsigned at)
{
	ir_inst *i = ir_last(&L->b);

	i->mem = a->mem;
	i->mem.bytes = (uint8_t)bytes;
	i->mem.align = (uint8_t)MIN(a->elem * a->n, 16u);
	i->m.offset = (int32_t)(a->offset + at);
}

/* Loads: memory is read in pieces of up to 16 bytes, elements are taken from them. */

static ir_opnd
load_piece(lower *L, const access *a, unsigned bytes, unsigned at)
{
	ir_opnd v;

	if (a->cells)
		return lo_cells_load(L, a->cells, (uint64_t)a->offset + at, bytes,
			bytes < 4 && a->n == 1 && ptx_is_signed(a->type));
	v = ir_valop(L->F, ir_new_val(L->F, (bytes + 3) / 4));
	ir_gen_to(&L->b, v, G_load, 1, &a->base);
	lo_accessed(L, a, bytes, at);
	ir_last(&L->b)->mem.sext = bytes < 4 && a->n == 1 && ptx_is_signed(a->type);
	return v;
}

/* `bits` bits at bit `at` of a dword, extended by type */
static ir_opnd
small_element(lower *L, ir_opnd w, ptx_type t, unsigned at)
{
	unsigned bits = ptx_type_bits(t);

	if (ptx_is_signed(t))
		return ir_g3(&L->b, G_bfe_s32, w, ir_i32(at), ir_i32(bits));
	if (!at)
		return lo_ext(L, w, t);
	if (at + bits == 32)
		return ir_g2(&L->b, G_lshr32, w, ir_i32(at));
	return ir_g3(&L->b, G_bfe_u32, w, ir_i32(at), ir_i32(bits));
}

static ir_opnd
element(lower *L, const access *a, ir_opnd piece, unsigned at)
{
	if (a->n == 1)
		return piece;
	if (a->elem == 8 && piece.width == 4)
		return ir_g2(&L->b, G_pack64, lo_dword(L, piece, at / 4),
			lo_dword(L, piece, at / 4 + 1));
	if (a->elem < 4)
		return small_element(L, lo_dword(L, piece, at / 4), a->type, at % 4 * 8);
	return lo_dword(L, piece, at / 4);
}

void
lower_ld(lower *L)
{
	access a;
	ir_opnd v[8], piece = { 0 };
	const ptx_operand *d = L->in->ops;

	if (!lo_access(L, &a, 1))
		return;
	if (lo_nelems(d) != a.n || a.n > COUNT(v)) {
		lo_refuse(L, ": vector length");
		return;
	}
	for (unsigned i = 0, at = 0; i < a.n; i++, at += a.elem) {
		if (at % 16 == 0)
			piece = load_piece(L, &a, MIN(a.elem * a.n, 16u), at);
		v[i] = element(L, &a, piece, at % 16);
	}
	for (unsigned i = 0; i < a.n; i++) {
		ptx_operand e = lo_elem(d, i);

		lo_set_ext(L, &e, v[i], a.type);
	}
}

/* Stores */

/* Elements smaller than a dword, from element i on, in one dword. */
static ir_opnd
gathered(lower *L, const access *a, const ir_opnd *v, unsigned i)
{
	ir_builder *B = &L->b;
	ir_opnd w = v[i];
	unsigned end = MIN(4 / a->elem, a->n - i);

	for (unsigned k = 1; k < end; k++) {
		ir_opnd low = k == 1 ? lo_ext(L, w, a->elem == 1 ? PTX_B8 : PTX_B16) : w;
		ir_opnd x = k + 1 < 4 / a->elem ? lo_ext(L, v[i + k], PTX_B8) : v[i + k];

		w = ir_g2(B, G_or32, low, ir_g2(B, G_shl32, x, ir_i32(k * a->elem * 8)));
	}
	return w;
}

static ir_opnd
dword_to_store(lower *L, const access *a, const ir_opnd *v, unsigned at)
{
	if (a->elem == 8)
		return lo_word(L, v[at / 8], at / 4 % 2);
	return a->elem == 4 ? v[at / 4] : gathered(L, a, v, at / a->elem);
}

static ir_opnd
piece_to_store(lower *L, const access *a, const ir_opnd *v, unsigned at, unsigned bytes)
{
	ir_opnd w[4];

	if (a->n == 1)
		return v[0];
	for (unsigned k = 0; k * 4 < bytes; k++)
		w[k] = dword_to_store(L, a, v, at + 4 * k);
	if (bytes <= 4)
		return w[0];
	if (bytes == 8)
		return ir_g2(&L->b, G_pack64, w[0], w[1]);
	return ir_g4(&L->b, G_pack128, w[0], w[1], w[2], w[3]);
}

void
lower_st(lower *L)
{
	access a;
	ir_opnd v[8];
	const ptx_operand *s;
	unsigned total;

	if (!lo_access(L, &a, 0))
		return;
	s = &L->in->ops[1];
	total = a.elem * a.n;
	if (a.mem.space == IR_PARAM || a.mem.space == IR_CONST)
		lo_refuse(L, ": the state space is read-only");
	if (lo_nelems(s) != a.n || a.n > COUNT(v))
		lo_refuse(L, ": vector length");
	for (unsigned i = 0; i < a.n && !L->refused; i++) {
		ptx_operand e = lo_elem(s, i);

		v[i] = lo_use(L, &e, a.type);
	}
	for (unsigned at = 0; at < total && !L->refused; at += 16) {
		ir_opnd piece = piece_to_store(L, &a, v, at, MIN(total, 16u));

		if (a.cells) {
			lo_cells_store(L, a.cells, (uint64_t)a.offset + at, MIN(total, 16u), piece);
			continue;
		}
		ir_g2(&L->b, G_store, a.base, piece);
		lo_accessed(L, &a, MIN(total, 16u), at);
	}
}

void
lo_fence(lower *L, unsigned order, unsigned scope)
{
	ir_g0(&L->b, G_fence);
	ir_last(&L->b)->mem = (ir_mem){ .order = order & 7, .scope = scope & 3 };
}

/* membar, fence; .sc asks for no more than .acq_rel does: each chip's fences stand in one order. Those of some memory, or between
 * accesses by copy engines and by threads, order all that there is. */
void
lower_fence(lower *L)
{
	lo_fence(L, lo_has(L, PTX_M_acquire) ? IR_ACQUIRE : lo_has(L, PTX_M_release) ? IR_RELEASE :
		IR_ACQ_REL, scope(L));
}

/* Hints, and what has no counterpart: prefetch, discard, nanosleep ... */
void
lower_nothing(lower *L)
{
	(void)L;
}
