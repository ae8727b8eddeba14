/* test_sdwa.c -- parts of words taken into the instructions that read them, results written to a part: the text that
 * pass sdwa leaves of small kernels. The expected texts were read before they were written down. What does not pay
 * or is not the same stays as it was. */
#include "kit.h"

static ir_opnd u32(kit *k) { return kit_source(k, IR_T_W, false); }
static ir_opnd v32(kit *k) { return kit_special(k, IR_TID_X); }
static ir_opnd w32(kit *k) { return ir_g1(&k->B, G_brev32, v32(k)); }
static ir_opnd g1(kit *k, unsigned op, ir_opnd a) { return ir_g1(&k->B, op, a); }
static ir_opnd g2(kit *k, unsigned op, ir_opnd a, ir_opnd b) { return ir_g2(&k->B, op, a, b); }
static ir_opnd g3(kit *k, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c) { return ir_g3(&k->B, op, a, b, c); }
static ir_opnd n(uint32_t x) { return ir_i32(x); }
static ir_opnd low(kit *k, ir_opnd x, uint32_t mask) { return g2(k, G_and32, x, n(mask)); }

static void byte0(kit *k) { kit_use(k, g2(k, G_xor32, low(k, v32(k), 255), w32(k))); }
static void byte1(kit *k) { kit_use(k, g2(k, G_sub32, g3(k, G_bfe_u32, v32(k), n(8), n(8)), w32(k))); }
static void byte3(kit *k) { kit_use(k, g2(k, G_sub32, w32(k), g2(k, G_lshr32, w32(k), n(24)))); }
static void half1(kit *k) { kit_use(k, g2(k, G_mul_u24, g2(k, G_lshr32, w32(k), n(16)), w32(k))); }
static void byte2_sext(kit *k) { kit_use(k, g2(k, G_min_s32, g3(k, G_bfe_s32, w32(k), n(16), n(8)), w32(k))); }
static void half1_sext(kit *k) { kit_use(k, g2(k, G_xor32, g2(k, G_ashr32, w32(k), n(16)), w32(k))); }
static void two(kit *k) { kit_use(k, g2(k, G_mul_u24, low(k, w32(k), 255), g2(k, G_lshr32, w32(k), n(24)))); }
static void square(kit *k) { ir_opnd t = low(k, w32(k), 255); kit_use(k, g2(k, G_mul_u24, t, t)); }
static void count(kit *k) { kit_use(k, g2(k, G_shl32, w32(k), low(k, v32(k), 255))); }
static void scalar(kit *k) { kit_use(k, g2(k, G_xor32, low(k, w32(k), 255), u32(k))); }
static void inline_constant(kit *k) { kit_use(k, g2(k, G_min_u32, low(k, w32(k), 255), n(7))); }
static void compare(kit *k) { kit_use(k, ir_icmp(&k->B, 32, IR_LO, low(k, w32(k), 255), v32(k))); }
static void convert(kit *k) { kit_use(k, g1(k, G_cvt_f32_s32, g3(k, G_bfe_s32, w32(k), n(8), n(8)))); }
static void half_float(kit *k) { kit_use(k, g1(k, G_cvt_f32_f16, g2(k, G_lshr32, w32(k), n(16)))); }
static void moved_byte(kit *k) { kit_use(k, g2(k, G_shl32, g3(k, G_bfe_u32, w32(k), n(16), n(8)), n(8))); }
static void three_uses(kit *k)
{
	ir_opnd x = w32(k), t = low(k, x, 255);

	kit_use(k, g2(k, G_xor32, g2(k, G_sub32, t, x), g2(k, G_min_u32, t, x)));
	kit_use(k, g2(k, G_shl32, x, t));
}
/* One of the users takes no selection, so the mask stays, and nothing would be saved. */
static void other_use(kit *k)
{
	ir_opnd x = w32(k), t = low(k, x, 255);

	kit_use(k, g2(k, G_xor32, t, x));
	kit_use(k, t);
}
static void vop3_user(kit *k) { kit_use(k, g3(k, G_alignbit32, low(k, w32(k), 255), v32(k), n(3))); }
static void odd_field(kit *k) { kit_use(k, g2(k, G_xor32, g3(k, G_bfe_u32, w32(k), n(4), n(8)), v32(k))); }
static void table_byte1(kit *k) { kit_use(k, low(k, g2(k, G_lshr32, w32(k), n(6)), 0x3fc)); }
static void table_byte0(kit *k) { kit_use(k, low(k, g2(k, G_shl32, w32(k), n(2)), 0x3fc)); }
static void table_half1(kit *k) { kit_use(k, low(k, g2(k, G_lshr32, w32(k), n(13)), 0x7fff8)); }
static void table_odd(kit *k) { kit_use(k, low(k, g2(k, G_lshr32, w32(k), n(7)), 0x3fc)); }
static void low_result(kit *k) { kit_use(k, low(k, g2(k, G_sub32, w32(k), v32(k)), 0xffff)); }
static void signed_result(kit *k) { kit_use(k, g3(k, G_bfe_s32, g2(k, G_sub32, w32(k), v32(k)), n(0), n(8))); }
static void top_result(kit *k) { kit_use(k, g2(k, G_shl32, g2(k, G_sub32, w32(k), v32(k)), n(24))); }
static void second_result(kit *k) { kit_use(k, g2(k, G_shl32, low(k, g2(k, G_sub32, w32(k), v32(k)), 255), n(8))); }
static void read_twice(kit *k)
{
	ir_opnd x = g2(k, G_sub32, w32(k), v32(k));

	kit_use(k, g2(k, G_shl32, x, n(24)));
	kit_use(k, x);
}

static const kit_pattern patterns[] = {
#define P(name, chip, ...) { #name, chip, name, "" __VA_ARGS__ },
#include "sdwa.def"
};

/* With an argument: prints sdwa.def anew, to be read and put in place. */
int
main(int argc, char **argv)
{
	(void)argv;
	return kit_patterns(patterns, COUNT(patterns), kit_sdwa, argc > 1);
}
