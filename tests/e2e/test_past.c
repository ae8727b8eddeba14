/* test_past.c -- PTX 1.x and targets before sm_20: forms without .approx and .rn, and f32 without subnormals, give what the
 * form gives that the manual says they stand for. Every pair of numbers, subnormals among them.
 * Parameters stood in the body. Where no space is written, a named variable's own counts; functions' variables keep their
 * initial values.
 * Manual: "Parallel Thread Execution ISA", 9.7.3 ("PTX ISA Notes", "Subnormal numbers"), 9.7.9.21, 11.2.1. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In version 1.x for sm_13; and today. $0 $1 $2 $3: registers, f32 or, where wide, f64 */
static const struct pair { int minor, wide; const char *past, *now; } pairs[] = {
	{ 3, 0, "div.f32 $0, $1, $2;", "div.approx.ftz.f32 $0, $1, $2;" },
	{ 3, 1, "div.f64 $0, $1, $2;", "div.rn.f64 $0, $1, $2;" },
	{ 3, 0, "rcp.f32 $0, $1;", "rcp.approx.ftz.f32 $0, $1;" },
	{ 3, 1, "rcp.f64 $0, $1;", "rcp.rn.f64 $0, $1;" },
	{ 3, 0, "sqrt.f32 $0, $1;", "sqrt.approx.ftz.f32 $0, $1;" },
	{ 3, 1, "sqrt.f64 $0, $1;", "sqrt.rn.f64 $0, $1;" },
	{ 3, 0, "rsqrt.f32 $0, $1;", "rsqrt.approx.ftz.f32 $0, $1;" },
	{ 3, 1, "rsqrt.f64 $0, $1;", "rsqrt.approx.f64 $0, $1;" },
	{ 3, 0, "sin.f32 $0, $1;", "sin.approx.ftz.f32 $0, $1;" },
	{ 3, 0, "cos.f32 $0, $1;", "cos.approx.ftz.f32 $0, $1;" },
	{ 3, 0, "lg2.f32 $0, $1;", "lg2.approx.ftz.f32 $0, $1;" },
	{ 3, 0, "ex2.f32 $0, $1;", "ex2.approx.ftz.f32 $0, $1;" },
	{ 3, 0, "mad.f32 $0, $1, $2, $3;", "fma.rn.ftz.f32 $0, $1, $2, $3;" },
	{ 3, 0, "mad.sat.f32 $0, $1, $2, $3;", "fma.rn.ftz.sat.f32 $0, $1, $2, $3;" },
	{ 3, 1, "mad.f64 $0, $1, $2, $3;", "fma.rn.f64 $0, $1, $2, $3;" },
	{ 4, 0, "mad.f32 $0, $1, $2, $3;", "fma.rn.ftz.f32 $0, $1, $2, $3;" },
	{ 4, 0, "mad.ftz.f32 $0, $1, $2, $3;", "fma.rn.ftz.f32 $0, $1, $2, $3;" },
	{ 4, 0, "mad.ftz.sat.f32 $0, $1, $2, $3;", "fma.rn.ftz.sat.f32 $0, $1, $2, $3;" },
	{ 4, 0, "rcp.approx.f32 $0, $1;", "rcp.approx.ftz.f32 $0, $1;" },
	{ 3, 0, "add.f32 $0, $1, $2;", "add.ftz.f32 $0, $1, $2;" },
	{ 3, 0, "mul.rz.f32 $0, $1, $2;", "mul.rz.ftz.f32 $0, $1, $2;" },
	{ 3, 0, "sub.sat.f32 $0, $1, $2;", "sub.ftz.sat.f32 $0, $1, $2;" },
	{ 3, 0, "min.f32 $0, $1, $2;", "min.ftz.f32 $0, $1, $2;" },
	{ 3, 0, "neg.f32 $0, $1;", "neg.ftz.f32 $0, $1;" },
	{ 3, 0, "abs.f32 $0, $1;", "abs.ftz.f32 $0, $1;" },
	{ 3, 0, "setp.lt.f32 p, $1, $2; selp.f32 $0, $1, $2, p;", "setp.lt.ftz.f32 p, $1, $2; selp.f32 $0, $1, $2, p;" },
	{ 3, 0, "set.lt.f32.f32 $0, $1, $2;", "set.lt.ftz.f32.f32 $0, $1, $2;" },
	{ 3, 0, "slct.f32.f32 $0, $1, $2, $3;", "slct.ftz.f32.f32 $0, $1, $2, $3;" },
	{ 3, 0, "cvt.rmi.f32.f32 $0, $1;", "cvt.rmi.ftz.f32.f32 $0, $1;" },
	{ 3, 0, "cvt.rpi.s32.f32 t, $1; cvt.rn.f32.s32 $0, t;", "cvt.rpi.ftz.s32.f32 t, $1; cvt.rn.f32.s32 $0, t;" },
	{ 4, 0, "cvt.f64.f32 w, $1; cvt.rn.f32.f64 $0, w;", "cvt.f64.f32 w, $1; cvt.rn.f32.f64 $0, w;" },
	{ 5, 0, "cvt.f64.f32 w, $1; cvt.rn.f32.f64 $0, w;", "cvt.ftz.f64.f32 w, $1; cvt.rn.ftz.f32.f64 $0, w;" },
};
static const uint64_t edges[] = { 0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807ffffe, 0x800000, 0x80800000, 0x3f800000, 0xbf800000,
	0x3f800001, 0x40490fdb, 0x34000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x4f000000, 0x3effffff, 0x41c80000 };
enum { EDGES = sizeof edges / sizeof *edges, LANES = EDGES * EDGES };

static void
put_registers(text *t, const char *s)
{
	for (; *s; s++)
		if (*s == '$')
			text_add(t, "v%c", *++s);
		else
			text_add(t, "%c", *s);
	text_add(t, "\n");
}

/* A lane has three sources of 8 bytes and a result of 8. */
static void
kernel(text *t, const struct pair *p, bool past)
{
	const char *type = p->wide ? "f64" : "f32", *params = ".param .u64 in; .param .u64 out;";

	t->n = 0;
	if (past)
		text_add(t, ".version 1.%d\n.target sm_13\n", p->minor);
	else
		text_add(t, ".version 7.0\n.target sm_75\n.address_size 64\n");
	if (past && p->minor < 4)
		text_add(t, ".entry k {\n%s\n", params);
	else
		text_add(t, ".entry k (.param .u64 in, .param .u64 out) {\n");
	text_add(t, ".reg .%s v0, v1, v2, v3; .reg .f64 w; .reg .pred p; .reg .u64 i, o, a; .reg .u32 t, n, b;\n"
	         "ld.param.u64 i, [in]; ld.param.u64 o, [out];\ncvt.u32.u16 t, %%tid.x; cvt.u32.u16 b, %%ctaid.x; mul.lo.u32 b, b, 80;\n"
	         "add.u32 t, t, b; mul.wide.u32 a, t, 24; add.u64 i, i, a; mul.wide.u32 a, t, 8; add.u64 o, o, a;\n", type);
	text_add(t, "ld.global.%s v1, [i]; ld.global.%s v2, [i+8]; ld.global.%s v3, [i+16];\n", type, type, type);
	put_registers(t, past ? p->past : p->now);
	text_add(t, "st.global.%s [o], v0;\nexit;\n}\n", type);
}

static int
launch(const text *t, const char *chip, const char *name, const void *in, size_t in_size, void *out, size_t out_size)
{
	e2e_run r = { .chip = chip, .ptx = t->s, .kernel = "k", .grid = { LANES / 80, 1, 1 }, .block = { 80, 1, 1 }, .in = in,
		.in_size = in_size, .out = out, .out_size = out_size };

	return e2e_launch(name, &r);
}

static int
compare(const struct pair *p, const char *chip, text *t)
{
	static uint64_t in[LANES][3], out[2][LANES];

	for (unsigned i = 0; i < LANES; i++) {
		const uint64_t x[3] = { edges[i / EDGES], edges[i % EDGES], edges[(i * 7 + 3) % EDGES] };

		for (unsigned k = 0; k < 3; k++)
			in[i][k] = p->wide ? x[k] << 32 | (x[k] & 0xff) : x[k];
	}
	for (unsigned k = 0; k < 2; k++) {
		kernel(t, p, !k);
		if (launch(t, chip, p->past, in, sizeof in, out[k], sizeof out[k]))
			return 1;
	}
	if (!memcmp(out[0], out[1], sizeof out[0]))
		return 0;
	for (unsigned i = 0; i < LANES; i++)
		if (out[0][i] != out[1][i]) {
			printf("not ok past on %s: %s %#llx %#llx %#llx: got %#llx, %s gives %#llx\n", chip, p->past, (unsigned long long)in[i][0],
			       (unsigned long long)in[i][1], (unsigned long long)in[i][2], (unsigned long long)out[0][i], p->now, (unsigned long long)out[1][i]);
			break;
		}
	return 1;
}

/* ld, st and atom of variables by name, without a space: 64 lanes, each its own word, and one that all count in */
static int
named(const char *chip, text *t)
{
	uint32_t in[64], out[64];
	int bad = 0;

	for (unsigned i = 0; i < 64; i++)
		in[i] = i * 2654435761u;
	t->n = 0;
	text_add(t, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
	         ".shared .u32 count; .shared .align 8 .u32 both[2]; .local .u32 mine[2]; .global .u32 seven = 7; .reg .u64 i, o, a; .reg .u32 t, x, y, z;\n"
	         "ld.param.u64 i, [in]; ld.param.u64 o, [out]; mov.u32 t, %%tid.x; mul.wide.u32 a, t, 4; add.u64 i, i, a; add.u64 o, o, a;\n"
	         "st.u32 [count], 0; st.v2.u32 [both], {5, 6}; ld.u32 x, [i]; st.u32 [mine+4], x; bar.sync 0; atom.add.u32 y, [count], 2; red.add.u32 [count], 1;\n"
	         "bar.sync 0; ld.u32 x, [mine+4]; ld.u32 y, [count]; add.u32 x, x, y; ld.u32 y, [both+4]; ld.u32 z, [seven];\n"
	         "{ .const .u32 seven = 1000; .global .u64 at = seven; .reg .u64 p; ld.const.u32 t, [seven]; add.u32 x, x, t; }\n"
	         "mad.lo.u32 x, y, z, x; st.u32 [o], x; ret; }\n");
	e2e_run r = { .chip = chip, .ptx = t->s, .kernel = "k", .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .in = in, .in_size = sizeof in,
		.out = out, .out_size = sizeof out };
	if (e2e_launch("variables by name", &r))
		return 1;
	for (unsigned i = 0; i < 64 && !bad; i++)
		if (out[i] != in[i] + 64 * 3 + 6 * 7 + 1000)
			bad = printf("not ok variables by name on %s: lane %u got %#x\n", chip, i, out[i]);
	return !!bad;
}

int
main(void)
{
	text t = { 0 };
	int bad = 0, n = e2e_quick() ? 2 : 4;

	for (const char *const *chip = e2e_on(e2e_chips, (size_t)n); *chip; chip++) {
		for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
			bad += compare(&pairs[i], *chip, &t);
		bad += named(*chip, &t);
	}
	free(t.s);
	if (!bad)
		printf("ok forms of PTX 1.x and variables by name\n");
	return !!bad;
}
