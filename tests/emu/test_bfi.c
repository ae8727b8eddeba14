/* test_bfi.c -- the sequences of p2a_bfi.h compute what the PTX manual (or NVIDIA's assembler) says, on every
 * chip: operands constant, uniform or per lane, with ranges and known bits; registers that are also the
 * destination; last uses; lanes that EXEC disables. The emulator's checks watch wait states meanwhile.
 * Expected values: the manual's loop over bits (PTX ISA 9.7.1.19, 9.7.1.20). */
#include "t.h"

#include "p2a_bfi.h"

enum { BATCH = 96, LANES = 256, FIRST_V = 4, FIRST_S = 12, OLD_LO = 0x5a5a1234, OLD_HI = 0x5a5a5678 };

/* What one lane gets; the layout that the kernel loads. */
typedef struct item { uint32_t a[2], b[2], pos, len, enabled, pad; } item;

typedef struct test {
	p2a_bfi_query q;
	p2a_bfi_plan plan;
	bool dst_aliases;        /* dst is some operand's register */
} test;

static const p2a_bfi_scratch scratch = { { 40, 42, 44, 48, 50, 52, 56, 58 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
	{ 48, 50, 52, 54, 56, 58, 60, 62 }, { 64, 65, 66, 67, 68, 69, 70, 71 } };

/* ---- the definition ---- */

static bool
is_wide(p2a_bfi_op op)
{
	return op == P2A_BFI_B64 || op == P2A_BFE_U64 || op == P2A_BFE_S64;
}

static uint64_t
manual(const p2a_bfi_query *q, uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
	bool all = is_wide(q->op) && q->semantics == P2A_SEM_NVIDIA, insert = q->op <= P2A_BFI_B64,
	     sign = q->op == P2A_BFE_S32 || q->op == P2A_BFE_S64;
	uint64_t msb = is_wide(q->op) ? 63 : 31, p = all ? pos : pos & 0xff, l = all ? len : len & 0xff, r = 0, fill = 0;

	if (insert) {
		r = b;
		for (uint64_t i = 0; i < l && p + i <= msb; i++)
			r = (r & ~(1ull << (p + i))) | (a >> i & 1) << (p + i);
		return r;
	}
	if (sign && l)
		fill = a >> (p + l - 1 < msb ? p + l - 1 : msb) & 1;
	for (uint64_t i = 0; i <= msb; i++)
		r |= (i < l && p + i <= msb ? a >> (p + i) & 1 : fill) << i;
	return r;
}

/* ---- the kernel ---- */

static void
move_in(t_code *c, const p2a_bfi_operand *o, unsigned from, bool wide)
{
	unsigned reg[2] = { o->lo, o->hi };

	for (unsigned h = 0; h < 1u + wide; h++)
		if (o->kind == P2A_K_VGPR)
			OP(c, v_mov_b32, V(reg[h]), V(from + h));
		else if (o->kind == P2A_K_SGPR)
			OP(c, v_readfirstlane_b32, S(reg[h]), V(from + h));
}

static void
rest(t_code *c)
{
	for (unsigned k = 0; k < 2; k++)
		OP(c, s_nop, K(4));
}

static void
set_exec(t_code *c, p2a_opnd from)
{
	bool wide = c->t->wave == 64;
	p2a_opnd exec = SREG(wide ? P2A_EXEC : P2A_EXEC_LO, wide ? 2 : 1);

	from.width = wide ? 2 : 1;
	t_op(c, wide ? OP_s_mov_b64 : OP_s_mov_b32, (p2a_opnd[]){ exec, from }, 2);
	rest(c);
}

static void
move_out(t_code *c, const test *t)
{
	for (unsigned h = 0; h < 1u + is_wide(t->q.op); h++) {
		p2a_opnd o = t->plan.result[h];

		o.width = 1;
		t_op(c, OP_v_mov_b32, (p2a_opnd[]){ V(108 + h), o }, 2);
	}
}

static void
old_result(t_code *c, const test *t)
{
	const p2a_bfi_operand *d = &t->q.dst;
	uint32_t old[2] = { OLD_LO, OLD_HI };
	unsigned reg[2] = { d->lo, d->hi };

	for (unsigned h = 0; h < 1u + is_wide(t->q.op); h++)
		if (d->kind == P2A_K_VGPR)
			OP(c, v_mov_b32, V(reg[h]), K((int32_t)old[h]));
}

static void
put_test(t_code *c, const test *t)
{
	bool wide = is_wide(t->q.op);
	p2a_opnd mask = SN(90, (uint8_t)(c->t->wave / 32));
	uint32_t w[P2A_BFI_INSTS * P2A_MAX_DWORDS];
	int n = p2a_bfi_bytes(&t->plan, &scratch, w, sizeof w);

	OP(c, v_lshlrev_b32, V(1), K(5), V(0));
	MEM(c, global_load_dwordx4, 0, VN(100, 4), V(1), SN(4, 2));
	MEM(c, global_load_dwordx4, 16, VN(104, 4), V(1), SN(4, 2));
	t_wait(c);
	old_result(c, t);
	move_in(c, &t->q.a, 100, wide);
	if (t->q.op <= P2A_BFI_B64)
		move_in(c, &t->q.b, 102, wide);
	move_in(c, &t->q.pos, 104, false);
	move_in(c, &t->q.len, 105, false);
	OP(c, v_mov_b32, V(108), K(0));
	OP(c, v_mov_b32, V(109), K(0));
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ mask, K(0), V(106) }, 3);
	rest(c);
	set_exec(c, mask);
	for (int k = 0; k < n / 4; k++)
		t_word(c, w[k]);
	rest(c);
	set_exec(c, (p2a_opnd)K(-1));
	move_out(c, t);
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	MEM(c, global_store_dwordx2, 0, V(1), VN(108, 2), SN(6, 2));
	OP(c, s_add_u32, S(4), S(4), K(LANES * (int)sizeof(item)));
	OP(c, s_addc_u32, S(5), S(5), K(0));
	OP(c, s_add_u32, S(6), S(6), K(LANES * 8));
	OP(c, s_addc_u32, S(7), S(7), K(0));
}

/* ---- what a plan promises ---- */

static bool
among(const p2a_opnd *o, unsigned kind, const uint16_t *regs, unsigned n, unsigned width)
{
	for (unsigned k = 0; k < n; k++)
		if (o->kind == kind && o->reg >= regs[k] && o->reg + o->width <= regs[k] + width)
			return true;
	return false;
}

static bool
is_operand_register(const p2a_bfi_operand *d, bool wide, const p2a_opnd *o)
{
	for (unsigned r = o->reg; r < o->reg + o->width; r++)
		if (o->kind != d->kind || (r != d->lo && !(wide && r == d->hi)))
			return false;
	return true;
}

/* Only dst, dying operands, scratch and VCC are written. */
static bool
may_write(const test *t, const p2a_opnd *o)
{
	bool wide = is_wide(t->q.op);
	const p2a_bfi_plan *p = &t->plan;
	p2a_opnd dword = *o;

	if (o->kind == P2A_K_SREG)
		return p->writes_vcc && (o->reg == P2A_VCC || o->reg == P2A_VCC_LO);
	if (among(o, P2A_K_VGPR, scratch.vgpr_pair, p->vgpr_pairs, 2) || among(o, P2A_K_VGPR, scratch.vgpr, p->vgprs, 1) ||
	    among(o, P2A_K_SGPR, scratch.sgpr_pair, p->sgpr_pairs, 2) || among(o, P2A_K_SGPR, scratch.sgpr, p->sgprs, 1))
		return true;
	dword.width = 1;
	for (; dword.reg < o->reg + o->width; dword.reg++)
		if (!is_operand_register(&t->q.dst, wide, &dword) &&
		    !(t->q.a.dies && is_operand_register(&t->q.a, wide, &dword)) &&
		    !(t->q.b.dies && is_operand_register(&t->q.b, wide, &dword)) &&
		    !(t->q.pos.dies && is_operand_register(&t->q.pos, false, &dword)) &&
		    !(t->q.len.dies && is_operand_register(&t->q.len, false, &dword)))
			return false;
	return true;
}

static const char *
promises(const p2a_target *chip, const test *t)
{
	const p2a_bfi_plan *p = &t->plan;
	p2a_inst code[P2A_BFI_INSTS];
	uint32_t w[P2A_BFI_INSTS * P2A_MAX_DWORDS];
	unsigned valu = 0, salu = 0;
	bool scc = false;

	if (p2a_bfi_insts(p, &scratch, code) != (int)p->n)
		return "the instructions are refused";
	if (p2a_bfi_bytes(p, &scratch, w, sizeof w) != (int)p->bytes)
		return "bytes differ from the plan";
	for (unsigned k = 0; k < p->n; k++) {
		const isa_info *info = &isa_table[code[k].op];

		valu += info->cls == ISA_VALU;
		salu += info->cls == ISA_SALU;
		scc |= (info->eff & ISA_W_SCC) != 0;
		for (unsigned d = 0; d < (code[k].enc == P2A_ENC_DUAL ? 2u : info->ndefs); d++)
			if (!may_write(t, &code[k].arg[d]))
				return "a register is written that is not ours";
	}
	(void)chip;
	return valu != p->valu || salu != p->salu ? "counts differ from the plan" : scc != p->writes_scc ? "SCC" : NULL;
}

/* ---- running ---- */

static bool
enabled_differs(const test *t, const item *i, const uint32_t *got)
{
	const p2a_bfi_query *q = &t->q;
	bool wide = is_wide(q->op);
	uint64_t a = q->a.kind == P2A_K_IMM ? q->a.imm : i->a[0] | (uint64_t)i->a[1] << 32,
		 b = q->b.kind == P2A_K_IMM ? q->b.imm : i->b[0] | (uint64_t)i->b[1] << 32, want;

	if (!wide)
		a &= UINT32_MAX, b &= UINT32_MAX;
	want = manual(q, a, b, q->pos.kind == P2A_K_IMM ? (uint32_t)q->pos.imm : i->pos,
		q->len.kind == P2A_K_IMM ? (uint32_t)q->len.imm : i->len);
	return got[0] != (uint32_t)want || (wide && got[1] != want >> 32);
}

/* A lane that is off keeps what dst held, where dst is a register of its own. */
static bool
disabled_differs(const test *t, const uint32_t *got)
{
	if (t->dst_aliases || t->q.dst.kind != P2A_K_VGPR || t->q.flags & P2A_BFI_RENAME)
		return false;
	return got[0] != OLD_LO || (is_wide(t->q.op) && got[1] != OLD_HI);
}

static bool
compare(const char *chip, const test *t, const item *in, const uint32_t *out)
{
	for (unsigned k = 0; k < LANES; k++) {
		const item *i = &in[k];
		char text[4096] = "";

		if (i->enabled ? !enabled_differs(t, i, out + 2 * k) : !disabled_differs(t, out + 2 * k))
			continue;
		p2a_bfi_text(&t->plan, &scratch, text, sizeof text);
		t_bad("%s op %d sem %d row %s lane %u%s: a %x:%x b %x:%x pos %u len %u: %x:%x\n%s", chip, (int)t->q.op,
		      (int)t->q.semantics, t->plan.name, k, i->enabled ? "" : " (off)", i->a[1], i->a[0], i->b[1], i->b[0],
		      i->pos, i->len, out[2 * k + 1], out[2 * k], text);
		return false;
	}
	return true;
}

/* Runs n tests in one kernel; in: LANES items each. */
static bool
run(const char *chip, uint8_t wave, const test *t, unsigned n, const item *in)
{
	t_code *c = t_new(chip);
	t_run r;
	bool good;

	if (wave == 64 && c->t->wave != 64)
		t_wave64(c);
	c->vgprs = 112;
	t_prologue(c);
	for (unsigned k = 0; k < n; k++)
		put_test(c, &t[k]);
	t_op(c, OP_s_endpgm, NULL, 0);
	good = t_load(&r, c, &(emu_config){ .target = chip, .check = EMU_CHECK_ALL });
	if (good) {
		size_t ni = n * LANES * sizeof *in, no = (size_t)n * LANES * 8;
		uint64_t args[2] = { emu_alloc(r.dev, ni), emu_alloc(r.dev, no) };
		emu_launch_config l = { .grid = { LANES / 64, 1, 1 }, .block = { 64, 1, 1 }, .args = args,
			.args_size = sizeof args };

		memcpy((void *)(uintptr_t)args[0], in, ni);
		good = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK;
		if (!good)
			t_bad("%s: %s: %s%s", chip, r.r.fault.instruction, r.r.fault.message, r.r.error.text);
		for (unsigned k = 0; k < n && good; k++)
			good = compare(chip, &t[k], in + (size_t)k * LANES, (uint32_t *)(uintptr_t)args[1] + 2 * (size_t)k * LANES);
	}
	t_unload(&r);
	free(c);
	return good;
}

/* ---- questions ---- */

static uint32_t below(uint32_t n) { return (uint32_t)(t_random() >> 33) % n; }

static const uint32_t edges[] = { 0, 1, 2, 7, 8, 15, 16, 24, 31, 32, 33, 35, 40, 62, 63, 64, 65, 127, 128, 200, 254, 255 };

static uint32_t
field_number(void)
{
	switch (below(4)) {
	case 0: return below(256);
	case 1: return below(65);
	case 2: return (uint32_t)t_random() << 8 | edges[below(sizeof edges / sizeof *edges)];
	default: return edges[below(sizeof edges / sizeof *edges)];
	}
}

static uint64_t
data(void)
{
	switch (below(5)) {
	case 0: return 1ull << below(64);
	case 1: return 0 - (uint64_t)below(2);
	case 2: return below(65);
	default: return t_random();
	}
}

static p2a_bfi_operand
operand(unsigned kinds, uint64_t constant, bool wide)
{
	p2a_bfi_operand o = { .kind = P2A_K_VGPR, .lo = (uint16_t)(FIRST_V + below(28)), .dies = below(4) == 0 };
	unsigned pick = below(8);

	if (pick < 2 && kinds & 2)
		return (p2a_bfi_operand)P2A_BFI_IMM(wide ? constant : constant & UINT32_MAX);
	if (pick < 4 && kinds & 4) {
		o.kind = P2A_K_SGPR;
		o.lo = (uint16_t)(FIRST_S + below(28));
	}
	o.hi = o.lo + 1;
	if (below(4) == 0)
		while (o.hi == o.lo || (o.hi == o.lo + 1))
			o.hi = (uint16_t)((o.kind == P2A_K_VGPR ? FIRST_V : FIRST_S) + below(28));
	return o;
}

/* Bounds of pos or len. */
static void
give_range(p2a_bfi_operand *o)
{
	static const uint32_t tops[] = { 1, 31, 32, 63, 64, 255, 1000 };

	if (o->kind == P2A_K_IMM || below(2))
		return;
	o->max = tops[below(7)];
	o->min = below(3) ? 0 : below((uint32_t)o->max + 1);
}

static void
known_zeros(test *t)
{
	p2a_bfi_query *q = &t->q;
	bool constant = q->pos.kind == P2A_K_IMM && q->len.kind == P2A_K_IMM;
	uint64_t width = is_wide(q->op) ? 64 : 32, p = q->pos.imm & 0xff, l = q->len.imm & 0xff;

	if (q->op > P2A_BFI_B64 || !constant || below(3) || p >= width)
		return;
	if (q->b.kind != P2A_K_IMM)
		q->b.zero = (l >= 64 ? ~0ull : (1ull << l) - 1) << p & (width == 64 ? ~0ull : UINT32_MAX);
	if (q->a.kind != P2A_K_IMM && below(2) && l < width)
		q->a.zero = ~((1ull << l) - 1) & (width == 64 ? ~0ull : UINT32_MAX);
}

static bool
share(const p2a_bfi_operand *d, const p2a_bfi_operand *o, bool wide, bool both)
{
	return d->kind == o->kind && (d->lo == o->lo || (both && d->lo == o->hi) || (wide && d->hi == o->lo) ||
		(wide && both && d->hi == o->hi));
}

/* Two operands in one register must hold the same, which items give only to pos and len, or a and b. */
static bool
contradicts(const test *t)
{
	const p2a_bfi_query *q = &t->q;
	bool wide = is_wide(q->op);

	return share(&q->a, &q->b, wide, wide) || share(&q->pos, &q->a, false, wide) || share(&q->pos, &q->b, false, wide) ||
	       share(&q->len, &q->a, false, wide) || share(&q->len, &q->b, false, wide) || share(&q->pos, &q->len, false, false);
}

static void
choose_dst(test *t)
{
	p2a_bfi_query *q = &t->q;
	bool lanes = q->a.kind == P2A_K_VGPR || (q->b.kind == P2A_K_VGPR && q->op <= P2A_BFI_B64) ||
		q->pos.kind == P2A_K_VGPR || q->len.kind == P2A_K_VGPR;
	const p2a_bfi_operand *from[4] = { &q->a, &q->b, &q->pos, &q->len };
	const p2a_bfi_operand *o = from[below(4)];
	bool scalar = !lanes && below(2);

	q->dst = (p2a_bfi_operand){ .kind = scalar ? P2A_K_SGPR : P2A_K_VGPR };
	q->dst.lo = (uint16_t)((scalar ? FIRST_S : FIRST_V) + below(28));
	if (below(2) && o->kind == q->dst.kind)
		q->dst.lo = o->lo;
	q->dst.hi = (uint16_t)(q->dst.lo + 1);
	if (below(4) == 0 && o->kind == q->dst.kind && o->hi != q->dst.lo)
		q->dst.hi = o->hi;
	if (below(8) == 0 && o->kind == q->dst.kind && o->lo != o->hi && o->hi) {
		q->dst.lo = o->hi;
		q->dst.hi = o->lo;
	}
	t->dst_aliases = false;
	for (unsigned k = 0; k < 4; k++)
		t->dst_aliases |= share(&q->dst, from[k], is_wide(q->op), true);
}

static void
ask(test *t, const p2a_target *chip, p2a_bfi_op op, uint8_t wave)
{
	do {
		bool wide = is_wide(op);
		unsigned field = below(3) ? 7 : 2;

		memset(&t->q, 0, sizeof t->q);
		t->q.size = sizeof t->q;
		t->q.target = chip;
		t->q.op = op;
		t->q.wave = wave;
		t->q.semantics = below(2) ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED;
		t->q.flags = below(2) ? P2A_BFI_RENAME : 0;
		t->q.a = operand(7, data(), wide);
		t->q.b = operand(7, data(), wide);
		t->q.pos = operand(field, field_number(), false);
		t->q.len = operand(field, field_number(), false);
		if (field == 2) {
			if (below(4))
				t->q.pos = (p2a_bfi_operand)P2A_BFI_IMM(field_number());
			if (below(4))
				t->q.len = (p2a_bfi_operand)P2A_BFI_IMM(field_number());
		}
		give_range(&t->q.pos);
		give_range(&t->q.len);
		known_zeros(t);
		choose_dst(t);
	} while (contradicts(t));
}

static uint32_t
number_for(const p2a_bfi_operand *o)
{
	uint32_t x = field_number();

	return o->max && (x < o->min || x > o->max) ? (uint32_t)(o->min + x % (o->max - o->min + 1)) : x;
}

/* Values as the facts allow; uniform ones the same in 64 lanes, which are one wave or two. */
static void
make_items(const test *t, item *in)
{
	for (unsigned k = 0; k < LANES; k++) {
		const p2a_bfi_query *q = &t->q;
		const item *u = &in[k & ~63u];
		uint64_t a = data() & ~q->a.zero, b = data() & ~q->b.zero;
		item i = { { (uint32_t)a, (uint32_t)(a >> 32) }, { (uint32_t)b, (uint32_t)(b >> 32) }, number_for(&q->pos),
			number_for(&q->len), k < 64 || below(2), 0 };

		if (q->a.kind == P2A_K_SGPR && k & 63)
			memcpy(i.a, u->a, sizeof i.a);
		if (q->b.kind == P2A_K_SGPR && k & 63)
			memcpy(i.b, u->b, sizeof i.b);
		if (q->pos.kind == P2A_K_SGPR && k & 63)
			i.pos = u->pos;
		if (q->len.kind == P2A_K_SGPR && k & 63)
			i.len = u->len;
		in[k] = i;
	}
}

/* ---- random questions ---- */

static bool
batch(const p2a_target *chip, p2a_bfi_op op, uint8_t wave, unsigned long *count)
{
	static test t[BATCH];
	static item in[BATCH * LANES];
	const char *why;

	for (unsigned k = 0; k < BATCH; k++) {
		int err;

		ask(&t[k], chip, op, wave);
		err = p2a_bfi_make(&t[k].q, &t[k].plan);
		why = err ? p2a_isa_error_name(err) : promises(chip, &t[k]);
		if (why) {
			t_bad("%s op %d row %s: %s", p2a_target_name(chip), (int)op, err ? "" : t[k].plan.name, why);
			return false;
		}
		make_items(&t[k], &in[(size_t)k * LANES]);
	}
	*count += BATCH;
	return run(p2a_target_name(chip), wave, t, BATCH, in);
}

static void
random_questions(const char *name, p2a_bfi_op op)
{
	static const char *const ops[] = { "bfi.b32", "bfi.b64", "bfe.u32", "bfe.s32", "bfe.u64", "bfe.s64" };
	const p2a_target *chip = p2a_target_find(name);
	unsigned rounds = getenv("P2A_TEST_QUICK") ? 2 : 12;
	unsigned long count = 0;
	bool good = true;

	for (unsigned k = 0; k < rounds && good; k++)
		good = batch(chip, op, k % 4 == 3 && chip->wave_bits & 64 ? 64 : chip->wave, &count);
	if (good)
		t_ok("%s %s: %lu questions, operands of all kinds", name, ops[op], count);
}

/* ---- all positions and lengths ---- */

enum { PER_LANE, UNIFORM, NFORMS };

/* Every pos and len (of a stride) with unit vectors, zero and random bits in a and b. */
static void
all_fields(const char *name, p2a_bfi_op op, p2a_semantics sem, unsigned form)
{
	static item in[BATCH * LANES];
	static test t[BATCH];
	const p2a_target *chip = p2a_target_find(name);
	unsigned stride = getenv("P2A_TEST_QUICK") ? 13 : form == UNIFORM ? 5 : 3, vectors = is_wide(op) ? 130 : 66, n = 0;
	bool good = true;
	test one = { .q = { .size = sizeof one.q, .target = chip, .op = op, .semantics = sem, .dst = P2A_BFI_V64(10),
		.a = P2A_BFI_V64(4), .b = P2A_BFI_V64(6), .pos = P2A_BFI_V(8), .len = P2A_BFI_V(9) } };

	if (form == UNIFORM) {
		one.q.pos = (p2a_bfi_operand)P2A_BFI_S(13);
		one.q.len = (p2a_bfi_operand)P2A_BFI_S(14);
	}
	good = !p2a_bfi_make(&one.q, &one.plan) && !promises(chip, &one);
	for (unsigned k = 0; k < BATCH; k++)
		t[k] = one;
	for (uint32_t p = 0; p < 256 && good; p += stride)
		for (uint32_t l = 0; l < 256 && good; l += stride)
			for (unsigned v = 0; v < vectors && good; v++) {
				uint64_t u = v < 128 ? 1ull << v % 64 : t_random();
				bool in_b = v & 64 || (vectors == 66 && v & 32);
				uint64_t a = in_b ? 0 : u, b = in_b ? u : 0;

				if (v >= vectors - 2)
					a = v & 1 ? 0 : t_random(), b = v & 1 ? 0 : t_random();
				for (; form == UNIFORM && !v && n & 63; n++)    /* a block for itself */
					in[n] = in[n - 1];
				if (n == BATCH * LANES) {
					good = run(name, chip->wave, t, BATCH, in);
					n = 0;
				}
				in[n++] = (item){ { (uint32_t)a, (uint32_t)(a >> 32) }, { (uint32_t)b, (uint32_t)(b >> 32) },
					p, l, 1, 0 };
			}
	if (good && n) {
		unsigned whole = (n + LANES - 1) / LANES;

		memset(&in[n], 0, (whole * LANES - n) * sizeof *in);
		good = run(name, chip->wave, t, whole, in);
	}
	if (good)
		t_ok("%s op %d sem %d form %u row %s: positions and lengths by %u", name, (int)op, (int)sem, form,
		     one.plan.name, stride);
	else if (!one.plan.n)
		t_bad("%s op %d: no plan", name, (int)op);
}

int
main(int argc, char **argv)
{
	static const char *const chips[] = { "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030",
		"gfx1100", "gfx1150", "gfx1200", "gfx1201" };

	for (unsigned c = 0; c < sizeof chips / sizeof *chips; c++)
		for (int op = P2A_BFI_B32; op <= P2A_BFE_S64; op++) {
			if (argc > 1 && strcmp(argv[1], chips[c]))
				continue;
			random_questions(chips[c], (p2a_bfi_op)op);
			for (int sem = 0; sem <= is_wide((p2a_bfi_op)op); sem++)
				for (unsigned form = 0; form < NFORMS; form++)
					all_fields(chips[c], (p2a_bfi_op)op, (p2a_semantics)sem, form);
		}
	return t_end();
}
