/* arena.c -- memory of one translation.
 * Needs a jmp_buf to leave by; leaves everything allocated until arena_free.
 * Chunks double up to 1 MiB, so a large module costs few calls of the allocator. Under AddressSanitizer, what lies between
 * two allocations, and what has grown out of its place, may not be touched. */
#include "base/base.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	arena_chunk *next;
	size_t size;            /* with this head */
};

enum { HEAD = (sizeof(arena_chunk) + 15) & ~15u, CHUNK_MIN = 16 << 10, CHUNK_MAX = 1 << 20 };

#ifdef __SANITIZE_ADDRESS__
enum { GAP = 16 };
static void lock(void *p, size_t n) { ASAN_POISON_MEMORY_REGION(p, n); }
static void unlock(void *p, size_t n) { ASAN_UNPOISON_MEMORY_REGION(p, n); }
#else
enum { GAP = 0 };
static void lock(void *p, size_t n) { (void)p; (void)n; }
static void unlock(void *p, size_t n) { (void)p; (void)n; }
#endif

static void *
default_alloc(void *ud, void *ptr, size_t osize, size_t nsize)
{
	(void)ud;
	(void)osize;
	if (nsize)
		return realloc(ptr, nsize);
	free(ptr);
	return NULL;
}

void
arena_init(arena *A, p2a_alloc_fn alloc, void *ud, jmp_buf *oom)
{
	*A = (arena){ .alloc = alloc ? alloc : default_alloc, .ud = ud, .oom = oom };
}

void
arena_free(arena *A)
{
	for (arena_chunk *c = A->chunks, *next; c; c = next) {
		next = c->next;
		unlock(c, c->size);
		A->alloc(A->ud, c, c->size, 0);
	}
	A->chunks = NULL;
	A->at = A->end = NULL;
}

void
arena_fail(arena *A)
{
	longjmp(*A->oom, 1);
}

static void
new_chunk(arena *A, size_t need)
{
	size_t size = A->chunks ? MIN(A->chunks->size * 2, (size_t)CHUNK_MAX) : CHUNK_MIN;
	arena_chunk *c;

	if (need > SIZE_MAX / 2)
		arena_fail(A);
	size = MAX(size, need + HEAD);
	c = A->alloc(A->ud, NULL, 0, size);
	if (!c)
		arena_fail(A);
	*c = (arena_chunk){ A->chunks, size };
	A->chunks = c;
	A->at = (uint8_t *)c + HEAD;
	A->end = (uint8_t *)c + size;
	lock(A->at, (size_t)(A->end - A->at));
}

void *
arena_alloc(arena *A, size_t size)
{
	size_t room = (size + 15 + GAP) & ~(size_t)15;
	void *p;

	if (size > SIZE_MAX / 2)
		arena_fail(A);
	if (room > (size_t)(A->end - A->at))
		new_chunk(A, room);
	p = A->at;
	A->at += room;
	unlock(p, size);
	return memset(p, 0, size);
}

size_t
arena_bytes(arena *A, size_t n, size_t size)
{
	if (n > SIZE_MAX / size)
		arena_fail(A);
	return n * size;
}

void *
arena_grow(arena *A, void *old, size_t oldsize, size_t newsize)
{
	void *p = arena_alloc(A, newsize);

	if (oldsize) {
		memcpy(p, old, oldsize);
		lock(old, oldsize);
	}
	return p;
}

void *
arena_dup(arena *A, const void *src, size_t n)
{
	void *p = arena_alloc(A, n);

	return n ? memcpy(p, src, n) : p;
}

char *
arena_str(arena *A, const char *s, size_t n)
{
	char *p = arena_alloc(A, n + 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *
arena_vprintf(arena *A, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		arena_fail(A);
	p = arena_alloc(A, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *
arena_printf(arena *A, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(A, fmt, ap);
	va_end(ap);
	return p;
}

void *
vec_more(arena *A, void *a, uint32_t *cap, size_t size)
{
	uint32_t n = *cap;

	if (n > UINT32_MAX / 2)
		arena_fail(A);
	*cap = n ? n * 2 : 8;
	return arena_grow(A, a, n * size, arena_bytes(A, *cap, size));
}
