/* help.c -- `p2a help`, `p2a help COMMAND` and `p2a COMMAND --help`, all from the commands' tables.
 * Needs nothing; leaves text.
 * Contract: docs/cli.md. */
#include <string.h>

#include "cli.h"

static void
print_commands(FILE *f)
{
	fprintf(f, "p2a %s: NVIDIA PTX to AMDGPU machine code, and a device to run it on\n\n"
		"usage: p2a COMMAND [OPTION]...\n\n", p2a_version());
	for (size_t i = 0; cli_commands[i]; i++)
		fprintf(f, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
	fprintf(f, "\nexample:\n"
		"  p2a compile --target=gfx1100 kernel.ptx\n"
		"  p2a run --grid=4 --block=256 --arg=inout:in.bin:out.bin --arg=u32:1000 kernel.ptx scale\n\n"
		"exit status: 0 done; 1 the input is refused; 2 usage; 3 the kernel faulted or the device failed\n"
		"p2a help COMMAND says more; p2a --version prints the version\n");
}

static void
print_option(const cli_option *o, FILE *f)
{
	bool is_long = o->name[1] == '-';
	char left[64];

	snprintf(left, sizeof left, "%s%s%s", o->name, o->kind == CLI_FLAG ? "" : is_long ? "=" : " ",
		 o->kind == CLI_FLAG ? "" : o->value);
	if (strlen(left) <= 24)
		fprintf(f, "  %-24s  %s\n", left, o->help);
	else
		fprintf(f, "  %s\n  %-24s  %s\n", left, "", o->help);
}

void
cli_print_help(const cli_command *cmd, FILE *f)
{
	if (!cmd) {
		print_commands(f);
		return;
	}
	fprintf(f, "usage: p2a %s %s\n\n%s\n", cmd->name, cmd->usage, cmd->text);
	if (cmd->options && cmd->options->name)
		fprintf(f, "\noptions:\n");
	for (const cli_option *o = cmd->options; o && o->name; o++)
		print_option(o, f);
	if (cmd->example)
		fprintf(f, "\nexample:\n%s\n", cmd->example);
}

static int
run(cli *c, int argc, char **argv)
{
	cli_list rest = { 0 };
	int status = cli_parse(c, &cli_help, argc, argv, NULL, &rest);

	if (status >= 0)
		return status;
	if (rest.n > 1)
		return cli_misuse(c, &cli_help, "one command at a time");
	const cli_command *cmd = rest.n ? cli_find_command(rest.a[0]) : NULL;
	if (rest.n && !cmd)
		return cli_misuse(c, &cli_help, "there is no command '%s'", rest.a[0]);
	cli_print_help(cmd, stdout);
	return CLI_DONE;
}

const cli_command cli_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "explain a command",
	.text = "Lists the commands, or explains one of them with its options.",
	.example = "  p2a help run",
	.run = run,
};
