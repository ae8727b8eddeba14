/* print.h -- what kernels have printed, taken from their module's memory. */
#ifndef RT_PRINT_H
#define RT_PRINT_H
#include "backend.h"

/* The text in the module's print buffer, with the buffer emptied; NUL-terminated, to be given to free(). "" where the module
 * prints nothing. Errors: ENOMEM, EDEVICE and what read and write say. */
p2a_rt_status rt_printed(const backend *, void *dev, const void *mod, char **text, size_t *size, p2a_error *);

#endif
