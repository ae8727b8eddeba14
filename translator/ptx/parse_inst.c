/* parse_inst.c -- one instruction: guard, opcode, operands of every shape.
 * Needs a parser at the guard or opcode; leaves names unresolved (PTX_O_SYM) and constants folded.
 * Manual: "Parallel Thread Execution ISA", 4.1 (statements), 6 (operands), 9.1-9.4. */
#include <string.h>

#include "ptx/front.h"

static ptx_operand *parse_list(parser *, int close, uint16_t *n);
static ptx_operand parse_operand(parser *);

static uint8_t
component_of(const char *s)
{
	static const char text[] = "xyzwrgba";
	const char *p = s[1] ? NULL : strchr(text, s[0]);

	return p && *p ? (uint8_t)"xyzw"[(p - text) % 4] : 0;
}

/* .b3, .h10, .b7654 of the video instructions */
static bool
selector_of(const char *s, ptx_operand *o)
{
	size_t n = strlen(s);

	if ((s[0] != 'b' && s[0] != 'h') || n < 2 || n > 5)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (s[i] < '0' || s[i] > '7')
			return false;
		o->ival = o->ival << 4 | (s[i] - '0');
	}
	o->part = (uint8_t)s[0];
	o->nsub = (uint16_t)(n - 1);
	return true;
}

static void
parse_suffix(parser *P, ptx_operand *o)
{
	if (P->t.kind != T_DOT || P->t.off != P->end)
		return;
	o->part = component_of(P->t.s);
	if (!o->part && !selector_of(P->t.s, o)) {
		fault_here(P, "a component .x .y .z .w");
		return;
	}
	advance(P);
}

/* The integer after + or -; the sign belongs to it. */
static int64_t
parse_offset(parser *P)
{
	uint32_t off = P->t.off;
	constant c;

	accept(P, '+');
	c = parse_constant(P);
	if (c.kind != T_BAD && c.kind != T_INT)
		fault_span(P, DIAG_syntax, off, P->end - off, "an address takes an integer");
	return (int64_t)c.val;
}

static void
set_constant(ptx_operand *o, const constant *c)
{
	o->kind = c->kind == T_F32 ? PTX_O_F32 : c->kind == T_F64 ? PTX_O_F64 : PTX_O_INT;
	o->uns = c->uns;
	o->ival = (int64_t)c->val;
}

static ptx_operand
parse_bare_name(parser *P)
{
	ptx_operand o = { .kind = PTX_O_SYM, .name = P->t.s };

	advance(P);
	if (!strcmp(o.name, "_")) {
		o.kind = PTX_O_SINK;
		o.name = NULL;
	}
	return o;
}

static ptx_operand
parse_name(parser *P)
{
	ptx_operand o = parse_bare_name(P);

	if (o.kind != PTX_O_SINK)
		parse_suffix(P, &o);
	return o;
}

/* name[1], name[r], name[r+1]; the bracket is read. */
static void
parse_index(parser *P, ptx_operand *o)
{
	o->part = '[';
	if (P->t.kind == T_NAME && !is_warp_size(P)) {
		uint32_t off = P->t.off;

		o->sub = arena_new(P->A, ptx_operand);
		o->nsub = 1;
		*o->sub = parse_bare_name(P);
		o->sub->loc = span_from(P, off);
	}
	if (!o->nsub || is_punct(P, '+') || is_punct(P, '-'))
		o->ival = parse_offset(P);
	expect(P, ']', "']'");
}

/* A name and what may follow it outside of an address: name+4, name[1]. */
static ptx_operand
parse_name_operand(parser *P)
{
	ptx_operand o = parse_name(P);

	if (o.kind == PTX_O_SINK || o.part)
		return o;
	if (is_punct(P, '+') || is_punct(P, '-')) {
		o.uns = is_punct(P, '+') ? 1 : 2;
		o.ival = parse_offset(P);
	} else if (accept(P, '[')) {
		parse_index(P, &o);
	}
	return o;
}

/* A component is no address, of a vector of registers neither. */
static ptx_operand *
parse_base(parser *P)
{
	ptx_operand *o = arena_new(P->A, ptx_operand);
	uint32_t off = P->t.off;
	constant c;

	if (P->t.kind == T_NAME && !is_warp_size(P)) {
		*o = parse_bare_name(P);
	} else {
		c = parse_constant(P);
		set_constant(o, &c);
	}
	o->loc = span_from(P, off);
	return o;
}

/* [a], [a+4], [tex, {x, y}]; the bracket is read. */
static ptx_operand
parse_memory(parser *P)
{
	ptx_operand o = { .kind = PTX_O_MEM };
	ptx_operand *base, *rest;
	uint16_t n;

	base = parse_base(P);
	if (!P->stuck && (is_punct(P, '+') || is_punct(P, '-')))
		o.ival = parse_offset(P);
	o.sub = base;
	o.nsub = 1;
	if (P->stuck || !accept(P, ',')) {
		if (!P->stuck)
			expect(P, ']', "']'");
		return o;
	}
	rest = parse_list(P, ']', &n);
	o.sub = arena_array(P->A, ptx_operand, (size_t)n + 1);
	o.sub[0] = *base;
	if (n)
		memcpy(o.sub + 1, rest, n * sizeof *rest);
	o.nsub = (uint16_t)MIN(n + 1u, UINT16_MAX);
	return o;
}

/* -r of the video instructions; other minus signs belong to constants. */
static ptx_operand
parse_signed(parser *P)
{
	bool minus = is_punct(P, '-');
	ptx_operand o;

	advance(P);
	o = parse_name(P);
	o.neg = minus ? 2 : 1;
	return o;
}

static ptx_operand
parse_constant_operand(parser *P)
{
	ptx_operand o = { .kind = PTX_O_INT };
	constant c = parse_constant(P);

	set_constant(&o, &c);
	return o;
}

static ptx_operand
parse_brackets(parser *P, int kind, int close)
{
	ptx_operand o = { .kind = (uint8_t)kind };

	advance(P);
	if (!enter(P))
		return o;
	if (kind == PTX_O_MEM) {
		o = parse_memory(P);
		if (!P->stuck && accept_dot(P, "unified"))
			o.part = 'u';
	} else {
		o.sub = parse_list(P, close, &o.nsub);
	}
	leave(P);
	return o;
}

static ptx_operand
parse_single(parser *P)
{
	switch ((int)P->t.kind) {
	case '[': return parse_brackets(P, PTX_O_MEM, ']');
	case '{': return parse_brackets(P, PTX_O_VEC, '}');
	case '!': case '-':
		if (lex_at_name(&P->lx))
			return parse_signed(P);
		return parse_constant_operand(P);
	case T_NAME:
		if (!is_warp_size(P))
			return parse_name_operand(P);
		/* fall through */
	default:
		return parse_constant_operand(P);
	}
}

/* p|q; {r, g, b, a}|p of tex */
static ptx_operand
parse_operand(parser *P)
{
	uint32_t off = P->t.off;
	ptx_operand o = parse_single(P);

	o.loc = span_from(P, off);
	if (P->stuck || (o.kind != PTX_O_SYM && o.kind != PTX_O_SINK && o.kind != PTX_O_VEC) || !accept(P, '|'))
		return o;
	ptx_operand *pair = arena_array(P->A, ptx_operand, 2);

	pair[0] = o;
	off = P->t.off;
	pair[1] = parse_single(P);
	pair[1].loc = span_from(P, off);
	return (ptx_operand){ .kind = PTX_O_PAIR, .nsub = 2, .sub = pair,
		.loc = span_from(P, pair[0].loc.offset) };
}

/* Operands up to close (';' is left unread), on the parser's stack first, then copied out. */
static ptx_operand *
parse_list(parser *P, int close, uint16_t *n)
{
	uint32_t mark = P->ops.n, count;
	ptx_operand *out = NULL;

	*n = 0;
	if (close != ';' && accept(P, close))
		return NULL;
	do {
		ptx_operand o = parse_operand(P);

		*vec_push(P->A, &P->ops) = o;
	} while (!P->stuck && accept(P, ','));
	count = P->ops.n - mark;
	if (count > UINT16_MAX)
		fault_here(P, "fewer operands");
	if (!P->stuck && close != ';')
		expect(P, close, close == '}' ? "'}'" : close == ')' ? "')'" : "']'");
	if (!P->stuck) {
		out = arena_dup(P->A, P->ops.a + mark, count * sizeof *out);
		*n = (uint16_t)count;
	}
	P->ops.n = mark;
	return out;
}

/* call (ret), name, (args), proto: the parentheses are lists here and groups elsewhere. */
static ptx_operand *
parse_call(parser *P, uint16_t *n)
{
	uint32_t mark = P->ops.n;
	ptx_operand *out;

	do {
		uint32_t off = P->t.off;
		ptx_operand o = is_punct(P, '(') ? parse_brackets(P, PTX_O_LIST, ')')
		                                 : parse_operand(P);

		o.loc = span_from(P, off);
		*vec_push(P->A, &P->ops) = o;
	} while (!P->stuck && accept(P, ',') && P->ops.n - mark < UINT16_MAX);
	*n = (uint16_t)(P->ops.n - mark);
	out = arena_dup(P->A, P->ops.a + mark, *n * sizeof *out);
	P->ops.n = mark;
	return out;
}

static void
parse_guard(parser *P, ptx_operand *g)
{
	uint32_t off;

	advance(P);
	*g = (ptx_operand){ .kind = PTX_O_REG, .neg = accept(P, '!') };
	off = P->t.off;
	g->name = expect_name(P, "a predicate register");
	g->loc = span_from(P, off);
	parse_suffix(P, g);
}

static void
set_opcode(ptx_inst *x, const opcode *oc)
{
	x->text = oc->text;
	x->op = oc->op;
	x->ntypes = oc->ntypes;
	x->nmods = oc->nmods;
	memcpy(x->type, oc->type, sizeof x->type);
	memcpy(x->mod, oc->mod, sizeof x->mod);
}

/* Leaves the semicolon to end_statement. */
void
parse_inst(parser *P, ptx_stmt *st)
{
	ptx_inst *x = &st->inst;
	const char *text;

	st->kind = PTX_S_INST;
	if (is_punct(P, '@'))
		parse_guard(P, &x->guard);
	if (P->stuck || P->t.kind != T_NAME) {
		fault_here(P, "an instruction");
		return;
	}
	st->loc.offset = P->t.off;
	text = lex_opcode(&P->lx, P->A, &P->t);
	P->t.len = P->lx.pos - P->t.off;
	advance(P);
	set_opcode(x, words_opcode(P->w, P->A, P->lx.names, text));
	if (!is_punct(P, ';'))
		x->ops = x->op == PTX_OP_call ? parse_call(P, &x->nops) : parse_list(P, ';', &x->nops);
	st->loc = span_from(P, st->loc.offset);
}
