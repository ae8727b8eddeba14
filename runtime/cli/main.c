/* main.c -- the program p2a: finds the command and runs it.
 * Needs the commands' tables; leaves the exit status 0 done, 1 refused, 2 usage, 3 fault.
 * Contract: docs/cli.md. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_command *const cli_commands[] = {
	&cli_compile, &cli_run, &cli_bfi, &cli_exec, &cli_dis, &cli_targets, &cli_ops, &cli_ptx_forms,
	&cli_help, NULL
};

const cli_command *
cli_find_command(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (!strcmp(cli_commands[i]->name, name))
			return cli_commands[i];
	return NULL;
}

/* Words that ask for a command in another way. */
static const char *
command_name(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	return word;
}

static int
unknown(const char *word)
{
	fprintf(stderr, "p2a: unknown command '%s'\nusage: p2a COMMAND [OPTION]... ; "
		"p2a --help lists the commands\n", word);
	return CLI_USAGE;
}

/* Nothing of this frame changes between setjmp and longjmp. */
static int
guarded(cli *c, const cli_command *cmd, int argc, char **argv)
{
	jmp_buf oom;

	arena_init(&c->A, NULL, NULL, &oom);
	if (!setjmp(oom))
		return cmd->run(c, argc, argv);
	cli_say(c, "out of memory");
	return CLI_REFUSED;
}

static int
run(int argc, char **argv)
{
	const cli_command *cmd = cli_find_command(command_name(argv[0]));

	if (!cmd)
		return unknown(argv[0]);
	cli c = { .command = cmd->name };
	int status = guarded(&c, cmd, argc - 1, argv + 1);
	arena_free(&c.A);
	return status;
}

/* A full disk or a closed pipe must not look like success. */
static int
flush(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "p2a: cannot write to standard output\n");
		return status ? status : CLI_REFUSED;
	}
	return status;
}

int
main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		cli_print_help(NULL, stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("p2a %s\n", p2a_version());
		return flush(CLI_DONE);
	}
	return flush(run(argc - 1, argv + 1));
}
