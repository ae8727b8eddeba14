/* fail.c -- how every function of the runtime returns an error.
 * Needs nothing else of the runtime; leaves the status and its text where the caller wants them. */
#include <stdarg.h>
#include <stdio.h>

#include "backend.h"

p2a_rt_status
rt_fail(p2a_error *err, p2a_rt_status status, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	err->status = status;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	return status;
}
