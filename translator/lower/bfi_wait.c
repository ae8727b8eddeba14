/* bfi_wait.c -- waits before what reads an SGPR that the plan itself wrote, where a VALU instruction may have read it
 * before: code in front of the sequence, or the same sequence a loop's turn earlier. That never expires, and the wait
 * belongs between the writing and the reading, so that nobody outside can give it. Needs a plan that is otherwise
 * complete; leaves s_wait_alu (s_waitcnt_depctr) in it. hazards.def: VALU_READ_SGPR, VALU_MASK_WRITE; docs/hazards.md. */
#include "lower/bfi_seq.h"

#include <string.h>

/* Scalar registers: by number, then scratch of either kind. */
enum { VCC = 106, PAIRS = 128, SINGLES = PAIRS + 2 * P2A_BFI_SCRATCH, NSCALARS = SINGLES + P2A_BFI_SCRATCH };

typedef struct written {
	bool salu[NSCALARS];
	bool vcc;                /* by VALU, which writes no other */
} written;

static unsigned
scalars_of(const p2a_opnd *o, unsigned *first)
{
	switch (o->kind) {
	case P2A_K_SGPR: *first = o->reg; return o->width;
	case P2A_K_SREG: *first = VCC; return 2;
	case P2A_BFI_K_SGPR_PAIR: *first = PAIRS + 2 * o->reg + (unsigned)o->imm; return o->width;
	case P2A_BFI_K_SGPR: *first = SINGLES + o->reg; return 1;
	default: *first = 0; return 0;
	}
}

static unsigned
wait_before(const written *w, const p2a_inst *i)
{
	const isa_info *info = &isa_table[i->op];
	unsigned wait = 0;

	for (unsigned a = isa_effects(i) & ISA_TIED ? 0 : info->ndefs; a < i->nargs; a++) {
		unsigned first, n = scalars_of(&i->arg[a], &first);

		for (unsigned r = first; r < first + n; r++)
			wait |= w->salu[r] ? ISA_DEPCTR_SA_SDST : 0;
		if (n && first == VCC && w->vcc)
			wait |= ISA_DEPCTR_VA_VCC;
	}
	return wait;
}

static void
note(written *w, const p2a_inst *i)
{
	for (unsigned a = 0; a < isa_table[i->op].ndefs; a++) {
		unsigned first, n = scalars_of(&i->arg[a], &first);

		if (isa_table[i->op].cls == ISA_SALU)
			memset(&w->salu[first], true, n);
		else
			w->vcc |= n != 0;
	}
}

static int
put_wait(p2a_bfi_plan *p, unsigned at, unsigned wait)
{
	enum { BYTES = 4 };

	if (p->n == P2A_BFI_INSTS)
		return P2A_ISA_SHORT;
	memmove(&p->inst[at + 1], &p->inst[at], (p->n - at) * sizeof *p->inst);
	p->inst[at] = (p2a_inst){ .op = OP_s_waitcnt_depctr, .nargs = 1,
		.arg = { { .kind = P2A_K_IMM, .width = 1, .imm = ISA_DEPCTR_ALL & ~wait } } };
	p->n++;
	p->bytes += BYTES;
	return 0;
}

int
bs_wait(const p2a_target *t, p2a_bfi_plan *p)
{
	bool masks = t->wave == 64 && t->hazards & ISA_HZ_VALU_MASK_WRITE;
	written w = { .vcc = false };
	int err = 0;

	if (!masks && !(t->hazards & ISA_HZ_VALU_READ_SGPR))
		return 0;
	for (unsigned k = 0; k < p->n && !err; k++) {
		unsigned wait = wait_before(&w, &p->inst[k]);

		if (wait)
			err = put_wait(p, k++, wait);
		if (wait & ISA_DEPCTR_SA_SDST)
			memset(w.salu, 0, sizeof w.salu);
		if (wait & ISA_DEPCTR_VA_VCC)
			w.vcc = false;
		if (!err)
			note(&w, &p->inst[k]);
	}
	return err;
}
