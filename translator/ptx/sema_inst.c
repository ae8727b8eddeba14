/* sema_inst.c -- one instruction: names, the form it is of, and its operands.
 * Needs open scopes and a parsed instruction; leaves symbols in operands and the form's number, or
 * reports and func->nbad one more. Manual: "Parallel Thread Execution ISA", 6, 9.2-9.4. */
#include <string.h>

#include "ptx/front.h"

#define REPORT(S, id, loc, ...) ((S)->bad = true, diag_add((S)->m->diags, id, loc, __VA_ARGS__))

static ptx_sreg
find_sreg(sema *S, const ptx_operand *o)
{
	const char *name = o->name;

	if (name[0] != '%')
		return PTX_NSREGS;
	if (o->part) {
		char text[64];
		size_t n = strlen(name);

		if (n > sizeof text - 3)
			return PTX_NSREGS;
		memcpy(text, name, n);
		text[n] = '.';
		text[n + 1] = (char)o->part;
		name = intern_str(S->m->names, text, n + 2);
	}
	return (ptx_sreg)((uintptr_t)ptr_map_get(&S->sregs, name) - 1);
}

/* What elements of name[i] are in bytes. NVIDIA's assembler counts a vector's components. */
static void
index_to_bytes(ptx_operand *o)
{
	uint64_t size = MAX(ptx_type_bits(o->sym->type) / 8, 1u);

	if (o->part == '[' && o->sym->kind == PTX_SYM_VAR)
		o->ival = (int64_t)((uint64_t)o->ival * size);
}

static bool
resolve_register(sema *S, ptx_operand *o)
{
	bool component = o->part && o->part != 'b' && o->part != 'h';

	o->kind = PTX_O_REG;
	if (o->part == '[') {
		REPORT(S, DIAG_syntax, o->loc, arena_printf(S->A, "'%s' is a register, no array", o->name));
		return false;
	}
	if (o->uns == 2 && !o->part) {
		REPORT(S, DIAG_syntax, o->loc, arena_printf(S->A, "PTX has no difference of a register and a constant: %s+-4", o->name));
		return false;
	}
	if (component && (o->sym->vec == 1 || strchr("xyzw", o->part) - "xyzw" >= o->sym->vec)) {
		REPORT(S, DIAG_syntax, o->loc, arena_printf(S->A, "'%s' has no component .%c",
			o->name, o->part));
		return false;
	}
	return true;
}

/* Variables take name[1] and name+4, functions and labels nothing. */
static bool
resolve_symbol(sema *S, ptx_operand *o)
{
	bool variable = o->sym->kind == PTX_SYM_VAR;

	if (o->part && !(variable && o->part == '[')) {
		REPORT(S, DIAG_syntax, o->loc, arena_printf(S->A, "'%s' is not in registers: it has no components and no parts", o->name));
		return false;
	}
	if (!variable && o->ival) {
		REPORT(S, DIAG_syntax, o->loc, arena_printf(S->A, "'%s' takes no offset: it is no variable", o->name));
		return false;
	}
	if (o->sym->kind == PTX_SYM_LABEL)
		o->kind = PTX_O_LABEL;
	else
		index_to_bytes(o);
	return true;
}

/* name[r]: r is an integer, or bits. */
static bool
resolve_index(sema *S, ptx_operand *r)
{
	ptx_type t;

	r->sym = scope_find(S, r->name);
	if (!r->sym) {
		REPORT(S, DIAG_undefined, r->loc, r->name);
		return false;
	}
	t = r->sym->type;
	if (r->sym->kind == PTX_SYM_REG && r->sym->vec == 1 && ptx_type_bits(t) >= 8 && ptx_type_bits(t) <= 64 && !ptx_is_float(t)) {
		r->kind = PTX_O_REG;
		return true;
	}
	REPORT(S, DIAG_syntax, r->loc, arena_printf(S->A, "an index is a constant or a register of 8 to 64 bits, no float; '%s' is not%s", r->name,
		r->sym->kind == PTX_SYM_VAR ? "; of an address, a ',' is missing before the '['" : ""));
	return false;
}

static bool
resolve_name(sema *S, ptx_operand *o, enum diag_id unknown)
{
	ptx_sreg r;

	if (o->nsub && o->part == '[' && !resolve_index(S, o->sub))
		return false;
	o->sym = scope_find(S, o->name);
	if (!o->sym) {
		r = find_sreg(S, o);
		if ((unsigned)r < PTX_NSREGS && !(!o->part && o->ival)) {
			o->kind = PTX_O_SREG;
			o->sreg = (uint16_t)r;
			return true;
		}
		REPORT(S, unknown, o->loc, o->name);
		return false;
	}
	return o->sym->kind == PTX_SYM_REG ? resolve_register(S, o) : resolve_symbol(S, o);
}

/* r+4, which is no address but the register's value and 4 */
static bool
has_offset(const ptx_operand *o)
{
	return o->kind == PTX_O_REG && o->uns && !o->part;
}

/* Depth is bounded by the parser. */
bool
sema_resolve(sema *S, ptx_operand *o, enum diag_id unknown)
{
	bool ok = true;

	if (o->kind == PTX_O_SYM)
		return resolve_name(S, o, unknown);
	if (o->kind == PTX_O_REG)
		return true;
	for (unsigned i = 0; i < o->nsub; i++) {
		ok &= sema_resolve(S, &o->sub[i], unknown);
		if (!has_offset(&o->sub[i]))
			continue;
		REPORT(S, DIAG_syntax, o->sub[i].loc, "within a list a register takes no offset");
		ok = false;
	}
	return ok;
}

/* What is checked now. With quiet set faults are counted only. */
typedef struct check {
	sema *S;
	ptx_inst *x;
	unsigned i;             /* the operand, from 0 */
	bool quiet;
	unsigned faults;
} check;

static void
wrong_kind(check *C, const ptx_operand *o, const char *want)
{
	C->faults++;
	if (!C->quiet)
		REPORT(C->S, DIAG_operand_kind, o->loc, C->i + 1, C->x->text, want);
}

static void
wrong_width(check *C, const ptx_operand *o, unsigned want, unsigned has)
{
	C->faults++;
	if (!C->quiet)
		REPORT(C->S, DIAG_operand_width, o->loc, C->i + 1, C->x->text, want, o->name, has);
}

static void
wrong_range(check *C, const ptx_operand *o, const char *range)
{
	C->faults++;
	if (!C->quiet)
		REPORT(C->S, DIAG_operand_range, o->loc, C->i + 1, C->x->text, range);
}

static const char *
want_type(check *C, const char *what, ptx_type t)
{
	return C->quiet ? "" : arena_printf(C->S->A, "%s of type .%s", what, ptx_type_name(t));
}

static bool
is_bits(ptx_type t)
{
	return t >= PTX_B8 && t <= PTX_B128;
}

static bool
is_int(ptx_type t)
{
	return t >= PTX_U8 && t <= PTX_S64;
}

/* Table "operand types" of 9.2: bits go with everything, integers with integers, floats with floats; a register of .f16x2 is one of
 * bits to NVIDIA's assembler. */
static bool
classes_agree(ptx_type reg, ptx_type t, bool wider)
{
	if (is_bits(t) || is_bits(reg))
		return reg != PTX_PRED && t != PTX_PRED;
	if (is_int(t))
		return is_int(reg) || reg == PTX_F16X2;
	if (wider && ptx_is_float(t))
		return reg == t;
	return reg == t || (t == PTX_TF32 && reg == PTX_F32);
}

static bool
holds_address(ptx_type t)
{
	return !ptx_is_float(t) && (ptx_type_bits(t) == 32 || ptx_type_bits(t) == 64);
}

/* Digits of a selector, the lowest first. */
static unsigned
digit_of(const ptx_operand *o, unsigned i)
{
	return (unsigned)(o->ival >> (4 * i)) & 15;
}

/* Which bytes or halves, each once, the highest first. */
static bool
is_mask(const ptx_operand *o, unsigned n)
{
	for (unsigned i = 0; i < o->nsub; i++)
		if (digit_of(o, i) >= n || (i && digit_of(o, i) <= digit_of(o, i - 1)))
			return false;
	return true;
}

static bool
is_selection(const ptx_operand *o, unsigned n, unsigned of)
{
	for (unsigned i = 0; i < o->nsub; i++)
		if (digit_of(o, i) >= of)
			return false;
	return o->nsub == n;
}

static bool
selector_fits(const ptx_operand *o, slot_sel sel)
{
	bool half = o->part == 'h';

	if (!half && o->part != 'b')
		return true;
	switch (sel) {
	case SEL_PART: return is_selection(o, 1, half ? 2 : 4);
	case SEL_HALVES: return half && is_selection(o, 2, 4);
	case SEL_BYTES: return !half && is_selection(o, 4, 8);
	case SEL_MASK2: return half && is_mask(o, 2);
	case SEL_MASK4: return !half && is_mask(o, 4);
	case SEL_NONE: break;
	}
	return false;
}

static const char *const selector_text[] = {
	[SEL_NONE] = "without a selector of bytes or halves",
	[SEL_PART] = "whole or a part .b0 to .b3, .h0, .h1",
	[SEL_HALVES] = "two of the halves .h0 to .h3, as .h10",
	[SEL_BYTES] = "four of the bytes .b0 to .b7, as .b3210",
	[SEL_MASK2] = "one of .h0, .h1, .h10",
	[SEL_MASK4] = "some of the bytes .b3210, from above",
};

static void
check_register(check *C, const ptx_operand *o, const slot *sl, unsigned lanes)
{
	ptx_type reg = o->sym->type, t = (ptx_type)sl->type;
	unsigned has = ptx_type_bits(reg), want = ptx_type_bits(t);

	if (t == PTX_OTHER_TYPE || t == PTX_NOTYPE)
		return;
	if ((o->part ? 1 : o->sym->vec) != lanes)
		wrong_kind(C, o, lanes > 1 ? "a vector" : "a scalar");
	else if (!classes_agree(reg, t, sl->flags & SL_WIDER))
		wrong_kind(C, o, want_type(C, "a register", t));
	else if (sl->flags & SL_WIDER ? has < want : has != want && !(sl->flags & SL_NARROW && has == 32 && holds_address(reg)))
		wrong_width(C, o, want, has);
	else if (o->neg && !(sl->flags & SL_NEG && t == PTX_PRED) && !(sl->minus && o->neg == 2))
		wrong_kind(C, o, "without a sign");
	else if (!selector_fits(o, (slot_sel)sl->sel))
		wrong_kind(C, o, selector_text[sl->sel]);
	else if (has_offset(o) && (sl->kind == SLOT_DEST || sl->sel != SEL_NONE || lanes > 1 || has == 128 || reg == PTX_PRED || ptx_is_float(reg)))
		wrong_kind(C, o, "without an offset");
}

/* Before PTX 2.0 thread and block numbers had 16 bits, before 3.0 %gridid had 32. */
static bool
was_narrower(const ptx_operand *o, unsigned bits)
{
	return (bits == 16 && o->sreg <= PTX_SREG_nctaid_z) ||
		(bits == 32 && o->sreg == PTX_SREG_gridid);
}

static void
check_sreg(check *C, const ptx_operand *o, const slot *sl, unsigned lanes)
{
	static const uint8_t types[PTX_NSREGS] = {
#define PTX_SREG(id, text, type) PTX_##type,
#include "ptx/sregs.def"
#undef PTX_SREG
	};
	ptx_type t = (ptx_type)sl->type, s = (ptx_type)types[o->sreg];
	unsigned want = ptx_type_bits(t), has = ptx_type_bits(s);

	if (!(sl->flags & SL_SREG) || ptx_is_float(t) || (t == PTX_PRED) != (s == PTX_PRED))
		wrong_kind(C, o, "no special register: only mov and cvt read them");
	else if (lanes > 1 && (lanes != 4 || o->sreg < PTX_SREG_tid))
		wrong_kind(C, o, "a vector");
	else if (o->sreg >= PTX_SREG_tid && !o->part && lanes == 1)
		wrong_kind(C, o, "a component .x, .y or .z");
	else if (sl->flags & SL_WIDER ? has < want : want != has && (sl->lanes > 1 || !was_narrower(o, want)))
		wrong_width(C, o, want, has);
}

static void
check_range(check *C, const ptx_operand *o, const slot *sl)
{
	if (sl->mask && (uint64_t)o->ival > sl->mask)
		wrong_range(C, o, sl->mask == 255 ? "0..255" : "0..15");
	else if (sl->warps && (o->ival & 31 || o->ival <= 0))
		wrong_range(C, o, "the multiples of 32");
}

/* Bits take floats of their size, floats take floats only. */
static bool
constant_fits(unsigned kind, ptx_type t)
{
	switch (t) {
	case PTX_OTHER_TYPE: case PTX_NOTYPE: return true;
	case PTX_F32: case PTX_F64: return kind != PTX_O_INT;
	case PTX_F16: case PTX_F16X2: case PTX_BF16: case PTX_BF16X2: return false;
	case PTX_B32: return kind != PTX_O_F64;
	case PTX_B64: return kind != PTX_O_F32;
	default: return kind == PTX_O_INT;
	}
}

/* variable+4: an address, which is a number wherever one may stand; the name alone is one to mov only */
static bool
is_sum(const ptx_operand *o)
{
	return o->sym->kind == PTX_SYM_VAR && o->uns && !o->part;
}

static void
check_value(check *C, const ptx_operand *o, const slot *sl, unsigned lanes)
{
	switch ((ptx_okind)o->kind) {
	case PTX_O_REG:
		check_register(C, o, sl, lanes);
		break;
	case PTX_O_SREG:
		check_sreg(C, o, sl, lanes);
		break;
	case PTX_O_INT: case PTX_O_F32: case PTX_O_F64:
		if (lanes > 1)
			wrong_kind(C, o, "a vector");
		else if (!constant_fits(o->kind, (ptx_type)sl->type))
			wrong_kind(C, o, want_type(C, "a value", (ptx_type)sl->type));
		else
			check_range(C, o, sl);
		break;
	case PTX_O_SYM:
		if (lanes == 1 && sl->kind != SLOT_DEST && sl->sel == SEL_NONE && is_sum(o) && holds_address((ptx_type)sl->type))
			break;
		/* fall through */
	default:
		wrong_kind(C, o, want_type(C, "a value", (ptx_type)sl->type));
	}
}

/* Elements of one vector have one width, which may be wider than the type. */
static void
check_elements(check *C, const ptx_operand *o, const slot *sl, bool sink)
{
	unsigned width = 0;

	for (unsigned i = 0; i < o->nsub; i++) {
		const ptx_operand *e = &o->sub[i];

		if (e->kind == PTX_O_SINK && sink)
			continue;
		if (sink && e->kind != PTX_O_REG)
			wrong_kind(C, e, "registers");
		else
			check_value(C, e, sl, 1);
		if (e->kind != PTX_O_REG || !e->sym)
			continue;
		if (width && ptx_type_bits(e->sym->type) != width)
			wrong_width(C, e, width, ptx_type_bits(e->sym->type));
		width = width ? width : ptx_type_bits(e->sym->type);
	}
}

static void
check_vector(check *C, const ptx_operand *o, const slot *sl, bool dest)
{
	unsigned bits = ptx_type_bits((ptx_type)sl->type);
	bool half = sl->type == PTX_F16 || sl->type == PTX_BF16;

	if (sl->lanes * bits > 256 || (sl->lanes == 8 && bits != 32 && !half) || (sl->lanes == 2 && bits == 128))
		wrong_kind(C, o, "no such vector: .v2 and .v4 take up to 64 bits, .v8 takes 32");
	else if (o->kind == PTX_O_VEC && o->nsub == sl->lanes)
		check_elements(C, o, sl, dest);
	else if (o->kind == PTX_O_VEC)
		wrong_kind(C, o, arena_printf(C->S->A, "a vector of %u", sl->lanes));
	else
		check_value(C, o, sl, sl->lanes);
}

static void
check_dest(check *C, const ptx_operand *o, const slot *sl)
{
	slot second = { .kind = SLOT_DEST, .type = PTX_PRED, .flags = SL_SINK, .lanes = 1 };

	if (o->kind == PTX_O_PAIR) {
		slot first = *sl;

		first.flags = SL_SINK;
		if (!(sl->flags & SL_PAIR)) {
			wrong_kind(C, o, "one register");
			return;
		}
		check_dest(C, &o->sub[0], &first);
		check_dest(C, &o->sub[1], &second);
	} else if ((sl->flags & (SL_PAIR | SL_PAIR_OPT)) == SL_PAIR) {
		wrong_kind(C, o, "a pair d|p");
	} else if (o->kind == PTX_O_SINK) {
		if (!(sl->flags & SL_SINK))
			wrong_kind(C, o, "a register");
	} else if (sl->lanes > 1 || o->kind == PTX_O_VEC) {
		check_vector(C, o, sl, true);
	} else if (o->kind != PTX_O_REG || o->neg) {
		wrong_kind(C, o, "a register");
	} else {
		check_register(C, o, sl, 1);
	}
}

/* Widths of mov's vectors: elements share the register's bits evenly. */
static void
check_pack(check *C, const ptx_operand *o, const slot *sl, bool dest)
{
	unsigned bits = ptx_type_bits((ptx_type)sl->type);
	slot part = { .kind = SLOT_VALUE, .lanes = 1 };

	if (o->kind == PTX_O_REG && !o->part && !o->uns && (o->sym->vec == 2 || o->sym->vec == 4)) {
		if (ptx_type_bits(o->sym->type) * o->sym->vec != bits)
			wrong_width(C, o, bits, ptx_type_bits(o->sym->type) * o->sym->vec);
		return;
	}
	if (o->kind != PTX_O_VEC || (o->nsub != 2 && o->nsub != 4)) {
		wrong_kind(C, o, "a vector of two or four");
		return;
	}
	switch (bits / o->nsub) {
	case 8: part.type = PTX_B8; break;
	case 16: part.type = PTX_B16; break;
	case 32: part.type = PTX_B32; break;
	case 64: part.type = PTX_B64; break;
	default: wrong_kind(C, o, "a vector of two or four"); return;
	}
	if (ptx_type_bits((ptx_type)part.type) >= 32)
		part.flags = SL_SREG;
	check_elements(C, o, &part, dest);
}

static bool
space_agrees(ptx_space inst, ptx_space var)
{
	if (inst == PTX_GENERIC)        /* as NVIDIA's assembler has it, without .param and .const */
		return var == PTX_GLOBAL || var == PTX_SHARED || var == PTX_LOCAL;
	return inst == var || (inst == PTX_SHARED_CLUSTER && var == PTX_SHARED);
}

static void
check_base(check *C, const ptx_operand *o, const ptx_operand *base, const slot *sl)
{
	static const char want[] = "an address: a variable, or a register of 32 or 64 bits";
	ptx_space space = sl->global ? PTX_GLOBAL : ptx_space_of(C->x);

	if (base->kind == PTX_O_SYM && base->sym->kind == PTX_SYM_VAR) {
		if (!space_agrees(space, base->sym->space))
			wrong_kind(C, base, arena_printf(C->S->A, "a variable of the instruction's "
				"state space; '%s' is of another", base->name));
	} else if (base->kind == PTX_O_REG) {
		ptx_type t = base->sym->type;
		unsigned bits = ptx_type_bits(t);

		if (C->x->op == PTX_OP_st && space == PTX_PARAM)
			wrong_kind(C, base, "a variable in .param: the address of one is only read from");
		else if ((bits != 32 && bits != 64) || ptx_is_float(t) || base->neg ||
		    (base->sym->vec > 1 && !base->part))
			wrong_kind(C, base, want);
	} else if (base->kind != PTX_O_INT || space != PTX_LOCAL) {
		wrong_kind(C, o, want);
	}
}

/* name[i] without brackets is an address to ld and st too. */
static void
check_mem(check *C, const ptx_operand *o, const slot *sl)
{
	if (o->kind == PTX_O_SYM && o->part == '[')
		check_base(C, o, o, sl);
	else if (o->kind == PTX_O_MEM && o->nsub == 1)
		check_base(C, o, &o->sub[0], sl);
	else
		wrong_kind(C, o, "an address in brackets");
}

static void
use_brackets(sema *S, ptx_inst *x, const shape *sh)
{
	for (unsigned i = 0; i < MIN(x->nops, (unsigned)sh->n); i++) {
		ptx_operand *o = &x->ops[i], *base;

		if (sh->slot[i].kind != SLOT_MEM || o->kind != PTX_O_SYM)
			continue;
		base = arena_dup(S->A, o, sizeof *o);
		base->part = 0;
		if (base->nsub)
			o->ival = 0;
		else
			base->ival = 0;
		o->kind = PTX_O_MEM;
		o->sub = base;
		o->nsub = 1;
	}
}

static void
check_addr(check *C, const ptx_operand *o, const slot *sl)
{
	bool symbol = o->kind == PTX_O_SYM && (o->sym->kind == PTX_SYM_VAR || o->sym->kind == PTX_SYM_FUNC);
	ptx_space space = C->x->op == PTX_OP_cvta ? ptx_space_of(C->x) : PTX_SHARED_CLUSTER;

	if (!symbol)
		check_value(C, o, sl, 1);
	else if (!holds_address((ptx_type)sl->type))
		wrong_kind(C, o, want_type(C, "a value", (ptx_type)sl->type));
	else if (sl->kind == SLOT_ADDR && ptx_has(C->x, PTX_M_to))
		wrong_kind(C, o, "a register: the address of a variable is of its own state space");
	else if (sl->kind == SLOT_ADDR && (o->sym->kind != PTX_SYM_VAR || !space_agrees(space, o->sym->space)))
		wrong_kind(C, o, arena_printf(C->S->A, "a variable of the instruction's state space; '%s' is none", o->name));
}

static bool
is_callee(const ptx_operand *o)
{
	return o->kind == PTX_O_SYM ? o->sym->kind == PTX_SYM_FUNC
	                            : o->kind == PTX_O_REG && holds_address(o->sym->type);
}

static bool
is_target_list(const ptx_operand *o)
{
	return o->kind == PTX_O_SYM &&
		(o->sym->kind == PTX_SYM_TARGETS || o->sym->kind == PTX_SYM_PROTO);
}

/* Labels for brx, functions or a prototype for call */
static void
check_targets(check *C, const ptx_operand *o)
{
	bool call = C->x->op == PTX_OP_call;
	bool ok = is_target_list(o) && (call || o->sym->kind == PTX_SYM_TARGETS);

	for (uint32_t i = 0; ok && o->sym->kind == PTX_SYM_TARGETS && i < o->sym->targets.n; i++) {
		const ptx_operand *t = &o->sym->targets.a[i];

		ok = call ? t->kind == PTX_O_SYM && t->sym && t->sym->kind == PTX_SYM_FUNC : t->kind == PTX_O_LABEL;
	}
	if (!ok)
		wrong_kind(C, o, call ? "the name of a prototype or a list of functions" : "the name of a list of labels");
}

static void
check_slot(check *C, const ptx_operand *o, const slot *sl)
{
	switch ((slot_kind)sl->kind) {
	case SLOT_DEST: check_dest(C, o, sl); break;
	case SLOT_VALUE: check_vector(C, o, sl, false); break;
	case SLOT_MEM: check_mem(C, o, sl); break;
	case SLOT_ADDR: case SLOT_SRC: check_addr(C, o, sl); break;
	case SLOT_PACK: check_pack(C, o, sl, false); break;
	case SLOT_UNPACK: check_pack(C, o, sl, true); break;
	case SLOT_LABEL:
		if (o->kind != PTX_O_LABEL)
			wrong_kind(C, o, "a label");
		break;
	case SLOT_FUNC:
		if (!is_callee(o))
			wrong_kind(C, o, "a function, or a register with its address");
		break;
	case SLOT_TARGETS:
		check_targets(C, o);
		break;
	case SLOT_LIST:
		if (o->kind != PTX_O_LIST)
			wrong_kind(C, o, "a list in parentheses");
		break;
	case SLOT_IMM:
		if (o->kind != PTX_O_INT)
			wrong_kind(C, o, "an integer constant");
		else if (sl->zero && o->ival)
			wrong_range(C, o, "0");
		else if (sl->mask && (o->ival & (o->ival - 1) || !(o->ival & sl->mask)))
			wrong_range(C, o, sl->mask == 128 ? "128" : sl->mask == 16 ? "16" : "4, 8, 16");
		break;
	case SLOT_ANY: break;
	}
}

static unsigned
check_shape(sema *S, ptx_inst *x, const shape *sh, bool quiet)
{
	check C = { .S = S, .x = x, .quiet = quiet };
	unsigned n = MIN(x->nops, (unsigned)sh->n);

	if (x->nops < sh->least || (x->nops > sh->n && !sh->open))
		return UINT32_MAX;
	for (C.i = 0; C.i < n; C.i++)
		check_slot(&C, &x->ops[C.i], &sh->slot[C.i]);
	return C.faults;
}

static void
wrong_count(sema *S, const shapes *all, diag_loc loc)
{
	unsigned least = MAX_SLOTS, most = 0;
	const char *want;

	for (uint32_t i = 0; i < all->list.n; i++) {
		least = MIN(least, all->list.a[i].least);
		most = MAX(most, all->list.a[i].n);
	}
	want = least == most ? arena_printf(S->A, "%u", least)
	     : arena_printf(S->A, least + 1 == most ? "%u or %u" : "%u to %u", least, most);
	REPORT(S, DIAG_operand_count, loc, S->stmt->inst.text, want, S->stmt->inst.nops);
}

/* The form with the fewest faults; those are reported. */
static void
check_operands(sema *S, ptx_stmt *st, const shapes *all)
{
	ptx_inst *x = &st->inst;
	unsigned least = UINT32_MAX;
	const shape *best = NULL;

	for (uint32_t i = 0; i < all->list.n && least; i++) {
		unsigned faults = check_shape(S, x, &all->list.a[i], true);

		if (faults < least) {
			least = faults;
			best = &all->list.a[i];
		}
	}
	if (!best) {
		wrong_count(S, all, st->loc);
		return;
	}
	x->form = best->form;
	if (least)
		check_shape(S, x, best, false);
	else
		use_brackets(S, x, best);
}

/* The span of a word of the opcode, if it was written in one piece. */
static diag_loc
word_loc(const sema *S, const ptx_stmt *st, uint32_t at, uint32_t len)
{
	const p2a_source *src = &S->m->diags->src[st->loc.file];
	diag_loc loc = st->loc;
	size_t n = strlen(st->inst.text);

	loc.length = (uint32_t)MIN(n, (size_t)loc.length);
	if (loc.offset + n > src->size || memcmp(src->text + loc.offset, st->inst.text, n))
		return loc;
	loc.offset += at;
	loc.length = len;
	return loc;
}

static void
report_no_form(sema *S, const ptx_stmt *st, const shapes *all)
{
	const char *text = st->inst.text, *name = ptx_op_name[st->inst.op];
	const char *w = arena_str(S->A, text + all->at + (all->len > 0), all->len ? all->len - 1 : 0);
	diag_loc loc = word_loc(S, st, all->at, all->len);

	switch (all->fault) {
	case DIAG_bad_type: REPORT(S, DIAG_bad_type, loc, name, w); break;
	case DIAG_bad_modifier: REPORT(S, DIAG_bad_modifier, loc, name, w); break;
	case DIAG_missing_type:
		REPORT(S, DIAG_missing_type, word_loc(S, st, 0, (uint32_t)strlen(text)), text);
		break;
	default:
		REPORT(S, DIAG_missing_modifier, word_loc(S, st, 0, (uint32_t)strlen(text)), text,
			all->missing);
	}
}

static bool
resolve_guard(sema *S, ptx_operand *g)
{
	if (!g->name)
		return true;
	g->kind = PTX_O_SYM;
	if (!resolve_name(S, g, DIAG_undefined))
		return false;
	if (g->kind == PTX_O_REG && g->sym->type == PTX_PRED)
		return true;
	REPORT(S, DIAG_guard, g->loc, g->name);
	return false;
}

/* A call's arguments and results against the parameters of one that it may call, or of its prototype. */
typedef struct callee {
	const ptx_func *f;
	const char *name;
	const ptx_operand *args, *rets;  /* lists; NULL: none */
} callee;

/* Bytes of what is passed; 0: no such thing can be. */
static uint64_t
passed_bytes(const ptx_operand *o, uint64_t parameter)
{
	switch ((ptx_okind)o->kind) {
	case PTX_O_REG:
		return MAX(ptx_type_bits(o->sym->type) / 8, 1u) * (uint64_t)(o->part ? 1 : o->sym->vec);
	case PTX_O_SYM:
		return o->sym->kind == PTX_SYM_VAR && o->sym->space == PTX_PARAM ? o->sym->size : 0;
	case PTX_O_INT: case PTX_O_F32: case PTX_O_F64:
		return parameter <= 8 ? parameter : 0;
	default:
		return 0;
	}
}

static void
check_passed(sema *S, const callee *c, const ptx_operand *list, ptx_symbol *const *param, uint32_t n)
{
	bool result = list == c->rets;

	for (uint32_t i = 0; i < n; i++) {
		const ptx_operand *o = &list->sub[i];
		uint64_t size = param[i]->size, has = passed_bytes(o, size);

		/* numbers of 8 and 16 bits go into and come out of wider registers */
		bool narrow = o->kind == PTX_O_REG && size < 4 && has > size && has <= 4;

		if (has == size || narrow || (param[i]->unsized && has) || (result && o->kind == PTX_O_SINK))
			continue;
		if (!has)
			REPORT(S, DIAG_directive, o->loc, arena_printf(S->A, "%s %u of '%s' must be a register%s or a .param variable",
				result ? "result" : "argument", i + 1, c->name, result ? "" : ", a constant"));
		else
			REPORT(S, DIAG_directive, o->loc, arena_printf(S->A, "%s %u of '%s' has %llu bytes, here it has %llu",
				result ? "result" : "argument", i + 1, c->name, (unsigned long long)size, (unsigned long long)has));
	}
}

static void
check_callee(sema *S, diag_loc loc, const callee *c)
{
	unsigned args = c->args ? c->args->nsub : 0, rets = c->rets ? c->rets->nsub : 0;

	if (args != c->f->params.n || rets != c->f->rets.n) {
		REPORT(S, DIAG_directive, loc, arena_printf(S->A, "'%s' takes %u arguments and "
			"gives %u results, the call has %u and %u", c->name, c->f->params.n,
			c->f->rets.n, args, rets));
		return;
	}
	check_passed(S, c, c->args, c->f->params.a, args);
	check_passed(S, c, c->rets, c->f->rets.a, rets);
}

static void
check_call(sema *S, ptx_stmt *st)
{
	ptx_inst *x = &st->inst;
	const ptx_symbol *list = NULL;
	const ptx_operand *to = NULL;
	callee c = { .f = NULL };

	for (unsigned i = 0; i < x->nops; i++) {
		const ptx_operand *o = &x->ops[i];

		if (o->kind == PTX_O_LIST && !to)
			c.rets = o;
		else if (o->kind == PTX_O_LIST)
			c.args = o;
		else if (!to)
			to = o;
		else
			list = o->sym;
	}
	if (to->kind == PTX_O_REG && !list) {
		REPORT(S, DIAG_directive, st->loc, "a call through a register needs a prototype or a list of targets");
		return;
	}
	for (uint32_t i = 0; list && list->kind == PTX_SYM_TARGETS && i < list->targets.n && !S->bad; i++) {
		c.f = list->targets.a[i].sym->func;
		c.name = list->targets.a[i].name;
		check_callee(S, st->loc, &c);
	}
	if (to->kind == PTX_O_SYM || (list && list->kind == PTX_SYM_PROTO)) {
		c.f = to->kind == PTX_O_SYM ? to->sym->func : list->func;
		c.name = to->kind == PTX_O_SYM ? to->name : list->name;
		check_callee(S, st->loc, &c);
	}
}

/* Operands that depend on each other. vmad: -(a * b) + c or a * b - c, not both; cp.async: it reads no more than it writes. */
static void
check_together(sema *S, const ptx_inst *x)
{
	const ptx_operand *o = x->ops;

	if (x->op == PTX_OP_vmad && o[1].neg != o[2].neg && o[3].neg)
		REPORT(S, DIAG_operand_kind, o[3].loc, 4, x->text, "without a sign: the product has one");
	if (x->op == PTX_OP_cp && x->nops > 3 && o[2].kind == PTX_O_INT && o[3].kind == PTX_O_INT && (uint64_t)o[3].ival > (uint64_t)o[2].ival)
		REPORT(S, DIAG_operand_range, o[3].loc, 4, x->text, arena_printf(S->A, "0..%u", (unsigned)o[2].ival));
}

static void
add_modifier(ptx_inst *x, ptx_mod m)
{
	if (!ptx_has(x, m) && x->nmods < PTX_MAX_MODS)
		x->mod[x->nmods++] = (uint16_t)m;
}

static bool
has_type(const ptx_inst *x, bool (*is)(ptx_type))
{
	for (unsigned i = 0; i < x->ntypes; i++)
		if (is((ptx_type)x->type[i]))
			return true;
	return false;
}

static bool
is_f32(ptx_type t)
{
	return t == PTX_F32;
}

static bool
is_f64(ptx_type t)
{
	return t == PTX_F64;
}

static bool
is_64(ptx_type t)
{
	return ptx_type_bits(t) == 64;
}

/* What older PTX leaves unwritten. Targets before sm_20 have no subnormals of f32, but that cvt from and to 64 bits kept them
 * until PTX 1.4 (9.7.9.21, "Subnormal numbers"). */
static void
add_unwritten(const sema *S, ptx_inst *x)
{
	const form_past *p = &ptx_form_past[x->form];
	bool keeps = x->op == PTX_OP_cvt && S->m->version_major == 1 && S->m->version_minor < 5 && has_type(x, is_64);

	if (p->implied)
		add_modifier(x, (ptx_mod)p->implied);
	if (S->flushes && has_type(x, is_f32) && !keeps && (p->until || strstr(ptx_form[x->form].pattern, ".ftz")))
		add_modifier(x, PTX_M_ftz);
}

static void
check_inst(sema *S, ptx_stmt *st)
{
	ptx_inst *x = &st->inst;
	opcode *oc = words_opcode(&S->w, S->A, S->m->names, x->text);
	const shapes *all;
	bool ok = resolve_guard(S, &x->guard);
	enum diag_id unknown = x->op == PTX_OP_bra ? DIAG_label_undefined : DIAG_undefined;

	for (unsigned i = 0; i < x->nops; i++)
		ok &= sema_resolve(S, &x->ops[i], unknown);
	if (x->op == PTX_NOPS) {
		diag_loc loc = word_loc(S, st, 0, (uint32_t)strcspn(x->text, "."));

		REPORT(S, DIAG_unknown_opcode, loc, arena_str(S->A, x->text, strcspn(x->text, ".")));
		return;
	}
	all = sema_shapes(S, oc);
	if (!all->list.n)
		report_no_form(S, st, all);
	else if (ok)
		check_operands(S, st, all);
	if (x->form != UINT16_MAX)
		add_unwritten(S, x);
	if (x->op == PTX_OP_call && !S->bad)
		check_call(S, st);
	if (!S->bad)
		check_together(S, x);
	if (!S->bad && S->demotes && has_type(x, is_f64))
		REPORT(S, DIAG_unsupported, st->loc, x->text, ": .target map_f64_to_f32 makes it f32",
			"; without that option it is f64");
}

void
sema_inst(sema *S, ptx_stmt *st)
{
	S->stmt = st;
	S->bad = false;
	st->inst.form = UINT16_MAX;
	check_inst(S, st);
	for (unsigned i = 0; i < st->inst.nops; i++)
		if (st->inst.ops[i].part == '[')
			st->inst.ops[i].part = 0;
	if (S->bad) {
		st->inst.form = UINT16_MAX;     /* lower says nothing more about it */
		S->func->nbad++;
	}
}
