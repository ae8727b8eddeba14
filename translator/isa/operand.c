/* operand.c -- operands as field bits and back: registers, inline constants, literals.
 * Needs the target's register counts; leaves canonical operands.
 * Manuals: "Scalar/Vector source operands" and "Literal constants" of AMD's ISA documents. */
#include "isa/layout.h"

enum { CODE_TTMP0 = 108, CODE_INT0 = 128, CODE_FLOAT0 = 240, CODE_LIT = 255, CODE_VGPR0 = 256 };
enum { NFLOATS = 9 };

/* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi): codes 240 to 248. */
enum { HALF, BRAIN, SINGLE, DOUBLE };
static const uint64_t floats[][NFLOATS] = {
	[HALF] = { 0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118 },
	[BRAIN] = { 0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22 },
	[SINGLE] = { 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983 },
	[DOUBLE] = { 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
		0xc000000000000000, 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882 }
};

bool
isa_is_float(unsigned type)
{
	return type == ISA_T_F16 || type == ISA_T_F32 || type == ISA_T_F64 || type == ISA_T_BF;
}

unsigned
isa_width(const p2a_target *t, const isa_arg *arg)
{
	return arg->type == ISA_T_MASK ? t->wave / 32u : arg->width;
}

static unsigned
type_bits(isa_type type)
{
	static const uint8_t bits[ISA_T_NONE + 1] = { [ISA_T_B16] = 16, [ISA_T_F16] = 16, [ISA_T_BF] = 16, [ISA_T_B8] = 32, [ISA_T_B32] = 32,
		[ISA_T_SW] = 32, [ISA_T_F32] = 32, [ISA_T_H2] = 32, [ISA_T_W2] = 32, [ISA_T_BF2] = 32, [ISA_T_IU] = 32,
		[ISA_T_B64] = 64, [ISA_T_I64] = 64, [ISA_T_F64] = 64, [ISA_T_S2] = 64 };

	return bits[type];
}

static int64_t
sign_extend(int64_t x, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1), all = (sign << 1) - 1;

	return (int64_t)((((uint64_t)x & all) ^ sign) - sign);
}

/* Canonical: integers sign-extended, floats zero-extended from their own size. */
bool
isa_canon(isa_type type, int64_t *imm)
{
	unsigned bits = type_bits(type);

	if (!bits)
		return false;
	if (bits == 64)
		return true;
	if (*imm < -((int64_t)1 << (bits - 1)) || *imm >= (int64_t)1 << bits)
		return false;
	*imm = isa_is_float(type) ? *imm & (((int64_t)1 << bits) - 1) : sign_extend(*imm, bits);
	return true;
}

static const uint64_t *
floats_of(isa_type type)
{
	if (type == ISA_T_F16 || type == ISA_T_H2)
		return floats[HALF];
	if (type == ISA_T_BF2 || type == ISA_T_BF)
		return floats[BRAIN];
	return floats[type == ISA_T_S2 || type_bits(type) == 32 ? SINGLE : DOUBLE];
}

static int
float_code(isa_type type, uint64_t x)
{
	const uint64_t *value = floats_of(type);

	/* The low seven bits of all but the last are zeros, of bf16 too. */
	for (unsigned i = x & 0x7f ? NFLOATS - 1 : 0; i < NFLOATS; i++)
		if (x == value[i])
			return (int)(CODE_FLOAT0 + i);
	return -1;
}

int
isa_inline_code(isa_type type, int64_t imm)
{
	unsigned bits = type_bits(type);
	int64_t s;

	if (!isa_canon(type, &imm))
		return -1;
	s = bits == 64 ? imm : sign_extend(imm, bits);
	if (s >= 0 && s <= 64)
		return CODE_INT0 + (int)s;
	if (s < 0 && s >= -16)
		return CODE_INT0 + 64 - (int)s;
	if (type == ISA_T_B16)
		return -1;
	return float_code(type, bits == 64 ? (uint64_t)imm :
	    (uint64_t)imm & (((uint64_t)1 << bits) - 1));
}

bool
isa_inline_value(isa_type type, unsigned code, int64_t *imm)
{
	if (code >= CODE_INT0 && code <= CODE_INT0 + 64)
		*imm = (int)code - CODE_INT0;
	else if (code > CODE_INT0 + 64 && code <= CODE_INT0 + 80)
		*imm = CODE_INT0 + 64 - (int)code;
	else if (code < CODE_FLOAT0 || code >= CODE_FLOAT0 + NFLOATS || type == ISA_T_B16)
		return false;
	else
		*imm = (int64_t)floats_of(type)[code - CODE_FLOAT0];
	return isa_canon(type, imm);
}

bool
isa_is_inline(const p2a_target *t, isa_type type, int64_t imm)
{
	(void)t;
	return isa_inline_code(type, imm) >= 0;
}

/* What is an inline constant of an f32 is one of a half with the same code. */
void
isa_settle_mix(p2a_inst *i)
{
	const isa_info *info = &isa_table[i->op];

	for (int a = 0; a < info->nargs; a++) {
		p2a_opnd *o = &i->arg[a];
		int code;

		if (info->arg[a].type != ISA_T_MIX || o->kind != P2A_K_IMM || !(o->sel & P2A_OP_HI))
			continue;
		code = o->mods & P2A_LIT ? -1 : isa_inline_code(ISA_T_F32, o->imm);
		o->mods &= (uint8_t)~P2A_LIT;
		if (code >= 0)
			isa_inline_value(ISA_T_F16, (unsigned)code, &o->imm);
		else if (isa_inline_code(ISA_T_F16, o->imm) >= 0)
			o->mods |= P2A_LIT;
	}
}

/* A 64-bit integer literal is sign- or zero-extended by type, a double's is its high half. */
bool
isa_literal_of(isa_type type, int64_t imm, uint32_t *lit)
{
	if (!isa_canon(type, &imm))
		return false;
	*lit = (uint32_t)imm;
	switch (type) {
	case ISA_T_B16:
		*lit &= 0xffff;
		return true;
	case ISA_T_B64:
		return imm >= 0 && imm <= UINT32_MAX;
	case ISA_T_I64:
		return imm >= INT32_MIN && imm <= INT32_MAX;
	case ISA_T_F64:
		*lit = (uint32_t)((uint64_t)imm >> 32);
		return (uint32_t)imm == 0;
	case ISA_T_S2:
		return false;
	default:
		return true;
	}
}

int64_t
isa_literal_value(isa_type type, uint32_t lit)
{
	switch (type) {
	case ISA_T_B16:
		return sign_extend(lit, 16);
	case ISA_T_B8: case ISA_T_B32: case ISA_T_SW: case ISA_T_I64: case ISA_T_H2: case ISA_T_W2: case ISA_T_BF2: case ISA_T_IU:
		return sign_extend(lit, 32);
	case ISA_T_F64:
		return (int64_t)((uint64_t)lit << 32);
	default:
		return lit;
	}
}

static bool
aligned(uint32_t reg, unsigned width)
{
	return width < 2 ? true : width == 2 ? !(reg & 1) : !(reg & 3);
}

int
isa_sreg_code(const p2a_target *t, const p2a_opnd *o)
{
	const isa_sreg *s;

	if (o->reg >= P2A_NSREG)
		return P2A_ISA_REGISTER;
	if (o->reg >= P2A_TTMP0) {
		unsigned n = o->reg - P2A_TTMP0;

		return n + o->width <= 16 && o->width != 3 && aligned(n, o->width) ?
		    CODE_TTMP0 + (int)n : P2A_ISA_REGISTER;
	}
	s = &isa_sregs[o->reg];
	if (s->number[t->family] < 0 || (s->width ? s->width != o->width : o->width > 2))
		return P2A_ISA_REGISTER;
	return s->number[t->family];
}

/* The source code of a scalar register, or an error. */
static int
scalar_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	unsigned w = isa_width(t, arg);

	if (o->kind != P2A_K_SGPR && o->kind != P2A_K_SREG)
		return P2A_ISA_ARGS;
	if (o->width != w)
		return P2A_ISA_REGISTER;
	if (o->kind == P2A_K_SREG)
		return isa_sreg_code(t, o);
	if (o->reg >= t->sgprs || o->reg + w > t->sgprs || !aligned(o->reg, w))
		return P2A_ISA_REGISTER;
	return (int)o->reg;
}

/* A scalar register that is also a destination. */
static int
sgpr_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	int code = scalar_code(t, arg, o);

	return code < 128 ? code : P2A_ISA_REGISTER;
}

static bool
is_sreg(const p2a_opnd *o, unsigned a, unsigned b, unsigned c)
{
	return o->kind == P2A_K_SREG && (o->reg == a || o->reg == b || o->reg == c);
}

static int
saddr_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	if (is_sreg(o, P2A_EXEC, P2A_EXEC_LO, P2A_EXEC_HI))
		return P2A_ISA_REGISTER;
	return sgpr_code(t, arg, o);
}

static int
sdata_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	if (is_sreg(o, P2A_M0, P2A_M0, P2A_M0))
		return P2A_ISA_REGISTER;
	return saddr_code(t, arg, o);
}

static int
vector_code(const p2a_target *t, const isa_arg *arg, unsigned kind, const p2a_opnd *o)
{
	unsigned w = isa_width(t, arg);

	if (o->kind != kind)
		return P2A_ISA_ARGS;
	if (o->width != w || o->reg >= t->vgprs || o->reg + w > t->vgprs)
		return P2A_ISA_REGISTER;
	if (t->align_vgpr_pairs && w > 1 && o->reg & 1)
		return P2A_ISA_REGISTER;
	return (int)o->reg;
}

static int
vgpr_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	return vector_code(t, arg, P2A_K_VGPR, o);
}

/* Of the chips that have accumulation registers not all load and store them. */
static int
data_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o, isa_bits *b)
{
	b->high = t->accum_offset && o->kind == P2A_K_AGPR;
	return vector_code(t, arg, b->high ? P2A_K_AGPR : P2A_K_VGPR, o);
}

static int
constant_code(const isa_arg *arg, const p2a_opnd *o, isa_bits *b)
{
	int code = o->mods & P2A_LIT ? -1 : isa_inline_code(arg->type, o->imm);

	if (code >= 0)
		return code;
	if (!isa_literal_of(arg->type, o->imm, &b->lit))
		return P2A_ISA_CONSTANT;
	b->has_lit = true;
	return CODE_LIT;
}

static int
source_code(const p2a_target *t, const isa_arg *arg, unsigned kind, const p2a_opnd *o, isa_bits *b)
{
	int code;

	if (kind == K_SRCA) {
		code = vector_code(t, arg, P2A_K_AGPR, o);
		return code < 0 ? code : CODE_VGPR0 + code;
	}
	if (o->kind == P2A_K_VGPR) {
		if (kind != K_SRC && kind != K_SRCV && kind != K_SRCW)
			return P2A_ISA_ARGS;
		code = vgpr_code(t, arg, o);
		return code < 0 ? code : CODE_VGPR0 + code;
	}
	if (kind == K_SRCV)
		return P2A_ISA_ARGS;
	if (o->kind != P2A_K_IMM)
		return kind == K_SRCW && !t->accum_offset ? P2A_ISA_ARGS : scalar_code(t, arg, o);
	code = constant_code(arg, o, b);
	if ((kind == K_LANE || kind == K_BARID || kind == K_SRCW) && code == CODE_LIT)
		return P2A_ISA_CONSTANT;
	return kind == K_BARID && code >= CODE_FLOAT0 ? P2A_ISA_CONSTANT : code;
}

static bool
has_scalar_src1(const p2a_target *t)
{
	return t->family == ISA_GFX12 || t->features & ISA_FT_BIT(ISA_FT_GFX115);
}

static int
off_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o, int off)
{
	int code;

	if (o->kind == P2A_K_OFF)
		return off;
	code = saddr_code(t, arg, o);
	return code == off ? P2A_ISA_REGISTER : code;
}

/* vcc and exec that no bits stand for. */
static int
implied_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o, unsigned pair)
{
	if (!is_sreg(o, pair, pair + 1, pair))
		return P2A_ISA_ARGS;
	return scalar_code(t, arg, o) < 0 ? P2A_ISA_REGISTER : 0;
}

static int
sdwa_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o, isa_bits *b)
{
	if (o->kind == P2A_K_VGPR)
		return vgpr_code(t, arg, o);
	b->high = true;
	return sgpr_code(t, arg, o);
}

static int
sdwa_mask_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	int code = sgpr_code(t, arg, o);

	return code < 0 ? code : is_sreg(o, P2A_VCC, P2A_VCC_LO, P2A_VCC) ? 0 : 0x80 | code;
}

static int
number_code(const p2a_target *t, const isa_field *f, const p2a_opnd *o)
{
	bool rel = f->kind == K_REL || f->kind == K_SOFF, is_signed = f->kind == K_SIMM || rel;
	uint32_t mask = (1u << f->width) - 1;

	if (o->kind != P2A_K_IMM)
		return P2A_ISA_ARGS;
	if (o->imm > (int64_t)mask || o->imm < (is_signed ? -(int64_t)(mask / 2) - 1 : 0))
		return P2A_ISA_CONSTANT;
	if (rel && o->imm > (int64_t)(mask / 2))
		return P2A_ISA_CONSTANT;
	if (f->kind == K_WAIT && (uint32_t)o->imm & ~isa_wait_mask(t))
		return P2A_ISA_CONSTANT;
	return (int)((uint32_t)o->imm & mask);
}

/* From gfx11 on a register of 16 bits in a one-dword form: the highest bit of its number says which half. */
enum { HALF_REG = 0x80 };
static int
half_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	int code = vgpr_code(t, arg, o);

	if (code < 0)
		return code;
	return code >= HALF_REG ? P2A_ISA_REGISTER : code | (o->sel & P2A_OP_SEL ? HALF_REG : 0);
}

static int
half_source_code(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o, isa_bits *b)
{
	int code = o->kind == P2A_K_VGPR ? half_code(t, arg, o) : source_code(t, arg, K_SRC, o, b);

	return o->kind == P2A_K_VGPR && code >= 0 ? CODE_VGPR0 + code : code;
}

static int
buffer_address(const p2a_target *t, const isa_arg *arg, const p2a_opnd *o)
{
	if (o->kind == P2A_K_OFF)
		return o->sel ? P2A_ISA_ARGS : 0;
	return o->sel ? vgpr_code(t, arg, o) : P2A_ISA_ARGS;
}

static int
code_of(const p2a_target *t, const isa_arg *arg, const isa_field *f, const p2a_opnd *o, isa_bits *b)
{
	int code;

	switch (f->kind) {
	case K_SGPR:
		return sgpr_code(t, arg, o);
	case K_SDATA:
		return sdata_code(t, arg, o);
	case K_SADDR:
		return o->mods & P2A_LIT ? P2A_ISA_ARGS : saddr_code(t, arg, o);
	case K_SADDRI:
		return saddr_code(t, arg, o);
	case K_SNULL:
		return is_sreg(o, P2A_NULL, P2A_NULL, P2A_NULL) ? sgpr_code(t, arg, o) :
		    P2A_ISA_ARGS;
	case K_SRCD:
		return source_code(t, arg, has_scalar_src1(t) ? K_SRC : K_SRCV, o, b);
	case K_SSRC: case K_SRC: case K_SRCV: case K_SRCA: case K_SRCW: case K_LANE:
		return source_code(t, arg, f->kind, o, b);
	case K_BARID:
		if (o->kind != P2A_K_IMM && !is_sreg(o, P2A_M0, P2A_M0, P2A_M0))
			return P2A_ISA_ARGS;
		return source_code(t, arg, f->kind, o, b);
	case K_VGPR:
		return vgpr_code(t, arg, o);
	case K_AGPR:
		return vector_code(t, arg, P2A_K_AGPR, o);
	case K_VGPRH:
		return half_code(t, arg, o);
	case K_SRCH:
		return half_source_code(t, arg, o, b);
	case K_VDATA:
		return data_code(t, arg, o, b);
	case K_VHALF:
		code = vgpr_code(t, arg, o);
		return code < 0 ? code : code >> 1;
	case K_SDWA:
		return sdwa_code(t, arg, o, b);
	case K_SDWAVCC:
		return sdwa_mask_code(t, arg, o);
	case K_SPAIR:
		code = sdata_code(t, arg, o);
		return code < 0 ? code : code & 1 ? P2A_ISA_REGISTER : code >> 1;
	case K_SQUAD:
		code = sdata_code(t, arg, o);
		return code < 0 ? code : code & 3 ? P2A_ISA_REGISTER : code >> 2;
	case K_BADDR:
		return buffer_address(t, arg, o);
	case K_OFF7F:
		return off_code(t, arg, o, 0x7f);
	case K_OFF7D:
		return off_code(t, arg, o, 0x7d);
	case K_OFF7C:
		return off_code(t, arg, o, 0x7c);
	case K_ALWAYS7F:
		return o->kind == P2A_K_OFF ? 0x7f : P2A_ISA_ARGS;
	case K_ALWAYS7D:
		return o->kind == P2A_K_OFF ? 0x7d : P2A_ISA_ARGS;
	case K_ABSENT:
		return o->kind == P2A_K_OFF ? 0 : P2A_ISA_ARGS;
	case K_VCC: case K_MUTEVCC:
		return implied_code(t, arg, o, P2A_VCC);
	case K_EXEC:
		code = implied_code(t, arg, o, P2A_EXEC);
		return code < 0 || !f->width ? code : 126;
	case K_SIMM: case K_SOFF: case K_UHEX: case K_UDEC: case K_MSG: case K_REL: case K_WAIT: case K_HWREG: case K_IDX:
	case K_DELAY:
		return number_code(t, f, o);
	}
	return P2A_ISA_ARGS;
}

int
isa_to_bits(const p2a_target *t, const isa_arg *arg, const isa_field *f, const p2a_opnd *o,
    isa_bits *b)
{
	int code;

	*b = (isa_bits){ 0 };
	if (f->kind == K_LIT) {
		if (o->kind != P2A_K_IMM)
			return P2A_ISA_ARGS;
		if (!isa_literal_of(arg->type, o->imm, &b->lit))
			return P2A_ISA_CONSTANT;
		b->bits = b->lit;
		b->has_lit = true;
		return 0;
	}
	code = code_of(t, arg, f, o, b);
	if (code < 0)
		return code;
	b->bits = (uint32_t)code;
	return 0;
}

/* The operand that a scalar source code stands for; registers only. */
static int
scalar_opnd(const p2a_target *t, const isa_arg *arg, unsigned code, p2a_opnd *o)
{
	unsigned w = isa_width(t, arg);

	*o = (p2a_opnd){ .width = (uint8_t)w };
	for (unsigned r = 0; r < P2A_TTMP0; r++) {
		const isa_sreg *s = &isa_sregs[r];

		if (s->number[t->family] != (int)code || (s->width && s->width != w))
			continue;
		o->kind = P2A_K_SREG;
		o->reg = r;
		return 0;
	}
	if (code >= CODE_TTMP0 && code < CODE_TTMP0 + 16) {
		o->kind = P2A_K_SREG;
		o->reg = P2A_TTMP0 + code - CODE_TTMP0;
		return 0;
	}
	if (code >= t->sgprs)
		return P2A_ISA_REGISTER;
	o->kind = P2A_K_SGPR;
	o->reg = code;
	return 0;
}

static int
vector_opnd(const p2a_target *t, const isa_arg *arg, unsigned kind, uint32_t reg, p2a_opnd *o)
{
	*o = (p2a_opnd){ .kind = (uint8_t)kind, .width = (uint8_t)isa_width(t, arg), .reg = reg };
	return 0;
}

static int
vgpr_opnd(const p2a_target *t, const isa_arg *arg, uint32_t reg, p2a_opnd *o)
{
	return vector_opnd(t, arg, P2A_K_VGPR, reg, o);
}

static int
half_opnd(const p2a_target *t, const isa_arg *arg, uint32_t bits, p2a_opnd *o)
{
	int err = vgpr_opnd(t, arg, bits & (HALF_REG - 1), o);

	o->sel = bits & HALF_REG ? P2A_OP_SEL : 0;
	return err;
}

static int
source_opnd(const p2a_target *t, const isa_arg *arg, const isa_bits *b, p2a_opnd *o)
{
	*o = (p2a_opnd){ .kind = P2A_K_IMM, .width = (uint8_t)isa_width(t, arg) };
	if (b->bits == CODE_LIT) {
		o->imm = isa_literal_value(arg->type, b->lit);
		if (isa_inline_code(arg->type, o->imm) >= 0)
			o->mods = P2A_LIT;
		return 0;
	}
	if (b->bits >= CODE_VGPR0)
		return vgpr_opnd(t, arg, b->bits - CODE_VGPR0, o);
	if (isa_inline_value(arg->type, b->bits, &o->imm))
		return 0;
	return scalar_opnd(t, arg, b->bits, o);
}

static int
implied_opnd(const p2a_target *t, const isa_arg *arg, unsigned pair, p2a_opnd *o)
{
	unsigned w = isa_width(t, arg);

	*o = (p2a_opnd){ .kind = P2A_K_SREG, .width = (uint8_t)w, .reg = pair + (w == 1) };
	return 0;
}

static int
off_opnd(const p2a_target *t, const isa_arg *arg, unsigned code, unsigned off, p2a_opnd *o)
{
	if (code != off)
		return scalar_opnd(t, arg, code, o);
	*o = (p2a_opnd){ .kind = P2A_K_OFF };
	return 0;
}

int
isa_from_bits(const p2a_target *t, const isa_arg *arg, const isa_field *f, const isa_bits *b,
    p2a_opnd *o)
{
	bool is_signed = f->kind == K_SIMM || f->kind == K_SOFF || f->kind == K_REL;

	switch (f->kind) {
	case K_SSRC: case K_SRC: case K_SRCV: case K_SRCD: case K_SRCW: case K_LANE: case K_BARID:
		return source_opnd(t, arg, b, o);
	case K_SRCA:
		return b->bits < CODE_VGPR0 ? P2A_ISA_UNKNOWN_OP :
		    vector_opnd(t, arg, P2A_K_AGPR, b->bits - CODE_VGPR0, o);
	case K_AGPR:
		return vector_opnd(t, arg, P2A_K_AGPR, b->bits, o);
	case K_VDATA:
		return vector_opnd(t, arg, b->high ? P2A_K_AGPR : P2A_K_VGPR, b->bits, o);
	case K_VGPR: case K_BADDR:
		return vgpr_opnd(t, arg, b->bits, o);
	case K_VGPRH:
		return half_opnd(t, arg, b->bits, o);
	case K_SRCH:
		return b->bits >= CODE_VGPR0 ? half_opnd(t, arg, b->bits - CODE_VGPR0, o) : source_opnd(t, arg, b, o);
	case K_VHALF:
		return vgpr_opnd(t, arg, b->bits << 1, o);
	case K_SDWA:
		if (b->high)
			return scalar_opnd(t, arg, b->bits, o);
		return vgpr_opnd(t, arg, b->bits, o);
	case K_SDWAVCC:
		return b->bits ? scalar_opnd(t, arg, b->bits & 0x7f, o) :
		    implied_opnd(t, arg, P2A_VCC, o);
	case K_SPAIR:
		return scalar_opnd(t, arg, b->bits << 1, o);
	case K_SQUAD:
		return scalar_opnd(t, arg, b->bits << 2, o);
	case K_OFF7F: case K_ALWAYS7F:
		return off_opnd(t, arg, b->bits, 0x7f, o);
	case K_OFF7D: case K_ALWAYS7D:
		return off_opnd(t, arg, b->bits, 0x7d, o);
	case K_OFF7C:
		return off_opnd(t, arg, b->bits, 0x7c, o);
	case K_ABSENT:
		return off_opnd(t, arg, b->bits, 0, o);
	case K_VCC: case K_MUTEVCC:
		return implied_opnd(t, arg, P2A_VCC, o);
	case K_EXEC:
		return implied_opnd(t, arg, P2A_EXEC, o);
	case K_LIT:
		*o = (p2a_opnd){ .kind = P2A_K_IMM, .width = 1 };
		o->imm = isa_literal_value(arg->type, b->lit);
		return 0;
	case K_SIMM: case K_SOFF: case K_UHEX: case K_UDEC: case K_MSG: case K_REL: case K_WAIT: case K_HWREG: case K_IDX:
	case K_DELAY:
		*o = (p2a_opnd){ .kind = P2A_K_IMM,
		                 .imm = is_signed ? sign_extend(b->bits, f->width) : (int64_t)b->bits };
		return 0;
	}
	return scalar_opnd(t, arg, b->bits, o);
}
