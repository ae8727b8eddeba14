/* decode.c -- dwords to instruction.
 * Needs the tables; leaves the canonical instruction that encodes to the same dwords, or an error.
 * Manuals: "Microcode Formats" of AMD's ISA documents. */
#include "isa/layout.h"

#include <string.h>

static uint32_t
sel_of(uint32_t code)
{
	return (code + 1) % 7;
}

static bool
matches(const p2a_target *t, const isa_format *p, const uint32_t *w, size_t n)
{
	if (!(p->layouts >> t->layout & 1) || (w[0] & p->mask) != p->value)
		return false;
	if (n < p->dwords)
		return true;
	for (const isa_field *f = p->f; f->slot; f++)
		if (f->slot == ISA_SL_CONST && isa_get(w, f->lo, f->width) != f->kind)
			return false;
	return true;
}

static void
set_member(p2a_inst *i, unsigned slot, uint32_t v)
{
	switch (slot) {
	case ISA_SL_CLAMP:
		i->clamp = (uint8_t)v;
		break;
	case ISA_SL_OMOD:
		i->omod = (uint8_t)v;
		break;
	case ISA_SL_DSEL:
		i->dst_sel = (uint8_t)sel_of(v);
		break;
	case ISA_SL_DUNUSED:
		i->dst_unused = (uint8_t)v;
		break;
	case ISA_SL_DPP:
		i->dpp = (uint16_t)v;
		break;
	case ISA_SL_DPPMASK:
		i->dpp_mask = (uint8_t)v;
		break;
	case ISA_SL_BOUND:
		i->dpp_flags |= (uint8_t)v;
		break;
	case ISA_SL_FI:
		i->dpp_flags |= (uint8_t)(v << 1);
		break;
	case ISA_SL_SCOPE:
		i->cpol |= (uint16_t)(v << P2A_SCOPE_SHIFT);
		break;
	case ISA_SL_TH:
		i->cpol |= (uint16_t)(v << P2A_TH_SHIFT);
		break;
	case ISA_SL_GLC: case ISA_SL_SLC: case ISA_SL_DLC:
	case ISA_SL_SC0: case ISA_SL_SC1: case ISA_SL_NT:
		i->cpol |= (uint16_t)(v << (slot - ISA_SL_GLC));
		break;
	}
}

static int32_t
offset_value(const isa_field *f, uint32_t v)
{
	uint32_t sign = (uint32_t)1 << (f->width - 1);

	return f->kind == K_SIMM ? (int32_t)(v ^ sign) - (int32_t)sign : (int32_t)v;
}

static void
set_address_mode(p2a_inst *i, unsigned slot)
{
	const isa_info *info = &isa_table[i->op];

	for (int a = 0; a < info->nargs; a++)
		if (info->arg[a].slot == ISA_SL_VADDR)
			i->arg[a].sel |= slot == ISA_SL_OFFEN ? P2A_OFFEN : P2A_IDXEN;
}

/* A buffer's address is as wide as its modes say; without any it is off. */
static void
settle_address(p2a_inst *i, const isa_format *p)
{
	const isa_info *info = &isa_table[i->op];

	for (int a = 0; a < info->nargs && isa_field_of(p, ISA_SL_OFFEN); a++) {
		if (info->arg[a].slot != ISA_SL_VADDR)
			continue;
		if (i->arg[a].sel)
			i->arg[a].width = i->arg[a].sel == (P2A_OFFEN | P2A_IDXEN) ? 2 : 1;
		else
			i->arg[a] = (p2a_opnd){ .kind = P2A_K_OFF };
	}
}

/* gfx9 has two ways to say a register and no offset. */
static void
settle_scalar_offset(p2a_inst *i, const isa_format *p)
{
	const isa_info *info = &isa_table[i->op];
	const isa_field *f = isa_field_of(p, ISA_SL_SOFFSET);

	for (int a = 0; a < info->nargs && f; a++)
		if (info->arg[a].slot == ISA_SL_SOFFSET && f->kind == K_SADDRI && !i->offset)
			i->arg[a].mods = P2A_LIT;
}

static void
set_source_mod(p2a_inst *i, unsigned slot, uint32_t v)
{
	unsigned mod = 0;
	int k = isa_mod_of(slot, &mod), a = k < 0 ? -1 : isa_src_arg(&isa_table[i->op], k);

	if (slot == ISA_SL_OPSELD || slot == ISA_SL_BYTED)
		i->arg[0].sel = (uint8_t)v;
	if (slot == ISA_SL_BYTE0)
		i->arg[1].sel = (uint8_t)isa_byte_bits(v);
	if (v && (slot == ISA_SL_OFFEN || slot == ISA_SL_IDXEN))
		set_address_mode(i, slot);
	if (a < 0)
		return;
	if (mod & (ISA_MOD_LOW | ISA_MOD_HIGH))
		i->arg[a].sel |= (uint8_t)(v ? mod >> 8 : 0);
	else if (!mod)
		i->arg[a].sel = (uint8_t)sel_of(v);
	else if (v)
		i->arg[a].mods |= (uint8_t)mod;
}

/* All fields but the arguments. */
static void
get_members(p2a_inst *i, const isa_format *p, const uint32_t *w)
{
	for (const isa_field *f = p->f; f->slot; f++) {
		uint32_t v = f->width ? isa_get(w, f->lo, f->width) : 0;

		if (f->slot == ISA_SL_OFFSET)
			i->offset = offset_value(f, v);
		else if (f->slot == ISA_SL_OFFSET1)
			i->offset1 = offset_value(f, v);
		else if (f->slot >= ISA_SL_CLAMP)
			set_member(i, f->slot, f->kind == K_FI8 ? v >> 1 : v);
		else if (f->slot > ISA_SL_CONST)
			set_source_mod(i, f->slot, v ^ (f->kind == K_NOT));
	}
	i->cpol &= (uint16_t)~isa_rtn_policy(p, i->op);
}

static uint32_t
high_bit(const isa_format *p, const uint32_t *w, const isa_field *arg)
{
	int high = isa_high_slot(arg);
	const isa_field *f = high >= 0 ? isa_field_of(p, (unsigned)high) : NULL;

	return f ? isa_get(w, f->lo, f->width) : 0;
}

int
isa_get_args(const p2a_target *t, p2a_inst *i, const isa_format *p, const uint32_t *w, size_t n)
{
	const isa_info *info = &isa_table[i->op];
	const isa_field *lit = isa_field_of(p, ISA_SL_LIT);
	size_t lit_at = lit ? lit->lo / 32u : p->dwords;

	i->nargs = info->nargs;
	for (int a = 0; a < info->nargs; a++) {
		const isa_field *f = isa_field_of(p, info->arg[a].slot);
		isa_bits b = { 0 };
		isa_arg arg;
		int err;

		if (!f)
			return P2A_ISA_UNKNOWN_OP;
		b.bits = f->width && f->kind != K_LIT ? isa_get(w, f->lo, f->width) : 0;
		b.lit = lit_at < n ? w[lit_at] : 0;
		b.high = high_bit(p, w, f);
		isa_arg_here(info, i, a, &arg);
		err = isa_from_bits(t, &arg, f, &b, &i->arg[a]);
		if (err)
			return err;
	}
	for (int a = 0; a < info->nargs; a++) {
		isa_arg arg;

		isa_arg_here(info, i, a, &arg);
		if (i->arg[a].kind == P2A_K_VGPR || i->arg[a].kind == P2A_K_AGPR)
			i->arg[a].width = (uint8_t)isa_width(t, &arg);
	}
	return 0;
}

/* Strict: what does not encode to the same dwords is not this instruction. */
int
isa_same_dwords(const p2a_target *t, const p2a_inst *i, const uint32_t *w, size_t n)
{
	uint32_t again[P2A_MAX_DWORDS];
	int len = p2a_encode(t, i, again);

	if (len < 0)
		return len;
	if ((size_t)len > n)
		return P2A_ISA_SHORT;
	return memcmp(again, w, (size_t)len * sizeof *w) ? P2A_ISA_UNKNOWN_OP : len;
}

static int
decode_as(const p2a_target *t, unsigned op, unsigned enc, const isa_format *p, const uint32_t *w,
    size_t n, p2a_inst *i)
{
	int err;

	*i = (p2a_inst){ .op = (uint16_t)op, .enc = (uint8_t)enc };
	err = isa_get_args(t, i, p, w, n);
	if (err)
		return err;
	get_members(i, p, w);
	isa_settle_mix(i);
	settle_address(i, p);
	settle_scalar_offset(i, p);
	return isa_same_dwords(t, i, w, n);
}

static unsigned
opcode_in(const isa_format *p, const uint32_t *w)
{
	const isa_field *f = isa_field_of(p, ISA_SL_OPC);

	return isa_get(w, f->lo, f->width);
}

static bool
has_forms(unsigned fmt)
{
	return isa_forms_of(fmt)->from == fmt;
}

/* Tries the rows that format p may hold directly and those promoted into it. */
static int
decode_format(const p2a_target *t, const isa_format *p, const uint32_t *w, size_t n, p2a_inst *i)
{
	unsigned opc = opcode_in(p, w);
	const isa_field *rtn = isa_field_of(p, ISA_SL_RTN);
	int op = -1, err;

	if (rtn && isa_get(w, rtn->lo, 1))
		op = isa_row_of(t, p->fmt, opc | ISA_RTN);
	if (op < 0 && !has_forms(p->fmt))
		op = isa_row_of(t, p->fmt, opc);
	err = op < 0 ? P2A_ISA_UNKNOWN_OP : decode_as(t, (unsigned)op, P2A_ENC_AUTO, p, w, n, i);
	for (const isa_form *f = isa_forms; err < 0 && f < isa_forms + isa_nforms; f++) {
		if (f->to != p->fmt || !(f->layouts >> t->layout & 1) || opc < f->base ||
		    opc - f->base >= f->count)
			continue;
		op = isa_row_of(t, f->from, opc - f->base);
		if (op >= 0)
			err = decode_as(t, (unsigned)op, f->enc, p, w, n, i);
	}
	return err;
}

int
p2a_decode(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	int err = n ? P2A_ISA_UNKNOWN_OP : P2A_ISA_SHORT;

	if (!t || !i || (!w && n))
		return P2A_ISA_ARGS;
	for (const isa_format *p = isa_formats; n && p < isa_formats + isa_nformats; p++) {
		int len;

		if (!matches(t, p, w, n))
			continue;
		len = n < p->dwords ? P2A_ISA_SHORT : p->fmt == FM_DUALX ? isa_dual_decode(t, w, n, i) :
		    decode_format(t, p, w, n, i);
		if (len > 0)
			return len;
		if (len != P2A_ISA_UNKNOWN_OP)
			err = len;
	}
	return err;
}

/* From gfx10 on v_cmpx has no destination, in VOP3 neither. RDNA2 manual, "VOPC"; LLVM 15 leaves the field empty. */
static int
decode_cmpx(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	enum { VOP3 = 0xd4000000, MASK = 0xff0000ff, EXEC = 0x7e };
	uint32_t own[P2A_MAX_DWORDS];
	int len;

	if (t->family == ISA_GFX9 || (w[0] & MASK) != VOP3)
		return P2A_ISA_UNKNOWN_OP;
	memcpy(own, w, n * sizeof *w);
	own[0] |= EXEC;
	len = p2a_decode(t, own, n, i);
	return len > 0 && isa_table[i->op].arg[0].slot == ISA_SL_XDST ? len : P2A_ISA_UNKNOWN_OP;
}

/* buffer_wbl2 with both cache bits set. */
static int
decode_wbl2(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	enum { BOTH = 0xc000 };
	uint32_t own[P2A_MAX_DWORDS];
	int len;

	if (t->family != ISA_GFX9 || (w[0] & (0xfc000000 | BOTH)) != (0xe0000000 | BOTH))
		return P2A_ISA_UNKNOWN_OP;
	memcpy(own, w, n * sizeof *w);
	own[0] &= ~(uint32_t)BOTH;
	len = p2a_decode(t, own, n, i);
	return len > 0 && i->op == OP_buffer_wbl2 ? len : P2A_ISA_UNKNOWN_OP;
}

/* The literal of a 16-bit operand with its sign in the upper half. */
static int
decode_signed(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	for (size_t k = 1; k < n; k++) {
		uint32_t own[P2A_MAX_DWORDS];
		int len;

		if (w[k] >> 15 != 0x1ffff)
			continue;
		memcpy(own, w, n * sizeof *w);
		own[k] &= 0xffff;
		len = p2a_decode(t, own, n, i);
		if (len > (int)k)                       /* else it was another instruction's */
			return len;
	}
	return P2A_ISA_UNKNOWN_OP;
}

int
isa_decode_any(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	static int (*const other[])(const p2a_target *, const uint32_t *, size_t, p2a_inst *) = {
		decode_cmpx, decode_wbl2, decode_signed
	};
	int err = p2a_decode(t, w, n, i), len = err;

	n = n < P2A_MAX_DWORDS ? n : P2A_MAX_DWORDS;
	for (size_t k = 0; n && len <= 0 && k < sizeof other / sizeof *other; k++)
		len = other[k](t, w, n, i);
	return len > 0 ? len : err;
}
