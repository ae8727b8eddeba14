/* cli.h -- what the files of the program share: commands, option tables, files, diagnostics.
 * A command is one file with one `const cli_command`; main.c's table is the list of them.
 * Contract of the program: docs/cli.md. */
#ifndef CLI_CLI_H
#define CLI_CLI_H
#include <stdio.h>

#include "base/base.h"
#include "p2a_rt.h"

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_REFUSED = 1, CLI_USAGE = 2, CLI_FAULT = 3 };

typedef struct cli {
	arena A;                 /* everything that a command allocates */
	const char *command;     /* for messages: "run" */
	bool stdin_read;         /* it is read once */
} cli;

/* ---- Options (args.c) ------------------------------------------------------------------------ */

typedef VEC(const char *) cli_list;
typedef struct cli_dim { uint32_t v[3]; } cli_dim;

typedef enum cli_kind {
	CLI_FLAG,                /* int = set */
	CLI_TEXT,                /* const char * */
	CLI_LIST,                /* cli_list, may be repeated */
	CLI_WORD,                /* int: index of the word among value's "a|b|c" */
	CLI_DIM,                 /* cli_dim: X[,Y[,Z]], the missing ones 1 */
	CLI_UINT,                /* uint32_t */
	CLI_SECONDS              /* double, above 0 */
} cli_kind;

typedef struct cli_option {
	const char *name;        /* "--target", "-o"; a row with NULL ends the table */
	cli_kind kind;
	size_t at;               /* offset in the command's options struct */
	const char *value;       /* what stands for the value in help; of CLI_WORD the words */
	const char *help;
	int set;
} cli_option;

typedef struct cli_command {
	const char *name;
	const char *usage;       /* behind "p2a NAME" */
	const char *summary;     /* one line for the list of commands */
	const char *text;        /* what it does, for `p2a help NAME` */
	const char *example;
	const cli_option *options;
	int (*run)(cli *, int argc, char **argv);    /* argv without the command; returns the exit status */
} cli_command;

extern const cli_command cli_compile, cli_run, cli_bfi, cli_exec, cli_dis, cli_targets, cli_ops,
	cli_ptx_forms, cli_help;
extern const cli_command *const cli_commands[];      /* ended by NULL */
const cli_command *cli_find_command(const char *name);

/* Fills the options struct and the list of what are no options. -1: go on; else an exit status, after
 * a message or, for --help, the help. Behind "--" nothing is an option. */
int cli_parse(cli *, const cli_command *, int argc, char **argv, void *into, cli_list *rest);
/* A whole unsigned number, decimal or 0x; false: it is none, or above max. */
bool cli_number(const char *text, uint64_t max, uint64_t *out);
void cli_print_help(const cli_command *, FILE *);

/* ---- Messages (diag.c) ----------------------------------------------------------------------- */

/* "p2a run: TEXT" on standard error. */
void cli_say(const cli *, const char *fmt, ...) PRINTF(2, 3);
/* The same with the usage line behind it; returns CLI_USAGE. */
int cli_misuse(const cli *, const cli_command *, const char *fmt, ...) PRINTF(3, 4);
/* CLI_DONE where the chip is known; else a message and CLI_USAGE. */
int cli_check_target(const cli *, const cli_command *, const char *id);
/* All diagnostics of a translation, then the counts of what is not supported. */
void cli_diagnose(cli *, const p2a_result *, const p2a_source *, size_t n);
/* How a translation ended, as an exit status; says what the diagnostics do not. */
int cli_translated(cli *, const p2a_result *, const p2a_source *, size_t n);
void cli_json_string(FILE *, const char *);
/* Control bytes become '?', in place. */
char *cli_clean(char *);

/* ---- Files (file.c) -------------------------------------------------------------------------- */

typedef struct cli_bytes {
	char *p;
	size_t n;
} cli_bytes;
/* The whole file; "-": standard input. false after a message. */
bool cli_read(cli *, const char *path, cli_bytes *);

/* An output that appears whole or not at all: stage all of them, then commit. */
typedef struct cli_output {
	const char *path;        /* "-": standard output, written by commit */
	const void *data;
	size_t size;
	const char *target;      /* path behind symbolic links */
	char *staged;            /* the temporary file beside it; NULL: written directly by commit */
} cli_output;
bool cli_stage(cli *, cli_output *);     /* false after a message */
bool cli_commit(cli *, cli_output *);
void cli_drop(cli_output *);             /* removes what is staged; fine after commit */
bool cli_same_file(const char *, const char *);

/* ---- Progress (progress.c) ------------------------------------------------------------------- */

/* While work is under way, on a terminal only: "what ... 3 s" after the first second. */
typedef struct cli_progress cli_progress;
cli_progress *cli_progress_start(cli *, const char *what);   /* NULL where there is nothing to show */
void cli_progress_stop(cli_progress *);

#endif
