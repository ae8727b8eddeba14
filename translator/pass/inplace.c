/* inplace.c -- a byte or half is put into a register whose old value nobody needs any more, in place.
 * Needs machine SSA of a chip with SDWA whose accesses are merged; leaves, for an instruction whose result is one value (the
 * base) but for one byte or half, a copy of the base and one v_mov_b32 that writes that part of the copy and leaves the rest
 * (UNUSED_PRESERVE). The allocator joins base and copy, since the base dies there, so that one instruction without the
 * constant that chose bytes is left: on gfx9 that constant is a register, and takes the only scalar operand of an
 * instruction. Where the base lives on nothing is changed: the copy would cost what is won.
 * Manuals: "SDWA" (Vega 13.3.7): sources are VGPRs or SGPRs, so constants need an SGPR. */
#include "pass/pass.h"

/* In halves of a vector instruction, as bit fields are counted (lower/bfi_cost.c). */
enum { VECTOR = 2, SCALAR = 1 };

/* Part `part` of base's copy becomes bytes part.from.. of src. */
typedef struct put {
	ir_inst *i;
	ir_opnd base, src;       /* src: a register, or a constant of which the low bytes count */
	isa_part part;
	ir_inst *also;           /* an instruction that only i reads and that goes too, or NULL */
	bool legal;
} put;

typedef struct use { ir_inst *i; ir_block *pred; uint32_t next; } use; /* pred: of a phi, where it is read */

typedef struct inplace {
	ir_func *f;
	VEC(put) puts;
	uint32_t *uses;          /* by value: where its dwords are read; 0 ends the list */
	VEC(use) pool;
	ir_block **home;         /* by value: the block that writes it; NULL: several do */
	uint32_t *freed;         /* by value: puts that would read it no more */
	uint32_t *in, *out;      /* by block: stamp of a walk by which a dword is alive at its borders */
	uint32_t stamp;
	VEC(ir_block *) todo;
	VEC(struct constant { const ir_block *b; ir_inst *move; uint32_t x, used; }) constants; /* used: bits that are read */
} inplace;

/* ---- what an instruction is ---- */

static const ir_inst *
def_of(const inplace *P, ir_opnd o)
{
	return ir_is_val(o) && !o.imm && o.width == P->f->vals.a[o.reg].dwords ? P->f->vals.a[o.reg].def : NULL;
}

static bool
is_constant(const inplace *P, ir_opnd o, uint32_t *x)
{
	const ir_inst *d = def_of(P, o);

	if (d && (d->m.op == OP_s_mov_b32 || d->m.op == OP_v_mov_b32) && d->m.enc == P2A_ENC_AUTO)
		o = d->m.arg[1];
	*x = (uint32_t)o.imm;
	return ir_is_imm(o);
}

static bool
is_vector(const inplace *P, ir_opnd o)
{
	return ir_is_val(o) && P->f->vals.a[o.reg].bank == IR_BANK_V;
}

static bool
is_scalar(const inplace *P, ir_opnd o)
{
	return ir_is_val(o) && P->f->vals.a[o.reg].bank == IR_BANK_S;
}

static bool
of_perm(const inplace *P, const ir_inst *i, put *p)
{
	uint32_t selector;

	if (!is_constant(P, i->m.arg[3], &selector))
		return false;
	for (unsigned side = 0; side < 2; side++) {
		p->base = i->m.arg[2 - side];
		if (!is_vector(P, p->base) || !isa_part_of_perm(selector, side, &p->part))
			continue;
		p->src = i->m.arg[p->part.from < 4 ? 2 : 1];
		p->part.from &= 3;
		return true;
	}
	return false;
}

/* v_bfi_b32 with a part as its mask, or all but one. */
static bool
of_select(const inplace *P, const ir_inst *i, put *p)
{
	uint32_t mask;

	if (!is_constant(P, i->m.arg[1], &mask))
		return false;
	for (unsigned side = 0; side < 2; side++, mask = ~mask) {
		p->base = i->m.arg[3 - side];
		p->src = i->m.arg[2 + side];
		if (!is_vector(P, p->base) || !isa_part_of_mask(mask, &p->part))
			continue;
		p->part.from = p->part.at;
		return true;
	}
	return false;
}

/* Loads of bytes and halves that are not extended by their sign. */
static uint32_t
loaded_bits(const ir_inst *d)
{
	if (!(isa_table[d->m.op].eff & ISA_LOAD) || isa_effects(&d->m) & (ISA_TIED | ISA_ATOMIC) || d->mem.sext || d->mem.rmw)
		return ~0u;
	return d->mem.bytes == 1 ? 0xffu : d->mem.bytes == 2 ? 0xffffu : ~0u;
}

/* Bits that may be ones in a value of one dword, by the instruction that makes it. */
static uint32_t
possible_ones(const inplace *P, ir_opnd o)
{
	const ir_inst *d = def_of(P, o);
	const ir_opnd *s = d ? d->m.arg : NULL;
	uint32_t k, n;

	if (is_constant(P, o, &k))
		return k;
	if (!d || !ir_is_machine(d->m.op) || d->m.enc != P2A_ENC_AUTO || d->m.clamp || o.width != 1)
		return ~0u;
	switch (d->m.op) {
	case OP_s_and_b32: case OP_v_and_b32:
		return is_constant(P, s[2], &k) || is_constant(P, s[1], &k) ? k : ~0u;
	case OP_s_lshr_b32:
		return is_constant(P, s[2], &k) ? ~0u >> (k & 31) : ~0u;
	case OP_v_lshrrev_b32:
		return is_constant(P, s[1], &k) ? ~0u >> (k & 31) : ~0u;
	case OP_s_bfe_u32:
		return is_constant(P, s[2], &k) && (k >> 16 & 127) < 32 ? (1u << (k >> 16 & 31)) - 1 : ~0u;
	case OP_v_bfe_u32:
		return is_constant(P, s[3], &n) ? (1u << (n & 31)) - 1 : ~0u;
	default:
		return loaded_bits(d);
	}
}

/* A mask that leaves all but a part, where o, the instruction's third operand, has no other bits. */
static bool
of_mask(const inplace *P, ir_opnd x, ir_opnd y, ir_opnd o, put *p)
{
	uint32_t mask;

	if (!is_constant(P, y, &mask)) {
		ir_opnd t = x;

		x = y;
		y = t;
	}
	if (!is_constant(P, y, &mask) || !is_vector(P, x) || !isa_part_of_mask(~mask, &p->part) || possible_ones(P, o) & mask)
		return false;
	p->base = x;
	p->part.from = p->part.at;
	p->src = o;
	return true;
}

/* The low half of one register and what has no bits there, as pass sdwa leaves it. */
static bool
of_half(const inplace *P, const ir_inst *i, put *p)
{
	const ir_opnd *s = &i->m.arg[1];
	unsigned k = s[0].sel == P2A_SEL_WORD0;

	p->base = s[1 - k];
	p->src = s[k];
	p->part = (isa_part){ 2, 2, 2 };
	if (i->m.dst_sel || p->src.sel || p->src.mods || p->base.mods || p->base.sel != P2A_SEL_WORD0 || !is_vector(P, p->base))
		return false;
	p->base.sel = 0;
	return !(possible_ones(P, p->src) & 0xffff);
}

static bool
of_or(const inplace *P, const ir_inst *i, put *p)
{
	if (i->m.enc == P2A_ENC_SDWA)
		return of_half(P, i, p);
	for (unsigned k = 1; k < 3; k++) {
		const ir_inst *d = def_of(P, i->m.arg[k]);

		if (!d || d->m.op != OP_v_and_b32 || d->m.enc != P2A_ENC_AUTO || d->block != i->block || d->glue ||
		    P->f->vals.a[d->m.arg[0].reg].nuses != 1)
			continue;
		if (!of_mask(P, d->m.arg[1], d->m.arg[2], i->m.arg[3 - k], p) || !P->f->vals.a[p->base.reg].def)
			continue;
		p->also = P->f->vals.a[d->m.arg[0].reg].def;
		return true;
	}
	return false;
}

static bool
is_put(const inplace *P, ir_inst *i, put *p)
{
	*p = (put){ .i = i };
	if ((i->m.enc != P2A_ENC_AUTO && (i->m.enc != P2A_ENC_SDWA || i->m.op != OP_v_or_b32)) || i->m.clamp || ir_is_glued(i))
		return false;
	switch (i->m.op) {
	case OP_v_perm_b32: return of_perm(P, i, p);
	case OP_v_bfi_b32: return of_select(P, i, p);
	case OP_v_and_or_b32: return of_mask(P, i->m.arg[1], i->m.arg[2], i->m.arg[3], p);
	case OP_v_or_b32: return of_or(P, i, p);
	default: return false;
	}
}

static bool
same_dword(ir_opnd x, ir_opnd y)
{
	return ir_is_val(x) && ir_is_val(y) && x.reg == y.reg && x.imm == y.imm;
}

/* A half at an odd byte: the scalar unit moves it down. */
static bool
is_shifted(const put *p)
{
	return p->part.n == 2 && p->part.from & 1;
}

/* What was moved to a vector register for this instruction alone is read where it came from, in the same block: behind a
 * loop a scalar register is not what it was in each lane's last turn. False: SDWA cannot name the source. */
static bool
settle_source(const inplace *P, put *p)
{
	const ir_inst *d = def_of(P, p->src);
	uint32_t x;

	if (d && d->m.op == P_copy && d->block == p->i->block && is_scalar(P, d->m.arg[1]) && d->m.arg[1].width == 1 &&
	    P->f->vals.a[d->m.arg[1].reg].def)
		p->src = d->m.arg[1];
	if (is_constant(P, p->src, &x) && (!d || P->f->vals.a[p->src.reg].nuses == 1)) {
		p->src = ir_i32(x >> 8 * p->part.from & (p->part.n == 1 ? 0xffu : 0xffffu));
		p->part.from = 0;
	}
	return ir_is_imm(p->src) || (ir_is_val(p->src) && (!is_shifted(p) || is_scalar(P, p->src)));
}

static void
find_puts(inplace *P)
{
	put p;

	for (uint32_t b = 0; b < P->f->blocks.n; b++)
		for (ir_inst *i = P->f->blocks.a[b]->first; i; i = i->next)
			if (is_put(P, i, &p) && settle_source(P, &p))
				*vec_push(P->f->A, &P->puts) = p;
}

/* ---- who is alive ---- */

static void
note_use(inplace *P, ir_opnd o, ir_inst *i, ir_block *pred)
{
	if (!ir_is_val(o))
		return;
	*vec_push(P->f->A, &P->pool) = (use){ i, pred, P->uses[o.reg] };
	P->uses[o.reg] = P->pool.n - 1;
}

static void
note_inst(inplace *P, ir_inst *i, bool *written)
{
	for (unsigned k = 0; k < i->m.nargs; k++) {
		ir_opnd o = i->m.arg[k];

		if (k >= i->ndefs)
			note_use(P, o, i, NULL);
		else if (ir_is_val(o)) {
			P->home[o.reg] = written[o.reg] && P->home[o.reg] != i->block ? NULL : i->block;
			written[o.reg] = true;
		}
	}
	for (uint32_t k = 0; i->m.op == G_phi && k < i->block->preds.n; k++)
		note_use(P, i->phi[k], i, i->block->preds.a[k]);
}

static void
note_all(inplace *P)
{
	ir_func *f = P->f;
	bool *written = arena_array(f->A, bool, f->vals.n);
	uint32_t n = 0;

	P->uses = arena_array(f->A, uint32_t, f->vals.n);
	P->home = arena_array(f->A, ir_block *, f->vals.n);
	P->freed = arena_array(f->A, uint32_t, f->vals.n);
	P->in = arena_array(f->A, uint32_t, f->blocks.n);
	P->out = arena_array(f->A, uint32_t, f->blocks.n);
	*vec_push(f->A, &P->pool) = (use){ 0 };
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i; i = i->next) {
			i->num = n++;
			note_inst(P, i, written);
		}
}

static bool
reads(const use *u, ir_opnd o)
{
	if (u->pred)
		return true;
	for (unsigned k = u->i->ndefs; k < u->i->m.nargs; k++)
		if (ir_overlap(u->i->m.arg[k], o))
			return true;
	return false;
}

static void
alive_out(inplace *P, ir_block *b)
{
	if (P->out[b->id] == P->stamp)
		return;
	P->out[b->id] = P->stamp;
	*vec_push(P->f->A, &P->todo) = b;
}

static void
alive_in(inplace *P, ir_block *b)
{
	if (P->in[b->id] == P->stamp)
		return;
	P->in[b->id] = P->stamp;
	for (uint32_t k = 0; k < b->preds.n; k++)
		alive_out(P, b->preds.a[k]);
}

/* Is dword o read on some way on from i? */
static bool
alive_after(inplace *P, const ir_inst *i, ir_opnd o)
{
	ir_block *home = P->home[o.reg];

	if (!home)
		return true;
	P->stamp++;
	P->todo.n = 0;
	for (uint32_t u = P->uses[o.reg]; u; u = P->pool.a[u].next) {
		const use *w = &P->pool.a[u];

		if (!reads(w, o))
			continue;
		if (w->pred)
			alive_out(P, w->pred);
		else if (w->i->block == i->block && w->i->num > i->num)
			return true;
		else if (w->i->block != home)
			alive_in(P, w->i->block);
	}
	while (P->todo.n) {
		ir_block *b = P->todo.a[--P->todo.n];

		if (b != home)
			alive_in(P, b);
	}
	return P->out[i->block->id] == P->stamp;
}

static bool
is_copy(const inplace *P, const ir_inst *i)
{
	return i->m.op == P_copy && is_vector(P, i->m.arg[0]) && is_vector(P, i->m.arg[1]) && i->m.arg[0].width == 1;
}

/* Is o, or a copy that the allocator may have in the same register, alive behind i? */
static bool
lives_on(inplace *P, const ir_inst *i, ir_opnd o)
{
	enum { FAR = 4 };

	for (unsigned k = 0; k < FAR; k++) {
		const ir_inst *d = def_of(P, o);

		if (alive_after(P, i, o))
			return true;
		for (uint32_t u = P->uses[o.reg]; u; u = P->pool.a[u].next) {
			const use *w = &P->pool.a[u];

			if (!w->pred && is_copy(P, w->i) && same_dword(w->i->m.arg[1], o) && alive_after(P, i, w->i->m.arg[0]))
				return true;
		}
		if (!d || !is_copy(P, d))
			return false;
		o = d->m.arg[1];
	}
	return true;
}

/* Does what reads the result want it in another register than the base's? */
static bool
goes_elsewhere(const inplace *P, const put *p)
{
	ir_opnd d = p->i->m.arg[0];

	for (uint32_t u = P->uses[d.reg]; u; u = P->pool.a[u].next) {
		const use *w = &P->pool.a[u];

		if (w->pred && w->i->m.arg[0].reg != p->base.reg)
			return true;
		if (!w->pred && w->i->m.op == P_copy && P->f->vals.a[p->base.reg].dwords > 1 && w->i->m.arg[0].imm != p->base.imm)
			return true;
	}
	return P->f->vals.a[p->base.reg].dwords > 1 && P->f->vals.a[d.reg].dwords > 1 && d.imm != p->base.imm;
}

/* ---- constants ---- */

/* Where in c, a constant that its block has in an SGPR, a part with those low bytes is or may be, as no others are there. */
static bool
find_part(const struct constant *c, uint32_t x, unsigned n, unsigned *at)
{
	uint32_t mask = n == 1 ? 0xff : 0xffff;

	for (*at = 0; *at < 4; *at += n)
		if (!((c->x ^ x << 8 * *at) & mask << 8 * *at & c->used))
			return true;
	return false;
}

/* A constant of block b that has or takes the part. */
static struct constant *
find_constant(const inplace *P, const ir_block *b, uint32_t x, unsigned n, unsigned *at)
{
	for (uint32_t k = P->constants.n; k-- > 0 && P->constants.a[k].b == b;)
		if (find_part(&P->constants.a[k], x, n, at))
			return &P->constants.a[k];
	return NULL;
}

/* Parts share SGPRs, which are written from the block's beginning on. */
static ir_opnd
in_sgpr(inplace *P, ir_block *b, uint32_t x, isa_part *p)
{
	ir_builder B = { P->f, b, b->first, 0 };
	unsigned at;
	struct constant *c = find_constant(P, b, x, p->n, &at);

	if (!c) {
		at = 0;
		while (B.before->m.op == G_phi || B.before->m.op == P_entry)
			B.before = B.before->next;
		B.loc = B.before->loc;
		c = vec_push(P->f->A, &P->constants);
		*c = (struct constant){ .b = b };
		c->move = ir_m(&B, OP_s_mov_b32, 2, ir_valop(P->f, ir_new_reg(P->f, IR_BANK_S, 1)), ir_i32(0));
	}
	c->used |= (p->n == 1 ? 0xffu : 0xffffu) << 8 * at;
	c->x |= x << 8 * at;
	c->move->m.arg[1] = ir_i32(c->x);
	p->from = (uint8_t)at;
	return c->move->m.arg[0];
}

/* ---- what is won ---- */

/* The move of a constant, or of one to a vector register, which goes when all puts that read it are in place. */
static bool
is_spare_move(const inplace *P, ir_opnd o)
{
	const ir_inst *d = def_of(P, o);
	const ir_opnd *s = d ? &d->m.arg[1] : NULL;

	if (!d || d->glue)
		return false;
	if (d->m.op == P_copy)
		return is_vector(P, o) && is_scalar(P, *s) && s->width == 1;
	return (d->m.op == OP_s_mov_b32 || d->m.op == OP_v_mov_b32) && d->m.enc == P2A_ENC_AUTO && ir_is_imm(*s);
}

/* Calls `each` for the operands that the put reads no more. */
static void
for_unread(inplace *P, const put *p, void (*each)(inplace *, ir_opnd))
{
	for (const ir_inst *i = p->i; i; i = i == p->i ? p->also : NULL)
		for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
			ir_opnd o = i->m.arg[k];

			if (ir_is_val(o) && !same_dword(o, p->base) && !same_dword(o, p->src))
				each(P, o);
		}
}

static void
note_freed(inplace *P, ir_opnd o)
{
	P->freed[o.reg]++;
}

/* Moves whose every reader is a put that reads them no more. */
static unsigned
spared(const inplace *P, const put *p)
{
	unsigned sum = p->also ? VECTOR : 0;

	for (const ir_inst *i = p->i; i; i = i == p->i ? p->also : NULL)
		for (unsigned k = i->ndefs; k < i->m.nargs; k++) {
			ir_opnd o = i->m.arg[k];

			if (is_spare_move(P, o) && !same_dword(o, p->src) && P->freed[o.reg] == P->f->vals.a[o.reg].nuses)
				sum += is_vector(P, o) ? VECTOR : SCALAR;
		}
	return sum;
}

static bool
pays(const inplace *P, const put *p)
{
	unsigned won = spared(P, p), cost = is_shifted(p) ? SCALAR : 0, at;

	if (ir_is_imm(p->src) && !find_constant(P, p->i->block, (uint32_t)p->src.imm, p->part.n, &at))
		cost = SCALAR;

	return won > cost && (won - cost >= VECTOR || !goes_elsewhere(P, p));
}

/* ---- writing ---- */

/* A move that nobody reads goes. */
static void
release(inplace *P, ir_opnd o)
{
	ir_val *v = &P->f->vals.a[o.reg];

	if (--v->nuses || !is_spare_move(P, o))
		return;
	if (ir_is_val(v->def->m.arg[1]))
		P->f->vals.a[v->def->m.arg[1].reg].nuses--;
	ir_remove(v->def);
	v->def = NULL;
}

/* The source as SDWA reads it. */
static ir_opnd
source_of(inplace *P, put *p, ir_builder *B)
{
	ir_opnd src = p->src;

	if (ir_is_imm(src)) {
		src = in_sgpr(P, B->b, (uint32_t)src.imm, &p->part);
	} else if (is_shifted(p)) {
		src = ir_valop(P->f, ir_new_reg(P->f, IR_BANK_S, 1));
		ir_m(B, OP_s_lshr_b32, 3, src, p->src, ir_i32(8u * p->part.from));
		p->part.from = 0;
	}
	src.sel = isa_part_sel(p->part.from, p->part.n);
	return src;
}

static void
write(inplace *P, put *p)
{
	ir_inst *i = p->i;
	ir_builder B = { P->f, i->block, i, i->loc };
	ir_opnd d = i->m.arg[0], src;

	for_unread(P, p, release);
	src = source_of(P, p, &B);
	ir_m(&B, P_copy, 2, d, p->base)->fresh = i->fresh;
	i->fresh = false;
	if (same_dword(src, p->base)) {
		src.reg = d.reg;
		src.imm = d.imm;
	}
	i->m = (p2a_inst){ .op = OP_v_mov_b32, .enc = P2A_ENC_SDWA, .nargs = 2, .arg = { d, src } };
	i->m.dst_sel = isa_part_sel(p->part.at, p->part.n);
	i->m.dst_unused = P2A_UNUSED_PRESERVE;
	if (p->also)
		ir_remove(p->also);
}

void
p_inplace(ir_func *f)
{
	inplace P = { .f = f };

	if (!f->target->sdwa)
		return;
	ir_count_uses(f);
	find_puts(&P);
	if (!P.puts.n)
		return;
	note_all(&P);
	for (uint32_t k = 0; k < P.puts.n; k++) {
		put *p = &P.puts.a[k];

		p->legal = !lives_on(&P, p->i, p->base);
		if (p->legal)
			for_unread(&P, p, note_freed);
	}
	/* Twice: a constant may find room in one that came later. */
	for (uint32_t k = 0; k < 2 * P.puts.n; k++) {
		put *p = &P.puts.a[k % P.puts.n];

		if (!p->legal || !pays(&P, p))
			continue;
		write(&P, p);
		p->legal = false;
	}
	ir_count_uses(f);
}
