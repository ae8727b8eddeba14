/* pack.h -- what the files of pass pack share: bits by where they come from, and programs of few
 * instructions that make them. Nobody else includes it. A leaf is a dword that is taken as it is;
 * a bit of a dword is 0, 1, any (nobody reads it), or a bit of a leaf. */
#ifndef PASS_PACK_H
#define PASS_PACK_H
#include "pass/pass.h"

enum { PACK_LEAVES = 7 };
enum { BIT_ZERO, BIT_ONE, BIT_ANY, BIT_LEAF = 32 };  /* bit i of leaf l: BIT_LEAF * (l + 1) + i */
typedef struct bits { uint8_t b[32]; } bits;

static inline unsigned bit_leaf(uint8_t b) { return b / BIT_LEAF - 1u; }
static inline unsigned bit_index(uint8_t b) { return b % BIT_LEAF; }

/* Costs: a vector instruction is twice a scalar one; longer code decides between equals. */
enum { COST_VECTOR = 8, COST_SCALAR = 4, COST_LITERAL = 1, COST_NONE = ~0u };

/* pack_bits.c: where the bits of a value come from */
enum { PACK_NODES = 64 };
typedef struct pack_node {
	ir_opnd o;               /* one dword of a value */
	ir_inst *def;            /* NULL: a leaf */
	bits b;
} pack_node;
typedef struct pack_tree {
	ir_func *f;
	const ir_fact *facts;
	uint32_t nfacts;         /* values that facts[] knows */
	const ir_inst *root;
	bool whole;              /* through values that have other users too */
	bool cut;                /* not whole: stopped at such a value */
	bool full;               /* more leaves or nodes than fit: nothing is known */
	unsigned nleaves, nnodes;
	ir_opnd leaf[PACK_LEAVES];
	bits leaf_bits[PACK_LEAVES];             /* as facts know them */
	pack_node node[PACK_NODES];              /* sources before users */
} pack_tree;
bool pack_moves_bits(const ir_inst *);       /* an operation that pack_bits understands, maybe */
void pack_begin(pack_tree *, const ir_inst *root, bool whole);
/* Of dword `half` of the root's result. */
bits pack_root_bits(pack_tree *, unsigned half);

/* pack_search.c: the cheapest program for given bits */
enum { PACK_STEPS = 512 };
typedef struct pack_step {
	uint8_t op;              /* row of pack.def; PACK_IS_LEAF, PACK_IS_CONST */
	uint16_t sub[3];         /* operands: steps */
	uint32_t k[2];           /* constants */
} pack_step;
enum { PACK_IS_LEAF = 254, PACK_IS_CONST = 255 };
typedef struct pack_search pack_search;
pack_search *pack_search_new(arena *);
/* Cost below `limit` of the best program found, *step its last instruction; COST_NONE. */
unsigned pack_solve(pack_search *, const pack_tree *, const bits *, unsigned limit, unsigned *step);
const pack_step *pack_step_at(const pack_search *, unsigned step);
const char *pack_text(unsigned op);          /* pack.def's text of a step */
bool pack_complete(const pack_search *);      /* the last search looked at everything */
bool pack_spent(const pack_search *);        /* the kernel's allowance of work is used up */
bool pack_costly_const(const p2a_target *, uint32_t x);      /* no inline constant */
#endif
