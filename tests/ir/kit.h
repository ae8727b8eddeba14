/* kit.h -- for the tests of ir/ and of passes on generic form: kernels from a builder, random ones,
 * an interpreter for mutable and for SSA form, and lines `ok NAME` / `not ok NAME: why`. */
#ifndef TESTS_IR_KIT_H
#define TESTS_IR_KIT_H
#include "pass/pass.h"

typedef struct kit {
	arena A;
	jmp_buf oom;
	ir_module M;
	ir_func f;
	ir_builder B;
} kit;
void kit_open(kit *);            /* an empty kernel "t" with one block, where B stands */
void kit_close(kit *);
ir_block *kit_block(kit *);      /* a new block; B moves there */
ir_opnd kit_reg(kit *, unsigned dwords);
void kit_set(kit *, ir_opnd reg, ir_opnd value);   /* G_copy */
void kit_store(kit *, unsigned address, ir_opnd value); /* shared memory, so that a value counts */
/* ret, br or cbr from where B stands */
void kit_end(kit *, ir_block *yes, ir_block *no, ir_opnd cond);
const char *kit_text(kit *);

void t_ok(bool good, const char *name, const char *fmt, ...) PRINTF(3, 4);
void t_same(const char *got, const char *want, const char *name);
int t_end(void);                 /* exit status */

typedef struct rng { uint64_t s; } rng;
uint64_t rng_next(rng *);
uint32_t rng_below(rng *, uint32_t n);
uint64_t rng_value(rng *);       /* often an edge */
unsigned t_rounds(unsigned n);   /* n, or a tenth where P2A_TEST_QUICK is set in the environment */

typedef struct shape {
	unsigned blocks, insts;  /* at most */
	bool memory, floats;
} shape;
/* mutable form; every register is written in the entry, stored at the end */
void kit_random(kit *, rng *, shape);
void kit_random_graph(kit *, rng *, unsigned blocks); /* empty blocks */

enum { TRACE_MAX = 2048 };
typedef struct trace {
	uint64_t event[TRACE_MAX]; /* address and value of each store */
	unsigned n;
	bool ended;              /* by G_ret, not for want of fuel */
	const char *fault;       /* a value that is not as its fact says */
	uint32_t value;          /* that value */
} trace;
typedef struct env {
	uint32_t special[IR_NSPECIAL];
	uint64_t seed;           /* parameters, and what is undefined */
	uint8_t mem[256];        /* shared and global memory at the start; it repeats */
} env;
void kit_env(const ir_func *, rng *, env *); /* edges in memory, often equal or neighbours */
void kit_run(ir_func *, const env *, const ir_fact *facts, trace *);
bool trace_agrees(const trace *, const trace *); /* equal, as far as both got */
#endif
