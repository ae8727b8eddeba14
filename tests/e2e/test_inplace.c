/* test_inplace.c -- a byte or half put into a value: that the old value is right wherever it is read, and the new one whatever
 * becomes of the old one, through the whole path. Fields of bytes and halves in .b32 (inplace.def) and .b64, prmt that puts
 * one part in, masks with constants.
 * Chips: with SDWA, whose hazards the emulator checks, and one without.
 * Manual: "Parallel Thread Execution ISA", 9.7.1.20 (bfi), 9.7.9.7 (prmt). */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct place { unsigned pos, len; } places[] = { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 8 }, { 0, 16 }, { 16, 16 } };
static const struct place wide_places[] = { { 0, 8 }, { 8, 8 }, { 24, 8 }, { 32, 8 }, { 40, 8 }, { 56, 8 }, { 0, 16 }, { 16, 16 },
	{ 32, 16 }, { 48, 16 }, { 24, 16 }, { 16, 32 }, { 8, 32 }, { 8, 40 }, { 20, 20 }, { 24, 32 } };
enum { POS, LEN, WAY };
#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t
inserted(uint64_t a, uint64_t b, unsigned pos, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
	return b;
}

/* ---- inplace.def ---- */

static uint32_t
put_at(const form *f, uint32_t x, uint32_t y)
{
	return (uint32_t)inserted(x, y, (unsigned)f->k[POS], (unsigned)f->k[LEN]);
}
#define put(x, y) put_at(f, x, y)

static uint32_t
turns_at(const form *f, uint32_t a, uint32_t v, uint32_t n, bool times5)
{
	for (; n; n--)
		v = put(a + v, v) * (times5 ? 5u : 1u);
	return v;
}
#define turns(a, v, n, times5) turns_at(f, a, v, n, times5)

static uint32_t
crossed_at(const form *f, uint32_t w, uint32_t u)
{
	for (int n = 0; n < 4; n++) {
		uint32_t v = put(u, w);

		w = u;
		u = v;
	}
	return w - u;
}
#define crossed(w, u) crossed_at(f, w, u)

typedef uint32_t meaning(const form *, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define I(text, expr) \
	static uint32_t JOIN(way_, __LINE__)(const form *f, uint32_t a, uint32_t b, uint32_t c, uint32_t d) \
	{ (void)f, (void)a, (void)b, (void)c, (void)d; return expr; }
#include "inplace.def"
static const struct way { const char *text; meaning *fn; } ways[] = {
#define I(text, expr) { text, JOIN(way_, __LINE__) },
#include "inplace.def"
};

static uint64_t
by_way(const form *f, const uint64_t *s)
{
	return ways[f->k[WAY]].fn(f, (uint32_t)s[0], (uint32_t)s[1], (uint32_t)s[2], (uint32_t)s[3]);
}

/* The text with each PUT written out. */
static void
add_way(form_list *l, int way, struct place at)
{
	const char *s = ways[way].text, *e;
	text t = { 0 };
	form *f;

	for (; (e = strstr(s, "PUT")); s = e + 3)
		text_add(&t, "%.*sbfi.b32 v, t, v, %u, %u;", (int)(e - s), s, at.pos, at.len);
	text_add(&t, "%s", s);
	f = form_add(l, "r:rrrr", by_way, "{ .reg .b32 t, u, v, w; .local .b32 m; mov.b32 t, $1; %s }", t.s);
	free(t.s);
	f->k[POS] = (int)at.pos;
	f->k[LEN] = (int)at.len;
	f->k[WAY] = way;
}

/* ---- others ---- */

static uint64_t
wide(const form *f, const uint64_t *s)
{
	uint64_t r = inserted(s[0], s[1] + s[2], (unsigned)f->k[POS], (unsigned)f->k[LEN]);

	return f->k[WAY] ? r ^ (s[1] + s[2]) : r;
}

static uint64_t
permuted(const form *f, const uint64_t *s)
{
	uint64_t from = (uint32_t)s[0] | (uint64_t)(uint32_t)(s[1] + s[2]) << 32, r = 0;

	for (int k = 0; k < 4; k++)
		r |= (from >> 8 * (f->k[POS] >> 4 * k & 7) & 255) << 8 * k;
	return r;
}

static uint64_t
masked(const form *f, const uint64_t *s)
{
	uint64_t keep = ~(((1ull << f->k[LEN]) - 1) << f->k[POS]), v = s[1] + s[2];

	return (v & keep) | (f->k[WAY] == 0 ? 0xa5c396e1 & ~keep : f->k[WAY] == 1 ? (s[0] & 255) << f->k[POS] : s[0] & ~keep);
}

static form *
at(form *f, struct place p, int way)
{
	f->k[POS] = (int)p.pos;
	f->k[LEN] = (int)p.len;
	f->k[WAY] = way;
	return f;
}

static void
add_others(form_list *l)
{
	for (unsigned k = 0; k < COUNT(wide_places); k++)
		for (int kept = 0; kept < 2; kept++)
			at(form_add(l, "d:ddd", wide, "{ .reg .b64 v, w; add.u64 v, $2, $3; bfi.b64 w, $1, v, %u, %u; %s }",
				    wide_places[k].pos, wide_places[k].len, kept ? "xor.b64 $0, v, w;" : "mov.b64 $0, w;"),
			   wide_places[k], kept);
	/* One byte of each place, of either word. */
	for (int k = 0; k < 4; k++)
		for (int from = 0; from < 8; from++)
			for (int side = 0; side < 2; side++) {
				unsigned s = side ? 0x3210 : 0x7654;

				s = (s & ~(15u << 4 * k)) | (unsigned)from << 4 * k;
				form_add(l, "r:rrr", permuted, "{ .reg .b32 v; add.u32 v, $2, $3; prmt.b32 $0, $1, v, 0x%x; }", s)->k[POS] = (int)s;
			}
	for (unsigned k = 0; k < COUNT(places); k++)
		for (int way = 0; way < 3; way++) {
			unsigned part = ((1u << places[k].len) - 1) << places[k].pos;
			char x[80];

			snprintf(x, sizeof x, way == 0 ? "mov.b32 t, 0x%x;" : way == 1 ? "and.b32 t, $1, 255; shl.b32 t, t, %u;" : "and.b32 t, $1, 0x%x;",
				 way == 0 ? 0xa5c396e1 & part : way == 1 ? places[k].pos : part);
			at(form_add(l, "r:rrr", masked, "{ .reg .b32 t, v; add.u32 v, $2, $3; %s and.b32 v, v, 0x%x; or.b32 $0, v, t; }", x, ~part),
			   places[k], way);
		}
}

static void
vectors(form_data *d)
{
	static const uint64_t edge[] = { 0, 0x80ff7f01, 0xffffffff, 0x123456789abcdef0 };
	uint64_t s = 11;

	form_triples(d, edge, COUNT(edge));
	for (int i = 0; i < (e2e_quick() ? 20 : 100); i++)
		form_vector(d, form_random(&s), form_random(&s), form_random(&s), form_random(&s));
}

int
main(void)
{
	static const char *const chips[] = { "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100" };
	form_list l = { 0 };
	form_data d = { 0 };
	int bad;

	vectors(&d);
	for (unsigned w = 0; w < COUNT(ways); w++)
		for (unsigned k = 0; k < COUNT(places); k++)
			if (!e2e_quick() || (w + k) % 3 == 0)
				add_way(&l, (int)w, places[k]);
	add_others(&l);
	bad = form_run_on(chips, e2e_quick() ? 4 : COUNT(chips), "parts written in place", &l, &d, FORM_ALL | FORM_ROUGH);
	free(l.f);
	free(d.v);
	return bad;
}
