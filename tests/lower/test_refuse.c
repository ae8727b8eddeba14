/* test_refuse.c -- what lower does not translate is refused, all of it, at its place, and the rest of the
 * program goes on; and how the files of a program are linked. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 in)\n" \
	"{ .reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<10>; .reg .b64 d<4>; .reg .f32 f<4>; .reg .f64 e<2>; .reg .b128 o;\n"

/* One instruction each; the message must hold `why`. */
static const struct { const char *vars, *text, *why; } refused[] = {
	{ "", "fma.rn.oob.f16x2 r0, r1, r2, r3;", "'fma.rn.oob.f16x2' is not supported: what NaN marks" },
	{ "", "atom.global.cas.b128 o, [d0], o, o;", "'atom.global.cas.b128' is not supported: the chips have no atomic operations of 128 bits" },
	{ "", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r0], r1, [r2];", "is not supported: barrier objects (mbarrier)" },
	{ "", "cp.async.mbarrier.arrive.shared.b64 [r0];", "wait by cp.async.wait_group" }, { "", "mov.u32 r0, %pm0;", "'%pm0' (it counts events" },
	{ "", "bar.sync 1, 64; bar.sync 1;", "without a thread count too" }, { "", "bar.arrive r0, 64; bar.sync 1;", "without a thread count too" },
	{ "", "ld.global.u32 r0, [r1];", "E0303 7:1 an address of 32 bits" }, { "", "ld.param.u32 r0, [in+6];", "outside of the parameters" },
	{ "", "atom.global.exch.b128 o, [d0], o;", "'atom.global.exch.b128'" },
	{ "", "cp.async.bulk.commit_group;", "'cp.async.bulk.commit_group' is not supported: bulk and tensor copies" }, { "", "mbarrier.init.shared.b64 [r0], 1;", "compile for sm_75 or older" },
	{ "", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [r0], r1, [r2];", "is not supported: barrier objects (mbarrier)" },
	{ ".extern .func fn();\n", "call fn;", "E0507 8:1 no file of the program defines 'fn'" }, { ".extern .func fn();\n", "mov.u64 d0, fn;", "E0507 8:1 no file of the program defines 'fn'" },
	{ ".extern .func cudaLaunchDeviceV2();\n", "call cudaLaunchDeviceV2;", "E0303 8:1 dynamic parallelism ('cudaLaunchDeviceV2'; launch the kernel from the host) is not" },
	{ ".extern .func __cudaCDP2Free();\n", "call __cudaCDP2Free;", "E0303 8:1 dynamic parallelism" },
	{ ".visible .entry other() { ret; }\n", "mov.u64 d0, other;", "E0303 8:1 the address of 'other', a kernel (launch it from the host), is not supported" },
	{ ".extern .shared .b8 s[8];\n", "ld.shared.u8 r0, [s];", "E0507 8:1 no file of the program defines 's'" },
	{ ".global .texref t;\n", "tex.base.2d.v4.f32.f32 {f0, f1, f2, f3}|p, [t, {f0, f1}];", "'tex.base.2d.v4.f32.f32' is not supported: textures and surfaces" },
	{ ".global .texref t;\n", "tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {f0, f1}];", "'tex.2d.v4.f32.f32' is not supported: textures and surfaces" },
};

static unsigned
count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

static void
test_one(const char *vars, const char *text, const char *why)
{
	char whole[1024];
	unit *u;
	const char *all;

	snprintf(whole, sizeof whole, HEAD "%s" ENTRY "mov.u32 r9, 1;\n%s\nret;\n}\n", vars, text);
	u = unit_new(whole);
	all = unit_diags(u);
	if (u->diags.nerrors != 1 || !strstr(all, why) || !(strstr(all, "E0301") || strstr(all, "E0303") || strstr(all, "E0507")) || unit_kernel(u, "k"))
		report(text, "%s", *all ? all : "accepted");
	else
		report(text, NULL);
	unit_free(u);
}

/* Each special register is translated, or refused by its name with the reason, or where a component is missing. */
static const struct { const char *name; ptx_type type; } special[] = {
#define PTX_SREG(id, text, type) { text, PTX_##type },
#include "ptx/sregs.def"
#undef PTX_SREG
};

static void
test_special(const char *name, ptx_type t)
{
	static const char component[] = "E0207 6:13 operand 2 of 'mov.u32' must be a component .x, .y or .z";
	char whole[512], why[96];
	bool wide = ptx_type_bits(t) == 64;
	unit *u;

	snprintf(whole, sizeof whole, HEAD ENTRY "mov.%s, %s;\nret;\n}\n", t == PTX_PRED ? "pred p" : wide ? "u64 d0" : "u32 r0", name);
	snprintf(why, sizeof why, "E0303 6:1 the special register '%s' (", name);
	u = unit_new(whole);
	if (unit_kernel(u, "k") || (u->diags.nerrors == 1 && (strstr(unit_diags(u), why) || strstr(unit_diags(u), component))))
		report(name, NULL);
	else
		report(name, "%s", unit_diags(u));
	unit_free(u);
}

static void
expect(const char *name, bool ok, unit *u)
{
	if (ok)
		report(name, NULL);
	else
		report(name, "%s", unit_diags(u));
	unit_free(u);
}

/* Braces around one register where no vector stands: the operand is pointed to. */
static void
test_braces(const char *inst, const char *why)
{
	char whole[512];
	unit *u;

	snprintf(whole, sizeof whole, HEAD ENTRY "%s\nret;\n}\n", inst);
	u = unit_new(whole);
	expect(inst, why ? u->diags.nerrors == 1 && strstr(unit_diags(u), why) : unit_kernel(u, "k") != NULL, u);
}

static unit *
linked(const char *a, const char *b, bool keep_going, const char *entry)
{
	const char *texts[2] = { a, b };

	return unit_of(&(lower_options){ .keep_going = keep_going, .entries = entry ? &entry : NULL, .nentries = entry != NULL },
		b ? 2 : 1, texts);
}

#define BAD HEAD ".visible .entry bad()\n{ .reg .b32 r<4>; .reg .pred p;\n" \
	"mbarrier.inval.shared.b64 [r3];\nadd.u32 r0, r1, r2;\n@p movmatrix.sync.aligned.m8n8.trans.b16 r0, r1;\nxyz r0;\nret;\n}\n"
#define GOOD ".visible .entry good()\n{ ret; }\n"

#define CALLER(name, what) ".visible .entry " name "() { .reg .b32 r<2>; .reg .b64 d; call " what "; ret; }\n"
#define BAD_BODY "() { .reg .b32 r<2>; movmatrix.sync.aligned.m8n8.trans.b16 r0, r1; ret; }\n"
/* f0 calls f1, f1 calls f2, which is at fault; so are f3 and f4. */
#define CALLEES ".func f2" BAD_BODY ".func f1() { call f2; ret; }\n.func f0() { call f1; ret; }\n" \
	".extern .func nix();\n.func f() { ret; }\n.func f3" BAD_BODY ".func f4" BAD_BODY

static void
test_counts(void)
{
	unit *u = linked(BAD GOOD, NULL, false, NULL);

	expect("every refusal is reported", u->diags.nerrors == 3 && count(unit_diags(u), "E0301") == 2 &&
		count(unit_diags(u), "E0203") == 1 && u->mods[0]->funcs->nbad == 3, u);
	u = linked(BAD GOOD, NULL, true, NULL);
	expect("keep_going", u->M && u->M->funcs.n == 1 && unit_kernel(u, "good") &&
		strstr(unit_diags(u), "kernel 'bad' left out: 3 instructions") != NULL, u);
	u = linked(HEAD CALLEES CALLER("via", "f0") CALLER("own", "f0; movmatrix.sync.aligned.m8n8.trans.b16 r0, r1"), NULL, true, NULL);
	expect("what a call comes to is told where it stands", count(unit_diags(u), "E0301") == 2 && count(unit_diags(u), "'call") == 0 &&
		strstr(unit_diags(u), "kernel 'via' left out: it calls 'f2', which cannot be translated") &&
		strstr(unit_diags(u), "kernel 'own' left out: 1 instruction of it cannot be translated, and it calls 'f2', which cannot"), u);
	u = linked(HEAD CALLEES CALLER("by", "f; mov.u64 d, f3; mov.u64 d, f4; T: .calltargets nix, f3, f4; call d, T"), NULL, true, NULL);
	expect("each function that a pointer may be is told of", count(unit_diags(u), "E0301") == 2 &&
		strstr(unit_diags(u), "left out: it may call through a register 'f3', 'f4', which cannot be translated"), u);
	u = linked(HEAD CALLEES CALLER("both", "f0; mov.u64 d, f2; mov.u64 d, f4; T: .calltargets f2, f4; call d, T"), NULL, true, NULL);
	expect("who is called is told apart from who may be", strstr(unit_diags(u),
		"left out: it calls 'f2', which cannot be translated; through a register it may call 'f4', which cannot be translated"), u);
	u = linked(HEAD ".extern .func nix();\n.func f() { ret; }\n" ENTRY "T: .calltargets nix, f;\nmov.u64 d0, f;\ncall d0, T;\nret; }\n", NULL, false, NULL);
	expect("a target that no file defines is left out of the list", unit_kernel(u, "k") && !u->diags.nerrors, u);
	u = linked(BAD, NULL, true, NULL);
	expect("no kernel left", strstr(unit_diags(u), "E0311") != NULL, u);
	u = linked(BAD GOOD, NULL, false, "good");
	expect("entry", u->M && u->M->funcs.n == 1 && !strstr(unit_diags(u), "E0301"), u);
	u = linked(BAD GOOD, NULL, false, "nothing");
	expect("no such entry", !u->M && strstr(unit_diags(u), "E0501") != NULL, u);
	u = linked(HEAD ".func f() { ret; }\n", NULL, false, NULL);
	expect("no entry", !u->M && strstr(unit_diags(u), "E0502") != NULL, u);
	u = linked(HEAD ".func f(.param .f16 x) { .reg .b16 h; fma.rn.oob.f16 h, h, h, h; ret; }\n" GOOD, NULL, false, NULL);
	expect("an unused function is no fault", u->M && !u->diags.nerrors, u);
}

static void
test_links(void)
{
	unit *u = linked(HEAD ".extern .global .u32 g;\n.global .u32 own;\n.visible .entry k(.param .u64 o) { .reg .b64 d; .reg .b32 r; ld.param.u64 d, [o];"
		"ld.global.u32 r, [g]; st.global.u32 [d], r; ret; }\n", HEAD ".visible .global .u32 g = 42;\n.global .u32 own = 1;\n.global .u32 alone;\n", false, NULL);
	uint32_t out = 0, exported = 0;
	uint64_t arg = (uint64_t)(uintptr_t)&out;
	interp I = { .f = unit_kernel(u, "k"), .kernarg = &arg, .var = u->var };

	for (uint32_t v = 0; u->M && v < u->M->vars.n; v++)
		exported += u->M->vars.a[v].exported;
	/* g, and what one file alone has */
	expect("extern", I.f && interp_run(&I) && out == 42 && u->M->vars.n == 4 && exported == 2, u);
	u = linked(HEAD ".extern .global .u32 g;\n.visible .entry k() { .reg .b64 d; mov.u64 d, g; ret; }\n", NULL, false, NULL);
	expect("extern without definition", !unit_kernel(u, "k") && strstr(unit_diags(u), "E0507 5:36 no file of the program defines 'g'") != NULL, u);
	u = linked(HEAD ".visible .global .u32 g;\n" GOOD, HEAD ".visible .global .u32 g;\n", false, NULL);
	expect("defined twice", !u->M && strstr(unit_diags(u), "E0503") != NULL, u);
	u = linked(HEAD GOOD, HEAD GOOD, false, NULL);
	expect("kernel defined twice", !u->M && strstr(unit_diags(u), "E0503") != NULL, u);
	u = linked(HEAD ".weak .global .u32 g = 1;\n" GOOD, HEAD ".visible .global .u32 g = 2;\n", false, NULL);
	expect("weak gives way", u->M && u->M->vars.n == 1 && u->M->vars.a[0].data[0] == 2, u);
	u = linked(HEAD ".weak .entry k() { ret; }\n", HEAD ".weak .entry k() { ret; }\n", false, NULL);
	expect("weak kernels", u->M && u->M->funcs.n == 1, u);
	u = linked(HEAD ".global .u32 g = 1;\n" GOOD, HEAD ".global .u32 g = 2;\n", false, NULL);
	expect("a file's own names", u->M && u->M->vars.n == 2, u);
	u = linked(HEAD ".visible .global .u32 g;\n" GOOD, HEAD "\n\n.visible .global .u32 g;\n", false, NULL);
	expect("says where it is defined first", strstr(unit_diags(u), "first at ") && strstr(unit_diags(u), ":4"), u);
	u = linked(HEAD ".extern .global .u32 g[4];\n" GOOD, HEAD ".visible .global .u32 g[2];\n", false, NULL);
	expect("other sizes", !u->M && strstr(unit_diags(u), "has 16 bytes here") && strstr(unit_diags(u), "E0505"), u);
	u = linked(HEAD ".extern .global .u32 g[];\n" GOOD, HEAD ".visible .global .u32 g[2];\n", false, NULL);
	expect("no size is any size", u->M && !u->diags.nerrors, u);
	u = linked(HEAD ".extern .func f(.param .b32 a);\n" GOOD, HEAD ".visible .func f(.param .b64 a) { ret; }\n", false, NULL);
	expect("other parameters", !u->M && strstr(unit_diags(u), "E0506"), u);
	u = linked(HEAD ".visible .func f(.param .b32 a) { ret; }\n.visible .func g(.param .b32 a);\n.alias g, f;\n"
		".visible .entry k() { .param .b32 x; st.param.b32 [x], 1; call g, (x); ret; }\n", NULL, false, NULL);
	expect("alias", u->M && !u->diags.nerrors && unit_kernel(u, "k"), u);
	u = linked(HEAD ".visible .func g();\n.alias g, f;\n" GOOD, NULL, false, NULL);
	expect("alias of nothing", !u->M && strstr(unit_diags(u), "alias 'g' of 'f': the function is not defined"), u);
	u = linked(HEAD ".global .align 8192 .b8 g[4];\n" GOOD, NULL, false, NULL);
	expect("too large an alignment", !u->M && strstr(unit_diags(u), "the alignment of 'g' is too large (limit 4096)"), u);
	u = linked(HEAD ".func f() { ret; }\n.global .u64 unused[1] = {f};\n.global .u32 g;\n" GOOD, NULL, false, NULL);
	expect("unused table of functions", u->M && u->M->vars.n == 2 && !u->diags.nerrors, u);
}

static void
test_limits(void)
{
	unit *u = linked(HEAD ".visible .entry k() { .shared .b8 s[70000]; .reg .b32 r; mov.u32 r, s; ret; }\n", NULL, false, NULL);

	expect("shared memory", strstr(unit_diags(u), "E0401") != NULL && !unit_kernel(u, "k"), u);
	u = linked(HEAD ".visible .entry k(.param .align 4 .b8 s[40000]) { ret; }\n", NULL, false, NULL);
	expect("parameters", strstr(unit_diags(u), "E0403") != NULL && !unit_kernel(u, "k"), u);
	u = linked(HEAD ".visible .entry k() .reqnctapercluster 2, 1, 1 { ret; }\n", NULL, false, NULL);
	expect("clusters", strstr(unit_diags(u), "E0302") != NULL && !unit_kernel(u, "k"), u);
	u = linked(HEAD ".visible .entry k() .reqnctapercluster 1 { ret; }\n", NULL, false, NULL);
	expect("clusters of one block", !u->diags.nerrors && unit_kernel(u, "k"), u);
	u = linked(HEAD ".visible .entry k() .maxntid 1024, 2 { ret; }\n", NULL, false, NULL);
	expect("more threads than a block has", !u->diags.nerrors && unit_kernel(u, "k") && strstr(unit_diags(u), "E0216"), u);
	u = linked(HEAD ".visible .entry k() .maxntid 32, 32 { ret; }\n", NULL, false, NULL);
	expect("as many threads as a block has", !u->diags.nerrors && !strstr(unit_diags(u), "E0216"), u);
	u = linked(HEAD ".visible .entry k() { .local .b8 s[0xf0000000]; .reg .b64 d; mov.u64 d, s; ret; }\n", NULL, false, NULL);
	expect("private memory", strstr(unit_diags(u), "E0404") != NULL && !unit_kernel(u, "k"), u);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(refused); i++)
		test_one(refused[i].vars, refused[i].text, refused[i].why);
	for (size_t i = 0; i < COUNT(special); i++)
		test_special(special[i].name, special[i].type);
	test_braces("bfi.b32 r0, {r1}, r2, 3, 4;", "E0207 6:13 operand 2 of 'bfi.b32' must be written without braces");
	test_braces("bfe.u32 r0, r1, r2, {r3};", "E0207 6:21 operand 4 of 'bfe.u32' must be written without braces");
	test_braces("add.u32 {r0}, r1, r2;", "E0207 6:9 operand 1 of 'add.u32' must be written without braces");
	test_braces("@p cvt.u64.u32 d0, {r1};", "E0207 6:20 operand 2 of 'cvt.u64.u32' must be written without braces");
	test_braces("ld.global.u32 {r1}, [d0];\nst.global.u32 [d0], {r1};", NULL);
	test_counts();
	test_links();
	test_limits();
	return nfailed != 0;
}
