/* layout.h -- inside isa/: bit fields, formats and cells, the machine under the public structs.
 * Needs isa.h; leaves the readers of ops.def and formats.def. Other rooms use isa.h alone. */
#ifndef ISA_LAYOUT_H
#define ISA_LAYOUT_H
#include "isa/isa.h"

enum isa_fmt {
	FM_NONE,
#define FORMAT(name) FM_##name,
#include "isa/formats.def"
	FM_COUNT
};

/* Kinds: how the bits of a field and an operand or a member of p2a_inst correspond. */
enum isa_kind {
	K_OPC, K_CONST, K_BITS,
	K_FI8,                          /* src0 of DPP8 without its upper bits: 1, with fi 2 */
	K_NOT,                          /* one bit, inverted; 1 where the operand is absent */
	K_SGPR,                         /* a scalar register, no constants */
	K_SDATA,                        /* the same without m0 and exec */
	K_SADDR,                        /* the same without exec */
	K_SADDRI,                       /* the same, beside an offset */
	K_SNULL,                        /* null */
	K_SSRC,                         /* scalar register, inline constant or literal */
	K_SRC,                          /* the same, or a VGPR */
	K_SRCV,                         /* a VGPR in a 9-bit source field */
	K_SRCD,                         /* src1 beside DPP: a VGPR, from gfx11.5 on all of K_SRC */
	K_VGPR,
	K_VDATA,                        /* the same, or an accumulation register with the ACC bit */
	K_AGPR,                         /* an accumulation register */
	K_SRCA,                         /* the same in a 9-bit source field */
	K_SRCW,                         /* what is written to one: K_SRC without literals, on gfx908 no scalar register */
	K_VGPRH, K_SRCH,                /* K_VGPR and K_SRC of 16 bits: one of the low 128 VGPRs, and which half of it */
	K_VHALF,                        /* a VGPR without its lowest bit, which is the opposite of another's */
	K_LANE,                         /* scalar register or inline constant */
	K_SDWA,                         /* VGPR, or scalar register with the S0/S1 bit */
	K_SDWAVCC,                      /* vcc as 0, another scalar register with bit 7 */
	K_SPAIR,                        /* even scalar register, halved */
	K_SQUAD,                        /* scalar register that is a multiple of four, as a quarter */
	K_BADDR,                        /* a buffer address: VGPRs, as many as offen and idxen say, or off */
	K_OFF7F, K_OFF7D, K_OFF7C,      /* scalar register, or off by that number */
	K_ALWAYS7F, K_ALWAYS7D,         /* off */
	K_ABSENT,                       /* off, all bits zero */
	K_VCC, K_EXEC, K_MUTEVCC,       /* implied: no bits; but for K_VCC not written in the text */
	K_BARID,                        /* inline integer or m0 */
	K_LIT,                          /* 32-bit constant */
	K_SIMM, K_SOFF /* an offset, written with its sign */, K_UHEX, K_UDEC, K_MSG, K_REL, K_WAIT, K_HWREG, K_IDX, K_DELAY
};

typedef struct isa_field {
	uint8_t slot, lo, width, kind;
} isa_field;
enum { ISA_MAX_FIELDS = 32 };
typedef struct isa_format {
	uint8_t fmt, layouts, dwords;
	uint32_t mask, value;
	const isa_field *at;            /* its fields by slot; those of other slots are all zero */
	isa_field f[ISA_MAX_FIELDS];    /* ends with slot ISA_SL_NONE */
} isa_format;
extern const isa_format isa_formats[];
extern const size_t isa_nformats;
const isa_format *isa_formats_of(unsigned fmt);     /* the first of its rows; they end where fmt is another */

typedef struct isa_form {
	uint8_t from, enc, to, layouts;
	uint16_t base, count;
} isa_form;
extern const isa_form isa_forms[];
extern const size_t isa_nforms;
const isa_form *isa_forms_of(unsigned from);        /* the first of its rows; they end where from is another */

/* A cell: ISA_ABSENT, or feature | format | opcode. ISA_SAME: as to the left, in ops.def alone. */
enum { ISA_SAME = -1, ISA_ABSENT = -2, ISA_RTN = 0x800, ISA_FMT_BITS = 8 };
#define ISA_KEY(feature, fmt, opc) ((int)((feature) << ISA_CELL_FEATURE | (fmt) << ISA_CELL_FORMAT | (opc)))
static inline unsigned isa_key_fmt(int key) { return (unsigned)key >> ISA_CELL_FORMAT & 0xff; }
static inline unsigned isa_key_opc(int key) { return (unsigned)key & 0xfff; }

static inline int            /* ISA_ABSENT where the chip lacks it */
isa_cell_key(const p2a_target *t, unsigned op) { return isa_has(t, op) ? isa_cells[op][t->family] : ISA_ABSENT; }
int isa_row_of(const p2a_target *, unsigned fmt, unsigned opc); /* the op with that opcode, or -1 */
static inline const isa_field *
isa_field_of(const isa_format *p, unsigned slot)
{
	const isa_field *f = &p->at[slot];

	return f->slot ? f : NULL;
}

/* Field bits of an operand; a literal's 32 bits go to lit (and has_lit is set). */
typedef struct isa_bits {
	uint32_t bits;
	uint32_t lit;
	bool has_lit;
	bool high;                      /* SDWA: scalar, the S0/S1 bit; K_VDATA: the ACC bit */
} isa_bits;

/* The literal of an instruction, or of both halves of a pair. */
typedef struct isa_lit {
	bool has;
	uint32_t value;
} isa_lit;

/* One encoding of one instruction: where it goes, what stands in the opcode field and in those of the operands. */
typedef struct isa_choice {
	const isa_format *fmt;
	const isa_form *form;           /* NULL: the row has only one encoding */
	unsigned opc;
	isa_lit lit;
	isa_bits arg[P2A_MAX_ARGS];
} isa_choice;
/* The encoding that i->enc asks for (AUTO: the shortest that holds it), or an error. */
int isa_choose(const p2a_target *, const p2a_inst *, isa_choice *);

/* Pairs: dual.c. The halves are ordinary instructions; their formats say where each stands. */
extern const uint8_t isa_dual_layouts;                                  /* that have pairs */
const isa_format *isa_half_format(const p2a_target *, unsigned side);   /* NULL: no pairs here */
int isa_half_op(const p2a_target *, unsigned opc, unsigned side);       /* the row with that opcode, or -1 */
bool isa_is_pair(const p2a_target *, const p2a_inst *);                 /* both rows exist and the number of operands fits */
int isa_dual_check(const p2a_target *, const p2a_inst *);
int isa_dual_encode(const p2a_target *, const p2a_inst *, uint32_t w[P2A_MAX_DWORDS]);
int isa_dual_decode(const p2a_target *, const uint32_t *w, size_t n, p2a_inst *);
/* Does c->fmt hold this half, beside the other half's literal in c->lit? All but what the halves share. */
int isa_check_half(const p2a_target *, const p2a_inst *, isa_choice *c);
/* Sets the bits of an instruction, or of one half, in w; its literal, but for K_LIT, is left to the caller. */
void isa_put_fields(const p2a_inst *, const isa_choice *, uint32_t *w);
/* The operands of i->op as they stand in format p: 0 or an error. */
int isa_get_args(const p2a_target *, p2a_inst *, const isa_format *p, const uint32_t *w, size_t n);
/* The length of i if it encodes to the dwords at w, else an error. */
int isa_same_dwords(const p2a_target *, const p2a_inst *, const uint32_t *w, size_t n);

/* The argument as it is beside the others: one VGPR of address where a scalar base is given. */
void isa_arg_here(const isa_info *, const p2a_inst *, int a, isa_arg *);

/* The field bits of an operand, or an error. */
int isa_to_bits(const p2a_target *, const isa_arg *, const isa_field *, const p2a_opnd *,
    isa_bits *);
/* The slot of the bit that isa_bits.high is, for an operand in that field; -1: none. */
int isa_high_slot(const isa_field *);
int isa_from_bits(const p2a_target *, const isa_arg *, const isa_field *, const isa_bits *,
    p2a_opnd *);

/* Bit ranges over a whole instruction. */
void isa_put(uint32_t *w, unsigned lo, unsigned width, uint32_t v);
uint32_t isa_get(const uint32_t *w, unsigned lo, unsigned width);

/* Has i members that say more than op, enc and operands do? */
static inline bool
isa_has_members(const p2a_inst *i)
{
	return i->clamp | i->omod | i->dst_sel | i->dst_unused | i->cpol | i->dpp | i->dpp_mask | i->dpp_flags | i->op_y |
	       i->offset | i->offset1;
}
bool isa_has_modifiers(const p2a_inst *);                       /* has an operand any, or a part chosen? */

/* Members of p2a_inst that are plain fields: value of the slot. */
uint32_t isa_member(const p2a_inst *, unsigned slot);
extern const uint8_t isa_source[ISA_NSLOTS];                   /* 1..3 of SRC0..SRC2 and kin, else 0 */
static inline int isa_src_index(unsigned slot) { return isa_source[slot] - 1; }
int isa_src_arg(const isa_info *, int k);                       /* the argument that is source k,
    or -1 */
/* NEG0, ABS1, SEL0 ..: the source k that it modifies (or -1); *mod: P2A_NEG .., 0 for SEL, or a bit of
 * p2a_opnd.sel. */
enum { ISA_MOD_LOW = 1 << 8, ISA_MOD_HIGH = 2 << 8 };
int isa_mod_of(unsigned slot, unsigned *mod);
/* The constants of v_fma_mix as op_sel_hi says: f32, or halves. */
void isa_settle_mix(p2a_inst *);
/* Two halves an operand (VOP3P, but for v_fma_mix): modifiers stand behind the operands. */
bool isa_is_packed(const isa_format *);
bool isa_is_float(unsigned type);
unsigned isa_width(const p2a_target *, const isa_arg *);        /* dwords */

/* Constants: inline codes 128..208 and 240..248. */
int isa_inline_code(isa_type, int64_t imm);                     /* -1: none */
bool isa_inline_value(isa_type, unsigned code, int64_t *imm);
bool isa_canon(isa_type, int64_t *imm);                         /* false: does not fit the type */
bool isa_literal_of(isa_type, int64_t imm, uint32_t *lit);
int64_t isa_literal_value(isa_type, uint32_t lit);

typedef struct isa_sreg {
	const char *name;
	uint8_t width;                  /* dwords; 0: any */
	int16_t number[ISA_NFAMILY];    /* -1: the family lacks it */
} isa_sreg;
extern const isa_sreg isa_sregs[P2A_NSREG];
int isa_sreg_code(const p2a_target *, const p2a_opnd *);        /* number of a named register,
    or error */

/* Words for cache policies: cpol.def. */
typedef struct isa_word {
	uint16_t mask, value;           /* of p2a_inst.cpol */
	uint8_t kind;                   /* ISA_WORD_ */
	uint8_t sys;                    /* ISA_TH_ */
	const char *name;
} isa_word;
enum { ISA_WORD_BIT, ISA_WORD_LOAD, ISA_WORD_STORE, ISA_WORD_ATOMIC, ISA_WORD_SCOPE };
enum { ISA_TH_BOTH, ISA_TH_SYS, ISA_TH_LESS };
extern const isa_word isa_words[];
extern const size_t isa_nwords;
/* The policy bits that a returning atomic sets by itself in this format, 0 if none. */
uint16_t isa_rtn_policy(const isa_format *, unsigned op);

unsigned isa_policy_kind(const isa_info *);         /* ISA_WORD_LOAD, _STORE or _ATOMIC */

/* The two bits that say which byte of src0 is converted stand in reverse. */
static inline unsigned isa_byte_bits(unsigned byte) { return (byte & 1) << 1 | byte >> 1; }

/* SDWA words by P2A_SEL_ and P2A_UNUSED_. */
enum { ISA_NSEL = P2A_SEL_WORD1 + 1, ISA_NUNUSED = P2A_UNUSED_PRESERVE + 1 };
extern const char *const isa_sel_name[ISA_NSEL], *const isa_unused_name[ISA_NUNUSED];

/* What s_set_gpr_idx_on indexes, by bit. */
enum { ISA_NIDX = 4 };
extern const char *const isa_idx_name[ISA_NIDX];

/* DPP controls: dpp.def. */
typedef struct isa_dpp {
	const char *name;
	uint16_t control;
	uint8_t least, most, layouts;
} isa_dpp;
extern const isa_dpp isa_dpps[];
extern const size_t isa_ndpps;
const isa_dpp *isa_dpp_of(const p2a_target *, unsigned control);  /* NULL: none, or quad_perm */

/* Some line of the format that an encoding of op would use, for the operands' shape; or NULL. */
const isa_format *isa_any_format(const p2a_target *, unsigned op, unsigned enc);

/* The 16 bits of s_waitcnt: all counters' fields; one counter's value (-1: no field), or set it. */
uint32_t isa_wait_mask(const p2a_target *);
bool isa_wait_set(const p2a_target *, int c, uint32_t n, uint32_t *simm);
extern const uint8_t isa_counter_order[ISA_NCNT];   /* as the text has them */

/* Offsets of ds_swizzle_b32 in words, without "swizzle()": false where there are none. swizzle.c. */
bool isa_swizzle_name(uint32_t offset, char *out, size_t cap);
bool isa_swizzle_offset(const char **text, uint32_t *offset);    /* moves *text behind them */

/* Words of s_delay_alu. */
enum { ISA_NDELAY = 12, ISA_NSKIP = 6 };
extern const char *const isa_delay_name[ISA_NDELAY], *const isa_skip_name[ISA_NSKIP];

/* Messages and hardware registers by name: sregs.def. */
typedef struct isa_hwreg {
	const char *name;
	int16_t number[ISA_NFAMILY];    /* -1: the family lacks it */
} isa_hwreg;
extern const isa_hwreg isa_hwregs[];
extern const size_t isa_nhwregs;
extern const isa_hwreg isa_messages[];
extern const size_t isa_nmessages;
#endif
