/* refuse.c -- the functions of HSA that the emulated device does not have: each says so once on
 * standard error and returns an error.
 * Needs refuse.def. Arguments are not looked at, so the functions are declared without. */
#include <stdatomic.h>

#include "hsa/runtime.h"

#define REFUSE(name, status, what) \
	HSA_API hsa_status_t name(void); \
	hsa_status_t name(void) \
	{ \
		static atomic_flag said = ATOMIC_FLAG_INIT; \
		if (!atomic_flag_test_and_set(&said)) \
			rt_say("%s: the emulated device does not have this (%s)", #name, what); \
		return status; \
	}
#include "hsa/refuse.def"
