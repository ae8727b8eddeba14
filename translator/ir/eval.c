/* eval.c -- values of generic operations on constants: the last column of gops.def.
 * Needs sources as raw bits, of any width (they are cut here); leaves the result cut to its type.
 * PTX ISA, "bfi" and "bfe"; AMD "RDNA3" ISA, VOP3 (v_bfe, v_bfm, v_bfi, v_alignbit, v_perm). */
#include "ir/ir.h"

#define S32(x) ((int64_t)(int32_t)(uint32_t)(x))

static unsigned
clz32(uint32_t x)
{
	unsigned n = 32;

	for (; x; x >>= 1)
		n--;
	return n;
}

static uint32_t
brev32(uint32_t x)
{
	uint32_t r = 0;

	for (unsigned i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}

/* The low n bits of x, 1 <= n <= 32, as a signed number. */
static uint64_t
sext32(uint64_t x, uint64_t n)
{
	uint64_t sign = (uint64_t)1 << (n - 1);

	return ((x & (sign * 2 - 1)) ^ sign) - sign;
}

/* One byte of v_perm_b32: bytes 0-3 of `low`, 4-7 of `high`; 8-11 signs; 12 zero; above all
 * ones. */
static uint32_t
perm_byte(uint64_t both, uint32_t sel)
{
	if (sel > 12)
		return 0xff;
	if (sel == 12)
		return 0;
	if (sel >= 8)
		return both >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
	return both >> (8 * sel) & 0xff;
}

static uint32_t
perm32(uint32_t high, uint32_t low, uint32_t sel)
{
	uint64_t both = (uint64_t)high << 32 | low;
	uint32_t r = 0;

	for (unsigned i = 0; i < 32; i += 8)
		r |= perm_byte(both, sel >> i & 0xff) << i;
	return r;
}

static uint64_t
dot4(uint64_t a, uint64_t b, bool a_signed, bool b_signed)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < 32; i += 8) {
		int64_t x = a >> i & 0xff, y = b >> i & 0xff;

		sum += (a_signed ? (int8_t)x : x) * (b_signed ? (int8_t)y : y);
	}
	return (uint64_t)sum;
}

static bool
icmp(unsigned cc, uint64_t a, uint64_t b, unsigned bits)
{
	int64_t sa = bits == 32 ? S32(a) : (int64_t)a;
	int64_t sb = bits == 32 ? S32(b) : (int64_t)b;

	switch (cc) {
	case IR_EQ: return a == b;
	case IR_NE: return a != b;
	case IR_LT: return sa < sb;
	case IR_LE: return sa <= sb;
	case IR_GT: return sa > sb;
	case IR_GE: return sa >= sb;
	case IR_LO: return a < b;
	case IR_LS: return a <= b;
	case IR_HI: return a > b;
	default: return a >= b;
	}
}

/* The manual keeps positions and lengths within 8 bits; NVIDIA's assembler does so for 32-bit forms
 * only. */
static uint64_t
field_arg(uint64_t x, unsigned bits, unsigned sem)
{
	return bits == 64 && sem == P2A_SEM_NVIDIA ? x & UINT32_MAX : x & 0xff;
}

static uint64_t
ptx_bfi(uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned bits, unsigned sem)
{
	uint64_t pos = field_arg(c, bits, sem), len = field_arg(d, bits, sem);
	uint64_t msb = bits - 1, f = b;

	for (uint64_t i = 0; i < len && pos + i <= msb; i++)
		f = (f & ~((uint64_t)1 << (pos + i))) | (a >> i & 1) << (pos + i);
	return f;
}

static uint64_t
ptx_bfe(uint64_t a, uint64_t b, uint64_t c, unsigned bits, bool is_signed, unsigned sem)
{
	uint64_t pos = field_arg(b, bits, sem), len = field_arg(c, bits, sem);
	uint64_t msb = bits - 1, sbit = 0, d = 0;

	if (is_signed && len)
		sbit = a >> MIN(pos + len - 1, msb) & 1;
	for (uint64_t i = 0; i <= msb; i++)
		d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit) << i;
	return d;
}

static uint64_t
cut(unsigned type, uint64_t x)
{
	return type == IR_T_B1 ? x & 1 : type == IR_T_W ? x & UINT32_MAX : x;
}

bool
ir_eval(const ir_inst *i, const uint64_t src[4], uint64_t *result)
{
	const ir_ginfo *g = ir_ginfo_of(i->m.op);
	uint64_t a, b, c, d, r;

	if (!g)
		return false;
	a = cut(g->src[0], src[0]);
	b = cut(g->src[1], src[1]);
	c = cut(g->src[2], src[2]);
	d = cut(g->src[3], src[3]);
	switch (i->m.op) {
#define E(x) r = (uint64_t)(x); break
#define N() return false
#define G(id, dst, srcs, flags, eval) case G_##id: eval;
#include "ir/gops.def"
	default: return false;
	}
	*result = cut(g->dst, r);
	return true;
}
