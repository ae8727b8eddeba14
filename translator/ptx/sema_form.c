/* sema_form.c -- which rows of forms.def an opcode with its modifiers fits.
 * Needs an opcode's text; leaves the operand slots of each row that fits, or what is wrong with the
 * nearest one. Done once for each different text. The grammar of a row stands in forms.def. */
#include <string.h>

#include "ptx/front.h"

enum { MAX_ITEMS = 24 };

/* One modifier of a row: its alternatives "x" or "x,y,z". */
typedef struct item {
	const char *s;
	uint8_t n;
	bool optional, is_type, used;
} item;

typedef struct row {
	item item[MAX_ITEMS];
	unsigned n;
	bool open;
	const char *operands;
} row;

/* Where the alternatives of an item end: at a brace, or at the next item. */
static const char *
item_end(const char *s)
{
	return s[0] == '{' ? strchr(s, '}') : s + strcspn(s, ".?{ ");
}

static bool
is_type_word(sema *S, const char *s, size_t n)
{
	return words_dot(&S->w, S->m->names, s, n).type != PTX_NOTYPE;
}

static void
read_row(sema *S, const char *p, row *R)
{
	*R = (row){ .n = 0 };
	for (p += strcspn(p, ". "); *p == '.';) {
		item *it = &R->item[R->n];
		const char *end;

		if (!strncmp(p, "...", 3)) {
			R->open = true;
			p += 3;
			break;
		}
		end = item_end(++p);
		it->s = p + (*p == '{');
		it->n = (uint8_t)(end - it->s);
		it->is_type = is_type_word(S, it->s, strcspn(it->s, ",}.? "));
		p = end + (*end == '}');
		it->optional = *p == '?';
		p += it->optional;
		R->n++;
	}
	R->operands = p + (*p == ' ');
}

static bool
item_has(const item *it, const char *s, size_t n)
{
	const char *end = it->s + it->n;

	for (const char *p = it->s; p < end;) {
		size_t k = strcspn(p, ",}.? ");

		if (k == n && !memcmp(p, s, n))
			return true;
		p += k + 1;
	}
	return false;
}

/* Types fill their items in order, other words any free one. */
static item *
place(row *R, bool is_type, const char *s, size_t n)
{
	for (unsigned i = 0; i < R->n; i++) {
		item *it = &R->item[i];

		if (it->used || it->is_type != is_type)
			continue;
		if (item_has(it, s, n)) {
			it->used = true;
			return it;
		}
		if (is_type && !it->optional)
			return NULL;
	}
	return NULL;
}

/* How well a text fits a row: the words placed, and the first that found no place. */
typedef struct fit {
	unsigned placed;
	bool whole;
	enum diag_id fault;
	uint32_t at, len;
	const char *missing;
} fit;

static void
no_place(fit *F, const char *text, const char *dot, size_t n, bool is_type)
{
	if (!F->whole)
		return;
	F->whole = false;
	F->fault = is_type ? DIAG_bad_type : DIAG_bad_modifier;
	F->at = (uint32_t)(dot - text);
	F->len = (uint32_t)n + 1;
}

static void
find_missing(sema *S, const row *R, fit *F)
{
	for (unsigned i = 0; i < R->n; i++) {
		const item *it = &R->item[i];

		if (it->used || it->optional)
			continue;
		F->whole = false;
		F->fault = it->is_type ? DIAG_missing_type : DIAG_missing_modifier;
		F->missing = arena_printf(S->A, ".%.*s", (int)it->n, it->s);
		return;
	}
}

static fit
fit_row(sema *S, const char *text, row *R)
{
	fit F = { .whole = true };

	for (const char *dot = text + strcspn(text, "."); *dot;) {
		size_t n = strcspn(dot + 1, ".");
		bool is_type = is_type_word(S, dot + 1, n);

		if (place(R, is_type, dot + 1, n))
			F.placed++;
		else if (!R->open)
			no_place(&F, text, dot, n, is_type);
		dot += 1 + n;
	}
	if (F.whole)
		find_missing(S, R, &F);
	return F;
}

static ptx_type
twice(ptx_type t)
{
	switch (t) {
	case PTX_U16: return PTX_U32;
	case PTX_U32: return PTX_U64;
	case PTX_S16: return PTX_S32;
	case PTX_S32: return PTX_S64;
	default: return t;
	}
}

static bool
is_word(const char *s, size_t n, const char *w)
{
	return strlen(w) == n && !memcmp(s, w, n);
}

/* The classes that are not types of their own; of is which written type counts, 0: none. */
static const struct class {
	const char *name;
	uint8_t kind, of, flags, type, mask, sel;
	bool minus;
} classes[] = {
	{ "v", SLOT_VALUE, 1, SL_WIDER, 0, 0, 0, false },
	{ "vec", SLOT_VALUE, 1, 0, 0, 0, 0, false },
	{ "vsrc", SLOT_VALUE, 1, SL_SREG, 0, 0, 0, false },
	{ "t2", SLOT_VALUE, 2, 0, 0, 0, 0, false },
	{ "t3", SLOT_VALUE, 3, 0, 0, 0, 0, false },
	{ "r1", SLOT_VALUE, 1, SL_WIDER, 0, 0, 0, false },
	{ "r2", SLOT_VALUE, 2, SL_WIDER | SL_SREG, 0, 0, 0, false },
	{ "wide", SLOT_VALUE, 1, 0, 0, 0, 0, false },
	{ "four", SLOT_VALUE, 0, 0, PTX_F32, 0, 0, false },
	{ "val", SLOT_VALUE, 1, 0, PTX_U32, 0, 0, false },
	{ "byte", SLOT_VALUE, 0, 0, PTX_U32, 255, 0, false },
	{ "bar", SLOT_VALUE, 0, 0, PTX_U32, 15, 0, false },
	{ "warps", SLOT_VALUE, 0, 0, PTX_U32, 0, 0, false },
	{ "imm", SLOT_IMM, 0, 0, PTX_U32, 0, 0, false },
	{ "zero", SLOT_IMM, 0, 0, PTX_U32, 0, 0, false },
	{ "size", SLOT_IMM, 0, 0, PTX_U32, 4 | 8 | 16, 0, false },
	{ "size16", SLOT_IMM, 0, 0, PTX_U32, 16, 0, false },
	{ "size128", SLOT_IMM, 0, 0, PTX_U32, 128, 0, false },
	{ "mem", SLOT_MEM, 0, 0, 0, 0, 0, false },
	{ "gmem", SLOT_MEM, 0, 0, 0, 0, 0, false },
	{ "addr", SLOT_ADDR, 1, 0, 0, 0, 0, false },
	{ "src", SLOT_SRC, 1, SL_SREG, 0, 0, 0, false },
	{ "pack", SLOT_PACK, 1, 0, 0, 0, 0, false },
	{ "unpack", SLOT_UNPACK, 1, 0, 0, 0, 0, false },
	{ "label", SLOT_LABEL, 0, 0, 0, 0, 0, false },
	{ "func", SLOT_FUNC, 0, 0, 0, 0, 0, false },
	{ "targets", SLOT_TARGETS, 0, 0, 0, 0, 0, false },
	{ "list", SLOT_LIST, 0, 0, 0, 0, 0, false },
	{ "any", SLOT_ANY, 0, 0, 0, 0, 0, false },
	{ "ptr", SLOT_VALUE, 0, SL_NARROW, PTX_U64, 0, 0, false },
	{ "part", SLOT_VALUE, 0, 0, PTX_U32, 0, SEL_PART, false },
	{ "-part", SLOT_VALUE, 0, 0, PTX_U32, 0, SEL_PART, true },
	{ "-u32", SLOT_VALUE, 0, 0, PTX_U32, 0, SEL_NONE, true },
	{ "halves", SLOT_VALUE, 0, 0, PTX_U32, 0, SEL_HALVES, false },
	{ "bytes", SLOT_VALUE, 0, 0, PTX_U32, 0, SEL_BYTES, false },
	{ "mask2", SLOT_DEST, 0, 0, PTX_U32, 0, SEL_MASK2, false },
	{ "mask4", SLOT_DEST, 0, 0, PTX_U32, 0, SEL_MASK4, false },
};

/* The first operand is a destination unless its class is one of these. */
static bool
is_source_class(const char *s, size_t n)
{
	return is_word(s, n, "val") || is_word(s, n, "bar");
}

static unsigned
lanes_of(const opcode *oc)
{
	for (unsigned i = 0; i < oc->nmods; i++)
		switch (oc->mod[i]) {
		case PTX_M_v2: return 2;
		case PTX_M_v4: return 4;
		case PTX_M_v8: return 8;
		}
	return 1;
}

static void
set_class(sema *S, const opcode *oc, const char *s, size_t n, slot *out)
{
	*out = (slot){ .kind = SLOT_VALUE, .lanes = 1, .type = oc->ntypes ? oc->type[0] : PTX_U32 };
	if (!n)
		return;
	for (size_t i = 0; i < COUNT(classes); i++) {
		const struct class *c = &classes[i];

		if (!is_word(s, n, c->name))
			continue;
		out->kind = c->kind;
		out->flags = c->flags;
		out->mask = c->mask;
		out->sel = c->sel;
		out->minus = c->minus;
		out->type = c->of && c->of <= oc->ntypes ? oc->type[c->of - 1] : c->type;
		if (is_word(s, n, "v") || is_word(s, n, "vec") || is_word(s, n, "vsrc"))
			out->lanes = (uint8_t)lanes_of(oc);
		if (is_word(s, n, "four"))
			out->lanes = 4;
		if (is_word(s, n, "wide"))
			out->type = (uint8_t)twice((ptx_type)out->type);
		out->warps = is_word(s, n, "warps");
		out->global = is_word(s, n, "gmem");
		out->zero = is_word(s, n, "zero");
		return;
	}
	out->type = (uint8_t)words_dot(&S->w, S->m->names, s, n).type;
}

static bool
has_policy(const opcode *oc)
{
	for (unsigned i = 0; i < oc->nmods; i++)
		if (oc->mod[i] == PTX_M_L2_cache_hint)
			return true;
	return false;
}

/* name[:class][flags]; NULL: this opcode has no such operand */
static const char *
read_slot(sema *S, const opcode *oc, const char *p, bool first, slot *out)
{
	const char *class;
	size_t n;

	p += strcspn(p, ":_|!?,");
	class = p + (*p == ':');
	n = *p == ':' ? strcspn(class, "_|!?,") : 0;
	if (is_word(class, n, "policy")) {
		if (!has_policy(oc))
			return NULL;
		set_class(S, oc, "u64", 3, out);
		return p + sizeof ":policy" - 1;
	}
	set_class(S, oc, class, n, out);
	if (first && out->kind == SLOT_VALUE && !is_source_class(class, n))
		out->kind = SLOT_DEST;
	for (p = class + n; *p && *p != ','; p++) {
		switch (*p) {
		case '_': out->flags |= SL_SINK; break;
		case '!': out->flags |= SL_NEG; break;
		case '|':
			out->flags |= p[1] == '?' ? SL_PAIR_OPT | SL_PAIR : SL_PAIR;
			p += p[1] == '?';
			break;
		case '?': out->flags |= SL_OPT; break;
		}
	}
	return p;
}

static void
add_shape(sema *S, const opcode *oc, uint16_t form, const char *p, shapes *out)
{
	shape *sh = vec_push(S->A, &out->list);

	*sh = (shape){ .form = form };
	while (*p) {
		if (!strncmp(p, "...", 3)) {
			sh->open = true;
			return;
		}
		if (sh->n == MAX_SLOTS)
			return;
		p = read_slot(S, oc, p, sh->n == 0, &sh->slot[sh->n]);
		if (!p)
			return;
		if (sh->least == sh->n && !(sh->slot[sh->n].flags & SL_OPT))
			sh->least++;
		sh->n++;
		p += strspn(p, ", ");
	}
}

const shapes *
sema_shapes(sema *S, opcode *oc)
{
	shapes *out = oc->checked;
	fit best = { .placed = 0 };
	bool any = false;

	if (out)
		return out;
	oc->checked = out = arena_new(S->A, shapes);
	for (size_t i = 0; i < ptx_nforms; i++) {
		row R;
		fit F;

		if (ptx_form[i].op != oc->op || (ptx_form_past[i].until & ~S->past))
			continue;
		read_row(S, ptx_form[i].pattern, &R);
		F = fit_row(S, oc->text, &R);
		if (F.whole)
			add_shape(S, oc, (uint16_t)i, R.operands, out);
		if (!any || F.placed > best.placed)
			best = F;
		any = true;
	}
	out->fault = best.fault;
	out->at = best.at;
	out->len = best.len;
	out->missing = best.missing;
	return out;
}
