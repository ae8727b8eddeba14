/* bfi_run.c -- see bfi_run.h. */
#include "bfi_run.h"

enum { OLD_LO = 0x5a5a1234, OLD_HI = 0x5a5a5678 };

const p2a_bfi_scratch bfi_scratch = { { 40, 42, 44, 48, 50, 52, 56, 58 }, { 64, 65, 66, 67, 68, 69, 70, 72 },
	{ 48, 50, 52, 54, 56, 58, 60, 62 }, { 64, 65, 66, 67, 68, 69, 70, 71 } };

/* ---- the definition ---- */

static uint64_t
low(uint64_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

uint64_t
bfi_by_bits(const p2a_bfi_query *q, uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
	bool all = bfi_counts_all(q->op, q->semantics), mask = q->op == P2A_BMSK_B32, insert = bfi_is_insert(q->op) || mask,
	     sign = bfi_is_signed(q->op);
	uint64_t msb = bfi_is_wide(q->op) ? 63 : 31, p = all ? pos : pos & 0xff, l = all ? len : len & 0xff, r = 0, fill = 0;

	if (mask)
		a = ~0ull, b = 0;
	if (!bfi_has(q->op, BFI_POS))
		p = 0;
	if (insert) {
		r = b;
		for (uint64_t i = 0; i < l && p + i <= msb; i++)      /* 64 bits: nothing runs over */
			r = (r & ~(1ull << (p + i))) | (a >> i & 1) << (p + i);
		return r;
	}
	if (sign && l)
		fill = a >> (p + l - 1 < msb ? p + l - 1 : msb) & 1;
	for (uint64_t i = 0; i <= msb; i++)
		r |= (i < l && p + i <= msb ? a >> (p + i) & 1 : fill) << i;
	return r;
}

uint64_t
bfi_by_masks(const p2a_bfi_query *q, uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
	bool all = bfi_counts_all(q->op, q->semantics);
	uint64_t w = bfi_is_wide(q->op) ? 64 : 32, p = all ? pos : pos & 0xff, l = all ? len : len & 0xff, n, r;

	if (!bfi_has(q->op, BFI_POS))
		p = 0;
	n = p >= w ? 0 : l < w - p ? l : w - p;          /* bits of the field that there are */
	if (q->op == P2A_BMSK_B32)
		return n ? low(n) << p : 0;
	if (bfi_is_insert(q->op))
		return n ? (b & ~(low(n) << p)) | (a & low(n)) << p : b;
	r = n ? a >> p & low(n) : 0;
	if (bfi_is_signed(q->op) && l && a >> (p + l - 1 < w - 1 ? p + l - 1 : w - 1) & 1)
		r |= low(w) & ~low(n);
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

p2a_opnd
result_of(const test *t, unsigned h)
{
	const p2a_bfi_scratch *s = &bfi_scratch;
	p2a_opnd o = t->plan.result[h];
	uint32_t half = (uint32_t)o.imm;

	switch (o.kind) {
	case P2A_BFI_K_VGPR_PAIR: return (p2a_opnd)V(s->vgpr_pair[o.reg] + half);
	case P2A_BFI_K_VGPR: return (p2a_opnd)V(s->vgpr[o.reg]);
	case P2A_BFI_K_SGPR_PAIR: return (p2a_opnd)S(s->sgpr_pair[o.reg] + half);
	case P2A_BFI_K_SGPR: return (p2a_opnd)S(s->sgpr[o.reg]);
	default: return o;
	}
}

static void
move_out(t_code *c, const test *t)
{
	for (unsigned h = 0; h < 1u + bfi_is_wide(t->q.op); h++) {
		p2a_opnd o = result_of(t, h);

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

	for (unsigned h = 0; h < 1u + bfi_is_wide(t->q.op); h++)
		if (d->kind == P2A_K_VGPR)
			OP(c, v_mov_b32, V(reg[h]), K((int32_t)old[h]));
}

unsigned
code_of(const test *t, uint32_t w[MOST_WORDS])
{
	int n = p2a_bfi_bytes(&t->plan, &bfi_scratch, w, MOST_WORDS * sizeof *w);

	return n < 0 ? 0 : (unsigned)n / 4;
}

static void
put_test(t_code *c, const test *t, unsigned lanes)
{
	bool wide = bfi_is_wide(t->q.op);
	const p2a_bfi_operand *in[4] = { &t->q.a, &t->q.b, &t->q.pos, &t->q.len };
	p2a_opnd mask = SN(90, (uint8_t)(c->t->wave / 32));
	uint32_t w[MOST_WORDS];
	unsigned n = code_of(t, w);

	OP(c, v_lshlrev_b32, V(1), K(5), V(0));
	MEM(c, global_load_dwordx4, 0, VN(100, 4), V(1), SN(4, 2));
	MEM(c, global_load_dwordx4, 16, VN(104, 4), V(1), SN(4, 2));
	t_wait(c);
	old_result(c, t);
	for (unsigned k = 0; k < 4; k++)
		if (bfi_has(t->q.op, k))
			move_in(c, in[k], k < 2 ? 100 + 2 * k : 102 + k, wide && k < 2);
	OP(c, v_mov_b32, V(108), K(0));
	OP(c, v_mov_b32, V(109), K(0));
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ mask, K(0), V(106) }, 3);
	rest(c);
	set_exec(c, mask);
	for (unsigned k = 0; k < n; k++)
		t_word(c, w[k]);
	rest(c);
	set_exec(c, (p2a_opnd)K(-1));
	move_out(c, t);
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	MEM(c, global_store_dwordx2, 0, V(1), VN(108, 2), SN(6, 2));
	OP(c, s_add_u32, S(4), S(4), K((int)(lanes * sizeof(item))));
	OP(c, s_addc_u32, S(5), S(5), K(0));
	OP(c, s_add_u32, S(6), S(6), K((int)(lanes * 8)));
	OP(c, s_addc_u32, S(7), S(7), K(0));
}

/* ---- what a plan promises ---- */

static bool
among(const uint16_t *regs, unsigned n, unsigned width, unsigned reg)
{
	for (unsigned k = 0; k < n; k++)
		if (reg >= regs[k] && reg < regs[k] + width)
			return true;
	return false;
}

static bool
is_scratch(const p2a_bfi_plan *p, uint8_t kind, unsigned reg)
{
	const p2a_bfi_scratch *s = &bfi_scratch;

	return kind == P2A_K_VGPR ? among(s->vgpr_pair, p->vgpr_pairs, 2, reg) || among(s->vgpr, p->vgprs, 1, reg)
				  : among(s->sgpr_pair, p->sgpr_pairs, 2, reg) || among(s->sgpr, p->sgprs, 1, reg);
}

static bool
is_in(const p2a_bfi_operand *o, bool wide, uint8_t kind, unsigned reg)
{
	return o->kind == kind && (o->lo == reg || (wide && o->hi == reg));
}

bool
may_clobber(const test *t, uint8_t kind, unsigned reg)
{
	const p2a_bfi_query *q = &t->q;
	const p2a_bfi_operand *in[4] = { &q->a, &q->b, &q->pos, &q->len };
	bool wide = bfi_is_wide(q->op), dies = false;

	if (is_scratch(&t->plan, kind, reg) || is_in(&q->dst, wide, kind, reg))
		return true;
	for (unsigned k = 0; k < 4; k++) {
		if (!bfi_has(q->op, k) || !is_in(in[k], wide && k < 2, kind, reg))
			continue;
		if (!in[k]->dies)
			return false;
		dies = true;
	}
	return dies;
}

static bool
may_write(const test *t, const p2a_opnd *o)
{
	if (o->kind == P2A_K_SREG)
		return t->plan.writes_vcc && (o->reg == P2A_VCC || o->reg == P2A_VCC_LO);
	for (unsigned r = o->reg; r < o->reg + o->width; r++)
		if (!may_clobber(t, o->kind, r))
			return false;
	return true;
}

bool
writes_its_own(const test *t)
{
	p2a_inst code[P2A_BFI_INSTS];
	int n = p2a_bfi_insts(&t->plan, &bfi_scratch, code);

	for (int k = 0; k < n; k++)
		for (unsigned d = 0; d < (code[k].enc == P2A_ENC_DUAL ? 2u : isa_table[code[k].op].ndefs); d++)
			if (!may_write(t, &code[k].arg[d]))
				return false;
	return n >= 0;
}

const char *
promises(const test *t)
{
	const p2a_bfi_plan *p = &t->plan;
	p2a_inst code[P2A_BFI_INSTS];
	uint32_t w[P2A_BFI_INSTS * P2A_MAX_DWORDS];
	unsigned valu = 0, salu = 0;
	bool scc = false;

	if (p2a_bfi_insts(p, &bfi_scratch, code) != (int)p->n)
		return "the instructions are refused";
	if (p2a_bfi_bytes(p, &bfi_scratch, w, sizeof w) != (int)p->bytes)
		return "bytes differ from the plan";
	for (unsigned k = 0; k < p->n; k++) {
		const isa_info *info = &isa_table[code[k].op];

		valu += info->cls == ISA_VALU;
		salu += info->cls == ISA_SALU;
		scc |= (info->eff & ISA_W_SCC) != 0;
	}
	if (!writes_its_own(t))
		return "a register is written that is not ours";
	return valu != p->valu || salu != p->salu ? "counts differ from the plan" : scc != p->writes_scc ? "SCC" : NULL;
}

/* ---- running ---- */

static bool
enabled_differs(const test *t, const item *i, const uint32_t *got)
{
	const p2a_bfi_query *q = &t->q;
	bool wide = bfi_is_wide(q->op);
	uint64_t a = q->a.kind == P2A_K_IMM ? q->a.imm : i->a[0] | (uint64_t)i->a[1] << 32,
		 b = q->b.kind == P2A_K_IMM ? q->b.imm : i->b[0] | (uint64_t)i->b[1] << 32, want;

	if (!wide)
		a &= UINT32_MAX, b &= UINT32_MAX;
	want = bfi_by_masks(q, a, b, q->pos.kind == P2A_K_IMM ? (uint32_t)q->pos.imm : i->pos,
		q->len.kind == P2A_K_IMM ? (uint32_t)q->len.imm : i->len);
	return got[0] != (uint32_t)want || (wide && got[1] != want >> 32);
}

/* A lane that is off keeps what dst held, where dst is a register of its own. */
static bool
disabled_differs(const test *t, const uint32_t *got)
{
	if (t->dst_aliases || t->q.dst.kind != P2A_K_VGPR || t->q.flags & P2A_BFI_RENAME)
		return false;
	return got[0] != OLD_LO || (bfi_is_wide(t->q.op) && got[1] != OLD_HI);
}

static bool
compare(const char *chip, const test *t, const item *in, const uint32_t *out, unsigned lanes)
{
	for (unsigned k = 0; k < lanes; k++) {
		const item *i = &in[k];
		char text[4096] = "";

		if (i->enabled ? !enabled_differs(t, i, out + 2 * k) : !disabled_differs(t, out + 2 * k))
			continue;
		p2a_bfi_text(&t->plan, &bfi_scratch, text, sizeof text);
		t_bad("%s op %d sem %d row %s lane %u%s: a %x:%x b %x:%x pos %u len %u: %x:%x\n%s", chip, (int)t->q.op,
		      (int)t->q.semantics, t->plan.name, k, i->enabled ? "" : " (off)", i->a[1], i->a[0], i->b[1], i->b[0],
		      i->pos, i->len, out[2 * k + 1], out[2 * k], text);
		return false;
	}
	return true;
}

bool
run(const char *chip, uint8_t wave, const test *t, unsigned n, const item *in, unsigned lanes, unsigned check)
{
	t_code *c = t_new(chip);
	t_run r;
	bool good;

	if (wave == 64 && c->t->wave != 64)
		t_wave64(c);
	c->vgprs = 112;
	t_prologue(c);
	for (unsigned k = 0; k < n; k++) {
		if (c->n > sizeof c->w / sizeof *c->w - MOST_WORDS - 128) {
			t_bad("%s: no room for %u tests", chip, n);
			free(c);
			return false;
		}
		put_test(c, &t[k], lanes);
	}
	t_op(c, OP_s_endpgm, NULL, 0);
	good = t_load(&r, c, &(emu_config){ .target = chip, .check = check });
	if (good) {
		size_t ni = (size_t)n * lanes * sizeof *in, no = (size_t)n * lanes * 8;
		uint64_t args[2] = { emu_alloc(r.dev, ni), emu_alloc(r.dev, no) };
		emu_launch_config l = { .grid = { lanes / 64, 1, 1 }, .block = { 64, 1, 1 }, .args = args,
			.args_size = sizeof args };

		memcpy((void *)(uintptr_t)args[0], in, ni);
		good = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK;
		if (!good)
			t_bad("%s: %s: %s%s", chip, r.r.fault.instruction, r.r.fault.message, r.r.error.text);
		for (unsigned k = 0; k < n && good; k++)
			good = compare(chip, &t[k], in + (size_t)k * lanes, (uint32_t *)(uintptr_t)args[1] + 2 * (size_t)k * lanes, lanes);
	}
	t_unload(&r);
	free(c);
	return good;
}
