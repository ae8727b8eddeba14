/* check.h -- lines `ok NAME` and `not ok NAME: why`, and how many were not ok, for tests of one file. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H
#include <stdbool.h>
#include <stdio.h>

static int failures;

static void
check(bool good, const char *name, const char *why)
{
	if (good)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failures += !good;
}
#endif
