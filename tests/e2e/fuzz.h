/* fuzz.h -- random PTX programs: the form that generator, printer, interpreter and reducer share.
 * A program is a list of instructions with labels; any of them may be deleted and the rest still is a
 * program, though perhaps an invalid one (a register is read that this lane did not write, too many steps,
 * a barrier not met by all): fuzz_walk says so. */
#ifndef FUZZ_H
#define FUZZ_H
#include "e2e.h"

enum { MAX_INST = 9000, MAX_LABEL = 2400, AREA = 64, TABLE = 64, FUEL = 24, MAX_STEPS = 12000 };

/* ---- registers: r 32 bits, d 64, h 16, p predicates ---- */
enum { NCLASS = 4 };
static const char fuzz_class[] = "rdhp";
unsigned fuzz_class_of(char operand);            /* operand letter of fuzz_ops.def -> index into fuzz_class */

typedef struct fuzz_op {
	const char *text;        /* an opcode; with $ a text: $0 result, $1 ... sources, @ the guard's place */
	char dst;
	const char *src;
	uint64_t (*fn)(uint64_t, uint64_t, uint64_t, uint64_t);
} fuzz_op;
extern const fuzz_op fuzz_ops[];
extern const unsigned fuzz_nops;
extern p2a_semantics fuzz_sem;                   /* that the meanings follow */

typedef enum fuzz_kind {
	I_OP,
	I_INIT,      /* cls dst from: 0 slot imm[0] of the lane's input, 1 parameter word imm[0], 2 zero */
	I_OUT,       /* cls src[0] to output word imm[0] */
	I_LABEL,     /* target[0] */
	I_BRA,       /* to target[0] */
	I_BACK,      /* the same, while there is fuel */
	I_COUNT,     /* r dst = (r src[0] & imm[0]) + imm[1]; src[0] NONE: imm[1] */
	I_LOOP,      /* --r dst > 0: to target[0] */
	I_SWITCH,    /* r src[0] & imm[0]: to target[that] */
	I_EXCHANGE,  /* barrier; r dst = r src[0] of lane me + imm[0], or lane imm[0] if imm[1] */
	I_BARRIER,
	I_RET,       /* imm[0]: spelt exit */
	I_SWAP,      /* cls src[0], src[1], src[2]: one round, or two registers where the last is NONE */
	I_PREDICATE, /* p dst = p src[0] */
	I_LOAD, I_STORE,
	/* In these the lanes of a mask act together: r of that number, or all 32 lanes where it is NONE. */
	I_WARP,      /* warp operation op, under mask target[0] */
	I_PART,      /* branch to target[0], of the lanes of mask src[0], in form PART_... */
	I_MASK,      /* r dst = mask src[0], as far as the warp has such lanes */
	I_AGAIN,     /* --r dst > 0: to target[0]; mask src[0] becomes those that go there */
	I_ATOM,      /* fuzz_atoms[op] on the place that a memory access has: src[1], src[2] operands, src[3] the old value or NONE */
	I_COPY,      /* imm[2] bytes from the lane's global area at imm[0] to its shared one at imm[1] */
	I_NOTHING    /* fuzz_nothing[op]: a fence, a hint */
} fuzz_kind;
enum { NONE = UINT32_MAX };

/* Memory accesses. */
typedef enum fuzz_space { SP_GLOBAL, SP_LOCAL, SP_SHARED, SP_CONST, SP_TABLE, SP_PARAM, NSPACE } fuzz_space;
typedef enum fuzz_form {
	FORM_CONST,     /* [base + imm] */
	FORM_NEGATIVE,  /* [end - imm] */
	FORM_INDEX,     /* [base + (r & mask) * size], one of several ways to compute it: imm[1] */
	FORM_BELOW,     /* [end - size - (r & mask) * size] */
	FORM_FAR,       /* [(base - imm[2] + (r & mask) * size) + imm]: out of range before the last addition */
	FORM_GENERIC,   /* cvta of FORM_CONST */
	FORM_GENERIC_INDEX,
	FORM_GENERIC_FAR,
	FORM_SELECT,    /* generic: this space, or global where p target[0] is false */
	NFORM
} fuzz_form;
/* Warp operations: dst, a (src[0]) with class or 0; pair: perhaps a predicate too, p target[1]. */
typedef enum fuzz_wkind {
	W_UP, W_DOWN, W_BFLY, W_IDX,            /* b: r src[1], or imm[1] where it is NONE; c likewise */
	W_ALL, W_ANY, W_UNI, W_BALLOT,          /* imm[3]: of !a */
	W_MATCH_ANY, W_MATCH_ALL,               /* of a & imm[0]; so are the next */
	W_ADD, W_MIN_U, W_MAX_U, W_MIN_S, W_MAX_S, W_AND, W_OR, W_XOR,
	W_FMIN, W_FMAX,                         /* by the text: .abs, .NaN */
	W_ACTIVE, W_BARRIER,
	W_ELECT,                                /* 1 if one lane, of the mask, was elected and all know which */
	W_EXCHANGE                              /* a of the lane imm[1] further, through shared memory */
} fuzz_wkind;
/* loose: without a mask, of all lanes that are here. */
typedef struct fuzz_wop { const char *text; uint8_t kind; char dst, a; bool pair, loose; } fuzz_wop;
extern const fuzz_wop fuzz_wops[];
extern const unsigned fuzz_nwops;

/* How I_PART parts: by p guard, the masks of those that stay to r dst, of those that go to r src[1]; by the vote
 * op of p guard, all alike (imm[0]: where it fails); by whether the block is imm[0], all alike (neg: is not). */
typedef enum fuzz_part { PART_BALLOT, PART_VOTE, PART_BLOCK } fuzz_part;

/* The lanes of a warp at one operation: those that execute it, that the mask names and that have not ended. */
typedef struct fuzz_warp {
	uint32_t here, mask, alive;
	uint64_t a[32];
	uint32_t b[32], c[32];
	uint64_t d[32];                 /* results */
	bool q[32];
	bool checked;                   /* shfl from beyond the mask gives FUZZ_NOWHERE */
} fuzz_warp;
enum { FUZZ_NOWHERE = 0x5eed };

typedef struct fuzz_type { const char *name; uint8_t bytes, n, sign; char cls; } fuzz_type;
extern const fuzz_type fuzz_types[];
extern const unsigned fuzz_ntypes;

typedef struct fuzz_atom { const char *text; uint8_t bytes, operands; char cls; bool red; uint64_t (*fn)(uint64_t old, uint64_t b, uint64_t c); } fuzz_atom;
extern const fuzz_atom fuzz_atoms[];
extern const unsigned fuzz_natoms;
extern const char *const fuzz_nothing[];
extern const unsigned fuzz_nnothing;
enum { FUZZ_NALIGNED = 2 };                      /* of the latter, the last: all lanes of the warp execute them */

typedef struct fuzz_inst {
	uint8_t kind, neg;
	int16_t guard;           /* predicate, or -1 */
	uint16_t op;
	char cls;
	uint8_t space, type, form;
	uint32_t dst;            /* memory: the index register */
	uint32_t src[4];         /* memory: the data */
	uint64_t imm[4];
	uint32_t target[4];
} fuzz_inst;

typedef struct fuzz_program {
	fuzz_inst i[MAX_INST];
	uint32_t n, nlabels;
	uint32_t label[MAX_LABEL];       /* instruction that it stands at */
	uint32_t count[NCLASS];          /* registers that any instruction may use */
	uint32_t uniform[NCLASS];        /* of these, the first: mostly the same in all lanes */
	uint32_t total[NCLASS];          /* and counters, frozen predicates, registers written only on some ways */
	uint32_t slots, words;           /* input double words and output words of a lane */
	uint32_t nparams;                /* words of the parameter s */
	uint32_t grid[2], block[2];
	uint32_t maxnreg, maxntid;       /* directives of the kernel; 0: none. maxntid 1: .reqntid */
	bool warps;                      /* has warp operations */
	uint64_t seed;
	bool strict;                     /* every register is written on all ways: the emulator may check that */
} fuzz_program;

uint32_t fuzz_rnd(uint64_t *state, uint32_t n);
uint64_t fuzz_value(uint64_t *state);
void fuzz_make(fuzz_program *, uint64_t seed);
void fuzz_place_labels(fuzz_program *);
void fuzz_fill(uint64_t seed, uint64_t *in, size_t n);
void fuzz_fill_params(uint64_t seed, uint32_t *params, size_t n);
uint64_t fuzz_hash(const void *, size_t n);
void fuzz_text(text *, const fuzz_program *);
/* The output of all lanes, or false: the program is invalid. */
bool fuzz_walk(const fuzz_program *, const uint64_t *in, const uint32_t *params, uint32_t *out);
void fuzz_warp_text(text *, const fuzz_program *, const fuzz_inst *);
void fuzz_part_text(text *, const fuzz_inst *);
void fuzz_again_text(text *, const fuzz_inst *);
bool fuzz_warp_checked(const fuzz_program *, const fuzz_inst *);
/* Fills in d and q of the lanes here. False: a result is undefined. */
bool fuzz_warp_means(const fuzz_wop *, fuzz_warp *);
uint8_t fuzz_table_byte(uint32_t k);             /* of the .const and .global tables */

static inline bool fuzz_indexed(unsigned form)
{ return form == FORM_INDEX || form == FORM_FAR || form == FORM_GENERIC_INDEX || form == FORM_GENERIC_FAR; }
static inline uint32_t fuzz_threads(const fuzz_program *p) { return p->block[0] * p->block[1]; }
static inline uint32_t fuzz_lanes(const fuzz_program *p) { return fuzz_threads(p) * p->grid[0] * p->grid[1]; }
static inline uint32_t fuzz_stride(const fuzz_program *p) { return (AREA + 4 * p->words + 15) & ~15u; }

/* Floats by bits (fuzz_float.c). rm: 'n' 'z' 'm' 'p'; ftz as 1; NaN results are the canonical NaN. */
uint64_t fuzz_add32(uint64_t, uint64_t, char rm, int ftz);
uint64_t fuzz_mul32(uint64_t, uint64_t, char rm, int ftz);
uint64_t fuzz_div32(uint64_t, uint64_t, char rm, int ftz);
uint64_t fuzz_sqrt32(uint64_t, char rm, int ftz);
uint64_t fuzz_fma32(uint64_t, uint64_t, uint64_t, char rm, int ftz);
uint64_t fuzz_min32(uint64_t, uint64_t, int max, int ftz);
uint64_t fuzz_sat32(uint64_t);
uint64_t fuzz_add64(uint64_t, uint64_t, char rm);
uint64_t fuzz_mul64(uint64_t, uint64_t, char rm);
uint64_t fuzz_div64(uint64_t, uint64_t, char rm);
uint64_t fuzz_sqrt64(uint64_t, char rm);
uint64_t fuzz_fma64(uint64_t, uint64_t, uint64_t, char rm);
uint64_t fuzz_min64(uint64_t, uint64_t, int max);
int fuzz_cmp32(uint64_t, uint64_t, int ftz);     /* -1, 0, 1; 2: unordered */
int fuzz_cmp64(uint64_t, uint64_t);
uint64_t fuzz_f32_of(int64_t, int is_unsigned, char rm);
uint64_t fuzz_f64_of(int64_t, int is_unsigned, char rm);
uint64_t fuzz_f32_of_f64(uint64_t, char rm);
uint64_t fuzz_f64_of_f32(uint64_t);
uint64_t fuzz_round32(uint64_t, char rm);        /* to an integral value */
uint64_t fuzz_round64(uint64_t, char rm);
uint64_t fuzz_int_of_f32(uint64_t, char rm, int bits, int is_signed);
uint64_t fuzz_int_of_f64(uint64_t, char rm, int bits, int is_signed);
/* f16, and bf16 where bf (fuzz_half.c): op '+' '-' '*', 'f' fma, '<' '>' min and max; pairs: two halves. */
uint64_t fuzz_half(char op, uint64_t, uint64_t, uint64_t, int bf);
uint64_t fuzz_halves(char op, uint64_t, uint64_t, uint64_t, int bf);
uint64_t fuzz_half_of_f32(uint64_t, int bf);
uint64_t fuzz_f32_of_half(uint64_t, int bf);
int fuzz_cmp_half(uint64_t, uint64_t, int bf);   /* as fuzz_cmp32 */
#endif
