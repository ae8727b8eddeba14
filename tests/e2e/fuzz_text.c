/* fuzz_text.c -- a random program as PTX. What the generator does not know about stands in registers of its
 * own: %t, %td, %q (temporaries), %fuel, %me (work-item), %in, %out, and the bases of the memory areas. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

static const char *const space_name[NSPACE] = { "global", "local", "shared", "const", "global", "param" };

typedef unsigned long long ull;

static void
put_guard(text *t, const fuzz_inst *i)
{
	if (i->guard >= 0)
		text_add(t, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
}

/* A source that is read as it is, after what put_prepared has made of it. */
static void
put_source(text *t, const fuzz_inst *i, char k, unsigned n)
{
	if (strchr("ickMW", k))
		text_add(t, "%llu", (ull)i->imm[n]);
	else if (k == 'C')
		text_add(t, "0x%llx", (ull)i->imm[n]);
	else if (strchr("nmf", k))
		text_add(t, "%%t%u", n);
	else if (strchr("Ne", k))
		text_add(t, "%%td%u", n);
	else
		text_add(t, "%%%c%u", fuzz_class[fuzz_class_of(k)], i->src[n]);
}

static void
put_prepared(text *t, const fuzz_inst *i, char k, unsigned n)
{
	switch (k) {
	case 'n': text_add(t, "or.b32 %%t%u, %%r%u, 1; ", n, i->src[n]); break;
	case 'm': text_add(t, "and.b32 %%t%u, %%r%u, 0x7ffffff; or.b32 %%t%u, %%t%u, 1; ", n, i->src[n], n, n); break;
	case 'N': text_add(t, "or.b64 %%td%u, %%d%u, 1; ", n, i->src[n]); break;
	case 'f': text_add(t, "shr.s32 %%t%u, %%r%u, 10; cvt.rn.f32.s32 %%t%u, %%t%u; ", n, i->src[n], n, n); break;
	case 'e': text_add(t, "shr.s64 %%td%u, %%d%u, 20; cvt.rn.f64.s64 %%td%u, %%td%u; ", n, i->src[n], n, n); break;
	}
}

static void
put_template(text *t, const fuzz_inst *i, const fuzz_op *o)
{
	for (const char *s = o->text; *s; s++) {
		if (*s == '@')
			put_guard(t, i);
		else if (*s != '$')
			text_add(t, "%c", *s);
		else if (*++s == '0')
			text_add(t, "%%%c%u", fuzz_class[fuzz_class_of(o->dst)], i->dst);
		else if (*s == ',')
			for (unsigned k = 0; o->src[k]; k++) {
				text_add(t, ", ");
				put_source(t, i, o->src[k], k);
			}
		else
			put_source(t, i, o->src[*s - '1'], (unsigned)(*s - '1'));
	}
	text_add(t, "\n");
}

static void
put_op(text *t, const fuzz_inst *i)
{
	const fuzz_op *o = &fuzz_ops[i->op];

	for (unsigned k = 0; o->src[k]; k++)
		put_prepared(t, i, o->src[k], k);
	if (strchr(o->text, '$')) {
		if (!strchr(o->text, '@'))
			put_guard(t, i);
		put_template(t, i, o);
		return;
	}
	put_guard(t, i);
	text_add(t, "%s %%%c%u", o->text, fuzz_class[fuzz_class_of(o->dst)], i->dst);
	for (unsigned k = 0; o->src[k]; k++) {
		text_add(t, ", ");
		put_source(t, i, o->src[k], k);
	}
	text_add(t, ";\n");
}

/* In a scope of its own, perhaps, that has a name which means something else outside. */
static void
put_scoped_op(text *t, const fuzz_inst *i)
{
	if (i->form == 1)
		text_add(t, "{ .reg .b32 %%r%u; mov.b32 %%r%u, 0x5eed; ", i->target[0], i->target[0]);
	else if (i->form == 2)
		text_add(t, "{ bra L%u; trap; L%u: ", i->target[0], i->target[0]);
	put_op(t, i);
	if (i->form)
		text_add(t, "}\n");
}

/* ---- memory ---- */

/* The area's address within its space in %td5, or, narrow, in %t6. */
static void
put_base(text *t, unsigned space, bool narrow)
{
	static const char *const wide[NSPACE] = { "mov.b64 %td5, %ga; ", "mov.u64 %td5, depot; ", "cvt.u64.u32 %td5, %sa; ",
		"mov.u64 %td5, tab; ", "mov.u64 %td5, gtab; ", "mov.b64 %td5, s; " };

	if (narrow)
		text_add(t, "%s", space == SP_LOCAL ? "mov.u32 %t6, depot; " : "mov.u32 %t6, %sa; ");
	else
		text_add(t, "%s", wide[space]);
}

/* Adds an index, scaled by the size of what is accessed. */
static void
put_index(text *t, const fuzz_inst *i, unsigned size, bool narrow)
{
	unsigned mask = AREA / size / 2 - 1, log = 0, way = i->imm[1] >> 1 & 3;

	while (1u << log < size)
		log++;
	text_add(t, "and.b32 %%t7, %%r%u, %u; ", i->dst, mask);
	if (narrow && way & 1)
		text_add(t, "mad.lo.u32 %%t6, %%t7, %u, %%t6; ", size);
	else if (narrow)
		text_add(t, "shl.b32 %%t7, %%t7, %u; add.u32 %%t6, %%t6, %%t7; ", log);
	else if (way == 0)
		text_add(t, "mul.wide.u32 %%td6, %%t7, %u; add.s64 %%td5, %%td5, %%td6; ", size);
	else if (way == 1)
		text_add(t, "shl.b32 %%t7, %%t7, %u; cvt.u64.u32 %%td6, %%t7; add.s64 %%td5, %%td6, %%td5; ", log);
	else if (way == 2)
		text_add(t, "mad.wide.s32 %%td5, %%t7, %u, %%td5; ", size);
	else
		text_add(t, "cvt.u64.u32 %%td6, %%r%u; and.b64 %%td6, %%td6, %u; shl.b64 %%td6, %%td6, %u; add.s64 %%td5, %%td5, %%td6; ",
		         i->dst, mask, log);
}

static void
put_below(text *t, const fuzz_inst *i, unsigned size, bool narrow)
{
	text_add(t, "and.b32 %%t7, %%r%u, %u; neg.s32 %%t7, %%t7; ", i->dst, AREA / size / 2 - 1);
	if (narrow)
		text_add(t, "mad.lo.s32 %%t6, %%t7, %u, %%t6; ", size);
	else if (i->imm[1] & 2)
		text_add(t, "mul.wide.s32 %%td6, %%t7, %u; add.s64 %%td5, %%td5, %%td6; ", size);
	else
		text_add(t, "cvt.s64.s32 %%td6, %%t7; mad.lo.s64 %%td5, %%td6, %u, %%td5; ", size);
}

static void
put_data(text *t, const fuzz_inst *i, const fuzz_type *ty)
{
	text_add(t, ty->n > 1 ? "{" : "");
	for (unsigned k = 0; k < ty->n; k++) {
		text_add(t, k ? ", " : "");
		if (fuzz_element(i, k) == NONE)
			text_add(t, "_");
		else
			text_add(t, "%%%c%u", ty->cls, fuzz_element(i, k));
	}
	text_add(t, ty->n > 1 ? "}" : "");
}

static bool is_generic(const fuzz_inst *i) { return i->form >= FORM_GENERIC; }

/* What goes before the access; the address's text, of at most 40 characters. */
static void
put_address(text *t, const fuzz_inst *i, unsigned size, char *address)
{
	bool narrow = !is_generic(i) && (i->space == SP_LOCAL || i->space == SP_SHARED) && i->imm[1] & 1;
	int offset = (int)i->imm[0];
	static const char *const direct[NSPACE] = { "%ga", "depot", "%sa", "tab", "gtab", "s" };
	const char *base = narrow ? "%t6" : "%td5";

	if (i->form == FORM_CONST && !(i->imm[1] & 8))
		base = direct[i->space];
	else
		put_base(t, i->space, narrow);
	if (is_generic(i))
		text_add(t, "cvta.%s.u64 %%td5, %%td5; ", space_name[i->space]);
	if (fuzz_indexed(i->form))
		put_index(t, i, size, narrow);
	if (i->form == FORM_FAR || i->form == FORM_GENERIC_FAR) {
		text_add(t, narrow ? "sub.u32 %%t6, %%t6, %u; " : "sub.s64 %%td5, %%td5, %u; ", (unsigned)i->imm[2]);
		offset += (int)i->imm[2];
	}
	if (i->form == FORM_SELECT)
		text_add(t, "cvta.global.u64 %%td7, %%ga; selp.b64 %%td5, %%td5, %%td7, %%p%u; ", i->target[0]);
	if (i->form == FORM_NEGATIVE || i->form == FORM_BELOW) {
		text_add(t, narrow ? "add.u32 %%t6, %%t6, %d; " : "add.s64 %%td5, %%td5, %d; ", AREA);
		offset -= AREA;
	}
	if (i->form == FORM_BELOW) {
		put_below(t, i, size, narrow);
		offset = -(int)size;
	}
	snprintf(address, 40, "[%s%+d]", base, offset);
}

static void
put_memory(text *t, const fuzz_inst *i)
{
	const fuzz_type *ty = &fuzz_types[i->type];
	bool generic = is_generic(i);
	char address[40];

	put_address(t, i, (unsigned)ty->bytes * ty->n, address);
	put_guard(t, i);
	text_add(t, "%s%s%s.%s ", i->kind == I_LOAD ? "ld" : "st", generic ? "" : ".", generic ? "" : space_name[i->space], ty->name);
	if (i->kind == I_LOAD) {
		put_data(t, i, ty);
		text_add(t, ", %s;\n", address);
	} else {
		text_add(t, "%s, ", address);
		put_data(t, i, ty);
		text_add(t, ";\n");
	}
}

/* A number from a register to one for the time being, whose name this is. */
static const char *
put_number(text *t, const fuzz_atom *a, uint32_t reg)
{
	switch (a->kind) {
	case 'f': text_add(t, "shr.s32 %%t4, %%r%u, 10; cvt.rn.f32.s32 %%t4, %%t4; ", reg); return "%t4";
	case 'e': text_add(t, "shr.s64 %%td4, %%d%u, 20; cvt.rn.f64.s64 %%td4, %%td4; ", reg); return "%td4";
	}
	if (a->cls == 'h') {
		text_add(t, "and.b16 %%ht, %%h%u, 0xbfff; ", reg);
		return "%ht";
	}
	text_add(t, "and.b32 %%t4, %%r%u, 0xbfffbfff; ", reg);
	return "%t4";
}

static void
put_float_atom(text *t, const fuzz_inst *i, const char *opcode)
{
	const fuzz_atom *a = &fuzz_atoms[i->op];
	char address[40];
	const char *x;

	put_address(t, i, a->bytes, address);
	x = put_number(t, a, i->src[2]);
	put_guard(t, i);
	text_add(t, "st%s%s.b%u %s, %s; ", is_generic(i) ? "" : ".", is_generic(i) ? "" : space_name[i->space], a->bytes * 8u, address, x);
	put_number(t, a, i->src[1]);
	put_guard(t, i);
	text_add(t, "%s ", opcode);
	if (i->src[3] != NONE)
		text_add(t, "%%%c%u, ", a->cls, i->src[3]);
	text_add(t, "%s, %s;\n", address, x);
}

static void
put_atom(text *t, const fuzz_inst *i)
{
	static const char *const order[2][4] = { { "", ".relaxed.gpu", ".release.cta", ".relaxed.sys" }, { "", ".acq_rel.gpu", ".acquire.cta", ".relaxed.sys" } };
	const fuzz_atom *a = &fuzz_atoms[i->op];
	bool red = i->src[3] == NONE, generic = is_generic(i);
	char address[40], opcode[80];

	snprintf(opcode, sizeof opcode, "%s%s%s%s.%s", red ? "red" : "atom", order[!red][i->imm[3]], generic ? "" : ".", generic ? "" : space_name[i->space], a->text);
	if (a->kind) {
		put_float_atom(t, i, opcode);
		return;
	}
	put_address(t, i, a->bytes, address);
	put_guard(t, i);
	text_add(t, "%s ", opcode);
	if (!red)
		text_add(t, "%%%c%u, ", a->cls, i->src[3]);
	text_add(t, "%s, %%%c%u", address, a->cls, i->src[1]);
	if (a->operands > 1)
		text_add(t, ", %%%c%u", a->cls, i->src[2]);
	text_add(t, ";\n");
}

static void
put_copy(text *t, const fuzz_inst *i)
{
	unsigned size = (unsigned)i->imm[2];

	if (i->imm[3] == 5)
		text_add(t, "mov.u32 %%t4, %u; ", size / 2);
	put_guard(t, i);
	text_add(t, "cp.async.%s.shared.global [%%sa+%u], [%%ga+%u], %u", size == 16 && i->imm[3] & 1 ? "cg" : "ca", (unsigned)i->imm[1], (unsigned)i->imm[0], size);
	if (i->imm[3] == 4)
		text_add(t, ", %u", size / 2);
	text_add(t, "%s; %s\n", i->imm[3] == 5 ? ", %t4" : "", i->imm[3] % 3 ? "cp.async.wait_all;" : "cp.async.commit_group; cp.async.wait_group 0;");
}

/* ---- control and the rest ---- */

static void
put_init(text *t, const fuzz_inst *i)
{
	static const char *const size[NCLASS] = { "u32", "u64", "u16", "u32" };
	const char *ty = size[fuzz_class_of(i->cls)];
	char to[32] = "%t4";

	if (i->src[0] == 4) {
		text_add(t, "ld.param.%s %%%c%u, [narrow%u];\n", fuzz_narrows[i->imm[0]].type, i->cls, i->dst, (unsigned)i->imm[0]);
		return;
	}
	if (i->src[0] == 3) {
		text_add(t, "mov.%s %%%c%u, %llu;\n", ty, i->cls, i->dst, (ull)i->imm[0]);
		return;
	}
	if (i->src[0] == 2) {
		if (i->cls == 'p')
			text_add(t, "setp.lt.u32 %%p%u, %%fuel, %d;\n", i->dst, FUEL);
		else
			text_add(t, "mov.u32 %%%c%u, 0;\n", i->cls, i->dst);
		return;
	}
	if (i->cls != 'p')
		snprintf(to, sizeof to, "%%%c%u", i->cls, i->dst);
	if (i->src[0] == 0)
		text_add(t, "ld.global.%s %s, [%%in+%llu]; ", ty, to, (ull)i->imm[0] * 8);
	else
		text_add(t, "ld.param.%s %s, [s+%llu]; ", ty, to, (ull)i->imm[0] * 4);
	text_add(t, i->cls == 'p' ? "setp.lt.s32 %%p%u, %%t4, 0;\n" : "\n", i->dst);
}

static void
put_out(text *t, const fuzz_inst *i)
{
	unsigned at = AREA + 4 * (unsigned)i->imm[0];

	switch (i->cls) {
	case 'r': text_add(t, "st.global.u32 [%%out+%u], %%r%u;\n", at, i->src[0]); break;
	case 'd': text_add(t, "mov.b64 {%%t0, %%t1}, %%d%u; st.global.u32 [%%out+%u], %%t0; st.global.u32 [%%out+%u], %%t1;\n", i->src[0], at, at + 4); break;
	case 'h': text_add(t, "cvt.u32.u16 %%t0, %%h%u; st.global.u32 [%%out+%u], %%t0;\n", i->src[0], at); break;
	default:  text_add(t, "selp.u32 %%t0, 1, 0, %%p%u; st.global.u32 [%%out+%u], %%t0;\n", i->src[0], at); break;
	}
}

/* The condition in %q and the guard together. */
static void
put_both(text *t, const fuzz_inst *i)
{
	if (i->guard >= 0 && i->neg)
		text_add(t, "not.pred %%q2, %%p%d; and.pred %%q, %%q, %%q2; ", i->guard);
	else if (i->guard >= 0)
		text_add(t, "and.pred %%q, %%q, %%p%d; ", i->guard);
	text_add(t, "@%%q bra L%u;\n", i->target[0]);
}

/* 0 to 3; 2 and 3 are always told how many threads there are, where those are whole warps. */
static bool says_count(unsigned which, unsigned threads) { return which & 8 && threads % 32 == 0; }

/* Which of the spellings: one that counts threads and is not aligned is refused where lanes may have parted. */
static unsigned which_of(unsigned which, unsigned threads) { return which & 3 & (says_count(which, threads) ? 2 : 3); }

/* All threads of the block. */
static void
put_barrier(text *t, unsigned which, unsigned threads)
{
	static const char *const name[] = { "bar.sync", "barrier.sync", "bar.cta.sync", "barrier.sync.aligned" };

	text_add(t, "%s %u", name[which_of(which, threads)], which >> 2 & 3);
	if (says_count(which, threads))
		text_add(t, ", %u", threads);
	text_add(t, "; ");
}

/* The same from two halves: even warps tell the odd ones that they are here, and wait for these. */
static void
put_halves(text *t, unsigned threads)
{
	text_add(t, "and.b32 %%t4, %%me, 32; setp.ne.u32 %%q, %%t4, 0; @!%%q bar.arrive 5, %u; @%%q bar.sync 5, %u; @%%q barrier.arrive.aligned 6, %u; @!%%q bar.sync 6, %u; ",
	         threads, threads, threads, threads);
}

static void
put_exchange(text *t, const fuzz_inst *i, unsigned threads)
{
	put_barrier(t, (unsigned)i->imm[2], threads);
	text_add(t, "st.shared.u32 [%%sh], %%r%u; ", i->src[0]);
	if (i->imm[2] & BY_HALVES && threads % 32 == 0)
		put_halves(t, threads);
	else
		put_barrier(t, (unsigned)i->imm[2], threads);
	if (i->imm[1] == 1) {
		text_add(t, "ld.shared.u32 %%r%u, [room+%llu];\n", i->dst, (ull)(i->imm[0] % threads) * 4);
		return;
	}
	if (i->imm[1] == 2)
		text_add(t, "rem.u32 %%t4, %%r%u, %u; ", i->src[1], threads);
	else
		text_add(t, "add.u32 %%t4, %%me, %u; sub.u32 %%t5, %%t4, %u; setp.ge.u32 %%q, %%t4, %u; selp.u32 %%t4, %%t5, %%t4, %%q; ",
		         (unsigned)i->imm[0] % threads, threads, threads);
	text_add(t, "shl.b32 %%t4, %%t4, 2; mov.u32 %%t5, room; add.u32 %%t4, %%t4, %%t5; ld.shared.u32 %%r%u, [%%t4];\n", i->dst);
}

static void
put_reduce(text *t, const fuzz_inst *i, unsigned threads)
{
	static const char *const op[] = { "popc.u32", "and.pred", "or.pred" }, *const name[] = { "bar.red", "barrier.red", "bar.cta.red", "barrier.red.aligned" };
	unsigned which = (unsigned)i->imm[2];

	text_add(t, "%s.%s %%%c%u, %u, ", name[which_of(which, threads)], op[i->imm[0]], i->imm[0] ? 'p' : 'r', i->dst, which >> 2 & 3);
	if (says_count(which, threads))
		text_add(t, "%u, ", threads);
	text_add(t, "%s%%p%u;\n", i->imm[1] ? "!" : "", i->src[0]);
}

static void
put_switch(text *t, const fuzz_inst *i, unsigned number)
{
	text_add(t, "and.b32 %%t4, %%r%u, %llu;\nT%u: .branchtargets ", i->src[0], (ull)i->imm[0], number);
	for (unsigned k = 0; k <= i->imm[0]; k++)
		text_add(t, "%sL%u", k ? ", " : "", i->target[k]);
	text_add(t, ";\n");
	put_guard(t, i);
	text_add(t, "brx.idx %%t4, T%u;\n", number);
}

static void
put_swap(text *t, const fuzz_inst *i)
{
	static const char *const type[NCLASS] = { "u32", "u64", "b16", "pred" }, *const temp[NCLASS] = { "%t4", "%td4", "%ht", "%q" };
	unsigned c = fuzz_class_of(i->cls), n = i->src[2] == NONE ? 2 : 3;

	text_add(t, "mov.%s %s, %%%c%u; ", type[c], temp[c], i->cls, i->src[0]);
	for (unsigned k = 0; k + 1 < n; k++)
		text_add(t, "mov.%s %%%c%u, %%%c%u; ", type[c], i->cls, i->src[k], i->cls, i->src[k + 1]);
	text_add(t, "mov.%s %%%c%u, %s;\n", type[c], i->cls, i->src[n - 1], temp[c]);
}

static void
put_not_first(text *t, const fuzz_inst *i)
{
	if (i->src[0] == NONE)
		text_add(t, "mov.b32 %%t4, %%wm; ");
	else
		text_add(t, "mov.b32 %%t4, %%r%u; ", i->src[0]);
	text_add(t, "neg.s32 %%t5, %%t4; and.b32 %%t5, %%t5, %%t4; shr.u32 %%t5, %%t5, %%lane; setp.ne.u32 %%q, %%t5, 1; @%%q bra L%u;\n", i->target[0]);
}

/* in: the signature of the function that this stands in, NULL in the kernel. */
static void
put_return(text *t, const fuzz_inst *i, const fuzz_signature *in)
{
	char guard[16] = "";

	if (i->guard >= 0)
		snprintf(guard, sizeof guard, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
	if (i->imm[0])
		text_add(t, "%sexit;\n", guard);
	else if (in)
		fuzz_return_text(t, in, guard);
	else
		text_add(t, "%sret;\n", guard);
}

static void
put_inst(text *t, const fuzz_program *p, unsigned number, const fuzz_signature *in)
{
	const fuzz_inst *i = &p->i[number];

	switch ((fuzz_kind)i->kind) {
	case I_OP:        put_scoped_op(t, i); break;
	case I_INIT:      put_init(t, i); break;
	case I_OUT:       put_out(t, i); break;
	case I_LABEL:     text_add(t, "L%u:\n", i->target[0]); break;
	case I_BRA:       put_guard(t, i); text_add(t, "bra L%u;\n", i->target[0]); break;
	case I_BACK:      text_add(t, "sub.s32 %%fuel, %%fuel, 1; setp.gt.s32 %%q, %%fuel, 0; "); put_both(t, i); break;
	case I_LOOP:      text_add(t, "sub.s32 %%r%u, %%r%u, 1; setp.gt.s32 %%q, %%r%u, 0; ", i->dst, i->dst, i->dst); put_both(t, i); break;
	case I_COUNT:
		if (i->src[0] == NONE)
			text_add(t, "mov.u32 %%r%u, %llu;\n", i->dst, (ull)i->imm[1]);
		else
			text_add(t, "and.b32 %%t4, %%r%u, %llu; add.u32 %%r%u, %%t4, %llu;\n", i->src[0], (ull)i->imm[0], i->dst, (ull)i->imm[1]);
		break;
	case I_SWITCH:    put_switch(t, i, number); break;
	case I_EXCHANGE:  put_exchange(t, i, fuzz_threads(p)); break;
	case I_BARRIER:   put_barrier(t, (unsigned)i->imm[2], fuzz_threads(p)); text_add(t, "\n"); break;
	case I_REDUCE:    put_reduce(t, i, fuzz_threads(p)); break;
	case I_RET:       put_return(t, i, in); break;
	case I_FUNC:      break;
	case I_ARG:       fuzz_arg_text(t, p, i); break;
	case I_CALL:      fuzz_call_text(t, p, i, number, in); break;
	case I_SWAP:      put_swap(t, i); break;
	case I_PREDICATE: text_add(t, "mov.pred %%p%u, %%p%u;\n", i->dst, i->src[0]); break;
	case I_LOAD: case I_STORE: put_memory(t, i); break;
	case I_WARP:      fuzz_warp_text(t, p, i); break;
	case I_PART:      fuzz_part_text(t, i); break;
	case I_AGAIN:     fuzz_again_text(t, i); break;
	case I_ATOM:      put_atom(t, i); break;
	case I_COPY:      put_copy(t, i); break;
	case I_NOTHING:   text_add(t, "%s\n", fuzz_nothing[i->op]); break;
	case I_LOCK:      fuzz_lock_text(t, i); break;
	case I_UNLOCK:    fuzz_unlock_text(t, i); break;
	case I_SUM:       fuzz_sum_text(t, i); break;
	case I_TALLY:     fuzz_tally_text(t, i); break;
	case I_CHAIN:     fuzz_chain_text(t, p, i); break;
	case I_NOT_FIRST: put_not_first(t, i); break;
	case I_NOT_TURN:
		text_add(t, "xor.b32 %%t4, %%me, %%r%u; and.b32 %%t4, %%t4, %llu; setp.ne.u32 %%q, %%t4, 0; @%%q bra L%u;\n", i->src[0], (ull)i->imm[0], i->target[0]);
		break;
	case I_MASK:      text_add(t, i->src[0] == NONE ? "mov.b32 %%r%u, %%wm;\n" : "mov.b32 %%r%u, %%r%u;\n", i->dst, i->src[0]); break;
	}
}

/* ---- the frame ---- */

typedef struct needs { bool area[NSPACE], room, warp_room; } needs;

/* Of instructions from up to before to. */
static needs
find_needs(const fuzz_program *p, uint32_t from, uint32_t to)
{
	needs n = { .room = false };

	for (uint32_t k = from; k < to; k++) {
		n.room |= p->i[k].kind == I_EXCHANGE;
		n.warp_room |= p->i[k].kind == I_WARP && fuzz_wops[p->i[k].op].kind == W_EXCHANGE;
		if (p->i[k].kind == I_LOAD || p->i[k].kind == I_STORE || p->i[k].kind == I_ATOM)
			n.area[p->i[k].space] = true;
		n.area[SP_SHARED] |= p->i[k].kind == I_COPY;
	}
	return n;
}

static void
put_table(text *t, const char *how, const char *name)
{
	text_add(t, "%s .align 16 .b8 %s[%d] = {", how, name, TABLE);
	for (uint32_t k = 0; k < TABLE; k++)
		text_add(t, "%s%u", k ? ", " : "", fuzz_table_byte(k));
	text_add(t, "};\n");
}

static void
put_zeros(text *t, const char *space, const char *base)
{
	for (unsigned k = 0; k < AREA; k += 16)
		text_add(t, "st.%s.v4.b32 [%s+%u], {%%t0, %%t0, %%t0, %%t0}; ", space, base, k);
	text_add(t, "\n");
}

/* The place of this work-item: %me in the workgroup, %in and %out its memory. */
static void
put_place(text *t, const fuzz_program *p, bool in_reg)
{
	text_add(t, "mov.u32 %%me, %%tid.x; ");
	if (p->block[1] > 1)
		text_add(t, "mov.u32 %%t0, %%tid.y; mad.lo.u32 %%me, %%t0, %u, %%me; ", p->block[0]);
	text_add(t, "mov.u32 %%t1, %%ctaid.x; ");
	if (p->grid[1] > 1)
		text_add(t, "mov.u32 %%t0, %%ctaid.y; mov.u32 %%t2, %%nctaid.x; mad.lo.u32 %%t1, %%t0, %%t2, %%t1; ");
	text_add(t, "mad.lo.u32 %%t1, %%t1, %u, %%me;\n", fuzz_threads(p));
	text_add(t, in_reg ? "mov.b64 %%in, %%fin; mov.b64 %%out, %%fout; " : "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ");
	text_add(t, "mad.wide.u32 %%in, %%t1, %u, %%in; mad.wide.u32 %%out, %%t1, %u, %%out; mov.b64 %%ga, %%out; mov.u32 %%fuel, %d; mov.u32 %%t0, 0;\n",
	         p->slots * 8, fuzz_stride(p), FUEL);
}

/* The place in the warp: %lane, and %wm, the lanes that there are. */
static void
put_lane(text *t, unsigned threads, bool room)
{
	text_add(t, "mov.u32 %%lane, %%laneid; mov.b32 %%wm, 0xffffffff; ");
	if (threads % 32)
		text_add(t, "setp.ge.u32 %%q, %%me, %u; @%%q mov.b32 %%wm, %u; ", threads & ~31u, (1u << threads % 32) - 1);
	if (room)
		text_add(t, "shl.b32 %%wsh, %%me, 2; mov.u32 %%t1, wroom; add.u32 %%wsh, %%wsh, %%t1;");
	text_add(t, "\n");
}

/* %tail, the block's words; in the kernel slock, its lock in shared memory, becomes clear. */
static void
put_waits(text *t, const fuzz_program *p, bool kernel, bool in_reg)
{
	text_add(t, ".reg .b64 %%tail; .reg .b32 %%done<%d>;\n", NWAIT);
	text_add(t, "mov.u32 %%t1, %%ctaid.x; mov.u32 %%t2, %%ctaid.y; mov.u32 %%t3, %%nctaid.x; mad.lo.u32 %%t1, %%t2, %%t3, %%t1; ");
	text_add(t, in_reg ? "mov.b64 %%tail, %%fout; " : "ld.param.u64 %%tail, [out]; ");
	text_add(t, "add.s64 %%tail, %%tail, %zu; mad.wide.u32 %%tail, %%t1, %d, %%tail; mov.u32 %%t0, 0;\n", fuzz_tail(p), TAIL * 4);
	if (kernel)
		text_add(t, "setp.ne.u32 %%q, %%me, 0; @!%%q st.shared.u32 [slock], %%t0; bar.sync 0;\n");
}

/* Variables in shared memory, of the kernel or, where functions see them too, of the module. */
static void
put_shared(text *t, const fuzz_program *p, const needs *n)
{
	unsigned threads = fuzz_threads(p);

	if (n->room)
		text_add(t, ".shared .align 4 .b8 room[%u];\n", threads * 4);
	if (n->warp_room)
		text_add(t, ".shared .align 4 .b8 wroom[%u];\n", threads * 4);
	if (n->area[SP_SHARED])
		text_add(t, ".shared .align 16 .b8 sarea[%u];\n", threads * AREA);
	if (p->waits)
		text_add(t, ".shared .align 8 .b8 slock[8];\n");
}

/* Registers, and what stands before the first instruction. */
static void
put_start(text *t, const fuzz_program *p, const needs *n, const uint32_t *total, const fuzz_signature *in)
{
	bool in_reg = in && in->in_reg;

	text_add(t, ".reg .b32 %%r<%u>, %%t<8>, %%fuel, %%me, %%sh, %%sa, %%lane, %%wm, %%wsh; .reg .b64 %%d<%u>, %%in, %%out, %%ga, %%td<8>; "
	         ".reg .b16 %%h<%u>, %%ht, %%hu; .reg .pred %%p<%u>, %%q, %%q2;\n", total[0] + 1, total[1] + 1, total[2] + 1, total[3] + 1);
	if (!p->nfuncs)
		put_shared(t, p, n);
	if (n->area[SP_LOCAL])
		text_add(t, ".local .align 16 .b8 depot[%d];\n", AREA);
	if (in && !in_reg)
		text_add(t, ".reg .b32 %%left; ld.param.b32 %%left, [left];\n");
	put_place(t, p, in_reg);
	if (n->room)
		text_add(t, "shl.b32 %%sh, %%me, 2; mov.u32 %%t1, room; add.u32 %%sh, %%sh, %%t1;\n");
	if (p->warps)
		put_lane(t, fuzz_threads(p), n->warp_room);
	if (p->waits)
		put_waits(t, p, !in, in_reg);
	if (n->area[SP_SHARED])
		text_add(t, "mov.u32 %%t1, sarea; mad.lo.u32 %%sa, %%me, %d, %%t1; ", AREA);
	if (n->area[SP_LOCAL])
		put_zeros(t, "local", "depot");
}

/* Declarations, the tables of calls through registers, then the functions. */
static void
put_functions(text *t, const fuzz_program *p)
{
	for (unsigned f = 0; f < p->nfuncs; f++) {
		fuzz_head_text(t, p, f);
		text_add(t, ";\n");
	}
	text_add(t, ".global .align 8 .u64 ftab[%d] = {", 4 * NSIGNATURE);
	for (unsigned k = 0; k < 4 * NSIGNATURE; k++)
		text_add(t, "%sf%u", k ? ", " : "", p->table[k / 4][k % 4]);
	text_add(t, "};\n");
	for (unsigned f = 0; f < p->nfuncs; f++) {
		const fuzz_signature *s = &p->signature[p->func[f].signature];
		uint32_t from = p->func[f].start, to = from + 1;
		needs n;

		while (to < p->n && p->i[to].kind != I_FUNC)
			to++;
		n = find_needs(p, from, to);
		fuzz_head_text(t, p, f);
		text_add(t, "\n{\n");
		put_start(t, p, &n, p->func[f].total, s);
		for (uint32_t k = from; k < to; k++)
			put_inst(t, p, k, s);
		fuzz_return_text(t, s, "");
		text_add(t, "}\n");
	}
}

void
fuzz_text(text *t, const fuzz_program *p)
{
	uint32_t end = p->nfuncs ? p->func[0].start : p->n;
	needs all = find_needs(p, 0, p->n), n = find_needs(p, 0, end);

	text_add(t, ".version 8.8\n.target sm_100a\n.address_size 64\n");
	if (all.area[SP_CONST])
		put_table(t, ".const", "tab");
	if (all.area[SP_TABLE])
		put_table(t, ".global", "gtab");
	fuzz_warp_functions(t, p);
	if (p->nfuncs) {
		put_shared(t, p, &all);
		put_functions(t, p);
		n.area[SP_SHARED] = all.area[SP_SHARED];
	}
	text_add(t, ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 s[%u]", (p->nparams - NARROW) * 4);
	for (unsigned k = 0; k < NNARROW; k++)
		text_add(t, ", .param .%s narrow%u", fuzz_narrows[k].type, k);
	text_add(t, ")\n");
	if (p->maxntid)
		text_add(t, ".%s %u, %u\n", p->maxntid == 1 ? "reqntid" : "maxntid", p->block[0], p->block[1]);
	if (p->maxnreg)
		text_add(t, ".maxnreg %u\n", p->maxnreg);
	text_add(t, "{\n");
	put_start(t, p, &n, p->total, NULL);
	if (n.area[SP_SHARED])
		put_zeros(t, "shared", "%sa");
	for (uint32_t k = 0; k < end; k++)
		put_inst(t, p, k, NULL);
	text_add(t, "ret;\n}\n");
}
