/* length.h -- how much a random or exhaustive test does: the short run (P2A_TEST_QUICK), the usual one, the full one
 * (P2A_TEST_FULL). Where both are set the short one counts. */
#ifndef TESTS_LENGTH_H
#define TESTS_LENGTH_H
#include <stdlib.h>

static inline unsigned
test_length(unsigned quick, unsigned usual, unsigned full)
{
	return getenv("P2A_TEST_QUICK") ? quick : getenv("P2A_TEST_FULL") ? full : usual;
}
#endif
