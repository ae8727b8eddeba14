/* test_patterns.c -- operations that go together into one instruction, addresses that go into a
 * load, and conditions that never leave SCC or VCC: the text that select makes of small kernels.
 * The expected texts were read before they were written down; values are numbered as they
 * appear. */
#include "kit.h"

static ir_opnd u32(kit *k) { return kit_source(k, IR_T_W, false); }
static ir_opnd v32(kit *k) { return kit_special(k, IR_TID_X); }
static ir_opnd v64(kit *k) { return ir_g2(&k->B, G_pack64, v32(k), ir_g1(&k->B, G_brev32, v32(k))); }
static ir_opnd g1(kit *k, unsigned op, ir_opnd a) { return ir_g1(&k->B, op, a); }
static ir_opnd g2(kit *k, unsigned op, ir_opnd a, ir_opnd b) { return ir_g2(&k->B, op, a, b); }
static ir_opnd g3(kit *k, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c) { return ir_g3(&k->B, op, a, b, c); }
static ir_opnd n(uint32_t x) { return ir_i32(x); }

static ir_opnd
load(kit *k, ir_space space, unsigned bytes, ir_opnd address, int32_t offset)
{
	ir_opnd d = ir_valop(k->f, ir_new_val(k->f, (bytes + 3) / 4));

	ir_gen_to(&k->B, d, G_load, 1, &address);
	ir_last(&k->B)->m.offset = offset;
	ir_last(&k->B)->mem = (ir_mem){ .space = (uint8_t)space, .bytes = (uint8_t)bytes, .align = (uint8_t)MIN(bytes, 16u) };
	return d;
}

static void add3(kit *k) { kit_use(k, g2(k, G_add32, g2(k, G_add32, v32(k), u32(k)), n(7))); }
static void lshl_add(kit *k) { kit_use(k, g2(k, G_add32, v32(k), g2(k, G_shl32, v32(k), n(3)))); }
static void lshl_or(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_shl32, v32(k), n(8)), v32(k))); }
static void and_or(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, v32(k), n(15)), v32(k))); }
static void and_or_literal(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, v32(k), n(0xff00ff)), v32(k))); }
static void or_two(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, v32(k), n(0x7fffff)), g2(k, G_shl32, v32(k), n(23)))); }
static void or3(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_or32, v32(k), u32(k)), v32(k))); }
static void xor3(kit *k) { kit_use(k, g2(k, G_xor32, g2(k, G_xor32, v32(k), u32(k)), v32(k))); }
static void bfe_mask(kit *k) { kit_use(k, g2(k, G_and32, g2(k, G_lshr32, v32(k), n(4)), n(0x3ff))); }
static void bfe_pair(kit *k) { kit_use(k, g2(k, G_ashr32, g2(k, G_shl32, v32(k), n(8)), n(20))); }
static void bfi_masks(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, v32(k), n(0xf0)), g2(k, G_and32, g1(k, G_brev32, v32(k)), n(~0xf0u)))); }
static void and_not(kit *k) { kit_use(k, g2(k, G_and32, v32(k), g1(k, G_not32, g1(k, G_brev32, v32(k))))); }
static void sandn2(kit *k) { kit_use(k, g2(k, G_and32, u32(k), g1(k, G_not32, u32(k)))); }
static void mul5(kit *k) { kit_use(k, g2(k, G_mul32, v32(k), n(5))); }
static void mul24(kit *k) { kit_use(k, g2(k, G_mul32, v32(k), g2(k, G_and32, u32(k), n(0xffff)))); }
static void mad24(kit *k) { kit_use(k, g2(k, G_add32, g2(k, G_mul32, v32(k), g2(k, G_and32, u32(k), n(0xffff))), u32(k))); }
static void mad64(kit *k) { kit_use(k, g2(k, G_add64, g2(k, G_mulw_u32, g1(k, G_brev32, v32(k)), u32(k)), v64(k))); }
static void add64v(kit *k) { kit_use(k, g2(k, G_add64, v64(k), kit_source(k, IR_T_D, false))); }
static void add64s(kit *k) { kit_use(k, g2(k, G_add64, kit_source(k, IR_T_D, false), ir_i64(0x123456789abcull))); }
static void med3(kit *k) { kit_use(k, g2(k, G_min_s32, g2(k, G_max_s32, v32(k), n((uint32_t)-5)), n(5))); }
static void min3(kit *k) { kit_use(k, g2(k, G_min_u32, g2(k, G_min_u32, v32(k), u32(k)), g1(k, G_brev32, v32(k)))); }
static void bcnt(kit *k) { kit_use(k, g2(k, G_add32, g1(k, G_popc32, v32(k)), v32(k))); }
static void sat_sub(kit *k) { kit_use(k, g2(k, G_sub32, n(32), g2(k, G_min_u32, v32(k), n(32)))); }
static void sat_rest(kit *k) { ir_opnd x = v32(k); kit_use(k, g2(k, G_sub32, x, g2(k, G_min_u32, x, n(9)))); }
static void two_sgprs(kit *k) { kit_use(k, g3(k, G_bitsel32, u32(k), u32(k), v32(k))); }
static void funnel(kit *k) { kit_use(k, g1(k, G_lo32, g2(k, G_lshr64, v64(k), n(9)))); }
static void and64v(kit *k) { kit_use(k, g2(k, G_and64, v64(k), ir_i64(0xffffffff00000001ull))); }
static void shl64_far(kit *k) { kit_use(k, g2(k, G_shl64, v64(k), n(40))); }
static void sel_vcc(kit *k) { kit_use(k, g3(k, G_sel32, ir_icmp(&k->B, 32, IR_LT, v32(k), n(9)), u32(k), n(2))); }
static void sel_scc(kit *k) { kit_use(k, g3(k, G_sel32, ir_icmp(&k->B, 32, IR_LO, u32(k), n(9)), u32(k), n(2))); }
static void sel_long(kit *k) { kit_use(k, g3(k, G_sel32, ir_icmp(&k->B, 64, IR_LO, kit_source(k, IR_T_D, false), ir_i64(9)), u32(k), n(2))); }
static void masks(kit *k) { kit_use(k, g3(k, G_sel32, g2(k, G_and1, ir_icmp(&k->B, 32, IR_LT, v32(k), n(9)), g1(k, G_not1, ir_icmp(&k->B, 32, IR_EQ, u32(k), n(1)))), n(1), n(2))); }
static void fneg_sat(kit *k)
{
	ir_opnd a = v32(k), b = u32(k);

	a.mods = P2A_NEG;
	b.mods = P2A_ABS;
	a = g2(k, G_fadd32, a, b);
	ir_last(&k->B)->fp.sat = 1;
	kit_use(k, a);
}
static ir_opnd neg(ir_opnd a) { a.mods = P2A_NEG; return a; }
static void half_fma(kit *k) { kit_use(k, g3(k, G_ffma16, v32(k), n(0xabcd3c00), u32(k))); }
static void pair_sub(kit *k) { kit_use(k, g2(k, G_fadd16x2, v32(k), neg(u32(k)))); }
static void pair_inline(kit *k) { kit_use(k, g2(k, G_fmul16x2, v32(k), neg(n(0xc000c000)))); }
static void pair_literal(kit *k) { kit_use(k, g3(k, G_ffma16x2, v32(k), n(0x12345678), u32(k))); }
static void mixed_fma(kit *k) { kit_use(k, g3(k, G_ffma32, g1(k, G_cvt_f32_f16, g2(k, G_lshr32, v32(k), n(16))), neg(g1(k, G_cvt_f32_f16, v32(k))), u32(k))); }

/* Instructions with two literals each. The moves are of the fewest constants that are in each. */
static ir_opnd bits(kit *k, uint32_t m, uint32_t x) { return g3(k, G_bitsel32, n(m), n(x), v32(k)); }
static void literal_shared(kit *k) { kit_use(k, bits(k, 0xfff00000, 0xef09abcd)); kit_use(k, bits(k, 0xfffff, 0xef09abcd)); }
static void literal_three(kit *k) { literal_shared(k); kit_use(k, bits(k, 0xf0f0, 0xef09abcd)); }
static void literal_alone(kit *k) { kit_use(k, bits(k, 0xfff00000, 0xef09abcd)); }
static void literal_moved(kit *k) { kit_use(k, bits(k, 0xfff00000, 0xef09abcd)); kit_use(k, bits(k, 0xef09abcd, 0x12345678)); }
static void literal_chain(kit *k) { literal_shared(k); kit_use(k, bits(k, 0xfff00000, 0x12345678)); }
static ir_opnd pick(kit *k, ir_opnd a, uint32_t x, uint32_t y) { return g3(k, G_sel32, ir_icmp(&k->B, 32, IR_LO, a, n(9)), n(x), n(y)); }
static void literal_scalar(kit *k) { kit_use(k, g2(k, G_add32, pick(k, u32(k), 0x12345678, 1000), pick(k, u32(k), 0x12345678, 2000))); }
static void literal_vector(kit *k) { kit_use(k, pick(k, v32(k), 1000, 0x12345678)); kit_use(k, pick(k, v32(k), 2000, 0x12345678)); }
static void saddr(kit *k) { kit_use(k, load(k, IR_GLOBAL, 4, g2(k, G_add64, kit_source(k, IR_T_D, false), g2(k, G_pack64, g2(k, G_shl32, v32(k), n(2)), n(0))), 16)); }
static void saddr_wide(kit *k) { kit_use(k, load(k, IR_GLOBAL, 4, g2(k, G_add64, kit_source(k, IR_T_D, false), g2(k, G_mulw_u32, v32(k), n(4))), -8)); }
static void far_offset(kit *k) { kit_use(k, load(k, IR_GLOBAL, 4, g2(k, G_add64, kit_source(k, IR_T_D, false), ir_i64(0x12345)), 3)); }
static void lds_offset(kit *k) { kit_use(k, load(k, IR_SHARED, 4, g2(k, G_add32, v32(k), n(64)), 4)); }
static void lds_negative(kit *k) { kit_use(k, load(k, IR_SHARED, 4, v32(k), -4)); }
static void lds_16(kit *k) { kit_use(k, load(k, IR_SHARED, 16, n(32), 0)); }
static void scratch(kit *k) { kit_use(k, load(k, IR_LOCAL, 8, n(32), 8)); }
static void symbol(kit *k) { kit_use(k, g1(k, G_symaddr, (ir_opnd){ .kind = IR_K_SYM, .width = 2, .imm = 4 })); }
static void ntid(kit *k) { kit_use(k, g2(k, G_add32, kit_special(k, IR_NTID_Y), v32(k))); }
static void lane(kit *k) { kit_use(k, kit_special(k, IR_LANEID)); }
static void tid_y(kit *k) { kit_use(k, kit_special(k, IR_TID_Y)); }

static void
ordered(kit *k, unsigned gop, ir_mem m)
{
	ir_opnd s[2] = { kit_source(k, IR_T_D, false), v32(k) };

	if (gop == G_fence)
		ir_g0(&k->B, gop);
	else
		kit_use(k, ir_gen(&k->B, gop, gop == G_load ? 1 : 2, s));
	m.bytes = m.align = 4;
	for (ir_inst *i = k->B.b->last; i; i = i->prev)
		if (i->m.op == gop && i->mem.space != IR_PARAM && !i->mem.bytes)
			i->mem = m;
}
static void vol_load(kit *k) { ordered(k, G_load, (ir_mem){ .space = IR_GLOBAL, .vol = 1 }); }
static void acquire(kit *k) { ordered(k, G_load, (ir_mem){ .space = IR_GLOBAL, .order = IR_ACQUIRE, .scope = IR_GPU }); }
static void acquire_sys(kit *k) { ordered(k, G_load, (ir_mem){ .space = IR_GLOBAL, .order = IR_ACQUIRE, .scope = IR_SYS }); }
static void release(kit *k) { ordered(k, G_store, (ir_mem){ .space = IR_GLOBAL, .order = IR_RELEASE, .scope = IR_SYS }); }
static void fence(kit *k) { ordered(k, G_fence, (ir_mem){ .space = IR_GLOBAL, .order = IR_ACQ_REL, .scope = IR_GPU }); }
static void barrier(kit *k)
{
	kit_use(k, v32(k));
	ir_g0(&k->B, G_barrier);
}

static const kit_pattern patterns[] = {
#define P(name, chip, ...) { #name, chip, name, "" __VA_ARGS__ },
#include "patterns.def"
};

/* With an argument: prints patterns.def anew, to be read and put in place. */
int
main(int argc, char **argv)
{
	(void)argv;
	return kit_patterns(patterns, COUNT(patterns), kit_select, argc > 1);
}
