/* buf.c -- a growing string of bytes, little-endian; bit sets; interned strings.
 * Needs an arena; leaves nothing outside it. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

void
buf_init(buf *b, arena *A)
{
	*b = (buf){ .A = A };
}

static void
reserve(buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 256;

	if (more > SIZE_MAX / 4 - b->n)
		arena_fail(b->A);
	while (cap < b->n + more)
		cap *= 2;
	if (cap == b->cap)
		return;
	b->p = arena_grow(b->A, b->p, b->n, cap);
	b->cap = cap;
}

void
buf_put(buf *b, const void *src, size_t n)
{
	if (!n)
		return;
	reserve(b, n);
	memcpy(b->p + b->n, src, n);
	b->n += n;
}

void
buf_fill(buf *b, uint8_t byte, size_t n)
{
	if (!n)
		return;
	reserve(b, n);
	memset(b->p + b->n, byte, n);
	b->n += n;
}

void
buf_u8(buf *b, uint8_t x)
{
	buf_put(b, &x, 1);
}

static void
put_le(buf *b, uint64_t x, unsigned bytes)
{
	uint8_t p[8];

	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(x >> (8 * i));
	buf_put(b, p, bytes);
}

void
buf_u16(buf *b, uint16_t x)
{
	put_le(b, x, 2);
}

void
buf_u32(buf *b, uint32_t x)
{
	put_le(b, x, 4);
}

void
buf_u64(buf *b, uint64_t x)
{
	put_le(b, x, 8);
}

void
buf_align(buf *b, size_t align, uint8_t fill)
{
	buf_fill(b, fill, (align - b->n % align) % align);
}

void
buf_printf(buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		arena_fail(b->A);
	reserve(b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void
buf_uleb(buf *b, uint64_t x)
{
	do {
		buf_u8(b, (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0)));
		x >>= 7;
	} while (x);
}

void
buf_sleb(buf *b, int64_t x)
{
	for (;;) {
		uint8_t low = (uint8_t)(x & 0x7f);
		bool last;

		x = x < 0 ? ~(~x >> 7) : x >> 7;
		last = (x == 0 && !(low & 0x40)) || (x == -1 && (low & 0x40));
		buf_u8(b, (uint8_t)(low | (last ? 0 : 0x80)));
		if (last)
			return;
	}
}

const char *
buf_cstr(buf *b)
{
	reserve(b, 1);
	b->p[b->n] = 0;
	return (const char *)b->p;
}

bitset
bitset_new(arena *A, uint32_t nbits)
{
	return (bitset){ arena_array(A, uint64_t, (nbits + 63) / 64 + !nbits), nbits };
}

bool
bitset_or(bitset *dst, const bitset *src)
{
	uint64_t changed = 0;

	for (uint32_t i = 0; i < (dst->nbits + 63) / 64; i++) {
		changed |= src->w[i] & ~dst->w[i];
		dst->w[i] |= src->w[i];
	}
	return changed != 0;
}

void
bitset_copy(bitset *dst, const bitset *src)
{
	memcpy(dst->w, src->w, (dst->nbits + 63) / 64 * sizeof *dst->w);
}
