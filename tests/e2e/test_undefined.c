/* test_undefined.c -- registers that are read before anything is written to them, or that only some paths write. PTX
 * gives them no value but does not forbid them: such programs translate, and what does not depend on them is exact.
 * Random structured programs, in which good registers (g, every write of them known) live among undefined ones of every
 * class and the branches that these decide, against the same walk in C; small fixed ones; and the examples with
 * instructions taken out. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, NGOOD = 4, NUNDEF = 5, DEPTH = 3, TURNS = 2, INTERNAL = 901 };

static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200" };
static const unsigned levels[] = { 2, 1, P2A_O0 };
enum { NCHIPS = sizeof chips / sizeof *chips, NLEVELS = sizeof levels / sizeof *levels };

static uint32_t
random32(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*s >> 33);
}

/* ---- random programs ---- */

/* One walk over a program: writes it (to not NULL) or does it for one thread. */
typedef struct walk {
	text *to;
	unsigned labels;
	uint32_t g[NGOOD], n;    /* n: a parameter, the same for all threads */
} walk;

/* $r $d $h $p: some undefined register of 32, 64, 16 bits, a predicate; $g: a good one; #: a number below 32. */
static const char *const undefined[] = {
	"add.s32 $r, $r, $r;", "add.s32 $r, $r, 1;", "xor.b32 $r, $r, $g;", "mov.u32 $r, $g;", "mov.u32 $r, $r;",
	"mad.lo.s32 $r, $r, $g, $r;", "selp.b32 $r, $r, $r, $p;", "clz.b32 $r, $r;", "cvt.u32.u16 $r, $h;", "cvt.u32.u64 $r, $d;",
	"bfi.b32 $r, $r, $r, #, #;", "bfe.u32 $r, $r, $r, #;", "mov.b32 $r, {$h, $h};", "shl.b32 $r, $r, $r;",
	"add.s64 $d, $d, $d;", "mov.b64 $d, $d;", "mov.b64 $d, {$r, $r};", "mov.b64 {%r0, %r1}, $d;", "cvt.u64.u32 $d, $r;",
	"selp.b64 $d, $d, $d, $p;", "bfi.b64 $d, $d, $d, #, #;", "shr.u64 $d, $d, #;", "xor.b64 $d, $d, $d;", "clz.b64 $r, $d;",
	"mul.wide.u32 $d, $r, $g;", "add.s16 $h, $h, $h;", "cvt.u16.u32 $h, $r;", "mov.b32 {%h0, %h1}, $r;", "selp.b16 $h, $h, $h, $p;",
	"setp.lt.s32 $p, $r, $r;", "setp.eq.u64 $p, $d, $d;", "setp.ne.u16 $p, $h, $h;", "xor.pred $p, $p, $p;", "not.pred $p, $p;",
	"and.pred $p, $p, $p;", "setp.gt.and.u32 $p, $r, $g, $p;", "mov.pred $p, $p;",
};

static void
undefined_step(walk *w, uint64_t *s)
{
	const char *c = undefined[random32(s) % (sizeof undefined / sizeof *undefined)];

	if (random32(s) % 4 == 0 && w->to)
		text_add(w->to, "@%s%%p%u ", random32(s) % 2 ? "!" : "", random32(s) % NUNDEF);
	for (; *c && w->to; c++)
		if (*c == '$') {
			c++;
			text_add(w->to, "%%%c%u", *c, random32(s) % (*c == 'g' ? NGOOD : NUNDEF));
		} else if (*c == '#') {
			text_add(w->to, "%u", random32(s) % 32);
		} else {
			text_add(w->to, "%c", *c);
		}
	if (w->to)
		text_add(w->to, "\n");
}

static void
good_step(walk *w, uint64_t *s)
{
	static const char *const op[] = { "add.u32", "xor.b32", "mul.lo.u32" };
	uint32_t k = random32(s) % 3, d = random32(s) % NGOOD, a = random32(s) % NGOOD, b = random32(s) % NGOOD;

	if (w->to)
		text_add(w->to, "%s %%g%u, %%g%u, %%g%u;\n", op[k], d, a, b);
	w->g[d] = k == 0 ? w->g[a] + w->g[b] : k == 1 ? w->g[a] ^ w->g[b] : w->g[a] * w->g[b];
}

static void body(walk *, uint64_t seed, unsigned depth, bool good);

/* Past a body where a bit of a good register or of the parameter is set. */
static void
branch(walk *w, uint64_t *s, unsigned depth, bool good)
{
	uint32_t from = random32(s) % (NGOOD + 2), bit = 1u << random32(s) % 4, label = w->labels++;
	uint64_t inner = random32(s);

	if (w->to && from < NGOOD)
		text_add(w->to, "and.b32 %%t, %%g%u, %u; setp.ne.u32 %%q, %%t, 0;\n@%%q bra L%u;\n", from, bit, label);
	else if (w->to)
		text_add(w->to, "and.b32 %%t, %%n, %u; setp.ne.u32 %%q, %%t, 0;\n@%%q bra L%u;\n", bit, label);
	if (w->to || !((from < NGOOD ? w->g[from] : w->n) & bit))
		body(w, inner, depth + 1, good);
	if (w->to)
		text_add(w->to, "L%u:\n", label);
}

static void
loop(walk *w, uint64_t *s, unsigned depth, bool good)
{
	uint64_t inner = random32(s);
	uint32_t label = w->labels++;

	if (w->to)
		text_add(w->to, "mov.u32 %%c%u, %d;\nL%u:\n", depth, TURNS, label);
	for (unsigned k = 0; k < (w->to ? 1 : TURNS); k++)
		body(w, inner, depth + 1, good);
	if (w->to)
		text_add(w->to, "sub.u32 %%c%u, %%c%u, 1; setp.ne.u32 %%q, %%c%u, 0;\n@%%q bra L%u;\n", depth, depth, depth, label);
}

/* Branches that an undefined predicate decides go around undefined registers alone; such loops might not end, and are
 * never entered: %z is zero, which the translator cannot know. */
static void
undefined_branch(walk *w, uint64_t *s, unsigned depth)
{
	uint64_t inner = random32(s);
	uint32_t past = w->labels, again = w->labels + 1, p = random32(s) % NUNDEF;
	bool loops = random32(s) % 2;

	w->labels += 2;
	if (!w->to)
		return;
	if (loops)
		text_add(w->to, "setp.eq.u32 %%q, %%z, 0;\n@%%q bra L%u;\nL%u:\n", past, again);
	else
		text_add(w->to, "@%%p%u bra L%u;\n", p, past);
	body(w, inner, depth + 1, false);
	if (loops)
		text_add(w->to, "@%%p%u bra L%u;\n", p, again);
	text_add(w->to, "L%u:\n", past);
}

static void
body(walk *w, uint64_t seed, unsigned depth, bool good)
{
	uint64_t s = seed * 0x9e3779b97f4a7c15u + depth;

	for (unsigned n = 3 + random32(&s) % 6; n; n--) {
		uint64_t step = random32(&s);   /* of its own, so that both kinds of walk draw the same */
		unsigned k = random32(&s) % 12;

		if (k < 3 && good)
			good_step(w, &step);
		else if (k < 8 || depth == DEPTH)
			undefined_step(w, &step);
		else if (k < 10)
			undefined_branch(w, &step, depth);
		else if (k < 11)
			branch(w, &step, depth, good);
		else
			loop(w, &step, depth, good);
	}
}

static void
write_program(text *t, uint64_t seed)
{
	walk w = { .to = t };

	text_add(t, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 z)\n{\n"
		".reg .b32 %%r<%d>, %%g<%d>, %%c<%d>, %%t, %%n, %%z; .reg .b64 %%d<%d>, %%out; .reg .b16 %%h<%d>; .reg .pred %%p<%d>, %%q;\n"
		"ld.param.u64 %%out, [out]; ld.param.u32 %%n, [n]; ld.param.u32 %%z, [z];\n"
		"mov.u32 %%g0, %%tid.x; add.u32 %%g1, %%g0, 77; xor.b32 %%g2, %%g0, %%n; mov.u32 %%g3, %%n;\n"
		"mul.wide.u32 %%d0, %%g0, %d; add.u64 %%out, %%out, %%d0;\n", NUNDEF, NGOOD, DEPTH + 1, NUNDEF, NUNDEF, NUNDEF, NGOOD * 4);
	body(&w, seed, 0, true);
	text_add(t, "st.global.v4.u32 [%%out], {%%g0, %%g1, %%g2, %%g3};\nsetp.eq.u32 %%q, %%z, 0;\n@%%q bra END;\n");
	for (unsigned k = 0; k < NUNDEF; k++)
		text_add(t, "st.global.u32 [%%out], %%r%u; st.global.u64 [%%out], %%d%u; st.global.u16 [%%out], %%h%u; @%%p%u st.global.u32 [%%out], 1;\n", k, k, k, k);
	text_add(t, "END: ret;\n}\n");
}

/* ---- translation ---- */

/* 0, or 1 with a message. *ok counts those that were not refused. */
static int
translate(const char *name, const char *ptx, const char *chip, unsigned opt, unsigned *ok)
{
	p2a_source src = { name, ptx, strlen(ptx) };
	p2a_options o = { .size = sizeof o, .target = chip, .opt = opt };
	p2a_result *r = p2a_translate(&src, 1, &o);
	int bad = !r;

	*ok += r && r->status == P2A_OK;
	for (size_t k = 0; r && k < r->ndiags; k++)
		if (r->diags[k].id == INTERNAL) {
			printf("not ok undefined: %s, %s, opt %u: %s\n", name, chip, opt, r->diags[k].message);
			bad = 1;
		}
	p2a_result_free(r);
	return bad;
}

static int
run(const char *name, const char *ptx, uint64_t seed, const char *chip, unsigned opt)
{
	uint32_t in = 0, out[THREADS][NGOOD], params[2] = { (uint32_t)seed * 0x9e3779b9u, 0 };
	e2e_run r = { .chip = chip, .ptx = ptx, .kernel = "k", .opt = opt, .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 },
		.in = &in, .in_size = sizeof in, .out = out, .out_size = sizeof out, .extra = params, .extra_size = sizeof params };

	if (e2e_launch(name, &r))
		return 1;
	for (uint32_t t = 0; t < THREADS; t++) {
		walk w = { .g = { t, t + 77, t ^ params[0], params[0] }, .n = params[0] };

		body(&w, seed, 0, true);
		if (memcmp(w.g, out[t], sizeof w.g)) {
			printf("not ok undefined: %s, %s, opt %u: thread %u's good registers have changed\n", name, chip, opt, t);
			return 1;
		}
	}
	return 0;
}

static int
programs(unsigned n)
{
	const char *const *on = e2e_on(e2e_chips, 4);
	unsigned ok = 0, wanted = 0;
	int bad = 0;

	for (uint64_t seed = 1; seed <= n && bad < 5; seed++) {
		char name[32];
		text t = { 0 };

		snprintf(name, sizeof name, "seed %u", (unsigned)seed);
		write_program(&t, seed);
		for (unsigned c = 0; c < NCHIPS && !e2e_hip(); c++, wanted++)
			bad += translate(name, t.s, chips[c], levels[(seed + c) % NLEVELS], &ok);
		for (unsigned c = 0; on[c]; c++)
			bad += run(name, t.s, seed, on[c], levels[(seed + c + 1) % NLEVELS]);
		free(t.s);
	}
	if (!bad && ok != wanted)
		bad = printf("not ok undefined: %u of %u programs refused\n", wanted - ok, wanted);
	if (!bad)
		printf("ok undefined: %u random programs\n", n);
	return bad;
}

/* ---- fixed programs ---- */

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o, .param .u32 n)\n{\n" \
	".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
static const char *const fixed[][2] = {
	{ "nothing but a loop that counts up", HEAD "L: add.s32 %r1, %r1, 1;\nsetp.eq.s32 %p1, %r1, 21;\n@%p1 bra L;\nret;\n}\n" },
	{ "the same in 64 bits", HEAD "L: add.s64 %d1, %d1, 1;\nsetp.eq.s64 %p1, %d1, 21;\n@%p1 bra L;\nret;\n}\n" },
	{ "the same in 16 bits", HEAD "L: add.s16 %h1, %h1, 1;\nsetp.eq.s16 %p1, %h1, 21;\n@%p1 bra L;\nret;\n}\n" },
	{ "a predicate that turns", HEAD "L: not.pred %p1, %p1;\n@%p1 bra L;\nret;\n}\n" },
	{ "a copy of an undefined value on one of two paths", HEAD
		"ld.param.u64 %d2, [o];\n@%p3 bra S;\ncvt.u64.u32 %d4, %r1;\nS: ld.global.u32 %r2, [%d2];\ncvt.u64.u32 %d3, %r2;\n"
		"bfi.b64 %d5, %d3, %d4, 32, 32;\nxor.b64 %d6, %d7, %d5;\nclz.b64 %r3, %d6;\nadd.u32 %r3, %r3, %r1;\nst.global.u32 [%d2], %r3;\nret;\n}\n" },
	{ "a copy on one of two paths, its source needed behind", HEAD
		"ld.param.u64 %d2, [o];\nld.param.u32 %r1, [n];\nmov.u32 %r5, %tid.x;\nsetp.gt.u32 %p1, %r5, 5;\n@%p1 bra S;\ncvt.u64.u32 %d4, %r5;\n"
		"S: bfi.b64 %d5, %d2, %d4, 32, 32;\nclz.b64 %r3, %d5;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%d2], %r3;\nret;\n}\n" },
};

static int
fixed_programs(void)
{
	unsigned ok = 0, wanted = 0;
	int bad = 0;

	for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
		for (unsigned c = 0; c < NCHIPS; c++)
			for (unsigned l = 0; l < NLEVELS; l++, wanted++)
				bad += translate(fixed[k][0], fixed[k][1], chips[c], levels[l], &ok);
	if (!bad && ok != wanted)
		bad = printf("not ok undefined: %u fixed programs refused\n", wanted - ok);
	if (!bad)
		printf("ok undefined: fixed programs\n");
	return bad;
}

/* ---- examples with instructions taken out ---- */

/* Blanks 1 to 5 of the lines that hold an instruction. */
static void
take_out(char *ptx, uint64_t *s)
{
	enum { MAX_LINES = 4000 };
	static char *line[MAX_LINES];
	unsigned n = 0, out = 1 + random32(s) % 5;

	for (char *p = ptx; p && *p && n < MAX_LINES; p = strchr(p, '\n'), p += p != NULL) {
		size_t len = strcspn(p, "\n");

		if (len > 2 && p[0] == '\t' && p[1] != '.' && p[len - 1] == ';')
			line[n++] = p;
	}
	while (n && out--) {
		char *p = line[random32(s) % n];

		memset(p, ' ', strcspn(p, "\n"));
	}
}

static int
mutants(unsigned n)
{
	static const char *const names[] = { "tree_ptr64/tree_ptr64", "morton/morton", "bfe_loop/bfe_loop", "field_histogram/field_histogram",
		"byte_store64/byte_store64", "hash_round/hash_round", "tree_ptr64/tree_ptr64.clang", "morton/morton.clang" };
	enum { NNAMES = sizeof names / sizeof *names, MAX = 1 << 18 };
	static char whole[NNAMES][MAX], ptx[MAX];
	uint64_t s = 5;
	unsigned ok = 0;
	int bad = 0;

	for (unsigned k = 0; k < NNAMES; k++) {
		char path[128];
		FILE *f;

		snprintf(path, sizeof path, "examples/%s.ptx", names[k]);
		f = fopen(path, "rb");
		if (!f)
			return printf("not ok undefined: no %s\n", path);
		whole[k][fread(whole[k], 1, MAX - 1, f)] = 0;
		fclose(f);
	}
	for (unsigned k = 0; k < n; k++) {
		char name[128];

		memcpy(ptx, whole[k % NNAMES], MAX);
		take_out(ptx, &s);
		snprintf(name, sizeof name, "%s, number %u", names[k % NNAMES], k);
		bad += translate(name, ptx, chips[random32(&s) % NCHIPS], levels[random32(&s) % NLEVELS], &ok);
	}
	if (!bad && ok < n / 2)
		bad = printf("not ok undefined: only %u of %u examples with holes translate\n", ok, n);
	if (!bad)
		printf("ok undefined: %u of %u examples with holes translate, the others are refused\n", ok, n);
	return bad;
}

int
main(int argc, char **argv)
{
	unsigned scale = argc > 1 ? (unsigned)atoi(argv[1]) : e2e_quick() ? 1 : 4;
	int bad = programs(15 * scale);

	if (!e2e_hip()) {
		bad |= fixed_programs();
		bad |= mutants(100 * scale);
	}
	return bad != 0;
}
