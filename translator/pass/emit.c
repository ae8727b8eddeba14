/* emit.c -- bytes of the machine code, places of variable addresses, and the line table.
 * Needs physical code with waits and hazards settled; leaves f->code, f->fixups, f->lines and
 * f->k.instructions. What cannot be encoded is our fault and reported as such: nothing is guessed.
 * Manuals: "Microcode formats". */
#include "pass/emit.h"

typedef struct emitter {
	ir_func *f;
	em_layout L;
	uint32_t next_branch;
	uint32_t pc;            /* byte offset behind the last s_getpc_b64 */
	uint32_t loc;
	bool failed;
} emitter;

static void
fault(emitter *E, const ir_inst *i, const char *why)
{
	buf text;

	if (E->failed)
		return;
	E->failed = true;
	buf_init(&text, E->f->A);
	buf_printf(&text, "%s in kernel '%s': ", why, E->f->name ? E->f->name : "");
	ir_print_inst(E->f, i, &text);
	diag_add(E->f->mod->diags, DIAG_internal, E->f->loc, "emit", buf_cstr(&text));
}

/* The instruction with numbers in place of blocks and variables: as long, and good for all but branches. */
static p2a_inst
settled(const ir_inst *i, int *sym)
{
	enum { NOT_INLINE = 0x7fff1234 };
	p2a_inst m = i->m;

	*sym = -1;
	for (unsigned k = 0; k < m.nargs; k++) {
		ir_opnd *o = &m.arg[k];

		if (o->kind == IR_K_SYM)
			*sym = (int)k;
		if (o->kind == IR_K_SYM || o->kind == IR_K_BLOCK)
			*o = (ir_opnd){ .kind = P2A_K_IMM, .width = 1,
				.imm = o->kind == IR_K_SYM ? NOT_INLINE : 0 };
	}
	return m;
}

/* i->num = dwords, for em_place. */
static void
measure(emitter *E)
{
	for (uint32_t b = 0; b < E->f->blocks.n; b++)
		for (ir_inst *i = E->f->blocks.a[b]->first; i; i = i->next) {
			uint32_t w[P2A_MAX_DWORDS];
			int sym, n;
			p2a_inst m;

			if (i->m.op >= ISA_NOPS) {
				fault(E, i, "pseudo operation left");
				return;
			}
			m = settled(i, &sym);
			n = p2a_encode(E->f->target, &m, w);
			if (n <= 0) {
				fault(E, i, p2a_isa_error_name(n));
				return;
			}
			i->num = (uint32_t)n;
		}
}

static void
put(emitter *E, const ir_inst *i, const p2a_inst *m)
{
	uint32_t w[P2A_MAX_DWORDS];
	int n = p2a_encode(E->f->target, m, w);

	if (n <= 0)
		fault(E, i, p2a_isa_error_name(n));
	for (int k = 0; k < n; k++)
		buf_u32(&E->f->code, w[k]);
	E->f->k.instructions++;
}

/* The literal is the last dword. */
static void
add_fixup(emitter *E, const ir_opnd *o)
{
	*vec_push(E->f->A, &E->f->fixups) = (struct ir_fixup){ .offset = (uint32_t)E->f->code.n - 4, .pc = E->pc,
		.var = o->reg, .addend = o->imm, .high = o->sel };
}

/* ---- branches ---- */

static void
put_branch(emitter *E, const ir_inst *i, unsigned op, int64_t distance)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = 1,
		.arg = { { .kind = P2A_K_IMM, .width = 1, .imm = distance } } };

	put(E, i, &m);
}

static void
put_far(emitter *E, const em_branch *b)
{
	const ir_inst *i = b->inst;
	unsigned p = (unsigned)E->f->k.branch_sgpr;
	int64_t bytes;
	p2a_inst getpc = { .op = OP_s_getpc_b64, .nargs = 1, .arg = { P2A_SN(p, 2) } };
	p2a_inst low = { .op = OP_s_add_u32, .nargs = 3, .arg = { P2A_S(p), P2A_S(p), P2A_I(0) } };
	p2a_inst high = { .op = OP_s_addc_u32, .nargs = 3, .arg = { P2A_S(p + 1), P2A_S(p + 1), P2A_I(0) } };
	p2a_inst setpc = { .op = OP_s_setpc_b64, .nargs = 1, .arg = { P2A_SN(p, 2) } };

	if (em_is_conditional(i))
		put_branch(E, i, em_inverse(i->m.op), EM_FAR_SIZE);
	put(E, i, &getpc);
	bytes = 4 * (int64_t)E->L.block_at[b->target] - (int64_t)E->f->code.n;
	low.arg[2].imm = (int32_t)bytes;
	high.arg[2].imm = bytes < 0 ? -1 : 0;
	put(E, i, &low);
	put(E, i, &high);
	put(E, i, &setpc);
}

static void
emit_branch(emitter *E, const em_branch *b)
{
	size_t start = E->f->code.n;
	p2a_inst nop = { .op = OP_s_nop, .nargs = 1, .arg = { { .kind = P2A_K_IMM } } };

	if (b->far) {
		put_far(E, b);
	} else {
		put_branch(E, b->inst, b->inst->m.op, (int64_t)E->L.block_at[b->target] - b->at - 1);
		if (b->padded)
			put(E, b->inst, &nop);
	}
	if (start != 4 * (size_t)b->at || E->f->code.n - start != 4 * (size_t)em_branch_size(b))
		fault(E, b->inst, "branch does not lie where it was placed");
}

/* ---- all ---- */

static void
note_line(emitter *E, const ir_inst *i)
{
	if (!i->loc || i->loc == E->loc)
		return;
	E->loc = i->loc;
	*vec_push(E->f->A, &E->f->lines) = (struct ir_line){ (uint32_t)E->f->code.n, i->loc };
}

static void
emit_inst(emitter *E, const ir_inst *i)
{
	int sym;
	p2a_inst m;

	note_line(E, i);
	if (E->next_branch < E->L.branches.n && E->L.branches.a[E->next_branch].inst == i) {
		emit_branch(E, &E->L.branches.a[E->next_branch++]);
		return;
	}
	m = settled(i, &sym);
	put(E, i, &m);
	if (sym >= 0)
		add_fixup(E, &i->m.arg[sym]);
	if (m.op == OP_s_getpc_b64)
		E->pc = (uint32_t)E->f->code.n;
}

/* Control must not run off the end. */
static void
close(ir_func *f)
{
	ir_block *b = f->blocks.a[f->blocks.n - 1];
	ir_builder B = { f, b, NULL, b->last ? b->last->loc : 0 };
	bool ends = b->last && b->last->m.op < ISA_NOPS &&
		(isa_table[b->last->m.op].cls == ISA_END || b->last->m.op == OP_s_branch);

	if (!ends)
		ir_m(&B, OP_s_endpgm, 0);
}

void
p_emit(ir_func *f)
{
	emitter E = { .f = f };

	buf_init(&f->code, f->A);
	f->fixups.n = f->lines.n = 0;
	f->k.instructions = 0;
	close(f);
	measure(&E);
	if (E.failed)
		return;
	if (!em_place(f, &E.L)) {
		diag_add(f->mod->diags, DIAG_branch_limit, f->loc, f->name,
			"a branch is too far and no registers are free for a long one");
		return;
	}
	for (uint32_t b = 0; b < f->blocks.n && !E.failed; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i && !E.failed; i = i->next)
			emit_inst(&E, i);
	if (!E.failed && f->code.n != 4 * (size_t)E.L.size)
		fault(&E, f->entry->first, "code is not as long as it was measured");
}
