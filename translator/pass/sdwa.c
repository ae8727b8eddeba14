/* sdwa.c -- bytes and halves of registers are read and written by the instructions that compute with them.
 * Needs machine SSA of a chip with sub-dword addressing; leaves VOP1, VOP2 and VOPC instructions with
 * selections in place of the masks, shifts and bit fields (sdwa.def) that nobody else reads; a part that a shift and a
 * mask move is one shift of a selection.
 * Manuals: "SDWA" (Vega 13.3.7, RDNA1 6.8): sources are VGPRs or SGPRs, so constants need an SGPR. */
#include "pass/pass.h"

/* An instruction less is worth so many bytes more: a constant's s_mov_b32, or two short encodings' growth
 * where the mask was short too. */
enum { BYTES_FOR_ONE = 4 };

typedef struct field { uint8_t pos, len; bool sext; } field;
typedef struct use { ir_inst *i; unsigned arg; uint32_t next; } use;

/* Rows of both tables: TAKE has a part, PLACE the selections. */
typedef struct row {
	uint16_t op;
	uint8_t value, c1, k2_at, sel, unused;
	uint32_t k1, k2;
	field part;
} row;

static const row takes[] = {
#define TAKE(op, value, c1, k1, c2, k2, pos, len, sext) \
	{ OP_##op, value, c1, c2, 0, 0, k1, k2, { pos, len, sext } },
#include "pass/sdwa.def"
};
static const row places[] = {
#define PLACE(op, value, c1, k1, c2, k2, sel, unused) \
	{ OP_##op, value, c1, c2, P2A_SEL_##sel, P2A_UNUSED_##unused, k1, k2, { 0, 0, 0 } },
#include "pass/sdwa.def"
};

typedef struct sdwa {
	ir_func *f;
	const p2a_target *t;
	ir_inst **def;          /* by value: its only definition, if that writes all of it */
	bitset defined;         /* values that have one or several */
	bitset rewritten;       /* values of which an instruction replaces a part or a lane */
	uint32_t *uses;         /* by value: where it is read; 0 ends the list */
	uint32_t nvals;         /* that def and uses know */
	VEC(use) pool;
	VEC(struct constant { const ir_block *b; int64_t imm; ir_opnd at; }) constants; /* in SGPRs already */
} sdwa;

/* A changed instruction before it is put in place. */
typedef struct plan { p2a_inst m; uint32_t bytes; unsigned moves; bool to_s[P2A_MAX_ARGS]; } plan;

/* ---- what is where ---- */

static bool
is_whole(const sdwa *s, ir_opnd o)
{
	return ir_is_val(o) && !o.imm && o.width == s->f->vals.a[o.reg].dwords;
}

static void
note_defs(sdwa *s, ir_inst *i)
{
	for (unsigned k = 0; k < i->ndefs; k++) {
		ir_opnd o = i->m.arg[k];

		if (!ir_is_val(o))
			continue;
		s->def[o.reg] = bit_has(&s->defined, o.reg) || !is_whole(s, o) ? NULL : i;
		bit_set(&s->defined, o.reg);
		if (ir_replaces_part(i))
			bit_set(&s->rewritten, o.reg);
	}
}

static void
note_use(sdwa *s, ir_inst *i, unsigned arg, uint32_t val)
{
	*vec_push(s->f->A, &s->pool) = (use){ i, arg, s->uses[val] };
	s->uses[val] = s->pool.n - 1;
}

/* Sources of phis stand behind all operands. */
static void
note_uses(sdwa *s, ir_inst *i)
{
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (ir_is_val(i->m.arg[k]))
			note_use(s, i, k, i->m.arg[k].reg);
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		if (ir_is_val(i->phi[k]))
			note_use(s, i, P2A_MAX_ARGS, i->phi[k].reg);
}

static bool
is_vector(const sdwa *s, ir_opnd o)
{
	return ir_is_val(o) && s->f->vals.a[o.reg].bank == IR_BANK_V;
}

/* What a constant is, also one that s_mov_b32 writes. */
static bool
value_of(const sdwa *s, ir_opnd o, uint32_t *x)
{
	const ir_inst *d = ir_is_val(o) && o.reg < s->nvals ? s->def[o.reg] : NULL;

	if (d && d->m.op == OP_s_mov_b32)
		o = d->m.arg[1];
	*x = (uint32_t)o.imm;
	return ir_is_imm(o);
}

static bool
is_constant(const sdwa *s, ir_opnd o, uint32_t x)
{
	uint32_t y;

	return value_of(s, o, &y) && x == y;
}

/* The plain instruction i as row r has it, or with its first two sources exchanged; *x: the value. */
static bool
matches(const sdwa *s, const ir_inst *i, const row *r, ir_opnd *x)
{
	const p2a_inst *m = &i->m;
	unsigned value = r->value, c1 = r->c1;

	if (m->op != r->op || m->enc != P2A_ENC_AUTO || m->clamp || !is_whole(s, m->arg[0]))
		return false;
	if (isa_table[m->op].eff & ISA_COMM && !is_constant(s, m->arg[c1], r->k1)) {
		value = r->c1;
		c1 = r->value;
	}
	*x = m->arg[value];
	return is_constant(s, m->arg[c1], r->k1) &&
	       (!r->k2_at || is_constant(s, m->arg[r->k2_at], r->k2)) && ir_is_val(*x) &&
	       (is_vector(s, *x) || (isa_table[m->op].cls == ISA_SALU && !(i->next && i->next->glue))) &&
	       !bit_has(&s->rewritten, x->reg);
}

/* ---- selections ---- */

static field
field_of(unsigned sel)
{
	if (sel == P2A_SEL_DWORD)
		return (field){ 0, 32, false };
	return sel < P2A_SEL_WORD0 ? (field){ (uint8_t)(8 * (sel - P2A_SEL_BYTE0)), 8, false }
				   : (field){ (uint8_t)(16 * (sel - P2A_SEL_WORD0)), 16, false };
}

static unsigned
sel_of(field p)
{
	return (p.len == 8 ? P2A_SEL_BYTE0 + p.pos / 8u : P2A_SEL_WORD0 + p.pos / 16u);
}

/* Part q of what is part p of a register, as a part of the register: needs to lie inside p. */
static bool
part_of_part(field p, field q, field *out)
{
	if (q.len == 32) {
		*out = p;
		return true;
	}
	*out = (field){ (uint8_t)(p.pos + q.pos), q.len, q.sext };
	return q.pos + q.len <= p.len;
}

/* ---- what the chip can encode ---- */

static p2a_opnd
stand_in(const sdwa *s, ir_opnd o, bool to_s, unsigned slot)
{
	if (to_s)
		return (p2a_opnd)P2A_S(2 * slot);
	if (!ir_is_val(o))
		return o;
	o.kind = is_vector(s, o) ? P2A_K_VGPR : P2A_K_SGPR;
	o.reg = 8 * slot;
	o.imm = 0;
	return o;
}

/* Bytes that m takes with registers of the right kinds; 0: not encodable. */
static uint32_t
size_of(const sdwa *s, const p2a_inst *m, const bool *to_s)
{
	p2a_inst x = *m;
	int n;

	for (unsigned k = 0; k < m->nargs; k++) {
		unsigned slot = k;

		for (unsigned j = k; j-- > 0; )
			if (ir_is_val(m->arg[j]) && ir_is_val(m->arg[k]) && m->arg[j].reg == m->arg[k].reg)
				slot = j;
		x.arg[k] = stand_in(s, m->arg[k], to_s && to_s[k], slot);
	}
	n = p2a_check(s->t, &x) ? 0 : isa_size(s->t, &x);
	return n > 0 ? (uint32_t)n : 0;
}

static const struct constant *
constant_in(const sdwa *s, const ir_block *b, int64_t imm)
{
	for (uint32_t k = s->constants.n; k-- > 0 && s->constants.a[k].b == b; )
		if (s->constants.a[k].imm == imm)
			return &s->constants.a[k];
	return NULL;
}

/* Completes p, whose m has its selections: constants into SGPRs where they must be. */
static bool
encodable(const sdwa *s, const ir_block *b, plan *p)
{
	p->m.enc = P2A_ENC_SDWA;
	for (unsigned k = isa_table[p->m.op].ndefs; k < p->m.nargs; k++) {
		ir_opnd o = p->m.arg[k];

		if (o.kind == P2A_K_SREG || o.kind == IR_K_SYM)
			return false;
		p->to_s[k] = ir_is_imm(o);
		if (!p->to_s[k] || constant_in(s, b, o.imm))
			continue;
		p->moves++;
		p->bytes += isa_is_inline(s->t, ISA_T_B32, o.imm) ? 4 : 8;
	}
	p->bytes += size_of(s, &p->m, p->to_s);
	return size_of(s, &p->m, p->to_s) != 0;
}

static uint32_t
bytes_now(const sdwa *s, const ir_inst *i)
{
	return size_of(s, &i->m, NULL);
}

/* A constant in an SGPR, from the block's beginning on. */
static ir_opnd
to_sgpr(sdwa *s, ir_block *b, ir_opnd imm)
{
	const struct constant *old = constant_in(s, b, imm.imm);
	ir_builder B = { s->f, b, b->first, 0 };
	ir_opnd c;

	if (old)
		return old->at;
	while (B.before->m.op == G_phi || B.before->m.op == P_entry)
		B.before = B.before->next;
	B.loc = B.before->loc;
	c = ir_valop(s->f, ir_new_reg(s->f, IR_BANK_S, 1));
	ir_m(&B, OP_s_mov_b32, 2, c, imm);
	*vec_push(s->f->A, &s->constants) = (struct constant){ b, imm.imm, c };
	return c;
}

static void
carry_out(sdwa *s, ir_inst *i, const plan *p)
{
	i->m = p->m;
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (p->to_s[k])
			i->m.arg[k] = to_sgpr(s, i->block, i->m.arg[k]);
}

/* ---- sources ---- */

/* Numbers, and halves where they are read as such; what SDWA means for others is not used. */
static bool
reads_part(const ir_inst *i, unsigned arg, field part)
{
	const isa_info *info;
	unsigned type;

	if (!ir_is_machine(i->m.op))
		return false;
	info = &isa_table[i->m.op];
	if (info->cls != ISA_VALU && info->cls != ISA_TRANS)
		return false;
	type = info->arg[0].type;
	if (type != ISA_T_B32 && type != ISA_T_F32 && type != ISA_T_F16 && type != ISA_T_MASK)
		return false;
	type = info->arg[arg].type;
	return type == ISA_T_B32 || (type == ISA_T_F16 && part.len == 16 && !part.sext);
}

/* A part moved up by whole bytes: v_mov_b32 writes it there. */
static bool
shifted_part(const sdwa *s, const ir_inst *i, unsigned arg, field part, plan *p)
{
	const p2a_inst *m = &i->m;
	unsigned n = 8;

	if (m->op != OP_v_lshlrev_b32 || m->enc != P2A_ENC_AUTO || arg != 2)
		return false;
	while (n < 32 && !is_constant(s, m->arg[1], n))
		n += 8;
	if (n + part.len > 32 || n % part.len || (part.sext && n + part.len < 32))
		return false;
	p->m = (p2a_inst){ .op = OP_v_mov_b32, .nargs = 2, .arg = { m->arg[0], m->arg[2] } };
	p->m.dst_sel = (uint8_t)sel_of((field){ (uint8_t)n, part.len, false });
	return true;
}

static bool
read_part(const sdwa *s, const ir_inst *i, unsigned arg, ir_opnd x, field part, plan *p)
{
	ir_opnd *o;
	field inner, all;

	*p = (plan){ .m = i->m };
	if (!reads_part(i, arg, part) || isa_is_dpp(p->m.enc))
		return false;
	if (shifted_part(s, i, arg, part, p))
		arg = 1;
	o = &p->m.arg[arg];
	inner = field_of(o->sel);
	inner.sext = o->mods & P2A_SEXT;
	if (o->sel && p->m.enc != P2A_ENC_SDWA)
		return false;
	if (!part_of_part(part, inner, &all))
		return false;
	o->reg = x.reg;
	o->imm = x.imm;
	o->sel = (uint8_t)sel_of(all);
	o->mods = (uint8_t)((o->mods & ~P2A_SEXT) | (all.sext ? P2A_SEXT : 0));
	return encodable(s, i->block, p);
}

/* Instruction i reads part of x instead of value v, in all of its operands. */
static bool
read_parts(const sdwa *s, const ir_inst *i, uint32_t v, ir_opnd x, field part, plan *p)
{
	ir_inst now = *i;
	bool found = false;

	for (unsigned k = i->ndefs; k < now.m.nargs; k++) {
		if (!ir_is_val(now.m.arg[k]) || now.m.arg[k].reg != v)
			continue;
		if (!read_part(s, &now, k, x, part, p))
			return false;
		now.m = p->m;
		found = true;
	}
	return found;
}

/* The next use from u on that is still one, and not a further operand of an instruction seen before. */
static uint32_t
real_use(const sdwa *s, uint32_t u, uint32_t v)
{
	for (; u; u = s->pool.a[u].next) {
		const use *w = &s->pool.a[u];
		unsigned k = w->i->ndefs;

		if (w->arg >= P2A_MAX_ARGS)
			break;
		while (k < w->i->m.nargs && !(ir_is_val(w->i->m.arg[k]) && w->i->m.arg[k].reg == v))
			k++;
		if (w->i->block && k == w->arg && k < w->i->m.nargs)
			break;
	}
	return u;
}

static bool
pays(const sdwa *s, const ir_inst *i, ir_opnd x, field part)
{
	uint32_t v = i->m.arg[0].reg, before = bytes_now(s, i) + BYTES_FOR_ONE, after = 0, u;
	plan p;

	u = real_use(s, s->uses[v], v);
	if (!u)
		return false;
	for (; u; u = real_use(s, s->pool.a[u].next, v)) {
		const use *w = &s->pool.a[u];

		if (w->arg >= P2A_MAX_ARGS || !read_parts(s, w->i, v, x, part, &p))
			return false;
		if (p.moves && w->i->block->depth > i->block->depth)
			return false;
		before += bytes_now(s, w->i);
		after += p.bytes;
	}
	return after <= before;
}

/* Takes the instruction i that only selects a part of x into all who read its result. */
static void
take(sdwa *s, ir_inst *i, ir_opnd x, field part)
{
	uint32_t v = i->m.arg[0].reg;
	plan p;

	if (!pays(s, i, x, part))
		return;
	for (uint32_t u = real_use(s, s->uses[v], v), next; u; u = next) {
		ir_inst *user = s->pool.a[u].i;

		next = s->pool.a[u].next;
		if (read_parts(s, user, v, x, part, &p)) {
			carry_out(s, user, &p);
			for (unsigned k = user->ndefs; k < user->m.nargs; k++)
				if (ir_is_val(user->m.arg[k]) && user->m.arg[k].reg == x.reg)
					note_use(s, user, k, x.reg);
		}
		next = real_use(s, next, v);
	}
	ir_remove(i);
}

static void
take_all(sdwa *s)
{
	for (uint32_t b = s->f->blocks.n; b-- > 0; )
		for (ir_inst *i = s->f->blocks.a[b]->last, *prev; i; i = prev) {
			ir_opnd x;

			prev = i->prev;
			for (unsigned k = 0; k < COUNT(takes); k++)
				if (matches(s, i, &takes[k], &x)) {
					take(s, i, x, takes[k].part);
					break;
				}
		}
}

/* ---- results ---- */

/* Whose result only i reads, a number that it may as well write elsewhere. */
static ir_inst *
writer_for(const sdwa *s, const ir_inst *i, ir_opnd r)
{
	ir_inst *d = is_whole(s, r) ? s->def[r.reg] : NULL;
	uint32_t u;

	if (!d || !d->block || d->block != i->block || !ir_is_machine(d->m.op) || d->ndefs != 1)
		return NULL;
	if (isa_table[d->m.op].cls != ISA_VALU || isa_table[d->m.op].arg[0].type != ISA_T_B32)
		return NULL;
	if (d->m.clamp || d->m.dst_sel || (d->m.enc != P2A_ENC_AUTO && d->m.enc != P2A_ENC_SDWA))
		return NULL;
	u = real_use(s, s->uses[r.reg], r.reg);
	return u && s->pool.a[u].i == i && !real_use(s, s->pool.a[u].next, r.reg) ? d : NULL;
}

/* Does i put the low part of *r somewhere? The selections that do the same. */
static bool
places_part(const sdwa *s, const ir_inst *i, ir_opnd *r, unsigned *sel, unsigned *unused)
{
	if (i->m.op == OP_v_mov_b32 && i->m.enc == P2A_ENC_SDWA && i->m.dst_sel) {
		*r = i->m.arg[1];
		*sel = i->m.dst_sel;
		*unused = i->m.dst_unused;
		return r->sel == sel_of((field){ 0, field_of(*sel).len, false });
	}
	for (unsigned k = 0; k < COUNT(places); k++)
		if (matches(s, i, &places[k], r)) {
			*sel = places[k].sel;
			*unused = places[k].unused;
			return true;
		}
	return false;
}

static void
place(sdwa *s, ir_inst *i)
{
	unsigned sel, unused;
	ir_inst *d;
	ir_opnd r;
	plan p;

	if (!places_part(s, i, &r, &sel, &unused) || !(d = writer_for(s, i, r)))
		return;
	p = (plan){ .m = d->m };
	p.m.dst_sel = (uint8_t)sel;
	p.m.dst_unused = (uint8_t)unused;
	p.m.arg[0] = i->m.arg[0];
	if (!encodable(s, d->block, &p) || p.bytes > bytes_now(s, d) + bytes_now(s, i) + BYTES_FOR_ONE)
		return;
	carry_out(s, d, &p);
	s->def[i->m.arg[0].reg] = d;
	ir_remove(i);
}

static void
place_all(sdwa *s)
{
	for (uint32_t b = 0; b < s->f->blocks.n; b++)
		for (ir_inst *i = s->f->blocks.a[b]->first, *next; i; i = next) {
			next = i->next;
			place(s, i);
		}
}

/* ---- parts at other places ---- */

/* Is d, shifted by a constant and masked, a byte or half of *x moved up by *up bits? */
static bool
moves_part(const sdwa *s, const ir_inst *d, uint32_t mask, field *part, uint32_t *up)
{
	const p2a_inst *m = &d->m;
	uint32_t n, len, pos;

	if ((m->op != OP_v_lshrrev_b32 && m->op != OP_v_lshlrev_b32) || m->enc != P2A_ENC_AUTO || !value_of(s, m->arg[1], &n) ||
	    n > 31 || !mask || !is_vector(s, m->arg[2]) || m->arg[2].sel || bit_has(&s->rewritten, m->arg[2].reg))
		return false;
	*up = (uint32_t)__builtin_ctz(mask);
	len = mask >> *up == 0xff ? 8 : mask >> *up == 0xffff ? 16 : 0;
	pos = m->op == OP_v_lshrrev_b32 ? *up + n : *up - n;
	*part = (field){ (uint8_t)pos, (uint8_t)len, false };
	return *up && len && pos < 32 && pos % len == 0;
}

/* A table's index times its elements' size, mostly: v_lshlrev_b32 of a part is one instruction for two. */
static void
shift(sdwa *s, ir_inst *i)
{
	uint32_t mask, up;
	ir_inst *d = NULL;
	field part;
	plan p;

	if (i->m.op != OP_v_and_b32 || i->m.enc != P2A_ENC_AUTO || !is_whole(s, i->m.arg[0]))
		return;
	for (unsigned k = 1; k < 3 && !d; k++)
		if (value_of(s, i->m.arg[k], &mask) && ir_is_val(i->m.arg[3 - k]))
			d = writer_for(s, i, i->m.arg[3 - k]);
	if (!d || !moves_part(s, d, mask, &part, &up))
		return;
	p = (plan){ .m = { .op = OP_v_lshlrev_b32, .nargs = 3, .arg = { i->m.arg[0], ir_i32(up), d->m.arg[2] } } };
	p.m.arg[2].sel = (uint8_t)sel_of(part);
	if (!encodable(s, i->block, &p) || p.bytes > bytes_now(s, d) + bytes_now(s, i) + BYTES_FOR_ONE)
		return;
	carry_out(s, i, &p);
	note_use(s, i, 2, i->m.arg[2].reg);
	ir_remove(d);
}

static void
shift_all(sdwa *s)
{
	for (uint32_t b = 0; b < s->f->blocks.n; b++)
		for (ir_inst *i = s->f->blocks.a[b]->first; i; i = i->next)
			shift(s, i);
}

static void
init(sdwa *s)
{
	ir_func *f = s->f;

	s->nvals = f->vals.n;
	s->def = arena_array(f->A, ir_inst *, f->vals.n);
	s->uses = arena_array(f->A, uint32_t, f->vals.n);
	s->defined = bitset_new(f->A, f->vals.n);
	s->rewritten = bitset_new(f->A, f->vals.n);
	*vec_push(f->A, &s->pool) = (use){ 0 };
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			note_defs(s, i);
			note_uses(s, i);
		}
}

void
p_sdwa(ir_func *f)
{
	sdwa s = { .f = f, .t = f->target };

	if (!s.t->sdwa)
		return;
	init(&s);
	take_all(&s);
	shift_all(&s);
	place_all(&s);
	ir_count_uses(f);
}
