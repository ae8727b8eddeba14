/* test_bfi_args.c -- p2a_bfi.h and p2a_isa.h asked with values that no caller should give: each is refused with the error that the
 * header names, none crashes. What is expected stands in the headers. No answer has a move that does nothing. */
#include <stdio.h>
#include <string.h>

#include "bfi_ops.h"

static int bad;

static void
is(const char *what, long got, long want)
{
	if (got == want) {
		printf("ok %s\n", what);
		return;
	}
	printf("not ok %s: %ld, not %ld\n", what, got, want);
	bad = 1;
}

/* ---- questions ---- */

static p2a_bfi_query
good(p2a_bfi_op op)
{
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find("gfx90a"), .op = op, .dst = P2A_BFI_V64(6),
		.a = P2A_BFI_V64(0), .b = P2A_BFI_V64(2), .pos = P2A_BFI_V(4), .len = P2A_BFI_V(5) };

	return q;
}

typedef struct wrong { const char *what; long want; size_t at; size_t size; uint64_t x; } wrong;

#define MEMBER(member, x, want) { #member " = " #x, want, offsetof(p2a_bfi_query, member), \
	sizeof ((p2a_bfi_query *)0)->member, (uint64_t)(x) }
static const wrong wrongs[] = {
	MEMBER(size, 0, P2A_ISA_ARGS), MEMBER(size, sizeof(p2a_bfi_query) - 1, P2A_ISA_ARGS),
	MEMBER(size, 4097, P2A_ISA_ARGS), MEMBER(size, -1, P2A_ISA_ARGS),
	MEMBER(target, 0, P2A_ISA_ARGS),
	MEMBER(op, BFI_OPS, P2A_ISA_ARGS), MEMBER(op, -1, P2A_ISA_ARGS),
	MEMBER(semantics, 2, P2A_ISA_ARGS), MEMBER(semantics, 7, P2A_ISA_ARGS), MEMBER(semantics, -1, P2A_ISA_ARGS),
	MEMBER(flags, 2, P2A_ISA_ARGS), MEMBER(flags, -1, P2A_ISA_ARGS),
	MEMBER(wave, 1, P2A_ISA_NOT_HERE), MEMBER(wave, 32, P2A_ISA_NOT_HERE), MEMBER(wave, 255, P2A_ISA_NOT_HERE),
	MEMBER(dst.kind, P2A_K_OFF, P2A_ISA_ARGS), MEMBER(dst.kind, P2A_K_IMM, P2A_ISA_ARGS),
	MEMBER(dst.kind, P2A_K_SREG, P2A_ISA_ARGS), MEMBER(dst.kind, 255, P2A_ISA_ARGS),
	MEMBER(dst.kind, P2A_K_SGPR, P2A_ISA_REGISTER),
	MEMBER(dst.lo, 512, P2A_ISA_REGISTER), MEMBER(dst.hi, 65535, P2A_ISA_REGISTER), MEMBER(dst.hi, 6, P2A_ISA_REGISTER),
	MEMBER(a.kind, P2A_K_NONE, P2A_ISA_ARGS), MEMBER(a.kind, P2A_K_OFF, P2A_ISA_ARGS), MEMBER(a.kind, 255, P2A_ISA_ARGS),
	MEMBER(a.lo, 512, P2A_ISA_REGISTER), MEMBER(a.hi, 65535, P2A_ISA_REGISTER),
	MEMBER(b.kind, P2A_K_NONE, P2A_ISA_ARGS), MEMBER(b.kind, 99, P2A_ISA_ARGS), MEMBER(b.lo, 65535, P2A_ISA_REGISTER),
	MEMBER(pos.kind, P2A_K_NONE, P2A_ISA_ARGS), MEMBER(pos.lo, 512, P2A_ISA_REGISTER),
	MEMBER(pos.one, 1ull << 32, P2A_ISA_CONSTANT), MEMBER(pos.min, 1ull << 32, P2A_ISA_CONSTANT),
	MEMBER(pos.max, 1ull << 32, P2A_ISA_CONSTANT),
	MEMBER(len.kind, P2A_K_NONE, P2A_ISA_ARGS), MEMBER(len.lo, 65535, P2A_ISA_REGISTER),
	MEMBER(len.one, -1, P2A_ISA_CONSTANT), MEMBER(len.max, -1, P2A_ISA_CONSTANT),
};

static void
questions(void)
{
	p2a_bfi_plan p;

	for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
		p2a_bfi_query q = good(P2A_BFI_B64);

		memcpy((char *)&q + wrongs[k].at, &wrongs[k].x, wrongs[k].size);
		is(wrongs[k].what, p2a_bfi_make(&q, &p), wrongs[k].want);
	}
	for (int op = 0; op < BFI_OPS; op++) {
		p2a_bfi_query q = good((p2a_bfi_op)op);
		p2a_bfi_operand *in[4] = { &q.a, &q.b, &q.pos, &q.len };

		is("a right question", p2a_bfi_make(&q, &p), 0);
		q.a.hi = q.a.lo;
		is("an operand with one register for both dwords", p2a_bfi_make(&q, &p), 0);
		q = good((p2a_bfi_op)op);
		is("no plan", p2a_bfi_make(&q, NULL), P2A_ISA_ARGS);
		for (unsigned k = 0; k < 4; k++) {
			p2a_bfi_operand old = *in[k];

			memset(in[k], 255, sizeof *in[k]);
			is("an operand that makes no sense", p2a_bfi_make(&q, &p) != 0, bfi_has(q.op, k));
			*in[k] = old;
		}
	}
	is("no question", p2a_bfi_make(NULL, &p), P2A_ISA_ARGS);
}

/* What two members say together. */
static void
contradictions(void)
{
	p2a_bfi_query q = good(P2A_BFI_B32);
	p2a_bfi_plan p;
	struct { p2a_bfi_query q; uint64_t more; } newer = { good(P2A_BFI_B32), 0 };

	q.pos.min = 9, q.pos.max = 8;
	is("min above max", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q = good(P2A_BFI_B32);
	q.a.zero = q.a.one = 1;
	is("a bit that is 0 and 1", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q = good(P2A_BFI_B32);
	q.len.zero = 0xfffffff0, q.len.min = 16;
	is("bits and bounds that exclude each other", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q = good(P2A_BFI_B32);
	q.a.kind = P2A_K_IMM, q.a.imm = 1ull << 32;
	is("a constant wider than the operand", p2a_bfi_make(&q, &p), P2A_ISA_CONSTANT);
	q = good(P2A_BFI_B64);
	q.len.kind = P2A_K_IMM, q.len.imm = UINT64_MAX;
	is("a length wider than 32 bits", p2a_bfi_make(&q, &p), P2A_ISA_CONSTANT);
	q = good(P2A_BFI_B64);
	q.pos.kind = P2A_K_IMM, q.pos.imm = 3;
	q.pos.min = q.pos.max = q.pos.one = 3, q.pos.zero = 12;
	is("a constant and what is true of it", p2a_bfi_make(&q, &p), 0);
	q.pos.zero = 1;
	is("a constant with a bit that is said to be 0", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q.pos.zero = 0, q.pos.one = 4;
	is("a constant without a bit that is said to be 1", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q.pos.one = 0, q.pos.min = 4, q.pos.max = 9;
	is("a constant below its bound", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	q.pos.min = 0, q.pos.max = 2;
	is("a constant above its bound", p2a_bfi_make(&q, &p), P2A_ISA_ARGS);
	newer.q.size = sizeof newer;
	is("a newer caller's question", p2a_bfi_make(&newer.q, &p), 0);
	newer.more = 1;
	is("a newer caller's question that sets what is not known", p2a_bfi_make(&newer.q, &p), P2A_ISA_ARGS);
}

/* ---- scratch ---- */

static long
with(const p2a_bfi_plan *p, unsigned vgpr_pair, unsigned vgpr)
{
	p2a_bfi_scratch s;
	p2a_inst code[P2A_BFI_INSTS];
	char bytes[4 * 5 * P2A_BFI_INSTS], text[8192];
	int n;

	for (unsigned k = 0; k < P2A_BFI_SCRATCH; k++) {
		s.vgpr_pair[k] = (uint16_t)(vgpr_pair + 2 * k);
		s.vgpr[k] = (uint16_t)(vgpr + k);
		s.sgpr_pair[k] = (uint16_t)(40 + 2 * k);
		s.sgpr[k] = (uint16_t)(60 + k);
	}
	n = p2a_bfi_insts(p, &s, code);
	if (n < 0 && (p2a_bfi_bytes(p, &s, bytes, sizeof bytes) != n || p2a_bfi_text(p, &s, text, sizeof text) != n))
		return 99;
	return n < 0 ? n : 0;
}

/* Registers 0 to 5 are operands and destination. */
static void
scratch_registers(void)
{
	p2a_bfi_query q = good(P2A_BFI_B64);
	p2a_bfi_plan p;

	q.dst = q.b;
	is("pos and len different in each lane", p2a_bfi_make(&q, &p), 0);
	is("it wants VGPR pairs and VGPRs", p.vgpr_pairs && p.vgprs, 1);
	is("free scratch", with(&p, 40, 64), 0);
	for (unsigned r = 0; r < 6; r += 2)
		is("a scratch pair that is an operand", with(&p, r, 64), P2A_ISA_REGISTER);
	for (unsigned r = 0; r < 6; r++)
		is("a scratch VGPR that is an operand", with(&p, 40, r), P2A_ISA_REGISTER);
	is("a scratch VGPR within a scratch pair", with(&p, 40, 41), P2A_ISA_REGISTER);
	is("a scratch pair from an odd number on", with(&p, 41, 64), P2A_ISA_REGISTER);
	is("a scratch pair past the end", with(&p, 512, 64), P2A_ISA_REGISTER);
	is("a scratch VGPR past the end", with(&p, 40, 512), P2A_ISA_REGISTER);
	is("no scratch", p2a_bfi_insts(&p, NULL, (p2a_inst[P2A_BFI_INSTS]){ { 0 } }), P2A_ISA_REGISTER);
	/* An operand that no instruction reads is one all the same; so is one that dies. */
	q.a = (p2a_bfi_operand)P2A_BFI_V64(40);
	q.a.dies = true;
	is("a in v[40:41], which die", p2a_bfi_make(&q, &p), 0);
	is("a dying operand as scratch", with(&p, 40, 64), P2A_ISA_REGISTER);
}

/* ---- room ---- */

static void
room(void)
{
	static const p2a_bfi_scratch s = { { 40, 42, 44, 46, 48, 50, 52, 54 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
		{ 40, 42, 44, 46, 48, 50, 52, 54 }, { 60, 61, 62, 63, 64, 65, 66, 67 } };
	p2a_bfi_query q = good(P2A_BFI_B64);
	p2a_bfi_plan p;
	char b[4 * 5 * P2A_BFI_INSTS], text[8192];
	int len;

	memset(&p, 0, sizeof p);
	is("bytes of a plan that is all zeros", p2a_bfi_bytes(&p, &s, b, sizeof b), P2A_ISA_ARGS);
	is("text of a plan that is all zeros", p2a_bfi_text(&p, &s, text, sizeof text), P2A_ISA_ARGS);
	p2a_bfi_make(&q, &p);
	len = p2a_bfi_text(&p, &s, text, sizeof text);
	is("bytes in NULL of no size: how many", p2a_bfi_bytes(&p, &s, NULL, 0), p.bytes);
	is("bytes in NULL of some size", p2a_bfi_bytes(&p, &s, NULL, sizeof b), P2A_ISA_ARGS);
	is("bytes in no room", p2a_bfi_bytes(&p, &s, b, 0), P2A_ISA_SHORT);
	is("bytes in too little room", p2a_bfi_bytes(&p, &s, b, p.bytes - 1), P2A_ISA_SHORT);
	is("bytes in just the room", p2a_bfi_bytes(&p, &s, b, p.bytes), p.bytes);
	is("text in NULL of no size: how long", p2a_bfi_text(&p, &s, NULL, 0), len);
	is("text in NULL of some size", p2a_bfi_text(&p, &s, NULL, 10), P2A_ISA_ARGS);
	is("text is as long as it says", (long)strlen(text), len);
	is("instructions in NULL", p2a_bfi_insts(&p, &s, NULL), P2A_ISA_ARGS);
	is("instructions of no plan", p2a_bfi_insts(NULL, &s, NULL), P2A_ISA_ARGS);
	is("bytes of no plan", p2a_bfi_bytes(NULL, &s, b, sizeof b), P2A_ISA_ARGS);
	is("text of no plan", p2a_bfi_text(NULL, &s, text, sizeof text), P2A_ISA_ARGS);
}

/* ---- p2a_isa.h; what is printed of a wrong instruction is not said, but that it ends ---- */

static void
isa(void)
{
	const p2a_target *t = p2a_target_find("gfx1100");
	p2a_inst i = { .op = (uint16_t)p2a_op_find(t, "v_bfi_b32"), .nargs = 4, .arg = { P2A_V(0), P2A_S(4), P2A_V(1), P2A_V(2) } };
	uint32_t w[P2A_MAX_DWORDS];
	char text[64];
	size_t where;

	is("encode", p2a_encode(t, &i, w), 2);
	is("encode for no target", p2a_encode(NULL, &i, w), P2A_ISA_ARGS);
	is("encode nothing", p2a_encode(t, NULL, w), P2A_ISA_ARGS);
	is("encode to NULL", p2a_encode(t, &i, NULL), P2A_ISA_ARGS);
	is("check for no target", p2a_check(NULL, &i), P2A_ISA_ARGS);
	is("check nothing", p2a_check(t, NULL), P2A_ISA_ARGS);
	is("decode for no target", p2a_decode(NULL, w, 2, &i), P2A_ISA_ARGS);
	is("decode NULL", p2a_decode(t, NULL, 2, &i), P2A_ISA_ARGS);
	is("decode to NULL", p2a_decode(t, w, 2, NULL), P2A_ISA_ARGS);
	is("decode no dwords", p2a_decode(t, w, 0, &i), P2A_ISA_SHORT);
	is("decode", p2a_decode(t, w, 2, &i), 2);
	is("print for no target", p2a_print(NULL, &i, text, sizeof text), P2A_ISA_ARGS);
	is("print nothing", p2a_print(t, NULL, text, sizeof text), P2A_ISA_ARGS);
	is("print to NULL of some size", p2a_print(t, &i, NULL, 5), P2A_ISA_ARGS);
	is("print to NULL: the length", p2a_print(t, &i, NULL, 0), p2a_print(t, &i, text, sizeof text));
	is("parse for no target", p2a_parse(NULL, "s_nop 0", &i, &where), P2A_ISA_ARGS);
	is("parse NULL", p2a_parse(t, NULL, &i, &where), P2A_ISA_ARGS);
	is("parse to NULL", p2a_parse(t, "s_nop 0", NULL, &where), P2A_ISA_ARGS);
	is("parse without a place for the fault", p2a_parse(t, "s_nop 0", &i, NULL), 0);
	is("parse a fault without a place for it", p2a_parse(t, "s_nope 0", &i, NULL) < 0, 1);
	is("op of no name", p2a_op_find(t, NULL), -1);
	is("op for no target", p2a_op_find(NULL, "s_nop"), -1);
	is("name for no target", p2a_op_name(NULL, 0) == NULL, 1);
	is("name of no op", p2a_op_name(t, 65535) == NULL, 1);
	is("target of no name", p2a_target_find(NULL) == NULL, 1);
	is("name of no target", p2a_target_name(NULL) == NULL, 1);
	is("target past the end", p2a_target_at((size_t)-1) == NULL, 1);
	is("an error that is none has a name", p2a_isa_error_name(-99) != NULL && p2a_isa_error_name(99) != NULL, 1);
	i = (p2a_inst){ .op = 65535, .nargs = 255 };
	is("an op that is none", p2a_encode(t, &i, w), P2A_ISA_UNKNOWN_OP);
	is("an op that is none is printed somehow", p2a_print(t, &i, text, sizeof text) > 0, 1);
	i = (p2a_inst){ .op = (uint16_t)p2a_op_find(t, "v_bfi_b32"), .nargs = 255 };
	is("255 operands", p2a_encode(t, &i, w), P2A_ISA_ARGS);
	is("255 operands are printed somehow", p2a_print(t, &i, text, sizeof text) > 0, 1);
}

/* Is any of the instructions, or a half of one, a move of a register to itself? */
static bool
moves_to_itself(const p2a_bfi_plan *p)
{
	const p2a_target *t = p->target;
	int v_mov = p2a_op_find(t, "v_mov_b32"), s_mov = p2a_op_find(t, "s_mov_b32");

	for (unsigned k = 0; k < p->n; k++) {
		const p2a_inst *i = &p->inst[k];
		unsigned dst = i->enc == P2A_ENC_DUAL ? 2 : 1;
		int ops[2] = { i->op, i->op_y };

		for (unsigned h = 0; h < dst; h++)
			if ((ops[h] == v_mov || ops[h] == s_mov) && i->arg[dst + h].kind == i->arg[h].kind &&
			    i->arg[dst + h].reg == i->arg[h].reg && i->arg[dst + h].imm == i->arg[h].imm)
				return true;
	}
	return false;
}

/* A dword of a 64-bit shift's source is known, the other stands where the pair is made. */
static void
idle_moves(void)
{
	static const struct { const char *chip; p2a_bfi_operand dst, a, b, pos; } q[] = {
		{ "gfx906", P2A_BFI_V64(2), P2A_BFI_V64(16), P2A_BFI_S64(6), P2A_BFI_V(12) },
		{ "gfx1150", P2A_BFI_V64(16), P2A_BFI_V64(16), P2A_BFI_V64(0), P2A_BFI_V(2) },
		{ "gfx908", P2A_BFI_V64(2), P2A_BFI_S64(0), P2A_BFI_V64(2), P2A_BFI_V(7) } };

	for (unsigned k = 0; k < sizeof q / sizeof *q; k++) {
		p2a_bfi_query u = { .size = sizeof u, .target = p2a_target_find(q[k].chip), .op = P2A_BFI_B64, .dst = q[k].dst,
			.a = q[k].a, .b = q[k].b, .pos = q[k].pos, .len = P2A_BFI_IMM(9) };
		p2a_bfi_plan p;

		u.a.dies = true;
		u.a.max = 0x38;
		u.pos.max = 57;
		is("a half known to be 0", p2a_bfi_make(&u, &p), 0);
		is("no move to itself", moves_to_itself(&p), 0);
	}
}

int
main(void)
{
	idle_moves();
	questions();
	contradictions();
	scratch_registers();
	room();
	isa();
	return bad;
}
