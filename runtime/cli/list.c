/* list.c -- `p2a targets`, `p2a ops`, `p2a ptx-forms`: what the tables say, as text or JSON.
 * Needs targets.def, ops.def and forms.def only, so the lists cannot say what the code does not do.
 * Contract: docs/cli.md. */
#include <string.h>

#include "cli.h"
#include "isa/isa.h"
#include "ptx/ptx.h"

typedef struct options {
	int json;
	const char *target;
} options;

#define AT(field) offsetof(options, field)
#define JSON_ROW { "--json", CLI_FLAG, AT(json), NULL, "as JSON", 1 }
static const cli_option plain_table[] = { JSON_ROW, { 0 } };
static const cli_option ops_table[] = {
	{ "--target", CLI_TEXT, AT(target), "ID", "only what this chip has, with its names", 0 },
	JSON_ROW, { 0 }
};

/* The options of a list, which takes no files. -1: go on. */
static int
parse(cli *c, const cli_command *cmd, int argc, char **argv, options *o)
{
	cli_list rest = { 0 };
	int status = cli_parse(c, cmd, argc, argv, o, &rest);

	if (status >= 0)
		return status;
	if (rest.n)
		return cli_misuse(c, cmd, "'%s' is not expected here", rest.a[0]);
	if (o->target && cli_check_target(c, cmd, o->target))
		return CLI_USAGE;
	return -1;
}

static const char *
separator(bool first)
{
	return first ? "" : ",\n ";
}

/* ---- Targets --------------------------------------------------------------------------------- */

static const char *const family_name[ISA_NFAMILY] = { "gfx9", "gfx10", "gfx11", "gfx12" };

static void
target_json(const p2a_target *t, bool first)
{
	printf("%s{\"name\":\"%s\",\"family\":\"%s\",\"wave\":%d,\"mach\":%d,\"vgprs\":%d,\"sgprs\":%d,"
	       "\"lds\":%u,\"xnack\":%s,\"sramecc\":%s}", separator(first), t->name,
	       family_name[t->family], t->wave, t->mach, t->vgprs, t->sgprs, (unsigned)t->lds,
	       t->has_xnack ? "true" : "false", t->has_sramecc ? "true" : "false");
}

static void
target_text(const p2a_target *t)
{
	printf("%-9s %-7s %4d %6d %6d %6u  0x%02x  %s%s%s\n", t->name, family_name[t->family], t->wave,
	       t->vgprs, t->sgprs, (unsigned)t->lds, t->mach, t->has_xnack ? "xnack" : "",
	       t->has_xnack && t->has_sramecc ? " " : "", t->has_sramecc ? "sramecc" : "");
}

static int
run_targets(cli *c, int argc, char **argv)
{
	options o = { 0 };
	int status = parse(c, &cli_targets, argc, argv, &o);
	const p2a_target *t;

	if (status >= 0)
		return status;
	if (o.json)
		printf("[");
	else
		printf("%-9s %-7s %4s %6s %6s %6s  %s  %s\n", "target", "family", "wave", "vgprs", "sgprs",
		       "lds", "mach", "features");
	for (size_t i = 0; (t = p2a_target_at(i)); i++) {
		if (o.json)
			target_json(t, i == 0);
		else
			target_text(t);
	}
	if (o.json)
		printf("]\n");
	return CLI_DONE;
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static const char *const class_name[] = {
	[ISA_SALU] = "salu", [ISA_VALU] = "valu", [ISA_TRANS] = "trans", [ISA_SMEM] = "smem",
	[ISA_VMEM] = "vmem", [ISA_FLAT] = "flat", [ISA_DS] = "lds", [ISA_BRANCH] = "branch",
	[ISA_WAIT] = "wait", [ISA_BARRIER] = "barrier", [ISA_SPECIAL] = "special", [ISA_END] = "end",
};

/* The halves of a pair (v_dual_*) that a row can be, on that chip or (NULL) on any: "", "x", "y" or "xy". */
static const char *
halves(const p2a_target *one, unsigned op)
{
	static const char *const text[] = { "", "x", "y", "xy" };
	const p2a_target *t;
	unsigned sides = 0;

	for (size_t i = 0; (t = p2a_target_at(i)); i++)
		for (unsigned side = 0; side < 2; side++)
			if ((!one || t == one) && isa_can_dual(t, op, side))
				sides |= 1u << side;
	return text[sides];
}

static void
print_halves(const p2a_target *t, unsigned op)
{
	if (*halves(t, op))
		printf(" dual-%s", halves(t, op));
}

static void
op_of_target(const p2a_target *t, unsigned op, bool json, bool first)
{
	const char *name = p2a_op_name(t, op), *cls = class_name[isa_table[op].cls];

	if (json) {
		printf("%s{\"op\":\"%s\",\"name\":\"%s\",\"class\":\"%s\",\"dual\":\"%s\"}", separator(first),
		       isa_table[op].name, name, cls, halves(t, op));
		return;
	}
	printf("%-28s %s", name, cls);
	print_halves(t, op);
	putchar('\n');
}

static void
ops_of_target(const p2a_target *t, bool json)
{
	unsigned n = 0;

	for (unsigned op = 0; op < ISA_NOPS; op++)
		if (isa_has(t, op))
			op_of_target(t, op, json, n++ == 0);
	if (!json)
		printf("%u instructions of %d\n", n, ISA_NOPS);
}

/* Every chip that has the row, with its name there. */
static void
op_json(unsigned op, bool first)
{
	const p2a_target *t;
	bool none = true;

	printf("%s{\"op\":\"%s\",\"class\":\"%s\",\"dual\":\"%s\",\"targets\":{", separator(first), isa_table[op].name,
	       class_name[isa_table[op].cls], halves(NULL, op));
	for (size_t i = 0; (t = p2a_target_at(i)); i++) {
		if (!isa_has(t, op))
			continue;
		printf("%s\"%s\":\"%s\"", none ? "" : ",", t->name, p2a_op_name(t, op));
		none = false;
	}
	printf("}}");
}

/* How many chips a family has, and how many of them have the row; the last one that does. */
static size_t
chips_with(isa_family f, unsigned op, size_t *all, const p2a_target **one)
{
	const p2a_target *t;
	size_t n = 0;

	*all = 0;
	for (size_t i = 0; (t = p2a_target_at(i)); i++) {
		if (t->family != f)
			continue;
		++*all;
		if (isa_has(t, op)) {
			*one = t;
			n++;
		}
	}
	return n;
}

static void
print_chips(isa_family f, unsigned op)
{
	const p2a_target *t;

	for (size_t i = 0; (t = p2a_target_at(i)); i++)
		if (t->family == f && isa_has(t, op))
			printf(" %s", t->name);
}

/* The families that have the row; chips where not all of a family do; a new name in parentheses. */
static void
op_text(unsigned op)
{
	const p2a_target *one = NULL;
	const char *last = isa_table[op].name;

	printf("%-28s %-8s", isa_table[op].name, class_name[isa_table[op].cls]);
	for (int f = 0; f < ISA_NFAMILY; f++) {
		size_t all, n = chips_with((isa_family)f, op, &all, &one);
		if (!n)
			continue;
		if (n == all)
			printf(" %s", family_name[f]);
		else
			print_chips((isa_family)f, op);
		const char *name = p2a_op_name(one, op);
		if (strcmp(name, last) && strcmp(name, isa_table[op].name))
			printf(" (%s)", name);
		last = name;
	}
	print_halves(NULL, op);
	putchar('\n');
}

static int
run_ops(cli *c, int argc, char **argv)
{
	options o = { 0 };
	int status = parse(c, &cli_ops, argc, argv, &o);

	if (status >= 0)
		return status;
	if (o.json)
		printf("[");
	if (o.target)
		ops_of_target(p2a_target_find(o.target), o.json);
	for (unsigned op = 0; !o.target && op < ISA_NOPS; op++) {
		if (o.json)
			op_json(op, op == 0);
		else
			op_text(op);
	}
	if (o.json)
		printf("]\n");
	else if (!o.target)
		printf("%d instructions\n", ISA_NOPS);
	return CLI_DONE;
}

/* ---- PTX forms ------------------------------------------------------------------------------- */

static int
run_forms(cli *c, int argc, char **argv)
{
	options o = { 0 };
	int status = parse(c, &cli_ptx_forms, argc, argv, &o);
	size_t translated = 0;

	if (status >= 0)
		return status;
	if (o.json)
		printf("[");
	for (size_t i = 0; i < ptx_nforms; i++) {
		const ptx_form_info *f = &ptx_form[i];
		translated += f->translated;
		if (o.json) {
			printf("%s{\"form\":", separator(i == 0));
			cli_json_string(stdout, f->pattern);
			printf(",\"section\":\"%s\",\"translated\":%s}", f->section,
			       f->translated ? "true" : "false");
		} else {
			printf("%-4s %-12s %s\n", f->translated ? "yes" : "no", f->section, f->pattern);
		}
	}
	if (o.json)
		printf("]\n");
	else
		printf("%zu of %zu forms are translated\n", translated, ptx_nforms);
	return CLI_DONE;
}

/* ---- The commands ---------------------------------------------------------------------------- */

const cli_command cli_targets = {
	.name = "targets", .usage = "[--json]", .summary = "list the chips",
	.text = "Lists every chip with its family, the wave size that code is made for, registers, LDS bytes\n"
		"a workgroup, ELF machine number, and the features that an id may name (gfx90a:xnack-).",
	.example = "  p2a targets --json", .options = plain_table, .run = run_targets,
};

const cli_command cli_ops = {
	.name = "ops", .usage = "[--target=ID] [--json]", .summary = "list the machine instructions",
	.text = "Lists every AMDGPU instruction that the assembler, the disassembler and the emulator know:\n"
		"its class and the families (or chips) that have it, a newer name in parentheses. What can be the first\n"
		"or the second half of a pair (v_dual_*, gfx11 on) says dual-x, dual-y or dual-xy.",
	.example = "  p2a ops --target=gfx1200", .options = ops_table, .run = run_ops,
};

const cli_command cli_ptx_forms = {
	.name = "ptx-forms", .usage = "[--json]", .summary = "list the PTX instructions",
	.text = "Lists every PTX instruction form in the order of NVIDIA's manual, with the manual's section\n"
		"and whether it is translated.",
	.example = "  p2a ptx-forms | grep bfi", .options = plain_table, .run = run_forms,
};
