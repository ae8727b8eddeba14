/* base.h -- what every room stands on: arena, byte buffer, growable arrays, interned strings.
 * Needs nothing. An arena belongs to one translation; nothing in it is freed before the arena is.
 * Allocation failure leaves by one longjmp (arena.c) to the one setjmp (api.c). */
#ifndef P2A_BASE_H
#define P2A_BASE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p2a.h"

#if defined(__GNUC__)
#define PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NORETURN __attribute__((noreturn))
#else
#define PRINTF(f, a)
#define NORETURN
#endif
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct arena_chunk arena_chunk;
typedef struct arena {
	p2a_alloc_fn alloc;
	void *ud;
	arena_chunk *chunks;    /* newest first */
	uint8_t *at, *end;      /* free part of the newest chunk */
	jmp_buf *oom;           /* where allocation failure goes; never NULL while in use */
} arena;

void arena_init(arena *, p2a_alloc_fn, void *ud, jmp_buf *oom); /* alloc NULL: malloc/free */
void arena_free(arena *);
void *arena_alloc(arena *, size_t size);                        /* zeroed, 16-aligned; never NULL */
void *arena_grow(arena *, void *old, size_t oldsize, size_t newsize);
void *arena_dup(arena *, const void *, size_t);
char *arena_str(arena *, const char *s, size_t n);              /* NUL-terminated copy */
char *arena_printf(arena *, const char *fmt, ...) PRINTF(2, 3);
char *arena_vprintf(arena *, const char *fmt, va_list) PRINTF(2, 0);
NORETURN void arena_fail(arena *);
#define arena_new(A, T) ((T *)arena_alloc((A), sizeof(T)))
#define arena_array(A, T, n) ((T *)arena_alloc((A), arena_bytes((A), (n), sizeof(T))))
size_t arena_bytes(arena *, size_t n, size_t size);             /* n * size, or failure on overflow */

/* VEC(T) v = {0}; *vec_push(A, &v) = x; for (i < v.n) v.a[i]. */
#define VEC(...) struct { __VA_ARGS__ *a; uint32_t n, cap; }
#define vec_push(A, v) \
	((v)->n < (v)->cap ? (void)0 : \
	 (void)((v)->a = vec_more((A), (v)->a, &(v)->cap, sizeof *(v)->a)), &(v)->a[(v)->n++])
void *vec_more(arena *, void *a, uint32_t *cap, size_t size);

/* A growing string of bytes, little-endian. */
typedef struct buf {
	arena *A;
	uint8_t *p;
	size_t n, cap;
} buf;

void buf_init(buf *, arena *);
void buf_put(buf *, const void *, size_t);
void buf_fill(buf *, uint8_t byte, size_t n);
void buf_u8(buf *, uint8_t);
void buf_u16(buf *, uint16_t);
void buf_u32(buf *, uint32_t);
void buf_u64(buf *, uint64_t);
void buf_align(buf *, size_t align, uint8_t fill);
void buf_printf(buf *, const char *fmt, ...) PRINTF(2, 3);
void buf_uleb(buf *, uint64_t);
void buf_sleb(buf *, int64_t);
const char *buf_cstr(buf *);                                    /* NUL after the end, not counted */

/* Equal strings get one pointer: names compare by ==. */
typedef struct intern_entry intern_entry;
typedef struct intern {
	arena *A;
	intern_entry **slot;
	uint32_t n, nslots;
} intern;

void intern_init(intern *, arena *);
const char *intern_str(intern *, const char *s, size_t n);
#define intern_lit(I, s) intern_str((I), (s), strlen(s))

static inline unsigned
count_ones(uint64_t x)
{
	enum { TOP = 56 };

	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> TOP);   /* the sum of all bytes, in the top one */
}

/* Bit sets of a fixed size. */
typedef struct bitset {
	uint64_t *w;
	uint32_t nbits;
} bitset;
bitset bitset_new(arena *, uint32_t nbits);
static inline bool bit_has(const bitset *b, uint32_t i) { return b->w[i >> 6] >> (i & 63) & 1; }
static inline void bit_set(bitset *b, uint32_t i) { b->w[i >> 6] |= (uint64_t)1 << (i & 63); }
static inline void bit_clear(bitset *b, uint32_t i) { b->w[i >> 6] &= ~((uint64_t)1 << (i & 63)); }
bool bitset_or(bitset *dst, const bitset *src);                 /* true if dst changed */
void bitset_copy(bitset *dst, const bitset *src);

/* Diagnostics: diag.def holds every message; the sink collects them all. */
enum diag_id {
#define DIAG(id, num, sev, text) DIAG_##id,
#include "base/diag.def"
	DIAG_COUNT
};
typedef struct diag_loc {       /* a span of one source text */
	uint32_t file;          /* index into the sink's sources */
	uint32_t offset, length; /* bytes; length 0: a place, but no text to show */
} diag_loc;
#define DIAG_NOWHERE ((diag_loc){ .file = UINT32_MAX })
typedef struct diag_sink {
	arena *A;
	const p2a_source *src;
	size_t nsrc;
	VEC(p2a_diag) list;
	uint32_t nerrors;
	struct diag_lines { uint32_t *start, n; } *lines; /* a source's lines, made when first asked for */
} diag_sink;
void diag_init(diag_sink *, arena *, const p2a_source *, size_t nsrc);
/* Formats diag.def's text of id with the arguments. */
void diag_add(diag_sink *, enum diag_id, diag_loc, ...);
unsigned diag_number(enum diag_id);
const char *diag_file(const diag_sink *, diag_loc);      /* its source's name; "?" */
uint32_t diag_line(diag_sink *, diag_loc);               /* from 1; 0: no place */
#endif
