/* test_inplace.c -- bytes and halves put into values: which are written in place, the text that pass inplace leaves of small
 * kernels. The expected texts were read before they were written down. Where the old value lives on, or a literal stands in
 * the instruction, it stays as it was. */
#include "kit.h"

static ir_opnd u32(kit *k) { return kit_source(k, IR_T_W, false); }
static ir_opnd v32(kit *k) { return kit_special(k, IR_TID_X); }
static ir_opnd w32(kit *k) { return ir_g1(&k->B, G_brev32, v32(k)); }
static ir_opnd g2(kit *k, unsigned op, ir_opnd a, ir_opnd b) { return ir_g2(&k->B, op, a, b); }
static ir_opnd g3(kit *k, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c) { return ir_g3(&k->B, op, a, b, c); }
static ir_opnd n(uint32_t x) { return ir_i32(x); }
static ir_opnd byte1(kit *k, ir_opnd a, ir_opnd b) { return g3(k, G_perm32, a, b, n(0x03020400)); }

static void lanes(kit *k) { kit_use(k, byte1(k, v32(k), w32(k))); }
static void uniform(kit *k) { kit_use(k, byte1(k, u32(k), w32(k))); }
static void constant(kit *k) { kit_use(k, byte1(k, n(0x1234), w32(k))); }
static void half(kit *k) { kit_use(k, g3(k, G_perm32, v32(k), w32(k), n(0x05040100))); }
static void other_byte(kit *k) { kit_use(k, g3(k, G_perm32, w32(k), v32(k), n(0x07060204))); }
static void own_byte(kit *k) { ir_opnd x = w32(k); kit_use(k, g3(k, G_perm32, x, x, n(0x03020300))); }
static void odd_half(kit *k) { kit_use(k, g3(k, G_perm32, v32(k), w32(k), n(0x03050400))); }
static void zero_byte(kit *k) { kit_use(k, g3(k, G_perm32, v32(k), w32(k), n(0x03020c00))); }
static void by_mask(kit *k) { kit_use(k, g3(k, G_bitsel32, n(0xff00), v32(k), w32(k))); }
static void all_but(kit *k) { kit_use(k, g3(k, G_bitsel32, n(0x0000ffff), w32(k), v32(k))); }
static void bits(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, w32(k), n(0xff00ffff)), n(0x770000))); }
static void too_many_bits(kit *k) { kit_use(k, g2(k, G_or32, g2(k, G_and32, w32(k), n(0xff00ffff)), n(0x1770000))); }
static void small(kit *k)
{
	kit_use(k, g2(k, G_or32, g2(k, G_and32, w32(k), n(0xffffff00)), g3(k, G_bfe_u32, u32(k), n(12), n(8))));
}
static void read_before(kit *k)
{
	ir_opnd x = w32(k);

	kit_use(k, g2(k, G_mul32, x, x));
	kit_use(k, byte1(k, v32(k), x));
}
static void read_afterwards(kit *k)
{
	ir_opnd x = w32(k), r = byte1(k, v32(k), x);

	kit_use(k, g2(k, G_xor32, r, x));
}
static void four_bytes(kit *k)
{
	ir_opnd x = w32(k);

	x = g3(k, G_perm32, v32(k), x, n(0x03020104));
	x = g3(k, G_perm32, u32(k), x, n(0x03020400));
	x = g3(k, G_perm32, n(99), x, n(0x03040100));
	kit_use(k, x);
}
/* The selector is needed in any case: nothing is won. */
static void shared_selector(kit *k)
{
	ir_opnd x = w32(k), y = w32(k);

	kit_use(k, byte1(k, v32(k), x));
	kit_use(k, g2(k, G_xor32, byte1(k, v32(k), y), y));
}

static const kit_pattern patterns[] = {
#define P(name, chip, ...) { #name, chip, name, "" __VA_ARGS__ },
#include "inplace.def"
};

/* With an argument: prints inplace.def anew, to be read and put in place. */
int
main(int argc, char **argv)
{
	(void)argv;
	return kit_patterns(patterns, COUNT(patterns), kit_inplace, argc > 1);
}
