/* table.c -- ops.def, formats.def, sregs.def as arrays; the row of an opcode and the cell of a row.
 * Needs nothing; leaves constants only.
 * Manuals: the chapters "Microcode Formats" and "Instructions" of AMD's ISA documents. */
#include "isa/layout.h"

#include <string.h>

/* The words of ops.def and formats.def. */
enum {
	SALU = ISA_SALU, VALU = ISA_VALU, TRANS = ISA_TRANS, SMEM = ISA_SMEM, VMEM = ISA_VMEM,
	    FLAT = ISA_FLAT,
	DS = ISA_DS, BRANCH = ISA_BRANCH, WAIT = ISA_WAIT, BARRIER = ISA_BARRIER,
	    SPECIAL = ISA_SPECIAL,
	END = ISA_END
};
enum {
	R_EXEC = ISA_R_EXEC, W_EXEC = ISA_W_EXEC, R_SCC = ISA_R_SCC, W_SCC = ISA_W_SCC,
	    R_VCC = ISA_R_VCC,
	R_M0 = ISA_R_M0, LOAD = ISA_LOAD, STORE = ISA_STORE, ATOMIC = ISA_ATOMIC, BUS1 = ISA_BUS1,
	COMM = ISA_COMM, BOOL_OUT = ISA_BOOL_OUT, IGNORES_EXEC = ISA_IGNORES_EXEC, TIED = ISA_TIED,
	SIDE = ISA_SIDE, FLOAT = ISA_FLOAT, F64 = ISA_F64, CLAMP = ISA_CLAMP, HALF = ISA_HALF, NODPP = ISA_NODPP
};
enum {
	G9 = 1 << ISA_LAY_G9, G940 = 1 << ISA_LAY_G940, G10 = 1 << ISA_LAY_G10,
	    G103 = 1 << ISA_LAY_G103,
	G11 = 1 << ISA_LAY_G11, G12 = 1 << ISA_LAY_G12, GSDWA = G9 | G940 | G10 | G103,
	    GDPP8 = G10 | G103 | G11 | G12, ALL = GSDWA | G11 | G12
};
enum { RTN = ISA_RTN, SAME = ISA_SAME, NONE = ISA_ABSENT, NO = -1 };

#define E(fmt, opc) ISA_KEY(ISA_FT_NONE, FM_##fmt, opc)
#define R(fmt, opc, name) E(fmt, opc)
#define X(fmt, opc, feature) ISA_KEY(ISA_FT_##feature, FM_##fmt, opc)
#define XR(fmt, opc, feature, name) X(fmt, opc, feature)

/* The key of every cell, SAME resolved: K9_id, K10_id, .. */
enum {
#define OP(id, cls, eff, args, g9, g10, g11, g12) \
	K9_##id = g9, K10_##id = (g10) == SAME ? (int)K9_##id : (g10), \
	K11_##id = (g11) == SAME ? (int)K10_##id : (g11), \
	K12_##id = (g12) == SAME ? (int)K11_##id : (g12),
#include "isa/ops.def"
};
const int32_t isa_cells[ISA_NOPS][ISA_NFAMILY] = {
#define OP(id, ...) { K9_##id, K10_##id, K11_##id, K12_##id },
#include "isa/ops.def"
};

/* One function a family from key to row. A row that is absent gets a case of its own below zero;
 * two rows with one key are a duplicate case and do not compile. */
#define CASE(K, id) case K##_##id < 0 ? -16 - OP_##id : K##_##id: return OP_##id;
static int
row9(int key)
{
	switch (key) {
#define OP(id, ...) CASE(K9, id)
#include "isa/ops.def"
	}
	return -1;
}

static int
row10(int key)
{
	switch (key) {
#define OP(id, ...) CASE(K10, id)
#include "isa/ops.def"
	}
	return -1;
}

static int
row11(int key)
{
	switch (key) {
#define OP(id, ...) CASE(K11, id)
#include "isa/ops.def"
	}
	return -1;
}

static int
row12(int key)
{
	switch (key) {
#define OP(id, ...) CASE(K12, id)
#include "isa/ops.def"
	}
	return -1;
}
#undef E
#undef R
#undef X
#undef XR

/* Numbers of results. */
#define D(slot, type) 1
#define S(slot, type) 0
#define A0() 0
#define A1(a) (a)
#define A2(a, b) ((a) + (b))
#define A3(a, b, c) ((a) + (b) + (c))
#define A4(a, b, c, d) ((a) + (b) + (c) + (d))
#define A5(a, b, c, d, e) ((a) + (b) + (c) + (d) + (e))
enum {
#define OP(id, cls, eff, args, ...) ND_##id = args,
#include "isa/ops.def"
};
#undef D
#undef S
#undef A0
#undef A1
#undef A2
#undef A3
#undef A4
#undef A5

/* Operands: isa_type and number of dwords. */
#define TY_B16 ISA_T_B16, 1
#define TY_F16 ISA_T_F16, 1
#define TY_B32 ISA_T_B32, 1
#define TY_F32 ISA_T_F32, 1
#define TY_B64 ISA_T_B64, 2
#define TY_I64 ISA_T_I64, 2
#define TY_F64 ISA_T_F64, 2
#define TY_B96 ISA_T_BIG, 3
#define TY_B128 ISA_T_BIG, 4
#define TY_B256 ISA_T_BIG, 8
#define TY_B512 ISA_T_BIG, 16
#define TY_H2 ISA_T_H2, 1
#define TY_W2 ISA_T_W2, 1
#define TY_BF2 ISA_T_BF2, 1
#define TY_BF ISA_T_BF, 1
#define TY_SW ISA_T_SW, 1
#define TY_B8 ISA_T_B8, 1
#define TY_S2 ISA_T_S2, 2
#define TY_MIX ISA_T_MIX, 1
#define TY_IU ISA_T_IU, 1
#define TY_MASK ISA_T_MASK, 0
#define TY_NO ISA_T_NONE, 0
#define D(slot, type) { ISA_SL_##slot, TY_##type, 1 }
#define S(slot, type) { ISA_SL_##slot, TY_##type, 0 }
#define A0() 0, { { 0, 0, 0, 0 } }
#define A1(a) 1, { a }
#define A2(a, b) 2, { a, b }
#define A3(a, b, c) 3, { a, b, c }
#define A4(a, b, c, d) 4, { a, b, c, d }
#define A5(a, b, c, d, e) 5, { a, b, c, d, e }
#define ROW(...) ROW_(__VA_ARGS__)
#define ROW_(id, cls, eff, n, ...) { #id, cls, n, ND_##id, eff, __VA_ARGS__ },
const isa_info isa_table[ISA_NOPS] = {
#define OP(id, cls, eff, args, ...) ROW(id, cls, eff, args)
#include "isa/ops.def"
};

/* Names where a family renames; NULL: as the family before; "": canonical. */
#define E(fmt, opc) ""
#define R(fmt, opc, name) #name
#define X(fmt, opc, feature) ""
#define XR(fmt, opc, feature, name) #name
#define SAME NULL
#define NONE ""
static const char *const names[ISA_NOPS][ISA_NFAMILY] = {
#define OP(id, cls, eff, args, ...) { __VA_ARGS__ },
#include "isa/ops.def"
};
#undef SAME
#undef NONE

/* The place of each format's first row: a name at AT takes none, so that the next row has the same. */
#define GLUE(a, b) a##b
#define NUMBERED(a, line) GLUE(a, line)
enum {
#define AT(fmt) AT_##fmt, BEFORE_##fmt = AT_##fmt - 1,
#define FMT(...) NUMBERED(ROW_, __LINE__),
#define F(...)
#define C(...)
#define END
#include "isa/formats.def"
	NROWS
};
enum {
#define AT(fmt) FORM_AT_##fmt, FORM_BEFORE_##fmt = FORM_AT_##fmt - 1,
#define FORM(...) NUMBERED(FORM_, __LINE__),
#include "isa/formats.def"
	NFORMS
};

/* The fields of each row by slot. */
static const isa_field field_at[NROWS][ISA_NSLOTS] = {
#define FMT(...) {
#define F(slot, lo, width, kind) [ISA_SL_##slot] = { ISA_SL_##slot, lo, width, K_##kind },
#define C(...)
#define END },
#include "isa/formats.def"
};

const isa_format isa_formats[] = {
#define FMT(fmt, layouts, dwords, mask, value) { FM_##fmt, layouts, dwords, mask, value, field_at[NUMBERED(ROW_, __LINE__)], {
#define F(slot, lo, width, kind) { ISA_SL_##slot, lo, width, K_##kind },
#define C(lo, width, value) { ISA_SL_CONST, lo, width, value },
#define END } },
#include "isa/formats.def"
	{ .fmt = FM_COUNT }
};
const size_t isa_nformats = NROWS;

/* Of a format that has none: another's. */
static const uint8_t first_format[FM_COUNT] = {
#define AT(fmt) [FM_##fmt] = AT_##fmt,
#define FMT(...)
#define F(...)
#define C(...)
#define END
#include "isa/formats.def"
};

static const uint8_t first_form[FM_COUNT] = {
#define AT(fmt) [FM_##fmt] = FORM_AT_##fmt,
#define FORM(...)
#include "isa/formats.def"
};

const uint8_t isa_dual_layouts = 0
#define FMT(fmt, layouts, ...) | (FM_##fmt == FM_DUALX ? (layouts) : 0)
#define F(...)
#define C(...)
#define END
#include "isa/formats.def"
	;

const isa_form isa_forms[] = {
#define FORM(from, enc, to, layouts, base, count) \
	{ FM_##from, P2A_ENC_##enc, FM_##to, layouts, base, count },
#include "isa/formats.def"
	{ .from = FM_COUNT }
};
const size_t isa_nforms = sizeof isa_forms / sizeof *isa_forms - 1;

const isa_sreg isa_sregs[P2A_NSREG] = {
#define SREG(id, text, width, ...) [P2A_##id] = { text, width, { __VA_ARGS__ } },
#include "isa/sregs.def"
};

const isa_hwreg isa_hwregs[] = {
#define HWREG(text, ...) { text, { __VA_ARGS__ } },
#include "isa/sregs.def"
};
const size_t isa_nhwregs = sizeof isa_hwregs / sizeof *isa_hwregs;

const isa_hwreg isa_messages[] = {
#define MESSAGE(text, ...) { text, { __VA_ARGS__ } },
#include "isa/sregs.def"
};
const size_t isa_nmessages = sizeof isa_messages / sizeof *isa_messages;

const char *const isa_delay_name[ISA_NDELAY] = {
	"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3",
	"FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3"
};
const char *const isa_skip_name[ISA_NSKIP] = { "SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4" };

enum { BOTH = ISA_TH_BOTH, SYS = ISA_TH_SYS, LESS = ISA_TH_LESS };
const isa_word isa_words[] = {
#define CPOL(slot, bit, text) { bit, bit, ISA_WORD_BIT, ISA_TH_BOTH, text },
#define SCOPE(value, text) \
	{ 3 << P2A_SCOPE_SHIFT, (value) << P2A_SCOPE_SHIFT, ISA_WORD_SCOPE, ISA_TH_BOTH, text },
#define TH(kind, value, sys, text) \
	{ 7 << P2A_TH_SHIFT, (value) << P2A_TH_SHIFT, ISA_WORD_##kind, sys, text },
#include "isa/cpol.def"
};
const size_t isa_nwords = sizeof isa_words / sizeof *isa_words;

const char *const isa_sel_name[ISA_NSEL] = {
	"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"
};
const char *const isa_unused_name[ISA_NUNUSED] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE" };

const char *const isa_idx_name[ISA_NIDX] = { "SRC0", "SRC1", "SRC2", "DST" };

const isa_dpp isa_dpps[] = {
#define DPP(text, control, least, most, layouts) { text, control, least, most, layouts },
#include "isa/dpp.def"
};
const size_t isa_ndpps = sizeof isa_dpps / sizeof *isa_dpps;

static int
row_of_key(const p2a_target *t, int key)
{
	static int (*const of_family[ISA_NFAMILY])(int) = { row9, row10, row11, row12 };

	return of_family[t->family](key);
}

int
isa_row_of(const p2a_target *t, unsigned fmt, unsigned opc)
{
	for (unsigned f = 0; f < ISA_FT_COUNT; f++) {
		int op = t->features >> f & 1 ? row_of_key(t, ISA_KEY(f, fmt, opc)) : -1;

		if (op >= 0)
			return op;
	}
	return -1;
}

bool
isa_is_dot(unsigned op)
{
	return !strncmp(isa_table[op].name, "v_dot", 5);
}

#define SHORT(fmt) 1ull << FM_##fmt
const uint64_t isa_short_formats = SHORT(VOP1) | SHORT(VOP1H) | SHORT(VOP1Y) | SHORT(VOP1W) | SHORT(VOP2) | SHORT(VOP2F) | SHORT(VOP2P) |
	SHORT(VOP2C) | SHORT(VOPC);
#undef SHORT

const char *
p2a_op_name(const p2a_target *t, unsigned op)
{
	unsigned f;

	if (!t || !isa_has(t, op))
		return NULL;
	f = t->family;
	while (!names[op][f])
		f--;
	return *names[op][f] ? names[op][f] : isa_table[op].name;
}

int
p2a_op_find(const p2a_target *t, const char *name)
{
	for (unsigned op = 0; t && name && op < ISA_NOPS; op++) {
		const char *s = p2a_op_name(t, op);

		if (s && !strcmp(s, name))
			return (int)op;
	}
	for (unsigned op = 0; t && name && op < ISA_NOPS; op++)
		if (!strcmp(isa_table[op].name, name) && isa_has(t, op))
			return (int)op;
	return -1;
}

const isa_format *
isa_formats_of(unsigned fmt)
{
	return &isa_formats[first_format[fmt]];
}

const isa_form *
isa_forms_of(unsigned fmt)
{
	return &isa_forms[first_form[fmt]];
}

#define OF(slot) [ISA_SL_##slot]
const uint8_t isa_source[ISA_NSLOTS] = {
	OF(SRC0) = 1, OF(VSRC0) = 1, OF(SSRC0) = 1, OF(SRC1) = 2, OF(VSRC1) = 2, OF(SSRC1) = 2, OF(LANE) = 2,
	OF(SRC2) = 3, OF(VSRC2) = 3, OF(SSRC2) = 3, OF(CSRC) = 3
};
#undef OF

int
isa_src_arg(const isa_info *info, int k)
{
	for (int a = 0; a < info->nargs; a++)
		if (isa_src_index(info->arg[a].slot) == k)
			return a;
	return -1;
}

int
isa_mod_of(unsigned slot, unsigned *mod)
{
#define THREE(slot, mod) [ISA_SL_##slot##0] = { 1, mod }, [ISA_SL_##slot##1] = { 2, mod }, [ISA_SL_##slot##2] = { 3, mod }
	static const struct { uint8_t source; uint16_t mod; } mods[ISA_NSLOTS] = {
		THREE(NEG, P2A_NEG), THREE(ABS, P2A_ABS), THREE(NEGHI, P2A_NEG_HI),
		THREE(OPSEL, ISA_MOD_LOW), THREE(OPHI, ISA_MOD_HIGH),
		[ISA_SL_SEXT0] = { 1, P2A_SEXT }, [ISA_SL_SEXT1] = { 2, P2A_SEXT }, [ISA_SL_SEL0] = { 1, 0 }, [ISA_SL_SEL1] = { 2, 0 }
	};
#undef THREE

	if (mods[slot].source)
		*mod = mods[slot].mod;
	return mods[slot].source - 1;
}

bool
isa_is_packed(const isa_format *p)
{
	return p && isa_field_of(p, ISA_SL_NEGHI0);
}

uint16_t
isa_rtn_policy(const isa_format *p, unsigned op)
{
	static const uint16_t bit[] = { P2A_GLC, P2A_SLC, P2A_DLC, P2A_SC0, P2A_SC1, P2A_NT, 0,
	    1 << P2A_TH_SHIFT };
	const isa_field *rtn = isa_table[op].eff & ISA_ATOMIC ? isa_field_of(p, ISA_SL_RTN) : NULL;

	for (unsigned s = ISA_SL_GLC; rtn && s <= ISA_SL_TH; s++) {
		const isa_field *f = isa_field_of(p, s);

		if (f && f->lo == rtn->lo)
			return bit[s - ISA_SL_GLC];
	}
	return 0;
}

unsigned
isa_policy_kind(const isa_info *info)
{
	if (info->eff & ISA_ATOMIC)
		return ISA_WORD_ATOMIC;
	return info->eff & ISA_STORE ? ISA_WORD_STORE : ISA_WORD_LOAD;
}

const isa_dpp *
isa_dpp_of(const p2a_target *t, unsigned control)
{
	for (const isa_dpp *d = isa_dpps; d < isa_dpps + isa_ndpps; d++) {
		if (!(d->layouts >> t->layout & 1) || control < d->control)
			continue;
		if (control - d->control >= d->least && control - d->control <= d->most)
			return d->control == 0x150 && !t->align_vgpr_pairs &&
			    t->family == ISA_GFX9 ? NULL : d;
	}
	return NULL;
}

const isa_format *
isa_any_format(const p2a_target *t, unsigned op, unsigned enc)
{
	int key = isa_cell_key(t, op);
	unsigned fmt = key < 0 ? FM_NONE : isa_key_fmt(key);

	if (!enc && (fmt == FM_VOP2N || fmt == FM_VOP2P))       /* have no lines of their own */
		enc = P2A_ENC_E32;
	for (const isa_form *f = isa_forms_of(fmt); enc && f->from == fmt; f++)
		if (f->enc == enc && f->layouts >> t->layout & 1) {
			fmt = f->to;
			break;
		}
	for (const isa_format *p = isa_formats_of(fmt); p->fmt == fmt; p++)
		if (p->layouts >> t->layout & 1)
			return p;
	return NULL;
}
