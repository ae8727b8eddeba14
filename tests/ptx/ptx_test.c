/* ptx_test.c -- units, files, verdicts and NVIDIA's assembler for the tests of the PTX front end.
 * Needs the current directory to be the project's; leaves no file behind. */
#define _POSIX_C_SOURCE 200809L
#include "ptx_test.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int nfailed;

void
unit_open(unit *u, const char *name, const char *text, size_t size)
{
	memset(u, 0, sizeof *u);
	arena_init(&u->A, NULL, NULL, &u->oom);
	if (setjmp(u->oom)) {
		fprintf(stderr, "out of memory\n");
		abort();
	}
	u->src = (p2a_source){ name, text, size };
	intern_init(&u->names, &u->A);
	diag_init(&u->diags, &u->A, &u->src, 1);
	u->m = ptx_parse(&u->A, &u->names, &u->diags, 0);
}

void
unit_check(unit *u)
{
	ptx_sema(u->m);
}

char *
unit_print(unit *u, size_t *size)
{
	buf b;

	buf_init(&b, &u->A);
	ptx_print(u->m, &b);
	*size = b.n;
	buf_cstr(&b);
	return (char *)b.p;
}

void
unit_close(unit *u)
{
	arena_free(&u->A);
}

const char *
unit_first_fault(unit *u)
{
	const p2a_diag *g;

	if (!u->diags.list.n)
		return "";
	g = &u->diags.list.a[0];
	return arena_printf(&u->A, "%u:%u: %s [E%04u]", g->line, g->column, g->message, g->id);
}

char *
read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		return NULL;
	do {
		cap = cap ? cap * 2 : 1 << 16;
		p = realloc(p, cap);
		if (!p)
			abort();
		got = fread(p + n, 1, cap - n - 1, f);
		n += got;
	} while (got && n == cap - 1);
	fclose(f);
	p[n] = 0;
	*size = n;
	return p;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
each_file(const char *dir, const char *suffix, void (*fn)(const char *, void *), void *ud)
{
	DIR *d = opendir(dir);
	char *names[1000];
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d)) && n < 1000;) {
		size_t len = strlen(e->d_name), k = strlen(suffix);
		char path[1024];

		if (len < k || strcmp(e->d_name + len - k, suffix))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		names[n++] = strdup(path);
	}
	if (d)
		closedir(d);
	qsort(names, (size_t)n, sizeof *names, by_name);
	for (int i = 0; i < n; i++) {
		fn(names[i], ud);
		free(names[i]);
	}
	return n;
}

/* The frame has two places: %T for the target, %B for the body. */
char *
framed(const char *body, const char *target)
{
	size_t n, nb = strlen(body);
	char *frame = read_file("tests/ptx/frame.ptx", &n), *out, *t, *b;

	if (!frame || !(t = strstr(frame, "%T")) || !(b = strstr(frame, "%B")))
		abort();
	*t = *b = 0;
	out = malloc(n + nb + strlen(target) + 1);
	if (!out)
		abort();
	sprintf(out, "%s%s%s%s%s", frame, target, t + 2, body, b + 2);
	free(frame);
	return out;
}

static void
say(const char *what, const char *fmt, va_list ap)
{
	printf("%s ", what);
	vprintf(fmt, ap);
	printf("\n");
}

void
pass(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("ok", fmt, ap);
	va_end(ap);
}

void
fail(const char *fmt, ...)
{
	va_list ap;

	nfailed++;
	va_start(ap, fmt);
	say("not ok", fmt, ap);
	va_end(ap);
}

void
skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("skip", fmt, ap);
	va_end(ap);
}

bool
expect_true(bool good, const char *fmt, ...)
{
	va_list ap;

	if (good)
		return true;
	nfailed++;
	va_start(ap, fmt);
	say("not ok", fmt, ap);
	va_end(ap);
	return false;
}

int
finish(void)
{
	return nfailed != 0;
}

static const char *
ptxas_path(void)
{
	static const char *const places[] = { "ptxas", "/usr/local/cuda/bin/ptxas", "/opt/cuda/bin/ptxas" };
	static const char *found;

	for (size_t i = 0; !found && i < COUNT(places); i++) {
		char cmd[256];

		snprintf(cmd, sizeof cmd, "%s --version >/dev/null 2>&1", places[i]);
		if (system(cmd) == 0)
			found = places[i];
	}
	return found;
}

bool
have_ptxas(void)
{
	return ptxas_path() != NULL;
}

bool
ptxas(const char *text, size_t size, const char *arch, char **said)
{
	char in[] = "/tmp/ptx_test_XXXXXX", out[64], cmd[512];
	int fd = mkstemp(in), status;
	size_t n;

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		abort();
	close(fd);
	snprintf(out, sizeof out, "%s.out", in);
	snprintf(cmd, sizeof cmd, "%s -c -O0 -arch=%s -o /dev/null %s >%s 2>&1", ptxas_path(), arch, in, out);
	status = system(cmd);
	*said = read_file(out, &n);
	remove(in);
	remove(out);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void
add_verdict(verdicts *v, const char *line, bool ours, bool theirs, bool taken, const char *text, const char *arch)
{
	char *said;

	v->n++;
	v->ours += expect_true(taken == ours, "%s %s", ours ? "refused:" : "taken:", line);
	if (!have_ptxas())
		return;
	v->theirs += expect_true(ptxas(text, strlen(text), arch, &said) == theirs, "ptxas has changed its mind: %s", line);
	free(said);
}

int
try_verdicts(const char *path, const char *what, void (*each)(char *line, verdicts *))
{
	size_t size;
	char *list = read_file(path, &size);
	verdicts v = { 0, 0, 0 };

	if (!expect_true(list != NULL, "%s is not there", path))
		return finish();
	for (char *p = list, *end; *p; p = end) {
		end = p + strcspn(p, "\n");
		if (*end)
			*end++ = 0;
		if (*p && *p != '#')
			each(p, &v);
	}
	if (v.ours == v.n)
		pass("%d %s", v.n, what);
	if (!have_ptxas())
		skip("the same %s, ptxas: not installed", what);
	else if (v.theirs == v.n)
		pass("the same %s, ptxas", what);
	free(list);
	return finish();
}
