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
	I_OP,        /* form 1: in a scope where r target[0] is another register; 2: where label target[0] is another label */
	I_INIT,      /* cls dst from: 0 slot imm[0] of the lane's input, 1 parameter word imm[0], 2 zero, 3 imm[0],
	                4 narrow parameter imm[0] */
	I_OUT,       /* cls src[0] to output word imm[0] */
	I_LABEL,     /* target[0] */
	I_BRA,       /* to target[0] */
	I_BACK,      /* the same, while there is fuel */
	I_COUNT,     /* r dst = (r src[0] & imm[0]) + imm[1]; src[0] NONE: imm[1] */
	I_LOOP,      /* --r dst > 0: to target[0] */
	I_SWITCH,    /* r src[0] & imm[0]: to target[that] */
	I_EXCHANGE,  /* barrier; r dst = r src[0] of lane me + imm[0], or lane imm[0] if imm[1] is 1, lane r src[1] if it is 2; imm[2]: which barrier,
	                and BY_HALVES */
	I_BARRIER,
	I_REDUCE,    /* barrier; r or p dst = imm[0] 0 how many, 1 all, 2 any of p src[0], or, imm[1], !p; imm[2] */
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
	I_NOTHING,   /* fuzz_nothing[op]: a fence, a hint */
	/* imm[1]: pairs a lock with its end, and names labels. */
	I_LOCK,      /* takes lock imm[0] by form TAKE_... */
	I_UNLOCK,    /* gives it back: imm[2], form as it was taken */
	I_SUM,       /* under the lock: r src[0] to sum imm[0], two for each lock */
	I_TALLY,     /* r src[0] to tally imm[0] by an atomic operation; imm[1]: atom */
	I_CHAIN,     /* r dst = r src[0] + 5 * what the lane imm[1] before has told in chain imm[0]; imm[2]: behind; tells that. imm[3]: label */
	I_FUNC,      /* function imm[0] begins, and what stands before it ends */
	I_ARG,       /* cls dst = parameter imm[0] of signature imm[1]; NO_ARG: the mask */
	I_CALL,      /* function op, or one of the table by r target[0]; signature imm[1], arguments src, result dst, mask target[1]; imm[0]: how
	                deep calls may go, but in a function one less than that may; form: arguments by name */
	I_NOT_FIRST, /* unless the lane is the first of mask src[0]: to target[0] */
	I_NOT_TURN   /* unless turn r src[0] & imm[0] of a loop is that of the lane in its block: to target[0] */
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
/* Locks of a block, by number; words that a block has behind all lanes' output: two of each lock, sums, tallies. */
enum { LOCK_WORD, LOCK_BIT, LOCK_SHARED, LOCK_TICKET, NLOCK, NSUM_OPS = 4, TALLY_TURN = 6, NTALLY = 7, FIRST_SUM = 2 * NLOCK, FIRST_TALLY = FIRST_SUM + 2 * NLOCK,
	TAIL = FIRST_TALLY + NTALLY + 1, NCHAIN = 4, NWAIT = 40 };
/* How the word of a lock is taken: TRY, the section within the loop; KNOW, whether it was had is kept in a register. */
typedef enum fuzz_take { TAKE_CAS, TAKE_EXCH, TAKE_NAP, TAKE_TEST, TAKE_TRY, TAKE_KNOW, NTAKE } fuzz_take;

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
/* The second barrier of an exchange: some arrive at it, and wait at another (bar.arrive). */
enum { BY_HALVES = 16 };

/* Where its text stands, in .form: once; on both ways of a branch by p src[3]; on three, by p target[3] too; there in functions. target[2]: a
 * number for its labels. It is one operation all the same: lanes of a mask meet wherever they execute it. */
enum { WARP_ONCE, WARP_TWICE, WARP_THRICE, WARP_NPLACES, WARP_CALLED = 4 };
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

/* Parameters of 8 and 16 bits, in the last NARROW words of all. */
enum { NNARROW = 6, NARROW = 2 };
typedef struct fuzz_narrow { const char *type; uint8_t at, bytes, sign; } fuzz_narrow;
extern const fuzz_narrow fuzz_narrows[NNARROW];

typedef struct fuzz_atom { const char *text; uint8_t bytes, operands; char cls; bool red; char kind; uint64_t (*fn)(uint64_t old, uint64_t b, uint64_t c); } fuzz_atom;
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

enum { NFUNC = 4, NSIGNATURE = 2, NARG = 4, NO_ARG = 255, MAX_DEEP = 4 };
/* A parameter of a function: bits that arrive of the register's. The last of fuzz_args are structs. */
typedef struct fuzz_arg { const char *name; char cls; uint8_t bits, sign; } fuzz_arg;
extern const fuzz_arg fuzz_args[];
extern const unsigned fuzz_nargs;
bool fuzz_plain_arg(unsigned arg);               /* as wide as its register: may be given by name */
/* mask: lanes of a known mask call it together, and in whole: all of the block; exits: some may end in it, else none does; lock0: the first
 * lock that it may take. */
typedef struct fuzz_signature { uint8_t nargs, arg[NARG], result, lock0; bool in_reg, mask, whole, exits; } fuzz_signature;
typedef struct fuzz_func { uint32_t start, signature, count[NCLASS], uniform[NCLASS], total[NCLASS]; } fuzz_func;

typedef struct fuzz_program {
	fuzz_inst i[MAX_INST];
	uint32_t n, nlabels;
	uint32_t label[MAX_LABEL];       /* instruction that it stands at */
	uint32_t count[NCLASS];          /* registers that any instruction may use */
	uint32_t uniform[NCLASS];        /* of these, the first: mostly the same in all lanes */
	uint32_t total[NCLASS];          /* and counters, frozen predicates, registers written only on some ways */
	uint32_t nfuncs, table[NSIGNATURE][4];  /* functions behind the kernel; which of them a call through a register may reach */
	fuzz_func func[NFUNC];
	fuzz_signature signature[NSIGNATURE];
	uint32_t slots, words;           /* input double words and output words of a lane */
	uint32_t nparams;                /* words of the parameter s and the narrow ones behind it */
	uint32_t grid[2], block[2];
	uint32_t maxnreg, maxntid;       /* directives of the kernel; 0: none. maxntid 1: .reqntid */
	bool warps, in_step;             /* has warp operations; loose ones too, but then each stands once */
	bool waits;                      /* and lanes that wait for each other */
	uint32_t nchains, chain_word;    /* a flag and a value for each chain behind the output words */
	uint64_t seed;
	bool strict;                     /* every register is written on all ways: the emulator may check that */
} fuzz_program;

uint32_t fuzz_rnd(uint64_t *state, uint32_t n);
uint64_t fuzz_value(uint64_t *state);
/* with: FUZZ_WITH_..., what it has in any case. */
enum { FUZZ_WITH_WAITS = 1, FUZZ_WITH_CALLS = 2 };
void fuzz_make(fuzz_program *, uint64_t seed, unsigned with);
void fuzz_place_labels(fuzz_program *);
void fuzz_fill(uint64_t seed, uint64_t *in, size_t n);
void fuzz_fill_params(uint64_t seed, uint32_t *params, size_t n);
uint64_t fuzz_hash(const void *, size_t n);
void fuzz_text(text *, const fuzz_program *);
/* The output of all lanes, or false: the program is invalid. */
bool fuzz_walk(const fuzz_program *, const uint64_t *in, const uint32_t *params, uint32_t *out);
void fuzz_warp_text(text *, const fuzz_program *, const fuzz_inst *);
void fuzz_warp_functions(text *, const fuzz_program *);  /* that its text calls */
void fuzz_part_text(text *, const fuzz_inst *);
void fuzz_again_text(text *, const fuzz_inst *);
bool fuzz_warp_checked(const fuzz_program *, const fuzz_inst *);
/* Fills in d and q of the lanes here. False: a result is undefined. */
bool fuzz_warp_means(const fuzz_wop *, fuzz_warp *);
void fuzz_lock_text(text *, const fuzz_inst *);
void fuzz_unlock_text(text *, const fuzz_inst *);
void fuzz_head_text(text *, const fuzz_program *, unsigned func);
void fuzz_arg_text(text *, const fuzz_program *, const fuzz_inst *);
void fuzz_return_text(text *, const fuzz_signature *, const char *guard);
void fuzz_call_text(text *, const fuzz_program *, const fuzz_inst *, unsigned number, const fuzz_signature *caller);
void fuzz_sum_text(text *, const fuzz_inst *);
void fuzz_tally_text(text *, const fuzz_inst *);
void fuzz_chain_text(text *, const fuzz_program *, const fuzz_inst *);
/* What lane value x does to the block's words. False: the order shows. */
bool fuzz_sum_means(uint32_t *tail, const fuzz_inst *, uint32_t x);
bool fuzz_tally_means(uint32_t *tail, const fuzz_inst *, uint32_t x);
uint32_t fuzz_chain_before(const fuzz_inst *, uint32_t lane, uint32_t threads);
uint32_t fuzz_chain_link(uint32_t before, uint32_t x);
uint8_t fuzz_table_byte(uint32_t k);             /* of the .const and .global tables */

/* Element e of a vector: its register, or NONE where a load drops it: bit e of imm[3]. */
static inline uint32_t fuzz_element(const fuzz_inst *i, unsigned e) { return i->kind == I_LOAD && i->imm[3] >> e & 1 ? NONE : i->src[e & 3]; }
/* The number that is made of x for atomic additions of floats of that kind. */
uint64_t fuzz_number(char kind, uint64_t x);
static inline bool fuzz_indexed(unsigned form)
{ return form == FORM_INDEX || form == FORM_FAR || form == FORM_GENERIC_INDEX || form == FORM_GENERIC_FAR; }
static inline uint32_t fuzz_threads(const fuzz_program *p) { return p->block[0] * p->block[1]; }
static inline uint32_t fuzz_lanes(const fuzz_program *p) { return fuzz_threads(p) * p->grid[0] * p->grid[1]; }
static inline uint32_t fuzz_stride(const fuzz_program *p) { return (AREA + 4 * p->words + 31) & ~31u; }
/* Bytes of the output: a row of fuzz_stride() for each lane, then TAIL words for each block. */
static inline size_t fuzz_tail(const fuzz_program *p) { return (size_t)fuzz_lanes(p) * fuzz_stride(p); }
static inline size_t fuzz_out_size(const fuzz_program *p) { return fuzz_tail(p) + (p->waits ? p->grid[0] * p->grid[1] * TAIL * 4u : 0); }

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
