/* fuzz_call.c -- calls in random programs: their text. A function's parameters are in and out as the kernel has them,
 * how deep calls may still go, the mask of the lanes that call it together where its signature wants one, and values; the result is
 * register 0 of a class. Calls through a register take the function from the table ftab. */
#include "fuzz.h"

#include <stdio.h>

const fuzz_arg fuzz_args[] = {
	{ "b32", 'r', 32, 0 }, { "u32", 'r', 32, 0 }, { "s32", 'r', 32, 0 }, { "f32", 'r', 32, 0 }, { "b64", 'd', 64, 0 }, { "u64", 'd', 64, 0 }, { "f64", 'd', 64, 0 },
	{ "b16", 'h', 16, 0 }, { "u16", 'h', 16, 0 }, { "u8", 'h', 8, 0 }, { "s8", 'h', 8, 1 }, { "u8", 'r', 8, 0 }, { "s16", 'r', 16, 1 },
	{ "16 bytes", 'd', 64, 0 }, { "12 bytes", 'd', 64, 0 },
};
const unsigned fuzz_nargs = sizeof fuzz_args / sizeof *fuzz_args;
enum { WIDE_STRUCT = 13, NARROW_STRUCT };

bool fuzz_plain_arg(unsigned a) { return a < 9; }

/* A parameter's declaration. */
static void
put_declared(text *t, bool in_reg, unsigned a, const char *name, unsigned n)
{
	char full[24];

	snprintf(full, sizeof full, "%s%u", name, n);
	if (a == WIDE_STRUCT || a == NARROW_STRUCT)
		text_add(t, ".param .align %u .b8 %s[%u]", a == WIDE_STRUCT ? 8u : 4u, full, a == WIDE_STRUCT ? 16u : 12u);
	else if (in_reg)
		text_add(t, ".reg .%s %%%s", fuzz_args[a].name, full);
	else
		text_add(t, ".param .%s %s", fuzz_args[a].name, full);
}

/* What a caller writes, or a function that returns. */
static void
put_stored(text *t, unsigned a, const char *to, unsigned reg, const char *guard)
{
	if (a == WIDE_STRUCT)
		text_add(t, "%sst.param.b64 [%s+8], %%d%u; %sst.param.b32 [%s], 7; ", guard, to, reg, guard, to);
	else if (a == NARROW_STRUCT)
		text_add(t, "mov.b64 {%%t6, %%t7}, %%d%u; %sst.param.b32 [%s], %%t7; %sst.param.b32 [%s+4], %%t6; ", reg, guard, to, guard, to);
	else
		text_add(t, "%sst.param.%s [%s], %%%c%u; ", guard, fuzz_args[a].name, to, fuzz_args[a].cls, reg);
}

static void
put_loaded(text *t, unsigned a, const char *from, unsigned reg, const char *guard)
{
	if (a == WIDE_STRUCT)
		text_add(t, "%sld.param.u64 %%d%u, [%s+8]; ", guard, reg, from);
	else if (a == NARROW_STRUCT)
		text_add(t, "ld.param.u32 %%t6, [%s+4]; ld.param.u32 %%t7, [%s]; %smov.b64 %%d%u, {%%t6, %%t7}; ", from, from, guard, reg);
	else
		text_add(t, "%sld.param.%s %%%c%u, [%s]; ", guard, fuzz_args[a].name, fuzz_args[a].cls, reg, from);
}

/* ---- a function ---- */

/* Its result and parameters, as declared; or, without a name, as a prototype. */
static void
put_head(text *t, const fuzz_signature *s, const char *name)
{
	const char *space = s->in_reg ? ".reg" : ".param", *mark = s->in_reg ? "%" : "";

	if (s->result != NO_ARG) {
		text_add(t, "(");
		put_declared(t, s->in_reg, s->result, "rv", 0);
		text_add(t, ") ");
	}
	text_add(t, "%s(%s .b64 %sin, %s .b64 %sout, %s .b32 %sleft", name, space, s->in_reg ? "%f" : "", space, s->in_reg ? "%f" : "", space, mark);
	if (s->mask)
		text_add(t, ", %s .b32 %smask", space, mark);
	for (unsigned k = 0; k < s->nargs; k++) {
		text_add(t, ", ");
		put_declared(t, s->in_reg, s->arg[k], "a", k);
	}
	text_add(t, ")");
}

void
fuzz_head_text(text *t, const fuzz_program *p, unsigned f)
{
	char name[16];

	snprintf(name, sizeof name, "f%u", f);
	text_add(t, ".func ");
	put_head(t, &p->signature[p->func[f].signature], name);
}

/* Parameter imm[0] to a register; NO_ARG: the mask. */
void
fuzz_arg_text(text *t, const fuzz_program *p, const fuzz_inst *i)
{
	const fuzz_signature *s = &p->signature[i->imm[1]];
	unsigned a = i->imm[0] == NO_ARG ? NO_ARG : s->arg[i->imm[0]];
	char name[16];

	snprintf(name, sizeof name, "a%u", (unsigned)i->imm[0]);
	if (a == NO_ARG)
		text_add(t, s->in_reg ? "mov.b32 %%r%u, %%mask;" : "ld.param.b32 %%r%u, [mask];", i->dst);
	else if (s->in_reg)
		text_add(t, "mov.%s %%%c%u, %%%s;", fuzz_args[a].name, fuzz_args[a].cls, i->dst, name);
	else
		put_loaded(t, a, name, i->dst, "");
	text_add(t, "\n");
}

/* The result's place gets register 0; then the function returns. */
void
fuzz_return_text(text *t, const fuzz_signature *s, const char *guard)
{
	if (s->result != NO_ARG && s->in_reg)
		text_add(t, "%smov.%s %%rv0, %%%c0; ", guard, fuzz_args[s->result].name, fuzz_args[s->result].cls);
	else if (s->result != NO_ARG)
		put_stored(t, s->result, "rv0", 0, guard);
	text_add(t, "%sret;\n", guard);
}

/* ---- a call ---- */

static void
put_callee(text *t, const fuzz_inst *i)
{
	if (i->target[0] == NONE)
		text_add(t, "f%u", i->op);
	else
		text_add(t, "%%td5");
}

/* Declares the prototype and loads the function's address. */
static void
put_indirect(text *t, const fuzz_program *p, const fuzz_inst *i, unsigned number)
{
	text_add(t, "P%u: .callprototype ", number);
	put_head(t, &p->signature[i->imm[1]], "_ ");
	text_add(t, "; and.b32 %%t5, %%r%u, 3; mul.wide.u32 %%td5, %%t5, 8; mov.u64 %%td6, ftab; add.s64 %%td5, %%td5, %%td6; ld.global.u64 %%td5, [%%td5+%u];\n",
	         i->target[0], 32 * (unsigned)i->imm[1]);
}

/* Arguments by name of their registers: what .reg parameters want, and plain .param ones take. */
static void
put_direct(text *t, const fuzz_program *p, const fuzz_inst *i, unsigned number, const char *guard)
{
	const fuzz_signature *s = &p->signature[i->imm[1]];

	text_add(t, "%scall ", guard);
	if (s->result != NO_ARG)
		text_add(t, "(%%%c%u), ", fuzz_args[s->result].cls, i->dst);
	put_callee(t, i);
	text_add(t, ", (%%td4, %%td7, %%t4");
	if (s->mask)
		text_add(t, i->target[1] == NONE ? ", %%wm" : ", %%r%u", i->target[1]);
	for (unsigned k = 0; k < s->nargs; k++)
		text_add(t, ", %%%c%u", fuzz_args[s->arg[k]].cls, i->src[k]);
	text_add(t, ")");
	if (i->target[0] != NONE)
		text_add(t, ", P%u", number);
	text_add(t, ";\n");
}

static void
put_by_params(text *t, const fuzz_program *p, const fuzz_inst *i, unsigned number, const char *guard)
{
	const fuzz_signature *s = &p->signature[i->imm[1]];
	char name[16];

	text_add(t, ".param .b64 cin; st.param.b64 [cin], %%td4; .param .b64 cout; st.param.b64 [cout], %%td7; .param .b32 cleft; st.param.b32 [cleft], %%t4;\n");
	if (s->mask)
		text_add(t, i->target[1] == NONE ? ".param .b32 cmask; st.param.b32 [cmask], %%wm; " : ".param .b32 cmask; st.param.b32 [cmask], %%r%u; ", i->target[1]);
	for (unsigned k = 0; k < s->nargs; k++) {
		put_declared(t, false, s->arg[k], "c", k);
		text_add(t, "; ");
		snprintf(name, sizeof name, "c%u", k);
		put_stored(t, s->arg[k], name, i->src[k], "");
	}
	if (s->result != NO_ARG) {
		put_declared(t, false, s->result, "cr", 0);
		text_add(t, "; ");
	}
	text_add(t, s->result != NO_ARG ? "%scall (cr0), " : "%scall ", guard);
	put_callee(t, i);
	text_add(t, ", (cin, cout, cleft%s", s->mask ? ", cmask" : "");
	for (unsigned k = 0; k < s->nargs; k++)
		text_add(t, ", c%u", k);
	text_add(t, ")");
	if (i->target[0] != NONE)
		text_add(t, ", P%u", number);
	text_add(t, "; ");
	if (s->result != NO_ARG)
		put_loaded(t, s->result, "cr0", i->dst, guard);
	text_add(t, "\n");
}

/* caller: the signature of the function that this stands in, NULL in the kernel. */
void
fuzz_call_text(text *t, const fuzz_program *p, const fuzz_inst *i, unsigned number, const fuzz_signature *caller)
{
	const fuzz_signature *s = &p->signature[i->imm[1]];
	bool direct = s->in_reg || i->form;
	char guard[16] = "";

	if (i->guard >= 0)
		snprintf(guard, sizeof guard, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
	for (unsigned k = 0; k < s->nargs && !s->in_reg; k++)
		direct &= fuzz_plain_arg(s->arg[k]);
	direct &= s->result == NO_ARG || s->result < WIDE_STRUCT;
	if (caller)
		text_add(t, "setp.lt.s32 %%q, %%left, 1; @%%q bra K%u; sub.s32 %%t4, %%left, 1; ", number);
	else
		text_add(t, "mov.u32 %%t4, %u; ", (unsigned)i->imm[0]);
	if (caller && caller->in_reg)
		text_add(t, "mov.b64 %%td4, %%fin; mov.b64 %%td7, %%fout; ");
	else
		text_add(t, "ld.param.u64 %%td4, [in]; ld.param.u64 %%td7, [out]; ");
	text_add(t, "{\n");
	if (i->target[0] != NONE)
		put_indirect(t, p, i, number);
	if (direct)
		put_direct(t, p, i, number, guard);
	else
		put_by_params(t, p, i, number, guard);
	text_add(t, "}\n");
	if (caller)
		text_add(t, "K%u:\n", number);
}
