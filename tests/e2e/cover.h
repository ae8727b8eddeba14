/* cover.h -- a kernel ran and its results are compared: says which PTX forms it has. */
#ifndef COVER_H
#define COVER_H

/* Where P2A_COVER names a file, appends what of the module's text can run in a launch of kernel and was not said
 * before by this program. wave: lanes of a wave of the chip. */
void cover_kernel(const char *ptx, const char *kernel, unsigned wave);
#endif
