/* test_regalloc_text.c -- small kernels with the code that allocation must make of them.
 * Copies that cost nothing (halves into a pair, a half out of it, loop variables), lane masks in VCC,
 * registers that values arrive in, results that must not lie on addresses, the scratch prologue. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

typedef struct kit { ir_func *f; ir_builder B; const p2a_target *t; } kit;

static ir_opnd
reg(kit *K, unsigned bank, unsigned n)
{
	return ir_valop(K->f, ir_new_reg(K->f, bank, n));
}

static ir_opnd v(kit *K, unsigned n) { return reg(K, IR_BANK_V, n); }
static ir_opnd s(kit *K, unsigned n) { return reg(K, IR_BANK_S, n); }

static ir_opnd
arrives(kit *K, unsigned bank, unsigned n, int pin)
{
	ir_opnd o = reg(K, bank, n);

	K->f->vals.a[o.reg].pin = (int16_t)pin;
	ir_m(&K->B, P_entry, 1, o);
	return o;
}

static void
store(kit *K, ir_opnd at, ir_opnd x)
{
	ir_m(&K->B, OP_global_store_dword, 3, at, x, (ir_opnd){ .kind = P2A_K_OFF });
}

static void
load(kit *K, ir_opnd to, ir_opnd at)
{
	ir_m(&K->B, OP_global_load_dword, 3, to, at, (ir_opnd){ .kind = P2A_K_OFF });
}

/* lo | hi << 32 is an address: no instruction. Its high half is used later: none either. */
static void
pack(kit *K)
{
	ir_opnd x = arrives(K, IR_BANK_V, 1, 0), lo = v(K, 1), hi = v(K, 1), pair = v(K, 2), top = v(K, 1);

	ir_m(&K->B, OP_v_xor_b32, 3, hi, x, x);
	ir_m(&K->B, OP_v_add_u32, 3, lo, x, x);
	ir_m(&K->B, P_copy, 2, ir_part(pair, 0, 1), lo)->fresh = true;
	ir_m(&K->B, P_copy, 2, ir_part(pair, 1, 1), hi);
	store(K, pair, lo);
	ir_m(&K->B, P_copy, 2, top, ir_part(pair, 1, 1));
	ir_m(&K->B, OP_v_add_u32, 3, x, top, top);
}

/* The mask of a compare that is used at once lies in VCC: the short forms. */
static void
mask(kit *K)
{
	ir_opnd x = arrives(K, IR_BANK_V, 1, 0), y = arrives(K, IR_BANK_V, 1, 1), m = s(K, K->t->wave / 32u), z = v(K, 1);

	K->f->vals.a[m.reg].is_mask = true;
	ir_m(&K->B, OP_v_cmp_lt_u32, 3, m, x, y);
	ir_m(&K->B, OP_v_cndmask_b32, 4, z, x, y, m);
	ir_m(&K->B, OP_v_xor_b32, 3, x, z, y);
}

/* A multi-dword load may not lie on its address where it may be replayed. */
static void
replay(kit *K)
{
	ir_opnd at = arrives(K, IR_BANK_S, 2, 4), x = s(K, 4), y = s(K, 1);

	ir_m(&K->B, OP_s_load_dwordx4, 3, x, at, (ir_opnd){ .kind = P2A_K_OFF });
	ir_m(&K->B, OP_s_add_u32, 3, y, ir_part(x, 0, 1), ir_part(x, 3, 1));
	ir_m(&K->B, OP_s_xor_b32, 3, y, y, ir_part(x, 1, 1));
}

/* Three values, three VGPRs and no more: one goes to scratch. */
static void
spill(kit *K)
{
	ir_opnd a = arrives(K, IR_BANK_V, 1, 0), b = v(K, 1), c = v(K, 1), at = v(K, 2);

	if (!K->t->arch_scratch) {
		K->f->k.flat_scratch_sgpr = 6;
		K->f->k.wave_offset_sgpr = 9;
	}
	K->f->max_vgprs = 4;
	K->f->local_size = 20;
	ir_m(&K->B, OP_v_add_u32, 3, b, a, a);
	ir_m(&K->B, OP_v_xor_b32, 3, ir_part(at, 0, 1), a, b)->fresh = true;
	ir_m(&K->B, OP_v_add_u32, 3, ir_part(at, 1, 1), a, b);
	load(K, c, at);
	ir_m(&K->B, OP_v_xor_b32, 3, c, c, b);
	ir_m(&K->B, OP_v_xor_b32, 3, c, c, ir_part(at, 0, 1));
	store(K, at, c);
	ir_m(&K->B, OP_v_xor_b32, 3, c, a, b);
	store(K, at, c);
}

static const struct text_case { const char *name, *chip; void (*write)(kit *); const char *want; } cases[] = {
	{ "pack", "gfx90a", pack, "v_xor_b32_e32 v1, v0, v0;v_add_u32_e32 v0, v0, v0;global_store_dword v[0:1], v0, off;"
		"v_add_u32_e32 v0, v1, v1" },
	{ "pack", "gfx1100", pack, "v_xor_b32_e32 v1, v0, v0;v_add_nc_u32_e32 v0, v0, v0;global_store_b32 v[0:1], v0, off;"
		"v_add_nc_u32_e32 v0, v1, v1" },
	{ "mask", "gfx90a", mask, "v_cmp_lt_u32_e32 vcc, v0, v1;v_cndmask_b32_e32 v0, v0, v1, vcc;v_xor_b32_e32 v0, v0, v1" },
	{ "mask", "gfx1030", mask, "v_cmp_lt_u32_e32 vcc_lo, v0, v1;v_cndmask_b32_e32 v0, v0, v1, vcc_lo;v_xor_b32_e32 v0, v0, v1" },
	{ "mask", "gfx1200", mask, "v_cmp_lt_u32_e32 vcc_lo, v0, v1;v_cndmask_b32_e32 v0, v0, v1, vcc_lo;v_xor_b32_e32 v0, v0, v1" },
	{ "replay", "gfx90a", replay, "s_load_dwordx4 s[0:3], s[4:5], 0x0;s_add_u32 s0, s0, s3;s_xor_b32 s0, s0, s1" },
	{ "spill", "gfx90a", spill, NULL },
	{ "spill", "gfx1030", spill, NULL },
	{ "spill", "gfx1100", spill, NULL },
	{ "spill", "gfx1200", spill, NULL },
};

static const char *
text_of(const ir_func *f, char *out, size_t cap)
{
	size_t n = 0;

	for (const ir_inst *i = f->entry->first; i && n < cap; i = i->next) {
		char t[200];

		if (i->m.op == OP_s_endpgm)
			break;
		p2a_print(f->target, &i->m, t, sizeof t);
		n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? ";" : "", t + (t[0] == '\t'));
	}
	return out;
}

static bool
spilled_well(const ir_func *f, const char *got)
{
	static const char *const prologue[ISA_NFAMILY] = {
		"s_add_u32 flat_scratch_lo, s6, s9;s_addc_u32 flat_scratch_hi, s7, 0;",
		"s_add_u32 s6, s6, s9;s_addc_u32 s7, s7, 0;s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s6;"
		"s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s7;", "", "" };
	const char *first = prologue[f->target->family];

	return !strncmp(got, first, strlen(first)) && strstr(got, "scratch_store_") && strstr(got, "offset:32") &&
	       strstr(got, "scratch_load_") && f->k.scratch && f->k.scratch_size >= 36 && f->k.vgprs <= 4;
}

static bool
one(const struct text_case *x)
{
	arena A;
	jmp_buf oom;
	kit K = { .t = p2a_target_find(x->chip) };
	char got[3000] = "";
	const char *why = got;
	volatile bool ok;

	if (setjmp(oom))
		return false;
	arena_init(&A, NULL, NULL, &oom);
	K.f = gen_new(&A, K.t, x->name);
	K.B = (ir_builder){ K.f, ir_new_block(K.f), NULL, 0 };
	K.f->entry = K.B.b;
	x->write(&K);
	ir_m(&K.B, OP_s_endpgm, 0);
	p_regalloc(K.f);
	text_of(K.f, got, sizeof got);
	ok = !K.f->mod->diags->list.n && (x->want ? !strcmp(got, x->want) : spilled_well(K.f, got));
	if (K.f->mod->diags->list.n)
		why = K.f->mod->diags->list.a[0].message;
	printf("%s %s, %s%s%s\n", ok ? "ok" : "not ok", x->name, x->chip, ok ? "" : ": ", ok ? "" : why);
	arena_free(&A);
	return ok;
}

int
main(void)
{
	unsigned failures = 0;

	for (size_t k = 0; k < COUNT(cases); k++)
		failures += !one(&cases[k]);
	return failures != 0;
}
