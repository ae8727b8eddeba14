/* field.c -- PTX bit fields and masks become simple operations, by what is known of their operands.
 * Needs generic SSA with val.divergent; leaves no ptx_*. Sequences: lower/bfi.def. */
#include "pass/pass.h"
#include "lower/bfi.h"
#include "lower/mask.h"

typedef struct field {
	ir_func *f;
	ir_fact *facts;
	uint32_t n;              /* values that facts[] knows, of cap that it has room for */
	uint32_t cap;
} field;

/* Values written by the expansion come in order, so facts of their sources are there already. */
static ir_fact
fact_of(void *ud, ir_opnd o)
{
	field *F = ud;

	if (ir_is_val(o) && o.reg >= F->cap) {
		uint32_t cap = F->f->vals.n * 2;

		F->facts = arena_grow(F->f->A, F->facts, F->cap * sizeof *F->facts,
				      cap * sizeof *F->facts);
		F->cap = cap;
	}
	for (; ir_is_val(o) && F->n <= o.reg; F->n++) {
		const ir_val *v = &F->f->vals.a[F->n];

		bool known = v->def && v->def->m.op != G_phi;

		F->facts[F->n] = known ? p_fact_of_inst(F->f, F->facts, v->def) :
			ir_fact_none(v->dwords);
	}
	return ir_fact_of(F->f, F->facts, o);
}

static bool
differs(const field *F, ir_opnd o)
{
	return ir_is_val(o) && F->f->vals.a[o.reg].divergent;
}

static bool
is_wide(unsigned gop)
{
	return ir_ginfo_of(gop)->dst == IR_T_D;
}

static void
expand(field *F, ir_inst *i)
{
	ir_builder B = { F->f, i->block, i, i->loc };
	bfi_writer w = { &B, fact_of, F };
	bool insert = i->m.op == G_ptx_bfi32 || i->m.op == G_ptx_bfi64;
	const ir_opnd *s = &i->m.arg[1];
	ir_opnd zero = is_wide(i->m.op) ? ir_i64(0) : ir_i32(0);
	ir_opnd o[4] = { s[0], insert ? s[1] : zero, s[insert ? 2 : 1], s[insert ? 3 : 2] }, r;
	bfi_query q = { .gop = i->m.op, .sem = (p2a_semantics)i->sem, .a = fact_of(F, o[0]),
		.b = fact_of(F, o[1]), .pos = fact_of(F, o[2]), .len = fact_of(F, o[3]),
		.t = F->f->target };

	for (unsigned k = 0; k < 4; k++)
		q.lanes |= (unsigned)differs(F, o[k]) << k;
	bfi_tidy(&q);
	r = bfi_write(&w, bfi_choose(&q), &q, o);
	i->m.op = is_wide(i->m.op) ? G_copy64 : G_copy32;
	i->m.nargs = 2;
	i->m.arg[1] = r;
}

static void
expand_mask(field *F, ir_inst *i)
{
	ir_builder B = { F->f, i->block, i, i->loc };
	ir_opnd pos = i->m.arg[1], len = i->m.arg[2];
	mask_query q = { pos, len, fact_of(F, pos), fact_of(F, len), !differs(F, pos) && !differs(F, len) };

	i->m.arg[1] = mask_write(&B, &q);
	i->m.op = G_copy32;
	i->m.nargs = 2;
}

void
p_field(ir_func *f)
{
	field F = { .f = f };

	ir_count_uses(f);
	F.facts = p_facts(f);
	F.n = F.cap = f->vals.n;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			if (i->m.op >= G_ptx_bfi32 && i->m.op <= G_ptx_bfe_s64)
				expand(&F, i);
			else if (i->m.op == G_ptx_bmsk)
				expand_mask(&F, i);
}
