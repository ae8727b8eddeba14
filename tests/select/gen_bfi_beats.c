/* gen_bfi_beats.c -- writes bfi_beats.def to stdout: where which row of bfi.def may be used which other one is never the cheapest, by
 * what all cost on bit fields drawn at random; of what says the same the least. From the root of the tree, after a change of rows (four minutes):
 *
 *	build/tests/select_gen_bfi_beats >beats && mv beats translator/lower/bfi_beats.def
 *
 * A row that is no more must first be taken out of bfi_beats.def. select/test_bfi_beats.c asks others. */
#include <inttypes.h>
#include <stdio.h>

#include "bfi_draw.h"

/* A pair that was met less often is left out: that costs time, not code. */
enum { OPS = G_ptx_szext_s32 - G_ptx_bfi32 + 1, DRAWS = 40000000, DRAWS_AGAIN = 4000000, ENOUGH = 400 };

/* Of a pair of an operation's rows, in a cell: how often both may be used; was the second the cheapest? Does the table have it? */
typedef struct meeting { uint32_t met; bool lost, kept; } meeting;
static meeting pair[OPS][BFI_CANDIDATES][BFI_CANDIDATES][BFI_CELLS];

static const bfi_row *first[OPS];

static bool
beats(const meeting *m)
{
	return m->met >= ENOUGH && !m->lost;
}

static void
meet(const bfi_draw *d)
{
	const bfi_row *row[BFI_CANDIDATES];
	uint32_t price[BFI_CANDIDATES];
	unsigned n = bfi_usable(&d->q, row), op = d->q.gop - G_ptx_bfi32, cell = bfi_cell(&d->q), best = 0;

	bfi_draw_prices(d, row, n, price);
	for (unsigned k = 1; k < n; k++)
		best = price[k] < price[best] ? k : best;
	for (unsigned j = 0; j < n; j++)
		for (unsigned k = 0; k < n; k++) {
			meeting *m = &pair[op][row[j] - first[op]][row[k] - first[op]][cell];

			m->met++;
			m->lost |= k == best || k == j;
		}
}

/* ---- the least of it ---- */

/* A row, and those that may be used beside it and beat it: one of them is enough. */
typedef struct victim { uint8_t op, row, cell; uint64_t by; uint32_t times; } victim;
enum { VICTIMS = 1 << 20 };
static victim victims[VICTIMS];

static void
note_victim(const victim *v)
{
	uint64_t h = (v->by ^ (uint64_t)v->op << 56 ^ (uint64_t)v->row << 48 ^ (uint64_t)v->cell << 40) * 0x9e3779b97f4a7c15;

	for (unsigned k = (unsigned)(h >> 44);; k = (k + 1) % VICTIMS) {
		victim *x = &victims[k];

		if (!x->times)
			*x = *v;
		if (x->op == v->op && x->row == v->row && x->cell == v->cell && x->by == v->by) {
			x->times++;
			return;
		}
	}
}

static void
note_victims(const bfi_draw *d)
{
	const bfi_row *row[BFI_CANDIDATES];
	unsigned n = bfi_usable(&d->q, row), op = d->q.gop - G_ptx_bfi32, cell = bfi_cell(&d->q);

	for (unsigned k = 0; k < n; k++) {
		victim v = { .op = (uint8_t)op, .row = (uint8_t)(row[k] - first[op]), .cell = (uint8_t)cell };

		for (unsigned j = 0; j < n; j++)
			if (beats(&pair[op][row[j] - first[op]][v.row][cell]))
				v.by |= 1ull << (row[j] - first[op]);
		if (v.by)
			note_victim(&v);
	}
}

/* Of what beats that row the one that does so most often where none that is kept does; 0: none is wanted. */
static unsigned
keep_one(unsigned op, unsigned row)
{
	uint64_t times[BFI_CANDIDATES] = { 0 };
	unsigned most = 0;

	for (const victim *v = victims; v < victims + VICTIMS; v++)
		for (unsigned x = 0; v->times && v->op == op && v->row == row && x < BFI_CANDIDATES; x++)
			times[x] += v->by >> x & 1 ? v->times : 0;
	for (unsigned x = 1; x < BFI_CANDIDATES; x++)
		most = times[x] > times[most] ? x : most;
	if (!times[most])
		return 0;
	for (unsigned c = 0; c < BFI_CELLS; c++)
		pair[op][most][row][c].kept = beats(&pair[op][most][row][c]);
	for (victim *v = victims; v < victims + VICTIMS; v++)
		if (v->op == op && v->row == row && v->by >> most & 1)
			v->by = 0;
	return 1;
}

/* ---- text ---- */

static uint64_t
cells_of(unsigned op, unsigned x, unsigned y)
{
	uint64_t cells = 0;

	for (unsigned c = 0; c < BFI_CELLS; c++)
		cells |= (uint64_t)pair[op][x][y][c].kept << c;
	return cells;
}

static void
write_row(unsigned op, unsigned x, unsigned n)
{
	const char *name = ir_ginfo_of(first[op]->gop)->name + sizeof "ptx_" - 1;
	bool any = false;

	for (unsigned y = 0; y < n; y++) {
		uint64_t cells = cells_of(op, x, y);

		if (!cells)
			continue;
		if (!any)
			printf("BEATS(%s, %s", name, first[op][x].name);
		printf(", B(%s, %s, 0x%013" PRIx64 ")", name, first[op][y].name, cells);
		any = true;
	}
	printf("%s", any ? ")\n" : "");
}

static void
each_draw(void (*what)(const bfi_draw *), unsigned draws)
{
	bfi_draw d = { .state = 88172645463325252 };

	for (unsigned k = 0; k < draws; k++) {
		bfi_draw_next(&d);
		what(&d);
	}
}

int
main(void)
{
	size_t rows;
	const bfi_row *row = bfi_rows(&rows);
	unsigned n[OPS] = { 0 };

	for (size_t k = 0; k < rows; k++)
		if (!n[row[k].gop - G_ptx_bfi32]++)
			first[row[k].gop - G_ptx_bfi32] = &row[k];
	each_draw(meet, DRAWS);
	each_draw(note_victims, DRAWS_AGAIN);
	for (unsigned op = 0; op < OPS; op++)
		for (unsigned y = 0; y < n[op]; y++)
			while (keep_one(op, y))
				;
	printf("/* bfi_beats.def -- BEATS(op, row, B(op, other, cells), ..): where both may be used and the bit of the cell (bfi_cell) is set the\n"
	       " * other is not the cheapest of those that may, and need not be tried (bfi.c). Include with BEATS() and B() defined.\n"
	       " * Written by tests/select/gen_bfi_beats.c; tests/select/test_bfi_beats.c holds it against what rows cost. */\n");
	for (unsigned op = 0; op < OPS; op++)
		for (unsigned x = 0; x < n[op]; x++)
			write_row(op, x, n[op]);
	printf("#undef BEATS\n#undef B\n");
	return 0;
}
