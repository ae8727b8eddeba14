/* param.c -- parameters and results of calls: .param variables of functions and of call sequences.
 * Needs L->act; leaves their dwords in values ("cells"), or in private memory where the address is
 * taken or the variable is large. Manual: "Parallel Thread Execution ISA", 5.1.6.3, 7.1. */
#include "lower/lower.h"

enum { MAX_CELLS = 64 };

/* Elements of vectors in registers have a dword, or two, each. */
uint32_t
lo_dwords(const ptx_symbol *s)
{
	if (s->kind == PTX_SYM_REG && s->vec > 1)
		return s->vec * (ptx_type_bits(s->type) == 64 ? 2u : 1u);
	return (uint32_t)((s->size + 3) / 4);
}

bool
lo_in_memory(const ptx_symbol *s)
{
	const lower_symbol *x = s->user;

	if (s->space != PTX_PARAM || (x && x->kernarg))
		return false;
	return (x && x->taken) || s->size > 4 * MAX_CELLS;
}

/* False: it lies in private memory, or nowhere. */
bool
lo_is_cells(lower *L, ptx_symbol *s)
{
	lower_symbol *x;

	if (lo_in_memory(s))
		return false;
	x = lo_symbol(L, s, L->act);
	if (!x->cell) {
		x->cell = arena_array(L->A, uint32_t, MAX(lo_dwords(s), 1u));
		for (uint32_t i = 0; i < lo_dwords(s); i++)
			x->cell[i] = ir_new_val(L->F, 1);
	}
	return true;
}

static ir_opnd
cell(lower *L, const ptx_symbol *s, uint64_t at)
{
	const lower_symbol *x = s->user;

	return ir_valop(L->F, x->cell[at / 4]);
}

static ir_opnd
loaded_part(lower *L, ir_opnd w, unsigned at, unsigned bytes, bool sext)
{
	unsigned bits = 8 * bytes;

	return ir_g3(&L->b, sext ? G_bfe_s32 : G_bfe_u32, w, ir_i32(8 * at), ir_i32(bits));
}

/* Bytes at..at+bytes as ld gives them: within a dword, or whole dwords. */
ir_opnd
lo_cells_load(lower *L, const ptx_symbol *s, uint64_t at, unsigned bytes, bool sext)
{
	ir_builder *B = &L->b;
	ir_opnd w[4];

	if (bytes < 4)
		return loaded_part(L, cell(L, s, at), at % 4, bytes, sext);
	for (unsigned k = 0; k < bytes / 4; k++)
		w[k] = ir_g1(B, G_copy32, cell(L, s, at + 4 * k));
	if (bytes == 4)
		return w[0];
	if (bytes == 8)
		return ir_g2(B, G_pack64, w[0], w[1]);
	return ir_g4(B, G_pack128, w[0], w[1], w[2], w[3]);
}

void
lo_cells_store(lower *L, const ptx_symbol *s, uint64_t at, unsigned bytes, ir_opnd v)
{
	ir_builder *B = &L->b;
	unsigned shift = 8 * (at % 4);

	if (bytes < 4) {
		uint32_t mask = ((1u << 8 * bytes) - 1) << shift;
		ir_opnd c = cell(L, s, at), w = ir_g2(B, G_shl32, v, ir_i32(shift));

		w = ir_g3(B, G_bitsel32, ir_i32(mask), w, c);
		ir_gen_to(B, c, G_copy32, 1, &w);
		return;
	}
	for (unsigned k = 0; k < bytes / 4; k++) {
		ir_opnd w = lo_dword(L, v, k);

		ir_gen_to(B, cell(L, s, at + 4 * k), G_copy32, 1, &w);
	}
}

/* ---- whole parameters ---- */

/* Byte offset in private memory of the start of a variable. */
ir_opnd
lo_private(lower *L, const lower_symbol *x)
{
	if (!x->framed)
		return ir_i32((uint32_t)x->offset);
	return ir_g2(&L->b, G_add32, ir_valop(L->F, L->act->fp), ir_i32((uint32_t)x->offset));
}

static void
at_private(lower *L, uint32_t i)
{
	ir_inst *m = ir_last(&L->b);

	m->mem = (ir_mem){ .space = IR_LOCAL, .bytes = 4, .align = 4 };
	m->m.offset = (int32_t)(4 * i);
}

/* A register, a vector of them or one's component: n dwords, as many for each element. */

static ir_opnd
element(lower *L, const ptx_operand *o, uint32_t i, uint32_t per)
{
	ptx_operand e = lo_elem(o, i);
	ir_opnd r = lo_reg(L, &e);

	if (r.width != per && !L->refused)
		lo_refuse(L, r.width ? ": a parameter of another size" : ": a predicate as a parameter");
	return r;
}

static uint32_t
per_element(lower *L, const ptx_operand *o, uint32_t n)
{
	if (n % lo_nelems(o))
		lo_refuse(L, ": a parameter of another size");
	return MAX(n / lo_nelems(o), 1u);
}

void
lo_registers_read(lower *L, const ptx_operand *o, ir_opnd *w, uint32_t n)
{
	uint32_t per = per_element(L, o, n);

	for (uint32_t i = 0; i < n && !L->refused; i++) {
		ir_opnd r = element(L, o, i / per, per);

		if (!L->refused)
			w[i] = ir_g1(&L->b, G_copy32, lo_dword(L, r, i % per));
	}
}

void
lo_registers_write(lower *L, const ptx_operand *o, const ir_opnd *w, uint32_t n)
{
	uint32_t per = per_element(L, o, n);

	for (uint32_t i = 0; i < n && !L->refused; i += per) {
		ir_opnd r = element(L, o, i / per, per);

		if (!L->refused)
			ir_gen_to(&L->b, r, per == 2 ? G_pack64 : G_copy32, per, &w[i]);
	}
}

void
lo_param_read(lower *L, ptx_symbol *s, ir_opnd *w, uint32_t n)
{
	ir_builder *B = &L->b;

	if (s->kind == PTX_SYM_REG) {
		lo_registers_read(L, &(ptx_operand){ .kind = PTX_O_REG, .sym = s }, w, n);
		return;
	}
	for (uint32_t i = 0; i < n && !L->refused; i++) {
		if (lo_is_cells(L, s)) {
			w[i] = ir_g1(B, G_copy32, cell(L, s, 4 * i));
		} else {
			ir_opnd base = lo_private(L, s->user);

			w[i] = ir_valop(L->F, ir_new_val(L->F, 1));
			ir_gen_to(B, w[i], G_load, 1, &base);
			at_private(L, i);
		}
	}
}

void
lo_param_write(lower *L, ptx_symbol *s, const ir_opnd *w, uint32_t n)
{
	ir_builder *B = &L->b;

	if (s->kind == PTX_SYM_REG) {
		lo_registers_write(L, &(ptx_operand){ .kind = PTX_O_REG, .sym = s }, w, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (lo_is_cells(L, s)) {
			ir_gen_to(B, cell(L, s, 4 * i), G_copy32, 1, &w[i]);
		} else {
			ir_g2(B, G_store, lo_private(L, s->user), w[i]);
			at_private(L, i);
		}
	}
}
