/* encode.c -- instruction to dwords.
 * Needs check.c's choice, which has proved that everything fits; leaves the instruction's dwords.
 * Manuals: "Microcode Formats" of AMD's ISA documents. */
#include "isa/layout.h"

#include <string.h>

void
isa_put(uint32_t *w, unsigned lo, unsigned width, uint32_t v)
{
	uint64_t mask = ((uint64_t)1 << width) - 1, x = (v & mask) << (lo & 31);

	w[lo / 32] |= (uint32_t)x;
	if (x >> 32)
		w[lo / 32 + 1] |= (uint32_t)(x >> 32);
}

uint32_t
isa_get(const uint32_t *w, unsigned lo, unsigned width)
{
	uint64_t x = w[lo / 32];

	if ((lo & 31) + width > 32)
		x |= (uint64_t)w[lo / 32 + 1] << 32;
	return (uint32_t)(x >> (lo & 31) & (((uint64_t)1 << width) - 1));
}

/* Members of p2a_inst by slot: ISA_SL_CLAMP to ISA_SL_TH. */
uint32_t
isa_member(const p2a_inst *i, unsigned slot)
{
	switch (slot) {
	case ISA_SL_CLAMP:
		return i->clamp;
	case ISA_SL_OMOD:
		return i->omod;
	case ISA_SL_DSEL:
		return i->dst_sel;
	case ISA_SL_DUNUSED:
		return i->dst_unused;
	case ISA_SL_DPP:
		return i->dpp;
	case ISA_SL_DPPMASK:
		return i->dpp_mask;
	case ISA_SL_BOUND:
		return i->dpp_flags & 1;
	case ISA_SL_FI:
		return i->dpp_flags >> 1;
	case ISA_SL_OFFSET:
		return (uint32_t)i->offset;
	case ISA_SL_OFFSET1:
		return (uint32_t)i->offset1;
	case ISA_SL_SCOPE:
		return i->cpol >> P2A_SCOPE_SHIFT & 3;
	case ISA_SL_TH:
		return i->cpol >> P2A_TH_SHIFT & 7;
	case ISA_SL_GLC: case ISA_SL_SLC: case ISA_SL_DLC:
	case ISA_SL_SC0: case ISA_SL_SC1: case ISA_SL_NT:
		return i->cpol >> (slot - ISA_SL_GLC) & 1;
	}
	return 0;
}

/* Selections count bytes, words, dword in the machine, dword first in p2a_opnd. */
static uint32_t
sel_code(uint32_t sel)
{
	return (sel + 6) % 7;
}

/* The argument that stands in this slot, or -1. */
static int
arg_in(const isa_info *info, unsigned slot)
{
	for (int a = 0; a < info->nargs; a++)
		if (info->arg[a].slot == slot)
			return a;
	return -1;
}

/* Modifier bits of source k: NEG0 and so on. */
static uint32_t
source_mod(const p2a_inst *i, unsigned slot)
{
	unsigned mod = 0;
	int k = isa_mod_of(slot, &mod), a = k < 0 ? -1 : isa_src_arg(&isa_table[i->op], k);

	if (a < 0)
		return 0;
	if (mod & (ISA_MOD_LOW | ISA_MOD_HIGH))
		return !!(i->arg[a].sel & mod >> 8);
	return mod ? !!(i->arg[a].mods & mod) : sel_code(i->arg[a].sel);
}

static uint32_t
address_mode(const p2a_inst *i, unsigned slot)
{
	int a = arg_in(&isa_table[i->op], ISA_SL_VADDR);

	return a >= 0 && i->arg[a].sel & (slot == ISA_SL_OFFEN ? P2A_OFFEN : P2A_IDXEN);
}

/* The value of one field that is no argument. */
static uint32_t
plain_value(const isa_choice *c, const p2a_inst *i, const isa_field *f)
{
	switch (f->slot) {
	case ISA_SL_OPC:
		return c->opc;
	case ISA_SL_RTN:
		return !!(c->opc & ISA_RTN);
	case ISA_SL_CONST:
		return f->kind;
	case ISA_SL_DSEL:
		return sel_code(i->dst_sel);
	case ISA_SL_OFFEN: case ISA_SL_IDXEN:
		return address_mode(i, f->slot);
	case ISA_SL_FI:
		if (f->kind == K_FI8)
			return 1 + isa_member(i, ISA_SL_FI);
		break;
	case ISA_SL_BYTE0:      /* the bits stand in reverse */
		return isa_byte_bits(i->arg[1].sel);
	case ISA_SL_BYTED:
		return i->arg[0].sel;
	case ISA_SL_OPSELD:
		return isa_table[i->op].ndefs && i->arg[0].sel & P2A_OP_SEL;
	}
	if (f->slot >= ISA_SL_CLAMP)
		return isa_member(i, f->slot);
	return source_mod(i, f->slot) ^ (f->kind == K_NOT);
}

int
isa_high_slot(const isa_field *f)
{
	int k = isa_src_index(f->slot);

	if (f->kind == K_VDATA)
		return ISA_SL_ACC;
	return k == 0 ? ISA_SL_S0 : k == 1 ? ISA_SL_S1 : -1;
}

static void
put_arg(const isa_choice *c, const isa_bits *b, const isa_field *f, uint32_t *w)
{
	int high = isa_high_slot(f);
	const isa_field *s = b->high && high >= 0 ? isa_field_of(c->fmt, (unsigned)high) : NULL;

	isa_put(w, f->lo, f->width, b->bits);
	if (s)
		isa_put(w, s->lo, s->width, 1);
}

/* By row of isa_formats the bits of an instruction of which nothing is said: value and what plain_value gives then. All
 * of them lie in two dwords. */
enum { WHOLE = 6 };
#define IDLE(slot, kind) ((kind) == K_NOT || (kind) == K_FI8 ? 1 : \
	(slot) == ISA_SL_SEL0 || (slot) == ISA_SL_SEL1 || (slot) == ISA_SL_DSEL ? WHOLE : 0)
#define AT_BIT(lo, x) | ((lo) < 64 ? (uint64_t)(x) << ((lo) & 63) : 0)
static const uint64_t idle[] = {
#define FMT(fmt, layouts, dwords, mask, value) value
#define F(slot, lo, width, kind) AT_BIT(lo, IDLE(ISA_SL_##slot, K_##kind))
#define C(lo, width, value) AT_BIT(lo, value)
#define END ,
#include "isa/formats.def"
};

static void
put_idle(const isa_choice *c, uint32_t *w)
{
	uint64_t bits = idle[c->fmt - isa_formats];
	const isa_field *opc = isa_field_of(c->fmt, ISA_SL_OPC), *rtn = isa_field_of(c->fmt, ISA_SL_RTN);

	w[0] |= (uint32_t)bits;
	w[1] |= (uint32_t)(bits >> 32);
	isa_put(w, opc->lo, opc->width, c->opc);
	if (rtn)
		isa_put(w, rtn->lo, rtn->width, !!(c->opc & ISA_RTN));
}

void
isa_put_fields(const p2a_inst *i, const isa_choice *c, uint32_t *w)
{
	const isa_info *info = &isa_table[i->op];

	for (int a = 0; a < info->nargs; a++)
		put_arg(c, &c->arg[a], isa_field_of(c->fmt, info->arg[a].slot), w);
	if (!isa_has_members(i) && !isa_has_modifiers(i)) {
		put_idle(c, w);
		return;
	}
	w[0] |= c->fmt->value;
	for (const isa_field *f = c->fmt->f; f->slot; f++)
		if (f->slot > ISA_SL_LAST_ARG)
			isa_put(w, f->lo, f->width, plain_value(c, i, f));
}

static int
emit_inst(const p2a_inst *i, const isa_choice *c, uint32_t *w)
{
	int n = c->fmt->dwords;

	memset(w, 0, P2A_MAX_DWORDS * sizeof *w);
	isa_put_fields(i, c, w);
	if (c->lit.has && !isa_field_of(c->fmt, ISA_SL_LIT))
		w[n++] = c->lit.value;
	return n;
}

int
p2a_encode(const p2a_target *t, const p2a_inst *i, uint32_t w[P2A_MAX_DWORDS])
{
	isa_choice c;
	int err;

	if (!t || !i || !w)
		return P2A_ISA_ARGS;
	if (i->enc == P2A_ENC_DUAL)
		return isa_dual_encode(t, i, w);
	err = isa_choose(t, i, &c);
	return err ? err : emit_inst(i, &c, w);
}

int
isa_size(const p2a_target *t, const p2a_inst *i)
{
	uint32_t w[P2A_MAX_DWORDS];
	int n = p2a_encode(t, i, w);

	return n < 0 ? n : n * 4;
}
