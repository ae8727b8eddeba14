/* test_every_op.c -- every generic operation selects on every chip, from uniform and from
 * per-lane sources, and what comes out passes the verifier and can be encoded. */
#include "kit.h"

#include <stdio.h>

static void
attributes(ir_inst *i, unsigned variant)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);
	static const uint8_t space[] = { IR_GLOBAL, IR_GENERIC, IR_CONST };

	if (g->flags & IR_CC)
		i->cc = (uint8_t)(i->m.op == G_icmp32 || i->m.op == G_icmp64 ? variant % (IR_HS + 1)
				  : variant % 14 < 6                         ? variant % 14
						     : IR_EQU + variant % 14 - 6);
	if (g->flags & IR_FP)
		i->fp = (ir_fp){ .ftz = variant & 1,
				 .sat = (variant >> 1 & 1) && !(g->flags & IR_CC) &&
					g->dst != IR_T_B1 };
	if (i->m.op == G_load || i->m.op == G_store)
		i->mem = (ir_mem){ .space = space[variant % 3], .bytes = 4, .align = 4 };
	if (i->m.op == G_store && i->mem.space == IR_CONST)
		i->mem.space = IR_GLOBAL;
	if (i->m.op == G_atomic || i->m.op == G_cas)
		i->mem = (ir_mem){ .space = space[variant % 2], .bytes = (uint8_t)(i->m.arg[0].width * 4),
				   .rmw = (uint8_t)(i->m.op == G_cas ? IR_RMW_cas : 3 + variant % 10),
				   .order = variant % 5 & 7, .scope = (variant / 2) & 1 };
	if (i->m.op == G_special)
		i->m.offset = (int32_t)(variant % IR_NSPECIAL);
}

static bool
integer_source(unsigned gop, unsigned n)
{
	return gop == G_cvt_f32_s32 || gop == G_cvt_f32_u32 || gop == G_cvt_f64_s32 ||
	       gop == G_cvt_f64_u32 || ((gop == G_fldexp32 || gop == G_fldexp64) && n == 1);
}

static ir_opnd
emit(kit *k, unsigned gop, unsigned mask, unsigned variant)
{
	const ir_ginfo *g = ir_ginfo_of(gop);
	ir_opnd s[4], d;

	for (unsigned n = 0; n < g->nsrc; n++)
		s[n] = kit_source(k, g->src[n] == IR_T_X ? IR_T_D : (ir_type)g->src[n],
				  mask >> n & 1);
	if (gop == G_word)
		s[1] = ir_i32(1);
	if (gop == G_symaddr)
		s[0] = (ir_opnd){ .kind = IR_K_SYM, .width = 2, .reg = 0, .imm = 8 };
	for (unsigned n = 1; n < g->nsrc && (gop == G_atomic || gop == G_cas); n++)
		s[n] = kit_source(k, IR_T_W, mask >> n & 1);
	if (gop == G_store)
		s[1] = kit_source(k, IR_T_W, mask >> 1 & 1);
	if (g->flags & IR_FP)
		for (unsigned n = 0; n < g->nsrc; n++)
			s[n].mods = integer_source(gop, n) ? 0 : (variant + n) & 3;
	d = ir_gen(&k->B, gop, g->nsrc, s);
	attributes(ir_last(&k->B), variant);
	return d;
}

static void
one(unsigned gop, const char *chip, unsigned mask, unsigned variant)
{
	kit *k = kit_new(chip);
	ir_opnd d = emit(k, gop, mask, variant);
	const char *why;

	kit_use(k, d);
	kit_ret(k);
	why = kit_select(k);
	if (why)
		kit_ok(false, why, "%s on %s, per-lane sources %x, variant %u",
		       ir_ginfo_of(gop)->name, chip, mask, variant);
	kit_free(k);
}

static bool
skipped(unsigned gop)
{
	const ir_ginfo *g = ir_ginfo_of(gop);

	return gop == G_phi || (g->flags & IR_TERM) || (gop >= G_ptx_bfi32 && gop <= G_ptx_szext_s32) ||
	       gop == G_shfl || gop == G_shfl_in || gop == G_await;
}

int
main(void)
{
	for (unsigned gop = IR_G_BASE + 1; gop < P_entry; gop++) {
		if (skipped(gop))
			continue;
		for (unsigned c = 0; c < 4; c++) {
			if (gop >= G_dot4_u && gop <= G_dot4_su && ir_dot_op(p2a_target_find(kit_chips[c]), gop) == ISA_NOPS)
				continue;
			for (unsigned mask = 0; mask < 1u << ir_ginfo_of(gop)->nsrc; mask++)
				for (unsigned v = 0;
				     v < (ir_ginfo_of(gop)->flags & ~(IR_PURE | IR_COMM) ||
							  gop == G_special
						  ? 14
						  : 1);
				     v++)
					one(gop, kit_chips[c], mask, v);
		}
		kit_ok(true, NULL, "%s", ir_ginfo_of(gop)->name);
	}
	return kit_failures();
}
