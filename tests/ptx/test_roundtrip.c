/* test_roundtrip.c -- real modules are taken whole, and printing them gives the same module again.
 * Needs tests/ptx/data and examples/; where ptxas is installed it must take what we print. */
#include "ptx_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
whole(const char *path, unit *u, const char *when)
{
	if (!expect_true(u->diags.nerrors == 0, "%s %s: %s", path, when, unit_first_fault(u)))
		return false;
	for (ptx_func *f = u->m->funcs; f; f = f->next)
		if (!expect_true(f->nbad == 0, "%s %s: %s has faults", path, when, f->sym->name))
			return false;
	return true;
}

/* ptxas refuses code for chips that it has dropped, and functions that are in another module. */
static void
ask_ptxas(const char *path, const unit *u, const char *text, size_t n)
{
	char arch[32], *said;
	size_t k = strcspn(u->m->target, ",");

	if (!have_ptxas() || u->m->sm < 75) {
		skip("%s printed, to ptxas: %s", path, have_ptxas() ? "chip too old for it" : "not installed");
		return;
	}
	snprintf(arch, sizeof arch, "%.*s", (int)k, u->m->target);
	if (expect_true(ptxas(text, n, arch, &said), "%s printed, to ptxas: %.200s", path, said))
		pass("%s printed, to ptxas", path);
	free(said);
}

static void
roundtrip(const char *path, void *ud)
{
	size_t n, n1, n2, n3;
	char *text = read_file(path, &n), *first, *second, *after;
	unit a, b;

	(void)ud;
	unit_open(&a, path, text, n);
	first = unit_print(&a, &n1);
	unit_check(&a);
	after = unit_print(&a, &n3);
	unit_open(&b, path, first, n1);
	second = unit_print(&b, &n2);
	unit_check(&b);
	if (whole(path, &a, "as written") && whole(path, &b, "as printed") &&
	    expect_true(n1 == n2 && !memcmp(first, second, n1), "%s: printing is no fixed point", path)) {
		pass("%s", path);
		ask_ptxas(path, &a, after, n3);
	}
	unit_close(&a);
	unit_close(&b);
	free(text);
}

static void
example(const char *path, void *ud)
{
	*(int *)ud += each_file(path, ".ptx", roundtrip, NULL);
}

int
main(void)
{
	int n = 0;

	expect_true(each_file("tests/ptx/data", ".ptx", roundtrip, NULL) >= 20, "tests/ptx/data is not whole");
	each_file("examples", "", example, &n);
	if (!n)
		skip("examples: there are none");
	return finish();
}
