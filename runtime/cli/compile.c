/* compile.c -- `p2a compile`: PTX files to one code object, assembly, IR or PTX.
 * Needs the translator; leaves the output whole or, after a failure, as it was.
 * Contract: docs/cli.md. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct options {
	const char *target, *out, *dump;
	int emit, semantics, code_object, opt, keep_going, verbose;
	uint32_t stack;
	cli_list entries;
} options;

#define AT(field) offsetof(options, field)
static const cli_option table[] = {
	{ "--target", CLI_TEXT, AT(target), "ID", "the chip, e.g. gfx1100 or gfx90a:xnack-; required", 0 },
	{ "-o", CLI_TEXT, AT(out), "FILE", "default: INPUT's name with .hsaco or .s; - is standard output", 0 },
	{ "--emit", CLI_WORD, AT(emit), "hsaco|asm|ir|ptx", "what to write, default hsaco", 0 },
	{ "--dump", CLI_TEXT, AT(dump), "PASS", "the IR after a pass (or all) on standard error", 0 },
	{ "--semantics", CLI_WORD, AT(semantics), "documented|nvidia",
	  "position and length of 64-bit bfi and bfe; default documented", 0 },
	{ "--entry", CLI_LIST, AT(entries), "NAME", "only this kernel; may be repeated", 0 },
	{ "--code-object", CLI_WORD, AT(code_object), "4|5", "version, default 4", 0 },
	{ "-O0", CLI_FLAG, AT(opt), NULL, "no optimization", P2A_O0 },
	{ "-O1", CLI_FLAG, AT(opt), NULL, "some", 1 },
	{ "-O2", CLI_FLAG, AT(opt), NULL, "all, the default", 2 },
	{ "--stack", CLI_UINT, AT(stack), "BYTES", "of a lane, for recursion and alloca; default 16384", 0 },
	{ "--keep-going", CLI_FLAG, AT(keep_going), NULL, "leave out kernels that cannot be translated", 1 },
	{ "-v", CLI_FLAG, AT(verbose), NULL, "what each kernel needs, on standard error", 1 },
	{ 0 }
};

/* Suffix of the default output by --emit; NULL: text to look at, to standard output. */
static const char *const suffix[] = { [P2A_EMIT_HSACO] = ".hsaco", [P2A_EMIT_ASM] = ".s",
				      [P2A_EMIT_IR] = NULL, [P2A_EMIT_PTX] = NULL };

static const char *
default_output(cli *c, const char *input, int emit)
{
	size_t n = strlen(input);

	if (!strcmp(input, "-") || !suffix[emit])
		return "-";
	if (n > 4 && !strcmp(input + n - 4, ".ptx"))
		n -= 4;
	return arena_printf(&c->A, "%.*s%s", (int)n, input, suffix[emit]);
}

/* What is wrong with the call, or -1. */
static int
check(cli *c, const options *o, const cli_list *inputs)
{
	size_t dashes = 0;

	if (!inputs->n)
		return cli_misuse(c, &cli_compile, "which file?");
	if (!o->target)
		return cli_misuse(c, &cli_compile, "--target is required");
	if (cli_check_target(c, &cli_compile, o->target))
		return CLI_USAGE;
	for (size_t i = 0; i < inputs->n; i++) {
		dashes += !strcmp(inputs->a[i], "-");
		if (cli_same_file(inputs->a[i], o->out))
			return cli_misuse(c, &cli_compile, "the output '%s' is an input", o->out);
	}
	if (dashes > 1)
		return cli_misuse(c, &cli_compile, "standard input can be read once");
	if (!strcmp(o->out, "-") && o->emit == P2A_EMIT_HSACO && isatty(STDOUT_FILENO))
		return cli_misuse(c, &cli_compile, "a code object is no text for a terminal: give -o FILE");
	return -1;
}

static void
print_table(const p2a_result *r)
{
	fprintf(stderr, "%6s %6s %7s %7s %7s %8s %7s %8s  %s\n", "vgprs", "sgprs", "vspills", "sspills",
		"lds", "scratch", "instrs", "bytes", "kernel");
	for (size_t i = 0; i < r->nkernels; i++) {
		const p2a_kernel_info *k = &r->kernels[i];
		fprintf(stderr, "%6u %6u %7u %7u %7u %8u %7u %8u  %s\n", (unsigned)k->vgprs,
			(unsigned)k->sgprs, (unsigned)k->vgpr_spills, (unsigned)k->sgpr_spills,
			(unsigned)k->lds, (unsigned)k->scratch, (unsigned)k->instructions,
			(unsigned)k->code_size, k->name);
	}
}

static int
write_output(cli *c, const options *o, const p2a_result *r)
{
	cli_output out = { .path = o->out, .data = r->data, .size = r->size };

	if (!cli_stage(c, &out) || !cli_commit(c, &out))
		return CLI_REFUSED;
	if (o->verbose)
		print_table(r);
	return CLI_DONE;
}

static int
translate(cli *c, const options *o, const p2a_source *src, size_t n)
{
	p2a_options opt = {
		.size = sizeof opt, .target = o->target, .emit = (p2a_emit)o->emit,
		.semantics = (p2a_semantics)o->semantics, .code_object = o->code_object ? 5 : 4,
		.opt = (unsigned)o->opt, .keep_going = (unsigned)o->keep_going,
		.entries = o->entries.n ? o->entries.a : NULL, .nentries = o->entries.n,
		.dump = o->dump, .stack = o->stack,
	};

	cli_progress *p = cli_progress_start(c, "translating");
	p2a_result *r = p2a_translate(src, n, &opt);
	cli_progress_stop(p);
	if (r && r->dump)
		fputs(r->dump, stderr);
	int status = cli_translated(c, r, src, n);
	if (status == CLI_DONE)
		status = write_output(c, o, r);
	p2a_result_free(r);
	return status;
}

static int
run(cli *c, int argc, char **argv)
{
	options o = { .emit = P2A_EMIT_HSACO };
	cli_list inputs = { 0 };
	int status = cli_parse(c, &cli_compile, argc, argv, &o, &inputs);

	if (status >= 0)
		return status;
	if (!o.out && inputs.n)
		o.out = default_output(c, inputs.a[0], o.emit);
	status = check(c, &o, &inputs);
	if (status >= 0)
		return status;
	p2a_source *src = arena_array(&c->A, p2a_source, inputs.n);
	for (size_t i = 0; i < inputs.n; i++) {
		cli_bytes b;
		if (!cli_read(c, inputs.a[i], &b))
			return CLI_REFUSED;
		src[i] = (p2a_source){ .name = strcmp(inputs.a[i], "-") ? inputs.a[i] : "<stdin>",
				       .text = b.p, .size = b.n };
	}
	return translate(c, &o, src, inputs.n);
}

const cli_command cli_compile = {
	.name = "compile",
	.usage = "--target=ID [OPTION]... INPUT...",
	.summary = "translate PTX to a code object or assembly",
	.text = "Translates PTX files (- is standard input) for one AMD chip. Several INPUTs are linked as one\n"
		"program. --emit=asm is in LLVM's spelling and assembles to the same bytes; ir and ptx go to\n"
		"standard output unless -o says otherwise. A failed run writes nothing.",
	.example = "  p2a compile --target=gfx90a -v -o scale.hsaco scale.ptx\n"
		"  p2a compile --target=gfx1100 --emit=asm -o - scale.ptx",
	.options = table,
	.run = run,
};
