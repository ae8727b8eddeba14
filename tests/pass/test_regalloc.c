/* test_regalloc.c -- allocated programs store what the programs on values store.
 * Random programs (gen.c) from no pressure to far more live values than registers, on chips of each
 * family, with few and many VGPRs; each is run before and after allocation (sim.c). p_regalloc's own
 * proof (regalloc_check.c) runs on all of them as well. */
#include "gen.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chips[] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200", "gfx900", "gfx942" };

static const struct shape { const char *name; unsigned scalars, vectors, masks, statements, depth, max_vgprs; } shapes[] = {
	{ "small",               6,    6,    2,   8,  2,  0 },
	{ "medium",              30,   40,   8,   12, 3,  0 },
	{ "many scalars",        200,  20,   20,  12, 3,  0 },
	{ "many vectors",        10,   400,  4,   12, 3,  0 },
	{ "few registers",       60,   120,  10,  12, 3,  32 },
	{ "scalars to scratch",  900,  30,   60,  12, 3,  24 },
	{ "everything spills",   700,  900,  100, 10, 3,  64 },
};

static unsigned failures;

static bool
clean(const ir_func *f, const char **why)
{
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (const ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			char text[256];

			for (unsigned k = 0; k < i->m.nargs; k++)
				if (i->m.arg[k].kind == IR_K_VAL) {
					*why = "value left in an operand";
					return false;
				}
			if (i->m.op == P_barrier || (i->m.nargs && i->m.arg[0].kind == IR_K_BLOCK))
				continue;
			p2a_print(f->target, &i->m, text, sizeof text);
			if (p2a_check(f->target, &i->m) < 0 && i->m.op != OP_s_endpgm) {
				*why = arena_printf(f->A, "not encodable (%s): %s", p2a_isa_error_name(p2a_check(f->target, &i->m)), text);
				return false;
			}
		}
	return true;
}

static bool
one(const p2a_target *t, const gen_options *opt, const char **why)
{
	arena A;
	jmp_buf oom;
	ir_func *f;
	sim_result before, after;
	volatile bool ok = false;
	static char text[512];

	if (setjmp(oom)) {
		*why = "out of memory";
		return false;
	}
	arena_init(&A, NULL, NULL, &oom);
	f = gen_program(&A, t, opt);
	before = sim_run(f, 12345);
	p_regalloc(f);
	if (before.wrong) {
		*why = "the generator's program fails";
	} else if (f->mod->diags->list.n) {
		*why = f->mod->diags->list.a[0].message;
	} else if (clean(f, why)) {
		after = sim_run(f, 54321);
		ok = !after.wrong && after.hash == before.hash && after.stores == before.stores;
		*why = after.wrong ? after.wrong : "different stores";
		if (ok && (f->k.vgprs > (f->max_vgprs ? f->max_vgprs : t->vgprs) || f->k.sgprs > t->sgprs)) {
			*why = "more registers than there are";
			ok = false;
		}
	}
	if (getenv("P2A_TEST_VERBOSE"))
		printf("# %s: %u vgprs %u sgprs, spills %u v %u s, scratch %u\n", p2a_target_name(t), f->k.vgprs,
			f->k.sgprs, f->k.vgpr_spills, f->k.sgpr_spills, f->k.scratch_size);
	snprintf(text, sizeof text, "%s", *why ? *why : "");
	*why = text;
	arena_free(&A);
	return ok;
}

static void
run_shape(const struct shape *s, const char *chip, unsigned seeds)
{
	const p2a_target *t = p2a_target_find(chip);
	const char *why = NULL;

	for (unsigned k = 0; k < seeds; k++) {
		gen_options opt = { .seed = k + 1, .scalars = s->scalars, .vectors = s->vectors, .masks = s->masks,
			.statements = s->statements, .depth = s->depth, .max_vgprs = s->max_vgprs };

		if (one(t, &opt, &why))
			continue;
		printf("not ok %s, %s, seed %u: %s\n", s->name, chip, k + 1, why);
		failures++;
		return;
	}
	printf("ok %s, %s\n", s->name, chip);
}

int
main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : getenv("P2A_TEST_QUICK") ? 2 : 12;

	for (size_t s = 0; s < COUNT(shapes); s++)
		for (size_t c = 0; c < COUNT(chips); c++)
			run_shape(&shapes[s], chips[c], shapes[s].vectors + shapes[s].scalars > 300 ? (seeds + 3) / 4 : seeds);
	return failures != 0;
}
