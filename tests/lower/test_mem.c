/* test_mem.c -- memory: widths, extension, vectors, spaces, parameters, module variables, addresses.
 * Each row is a kernel body over `in` (64 bytes of known data), `out` and a structure parameter; the
 * first 64 bytes of out are compared with what the row says. Manual: 9.7.9, 5.1, 5.4. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.7\n.target sm_90\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 in, .param .u64 out, .param .u8 small, .param .align 8 .b8 st[24], .param .u16 last)\n" \
	"{ .reg .pred p, q; .reg .b16 h<8>; .reg .b32 r<10>; .reg .b64 d<10>, in_, out_; .reg .f32 f<8>; .reg .f64 e<4>;" \
	"ld.param.u64 in_, [in]; ld.param.u64 out_, [out];\n"

typedef struct row { const char *name, *vars, *body; uint64_t want[8]; } row;

/* in: bytes 0x80, 0x81 ... 0xbf. small 0xf3, st: bytes 1, 2 ... 24, last 0xfffe */
static const row rows[] = {
	{ "u8 to 16", "", "ld.global.u8 h0, [in_]; st.global.u16 [out_], h0;", { 0x80 } },
	{ "s8 to 16", "", "ld.global.s8 h0, [in_+1]; st.global.u16 [out_], h0;", { 0xff81 } },
	{ "b8 to 32", "", "ld.global.b8 r0, [in_+2]; st.global.u32 [out_], r0;", { 0x82 } },
	{ "s8 to 32", "", "ld.global.s8 r0, [in_+2]; st.global.u32 [out_], r0;", { 0xffffff82 } },
	{ "u8 to 64", "", "ld.global.u8 d0, [in_+2]; st.global.u64 [out_], d0;", { 0x82 } },
	{ "s8 to 64", "", "ld.global.s8 d0, [in_+2]; st.global.u64 [out_], d0;", { 0xffffffffffffff82 } },
	{ "u16 to 32", "", "ld.global.u16 r0, [in_+2]; st.global.u32 [out_], r0;", { 0x8382 } },
	{ "s16 to 64", "", "ld.global.s16 d0, [in_+2]; st.global.u64 [out_], d0;", { 0xffffffffffff8382 } },
	{ "b16 to 16", "", "ld.global.b16 h0, [in_+2]; st.global.b16 [out_], h0;", { 0x8382 } },
	{ "u32 to 64", "", "ld.global.u32 d0, [in_+4]; st.global.u64 [out_], d0;", { 0x87868584 } },
	{ "s32 to 64", "", "ld.global.s32 d0, [in_+4]; st.global.u64 [out_], d0;", { 0xffffffff87868584 } },
	{ "f32, f64", "", "ld.global.f32 f0, [in_+4]; st.global.f32 [out_], f0; ld.global.f64 e0, [in_+8]; st.global.f64 [out_+8], e0;",
		{ 0x87868584, 0x8f8e8d8c8b8a8988 } },
	{ "st.u8 of wider", "", "ld.global.u64 d0, [in_]; st.global.u8 [out_], d0; cvt.u32.u64 r0, d0; st.global.u8 [out_+1], r0;", { 0x8080 } },
	{ "st of constants", "", "st.global.u32 [out_], 7; st.global.f32 [out_+4], 0f3F800000; st.global.u64 [out_+8], -1;",
		{ 0x3f80000000000007, UINT64_MAX } },
	{ "v2.u8", "", "ld.global.v2.u8 {h0, h1}, [in_+2]; st.global.v2.u8 [out_], {h1, h0};", { 0x8283 } },
	{ "v4.s8 to 32", "", "ld.global.v4.s8 {r0, r1, r2, r3}, [in_+4]; st.global.v4.u32 [out_], {r0, r1, r2, r3};",
		{ 0xffffff85ffffff84, 0xffffff87ffffff86 } },
	{ "v4.u8 back", "", "ld.global.v4.u8 {r0, r1, r2, r3}, [in_+4]; st.global.v4.u8 [out_], {r3, r2, r1, r0};", { 0x84858687 } },
	{ "v2.u16", "", "ld.global.v2.u16 {h0, h1}, [in_+4]; st.global.v2.u16 [out_], {h1, h0};", { 0x85848786 } },
	{ "v2.s16 to 32", "", "ld.global.v2.s16 {r0, r1}, [in_+4]; st.global.v2.u32 [out_], {r1, r0};", { 0xffff8584ffff8786 } },
	{ "v4.u16", "", "ld.global.v4.u16 {h0, h1, h2, h3}, [in_+8]; st.global.v4.u16 [out_], {h3, h2, h1, h0};", { 0x89888b8a8d8c8f8e } },
	{ "v2.u32", "", "ld.global.v2.u32 {r0, r1}, [in_+8]; st.global.v2.u32 [out_+8], {r1, r0};", { 0, 0x8b8a89888f8e8d8c } },
	{ "v4.f32", "", "ld.global.v4.f32 {f0, f1, f2, f3}, [in_+16]; st.global.v4.f32 [out_], {f3, f2, f1, f0};",
		{ 0x9b9a99989f9e9d9c, 0x9392919097969594 } },
	{ "v2.u64", "", "ld.global.v2.u64 {d0, d1}, [in_+16]; st.global.v2.u64 [out_], {d1, d0};", { 0x9f9e9d9c9b9a9998, 0x9796959493929190 } },
	{ "v4.u32 to 64", "", "ld.global.v4.u32 {d0, d1, d2, d3}, [in_]; st.global.v2.u64 [out_], {d2, d3};", { 0x8b8a8988, 0x8f8e8d8c } },
	{ "v8.b32", "", "ld.global.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [in_+32]; st.global.v8.b32 [out_], {r7, r6, r5, r4, r3, r2, r1, r0};",
		{ 0xbbbab9b8bfbebdbc, 0xb3b2b1b0b7b6b5b4, 0xabaaa9a8afaeadac, 0xa3a2a1a0a7a6a5a4 } },
	{ "v4.b64", "", "ld.global.v4.b64 {d0, d1, d2, d3}, [in_]; st.global.v4.b64 [out_], {d3, d2, d1, d0};",
		{ 0x9f9e9d9c9b9a9998, 0x9796959493929190, 0x8f8e8d8c8b8a8988, 0x8786858483828180 } },
	{ "b128", "", ".reg .b128 o<2>; ld.global.b128 o0, [in_+16]; mov.b128 o1, o0; mov.b128 {d0, d1}, o1; mov.b128 o0, {d1, d0}; st.global.b128 [out_], o0;",
		{ 0x9f9e9d9c9b9a9998, 0x9796959493929190 } },
	{ "vector registers", "", ".reg .v4 .f32 v; .reg .v2 .b32 w; ld.global.v4.f32 v, [in_]; mov.f32 f0, v.y; mov.f32 v.w, f0;"
		"ld.global.v2.b32 w, [in_]; mov.b32 r0, w.y; mov.f32 f1, v.w; st.global.f32 [out_], f1; st.global.u32 [out_+4], r0;",
		{ 0x8786858487868584 } },
	{ "sink", "", "ld.global.v2.u32 {_, r1}, [in_+8]; st.global.u32 [out_], r1;", { 0x8f8e8d8c } },
	{ "address is overwritten", "", "add.s64 d0, in_, 8; ld.global.v2.u64 {d0, d1}, [d0+8]; st.global.v2.u64 [out_], {d1, d0};",
		{ 0x9f9e9d9c9b9a9998, 0x9796959493929190 } },
	{ "negative offset", "", "add.s64 d0, in_, 100; ld.global.u32 r0, [d0+-100]; st.global.u32 [out_], r0;", { 0x83828180 } },
	{ "large offset", "", "sub.s64 d0, in_, 4294967296; ld.global.u32 r0, [d0+4294967300]; st.global.u32 [out_], r0;", { 0x87868584 } },
	{ "hints", "", "ld.global.cg.u32 r0, [in_]; st.global.wt.u32 [out_], r0; ld.global.nc.L1::no_allocate.L2::128B.u32 r0, [in_+4];"
		"st.global.cs.u32 [out_+4], r0; prefetch.global.L2 [in_];", { 0x8786858483828180 } },
	{ "order", "", "ld.acquire.gpu.global.u32 r0, [in_]; st.release.sys.global.u32 [out_], r0; ld.volatile.global.u32 r0, [in_+4];"
		"st.volatile.u32 [out_+4], r0; ld.relaxed.cta.u32 r1, [in_]; membar.gl; fence.acq_rel.cta;", { 0x8786858483828180 } },
	{ "ldu", "", "ldu.global.u32 r0, [in_]; st.global.u32 [out_], r0;", { 0x83828180 } },
	/* parameters: 0, 8, 16, 24, 48 */
	{ "parameters", "", "ld.param.u8 r0, [small]; ld.param.b32 r1, [st+4]; ld.param.u64 d0, [st+16]; ld.param.s16 r2, [last];"
		"ld.param.v2.u32 {r4, r5}, [st]; st.global.v2.u32 [out_], {r0, r1}; st.global.u64 [out_+8], d0; st.global.v2.u32 [out_+16], {r2, r5};",
		{ 0x08070605000000f3, 0x1817161514131211, 0x08070605fffffffe } },
	{ "parameter by address", "", "mov.b64 d0, st; add.s64 d0, d0, 2; ld.param.u8 r0, [d0+1]; mov.u64 d1, st; cvta.param.u64 d1, d1; ld.u32 r1, [d1+8];"
		"st.global.v2.u32 [out_], {r0, r1};", { 0x0c0b0a0900000004 } },
	/* shared and local */
	{ "static shared", "", ".shared .b8 one[3]; .shared .align 16 .b32 two[4]; .shared .u64 three; mov.u32 r0, two; st.shared.u32 [r0+4], 77;"
		"ld.shared.u32 r1, [two+4]; st.shared.u8 [one+2], 5; ld.shared.u8 r2, [one+2]; mov.u64 d0, three; st.shared.u64 [d0], 9;"
		"ld.shared.u64 d1, [three]; mov.u32 r3, one; sub.u32 r0, r0, r3; st.global.v2.u32 [out_], {r1, r2}; st.global.u64 [out_+8], d1;"
		"st.global.u32 [out_+16], r0;", { 0x50000004d, 9, 0xfffffff0 } },
	{ "dynamic shared", ".extern .shared .align 4 .b8 dyn[]; .extern .shared .align 8 .f64 dyn2[];\n",
		".shared .b8 one[5]; mov.u32 r0, dyn; mov.u32 r1, dyn2; st.shared.u8 [one], 1; st.shared.u32 [dyn+8], 3; ld.shared.u32 r2, [r0+8];"
		"st.global.v2.u32 [out_], {r0, r1}; st.global.u32 [out_+8], r2;", { 0x1000000010, 3 } },
	{ "module shared", ".shared .align 4 .b8 ms[8];\n", "st.shared.u32 [ms+4], 8; mov.u32 r0, ms; ld.shared.u32 r1, [r0+4]; st.global.u32 [out_], r1;", { 8 } },
	{ "local", "", ".local .align 8 .b8 depot[40]; mov.u64 d0, depot; st.local.u32 [d0+8], 5; ld.local.u32 r0, [depot+8]; cvta.local.u64 d1, d0;"
		"ld.u32 r1, [d1+8]; cvta.to.local.u64 d2, d1; ld.local.u32 r2, [d2+8]; st.global.v2.u32 [out_], {r0, r1}; st.global.u32 [out_+8], r2;",
		{ 0x500000005, 5 } },
	{ "generic shared", "", ".shared .align 8 .b8 s[16]; cvta.shared.u64 d0, s; st.u32 [d0+4], 6; ld.shared.u32 r0, [s+4]; cvta.to.shared.u64 d1, d0;"
		"cvt.u32.u64 r2, d1; ld.shared.u32 r1, [r2+4]; st.global.v2.u32 [out_], {r0, r1};", { 0x600000006 } },
	{ "isspacep", "", ".shared .b8 s[4]; .local .b8 l[4]; cvta.shared.u64 d0, s; cvta.local.u64 d1, l; isspacep.shared p, d0; selp.u32 r0, 1, 0, p;"
		"isspacep.global p, d0; selp.u32 r1, 1, 0, p; isspacep.local p, d1; selp.u32 r2, 1, 0, p; isspacep.global p, in_; selp.u32 r3, 1, 0, p;"
		"st.global.v4.u32 [out_], {r0, r1, r2, r3};", { 1, 0x100000001 } },
	{ "isspacep of 32 bits", "", ".shared .b8 s[4]; cvta.shared.u64 d0, s; cvt.u32.u64 r0, d0; isspacep.shared p, r0; selp.u32 r1, 1, 0, p; isspacep.global p, r0;"
		"selp.u32 r2, 1, 0, p; isspacep.shared p, d0+1; selp.u32 r3, 1, 0, p; st.global.v4.u32 [out_], {r0, r1, r2, r3};", { 0, 0x100000001 } },
	/* a register and a constant; the values are those that NVIDIA's assembler folds */
	{ "register+4", "", "mov.u32 r0, 5; add.u32 r1, r0+8, -3; mov.u32 r2, r0+8; mov.u32 r3, 1; shl.b32 r3, r0, r3+2; mov.u32 r4, 10; mad.lo.s32 r4, r4+1, r4+-1, r4+2;"
		"st.global.v4.u32 [out_], {r1, r2, r3, r4}; st.global.u32 [out_+16], r0+1;", { 0xd0000000a, 0x6f00000028, 6 } },
	{ "register+4 of other widths", "", "mov.u64 d0, 5; mov.u64 d1, d0+-8; mov.u16 h0, 0xffff; add.u16 h1, h0+4, h0; mov.u32 r0, -1; mul.wide.u32 d2, r0+1, 2;"
		"cvt.u64.u32 d3, r0+1; mov.u32 r1, 0x7f; cvt.s32.s8 r1, r1+1; setp.eq.s64 p, d0+1, 6; selp.u32 r2, 1, 2, p;"
		"st.global.v2.u64 [out_], {d1, d2}; st.global.u64 [out_+16], d3; st.global.u16 [out_+24], h1; st.global.v2.u32 [out_+32], {r1, r2};",
		{ 0xfffffffffffffffd, 0, 0, 2, 0x1ffffff80 } },
	{ "variable+4 as a number", ".global .align 4 .b8 g[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n", ".shared .align 8 .b8 s[16]; mov.u64 d0, 4; add.u64 d1, d0, g+4; ld.global.u8 r0, [d1];"
		"mov.u64 d2, g; setp.eq.u64 p, d1, g+8; selp.u32 r1, 1, 0, p; mov.u32 r2, s; sub.u32 r2, s+12, r2; st.global.u64 [out_+16], g+4; ld.global.u64 d3, [out_+16];"
		"sub.u64 d3, d3, d2; st.global.u64 [out_+16], d3; st.global.v2.u32 [out_], {r0, r1}; st.global.u32 [out_+8], r2;", { 0x100000009, 12, 4 } },
	/* module variables */
	{ "global and const", ".global .u32 g = 7; .const .align 4 .u16 c[3] = {1, 2, 3};\n.global .f32 f = 1.0; .global .b64 z;\n",
		"ld.global.u32 r0, [g]; ld.const.u16 r1, [c+2]; ld.global.f32 f0, [f]; ld.global.u64 d0, [z]; st.global.v2.u32 [out_], {r0, r1};"
		"st.global.f32 [out_+8], f0; st.global.u64 [out_+16], d0;", { 0x200000007, 0x3f800000, 0 } },
	{ "addresses in initializers", ".global .u32 g[4] = {1, 2, 3, 4}; .global .u64 t[2] = {g, g+8}; .global .u64 t2 = generic(t)+8;\n",
		"ld.global.u64 d0, [t+8]; ld.global.u32 r0, [d0]; ld.global.u64 d1, [t2]; ld.global.u64 d2, [d1]; ld.u32 r1, [d2+4];"
		"st.global.v2.u32 [out_], {r0, r1};", { 0x400000003 } },
	{ "an address byte by byte", ".global .u32 g[4] = {1, 2, 3, 4};\n.global .align 8 .b8 t[17] = {7, 0, 0, 0, 0, 0, 0, 0, 0xff(g), 0xff00(g), 0xff0000(g), 0xff000000(g), 0xff00000000(g),"
		"0xff0000000000(g), 0xff000000000000(g), 0xff00000000000000(g), 8};\n",
		"ld.global.u8 r0, [t]; ld.global.u8 r1, [t+16]; ld.global.u64 d0, [t+8]; ld.global.u32 r2, [d0+8]; st.global.v4.u32 [out_], {r0, r1, r2, r2};", { 0x800000007, 0x300000003 } },
	{ "address of a variable", ".global .align 8 .b8 g[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n",
		"mov.u64 d0, g+4; ld.global.u32 r0, [d0]; cvta.global.u64 d1, g; ld.u8 r1, [d1+8]; st.global.v2.u32 [out_], {r0, r1};", { 0x908070605 } },
	{ "2-d initializer", ".const .s16 m[2][3] = {{1, 2}, {-1}};\n",
		"ld.const.u32 r0, [m]; ld.const.s16 r1, [m+6]; st.global.v2.u32 [out_], {r0, r1};", { 0xffffffff00020001 } },
	/* mov */
	{ "pack b32 of b16", "", "mov.u16 h0, 0x1122; mov.u16 h1, 0x3344; mov.b32 r0, {h0, h1}; mov.b32 {h2, h3}, r0; mov.b32 r1, {h3, h2};"
		"st.global.v2.u32 [out_], {r0, r1};", { 0x1122334433441122 } },
	{ "pack b64 of b16", "", "ld.global.u64 d0, [in_]; mov.b64 {h0, h1, h2, h3}, d0; mov.b64 d1, {h3, h2, h1, h0}; st.global.u64 [out_], d1;",
		{ 0x8180838285848786 } },
	{ "pack b64 of b32", "", "ld.global.u64 d0, [in_]; mov.b64 {r0, r1}, d0; mov.b64 d0, {r1, r0}; mov.b64 {_, r2}, d0; st.global.u64 [out_], d0; st.global.u32 [out_+8], r2;",
		{ 0x8382818087868584, 0x83828180 } },
	{ "b128 of b32", "", ".reg .b128 o; ld.global.v4.u32 {r0, r1, r2, r3}, [in_]; mov.b128 o, {r3, r2, r1, r0}; st.global.b128 [out_], o; mov.b128 {r0, r1, r2, r3}, o;"
		"st.global.v2.u32 [out_+16], {r0, r3};", { 0x8b8a89888f8e8d8c, 0x8382818087868584, 0x838281808f8e8d8c } },
	{ "unpack an address", ".global .u32 g = 9;\n", "mov.b64 {r0, r1}, g; mov.b64 d0, {r0, r1}; ld.global.u32 r2, [d0]; st.global.u32 [out_], r2;", { 9 } },
	{ "pack b32 of b8", "", ".reg .b8 b<4>; ld.global.v4.b8 {b0, b1, b2, b3}, [in_]; mov.b32 r0, {b3, b2, b1, b0}; mov.b32 {b0, b1, b2, b3}, r0;"
		"st.global.u32 [out_], r0; st.global.b8 [out_+4], b3;", { 0x8080818283 } },
	{ "unclean halves", "", "mov.u16 h0, 0xffff; add.u16 h0, h0, 1; mov.u16 h1, 5; mov.b32 r0, {h0, h1}; cvt.u32.u16 r1, h0; st.global.v2.u32 [out_], {r0, r1};",
		{ 0x50000 } },
};

static void
test_row(const row *r)
{
	uint8_t in[64], kernarg[56] = { 0 };
	uint64_t out[8] = { 0 }, address;
	char text[4096];
	unit *u;
	interp I;

	for (unsigned i = 0; i < 64; i++)
		in[i] = (uint8_t)(0x80 + i);
	address = (uint64_t)(uintptr_t)in;
	memcpy(kernarg, &address, 8);
	address = (uint64_t)(uintptr_t)out;
	memcpy(kernarg + 8, &address, 8);
	kernarg[16] = 0xf3;
	for (unsigned i = 0; i < 24; i++)
		kernarg[24 + i] = (uint8_t)(i + 1);
	memcpy(kernarg + 48, "\xfe\xff", 2);
	snprintf(text, sizeof text, HEAD "%s" ENTRY "%s\nret;\n}\n", r->vars, r->body);
	u = unit_new(text);
	I = (interp){ .f = unit_kernel(u, "k"), .kernarg = kernarg, .var = u->var };
	if (!I.f || u->fault || u->diags.nerrors)
		report(r->name, "%s%s", unit_diags(u), u->fault ? u->fault : "");
	else if (I.f->kernarg_size != 50)
		report(r->name, "%u bytes of parameters", I.f->kernarg_size);
	else if (!interp_run(&I))
		report(r->name, "%s", I.fault);
	else if (memcmp(out, r->want, sizeof out))
		report(r->name, "%llx %llx %llx %llx", (unsigned long long)out[0], (unsigned long long)out[1],
			(unsigned long long)out[2], (unsigned long long)out[3]);
	else
		report(r->name, NULL);
	unit_free(u);
}

/* What a load or store says of itself. */
static void
test_attributes(void)
{
	static const struct { const char *text; ir_mem want; } mem[] = {
		{ "ld.global.u32 r0, [in_];", { IR_GLOBAL, 4, .align = 4 } },
		{ "ld.global.s8 r0, [in_];", { IR_GLOBAL, 1, .sext = 1, .align = 1 } },
		{ "ld.global.nc.v4.f32 {f0, f1, f2, f3}, [in_];", { IR_GLOBAL, 16, .nc = 1, .align = 16 } },
		{ "ld.volatile.shared.u64 d0, [r0];", { IR_SHARED, 8, .vol = 1, .order = IR_RELAXED, .scope = IR_CTA, .align = 8 } },
		{ "ld.acquire.gpu.u32 r0, [in_];", { IR_GENERIC, 4, .order = IR_ACQUIRE, .scope = IR_GPU, .align = 4 } },
		{ "ld.relaxed.cta.u32 r0, [in_];", { IR_GENERIC, 4, .order = IR_RELAXED, .scope = IR_CTA, .align = 4 } },
		{ "st.release.cluster.global.u32 [in_], r0;", { IR_GLOBAL, 4, .order = IR_RELEASE, .scope = IR_GPU, .align = 4 } },
		{ "st.mmio.relaxed.sys.global.u32 [in_], r0;", { IR_GLOBAL, 4, .vol = 1, .order = IR_RELAXED, .scope = IR_SYS, .align = 4 } },
		{ "ld.const.u16 r0, [in_];", { IR_CONST, 2, .align = 2 } },
		{ "st.local.v2.u16 [d0], {h0, h1};", { IR_LOCAL, 4, .align = 4 } },
	};

	for (size_t k = 0; k < COUNT(mem); k++) {
		char text[1024];
		const ir_inst *found = NULL;
		const ir_func *f;
		unit *u;

		snprintf(text, sizeof text, HEAD ENTRY "%s\nret;\n}\n", mem[k].text);
		u = unit_new(text);
		f = unit_kernel(u, NULL);
		for (const ir_inst *i = f ? f->entry->first : NULL; i; i = i->next)
			if ((i->m.op == G_load && i->mem.space != IR_PARAM) || i->m.op == G_store)
				found = i;
		if (!found || memcmp(&found->mem, &mem[k].want, sizeof found->mem))
			report(mem[k].text, "%s", found ? "other attributes" : unit_diags(u));
		else
			report(mem[k].text, NULL);
		unit_free(u);
	}
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		test_row(&rows[i]);
	test_attributes();
	return nfailed != 0;
}
