/* test_pack.c -- the chains of chains.txt cost no more instructions than LLVM makes of them
 * (tests/data/pack_chains.tsv, by make_chains.py): a scalar instruction is half a vector one. What is
 * counted is what a chain adds to a kernel that stores its sources. With an argument: a table. */
#include "kit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHIPS = 4, LINE = 256 };
static const char *const chips[CHIPS] = { "gfx900", "gfx90a", "gfx1030", "gfx1100" };

/* ---- C expressions ---- */

typedef struct expr {
	kit *k;
	const char *at;
	ir_opnd var[128];
} expr;

static ir_opnd binary(expr *, unsigned level);

static char
peek(expr *e)
{
	while (*e->at == ' ')
		e->at++;
	return *e->at;
}

static bool
accept_text(expr *e, const char *s)
{
	peek(e);
	if (strncmp(e->at, s, strlen(s)))
		return false;
	e->at += strlen(s);
	return true;
}

/* A byte of LDS at an address of the lane's own. */
static ir_opnd
load_byte(kit *k, unsigned at, uint32_t limit)
{
	ir_opnd a = kit_special(k, IR_TID_X), d = ir_valop(k->f, ir_new_val(k->f, 1));
	ir_inst *i;

	ir_gen_to(&k->B, d, G_load, 1, &a);
	i = ir_last(&k->B);
	i->m.offset = (int32_t)at;
	i->mem = (ir_mem){ .space = IR_SHARED, .bytes = 1, .align = 1 };
	return limit == 256 ? d : ir_g2(&k->B, G_and32, d, ir_i32(limit - 1));
}

static ir_opnd
variable(expr *e, char c)
{
	ir_opnd *v = &e->var[c & 127];

	if (!v->kind)
		*v = strchr("uvwx", c) ? kit_source(e->k, IR_T_W, false)
		     : islower((unsigned char)c) ? kit_source(e->k, IR_T_W, true)
		     : load_byte(e->k, (unsigned)c, c == 'L' ? 32 : c >= 'P' ? 2 : 256);
	return *v;
}

static ir_opnd
bfi(expr *e)
{
	ir_opnd s[4];

	for (unsigned k = 0; k < 4; k++) {
		s[k] = binary(e, 0);
		accept_text(e, k < 3 ? "," : ")");
	}
	return ir_gen(&e->k->B, G_ptx_bfi32, 4, s);
}

static ir_opnd
primary(expr *e)
{
	char *end;
	ir_opnd r;

	if (accept_text(e, "bfi("))
		return bfi(e);
	if (accept_text(e, "(")) {
		r = binary(e, 0);
		accept_text(e, ")");
		return r;
	}
	if (!isdigit((unsigned char)peek(e)))
		return variable(e, *e->at++);
	r = ir_i32((uint32_t)strtoul(e->at, &end, 0));
	e->at = end;
	return r;
}

/* C's order: | ^ & << >> + */
static ir_opnd
binary(expr *e, unsigned level)
{
	static const struct { const char *text; unsigned level; uint16_t gop; } op[] = {
		{ "|", 0, G_or32 }, { "^", 1, G_xor32 }, { "&", 2, G_and32 },
		{ "<<", 3, G_shl32 }, { ">>", 3, G_lshr32 }, { "+", 4, G_add32 } };
	ir_opnd r;

	if (level > 4)
		return primary(e);
	r = binary(e, level + 1);
	for (unsigned k = 0; k < COUNT(op); k++)
		if (op[k].level == level && accept_text(e, op[k].text)) {
			r = ir_g2(&e->k->B, op[k].gop, r, binary(e, level + 1));
			k = ~0u;
		}
	return r;
}

/* ---- counting ---- */

typedef struct tally { int valu, salu; } tally;

/* Copies between the banks count: they are v_mov, v_readfirstlane or s_mov. */
static tally
count(const ir_func *f)
{
	tally t = { 0, 0 };

	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			if (!ir_is_machine(i->m.op))
				continue;
			t.valu += isa_table[i->m.op].cls == ISA_VALU;
			t.salu += isa_table[i->m.op].cls == ISA_SALU;
		}
	return t;
}

static void
optimize(ir_func *f)
{
	static void (*const pass[])(ir_func *) = { p_fold, p_cse, p_dce, p_uniform, p_field, p_fold,
		p_cse, p_dce, p_uniform, p_pack };

	for (unsigned k = 0; k < COUNT(pass); k++) {
		ir_count_uses(f);
		pass[k](f);
	}
}

/* Instructions of a kernel that stores the sources, and the chain too. */
static tally
compile(const char *chip, const char *text, bool chain, const char **why, char *body)
{
	kit *k = kit_new(chip);
	expr e = { .k = k, .at = text };
	ir_opnd r = binary(&e, 0);
	tally t;

	for (unsigned c = 0; c < COUNT(e.var); c++)
		if (e.var[c].kind)
			kit_use(k, e.var[c]);
	if (chain)
		kit_use(k, r);
	kit_ret(k);
	optimize(k->f);
	*why = kit_select(k);
	t = count(k->f);
	if (body)
		snprintf(body, 4096, "%s", *why ? "" : kit_body(k));
	kit_free(k);
	return t;
}

/* ---- chains ---- */

static const char *
llvm_line(const char *table, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = table; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
		if (!strncmp(s, name, n) && s[n] == '\t')
			return s + n + 1;
	return NULL;
}

static void
test(const char *name, const char *text, const char *table, bool print)
{
	const char *theirs = llvm_line(table, name);

	if (print)
		printf("%-16s", name);
	for (unsigned c = 0; c < CHIPS; c++) {
		static char body[4096];
		const char *why, *lost = "more than LLVM";
		tally all = compile(chips[c], text, true, &why, body),
		      base = compile(chips[c], text, false, &why, NULL);
		tally ours = { all.valu - base.valu, all.salu - base.salu };
		int v = 0, s = 0;
		bool scalar = !strncmp(name, "s_", 2);  /* then storing it costs a copy */
		bool known = theirs && sscanf(theirs, "%d+%d", &v, &s) == 2;

		ours.valu -= scalar && !why;
		if (print) {
			printf("  %d+%d (%d+%d)%s", ours.valu, ours.salu, v, s,
				2 * ours.valu + ours.salu < 2 * v + s ? "-" :
				2 * ours.valu + ours.salu > 2 * v + s ? "!" : " ");
			if (getenv("P2A_TRACE"))
				printf("\n%s", body);
		} else
			kit_ok(known && !why && 2 * ours.valu + ours.salu <= 2 * v + s,
				why ? why : known ? lost : "no line in pack_chains.tsv",
				"%s on %s: %d+%d, LLVM %d+%d", name, chips[c], ours.valu, ours.salu, v, s);
		theirs = theirs && strchr(theirs, '\t') ? strchr(theirs, '\t') + 1 : theirs;
	}
	if (print)
		puts("");
}

static char *
read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *s = calloc(1, 1 << 16);

	if (!f || !s || !fread(s, 1, (1 << 16) - 1, f)) {
		printf("not ok %s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return s;
}

int
main(int argc, char **argv)
{
	char *table = read_all("tests/data/pack_chains.tsv"), *chains = read_all("tests/select/chains.txt");

	for (char *s = strtok(chains, "\n"); s; s = strtok(NULL, "\n")) {
		char *tab = strchr(s, '\t');

		if (*s == '#' || !tab || (argc > 1 && strncmp(s, argv[1], strlen(argv[1]))))
			continue;
		*tab = 0;
		test(s, tab + 1, table, argc > 1);
	}
	free(table);
	free(chains);
	return kit_failures();
}
