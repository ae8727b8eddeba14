/* gen.c -- random legal instructions, for the tests of isa/.
 * Needs the tables; leaves instructions that p2a_check accepts.
 * Operands lean to the edges: first and last registers, ends of the inline range and of offsets. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

/* An instruction is given up after so many tries in which an argument got no operand. */
enum { MOST_WITHOUT = 12 };

uint32_t
gen_below(gen *g, uint32_t n)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((g->seed >> 33) % n);
}

static bool
one_in(gen *g, uint32_t n)
{
	return gen_below(g, n) == 0;
}

static uint32_t
random_reg(gen *g, uint32_t n, unsigned width)
{
	uint32_t last = n > width ? n - width : 0;

	switch (gen_below(g, 6)) {
	case 0:
		return 0;
	case 1:
		return width > 2 ? last & ~3u : width > 1 ? last & ~1u : last;
	case 2:
		return gen_below(g, 16) * (width > 2 ? 4 : width);
	default:
		return gen_below(g, last + 1) & ~(width > 2 ? 3u : width > 1 ? 1u : 0u);
	}
}

static int64_t
random_const(gen *g, isa_type type)
{
	uint32_t r = gen_below(g, 0x7fffffff) * 2 + gen_below(g, 2);
	int64_t v;

	switch (gen_below(g, 8)) {
	case 0:
		return 0;
	case 1:
		return 64;
	case 2:
		return isa_inline_value(type, 208, &v) ? v : 0;
	case 3: case 4:
		return isa_inline_value(type, 240 + gen_below(g, 9), &v) ? v : 1;
	case 5:
		return isa_inline_value(type, 129 + gen_below(g, 80), &v) ? v : 1;
	default:
		if (type == ISA_T_B16 || type == ISA_T_F16)
			r &= 0xffff;
		if (type == ISA_T_B64 || type == ISA_T_I64)
			r &= 0x7fffffff;
		return isa_literal_value(type, r);
	}
}

/* The 16 bits of a wait, a branch, a hardware register. */
static int64_t
random_field(gen *g)
{
	if (one_in(g, 2))
		return gen_below(g, 16);
	return (int64_t)gen_below(g, 0x10000) - (one_in(g, 2) ? 0x8000 : 0);
}

/* Every second one is what some arguments can be only. */
static void
random_sreg(gen *g, unsigned width, p2a_opnd *o)
{
	static const uint16_t only[] = { P2A_VCC, P2A_VCC_LO, P2A_EXEC, P2A_EXEC_LO, P2A_NULL, P2A_M0 };

	o->kind = P2A_K_SREG;
	o->reg = one_in(g, 2) ? only[gen_below(g, 6)] : gen_below(g, P2A_NSREG);
	o->width = (uint8_t)width;
}

static void
random_opnd(gen *g, const isa_arg *arg, p2a_opnd *o)
{
	unsigned width = isa_width(g->t, arg);

	*o = (p2a_opnd){ .width = (uint8_t)width };
	switch (gen_below(g, 7)) {
	case 0: case 1:
		o->kind = P2A_K_VGPR;
		o->reg = random_reg(g, g->t->vgprs, width);
		break;
	case 2:
		o->kind = P2A_K_SGPR;
		o->reg = random_reg(g, g->t->sgprs, width);
		break;
	case 3:
		random_sreg(g, width, o);
		break;
	case 4: case 5:
		o->kind = P2A_K_IMM;
		o->imm = arg->type == ISA_T_NONE ? random_field(g) : random_const(g, arg->type);
		break;
	default:
		*o = (p2a_opnd){ .kind = P2A_K_OFF };
	}
	if (one_in(g, 4))
		o->mods = (uint8_t)(1 << gen_below(g, 3));
}

static void
random_offset(gen *g, const isa_field *f, int32_t *v)
{
	int32_t hi, lo;

	if (!f || one_in(g, 3))
		return;
	hi = (int32_t)((uint32_t)1 << (f->kind == K_SIMM ? f->width - 1 : f->width)) - 1;
	lo = f->kind == K_SIMM ? -hi - 1 : 0;
	if (one_in(g, 4))
		*v = hi;
	else
		*v = one_in(g, 4) ? lo : lo + (int32_t)gen_below(g, (uint32_t)(hi - lo) + 1u);
}

static void
random_sdwa(gen *g, p2a_inst *i, const isa_format *f)
{
	if (isa_field_of(f, ISA_SL_DSEL)) {
		i->dst_sel = (uint8_t)gen_below(g, 7);
		i->dst_unused = (uint8_t)gen_below(g, 3);
	}
	for (int a = 0; a < i->nargs; a++)
		if (isa_src_index(isa_table[i->op].arg[a].slot) >= 0 &&
		    isa_src_index(isa_table[i->op].arg[a].slot) < 2)
			i->arg[a].sel = (uint8_t)gen_below(g, 7);
}

static void
random_dpp(gen *g, p2a_inst *i)
{
	const isa_dpp *d = &isa_dpps[gen_below(g, (uint32_t)isa_ndpps)];

	i->dpp = (uint16_t)(one_in(g, 2) ? gen_below(g, 256) :
	    d->control + d->least + gen_below(g, (uint32_t)(d->most - d->least) + 1u));
	i->dpp_mask = (uint8_t)gen_below(g, 256);
	i->dpp_flags = (uint8_t)gen_below(g, 4);
	if (i->enc == P2A_ENC_DPP8 || i->enc == P2A_ENC_E64_DPP8) {
		i->dpp = (uint16_t)gen_below(g, 0x10000);
		i->dpp_flags &= 2;
	}
}

/* Are halves told apart by the number of the register? */
static bool
has_half_numbers(const isa_format *f)
{
	const isa_field *dst = isa_field_of(f, ISA_SL_VDST);

	return dst && dst->kind == K_VGPRH;
}

/* Halves: op_sel in VOP3 and VOP3P, op_sel_hi and the signs of halves in VOP3P. */
static void
random_halves(gen *g, p2a_inst *i, const isa_format *f)
{
	bool pairs = isa_field_of(f, ISA_SL_OPHI0), packed = isa_is_packed(f), numbered = has_half_numbers(f);

	for (int a = 0; a < i->nargs; a++) {
		const isa_arg *arg = &isa_table[i->op].arg[a];

		bool half = arg->type == ISA_T_B16 || arg->type == ISA_T_F16 || arg->type == ISA_T_BF;

		if (!pairs && ((isa_table[i->op].eff & ISA_HALF && half) || arg->type == ISA_T_SW) &&
		    (!numbered || i->arg[a].kind == P2A_K_VGPR))
			i->arg[a].sel = (uint8_t)gen_below(g, 2);
		if (arg->def || !pairs)
			continue;
		if (arg->type == ISA_T_H2 || arg->type == ISA_T_W2 || arg->type == ISA_T_S2 || arg->type == ISA_T_MIX || arg->type == ISA_T_BF2)
			i->arg[a].sel = (uint8_t)gen_below(g, 4);
		if (packed && i->arg[a].kind != P2A_K_IMM)
			i->arg[a].mods = (uint8_t)(gen_below(g, 2) ? P2A_NEG : 0) |
			    (uint8_t)(gen_below(g, 2) ? P2A_NEG_HI : 0);
	}
	for (int a = 0; a < i->nargs; a++) {
		unsigned type = isa_table[i->op].arg[a].type;

		if (type == ISA_T_IU)
			i->arg[a].mods &= P2A_NEG | P2A_LIT;
		else if (packed && type != ISA_T_H2 && type != ISA_T_S2 && type != ISA_T_F32 && type != ISA_T_BF2)
			i->arg[a].mods &= P2A_LIT;
	}
}

/* A buffer's address: off, an offset, an index, or both. */
static void
random_modes(gen *g, p2a_inst *i)
{
	for (int a = 0; a < i->nargs; a++) {
		p2a_opnd *o = &i->arg[a];

		if (isa_table[i->op].arg[a].slot != ISA_SL_VADDR)
			continue;
		o->sel = (uint8_t)gen_below(g, 4);
		o->width = o->sel == (P2A_OFFEN | P2A_IDXEN) ? 2 : 1;
		o->kind = P2A_K_VGPR;
		o->reg = random_reg(g, g->t->vgprs, o->width);
		if (!o->sel)
			*o = (p2a_opnd){ .kind = P2A_K_OFF };
	}
}

/* Temporal hints that have a name with this scope. */
static void
random_policy(gen *g, p2a_inst *i)
{
	const isa_word *w = &isa_words[gen_below(g, (uint32_t)isa_nwords)];

	i->cpol = w->value;
	if (w->kind == ISA_WORD_BIT && one_in(g, 2))
		i->cpol |= isa_words[gen_below(g, 6)].value;
	if (w->kind == ISA_WORD_SCOPE)
		return;
	if (w->kind != ISA_WORD_BIT && w->sys == ISA_TH_SYS)
		i->cpol |= 3 << P2A_SCOPE_SHIFT;
	else if (w->kind != ISA_WORD_BIT && w->sys == ISA_TH_BOTH)
		i->cpol |= (uint16_t)(gen_below(g, 4) << P2A_SCOPE_SHIFT);
	if (w->kind != ISA_WORD_BIT) {
		unsigned kind = isa_policy_kind(&isa_table[i->op]);

		if (kind != w->kind || (kind == ISA_WORD_ATOMIC && w->value >> P2A_TH_SHIFT != 2))
			i->cpol = 0;
		/* The assembler takes NT with RETURN and SCOPE_SYS for BYPASS. */
		if (kind == ISA_WORD_ATOMIC)
			i->cpol &= (uint16_t)~(2u << P2A_SCOPE_SHIFT);
	}
}

/* Accumulation registers, chosen by bits of the seed that are drawn anyway: the rest is as on chips without. */
static uint32_t
acc_bits(const gen *g)
{
	return (uint32_t)(g->seed >> 35);
}

/* An operand that can be no other. */
static bool
only_acc(const gen *g, const isa_format *f, const isa_arg *arg, p2a_opnd *o)
{
	const isa_field *at = f ? isa_field_of(f, arg->slot) : NULL;

	if (!at || (at->kind != K_AGPR && at->kind != K_SRCA))
		return false;
	*o = (p2a_opnd){ .kind = P2A_K_AGPR, .width = 1, .reg = (acc_bits(g) + arg->slot) % g->t->vgprs };
	return true;
}

/* Data and result of some memory instructions, all of one. */
static void
random_data(gen *g, p2a_inst *i, const isa_format *f)
{
	for (int a = 0; g->t->accum_offset && acc_bits(g) % 3 == 0 && a < i->nargs; a++) {
		const isa_field *at = isa_field_of(f, isa_table[i->op].arg[a].slot);

		if (at && at->kind == K_VDATA && i->arg[a].kind == P2A_K_VGPR)
			i->arg[a].kind = P2A_K_AGPR;
	}
}

/* False if some argument got no operand in a hundred tries. */
static bool
random_inst(gen *g, unsigned op, unsigned enc, p2a_inst *i)
{
	const isa_info *info = &isa_table[op];
	const isa_format *f = isa_any_format(g->t, op, enc);

	if (!f)
		return false;
	*i = (p2a_inst){ .op = (uint16_t)op, .enc = (uint8_t)enc, .nargs = info->nargs };
	for (int a = 0; a < info->nargs; a++) {
		int tries = 100;

		if (only_acc(g, f, &info->arg[a], &i->arg[a]))
			continue;
		do {
			isa_arg arg;

			isa_arg_here(info, i, a, &arg);
			random_opnd(g, &arg, &i->arg[a]);
		} while (!isa_accepts(g->t, op, enc, (unsigned)a, &i->arg[a]) && --tries);
		if (!tries)
			return false;
	}
	for (int a = 0; a < info->nargs; a++) {  /* a scalar base narrows the address */
		isa_arg arg;

		isa_arg_here(info, i, a, &arg);
		if (i->arg[a].kind == P2A_K_VGPR)
			i->arg[a].width = (uint8_t)isa_width(g->t, &arg);
	}
	random_data(g, i, f);
	if (one_in(g, 3))
		i->clamp = 1;
	if (one_in(g, 3))
		i->omod = (uint8_t)gen_below(g, 4);
	if (one_in(g, 2))
		random_policy(g, i);
	if (isa_field_of(f, ISA_SL_OFFEN))
		random_modes(g, i);
	if ((enc == P2A_ENC_AUTO || has_half_numbers(f)) && one_in(g, 2))
		random_halves(g, i, f);
	if (isa_field_of(f, ISA_SL_BYTE0))
		i->arg[1].sel = (uint8_t)gen_below(g, 4);
	if (isa_field_of(f, ISA_SL_BYTED))
		i->arg[0].sel = (uint8_t)gen_below(g, 4);
	if (enc == P2A_ENC_SDWA)
		random_sdwa(g, i, f);
	if (isa_is_dpp(enc))
		random_dpp(g, i);
	random_offset(g, isa_field_of(f, ISA_SL_OFFSET), &i->offset);
	random_offset(g, isa_field_of(f, ISA_SL_OFFSET1), &i->offset1);
	return true;
}

static bool
has_encoding(const p2a_target *t, unsigned op, unsigned enc)
{
	int key = isa_cell_key(t, op);

	if (key < 0 || enc == P2A_ENC_AUTO)
		return key >= 0;
	for (const isa_form *f = isa_forms; f < isa_forms + isa_nforms; f++)
		if (f->from == isa_key_fmt(key) && f->enc == enc && f->layouts >> t->layout & 1)
			return true;
	return false;
}

/* An operand of a half; literals are that one, so that both halves can have it. */
static void
half_opnd(gen *g, unsigned slot, isa_type type, int64_t literal, p2a_opnd *o)
{
	*o = (p2a_opnd){ .kind = P2A_K_VGPR, .width = 1, .reg = random_reg(g, g->t->vgprs, 1) };
	if (slot == ISA_SL_CSRC)
		*o = (p2a_opnd){ .kind = P2A_K_SREG, .width = 1, .reg = P2A_VCC_LO };
	else if (slot == ISA_SL_LIT || (slot == ISA_SL_SRC0 && one_in(g, 4)))
		*o = (p2a_opnd){ .kind = P2A_K_IMM, .width = 1, .imm = literal };
	else if (slot == ISA_SL_SRC0 && one_in(g, 2))
		do
			random_opnd(g, &(isa_arg){ .slot = ISA_SL_SRC0, .type = (uint8_t)type, .width = 1 }, o);
		while (o->mods || o->kind == P2A_K_OFF);
}

static bool
can_be(const p2a_target *t, unsigned x, unsigned y)
{
	return isa_can_dual(t, x, 0) && isa_can_dual(t, y, 1);
}

bool
gen_pair(gen *g, unsigned x, unsigned y, p2a_inst *i)
{
	for (int tries = 0; can_be(g->t, x, y) && tries < 200; tries++) {
		p2a_inst half[2] = { { .op = (uint16_t)x }, { .op = (uint16_t)y } };
		int64_t literal = random_const(g, ISA_T_F32);

		for (p2a_inst *h = half; h < half + 2; h++) {
			h->nargs = isa_table[h->op].nargs;
			for (int a = 0; a < h->nargs; a++) {
				const isa_arg *arg = &isa_table[h->op].arg[a];
				int64_t own = literal;

				isa_canon(arg->type, &own);
				half_opnd(g, arg->slot, arg->type, own, &h->arg[a]);
			}
		}
		isa_pair(&half[0], &half[1], i);
		if (!p2a_check(g->t, i))
			return true;
	}
	return false;
}

bool
gen_any(gen *g, p2a_inst *i)
{
	unsigned x = gen_below(g, ISA_NOPS), y = gen_below(g, ISA_NOPS);

	if (!isa_half_format(g->t, 0) || !one_in(g, 4))
		return gen_inst(g, x, gen_below(g, P2A_ENC_DUAL), i);
	while (!can_be(g->t, x, y)) {
		x = isa_can_dual(g->t, x, 0) ? x : (x + 1) % ISA_NOPS;
		y = isa_can_dual(g->t, y, 1) ? y : (y + 1) % ISA_NOPS;
	}
	return gen_pair(g, x, y, i);
}

bool
gen_inst(gen *g, unsigned op, unsigned enc, p2a_inst *i)
{
	if (!has_encoding(g->t, op, enc))
		return false;
	for (int tries = 0, without = 0; tries < 60 && without < MOST_WITHOUT; tries++) {
		if (!random_inst(g, op, enc, i)) {
			without++;
			continue;
		}
		if (!p2a_check(g->t, i))
			return true;
		i->clamp = 0;
		i->omod = 0;
		if (!p2a_check(g->t, i))
			return true;
		i->cpol = 0;
		if (!p2a_check(g->t, i))
			return true;
	}
	return false;
}

void
gen_hex(const uint32_t *w, int dwords, char out[P2A_MAX_DWORDS * 8 + 1])
{
	for (int k = 0; k < dwords; k++)
		for (int b = 0; b < 4; b++)
			snprintf(out + k * 8 + b * 2, 3, "%02x", (unsigned)(w[k] >> (8 * b) & 255));
}

int
gen_unhex(const char *s, uint32_t w[P2A_MAX_DWORDS])
{
	size_t n = strspn(s, "0123456789abcdef");

	memset(w, 0, P2A_MAX_DWORDS * sizeof *w);
	if (!n || n % 8 || n > P2A_MAX_DWORDS * 8)
		return -1;
	for (size_t k = 0; k < n; k += 2) {
		unsigned byte;

		sscanf(s + k, "%2x", &byte);
		w[k / 8] |= (uint32_t)byte << (k % 8 * 4);
	}
	return (int)(n / 8);
}
