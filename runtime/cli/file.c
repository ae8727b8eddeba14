/* file.c -- whole files in, and outputs that appear whole or not at all.
 * An output is written to a temporary file beside its place and renamed; devices and pipes are
 * written directly, because a rename would replace them. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define MAX_INPUT ((size_t)1 << 30)

static bool
is_dash(const char *path)
{
	return !strcmp(path, "-");
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
grow(cli *c, cli_bytes *b, size_t *cap)
{
	if (b->n < *cap)
		return true;
	if (*cap > MAX_INPUT)
		return false;
	b->p = arena_grow(&c->A, b->p, *cap, *cap * 2);
	*cap *= 2;
	return true;
}

/* Reads to the end; the first guess is the file's size, so a plain file is read into one block. */
static int
read_all(cli *c, int fd, size_t guess, cli_bytes *b)
{
	size_t cap = guess + 1;

	*b = (cli_bytes){ .p = arena_alloc(&c->A, cap), .n = 0 };
	for (;;) {
		if (!grow(c, b, &cap))
			return EFBIG;
		ssize_t n = read(fd, b->p + b->n, cap - b->n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			return b->n > MAX_INPUT ? EFBIG : 0;
		b->n += (size_t)n;
	}
}

/* Is it what standard input is, by that or another name? A file at its end can be opened again. */
static bool
is_stdin(const char *path, const struct stat *st)
{
	struct stat in;

	if (is_dash(path))
		return true;
	return !S_ISREG(st->st_mode) && !fstat(STDIN_FILENO, &in) && st->st_dev == in.st_dev && st->st_ino == in.st_ino;
}

static int
open_and_read(cli *c, const char *path, cli_bytes *b)
{
	struct stat st;
	size_t guess = 65535;
	int fd = is_dash(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	int e = fstat(fd, &st) ? errno : 0;
	if (!e && is_stdin(path, &st)) {
		e = c->stdin_read ? ESPIPE : 0;
		c->stdin_read = true;
	}
	if (!e && S_ISREG(st.st_mode)) {
		if ((uint64_t)st.st_size > MAX_INPUT)
			e = EFBIG;
		else
			guess = (size_t)st.st_size;
	}
	if (!e)
		e = read_all(c, fd, guess, b);
	if (fd != STDIN_FILENO)
		close(fd);
	return e;
}

bool
cli_read(cli *c, const char *path, cli_bytes *b)
{
	int e = open_and_read(c, path, b);

	if (e == EFBIG)
		cli_say(c, "cannot read '%s': it has more than 1 GiB", path);
	else if (e == ESPIPE)
		cli_say(c, "standard input can be read once");
	else if (e)
		cli_say(c, "cannot read '%s': %s", is_dash(path) ? "standard input" : path, strerror(e));
	return !e;
}

bool
cli_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	if (is_dash(a) || is_dash(b) || stat(a, &sa) || stat(b, &sb))
		return false;
	return sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int
write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);
		if (w < 0 && errno != EINTR)
			return errno;
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
	}
	return 0;
}

static bool
cannot_write(const cli *c, const char *path, int e)
{
	cli_say(c, "cannot write '%s': %s", is_dash(path) ? "standard output" : path, strerror(e));
	return false;
}

/* The permissions that the finished file shall have: the old one's, or what a new file gets. */
static mode_t
mode_for(const char *path)
{
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	return stat(path, &st) ? (mode_t)(0666 & ~mask) : (mode_t)(st.st_mode & 0777);
}

static bool
is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static const char *
behind_links(cli *c, const char *path)
{
	char *real = realpath(path, NULL);
	const char *out = real ? arena_str(&c->A, real, strlen(real)) : path;

	free(real);
	return out;
}

bool
cli_stage(cli *c, cli_output *o)
{
	struct stat st;

	o->staged = NULL;
	o->target = o->path;
	if (is_dash(o->path) || is_special(o->path))
		return true;
	o->target = behind_links(c, o->path);
	if (!stat(o->target, &st) && S_ISDIR(st.st_mode))
		return cannot_write(c, o->path, EISDIR);
	char *tmp = arena_printf(&c->A, "%s.XXXXXX", o->target);
	int fd = mkstemp(tmp);
	if (fd < 0)
		return cannot_write(c, o->path, errno);
	o->staged = tmp;
	int e = write_all(fd, o->data, o->size);
	if (!e && fchmod(fd, mode_for(o->target)))
		e = errno;
	if (close(fd) && !e)
		e = errno;
	if (!e)
		return true;
	cli_drop(o);
	return cannot_write(c, o->path, e);
}

static int
write_directly(const cli_output *o)
{
	int fd = is_dash(o->path) ? STDOUT_FILENO : open(o->path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	int e = write_all(fd, o->data, o->size);
	if (fd != STDOUT_FILENO && close(fd) && !e)
		e = errno;
	return e;
}

bool
cli_commit(cli *c, cli_output *o)
{
	int e = 0;

	if (!o->staged)
		e = write_directly(o);
	else if (rename(o->staged, o->target))
		e = errno;
	else
		o->staged = NULL;
	cli_drop(o);
	return e ? cannot_write(c, o->path, e) : true;
}

void
cli_drop(cli_output *o)
{
	if (o->staged)
		unlink(o->staged);
	o->staged = NULL;
}
