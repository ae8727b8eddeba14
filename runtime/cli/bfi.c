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
	int op, type, semantics, b_dies, json;
	const char *operand[4];  /* a, b, pos, len; NULL: not given */
	const char *target;
} options;

enum { NOT_GIVEN = -1 };

/* In the order of BFI_LANES_*. */
enum { A, B, POS, LEN, OPERANDS };
static const char *const operand_names[] = { "a", "b", "pos", "len" };

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
	{ "--pos", CLI_TEXT, AT(operand[POS]), "P", "what is known of pos, see above; required, but szext has none", 0 },
	{ "--len", CLI_TEXT, AT(operand[LEN]), "L", "the same of len; required", 0 },
	{ "--target", CLI_TEXT, AT(target), "ID", "the chip; required", 0 },
	{ "--semantics", CLI_WORD, AT(semantics), "documented|nvidia", "default documented", 0 },
	{ "--a", CLI_TEXT, AT(operand[A]), "A", "the same of a, default v", 0 },
	{ "--b", CLI_TEXT, AT(operand[B]), "B", "the same of b, default v", 0 },
	{ "--op", CLI_WORD, AT(op), "bfi|bfe|bmsk|szext", "default bfi; bfe has no b, bmsk no a and b, szext no b and pos", 0 },
	{ "--b-dies", CLI_FLAG, AT(b_dies), NULL, "b is not used afterwards", 1 },
	{ "--json", CLI_FLAG, AT(json), NULL, "as JSON", 1 },
	{ 0 }
};

/* What is known of an operand. */
typedef struct known {
	bool uniform, given;     /* given: bounds were */
	uint64_t lo, hi, zero, one;
} known;

/* ---- The question ---------------------------------------------------------------------------- */

static bool
read_number(cli *c, const char *text, size_t n, uint64_t most, uint64_t *out)
{
	return cli_number(arena_str(&c->A, text, n), most, out);
}

/* v, s, N, LO..HI or sLO..HI, n bytes of text. */
static bool
read_value(cli *c, const char *text, size_t n, uint64_t most, known *k)
{
	const char *end = text + n, *dots = strstr(text, "..");

	k->uniform = *text == 's';
	if (n == 1 && (*text == 'v' || *text == 's'))
		return true;
	k->given = true;
	text += k->uniform;
	if (dots && dots < end)
		return read_number(c, text, (size_t)(dots - text), most, &k->lo) &&
		       read_number(c, dots + 2, (size_t)(end - dots - 2), most, &k->hi) && k->lo <= k->hi;
	if (k->uniform || !read_number(c, text, (size_t)(end - text), most, &k->lo))
		return false;
	k->hi = k->lo;
	k->uniform = true;
	return true;
}

/* zero:MASK or one:MASK, n bytes of text. */
static bool
read_bits(cli *c, const char *text, size_t n, uint64_t most, known *k)
{
	bool zero = *text == 'z';
	const char *word = zero ? "zero:" : "one:";
	size_t len = strlen(word);

	return n > len && !strncmp(text, word, len) && read_number(c, text + len, n - len, most, zero ? &k->zero : &k->one);
}

/* Parts with commas between them, of which the first may be a value. */
static bool
read_known(cli *c, const char *text, uint64_t most, known *k)
{
	*k = (known){ .hi = most };
	for (bool first = true;; first = false) {
		size_t n = strcspn(text, ",");

		if (!read_bits(c, text, n, most, k) && !(first && read_value(c, text, n, most, k)))
			return false;
		if (!text[n])
			return true;
		text += n + 1;
	}
}

enum { REG_B = 2, REG_RESULT = 6 };
static const uint8_t registers[] = { [A] = 0, [B] = REG_B, [POS] = 4, [LEN] = 5 };

static p2a_bfi_operand
in_register(bool uniform, unsigned reg)
{
	return (p2a_bfi_operand){ .kind = uniform ? P2A_K_SGPR : P2A_K_VGPR, .lo = (uint16_t)reg, .hi = (uint16_t)(reg + 1) };
}

static bool
is_constant(const known *k)
{
	return k->lo == k->hi;
}

static p2a_bfi_operand
operand(const known *k, unsigned reg)
{
	p2a_bfi_operand o = in_register(k->uniform, reg);

	if (is_constant(k))
		o = (p2a_bfi_operand)P2A_BFI_IMM(k->lo);
	else if (k->given) {
		o.min = k->lo;
		o.max = k->hi;
	}
	o.zero = k->zero;
	o.one = k->one;
	return o;
}

/* Does the operation have that operand? */
static bool
has(p2a_bfi_op op, unsigned operand)
{
	return bfi_operands(forms[op].gop) >> operand & 1;
}

static p2a_bfi_query
question(const options *o, p2a_bfi_op op, const known k[OPERANDS])
{
	bool scalar = true;
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(o->target),
		.op = op, .semantics = (p2a_semantics)o->semantics,
		.flags = P2A_BFI_RENAME, .a = operand(&k[A], registers[A]), .b = operand(&k[B], REG_B),
		.pos = operand(&k[POS], registers[POS]), .len = operand(&k[LEN], registers[LEN]) };

	for (unsigned i = 0; i < OPERANDS; i++)
		scalar = scalar && (!has(op, i) || k[i].uniform);
	q.b.dies = o->b_dies;
	q.dst = in_register(scalar, o->b_dies && k[B].uniform == scalar ? REG_B : REG_RESULT);
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
	known known[OPERANDS];   /* as asked for */
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
	if (err == P2A_ISA_ARGS)
		return cli_misuse(c, &cli_bfi, "what is said of an operand contradicts itself");
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
is_searched(const known *k, unsigned width)
{
	return !k->zero && !k->one && (is_constant(k) || (!k->lo && (k->hi == width - 1 || k->hi >= 255)));
}

/* Nothing but whether lanes differ. */
static bool
is_unknown(const known *k)
{
	return !k->given && !k->zero && !k->one;
}

/* Is nothing cheaper for all that is asked for? Searched are vector instructions; nothing is shorter than none. */
static const char *
minimal(const answer *a)
{
	const p2a_bfi_plan *p = &a->plan;
	const known *k = a->known;
	unsigned width = bfi_width(a->proof.gop);

	if (!p->n)
		return "proved";
	if (!is_searched(&k[POS], width) || !is_searched(&k[LEN], width) || !is_unknown(&k[A]) || !is_unknown(&k[B]))
		return "unknown";
	return p->salu == p->consts && (int)(p->valu + p->valu64) <= a->proof.least ? "proved" : "unknown";
}

/* In vector instructions, as translator/lower/bfi_cost.c has it. */
static void
print_cost(const p2a_bfi_plan *p)
{
	unsigned halves = 2 * (p->valu + p->valu64) + p->salu;

	printf("%u%s", halves / 2, halves & 1 ? ".5" : "");
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
	fputs("],\"cost\":", stdout);
	print_cost(p);
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
	printf(", %u SALU, %u bytes\ncost: ", p->salu, p->bytes);
	print_cost(p);
	printf(" (VALU 1, 64-bit shift 2, SALU 0.5)\nproof: exhaustive %s, SMT %s, minimal %s\n",
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
	for (unsigned k = 0; k < OPERANDS; k++)
		if (!has(op, k) && ((o->operand[k] && (k >= POS || strcmp(o->operand[k], "v"))) || (k == B && o->b_dies)))
			return operand_names[k];
	return NULL;
}

/* All operands; -1, or a status after a message. One that is not given is unknown, or none that the operation has. */
static int
read_operands(cli *c, const options *o, p2a_bfi_op op, known k[OPERANDS])
{
	for (unsigned i = 0; i < OPERANDS; i++) {
		uint64_t most = i < POS && bfi_width(forms[op].gop) == 64 ? UINT64_MAX : UINT32_MAX;

		k[i] = (known){ .uniform = i >= POS, .given = i >= POS, .hi = i >= POS ? 0 : most };
		if (o->operand[i] && !read_known(c, o->operand[i], most, &k[i]))
			return cli_misuse(c, &cli_bfi, "--%s takes a number, LO..HI (LO not above HI), v, s or sLO..HI, and behind it or alone "
				"zero:MASK and one:MASK, with commas between them and numbers from 0 to %llu, not '%s'",
				operand_names[i], (unsigned long long)most, o->operand[i]);
	}
	if (o->b_dies && is_constant(&k[B]))
		return cli_misuse(c, &cli_bfi, "--b-dies is about b's registers, and --b=%s is a constant", o->operand[B]);
	return -1;
}

static int
check(cli *c, const options *o, known k[OPERANDS])
{
	unsigned op = find_form(o);

	if (o->type == NOT_GIVEN || (!o->operand[POS] && o->op != SZEXT) || !o->operand[LEN] || !o->target)
		return cli_misuse(c, &cli_bfi, "--type, --pos (but for szext), --len and --target are required");
	if (op == COUNT(forms))
		return cli_misuse(c, &cli_bfi, "--type=%s is not of %s%s", type_names[o->type], op_names[o->op],
			o->op == BFI ? ": add --op=bfe, or --op=szext" : "");
	if (needless(o, (p2a_bfi_op)op))
		return cli_misuse(c, &cli_bfi, "%s has no %s", op_names[o->op], needless(o, (p2a_bfi_op)op));
	if (cli_check_target(c, &cli_bfi, o->target))
		return CLI_USAGE;
	return read_operands(c, o, (p2a_bfi_op)op, k);
}

static int
run(cli *c, int argc, char **argv)
{
	options o = { .type = NOT_GIVEN };
	cli_list rest = { 0 };
	answer a = { .text = NULL };
	p2a_bfi_query q;
	int status = cli_parse(c, &cli_bfi, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (rest.n)
		return cli_misuse(c, &cli_bfi, "'%s' is not expected here", rest.a[0]);
	status = check(c, &o, a.known);
	if (status >= 0)
		return status;
	q = question(&o, (p2a_bfi_op)find_form(&o), a.known);
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
		"how many vector and scalar ones they are, what they cost, and what is proved of the sequence. P, L, A and B are\n"
		"  8          known; of pos and len 8 bits count, as of a register's (a number above 255 in PTX text is refused), all of bmsk and szext\n"
		"  0..31      different in each lane, within these bounds (both included)\n"
		"  v          different in each lane, nothing known\n"
		"  s0..31, s  the same in all lanes\n"
		"  zero:0xf0  alone, or behind one of these and a comma: bits that are 0; one:0xf bits that are 1\n"
		"a stands in v[0:1], b in v[2:3], pos in v4, len in v5, uniform ones in s[0:1] and so on; the result goes to\n"
		"v[6:7], with --b-dies to b's registers; a half of it that stands somewhere already stays there.",
	.example = "  p2a bfi --type=b32 --pos=8 --len=8 --target=gfx1100\n"
		"  p2a bfi --type=b64 --pos=0..63 --len=s --target=gfx90a --b-dies --json\n"
		"  p2a bfi --type=b32 --pos=0..31 --len=v --a=1 --b=s,zero:0xff00 --target=gfx1201\n"
		"  p2a bfi --op=bfe --type=s64 --pos=v --len=8 --target=gfx1030\n"
		"  p2a bfi --op=szext --type=s32 --len=v --target=gfx1030",
	.options = table,
	.run = run,
};
