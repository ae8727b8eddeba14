/* next.c -- a library that stands before puts, for test_exec.sh: RTLD_NEXT must mean what comes behind this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int
puts(const char *s)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");

	return next == puts ? -1 : next(s);
}
