/* t.h -- what the emulator's tests share: results, code built from instructions, objects in memory.
 * Needs isa/ and emu/; every test program is a main() that returns t_end().
 * Lines of output: "ok NAME", "not ok NAME: why", "skip NAME: why". */
#ifndef TESTS_EMU_T_H
#define TESTS_EMU_T_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"
#include "isa/isa.h"

void t_ok(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void t_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void t_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* "NAME: why" */
/* Reports under the name: ok where why is NULL. */
void t_result(const char *name, const char *why);
int t_end(void);                                     /* 1 if anything was not ok */
uint64_t t_random(void);                             /* the same sequence every run */

/* The chips that every test runs on. */
extern const char *const t_chips[];                  /* ends with NULL */

/* Code under construction. */
typedef struct t_code {
	const p2a_target *t;
	p2a_target own;              /* t_wave64: the chip, encoding for waves of 64 */
	uint32_t w[1 << 14];
	size_t n;
	int error;                   /* first encoder error; the instruction is in bad */
	p2a_inst bad;
	/* of the descriptor and the note */
	/* mode: rsrc1's FLOAT_MODE, 0xf0 keeps denormals */
	uint32_t vgprs, lds, scratch, kernarg, mode;
	uint32_t agprs;              /* gfx90a, gfx942: behind the others; gfx908 has as many as vgprs */
	bool wave64;
	bool ieee, dx10, dispatch_ptr, private_segment, wg_yz, flat_init, buffer;
	uint32_t item_dims;          /* work-item ids y, z */
} t_code;

/* 64 registers, denormals kept; NULL: unknown */
t_code *t_new(const char *target);
void t_wave64(t_code *);                             /* where both are possible */
void t_emit(t_code *, const p2a_inst *);
void t_op(t_code *, unsigned op, const p2a_opnd *, unsigned n);
void t_mem(t_code *, unsigned op, int offset, const p2a_opnd *, unsigned n);
void t_word(t_code *, uint32_t);
void t_wait(t_code *);                               /* for everything in flight */
void t_back(t_code *, unsigned op, size_t to);       /* branch to the word at index `to` */
size_t t_forward(t_code *, unsigned op);             /* branch to be patched by t_here */
void t_here(t_code *, size_t branch);
#define OP(c, op, ...) t_op(c, OP_##op, (const p2a_opnd[]){ __VA_ARGS__ }, \
	(unsigned)(sizeof((const p2a_opnd[]){ __VA_ARGS__ }) / sizeof(p2a_opnd)))
#define MEM(c, op, off, ...) t_mem(c, OP_##op, off, (const p2a_opnd[]){ __VA_ARGS__ }, \
	(unsigned)(sizeof((const p2a_opnd[]){ __VA_ARGS__ }) / sizeof(p2a_opnd)))
#define V(n) P2A_V(n)
#define VN(n, w) P2A_VN(n, w)
#define S(n) P2A_S(n)
#define SN(n, w) P2A_SN(n, w)
#define K(x) P2A_I(x)
#define OFF { .kind = P2A_K_OFF }
#define SREG(r, w) { .kind = P2A_K_SREG, .width = (w), .reg = (r) }

/* A code object with one kernel "k" of that code. The caller frees it. */
uint8_t *t_object(const t_code *, size_t *size);
/* A device and the loaded kernel of c; exits the test on failure. */
typedef struct t_run {
	emu_device *dev;
	emu_object *obj;
	const emu_kernel *k;
	emu_result r;
} t_run;
bool t_load(t_run *, const t_code *, const emu_config *);  /* reports what went wrong */
void t_unload(t_run *);
/* For tests of rows of isa/ops.def by their names. t_judge: loads the code, which it frees, for `judge` to launch, and reports
 * under the names of chip and row what that says is wrong; true unless anything is. t_each_row: `run` on every row for each
 * chip; ok where all were true. */
typedef const char *(*t_judge_fn)(t_run *, const p2a_target *, unsigned op);
bool t_judge(t_code *, unsigned op, t_judge_fn judge);
void t_each_row(const char *const *chips, size_t n, bool (*run)(const char *chip, unsigned op), const char *what);
/* Everything a wave test begins with: s[4:5] and s[6:7] are the two pointers of the kernel's
 * arguments, v0 the work-item's number in the grid of blocks of 64. Kernarg is two pointers. */
void t_prologue(t_code *);
#endif
