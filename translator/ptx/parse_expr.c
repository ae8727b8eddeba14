/* parse_expr.c -- constant expressions: all C operators, casts, WARP_SZ.
 * Needs a parser at the first token; leaves a folded constant, or T_BAD with a report made.
 * Manual: "Parallel Thread Execution ISA", 4.5 (constants), 4.6 (expressions, table of types). */
#include <string.h>

#include "ptx/front.h"

static constant
bad(void)
{
	return (constant){ .kind = T_BAD };
}

static constant
int_of(uint64_t val, bool uns)
{
	return (constant){ .kind = T_INT, .val = val, .uns = uns };
}

static constant
double_of(double x)
{
	constant c = { .kind = T_F64 };

	memcpy(&c.val, &x, sizeof x);
	return c;
}

double
constant_double(const constant *c)
{
	double x;
	float f;
	uint32_t w = (uint32_t)c->val;

	switch ((int)c->kind) {
	case T_F64:
		memcpy(&x, &c->val, sizeof x);
		return x;
	case T_F32:
		memcpy(&f, &w, sizeof f);
		return (double)f;
	default:
		return c->uns ? (double)c->val : (double)(int64_t)c->val;
	}
}

static bool
truth(const constant *c)
{
	return c->kind == T_INT ? c->val != 0 : constant_double(c) != 0;
}

/* Binary operators by precedence, tightest last. */
static int
precedence(int op)
{
	switch (op) {
	case T_OROR: return 1;
	case T_ANDAND: return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case T_EQ: case T_NE: return 6;
	case '<': case '>': case T_LE: case T_GE: return 7;
	case T_SHL: case T_SHR: return 8;
	case '+': case '-': return 9;
	case '*': case '/': case '%': return 10;
	default: return 0;
	}
}

static bool
compare(int op, int order)
{
	switch (op) {
	case '<': return order < 0;
	case '>': return order > 0;
	case T_LE: return order <= 0;
	case T_GE: return order >= 0;
	case T_EQ: return order == 0;
	default: return order != 0;
	}
}

static uint64_t
shift(int op, uint64_t a, bool uns, uint64_t n)
{
	if (op == T_SHL)
		return n < 64 ? a << n : 0;
	if (uns || a <= INT64_MAX)
		return n < 64 ? a >> n : 0;
	return n < 64 ? ~(~a >> n) : UINT64_MAX;
}

/* b is not zero. The one signed overflow, INT64_MIN / -1, wraps. */
static uint64_t
divide(int op, uint64_t a, uint64_t b, bool uns)
{
	if (uns)
		return op == '/' ? a / b : a % b;
	if (b == UINT64_MAX)
		return op == '/' ? 0 - a : 0;
	return (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static constant
binary_int(int op, const constant *a, const constant *b)
{
	bool uns = a->uns || b->uns;
	uint64_t x = a->val, y = b->val;
	int order = uns ? (x > y) - (x < y) : ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y);

	switch (op) {
	case '|': return int_of(x | y, true);
	case '^': return int_of(x ^ y, true);
	case '&': return int_of(x & y, true);
	case '+': return int_of(x + y, uns);
	case '-': return int_of(x - y, uns);
	case '*': return int_of(x * y, uns);
	case '/': case '%': return int_of(divide(op, x, y, uns), uns);
	case T_SHL: case T_SHR: return int_of(shift(op, x, a->uns, y), a->uns);
	default: return int_of(compare(op, order), false);
	}
}

static constant
binary_double(parser *P, int op, uint32_t off, double x, double y)
{
	switch (op) {
	case '+': return double_of(x + y);
	case '-': return double_of(x - y);
	case '*': return double_of(x * y);
	case '/': return double_of(x / y);
	case '<': case '>': case T_LE: case T_GE: case T_EQ: case T_NE:
		return int_of(x != x || y != y ? op == T_NE : compare(op, (x > y) - (x < y)), false);
	}
	fault_span(P, DIAG_syntax, off, P->end - off, "this operator takes integers");
	return bad();
}

static constant
binary(parser *P, int op, uint32_t off, constant a, constant b)
{
	if (a.kind == T_BAD || b.kind == T_BAD)
		return bad();
	if (op == T_OROR || op == T_ANDAND)
		return int_of(op == T_OROR ? truth(&a) || truth(&b) : truth(&a) && truth(&b), false);
	if (a.kind == T_F32 || b.kind == T_F32) {
		fault_span(P, DIAG_syntax, off, P->end - off, "0f constants take no operators");
		return bad();
	}
	if ((op == '/' || op == '%') && !truth(&b)) {
		fault_span(P, DIAG_syntax, off, P->end - off, "division by zero in a constant");
		return bad();
	}
	if (a.kind == T_F64 || b.kind == T_F64)
		return binary_double(P, op, off, constant_double(&a), constant_double(&b));
	return binary_int(op, &a, &b);
}

static constant parse_ternary(parser *);
static constant parse_unary(parser *);

static constant
parse_cast_or_group(parser *P)
{
	constant c;
	const char *cast = NULL;

	advance(P);
	if (is_dot(P, "s64") || is_dot(P, "u64")) {
		cast = P->t.s;
		advance(P);
		if (!expect(P, ')', "')'"))
			return bad();
		c = parse_unary(P);
		if (c.kind == T_INT)
			c.uns = cast[0] == 'u';
		return c;
	}
	c = parse_ternary(P);
	return expect(P, ')', "')'") ? c : bad();
}

static constant
parse_primary(parser *P)
{
	constant c = { .kind = P->t.kind, .uns = P->t.uns, .val = P->t.val };

	switch ((int)P->t.kind) {
	case T_INT: case T_F32: case T_F64:
		advance(P);
		return c;
	case '(':
		return parse_cast_or_group(P);
	case T_NAME:
		if (is_warp_size(P)) {
			advance(P);
			return int_of(32, false);
		}
	}
	fault_here(P, "a constant");
	return bad();
}

static constant
unary(parser *P, int op, uint32_t off, constant c)
{
	if (c.kind == T_BAD || op == '+')
		return c;
	if (op == '!')
		return int_of(!truth(&c), false);
	if (op == '-' && c.kind == T_F64)
		return double_of(-constant_double(&c));
	/* 2^63 alone has no signed form, -2^63 has */
	if (c.kind == T_INT && op == '-')
		return int_of(0 - c.val, c.uns && c.val != (uint64_t)1 << 63);
	if (c.kind == T_INT)
		return int_of(~c.val, true);
	fault_span(P, DIAG_syntax, off, P->end - off, "this operator does not take such a constant");
	return bad();
}

static constant
parse_unary(parser *P)
{
	int op = (int)P->t.kind;
	uint32_t off = P->t.off;
	constant c;

	if (op != '-' && op != '+' && op != '!' && op != '~' && op != '(')
		return parse_primary(P);
	if (!enter(P))
		return bad();
	if (op == '(') {
		c = parse_primary(P);
	} else {
		advance(P);
		c = unary(P, op, off, parse_unary(P));
	}
	leave(P);
	return c;
}

/* Precedence climbing with stacks of its own: an operator waits for all that bind tighter. */
static constant
parse_binary(parser *P)
{
	struct { constant left; int op; } wait[11];
	int n = 0;
	uint32_t off = P->t.off;
	constant c = parse_unary(P);

	for (;;) {
		int op = (int)P->t.kind, prec = precedence(op);

		while (n && precedence(wait[n - 1].op) >= prec) {
			n--;
			c = binary(P, wait[n].op, off, wait[n].left, c);
		}
		if (!prec || c.kind == T_BAD)
			return c;
		wait[n].left = c;
		wait[n++].op = op;
		advance(P);
		c = parse_unary(P);
	}
}

static constant
parse_ternary(parser *P)
{
	constant c = parse_binary(P), yes, no;

	if (c.kind == T_BAD || !is_punct(P, '?'))
		return c;
	if (!enter(P))
		return bad();
	advance(P);
	yes = parse_ternary(P);
	no = expect(P, ':', "':'") ? parse_ternary(P) : bad();
	leave(P);
	if (yes.kind == T_BAD || no.kind == T_BAD)
		return bad();
	if (yes.kind == T_INT && no.kind == T_INT)
		yes.uns = no.uns = yes.uns || no.uns;
	return truth(&c) ? yes : no;
}

constant
parse_constant(parser *P)
{
	return parse_ternary(P);
}
