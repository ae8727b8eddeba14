/* test_fuzz.c -- damaged programs: whatever the text, lower neither crashes nor leaves a malformed kernel.
 * Words of PTX texts are exchanged, dropped, doubled and replaced by words of others. Runs in a second;
 * with a number as argument, that many rounds. */
#include "harness.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const corpus[] = {
	".version 8.7\n.target sm_90\n.address_size 64\n.global .u32 g = 7; .const .align 8 .b8 c[16] = {1, 2};\n"
	".extern .shared .align 16 .b8 dyn[]; .global .u64 t[2] = {g, c+4};\n"
	".visible .entry k(.param .u64 o, .param .align 8 .b8 st[24]) .reqntid 32, 1, 1\n{ .reg .pred p, q; .reg .b16 h<8>; .reg .b32 r<9>;"
	".reg .b64 d<9>; .reg .f32 f<4>; .reg .f64 e<4>; .shared .align 4 .b8 sm[64]; .local .align 8 .b8 dep[40];\n"
	"ld.param.u64 d1, [o]; ld.param.v2.u32 {r1, r2}, [st+8]; cvta.to.global.u64 d2, d1; mov.u32 r3, %tid.x; mul.wide.s32 d3, r3, 4;\n"
	"add.s64 d4, d2, d3; L: ld.global.v4.f32 {f0, f1, f2, f3}, [d4+16]; setp.lt.and.s32 p|q, r1, 5, p; @p add.s32 r2, r2, 1;\n"
	"@!p st.global.u32 [d4], r2; st.shared.u32 [sm+4], r2; ld.shared.v2.u32 {r4, r5}, [dyn]; mov.u64 d5, dep; cvta.local.u64 d6, d5;\n"
	"div.s32 r6, r4, r5; rem.u64 d7, d6, 10; lop3.b32 r6, r1, r2, r3, 0x96; prmt.b32 r7, r1, r2, 0x5410; bfi.b64 d7, d6, d5, r1, 8;\n"
	"bar.sync 0; @q bra L; T: .branchtargets L, M; brx.idx r1, T; M: mov.b32 {h0, h1}, r7; cvt.rni.s64.f32 d7, f0; cvt.rn.f32.u64 f1, d7;\n"
	"{ .reg .b32 r1; mad.lo.cc.u32 r1, r2, r3, r4; madc.hi.u32 r1, r1, r2, 0; } set.gt.f32.s32 f0, r1, r2; slct.f64.s32 e0, e1, e2, r1;\n"
	"min.NaN.f32 f0, f1, f2; fma.rn.ftz.f32 f0, f1, f2, f3; isspacep.shared p, d1; shf.l.wrap.b32 r1, r2, r3, r4; ld.const.u8 r1, [c+3];\n"
	"selp.b64 d1, d2, d3, p; membar.gl; @p ret; trap; }\n",
	".version 7.0\n.target sm_75\n.weak .entry w() { .reg .u16 a; .reg .v4 .f32 v; mov.u16 a, 3; mul24.lo.s32 a, a, a; ld.v4.f32 v, [v.x]; bra X;\n"
	"atom.global.add.u32 r1, [d1], r2; call fn, (r1); }\n.func fn(.param .u32 x) { ret; }\n"
	".extern .global .u32 x[]; .visible .global .align 8 .u64 p = generic(x)+4; .shared .b8 s[4];\n",
};

static uint64_t state = 1;

static unsigned
below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* The span of a word (or one other character) about position at. */
static void
word_at(const char *s, size_t at, size_t *from, size_t *n)
{
	size_t a = at, b = at + 1;

	while (a > 0 && (isalnum((unsigned char)s[a - 1]) || s[a - 1] == '_') && isalnum((unsigned char)s[a]))
		a--;
	while (s[b] && (isalnum((unsigned char)s[b]) || s[b] == '_') && isalnum((unsigned char)s[b - 1]))
		b++;
	*from = a;
	*n = b - a;
}

static char *
damaged(const char *text)
{
	char *s = malloc(strlen(text) * 2 + 4096);
	unsigned n = 1 + below(4);

	strcpy(s, text);
	while (n-- && *s) {
		const char *other = corpus[below(COUNT(corpus))];
		size_t from, len, of, olen = 0, rest;

		word_at(s, below((unsigned)strlen(s)), &from, &len);
		word_at(other, below((unsigned)strlen(other)), &of, &olen);
		if (below(6) == 0)
			olen = 0;
		if (below(8) == 0)
			len = 0;
		rest = strlen(s + from + len) + 1;
		memmove(s + from + olen, s + from + len, rest);
		memcpy(s + from, other + of, olen);
	}
	return s;
}

int
main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 3000, translated = 0;

	for (unsigned i = 0; i < rounds; i++) {
		char *s = damaged(corpus[below(8) == 0]);
		const char *texts[2] = { s, corpus[1] };
		unit *u = unit_of(&(lower_options){ .keep_going = i & 1 }, 1 + (i % 5 == 0), texts);

		if (u->fault) {
			report("fuzz", "%s in\n%s", u->fault, s);
			return 1;
		}
		translated += u->M && u->M->funcs.n;
		unit_free(u);
		free(s);
	}
	printf("# %u of %u translated\n", translated, rounds);
	report("fuzz", NULL);
	return nfailed != 0;
}
