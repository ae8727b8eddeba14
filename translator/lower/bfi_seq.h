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
typedef struct bs_word {
	uint8_t kind, id, half;
	bool vec;                /* differs between lanes */
	uint32_t x;              /* the constant */
} bs_word;

typedef struct bs_val {
	bs_word w[2];
	uint8_t n;               /* dwords; 0: a condition, w[0] is its node */
} bs_val;

/* An operation. Nodes stand in an order in which they can be done. */
typedef struct bs_node {
	uint8_t op, n;           /* BOP_*, dwords of the result */
	uint8_t nsrc, uses;
	bool vec;
	bool gone;               /* done by its readers */
	uint8_t sel;             /* and gone: readers take this SDWA part of src[0] */
	uint8_t mask;            /* uniform condition: the node that is it as a lane mask */
	uint8_t pair, half;      /* not BS_NONE: it is written straight into that dword of that pair */
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

typedef struct bs_cost { unsigned valu, salu, valu64, consts, bytes; } bs_cost;

typedef struct bs_list { bs_inst a[BS_INSTS]; unsigned n; } bs_list;

typedef struct bs_seq {
	const bfi_query *q;
	const bs_regs *regs;
	const bfi_row *row;
	bool failed;             /* the chip cannot, or no room */
	bool stopped;            /* it got dearer than limit */
	uint32_t limit, least;   /* in bs_cost_key's units without bytes */
	uint32_t in_max[4][2];   /* the largest that dwords of operands can be */
	bs_node node[BS_NODES];
	unsigned nnodes;
	bs_val val[BS_VALS];
	unsigned nvals;
	bs_val r;
	bs_list salu, valu;      /* all scalar ones come first: they wait for no vector one */
	uint8_t scc, vcc;        /* conditions that stand there */
	bool vcc_inverted, vcc_read;
	uint8_t konst[BS_CONSTS], nkonst;  /* nodes that load constants */
	bs_val konst_x[BS_CONSTS];
	bs_cost cost;
} bs_seq;

/* What bfi_ops.def says. */
typedef struct bop_info {
	const char *name;
	uint16_t gop, salu, valu;
	uint8_t dst, nsrc;
	const char *src, *order, *low;
} bop_info;
extern const bop_info bop_table[BOP_COUNT];
enum { BS_NO = ISA_NOPS };

/* bfi_node.c */
void bs_build(bs_seq *, const bfi_query *, const bs_regs *, const bfi_row *, uint32_t limit);
uint32_t bs_least(const bs_seq *);                  /* of a matched graph: it costs no less, in limit's units */
uint8_t bs_new_node(bs_seq *, unsigned bop, bool vec, const bs_val *src);  /* as it is; BS_NONE: no room */
bs_val bs_of_node(const bs_seq *, uint8_t node);
bs_val bs_const32(uint32_t x);
static inline bool bs_is_const(bs_val v)
{ return v.n && v.w[0].kind == BS_CONST && (v.n == 1 || v.w[1].kind == BS_CONST); }
static inline uint64_t bs_value(bs_val v)
{ return v.w[0].x | (v.n == 2 ? (uint64_t)v.w[1].x << 32 : 0); }
static inline bool bs_is_vec(bs_val v) { return v.w[0].vec || (v.n == 2 && v.w[1].vec); }
static inline bs_val bs_dword(bs_val v, unsigned half)
{ return (bs_val){ .w = { v.w[half] }, .n = 1 }; }
static inline bool bs_same_word(bs_word a, bs_word b)
{ return a.kind == b.kind && (a.kind == BS_CONST ? a.x == b.x : a.id == b.id && a.half == b.half); }

/* bfi_match.c: counts uses, joins operations. */
void bs_match(bs_seq *);

/* bfi_mach.c: instructions; the result's moves are not among them yet. */
void bs_emit(bs_seq *);
bs_inst *bs_move(bs_seq *, bool vec, bs_val from);  /* without its result */
uint32_t bs_cost_key(const bs_cost *);
void bs_count(bs_seq *);                            /* sets cost */

/* bfi_cost.c */
bool bs_try(bs_seq *, const bfi_query *, const bs_regs *, const bfi_row *, uint32_t limit);  /* false: cannot, or dearer */
bs_seq *bs_choose(bs_seq room[2], const bfi_query *, const bs_regs *);  /* one of the two; NULL: none can */

/* bfi_alloc.c: registers of everything, moves of the result; fills the plan. */
int bs_allocate(bs_seq *, p2a_bfi_plan *, uint8_t bytes[P2A_BFI_INSTS]);  /* bytes: of each instruction */

/* bfi_dual.c */
void bs_dual(const p2a_target *, p2a_bfi_plan *, const uint8_t *bytes);
#endif
