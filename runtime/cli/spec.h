/* spec.h -- the --arg=SPEC of `p2a run`: one parameter of a kernel, and the buffer behind it.
 * spec.c reads the text; run.c makes the buffers.
 * Contract: docs/cli.md. */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H
#include "cli.h"

typedef struct spec {
	const char *text;        /* as given */
	enum { SPEC_VALUE, SPEC_BUFFER, SPEC_BYTES } kind;
	uint8_t value[8];        /* VALUE: little-endian; BUFFER: the device address, once there is one */
	uint32_t size;           /* bytes that it passes, of BYTES once the file is read */
	const char *in;          /* BUFFER, BYTES: file to fill it from; NULL: zeros */
	const char *out;         /* BUFFER: file for its bytes after the kernel; NULL: none */
	uint64_t bytes;          /* BUFFER: its size, of one with `in` once the file is read */
	cli_bytes data;          /* of `in` */
} spec;

/* false: the text is none; *why then says what was expected. */
bool spec_parse(cli *, const char *text, spec *, const char **why);
#endif
