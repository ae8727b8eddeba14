/* rare.c -- runs the cases of rare.h.
 * Needs each case's code; reports the first work-item that has something else than it should.
 * Launches as emu.h has them. */
#define _POSIX_C_SOURCE 200809L

#include "rare.h"

static const char *compare(const rare *x, const uint32_t *out, uint32_t lanes)
{
	for (uint32_t i = 0; i < lanes * (x->waves ? x->waves : 1); i++)
		if (out[i] != x->want(i, lanes)) {
			printf("# item %u: %08x, not %08x\n", i, out[i], x->want(i, lanes));
			return "wrong";
		}
	return NULL;
}

static void run(const char *chip, const rare *x)
{
	t_code *c = t_new(chip);
	t_run r;
	char name[96];
	t_prologue(c);
	x->code(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, global_store_dword, 0, V(1), V(4), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	snprintf(name, sizeof name, "%s %s", chip, x->name);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint32_t lanes = c->wave64 ? 64 : c->t->wave;
		uint64_t args[2] = { emu_alloc(r.dev, 256), emu_alloc(r.dev, 512) };
		emu_launch_config l = { .block = { lanes * (x->waves ? x->waves : 1), 1, 1 }, .args = args,
			.args_size = sizeof args };
		bool done = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK;
		t_result(name, done ? compare(x, (const uint32_t *)(uintptr_t)args[1], lanes) : r.r.fault.message);
	}
	t_unload(&r);
	free(c);
}

int rare_all(const rare *cases, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		char chips[64], *save = NULL;
		snprintf(chips, sizeof chips, "%s", cases[k].chips);
		for (char *chip = strtok_r(chips, " ", &save); chip; chip = strtok_r(NULL, " ", &save))
			run(chip, &cases[k]);
	}
	return t_end();
}
