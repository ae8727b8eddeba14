/* parse_head.c -- .version, .target and .address_size.
 * Needs the directive's name as the next token; leaves what it says in the module. What is newer than the tables
 * is warned of and goes on: instructions that are not known are refused where they stand.
 * Manual: "Parallel Thread Execution ISA", 11.1. */
#include "ptx/front.h"

#include <string.h>

/* These directives end with their line. */
static void
recover_line(parser *P)
{
	P->stuck = false;
	while (P->t.kind != T_EOF && !P->t.line_start)
		advance(P);
}

/* "7.10" is two integers, not a float, though it reads as one. */
static bool
read_version(const char *s, size_t n, unsigned part[2])
{
	unsigned k = 0, digits = 0;

	part[0] = part[1] = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] >= '0' && s[i] <= '9' && digits++ < 4)
			part[k] = part[k] * 10 + (unsigned)(s[i] - '0');
		else if (s[i] == '.' && digits && k++ == 0)
			digits = 0;
		else
			return false;
	}
	return k == 1 && digits;
}

/* The last minor version of each major one. */
static const uint8_t last_minor[] = { [1] = 5, [2] = 3, [3] = 2, [4] = 3, [5] = 1, [6] = 5, [7] = 8, [8] = 8, [9] = 0 };
enum { NEWEST = COUNT(last_minor) - 1 };

static void
check_version(parser *P, const unsigned part[2])
{
	diag_loc loc = lex_loc(&P->lx, P->t.off, P->t.len);

	if (part[0] >= 1 && part[0] <= NEWEST && part[1] <= last_minor[part[0]])
		return;
	if (part[0] == NEWEST)
		diag_add(P->m->diags, DIAG_newer, loc, arena_printf(P->A, ".version %u.%u", part[0], part[1]),
			(unsigned)NEWEST, (unsigned)last_minor[NEWEST]);
	else if (may_fault(P))
		diag_add(P->m->diags, DIAG_unknown_version, loc, part[0], part[1], (unsigned)NEWEST,
			(unsigned)last_minor[NEWEST]);
}

/* Modules put into one file would be read by the rules of the last. */
static void
check_first(parser *P, const char *directive, bool said)
{
	if (said && lex_may_fault(&P->lx)) {
		diag_add(P->m->diags, DIAG_said_twice, lex_loc(&P->lx, P->t.off, P->t.len), directive);
		P->m->nbad++;
	}
}

void
parse_version(parser *P)
{
	unsigned part[2];

	check_first(P, ".version", P->m->version_major != 0);
	advance(P);
	if (P->t.kind != T_F64 || !read_version(P->lx.src + P->t.off, P->t.len, part)) {
		fault_here(P, "a version such as 8.0");
		recover_line(P);
		return;
	}
	check_version(P, part);
	P->m->version_major = part[0];
	P->m->version_minor = part[1];
	advance(P);
	P->stuck = false;
}

/* ---- .target ---- */

static const uint8_t architectures[] = { 10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75,
	80, 82, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121 };
enum { FIRST_WITH_SUFFIX = 90 };         /* sm_90a, sm_100f: what is of one chip, or one family, only */

/* The number behind "sm_" or "compute_"; 0: it is no such name. */
static unsigned
sm_of(const char *s)
{
	unsigned n = 0;

	if (strncmp(s, "sm_", 3) && strncmp(s, "compute_", 8))
		return 0;
	for (s = strchr(s, '_') + 1; *s >= '0' && *s <= '9' && n < 100000; s++)
		n = n * 10 + (unsigned)(*s - '0');
	if (n >= FIRST_WITH_SUFFIX && (*s == 'a' || *s == 'f'))
		s++;
	return *s ? 0 : n;
}

static bool
is_option(const char *s)
{
	static const char *const row[] = { "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32" };

	for (size_t i = 0; i < COUNT(row); i++)
		if (!strcmp(s, row[i]))
			return true;
	return false;
}

static bool
is_architecture(unsigned sm)
{
	for (size_t i = 0; i < COUNT(architectures); i++)
		if (sm == architectures[i])
			return true;
	return false;
}

static void
check_target(parser *P, const char *s, uint32_t off)
{
	diag_loc loc = lex_loc(&P->lx, off, P->end - off);
	unsigned sm = sm_of(s);

	if (is_option(s) || is_architecture(sm))
		return;
	if (sm > architectures[COUNT(architectures) - 1])
		diag_add(P->m->diags, DIAG_newer, loc, arena_printf(P->A, ".target %s", s), (unsigned)NEWEST,
			(unsigned)last_minor[NEWEST]);
	else if (may_fault(P))
		diag_add(P->m->diags, DIAG_unknown_target, loc, s);
}

void
parse_target(parser *P)
{
	buf b;

	check_first(P, ".target", P->m->target[0] != 0);
	buf_init(&b, P->A);
	advance(P);
	if (P->t.kind == T_NAME && is_option(P->t.s))
		fault_here(P, "a target such as sm_75");
	do {
		uint32_t off = P->t.off;
		const char *s = expect_name(P, "a target such as sm_75");

		if (!s)
			break;
		check_target(P, s, off);
		P->stuck = false;
		if (sm_of(s))
			P->m->sm = sm_of(s);
		buf_printf(&b, "%s%s", b.n ? ", " : "", s);
	} while (accept(P, ','));
	P->m->target = buf_cstr(&b);
	if (P->stuck)
		recover_line(P);
}

void
parse_address_size(parser *P)
{
	uint32_t off;
	uint64_t n;

	advance(P);
	off = P->t.off;
	if (expect_count(P, 64, ".address_size", &n) && n != 32 && n != 64)
		fault_span(P, DIAG_syntax, off, P->end - off, ".address_size is 32 or 64");
	if (P->stuck) {
		recover_line(P);
		return;
	}
	P->m->address_size = (unsigned)n;
	P->m->address_loc = span_from(P, off);
}
