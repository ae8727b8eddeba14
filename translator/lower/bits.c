/* bits.c -- logic, shifts, bit fields, permutes: everything that moves single bits.
 * Needs L->in with .b (or .u/.s) types; leaves G_* whose counts are within range.
 * Manual: "Parallel Thread Execution ISA", 9.7.8 (logic, shift), 9.7.1 (fields), 9.7.9 (prmt). */
#include "lower/lower.h"

/* and or xor, predicates too: row->g for 32 and 64 bits; those of predicates stand beside them. */
void
lower_logic(lower *L)
{
	ptx_type t = lo_type(L, 0);
	unsigned gop = L->row->g[lo_is64(L)];

	if (t == PTX_PRED)
		gop = gop == G_and32 ? G_and1 : gop == G_or32 ? G_or1 : G_xor1;
	lo_dst(L, ir_g2(&L->b, gop, lo_src(L, 1, t), lo_src(L, 2, t)));
}

void
lower_not(lower *L)
{
	ptx_type t = lo_type(L, 0);

	lo_dst(L, ir_g1(&L->b, t == PTX_PRED ? G_not1 : L->row->g[lo_is64(L)], lo_src(L, 1, t)));
}

/* cnot: 1 where the source is 0, else 0 */
void
lower_cnot(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd a = lo_xsrc(L, 1, t), zero = a.width == 2 ? ir_i64(0) : ir_i32(0);
	ir_opnd one = a.width == 2 ? ir_i64(1) : ir_i32(1);

	lo_dst(L, lo_sel(L, ir_icmp(&L->b, lo_bits(L), IR_EQ, a, zero), one, zero));
}

/* Shifts: counts above the width clamp to it; the machine's wrap (gops.def). */

static ir_opnd
count_at_most(lower *L, ir_opnd n, uint32_t max)
{
	return ir_g2(&L->b, G_min_u32, n, ir_i32(max));
}

/* shifted where n < bits, else 0 */
static ir_opnd
zero_beyond(lower *L, ir_opnd shifted, ir_opnd n, uint32_t bits)
{
	ir_opnd zero = shifted.width == 2 ? ir_i64(0) : ir_i32(0);

	return lo_sel(L, ir_icmp(&L->b, 32, IR_LO, n, ir_i32(bits)), shifted, zero);
}

void
lower_shl(lower *L)
{
	ir_builder *B = &L->b;
	unsigned gop = lo_is64(L) ? G_shl64 : G_shl32;
	ir_opnd a = lo_src(L, 1, lo_type(L, 0)), n = lo_src(L, 2, PTX_U32);

	if (lo_bits(L) == 16)
		lo_dst(L, ir_g2(B, gop, a, count_at_most(L, n, 31)));
	else
		lo_dst(L, zero_beyond(L, ir_g2(B, gop, a, n), n, lo_bits(L)));
}

/* shr.b is shr.u */
void
lower_shr(lower *L)
{
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 0);
	bool s = ptx_is_signed(t), d = lo_is64(L);
	unsigned gop = s ? (d ? G_ashr64 : G_ashr32) : d ? G_lshr64 : G_lshr32;
	ir_opnd a = lo_xsrc(L, 1, t), n = lo_src(L, 2, PTX_U32);

	if (s || lo_bits(L) == 16)
		lo_dst(L, ir_g2(B, gop, a, count_at_most(L, n, d ? 63 : 31)));
	else
		lo_dst(L, zero_beyond(L, ir_g2(B, gop, a, n), n, lo_bits(L)));
}

/* shf: the pair b:a shifted; .l gives its high dword, .r its low one. */
static ir_opnd
funnel_left(lower *L, ir_opnd a, ir_opnd b, ir_opnd n)
{
	ir_builder *B = &L->b;
	uint32_t c = (uint32_t)n.imm & 63;

	if (ir_is_imm(n) && c > 0 && c < 32)
		return ir_g3(B, G_alignbit32, b, a, ir_i32(32 - c));
	if (ir_same(a, b))
		return ir_g3(B, G_alignbit32, a, a, ir_g2(B, G_sub32, ir_i32(0), n));
	return lo_word(L, ir_g2(B, G_shl64, ir_g2(B, G_pack64, a, b), n), 1);
}

static ir_opnd
funnel_right(lower *L, ir_opnd a, ir_opnd b, ir_opnd n, bool clamp)
{
	ir_builder *B = &L->b;

	if (!clamp || (ir_is_imm(n) && n.imm < 32))
		return ir_g3(B, G_alignbit32, b, a, n);
	return lo_word(L, ir_g2(B, G_lshr64, ir_g2(B, G_pack64, a, b), n), 0);
}

void
lower_shf(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_B32), b = lo_src(L, 2, PTX_B32), n = lo_src(L, 3, PTX_U32);
	bool clamp = lo_has(L, PTX_M_clamp);

	n = clamp ? count_at_most(L, n, 32) : ir_g2(&L->b, G_and32, n, ir_i32(31));
	if (lo_has(L, PTX_M_l))
		lo_dst(L, funnel_left(L, a, b, n));
	else
		lo_dst(L, funnel_right(L, a, b, n, clamp));
}

/* lop3: the postfix program of its table, on a stack. */
static const char *const lop3_program[256] = {
#define L3(table, program) [table] = program,
#include "lower/lop3.def"
#undef L3
};

const char *
lower_lop3_program(unsigned table)
{
	return lop3_program[table & 0xff];
}

static unsigned
lop3_step(lower *L, char c, const ir_opnd src[3], ir_opnd *s, unsigned n)
{
	ir_builder *B = &L->b;

	switch (c) {
	case 'a': case 'b': case 'c': s[n] = src[c - 'a']; return n + 1;
	case '0': s[n] = ir_i32(0); return n + 1;
	case '1': s[n] = ir_i32(UINT32_MAX); return n + 1;
	case '~': s[n - 1] = ir_g1(B, G_not32, s[n - 1]); return n;
	case '&': s[n - 2] = ir_g2(B, G_and32, s[n - 2], s[n - 1]); return n - 1;
	case '|': s[n - 2] = ir_g2(B, G_or32, s[n - 2], s[n - 1]); return n - 1;
	case '^': s[n - 2] = ir_g2(B, G_xor32, s[n - 2], s[n - 1]); return n - 1;
	default: s[n - 3] = ir_g3(B, G_bitsel32, s[n - 3], s[n - 2], s[n - 1]); return n - 2;
	}
}

/* d|p: p = (r != 0) or|and q */
static void
lop3_results(lower *L, ir_opnd r)
{
	const ptx_operand *o = L->in->ops;
	bool either = lo_has(L, PTX_M_or);
	ir_opnd p;

	if (!either && !lo_has(L, PTX_M_and)) {
		lo_dst(L, r);
		return;
	}
	p = ir_icmp(&L->b, 32, IR_NE, r, ir_i32(0));
	p = ir_g2(&L->b, either ? G_or1 : G_and1, p, lo_src(L, 5, PTX_PRED));
	lo_set(L, &o->sub[0], r);
	lo_set(L, &o->sub[1], p);
}

void
lower_lop3(lower *L)
{
	ir_opnd src[3], table = lo_src(L, 4, PTX_B32), stack[8];
	unsigned n = 0;

	for (unsigned i = 0; i < 3; i++)
		src[i] = lo_src(L, i + 1, PTX_B32);
	if (!ir_is_imm(table))
		lo_refuse(L, ": the table is not a constant");
	if (L->refused)
		return;
	for (const char *p = lop3_program[table.imm & 0xff]; *p; p++)
		n = lop3_step(L, *p, src, stack, n);
	lop3_results(L, stack[0]);
}

/* prmt: bytes of b:a. perm32 counts bytes as prmt does; its signs are not those of prmt. */

/* The low two bits of the third operand, or one, name a byte or a half: 8 or 16 times that. */
static ir_opnd
by_bytes(lower *L, ir_opnd c)
{
	return ir_g2(&L->b, G_shl32, c, ir_i32(3));
}

static ir_opnd
reversed_bytes(lower *L, ir_opnd a)
{
	return ir_g3(&L->b, G_perm32, a, a, ir_i32(0x00010203));
}

static ir_opnd
forward(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	return ir_g3(&L->b, G_alignbit32, b, a, by_bytes(L, c));
}

/* Bytes c, c - 1 .. are bytes 3 - c .. of both operands reversed. */
static ir_opnd
backward(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd n = ir_g2(&L->b, G_sub32, ir_i32(24), by_bytes(L, c));

	return ir_g3(&L->b, G_alignbit32, reversed_bytes(L, b), reversed_bytes(L, a), n);
}

static ir_opnd
replicate8(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd x = ir_g2(&L->b, G_lshr32, a, by_bytes(L, c));

	(void)b;
	return ir_g3(&L->b, G_perm32, x, x, ir_i32(0));
}

static ir_opnd
replicate16(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd x = ir_g2(&L->b, G_lshr32, a, ir_g2(&L->b, G_shl32, c, ir_i32(4)));

	(void)b;
	return ir_g3(&L->b, G_perm32, x, x, ir_i32(0x01000100));
}

/* The bytes below byte c, or those from it on, become byte c. */
static ir_opnd
clamp_left(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd below = ir_g2(&L->b, G_bfm32, by_bytes(L, c), ir_i32(0));

	return ir_g3(&L->b, G_bitsel32, below, replicate8(L, a, b, c), a);
}

static ir_opnd
clamp_right(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_opnd below = ir_g2(&L->b, G_bfm32, by_bytes(L, c), ir_i32(0));

	return ir_g3(&L->b, G_bitsel32, below, a, replicate8(L, a, b, c));
}

enum { PRMT_MODES = 6 };
static const struct {
	ptx_mod mod;
	uint32_t sel[4];         /* perm32's selector for the low two bits 0, 1, 2, 3, if they are known */
	ir_opnd (*any)(lower *, ir_opnd a, ir_opnd b, ir_opnd c);
} prmt_mode[PRMT_MODES] = {
	{ PTX_M_f4e,  { 0x03020100, 0x04030201, 0x05040302, 0x06050403 }, forward },
	{ PTX_M_b4e,  { 0x05060700, 0x06070001, 0x07000102, 0x00010203 }, backward },
	{ PTX_M_rc8,  { 0x00000000, 0x01010101, 0x02020202, 0x03030303 }, replicate8 },
	{ PTX_M_ecl,  { 0x03020100, 0x03020101, 0x03020202, 0x03030303 }, clamp_left },
	{ PTX_M_ecr,  { 0x00000000, 0x01010100, 0x02020100, 0x03020100 }, clamp_right },
	{ PTX_M_rc16, { 0x01000100, 0x03020302, 0x01000100, 0x03020302 }, replicate16 },
};

/* The four selector nibbles of c, a byte each. */
static ir_opnd
nibbles_to_bytes(lower *L, ir_opnd c)
{
	ir_builder *B = &L->b;
	ir_opnd odd = ir_g2(B, G_lshr32, c, ir_i32(4));
	ir_opnd t = ir_g3(B, G_perm32, c, odd, ir_i32(0x01050004));

	return ir_g2(B, G_and32, t, ir_i32(0x0f0f0f0f));
}

/* Every byte becomes its sign: perm32 gives those of halves. */
static ir_opnd
byte_signs(lower *L, ir_opnd x)
{
	ir_opnd up = ir_g2(&L->b, G_shl32, x, ir_i32(8));

	return ir_g3(&L->b, G_perm32, x, up, ir_i32(0x0b090a08));
}

/* 0xff where bit 3 of a selector byte is set: 15 makes ones, 7 takes a byte of zero. */
static ir_opnd
sign_wanted(lower *L, ir_opnd sel)
{
	ir_builder *B = &L->b;
	ir_opnd s = ir_g2(B, G_or32, sel, ir_i32(0x07070707));

	return ir_g3(B, G_perm32, ir_i32(0), ir_i32(0), s);
}

/* Default mode: bit 3 of a nibble spreads the sign of the byte that it names. */
static ir_opnd
permute(lower *L, ir_opnd a, ir_opnd b, ir_opnd c)
{
	ir_builder *B = &L->b;
	ir_opnd sel = nibbles_to_bytes(L, c);
	ir_opnd r = ir_g3(B, G_perm32, b, a, ir_g2(B, G_and32, sel, ir_i32(0x07070707)));
	ir_opnd mask = sign_wanted(L, sel);

	if (ir_is_imm(mask) && !mask.imm)
		return r;
	return ir_g3(B, G_bitsel32, mask, byte_signs(L, r), r);
}

/* ---- prmt by a constant selector ----
 * perm32 has the signs of bytes 1 and 3 of its operands. Those of bytes 0 and 2 are there once the operand is turned up by
 * a byte, and all four bytes as well: one perm32 does where no operand needs both. Or a first perm32 puts what is needed
 * side by side, up to two bytes whose signs are at 1 and 3. */

/* What the selector takes of an operand: signs of its even and odd bytes, its top byte, anything. */
typedef struct taken { bool even, odd, top, any; } taken;

/* One nibble: a byte that is constant (perm32's selector for it), or of operand x. */
typedef struct nibble { uint8_t constant, x, at; bool sign; } nibble;

enum { PERM_ZERO = 12, PERM_ONES = 13 };

static nibble
nibble_of(const ir_opnd x[2], uint32_t c, unsigned k)
{
	unsigned n = c >> 4 * k & 15;
	nibble r = { 0, n >> 2 & 1, n & 3, n & 8 };
	uint32_t byte = (uint32_t)x[r.x].imm >> 8 * r.at & 0xff;

	if (ir_is_imm(x[r.x]) && r.sign)
		byte = byte >> 7 ? 0xff : 0;
	if (ir_is_imm(x[r.x]) && (byte == 0 || byte == 0xff))
		r.constant = byte ? PERM_ONES : PERM_ZERO;
	return r;
}

static void
take(taken t[2], const nibble *n)
{
	taken *x = &t[n->x];

	if (n->constant)
		return;
	x->any = true;
	x->even |= n->sign && !(n->at & 1);
	x->odd |= n->sign && n->at & 1;
	x->top |= !n->sign && n->at == 3;
}

/* perm32's selector for a byte of its operand `high` or the other, which is turned or not. */
static uint32_t
perm_selector(const nibble *n, unsigned high, unsigned turned)
{
	unsigned at = (n->at + turned) & 3;

	return n->constant ? n->constant : n->sign ? 8 + 2 * high + (at >> 1) : 4 * high + at;
}

static ir_opnd
turned_up(lower *L, ir_opnd x, bool top)
{
	return top ? ir_g3(&L->b, G_alignbit32, x, x, ir_i32(24)) : ir_g2(&L->b, G_shl32, x, ir_i32(8));
}

/* Both kinds of signs of x alone; bytes of the other operand are zero. */
static ir_opnd
permute_one(lower *L, ir_opnd x, unsigned which, const nibble n[4])
{
	uint32_t sel = 0;

	for (unsigned k = 0; k < 4; k++) {
		bool turned = n[k].sign && !(n[k].at & 1);

		sel |= (n[k].constant || n[k].x == which ? perm_selector(&n[k], !turned, turned) : PERM_ZERO) << 8 * k;
	}
	return ir_g3(&L->b, G_perm32, x, turned_up(L, x, false), ir_i32(sel));
}

/* No operand needs both. ready: bytes of operand 0 stand in their places already. */
static ir_opnd
permute_two(lower *L, ir_opnd x[2], const taken t[2], const nibble n[4], bool ready)
{
	uint32_t sel = 0;

	for (unsigned k = 0; k < 4; k++)
		sel |= (ready && !n[k].x ? k : perm_selector(&n[k], n[k].x, t[n[k].x].even)) << 8 * k;
	for (unsigned h = 0; h < 2; h++)
		if (t[h].even && !(ready && !h))
			x[h] = turned_up(L, x[h], t[h].top);
	return ir_g3(&L->b, G_perm32, x[1], x[0], ir_i32(sel));
}

/* Where a byte of the operands stands in `place`, which gets it if it has it not: at 1 or 3 if its sign is needed, else last
 * there; 4: no room. */
static unsigned
stands_at(uint8_t place[4], unsigned byte, bool sign)
{
	static const uint8_t order[2][4] = { { 0, 2, 1, 3 }, { 1, 3 } };

	for (unsigned k = 0; k < 4; k++)
		if (place[k] == byte)
			return k;
	for (unsigned k = 0; k < (sign ? 2u : 4u); k++)
		if (place[order[sign][k]] == PERM_ZERO) {
			place[order[sign][k]] = (uint8_t)byte;
			return order[sign][k];
		}
	return 4;
}

/* Side by side first; false: more than two bytes' signs are needed. */
static bool
permute_twice(lower *L, const ir_opnd x[2], const nibble n[4], ir_opnd *r)
{
	uint8_t place[4] = { PERM_ZERO, PERM_ZERO, PERM_ZERO, PERM_ZERO };
	uint32_t first = 0, second = 0;

	for (unsigned sign = 2; sign-- > 0;)
		for (unsigned k = 0; k < 4; k++) {
			unsigned at;

			if (n[k].sign != sign || n[k].constant)
				continue;
			at = stands_at(place, 4u * n[k].x + n[k].at, sign);
			if (at == 4)
				return false;
			second |= (sign ? 8 + at / 2 : at) << 8 * k;
		}
	for (unsigned k = 0; k < 4; k++) {
		first |= (uint32_t)place[k] << 8 * k;
		second |= (uint32_t)n[k].constant << 8 * k;
	}
	*r = ir_g3(&L->b, G_perm32, x[1], x[0], ir_i32(first));
	*r = ir_g3(&L->b, G_perm32, *r, *r, ir_i32(second));
	return true;
}

static bool
all_signs(uint32_t c)
{
	return (c & 0x8888) == 0x8888;
}

static ir_opnd
permute_known(lower *L, ir_opnd a, ir_opnd b, uint32_t c)
{
	ir_opnd x[2] = { a, b }, r;
	taken t[2] = { { 0 } };
	nibble n[4];
	unsigned full;

	if (ir_same(a, b))
		c &= 0xbbbb;
	for (unsigned k = 0; k < 4; k++) {
		n[k] = nibble_of(x, c, k);
		take(t, &n[k]);
	}
	full = t[1].even && t[1].odd;
	if (t[full].even && t[full].odd && !t[!full].any)
		return permute_one(L, x[full], full, n);
	if ((t[full].even && t[full].odd) || (t[0].even && t[1].even))
		if (permute_twice(L, x, n, &r))
			return r;
	if (!(t[full].even && t[full].odd))
		return permute_two(L, x, t, n, false);
	if ((t[!full].even && t[!full].odd) || all_signs(c))
		return permute(L, a, b, ir_i32(c));
	/* The operand that needs both first, in place; then the other one beside it. */
	for (unsigned k = 0; k < 4; k++)
		n[k].x = n[k].x != full;
	x[0] = permute_one(L, x[full], 0, n);
	if (full)
		x[1] = a;
	return permute_two(L, x, (taken[2]){ t[full], t[!full] }, n, true);
}

void
lower_prmt(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_B32), b = lo_src(L, 2, PTX_B32), c = lo_src(L, 3, PTX_B32);

	for (unsigned i = 0; i < PRMT_MODES; i++) {
		if (!lo_has(L, prmt_mode[i].mod))
			continue;
		if (ir_is_imm(c))
			lo_dst(L, ir_g3(&L->b, G_perm32, b, a, ir_i32(prmt_mode[i].sel[c.imm & 3])));
		else
			lo_dst(L, prmt_mode[i].any(L, a, b, c));
		return;
	}
	lo_dst(L, ir_is_imm(c) ? permute_known(L, a, b, (uint32_t)c.imm) : permute(L, a, b, c));
}

/* Bit fields: pass field expands them. */

void
lower_bfi(lower *L)
{
	ptx_type t = lo_type(L, 0);
	ir_opnd r = ir_g4(&L->b, L->row->g[lo_is64(L)], lo_src(L, 1, t), lo_src(L, 2, t),
		lo_src(L, 3, PTX_U32), lo_src(L, 4, PTX_U32));

	ir_last(&L->b)->sem = (uint8_t)L->M->sem;
	lo_dst(L, r);
}

void
lower_bfe(lower *L)
{
	static const uint16_t gop[2][2] = {
		{ G_ptx_bfe_u32, G_ptx_bfe_u64 }, { G_ptx_bfe_s32, G_ptx_bfe_s64 } };
	ptx_type t = lo_type(L, 0);
	ir_opnd r = ir_g3(&L->b, gop[ptx_is_signed(t)][lo_is64(L)], lo_src(L, 1, t),
		lo_src(L, 2, PTX_U32), lo_src(L, 3, PTX_U32));

	ir_last(&L->b)->sem = (uint8_t)L->M->sem;
	lo_dst(L, r);
}

/* Counting: results are 32 bits wide for both widths of the source. */

void
lower_brev(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd a = lo_src(L, 1, lo_type(L, 0));

	if (a.width == 1)
		lo_dst(L, ir_g1(B, G_brev32, a));
	else
		lo_dst(L, ir_g2(B, G_pack64, ir_g1(B, G_brev32, lo_word(L, a, 1)),
			ir_g1(B, G_brev32, lo_word(L, a, 0))));
}

void
lower_popc(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd a = lo_src(L, 1, lo_type(L, 0));

	if (a.width == 1)
		lo_dst(L, ir_g1(B, G_popc32, a));
	else
		lo_dst(L, ir_g2(B, G_add32, ir_g1(B, G_popc32, lo_word(L, a, 0)),
			ir_g1(B, G_popc32, lo_word(L, a, 1))));
}

/* Leading zeros; all ones for zero. The low dword counts from 32 on: or keeps its all ones. */
static ir_opnd
leading_zeros(lower *L, ir_opnd a)
{
	ir_builder *B = &L->b;
	ir_opnd low;

	if (a.width == 1)
		return ir_g1(B, G_ffbh32, a);
	low = ir_g2(B, G_or32, ir_g1(B, G_ffbh32, lo_word(L, a, 0)), ir_i32(32));
	return ir_g2(B, G_min_u32, ir_g1(B, G_ffbh32, lo_word(L, a, 1)), low);
}

void
lower_clz(lower *L)
{
	lo_dst(L, count_at_most(L, leading_zeros(L, lo_src(L, 1, lo_type(L, 0))), lo_bits(L)));
}

/* bfind: the highest bit that is set, or that differs from the sign; all ones if there is none. */
void
lower_bfind(lower *L)
{
	ir_builder *B = &L->b;
	ptx_type t = lo_type(L, 0);
	ir_opnd a = lo_src(L, 1, t), n, at;

	if (ptx_is_signed(t))
		a = ir_g2(B, a.width == 2 ? G_xor64 : G_xor32, a, lo_sign(L, a));
	n = leading_zeros(L, a);
	at = ir_g2(B, G_sub32, ir_i32(lo_bits(L) - 1), n);
	if (!lo_has(L, PTX_M_shiftamt))
		n = lo_sel(L, ir_icmp(B, 32, IR_LT, n, ir_i32(0)), n, at);
	lo_dst(L, n);
}

/* szext: the low n bits, extended; .clamp gives all of a from 32 on, .wrap takes n modulo 32. */
void
lower_szext(lower *L)
{
	ptx_type t = lo_type(L, 0);
	bool is_signed = ptx_is_signed(t);
	ir_opnd a = lo_src(L, 1, t), n = lo_src(L, 2, PTX_U32);

	if (lo_has(L, PTX_M_clamp))
		lo_dst(L, ir_g2(&L->b, is_signed ? G_ptx_szext_s32 : G_ptx_szext_u32, a, n));
	else
		lo_dst(L, ir_g3(&L->b, is_signed ? G_bfe_s32 : G_bfe_u32, a, ir_i32(0), n));
}

/* bmsk: n ones from bit a on; .clamp takes both as at most 32, .wrap modulo 32. */
void
lower_bmsk(lower *L)
{
	ir_opnd a = lo_src(L, 1, PTX_U32), n = lo_src(L, 2, PTX_U32);

	lo_dst(L, lo_has(L, PTX_M_clamp) ? ir_g2(&L->b, G_ptx_bmsk, a, n) : ir_g2(&L->b, G_bfm32, n, a));
}

/* The place of the n-th bit that is set (n from 1), by halves: is it among the low ones of what is left? */
static ir_opnd
nth_bit(lower *L, ir_opnd m, ir_opnd n)
{
	ir_builder *B = &L->b;
	ir_opnd at = ir_i32(0), known = ir_icmp(B, 32, IR_HS, ir_g1(B, G_popc32, m), n);

	known = ir_g2(B, G_and1, known, ir_icmp(B, 32, IR_NE, n, ir_i32(0)));
	for (uint32_t w = 16; w; w /= 2) {
		ir_opnd c = ir_g1(B, G_popc32, ir_g3(B, G_bfe_u32, m, at, ir_i32(w)));
		ir_opnd above = ir_icmp(B, 32, IR_HI, n, c);

		n = lo_sel(L, above, ir_g2(B, G_sub32, n, c), n);
		at = ir_g2(B, G_add32, at, lo_sel(L, above, ir_i32(w), ir_i32(0)));
	}
	return lo_sel(L, known, at, ir_i32(UINT32_MAX));
}

/* fns: from bit `base` on, upwards or (offset below zero) downwards in the mask turned round. An offset of 0
 * asks for that bit alone. */
void
lower_fns(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd m = lo_src(L, 1, PTX_B32), base = lo_src(L, 2, PTX_U32), n = lo_src(L, 3, PTX_S32), r, bit;
	ir_opnd down = ir_icmp(B, 32, IR_LT, n, ir_i32(0)), zero = ir_icmp(B, 32, IR_EQ, n, ir_i32(0));
	ir_opnd from = lo_sel(L, down, ir_g2(B, G_sub32, ir_i32(31), base), base);

	r = lo_sel(L, down, ir_g1(B, G_brev32, m), m);
	r = ir_g2(B, G_and32, r, ir_g2(B, G_shl32, ir_i32(UINT32_MAX), from));
	r = nth_bit(L, r, lo_sel(L, down, ir_g2(B, G_sub32, ir_i32(0), n), n));
	r = lo_sel(L, ir_g2(B, G_and1, down, ir_icmp(B, 32, IR_NE, r, ir_i32(UINT32_MAX))), ir_g2(B, G_sub32, ir_i32(31), r), r);
	bit = ir_icmp(B, 32, IR_NE, ir_g3(B, G_bfe_u32, m, base, ir_i32(1)), ir_i32(0));
	r = lo_sel(L, zero, lo_sel(L, bit, base, ir_i32(UINT32_MAX)), r);
	lo_dst(L, lo_sel(L, ir_icmp(B, 32, IR_LO, base, ir_i32(32)), r, ir_i32(UINT32_MAX)));
}
