/* test_spelling.c -- the same instruction in other bits than ours, as other compilers write it: fields that the
 * hardware does not read, halves of literals that it does not use. AMD's ISA manuals: "Literal constants", "MUBUF". */
#include "t.h"

enum { LANES = 64 };

static void ends(t_code *c)
{
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	if (c->t->family == ISA_GFX9)
		OP(c, s_nop, K(4));
	MEM(c, global_store_dword, 0, V(1), V(2), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
}

/* A literal has 32 bits; an operand of 16 takes the lower half. */
static void literal(t_code *c)
{
	t_prologue(c);
	OP(c, v_mul_lo_u16, V(2), K(0xaaab), V(0));
	c->w[c->n - 1] |= 0xffff0000;
	ends(c);
}
static uint32_t want_literal(uint32_t i) { return (uint16_t)(0xaaab * i); }

/* buffer_wbl2 with the bits that say of later chips which caches are meant. */
static void write_back(t_code *c)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(2), K(5));
	t_word(c, 0xe0a0c000);
	t_word(c, 0);
	ends(c);
}
static uint32_t want_five(uint32_t i) { (void)i; return 5; }

static const struct spelling { const char *name, *chip; void (*code)(t_code *); uint32_t (*want)(uint32_t); } spellings[] = {
	{ "buffer_wbl2 with cache bits", "gfx90a", write_back, want_five },
	{ "a literal with its sign", "gfx906", literal, want_literal },
	{ "a literal with its sign", "gfx90a", literal, want_literal },
};

static void run(const struct spelling *s)
{
	t_code *c = t_new(s->chip);
	t_run r;
	char name[96];
	snprintf(name, sizeof name, "%s on %s", s->name, s->chip);
	c->kernarg = 16;
	s->code(c);
	if (t_load(&r, c, &(emu_config){ .target = s->chip, .threads = 1 })) {
		uint64_t args[2] = { emu_alloc(r.dev, LANES * 4), emu_alloc(r.dev, LANES * 4) };
		emu_launch_config l = { .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
		const uint32_t *out = (const uint32_t *)(uintptr_t)args[1];
		const char *why = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
		for (uint32_t i = 0; i < LANES && !why; i++)
			why = out[i] == s->want(i) ? NULL : "wrong value";
		t_result(name, why);
		t_unload(&r);
	}
	free(c);
}

int main(void)
{
	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
		run(&spellings[i]);
	return t_end();
}
