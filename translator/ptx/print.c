/* print.c -- a module back to PTX text.
 * Needs a tree of parse, before or after sema; leaves text that parses to an equal tree, with
 * constants folded and one statement a line. Manual: "Parallel Thread Execution ISA", 4. */
#include <inttypes.h>
#include <string.h>

#include "ptx/front.h"

static void put_operand(buf *, const ptx_operand *);

static void
put(buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

static void
put_int(buf *b, int64_t v, bool uns)
{
	char text[24], *p = text + sizeof text;
	uint64_t n = !uns && v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	if (!uns && v < 0)
		*--p = '-';
	buf_put(b, p, (size_t)(text + sizeof text - p));
}

static void
put_part(buf *b, const ptx_operand *o)
{
	if (o->part == 'b' || o->part == 'h') {
		buf_printf(b, ".%c", o->part);
		for (unsigned i = o->nsub; i-- > 0;)
			buf_u8(b, (uint8_t)('0' + (o->ival >> (4 * i) & 7)));
	} else if (o->part && o->part != '[') {
		buf_printf(b, ".%c", o->part);
	}
}

static void
put_name(buf *b, const ptx_operand *o)
{
	if (o->neg)
		buf_u8(b, o->neg == 2 ? '-' : '!');
	put(b, o->name);
	put_part(b, o);
	if (o->part == '[' && o->nsub)
		buf_printf(b, o->ival ? "[%s+%" PRId64 "]" : "[%s]", o->sub->name, o->ival);
	else if (o->part == '[')
		buf_printf(b, "[%" PRId64 "]", o->ival);
	else if ((o->kind == PTX_O_SYM || o->kind == PTX_O_REG) && (o->ival || o->uns) && !o->part)
		buf_printf(b, "+%" PRId64, o->ival);
}

static void
put_list(buf *b, const ptx_operand *sub, unsigned n, const char *open, const char *close)
{
	put(b, open);
	for (unsigned i = 0; i < n; i++) {
		if (i)
			put(b, ", ");
		put_operand(b, &sub[i]);
	}
	put(b, close);
}

static void
put_memory(buf *b, const ptx_operand *o)
{
	put(b, "[");
	put_operand(b, &o->sub[0]);
	if (o->ival)
		buf_printf(b, "+%" PRId64, o->ival);
	if (o->nsub > 1)
		put_list(b, o->sub + 1, o->nsub - 1u, ", ", "");
	put(b, o->part == 'u' ? "].unified" : "]");
}

static void
put_operand(buf *b, const ptx_operand *o)
{
	switch ((ptx_okind)o->kind) {
	case PTX_O_REG: case PTX_O_SREG: case PTX_O_SYM: case PTX_O_LABEL: put_name(b, o); break;
	case PTX_O_INT: put_int(b, o->ival, o->uns); break;
	case PTX_O_F32: buf_printf(b, "0f%08" PRIX32, (uint32_t)o->ival); break;
	case PTX_O_F64: buf_printf(b, "0d%016" PRIX64, (uint64_t)o->ival); break;
	case PTX_O_MEM: put_memory(b, o); break;
	case PTX_O_VEC: put_list(b, o->sub, o->nsub, "{", "}"); break;
	case PTX_O_LIST: put_list(b, o->sub, o->nsub, "(", ")"); break;
	case PTX_O_PAIR:
		put_operand(b, &o->sub[0]);
		put(b, "|");
		put_operand(b, &o->sub[1]);
		break;
	case PTX_O_SINK: put(b, "_"); break;
	}
}

void
ptx_print_inst(const ptx_inst *x, buf *b)
{
	if (x->guard.name) {
		put(b, "@");
		put_name(b, &x->guard);
		put(b, " ");
	}
	put(b, x->text);
	if (x->nops)
		put_list(b, x->ops, x->nops, " ", "");
	put(b, ";");
}

static const char *const space_name[PTX_NSPACES] = {
	[PTX_GENERIC] = "generic", [PTX_REG] = "reg", [PTX_PARAM] = "param", [PTX_GLOBAL] = "global",
	[PTX_SHARED] = "shared", [PTX_CONST] = "const", [PTX_LOCAL] = "local", [PTX_TEX] = "tex",
	[PTX_SHARED_CLUSTER] = "shared::cluster",
};

/* Everything of a declaration before the name. */
static void
put_head(buf *b, const ptx_symbol *s)
{
	buf_printf(b, ".%s", space_name[s->space]);
	if (s->attr)
		buf_printf(b, " %s", s->attr);
	if (s->align != natural_align(s) && s->space != PTX_REG)
		buf_printf(b, " .align %" PRIu32, s->align);
	if (s->vec > 1)
		buf_printf(b, " .v%u", s->vec);
	buf_printf(b, " .%s", ptx_type_name(s->type));
	if (s->ptr_attr) {
		put(b, " .ptr");
		if (s->ptr_space != PTX_GENERIC)
			buf_printf(b, " .%s", space_name[s->ptr_space]);
		if (s->ptr_align)
			buf_printf(b, " .align %" PRIu32, s->ptr_align);
	}
}

static void
put_init(buf *b, const ptx_symbol *s, const ptx_init *x)
{
	switch (x->kind) {
	case PTX_I_INT: put_int(b, (int64_t)x->bits, false); return;
	case PTX_I_FLOAT:
		if (s->type == PTX_F32)
			buf_printf(b, "0f%08" PRIX32, (uint32_t)x->bits);
		else
			buf_printf(b, "0d%016" PRIX64, x->bits);
		return;
	case PTX_I_ADDR: break;
	}
	if (x->mask_byte)
		buf_printf(b, "0x%" PRIX64 "(", UINT64_C(0xff) << (8 * (x->mask_byte - 1)));
	buf_printf(b, x->generic ? "generic(%s)" : "%s", x->name);
	if (x->bits)
		buf_printf(b, "+%" PRId64, (int64_t)x->bits);
	if (x->mask_byte)
		put(b, ")");
}

/* Elements that one item of a list at a depth holds; at depth 0 it is everything. */
static uint64_t
item_size(const ptx_symbol *s, uint32_t depth)
{
	uint64_t n = depth > s->dims.n ? 1 : s->vec;

	for (uint32_t i = depth; i < s->dims.n; i++)
		n *= s->dims.a[i] ? s->dims.a[i] : 1;
	return n;
}

typedef struct braces {
	uint32_t open, levels;
	uint64_t at;            /* the next element */
	bool comma;
} braces;

static void
put_item(buf *b, braces *B, const char *text)
{
	if (B->comma)
		put(b, ", ");
	put(b, text);
	B->comma = strcmp(text, "{") != 0;
}

/* Closes lists that element index lies behind, opens those that it lies in; rows that were empty or
 * left early stay so. */
static void
go_to(buf *b, const ptx_symbol *s, braces *B, uint64_t index)
{
	while (B->open > 1 && B->at && index / item_size(s, B->open - 1) !=
	       (B->at - 1) / item_size(s, B->open - 1)) {
		uint64_t row = item_size(s, B->open - 1);

		put(b, "}");
		B->open--;
		B->at = (B->at + row - 1) / row * row;
	}
	while (B->open < B->levels || B->at < index) {
		uint64_t item = item_size(s, B->open);

		if (B->open && B->at < index && index - B->at >= item) {
			put_item(b, B, B->open < B->levels ? "{}" : "0");
			B->at += item;
		} else {
			put_item(b, B, "{");
			B->open++;
		}
	}
}

static void
put_braces(buf *b, const ptx_symbol *s)
{
	braces B = { .levels = s->dims.n + (s->vec > 1) };

	if (!s->init.n)
		put(b, "{");
	for (uint32_t i = 0; i < s->init.n; i++) {
		go_to(b, s, &B, s->init.a[i].index);
		put_item(b, &B, "");
		put_init(b, s, &s->init.a[i]);
		B.at++;
		B.comma = true;
	}
	buf_fill(b, '}', MAX(B.open, 1u));
}

static void
put_initializer(buf *b, const ptx_symbol *s)
{
	if (!s->has_init)
		return;
	put(b, " = ");
	if (s->init_text)
		put(b, s->init_text);
	else if (s->dims.n || s->vec > 1)
		put_braces(b, s);
	else if (s->init.n)
		put_init(b, s, &s->init.a[0]);
}

static void
put_declarator(buf *b, const ptx_symbol *s)
{
	put(b, s->name);
	if (s->range)
		buf_printf(b, "<%" PRIu64 ">", s->count);
	for (uint32_t i = 0; i < s->dims.n; i++) {
		if (i == 0 && s->unsized)
			put(b, "[]");
		else
			buf_printf(b, "[%" PRIu64 "]", s->dims.a[i]);
	}
	put_initializer(b, s);
}

static void
put_linkage(buf *b, uint8_t linkage)
{
	if (linkage & PTX_L_EXTERN)
		put(b, ".extern ");
	if (linkage & PTX_L_VISIBLE)
		put(b, ".visible ");
	if (linkage & PTX_L_WEAK)
		put(b, ".weak ");
	if (linkage & PTX_L_COMMON)
		put(b, ".common ");
}

/* One declaration line; its symbols have all but names and sizes in common. */
static void
put_decl(buf *b, ptx_symbol *const *s, uint32_t n)
{
	put_linkage(b, s[0]->linkage);
	put_head(b, s[0]);
	for (uint32_t i = 0; i < n; i++) {
		put(b, i ? ", " : " ");
		put_declarator(b, s[i]);
	}
	put(b, ";\n");
}

static void
put_params(buf *b, ptx_symbol *const *s, uint32_t n)
{
	put(b, "(");
	for (uint32_t i = 0; i < n; i++) {
		put(b, i ? ", " : "");
		put_head(b, s[i]);
		put(b, " ");
		put_declarator(b, s[i]);
	}
	put(b, ")");
}

static void put_stmts(buf *, const ptx_stmt *, unsigned depth);

static void
put_stmt(buf *b, const ptx_stmt *st, unsigned depth)
{
	if (st->kind != PTX_S_LABEL)
		buf_fill(b, '\t', depth);
	switch (st->kind) {
	case PTX_S_INST:
		ptx_print_inst(&st->inst, b);
		put(b, "\n");
		break;
	case PTX_S_LABEL:
		buf_printf(b, "%s:\n", st->label->name);
		break;
	case PTX_S_LOC:
		if (st->text)
			buf_printf(b, "%s\n", st->text);
		else
			buf_printf(b, ".loc %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
				st->at.file, st->at.line, st->at.col);
		break;
	case PTX_S_DECL:
		put_decl(b, st->decl.a, st->decl.n);
		break;
	case PTX_S_BLOCK:
		put(b, "{\n");
		put_stmts(b, st->body, depth + 1);
		buf_fill(b, '\t', depth);
		put(b, "}\n");
		break;
	case PTX_S_PRAGMA: case PTX_S_OTHER:
		if (st->label)
			buf_printf(b, "%s: ", st->label->name);
		buf_printf(b, "%s\n", st->text);
		break;
	}
}

/* Depth is bounded by the parser. */
static void
put_stmts(buf *b, const ptx_stmt *st, unsigned depth)
{
	for (; st; st = st->next)
		put_stmt(b, st, depth);
}

static void
put_func(buf *b, const ptx_func *f)
{
	put_linkage(b, f->sym->linkage);
	put(b, f->entry ? ".entry " : ".func ");
	if (f->sym->attr)
		buf_printf(b, "%s ", f->sym->attr);
	if (f->rets.n) {
		put_params(b, f->rets.a, f->rets.n);
		put(b, " ");
	}
	put(b, f->sym->name);
	put_params(b, f->params.a, f->params.n);
	for (uint32_t i = 0; i < f->directives.n; i++)
		buf_printf(b, "\n%s", f->directives.a[i]);
	if (!f->has_body) {
		put(b, ";\n");
		return;
	}
	put(b, "\n{\n");
	put_stmts(b, f->body, 1);
	put(b, "}\n");
}

void
ptx_print(const ptx_module *m, buf *b)
{
	if (m->version_major)
		buf_printf(b, ".version %u.%u\n", m->version_major, m->version_minor);
	if (m->target[0])
		buf_printf(b, ".target %s\n", m->target);
	if (m->address_size)
		buf_printf(b, ".address_size %u\n", m->address_size);
	for (uint32_t i = 0; i < m->items.n; i++) {
		const ptx_item *it = &m->items.a[i];

		switch (it->kind) {
		case PTX_ITEM_VAR: put_decl(b, it->vars.a, it->vars.n); break;
		case PTX_ITEM_FUNC: put_func(b, it->func); break;
		case PTX_ITEM_FILE: case PTX_ITEM_TEXT: buf_printf(b, "%s\n", it->text); break;
		}
	}
}
