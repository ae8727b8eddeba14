/* builtin.c -- functions that CUDA's device code may call without defining them: vprintf, __assertfail, malloc, free.
 * Needs the program's modules; leaves PTX texts of our own, to be parsed as further modules of it.
 * CUDA C++ Programming Guide, "Formatted output", "Assertion", "Dynamic global memory allocation".
 *
 * What is printed goes into the variable __p2a_print, whose records p2a_rt reads (runtime/print.c):
 *	u64 bytes of records, whether they had room or not; 8 bytes unused; records from 16 on, each
 *	u32 size, u32 kind, u64 text, then
 *	kind 0: the arguments as vprintf got them
 *	kind 1: u64 file, u64 function, u32 line, u32 block[3], u32 thread[3] */
#include "lower/lower.h"

#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

/* Arguments have the sizes that the format gives them, as in a C structure. Letters are looked up in masks of @ to DEL. */
static const char print_text[] = HEAD
	".visible .global .align 16 .b8 __p2a_print[1048576];\n"
	".func (.param .b64 to) p2a_record(.param .b32 size)\n{\n"
	".reg .pred p; .reg .b64 d<6>; .reg .b32 s;\n"
	"ld.param.b32 s, [size]; cvt.u64.u32 d0, s;\n"
	"atom.global.add.u64 d1, [__p2a_print], d0;\n"
	"add.u64 d1, d1, 16; add.u64 d2, d1, d0; setp.gt.u64 p, d2, 1048576;\n"
	"mov.b64 d3, __p2a_print; add.u64 d3, d3, d1; @p mov.b64 d3, 0;\n"
	"@!p st.global.b32 [d3], s;\n"
	"st.param.b64 [to], d3; ret;\n}\n"
	".weak .func (.param .b32 count) vprintf(.param .b64 format, .param .b64 list)\n{\n"
	".reg .pred p; .reg .b32 c, size, bytes, n, at; .reg .b64 f, a, m, to, from;\n"
	"ld.param.b64 f, [format]; mov.b64 a, f; mov.b32 bytes, 0; mov.b32 n, -1;\n"
	"setp.eq.b64 p, f, 0; @p bra done; mov.b32 n, 0;\n"
	"next:\n"
	"ld.u8 c, [a]; add.u64 a, a, 1; setp.eq.b32 p, c, 0; @p bra copy; setp.ne.b32 p, c, 0x25; @p bra next;\n"
	"mov.b32 size, 4;\n"
	"letter:\n"
	"ld.u8 c, [a]; setp.eq.b32 p, c, 0; @p bra copy; add.u64 a, a, 1;\n"
	"setp.eq.b32 p, c, 0x25; @p bra next; setp.eq.b32 p, c, 0x2a; @p bra star;\n"
	"setp.lt.u32 p, c, 0x40; @p bra letter;\n"              /* flags, digits, a dot */
	"sub.u32 c, c, 0x40;\n"
	"shr.u64 m, 0x0000010000000000, c; and.b64 m, m, 1; setp.ne.b64 p, m, 0; @p bra letter;\n"      /* h */
	"shr.u64 m, 0x0412140000001000, c; and.b64 m, m, 1; setp.ne.b64 p, m, 0; @p mov.b32 size, 8; @p bra letter;\n"  /* j l q t z L */
	"shr.u64 m, 0x000940e2000800e2, c; and.b64 m, m, 1; setp.ne.b64 p, m, 0; @p mov.b32 size, 8;\n" /* a e f g A E F G n p s S */
	"shr.u64 m, 0x0000000800000008, c; and.b64 m, m, 1; setp.ne.b64 p, m, 0; @p mov.b32 size, 4;\n" /* c C, long or not */
	"sub.u32 c, size, 1; add.u32 bytes, bytes, c; not.b32 c, c; and.b32 bytes, bytes, c; add.u32 bytes, bytes, size; add.u32 n, n, 1;\n"
	"bra next;\n"
	"star:\n"
	"add.u32 bytes, bytes, 7; and.b32 bytes, bytes, -4; add.u32 n, n, 1; bra letter;\n"
	"copy:\n"
	"add.u32 size, bytes, 23; and.b32 size, size, -8;\n"
	"{ .param .b64 r; .param .b32 s; st.param.b32 [s], size; call (r), p2a_record, (s); ld.param.b64 to, [r]; }\n"
	"setp.eq.b64 p, to, 0; @p bra done;\n"
	"st.global.b32 [to+4], 0; st.global.b64 [to+8], f;\n"
	"ld.param.b64 from, [list]; mov.b32 at, 0;\n"
	"word:\n"
	"setp.ge.u32 p, at, bytes; @p bra done;\n"
	"ld.b32 c, [from]; st.global.b32 [to+16], c; add.u64 from, from, 4; add.u64 to, to, 4; add.u32 at, at, 4; bra word;\n"
	"done:\n"
	"st.param.b32 [count], n; ret;\n}\n"
	".weak .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 charsize)\n{\n"
	".reg .pred p; .reg .b64 to, d; .reg .b32 r;\n"
	"{ .param .b64 r; .param .b32 s; st.param.b32 [s], 64; call (r), p2a_record, (s); ld.param.b64 to, [r]; }\n"
	"setp.eq.b64 p, to, 0; @p bra stop;\n"
	"st.global.b32 [to+4], 1; ld.param.b64 d, [message]; st.global.b64 [to+8], d;\n"
	"ld.param.b64 d, [file]; st.global.b64 [to+16], d; ld.param.b64 d, [function]; st.global.b64 [to+24], d;\n"
	"ld.param.b32 r, [line]; st.global.b32 [to+32], r;\n"
	"mov.b32 r, %ctaid.x; st.global.b32 [to+36], r; mov.b32 r, %ctaid.y; st.global.b32 [to+40], r; mov.b32 r, %ctaid.z; st.global.b32 [to+44], r;\n"
	"mov.b32 r, %tid.x; st.global.b32 [to+48], r; mov.b32 r, %tid.y; st.global.b32 [to+52], r; mov.b32 r, %tid.z; st.global.b32 [to+56], r;\n"
	"stop:\n"
	"membar.sys; trap; ret;\n}\n";

/* Blocks of powers of two from 32 bytes on, with the power 8 bytes before what the caller gets. Those given back
 * lie in a list for each power, whose head counts its changes above the offset; the others are taken
 * from the end of what was ever used, a number at the heap's begin. Blocks stand from 512 on. */
static const char heap_text[] = HEAD
	".global .align 512 .b8 p2a_heap[8389120];\n"
	".weak .func (.param .b64 address) malloc(.param .b64 size)\n{\n"
	".reg .pred p; .reg .b64 n, base, head, old, new, seen, at; .reg .b32 k, off, low, tag;\n"
	"ld.param.b64 n, [size]; mov.b64 at, 0; setp.gt.u64 p, n, 8388592; @p bra done;\n"
	"add.u64 n, n, 15; clz.b64 k, n; sub.u32 k, 64, k; max.u32 k, k, 5;\n"
	"mov.b64 base, p2a_heap; mad.wide.u32 head, k, 8, base;\n"
	"again:\n"
	"ld.relaxed.gpu.global.b64 old, [head]; cvt.u32.u64 off, old; setp.eq.u32 p, off, 0; @p bra fresh;\n"
	"cvt.u64.u32 at, off; add.u64 at, at, base; ld.relaxed.gpu.global.b32 low, [at];\n"
	"shr.u64 new, old, 32; cvt.u32.u64 tag, new; add.u32 tag, tag, 1; mov.b64 new, {low, tag};\n"
	"atom.acquire.gpu.global.cas.b64 seen, [head], old, new; setp.ne.b64 p, seen, old; @p bra again;\n"
	"add.u64 at, at, 16; bra done;\n"
	"fresh:\n"
	"mov.b64 n, 1; shl.b64 n, n, k; atom.relaxed.gpu.global.add.u64 old, [base], n;\n"
	"add.u64 n, n, old; mov.b64 at, 0; setp.gt.u64 p, n, 8388608; @p bra done;\n"
	"add.u64 at, base, old; add.u64 at, at, 528; st.global.b32 [at+-8], k;\n"
	"done:\n"
	"st.param.b64 [address], at; ret;\n}\n"
	".weak .func free(.param .b64 address)\n{\n"
	".reg .pred p; .reg .b64 base, head, old, new, seen, at; .reg .b32 k, off, low, tag;\n"
	"ld.param.b64 at, [address]; setp.eq.b64 p, at, 0; @p bra done;\n"
	"mov.b64 base, p2a_heap; sub.u64 at, at, 16; ld.global.b32 k, [at+8]; mad.wide.u32 head, k, 8, base;\n"
	"sub.u64 new, at, base; cvt.u32.u64 off, new;\n"
	"again:\n"
	"ld.relaxed.gpu.global.b64 old, [head]; mov.b64 {low, tag}, old; st.relaxed.gpu.global.b32 [at], low;\n"
	"add.u32 tag, tag, 1; mov.b64 new, {off, tag};\n"
	"atom.release.gpu.global.cas.b64 seen, [head], old, new; setp.ne.b64 p, seen, old; @p bra again;\n"
	"done:\n"
	"ret;\n}\n";

static const struct builtin { const char *name, *text, *function[2]; } builtins[LOWER_BUILTINS] = {
	{ "<p2a print>", print_text, { "vprintf", "__assertfail" } },
	{ "<p2a heap>", heap_text, { "malloc", "free" } },
};

p2a_source
lower_builtin(unsigned i)
{
	return (p2a_source){ builtins[i].name, builtins[i].text, strlen(builtins[i].text) };
}

bool
lower_is_builtin(const p2a_source *s)
{
	for (unsigned i = 0; i < LOWER_BUILTINS; i++)
		if (s->text == builtins[i].text)
			return true;
	return false;
}

/* Some file declares the function, and none has its body. */
static bool
is_missing(ptx_module *const *mods, size_t nmods, const char *name)
{
	bool declared = false;

	for (size_t i = 0; i < nmods; i++)
		for (const ptx_func *f = mods[i]->funcs; f; f = f->next) {
			if (!f->sym || strcmp(f->sym->name, name))
				continue;
			if (f->has_body)
				return false;
			declared = true;
		}
	return declared;
}

bool
lower_wants_builtin(ptx_module *const *mods, size_t nmods, unsigned i)
{
	return is_missing(mods, nmods, builtins[i].function[0]) || is_missing(mods, nmods, builtins[i].function[1]);
}
