/* parse_init.c -- initializers of variables, flattened.
 * Needs a parser at the equals sign and the symbol's type and dimensions; leaves elements in order of
 * memory, those left out missing. An unsized array gets its size.
 * Manual: "Parallel Thread Execution ISA", 5.4.4 (initializers), 5.3 (textures, samplers). */
#include <string.h>

#include "ptx/front.h"

/* Room for as many elements as there are commas before the semicolon, so that large tables are not
 * copied while they grow. */
static void
reserve(parser *P, ptx_symbol *s)
{
	uint32_t n = 1;

	for (uint32_t i = P->lx.pos; i < P->lx.size && P->lx.src[i] != ';'; i++)
		n += P->lx.src[i] == ',';
	s->init.a = (ptx_init *)arena_alloc(P->A, arena_bytes(P->A, n, sizeof *s->init.a));
	s->init.cap = n;
}

static void
fault_init(parser *P, const ptx_symbol *s, uint32_t off, const char *text)
{
	if (may_fault(P))
		diag_add(P->m->diags, DIAG_initializer, span_from(P, off), s->name, text);
}

static ptx_init *
new_element(parser *P, ptx_symbol *s, uint64_t index, uint32_t off)
{
	ptx_init *x = vec_push(P->A, &s->init);

	memset(x, 0, sizeof *x);
	x->index = index;
	x->loc = span_from(P, off);
	return x;
}

/* What follows a name: + addend, an expression. */
static uint64_t
parse_addend(parser *P, const ptx_symbol *s)
{
	uint32_t off = P->t.off;
	constant c;

	if (!is_punct(P, '+') && !is_punct(P, '-'))
		return 0;
	accept(P, '+');
	c = parse_constant(P);
	if (c.kind != T_BAD && c.kind != T_INT)
		fault_init(P, s, off, "an address takes an integer");
	return c.val;
}

/* generic(name + n) or name + n */
static void
parse_address(parser *P, ptx_symbol *s, uint64_t index, uint8_t mask_byte)
{
	uint32_t off = P->t.off;
	bool generic = P->t.kind == T_NAME && !strcmp(P->t.s, "generic");
	const char *name;
	uint64_t addend;
	ptx_init *x;

	if (generic) {
		advance(P);
		expect(P, '(', "'('");
	}
	name = expect_name(P, "the name of a variable or function");
	addend = parse_addend(P, s);
	if (generic)
		expect(P, ')', "')'");
	addend += parse_addend(P, s);
	if (P->stuck)
		return;
	x = new_element(P, s, index, off);
	x->kind = PTX_I_ADDR;
	x->name = name;
	x->bits = addend;
	x->generic = generic;
	x->mask_byte = mask_byte;
}

/* 0xff00(address): one byte of an address */
static void
parse_masked(parser *P, ptx_symbol *s, uint64_t index)
{
	uint64_t mask = P->t.val;
	uint32_t off = P->t.off;
	uint8_t byte = 0;

	for (uint8_t i = 0; i < 8; i++)
		if (mask == UINT64_C(0xff) << (8 * i))
			byte = (uint8_t)(i + 1);
	advance(P);
	if (!byte)
		fault_init(P, s, off, "a mask of an address is 0xff shifted by whole bytes");
	if (expect(P, '(', "'('"))
		parse_address(P, s, index, byte);
	if (!P->stuck)
		expect(P, ')', "')'");
}

static uint64_t
float_bits(const constant *c, ptx_type t)
{
	double x = constant_double(c);
	float f;
	uint32_t w;

	if (c->kind == (ptx_type_bits(t) == 64 ? T_F64 : T_F32))
		return c->val;
	if (ptx_type_bits(t) == 64) {
		uint64_t d;

		memcpy(&d, &x, sizeof d);
		return d;
	}
	f = (float)x;
	memcpy(&w, &f, sizeof w);
	return w;
}

static bool
takes_float(ptx_type t)
{
	return t == PTX_F32 || t == PTX_F64 || t == PTX_B32 || t == PTX_B64;
}

static void
parse_number(parser *P, ptx_symbol *s, uint64_t index)
{
	uint32_t off = P->t.off;
	constant c = parse_constant(P);
	ptx_init *x;

	if (c.kind == T_BAD)
		return;
	if (c.kind == T_INT ? ptx_is_float(s->type) : !takes_float(s->type)) {
		fault_init(P, s, off, "a constant of another type than the elements");
		return;
	}
	x = new_element(P, s, index, off);
	x->kind = ptx_is_float(s->type) ? PTX_I_FLOAT : PTX_I_INT;
	x->bits = c.kind == T_INT && x->kind == PTX_I_INT ? c.val : float_bits(&c, s->type);
}

static void
parse_element(parser *P, ptx_symbol *s, uint64_t index)
{
	if (P->t.kind == T_NAME && !is_warp_size(P))
		parse_address(P, s, index, 0);
	else if (P->t.kind == T_INT && P->lx.pos < P->lx.size && P->lx.src[P->lx.pos] == '(')
		parse_masked(P, s, index);
	else
		parse_number(P, s, index);
}

enum { MAX_DIMS = 32 };

/* Where the reading of nested braces stands: a list at depth d goes in steps of stride[d - 1]. */
typedef struct braces {
	ptx_symbol *s;
	uint64_t at, limit;                      /* the next element; elements in all */
	uint32_t depth, levels;
	uint64_t stride[MAX_DIMS + 1], start[MAX_DIMS + 1];
} braces;

static void
set_strides(braces *B)
{
	const ptx_symbol *s = B->s;
	uint64_t x = s->vec;

	if (s->vec > 1)
		B->stride[s->dims.n] = 1;
	for (uint32_t i = s->dims.n; i-- > 0;) {
		B->stride[i] = x;
		x *= s->dims.a[i] ? s->dims.a[i] : 1;
	}
}

static void
open_brace(parser *P, braces *B)
{
	bool inner = B->depth > 0;

	if (B->depth >= MAX(B->levels, 1u))
		fault_here(P, "a value: the braces are deeper than the dimensions");
	else if (inner && (B->at - B->start[B->depth - 1]) % B->stride[B->depth - 1])
		fault_here(P, "a value: this list would begin within a row");
	if (P->stuck)
		return;
	B->start[B->depth++] = B->at;
	advance(P);
}

/* A list left early: the rest of its row is zero. */
static void
close_brace(parser *P, braces *B)
{
	uint64_t row;

	B->depth--;
	if (B->s->vec > 1 && B->depth + 1 == B->levels && B->at - B->start[B->depth] != B->s->vec)
		fault_init(P, B->s, P->t.off, "a vector has all of its values");
	if (B->depth) {
		row = B->stride[B->depth - 1];
		if (B->at - B->start[B->depth] > row)
			fault_init(P, B->s, P->t.off, "more values than a row has");
		B->at = B->start[B->depth] + row;
	}
	advance(P);
}

static void
value_in_braces(parser *P, braces *B)
{
	uint32_t off = P->t.off;

	if (B->at < B->limit) {
		parse_element(P, B->s, B->at++);
		return;
	}
	advance(P);
	fault_init(P, B->s, off, "more values than elements");
}

static void
parse_braces(parser *P, ptx_symbol *s)
{
	braces B = { .s = s, .levels = s->dims.n + (s->vec > 1),
		.limit = s->unsized ? UINT64_MAX : s->count * s->vec };

	if (B.levels > MAX_DIMS) {
		fault_here(P, "fewer dimensions");
		return;
	}
	set_strides(&B);
	do {
		while (!P->stuck && is_punct(P, '{'))
			open_brace(P, &B);
		if (!P->stuck && !is_punct(P, '}'))
			value_in_braces(P, &B);
		while (!P->stuck && B.depth && is_punct(P, '}'))
			close_brace(P, &B);
	} while (!P->stuck && B.depth && accept(P, ','));
	if (!P->stuck && B.depth)
		fault_here(P, "',' or '}'");
	if (s->unsized && !P->stuck) {
		s->dims.a[0] = (B.at + B.stride[0] - 1) / B.stride[0];
		s->count *= s->dims.a[0];
		s->unsized = false;
	}
}

/* { addr_mode_0 = wrap, filter_mode = nearest } */
static void
parse_opaque(parser *P, ptx_symbol *s)
{
	uint32_t off = P->t.off;

	if (!expect(P, '{', "'{'"))
		return;
	while (P->t.kind != T_EOF && !is_punct(P, '}') && !is_punct(P, ';'))
		advance(P);
	if (expect(P, '}', "'}'"))
		s->init_text = text_from(P, off);
}

void
parse_initializer(parser *P, ptx_symbol *s)
{
	advance(P);
	s->has_init = true;
	if (s->type == PTX_TEXREF || s->type == PTX_SAMPLERREF || s->type == PTX_SURFREF) {
		parse_opaque(P, s);
	} else if (is_punct(P, '{')) {
		reserve(P, s);
		parse_braces(P, s);
	} else {
		parse_element(P, s, 0);
		if (s->dims.n && !P->stuck)
			fault_here(P, "'{'");
	}
}
