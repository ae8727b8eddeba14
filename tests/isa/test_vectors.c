/* test_vectors.c -- an outside assembler's bytes of every row against encode, decode, print, parse.
 * Needs tests/isa/vectors (argument); make_vectors.sh remakes them. Prints a line a test.
 * Every cell of the table and every kind of operand must be touched. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

enum kind {
	KIND_LITERAL, KIND_INLINE_INT, KIND_INLINE_FLOAT, KIND_VCC, KIND_EXEC, KIND_M0, KIND_NULL,
	    KIND_TTMP, KIND_NEG,
	KIND_ABS, KIND_CLAMP, KIND_OMOD, KIND_OFF, KIND_OFFSET_NEG, KIND_OFFSET_POS, KIND_SDWA,
	    KIND_DPP, KIND_POLICY, KIND_ACC, KIND_ACC_DATA, NKINDS
};
static const char *const kind_name[NKINDS] = {
	"literal", "inline integer", "inline float", "vcc", "exec", "m0", "null", "ttmp", "neg",
	    "abs", "clamp", "omod",
	"off", "negative offset", "positive offset", "sdwa", "dpp", "cache policy", "accumulation register", "accumulation registers in memory"
};

typedef struct seen {
	bool row[ISA_NOPS];
	bool half[2][ISA_NOPS];
	unsigned kind[NKINDS];
	unsigned lines;
} seen;

static void
note_opnd(seen *s, isa_type type, const p2a_opnd *o)
{
	int code = o->kind == P2A_K_IMM && type != ISA_T_NONE ? isa_inline_code(type, o->imm) : 0;

	s->kind[KIND_LITERAL] += code < 0;
	s->kind[KIND_INLINE_INT] += code >= 128 && code < 240;
	s->kind[KIND_INLINE_FLOAT] += code >= 240;
	s->kind[KIND_NEG] += !!(o->mods & P2A_NEG);
	s->kind[KIND_ABS] += !!(o->mods & P2A_ABS);
	s->kind[KIND_OFF] += o->kind == P2A_K_OFF;
	if (o->kind != P2A_K_SREG)
		return;
	s->kind[KIND_VCC] += o->reg <= P2A_VCC_HI;
	s->kind[KIND_EXEC] += o->reg >= P2A_EXEC && o->reg <= P2A_EXEC_HI;
	s->kind[KIND_M0] += o->reg == P2A_M0;
	s->kind[KIND_NULL] += o->reg == P2A_NULL;
	s->kind[KIND_TTMP] += o->reg >= P2A_TTMP0;
}

static void
note_half(seen *s, const p2a_inst *pair, unsigned side)
{
	p2a_inst half;

	isa_half(pair, side, &half);
	s->half[side][half.op] = true;
}

static void
note(seen *s, const p2a_inst *i)
{
	if (i->enc == P2A_ENC_DUAL) {
		note_half(s, i, 0);
		note_half(s, i, 1);
		return;
	}
	s->lines++;
	s->row[i->op] = true;
	for (int a = 0; a < i->nargs; a++)
		note_opnd(s, isa_table[i->op].arg[a].type, &i->arg[a]);
	s->kind[KIND_CLAMP] += i->clamp;
	s->kind[KIND_OMOD] += !!i->omod;
	s->kind[KIND_OFFSET_NEG] += i->offset < 0;
	s->kind[KIND_OFFSET_POS] += i->offset > 0;
	s->kind[KIND_SDWA] += i->enc == P2A_ENC_SDWA;
	s->kind[KIND_DPP] += i->enc == P2A_ENC_DPP;
	s->kind[KIND_POLICY] += !!i->cpol;
	for (int a = 0; a < i->nargs; a++)
		if (i->arg[a].kind == P2A_K_AGPR)
			s->kind[isa_table[i->op].eff & (ISA_LOAD | ISA_STORE) ? KIND_ACC_DATA : KIND_ACC]++;
}

/* NULL, or what is wrong with this line. */
static const char *
check_line(const p2a_target *t, const char *text, const char *hex, seen *s)
{
	uint32_t want[P2A_MAX_DWORDS], got[P2A_MAX_DWORDS];
	int n = gen_unhex(hex, want);
	p2a_inst i, j, k;
	char out[256];

	if (n < 0)
		return "malformed vector";
	if (p2a_parse(t, text, &i, NULL))
		return "does not parse";
	if (p2a_encode(t, &i, got) != n || memcmp(got, want, (size_t)n * sizeof *got))
		return "text encodes differently";
	if (p2a_decode(t, want, (size_t)n, &j) != n)
		return "bytes do not decode";
	if (p2a_encode(t, &j, got) != n || memcmp(got, want, (size_t)n * sizeof *got))
		return "decoded bytes encode differently";
	if (p2a_print(t, &j, out, sizeof out) >= (int)sizeof out)
		return "printed text is too long";
	if (p2a_parse(t, out, &k, NULL) || p2a_encode(t, &k, got) != n ||
	    memcmp(got, want, (size_t)n * sizeof *got))
		return "printed text encodes differently";
	if (n > 1 && p2a_decode(t, want, (size_t)n - 1, &k) == n)
		return "decodes beyond the end";
	note(s, &j);
	return NULL;
}

static int
check_file(const p2a_target *t, FILE *f, seen *s)
{
	char line[512];
	int bad = 0;

	while (fgets(line, sizeof line, f)) {
		char *tab = strchr(line, '\t');
		const char *err;

		if (*line == '#' || !tab)
			continue;
		*tab = 0;
		err = check_line(t, line, tab + 1, s);
		if (err && bad++ < 5)
			printf("# %s: %s: %s", p2a_target_name(t), err, line),
			    printf(" %s", tab + 1);
	}
	return bad;
}

static int
check_rows(const p2a_target *t, const seen *s)
{
	int missing = 0;

	for (unsigned op = 0; op < ISA_NOPS; op++)
		if (isa_has(t, op) && !s->row[op] && missing++ < 5)
			printf("# %s: no vector for %s\n", p2a_target_name(t), isa_table[op].name);
	for (unsigned op = 0; op < ISA_NOPS; op++)
		for (unsigned side = 0; side < 2; side++)
			if (isa_can_dual(t, op, side) && !s->half[side][op] && missing++ < 5)
				printf("# %s: no pair with %s on side %u\n", p2a_target_name(t),
				    isa_table[op].name, side);
	return missing;
}

static int
check_kinds(const p2a_target *t, const seen *s)
{
	int missing = 0;

	for (int k = 0; k < NKINDS; k++) {
		if (s->kind[k] || (k == KIND_NULL && t->family == ISA_GFX9) ||
		    (k == KIND_SDWA && !t->sdwa) || (k == KIND_ACC_DATA && !t->accum_offset) ||
		    (k == KIND_ACC && !(t->features & ISA_FT_BIT(ISA_FT_ACC))))
			continue;
		missing++;
		printf("# %s: no vector with %s\n", p2a_target_name(t), kind_name[k]);
	}
	return missing;
}

static int
report(const char *what, const char *chip, int bad)
{
	if (bad)
		printf("not ok isa-vectors-%s-%s: %d\n", what, chip, bad);
	else
		printf("ok isa-vectors-%s-%s\n", what, chip);
	return bad != 0;
}

static int
check_chip(const char *dir, const p2a_target *t)
{
	static seen s;
	const char *name = p2a_target_name(t);
	char path[512];
	FILE *f;
	int bad;

	memset(&s, 0, sizeof s);
	snprintf(path, sizeof path, "%s/%s.txt", dir, name);
	f = fopen(path, "r");
	if (!f)
		return report("file", name, 1);
	bad = check_file(t, f, &s);
	fclose(f);
	return report("bytes", name, bad) + report("rows", name, check_rows(t, &s)) +
	       report("kinds", name, check_kinds(t, &s));
}

int
main(int argc, char **argv)
{
	int bad = 0;

	for (size_t k = 0; p2a_target_at(k); k++)
		bad += check_chip(argc > 1 ? argv[1] : "tests/isa/vectors", p2a_target_at(k));
	return bad != 0;
}
