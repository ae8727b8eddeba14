/* exec.c -- `p2a exec`: an unmodified HIP program on the emulated device. Not built yet: refused.
 * Will need a libhsa-runtime64.so.1 in front of the emulator, and a HIP library to go above it.
 * Contract: docs/cli.md. */
#include "cli.h"

typedef struct options {
	const char *target;
} options;

static const cli_option table[] = {
	{ "--target", CLI_TEXT, offsetof(options, target), "ID", "the chip to emulate, required", 0 },
	{ 0 }
};

static int
run(cli *c, int argc, char **argv)
{
	options o = { .target = NULL };
	cli_list rest = { 0 };
	int status = cli_parse(c, &cli_exec, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (!o.target)
		return cli_misuse(c, &cli_exec, "--target is required");
	status = cli_check_target(c, &cli_exec, o.target);
	if (status)
		return status;
	if (!rest.n)
		return cli_misuse(c, &cli_exec, "which program?");
	cli_say(c, "cannot run '%s': this version has no HSA runtime in front of the emulator. It will need "
		"libamdhip64 (Debian: libamdhip64-5). Meanwhile, p2a run executes single kernels", rest.a[0]);
	return CLI_USAGE;
}

const cli_command cli_exec = {
	.name = "exec",
	.usage = "--target=ID -- PROGRAM [ARGUMENT]...",
	.summary = "run an unmodified HIP program on the emulated device (not in this version)",
	.text = "Runs a HIP program as it is, on an emulated device instead of a GPU. Its exit status is the\n"
		"program's, or 3 when a kernel faulted. This version refuses it: status 2.",
	.example = "  p2a exec --target=gfx90a -- ./vector_add 1000",
	.options = table,
	.run = run,
};
