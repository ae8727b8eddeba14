/* bfi.c -- `p2a bfi`: the sequence that a bfi becomes, its cost, and what is proved of it.
 * Translates a kernel with one bfi in it and reads back what stands under the bfi's line, so the answer is
 * what a program gets. Contract: docs/cli.md; rows: lower/bfi.def; PTX ISA 9.7.1.20. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "isa/isa.h"
#include "lower/bfi.h"

typedef struct options {
	int type, semantics, a, b, b_dies, json;
	const char *pos, *len, *target;
} options;

enum { B32, B64, LANE = 0, UNIFORM = 1, NOT_GIVEN = -1 };

#define AT(field) offsetof(options, field)
static const cli_option table[] = {
	{ "--type", CLI_WORD, AT(type), "b32|b64", "required", 0 },
	{ "--pos", CLI_TEXT, AT(pos), "P", "a number, LO..HI (lanes differ), v, sLO..HI (uniform), s; required", 0 },
	{ "--len", CLI_TEXT, AT(len), "L", "the same; required", 0 },
	{ "--target", CLI_TEXT, AT(target), "ID", "the chip; required", 0 },
	{ "--semantics", CLI_WORD, AT(semantics), "documented|nvidia", "default documented", 0 },
	{ "--a", CLI_WORD, AT(a), "v|s", "lanes of a differ or are uniform, default v", 0 },
	{ "--b", CLI_WORD, AT(b), "v|s", "the same of b", 0 },
	{ "--b-dies", CLI_FLAG, AT(b_dies), NULL, "b is not used afterwards", 1 },
	{ "--json", CLI_FLAG, AT(json), NULL, "as JSON", 1 },
	{ 0 }
};

/* What is known of pos or len. */
typedef struct field {
	bool uniform, given;     /* given: bounds were */
	uint32_t lo, hi;
} field;

typedef struct answer {
	const char *row;
	VEC(const char *) lines;
	unsigned valu, salu, valu64, bytes;
} answer;

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

static ir_fact
fact_of(const field *f)
{
	ir_fact x = ir_fact_none(1);

	if (f->given) {
		x.lo = f->lo;
		x.hi = f->hi;
	}
	return ir_fact_tidy(x);
}

static const char *
row_name(const options *o, const field *pos, const field *len)
{
	unsigned dwords = o->type == B64 ? 2 : 1;
	bfi_query q = {
		.gop = o->type == B64 ? G_ptx_bfi64 : G_ptx_bfi32, .sem = (p2a_semantics)o->semantics,
		.a = ir_fact_none(dwords), .b = ir_fact_none(dwords), .pos = fact_of(pos), .len = fact_of(len),
		.vector = o->a == LANE || o->b == LANE, .uniform_field = pos->uniform && len->uniform,
	};

	return bfi_choose(&q)->name;
}

/* ---- The kernel ------------------------------------------------------------------------------ */

enum { BFI_LINE = 1000 };

/* A register named `name` that is uniform (a parameter) or differs between lanes (loaded). */
static void
put_source(buf *b, const char *name, unsigned bits, bool uniform, unsigned offset)
{
	if (uniform)
		buf_printf(b, "ld.param.b%u %%%s, [p%s];\n", bits, name, name);
	else
		buf_printf(b, "ld.global.b%u %%%s, [%%addr+%u];\n", bits, name, offset);
}

/* Bounds are made known by instructions of their own, outside the line that is looked at. */
static void
put_field(buf *b, const char *name, const field *f, unsigned offset)
{
	if (f->given && f->lo == f->hi) {
		buf_printf(b, "mov.b32 %%%s, %u;\n", name, (unsigned)f->lo);
		return;
	}
	put_source(b, name, 32, f->uniform, offset);
	if (f->given)
		buf_printf(b, "max.u32 %%%s, %%%s, %u;\nmin.u32 %%%s, %%%s, %u;\n", name, name,
			   (unsigned)f->lo, name, name, (unsigned)f->hi);
}

static const char *
kernel_text(cli *c, const options *o, const field *pos, const field *len)
{
	unsigned bits = o->type == B64 ? 64 : 32;
	buf b;

	buf_init(&b, &c->A);
	buf_printf(&b, ".version 7.0\n.target sm_70\n.address_size 64\n"
		   ".visible .entry k(.param .u64 io, .param .b%u pa, .param .b%u pb, .param .b32 ppos, "
		   ".param .b32 plen)\n{\n.reg .b32 %%tid, %%pos, %%len;\n.reg .b64 %%addr, %%off;\n"
		   ".reg .b%u %%a, %%b, %%d;\nmov.u32 %%tid, %%tid.x;\nld.param.u64 %%addr, [io];\n"
		   "mul.wide.u32 %%off, %%tid, 64;\nadd.s64 %%addr, %%addr, %%off;\n", bits, bits, bits);
	put_source(&b, "a", bits, o->a == UNIFORM, 0);
	put_source(&b, "b", bits, o->b == UNIFORM, 8);
	put_field(&b, "pos", pos, 16);
	put_field(&b, "len", len, 20);
	buf_printf(&b, ".loc 1 %d 1\nbfi.b%u %%d, %%a, %%b, %%pos, %%len;\n.loc 1 1 1\n"
		   "st.global.b%u [%%addr+24], %%d;\n", BFI_LINE, bits, bits);
	if (!o->b_dies)
		buf_printf(&b, "st.global.b%u [%%addr+32], %%b;\n", bits);
	buf_printf(&b, "ret;\n}\n.file 1 \"bfi\"\n");
	return buf_cstr(&b);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static bool
is_wide_shift(unsigned op)
{
	return op == OP_v_lshlrev_b64 || op == OP_v_lshrrev_b64 || op == OP_v_ashrrev_i64;
}

/* Waits belong to the loads around the bfi, not to it. */
static void
count(cli *c, answer *a, const p2a_target *t, const char *line)
{
	p2a_inst i;
	size_t where;

	if (p2a_parse(t, line, &i, &where))
		return;
	unsigned cls = isa_table[i.op].cls;
	if (cls == ISA_VALU || cls == ISA_TRANS)
		a->valu++;
	else if (cls == ISA_SALU)
		a->salu++;
	else
		return;
	a->valu64 += is_wide_shift(i.op);
	a->bytes += (unsigned)isa_size(t, &i);
	*vec_push(&c->A, &a->lines) = line;
}

/* Goes through assembly text; "; bfi:LINE" says where the instructions behind it come from. */
static void
read_assembly(cli *c, answer *a, const p2a_target *t, const char *text)
{
	bool here = false;

	while (*text) {
		size_t n = strcspn(text, "\n"), lead = strspn(text, "\t ");
		const char *line = arena_str(&c->A, text + (lead < n ? lead : n), n - (lead < n ? lead : n));
		if (!strncmp(line, "; ", 2)) {
			const char *colon = strrchr(line, ':');
			here = colon && strtol(colon + 1, NULL, 10) == BFI_LINE;
		} else if (here && *line != '.' && *line) {
			count(c, a, t, line);
		}
		text += n + (text[n] == '\n');
	}
}

static int
translate(cli *c, const options *o, const char *ptx, answer *a)
{
	p2a_source src = { .name = "bfi.ptx", .text = ptx, .size = strlen(ptx) };
	p2a_options opt = { .size = sizeof opt, .target = o->target, .emit = P2A_EMIT_ASM,
			    .semantics = (p2a_semantics)o->semantics };
	p2a_result *r = p2a_translate(&src, 1, &opt);
	int status = cli_translated(c, r, &src, 1);

	if (status == CLI_DONE)
		read_assembly(c, a, p2a_target_find(o->target), arena_str(&c->A, r->data, r->size));
	p2a_result_free(r);
	return status;
}

/* Every row is run over all positions and lengths by tests/select/test_bfi.c. No row goes through an
 * SMT solver or a search for shorter ones yet; nothing is shorter than no instruction. */
static const bool proved_exhaustively = true, proved_by_smt = false;

static const char *
minimal(const answer *a)
{
	return a->lines.n ? "unknown" : "proved";
}

static void
print_json(const options *o, const answer *a)
{
	printf("{\"target\":\"%s\",\"type\":\"%s\",\"semantics\":\"%s\",\"row\":\"%s\",\"valu\":%u,\"salu\":%u,"
	       "\"valu64\":%u,\"bytes\":%u,\"asm\":[", o->target, o->type == B64 ? "b64" : "b32",
	       o->semantics == P2A_SEM_NVIDIA ? "nvidia" : "documented", a->row, a->valu, a->salu, a->valu64,
	       a->bytes);
	for (uint32_t i = 0; i < a->lines.n; i++) {
		fputs(i ? "," : "", stdout);
		cli_json_string(stdout, a->lines.a[i]);
	}
	printf("],\"proof\":{\"exhaustive\":%s,\"smt\":%s,\"minimal\":\"%s\"}}\n",
	       proved_exhaustively ? "true" : "false", proved_by_smt ? "true" : "false", minimal(a));
}

static void
print_text(const answer *a)
{
	for (uint32_t i = 0; i < a->lines.n; i++)
		printf("\t%s\n", a->lines.a[i]);
	printf("row %s: %u VALU", a->row, a->valu);
	if (a->valu64)
		printf(" (%u of them 64-bit shifts)", a->valu64);
	printf(", %u SALU, %u bytes\nproof: exhaustive %s, SMT %s, minimal %s\n", a->salu, a->bytes,
	       proved_exhaustively ? "yes" : "no", proved_by_smt ? "yes" : "no", minimal(a));
}

/* ---- The command ----------------------------------------------------------------------------- */

static int
check(cli *c, const options *o, field *pos, field *len)
{
	static const char form[] = "a number, LO..HI, v, s or sLO..HI";

	if (o->type == NOT_GIVEN || !o->pos || !o->len || !o->target)
		return cli_misuse(c, &cli_bfi, "--type, --pos, --len and --target are required");
	if (cli_check_target(c, &cli_bfi, o->target))
		return CLI_USAGE;
	if (!read_field(c, o->pos, pos))
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
	answer a = { .row = NULL };
	field pos, len;
	int status = cli_parse(c, &cli_bfi, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (rest.n)
		return cli_misuse(c, &cli_bfi, "'%s' is not expected here", rest.a[0]);
	status = check(c, &o, &pos, &len);
	if (status >= 0)
		return status;
	a.row = row_name(&o, &pos, &len);
	status = translate(c, &o, kernel_text(c, &o, &pos, &len), &a);
	if (status)
		return status;
	if (o.json)
		print_json(&o, &a);
	else
		print_text(&a);
	return CLI_DONE;
}

const cli_command cli_bfi = {
	.name = "bfi",
	.usage = "--type=b32|b64 --pos=P --len=L --target=ID [OPTION]...",
	.summary = "show what a PTX bfi becomes, and what it costs",
	.text = "Prints the machine instructions of one bfi by what is known of its operands, how many vector and\n"
		"scalar ones they are, and what is proved of the sequence. P and L are\n"
		"  8          a constant\n"
		"  0..31      different in each lane, within these bounds (both included)\n"
		"  v          different in each lane, nothing known\n"
		"  s0..31, s  the same in all lanes",
	.example = "  p2a bfi --type=b32 --pos=8 --len=8 --target=gfx1100\n"
		"  p2a bfi --type=b64 --pos=0..63 --len=s --target=gfx90a --b-dies --json",
	.options = table,
	.run = run,
};
