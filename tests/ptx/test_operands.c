/* test_operands.c -- each operand of each instruction takes what NVIDIA's assembler lets it take, and nothing else.
 * Needs tests/ptx/operands.txt (tests/ptx/operands.py): instructions, and for each operand the set of candidates that it
 * takes. Where we differ an exception says so:
 *	except taken|refused OPCODES WHICH CANDIDATE... : why
 * OPCODES is the begin of an opcode's text, or a regular expression; WHICH the operand from 1, or *; a candidate *: any.
 * An exception that excuses nothing is a fault. */
#define _POSIX_C_SOURCE 200809L
#include "ptx_test.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 160, MOST_SETS = 1000, MOST_EXCEPTIONS = 200 };

typedef struct exception {
	char *line;
	regex_t opcode;
	bool takes, used, any;
	int operand;            /* 0: each */
	bool candidate[MOST_CANDIDATES];
} exception;

static struct {
	char *candidate[MOST_CANDIDATES];
	int ncandidates;
	bool set[MOST_SETS][MOST_CANDIDATES];
	exception except[MOST_EXCEPTIONS];
	int nexcept;
	int asked, excused;
} all;

static int
find_candidate(const char *word)
{
	for (int i = 0; i < all.ncandidates; i++)
		if (!strcmp(all.candidate[i], word))
			return i;
	expect_true(false, "'%s' is no candidate", word);
	return 0;
}

static void
read_set(char *words)
{
	long number = strtol(words, &words, 10);

	for (char *w = strtok(words, " "); w && number < MOST_SETS; w = strtok(NULL, " "))
		all.set[number][find_candidate(w)] = true;
}

static void
read_exception(char *line)
{
	exception *e = &all.except[all.nexcept];
	char *kind, *opcode, *which, *copy = strdup(line), *why = copy ? strstr(copy, " : ") : NULL;

	if (!why || all.nexcept == MOST_EXCEPTIONS) {
		expect_true(false, "an exception without a reason: %s", line);
		return;
	}
	*why = 0;
	strtok(copy, " ");
	kind = strtok(NULL, " ");
	opcode = strtok(NULL, " ");
	which = strtok(NULL, " ");
	if (!which || regcomp(&e->opcode, opcode, REG_EXTENDED | REG_NOSUB)) {
		expect_true(false, "not understood: %s", line);
		return;
	}
	e->line = line;
	e->takes = !strcmp(kind, "taken");
	e->operand = *which == '*' ? 0 : atoi(which);
	for (char *w; (w = strtok(NULL, " "));) {
		if (!strcmp(w, "*"))
			e->any = true;
		else
			e->candidate[find_candidate(w)] = true;
	}
	all.nexcept++;
	free(copy);
}

static bool
is_excused(const char *inst, int operand, int candidate, bool takes)
{
	for (int i = 0; i < all.nexcept; i++) {
		exception *e = &all.except[i];

		if (e->takes != takes || (e->operand && e->operand != operand) || (!e->any && !e->candidate[candidate]) ||
		    regexec(&e->opcode, inst, 0, NULL, 0))
			continue;
		e->used = true;
		all.excused++;
		return true;
	}
	return false;
}

/* The begin and end of operand number i, from 1, of an instruction's text. */
static bool
find_operand(const char *inst, int i, size_t *from, size_t *to)
{
	const char *p = inst + strcspn(inst, " ;");
	int depth = 0;

	if (*p != ' ')
		return false;
	for (*from = (size_t)(++p - inst); *p; p++) {
		depth += (*p && strchr("{[(", *p)) - (*p && strchr("}])", *p));
		if (depth || (*p != ',' && *p != ';'))
			continue;
		*to = (size_t)(p - inst);
		if (!--i)
			return true;
		*from = *to + 2;
	}
	return false;
}

/* One operand with each candidate, each on a line of its own in one module. */
static void
try_operand(const char *inst, int operand, const bool *want)
{
	static const char head[] = "ts: .branchtargets L1;\n";
	char *body = malloc(sizeof head + MOST_CANDIDATES * (strlen(inst) + 64)), *text;
	bool bad[MOST_CANDIDATES] = { false };
	size_t from, to, n, first = 2;
	unit u;

	if (!body || !find_operand(inst, operand, &from, &to)) {
		expect_true(false, "%s has no operand %d", inst, operand);
		return;
	}
	n = (size_t)sprintf(body, "%s", head);
	for (int i = 0; i < all.ncandidates; i++)
		n += (size_t)sprintf(body + n, "{ %.*s%s%s }\n", (int)from, inst, all.candidate[i], inst + to);
	text = framed(body, "sm_100a");
	for (const char *p = text; strncmp(p, head, sizeof head - 1); p++)
		first += *p == '\n';
	unit_open(&u, "operands", text, strlen(text));
	unit_check(&u);
	for (uint32_t i = 0; i < u.diags.list.n; i++) {
		uint32_t line = u.diags.list.a[i].line;

		if (line >= first && line < first + (size_t)all.ncandidates)
			bad[line - first] = true;
	}
	for (int i = 0; i < all.ncandidates; i++) {
		all.asked++;
		if (bad[i] == want[i] && !is_excused(inst, operand, i, !bad[i]))
			expect_true(false, "%s operand %d of %s: %s", bad[i] ? "refused:" : "taken:", operand, inst, all.candidate[i]);
	}
	unit_close(&u);
	free(text);
	free(body);
}

static void
try_instruction(char *line)
{
	char *end = strchr(line, ';');
	int operand = 0;

	if (!expect_true(end != NULL, "no instruction: %s", line))
		return;
	for (char *w = strtok(end + 1, " "); w; w = strtok(NULL, " ")) {
		char inst[512];

		snprintf(inst, sizeof inst, "%.*s", (int)(end + 1 - line), line);
		try_operand(inst, ++operand, all.set[atoi(w) % MOST_SETS]);
	}
}

static void
read_line(char *line)
{
	if (!strncmp(line, "candidates ", 11))
		for (char *w = strtok(line + 11, " "); w && all.ncandidates < MOST_CANDIDATES; w = strtok(NULL, " "))
			all.candidate[all.ncandidates++] = w;
	else if (!strncmp(line, "set ", 4))
		read_set(line + 4);
	else if (!strncmp(line, "except ", 7))
		read_exception(line);
}

static void
each_line(char *text, void (*fn)(char *), bool instructions)
{
	for (char *p = text, *end; *p; p = end) {
		bool inst = strncmp(p, "candidates ", 11) && strncmp(p, "set ", 4) && strncmp(p, "except ", 7) && *p != '#' && *p != '\n';

		end = p + strcspn(p, "\n");
		if (*end)
			*end++ = 0;
		if (inst == instructions)
			fn(p);
	}
}

int
main(void)
{
	size_t size;
	char *list = read_file("tests/ptx/operands.txt", &size), *again = list ? malloc(size + 1) : NULL;

	if (!expect_true(again != NULL, "tests/ptx/operands.txt is not there"))
		return finish();
	memcpy(again, list, size + 1);
	each_line(list, read_line, false);
	each_line(again, try_instruction, true);
	for (int i = 0; i < all.nexcept; i++)
		expect_true(all.except[i].used, "excuses nothing: %s", all.except[i].line);
	if (finish() == 0)
		pass("%d operands, %d by exception", all.asked, all.excused);
	return finish();
}
