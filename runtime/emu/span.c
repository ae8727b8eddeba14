/* span.c -- reads numbers and strings from hostile bytes.
 * Needs nothing; never reads outside the span.
 * DWARF 5, 7.6 for LEB128. */
#include "emu/object.h"

const uint8_t *emu_take(emu_span *s, size_t n)
{
	if (s->bad || n > emu_left(s)) {
		s->bad = true;
		return NULL;
	}
	s->p += n;
	return s->p - n;
}

uint64_t emu_take_le(emu_span *s, unsigned bytes)
{
	const uint8_t *p = emu_take(s, bytes);
	uint64_t x = 0;
	for (unsigned i = 0; p && i < bytes && i < 8; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

uint64_t emu_take_be(emu_span *s, unsigned bytes)
{
	const uint8_t *p = emu_take(s, bytes);
	uint64_t x = 0;
	for (unsigned i = 0; p && i < bytes; i++)
		x = x << 8 | p[i];
	return x;
}

uint64_t emu_take_uleb(emu_span *s)
{
	uint64_t x = 0;
	for (unsigned shift = 0; ; shift += 7) {
		const uint8_t *p = emu_take(s, 1);
		if (!p)
			return 0;
		if (shift < 64)
			x |= (uint64_t)(*p & 127) << shift;
		if (!(*p & 128))
			return x;
	}
}

int64_t emu_take_sleb(emu_span *s)
{
	uint64_t x = 0;
	for (unsigned shift = 0; ; shift += 7) {
		const uint8_t *p = emu_take(s, 1);
		if (!p)
			return 0;
		if (shift < 64)
			x |= (uint64_t)(*p & 127) << shift;
		if (*p & 128)
			continue;
		if (*p & 64 && shift + 7 < 64)
			x |= UINT64_MAX << (shift + 7);
		return (int64_t)x;
	}
}

const char *emu_take_str(emu_span *s)
{
	const uint8_t *nul = s->bad || !emu_left(s) ? NULL : memchr(s->p, 0, emu_left(s));
	if (!nul) {
		s->bad = true;
		return "";
	}
	const char *str = (const char *)s->p;
	s->p = nul + 1;
	return str;
}
