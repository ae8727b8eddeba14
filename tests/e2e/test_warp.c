/* test_warp.c -- shfl, vote, match, activemask, redux, elect: every operation and mode, every lane, random masks and
 * segments, in straight code, branches, loops of different trip counts, behind early exits and under guards, and by lanes of one mask
 * on both ways of a branch; blocks of one to three warps, whole and partial; chips of 64 and of 32 lanes a wave.
 * Expected values come from the manual's programs, below, lane by lane. What the manual leaves undefined (a source lane
 * that is not active or not named by the mask) is not compared. The elected lane is ours: the lowest.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.14. */
#include "e2e.h"
#include "length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = { "gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

enum { TURNS = 5, IN_WORDS = 8 + 2 * TURNS, MAX_OPS = 400 };
/* Words of a thread's input. */
enum { IN_A, IN_B, IN_C, IN_Q, IN_QHI, IN_P, IN_G, IN_F, IN_GROUP, IN_ALL = IN_GROUP + TURNS };

typedef enum kind { SHFL, BALLOT, ALL, ANY, UNI, ACTIVE, MATCH_ANY, MATCH_ALL, MATCH_ANY64, MATCH_ALL64, ADD, MIN_U, MAX_U, MIN_S, MAX_S,
	AND, OR, XOR, FMIN, FMAX, ELECT } kind;
typedef enum mode { UP, DOWN, BFLY, IDX } mode;

/* Which mask: none (old forms), that of the lane's group, all active lanes with some that are gone, or -1. */
typedef enum which { NONE, GROUP, WHOLE, FULL } which;

typedef struct op {
	char text[200];
	kind kind;
	mode mode;
	which mask;
	bool a_fixed, b_fixed, c_fixed, not, abs, nan;
	uint32_t a, b, c;         /* where fixed */
} op;

/* One warp while an operation runs. */
typedef struct warp {
	uint32_t active, alive;
	uint32_t a[32], b[32], c[32], f[32], group[32], all[32];
	uint64_t q[32];
	bool p[32];
} warp;

/* ---- the manual's programs ---- */

static uint32_t
mask_of(const op *o, const warp *w, uint32_t lane)
{
	switch (o->mask) {
	case NONE: return w->active;
	case GROUP: return w->group[lane];
	case WHOLE: return w->all[lane];
	default: return UINT32_MAX;
	}
}

static bool
shfl(const op *o, const warp *w, uint32_t lane, uint32_t here, uint32_t *d, uint32_t *p)
{
	uint32_t b = o->b_fixed ? o->b : w->b[lane], c = o->c_fixed ? o->c : w->c[lane];
	int bval = b & 0x1f, cval = c & 0x1f, segmask = c >> 8 & 0x1f;
	int maxLane = ((int)lane & segmask) | (cval & ~segmask), minLane = (int)lane & segmask, j = 0;
	bool pval = false;

	switch (o->mode) {
	case UP: j = (int)lane - bval; pval = j >= maxLane; break;
	case DOWN: j = (int)lane + bval; pval = j <= maxLane; break;
	case BFLY: j = (int)lane ^ bval; pval = j <= maxLane; break;
	case IDX: j = minLane | (bval & ~segmask); pval = j <= maxLane; break;
	}
	if (!pval)
		j = (int)lane;
	*p = pval;
	if (j < 0 || j > 31)            /* up with a clamp that lets it */
		return false;
	*d = o->a_fixed ? o->a : w->a[j];
	return here >> j & 1;
}

static float
as_float(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static bool
is_nan(uint32_t x)
{
	return (x & 0x7fffffff) > 0x7f800000;
}

/* -0 is less than +0. */
static uint32_t
extreme(const op *o, uint32_t x, uint32_t y)
{
	bool less;

	if (is_nan(x) || is_nan(y))
		return o->nan ? 0x7fffffff : is_nan(x) ? y : x;
	less = as_float(x) < as_float(y) || (as_float(x) == as_float(y) && x >> 31 > y >> 31);
	return (o->kind == FMIN) == less ? x : y;
}

static uint32_t
combine(const op *o, uint32_t x, uint32_t y)
{
	switch (o->kind) {
	case ADD: return x + y;
	case MIN_U: return x < y ? x : y;
	case MAX_U: return x > y ? x : y;
	case MIN_S: return (int32_t)x < (int32_t)y ? x : y;
	case MAX_S: return (int32_t)x > (int32_t)y ? x : y;
	case AND: return x & y;
	case OR: return x | y;
	case XOR: return x ^ y;
	default: return extreme(o, x, y);
	}
}

static uint32_t
redux(const op *o, const warp *w, uint32_t here)
{
	bool is_float = o->kind == FMIN || o->kind == FMAX, first = true;
	uint32_t r = 0;

	for (uint32_t j = 0; j < 32; j++) {
		uint32_t x = is_float ? w->f[j] & (o->abs ? 0x7fffffff : UINT32_MAX) : w->a[j];

		if (!(here >> j & 1))
			continue;
		r = first ? x : combine(o, r, x);
		first = false;
	}
	return r;
}

/* The result d and the predicate p of the lane; false: undefined. */
static bool
meaning(const op *o, const warp *w, uint32_t lane, uint32_t *d, uint32_t *p)
{
	uint32_t mask = mask_of(o, w, lane), here = mask & w->active, yes = 0, same = 0;
	bool wide = o->kind == MATCH_ANY64 || o->kind == MATCH_ALL64;

	*d = *p = 0;
	for (uint32_t j = 0; j < 32; j++) {
		yes |= (uint32_t)(w->p[j] != o->not) << j;
		same |= (uint32_t)(wide ? w->q[j] == w->q[lane] : w->a[j] == w->a[lane]) << j;
	}
	yes &= here;
	switch (o->kind) {
	case SHFL: return shfl(o, w, lane, here, d, p);
	case BALLOT: *d = yes; break;
	case ALL: *p = yes == here; break;
	case ANY: *p = yes != 0; break;
	case UNI: *p = yes == here || !yes; break;
	case ACTIVE: *d = w->active; break;
	case MATCH_ANY: case MATCH_ANY64: *d = same & here; break;
	case MATCH_ALL: case MATCH_ALL64:
		*p = (same & here) == here;
		*d = *p ? here : 0;
		break;
	case ELECT:
		*d = (uint32_t)__builtin_ctz(here);
		*p = *d == lane;
		break;
	default: *d = redux(o, w, here);
	}
	return true;
}

/* ---- the operations, as text ---- */

typedef struct list { op o[MAX_OPS]; size_t n; } list;

static uint64_t
rnd(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33 ^ *s >> 11;
}

static op *
add(list *l, kind k, which mask, const char *fmt, ...)
{
	static const char *const name[] = { "", "%m", "%w", "-1" };
	op *o = &l->o[l->n++];
	va_list ap;
	size_t n;

	if (l->n > MAX_OPS)
		abort();
	memset(o, 0, sizeof *o);
	o->kind = k;
	o->mask = mask;
	va_start(ap, fmt);
	n = (size_t)vsnprintf(o->text, sizeof o->text, fmt, ap);
	va_end(ap);
	if (mask != NONE)
		snprintf(o->text + n, sizeof o->text - n, ", %s", name[mask]);
	return o;
}

static uint32_t
some_c(uint64_t *s, mode m)
{
	uint32_t width = 1u << rnd(s) % 6;

	if (rnd(s) % 4 == 0)
		return (uint32_t)rnd(s);
	return (32 - width) << 8 | (m == UP ? 0 : 31);
}

/* how: 1 b is a constant, 2 c is, 4 the predicate is asked for, 8 b is a parameter (ub), 16 a is (ub again). */
static void
add_shfl(list *l, which mask, mode m, unsigned how, uint32_t ub, uint64_t *s)
{
	static const char *const word[] = { "up", "down", "bfly", "idx" };
	uint32_t b = how & 8 ? ub : (uint32_t)rnd(s) % 40, c = some_c(s, m);
	char bs[16] = "%b", cs[16] = "%c";
	op *o;

	if (how & 1)
		snprintf(bs, sizeof bs, "%u", b);
	if (how & 8)
		snprintf(bs, sizeof bs, "%%ub");
	if (how & 2)
		snprintf(cs, sizeof cs, "%u", c);
	o = add(l, SHFL, mask, "shfl%s.%s.b32 %%d%s, %s, %s, %s", mask == NONE ? "" : ".sync", word[m], how & 4 ? "|%e" : "",
	        how & 16 ? "%ub" : "%a", bs, cs);
	o->mode = m;
	o->a_fixed = how & 16;
	o->a = ub;
	o->b_fixed = how & 9;
	o->c_fixed = how & 2;
	o->b = b;
	o->c = c;
}

static void
add_votes(list *l, which m)
{
	const char *sync = m == NONE ? "" : ".sync";

	for (int not = 0; not < 2; not++) {
		const char *n = not ? "!" : "";

		add(l, BALLOT, m, "vote%s.ballot.b32 %%d, %s%%p", sync, n)->not = not;
		add(l, ALL, m, "vote%s.all.pred %%e, %s%%p", sync, n)->not = not;
		add(l, ANY, m, "vote%s.any.pred %%e, %s%%p", sync, n)->not = not;
		add(l, UNI, m, "vote%s.uni.pred %%e, %s%%p", sync, n)->not = not;
	}
}

static void
add_others(list *l, which m)
{
	static const struct { const char *text; kind k; } r[] = { { "add.u32", ADD }, { "add.s32", ADD }, { "min.u32", MIN_U }, { "max.u32", MAX_U },
		{ "min.s32", MIN_S }, { "max.s32", MAX_S }, { "and.b32", AND }, { "or.b32", OR }, { "xor.b32", XOR } };
	static const struct { const char *text; bool abs, nan; } f[] = { { "", 0, 0 }, { ".abs", 1, 0 }, { ".NaN", 0, 1 }, { ".abs.NaN", 1, 1 } };

	add(l, MATCH_ANY, m, "match.any.sync.b32 %%d, %%a");
	add(l, MATCH_ANY64, m, "match.any.sync.b64 %%d, %%q");
	add(l, MATCH_ALL, m, "match.all.sync.b32 %%d|%%e, %%a");
	add(l, MATCH_ALL64, m, "match.all.sync.b64 %%d|%%e, %%q");
	add(l, ELECT, m, "elect.sync %%d|%%e");
	for (size_t i = 0; i < sizeof r / sizeof *r; i++)
		add(l, r[i].k, m, "redux.sync.%s %%d, %%a", r[i].text);
	for (size_t i = 0; i < sizeof f / sizeof *f; i++)
		for (int max = 0; max < 2; max++) {
			op *o = add(l, max ? FMAX : FMIN, m, "redux.sync.%s%s.f32 %%d, %%f", max ? "max" : "min", f[i].text);

			o->abs = f[i].abs;
			o->nan = f[i].nan;
		}
}

/* full: -1 may be written, since no lane of the warp is elsewhere; old: forms without .sync, of chips whose lanes are in step. */
static void
make_ops(list *l, bool full, bool old, uint32_t ub, uint64_t *s)
{
	l->n = 0;
	for (int m = old ? NONE : GROUP; m <= (full ? FULL : WHOLE); m++) {
		for (int k = UP; k <= IDX; k++)
			for (unsigned how = 0; how < 32; how++)
				if (how < 8 || how == 8 || how == 14 || how == 18 || how == 24)
					add_shfl(l, (which)m, (mode)k, how, ub, s);
		add_votes(l, (which)m);
		if (m != NONE)
			add_others(l, (which)m);
	}
	if (old)
		add(l, ACTIVE, NONE, "activemask.b32 %%d");
}

/* ---- where they stand ---- */

typedef enum place { STRAIGHT, BOTH_WAYS, IF, IF_ELSE, LOOP, EXIT, IF_IN_LOOP, GUARD, NPLACES } place;
static const char *const place_name[] = { "straight code", "both ways of a branch", "if", "if and else", "loop", "early exit", "if in a loop", "guards" };

/* Does a lane with that word come to turn t? */
static bool
comes(place p, uint32_t g, int t)
{
	switch (p) {
	case STRAIGHT: case BOTH_WAYS: return t == 0;
	case IF: case EXIT: case GUARD: return t == 0 && g & 1;
	case IF_ELSE: return t == !(g & 1);
	case LOOP: return (uint32_t)t < (g >> 8) % (TURNS + 1);
	default: return g >> t & 1;
	}
}

static void
body(text *t, const list *l, const char *guard)
{
	for (size_t i = 0; i < l->n; i++) {
		const op *o = &l->o[i];

		text_add(t, "mov.u32 %%d, 0; setp.ne.u32 %%e, %%zero, 0;\n%s%s;\n", guard, o->text);
		text_add(t, "selp.u32 %%x, 1, 0, %%e; st.global.u32 [%%o+%zu], %%d; st.global.u32 [%%o+%zu], %%x;\n", i * 8, i * 8 + 4);
	}
}

/* The inputs of turn %t: the same words, changed by the turn; masks of their own. */
static void
turn(text *t, size_t nops)
{
	text_add(t, "mad.lo.u32 %%a, %%t, 7, %%a0; mad.lo.u32 %%b, %%t, 3, %%b0; add.u32 %%x, %%t, %%p0; and.b32 %%x, %%x, 1; setp.ne.u32 %%p, %%x, 0;\n"
	         "mul.wide.u32 %%at, %%t, 4; add.u64 %%at, %%at, %%i; ld.global.u32 %%m, [%%at+%d]; ld.global.u32 %%w, [%%at+%d];\n"
	         "mul.wide.u32 %%at, %%t, %zu; add.u64 %%o, %%at, %%o0;\n", IN_GROUP * 4, IN_ALL * 4, nops * 8);
}

static void
kernel(text *t, const list *l, place p, const char *directive)
{
	text_add(t, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 ub)\n%s\n{\n"
	         ".reg .b32 %%a, %%b, %%c, %%d, %%f, %%m, %%w, %%x, %%t, %%g, %%me, %%a0, %%b0, %%p0, %%zero, %%ub; .reg .b64 %%q, %%i, %%o, %%o0, %%at;\n"
	         ".reg .pred %%p, %%e, %%g1, %%l;\n"
	         "ld.param.u32 %%ub, [ub]; ld.param.u64 %%i, [in]; ld.param.u64 %%o0, [out]; mov.u32 %%me, %%tid.x; mov.u32 %%t, 0; mov.u32 %%zero, 0;\n"
	         "mul.wide.u32 %%at, %%me, %d; add.u64 %%i, %%i, %%at; mul.wide.u32 %%at, %%me, %zu; add.u64 %%o0, %%o0, %%at;\n", directive, IN_WORDS * 4,
	         l->n * 8 * TURNS);
	text_add(t, "ld.global.u32 %%a0, [%%i]; ld.global.u32 %%b0, [%%i+%d]; ld.global.u32 %%c, [%%i+%d]; ld.global.b64 %%q, [%%i+%d]; "
	         "ld.global.u32 %%p0, [%%i+%d]; ld.global.u32 %%g, [%%i+%d]; ld.global.b32 %%f, [%%i+%d]; and.b32 %%x, %%g, 1; setp.ne.u32 %%g1, %%x, 0;\n",
	         IN_B * 4, IN_C * 4, IN_Q * 4, IN_P * 4, IN_G * 4, IN_F * 4);
	switch (p) {
	case STRAIGHT:
		turn(t, l->n);
		body(t, l, "");
		break;
	case GUARD:
		turn(t, l->n);
		body(t, l, "@%g1 ");
		break;
	case IF: case EXIT:
		text_add(t, p == IF ? "@!%%g1 bra END;\n" : "@!%%g1 exit;\n");
		turn(t, l->n);
		body(t, l, "");
		break;
	case IF_ELSE: case BOTH_WAYS:
		text_add(t, "@!%%g1 bra ELSE;\n");
		turn(t, l->n);
		body(t, l, "");
		text_add(t, "bra END;\nELSE:\nmov.u32 %%t, %d;\n", p == IF_ELSE);
		turn(t, l->n);
		body(t, l, "");
		break;
	case LOOP:
		text_add(t, "shr.u32 %%g, %%g, 8; rem.u32 %%g, %%g, %d;\nTOP:\nsetp.ge.u32 %%l, %%t, %%g; @%%l bra END;\n", TURNS + 1);
		turn(t, l->n);
		body(t, l, "");
		text_add(t, "add.u32 %%t, %%t, 1;\nbra TOP;\n");
		break;
	default:
		text_add(t, "TOP:\nshr.u32 %%x, %%g, %%t; and.b32 %%x, %%x, 1; setp.eq.u32 %%l, %%x, 0; @%%l bra NEXT;\n");
		turn(t, l->n);
		body(t, l, "");
		text_add(t, "NEXT:\nadd.u32 %%t, %%t, 1; setp.lt.u32 %%l, %%t, %d; @%%l bra TOP;\n", TURNS);
	}
	text_add(t, "END:\nret;\n}\n");
}

/* ---- inputs ---- */

static uint32_t
some_float(uint64_t *s)
{
	static const uint32_t edge[] = { 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x3f800000 };

	return rnd(s) % 3 == 0 ? edge[rnd(s) % 8] : (uint32_t)(rnd(s) & 0xfffffff) | (uint32_t)(rnd(s) & 1) << 31;
}

/* Few different values at times, so that match and vote have something to find. */
static void
fill_thread(uint32_t *in, uint32_t kinds, uint64_t *s)
{
	in[IN_A] = kinds & 1 ? (uint32_t)rnd(s) % 3 : (uint32_t)rnd(s);
	in[IN_B] = (uint32_t)(kinds & 2 ? rnd(s) % 32 : rnd(s));
	in[IN_C] = some_c(s, (mode)(rnd(s) % 4));
	in[IN_Q] = kinds & 4 ? 5 : (uint32_t)rnd(s) % 2;
	in[IN_QHI] = kinds & 4 ? 9 : (uint32_t)rnd(s) % 2;
	in[IN_P] = kinds & 8 ? 1 : (uint32_t)rnd(s) & 1;
	in[IN_G] = (uint32_t)rnd(s);
	in[IN_F] = some_float(s);
	if (kinds & 16)
		in[IN_A] = 77;
}

/* Active lanes fall into groups; each mask names also lanes that are gone. */
static void
fill_masks(uint32_t *in, uint32_t active, uint32_t gone, int t, uint64_t *s)
{
	uint32_t group[4] = { 0 }, of[32], all = active | (gone & (uint32_t)rnd(s));

	for (uint32_t j = 0; j < 32; j++) {
		of[j] = (uint32_t)rnd(s) % 4;
		group[of[j]] |= active & 1u << j;
	}
	for (uint32_t j = 0; j < 32; j++)
		if (active >> j & 1) {
			in[j * IN_WORDS + IN_GROUP + (uint32_t)t] = group[of[j]];
			in[j * IN_WORDS + IN_ALL + (uint32_t)t] = all;
		}
}

static void
read_warp(warp *w, const uint32_t *in, int t)
{
	for (uint32_t j = 0; j < 32; j++) {
		const uint32_t *x = in + j * IN_WORDS;

		w->a[j] = (uint32_t)t * 7 + x[IN_A];
		w->b[j] = (uint32_t)t * 3 + x[IN_B];
		w->c[j] = x[IN_C];
		w->f[j] = x[IN_F];
		w->q[j] = x[IN_Q] | (uint64_t)x[IN_QHI] << 32;
		w->p[j] = (x[IN_P] + (uint32_t)t) & 1;
		w->group[j] = x[IN_GROUP + t];
		w->all[j] = x[IN_ALL + t];
	}
}

/* ---- runs ---- */

static uint32_t
active_in(place p, const uint32_t *in, uint32_t lanes, int t)
{
	uint32_t m = 0;

	for (uint32_t j = 0; j < lanes; j++)
		m |= (uint32_t)comes(p, in[j * IN_WORDS + IN_G], t) << j;
	return m;
}

static int
differs(const op *o, uint32_t got, uint32_t want)
{
	if ((o->kind == FMIN || o->kind == FMAX) && is_nan(want))
		return !is_nan(got);
	return got != want;
}

static int
compare(const char *name, const char *chip, const list *l, place p, const uint32_t *in, const uint32_t *out, uint32_t threads)
{
	for (uint32_t first = 0; first < threads; first += 32)
		for (int t = 0; t < TURNS; t++) {
			uint32_t lanes = threads - first < 32 ? threads - first : 32;
			warp w = { .active = active_in(p, in + first * IN_WORDS, lanes, t) };

			read_warp(&w, in + first * IN_WORDS, t);
			for (uint32_t j = 0; j < lanes; j++)
				for (size_t i = 0; i < l->n && w.active >> j & 1; i++) {
					const uint32_t *got = out + (((first + j) * TURNS + (uint32_t)t) * l->n + i) * 2;
					uint32_t d, e;
					bool known = meaning(&l->o[i], &w, j, &d, &e);
					bool has_d = strstr(l->o[i].text, "%d") != NULL, has_e = strstr(l->o[i].text, "%e") != NULL;

					if ((!known || !has_d || !differs(&l->o[i], got[0], d)) && (!has_e || got[1] == e))
						continue;
					printf("not ok %s on %s: %s: lane %u of warp %u, turn %d, active %#x: got %#x %u, should be %#x %u\n", name, chip,
					       l->o[i].text, j, first / 32, t, w.active, got[0], got[1], d, e);
					return 1;
				}
		}
	return 0;
}

static int
run(place p, uint32_t threads, uint32_t kinds, uint64_t seed)
{
	uint64_t s = seed * 977 + threads * 31 + p;
	uint32_t *in = calloc((threads + 31) / 32 * 32, IN_WORDS * 4), *out;
	list *l = malloc(sizeof *l);
	uint32_t ub = (uint32_t)rnd(&s) & 255;
	size_t out_size;
	text t = { 0 };
	char name[96];
	int bad = 0;

	if (!in || !l)
		abort();
	snprintf(name, sizeof name, "%s, %u threads, kinds %u, seed %u", place_name[p], threads, kinds, (unsigned)seed);
	make_ops(l, p == STRAIGHT || p == BOTH_WAYS || p == EXIT, p != BOTH_WAYS && seed % 2, ub, &s);
	kernel(&t, l, p, threads <= 32 && seed & 1 ? ".maxntid 32" : "");
	for (uint32_t i = 0; i < threads; i++)
		fill_thread(in + i * IN_WORDS, kinds, &s);
	for (uint32_t first = 0; first < threads; first += 32)
		for (int k = 0; k < TURNS; k++) {
			uint32_t lanes = threads - first < 32 ? threads - first : 32;
			uint32_t exists = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1, active = active_in(p, in + first * IN_WORDS, lanes, k);

			fill_masks(in + first * IN_WORDS, active, p == EXIT ? ~active : ~exists, k, &s);
		}
	out_size = (size_t)threads * TURNS * l->n * 8;
	out = malloc(out_size);
	for (const char *const *c = e2e_on(chips, sizeof chips / sizeof *chips); *c && out; c++) {
		e2e_run r = { .chip = *c, .ptx = t.s, .kernel = "k", .grid = { 1, 1, 1 }, .block = { threads, 1, 1 }, .in = in,
			.in_size = (size_t)threads * IN_WORDS * 4, .out = out, .out_size = out_size,
			.extra = &ub, .extra_size = 4 };

		r.opt = seed % 4 == 3 ? P2A_O0 : 0;
		r.check = seed % 4 == 2 ? P2A_CHECK_ALL : P2A_CHECK_MEMORY;
		bad |= e2e_launch(name, &r) || compare(name, *c, l, p, in, out, threads);
	}
	if (!bad)
		printf("ok %s: %zu operations\n", name, l->n);
	fflush(stdout);
	free(t.s);
	free(in);
	free(out);
	free(l);
	return bad;
}

int
main(void)
{
	static const uint32_t threads[] = { 32, 96, 45, 64, 7 };
	int bad = 0;

	for (int p = 0; p < NPLACES; p++)
		for (uint32_t i = 0; i < test_length(2, 5, 10); i++)
			bad |= run((place)p, threads[(i + (uint32_t)p) % 5], i * 7 % 32, i);
	return bad;
}
