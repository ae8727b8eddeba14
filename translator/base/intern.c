/* intern.c -- equal strings get one pointer.
 * Needs an arena; leaves names that live as long as it does. Open addressing, FNV-1a. */
#include "base/base.h"

#include <string.h>

struct intern_entry {
	uint32_t hash, n;
	char s[];
};

static uint32_t
hash_of(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h;
}

void
intern_init(intern *I, arena *A)
{
	*I = (intern){ .A = A, .nslots = 256 };
	I->slot = arena_array(A, intern_entry *, I->nslots);
}

static void
rehash(intern *I)
{
	intern_entry **old = I->slot;
	uint32_t n = I->nslots;

	I->nslots *= 2;
	I->slot = arena_array(I->A, intern_entry *, I->nslots);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k;

		if (!old[i])
			continue;
		for (k = old[i]->hash & (I->nslots - 1); I->slot[k]; k = (k + 1) & (I->nslots - 1))
			;
		I->slot[k] = old[i];
	}
}

const char *
intern_str(intern *I, const char *s, size_t n)
{
	uint32_t h = hash_of(s, n), k;
	intern_entry *e;

	if (I->n * 2 >= I->nslots)
		rehash(I);
	for (k = h & (I->nslots - 1); (e = I->slot[k]); k = (k + 1) & (I->nslots - 1))
		if (e->hash == h && e->n == n && !memcmp(e->s, s, n))
			return e->s;
	if (n > UINT32_MAX - 64)
		arena_fail(I->A);
	e = arena_alloc(I->A, sizeof *e + n + 1);
	e->hash = h;
	e->n = (uint32_t)n;
	memcpy(e->s, s, n);
	I->slot[k] = e;
	I->n++;
	return e->s;
}
