/* bfi_dual.c -- two instructions of a plan in one (VOPD), where the chip has such pairs and they fit whatever
 * scratch registers come to be used. Needs a filled plan; leaves a shorter one.
 * Manuals: "Dual Issue VALU", RDNA3 7.6 and RDNA4 7.8. */
#include "lower/bfi_seq.h"

enum { TRIALS = 64 };

/* Scratch pairs k at bases of all residues by four; other scratch registers cannot be told banks. */
static bool
settle(p2a_inst *i, unsigned trial)
{
	for (unsigned a = 0; a < i->nargs; a++) {
		p2a_opnd *o = &i->arg[a];

		if (o->kind == P2A_BFI_K_VGPR || (o->kind == P2A_BFI_K_VGPR_PAIR && o->reg > 2))
			return false;
		if (o->kind == P2A_BFI_K_VGPR_PAIR)
			*o = (p2a_opnd){ .kind = P2A_K_VGPR, .width = 1,
				.reg = 8 * o->reg + (trial >> 2 * o->reg & 3) + (uint32_t)o->imm };
		else if (o->kind == P2A_BFI_K_SGPR_PAIR || o->kind == P2A_BFI_K_SGPR)
			*o = (p2a_opnd){ .kind = P2A_K_SGPR, .width = o->width,
				.reg = (o->kind == P2A_BFI_K_SGPR ? 32 : 0) + 2 * o->reg + (uint32_t)o->imm };
	}
	return true;
}

/* The scratch pairs that are named, by two bits of a trial each. */
static unsigned
trial_bits(const p2a_inst *i)
{
	unsigned bits = 0;

	for (unsigned a = 0; a < i->nargs; a++)
		if (i->arg[a].kind == P2A_BFI_K_VGPR_PAIR)
			bits |= 3u << 2 * MIN(i->arg[a].reg, 2);
	return bits;
}

/* What numbers do not change is checked once. */
static bool
always_fits(const p2a_target *t, const p2a_inst *x, const p2a_inst *y, const p2a_inst *pair)
{
	unsigned bits = trial_bits(pair);
	p2a_inst whole = *pair;

	if (!settle(&whole, 0) || p2a_check(t, &whole))
		return false;
	for (unsigned trial = 1; trial < TRIALS && bits; trial++) {
		p2a_inst half[2] = { *x, *y };

		if (!(trial & ~bits) && (!settle(&half[0], trial) || !settle(&half[1], trial) || !isa_dual_places(t, half)))
			return false;
	}
	return true;
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

/* Both halves read before either writes. */
static bool
pair_of(const p2a_target *t, const p2a_inst *x, const p2a_inst *y, p2a_inst *pair)
{
	if (x->enc != P2A_ENC_AUTO || y->enc != P2A_ENC_AUTO || x->clamp || y->clamp ||
	    !isa_can_dual(t, x->op, 0) || !isa_can_dual(t, y->op, 1) || reads(y, &x->arg[0]))
		return false;
	isa_pair(x, y, pair);
	return always_fits(t, x, y, pair);
}

static unsigned
bytes_of(const p2a_target *t, const p2a_inst *i)
{
	p2a_inst one = *i;

	return settle(&one, 0) ? (unsigned)isa_size(t, &one) : 0;
}

void
bs_dual(const p2a_target *t, p2a_bfi_plan *p)
{
	unsigned n = 0;

	for (unsigned k = 0; k < p->n; k++, n++) {
		p2a_inst pair;
		bool can = k + 1 < p->n && (pair_of(t, &p->inst[k], &p->inst[k + 1], &pair) ||
			(!reads(&p->inst[k + 1], &p->inst[k].arg[0]) && !reads(&p->inst[k], &p->inst[k + 1].arg[0]) &&
			 pair_of(t, &p->inst[k + 1], &p->inst[k], &pair)));

		p->inst[n] = p->inst[k];
		if (!can)
			continue;
		p->bytes += bytes_of(t, &pair) - bytes_of(t, &p->inst[k]) - bytes_of(t, &p->inst[k + 1]);
		p->inst[n] = pair;
		p->valu--;
		k++;
	}
	p->n = n;
}
