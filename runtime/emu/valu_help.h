/* valu_help.h -- integer helpers of the vector rows; all branch-free enough for the lane loops.
 * Needs nothing.
 * Vega ISA manual 12.8 to 12.12, pseudo code. */
#ifndef EMU_VALU_HELP_H
#define EMU_VALU_HELP_H
#include <stdint.h>

#define HELP static inline __attribute__((always_inline, unused))

HELP uint32_t bit_count(uint32_t a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	return a * 0x01010101 >> 24;
}
HELP uint32_t bit_reverse(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
	return a >> 16 | a << 16;
}
HELP uint32_t add_sat(uint32_t a, uint32_t b) { return a + b < a ? UINT32_MAX : a + b; }
HELP uint32_t sub_sat(uint32_t a, uint32_t b) { return a < b ? 0 : a - b; }
HELP uint32_t add_ssat(uint32_t a, uint32_t b)
{
	uint32_t d = a + b;
	return ((a ^ d) & (b ^ d)) >> 31 ? (a >> 31) + INT32_MAX : d;
}
HELP uint32_t sub_ssat(uint32_t a, uint32_t b)
{
	uint32_t d = a - b;
	return ((a ^ b) & (a ^ d)) >> 31 ? (a >> 31) + INT32_MAX : d;
}
HELP uint32_t sat_i16(int32_t a) { return (uint32_t)(a < -32768 ? -32768 : a > 32767 ? 32767 : a); }
HELP uint32_t sat_u8(int32_t a) { return (uint32_t)(a < 0 ? 0 : a > 255 ? 255 : a); }
HELP uint32_t sat_i32(int64_t a)
{
	return (uint32_t)(a < INT32_MIN ? INT32_MIN : a > INT32_MAX ? INT32_MAX : (int32_t)a);
}
HELP uint32_t sat_u32(uint64_t a) { return a > UINT32_MAX ? UINT32_MAX : (uint32_t)a; }
HELP int32_t min_i(int32_t a, int32_t b) { return a < b ? a : b; }
HELP int32_t max_i(int32_t a, int32_t b) { return a > b ? a : b; }
HELP uint32_t min_u(uint32_t a, uint32_t b) { return a < b ? a : b; }
HELP uint32_t max_u(uint32_t a, uint32_t b) { return a > b ? a : b; }
HELP uint32_t absdiff(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
HELP int32_t bfe_i32(int32_t a, uint32_t pos, uint32_t len)
{
	uint32_t up = len + pos < 32 ? 32 - pos - len : 0;
	int32_t x = (int32_t)((uint32_t)a << (up & 31)) >> ((up + pos) & 31);
	return len ? x : 0;
}
HELP uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;
	for (uint32_t k = 0; k < 32; k += 8)
		d |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1 << k;
	return d;
}
HELP uint32_t sad_u8(uint32_t a, uint32_t b)
{
	uint32_t d = 0;
	for (uint32_t k = 0; k < 32; k += 8)
		d += absdiff(a >> k & 255, b >> k & 255);
	return d;
}
/* V_PERM_B32: selectors 0 to 7 are bytes of {a, b}, 8 to 11 signs of its odd bytes, 12 is 0,
 * more 255 */
HELP uint32_t perm_byte(uint64_t in, uint32_t sel)
{
	uint32_t odd = 8 * ((sel & 3) * 2 + 1) + 7;
	uint32_t byte = (uint32_t)(in >> 8 * (sel & 7)) & 255;
	uint32_t sign = (in >> odd & 1) ? 255 : 0;
	return sel < 8 ? byte : sel < 12 ? sign : sel == 12 ? 0 : 255;
}
HELP uint32_t perm(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t in = (uint64_t)a << 32 | b;
	return perm_byte(in, c & 255) | perm_byte(in, c >> 8 & 255) << 8 |
		perm_byte(in, c >> 16 & 255) << 16 | perm_byte(in, c >> 24) << 24;
}
/* a byte of b that is 0 masks its difference */
HELP uint32_t msad_u8(uint32_t a, uint32_t b)
{
	uint32_t d = 0;
	for (uint32_t k = 0; k < 32; k += 8)
		d += (b >> k & 255) ? absdiff(a >> k & 255, b >> k & 255) : 0;
	return d;
}
/* The same at four places of a, each added to 16 bits of c. */
HELP uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c, uint32_t masked, uint32_t clamp)
{
	uint64_t d = 0;
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t x = (uint32_t)(a >> 8 * k), s = (uint32_t)(c >> 16 * k & 0xffff);
		s += masked ? msad_u8(x, b) : sad_u8(x, b);
		d |= (uint64_t)(clamp && s > 0xffff ? 0xffff : s & 0xffff) << 16 * k;
	}
	return d;
}
/* Sum of the products of parts of that many bits; bit 0 and 1 of sgn: those of a, of b are signed. */
HELP int64_t part_of(uint32_t x, uint32_t at, uint32_t bits, uint32_t sgn)
{
	uint32_t up = x << (32 - bits - at);
	return sgn ? (int32_t)up >> (32 - bits) : (int64_t)(up >> (32 - bits));
}
HELP int64_t dot(uint32_t a, uint32_t b, uint32_t bits, uint32_t sgn)
{
	int64_t d = 0;
	for (uint32_t k = 0; k < 32; k += bits)
		d += part_of(a, k, bits, sgn & 1) * part_of(b, k, bits, sgn & 2);
	return d;
}
HELP uint32_t dot_sat(int64_t p, uint32_t c, uint32_t clamp, uint32_t sgn)
{
	if (!clamp)
		return (uint32_t)p + c;
	return sgn ? sat_i32(p + (int32_t)c) : sat_u32((uint64_t)p + c);
}
/* signed overflow of p + c */
HELP uint32_t add_carry_i64(int64_t p, uint64_t c)
{
	uint64_t d = (uint64_t)p + c;
	return (uint32_t)((((uint64_t)p ^ d) & (c ^ d)) >> 63);
}
#endif
