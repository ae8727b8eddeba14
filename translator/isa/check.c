/* check.c -- which encoding holds an instruction, or why none does.
 * Needs the tables; leaves a choice of format and opcode for encode.c and print.c.
 * Manuals: "Vector ALU: operands", "limitations on constants and SGPRs" of AMD's ISA documents. */
#include "isa/layout.h"

/* What an instruction asks of one format. */
typedef struct check {
	const p2a_target *t;
	const p2a_inst *i;
	const isa_info *info;
	const isa_format *fmt;
	const isa_form *form;
	isa_choice *out;         /* gets the literal and the operands' bits */
} check;

static bool
is_valu(const isa_info *info)
{
	return info->cls == ISA_VALU || info->cls == ISA_TRANS;
}

/* A global address is one VGPR beside a scalar base and two without, a buffer's one or two. */
static unsigned
address_width(const isa_info *info, const p2a_inst *i, int a)
{
	unsigned width = info->arg[a].width;

	for (int k = 0; k < info->nargs; k++)
		if (info->arg[k].slot == ISA_SL_SRSRC)
			width = i->arg[a].sel == (P2A_OFFEN | P2A_IDXEN) ? 2 : 1;
		else if (info->arg[k].slot == ISA_SL_SADDR && i->arg[k].kind != P2A_K_OFF)
			width = 1;
	return width;
}

/* v_fma_mix says of each source what it is. */
void
isa_arg_here(const isa_info *info, const p2a_inst *i, int a, isa_arg *arg)
{
	*arg = info->arg[a];
	if (arg->type == ISA_T_MIX)
		arg->type = i->arg[a].sel & P2A_OP_HI ? ISA_T_F16 : ISA_T_F32;
	if (arg->slot == ISA_SL_VADDR)
		arg->width = (uint8_t)address_width(info, i, a);
}

static int
check_literal(const check *c, const isa_bits *b)
{
	if (!b->has_lit)
		return 0;
	if (c->out->lit.has && c->out->lit.value != b->lit)
		return P2A_ISA_CONSTANT;
	if (c->form && (c->form->enc == P2A_ENC_SDWA || isa_is_dpp(c->form->enc)))
		return P2A_ISA_CONSTANT;
	switch (c->fmt->fmt) {
	case FM_VOP3: case FM_VOP3B: case FM_VOP3P: case FM_VOP3PM: case FM_VOP3S:
		if (!c->t->vop3_literal)
			return P2A_ISA_CONSTANT;
	}
	c->out->lit = (isa_lit){ true, b->lit };
	return 0;
}

static bool
has_slot(const check *c, unsigned slot)
{
	return isa_field_of(c->fmt, slot) != NULL;
}

/* Modifiers in VOP3P: halves of what has halves, signs of floats; neg_lo of bytes says that they are signed. */
static int
check_packed(const check *c, const isa_arg *arg, const p2a_opnd *o)
{
	unsigned result = c->info->arg[0].type;
	bool is_dot = result == ISA_T_B32 || result == ISA_T_F32;
	unsigned k = (unsigned)isa_src_index(arg->slot), mods = o->mods & ~(unsigned)P2A_LIT;
	bool halves = arg->type == ISA_T_H2 || arg->type == ISA_T_W2 || arg->type == ISA_T_S2 || arg->type == ISA_T_BF2;
	bool sign = arg->type == ISA_T_H2 || arg->type == ISA_T_S2 || arg->type == ISA_T_F32 || arg->type == ISA_T_BF2;

	if (arg->def || k > 2 || mods & ~(unsigned)(P2A_NEG | P2A_NEG_HI) || o->sel > (P2A_OP_SEL | P2A_OP_HI))
		return P2A_ISA_MODIFIER;
	if (o->sel && (!halves || (is_dot && c->t->dot_whole)))
		return P2A_ISA_MODIFIER;
	if (mods && !sign && (arg->type != ISA_T_IU || mods != P2A_NEG))
		return P2A_ISA_MODIFIER;
	return 0;
}

static bool
is_promoted(const isa_form *form)
{
	return form && form->from != FM_VOP3 && form->from != FM_VOP3B && form->to != FM_VOP3W;
}

static bool
is_half(unsigned type)
{
	return type == ISA_T_F16 || type == ISA_T_B16 || type == ISA_T_BF;
}

/* op_sel of VOP3, or of v_fma_mix, or a half by its register's number: does the format have a bit, and is there something
 * to select? */
static int
check_half(const check *c, const isa_arg *arg, const p2a_opnd *o)
{
	const isa_field *f = isa_field_of(c->fmt, arg->slot);
	int k = isa_src_index(arg->slot);
	bool mix = c->info->arg[c->info->ndefs].type == ISA_T_MIX;
	bool half = is_half(arg->type) && c->info->eff & ISA_HALF;

	if (f && (f->kind == K_VGPRH || f->kind == K_SRCH))
		return o->kind != P2A_K_VGPR || o->sel != P2A_OP_SEL ? P2A_ISA_MODIFIER : 0;
	if (mix)
		return k < 0 || o->sel > (P2A_OP_SEL | P2A_OP_HI) ? P2A_ISA_MODIFIER : 0;
	if (is_promoted(c->form) || (!half && arg->type != ISA_T_SW) || o->sel != P2A_OP_SEL)
		return P2A_ISA_MODIFIER;
	return has_slot(c, arg->def ? ISA_SL_OPSELD : ISA_SL_OPSEL0 + (unsigned)k) ? 0 : P2A_ISA_MODIFIER;
}

/* Modifiers of one operand: is there a bit for each, and does the type take it? */
static int
check_mods(const check *c, const isa_arg *arg, const p2a_opnd *o)
{
	int k = isa_src_index(arg->slot);
	unsigned mods = o->mods;
	bool sign;

	if (o->kind == P2A_K_IMM)
		mods &= ~(unsigned)P2A_LIT;
	if (!mods && !o->sel)
		return 0;
	if (arg->slot == ISA_SL_SOFFSET && o->mods == P2A_LIT && isa_field_of(c->fmt, arg->slot)->kind == K_SADDRI)
		return c->i->offset ? P2A_ISA_MODIFIER : 0;
	if (arg->slot == ISA_SL_VADDR && has_slot(c, ISA_SL_OFFEN))
		return mods || o->sel > (P2A_OFFEN | P2A_IDXEN) ? P2A_ISA_MODIFIER : 0;
	if (isa_is_packed(c->fmt))
		return check_packed(c, arg, o);
	if (o->sel && has_slot(c, arg->def ? ISA_SL_BYTED : ISA_SL_BYTE0))
		return o->sel > 3 || mods || arg->type != ISA_T_B8 ? P2A_ISA_MODIFIER : 0;
	if (o->sel && !has_slot(c, ISA_SL_SEL0))
		return check_half(c, arg, o) || (mods && arg->def) ? P2A_ISA_MODIFIER :
		    check_mods(c, arg, &(p2a_opnd){ .kind = o->kind, .mods = o->mods });
	if (k < 0 || arg->def || mods & ~(unsigned)(P2A_NEG | P2A_ABS | P2A_SEXT))
		return P2A_ISA_MODIFIER;
	sign = isa_is_float(arg->type) || arg->type == ISA_T_H2 || arg->type == ISA_T_BF2;
	if (mods & (P2A_NEG | P2A_ABS) && (!sign || mods & P2A_SEXT))
		return P2A_ISA_MODIFIER;
	if (mods & P2A_SEXT && isa_is_float(arg->type))
		return P2A_ISA_MODIFIER;
	if ((mods & P2A_NEG && !has_slot(c, ISA_SL_NEG0 + (unsigned)k)) ||
	    (mods & P2A_ABS && !has_slot(c, ISA_SL_ABS0 + (unsigned)k)))
		return P2A_ISA_MODIFIER;
	if (k > 1 && (mods & P2A_SEXT || o->sel))
		return P2A_ISA_MODIFIER;
	if ((mods & P2A_SEXT && !has_slot(c, ISA_SL_SEXT0 + (unsigned)k)) ||
	    (o->sel && (!has_slot(c, ISA_SL_SEL0 + (unsigned)k) || o->sel > P2A_SEL_WORD1)))
		return P2A_ISA_MODIFIER;
	return 0;
}

/* From gfx11 on a one-dword form keeps a bit of each 16-bit register number for the half. */
static bool
half_unreachable(const check *c, const isa_arg *arg, const p2a_opnd *o)
{
	bool one_dword = c->form ? c->form->enc != P2A_ENC_AUTO && c->form->enc != P2A_ENC_E64 &&
	    !isa_field_of(c->fmt, ISA_SL_OMOD) : c->fmt->fmt == FM_VOP2K;

	return c->t->true16 && one_dword && o->kind == P2A_K_VGPR &&
	       is_half(arg->type) && o->reg >= 128;
}

static int
check_arg(const check *c, int a)
{
	const p2a_opnd *o = &c->i->arg[a];
	isa_bits *b = &c->out->arg[a];
	const isa_field *f;
	isa_arg arg;
	int err;

	isa_arg_here(c->info, c->i, a, &arg);
	f = isa_field_of(c->fmt, arg.slot);
	if (!f)
		return P2A_ISA_NOT_HERE;
	err = isa_to_bits(c->t, &arg, f, o, b);
	if (err)
		return err;
	if (half_unreachable(c, &arg, o))
		return P2A_ISA_REGISTER;
	if (b->has_lit && c->info->arg[a].type == ISA_T_MIX && arg.type == ISA_T_F32)
		return P2A_ISA_CONSTANT;        /* the assembler knows only halves there */
	err = check_literal(c, b);
	if (!err && b->has_lit && arg.type == ISA_T_F64 && o->mods & (P2A_NEG | P2A_ABS))
		return P2A_ISA_MODIFIER;
	return err ? err : check_mods(c, &arg, o);
}

bool
isa_has_modifiers(const p2a_inst *i)
{
	unsigned any = 0;

	for (int a = 0; a < isa_table[i->op].nargs; a++)
		any |= (i->arg[a].mods & ~(unsigned)P2A_LIT) | i->arg[a].sel;
	return any;
}

bool
isa_reads_bus(const isa_arg *arg, const p2a_opnd *o)
{
	if (arg->def || (o->kind != P2A_K_SGPR && o->kind != P2A_K_SREG))
		return false;
	return o->kind == P2A_K_SGPR || o->reg != P2A_NULL;
}

static bool
same_register(const p2a_opnd *a, const p2a_opnd *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->width == b->width;
}

static bool
seen_before(const check *c, int a)
{
	for (int k = 0; k < a; k++)
		if (isa_reads_bus(&c->info->arg[k], &c->i->arg[k]) &&
		    same_register(&c->i->arg[k], &c->i->arg[a]))
			return true;
	return false;
}

static int
check_bus(const check *c)
{
	unsigned limit = c->info->eff & ISA_BUS1 ? 1 : c->t->const_bus;
	unsigned reads = (unsigned)c->out->lit.has + (c->info->eff & ISA_R_VCC ? 1 : 0);

	if (!is_valu(c->info))
		return 0;
	for (int a = 0; a < c->info->nargs; a++) {
		if (!isa_reads_bus(&c->info->arg[a], &c->i->arg[a]) || seen_before(c, a))
			continue;
		reads++;
	}
	return reads > limit ? P2A_ISA_CONST_BUS : 0;
}

static int
check_offset(const check *c, unsigned slot, int32_t v)
{
	const isa_field *f;
	int32_t lo, hi;

	if (!v)
		return 0;
	f = isa_field_of(c->fmt, slot);
	if (!f)
		return P2A_ISA_OFFSET;
	lo = f->kind == K_SIMM ? -(1 << (f->width - 1)) : 0;
	hi = f->kind == K_SIMM ? (1 << (f->width - 1)) - 1 : (1 << f->width) - 1;
	return v < lo || v > hi ? P2A_ISA_OFFSET : 0;
}

/* Plain members: each value must fit the field that the format has for it, or be zero; most are. */
static int
check_members(const check *c)
{
	for (unsigned s = ISA_SL_CLAMP; s <= ISA_SL_TH; s++) {
		uint32_t v = s == ISA_SL_OFFSET || s == ISA_SL_OFFSET1 ? 0 : isa_member(c->i, s);
		const isa_field *f = v ? isa_field_of(c->fmt, s) : NULL;

		if (v >> (f ? f->width : 0))
			return P2A_ISA_MODIFIER;
	}
	if (c->i->op_y || c->i->cpol >> (P2A_TH_SHIFT + 3) || c->i->dpp_flags & ~3u ||
	    c->i->dst_unused > P2A_UNUSED_PRESERVE ||
	    c->i->dst_sel > P2A_SEL_WORD1)
		return P2A_ISA_MODIFIER;
	return 0;
}

/* Result modifiers by what the row computes, and the bit that an atomic's form has taken. */
static int
check_result(const check *c)
{
	const isa_info *info = c->info;

	if (c->i->clamp && !(info->eff & (ISA_FLOAT | ISA_CLAMP)))
		return P2A_ISA_MODIFIER;
	if (c->i->omod && !(info->eff & ISA_FLOAT && (isa_is_float(info->arg[0].type) || info->arg[0].type == ISA_T_S2)))
		return P2A_ISA_MODIFIER;
	return c->i->cpol & isa_rtn_policy(c->fmt, c->i->op) ? P2A_ISA_MODIFIER : 0;
}

static bool
bad_control(const check *c)
{
	if (c->form->enc == P2A_ENC_DPP8 || c->form->enc == P2A_ENC_E64_DPP8)
		return c->i->dpp_flags & 1;
	return c->i->dpp > 0xff && !isa_dpp_of(c->t, c->i->dpp);
}

/* gfx90a and gfx942 give a lane's 64 bits to its row, and have no other control for them. */
static bool
is_wide_dpp(const check *c)
{
	return c->t->align_vgpr_pairs && c->form->enc == P2A_ENC_DPP && c->i->dpp >= 0x150 && c->i->dpp <= 0x15f;
}

/* SDWA and DPP take 32-bit and narrower operands in VGPRs; tied accumulators have no SDWA form, packed
 * results no DPP. */
static int
check_form(const check *c)
{
	const isa_info *info = c->info;

	if (!c->form || (c->form->enc != P2A_ENC_SDWA && !isa_is_dpp(c->form->enc)))
		return 0;
	if (c->form->enc == P2A_ENC_SDWA ? !c->t->sdwa || info->eff & ISA_TIED : !c->t->dpp)
		return P2A_ISA_NOT_HERE;
	if (isa_is_dpp(c->form->enc) && (info->eff & ISA_NODPP ||
	    (c->form->from == FM_VOP3P && info->arg[0].type != ISA_T_F32)))
		return P2A_ISA_NOT_HERE;
	for (int a = 0; a < info->nargs; a++)
		if (info->arg[a].width > 1 && c->fmt->fmt != FM_SDWA1Y && !is_wide_dpp(c))
			return P2A_ISA_NOT_HERE;
	return c->form->enc != P2A_ENC_SDWA && bad_control(c) ? P2A_ISA_MODIFIER : 0;
}

/* Everything but the constant bus. */
static int
check_fields(const check *c)
{
	int err = check_form(c);

	for (int a = 0; !err && a < c->info->nargs; a++)
		err = check_arg(c, a);
	if (err || !isa_has_members(c->i))
		return err;
	err = check_offset(c, ISA_SL_OFFSET, c->i->offset);
	if (!err)
		err = check_offset(c, ISA_SL_OFFSET1, c->i->offset1);
	if (!err)
		err = check_members(c);
	return err ? err : check_result(c);
}

/* One bit says for data and result together which registers they are. */
static int
check_data(const check *c)
{
	const p2a_opnd *first = NULL;
	bool any = false;

	for (int a = 0; a < c->info->nargs; a++)
		any |= c->i->arg[a].kind == P2A_K_AGPR;
	for (int a = 0; any && a < c->info->nargs; a++) {
		if (isa_field_of(c->fmt, c->info->arg[a].slot)->kind != K_VDATA)
			continue;
		if (first && first->kind != c->i->arg[a].kind)
			return P2A_ISA_REGISTER;
		first = &c->i->arg[a];
	}
	return 0;
}

static int
check_format(const check *c)
{
	int err = check_fields(c);

	if (!err)
		err = check_data(c);
	return err ? err : check_bus(c);
}

int
isa_check_half(const p2a_target *t, const p2a_inst *half, isa_choice *out)
{
	return check_fields(&(check){ .t = t, .i = half, .info = &isa_table[half->op], .fmt = out->fmt, .out = out });
}

/* The most telling of the errors of several formats: anything before "not like this". */
static int
worse(int a, int b)
{
	if (!a || a == P2A_ISA_ARGS || a == P2A_ISA_NOT_HERE)
		return b == P2A_ISA_NOT_HERE && a ? a : b;
	return b == P2A_ISA_ARGS || b == P2A_ISA_NOT_HERE ? a : b;
}

/* Tries every line of format fmt; *out is set when one holds the instruction. */
static int
try_format(const p2a_target *t, const p2a_inst *i, unsigned fmt, const isa_form *form,
    isa_choice *out)
{
	int err = 0;

	for (const isa_format *p = isa_formats_of(fmt); p->fmt == fmt; p++) {
		if (!(p->layouts >> t->layout & 1))
			continue;

		check c = { .t = t, .i = i, .info = &isa_table[i->op], .fmt = p, .form = form, .out = out };
		int e;

		out->lit.has = false;
		e = check_format(&c);
		if (!e) {
			out->fmt = p;
			out->form = form;
			return 0;
		}
		err = worse(err, e);
	}
	return err ? err : P2A_ISA_NOT_HERE;
}

static bool
wanted(const isa_form *f, unsigned enc)
{
	if (enc == P2A_ENC_AUTO)
		return f->enc == P2A_ENC_E32 || f->enc == P2A_ENC_E64 || f->enc == P2A_ENC_AUTO;
	return f->enc == enc;
}

int
isa_choose(const p2a_target *t, const p2a_inst *i, isa_choice *out)
{
	int key = isa_cell_key(t, i->op), err = 0;
	const isa_form *forms;
	unsigned fmt;

	if (i->op >= ISA_NOPS)
		return P2A_ISA_UNKNOWN_OP;
	if (key < 0)
		return P2A_ISA_NOT_HERE;
	if (i->nargs != isa_table[i->op].nargs)
		return P2A_ISA_ARGS;
	fmt = isa_key_fmt(key);
	out->opc = isa_key_opc(key);
	forms = isa_forms_of(fmt);
	for (const isa_form *f = forms; f->from == fmt; f++) {
		int e;

		if (!wanted(f, i->enc) || !(f->layouts >> t->layout & 1))
			continue;
		e = try_format(t, i, f->to, f, out);
		if (!e) {
			out->opc += f->base;
			return 0;
		}
		err = worse(err, e);
	}
	if (forms->from == fmt)
		return err ? err : P2A_ISA_NOT_HERE;
	if (i->enc != P2A_ENC_AUTO)
		return P2A_ISA_NOT_HERE;
	return try_format(t, i, fmt, NULL, out);
}

int
p2a_check(const p2a_target *t, const p2a_inst *i)
{
	isa_choice c;

	if (!t || !i)
		return P2A_ISA_ARGS;
	return i->enc == P2A_ENC_DUAL ? isa_dual_check(t, i) : isa_choose(t, i, &c);
}

/* Does some line of format fmt, reached by that form, take operand `arg` of i? */
static bool
format_accepts(const p2a_target *t, const p2a_inst *i, unsigned fmt, const isa_form *form, int arg)
{
	for (const isa_format *p = isa_formats_of(fmt); p->fmt == fmt; p++) {
		if (!(p->layouts >> t->layout & 1))
			continue;

		isa_choice out = { .lit = { false, 0 } };
		check c = { .t = t, .i = i, .info = &isa_table[i->op], .fmt = p, .form = form, .out = &out };

		if (!check_form(&c) && !check_arg(&c, arg))
			return true;
	}
	return false;
}

bool
isa_accepts(const p2a_target *t, unsigned op, unsigned enc, unsigned arg, const p2a_opnd *o)
{
	int key = isa_cell_key(t, op);
	p2a_inst i = { .op = (uint16_t)op, .enc = (uint8_t)enc };
	const isa_form *forms;
	unsigned fmt;

	if (key < 0 || arg >= isa_table[op].nargs)
		return false;
	fmt = isa_key_fmt(key);
	forms = isa_forms_of(fmt);
	i.nargs = isa_table[op].nargs;
	i.arg[arg] = *o;
	for (const isa_form *f = forms; f->from == fmt; f++)
		if (wanted(f, enc) && f->layouts >> t->layout & 1 && format_accepts(t, &i, f->to, f, (int)arg))
			return true;
	if (forms->from == fmt || enc != P2A_ENC_AUTO)
		return false;
	return format_accepts(t, &i, fmt, NULL, (int)arg);
}

const char *
p2a_isa_error_name(int err)
{
	static const char *const name[] = {
		"no error",
		"no such instruction",
		"this chip lacks the instruction, the encoding or the wave size",
		"wrong number or kind of operands, or what is said of them contradicts itself",
		"register out of range, misaligned or of wrong width",
		"constant fits neither inline nor as a literal, or is wider than its operand",
		"too many scalar reads",
		"offset out of range",
		"modifier not encodable here",
		"fewer dwords than the instruction has",
		"syntax error"
	};

	return err > 0 || err < P2A_ISA_SYNTAX ? "unknown error" : name[-err];
}
