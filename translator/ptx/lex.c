/* lex.c -- PTX text to tokens, one at a time.
 * Needs the source in a diag_sink; reports what is no token and goes on behind it.
 * Manual: "Parallel Thread Execution ISA", 4.1-4.5. */
#include <limits.h>
#include <string.h>

#include "ptx/front.h"

enum { C_NAME = 1, C_DIGIT = 2, C_HEX = 4, C_SPACE = 8, C_START = 16 };

/* Classes of a byte; names go on with letters, digits, _ and $, and begin also with %. */
static unsigned
class_of(char c)
{
	if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
		return C_NAME | C_START | C_HEX;
	if ((c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '_' || c == '$')
		return C_NAME | C_START;
	if (c >= '0' && c <= '9')
		return C_NAME | C_DIGIT | C_HEX;
	return c == ' ' || (c >= '\t' && c <= '\r') ? C_SPACE : 0;
}

void
lex_init(lexer *lx, intern *names, diag_sink *d, uint32_t source)
{
	const p2a_source *s = &d->src[source];
	uint32_t n = (uint32_t)MIN(s->size, (size_t)INT32_MAX);

	*lx = (lexer){ .src = s->text, .size = n, .file = source, .names = names, .diags = d };
	while (n && !s->text[n - 1])            /* a size by sizeof counts the NUL that ends a string */
		n--;
	if (n)                                  /* NULs alone are no text */
		lx->size = n;
}

static char
at(const lexer *lx, uint32_t pos)
{
	return pos < lx->size ? lx->src[pos] : 0;
}

diag_loc
lex_loc(const lexer *lx, uint32_t off, uint32_t len)
{
	return (diag_loc){ lx->file, off, len };
}

bool
lex_may_fault(lexer *lx)
{
	return lx->nfaults++ < PTX_MAX_SYNTAX_FAULTS;
}

static uint32_t
run_of(const lexer *lx, uint32_t pos, unsigned classes)
{
	while (pos < lx->size && class_of(lx->src[pos]) & classes)
		pos++;
	return pos;
}

static void
skip_line(lexer *lx)
{
	const char *p = lx->src + lx->pos, *nl = memchr(p, '\n', lx->size - lx->pos);

	lx->pos = nl ? (uint32_t)(nl - lx->src) : lx->size;
}

static void
skip_comment(lexer *lx, bool *line_start)
{
	uint32_t start = lx->pos;

	for (lx->pos += 2; lx->pos < lx->size; lx->pos++) {
		if (lx->src[lx->pos] == '\n')
			*line_start = true;
		if (lx->src[lx->pos] == '*' && at(lx, lx->pos + 1) == '/') {
			lx->pos += 2;
			return;
		}
	}
	if (!lx->open_comment && lex_may_fault(lx))
		diag_add(lx->diags, DIAG_unterminated, lex_loc(lx, start, 2), "comment");
	lx->open_comment = true;
}

/* Space, comments, and lines of a preprocessor: # as the first character of a line. */
static bool
skip_space(lexer *lx)
{
	bool line_start = lx->pos == 0;

	while (lx->pos < lx->size) {
		char c = lx->src[lx->pos];

		if (class_of(c) & C_SPACE) {
			line_start |= c == '\n';
			lx->pos++;
		} else if (c == '/' && at(lx, lx->pos + 1) == '/') {
			skip_line(lx);
		} else if (c == '/' && at(lx, lx->pos + 1) == '*') {
			skip_comment(lx, &line_start);
		} else if (c == '#' && line_start) {
			skip_line(lx);
		} else {
			break;
		}
	}
	return line_start;
}

static void
bad_number(lexer *lx, token *t, uint32_t end)
{
	end = MAX(run_of(lx, end, C_NAME), end);
	t->len = end - t->off;
	lx->pos = end;
	t->kind = T_BAD;
	if (lex_may_fault(lx))
		diag_add(lx->diags, DIAG_bad_number, lex_loc(lx, t->off, t->len),
			(int)MIN(t->len, 40u), lx->src + t->off);
}

static unsigned
digit_of(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* Digits of a base from pos on; false if they do not fit 64 bits or there are none. */
static bool
read_digits(const lexer *lx, uint32_t *pos, unsigned base, uint64_t *val)
{
	uint32_t i = *pos;
	bool fits = true;

	for (*val = 0; class_of(at(lx, i)) & C_HEX && digit_of(lx->src[i]) < base; i++) {
		unsigned d = digit_of(lx->src[i]);

		fits &= *val <= (UINT64_MAX - d) / base;
		*val = *val * base + d;
	}
	fits &= i != *pos;
	*pos = i;
	return fits;
}

/* 0f and 0d: the bits of a float in exactly 8 or 16 hexadecimal digits. */
static void
lex_float_bits(lexer *lx, token *t, uint32_t ndigits)
{
	uint32_t pos = t->off + 2;

	t->kind = ndigits == 8 ? T_F32 : T_F64;
	if (!read_digits(lx, &pos, 16, &t->val) || pos - t->off != 2 + ndigits ||
	    class_of(at(lx, pos)) & C_NAME) {
		bad_number(lx, t, pos);
		return;
	}
	lx->pos = pos;
}

static void
lex_integer(lexer *lx, token *t, uint32_t pos, unsigned base)
{
	bool fits = read_digits(lx, &pos, base, &t->val);

	t->kind = T_INT;
	t->uns = at(lx, pos) == 'U';
	pos += t->uns;
	if (!fits || class_of(at(lx, pos)) & C_NAME) {
		bad_number(lx, t, pos);
		return;
	}
	t->uns |= t->val > INT64_MAX;
	lx->pos = pos;
}

/* Where the fraction and exponent of a decimal float end, or off if it is none. */
static uint32_t
float_end(const lexer *lx, uint32_t off)
{
	uint32_t pos = run_of(lx, off, C_DIGIT), whole = pos;
	char c;

	if (at(lx, pos) == '.')
		pos = run_of(lx, pos + 1, C_DIGIT);
	c = at(lx, pos);
	if (c == 'e' || c == 'E') {
		uint32_t e = pos + 1;

		e += at(lx, e) == '-' || at(lx, e) == '+';
		if (class_of(at(lx, e)) & C_DIGIT)
			pos = run_of(lx, e, C_DIGIT);
	}
	return pos == whole ? off : pos;
}

static void
lex_number(lexer *lx, token *t)
{
	char second = lx->src[t->off] == '0' ? at(lx, t->off + 1) : 0;
	uint32_t end;

	switch (second) {
	case 'x': case 'X': lex_integer(lx, t, t->off + 2, 16); return;
	case 'b': case 'B': lex_integer(lx, t, t->off + 2, 2); return;
	case 'f': case 'F': lex_float_bits(lx, t, 8); return;
	case 'd': case 'D': lex_float_bits(lx, t, 16); return;
	}
	end = float_end(lx, t->off);
	if (end == t->off) {
		lex_integer(lx, t, t->off, lx->src[t->off] == '0' ? 8 : 10);
		return;
	}
	t->kind = T_F64;
	if (class_of(at(lx, end)) & C_NAME) {
		bad_number(lx, t, end);
		return;
	}
	t->val = decimal_bits(lx->src + t->off, end - t->off);
	if (t->val >> 52 == 0x7ff) {    /* beyond all numbers of f64 */
		bad_number(lx, t, end);
		return;
	}
	lx->pos = end;
}

static void
lex_string(lexer *lx, token *t)
{
	uint32_t pos = t->off + 1;

	while (at(lx, pos) != '"' && at(lx, pos) != '\n' && pos < lx->size)
		pos += at(lx, pos) == '\\' && pos + 1 < lx->size ? 2 : 1;
	t->kind = T_STRING;
	if (at(lx, pos) == '"') {
		lx->pos = pos + 1;
		return;
	}
	lx->pos = MIN(pos, lx->size);
	t->kind = T_BAD;
	if (lex_may_fault(lx))
		diag_add(lx->diags, DIAG_unterminated, lex_loc(lx, t->off, 1), "string");
}

/* A run of characters that begin no token is one fault. */
static void
lex_bad(lexer *lx, token *t)
{
	unsigned char c = (unsigned char)lx->src[t->off];
	const char *what;

	while (lx->pos < lx->size &&
	       (lx->src[lx->pos] == (char)c || (c > 127 && lx->src[lx->pos] & 0x80)))
		lx->pos++;
	t->kind = T_BAD;
	if (!lex_may_fault(lx))
		return;
	what = c > 32 && c < 127 ? arena_printf(lx->diags->A, "'%c'", c)
	                         : arena_printf(lx->diags->A, "0x%02X", c);
	diag_add(lx->diags, DIAG_bad_char, lex_loc(lx, t->off, lx->pos - t->off), what);
}

static void
lex_punct(lexer *lx, token *t)
{
	static const struct { char text[3]; tok_kind kind; } two[] = {
		{ "<<", T_SHL }, { ">>", T_SHR }, { "<=", T_LE }, { ">=", T_GE }, { "==", T_EQ },
		{ "!=", T_NE }, { "&&", T_ANDAND }, { "||", T_OROR },
	};
	char c = lx->src[t->off], d = at(lx, t->off + 1);

	lx->pos = t->off + 1;
	for (size_t i = 0; i < COUNT(two); i++) {
		if (two[i].text[0] == c && two[i].text[1] == d) {
			lx->pos++;
			t->kind = two[i].kind;
			return;
		}
	}
	if (c && strchr("{}[]()<>,;:@!|&^~?+-*/%=.", c))
		t->kind = (tok_kind)c;
	else
		lex_bad(lx, t);
}

static void
lex_name(lexer *lx, token *t, uint32_t start, tok_kind kind)
{
	uint32_t end = run_of(lx, start, C_NAME), dot = kind == T_DOT;

	/* .shared::cta */
	while (kind == T_DOT && at(lx, end) == ':' && at(lx, end + 1) == ':' &&
	       class_of(at(lx, end + 2)) & C_NAME)
		end = run_of(lx, end + 2, C_NAME);
	t->kind = kind;
	t->s = intern_str(lx->names, lx->src + t->off + dot, end - t->off - dot);
	lx->pos = end;
}

void
lex_next(lexer *lx, token *t)
{
	char c;
	unsigned k, k1;

	*t = (token){ .line_start = skip_space(lx), .off = lx->pos };
	if (lx->pos >= lx->size)
		return;
	c = lx->src[lx->pos];
	k = class_of(c);
	k1 = class_of(at(lx, lx->pos + 1));
	if (k & C_START || (c == '%' && k1 & C_NAME))
		lex_name(lx, t, t->off + 1, T_NAME);
	else if (k & C_DIGIT || (c == '.' && k1 & C_DIGIT))
		lex_number(lx, t);
	else if (c == '.' && k1 & C_START)
		lex_name(lx, t, t->off + 1, T_DOT);
	else if (c == '"')
		lex_string(lx, t);
	else
		lex_punct(lx, t);
	t->len = lx->pos - t->off;
}

bool
lex_at_colon(lexer *lx)
{
	uint32_t pos = lx->pos;
	bool colon;

	skip_space(lx);
	colon = at(lx, lx->pos) == ':';
	lx->pos = pos;
	return colon;
}

bool
lex_at_name(lexer *lx)
{
	static const char warp[] = "WARP_SZ";
	uint32_t pos = lx->pos, start, n;
	char c;

	skip_space(lx);
	start = lx->pos;
	lx->pos = pos;
	c = at(lx, start);
	if (!(class_of(c) & C_START) && !(c == '%' && class_of(at(lx, start + 1)) & C_NAME))
		return false;
	n = run_of(lx, start + 1, C_NAME) - start;
	return n != sizeof warp - 1 || memcmp(lx->src + start, warp, sizeof warp - 1);
}

/* Is there ".word" at pos? Words of an opcode may begin with a digit. */
static bool
at_word(const lexer *lx, uint32_t pos)
{
	return at(lx, pos) == '.' && class_of(at(lx, pos + 1)) & C_NAME;
}

static uint32_t
word_end(const lexer *lx, uint32_t pos)
{
	pos = run_of(lx, pos + 1, C_NAME);
	while (at(lx, pos) == ':' && at(lx, pos + 1) == ':' && class_of(at(lx, pos + 2)) & C_NAME)
		pos = run_of(lx, pos + 2, C_NAME);
	return pos;
}

const char *
lex_opcode(lexer *lx, arena *A, const token *t)
{
	uint32_t end = t->off + t->len;
	buf b;

	while (at_word(lx, end))
		end = word_end(lx, end);
	lx->pos = end;
	skip_space(lx);
	if (!at_word(lx, lx->pos)) {
		lx->pos = end;
		return intern_str(lx->names, lx->src + t->off, end - t->off);
	}
	/* Rare: the words stand apart. */
	buf_init(&b, A);
	buf_put(&b, lx->src + t->off, end - t->off);
	while (at_word(lx, lx->pos)) {
		end = word_end(lx, lx->pos);
		buf_put(&b, lx->src + lx->pos, end - lx->pos);
		lx->pos = end;
		skip_space(lx);
	}
	lx->pos = end;
	return intern_str(lx->names, (const char *)b.p, b.n);
}

const char *
token_text(arena *A, const lexer *lx, const token *t)
{
	if (t->kind == T_EOF)
		return "the end of the file";
	return arena_printf(A, "'%.*s'", (int)MIN(t->len, 40u), lx->src + t->off);
}
