/* field.c -- PTX bit fields become simple operations, by what is known of their operands.
 * Needs generic SSA with val.divergent; leaves no ptx_*. Sequences: lower/bfi.def. */
#include "pass/pass.h"
#include "lower/bfi.h"

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

static void
expand(field *F, ir_inst *i)
{
	ir_builder B = { F->f, i->block, i, i->loc };
	bfi_writer w = { &B, fact_of, F };
	bool wide = bfi_width(i->m.op) == 64;
	const ir_opnd *s = &i->m.arg[1];
	ir_opnd o[4], r;
	bfi_query q = { .gop = i->m.op, .sem = (p2a_semantics)i->sem, .t = F->f->target };
	ir_fact *f[4] = { &q.a, &q.b, &q.pos, &q.len };

	for (unsigned k = 0; k < 4; k++) {
		bool has = bfi_operands(i->m.op) >> k & 1;

		o[k] = has ? *s++ : wide && k < 2 ? ir_i64(0) : ir_i32(0);
		*f[k] = fact_of(F, o[k]);
		q.lanes |= (unsigned)differs(F, o[k]) << k;
	}
	bfi_tidy(&q);
	r = bfi_write(&w, bfi_choose(&q), &q, o);
	i->m.op = wide ? G_copy64 : G_copy32;
	i->m.nargs = 2;
	i->m.arg[1] = r;
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
			if (bfi_is_field(i->m.op))
				expand(&F, i);
}
