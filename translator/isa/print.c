/* print.c -- instruction to text, in LLVM's spelling.
 * Needs check.c's choice for the suffix; prints what it can of an instruction that does not encode.
 * Manuals: "Syntax of AMDGPU instruction operands / modifiers" of LLVM. */
#include "base/base.h"
#include "isa/layout.h"

#include <stdarg.h>

/* p has room for so many characters before its end; n: of the whole text, whatever fits. */
typedef struct text {
	char *p;
	size_t room, n;
} text;

static void
add_char(text *x, char c)
{
	if (x->n < x->room)
		x->p[x->n] = c;
	x->n++;
}

/* Most are so short that calls of memcpy would take longer. */
static void
add_string(text *x, const char *s)
{
	size_t n = x->n, room = x->room;

	for (char *p = x->p; *s; s++, n++)
		if (n < room)
			p[n] = *s;
	x->n = n;
}

static inline void
add_digits(text *x, uint64_t v, unsigned base)
{
	char digits[21], *d = &digits[sizeof digits - 1];

	*d = 0;
	do
		*--d = "0123456789abcdef"[v % base];
	while (v /= base);
	add_string(x, d);
}

static void
add_unsigned(text *x, uint32_t v)
{
	if (v < 10)
		add_char(x, (char)('0' + v));
	else
		add_digits(x, v, 10);
}

static void
add_hex(text *x, uint64_t v)
{
	add_digits(x, v, 16);
}

static void
add_decimal(text *x, int32_t v)
{
	if (v < 0)
		add_char(x, '-');
	add_unsigned(x, v < 0 ? 0 - (uint32_t)v : (uint32_t)v);
}

static void add(text *, const char *, ...) PRINTF(2, 3);

/* Of printf's conversions those without flags that stand in this file: s, d, u, x, llx. */
static void
add(text *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			add_char(x, *fmt);
			continue;
		}
		switch (*++fmt) {
		case 's': add_string(x, va_arg(ap, const char *)); break;
		case 'd': add_decimal(x, va_arg(ap, int)); break;
		case 'u': add_unsigned(x, va_arg(ap, unsigned)); break;
		case 'x': add_hex(x, va_arg(ap, unsigned)); break;
		default: add_hex(x, va_arg(ap, unsigned long long)); fmt += 2; break;
		}
	}
	va_end(ap);
}

static void
add_range(text *x, char prefix, uint32_t reg, unsigned width)
{
	add_char(x, prefix);
	if (width > 1)
		add_char(x, '[');
	add_unsigned(x, reg);
	if (width <= 1)
		return;
	add_char(x, ':');
	add_unsigned(x, reg + width - 1);
	add_char(x, ']');
}

static void
add_sreg(text *x, const p2a_opnd *o)
{
	if (o->reg >= P2A_NSREG) {
		add_char(x, '?');
	} else if (o->reg >= P2A_TTMP0) {
		add_string(x, "ttm");
		add_range(x, 'p', o->reg - P2A_TTMP0, o->width);
	} else {
		add_string(x, isa_sregs[o->reg].name);
	}
}

static void
add_constant(text *x, isa_type type, const p2a_opnd *o)
{
	static const char *const floats[] = {
		"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"
	};
	bool wide = type == ISA_T_F64 || type == ISA_T_B64 || type == ISA_T_I64;
	int code = isa_inline_code(type, o->imm);
	uint32_t lit = 0;

	if (o->mods & P2A_LIT)
		code = -1;
	if (code >= 248)
		add(x, wide ? "0.15915494309189532" : "0.15915494");
	else if (code >= 240)
		add(x, "%s", floats[code - 240]);
	else if (code >= 0)
		add_decimal(x, code <= 192 ? code - 128 : 192 - code);
	else if (!isa_literal_of(type, o->imm, &lit))
		add(x, "0x%llx", (unsigned long long)o->imm);
	else
		add(x, o->mods & P2A_LIT ? "lit(0x%x)" : "0x%x", lit);
}

static void
add_wait(text *x, const p2a_target *t, uint32_t simm)
{
	const char *sep = "";

	for (int k = 0; k < ISA_NCNT; k++) {
		int c = isa_counter_order[k];
		int n = isa_wait_get(t, c, simm);

		if (n < 0 || n == isa_counter[c].max[t->family])
			continue;
		add(x, "%s%s(%d)", sep, isa_counter[c].name, n);
		sep = " ";
	}
	if (!*sep)
		add(x, "0x%x", simm);
}

static void
add_hwreg(text *x, const p2a_target *t, uint32_t simm)
{
	uint32_t id = simm & 63, offset = simm >> 6 & 31, size = (simm >> 11) + 1;
	const char *name = NULL;

	for (size_t k = 0; k < isa_nhwregs; k++)
		if (isa_hwregs[k].number[t->family] == (int)id)
			name = isa_hwregs[k].name;
	if (name)
		add(x, "hwreg(%s", name);
	else
		add(x, "hwreg(%u", id);
	if (offset || size != 32)
		add(x, ", %u, %u", offset, size);
	add(x, ")");
}

/* s_delay_alu: how far back the instructions are that the next one waits for, and one some way on. */
static void
add_delay(text *x, uint32_t simm)
{
	uint32_t first = simm & 15, skip = simm >> 4 & 7, second = simm >> 7 & 15;
	const char *sep = "";

	if (simm >> 11 || first >= ISA_NDELAY || second >= ISA_NDELAY || skip >= ISA_NSKIP) {
		add(x, "0x%x", simm);
		return;
	}
	if (first || !(skip || second)) {
		add(x, "instid0(%s)", isa_delay_name[first]);
		sep = " | ";
	}
	if (skip) {
		add(x, "%sinstskip(%s)", sep, isa_skip_name[skip]);
		sep = " | ";
	}
	if (second)
		add(x, "%sinstid1(%s)", sep, isa_delay_name[second]);
}

static void
add_message(text *x, const p2a_target *t, uint32_t simm)
{
	for (size_t k = 0; k < isa_nmessages; k++)
		if (isa_messages[k].number[t->family] == (int)simm) {
			add(x, "sendmsg(%s)", isa_messages[k].name);
			return;
		}
	add(x, "%u", simm);
}

static void
add_signed(text *x, int32_t v)
{
	add(x, v < 0 ? "-0x%x" : "0x%x", v < 0 ? 0u - (uint32_t)v : (uint32_t)v);
}

static void
add_idx(text *x, uint32_t bits)
{
	const char *sep = "";

	add(x, "gpr_idx(");
	for (unsigned k = 0; k < ISA_NIDX; k++) {
		if (!(bits >> k & 1))
			continue;
		add(x, "%s%s", sep, isa_idx_name[k]);
		sep = ",";
	}
	add(x, ")");
}

static void
add_imm(text *x, const p2a_target *t, unsigned kind, isa_type type, const p2a_opnd *o)
{
	uint32_t low = (uint32_t)o->imm & 0xffff;

	switch (kind) {
	case K_SIMM: case K_UHEX:
		add(x, "0x%x", low);
		break;
	case K_SOFF:
		add_signed(x, (int32_t)o->imm);
		break;
	case K_UDEC:
		add(x, low <= 64 ? "%u" : "0x%x", low);
		break;
	case K_MSG:
		add_message(x, t, low);
		break;
	case K_DELAY:
		add_delay(x, low);
		break;
	case K_REL:
		add(x, "%u", low);
		break;
	case K_WAIT:
		add_wait(x, t, low);
		break;
	case K_HWREG:
		add_hwreg(x, t, low);
		break;
	case K_IDX:
		add_idx(x, low);
		break;
	case K_LIT:
		isa_literal_of(type, o->imm, &low);
		if (!isa_is_float(type) && o->imm >= -16 && o->imm <= 64)
			add(x, "%d", (int)o->imm);
		else
			add(x, "0x%x", low);
		break;
	default:
		add_constant(x, type, o);
	}
}

static void
add_opnd(text *x, const p2a_target *t, unsigned kind, isa_type type, const p2a_opnd *o)
{
	bool neg = o->mods & P2A_NEG, call = neg && o->kind == P2A_K_IMM;

	if (o->mods)
		add(x, "%s%s%s", call ? "neg(" : neg ? "-" : "", o->mods & P2A_ABS ? "|" : "",
	    o->mods & P2A_SEXT ? "sext(" : "");
	switch (o->kind) {
	case P2A_K_SGPR:
		add_range(x, 's', o->reg, o->width);
		break;
	case P2A_K_VGPR:
		add_range(x, 'v', o->reg, o->width);
		if (kind == K_VGPRH || kind == K_SRCH)
			add(x, o->sel & P2A_OP_SEL ? ".h" : ".l");
		break;
	case P2A_K_AGPR:
		add_range(x, 'a', o->reg, o->width);
		break;
	case P2A_K_SREG:
		add_sreg(x, o);
		break;
	case P2A_K_IMM:
		add_imm(x, t, kind, type, o);
		break;
	case P2A_K_OFF:
		add(x, "off");
		break;
	default:
		add(x, "?");
	}
	if (o->mods)
		add(x, "%s%s%s", o->mods & P2A_SEXT ? ")" : "", o->mods & P2A_ABS ? "|" : "",
	    call ? ")" : "");
}

/* A scalar load's offset is an operand of the text: a number, a register, or both. */
static void
add_scalar_offset(text *x, const p2a_inst *i, const p2a_opnd *o, const isa_format *p)
{
	if (o->kind != P2A_K_OFF) {
		add_opnd(x, NULL, K_SGPR, ISA_T_B32, o);
		if (!i->offset && !(o->mods & P2A_LIT) && !(p && isa_field_of(p, ISA_SL_SCOPE)))
			return;
		add(x, " offset:");
	}
	add_signed(x, i->offset);
}

/* Signs of halves stand behind the operands. */
static void
add_arg(text *x, const p2a_target *t, const p2a_inst *i, int a, const isa_format *p)
{
	const isa_field *f = p ? isa_field_of(p, isa_table[i->op].arg[a].slot) : NULL;
	p2a_opnd o = i->arg[a];
	isa_arg arg;

	isa_arg_here(&isa_table[i->op], i, a, &arg);
	if (isa_is_packed(p))
		o.mods &= P2A_LIT;
	add_opnd(x, t, f ? f->kind : K_SRC, arg.type, &o);
}

static void
add_args(text *x, const p2a_target *t, const p2a_inst *i, const isa_format *p)
{
	const isa_info *info = &isa_table[i->op];
	bool first = true;

	for (int a = 0; a < i->nargs && a < info->nargs; a++) {
		const isa_field *f = p ? isa_field_of(p, info->arg[a].slot) : NULL;

		if (f && (f->kind == K_EXEC || f->kind == K_MUTEVCC))
			continue;
		if (!first)
			add_char(x, ',');
		add_char(x, ' ');
		first = false;
		if (info->arg[a].slot == ISA_SL_SOFFSET)
			add_scalar_offset(x, i, &i->arg[a], p);
		else
			add_arg(x, t, i, a, p);
	}
}

static void
add_policy(text *x, const p2a_inst *i, const isa_format *p)
{
	const isa_info *info = &isa_table[i->op];
	uint16_t cpol = i->cpol;
	bool sys = (cpol >> P2A_SCOPE_SHIFT & 3) == 3, named = false;
	unsigned kind = isa_policy_kind(info);

	if (p && info->ndefs)
		cpol |= isa_rtn_policy(p, i->op);
	for (const isa_word *w = isa_words; cpol && w < isa_words + isa_nwords; w++) {
		bool th = w->kind != ISA_WORD_BIT && w->kind != ISA_WORD_SCOPE;

		if (w->kind == ISA_WORD_SCOPE && !named && cpol >> P2A_TH_SHIFT) {
			add(x, " th:0x%x", (unsigned)(cpol >> P2A_TH_SHIFT));
			named = true;
		}
		if (!w->value || (cpol & w->mask) != w->value || (th && w->kind != kind))
			continue;
		if (w->sys != ISA_TH_BOTH && (w->sys == ISA_TH_SYS) != sys)
			continue;
		add(x, w->kind == ISA_WORD_BIT ? " %s" : th ? " th:%s" : " scope:%s", w->name);
		named = named || th;
	}
}

/* The modes of a buffer's address. */
static void
add_modes(text *x, const p2a_inst *i, const isa_format *p)
{
	const isa_info *info = &isa_table[i->op];

	for (int a = 0; a < info->nargs && isa_field_of(p, ISA_SL_OFFEN); a++)
		if (info->arg[a].slot == ISA_SL_VADDR)
			add(x, "%s%s", i->arg[a].sel & P2A_IDXEN ? " idxen" : "", i->arg[a].sel & P2A_OFFEN ? " offen" : "");
}

static void
add_memory(text *x, const p2a_inst *i, const isa_format *p)
{
	bool two = p && isa_field_of(p, ISA_SL_OFFSET1);
	bool scalar = p && isa_field_of(p, ISA_SL_SOFFSET);
	char name[48];

	if (p)
		add_modes(x, i, p);
	if (i->op == OP_ds_swizzle_b32 && isa_swizzle_name((uint32_t)i->offset, name, sizeof name))
		add(x, " offset:swizzle(%s)", name);
	else if (i->offset && !scalar)
		add(x, two ? " offset0:%d" : " offset:%d", (int)i->offset);
	if (i->offset1)
		add(x, " offset1:%d", (int)i->offset1);
	add_policy(x, i, p);
}

static void
add_sdwa(text *x, const p2a_inst *i, const isa_format *p)
{
	if (isa_field_of(p, ISA_SL_DSEL))
		add(x, " dst_sel:%s dst_unused:%s", isa_sel_name[i->dst_sel],
		    isa_unused_name[i->dst_unused]);
	for (int k = 0; k < 2; k++) {
		int a = isa_src_arg(&isa_table[i->op], k);

		if (a >= 0)
			add(x, " src%d_sel:%s", k, isa_sel_name[i->arg[a].sel]);
	}
}

static void
add_dpp8(text *x, const p2a_inst *i)
{
	for (unsigned k = 0; k < 8; k++)
		add(x, "%s%u", k ? "," : " dpp8:[", ((unsigned)i->dpp_mask << 16 | i->dpp) >> 3 * k & 7);
	add(x, "]%s", i->dpp_flags & 2 ? " fi:1" : "");
}

static void
add_dpp(text *x, const p2a_target *t, const p2a_inst *i)
{
	const isa_dpp *d = isa_dpp_of(t, i->dpp);
	unsigned c = i->dpp;

	if (c < 0x100)
		add(x, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
	else
		add(x, d && d->most ? " %s:%u" : " %s", d ? d->name : "?", d ? c - d->control : 0);
	add(x, " row_mask:0x%x bank_mask:0x%x", i->dpp_mask >> 4, i->dpp_mask & 15);
	if (i->dpp_flags & 1)
		add(x, " bound_ctrl:1");
	if (i->dpp_flags & 2)
		add(x, " fi:1");
}

static void
add_result(text *x, const p2a_inst *i)
{
	static const char *const omod[] = { "", " mul:2", " mul:4", " div:2" };

	if (i->clamp)
		add(x, " clamp");
	add_string(x, omod[i->omod & 3]);
}

/* One bit a source, and of op_sel in VOP3 one of the result; nothing where all are as usual. */
static void
add_bits(text *x, const p2a_inst *i, const isa_format *p, const char *name, unsigned first)
{
	const isa_info *info = &isa_table[i->op];
	bool switches = info->nargs > info->ndefs && info->arg[info->ndefs].type == ISA_T_SW;
	unsigned bit[4], n = 0, any = 0;

	for (unsigned s = first; s < first + 3; s++) {
		const isa_field *f = isa_field_of(p, s);
		unsigned mod = 0;
		int k = isa_mod_of(s, &mod), a = isa_src_arg(info, k);
		bool on;

		if (!f || a < 0 || (switches && info->arg[a].type != ISA_T_SW))
			break;
		on = mod >> 8 ? i->arg[a].sel & mod >> 8 : i->arg[a].mods & mod;
		any |= on;
		bit[n++] = on ^ (f->kind == K_NOT);
	}
	if (first == ISA_SL_OPSEL0 && info->ndefs && !switches && isa_field_of(p, ISA_SL_OPSELD))
		any |= bit[n++] = i->arg[0].sel & P2A_OP_SEL;
	for (unsigned k = 0; any && k < n; k++)
		add(x, "%s%s%u%s", k ? "," : name, k ? "" : ":[", bit[k], k + 1 < n ? "" : "]");
}

/* Which byte is converted or written. */
static void
add_byte(text *x, const p2a_inst *i, const isa_format *p)
{
	bool result = isa_field_of(p, ISA_SL_BYTED);
	unsigned byte = result ? i->arg[0].sel : isa_field_of(p, ISA_SL_BYTE0) ? i->arg[1].sel : 0;

	if (byte && p->layouts >> ISA_LAY_G940 & 1)
		add(x, " op_sel:[0,0,%u,%u]", byte & 1, byte >> 1);
	else if (byte)
		add(x, " byte_sel:%u", byte);
}

static void
add_halves(text *x, const p2a_inst *i, const isa_format *p)
{
	if (!p || !isa_has_modifiers(i))
		return;
	add_byte(x, i, p);
	add_bits(x, i, p, " op_sel", ISA_SL_OPSEL0);
	add_bits(x, i, p, " op_sel_hi", ISA_SL_OPHI0);
	if (!isa_is_packed(p))
		return;
	add_bits(x, i, p, " neg_lo", ISA_SL_NEG0);
	add_bits(x, i, p, " neg_hi", ISA_SL_NEGHI0);
}

static void
add_half(text *x, const p2a_target *t, const p2a_inst *pair, unsigned side)
{
	p2a_inst half;

	isa_half(pair, side, &half);
	add(x, "%sv_dual_%s", side ? " :: " : "", p2a_op_name(t, half.op) + 2);
	add_args(x, t, &half, isa_half_format(t, side));
}

/* This and print return what p2a_encode says of it, though they print what they can. */
static int
print_pair(text *x, const p2a_target *t, const p2a_inst *i)
{
	if (!isa_is_pair(t, i)) {
		add_char(x, '?');
	} else {
		add_half(x, t, i, 0);
		add_half(x, t, i, 1);
	}
	return isa_dual_check(t, i);
}

static int
print(text *x, const p2a_target *t, const p2a_inst *i)
{
	static const char *const suffix[] = {
		"", "_e32", "_e64", "_sdwa", "_dpp", "_dpp", "_e64_dpp", "_e64_dpp"
	};
	const char *name = p2a_op_name(t, i->op);
	unsigned enc = i->enc;
	isa_choice c;
	int err;

	c.form = NULL;
	err = isa_choose(t, i, &c);
	if (err)
		c.fmt = isa_any_format(t, i->op, enc);
	else
		enc = c.form ? c.form->enc : P2A_ENC_AUTO;
	if (enc == P2A_ENC_E32 && c.form && (c.form->from == FM_VOP2N || c.form->from == FM_VOP2P))
		enc = P2A_ENC_AUTO;
	add_string(x, name ? name : isa_table[i->op].name);
	add_string(x, suffix[enc < P2A_ENC_DUAL ? enc : 0]);
	add_args(x, t, i, c.fmt);
	add_memory(x, i, c.fmt);
	if (enc != P2A_ENC_SDWA && enc != P2A_ENC_DPP && enc != P2A_ENC_DPP8)
		add_halves(x, i, c.fmt);
	add_result(x, i);
	if (c.form && enc == P2A_ENC_SDWA)
		add_sdwa(x, i, c.fmt);
	if (enc == P2A_ENC_DPP || enc == P2A_ENC_E64_DPP)
		add_dpp(x, t, i);
	else if (isa_is_dpp(enc))
		add_dpp8(x, i);
	return err;
}

/* Returns the length; *err: what p2a_encode says. */
static int
print_to(const p2a_target *t, const p2a_inst *i, char *out, size_t cap, int *err)
{
	text x = { out, cap ? cap - 1 : 0, 0 };

	*err = P2A_ISA_UNKNOWN_OP;
	if (i->enc == P2A_ENC_DUAL)
		*err = print_pair(&x, t, i);
	else if (i->op < ISA_NOPS)
		*err = print(&x, t, i);
	else
		add_char(&x, '?');
	if (cap)
		out[MIN(x.n, x.room)] = 0;
	return (int)x.n;
}

int
isa_print(const p2a_target *t, const p2a_inst *i, char *out, size_t cap)
{
	int err, n = print_to(t, i, out, cap, &err);

	return err ? err : n;
}

int
p2a_print(const p2a_target *t, const p2a_inst *i, char *out, size_t cap)
{
	int err;

	return !t || !i || (!out && cap) ? P2A_ISA_ARGS : print_to(t, i, out, cap, &err);
}
