/* fuzz_meaning.c -- the table of instructions that random programs are made of, and what their meanings
 * (fuzz_ops.def) are written with. */
#include "fuzz.h"

#include <string.h>

#define S32(x) ((int64_t)(int32_t)(uint32_t)(x))
#define S16(x) ((int64_t)(int16_t)(uint16_t)(x))
#define S24(x) ((int64_t)((int32_t)((uint32_t)(x) << 8) >> 8))
#define MIN_U(a, b) ((a) < (b) ? (a) : (b))
#define MIN_S(a, b) (S32(a) < S32(b) ? (a) : (b))
#define MAX_S(a, b) (S32(a) > S32(b) ? (a) : (b))

p2a_semantics fuzz_sem;

static uint64_t
sat32(int64_t x)
{
	return (uint64_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

static uint64_t
reverse(uint64_t x, unsigned bits)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < bits; i++)
		r |= (x >> i & 1) << (bits - 1 - i);
	return r;
}

static uint64_t
ones(uint64_t x)
{
	uint64_t n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static uint64_t
leading(uint64_t x, unsigned bits)
{
	uint64_t n = 0;

	while (n < bits && !(x >> (bits - 1 - n) & 1))
		n++;
	return n;
}

static uint64_t
find_signed(uint64_t x, unsigned bits)
{
	if (x >> (bits - 1) & 1)
		x = ~x & (bits == 64 ? ~0ull : (1ull << bits) - 1);
	return x ? bits - 1 - leading(x, bits) : ~0ull;
}

static uint64_t
permute(uint64_t a, uint64_t b, uint64_t sel)
{
	uint64_t src = b << 32 | a, r = 0;

	for (int k = 0; k < 4; k++) {
		unsigned s = sel >> (4 * k) & 15;
		uint64_t byte = src >> (8 * (s & 7)) & 0xff;

		if (s & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * k);
	}
	return r;
}

static uint64_t
logic3(uint64_t a, uint64_t b, uint64_t c, uint64_t table)
{
	uint64_t r = 0;

	for (int k = 0; k < 32; k++)
		r |= (table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
	return r;
}

static int64_t
part(uint64_t x, unsigned at, unsigned bits, int is_signed)
{
	x = x >> at << (64 - bits);
	return is_signed ? (int64_t)x >> (64 - bits) : (int64_t)(x >> (64 - bits));
}

static uint64_t clamped(int64_t x, int64_t least, int64_t most) { return (uint64_t)(x < least ? least : x > most ? most : x); }
static uint64_t distance(int64_t x, int64_t y) { return (uint64_t)(x < y ? y - x : x - y); }

/* Of parts of a, 8 or 16 bits wide, and bytes of b from bit `from` on. */
static uint64_t
dot(uint64_t a, uint64_t b, uint64_t c, unsigned bits, unsigned from, int a_signed, int b_signed)
{
	for (unsigned k = 0; k < 32 / bits; k++)
		c += (uint64_t)(part(a, k * bits, bits, a_signed) * part(b, from + 8 * k, 8, b_signed));
	return c;
}

/* Part by part, results clamped to their width. */
static uint64_t
simd(uint64_t a, uint64_t b, unsigned bits, char op, int is_signed)
{
	int64_t most = ((int64_t)1 << (bits - (unsigned)is_signed)) - 1;
	uint64_t r = 0;

	for (unsigned at = 0; at < 32; at += bits) {
		int64_t x = part(a, at, bits, is_signed), y = part(b, at, bits, is_signed);

		x = op == '+' ? x + y : op == 'd' ? (int64_t)distance(x, y) : (op == '<') == (x < y) ? x : y;
		r |= (clamped(x, is_signed ? -most - 1 : 0, most) & (~0ull >> (64 - bits))) << at;
	}
	return r;
}

#define CAT(a, b) CAT2(a, b)
#define CAT2(a, b) a##b
/* $, is all sources. NaN results become one constant: PTX leaves their payload open. */
#define F32(opcode, src, expr) OP(opcode " %t4 $,; setp.nan.f32 %q, %t4, %t4; @selp.b32 $0, 0x7fffffff, %t4, %q;", 'r', src, expr)
#define F64(opcode, src, expr) OP(opcode " %td4 $,; setp.nan.f64 %q, %td4, %td4; @selp.b64 $0, 0x7fffffffffffffff, %td4, %q;", 'd', src, expr)

#define H16(opcode, type, src, expr) OP(opcode " %ht $,; setp.nan." type " %q, %ht, %ht; @selp.b16 $0, 0x7fff, %ht, %q;", 'h', src, expr)
#define H16X2(opcode, type, src, expr) OP(opcode " %t4 $,; mov.b32 {%ht, %hu}, %t4; setp.nan." type " %q, %ht, %ht; setp.nan." type " %q2, %hu, %hu; " \
	"selp.b16 %ht, 0x7fff, %ht, %q; selp.b16 %hu, 0x7fff, %hu, %q2; @mov.b32 $0, {%ht, %hu};", 'r', src, expr)

#define OP(text, dst, src, expr) static uint64_t CAT(fn_, __LINE__)(uint64_t a, uint64_t b, uint64_t c, uint64_t d) \
	{ (void)a; (void)b; (void)c; (void)d; return (uint64_t)(expr); }
#include "fuzz_ops.def"
#undef OP
const fuzz_op fuzz_ops[] = {
#define OP(text, dst, src, expr) { text, dst, src, CAT(fn_, __LINE__) },
#include "fuzz_ops.def"
#undef OP
};
const unsigned fuzz_nops = sizeof fuzz_ops / sizeof *fuzz_ops;

#define ATOM(text, bytes, operands, cls, red, expr) static uint64_t CAT(atom_, __LINE__)(uint64_t a, uint64_t b, uint64_t c) \
	{ (void)a; (void)c; return (uint64_t)(expr); }
#define FLOAT_ATOM(text, bytes, cls, kind, expr) ATOM(text, bytes, 1, cls, true, expr)
#include "fuzz_atoms.def"
#undef ATOM
#undef FLOAT_ATOM
const fuzz_atom fuzz_atoms[] = {
#define ATOM(text, bytes, operands, cls, red, expr) { text, bytes, operands, cls, red, 0, CAT(atom_, __LINE__) },
#define FLOAT_ATOM(text, bytes, cls, kind, expr) { text, bytes, 1, cls, true, kind, CAT(atom_, __LINE__) },
#include "fuzz_atoms.def"
#undef ATOM
#undef FLOAT_ATOM
};
const unsigned fuzz_natoms = sizeof fuzz_atoms / sizeof *fuzz_atoms;

/* Fences, hints: no lane sees a difference. The last ones want all lanes of the warp. */
const char *const fuzz_nothing[] = {
	"fence.acq_rel.cta;", "fence.sc.gpu;", "membar.cta;", "membar.gl;", "griddepcontrol.wait;", "griddepcontrol.launch_dependents;",
	"prefetch.global.L1 [%in];", "prefetch.global.L2 [%out];", "pmevent 3;", "nanosleep.u32 5;", "cp.async.wait_all;", "cp.async.commit_group;",
	"setmaxnreg.inc.sync.aligned.u32 64;", "setmaxnreg.dec.sync.aligned.u32 24;",
};
const unsigned fuzz_nnothing = sizeof fuzz_nothing / sizeof *fuzz_nothing;

const fuzz_type fuzz_types[] = {
	{ "u8", 1, 1, 0, 'r' }, { "s8", 1, 1, 1, 'r' }, { "u16", 2, 1, 0, 'r' }, { "s16", 2, 1, 1, 'r' },
	{ "u8", 1, 1, 0, 'h' }, { "s8", 1, 1, 1, 'h' }, { "u16", 2, 1, 0, 'h' }, { "u16", 2, 1, 0, 'd' }, { "s32", 4, 1, 1, 'd' },
	{ "b32", 4, 1, 0, 'r' }, { "u32", 4, 1, 0, 'r' }, { "b64", 8, 1, 0, 'd' }, { "u64", 8, 1, 0, 'd' },
	{ "v2.u8", 1, 2, 0, 'r' }, { "v4.u8", 1, 4, 0, 'r' }, { "v2.s16", 2, 2, 1, 'r' }, { "v4.u16", 2, 4, 0, 'h' },
	{ "v2.u8", 1, 2, 0, 'h' }, { "s16", 2, 1, 1, 'd' }, { "u32", 4, 1, 0, 'd' }, { "v4.b16", 2, 4, 0, 'r' },
	{ "v2.b32", 4, 2, 0, 'r' }, { "v4.u32", 4, 4, 0, 'r' }, { "v2.u64", 8, 2, 0, 'd' }, { "f32", 4, 1, 0, 'r' },
	{ "v8.b32", 4, 8, 0, 'r' }, { "v8.f32", 4, 8, 0, 'r' }, { "v4.b64", 8, 4, 0, 'd' },
};
const unsigned fuzz_ntypes = sizeof fuzz_types / sizeof *fuzz_types;

const fuzz_narrow fuzz_narrows[NNARROW] = { { "u8", 0, 1, 0 }, { "s8", 1, 1, 1 }, { "u16", 2, 2, 0 }, { "s16", 4, 2, 1 }, { "b8", 6, 1, 0 }, { "s8", 7, 1, 1 } };

uint64_t
fuzz_number(char kind, uint64_t x)
{
	switch (kind) {
	case 'f': return fuzz_f32_of((int32_t)(uint32_t)x >> 10, 0, 'n');
	case 'e': return fuzz_f64_of((int64_t)x >> 20, 0, 'n');
	default:  return x & 0xbfffbfff;
	}
}

unsigned
fuzz_class_of(char operand)
{
	switch (operand) {
	case 'd': case 'N': case 'e': return 1;
	case 'h': return 2;
	case 'p': return 3;
	default:  return 0;
	}
}

uint8_t
fuzz_table_byte(uint32_t k)
{
	return (uint8_t)(k * 37 + 11);
}
