/* test_ctrl.c -- control flow, guards, barriers, special registers, scopes, line table.
 * Each row is a kernel body that puts its result into r0; n is a parameter. Manual: 9.7.12, 9.3, 10. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 out, .param .u32 n)\n" \
	"{ .reg .pred p, q; .reg .b32 r<10>, n_; .reg .b64 d<4>, out_;" \
	"ld.param.u64 out_, [out]; ld.param.u32 n_, [n]; mov.u32 r0, 0;\n"

typedef struct row { const char *name, *body; uint32_t n, want; } row;
static const row rows[] = {
	{ "loop", "mov.u32 r1, 0; L: add.u32 r0, r0, r1; add.u32 r1, r1, 1; setp.le.u32 p, r1, n_; @p bra L;", 10, 55 },
	{ "loop, negated guard", "mov.u32 r1, 0; L: add.u32 r0, r0, r1; add.u32 r1, r1, 1; setp.gt.u32 p, r1, n_; @!p bra.uni L;", 10, 55 },
	{ "if else", "setp.eq.u32 p, n_, 3; @p bra A; mov.u32 r0, 1; bra B; A: mov.u32 r0, 2; B: add.u32 r0, r0, 4;", 3, 6 },
	{ "branch to the next instruction", "setp.eq.u32 p, n_, 3; @p bra A; A: mov.u32 r0, 2;", 3, 2 },
	{ "into a loop", "mov.u32 r1, 5; bra M; L: add.u32 r0, r0, 10; M: add.u32 r0, r0, 1; sub.u32 r1, r1, 1; setp.ne.u32 p, r1, 0; @p bra L;", 0, 45 },
	{ "unreachable code", "bra E; mov.u32 r0, 9; mov.u32 r0, 8; E: add.u32 r0, r0, 1;", 0, 1 },
	{ "two labels in one place", "bra E; F: E: mov.u32 r0, 3; setp.eq.u32 p, n_, 99; @p bra F;", 0, 3 },
	{ "guarded ret", "st.global.u32 [out_], 5; setp.eq.u32 p, n_, 3; @p ret; mov.u32 r0, 7;", 3, 5 },
	{ "guarded exit", "st.global.u32 [out_], 5; setp.eq.u32 p, n_, 3; @p exit; mov.u32 r0, 7;", 4, 7 },
	{ "brx.idx", "T: .branchtargets A, B, C; brx.idx n_, T; A: mov.u32 r0, 1; bra E; B: mov.u32 r0, 2; bra E; C: mov.u32 r0, 3; E:", 1, 2 },
	{ "brx.idx, last", "T: .branchtargets A, B, C; brx.idx.uni n_, T; A: mov.u32 r0, 1; bra E; B: mov.u32 r0, 2; bra E; C: mov.u32 r0, 3; E:", 2, 3 },
	{ "guarded brx.idx", "T: .branchtargets A, B; setp.eq.u32 p, n_, 9; mov.u32 r0, 4; @p brx.idx n_, T; bra E; A: mov.u32 r0, 1; B: mov.u32 r0, 2; E:", 1, 4 },
	{ "guarded store", "setp.eq.u32 p, n_, 3; mov.u32 r0, 4; @p st.global.u32 [out_+4], 1; @!p mov.u32 r0, 5;", 3, 4 },
	{ "guarded load", "setp.eq.u32 p, n_, 3; mov.u32 r0, 4; mov.u64 d0, 0; @!p ld.global.u32 r0, [d0];", 3, 4 },
	{ "scopes", "mov.u32 r1, 5; { .reg .b32 r1; mov.u32 r1, 7; { .reg .b32 r1; mov.u32 r1, 1; bra X; X: } add.u32 r0, r0, r1; } add.u32 r0, r0, r1;", 0, 12 },
	{ "labels in scopes", "{ bra X; mov.u32 r0, 1; X: add.u32 r0, r0, 2; } { bra X; mov.u32 r0, 1; X: add.u32 r0, r0, 4; }", 0, 6 },
	{ "barriers", "bar.sync 0; barrier.sync.aligned 0; bar.sync 1; setp.eq.u32 p, n_, 3; @p bar.sync 0; mov.u32 r0, 1;", 0, 1 },
	{ "warp barrier", "bar.warp.sync 0xffffffff; bar.warp.sync -1; mov.u32 r0, 1;", 0, 1 },
	{ "hints", "nanosleep.u32 20; .pragma \"nounroll\"; pmevent 1; mov.u32 r0, 1;", 0, 1 },
	/* tid 1 2 3, ntid 40 5 6, ctaid 7 8 9, nctaid 10 11 12, lane 4 */
	{ "tid", "mov.u32 r1, %tid.x; mov.u32 r2, %tid.y; mov.u32 r3, %tid.z; mad.lo.u32 r0, r1, 100, r2; mad.lo.u32 r0, r0, 100, r3;", 0, 10203 },
	{ "ctaid", "mov.u32 r1, %ctaid.x; mov.u32 r2, %nctaid.z; mad.lo.u32 r0, r1, 100, r2;", 0, 712 },
	{ "ntid", "mov.u32 r1, %ntid.x; mov.u32 r2, %ntid.z; mad.lo.u32 r0, r1, 100, r2;", 0, 4006 },
	{ "sreg of 16 bits", "cvt.u32.u16 r0, %tid.y;", 0, 2 },
	{ "sreg.w", "mov.u32 r1, %ntid.w; mov.u32 r2, %tid.w; mad.lo.u32 r0, r1, 100, r2;", 0, 0 },
	{ "warpid", "mov.u32 r0, %warpid;", 0, ((3 * 5 + 2) * 40 + 1) / 32 },
	{ "nwarpid", "mov.u32 r0, %nwarpid;", 0, (40 * 5 * 6 + 31) / 32 },
	{ "lanemask", "mov.u32 r1, %lanemask_lt; mov.u32 r2, %lanemask_ge; xor.b32 r0, r1, r2; mov.u32 r1, %lanemask_eq; xor.b32 r0, r0, r1;", 0, ~16u },
	{ "lanemask, rest", "mov.u32 r1, %lanemask_le; mov.u32 r2, %lanemask_gt; xor.b32 r0, r1, r2; mov.u32 r2, %laneid; add.u32 r0, r0, r2; sub.u32 r0, r0, r1;",
		0, 3u - 31u },
};

static void
test_row(const row *r)
{
	static const uint32_t special[IR_NSPECIAL] = { 1, 2, 3, 40, 5, 6, 7, 8, 9, 10, 11, 12, 4 };
	uint64_t out = 0, kernarg[2] = { (uint64_t)(uintptr_t)&out, r->n };
	char text[2048];
	unit *u;
	interp I;

	snprintf(text, sizeof text, HEAD ENTRY "%s\nst.global.u32 [out_], r0;\n}\n", r->body);
	u = unit_new(text);
	I = (interp){ .f = unit_kernel(u, "k"), .kernarg = kernarg, .var = u->var };
	memcpy(I.special, special, sizeof special);
	if (!I.f || u->fault || u->diags.nerrors)
		report(r->name, "%s%s", unit_diags(u), u->fault ? u->fault : "");
	else if (!interp_run(&I))
		report(r->name, "%s", I.fault);
	else if ((uint32_t)out != r->want)
		report(r->name, "%u, not %u", (uint32_t)out, r->want);
	else
		report(r->name, NULL);
	unit_free(u);
}

static void
expect(const char *name, bool ok)
{
	if (ok)
		report(name, NULL);
	else
		report(name, "not so");
}

static void
test_trap(void)
{
	unit *u = unit_new(HEAD ENTRY "setp.eq.u32 p, n_, 3; @p trap; st.global.u32 [out_], 1; ret; }");
	uint32_t out = 0;
	uint64_t kernarg[2] = { (uint64_t)(uintptr_t)&out, 3 };
	interp I = { .f = unit_kernel(u, "k"), .kernarg = kernarg };

	expect("guarded trap", I.f && interp_run(&I) && I.trapped && !out);
	unit_free(u);
}

static void
test_launch_bounds(void)
{
	unit *u = unit_new(HEAD ".visible .entry a() .reqntid 8, 4, 2 { bar.sync 0, 64; ret; }\n"
		".visible .entry b() .maxntid 96, 1, 1 { ret; }\n.visible .entry c() { ret; }\n");
	const ir_func *a = unit_kernel(u, "a"), *b = unit_kernel(u, "b"), *c = unit_kernel(u, "c");

	expect("reqntid", a && a->max_threads == 64 && a->reqntid[0] == 8 && a->reqntid[1] == 4 && a->reqntid[2] == 2);
	expect("maxntid", b && b->max_threads == 96 && !b->reqntid[0]);
	expect("no bounds", c && c->max_threads == 1024);
	unit_free(u);
}

/* A line of PTX without .loc, the line of the source with it. */
static void
test_lines(void)
{
	unit *u = unit_new(HEAD ".file 1 \"a.cu\"\n.visible .entry a()\n{\n.reg .b32 r;\n\tmov.u32 r, 1;\nret;\n}\n"
		".visible .entry b()\n{\n.loc 1 77 3\nret;\n}\n");
	const ir_func *a = unit_kernel(u, "a"), *b = unit_kernel(u, "b");
	const ir_loc *x = a ? &u->M->locs.a[a->entry->first->loc] : NULL, *y = b ? &u->M->locs.a[b->entry->first->loc] : NULL;

	expect("line of the PTX", x && x->line == 8 && x->col == 2 && !strcmp(u->M->files.a[x->file], "a.ptx"));
	expect("line of .loc", y && y->line == 77 && y->col == 3 && !strcmp(u->M->files.a[y->file], "a.cu"));
	expect("span", x && x->span.length && !strncmp(u->src[0].text + x->span.offset, "mov.u32", 7));
	unit_free(u);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		test_row(&rows[i]);
	test_trap();
	test_launch_bounds();
	test_lines();
	return nfailed != 0;
}
