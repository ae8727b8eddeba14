/* test_random.c -- random kernels must do the same before and after each pass, each form must verify,
 * and every value must be as its fact says. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>

enum { ENVS = 4 };

typedef struct step { const char *name; void (*pass)(ir_func *); } step;
static const step steps[] = {
	{ "ssa", p_ssa }, { "fold", p_fold }, { "cse", p_cse }, { "dce", p_dce },
	{ "fold again", p_fold }, { "normalize", p_normalize }, { "licm", p_licm },
	{ "fold after normalize", p_fold }, { "dce at last", p_dce },
};

static const char *why;

static bool
failed(kit *k, const char *pass, const char *what)
{
	why = what;
	if (getenv("P2A_TRACE"))
		fprintf(stderr, "after %s: %s\n%s", pass, what, kit_text(k));
	return false;
}

/* ref: what the mutable form did in each environment. */
static bool
still_same(kit *k, const env *e, const trace *ref, const char *pass)
{
	static trace now;
	ir_fact *facts = p_facts(&k->f);

	for (unsigned n = 0; n < ENVS; n++) {
		kit_run(&k->f, &e[n], facts, &now);
		if (now.fault)
			return failed(k, pass,
				arena_printf(&k->A, "%%%u: %s", now.value, now.fault));
		if (!trace_agrees(&ref[n], &now))
			return failed(k, pass, "stores differ");
	}
	return true;
}

static bool
one_kernel(uint64_t seed, shape s, const char **pass)
{
	static trace ref[ENVS];
	static char text[200];
	rng r = { seed };
	env e[ENVS];
	kit k;
	bool ok = true;

	kit_open(&k);
	kit_random(&k, &r, s);
	*pass = "nothing";
	why = ir_verify(&k.f, IR_V_LOWERED);
	ok = !why;
	if (ok && getenv("P2A_TRACE"))
		fprintf(stderr, "%s", kit_text(&k));
	for (unsigned n = 0; n < ENVS; n++) {
		kit_env(&k.f, &r, &e[n]);
		kit_run(&k.f, &e[n], NULL, &ref[n]);
	}
	for (unsigned p = 0; ok && p < COUNT(steps); p++) {
		const char *bad;

		*pass = steps[p].name;
		steps[p].pass(&k.f);
		bad = ir_verify(&k.f, IR_V_SSA);
		ok = bad ? failed(&k, *pass, bad) : still_same(&k, e, ref, *pass);
	}
	if (!ok)
		snprintf(text, sizeof text, "%s", why);
	why = text;
	kit_close(&k);
	return ok;
}

static void
many(const char *name, unsigned n, shape s)
{
	const char *pass = "";

	n = t_rounds(n);
	for (unsigned k = 0; k < n; k++)
		if (!one_kernel(k, s, &pass)) {
			t_ok(false, name, "seed %u, after %s: %s", k, pass, why);
			return;
		}
	t_ok(true, name, " ");
}

/* test_random SEED BLOCKS INSTS: one kernel, printed where it goes wrong with P2A_TRACE set. */
int
main(int argc, char **argv)
{
	const char *pass;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 3) {
		shape s = { (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), true, true };
		bool ok = one_kernel((uint64_t)atoll(argv[1]), s, &pass);

		t_ok(ok, "one kernel", "after %s: %s", pass, why);
		return t_end();
	}
	many("straight-line kernels", 6000, (shape){ 1, 24, true, true });
	many("kernels of a few blocks", 6000, (shape){ 5, 8, true, true });
	many("kernels of many blocks", 2000, (shape){ 24, 6, true, true });
	many("graphs with few instructions", 4000, (shape){ 12, 2, true, true });
	many("long kernels", 100, (shape){ 40, 60, true, true });
	return t_end();
}
