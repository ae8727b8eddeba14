/* gen_operands.c -- prints the instructions whose operands tests/ptx/operands.py varies: of each form one for each choice of
 * types, vector and state space. Needs the project's directory; leaves one a line. */
#define _POSIX_C_SOURCE 200809L
#include "form_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen { char **key; size_t n; } seen;

/* What of a modifier decides on operands. */
static bool
counts(const char *word)
{
	static const char *const types[] = { "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16",
		"f16x2", "bf16x2", "f32", "f64", "pred", "v2", "v4", "v8", "f32x2", "global", "shared", "const", "local", "L2::cache_hint" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(word, types[i]))
			return true;
	return !strncmp(word, "param", 5) || !strncmp(word, "shared::", 8);
}

static void
show(const char *inst, uint16_t row, void *ud)
{
	seen *S = ud;
	char key[1200], text[1200], *word;
	size_t commas = 0;

	for (const char *p = inst; *p; p++)
		commas += *p == ',';
	snprintf(key, sizeof key, "%u %zu", row, commas);
	snprintf(text, sizeof text, "%.*s", (int)strcspn(inst, " ;"), inst);
	for (word = strtok(text, "."); (word = strtok(NULL, "."));)
		if (counts(word))
			strcat(strcat(key, "."), word);
	for (size_t i = 0; i < S->n; i++)
		if (!strcmp(S->key[i], key))
			return;
	S->key = realloc(S->key, (S->n + 1) * sizeof *S->key);
	if (!S->key || !(S->key[S->n++] = strdup(key)))
		abort();
	puts(inst);
}

int
main(void)
{
	seen S = { NULL, 0 };

	for (size_t i = 0; i < ptx_nforms; i++)
		each_instruction((uint16_t)i, show, &S);
	return 0;
}
