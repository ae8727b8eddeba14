/* exec.c -- `p2a exec`: an unmodified HIP program on emulated devices, by our libhsa-runtime64.so.1 under its
 * libamdhip64. Needs the library beside the program p2a or where both are installed; passes what it is told by
 * environment variables (docs/exec.md) and learns of faults by a pipe.
 * Contract: docs/cli.md. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

#define LIBRARY "libhsa-runtime64.so.1"
#define SHIM "libp2a-hip-faults.so"
#define OBJECTS "libp2a-hip-objects.so"
#ifndef P2A_HSA_DIR
#define P2A_HSA_DIR "../lib/p2a"         /* from the program's folder, when installed */
#endif
enum { NOT_FOUND = 127, MAX_TARGETS = 8 };

typedef struct options {
	const char *target;
	int check, on_fault;
	double timeout;
} options;

static const cli_option table[] = {
	{ "--target", CLI_TEXT, offsetof(options, target), "ID[,ID]...", "the chips to emulate, one a device; required", 0 },
	{ "--check", CLI_WORD, offsetof(options, check), "memory|none|all", "what the emulator checks (default memory)", 0 },
	{ "--timeout", CLI_SECONDS, offsetof(options, timeout), "SECONDS", "ends an endless kernel as a fault", 0 },
	{ "--on-fault", CLI_WORD, offsetof(options, on_fault), "abort|error",
		"after a fault HIP ends the program, or it goes on with calls that fail (default abort)", 0 },
	{ 0 }
};

/* ---- Finding things -------------------------------------------------------------------------- */

static char *
join(cli *c, const char *a, const char *sep, const char *b)
{
	size_t n = strlen(a) + strlen(sep) + strlen(b) + 1;
	char *s = arena_alloc(&c->A, n);

	snprintf(s, n, "%s%s%s", a, sep, b);
	return s;
}

/* The folder with our library; NULL after a message. */
static const char *
library_folder(cli *c)
{
	static const char *const places[] = { "/p2a-hsa", "/" P2A_HSA_DIR };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n > 0) {
		self[n] = 0;
		*strrchr(self, '/') = 0;
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			const char *dir = join(c, self, "", places[i]);
			if (!access(join(c, dir, "/", LIBRARY), R_OK))
				return dir;
		}
	}
	cli_say(c, "cannot find " LIBRARY " of p2a: it belongs into %s%s, or " P2A_HSA_DIR " from there",
		n > 0 ? self : "the program's folder", places[0]);
	return NULL;
}

static int
check_targets(cli *c, const char *list)
{
	size_t count = 0;

	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		char *id = arena_alloc(&c->A, n + 1);
		memcpy(id, p, n);
		id[n] = 0;
		int status = cli_check_target(c, &cli_exec, id);
		if (status)
			return status;
		if (++count > MAX_TARGETS)
			return cli_misuse(c, &cli_exec, "more than %d devices", MAX_TARGETS);
		p += n;
		if (!*p)
			return CLI_DONE;
	}
}

/* ---- The program ----------------------------------------------------------------------------- */

static void
prepend(cli *c, const char *name, const char *value, const char *sep)
{
	const char *old = getenv(name);

	setenv(name, old && *old ? join(c, value, sep, old) : value, 1);
}

static void
set_environment(cli *c, const options *o, const char *dir, int fault_fd)
{
	static const char *const check[] = { "memory", "none", "all" }, *const on_fault[] = { "abort", "error" };
	char number[48];

	prepend(c, "LD_LIBRARY_PATH", dir, ":");
	if (o->on_fault)
		prepend(c, "LD_PRELOAD", join(c, dir, "/", SHIM), " ");
#ifndef __SANITIZE_ADDRESS__
	if (!o->on_fault)       /* both stand before the same functions */
		prepend(c, "LD_PRELOAD", join(c, dir, "/", OBJECTS), " ");
	/* Beats an RPATH in the program. Sanitizers want to be the first library themselves. */
	prepend(c, "LD_PRELOAD", join(c, dir, "/", LIBRARY), " ");
#endif
	setenv("P2A_DEVICES", o->target, 1);
	setenv("P2A_CHECK", check[o->check], 1);
	setenv("P2A_ON_FAULT", on_fault[o->on_fault], 1);
	snprintf(number, sizeof number, "%.17g", o->timeout);
	setenv("P2A_TIMEOUT", number, 1);
	snprintf(number, sizeof number, "%d", fault_fd);
	setenv("P2A_FAULT_FD", number, 1);
	signal(SIGPIPE, SIG_DFL);
}

static volatile sig_atomic_t child;

static void
pass_on(int sig)
{
	if (child)
		kill((pid_t)child, sig);
}

/* What the terminal sends goes to the program anyway; it decides what to do. */
static void
handle_signals(void)
{
	struct sigaction pass = { .sa_handler = pass_on };

	sigemptyset(&pass.sa_mask);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
}

static int
wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Starts the program; its exit status, with *why the error number where it could not be started. */
static int
run_program(cli *c, const options *o, const char *dir, char **argv, int fault[2], int *why)
{
	int started[2];

	*why = 0;
	if (pipe(started) || fcntl(started[1], F_SETFD, FD_CLOEXEC)) {
		*why = errno;
		return CLI_REFUSED;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(started[0]);
		close(fault[0]);
		set_environment(c, o, dir, fault[1]);
		execvp(argv[0], argv);
		int e = errno;
		_exit(write(started[1], &e, sizeof e) == sizeof e ? NOT_FOUND : CLI_REFUSED);
	}
	close(started[1]);
	close(fault[1]);
	if (pid < 0) {
		*why = errno;
		close(started[0]);
		return CLI_REFUSED;
	}
	child = (sig_atomic_t)pid;
	handle_signals();
	if (read(started[0], why, sizeof *why) != sizeof *why)
		*why = 0;
	close(started[0]);
	return wait_for(pid);
}

/* Did a kernel fault? The pipe's other end may still be held by a process that the program left behind. */
static bool
faulted(int fd)
{
	char byte;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	return read(fd, &byte, 1) == 1;
}

static int
execute(cli *c, const options *o, const char *dir, cli_list *program)
{
	int fault[2], why;

	*vec_push(&c->A, program) = NULL;
	if (pipe(fault)) {
		cli_say(c, "%s", strerror(errno));
		return CLI_REFUSED;
	}
	fflush(stdout);
	int status = run_program(c, o, dir, (char **)(uintptr_t)program->a, fault, &why);
	bool bad = faulted(fault[0]);
	close(fault[0]);
	if (why) {
		cli_say(c, "cannot run '%s': %s", program->a[0], strerror(why));
		return CLI_REFUSED;
	}
	if (bad)
		return CLI_FAULT;
	if (status == NOT_FOUND)
		cli_say(c, "'%s' ended with status 127, as where a library is missing. HIP programs need libamdhip64 "
			"(Debian: libamdhip64-5)", program->a[0]);
	return status;
}

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
	status = check_targets(c, o.target);
	if (status)
		return status;
	if (!rest.n)
		return cli_misuse(c, &cli_exec, "which program?");
	const char *dir = library_folder(c);
	return dir ? execute(c, &o, dir, &rest) : CLI_REFUSED;
}

const cli_command cli_exec = {
	.name = "exec",
	.usage = "--target=ID[,ID]... [OPTION]... -- PROGRAM [ARGUMENT]...",
	.summary = "run an unmodified HIP program on emulated devices",
	.text = "Runs a HIP program as it is, on emulated devices instead of GPUs: its libamdhip64 finds\n"
		"p2a's HSA runtime instead of AMD's. No driver is opened. The exit status is the program's,\n"
		"or 3 when a kernel faulted; the fault is told on standard error.",
	.example = "  p2a exec --target=gfx90a -- ./vector_add 1000",
	.options = table,
	.run = run,
};
