/* p2a.h -- PTX in, AMDGPU code object out: one call, one result.
 *
 *	p2a_source src = { "k.ptx", text, strlen(text) };
 *	p2a_options opt = { .size = sizeof opt, .target = "gfx1100" };
 *	p2a_result *r = p2a_translate(&src, 1, &opt);
 *	if (r && r->status == P2A_OK) use(r->data, r->size);
 *	p2a_result_free(r);
 *
 * The library has no mutable globals, reads no environment, prints nothing and never exits;
 * calls may run at once in any number of threads. The same input gives the same bytes. */
#ifndef P2A_H
#define P2A_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define P2A_API __attribute__((visibility("default")))
#else
#define P2A_API
#endif

#define P2A_VERSION "0.1.0"

typedef enum p2a_status {
	P2A_OK = 0,
	P2A_EARG,        /* the caller's fault: a NULL, an unknown target, an option out of range; a diagnostic says which */
	P2A_EINPUT,      /* the PTX is refused: see the diagnostics */
	P2A_ENOMEM,      /* the allocator returned NULL; or malloc, memory files or descriptors are short for libelf */
	P2A_EINTERNAL    /* our fault: the verifier stopped the translation; please report */
} p2a_status;

typedef enum p2a_severity { P2A_NOTE, P2A_WARNING, P2A_ERROR } p2a_severity;
typedef enum p2a_emit { P2A_EMIT_HSACO, P2A_EMIT_ASM, P2A_EMIT_IR, P2A_EMIT_PTX } p2a_emit;

/* bfi.b64 and bfe.*64: position and length masked to 8 bits as the PTX manual writes (9.7.1), or all
 * 32 bits of them as NVIDIA's assembler computes. The .b32 forms are the same in both. */
typedef enum p2a_semantics { P2A_SEM_DOCUMENTED, P2A_SEM_NVIDIA } p2a_semantics;

/* Lua's one-function allocator: nsize 0 frees (result ignored); otherwise returns nsize bytes,
 * 16-aligned, or NULL. ptr NULL, osize 0 for a new block. */
typedef void *(*p2a_alloc_fn)(void *ud, void *ptr, size_t osize, size_t nsize);

typedef struct p2a_source {
	const char *name;        /* for diagnostics and line tables; required, not opened */
	const char *text;        /* need not be NUL-terminated */
	size_t size;             /* bytes; at most 1 GiB; NULs behind a text are no part of it */
} p2a_source;

/* Zero means default in every field. */
typedef struct p2a_options {
	size_t size;                     /* sizeof(p2a_options) of the caller; fields beyond ours must be zero */
	const char *target;              /* required, e.g. "gfx90a:xnack-" */
	p2a_emit emit;
	p2a_semantics semantics;
	unsigned code_object;            /* 4 (default) or 5 */
	unsigned opt;                    /* 0: default (2); 1: -O1; 2: -O2; P2A_O0: none */
	unsigned keep_going;             /* leave out kernels that cannot be translated */
	const char *const *entries;      /* only these kernels; NULL: all */
	size_t nentries;
	const char *dump;                /* a pass name or "all": IR text goes to result.dump */
	/* NULL: malloc. P2A_EMIT_HSACO needs more than this: libelf takes its own memory from malloc and writes to an anonymous
	 * file in memory (memfd_create), to which RLIMIT_FSIZE applies: the system sends SIGXFSZ beyond it, so a program with
	 * such a limit has to ignore that signal; P2A_ENOMEM is the answer then. */
	p2a_alloc_fn alloc;
	void *alloc_ud;
	/* Bytes of a lane's stack, for recursion and alloca: a multiple of 16 is taken; 0: 16384, at most 2 MiB. A kernel that uses one
	 * gets all of it as private memory. */
	unsigned stack;
} p2a_options;
#define P2A_O0 3u

typedef struct p2a_diag {
	unsigned id;                     /* stable number, 101 prints as E0101 */
	p2a_severity severity;
	const char *file;                /* a source's name; NULL where no source is to blame (P2A_EARG, P2A_EINTERNAL) */
	uint32_t line, column;           /* from 1; 0 where there is no place */
	size_t offset, length;           /* bytes in the source text */
	const char *message;             /* UTF-8, no newline */
} p2a_diag;

/* What a kernel needs: a workgroup's LDS and a lane's scratch in bytes. */
typedef struct p2a_kernel_info {
	const char *name;
	uint32_t vgprs, sgprs;           /* registers a lane / a wave */
	uint32_t vgpr_spills, sgpr_spills;
	uint32_t lds, scratch;
	uint32_t instructions, code_size;
	uint32_t kernarg_size;
} p2a_kernel_info;

/* Owns everything reachable from it. */
typedef struct p2a_result {
	p2a_status status;
	const void *data;                /* the output; NULL unless status is P2A_OK */
	size_t size;
	const p2a_diag *diags;
	size_t ndiags;
	const p2a_kernel_info *kernels;
	size_t nkernels;
	const char *dump;                /* IR text asked for, or "" */
} p2a_result;

/* Translates n PTX texts as one program, n at least 1. Returns NULL when opt or src is NULL, opt->size is too small to
 * hold the target or above 4096, or not even the result could be allocated; otherwise status says how it went. P2A_EARG: an
 * unknown target or pass, a value out of range, a field set that this version does not know, a source without a name; the one diagnostic says which. */
P2A_API p2a_result *p2a_translate(const p2a_source *src, size_t n, const p2a_options *opt);
P2A_API void p2a_result_free(p2a_result *);
P2A_API const char *p2a_version(void);
P2A_API const char *p2a_status_name(p2a_status);

#ifdef __cplusplus
}
#endif
#endif
