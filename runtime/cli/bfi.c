/* bfi.c -- `p2a bfi`: the sequence that a bfi, bfe, bmsk or szext becomes, its cost, and what is proved of it.
 * Asks p2a_bfi.h with fixed registers: a in v[0:1], b in v[2:3], pos in v4, len in v5 (uniform ones in SGPRs of
 * those numbers), result in v[6:7] or in b's. Contract: docs/cli.md; rows: lower/bfi.def; PTX ISA 9.7.1.19 (bfe),
 * 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk). */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "lower/bfi.h"
#include "p2a_bfi.h"

typedef struct options {
	int op, type, semantics, a, b, b_dies, json;
	const char *pos, *len, *target;
} options;

enum { NOT_GIVEN = -1, LANE = 0, UNIFORM = 1 };

/* The words of --op and --type, in their order there. */
enum { BFI, BFE, BMSK, SZEXT };
enum { B32, B64, U32, S32, U64, S64 };
static const char *const op_names[] = { "bfi", "bfe", "bmsk", "szext" }, *const type_names[] = { "b32", "b64", "u32", "s32", "u64", "s64" };

/* In the order of p2a_bfi_op. */
static const struct form { uint8_t op, type; uint16_t gop; } forms[] = {
	[P2A_BFI_B32] = { BFI, B32, G_ptx_bfi32 }, [P2A_BFI_B64] = { BFI, B64, G_ptx_bfi64 },
	[P2A_BFE_U32] = { BFE, U32, G_ptx_bfe_u32 }, [P2A_BFE_S32] = { BFE, S32, G_ptx_bfe_s32 },
	[P2A_BFE_U64] = { BFE, U64, G_ptx_bfe_u64 }, [P2A_BFE_S64] = { BFE, S64, G_ptx_bfe_s64 },
	[P2A_BMSK_B32] = { BMSK, B32, G_ptx_bmsk },
	[P2A_SZEXT_U32] = { SZEXT, U32, G_ptx_szext_u32 }, [P2A_SZEXT_S32] = { SZEXT, S32, G_ptx_szext_s32 } };

#define AT(field) offsetof(options, field)
static const cli_option table[] = {
	{ "--type", CLI_WORD, AT(type), "b32|b64|u32|s32|u64|s64",
	  "b32 or b64 of bfi, b32 of bmsk, u32 or s32 of szext, all but b32 and b64 of bfe; required", 0 },
	{ "--pos", CLI_TEXT, AT(pos), "P", "a number, LO..HI (lanes differ), v, sLO..HI (uniform), s; required, but szext has none", 0 },
	{ "--len", CLI_TEXT, AT(len), "L", "the same; required", 0 },
	{ "--target", CLI_TEXT, AT(target), "ID", "the chip; required", 0 },
	{ "--semantics", CLI_WORD, AT(semantics), "documented|nvidia", "default documented", 0 },
	{ "--a", CLI_WORD, AT(a), "v|s", "lanes of a differ or are uniform, default v", 0 },
	{ "--b", CLI_WORD, AT(b), "v|s", "the same of b", 0 },
	{ "--op", CLI_WORD, AT(op), "bfi|bfe|bmsk|szext", "default bfi; bfe has no b, bmsk no a and b, szext no b and pos", 0 },
	{ "--b-dies", CLI_FLAG, AT(b_dies), NULL, "b is not used afterwards", 1 },
	{ "--json", CLI_FLAG, AT(json), NULL, "as JSON", 1 },
	{ 0 }
};

/* What is known of pos or len. */
typedef struct field {
	bool uniform, given;     /* given: bounds were */
	uint32_t lo, hi;
} field;

/* ---- The question ---------------------------------------------------------------------------- */

static bool
read_bound(cli *c, const char *text, size_t n, uint32_t *out)
{
	uint64_t v = 0;
	bool good = cli_number(arena_str(&c->A, text, n), UINT32_MAX, &v);

	*out = (uint32_t)v;
	return good;
}

static bool
read_field(cli *c, const char *text, field *f)
{
	const char *dots = strstr(text, "..");

	*f = (field){ .uniform = *text == 's', .lo = 0, .hi = UINT32_MAX };
	if (!strcmp(text, "v") || !strcmp(text, "s"))
		return true;
	f->given = true;
	text += f->uniform;
	if (dots)
		return read_bound(c, text, (size_t)(dots - text), &f->lo) &&
		       read_bound(c, dots + 2, strlen(dots + 2), &f->hi) && f->lo <= f->hi;
	if (f->uniform || !read_bound(c, text, strlen(text), &f->lo))
		return false;
	f->hi = f->lo;
	f->uniform = true;
	return true;
}

enum { REG_A = 0, REG_B = 2, REG_POS = 4, REG_LEN = 5, REG_RESULT = 6 };

static p2a_bfi_operand
operand(bool uniform, unsigned reg, bool dies)
{
	return (p2a_bfi_operand){ .kind = uniform ? P2A_K_SGPR : P2A_K_VGPR, .dies = dies, .lo = (uint16_t)reg,
		.hi = (uint16_t)(reg + 1) };
}

static p2a_bfi_operand
field_operand(const field *f, unsigned reg)
{
	p2a_bfi_operand o = operand(f->uniform, reg, false);

	if (!f->given)
		return o;
	if (f->lo == f->hi)
		return (p2a_bfi_operand)P2A_BFI_IMM(f->lo);
	o.min = f->lo;
	o.max = f->hi;
	return o;
}

/* Does the operation have that operand (BFI_LANES_*)? */
static bool
has(p2a_bfi_op op, unsigned operand)
{
	return bfi_operands(forms[op].gop) & operand;
}

static p2a_bfi_query
question(const options *o, p2a_bfi_op op, const field *pos, const field *len)
{
	bool scalar = (!has(op, BFI_LANES_A) || o->a == UNIFORM) && (!has(op, BFI_LANES_B) || o->b == UNIFORM) &&
		(!has(op, BFI_LANES_POS) || pos->uniform) && len->uniform;
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(o->target),
		.op = op, .semantics = (p2a_semantics)o->semantics,
		.flags = P2A_BFI_RENAME, .a = operand(o->a == UNIFORM, REG_A, false),
		.b = operand(o->b == UNIFORM, REG_B, o->b_dies), .pos = field_operand(pos, REG_POS),
		.len = field_operand(len, REG_LEN) };

	q.dst = operand(scalar, o->b_dies && (o->b == UNIFORM) == scalar ? REG_B : REG_RESULT, false);
	return q;
}

static const p2a_bfi_scratch scratch = {
	.vgpr_pair = { 8, 10, 12, 16, 18, 20, 32, 34 }, .vgpr = { 24, 25, 26, 27, 28, 29, 30, 40 },
	.sgpr_pair = { 8, 10, 12, 14, 16, 18, 20, 22 }, .sgpr = { 24, 25, 26, 27, 28, 29, 30, 31 } };

/* ---- The answer ------------------------------------------------------------------------------ */

/* What is proved of each row: lower/bfi_proof.def. */
static const struct proof { uint16_t gop; const char *row; bool exhaustive, smt; int least; } proofs[] = {
#define PROOF(op, row, exhaustive, smt, least) { G_ptx_##op, #row, exhaustive, smt, least },
#include "lower/bfi_proof.def"
};

typedef struct answer {
	p2a_bfi_plan plan;
	const char *text;        /* an instruction a line */
	field pos, len;          /* as asked for */
	struct proof proof;
} answer;

static int
ask(cli *c, const options *o, const p2a_bfi_query *q, answer *a)
{
	enum { CAP = 8192 };
	char *text = arena_alloc(&c->A, CAP);
	int err = p2a_bfi_make(q, &a->plan);

	if (!err)
		err = MIN(p2a_bfi_text(&a->plan, &scratch, text, CAP), 0);
	if (err) {
		fprintf(stderr, "p2a: bfi for %s: %s\n", o->target, p2a_isa_error_name(err));
		return CLI_REFUSED;
	}
	a->text = text;
	for (size_t k = 0; k < COUNT(proofs); k++)
		if (proofs[k].gop == forms[q->op].gop && !strcmp(proofs[k].row, a->plan.name))
			a->proof = proofs[k];
	return CLI_DONE;
}

/* Searches are for constants, for all below the width, and for all that count. Who knows more may be served by less. */
static bool
is_searched(const field *f, unsigned width)
{
	return f->lo == f->hi || (!f->lo && (f->hi == width - 1 || f->hi >= 255));
}

/* Is nothing cheaper for all that is asked for? Searched are vector instructions; nothing is shorter than none. */
static const char *
minimal(const answer *a)
{
	const p2a_bfi_plan *p = &a->plan;
	unsigned width = bfi_width(a->proof.gop);

	if (!p->n)
		return "proved";
	if (!is_searched(&a->pos, width) || !is_searched(&a->len, width))
		return "unknown";
	return p->salu == p->consts && (int)(p->valu + p->valu64) <= a->proof.least ? "proved" : "unknown";
}

/* The next line of the text, NULL after the last. */
static const char *
next_line(cli *c, const char **at)
{
	size_t n = strcspn(*at, "\n");
	const char *line = n ? arena_str(&c->A, *at, n) : NULL;

	*at += n + (n != 0);
	return line;
}

static void
print_name(p2a_opnd o)
{
	if (o.kind == P2A_K_IMM)
		printf("%lld", (long long)o.imm);
	else
		printf("%c%u", o.kind == P2A_K_VGPR ? 'v' : 's', (unsigned)o.reg);
}

static unsigned
dwords(p2a_bfi_op op)
{
	return bfi_width(forms[op].gop) / 32;
}

static void
print_json(cli *c, const options *o, p2a_bfi_op op, const answer *a)
{
	const p2a_bfi_plan *p = &a->plan;
	const char *at = a->text, *line, *comma = "";

	printf("{\"target\":\"%s\",\"type\":\"%s\",\"semantics\":\"%s\",\"row\":\"%s\",\"valu\":%u,\"salu\":%u,"
	       "\"valu64\":%u,\"bytes\":%u,\"asm\":[", o->target, type_names[o->type],
	       o->semantics == P2A_SEM_NVIDIA ? "nvidia" : "documented", p->name, p->valu, p->salu, p->valu64, p->bytes);
	while ((line = next_line(c, &at)) != NULL) {
		fputs(comma, stdout);
		cli_json_string(stdout, line);
		comma = ",";
	}
	printf("],\"proof\":{\"exhaustive\":%s,\"smt\":%s,\"minimal\":\"%s\"},\"result\":[",
	       a->proof.exhaustive ? "true" : "false", a->proof.smt ? "true" : "false", minimal(a));
	for (unsigned h = 0; h < dwords(op); h++) {
		fputs(h ? ",\"" : "\"", stdout);
		print_name(p->result[h]);
		putchar('"');
	}
	putchar(']');
	if (o->op > BFE)         /* of bfi and bfe the type says which */
		printf(",\"op\":\"%s\"", op_names[o->op]);
	puts("}");
}

static void
print_text(cli *c, p2a_bfi_op op, const answer *a)
{
	const p2a_bfi_plan *p = &a->plan;
	const char *at = a->text, *line;

	while ((line = next_line(c, &at)) != NULL)
		printf("\t%s\n", line);
	fputs(dwords(op) == 2 ? "result: low " : "result: ", stdout);
	print_name(p->result[0]);
	if (dwords(op) == 2) {
		fputs(", high ", stdout);
		print_name(p->result[1]);
	}
	printf("\nrow %s: %u VALU", p->name, p->valu);
	if (p->valu64)
		printf(" (%u of them 64-bit shifts)", p->valu64);
	printf(", %u SALU, %u bytes\nproof: exhaustive %s, SMT %s, minimal %s\n", p->salu, p->bytes,
	       a->proof.exhaustive ? "yes" : "no", a->proof.smt ? "yes" : "no", minimal(a));
}

/* ---- The command ----------------------------------------------------------------------------- */

/* The form that --op and --type name; one past the last: none. */
static unsigned
find_form(const options *o)
{
	unsigned k = 0;

	while (k < COUNT(forms) && (forms[k].op != o->op || forms[k].type != o->type))
		k++;
	return k;
}

/* An operand that the operation has not and of which something is said, or NULL. */
static const char *
needless(const options *o, p2a_bfi_op op)
{
	return !has(op, BFI_LANES_A) && o->a == UNIFORM ? "a"
	     : !has(op, BFI_LANES_B) && (o->b == UNIFORM || o->b_dies) ? "b"
	     : !has(op, BFI_LANES_POS) && o->pos ? "pos" : NULL;
}

static int
check(cli *c, const options *o, field *pos, field *len)
{
	static const char form[] = "a number, LO..HI (LO not above HI), v, s or sLO..HI, with numbers from 0 to 4294967295";
	unsigned op = find_form(o);

	if (o->type == NOT_GIVEN || (!o->pos && o->op != SZEXT) || !o->len || !o->target)
		return cli_misuse(c, &cli_bfi, "--type, --pos (but for szext), --len and --target are required");
	if (op == COUNT(forms))
		return cli_misuse(c, &cli_bfi, "--type=%s is not of %s%s", type_names[o->type], op_names[o->op],
			o->op == BFI ? ": add --op=bfe, or --op=szext" : "");
	if (needless(o, (p2a_bfi_op)op))
		return cli_misuse(c, &cli_bfi, "%s has no %s", op_names[o->op], needless(o, (p2a_bfi_op)op));
	if (cli_check_target(c, &cli_bfi, o->target))
		return CLI_USAGE;
	if (!o->pos)
		*pos = (field){ .uniform = true, .given = true };
	else if (!read_field(c, o->pos, pos))
		return cli_misuse(c, &cli_bfi, "--pos takes %s, not '%s'", form, o->pos);
	if (!read_field(c, o->len, len))
		return cli_misuse(c, &cli_bfi, "--len takes %s, not '%s'", form, o->len);
	return -1;
}

static int
run(cli *c, int argc, char **argv)
{
	options o = { .type = NOT_GIVEN };
	cli_list rest = { 0 };
	answer a = { .text = NULL };
	field pos, len;
	p2a_bfi_query q;
	int status = cli_parse(c, &cli_bfi, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (rest.n)
		return cli_misuse(c, &cli_bfi, "'%s' is not expected here", rest.a[0]);
	status = check(c, &o, &pos, &len);
	if (status >= 0)
		return status;
	a.pos = pos;
	a.len = len;
	q = question(&o, (p2a_bfi_op)find_form(&o), &pos, &len);
	status = ask(c, &o, &q, &a);
	if (status)
		return status;
	if (o.json)
		print_json(c, &o, q.op, &a);
	else
		print_text(c, q.op, &a);
	return CLI_DONE;
}

const cli_command cli_bfi = {
	.name = "bfi",
	.usage = "--type=TYPE --pos=P --len=L --target=ID [OPTION]...",
	.summary = "show what a PTX bfi, bfe, bmsk or szext becomes, and what it costs",
	.text = "Prints the machine instructions of one bfi (with --op: bfe, bmsk.clamp or szext.clamp) by what is known of its operands,\n"
		"how many vector and scalar ones they are, and what is proved of the sequence. P and L are\n"
		"  8          known; 8 bits of it count, as of a register's (a number above 255 in PTX text is refused), all of bmsk and szext\n"
		"  0..31      different in each lane, within these bounds (both included)\n"
		"  v          different in each lane, nothing known\n"
		"  s0..31, s  the same in all lanes\n"
		"a stands in v[0:1], b in v[2:3], pos in v4, len in v5, uniform ones in s[0:1] and so on; the result goes to\n"
		"v[6:7], with --b-dies to b's registers; a half of it that stands somewhere already stays there.",
	.example = "  p2a bfi --type=b32 --pos=8 --len=8 --target=gfx1100\n"
		"  p2a bfi --type=b64 --pos=0..63 --len=s --target=gfx90a --b-dies --json\n"
		"  p2a bfi --op=bfe --type=s64 --pos=v --len=8 --target=gfx1030\n"
		"  p2a bfi --op=szext --type=s32 --len=v --target=gfx1030",
	.options = table,
	.run = run,
};
