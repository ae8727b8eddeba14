/* parse.c -- one line of assembly to an instruction.
 * Needs print.c's words; leaves an instruction that p2a_check accepts, or an error and its place.
 * Manuals: "Syntax of AMDGPU instruction operands / modifiers" of LLVM. */
#include "isa/layout.h"

#include <string.h>

typedef struct parser {
	const p2a_target *t;
	const char *s;          /* the rest of the line */
	p2a_inst *i;
} parser;

enum { WORD_MAX = 48 };
typedef char word[WORD_MAX];

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	    c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
skip(parser *p)
{
	while (*p->s == ' ' || *p->s == '\t')
		p->s++;
}

static bool
take(parser *p, char c)
{
	skip(p);
	if (*p->s != c)
		return false;
	p->s++;
	return true;
}

/* Reads a word into w; false (and nothing read) where there is none or it is too long. */
static bool
take_word(parser *p, word w)
{
	size_t n = 0;

	skip(p);
	while (is_word(p->s[n]))
		n++;
	if (!n || n >= WORD_MAX)
		return false;
	memcpy(w, p->s, n);
	w[n] = 0;
	p->s += n;
	return true;
}

/* Takes `text` if the line goes on with it and no longer word. */
static bool
take_text(parser *p, const char *text)
{
	size_t n = strlen(text);

	skip(p);
	if (strncmp(p->s, text, n) || (is_word(p->s[n]) && is_word(text[n - 1])))
		return false;
	p->s += n;
	return true;
}

static int
digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* An unsigned number, decimal or 0x; at most 64 bits. */
static bool
take_number(parser *p, uint64_t *v)
{
	unsigned base = 10;
	const char *start;

	skip(p);
	if (p->s[0] == '0' && p->s[1] == 'x') {
		base = 16;
		p->s += 2;
	}
	for (*v = 0, start = p->s; digit(*p->s) < (int)base; p->s++) {
		uint64_t d = (uint64_t)digit(*p->s);

		if (*v > (UINT64_MAX - d) / base)
			return false;
		*v = *v * base + d;
	}
	return p->s > start && !is_word(*p->s);
}

static bool
take_signed(parser *p, int64_t *v)
{
	bool neg = take(p, '-');
	uint64_t u;

	if (!take_number(p, &u) || u > INT64_MAX)
		return false;
	*v = neg ? -(int64_t)u : (int64_t)u;
	return true;
}

static bool
take_unsigned(parser *p, uint32_t most, uint32_t *v)
{
	uint64_t u;

	if (!take_number(p, &u) || u > most)
		return false;
	*v = (uint32_t)u;
	return true;
}

/* Floats. Only what one division of exact doubles gives right is read: 15 digits, and 1/(2 pi). */

static uint64_t
bits_of_double(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof u);
	return u;
}

/* False where the value is no normal half. */
static bool
half_of(double d, uint16_t *h)
{
	uint64_t u = bits_of_double(d);
	int e = (int)(u >> 52 & 0x7ff) - 1023 + 15;

	*h = (uint16_t)(u >> 63 << 15);
	if (!(u << 1))
		return true;
	if (e < 1 || e > 30 || u & (((uint64_t)1 << 42) - 1))
		return false;
	*h = (uint16_t)(*h | e << 10 | (int)(u >> 42 & 0x3ff));
	return true;
}

static bool
set_float(isa_type type, double d, int64_t *imm)
{
	float f = (float)d;
	uint32_t u;
	uint16_t h;

	switch (type) {
	case ISA_T_F64: case ISA_T_B64: case ISA_T_I64:
		*imm = (int64_t)bits_of_double(d);
		return true;
	case ISA_T_F16: case ISA_T_H2:
		if (!half_of(d, &h))
			return false;
		*imm = h;
		return true;
	case ISA_T_B8: case ISA_T_B32: case ISA_T_F32: case ISA_T_W2: case ISA_T_IU: case ISA_T_S2: case ISA_T_BF2: case ISA_T_BF:
	case ISA_T_SW:
		memcpy(&u, &f, sizeof u);
		*imm = type == ISA_T_BF2 || type == ISA_T_BF ? u >> 16 : u;
		return isa_canon(type, imm);
	default:
		return false;
	}
}

/* Is there a float here: digits, a point? */
static bool
float_ahead(const char *s)
{
	s += *s == '-';
	while (is_digit(*s))
		s++;
	return s[0] == '.' && is_digit(s[1]);
}

static int
take_float(parser *p, isa_type type, int64_t *imm)
{
	bool neg = take(p, '-');
	double v = 0, scale = 1;
	int n = 0;

	if (!neg && (take_text(p, "0.15915494309189532") || take_text(p, "0.15915494")))
		return isa_inline_value(type, 248, imm) ? 0 : P2A_ISA_CONSTANT;
	for (; is_digit(*p->s) && n < 16; n++)
		v = v * 10 + (*p->s++ - '0');
	for (p->s++; is_digit(*p->s) && n < 16; n++) {
		v = v * 10 + (*p->s++ - '0');
		scale *= 10;
	}
	if (is_word(*p->s) || n > 15)
		return P2A_ISA_SYNTAX;
	return set_float(type, neg ? -(v / scale) : v / scale, imm) ? 0 : P2A_ISA_CONSTANT;
}

/* The value that an integer of the text stands for: for a 64-bit operand a number that is no
 * inline constant is the literal's 32 bits. */
static int
int_value(isa_type type, int64_t v, int64_t *imm)
{
	*imm = v;
	if ((type == ISA_T_F64 || type == ISA_T_I64) && v > 64) {
		if (v > UINT32_MAX)
			return P2A_ISA_CONSTANT;
		*imm = isa_literal_value(type, (uint32_t)v);
		return 0;
	}
	return isa_canon(type, imm) ? 0 : P2A_ISA_CONSTANT;
}

static int
take_constant(parser *p, isa_type type, p2a_opnd *o)
{
	bool lit = take_text(p, "lit(");
	int64_t v;
	int err;

	o->kind = P2A_K_IMM;
	skip(p);
	if (float_ahead(p->s))
		err = take_float(p, type, &o->imm);
	else
		err = take_signed(p, &v) ? int_value(type, v, &o->imm) : P2A_ISA_SYNTAX;
	if (err)
		return err;
	if (lit && !take(p, ')'))
		return P2A_ISA_SYNTAX;
	if (lit && isa_inline_code(type, o->imm) >= 0)
		o->mods |= P2A_LIT;
	return 0;
}

/* "s4", "s[4:5]", "v1", "ttmp[2:3]"; false where the line does not begin so. */
static bool
take_range(parser *p, const char *prefix, uint32_t *reg, uint8_t *width)
{
	const char *start = p->s;
	size_t n = strlen(prefix);
	uint32_t last;

	if (strncmp(p->s, prefix, n) || (!is_digit(p->s[n]) && p->s[n] != '['))
		return false;
	p->s += n;
	*width = 1;
	if (*p->s != '[') {
		if (take_unsigned(p, 511, reg))
			return true;
		p->s = start;
		return false;
	}
	p->s++;
	if (!take_unsigned(p, 511, reg))
		return false;
	last = *reg;
	if (take(p, ':') && !take_unsigned(p, 511, &last))
		return false;
	if (!take(p, ']') || last < *reg || last - *reg > 31)
		return false;
	*width = (uint8_t)(last - *reg + 1);
	return true;
}

static bool
take_named(parser *p, unsigned width, p2a_opnd *o)
{
	word w;

	if (!take_word(p, w))
		return false;
	if (!strcmp(w, "off")) {
		o->kind = P2A_K_OFF;
		return true;
	}
	for (uint32_t r = 0; r < P2A_TTMP0; r++) {
		if (strcmp(w, isa_sregs[r].name))
			continue;
		*o = (p2a_opnd){ .kind = P2A_K_SREG, .width = isa_sregs[r].width, .reg = r };
		if (!o->width)
			o->width = (uint8_t)width;
		return true;
	}
	return false;
}

static int
take_register(parser *p, unsigned width, p2a_opnd *o)
{
	skip(p);
	if (take_range(p, "v", &o->reg, &o->width)) {
		o->kind = P2A_K_VGPR;
		return 0;
	}
	if (take_range(p, "a", &o->reg, &o->width)) {
		o->kind = P2A_K_AGPR;
		return 0;
	}
	if (take_range(p, "s", &o->reg, &o->width)) {
		o->kind = P2A_K_SGPR;
		return 0;
	}
	if (take_range(p, "ttmp", &o->reg, &o->width)) {
		o->kind = P2A_K_SREG;
		o->reg += P2A_TTMP0;
		return 0;
	}
	return take_named(p, width, o) ? 0 : P2A_ISA_SYNTAX;
}

/* v1.l, v1.h. */
static int
take_which(parser *p, unsigned kind, p2a_opnd *o)
{
	if ((kind != K_VGPRH && kind != K_SRCH) || o->kind != P2A_K_VGPR)
		return 0;
	o->sel = !strncmp(p->s, ".h", 2) ? P2A_OP_SEL : 0;
	if ((!o->sel && strncmp(p->s, ".l", 2)) || is_word(p->s[2]))
		return P2A_ISA_SYNTAX;
	p->s += 2;
	return 0;
}

static bool
number_ahead(const char *s)
{
	if (!strncmp(s, "lit(", 4))
		return true;
	s += *s == '-';
	return is_digit(s[0]) || (s[0] == '.' && is_digit(s[1]));
}

/* -x, |x|, -|x|, neg(x), abs(x), sext(x) around a register or constant. */
static int
take_operand(parser *p, isa_type type, unsigned width, p2a_opnd *o)
{
	uint8_t mods = 0;
	int err, closing = 0;
	bool bar;

	skip(p);
	if (take_text(p, "neg(")) {
		mods |= P2A_NEG;
		closing++;
	} else if (!number_ahead(p->s) && take(p, '-')) {
		mods |= P2A_NEG;
	}
	bar = take(p, '|');
	if (!bar && take_text(p, "abs(")) {
		mods |= P2A_ABS;
		closing++;
	}
	if (take_text(p, "sext(")) {
		mods |= P2A_SEXT;
		closing++;
	}
	skip(p);
	err = number_ahead(p->s) ? take_constant(p, type, o) : take_register(p, width, o);
	if (err)
		return err;
	o->mods |= (uint8_t)(mods | (bar ? P2A_ABS : 0));
	if (bar && !take(p, '|'))
		return P2A_ISA_SYNTAX;
	for (; closing; closing--)
		if (!take(p, ')'))
			return P2A_ISA_SYNTAX;
	if (o->kind == P2A_K_IMM)
		o->width = (uint8_t)width;
	return 0;
}

/* vmcnt(0) expcnt(1) & lgkmcnt(2), or a number. */
static int
take_wait(parser *p, p2a_opnd *o)
{
	uint32_t simm = isa_wait_mask(p->t), n = 0;
	bool any = false;

	skip(p);
	if (is_digit(*p->s))
		return take_unsigned(p, 0xffff, &n) ? (void)(o->imm = n), 0 : P2A_ISA_SYNTAX;
	while (*p->s) {
		int c;

		for (c = 0; c < ISA_NCNT; c++)
			if (take_text(p, isa_counter[c].name))
				break;
		if (c == ISA_NCNT || !take(p, '(') || !take_unsigned(p, 255, &n) || !take(p, ')'))
			return P2A_ISA_SYNTAX;
		if (!isa_wait_set(p->t, c, n, &simm))
			return P2A_ISA_CONSTANT;
		any = true;
		take(p, '&');
		skip(p);
	}
	o->imm = simm;
	return any ? 0 : P2A_ISA_SYNTAX;
}

/* hwreg(name or number[, offset, size]), or a number. */
static int
take_hwreg(parser *p, p2a_opnd *o)
{
	uint32_t id = 0, offset = 0, size = 32;
	word w;

	skip(p);
	if (is_digit(*p->s))
		return take_unsigned(p, 0xffff, &id) ? (void)(o->imm = id), 0 : P2A_ISA_SYNTAX;
	if (!take_text(p, "hwreg("))
		return P2A_ISA_SYNTAX;
	skip(p);
	if (is_digit(*p->s)) {
		if (!take_unsigned(p, 63, &id))
			return P2A_ISA_SYNTAX;
	} else {
		size_t k = 0;

		if (!take_word(p, w))
			return P2A_ISA_SYNTAX;
		while (k < isa_nhwregs && (strcmp(w, isa_hwregs[k].name) ||
		    isa_hwregs[k].number[p->t->family] < 0))
			k++;
		if (k == isa_nhwregs)
			return P2A_ISA_SYNTAX;
		id = (uint32_t)isa_hwregs[k].number[p->t->family];
	}
	if (take(p, ',') && (!take_unsigned(p, 31, &offset) || !take(p, ',') ||
	    !take_unsigned(p, 32, &size) || !size))
		return P2A_ISA_SYNTAX;
	o->imm = (int64_t)(id | offset << 6 | (size - 1) << 11);
	return take(p, ')') ? 0 : P2A_ISA_SYNTAX;
}

/* gpr_idx(SRC0,DST), or a number. */
static int
take_idx(parser *p, p2a_opnd *o)
{
	uint32_t n = 0;

	skip(p);
	if (is_digit(*p->s))
		return take_unsigned(p, 15, &n) ? (void)(o->imm = n), 0 : P2A_ISA_SYNTAX;
	if (!take_text(p, "gpr_idx("))
		return P2A_ISA_SYNTAX;
	while (!take(p, ')')) {
		unsigned k = 0;

		while (k < ISA_NIDX && !take_text(p, isa_idx_name[k]))
			k++;
		if (k == ISA_NIDX)
			return P2A_ISA_SYNTAX;
		o->imm |= 1 << k;
		take(p, ',');
	}
	return 0;
}

static int
take_simm(parser *p, unsigned kind, p2a_opnd *o)
{
	int64_t v;

	if (!take_signed(p, &v))
		return P2A_ISA_SYNTAX;
	o->imm = v;
	if (kind == K_SOFF)
		return 0;
	if (v < -0x8000 || v > 0xffff)
		return P2A_ISA_CONSTANT;
	o->imm = v & 0xffff;
	if (kind == K_SIMM || kind == K_REL)
		o->imm = (o->imm ^ 0x8000) - 0x8000;
	return 0;
}

/* One of the words in brackets. */
static bool
take_name(parser *p, const char *const *name, unsigned n, uint32_t *v)
{
	if (!take(p, '('))
		return false;
	for (*v = 0; *v < n && !take_text(p, name[*v]); ++*v)
		;
	return *v < n && take(p, ')');
}

/* instid0(..) | instskip(..) | instid1(..), or a number. */
static int
take_delay(parser *p, p2a_opnd *o)
{
	static const struct { const char *text, *const *name; uint8_t n, at; } part[] = {
		{ "instid0", isa_delay_name, ISA_NDELAY, 0 }, { "instskip", isa_skip_name, ISA_NSKIP, 4 },
		{ "instid1", isa_delay_name, ISA_NDELAY, 7 }
	};
	uint32_t n = 0;

	skip(p);
	if (is_digit(*p->s))
		return take_unsigned(p, 0xffff, &n) ? (void)(o->imm = n), 0 : P2A_ISA_SYNTAX;
	do {
		unsigned k = 0;

		while (k < 3 && !take_text(p, part[k].text))
			k++;
		if (k == 3 || !take_name(p, part[k].name, part[k].n, &n))
			return P2A_ISA_SYNTAX;
		o->imm |= n << part[k].at;
	} while (take(p, '|'));
	return 0;
}

/* sendmsg(name), or a number. */
static int
take_message(parser *p, p2a_opnd *o)
{
	word w;

	if (!take_text(p, "sendmsg("))
		return take_simm(p, K_MSG, o);
	if (!take_word(p, w))
		return P2A_ISA_SYNTAX;
	for (size_t k = 0; k < isa_nmessages; k++)
		if (!strcmp(w, isa_messages[k].name) && isa_messages[k].number[p->t->family] >= 0) {
			o->imm = isa_messages[k].number[p->t->family];
			return take(p, ')') ? 0 : P2A_ISA_SYNTAX;
		}
	return P2A_ISA_SYNTAX;
}

/* A scalar load's offset: a number goes to i->offset and leaves "off", as null does. */
static int
take_scalar_offset(parser *p, p2a_opnd *o)
{
	int64_t v;

	skip(p);
	if (take_text(p, "null")) {
		o->kind = P2A_K_OFF;
		return 0;
	}
	if (!number_ahead(p->s))
		return take_operand(p, ISA_T_B32, 1, o);
	if (!take_signed(p, &v))
		return P2A_ISA_SYNTAX;
	if (v < INT32_MIN || v > INT32_MAX)
		return P2A_ISA_OFFSET;
	o->kind = P2A_K_OFF;
	p->i->offset = (int32_t)v;
	return 0;
}

static int
take_arg(parser *p, const isa_arg *arg, unsigned kind, p2a_opnd *o)
{
	int err;

	switch (kind) {
	case K_WAIT:
		o->kind = P2A_K_IMM;
		return take_wait(p, o);
	case K_HWREG:
		o->kind = P2A_K_IMM;
		return take_hwreg(p, o);
	case K_IDX:
		o->kind = P2A_K_IMM;
		return take_idx(p, o);
	case K_DELAY:
		o->kind = P2A_K_IMM;
		return take_delay(p, o);
	case K_MSG:
		o->kind = P2A_K_IMM;
		return take_message(p, o);
	case K_SIMM: case K_SOFF: case K_UHEX: case K_UDEC: case K_REL:
		o->kind = P2A_K_IMM;
		return take_simm(p, kind, o);
	}
	if (arg->slot == ISA_SL_SOFFSET)
		return take_scalar_offset(p, o);
	err = take_operand(p, arg->type == ISA_T_MIX ? ISA_T_F32 : arg->type, isa_width(p->t, arg), o);
	return err ? err : take_which(p, kind, o);
}

static p2a_opnd
implied(const p2a_target *t, uint32_t pair)
{
	bool half = t->wave == 32;

	return (p2a_opnd){ .kind = P2A_K_SREG, .width = half ? 1 : 2, .reg = pair + half };
}

static int
take_args(parser *p, const isa_info *info, const isa_format *fmt)
{
	bool first = true;

	p->i->nargs = info->nargs;
	for (int a = 0; a < info->nargs; a++) {
		const isa_field *f = isa_field_of(fmt, info->arg[a].slot);
		int err;

		if (f && (f->kind == K_EXEC || f->kind == K_MUTEVCC)) {
			p->i->arg[a] = implied(p->t, f->kind == K_EXEC ? P2A_EXEC : P2A_VCC);
			continue;
		}
		if (!first && !take(p, ','))
			return P2A_ISA_SYNTAX;
		first = false;
		err = take_arg(p, &info->arg[a], f ? f->kind : K_SRC, &p->i->arg[a]);
		if (err)
			return err;
	}
	return 0;
}

/* Modifiers: each function takes its own or says that it is another's. */
enum { NOT_MINE = 1 };

/* An offset of 0 that is written beside a register is another encoding on gfx9. */
static void
mark_offset(parser *p, bool zero)
{
	const isa_info *info = &isa_table[p->i->op];

	for (int a = 0; a < info->nargs && zero && p->t->family == ISA_GFX9; a++)
		if (info->arg[a].slot == ISA_SL_SOFFSET && p->i->arg[a].kind != P2A_K_OFF)
			p->i->arg[a].mods |= P2A_LIT;
}

static int
take_offset(parser *p)
{
	static const char *const name[] = { "offset:", "offset0:", "offset1:" };

	for (int k = 0; k < 3; k++) {
		uint32_t swizzle;
		int64_t v;

		if (!take_text(p, name[k]))
			continue;
		if (p->i->op == OP_ds_swizzle_b32 && take_text(p, "swizzle(")) {
			if (!isa_swizzle_offset(&p->s, &swizzle) || !take(p, ')'))
				return P2A_ISA_SYNTAX;
			p->i->offset = (int32_t)swizzle;
			return 0;
		}
		if (!take_signed(p, &v))
			return P2A_ISA_SYNTAX;
		if (v < INT32_MIN || v > INT32_MAX)
			return P2A_ISA_OFFSET;
		*(k == 2 ? &p->i->offset1 : &p->i->offset) = (int32_t)v;
		mark_offset(p, !v);
		return 0;
	}
	return NOT_MINE;
}

static int
take_mode(parser *p)
{
	const isa_info *info = &isa_table[p->i->op];
	const isa_format *fmt = isa_any_format(p->t, p->i->op, p->i->enc);
	uint8_t mode;

	if (!fmt || !isa_field_of(fmt, ISA_SL_OFFEN))
		return NOT_MINE;
	mode = take_text(p, "offen") ? P2A_OFFEN : take_text(p, "idxen") ? P2A_IDXEN : 0;
	for (int a = 0; a < info->nargs; a++)
		if (info->arg[a].slot == ISA_SL_VADDR)
			p->i->arg[a].sel |= mode;
	return mode ? 0 : NOT_MINE;
}

static int
take_policy(parser *p)
{
	bool th = take_text(p, "th:"), scope = !th && take_text(p, "scope:");
	uint32_t v;

	skip(p);
	if (th && is_digit(*p->s)) {
		if (!take_unsigned(p, 7, &v))
			return P2A_ISA_SYNTAX;
		p->i->cpol |= (uint16_t)(v << P2A_TH_SHIFT);
		return 0;
	}
	for (const isa_word *w = isa_words; w < isa_words + isa_nwords; w++) {
		bool is_th = w->kind != ISA_WORD_BIT && w->kind != ISA_WORD_SCOPE;

		if (is_th != th || (w->kind == ISA_WORD_SCOPE) != scope || !take_text(p, w->name))
			continue;
		p->i->cpol |= w->value;
		return 0;
	}
	return th || scope ? P2A_ISA_SYNTAX : NOT_MINE;
}

static int
take_result(parser *p)
{
	static const char *const omod[] = { "mul:2", "mul:4", "div:2" };

	if (take_text(p, "clamp")) {
		p->i->clamp = 1;
		return 0;
	}
	for (uint8_t k = 0; k < 3; k++) {
		if (!take_text(p, omod[k]))
			continue;
		p->i->omod = (uint8_t)(k + 1);
		return 0;
	}
	return NOT_MINE;
}

static int
take_choice(parser *p, const char *const *name, size_t n, uint8_t *v)
{
	for (size_t k = 0; k < n; k++) {
		if (!take_text(p, name[k]))
			continue;
		*v = (uint8_t)k;
		return 0;
	}
	return P2A_ISA_SYNTAX;
}

static int
take_sdwa(parser *p)
{
	static const char *const src[] = { "src0_sel:", "src1_sel:" };

	if (take_text(p, "dst_sel:"))
		return take_choice(p, isa_sel_name, ISA_NSEL, &p->i->dst_sel);
	if (take_text(p, "dst_unused:"))
		return take_choice(p, isa_unused_name, ISA_NUNUSED, &p->i->dst_unused);
	for (int k = 0; k < 2; k++) {
		int a = isa_src_arg(&isa_table[p->i->op], k);

		if (a >= 0 && take_text(p, src[k]))
			return take_choice(p, isa_sel_name, ISA_NSEL, &p->i->arg[a].sel);
	}
	return NOT_MINE;
}

static int
take_quad_perm(parser *p)
{
	uint32_t control = 0, v;

	for (int k = 0; k < 4; k++) {
		if (!take(p, k ? ',' : '[') || !take_unsigned(p, 3, &v))
			return P2A_ISA_SYNTAX;
		control |= v << (2 * k);
	}
	p->i->dpp = (uint16_t)control;
	return take(p, ']') ? 0 : P2A_ISA_SYNTAX;
}

static int
take_dpp8(parser *p)
{
	uint32_t all = 0, v;

	for (int k = 0; k < 8; k++) {
		if (!take(p, k ? ',' : '[') || !take_unsigned(p, 7, &v))
			return P2A_ISA_SYNTAX;
		all |= v << 3 * k;
	}
	p->i->dpp = (uint16_t)all;
	p->i->dpp_mask = (uint8_t)(all >> 16);
	return take(p, ']') ? 0 : P2A_ISA_SYNTAX;
}

static int
take_dpp_mask(parser *p)
{
	uint32_t v;

	if (take_text(p, "row_mask:")) {
		if (!take_unsigned(p, 15, &v))
			return P2A_ISA_SYNTAX;
		p->i->dpp_mask = (uint8_t)((p->i->dpp_mask & 15) | v << 4);
		return 0;
	}
	if (take_text(p, "bank_mask:")) {
		if (!take_unsigned(p, 15, &v))
			return P2A_ISA_SYNTAX;
		p->i->dpp_mask = (uint8_t)((p->i->dpp_mask & 0xf0) | v);
		return 0;
	}
	if (take_text(p, "bound_ctrl:0") || take_text(p, "bound_ctrl:1")) {
		p->i->dpp_flags |= 1;
		return 0;
	}
	if (take_text(p, "fi:1")) {
		p->i->dpp_flags |= 2;
		return 0;
	}
	return NOT_MINE;
}

static int
take_dpp(parser *p)
{
	if (p->i->enc == P2A_ENC_DPP8 || p->i->enc == P2A_ENC_E64_DPP8) {
		if (take_text(p, "dpp8:"))
			return take_dpp8(p);
		if (!take_text(p, "fi:1"))
			return NOT_MINE;
		p->i->dpp_flags |= 2;
		return 0;
	}
	if (take_text(p, "quad_perm:"))
		return take_quad_perm(p);
	for (const isa_dpp *d = isa_dpps; d < isa_dpps + isa_ndpps; d++) {
		uint32_t v = 0;

		if (!(d->layouts >> p->t->layout & 1) || !take_text(p, d->name))
			continue;
		if (d->most && (!take(p, ':') || !take_unsigned(p, d->most, &v) || v < d->least))
			return P2A_ISA_SYNTAX;
		p->i->dpp = (uint16_t)(d->control + v);
		return 0;
	}
	return take_dpp_mask(p);
}

/* The bit for element k of a list: of the source, or behind them of the result. */
static int
set_half(p2a_inst *i, const isa_format *fmt, unsigned first, unsigned k, uint32_t v)
{
	const isa_info *info = &isa_table[i->op];
	const isa_field *f = k < 3 ? isa_field_of(fmt, first + k) : NULL;
	unsigned mod = 0;
	int a = f ? isa_src_arg(info, isa_mod_of(first + k, &mod)) : -1;

	if (a < 0) {
		if (!v)
			return 0;
		i->arg[0].sel = P2A_OP_SEL;
		return info->ndefs && first == ISA_SL_OPSEL0 && isa_src_arg(info, (int)k - 1) >= 0 ? 0 : P2A_ISA_MODIFIER;
	}
	if (v == (f->kind == K_NOT))
		return 0;
	if (mod >> 8)
		i->arg[a].sel |= (uint8_t)(mod >> 8);
	else
		i->arg[a].mods |= (uint8_t)mod;
	return 0;
}

/* byte_sel:N, or the bytes of a result on gfx942: op_sel:[0,0,a,b]. */
static int
take_byte(parser *p, const isa_format *fmt)
{
	unsigned result = isa_field_of(fmt, ISA_SL_BYTED) != NULL;
	uint32_t v, bits = 0;

	if (take_text(p, "byte_sel:")) {
		if (!take_unsigned(p, 3, &v))
			return P2A_ISA_SYNTAX;
		p->i->arg[!result].sel = (uint8_t)v;
		return 0;
	}
	if (!result || !take_text(p, "op_sel:"))
		return NOT_MINE;
	for (unsigned k = 0; k < 4 && take(p, k ? ',' : '['); k++) {
		if (!take_unsigned(p, 1, &v))
			return P2A_ISA_SYNTAX;
		bits |= v << k;
	}
	p->i->arg[0].sel = (uint8_t)(bits >> 2);
	return bits & 3 ? P2A_ISA_MODIFIER : take(p, ']') ? 0 : P2A_ISA_SYNTAX;
}

static int
take_halves(parser *p)
{
	static const struct { const char *name; uint8_t first; } list[] = {
		{ "op_sel:", ISA_SL_OPSEL0 }, { "op_sel_hi:", ISA_SL_OPHI0 },
		{ "neg_lo:", ISA_SL_NEG0 }, { "neg_hi:", ISA_SL_NEGHI0 }
	};
	const isa_format *fmt = isa_any_format(p->t, p->i->op, p->i->enc);

	if (fmt && (isa_field_of(fmt, ISA_SL_BYTE0) || isa_field_of(fmt, ISA_SL_BYTED))) {
		int err = take_byte(p, fmt);

		if (err != NOT_MINE)
			return err;
	}
	for (size_t n = 0; n < sizeof list / sizeof *list; n++) {
		uint32_t v;
		int err = 0;

		if (!take_text(p, list[n].name))
			continue;
		if (!fmt || !isa_field_of(fmt, list[n].first))
			return P2A_ISA_MODIFIER;
		for (unsigned k = 0; !err && k < 4 && take(p, k ? ',' : '['); k++)
			err = take_unsigned(p, 1, &v) ? set_half(p->i, fmt, list[n].first, k, v) : P2A_ISA_SYNTAX;
		return err ? err : take(p, ']') ? 0 : P2A_ISA_SYNTAX;
	}
	return NOT_MINE;
}

static int
take_modifiers(parser *p)
{
	static int (*const takers[])(parser *) = {
		take_offset, take_mode, take_policy, take_result, take_sdwa, take_dpp, take_halves
	};

	for (;;) {
		int err = NOT_MINE;

		skip(p);
		if (!*p->s || *p->s == '\n' || *p->s == ';')
			return 0;
		for (size_t k = 0; err == NOT_MINE && k < sizeof takers / sizeof *takers; k++)
			err = takers[k](p);
		if (err)
			return err == NOT_MINE ? P2A_ISA_SYNTAX : err;
	}
}

/* A returning atomic writes its policy bit in the text; the row implies it. */
static int
settle_policy(const p2a_target *t, p2a_inst *i)
{
	const isa_format *fmt = isa_any_format(t, i->op, i->enc);
	uint16_t bit = fmt ? isa_rtn_policy(fmt, i->op) : 0;

	if (!bit || !isa_table[i->op].ndefs)
		return 0;
	if (!(i->cpol & bit))
		return P2A_ISA_MODIFIER;
	i->cpol &= (uint16_t)~bit;
	return 0;
}

static int
parse_as(parser *p, unsigned op, unsigned enc)
{
	const isa_format *fmt = isa_any_format(p->t, op, enc);
	int err;

	*p->i = (p2a_inst){ .op = (uint16_t)op, .enc = (uint8_t)enc };
	if (!fmt)
		return P2A_ISA_NOT_HERE;
	if (enc == P2A_ENC_DPP || enc == P2A_ENC_E64_DPP)
		p->i->dpp_mask = 0xff;
	err = take_args(p, &isa_table[op], fmt);
	if (!err)
		err = take_modifiers(p);
	if (!err)
		err = settle_policy(p->t, p->i);
	isa_settle_mix(p->i);
	return err ? err : p2a_check(p->t, p->i);
}

/* Rows share a name where only the number of operands tells them apart: the first that reads
 * well counts. */
static int
parse_named(parser *p, const char *name, unsigned enc)
{
	parser start = *p, far = *p;
	int err = P2A_ISA_UNKNOWN_OP;

	for (unsigned op = 0; op < ISA_NOPS; op++) {
		const char *s = p2a_op_name(p->t, op);
		int e;

		if (!s || strcmp(s, name))
			continue;
		*p = start;
		e = parse_as(p, op, enc);
		if (!e)
			return 0;
		if (err == P2A_ISA_UNKNOWN_OP || e != P2A_ISA_SYNTAX) {
			err = e;
			far = *p;
		}
	}
	*p = far;
	return err;
}

/* "dual_mov_b32 v0, v1" behind the "v_": one half of a pair. */
static int
parse_half(parser *p, unsigned side, p2a_inst *half)
{
	static const char prefix[] = "v_dual_";
	parser q = { p->t, p->s, half };
	word name;
	int op, err;

	if (!take_word(&q, name) || strncmp(name, prefix, sizeof prefix - 1))
		return P2A_ISA_SYNTAX;
	memmove(name + 2, name + sizeof prefix - 1, strlen(name) - sizeof prefix + 2);
	op = p2a_op_find(p->t, name);
	if (op < 0 || strcmp(p2a_op_name(p->t, (unsigned)op), name))
		return P2A_ISA_UNKNOWN_OP;
	if (!isa_can_dual(p->t, (unsigned)op, side))
		return P2A_ISA_NOT_HERE;
	*half = (p2a_inst){ .op = (uint16_t)op };
	err = take_args(&q, &isa_table[op], isa_half_format(p->t, side));
	p->s = q.s;
	return err;
}

static int
parse_pair(parser *p)
{
	p2a_inst x, y;
	int err = parse_half(p, 0, &x);

	if (!err && (!take(p, ':') || *p->s != ':' || !take(p, ':')))
		err = P2A_ISA_SYNTAX;
	if (!err)
		err = parse_half(p, 1, &y);
	if (err)
		return err;
	isa_pair(&x, &y, p->i);
	err = take_modifiers(p);
	return err ? err : p2a_check(p->t, p->i);
}

/* The suffix is one for DPP and DPP8. */
static bool
has_dpp8(const char *s)
{
	const char *found = strstr(s, "dpp8:");

	return found && found < s + strcspn(s, "\n;");
}

static int
parse_line(parser *p)
{
	static const struct { const char *text; uint8_t enc; } suffix[] = {
		{ "_e32", P2A_ENC_E32 }, { "_e64", P2A_ENC_E64 },
		{ "_sdwa", P2A_ENC_SDWA }, { "_e64_dpp", P2A_ENC_E64_DPP }, { "_dpp", P2A_ENC_DPP }
	};
	word name;
	size_t n;
	int err;

	skip(p);
	if (!strncmp(p->s, "v_dual_", 7))
		return parse_pair(p);
	if (!take_word(p, name))
		return P2A_ISA_SYNTAX;
	n = strlen(name);
	err = parse_named(p, name, P2A_ENC_AUTO);
	for (size_t k = 0; err == P2A_ISA_UNKNOWN_OP && k < sizeof suffix / sizeof *suffix; k++) {
		size_t len = strlen(suffix[k].text);

		if (n <= len || strcmp(name + n - len, suffix[k].text))
			continue;
		name[n - len] = 0;
		return parse_named(p, name, isa_is_dpp(suffix[k].enc) && has_dpp8(p->s) ?
		    suffix[k].enc + P2A_ENC_DPP8 - P2A_ENC_DPP : suffix[k].enc);
	}
	return err;
}

int
p2a_parse(const p2a_target *t, const char *text, p2a_inst *i, size_t *where)
{
	parser p = { t, text, i };
	int err;

	if (!t || !text || !i)
		return P2A_ISA_ARGS;
	err = parse_line(&p);
	if (where)
		*where = (size_t)(p.s - text);
	return err;
}
