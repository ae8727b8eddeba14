/* fold_float.c -- rules of pass fold for floats: a sign made by bits becomes a modifier of the source that reads it.
 * Needs fold.h's facts. A modifier acts on the bits, NaN or not, before anything else: ISA manuals, "Input Modifiers". */
#include "pass/fold.h"

enum { SIGN = 1u << 31 };

/* What the sign of x becomes: x ^ sign, x & ~sign, x | sign. 0: o is none of these. */
static unsigned
sign_mods32(fold *F, ir_opnd o, ir_opnd *x)
{
	static const struct { uint16_t op; uint32_t c; uint8_t mods; } forms[] = { { G_xor32, SIGN, P2A_NEG },
		{ G_and32, ~SIGN, P2A_ABS }, { G_or32, SIGN, P2A_ABS | P2A_NEG } };
	uint64_t c;

	for (unsigned k = 0; k < COUNT(forms); k++) {
		ir_inst *d = fold_def_const(F, o, forms[k].op, &c);

		if (!d || c != forms[k].c)
			continue;
		*x = fold_src(F, d, 0);
		return forms[k].mods;
	}
	return 0;
}

/* The same of 64 bits, which lowering writes by halves. */
static unsigned
sign_mods64(fold *F, ir_opnd o, ir_opnd *x)
{
	ir_inst *d = fold_def(F, o, G_pack64), *lo, *hi;
	ir_opnd high;
	unsigned mods;

	if (!d || !(mods = sign_mods32(F, fold_src(F, d, 1), &high)))
		return 0;
	lo = fold_def(F, fold_src(F, d, 0), G_lo32);
	hi = fold_def(F, high, G_hi32);
	if (!lo || !hi || !ir_same(fold_src(F, lo, 0), fold_src(F, hi, 0)))
		return 0;
	*x = fold_src(F, lo, 0);
	return mods;
}

/* The magnitude of a changed sign is the magnitude; a changed sign changed again is the sign. */
static uint8_t
both_mods(uint8_t outer, unsigned inner)
{
	return outer & P2A_ABS ? outer : (uint8_t)(inner ^ (outer & P2A_NEG));
}

bool
fold_signs(fold *F, ir_inst *i)
{
	bool changed = false;

	for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
		ir_opnd o = fold_src(F, i, k - i->ndefs), bare = o, x;
		unsigned inner;

		bare.mods = 0;
		inner = o.width == 2 ? sign_mods64(F, bare, &x) : sign_mods32(F, bare, &x);
		if (!inner)
			continue;
		x.mods = both_mods(o.mods, inner);
		i->m.arg[k] = x;
		changed = true;
	}
	return changed;
}
