/* regalloc_same.c -- which values hold the same content, so that a copy between them may vanish although
 * both are needed afterwards.
 * Needs segments; leaves ra_live.root. A unit that is written once, by a copy of a unit that is written
 * once, has that one's content wherever both are alive, unless it is still alive where the other is
 * written again (in the next turn of a loop). Roots follow chains of such copies.
 * After Budimlic et al., "Fast Copy Coalescing and Live-Range Identification", PLDI 2002. */
#include "pass/regalloc.h"

#include <string.h>

typedef struct same {
	ir_func *f;
	ra_live *L;
	uint32_t *writes;       /* by unit: how often, in the text */
	uint32_t *at;           /* where last: position */
	uint32_t *from;         /* unit that it is a copy of, or RA_NONE */
	uint32_t ninput;        /* values of the input: the check knows nothing of the temporaries */
} same;

bool
ra_is_tie(const ir_func *f, const ir_inst *i)
{
	const ir_opnd *d = &i->m.arg[0], *s = &i->m.arg[1];

	return i->m.op == P_copy && i->m.nargs == 2 && ir_is_val(*d) && ir_is_val(*s) &&
	       ra_bank(f, d->reg) == ra_bank(f, s->reg);
}

static void
note_writes(same *X, const ir_inst *i)
{
	ra_access a[RA_MAX_ACCESS];
	unsigned n = ra_accesses(X->f, i, a);

	for (unsigned k = 0; k < n; k++)
		for (unsigned d = 0; a[k].write && d < a[k].n; d++) {
			uint32_t u = X->L->base[a[k].val] + a[k].first + d;

			X->writes[u]++;
			X->at[u] = 2 * i->num + 1;
		}
	if (!ra_is_tie(X->f, i) || MAX(i->m.arg[0].reg, i->m.arg[1].reg) >= X->ninput)
		return;
	for (unsigned d = 0; d < i->m.arg[0].width; d++)
		X->from[X->L->base[i->m.arg[0].reg] + (uint32_t)i->m.arg[0].imm + d] =
			X->L->base[i->m.arg[1].reg] + (uint32_t)i->m.arg[1].imm + d;
}

static bool
alive_at(const ra_segs *s, uint32_t pos)
{
	ra_seg point = { pos, pos + 1 };
	ra_segs one = { &point, 1, 1 };

	return ra_overlap(s, &one);
}

static bool
may_follow(const same *X, uint32_t unit, uint32_t root)
{
	return X->writes[root] == 1 && !alive_at(&X->L->segs[unit], X->at[root]);
}

/* The root of a chain of copies is found from its far end on, so that each link is settled once. */
static void
settle(same *X, uint32_t unit)
{
	enum { MAX_CHAIN = 32 };
	uint32_t chain[MAX_CHAIN], n = 0, *root = X->L->root;

	for (uint32_t u = unit; n < MAX_CHAIN && root[u] == RA_NONE; u = X->from[u]) {
		chain[n++] = u;
		if (X->writes[u] != 1 || X->from[u] == RA_NONE)
			break;
	}
	while (n--) {
		uint32_t u = chain[n], s = X->writes[u] == 1 ? X->from[u] : RA_NONE;

		root[u] = s != RA_NONE && root[s] != RA_NONE && may_follow(X, u, root[s]) ? root[s] : u;
	}
}

void
ra_same(ir_func *f, ra_live *L, uint32_t ninput)
{
	same X = { f, L, arena_array(f->A, uint32_t, L->nunits), arena_array(f->A, uint32_t, L->nunits),
		arena_array(f->A, uint32_t, L->nunits), ninput };

	L->root = arena_array(f->A, uint32_t, L->nunits);
	memset(L->root, 0xff, L->nunits * sizeof *L->root);
	memset(X.from, 0xff, L->nunits * sizeof *X.from);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next)
			note_writes(&X, i);
	for (uint32_t u = 0; u < L->nunits; u++)
		settle(&X, u);
}
