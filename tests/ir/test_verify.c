/* test_verify.c -- the text form, and that the verifier notices each of a list of seeded faults. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

/* A loop that sums: b0 -> b1 (loop) -> b2. */
typedef struct sample {
	kit k;
	ir_block *b[3];
	ir_inst *phi, *add, *cmp, *cbr, *load, *store, *special, *word;
} sample;

static void
open_sample(sample *s)
{
	kit *k = &s->k;
	ir_opnd i, sum, at, x;

	kit_open(k);
	for (unsigned n = 0; n < 3; n++)
		s->b[n] = n ? ir_new_block(&k->f) : k->B.b;
	i = kit_reg(k, 1);
	sum = kit_reg(k, 1);
	x = kit_reg(k, 1);
	kit_set(k, i, ir_i32(0));
	kit_set(k, sum, ir_g0(&k->B, G_special));
	kit_end(k, s->b[1], NULL, ir_i1(0));
	k->B.b = s->b[1];
	at = ir_g0(&k->B, G_kernarg);
	at = ir_g2(&k->B, G_add64, at, ir_g2(&k->B, G_pack64, i, ir_i32(0)));
	ir_gen_to(&k->B, x, G_load, 1, &at);
	s->load = ir_last(&k->B);
	s->load->mem = (ir_mem){ .space = IR_PARAM, .bytes = 2, .sext = 1, .align = 2, .nc = 1 };
	s->load->m.offset = 16;
	ir_gen_to(&k->B, sum, G_add32, 2, (ir_opnd[]){ sum, x });
	s->add = ir_last(&k->B);
	ir_gen_to(&k->B, i, G_add32, 2, (ir_opnd[]){ i, ir_i32(100000) });
	kit_end(k, s->b[1], s->b[2], ir_icmp(&k->B, 32, IR_LO, i, ir_i32(UINT32_MAX)));
	s->cbr = s->b[1]->last;
	s->cmp = s->cbr->prev;
	k->B.b = s->b[2];
	x = ir_g1(&k->B, G_word, at);
	ir_last(&k->B)->m.arg[2] = ir_i32(1);
	ir_last(&k->B)->m.nargs = 3;
	s->word = ir_last(&k->B);
	kit_store(k, 4, ir_g2(&k->B, G_add32, sum, x));
	s->store = ir_last(&k->B);
	kit_end(k, NULL, NULL, ir_i1(0));
}

static const char text_lowered[] =
	"kernel t\n"
	"b0:\n"
	"\t%1 = copy32 0\n"
	"\t%4 = special tid.x\n"
	"\t%2 = copy32 %4\n"
	"\tbr b1\n"
	"b1: from b0 b1\n"
	"\t%5 = kernarg\n"
	"\t%6 = pack64 %1, 0\n"
	"\t%7 = add64 %5, %6\n"
	"\t%3 = load.param.s2.nc %7 offset=16\n"
	"\t%2 = add32 %2, %3\n"
	"\t%1 = add32 %1, 0x186a0\n"
	"\t%8 = icmp32.lo %1, -1\n"
	"\tcbr %8, b1, b2\n"
	"b2: from b1\n"
	"\t%9 = word %7, 1\n"
	"\t%10 = add32 %2, %9\n"
	"\tstore.shared.b4 4, %10\n"
	"\tret\n";

static const char text_ssa[] =
	"kernel t\n"
	"b0:\n"
	"\t%4 = special tid.x\n"
	"\tbr b1\n"
	"b1: from b0 b1\n"
	"\t%11 = phi b0: %4, b1: %13\n"
	"\t%12 = phi b0: 0, b1: %14\n"
	"\t%5 = kernarg\n"
	"\t%6 = pack64 %12, 0\n"
	"\t%7 = add64 %5, %6\n"
	"\t%3 = load.param.s2.nc %7 offset=16\n"
	"\t%13 = add32 %11, %3\n"
	"\t%14 = add32 %12, 0x186a0\n"
	"\t%8 = icmp32.lo %14, -1\n"
	"\tcbr %8, b1, b2\n"
	"b2: from b1\n"
	"\t%9 = word %7, 1\n"
	"\t%10 = add32 %13, %9\n"
	"\tstore.shared.b4 4, %10\n"
	"\tret\n";

static void
go_one_way_twice(sample *s)
{
	ir_block *b = s->b[1];

	b->succs.a[1] = b;
	s->b[2]->preds.n = 0;
	*vec_push(&s->k.A, &b->preds) = b;
	for (ir_inst *i = b->first; i->m.op == G_phi; i = i->next) {
		i->phi = arena_array(&s->k.A, ir_opnd, 3);
		i->phi[0] = i->phi[1] = i->phi[2] = ir_i32(0);
	}
}

/* FAULT(name, what is done to the SSA form) */
#define FAULTS \
	FAULT(block_id, s->b[1]->id = 2) \
	FAULT(entry_missing, s->k.f.entry = arena_new(&s->k.A, ir_block)) \
	FAULT(edge_without_pred, s->b[2]->preds.n = 0) \
	FAULT(pred_without_edge, s->b[1]->preds.a[0] = s->b[2]) \
	FAULT(succ_not_in_list, s->b[0]->succs.a[0] = arena_new(&s->k.A, ir_block)) \
	FAULT(list_prev, s->add->prev = NULL) \
	FAULT(list_block, s->add->block = s->b[0]) \
	FAULT(list_last, s->b[1]->last = s->add) \
	FAULT(no_terminator, ir_remove(s->b[2]->last)) \
	FAULT(empty_block, s->b[2]->first = s->b[2]->last = NULL) \
	FAULT(terminator_inside, ir_remove(s->cbr); ir_insert(s->b[1], s->cmp, s->cbr)) \
	FAULT(wrong_terminator, s->cbr->m.op = G_br; s->cbr->m.nargs = 0) \
	FAULT(both_ways_same, go_one_way_twice(s)) \
	FAULT(machine_op, s->add->m.op = OP_s_add_u32) \
	FAULT(pseudo_op, s->add->m.op = P_copy) \
	FAULT(no_such_op, s->add->m.op = IR_NOPS) \
	FAULT(operand_count, s->add->m.nargs = 2) \
	FAULT(too_many_operands, s->add->m.nargs = 7) \
	FAULT(result_count, s->add->ndefs = 0) \
	FAULT(value_0, s->add->m.arg[1].reg = 0) \
	FAULT(value_beyond, s->add->m.arg[1].reg = s->k.f.vals.n) \
	FAULT(part_of_value, s->word->m.arg[1].imm = 1; s->word->m.arg[1].width = 1) \
	FAULT(width_of_value, s->add->m.arg[1].width = 2) \
	FAULT(width_of_type, s->add->m.arg[1] = s->load->m.arg[1]) \
	FAULT(constant_width, s->add->m.arg[1] = ir_i64(1)) \
	FAULT(constant_not_extended, s->add->m.arg[1] = ir_i32(1); s->add->m.arg[1].imm = 0xffffffff) \
	FAULT(boolean_constant, s->cbr->m.arg[0] = ir_i1(true); s->cbr->m.arg[0].imm = 2) \
	FAULT(bank_in_generic, s->k.f.vals.a[4].bank = IR_BANK_V) \
	FAULT(modifier_on_integer, s->add->m.arg[1].mods = P2A_NEG) \
	FAULT(kind, s->add->m.arg[1].kind = P2A_K_VGPR) \
	FAULT(load_bytes, s->load->mem.bytes = 3) \
	FAULT(load_width, s->load->mem.bytes = 8) \
	FAULT(load_space, s->load->mem.space = IR_SHARED) \
	FAULT(load_align, s->load->mem.align = 3) \
	FAULT(no_such_word, s->word->m.arg[2] = ir_i32(2)) \
	FAULT(no_such_special, s->special->m.offset = IR_NSPECIAL) \
	FAULT(float_condition, s->cmp->cc = IR_NUM) \
	FAULT(phi_not_first, ir_remove(s->phi); ir_insert(s->b[1], s->add, s->phi)) \
	FAULT(phi_without_sources, s->phi->phi = NULL) \
	FAULT(phi_width, s->phi->phi[0] = ir_i64(0)) \
	FAULT(phi_source_late, s->phi->phi[0] = s->add->m.arg[0]) \
	FAULT(defined_twice, s->add->m.arg[0] = s->load->m.arg[0]) \
	FAULT(used_before, s->load->m.arg[1] = ir_valop(&s->k.f, 9); s->load->mem.space = IR_SHARED) \
	FAULT(never_defined, ir_remove(s->load)) \
	FAULT(unreachable, ir_new_block(&s->k.f); s->k.B.b = s->k.f.blocks.a[3]; ir_g0(&s->k.B, G_ret)) \
	FAULT(stale_def, s->k.f.vals.a[3].def = s->add)

#define FAULT(name, action) static void fault_##name(sample *s) { action; }
FAULTS
#undef FAULT
typedef struct fault { const char *name; void (*make)(sample *); } fault;
static const fault faults[] = {
#define FAULT(name, action) { #name, fault_##name },
	FAULTS
#undef FAULT
};

static void
check_fault(const fault *x)
{
	sample s;
	const char *before, *after;

	open_sample(&s);
	p_ssa(&s.k.f);
	s.phi = s.b[1]->first;
	s.special = s.b[0]->first;
	before = ir_verify(&s.k.f, IR_V_SSA);
	x->make(&s);
	after = ir_verify(&s.k.f, IR_V_SSA);
	t_ok(!before && after, x->name, "%s", before ? before : "not noticed");
	kit_close(&s.k);
}

static void
check_text(void)
{
	sample s;
	const char *wrong;

	open_sample(&s);
	wrong = ir_verify(&s.k.f, IR_V_LOWERED);
	t_ok(!wrong, "the lowered sample verifies", "%s", wrong);
	t_same(kit_text(&s.k), text_lowered, "text of the lowered sample");
	p_ssa(&s.k.f);
	t_same(kit_text(&s.k), text_ssa, "text of the sample in SSA form");
	kit_close(&s.k);
}

/* A register that is written under a condition and read under the same one has no value
 * elsewhere. */
static void
check_undefined(void)
{
	kit k;
	ir_block *b[5];
	ir_opnd v, c;

	kit_open(&k);
	v = kit_reg(&k, 1);
	for (unsigned n = 0; n < 5; n++)
		b[n] = n ? ir_new_block(&k.f) : k.B.b;
	c = ir_icmp(&k.B, 32, IR_EQ, ir_g0(&k.B, G_special), ir_i32(0));
	kit_end(&k, b[1], b[2], c);
	k.B.b = b[1];
	kit_set(&k, v, ir_i32(7));
	kit_end(&k, b[2], NULL, c);
	k.B.b = b[2];
	kit_end(&k, b[3], b[4], c);
	k.B.b = b[3];
	kit_store(&k, 0, v);
	kit_end(&k, b[4], NULL, c);
	k.B.b = b[4];
	kit_end(&k, NULL, NULL, c);
	p_ssa(&k.f);
	t_same(kit_text(&k),
	       "kernel t\n"
	       "b0:\n"
	       "\t%4 = undef32\n"
	       "\t%2 = special tid.x\n"
	       "\t%3 = icmp32.eq %2, 0\n"
	       "\tcbr %3, b1, b2\n"
	       "b1: from b0\n"
	       "\tbr b2\n"
	       "b2: from b0 b1\n"
	       "\t%5 = phi b0: %4, b1: 7\n"
	       "\tcbr %3, b3, b4\n"
	       "b3: from b2\n"
	       "\tstore.shared.b4 0, %5\n"
	       "\tbr b4\n"
	       "b4: from b2 b3\n"
	       "\tret\n",
	       "undefined where not written");
	kit_close(&k);
}

int
main(void)
{
	check_text();
	check_undefined();
	for (unsigned n = 0; n < COUNT(faults); n++)
		check_fault(&faults[n]);
	return t_end();
}
