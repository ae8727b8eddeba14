/* args.c -- command lines by table: --name=VALUE, --name VALUE, -nVALUE, flags, and what is left.
 * Needs a command's option rows; leaves its options struct filled, or a message.
 * Contract: docs/cli.md. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool
cli_number(const char *s, uint64_t max, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *digits = hex ? s + 2 : s;
	char *end;

	if (!*digits || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
		return false;
	errno = 0;
	unsigned long long v = strtoull(digits, &end, hex ? 16 : 10);
	if (errno || v > max)
		return false;
	*out = v;
	return true;
}

/* The index of text among "a|b|c"; -1: none. */
static int
word_index(const char *words, const char *text)
{
	size_t n = strlen(text);

	for (int i = 0; *words; i++) {
		size_t len = strcspn(words, "|");
		if (len == n && !memcmp(words, text, n))
			return i;
		words += len + (words[len] == '|');
	}
	return -1;
}

static bool
read_dim(const char *text, cli_dim *out)
{
	cli_dim d = { { 1, 1, 1 } };
	char part[32];

	for (int i = 0; i < 3; i++) {
		size_t n = strcspn(text, ",");
		uint64_t v;
		if (n >= sizeof part)
			return false;
		memcpy(part, text, n);
		part[n] = 0;
		if (!cli_number(part, UINT32_MAX, &v) || !v)
			return false;
		d.v[i] = (uint32_t)v;
		text += n;
		if (!*text) {
			*out = d;
			return true;
		}
		text++;
	}
	return false;
}

static bool
read_seconds(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out) && *out > 0;
}

/* Stores one value; false: it does not read as one. */
static bool
store(cli *c, const cli_option *o, const char *text, void *into)
{
	void *at = (char *)into + o->at;
	uint64_t v;
	int word;

	switch (o->kind) {
	case CLI_FLAG:
		*(int *)at = o->set;
		return true;
	case CLI_TEXT:
		*(const char **)at = text;
		return *text != 0;
	case CLI_LIST:
		*vec_push(&c->A, (cli_list *)at) = text;
		return *text != 0;
	case CLI_WORD:
		word = word_index(o->value, text);
		*(int *)at = word;
		return word >= 0;
	case CLI_DIM:
		return read_dim(text, at);
	case CLI_UINT:
		if (!cli_number(text, UINT32_MAX, &v))
			return false;
		*(uint32_t *)at = (uint32_t)v;
		return true;
	case CLI_SECONDS:
		return read_seconds(text, at);
	}
	return false;
}

/* What is said of a kind of value, behind the word that stands for it. */
static const char *const bounds[] = {
	[CLI_FLAG] = "", [CLI_TEXT] = "", [CLI_LIST] = "", [CLI_WORD] = "", [CLI_DIM] = ", numbers from 1 to 4294967295",
	[CLI_UINT] = ", a number from 0 to 4294967295", [CLI_SECONDS] = ", a number above 0",
};

/* The row that an argument names, and where in it a value begins (NULL: not in it). */
static const cli_option *
find_option(const cli_option *o, const char *arg, const char **value)
{
	const cli_option *by_prefix = NULL;
	bool is_long = arg[1] == '-';
	size_t n = is_long ? strcspn(arg, "=") : strlen(arg);

	*value = is_long && arg[n] ? arg + n + 1 : NULL;
	for (; o && o->name; o++) {
		size_t len = strlen(o->name);
		if (len == n && !memcmp(o->name, arg, n))
			return o;
		if (!is_long && len == 2 && o->kind != CLI_FLAG && !memcmp(o->name, arg, 2))
			by_prefix = o;
	}
	if (by_prefix)
		*value = arg + 2;
	return by_prefix;
}

/* One option at argv[*i]; moves *i over a value that stands by itself. */
static int
take_option(cli *c, const cli_command *cmd, int argc, char **argv, int *i, void *into)
{
	const char *value;
	const cli_option *o = find_option(cmd->options, argv[*i], &value);

	if (!o)
		return cli_misuse(c, cmd, "unknown option '%s'", argv[*i]);
	if (o->kind == CLI_FLAG && value)
		return cli_misuse(c, cmd, "option '%s' takes no value", o->name);
	if (o->kind != CLI_FLAG && !value) {
		if (*i + 1 >= argc || !strcmp(argv[*i + 1], "--"))
			return cli_misuse(c, cmd, "option '%s' needs a value: %s%s", o->name, o->value, bounds[o->kind]);
		value = argv[++*i];
	}
	if (!store(c, o, value, into))
		return cli_misuse(c, cmd, "option '%s' takes %s%s, not '%s'", o->name, o->value, bounds[o->kind], value);
	return -1;
}

int
cli_parse(cli *c, const cli_command *cmd, int argc, char **argv, void *into, cli_list *rest)
{
	bool options = true;

	for (int i = 0; i < argc; i++) {
		if (!options || argv[i][0] != '-' || !argv[i][1]) {
			*vec_push(&c->A, rest) = argv[i];
		} else if (!strcmp(argv[i], "--")) {
			options = false;
		} else if (!strcmp(argv[i], "--help")) {
			cli_print_help(cmd, stdout);
			return CLI_DONE;
		} else {
			int status = take_option(c, cmd, argc, argv, &i, into);
			if (status >= 0)
				return status;
		}
	}
	return -1;
}
