/* test_malloc.c -- p2a_translate with the process's memory short: malloc, calloc and realloc of this program fail from the
 * first, the second, ... call on. Unlike test_api.c's allocator this reaches libelf too.
 * Contract: translator/include/p2a.h, P2A_ENOMEM. */
#include "check.h"
#include "p2a.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A sanitizer has its own malloc, and other C libraries have no second name for theirs. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define INTERPOSED 1
#endif

static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";

static p2a_result *
translate(void)
{
	p2a_source s = { "k.ptx", text, sizeof text - 1 };
	p2a_options o = { .size = sizeof o, .target = "gfx90a" };

	return p2a_translate(&s, 1, &o);
}

#ifdef INTERPOSED
/* Seen by libelf too, which is a library of its own. */
#define SEEN __attribute__((visibility("default")))
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

static long left, live;
static int armed;

static int
refuse(void)
{
	if (!armed || left-- > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

static void *
counted(void *p)
{
	live += armed && p;
	return p;
}

SEEN void *malloc(size_t n) { return refuse() ? NULL : counted(__libc_malloc(n)); }
SEEN void *calloc(size_t n, size_t size) { return refuse() ? NULL : counted(__libc_calloc(n, size)); }
SEEN void *realloc(void *p, size_t n)
{
	if (refuse())
		return NULL;
	return p ? __libc_realloc(p, n) : counted(__libc_realloc(p, n));
}
SEEN void free(void *p)
{
	live -= armed && p;
	__libc_free(p);
}

static void
short_memory(void)
{
	const char *why = NULL;
	long n;

	for (n = 0; n < 10000 && !why; n++) {
		left = n;
		live = 0;
		armed = 1;
		p2a_result *r = translate();
		int done = r && r->status == P2A_OK, short_of = !r || r->status == P2A_ENOMEM;
		p2a_result_free(r);
		armed = 0;
		if (done)
			break;
		why = !short_of ? "another status than ENOMEM" : live ? "memory is left" : NULL;
	}
	/* a section is two allocations of libelf, and there are more than five */
	check(!why && n > 12 && n < 10000, "api malloc fails at every point", why ? why : "not where libelf works");
}
#endif

/* Files must not grow: the memory file that libelf writes is one. */
static void
short_files(void)
{
	struct rlimit old, none;

	getrlimit(RLIMIT_FSIZE, &old);
	none = old;
	none.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	fflush(stdout);
	setrlimit(RLIMIT_FSIZE, &none);
	p2a_result *r = translate();
	setrlimit(RLIMIT_FSIZE, &old);
	check(r && r->status == P2A_ENOMEM, "api no file may be written", r ? p2a_status_name(r->status) : "no result");
	p2a_result_free(r);
}

int
main(void)
{
#ifdef INTERPOSED
	short_memory();
#else
	printf("skip api malloc fails at every point: not this program's malloc\n");
#endif
	short_files();
	return failures != 0;
}
