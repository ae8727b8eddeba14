/* bfi_seq.h -- a row of bfi.def as machine instructions, without an IR and without an allocation: graph
 * (bfi_node.c), joining (bfi_match.c), legal operands and cost (bfi_mach.c), registers (bfi_alloc.c).
 * Everything lies in one bs_seq of the caller's; a graph that does not fit is a failure. */
#ifndef LOWER_BFI_SEQ_H
#define LOWER_BFI_SEQ_H
#include "lower/bfi.h"
#include "lower/bfi_text.h"
#include "p2a_bfi.h"

enum { BS_NODES = 64, BS_VALS = 80, BS_INSTS = P2A_BFI_INSTS, BS_CONSTS = 8, BS_NONE = 255 };

/* One dword: a constant, a dword of an operand (id 0..3: a b c d) or of a node. */
enum { BS_EMPTY, BS_CONST, BS_IN, BS_NODE, BS_VCC };
/* In one number, so that a word is made and handed on in a register: kind, id, half, differs between lanes; of the
 * value whose first word it is, whether it is a constant, its n, whether any of it differs; the constant in the upper half. */
typedef uint64_t bs_word;
enum { BS_ID = 8, BS_HALF = 16, BS_VEC = 17, BS_WHOLE = 24 /* constant */, BS_N = 25, BS_ANY_VEC = 27, BS_X = 32 };
#define BS_OF_VALUE (0xffull << BS_WHOLE)

typedef struct bs_val { bs_word w[2]; } bs_val;

static inline unsigned bs_kind(bs_word w) { return w & 255; }
static inline uint8_t bs_id(bs_word w) { return (uint8_t)(w >> BS_ID); }
static inline unsigned bs_half(bs_word w) { return w >> BS_HALF & 1; }
static inline bool bs_vec(bs_word w) { return w >> BS_VEC & 1; }
static inline uint32_t bs_x(bs_word w) { return (uint32_t)(w >> BS_X); }
/* Dwords; 0: a condition, the first word is its node. */
static inline uint8_t bs_n(bs_val v) { return v.w[0] >> BS_N & 3; }
static inline bs_word bs_word_const(uint32_t x) { return BS_CONST | (uint64_t)x << BS_X; }
static inline bs_word bs_word_of(unsigned kind, unsigned id, unsigned half, bool vec)
{ return kind | id << BS_ID | half << BS_HALF | (unsigned)vec << BS_VEC; }
static inline bool bs_same_word(bs_word a, bs_word b) { return !((a ^ b) & ~BS_OF_VALUE); }
static inline bs_val
bs_val_of(bs_word lo, bs_word hi, unsigned n)
{
	bool whole = n && bs_kind(lo) == BS_CONST && (n == 1 || bs_kind(hi) == BS_CONST);
	unsigned vec = bs_vec(lo) | (n == 2 && bs_vec(hi));

	return (bs_val){ { (lo & ~BS_OF_VALUE) | (unsigned)whole << BS_WHOLE | n << BS_N | vec << BS_ANY_VEC, hi } };
}

static inline bs_val
bs_val_of_node(unsigned node, unsigned n, bool vec)
{
	bs_word lo = bs_word_of(BS_NODE, node, 0, vec);

	return (bs_val){ { lo | n << BS_N | (unsigned)vec << BS_ANY_VEC, lo | 1u << BS_HALF } };
}

/* An operation. Nodes stand in an order in which they can be done. */
typedef struct bs_node {
	uint8_t op, n;           /* BOP_*, dwords of the result */
	uint8_t nsrc;
	bool vec, constants;     /* does it differ between lanes, may a source be a constant? */
	uint8_t uses;
	bool gone;               /* done by its readers */
	bool parts;              /* is it an instruction with SDWA parts? */
	uint8_t sel;             /* and gone: readers take this SDWA part of src[0] */
	uint8_t to;              /* not 0: the SDWA part of its result that it writes, zeros elsewhere */
	uint8_t mask;            /* uniform condition: the node that is it as a lane mask */
	uint8_t pair, half;      /* not BS_NONE: it is written straight into that dword of that pair */
	uint8_t known;           /* of two dwords: 1 the low one is known_x, 2 the high one */
	uint32_t known_x;
	uint32_t hi;             /* no larger than this (one dword) */
	bs_val src[3];
} bs_node;

/* A machine instruction; results are nodes or, for a final move, dwords of the destination. */
enum { BS_TO_NODE, BS_TO_DST, BS_TO_VCC, BS_TO_NOTHING };
typedef struct bs_inst {
	uint16_t op;
	uint8_t to, dst, half;   /* dst: node, or BS_NONE; half: of the destination or the pair */
	uint8_t n;               /* dwords of the result */
	uint8_t nsrc;
	uint8_t enc, bytes;
	bool clamp, commutes, short_form;
	uint8_t dst_sel, dst_unused, sel[3];
	bs_val src[4];
} bs_inst;

/* Where operands and result stand: P2A_K_VGPR, P2A_K_SGPR; P2A_K_IMM; P2A_K_NONE. */
typedef struct bs_place {
	uint8_t kind;
	bool dies;               /* what it holds may be overwritten */
	uint16_t reg[2];         /* of each dword */
} bs_place;

typedef struct bs_regs {
	bs_place in[4], dst;
	bool rename;             /* dwords of the result may stay where they are */
} bs_regs;

/* Operands as words, and the least and the largest that their dwords can be. */
typedef struct bs_given { bs_val val[4]; uint32_t min[4][2], max[4][2]; } bs_given;

typedef struct bs_cost { unsigned valu, salu, valu64, consts, bytes; } bs_cost;

typedef struct bs_list { uint8_t at[BS_INSTS]; unsigned n; } bs_list;  /* places in bs_seq.inst */

/* Rows of the bit fields that stand in texts: the same one stands in several rows, and in one that is built twice. */
enum { BS_NESTED = 8 };
typedef struct bs_nested {
	bool all;                /* choose among all that are usable, not the candidates alone */
	unsigned n;
	bfi_query q[BS_NESTED];
	const bfi_row *row[BS_NESTED];
} bs_nested;

typedef struct bs_seq {
	const bfi_query *q;
	const bs_regs *regs;
	bs_nested *nested;
	bs_given given;
	const bfi_row *row;
	bool failed;             /* the chip cannot, or no room */
	bool stopped;            /* it got dearer than limit */
	bool last;               /* what is being built is the result */
	uint32_t limit, least;   /* in bs_cost_key's units without bytes */
	bs_node node[BS_NODES];
	unsigned nnodes;
	bs_word val[2][BS_VALS];  /* of what the text has made so far: low words, high words */
	unsigned nvals;
	bs_val r;
	bs_inst inst[2 * BS_INSTS];
	unsigned ninst;
	bs_list salu, valu;      /* all scalar ones come first: they wait for no vector one */
	uint8_t scc, vcc;        /* conditions that stand there */
	bool vcc_inverted;
	uint8_t konst[BS_CONSTS], nkonst;  /* nodes that load constants */
	bs_val konst_x[BS_CONSTS];
	bs_cost cost;
} bs_seq;

/* What bfi_ops.def says. */
typedef struct bop_info {
	const char *name;
	uint16_t gop, salu, valu;
	uint8_t dst, nsrc;
	char src[4], order[4], low[4];
} bop_info;
extern const bop_info bop_table[BOP_COUNT];
enum { BS_NO = ISA_NOPS };

/* bfi_node.c */
void bs_give(bs_given *, const bfi_query *);
void bs_build(bs_seq *, const bfi_row *, uint32_t limit);  /* q, regs, nested, given are set */
uint8_t bs_new_node(bs_seq *, unsigned bop, bool vec, const bs_val *src);  /* as it is; BS_NONE: no room */
bs_val bs_of_node(const bs_seq *, uint8_t node);
bs_val bs_whole(const bs_seq *, bs_val);  /* a node of which a dword is known, and that as a constant: the node */
bs_val bs_const32(uint32_t x);
static inline bool bs_is_const(bs_val v) { return v.w[0] >> BS_WHOLE & 1; }
static inline uint64_t bs_value(bs_val v)
{ return bs_x(v.w[0]) | (bs_n(v) == 2 ? (uint64_t)bs_x(v.w[1]) << 32 : 0); }
static inline bool bs_is_vec(bs_val v) { return v.w[0] >> BS_ANY_VEC & 1; }
static inline bs_val bs_dword(bs_val v, unsigned half) { return bs_val_of(half ? v.w[1] : v.w[0], 0, 1); }

/* bfi_match.c: counts uses, joins operations. */
void bs_match(bs_seq *);

/* bfi_mach.c: is it a constant that no field of an instruction holds? */
bool bs_is_literal(const bs_seq *, bs_val);
bool bs_is_ones(uint64_t x);                        /* in one field, which one instruction makes */
/* Instructions; the result's moves are not among them yet. */
void bs_emit(bs_seq *);
bs_cost bs_least(const bs_seq *);                   /* of a matched graph: it costs no less */
static inline bs_inst *bs_inst_at(bs_seq *s, unsigned k)
{ return &s->inst[k < s->salu.n ? s->salu.at[k] : s->valu.at[k - s->salu.n]]; }
bs_inst *bs_move(bs_seq *, bool vec, bs_val from);  /* without its result */
uint32_t bs_cost_key(const bs_cost *);
void bs_count(bs_seq *);                            /* sets cost */

/* bfi_cost.c */
bs_seq *bs_choose(bs_seq room[2], const bfi_query *, const bs_regs *);  /* one of the two; NULL: none can */
const bfi_row *bs_choose_nested(bs_nested *, const bfi_query *);
/* bs_cost_key of that row, written, whatever bfi_beats.def says; UINT32_MAX: the chip cannot. */
uint32_t bs_price(bs_seq *room, const bfi_query *, const bs_regs *, const bfi_row *);

/* bfi_alloc.c: registers of everything, moves of the result; fills the plan. */
int bs_allocate(bs_seq *, p2a_bfi_plan *, uint8_t bytes[P2A_BFI_INSTS]);  /* bytes: of each instruction */
/* Of the last instructions: is dst written before the last operand is read, or stays a dword of the result in one? */
bool bs_early(const p2a_bfi_plan *, const bs_place *dst);

/* bfi_dual.c */
void bs_dual(const p2a_target *, p2a_bfi_plan *, const uint8_t *bytes);

/* bfi_wait.c */
int bs_wait(const p2a_target *, p2a_bfi_plan *);    /* P2A_ISA_SHORT: no room */
#endif
