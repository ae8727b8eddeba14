/* form_maker.c -- instructions from the rows of forms.def: opcode texts and operands that fit.
 * Needs the names of frame.ptx; leaves one instruction a call. */
#include "form_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/front.h"

static void
read_item(const char **p, item *it)
{
	bool braces = **p == '{';

	*p += braces;
	it->n = 0;
	do {
		size_t n = strcspn(*p, braces ? ",}" : ".?{ ");

		snprintf(it->alt[it->n++], sizeof it->alt[0], "%.*s", (int)n, *p);
		*p += n;
	} while (braces && *(*p)++ == ',');
	it->optional = **p == '?';
	*p += it->optional;
}

void
read_form(const char *p, form *F)
{
	size_t n = strcspn(p, ". ");

	memset(F, 0, sizeof *F);
	memcpy(F->op, p, n);
	for (p += n; *p == '.';) {
		if (!strncmp(p, "...", 3)) {
			F->open = true;
			return;
		}
		p++;
		read_item(&p, &F->item[F->n++]);
	}
	F->operands = p + 1;
	F->open = strstr(F->operands, "...") != NULL;
}

static const char *
bank_of(const char *t)
{
	static const char *const row[][2] = {
		{ "pred", "p" }, { "b8", "bb" }, { "u8", "bb" }, { "s8", "bb" }, { "b16", "h" },
		{ "u16", "uh" }, { "s16", "sh" }, { "f16", "h" }, { "bf16", "h" }, { "b32", "r" },
		{ "u32", "ur" }, { "s32", "sr" }, { "f32", "f" }, { "f16x2", "r" }, { "bf16x2", "r" },
		{ "b64", "rd" }, { "u64", "urd" }, { "s64", "srd" }, { "f64", "fd" }, { "b128", "q" },
		{ "f32x2", "rd" }, { "tf32", "r" },
	};

	for (size_t i = 0; i < COUNT(row); i++)
		if (!strcmp(t, row[i][0]))
			return row[i][1];
	return NULL;
}

typedef struct maker {
	char text[1024];
	char types[8][16];
	int ntypes;
	int serial;             /* the next register's number */
	bool has_policy;
	const char *space;
	int lanes;
} maker;

static const char *
twice(const char *t)
{
	return !strcmp(t, "u16") ? "u32" : !strcmp(t, "s16") ? "s32" : !strcmp(t, "u32") ? "u64" : "s64";
}

static void
add(maker *M, const char *s)
{
	strncat(M->text, s, sizeof M->text - strlen(M->text) - 1);
}

static void
put_reg(maker *M, const char *type)
{
	const char *bank = bank_of(type);
	char s[40];

	snprintf(s, sizeof s, "%s%d", bank ? bank : "r", M->serial++ & 3);
	add(M, s);
}

static void
put_vector(maker *M, const char *type, int n)
{
	add(M, "{");
	for (int i = 0; i < n; i++) {
		add(M, i ? ", " : "");
		put_reg(M, type);
	}
	add(M, "}");
}

static void
put_mem(maker *M)
{
	if (!strcmp(M->space, "param::func"))
		add(M, "[pm]");
	else if (!strncmp(M->space, "param", 5))
		add(M, M->text[0] == 's' ? "[pm]" : "[kp1]");
	else if (!strcmp(M->space, "const"))
		add(M, "[cv]");
	else
		add(M, "[rd0]");
}

static const char *
part_of(const char *type)
{
	return !strcmp(type, "b16") ? "b8" : !strcmp(type, "b32") ? "b16" : !strcmp(type, "b64") ? "b32" : "b64";
}

static void
put_class(maker *M, const char *c)
{
	const char *t = M->ntypes ? M->types[0] : "u32";

	if (!*c || !strcmp(c, "val") || !strcmp(c, "r1") || !strcmp(c, "addr") || !strcmp(c, "src"))
		put_reg(M, t);
	else if (!strcmp(c, "t2") || !strcmp(c, "r2"))
		put_reg(M, M->types[1]);
	else if (!strcmp(c, "t3"))
		put_reg(M, M->types[2]);
	else if (!strcmp(c, "wide"))
		put_reg(M, twice(t));
	else if ((!strcmp(c, "v") || !strcmp(c, "vec") || !strcmp(c, "vsrc")) && M->lanes > 1)
		put_vector(M, t, M->lanes);
	else if (!strcmp(c, "v"))
		put_reg(M, t);
	else if (!strcmp(c, "four"))
		put_vector(M, "f32", 4);
	else if (!strcmp(c, "byte"))
		add(M, M->serial & 1 ? "255" : "ur1");
	else if (!strcmp(c, "part") || !strcmp(c, "-part"))
		add(M, M->serial++ & 1 ? "ur3.b2" : *c == '-' && M->serial % 3 ? "-r1.h1" : "sr2");
	else if (!strcmp(c, "-u32"))
		add(M, "r3");
	else if (!strcmp(c, "halves") || !strcmp(c, "bytes"))
		add(M, M->serial++ & 1 ? "r1" : *c == 'h' ? "ur1.h30" : "sr1.b7160");
	else if (!strcmp(c, "mask2") || !strcmp(c, "mask4"))
		add(M, M->serial++ & 1 ? "r1" : c[4] == '2' ? "ur2.h1" : "r1.b320");
	else if (!strcmp(c, "bar"))
		add(M, "15");
	else if (!strcmp(c, "warps"))
		add(M, "64");
	else if (!strcmp(c, "imm") || !strcmp(c, "zero"))
		add(M, *c == 'i' ? "8" : "0");
	else if (!strncmp(c, "size", 4))
		add(M, c[4] ? c + 4 : "4");
	else if (!strcmp(c, "mem") || !strcmp(c, "gmem"))
		put_mem(M);
	else if (!strcmp(c, "any") || !strcmp(c, "ptr"))
		add(M, "rd1");
	else if (!strcmp(c, "pack") || !strcmp(c, "unpack"))
		put_vector(M, part_of(t), 2);
	else if (!strcmp(c, "label"))
		add(M, "L1");
	else if (!strcmp(c, "func"))
		add(M, "fn");
	else if (!strcmp(c, "targets"))
		add(M, "ts");
	else if (!strcmp(c, "list"))
		add(M, strstr(M->text, "(pr)") ? "(pa)" : "(pr)");
	else
		put_reg(M, c);
}

/* Optional operands and second results are left out or put in by turns. */
static void
put_operands(maker *M, const char *p, int variant)
{
	for (bool first = true; *p; first = false) {
		size_t nname = strcspn(p, ":_|!?,"), n;
		char class[16] = "";
		const char *flags;

		n = p[nname] == ':' ? strcspn(p + nname + 1, "_|!?,") : 0;
		snprintf(class, sizeof class, "%.*s", (int)n, p + nname + 1);
		flags = p + nname + (p[nname] == ':') + n;
		n = strcspn(flags, ",");
		if (!strcmp(class, "policy") && !M->has_policy)
			return;
		if (n && flags[n - 1] == '?' && !(n > 1 && flags[n - 2] == '|') && variant % 2)
			return;
		add(M, first ? " " : ", ");
		put_class(M, strcmp(class, "policy") ? class : "b64");
		if (memchr(flags, '|', n) && (flags[n - 1] != '?' || variant % 2))
			add(M, "|p3");
		p = flags + n;
		p += strspn(p, ", ");
	}
}

static void
put_word(maker *M, const char *w)
{
	static const char *const spaces[] = { "param", "param::entry", "param::func", "const" };

	add(M, ".");
	add(M, w);
	if (bank_of(w) && M->ntypes < 8)
		snprintf(M->types[M->ntypes++], sizeof M->types[0], "%s", w);
	for (size_t i = 0; i < COUNT(spaces); i++)
		if (!strcmp(w, spaces[i]))
			M->space = spaces[i];
	M->has_policy |= !strcmp(w, "L2::cache_hint");
	if (w[0] == 'v' && w[1] >= '2' && w[1] <= '8' && !w[2])
		M->lanes = w[1] - '0';
}

/* Item `which` in its alternative `alt`, optional ones else left out, the others in their first. */
static void
make(const form *F, int which, int alt, int variant, maker *M)
{
	*M = (maker){ .space = "", .lanes = 1 };
	add(M, F->op);
	for (int i = 0; i < F->n; i++) {
		if (i == which)
			put_word(M, F->item[i].alt[alt]);
		else if (!F->item[i].optional)
			put_word(M, M->lanes == 8 && !strcmp(F->item[i].alt[0], "b8") ? "b32" : F->item[i].alt[0]);
	}
	put_operands(M, F->operands, variant);
	add(M, ";");
}

char *
framed_inst(const char *inst)
{
	char *body = malloc(strlen(inst) + 64), *text;

	if (!body)
		abort();
	sprintf(body, "%s{ %s }", strstr(inst, " ts;") ? "ts: .branchtargets L1;\n" : "", inst);
	text = framed(body, "sm_100a");
	free(body);
	return text;
}

/* Of items that must be there only the first one begins with its first alternative: the others all
 * do in every instruction. */
int
each_instruction(uint16_t row, void (*fn)(const char *, uint16_t, void *), void *ud)
{
	form F;
	maker M;
	int n = 0;

	read_form(ptx_form[row].pattern, &F);
	if (F.open || ptx_form_past[row].until || ptx_form[row].op == PTX_OP_call)
		return 0;
	for (int i = F.n ? 0 : -1; i < F.n; i++) {
		for (int a = 0; a < (i < 0 ? 1 : F.item[i].n); a++) {
			if (a == 0 && i > 0 && !F.item[i].optional)
				continue;
			make(&F, i, a, n++, &M);
			fn(M.text, row, ud);
		}
	}
	return n;
}
