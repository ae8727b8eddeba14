/* bfi_dual.c -- two instructions of a plan in one (VOPD), where the chip has such pairs and they fit whatever
 * scratch registers come to be used. Needs a filled plan and its instructions' sizes; leaves a shorter one.
 * Manuals: "Dual Issue VALU", RDNA3 7.6 and RDNA4 7.8; "VOPD", 15.3.7 of both. */
#include "isa/dual.h"
#include "lower/bfi_seq.h"

/* Scratch pairs stand from UNKNOWN on, eight numbers apart: what they are by two or four is not known. */
enum { UNKNOWN = 1024 };

static bool
meet(uint32_t x, uint32_t y, unsigned mask)
{
	if (MAX(x, y) >= UNKNOWN && x / 8 != y / 8)
		return true;
	return !((x ^ y) & mask);
}

/* Some registers for scratch. */
static void
settle(p2a_inst *i, unsigned pairs)
{
	for (unsigned a = 0; a < i->nargs; a++) {
		p2a_opnd *o = &i->arg[a];

		if (o->kind == P2A_BFI_K_VGPR_PAIR)
			*o = (p2a_opnd){ .kind = P2A_K_VGPR, .width = 1, .reg = pairs + 8 * o->reg + (uint32_t)o->imm };
		else if (o->kind == P2A_BFI_K_SGPR_PAIR || o->kind == P2A_BFI_K_SGPR)
			*o = (p2a_opnd){ .kind = P2A_K_SGPR, .width = o->width,
				.reg = (o->kind == P2A_BFI_K_SGPR ? 32 : 0) + 2 * o->reg + (uint32_t)o->imm };
	}
}

/* What halves hold of a bit field's instructions: anything first, then a VGPR, then VCC. Single scratch registers cannot be
 * told banks. */
static bool
operands_may_fit(const p2a_inst *i)
{
	for (unsigned a = 0; a < i->nargs; a++)
		if (i->arg[a].kind == P2A_BFI_K_VGPR)
			return false;
	if (i->nargs > 2 && i->arg[2].kind != P2A_K_VGPR && i->arg[2].kind != P2A_BFI_K_VGPR_PAIR)
		return false;
	return i->nargs < 4 || i->arg[3].kind == P2A_K_SREG;
}

/* One literal, and what goes over the constant bus. */
static bool
constants_fit(const p2a_target *t, const p2a_inst half[2])
{
	const p2a_opnd *literal = NULL;

	for (const p2a_inst *h = half; h < half + 2; h++)
		for (unsigned a = 1; a < h->nargs; a++) {
			const p2a_opnd *o = &h->arg[a];

			if (o->kind != P2A_K_IMM || isa_is_inline(t, ISA_T_B32, o->imm))
				continue;
			if (literal && literal->imm != o->imm)
				return false;
			literal = o;
		}
	return !isa_dual_bus(t, half, literal);
}

/* p2a_check would say the same of the pair, at several times the cost; p2a_encode asks it. */
static bool
always_fits(const p2a_target *t, const p2a_inst *x, const p2a_inst *y)
{
	p2a_inst half[2] = { *x, *y };

	settle(&half[0], UNKNOWN);
	settle(&half[1], UNKNOWN);
	return isa_dual_places_by(t, half, meet) && constants_fit(t, half);
}

/* One result is even, the other odd: said here of most pairs with less ado. */
static bool
results_fit(const p2a_opnd *x, const p2a_opnd *y)
{
	if (x->kind != y->kind)
		return false;
	return x->kind == P2A_K_VGPR ? (x->reg ^ y->reg) & 1
	     : x->kind == P2A_BFI_K_VGPR_PAIR && x->reg == y->reg && x->imm != y->imm;
}

static bool
reads(const p2a_inst *i, const p2a_opnd *d)
{
	for (unsigned a = 1; a < i->nargs; a++) {
		const p2a_opnd *o = &i->arg[a];

		if (o->kind == d->kind && o->reg == d->reg && (o->kind <= P2A_K_LAST || o->imm == d->imm))
			return true;
	}
	return false;
}

/* Which half it can be: 1 X, 2 Y. */
static unsigned
sides(const p2a_target *t, const p2a_bfi_plan *p, unsigned k)
{
	const p2a_inst *i = p->inst + k;

	return k < p->n && i->enc == P2A_ENC_AUTO && !i->clamp && operands_may_fit(i) ? isa_dual_sides(t, i->op) : 0;
}

/* Two instructions after one another. Both halves read before either writes. */
static bool
pair_of(const p2a_target *t, const p2a_inst *i, unsigned first, unsigned second, p2a_inst *pair)
{
	if (!first || !second || !results_fit(&i[0].arg[0], &i[1].arg[0]) || reads(&i[1], &i[0].arg[0]))
		return false;
	if (first & 1 && second & 2 && always_fits(t, &i[0], &i[1])) {
		isa_pair(&i[0], &i[1], pair);
		return true;
	}
	if (!(first & 2 && second & 1) || reads(&i[0], &i[1].arg[0]) || !always_fits(t, &i[1], &i[0]))
		return false;
	isa_pair(&i[1], &i[0], pair);
	return true;
}

/* Both halves use one literal. */
static unsigned
pair_bytes(const p2a_target *t, const p2a_inst *pair)
{
	for (unsigned a = 0; a < pair->nargs; a++)
		if (pair->arg[a].kind == P2A_K_IMM && !isa_is_inline(t, ISA_T_B32, pair->arg[a].imm))
			return 12;
	return 8;
}

void
bs_dual(const p2a_target *t, p2a_bfi_plan *p, const uint8_t *bytes)
{
	unsigned n = 0;
	unsigned here = sides(t, p, 0);

	for (unsigned k = 0; k < p->n; k++, n++) {
		unsigned next = sides(t, p, k + 1);
		p2a_inst pair;

		if (pair_of(t, p->inst + k, here, next, &pair)) {
			p->bytes += pair_bytes(t, &pair) - bytes[k] - bytes[k + 1];
			p->inst[n] = pair;
			p->valu--;
			k++;
			next = sides(t, p, k + 1);
		} else if (n != k) {
			p->inst[n] = p->inst[k];
		}
		here = next;
	}
	p->n = n;
}
